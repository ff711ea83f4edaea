"""Repeats and races, over every call that they may meet: a creating request that comes twice creates once, a resource that did
not change is not sent again, and no change of another is overwritten. The calls are those of the contract: one that is new
fails here until it keeps the rules."""

import random
import sys

import pytest

from support import ROOT, Server, contract, robot, until
from support.logs import columns, simulated, upload
from support.meshes import box, stl_of

sys.path.insert(0, str(ROOT / "api"))
import bundle  # noqa: E402

OPERATIONS = [(op["method"].upper(), op["path"], op) for op in bundle.operations(contract.document())]
ZERO, GOAL = [0.0] * 4, [0.2, -0.2, 0.02, 0.3]
KEY = "0123456789abcdef0123456789abcdef"
PART = {"name": "A7", "payload": {"mass": 0.4}}
WEBHOOK = {"name": "mes", "url": "https://mes.example/armdyn"}


def takes(op, header):
    return header in [contract.resolve(parameter)["name"] for parameter in op["parameters"]]


def answers_with(op, header, *statuses):
    return any(header in contract.resolve(op["responses"][s]).get("headers", {}) for s in statuses if s in op["responses"])


CREATING = [path for method, path, op in OPERATIONS if method == "POST" and answers_with(op, "Location", "201", "202")]
SINGLE = [path for method, path, _ in OPERATIONS if method == "GET" and path.endswith("}") and path.startswith("/v1/")]
UNGUARDED = {"/v1/drain", "/v1/keys/{key}", "/v1/controllers/{controller}/lease",
             "/v1/controllers/{controller}/part", "/v1/controllers/{controller}/watch", "/v1/controllers/{controller}/test"}  # there is nothing on them to overlook
CHANGING = [(method, path) for method, path, _ in OPERATIONS if method in ("PUT", "PATCH") and path not in UNGUARDED]
RESULTS = ["trajectories", "excitations", "friction-tests", "friction-identifications", "simulations", "identifications",
           "identification-studies", "evaluations", "collision-checks", "verifications", "tunings", "zonings"]


class World:
    """One of everything, in a server of its own; its admin's key may move every arm."""

    def __init__(self, client):
        self.client = client
        dice = random.Random(1)
        client.create_robot(robot("scara"), name="arm", visuals=[{"mesh": "base"}])
        self.log = self.as_csv(simulated(client, "arm", seconds=6, rate=100))
        self.places = {"robot": "arm", "revision": "1", "alias": "production", "mapping": "drive", "cell": "shelf", "mesh": "base", "controller": "cell"}
        dataset = client.post("/v1/robots/arm/datasets", body=self.log, content_type="text/csv").expect(201).json["id"]
        test = {"joints": ["j1"], "speeds": 6, "cruise": 0.8, "sample_rate": 500}
        self.bodies = {
            "trajectories": {"method": "quintic", "start": {"q": ZERO}, "goal": {"q": GOAL}, "duration": 2},
            "excitations": {"duration": 8, "harmonics": 2, "base_frequency_hz": 0.25, "population": 8, "generations": 2, "sample_rate": 100},
            "friction-tests": test,
            "simulations": {"q": ZERO, "duration": 0.1},
            "identifications": {"datasets": [dataset], "friction": ["viscous"]},
            "evaluations": {"models": ["revision:1"], "datasets": [dataset]},
            "collision-checks": {"datasets": [dataset], "thresholds": [9, 9, 9, 9]},
            "verifications": {"q": ZERO, "references": [{"kind": "hold", "duration": 0.05}], "laws": [{"control": {"law": "pid"}}]},
            "zonings": {"about": "gains", "low": [-0.5] * 4, "high": [0.5] * 4, "inertia_error": 0.5, "zones_max": 4},
            "tunings": {"q": ZERO, "references": [{"kind": "hold", "duration": 0.05}], "control": {"law": "pid_gravity"}, "evaluations": 2},
        }
        self.places["dataset"] = dataset
        for kind in RESULTS:
            result = client.result_of(f"/v1/robots/arm/{kind}", self.bodies[kind])
            if kind == "friction-tests":
                played = client.get(result["samples"]).expect(200).json
                log = upload(client, "arm", [[t, *(x + dice.gauss(0, 2e-5) for x in q), *(x + dice.gauss(0, 0.01) for x in tau)]
                                             for t, q, tau in zip(played["t"], played["q"], played["tau"])])
                self.bodies["friction-identifications"] = {"datasets": [log]}
            if kind == "identifications":  # one of its own, so that the other can be deleted
                studied = client.result_of(f"/v1/robots/arm/{kind}", self.bodies[kind])["id"]
                self.bodies["identification-studies"] = {"identification": studied, "repetitions": 20}
            self.places[next(p.split("{")[1][:-1] for p in SINGLE if p.startswith(f"/v1/{kind}/"))] = result["id"]
            self.places["job"] = result["job"]
        once = {"If-None-Match": "*"}
        client.put("/v1/robots/arm/aliases/production", {"revision": 1}, headers=once).expect(201)
        client.put("/v1/robots/arm/meshes/base", body=stl_of(box()), content_type="model/stl", headers=once).expect(201)
        client.post("/v1/cells", {"name": "shelf", "bodies": []}).expect(201)
        self.places["part"] = client.post("/v1/robots/arm/parts", PART).expect(201).json["name"]
        client.put("/v1/mappings/drive", {"time": {"column": "T", "unit": "s"}, "columns": {"q1": {"column": "A", "unit": "rad"}}}, headers=once).expect(201)
        self.places["key"] = client.post("/v1/keys", {"name": "kept", "role": "viewer"}).expect(201).json["id"]
        self.places["webhook"] = client.post("/v1/webhooks", WEBHOOK).expect(201).json["name"]
        client.post("/v1/controllers", self.controller("cell")).expect(201)
        self.bodies["transfers"] = {"trajectory": self.places["trajectory"]}
        self.places["transfer"] = client.post("/v1/controllers/cell/transfers", self.bodies["transfers"]).expect(202).json["id"]
        until(lambda: client.get(f"/v1/transfers/{self.places['transfer']}").expect(200).json["unmeasured"])  # nobody is there
        self.bodies["orders"] = {"controller": "cell", "to": {"q": GOAL}, "from": {"q": ZERO}, "duration": 2, "objective": "smooth", "start": "on_request"}
        self.places["order"] = client.post("/v1/orders", self.bodies["orders"]).expect(202).json["id"]
        until(lambda: client.get(f"/v1/orders/{self.places['order']}").expect(200).json["finished_at"])
        self.places["alarm"] = until(lambda: client.get("/v1/alarms").expect(200).json["items"], what="that its queue is blocked")[0]["id"]

    @staticmethod
    def as_csv(rows):
        return ",".join(columns(4)) + "\n" + "\n".join(",".join(map(repr, row)) for row in rows) + "\n"

    @staticmethod
    def controller(name):
        return {"name": name, "host": "127.0.0.1", "port": 1, "robot": "arm", "revision": "latest",
                "profile": {"protocol": "armdyn-v2", "connect_deadline": 0.2}}

    def place(self, path):
        return path.format(**self.places)

    def changeable(self, path):
        """The same, where a change is taken: an order has to wait, behind the one that failed and blocks its queue."""
        if path != "/v1/orders/{order}":
            return self.place(path)
        return self.client.post("/v1/orders", {**self.bodies["orders"], "controller": "cell"}).expect(202).headers["Location"]

    def creation(self, path):
        """(what creates one there, the same with a difference), as options of a request."""
        last = path.rsplit("/", 1)[1]
        if last == "datasets":
            return ({"body": text, "content_type": "text/csv"} for text in (self.log, self.log + "6.0" + ",0" * 8 + "\n"))
        if last == "transfers":
            self.client.post("/v1/controllers", self.controller("another"), headers={"Idempotency-Key": "another"}).expect(201)
            self.places["controller"] = "another"
        # to add a creating call: its body
        named = {"robots": {**robot("scara"), "name": "new"}, "keys": {"name": "new", "role": "viewer"},
                 "controllers": self.controller("new"), "webhooks": {**WEBHOOK, "name": "new"}, "cells": {"name": "new", "bodies": []},
                 "parts": {**PART, "name": "new"}}
        good = {**named, **self.bodies}[last]
        return ({"json": body} for body in (good, {**good, "name": "newer"} if last in named else {**good, "tags": {"other": "yes"}}))


@pytest.fixture(scope="module")
def world():
    with Server(key=KEY) as server, server.client() as client:
        yield World(client)


def test_every_creating_call_takes_a_key():
    assert len(CREATING) >= 13
    forgotten = [path for method, path, op in OPERATIONS if path in CREATING and method == "POST" and not takes(op, "Idempotency-Key")]
    assert forgotten == []


@pytest.mark.parametrize("path", CREATING)
def test_the_same_request_again_creates_nothing(world, path):
    client, headers = world.client, {"Idempotency-Key": f"once {path}"}
    good, other = world.creation(path)
    place = world.place(path)
    query = {"allow_unphysical": "true"} if path == "/v1/robots" else None
    first = client.post(place, headers=headers, query=query, **good).expect(201, 202)
    again = client.post(place, headers=headers, query=query, **good).expect(200, 201, 202)
    assert "Idempotency-Replayed" not in first.headers and again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    mismatch = client.post(place, headers=headers, query=query, **other).expect(422).json
    assert mismatch["type"].endswith("/idempotency-mismatch")


def test_the_same_promotion_again_makes_no_second_revision(world):
    client, arm = world.client, robot("scara")
    client.create_robot(arm, name="promoted")
    log = client.post("/v1/robots/promoted/datasets", body=world.log, content_type="text/csv").expect(201).json["id"]
    found = client.result_of("/v1/robots/promoted/identifications", {"datasets": [log], "friction": ["viscous"]})
    path, headers = f"/v1/identifications/{found['id']}/promote", {"Idempotency-Key": "promote"}
    request = {"base_revision": 1, "acknowledge": [w["code"] for w in found["warnings"]] + ["not_physically_consistent"]}
    first = client.post(path, request, headers=headers).expect(200)
    assert first.json["revision"] == 2 and first.json["changes"] and "Idempotency-Replayed" not in first.headers
    model = client.get("/v1/robots/promoted").expect(200)
    client.put("/v1/robots/promoted", {**model.json, "description": "newer"}, headers={"If-Match": model.etag},
               query={"allow_unphysical": "true"}).expect(200)
    again = client.post(path, request, headers=headers).expect(200)
    assert again.json == first.json and again.headers["Idempotency-Replayed"] == "true"
    assert client.get("/v1/robots/promoted").json["revision"] == 3
    client.post(path, request).expect(409)
    client.post(path, {**request, "reason": "another"}, headers=headers).expect(422)
    client.post(path, {**request, "dry_run": True}, headers=headers).expect(409)  # asks for nothing, and keeps nothing


@pytest.mark.parametrize("path", SINGLE)
def test_what_did_not_change_is_not_sent_again(world, path):
    op = next(op for method, at, op in OPERATIONS if (method, at) == ("GET", path))
    assert takes(op, "If-None-Match") and answers_with(op, "ETag", "200")
    world.places["controller"] = "cell"
    first = world.client.get(world.place(path)).expect(200)
    if path in ("/v1/jobs/{job}", "/v1/transfers/{transfer}", "/v1/orders/{order}", "/v1/keys/{key}"):
        first = world.client.get(world.place(path)).expect(200)
    assert first.etag.startswith('"')
    assert world.client.get(world.place(path), headers={"If-None-Match": first.etag}).expect(304).etag == first.etag


@pytest.mark.parametrize("method, path", CHANGING)
def test_no_change_is_overwritten(world, method, path):
    world.places["controller"] = "cell"
    place, kind = world.changeable(path), "application/merge-patch+json" if method == "PATCH" else "application/json"
    present = world.client.get(place).expect(200)
    if path.endswith("/{mesh}"):
        kind, sent = "model/stl", {"body": present.body}
    else:
        sent = {"json": {"tags": {"mine": "yes"}} if method == "PATCH" else present.json}
    query = {"allow_unphysical": "true"} if path == "/v1/robots/{robot}" else None

    def change(**headers):
        return world.client.request(method, place, **sent, headers={k.replace("_", "-"): v for k, v in headers.items()},
                                    content_type=kind, query=query)
    assert change().expect(428).json["type"].endswith("/precondition-required")
    assert change(If_Match='"999"').expect(412).json["type"].endswith("/stale")
    assert world.client.get(place).etag == present.etag
    changed = change(If_Match=present.etag).expect(200)
    assert changed.etag == world.client.get(place).etag
    assert change(If_Match=present.etag).expect(412 if changed.etag != present.etag else 200)


def test_a_job_s_result_is_of_its_kind(world):
    """The document that GET answers, held against the schema of its kind, which no other kind's keeps."""
    jobs = []
    for path in RESULTS:
        single = next(p for p in SINGLE if p.startswith(f"/v1/{path}/"))
        result = world.client.get(world.place(single)).expect(200).json
        jobs.append(world.client.get(f"/v1/jobs/{result['job']}", query={"include": "result"}).expect(200).json)
        assert jobs[-1]["result"]["value"] == result
    reference = contract.pointer("components", "schemas", "Job")
    assert [contract.explain(reference, job) for job in jobs] == [""] * len(RESULTS)
    for job in jobs:
        others = [contract.explain(reference, {**job, "result": other["result"]}) for other in jobs if other["kind"] != job["kind"]]
        assert all(others) or not contract.VALIDATES, job["kind"]


DEEP = 60  # and the patch around it


@pytest.mark.parametrize("path", [path for method, path in CHANGING if method == "PATCH"])
def test_a_patch_is_read_as_strictly_as_what_it_changes(world, path):
    client, place = world.client, world.changeable(path)
    text = "job_order_id" if path == "/v1/orders/{order}" else "notes"  # a member that may say anything
    escaped = f"{text[:3]}\\u{ord(text[3]):04x}{text[4:]}"

    def patch(body, status):
        body = body.replace("not\\u0065s", escaped).replace("notes", text)
        answer = client.request("PATCH", place, body=body.encode(), headers={"If-Match": "*"}, content_type="application/merge-patch+json")
        return answer.expect(status).json

    def pointers(body):
        return [fault["pointer"] for fault in patch(body, 422)["errors"]]
    patch('{"tags": null}', 200)
    patch('{"notes": "before", "tags": {"a": "1", "b": "2"}}', 200)
    before = client.get(place).expect(200)
    for twice in ('{"notes": "a", "notes": "b"}', '{"notes": "a", "not\\u0065s": "b"}', '{"notes": "a", "x": 1, "notes": "a"}'):
        assert f"/{text}" in pointers(twice)
    assert pointers('{"tags": {"c": "1", "\\u0063": "2"}}') == ["/tags/c"]
    assert pointers('{"tags": {"c": null, "c": "2"}}') == ["/tags/c"]
    assert pointers('{"notes": "a\\u0000b"}') == [f"/{text}"]
    assert pointers('{"notez": "a"}') == ["/notez"] and pointers('{"tags": {"a": {"deep": 1}}}') == ["/tags/a"]
    assert "/deep" in pointers('{"deep": ' + '{"d": ' * DEEP + "1" + "}" * DEEP + "}")
    for nested in ('{"deep": ' + '{"d": ' * 100 + "1" + "}" * 100 + "}", '{"notes": ' + "[" * 100 + "]" * 100 + "}", '{"notes": "a"} {}'):
        patch(nested, 400)
    for whole in ("[]", "null", '"notes"', "1"):
        assert pointers(whole) == [""]
    assert (client.get(place).etag, client.get(place).json) == (before.etag, before.json)
    changed = patch('{"not\\u0065s": "\\u00e9", "\\u0074ags": {"\\u0061": null, "c": "3"}}', 200)
    assert (changed[text], changed["tags"]) == ("é", {"b": "2", "c": "3"})


def test_nothing_is_deleted_unseen(world):
    """What can change can only be deleted by who knows how it stands."""
    world.places["controller"] = "cell"
    deleting = [(path, op) for method, path, op in OPERATIONS if method == "DELETE" and path not in UNGUARDED]
    assert len(deleting) >= 13
    for path, op in deleting:
        assert takes(op, "If-Match"), path
        assert world.client.delete(world.place(path)).expect(428).json["type"].endswith("/precondition-required")
        assert world.client.delete(world.place(path), headers={"If-Match": '"999"'}).expect(412).json["type"].endswith("/stale")
        world.client.get(world.place(path)).expect(200)
