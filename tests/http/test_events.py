"""Streams of events: what they tell, in which order, to whom, and that they cost nothing when they are gone."""

import os
import signal
import socket
import time

import pytest

from gateway.cell import Cell
from support import ControllerSim, Server, open_sockets, resident_memory, robot, unique_name, until
from support.events import EventStream
from support.motions import long_motion, motion

ENDED = ("succeeded", "failed", "cancelled")
SANITIZED = any(name in os.environ.get("ARMDYN_BINARY", "") for name in ("asan", "tsan"))  # they keep what was freed
RECONNECTS = 10_000 if os.environ.get("ARMDYN_SOAK") else 100 if SANITIZED else 500


@pytest.fixture(scope="module")
def server():
    with Server("--workers", 1) as own:
        yield own


@pytest.fixture
def arm(server):
    with server.client() as client:
        yield client, client.create_robot(robot("puma560"), name=unique_name()).headers["Location"]


def submit(arm, **changes):
    client, path = arm
    return client.post(path + "/trajectories", motion(**changes)).expect(202).json


def ends(job):
    return lambda event: event.name == "job" and event.data["id"] == job["id"] and event.data["state"] in ENDED


def test_a_snapshot_comes_first_and_then_what_happens(server, arm):
    with EventStream(server) as stream:
        assert stream.status == 200 and b"\r\nContent-Type: text/event-stream\r\n" in stream.head + b"\r\n"
        first = stream.next()
        assert first.name == "snapshot" and set(first.data) == {"jobs", "transfers", "orders", "queues", "controllers"}
        job = submit(arm, tags={"part": "A7"})
        events = stream.until(ends(job))
        last = events[-1].data
        assert last["state"] == "succeeded" and last["progress"] == 1 and last["tags"] == {"part": "A7"}
        ids = [first.id, *(event.id for event in events)]
        assert ids == sorted(set(ids))
        listed = arm[0].get("/v1/jobs", query={"q": job["id"]}).expect(200).json["items"]
        assert listed == [last], "an event is what the list shows"


def test_a_snapshot_shows_what_has_not_ended_and_progress_is_told(server, arm):
    client, path = arm
    running = client.post(path + "/trajectories", long_motion()).expect(202).json
    waits = submit(arm)
    until(lambda: client.get(f"/v1/jobs/{running['id']}").json["state"] == "running")
    with EventStream(server) as stream:
        jobs = {job["id"]: job["state"] for job in stream.next().data["jobs"]}
        assert jobs[running["id"]] == "running" and jobs[waits["id"]] == "queued"
        client.post(f"/v1/jobs/{running['id']}/cancel").expect(200)
        assert stream.until(ends(running))[-1].data["state"] == "cancelled"
        assert stream.until(ends(waits))[-1].data["state"] == "succeeded"


def test_who_comes_back_misses_nothing(server, arm):
    with EventStream(server) as stream:
        stream.next()
        one = submit(arm)
        seen = stream.until(ends(one))[-1].id
    others = [submit(arm) for _ in range(5)]
    for job in others:
        arm[0].wait_job(arm[0].get(f"/v1/jobs/{job['id']}"))
    with EventStream(server, last=seen) as stream:
        missing, last = {job["id"] for job in others}, seen
        while missing:
            event = stream.next()
            assert event.name == "job" and event.id > last
            last = event.id
            if event.data["state"] in ENDED:
                missing.discard(event.data["id"])  # the end of the first may be told again


@pytest.mark.parametrize("last", ["", "x", "-1", "0", "7", "99999999999999999999999"])
def test_who_was_gone_too_long_begins_anew(server, last):
    with EventStream(server, last=last) as stream:
        assert stream.next().name == "snapshot"


def test_ids_of_an_earlier_run_are_not_taken_for_ones_of_this(make_server):
    server = make_server()
    with EventStream(server) as stream:
        before = stream.next().id
    server.restart(kill=True)
    with EventStream(server, last=before) as stream:
        first = stream.next()
        assert first.name == "snapshot" and first.id > before


def test_a_stream_tells_only_what_was_asked_for(server, arm):
    client, path = arm
    wanted = client.post(path + "/trajectories", long_motion()).expect(202).json
    with EventStream(server, f"/v1/events?jobs={wanted['id']}") as stream, EventStream(server) as everything:
        assert [job["id"] for job in stream.next().data["jobs"]] == [wanted["id"]]
        other = submit(arm)  # waits for the one worker
        everything.until(lambda event: event.name == "job" and event.data["id"] == other["id"])
        client.post(f"/v1/jobs/{wanted['id']}/cancel").expect(200)
        assert {event.data["id"] for event in stream.until(ends(wanted))} == {wanted["id"]}
        everything.until(ends(other))


def test_the_stream_of_a_job_ends_with_it(server, arm):
    job = submit(arm)
    with EventStream(server, f"/v1/jobs/{job['id']}/events") as stream:
        events = stream.until(lambda event: event.name == "end")
        assert events[0].name == "snapshot" and events[-2].data["state"] == "succeeded"
        assert stream.next() is None and stream.ended
    with EventStream(server, f"/v1/jobs/{job['id']}/events") as stream:  # and of one that has ended long ago
        assert [event.name for event in stream.until(lambda event: event.name == "end")] == ["snapshot", "job", "end"]


@pytest.mark.parametrize("path, status", [
    ("/v1/events?jobs=x", 422), ("/v1/events?jobs=", 422), ("/v1/events?controllers=a,,b", 422), ("/v1/events?job=1", 422),
    ("/v1/jobs/01M80CEJ82Y4CT0R6PSXKQFT9R/events", 404), ("/v1/controllers/nobody/events", 404)])
def test_what_cannot_be_streamed_is_refused(server, path, status):
    with server.client() as client:
        client.get(path, headers={"Accept": "text/event-stream"}).expect(status)
        client.get("/v1/events", headers={"Accept": "application/json"}).expect(406)


def test_a_transfer_and_its_controller_are_told(server):
    with ControllerSim(robot=robot("puma560")) as sim:
        cell = Cell(server, sim)
        with EventStream(server, f"/v1/controllers/{cell.name}/events") as stream:
            controllers = stream.next().data["controllers"]
            assert [entry["name"] for entry in controllers] == [cell.name]
            stream.until(lambda event: event.name == "controller" and event.data["status"]["connected"])
            transfer = cell.transfer(cell.trajectory()).expect(202).json["id"]
            events = stream.until(lambda event: event.name == "transfer" and event.data["state"] == "ready")
            assert {event.data["id"] for event in events if event.name == "transfer"} == {transfer}
            status = stream.until(lambda event: event.name == "controller" and event.data["status"]["lease"] == transfer)[-1].data["status"]
            real = cell.client.get(f"/v1/controllers/{cell.name}/status").expect(200).json
            assert status["profile_id"] == real["profile_id"] and status["source"] == "simulator"
            cell.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
            stream.until(lambda event: event.name == "transfer" and event.data["state"] == "stopped")
            sim.kill()
            lost = stream.until(lambda event: event.name == "controller" and not event.data["status"]["connected"])[-1].data
            assert lost["status"]["stale"] and lost["status"]["position"] is None
        cell.client.connection.close()


def test_streams_that_end_leave_nothing_behind(make_server):
    server = make_server()
    with server.client() as client:
        client.get("/healthz").expect(200)

        def connect(count):
            for n in range(count):
                with EventStream(server, last=n if n % 2 else None) as stream:
                    assert stream.status == 200, stream.head
                    if n % 5 == 0:
                        stream.next()

        before = open_sockets(server.pid)
        connect(100)
        until(lambda: open_sockets(server.pid) <= before, timeout=60)
        memory = resident_memory(server.pid)
        connect(RECONNECTS)
        until(lambda: open_sockets(server.pid) <= before, timeout=60)
        assert SANITIZED or resident_memory(server.pid) - memory < 16
        client.get("/healthz").expect(200)


def test_streams_hold_at_most_half_of_the_connections(make_server):
    server = make_server("--http-threads", 1)  # 120 connections
    streams = []
    try:
        while len(streams) < 61:
            streams.append(EventStream(server))
        assert [stream.status for stream in streams] == [200] * 60 + [503]
        assert b"\r\nRetry-After: " in streams[-1].head
        with server.client() as client:
            client.get("/v1/jobs").expect(200)
        for stream in streams[:10]:
            stream.close()
        again = until(lambda: (s := EventStream(server)).status == 200 and s, timeout=60)
        assert again.next().name == "snapshot"
        streams.append(again)
        server.terminate()  # with streams open: nobody waits, nothing aborts
        assert server.child.returncode == 0
        for stream in streams[10:60]:
            while stream.next():
                pass
            assert stream.ended, "the stream was broken off instead of ended"
    finally:
        for stream in streams:
            stream.close()


def test_a_reader_that_takes_nothing_is_dropped_and_nobody_else(make_server):
    server = make_server("--idle-timeout", 1, "--workers", 1, "--child-silence", 600)
    with server.client() as client:
        arm = client, client.create_robot(robot("puma560"), name=unique_name()).headers["Location"]
        worker, = until(lambda: server.children("worker"))
        os.kill(worker, signal.SIGSTOP)
        held = [submit_held(client, arm[1]) for _ in range(120)]  # a snapshot that no socket buffer takes whole
        with EventStream(server, receive_buffer=4096) as slow, EventStream(server) as reader:
            reader.next()
            until(lambda: gone(slow, server), timeout=120, interval=0.2)  # the list of connections may be long
            client.post(f"/v1/jobs/{held[-1]['id']}/cancel").expect(200)
            reader.until(ends(held[-1]))
        os.kill(worker, signal.SIGCONT)


def submit_held(client, path):
    tags = {f"tag{n:03}": "x" * 120 for n in range(32)}
    return client.post(path + "/trajectories", motion(tags=tags)).expect(202).json


def gone(stream, server):
    """Has the server let go of this connection, which nobody reads from?"""
    local, state = stream.socket.getsockname()[1], None
    for line in open("/proc/net/tcp"):
        fields = line.split()
        if fields[2].endswith(f":{local:04X}") and fields[1].endswith(f":{server.port:04X}"):
            state = fields[3]
    return state != "01"  # ESTABLISHED


def test_a_stream_ends_with_its_key(make_server):
    server = make_server(key="k" * 32)
    with server.client() as admin:
        made = admin.post("/v1/keys", {"name": "page", "role": "viewer"}).expect(201).json
        with EventStream(server, key=made["secret"]) as stream, EventStream(server) as mine:
            assert stream.next().name == "snapshot" and mine.next().name == "snapshot"
            admin.delete(f"/v1/keys/{made['id']}", headers={"If-Match": admin.get(f"/v1/keys/{made['id']}").etag}).expect(204)
            assert stream.next() is None and not stream.ended
            arm = admin, admin.create_robot(robot("puma560"), name=unique_name()).headers["Location"]
            mine.until(ends(submit(arm)))
        with EventStream(server, key=made["secret"]) as stream:
            assert stream.status == 401


def test_a_comment_keeps_the_stream_alive(server):
    if not os.environ.get("ARMDYN_SOAK"):
        pytest.skip("takes 15 s: part of make soak")
    with EventStream(server, "/v1/events?jobs=01M80CEJ82Y4CT0R6PSXKQFT9R") as stream:
        stream.next()
        end = time.monotonic() + 40
        while stream.comments < 2 and time.monotonic() < end:
            stream.socket.settimeout(40)
            try:
                stream.next(timeout=1)
            except (TimeoutError, socket.timeout):
                pass
        assert stream.comments >= 2
