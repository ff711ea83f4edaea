#!/usr/bin/python3
"""Uploads of a 6-axis log by CSV and .npy, the memory that they take, and a plot of it.

The sender is a thread of this process, so the rates are those of both together on the cores that there are."""

import io
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import Server, robot  # noqa: E402

ROWS, BLOCK = 1000000, 10000


def log():
    t = np.arange(ROWS) / 1000
    q = np.stack([np.sin((0.5 + 0.1 * j) * t + j) for j in range(6)], 1)
    tau = 3 * np.tanh(50 * np.gradient(q, axis=0)) + 10 * np.cos(q) + np.random.default_rng(1).normal(0, 0.1, (ROWS, 6))
    return np.column_stack([t, q, tau])


def peak(server):
    with open(f"/proc/{server.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def upload(server, kind, body):
    connection = server.client(timeout=300).connection
    start = time.perf_counter()
    connection.request("POST", "/v1/robots/arm/datasets", body, {"Content-Type": kind})
    answer = connection.getresponse()
    place = answer.headers["Location"]
    answer.read()
    if answer.status != 201:
        sys.exit(f"{kind}: {answer.status}")
    print(f"upload_{kind.split('/')[1].removeprefix('x-')} {len(body) / 1e6 / (time.perf_counter() - start):.1f} MB/s higher")
    return place


def main():
    table = log()
    names = ",".join(["t", *(f"q{j}" for j in range(1, 7)), *(f"tau{j}" for j in range(1, 7))])
    text = io.BytesIO()
    np.savetxt(text, table[:ROWS // 4], fmt="%.9g", delimiter=",", header=names, comments="")
    npy = io.BytesIO()
    np.save(npy, table)
    with Server() as server, server.client(check=False) as client:
        client.create_robot(robot("puma560"), name="arm")
        before = peak(server)
        upload(server, "text/csv", text.getvalue())
        place = upload(server, "application/x-npy", npy.getvalue())
        print(f"upload_memory {peak(server) - before:.1f} MiB lower")
        times = []
        for _ in range(20):
            start = time.perf_counter()
            client.get(place + "/samples?points=1000").expect(200)
            times.append(time.perf_counter() - start)
        print(f"plot_1M_samples {1000 * sorted(times)[10]:.2f} ms lower")


main()
