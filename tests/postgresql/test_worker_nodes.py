"""Worker nodes: jobs of one service computed on others, through kills, freezes and stops of them; every job ends once."""

import os
import signal
import subprocess
import time

import pytest

from support import postgresql, robot, until
from support.motions import long_motion, motion
from support.process import binary
from support.worker_node import WorkerNode

LONG = 60


@pytest.fixture
def node(tmp_path):
    started = []

    def start(address, *flags, name=None):
        started.append(WorkerNode(address, tmp_path / (name or f"node{len(started)}"), *flags))
        return started[-1]
    yield start
    for one in reversed(started):
        if one.running:
            one.freeze(signal.SIGCONT)
        one.close()


def work(client, arm, count, **more):
    return [client.post(arm + "/trajectories", {**motion(), **more}).expect(202).json["id"] for _ in range(count)]


def ended(client, ids):
    states = [client.get(f"/v1/jobs/{one}").json["state"] for one in ids]
    return all(state not in ("queued", "running") for state in states) and states


def nodes(client, **conditions):
    return [one for one in client.get("/v1/nodes").expect(200).json["items"] if all(one[name] == value for name, value in conditions.items())]


@pytest.fixture
def service(serve):
    """serve(...) at a database of its own, with one worker and an arm: the server, a client, the arm's path, the address."""
    address = postgresql.shared().make()
    server = serve(address, "--workers", 1)
    with server.client(timeout=LONG) as client:
        yield server, client, client.create_robot(robot("puma560")).headers["Location"], address


def computing(client, workers):
    return lambda: sum(one["ready"] for one in nodes(client, role="worker", state="computing")) == workers


def ended_once(address, ids):
    """Of every job one result and one event: nothing is lost, nothing is done twice."""
    query = postgresql.shared().query
    assert sorted(query(address, "SELECT job, count(*) FROM results GROUP BY job")) == sorted([one, "1"] for one in ids)
    assert sorted(query(address, "SELECT job, count(*) FROM events WHERE type LIKE 'job.%' GROUP BY job")) == sorted([one, "1"] for one in ids)


def of(client, job):
    return client.get(f"/v1/jobs/{job}").json


def test_jobs_are_computed_on_other_nodes(service, node):
    server, client, arm, address = service
    alone, = client.get("/v1/nodes").json["items"]
    assert (alone["role"], alone["state"], alone["workers"], alone["process"]) == ("serving", "serving", 1, server.pid)
    first, second = node(address, "--workers", 2), node(address, "--workers", 1)
    until(computing(client, 3), timeout=LONG)
    assert {one["process"]: one["workers"] for one in nodes(client, role="worker")} == {first.pid: 2, second.pid: 1}
    long = work(client, arm, 1, **long_motion(1000))
    ids = work(client, arm, 3, **long_motion(150))
    until(lambda: sum(one["running"] for one in nodes(client, role="worker")) == 3, timeout=LONG)
    ids += work(client, arm, 20)
    until(lambda: ended(client, ids), timeout=LONG)
    assert set(ended(client, ids)) == {"succeeded"} and of(client, long[0])["state"] == "running"
    ended_once(address, ids)
    client.post(f"/v1/jobs/{long[0]}/cancel").expect(200)
    # What was computed there is what is computed here.
    documents = [client.get(of(client, one)["result"]["href"]).json for one in ids[3:]]
    assert len({repr(document["energy"] if "energy" in document else document["duration"]) for document in documents}) == 1


def test_a_node_that_is_killed_loses_its_jobs_to_others(service, node):
    server, client, arm, address = service
    doomed = node(address, "--workers", 2)
    until(computing(client, 2), timeout=LONG)
    ids = work(client, arm, 3, **long_motion(150))
    until(lambda: sum(one["running"] for one in nodes(client, role="worker")) == 2, timeout=LONG)
    os.killpg(doomed.pid, signal.SIGKILL)
    doomed.wait()
    until(lambda: ended(client, ids), timeout=LONG)
    assert set(ended(client, ids)) == {"succeeded"}
    assert sorted(of(client, one)["attempt"] for one in ids) == [1, 2, 2]
    ended_once(address, ids)
    postgresql.shared().query(address, "UPDATE nodes SET seen = seen - interval '15 s'")
    until(lambda: nodes(client, role="worker", state="gone", ready=0), timeout=LONG)


def test_what_a_frozen_node_computed_is_refused_when_it_thaws(service, node):
    server, client, arm, address = service
    frozen = node(address, "--workers", 1)
    until(computing(client, 1), timeout=LONG)
    ids = work(client, arm, 2, **long_motion(200))
    until(lambda: nodes(client, role="worker", running=1), timeout=LONG)
    frozen.freeze(signal.SIGSTOP)
    until(lambda: ended(client, ids), timeout=LONG)
    assert sorted(of(client, one)["attempt"] for one in ids) == [1, 2]
    before = [of(client, one)["result"] for one in ids]
    frozen.freeze(signal.SIGCONT)
    until(lambda: "is refused" in frozen.log() or "who gave it jobs ended" in frozen.log(), timeout=LONG)
    until(computing(client, 1), timeout=LONG)  # and it is given jobs again
    more = work(client, arm, 4, **long_motion(50))
    until(lambda: ended(client, more), timeout=LONG)
    assert [of(client, one)["result"] for one in ids] == before
    ended_once(address, ids + more)


def test_the_serving_node_is_killed_and_the_others_go_on_for_the_next(service, node):
    server, client, arm, address = service
    node(address, "--workers", 2)
    until(computing(client, 2), timeout=LONG)
    ids = work(client, arm, 6, **long_motion(100))
    until(lambda: nodes(client, role="worker", running=2), timeout=LONG)
    server.restart(kill=True)
    with server.client(timeout=LONG) as again:
        until(lambda: ended(again, ids), timeout=LONG)
        assert set(ended(again, ids)) == {"succeeded"}
        assert nodes(again, role="worker", workers=2)
    ended_once(address, ids)


def test_a_node_that_is_stopped_ends_its_job_and_takes_no_more(service, node):
    server, client, arm, address = service
    leaving = node(address, "--workers", 1)
    until(computing(client, 1), timeout=LONG)
    ids = work(client, arm, 2, **long_motion(200))
    until(lambda: nodes(client, role="worker", running=1), timeout=LONG)
    ids += work(client, arm, 1)
    assert leaving.terminate(timeout=3 * LONG) == 0
    until(lambda: ended(client, ids), timeout=LONG)
    assert {(of(client, one)["state"], of(client, one)["attempt"]) for one in ids} == {("succeeded", 1)}
    assert not nodes(client, role="worker")


def test_a_job_on_another_node_is_cancelled(service, node):
    server, client, arm, address = service
    far = node(address, "--workers", 1)
    until(computing(client, 1), timeout=LONG)
    ids = work(client, arm, 2, **long_motion(1000))
    until(lambda: nodes(client, role="worker", running=1), timeout=LONG)
    for one in ids:
        client.post(f"/v1/jobs/{one}/cancel").expect(200, 202)
    until(lambda: set(ended(client, ids) or []) == {"cancelled"}, timeout=LONG)
    until(computing(client, 1), timeout=LONG)
    last = work(client, arm, 3)
    until(lambda: ended(client, last), timeout=LONG)
    ended_jobs = [of(client, one)["attempt"] for one in last]
    assert ended_jobs == [1, 1, 1] and far.running


def test_a_database_that_dies_loses_no_job(serve, node, cluster):
    address = cluster.make()
    server = serve(address, "--workers", 1)
    with server.client(timeout=LONG) as client:
        arm = client.create_robot(robot("puma560")).headers["Location"]
        node(address, "--workers", 1)
        until(computing(client, 1), timeout=LONG)
        ids = work(client, arm, 4, **long_motion(100))
        until(lambda: nodes(client, role="worker", running=1), timeout=LONG)
        cluster.stop()
        time.sleep(1)
        cluster.start()
        until(lambda: client.get("/readyz").status == 200 and ended(client, ids), timeout=LONG)
        assert set(ended(client, ids)) == {"succeeded"}
        until(computing(client, 1), timeout=LONG)
    assert sorted(cluster.query(address, "SELECT job, count(*) FROM results GROUP BY job")) == sorted([one, "1"] for one in ids)


def test_a_node_of_another_version_is_given_nothing(service):
    server, client, arm, address = service
    postgresql.shared().query(address, "INSERT INTO nodes VALUES ('01ABCDEFGHJKMNPQRSTVWXYZ01', 'old', 1, '0.0.1', 4, '2026-01-01T00:00:00.000Z', 0, clock_timestamp())")
    strange, = nodes(client, role="worker")
    assert (strange["state"], strange["ready"], strange["version"]) == ("other_version", 0, "0.0.1")
    until(lambda: "another version is given no jobs" in server.log(), timeout=LONG)


def test_what_it_refuses(service, tmp_path, node):
    server, client, arm, address = service

    def told(*flags, store=address):
        done = subprocess.run([binary(), "worker-node", *map(str, flags)], env={**os.environ, "ARMDYN_STORE": store}, capture_output=True, text=True, timeout=LONG)
        return done.returncode, done.stderr
    assert told(store="") == (2, "armdyn worker-node: --store: '' is no address of PostgreSQL: a store in a file has one node\n")
    assert told("--workers", "65")[0] == 2 and "--workers must be a number from 1 to 64, got '65'" in told("--workers", "65")[1]
    assert told("--listen", "x")[0] == 2
    node(address, name="one")
    status, why = told("--data", tmp_path / "one")
    assert status == 1 and "is held by another armdyn" in why
    empty = postgresql.shared().make()
    status, why = told("--data", tmp_path / "two", store=empty)
    assert status == 1 and "upgrade the serving node first" in why
    for command in ("worker-relay",):
        assert subprocess.run([binary(), command], capture_output=True, timeout=LONG).returncode == 2
