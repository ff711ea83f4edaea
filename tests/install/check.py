"""The installed tree: pkg-config, headers in C and C++, shared and static linking of the examples, exported symbols."""

import os
import re
import shutil

CC = os.environ.get("CC", "gcc")


def check_install(tally, root, out, run):
    tree = root / tally.folder / "tree"
    status, text = run(["make", "--no-print-directory", "install", f"DESTDIR={tree}", "PREFIX=/usr"], tally.folder / "install.log", 300)
    tally.check("make install", status == 0, text)
    if status != 0:
        return
    env = {"PKG_CONFIG_PATH": str(tree / "usr/lib/pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(tree),
           "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1", "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1"}
    cflags, libs = (pkg_config(tally, run, env, flag) for flag in ("--cflags", "--libs"))
    headers(tally, run, tree, cflags)
    examples(tally, root, run, tree, cflags, libs)
    symbols(tally, run, tree)
    status, text = run([tree / "usr/bin/armdyn", "version"], tally.folder / "version.log", 10)
    version = re.search(r'ARMDYN_VERSION "(.*)"', (root / "lib/include/armdyn/armdyn.h").read_text())[1]
    tally.check("installed command", status == 0 and version in text, text)
    man_page(tally, run, tree)
    status, text = run(["make", "--no-print-directory", "uninstall", f"DESTDIR={tree}", "PREFIX=/usr"], tally.folder / "uninstall.log", 60)
    left = [str(path) for path in tree.rglob("*") if not path.is_dir()]
    tally.check("make uninstall", status == 0 and not left, f"{text}\nleft: {left}")


def man_page(tally, run, tree):
    """It has every command and every option of serve, and groff, where it is, finds no fault in it."""
    page = (tree / "usr/share/man/man1/armdyn.1").read_text()
    program = tree / "usr/bin/armdyn"
    commands = re.findall(r"^  ([a-z-]+) ", run([program, "help"], tally.folder / "help.log", 10)[1], re.M)
    options = re.findall(r"^  (--[a-z-]+)", run([program, "help", "serve"], tally.folder / "help-serve.log", 10)[1], re.M)
    lost = [word for word in commands + options if not re.search(rf"(^|[\s.]){re.escape(word)}\b", page.replace("\\-", "-"), re.M)]
    tally.check("man page", len(commands) > 10 and len(options) > 20 and not lost, f"not in it: {lost}")
    if shutil.which("groff"):
        status, text = run(["groff", "-man", "-Tutf8", "-ww", "-z", tree / "usr/share/man/man1/armdyn.1"], tally.folder / "groff.log", 30)
        tally.check("man page without a fault", status == 0 and not text.strip(), text)


def pkg_config(tally, run, env, flag):
    status, text = run(["pkg-config", flag, "armdyn"], tally.folder / f"pkg-config{flag}.log", 10, env)
    tally.check(f"pkg-config {flag} armdyn", status == 0, text)
    return text.split()


def headers(tally, run, tree, cflags):
    """Every public header compiles alone, as C17 and as C++17, without a warning."""
    for header in sorted((tree / "usr/include/armdyn").glob("*.h")):
        for compiler, language in ((CC, "c"), ("g++", "c++")):
            source = tally.folder / f"{header.stem}.{language}"
            source.write_text(f'#include "armdyn/{header.name}"\nint main(void) {{ return 0; }}\n')
            status, text = run([compiler, "-x", language, f"-std={language}17", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                                *cflags, "-fsyntax-only", source], source.with_suffix(f".{language}.log"), 60)
            tally.check(f"{header.name} as {language}", status == 0, text)


def examples(tally, root, run, tree, cflags, libs):
    """Each example, linked with the shared and the static library, prints what its .expected file holds."""
    found = sorted((tree / "usr/share/doc/armdyn/examples").glob("*.c"))
    tally.check("examples", found, "no example was installed")
    for source in found:
        expected = root / "tests/install" / f"{source.stem}.expected"
        for how, flags in (("shared", libs), ("static", ["-L" + str(tree / "usr/lib"), "-l:libarmdyn.a", "-lm"])):
            program = tally.folder / f"{source.stem}-{how}"
            status, text = run([CC, "-std=c17", "-O1", "-Wall", "-Wextra", "-Werror", *cflags, source, *flags, "-lm", "-o", program],
                               program.with_suffix(".build.log"), 60)
            if status == 0:
                status, text = run([program], program.with_suffix(".log"), 60, {"LD_LIBRARY_PATH": str(tree / "usr/lib")})
            if not expected.exists():
                tally.fail(f"{source.name}, {how}", f"no {expected.relative_to(root)} to compare with:\n{text}")
            else:
                tally.check(f"{source.name}, {how}", status == 0 and text == expected.read_text(), f"status {status}\n{text}")


def symbols(tally, run, tree):
    """The shared library shows exactly what the headers declare, the static one no name without the prefix."""
    declared = set()
    for header in (tree / "usr/include/armdyn").glob("*.h"):
        text = re.sub(r"/\*.*?\*/|^\s*#.*?$", "", header.read_text(), flags=re.S | re.M)
        text = re.sub(r"static inline.*?\n}", "", text, flags=re.S)
        declared |= set(re.findall(r"\b(armdyn_\w+)\s*\((?!\s*\*)[^;{]*\)\s*;", text))
        declared |= set(re.findall(r"^extern [^;(]*\b(armdyn_\w+)\[", text, re.M))
    status, text = run(["nm", "-D", "--defined-only", tree / "usr/lib/libarmdyn.so"], tally.folder / "symbols.log", 10)
    exported = {line.split()[-1] for line in text.splitlines() if " A " not in line}
    tally.check("exported symbols", status == 0 and declared and exported == declared,
                f"declared, not exported: {sorted(declared - exported)}\nexported, not declared: {sorted(exported - declared)}")
    status, text = run(["nm", "-g", "--defined-only", "-P", tree / "usr/lib/libarmdyn.a"], tally.folder / "static-symbols.log", 10)
    defined = {line.split()[0] for line in text.splitlines() if len(line.split()) > 1}
    tally.check("names of the static library", status == 0 and declared <= defined and all(name.startswith("armdyn_") for name in defined),
                f"declared, not there: {sorted(declared - defined)}\nwithout the prefix: {sorted(n for n in defined if not n.startswith('armdyn_'))}")
