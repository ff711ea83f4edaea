#!/usr/bin/python3
"""Lists of 200,000 runs and their jobs: filtered, searched, sorted; from a client beside the service, and on the screen of a
browser (tests/web/lists.mjs). Beside the time, what processors spent, which another load of the machine hardly changes."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support import Server, robot  # noqa: E402
from support.crowd import fill, run_summary  # noqa: E402
from web import check  # noqa: E402

RUNS, REPEATS = 200_000, 9
ERROR = "validation.raw.relative_percent"
LISTS = [("/v1/identifications", query) for query in (
    {}, {"sort": ERROR}, {"sort": f"-{ERROR}"}, {"sort": "-condition_number", "estimator": "wls"}, {"sort": "label"}, {"sort": "-robot"},
    {"robot": "no-runs"}, {"robot": "no-runs", "sort": ERROR}, {"estimator": "wls"}, {"estimator": "irls"}, {"tag": "part=A5"},
    {"tag": "part=none"}, {"metric": f"{ERROR}<0.01"}, {"pinned": "true"}, {"q": "a note"}, {"q": "A57"}, {"q": "nowhere"},
    {"q": "zz"}, {"q": "zz", "sort": ERROR}, {"q": "zz", "tag": "part=A5"}, {"q": "zz", "metric": f"{ERROR}<50"}, {"metric": f"{ERROR}<50"},
    {"metric": f"{ERROR}<50", "sort": f"-{ERROR}"},
)] + [("/v1/jobs", query) for query in (
    {}, {"state": "failed"}, {"state": "succeeded"}, {"robot": "arm"}, {"robot": "no-runs"}, {"kind": "trajectory"}, {"sort": "kind"}, {"sort": "-state"}, {"tag": "part=A5"},
    {"q": "zz", "tag": "part=A5"}, {"kind": "identification"}, {"kind": "identification", "robot": "arm"}, {"kind": "trajectory", "robot": "arm"},
    {"state": "running,succeeded"}, {"state": "failed,cancelled", "robot": "arm"}, {"sort": "started_at"}, {"sort": "-finished_at"}, {"sort": "priority"},
    {"sort": "-finished_at", "robot": "arm"}, {"created_after": "2026-01-10T00:00:00Z"}, {"finished_after": "2026-01-10T00:00:00Z"}, {"q": "zz", "state": "running,succeeded"},
)] + [("/v1/activity", None), ("/v1/storage", None)]


def spent(pid):
    """ms on a processor of all threads of a process so far."""
    return sum(int(task.read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e6


def on_screen(server):
    """The slowest list from click or key to painted rows: a row of the table; a remark for each."""
    with tempfile.TemporaryDirectory() as folder:
        if why := check.missing(pathlib.Path(folder)) or check.without_pages(server):
            print(f"# not on the screen: {why}")
            return
    done = subprocess.run(["node", str(check.HERE / "lists.mjs"), str(RUNS)], env={**os.environ, "ARMDYN_URL": server.url},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    figures = [json.loads(line) for line in done.stdout.splitlines()]
    for figure in figures:
        print("# {value} ms on the screen, {best} at best, {busy} of the page's thread: {name}".format(**figure))
    print(f"run-list-on-screen-worst {max(figure['value'] for figure in figures):.3g} ms lower")


def main():
    with Server() as server:
        with server.client() as client:
            for name in ("arm", "no-runs"):
                client.create_robot({**robot("scara"), "name": name})
        server.terminate()
        fill(server.data, RUNS, "identification", run_summary)
        server.restart()
        with server.client(check=False) as client:
            medians = {}
            for path, query in LISTS:
                taken, busy = [], []
                for _ in range(REPEATS):
                    began, worked = time.perf_counter(), spent(server.pid)
                    client.get(path, query={"limit": 100, **query} if query is not None else {}).expect(200)
                    taken.append(1e3 * (time.perf_counter() - began))
                    busy.append(spent(server.pid) - worked)
                medians[f"{path} {query}"] = statistics.median(taken)
                print(f"# {medians[f'{path} {query}']:.3g} ms, {min(taken):.3g} at best, {min(busy):.3g} of a processor: {path} {query}")
        on_screen(server)
    worst = max(medians, key=medians.get)
    print(f"# the slowest of {len(LISTS)} lists of {RUNS:,} runs: {worst}")
    print(f"run-list-median {statistics.median(medians.values()):.3g} ms lower")
    print(f"run-list-worst {medians[worst]:.3g} ms lower")


if __name__ == "__main__":
    main()
