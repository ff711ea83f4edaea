"""Cells out of worlds of SDF, URDFs and meshes, and back; what cannot be taken is refused with its place."""

import math
import random
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from support.capsules import turned
from support.data import unique_name
from support.meshes import ascii_stl_of, box, obj_of, stl_of, stl_read

XML, STL = "application/xml", "model/stl"
ARM = {"name": "ball", "convention": "dh", "joints": [{"name": name, "type": "prismatic", "a": 0, "alpha": alpha, "theta": 0, "link": {
    "mass": 1, "com": [0, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}, "bodies": [{"sphere": {"radius": 0.001}}] if name == "c" else []}}
    for name, alpha in (("a", math.pi / 2), ("b", math.pi / 2), ("c", 0))]}  # a ball that is moved along z, -y and x of the base


def post(client, body, content_type, **query):
    return client.post("/v1/cells", body=body, content_type=content_type, query=query)


def solid(geometry, pose="0 0 0 0 0 0", name="c"):
    return f'<collision name="{name}"><pose>{pose}</pose><geometry>{geometry}</geometry></collision>'


def model(inner, name="m", pose="0 0 0 0 0 0"):
    return f'<model name="{name}"><pose>{pose}</pose>{inner}</model>'


def world(*models, name="w"):
    return f'<sdf version="1.8"><world name="{name}">{"".join(models)}</world></sdf>'


def frame(translation, rpy):
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turned(rpy), translation
    return out


def test_a_world_of_sdf_is_what_stands_in_it(client):
    """Poses of model, link and collision are multiplied, by numpy; names are those of models, links or collisions."""
    name = unique_name()
    inner = (f'<link name="Top Plate"><pose>0.1 0 0 0 0 0.5</pose>{solid("<box><size>1 2 3</size></box>", "0 0.2 0 0.3 0 0")}</link>'
             f'<link name="legs"><pose degrees="true">0 0 0 0 0 90</pose>{solid("<cylinder><radius>0.1</radius><length>2</length></cylinder>", name="one")}'
             f'{solid("<capsule><radius>0.2</radius><length>1</length></capsule>", "1 0 0 0 0 0", "two")}</link>')
    single = f'<static>true</static><link name="l">{solid("<sphere><radius>0.5</radius></sphere>")}</link>'
    ground = f'<link name="l">{solid("<plane><normal>0 0 2</normal><size>1 1</size></plane>", "0 0 0 0.1 0 0")}</link>'
    text = world(model(inner + model(single, "Lamp", "0 0 2 0 0 0"), "table", "1 2 3 0 0 0.25"), model(ground, "floor", "0 0 -1 0 0 0"), model(single, "lamp", "9 0 0 0 0 0"),
                 '<frame name="arm_base"><pose>1 2 3 0.1 0.2 0.3</pose></frame>', '<light name="sun"/>', name=name)
    cell = post(client, text, XML).expect(201).json
    assert cell["name"] == name and cell["description"] == "SDF" and cell["base"] == {"translation": [1, 2, 3], "rpy": pytest.approx([0.1, 0.2, 0.3])}
    bodies = {body["name"]: body for body in cell["bodies"]}
    assert list(bodies) == ["table-top-plate", "table-one", "table-two", "lamp", "floor", "lamp-6"]
    table = frame([1, 2, 3], [0, 0, 0.25])
    top = table @ frame([0.1, 0, 0], [0, 0, 0.5]) @ frame([0, 0.2, 0], [0.3, 0, 0])
    made = bodies["table-top-plate"]["box"]
    assert made["size"] == [1, 2, 3] and np.allclose(frame(made["translation"], made["rpy"]), top, atol=1e-12)
    legs = table @ frame([0, 0, 0], [0, 0, math.pi / 2])
    made = bodies["table-one"]["cylinder"]
    assert (made["radius"], made["length"]) == (0.1, 2) and np.allclose(frame(made["translation"], made["rpy"]), legs, atol=1e-12)
    made = bodies["table-two"]["capsule"]
    assert np.allclose([made["from"], made["to"]], [(legs @ [1, 0, z, 1])[:3] for z in (-0.5, 0.5)], atol=1e-12)
    assert np.allclose(bodies["lamp"]["sphere"]["center"], (table @ [0, 0, 2, 1])[:3]) and bodies["lamp-6"]["sphere"]["center"] == [9, 0, 0]
    normal = turned([0.1, 0, 0]) @ [0, 0, 1]
    assert np.allclose(bodies["floor"]["half_space"]["normal"], normal) and bodies["floor"]["half_space"]["offset"] == pytest.approx(-normal[2])


def test_a_urdf_is_a_cell_with_its_joints_at_zero(client):
    name = unique_name()
    text = (f'<robot name="{name}"><link name="base"/><link name="door"><collision><origin xyz="0 0 1" rpy="0 0 0"/><geometry><box size="1 2 3"/></geometry></collision></link>'
            '<joint name="hinge" type="revolute"><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><parent link="base"/><child link="door"/><axis xyz="0 0 1"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>')
    body, = post(client, text, XML).expect(201).json["bodies"]
    assert body["name"] == "door" and body["box"]["translation"] == pytest.approx([1, 0, 1]) and body["box"]["rpy"] == pytest.approx([0, 0, math.pi / 2])


BAD = [
    ("no XML", "hello", 400, ":1 syntax"), ("another root", "<mujoco/>", 422, "/mujoco:1 unsupported"), ("no world", "<sdf/>", 422, "/sdf:1 required"),
    ("a mesh", world(model(f'<link name="l">{solid("<mesh><uri>a.stl</uri></mesh>")}</link>')), 422, "/sdf/world/model/link/collision/geometry:1 unsupported"),
    ("no geometry", world(model('<link name="l"><collision name="c"/></link>')), 422, "/sdf/world/model/link/collision:1 unsupported"),
    ("an include", world("<include><uri>model://sun</uri></include>"), 422, "/sdf/world/include:1 unsupported"),
    ("a relative pose", world(model('<link name="l"><pose relative_to="x">0 0 0 0 0 0</pose></link>')), 422, "/sdf/world/model/link/pose/@relative_to:1 unsupported"),
    ("five numbers", world(model("", pose="0 0 0 0 0")), 422, "/sdf/world/model/pose:1 length"),
    ("no size", world(model(f'<link name="l">{solid("<box/>")}</link>')), 422, "/sdf/world/model/link/collision/geometry/box:1 required"),
    ("no radius", world(model(f'<link name="l">{solid("<sphere><radius>0</radius></sphere>")}</link>')), 422, "/sdf/world/model/link/collision/geometry/sphere/radius:1 minimum"),
    ("far away", world(model(f'<link name="l">{solid("<sphere><radius>1</radius></sphere>", "1e6 0 0 0 0 0")}</link>')), 422, "/sdf:1 inconsistent"),
    ("no name", world(name="+"), 422, "/sdf/world:1 required"),
    ("loops of links", '<robot name="r"><link name="a"/><link name="a"/></robot>', 422, None),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[0])
def test_bad_worlds_are_refused_with_their_place(client, case):
    _, text, status, place = case
    problem = post(client, text, XML).expect(status).json
    told = [f"{fault['xpath']}:{fault.get('line', 0)} {fault['code']}" for fault in problem["errors"]]
    assert told if place is None else told == [place], problem


def test_parameters_go_with_their_formats(client):
    triangles, text = stl_of(box()), world(model(""))
    plain = {"name": "x", "bodies": []}
    for body, kind, query, parameter in ((triangles, STL, {}, "name"), (triangles, STL, {"name": "My Cell"}, "name"), (triangles, STL, {"name": "x", "scale": 0}, "scale"),
                                         (text, XML, {"scale": 2}, "scale"), (text, XML, {"name": "A"}, "name")):
        errors = post(client, body, kind, **query).expect(422).json["errors"]
        assert [error["parameter"] for error in errors] == [parameter], errors
    for query in ({"name": "y"}, {"scale": 2}):
        assert client.post("/v1/cells", plain, query=query).expect(422).json["errors"][0]["parameter"] == next(iter(query))


@pytest.mark.parametrize("form", [stl_of, ascii_stl_of, None], ids=["stl", "ascii", "obj"])
def test_pieces_of_a_mesh_are_hulls(client, form):
    """Two boxes in millimetres that share nothing are two hulls of eight corners each, exactly."""
    name = unique_name()
    data = obj_of((200, 300, 400), (100, 0, 50)) if form is None else form(box((200, 300, 400), (100, 0, 50)) + box((10, 10, 10), (900, 0, 0)))
    cell = post(client, data, "model/obj" if form is None else STL, name=name, scale=0.001).expect(201).json
    assert [body["name"] for body in cell["bodies"]] == ["piece-1", "piece-2"][:1 if form is None else 2] and "filled" not in cell["description"]
    corners = sorted(tuple(round(x, 6) for x in point) for point in cell["bodies"][0]["convex"]["points"])
    assert corners == sorted((x, y, z) for x in (0, 0.2) for y in (-0.15, 0.15) for z in (-0.15, 0.25))


def test_what_is_not_convex_is_filled_up_and_says_so(client):
    """A bin of one piece: its inside is full, 1 - 0.9 x 0.9 x 0.95 of the volume is walls."""
    outer, inner = box((1, 1, 1)), [triangle[::-1] for triangle in box((0.9, 0.9, 0.95), (0, 0, 0.025))]
    shared = [[list(outer[0][0]), list(inner[0][0]), list(outer[0][0])]]  # a triangle without area joins them
    cell = post(client, stl_of(outer + inner + shared), STL, name=unique_name()).expect(201).json
    body, = cell["bodies"]
    walls = 1 - 0.9 * 0.9 * 0.95
    assert body["name"] == "piece-1-filled" and f"1 filled up by up to {100 * (1 / walls - 1):.3g} %" in cell["description"], cell["description"]
    assert np.abs(np.array(body["convex"]["points"])).max() == pytest.approx(0.5, abs=1e-6)


def test_a_world_goes_out_and_comes_back(client):
    """The distances of a small ball from a cell of every shape and from what comes back of its SDF."""
    dice, name = random.Random(9), unique_name()

    def v(most):
        return [dice.uniform(-most, most) for _ in range(3)]
    bodies = [{"name": "box", "box": {"size": [0.2, 0.3, 0.4], "translation": v(1), "rpy": v(3)}}, {"name": "tube", "cylinder": {"radius": 0.2, "length": 0.5, "translation": v(1), "rpy": v(3)}},
              {"name": "pin", "capsule": {"from": v(1), "to": v(1), "radius": 0.05}}, {"name": "dot", "capsule": {"from": [1, 1, 1], "to": [1, 1, 1], "radius": 0.1}},
              {"name": "ball", "sphere": {"center": v(1), "radius": 0.2}}, {"name": "wall", "half_space": {"normal": [0.6, 0, 0.8], "offset": -2}}]
    stored = {"name": name, "description": "a -- cell", "base": {"translation": v(0.3), "rpy": v(3)}, "bodies": bodies}
    client.post("/v1/cells", stored).expect(201)
    answer = client.get(f"/v1/cells/{name}", headers={"Accept": XML}).expect(200)
    assert answer.content_type == XML and answer.etag == '"1"' and answer.headers["Vary"] == "Accept"
    assert client.get(f"/v1/cells/{name}", headers={"Accept": XML, "If-None-Match": '"1"'}).expect(304)
    back = post(client, answer.body, XML, name=unique_name()).expect(201).json
    assert [body["name"] for body in back["bodies"]] == [body["name"] for body in bodies]
    client.create_robot({**ARM, "name": (arm := unique_name())})
    q = [v(2) for _ in range(200)]
    told = [client.post(f"/v1/robots/{arm}/clearance", {"q": q, "cell": cell}).expect(200).json["clearance"] for cell in (name, back["name"])]
    assert told[0] == pytest.approx(told[1], abs=1e-9)
    hull = {"name": "hull", "convex": {"points": [v(1) for _ in range(20)]}}
    client.put(f"/v1/cells/{name}", {**stored, "bodies": [hull]}, headers={"If-Match": '"1"'}).expect(200)
    text = client.get(f"/v1/cells/{name}", headers={"Accept": XML}).expect(200).body.decode()
    made, = post(client, text, XML, name=unique_name()).expect(201).json["bodies"]
    inside = np.array(made["box"]["size"]) / 2 - np.abs((np.array(hull["convex"]["points"]) - made["box"]["translation"]) @ turned(made["box"]["rpy"]))
    assert inside.min() >= -1e-9 and "a hull of 20 points" in text
    assert ElementTree.fromstring(text).tag == "sdf"


ROUND = [({"sphere": {"center": [1, 2, 3], "radius": 0.2}}, [[1, 2, 3]] * 2, 0.2), ({"capsule": {"from": [0, 1, 0], "to": [1, 0, 2], "radius": 0.1}}, [[0, 1, 0], [1, 0, 2]], 0.1),
         ({"capsule": {"from": [0, 0, 1], "to": [0, 0, -1], "radius": 0.5}}, [[0, 0, 1], [0, 0, -1]], 0.5)]


def planes_of(data):
    """Corners, normals and offsets of a closed surface that is turned outward."""
    triangles = np.array(stl_read(data)[1])
    edges = [(tuple(t[k]), tuple(t[(k + 1) % 3])) for t in triangles for k in range(3)]
    assert len(set(edges)) == len(edges) and set(edges) == {(b, a) for a, b in edges}
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    assert np.einsum("ij,ij->", normals, np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])) > 0
    return triangles.reshape(-1, 3), normals, np.einsum("ij,ij->i", normals, triangles[:, 0])


def stl_of_body(client, body):
    name = unique_name()
    client.post("/v1/cells", {"name": name, "bodies": [{"name": "it", **body}]}).expect(201)
    answer = client.get(f"/v1/cells/{name}", headers={"Accept": STL}).expect(200)
    assert answer.content_type == STL and answer.etag == '"1"'
    return answer.body


@pytest.mark.parametrize("body, ends, radius", ROUND, ids=["sphere", "capsule", "upside down"])
def test_triangles_enclose_what_is_round(client, body, ends, radius):
    """No plane cuts it, by its support function; no corner is more than 1 % of the radius off."""
    corners, normals, offsets = planes_of(stl_of_body(client, body))
    ends = np.array(ends, float)
    assert ((ends @ normals.T).max(axis=0) + radius <= offsets + 1e-6).all()
    axis = ends[1] - ends[0]
    along = np.clip((corners - ends[0]) @ axis / max(axis @ axis, 1e-30), 0, 1)
    off = np.linalg.norm(corners - ends[0] - along[:, None] * axis, axis=1)
    assert off.max() <= 1.01 * radius and off.min() > radius


def test_triangles_of_what_has_faces(client):
    """A box, a cylinder, a hull and a wall: the corners are those, and every one is behind every plane."""
    turn, at = [0.3, -0.4, 0.5], np.array([1, 2, 3])
    corners, normals, offsets = planes_of(stl_of_body(client, {"box": {"size": [0.2, 0.4, 0.6], "translation": at.tolist(), "rpy": turn}}))
    local = np.abs((corners - at) @ turned(turn))
    assert len(corners) == 36 and np.allclose(local, [0.1, 0.2, 0.3], atol=1e-6)
    assert (normals @ at < offsets).all()
    corners, normals, offsets = planes_of(stl_of_body(client, {"cylinder": {"radius": 0.2, "length": 0.6, "translation": at.tolist(), "rpy": turn}}))
    axis = turned(turn)[:, 2]
    support = normals @ at + 0.3 * np.abs(normals @ axis) + 0.2 * np.linalg.norm(np.cross(normals, axis), axis=1)
    local = (corners - at) @ turned(turn)
    assert (support <= offsets + 1e-6).all() and np.hypot(local[:, 0], local[:, 1]).max() < 0.2 * 1.01 and np.allclose(np.abs(local[:, 2]), 0.3, atol=1e-6)
    points = np.random.default_rng(4).normal(size=(40, 3))
    corners, normals, offsets = planes_of(stl_of_body(client, {"convex": {"points": points.tolist()}}))
    assert {tuple(c) for c in corners} <= {tuple(map(float, p)) for p in points.astype("f4")} and (normals @ points.T <= offsets[:, None] + 1e-6).all()
    corners, _, _ = planes_of(stl_of_body(client, {"half_space": {"normal": [0.6, 0, 0.8], "offset": -2}}))
    assert (corners @ [0.6, 0, 0.8]).max() == pytest.approx(-2, abs=1e-5) and np.ptp(corners @ [0, 1, 0]) == pytest.approx(100)


@pytest.mark.parametrize("length", [1, 900, 9000])
@pytest.mark.parametrize("shape", [lambda x, y: [x, y, 1], lambda x, y: [x, y, 0.3 * x + 0.7 * y], lambda x, y: [x, 2 * x, 1], lambda x, y: [1, 2, 3]], ids=["flat", "tilted", "line", "point"])
def test_triangles_of_what_has_no_thickness(client, shape, length):
    """Boxes about them, a thousandth of a thousandth thick."""
    points = np.array([shape(*(length / 8 * xy)) for xy in np.random.default_rng(5).uniform(-1, 1, size=(40, 2))])
    corners, normals, offsets = planes_of(stl_of_body(client, {"convex": {"points": points.tolist()}}))
    assert len(corners) == 36 and (normals @ points.T <= offsets[:, None] + 1e-6 * length).all()
    assert np.ptp(corners, axis=0).max() <= 2 * np.ptp(points, axis=0).max() + 1e-5 * length


def test_a_format_is_put_too(client):
    name = unique_name()
    client.put(f"/v1/cells/{name}", body=stl_of(box()), content_type=STL, headers={"If-None-Match": "*"}).expect(201)
    put = client.put(f"/v1/cells/{name}", body=world(model(""), name="other"), content_type=XML, headers={"If-Match": '"1"'}).expect(200).json
    assert put["revision"] == 2 and put["name"] == name and put["bodies"] == []
