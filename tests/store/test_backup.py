"""`armdyn backup` and `armdyn restore`: a copy of a store that is being written, checked, and never over another file."""

import os
import sqlite3
import subprocess
import threading
import time

import pytest

from support import ControllerSim, Server, binary, robot, unique_name, until
from support.motions import motion
from support.receiver import Receiver

PROTOCOL = "armdyn-v2"


def armdyn(*words):
    return subprocess.run([binary(), *map(str, words)], capture_output=True, text=True, timeout=120, check=False)


def test_a_running_service_is_copied_and_comes_back(tmp_path):
    copy, folder = tmp_path / "copy.db", tmp_path / "restored"
    with Server() as server, server.client() as client:
        arm = client.create_robot(robot("puma560"), name="kept").headers["Location"]
        job = client.wait_job(client.post(arm + "/trajectories", motion()).expect(202))
        samples = client.get(job["result"]["href"] + "/samples").expect(200).json
        stop, written = threading.Event(), []

        def write():  # robots that are acknowledged before the copy begins must be in it
            with server.client() as other:
                while not stop.is_set():
                    written.append(other.create_robot(robot("puma560"), name=unique_name()).headers["Location"])
        writer = threading.Thread(target=write)
        writer.start()
        try:
            until(lambda: len(written) > 3)
            acknowledged = list(written)
            done = armdyn("backup", copy, "--data", server.data)
        finally:
            stop.set()
            writer.join()
        assert done.returncode == 0 and done.stdout == f"{copy}\n", done
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["copy.db"]
        refused = armdyn("restore", copy, "--data", server.data)
        assert refused.returncode == 1 and "held by another armdyn" in refused.stderr
    done = armdyn("restore", copy, "--data", folder)
    assert done.returncode == 0, done
    with Server(data=folder) as server, server.client() as client:
        for path in ("/v1/robots/kept", *acknowledged):
            client.get(path).expect(200)
        assert client.get(job["result"]["href"] + "/samples").expect(200).json == samples
    verified = armdyn("audit", "verify", "--data", folder)
    assert verified.returncode == 0, verified


@pytest.mark.parametrize("moved", [False, True], ids=["copied", "moved"])
def test_a_copy_moves_no_arm_and_tells_nobody_until_it_is_enabled(tmp_path, moved):
    flags = ("--webhook-networks", "127.0.0.1", "--webhook-retry", 1)
    with Receiver(*[200] * 9) as receiver, ControllerSim(robot=robot("puma560")) as sim:
        with Server(data=tmp_path / "data") as server, server.client() as client:
            client.create_robot(robot("puma560"), name="arm")
            trajectory = client.result_of("/v1/robots/arm/trajectories", motion())["id"]
        with Server(*flags, data=tmp_path / "data") as server, server.client() as client:
            client.post("/v1/webhooks", {"name": "mes", "url": receiver.url}).expect(201)
            client.post("/v1/controllers", {"name": "cell", "host": "127.0.0.1", "port": sim.port, "robot": "arm",
                                            "profile": {"protocol": PROTOCOL}}).expect(201)
            assert armdyn("backup", tmp_path / "copy.db", "--data", server.data).returncode == 0
        assert armdyn("restore", tmp_path / "copy.db", "--data", tmp_path / "there", *["--enable"] * moved).returncode == 0
        with Server(*flags, data=tmp_path / "there") as server, server.client(check=False) as client:
            for _ in range(2):  # and after the next start
                cell, hook = client.get("/v1/controllers/cell").expect(200), client.get("/v1/webhooks/mes").expect(200)
                assert cell.json["enabled"] == hook.json["enabled"] == moved
                assert client.get("/v1/controllers/cell/status").expect(200).json["connected"] == moved
                assert client.post("/v1/controllers/cell/stop").expect(200).json["confirmed"]  # always
                server.restart()
                client = server.client(check=False)
            answer = client.post("/v1/controllers/cell/transfers", {"trajectory": trajectory})
            job = client.post("/v1/robots/arm/trajectories", {**motion(), "callback": {"webhook": "mes"}}).expect(202).json["id"]
            until(lambda: client.get(f"/v1/jobs/{job}/deliveries").json["items"])
            if not moved:
                assert "not enabled" in answer.expect(409).json["detail"]
                time.sleep(1)  # the outbox is looked into four times a second
                assert client.get(f"/v1/jobs/{job}/deliveries").json["items"][0]["attempts"] == 0
                for path, one in (("/v1/controllers/cell", cell), ("/v1/webhooks/mes", hook)):
                    client.put(path, {**one.json, "enabled": True}, headers={"If-Match": one.etag}).expect(200)
                answer = client.post("/v1/controllers/cell/transfers", {"trajectory": trajectory})
            answer.expect(202)
            until(lambda: client.get(f"/v1/jobs/{job}/deliveries").json["items"][0]["state"] == "delivered")


@pytest.mark.same_threads
def test_files_are_nobody_elses(tmp_path):
    """Whatever the umask is; and what an older version left open is closed at the next start."""
    before = os.umask(0)
    try:
        with Server(data=tmp_path / "data") as server, server.client() as client:
            client.create_robot(robot("puma560"), name="arm")
            assert armdyn("backup", tmp_path / "copy.db", "--data", server.data).returncode == 0
        assert armdyn("restore", tmp_path / "copy.db", "--data", tmp_path / "there").returncode == 0
    finally:
        os.umask(before)
    files = [path for folder in ("data", "there") for path in (tmp_path / folder).rglob("*")] + [tmp_path / "copy.db", tmp_path / "there"]
    assert len(files) > 4 and [path for path in files if path.stat().st_mode & 0o077] == []
    database = tmp_path / "data/armdyn.db"
    database.chmod(0o644)
    told = armdyn("doctor", "--data", tmp_path / "data").stdout
    assert "files        warning  others may read armdyn.db" in told
    with Server(data=tmp_path / "data"):
        assert database.stat().st_mode & 0o777 == 0o600


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """(data directory of a service that has stopped, a copy of it)"""
    folder = tmp_path_factory.mktemp("stopped")
    with Server(data=folder / "data") as server, server.client() as client:
        client.create_robot(robot("puma560"), name="kept")
    assert armdyn("backup", folder / "copy.db", "--data", folder / "data").returncode == 0
    return folder / "data", folder / "copy.db"


@pytest.mark.same_threads
def test_nothing_is_overwritten(stopped, tmp_path):
    data, copy = stopped
    there = tmp_path / "there.db"
    there.write_text("mine")
    done = armdyn("backup", there, "--data", data)
    assert done.returncode == 1 and "exists already" in done.stderr and there.read_text() == "mine"
    before = (data / "armdyn.db").read_bytes()
    done = armdyn("restore", copy, "--data", data)
    assert done.returncode == 1 and "exists already" in done.stderr
    assert (data / "armdyn.db").read_bytes() == before


def newer(path):
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO schema_version (version, name, applied_at) VALUES (9999, 'x', 'x')")
    db.close()


def foreign(path):
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t (x)")
    db.close()


def damaged(path):
    content = bytearray(path.read_bytes())
    content[4096:12288] = b"\xff" * 8192
    path.write_bytes(content)


@pytest.mark.same_threads
@pytest.mark.parametrize("spoil, said", [
    (newer, "use a newer armdyn"), (foreign, "another program"), (damaged, ""), (lambda path: path.unlink(), ""),
    (lambda path: path.write_bytes(b""), "no backup"), (lambda path: path.write_text("no database " * 500), "")],
    ids=["newer", "foreign", "damaged", "missing", "empty", "text"])
def test_what_is_no_copy_of_a_store_is_refused(stopped, tmp_path, spoil, said):
    spoilt = tmp_path / "spoilt.db"
    spoilt.write_bytes(stopped[1].read_bytes())
    spoil(spoilt)
    done = armdyn("restore", spoilt, "--data", tmp_path / "data")
    assert done.returncode == 1 and said in done.stderr and done.stderr.startswith("armdyn restore: "), done
    assert not list((tmp_path / "data").glob("armdyn.db*"))


@pytest.mark.same_threads
@pytest.mark.parametrize("words", [["backup"], ["restore"], ["backup", "a", "b"], ["restore", "--from", "a"]])
def test_wrong_words_are_told(words):
    done = armdyn(*words)
    assert done.returncode == 2 and "usage: armdyn" in done.stderr


@pytest.mark.same_threads
@pytest.mark.parametrize("words", [["audit", "verify"], ["backup", "x.db"], ["restore", "x.db"], ["doctor"], ["key", "list"]])
def test_a_path_is_never_cut(words, tmp_path):
    """What is too long is said to be so."""
    for length in (1091, 4092, 5000) if words[0] in ("audit", "backup", "doctor") else (5000,):  # the others make a store
        folder = str(tmp_path) + "/" * (length - len(str(tmp_path)) - 1) + "none"
        done = armdyn(*words, "--data", folder)
        said = done.stdout + done.stderr
        assert done.returncode != 0 and str(tmp_path) in said and ("too long" in said) == (length > 4090), done
    assert not any(tmp_path.iterdir())


@pytest.mark.same_threads
def test_a_store_that_is_not_there_is_told(tmp_path):
    done = armdyn("backup", tmp_path / "copy.db", "--data", tmp_path / "nowhere")
    assert done.returncode == 1 and "nowhere" in done.stderr and not list(tmp_path.iterdir())
