#!/usr/bin/python3
"""`make mutants`: do the tests notice when the code is wrong? Each mutant is one operator, constant or statement of the C code
changed, drawn by a seed and spread over the rooms; what no test notices is listed with its line.

    tests/mutants.py [--count N] [--seed S] [--room ROOM]... [--most FILES]      a room: lib/model, api/codec, server/jobs, ...

It works in a copy of the tree (build/mutants), whose build is warm: the tests of a mutant are the units that know its room, then
those of TESTS with real processes, until one fails. A mutant that no compiler takes, or whose object is the same, is no mutant.
One that survives is either a test that is missing, or the same program in other words: then it is put down in
tests/equivalents.txt, where a person says why.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

import check
import lint
import run

ROOT = pathlib.Path(__file__).resolve().parents[1]
TREE = ROOT / "build" / "mutants"
KNOWN = ROOT / "tests" / "equivalents.txt"
LIMIT = 240  # s, the tests of one program: an endless loop is noticed by it

# Tests with real processes that know a room, beside the contract's. The longest prefix counts.
TESTS = {
    "lib": [], "lib/model": ["tests/contract/test_cells.py", "tests/contract/test_robots.py"], "lib/identify": ["tests/contract/test_identifications.py"],
    "lib/symbolic": ["tests/contract/test_code.py"], "api": ["tests/contract"], "api/toolbox": ["tests/contract/test_model_imports.py"],
    "server": ["tests/contract", "tests/http"], "server/mqtt": ["tests/gateway"], "server/orders": ["tests/gateway", "tests/contract"],
    "server/alarms": ["tests/gateway"], "server/trials": ["tests/gateway/test_tested_controllers.py"], "server/release": ["tests/store"], "server/webhooks": ["tests/gateway", "tests/contract"],
    "server/nodes": ["tests/http", "tests/postgresql"],
    "server/gateway": ["tests/gateway"], "server/simulator": ["tests/gateway"], "server/conformance": ["tests/gateway"],
    "server/transfers": ["tests/gateway", "tests/contract"], "server/protocol": ["tests/gateway"], "server/store": ["tests/store", "tests/contract"],
    "server/jobs": ["tests/contract", "tests/fault"], "server/ipc": ["tests/contract", "tests/fault"], "server/http": ["tests/http", "tests/contract"],
}

# What is found in a line of code, and what it becomes. A name, so that the list of survivors can be read.
OPERATORS = [
    ("relation", r"(?<=\w|\)|\]) (<=|>=|<|>|==|!=) ", {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}),
    ("sum", r"(?<=\w|\)|\]) ([+-]) (?=[\w(])", {"+": "-", "-": "+"}),
    ("product", r"(?<=\w|\)|\]) ([*/]) (?=[\w(])", {"*": "/", "/": "*"}),
    ("logic", r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    ("step", r"( [+-]=) ", {" +=": " -=", " -=": " +="}),
    ("constant", r"(?<![\w.\"%])(\d+)(?![\w.\"])", lambda text: str(int(text) + 1)),
    ("negation", r"\b(?:if|return) ?\(?(!)(?=\w)", {"!": ""}),
]
STATEMENT = re.compile(r"^(\s+)((?!return|break|continue|goto|case|default|const|static|struct|enum|double|size_t|int|bool|char|unsigned|else|for|do)"
                       r"[\w>.\[\]-]+(?:\(.*\)| [+*/|-]?= .*));$")


def code_lines(text):
    """(number, line) of what is code: comments, texts' insides, directives and tables of texts are left alone."""
    depth = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if depth or stripped.startswith(("/*", "*")):
            depth = "*/" not in stripped
            continue
        if stripped.startswith(("#", "//", "_Static_assert")) or not line.startswith(" ") or stripped.startswith(('"', "static const")):
            continue
        yield number, line


def mutants_of(path):
    """Every (path, line number, before, after) of a file."""
    found = []
    for number, line in code_lines((ROOT / path).read_text()):
        inside = [match.span() for match in re.finditer(r'"(?:\\.|[^"\\])*"|/\*.*?\*/|\'.\'', line)]
        for _, pattern, becomes in OPERATORS:
            for match in re.finditer(pattern, line):
                if any(start <= match.start(1) < end for start, end in inside):
                    continue
                new = becomes(match[1]) if callable(becomes) else becomes[match[1]]
                found.append((path, number, line, line[:match.start(1)] + new + line[match.end(1):]))
        statement = STATEMENT.match(line)
        if statement:
            found.append((path, number, line, statement[1] + ";"))
    return found


def room_of(path):
    return "/".join(path.split("/")[:2])


def draw(rooms, seed):
    """One room after the other, each time one mutant of it, without end while there are any."""
    dice = random.Random(seed)
    files = [path for room in lint.ROOMS for path in lint.tracked(f"{room}/*/*.c") if not re.search(r"_(avx\w+|baseline)\.c$", path)]
    by_room = collections.defaultdict(list)
    for path in files:
        if not rooms or room_of(path) in rooms:
            by_room[room_of(path)] += mutants_of(path)
    order = sorted(by_room)
    dice.shuffle(order)
    for room in order:
        dice.shuffle(by_room[room])
    while any(by_room.values()):
        for room in order:
            if by_room[room]:
                yield by_room[room].pop()


def equivalents():
    """(path, before, after) that a person has judged: lines `path | before | after | why`."""
    rows = [line.split(" | ") for line in KNOWN.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {tuple(part.strip() for part in row[:3]) for row in rows}


def in_tree(*command, limit=LIMIT, **env):
    try:
        done = subprocess.run(command, cwd=TREE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=limit, env={**os.environ, **env})
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def fails(*command, limit=LIMIT):
    """Twice: a test that a busy machine made fail has noticed nothing."""
    return not in_tree(*command, limit=limit) and not in_tree(*command, limit=limit)


def make(*targets):
    return in_tree("make", "--silent", f"-j{run.CORES}", *targets, limit=3600)


def copy():
    """The files that git knows, as they stand here; their times stay, so that a build of before is still warm."""
    kept = set()
    for path in lint.tracked():
        kept.add(path)
        target = TREE / path
        if target.is_file() and target.read_bytes() == (ROOT / path).read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target)
    if (ROOT / "build/web").is_dir() and not (TREE / "build/web").is_dir():
        shutil.copytree(ROOT / "build/web", TREE / "build/web")  # the pages, with the times that say they are built
    if not (TREE / ".git").exists():
        subprocess.run(["git", "init", "-q"], cwd=TREE, check=True)


def words_of(path):
    """What a file speaks of: the parts of its name, and the types and functions that its header or itself declares."""
    stem = pathlib.Path(path).stem
    header = ROOT / pathlib.Path(path).with_suffix(".h")
    text = (header if header.is_file() else ROOT / path).read_text()
    declared = set(re.findall(r"^[a-z][\w *]*?(\w+)\(", text, re.M))
    return stem, declared | {stem}


def likeliest(path, tests):
    """The tests in the order in which they may notice a change of this file: those of its name or its room's first, then those which
    name most of what it declares. Most mutants end at the first."""
    stem, words = words_of(path)
    parts = [part for part in (*stem.split("_"), path.split("/")[-2].rstrip("s")) if len(part) > 2]

    def likeness(test):
        text = (ROOT / test).read_text(errors="replace")
        named = sum(part in pathlib.Path(test).stem for part in parts)
        return -(10 * (stem in pathlib.Path(test).stem) + 3 * named + sum(bool(re.search(rf"\b{re.escape(word)}\b", text)) for word in words))
    return sorted(tests, key=likeness)


def programs_of(path):
    """The units that know a file, as targets."""
    chosen = check.folders([path])
    found = [str(program.relative_to(ROOT)) for _, program in run.programs("release", "tests/unit/*/test_*.c") if program.parent.name in chosen]
    sources = {target.removeprefix("build/") + ".c": target for target in found}
    return [sources[test] for test in likeliest(path, sources)]


def processes_of(path):
    """The files of tests with real processes that know a file."""
    prefixes = [room for room in TESTS if path.startswith(room + "/")]
    files = [str(file.relative_to(ROOT)) for where in TESTS[max(prefixes, key=len)]
             for file in ([ROOT / where] if where.endswith(".py") else sorted((ROOT / where).glob("test_*.py")))]
    return likeliest(path, files)


def noticed(path, most):
    """By which test, or None. Each unit is linked only when its turn comes; of files with real processes so many are asked."""
    targets = programs_of(path)
    for target in targets:
        if not make(target):
            return "build"
        if fails(target, "-j1", f"--timeout={LIMIT}"):
            return target
    smoke = [] if path.startswith("lib/") and targets else check.SMOKE
    files = [*smoke, *(file for file in processes_of(path)[:most] if file not in smoke)]
    if not files:
        return None
    if not make("build"):
        return "build"
    command = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow")
    return "processes" if fails(*command, *files, limit=8 * LIMIT) else None


def object_of(path):
    return TREE / "build" / "obj" / pathlib.Path(path).with_suffix(".o")


def code_of(path):
    """The machine's code of an object, without what debuggers want."""
    bare = object_of(path).with_suffix(".bare")
    subprocess.run(["objcopy", "--strip-debug", str(object_of(path)), str(bare)], check=True)
    return bare.read_bytes()


def try_one(mutant, most):
    """"invalid", "same", or the test that noticed, or None."""
    path, number, before, after = mutant
    file = TREE / path
    text = file.read_text()
    lines = text.splitlines(keepends=True)
    target = str(object_of(path).relative_to(TREE))
    if not make(target):
        sys.exit(f"the tree does not build without a mutant: {path}")
    plain = code_of(path)
    lines[number - 1] = after + "\n"
    try:
        file.write_text("".join(lines))
        if not make(target):
            return "invalid"
        return "same" if code_of(path) == plain else noticed(path, most)
    finally:
        file.write_text(text)


def main():
    parser = argparse.ArgumentParser(description="mutants of the C code, and the tests that notice them")
    parser.add_argument("--count", type=int, default=int(os.environ.get("MUTANTS", "400")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "1")))
    parser.add_argument("--room", action="append", default=[])
    parser.add_argument("--most", type=int, default=None, help="of the files of tests with real processes: only the so many likeliest")
    asked = parser.parse_args()
    copy()
    if not make("build"):
        sys.exit("the tree does not build")
    known, score, survivors, tried = equivalents(), collections.defaultdict(lambda: [0, 0]), [], 0
    for mutant in draw(asked.room, asked.seed):
        if tried == asked.count:
            break
        path, number, before, after = mutant
        if (path, before.strip(), after.strip()) in known:
            continue
        start = time.monotonic()
        by = try_one(mutant, asked.most)
        if by in ("invalid", "same"):
            continue
        tried += 1
        score[room_of(path)][0] += by is not None
        score[room_of(path)][1] += 1
        print(f"{'noticed ' if by else 'SURVIVES'} {path}:{number}: {before.strip()} -> {after.strip()}"
              f"  [{by or 'nothing'}, {time.monotonic() - start:.0f} s]", flush=True)
        if by is None:
            survivors.append(f"{path} | {before.strip()} | {after.strip()} | ")
    make("build")
    print("\n".join(["", *survivors, ""]))
    for room in sorted(score):
        print(f"{room:<22} {score[room][0]:4} of {score[room][1]:4} noticed")
    total = [sum(row[k] for row in score.values()) for k in (0, 1)]
    print(f"{total[0]} of {total[1]} noticed, {100 * total[0] / max(total[1], 1):.0f} %; what survives wants a test, or a line in tests/equivalents.txt")


if __name__ == "__main__":
    os.chdir(ROOT)
    os.environ.pop("MAKEFLAGS", None)
    main()
