#!/usr/bin/python3
"""Write the files of a Vite build as assembler that puts them into the binary, each plain and compressed (pages.h).

    pack.py OUT DIST            every file of DIST
    pack.py OUT --missing WHY   a table without pages, and why
"""

import gzip
import pathlib
import shutil
import sys

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}


def text(label, value):
    return f'{label}:\n  .asciz "{"".join(c if c.isalnum() or c in " ./;=-_+," else f"{chr(92)}{ord(c):03o}" for c in value)}"\n'


def number(label, value):
    return f"  .section .rodata\n  .balign 8\n  .global {label}\n  .type {label}, %object\n{label}:\n  .quad {value}\n  .size {label}, 8\n"


def page(index, path, packed):
    """Its bytes, and its row of the table."""
    packed.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    data = text(f".Lname{index}", path.name) + text(f".Ltype{index}", TYPES[path.suffix])
    for kind, file in (("plain", path), ("packed", packed)):
        data += f'.L{kind}{index}:\n  .incbin "{file}"\n.L{kind}{index}_end:\n'
    row = f"  .quad .Lname{index}, .Ltype{index}"
    for kind in ("plain", "packed"):
        row += f", .L{kind}{index}, .L{kind}{index}_end - .L{kind}{index}"
    return data, row + "\n"


def assembler(files, missing, scratch):
    rows = [page(index, path, scratch / (path.name + ".gz")) for index, path in enumerate(files)]
    return "".join([
        "/* Made by pack.py. */\n  .section .rodata\n", *(data for data, _ in rows),
        "  .global pages_missing\n  .type pages_missing, %object\n", text("pages_missing", missing),
        "  .size pages_missing, . - pages_missing\n",
        number("page_count", len(rows)),
        "  .section .data.rel.ro, \"aw\"\n  .balign 8\n  .global pages\n  .type pages, %object\npages:\n",
        *(row for _, row in rows), "  .quad 0\n  .size pages, . - pages\n",
        "  .section .note.GNU-stack, \"\", %progbits\n"])


def main(out, source, missing=""):
    files = [] if missing else sorted((path for path in pathlib.Path(source).rglob("*") if path.is_file()), key=lambda path: path.name)
    unknown = [str(path) for path in files if path.suffix not in TYPES]
    if unknown or (not missing and not files):
        sys.exit(f"pack.py: no Content-Type for {unknown}" if unknown else f"pack.py: {source} is empty")
    out = pathlib.Path(out).resolve()
    scratch = out.parent / "packed"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    out.write_text(assembler([path.resolve() for path in files], missing, scratch))


if __name__ == "__main__":
    main(*sys.argv[1:])
