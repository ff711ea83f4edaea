"""`armdyn backup` and `armdyn restore`: a copy of a store that is being written, checked, and never over another file."""

import sqlite3
import subprocess
import threading

import pytest

from support import Server, binary, robot, unique_name, until
from support.motions import motion


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


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """(data directory of a service that has stopped, a copy of it)"""
    folder = tmp_path_factory.mktemp("stopped")
    with Server(data=folder / "data") as server, server.client() as client:
        client.create_robot(robot("puma560"), name="kept")
    assert armdyn("backup", folder / "copy.db", "--data", folder / "data").returncode == 0
    return folder / "data", folder / "copy.db"


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


@pytest.mark.parametrize("words", [["backup"], ["restore"], ["backup", "a", "b"], ["restore", "--from", "a"]])
def test_wrong_words_are_told(words):
    done = armdyn(*words)
    assert done.returncode == 2 and "usage: armdyn" in done.stderr


@pytest.mark.parametrize("words", [["audit", "verify"], ["backup", "x.db"], ["restore", "x.db"], ["doctor"], ["key", "list"]])
def test_a_path_is_never_cut(words, tmp_path):
    """What is too long is said to be so."""
    for length in (1091, 4092, 5000) if words[0] in ("audit", "backup", "doctor") else (5000,):  # the others make a store
        folder = str(tmp_path) + "/" * (length - len(str(tmp_path)) - 1) + "none"
        done = armdyn(*words, "--data", folder)
        said = done.stdout + done.stderr
        assert done.returncode != 0 and str(tmp_path) in said and ("too long" in said) == (length > 4090), done
    assert not any(tmp_path.iterdir())


def test_a_store_that_is_not_there_is_told(tmp_path):
    done = armdyn("backup", tmp_path / "copy.db", "--data", tmp_path / "nowhere")
    assert done.returncode == 1 and "nowhere" in done.stderr and not list(tmp_path.iterdir())
