#!/usr/bin/python3
"""`make check`: what a small change needs, within a minute on a warm tree: the units of the rooms that the change touches, the
contract's smoke, and the quick checks of lint.

    tests/check.py [BASE]      the change: what differs from where BASE (main) was left, committed or not

It is no `make test`: one build, no sanitizer, no controller, no fault. Every room of UNITS names the folders of units that know it.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

import lint
import run

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Rooms whose units stand in folders of other names, or in several. Any other room: the folder of its own name.
UNITS = {
    "api": ["api"], "server/gateway": ["gateway", "protocol"], "server/protocol": ["protocol", "gateway"], "server/ipc": ["ipc"],
    "server/transfers": ["transfers", "gateway"], "lib/include": ["base", "model"],
}
# Units that take more than a few seconds: `make test` has them.
LONG = {"trajectory/test_campaign", "trajectory/test_lower_bound", "trajectory/test_moves", "trajectory/test_torque_bound", "identify/test_measured", "identify/test_uncertainty",
        "identify/test_estimate", "identify/test_preflight"}
UNBUILT = "it does not build"
SMOKE = ["tests/contract/test_calls.py", "tests/contract/test_openapi.py", "tests/contract/test_shown_answers.py"]
QUICK = ["python", "walls", "arrows", "circles", "symbols", "contract", "generated", "limits", "links", "pages", "toys", "places",
         "whitespace", "wide"]


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.split()


def changed(base):
    """Files that differ from the base, and those that git does not know yet."""
    since = git("merge-base", "HEAD", base) or ["HEAD"]
    return sorted({*git("diff", "--name-only", "--diff-filter=d", since[0]), *git("ls-files", "-o", "--exclude-standard")})


def folders(files):
    """Folders of tests/unit that know the rooms of these files."""
    chosen = set()
    for path in files:
        parts = path.split("/")
        if parts[:2] == ["tests", "unit"]:
            chosen.add(parts[2])
        elif parts[0] in lint.ROOMS and len(parts) > 2:
            fallback = ["server"] if parts[0] == "server" else [parts[1]]
            chosen.update(UNITS.get(f"{parts[0]}/{parts[1]}", UNITS.get(parts[0], fallback)))
    return chosen


def unit(program):
    """Nothing, or what failed."""
    log = run.BUILD / "test" / "check" / f"{program.parent.name}-{program.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    status, text = run.run([program, "-j1"], log, 120)
    return [] if status == 0 else [f"{program.parent.name}/{program.name}: status {status}\n{run.indent(text)}"]


def units(files):
    chosen = folders(files)
    programs = [path for _, path in run.programs("release", "tests/unit/*/test_*.c")
                if path.parent.name in chosen and f"{path.parent.name}/{path.name}" not in LONG]
    made = subprocess.run(["make", "--silent", f"-j{run.CORES}", "build", *(str(path.relative_to(ROOT)) for path in programs)], cwd=ROOT)
    if made.returncode:
        return [UNBUILT], 0
    with concurrent.futures.ThreadPoolExecutor(run.CORES) as pool:
        return [fault for faults in pool.map(unit, programs) for fault in faults], len(programs)


def smoke():
    return lint.call([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *SMOKE])


def formatted(files):
    code = [path for path in files if path.endswith((".c", ".h"))]
    return lint.call(["clang-format", "--dry-run", "--Werror", *code]) if code else []


def main(base):
    start = time.monotonic()
    files = changed(base)
    faults, count = units(files)
    print(f"units        {count} programs of {' '.join(sorted(folders(files))) or 'no room'}  {time.monotonic() - start:.1f} s", flush=True)
    steps = [("formatted", lambda: formatted(files)), *((name, lint.CHECKS[name]) for name in QUICK)]
    if faults != [UNBUILT]:
        steps.append(("smoke", smoke))
    for name, step in steps:
        faults += [f"{name}: {fault}" for fault in step()]
    print("".join(fault + "\n" for fault in faults), end="")
    print(f"check: {len(faults) or 'no'} faults in {len(files)} changed files, {time.monotonic() - start:.0f} s; before it is taken: make test, make lint")
    return 1 if faults else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    os.environ.pop("MAKEFLAGS", None)  # its job server does not reach through us
    sys.exit(main(*sys.argv[1:2] or ["main"]))
