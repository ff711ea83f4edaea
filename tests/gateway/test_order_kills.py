"""Job order 4711 in one POST, and kill -9 of its client, the service or the gateway at a random moment of its life: no motion twice,
none lost without being told, and the order's account is true. Every third order is of several steps, and sets a gripper. What moved is
told by the foreign controller's ledger alone.

ARMDYN_ROUNDS=... kills, 200 in `make soak`, 4 in `make test`; ARMDYN_SEED=... repeats.
"""

import concurrent.futures
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from cell import FINAL, LONG
from foreign.process import Foreign
from gripping import CLOSED, OPEN, REST, moved_on_wrongly, move, outputs, rest
from ordering import HERE, THERE, Ordering
from support import Server, until
from support.receiver import Receiver

pytestmark = pytest.mark.slow

ROUNDS = int(os.environ.get("ARMDYN_ROUNDS") or (200 if os.environ.get("ARMDYN_SOAK") else 4))
SEED = int(os.environ.get("ARMDYN_SEED") or time.time())
CELLS = 2 if ROUNDS <= 8 else 4  # at once
VICTIMS = ("client", "service", "gateway")

# The whole client: it says the same until it is answered, and prints the order's id. Where the service is stands in a file.
CLIENT = """
import json, sys, time, urllib.error, urllib.request
place, key, order = sys.argv[1:]
while True:
    try:
        url = open(place).read() + "/v1/orders"
        asked = urllib.request.Request(url, order.encode(), {"Content-Type": "application/json", "Idempotency-Key": key})
        print(json.load(urllib.request.urlopen(asked))["id"], flush=True)
        break
    except urllib.error.HTTPError as error:
        if error.code not in (409, 429, 503):  # in flight, or not now
            sys.exit(error.read().decode())
    except OSError:
        pass
    time.sleep(0.02)
"""


def steps_of(number):
    """Of every third order; of the others none. The kills go round among them."""
    if number < 0 or number // len(VICTIMS) % 3 != 1:
        return None
    return [move([0.01] * 4, 0.1), rest(OPEN if number % 2 else CLOSED), move(HERE if number % 2 else THERE, 0.2)]


class Plant:
    """One cell, its service and its MES for many rounds. What each order came to is judged when the ledger is there."""

    def __init__(self, server, controller, receiver):
        self.here, self.server, self.receiver = Ordering(server, controller, connect_deadline=1, map=outputs()), server, receiver
        self.here.client.post("/v1/webhooks", {"name": "mes", "url": receiver.url}).expect(201)
        self.place = server.directory / "url"
        self.rounds, self.life = [], 1.0
        self.publish()

    def publish(self):
        """Where the service is, for the client: all of it or what was there before."""
        fresh = self.place.with_suffix(".new")
        fresh.write_text(self.server.url)
        fresh.replace(self.place)

    def client(self, number):
        """The MES program, with the same key however often it is started."""
        motion = {"steps": steps_of(number)} if steps_of(number) else move(HERE if number % 2 else THERE, 0.3)
        order = {"job_order_id": f"4711-{number}", "controller": self.here.name, **motion, "start": "automatic",
                 "expires_within": 3600, "callback": {"webhook": "mes"}}
        return subprocess.Popen([sys.executable, "-c", CLIENT, self.place, f"4711-{number}", json.dumps(order)], stdout=subprocess.PIPE, text=True)

    def kill(self, victim, client):
        if victim == "client":
            client.kill()
        elif victim == "gateway":
            for gateway in self.server.children("gateway"):
                os.kill(gateway, signal.SIGKILL)
        else:
            self.server.restart(kill=True)
            self.publish()
            self.here.client = self.server.client()

    def settle(self, order, chance, said):
        """Nothing goes on by itself any more; a person looks at the arm, and lets the queue go on or cancels what waits."""
        def rests():
            told = self.here.told(order)
            waits = told["state"] in ("accepted", "queued") or "its next step is not planned" in (told["message"] or "")
            return told["state"] in FINAL or (waits and self.here.queue()["blocked"])
        until(rests, LONG, 0.02, what=said)
        until(lambda: self.here.client.get("/readyz").status == 200, LONG, what=f"readiness, {said}")
        if self.here.told(order)["state"] not in FINAL and chance.random() < 0.3:
            self.here.say(order, "cancel")
        if self.here.queue()["blocked"]:
            self.here.release()
        ended = self.here.reach_order(order, *FINAL)
        if self.here.queue()["blocked"]:
            self.here.release()
        return ended

    def quiet(self, said):
        """Whatever the controller had begun to move has ended."""
        seen = {}

        def rests():
            seen.update(self.here.status())
            return seen["connected"] and not seen["stale"] and seen["state"] not in ("playing", "holding")
        until(rests, LONG, 0.02, what=f"an arm at rest, {said}, {seen}")

    def round(self, number, victim):
        chance = random.Random(f"{SEED}/{number}")
        moment = chance.uniform(0, 1.3 * self.life + (REST if steps_of(number) else 0))
        said = f"ARMDYN_SEED={SEED} round {number}: {victim} after {moment:.3f} s"
        began = time.monotonic()
        client = self.client(number)
        if victim:
            time.sleep(moment)
            self.kill(victim, client)
        out, _ = client.communicate(timeout=LONG)
        ids = set(out.split())
        if victim == "client":  # it is started again, and knows nothing but its key
            out, _ = (client := self.client(number)).communicate(timeout=LONG)
            ids |= set(out.split())
        assert client.returncode == 0 and len(ids) == 1, (said, ids)
        (order,) = ids
        ended = self.settle(order, chance, said)
        self.quiet(said)
        if not victim:
            self.life = time.monotonic() - began
        listed = self.here.client.get("/v1/orders", query={"job_order_id": f"4711-{number}"}).expect(200).json["items"]
        assert [item["id"] for item in listed] == [order], (said, listed)
        transfer = ended["transfer"] and self.here.client.get(ended["transfer"]).json
        steps = steps_of(number) if victim != "gateway" else None  # who could have stopped it; the next one comes as soon as it can
        self.rounds.append((said, began, time.monotonic(), ended, transfer, steps))

    def judge(self):
        """By the controller's ledger, and by what the webhook was told."""
        told = {}
        until(lambda: {m["data"]["id"] for m in self.receiver.documents()} >= {ended["id"] for _, _, _, ended, *_ in self.rounds}, LONG, what="all told")
        for message in self.receiver.documents():
            told.setdefault(message["data"]["id"], set()).add(message["type"])
        ledger = self.here.sim.ledger()  # without a violation
        for said, began, over, ended, transfer, steps in self.rounds:
            motions = [motion for motion in ledger["motions"] if began < motion["began"] < over]
            said = json.dumps([said, ended, transfer, motions], indent=1)  # a text is shown whole
            assert len(motions) <= 1, said
            assert told[ended["id"]] == {f"order.{ended['state']}"}, said
            if ended["state"] == "done":
                assert [motion["end"] for motion in motions] == ["whole"] and motions[0]["samples"] == transfer["total"], said
            elif motions:  # it says that it may have moved
                assert ended["started_at"] or ended["state"] == "interrupted", said
            assert ended["transfer"] or not motions, said
            assert not steps or not motions or not moved_on_wrongly(ledger, motions[0], steps), said
        assert len(ledger["motions"]) == sum(any(began < m["began"] < over for m in ledger["motions"]) for _, began, over, *_ in self.rounds)
        return [ended["state"] for _, _, _, ended, *_ in self.rounds]


def shift(numbers):
    """One plant's rounds, one after the other; the first is left alone, and tells how long an order lives."""
    with Receiver() as receiver, Server("--webhook-networks", "127.0.0.0/8") as server, Foreign("--axes", 4, "--scan", 2, "--gripper", 60) as controller:
        plant = Plant(server, controller, receiver)
        plant.round(-numbers[0] - 1, None)
        for number in numbers:
            plant.round(number, VICTIMS[number % len(VICTIMS)])
        return plant.judge()


def test_order_4711_survives_whatever_is_killed(record_property):
    print(f"ARMDYN_SEED={SEED}")
    with concurrent.futures.ThreadPoolExecutor(CELLS) as pool:
        states = [state for told in pool.map(shift, [range(cell, ROUNDS, CELLS) for cell in range(CELLS)]) for state in told]
    counts = {state: states.count(state) for state in sorted(set(states))}
    record_property("ended", counts)
    print(counts)
    assert counts["done"] >= CELLS  # those that were left alone
