#!/usr/bin/python3
"""The HTTP service as its clients meet it: one sample over kept connections, beside a bare libmicrohttpd + cJSON echo of
the same body in the same run; batches as .npy and JSON over a raw socket. Client and server share the machine."""

import array
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support import Server, robot  # noqa: E402

PROGRAMS = pathlib.Path(os.environ.get("ARMDYN_BINARY", ROOT / "build/armdyn")).parent / "tests/bench"
SECONDS, ROUNDS, CONNECTIONS = 1, 6, 64
PATH = "/v1/robots/puma560/inverse-dynamics"

LUA = """
wrk.method = "POST"
wrk.body = [[%s]]
wrk.headers["Content-Type"] = "application/json"
done = function(summary, latency, requests)
  local e = summary.errors
  print(string.format("RESULT %%f %%f %%d", summary.requests / (summary.duration * 1e-6), latency:percentile(99) * 1e-6,
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""


def sample(numbers):
    return [[numbers.uniform(-2, 2) for _ in range(6)] for _ in range(3)]


def wrk(url, script, threads=2):
    done = subprocess.run(["wrk", f"-t{threads}", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", script, url], stdout=subprocess.PIPE, text=True,
                          check=True)
    rate, p99, errors = re.search(r"RESULT (\S+) (\S+) (\d+)", done.stdout).groups()
    assert int(errors) == 0, done.stdout
    return float(rate), float(p99)


class Peer:
    def __init__(self, threads):
        # in a session of its own, as the service is: the kernel shares a busy machine out by sessions
        self.child = subprocess.Popen([PROGRAMS / "peer_echo", str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      start_new_session=True)
        self.url = self.child.stdout.readline().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stdin.close()
        self.child.wait(10)


def cpu_time(pid):
    """Seconds that the process has computed so far, whatever else the machine does."""
    return sum(int(task.read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) * 1e-9


def turn(pid, url, script):
    """One turn of the load: requests/s, p99 in s, CPU in s a request; and p99 where the load generator has one thread, so
    that it does not take the cores from what it measures."""
    before = cpu_time(pid)
    rate, saturated = wrk(url, script)
    cpu = (cpu_time(pid) - before) / (rate * SECONDS)
    return rate, saturated, cpu, wrk(url, script, 1)[1]


def single(server, folder, numbers):
    """Service and peers take turns, so that all meet the same machine; the middle one of a figure's turns counts. The
    peer is measured with two threads and with as many as the service has, and the better one is the peer."""
    q, qd, qdd = sample(numbers)
    script = folder / "post.lua"
    script.write_text(LUA % json.dumps({"q": q, "qd": qd, "qdd": qdd}))
    with Peer(2) as few, Peer(10) as many:
        turns = {"sample": [], "few": [], "many": []}
        for _ in range(ROUNDS):
            turns["sample"].append(turn(server.pid, server.url + PATH, script))
            turns["few"].append(turn(few.child.pid, few.url + "/", script))
            turns["many"].append(turn(many.child.pid, many.url + "/", script))
    middle = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in turns.items()}
    rate, saturated, cpu, p99 = middle["sample"]
    peer = max(middle["few"], middle["many"])
    print(f"http_sample_rate {rate:.0f} requests/s higher")
    print(f"http_echo_rate {peer[0]:.0f} requests/s higher")
    print(f"http_sample_to_echo {100 * rate / peer[0]:.1f} % higher")
    print(f"http_sample_p99 {p99 * 1000:.3f} ms lower")
    print(f"http_sample_p99_saturated {saturated * 1000:.3f} ms lower")
    print(f"http_echo_p99_saturated {peer[1] * 1000:.3f} ms lower")
    print(f"http_sample_cpu {cpu * 1e6:.2f} us/request lower")
    print(f"http_echo_cpu {peer[2] * 1e6:.2f} us/request lower")


KEYS = 100  # of which the callers hold one


def authentication(open_server, folder, numbers):
    """What a key costs: a service that asks for keys and one that has none take turns at the same call. CPU a request is
    the figure that a busy machine leaves alone."""
    q, qd, qdd = sample(numbers)
    body = LUA % json.dumps({"q": q, "qd": qd, "qdd": qdd})
    with Server(key="a-key-of-an-administrator") as keyed:
        with keyed.client(check=False) as client:
            client.create_robot(robot("puma560"), name="puma560")
            secrets = [client.post("/v1/keys", {"name": f"cell-{n}", "role": "operator"}).expect(201).json["secret"] for n in range(KEYS)]
        scripts = {"open": body, "keyed": f'{body}\nwrk.headers["Authorization"] = "Bearer {secrets[KEYS // 2]}"\n'}
        for name, text in scripts.items():
            (folder / f"{name}.lua").write_text(text)
        turns = {"open": [], "keyed": []}
        for _ in range(ROUNDS):
            for name, server in (("open", open_server), ("keyed", keyed)):
                turns[name].append(turn(server.pid, server.url + PATH, folder / f"{name}.lua"))
    rates = [keyed[0] / without[0] for keyed, without in zip(turns["keyed"], turns["open"])]
    times = [keyed[2] / without[2] for keyed, without in zip(turns["keyed"], turns["open"])]
    print(f"http_sample_with_key_rate {100 * statistics.median(rates):.1f} % higher")
    print(f"http_sample_with_key_cpu {100 * statistics.median(times):.1f} % lower")


def best_time(server, body, content_type, accept, folder, repeat):
    file = folder / "body"
    file.write_bytes(body)
    done = subprocess.run([PROGRAMS / "client_batch", server.host, str(server.port), PATH, content_type, accept, file, str(repeat)],
                          stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def npy(values, rows, columns):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes()


def batches(server, folder, numbers):
    rows = 100000
    values = array.array("d", (numbers.uniform(-2, 2) for _ in range(rows * 18)))
    took = best_time(server, npy(values, rows, 18), "application/x-npy", "application/x-npy", folder, 8)
    print(f"http_npy_batch {rows / took:.0f} samples/s higher")
    peak = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{server.pid}/status").read_text())[1]
    print(f"http_npy_batch_peak_memory {int(peak) / 1024:.0f} MiB lower")
    samples = [sample(numbers) for _ in range(10000)]
    body = json.dumps({name: [s[i] for s in samples] for i, name in enumerate(("q", "qd", "qdd"))}).encode()
    took = best_time(server, body, "application/json", "application/json", folder, 8)
    print(f"http_json_batch_10000 {1000 * took:.1f} ms lower")


def main():
    numbers = random.Random(1)
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        with server.client(check=False) as client:
            client.create_robot(robot("puma560"), name="puma560")
        single(server, pathlib.Path(folder), numbers)
        authentication(server, pathlib.Path(folder), numbers)
        batches(server, pathlib.Path(folder), numbers)


if __name__ == "__main__":
    main()
