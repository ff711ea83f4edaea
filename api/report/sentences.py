#!/usr/bin/python3
"""What the service says in the language of the pages, as tables that reports look in.

    sentences.py OUT        writes OUT, which api/report/sentences.c includes, of sentences.zh.json beside this

A sentence's {places} become conversions of text, numbered in the other language.
"""

import json
import pathlib
import re
import sys

SAID = pathlib.Path(__file__).with_name("sentences.zh.json")
PLACE = re.compile(r"\{(\w+)\}")


def quoted(text):
    return json.dumps(text, ensure_ascii=False).replace("??", "?\\?")


def formats(english, other):
    """Both as printf has them; % as itself."""
    names = PLACE.findall(english)
    fixed = [PLACE.sub("{\\1}", text.replace("%", "%%")) for text in (english, other)]
    return PLACE.sub("%s", fixed[0]), PLACE.sub(lambda found: f"%{names.index(found[1]) + 1}$s", fixed[1])


def table(name, rows):
    body = "".join(f"  {{ {quoted(english)}, {quoted(other)} }},\n" for english, other in rows)
    return f"static const char *const {name}[][2] = {{\n{body}}};\n"


def main():
    said = json.loads(SAID.read_text(encoding="utf-8"))
    sentences = [formats(*row) for section in said["sentences"].values() for row in section]
    codes = [row for section in said["codes"].values() for row in section.items()]
    text = table("sentences", sentences) + table("codes", codes) + table("words", said["words"].items())
    pathlib.Path(sys.argv[1]).write_text("/* Made of api/report/sentences.zh.json. */\n" + text, encoding="utf-8")


if __name__ == "__main__":
    main()
