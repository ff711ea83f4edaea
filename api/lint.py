#!/usr/bin/python3
"""Rules of the contract that a schema cannot state. Prints every breach; the exit status says whether there was one."""

import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bundle  # noqa: E402

SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
CAMEL_CASE = re.compile(r"[a-z]+([A-Z][a-z]+)*")
ROLES = ("anyone", "viewer", "operator", "engineer", "admin")


# What may stand where: a misspelt member would say nothing, and nobody would notice. Members that begin with x- are ours.
MEMBERS = {
    "document": "openapi jsonSchemaDialect info servers security tags paths webhooks components",
    "path": "parameters get put post patch delete",
    "operation": "operationId summary description tags security parameters requestBody responses",
    "parameter": "name in required description schema example",
    "body": "required description content",
    "media": "schema example examples",
    "response": "description headers content $ref",
    "header": "description required schema $ref",
    "schema": "$ref type description examples default enum const readOnly writeOnly properties required additionalProperties "
              "propertyNames maxProperties items minItems maxItems uniqueItems minimum maximum exclusiveMinimum exclusiveMaximum "
              "minLength maxLength pattern format contentMediaType oneOf anyOf allOf if then",
}


# Names that clients cannot be made with: generators escape most words of a language, but not these. Tried with openapi-generator
# (java, csharp-netcore, python) and NSwag.
TAKEN = {
    "equals": "Java and C# objects have a method of this name", "to_string": "C# objects have a method of this name",
    "get_hash_code": "C# objects have a method of this name", "to_json": "C# models have a method of this name",
    "true": "a word of Java", "false": "a word of Java", "null": "a word of Java",
}


def walk(node, at=""):
    """Every dict of the document with its JSON pointer."""
    if isinstance(node, dict):
        yield at, node
        for key, value in node.items():
            yield from walk(value, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from walk(value, f"{at}/{index}")


def schemas(doc):
    """Every schema of the document (named or not) with its pointer; examples are no schemas, and conditions are of members that
    are described where they stand."""
    for at, node in walk(doc):
        parts = at.split("/")
        if not {"example", "examples", "if", "then"}.isdisjoint(parts):
            continue
        if "type" in node or "properties" in node or "oneOf" in node:
            if len(parts) < 2 or parts[-2] != "securitySchemes":
                if parts[-1] not in ("properties",):
                    yield at, node


def resolve(doc, reference):
    node = doc
    for part in reference.removeprefix("#/").split("/"):
        node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


def check_references(doc, say):
    used = set()
    for at, node in walk(doc):
        reference = node.get("$ref")
        if isinstance(reference, str):
            used.add(reference)
            try:
                resolve(doc, reference)
            except (KeyError, TypeError):
                say(at, f"{reference} does not exist")
    for section, known in doc["components"].items():
        for name in known:
            if section != "securitySchemes" and f"#/components/{section}/{name}" not in used:
                say(f"/components/{section}/{name}", "is not used")
    for file in sorted((bundle.HERE / "schemas").glob("*.yaml")):
        section = file.stem if file.stem in bundle.SECTIONS else "schemas"
        for name in bundle.load(file):
            if name not in doc["components"][section] and f"{name}Input" not in doc["components"][section]:
                say(f"schemas/{file.name}", f"{name} is not used")


def check_operations(doc, say):
    names = collections.Counter(op.get("operationId") for op in bundle.operations(doc))
    tags = {tag["name"] for tag in doc["tags"]}
    for op in bundle.operations(doc):
        at = f"{op['method'].upper()} {op['path']}"
        for member in ("operationId", "summary", "description", "x-role"):
            if not op.get(member):
                say(at, f"has no {member}")
        if names[op.get("operationId")] > 1 or not CAMEL_CASE.fullmatch(op.get("operationId", "")):
            say(at, f"operationId {op.get('operationId')} must be unique and camelCase")
        if op.get("x-role") not in ROLES or (op.get("security") == []) != (op.get("x-role") == "anyone"):
            say(at, "x-role must be known, and `security: []` goes with anyone")
        if len(op.get("tags", [])) != 1 or op["tags"][0] not in tags:
            say(at, "needs one known tag")
        check_parameters(doc, op, at, say)
        check_responses(doc, op, at, say)


def check_parameters(doc, op, at, say):
    parameters = [resolve(doc, p["$ref"]) if "$ref" in p else p for p in op["parameters"]]
    in_path = {p["name"] for p in parameters if p["in"] == "path"}
    if in_path != set(re.findall(r"\{(\w+)\}", op["path"])):
        say(at, f"path parameters {sorted(in_path)} are not those of the path")
    seen = collections.Counter((p["in"], p["name"].lower()) for p in parameters)
    for parameter in parameters:
        if not parameter.get("description"):
            say(at, f"parameter {parameter['name']} has no description")
        if parameter["in"] != "header" and not SNAKE_CASE.fullmatch(parameter["name"]):
            say(at, f"parameter {parameter['name']} is not snake_case")
        if seen[parameter["in"], parameter["name"].lower()] > 1:
            say(at, f"parameter {parameter['name']} is given twice")


def check_responses(doc, op, at, say):
    if not any(status.startswith("2") for status in op["responses"]):
        say(at, "never succeeds")
    for status, response in op["responses"].items():
        response = resolve(doc, response["$ref"]) if "$ref" in response else response
        content = response.get("content", {})
        if not response.get("description"):
            say(at, f"{status} has no description")
        if status[0] in "45" and content != {"application/problem+json":
                                             {"schema": {"$ref": "#/components/schemas/Problem"}}}:
            say(at, f"{status} must answer a problem")
        if status == "201" and not {"Location", "ETag"} <= set(response.get("headers", {})):
            say(at, "201 needs Location and ETag")
        if status in ("204", "304") and content:
            say(at, f"{status} has no body")
    expected = {"400", "408", "413", "414", "431", "500", "503"}
    if missing := expected - set(op["responses"]):
        say(at, f"does not say that it may answer {sorted(missing)}")


def check_webhooks(doc, say):
    """Every message stands under its type, and no type is left out."""
    messages = {}
    for name, item in doc["webhooks"].items():
        operation = item.get("post", {})
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if set(item) != {"post"} or not operation.get("summary") or not operation.get("responses") or not body:
            say(f"/webhooks/{name}", "must be one post with summary, requestBody and responses")
        else:
            messages.setdefault(body["$ref"], set()).add(name)
    for reference, names in messages.items():
        if names != set(resolve(doc, reference)["properties"]["type"]["enum"]):
            say(reference, "has other types than the webhooks that are told it")


def check_members(doc, say):
    """Every member of every object is one that OpenAPI 3.1 has there, and that we use."""
    def only(kind, at, node):
        for name in node:
            if name not in MEMBERS[kind].split() and not name.startswith("x-"):
                say(at, f"{name} is no member of a {kind}")

    def content(at, holder):
        for kind, media in holder.get("content", {}).items():
            only("media", f"{at} {kind}", media)

    only("document", "the document", doc)
    for path, item in doc["paths"].items():
        only("path", path, item)
    for op in bundle.operations(doc):
        at = f"{op['method'].upper()} {op['path']}"
        only("operation", at, {k: v for k, v in op.items() if k not in ("path", "method")})
        only("body", at, op.get("requestBody", {}))
        content(at, op.get("requestBody", {}))
        for status, response in op["responses"].items():
            only("response", f"{at} {status}", response)
            content(f"{at} {status}", response)
        for parameter in op["parameters"]:
            if "$ref" not in parameter:
                only("parameter", at, parameter)
    for kind, section in (("parameter", "parameters"), ("header", "headers"), ("response", "responses")):
        for name, node in doc["components"][section].items():
            only(kind, name, node)
    for at, schema in schemas(doc):
        only("schema", at, schema)


def check_schemas(doc, say):
    for name, schema in doc["components"]["schemas"].items():
        if not schema.get("description"):
            say(f"/components/schemas/{name}", "has no description")
    for at, schema in schemas(doc):
        properties = schema.get("properties")
        if not isinstance(properties, dict):
            continue
        lower = collections.Counter(name.lower() for name in properties)
        for name, content in properties.items():
            where = f"{at}/properties/{name}"
            if not SNAKE_CASE.fullmatch(name):
                say(where, "is not snake_case")
            if lower[name.lower()] > 1:
                say(where, "differs from another field only by case")
            if name in TAKEN:
                say(where, f"breaks generated clients: {TAKEN[name]}")
            if name.removeprefix("set_") != name and name.removeprefix("set_") in properties:
                say(where, "breaks generated clients: the other field's setter has this name in Java")
            target = resolve(doc, content["$ref"]) if "$ref" in content else {}
            if not (content.get("description") or target.get("description")):
                say(where, "has no description")
        for name in schema.get("required", []):
            if name not in properties:
                say(f"{at}/required", f"{name} is no field")


def check_strictness(doc, say):
    for op in bundle.operations(doc):
        for kind, content in op.get("requestBody", {}).get("content", {}).items():
            names = bundle.reachable(doc["components"]["schemas"], bundle.references(content["schema"]))
            for name in names:
                for at, node in walk(doc["components"]["schemas"][name]):
                    if "properties" in node and isinstance(node["properties"], dict) and "additionalProperties" not in node:
                        say(f"{name}{at}", f"is open in the request of {op['operationId']} ({kind})")
        for response in op["responses"].values():
            for name in bundle.reachable(doc["components"]["schemas"], bundle.references(response)):
                for at, node in walk(doc["components"]["schemas"][name]):
                    if node.get("additionalProperties") is False:
                        say(f"{name}{at}", f"is closed in an answer of {op['operationId']}")


def breaches(doc):
    """What the document does wrong, in words."""
    found = []

    def say(at, what):
        if f"{at}: {what}" not in found:
            found.append(f"{at}: {what}")
    for check in (check_references, check_members, check_operations, check_webhooks, check_schemas, check_strictness):
        check(doc, say)
        if found:
            break  # the next one would stumble over it
    return found


def main():
    found = breaches(bundle.bundle())
    print("\n".join(found) if found else "api: the contract keeps its rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
