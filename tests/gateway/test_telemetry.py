"""Telemetry: what the controller measures while it plays is a data set of the transfer, held against the plan."""

import bisect
import math

import pytest

from cell import GOAL, LONG, ZERO, Cell, float32, play_index, puma, registers, simulated
from foreign.process import Foreign
from support import robot, until


def measured(here, transfer):
    """The data set of a transfer and its columns: {"t": [..], "q": [[..], ..], "tau": [[..], ..]}."""
    href = here.get(transfer)["telemetry"]
    assert href == f"/v1/datasets/{transfer}"
    dataset = here.client.get(href).expect(200).json
    assert dataset["robot"] == here.robot and dataset["conditions"]["transfer"] == transfer
    assert dataset["conditions"]["controller"] == here.name and dataset["conditions"]["torque_side"] == "joint"
    rows = here.client.get(href + "/samples").expect(200).json
    return dataset, rows


def comparison(here, transfer):
    return here.client.get(f"/v1/transfers/{transfer}/comparison").expect(200).json


def planned_at(samples, t, field):
    """A row of the plan at time t, linear between its samples."""
    k = min(max(bisect.bisect_right(samples["t"], t) - 1, 0), len(samples["t"]) - 2)
    x = min((t - samples["t"][k]) / (samples["t"][k + 1] - samples["t"][k]), 1)
    return [a + x * (b - a) for a, b in zip(samples[field][k], samples[field][k + 1])]


def work(t, q, tau):
    """Joint work by midpoints: a sum of torque times way, without velocities."""
    return sum((a + b) / 2 * (y - x) for qa, qb, ta, tb in zip(q, q[1:], tau, tau[1:]) for x, y, a, b in zip(qa, qb, ta, tb))


def rms(values):
    return math.sqrt(sum(x * x for x in values) / len(values))


def longest_gap(rows, duration):
    """The longest time for which nothing was measured, s."""
    times = [0, *rows["t"], duration]
    return max(b - a for a, b in zip(times, times[1:]))


def seen_throughout(rows, duration, most=0.02):
    if longest_gap(rows, duration) > most:
        pytest.skip("this machine stalled while the motion was played: what was done meanwhile nobody knows")


def test_what_was_measured_is_a_data_set_and_is_compared_with_the_plan(shared):
    with puma() as sim:
        here = Cell(shared, sim, telemetry_rate=200)
        motion = here.trajectory(duration=1.5)
        transfer = here.playing(motion)
        assert here.get(transfer)["telemetry"] is None  # it is there when the transfer has ended
        here.reach(transfer, "done")
        dataset, rows = measured(here, transfer)
        assert dataset["conditions"]["torque_source"] == "sensor" and dataset["samples"] == len(rows["t"]) >= 10
        assert 0 <= rows["t"][0] < rows["t"][-1] <= 1.501 and sorted(set(rows["t"])) == rows["t"]
        plan = here.samples(motion)
        errors = {field: [[a - b for a, b in zip(row, planned_at(plan, t, field))] for t, row in zip(rows["t"], rows[field])]
                  for field in ("q", "tau")}
        got = comparison(here, transfer)
        assert got["dataset"] == transfer and got["trajectory"] == motion and got["samples"] == len(rows["t"])
        assert got["torque_source"] == "sensor" and [got["from"], got["to"]] == [rows["t"][0], rows["t"][-1]]
        for j, joint in enumerate(got["joints"]):
            assert joint["joint"] == here.model["joints"][j]["name"]
            for field, figures in (("q", joint["position"]), ("tau", joint["torque"])):
                column = [row[j] for row in errors[field]]
                scale = max(abs(planned_at(plan, t, field)[j]) for t in rows["t"])
                assert figures["rms"] == pytest.approx(rms(column), rel=1e-3, abs=1e-4 * scale + 1e-9)
                assert figures["max"] == pytest.approx(max(map(abs, column)), rel=1e-3, abs=1e-3 * scale + 1e-9)
            assert joint["position"]["max"] < 2e-3  # forward dynamics under feed-forward and a position loop
            assert joint["torque"]["relative_percent"] < 10
        seen_throughout(rows, 1.5)
        energy = got["energy"]["mechanical"]
        assert energy["measured"] == pytest.approx(work(rows["t"], rows["q"], rows["tau"]), rel=0.03, abs=0.05)
        assert energy["measured"] == pytest.approx(energy["planned"], rel=0.05, abs=0.2)


def test_torques_that_the_controller_does_not_tell_are_those_of_the_profile(shared):
    with puma("--blind") as sim:
        here = Cell(shared, sim)
        motion = here.trajectory()
        transfer = here.playing(motion)
        here.reach(transfer, "done")
        dataset, rows = measured(here, transfer)
        assert dataset["conditions"]["torque_source"] == comparison(here, transfer)["torque_source"] == "command"
        plan = here.samples(motion)
        for t, q, tau in zip(rows["t"], rows["q"], rows["tau"]):
            k = round(t * 1000)  # the play index alone tells the time
            assert abs(t - k / 1000) < 1e-9 and tau == [float32(x) for x in plan["tau"][k]]
            assert q == pytest.approx(plan["q"][k], abs=5e-3)


@pytest.mark.same_threads
def test_axes_are_mapped_back_to_joints(shared):
    model = robot("puma560")
    axes = [{"joint": joint["name"], "axis": 6 - j, "sign": (-1) ** j, "position_scale": 1 + j, "position_offset": j / 8,
             "torque_side": "motor" if j % 2 else "joint",
             "rated_torque": joint["limits"]["torque"]} for j, joint in enumerate(model["joints"])]
    with simulated("--axes", 6, "--blind") as sim:
        here = Cell(shared, sim, model, axes=axes)
        motion = here.trajectory()
        transfer = here.playing(motion)
        here.reach(transfer, "done")
        _, rows = measured(here, transfer)
        plan = here.samples(motion)
        for t, q, tau in zip(rows["t"], rows["q"], rows["tau"]):
            assert q == pytest.approx(plan["q"][round(t * 1000)], abs=5e-3)
            assert tau == pytest.approx(plan["tau"][round(t * 1000)], rel=1e-6, abs=1e-9)


@pytest.mark.same_threads
def test_no_telemetry(here_without):
    here, transfer = here_without
    assert here.get(transfer)["telemetry"] is None
    answer = here.client.get(f"/v1/transfers/{transfer}/comparison")
    assert answer.status == 404 and "no telemetry" in answer.json["detail"]
    assert here.client.get("/v1/transfers/01ARZ3NDEKTSV4RRFFQ69G5FAV/comparison").status == 404


@pytest.fixture(params=["never asked for", "never played"])
def here_without(shared, request):
    with puma() as sim:
        here = Cell(shared, sim, telemetry_rate=0 if request.param == "never asked for" else 100)
        motion = here.trajectory(duration=0.6)
        if request.param == "never asked for":
            transfer = here.playing(motion)
            here.reach(transfer, "done")
        else:
            transfer = here.loaded(motion)
            here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
        yield here, transfer


def test_a_held_motion_is_compared_over_all_its_parts(shared):
    with puma() as sim:
        here = Cell(shared, sim)
        motion = here.trajectory(duration=3)
        transfer = here.playing(motion)
        until(lambda: play_index(sim.port) > 500, LONG, what="a part that is played")
        here.client.post(f"/v1/transfers/{transfer}/hold").expect(202)
        here.reach(transfer, "holding")
        until(lambda: registers(sim.port, 1065, 2) == registers(sim.port, 1065, 2), LONG, 0.1, what="rest on the path")
        held = play_index(sim.port) / 1000
        here.client.post(f"/v1/transfers/{transfer}/resume", headers={"Idempotency-Key": transfer}).expect(202)
        here.reach(transfer, "done")
        got = comparison(here, transfer)
        parts = got["parts"]
        assert len(parts) >= 2 and parts[0]["from"] == got["from"] and parts[-1]["to"] == got["to"]
        assert sum(part["samples"] for part in parts) == got["samples"]
        assert got["from"] < held < got["to"] and got["to"] > 2.5
        assert any(a["to"] <= held + 0.05 and held - 0.05 <= b["from"] for a, b in zip(parts, parts[1:]))
        assert all(joint["position"]["max"] < 5e-3 for joint in got["joints"])
        plan = here.samples(motion)
        inside = [k for k, t in enumerate(plan["t"]) if any(part["from"] <= t <= part["to"] for part in parts)]
        pieces = [[k for k in inside if part["from"] <= plan["t"][k] <= part["to"]] for part in parts]
        expected = sum(work(*([plan[field][k] for k in piece] for field in ("t", "q", "tau"))) for piece in pieces)
        assert got["energy"]["mechanical"]["planned"] == pytest.approx(expected, rel=0.03, abs=0.1)


def test_lag_and_worst_moment(shared):
    """An arm that is 8 ms behind its path, and whose fourth axis is bumped at 0.6 s, is told to be so."""
    with Foreign("--measures", "--lag", 8, "--bump", "4:0.6:25") as controller:
        here = Cell(shared, controller, telemetry_rate=200)
        motion = here.trajectory(duration=1.2)
        transfer = here.playing(motion)
        here.reach(transfer, "done")
        seen_throughout(measured(here, transfer)[1], 1.2)
        got, plan = comparison(here, transfer), here.samples(motion)
        for j, joint in enumerate(got["joints"]):
            assert joint["lag"] == pytest.approx(0.008, abs=5e-4) and abs(joint["offset"]) < 1e-4
            assert joint["rms_without"] < joint["position"]["rms"] / 10
            fastest = max(plan["t"], key=lambda t: abs(planned_at(plan, t, "qd")[j]))  # where being behind tells most
            assert joint["position"]["worst_at"] == pytest.approx(fastest, abs=0.1)
            assert abs(joint["position"]["worst"]) == joint["position"]["max"] == pytest.approx(0.008 * abs(planned_at(plan, fastest, "qd")[j]), rel=0.05)
        bumped = got["joints"][3]["torque"]
        assert bumped["worst"] == pytest.approx(25, abs=0.5) and bumped["worst_at"] == pytest.approx(0.6, abs=0.021)
        residuals = got["residuals"]
        assert len(residuals["t"]) <= 1000 and residuals["t"] == sorted(residuals["t"])
        assert [len(one) for one in residuals["position"] + residuals["torque"]] == [len(residuals["t"])] * 12
        assert max(residuals["torque"][3], key=abs) == pytest.approx(25, abs=0.5)
        assert got["energy"]["remark"] is None
        controller.ledger()


def test_energy_that_differs_by_braking_is_said_to(shared):
    """The drives of this arm let go where it should brake: nothing is given back, and that is all that differs."""
    with Foreign("--measures", "--limp") as controller:
        here = Cell(shared, controller, telemetry_rate=200)
        motion = here.trajectory(goal={"q": [0, -1, 0, 0, 0, 0]}, duration=1.2)
        transfer = here.playing(motion)
        here.reach(transfer, "done")
        seen_throughout(measured(here, transfer)[1], 1.2)
        energy, plan = comparison(here, transfer)["energy"], here.samples(motion)
        back = sum(max(0, -(a + b) / 2 * (y - x)) for qa, qb, ta, tb in zip(plan["q"], plan["q"][1:], plan["tau"], plan["tau"][1:])
                   for x, y, a, b in zip(qa, qb, ta, tb))
        mechanical = energy["mechanical"]
        assert back > 1 and mechanical["braking"]["planned"] == pytest.approx(back, rel=0.1)
        assert mechanical["braking"]["measured"] < 0.1 * back
        assert mechanical["measured"] - mechanical["planned"] == pytest.approx(back, rel=0.15)
        assert "braking" in energy["remark"] and "more than planned" in energy["remark"]


TWO = {"convention": "dh", "joints": [
    {"name": "j1", "type": "revolute", "a": 0.4, "alpha": 0, "d": 0, "theta": 0, "limits": {"torque": 400, "velocity": 8},
     "link": {"mass": 8, "com": [-0.2, 0, 0], "inertia": {"xx": 0.02, "yy": 0.2, "zz": 0.2}},
     "friction": {"viscous": 2, "coulomb": 3}},
    {"name": "j2", "type": "revolute", "a": 0.3, "alpha": 0, "d": 0, "theta": 0, "limits": {"torque": 200, "velocity": 8},
     "link": {"mass": 4, "com": [-0.15, 0, 0], "inertia": {"xx": 0.01, "yy": 0.06, "zz": 0.06}},
     "friction": {"viscous": 1, "coulomb": 2}}],
    "gravity": [0, -9.81, 0], "name": "two"}


@pytest.mark.slow
def test_a_model_is_identified_from_it(shared):
    """The arm of the simulated controller is heavier than the model that the plan was made with: its telemetry tells."""
    heavier = {**TWO, "joints": [TWO["joints"][0], {**TWO["joints"][1], "link": {**TWO["joints"][1]["link"], "mass": 5}}]}
    with puma(model=heavier) as sim:
        here = Cell(shared, sim, TWO, telemetry_rate=250)
        points = [[0.9, -0.7], [-0.6, 1.1], [0.8, 0.6], [-0.9, -0.9], [0.4, 1.2], [-0.5, 0.3], [1.0, -1.0], [-0.8, 0.9]]
        motion = here.trajectory(method="trapezoid", start={"q": [0, 0]}, goal={"q": [0, 0]}, duration=7,
                                 waypoints=[{"q": q} for q in points])
        for _ in range(3):  # a gap of 70 ms costs 3 % of an inertia and of friction wherever it is, one of 150 ms up to half of them
            transfer = here.playing(motion)
            here.reach(transfer, "done")
            rows = measured(here, transfer)[1]
            if longest_gap(rows, 7) < 0.07:
                break
        seen_throughout(rows, 7, 0.07)
        got = comparison(here, transfer)
        assert got["joints"][1]["torque"]["relative_percent"] > 5  # the plan does not know of it
        request = {"datasets": [transfer], "validation_fraction": 0.3, "estimator": "wls",
                   "friction": ["coulomb", "viscous"]}
        job = here.client.wait_job(here.client.post(f"/v1/robots/{here.robot}/identifications", request, headers={"Prefer": "wait=30"}))
        assert job["state"] == "succeeded", job
        result = here.client.get(job["result"]["href"]).expect(200).json
        assert result["errors"]["validation"]["filtered"]["relative_percent"] < 10
        value = {p["expression"]: p["value"] for p in result["parameters"]["base"]}
        assert value["j1.mx + 0.4 j1.m + 0.4 j2.m"] == pytest.approx(8 * (0.4 - 0.2) + 5 * 0.4, rel=0.02)
        assert value["j2.mx + 0.3 j2.m"] == pytest.approx(5 * (0.3 - 0.15), rel=0.02)  # the model says 0.6
        assert value["j2.Izz - 0.09 j2.m"] == pytest.approx(0.06 + 5 * 0.15**2 - 5 * 0.09, rel=0.15)
        for joint, coulomb, viscous in (("j1", 3, 2), ("j2", 2, 1)):  # within 5 %, but where a busy machine leaves gaps
            assert value[f"{joint}.coulomb"] == pytest.approx(coulomb, rel=0.2)
            assert value[f"{joint}.viscous"] == pytest.approx(viscous, rel=0.2)


def test_after_the_stop_of_a_transfer_it_is_known_from_when(shared):
    """Of a motion that ends with a dwell, when its move ends, on the clock of telemetry; of one that does not rest, refused."""
    with puma() as sim:
        here = Cell(shared, sim, telemetry_rate=100)
        move, seen = here.trajectory(duration=0.6), []
        rested = here.client.result_of(f"/v1/robots/{here.robot}/trajectories", {"method": "sequence", "steps": [{"trajectory": move}, {"dwell": 0.8}]})
        for motion in rested["id"], here.trajectory(start={"q": GOAL}, goal={"q": ZERO}, duration=0.6):
            transfer = here.playing(motion)
            here.reach(transfer, "done")
            seen.append(measured(here, transfer))
        (stopped, rows), (moving, _) = seen
        seen_throughout(rows, 1.4, 0.1)
        found = here.client.post(f"/v1/robots/{here.robot}/vibrations", {"dataset": stopped["id"]}).expect(200).json
        assert found["begin"] == pytest.approx(0.6, abs=1e-9) and 16 <= found["samples"] <= 82
        assert found["q"] == pytest.approx(GOAL, abs=5e-3)
        (fault,) = here.client.post(f"/v1/robots/{here.robot}/vibrations", {"dataset": moving["id"]}).expect(422).json["errors"]
        assert fault["pointer"] == "/dataset" and "ends with a dwell" in fault["detail"]
        (fault,) = here.client.post(f"/v1/robots/{here.robot}/vibrations", {"dataset": stopped["id"], "end": 0.3}).expect(422).json["errors"]
        assert fault["pointer"] == "/dataset" and "rests from 0.6 s on" in fault["detail"]
