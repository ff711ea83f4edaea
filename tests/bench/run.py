#!/usr/bin/python3
"""`make bench`: run every bench_*, print one table, write build/bench.json.

A bench (bench_<subject>.c, built; or bench_<subject>.py) prints `name value unit better` on standard output, `better`
being higher or lower; lines that begin with # are remarks and shown as they are. Any status but 0 fails the run; 77, without
figures, says that this machine cannot do it.

    tests/bench/run.py [SUBJECT]...      without arguments: all
"""

import json
import os
import pathlib
import platform
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
PATIENCE = 600  # s, one bench
NOT_HERE = 77


def benches(asked):
    """(subject, command), in the order of their names."""
    found = {}
    for path in sorted((ROOT / "tests/bench").glob("bench_*.*")):
        subject = path.stem.removeprefix("bench_")
        if path.suffix == ".c":
            found[subject] = [str(BUILD / "tests/bench" / path.stem)]
        elif path.suffix == ".py":
            found[subject] = [sys.executable, str(path)]
    unknown = set(asked) - found.keys()
    if unknown:
        sys.exit(f"no bench {' '.join(sorted(unknown))}; there are: {' '.join(found)}")
    return [(subject, command) for subject, command in found.items() if not asked or subject in asked]


def measure(command):
    """Rows and remarks of one bench; None when it failed."""
    try:
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=PATIENCE,
                              env={**os.environ, "ARMDYN_BINARY": str(BUILD / "armdyn")})
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return None
    rows = []
    for line in filter(None, map(str.strip, done.stdout.splitlines())):
        words = line.split()
        if line.startswith("#"):
            print(line, flush=True)
        elif len(words) == 4 and words[3] in ("higher", "lower"):
            rows.append({"name": words[0], "value": float(words[1]), "unit": words[2], "better": words[3]})
        else:
            print(f"not `name value unit better`: {line}", file=sys.stderr)
            return None
    if done.returncode == NOT_HERE and not rows:
        return rows
    if done.returncode != 0 or not rows:
        print(f"{command[-1]}: status {done.returncode}, {len(rows)} figures", file=sys.stderr)
        return None
    return rows


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def main(asked):
    rows, failed = [], []
    for subject, command in benches(asked):
        start = time.monotonic()
        measured = measure(command)
        print(f"# {subject}: {time.monotonic() - start:.1f} s", flush=True)
        rows += measured or []
        if measured is None:
            failed.append(subject)
    width = max([len(row["name"]) for row in rows], default=0)
    print(f"\n{os.cpu_count()} cores, {platform.machine()}, Linux {platform.release()}")
    for row in rows:
        print(f"{row['name']:<{width}}  {number(row['value']):>14} {row['unit']:<12} {row['better']} is better")
    (BUILD / "bench.json").write_text(json.dumps(rows, indent=1) + "\n")
    if failed:
        print(f"failed: {' '.join(failed)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
