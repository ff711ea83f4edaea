"""Memory after some work and after four times as much: models changed, motions computed in bulk, data sets uploaded and deleted,
lists read, by several clients at once. What a request held goes back; nothing is left over from one to the next."""

import pathlib
import threading

import pytest

from support import Server, binary, npy_write, private_memory, robot
from support.logs import csv_text, simulated, upload

CLIENTS, ROUNDS = 6, 25
MOST_GROWTH = 0.1  # of private memory
MOST = 26          # MiB of it; a third more lay in gaps between what lives long, when bodies came from where that does
ROWS = [[0.001 * (i % 97) for i in range(k, k + 18)] for k in range(3000)]
TABLE = npy_write(ROWS)
MODEL = robot("puma560")


def work(client, log):
    for _ in range(ROUNDS):
        client.post("/v1/robots/fixed/inverse-dynamics", body=TABLE, content_type="application/x-npy", headers={"Accept": "application/x-npy"}).expect(200)
        client.put("/v1/robots/changing", {**MODEL, "name": "changing"}, query={"allow_unphysical": "true"}, headers={"If-Match": "*"}).expect(200, 412)
        name = upload(client, "arm", log)
        client.delete(f"/v1/datasets/{name}", headers={"If-Match": "*"}).expect(204)
        for path in ("/v1/robots", "/v1/robots/changing/revisions", "/v1/jobs", "/metrics", "/"):
            client.get(path).expect(200)


def work_by_all(server, log):
    """Private memory afterwards, MiB."""
    failures = []

    def go():
        try:
            with server.client(check=False) as client:
                work(client, log)
        except BaseException as error:  # noqa: BLE001: a thread's failure must reach the test
            failures.append(error)
    threads = [threading.Thread(target=go) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    return private_memory(server.pid)


@pytest.mark.slow
def test_four_times_the_work_needs_no_more_memory():
    with Server("--workers", 1) as server:
        with server.client() as client:
            for name in ("fixed", "changing"):
                client.create_robot(MODEL, name=name)
            client.create_robot(robot("scara"), name="arm")
            log = csv_text(simulated(client, "arm", seconds=4))
        sizes = [work_by_all(server, log) for _ in range(5)]
        assert sizes[-1] < MOST and sizes[-1] < (1 + MOST_GROWTH) * sizes[1], sizes


@pytest.mark.parametrize("given, begun", [
    ({}, "glibc.malloc.tcache_max=128"),
    ({"GLIBC_TUNABLES": "glibc.malloc.perturb=0"}, "glibc.malloc.tcache_max=128:glibc.malloc.perturb=0"),
    ({"GLIBC_TUNABLES": "glibc.malloc.tcache_count=3"}, "glibc.malloc.tcache_count=3"),
], ids=["bounded", "added", "chosen"])
def test_threads_keep_small_blocks_alone(given, begun):
    """What each of them keeps of freed memory is bounded, unless the caller did it, and the process has its own name."""
    with Server("--workers", 1, env=given) as server:
        process = pathlib.Path(f"/proc/{server.pid}")
        environment = (process / "environ").read_text().replace("\0", ":")  # glibc puts a zero behind each tunable
        assert f":GLIBC_TUNABLES={begun}:" in f":{environment}:"
        assert environment.count("tcache") == 1
        assert (process / "comm").read_text() == pathlib.Path(binary()).name[:15] + "\n"
