"""Evaluations: models held against data sets, by figures that follow from an identification's own samples or another call."""

import math

import pytest

from support import robot, unique_name
from support.logs import simulated, upload

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def ended(client, name, kind, **request):
    return client.run_job(f"/v1/robots/{name}/{kind}", request)


def value(client, name, kind, **request):
    return client.result_of(f"/v1/robots/{name}/{kind}", request)


class Cell:
    """A SCARA whose model is 30 % too heavy and knows no friction; logs of the truth: a, b of one motion, c of another."""

    def __init__(self, client):
        truth, wrong = robot("scara"), robot("scara")
        self.name, self.truth = unique_name(), unique_name()
        for joint in wrong["joints"]:
            joint["link"]["mass"] *= 1.3
            joint["friction"] = {"coulomb": 0, "viscous": 0, "offset": 0.5}
        client.create_robot(truth, name=self.truth)
        client.create_robot(wrong, name=self.name)
        self.logs = [simulated(client, self.truth, seed) for seed in (1, 1, 2)]
        self.a, self.b, self.c = (upload(client, self.name, log, label) for log, label in zip(self.logs, "abc"))
        self.run = value(client, self.name, "identifications", datasets=[self.a], validation=[self.c], rotor_inertia=True,
                         friction=["auto"])
        self.model = f"identification:{self.run['id']}"


@pytest.fixture(scope="module")
def cell(server):
    with server.client() as client:
        yield Cell(client)


@pytest.fixture(scope="module")
def evaluation(server, cell):
    used = cell.run["conditioning"]
    with server.client() as client:
        yield value(client, cell.name, "evaluations", models=["revision:1", cell.model], datasets=[cell.c, cell.a, cell.b],
                    conditioning=used, tags={"part": "A7"})


def test_an_identification_is_judged_as_it_judged_itself(cell, evaluation):
    """The friction that the choice of terms left out of the model (the offset) is not in the evaluated one either."""
    of = {(e["model"], e["dataset"]): e for e in evaluation["evaluations"]}
    assert list(of) == [(m, d) for m in ("revision:1", cell.model) for d in (cell.c, cell.a, cell.b)]
    for dataset, role in ((cell.c, "validation"), (cell.a, "training")):
        own, told = cell.run["errors"][role], of[cell.model, dataset]["errors"]
        assert told["samples"] == own["samples"]
        for kind in ("filtered", "raw"):
            assert told[kind]["relative_percent"] == pytest.approx(own[kind]["relative_percent"], rel=1e-6)
            for a, b in zip(told[kind]["joints"], own[kind]["joints"]):
                assert a["rms"] == pytest.approx(b["rms"], rel=1e-6)
    assert of[cell.model, cell.c]["residuals"]["spectrum"]["frequency_hz"] == cell.run["residuals"]["spectrum"]["frequency_hz"]


def test_a_revision_is_judged_by_what_inverse_dynamics_says(client, cell):
    """Not filtered, so that the torques follow from the uploaded positions by calls: q of the log, its central differences."""
    rate, rows = 250, cell.logs[2]
    told = value(client, cell.name, "evaluations", models=["latest"], datasets=[cell.c],
                 conditioning={"position_cutoff_hz": 0, "torque_cutoff_hz": 0, "trim": 0.1})["evaluations"][0]["errors"]
    q = [row[1:5] for row in rows]
    difference = [[(b - a) * rate / 2 for a, b in zip(x, y)] for x, y in zip(q, q[2:])]
    qdd = [[(b - a) * rate / 2 for a, b in zip(x, y)] for x, y in zip(difference, difference[2:])]
    tau = client.post(f"/v1/robots/{cell.name}/inverse-dynamics", {"q": q[2:-2], "qd": difference[1:-1], "qdd": qdd},
                      check=False).expect(200).json["tau"][23:-23]
    measured = [row[5:] for row in rows[25:-25]]
    assert told["samples"] == len(tau)
    left = sum((a - b) ** 2 for x, y in zip(tau, measured) for a, b in zip(x, y))
    relative = 100 * math.sqrt(left / sum(b * b for y in measured for b in y))
    assert told["raw"]["relative_percent"] == pytest.approx(relative, rel=1e-3)


def test_what_was_trained_on_is_marked(cell, evaluation):
    marks = {(e["model"], e["dataset"]): (e["trained_on_this"], e["repeats_training"]) for e in evaluation["evaluations"]}
    assert marks[cell.model, cell.a] == (True, False)
    assert marks[cell.model, cell.b] == (False, True)
    assert marks[cell.model, cell.c] == (False, False)
    assert {marks["revision:1", d] for d in (cell.a, cell.b, cell.c)} == {(False, False)}
    warnings = [w for w in evaluation["warnings"] if w["code"] == "validation_repeats_training"]
    assert len(warnings) == 2
    assert cell.a in warnings[0]["detail"] and cell.b in warnings[1]["detail"]


def test_listed_and_referred_to(client, cell, evaluation):
    found = client.get("/v1/evaluations", query={"robot": cell.name, "datasets": cell.b}).expect(200).json["items"]
    assert [item["id"] for item in found] == [evaluation["id"]]
    worst = evaluation["evaluations"][0]["errors"]["raw"]["relative_percent"]
    assert found[0]["metrics"]["raw.relative_percent.1"] == worst > 10
    assert client.get(f"/v1/evaluations/{evaluation['id']}").expect(200).json["tags"] == {"part": "A7"}
    etag = client.get(f"/v1/identifications/{cell.run['id']}").etag
    refusal = client.delete(f"/v1/identifications/{cell.run['id']}", headers={"If-Match": etag}).expect(409).json["detail"]
    assert "evaluation" in refusal, refusal


def test_a_payload_is_part_of_what_is_judged(client):
    name, held = unique_name(), unique_name()
    bare, loaded = robot("puma560"), robot("puma560")
    loaded["payload"] = {"mass": 2.5, "com": [0.04, 0, 0.06], "inertia": {"xx": 0.02, "yy": 0.025, "zz": 0.015, "xy": 0, "xz": 0, "yz": 0}}
    client.create_robot(bare, name=name)
    client.create_robot(loaded, name=held)
    data = [upload(client, name, simulated(client, held, seed, amplitudes=(1.0, 0.7, 0.7, 1.2, 1.0, 1.5))) for seed in (1, 2)]
    found = value(client, name, "identifications", identify="payload", datasets=data[:1])
    told = value(client, name, "evaluations", models=["latest", f"identification:{found['id']}"], datasets=data[1:])
    without, with_load = (e["errors"]["raw"]["relative_percent"] for e in told["evaluations"])
    assert with_load < 1.5 and without > 5, (without, with_load)


@pytest.mark.parametrize("change, pointer, code", [
    ({"models": []}, "/models", "length"),
    ({"models": ["revision:0"]}, "/models/0", "pattern"),
    ({"models": ["identification:abc"]}, "/models/0", "pattern"),
    ({"models": [7]}, "/models/0", "type"),
    ({"models": ["latest", "latest"]}, "/models/1", "duplicate"),
    ({"models": [f"identification:{NOBODY}"]}, "/models/0", "inconsistent"),
    ({"models": [f"revision:{k + 1}" for k in range(9)]}, "/models/8", "length"),
    ({"datasets": []}, "/datasets", "length"),
    ({"datasets": [NOBODY]}, "/datasets/0", "inconsistent"),
    ({"models": [f"revision:{k + 1}" for k in range(8)], "datasets": [NOBODY[:-1] + c for c in "0123456"]}, "/datasets", "length"),
    ({"datasets": ...}, "/datasets", "required"),
    ({"colour": 1}, "/colour", "unknown_field"),
])
def test_faults_in_a_request(client, cell, change, pointer, code):
    request = {name: v for name, v in {"models": ["latest"], "datasets": [cell.c], **change}.items() if v is not ...}
    faults = client.post(f"/v1/robots/{cell.name}/evaluations", request).expect(422).json["errors"]
    assert (pointer, code) in [(f["pointer"], f["code"]) for f in faults], faults


def test_a_revision_that_does_not_exist(client, cell):
    job = ended(client, cell.name, "evaluations", models=["revision:9"], datasets=[cell.c])
    assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == "/models/0"
    assert "no revision" in job["problem"]["detail"]
    client.put(f"/v1/robots/{cell.name}/aliases/delivered", {"revision": 1}, headers={"If-None-Match": "*"}).expect(201)
    told = value(client, cell.name, "evaluations", models=["delivered"], datasets=[cell.c])
    assert told["models"] == [{"model": "delivered", "revision": 1, "lineage": {"identifications": [], "datasets": [], "written": [1],
                                                                      "gone": [], "complete": True}}]
