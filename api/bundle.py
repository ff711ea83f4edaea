#!/usr/bin/python3
"""Make the one JSON file of the contract: openapi.yaml, every path of paths/, what is done with results of jobs (results.yaml), what
webhooks are told (webhooks.yaml), and everything that they refer to.

    bundle.py [OUT]        writes OUT (default: standard output); the same sources make the same bytes

Where a schema says LIMIT_X, it has the number of api/limits.h; where an enumeration says X_LIST, the texts of that list (lists.py).
Six rules of the contract are applied here rather than written out a hundred times:
- an id in a path is a parameter of its name, and a kind of job (`POST /v1/robots/{robot}/<collection>` answers one) has results of the
  schema that `GET /v1/<collection>/{id}` answers;
- requests are strict, answers may grow: objects that requests consist of get `additionalProperties: false` (a schema
  used both ways gets a strict twin called <Name>Input, which does not require the readOnly fields, nor those that
  `x-always-answered` lists because answers state their default);
- every call may give certain errors (USUAL_ERRORS);
- every answer carries X-Request-Id;
- every call that leaves an entry in the audit trail takes X-Reason (not those marked `x-keeps-nothing`, which compute);
  what makes a resource with a `reason` keeps it there, too. A call that says more of it has it in its own file;
- each of these takes `dry_run`, too, and marks what it answers then; where it is marked `x-no-dry-run`, which says why it cannot,
  `dry_run` is refused.
"""

import copy
import functools
import json
import pathlib
import re
import sys

import yaml

from limits import limits
from lists import lists

HERE = pathlib.Path(__file__).resolve().parent
METHODS = ("get", "put", "post", "patch", "delete")
SECTIONS = ("parameters", "headers", "responses")  # files of schemas/ that hold these; the others hold schemas
SCHEMA = "#/components/schemas/"


def has_parameter(place, name=None):
    return lambda op: any(p["in"] == place and name in (None, p["name"]) for p in op["parameters"])


def has_body(op):
    return "requestBody" in op


def is_kept(op):
    """Does the store take something of it? To delete and to cancel needs room for a moment too."""
    created = "201" in op["responses"] or "202" in op["responses"]
    return op["method"] in ("put", "patch", "delete") or created or has_parameter("header", "Idempotency-Key")(op)


# status, name in responses.yaml, which operations (with their parameters resolved) may give it
USUAL_ERRORS = (
    ("400", "BadRequest", lambda op: True),
    ("401", "Unauthorized", lambda op: op.get("security") != []),
    ("403", "Forbidden", lambda op: op.get("x-role") not in ("anyone", "viewer")),
    ("429", "TooMany", lambda op: op.get("security") != []),
    ("404", "NotFound", has_parameter("path")),
    ("406", "NotAcceptable", lambda op: not op.get("x-lenient")),
    ("408", "RequestTimeout", lambda op: True),
    ("409", "Conflict", has_parameter("header", "Idempotency-Key")),
    ("412", "Stale", has_parameter("header", "If-Match")),
    ("413", "TooLarge", lambda op: True),
    ("414", "UriTooLong", lambda op: True),
    ("415", "UnsupportedMediaType", has_body),
    ("422", "Invalid", lambda op: True),
    ("428", "PreconditionRequired", has_parameter("header", "If-Match")),
    ("431", "HeadersTooLarge", lambda op: True),
    ("500", "Internal", lambda op: True),
    ("503", "Unavailable", lambda op: True),
    ("507", "StorageFull", is_kept),
)


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # the one in C is ten times faster
    """YAML in which a name may stand only once in a mapping."""

    def construct_mapping(self, node, deep=False):
        names = [self.construct_object(key, deep=True) for key, _ in node.value]
        for name in names:
            if names.count(name) > 1:
                sys.exit(f"{node.start_mark}: {name} is there twice")
        return super().construct_mapping(node, deep)


LIMITS = limits()
LIST = re.compile(r"(/[a-z/]+/)?([A-Z_]+_LIST(?:\.[a-z]+)?)")


def texts(item):
    """What stands in an enumeration for an item: itself, or the texts of the list that it names ("/problems/PROBLEM_LIST")."""
    named = isinstance(item, str) and LIST.fullmatch(item)
    return [(named[1] or "") + text for text in lists()[named[2]]] if named else [with_numbers(item)]


def with_numbers(node):
    """A node, its limits as numbers and its lists as what they have."""
    if isinstance(node, list):
        return [text for item in node for text in texts(item)]
    if isinstance(node, dict):
        return {key: with_numbers(value) for key, value in node.items()}
    if isinstance(node, str) and node.startswith("LIMIT_") and node[6:].replace("_", "").isupper():
        return LIMITS[node]
    return node


@functools.cache
def load(path):
    """What stands in a file; nobody changes it."""
    with open(path, encoding="utf-8") as file:
        return with_numbers(yaml.load(file, Loader))


class Bundle:
    def __init__(self):
        self.components = {}

    def inline(self, node, here):
        """A copy of a node in which every reference points into components, what it refers to being taken in."""
        if isinstance(node, list):
            return [self.inline(item, here) for item in node]
        if not isinstance(node, dict):
            return node
        return {key: self.reference(value, here) if key == "$ref" else self.inline(value, here)
                for key, value in node.items()}

    def reference(self, reference, here):
        file, _, name = reference.partition("#/")
        path = (here.parent / file).resolve() if file else here
        section = path.stem if path.stem in SECTIONS else "schemas"
        known = self.components.setdefault(section, {})
        if name not in known:
            if name not in load(path):
                sys.exit(f"{here}: {reference} does not exist")
            known[name] = path  # before its content: schemas may refer to themselves
            known[name] = (path, self.inline(load(path)[name], path))
        elif (known[name] if isinstance(known[name], pathlib.Path) else known[name][0]) != path:
            sys.exit(f"{here}: {reference}: another file has {name} too")
        return f"#/components/{section}/{name}"

    def document(self):
        root = HERE / "openapi.yaml"
        doc = copy.deepcopy(load(root))
        doc["paths"] = {}
        for source in sorted((HERE / "paths").glob("*.yaml")):
            for path, item in load(source).items():
                if path in doc["paths"]:
                    sys.exit(f"{source}: {path} stands in another file too")
                doc["paths"][path] = self.inline(item, source)
                self.declare_ids(path, doc["paths"][path])
        told = HERE / "webhooks.yaml"
        doc["webhooks"] = {name: self.inline(item, told) for name, item in load(told).items()}
        responses = HERE / "schemas" / "responses.yaml"
        self.add_results(doc["paths"])
        for operation in operations(doc):
            self.add_usual_errors(doc, operation, responses)
        self.declare_kinds(doc["paths"])
        request_id = {"$ref": self.reference("headers.yaml#/RequestId", responses)}
        reasons = [self.reference(f"parameters.yaml#/{name}", responses) for name in ("Reason", "ReasonForAudit")]
        tried = self.reference("parameters.yaml#/DryRun", responses), self.reference("headers.yaml#/DryRun", responses)
        for section, known in self.components.items():
            doc["components"][section] = {name: content for name, (_, content) in sorted(known.items())}
        every = [r for op in operations(doc) for r in op["responses"].values() if "$ref" not in r]
        for response in every + list(doc["components"]["responses"].values()):
            response.setdefault("headers", {})["X-Request-Id"] = request_id
        declare_reasons(doc, *reasons)
        declare_dry_runs(doc, *tried)
        close_requests(doc)
        return doc

    def declare_ids(self, path, item):
        """What stands in braces in a path, and is said nowhere, is the id of something."""
        known = self.components.setdefault("parameters", {})
        said = [known[p["$ref"].rsplit("/", 1)[1]][1]["name"] for p in item.get("parameters", [])]
        for name in re.findall(r"\{(\w+)\}", path):
            if name in said:
                continue
            parameters = HERE / "schemas" / "parameters.yaml"
            schema = {"$ref": self.reference("common.yaml#/Id", parameters)}
            known[camel(name)] = (parameters, {"name": name, "in": "path", "required": True,
                                               "description": f"Id of the {name.replace('_', ' ')}.", "schema": schema})
            item["parameters"] = item.get("parameters", []) + [{"$ref": f"#/components/parameters/{camel(name)}"}]

    def add_results(self, paths):
        """Of every kind of job what is done with its results (results.yaml)."""
        template = HERE / "results.yaml"
        for kind, path in kinds(paths).items():
            get, words = paths[path]["get"], kind.replace("_", " ")
            names = {"Kind": camel(kind), "kind": words, "a kind": f"{'an' if words[0] in 'aeiou' else 'a'} {words}",
                     "samples": " with its samples" if f"{path}/samples" in paths else ""}
            for method, operation in self.inline(load(template), template).items():
                operation = named(operation, names) | {"tags": get["tags"]}
                for response in operation["responses"].values():
                    for content in response.get("content", {}).values():
                        content["schema"] = result_of(get)
                paths[path][method] = operation

    def declare_kinds(self, paths):
        """What kinds of jobs there are, and what their results are."""
        results = {kind: result_of(paths[path]["get"]) for kind, path in kinds(paths).items()}
        job, result = (self.components["schemas"][name][1] for name in ("Job", "JobResult"))
        job["properties"]["kind"]["x-known"] = list(results)
        job["allOf"] = [{"if": {"properties": {"kind": {"const": kind}}},
                         "then": {"properties": {"result": {"properties": {"value": schema}}}}} for kind, schema in results.items()]
        result["properties"]["value"]["anyOf"] = list(results.values())

    def add_usual_errors(self, doc, operation, responses):
        parameters = [self.components["parameters"][p["$ref"].rsplit("/", 1)[1]][1] if "$ref" in p else p
                      for p in operation["parameters"]]
        seen, answers = {**operation, "parameters": parameters}, operation["responses"]
        for status, name, applies in USUAL_ERRORS:
            if status not in answers and applies(seen):
                answers[status] = {"$ref": self.reference(f"responses.yaml#/{name}", responses)}
        in_order = sorted(answers.items())
        answers.clear()
        answers.update(in_order)


def result_of(get):
    return get["responses"]["200"]["content"]["application/json"]["schema"]


def kinds(paths):
    """{kind of job: path of one of its results}: what is asked for of a robot and comes later."""
    found = {}
    for path in paths:
        one = re.fullmatch(r"/v1/([a-z-]+)/\{(\w+)\}", path)
        made = one and paths.get(f"/v1/robots/{{robot}}/{one[1]}", {}).get("post", {})
        if made and "202" in made["responses"]:
            found[one[2]] = path
    return found


def named(node, names):
    """A copy in which {name} is what `names` has of it."""
    if isinstance(node, list):
        return [named(item, names) for item in node]
    if isinstance(node, dict):
        return {key: named(value, names) for key, value in node.items()}
    return re.sub(r"\{([\w ]+)\}", lambda found: names[found[1]], node) if isinstance(node, str) else node


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def resolve(doc, node):
    """What a node refers to, by whichever way; else the node."""
    while "$ref" in node:
        node = functools.reduce(dict.__getitem__, node["$ref"].removeprefix("#/").split("/"), doc)
    return node


def makes_what_has_a_reason(doc, op):
    """Does an answer tell where something new is, and does that say who made it, and why?"""
    made = [r for r in (resolve(doc, r) for r in op["responses"].values()) if "Location" in r.get("headers", {})]
    return any({"created_by", "reason"} <= resolve(doc, content["schema"]).get("properties", {}).keys()
               for response in made for content in response.get("content", {}).values())


def changing(doc):
    """The operations that leave an entry in the audit trail."""
    return [op for op in operations(doc) if op["method"] != "get" and not op.get("x-keeps-nothing")]


def add_parameter(doc, op, reference):
    doc["paths"][op["path"]][op["method"]].setdefault("parameters", []).append({"$ref": reference})


def declare_reasons(doc, kept, audited):
    for op in changing(doc):
        if "X-Reason" not in [resolve(doc, parameter)["name"] for parameter in op["parameters"]]:
            add_parameter(doc, op, kept if makes_what_has_a_reason(doc, op) else audited)


def declare_dry_runs(doc, parameter, header):
    for op in changing(doc):
        if "x-no-dry-run" in op:
            own = doc["paths"][op["path"]][op["method"]]
            own["description"] = f"{own.get('description', '').rstrip()}\n\nIt has no `dry_run`: {op['x-no-dry-run']}."
            continue
        add_parameter(doc, op, parameter)
        for status, response in op["responses"].items():
            if status.startswith("2"):
                resolve(doc, response).setdefault("headers", {})["Dry-Run"] = {"$ref": header}


def operations(doc):
    """Every operation, as a view: its own members, its `path` and `method`, and all its parameters."""
    for path, item in doc["paths"].items():
        for method in METHODS:
            if method in item:
                yield {**item[method], "path": path, "method": method,
                       "parameters": item.get("parameters", []) + item[method].get("parameters", [])}


def references(node):
    """Names of the schemas that a node refers to."""
    if isinstance(node, list):
        return {name for item in node for name in references(item)}
    if not isinstance(node, dict):
        return set()
    own = node.get("$ref", "")
    return ({own.removeprefix(SCHEMA)} if own.startswith(SCHEMA) else set()) | references(list(node.values()))


def without_read_only(node):
    """A copy without what requests do not state."""
    if isinstance(node, list):
        return [without_read_only(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: without_read_only(value) for key, value in node.items()
            if not (isinstance(value, dict) and value.get("readOnly") is True)}


def reachable(schemas, names):
    found, ahead = set(), set(names)
    while ahead:
        found |= ahead
        ahead = references([schemas[name] for name in ahead]) - found
    return found


def is_record(node):
    return isinstance(node, dict) and isinstance(node.get("properties"), dict) and "additionalProperties" not in node


def has_record(node):
    return is_record(node) or any(map(has_record, node.values() if isinstance(node, dict) else
                                      node if isinstance(node, list) else ()))


def closed(node, twins):
    """A strict copy: records take no other fields, readOnly ones are not required, references go to the twins."""
    if isinstance(node, list):
        return [closed(item, twins) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("readOnly") is True:
        return {"readOnly": True, "description": "Accepted and ignored."}
    out = {key: closed(value, twins) for key, value in node.items() if key != "x-always-answered"}
    name = out.get("$ref", "").removeprefix(SCHEMA) if isinstance(out.get("$ref"), str) else ""
    if name in twins:
        out["$ref"] = SCHEMA + twins[name]
    if is_record(node):
        given = [n for n in node.get("required", []) if not node["properties"].get(n, {}).get("readOnly")]
        out.pop("required", None)
        if given:
            out["required"] = given
        out["additionalProperties"] = False
    return out


def close_requests(doc):
    schemas = doc["components"]["schemas"]
    bodies = [content["schema"] for op in operations(doc) for content in op.get("requestBody", {}).get("content", {}).values()]
    stated = without_read_only(schemas)
    asked = reachable(stated, references(bodies))
    answered = reachable(schemas, references([doc["components"]["responses"]]
                                             + [op["responses"] for op in operations(doc)]))
    strict = {n for n in asked if any(has_record(schemas[m]) for m in reachable(stated, [n]))}
    twins = {name: name + "Input" if name in answered else name for name in strict}
    made = {twin: closed(schemas[name], twins) for name, twin in twins.items()}
    for schema in schemas.values():
        if "x-always-answered" in schema:
            schema["required"] = schema.get("required", []) + schema.pop("x-always-answered")
    schemas.update(made)
    doc["components"]["schemas"] = dict(sorted(schemas.items()))
    for operation in operations(doc):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            content["schema"] = closed(content["schema"], twins)


def bundle():
    """The whole document, as Python sees it."""
    return json.loads(json.dumps(Bundle().document()))  # no shared parts: YAML anchors made some


def main():
    text = json.dumps(bundle(), ensure_ascii=False, separators=(",", ":")) + "\n"
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
