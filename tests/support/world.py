"""A service with something of every kind in it, and requests to it that nobody wrote, made of the OpenAPI file."""

import collections
import copy
import json
import re
import time
import urllib.parse

from . import contract
from .datasets import a_log, as_csv
from .events import EventStream
from .files import npy_write
from .generate import WORDS, Generator, is_json, points_into
from .meshes import box, obj_of, stl_of
from .process import ROOT
from .wait import until

DOC = contract.document()
KINDS = {path.split("/")[2]: path.split("{")[1].rstrip("}") for path in DOC["paths"] if path.count("/") == 3 and path.endswith("}")}
APART = {"beginDrain"}  # after it no job is taken
OPERATIONS = [(method, path, operation, [contract.resolve(p) for p in item.get("parameters", []) + operation.get("parameters", [])])
              for path, item in DOC["paths"].items() for method, operation in item.items() if method != "parameters" and operation["operationId"] not in APART]
SPARE = {"robot": "spare", "controller": "spare"}  # what may be changed and deleted; without the others little would succeed
NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
MOST_NAMES = 8                                     # of a kind
JOBS_AHEAD = 12                                    # more are cancelled, so that each request meets workers with time


def examples(path, kind="application/json"):
    return [e["value"] for e in DOC["paths"][path]["post"]["requestBody"]["content"][kind].get("examples", {}).values()]


def told_to_wait(answer):
    """A controller that somebody else must start, or workers that are being replaced since their jobs were cancelled."""
    return answer.status == 503 and (answer.json["type"] == "/problems/controller-unreachable" or answer.path == "/readyz")


class World:
    """A service with something of every kind in it, and the names of what is there."""

    def __init__(self, server, controller, chance):
        self.server, self.controller, self.chance = server, controller, chance
        self.harm = 0         # how much of a request is to be wrong
        self.failing = False  # may the service fail?
        self.known = collections.defaultdict(list)  # the first of each kind stays
        self.generator = Generator(chance, 2, self.text)
        self.client = server.client()
        viewer = self.client.post("/v1/keys", {"name": "guest", "role": "viewer"}).expect(201).json["secret"]
        self.viewer = server.client(key=viewer)
        self.nobody = server.client(key=None)
        self.assure()
        log = as_csv(a_log(4000)).encode()
        for _ in range(2):
            self.learn(self.client.post("/v1/robots/two-links/datasets", body=log, content_type="text/csv").expect(201))
        for jobs in ("trajectories", "excitations", "friction-tests", "simulations"):
            self.do("two-links", jobs, examples(f"/v1/robots/{{robot}}/{jobs}")[0])
        self.do("two-links", "identifications", {"datasets": [self.known["dataset"][0]], "friction": ["viscous"], "validation_fraction": 0.3})
        self.do("two-links", "identification-studies", {"identification": self.known["identification"][0], "repetitions": 20})
        self.do("two-links", "evaluations", {"models": ["latest"], "datasets": list(self.known["dataset"])})
        self.do("two-links", "collision-checks", {"reference": self.known["dataset"][:1], "datasets": self.known["dataset"][1:2]})
        self.do("two-links", "zonings", examples("/v1/robots/{robot}/zonings")[0])
        self.do("two-links", "tunings", examples("/v1/robots/{robot}/tunings")[0])
        self.do("two-links", "verifications", examples("/v1/robots/{robot}/verifications")[0])
        self.client.put("/v1/mappings/drive", DOC["paths"]["/v1/mappings/{mapping}"]["put"]["requestBody"]["content"]
                        ["application/json"]["examples"]["drive"]["value"], headers={"If-None-Match": "*"}).expect(201)
        self.known["mapping"].append("drive")
        self.known["asset"] += re.findall(r"\./assets/([^\"]+)", self.client.get("/", headers={"Accept": "*/*"}).text)

    def assure(self):
        """Robots and controllers that requests name are there, whatever became of them."""
        for name in ("two-links", "spare"):
            self.client.put(f"/v1/robots/{name}", {**examples("/v1/robots")[0], "name": name, "visuals": [{"mesh": "base"}]}, headers={"If-None-Match": "*"}).expect(201, 412)
        for name in ("cell", "spare"):
            self.client.put(f"/v1/controllers/{name}", {
                "name": name, "host": "127.0.0.1", "port": self.controller.port, "robot": "two-links",
                "profile": {"protocol": "armdyn-v2", "start_tolerance": 0.05}}, headers={"If-None-Match": "*"}).expect(201, 412)
        self.known["robot"] = ["two-links", "two-links", "two-links", "spare"]
        self.known["controller"] = ["cell", "cell", "spare"]
        self.known["mesh"] = ["base"]

    def do(self, robot, jobs, request):
        job = self.client.run_job(f"/v1/robots/{robot}/{jobs}", request)
        assert job["state"] == "succeeded", job["problem"]
        self.note(job["result"]["href"])

    def learn(self, answer):
        """The names that an answer tells."""
        if "Location" in answer.headers:
            self.note(answer.headers["Location"])
        if answer.content_type == "application/json" and answer.method == "GET" and answer.path.startswith("/v1/jobs/"):
            result = answer.json.get("result")
            if result:
                self.note(result["href"])

    def note(self, href):
        _, _, kind, name = href.split("?")[0].split("/")[:4]
        if kind in KINDS and KINDS[kind] not in SPARE:
            names = self.known[KINDS[kind]]
            names.append(name)
            del names[1:-MOST_NAMES]

    # -- parts of requests --
    def wrong(self, share=1.0):
        """Is this part of the request to be wrong? Never in a good request, often in a bad one."""
        return self.chance.random() < self.harm * share

    def text(self, name):
        """A likely text for a member or parameter of this name."""
        one = {"datasets": "dataset", "validation": "dataset", "unloaded": "dataset", "reference": "dataset", "jobs": "job", "seed_trajectory": "trajectory",
               "controllers": "controller"}.get(name, name)
        if self.known.get(one):
            return self.chance.choice(self.known[one])
        if name == "models":
            return self.chance.choice(["latest", "revision:1", "identification:" + self.text("identification")])
        if name == "ids":
            return self.text("identification") + "," + self.text("identification")
        if name == "start_before":
            return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.chance.uniform(1, 50)))
        likely = {"host": ["127.0.0.1"], "alias": ["production"], "revision": ["1", "latest"], "base_revision": ["1"]}
        return self.chance.choice(likely[name]) if name in likely else None

    def parameter(self, parameter):
        if self.wrong(0.3):
            return self.chance.choice(WORDS + ["-1", "0", "1e999", "true"])
        value = self.generator.value(parameter["schema"], parameter["name"])
        if isinstance(value, list):
            return ",".join(map(str, value))
        return str(value).lower() if isinstance(value, bool) else str(value)

    def place(self, method, path, parameters):
        for parameter in parameters:
            if parameter["in"] == "path":
                name = parameter["name"]
                value = self.parameter(parameter) if self.wrong(0.3) else self.text(name)
                if method == "delete" and value in self.known[name][:1]:
                    value = self.known[name].pop() if len(self.known[name]) > 1 else NOBODY
                if method in ("put", "delete") and path.endswith(f"{{{name}}}"):
                    value = SPARE.get(name, value)
                path = path.replace(f"{{{name}}}", urllib.parse.quote(value or "x", safe=""))
        return path

    def query(self, parameters):
        share = self.chance.choice([0, 0.1, 0.3])
        query = [(p["name"], self.parameter(p)) for p in parameters if p["in"] == "query" and self.chance.random() < share]
        return query + [(self.chance.choice(["x", "limit", "revision", ""]), "1")] if self.wrong(0.1) else query

    def body(self, path, operation):
        """(bytes, content type, document or None)"""
        content = operation["requestBody"]["content"]
        kind = self.chance.choice([k for k in content for _ in range(4 if "json" in k else 1)])
        document = self.document(path, content[kind]) if "json" in kind else None
        data = json.dumps(document).encode() if "json" in kind else self.table(kind, path)
        if self.wrong(0.3):
            data, document = self.generator.damaged(data), None
        if self.wrong(0.1):
            kind = self.chance.choice(["text/plain", "application/json; charset=latin-1", "a/b;c", "", "application/json", "text/csv"])
        return data, kind, document

    def table(self, kind, path):
        """What is sent in other formats than JSON."""
        if kind == "application/xml":
            return self.chance.choice(sorted((ROOT / "tests/data/urdf").glob("*.urdf"))).read_bytes()
        if kind == "model/stl":
            return stl_of(box())
        if kind == "model/obj":
            return obj_of((1, 2, 3))
        if path.endswith("/datasets"):
            log = a_log(self.chance.choice([1, 50]))
            return npy_write(log.tolist()) if kind == "application/x-npy" else as_csv(log).encode()
        if path.endswith("/energy-estimates"):
            rows = [[0.01 * k, *(self.chance.uniform(-2, 2) for _ in range(4))] for k in range(5)]
            return npy_write(rows) if kind == "application/x-npy" else as_csv(rows, ["t", "q1", "q2", "qd1", "qd2"]).encode()
        groups = self.chance.choice([("q",), ("q", "qd"), ("q", "qd", "qdd"), ("q", "qd", "tau")])
        rows = [[self.chance.uniform(-2, 2) for _ in range(2 * len(groups))] for _ in range(self.chance.randint(1, 5))]
        return npy_write(rows) if kind == "application/x-npy" else as_csv(rows, [f"{g}{i}" for g in groups for i in (1, 2)]).encode()

    def document(self, path, content):
        """One that is shown with something more, or one that nobody wrote; perhaps spoilt."""
        shown = [e["value"] for e in content.get("examples", {}).values()]
        if shown and self.chance.random() < 0.7:
            document = self.named(copy.deepcopy(self.chance.choice(shown)))
            fields = contract.resolve(content["schema"]).get("properties", {})
            for field in self.chance.sample(sorted(fields), min(len(fields), self.chance.randint(0, 2))):
                document[field] = self.generator.value(fields[field], field)
        else:
            document = self.generator.value(content["schema"])
        document = self.generator.spoiled(document) if self.wrong() else document
        if isinstance(document, dict) and "name" in document and path.count("/") == 3 and not self.harm:
            document["name"] = path.rsplit("/", 1)[1]
        if isinstance(document, dict) and "host" in document:  # names of strangers are not to be looked up, nor their hosts called
            document = {**document, "host": "127.0.0.1"}
        return document

    def named(self, node, name=""):
        """A shown document with names of what is there in place of those that it shows."""
        if isinstance(node, dict):
            return {key: self.named(value, key) for key, value in node.items()}
        if isinstance(node, list):
            return [self.named(value, name) for value in node]
        return (self.text(name) or node) if isinstance(node, str) else node

    def headers(self, path, operation, parameters):
        headers, names = {}, {p["name"]: self.chance.random() for p in parameters if p["in"] == "header"}
        if names.keys() & {"If-Match", "If-None-Match"} and (self.chance.random() < 0.3 or "If-Match" in names):
            headers = self.precondition(path, names)
        if names.get("Prefer", 1) < 0.3:
            headers["Prefer"] = self.chance.choice(["wait=1", "wait=0", "respond-async, wait=2", *(["wait=-1", "wait", "wait=x"] if self.harm else [])])
        if names.get("Idempotency-Key", 1) < 0.3 or "Idempotency-Key" in names and "transfers" in path:
            headers["Idempotency-Key"] = self.chance.choice([str(self.chance.random()), *(["a", "x" * 129, "\xc3\xa9"] if self.harm else [])])
        if self.chance.random() < 0.2:
            kinds = [k for status, r in operation["responses"].items() if status < "3" for k in contract.resolve(r).get("content", {})]
            headers["Accept"] = self.chance.choice([*kinds, "*/*", *(["image/png", "application/json;q=0", "*/*;q=0.1, text/csv", ",;=", ""] if self.harm else [])])
        return headers

    def precondition(self, path, names):
        if self.wrong():
            return {self.chance.choice(sorted(names)): self.chance.choice(["*", '"x"', "x", "", 'W/"1"', '"1", "2"'])}
        etag = self.client.get(path).etag
        if "If-Match" not in names:
            return {"If-None-Match": etag or '"1"'}
        return {"If-Match": etag} if etag else {"If-None-Match": "*"}

    # -- a request --
    def ask(self):
        self.harm = self.chance.choice([0, 0.2, 0.7])
        return self.call(*self.chance.choice(OPERATIONS))

    def call(self, method, template, operation, parameters):
        """One request of this operation: (its name, the status)."""
        path, query = self.place(method, template, parameters), self.query(parameters)
        if "text/event-stream" in contract.resolve(operation["responses"].get("200", {})).get("content", {}):
            return operation["operationId"], self.listen(path, query)
        headers = self.headers(path, operation, parameters)
        data, kind, document = self.body(path, operation) if "requestBody" in operation else (None, None, None)
        client = self.chance.choice([self.viewer, self.nobody]) if self.wrong(0.1) else self.client
        answer = client.request(method.upper(), path, body=data, content_type=kind, query=query, headers=headers)
        self.judge(answer, data, kind, document)
        self.learn(answer)
        return operation["operationId"], answer.status

    def judge(self, answer, data, kind, document):
        sent = f"{answer!r}\nsent: {kind} {(data or b'')[:3000]!r}"
        assert answer.status < 500 or self.failing or told_to_wait(answer), sent
        if answer.status == 400 and kind == "application/json" and document is not None:
            assert not is_json(data) or "syntax" not in answer.json["type"], f"a document of good syntax is refused for it: {sent}"
        if document is not None and answer.status == 422:
            for fault in answer.json.get("errors", []):
                assert "pointer" not in fault or points_into(fault["pointer"], document), f"{fault} points nowhere: {sent}"

    def listen(self, path, query):
        """The first event of a stream, if it is one."""
        path += "?" + "&".join(f"{urllib.parse.quote(k)}={urllib.parse.quote(v)}" for k, v in query)
        with EventStream(self.server, path) as stream:
            assert stream.status < 500 or self.failing, stream.head
            if stream.status == 200:
                assert stream.next().name == "snapshot"
        return stream.status

    def tidy(self):
        """Not too much ahead of the workers, and what requests need is there."""
        self.assure()
        for state in ("queued", "running"):
            jobs = self.client.get("/v1/jobs", query={"state": state, "limit": 200}).expect(200).json["items"]
            for job in jobs[JOBS_AHEAD:]:
                self.client.post(f"/v1/jobs/{job['id']}/cancel").expect(200, 409)

    def end_jobs(self):
        """Every job is cancelled or ends by itself; those that failed, with their problems."""
        def none_left():
            left = [job["id"] for state in ("queued", "running")
                    for job in self.client.get("/v1/jobs", query={"state": state, "limit": 200}).expect(200).json["items"]]
            for job in left:
                self.client.post(f"/v1/jobs/{job}/cancel").expect(200, 409)
            return not left
        until(none_left, 60, 0.2)
        failed, cursor = [], None
        while True:
            page = self.client.get("/v1/jobs", query={"state": "failed", "limit": 200, **({"cursor": cursor} if cursor else {})}).expect(200).json
            failed += [self.client.get(f"/v1/jobs/{job['id']}").expect(200).json for job in page["items"]]
            cursor = page["next_cursor"]
            if not cursor:
                return failed
