"""Friction at coupled motors: identified from logs of an arm whose motor 2 stands on the base and turns with both joints, by
its equations of motion in closed form; and who does not know such friction says so."""

import math
import random

import pytest

from support import unique_name
from support.logs import csv_text, upload

RATE, NOISE, SCALE = 250, 0.01, 1e-3
L1, BODY, MIXED, OUTER = 0.4, 0.9, 0.18, 0.11  # m; kg m^2: a, b and d of a planar arm of two links
COULOMB, VISCOUS, ROTOR = (1.5, 0.9), (0.8, 0.5), (0.02, 0.01)  # of the motors
TURNS = ((1, 0), (1, 1))  # motor positions of joint positions


def links(q2, qd, qdd):
    """Torques of both links, axes vertical: M(q) qdd + C(q, qd) qd."""
    c, h = MIXED * math.cos(q2), -MIXED * math.sin(q2)
    return ((BODY + 2 * c) * qdd[0] + (OUTER + c) * qdd[1] + h * (2 * qd[0] * qd[1] + qd[1] ** 2),
            (OUTER + c) * qdd[0] + OUTER * qdd[1] - h * qd[0] ** 2)


def torques(q, qd, qdd):
    """And those of motors: rotors and friction over what each of them turns."""
    tau = list(links(q[1], qd, qdd))
    for row, coulomb, viscous, rotor in zip(TURNS, COULOMB, VISCOUS, ROTOR):
        speed, acceleration = (sum(t * x for t, x in zip(row, of)) for of in (qd, qdd))
        motor = coulomb * math.tanh(speed / SCALE) + viscous * speed + rotor * acceleration
        tau = [t + g * motor for t, g in zip(tau, row)]
    return tau


def log(seed, seconds=24):
    dice, rows = random.Random(seed), []
    waves = [[(dice.uniform(0.25, 0.6), 2 * math.pi * f * (1 + 0.17 * j), dice.uniform(0, 6)) for f in (0.19, 0.41, 0.83)]
             for j in range(2)]
    for k in range(seconds * RATE):
        t = k / RATE
        q, qd, qdd = ([sum(a * w**p * math.sin(w * t + at + p * math.pi / 2) for a, w, at in joint) for joint in waves]
                      for p in range(3))
        tau = torques(q, qd, qdd)
        noise = [NOISE * 4 * dice.gauss(0, 1) for _ in TURNS]  # of the motors, about 4 N m
        rows.append([t, *q, *(x + sum(g[j] * e for g, e in zip(TURNS, noise)) for j, x in enumerate(tau))])
    return csv_text(rows)


def model(name, place):
    """Somebody's drawing of it: masses 20 % off, no friction."""
    joint = {"type": "revolute", "alpha": 0, "d": 0, "velocity_scale": SCALE,
             "limits": {"position": [-3, 3], "velocity": 6, "acceleration": 60, "torque": 60}}
    return {"name": name, "convention": "dh", "gravity": [0, 0, -9.81],
            "transmission": {"matrix": [list(row) for row in TURNS], "friction": place},
            "joints": [{**joint, "name": "shoulder", "a": L1, "link": {"mass": 4, "com": [-0.2, 0, 0], "inertia": {"xx": 0.01, "yy": 0.1, "zz": 0.1}}},
                       {**joint, "name": "elbow", "a": 0.3, "link": {"mass": 2.6, "com": [-0.12, 0, 0], "inertia": {"xx": 0.01, "yy": 0.03, "zz": 0.03}}}]}


def identified(client, name, datasets, judge, **more):
    request = {"datasets": datasets, "validation": [judge], "friction": ["auto"], "rotor_inertia": True, **more}
    return client.result_of(f"/v1/robots/{name}/identifications", request)


@pytest.mark.slow
def test_friction_is_identified_where_it_acts(client):
    found = {}
    for place in ("motors", "joints"):
        name = unique_name()
        client.create_robot(model(name, place))
        assert client.get(f"/v1/robots/{name}").json["transmission"]["friction"] == place
        train, judge = [upload(client, name, log(seed)) for seed in (1, 2)], upload(client, name, log(3))
        found[place] = name, identified(client, name, train, judge), judge
    name, at_motors, judge = found["motors"]
    errors = [f[1]["errors"]["validation"]["raw"]["relative_percent"] for f in (found["motors"], found["joints"])]
    assert errors[0] < 2 and errors[1] > 3 * errors[0], errors
    for friction, coulomb, viscous in zip(at_motors["parameters"]["friction"], COULOMB, VISCOUS):
        assert friction["coulomb"] == pytest.approx(coulomb, rel=0.03), friction
        assert friction["viscous"] == pytest.approx(viscous, rel=0.03), friction
    assert {w["code"] for w in at_motors["warnings"]} <= {"ill_conditioned"}, at_motors["warnings"]
    assert "noise_only" in {w["code"] for w in found["joints"][1]["warnings"]}
    known = sorted({w["code"] for w in at_motors["warnings"]} | {"not_physically_consistent"})
    client.post(f"/v1/identifications/{at_motors['id']}/promote", {"base_revision": 1, "acknowledge": known}).expect(200)
    state = {"q": [0.3, -0.7], "qd": [1.1, -1.6], "qdd": [2.0, 1.0]}
    told = client.post(f"/v1/robots/{name}/inverse-dynamics", state).expect(200).json["tau"]
    assert told == pytest.approx(torques(*(state[k] for k in ("q", "qd", "qdd"))), rel=0.02)
    back = client.post(f"/v1/robots/{name}/forward-dynamics", {"q": state["q"], "qd": state["qd"], "tau": told}).expect(200)
    assert back.json["qdd"] == pytest.approx(state["qdd"], rel=1e-6)
    table = client.result_of("/v1/robots/" + name + "/evaluations", {"models": [f"identification:{at_motors['id']}", "revision:2"], "datasets": [judge],
                                                                      "conditioning": at_motors["conditioning"]})
    judged = [entry["errors"]["raw"]["relative_percent"] for entry in table["evaluations"]]
    assert judged == pytest.approx([errors[0]] * 2, rel=1e-3), table


@pytest.mark.slow
def test_instruments_are_turned_to_the_motors_too(client):
    name = unique_name()
    client.create_robot(model(name, "motors"))
    found = identified(client, name, [upload(client, name, log(1))], upload(client, name, log(3)), friction=["coulomb", "viscous"], estimator="iv", test_filters=True)
    for friction, coulomb, viscous in zip(found["parameters"]["friction"], COULOMB, VISCOUS):
        assert friction["coulomb"] == pytest.approx(coulomb, rel=0.03) and friction["viscous"] == pytest.approx(viscous, rel=0.03), friction
    assert found["filter_test"]["p"] > 0.001, found["filter_test"]


@pytest.fixture
def arm(client):
    name = unique_name()
    client.create_robot(model(name, "motors"))
    return name


@pytest.mark.parametrize("field,more", [
    ("find_torque_delay", {"find_torque_delay": True}),
    ("friction", {"friction": ["coulomb", "load"]}),
    ("loop", {"estimator": "iv", "loop": {"reference": ["01ARZ3NDEKTSV4RRFFQ69G5FAV"], "kp": [1, 1], "kd": [1, 1]}}),
])
def test_what_is_made_joint_by_joint_is_refused(client, arm, field, more):
    asked = {"datasets": [upload(client, arm, log(4, 2))], **more}
    job = client.wait_job(client.post(f"/v1/robots/{arm}/identifications", asked))
    assert job["state"] == "failed" and "coupled motors" in job["problem"]["detail"], job
    assert job["problem"]["detail"].startswith(field), job


def test_motions_and_friction_tests_name_the_friction_that_they_do_not_know(client, arm):
    plan = {"method": "energy_optimal", "start": {"q": [0, 0]}, "goal": {"q": [0.5, 0.5]}, "duration": 1}
    job = client.wait_job(client.post(f"/v1/robots/{arm}/trajectories", plan))
    assert job["state"] == "failed" and "coupled motors" in job["problem"]["detail"], job
    job = client.wait_job(client.post(f"/v1/robots/{arm}/friction-tests", {"joints": ["shoulder"]}))
    assert job["state"] == "failed" and "coupled motors" in job["problem"]["detail"], job


def test_friction_of_the_load_at_coupled_motors_is_refused(client):
    wrong = model(unique_name(), "motors")
    wrong["joints"][1]["friction"] = {"load": 0.1}
    answer = client.post("/v1/robots", wrong).expect(422)
    assert answer.json["errors"][0]["pointer"] == "/joints/1/friction/load", answer.json
    wrong["transmission"]["friction"] = "drives"
    answer = client.post("/v1/robots", wrong).expect(422)
    assert answer.json["errors"][0]["pointer"] == "/transmission/friction", answer.json
