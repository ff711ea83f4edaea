"""A ledger of acknowledged writes, kept by clients of two nodes while nodes, workers, a worker node and the database are killed,
frozen, stopped, cut off and replaced, and clocks jump: nothing that was acknowledged is lost, nothing is done twice.

ARMDYN_SEED repeats a run; ARMDYN_SOAK=1 does 300 faults (ARMDYN_ROUNDS: so many), with as long a time as leases have, and is cut
off from the database for up to a minute.
"""

import collections
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time

from support import Server, postgresql, robot, until
from support.motions import motion
from support.process import binary, free_port
from support.shifted_clock import ShiftedClock
from support.worker_node import WorkerNode

SOAK = os.environ.get("ARMDYN_SOAK") == "1"
SEED = int(os.environ.get("ARMDYN_SEED") or (time.time() if SOAK else 1))
ROUNDS = int(os.environ.get("ARMDYN_ROUNDS") or (300 if SOAK else 10))
LONG = 120
FSYNC = {"fsync": "on", "full_page_writes": "on"}
PAST = "UPDATE holder SET renewed = renewed - interval '31 s'"


class Databases:
    """A primary, and a standby that confirms every commit."""

    def __init__(self):
        self.primary = postgresql.Cluster(**FSYNC)
        self.name = self.primary.make().split("@/")[1].split("?")[0]
        self.standby = None
        self.replicate()

    def replicate(self):
        """Another standby of who is the primary now, and commits wait for it."""
        self.standby = postgresql.Cluster(of=self.primary, **FSYNC)
        self.primary.query("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.query("postgres", "SELECT pg_reload_conf()")
        until(lambda: self.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"), LONG, what="a standby that confirms")

    @property
    def address(self):
        """Of both, whichever takes writes."""
        return self.by(self.primary.folder, self.standby.folder)

    def by(self, *folders):
        """The same by sockets in these folders."""
        return f"postgresql://{postgresql.USER}@/{self.name}?host={','.join(map(str, folders))}"

    def query(self, text):
        return self.primary.query(self.name, text)

    def crash(self):
        self.primary.stop("immediate")
        self.primary.start()

    def close(self):
        self.standby.close()
        self.primary.close()


class Node(Server):
    """A node with a directory and an address of its own, a wall clock of its own where there is a compiler, and its own ways to the
    databases."""

    def __init__(self, databases, folder):
        folder.mkdir()
        port, self.ways = free_port(), []
        for name, cluster in ("primary", databases.primary), ("standby", databases.standby):
            (folder / name).mkdir()
            self.ways.append(postgresql.Between(folder / name, cluster))
        self.clock = ShiftedClock(folder) if shutil.which("cc") else None
        super().__init__("--node-address", f"127.0.0.1:{port}", "--workers", 2, listen=f"127.0.0.1:{port}", data=folder / "data",
                         env={"ARMDYN_STORE": databases.by(folder / "primary", folder / "standby"), **(self.clock.env if self.clock else {})})

    def cut_off(self, seconds):
        for way in self.ways:
            way.fall_silent()
        time.sleep(seconds)
        for way in self.ways:
            way.speak()

    def turns(self):
        """How often it has begun to serve in another one's place."""
        return self.log(1 << 30).count("this node serves from now on")

    def close(self):
        super().close()
        for way in self.ways:
            way.close()


class Nodes:
    """Two of them, and one that computes; whichever serves is faulted."""

    def __init__(self, databases, folder):
        self.databases, self.all = databases, []
        for name in ("first", "second"):
            self.all.append(Node(databases, folder / name))
        self.computing = WorkerNode(databases.address, folder / "computing", "--workers", 1)

    def roles(self):
        """Who serves, and who stands by; None while that is not so."""
        with contextlib.suppress(OSError, http.client.HTTPException, AssertionError, KeyError), self.all[1].client(timeout=5) as client:
            listed = {one["process"]: one["role"] for one in client.get("/v1/nodes").expect(200).json["items"] if one["state"] != "gone"}
            found = {listed[node.pid]: node for node in self.all}
            return found if set(found) == {"serving", "standing_by"} else None

    def settle(self):
        return until(self.roles, LONG, 0.1, what="a node that serves, and one that stands by")

    def past(self):
        """The serving node was not seen for long."""
        def said():
            with contextlib.suppress(AssertionError):
                return self.databases.query(PAST) is not None
        until(said, LONG)

    def tell(self):
        """What became of them, for who reads of a failure."""
        for node in self.all:
            told = [line for line in node.log(1 << 30).splitlines() if '"message":"request"' not in line and '"message":"job ended"' not in line]
            print(node.port, "runs" if node.running else f"ended with {node.child.poll()}", *told[-12:], sep="\n  ")

    def revive(self, node):
        """It sees that another one has taken its place, and ends; its supervisor starts it again."""
        assert node.wait(LONG) == 1
        node.child.stdout.close()
        node.start()

    def close(self):
        self.computing.close()
        for node in self.all:
            if node.running:
                node.signal(signal.SIGCONT)
            node.close()


def until_replaced(standing, before):
    until(lambda: standing.turns() > before, LONG, what="the other node to serve")


def stop(nodes, serving, standing):
    serving.terminate(LONG)
    serving.start()


def kill_for_a_moment(nodes, serving, standing):
    serving.restart(kill=True)


def kill_for_long(nodes, serving, standing):
    before = standing.turns()
    serving.kill()
    nodes.past()
    until_replaced(standing, before)
    serving.child.stdout.close()
    serving.start()


def freeze(nodes, serving, standing):
    before = standing.turns()
    serving.signal(signal.SIGSTOP)
    nodes.past()
    until_replaced(standing, before)
    serving.signal(signal.SIGCONT)
    nodes.revive(serving)


def freeze_for_a_minute(nodes, serving, standing):
    before, thaws = standing.turns(), time.monotonic() + 60
    serving.signal(signal.SIGSTOP)
    until_replaced(standing, before)
    time.sleep(max(0, thaws - time.monotonic()))
    serving.signal(signal.SIGCONT)
    nodes.revive(serving)


def kill_the_one_that_stands_by(nodes, serving, standing):
    standing.restart(kill=True)


def kill_a_worker(nodes, serving, standing):
    for child in serving.children("worker")[:1]:
        os.kill(child, signal.SIGKILL)


def kill_the_worker_node(nodes, serving, standing):
    nodes.computing.kill()
    nodes.computing.child.stdout.close()
    nodes.computing.start()


def crash_the_database(nodes, serving, standing):
    nodes.databases.crash()


def cut_off(nodes, serving, standing):
    """Longer than its lease, and another one takes its place; else it goes on."""
    seconds, before = nodes.chance.uniform(1, 60 if SOAK else 3), standing.turns()
    serving.cut_off(seconds)
    if seconds > 15:  # it may be either: the last renewal was some seconds before
        time.sleep(5)
        if standing.turns() > before:
            nodes.revive(serving)


def jump_the_clock(nodes, serving, standing):
    for node in (serving, standing):
        if node.clock:
            node.clock.jump(nodes.chance.choice((-3600, -40, 0, 40, 3600)))  # keys that a day has passed are forgotten


FAULTS = [stop, kill_for_a_moment, kill_for_long, freeze, kill_the_one_that_stands_by, kill_a_worker, kill_the_worker_node, crash_the_database, cut_off,
          jump_the_clock] + SOAK * [freeze_for_a_minute]


class Clerk(threading.Thread):
    """Writes robots and jobs through either node, repeats what was not answered with the same key, and keeps what was."""

    def __init__(self, nodes, number):
        super().__init__()
        self.nodes, self.number, self.chance = nodes, number, random.Random(SEED + number)
        self.robots, self.jobs, self.ending, self.odd = {}, {}, threading.Event(), []

    def ask(self, path, body, key):
        """The answer that was given in the end; None: it is to end."""
        while not self.ending.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException), self.chance.choice(self.nodes.all).client(timeout=20) as client:
                answer = client.post(path, body, query={"allow_unphysical": "true"} if path == "/v1/robots" else None, headers={"Idempotency-Key": key})
                if answer.status in (201, 202):
                    return answer.json
                if answer.status not in (429, 503) and (answer.status, answer.json.get("type")) != (409, "/problems/request-in-flight"):
                    self.odd.append((answer.status, answer.body))
            time.sleep(0.05)
        return None

    def run(self):
        k = 0
        while not self.ending.is_set():
            k += 1
            key = f"{self.number}-{k}"
            made = self.ask("/v1/robots", {**robot("scara"), "name": f"arm-{key}"}, f"arm-{key}")
            if made:
                self.robots[f"arm-{key}"] = made["revision"]
            job = self.ask("/v1/robots/puma/trajectories", motion(), f"job-{key}") if made and k % 4 == 0 else None
            if job:
                self.jobs[f"job-{key}"] = job["id"]
            time.sleep(0.02)


def fail_over(nodes, databases):
    """The primary is lost, its standby takes its place, and gets one of its own: addresses that name the former pair find it."""
    lost, databases.primary = databases.primary, databases.standby
    lost.stop("immediate")
    for node in nodes.all:  # libpq asks the next host where one refuses, not where one hangs up
        node.ways[0].close()
    databases.primary.promote()
    databases.standby = postgresql.Cluster(of=databases.primary, **FSYNC)
    return lost


def check(databases, clerks):
    robots = dict(databases.query("SELECT name, count(*) FROM robots GROUP BY name"))
    jobs = [one for one, in databases.query("SELECT id FROM jobs")]
    acknowledged = {name for clerk in clerks for name in clerk.robots}
    assert acknowledged <= set(robots) and set(robots.values()) == {"1"}
    assert {revision for clerk in clerks for revision in clerk.robots.values()} == {1}
    known = {job for clerk in clerks for job in clerk.jobs.values()}
    # One job a key: those that nobody was told of are the last ones of each clerk.
    assert known <= set(jobs) and len(jobs) <= len(known) + len(clerks) and sum(len(clerk.jobs) for clerk in clerks) == len(known)
    results = dict(databases.query("SELECT job, count(*) FROM results GROUP BY job"))
    assert set(results.values()) <= {"1"} and set(results) == set(jobs)
    assert not [odd for clerk in clerks for odd in clerk.odd]
    return len(acknowledged), len(known)


def audit_is_whole(databases, folder):
    done = subprocess.run([binary(), "audit", "verify", "--store", databases.address, "--data", folder], capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_was_acknowledged_is_there_once(tmp_path):
    chance, databases, lost, done = random.Random(SEED), Databases(), [], collections.Counter()
    print(f"ARMDYN_SEED={SEED}")
    nodes = Nodes(databases, tmp_path)
    nodes.chance = chance
    try:
        with nodes.settle()["serving"].client(timeout=LONG) as client:
            client.create_robot({**robot("puma560"), "name": "puma"})
        clerks = [Clerk(nodes, number) for number in range(3)]
        for clerk in clerks:
            clerk.start()
        faults = [fault for _ in range(ROUNDS // len(FAULTS) + 1) for fault in chance.sample(FAULTS, len(FAULTS))][:ROUNDS]
        for at, fault in enumerate(faults):
            if at == ROUNDS // 2:
                lost.append(fail_over(nodes, databases))
            roles = nodes.settle()
            before = sum(len(clerk.robots) for clerk in clerks)
            time.sleep(chance.uniform(0, 0.5))
            fault(nodes, roles["serving"], roles["standing_by"])
            nodes.settle()
            until(lambda: sum(len(clerk.robots) for clerk in clerks) > before, LONG, what=f"writes after {fault.__name__}")
            done[fault.__name__] += 1
            if SOAK:
                print(at + 1, fault.__name__, sum(len(clerk.robots) for clerk in clerks), sum(len(clerk.jobs) for clerk in clerks), flush=True)
        for clerk in clerks:
            clerk.ending.set()
        for clerk in clerks:
            clerk.join()
        waiting = "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')"
        until(lambda: databases.query(waiting) == [["0"]], LONG, what="the jobs to end")
        robots, jobs = check(databases, clerks)
        print(json.dumps({"faults": ROUNDS + 1, "robots": robots, "jobs": jobs, "kinds": {"fail_over": 1, **done}}))
        assert robots >= ROUNDS and jobs > 0
        audit_is_whole(databases, tmp_path / "audit")
    except AssertionError:
        nodes.tell()
        print(dict(done), [clerk.is_alive() for clerk in clerks])
        raise
    finally:
        for clerk in locals().get("clerks", ()):
            clerk.ending.set()
        nodes.close()
        databases.close()
        for one in lost:
            one.close()
