"""`dry_run=true`: every call that changes something answers as if it were meant, and keeps nothing; what moves, holds or stops an
arm has none. The calls are those of the contract: one that is new fails here until it keeps the rule."""

import re
import sqlite3
import threading

import pytest

from support import ControllerSim, Server, contract, postgresql, robot, until
from support.meshes import box, stl_of
from test_repeats import KEY, OPERATIONS, PART, RESULTS, WEBHOOK, World, takes

DRY = {"dry_run": "true"}
CHANGING = [(method, path, op) for method, path, op in OPERATIONS if method != "GET" and not op.get("x-keeps-nothing")]
TRIED = {(method, path): op for method, path, op in OPERATIONS if takes(op, "dry_run")}
REFUSED = [(method, path) for method, path, op in CHANGING if not takes(op, "dry_run")]
DELIVERIES = [path for _, path in TRIED if path.endswith("/deliveries")]
# What differs from one answer to the next: ids, times, traces, secrets, how far a job is.
DIFFERENT = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|00-[0-9a-f]{32}-[0-9a-f]{16}-01|whsec_\S+|ak_\S+")


class Tried(World):
    """A valid request of every call that takes dry_run."""

    def __init__(self, server, client):
        super().__init__(client)
        self.server = server
        client.post("/v1/webhooks", {**WEBHOOK, "name": "idle", "enabled": False}).expect(201)
        self.callback = {"callback": {"webhook": "idle"}}  # where messages wait, and nothing goes on by itself

    def dump(self):
        if postgresql.wanted():
            return postgresql.dump(postgresql.store_of(str(self.server.data)))
        with sqlite3.connect(f"file:{self.server.database}?mode=ro", uri=True) as db:
            # an index of words has its rows in tables of its own
            tables = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %' ORDER BY name")]
            return {name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables}

    def etag(self, place):
        return {"If-Match": self.client.get(place).expect(200).etag}

    def request_of(self, method, path):
        """(place, options of the request), and what it needs is there."""
        if method == "POST":
            return self.post(path)
        if method == "DELETE":
            self.make_deletable(path)
        place = self.changeable(path) if method == "PATCH" else self.place(path)
        guard = self.etag(place) if takes(TRIED[method, path], "If-Match") else {}
        options = {"headers": guard}
        if method == "PATCH":
            return place, {**options, "json": {"priority": 3} if "/orders/" in place else {"notes": "tried"}, "content_type": "application/merge-patch+json"}
        if path == "/v1/robots/{robot}":
            options["query"] = {"archive": "true"} if method == "DELETE" else {"allow_unphysical": "true"}
        return place, {**options, **(self.put(path, place) if method == "PUT" else {})}

    def make_deletable(self, path):
        """Nothing refers to it."""
        if path.endswith("/{part}"):
            self.client.put("/v1/controllers/cell/part", {"part": None}).expect(200)
        if path.endswith("/{trajectory}"):
            self.places["trajectory"] = self.client.result_of("/v1/robots/arm/trajectories", self.bodies["trajectories"])["id"]
        if path.endswith("/watch"):
            self.client.post("/v1/controllers/cell/watch", {}).expect(200)
            newest = self.client.get("/v1/robots/arm").expect(200).json["revision"]  # which a watch follows by itself
            until(lambda: self.client.get("/v1/controllers/cell/watch").expect(200).json["revision"] == newest)
        if path.endswith("/{dataset}"):
            self.places["dataset"] = self.client.post("/v1/robots/arm/datasets", body=self.log, content_type="text/csv").expect(201).json["id"]

    def end(self, place):
        """Of an order: its queue is blocked, so it is cancelled."""
        if "/orders/" in place:
            self.client.post(f"{place}/cancel").expect(202)
        until(lambda: self.client.get(place).expect(200).json["finished_at"])

    def put(self, path, place):
        last = path.rsplit("{", 1)[1]
        if last == "mesh}":
            return {"body": stl_of(box((1, 2, 3))), "content_type": "model/stl"}
        if path.endswith("/part"):
            return {"json": {"part": self.places["part"]}}
        other = {"robot}": {"description": "tried"}, "alias}": {"reason": "tried"}, "part}": {"payload": {"mass": 0.7}},
                 "cell}": {"bodies": [{"name": "ball", "sphere": {"center": [9, 9, 9], "radius": 0.1}}]},
                 "webhook}": {"url": "https://mes.example/other"}, "mapping}": {"columns": {"q1": {"column": "B", "unit": "rad"}}},
                 "controller}": {"host": "127.0.0.2"}}
        return {"json": {**self.client.get(place).expect(200).json, **other[last]}}

    def post(self, path):
        last = path.rsplit("/", 1)[1]
        if path.startswith("/v1/jobs/") and last == "cancel":
            job = self.long_job()
            return (f"/v1/jobs/{job}/cancel", {}) if "{" in path else (path, {"json": {"kind": "excitation"}})
        if last == "deliveries":
            return self.redelivery(path)
        if last == "promote":
            found = self.client.get(self.place(path.rsplit("/", 1)[0])).expect(200).json
            newest = self.client.get("/v1/robots/arm").expect(200).json["revision"]
            codes = [w["code"] for w in found["warnings"]] + ["not_physically_consistent"]
            return self.place(path), {"json": {"base_revision": newest, "acknowledge": codes}}
        if last in ("rotate", "acknowledge"):
            return self.place(path), {}
        if last == "watch":
            return self.place(path), {"json": {}}
        if last == "code":
            return self.place(path), {"json": {"functions": ["gravity"], "language": "text"}}
        query = {"allow_unphysical": "true"} if path == "/v1/robots" else None
        return self.place(path), {**next(iter(self.creation(path))), "query": query}

    def long_job(self):
        asked = {**self.bodies["excitations"], "population": 200, "generations": 500}
        job = self.client.post("/v1/robots/arm/excitations", asked).expect(202).json["id"]
        until(lambda: self.client.get(f"/v1/jobs/{job}").expect(200).json["state"] == "running")
        return job

    def redelivery(self, path):
        """Something that had an end to tell."""
        of = path.split("/")[2]
        if of == "jobs":
            told = self.client.post("/v1/robots/arm/simulations", {**self.bodies["simulations"], **self.callback}).expect(202)
        elif of == "orders":
            told = self.client.post("/v1/orders", {**self.bodies["orders"], **self.callback}).expect(202)
        else:
            told = self.client.post("/v1/controllers/cell/transfers", {**self.bodies["transfers"], **self.callback}).expect(202)
        place = told.headers["Location"]
        self.end(place)
        until(lambda: self.client.get(f"{place}/deliveries").expect(200).json["items"])
        return f"{place}/deliveries", {}


@pytest.fixture(scope="module")
def world():
    with Server(key=KEY) as server, server.client() as client:
        yield Tried(server, client)


def same(value):
    """What is left of an answer without what differs."""
    if isinstance(value, dict):
        kept = {k: same(v) for k, v in value.items() if k not in ("queue_position", "secret", "key", "progress", "message", "attempt")}
        if "kind" in kept and kept.get("state") in ("queued", "running"):
            kept.update(state="accepted", started_at=None)
        return kept
    if isinstance(value, list):
        return [same(item) for item in value]
    return DIFFERENT.sub("#", value) if isinstance(value, str) else value


def shown(answer):
    return answer.status, answer.status == 200 and (same(answer.json) if answer.content_type == "application/json" else answer.body)


def without_effect(world, ask):
    """The answer to a request after which the store is as before. What other threads keep meanwhile is theirs: a second look
    tells it from what the request keeps each time."""
    for _ in range(5):
        before = world.dump()
        answer = ask()
        after = world.dump()
        if before == after:
            return answer
    assert after == before


def in_order():
    """Before the robot has another revision, what is of the first; deletions last, of what refers before what it refers to; the
    robot at the very end."""
    def rank(call):
        method, path = call
        kinds = ["friction_identification", "evaluation", "collision_check", "verification", "tuning", "zoning", "identification", "transfer", "controller", "dataset"]
        return (method == "DELETE", path not in DELIVERIES, path == "/v1/robots/{robot}",
                next((i for i, kind in enumerate(kinds) if path.endswith(f"{{{kind}}}")), 0))
    return sorted(TRIED, key=rank)


def test_every_call_that_changes_something_takes_it_or_says_why_not():
    assert len(TRIED) >= 60
    assert sorted(REFUSED) == sorted((method, path) for method, path, op in CHANGING if op.get("x-no-dry-run"))
    for (method, path), op in TRIED.items():
        good = [r for s, r in op["responses"].items() if s.startswith("2")]
        assert good and all("Dry-Run" in contract.resolve(r)["headers"] for r in good), (method, path)


@pytest.mark.parametrize("method, path", in_order())
def test_it_answers_as_the_change_does_and_keeps_nothing(world, method, path):
    client = world.client
    place, options = world.request_of(method, path)
    query = options.pop("query", None) or {}
    seen = shown(client.get(place, check=False))
    tried = without_effect(world, lambda: client.request(method, place, query={**query, **DRY}, **options))
    assert tried.headers["Dry-Run"] == "true" and tried.expect(200, 201, 202, 204)
    assert shown(client.get(place, check=False)) == seen
    if "Location" in tried.headers and method == "POST":
        client.get(tried.headers["Location"]).expect(404)
    meant = client.request(method, place, query=query, **options)
    assert meant.status == tried.status and "Dry-Run" not in meant.headers
    if tried.status != 204:
        assert same(tried.json) == same(meant.json)
    if re.fullmatch(r'"\d{1,6}"', meant.etag or ""):
        assert tried.etag == meant.etag
    if path.rsplit("/", 1)[1] in (*RESULTS, "orders"):
        world.end(meant.headers["Location"])
    if path == "/v1/orders/{order}":
        world.end(place)


@pytest.mark.parametrize("method, path", REFUSED)
def test_what_moves_or_stops_an_arm_has_none(world, method, path):
    """Before anything is looked at: the names in these paths are nobody's."""
    refused = world.client.request(method, re.sub(r"\{[^}]*\}", "x", path), query=DRY, check=False).expect(400).json
    assert [(e["parameter"], e["code"]) for e in refused["errors"]] == [("dry_run", "unsupported")]


def test_what_computes_or_reads_knows_no_such_parameter(world):
    for method, path, op in OPERATIONS:
        if (method, path) not in TRIED and (method, path) not in REFUSED:
            unknown = world.client.request(method, re.sub(r"\{[^}]*\}", "x", path), query=DRY, check=False).expect(422).json
            assert ("dry_run", "unknown_field") in [(e.get("parameter"), e["code"]) for e in unknown["errors"]], path


def test_what_is_no_truth_value_is_refused(world):
    wrong = world.client.post("/v1/cells", {"name": "never", "bodies": []}, query={"dry_run": "yes"}, check=False).expect(422).json
    assert wrong["errors"][0]["parameter"] == "dry_run"
    world.client.get("/v1/cells/never").expect(404)


@pytest.fixture(scope="module")
def fresh():
    with Server(key=KEY) as server, server.client() as client:
        client.create_robot(robot("scara"), name="arm")
        yield server, client


def test_a_stop_that_is_no_dry_run_is_a_stop(fresh):
    _, client = fresh
    client.post("/v1/controllers/stop", query={"dry_run": "false"}, check=False).expect(200)
    client.post("/v1/controllers/stop", query={"dry_run": "maybe"}, check=False).expect(400)


def test_a_refusal_is_the_one_of_the_change(fresh):
    _, client = fresh
    for request, status in (({"name": "arm"}, 422), ({**robot("scara"), "name": "arm"}, 409)):
        tried, meant = (client.post("/v1/robots", request, query=query).expect(status) for query in (DRY, {}))
        assert tried.json == meant.json and tried.headers["Dry-Run"] == "true"
    stale = client.put("/v1/robots/arm", {**robot("scara"), "name": "arm"}, headers={"If-Match": '"7"'}, query=DRY).expect(412)
    assert stale.headers["Dry-Run"] == "true"


def test_no_key_is_made_or_revoked_by_it(fresh):
    server, client = fresh
    asked = {"name": "shift", "role": "operator"}
    tried = client.post("/v1/keys", asked, query=DRY).expect(201).json
    with server.client(key=tried["secret"], check=False) as stranger:
        assert stranger.get("/v1/version").status == 401
    made = client.post("/v1/keys", asked).expect(201).json
    client.delete(f"/v1/keys/{made['id']}", query=DRY).expect(204)
    with server.client(key=made["secret"]) as operator:
        operator.get("/v1/version").expect(200)
        operator.post("/v1/cells", {"name": "mine", "bodies": []}, query=DRY).expect(403)
        entry, = until(lambda: client.get("/v1/audit", query={"key": made["id"]}).expect(200).json["items"], what="the entry of the refusal")
        assert (entry["entry"]["status"], entry["entry"]["operation"]) == (403, "createCell")


def test_the_key_of_a_request_is_still_free_for_it_after_it_was_tried(fresh):
    _, client = fresh
    once, cell = {"Idempotency-Key": "first"}, {"name": "once", "bodies": []}
    client.post("/v1/cells", cell, headers=once, query=DRY).expect(201)
    made = client.post("/v1/cells", cell, headers=once).expect(201)
    assert "Idempotency-Replayed" not in made.headers
    again = client.post("/v1/cells", cell, headers=once, query=DRY).expect(201)
    assert again.headers["Idempotency-Replayed"] == "true" and again.json == made.json


def test_who_changes_waits_for_nobody_who_only_tries(fresh):
    """Trials and changes of the same things at once: every change is there, and no trial."""
    server, client = fresh
    rounds, lost = 25, []

    def work(number, query):
        with server.client() as one:
            for i in range(rounds):
                name = f"{'tried' if query else 'meant'}-{number}-{i}"
                answer = one.post("/v1/cells", {"name": name, "bodies": []}, query=query)
                part = one.post("/v1/robots/arm/parts", {**PART, "name": name}, query=query)
                if (answer.status, part.status) != (201, 201):
                    lost.append((answer, part))
    threads = [threading.Thread(target=work, args=(n, q)) for n in range(3) for q in (DRY, None)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not lost
    names = {c["name"] for c in client.get("/v1/cells", query={"limit": 200}).expect(200).json["items"]}
    assert {f"meant-{n}-{i}" for n in range(3) for i in range(rounds)} <= names and not any(n.startswith("tried") for n in names)


def test_a_controller_is_asked_where_it_was(fresh):
    """Who speaks with controllers hears of no trial."""
    _, client = fresh
    with ControllerSim(robot=robot("scara")) as simulator:
        cell = {**World.controller("there"), "port": simulator.port}
        etag = client.post("/v1/controllers", cell).expect(201).etag
        for change in (lambda: client.put("/v1/controllers/there", {**cell, "port": 1}, headers={"If-Match": etag}, query=DRY).expect(200),
                       lambda: client.delete("/v1/controllers/there", headers={"If-Match": etag}, query=DRY).expect(204)):
            change()
            assert client.get("/v1/controllers/there/status").expect(200).json["connected"]
