#!/usr/bin/python3
"""The migrations of both engines, as a table of texts that the program carries.

    migrations.py OUT        writes OUT/migrations.h, which server/store/migrations.c includes, and OUT/postgresql/

A file of migrations/sqlite or migrations/postgresql is for that engine; one of migrations/ itself is for both: in SQLite's words, of
which PostgreSQL gets its own, type for type. What needs more than types is a file of each.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGINES = ("sqlite", "postgresql")
TYPES = {"TEXT": 'text COLLATE "C"', "INTEGER": "bigint", "REAL": "double precision", "BLOB": "bytea"}


def for_postgresql(text):
    code = re.sub(r"'[^']*'|--.*|\b(?:TEXT|INTEGER|REAL|BLOB)\b", lambda found: TYPES.get(found[0], found[0]), text)
    return re.sub(r"\)\s*(STRICT|WITHOUT ROWID)(,\s*(STRICT|WITHOUT ROWID))?\s*;", ");", code)


def migrations(engine):
    """Its files in their order."""
    found = [*(ROOT / "migrations").glob("*.sql"), *(ROOT / "migrations" / engine).glob("*.sql")]
    files = sorted(found, key=lambda path: path.name)
    first = min(path.name for path in (ROOT / "migrations" / engine).glob("*.sql"))
    names = [path.name for path in files]
    if len(set(names)) < len(names):
        sys.exit(f"migrations: {engine} has two files of one name")
    return [path for path in files if path.name >= first]


def rows(engine, out):
    for path in migrations(engine):
        if engine == "postgresql" and path.parent.name == "migrations":
            text, path = for_postgresql(path.read_text(encoding="utf-8")), out / engine / path.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield f"{engine}_{path.stem}", path.stem, path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def main():
    out = pathlib.Path(sys.argv[1])
    text = "/* Made of migrations/ by server/store/migrations.py. */\n"
    for engine in ENGINES:
        table = list(rows(engine, out))
        text += "".join(f'EMBED({symbol}, "{path}");\n' for symbol, _, path in table)
        text += f"static const struct migration {engine}_items[] = {{\n"
        text += "".join(f'  {{ "{name}", {symbol} }},\n' for symbol, name, _ in table) + "};\n"
    # the other engine begins with all that SQLite had come to at the number of its first file
    before = sum(path.name < migrations("postgresql")[1].name for path in migrations("sqlite")) - 1
    text += f"enum {{ POSTGRESQL_BEFORE = {before} }};\n"
    (out / "migrations.h").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
