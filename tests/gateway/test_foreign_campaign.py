"""The gateway against the controller of the other world: downloads at every scan time, a second master between any two of its
requests, and whatever may go wrong. The verdict is the ledger's, which knows neither the gateway nor the controller's program:
what was played is what was sent, whole where it is told to be done, started by its own START alone.

ARMDYN_ROUNDS=... of every kind, 100 in `make soak`, 2 in `make test`; ARMDYN_SEED=... repeats.
"""

import concurrent.futures
import os
import random
import struct
import time
import zlib

import pytest

from cell import LONG, Cell, instant
from foreign.process import Foreign
from line import Line
from support import Server, until
from test_campaign import AT_ONCE, Field

SOAK = bool(os.environ.get("ARMDYN_SOAK"))
ROUNDS = int(os.environ.get("ARMDYN_ROUNDS") or (100 if SOAK else 2))
SEED = int(os.environ.get("ARMDYN_SEED") or time.time())
STEPS = 60  # requests of a transfer of this motion
IN_FLIGHT = (1, 1, 4, 8, 16)
DONE, OVER = {"done"}, {"done", "failed", "interrupted"}

# What happens at one request or all the time, and the ends that are allowed. What the gateway can mend must be done.
KINDS = {
    "delay@": DONE, "torn@": DONE, "stale@": DONE, "torn-always": DONE, "lost-arm": DONE, "lost-start": DONE, "lost-commit": DONE,
    "start-delayed": DONE, "exception@": OVER, "busy@": OVER, "path@": OVER, "address@": OVER, "late@": OVER, "drop@": OVER, "cut@": OVER,
    "truncate@": OVER, "duplicate@": OVER, "transaction@": OVER, "reorder@": OVER, "mute@": OVER, "restart@": OVER, "restart-kept@": OVER, "start-late": OVER,
    "ghost": OVER, "wrong-checksum": {"failed"}, "stores-zeros": {"failed"}, "fast-clock": {"failed"}, "slow-clock": {"failed"},
}
SCRIPTS = ("begin", "arm", "start", "stop", "clear", "load", "take")


@pytest.fixture(scope="module")
def field():
    with Server() as server:
        yield Field(server)


def held_against(told, end, expected):
    """What must hold whatever happened."""
    said = (end, told)
    own = [motion for motion in told["motions"] if motion["whose"] == "first"]
    assert len(own) <= 1, said
    whole = [motion for motion in own if motion["end"] == "whole"]
    if end["state"] == "done":
        crc = zlib.crc32(b"".join(struct.pack(f">{len(sample)}f", *sample) for sample in expected))
        assert len(whole) == 1 and whole[0]["samples"] == len(expected) and whole[0]["crc"] == crc, said
    elif end["state"] == "stopped":  # by another master
        assert told["commands"].get("STOP") or told["commands"].get("CLEAR"), said
        assert not own or own[0]["end"] != "moving", said
    else:
        assert end["problem"]["detail"] and end["history"][-1]["reason"], said
        assert end["state"] == "interrupted" or not own or own[0]["end"] != "moving", said


def transferred(field, fault, allowed, mode, in_flight, *flags):
    """One whole transfer to a controller of its own, and what became of it."""
    with field.server.client(check=False) as client, Foreign("--axes", 4, "--ring", 400, *flags, fault=fault) as controller:
        end = field.end(client, field.begin(client, controller, mode=mode, in_flight=in_flight))
        told = controller.ledger()
        assert end["state"] in allowed, (fault, flags, mode, in_flight, (end["problem"] or {}).get("detail"), end, told)
        held_against(told, end, field.expected)
        return end["state"], told


def run_all(field, jobs):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(transferred, field, *job) for job in jobs]
        return [one.result() for one in running]


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [list(KINDS)[k::4] for k in range(4)], ids=str)
def test_whatever_goes_wrong(field, kinds):
    print(f"ARMDYN_SEED={SEED}")
    jobs = []
    for kind in kinds:
        chance = random.Random(f"{SEED}/{kind}")
        for _ in range(ROUNDS):
            fault = f"{kind}{chance.randrange(1, STEPS)}" if kind.endswith("@") else kind
            jobs.append(([fault], KINDS[kind], chance.choice(("download", "stream")), chance.choice(IN_FLIGHT), "--scan",
                         chance.choice((0, 2, 10))))
    run_all(field, jobs)


@pytest.mark.slow
def test_a_second_master_between_any_two_requests(field):
    print(f"ARMDYN_SEED={SEED}")
    chance = random.Random(f"{SEED}/second")
    jobs = [([f"second@{chance.randrange(1, STEPS)}:{chance.choice(SCRIPTS)}"], OVER | {"stopped"}, chance.choice(("download", "stream")), chance.choice(IN_FLIGHT),
             "--scan", chance.choice((0, 5, 10))) for _ in range(10 * ROUNDS)]
    assert any(told["faults"] for _, told in run_all(field, jobs))


@pytest.mark.slow
def test_downloads_at_every_scan_time(field):
    """All are ready with the checksum of what was sent; 60,001 samples in `make soak`."""
    sizes = (2, 251, 2501) + ((60001,) if SOAK else ())

    for scan in (0, 1, 2, 5, 10, 20, 50):
        with Foreign("--scan", scan, "--places", 8) as controller:
            here = Cell(field.server, controller)
            for size in sizes:
                motion = here.trajectory(goal={"q": [1e-3] * 6}, duration=(size - 1) / 1000 if size > 2 else 0.4, sample_rate=1000)
                transfer = here.transfer(motion, **({"rate": 2.5} if size == 2 else {})).expect(202).json["id"]
                assert here.reach(transfer, "ready", timeout=LONG)["total"] == size
                here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
                here.reach(transfer, "stopped")
            controller.ledger()


def round_trips(client):
    """(seconds, count) of all requests of the gateway so far."""
    lines = dict(line.rsplit(" ", 1) for line in client.get("/metrics").expect(200).body.decode().splitlines() if line[0] != "#")
    return [float(lines[f"armdyn_gateway_round_trip_seconds_{what}"]) for what in ("sum", "count")]


@pytest.mark.slow
@pytest.mark.parametrize("flags,in_flight,most", [((), 8, 25), (("--scan", 10, "--places", 16), 16, 30)], ids=["takes at once", "scan of 10 ms"])
def test_a_slow_line(field, flags, in_flight, most):
    """Several requests overlap on a line with a round trip of 10 ms: 60,001 samples of six axes in `make soak`, with the time they take."""
    with Foreign(*flags) as controller, Line(controller.port, 0.01) as line:
        here = Cell(field.server, line, in_flight=in_flight)
        motion = here.trajectory(goal={"q": [1e-3] * 6}, duration=60 if SOAK else 1, sample_rate=1000)
        before = round_trips(here.client)
        transfer = here.loaded(motion)
        windows = here.get(transfer)["total"] / 4
        until(lambda: round_trips(here.client)[1] - before[1] > windows, LONG, what="the figures of the gateway, which come once a second")
        seconds, count = (after - was for after, was in zip(round_trips(here.client), before))
        steps = {step["state"]: instant(step["at"]) for step in here.get(transfer)["history"]}
        took = steps["ready"] - steps["loading"]
        print(f"{here.get(transfer)['total']} samples in {took:.1f} s; {count:.0f} requests of {1e3 * seconds / count:.2f} ms, {in_flight} in flight, "
              f"take {seconds / in_flight:.1f} s")
        assert not SOAK or took <= most
        here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
        controller.ledger()


@pytest.mark.slow
def test_two_services_at_one_controller(field):
    """Each has leases of its own and knows nothing of the other: in `make soak` each tries 500 times."""
    print(f"ARMDYN_SEED={SEED}")
    with Server() as other, Foreign("--axes", 4, "--scan", 5) as controller:
        fields = [field, Field(other)]

        def one(k):
            chance = random.Random(f"{SEED}/services/{k}")

            def end(client):
                transfer = fields[k].begin(client, controller, mode=chance.choice(("download", "stream")), in_flight=chance.choice(IN_FLIGHT))
                return fields[k].end(client, transfer)["state"]
            with fields[k].server.client(check=False) as client:
                return [end(client) for _ in range(5 * ROUNDS if SOAK else ROUNDS)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            ends = [state for states in pool.map(one, range(2)) for state in states]
        told = controller.ledger(None)
        whole = [motion for motion in told["motions"] if motion["end"] == "whole"]
        assert all("never sent" not in what and "nobody sent" not in what for what in told["violations"]), told
        assert ends.count("done") <= len(whole) and len({motion["profile"] for motion in told["motions"]}) == len(told["motions"]), (ends, told)
