"""STOP on a disk without a byte of room: the arm stands, and who stopped it and how it ended outlives the service."""

import pytest

from cell import Cell, puma
from support import Server, fill_disk, until


def stops(client):
    return [item["entry"]["path"] for item in client.get("/v1/audit").expect(200).json["items"] if item["entry"]["operation"] == "stopTransfer"]


def use_the_room_up(client):
    """What the store's log has room for still goes in; then changes are refused."""
    for _ in range(2000):
        answer = client.post("/v1/drain").expect(200, 507)
        if answer.status == 507:
            return answer
    raise AssertionError("the disk is full and takes everything")


@pytest.mark.parametrize("small_disk", ["12m"], indirect=True)
@pytest.mark.parametrize("kill", [True, False], ids=["killed", "ended"])
def test_a_stop_is_carried_out_kept_and_told_later(small_disk, kill):
    with Server("--workers", 1, data=small_disk / "data") as server, puma() as sim:
        here = Cell(server, sim)
        transfer = here.playing(here.trajectory(duration=20))
        fill_disk(small_disk / "filler")
        assert "nothing was changed" in use_the_room_up(here.client).json["detail"]
        path = f"/v1/transfers/{transfer}/stop"
        assert here.client.post(path).expect(200).json["confirmed"] is True
        assert here.reach(transfer, "stopped")["finished_at"]
        shelf = server.data / "armdyn.db-audit"
        until(lambda: path.encode() in shelf.read_bytes(), what="the entry of STOP on the disk")

        here.client.close()
        server.restart(kill)
        here.client = server.client()
        assert here.reach(transfer, "stopped")["history"][-1]["reason"] == "stopped on request"
        ready = here.client.get("/readyz").expect(503, 200)  # the room of the log may be there again
        if ready.status == 503:
            assert "written" in ready.json["detail"] and stops(here.client) == []

        (small_disk / "filler").unlink()
        until(lambda: stops(here.client) == [path], what="the entry of STOP, once")
        until(lambda: shelf.read_bytes().startswith(b"\0"), what="the entries off the disk")
        until(lambda: list((server.data / "gateway").glob(f"{transfer}.*")) == [], what="the end in the store")
        here.client.delete("/v1/drain").expect(200)
        server.restart(kill)
        here.client = server.client()
        assert stops(here.client) == [path] and here.get(transfer)["state"] == "stopped"
