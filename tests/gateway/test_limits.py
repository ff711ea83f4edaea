"""No limit is violated on the wire: random motions against random limits, and not one register is written."""

import os
import random
import time

import pytest

from cell import Cell, float32, puma, summary
from support import Server, robot

ROUNDS = 200 if os.environ.get("ARMDYN_SOAK") else 20
SEED = int(os.environ.get("ARMDYN_SEED") or time.time())


def beyond(samples, torque, rate, period):
    """Cells whose torque, or step from the sample before, exceeds a limit of its joint by more than rounding does."""
    rows = [[float32(tau) for tau in row] for row in samples["tau"]]
    cells = set()
    for k, row in enumerate(rows):
        for j, tau in enumerate(row):
            if abs(tau) > torque[j] * (1 + 2e-6):
                cells.add((k, j))
            if k and abs(tau - rows[k - 1][j]) > rate[j] * period * (1 + 2e-6) + 2e-6 * abs(tau):
                cells.add((k, j))
    return cells


@pytest.mark.slow
def test_every_violation_is_refused_before_the_first_write():
    print(f"ARMDYN_SEED={SEED}")
    rng = random.Random(SEED)
    with Server() as server, puma() as sim:
        here = Cell(server, sim)
        limits = [joint["limits"] for joint in robot("puma560")["joints"]]
        motions = []
        for _ in range(4):
            motion = here.trajectory(goal={"q": [rng.uniform(-0.2, 0.2) for _ in range(6)]}, duration=rng.uniform(0.8, 1.5))
            motions.append((motion, here.samples(motion, rate=200)))
        refused = 0
        for _ in range(ROUNDS):
            motion, samples = rng.choice(motions)
            taus = list(zip(*samples["tau"]))
            torque = [min(limits[j]["torque"], max(map(abs, taus[j])) * rng.uniform(0.8, 1.5) + 1e-3) for j in range(6)]
            steps = [max(abs(b - a) for a, b in zip(tau, tau[1:])) for tau in taus]
            rate = [min(limits[j].get("torque_rate") or 1e9, 200 * steps[j] * rng.uniform(0.8, 3) + 1e-3) for j in range(6)]
            expected = beyond(samples, torque, rate, 1 / 200)
            document = here.client.get(f"/v1/controllers/{here.name}")
            profile = {**document.json["profile"], "limits": {"torque": torque, "torque_rate": rate}}
            here.client.put(f"/v1/controllers/{here.name}", {**document.json, "profile": profile}, headers={"If-Match": document.etag}).expect(200)
            if not expected:
                continue  # it may go, and would
            answer = here.transfer(motion, rate=200)
            assert answer.status == 422 and answer.json["type"] == "/problems/limit-exceeded", (expected, answer)
            said = {(error["row"], error["column"]) for error in answer.json["errors"]}
            assert said <= expected or answer.json["error_count"] > 100 or said == expected
            assert len(expected) <= answer.json["error_count"] <= 2 * len(expected) + 2
            refused += 1
        assert refused >= ROUNDS / 4
        assert summary(sim)["registers_written"] == 0
