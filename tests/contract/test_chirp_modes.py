"""Modes from chirps: an arm of two links with elastic gears, integrated here by equations of its own and read by encoders of 14 bits, against
numpy's eigenvalues; and what is proposed, put into a trajectory and a controller."""

import math

import numpy as np
import pytest

from support.data import unique_name
from support.logs import upload

STIFFNESS, DAMPING, ROTORS = np.array([7000.0, 3000.0]), np.array([4.0, 1.5]), np.array([0.8, 0.5])
RESOLUTION, RATE, AT = 2 * math.pi / 16384, 500, (0.3, 1.1)
CHIRP = {"amplitude": [0.05, 0.05], "frequencies": [2, 40], "duration": 12, "rest": 1}


@pytest.fixture(scope="module")
def arm(server):
    joints = [{"name": n, "type": "revolute", "a": 0.3, "alpha": 0, "d": 0, "theta": 0, "drive": {"rotor_inertia": r / 6400, "gear_ratio": 80},
               "link": {"mass": m, "com": [-0.18, 0, 0], "inertia": {"xx": 0.01, "yy": i, "zz": i}}}
              for n, m, i, r in (("shoulder", 6, 0.2, ROTORS[0]), ("elbow", 4, 0.1, ROTORS[1]))]
    with server.client() as client:
        yield client.post("/v1/robots", {"name": unique_name("swept"), "convention": "dh", "joints": joints}).expect(201).headers["Location"]


def links_matrix(load):
    """Of two level links of 0.3 m, centres at 0.12 m; a load at the tip."""
    outer = 0.1 + 4 * 0.12**2 + load * 0.09
    cross = (4 * 0.12 + load * 0.3) * 0.3 * math.cos(AT[1])
    return np.array([[0.2 + 6 * 0.12**2 + (4 + load) * 0.09 + outer + 2 * cross, outer + cross], [outer + cross, outer]])


def modes(load):
    """Frequency and ratio of M s^2 + D s + K."""
    M = links_matrix(load)
    s = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, np.diag(STIFFNESS)), -np.linalg.solve(M, np.diag(DAMPING))]]))
    return [(abs(x) / (2 * math.pi), -x.real / abs(x)) for x in sorted(s[s.imag > 0], key=abs)]


def chirp_at(t):
    """A sine whose octaves last alike, its speed's amplitude the same, and its slope by differences."""
    (low, high), T = CHIRP["frequencies"], CHIRP["duration"]
    rate = math.log(high / low) / T
    window = np.clip(np.minimum(t * low, (T - t) * high / 4), 0, 1)
    window = window**3 * (10 - 15 * window + 6 * window**2)
    return np.where((t > 0) & (t < T), window * np.exp(-rate * t) * np.sin(2 * math.pi * low * np.expm1(rate * np.clip(t, 0, T)) / rate), 0)


def played(load, seed):
    """Rows of a log: a loop of PD with what the links and rotors need moves the arm; motors rub."""
    chance, M, B = np.random.default_rng(seed), links_matrix(load), np.diag(ROTORS)
    zero, one, Mi, Bi = np.zeros((2, 2)), np.eye(2), np.linalg.inv(M), np.linalg.inv(B)
    K, D = np.diag(STIFFNESS), np.diag(DAMPING)
    A = np.block([[zero, one, zero, zero], [-Bi @ K, -Bi @ (D + np.diag([1.0, 0.5])), Bi @ K, Bi @ D], [zero, zero, zero, one], [Mi @ K, Mi @ D, -Mi @ K, -Mi @ D]])
    step = np.zeros((10, 10))
    step[:8, :8], step[2:4, 8:] = A / RATE, Bi / RATE
    power, whole = np.eye(10), np.eye(10)  # of the matrix, halved until its series is short
    for k in range(1, 14):
        power = power @ (step / 64) / k
        whole = whole + power
    for _ in range(6):
        whole = whole @ whole
    F, G = whole[:8, :8], whole[:8, 8:]
    part = round((CHIRP["duration"] + CHIRP["rest"]) * RATE)
    t = (np.arange(2 * part) % part) / RATE
    wanted = np.zeros((2 * part, 2))
    for j in range(2):
        wanted[j * part:(j + 1) * part, j] = CHIRP["amplitude"][j] * chirp_at(t[j * part:(j + 1) * part])
    speeds = np.gradient(wanted, 1 / RATE, axis=0)
    ahead = np.gradient(speeds, 1 / RATE, axis=0) @ (M + B)
    x, before, speed, w, rows = np.zeros(8), np.zeros(2), np.zeros(2), 2 * math.pi * 5, []
    inertia, at = np.diag(M) + ROTORS, np.array(AT)
    for k in range(2 * part):
        read = RESOLUTION * np.round((at + x[:2]) / RESOLUTION) - at
        speed += 0.5 * ((read - before) * RATE - speed) if k else 0
        before = read
        u = inertia * (w * w * (wanted[k] - read) + 2 * w * (speeds[k] - speed)) + ahead[k]
        rows.append([k / RATE, *(at + read), *(u + chance.normal(0, 0.2, 2))])
        x = F @ x + G @ u
    return rows


def test_modes_of_two_chirps_and_what_is_proposed(client, arm):
    dataset = upload(client, arm.rsplit("/", 1)[1], played(0, 1))
    found = client.post(arm + "/vibrations", {"dataset": dataset, "chirp": CHIRP}).expect(200).json
    for seen, (f, z) in zip(found["modes"], modes(0), strict=True):
        assert seen["frequency_hz"] == pytest.approx(f, rel=0.01) and seen["damping"] == pytest.approx(z, rel=0.1)
        assert 0 < seen["frequency_deviation_hz"] < 0.003 * f and 0 < seen["damping_deviation"] < 0.1 * z
        assert abs(seen["damping"] - z) < 4 * seen["damping_deviation"] + 0.01 * z
    assert found["q"] == pytest.approx(list(AT), abs=RESOLUTION) and found["begin"] == 0
    swept = found["chirp"]
    assert swept["inertia_scale"] == pytest.approx(1, abs=0.02) and swept["delay"] == pytest.approx(0.5 / RATE, rel=0.1)
    assert [g["stiffness"] for g in swept["gears"]] == pytest.approx(list(STIFFNESS), rel=0.02)
    assert [g["motor_inertia"] for g in swept["gears"]] == pytest.approx(list(ROTORS), rel=0.02)
    # as from a stop: the shaper in a trajectory, the notch in a controller
    little_is_left(client, arm, found["shaper"], 0)
    assert found["notch"]["notch_hz"] == found["modes"][0]["frequency_hz"]
    loop = {"q": list(AT), "duration": 0.1, "bandwidth_hz": 2, "control": {"law": "pid", "rate_hz": 1000, **found["notch"]}}
    assert client.result_of(arm + "/simulations", loop)["control"]["notch_hz"] == found["notch"]["notch_hz"]


def little_is_left(client, arm, shaper, load, goal=AT):
    """At most 5 percent of a mode by the impulses of a trajectory, where its frequency is off by up to a tenth."""
    asked = {"method": "quintic", "start": {"q": [0.2, 1]}, "goal": {"q": list(goal)}, "duration": 0.4, "payload": {"mass": load}, "shaper": shaper}
    impulses = client.result_of(arm + "/trajectories", asked)["shaper"]["impulses"]
    for f, z in modes(load):
        for off in (0.9, 0.95, 1.0, 1.05, 1.1):
            w = 2 * math.pi * f * off
            left = sum(i["amplitude"] * np.exp(complex(z * w, w * math.sqrt(1 - z * z)) * (i["time"] - impulses[-1]["time"])) for i in impulses)
            assert abs(left) <= 0.05, (f, off, abs(left))


def test_chirps_with_loads_become_one_elasticity(client, arm):
    logs = []
    for load, seed in (0, 2), (1.5, 3):
        dataset = upload(client, arm.rsplit("/", 1)[1], played(load, seed))
        logs.append({"dataset": dataset, "chirp": CHIRP, "modes_max": 2, "payload": {"mass": load}})
    fit = client.post(arm + "/mode-fits", {"logs": logs}).expect(200).json
    assert [k["value"] for k in fit["stiffness"]] == pytest.approx(list(STIFFNESS), rel=0.02)
    for seen, load in zip(fit["observations"], (0, 1.5)):
        assert seen["payload_mass"] == load and seen["seen_hz"] == pytest.approx([f for f, _ in modes(load)], rel=0.01)
        assert seen["seen_dampings"] == pytest.approx([z for _, z in modes(load)], rel=0.1)
    for gear, k, d in zip(fit["elasticity"], STIFFNESS, DAMPING):
        assert gear["stiffness"] == pytest.approx(k, rel=0.02) and gear["damping"] == pytest.approx(d, rel=0.15)
    # put into the model: the shaper `auto` takes it, with a load that was in no log too
    model = client.get(arm).expect(200).json
    for joint, gear in zip(model["joints"], fit["elasticity"], strict=True):
        joint["elasticity"] = gear
    model["name"] = unique_name("shaped")
    known = client.post("/v1/robots", {key: model[key] for key in ("name", "convention", "joints")}).expect(201).headers["Location"]
    for load in (0, 0.7, 1.5):
        little_is_left(client, known, "auto", load, fit["observations"][0]["q"])


@pytest.mark.parametrize("change, pointer, words", [
    ({"chirp": {**CHIRP, "frequencies": [2, 200]}}, "/dataset", "4 times"),
    ({"chirp": {**CHIRP, "duration": 40}}, "/chirp/duration", "of the log are left"), ({"chirp": {**CHIRP, "amplitude": [0, 0]}}, "/chirp/amplitude", "other than 0"),
    ({"chirp": {**CHIRP, "frequencies": [40, 2]}}, "/chirp/frequencies", "first below"), ({"chirp": {**CHIRP, "frequencies": [2, 14]}}, "/dataset", "not over its mode"), ({"begin": 60}, "/dataset", "goes from"),
    ({"dataset": None, "q": [[0, 0]] * 20, "rate_hz": 100}, "/chirp", "belongs to a dataset")])
def test_faults_are_named(client, arm, log, change, pointer, words):
    body = {key: value for key, value in {"dataset": log, "chirp": CHIRP, **change}.items() if value is not None}
    faults = client.post(arm + "/vibrations", body).expect(422).json["errors"]
    assert any(fault["pointer"] == pointer and words in fault["detail"] for fault in faults), faults


@pytest.fixture(scope="module")
def log(server, arm):
    with server.client() as client:
        yield upload(client, arm.rsplit("/", 1)[1], played(0, 4))


def test_all_that_gives_must_be_swept(client, arm, log):
    one = {"dataset": log, "chirp": {**CHIRP, "amplitude": [0.05, 0]}}
    (fault,) = client.post(arm + "/mode-fits", {"logs": [one]}).expect(422).json["errors"]
    assert fault["pointer"] == "/logs/0/chirp/amplitude" and "sweep it too" in fault["detail"]


def test_without_torques_nothing_is_told(client, arm):
    text = "t,q1,q2\n" + "\n".join(f"{k / 100},{math.sin(k):.6f},0.5" for k in range(3000))
    dataset = client.post(f"{arm}/datasets", body=text, content_type="text/csv").expect(201).json["id"]
    (fault,) = client.post(arm + "/vibrations", {"dataset": dataset, "chirp": CHIRP}).expect(422).json["errors"]
    assert fault["pointer"] == "/dataset" and "no torques" in fault["detail"]
