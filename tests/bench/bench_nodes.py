#!/usr/bin/python3
"""Identical jobs on one and on ten worker nodes, each held to 4 % of a core by a cgroup of its own, so that ten of them fit on one
machine: how much more is done. Wants root, the controller `cpu` of cgroups (1 or 2) and PostgreSQL's programs, or says that it is
not measured."""

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
NOT_HERE = 77  # the status of a bench that this machine cannot do
GROUPS = pathlib.Path("/sys/fs/cgroup")


@contextlib.contextmanager
def quota(name):
    """A group of processes of this quota; empty when it ends."""
    second = (GROUPS / "cgroup.controllers").exists()
    group = GROUPS / ("" if second else "cpu") / f"armdyn-bench-{os.getpid()}-{name}"
    group.mkdir()
    try:
        if second:
            (group / "cpu.max").write_text(f"{QUOTA_US} {PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(QUOTA_US))
        yield group / "cgroup.procs"
    finally:
        until(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


def lacks():
    """What is not here; None: nothing."""
    if not postgresql.programs():
        return "PostgreSQL is not installed"
    try:
        with quota("probe"):
            return None
    except OSError as error:
        return f"no quota of a processor can be set ({error})"


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
            members = stack.enter_context(quota(k))
            node = WorkerNode(address, f"{folder}/{k}", "--workers", 1)
            stack.callback(node.kill)
            for pid in (node.pid, *node.children()):
                members.write_text(str(pid))
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
    if lack := lacks():
        print(f"# ten nodes are not measured: {lack}")
        return NOT_HERE
    one = rate(1)
    print(f"jobs-of-{NODES}-nodes-by-quota {rate(NODES) / one / NODES:.3f} of-{NODES}-times-one higher")
    return 0


if __name__ == "__main__":
    sys.exit(main())
