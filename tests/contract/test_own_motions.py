"""Motions of the user's own and torques over time: references whose derivatives, forces and work are known in closed form."""

import math

import numpy as np
import pytest

from support import robot, unique_name

MASS, A, W, T = 3.0, 0.2, math.pi, 2.0  # kg; q = A (1 - cos W t) over one period
SLIDE = {"convention": "dh", "gravity": [9.81, 0, 0], "joints": [
    {"name": "x", "type": "prismatic", "a": 0, "alpha": 0, "theta": 0, "link": {"mass": MASS, "com": [0, 0, 0]},
     "limits": {"position": [-1, 1], "velocity": 1, "acceleration": 3, "torque": 8}}]}


@pytest.fixture(scope="module")
def arm(server):
    with server.client() as client:
        return client.create_robot({**SLIDE, "name": unique_name()}).headers["Location"]


def there_and_back(count=501, start=0.0):
    t = [start + T * k / (count - 1) for k in range(count)]
    return t, [[A * (1 - math.cos(W * (time - start)))] for time in t]


def plan(client, arm, samples, **more):
    return client.result_of(arm + "/trajectories", {"method": "samples", "samples": samples, **more})


def rows(client, motion):
    return client.get(motion["samples"], query={"rate": 100}).expect(200).json


@pytest.mark.parametrize("at", ["times", "rate", "dataset"])
def test_a_cosine_has_its_forces_and_its_work(client, arm, at):
    t, q = there_and_back(start=7.0 if at == "dataset" else 0.0)
    samples = {"times": {"t": t, "q": q}, "rate": {"rate": 250, "q": q}}.get(at)
    if at == "dataset":  # a log with a second of rest before and after it, and without torques
        still = [(6 + k / 250, 0.0) for k in range(250)], [(9.004 + k / 250, 0.0) for k in range(250)]
        lines = [*still[0], *((time, x[0]) for time, x in zip(t, q)), *still[1]]
        csv = "t,q1\n" + "".join(f"{time!r},{x!r}\n" for time, x in lines)
        log = client.post(arm + "/datasets", body=csv, content_type="text/csv").expect(201).json
        samples = {"dataset": log["id"], "from": 6.999, "to": 9.001}
    motion = plan(client, arm, {**samples, "tolerance": 1e-7})
    fit = motion["fit"]
    assert motion["method"] == "samples" and motion["transferable"] and motion["blockers"] == []
    assert fit["samples"] == 501 and fit["deviation"] <= fit["tolerance"] == 1e-7 and fit["at_rest"]
    assert motion["duration"] == pytest.approx(T, abs=1e-12) and motion["minimum_duration"] is None
    assert motion["energy"]["total"] == pytest.approx(MASS * (A * W) ** 2, rel=1e-4)  # speeds up twice
    series = rows(client, motion)
    for time, x, v, a, force in zip(*(series[name] for name in ("t", "q", "qd", "qdd", "tau"))):
        assert x[0] == pytest.approx(A * (1 - math.cos(W * time)), abs=2e-7)
        assert v[0] == pytest.approx(A * W * math.sin(W * time), abs=2e-5)
        assert a[0] == pytest.approx(A * W**2 * math.cos(W * time), abs=3e-3)
        assert force[0] == pytest.approx(MASS * a[0], rel=1e-12)
    assert series["qd"][0] == [0] and series["q"][0] == [0]
    if at == "dataset":
        path = f"/v1/datasets/{log['id']}"
        client.delete(path, headers={"If-Match": client.get(path).etag}).expect(409)  # the motion refers to it


def test_what_does_not_rest_at_its_ends_goes_to_no_controller(client, arm):
    q = [[A * math.sin(W * k / 250)] for k in range(501)]
    motion = plan(client, arm, {"rate": 250, "q": q})
    assert not motion["transferable"] and motion["blockers"] == [{"code": "not_at_rest", "joint": "x"}]
    assert motion["lower_bound"] is None and not motion["fit"]["at_rest"]
    problem = client.run_job(arm + "/trajectories", {
        "method": "samples", "samples": {"rate": 250, "q": q}, "shaper": {"type": "zv", "modes": [{"frequency_hz": 10}]}})["problem"]
    assert problem["errors"][0]["pointer"] == "/shaper"


def test_limits_hold_between_samples_too(client, arm):
    """Five samples of a cosine: the largest velocity, A W = 0.628, is between them and the spline reaches it."""
    t, q = there_and_back(count=21)
    motion = plan(client, arm, {"t": t, "q": q})
    worst = {m["limit"]: m["worst"] for m in motion["margins"]}
    assert worst["velocity"] == pytest.approx(A * W, rel=1e-3) and worst["torque"] == pytest.approx(MASS * A * W**2 / 8, rel=2e-2)
    failed = client.run_job(arm + "/trajectories", {"method": "samples", "samples": {"t": t, "q": q}, "limits": {"velocity": [0.62]}})
    assert failed["problem"]["type"].endswith("/infeasible") and "velocity" in failed["problem"]["detail"]
    assert failed["problem"]["minimum_duration"] is None and "suggested_request" not in failed["problem"]


# -- references of verifications, to be played --

def played(client, place, start, reference, **more):
    motion = plan(client, place, {"start": start, "reference": reference, **more})
    series = client.get(motion["samples"], query={"rate": 500}).expect(200).json
    assert motion["transferable"] and motion["fit"]["at_rest"] and motion["fit"]["deviation"] <= 1e-6
    assert all(abs(v) < 1e-12 for k in (0, -1) for v in series["qd"][k])
    return motion, series


def test_a_sweep_is_played_from_rest_to_rest(client, arm):
    """What is measured of each frequency is the sine itself; around it the amplitude rises and falls."""
    f, settle, periods = (1.0, 2.0), 1.5, 3
    _, series = played(client, arm, [0.3], {"kind": "sine", "amplitude": [0.014], "frequencies": f, "periods": periods, "settle": settle})
    begins = [0.0, settle + (periods + 1) / f[0]]
    assert series["t"][-1] == pytest.approx(begins[1] + settle + (periods + 1) / f[1], abs=1e-9)
    seen = 0
    for t, (q,) in zip(series["t"], series["q"]):
        for begin, hz in zip(begins, f):
            if begin + settle <= t <= begin + settle + periods / hz:
                assert q == pytest.approx(0.3 + 0.014 * math.sin(2 * math.pi * hz * (t - begin)), abs=2e-6)
                seen += 1
        assert abs(q - 0.3) <= 0.014 + 2e-6
    assert seen > 500 * (periods / f[0] + periods / f[1]) - 4


def test_a_chirp_sweeps_one_joint_after_the_other(client):
    """Between its eased ends: the frequency f(t) = f0 (f1 / f0)^(t / T), the amplitude a f0 / f(t)."""
    scara = client.create_robot(robot("scara"), name=unique_name()).headers["Location"]
    q, (f0, f1), T, a, rest = [0.3, 1.4, 0.05, 0.2], (2.0, 16.0), 4.0, [0.004, 0, 0, -0.008], 0.5
    motion, series = played(client, scara, q, {"kind": "chirp", "amplitude": a, "frequencies": [f0, f1], "duration": T, "rest": rest})
    assert motion["duration"] == pytest.approx(2 * (T + rest), abs=1e-9)
    for t, at in zip(series["t"], series["q"]):
        for j, begin in ((0, 0.0), (3, T + rest)):
            r = math.log(f1 / f0) / T
            if begin + 1 / f0 <= t <= begin + T - 4 / f1:
                f = f0 * math.exp(r * (t - begin))
                assert at[j] == pytest.approx(q[j] + a[j] * f0 / f * math.sin(2 * math.pi * (f - f0) / r), abs=2e-6)
            elif t < begin or t > begin + T:
                assert at[j] == pytest.approx(q[j], abs=2e-6)
        assert at[1:3] == pytest.approx(q[1:3], abs=2e-6)
    # simulated by a verification: torque ahead that is right leaves little, and takes what the motion takes
    reference = {"kind": "chirp", "amplitude": a, "frequencies": [f0, f1], "duration": T, "rest": rest}
    case, = client.result_of(scara + "/verifications", {"q": q, "friction": False, "references": [reference], "laws": [{"bandwidth_hz": 10, "control": {"law": "feedforward", "rate_hz": 2000}}]})["cases"]
    assert case["duration"] == pytest.approx(2 * (T + rest), abs=1e-3)
    peak = client.post(scara + "/mass-matrix", {"q": q}).expect(200).json["mass_matrix"][0][0] * max(abs(row[0]) for row in series["qdd"])
    assert case["joints"][0]["torque_peak"] == pytest.approx(peak, rel=0.02) and case["joints"][0]["max"] < 1e-4


@pytest.mark.parametrize("change, pointer", [
    ({"frequencies": [2]}, "/frequencies"), ({"frequencies": [2, 5, 9]}, "/frequencies"), ({"frequencies": [9, 2]}, "/frequencies"),
    ({"duration": 2.9}, "/duration"), ({"amplitude": [0]}, "/amplitude"), ({"periods": 3}, "/periods")])
def test_faults_of_chirps_are_named(client, arm, change, pointer):
    reference = {"kind": "chirp", "amplitude": [0.01], "frequencies": [2, 16], "duration": 4, **change}
    problem = client.post(arm + "/trajectories", {"method": "samples", "samples": {"start": [0.3], "reference": reference}}).expect(422).json
    assert [e["pointer"] for e in problem["errors"]] == ["/samples/reference" + pointer]


def test_a_step_is_played_as_fast_as_the_limits_allow(client, arm):
    """Least time of a quintic over h: the speed 15/8 h/T, the acceleration 10/sqrt(3) h/T^2, of which 8 N allow 8/3."""
    h = 0.1
    motion, series = played(client, arm, [0.0], {"kind": "step", "amplitude": [h], "duration": 1.0})
    least = max(15 / 8 * h / 1, math.sqrt(10 / math.sqrt(3) * h / (8 / MASS)))
    arrived = next(t for t, (q,) in zip(series["t"], series["q"]) if abs(q - h) < 2e-6)
    assert 0.95 * least < arrived < 1.05 * least and motion["duration"] == pytest.approx(1)
    assert all(abs(q - h) < 2e-6 for t, (q,) in zip(series["t"], series["q"]) if t > arrived)
    short = client.run_job(arm + "/trajectories", {"method": "samples", "samples": {
        "start": [0], "reference": {"kind": "step", "amplitude": [h], "duration": 0.1}}})
    assert short["problem"]["errors"][0]["pointer"] == "/samples/reference/duration"


def test_a_circle_and_a_hold_are_played(client):
    scara = client.create_robot(robot("scara"), name=unique_name()).headers["Location"]
    q = [0.3, 1.4, 0.05, 0.2]
    at = client.post(scara + "/forward-kinematics", {"q": q}).expect(200).json["tool"]
    center = [at[0][3] - 0.03, at[1][3] + 0.04, 0]
    _, series = played(client, scara, q, {"kind": "circle", "center": center, "turns": 1, "duration": 4, "rest": 0.5})
    for k in range(0, len(series["q"]), 100):
        tool = client.post(scara + "/forward-kinematics", {"q": series["q"][k]}).expect(200).json["tool"]
        assert math.hypot(tool[0][3] - center[0], tool[1][3] - center[1]) == pytest.approx(0.05, abs=3e-6)
    motion, series = played(client, scara, q, {"kind": "hold", "duration": 0.5})
    assert motion["duration"] == pytest.approx(0.5) and all(row == pytest.approx(q, abs=1e-6) for row in series["q"])
    far = client.run_job(scara + "/trajectories", {"method": "samples", "samples": {
        "start": q, "reference": {"kind": "circle", "center": [5, 0, 0], "duration": 4}}})
    assert far["problem"]["errors"][0]["pointer"] == "/samples/reference"


def test_a_sine_beyond_the_limits_is_refused(client, arm):
    job = client.run_job(arm + "/trajectories", {"method": "samples", "samples": {
        "start": [0], "reference": {"kind": "sine", "amplitude": [0.05], "frequencies": [2]}}})  # 0.05 (4 pi)^2 = 7.9 m/s2 of 3
    assert job["problem"]["type"].endswith("/infeasible") and "limit of joint x" in job["problem"]["detail"]


# -- torques over time, played open loop --

def half_a_period(rate):
    """The forces that take the slide from 0 to 2 A in a second: m q'' of A (1 - cos W t)."""
    return [[MASS * A * W**2 * math.cos(W * k / rate)] for k in range(rate + 1)]


def test_a_profile_of_forces_moves_the_slide_as_newton_says(client, arm):
    run = client.result_of(arm + "/simulations", {"q": [0], "profile": {"rate": 1000, "tau": half_a_period(1000)}, "tolerance": 1e-9})
    assert run["duration"] == 1 and run["energy"]["work"] == pytest.approx(0, abs=1e-3)  # it stops again
    series = client.get(run["samples"]).expect(200).json
    for t, q, qd in zip(*(series[name] for name in ("t", "q", "qd"))):
        assert q[0] == pytest.approx(A * (1 - math.cos(W * t)), abs=1e-6)
        assert qd[0] == pytest.approx(A * W * math.sin(W * t), abs=3e-6)
    # few samples: on straight lines between them, so that the end is h^2 times the sum of a_k times hat functions' moments
    coarse = client.result_of(arm + "/simulations", {"q": [0], "profile": {"rate": 10, "tau": half_a_period(10)}, "tolerance": 1e-9})
    a = [A * W**2 * math.cos(W * k / 10) for k in range(11)]
    expected = 0.01 * (sum(a[k] * (10 - k) for k in range(1, 10)) + a[0] * (10 / 2 - 1 / 6) + a[10] / 6)
    assert client.get(coarse["samples"]).expect(200).json["q"][-1][0] == pytest.approx(expected, abs=1e-7)


def test_a_planned_motion_in_open_loop_goes_half_as_far_with_twice_the_mass(client, arm):
    t = [k / 250 for k in range(251)]
    motion = plan(client, arm, {"rate": 250, "q": [[A * (1 - math.cos(W * time))] for time in t], "tolerance": 1e-7}, sample_rate=1000)
    request = {"trajectory": motion["id"], "open_loop": True, "tolerance": 1e-9}
    same = client.result_of(arm + "/simulations", request)
    assert same["trajectory"] == motion["id"] and same["tracking"]["max"][0] < 1e-5 and "bandwidth_hz" not in same["tracking"]
    heavy = client.result_of(arm + "/simulations", {**request, "payload": {"mass": MASS, "com": [0, 0, 0]}})
    assert client.get(heavy["samples"]).expect(200).json["q"][-1][0] == pytest.approx(A, abs=1e-4)
    assert heavy["tracking"]["max"][0] == pytest.approx(A, abs=1e-4)


def test_springs_and_dampers_are_a_linear_system(client):
    """Two slides across each other, M = diag(5, 2), with whole matrices of gains: x' = A x + b by eigenvalues."""
    link = {"mass": 3, "com": [0, 0, 0], "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}
    slides = [{"name": name, "type": "prismatic", "a": 0, "alpha": alpha, "theta": 0, "link": {**link, "mass": mass}}
              for name, alpha, mass in (("x", math.pi / 2, 3), ("y", 0, 2))]
    place = client.post("/v1/robots", {"name": unique_name("crossed"), "convention": "dh", "gravity": [0, 0, 0], "joints": slides}).expect(201).headers["Location"]
    K, D, there, there_d, tau = np.array([[200, 30], [-20, 150]]), np.array([[4, 1], [0, 3]]), np.array([0.1, -0.2]), np.array([0.05, 0]), np.array([10.0, -5.0])
    request = {"q": [0.3, 0.1], "qd": [0.2, -0.5], "tau": tau.tolist(), "duration": 1, "sample_rate": 50, "tolerance": 1e-10, "friction": False,
               "state_feedback": {"position": K.tolist(), "velocity": D.tolist(), "q": there.tolist(), "qd": there_d.tolist()}}
    run = client.result_of(place + "/simulations", request)
    M_ = np.diag([1 / 5, 1 / 2])
    A_ = np.block([[np.zeros((2, 2)), np.eye(2)], [-M_ @ K, -M_ @ D]])
    rest = np.linalg.solve(A_, -np.concatenate([[0, 0], M_ @ (tau + K @ there + D @ there_d)]))
    w, V = np.linalg.eig(A_)
    c = np.linalg.solve(V, np.concatenate([request["q"], request["qd"]]) - rest)
    series = client.get(run["samples"]).expect(200).json
    for t, q, qd, u in zip(*(series[name] for name in ("t", "q", "qd", "tau")), strict=True):
        x = (V @ (c * np.exp(w * t))).real + rest
        assert [*q, *qd] == pytest.approx(list(x), abs=1e-8)
        assert u == pytest.approx(list(tau - K @ (x[:2] - there) - D @ (x[2:] - there_d)), abs=1e-6)
    ends = [0.5 * (5 * series["qd"][k][0] ** 2 + 2 * series["qd"][k][1] ** 2) for k in (0, -1)]
    assert run["energy"]["work"] == pytest.approx(ends[1] - ends[0], abs=1e-8) and run["energy"]["drift"] < 1e-8
    # beside a profile: of zeros and that spring is of the spring alone
    alone = {"q": [0.3, 0.1], "duration": 0.5, "sample_rate": 50, "tolerance": 1e-10, "state_feedback": {"position": K.tolist(), "q": [0, 0]}}
    both = [client.get(client.result_of(place + "/simulations", {**alone, **more})["samples"]).expect(200).json["q"] for more in
            ({}, {"profile": {"rate": 2, "tau": [[0, 0], [0, 0]]}})]
    assert np.array(both[0]) == pytest.approx(np.array(both[1]), abs=1e-9)


FED = {"q": [0], "duration": 1, "state_feedback": {"q": [0], "position": [[1]]}}
PROFILE = {"q": [0], "profile": {"rate": 10, "tau": [[1], [0]]}}
BAD_RUNS = [
    ({"q": [0], "duration": 1, "open_loop": True}, "/open_loop"),
    ({**PROFILE, "tau": [1]}, "/tau"),
    ({**PROFILE, "control": {}}, "/control"),
    ({**PROFILE, "duration": 1}, "/duration"),
    ({**PROFILE, "trajectory": "01JD6Z3T7P4E8N2A6S1V9K3D5H"}, "/profile"),
    ({"q": [0], "profile": {"rate": 10, "tau": [1]}}, "/profile/tau"),
    ({"q": [0], "profile": {"rate": 10, "tau": [[1], [1, 2]]}}, "/profile/tau/1"),
    ({"profile": PROFILE["profile"]}, "/q"),
    ({**FED, "control": {}}, "/state_feedback"),
    ({**FED, "trajectory": "01JD6Z3T7P4E8N2A6S1V9K3D5H"}, "/state_feedback"),
    ({**FED, "state_feedback": {"q": [0]}}, "/state_feedback/position"),
    ({**FED, "state_feedback": {"position": [[1]]}}, "/state_feedback/q"),
    ({**FED, "state_feedback": {"q": [0], "position": []}}, "/state_feedback/position"),
    ({**FED, "state_feedback": {"q": [0], "velocity": [1]}}, "/state_feedback/velocity"),
    ({**FED, "state_feedback": {"q": [0], "velocity": [[1], [2]]}}, "/state_feedback/velocity"),
    ({**FED, "state_feedback": {"q": [0], "position": [[1, 2]]}}, "/state_feedback/position/0"),
]


@pytest.mark.parametrize("request_, pointer", BAD_RUNS, ids=[pointer for _, pointer in BAD_RUNS])
def test_bad_replays_make_no_job(client, arm, request_, pointer):
    problem = client.post(arm + "/simulations", request_).expect(422).json
    assert pointer in [e["pointer"] for e in problem["errors"]], problem["errors"]


HOLD = {"kind": "hold", "duration": 1}
GOOD = {"method": "samples", "samples": {"rate": 10, "q": [[0], [0.1], [0.2]]}}
BAD = [
    ({"method": "samples"}, "/samples", "required"),
    ({**GOOD, "method": "quintic"}, "/samples", "inconsistent"),
    ({**GOOD, "start": {"q": [0]}}, "/start", "inconsistent"),
    ({**GOOD, "duration": 2}, "/duration", "inconsistent"),
    ({**GOOD, "cost": {"model": "torque"}}, "/cost", "inconsistent"),
    ({"method": "samples", "samples": {}}, "/samples/q", "required"),
    ({"method": "samples", "samples": {"q": [[0], [1]]}}, "/samples/t", "required"),
    ({"method": "samples", "samples": {"q": [[0]], "rate": 1}}, "/samples/q", "length"),
    ({"method": "samples", "samples": {"q": [[0], [1]], "rate": 1, "t": [0, 1]}}, "/samples/rate", "inconsistent"),
    ({"method": "samples", "samples": {"q": [[0], [1]], "t": [0, 1, 2]}}, "/samples/t", "length"),
    ({"method": "samples", "samples": {"q": [[0], [1, 2]], "rate": 1}}, "/samples/q/1", "length"),
    ({"method": "samples", "samples": {"q": [[0]] * 30001, "rate": 1}}, "/samples/q", "maximum"),
    ({"method": "samples", "samples": {**GOOD["samples"], "from": 1}}, "/samples/from", "inconsistent"),
    ({"method": "samples", "samples": {**GOOD["samples"], "tolerance": 0}}, "/samples/tolerance", "minimum"),
    ({"method": "samples", "samples": {"dataset": "01JD6Z3T7P4E8N2A6S1V9K3D5H"}}, "/samples/dataset", "inconsistent"),
    ({"method": "samples", "samples": {"reference": HOLD}}, "/samples/start", "required"),
    ({"method": "samples", "samples": {"reference": HOLD, "start": [0], "rate": 5}}, "/samples/rate", "inconsistent"),
    ({"method": "samples", "samples": {**GOOD["samples"], "start": [0]}}, "/samples/start", "inconsistent"),
    ({"method": "samples", "samples": {"reference": {**HOLD, "breakaway": True}, "start": [0]}}, "/samples/reference/breakaway", "unsupported"),
    ({"method": "samples", "samples": {"reference": {"kind": "trajectory", "trajectory": "01JD6Z3T7P4E8N2A6S1V9K3D5H"}, "start": [0]}},
     "/samples/reference/kind", "unsupported"),
]


@pytest.mark.parametrize("request_, pointer, code", BAD, ids=[f"{pointer} {code}" for _, pointer, code in BAD])
def test_bad_requests_make_no_job(client, arm, request_, pointer, code):
    problem = client.post(arm + "/trajectories", request_).expect(422).json
    assert [(e["pointer"], e["code"]) for e in problem["errors"]][:1] == [(pointer, code)], problem["errors"]


@pytest.mark.parametrize("samples, pointer", [({"q": [[0], [0.1], [0.2]], "t": [0, 1, 1]}, "/samples/t/2"),
                                              ({"q": [[0], [0.1], [2e6]], "rate": 1}, "/samples/q/2/0")])
def test_bad_samples_are_named_by_the_job(client, arm, samples, pointer):
    job = client.run_job(arm + "/trajectories", {"method": "samples", "samples": samples})
    assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == pointer
