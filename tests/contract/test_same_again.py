"""Who puts what is there already, after a lost answer say, changes nothing: no revision, no other ETag, in whatever order and
spelling of numbers it is said. What is really changed, changes."""

import json

import pytest

from support import robot, unique_name

BODIES = [{"name": "table", "box": {"size": [1, 2, 0.5], "translation": [0.4, 0, -0.25]}}]
PART = {"mass": 1.5, "com": [0, 0, 0.02]}


@pytest.fixture(scope="module")
def resources(server):
    """(collection, what it says, what it says when it is changed) of four kinds."""
    with server.client() as client:
        arm = unique_name("arm")
        model = robot("scara")
        client.create_robot(model, name=arm)
        controller = {"name": unique_name("plc"), "host": "192.0.2.7", "port": 502, "robot": arm, "profile": {"protocol": "armdyn-v2"}}
        cell, part, same = {"name": unique_name("cell"), "bodies": BODIES}, {"name": "A7", "payload": PART}, {**model, "name": unique_name("same")}
        yield {
            "robots": ("/v1/robots", same, {**same, "description": "other"}),
            "cells": ("/v1/cells", cell, {**cell, "description": "other"}),
            "parts": (f"/v1/robots/{arm}/parts", part, {**part, "payload": {**PART, "mass": 2}}),
            "controllers": ("/v1/controllers", controller, {**controller, "port": 503}),
        }


def otherwise(value):
    """The same JSON: members the other way round, whole numbers with a fraction."""
    if isinstance(value, dict):
        return {name: otherwise(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return [otherwise(one) for one in value]
    return float(value) if type(value) is int and value < 100 else value


@pytest.mark.parametrize("kind", ["robots", "cells", "parts", "controllers"])
def test_the_same_again_is_no_change(server, resources, kind):
    collection, body, other = resources[kind]
    path = f"{collection}/{body['name']}"
    with server.client() as client:
        made = client.post(collection, body).expect(201)
        first = client.get(path).expect(200)
        for again in (body, otherwise(body)):
            put = client.put(path, body=json.dumps(again, indent=3), content_type="application/json", headers={"If-Match": made.etag}).expect(200)
            assert put.etag == made.etag and put.json == first.json
        if kind == "robots":
            assert len(client.get(f"{path}/revisions").expect(200).json["items"]) == 1
        changed = client.put(path, other, headers={"If-Match": made.etag}).expect(200)
        assert changed.etag != made.etag
        client.put(path, other, headers={"If-Match": made.etag}).expect(412)
        back = client.put(path, body, headers={"If-Match": changed.etag}).expect(200)
        assert back.etag not in (made.etag, changed.etag)  # what it was once is a change, too
