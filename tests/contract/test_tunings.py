"""Tunings: gains that are found, held against the loop of the linearised arm, put together here, at its edge, and what limits."""

import math

import numpy
import pytest

from support import robot, unique_name
from support.assembly import ASSEMBLY
from support.rods import SLIDE

PUMA_AT = [0.2, -0.6, 0.5, 0.3, -0.8, 0.4]


@pytest.fixture(scope="module")
def places(server):
    with server.client() as client:
        models = {"slide": SLIDE, "puma": robot("puma560"), "scara": robot("scara")}
        yield {name: client.create_robot(model, name=unique_name()).headers["Location"] for name, model in models.items()}


def tuned(client, place, **request):
    return client.result_of(place + "/tunings", request)


def held(A, B, T):
    """The arm from one period to the next, the torque held: the exponential of [[A, B], [0, 0]] T by its series."""
    n, m = B.shape
    whole = numpy.zeros((n + m, n + m))
    whole[:n] = numpy.hstack([A, B]) * T
    term, total = numpy.eye(n + m), numpy.eye(n + m)
    for k in range(1, 25):
        term = term @ whole / k
        total = total + term
    return total[:n, :n], total[:n, n:]


def largest_pole(client, place, q, control, delay, factors):
    """Of the loop at rest at q, each joint's torque times its factor: state, integrals, and the torques that wait."""
    n, T = len(q), 1 / control["rate_hz"]
    weights = lambda at: numpy.array(client.post(place + "/gravity", {"q": list(at)}).expect(200).json["gravity_torque"])
    linear = client.post(place + "/linearize", {"q": q, "qd": [0] * n, "tau": list(weights(q)), "friction": False}).expect(200).json
    F, H = held(numpy.array(linear["a"]), numpy.array(linear["b"]), T)
    h = 1e-5
    slopes = numpy.array([(weights(q + h * e) - weights(q - h * e)) / 2 / h for e in numpy.eye(n)]).T
    kp, ki, kd = (numpy.diag(control[name]) for name in ("kp", "ki", "kd"))
    scale = numpy.diag(factors)
    size = 3 * n + delay * n
    loop = numpy.zeros((size, size))
    # s+ = s + ki T e before it is used; tau = scale (s+ - kp q - kd v + slopes q)
    asked = scale @ numpy.hstack([-kp - ki * T + slopes, -kd, numpy.eye(n)])
    loop[: 2 * n, : 2 * n] = F
    loop[2 * n : 3 * n, :n], loop[2 * n : 3 * n, 2 * n : 3 * n] = -ki * T, numpy.eye(n)
    if delay == 0:
        loop[: 2 * n, : 3 * n] += H @ asked
    else:
        loop[: 2 * n, 3 * n : 4 * n] = H
        for k in range(delay - 1):
            loop[(3 + k) * n : (4 + k) * n, (4 + k) * n : (5 + k) * n] = numpy.eye(n)
        loop[-n:, : 3 * n] = asked
    return max(abs(numpy.linalg.eigvals(loop)))


@pytest.fixture(scope="module")
def puma(server, places):
    with server.client() as client:
        yield tuned(client, places["puma"], q=PUMA_AT, friction=False, margins={"gain_db": 8, "phase_deg": 40}, evaluations=25,
                    references=[{"kind": "step", "amplitude": [0.01] * 6, "duration": 0.4}],
                    control={"law": "pid_gravity", "rate_hz": 500, "delay_periods": 2})


def test_margins_are_where_the_poles_reach_the_circle(client, places, puma):
    here = next(place for place in puma["places"] if place["q"] == PUMA_AT)
    edge = lambda factors, delay=2: largest_pole(client, places["puma"], PUMA_AT, puma["control"], delay, factors)
    assert edge([1] * 6) < 1
    for j, margin in enumerate(here["joints"]):
        factors = [1.0] * 6
        for name, sign in (("gain_db", 1), ("gain_down_db", -1)):
            factors[j] = 10 ** (sign * margin[name] / 20)
            assert edge(factors) == pytest.approx(1, abs=1e-6), (j, name)
            factors[j] = 10 ** (0.98 * sign * margin[name] / 20)
            assert edge(factors) < 1


def test_what_was_asked_of_margins_holds_and_limits(puma):
    least, joints = puma["margins"], [m for place in puma["places"] for m in place["joints"]]
    assert least["gain_db"] == min(m["gain_db"] for m in joints) >= 8 - 0.01
    assert least["phase_deg"] == min(m["phase_deg"] for m in joints) >= 40 - 0.05
    assert least["sensitivity"] == max(m["sensitivity"] for m in joints) <= 2.001
    assert puma["limited_by"]["what"] in ("gain", "phase", "sensitivity", "cost") and puma["cost_mm"] <= puma["first_cost_mm"]
    assert len(puma["places"]) == 2 and puma["evaluations"] <= 25


def test_its_figures_are_those_of_a_verification(client, places, puma):
    """The gains that were found, put into a verification."""
    control = {**puma["control"], "delay_periods": 2}
    found = client.result_of(places["puma"] + "/verifications",
                             {"q": PUMA_AT, "friction": False, "tolerance": 1e-7, "laws": [{"control": control}],
                              "references": [{"kind": "step", "amplitude": [0.01] * 6, "duration": 0.4}]})
    tool, (case,) = found["cases"][0]["tool"], puma["cases"]
    assert case["position_rms_mm"] == pytest.approx(tool["position_rms_mm"], rel=1e-6)
    assert puma["cost_mm"] == pytest.approx(math.hypot(tool["position_rms_mm"], 0.1 * tool["rotation_rms_mrad"]), rel=1e-6)


def test_a_delay_limits_and_a_longer_one_limits_more(client, places):
    """kp + kd s on a mass, late: the phase margin asked for is at its edge, and bandwidth goes with 1 / delay."""
    wide = []
    for delay in (4, 8):
        found = tuned(client, places["slide"], q=[0], friction=False, evaluations=60, bandwidth_max_hz=1000,
                      margins={"gain_db": 0, "phase_deg": 60, "sensitivity": None},
                      references=[{"kind": "step", "amplitude": [0.01], "duration": 0.5}],
                      control={"law": "computed_torque", "rate_hz": 4000, "delay_periods": delay})
        margin = found["places"][0]["joints"][0]
        assert found["limited_by"]["what"] == "phase" and margin["phase_deg"] == pytest.approx(60, abs=1.5)
        w = 2 * math.pi * margin["crossover_hz"]
        kp, kd, late = found["control"]["kp"][0], found["control"]["kd"][0], (delay + 0.5) / 4000
        assert w**2 == pytest.approx((kd**2 + math.sqrt(kd**4 + 4 * kp**2)) / 2, rel=1e-3)
        assert math.radians(margin["phase_deg"]) == pytest.approx(math.atan(w * kd / kp) - w * late, abs=2e-3)
        assert margin["delay"] == pytest.approx(math.radians(margin["phase_deg"]) / w, rel=1e-9)
        wide.append(w)
    assert wide[0] / wide[1] == pytest.approx(8.5 / 4.5, rel=0.08)


def test_a_torque_limit_is_told(client, places):
    model = {**SLIDE, "joints": [{**SLIDE["joints"][0], "limits": {"torque": 20}}]}
    place = client.create_robot(model, name=unique_name()).headers["Location"]
    request = {"q": [0], "friction": False, "evaluations": 60, "control": {"law": "computed_torque", "rate_hz": 1000, "delay_periods": 1},
               "references": [{"kind": "step", "amplitude": [0.1], "duration": 0.5}]}
    found = tuned(client, place, **request, overshoot_percent=1)
    (case,) = found["cases"]
    assert case["saturated"] > 0 and case["saturated_joint"] == "only" and case["overshoot_percent"] <= 1
    assert found["limited_by"] == {"what": "cost"}
    # 2 kg by 20 N: half way at full thrust and half way back take 2 sqrt(0.1 / 10) = 0.2 s, and cost at least this
    t = numpy.linspace(0, 0.5, 50001)
    left = 100 - numpy.where(t < 0.1, 5 * t**2, numpy.where(t < 0.2, 0.1 - 5 * (0.2 - t) ** 2, 0.1)) * 1000
    assert math.sqrt(numpy.mean(left**2)) < found["cost_mm"] < 1.05 * math.sqrt(numpy.mean(left**2))


# -- elastic gears and current loops --

STIFFNESS, DAMPING, LAG = 9000.0, 4.0, 60.0  # of the first joint; N m/rad, N m s/rad; Hz of the second one's current loop
BENT = [0.2, 0.9]


def elastic_pole(client, control, delay, factors, encoders):
    """The largest of the loop of an arm without gravity at BENT, whose first gear is elastic and whose second torque lags."""
    bare = {**ASSEMBLY, "joints": [{**joint, "drive": {"rotor_inertia": 0 if k == 0 else joint["drive"]["rotor_inertia"]}, "friction": {}}
                                   for k, joint in enumerate(ASSEMBLY["joints"])]}
    place = client.create_robot(bare, name=unique_name()).headers["Location"]
    links = client.post(place + "/linearize", {"q": BENT, "qd": [0, 0], "tau": [0, 0], "friction": False}).expect(200).json
    a, b, T, rotor, lag = numpy.array(links["a"]), numpy.array(links["b"]), 1 / control["rate_hz"], 0.15, 2 * math.pi * LAG
    A, B = numpy.zeros((7, 7)), numpy.zeros((7, 2))  # q1 q2 q1' q2' motor motor' torque2
    twist, rate = numpy.eye(7)[4] - numpy.eye(7)[0], numpy.eye(7)[5] - numpy.eye(7)[2]
    spring = STIFFNESS * twist + DAMPING * rate
    A[:4, :4] = a
    A[:4] += numpy.outer(b[:, 0], spring)
    A[:4, 6] = b[:, 1]
    A[4, 5] = 1
    A[5] = -spring / rotor
    A[6, 6], B[5, 0], B[6, 1] = -lag, 1 / rotor, lag
    F, H = held(A, B, T)
    eye = numpy.eye(7)
    Cq, Cv = (eye[[0, 1]], eye[[2, 3]]) if encoders == "link" else (eye[[4, 1]], eye[[5, 3]])
    kp, ki, kd = (numpy.diag(control[name]) for name in ("kp", "ki", "kd"))
    size = 9 + 2 * delay
    loop = numpy.zeros((size, size))
    asked = numpy.diag(factors) @ numpy.hstack([-(kp + ki * T) @ Cq - kd @ Cv, numpy.eye(2)])
    loop[:7, :7] = F
    loop[7:9, :7], loop[7:9, 7:9] = -ki * T @ Cq, numpy.eye(2)
    loop[:7, 9:11] = H
    for k in range(delay - 1):
        loop[9 + 2 * k:11 + 2 * k, 11 + 2 * k:13 + 2 * k] = numpy.eye(2)
    loop[-2:, :9] = asked
    return max(abs(numpy.linalg.eigvals(loop)))


@pytest.mark.parametrize("encoders", ["motor", "link"])
def test_margins_of_elastic_plants_are_where_their_poles_reach_the_circle(client, encoders):
    place = client.create_robot(ASSEMBLY, name=unique_name()).headers["Location"]
    plant = {"elasticity": {"stiffness": [STIFFNESS, 0], "damping": [DAMPING, 0], "encoders": encoders}, "current_loop_hz": [0, LAG]}
    request = {"q": BENT, "friction": False, "margins": {"gain_db": 8, "phase_deg": 40}, "evaluations": 15, "tolerance": 1e-6,
               "references": [{"kind": "step", "amplitude": [0.01, 0.01], "duration": 0.3}],
               "control": {"law": "pid", "rate_hz": 1000, "delay_periods": 2}}
    found = tuned(client, place, **request, plants=[{"name": "elastic", "plant": plant}])
    rigid = tuned(client, place, **request)
    here = next(p for p in found["places"] if p["q"] == BENT)
    edge = lambda factors: elastic_pole(client, found["control"], 2, factors, encoders)
    assert edge([1, 1]) < 1 and found["margins"]["gain_db"] >= 8 - 0.01 and found["margins"]["phase_deg"] >= 40 - 0.05
    for j, margin in enumerate(here["joints"]):
        factors = [1.0, 1.0]
        for name, sign in (("gain_db", 1), ("gain_down_db", -1)):
            if margin[name] is None:
                continue
            factors[j] = 10 ** (sign * margin[name] / 20)
            assert edge(factors) == pytest.approx(1, abs=1e-6), (j, name)
            factors[j] = 10 ** (0.98 * sign * margin[name] / 20)
            assert edge(factors) < 1
    # a gear that gives way and a torque that lags cost bandwidth, and gains of the rigid arm are too much for it
    assert found["cost_mm"] > rigid["cost_mm"]
    assert min(found["control"]["kp"][j] / rigid["control"]["kp"][j] for j in (0, 1)) < 0.9


def test_a_load_is_held_with_the_same_gains(client, places):
    """Margins hold on every plant: the lighter arm has the higher loop gain."""
    found = tuned(client, places["scara"], q=[0.3, 0.8, 0.05, 0], friction=False, evaluations=12,
                  references=[{"kind": "hold", "duration": 0.2}, {"kind": "step", "amplitude": [0.01, 0.01, 0, 0], "duration": 0.3}],
                  plants=[{"name": "bare"}, {"name": "laden", "plant": {"payload": {"mass": 3}}}],
                  control={"law": "impedance", "stiffness": [4000, 4000, 4000, 50, 50, 50], "rate_hz": 1000})
    assert {place["plant"] for place in found["places"]} == {"bare", "laden"} and len(found["cases"]) == 4
    assert found["margins"]["gain_db"] >= 6 - 0.01 and found["control"]["stiffness"] == [4000, 4000, 4000, 50, 50, 50]


def test_gains_for_zones_have_their_margins_in_each(client, places):
    """The elbow turns from 0.2 to 2.2 rad, where the first joint's inertia falls by half: margins of every posture against poles,
    with the gains that the inertia of its zone makes of those that were found."""
    place, at = places["scara"], [0.3, 0.2, 0.05, 0.0]
    zones = client.result_of(place + "/zonings", {"about": "gains", "low": [0.3, 0, 0.05, 0], "high": [0.3, 2.4, 0.05, 0], "inertia_error": 0.2, "zones_max": 64})
    motion = client.result_of(place + "/trajectories", {"method": "quintic", "start": {"q": at}, "goal": {"q": [0.3, 2.2, 0.05, 0]}, "duration": 1})
    asked = {"q": at, "friction": False, "evaluations": 12, "references": [{"kind": "trajectory", "trajectory": motion["id"]}]}
    control = {"law": "pid_gravity", "rate_hz": 500, "delay_periods": 2, "schedule": {"zones": zones["id"]}}
    found = tuned(client, place, **asked, control=control)
    assert found["control"]["schedule"] == {"zones": zones["id"], "hysteresis": 0, "gains_at": at}
    inertia = lambda q: numpy.diag(numpy.array(client.post(place + "/mass-matrix", {"q": q}).expect(200).json["mass_matrix"]))
    middles, ratios = [zone["q"] for zone in zones["zones"]], []
    for here in found["places"]:
        middle = next(q for q, zone in zip(middles, zones["zones"]) if zone["low"][1] <= here["q"][1] <= zone["high"][1])
        ratio = inertia(middle) / inertia(at)
        ratios.append(ratio[0])
        gains = {name: list(ratio * found["control"][name]) for name in ("kp", "ki", "kd")}
        for j in range(2):
            factors = [1.0] * 4
            factors[j] = 10 ** (here["joints"][j]["gain_db"] / 20)
            assert largest_pole(client, place, here["q"], {"rate_hz": 500, **gains}, 2, factors) == pytest.approx(1, abs=1e-6), (here["q"], j)
            assert here["joints"][j]["gain_db"] >= found["margins"]["gain_db"] >= 6 - 0.01
    assert max(ratios) > 1.5 * min(ratios)
    checked = client.result_of(place + "/verifications", {**{k: asked[k] for k in ("q", "friction", "references")}, "tolerance": 1e-7,
                                                          "laws": [{"control": {**found["control"], "delay_periods": 2}}]})
    assert checked["cases"][0]["tool"]["position_rms_mm"] == pytest.approx(found["cases"][0]["position_rms_mm"], rel=1e-6)
    assert "tuning " + found["id"] in client.delete(f"/v1/zonings/{zones['id']}", headers={"If-Match": "*"}).expect(409).json["detail"]


@pytest.mark.parametrize("change, pointer", [
    ({"control": {"law": "pid", "schedule": {"zones": "0" * 26, "gains_at": [0]}}}, "/control/schedule/gains_at"),
    ({"control": {"law": "adaptive"}}, "/control/law"),
    ({"control": {"law": "pid", "kp": [1.0]}}, "/control/kp"),
    ({"references": [{"kind": "sine", "amplitude": [0.01], "frequencies": [1]}]}, "/references/0/kind"),
    ({"references": [{"kind": "hold", "duration": 100000}], "evaluations": 2000}, "/evaluations"),
    ({"plants": [{}, {"plant": {"torque_ripple": [{"joint": "only", "amplitude": 1, "order": 4}]}}]}, "/plants/1/plant"),
    ({"references": [{"kind": "hold", "duration": 0.1, "breakaway": True}]}, "/references/0/breakaway"),
    ({"control": {"law": "pid", "schedule": {"over": "speed", "joint": "only", "entries": [{}, {"from": 1}]}}}, "/control/schedule"),
    ({"q": None}, "/q"),
    ({"margins": {"phase_deg": 95}}, "/margins/phase_deg"),
])
def test_faults_are_named(client, places, change, pointer):
    request = {"q": [0], "references": [{"kind": "hold", "duration": 0.1}], "control": {"law": "pid"}, **change}
    problem = client.post(places["slide"] + "/tunings", request).expect(422).json
    assert pointer in [error["pointer"] for error in problem["errors"]]


def test_margins_that_cannot_be_are_refused(client, places):
    job = client.post(places["slide"] + "/tunings", {"q": [0], "references": [{"kind": "hold", "duration": 0.1}], "margins": {"phase_deg": 89},
                      "control": {"law": "pid", "rate_hz": 100, "delay_periods": 20}}, headers={"Prefer": "wait=60"}).expect(200).json
    assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == "/margins"
