"""Fair shares: whoever takes all that he can get, connections, streams, places in the queue, workers, leaves something to
others; and a stop, what watches the service and what administers it are always answered."""

import contextlib
import json
import os
import select
import signal
import socket

import pytest

from support import ControllerSim, Server, robot, until
from support.events import EventStream
from support.motions import long_motion, motion
from support.tls import shared

ADMIN = "a-key-of-an-administrator"
SLOTS = 120  # of one event thread


def new_key(admin, name, role="engineer"):
    return admin.post("/v1/keys", {"name": name, "role": role}).expect(201).json["secret"]


def fill(server, admin, sim):
    """An arm, and who uses it."""
    admin.create_robot(robot("scara"), name="arm")
    profile = {"protocol": "armdyn-v2", "start_tolerance": 0.05}
    admin.post("/v1/controllers", {"name": "cell", "host": "127.0.0.1", "port": sim.port, "robot": "arm", "profile": profile}).expect(201)
    server.operator, server.viewer = new_key(admin, "mes", "operator"), new_key(admin, "greedy", "viewer")


@pytest.fixture(params=["plain", "TLS"])
def small(request):
    """A service with one event thread, and an arm."""
    tls = shared() if request.param == "TLS" else None
    with Server("--http-threads", 1, key=ADMIN, tls=tls) as server, ControllerSim("--axes", 4) as sim:
        with server.client() as admin:
            fill(server, admin, sim)
        yield server


def open_all(server, count):
    """Connections that have been served once, are kept, and say no more."""
    with contextlib.ExitStack() as stack:
        def is_kept():  # not while one that was closed before still has its place
            with contextlib.ExitStack() as one:
                client = one.enter_context(server.client(key=server.viewer))
                if (client.get("/healthz").expect(200).headers["Connection"] or "").lower() == "close":
                    return False
                stack.push(one.pop_all())
                return True
        for _ in range(count):
            until(is_kept, what="a place for a connection")
        return stack.pop_all()


def figure(text, name):
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(name + " "))


def urgent_calls_are_answered(server):
    with server.client(key=server.operator, check=False) as mes:
        stop = mes.post("/v1/controllers/cell/stop").expect(200)
        assert stop.json["confirmed"], stop.json
        assert stop.headers["Connection"].lower() == "close"
    for key, path in ((None, "/readyz"), (None, "/healthz"), (ADMIN, "/v1/keys"), (ADMIN, "/v1/jobs"), (ADMIN, "/metrics")):
        with server.client(key=key) as client:
            assert client.get(path).expect(200).headers["Connection"].lower() == "close"


def refused(server, status, problem, words):
    with server.client(key=server.viewer, check=False) as client:
        answer = client.get("/v1/robots").expect(status)
    assert answer.json["type"] == f"/problems/{problem}" and words in answer.json["detail"] and answer.headers["Retry-After"]
    assert answer.headers["Connection"].lower() == "close"


def test_when_all_connections_are_taken_a_stop_and_an_administrator_are_answered(small):
    with open_all(small, SLOTS):
        urgent_calls_are_answered(small)
        refused(small, 503, "unavailable", "all connections")
        with contextlib.ExitStack() as silent:  # who says nothing in the reserve makes room for who comes
            for _ in range(3 * SLOTS):
                with contextlib.suppress(OSError):
                    silent.enter_context(socket.create_connection((small.host, small.port), timeout=60))
            urgent_calls_are_answered(small)
        with small.client(key=ADMIN) as admin:
            assert figure(admin.get("/metrics").text, "armdyn_http_turned_away_total") >= 1

    def served():
        with small.client(key=small.viewer, check=False) as client:
            return client.get("/v1/robots").status == 200
    until(served, what="room after the greedy one has gone")


def test_an_address_with_all_its_connections_can_still_stop_and_administer():
    with Server("--connections-per-address", 3, key=ADMIN) as server, ControllerSim("--axes", 4) as sim:
        with server.client() as admin:
            fill(server, admin, sim)
        with open_all(server, 3):
            urgent_calls_are_answered(server)
            refused(server, 429, "too-many-requests", "--connections-per-address")


def test_streams_of_one_key_leave_others_theirs():
    with Server("--streams-per-key", 2, key=ADMIN) as server, server.client() as admin, contextlib.ExitStack() as stack:
        greedy, other = new_key(admin, "greedy", "viewer"), new_key(admin, "other", "viewer")

        def open_stream(key):
            return stack.enter_context(EventStream(server, "/v1/events", key=key))
        assert [open_stream(greedy).status for _ in range(3)] == [200, 200, 429]
        assert open_stream(other).status == 200
        with server.client(key=greedy) as client:
            problem = client.get("/v1/events").expect(429)
            assert "--streams-per-key" in problem.json["detail"] and problem.headers["Retry-After"]
        text = admin.get("/metrics").text
        assert figure(text, "armdyn_streams_per_key_limit") == 2 and figure(text, "armdyn_streams_share_refusals_total") == 2
        stack.close()

        def again():
            with EventStream(server, "/v1/events", key=greedy) as stream:
                return stream.status == 200
        until(again, what="room for a stream")


def test_a_key_that_waits_with_many_connections_leaves_places_to_others():
    """Of 120 connections 60 may wait: one key gets 30 of these, the next 15; beyond that, 202 comes at once."""
    with Server("--workers", 1, "--http-threads", 1, "--child-silence", 600, key=ADMIN) as server, server.client() as admin, contextlib.ExitStack() as stack:
        admin.create_robot(robot("scara"), name="arm")
        keys = new_key(admin, "greedy"), new_key(admin, "other")
        worker, = until(lambda: server.children("worker"))
        os.kill(worker, signal.SIGSTOP)
        stack.callback(os.kill, worker, signal.SIGCONT)
        body = json.dumps({"method": "quintic", "start": {"q": [0] * 4}, "goal": {"q": [0.1] * 4}, "duration": 1})
        for key, asks, waits in ((keys[0], 40, 30), (keys[1], 20, 15)):
            request = (f"POST /v1/robots/arm/trajectories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nPrefer: wait=60\r\n"
                       f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
            socks = [stack.enter_context(server.connect()) for _ in range(asks)]
            for sock in socks:
                sock.sendall(request)
            answered = until(lambda socks=socks, count=asks - waits: len(ready := select.select(socks, [], [], 0)[0]) >= count and ready)
            assert [sock.recv(12) for sock in answered] == [b"HTTP/1.1 202"] * (asks - waits)
        assert figure(admin.get("/metrics").text, "armdyn_http_waiting") == 45


def is_running(client, path):
    return client.get(path).json["state"] == "running"


def test_one_worker_stays_for_others_and_a_queue_is_shared():
    """The greedy key's jobs are shared out by key also after a restart."""
    with Server("--workers", 2, "--running-jobs-per-key", 1, "--waiting-jobs-per-key", 5, key=ADMIN) as server, server.client() as admin:
        admin.create_robot(robot("puma560"), name="arm")
        keys = new_key(admin, "greedy"), new_key(admin, "other")
        with server.client(key=keys[0]) as greedy:
            first = greedy.post("/v1/robots/arm/trajectories", long_motion(1000)).expect(202).headers["Location"]
            until(lambda: is_running(greedy, first))
            for _ in range(5):
                greedy.post("/v1/robots/arm/trajectories", long_motion(1000)).expect(202)
            refusal = greedy.post("/v1/robots/arm/trajectories", long_motion(1000)).expect(429)
            assert "--waiting-jobs-per-key" in refusal.json["detail"] and refusal.headers["Retry-After"]
        with server.client(key=keys[1]) as other:
            assert other.result_of("/v1/robots/arm/trajectories", motion())
        text = admin.get("/metrics").text
        assert figure(text, "armdyn_jobs_waiting_per_key_limit") == 5 and figure(text, "armdyn_jobs_running_per_key_limit") == 1
        assert figure(text, "armdyn_jobs_share_refusals_total") == 1
        server.restart(kill=True)
        with server.client(key=keys[0]) as greedy, server.client(key=keys[1]) as other:
            for _ in range(5):  # six were left, one of which runs
                if greedy.post("/v1/robots/arm/trajectories", long_motion(1000)).status == 429:
                    break
            else:
                pytest.fail("nobody remembers whose jobs they are")
            assert other.result_of("/v1/robots/arm/trajectories", motion())
            cancel_all(greedy)


def cancel_all(client):
    def none():
        left = [job for state in ("queued", "running") for job in client.get("/v1/jobs", query={"state": state, "limit": 200}).json["items"]]
        for job in left:
            client.post(f"/v1/jobs/{job['id']}/cancel").expect(200, 409)
        return not left
    until(none, 60)


def test_keys_take_turns_at_one_worker():
    """With one worker nobody can be kept out of it; then the key that waits comes next, however many wait before it."""
    with Server("--workers", 1, key=ADMIN) as server, server.client() as admin:
        admin.create_robot(robot("puma560"), name="arm")
        with server.client(key=new_key(admin, "greedy")) as greedy, server.client(key=new_key(admin, "other")) as other:
            first = greedy.post("/v1/robots/arm/trajectories", long_motion(1000)).expect(202).headers["Location"]
            until(lambda: is_running(greedy, first))
            waiting = [greedy.post("/v1/robots/arm/trajectories", motion()).expect(202).headers["Location"] for _ in range(10)]
            mine = other.post("/v1/robots/arm/trajectories", motion()).expect(202).headers["Location"]
            greedy.post(first + "/cancel").expect(200)
            began = [until(lambda path=path: (job := admin.get(path).json)["finished_at"] and job, 60)["started_at"] for path in [mine, *waiting]]
    assert sorted(began).index(began[0]) <= 1
