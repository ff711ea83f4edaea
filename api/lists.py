#!/usr/bin/python3
"""The lists of lib and api that are X-macros, by name, for whoever repeats what stands in them.

    lists.py [OUT]  writes all of them as JSON, {"ARMDYN_LAW_LIST": ["pid", ...], ...}: to OUT only what differs, with the time of the
                    newest header, so that it makes nothing anew by itself

The contract has the texts of a list where an enumeration says its name (bundle.py), the pages import them (server/web/vite.config.js).
"ARMDYN_FRICTION_TERM_LIST.linear" are the rows of that list whose column `linear` is 1, as its first `#define X(name, text, linear)`
names it.
"""

import functools
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADERS = ("lib/include/armdyn/*.h", "api/*/*.h")
LIST = re.compile(r"^#define (\w+_LIST)\(X\)((?:.*\\\n)+.*)\n(?s:.*?)^ *#define X\(([^)]*)\)", re.M)


def rows_of(body):
    """Of X(PID, "pid", 1): ["PID", "pid", "1"]."""
    return [[part.strip().strip('"') for part in re.findall(r'(?:"(?:\\.|[^"])*"|[^,"])+', row)]
            for row in re.findall(r'\bX\(((?:"(?:\\.|[^"])*"|[^)"])*)\)', body)]


def headers():
    return sorted(path for pattern in HEADERS for path in ROOT.glob(pattern))


@functools.cache
def lists():
    found = {}
    for path in headers():
        for name, body, columns in LIST.findall(path.read_text(encoding="utf-8")):
            rows = rows_of(body)
            found[name] = [row[1] for row in rows]
            for index, column in enumerate(re.findall(r"\w+", columns)[2:], 2):
                if {row[index] for row in rows} <= {"0", "1", "false", "true"}:
                    found[f"{name}.{column}"] = [row[1] for row in rows if row[index] in ("1", "true")]
    return found


def main():
    text = json.dumps(lists(), indent=1) + "\n"
    if len(sys.argv) == 1:
        sys.stdout.write(text)
        return
    out = pathlib.Path(sys.argv[1])
    if not out.is_file() or out.read_text(encoding="utf-8") != text:
        out.write_text(text, encoding="utf-8")
        newest = max(path.stat().st_mtime for path in headers())
        os.utime(out, (newest, newest))


if __name__ == "__main__":
    main()
