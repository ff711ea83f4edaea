"""Lists of robots, revisions, aliases, controllers, mappings, webhooks, keys and the audit trail: searched, sorted, cut and
paged, each held against what Python makes of the whole list."""

import itertools
import json

import pytest

from support import Server, robot
from support.meshes import box, stl_of
from support.motions import motion

MEMBERS_THAT_MOVE = ("last_used_at",)


class Listed:
    """What a list is asked by: its path, what tells rows apart, its own order, and what can be sorted by and searched."""

    def __init__(self, path, key, order, sorts, searched):
        self.path, self.key, self.order = path, key, order
        self.sorts, self.searched = sorts.split(), searched.split()

    def __repr__(self):
        return self.path


LISTS = [
    Listed("/v1/robots", "name", "name", "name created_at revision", "name description"),
    Listed("/v1/robots/arm-4/revisions", "revision", "-revision", "revision created_at", "revision description reason"),
    Listed("/v1/robots/arm-4/aliases", "alias", "alias", "alias revision changed_at", "alias reason"),
    Listed("/v1/robots/shown/meshes", "mesh", "mesh", "mesh created_at", "mesh"),
    Listed("/v1/controllers", "name", "name", "name created_at robot host", "name host robot"),
    Listed("/v1/cells", "name", "name", "name created_at", "name description"),
    Listed("/v1/mappings", "name", "name", "name created_at", "name description"),
    Listed("/v1/webhooks", "name", "name", "name created_at", "name url"),
    Listed("/v1/keys", "id", "-created_at", "created_at name role expires_at", "id name"),
    Listed("/v1/audit", "number", "-number", "number", "number entry"),
    Listed("/v1/events/log", "number", "number", "number", "number type text"),
    Listed("/v1/alarms", "id", "-since", "since until code controller state", "id code text controller acknowledged_by"),
]


def fill(server):
    """Some of everything, in no order of names. Answers the secret of an admin's key."""
    create = {"If-None-Match": "*"}
    with server.client() as client:
        for k, about in ((4, "Gripper_A, 100 %"), (1, "gripper b"), (7, ""), (2, "Welding"), (6, "under the roof"), (3, "painting")):
            client.create_robot(robot("puma560"), name=f"arm-{k}", description=about)
        for k in range(1, 6):
            model = client.get("/v1/robots/arm-4").json
            model["description"] = f"{'Tool' if k % 2 else 'Gripper'} {k}"
            client.put("/v1/robots/arm-4", model, headers={"If-Match": f'"{k}"'}).expect(200)
        for k, name in enumerate(("production", "as-built", "trial", "old", "spare")):
            client.put(f"/v1/robots/arm-4/aliases/{name}", {"revision": 1 + 2 * k % 5, "reason": f"by Order {k % 2}"}, headers=create).expect(201)
        names = ("link_2", "base", "wrist.stl", "link-1", "hand")
        client.create_robot({**robot("puma560"), "visuals": [{"mesh": name} for name in names]}, name="shown")
        for name in names[1:4]:
            client.put(f"/v1/robots/shown/meshes/{name}", body=stl_of(box((1, 1, 1), (0, 0, 0))), content_type="model/stl", headers=create).expect(201)
        for name, arm, host in (("cell-3", 1, "127.0.0.1"), ("cell-1", 4, "127.0.0.2"), ("cell-2", 1, "127.0.0.3"), ("line", 2, "127.0.0.1")):
            client.post("/v1/controllers", {"name": name, "host": host, "port": 9, "robot": f"arm-{arm}",
                                            "profile": {"protocol": "armdyn-v2"}}).expect(201)
        for name, about in (("shelf", "Trace of a scan"), ("bin", "50 % full"), ("fixture", None), ("bin-2", "left_2")):
            client.post("/v1/cells", {"name": name, **({"description": about} if about else {}), "bodies": [
                {"name": "floor", "half_space": {"normal": [0, 0, 1], "offset": -1}}]}).expect(201)
        for name, about in (("scope", "Trace 1 of drives"), ("drive", "50 % sampled"), ("plc", None), ("drive-2", "trace_2")):
            client.put(f"/v1/mappings/{name}", {
                **({"description": about} if about else {}), "time": {"column": "t", "unit": "s"},
                "columns": {"q1": {"column": "a", "unit": "rad"}, "tau1": {"column": "b", "unit": "N*m"}}}, headers=create).expect(201)
        for name in ("mes", "archive", "board", "mes-2"):
            client.post("/v1/webhooks", {"name": name, "url": f"https://hooks.example.com/{name}/Ends"}).expect(201)
        for duration in (1.5, 2, 2.5, 3, 3.5):
            client.wait_job(client.post("/v1/robots/arm-1/trajectories", motion(duration=duration)).expect(202))
        server.write("INSERT INTO alarms (id, code, source, controller, text, since, until, acknowledged_at, acknowledged_by)"
                     " VALUES (?, ?, 'gateway', ?, ?, ?, ?, ?, ?)", [
                         (f"01K{k:023d}", code, name, f"Link_{k} is 50 % away", f"2026-03-0{5 - k}T06:00:00.000Z", until, *by)
                         for k, (code, name, until, *by) in enumerate((
                             ("controller-lost", "cell-1", None, None, None),
                             ("controller-fault", "cell-2", None, "2026-03-04T07:00:00.000Z", "office"),
                             ("disk-low", None, "2026-03-09T06:00:00.000Z", None, None),
                             ("controller-lost", "cell-3", "2026-03-08T06:00:00.000Z", "2026-03-04T09:00:00.000Z", "desk-2")))])
        secret = client.post("/v1/keys", {"name": "office", "role": "admin"}).expect(201).json["secret"]
    with server.client(key=secret) as client:
        for k, role in enumerate(("viewer", "operator", "viewer", "engineer", "operator")):
            ends = {} if k % 2 else {"expires_at": f"2190-01-0{5 - k}T00:00:00Z"}
            client.post("/v1/keys", {"name": f"desk-{k * 7 % 5}", "role": role, **ends}).expect(201)
    return secret


@pytest.fixture(scope="module")
def client():
    with Server() as server, server.client(key=fill(server)) as client:
        yield client


@pytest.fixture(params=LISTS, ids=repr)
def listed(request):
    return request.param


def items_of(client, path, limit=200, **query):
    """All pages, one behind the other."""
    items, cursor = [], None
    while cursor or not items:
        page = client.get(path, query={"limit": limit, **query, **({"cursor": cursor} if cursor else {})}).expect(200).json
        assert len(page["items"]) <= limit
        items += [{k: v for k, v in item.items() if k not in MEMBERS_THAT_MOVE} for item in page["items"]]
        cursor = page["next_cursor"]
        if not cursor:
            break
    return items


def in_order(items, listed, sort):
    member = sort.lstrip("-")
    return sorted(items, key=lambda item: (item.get(member) or "", item[listed.key]), reverse=sort.startswith("-"))


def test_sorted_and_paged(client, listed):
    whole = items_of(client, listed.path)
    assert len(whole) >= 4 and whole == in_order(whole, listed, listed.order)
    for sort, limit in itertools.product([*listed.sorts, *("-" + name for name in listed.sorts)], (3, 200)):
        assert items_of(client, listed.path, limit, sort=sort) == in_order(whole, listed, sort), (sort, limit)
    for limit in (2, len(whole)):
        assert items_of(client, listed.path, limit) == whole


def texts(item, listed):
    for member in listed.searched:
        value = item.get(member)
        if isinstance(value, dict):
            yield json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        elif value is not None:
            yield str(value)


def test_searched(client, listed):
    whole = items_of(client, listed.path)
    wanted = {"%", "_", "\\", "nowhere at all"}
    for text in itertools.chain.from_iterable(texts(item, listed) for item in whole[:3]):
        wanted |= {text[:128], text[1:5].upper(), text[-3:].lower()}
    wanted.discard("")
    for q in wanted:
        expected = [item for item in whole if any(q.lower() in text.lower() for text in texts(item, listed))]
        assert items_of(client, listed.path, q=q) == expected, q
        assert items_of(client, listed.path, limit=2, q=q) == expected, q


def test_cut_to_fields(client, listed):
    whole = items_of(client, listed.path)
    members = list(dict.fromkeys(itertools.chain.from_iterable(whole)))
    for chosen in (members[:1], members[1:3], members[-2:], members):
        cut = items_of(client, listed.path, fields=",".join(chosen))
        assert cut == [{k: v for k, v in item.items() if k in chosen} for item in whole]


@pytest.mark.parametrize("name, value", [
    ("sort", "colour"), ("sort", "-"), ("sort", "duration"), ("fields", "colour"), ("fields", ""), ("q", "x" * 129), ("tag", "a=b"),
    ("metric", "duration<6"), ("limit", "0"), ("cursor", "arm-1")])
def test_asked_by_what_it_does_not_know(client, listed, name, value):
    assert [fault["parameter"] for fault in client.get(listed.path, query={name: value}).expect(422).json["errors"]] == [name]


def test_a_cursor_belongs_to_its_query(client, listed):
    query = {"limit": 2, "sort": listed.sorts[0]}
    cursor = client.get(listed.path, query=query).expect(200).json["next_cursor"]
    client.get(listed.path, query={**query, "limit": 1, "fields": listed.key, "cursor": cursor}).expect(200)
    other = next(name for name in LISTS if name is not listed)
    for path, changed in ((listed.path, {"sort": "-" + listed.sorts[0]}), (listed.path, {"q": "a"}), (other.path, {"sort": other.sorts[0]})):
        answer = client.get(path, query={**query, **changed, "cursor": cursor}).expect(422)
        assert [fault["parameter"] for fault in answer.json["errors"]] == ["cursor"]
    for broken in (cursor[:-1], cursor + ".", cursor.rsplit(".", 1)[0] + ".", cursor + "/", cursor + "x" * 64, cursor[:17]):
        client.get(listed.path, query={**query, "cursor": broken}).expect(422)
    for broken in (cursor.rsplit(".", 1)[0], cursor.replace(".t", ".n"), cursor.replace(".n", ".z"), cursor.replace(".", ".a", 1)):
        client.get(listed.path, query={**query, "cursor": broken}).expect(200, 422)


def test_controllers_of_a_robot(client):
    assert [item["name"] for item in items_of(client, "/v1/controllers", robot="arm-1", sort="-name")] == ["cell-3", "cell-2"]
    assert items_of(client, "/v1/controllers", robot="arm-7") == []


@pytest.mark.parametrize("sort", ["name", "-name", "created_at", "-created_at", "revision", "-revision"])
def test_pages_stand_while_others_come_and_go(client, sort):
    """What was there all the time comes once, in its order; what came meanwhile at most once."""
    before = [item["name"] for item in items_of(client, "/v1/robots", sort=sort)]
    seen, cursor, k = [], None, 0
    while cursor or not seen:
        page = client.get("/v1/robots", query={"sort": sort, "limit": 2, **({"cursor": cursor} if cursor else {})}).expect(200).json
        seen += [item["name"] for item in page["items"]]
        if seen[-1] in before:  # else the list never ends
            client.create_robot(robot("puma560"), name=f"{'az'[k % 2]}-{sort.strip('-').replace('_', '')}-{k}")
        cursor, k = page["next_cursor"], k + 1
        if not cursor:
            break
    assert [name for name in seen if name in before] == before and len(set(seen)) == len(seen)
    for item in items_of(client, "/v1/robots"):
        if item["name"] not in before:
            client.delete(f"/v1/robots/{item['name']}", headers={"If-Match": "*"}).expect(204)


def test_the_row_of_a_cursor_may_go(client):
    names = [item["name"] for item in items_of(client, "/v1/mappings")]
    page = client.get("/v1/mappings", query={"limit": 2}).expect(200).json
    last = client.get(f"/v1/mappings/{page['items'][-1]['name']}").expect(200)
    client.delete(f"/v1/mappings/{last.json['name']}", headers={"If-Match": "*"}).expect(204)
    rest = client.get("/v1/mappings", query={"limit": 2, "cursor": page["next_cursor"]}).expect(200).json
    assert [item["name"] for item in page["items"] + rest["items"]] == names[:4]
    client.put(f"/v1/mappings/{last.json['name']}", last.json, headers={"If-None-Match": "*"}).expect(201)
