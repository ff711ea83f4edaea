#!/usr/bin/python3
"""Which tests run which functions: so that a mutant is asked of the tests that run it, and of no others.

    tests/covered.py [TESTS]...     makes build/covered anew and asks these (all): unit/math, gateway, contract/test_jobs.py, ...; minutes

A build of its own tells every function that is entered (support/covered.c). Of unit programs the map knows the program (but the long
ones, which run most of their rooms), of tests with real processes the single test. A function of one file alone is written `file.c:name`. The map is a help to choose by: what a test
no longer runs costs a wasted run, what it runs since is missed until the map is made again.
"""

import bisect
import concurrent.futures
import functools
import json
import mmap
import os
import pathlib
import re
import subprocess
import sys

import check

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOME = ROOT / "build" / "covered"
MAP = HOME / "map.json"
SLOTS = 1 << 21
FLAGS = "-O1 -g1 -DNDEBUG -falign-functions=16 -finstrument-functions -finstrument-functions-exclude-file-list=.h"
PROCESSES = ["contract", "gateway", "http", "fault", "store", "manual", "postgresql"]
FUNCTION = re.compile(r"^(?!typedef)[a-z][\w *]*?\b(\w+)\(")


# ---------------------------------------------------------------- what ran

def functions(program):
    """(addresses, names) of a program, both in the order of the addresses."""
    rows, file = [], ""
    for line in subprocess.run(["readelf", "-sW", program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        parts = line.split()
        if len(parts) < 8:
            continue
        if parts[3] == "FILE":
            file = parts[7]
        elif parts[3] == "FUNC" and parts[6] != "UND":
            name = parts[7].partition(".")[0]
            rows.append((int(parts[1], 16), f"{file}:{name}" if parts[4] == "LOCAL" else name))
    rows.sort()
    return [row[0] for row in rows], [row[1] for row in rows]


class Bits:
    """The file in which programs tell what they entered."""

    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(SLOTS))
        self.path = path
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), SLOTS)

    def take(self):
        """The slots since the last time."""
        text = self.memory[:]
        if b"\1" not in text:
            return []
        self.memory[:] = bytes(SLOTS)
        return [match.start() for match in re.finditer(b"\1", text)]


def names(slots, table):
    addresses, known = table
    found = set()
    for slot in slots:
        at = bisect.bisect_right(addresses, 16 * slot + 15) - 1
        if at >= 0 and addresses[at] >= 16 * slot:
            found.add(known[at])
    return sorted(found)


# ---------------------------------------------------------------- pytest's part: -p covered, of a run that COVERED tells the file of

def pytest_configure(config):
    if "COVERED" in os.environ:
        config.pluginmanager.register(Plugin(pathlib.Path(os.environ["COVERED"])), "what tests run")


class Plugin:
    def __init__(self, path):
        self.bits = Bits(path)
        self.table = functions(os.environ["ARMDYN_BINARY"])
        self.ran = {}

    def pytest_runtest_logfinish(self, nodeid):
        self.ran[nodeid] = names(self.bits.take(), self.table)

    def pytest_sessionfinish(self):
        self.bits.path.with_suffix(".json").write_text(json.dumps(self.ran))


# ---------------------------------------------------------------- the map

def make(*targets):
    subprocess.run(["make", "--silent", f"-j{os.cpu_count()}", "VARIANT=covered", f"FLAGS_covered={FLAGS}", *targets], cwd=ROOT, check=True,
                   stderr=subprocess.DEVNULL)


def environment(bits):
    return {**os.environ, "COVERED": str(bits), "LD_PRELOAD": str(HOME / "covered.so"), "ARMDYN_BINARY": str(HOME / "armdyn"),
            "PYTHONPATH": str(ROOT / "tests")}


def unit(program):
    bits = Bits(HOME / "bits" / f"{program.parent.name}-{program.name}")
    subprocess.run([program, "-j1"], cwd=ROOT, env=environment(bits.path), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False, timeout=900)
    return {str(program.relative_to(HOME)): names(bits.take(), functions(program))}


def processes(file):
    bits = HOME / "bits" / f"{file.parent.name}-{file.stem}"
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "covered", str(file.relative_to(ROOT))], cwd=ROOT,
                   env=environment(bits), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=3600)
    told = bits.with_suffix(".json")
    return json.loads(told.read_text()) if told.is_file() else {}


def main(wanted):
    def chosen(pattern):
        files = sorted(path.relative_to(ROOT / "tests") for path in ROOT.glob(f"tests/{pattern}"))
        return [file for file in files if not wanted or any(f"{file}/".startswith(f"{one}/") for one in wanted)]
    programs = [HOME / "tests" / file.with_suffix("") for file in chosen("unit/*/test_*.c") if f"{file.parent.name}/{file.stem}" not in check.LONG]
    files = [ROOT / "tests" / file for folder in PROCESSES for file in chosen(f"{folder}/test_*.py")]
    make("build", *(str(program.relative_to(ROOT)) for program in programs))
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-D_GNU_SOURCE", "tests/support/covered.c", "-o", str(HOME / "covered.so")], cwd=ROOT, check=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        ran = [*pool.map(unit, programs), *pool.map(processes, files)]
    found = json.loads(MAP.read_text()) if MAP.is_file() and wanted else {}
    for one in ran:
        found.update(one)
    MAP.write_text(json.dumps(found))
    print(f"{sum('::' not in test for test in found)} programs, {sum('::' in test for test in found)} tests with real processes, "
          f"{len({name for ran in found.values() for name in ran})} functions: {MAP.relative_to(ROOT)}")


# ---------------------------------------------------------------- what it is asked

def function_at(text, number):
    """The name of the function in which a line of code stands."""
    for line in reversed(text.splitlines()[:number]):
        match = FUNCTION.match(line)
        if match:
            return match[1]
    return ""


@functools.cache
def index():
    """Of every test the functions that it runs."""
    return {test: frozenset(ran) for test, ran in json.loads(MAP.read_text()).items()}


@functools.cache
def built():
    """All functions of the service, and those of units."""
    return frozenset(functions(HOME / "armdyn")[1]).union(*index().values())


def knowing(path, number):
    """The tests that run the function of a line: programs below tests/, and tests as pytest names them. Those first that run most of
    its file, and of these those that run little else. None where nothing is known of it."""
    if not MAP.is_file():
        return None
    text, file = (ROOT / path).read_text(), pathlib.Path(path).name
    name = function_at(text, number)
    either = {name, f"{file}:{name}"}
    if not either & built():
        return None
    declared = {match[1] for match in map(FUNCTION.match, text.splitlines()) if match}
    all_of_file = declared | {f"{file}:{one}" for one in declared}
    tests = [test for test, ran in index().items() if either & ran]
    return sorted(tests, key=lambda test: (-len(all_of_file & index()[test]), len(index()[test])))


if __name__ == "__main__":
    os.environ.pop("MAKEFLAGS", None)
    main(sys.argv[1:])
