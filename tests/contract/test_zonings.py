"""Zonings: bounds against dense samples of dynamics in closed form, and a motion through zones with their gains."""

import html
import json
import math
import re
import shlex
import xml.etree.ElementTree as ElementTree

import numpy
import pytest

from support import robot, unique_name
from support.rods import PENDULUM, SLIDE
from support.spoken import spoken

G = 9.81
# Two rods in a vertical plane.
A1, A2, M1, M2, C1, C2, I1, I2 = 0.4, 0.3, 5.0, 3.0, 0.18, 0.14, 0.08, 0.03


def rod(name, length, mass, com, inertia):
    return {"name": name, "type": "revolute", "a": length, "alpha": 0, "d": 0,
            "limits": {"position": [-2, 2]}, "friction": {"coulomb": 5, "viscous": 2},
            "link": {"mass": mass, "com": [com - length, 0, 0], "inertia": {"xx": 0.001, "yy": inertia, "zz": inertia}}}


PLANAR = {"name": "planar", "convention": "dh", "gravity": [0, -G, 0], "joints": [rod("j1", A1, M1, C1, I1), rod("j2", A2, M2, C2, I2)]}


def inertia(q2):
    k, p = M2 * A1 * C2 * math.cos(q2), I2 + M2 * C2 ** 2
    return numpy.array([[I1 + M1 * C1 ** 2 + p + M2 * A1 ** 2 + 2 * k, p + k], [p + k, p]])


def gravity(q1, q2):
    second = M2 * G * C2 * math.cos(q1 + q2)
    return numpy.array([(M1 * C1 + M2 * A1) * G * math.cos(q1) + second, second])


@pytest.fixture(scope="module")
def places(server):
    with server.client() as client:
        models = {"planar": PLANAR, "puma": robot("puma560"), "slide": SLIDE, "pendulum": PENDULUM}
        yield {name: client.create_robot(model, name=unique_name()).headers["Location"] for name, model in models.items()}


def test_gains_hold_where_the_inertia_changes_by_no_more(client, places):
    asked = {"about": "gains", "inertia_error": 0.2, "law": "pid_gravity", "bandwidth_hz": 4}
    found = client.result_of(places["planar"] + "/zonings", asked)
    w = 2 * math.pi * 4
    assert found["left"] == {"zones": 0, "share": 0} and found["zone_count"] == len(found["zones"]) > 2
    assert sum((z["high"][1] - z["low"][1]) for z in found["zones"]) == pytest.approx(4)
    for zone in found["zones"]:
        assert zone["kept"] and zone["low"][0] == -2 and zone["high"][0] == 2, "the first joint is no matter"
        middle = inertia(zone["q"][1])
        assert zone["kp"] == pytest.approx(list(3 * w * w * numpy.diag(middle)))
        for q2 in numpy.linspace(zone["low"][1], zone["high"][1], 60):
            M = inertia(q2)
            ratios = numpy.linalg.eigvals(numpy.linalg.solve(middle, M)).real
            assert max(abs(ratios - 1)) <= zone["inertia_error"] <= 0.2
            assert zone["found"] <= zone["worst"]
            spread = numpy.linalg.eigvals(numpy.linalg.solve(numpy.diag(numpy.diag(middle)), M)).real
            assert zone["inertia_ratio"][0] <= min(spread) and max(spread) <= zone["inertia_ratio"][1]
            # M s^3 + D (3 w s^2 + 3 w^2 s + w^3), by its companion
            D, O, E = numpy.linalg.solve(M, numpy.diag(numpy.diag(middle))), numpy.zeros((2, 2)), numpy.eye(2)
            poles = numpy.linalg.eigvals(numpy.block([[O, E, O], [O, O, E], [-w ** 3 * D, -3 * w * w * D, -3 * w * D]]))
            assert max(poles.real) / w <= -zone["decay"] + 1e-4
            assert min(-poles.real / abs(poles)) >= zone["damping"] - 1e-4


def test_linear_models_are_right_within_the_torque(client, places):
    allowed, fast = [2.0, 1.0], [1.0, 3.0]
    found = client.result_of(places["planar"] + "/zonings", {"about": "linear", "low": [-1, -1], "high": [1, 1],
                             "torque_error": allowed, "acceleration": fast, "zones_max": 300})
    assert found["left"]["zones"] == 0
    closest = 0
    for zone in found["zones"]:
        model = {name: numpy.array(value) for name, value in zone["model"].items()}
        assert model["gravity"] == pytest.approx(gravity(*zone["q"])) and model["inertia"] == pytest.approx(inertia(zone["q"][1]))
        for q1 in numpy.linspace(zone["low"][0], zone["high"][0], 9):
            for q2 in numpy.linspace(zone["low"][1], zone["high"][1], 9):
                at = numpy.array([q1, q2]) - zone["q"]
                off = abs(gravity(q1, q2) - model["gravity"] - model["stiffness"] @ at) + abs(inertia(q2) - model["inertia"]) @ fast
                assert all(off <= numpy.array(zone["torque_error"]) + 1e-12) and all(numpy.array(zone["torque_error"]) <= allowed)
                closest = max(closest, max(off / allowed))
    assert closest > 0.5, "zones are not much smaller than they need be"


def test_six_joints_leave_a_rest_that_is_told(client, places):
    found = client.result_of(places["puma"] + "/zonings", {"about": "gains", "low": [-0.5] * 6, "high": [0.5] * 6,
                             "inertia_error": 0.05, "zones_max": 60, "depth_max": 8})
    left = [zone for zone in found["zones"] if not zone["kept"]]
    volume = lambda zone: math.prod(h - l for l, h in zip(zone["low"], zone["high"]))
    assert len(left) == found["left"]["zones"] > 0 and found["left"]["share"] == pytest.approx(sum(map(volume, left)))
    assert sum(map(volume, found["zones"])) == pytest.approx(1) and found["worst"] == max(z["worst"] for z in found["zones"]) > 1
    assert all(zone["found"] <= zone["worst"] for zone in found["zones"])


def test_a_motion_goes_through_zones_with_their_gains(client, places):
    zones = client.result_of(places["planar"] + "/zonings", {"about": "gains", "inertia_error": 0.2, "bandwidth_hz": 6})
    motion = client.result_of(places["planar"] + "/trajectories", {"method": "quintic", "start": {"q": [0, -1.8]}, "goal": {"q": [0.5, 1.8]}, "duration": 2})
    control = {"law": "pid_gravity", "rate_hz": 500, "schedule": {"zones": zones["id"], "hysteresis": 0.01}}
    run = {"trajectory": motion["id"], "friction": False, "control": control, "bandwidth_hz": 6}
    found = client.result_of(places["planar"] + "/simulations", run)
    shares, rows = found["tracking"]["scheduled"], client.get(found["samples"]).expect(200).json
    assert len(shares) == zones["zone_count"] and sum(shares) == pytest.approx(1)
    inside = lambda q, z: all(l - 0.02 <= x <= h + 0.02 for x, l, h in zip(q, z["low"], z["high"]))
    visited = [k for k, z in enumerate(zones["zones"]) if any(inside(q, z) for q in rows["q"])]
    assert {k for k, share in enumerate(shares) if share > 0} <= set(visited)
    assert found["tracking"]["schedule_changes"] >= sum(share > 0 for share in shares) - 1 > 1
    assert found["control"]["schedule"] == {"zones": zones["id"], "hysteresis": 0.01}
    # a verification goes the same way
    asked = {"friction": False, "references": [{"kind": "trajectory", "trajectory": motion["id"]}],
             "laws": [{"bandwidth_hz": 6, "without_model": True, "control": control}]}
    verified = client.result_of(places["planar"] + "/verifications", asked)
    case, alone = verified["cases"]
    assert [joint["rms"] for joint in case["joints"]] == pytest.approx(found["tracking"]["rms"], rel=1e-5)
    assert alone["joints"][1]["rms"] > 2 * case["joints"][1]["rms"], "its PID alone has the gains of the zones, and gravity against it"
    assert verified["laws"][0]["control"]["schedule"]["zones"] == zones["id"]
    call = html.unescape(re.findall(r"<pre>(.*?)</pre>", client.get(f"/v1/verifications/{verified['id']}/report").expect(200).text, re.S)[0])
    again = json.loads(shlex.split(call)[-1])
    assert client.result_of(places["planar"] + "/verifications", again)["cases"] == verified["cases"]
    # the gains are those of the zone: one zone about where it starts is the controller's own at that place
    one = client.result_of(places["planar"] + "/zonings", {"about": "gains", "low": [0, -1.8], "high": [0, -1.8], "inertia_error": 0.2, "bandwidth_hz": 6})
    run["control"] = {**control, "schedule": {"zones": one["id"]}}
    through = client.result_of(places["planar"] + "/simulations", run)
    run["control"] = {"law": "pid_gravity", "rate_hz": 500}
    plain = client.result_of(places["planar"] + "/simulations", run)
    assert through["tracking"]["rms"] == pytest.approx(plain["tracking"]["rms"], rel=1e-12)
    assert through["tracking"]["rms"] != pytest.approx(found["tracking"]["rms"], rel=1e-3)
    refused = client.delete(f"/v1/zonings/{zones['id']}", headers={"If-Match": "*"}).expect(409).json
    assert "simulation " + found["id"] in refused["detail"] and "verification " + verified["id"] in refused["detail"]


def test_gains_of_a_posture_go_through_zones_by_their_inertia(client, places):
    """Of zones made at one bandwidth the gains of the middle of any are, by its inertia, those of all: kp = 3 w^2 M_jj."""
    zones = client.result_of(places["planar"] + "/zonings", {"about": "gains", "inertia_error": 0.2, "bandwidth_hz": 6})
    motion = client.result_of(places["planar"] + "/trajectories", {"method": "quintic", "start": {"q": [0, -1.8]}, "goal": {"q": [0.5, 1.8]}, "duration": 2})
    run = {"trajectory": motion["id"], "friction": False, "bandwidth_hz": 6}
    of_zoning = client.result_of(places["planar"] + "/simulations", {**run, "control": {"law": "pid_gravity", "rate_hz": 500, "schedule": {"zones": zones["id"]}}})
    middle = zones["zones"][0]
    gains = {name: middle[name] for name in ("kp", "ki", "kd")}
    scaled = {"law": "pid_gravity", "rate_hz": 500, **gains, "schedule": {"zones": zones["id"], "gains_at": middle["q"]}}
    same = client.result_of(places["planar"] + "/simulations", {**run, "control": scaled})
    assert same["tracking"]["rms"] == pytest.approx(of_zoning["tracking"]["rms"], rel=1e-9)
    assert same["control"]["schedule"]["gains_at"] == middle["q"] and same["control"]["kp"] == gains["kp"]
    half = {name: [value / 2 for value in values] for name, values in gains.items()}
    softer = client.result_of(places["planar"] + "/simulations", {**run, "control": {**scaled, **half}})
    assert softer["tracking"]["rms"][0] > 1.2 * same["tracking"]["rms"][0]
    for change, pointer in (({"kp": None}, "/control/schedule/gains_at"), ({"schedule": {"over": "speed", "joint": "j1", "entries": [{}, {"from": 1}], "gains_at": [0, 0]}}, "/control/schedule/gains_at"),
                            ({"schedule": {"zones": zones["id"], "gains_at": [0]}}, "/control/schedule/gains_at")):
        problem = client.post(places["planar"] + "/simulations", {**run, "control": {**scaled, **change}}).expect(422).json
        assert pointer in [error["pointer"] for error in problem["errors"]], change


@pytest.mark.parametrize("place, change, pointer", [
    ("slide", {}, "/low"),
    ("planar", {"low": [0, 1], "high": [1, 0]}, "/high/1"),
    ("planar", {"about": "linear"}, "/torque_error"),
    ("planar", {"about": "linear", "torque_error": [1, 0]}, "/torque_error/1"),
    ("planar", {"about": "linear", "torque_error": [1, 1], "inertia_error": 0.2}, "/inertia_error"),
    ("planar", {"about": "gains", "inertia_error": None}, "/inertia_error"),
    ("planar", {"about": "gains", "acceleration": [1, 1]}, "/acceleration"),
    ("planar", {"law": "computed_torque"}, "/law"),
    ("planar", {"zones_max": 513}, "/zones_max"),
    ("puma", {"about": "linear", "inertia_error": None, "torque_error": [1] * 6, "zones_max": 400}, "/zones_max"),
    ("planar", {"zones_max": 0}, "/zones_max"),
])
def test_faults_are_named(client, places, place, change, pointer):
    problem = client.post(places[place] + "/zonings", {"about": "gains", "inertia_error": 0.2, **change}).expect(422).json
    assert pointer in [error["pointer"] for error in problem["errors"]]


def test_schedules_that_cannot_be_are_refused(client, places):
    ask = lambda place, schedule: client.post(places[place] + "/simulations", {"q": [0], "qd": [0], "duration": 0.1, "control": {"law": "pid", "schedule": schedule}}, headers={"Prefer": "wait=30"})
    stranger = client.result_of(places["planar"] + "/zonings", {"about": "gains", "inertia_error": 0.5})["id"]
    pointers = lambda answer: [error["pointer"] for error in answer.json["errors"]]
    assert pointers(ask("slide", {"zones": "0" * 26}).expect(422)) == ["/control/schedule/zones"]
    assert pointers(ask("slide", {"zones": stranger, "over": "speed"}).expect(422)) == ["/control/schedule/over"]
    assert "/control/schedule/entries" in pointers(ask("slide", {"over": "speed", "joint": "only"}).expect(422))
    job = ask("slide", {"zones": stranger}).expect(200).json
    assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == "/control/schedule/zones"
    hold = {"q": [0], "references": [{"kind": "hold", "duration": 0.1}]}
    control = lambda zones: {"law": "pid", "schedule": {"zones": zones}}
    for path, asked, pointer in (("/verifications", lambda zones: {"laws": [{"control": {"law": "pid"}}, {"name": "zoned", "control": control(zones)}]}, "/laws/1/control/schedule/zones"),
                                 ("/tunings", lambda zones: {"control": control(zones)}, "/control/schedule/zones")):
        assert pointers(client.post(places["slide"] + path, {**hold, **asked("0" * 26)}).expect(422)) == [pointer]
        job = client.post(places["slide"] + path, {**hold, **asked(stranger)}, headers={"Prefer": "wait=30"}).expect(200).json
        assert job["state"] == "failed" and [error["pointer"] for error in job["problem"]["errors"]] == [pointer]


def test_an_arm_that_nothing_changes_is_one_zone(client, places):
    slide = client.result_of(places["slide"] + "/zonings", {"about": "gains", "low": [-1], "high": [1], "inertia_error": 1e-6})
    assert slide["zone_count"] == 1 and slide["zones"][0]["inertia_ratio"] == pytest.approx([1, 1], abs=1e-6)
    assert slide["zones"][0]["damping"] == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize("asked", [
    {"about": "gains", "inertia_error": 0.2, "law": "pid_gravity", "bandwidth_hz": 4},
    {"about": "linear", "low": [-0.5, -0.5], "high": [0.5, 0.5], "torque_error": [0.5, 0.5], "acceleration": [1, 1], "depth_max": 2, "zones_max": 30},
])
def test_the_page_draws_every_zone_and_divides_anew(client, places, asked):
    found = client.result_of(places["planar"] + "/zonings", asked)
    few = found["left"]["zones"] > 0
    client.request("PATCH", f"/v1/zonings/{found['id']}", json={"label": "too few" if few else "all"}, content_type="application/merge-patch+json",
                   headers={"If-Match": "*"}).expect(200)
    path = f"/v1/zonings/{found['id']}/report"
    english, chinese = spoken(client, path, names=("名称：too few",))
    H = "{http://www.w3.org/1999/xhtml}"
    for page in (english, chinese):
        tree = ElementTree.fromstring(page.encode())
        figures = tree.findall(f".//{H}figure")
        boxes = figures[0].findall(f".//{H}rect")
        assert len(boxes) == found["zone_count"], "both joints are on the map: every zone is cut"
        assert sum(float(box.get("width")) * float(box.get("height")) for box in boxes) == pytest.approx(630 * 364, rel=0.01), "they tile it"
        rows = tree.findall(f".//{H}table")[-1].findall(f"{H}tbody/{H}tr")
        proved = [row[1].text for row in rows]
        assert proved == [f"{round(100 * z['worst'], 4):.4g}" for z in sorted(found["zones"], key=lambda z: -z["worst"])]
        call, = (html.unescape(text) for text in re.findall(r"<pre>(curl.*?)</pre>", page, re.S))
        words = shlex.split(call)
        again = client.post(words[1].removeprefix("$A"), json.loads(words[words.index("-d") + 1]), headers={"Prefer": "wait=60"}).expect(200).json["result"]["value"]
        assert again["zones"] == found["zones"]
    left = found["left"]["zones"]
    assert (f"{left} of {found['zone_count']} zones" if left else f"The bound is kept in every zone ({found['zone_count']})") in english
    assert few == (asked["about"] == "linear") and (("too few" in english) == ("too few" in chinese) == few)
    client.get(path, query={"lang": "de"}).expect(422)
