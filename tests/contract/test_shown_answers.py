"""The answers that the contract shows with its schemas are those that the service gives to one short story: a robot, motions,
a controller, a log and what is learnt from it, and some mistakes."""

import math
import random
import re

import pytest

from support import ControllerSim, contract, until
from support.datasets import as_csv

pytestmark = pytest.mark.slow  # what is compared is the same in every build
SCHEMAS = contract.document()["components"]["schemas"]
SOMETIMES = {"clock"}  # of a controller: known once it has been looked at for long enough
PASSING = ("host", "port", "age", "profile_id", "controller_state", "version", "schema_version", "commit", "release_notes", "created_by")  # and times: other each time
ID = re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b")
NUMBERS = {"Identification": 1e-3, "Promotion": 1e-3}  # the largest relative difference; else as the numbers are rounded


def request(path, name):
    """The JSON of a request that the contract shows."""
    return contract.document()["paths"][path]["post"]["requestBody"]["content"]["application/json"]["examples"][name]["value"]


def log(client):
    """8 s of both joints at 200 Hz, noise and all."""
    t = [k / 200 for k in range(1601)]
    waves = [[(0.8, 0.25), (0.3, 0.9)], [(1.0, 0.4), (0.35, 1.1)]]  # amplitude and frequency of each joint
    motion = {name: [[sum(part(a, 2 * math.pi * f, x) for a, f in joint) for joint in waves] for x in t] for name, part in {
        "q": lambda a, w, x: a * math.sin(w * x), "qd": lambda a, w, x: a * w * math.cos(w * x), "qdd": lambda a, w, x: -a * w * w * math.sin(w * x)}.items()}
    torques = client.post("/v1/robots/two-links/inverse-dynamics", motion).expect(200).json["tau"]
    noise = random.Random(1)
    rows = [[x, *(round(value, 6) for value in q), *(round(value + noise.gauss(0, 0.1), 4) for value in tau)]
            for x, q, tau in zip(t, motion["q"], torques, strict=True)]
    return as_csv(rows, ("t", "q1", "q2", "tau1", "tau2"))


def mistakes(client):
    at, model = "/v1/robots/two-links", request("/v1/robots", "two_links")
    yield client.post(at + "/inverse-dynamics", {"q": [0, 0], "qdd": [0, 0], "wrnech": [0, 0, 9, 0, 0, 0]}).expect(422)
    yield client.post(at + "/inverse-dynamics", body='{"q": [0, 0],}', content_type="application/json").expect(400)
    yield client.get("/v1/robots/two-lnks").expect(404)
    yield client.post("/v1/robots", model).expect(409)
    yield client.put(at, model, headers={"If-Match": '"7"'}).expect(412)
    yield client.put(at, model).expect(428)


def story(client, simulator):
    """(schema, the JSON that comes) in the order of the schema's examples."""
    model, motion = request("/v1/robots", "two_links"), request("/v1/robots/{robot}/trajectories", "quintic")
    yield "Robot", client.post("/v1/robots", model).expect(201).json
    yield "RobotList", client.get("/v1/robots").expect(200).json
    yield "RevisionList", client.get("/v1/robots/two-links/revisions").expect(200).json
    alias = {"revision": 1, "reason": "approved for the cell"}
    yield "Alias", client.put("/v1/robots/two-links/aliases/production", alias, headers={"If-None-Match": "*"}).expect(201).json
    job = client.wait_job(client.post("/v1/robots/two-links/trajectories", motion))
    yield "Job", job
    trajectory = client.get(job["result"]["href"]).expect(200).json
    yield "Trajectory", trajectory
    yield "TrajectorySamples", client.get(trajectory["samples"], query={"rate": 2, "fields": "t,q,qd,tau"}).expect(200).json
    yield "ResultList", client.get("/v1/trajectories").expect(200).json
    yield "Job", client.wait_job(client.post("/v1/robots/two-links/trajectories", {**motion, "duration": 0.3}))
    yield "JobList", client.get("/v1/jobs").expect(200).json

    cell = {**request("/v1/controllers", "cell"), "host": "127.0.0.1", "port": simulator.port}
    yield "Controller", client.post("/v1/controllers", cell).expect(201).json
    yield "ControllerList", client.get("/v1/controllers").expect(200).json
    place = client.post(f"/v1/controllers/{cell['name']}/transfers", {"trajectory": trajectory["id"], "rate": 250}).expect(202).headers["Location"]
    until(lambda: client.get(place).expect(200).json["state"] in ("ready", "failed"), what="a loaded controller")
    yield "Transfer", client.get(place).expect(200).json
    status = f"/v1/controllers/{cell['name']}/status"
    until(lambda: client.get(status).expect(200).json["state"] == "ready", what="a controller that says so")
    yield "ControllerStatus", client.get(status).expect(200).json
    yield "TransferList", client.get("/v1/transfers").expect(200).json
    yield "StopAnswer", client.post(place + "/stop").expect(200).json

    dataset = client.post("/v1/robots/two-links/datasets", body=log(client), content_type="text/csv").expect(201).json
    yield "Dataset", dataset
    yield "DatasetList", client.get("/v1/datasets").expect(200).json
    asked = {"datasets": [dataset["id"]], "validation_fraction": 0.3, "estimator": "wls", "friction": ["offset", "coulomb", "viscous"]}
    identification = client.result_of("/v1/robots/two-links/identifications", asked)
    yield "Identification", identification
    promotion = {"base_revision": 1, "dry_run": True}
    yield "Promotion", client.post(f"/v1/identifications/{identification['id']}/promote", promotion).expect(200).json
    yield "Drain", client.get("/v1/drain").expect(200).json
    yield "Version", client.get("/v1/version").expect(200).json
    for problem in mistakes(client):
        yield "Problem", problem.json


def differences(shown, real, rel, at=""):
    """Where a shown answer is not what comes. Its long lists may be cut short."""
    name = at.rsplit("/", 1)[-1]
    if name in PASSING or name.endswith("_at") or name == "at" or name.startswith("sha256"):
        return
    if isinstance(shown, dict) and isinstance(real, dict):
        for key in (shown.keys() ^ (real.keys() - {"traceparent"})) - SOMETIMES:
            yield f"{at}/{key}"
        for key in shown.keys() & real.keys():
            yield from differences(shown[key], real[key], rel, f"{at}/{key}")
    elif isinstance(shown, list) and isinstance(real, list):
        if len(shown) > len(real) or (real and not shown):
            yield f"{at}: {len(real)} items"
        for one, other in zip(shown, real):
            yield from differences(one, other, rel, f"{at}/-")
    elif isinstance(shown, (int, float)) and not isinstance(shown, bool) and isinstance(real, (int, float)):
        if real != pytest.approx(shown, rel=rel, abs=1e-6):
            yield f"{at}: {shown}, not {real}"
    elif isinstance(shown, str) and isinstance(real, str):
        if ID.sub("ID", shown) != ID.sub("ID", real):
            yield f"{at}: {shown!r}, not {real!r}"
    elif shown != real:
        yield f"{at}: {shown!r}, not {real!r}"


def test_what_is_shown_comes(fresh_server):
    taken = dict.fromkeys(SCHEMAS, 0)
    with fresh_server.client() as client, ControllerSim(robot=request("/v1/robots", "two_links")) as simulator:
        for name, real in story(client, simulator):
            shown = SCHEMAS[name]["examples"][taken[name]]
            taken[name] += 1
            assert list(differences(shown, real, NUMBERS.get(name, 1e-5))) == [], name
    assert all(len(SCHEMAS[name]["examples"]) == count for name, count in taken.items() if count)
