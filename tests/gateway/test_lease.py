"""One controller, one transfer: whatever the controller is called, until it ends or an administrator takes it."""

import contextlib
import os
import socket
import sqlite3

import pytest

from cell import LONG, Cell, cell, puma, summary
from support import FILLABLE, Server, fill, unique_name, until


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["localhost", "127.0.0.2", "::1", "::ffff:127.0.0.1", "LOCALHOST"])
def test_two_names_of_one_controller_are_one_endpoint(shared, name):
    with puma() as sim:
        here = Cell(shared, sim)
        other = {**here.document(name=unique_name("cell")), "host": name}
        here.client.post("/v1/controllers", other).expect(201)
        motion = here.trajectory()
        transfer = here.loaded(motion)
        answer = here.client.post(f"/v1/controllers/{other['name']}/transfers", {"trajectory": motion})
        assert answer.status == 409 and answer.json["type"] == "/problems/lease-held"
        detail = f"transfer {transfer} holds controller '{here.name}', which has the host, port and unit of '{other['name']}'"
        assert answer.json["detail"] == detail
        assert here.client.get(f"/v1/controllers/{other['name']}/status").expect(200).json["lease"] == transfer
        assert here.client.post(f"/v1/controllers/{other['name']}/clear").status == 409
        assert here.client.post(f"/v1/controllers/{other['name']}/stop").expect(200).json["confirmed"] is True
        assert here.get(transfer)["state"] == "stopped"


@pytest.mark.slow
def test_a_store_that_is_busy_is_no_lease(shared):
    with puma() as sim:
        here = Cell(shared, sim)
        motion = here.trajectory()
        with contextlib.closing(sqlite3.connect(shared.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answer = here.transfer(motion)
        assert answer.status == 503 and answer.json["type"] == "/problems/unavailable" and answer.headers["Retry-After"]
        here.loaded(motion)


def test_another_port_or_unit_is_another_endpoint(shared):
    with puma() as sim, puma() as second:
        here, there = Cell(shared, sim), Cell(shared, second)
        here.loaded(here.trajectory()), there.loaded(there.trajectory())


def test_an_administrator_takes_the_lease(shared):
    with puma() as sim:
        here = Cell(shared, sim)
        path = f"/v1/controllers/{here.name}/lease"
        assert here.client.delete("/v1/controllers/nobody/lease").status == 404
        here.client.delete(path).expect(204)
        transfer = here.playing(here.trajectory(duration=20))
        assert here.client.delete(path).expect(200).json["confirmed"] is True
        end = here.get(transfer)
        assert end["state"] == "stopped" and "administrator took the lease" in end["history"][-1]["reason"]
        here.client.delete(path).expect(204)
        assert here.status()["lease"] is None
        assert summary(sim)["starts"] == 1


@pytest.mark.skipif(os.environ.get("ARMDYN_VARIANT") == "arm64", reason="qemu lets no program ignore SIGXFSZ")
def test_an_end_that_the_disk_has_no_room_for_is_told_and_kept_later():
    with Server(prefix=FILLABLE) as server, puma() as sim:
        here = Cell(server, sim)
        transfer = here.loaded(here.trajectory())
        fill(server)
        here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
        assert here.reach(transfer, "stopped")["finished_at"]
        assert here.status()["lease"] is None
        fill(server, False)
        journal = here.server.data / "gateway" / f"{transfer}.end"
        until(lambda: not journal.exists(), LONG, what="the end in the store")
        here.server.restart(kill=True)
        here.client = here.server.client()
        assert here.get(transfer)["state"] == "stopped"


def test_a_lock_that_cannot_be_had_says_why():
    with cell() as here:
        lock = here.server.data / "gateway" / f"127.0.0.1_{here.sim.port}_1_1000.lock"
        lock.mkdir()
        end = here.reach(here.transfer(here.trajectory()).expect(202).json["id"], "failed")
        assert "cannot lock" in end["problem"]["detail"] and "irectory" in end["problem"]["detail"]


def test_a_name_that_nobody_knows_fails_in_time(shared):
    with puma() as sim:
        here = Cell(shared, sim, connect_deadline=1)
        other = {**here.document(name=unique_name("cell")), "host": "no-such-host.invalid"}
        try:
            socket.getaddrinfo(other["host"], None)
            pytest.skip("the name server knows everybody")
        except OSError:
            pass
        here.client.post("/v1/controllers", other).expect(201)
        answer = here.client.post(f"/v1/controllers/{other['name']}/transfers", {"trajectory": here.trajectory()})
        end = here.reach(answer.expect(202).json["id"], "failed")
        assert end["problem"]["type"] == "/problems/controller-unreachable"
