"""What an order of several steps is refused for, with its places; and stored motions that are joined to one."""

import pytest

from support import robot, unique_name

THERE = [0.3, -0.2, 0.1, 0.4]
HERE = [0.0] * 4


@pytest.fixture(scope="module")
def cell(server):
    """A client, and the name of a controller that nobody answers at."""
    client = server.client()
    arm = {**robot("scara"), "name": unique_name("arm")}
    client.create_robot(arm)
    name = unique_name("cell")
    client.post("/v1/controllers", {"name": name, "host": "127.0.0.1", "port": 9, "robot": arm["name"],
                                    "profile": {"protocol": "armdyn-v2", "allow_start": True}}).expect(201)
    client.arm, client.cell = arm["name"], name
    yield client


def refused(cell, steps, **more):
    answer = cell.post("/v1/orders", {"controller": cell.cell, "start": "on_request", "steps": steps, **more}).expect(422).json
    return {error["pointer"]: error["detail"] for error in answer["errors"]}


def test_what_is_wrong_is_named_with_its_step(cell):
    go = {"to": {"q": THERE}, "duration": 1}
    assert set(refused(cell, [go, {"to": {"q": [9] * 4}, "duration": 1}, {"to": {"q": [0]}, "duration": 1}])) >= {"/steps/1/to/q/0", "/steps/2/to/q"}
    assert set(refused(cell, [go, {"to": {"q": HERE}}])) == {"/steps/1/cycle_time_max"}
    assert set(refused(cell, [go, {}])) >= {"/steps/1/to"}
    assert set(refused(cell, [go, {"dwell": 1, "duration": 1, "to": {"q": HERE}}])) == {"/steps/1/to", "/steps/1/duration"}
    assert set(refused(cell, [go, {"dwell": 0}])) == {"/steps/1/dwell"}
    assert set(refused(cell, [{"dwell": 1}])) == {"/steps"} and set(refused(cell, [])) == {"/steps"}
    assert set(refused(cell, [go] * 33)) == {"/steps"}
    assert "one part" in refused(cell, [{**go, "part": "A7"}])["/steps/0/part"]
    assert "a step of its own" in refused(cell, [{**go, "output": {"name": "gripper", "value": "closed"}}])["/steps/0/output"]
    assert "profile.map.outputs" in refused(cell, [go, {"dwell": 1, "output": {"name": "gripper", "value": "closed"}}])["/steps/1/output"]
    assert set(refused(cell, [go], to={"q": HERE}, duration=1, objective="smooth")) == {"/to", "/duration", "/objective"}


def plan(cell, **request):
    answer = cell.post(f"/v1/robots/{cell.arm}/trajectories", request, headers={"Prefer": "wait=60"})
    return cell.wait_job(answer)


def quintic(cell, begin, end, duration):
    job = plan(cell, method="quintic", start={"q": begin}, goal={"q": end}, duration=duration)
    return cell.get(job["result"]["href"]).expect(200).json


def test_stored_motions_are_joined_as_they_are(cell):
    there, back = quintic(cell, HERE, THERE, 1.1), quintic(cell, THERE, HERE, 0.9)
    whole = plan(cell, method="sequence", steps=[{"trajectory": there["id"]}, {"dwell": 0.5}, {"trajectory": back["id"]}])
    whole = cell.get(whole["result"]["href"]).expect(200).json
    assert whole["waypoint_times"] == pytest.approx([0, 1.1, 1.6, 2.5])
    for got, want in zip(whole["waypoint_positions"], (HERE, THERE, THERE, HERE)):
        assert got == pytest.approx(want, abs=1e-12)
    assert whole["transferable"] and whole["energy"]["total"] == pytest.approx(there["energy"]["total"] + back["energy"]["total"], rel=1e-6)
    samples = cell.get(f"/v1/trajectories/{whole['id']}/samples", query={"rate": 100}).expect(200).json
    alone = cell.get(f"/v1/trajectories/{there['id']}/samples", query={"rate": 100}).expect(200).json
    for k in range(110):
        assert samples["q"][k] == pytest.approx(alone["q"][k], abs=1e-9)
    assert all(samples["qd"][k] == [0] * 4 and samples["q"][k] == pytest.approx(THERE, abs=1e-12) for k in range(111, 160))
    cell.delete(f"/v1/trajectories/{there['id']}", headers={"If-Match": "*"}).expect(409)  # it is kept


def test_what_cannot_follow_is_refused_with_its_step(cell):
    there = quintic(cell, HERE, THERE, 1)["id"]
    job = plan(cell, method="sequence", steps=[{"trajectory": there}, {"trajectory": there}])
    assert job["state"] == "failed" and "/steps/1" in [error["pointer"] for error in job["problem"]["errors"]]
    def faults(**request):
        answer = cell.post(f"/v1/robots/{cell.arm}/trajectories", {"method": "sequence", **request}).expect(422).json
        return {error["pointer"] for error in answer["errors"]}
    assert faults() == {"/steps"} and faults(steps=[{"dwell": 1, "trajectory": there}]) == {"/steps/0"}
    assert faults(steps=[{"trajectory": there}], start={"q": HERE}, duration=1) == {"/start", "/duration"}
    assert faults(steps=[{"trajectory": "01M85YBPSHZ594ETCXHGP6GJW3"}]) == {"/steps/0/trajectory"}
