"""Aliases of revisions, and where a revision comes from."""

import pytest

from support import robot, unique_name


@pytest.fixture
def arm(client):
    """A robot with two revisions, of which the second is heavier."""
    name = unique_name()
    model = client.create_robot(robot("scara"), name=name).json
    model["joints"][2]["link"]["mass"] += 1
    client.put(f"/v1/robots/{name}", model, headers={"If-Match": '"1"'}).expect(200)
    return name


def slide_force(client, name, revision):
    query = {"revision": revision} if revision else None
    return client.post(f"/v1/robots/{name}/gravity", {"q": [0, 0, 0, 0]}, query=query).expect(200).json["gravity_torque"][2]


def test_an_alias_stands_for_a_revision(client, arm):
    path, create = f"/v1/robots/{arm}/aliases/production", {"If-None-Match": "*"}
    made = client.put(path, {"revision": 1, "reason": "as delivered"}, headers=create).expect(201)
    assert made.headers["Location"] == path
    assert {k: made.json[k] for k in ("robot", "alias", "revision", "reason")} == {
        "robot": arm, "alias": "production", "revision": 1, "reason": "as delivered"}
    old, new = slide_force(client, arm, "1"), slide_force(client, arm, "2")
    assert abs(new) - abs(old) == pytest.approx(9.81)
    assert slide_force(client, arm, "production") == old
    assert client.get(f"/v1/robots/{arm}", query={"revision": "production"}).expect(200).json["revision"] == 1

    moved = client.put(path, {**made.json, "revision": 2}, headers={"If-Match": made.etag}).expect(200)
    assert moved.etag != made.etag and slide_force(client, arm, "production") == new
    job = client.post(f"/v1/robots/{arm}/simulations", {"q": [0, 0, 0, 0], "duration": 0.01}, query={"revision": "production"},
                      headers={"Prefer": "wait=60"}).expect(200).json
    assert job["revision"] == 2
    assert client.get(f"/v1/robots/{arm}/aliases").expect(200).json["items"] == [client.get(path).expect(200).json]
    client.get(path, headers={"If-None-Match": moved.etag}).expect(304)


def test_changing_one_needs_its_version(client, arm):
    path, body = f"/v1/robots/{arm}/aliases/production", {"revision": 1}
    client.put(path, body, headers={"If-Match": '"1"'}).expect(404)
    made = client.put(path, body, headers={"If-None-Match": "*"}).expect(201)
    client.put(path, body).expect(428)
    client.put(path, body, headers={"If-None-Match": "*"}).expect(412)
    client.put(path, body, headers={"If-Match": '"99"'}).expect(412)
    client.delete(path, headers={"If-Match": made.etag}).expect(204)
    client.get(path).expect(404)
    again = client.put(path, body, headers={"If-None-Match": "*"}).expect(201)
    assert again.etag != made.etag


def test_what_is_no_alias(client, arm):
    create = {"If-None-Match": "*"}
    for name in ("latest", "17", "Production", "a b"):
        client.put(f"/v1/robots/{arm}/aliases/{name.replace(' ', '%20')}", {"revision": 1}, headers=create).expect(422)
    faults = client.put(f"/v1/robots/{arm}/aliases/x", {"revision": 9}, headers=create).expect(422).json["errors"]
    assert [(f["pointer"], f["code"]) for f in faults] == [("/revision", "inconsistent")]
    for body, pointer, code in (({}, "/revision", "required"), ({"revision": 0}, "/revision", "minimum"),
                                ({"revision": 1, "reason": "x" * 2000}, "/reason", "length"), ({"revision": 1, "why": ""}, "/why", "unknown_field")):
        faults = client.put(f"/v1/robots/{arm}/aliases/x", body, headers=create).expect(422).json["errors"]
        assert (pointer, code) in [(f["pointer"], f["code"]) for f in faults], faults
    assert "no alias" in client.get(f"/v1/robots/{arm}", query={"revision": "staging"}).expect(404).json["detail"]
    client.put(f"/v1/robots/{unique_name()}/aliases/x", {"revision": 1}, headers=create).expect(404)


def test_an_alias_goes_with_its_robot(client, arm):
    client.put(f"/v1/robots/{arm}/aliases/production", {"revision": 1}, headers={"If-None-Match": "*"}).expect(201)
    client.delete(f"/v1/robots/{arm}", headers={"If-Match": '"2"'}).expect(204)
    client.create_robot(robot("scara"), name=arm)
    client.get(f"/v1/robots/{arm}/aliases/production").expect(404)
