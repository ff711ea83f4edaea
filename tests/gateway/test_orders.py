"""Orders: one call from the job order to the motion. The verdict on what moved is that of the foreign controller's ledger."""

import os
import signal

import pytest

from cell import LONG
from foreign.process import Foreign
from ordering import HERE, THERE, Ordering
from support import Server, unique_name, until

pytestmark = pytest.mark.slow

KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def server():
    with Server(key=KEY) as one:
        yield one


@pytest.fixture
def here(server):
    with Foreign("--axes", 4) as controller:
        yield Ordering(server, controller)
        controller.ledger()  # without a violation


def motions(here):
    return here.sim.ledger()["motions"]


def test_an_order_waits_for_its_start_and_moves_the_arm_once(here):
    order = here.order(job_order_id="4711", to={"q": THERE})
    ready = here.reach_order(order, "ready")
    assert ready["plan"]["start"] == pytest.approx(HERE, abs=1e-9) and ready["plan"]["end"] == pytest.approx(THERE, abs=1e-9)
    assert ready["plan"]["duration"] == pytest.approx(0.2) and ready["plan"]["mechanical_energy_modelled"] > 0
    assert ready["queue_position"] == 1 and ready["created_by"] and ready["progress"] is None
    assert here.client.post(f"/v1/orders/{order}/start").status == 400  # without an Idempotency-Key
    first = here.say(order, "start", key="go")
    again = here.say(order, "start", key="go")
    assert first["id"] == again["id"] == order
    done = here.reach_order(order, "done")
    here.say(order, "start", key="go")  # however late
    here.say(order, "start", 409)
    assert [step["state"] for step in done["history"]] == ["accepted", "planning", "queued", "loading", "ready", "ready", "running", "done"]
    transfer = here.client.get(done["transfer"]).expect(200).json
    assert transfer["state"] == "done" and transfer["job_order_id"] == "4711" and transfer["trajectory"] in done["trajectory"]
    assert here.client.get(done["trajectory"]).expect(200).json["job_order_id"] == "4711"
    assert done["queue_position"] is None and done["progress"] == 1 and done["problem"] is None
    (motion,) = motions(here)
    assert motion["end"] == "whole" and motion["samples"] == transfer["total"]


def test_a_queue_goes_by_priority_then_age_and_each_begins_where_the_one_before_ends(here):
    first = here.order()
    here.reach_order(first, "ready")
    placed = here.automatic(to={"q": [0.01] * 4})
    here.reach_order(placed, "queued")  # planned: it keeps its place
    early, urgent = here.automatic(), here.automatic(to={"q": HERE}, priority=5)
    ids = [first, placed, urgent, early]
    assert here.queue()["orders"] == ids and here.told(early)["state"] == "accepted"
    here.say(first, "start")
    ended = [here.reach_order(order, "done") for order in ids]
    assert sorted(ids, key=lambda order: here.told(order)["started_at"]) == ids
    at = HERE
    for one in sorted(ended, key=lambda one: one["started_at"]):
        assert one["plan"]["start"] == pytest.approx(at, abs=1e-6)
        at = one["plan"]["end"]
    totals = here.client.get("/v1/orders", query={"controller": here.name}).expect(200).json["totals"]
    assert totals["done"] == 4 and sum(totals.values()) == 4
    assert len(motions(here)) == 4


def test_hold_blocks_resume_goes_on_and_release_lets_the_next_one_go(here):
    first, second = here.automatic(duration=2), here.automatic(to={"q": HERE})
    here.reach_order(first, "running")
    here.say(first, "hold")
    held = here.reach_order(first, "held")
    assert held["blocked"] and held["eta"] is None and 0 <= held["progress"] < 1
    here.release(409)
    here.say(first, "resume")
    assert here.reach_order(first, "running")["eta"]
    here.reach_order(first, "done")
    waiting = here.reach_order(second, "queued")
    assert first in waiting["blocked"]
    assert here.release(key="once")["blocked"] is None
    here.reach_order(second, "done")
    here.release(key="once")  # a repeat releases nothing that was blocked since
    assert [motion["end"] for motion in motions(here)] == ["whole", "whole"]


def test_stop_blocks_the_queue_and_what_was_planned_from_there_fails(here):
    first, second, third = here.automatic(duration=2), here.automatic(to={"q": HERE}), here.automatic(to={"q": [0.1] * 4})
    here.reach_order(first, "running")
    here.reach_order(second, "queued")
    assert here.client.post(f"/v1/controllers/{here.name}/stop").expect(200).json["confirmed"]
    stopped = here.reach_order(first, "stopped")
    assert stopped["problem"] is None
    here.blocked()
    assert here.told(second)["state"] == "queued" and here.told(third)["state"] == "accepted"
    here.sim.signal(signal.SIGUSR2)  # and somebody moves the arm away
    until(lambda: (here.status()["position"] or [0])[0] > 0.4, LONG, what="an arm that was moved")
    here.release()
    failed = here.reach_order(second, "failed")
    assert "start_tolerance" in failed["problem"]["detail"] and "release the queue" in failed["problem"]["detail"]
    assert second in here.blocked()
    here.say(third, "cancel")
    assert here.reach_order(third, "stopped")["history"][-1]["reason"].startswith("cancelled by")
    (motion,) = motions(here)
    assert motion["end"] == "rested" or motion["samples"] < 2001


def test_stop_with_nothing_loaded_keeps_what_comes_from_moving(here):
    here.reach_order(here.automatic(), "done")
    here.client.post("/v1/controllers/stop").expect(200)
    order = here.automatic(to={"q": HERE})
    assert "STOP" in here.blocked()
    assert here.told(order)["state"] == "accepted"
    here.release()
    here.reach_order(order, "done")


def stop(here):
    assert here.client.post(f"/v1/controllers/{here.name}/stop").expect(200).json["confirmed"]


def test_a_release_after_a_stop_releases_the_queue_of_it(here):
    """Whatever the queue was at: before its first order, while one moves, with none."""
    stop(here)
    assert here.release()["blocked"] is None
    here.reach_order(here.automatic(), "done")
    first = here.automatic(to={"q": HERE}, duration=2)
    here.reach_order(first, "running")
    stop(here)
    assert here.release()["blocked"] is None
    assert here.told(first)["state"] == "stopped"
    for _ in range(3):
        here.reach_order(here.automatic(to={"q": HERE}), "done")
        stop(here)
        assert here.release()["blocked"] is None
    here.reach_order(here.automatic(), "done")


def test_a_stop_under_another_name_counts(here):
    here.reach_order(here.automatic(), "done")
    twin = unique_name("twin")
    here.client.post("/v1/controllers", {**here.document(), "name": twin}).expect(201)
    here.client.post(f"/v1/controllers/{twin}/stop").expect(200)
    here.automatic(to={"q": HERE})
    here.blocked("STOP")


def test_an_order_needs_a_key_that_may_move_until_it_moves(here):
    def key(**more):
        return here.client.post("/v1/keys", {"name": unique_name("key"), "role": "operator", **more}).expect(201).json
    able, unable = key(motion=[here.name]), key()
    with here.server.client(key=unable["secret"]) as client:
        assert here.ask(client=client).expect(403).json["type"] == "/problems/motion-forbidden"
    with here.server.client(key=able["secret"]) as client:
        order = here.ask(client=client, start="automatic", duration=1).expect(202).json
        assert order["created_by"] == able["name"]
        second = here.ask(client=client, start="automatic", to={"q": HERE}).expect(202).json["id"]
    here.reach_order(order["id"], "running")
    here.client.delete(f"/v1/keys/{able['id']}").expect(204)
    here.reach_order(order["id"], "done")
    failed = here.reach_order(second, "failed")
    assert failed["problem"]["type"] == "/problems/motion-forbidden" and able["name"] in failed["problem"]["detail"]
    assert len(motions(here)) == 1


def test_automatic_needs_allow_start_when_it_is_made_and_when_it_starts(server):
    with Foreign("--axes", 4) as controller:
        here = Ordering(server, controller)
        first, second = here.automatic(duration=1), here.automatic(to={"q": HERE})
        here.reach_order(first, "done")
        here.reach_order(second, "done")
        entry = here.client.get(f"/v1/controllers/{here.name}").expect(200)
        barred = {**entry.json, "profile": {**entry.json["profile"], "allow_start": False}}
        here.client.put(f"/v1/controllers/{here.name}", barred, headers={"If-Match": entry.etag}).expect(200)
        assert "allow_start" in here.ask(start="automatic").expect(409).json["detail"]
        order = here.order()
        here.reach_order(order, "ready")
        assert "allow_start" in here.say(order, "start", 409)["detail"]
        here.say(order, "cancel")
        here.reach_order(order, "stopped")
        assert len(controller.ledger()["motions"]) == 2


def test_what_is_too_late_never_starts(here):
    order = here.order(start_within=0.3)
    failed = here.reach_order(order, "failed")
    assert failed["problem"]["type"] == "/problems/start-expired" and "start_within" in failed["problem"]["detail"]
    here.release()
    first, second = here.automatic(duration=2), here.automatic(to={"q": HERE}, expires_within=1)
    failed = here.reach_order(second, "failed")
    assert failed["problem"]["type"] == "/problems/start-expired" and "expires_within" in failed["problem"]["detail"]
    here.reach_order(first, "done")
    assert len(motions(here)) == 1


def test_what_cannot_be_is_refused_at_once_and_teaches(here):
    def faults(**request):
        return {fault["pointer"]: fault["detail"] for fault in here.ask(**request).expect(422).json["errors"]}
    assert "/to/q" in str(faults(to={"q": [0.0]}))
    assert "/to/q/0" in faults(to={"q": [99.0, 0, 0, 0]})
    assert "cycle_time_max" in str(faults(duration=None))
    assert "/duration" in faults(cycle_time_max=1)
    assert faults(duration=0).keys() == {"/duration"} and faults(duration=None, cycle_time_max="1 s").keys() == {"/cycle_time_max"}
    assert "rad, got 99: are these degrees?" in faults(to={"q": [99.0, 0, 0, 0]})["/to/q/0"] and "degrees" not in str(faults(to={"q": [0, 0, 99.0, 0]}))
    assert "{\"q\": [...]}" in faults(to=[0.1] * 4)["/to"] and "{\"webhook\": NAME}" in faults(callback="http://mes/")["/callback"]
    assert faults(callback={})["/callback/webhook"] == "is missing: a text (name of a webhook)" and "name of a controller" in faults(controller=None)["/controller"]
    assert "/parts lists them" in faults(part="nothing")["/part"]
    assert "?job_order_id=" in here.client.get("/v1/orders/4711").expect(404).json["detail"]
    assert "on_request" in faults(start=None)["/start"]
    assert faults(controller="nobody") and faults(part="nothing") and faults(start_within=61) and faults(from_=1)
    assert faults(**{"from": {"q": [0]}}) and faults(**{"from": "here"})
    assert "/expires_within" in faults(expires_within=3)
    assert here.ask(objective="time", duration=None).expect(202)
    assert here.queue()["count"] == 1 and here.client.delete(f"/v1/controllers/{here.name}", headers={"If-Match": "*"}).status == 409


def test_an_order_is_accepted_at_once_whatever_is_preferred(here):
    here.reach_order(here.order(), "ready")
    answer = here.ask(headers={"Prefer": "wait=60"}, to={"q": HERE}).expect(202)  # its turn never comes
    assert answer.json["state"] == "accepted" and "Preference-Applied" not in answer.headers


def test_a_plan_that_is_not_found_says_why_and_blocks(here):
    order = here.order(duration=0.01)
    failed = here.reach_order(order, "failed")
    assert failed["problem"]["type"] == "/problems/infeasible" and failed["problem"]["minimum_duration"] > 0.01
    assert f"{order} failed" in here.blocked(order)
    here.release()
    again = here.client.post("/v1/orders", failed["problem"]["suggested_request"]).expect(202).json  # the order, with the time that would do
    assert {**again["request"], "duration": 0.01} == failed["request"] and again["request"]["duration"] > failed["problem"]["minimum_duration"]
    here.reach_order(again["id"], "ready")
    here.say(again["id"], "cancel")
    here.reach_order(again["id"], "stopped")
    here.release()
    far = here.reach_order(here.order(to={"tool": {"translation": [9, 0, 0], "rpy": [0, 0, 0]}}), "failed")["problem"]
    assert [fault["pointer"] for fault in far["errors"]] == ["/to/tool"] and "suggested_request" not in far


def test_a_new_start_of_everything_blocks_and_nothing_moves_twice(server):
    with Server() as own, Foreign("--axes", 4) as controller:
        here = Ordering(own, controller)
        running, waiting = here.automatic(duration=1.5), here.automatic(to={"q": HERE})
        here.reach_order(running, "running")
        here.reach_order(waiting, "queued")
        own.restart(kill=True)
        here.client = own.client()
        assert "service" in here.blocked()
        here.reach_order(running, "done", "stopped", "failed", "interrupted")
        assert here.told(waiting)["state"] == "queued"
        here.say(waiting, "cancel")
        here.release()
        own.restart()  # without an order in it
        here.client = own.client()
        assert "service" in here.blocked()
        here.release()
        (gateway,) = own.children("gateway")
        os.kill(gateway, signal.SIGKILL)
        here.blocked("gateway")
        until(lambda: own.children("gateway") not in ([], [gateway]), LONG, what="a gateway")
        until(lambda: here.client.get("/readyz").status == 200, LONG, what="readiness")
        here.release()
        controller.signal(signal.SIGUSR1)
        order = here.automatic(**{"from": {"q": HERE}}, to={"q": HERE})
        here.reach_order(order, "failed", "queued", "done")
        assert len(controller.ledger(None)["motions"]) <= 2


def test_lists_by_state_time_and_job_order(here):
    marked = unique_name("JO")
    done = here.reach_order(here.automatic(job_order_id=marked), "done")
    ready = here.order(to={"q": HERE}, job_order_id=marked)
    here.reach_order(ready, "ready")

    def ids(**query):
        return {item["id"] for item in here.client.get("/v1/orders", query={"job_order_id": marked, **query}).expect(200).json["items"]}
    assert ids() == {done["id"], ready} and ids(state="ready,running") == {ready} and ids(state="done") == {done["id"]}
    assert ids(finished_after=done["finished_at"]) == {done["id"]} and ids(finished_before=done["finished_at"]) == set()
    assert ids(created_after=done["created_at"]) == {done["id"], ready} and ids(created_before="2020-01-01T00:00:00+01:00") == set()
    listed = here.client.get("/v1/orders", query={"job_order_id": marked}).expect(200).json["totals"]
    assert listed["done"] == 1 and listed["ready"] == 1
    assert here.client.get("/v1/orders", query={"state": "done,gone"}).status == 422
    assert here.client.get("/v1/orders", query={"created_after": "soon"}).status == 422
    here.say(ready, "cancel")
    here.reach_order(ready, "stopped")
