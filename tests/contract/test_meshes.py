"""Meshes are uploaded in several formats, kept as triangles, answered as binary STL, and go with their robot."""

import struct

import pytest

from support.data import robot, unique_name
from support.meshes import ascii_stl_of, box, obj_of, stl_of, stl_read

STL, ONCE = "model/stl", {"If-None-Match": "*"}
SIZE, CENTER = (0.5, 0.25, 2), (1, -2, 0.125)  # exact in float
BOX = box(SIZE, CENTER)


@pytest.fixture
def arm(client):
    name = unique_name("shown-")
    client.create_robot(robot("scara"), name=name, visuals=[{"mesh": "base", "reference": "package://a/Base.STL"}, {"mesh": "arm", "joint": "j1"},
                                                            {"mesh": "arm", "joint": "j2", "scale": [1, -1, 1]}])
    return f"/v1/robots/{name}/meshes"


@pytest.fixture
def place(client, arm):
    """A mesh that is missing."""
    return f"{arm}/arm"


def put(client, place, data, kind=STL, **headers):
    return client.put(place, body=data, content_type=kind, headers=headers or ONCE)


@pytest.mark.parametrize("data, kind, triangles", [
    (stl_of(BOX), STL, 12), (b"solid " + stl_of(BOX)[6:], STL, 12), (ascii_stl_of(BOX), STL, 12),
    (ascii_stl_of(BOX[:5]).upper() + ascii_stl_of(BOX[5:]).replace(b"\n", b"\r\n"), STL, 12),
    (obj_of(SIZE, CENTER), "model/obj", 12), (stl_of(BOX), "model/obj", 12),
], ids=["binary", "binary that begins with solid", "ascii", "two solids", "obj", "what the content says"])
def test_every_format_becomes_the_same_triangles(client, place, data, kind, triangles):
    answer = put(client, place, data, kind).expect(201)
    assert answer.json["triangles"] == triangles and answer.json["etag"] == answer.etag and answer.headers["Location"] == place == answer.json["href"]
    assert answer.json["box"] == {"minimum": [c - s / 2 for s, c in zip(SIZE, CENTER)], "maximum": [c + s / 2 for s, c in zip(SIZE, CENTER)]}
    file = client.get(place).expect(200)
    assert file.content_type == STL and file.etag == answer.etag
    normals, kept = stl_read(file.body)
    corners = {tuple(corner) for triangle in BOX for corner in triangle}
    assert len(kept) == triangles and {corner for triangle in kept for corner in triangle} == corners
    if kind == STL:
        assert [[tuple(corner) for corner in triangle] for triangle in BOX] == kept
    # the box is closed and looks outwards: its volume by the divergence theorem, and the normals away from its centre
    volume = sum(x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) + x[2] * (y[0] * z[1] - y[1] * z[0]) for x, y, z in kept) / 6
    assert volume == pytest.approx(SIZE[0] * SIZE[1] * SIZE[2])
    for normal, triangle in zip(normals, kept):
        assert sum(n * (sum(corner[k] for corner in triangle) / 3 - CENTER[k]) for k, n in enumerate(normal)) > 0
        assert sum(n * n for n in normal) == pytest.approx(1)


def test_a_robot_without_visuals_has_an_empty_list(client):
    name = client.create_robot(robot("scara"), name=unique_name("bare-")).json["name"]
    assert client.get(f"/v1/robots/{name}/meshes").expect(200).json["items"] == []


def test_what_is_missing_is_listed(client, arm, place):
    before = client.get(arm).expect(200).json["items"]
    assert [(item["mesh"], item["uploaded"], item["named"]) for item in before] == [("arm", False, True), ("base", False, True)]
    assert before[1]["reference"] == "package://a/Base.STL" and "etag" not in before[1]
    put(client, place, stl_of(BOX)).expect(201)
    after = client.get(arm).expect(200).json["items"]
    assert [(item["mesh"], item["uploaded"]) for item in after] == [("arm", True), ("base", False)]
    assert after[0]["triangles"] == 12 and after[0]["etag"] == client.get(place).etag


def test_many_triangles_come_back_in_order(client, place):
    """More than any block on the way."""
    many = [[(i, 0, 0), (i, 1, 0), (i, 0, 1)] for i in range(5000)]
    put(client, place, stl_of(many)).expect(201)
    assert stl_read(client.get(place).expect(200).body)[1] == [[tuple(map(float, corner)) for corner in triangle] for triangle in many]


@pytest.mark.parametrize("data, status, said", [
    (b"", 400, "0 bytes"),
    (b"hello", 400, "neither STL nor OBJ"),
    (stl_of(BOX)[:-1], 400, "12 triangles and 684 bytes, but there are 683"),
    (stl_of(BOX) + b"x", 400, "but there are 685"),
    (stl_of([]), 422, "no triangle"),
    (stl_of([*BOX[:3], [(0, 0, 0), (0, float("nan"), 0), (1, 0, 0)]]), 422, "triangle 4: coordinates must be finite"),
    (stl_of([[(0, 0, 0), (0, 0, 1e10), (1, 0, 0)]]), 422, "triangle 1: coordinates must be finite and at most 1e+09"),
    (b"solid x\nendsolid", 422, "no triangle"),
    (b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 x 0\n", 400, "line 5: must be a number, got 'x'"),
    (b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0x10 0\n", 400, "line 5: must be a number, got '0x10'"),
    (ascii_stl_of(BOX)[:-40], 400, "line 83: the file ends in a facet"),
    (ascii_stl_of(BOX)[:-9], 400, "line 86: the file ends without 'endsolid'"),
    (ascii_stl_of(BOX).replace(b"endloop", b"endlop", 1), 400, "line 7: must be 'endloop'"),
    (ascii_stl_of(BOX).replace(b"vertex 0.75", b"vertex inf", 1), 422, "line 4: coordinates must be finite"),
    (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", 422, "line 4: there is no vertex 4, only 3 so far"),
    (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", 422, "line 4: there is no vertex 0"),
    (b"v 0 0 0\nv 1 0 0\nf 1 2\n", 400, "line 3: a face needs 3 vertices, got 2"),
    (b"v 0 0\n", 400, "line 1: a vertex needs 3 numbers, got 2"),
    (b"# only words\no thing\n", 422, "no triangle"),
    (b'<?xml version="1.0"?>\n<COLLADA version="1.4.1"/>', 422, "assimp export link.dae link.stl"),
    (b"glTF\2\0\0\0", 422, "glTF"),
    (b"PK\3\4", 422, "a zip archive"),
], ids=map(str, range(22)))
def test_bad_files_are_told(client, place, data, status, said):
    answer = put(client, place, data).expect(status)
    assert said in answer.json["detail"], answer.json
    client.get(place).expect(404)


def test_too_many_triangles(client, place):
    triangle = struct.pack("<12fH", 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    answer = put(client, place, b" " * 80 + struct.pack("<I", 500001) + 500001 * triangle).expect(413)
    assert "500000 triangles" in answer.json["detail"]


def test_only_what_the_model_names(client, arm):
    answer = put(client, f"{arm}/elbow", stl_of(BOX)).expect(404)
    assert "the first one names 'base'" in answer.json["detail"]
    name = unique_name()
    client.create_robot(robot("scara"), name=name)
    assert "no visuals" in put(client, f"/v1/robots/{name}/meshes/base", stl_of(BOX)).expect(404).json["detail"]
    put(client, f"/v1/robots/{unique_name()}/meshes/base", stl_of(BOX)).expect(404)


def test_a_mesh_is_replaced_and_deleted_knowingly(client, place):
    first = put(client, place, stl_of(BOX)).expect(201)
    put(client, place, stl_of(BOX)).expect(412)
    put(client, place, stl_of(BOX[:2]), **{"If-Match": '"1000000"'}).expect(412)
    second = put(client, place, stl_of(BOX[:2]), **{"If-Match": first.etag}).expect(200)
    assert second.json["triangles"] == 2 and second.etag != first.etag
    client.get(place, headers={"If-None-Match": second.etag}).expect(304)
    client.delete(place, headers={"If-Match": first.etag}).expect(412)
    client.delete(place, headers={"If-Match": second.etag}).expect(204)
    client.get(place).expect(404)
    third = put(client, place, stl_of(BOX)).expect(201)
    assert third.etag not in (first.etag, second.etag)


def usage(client):
    return next((kind for kind in client.get("/v1/storage").expect(200).json["kinds"] if kind["kind"] == "mesh"))


def test_a_deleted_robot_takes_its_meshes_along(client):
    name = unique_name()
    before = usage(client)
    client.create_robot(robot("scara"), name=name, visuals=[{"mesh": "base"}])
    put(client, f"/v1/robots/{name}/meshes/base", stl_of(BOX)).expect(201)
    assert usage(client) == {**before, "count": before["count"] + 1, "series_bytes": before["series_bytes"] + 12 * 9 * 8}
    client.delete(f"/v1/robots/{name}", headers={"If-Match": '"1"'}).expect(204)
    client.get(f"/v1/robots/{name}/meshes/base").expect(404)
    assert usage(client) == before
    client.create_robot(robot("scara"), name=name, visuals=[{"mesh": "base"}])
    client.get(f"/v1/robots/{name}/meshes/base").expect(404)


def test_uploads_are_in_the_audit_trail(client, place):
    put(client, place, stl_of(BOX)).expect(201)
    entry = client.get("/v1/audit", query={"limit": 1, "operation": "putMesh"}).expect(200).json["items"][0]
    assert entry["path"] == place if "path" in entry else place in str(entry)
