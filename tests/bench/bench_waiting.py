#!/usr/bin/python3
"""100,000 jobs that wait, of 20 keys and 50 robots, on both engines: what a start takes, what a page of their list, how long a
worker is without a job between two, and what each costs in memory."""

import json
import os
import pathlib
import signal
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from bench_lists import spent  # noqa: E402
from support import Server, postgresql, robot, until  # noqa: E402
from support.motions import motion  # noqa: E402

JOBS, KEYS, ROBOTS, REPEATS, TAKEN = 100_000, 20, 50, 9, 100
LISTS = ({}, {"state": "queued"}, {"state": "running"}, {"robot": "arm-7"}, {"kind": "trajectory", "state": "queued"}, {"kind": "trajectory"}, {"state": "running,succeeded"},
         {"sort": "created_at"}, {"sort": "priority"})
# In words that both engines know.
FILL = """INSERT INTO jobs (id, kind, robot, owner, revision, state, created_at, request, tags, attempts)
WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < {count})
SELECT '01H00000000000000' || CAST(100000000 + k AS TEXT), 'trajectory', 'arm-' || CAST(k % {robots} AS TEXT),
  'key-' || CAST(k % {keys} AS TEXT), 1, 'queued', '2026-01-01T00:00:00.000Z', ?, '{{}}', '[]' FROM n"""


def resident(pid):
    """KiB"""
    return int(next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")).split()[1])


def ready(server):
    with server.client(check=False) as client:
        until(lambda: client.get("/readyz").status == 200)


def pages(server, engine):
    """ms of the service's processors at best of each list, and of the clock at best."""
    with server.client(check=False) as client:
        for query in LISTS:
            clock, busy = [], []
            for _ in range(REPEATS):
                began, worked = time.perf_counter(), spent(server.pid)
                client.get("/v1/jobs", query={"limit": 100, **query}).expect(200)
                clock.append(1e3 * (time.perf_counter() - began))
                busy.append(spent(server.pid) - worked)
            print(f"# {engine}: {min(clock):.3g} ms at best, median {statistics.median(clock):.3g}, {min(busy):.3g} of a processor: {query}")
            yield min(clock)


def gaps(server):
    """ms between the end of a job and the start of the next one, whose worker is the only one."""
    with server.client(check=False) as client:
        done = client.get("/v1/jobs?state=succeeded").json["totals"]["succeeded"]
        for worker in server.children("worker"):
            os.kill(worker, signal.SIGCONT)
        until(lambda: client.get("/v1/jobs?state=succeeded").json["totals"]["succeeded"] > done + TAKEN, 300)
        ended = client.get("/v1/jobs", query={"state": "succeeded", "sort": "-started_at", "limit": TAKEN}).json["items"]
    ended.reverse()
    stamp = [[60e3 * int(t[14:16]) + 1e3 * float(t[17:23]) for t in (job["started_at"], job["finished_at"])] for job in ended]
    return [(b[0] - a[1]) % 3600e3 for a, b in zip(stamp, stamp[1:])]


def measure(engine):
    os.environ["ARMDYN_TEST_STORE"] = engine
    with Server("--workers", 1, "--waiting-jobs", 2 * JOBS, "--child-silence", 3600) as server:
        with server.client() as client:
            for k in range(ROBOTS):
                client.create_robot({**robot("puma560"), "name": f"arm-{k}"})
        ready(server)
        empty = resident(server.pid)
        server.terminate()
        server.write(FILL.format(count=JOBS, robots=ROBOTS, keys=KEYS), [(json.dumps(motion()),)])
        if engine == "postgresql":  # as it does by itself within a minute
            postgresql.shared().query(postgresql.store_of(str(server.data)), "VACUUM (ANALYZE) jobs")
        began = time.perf_counter()
        server.restart()
        ready(server)
        for worker in server.children("worker"):
            os.kill(worker, signal.SIGSTOP)
        print(f"# {engine}: ready after {time.perf_counter() - began:.3g} s")
        print(f"start-with-{JOBS}-waiting-{engine} {spent(server.pid):.4g} ms lower")
        print(f"memory-of-a-waiting-job-{engine} {1024 * (resident(server.pid) - empty) / JOBS:.4g} B lower")
        print(f"page-of-{JOBS}-waiting-{engine} {max(pages(server, engine)):.3g} ms lower")
        waits = gaps(server)
        print(f"# {engine}: between two jobs {max(waits):.3g} ms at most")
        print(f"taking-one-of-{JOBS}-{engine} {statistics.median(waits):.3g} ms lower")


if __name__ == "__main__":
    for name in ("sqlite", "postgresql"):
        if name == "sqlite" or postgresql.programs():
            measure(name)
