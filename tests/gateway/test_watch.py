"""An arm is watched: friction that the model does not know shows in telemetry, raises an alarm, outlives the service, and is gone
when a model that knows it is promoted."""

import copy
import time

import pytest

from cell import Cell, asleep, simulated
from support import Server, contract, robot, until

pytestmark = pytest.mark.slow
RATE, SECONDS = 200, 8
WORN = 1.6  # times the Coulomb friction of its second joint


def worn():
    arm = robot("scara")
    arm["joints"][1]["friction"]["coulomb"] *= WORN
    return arm


def watch_of(here):
    watch = here.client.get(f"/v1/controllers/{here.name}/watch").expect(200).json
    assert contract.explain("#/components/schemas/Watch", watch) == ""
    return watch


def alarms(here, state):
    return here.client.get("/v1/alarms", query={"code": "model-drift", "controller": here.name, "state": state}).expect(200).json["items"]


def excitation(here):
    request = {"duration": SECONDS, "harmonics": 3, "base_frequency_hz": 0.25, "population": 10, "generations": 5}
    job = here.client.wait_job(here.client.post(f"/v1/robots/{here.robot}/excitations", request, headers={"Prefer": "wait=60"}), 240)
    assert job["state"] == "succeeded", job["problem"]
    return job["result"]["href"].rsplit("/", 1)[1]


def play(here, motion):
    """Play it; true when it was seen in the watch while it played."""
    transfer = here.playing(motion, rate=500)
    seen = until(lambda: here.get(transfer)["state"] == "done" or (watch_of(here)["transfer"] == transfer and watch_of(here)["seconds"] > 0),
                 what="the watch to see the motion")
    live = here.get(transfer)["state"] != "done"
    here.reach(transfer, "done", timeout=120)
    until(lambda: watch_of(here)["transfer"] is None, what="the end of the motion in the watch")
    dataset = here.client.get(here.get(transfer)["telemetry"]).expect(200).json
    if dataset["samples"] < SECONDS * RATE / 2:
        pytest.skip(f"this machine measured {dataset['samples']} times only")
    assert seen
    return dataset, live


def parameter(watch, name):
    return next(p for p in watch["parameters"] if p["parameter"] == name)


def test_friction_that_changes_is_seen_told_kept_and_learnt():
    truth = worn()
    with Server() as server, simulated(robot=truth) as sim:
        here = Cell(server, sim, robot("scara"), telemetry_rate=RATE)
        place = f"/v1/controllers/{here.name}/watch"
        here.client.get(place).expect(404)
        asked = {"memory": 6, "collision_thresholds": [500, 500, 500, 500]}
        begun = here.client.post(place, asked).expect(200)
        assert begun.json["motions"] == 0 and begun.json["joints"][0]["threshold"] is None
        assert here.client.post(place, asked).expect(200).json["started_at"] == begun.json["started_at"]
        here.client.post(place, {"memory": 7}).expect(409)
        dataset, live = play(here, excitation(here))
        watch = watch_of(here)
        assert live and watch["motions"] == 1 and watch["contacts"]["count"] == 0

        name, own = truth["joints"][1]["name"], truth["joints"][1]["friction"]
        found = parameter(watch, f"{name}.coulomb")
        assert found["model"] == pytest.approx(own["coulomb"] / WORN) and found["value"] == pytest.approx(own["coulomb"], rel=0.06)
        assert [joint["joint"] for joint in watch["joints"] if joint["drifted"]] == [name], watch["joints"]
        assert watch["history"]["points"] and watch["history"]["points"][-1]["change"]
        (alarm,) = until(lambda: alarms(here, "active"), what="the alarm")
        assert alarm["source"] == "watch" and name in alarm["text"] and watch["drifted_at"]

        # the observer is that of collision checks: the same figures of the same samples, unless it began anew behind a gap
        conditioning = {key: watch["conditioning"][key] for key in ("rate", "position_cutoff_hz", "trim")}
        check = here.client.result_of(f"/v1/robots/{here.robot}/collision-checks", {
            "datasets": [dataset["id"]], "thresholds": [500] * 4, "conditioning": {**conditioning, "torque_cutoff_hz": 0}})
        assert watch["gaps"]["count"] or [abs(joint["collision_peak"]) for joint in watch["joints"]] == pytest.approx(check["checked"][0]["peak"], rel=1e-6)

        server.restart()
        with server.client() as client:
            here.client = client
            again = watch_of(here)
            assert again["parameters"] == watch["parameters"] and again["started_at"] == watch["started_at"]
            assert [gap["reason"] for gap in again["gaps"]["last"]][-1] == "service_stopped"
            assert [one["id"] for one in alarms(here, "active")] == [alarm["id"]]

            # what was found becomes the model: the watch begins anew, and the alarm is over
            model = client.get(f"/v1/robots/{here.robot}").expect(200)
            better = copy.deepcopy(model.json)
            better["joints"][1]["friction"]["coulomb"] = found["value"]
            client.put(f"/v1/robots/{here.robot}", better, headers={"If-Match": model.etag}).expect(200)
            until(lambda: alarms(here, "cleared"), what="the end of the alarm")
            assert watch_of(here)["revision"] == 2 and watch_of(here)["motions"] == 0
            play(here, excitation(here))
            watch = watch_of(here)
            assert not any(joint["drifted"] for joint in watch["joints"]) and alarms(here, "active") == [], watch["joints"]
            assert parameter(watch, f"{name}.coulomb")["value"] == pytest.approx(own["coulomb"], rel=0.06)
            client.delete(place).expect(204)
            client.delete(place).expect(404)


def test_what_was_not_measured_is_a_gap():
    with Server("--child-silence", 30) as server, simulated(robot=robot("scara")) as sim:
        here = Cell(server, sim, telemetry_rate=RATE, model=robot("scara"))
        here.client.post(f"/v1/controllers/{here.name}/watch", {"conditioning": {"trim": 0.05}}).expect(200)
        motion = here.trajectory(start={"q": [0] * 4}, goal={"q": [0.5, 0.3, 0.05, 0.4]}, duration=5)
        transfer = here.playing(motion)
        until(lambda: watch_of(here)["samples"] > 0, what="the first samples")
        with asleep(server):
            time.sleep(0.6)  # of the motion's own clock
        here.reach(transfer, "done", timeout=120)
        gaps = until(lambda: watch_of(here)["transfer"] is None and watch_of(here)["gaps"]["last"], what="the gap")
        assert "samples_missing" in [gap["reason"] for gap in gaps] and gaps[0]["transfer"] == transfer
