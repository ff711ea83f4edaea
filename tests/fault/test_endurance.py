"""An hour (ARMDYN_SOAK=1; else half a minute) of mixed load while identifications keep every worker busy: nothing fails, memory and
descriptors stay as they are, and a single call is answered in time.

What the machine can carry is measured first, with every client as fast as it is answered; then each goes on at SHARE of its
rate, which the hour's single calls are brought to and the half minute's stay a little below. They come from wrk, all else from
threads of this process; they share the machine with the service, so that what they send is made beforehand.
ARMDYN_SECONDS is another length.
"""

import contextlib
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import threading
import time

import pytest

from support import Server, npy_write, resident_memory, robot
from support.logs import csv_text, simulated, upload

SOAK = os.environ.get("ARMDYN_SOAK", "0") != "0"
SECONDS = int(os.environ.get("ARMDYN_SECONDS") or (3600 if SOAK else 30))
SHARE = 0.8 if SOAK else 0.2  # other tests want to run, too
WORKERS = os.cpu_count() if SOAK else 1
MEASURED = 10 if SOAK else 3  # s, for each rate that is looked for
HALVINGS = 5 if SOAK else 0   # of the delay between calls, until they come at their rate
CALLERS = 64                  # connections with single calls
EARLY = slice(8, 12) if SOAK else slice(20, 30)  # sixtieths of the time: memory should stay as it is there
MOST_GROWTH = 0.01 if SOAK else 0.25  # of memory from then on; half a minute is too short for every buffer to have been used

NUMBERS = random.Random(11)
ROWS = [[NUMBERS.uniform(-2, 2) for _ in range(18)] for _ in range(3000)]
SINGLE = {"q": ROWS[0][:6], "qd": ROWS[0][6:12], "qdd": ROWS[0][12:]}
TABLE = npy_write(ROWS)
JSON_TABLE = json.dumps({name: [row[i:i + 6] for row in ROWS[:300]] for name, i in (("q", 0), ("qd", 6), ("qdd", 12))})
MODEL = robot("puma560")

# wrk waits delay() ms before each request of a connection, so that rate = CALLERS / (delay + time to answer). It takes whole
# ones, which are right in the mean.
LUA = """
wrk.method, wrk.body, wrk.headers["Content-Type"] = "POST", [[%s]], "application/json"
%s
done = function(summary, latency, requests)
  local e = summary.errors
  print(string.format("RESULT %%f %%f %%f %%d", summary.requests / (summary.duration * 1e-6), latency:percentile(99) * 1e-6, latency.max * 1e-6,
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""


def single_calls(server, seconds, delay=0):
    """requests/s, p99 in s, slowest in s, failures."""
    script = server.directory / "single.lua"
    script.write_text(LUA % (json.dumps(SINGLE), f"function delay() return math.floor({1000 * delay} + math.random()) end" if delay else ""))
    done = subprocess.run(["wrk", "-t1", f"-c{CALLERS}", f"-d{seconds}s", "-s", script, f"{server.url}/v1/robots/fixed/inverse-dynamics"],
                          stdout=subprocess.PIPE, text=True, check=True)
    *figures, failures = re.search(r"RESULT (\S+) (\S+) (\S+) (\d+)", done.stdout).groups()
    return *map(float, figures), int(failures)


def delay_for(server, rate):
    """The delay at which wrk calls at this rate, s, by halves: an answer takes the longer the shorter the delay."""
    least, most = 0, CALLERS / rate
    for _ in range(HALVINGS):
        delay = (least + most) / 2
        if single_calls(server, MEASURED, delay)[0] > rate:
            least = delay
        else:
            most = delay
    return most


def batch(client):
    answer = client.post("/v1/robots/fixed/inverse-dynamics", body=TABLE, content_type="application/x-npy", headers={"Accept": "application/x-npy"})
    assert len(answer.expect(200).body) == 128 + len(ROWS) * 6 * 8


def json_batch(client):
    assert client.post("/v1/robots/changing/inverse-dynamics", body=JSON_TABLE).expect(200).body.count(b"[") == 301


def change(client):
    etag = client.get("/v1/robots/changing").expect(200).etag
    client.put("/v1/robots/changing", {**MODEL, "name": "changing", "description": f"revision after {etag}"}, query={"allow_unphysical": "true"}, headers={"If-Match": etag}).expect(200, 412)


def read(client):
    for path in ("/v1/robots", "/v1/robots/changing/revisions", "/v1/jobs", "/v1/identifications", "/readyz", "/metrics", "/"):
        client.get(path).expect(200)


def motion(client):
    body = {"method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 1, "sample_rate": 50}
    done_and_forgotten(client, "trajectories", "fixed", body)


def data_set(client):
    name = upload(client, "arm", data_set.log)
    client.delete(f"/v1/datasets/{name}", headers={"If-Match": "*"}).expect(204)


def identification(client):
    done_and_forgotten(client, "identifications", "arm", {"datasets": [identification.data], "rotor_inertia": True, "friction": ["offset", "coulomb", "viscous"]})


def done_and_forgotten(client, kind, arm, request):
    """The result goes, so that the disk of an hour's runs stays small."""
    found = client.result_of(f"/v1/robots/{arm}/{kind}", request)
    client.delete(f"/v1/{kind}/{found['id']}", headers={"If-Match": "*"}).expect(204)


PACED = (batch, json_batch, change, read, motion, data_set)


class Load:
    """Threads that repeat their work until stop(), each at its pace in 1/s, or without one as soon as it is answered."""

    def __init__(self, server, paces, identifications):
        self.ended, self.failures = threading.Event(), []
        self.counts = dict.fromkeys((work.__name__ for work in PACED), 0) | {"identification": 0}
        self.began = time.monotonic()
        works = [(work, paces.get(work.__name__)) for work in PACED] + [(identification, None)] * identifications
        self.threads = [threading.Thread(target=self.repeat, args=(server, *work)) for work in works]
        for thread in self.threads:
            thread.start()

    def repeat(self, server, work, pace):
        due = time.monotonic()
        with server.client(check=False) as client:
            while not self.ended.is_set():
                try:
                    work(client)
                    self.counts[work.__name__] += 1
                except BaseException as error:  # noqa: BLE001: a thread's failure must reach the test
                    self.failures.append((work.__name__, error))
                    return
                if pace:
                    due = max(due + 1 / pace, time.monotonic() - 1)  # a second behind is made up for, not more
                    self.ended.wait(max(0, due - time.monotonic()))

    def stop(self):
        """How often each work was done in a second."""
        seconds = time.monotonic() - self.began
        self.ended.set()
        for thread in self.threads:
            thread.join()
        return {name: count / seconds for name, count in self.counts.items()}


class Watch(threading.Thread):
    """Resident memory of the service and its open files, every second."""

    def __init__(self, pid):
        super().__init__()
        self.pid, self.ended, self.memory, self.files = pid, threading.Event(), [], []
        self.start()

    def run(self):
        while not self.ended.wait(1):
            self.memory.append(resident_memory(self.pid))
            self.files.append(open_files(self.pid))

    def stop(self):
        self.ended.set()
        self.join()
        return self.memory, self.files


def open_files(pid):
    """But for the store's: its pool of readers opens another when more calls than ever read at once, and keeps it."""
    count, folder = 0, f"/proc/{pid}/fd"
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            count += "/armdyn.db" not in os.readlink(f"{folder}/{name}")
    return count


def early(values):
    """Those around the time at which they should have settled."""
    return values[EARLY.start * len(values) // 60:EARLY.stop * len(values) // 60]


def late(values):
    return values[int(0.9 * len(values)):]


@contextlib.contextmanager
def busy(server, paces=None, identifications=WORKERS + 1):
    load = Load(server, paces or {}, identifications)
    try:
        yield load
    finally:
        load.stop()


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 600)
def test_mixed_load_for_long():
    with Server("--workers", WORKERS) as server:
        with server.client() as client:
            for name in ("fixed", "changing"):
                client.create_robot(MODEL, name=name)
            client.create_robot(robot("scara"), name="arm")
            identification.data = upload(client, "arm", simulated(client, "arm", seconds=60))
            data_set.log = csv_text(simulated(client, "arm", seconds=4))
        with busy(server) as load:
            capacity, *_ = single_calls(server, MEASURED)
            most = load.stop()
        assert not load.failures, load.failures[:2]

        paces = {name: SHARE * rate for name, rate in most.items()}
        with busy(server, paces) as load:
            delay = delay_for(server, SHARE * capacity)
            watch = Watch(server.pid)
            rate, p99, slowest, failures = single_calls(server, SECONDS, delay)
            memory, files = watch.stop()
            rates = load.stop()
        growth = statistics.median(late(memory)) / statistics.median(early(memory)) - 1
        print(f"{SECONDS} s; at capacity -> carried, 1/s: single calls {capacity:.0f} -> {rate:.0f}, "
              + ", ".join(f"{name} {most[name]:.1f} -> {each:.1f}" for name, each in rates.items()))
        minutes = [statistics.median(memory[i:i + 60]) for i in range(0, len(memory), 60)]
        print("memory, median of each minute, MiB:", " ".join(f"{each:.1f}" for each in minutes))
        print(f"single calls: p99 {p99 * 1e3:.2f} ms, slowest {slowest * 1e3:.0f} ms, {failures} failed; "
              f"memory {memory[-1]:.1f} MiB, grown by {100 * growth:.1f} %; open files {min(files)} to {max(files)}")
        assert not load.failures, load.failures[:2]
        assert failures == 0 and all(rates.values()), rates
        assert growth < MOST_GROWTH, memory[::max(1, len(memory) // 60)]
        assert min(late(files)) == min(early(files)), files[::max(1, len(files) // 60)]
        if SOAK:
            assert rate > 0.7 * capacity and p99 < 0.01
        assert server.terminate() == 0
