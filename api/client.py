#!/usr/bin/python3
"""The client that ships as GET /clients/armdyn.py: a method for every call of the contract and a type for every schema, behind
the few lines of client_head.py that speak HTTP.

    client.py OPENAPI.json OUT.py
"""

import json
import keyword
import pathlib
import re
import sys
import textwrap

import bundle

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
TAKEN = ("Any", "Client", "Iterator", "Problem", "TypedDict", "Union")
WIDTH = 110


def snake(name):
    """createOrder, If-None-Match -> create_order, if_none_match; words that Python keeps get a _ behind them."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("-", "_")).lower()
    return name + "_" if keyword.iskeyword(name) or name in ("self", "body", "accept", "content_type") else name


def type_name(schema):
    """Names that the client needs for itself are left to it."""
    return schema + "Document" if schema in TAKEN else schema


def union(kinds):
    """None last; what may be anything is Any."""
    kinds = sorted(dict.fromkeys(kinds), key=lambda kind: kind == "None")
    if "Any" in kinds or not kinds:
        return "Any"
    return kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"


def kind_of(doc, schema):
    """The annotation of a schema: an object of known members by its name; anything else by what it is."""
    if "$ref" in schema:
        target = bundle.resolve(doc, schema)
        return type_name(schema["$ref"].rsplit("/", 1)[1]) if members_of(doc, target) else kind_of(doc, target)
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return union(kind_of(doc, one) for one in schema[key])
    if "const" in schema:
        return SCALARS.get({bool: "boolean", int: "integer", float: "number", str: "string"}.get(type(schema["const"])), "Any")
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    kinds = {"array": f"list[{kind_of(doc, schema['items']) if 'items' in schema else 'Any'}]", "object": "dict[str, Any]", **SCALARS}
    return union(kinds[one] for one in types)


def members_of(doc, schema):
    """Of an object, those of its parts included; None: it is no object of known members."""
    schema = bundle.resolve(doc, schema)
    members = dict(schema.get("properties", {}))
    for part in schema.get("allOf", []):
        members |= members_of(doc, part) or {}
    return members or None


def commented(text):
    return textwrap.fill(" ".join(text.split()), WIDTH, initial_indent="# ", subsequent_indent="# ")


def write_type(doc, schema_name, schema):
    name = type_name(schema_name)
    members = members_of(doc, schema)
    lines = [commented(schema["description"])] if "description" in schema else []
    lines.append(f"{name} = TypedDict({name!r}, {{")
    lines += [f"    {json.dumps(member)}: {quoted(kind_of(doc, of))}," for member, of in members.items()]
    return "\n".join([*lines, "}, total=False)"])


def quoted(kind):
    """Types are named before they are there."""
    return json.dumps(kind) if kind not in (*SCALARS.values(), "Any") else kind


def docstring(op, parameters, media, answers):
    text = [op["summary"] + ".", ""]
    for paragraph in op.get("description", "").strip().split("\n\n"):
        table = paragraph.lstrip().startswith(("|", "-", "```"))
        text += [paragraph if table else textwrap.fill(" ".join(paragraph.split()), WIDTH), ""]
    for p in parameters:
        text += textwrap.wrap(f"{snake(p['name'])}: {' '.join(p.get('description', '').split())}", WIDTH, subsequent_indent="    ")
    if media:
        text.append(f"body: {', '.join(media)}")
    text.append(f"Answers {', '.join(answers) or 'nothing'}.")
    return textwrap.indent("\n".join(text).replace("\\", "\\\\").replace('"""', '\\"\\"\\"'), " " * 8).strip()


def answer_kind(doc, responses):
    kinds = []
    for response in responses:
        content = response.get("content", {})
        kinds += ["Iterator[dict]" if media == "text/event-stream" else kind_of(doc, of.get("schema", {})) if media == "application/json" else "bytes"
                  for media, of in content.items()] or ["None"]
    return union(kinds)


def write_method(doc, path, method, item, op):
    parameters = [bundle.resolve(doc, p) for p in item.get("parameters", []) + op.get("parameters", [])]
    body = op.get("requestBody", {})
    media = list(body.get("content", {}))
    responses = [bundle.resolve(doc, of) for status, of in sorted(op["responses"].items()) if status.startswith("2")]
    answers = list(dict.fromkeys(name for response in responses for name in response.get("content", {})))
    inside = [p for p in parameters if p["in"] == "path"]
    others = [p for p in parameters if p["in"] != "path"]
    taken = ["self", *(f"{snake(p['name'])}: str" for p in inside)]
    if media:
        kind = kind_of(doc, body["content"][media[0]]["schema"]) if media[0].endswith("json") else "bytes"
        kind = kind if len(media) == 1 else f"Union[{kind}, str, bytes]" if kind != "Any" else kind
        taken.append(f"body: {quoted(kind)}" + ("" if body.get("required", True) else " = None"))
    named = [f"{snake(p['name'])}: {quoted('Union[' + kind_of(doc, p['schema']) + ', None]')}" + ("" if p.get("required") else " = None") for p in others]
    if len(media) > 1:
        named.append(f"content_type: str = {media[0]!r}")
    if len(answers) > 1:
        named.append(f"accept: str = {answers[0]!r}")
    taken += ["*", *named] if named else []
    place = re.sub(r"\{(\w+)\}", lambda m: "{urllib.parse.quote(str(" + snake(m[1]) + "), safe='')}", path)
    query = "{" + ", ".join(f"{p['name']!r}: {snake(p['name'])}" for p in others if p["in"] == "query") + "}"
    headers = [f"{p['name']!r}: {snake(p['name'])}" for p in others if p["in"] == "header"]
    headers.append("'Accept': " + ("accept" if len(answers) > 1 else repr(answers[0] if answers else "*/*")))
    sent = [f"f{json.dumps(place)}" if "{" in place else json.dumps(place), query, "{" + ", ".join(headers) + "}"]
    if media:
        sent += ["body", "content_type" if len(media) > 1 else repr(media[0])]
    return (f"    def {snake(op['operationId'])}({', '.join(taken)}) -> {quoted(answer_kind(doc, responses))}:\n"
            f'        """{docstring(op, others, media, answers)}"""\n'
            f"        return self._call({method.upper()!r}, {', '.join(sent)})\n")


def write(doc):
    head = (pathlib.Path(__file__).with_name("client_head.py")).read_text().replace("@VERSION@", doc["info"]["version"])
    about = ('"""armdyn for Python (3.9 or newer), of its standard library alone: made from the contract of the service that serves it.\n\n'
             '    from armdyn import Client\n'
             '    client = Client("http://127.0.0.1:8080", key=None)\n'
             '    print(client.get_version())\n"""\n\n')
    types = [write_type(doc, name, schema) for name, schema in doc["components"]["schemas"].items() if members_of(doc, schema)]
    methods = [write_method(doc, path, method, item, op) for path, item in doc["paths"].items()
               for method, op in item.items() if method in bundle.METHODS]
    return about + head + "\n" + "\n".join(methods) + "\n\n" + "\n\n".join(types) + "\n"


if __name__ == "__main__":
    contract, out = map(pathlib.Path, sys.argv[1:])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(write(json.loads(contract.read_text())))
