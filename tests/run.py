#!/usr/bin/python3
"""Run the suites, say what failed and what was skipped and why, and close with one line that counts everything.

    tests/run.py [NAME]...      gateway: that folder of tests in each build; gateway-asan: in one; processes: all that pytest runs;
                                without arguments: all but image, bundle and arm64. `make test` builds what they need

Every suite is a row of SUITES; to add one: a function that fills a Tally, and a row. What a suite printed stays in
build/test/<suite>/, with the times of its tests. A program without a single test is a failure, and so is a sanitizer's report.
"""

import concurrent.futures
import contextlib
import heapq
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time
import traceback
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / os.environ.get("BUILD", "build")
SOAK = os.environ.get("ARMDYN_SOAK", "0") != "0"
FUZZ_SECONDS = int(os.environ.get("FUZZ_SECONDS", "1"))
CORES = os.cpu_count() or 2
# How many shards run at a time, and how nice they are. Those that play motions in their own time, or wait for limits of time, want
# a processor for an eighth of it, and come first then; the others take what there is, and wait now and then for what they started.
# With two shards less in either lane, two cores stood idle for a third of a run.
LANES = {"waits": (CORES + 6, 0), "computes": (CORES + 2, 5)}
UNSTEADY = 3                             # so few failures of a suite with real processes are tried again alone
TEST_TIMEOUT = 7200 if SOAK else 600     # s, one test: so late that only what hangs meets it, also on a busy machine
PROGRAM_TIMEOUT = TEST_TIMEOUT * 3 // 2  # s, one program of tests
EMULATED = 5                             # times as late for the programs of another machine
SUITE_TIMEOUT = 3000                     # s, all tests of a folder with real processes: far off too, a busy host gives half a core


class Tally:
    """What came of a shard of a suite: counts, and lines to print about everything that did not pass."""

    def __init__(self, kind, variant, shard=(0, 1), alone=""):
        part = f"-{shard[0] + 1}" if shard[1] > 1 else ""
        self.kind, self.variant, self.shard, self.folder = kind, variant, shard, BUILD / "test" / f"{kind}-{variant}{part}{alone}"
        self.passed = self.failed = self.skipped = 0
        self.seconds = self.processor = 0.0
        self.lines = []
        self.nodes = []  # pytest's names of what failed
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def ok(self, count=1):
        self.passed += count

    def fail(self, name, why):
        self.failed += 1
        self.lines.append(f"FAILED  {name}\n{indent(why)}")

    def skip(self, name, why):
        self.skipped += 1
        self.lines.append(f"SKIPPED {name}: {why}")

    def check(self, name, condition, why):
        self.ok() if condition else self.fail(name, why)

    def mine(self, things, seconds=None):
        """Those of a suite's files or programs that this shard has: every so manieth of them; or, where it is known how many seconds
        each takes, so many that all shards take as long: the longest first, each to the shard that has least."""
        which, of = self.shard
        if not seconds:
            return things[which::of]
        shards = [(0, each, []) for each in range(of)]
        for thing in sorted(things, key=seconds, reverse=True):
            taken, each, own = heapq.heappop(shards)
            heapq.heappush(shards, (taken + seconds(thing), each, [*own, thing]))
        return sorted(next(own for _, each, own in shards if each == which))


def line(name, tallies):
    """The sums of these shards."""
    passed, failed, skipped, seconds, processor = (sum(getattr(one, what) for one in tallies)
                                                   for what in ("passed", "failed", "skipped", "seconds", "processor"))
    return f"{name:<18} {passed:6} passed {failed:4} failed {skipped:4} skipped {seconds:7.1f} s, processor {processor:6.1f} s"


def indent(text, most=6000):
    return "\n".join("    " + line for line in text.strip()[-most:].splitlines())


def out(variant):
    return BUILD if variant == "release" else BUILD / variant


def programs(variant, pattern):
    """The built program of every source that matches; (name, path)."""
    sources = sorted(path.relative_to(ROOT) for path in ROOT.glob(pattern))
    return [(path.stem, ROOT / out(variant) / path.with_suffix("")) for path in sources]


def run(command, log, timeout, env=None):
    """Exit status (None: killed for its time), everything it printed; also in the file `log`."""
    try:
        done = subprocess.run(list(map(str, command)), cwd=ROOT, env={**os.environ, **(env or {})}, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        status, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        status, text = None, (late.stdout or b"") + f"\nstopped after {timeout} s\n".encode()
    except OSError as error:
        status, text = None, str(error).encode()
    log.write_bytes(text)
    return status, text.decode(errors="replace")


def sanitized(folder):
    """Environment that sends every sanitizer's report to a file of its own; leaks inside Criterion fail no run."""
    def options(more):
        return f"log_path={ROOT / folder / 'sanitizer'}:{more}"
    return {"ASAN_OPTIONS": options("detect_leaks=1"), "UBSAN_OPTIONS": options("print_stacktrace=1"),
            "TSAN_OPTIONS": options("halt_on_error=0")}


def reports(tally):
    """A sanitizer's reports are failures."""
    for path in sorted(tally.folder.glob("sanitizer*")):
        tally.fail(f"sanitizer report {path.relative_to(ROOT)}", path.read_text(errors="replace"))


def junit(tally, path, output, label=""):
    """Add the counts of a JUnit file; how many tests it holds."""
    cases = list(ET.parse(path).getroot().iter("testcase"))
    for case in cases:
        name = label + "::".join(filter(None, [case.get("classname"), case.get("name")]))
        bad = [child for child in case if child.tag in ("failure", "error")]
        skipped = case.find("skipped")
        if bad:
            tally.nodes.append(f"tests/{case.get('file')}::{case.get('name')}")
            tally.fail(name, "\n".join(f"{one.get('message') or ''}\n{one.text or ''}" for one in bad))
        elif skipped is not None:
            tally.skip(name, skipped.get("message") or skip_reason(output, case.get("name")))
        else:
            tally.ok()
    return len(cases)


def skip_reason(output, name):
    """Criterion's file does not hold the reason; its output does."""
    lines = [line for line in output.splitlines() if "SKIP" in line and f"::{name}" in line]
    return lines[0].split(f"::{name}", 1)[1].strip(": ") if lines else "disabled in this build"


# ---------------------------------------------------------------- suites
def late(variant, seconds):
    return EMULATED * seconds if variant == "arm64" else seconds


def unit(tally, variant):
    """Criterion programs, tests/unit/<room>/test_<subject>.c."""
    for name, program in tally.mine(programs(variant, "tests/unit/*/test_*.c")):
        label = f"{program.parent.name}/{name}"
        xml = tally.folder / f"{program.parent.name}-{name}.xml"
        status, text = run([program, "-j1", f"--xml={xml}", f"--timeout={late(variant, TEST_TIMEOUT)}"],
                           xml.with_suffix(".log"), late(variant, PROGRAM_TIMEOUT), sanitized(tally.folder))
        failed = tally.failed
        count = junit(tally, xml, text, label + "::") if xml.exists() else 0
        if count == 0:
            tally.fail(label, f"no test ran (status {status})\n{text}")
        elif status != 0 and tally.failed == failed:
            tally.fail(label, f"status {status}\n{text}")
    reports(tally)


def tsan(tally, variant):
    """Plain programs under ThreadSanitizer, tests/tsan/<subject>.c: status 0 and no report."""
    for name, program in programs(variant, "tests/tsan/*.c"):
        status, text = run([program], tally.folder / f"{name}.log", PROGRAM_TIMEOUT, sanitized(tally.folder))
        tally.check(name, status == 0, f"status {status}\n{text}")
    reports(tally)


def fuzz(tally, variant):
    """libFuzzer targets, tests/fuzz/fuzz_<target>.c, from the seeds of tests/fuzz/seeds/<target>."""
    targets = programs(variant, "tests/fuzz/fuzz_*.c")
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        list(pool.map(lambda target: fuzz_one(tally, variant, *target), targets))


def fuzz_one(tally, variant, name, program):
    seeds = ROOT / "tests/fuzz/seeds" / name.removeprefix("fuzz_")
    corpus = ROOT / out(variant) / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    where = tally.folder / name
    where.mkdir()
    command = [program, f"-max_total_time={FUZZ_SECONDS}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
               f"-artifact_prefix={where}/", corpus, *([seeds] if seeds.is_dir() else [])]
    status, text = run(command, where / "log", FUZZ_SECONDS + 120)
    runs = re.search(r"stat::number_of_executed_units: (\d+)", text)
    tally.check(name, status == 0 and runs and int(runs[1]) > 0, f"status {status}; inputs in {where}\n{text}")
    if not seeds.is_dir():
        tally.fail(name, f"no seeds in {seeds.relative_to(ROOT)}")


def processes(tally, variant, nodes=()):
    """pytest of one folder, or of some of its tests, with real processes: servers on free ports of loopback, files in directories of
    their own."""
    xml = tally.folder / "pytest.xml"
    env = {"ARMDYN_BINARY": str(ROOT / out(variant) / "armdyn"), "ARMDYN_VARIANT": variant,
           "ARMDYN_START_LIMIT": "20" if variant == "release" else "60", "PYTHONDONTWRITEBYTECODE": "1"}
    measured = json.loads((ROOT / "tests/seconds.json").read_text())
    files = tally.mine(sorted(path.relative_to(ROOT) for path in ROOT.glob(f"tests/{tally.kind}/test_*.py")),
                       lambda path: measured.get(str(path.relative_to("tests")), {}).get(variant, 0) + 2)
    status, text = run([sys.executable, "-m", "pytest", "-q", f"--junitxml={xml}", "-o", "junit_family=xunit1", "--durations=20",
                        f"--timeout={late(variant, TEST_TIMEOUT)}", "-m", CHOSEN[variant], *(nodes or files)],
                       tally.folder / "log", late(variant, 4 * TEST_TIMEOUT if SOAK else SUITE_TIMEOUT), env)
    failed = tally.failed
    count = junit(tally, xml, text) if xml.exists() else 0
    if count == 0 or status not in (0, 1) or (status and tally.failed == failed):
        tally.fail("pytest", f"{count} tests, status {status}\n{text}")


def install(tally, variant):
    """What `make install` puts into a tree serves a C program through pkg-config; headers and library agree."""
    from install.check import check_install
    check_install(tally, ROOT, out(variant), run)


def image(tally, variant):
    """The container image, built and run without a Docker daemon."""
    from image.check import check_image
    check_image(tally, ROOT, run)


def bundle(tally, variant):
    """A bundle of `make dist`, used where there is no network."""
    from bundle.check import check_bundle
    check_bundle(tally, ROOT, run)


def web(tally, variant, _=()):
    """The pages in a real browser, always all of a shard's; its pictures stay in the suite's folder."""
    from web.check import check_web
    check_web(tally, ROOT / out(variant), soak=SOAK)


CHOSEN = {"release": "", "arm64": "not slow", "asan": "not slow", "tsan": "not slow and not same_threads"}  # of the tests, by their marks in pytest.ini

# The kind is the folder in tests/. A suite of many files is several shards, which share no port, no directory and no file; how long
# each file takes stands in tests/seconds.json (tests/seconds.py writes it). The longest of each lane come first, so that the lanes end
# together.
SUITES = [
    # kind         variant    lane        shards  what runs it
    ("fault",      "release", "waits",    3,      processes),
    ("web",        "release", "waits",    4,      web),
    ("http",       "release", "waits",    3,      processes),
    ("gateway",    "release", "waits",    8,      processes),
    ("gateway",    "tsan",    "waits",    4,      processes),
    ("gateway",    "asan",    "waits",    4,      processes),
    ("fault",      "tsan",    "waits",    2,      processes),
    ("http",       "tsan",    "waits",    3,      processes),
    ("http",       "asan",    "waits",    3,      processes),
    ("fault",      "asan",    "waits",    2,      processes),
    ("contract",   "asan",    "computes", 6,      processes),
    ("contract",   "release", "computes", 5,      processes),
    ("unit",       "asan",    "computes", 6,      unit),
    ("unit",       "release", "computes", 6,      unit),
    ("fuzz",       "fuzz",    "computes", 1,      fuzz),
    ("manual",     "release", "computes", 1,      processes),  # only here: its commands are calls that the other folders make too
    ("store",      "tsan",    "computes", 1,      processes),
    ("store",      "asan",    "computes", 1,      processes),
    ("store",      "release", "computes", 1,      processes),
    ("tsan",       "tsan",    "computes", 1,      tsan),
    ("install",    "release", "computes", 1,      install),
    ("dist",       "release", "computes", 1,      processes),
    ("unit",       "arm64",   "computes", 2,      unit),       # these by qemu (make test-arm64)
    ("contract",   "arm64",   "computes", 5,      processes),
    ("gateway",    "arm64",   "waits",    8,      processes),
    ("image",      "image",   "computes", 1,      image),
    ("bundle",     "bundle",  "computes", 1,      bundle),
]


def processor_seconds():
    """What children of this process have used and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_shard(kind, variant, function, shard):
    """Its tally, with everything there is to print about it. Lanes are processes whose children are the shard's: so the processor
    time is that of this shard alone."""
    start, used = time.monotonic(), processor_seconds()
    tally = Tally(kind, variant, shard)
    try:
        function(tally, variant)
    except Exception:  # counted, so that the other suites still run
        tally.fail(f"{kind}-{variant}", traceback.format_exc())
    if tally.passed + tally.failed + tally.skipped == 0:
        tally.fail(f"{kind}-{variant}", f"shard {shard[0] + 1} of {shard[1]} is empty")
    tally.seconds, tally.processor = time.monotonic() - start, processor_seconds() - used
    return tally


def alone(first, function):
    """Take back the few failures of a shard that do not come again with nothing beside them: a machine that stalls for seconds fails
    no run, but it is told. The soaks, which look for faults of the moment, try nothing twice; and what a sanitizer found stands."""
    found = any("Sanitizer" in line or "runtime error" in line for line in first.lines)
    if SOAK or found or function not in (processes, web) or not first.failed:
        return
    second = Tally(first.kind, first.variant, first.shard, "-alone")
    function(second, first.variant, first.nodes)
    if second.failed or not second.passed:
        return
    print(f"UNSTEADY {first.kind}-{first.variant}: the failures above passed when they ran alone; mend what depends on the moment")
    first.passed, first.failed = first.passed + first.failed, 0


def names(row):
    kind, variant, _, _, function = row
    # What needs a build that only `make test-arm64` makes is asked for by its own name.
    return {f"{kind}-{variant}"} | (set() if variant == "arm64" else {kind, function.__name__})


def in_lanes(suites):
    """Run the shards of these rows; (tally, row) of each as it ends. Soaks, which measure, have the machine one after the other."""
    with contextlib.ExitStack() as stack:
        def pool(most, nice):
            return stack.enter_context(concurrent.futures.ProcessPoolExecutor(most, initializer=os.nice, initargs=(nice,)))
        lanes = dict.fromkeys(LANES, pool(1, 0)) if SOAK else {name: pool(*lane) for name, lane in LANES.items()}
        rows = {lanes[row[2]].submit(run_shard, row[0], row[1], row[4], (which, row[3])): row for row in suites for which in range(row[3])}
        for done in concurrent.futures.as_completed(rows):
            yield done.result(), rows[done]


def main(asked):
    start = time.monotonic()
    unknown = {*asked}.difference(*map(names, SUITES))
    if unknown:
        sys.exit(f"no suite {' '.join(sorted(unknown))}; there are: {' '.join(f'{row[0]}-{row[1]}' for row in SUITES)}")
    suites = [row for row in SUITES if ({*asked} & names(row) if asked else row[1] not in ("image", "bundle", "arm64"))]
    if SOAK:
        suites = [(*row[:3], 1, row[4]) for row in suites if row[4] is not processes or row[1] in ("release", "arm64")]
    shards = []
    for tally, row in in_lanes(suites):
        shards.append((tally, row))
        print("\n".join([*tally.lines, line(tally.folder.name, [tally])]), flush=True)
    for row in suites:
        whole = [tally for tally, of in shards if of is row]
        if sum(tally.failed for tally in whole) <= UNSTEADY:
            for tally in whole:
                alone(tally, row[4])
        if row[3] > 1:
            print(line(f"{row[0]}-{row[1]}", whole), flush=True)
    tallies = [tally for tally, _ in shards]
    print(f"{line('all', tallies)} of {CORES} cores in {time.monotonic() - start:.0f} s")
    totals = [sum(getattr(tally, what) for tally in tallies) for what in ("passed", "failed", "skipped")]
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 1 if totals[1] else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    os.environ.pop("MAKEFLAGS", None)  # its job server does not reach through us
    sys.exit(main(sys.argv[1:]))
