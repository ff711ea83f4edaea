#!/usr/bin/python3
"""What the contract says of every call, as macros that the rows of the route table (server/routes/routes.c) begin with, and which
members of what is put are read only, as rows of the codecs' field tables.

    calls.py OPENAPI.json OUT READ_ONLY        OUT: a header with CALL_<operationId>, the first members of struct route
                                               READ_ONLY: a header with READ_ONLY_<SCHEMA>, written only when it differs
"""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bundle  # noqa: E402

MEDIA = {"application/json": "JSON", "application/x-npy": "NPY", "text/csv": "CSV", "application/xml": "XML",
         "text/html": "HTML", "application/merge-patch+json": "MERGE_PATCH", "text/javascript": "JAVASCRIPT", "text/css": "CSS",
         "image/svg+xml": "SVG", "text/event-stream": "EVENTS", "text/plain": "TEXT", "model/stl": "STL", "model/obj": "OBJ",
         "text/markdown": "MARKDOWN", "application/x-latex": "LATEX", "text/x-matlab": "MATLAB"}


def mask(media):
    return " | ".join(f"TAKES(MEDIA_{MEDIA[name]})" for name in media) or "0"


def bodies(op):
    """A body that may be left out is the empty object."""
    body = op.get("requestBody", {})
    return mask(body.get("content", {})) if body.get("required", True) else "NO_FIELDS"


def answers(doc, op):
    responses = [bundle.resolve(doc, response) for status, response in sorted(op["responses"].items()) if status.startswith("2")]
    return mask(dict.fromkeys(name for response in responses for name in response.get("content", {})))


def query(doc, op):
    parameters = [bundle.resolve(doc, parameter) for parameter in op["parameters"]]
    return " ".join(parameter["name"] for parameter in parameters if parameter["in"] == "query")


def text(words):
    return json.dumps(words) if words else "NULL"


def header(doc):
    yield "/* Made of the contract by api/calls.py. */"
    for op in bundle.operations(doc):
        words = query(doc, op)
        yield (f'#define CALL_{op["operationId"]} HTTP_{op["method"].upper()}, "{op["path"]}", ROLE_{op["x-role"].upper()}, '
               f'{bodies(op)}, {answers(doc, op)}, {text(words)}, "{op["operationId"]}", {text(op.get("x-no-dry-run"))}')


def read_only(doc):
    yield "/* Made of the contract by api/calls.py: of a schema what is accepted and ignored. */"
    for name, schema in doc["components"]["schemas"].items():
        members = [member for member, of in schema.get("properties", {}).items() if of.get("readOnly")]
        if members:
            rows = ", ".join(f'{{ READ_ONLY("{member}") }}' for member in members)
            yield f'#define READ_ONLY_{re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()} {rows}'


if __name__ == "__main__":
    source, out, members = map(pathlib.Path, sys.argv[1:])
    contract = json.loads(source.read_text())
    out.write_text("\n".join(header(contract)) + "\n")
    rows = "\n".join(read_only(contract)) + "\n"
    if not members.is_file() or members.read_text() != rows:
        members.write_text(rows)
