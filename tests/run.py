#!/usr/bin/python3
"""Run the suites, say what failed and what was skipped and why, and close with one line that counts everything.

    tests/run.py [NAME]...      gateway: that folder of tests in each build; gateway-asan: in one; processes: all that pytest runs;
                                without arguments: all but the image. `make test` builds what they need

Every suite is a row of SUITES; to add one: a function that fills a Tally, and a row. What a suite printed stays in
build/test/<suite>/. A program without a single test is a failure, and so is a sanitizer's report.
"""

import concurrent.futures
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
FUZZ_SECONDS = int(os.environ.get("FUZZ_SECONDS", "3"))
CORES = os.cpu_count() or 2
UNSTEADY = 3                             # so few failures of a suite with real processes are tried again alone
TEST_TIMEOUT = 7200 if SOAK else 600     # s, one test: so late that only what hangs meets it, also on a busy machine
PROGRAM_TIMEOUT = TEST_TIMEOUT * 3 // 2  # s, one program of tests
SUITE_TIMEOUT = 3000                     # s, all tests of a folder with real processes: far off too, a busy host gives half a core


class Tally:
    """What came of a suite: counts, and lines to print about everything that did not pass."""

    def __init__(self, kind, variant, alone=""):
        self.kind, self.folder = kind, BUILD / "test" / f"{kind}-{variant}{alone}"
        self.passed = self.failed = self.skipped = 0
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
def unit(tally, variant):
    """Criterion programs, tests/unit/<room>/test_<subject>.c."""
    for name, program in programs(variant, "tests/unit/*/test_*.c"):
        label = f"{program.parent.name}/{name}"
        xml = tally.folder / f"{program.parent.name}-{name}.xml"
        status, text = run([program, f"-j{CORES}", f"--xml={xml}", f"--timeout={TEST_TIMEOUT}"],
                           xml.with_suffix(".log"), PROGRAM_TIMEOUT, sanitized(tally.folder))
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
    status, text = run([sys.executable, "-m", "pytest", "-q", f"--junitxml={xml}", "-o", "junit_family=xunit1",
                        f"--timeout={TEST_TIMEOUT}", "-m", CHOSEN[variant], *(nodes or [f"tests/{tally.kind}"])],
                       tally.folder / "log", 4 * TEST_TIMEOUT if SOAK else SUITE_TIMEOUT, env)
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


def web(tally, variant, _=()):
    """The pages in a real browser, always all of them; its pictures stay in the suite's folder."""
    from web.check import check_web
    check_web(tally, ROOT / out(variant), soak=SOAK)


CHOSEN = {"release": "", "asan": "not slow", "tsan": "not slow and not same_threads"}  # of the tests, by their marks in pytest.ini

# The kind is the folder in tests/. The longest come first, so that the lanes end together; two more suites run at a time than
# there are cores, because most of them wait much of the time. They share no port, no directory and no file.
SUITES = [
    # kind         variant    what runs it
    ("gateway",    "release", processes),
    ("fault",      "release", processes),
    ("unit",       "asan",    unit),
    ("gateway",    "tsan",    processes),
    ("gateway",    "asan",    processes),
    ("web",        "release", web),
    ("http",       "asan",    processes),
    ("contract",   "asan",    processes),
    ("http",       "release", processes),
    ("contract",   "release", processes),
    ("http",       "tsan",    processes),
    ("unit",       "release", unit),
    ("fuzz",       "fuzz",    fuzz),
    ("fault",      "tsan",    processes),
    ("manual",     "release", processes),  # only here: its commands are calls that the other folders make too
    ("store",      "tsan",    processes),
    ("fault",      "asan",    processes),
    ("store",      "asan",    processes),
    ("store",      "release", processes),
    ("tsan",       "tsan",    tsan),
    ("install",    "release", install),
    ("image",      "image",   image),
]


def processor_seconds():
    """What children of this process have used and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_suite(kind, variant, function):
    """Its tally, with everything there is to print about it. Each runs in a process of its own, whose children are the
    suite's: so the processor time is that of this suite alone."""
    start, used = time.monotonic(), processor_seconds()
    tally = Tally(kind, variant)
    try:
        function(tally, variant)
    except Exception:  # counted, so that the other suites still run
        tally.fail(f"{kind}-{variant}", traceback.format_exc())
    if tally.passed + tally.failed + tally.skipped == 0:
        tally.fail(f"{kind}-{variant}", "this suite is empty")
    tally.lines.append(f"{kind:<10} {variant:<8} {tally.passed:6} passed {tally.failed:4} failed {tally.skipped:4} skipped "
                       f"{time.monotonic() - start:7.1f} s, processor {processor_seconds() - used:6.1f} s")
    return tally


def alone(first, kind, variant, function):
    """Take back the few failures of a suite that do not come again with nothing beside them: a machine that stalls for seconds fails
    no run, but it is told. The soaks, which look for faults of the moment, try nothing twice; and what a sanitizer found stands."""
    found = any("Sanitizer" in line or "runtime error" in line for line in first.lines)
    if SOAK or found or function not in (processes, web) or not 0 < first.failed <= UNSTEADY:
        return
    second = Tally(kind, variant, "-alone")
    function(second, variant, first.nodes)
    if second.failed or not second.passed:
        return
    first.lines += [f"UNSTEADY {kind}-{variant}: the failures above passed when they ran alone; mend what depends on the moment"]
    first.passed, first.failed = first.passed + first.failed, 0


def names(row):
    kind, variant, function = row
    return {kind, f"{kind}-{variant}", function.__name__}


def main(asked):
    unknown = {*asked}.difference(*map(names, SUITES))
    if unknown:
        sys.exit(f"no suite {' '.join(sorted(unknown))}; there are: {' '.join(f'{kind}-{variant}' for kind, variant, _ in SUITES)}")
    suites = [row for row in SUITES if ({*asked} & names(row) if asked else row[0] != "image")]
    if SOAK:
        suites = [row for row in suites if row[2] is not processes or row[1] == "release"]
    tallies = []
    with concurrent.futures.ProcessPoolExecutor(1 if SOAK else CORES + 2) as lanes:
        rows = {lanes.submit(run_suite, *row): row for row in suites}
        for done in concurrent.futures.as_completed(rows):
            tallies.append((done.result(), rows[done]))
            print("\n".join(tallies[-1][0].lines), flush=True)
    for tally, row in tallies:
        told = len(tally.lines)
        alone(tally, *row)
        print("".join(line + "\n" for line in tally.lines[told:]), end="", flush=True)
    totals = [sum(getattr(tally, what) for tally, _ in tallies) for what in ("passed", "failed", "skipped")]
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 1 if totals[1] else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    os.environ.pop("MAKEFLAGS", None)  # its job server does not reach through us
    sys.exit(main(sys.argv[1:]))
