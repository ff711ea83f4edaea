"""Simulations under a controller that samples, of an arm that may differ from its model: statics, known errors, limits."""

import math

import pytest

from support import robot, unique_name
from support.rods import PENDULUM, SLIDE, G

# How far a joint may be off along the motion [rad, m] with the arm's own model: little where a law cancels the dynamics, some
# lag behind where it does not, and more where the tool is soft on purpose.
LAWS = {"pid": 0.2, "pid_gravity": 0.2, "feedforward": 2e-3, "computed_torque": 2e-3, "adaptive": 2e-3, "impedance": 0.5,
        "pid_friction": 0.2, "joint_impedance": 0.02, "cartesian_impedance": 2e-2, "layered": 2e-3}


@pytest.fixture(scope="module")
def places(server):
    """Where models are stored, by their names."""
    with server.client() as client:
        models = {"pendulum": PENDULUM, "slide": SLIDE, "puma": robot("puma560"), "scara": robot("scara")}
        yield {name: client.create_robot(model, name=unique_name()).headers["Location"] for name, model in models.items()}


@pytest.fixture(scope="module")
def motion(server, places):
    """A motion of the SCARA in a second."""
    with server.client() as client:
        request = {"method": "quintic", "start": {"q": [-0.8, 0.5, 0.05, 0]}, "goal": {"q": [0.8, -0.5, 0.1, 1.5]}, "duration": 1}
        yield client.result_of(places["scara"] + "/trajectories", request)["id"]


def simulated(client, place, **request):
    return client.result_of(place + "/simulations", request)


def rows_of(client, found):
    return client.get(found["samples"]).expect(200).json


# -- known answers --

def test_a_proportional_controller_sags_under_gravity(client, places):
    """kp (wanted - q) = m g l sin q at rest; an integral, or gravity in the controller, takes it away."""
    hold = {"q": [1.0], "duration": 3, "bandwidth_hz": 2}
    sagged = simulated(client, places["pendulum"], **hold, control={"law": "pid", "ki": [0], "rate_hz": 200})
    rows = rows_of(client, sagged)
    q, kp = rows["q"][-1][0], sagged["control"]["kp"][0]
    w = 2 * math.pi * 2
    assert kp == pytest.approx(3 * w**2 * 0.23, rel=1e-12) and sagged["control"]["ki"] == [0]
    assert kp * (1 - q) == pytest.approx(2 * G * 0.3 * math.sin(q), rel=1e-7) and 1 - q > 0.03
    assert sagged["tracking"]["max"][0] >= 1 - q and "trajectory" not in sagged and sagged["tracking"]["bandwidth_hz"] == 2
    for law in ("pid", "pid_gravity"):
        held = rows_of(client, simulated(client, places["pendulum"], **hold, control={"law": law, "rate_hz": 200}))
        assert held["q"][-1][0] == pytest.approx(1, abs=1e-6)
        assert held["tau"][-1][0] == pytest.approx(2 * G * 0.3 * math.sin(1), abs=1e-3)


def test_the_tool_gives_way_by_wrench_over_stiffness(client, places):
    pose = [0.2, -0.6, 0.5, 0.3, -0.8, 0.4]
    force, stiffness = [20, -10, 15], [2000, 2500, 3000]
    found = simulated(client, places["puma"], q=pose, duration=4, friction=False, bandwidth_hz=2, sample_rate=10, plant={"wrench": force + [0] * 3},
                      control={"law": "impedance", "stiffness": stiffness + [80] * 3, "rate_hz": 200, "torque_limits": False})
    rows = rows_of(client, found)
    there, back = (client.post(places["puma"] + "/forward-kinematics", {"q": q}).expect(200).json["tool"] for q in (pose, rows["q"][-1]))
    gone = [back[i][3] - there[i][3] for i in range(3)]
    assert gone == pytest.approx([f / k for f, k in zip(force, stiffness)], abs=1e-6)
    w = 2 * math.pi * 2
    assert found["control"]["damping"] == pytest.approx([2 * k / w for k in stiffness + [80] * 3])
    assert len(rows["t"]) == 41 and found["energy"]["dissipated"] is None and found["energy"]["drift"] is None


def test_a_held_force_on_a_slide(client, places):
    """One period of delay: the recursion of a double integrator, q += v h + F h^2 / 2m, under PD from where it starts."""
    h, m, kp, kd = 0.01, 2.0, 80.0, 25.0
    found = simulated(client, places["slide"], q=[0.1], qd=[0.5], duration=0.5, friction=False,
                      control={"law": "pid", "kp": [kp], "ki": [0], "kd": [kd], "rate_hz": 100, "delay_periods": 1})
    rows = rows_of(client, found)
    q, v, waits = 0.1, 0.5, -kd * 0.5
    for k in range(51):
        assert (rows["t"][k], rows["q"][k][0], rows["qd"][k][0]) == pytest.approx((k * h, q, v), abs=1e-10)
        force, waits = waits, kp * (0.1 - q) - kd * v
        assert rows["tau"][k][0] == pytest.approx(force, abs=1e-8)
        q, v = q + v * h + force * h * h / 2 / m, v + force * h / m
    assert found["energy"]["drift"] < 1e-12 and found["energy"]["work"] == pytest.approx(found["end"]["kinetic"] - m * 0.5**2 / 2, rel=1e-9)


def test_encoders_read_whole_steps(client, places):
    """With kp alone the torque is a multiple of kp times the step."""
    step, kp = 0.01, 50.0
    found = simulated(client, places["slide"], q=[0.1], qd=[0.4], duration=0.5, friction=False,
                      control={"law": "pid", "kp": [kp], "ki": [0], "kd": [0], "rate_hz": 100, "encoder_resolution": [step]})
    rows = rows_of(client, found)
    steps = [tau[0] / kp / step + 10 - 10 for tau in rows["tau"]]
    assert max(abs(s - round(s)) for s in steps) < 1e-9 and len({round(s) for s in steps}) > 5
    for tau, q in zip(rows["tau"], rows["q"]):
        assert abs(tau[0] - kp * (0.1 - q[0])) <= kp * step / 2 + 1e-9


# -- along a motion --

@pytest.mark.sampled
@pytest.mark.parametrize("law", LAWS)
def test_every_law_follows_a_motion(client, places, motion, law):
    springs = {"impedance": {"stiffness": [7000] * 3 + [4] * 3, "kd": [5, 5, 50, 0.02]}, "cartesian_impedance": {"stiffness": [7000] * 3 + [40] * 3}}
    control = {"law": law, "rate_hz": 500, **springs.get(law, {})}
    found = simulated(client, places["scara"], trajectory=motion, bandwidth_hz=6, control=control, sample_rate=100)
    tracking = found["tracking"]
    assert max(tracking["max"]) < LAWS[law], tracking
    assert found["control"]["law"] == law and found["control"]["rate_hz"] == 500 and found["trajectory"] == motion
    assert found["sample_count"] == 101 and (tracking["saturated"] == [0] * 4) == (law != "cartesian_impedance")  # at q2 = 0 the tool cannot follow
    assert all(rms <= most for rms, most in zip(tracking["rms"], tracking["max"]))


def test_a_model_that_is_wrong_costs_accuracy(client, places, motion):
    """Twice the inertia: computed torque errs; PID with the same model ahead errs less by its integral; learning helps."""
    worst = {}
    for law in ("computed_torque", "adaptive"):
        for scale in (1, 2):
            found = simulated(client, places["scara"], trajectory=motion, bandwidth_hz=3, plant={"inertial_scale": scale},
                              control={"law": law, "rate_hz": 500}, sample_rate=100)
            worst[law, scale] = max(found["tracking"]["max"])
    assert worst["computed_torque", 2] > 10 * worst["computed_torque", 1]
    assert worst["adaptive", 2] < worst["computed_torque", 2]


def test_torque_limits(client, places, motion):
    """Ten times the inertia needs more than the limits of the SCARA: kept, or not."""
    request = {"trajectory": motion, "plant": {"inertial_scale": 10}, "sample_rate": 100, "duration": 0.5}
    limits = [120, 60, 250, 5]
    kept = simulated(client, places["scara"], **request, control={"rate_hz": 500})["tracking"]
    ignored = simulated(client, places["scara"], **request, control={"rate_hz": 500, "torque_limits": False})["tracking"]
    assert all(peak <= limit for peak, limit in zip(kept["peak_torque"], limits)) and max(kept["saturated"]) > 0.05
    assert any(peak > limit for peak, limit in zip(ignored["peak_torque"], limits)) and ignored["saturated"] == [0] * 4
    for peak, limit, share in zip(kept["peak_torque"], limits, kept["saturated"]):
        assert (share > 0) == (peak == limit)


def test_fewer_samples_are_some_of_them(client, places, motion):
    control = {"law": "pid_gravity", "rate_hz": 200}
    all_rows, some = (rows_of(client, simulated(client, places["scara"], trajectory=motion, duration=0.33, control=control, **rate))
                      for rate in ({}, {"sample_rate": 50}))
    assert all_rows["t"][-1] == some["t"][-1] == 0.33 and len(all_rows["t"]) == 67
    for name in ("q", "qd", "tau"):
        assert some[name] == all_rows[name][::4] + ([] if 66 % 4 == 0 else [all_rows[name][-1]])


# -- bad input --

@pytest.mark.parametrize("change, pointer, code", [
    ({"control": {"law": "magic"}}, "/control/law", "enum"), ({"control": {"gain": 1}}, "/control/gain", "unknown_field"),
    ({"control": {"law": "pid", "lambda": [1] * 4}}, "/control/lambda", "inconsistent"),
    ({"control": {"law": "computed_torque", "ki": [1] * 4}}, "/control/ki", "inconsistent"),
    ({"control": {"law": "pid", "kp": [1] * 3}}, "/control/kp", "length"), ({"control": {"law": "pid", "kp": [1, 1, 1, -1]}}, "/control/kp/3", "minimum"),
    ({"control": {"law": "impedance"}}, "/control/stiffness", "required"), ({"control": {"law": "impedance", "stiffness": [1] * 5}}, "/control/stiffness", "length"),
    ({"control": {"law": "cartesian_impedance", "stiffness": [1] * 5 + [0]}}, "/control/stiffness/5", "minimum"),
    ({"control": {"law": "cartesian_impedance", "stiffness": [1] * 6, "inertia": [0] + [1] * 5}}, "/control/inertia/0", "minimum"),
    ({"control": {"law": "force"}}, "/control/force", "required"), ({"control": {"law": "pid", "force": [0] * 6}}, "/control/force", "inconsistent"),
    ({"control": {"law": "hybrid", "force": [0] * 6, "stiffness": [1] * 6, "selection": [0.5] + [0] * 5}}, "/control/selection/0", "enum"),
    ({"control": {"law": "joint_impedance", "joint_inertia": [1, 0, 1, 1]}}, "/control/joint_inertia", "inconsistent"),
    ({"control": {"law": "pid", "search": {"radius": 1e-3, "pitch": 1e-4, "speed": 0.01, "fall": 1e-3}}}, "/control/search", "inconsistent"),
    ({"control": {"law": "hybrid", "force": [0] * 6, "stiffness": [1] * 6, "selection": [0] * 6, "search": {"radius": 1e-3, "speed": 0.01, "fall": 1e-3}}}, "/control/search/pitch", "required"),
    ({"control": {"law": "pid", "adaptation_factors": {"j1.m": 1}}}, "/control/adaptation_factors", "inconsistent"),
    ({"control": {"law": "adaptive", "adaptation_factors": {"nobody.m": 1}}}, "/control/adaptation_factors/nobody.m", "enum"),
    ({"control": {"law": "adaptive", "adaptation_factors": {"j1.m": -1}}}, "/control/adaptation_factors/j1.m", "minimum"),
    ({"control": {"law": "computed_torque", "schedule": {"over": "speed", "joint": "j1", "entries": [{}, {"from": 1}]}}}, "/control/schedule", "inconsistent"),
    ({"control": {"law": "pid", "schedule": {"over": "speed", "joint": "nobody", "entries": [{}, {"from": 1}]}}}, "/control/schedule/joint", "enum"),
    ({"control": {"law": "pid", "schedule": {"over": "speed", "joint": "j1", "entries": [{}]}}}, "/control/schedule/entries", "length"),
    ({"control": {"law": "pid", "schedule": {"over": "speed", "joint": "j1", "entries": [{}, {}]}}}, "/control/schedule/entries/1/from", "required"),
    ({"control": {"law": "pid", "schedule": {"over": "speed", "joint": "j1", "entries": [{}, {"from": 2}, {"from": 1}]}}}, "/control/schedule/entries/2/from", "inconsistent"),
    ({"control": {"law": "pid", "schedule": {"over": "speed", "joint": "j1", "entries": [{}, {"from": 1, "law": "adaptive"}]}}}, "/control/schedule/entries/1/law", "enum"),
    ({"control": {"law": "adaptive", "learn_periods": 5}}, "/control/learn_periods", "inconsistent"),
    ({"control": {"rate_hz": 0}}, "/control/rate_hz", "minimum"), ({"control": {"rate_hz": 100}, "sample_rate": 1000}, "/sample_rate", "inconsistent"),
    ({"control": {"rate_hz": 100}, "sample_rate": 30}, "/sample_rate", "inconsistent"), ({"control": {"rate_hz": 100000}, "duration": 101, "sample_rate": 10}, "/control/rate_hz", "maximum"),
    ({"control": {"delay_periods": 101}}, "/control/delay_periods", "maximum"), ({"control": {"delay_periods": 0.5}}, "/control/delay_periods", "type"),
    ({"control": {"encoder_resolution": [0.001] * 4, "velocity_filter_hz": 0}}, "/control/velocity_filter_hz", "inconsistent"),
    ({"control": {"rate_hz": 100, "velocity_filter_hz": 60}}, "/control/velocity_filter_hz", "maximum"),
    ({"control": {}, "tau": [0] * 4}, "/tau", "inconsistent"), ({"plant": {}}, "/plant", "inconsistent"),
    ({"control": {}, "plant": {"inertial_scale": 0}}, "/plant/inertial_scale", "minimum"), ({"control": {}, "plant": {"mass": 1}}, "/plant/mass", "unknown_field"),
    ({"control": {}, "plant": {"payload": {"mass": -1}}}, "/plant/payload/mass", "minimum"), ({"control": {}, "plant": {"wrench": [1] * 3}}, "/plant/wrench", "length"),
], ids=str)
def test_bad_input(client, places, change, pointer, code):
    answer = client.post(places["scara"] + "/simulations", {"q": [0] * 4, "duration": 1, **change}).expect(422).json
    assert [(e["pointer"], e["code"]) for e in answer["errors"]] == [(pointer, code)]


# -- friction and filters --

def test_friction_of_the_motion_wanted_is_the_models(client, places, motion):
    """A model without friction has none to add; with it the drives are asked for something else."""
    def run(law, friction):
        found = simulated(client, places["scara"], trajectory=motion, friction=friction, control={"law": law, "rate_hz": 500})
        return found["tracking"]["rms"]
    assert run("pid_gravity", False) == run("pid_friction", False)
    assert run("pid_gravity", True) != run("pid_friction", True)


def test_filters_are_told_and_bounded(client, places):
    hold = {"q": [1.0], "duration": 0.5, "bandwidth_hz": 2}
    law = {"law": "pid_gravity", "rate_hz": 200}
    found = simulated(client, places["pendulum"], **hold, control={**law, "lowpass_hz": 60, "notch_hz": 35, "notch_width": None})
    assert {key: found["control"][key] for key in ("lowpass_hz", "notch_hz", "notch_width")} == {"lowpass_hz": 60, "notch_hz": 35, "notch_width": 0.5}
    assert rows_of(client, found)["q"][-1][0] == pytest.approx(1, abs=1e-9)  # they begin at rest
    bare = simulated(client, places["pendulum"], **hold, control=law)["control"]
    assert "lowpass_hz" not in bare and "notch_hz" not in bare
    for field in ("lowpass_hz", "notch_hz"):
        answer = client.post(places["pendulum"] + "/simulations", {**hold, "control": {**law, field: 100}}).expect(422)
        assert answer.json["errors"][0]["pointer"] == "/control/" + field and "below half" in answer.json["errors"][0]["detail"]


# -- learning --

@pytest.mark.parametrize("law, every", [("adaptive", 1), ("layered", 4)])
def test_what_is_learnt_is_told(client, places, law, every):
    """A slide of 3 kg whose law believes in 2: the recursion of a held force, and of the one parameter that moves it."""
    h, lam, kd, kp, wanted = 0.01, 4.0, 9.0, 12.0, 0.1
    own = {"kp": [kp], "learn_periods": every} if law == "layered" else {}
    request = {"q": [wanted], "qd": [0.5], "duration": 0.8, "friction": False, "plant": {"inertial_scale": 1.5}}
    control = {"law": law, "lambda": [lam], "kd": [kd], "adaptation": 60, "rate_hz": 100, **own}
    found = simulated(client, places["slide"], **request, control=control)
    learnt = {p["name"]: p for p in found["adaptation"]["parameters"]}
    mass, rows = learnt["only.m"], rows_of(client, found)
    assert found["control"].get("learn_periods") == (every if law == "layered" else None)
    assert mass["model"] == 2 and [p["name"] for p in learnt.values() if p["rate"] > 0] == ["only.m"] and len(found["adaptation"]["t"]) == 21
    q, v, m, area, told = wanted, 0.5, 2.0, 0.0, []
    for k in range(81):
        assert (rows["q"][k][0], rows["qd"][k][0]) == pytest.approx((q, v), abs=1e-10)
        e, s = wanted - q, -v + lam * (wanted - q)
        regressor = -lam * v if law == "adaptive" else 0.0
        force = regressor * m + kd * s + (kp * e if law == "layered" else 0)
        area += regressor * s
        if (k + 1) % every == 0:
            m, area = m + h * mass["rate"] * area, 0.0
        told += [m] if k % 4 == 0 else []
        q, v = q + v * h + force * h * h / 6, v + force * h / 3
    assert mass["values"] == pytest.approx(told, abs=1e-9)
    assert (abs(mass["values"][-1] - 2) > 0.01) == (law == "adaptive")  # nothing is wanted to move, so the slow layer learns nothing
    held = simulated(client, places["slide"], **request, control={**control, "adaptation_factors": {"only.m": 0}})["adaptation"]["parameters"]
    assert next(p for p in held if p["name"] == "only.m")["values"] == [2] * 21
    twice = simulated(client, places["slide"], **request, control={**control, "adaptation_factors": {"only.m": 2}})["adaptation"]["parameters"]
    assert next(p for p in twice if p["name"] == "only.m")["rate"] == pytest.approx(2 * mass["rate"], rel=1e-12)


# -- schedules --

def test_gains_change_with_speed_and_where_they_do(client, places):
    """A slide with PD of one gain above 0.2 m/s, another below: the recursion of a held force; hysteresis leaves it where it is."""
    h, m, slow, fast, width = 0.01, 2.0, (300.0, 12.0), (60.0, 40.0), 0.05
    entries = [{"kp": [slow[0]], "kd": [slow[1]]}, {"from": 0.2, "law": "pid_gravity", "kp": [fast[0]], "kd": [fast[1]]}]
    changes = {}
    for hysteresis in (0, width):
        schedule = {"over": "speed", "joint": "only", "hysteresis": hysteresis, "entries": entries}
        found = simulated(client, places["slide"], q=[0.1], qd=[0.5], duration=1, friction=False,
                          control={"law": "pid", "ki": [0], "rate_hz": 100, "schedule": schedule})
        rows, q, v, entry, where = rows_of(client, found), 0.1, 0.5, 0, []
        for k in range(101):
            assert (rows["q"][k][0], rows["qd"][k][0]) == pytest.approx((q, v), abs=1e-9)
            entry = 1 if abs(v) >= 0.2 else 0 if abs(v) < 0.2 - hysteresis else entry
            kp, kd = fast if entry else slow
            force = kp * (0.1 - q) - kd * v
            where.append(entry)
            q, v = q + v * h + force * h * h / 2 / m, v + force * h / m
        changes[hysteresis] = sum(a != b for a, b in zip(where, where[1:]))
        assert found["tracking"]["scheduled"] == pytest.approx([where.count(0) / 101, where.count(1) / 101])
        assert found["tracking"]["schedule_changes"] == changes[hysteresis] > 0
        told = found["control"]["schedule"]
        assert (told["over"], told["joint"]) == ("speed", "only") and [e["law"] for e in told["entries"]] == ["pid", "pid_gravity"] and told["entries"][1]["kd"] == [40]
    assert changes[width] <= changes[0]


# -- force --

def test_a_tool_pushes_a_wall_with_the_force_wanted(client, places):
    """A slide against a spring, with a weight that its model does not know of: force_kp leaves weight / (1 + force_kp), force_ki nothing."""
    axis = [client.post(places["slide"] + "/forward-kinematics", {"q": [q]}).expect(200).json["tool"] for q in (0, 1)]
    along = [b[3] - a[3] for a, b in zip(axis[0][:3], axis[1][:3])]
    weight, gain, stiffness = 2 * 2.0, 0.6, 2000.0
    for law, more in (("force", {"kd": [90]}), ("hybrid", {"stiffness": [500] * 6, "selection": [abs(round(a)) for a in along] + [0] * 3, "kd": [60], "damping": [30] * 6})):
        for ki in (0, 4):
            found = simulated(client, places["slide"], q=[0], duration=4, bandwidth_hz=2,
                              control={"law": law, "force": [10 * a for a in along] + [0] * 3, "force_kp": [gain] * 6, "force_ki": [ki] * 6, **more},
                              plant={"gravity": [-2 * a for a in along], "walls": [{"point": [0, 0, 0], "normal": [-a for a in along], "stiffness": stiffness}]})
            q = rows_of(client, found)["q"][-1][0]
            assert stiffness * q == pytest.approx(10 if ki else 10 - weight / (1 + gain), abs=1e-3), (law, ki)
            assert found["control"]["force"] == pytest.approx([10 * a for a in along] + [0] * 3) and found["control"]["force_ki"] == [ki] * 6
            assert found["energy"]["elements"]["walls"]["stored"] == pytest.approx(stiffness * q**2 / 2, rel=1e-9)
