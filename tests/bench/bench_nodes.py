#!/usr/bin/python3
"""Identical jobs on one and on ten worker nodes, each held to 4 % of a core by a cgroup of its own, so that ten of them fit on one
machine: how much more is done. Wants root, the controller `cpu` of cgroups (1 or 2) and PostgreSQL's programs."""

import contextlib
import os
import pathlib
import signal
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support import Server, postgresql, robot, until  # noqa: E402
from support.motions import long_motion  # noqa: E402
from support.worker_node import WorkerNode  # noqa: E402

NODES, PERIOD_US, QUOTA_US = 10, 100_000, 4_000
WARM, WINDOW = 10, 60  # s
GROUPS = pathlib.Path("/sys/fs/cgroup")


@contextlib.contextmanager
def quota(name, process):
    """A process and its children from now on, within the quota."""
    second = (GROUPS / "cgroup.controllers").exists()
    group = GROUPS / ("" if second else "cpu") / f"armdyn-bench-{os.getpid()}-{name}"
    group.mkdir()
    try:
        if second:
            (group / "cpu.max").write_text(f"{QUOTA_US} {PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(QUOTA_US))
        for pid in (process.pid, *process.children()):
            (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        process.kill()
        until(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


def rate(count):
    """Jobs a second that so many nodes end."""
    address = postgresql.shared().make()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        server = stack.enter_context(Server("--workers", 1, "--child-silence", 3600, env={"ARMDYN_STORE": address}))
        client = stack.enter_context(server.client(check=False, timeout=60))
        until(lambda: client.get("/readyz").status == 200)
        for worker in server.children("worker"):  # the service's own one computes nothing of it
            os.kill(worker, signal.SIGSTOP)
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        for k in range(count):
            stack.enter_context(quota(k, WorkerNode(address, f"{folder}/{k}", "--workers", 1)))
        until(lambda: sum(one["ready"] for one in client.get("/v1/nodes").json["items"] if one["role"] == "worker") == count, 120)
        for _ in range(60 * count):
            client.post(arm + "/trajectories", long_motion(20)).expect(202)

        def ended():
            return client.get("/v1/jobs?state=succeeded&limit=1").json["totals"]["succeeded"]
        time.sleep(WARM)
        before, began = ended(), time.monotonic()
        time.sleep(WINDOW)
        after, seconds = ended(), time.monotonic() - began
        print(f"# {count} nodes: {after - before} jobs in {seconds:.1f} s, of {60 * count}")
        return (after - before) / seconds


def main():
    one = rate(1)
    print(f"jobs-of-{NODES}-nodes-by-quota {rate(NODES) / one / NODES:.3f} of-{NODES}-times-one higher")


if __name__ == "__main__":
    main()
