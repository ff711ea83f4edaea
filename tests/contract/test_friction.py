"""Friction tests and what their logs tell: a plan over HTTP, its log with known friction, and the friction that comes back."""

import json
import math
import random

import pytest

from support import contract, robot, unique_name
from support.logs import simulated, upload

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
HAS_DATASETS = "/v1/robots/{robot}/datasets" in contract.document()["paths"]
with_datasets = pytest.mark.skipif(not HAS_DATASETS, reason="this build takes no data sets")
PLAN = {"joints": ["j1", "j4"], "speeds": 14, "cruise": 0.8, "sample_rate": 500}  # lines of j4 come at up to 115 Hz


def model(friction):
    arm = robot("scara")
    for joint in arm["joints"]:
        joint["friction"] = friction.get(joint["name"], {})
    return arm


TRUE = {"j1": {"coulomb": 1.5, "viscous": 1.0, "stiction": 2.6, "stribeck_velocity": 0.5},
        "j4": {"coulomb": 0.1, "viscous": 0.02, "position": [{"amplitude": 0.03, "order": 2, "phase": -1}]}}


class Cell:
    """An arm whose friction nobody has told, and the log of its friction test: the torques of another model, with noise."""

    def __init__(self, client):
        self.name, truth = unique_name(), unique_name()
        self.arm, self.truth = f"/v1/robots/{self.name}", f"/v1/robots/{truth}"
        client.create_robot(model({}), name=self.name)
        client.create_robot(model(TRUE), name=truth)
        self.plan = client.result_of(self.arm + "/friction-tests", {**PLAN, "tags": {"cell": "4"}})
        samples = client.get(self.plan["samples"]).expect(200).json
        tau = client.post(self.truth + "/inverse-dynamics", {k: samples[k] for k in ("q", "qd", "qdd")}).expect(200).json["tau"]
        dice = random.Random(5)
        log = ["t,q1,q2,q3,q4,tau1,tau2,tau3,tau4"]
        for t, q, torque in zip(samples["t"], samples["q"], tau):
            row = [t, *(x + dice.gauss(0, 2e-5) for x in q), *(x + dice.gauss(0, 0.01) * s for x, s in zip(torque, (2, 1, 20, 0.1)))]
            log.append(",".join(map(repr, row)))
        self.log = "\r\n".join(log) + "\r\n"
        self.dataset = not HAS_DATASETS or client.post(self.arm + "/datasets", body=self.log.encode(), headers={"Content-Type": "text/csv"}).expect(201).json["id"]


@pytest.fixture(scope="module")
def cell(server):
    with server.client() as client:
        yield Cell(client)


def test_the_plan_tells_its_runs(client, cell):
    plan = cell.plan
    assert plan["run_count"] == len(plan["runs"]) == 2 * 2 * 14 and plan["transferable"] is True and plan["tags"] == {"cell": "4"}
    samples = client.get(plan["samples"], query={"rate": 100, "fields": "t,qd"}).expect(200).json
    joints = [joint["name"] for joint in robot("scara")["joints"]]
    for run in plan["runs"]:
        during = [qd for t, qd in zip(samples["t"], samples["qd"]) if run["from"] < t < run["to"]]
        assert during and all(qd == pytest.approx([run["speed"] if name == run["joint"] else 0 for name in joints], abs=1e-9)
                              for qd in during)
    assert {run["joint"] for run in plan["runs"]} == {"j1", "j4"}
    assert max(margin["worst"] for margin in plan["margins"]) <= 1


@with_datasets
def test_the_friction_comes_back(client, cell):
    result = client.result_of(cell.arm + "/friction-identifications", {"datasets": [cell.dataset]})
    one, two, three, four = result["joints"]
    assert result["joint_count"] == 2 and [w["joint"] for w in result["warnings"]] == ["j2", "j3"]
    assert two["friction"] is None and three["run_count"] == 0
    for found, name in ((one, "j1"), (four, "j4")):
        assert 26 <= found["run_count"] <= 30 and len(found["points"]) == found["run_count"]
        for term in ("coulomb", "viscous"):
            assert found["friction"][term] == pytest.approx(TRUE[name][term], rel=0.05)
            assert 0 < found["std"][term] < 0.05 * TRUE[name][term]
    assert one["friction"]["stiction"] == pytest.approx(2.6, rel=0.05)
    assert one["friction"]["stribeck_velocity"] == pytest.approx(0.5, rel=0.1)
    f, curve, most = one["friction"], one["curve"], next(j for j in robot("scara")["joints"] if j["name"] == "j1")["limits"]["velocity"]
    assert curve["velocity"][0] == -most and curve["velocity"][-1] == most and "position_curve" not in one and "curve" not in two
    for v, torque in zip(curve["velocity"], curve["torque"]):
        fading = math.exp(-(abs(v) / f["stribeck_velocity"]) ** f.get("stribeck_exponent", 2))
        dry = f["coulomb"] + (f["stiction"] - f["coulomb"]) * fading + f.get("high_speed", 0) * v * v
        assert torque == pytest.approx(f["offset"] + dry * math.tanh(v / 1e-3) + f["viscous"] * v, rel=1e-9, abs=1e-12)
    line, = four["friction"]["position"]
    drawn = four["position_curve"]
    assert drawn["torque"] == pytest.approx([line["amplitude"] * math.sin(line["order"] * p + line["phase"]) for p in drawn["motor_angle"]], abs=1e-12)
    assert line["order"] == pytest.approx(2, rel=1e-3) and line["amplitude"] == pytest.approx(0.03, rel=0.05)
    kept = [(t["term"], t["kept"]) for t in one["trials"]]
    assert ("stribeck", True) in kept and all(t["with"] < t["without"] for t in one["trials"] + four["trials"] if t["kept"])
    place = f"/v1/friction-identifications/{result['id']}"
    assert client.get(place).expect(200).json == result
    assert result["data"][0]["id"] == cell.dataset and len(result["data"][0]["sha256"]) == 64
    # the document's friction is what a model takes
    arm = robot("scara")
    for joint, found in zip(arm["joints"], result["joints"]):
        joint["friction"] = found["friction"] or {}
    client.create_robot(arm, name=unique_name())
    # and the data set is kept for it
    dataset = f"/v1/datasets/{cell.dataset}"
    etag = client.get(dataset).expect(200).headers["ETag"]
    assert f"friction_identification {result['id']}" in client.delete(dataset, headers={"If-Match": etag}).expect(409).json["detail"]
    client.delete(place, headers={"If-Match": "*"}).expect(204)


@with_datasets
def test_the_friction_is_promoted(client, cell):
    """The model becomes what the log was made with: its torques then are those of the true arm. What the test did not find stays."""
    arm = model({"j1": {"coulomb": 9, "position": [{"amplitude": 0.4, "order": 3, "phase": 0}]}, "j2": {"viscous": 0.7}})
    name = unique_name()
    client.create_robot(arm, name=name)
    log = client.post(f"/v1/robots/{name}/datasets", body=cell.log.encode(), content_type="text/csv").expect(201).json["id"]
    found = client.result_of(f"/v1/robots/{name}/friction-identifications", {"datasets": [log]})
    path = f"/v1/friction-identifications/{found['id']}/promote"

    look = client.post(path, {"base_revision": 1, "dry_run": True}).expect(200).json
    changes = {change["pointer"]: change for change in look["changes"]}
    assert look["revision"] is None and all(p.startswith(("/joints/0/friction", "/joints/3/friction")) for p in changes)
    coulomb = changes["/joints/0/friction/coulomb/positive"]
    assert coulomb["old"] == 9 and coulomb["new"] == found["joints"][0]["friction"]["coulomb"] and coulomb["std"] == found["joints"][0]["std"]["coulomb"]
    assert changes["/joints/0/friction/position/0/amplitude"]["new"] is None
    assert client.post(path, {"base_revision": 1}).expect(409).json["unacknowledged"] == ["too_few_runs"]

    accept = {"base_revision": 1, "acknowledge": ["too_few_runs"], "reason": "friction test"}
    assert client.post(path, accept).expect(200).json["revision"] == 2
    kept = client.get(f"/v1/robots/{name}").expect(200).json
    assert (kept["reason"], kept["identification"]) == ("friction test", found["id"])
    assert [joint.get("friction") for joint in kept["joints"]][1] == {"viscous": 0.7}
    assert {k: v for k, v in kept["joints"][0]["friction"].items()} == {k: v for k, v in found["joints"][0]["friction"].items() if v}
    dice = random.Random(7)
    states = {k: [[dice.uniform(-a, a) if j in (0, 3) else 0 for j, a in enumerate((1.5, 0, 0, 3))] for _ in range(50)] for k in ("q", "qd")}
    states["qdd"] = [[0] * 4 for _ in range(50)]
    told, truth = (client.post(f"{place}/inverse-dynamics", states, check=False).expect(200).json["tau"] for place in (f"/v1/robots/{name}", cell.truth))
    for joint, most in ((0, 0.1), (3, 0.01)):  # of 2.6 and 0.15 N m
        assert max(abs(a[joint] - b[joint]) for a, b in zip(told, truth)) < most
    assert "newest" in client.post(path, accept).expect(409).json["detail"]
    client.post(f"/v1/friction-identifications/{NOBODY}/promote", accept).expect(404)


def excited(client, truth, seed, noise=0.003):
    """The log of a motion of the true arm, 10 s at 250 Hz, as rows."""
    return simulated(client, truth.rsplit("/", 1)[1], seed=seed, seconds=10, amplitudes=(1.0, 1.0, 0.08, 1.5), torque=noise)


@pytest.mark.slow  # of calls that other tests make one by one
@with_datasets
def test_in_two_steps(client, cell):
    """The friction of a test is held while links are identified: the true arm's other motion is foretold as well as its noise
    allows, the held numbers are the test's, and what is promoted has the true torques."""
    arm = model({})
    for joint in arm["joints"]:
        joint["link"]["mass"] *= 1.3  # what the second step is to find
    name = unique_name()
    client.create_robot(arm, name=name)
    place = f"/v1/robots/{name}"
    log = client.post(place + "/datasets", body=cell.log.encode(), content_type="text/csv").expect(201).json["id"]
    test = client.result_of(place + "/friction-identifications", {"datasets": [log]})
    one, two = (upload(client, name, excited(client, cell.truth, seed)) for seed in (1, 2))
    found = client.result_of(place + "/identifications", {"datasets": [one], "validation": [two], "friction_from": test["id"],
                                                          "friction": ["viscous"], "estimator": "ridge"})
    assert found["errors"]["validation"]["raw"]["relative_percent"] < 0.6  # 0.3 % are noise
    judged = client.result_of(place + "/evaluations", {"models": [f"identification:{found['id']}"], "datasets": [log]})
    assert judged["models"][0]["lineage"]["identifications"] == [found["id"], test["id"]]
    assert [(leak["kind"], leak["identification"]) for leak in judged["evaluations"][0]["leaks"]] == [("same_dataset", test["id"])]
    held = {(p["joint"], p["name"]): p for p in found["parameters"]["standard"] if p.get("held")}
    of_test = {joint["joint"]: joint for joint in test["joints"]}
    assert {joint for joint, _ in held} == {"j1", "j4"}
    for joint, term in (("j1", "coulomb"), ("j1", "viscous"), ("j1", "stiction"), ("j1", "stribeck_velocity"), ("j4", "coulomb")):
        assert held[joint, term]["value"] == of_test[joint]["friction"][term], (joint, term)
        assert held[joint, term]["std"] == of_test[joint]["std"][term]
    assert held["j4", "position.0"]["value"] == of_test["j4"]["friction"]["position"][0]["amplitude"]
    identified = {(p["joint"], p["name"]) for p in found["parameters"]["standard"] if not p.get("held")}
    assert {("j1", "offset"), ("j4", "offset"), ("j2", "viscous"), ("j3", "viscous")} <= identified and ("j1", "coulomb") not in identified
    drawn, of_j1 = found["parameters"]["friction"][0], TRUE["j1"]
    assert drawn["coulomb"] == of_test["j1"]["friction"]["coulomb"]
    assert drawn["curve"]["torque"][-1] == pytest.approx(of_j1["coulomb"] + of_j1["viscous"] * drawn["curve"]["velocity"][-1], rel=0.05)

    client.post(f"/v1/identifications/{found['id']}/promote", {
        "base_revision": 1, "acknowledge": sorted({w["code"] for w in found["warnings"]}) + ["not_physically_consistent"]}).expect(200)
    dice = random.Random(3)
    states = {k: [[dice.uniform(-a, a) for a in (1.5, 1.5, 0.1, 3)] for _ in range(60)] for k in ("q", "qd", "qdd")}
    told, truth = (client.post(f"{where}/inverse-dynamics", states, check=False).expect(200).json["tau"] for where in (place, cell.truth))
    for j in range(4):
        scale = math.sqrt(sum(row[j] ** 2 for row in truth))
        assert math.sqrt(sum((a[j] - b[j]) ** 2 for a, b in zip(told, truth))) < 0.03 * scale, j
    assert "identification" in client.delete(f"/v1/friction-identifications/{test['id']}", headers={"If-Match": "*"}).expect(409).json["detail"]


@with_datasets
@pytest.mark.parametrize("change, code", [
    ({"friction_from": NOBODY}, None), ({"friction_from": "x"}, "pattern"), ({"friction_from": 7}, "type"),
    ({"identify": "payload", "friction_from": NOBODY}, "inconsistent")])
def test_friction_that_cannot_be_held(client, cell, change, code):
    errors = client.post(cell.arm + "/identifications", {"datasets": [cell.dataset], **change}).expect(422).json["errors"]
    assert [e["pointer"] for e in errors] == ["/friction_from"] and code in (None, errors[0]["code"])


@with_datasets
def test_a_log_without_runs(client, cell):
    lines = cell.log.splitlines()
    short = client.post(cell.arm + "/datasets", body=("\r\n".join(lines[:2000]) + "\r\n").encode(), headers={"Content-Type": "text/csv"}).expect(201).json["id"]
    job = client.run_job(cell.arm + "/friction-identifications", {"datasets": [short]})
    assert job["state"] == "failed" and "runs at constant speed" in json.dumps(job["problem"])


def test_how_the_tool_moves(client, cell):
    """As forward kinematics of the same samples."""
    fields = ("tool_position", "tool_velocity", "tool_acceleration")
    rows = client.get(cell.plan["samples"], query={"rate": 5, "fields": "q,qd,qdd," + ",".join(fields)}).expect(200).json
    links = client.post(cell.arm + "/forward-kinematics", {k: rows[k] for k in ("q", "qd", "qdd")}).expect(200).json
    assert max(abs(x) for vector in rows["tool_acceleration"] for x in vector) > 0.1
    for k, tool in enumerate(links["tool"]):
        wanted = [row[3] for row in tool[:3]], links["tool_velocity"][k][:3], links["tool_acceleration"][k][:3]
        for field, vector in zip(fields, wanted, strict=True):
            assert rows[field][k] == pytest.approx(vector, rel=1e-12, abs=1e-12)


def test_lists(client, cell):
    items = client.get("/v1/friction-tests", query={"robot": cell.name}).expect(200).json["items"]
    assert [item["id"] for item in items] == [cell.plan["id"]] and items[0]["metrics"]["run_count"] == 56
    assert client.get("/v1/friction-identifications", query={"robot": unique_name()}).expect(200).json["items"] == []


@pytest.mark.parametrize("pointer, code, change", [
    ("/joints/1", "enum", {"joints": ["j1", "elbow"]}),
    ("/joints/1", "duplicate", {"joints": ["j1", "j1"]}),
    ("/joints", "length", {"joints": []}),
    ("/q", "length", {"q": [0, 0]}),
    ("/speeds", "minimum", {"speeds": 2}),
    ("/speed_least", "inconsistent", {"speed_least": 0.9, "speed_most": 0.5}),
    ("/speed_most", "maximum", {"speed_most": 1.5}),
    ("/travel", "minimum", {"travel": 0}),
    ("/cruise", "minimum", {"cruise": 0.1}),
    ("/limits/velocity", "required", {"limits": {"velocity": None}}),
])
def test_bad_plans(client, cell, pointer, code, change):
    errors = client.post(cell.arm + "/friction-tests", {**PLAN, **change}).expect(422).json["errors"]
    assert (pointer, code) in {(e["pointer"], e["code"]) for e in errors}, errors


def test_a_torque_limit_in_the_way(client, cell):
    job = client.run_job(cell.arm + "/friction-tests", {**PLAN, "joints": ["j3"], "limits": {"torque": [1, 1, 1, 1]}})
    assert job["state"] == "failed" and "torque of joint j3" in job["problem"]["detail"]


@with_datasets
@pytest.mark.parametrize("pointer, change", [
    ("/datasets", {"datasets": []}), ("/datasets", {"datasets": ...}), ("/datasets/0", {"datasets": ["x"]}),
    ("/datasets/0", {"datasets": [NOBODY]}), ("/position_cutoff_hz", {"position_cutoff_hz": -1}),
])
def test_bad_identifications(client, cell, pointer, change):
    body = {k: v for k, v in {"datasets": [cell.dataset], **change}.items() if v is not ...}
    assert pointer in {e["pointer"] for e in client.post(cell.arm + "/friction-identifications", body).expect(422).json["errors"]}
