"""A disk that fails, fills up or is held: every write is refused in time, nothing accepted is lost, and the service goes
on by itself when the cause goes away."""

import contextlib
import json
import math
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess

import pytest

from support import Process, Server, fill_disk, integrity, robot, unique_name, until
from support.logs import simulated, upload

MODEL = robot("puma560")


def create(client, name=None):
    """POST a robot; (name, answer)."""
    name = name or unique_name()
    return name, client.post("/v1/robots", {**MODEL, "name": name}, query={"allow_unphysical": "true"})


def names(client):
    """All robots of a server, page by page."""
    found, query = set(), {"limit": 200}
    while True:
        page = client.get("/v1/robots", query=query).expect(200).json
        found |= {item["name"] for item in page["items"]}
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]


@contextlib.contextmanager
def failing(server, calls, error):
    """Within it, these system calls of the server end in `error`: strace attaches, and lets go at the end."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    log = server.directory / "strace"
    tracer = subprocess.Popen(["strace", "-f", "-o", log, "-p", str(server.pid), "-e", f"trace={calls}",
                               "-e", f"inject={calls}:error={error}"], stderr=subprocess.PIPE)
    try:
        def attached():
            if tracer.poll() is not None:
                pytest.skip(f"tracing is not permitted here: {tracer.stderr.read().decode().strip()}")
            status = pathlib.Path(f"/proc/{server.pid}/task")
            return all(f"TracerPid:\t{tracer.pid}" in (task / "status").read_text() for task in status.iterdir())
        until(attached, what="strace at every thread of the server")
        yield log
    finally:
        if tracer.poll() is None:
            tracer.send_signal(signal.SIGINT)  # detaches
            tracer.wait(10)
        tracer.stderr.close()


@pytest.mark.parametrize("calls, error, status, problem", [
    ("fdatasync,fsync", "EIO", 500, "internal"), ("fdatasync,fsync", "ENOSPC", 507, "storage-full"),
    ("pwrite64", "EROFS", 500, "internal")], ids=["EIO", "ENOSPC", "read-only"])
def test_failing_disk_is_refused_and_passes(calls, error, status, problem):
    with Server() as server, server.client() as client:
        kept, answer = create(client)
        version = {"If-Match": answer.expect(201).etag}
        hook = client.post("/v1/webhooks", {"name": "mes", "url": "https://mes.example/armdyn"}).expect(201)
        with failing(server, calls, error) as log:
            for _ in range(3):
                refused, answer = create(client)
                answer.expect(status)
                assert answer.json["type"].endswith(f"/{problem}")
                client.get(f"/v1/robots/{refused}").expect(404)
                client.get(f"/v1/robots/{kept}").expect(200)
            client.delete(f"/v1/robots/{kept}", headers=version).expect(status)
            client.post("/v1/webhooks/mes/rotate", headers={"Idempotency-Key": "once"}).expect(status)
            assert "store" in client.get("/readyz").expect(503).json["detail"]
            assert "INJECTED" in log.read_text()
        # The cause is gone: readiness comes back without any write, and writes succeed again.
        until(lambda: client.get("/readyz").status == 200, what="readiness")
        after, answer = create(client)
        answer.expect(201)
        create(client, refused)[1].expect(201)
        assert names(client) == {kept, refused, after}
        rotated = client.post("/v1/webhooks/mes/rotate", headers={"Idempotency-Key": "once"}).expect(200)  # a refusal is not replayed
        assert rotated.json["secret"] != hook.json["secret"] and rotated.etag != hook.etag
        client.close()
        server.restart(kill=True)
        with server.client() as again:
            assert names(again) == {kept, refused, after}
        assert server.terminate() == 0
        assert integrity(server) == "ok"


def test_full_disk_is_refused_and_passes(small_disk):
    with Server(data=small_disk / "data") as server, server.client() as client:
        accepted = set()
        name, answer = create(client)
        accepted.add(name)
        fill_disk(small_disk / "filler")
        for _ in range(500):  # what the log has room for already still goes in
            name, answer = create(client)
            if answer.status != 201:
                break
            accepted.add(name)
        answer.expect(507)
        assert answer.json["type"].endswith("/storage-full")
        create(client)[1].expect(507)
        assert "store" in client.get("/readyz").expect(503).json["detail"]
        assert names(client) == accepted
        (small_disk / "filler").unlink()
        until(lambda: client.get("/readyz").status == 200, what="readiness")
        name, answer = create(client)
        answer.expect(201)
        accepted.add(name)
        assert names(client) == accepted
        client.close()
        server.restart(kill=True)
        with server.client() as again:
            assert names(again) == accepted
        assert server.terminate() == 0
        assert integrity(server) == "ok"


@pytest.mark.same_threads
@pytest.mark.parametrize("small_disk", ["48m"], indirect=True)
def test_torques_of_a_run_leave_room_on_the_disk(small_disk):
    """Every sample is kept where there is room, else every k-th, bit by bit the same; half of the room stays."""
    with Server(data=small_disk / "data") as server, server.client() as client:
        name = unique_name()
        client.create_robot(robot("scara"), name=name)
        log = simulated(client, name, seconds=48)
        request = {"datasets": [upload(client, name, log)]}
        whole = client.result_of(f"/v1/robots/{name}/identifications", request)
        fill_disk(small_disk / "filler", left=(16 << 20) + (5 << 19))
        room = (shutil.disk_usage(small_disk).free - (16 << 20)) / 2
        thin = client.result_of(f"/v1/robots/{name}/identifications", request)
        assert whole["parameters"] == thin["parameters"] and whole["errors"] == thin["errors"]

        rows = [client.get(run["samples"], query={"fields": "t,measured,predicted"}).expect(200).json for run in (whole, thin)]
        assert whole["sample_rate"] == 250 and len(rows[0]["t"]) == whole["errors"]["training"]["samples"]
        every = round(250 / thin["sample_rate"])
        assert every == math.ceil(len(log) * 8 * 14 * 17 / 15 / room) == 2
        for field in ("measured", "predicted"):
            assert rows[1][field] == rows[0][field][::every]
        assert shutil.disk_usage(small_disk).free > 0
        assert client.get("/readyz").status == 200


def test_start_on_a_full_disk_says_so(small_disk):
    fill_disk(small_disk / "filler")
    with Process(["serve", "--listen", "127.0.0.1:0", "--data", str(small_disk / "data")]) as process:
        process.spawn()
        assert process.wait() != 0
        assert "No space left" in process.log() or "full" in process.log()


@pytest.mark.same_threads
def test_one_server_a_directory():
    with Server() as server, server.client() as client:
        with Process(["serve", "--listen", "127.0.0.1:0", "--data", str(server.data)]) as second:
            second.spawn()
            assert second.wait() != 0
            assert str(server.data / "lock") in second.log() and str(server.pid) in second.log()
        create(client)[1].expect(201)


def test_workers_do_not_hold_the_directory():
    """After kill -9 of the server alone, its orphaned children must not stand in the way of the next one."""
    with Server() as server:
        assert server.children()
        server.restart(kill=True)


@pytest.mark.same_threads
def test_newer_and_damaged_databases_are_refused():
    with Server() as server:
        server.terminate()
        with contextlib.closing(sqlite3.connect(server.database)) as db, db:
            db.execute("INSERT INTO schema_version VALUES (99, '0099_future', '2030-01-01T00:00:00.000Z')")
        for words in (["schema version 99"], ["not a database"]):
            with Process(["serve", "--listen", "127.0.0.1:0", "--data", str(server.data)]) as process:
                process.spawn()
                assert process.wait() != 0
                assert all(word in process.log() for word in words), process.log()
            (server.database).write_bytes(b"x" * 8192)


def test_a_refusal_is_in_the_log(small_disk):
    with Server(data=small_disk / "data") as server, server.client() as client:
        fill_disk(small_disk / "filler")
        assert any(create(client)[1].status == 507 for _ in range(500))
        until(lambda: any(json.loads(line).get("reason") == "storage is full" for line in server.log().splitlines()), what="the refusal in the log")
