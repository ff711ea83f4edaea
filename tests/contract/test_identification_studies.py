"""Studies of identifications: noise like that which was left, and spreads, coverage and bias of what is found in simulated runs,
held against closed forms for least squares on an arm whose equations are written here."""

import math
import random

import numpy
import pytest

from support import contract, rotating_slide, unique_name
from support.logs import csv_text, upload

pytestmark = [pytest.mark.slow, pytest.mark.skipif("/v1/robots/{robot}/identification-studies" not in contract.document()["paths"],
                                                   reason="this build studies no identifications")]
G = rotating_slide.G
RATE, SECONDS = 100, 16
PLAIN = [{"coulomb": 0, "viscous": v, "ripple": None} for v in (2.5, 20.0)]
TERMS = ["offset", "viscous"]
AS_LOGGED = {"position_cutoff_hz": 0, "torque_cutoff_hz": 0, "trim": 0}
COLUMNS = ["turn.mx", "turn.mz", "slide.m", "slide.mx", "slide.mz", "turn.Iyy + slide.Iyy",
           "turn.offset", "turn.viscous", "slide.offset", "slide.viscous"]


def columns(seed):
    """What one of each parameter does to the torques of the motion: samples x joints x COLUMNS. Lagrange's equations of a body at
    (p + z) along the arm and x across it, one that turns with the arm, and friction."""
    at = rotating_slide.motion(random.Random(seed))
    Y = numpy.zeros((SECONDS * RATE, 2, len(COLUMNS)))
    for k in range(len(Y)):
        (q, p), (v, w), (a, b) = at(k / RATE)
        s, c = G * math.sin(q), G * math.cos(q)
        Y[k, 0] = c, s, p * p * a + 2 * p * w * v + p * s, c - b, 2 * p * a + 2 * w * v + s, a, 1, v, 0, 0
        Y[k, 1] = 0, 0, b - p * v * v - c, -a, -v * v, 0, 0, 0, 1, w
    return Y


def noise(seed, deviations, memory):
    dice = numpy.random.default_rng(seed)
    e = numpy.zeros((SECONDS * RATE, 2))
    for k, fresh in enumerate(dice.normal(size=e.shape)):
        e[k] = fresh if k == 0 else memory * e[k - 1] + math.sqrt(1 - memory * memory) * fresh
    return e * deviations


def spreads(Y, deviations, memory):
    """Of least squares over both joints, with AR(1) noise in each: A^-1 (sum Y' C Y) A^-1, C having deviation^2 memory^|lag|."""
    A = numpy.einsum("kji,kjl->il", Y, Y)
    M = numpy.zeros_like(A)
    for j in range(2):
        X = Y[:, j]
        ahead, behind = X.copy(), X.copy()
        for k in range(1, len(X)):
            ahead[k] += memory * ahead[k - 1]
        for k in reversed(range(len(X) - 1)):
            behind[k] += memory * behind[k + 1]
        M += deviations[j] ** 2 * X.T @ (ahead + behind - X)
    inverse = numpy.linalg.inv(A)
    return dict(zip(COLUMNS, numpy.sqrt(numpy.diag(inverse @ M @ inverse))))


def identified(client, seed, torque_noise=None, encoder=0.0, **request):
    """(robot, id) of an identification from a log of the arm."""
    name = unique_name()
    client.create_robot(rotating_slide.model(name))
    rows, _ = rotating_slide.log(seed, PLAIN, seconds=SECONDS, rate=RATE, encoder=encoder, noise=0 if torque_noise is not None else 0.01)
    if torque_noise is not None:
        rows = [[*row[:3], row[3] + e[0], row[4] + e[1]] for row, e in zip(rows, torque_noise)]
    request = {"datasets": [upload(client, name, csv_text(rows))], "friction": TERMS, **request}
    return name, client.result_of(f"/v1/robots/{name}/identifications", request)["id"]


def study(client, of, **request):
    name, identification = of
    return client.result_of(f"/v1/robots/{name}/identification-studies", {"identification": identification, **request})


@pytest.mark.parametrize("memory", [0, 0.6])
def test_spreads_are_those_of_the_noise(client, memory):
    """Spread and bias of many runs, and the deviations that they state, against the closed form for least squares."""
    deviations, runs = numpy.array([0.6, 0.3]), 100
    of = identified(client, 3, noise(3, deviations, memory), estimator="ols", conditioning=AS_LOGGED, free_signs=True)
    found = study(client, of, repetitions=runs)
    assert found["completed"] == runs and found["failed"] == found["other_terms"] == 0
    for joint, deviation in zip(found["noise"], deviations):
        count = (1 + memory) / (1 - memory)  # samples that count as one
        sure = 4 * math.sqrt((1 + memory ** 2) / (1 - memory ** 2) / 2 / (SECONDS * RATE))
        assert joint["torque_std"] == pytest.approx(deviation, rel=sure + 0.01)
        assert joint["correlation_time"] * RATE == pytest.approx(count, rel=0.3)
        assert (joint["order"] > 0) == (memory > 0) and joint["position_std"] is None
    # a deviation of so many draws is 4 / sqrt(2 runs) off at most; that of the noise comes to it
    closed, sure = spreads(columns(3), deviations, memory), 4 / math.sqrt(2 * runs) + 0.1
    parameters = {p["expression"]: p for p in found["parameters"]}
    assert set(parameters) == set(closed)
    for name, p in parameters.items():
        assert p["spread"] == pytest.approx(closed[name], rel=sure), name
        assert p["std"] == pytest.approx(closed[name], rel=0.35), name
        assert abs(p["bias"]) < 4.5 * closed[name] / math.sqrt(runs), name
        assert p["bias_error"] == pytest.approx(p["spread"] / math.sqrt(runs)) and p["mean"] == pytest.approx(p["truth"] + p["bias"])
        assert p["runs"] == runs and p["at_bound"] == 0
    assert 0.88 < found["coverage"]["within_95"]["share"] < 0.98
    assert 0.57 < found["coverage"]["within_one"]["share"] < 0.77
    assert not [w for w in found["warnings"] if w["code"] == "biased"]


def test_binomial_intervals(client):
    """Clopper and Pearson's: at its ends what was seen or more, or less, has a probability of 2.5 %."""
    of = identified(client, 4, noise(4, numpy.array([0.6, 0.3]), 0), estimator="ols", conditioning=AS_LOGGED)
    found = study(client, of, repetitions=25)

    def tail(hits, trials, p):  # P(X >= hits)
        return sum(math.comb(trials, k) * p ** k * (1 - p) ** (trials - k) for k in range(hits, trials + 1))

    for p in found["parameters"]:
        for share in p["coverage"].values():
            trials = p["runs"] - p["at_bound"]
            hits = round(share["share"] * trials)
            assert share["low"] == 0 if hits == 0 else tail(hits, trials, share["low"]) == pytest.approx(0.025, rel=1e-6)
            assert share["high"] == 1 if hits == trials else tail(hits + 1, trials, share["high"]) == pytest.approx(0.975, rel=1e-6)


def test_noise_of_positions_draws_masses_to_zero(client):
    """Errors in variables: encoders of 1e-3 rad behind a filter of 20 Hz, and accelerations are mostly noise. The study says so;
    without noise of positions it sees nothing of it."""
    of = identified(client, 5, encoder=1e-3, estimator="ols", conditioning={"position_cutoff_hz": 20, "torque_cutoff_hz": 20})
    seen, blind = study(client, of, repetitions=30), study(client, of, repetitions=30, position_noise=False)
    inertia = {p["expression"]: p for p in seen["parameters"]}["slide.m"]
    for joint in seen["noise"]:
        assert joint["position_std"] == pytest.approx(1e-3, rel=0.1)
    assert inertia["bias"] < -4 * inertia["bias_error"] and inertia["bias"] < -0.5 * inertia["std"]
    assert any(w["code"] == "biased" and w["detail"].startswith("slide.m ") for w in seen["warnings"])
    assert not [w for w in blind["warnings"] if w["code"] == "biased"] and blind["noise"][0]["position_std"] is None


def test_with_the_settings_of_the_identification(client):
    """The default estimator and `auto`, a part excluded, a part kept for validation: every run is identified so, and the same
    request gives the same bits."""
    name, identification = identified(client, 6, friction=["auto"], validation_fraction=0.25)
    data = client.get(f"/v1/identifications/{identification}").expect(200).json["datasets"][0]
    excluded = client.result_of(f"/v1/robots/{name}/identifications", {"datasets": [data], "friction": TERMS, "exclude": [
        {"dataset": data, "from": 4, "to": 6}]})["id"]
    for of in (identification, excluded):
        found = study(client, (name, of), repetitions=20)
        original = client.get(f"/v1/identifications/{of}").expect(200).json
        assert found["estimator"] == "consistent" and found["conditioning"] == original["conditioning"]
        assert {p["expression"]: p["truth"] for p in found["parameters"]} == {p["expression"]: p["value"] for p in original["parameters"]["base"]}
        assert found["completed"] == 20 and 0.75 < found["coverage"]["within_95"]["share"] <= 1
    again, other = (study(client, (name, excluded), repetitions=20, seed=seed) for seed in (1, 2))
    assert [found[key] for key in ("parameters", "noise", "coverage")] == [again[key] for key in ("parameters", "noise", "coverage")]
    assert other["parameters"] != found["parameters"] and other["samples"] == SECONDS * RATE
    listed = client.get(f"/v1/identification-studies?identification={excluded}&sort=-coverage.within_95").expect(200).json["items"]
    assert {item["id"] for item in listed} == {found["id"], again["id"], other["id"]}
    client.delete(f"/v1/identifications/{excluded}", headers={"If-Match": "*"}).expect(409)  # its studies are of it


def test_what_cannot_be_studied(client):
    name, identification = identified(client, 7)
    other, _ = identified(client, 8)
    refused = client.run_job(f"/v1/robots/{other}/identification-studies", {"identification": identification})
    assert refused["state"] == "failed" and refused["problem"]["errors"][0]["pointer"] == "/identification"
    assert name in refused["problem"]["errors"][0]["detail"]
    path = f"/v1/robots/{name}/identification-studies"
    client.post(path, {"identification": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}).expect(422)
    for wrong in ({}, {"identification": identification, "repetitions": 19}, {"identification": identification, "repetitions": 2001},
                  {"identification": identification, "seed": -1}, {"identification": identification, "noise": 1}):
        client.post(path, wrong).expect(422)
    data = client.get(f"/v1/identifications/{identification}").expect(200).json["datasets"]
    load = client.result_of(f"/v1/robots/{name}/identifications", {"identify": "payload", "datasets": data})["id"]
    refused = client.run_job(path, {"identification": load})
    assert refused["state"] == "failed" and "payload" in refused["problem"]["errors"][0]["detail"]
