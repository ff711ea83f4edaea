"""A transfer as the contract tells it, against the simulated controller: every answer is held against its schema, and
nothing that moves the arm happens twice."""

import copy
from datetime import datetime, timedelta, timezone

import pytest

from support import ControllerSim, Server, contract, unique_name, until

MODEL = contract.document()["paths"]["/v1/robots"]["post"]["requestBody"]["content"]["application/json"]["examples"]["two_links"]["value"]
MOTION = {"method": "quintic", "start": {"q": [0, 0]}, "goal": {"q": [0.9, 1.2]}, "duration": 1.2}


def soon(seconds=30):
    return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def once():
    return {"Idempotency-Key": unique_name("key")}


class Cell:
    """A service, a simulated controller, and a trajectory to play."""

    def __init__(self, client, sim):
        self.client, self.name = client, unique_name("cell")
        self.robot = unique_name("arm")
        client.post("/v1/robots", {**copy.deepcopy(MODEL), "name": self.robot}).expect(201)
        job = client.wait_job(client.post(f"/v1/robots/{self.robot}/trajectories", MOTION, headers={"Prefer": "wait=20"}))
        self.trajectory = job["result"]["href"].rsplit("/", 1)[1]
        client.post("/v1/controllers", {"name": self.name, "host": "127.0.0.1", "port": sim.port, "robot": self.robot,
                                        "profile": {"protocol": "armdyn-v2", "allow_start": True}}).expect(201)

    def transfer(self, headers=None, **more):
        body = {"trajectory": self.trajectory, "rate": 250, **more}
        return self.client.post(f"/v1/controllers/{self.name}/transfers", body, headers=headers)

    def state(self, path):
        return self.client.get(path).expect(200).json["state"]

    def reach(self, path, state):
        return until(lambda: self.state(path) == state or self.state(path) in ("failed", "interrupted"), what=state) and \
            self.client.get(path).expect(200).json


@pytest.fixture
def cell():
    with Server() as server, server.client() as client, ControllerSim(robot=MODEL) as sim:
        yield Cell(client, sim)


def test_from_download_to_done(cell):
    client = cell.client
    accepted = cell.transfer(tags={"part": "A7"}).expect(202)
    path = accepted.headers["Location"]
    ready = cell.reach(path, "ready")
    assert ready["sent"] == ready["total"] == 301 and ready["tags"] == {"part": "A7"}
    assert client.post(path + "/start", {"start_before": soon()}, headers=once()).expect(409).json["type"] == "/problems/conflict"
    client.post(path + "/arm").expect(202)
    cell.reach(path, "armed")
    key, body = once(), {"start_before": soon()}
    client.post(path + "/start", body).expect(400)
    client.post(path + "/start", {"start_before": soon(3600)}, headers=once()).expect(422)
    client.post(path + "/start", {"start_before": soon(-5)}, headers=once()).expect(409, 422)
    assert client.post(path + "/start", body, headers=key).expect(202).json["started_at"]
    again = client.post(path + "/start", body, headers=key).expect(202)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert client.post(path + "/start", body, headers=once()).expect(409)
    done = cell.reach(path, "done")
    states = [step["state"] for step in done["history"]]
    assert states == ["queued", "connecting", "loading", "ready", "armed", "playing", "done"]
    assert [step["at"] for step in done["history"]] == sorted(step["at"] for step in done["history"])
    status = client.get(f"/v1/controllers/{cell.name}/status").expect(200).json
    assert status["position"] == pytest.approx([0.9, 1.2], abs=0.02) and status["lease"] is None


def test_one_transfer_at_a_time(cell):
    client = cell.client
    path = cell.transfer().expect(202).headers["Location"]
    cell.reach(path, "ready")
    other = cell.transfer().expect(409).json
    assert other["type"] == "/problems/lease-held" and path.rsplit("/", 1)[1] in other["detail"]
    etag = client.get(f"/v1/controllers/{cell.name}").etag
    client.delete(f"/v1/controllers/{cell.name}", headers={"If-Match": etag}).expect(409)
    client.post(f"/v1/controllers/{cell.name}/clear").expect(409)
    assert client.post(path + "/stop").expect(200).json["confirmed"] is True
    assert cell.reach(path, "stopped")["finished_at"]
    path = cell.transfer().expect(202).headers["Location"]
    cell.reach(path, "ready")


def test_a_repeated_resume_does_not_move_the_arm_on(cell):
    """The second copy of a resume, late in the network, comes when the arm is held again."""
    client = cell.client
    path = cell.transfer().expect(202).headers["Location"]
    cell.reach(path, "ready")
    client.post(path + "/arm").expect(202)
    cell.reach(path, "armed")
    client.post(path + "/start", {"start_before": soon()}, headers=once()).expect(202)
    cell.reach(path, "playing")
    client.post(path + "/hold").expect(202)
    cell.reach(path, "holding")
    key = once()
    client.post(path + "/resume").expect(400)
    client.post(path + "/resume", headers=key).expect(202)
    cell.reach(path, "playing")
    client.post(path + "/hold").expect(202)
    cell.reach(path, "holding")
    late = client.post(path + "/resume", headers=key).expect(202)
    assert late.headers["Idempotency-Replayed"] == "true" and late.json["state"] == "holding"
    held = client.get(f"/v1/controllers/{cell.name}/status").json
    assert held["state"] == "holding" and cell.state(path) == "holding"
    client.post(path + "/resume", headers=once()).expect(202)
    cell.reach(path, "done")


def test_idempotent_transfer(cell):
    key = once()
    first = cell.transfer(headers=key).expect(202)
    again = cell.transfer(headers=key).expect(202)
    assert again.json["id"] == first.json["id"] and again.headers["Idempotency-Replayed"] == "true"
    assert cell.transfer(headers=key, tags={"other": "body"}).expect(422).json["type"] == "/problems/idempotency-mismatch"
    assert len(cell.client.get("/v1/transfers").expect(200).json["items"]) == 1


def test_trajectory_of_another_revision(cell):
    client = cell.client
    path = f"/v1/robots/{cell.robot}"
    model = client.get(path).json
    model["joints"][1]["link"]["mass"] = 2.5
    client.put(path, model, headers={"If-Match": '"1"'}).expect(200)
    problem = cell.transfer().expect(422).json
    assert problem["type"] == "/problems/revision-mismatch"
    assert client.get("/v1/transfers").json["items"] == []


def test_what_transfers_refer_to_stays(cell):
    path = cell.transfer().expect(202).headers["Location"]
    cell.reach(path, "ready")
    assert cell.client.delete(f"/v1/trajectories/{cell.trajectory}", headers={"If-Match": "*"}).expect(409).json["type"] == "/problems/conflict"
    assert cell.client.delete(f"/v1/robots/{cell.robot}", headers={"If-Match": '"1"'}).expect(409)


def test_an_excitation_is_transferred_like_a_trajectory(cell):
    request = {"duration": 2, "harmonics": 1, "base_frequency_hz": 0.5, "population": 6, "generations": 3, "friction": ["viscous"]}
    job = cell.client.wait_job(cell.client.post(f"/v1/robots/{cell.robot}/excitations", request, headers={"Prefer": "wait=20"}))
    place = job["result"]["href"]
    cell.trajectory = place.rsplit("/", 1)[1]
    path = cell.transfer().expect(202).headers["Location"]
    ready = cell.reach(path, "ready")
    assert ready["sent"] == ready["total"] == 501 and ready["trajectory"] == cell.trajectory
    refused = cell.client.delete(place, headers={"If-Match": "*"}).expect(409).json
    assert f"transfer {ready['id']}" in refused["detail"]
