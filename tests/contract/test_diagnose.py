"""Check my code: torques of a Newton-Euler recursion of this file, with usual mistakes made in it, and what is said of them.

The counterpart shares nothing with the service but the numbers of the model: Craig, Introduction to Robotics, eq. 6.45 to
6.53 (standard DH arms: the same recursion over frames that stand at the ends of links). First it must agree without mistakes.
"""

import copy
import csv
import functools
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


def moved(axis, angle, along):
    """Poses of 4 x 4, one for each angle: a turn about x (0) or z (2) and a slide along it (they commute)."""
    angle, along = np.broadcast_arrays(angle, along)
    pose = np.tile(np.eye(4), (angle.size, 1, 1))
    a, b = (axis + 1) % 3, (axis + 2) % 3
    pose[:, a, a] = pose[:, b, b] = np.cos(angle)
    pose[:, b, a] = np.sin(angle)
    pose[:, a, b] = -pose[:, b, a]
    pose[:, axis, 3] = along
    return pose


def each_link(model, change):
    for joint in model["joints"]:
        change(joint["link"])


def scale_inertia(link, factor):
    link["inertia"] = {k: factor * v for k, v in link["inertia"].items()}


def scale_centre(link, factor):
    link["com"] = [factor * x for x in link["com"]]


def scale_lengths(model, factor):
    for joint in model["joints"]:
        joint["a"], joint["d"] = factor * joint["a"], factor * joint["d"]


def take_degrees_for_radians(model):
    for joint in model["joints"]:
        for key in ("alpha", "theta", "offset") if joint["type"] == "revolute" else ("alpha", "theta"):
            joint[key] = math.degrees(joint.get(key, 0))


def falls(*along):
    """Along this axis; along its other end already, that is `gravity_sign`."""
    def change(model):
        size = np.linalg.norm(model["gravity"])
        if abs(np.dot(along, model["gravity"])) < (1 - 1e-9) * size:
            model["gravity"] = [size * x for x in along]
    return change


MODEL_MISTAKES = {  # made in the model that a program computes with
    "dh_for_mdh": lambda model: model.update(convention="dh"),
    "mdh_for_dh": lambda model: model.update(convention="mdh"),
    "lengths_in_mm": lambda model: scale_lengths(model, 1000),
    "centre_of_mass_sign": lambda model: each_link(model, lambda link: scale_centre(link, -1)),
    "centres_of_mass_in_mm": lambda model: each_link(model, lambda link: scale_centre(link, 1000)),
    "inertia_in_kg_mm2": lambda model: each_link(model, lambda link: scale_inertia(link, 1e6)),
    "inertia_in_g_mm2": lambda model: each_link(model, lambda link: scale_inertia(link, 1e9)),
    "gravity_sign": lambda model: model.update(gravity=[-x for x in model["gravity"]]),
    "gravity_missing": lambda model: model.update(gravity=[0, 0, 0]),
    "gravity_along_x": falls(1, 0, 0), "gravity_along_minus_x": falls(-1, 0, 0),
    "gravity_along_y": falls(0, 1, 0), "gravity_along_minus_y": falls(0, -1, 0),
    "gravity_along_z": falls(0, 0, 1), "gravity_along_minus_z": falls(0, 0, -1),
    "model_angles_in_degrees": take_degrees_for_radians,
    "payload_forgotten": lambda model: model.pop("payload", None),
}
TENSOR_MISTAKES = {"parallel_axis_forgotten": -1, "parallel_axis_twice": 1, "products_sign": 0}  # parallel-axis terms too many
SAMPLE_MISTAKES = {  # which of the samples a program turns into what
    "motion_in_degrees": (np.radians, ("q", "qd", "qdd")), "positions_in_degrees": (np.radians, ("q",)),
    "degrees_as_radians": (np.degrees, ("q",)), "motion_as_degrees": (np.degrees, ("q", "qd", "qdd")),
}
ROTOR_MISTAKES = {  # what a rotor's inertia is multiplied by
    "rotor_ratio_not_squared": lambda ratio: ratio, "rotor_not_reflected": lambda ratio: 1,
    "gear_ratio_inverted": lambda ratio: 1 / ratio**2, "rotor_forgotten": lambda ratio: 0,
}
FRICTION_MISTAKES = {"friction_forgotten": 0, "friction_sign": -1}
TORQUE_MISTAKES = {"torque_sign": lambda ratio: -1, "torque_at_motor": lambda ratio: 1 / ratio, "torque_through_gear_twice": lambda ratio: ratio}
MISTAKES = [*MODEL_MISTAKES, *TENSOR_MISTAKES, *SAMPLE_MISTAKES, *ROTOR_MISTAKES, *FRICTION_MISTAKES, *TORQUE_MISTAKES]
ORDERS = ["torque_order", "joint_order"]  # a test of their own


def made(mistakes, table, otherwise):
    """What the first of the mistakes that stands in the table says."""
    return next((table[m] for m in mistakes if m in table), otherwise)


def tensor(body, mistakes):
    i, sign = body["inertia"], -1 if "products_sign" in mistakes else 1
    xy, xz, yz = (sign * i.get(k, 0) for k in ("xy", "xz", "yz"))
    matrix = np.array([[i["xx"], xy, xz], [xy, i["yy"], yz], [xz, yz, i["zz"]]])
    c = np.array(body["com"])
    about = body["mass"] * (c @ c * np.eye(3) - np.outer(c, c))
    return matrix + made(mistakes, TENSOR_MISTAKES, 0) * about


def placed(body, pose, mistakes=()):
    """Mass, centre and tensor in base axes."""
    r = pose[:, :3, :3]
    return body["mass"], pose[:, :3, 3] + r @ np.array(body["com"]), r @ tensor(body, mistakes) @ r.transpose(0, 2, 1)


def chain(model, q, mistakes):
    """In base axes: axis and a point of every joint, and the bodies that it moves. Frames are those of the convention; joint i
    turns about (slides along) z of the modified frame i, or of the standard frame i - 1."""
    pose, axes, points, bodies = np.tile(np.eye(4), (len(q), 1, 1)), [], [], []
    for joint, x in zip(model["joints"], q.T):
        turns, x = joint["type"] == "revolute", x + joint.get("offset", 0)
        about_z = moved(2, joint.get("theta", 0) + x * turns, joint["d"] + x * (not turns))
        about_x = moved(0, joint["alpha"], joint["a"])
        before = pose
        pose = pose @ (about_x @ about_z if model["convention"] == "mdh" else about_z @ about_x)
        frame = pose if model["convention"] == "mdh" else before
        axes.append(frame[:, :3, 2])
        points.append(frame[:, :3, 3])
        bodies.append([placed(joint["link"], pose, mistakes)])
    if "payload" in model:  # in the tool frame, which is the last link's without a tool
        bodies[-1].append(placed(model["payload"], pose))
    return axes, points, bodies


def dot(a, b):
    return np.sum(a * b, axis=-1)


def turned(matrices, vectors):
    return np.einsum("sij,sj->si", matrices, vectors)


def newton_euler(model, motion, mistakes=()):
    """Torques (samples x joints), all samples at once."""
    model, motion, cross = copy.deepcopy(model), {k: np.array(v, float) for k, v in motion.items()}, np.cross
    revolute = np.array([j["type"] == "revolute" for j in model["joints"]])
    for mistake in mistakes:
        MODEL_MISTAKES.get(mistake, lambda model: None)(model)
        unit, which = SAMPLE_MISTAKES.get(mistake, (None, ()))
        for name in which:
            motion[name] = np.where(revolute, unit(motion[name]), motion[name])
    q, qd, qdd = (motion[k] for k in ("q", "qd", "qdd"))
    axes, points, bodies = chain(model, q, mistakes)
    w, dw, at, dv = (np.zeros((len(q), 3)) for _ in range(4))
    dv = dv - np.array(model["gravity"])
    wrenches = []  # of every joint's bodies: centre, force, moment
    for turns, axis, point, moving, v, a in zip(revolute, axes, points, bodies, qd.T[:, :, None], qdd.T[:, :, None]):
        dv = dv + cross(dw, point - at) + cross(w, cross(w, point - at))
        at = point
        if turns:
            dw = dw + axis * a + cross(w, axis * v)
            w = w + axis * v
        else:
            dv = dv + axis * a + 2 * cross(w, axis * v)
        wrenches.append([(centre, mass * (dv + cross(dw, centre - at) + cross(w, cross(w, centre - at))),
                          turned(inertia, dw) + cross(w, turned(inertia, w))) for mass, centre, inertia in moving])
    out = []
    for i, joint in enumerate(model["joints"]):
        borne = sum(wrenches[i:], [])
        if revolute[i]:
            load = sum(dot(axes[i], n + cross(centre - points[i], f)) for centre, f, n in borne)
        else:
            load = sum(dot(axes[i], f) for _, f, _ in borne)
        drive, friction, scale = joint.get("drive", {}), joint.get("friction", {}), joint.get("velocity_scale", 1e-3)
        ratio = drive.get("gear_ratio", 1)
        load += drive.get("rotor_inertia", 0) * made(mistakes, ROTOR_MISTAKES, lambda ratio: ratio**2)(ratio) * qdd[:, i]
        rubs = friction.get("coulomb", 0) * np.tanh(qd[:, i] / scale) + friction.get("viscous", 0) * qd[:, i]
        load += made(mistakes, FRICTION_MISTAKES, 1) * rubs
        out.append(made(mistakes, TORQUE_MISTAKES, lambda ratio: 1)(ratio) * load)
    return np.array(out).T


def states(joints, seed, count=40):
    dice = random.Random(seed)
    return {k: [[dice.uniform(-most, most) for _ in range(joints)] for _ in range(count)] for k, most in (("q", 2), ("qd", 3), ("qdd", 9))}


def catalogue(name):
    """An arm of the catalogue with friction that this file knows."""
    model = {**robot(name)}
    model["joints"] = [{**j, "friction": {"coulomb": 1 + i, "viscous": 2 + 0.5 * i}} for i, j in enumerate(model["joints"])]
    return model


def body(dice):
    """Six point masses: what any rigid body is equal to."""
    at = [[dice.uniform(-0.2, 0.2) for _ in range(3)] for _ in range(6)]
    mass = [dice.uniform(0.1, 2) for _ in at]
    com = np.average(at, axis=0, weights=mass)
    i = sum(m * ((r - com) @ (r - com) * np.eye(3) - np.outer(r - com, r - com)) for m, r in zip(mass, np.array(at)))
    return {"mass": sum(mass), "com": com.tolist(),
            "inertia": {"xx": i[0, 0], "yy": i[1, 1], "zz": i[2, 2], "xy": i[0, 1], "xz": i[0, 2], "yz": i[1, 2]}}


def random_arm(seed):
    """Nothing of it is zero, equal or along an axis, so that every mistake shows."""
    dice = random.Random(seed)
    return {"convention": ("dh", "mdh")[seed % 2], "gravity": [dice.uniform(2, 8) * dice.choice((-1, 1)) for _ in range(3)],
            "payload": body(dice), "joints": [{
                "name": f"j{i + 1}", "type": "prismatic" if i == seed % 3 + 1 else "revolute",
                **{k: dice.uniform(0.2, 1.4) * dice.choice((-1, 1)) for k in ("a", "alpha", "d", "theta", "offset")}, "link": body(dice),
                "drive": {"rotor_inertia": dice.uniform(1e-4, 1e-3), "gear_ratio": dice.uniform(20, 120) * dice.choice((-1, 1))},
                "friction": {"coulomb": dice.uniform(1, 5), "viscous": dice.uniform(1, 5)}} for i in range(dice.randint(3, 7))]}


ARMS = {"five_axes": five_axes, "puma560": lambda: catalogue("puma560"), "scara": lambda: catalogue("scara"),
        **{f"random_{seed}": functools.partial(random_arm, seed) for seed in (1, 2)}}


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


def ask(client, path, motion, tau, **more):
    return client.post(path + "/diagnose", {**motion, "tau": np.asarray(tau).tolist(), **more}).expect(200).json


@pytest.mark.parametrize("name", ARMS)
def test_without_mistakes_both_agree(client, arms, name):
    path, model, motion = arms[name]
    tau = newton_euler(model, motion)
    ours = np.array(client.post(path + "/inverse-dynamics", motion).expect(200).json["tau"])
    assert np.abs(ours - tau).max() <= 1e-9 * np.abs(tau).max()
    got = ask(client, path, motion, tau)
    assert got["verdict"] == "agrees" and got["error"] < 1e-9 and got["findings"] == []


def test_every_mistake_of_the_contract_is_made_here(client):
    document = client.get("/v1/openapi.json").expect(200).json
    told = document["components"]["schemas"]["Diagnosis"]["properties"]["unseen"]["items"]["enum"]
    assert sorted(MISTAKES + ORDERS) == sorted(told)


def apart(a, b):
    """Relative rms of the difference, of the torques b."""
    size = np.sqrt(np.mean(b**2, axis=0))
    return np.sqrt(np.mean((np.sqrt(np.mean((a - b) ** 2, axis=0)) / np.maximum(size, 1e-6 * size.max())) ** 2))


def explained(got, mistake, wrong, within):
    """Is the mistake named, and alone where no other one gives the same torques (`wrong`: those of each) within so much?"""
    rivals = {name for name, tau in wrong.items() if apart(tau, wrong[mistake]) <= within}
    best, doubtful = got["findings"][0], {f["mistakes"][0] for f in got["findings"] if f["ambiguous"]}
    if rivals == {mistake}:
        return (got["verdict"], best["mistakes"], best["explains"]) == ("explained", [mistake], True)
    return got["verdict"] == "ambiguous" and mistake in doubtful and doubtful <= rivals


@pytest.mark.parametrize("name", ARMS)
def test_each_mistake_is_told_apart(client, arms, name):
    path, model, motion = arms[name]
    right = newton_euler(model, motion)
    wrong = {mistake: newton_euler(model, motion, [mistake]) for mistake in MISTAKES}
    seen = [mistake for mistake in MISTAKES if apart(wrong[mistake], right) > 1e-9]  # others: this arm has nothing that shows them
    for mistake in MISTAKES:
        tau, got = wrong[mistake], ask(client, path, motion, wrong[mistake])
        if mistake not in seen:
            assert got["verdict"] == "agrees", mistake
            continue
        assert explained(got, mistake, {m: wrong[m] for m in seen}, 1e-9), (mistake, got["verdict"], got["findings"][:3])
        best = got["findings"][0]
        assert best["error"] < 1e-8 < got["error"] and best["lessons"][0]
        error = np.sqrt(np.mean((tau - right) ** 2, axis=0)) / np.maximum(np.sqrt(np.mean(tau**2, axis=0)), 1e-9)
        shown = np.sqrt(np.mean(tau**2, axis=0)) > 1e-5 * np.abs(tau).max()
        assert np.allclose(np.array(got["joint_error"])[shown], error[shown], rtol=1e-5, atol=1e-9), mistake
    assert len(seen) >= (len(MISTAKES) - 1 if "random" in name else 20), sorted(set(MISTAKES) - set(seen))


@pytest.mark.parametrize("name", ARMS)
def test_noise_of_one_percent(client, arms, name):
    path, model, motion = arms[name]
    right, dice = newton_euler(model, motion), np.random.default_rng(3)
    wrong = {mistake: newton_euler(model, motion, [mistake]) for mistake in MISTAKES}
    for mistake in MISTAKES:
        tau = wrong[mistake]
        if apart(right, tau) < 0.05:  # the noise hides it
            continue
        noise = 0.01 * np.sqrt(np.mean(tau**2, axis=0)) * dice.standard_normal(tau.shape)
        got = ask(client, path, motion, tau + noise, tolerance=0.02)
        assert explained(got, mistake, wrong, 0.03), (mistake, got["verdict"], got["findings"][:3])


def test_two_at_once(client, arms):
    path, model, motion = arms["five_axes"]
    for pair in (["parallel_axis_forgotten", "gravity_sign"], ["dh_for_mdh", "friction_forgotten"], ["products_sign", "rotor_ratio_not_squared"]):
        got = ask(client, path, motion, newton_euler(model, motion, pair))
        best = got["findings"][0]
        assert set(best["mistakes"]) == set(pair) and best["explains"], got["findings"][:3]
        assert len(best["lessons"]) == 2


def test_orders_of_joints(client, arms):
    path, model, motion = arms["five_axes"]
    tau, order = newton_euler(model, motion), [3, 0, 1, 2, 4]
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
    got = ask(client, path, still, newton_euler(model, still, ["gravity_sign"]))
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
