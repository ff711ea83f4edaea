"""Controllers as resources: their life, their faults with pointers."""

import pytest

from support import robot, unique_name


@pytest.fixture
def arm(client):
    name = unique_name("arm")
    client.create_robot(robot("scara"), name=name)
    return name


def document(arm, **changes):
    return {"name": unique_name("cell"), "host": "10.0.0.7", "robot": arm, "profile": {"protocol": "armdyn-v2"}, **changes}


def joints():
    return [joint["name"] for joint in robot("scara")["joints"]]


def test_life(client, arm):
    asked = document(arm, port=5020, unit=3, revision=1)
    made = client.post("/v1/controllers", asked).expect(201)
    path = f"/v1/controllers/{asked['name']}"
    assert made.headers["Location"] == path
    got = client.get(path).expect(200)
    assert got.json == made.json and got.etag == made.etag
    assert {**got.json, **asked, "profile": got.json["profile"]} == got.json
    assert client.get(path, headers={"If-None-Match": got.etag}).status == 304
    assert asked["name"] in [item["name"] for item in client.get("/v1/controllers", query={"limit": 200}).json["items"]]

    assert client.put(path, got.json).status == 428
    changed = client.put(path, {**got.json, "port": 503}, headers={"If-Match": got.etag}).expect(200)
    assert changed.json["port"] == 503 and changed.etag != got.etag and changed.json["created_at"] == got.json["created_at"]
    assert client.put(path, got.json, headers={"If-Match": got.etag}).status == 412
    assert client.post("/v1/controllers", asked).status == 409
    assert client.delete(path, headers={"If-Match": got.etag}).status == 412
    client.delete(path, headers={"If-Match": changed.etag}).expect(204)
    assert client.get(path).status == 404
    created = client.put(path, asked, headers={"If-None-Match": "*"}).expect(201)
    assert created.etag not in (got.etag, changed.etag)


def test_a_repeated_creation_creates_once(client, arm):
    asked, headers = document(arm), {"Idempotency-Key": unique_name()}
    client.post("/v1/controllers", asked, headers=headers).expect(201)
    again = client.post("/v1/controllers", asked, headers=headers).expect(201)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_controller_keeps_its_robot(client, arm):
    client.post("/v1/controllers", document(arm)).expect(201)
    etag = client.get(f"/v1/robots/{arm}").etag
    assert client.delete(f"/v1/robots/{arm}", headers={"If-Match": etag}).status == 409


AXES = [{"joint": name, "axis": i + 1} for i, name in enumerate(joints())]


def axes(index, **changes):
    return {"axes": [{**axis, **changes} if i == index else axis for i, axis in enumerate(AXES)]}


@pytest.mark.parametrize("profile, pointer, code", [
    (axes(1, joint="elbow9"), "/profile/axes/1/joint", "inconsistent"),
    (axes(1, joint=AXES[0]["joint"]), "/profile/axes/1/joint", "duplicate"),
    (axes(1, axis=1), "/profile/axes/1/axis", "duplicate"),
    (axes(0, axis=0), "/profile/axes/0/axis", "minimum"),
    (axes(0, axis=11), "/profile/axes/0/axis", "maximum"),
    (axes(0, sign=0), "/profile/axes/0/sign", None),
    (axes(0, sign=2), "/profile/axes/0/sign", "maximum"),
    (axes(0, position_scale=0), "/profile/axes/0/position_scale", None),
    (axes(0, rated_torque=-1), "/profile/axes/0/rated_torque", "minimum"),
    (axes(0, torque_side="moon"), "/profile/axes/0/torque_side", "enum"),
    ({"axes": AXES[1:]}, "/profile/axes", "required"),
    ({"axes": []}, "/profile/axes", "length"),
    ({"limits": {"torque": [1]}}, "/profile/limits/torque", "length"),
    ({"limits": {"torque_rate": [1] * 33}}, "/profile/limits/torque_rate", "length"),
    ({"limits": {"torque": [0] * len(AXES)}}, "/profile/limits/torque/0", "minimum"),
    ({"protocol": "register-maps"}, "/profile/protocol", "enum"), ({"protocol": "register-map"}, "/profile/map", "required"),
    ({"base": 65400}, "/profile/base", "maximum"),
    ({"start_tolerance": 0}, "/profile/start_tolerance", "minimum"),
    ({"on_link_loss": "panic"}, "/profile/on_link_loss", "enum"),
    ({"allow_start": "yes"}, "/profile/allow_start", "type"),
    ({"surprise": 1}, "/profile/surprise", "unknown_field"),
])
def test_faults_of_a_profile(client, arm, profile, pointer, code):
    answer = client.post("/v1/controllers", document(arm, profile={"protocol": "armdyn-v2", **profile}))
    assert answer.status == 422, answer
    faults = {error["pointer"]: error["code"] for error in answer.json["errors"]}
    assert pointer in faults and (code is None or faults[pointer] == code), answer


@pytest.mark.parametrize("changes, pointer", [
    ({"robot": "nobody-here"}, "/robot"), ({"revision": 99}, "/revision"), ({"revision": "oldest"}, "/revision"),
    ({"revision": 0}, "/revision"), ({"port": 0}, "/port"), ({"unit": 256}, "/unit"), ({"host": ""}, "/host"),
    ({"host": "a b"}, "/host"), ({"name": "Cell 4"}, "/name"), ({"profile": None}, "/profile"),
])
def test_faults_of_a_controller(client, arm, changes, pointer):
    answer = client.post("/v1/controllers", document(arm, **changes))
    assert answer.status == 422, answer
    assert pointer in [error["pointer"] for error in answer.json["errors"]], answer


def test_nobody(client):
    for method, path in (("GET", ""), ("GET", "/status"), ("POST", "/stop"), ("POST", "/clear")):
        assert client.request(method, f"/v1/controllers/nobody-here{path}").status == 404
    assert client.post("/v1/controllers/nobody-here/transfers", {"trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}).status == 404
    for action in ("arm", "hold", "stop"):
        assert client.post(f"/v1/transfers/01ARZ3NDEKTSV4RRFFQ69G5FAV/{action}").status == 404


def test_a_name_in_the_body_must_be_that_of_the_path(client, arm):
    answer = client.put("/v1/controllers/other-name", document(arm), headers={"If-None-Match": "*"})
    assert answer.status == 422 and answer.json["errors"][0]["pointer"] == "/name"
