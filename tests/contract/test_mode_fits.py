"""Stiffness of gears from frequencies in several postures, and frequencies in others, against numpy's generalised eigenvalues."""

import math

import numpy as np
import pytest

from support.data import unique_name
from support.logs import upload

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


# -- from logs --

RESOLUTION = 2 * math.pi / 16384


def dying(client, path, q, load, seconds=1.5, rate=500):
    """A stored log of an arm that stopped after a second, as encoders of 14 bits see it: both modes, the second dying sooner."""
    f = frequencies(client, path, q, load)
    rows = []
    for k in range(round(rate * (1 + seconds))):
        t, row = max(0.0, k / rate - 1), list(q)
        for hz, size in zip(f, ((0.006, 0.004), (0.002, -0.003))):
            w, z = 2 * math.pi * hz, LOSS * math.pi * hz
            swing = math.exp(-z * w * t) * math.cos(w * math.sqrt(1 - z * z) * t)
            row = [x + a * swing for x, a in zip(row, size)]
        rows.append([k / rate, *(RESOLUTION * round(x / RESOLUTION) for x in row), 0.0, 0.0])
    log = upload(client, path.rsplit("/", 1)[1], rows)
    if load:
        place = f"/v1/datasets/{log}"
        client.request("PATCH", place, {"conditions": {"payload": load}}, content_type="application/merge-patch+json",
                       headers={"If-Match": client.get(place).etag}).expect(200)
    return {"dataset": log, "begin": 1.0, "modes_max": 2, "frequency_max_hz": 60}


LOSS = 6e-4  # s: gears that lose alike, d_j = LOSS k_j, damp a mode by LOSS w / 2


def test_logs_of_postures_and_loads_are_gathered(client):
    """Each log is an observation with the payload of its conditions; a further one makes the fit surer and its range wider."""
    path = arm(client)
    logs = [dying(client, path, q, load) for q, load in SEEN]
    found = client.post(f"{path}/mode-fits", {"logs": logs, "predictions": [{"q": [0.2, 0.7]}]}).expect(200).json
    for (q, load), log, seen in zip(SEEN, logs, found["observations"], strict=True):
        assert seen["dataset"] == log["dataset"] and seen["payload_mass"] == (load or {"mass": 0})["mass"]
        assert seen["q"] == pytest.approx(q, abs=RESOLUTION)
        assert seen["seen_hz"] == pytest.approx(frequencies(client, path, q, load), rel=0.01)
        assert seen["seen_dampings"][0] == pytest.approx(LOSS * math.pi * seen["seen_hz"][0], rel=0.1)
    assert [k["value"] for k in found["stiffness"]] == pytest.approx(list(STIFFNESS), rel=0.02)
    assert found["predictions"][0]["frequencies_hz"] == pytest.approx(frequencies(client, path, [0.2, 0.7]), rel=0.01)
    assert found["elasticity"][1]["position"] == pytest.approx([0.1, 2.4], abs=RESOLUTION) and found["elasticity"][1]["payload_mass"] == [0, 2]
    assert [k["damping"] for k in found["stiffness"]] == pytest.approx(list(LOSS * STIFFNESS), rel=0.2)
    alone = client.post(f"{path}/mode-fits", {"logs": logs[:1]}).expect(200).json
    assert all(more["deviation"] < one["deviation"] for more, one in zip(found["stiffness"], alone["stiffness"]))
    # beside observations that somebody wrote, in order: these first
    mixed = client.post(f"{path}/mode-fits", {"observations": observations(client, path)[:1], "logs": logs[3:4]}).expect(200).json
    assert ["dataset" in seen for seen in mixed["observations"]] == [False, True] and mixed["elasticity"][0]["payload_mass"] == [0, 2]
    # another payload than that of the conditions
    other = client.post(f"{path}/mode-fits", {"logs": [{**logs[3], "payload": {"mass": 1}}]}).expect(200).json
    assert other["observations"][0]["payload_mass"] == 1


@pytest.mark.parametrize("change, pointer", [
    ({"begin": None}, "/logs/0/begin"), ({"begin": 9}, "/logs/0/dataset"), ({"begin": 2.49}, "/logs/0/dataset"), ({"end": 0.5}, "/logs/0/end"),
    ({"dataset": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/logs/0/dataset"), ({"frequency_max_hz": 400}, "/logs/0/frequency_max_hz"),
    ({"begin": 0, "end": 0.9}, "/logs/0/dataset")])
def test_logs_that_show_nothing_are_refused(client, change, pointer):
    path = arm(client)
    log = dying(client, path, [0, 1], None)
    errors = client.post(f"{path}/mode-fits", {"logs": [{**log, **change}]}).expect(422).json["errors"]
    assert pointer in [e["pointer"] for e in errors], errors


@pytest.mark.parametrize("change, pointer, code", [
    ({"joints": ["knee"]}, "/joints/0", "enum"), ({"observations": []}, "/observations", "length"), ({"observations": [], "logs": []}, "/observations", "length"),
    ({"observations": [{"q": [0, 1], "frequencies_hz": [9]}]}, "/observations", "inconsistent"),
    ({"joints": ["elbow"], "observations": [{"q": [0, 1], "frequencies_hz": [9, 20]}]}, "/observations", "inconsistent"),
    ({"observations": [{"q": [0, 1], "frequencies_hz": [9, 8]}]}, "/observations/0/frequencies_hz", "inconsistent"),
    ({"observations": [{"q": [0, 1], "frequencies_hz": []}]}, "/observations/0/frequencies_hz", "length"),
    ({"observations": [{"q": [0, 1], "frequencies_hz": [9]}, {"q": [2, 1], "frequencies_hz": [9]}]}, "/observations", "inconsistent"),
    ({"observations": [{"q": [0], "frequencies_hz": [9, 20]}]}, "/observations/0/q", "length")])
def test_what_tells_nothing_is_refused(client, change, pointer, code):
    faults = client.post(f"{arm(client)}/mode-fits", {"observations": [{"q": [0, 1], "frequencies_hz": [9, 20]}], **change}).expect(422).json["errors"]
    assert (pointer, code) in [(fault["pointer"], fault["code"]) for fault in faults], faults
