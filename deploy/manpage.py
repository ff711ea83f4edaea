#!/usr/bin/python3
"""The manual page of the command, of what it says itself:  deploy/manpage.py ARMDYN FOLDER-OF-THE-MANUAL OUT"""

import pathlib
import re
import subprocess
import sys

HEAD = """.TH ARMDYN 1 "" "armdyn {version}" "User Commands"
.SH NAME
armdyn \\- {summary}
.SH SYNOPSIS
.B armdyn
.I COMMAND
.RI [ OPTION ...]
.SH COMMANDS
"""
TAIL = """.SH FILES
.TP
.I /etc/armdyn/armdyn.env
options of the service, as variables of its environment
.TP
.I /etc/armdyn/admin.key
an administrator's key, which the service is started with
.TP
.I /var/lib/armdyn
the store of the service
.SH SEE ALSO
The manual: the files in {manual}, and /docs of the service, which shows every call of its API.
"""


def roff(text):
    """A text that stands as it is."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", r"\e").replace("-", r"\-"), flags=re.M)


def page(program, manual):
    """What every command says of itself, below a list of them; what has no options says nothing more."""
    def says(*words):
        return subprocess.run([program, *words], env={}, check=True, capture_output=True, text=True).stdout
    overview = says("help")
    rows = re.findall(r"^  ([a-z-]+) +(\S.*)$", overview, re.M)
    parts = [HEAD.format(version=says("version").split()[1], summary=roff(overview.split("\n")[0].split(": ")[1]))]
    parts += [f".TP\n.B {roff(name)}\n{roff(summary)}\n" for name, summary in rows]
    told = {name: says(name, "--help").strip() for name, _ in rows}
    parts += [f".SH {roff(name.upper())}\n.nf\n{roff(text)}\n.fi\n" for name, text in told.items() if text.startswith("usage:")]
    return "".join(parts) + TAIL.format(manual=manual)


if __name__ == "__main__":
    binary, manual, out = sys.argv[1:]
    pathlib.Path(out).write_text(page(pathlib.Path(binary).resolve(), manual))
