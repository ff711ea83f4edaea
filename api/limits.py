#!/usr/bin/python3
"""The limits of api/limits.h by name, for whoever repeats them.

    limits.py OUT        OUT: a header with ROW(NAME) for each, which server/routes/limits.c answers
"""

import pathlib
import re
import sys

SCALE = {"KB": 1 << 10, "MB": 1 << 20, "": 1}


def limits():
    """{"LIMIT_LIST": 200, ...} in their order."""
    text = pathlib.Path(__file__).with_name("limits.h").read_text(encoding="utf-8")
    rows = re.findall(r"^#define (LIMIT_\w+)\s+(?:(KB|MB)\()?(\d+)\b", text, re.M)
    return {name: int(number) * SCALE[scale] for name, scale, number in rows}


if __name__ == "__main__":
    rows = "".join(f"ROW({name.removeprefix('LIMIT_')})\n" for name in limits())
    pathlib.Path(sys.argv[1]).write_text("/* Made of api/limits.h by api/limits.py. */\n" + rows, encoding="utf-8")
