"""Orders are changed while they wait: what moves is what was said last, or the change was refused. The verdict on what moved is that
of the foreign controller's ledger."""

import os
import random
import struct
import time

import pytest

from foreign.process import Foreign
from ordering import HERE, THERE, Ordering
from support import Server, robot, unique_name, until
from support.motions import long_motion

pytestmark = pytest.mark.slow

KEY = "0123456789abcdef0123456789abcdef"
ELSEWHERE = [0.015, -0.02, 0.01, 0.03]


@pytest.fixture(scope="module")
def server():
    with Server("--workers", 1, key=KEY) as one:
        yield one


@pytest.fixture
def here(server):
    with Foreign("--axes", 4, "--keep") as controller:
        yield Ordering(server, controller)
        controller.ledger()  # without a violation


def ask(here, order, patch, match="*", client=None, **query):
    return (client or here.client).request("PATCH", f"/v1/orders/{order}", json=patch, headers={"If-Match": match} if match else {}, query=query,
                                           content_type="application/merge-patch+json")


def change(here, order, patch, status=200, **more):
    return ask(here, order, patch, **more).expect(status)


def ends(here):
    """Where each motion ended, by the last sample that the controller played of it."""
    told, at, places = here.sim.ledger(), 0, []
    for motion in told["motions"]:
        assert motion["end"] == "whole" and motion["samples"] == motion["total"]
        at += motion["samples"]
        last = bytes(told["played"][at - 1])
        places.append(pytest.approx(struct.unpack(f">{len(last) // 4}f", last)[::2], abs=1e-6))
    return places


def faults(here, order, patch):
    return [(fault["pointer"], fault["code"]) for fault in change(here, order, patch, 422).json["errors"]]


def ordered(here, count):
    return [here.order() for _ in range(count)]


def test_what_was_planned_already_is_planned_anew(here):
    first = here.order(to={"q": THERE})
    here.reach_order(first, "ready")
    second = here.order(to={"q": HERE}, job_order_id="lot-1", tags={"line": "a", "shift": "1"})
    planned = here.reach_order(second, "queued")
    assert planned["changed_by"] is None and planned["plan"]["end"] == pytest.approx(HERE, abs=1e-9)
    patch = {"to": {"q": ELSEWHERE}, "duration": None, "cycle_time_max": 0.4, "tags": {"shift": "2", "line": None}}
    answer = change(here, second, patch, match=here.client.get(f"/v1/orders/{second}").etag).json
    request = {**planned["request"], "to": {"q": ELSEWHERE}, "cycle_time_max": 0.4, "tags": {"shift": "2"}}
    del request["duration"]
    assert answer["request"] == request
    assert (answer["id"], answer["created_at"], answer["transfer"]) == (second, planned["created_at"], None)
    assert answer["changed_by"] and answer["changed_at"] > planned["created_at"]
    again = here.reach_order(second, "queued")
    assert again["plan"]["end"] == pytest.approx(ELSEWHERE, abs=1e-9) and again["plan"]["duration"] == pytest.approx(0.4) and again["trajectory"] != planned["trajectory"]
    (reason,) = [step["reason"] for step in again["history"] if (step["reason"] or "").startswith("changed by")]
    assert {name.strip() for name in reason.split(": ")[1].split(",")} == {"to", "duration", "cycle_time_max", "tags"}
    found = here.client.get("/v1/orders", query={"tag": "shift=2", "controller": here.name}).expect(200).json["items"]
    assert [one["id"] for one in found] == [second] and here.client.get("/v1/orders", query={"tag": "line=a", "controller": here.name}).json["items"] == []
    here.say(first, "start")
    here.reach_order(second, "ready")
    here.say(second, "start")
    done = here.reach_order(second, "done")
    assert here.client.get(done["trajectory"]).expect(200).json["duration"] == pytest.approx(0.4)
    assert ends(here) == [THERE, ELSEWHERE]


def test_a_tag_of_an_answer_holds_until_somebody_else_changes_it(here):
    here.reach_order(here.order(), "ready")
    order = here.order(to={"q": HERE})
    before = here.client.get(f"/v1/orders/{order}").expect(200)
    here.reach_order(order, "queued")
    now = here.client.get(f"/v1/orders/{order}").expect(200)
    assert now.etag != before.etag or now.json == before.json  # what caches hold is no longer the order
    change(here, order, {"priority": 1}, match=None, status=428)
    first = change(here, order, {"priority": 1}, match=before.etag)
    for stale in (before.etag, now.etag, '"1"', '"nonsense"'):
        assert change(here, order, {"priority": 2}, 412, match=stale).json["type"] == "/problems/stale"
    assert change(here, order, {"priority": 2}, match=first.etag).json["priority"] == 2
    told = here.told(order)
    same = change(here, order, {"priority": 2, "start": "on_request", "to": {"q": HERE}}).json  # as it is: once more after a lost answer
    assert (same["changed_at"], [s["reason"] for s in same["history"]][:4]) == (told["changed_at"], [s["reason"] for s in told["history"]][:4])


def test_what_is_at_the_controller_or_has_ended_stays_as_it_is(here):
    order = here.order(duration=1)
    for state, then in (("ready", "start"), ("running", "hold"), ("held", "resume"), ("done", None)):
        here.reach_order(order, state)
        refused = change(here, order, {"priority": 3}, 409).json
        assert state in refused["detail"] and "order anew" in refused["detail"] and ("cancel" in refused["detail"]) == (state != "done")
        if then:
            here.say(order, then)
    assert here.told(order)["priority"] == 0 and here.told(order)["changed_by"] is None
    here.release()
    waiting = here.order(to={"q": HERE})
    here.reach_order(waiting, "ready")
    behind = here.order()
    here.say(behind, "cancel")
    here.reach_order(behind, "stopped")
    assert "stopped" in change(here, behind, {"priority": 3}, 409).json["detail"]
    change(here, "01JD6Z3Y1K5D7A9M2Q4S6V8X0C", {"priority": 3}, 404)


def test_what_cannot_be_is_refused_and_changes_nothing(here):
    here.reach_order(here.order(), "ready")
    order = here.order(to={"q": HERE})
    told = here.reach_order(order, "queued")
    assert faults(here, order, {"controller": "another"}) == [("/controller", "inconsistent")]
    assert faults(here, order, {"to": {"q": [0.1]}})[0][0].startswith("/to") and faults(here, order, {"to": None}) == [("/to", "required")]
    assert faults(here, order, {"cycle_time_max": 1}) == [("/duration", "inconsistent")]
    assert faults(here, order, {"duration": -1}) == [("/duration", "minimum")] and faults(here, order, {"priority": 11})[0][0] == "/priority"
    assert faults(here, order, {"start": None}) == [("/start", "required")] and faults(here, order, {"state": "done"})[0][0] == "/state"
    assert faults(here, order, {"expires_within": 60}) == [("/expires_within", "inconsistent")]
    assert faults(here, order, {"callback": {"webhook": "nobody"}})[0][0].startswith("/callback")
    assert faults(here, order, {"steps": [{"dwell": 1}]})[0][0] in ("/to", "/steps")
    assert here.told(order) == {**told, "message": here.told(order)["message"]}
    steps = [{"to": {"q": ELSEWHERE}, "duration": 0.2, "objective": "smooth"}, {"dwell": 0.1}, {"to": {"q": HERE}, "duration": 0.2, "objective": "smooth"}]
    change(here, order, {"to": None, "duration": None, "objective": None, "steps": steps})
    assert len(here.reach_order(order, "queued")["plan"]["steps"]) == 3
    change(here, order, {"to": {"q": ELSEWHERE}, "duration": 0.2, "objective": "smooth", "steps": None})
    planned = here.reach_order(order, "queued")["plan"]
    assert "steps" not in planned and planned["end"] == pytest.approx(ELSEWHERE, abs=1e-9)


def test_it_stands_where_its_priority_and_its_age_put_it(here):
    at_controller = here.order()
    here.reach_order(at_controller, "ready")
    placed, second, third = ordered(here, 3)
    here.reach_order(placed, "queued")
    assert here.queue()["orders"] == [at_controller, placed, second, third]
    tried = change(here, third, {"priority": 4}, dry_run="true").json
    assert tried["queue_position"] == 3 and here.queue()["orders"] == [at_controller, placed, second, third]
    assert change(here, third, {"priority": 4}).json["queue_position"] == 3  # what is planned keeps its place
    assert here.queue()["orders"] == [at_controller, placed, third, second]
    change(here, placed, {"priority": -1})  # and leaves it when it is changed
    assert here.queue()["orders"] == [at_controller, third, second, placed]
    here.reach_order(third, "queued")
    here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)
    here.blocked("STOP")
    assert change(here, second, {"priority": 9}).json["blocked"]  # in a blocked queue, too
    assert here.queue()["orders"][-2:] == [second, placed]


def test_a_plan_that_is_being_computed_is_given_up(server):
    with Foreign("--axes", 6) as controller:
        here = Ordering(server, controller, robot("puma560"))
        path = f"/v1/robots/{here.robot}/trajectories"
        blocker = here.client.post(path, long_motion()).expect(202).json["id"]  # the one worker has to do
        order = here.order(to={"q": [0.3] * 6}, duration=1)
        planning = here.reach_order(order, "planning")
        job = until(lambda: here.told(order)["job"], what="its job")
        answer = change(here, order, {"to": {"q": [0.2] * 6}}).json
        assert answer["state"] in ("accepted", "planning") and answer["job"] != job and planning["plan"] is None
        assert until(lambda: here.client.get(job).expect(200).json["state"] not in ("queued", "running"), what="the end of the former job")
        assert here.client.get(job).json["state"] == "cancelled"
        here.client.post(f"/v1/jobs/{blocker}/cancel").expect(200, 202)
        ready = here.reach_order(order, "ready")
        assert ready["plan"]["end"] == pytest.approx([0.2] * 6, abs=1e-9)


def test_who_changes_an_automatic_order_answers_for_its_start(here):
    def key(**more):
        return here.client.post("/v1/keys", {"name": unique_name("key"), "role": "operator", **more}).expect(201).json
    able, unable = key(motion=[here.name]), key()
    first = here.order(duration=0.3)
    here.reach_order(first, "ready")
    order = here.automatic(to={"q": HERE}, expires_within=60)
    expires = here.reach_order(order, "queued")["expires_at"]
    with here.server.client(key=unable["secret"]) as client:
        assert change(here, order, {"priority": 1}, 403, client=client).json["type"] == "/problems/motion-forbidden"
    with here.server.client(key=able["secret"]) as client:
        changed = change(here, order, {"to": {"q": ELSEWHERE}}, client=client).json
    assert changed["changed_by"] == able["name"] != changed["created_by"] and changed["expires_at"] == expires
    time.sleep(0.05)
    assert faults(here, order, {"expires_within": 0.01}) == [("/expires_within", "inconsistent")]  # since it was accepted
    assert change(here, order, {"start": "on_request", "expires_within": None}).json["expires_at"] is None
    with here.server.client(key=able["secret"]) as client:
        assert change(here, order, {"start": "automatic"}, client=client).json["expires_at"] > expires
    here.reach_order(order, "queued")
    here.client.delete(f"/v1/keys/{able['id']}").expect(204)
    here.say(first, "start")
    failed = here.reach_order(order, "failed")
    assert failed["problem"]["type"] == "/problems/motion-forbidden" and able["name"] in failed["problem"]["detail"]
    assert len(here.sim.ledger()["motions"]) == 1


def test_a_change_outlives_the_service():
    with Server(key=KEY) as server, Foreign("--axes", 4) as controller:
        here = Ordering(server, controller)
        here.reach_order(here.order(), "ready")
        order = here.order(to={"q": HERE})
        here.reach_order(order, "queued")
        here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)
        here.blocked("STOP")
        changed = change(here, order, {"to": {"q": ELSEWHERE}, "from": {"q": HERE}})
        server.restart(kill=True)
        with server.client(key=KEY) as here.client:
            told = here.told(order)
            assert (told["state"], told["request"], told["changed_by"]) == ("accepted", changed.json["request"], changed.json["changed_by"])
            change(here, order, {"priority": 1}, match=changed.etag)
            change(here, order, {"priority": 2}, 412, match=changed.etag)


@pytest.mark.parametrize("seed", range(40 if os.environ.get("ARMDYN_SOAK") else 3))
def test_one_that_begins_meanwhile_moves_as_it_was_or_as_it_is(here, seed):
    """The thread of the queue measures, plans and loads while others change what it works for."""
    dice = random.Random(seed)
    places = [[round(dice.uniform(0, 0.03), 4) for _ in range(4)] for _ in range(12)]
    orders = [here.automatic(to={"q": place}, duration=0.2) for place in places[:4]]
    taken = {order: place for order, place in zip(orders, places)}
    for place in places[4:]:
        order = dice.choice(orders[1:])
        if ask(here, order, {"to": {"q": place}}).expect(200, 409).status == 200:
            taken[order] = place
        time.sleep(dice.uniform(0, 0.15))
    for order in orders:
        done = here.reach_order(order, "done")
        assert done["request"]["to"]["q"] == taken[order] and done["plan"]["end"] == pytest.approx(taken[order], abs=1e-9)
    assert ends(here) == [taken[order] for order in orders]
