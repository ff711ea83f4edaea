"""Orders of several steps. What moved is told by the foreign controller; where it should have been, by closed forms."""

import bisect
import os

import pytest

from cell import LONG
from foreign.process import Foreign
from ordering import HERE, THERE, Ordering
from support import Server, until

pytestmark = pytest.mark.slow

BETWEEN = [0.01] * 4
ONE = ("to", "duration", "objective")  # of an order of one motion


def move(to, duration=0.15, **more):
    return {"to": {"q": to}, "duration": duration, "objective": "smooth", **more}


CYCLE = [{"dwell": 0.05}, move(THERE), {"dwell": 0.2}, move(BETWEEN), move(HERE)]


def order_of(here, *steps, start="automatic", **more):
    return here.order(steps=list(steps), start=start, **dict.fromkeys(ONE), **more)


def reasons(order):
    return " ".join(step["reason"] or "" for step in order["history"])


def quintic(a, b, x):
    return [p + (q - p) * x ** 3 * (10 - 15 * x + 6 * x * x) for p, q in zip(a, b)]


class Expected:
    """Where the arm is to be, by the steps of the request alone."""

    def __init__(self, begin, steps):
        self.begins, self.places, self.steps = [0.0], [begin], steps
        for step in steps:
            self.begins.append(self.begins[-1] + (step.get("dwell") or step["duration"]))
            self.places.append(step["to"]["q"] if "to" in step else self.places[-1])

    def step(self, t):
        return min(bisect.bisect_right(self.begins, t) - 1, len(self.steps) - 1)

    def at(self, t):
        k = self.step(t)
        x = (t - self.begins[k]) / (self.begins[k + 1] - self.begins[k])
        return quintic(self.places[k], self.places[k + 1], min(max(x, 0), 1))


@pytest.fixture
def here(server):
    with Foreign("--axes", 4) as controller:
        yield Ordering(server, controller, telemetry_rate=200)
        controller.ledger()  # without a violation


def test_every_step_ends_where_it_was_asked_to_and_a_dwell_is_still(here):
    done = here.reach_order(order_of(here, *CYCLE, job_order_id="4720"), "done")
    want = Expected(HERE, CYCLE)
    plan = done["plan"]
    assert done["progress"] == 1 and plan["duration"] == pytest.approx(want.begins[-1])
    assert [step["trajectory"] is None for step in plan["steps"]] == ["dwell" in step for step in CYCLE]
    assert [step["begins_at"] for step in plan["steps"]] == pytest.approx(want.begins[:-1])
    for step, place in zip(plan["steps"], want.places[1:]):
        assert step["end"] == pytest.approx(place, abs=1e-6)
    transfer = here.client.get(done["transfer"]).expect(200).json
    measured = here.client.get(f"{transfer['telemetry']}/samples").expect(200).json  # by the controller, as it played
    assert measured["t"]
    for t, q in zip(measured["t"], measured["q"]):
        still = "dwell" in CYCLE[want.step(t)] and "dwell" in CYCLE[want.step(t + 2e-3)] and "dwell" in CYCLE[want.step(max(t - 2e-3, 0))]
        assert q == pytest.approx(want.at(t), abs=1e-6 if still else 1e-3), t
    until(lambda: here.status()["position"][:4] == pytest.approx(HERE, abs=1e-6), LONG, what="an arm that is back")  # it is polled
    (motion,) = here.sim.ledger()["motions"]  # all of it as one, once
    assert motion["end"] == "whole" and motion["samples"] == transfer["total"]


def test_a_cycle_that_repeats_plans_nothing_and_one_that_changes_what_is_new(here):
    first, again = (here.reach_order(order_of(here, *CYCLE), "done") for _ in range(2))
    assert again["job"] is None and again["trajectory"] == first["trajectory"] and again["plan"] == first["plan"]
    assert "planning" not in [step["state"] for step in again["history"]]
    changed = here.reach_order(order_of(here, *CYCLE[:4], {"dwell": 0.05}, move([0.005] * 4), start="on_request"), "ready")
    kept = [step["trajectory"] for step in changed["plan"]["steps"]]
    assert kept[1] == first["plan"]["steps"][1]["trajectory"] and kept[3] == first["plan"]["steps"][3]["trajectory"]
    assert "/steps/1 is planned: a former plan serves again" in reasons(changed) and " plans /steps/5" in reasons(changed)
    assert " plans /steps/1" not in reasons(changed) and changed["trajectory"] != first["trajectory"]
    here.say(changed["id"], "cancel")
    here.reach_order(changed["id"], "stopped")


def test_one_step_that_cannot_be_done_fails_all_before_anything_is_loaded(here):
    failed = here.reach_order(order_of(here, move(THERE), {"dwell": 0.1}, move([0.1] * 4, duration=1e-3), move(HERE)), "failed")
    assert failed["problem"]["type"] == "/problems/infeasible" and failed["problem"]["detail"].startswith("/steps/2: ")
    assert failed["problem"]["minimum_duration"] > 1e-3
    assert failed["transfer"] is None and failed["trajectory"] is None
    assert here.sim.ledger()["motions"] == []


@pytest.mark.skipif(not os.environ.get("ARMDYN_SOAK"), reason="its searches take a while")
def test_the_cheapest_moves_join_without_a_step_of_torque(here):
    costly = [{"to": {"q": place}, "cycle_time_max": 0.4} for place in (THERE, HERE)]
    ready = here.reach_order(order_of(here, *costly, start="on_request"), "ready")
    samples = here.client.get(f"{ready['trajectory']}/samples").expect(200).json
    border = min(range(len(samples["t"])), key=lambda k: abs(samples["t"][k] - ready["plan"]["steps"][1]["begins_at"]))
    largest = max(max(map(abs, row)) for row in samples["qdd"])
    assert all(abs(x) < 0.1 * largest for x in samples["qdd"][border])
    here.say(ready["id"], "cancel")
    here.reach_order(ready["id"], "stopped")


def test_killed_between_two_moves_it_goes_on_with_the_next():
    with Server() as server, Foreign("--axes", 4) as controller:
        here = Ordering(server, controller)
        places = [THERE, HERE, BETWEEN] * 4
        order = order_of(here, *(move(place, 0.15 + 0.005 * k) for k, place in enumerate(places)), expires_within=3600)
        until(lambda: "/steps/0 is planned" in reasons(here.told(order)) or here.told(order)["problem"], LONG, 0.005, what="a first move")
        server.restart(kill=True)
        here.client = server.client()
        here.blocked("anew")
        here.release()
        done = here.reach_order(order, "done")
        assert all(reasons(done).count(f"/steps/{k} is planned") == 1 for k in range(len(places)))
        assert [step["end"] for step in done["plan"]["steps"]] == [pytest.approx(q, abs=1e-6) for q in places]
        (motion,) = controller.ledger()["motions"]
        assert motion["end"] == "whole"
