"""The OpenAPI file, the route table of the binary and the sources' own lists say the same."""

import copy
import re
import subprocess
import sys

import jsonschema
import pytest

from support import ROOT, binary, contract

sys.path.insert(0, str(ROOT / "api"))
import bundle  # noqa: E402
import lint  # noqa: E402

pytestmark = pytest.mark.slow  # what is compared is the same in every build
DOC = contract.document()
OPERATIONS = {(op["method"].upper(), op["path"]): op for op in bundle.operations(DOC)}
COMPUTED = [path.rsplit("/", 1)[1] for _, path in OPERATIONS if OPERATIONS[_, path]["tags"] == ["dynamics"]]
MEDIA = {"json": "application/json", "npy": "application/x-npy", "csv": "text/csv", "xml": "application/xml",
         "html": "text/html",
         "merge-patch": "application/merge-patch+json", "javascript": "text/javascript", "css": "text/css", "svg": "image/svg+xml",
         "events": "text/event-stream", "text": "text/plain", "stl": "model/stl", "obj": "model/obj",
         "markdown": "text/markdown", "latex": "application/x-latex", "matlab": "text/x-matlab"}


def table():
    """Rows that the binary prints: {(method, path): {...}}."""
    done = subprocess.run([binary(), "routes"], capture_output=True, text=True, timeout=20, check=True)
    names = ("method", "path", "operation_id", "role", "query", "bodies", "answers")
    rows = [dict(zip(names, line.split("\t"), strict=True)) for line in done.stdout.splitlines()]
    assert len(rows) > 20
    return {(row["method"], row["path"]): row for row in rows}


def words(text):
    return {word for word in text.split(",") if word}


def resolved_parameters(op):
    return [contract.resolve(parameter) for parameter in op["parameters"]]


def test_every_route_is_in_the_document_and_every_operation_in_the_table():
    rows = table()
    assert sorted(set(rows) - set(OPERATIONS)) == [], "routes without a place in the document"
    assert sorted(set(OPERATIONS) - set(rows)) == [], "operations without a route"
    for call, op in OPERATIONS.items():
        assert rows[call]["operation_id"] == op["operationId"], call
        assert rows[call]["role"] == op["x-role"], call


def test_query_parameters_are_those_of_the_table():
    for call, row in table().items():
        documented = {p["name"] for p in resolved_parameters(OPERATIONS[call]) if p["in"] == "query"}
        assert words(row["query"]) == documented, call


def test_every_page_is_asked_for_in_a_language():
    """Those of result reports; the others are the pages of the service, which choose for themselves."""
    for call, op in OPERATIONS.items():
        if any("text/html" in response.get("content", {}) for response in op["responses"].values()) and "/v1/" in call[1]:
            assert "lang" in {p["name"] for p in resolved_parameters(op) if p["in"] == "query"}, call


def test_bodies_and_answers_are_those_of_the_table():
    for call, row in table().items():
        op = OPERATIONS[call]
        taken = set(op.get("requestBody", {}).get("content", {}))
        assert {MEDIA[word] for word in words(row["bodies"])} == taken, call
        answered = {kind for status, response in op["responses"].items() if status.startswith("2")
                    for kind in contract.resolve(response).get("content", {})}
        if answered:
            assert {MEDIA[word] for word in words(row["answers"]) or {"json"}} == answered, call


def test_document_keeps_its_rules():
    assert lint.breaches(bundle.bundle()) == []


@pytest.mark.parametrize("change, said", [
    (lambda d: d["paths"]["/v1/robots"]["get"].update(operationId="createRobot"), "must be unique"),
    (lambda d: d["paths"]["/v1/robots"]["get"].pop("description"), "has no description"),
    (lambda d: d["paths"]["/v1/robots"]["get"].update({"x-role": "nobody"}), "x-role must be known"),
    (lambda d: d["paths"]["/v1/robots"]["post"]["responses"].pop("400"), "may answer ['400']"),
    (lambda d: d["components"]["schemas"].pop("Body"), "does not exist"),
    (lambda d: d["components"]["schemas"].update(Spare={"type": "string", "description": "x"}), "is not used"),
    (lambda d: d["components"]["schemas"]["RobotList"].pop("description"), "RobotList: has no description"),
    (lambda d: d["components"]["schemas"]["Limits"]["properties"].update(Jerk={"description": "x"}), "snake_case"),
    (lambda d: d["components"]["schemas"]["MapStep"]["properties"].update(equals={"description": "x"}), "breaks generated clients"),
    (lambda d: d["components"]["schemas"]["MapStep"]["properties"].update(set_value={"description": "x"}), "breaks generated clients"),
    (lambda d: d["components"]["schemas"]["Limits"]["properties"]["jerk"].pop("description"), "has no description"),
    (lambda d: d["components"]["schemas"]["JointInput"].pop("additionalProperties"), "is open in the request"),
    (lambda d: d["components"]["schemas"]["Joint"].update(additionalProperties=False), "is closed in an answer"),
    (lambda d: d["components"]["responses"]["Invalid"].pop("content"), "must answer a problem"),
    (lambda d: d["components"]["schemas"]["Name"].update(maxlength=3), "maxlength is no member"),
    (lambda d: d["paths"]["/v1/jobs"]["get"].update(summry="x"), "summry is no member"),
    (lambda d: d["paths"]["/v1/jobs/{job}"].pop("parameters"), "are not those of the path"),
])
def test_lint_sees_breaches(change, said):
    doc = copy.deepcopy(DOC)
    change(doc)
    assert said in "\n".join(lint.breaches(doc))


def test_schemas_are_schemas():
    for name, schema in DOC["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
    for call, op in OPERATIONS.items():
        for parameter in resolved_parameters(op):
            jsonschema.Draft202012Validator.check_schema(parameter["schema"])


def examples():
    """(where, pointer of the schema, value) of every example in the document."""
    for name, schema in DOC["components"]["schemas"].items():
        for at, node in lint.walk(schema, f"#/components/schemas/{name}"):
            if isinstance(node.get("examples"), list) and "/properties/examples" not in at:
                for value in node["examples"]:
                    yield at, at, value
    for (method, path), op in OPERATIONS.items():
        bodies = {("requestBody",): op.get("requestBody", {}),
                  **{("responses", s): r for s, r in op["responses"].items() if "$ref" not in r}}
        for where, holder in bodies.items():
            for kind, content in holder.get("content", {}).items():
                at = contract.pointer("paths", path, method.lower(), *where, "content", kind, "schema")
                values = [e["value"] for e in content.get("examples", {}).values()]
                values += [content["example"]] if "example" in content else []
                for value in values:
                    yield f"{method} {path}", at, value


def test_examples_keep_their_schemas():
    seen = 0
    for where, at, value in examples():
        assert not contract.explain(at, value), where
        seen += 1
    assert seen > 30


def source(path):
    return (ROOT / path).read_text()


def test_the_same_sources_make_the_same_bytes(tmp_path):
    for name, seed in (("one", "1"), ("other", "2")):
        subprocess.run([sys.executable, ROOT / "api/bundle.py", tmp_path / name], env={"PYTHONHASHSEED": seed}, check=True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_a_job_s_result_is_typed_by_every_kind():
    """As GET of the result answers it."""
    listed = source("server/work/kinds.h").split("#define JOB_KIND_LIST(X)")[1].split("#define X")[0]
    kinds, job = re.findall(r"X\((\w+),", listed), DOC["components"]["schemas"]["Job"]
    assert len(kinds) >= 8 and sorted(kinds) == sorted(job["properties"]["kind"]["x-known"])
    assert job["properties"]["kind"]["x-known"] == [case["if"]["properties"]["kind"]["const"] for case in job["allOf"]]
    typed = {case["if"]["properties"]["kind"]["const"]: case["then"]["properties"]["result"]["properties"]["value"] for case in job["allOf"]}
    assert list(typed.values()) == DOC["components"]["schemas"]["JobResult"]["properties"]["value"]["anyOf"]
    for kind, schema in typed.items():
        single, = (op for path, op in ((path, item.get("get")) for path, item in DOC["paths"].items()) if path.endswith(f"/{{{kind}}}"))
        assert schema == single["responses"]["200"]["content"]["application/json"]["schema"], kind


def test_lists_are_those_that_were_published():
    """Enumerations are made of the C lists: what a client may have stored by now stays in them."""
    schemas = DOC["components"]["schemas"]
    assert schemas["FaultCode"]["x-known"] == ["syntax", "unknown_field", "duplicate", "required", "type", "length", "minimum", "maximum",
                                               "finite", "enum", "pattern", "unphysical", "inconsistent", "unsupported"]
    assert {"/problems/not-found", "/problems/lease-held", "/problems/infeasible"} < set(schemas["Problem"]["properties"]["type"]["x-known"])
    assert schemas["IdentificationRequest"]["properties"]["estimator"]["enum"] == ["ols", "wls", "irls", "ridge", "consistent", "didim", "iv"]
    assert schemas["LinearFrictionTerm"]["enum"] == ["offset", "coulomb", "viscous", "high_speed", "sublinear", "load"]
    assert schemas["FrictionChoice"]["enum"][-3:] == ["position", "asymmetric", "auto"]


def deprecated(node, name=""):
    """Names of what is marked so."""
    if isinstance(node, dict):
        if node.get("deprecated") is True:
            yield node.get("operationId", node.get("name", name))
        for key, value in node.items():
            yield from deprecated(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from deprecated(value, name)


def test_what_goes_is_told_with_its_dates():
    """At least 24 months before, as the manual promises."""
    table = source("deploy/doc/clients.md").split("| deprecated | since |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)`[^|]* \| (\d{4}-\d\d-\d\d) \| (\d{4}-\d\d-\d\d) \| [^|]+ \|$", table, re.M)
    assert {name for name, _, _ in rows} == set(deprecated(DOC)) and len(rows) == table.count("\n") - 1
    assert all(int(until[:4]) - int(since[:4]) >= 2 and until[4:] >= since[4:] for _, since, until in rows)


def test_the_service_answers_its_own_document(client):
    answer = client.get("/v1/openapi.json").expect(200)
    assert answer.json == DOC
    assert client.get("/v1/openapi.json", headers={"If-None-Match": answer.etag}).status == 304
    assert client.get("/v1/openapi.json", headers={"If-None-Match": '"other"'}).status == 200


def test_problem_types_are_explained(client):
    items = client.get("/v1/problems").expect(200).json["items"]
    types = {item["type"]: item for item in items}
    assert len(types) == len(items) > 20
    listed = re.findall(r'^  X\(\w+, "([a-z-]+)", (\d+),', source("api/problem/problem.h"), re.M)
    assert {f"/problems/{slug}": int(status) for slug, status in listed} == {t: i["status"] for t, i in types.items()}
    assert all(len(item["explanation"]) > 15 for item in items)
    assert all(client.get(item["type"]).expect(200).json == item for item in items)  # whoever follows a type finds it
    assert "/v1/problems" in client.get("/problems/none").expect(404).json["detail"]


JSON_TYPES = {"string": str, "array": list, "number or null": (int, float, type(None)), "object": dict}


def test_problems_have_the_fields_that_are_listed(fresh_server):
    with fresh_server.client() as c:
        listed = {item["type"]: {f["name"]: f["type"] for f in item["fields"]} for item in c.get("/v1/problems").expect(200).json["items"]}
        for model in examples_of("/v1/robots").values():
            c.post("/v1/robots", model).expect(201)
        motion = {"method": "quintic", "start": {"q": [0, 0]}, "goal": {"q": [0.9, 1.2]}, "duration": 0.1}
        path, once = "/v1/robots/two-links/trajectories", {"Idempotency-Key": "one"}
        infeasible = c.wait_job(c.post(path, motion, headers=once))["problem"]
        mismatch = c.post(path, {**motion, "duration": 3}, headers=once).expect(422).json
    usual = DOC["components"]["schemas"]["Problem"]["properties"].keys() - {"resource"}
    for problem in (infeasible, mismatch):
        own = listed[problem["type"]]
        assert problem.keys() - usual == own.keys() != set(), problem
        assert all(isinstance(problem[name], JSON_TYPES[kind]) for name, kind in own.items()), problem


def examples_of(path, place="requestBody"):
    """Named JSON examples of the POST at `path`: of its request, or of its answer 200."""
    operation = DOC["paths"][path]["post"]
    holder = operation["responses"]["200"] if place == "200" else operation[place]
    return {name: example["value"] for name, example in holder["content"]["application/json"].get("examples", {}).items()}


def flat(value):
    if isinstance(value, dict):
        return [number for key in sorted(value) for number in flat(value[key])]
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]


def test_examples_work(fresh_server):
    """What the document shows can be typed, and the answers that it shows are those that come."""
    with fresh_server.client() as c:
        for model in examples_of("/v1/robots").values():
            c.post("/v1/robots", model).expect(201)
        for call in COMPUTED:
            shown = examples_of("/v1/robots/{robot}/" + call, "200")
            for name, body in examples_of("/v1/robots/{robot}/" + call).items():
                answer = c.post(f"/v1/robots/two-links/{call}", body).expect(200).json
                if name in shown:
                    assert answer.keys() == shown[name].keys()
                    assert flat(answer) == pytest.approx(flat(shown[name]), rel=1e-12, abs=1e-12)
            assert shown or call == "code"  # programs, which test_code.py runs
        for jobs in ("trajectories", "excitations", "friction-tests", "simulations"):
            for request in examples_of("/v1/robots/{robot}/" + jobs).values():
                job = c.wait_job(c.post("/v1/robots/two-links/" + jobs, request))
                assert job["state"] == "succeeded", job
        for controller in examples_of("/v1/controllers").values():
            c.post("/v1/controllers", controller).expect(201)
