#!/usr/bin/python3
"""`make mutants`: do the tests notice when the code is wrong? Each mutant is one operator, constant or statement of the C code
changed, drawn by a seed and spread over the rooms; what no test notices is listed with its line.

    tests/mutants.py [--count N] [--seed S] [--room ROOM]... [--most TESTS] [--again FILE]
    a room: lib/model, api/codec, server/jobs, ...; again: the survivors that an earlier run listed

It works in a copy of the tree (build/mutants), whose build is warm. The tests of a mutant are those that run its function by the map
of tests/covered.py, which is made where none is, those first that run little else, until one fails; of tests with real processes
--most (60). What may only show in memory (and loops) is asked of the build with AddressSanitizer too. A mutant that no compiler takes, or whose
object is the same, is no mutant.
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
import covered
import lint
import run

ROOT = pathlib.Path(__file__).resolve().parents[1]
TREE = ROOT / "build" / "mutants"
KNOWN = ROOT / "tests" / "equivalents.txt"
IN_TURN = 4  # tests of one file
LIMIT = 240  # s, the tests of one program: an endless loop is noticed by it

MEMORY = re.compile(r"\bfor \(|alloc|free|sizeof|mem(cpy|set|move)|_close\(|_release\(")

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


def listed(file):
    """(path, before, after) of the lines `path | before | after | why` of a file."""
    rows = [line.split(" | ") for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {tuple(part.strip() for part in row[:3]) for row in rows if len(row) > 2}


def drawn_again(file):
    """Survivors of before, as they stand now."""
    for path, before, after in sorted(listed(file)):
        yield from (mutant for mutant in mutants_of(path) if (mutant[2].strip(), mutant[3].strip()) == (before, after))


def in_tree(*command, limit=LIMIT, **env):
    try:
        done = subprocess.run(command, cwd=TREE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=limit, env={**os.environ, **env})
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def fails(*command, limit=LIMIT, **env):
    """Twice: a test that a busy machine made fail has noticed nothing."""
    return not in_tree(*command, limit=limit, **env) and not in_tree(*command, limit=limit, **env)


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
        replaces = target.exists()
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target)
        if replaces:
            os.utime(target)  # a mutant that an interrupted run left there was built later than the file that takes its place
    if (ROOT / "build/web").is_dir() and not (TREE / "build/web").is_dir():
        shutil.copytree(ROOT / "build/web", TREE / "build/web")  # the pages, with the times that say they are built
    if not (TREE / ".git").exists():
        subprocess.run(["git", "init", "-q"], cwd=TREE, check=True)


def programs_of(path):
    """The units that know a file by its room, as sources: where the map knows nothing of it."""
    chosen = check.folders([path])
    return [f"unit/{program.parent.name}/{program.name}" for _, program in run.programs("release", "tests/unit/*/test_*.c")
            if program.parent.name in chosen]


def tests_of(path, number, most):
    """Programs, and tests with real processes: some of a file of tests, then some of the next, so that all have their turn."""
    known = covered.knowing(path, number)
    if known is None:
        return programs_of(path), check.SMOKE
    programs = [test.removeprefix("tests/") for test in known if "::" not in test]
    ranks, ranked = collections.Counter(), []
    for place, test in enumerate(test for test in known if "::" in test):
        file = test.partition("::")[0]
        ranked.append((ranks[file] // IN_TURN, place, f"tests/{test}"))
        ranks[file] += 1
    return programs, [test for _, _, test in sorted(ranked)[:most]]


def ask(variant, programs, processes):
    """By which test a mutant is noticed in a build, or None. Each program is linked only when its turn comes."""
    where = str(pathlib.Path("build") / ("" if variant == "release" else variant))
    env = {} if variant == "release" else {"ARMDYN_VARIANT": variant, "ASAN_OPTIONS": "detect_leaks=1"}
    for program in programs:
        target = f"{where}/tests/{program}"
        if not make(f"VARIANT={variant}", target):
            return "build"
        if fails(target, "-j1", f"--timeout={LIMIT}", **env):
            return f"{program} {variant}"
    if not processes:
        return None
    if not make(f"VARIANT={variant}", "build"):
        return "build"
    command = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
    env["ARMDYN_BINARY"] = f"{where}/armdyn"
    return f"processes {variant}" if fails(*command, *processes, limit=4 * LIMIT, **env) else None


def noticed(mutant, most):
    path, number, before, _ = mutant
    programs, processes = tests_of(path, number, most)
    by = ask("release", programs, processes)
    return by or (ask("asan", programs, processes[:most // 4]) if MEMORY.search(before) else None)


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
        return "same" if code_of(path) == plain else noticed(mutant, most)
    finally:
        file.write_text(text)


def main():
    parser = argparse.ArgumentParser(description="mutants of the C code, and the tests that notice them")
    parser.add_argument("--count", type=int, default=int(os.environ.get("MUTANTS", "400")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "1")))
    parser.add_argument("--room", action="append", default=[])
    parser.add_argument("--most", type=int, default=60, help="of the tests with real processes that run the function: so many")
    parser.add_argument("--again", type=pathlib.Path, default=None, help="the survivors that an earlier run listed in this file")
    asked = parser.parse_args()
    if not covered.MAP.is_file():
        subprocess.run([sys.executable, "tests/covered.py"], check=True)
    copy()
    if not make("build"):
        sys.exit("the tree does not build")
    known, score, survivors, tried = listed(KNOWN), collections.defaultdict(lambda: [0, 0]), [], 0
    for mutant in drawn_again(asked.again) if asked.again else draw(asked.room, asked.seed):
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
