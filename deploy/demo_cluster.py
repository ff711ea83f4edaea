#!/usr/bin/python3
"""`make demo-cluster`: two nodes and two worker nodes at a PostgreSQL of its own, told in a screenful. One node serves, the other
stands by; jobs are given in at one and watched at the other; a worker node is killed in the midst of its jobs, and then the node that
serves: the other one takes its place, and every job ends, once. Everything is on loopback and goes with it.

    deploy/demo_cluster.py build/armdyn
"""

import http.client
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time

from demo import MODEL, Child, Service, arguments_of, main, tell

JOBS = 12


class Database:
    """A PostgreSQL in a folder, on a socket there, which does not run as root."""

    def __init__(self, folder):
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
        found = shutil.which("initdb") or (programs and programs[0] / "initdb")
        if not found:
            sys.exit("demo: PostgreSQL is not installed (Debian: apt install postgresql)")
        self.programs, self.folder = pathlib.Path(os.path.realpath(found)).parent, folder / "postgresql"
        self.folder.mkdir(mode=0o711)
        self.owner = pwd.getpwnam("postgres").pw_name if os.geteuid() == 0 else None
        if self.owner:
            folder.chmod(0o711)
            shutil.chown(self.folder, self.owner)
        self.run("initdb", "-D", self.folder / "data", "-U", "armdyn", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        self.run("pg_ctl", "-D", self.folder / "data", "-o", f"-k {self.folder} -c listen_addresses=''", "-l", self.folder / "log", "-w", "start")
        self.run("createdb", "-h", self.folder, "-U", "armdyn", "armdyn")
        self.address = f"postgresql://armdyn@/armdyn?host={self.folder}"

    def run(self, program, *arguments):
        done = subprocess.run([*(["runuser", "-u", self.owner, "--"] if self.owner else []), self.programs / program, *map(str, arguments)],
                              cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode:
            sys.exit(f"demo: {program}: {done.stdout}")

    def stop(self):
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "fast", "-w", "stop")


class WorkerNode:
    """`armdyn worker-node` in a session of its own."""

    def __init__(self, folder, name):
        self.log = open(folder / f"{name}.log", "wb")
        self.process = subprocess.Popen(arguments_of(["worker-node", "--workers", 1, "--data", folder / name]), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=self.log, start_new_session=True)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(90)
        self.log.close()


def until(holds, what, patience=90):
    end = time.monotonic() + patience
    while not (value := holds()):
        if time.monotonic() > end:
            sys.exit(f"demo: not within {patience} s: {what}")
        time.sleep(0.1)
    return value


def show_nodes(service):
    for node in service.get("/v1/nodes")["items"]:
        tell("", f"{node['role']:<11} process {node['process']:<8} {node['state']:<11} {node['ready']} of {node['workers']} workers ready, {node['running']} jobs")


def submit(service, count):
    request = {"method": "trapezoid", "start": {"q": [0] * 6}, "goal": {"q": [0.5] * 6}, "sample_rate": 10,
               "waypoints": [{"q": [0.4 * (-1) ** k] * 6} for k in range(60)]}
    return [service.post("/v1/robots/puma560/trajectories", request)["id"] for _ in range(count)]


def all_ended(service, jobs):
    states = [service.get(f"/v1/jobs/{one}")["state"] for one in jobs]
    return all(state not in ("queued", "running") for state in states) and states


def told_attempts(service, jobs):
    again = sum(service.get(f"/v1/jobs/{one}")["attempt"] > 1 for one in jobs)
    return f"{len(jobs)} jobs succeeded, {again} of them begun again"


def finish(service, jobs):
    states = until(lambda: all_ended(service, jobs), "the jobs end")
    if set(states) != {"succeeded"}:
        sys.exit(f"demo: not all jobs succeeded: {states}")
    tell("ended", told_attempts(service, jobs))


def serve(folder, name):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    (folder / name).mkdir()
    return Child(folder / name, "serve", "--listen", address, "--node-address", address, "--data", folder / name / "data", "--workers", 1)


def serving(node):
    """The service, once this node serves; before, it stands by, or cannot pass on what it is asked (503)."""
    connection = http.client.HTTPConnection(node.host, node.port, timeout=60)
    try:
        connection.request("GET", "/v1/nodes")
        answer = connection.getresponse()
        text = answer.read()
    except (OSError, http.client.HTTPException):
        return None
    nodes = json.loads(text)["items"] if answer.status == 200 else []
    return Service(node) if any(one["process"] == node.process.pid and one["role"] == "serving" for one in nodes) else None


def story(children, folder):
    database = Database(folder)
    children.append(database)
    os.environ["ARMDYN_STORE"] = database.address
    first = serve(folder, "node-0")
    children.append(first)
    second = serve(folder, "node-1")
    children.append(second)
    service = Service(first)
    print("armdyn: two nodes and two worker nodes at one PostgreSQL\n")
    tell("nodes", f"{service.url} serves, {Service(second).url} stands by")
    nodes = [WorkerNode(folder, "node-2"), WorkerNode(folder, "node-3")]
    children += nodes
    service.post("/v1/robots", json.loads(MODEL.read_text()))
    until(lambda: sum(node["ready"] for node in service.get("/v1/nodes")["items"]) == 3, "all workers are ready")
    jobs = submit(service, JOBS)
    service = Service(second)
    until(lambda: sum(node["running"] > 0 for node in service.get("/v1/nodes")["items"]) == 3, "all compute")
    tell("nodes", f"{JOBS} jobs, given in at the first node, seen at the second:")
    show_nodes(service)
    nodes[0].kill()
    tell("killed", f"worker node, process {nodes[0].process.pid}, with its job")
    finish(service, jobs)
    jobs = submit(service, JOBS)
    until(lambda: sum(node["running"] for node in service.get("/v1/nodes")["items"]) > 1, "nodes compute")
    os.killpg(first.process.pid, signal.SIGKILL)
    first.process.wait()
    killed = time.monotonic()
    tell("killed", f"the node that serves, process {first.process.pid}, in the midst of {JOBS} other jobs; the other one waits 30 s for it")
    service = until(lambda: serving(second), "the other node serves")
    tell("serves", f"{service.url}, {time.monotonic() - killed:.0f} s later")
    finish(service, jobs)
    tell("nodes", "now:")
    show_nodes(service)
    if os.environ.get("DEMO_EXIT", "0") in ("", "0"):
        print(f"\nIt stays up until Ctrl-C: {service.url}/ in a browser, Administration, Storage and maintenance; or\n  curl -s {service.url}/v1/nodes", flush=True)
        second.process.wait()


if __name__ == "__main__":
    main(story, __doc__)
