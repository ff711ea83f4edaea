"""Robots: immutable revisions, conditional requests, repeated requests, pages."""

import copy
import json

import pytest

from support import robot, unique_name

TWO_LINKS = {
    "name": "two-links", "convention": "dh", "gravity": [0, -9.81, 0],
    "joints": [
        {"name": f"j{i + 1}", "type": "revolute", "a": a, "alpha": 0, "d": 0, "theta": 0,
         "limits": {"position": [-3, 3], "velocity": 3, "acceleration": 20, "jerk": 200, "torque": 100, "torque_rate": 5000},
         "link": {"mass": 2.5 - i, "com": [-a / 2, 0, 0], "inertia": {"xx": 0.01, "yy": 0.05, "zz": 0.05}}}
        for i, a in enumerate((0.4, 0.3))],
}
READ_ONLY = ("revision", "created_at", "unphysical", "warnings")


def model(**changes):
    return {**copy.deepcopy(TWO_LINKS), "name": unique_name("arm"), **changes}


@pytest.fixture
def stored(client):
    """A stored robot: its path, and what the creation answered."""
    answer = client.post("/v1/robots", model()).expect(201)
    return answer.headers["Location"], answer


def hold(client, path, **query):
    """Torques that hold the arm out level: a number that tells revisions apart."""
    return client.post(path + "/inverse-dynamics", {"q": [0, 0], "qd": [0, 0], "qdd": [0, 0]}, query=query).expect(200).json["tau"]


def heavier(document, mass):
    changed = copy.deepcopy(document)
    changed["joints"][1]["link"]["mass"] = mass
    return changed


def test_a_mistyped_name_is_told_the_one_that_is_meant(client):
    name = unique_name("mistyped")
    client.post("/v1/robots", model(name=name)).expect(201)
    for wrong in (name[:-1], name + "x", name[1] + name[0] + name[2:]):
        for answer in (client.get(f"/v1/robots/{wrong}"), client.post(f"/v1/robots/{wrong}/gravity", {"q": [0, 0]})):
            assert answer.expect(404).json["detail"] == f"there is no robot '{wrong}'; did you mean '{name}'?"
    assert "did you mean" not in client.get("/v1/robots/nothing-like-it-at-all").expect(404).json["detail"]


def test_creation(client):
    sent = model()
    answer = client.post("/v1/robots", sent).expect(201)
    assert answer.headers["Location"] == f"/v1/robots/{sent['name']}"
    assert answer.etag == '"1"' and answer.json["revision"] == 1
    got = client.get(answer.headers["Location"]).expect(200)
    assert got.json == answer.json and got.etag == '"1"'
    for field, value in sent.items():
        if field != "joints":
            assert got.json[field] == value, field
    for joint, back in zip(sent["joints"], got.json["joints"]):
        for field in joint:
            if field != "link":
                assert back[field] == joint[field], field
        assert back["link"]["mass"] == joint["link"]["mass"] and back["link"]["com"] == joint["link"]["com"]


def test_creation_of_a_name_that_exists(client, stored):
    path, answer = stored
    problem = client.post("/v1/robots", model(name=answer.json["name"])).expect(409).json
    assert problem["type"] == "/problems/conflict" and answer.json["name"] in problem["detail"]
    assert client.get(path).json["revision"] == 1


def test_every_number_comes_back_as_it_was_sent(client):
    """Awkward doubles survive JSON, the store, and JSON again, bit for bit."""
    numbers = [0.1, 1 / 3, 5e-324, 2.2250738585072014e-308, -1e-17, 123456789.123456789, 999999999999.9999]
    sent = model(joints=[{**TWO_LINKS["joints"][0], "name": f"n{i}", "offset": number} for i, number in enumerate(numbers)])
    path = client.post("/v1/robots", sent).expect(201).headers["Location"]
    assert [joint["offset"] for joint in client.get(path).json["joints"]] == numbers


def test_text_comes_back_as_it_was_sent(client):
    text = 'Übergröße "quoted" \\ / \u20ac \U0001d6d1 tab\there'
    path = client.post("/v1/robots", model(description=text)).expect(201).headers["Location"]
    assert client.get(path).json["description"] == text
    escaped = json.dumps(model(description=text), ensure_ascii=False)
    path = client.post("/v1/robots", body=escaped).expect(201).headers["Location"]
    assert client.get(path).json["description"] == text


def test_put_makes_a_revision_and_leaves_the_old_one(client, stored):
    path, answer = stored
    before = hold(client, path)
    changed = client.put(path, heavier(answer.json, 5.0), headers={"If-Match": answer.etag}).expect(200)
    assert changed.json["revision"] == 2 and changed.etag == '"2"'
    after = hold(client, path)
    assert after[1] == pytest.approx(5.0 * 9.81 * 0.15, rel=1e-12)
    assert hold(client, path, revision=1) == before and hold(client, path, revision="latest") == after
    assert hold(client, path, revision=2) == after
    assert client.get(path, query={"revision": 1}).json == answer.json
    assert client.get(path + "/revisions/1").json == answer.json
    assert client.get(path + "/revisions/2").json == client.get(path).json == changed.json


def test_if_match_takes_a_list_of_tags_and_compares_strongly(client, stored):
    path, answer = stored
    put = lambda tags, mass=5.0: client.put(path, heavier(answer.json, mass), headers={"If-Match": tags})
    put('"7", "8"').expect(412)
    put('W/"1", "8"').expect(412)
    assert put('"7", "1"').expect(200).json["revision"] == 2
    assert put("*", 6.0).expect(200).json["revision"] == 3


@pytest.mark.parametrize("name", ["puma560", "scara", "prismatic_dh", "prismatic_mdh"])
def test_put_takes_what_get_answered(client, name):
    """readOnly fields are accepted and ignored; nothing changes, not even the revision."""
    path = client.create_robot(robot(name), name=unique_name("again")).headers["Location"]
    first = client.get(path).json
    options = {"headers": {"If-Match": '"1"'}, "query": {"allow_unphysical": "true"}}
    second = client.put(path, first, **options).expect(200).json
    assert second == first
    strange = {**first, "revision": 77, "created_at": "never", "unphysical": "maybe", "warnings": {}}
    assert client.put(path, strange, **options).expect(200).json == first
    assert client.put(path, heavier(strange, 5.0), **options).expect(200).json["revision"] == 2


def test_change_needs_if_match(client, stored):
    path, answer = stored
    assert client.put(path, answer.json).expect(428).json["type"] == "/problems/precondition-required"
    assert client.delete(path).expect(428).json["type"] == "/problems/precondition-required"
    for stale in ('"0"', '"2"', '"x"', 'W/"1"'):
        assert client.put(path, answer.json, headers={"If-Match": stale}).expect(412).json["type"] == "/problems/stale"
        assert client.delete(path, headers={"If-Match": stale}).expect(412).json["type"] == "/problems/stale"
    assert client.get(path).json["revision"] == 1
    client.put(path, answer.json, headers={"If-Match": "*"}).expect(200)


def test_two_writers_do_not_overwrite_each_other(client, stored):
    path, answer = stored
    client.put(path, heavier(answer.json, 3), headers={"If-Match": answer.etag}).expect(200)
    client.put(path, heavier(answer.json, 4), headers={"If-Match": answer.etag}).expect(412)
    assert client.get(path).json["joints"][1]["link"]["mass"] == 3


def test_put_creates_only_when_told_to(client):
    sent = model()
    path = f"/v1/robots/{sent['name']}"
    client.put(path, sent, headers={"If-Match": '"1"'}).expect(404, 412)
    client.put(path, sent).expect(404, 428)
    created = client.put(path, sent, headers={"If-None-Match": "*"}).expect(201)
    assert created.headers["Location"] == path and created.etag == '"1"'
    assert client.put(path, sent, headers={"If-None-Match": "*"}).expect(412).json["type"] == "/problems/stale"


def test_name_of_body_and_path_must_agree(client, stored):
    path, answer = stored
    problem = client.put(path, {**answer.json, "name": "another"}, headers={"If-Match": answer.etag}).expect(422).json
    assert problem["errors"][0]["pointer"] == "/name" and problem["errors"][0]["code"] == "inconsistent"


def test_conditional_get(client, stored):
    path, answer = stored
    unchanged = client.get(path, headers={"If-None-Match": answer.etag})
    assert unchanged.status == 304 and unchanged.etag == answer.etag and unchanged.body == b""
    for matching in ('"7", "1"', "*", 'W/"1"'):
        assert client.get(path, headers={"If-None-Match": matching}).status == 304, matching
    client.get(path, headers={"If-None-Match": '"7"'}).expect(200)
    head = client.head(path).expect(200)
    assert head.etag == answer.etag and head.body == b"" and int(head.headers["Content-Length"]) == len(client.get(path).body)


def test_revisions_list(client, stored):
    path, answer = stored
    for n in range(1, 6):
        client.put(path, heavier(answer.json, n), headers={"If-Match": f'"{n}"'}).expect(200)
    items = client.get(path + "/revisions").expect(200).json["items"]
    assert [item["revision"] for item in items] == [6, 5, 4, 3, 2, 1]
    seen, cursor = [], None
    while True:
        page = client.get(path + "/revisions", query={"limit": 4, **({"cursor": cursor} if cursor else {})}).expect(200).json
        assert len(page["items"]) <= 4
        seen += [item["revision"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [6, 5, 4, 3, 2, 1]
    client.get(path + "/revisions/7").expect(404)
    client.get(path, query={"revision": 7}).expect(404)


def test_list_and_pages(fresh_server):
    with fresh_server.client() as client:
        assert client.get("/v1/robots").expect(200).json == {"items": [], "next_cursor": None}
        names = sorted(f"arm-{i:02}" for i in range(7))
        for name in reversed(names):
            client.post("/v1/robots", model(name=name)).expect(201)
        whole = client.get("/v1/robots").expect(200).json
        assert sorted(item["name"] for item in whole["items"]) == names and whole["next_cursor"] is None
        order = [item["name"] for item in whole["items"]]
        seen, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            page = client.get("/v1/robots", query={"limit": 3, **({"cursor": cursor} if cursor else {})}).expect(200).json
            seen += [item["name"] for item in page["items"]]
            cursor, pages = page["next_cursor"], pages + 1
        assert seen == order and pages == 3
        exact = client.get("/v1/robots", query={"limit": 7}).expect(200).json
        assert len(exact["items"]) == 7 and exact["next_cursor"] is None


def test_delete(client, stored):
    path, answer = stored
    client.delete(path, headers={"If-Match": answer.etag}).expect(204)
    client.get(path).expect(404)
    client.get(path + "/revisions").expect(404)
    client.get(path + "/revisions/1").expect(404)
    client.post(path + "/inverse-dynamics", {"q": [0, 0], "qd": [0, 0], "qdd": [0, 0]}).expect(404)
    client.delete(path, headers={"If-Match": answer.etag}).expect(404)
    assert answer.json["name"] not in [i["name"] for i in client.get("/v1/robots", query={"limit": 200}).json["items"]]


def trajectory(client, path):
    request = {"method": "quintic", "start": {"q": [0, 0]}, "goal": {"q": [0.4, 0.2]}, "duration": 2}
    job = client.wait_job(client.post(path + "/trajectories", request, headers={"Prefer": "wait=30"}))
    assert job["state"] == "succeeded", job
    return job


def test_delete_of_what_results_refer_to(client, stored):
    path, answer = stored
    job = trajectory(client, path)
    problem = client.delete(path, headers={"If-Match": answer.etag}).expect(409).json
    assert problem["type"] == "/problems/conflict"
    client.get(path).expect(200)
    client.delete(path, headers={"If-Match": answer.etag}, query={"archive": "true"}).expect(204)
    assert answer.json["name"] not in [i["name"] for i in client.get("/v1/robots", query={"limit": 200}).json["items"]]
    kept = client.get(job["result"]["href"]).expect(200).json
    assert kept["robot"] == answer.json["name"] and kept["revision"] == 1
    client.get(job["result"]["href"] + "/samples").expect(200)


def test_results_name_the_revision_that_they_used(client, stored):
    path, answer = stored
    first = trajectory(client, path)
    client.put(path, heavier(answer.json, 4), headers={"If-Match": answer.etag}).expect(200)
    second = trajectory(client, path)
    assert (first["revision"], second["revision"]) == (1, 2)
    assert client.get(first["result"]["href"]).json["revision"] == 1


def test_idempotent_creation(client):
    sent, key = model(), {"Idempotency-Key": unique_name("key")}
    first = client.post("/v1/robots", sent, headers=key).expect(201)
    assert "Idempotency-Replayed" not in first.headers
    again = client.post("/v1/robots", sent, headers=key)
    assert again.status == 201 and again.headers["Idempotency-Replayed"] == "true"
    assert again.json == first.json and again.headers["Location"] == first.headers["Location"]
    other = client.post("/v1/robots", model(), headers=key).expect(422).json
    assert other["type"] == "/problems/idempotency-mismatch"
    client.post("/v1/robots", sent).expect(409)


def test_idempotency_survives_a_restart(fresh_server):
    sent, key = model(), {"Idempotency-Key": "order 4711 / 2"}
    with fresh_server.client() as client:
        first = client.post("/v1/robots", sent, headers=key).expect(201)
    fresh_server.restart(kill=True)
    with fresh_server.client() as client:
        again = client.post("/v1/robots", sent, headers=key).expect(201)
        assert again.headers["Idempotency-Replayed"] == "true" and again.json == first.json
        assert len(client.get("/v1/robots").json["items"]) == 1


def test_refused_creation_leaves_the_key_free(client):
    """Nothing was created, so the corrected request may use the same key."""
    key = {"Idempotency-Key": unique_name("key")}
    client.post("/v1/robots", model(joints=[]), headers=key).expect(422)
    client.post("/v1/robots", model(), headers=key).expect(201)


def test_unphysical_models_are_stored_only_when_allowed(client):
    sent = model()
    sent["joints"][0]["link"]["inertia"] = {"xx": 0.01, "yy": 0.01, "zz": 0.5}
    problem = client.post("/v1/robots", sent).expect(422).json
    assert problem["errors"][0]["code"] == "unphysical"
    assert problem["errors"][0]["pointer"] == "/joints/0/link/inertia"
    allowed = client.post("/v1/robots", sent, query={"allow_unphysical": "true"}).expect(201)
    assert allowed.json["unphysical"] is True
    assert client.get(allowed.headers["Location"]).json["unphysical"] is True
    assert client.post("/v1/robots", model(), query={"allow_unphysical": "true"}).expect(201).json["unphysical"] is False


def test_models_survive_a_crash(fresh_server):
    with fresh_server.client() as client:
        sent = [client.post("/v1/robots", model()).expect(201).json for _ in range(5)]
    fresh_server.restart(kill=True)
    with fresh_server.client() as client:
        for document in sent:
            assert client.get(f"/v1/robots/{document['name']}").expect(200).json == document
