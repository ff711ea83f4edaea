"""Check my code: torques of a Newton-Euler recursion of this file, with usual mistakes made in it, and what is said of them.

The counterpart shares nothing with the service but the numbers of the model: Craig, Introduction to Robotics, eq. 6.45 to
6.53 (standard DH arms: the same recursion over frames that stand at the ends of links). First it must agree without mistakes.
"""

import copy
import csv
import math
import random

import numpy as np
import pytest

from support import ROOT, robot, unique_name

NAMES = "joint a alpha d offset q_min q_max xx yy zz xy xz yz x y z mass".split()


def five_axes():
    """The five-axis arm of the CAD table, in SI."""
    with open(ROOT / "tests/data/cad/arm_5dof_cad.csv") as file:
        rows = [dict(zip(NAMES, map(float, row))) for row in csv.reader(line for line in file if line[0] != "#")]
    return {"convention": "mdh", "gravity": [0, 0, 9.81], "joints": [{
        "name": f"j{i + 1}", "type": "revolute", "a": r["a"] / 1e3, "alpha": r["alpha"], "d": r["d"] / 1e3, "offset": r["offset"],
        "link": {"mass": r["mass"], "com": [r[k] / 1e3 for k in "xyz"],
                 "inertia": {k: r[k] / 1e6 for k in ("xx", "yy", "zz", "xy", "xz", "yz")}},
        # of no table: something for the mistakes of drives and friction to act on
        "drive": {"rotor_inertia": 2e-7 * (1 + 0.3 * i), "gear_ratio": 30 + 10 * i},
        "friction": {"coulomb": 0.02 + 0.004 * i, "viscous": 0.01 + 0.002 * i}} for i, r in enumerate(rows)]}


def moved(axis, angle, along, kind):
    """A pose of 4 x 4: a turn about x or z and a slide along it (they commute)."""
    c, s = math.cos(angle), math.sin(angle)
    pose = np.eye(4)
    a, b = ((1, 2) if kind == "x" else (0, 1))
    pose[a, a] = pose[b, b] = c
    pose[a, b], pose[b, a] = -s, s
    pose[axis, 3] = along
    return pose


def tensor(body, mistakes):
    i, sign = body["inertia"], -1 if "products_sign" in mistakes else 1
    xy, xz, yz = (sign * i.get(k, 0) for k in ("xy", "xz", "yz"))
    matrix = np.array([[i["xx"], xy, xz], [xy, i["yy"], yz], [xz, yz, i["zz"]]])
    c = np.array(body["com"])
    about = body["mass"] * (c @ c * np.eye(3) - np.outer(c, c))
    factor = (1 if "parallel_axis_twice" in mistakes else 0) - (1 if "parallel_axis_forgotten" in mistakes else 0)
    return matrix + factor * about


def newton_euler(model, q, qd, qdd, mistakes=()):
    """Torques of one state. Frames are links' frames of the convention; joint i turns about (slides along) z of the modified
    frame i, or of the standard frame i - 1."""
    modified = (model["convention"] == "mdh") != bool({"dh_for_mdh", "mdh_for_dh"} & set(mistakes))
    long = 1000 if "lengths_in_mm" in mistakes else 1
    g = np.array(model["gravity"])
    if "gravity_sign" in mistakes:
        g = -g
    if "gravity_missing" in mistakes:
        g = 0 * g
    if "gravity_along_y" in mistakes:
        g = np.array([0, np.linalg.norm(g), 0])
    if "motion_in_degrees" in mistakes:
        q, qd, qdd = ([math.radians(x) if j["type"] == "revolute" else x for x, j in zip(row, model["joints"])] for row in (q, qd, qdd))
    if "degrees_as_radians" in mistakes:
        q = [math.degrees(x) if j["type"] == "revolute" else x for x, j in zip(q, model["joints"])]
    # all in base axes: joint axes, points on them, centres of mass, tensors
    pose, axes, points, bodies = np.eye(4), [], [], []
    for joint, x in zip(model["joints"], q):
        turns = joint["type"] == "revolute"
        x = x + joint.get("offset", 0)
        theta, d = (x + joint.get("theta", 0), joint["d"] * long) if turns else (joint.get("theta", 0), x + joint["d"] * long)
        about_z = moved(2, theta, d, "z")
        about_x = moved(0, joint["alpha"], joint["a"] * long, "x")
        before = pose
        pose = pose @ (about_x @ about_z if modified else about_z @ about_x)
        frame = pose if modified else before
        axes.append(frame[:3, 2])
        points.append(frame[:3, 3])
        r, com = pose[:3, :3], np.array(joint["link"]["com"])
        if "centre_of_mass_sign" in mistakes:
            com = -com
        bodies.append((joint["link"]["mass"], pose[:3, 3] + r @ com, r @ tensor(joint["link"], mistakes) @ r.T))
    w, dw, dv, at = np.zeros(3), np.zeros(3), -g, np.zeros(3)
    wrenches = []
    for joint, axis, point, (mass, centre, inertia), v, a in zip(model["joints"], axes, points, bodies, qd, qdd):
        dv = dv + np.cross(dw, point - at) + np.cross(w, np.cross(w, point - at))
        at = point
        if joint["type"] == "revolute":
            dw = dw + axis * a + np.cross(w, axis * v)
            w = w + axis * v
        else:
            dv = dv + axis * a + 2 * np.cross(w, axis * v)
        arm = centre - at
        force = mass * (dv + np.cross(dw, arm) + np.cross(w, np.cross(w, arm)))
        wrenches.append((force, inertia @ dw + np.cross(w, inertia @ w)))
    out = []
    for i, joint in enumerate(model["joints"]):
        if joint["type"] == "revolute":
            load = sum(axes[i] @ (n + np.cross(b[1] - points[i], f)) for b, (f, n) in zip(bodies[i:], wrenches[i:]))
        else:
            load = sum(axes[i] @ f for f, _ in wrenches[i:])
        drive, friction = joint.get("drive", {}), joint.get("friction", {})
        power = 1 if "rotor_ratio_not_squared" in mistakes else 0 if "rotor_not_reflected" in mistakes else 2
        load += drive.get("rotor_inertia", 0) * drive.get("gear_ratio", 1) ** power * qdd[i]
        rubs = 0 if "friction_forgotten" in mistakes else -1 if "friction_sign" in mistakes else 1
        scale = joint.get("velocity_scale", 1e-3)
        load += rubs * (friction.get("coulomb", 0) * math.tanh(qd[i] / scale) + friction.get("viscous", 0) * qd[i])
        out.append(load)
    return np.array(out)


def states(joints, seed, count=40):
    dice = random.Random(seed)
    return {k: [[dice.uniform(-most, most) for _ in range(joints)] for _ in range(count)] for k, most in (("q", 2), ("qd", 3), ("qdd", 9))}


def catalogue(name):
    """An arm of the catalogue with friction that this file knows."""
    model = {**robot(name)}
    model["joints"] = [{**j, "friction": {"coulomb": 1 + i, "viscous": 2 + 0.5 * i}} for i, j in enumerate(model["joints"])]
    return model


ARMS = {"five_axes": five_axes, "puma560": lambda: catalogue("puma560"), "scara": lambda: catalogue("scara")}


@pytest.fixture(scope="module")
def arms(server):
    """{name: (path, model, states)}"""
    stored = {}
    with server.client() as client:
        for seed, (name, make) in enumerate(ARMS.items()):
            model, unique = make(), unique_name("diagnose")
            client.post("/v1/robots?allow_unphysical=true", {**model, "name": unique}).expect(201)
            stored[name] = (f"/v1/robots/{unique}", model, states(len(model["joints"]), 19 + seed))
    return stored


def torques(model, motion, mistakes=()):
    return np.array([newton_euler(model, *row, mistakes) for row in zip(motion["q"], motion["qd"], motion["qdd"])])


def ask(client, path, motion, tau, **more):
    return client.post(path + "/diagnose", {**motion, "tau": np.asarray(tau).tolist(), **more}).expect(200).json


@pytest.mark.parametrize("name", ARMS)
def test_without_mistakes_both_agree(client, arms, name):
    path, model, motion = arms[name]
    tau = torques(model, motion)
    ours = np.array(client.post(path + "/inverse-dynamics", motion).expect(200).json["tau"])
    assert np.abs(ours - tau).max() <= 1e-9 * np.abs(tau).max()
    got = ask(client, path, motion, tau)
    assert got["verdict"] == "agrees" and got["error"] < 1e-9 and got["findings"] == []


MISTAKES = """parallel_axis_forgotten parallel_axis_twice products_sign centre_of_mass_sign lengths_in_mm gravity_sign
gravity_missing gravity_along_y motion_in_degrees degrees_as_radians rotor_ratio_not_squared rotor_not_reflected friction_forgotten
friction_sign""".split()


@pytest.mark.parametrize("name", ARMS)
def test_each_mistake_is_told_apart(client, arms, name):
    path, model, motion = arms[name]
    right = torques(model, motion)
    told = 0
    for mistake in [*MISTAKES, "dh_for_mdh" if model["convention"] == "mdh" else "mdh_for_dh"]:
        tau = torques(model, motion, [mistake])
        got = ask(client, path, motion, tau)
        if np.abs(tau - right).max() < 1e-9 * np.abs(right).max():  # this arm has nothing that shows it
            assert got["verdict"] == "agrees", mistake
            continue
        told += 1
        best = got["findings"][0]
        assert (got["verdict"], best["mistakes"], best["explains"]) == ("explained", [mistake], True), (mistake, got["findings"][:3])
        assert best["error"] < 1e-8 < got["error"] and best["lessons"][0]
        error = np.sqrt(np.mean((tau - right) ** 2, axis=0)) / np.maximum(np.sqrt(np.mean(tau**2, axis=0)), 1e-9)
        shown = np.sqrt(np.mean(tau**2, axis=0)) > 1e-5 * np.abs(tau).max()
        assert np.allclose(np.array(got["joint_error"])[shown], error[shown], rtol=1e-5, atol=1e-9), mistake
    assert told >= 11


@pytest.mark.parametrize("name", ARMS)
def test_noise_of_one_percent(client, arms, name):
    path, model, motion = arms[name]
    right, dice = torques(model, motion), np.random.default_rng(3)
    for mistake in MISTAKES:
        tau = torques(model, motion, [mistake])
        size = np.sqrt(np.mean(tau**2, axis=0))
        if np.sqrt(np.mean(((tau - right) / size) ** 2)) < 0.05:  # the noise hides it
            continue
        got = ask(client, path, motion, tau + 0.01 * size * dice.standard_normal(tau.shape), tolerance=0.02)
        first = got["findings"][0]
        if mistake == "rotor_not_reflected":  # with high gears that is next to no rotor at all, which the noise does not tell apart
            assert mistake in sum((f["mistakes"] for f in got["findings"] if f["ambiguous"]), first["mistakes"])
        else:
            assert first["mistakes"] == [mistake], (mistake, got["findings"][:3])
        assert got["verdict"] in ("explained", "ambiguous")


def test_two_at_once(client, arms):
    path, model, motion = arms["five_axes"]
    for pair in (["parallel_axis_forgotten", "gravity_sign"], ["dh_for_mdh", "friction_forgotten"], ["products_sign", "rotor_ratio_not_squared"]):
        got = ask(client, path, motion, torques(model, motion, pair))
        best = got["findings"][0]
        assert set(best["mistakes"]) == set(pair) and best["explains"], got["findings"][:3]
        assert len(best["lessons"]) == 2


def test_orders_of_joints(client, arms):
    path, model, motion = arms["five_axes"]
    tau, order = torques(model, motion), [3, 0, 1, 2, 4]
    best = ask(client, path, motion, tau[:, order])["findings"][0]
    assert best["mistakes"] == ["torque_order"] and best["explains"] and best["order"] == [f"j{i + 1}" for i in order]
    order = [0, 3, 2, 1, 4]
    given = {k: np.array(v)[:, order].tolist() for k, v in motion.items()}
    best = ask(client, path, given, tau[:, order])["findings"][0]
    assert best["mistakes"] == ["joint_order"] and best["explains"] and best["order"] == [f"j{i + 1}" for i in order]


def test_what_samples_do_not_tell_is_said(client, arms):
    """At rest without friction, torque is gravity: the sign of it and of everything are the same."""
    path, model, motion = arms["five_axes"]
    still = {"q": motion["q"], "qd": np.zeros((40, 5)).tolist(), "qdd": np.zeros((40, 5)).tolist()}
    got = ask(client, path, still, torques(model, still, ["gravity_sign"]))
    doubtful = {tuple(f["mistakes"]) for f in got["findings"] if f["ambiguous"]}
    assert got["verdict"] == "ambiguous" and {("gravity_sign",), ("torque_sign",)} <= doubtful
    assert not any(f["explains"] for f in got["findings"])
    assert {"parallel_axis_forgotten", "products_sign", "rotor_forgotten", "friction_sign"} <= set(got["unseen"])


def test_nothing_explains_nonsense(client, arms):
    path, _, motion = arms["five_axes"]
    got = ask(client, path, motion, np.random.default_rng(1).standard_normal((40, 5)))
    assert got["verdict"] == "unexplained" and not any(f["explains"] or f["ambiguous"] for f in got["findings"])
    assert ask(client, path, motion, np.zeros((40, 5)))["verdict"] == "unexplained"


@pytest.mark.parametrize("change, fault", [
    ({"q": []}, ("/q", "length")), ({"tau": None}, ("/tau", "type")), ({"tau": [[0] * 4]}, ("/tau/0", "length")),
    ({"tau": [[0] * 5]}, ("/tau", "length")), ({"tolerance": 0}, ("/tolerance", "minimum")), ({"tau": [[1e13] * 5]}, ("/tau/0/0", "maximum")),
])
def test_bad_input(client, arms, change, fault):
    path, _, motion = arms["five_axes"]
    body = {**copy.deepcopy(motion), "tau": np.zeros((40, 5)).tolist(), **change}
    answer = client.post(path + "/diagnose", body).expect(422).json
    assert fault in [(f["pointer"], f["code"]) for f in answer["errors"]], answer


def test_too_many_samples_and_no_numbers(client, arms):
    path = arms["five_axes"][0]
    body = {k: [[0] * 5] * 501 for k in ("q", "qd", "qdd", "tau")}
    assert client.post(path + "/diagnose", body).expect(422).json["errors"][0]["code"] == "maximum"
    client.post(path + "/diagnose", body=b'{"q": [NaN]}', content_type="application/json").expect(400)
