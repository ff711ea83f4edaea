"""The electrical energy of trajectories, data sets and logs."""

import math

import numpy as np
import pytest

from support import npy_write, unique_name
from support.datasets import as_csv, upload
from support.optima import optimum


@pytest.fixture(scope="module")
def moved(server):
    """(path of an arm with drives, its trajectory)."""
    with server.client() as client:
        model, request, _ = optimum("iv_2R_unconstrained")
        for joint in model["joints"]:
            joint["drive"] = {"rotor_inertia": 1e-5, "gear_ratio": -50, "torque_constant": 0.1, "resistance": 0.5, "efficiency": 0.9}
        arm = client.post("/v1/robots", {**model, "name": unique_name()}, query={"allow_unphysical": "true"}).expect(201).headers["Location"]
        return arm, client.result_of(arm + "/trajectories", request)


def estimate(client, arm, request, **options):
    return client.post(arm + "/energy-estimates", request, **options).expect(200).json


def log_of(client, trajectory, rate=2000):
    return client.get(trajectory["samples"], query={"rate": rate, "fields": "t,q,qd,qdd,tau"}).expect(200).json


def test_of_a_trajectory(client, moved):
    arm, trajectory = moved
    answer = estimate(client, arm, {"trajectory": trajectory["id"]})
    predicted = answer["predicted"]
    assert predicted["electrical_energy"] == trajectory["electrical_energy"]
    assert predicted["kwh_per_1000_cycles"] == pytest.approx(predicted["electrical_energy"]["total"] * 1000 / 3.6e6, rel=1e-12)
    assert answer["measured"] is None and answer["samples"] is None and answer["difference_percent"] is None
    assert answer["duration"] == trajectory["duration"] and answer["revision"] == 1


def test_regeneration_saves(client, moved):
    arm, trajectory = moved
    total = [estimate(client, arm, {"trajectory": trajectory["id"], "regeneration": way})["predicted"]["electrical_energy"]["total"]
             for way in ("none", "shared_bus", "grid")]
    assert total[0] > total[1] > total[2] > 0
    best = estimate(client, arm, {"trajectory": trajectory["id"], "regeneration": "grid", "grid_efficiency": 1})
    causes = best["predicted"]["electrical_energy"]["by_cause"]
    assert causes["burnt"] == pytest.approx(0, abs=1e-9)
    assert sum(causes.values()) == pytest.approx(best["predicted"]["electrical_energy"]["total"], rel=1e-9)


@pytest.mark.parametrize("given", ["tau", "current"])
def test_of_a_log(client, moved, given):
    """A log of the very motion tells the same, by torques and by the currents that make them; more torque costs more."""
    arm, trajectory = moved
    log = log_of(client, trajectory)
    exact = trajectory["electrical_energy"]["total"]
    tau = log.pop("tau")
    factor = {"tau": 1, "current": 1 / (-50 * 0.1)}[given]
    log[given] = [[factor * x for x in row] for row in tau]
    answer = estimate(client, arm, log)
    assert answer["samples"] == len(tau)
    assert answer["predicted"]["electrical_energy"]["total"] == pytest.approx(exact, rel=1e-4)
    assert answer["measured"]["electrical_energy"]["total"] == pytest.approx(exact, rel=1e-4)
    assert abs(answer["difference_percent"]) < 1e-6
    log[given] = [[1.1 * x for x in row] for row in log[given]]
    more = estimate(client, arm, log)
    copper = [e["measured"]["electrical_energy"]["by_cause"]["copper"] for e in (answer, more)]
    assert copper[1] == pytest.approx(1.21 * copper[0], rel=1e-9)
    assert more["difference_percent"] < 0


def test_accelerations_are_differences_when_they_are_not_logged(client, moved):
    arm, trajectory = moved
    log = log_of(client, trajectory)
    del log["tau"], log["qdd"]
    answer = estimate(client, arm, log)
    assert answer["predicted"]["electrical_energy"]["total"] == pytest.approx(trajectory["electrical_energy"]["total"], rel=1e-3)
    assert answer["measured"] is None


def test_csv_is_as_good(client, moved):
    arm, trajectory = moved
    csv = client.get(trajectory["samples"], query={"rate": 500, "fields": "t,q,qd,qdd,tau"}, headers={"Accept": "text/csv"}).body
    by_csv = client.post(arm + "/energy-estimates", body=csv, content_type="text/csv",
                         query={"regeneration": "grid", "grid_efficiency": 0.5}).expect(200).json
    by_json = estimate(client, arm, {**log_of(client, trajectory, 500), "regeneration": "grid", "grid_efficiency": 0.5})
    assert by_csv == by_json


@pytest.mark.parametrize("kind", ["qdd and tau", "tau", "nothing", "currents"])
def test_npy_is_as_good(client, moved, kind):
    """Columns by their number where that tells them, by ?fields= where it does not."""
    arm, trajectory = moved
    log = log_of(client, trajectory, 500)
    taken = {"qdd and tau": ["qdd", "tau"], "tau": ["tau"], "nothing": [], "currents": ["qdd", "i"]}[kind]
    log["current"] = [[x / (-50 * 0.1) for x in row] for row in log["tau"]]
    columns = {"i": "current"}
    rows = [[log["t"][k], *log["q"][k], *log["qd"][k], *(x for name in taken for x in log[columns.get(name, name)][k])] for k in range(len(log["t"]))]
    query = {"fields": "t,q,qd,qdd,i"} if kind == "currents" else {}
    by_npy = client.post(arm + "/energy-estimates", body=npy_write(rows), content_type="application/x-npy",
                         query={"regeneration": "shared_bus", **query}).expect(200).json
    asked = {name: log[name] for name in ("t", "q", "qd", *(columns.get(name, name) for name in taken))}
    assert by_npy == estimate(client, arm, {**asked, "regeneration": "shared_bus"})
    assert (by_npy["measured"] is None) == (kind == "nothing")


# -- data sets: of one axis that swings, for which all is known in closed form --

INERTIA, SWING, OMEGA, CYCLES, RATE = 2.5, 0.4, 2 * math.pi * 0.8, 16, 400
COPPER = 0.8 / 0.5**2 * (INERTIA * SWING * OMEGA**2) ** 2 / 2 * CYCLES * 2 * math.pi / OMEGA  # r / k^2, mean of tau^2, time


def swings(names=("t", "q1", "tau1"), factor=1.0):
    """Whole periods of q = A (1 - cos w t): what is kinetic comes back, so a grid without losses pays for copper alone."""
    rows = []
    for k in range(round(CYCLES * 2 * math.pi / OMEGA * RATE) + 1):
        t = k / RATE
        tau = factor * INERTIA * SWING * OMEGA**2 * math.cos(OMEGA * t)
        rows.append([{"t": t, "q1": SWING * (1 - math.cos(OMEGA * t)), "tau1": tau, "i1": tau / 0.5}[name] for name in names])
    return as_csv(rows, names)


@pytest.fixture(scope="module")
def axis(server):
    model, _, _ = optimum("i_inertia_only")
    model["joints"][0]["drive"].update(torque_constant=0.5, resistance=0.8, efficiency=1)
    with server.client() as client:
        return client.post("/v1/robots", {**model, "name": unique_name()}).expect(201).headers["Location"]


GRID = {"regeneration": "grid", "grid_efficiency": 1}


@pytest.mark.parametrize("names", [("t", "q1", "tau1"), ("t", "q1", "i1"), ("t", "q1")])
def test_of_a_data_set(client, axis, names):
    """By the filters as they are chosen, some percent are lost where the log begins and ends; its middle is exact."""
    dataset = upload(client, axis, swings(names)).expect(201).json
    answer = estimate(client, axis, {"dataset": dataset["id"], **GRID})
    assert answer["predicted"]["electrical_energy"]["by_cause"]["copper"] == pytest.approx(COPPER, rel=0.02)
    assert answer["predicted"]["electrical_energy"]["total"] == pytest.approx(COPPER, rel=0.02)
    assert answer["duration"] == pytest.approx(CYCLES * 2 * math.pi / OMEGA, abs=2 / RATE)
    assert answer["samples"] == dataset["samples"] and answer["conditioning"]["rate"] == pytest.approx(RATE, rel=1e-9)
    assert 5 <= answer["conditioning"]["cutoff_hz"] <= RATE / 5 and answer["warnings"] == []
    if len(names) == 2:
        assert answer["measured"] is None and answer["difference_percent"] is None
        return
    assert answer["measured"]["electrical_energy"]["by_cause"]["copper"] == pytest.approx(COPPER, rel=0.01)
    assert abs(answer["difference_percent"]) < 2
    assert answer["measured"]["kwh_per_1000_cycles"] == pytest.approx(answer["measured"]["electrical_energy"]["total"] / 3600, rel=1e-12)


def test_a_drive_draws_what_is_positive_and_returns_the_rest(client):
    """P = tau v + r (tau / k)^2 by quadrature on a grid fifty times as fine, of a drive that loses little."""
    model, _, _ = optimum("i_inertia_only")
    model["joints"][0]["drive"].update(torque_constant=0.5, resistance=0.02, efficiency=1)
    axis = client.post("/v1/robots", {**model, "name": unique_name()}).expect(201).headers["Location"]
    dataset = upload(client, axis, swings()).expect(201).json["id"]
    drive, = estimate(client, axis, {"dataset": dataset, "cutoff_hz": 0, **GRID})["measured"]["electrical_energy"]["by_joint"]
    time = np.arange(0, 2 * math.pi / OMEGA, 1 / (50 * RATE))
    tau, v = INERTIA * SWING * OMEGA**2 * np.cos(OMEGA * time), SWING * OMEGA * np.sin(OMEGA * time)
    power = tau * v + 0.02 * (tau / 0.5) ** 2
    drawn, returned = (CYCLES * np.maximum(sign * power, 0).sum() / (50 * RATE) for sign in (1, -1))
    assert drive["drawn"] == pytest.approx(drawn, rel=1e-3) and drive["returned"] == pytest.approx(returned, rel=1e-3)
    assert drive["drawn"] - drive["returned"] == pytest.approx(drive["total"], rel=1e-9)


def test_a_data_set_that_takes_more_than_the_model_says(client, axis):
    """Copper goes with the square of the torque; the same data set in many blocks and in one (not filtered) agree."""
    dataset = upload(client, axis, swings(factor=1.1)).expect(201).json["id"]
    answer = estimate(client, axis, {"dataset": dataset, "cutoff_hz": 60, **GRID})
    copper = [answer[side]["electrical_energy"]["by_cause"]["copper"] for side in ("predicted", "measured")]
    assert copper[1] / copper[0] == pytest.approx(1.21, rel=0.02) and answer["conditioning"]["cutoff_hz"] == 60
    assert answer["difference_percent"] == pytest.approx(100 * (1 / 1.21 - 1), abs=1.5)
    raw = estimate(client, axis, {"dataset": dataset, "cutoff_hz": 0, **GRID})
    assert raw["measured"]["electrical_energy"]["by_cause"]["copper"] == pytest.approx(1.21 * COPPER, rel=1e-3)


def test_a_long_data_set_is_the_sum_of_its_blocks(client, axis):
    """40,000 samples are read in three blocks; every joint between two of them would lose a sample of some 40,000."""
    count, rate = 40000, 2000
    rows = [[k / rate, SWING * (1 - math.cos(OMEGA * k / rate)), INERTIA * SWING * OMEGA**2 * math.cos(OMEGA * k / rate)] for k in range(count + 1)]
    dataset = upload(client, axis, npy_write(rows), "application/x-npy").expect(201).json["id"]
    answer = estimate(client, axis, {"dataset": dataset, "cutoff_hz": 0, **GRID})
    assert answer["samples"] == count + 1 and answer["duration"] == pytest.approx(count / rate, rel=1e-12)
    exact = COPPER / (CYCLES * 2 * math.pi / OMEGA) * count / rate  # sixteen periods again: 20 s of 0.8 Hz
    assert answer["measured"]["electrical_energy"]["by_cause"]["copper"] == pytest.approx(exact, rel=1e-7)


def test_a_data_set_is_told_by_its_own_revision(client):
    """Later the motor is found to have twice the resistance: what was logged before was copper of half of it."""
    model, _, _ = optimum("i_inertia_only")
    model["joints"][0]["drive"].update(torque_constant=0.5, resistance=0.8, efficiency=1)
    arm = client.post("/v1/robots", {**model, "name": unique_name()}).expect(201).headers["Location"]
    dataset = upload(client, arm, swings()).expect(201).json
    now = client.get(arm)
    now.json["joints"][0]["drive"]["resistance"] = 1.6
    assert client.put(arm, now.json, headers={"If-Match": now.etag}).expect(200).etag == '"2"'
    asked = {"dataset": dataset["id"], "cutoff_hz": 60, **GRID}
    for query, revision, copper in (({}, 1, COPPER), ({"revision": "1"}, 1, COPPER), ({"revision": "2"}, 2, 2 * COPPER), ({"revision": "latest"}, 2, 2 * COPPER)):
        done = client.post(arm + "/energy-estimates", asked, query=query).expect(200)
        assert done.json["revision"] == int(done.headers["Armdyn-Robot-Revision"]) == revision
        assert done.json["measured"]["electrical_energy"]["total"] == pytest.approx(copper, rel=5e-3)
    assert estimate(client, arm, {"dataset": upload(client, arm, swings()).expect(201).json["id"]})["revision"] == 2


def test_data_sets_that_do_not_fit(client, axis, moved):
    dataset = upload(client, axis, swings()).expect(201).json["id"]
    client.request("PATCH", "/v1/datasets/" + dataset, {"conditions": {"payload": {"mass": 2, "com": [0, 0, 0], "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}}},
                   headers={"If-Match": "*"}, content_type="application/merge-patch+json").expect(200)
    assert [w["code"] for w in estimate(client, axis, {"dataset": dataset})["warnings"]] == ["conditions_differ"]
    for arm, asked, words in ((moved[0], dataset, "another robot"), (axis, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "does not exist")):
        problem = client.post(arm + "/energy-estimates", {"dataset": asked}).expect(422).json
        assert [(e["pointer"], e["code"]) for e in problem["errors"]] == [("/dataset", "inconsistent")]
        assert words in problem["errors"][0]["detail"]
