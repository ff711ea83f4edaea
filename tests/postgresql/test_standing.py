"""Two nodes at one database: either answers every call, and when the one that serves is gone, killed, frozen or stopped, the other
one serves, with nothing lost and nothing done twice."""

import concurrent.futures
import re
import signal
import subprocess
import threading
import time

import pytest

from support import ControllerSim, postgresql, robot, unique_name, until
from support.events import EventStream
from support.migrations import migrations
from support.motions import long_motion, motion
from support.process import binary, free_port

LONG = 60
PAST = "UPDATE holder SET renewed = renewed - interval '31 s'"


@pytest.fixture
def node(serve):
    """node(address, *flags): one that other nodes can reach, and that stands by when the store is held."""
    def start(address, *flags, port=None, **options):
        port = port or free_port()
        return serve(address, "--node-address", f"127.0.0.1:{port}", "--workers", 1, *flags, listen=f"127.0.0.1:{port}", **options)
    return start


@pytest.fixture
def pair(node):
    address = postgresql.shared().make()
    first = node(address)
    second = node(address)
    until(lambda: "standing by for" in second.log(), LONG, what="a node that stands by")
    return first, second, address


def add(client, name, **headers):
    return client.post("/v1/robots", {**robot("scara"), "name": name}, query={"allow_unphysical": "true"}, headers=headers)


def roles(client):
    return {one["process"]: (one["role"], one["state"]) for one in client.get("/v1/nodes").expect(200).json["items"]}


def serves(node, other):
    """The node has taken the other's place."""
    def check():
        with node.client(timeout=LONG) as client:
            return roles(client)[node.pid] == ("serving", "serving")

    def holds():
        try:
            return check()
        except (OSError, KeyError, AssertionError):
            return False
    until(holds, LONG, what=f"{node.pid} to serve in place of {other.pid}")


def test_either_node_answers_every_call(pair):
    first, second, address = pair
    with first.client(timeout=LONG) as one, second.client(timeout=LONG) as other, EventStream(first) as here, EventStream(second) as there:
        until(lambda: roles(one) == {first.pid: ("serving", "serving"), second.pid: ("standing_by", "standing_by")}, LONG, what="both nodes in the list")
        assert roles(other) == roles(one)
        arm = one.create_robot(robot("puma560")).headers["Location"]
        assert other.get(arm).json == one.get(arm).json
        # The same key is one request, wherever it comes in, and what is changed at one is seen at the other at once.
        made = [add(client, "once", **{"Idempotency-Key": "k"}) for client in (one, other)]
        assert [answer.status for answer in made] == [201, 201] and made[0].json == made[1].json
        for k in range(10):
            add(other, f"arm-{k}").expect(201)
            assert one.get(f"/v1/robots/arm-{k}").status == 200
        # Queued at one, seen and cancelled at the other; streams of both see all of it, in one order, once.
        jobs = [client.post(arm + "/trajectories", motion()).expect(202).json["id"] for client in (one, other) * 3]
        long = other.post(arm + "/trajectories", long_motion(1000)).expect(202).json["id"]
        assert one.get(f"/v1/jobs/{long}").json["state"] in ("queued", "running")
        one.post(f"/v1/jobs/{long}/cancel").expect(200)
        until(lambda: other.get(f"/v1/jobs/{long}").json["state"] == "cancelled", LONG)
        ended = lambda event: event.name.startswith("job") and event.data.get("id") == long and event.data.get("state") == "cancelled"
        seen = [[(event.id, event.name, event.data.get("id")) for event in stream.until(ended, LONG) if event.id] for stream in (here, there)]
        assert seen[0] == seen[1] and len(set(seen[0])) == len(seen[0])
        assert sorted({job for _, _, job in seen[0]} & set(jobs)) == sorted(jobs)


def test_what_is_large_goes_through_whole(pair):
    """Uploads and answers of megabytes, many at once, are the same by either node."""
    first, second, _ = pair
    q = [[0.001 * k, 0.2, 0.1, 0.3] for k in range(20000)]
    body = {"q": q, "qd": q, "qdd": q}
    with first.client(timeout=LONG) as client:
        add(client, "arm").expect(201)

    def compute(node):
        with node.client(timeout=LONG) as client:
            return client.post("/v1/robots/arm/inverse-dynamics", body).expect(200).body
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(compute, [first, second] * 3))
    assert len(set(answers)) == 1 and len(answers[0]) > 1e6


def test_a_node_that_stops_is_followed_at_once(pair):
    """Clients that repeat what was not answered lose nothing: every robot is there, and no acknowledged one is lost."""
    first, second, address = pair
    acknowledged, ending, refused = [], threading.Event(), []

    def write(number):
        for k in range(10000):
            name = f"arm-{number}-{k}"
            while not ending.is_set():
                try:
                    with second.client(timeout=LONG) as client:
                        answer = add(client, name, **{"Idempotency-Key": name})
                    if answer.status == 201:
                        acknowledged.append(name)
                        break
                    refused.append(answer.status)
                except OSError:
                    time.sleep(0.02)
            if ending.is_set():
                return
    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    until(lambda: len(acknowledged) > 20, LONG)
    before = len(acknowledged)
    first.terminate()
    stopped = time.monotonic()
    serves(second, first)
    until(lambda: len(acknowledged) > before + 20, LONG)
    took = time.monotonic() - stopped
    ending.set()
    for thread in threads:
        thread.join()
    names = [name for name, in postgresql.shared().query(address, "SELECT name FROM robots")]
    assert len(names) == len(set(names)) and set(acknowledged) <= set(names)
    assert len(acknowledged) == len(set(acknowledged)) and set(refused) <= {503}
    assert took < 30


def made_last():
    """What the newest migration makes, as (what takes it back, what asks for it); a trigger that it makes anew is there before it,
    too. It does nothing else that could be missing."""
    text = re.sub(r"--.*", "", migrations("postgresql")[-1].read_text(encoding="utf-8"))
    made = [(f"DROP {kind} {name}", f"SELECT count(*) FROM pg_class WHERE relname = '{name}'")
            for kind, name in re.findall(r"^\s*CREATE (TABLE|INDEX) (\w+)", text, re.MULTILINE)]
    made += [(f"ALTER TABLE {table} DROP COLUMN {column}",
              f"SELECT count(*) FROM information_schema.columns WHERE table_name = '{table}' AND column_name = '{column}'")
             for table, column in re.findall(r"^\s*ALTER TABLE (\w+) ADD COLUMN (\w+)", text, re.MULTILINE)]
    anew = re.findall(r"^\s*DROP TRIGGER (\w+) ON (\w+);\s*CREATE TRIGGER \1 [^;]* ON \2 ", text, re.MULTILINE)
    assert len(made) + 2 * len(anew) == len(list(filter(str.strip, text.split(";")))), f"this test knows no schema before: {text}"
    return made


def test_a_newer_node_stands_by_for_an_older_one_and_upgrades_when_it_serves(node):
    """The older one is this program at the schema before: what it has not heard of is not there."""
    address, query = postgresql.shared().make(), postgresql.shared().query
    first = node(address)
    newest = query(address, "SELECT max(version) FROM schema_version")
    for back, _ in made_last():
        query(address, back)
    query(address, "DELETE FROM schema_version WHERE version = (SELECT max(version) FROM schema_version)")
    second = node(address)
    until(lambda: "STOP can be sent from here" in second.log(), LONG, what="a node that stands by")
    with second.client(timeout=LONG) as client:
        add(client, "at-the-older").expect(201)
        job = client.post("/v1/robots/at-the-older/trajectories", {**motion(), "method": "quintic"}).json.get("id")
    assert query(address, "SELECT max(version) FROM schema_version") != newest
    first.terminate()
    serves(second, first)
    with second.client(timeout=LONG) as client:
        assert client.get("/v1/robots/at-the-older").status == 200
        assert not job or until(lambda: client.get(f"/v1/jobs/{job}").json["state"] in ("succeeded", "failed"), LONG)
    assert query(address, "SELECT max(version) FROM schema_version") == newest
    for _, asks in made_last():
        assert query(address, asks) == [["1"]]


def test_jobs_of_a_node_that_is_killed_end_once_at_the_other(pair):
    first, second, address = pair
    with second.client(timeout=LONG) as client:
        arm = client.create_robot(robot("puma560")).headers["Location"]
        jobs = [client.post(arm + "/trajectories", long_motion(60)).expect(202).json["id"] for _ in range(4)]
        until(lambda: client.get(f"/v1/jobs/{jobs[0]}").json["state"] == "running", LONG)
    first.kill()
    time.sleep(1)
    assert "this node serves from now on" not in second.log()  # it was seen a moment ago
    postgresql.shared().query(address, PAST)
    serves(second, first)
    with second.client(timeout=LONG) as client:
        until(lambda: {client.get(f"/v1/jobs/{one}").json["state"] for one in jobs} == {"succeeded"}, 2 * LONG)
    assert sorted(postgresql.shared().query(address, "SELECT job, count(*) FROM results GROUP BY job")) == sorted([one, "1"] for one in jobs)


def test_a_node_that_was_frozen_ends_when_it_thaws_and_stands_by_when_it_is_started_again(pair, node):
    first, second, address = pair
    with first.client(timeout=LONG) as client:
        add(client, "before").expect(201)
    first.signal(signal.SIGSTOP)
    postgresql.shared().query(address, PAST)
    serves(second, first)
    with second.client(timeout=LONG) as client:
        add(client, "of-the-second").expect(201)
    first.signal(signal.SIGCONT)
    assert first.wait() == 1  # a supervisor starts it again
    assert "another armdyn holds the store" in first.log()
    first.start()
    until(lambda: first.log().count("standing by for") == 1, LONG)
    with first.client(timeout=LONG) as client:
        assert client.get("/v1/robots/of-the-second").status == 200
        until(lambda: roles(client) == {second.pid: ("serving", "serving"), first.pid: ("standing_by", "standing_by")}, LONG)


def test_stop_goes_through_while_the_database_is_away(cluster, node):
    """It asks none, at either node."""
    address = cluster.make()
    first, second = node(address), node(address)
    until(lambda: "standing by for" in second.log(), LONG)
    with ControllerSim("--axes", 6) as sim, second.client(timeout=LONG) as client:
        name = unique_name("cell")
        client.create_robot(robot("puma560"))
        document = {"name": name, "robot": "puma560", "host": "127.0.0.1", "port": sim.port, "profile": {"protocol": "armdyn-v2"}}
        client.post("/v1/controllers", document).expect(201)
        cluster.stop("immediate")
        took = []
        for _ in range(5):
            begun = time.monotonic()
            assert client.post(f"/v1/controllers/{name}/stop").expect(200).json["confirmed"]
            took.append(time.monotonic() - begun)
        assert sorted(took)[2] < 1  # of a loaded machine; the figure is test_stop_in_time's
        cluster.start()
        until(lambda: client.get("/readyz").status == 200, LONG)
        assert roles(client)[first.pid][0] == "serving"


def refused(address, folder, *flags):
    done = subprocess.run([binary(), "serve", "--listen", "127.0.0.1:0", "--data", folder, *flags], capture_output=True, text=True,
                          timeout=LONG, env={"ARMDYN_STORE": address})
    assert done.returncode, done.stderr
    return done.stderr


def test_what_cannot_be_is_said(serve, node, tmp_path):
    address = postgresql.shared().make()
    alone = serve(address)
    told = refused(address, tmp_path / "a", "--node-address", "127.0.0.1:8081")
    assert f"process {alone.pid}" in told and "has no --node-address" in told
    assert "with --node-address, which both need" in refused(address, tmp_path / "a")
    alone.terminate()
    first = node(address)
    assert "is that of the armdyn on" in refused(address, tmp_path / "a", "--node-address", f"127.0.0.1:{first.port}")
    for wrong in ("nowhere", ":8080", "here:0"):
        assert f"'{wrong}' is no HOST:PORT" in refused(address, tmp_path / "a", "--node-address", wrong)
    assert "a store in a file has one node" in refused("", tmp_path / "a", "--node-address", "127.0.0.1:8081")
    first.kill()


def test_a_node_that_stands_by_ends_when_it_is_asked_to(pair):
    first, second, address = pair
    with first.client(timeout=LONG) as client:
        until(lambda: second.pid in roles(client), LONG)
        second.signal(signal.SIGHUP)
        with second.client(timeout=LONG) as other:
            other.get("/healthz").expect(200)
        assert second.terminate() == 0
        assert roles(client) == {first.pid: ("serving", "serving")}
        add(client, "arm").expect(201)
