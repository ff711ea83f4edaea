"""`armdyn doctor`: what is well is called so, and every fault that is made here is found, whether or not the service runs."""

import contextlib
import json
import shutil
import sqlite3
import subprocess

import pytest

from support import ControllerSim, Server, binary, free_port, robot
from support.motions import motion

pytestmark = pytest.mark.same_threads


def doctor(data, *words):
    """(exit status, {check: [(verdict, detail), ...]})"""
    done = subprocess.run([binary(), "doctor", "--json", "--data", data, *words], capture_output=True, text=True, timeout=120)
    report = json.loads(done.stdout)
    found = {}
    for item in report["checks"]:
        found.setdefault(item["check"], []).append((item["verdict"], item["detail"]))
    assert report["well"] == (done.returncode == 0) == ("bad" not in [item["verdict"] for item in report["checks"]])
    return done.returncode, found


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """(server, simulator): a job, and two controllers, one of which nobody is."""
    folder = tmp_path_factory.mktemp("doctor")
    with ControllerSim(robot=robot("puma560")) as sim, Server("--workers", 1, data=folder / "data") as server:
        with server.client() as client:
            client.create_robot(robot("puma560"), name="arm")
            for name, port in (("on", sim.port), ("off", free_port())):
                client.post("/v1/controllers", {"name": name, "host": "127.0.0.1", "port": port, "robot": "arm", "revision": "latest",
                                                "profile": {"protocol": "armdyn-v2"}}).expect(201)
            assert client.run_job("/v1/robots/arm/trajectories", motion())["state"] == "succeeded"
        yield server, sim


CHECKS = ["service", "store", "references", "audit trail", "files", "disk", "clock", "workers", "controller", "libraries", "webhook CA"]


def well(found):
    """All but what depends on the machine: how full its disk is, and whether something keeps its clock."""
    return {check: verdicts for check, verdicts in found.items() if check not in ("disk", "clock")
            and [v for v, _ in verdicts] != (["warning", "good"] if check == "controller" else ["good"])} == {}


def test_a_service_that_is_well(cell):
    server, sim = cell
    status, found = doctor(server.data)
    assert status == 0 and list(found) == CHECKS and well(found), found
    assert found["service"][0][1].endswith("and is ready") and found["workers"][0][1] == "1 of 1 are alive"
    assert [detail.split(":")[0] for _, detail in found["controller"]][1] == f"'on' at 127.0.0.1 port {sim.port} is reached"
    table = subprocess.run([binary(), "doctor", "--data", server.data], capture_output=True, text=True, timeout=120)
    assert table.returncode == 0 and "store        good     is whole, schema" in table.stdout


@pytest.fixture(scope="module")
def stopped(cell, tmp_path_factory):
    """A copy of its data, which no service has."""
    folder = tmp_path_factory.mktemp("stopped") / "data"
    folder.mkdir()
    done = subprocess.run([binary(), "backup", folder / "armdyn.db", "--data", cell[0].data], capture_output=True, timeout=60)
    assert done.returncode == 0, done
    return folder


def test_a_stopped_service_that_is_well(stopped):
    before = (stopped / "armdyn.db").read_bytes()
    status, found = doctor(stopped)
    assert status == 0 and list(found) == CHECKS and well(found), found
    assert found["service"][0][1] == "does not run" and found["workers"][0][1] == "can be started"
    assert found["controller"][0][1].endswith("is not reached: Connection refused")
    assert (stopped / "armdyn.db").read_bytes() == before


def change(*statements):
    def make(path):
        with contextlib.closing(sqlite3.connect(path)) as store, store:
            for statement in statements:
                store.execute(statement)
    return make


def scribble(path):
    """Over the leaves of the biggest table."""
    with contextlib.closing(sqlite3.connect(path)) as store:
        page, = store.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'robot_revisions'").fetchone()
        size, = store.execute("PRAGMA page_size").fetchone()
    with open(path, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x0d" + b"\xff" * 100)


@pytest.mark.parametrize("make, check, words", [
    (scribble, "store", "damaged: "),
    (change("INSERT INTO schema_version VALUES (99, 'later', '')"), "store", "schema version 99"),
    (change("DELETE FROM robot_revisions"), "references", "a row of results refers to one of robot_revisions that does not exist"),
    (change("DROP TRIGGER audit_never_changed", "UPDATE audit SET line = replace(line, 'createRobot', 'deleteRobot') WHERE number = 1"),
     "audit trail", "entry 1"),
    (change("UPDATE robot_revisions SET created_at = '2999-01-01T00:00:00.000Z'"), "clock", "the store holds things of 2999-01-01T00:00:00.000Z"),
    (change("UPDATE controllers SET document = '{}' WHERE name = 'on'"), "controller", "'on' cannot be read"),
])
def test_what_is_wrong_is_found(stopped, tmp_path, make, check, words):
    shutil.copy(stopped / "armdyn.db", tmp_path)
    make(tmp_path / "armdyn.db")
    status, found = doctor(tmp_path)
    assert status == 1 and any(verdict == "bad" and words in detail for verdict, detail in found[check]), found


def test_no_store_and_wrong_words(tmp_path):
    status, found = doctor(tmp_path)
    assert status == 1 and found["store"] == [("bad", f"{tmp_path}/armdyn.db: No such file or directory")]
    done = subprocess.run([binary(), "doctor", "now"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and "usage" in done.stderr


def test_a_drained_service_is_not_ready(cell):
    server, _ = cell
    with server.client() as client:
        client.post("/v1/drain").expect(200)
        status, found = doctor(server.data)
        client.delete("/v1/drain").expect(200)
    assert status == 1 and found["service"] == [("bad", "runs, but is not ready: the service is drained")]
