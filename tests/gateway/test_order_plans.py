"""What orders are planned as: never what the controller would be refused, and not twice what was planned before.

ARMDYN_ORDERS=... orders in a row, 500 in `make soak`, 10 in `make test`.
"""

import json
import math
import os
import random
import re
import statistics
import time

import pytest

from cell import LONG, instant
from foreign.process import Foreign
from ordering import HERE, THERE, Ordering
from support import ROOT, ControllerSim
from support.cells import gantry

pytestmark = pytest.mark.slow

SOAK = bool(os.environ.get("ARMDYN_SOAK"))
COUNT = int(os.environ.get("ARMDYN_ORDERS") or (500 if SOAK else 10))
SEED = int(os.environ.get("ARMDYN_SEED") or time.time())
PARTS = {"A7": {"mass": 0.5, "com": [0, 0, 0.03], "inertia": {"xx": 0.0005, "yy": 0.0005, "zz": 0.0004}}, "B9": {"mass": 0.2, "com": [0.01, 0, 0.02]}}


@pytest.fixture
def here(server):
    with Foreign("--axes", 4) as controller:
        yield Ordering(server, controller)
        controller.ledger()  # without a violation


def model_of_the_manual():
    (text,) = re.findall(r"^cat >arm.json <<'END'\n(.*?)^END$", (ROOT / "deploy/doc/api-tour.md").read_text(), re.S | re.M)
    return json.loads(text)


def entered(order, state):
    """When an order came to a state first [s]."""
    return next(instant(step["at"]) for step in order["history"] if step["state"] == state)


def planned(order):
    return "planning" in [step["state"] for step in order["history"]]


def test_what_could_not_be_loaded_is_planned_smoothly(server):
    """The cheapest motion of the manual's arm starts with a step of friction, beyond its limit of the torque rate."""
    model = model_of_the_manual()
    with ControllerSim(robot=model) as sim:
        here = Ordering(server, sim, model=model)
        order = here.order(to={"q": [0.5, 0.4]}, duration=None, objective=None, cycle_time_max=1.5)
        ready = here.reach_order(order, "ready")
        assert [warning["code"] for warning in ready["plan"]["warnings"]] == ["planned_smoothly"]
        assert any("torque rate" in (step["reason"] or "") for step in ready["history"])
        assert ready["plan"]["duration"] == pytest.approx(1.5) and ready["plan"]["end"] == pytest.approx([0.5, 0.4], abs=1e-6)
        assert here.client.get(ready["trajectory"]).expect(200).json["method"] == "quintic"
        here.say(order, "start")
        here.reach_order(order, "done")
        if SOAK:  # the search for the shortest takes a while
            done = here.reach_order(here.automatic(to={"q": [0, 0]}, duration=None, objective="time"), "done")
            assert done["plan"]["duration"] < 1.5


def test_milliseconds_in_place_of_seconds_are_told(here):
    """In what was planned for it, with the place in the request; the motion is as it was asked for."""
    def suspects(**request):
        order = here.order(**request)
        plan = here.reach_order(order, "queued", "loading", "ready")["plan"]
        here.say(order, "cancel")
        here.reach_order(order, "stopped")
        if here.queue()["blocked"]:  # something of it was sent
            here.release()
        return plan["duration"], [warning["detail"].split(" is ")[0] for warning in plan["warnings"] if warning["code"] == "unit_suspect"]
    assert suspects(duration=100) == (pytest.approx(100), [])
    assert suspects(duration=150) == (pytest.approx(150), ["/duration"])
    moves = [{"to": {"q": THERE}, "duration": 1, "objective": "smooth"}, {"dwell": 200}, {"to": {"q": HERE}, "duration": 150, "objective": "smooth"}]
    assert suspects(to=None, duration=None, objective=None, steps=moves) == (pytest.approx(351), ["/steps/1/dwell", "/steps/2/duration"])


def test_orders_in_a_row_are_planned_once_each_and_nobody_waits(here, record_property):
    orders = [here.automatic(to={"q": HERE if k % 2 else THERE}, duration=0.15, expires_within=86400, job_order_id=f"part-{k % 2}") for k in range(COUNT)]
    ended = [here.reach_order(order, "done", timeout=LONG + COUNT) for order in orders]
    trajectories = [order["trajectory"] for order in ended]
    assert trajectories == [trajectories[k % 2] for k in range(COUNT)]
    assert [planned(order) for order in ended] == [k < 2 for k in range(COUNT)]
    assert all(order["job"] is None and "serves again" in order["history"][1]["reason"] for order in ended[2:])
    assert all(order["plan"] == ended[k % 2]["plan"] for k, order in enumerate(ended))
    for before, order in zip(ended, ended[1:]):  # it was planned before its turn came, and loaded as soon as that came
        assert entered(order, "queued") <= instant(before["finished_at"]) <= entered(order, "loading")
    gaps = [entered(order, "loading") - instant(before["finished_at"]) for before, order in zip(ended, ended[1:])]
    loads = [entered(order, "ready") - entered(order, "loading") for order in ended]
    for name, times in (("from an end to the next load", gaps), ("load", loads)):
        record_property(name, f"median {1e3 * statistics.median(times):.0f} ms, most {1e3 * max(times):.0f} ms")
        print(name, f"median {1e3 * statistics.median(times):.0f} ms, most {1e3 * max(times):.0f} ms")
    motions = here.sim.ledger()["motions"]
    assert len(motions) == COUNT and {motion["end"] for motion in motions} == {"whole"}


def test_two_parts_in_turn_are_planned_for_each_and_nobody_waits(here, record_property):
    """The cell says what the gripper has closed on when an order has ended, then orders what is done with it: every part, place
    and next place is planned once. ARMDYN_SEED=... repeats the places."""
    places, chance = [HERE, THERE, [0.01] * 4], random.Random(SEED)
    for part, payload in PARTS.items():
        here.client.post(f"/v1/robots/{here.robot}/parts", {"name": part, "payload": payload}).expect(201)
    at, known, ended, called = HERE, {}, [], []
    for k in range(COUNT):
        part, to = sorted(PARTS)[k % len(PARTS)], chance.choice([place for place in places if place != at])
        began = time.perf_counter()
        assert here.client.put(f"/v1/controllers/{here.name}/part", {"part": part}).expect(200).json["part"] == part
        order = here.automatic(to={"q": to}, part=part, duration=0.15, job_order_id=part)
        called.append(time.perf_counter() - began)
        done = here.reach_order(order, "done")
        motion = (part, tuple(at), tuple(to))
        assert planned(done) == (motion not in known), (SEED, k, motion)
        assert known.setdefault(motion, done["trajectory"]) == done["trajectory"], (SEED, k, motion)
        at, ended = to, [*ended, done]
    assert len(set(known.values())) == len(known)  # no plan is of two parts
    for (part, _, _), trajectory in known.items():
        assert here.client.get(trajectory).expect(200).json["conditions"]["part"] == part
    tell_times(record_property, called, ended)
    motions = here.sim.ledger()["motions"]
    assert len(motions) == COUNT and {motion["end"] for motion in motions} == {"whole"}


def tell_times(record_property, called, ended):
    reused = [order for order in ended if not planned(order)]
    figures = {"two calls of the cell": called,
               "from an end to the next load": [entered(order, "loading") - instant(before["finished_at"]) for before, order in zip(ended, ended[1:]) if not planned(order)],
               "from acceptance to the queue, planned before": [entered(order, "queued") - entered(order, "accepted") for order in reused],
               "from the queue to the load": [entered(order, "loading") - entered(order, "queued") for order in reused],
               "load": [entered(order, "ready") - entered(order, "loading") for order in ended]}
    for name, times in figures.items():
        if times:
            text = f"median {1e3 * statistics.median(times):.0f} ms, most {1e3 * max(times):.0f} ms, of {len(times)}"
            record_property(name, text)
            print(name, text)


def test_what_differs_is_planned_anew(here):
    def go(to, **more):
        return here.reach_order(here.automatic(to={"q": to}, **more), "done")
    go(THERE), go(HERE)
    assert not planned(go(THERE, tags={"lot": "7"}, priority=3)) and not planned(go(HERE))
    assert planned(go(THERE, duration=0.25)) and planned(go(HERE, duration=0.25))
    assert planned(go([0.01] * 4)) and planned(go(HERE))
    model = here.client.get(f"/v1/robots/{here.robot}").expect(200)
    links = [dict(joint) for joint in model.json["joints"]]
    links[0]["link"] = {**links[0]["link"], "mass": 1.01 * links[0]["link"]["mass"]}
    here.client.put(f"/v1/robots/{here.robot}", {**model.json, "joints": links}, headers={"If-Match": model.etag}, query={"allow_unphysical": "true"}).expect(200)
    assert planned(go(THERE))


def test_a_plan_is_held_against_the_cell_of_the_controller(here):
    """In its newest revision: another one of the cell is planned for anew."""
    def change(path, **members):
        stored = here.client.get(path).expect(200)
        here.client.put(path, {**stored.json, **members}, headers={"If-Match": stored.etag}, query={"allow_unphysical": "true"} if "robots" in path else None).expect(200)

    def floor(offset):
        return [{"name": "floor", "half_space": {"normal": [0, 0, 1], "offset": offset}}]

    def go(to):
        order = here.reach_order(here.automatic(to={"q": to}), "done")
        told = here.client.get(order["trajectory"]).expect(200).json
        profile = here.client.get(f"/v1/controllers/{here.name}").expect(200).json["profile"]
        assert told["request"]["deviation"] == pytest.approx(profile["start_tolerance"] + profile.get("following_error", 0))
        return planned(order), told["request"]["cell"], told["clearance"]["cell_revision"], told["clearance"]["clearance"]
    cell = here.client.post("/v1/cells", {"name": f"around-{here.name}", "bodies": floor(-5)}).expect(201).json["name"]
    joints = here.client.get(f"/v1/robots/{here.robot}").expect(200).json["joints"]
    joints[0]["link"]["bodies"] = [{"sphere": {"radius": 0.1}}]
    change(f"/v1/robots/{here.robot}", joints=joints)
    change(f"/v1/controllers/{here.name}", cell=cell)
    there, back = go(THERE), go(HERE)
    assert there[:3] == back[:3] == (True, cell, 1)
    assert go(THERE) == (False, *there[1:])
    change(f"/v1/cells/{cell}", bodies=floor(-4))
    assert go(HERE) == (True, cell, 2, pytest.approx(back[3] - 1, abs=1e-3))


def test_what_was_deleted_is_planned_anew_and_what_waits_stays(here):
    first = here.order()
    waiting = here.reach_order(first, "ready")
    trajectory = here.client.get(waiting["trajectory"]).expect(200)
    refused = here.client.delete(waiting["trajectory"], headers={"If-Match": trajectory.etag}).expect(409).json
    assert first in refused["detail"]
    here.say(first, "cancel")
    here.reach_order(first, "stopped")
    here.release()


def test_a_cell_is_kept_clear_of(server):
    """Two slides across each other carry a ball from one side of a post to the other. The cheapest motion, which is what an order asks for
    unless it says otherwise, goes straight through; what the controller plays goes around."""
    ball, post = 0.1, 0.2
    model = gantry(ball, limits={"velocity": 4, "acceleration": 40, "torque": 400, "torque_rate": 1e5})
    server.client().post("/v1/cells", {"name": "post", "bodies": [{"name": "post", "capsule": {"from": [-1, 0, 1], "to": [1, 0, 1], "radius": post}}]}).expect(201)
    with Foreign("--axes", 2) as controller:
        here = Ordering(server, controller, model=model, start_tolerance=0.005, following_error=0.005)
        entry = here.client.get(f"/v1/controllers/{here.name}").expect(200)
        here.client.put(f"/v1/controllers/{here.name}", here.document(cell="post"), headers={"If-Match": entry.headers["ETag"]}).expect(200)
        there = here.reach_order(here.automatic(to={"q": [2, 0]}, duration=3, objective=None), "done")
        motion = here.client.get(there["trajectory"] + "/samples").expect(200).json
        least = min(math.hypot(along - 1, across) for along, across in motion["q"])
        assert ball + post < least < ball + post + 0.1
        (played,) = controller.ledger()["motions"]
        assert played["end"] == "whole"
