"""A queue of orders, and at a random moment whatever stops a cell: nothing moves that the rules forbid, and no order moves the arm
twice. In some rounds an order is of several steps, and sets a gripper between them: nothing moves on with that as it should not be.
What moved, and when, is told by the foreign controller's ledger alone.

ARMDYN_ROUNDS=... events, 300 in `make soak`, 15 in `make test`; ARMDYN_SEED=... repeats.
"""

import concurrent.futures
import os
import random
import signal
import time

import pytest

from cell import FINAL, LONG
from foreign.process import Foreign
from gripping import CLOSED, OPEN, moved_on_wrongly, move, outputs, rest
from ordering import HERE, THERE, Ordering
from support import Server, until

SOAK = bool(os.environ.get("ARMDYN_SOAK"))
ROUNDS = int(os.environ.get("ARMDYN_ROUNDS") or (300 if SOAK else 15))
SEED = int(os.environ.get("ARMDYN_SEED") or time.time())
AT_ONCE = 3
ORDERS = 4
WINDOW = 1.2   # s in which the event comes
STEPS = 1 / 3  # of the rounds have an order of several steps,
LONGER = 1.3   # s longer than another one


def stop(here):
    here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)


def hold(here):
    """The one that moves; what has just ended is 409."""
    for order in here.queue()["orders"][:1]:
        here.client.post(f"/v1/orders/{order}/hold")


def cancel(here):
    for order in here.queue()["orders"][:1]:
        here.client.post(f"/v1/orders/{order}/cancel")


def push(here):
    here.sim.signal(signal.SIGUSR2)


def restart_controller(here):
    here.sim.signal(signal.SIGUSR1)


def kill_gateway(here):
    for gateway in here.server.children("gateway"):
        os.kill(gateway, signal.SIGKILL)


def kill_service(here):
    here.server.restart(kill=True)
    here.client = here.server.client()


def restart_service(here):
    here.server.restart()
    here.client = here.server.client()


# What may happen, and whether nothing may begin to move from its end on until somebody releases the queue.
EVENTS = {stop: True, hold: False, cancel: False, push: False, restart_controller: False, kill_gateway: True, kill_service: True, restart_service: True}


def asked(chance, k):
    """The k-th order of a round, which every other one of it differs from by how long it takes; `steps` if chance is a round with them."""
    target, duration = HERE if k % 2 else THERE, 0.15 + 0.01 * k
    if k != chance:
        return {"to": {"q": target}, "duration": duration}
    return {"to": None, "duration": None, "objective": None,
            "steps": [move([0.01] * 4, 0.1), rest(OPEN if k % 2 else CLOSED, 1.0), move(target, duration)]}


def grips_before_it_moves_on(here, orders, told):
    """Of each order of several steps that moved: it is known by its samples, of which no two have as many."""
    for end in orders:
        transfer = end["transfer"] and here.client.get(end["transfer"]).json
        for motion in told["motions"]:
            if transfer and "steps" in end["request"] and motion["total"] == transfer["total"]:
                assert not moved_on_wrongly(told, motion, end["request"]["steps"]), (end, told)


def settled(here, orders):
    """Nothing goes on any more: all have ended, or the queue is blocked and nothing is at the controller."""
    told = [here.told(order) for order in orders]
    busy = [one for one in told if one["state"] in ("planning", "loading", "ready", "running")]
    return (all(one["state"] in FINAL for one in told) or (here.queue()["blocked"] and not busy)) and told


def one_round(number):
    chance = random.Random(f"{SEED}/{number}")
    with_steps = chance.randrange(ORDERS) if chance.random() < STEPS else -1
    event, when = chance.choice(list(EVENTS)), chance.uniform(0, WINDOW + LONGER * (with_steps >= 0))
    said = f"ARMDYN_SEED={SEED} round {number}: {event.__name__} after {when:.3f} s"
    with Server() as server, Foreign("--axes", 4, "--scan", chance.choice((0, 2, 10)), "--gripper", 60) as controller:
        here = Ordering(server, controller, connect_deadline=1, map=outputs())
        began = time.monotonic()
        orders = [here.automatic(**asked(with_steps, k)) for k in range(ORDERS)]
        time.sleep(max(0.0, when - (time.monotonic() - began)))
        event(here)
        quiet_from = time.monotonic()
        until(lambda: settled(here, orders), LONG, 0.02, what=said)
        for order in here.queue()["orders"]:  # what was held goes no farther
            if here.told(order)["state"] == "held":
                here.say(order, "cancel")
                here.reach_order(order, "stopped", "done", "failed", "interrupted")
        released = time.monotonic()
        if here.queue()["blocked"]:
            until(lambda: here.client.get("/readyz").status == 200, LONG, what="readiness")
            here.release()
        for _ in range(ORDERS):  # each that fails blocks the queue again
            until(lambda: settled(here, orders), LONG, 0.02, what=said)
            if here.queue()["blocked"] and here.queue()["count"]:
                here.release()
        ends = [here.told(order) for order in orders]
        told = controller.ledger()  # without a violation: each motion was sent, and started by its own START, once
        if event is not kill_gateway:  # who could have stopped it; the next one comes as soon as it can
            grips_before_it_moves_on(here, ends, told)
    said = (said, ends, told)
    motions = told["motions"]
    assert all(end["state"] in FINAL for end in ends), said
    assert len({motion["profile"] for motion in motions}) == len(motions) <= ORDERS, said
    transfers = [end["transfer"] for end in ends if end["transfer"]]
    assert len(set(transfers)) == len(transfers) >= len(motions), said
    done = [end for end in ends if end["state"] == "done"]
    assert len(done) <= len([motion for motion in motions if motion["end"] == "whole"]), said
    if EVENTS[event]:
        assert not [motion for motion in motions if quiet_from < motion["began"] < released], said
    for pushed in told["pushed"]:  # everything begins elsewhere now; drives hold what is armed
        assert not [motion for motion in motions if motion["armed"] > pushed], said
    return event.__name__


@pytest.mark.slow
def test_whatever_stops_a_queue(record_property):
    print(f"ARMDYN_SEED={SEED}")
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        happened = list(pool.map(one_round, range(ROUNDS)))
    record_property("events", {name: happened.count(name) for name in sorted(set(happened))})
