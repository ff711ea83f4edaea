"""Identification along a simulated loop, over HTTP: an arm in a soft loop whose equations are written here, with noisy encoders."""

import math
import random

import pytest

from support import contract, rotating_slide, unique_name
from support.logs import csv_text, upload
from support.spoken import spoken

pytestmark = pytest.mark.skipif("/v1/robots/{robot}/identifications" not in contract.document()["paths"], reason="this build takes no data sets")
RATE, FINER, VISCOUS, KP, KD = 250, 8, (2.5, 20.0), (400.0, 3000.0), (60.0, 300.0)


def wanted(t):
    return ((0.9 * math.sin(2.1 * t) + 0.5 * math.sin(4.7 * t), 0.5 + 0.12 * math.sin(2.9 * t) + 0.08 * math.sin(5.3 * t)),
            (1.89 * math.cos(2.1 * t) + 2.35 * math.cos(4.7 * t), 0.348 * math.cos(2.9 * t) + 0.424 * math.cos(5.3 * t)))


def accelerations(q, v, tau):
    """The formulas of rotating_slide.py, for the accelerations."""
    a, r = rotating_slide.ARM, q[1] + rotating_slide.ARM["c2"]
    J = a["I1"] + a["m1"] * a["l1"] ** 2 + a["I2"]
    turned = tau[0] - VISCOUS[0] * v[0] - 2 * a["m2"] * r * v[1] * v[0] - (a["m1"] * a["l1"] + a["m2"] * r) * rotating_slide.G * math.sin(q[0])
    slid = (tau[1] - VISCOUS[1] * v[1]) / a["m2"] + r * v[0] ** 2 + rotating_slide.G * math.cos(q[0])
    return turned / (J + a["m2"] * r * r), slid


def logged(seconds, noise):
    """Rows of the log, and of the reference: the drives hold their torque for a period."""
    dice, (q, v), rows, reference = random.Random(5), wanted(0), [], []
    q, v, h = list(q), list(v), 1 / RATE / FINER
    for k in range(int(seconds * RATE)):
        r, rd = wanted(k / RATE)
        tau = [KP[j] * (r[j] - q[j]) + KD[j] * (rd[j] - v[j]) for j in range(2)]
        rows.append([k / RATE, *(q[j] + dice.gauss(0, noise[j]) for j in range(2)), *tau])
        reference.append([k / RATE, *r, *tau])
        for _ in range(FINER):  # of second order
            a = accelerations(q, v, tau)
            middle = accelerations([q[j] + h / 2 * v[j] for j in range(2)], [v[j] + h / 2 * a[j] for j in range(2)], tau)
            q = [q[j] + h * v[j] + h * h / 2 * a[j] for j in range(2)]
            v = [v[j] + h * middle[j] for j in range(2)]
    return rows, reference


@pytest.fixture(scope="module")
def arm(server):
    with server.client() as client:
        yield an_arm(client, 30)


def an_arm(client, seconds):
    """A robot, a log of it in its loop, and the log of the reference."""
    name = unique_name()
    client.create_robot(rotating_slide.model(name, wrong=1.3))
    return (name, *(upload(client, name, csv_text(rows)) for rows in logged(seconds, (4e-3, 8e-4))))


def request(arm, **change):
    loop = {"reference": [arm[2]], "kp": list(KP), "kd": list(KD)}
    return {"datasets": [arm[1]], "estimator": "didim", "loop": loop, "friction": ["viscous"],
            "conditioning": {"position_cutoff_hz": 25, "torque_cutoff_hz": 25, "trim": 0.3}, **change}


def off(found, expression):
    """Relative to the truth."""
    terms = set(expression.split(" + "))
    return next(p["value"] for p in found["parameters"]["base"] if set(p["expression"].split(" + ")) == terms) / rotating_slide.BASE[expression] - 1


@pytest.mark.slow
def test_noise_of_positions_biases_nothing(client, arm):
    path = f"/v1/robots/{arm[0]}/identifications"
    found, plain = client.result_of(path, request(arm)), client.result_of(path, request(arm, estimator="consistent", loop=None))
    inertia = "slide.Iyy + turn.Iyy"
    assert abs(off(found, "slide.m")) < 0.01 and abs(off(found, inertia)) < 0.03, (off(found, "slide.m"), off(found, inertia))
    assert abs(off(plain, inertia)) > 5 * abs(off(found, inertia)), (off(plain, inertia), off(found, inertia))
    for joint, truth in zip(found["parameters"]["friction"], VISCOUS):
        assert joint["viscous"] == pytest.approx(truth, rel=0.05)
    told = found["closed_loop"]
    assert told["settled"] and 1 <= told["rounds"] <= 8 and "closed_loop" not in plain
    for joint, noise in zip(told["joints"], (4e-3, 8e-4)):
        assert joint["path_rms"] == pytest.approx(noise * math.sqrt(2 * 25 / RATE), rel=0.4), joint
    assert "simulated loop" in client.get(f"/v1/identifications/{found['id']}/report").expect(200).text


@pytest.mark.slow
def test_instruments_of_the_loop_bias_nothing_and_find_the_noise(client, arm):
    """The same log by instrumental variables, and without a loop, where the answer says what instruments it had. The test of the filters knows the loop too."""
    path = f"/v1/robots/{arm[0]}/identifications"
    found = client.result_of(path, request(arm, estimator="iv", test_filters=True))
    inertia = "slide.Iyy + turn.Iyy"
    assert found["instruments"] == {"from": "simulated_loop", "cutoff_hz": None} and found["closed_loop"]["settled"]
    assert abs(off(found, "slide.m")) < 0.01 and abs(off(found, inertia)) < 0.03, (off(found, "slide.m"), off(found, inertia))
    for joint, truth in zip(found["parameters"]["friction"], VISCOUS):
        assert joint["viscous"] == pytest.approx(truth, rel=0.05)
    tested = found["filter_test"]
    assert tested["instruments"] == "simulated_loop" and tested["instrument_cutoff_hz"] is None and tested["rejected"], tested
    assert "Instruments are those of a simulated loop" in spoken(client, f"/v1/identifications/{found['id']}/report")[0]
    plain = client.result_of(path, request(arm, estimator="iv", loop=None))
    assert plain["instruments"]["from"] == "filtered_path" and plain["instruments"]["cutoff_hz"] <= 25 / 1.49 and "closed_loop" not in plain
    assert "the loop is not known" in spoken(client, f"/v1/identifications/{plain['id']}/report")[0]
    wls = client.result_of(path, request(arm, estimator="wls", test_filters=True))
    assert wls["filter_test"]["instruments"] == "simulated_loop" and abs(off(wls, inertia)) > 5 * abs(off(found, inertia)), off(wls, inertia)


@pytest.mark.parametrize("change, pointer", [
    ({"loop": None}, "/loop"),
    ({"estimator": "iv", "prior_strength": 3}, "/prior_strength"),
    ({"estimator": "iv", "friction_from": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/friction_from"),
    ({"estimator": "wls"}, "/loop"),
    ({"loop": {"reference": [], "kp": [1, 1], "kd": [1, 1]}}, "/loop/reference"),
    ({"loop": {"reference": ["01ARZ3NDEKTSV4RRFFQ69G5FAV"], "kp": [1], "kd": [1, 1]}}, "/loop/kp"),
    ({"friction_from": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/friction_from"),
])
def test_what_is_missing_is_named(client, arm, change, pointer):
    errors = client.post(f"/v1/robots/{arm[0]}/identifications", request(arm, **change)).expect(422).json["errors"]
    assert [error["pointer"] for error in errors] == [pointer], errors


def test_a_loop_that_flies_apart_is_told(client, arm):
    loop = {"reference": [arm[2]], "kp": [1e8, 1e8], "kd": [1e8, 1e8]}
    job = client.run_job(f"/v1/robots/{arm[0]}/identifications", request(arm, loop=loop))
    assert job["state"] == "failed" and "gains" in job["problem"]["detail"], job


@pytest.mark.slow
def test_studies_simulate_the_loop(client):
    """What is found in simulated runs along the loop is hardly biased by noise of positions, which draws the slide's mass down in those of least squares.
    The truth is what the identification found; without a loop the instruments of every run are its own path through the other filter."""
    arm, mass = an_arm(client, 6), {}
    place = f"/v1/robots/{arm[0]}"
    for name, change in (("didim", {}), ("iv", {"estimator": "iv"}), ("path", {"estimator": "iv", "loop": None}), ("wls", {"estimator": "wls", "loop": None})):
        found = client.result_of(f"{place}/identifications", request(arm, **change))
        study = client.result_of(f"{place}/identification-studies", {"identification": found["id"], "repetitions": 20})
        assert study["motion"] == ("simulated_loop" if name in ("didim", "iv") else "measured") and study["completed"] == 20
        assert study["estimator"] == found["request"].get("estimator")
        assert {p["expression"]: p["truth"] for p in study["parameters"]} == {p["expression"]: p["value"] for p in found["parameters"]["base"]}
        for joint, noise in zip(study["noise"], (4e-3, 8e-4)):
            assert joint["position_std"] == pytest.approx(noise, rel=0.1)
        assert study["coverage"]["within_95"]["share"] > 0.9 or name == "wls"
        mass[name] = next(p["bias"] / p["truth"] for p in study["parameters"] if p["expression"] == "slide.m")
    assert abs(mass["didim"]) < 0.005 and abs(mass["iv"]) < 0.005 and abs(mass["path"]) < 0.01 and mass["wls"] < -0.03, mass
