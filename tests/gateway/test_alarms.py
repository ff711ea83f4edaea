"""Alarms: raised once by what really happens to controllers, workers and the disk, cleared when the cause is gone, acknowledged
by a person, and kept over kill -9."""

import os
import signal

import pytest

from support import ControllerSim, Server, contract, fill_disk, postgresql, robot, until
from support.receiver import Receiver

pytestmark = pytest.mark.slow
KEY = "0123456789abcdef0123456789abcdef"
EVENT, MESSAGE, LIST = (f"#/components/schemas/{name}" for name in ("Event", "EventMessage", "AlarmList"))
RAISED, CLEARED, ACKNOWLEDGED = "alarm.raised", "alarm.cleared", "alarm.acknowledged"


def alarms(client, **query):
    page = client.get("/v1/alarms", query=query).expect(200).json
    assert contract.explain(LIST, page) == ""
    return page["items"]


def one(client, code, **query):
    """The only alarm of this code, when there is one."""
    def found():
        these = alarms(client, code=code, **query)
        assert len(these) <= 1
        return these and these[0]
    return until(found, what=f"an alarm {code} {query}")


def told(client, alarm):
    """What the log of events says of it."""
    events = client.get("/v1/events/log", query={"alarm": alarm["id"]}).expect(200).json["items"]
    assert all(contract.explain(EVENT, event) == "" for event in events)
    return [event["type"] for event in events]


def cell_of(client, sim, name="cell"):
    client.create_robot(robot("scara"), name=f"{name}-arm")
    client.post("/v1/controllers", {"name": name, "robot": f"{name}-arm", "host": "127.0.0.1", "port": sim.port,
                                    "profile": {"protocol": "armdyn-v2", "connect_deadline": 0.2}}).expect(201)


@pytest.fixture(scope="module")
def watching():
    """A service that looks at its controllers always, with a key for each role."""
    flags = ("--watch-controllers", "on", "--workers", 1, "--disk-low", 0, "--webhook-networks", "127.0.0.0/8", "--webhook-retry", 1)
    with Server(*flags, key=KEY) as server, server.client() as admin:
        secrets = {role: admin.post("/v1/keys", {"name": f"the-{role}", "role": role}).expect(201).json["secret"] for role in ("viewer", "operator")}
        yield server, secrets


def test_a_controller_that_vanishes_and_comes_back(watching):
    server, secrets = watching
    with Receiver() as receiver, server.client() as client, ControllerSim(robot=robot("scara")) as sim:
        cell_of(client, sim)
        client.post("/v1/webhooks", {"name": "andon", "url": receiver.url, "events": [RAISED, ACKNOWLEDGED, CLEARED]}).expect(201)
        until(lambda: client.get("/v1/controllers/cell/status").expect(200).json["connected"], what="a controller")
        port = sim.port
        sim.kill()
        alarm = one(client, "controller-lost", state="active")
        assert (alarm["source"], alarm["controller"], alarm["until"], alarm["acknowledged_by"]) == ("gateway", "cell", None, None)
        place = f"/v1/alarms/{alarm['id']}"
        with server.client(key=secrets["viewer"]) as viewer:
            assert viewer.get(place).expect(200).json == alarm
            viewer.post(f"{place}/acknowledge").expect(403)
        with server.client(key=secrets["operator"]) as operator:
            known = operator.post(f"{place}/acknowledge", headers={"X-Reason": "on my way"}).expect(200).json
        assert (known["state"], known["acknowledged_by"]) == ("acknowledged", "the-operator")
        assert client.post(f"{place}/acknowledge").expect(200).json == known  # who was first stays
        assert alarms(client, state="active", controller="cell") == [] and alarms(client, state="active,acknowledged", controller="cell") == [known]

        until(lambda: told(client, alarm) == [RAISED, ACKNOWLEDGED], what="it in the store")
        server.restart(kill=True)  # it stands still, and is the same one
        with server.client() as again:
            assert one(again, "controller-lost") == known
            with ControllerSim(robot=robot("scara"), listen=f"127.0.0.1:{port}"):
                cleared = one(again, "controller-lost", state="cleared")
                assert cleared == {**known, "state": "cleared", "until": cleared["until"]} and cleared["until"] > cleared["since"]
                assert told(again, alarm) == [RAISED, ACKNOWLEDGED, CLEARED]
                mine = until(lambda: (lambda m: m if len(m) == 3 else None)([m for m in receiver.documents() if m["data"]["alarm"] == alarm["id"]]), what="the messages")
                assert sorted(m["type"] for m in mine) == sorted([RAISED, ACKNOWLEDGED, CLEARED]) and all(contract.explain(MESSAGE, m) == "" for m in mine)
                assert {m["data"]["text"] for m in mine} == {"the controller does not answer", "acknowledged by the-operator"}
            entries = again.get("/v1/audit", query={"operation": "acknowledgeAlarm"}).expect(200).json["items"]
            done = [(e["entry"]["key_name"], e["entry"]["status"], e["entry"].get("reason")) for e in reversed(entries)]
            assert done[:2] == [("the-viewer", 403, None), ("the-operator", 200, "on my way")] and len(done) == 3
            again.delete("/v1/webhooks/andon", headers={"If-Match": "*"}).expect(204)
            again.delete("/v1/controllers/cell", headers={"If-Match": "*"}).expect(204)


def test_a_cause_that_went_while_nobody_looked(watching):
    server, _ = watching
    with server.client() as client, ControllerSim(robot=robot("scara")) as sim:
        cell_of(client, sim, "vanishing")
        until(lambda: client.get("/v1/controllers/vanishing/status").expect(200).json["connected"], what="a controller")
        sim.kill()
        alarm = one(client, "controller-lost", controller="vanishing")
        until(lambda: told(client, alarm) == [RAISED], what="it in the store")
        server.kill()
        server.write("DELETE FROM controllers WHERE name = ?", [("vanishing",)])
        server.write("UPDATE robot_revisions SET created_at = '2190-01-01T00:00:00.000Z' WHERE name = ?", [("vanishing-arm",)])
        server.restart()
        with server.client() as again:
            assert one(again, "controller-lost", controller="vanishing", state="cleared")["id"] == alarm["id"]
            assert one(again, "clock-behind", state="active")["source"] == "clock"


def test_a_controller_that_was_started_anew_stands_until_it_is_acknowledged(watching):
    server, _ = watching
    with server.client() as client, ControllerSim(robot=robot("scara")) as sim:
        cell_of(client, sim, "restarted")
        until(lambda: client.get("/v1/controllers/restarted/status").expect(200).json["connected"], what="a controller")
        port = sim.port
        sim.kill()
        one(client, "controller-lost", controller="restarted", state="active")
        with ControllerSim(robot=robot("scara"), listen=f"127.0.0.1:{port}"):
            one(client, "controller-lost", controller="restarted", state="cleared")
            alarm = one(client, "controller-restarted", state="active")
            client.post(f"/v1/alarms/{alarm['id']}/acknowledge").expect(200)
            one(client, "controller-restarted", state="cleared")
            assert told(client, alarm) == [RAISED, ACKNOWLEDGED, CLEARED]
        client.delete("/v1/controllers/restarted", headers={"If-Match": "*"}).expect(204)


def test_a_worker_that_is_killed_repeatedly(watching):
    server, _ = watching
    with server.client() as client:
        assert alarms(client, code="workers-fail") == []
        dead = 0
        for _ in range(3):
            (worker,) = until(lambda: [pid for pid in server.children("worker") if pid != dead], what="a worker")
            os.kill(worker, signal.SIGKILL)
            dead = worker
        assert one(client, "workers-fail", state="active")["source"] == "workers"
        server.restart()  # it begins with workers that live
    with server.client() as client:
        one(client, "workers-fail", state="cleared")


@pytest.mark.parametrize("small_disk", ["12m"], indirect=True)
def test_a_full_disk_is_told_though_nothing_can_be_written(small_disk):
    if postgresql.wanted():
        pytest.skip("this fills the disk of the embedded store")
    with Server("--workers", 1, "--disk-low", 1, data=small_disk / "data") as server, server.client() as client:
        assert alarms(client) == []
        fill_disk(small_disk / "filler")

        def refused():
            return client.post("/v1/drain").expect(200, 507).status == 507  # what the store's log has room for still goes in
        until(refused, what="a store without room")
        full, low = one(client, "store-full", state="active"), one(client, "disk-low", state="active")
        assert {full["source"], low["source"]} == {"store"}
        page = client.get("/v1/alarms", query={"limit": 1}).expect(200).json
        assert page["totals"] == {"active": 2, "acknowledged": 0, "cleared": 0} and full in page["items"]
        client.post(f"/v1/alarms/{full['id']}/acknowledge").expect(507)  # the audit trail could not tell of it
        assert client.get(f"/v1/alarms/{full['id']}").expect(200).json == full

        (small_disk / "filler").unlink()
        one(client, "disk-low", state="cleared")
        cleared = one(client, "store-full", state="cleared")
        assert {**cleared, "state": "active", "until": None} == full
        until(lambda: told(client, full) == [RAISED, CLEARED], what="what the store could not take")
        known = until(lambda: (lambda a: a.status == 200 and a.json)(client.post(f"/v1/alarms/{full['id']}/acknowledge")), what="who knows of it now")
        assert known["state"] == "cleared" and known["acknowledged_by"]
        server.restart(kill=True)
        with server.client() as again:
            assert again.get(f"/v1/alarms/{full['id']}").expect(200).json == known


@pytest.mark.parametrize("query, parameter", [({"state": "wrong"}, "state"), ({"from": "yesterday"}, "from"), ({"to": "x"}, "to"), ({"sort": "text"}, "sort")])
def test_what_cannot_be_asked_is_refused(watching, query, parameter):
    server, _ = watching
    with server.client() as client:
        (fault,) = client.get("/v1/alarms", query=query).expect(422).json["errors"]
        assert fault["parameter"] == parameter


def test_one_that_is_not_there(watching):
    server, _ = watching
    with server.client() as client:
        for path in ("/v1/alarms/01JD6Z3Y1K5D7A9M2Q4S6V8X0B", "/v1/alarms/x"):
            assert client.get(path).expect(404).json["type"].endswith("/not-found")
            assert client.post(f"{path}/acknowledge").expect(404).json["type"].endswith("/not-found")
