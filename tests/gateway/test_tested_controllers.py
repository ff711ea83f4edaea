"""A test of a controller that the service makes: it finds what `armdyn controller-test` finds, and nobody who counts on the controller
meets it."""

import os
import signal
import subprocess

import pytest

from cell import LONG
from foreign.process import Foreign
from support import Server, binary, robot, until

pytestmark = pytest.mark.same_threads


@pytest.fixture(scope="module")
def shared():
    with Server() as server, server.client() as client:
        client.create_robot(robot("scara"))
        yield client


def describe(client, name, port, **more):
    """A controller which is not in service."""
    arm = client.get("/v1/robots").json["items"][0]["name"]
    client.post("/v1/controllers", {"name": name, "host": "127.0.0.1", "port": port, "robot": arm, "enabled": False,
                                    "profile": {"protocol": "armdyn-v2"}, **more}).expect(201)
    return f"/v1/controllers/{name}"


def ended(client, place):
    until(lambda: client.get(f"{place}/test").expect(200).json["state"] != "running", timeout=LONG)
    return client.get(f"{place}/test").json


def command_finds(port, only):
    page = subprocess.run([binary(), "controller-test", f"127.0.0.1:{port}", "--only", only], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=LONG).stdout
    return {line[8:]: line[2:6].strip() for line in page.splitlines() if line.startswith(("  ok    ", "  FAIL  ", "  -     "))}


def test_it_finds_what_the_command_finds(shared):
    with Foreign("--scan", 2, "--axes", 4, "--epochs", fault=["takes-any-offset"]) as controller:
        place = describe(shared, "odd", controller.port)
        begun = shared.post(f"{place}/test", {"only": "window"}).expect(202).json
        assert (begun["state"], begun["only"], begun["allow_motion"]) == ("running", "window", False)
        told = ended(shared, place)
        marks = {"right": "ok", "wrong": "FAIL", "not_tried": "-"}
        assert {check["name"]: marks[check["result"]] for check in told["checks"]} == command_finds(controller.port, "window")
        assert [told[result] for result in marks] == [sum(check["result"] == result for check in told["checks"]) for result in marks]
        assert told["state"] == "done" and told["expected"] == len(told["checks"]) and told["ended_at"] >= told["begun_at"]
        (wrong,) = (check for check in told["checks"] if check["result"] == "wrong")
        assert wrong["name"] == "a window behind a gap is not taken" and wrong["mend"] and wrong["seen"]
        assert told["identity"]["axes"] == 4 and told["identity"]["epochs"] and abs(told["measured"]["clock_rate"] - 1) < 0.02
        assert not {"ARM", "START", "RESUME"} & set(controller.ledger(None)["commands"])


def test_what_is_not_there_is_said(shared):
    place = describe(shared, "nowhere", 1)
    shared.get(f"{place}/test").expect(404)
    shared.delete(f"{place}/test").expect(404)
    shared.post("/v1/controllers/none/test", {}).expect(404)
    shared.post(f"{place}/test", {}).expect(202)
    told = ended(shared, place)
    assert (told["state"], told["right"], told["wrong"], told["identity"], told["measured"]) == ("done", 0, 1, None, None)
    assert [check["name"] for check in told["checks"]] == ["it answers"] and "cannot connect to 127.0.0.1" in told["checks"][0]["seen"]
    for request, pointer in (({"allow_motion": 1}, "/allow_motion"), ({"only": "x" * 128}, "/only"), ({"motion": True}, "/motion")):
        fault, = shared.post(f"{place}/test", request).expect(422).json["errors"]
        assert fault["pointer"] == pointer


def test_nobody_who_counts_on_it_meets_it(shared):
    with Foreign("--scan", 20, "--axes", 4) as controller:
        place = describe(shared, "tested", controller.port)
        other = describe(shared, "its-other-name", controller.port, enabled=True)
        assert "'its-other-name' is in service" in shared.post(f"{place}/test", {}).expect(409).json["detail"]
        shared.delete(other, headers={"If-Match": "*"}).expect(204)
        for end in (lambda: shared.delete(f"{place}/test").expect(204), lambda: shared.post(f"{place}/stop").expect(200),
                    lambda: shared.post("/v1/controllers/stop").expect(200)):
            shared.post(f"{place}/test", {}).expect(202)
            shared.post(f"{place}/test", {}).expect(409)
            entry = shared.get(place).expect(200)
            assert "is being tested" in shared.put(place, {**entry.json, "enabled": True}, headers={"If-Match": entry.headers["ETag"]}).expect(409).json["detail"]
            until(lambda: shared.get(f"{place}/test").json["checks"])
            end()
            told = ended(shared, place)
            assert told["state"] == "cancelled" and told["measured"] is None and told["expected"] > len(told["checks"])
        entry = shared.get(place).expect(200)
        shared.put(place, {**entry.json, "enabled": True}, headers={"If-Match": entry.headers["ETag"]}).expect(200)
        assert "'tested' is in service" in shared.post(f"{place}/test", {}).expect(409).json["detail"]


def test_what_moves_asks_for_that_right(shared):
    with Server(key="of-an-administrator") as server, server.client() as admin:
        admin.create_robot(robot("scara"))
        place = describe(admin, "cell", 1)
        secret = admin.post("/v1/keys", {"name": "looks", "role": "engineer", "motion": []}).expect(201).json["secret"]
        with server.client(key=secret) as engineer:
            engineer.post(f"{place}/test", {"allow_motion": True}).expect(403)
            engineer.post(f"{place}/test", {}).expect(202)
        assert ended(admin, place)["state"] == "done"


def test_a_test_whose_process_is_killed_has_failed():
    with Server() as server, server.client() as client, Foreign("--scan", 20, "--axes", 4) as controller:
        client.create_robot(robot("scara"))
        place = describe(client, "cell", controller.port)
        client.post(f"{place}/test", {}).expect(202)
        until(lambda: client.get(f"{place}/test").json["checks"])
        trial, = server.children("controller-trial")
        os.kill(trial, signal.SIGKILL)
        told = ended(client, place)
        assert (told["state"], told["detail"], told["measured"]) == ("failed", "signal 9 (Killed)", None)
