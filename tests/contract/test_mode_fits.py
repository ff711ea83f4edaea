"""Stiffness of gears from frequencies in several postures, and frequencies in others, against numpy's generalised eigenvalues."""

import math

import numpy as np
import pytest

from support.data import unique_name

STIFFNESS = np.array([9000.0, 4000.0])
CHANCE = np.random.default_rng(21)


def arm(client, rotors=0.0):
    """Two level links whose gears give."""
    name = unique_name("elastic")
    joints = [{"name": n, "type": "revolute", "a": a, "alpha": 0, "d": 0, "theta": 0, "drive": {"rotor_inertia": rotors, "gear_ratio": 80},
               "link": {"mass": m, "com": [-0.6 * a, 0, 0], "inertia": {"xx": 0.01, "yy": I, "zz": I}}}
              for n, a, m, I in (("shoulder", 0.3, 6, 0.2), ("elbow", 0.3, 4, 0.1))]
    client.post("/v1/robots", {"name": name, "convention": "dh", "joints": joints}).expect(201)
    return f"/v1/robots/{name}"


def frequencies(client, path, q, payload=None):
    body = {"q": list(q), **({"payload": payload} if payload else {})}
    M = np.array(client.post(f"{path}/mass-matrix", body).expect(200).json["mass_matrix"])
    return np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(M, np.diag(STIFFNESS))).real)) / (2 * math.pi)


LOAD = {"mass": 2, "com": [0.02, 0, 0]}
SEEN = [([0, 0.1], None), ([0.5, 1.2], None), ([-1, 2.4], None), ([0, 0.1], LOAD), ([1, 1.8], LOAD)]


def observations(client, path, noise=0.0, modes=2):
    return [{"q": q, "frequencies_hz": list(frequencies(client, path, q, load)[:modes] * np.exp(CHANCE.normal(0, noise, modes))),
             **({"payload": load} if load else {})} for q, load in SEEN]


def test_exact_frequencies_give_the_stiffness_back(client):
    path = arm(client)
    new = [{"q": [0.2, 0.7]}, {"q": [0, 3], "payload": LOAD}]
    found = client.post(f"{path}/mode-fits", {"observations": observations(client, path), "predictions": new}).expect(200).json
    assert [k["joint"] for k in found["stiffness"]] == ["shoulder", "elbow"]
    assert [k["value"] for k in found["stiffness"]] == pytest.approx(list(STIFFNESS), rel=1e-9) and found["rms_percent"] < 1e-8
    for posture, predicted in zip(new, found["predictions"]):
        assert predicted["frequencies_hz"] == pytest.approx(frequencies(client, path, posture["q"], posture.get("payload")), rel=1e-9)


def test_rotors_stand(client):
    """Behind a motor that stands its inertia is of no account."""
    light, heavy = arm(client), arm(client, rotors=0.001)
    seen = observations(client, light)
    values = [[k["value"] for k in client.post(f"{path}/mode-fits", {"observations": seen}).expect(200).json["stiffness"]] for path in (light, heavy)]
    assert values[0] == pytest.approx(values[1], rel=1e-12)


def test_one_elastic_joint_is_a_closed_form(client):
    path = arm(client)
    M = np.array(client.post(f"{path}/mass-matrix", {"q": [0, 1]}).expect(200).json["mass_matrix"])
    found = client.post(f"{path}/mode-fits", {"joints": ["elbow"], "observations": [{"q": [0, 1], "frequencies_hz": [12], "deviation_percent": 2}]}).expect(200).json
    (k,) = found["stiffness"]
    assert k["value"] == pytest.approx(M[1, 1] * (2 * math.pi * 12) ** 2, rel=1e-12)
    assert k["deviation"] == pytest.approx(2 * 0.02 * k["value"], rel=1e-9)


def test_noisy_lowest_frequencies_predict_others_within_a_percent(client):
    """Half a percent of noise, the lowest mode alone: what is seen elsewhere, and how often the stiffness lies within two deviations."""
    path = arm(client)
    inside, postures = 0, [{"q": list(q)} for q in CHANCE.uniform(-2.5, 2.5, (10, 2))]
    truth = [frequencies(client, path, p["q"])[0] for p in postures]
    for _ in range(20):
        seen = [{**o, "deviation_percent": 0.5} for o in observations(client, path, 0.005, 1)]
        found = client.post(f"{path}/mode-fits", {"observations": seen, "predictions": postures}).expect(200).json
        predicted = [p["frequencies_hz"][0] for p in found["predictions"]]
        assert max(abs(a / b - 1) for a, b in zip(predicted, truth)) < 0.015
        inside += sum(abs(k["value"] - s) <= 2 * k["deviation"] for k, s in zip(found["stiffness"], STIFFNESS))
    assert inside >= 32  # of 40, of which 95 % are 38


@pytest.mark.parametrize("change, pointer, code", [
    ({"joints": ["knee"]}, "/joints/0", "enum"), ({"observations": []}, "/observations", "length"),
    ({"observations": [{"q": [0, 1], "frequencies_hz": [9]}]}, "/observations", "inconsistent"),
    ({"joints": ["elbow"], "observations": [{"q": [0, 1], "frequencies_hz": [9, 20]}]}, "/observations", "inconsistent"),
    ({"observations": [{"q": [0, 1], "frequencies_hz": [9, 8]}]}, "/observations/0/frequencies_hz", "inconsistent"),
    ({"observations": [{"q": [0, 1], "frequencies_hz": []}]}, "/observations/0/frequencies_hz", "length"),
    ({"observations": [{"q": [0, 1], "frequencies_hz": [9]}, {"q": [2, 1], "frequencies_hz": [9]}]}, "/observations", "inconsistent"),
    ({"observations": [{"q": [0], "frequencies_hz": [9, 20]}]}, "/observations/0/q", "length")])
def test_what_tells_nothing_is_refused(client, change, pointer, code):
    faults = client.post(f"{arm(client)}/mode-fits", {"observations": [{"q": [0, 1], "frequencies_hz": [9, 20]}], **change}).expect(422).json["errors"]
    assert (pointer, code) in [(fault["pointer"], fault["code"]) for fault in faults], faults
