"""Excitations: the series that is told, its limits at every sample, reproduction, refusals in words, cancel, samples."""

import json
import math
import os
import time

import pytest

from support import PATIENCE, ROOT, cpu_seconds, robot, unique_name, until
from support.logs import simulated, sums_of_sines, upload

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
SMALL = {"duration": 8, "harmonics": 2, "base_frequency_hz": 0.25, "population": 8, "generations": 4, "sample_rate": 100}


@pytest.fixture
def arm(client):
    return client.create_robot(robot("scara"), name=unique_name()).headers["Location"]


def ended(client, arm, **request):
    return client.run_job(arm + "/excitations", {**SMALL, **request})


def designed(client, arm, **request):
    job = ended(client, arm, **request)
    assert job["state"] == "succeeded" and job["kind"] == "excitation", job["problem"]
    return job["result"]["value"]


def test_the_series_and_its_samples(client, arm):
    """q less the waves of the coefficients leaves a quintic, whose sixth differences vanish; both ends are at rest."""
    result = designed(client, arm)
    place = f"/v1/excitations/{result['id']}"
    samples = client.get(place + "/samples", query={"rate": 2}).expect(200).json
    assert len(samples["t"]) == 17 and samples["t"][-1] == 8
    for end in (0, -1):
        assert samples["q"][end] == pytest.approx(result["coefficients"]["q0"], abs=1e-9)
        assert samples["qd"][end] == pytest.approx([0] * 4, abs=1e-9) and samples["qdd"][end] == pytest.approx([0] * 4, abs=1e-8)
    a, b = result["coefficients"]["a"], result["coefficients"]["b"]
    for j in range(4):
        left = []
        for t, q in zip(samples["t"], samples["q"]):
            w = [2 * math.pi * 0.25 * (l + 1) for l in range(2)]
            left.append(q[j] - sum(a[j][l] / w[l] * math.sin(w[l] * t) - b[j][l] / w[l] * math.cos(w[l] * t) for l in range(2)))
        for first in range(len(left) - 6):
            assert abs(sum(c * left[first + k] for k, c in enumerate((1, -6, 15, -20, 15, -6, 1)))) < 1e-7


def test_every_limit_is_kept_at_every_sample(client, arm):
    result = designed(client, arm, tool_box={"min": [-0.6, -0.6, -0.5], "max": [0.6, 0.6, 0.6]})
    assert result["transferable"] is True and result["blockers"] == [] and 0 < result["tool_box"]["worst"] <= 1
    samples = client.get(f"/v1/excitations/{result['id']}/samples", query={"rate": 500}).expect(200).json
    tools = client.post(arm + "/forward-kinematics", {"q": samples["q"]}).expect(200).json["tool"]
    for j, joint in enumerate(robot("scara")["joints"]):
        low, high = joint["limits"]["position"]
        assert all(low <= q[j] <= high for q in samples["q"])
        for field, limit in (("qd", "velocity"), ("qdd", "acceleration"), ("tau", "torque")):
            assert max(abs(x[j]) for x in samples[field]) <= joint["limits"][limit]
    assert all(-0.6 <= tool[i][3] <= 0.6 for tool in tools for i in range(3))
    worst = max(margin["worst"] for margin in result["margins"])
    assert 0.5 < worst <= 1


def test_the_regressor_has_the_condition_number_that_is_told(client, arm):
    import numpy
    result = designed(client, arm, friction=["coulomb", "viscous"])
    samples = client.get(f"/v1/excitations/{result['id']}/samples", query={"rate": 50}).expect(200).json
    motion = {field: samples[field] for field in ("q", "qd", "qdd")}
    answer = client.post(arm + "/regressor", motion, query={"base": "true"}).expect(200).json
    Y = numpy.array(answer["regressor"])
    assert Y.shape[2] >= result["parameters"]
    keep = [k for k, parameter in enumerate(answer["parameters"]) if "rotor" not in str(parameter)]
    values = numpy.linalg.svd(Y[:, :, keep].reshape(-1, len(keep)), compute_uv=False)
    assert len(keep) == result["parameters"]
    assert result["condition_number"] == pytest.approx(values[0] / values[-1], rel=0.03)
    assert result["sigma_min"] == pytest.approx(values[-1] / math.sqrt(50), rel=0.03)
    assert result["criterion"]["value"] == pytest.approx(result["condition_number"] + 0.1 / result["sigma_min"], rel=1e-9)


def regressor_of(client, arm, motion, seconds):
    """Rows of the base regressor, weighted by the root of the time that a sample stands for; without rotors."""
    import numpy
    answer = client.post(arm + "/regressor", motion, query={"base": "true"}).expect(200).json
    keep = [k for k, parameter in enumerate(answer["parameters"]) if "rotor" not in str(parameter)]
    Y = numpy.array(answer["regressor"])[:, :, keep]
    return Y.reshape(-1, len(keep)) * math.sqrt(seconds / len(Y))


def test_what_is_known_counts(client, arm):
    """Figures are those of the new motion and the old log together, second by second; the motion is another one then."""
    import numpy
    name = arm.rsplit("/", 1)[1]
    log = simulated(client, name, seed=4, seconds=12, rate=250)
    dataset = upload(client, name, log, "before")
    alone = designed(client, arm, friction=["coulomb", "viscous"])
    result = designed(client, arm, friction=["coulomb", "viscous"], known=[dataset])
    assert result["coefficients"] != alone["coefficients"] and alone["known"] == []
    assert [(k["id"], k["label"], k["samples"], len(k["sha256"])) for k in result["known"]] == [(dataset, "before", len(log), 64)]
    samples = client.get(f"/v1/excitations/{result['id']}/samples", query={"rate": 50}).expect(200).json
    new = regressor_of(client, arm, {field: samples[field] for field in ("q", "qd", "qdd")}, result["duration"])
    _, q, qd, qdd = sums_of_sines(4, 4, 12, 250, (1.0, 1.0, 0.08, 1.5))
    old = regressor_of(client, arm, {"q": q, "qd": qd, "qdd": qdd}, 12)
    values = numpy.linalg.svd(numpy.vstack([new, old]), compute_uv=False)
    # filters and trimmed ends of the old log are worth a few hundredths
    assert result["sigma_min"] == pytest.approx(values[-1], rel=0.08)
    assert result["condition_number"] == pytest.approx(values[0] / values[-1], rel=0.08)
    assert values[-1] > 1.1 * numpy.linalg.svd(new, compute_uv=False)[-1]  # it was not for nothing
    etag = client.get(f"/v1/datasets/{dataset}").expect(200).headers["ETag"]
    assert f"excitation {result['id']}" in client.delete(f"/v1/datasets/{dataset}", headers={"If-Match": etag}).expect(409).json["detail"]


def test_what_another_arm_did_is_not_known(client, arm):
    other = client.create_robot(robot("scara"), name=unique_name()).json["name"]
    job = ended(client, arm, known=[upload(client, other, simulated(client, other, seconds=4))])
    assert job["state"] == "failed" and "is of another robot" in job["problem"]["detail"]


def test_same_request_same_motion(client, arm):
    first, again, other = (designed(client, arm, seed=seed) for seed in (3, 3, 4))
    assert first["coefficients"] == again["coefficients"] and first["criterion"] == again["criterion"]
    assert first["coefficients"] != other["coefficients"]


def test_what_cannot_be_is_said(client, arm):
    job = ended(client, arm, limits={"torque": [None, None, 0.5, None]})
    assert job["state"] == "failed" and job["problem"]["type"] == "/problems/infeasible"
    assert "joint j3" in job["problem"]["detail"] and "at rest" in job["problem"]["detail"]
    job = ended(client, arm, tool_box={"min": [5, 5, 5], "max": [6, 6, 6]})
    assert job["state"] == "failed" and "box" in job["problem"]["detail"]


def test_a_raised_limit_blocks_transfers(client, arm):
    result = designed(client, arm, limits={"velocity": [6.5, 9, 1.1, 20]})
    assert result["transferable"] is False
    assert [(b["code"], b["limit"], b["joint"]) for b in result["blockers"]] == [("limit_raised", "velocity", "j2")]


@pytest.mark.parametrize("pointer, code, change", [
    ("/duration", "minimum", {"duration": 0}),
    ("/harmonics", "maximum", {"harmonics": 21}),
    ("/harmonics", "type", {"harmonics": "five"}),
    ("/base_frequency_hz", "maximum", {"base_frequency_hz": 100}),
    ("/criterion", "enum", {"criterion": "a_optimal"}),
    ("/lambda", "minimum", {"lambda": -1}),
    ("/friction/1", "enum", {"friction": ["viscous", "magic"]}),
    ("/friction/1", "duplicate", {"friction": ["viscous", "viscous"]}),
    ("/limits/position", "required", {"limits": {"position": None}}),
    ("/limits/velocity", "required", {"limits": {"velocity": [None, 1, 1, 1]}}),
    ("/limits/velocity", "length", {"limits": {"velocity": [1, 1, 1]}}),
    ("/tool_box/max/2", "inconsistent", {"tool_box": {"min": [0, 0, 1], "max": [1, 1, 0]}}),
    ("/tool_box/max", "required", {"tool_box": {"min": [0, 0, 1]}}),
    ("/population", "minimum", {"population": 3}),
    ("/generations", "maximum", {"population": 1000, "generations": 1001}),
    ("/seed", "minimum", {"seed": -1}),
    ("/sample_rate", "maximum", {"duration": 1000, "sample_rate": 100000}),
    ("/known", "type", {"known": 3}),
    ("/known/0", "pattern", {"known": ["yesterday"]}),
    ("/known/1", "duplicate", {"known": [NOBODY, NOBODY]}),
    ("/known/0", "inconsistent", {"known": [NOBODY]}),
    ("/knwon", "unknown_field", {"knwon": []}),
])
def test_bad_requests(client, arm, pointer, code, change):
    errors = client.post(arm + "/excitations", {**SMALL, **change}).expect(422).json["errors"]
    assert (pointer, code) in {(e["pointer"], e["code"]) for e in errors}, errors


def test_progress_and_cancel(client, arm):
    job = client.post(arm + "/excitations", {**SMALL, "population": 1000, "generations": 1000}).expect(202).json
    until(lambda: client.get(f"/v1/jobs/{job['id']}").json["message"].startswith("genetic algorithm, generation "), 30)
    assert "of 1000, criterion " in client.get(f"/v1/jobs/{job['id']}").json["message"]
    before = time.monotonic()
    assert client.post(f"/v1/jobs/{job['id']}/cancel").expect(200).json["state"] == "cancelled"
    assert time.monotonic() - before < PATIENCE  # a second


def test_listed_patched_and_deleted(client, arm):
    result = designed(client, arm, tags={"cell": "4"})
    place = f"/v1/excitations/{result['id']}"
    got = client.get(place).expect(200)
    assert got.json == result and result["tags"] == {"cell": "4"} and result["provenance"]["program"] == "armdyn"
    item, = client.get("/v1/excitations", query={"robot": result["robot"]}).expect(200).json["items"]
    assert item["id"] == result["id"] and item["metrics"]["condition_number"] == result["condition_number"]
    assert client.get("/v1/trajectories", query={"robot": result["robot"]}).json["items"] == []
    client.delete(place, headers={"If-Match": "*"}).expect(204)
    client.get(place).expect(404)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scara", pytest.param("ur10", marks=pytest.mark.skipif(
    not os.environ.get("ARMDYN_SOAK"), reason="takes 10 s: part of make soak"))])
def test_a_request_kept_in_tests_data(server, client, name):
    """As it stands in tests/data/excitations: its condition number, its limits at ten times the design's grid, and in the
    soak the processor time of its worker."""
    kept = json.loads((ROOT / f"tests/data/excitations/{name}.json").read_text())
    model = robot(kept["robot"])
    arm = client.create_robot(model, name=unique_name()).headers["Location"]
    workers = server.children("worker")
    before = cpu_seconds(workers)
    result = client.result_of(arm + "/excitations", {**kept["request"], "sample_rate": 10})
    if os.environ.get("ARMDYN_SOAK"):
        assert 0 < cpu_seconds(workers) - before <= kept["seconds_at_most"]
    assert result["condition_number"] <= kept["condition_at_most"]
    samples = client.get(f"/v1/excitations/{result['id']}/samples", query={"rate": 1000}).expect(200).json
    for j, joint in enumerate(model["joints"]):
        low, high = joint["limits"]["position"]
        assert all(low <= q[j] <= high for q in samples["q"])
        for field, limit in (("qd", "velocity"), ("qdd", "acceleration"), ("tau", "torque")):
            assert max(abs(x[j]) for x in samples[field]) <= joint["limits"].get(limit, math.inf), (joint["name"], field)
