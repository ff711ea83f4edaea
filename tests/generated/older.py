#!/usr/bin/python3
"""The contract as OpenAPI 3.0, for generators that do not read 3.1:    older.py openapi.json older.json

What 3.0 cannot say is said wider, never narrower: where one of several forms may stand, anything may.
"""

import json
import sys

LEFT_OUT = ("examples", "if", "then", "example", "default", "contentMediaType", "propertyNames")  # says nothing to a client, or is unknown to 3.0
NULL = {"type": "null"}


class Older:
    def __init__(self, document):
        self.schemas = {f"#/components/schemas/{name}": schema for name, schema in document["components"]["schemas"].items()}

    def of(self, node):
        if isinstance(node, list):
            return [self.of(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return {} if several(self.schemas.get(node["$ref"], {})) else {"$ref": node["$ref"]}
        if several(node):
            return {}
        node = {key: self.of(value) for key, value in node.items() if key not in LEFT_OUT}
        if isinstance(node.get("type"), list):
            (node["type"],) = [kind for kind in node["type"] if kind != "null"]
            node["nullable"] = True
        if "const" in node:
            node["enum"] = [node.pop("const")]
        if "x-enum-varnames" in node:
            node["x-enumNames"] = node["x-enum-varnames"]
        node["allOf"] = [part for part in node.pop("allOf", []) if part]
        if not node["allOf"]:
            del node["allOf"]
        forms = [form for form in node.pop("oneOf", []) if form != NULL]
        return {**node, **self.or_null(forms[0])} if len(forms) == 1 else node

    def or_null(self, form):
        if "$ref" in form and self.schemas[form["$ref"]].get("type") == "object":
            return {"allOf": [form], "nullable": True}
        return {**self.of(self.schemas[form["$ref"]] if "$ref" in form else form), "nullable": True}


def several(schema):
    """May one of several forms stand here? Conditions on the members of one form are something else."""
    if isinstance(schema.get("type"), list):
        return len([kind for kind in schema["type"] if kind != "null"]) > 1
    if "anyOf" in schema:
        return True
    return isinstance(schema.get("oneOf"), list) and "properties" not in schema and len([form for form in schema["oneOf"] if form != NULL]) > 1


def main(given, written):
    with open(given, encoding="utf-8") as file:
        document = json.load(file)
    document = Older(document).of(document)
    document["openapi"] = "3.0.3"
    del document["jsonSchemaDialect"], document["webhooks"], document["info"]["summary"], document["info"]["license"]["identifier"]
    with open(written, "w", encoding="utf-8") as file:
        json.dump(document, file)


main(*sys.argv[1:])
