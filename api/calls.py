#!/usr/bin/python3
"""What the contract says of every call, as macros that the rows of the route table (server/routes/routes.c) begin with.

    calls.py OPENAPI.json OUT        OUT: a header with CALL_<operationId>, the first members of struct route
"""

import json
import pathlib
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


if __name__ == "__main__":
    source, out = map(pathlib.Path, sys.argv[1:])
    out.write_text("\n".join(header(json.loads(source.read_text()))) + "\n")
