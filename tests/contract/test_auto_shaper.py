"""The shaper `auto`: modes of the model's elasticity at the end of a motion, against numpy's eigenvalues, and what the motion leaves of an
arm with elastic gears that is integrated here, by equations of its own."""

import math

import numpy as np
import pytest

from support.data import unique_name

A, MASS, COM, SPIN = 0.3, (6.0, 4.0), 0.4 * 0.3, (0.2, 0.1)
STIFFNESS, DAMPING = np.array([9000.0, 4000.0]), np.array([12.0, 3.0])
START, GOAL = np.array([0.4, 1.4]), np.array([0.5, 1.5])  # near each other: modes change on the way


def mass_matrix(q, load=0.0):
    """Of two level links, a load at the tip."""
    c = math.cos(q[1])
    outer = SPIN[1] + MASS[1] * COM**2 + load * A * A
    cross = (MASS[1] * COM + load * A) * A * c
    return np.array([[SPIN[0] + MASS[0] * COM**2 + (MASS[1] + load) * A * A + outer + 2 * cross, outer + cross], [outer + cross, outer]])


def modes(q, load=0.0):
    M = mass_matrix(q, load)
    w2, v = np.linalg.eig(np.linalg.solve(M, np.diag(STIFFNESS)))
    order = np.argsort(w2.real)
    w, v = np.sqrt(w2.real[order]), v.real[:, order]
    return w / (2 * math.pi), [(x @ (DAMPING * x)) / (2 * w_ * (x @ M @ x)) for w_, x in zip(w, v.T)]


def links(elasticity=(None, None)):
    return [{"name": n, "type": "revolute", "a": A, "alpha": 0, "d": 0, "theta": 0, "drive": {"rotor_inertia": 0.001, "gear_ratio": 80},
             "link": {"mass": m, "com": [COM - A, 0, 0], "inertia": {"xx": 0.01, "yy": I, "zz": I}}, **({"elasticity": e} if e else {})}
            for n, m, I, e in zip(("shoulder", "elbow"), MASS, SPIN, elasticity)]


@pytest.fixture(scope="module")
def fitted(server):
    """The path of an arm whose model has what mode-fits found of it, and that."""
    with server.client() as client:
        name = unique_name("swinging")
        client.post("/v1/robots", {"name": name, "convention": "dh", "joints": links()}).expect(201)
        seen = []
        for q, load in ([0, 0.8], 0), ([0.4, 1.6], 0), ([0.4, 1.2], 1.5):
            f, z = modes(q, load)
            seen.append({"q": q, "frequencies_hz": list(f), "dampings": list(z), "payload": {"mass": load}})
        found = client.post(f"/v1/robots/{name}/mode-fits", {"observations": seen}).expect(200).json
        assert [k["value"] for k in found["stiffness"]] == pytest.approx(list(STIFFNESS), rel=1e-9)
        assert [k["damping"] for k in found["stiffness"]] == pytest.approx(list(DAMPING), rel=1e-2)  # Rayleigh's quotient couples no modes
        etag = client.get(f"/v1/robots/{name}").expect(200).headers["ETag"]
        client.put(f"/v1/robots/{name}", {"name": name, "convention": "dh", "joints": links(found["elasticity"])}, headers={"If-Match": etag}).expect(200)
        yield f"/v1/robots/{name}", found["elasticity"]


def plan(client, path, **change):
    return client.result_of(f"{path}/trajectories", {"method": "quintic", "start": {"q": list(START)}, "goal": {"q": list(GOAL)}, "duration": 0.12,
                                                     "sample_rate": 2000, **change})


def test_the_model_keeps_what_was_found(client, fitted):
    path, elasticity = fitted
    assert [j["elasticity"] for j in client.get(path).expect(200).json["joints"]] == elasticity
    assert "position" not in elasticity[0] and elasticity[1]["position"] == [0.8, 1.6] and elasticity[1]["payload_mass"] == [0, 1.5]


@pytest.mark.parametrize("load", [0.0, 1.0])
def test_modes_are_those_of_where_it_ends_and_of_the_load(client, fitted, load):
    shaper = plan(client, fitted[0], shaper="auto", payload={"mass": load})["shaper"]
    f, z = modes(GOAL, load)
    assert [m["frequency_hz"] for m in shaper["modes"]] == pytest.approx(list(f), rel=1e-9)
    assert [m["damping"] for m in shaper["modes"]] == pytest.approx(list(z), rel=0.05)
    assert shaper["fit"] == {"q": pytest.approx(list(GOAL), abs=1e-12), "payload_mass": load}
    lasts = {"zv": 0.5, "zvd": 1, "ei": 1}[shaper["type"]]
    assert shaper["added_time"] == pytest.approx(sum(lasts / (a * math.sqrt(1 - b * b)) for a, b in zip(f, z)), rel=0.02)
    assert plan(client, fitted[0], shaper={"type": "auto", "modes_max": 1, "range_percent": 1})["shaper"]["added_time"] < shaper["added_time"]


def left_behind(motors, rate, scale):
    """How far the tip swings after the motors have stopped: links on springs whose frequencies are `scale` times those of the model."""
    K, D, rest = STIFFNESS * scale**2, DAMPING * scale, round(0.5 * rate)
    ended, motors = len(motors), np.vstack([motors, np.repeat(motors[-1:], rest, axis=0)])
    speeds = np.gradient(motors, 1 / rate, axis=0)

    def slope(state, k):
        q, v = state
        h = -MASS[1] * COM * A * math.sin(q[1])
        coriolis = np.array([h * (2 * v[0] * v[1] + v[1] ** 2), -h * v[0] ** 2])
        return np.array([v, np.linalg.solve(mass_matrix(q), K * (motors[k] - q) + D * (speeds[k] - v) - coriolis)])

    state, dt, worst = np.array([motors[0], [0.0, 0.0]]), 2 / rate, 0.0
    for k in range(0, len(motors) - 2, 2):  # Runge-Kutta, every other sample in the middle of a step
        a = slope(state, k)
        b = slope(state + dt / 2 * a, k + 1)
        c = slope(state + dt / 2 * b, k + 1)
        state = state + dt / 6 * (a + 2 * b + 2 * c + slope(state + dt * c, k + 2))
        off = state[0] - motors[-1]
        worst = max(worst, abs(A * off[0] + A * off.sum())) if k >= ended else worst
    return worst


def test_an_elastic_arm_is_left_at_rest(client, fitted):
    """At most 5 percent of what the motion leaves without a shaper, where all frequencies are off by up to a tenth."""
    shaped, plain = (plan(client, fitted[0], shaper=shaper) for shaper in ("auto", None))
    motors = [np.array(client.get(t["samples"], query={"rate": 2000, "fields": "q"}).expect(200).json["q"]) for t in (shaped, plain)]
    for scale in (0.9, 0.95, 1.0, 1.05, 1.1):
        with_shaper, without = (left_behind(m, 2000, scale) for m in motors)
        assert without > 1e-3
        assert with_shaper <= 0.05 * without, (scale, with_shaper, without)


@pytest.mark.parametrize("change, words", [
    ({"goal": {"q": [0.5, 2.5]}}, "joint 'elbow' from 0.8 to 1.6, not at 2.5"), ({"payload": {"mass": 3}}, "0 to 1.5 kg carried, not with 3 kg"),
    ({"shaper": {"type": "auto", "range_percent": 50}}, "no shaper leaves at most 5 %")])
def test_outside_of_the_fit_it_is_refused(client, fitted, change, words):
    job = client.run_job(f"{fitted[0]}/trajectories", {"method": "quintic", "start": {"q": list(START)}, "goal": {"q": list(GOAL)}, "duration": 0.5,
                                                       "shaper": "auto", **change})
    (fault,) = job["problem"]["errors"]
    assert job["state"] == "failed" and fault["pointer"] == "/shaper" and words in fault["detail"], fault


@pytest.mark.parametrize("shaper, pointer, code", [
    ("auto", "/shaper", "inconsistent"), ("zv", "/shaper", "enum"), ({"type": "auto", "modes": [{"frequency_hz": 9}]}, "/shaper/modes", "inconsistent"),
    ({"type": "zv"}, "/shaper/modes", "required"), ({"type": "zv", "modes": [{"frequency_hz": 9}], "modes_max": 1}, "/shaper/modes_max", "inconsistent")])
def test_faults_of_a_shaper_are_named(client, shaper, pointer, code):
    """Of a model that does not know how its gears give."""
    name = unique_name("rigid")
    client.post("/v1/robots", {"name": name, "convention": "dh", "joints": links()}).expect(201)
    faults = client.post(f"/v1/robots/{name}/trajectories", {"method": "quintic", "start": {"q": list(START)}, "goal": {"q": list(GOAL)}, "duration": 0.5,
                                                             "shaper": shaper}).expect(422).json["errors"]
    assert (pointer, code) in [(fault["pointer"], fault["code"]) for fault in faults], faults


@pytest.mark.parametrize("elasticity, pointer", [
    ({"stiffness": 0}, "stiffness"), ({"stiffness": 9, "damping": -1}, "damping"), ({"position": [1, 0]}, "position"), ({"payload_mass": [2, 1]}, "payload_mass")])
def test_faults_of_an_elasticity_are_named(client, elasticity, pointer):
    faults = client.post("/v1/robots", {"name": unique_name("bad"), "convention": "dh", "joints": links((None, elasticity))}).expect(422).json["errors"]
    assert [f"/joints/1/elasticity/{pointer}"] == [fault["pointer"] for fault in faults]
