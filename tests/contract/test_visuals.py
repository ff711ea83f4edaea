"""Meshes and shapes of a URDF are seen where its own chain of links puts them, whatever frames the model has; and they survive whatever
happens to the model.

The chain is walked here as the specification of URDF says it: origin, then the joint's motion about its axis, link by link.
"""

import random
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from support import ROOT
from support.data import unique_name, vectors

SEVEN = (ROOT / "tests/data/urdf/seven_axes.urdf").read_text()
XML = "application/xml"
MESHES = {"base": "package://seven/base.stl", "upper-arm": "package://seven/meshes/Upper Arm.STL", "base-2": "package://camera/meshes/base.dae"}


def numbers(node, name, default):
    text = node.get(name) if node is not None else None
    return np.array([float(x) for x in text.split()] if text else default)


def turn(axis, angle):
    """exp of the cross-product matrix, by its power series."""
    x, y, z = axis / np.linalg.norm(axis) * angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    total, term = np.eye(3), np.eye(3)
    for k in range(1, 40):
        term = term @ cross / k
        total = total + term
    return total


def placed(rotation, translation):
    return np.block([[rotation, np.reshape(translation, (3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])


def origin_of(node):
    origin = node.find("origin")
    roll, pitch, yaw = numbers(origin, "rpy", (0, 0, 0))
    x, y, z = np.eye(3)
    return placed(turn(z, yaw) @ turn(y, pitch) @ turn(x, roll), numbers(origin, "xyz", (0, 0, 0)))


def motion(joint, q):
    if joint.get("type") == "fixed":
        return np.eye(4)
    axis = numbers(joint.find("axis"), "xyz", (1, 0, 0))
    if joint.get("type") == "prismatic":
        return placed(np.eye(3), axis / np.linalg.norm(axis) * q)
    return placed(turn(axis, q), np.zeros(3))


SIZES = {"mesh": ("filename", "scale"), "box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}


def seen_in(urdf, root, positions):
    """Place of every visual by the URDF's own chain, under its mesh or the numbers of its shape."""
    robot = ElementTree.fromstring(urdf)
    held = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}

    def place(link):
        if link == root:
            return np.eye(4)
        joint = held[link]
        return place(joint.find("parent").get("link")) @ origin_of(joint) @ motion(joint, positions.get(joint.get("name"), 0))

    seen = {}
    for link in robot.findall("link"):
        for visual in link.findall("visual"):
            shape, = visual.find("geometry")
            if shape.tag == "mesh":
                key = (shape.get("filename"), *numbers(shape, "scale", (1, 1, 1)))
            else:
                key = (shape.tag, *(number for name in SIZES[shape.tag] for number in numbers(shape, name, ())))
            seen[key] = place(link.get("name")) @ origin_of(visual)
    return seen


def seen_by_us(client, model, q):
    links = client.post(f"/v1/robots/{model['name']}/forward-kinematics", {"q": q}).expect(200).json["links"]
    names = [joint["name"] for joint in model["joints"]]
    seen = {}
    for visual in model["visuals"]:
        kind = next(kind for kind in SIZES if kind in visual)
        frame = visual.get("frame", {}) if kind == "mesh" else visual[kind]
        attributes = {"xyz": " ".join(map(str, frame.get("translation", frame.get("center", (0, 0, 0))))), "rpy": " ".join(map(str, frame.get("rpy", (0, 0, 0))))}
        node = ElementTree.Element("visual")
        ElementTree.SubElement(node, "origin", attributes)
        link = np.array(links[names.index(visual["joint"])]) if visual.get("joint") else np.eye(4)
        if kind == "mesh":
            key = (visual["reference"], *visual.get("scale", (1, 1, 1)))
        else:
            key = (kind, *(number for name in SIZES[kind] for number in np.atleast_1d(visual[kind][name])))
        seen[key] = link @ origin_of(node)
    return seen


def same(ours, theirs):
    """A sphere looks the same however it is turned."""
    assert ours.keys() == theirs.keys() and ours
    for key, place in theirs.items():
        turned = 3 if key[0] == "sphere" else 0
        np.testing.assert_allclose(ours[key][:, turned:], place[:, turned:], atol=1e-12, err_msg=str(key))


def positions_of(model, seed):
    dice = random.Random(seed)
    return [dice.uniform(-2, 2) for _ in model["joints"]]


def import_seven(client, **query):
    return client.post("/v1/robots", body=SEVEN, content_type=XML, query={"name": unique_name(), "tip": "flange", **query}).expect(201).json


def test_meshes_are_where_the_urdf_puts_them(client):
    model = import_seven(client)
    by_mesh = {visual["mesh"]: visual for visual in model["visuals"] if "mesh" in visual}
    assert {mesh: visual["reference"] for mesh, visual in by_mesh.items()} == MESHES
    assert [visual for visual in model["visuals"] if "mesh" not in visual] == [{"joint": "shoulder_lift", "box": {"size": [0.1] * 3}}]
    assert "joint" not in by_mesh["base"] and "color" not in by_mesh["base"]
    assert by_mesh["upper-arm"]["color"] == [0.9, 0.5, 0.1, 1] and by_mesh["base-2"]["color"] == [0.5, 0.5, 0.5, 1]
    for seed in range(5):
        q = positions_of(model, seed)
        same(seen_by_us(client, model, q), seen_in(SEVEN, "table", dict(zip((joint["name"] for joint in model["joints"]), q))))


def test_above_the_root_nothing_is_seen(client):
    assert [visual.get("mesh", "box") for visual in import_seven(client, root="shoulder")["visuals"]] == ["upper-arm", "box", "base"]
    below = import_seven(client, root="base")
    assert "frame" not in below["visuals"][0] and below["visuals"][0]["mesh"] == "base"


@pytest.mark.parametrize("convention", ["puma560", "prismatic_dh", "prismatic_mdh", "seven"])
def test_an_export_shows_the_same(client, convention):
    """A model of any convention, with meshes and shapes on its base and its links, walked as the URDF that it becomes."""
    if convention == "seven":
        model = import_seven(client)
    else:
        model = {**vectors(convention)["robot"], "name": unique_name()}
        names = [joint.get("name") or f"j{i + 1}" for i, joint in enumerate(model["joints"])]
        dice = random.Random(convention)


        def frame():
            return {"translation": [dice.uniform(-1, 1) for _ in range(3)], "rpy": [dice.uniform(-1.5, 1.5) for _ in range(3)]}
        shapes = [lambda k: {"mesh": f"m{k}", "reference": f"package://a&b/m{k}.stl", "scale": [1, -0.5, 2], "frame": frame()},
                  lambda k: {"box": {"size": [0.1, 0.2, 1 + k], **frame()}},
                  lambda k: {"cylinder": {"radius": 1 + k, "length": 0.3, **frame()}, "color": [0.1, 0.2, 0.3, 0.4]},
                  lambda k: {"sphere": {"radius": 1 + k, "center": frame()["translation"]}}]
        model["visuals"] = [{"joint": name, **shape(k)} for k, name in enumerate([None, *names]) for shape in shapes]
        client.create_robot(model)
        model = client.get(f"/v1/robots/{model['name']}").expect(200).json
    exported = client.get(f"/v1/robots/{model['name']}", headers={"Accept": XML}).expect(200).text
    assert exported.count('rgba="0.1 0.2 0.3 0.4"') == sum("cylinder" in visual for visual in model["visuals"])
    q = positions_of(model, 3)
    same(seen_by_us(client, model, q), seen_in(exported, "base_link", dict(zip((joint["name"] for joint in model["joints"]), q))))


def test_a_new_revision_keeps_them(client):
    model = import_seven(client)
    path = f"/v1/robots/{model['name']}"
    changed = client.put(path, {**model, "description": "after a change"}, headers={"If-Match": '"1"'}).expect(200).json
    assert changed["revision"] == 2 and changed["visuals"] == model["visuals"]
    assert client.get(f"{path}/revisions/2").expect(200).json["visuals"] == model["visuals"]


def test_units_of_a_request_hold_for_them(client):
    model = {**vectors("scara")["robot"], "name": unique_name(), "units": {"length": "mm", "angle": "deg"},
             "visuals": [{"mesh": "base", "frame": {"translation": [1, 2, 3], "rpy": [0, 90, 0]}, "scale": [0.001] * 3},
                         {"cylinder": {"radius": 50, "length": 200, "translation": [1, 2, 3], "rpy": [180, 0, 0]}}]}
    client.create_robot(model)
    only, round_one = client.get(f"/v1/robots/{model['name']}").expect(200).json["visuals"]
    assert round_one["cylinder"] == {"radius": 0.05, "length": 0.2, "translation": [0.001, 0.002, 0.003], "rpy": [pytest.approx(np.pi), 0, 0]}
    assert only["frame"]["translation"] == [0.001, 0.002, 0.003] and only["frame"]["rpy"][1] == pytest.approx(np.pi / 2) and only["scale"] == [0.001] * 3


@pytest.mark.parametrize("visual, pointer, code", [
    ({"mesh": "a", "joint": "nobody"}, "/visuals/0/joint", "inconsistent"),
    ({"mesh": "A b"}, "/visuals/0/mesh", "pattern"),
    ({}, "/visuals/0/mesh", "required"),
    ({"mesh": "a", "scale": [1, 0, 1]}, "/visuals/0/scale/1", "minimum"),
    ({"mesh": "a", "scale": [1, 1]}, "/visuals/0/scale", "length"),
    ({"mesh": "a", "color": [1, 1, 1, 1.5]}, "/visuals/0/color/3", "maximum"),
    ({"mesh": "a", "color": [1, 1, 1]}, "/visuals/0/color", "length"),
    ({"mesh": "a", "reference": "r" * 257}, "/visuals/0/reference", "length"),
    ({"mesh": "a", "file": "x"}, "/visuals/0/file", "unknown_field"),
    ({"mesh": "a", "box": {"size": [1, 1, 1]}}, "/visuals/0", "inconsistent"),
    ({"sphere": {"radius": 1}, "box": {"size": [1, 1, 1]}}, "/visuals/0", "inconsistent"),
    ({"sphere": {"radius": 0}}, "/visuals/0/sphere/radius", "minimum"),
    ({"sphere": {"radius": 1}, "frame": {}}, "/visuals/0/frame", "inconsistent"),
    ({"sphere": {"radius": 1}, "collision": True}, "/visuals/0/collision", "inconsistent"),
    ({"sphere": {"radius": 1}, "joint": "nobody"}, "/visuals/0/joint", "inconsistent"),
    ({"capsule": {"from": [0, 0, 0], "to": [0, 0, 1], "radius": 1}}, "/visuals/0/capsule", "unknown_field"),
])
def test_bad_visuals(client, visual, pointer, code):
    answer = client.post("/v1/robots", {**vectors("scara")["robot"], "name": unique_name(), "visuals": [visual]}).expect(422)
    assert (pointer, code) in [(fault["pointer"], fault["code"]) for fault in answer.json["errors"]], repr(answer)


def test_65_are_too_many(client):
    answer = client.post("/v1/robots", {**vectors("scara")["robot"], "name": unique_name(), "visuals": [{"mesh": "a"}] * 65}).expect(422)
    assert answer.json["errors"][0]["pointer"].startswith("/visuals")


@pytest.mark.parametrize("change", [
    ('scale="0.001 0.001 -0.001"', 'scale="0.001"'), ('scale="0.001 0.001 -0.001"', 'scale="1 0 1"'),
    ('xyz="0.01 0.02 -0.03"', 'xyz="0.01 0.02"'), ("package://seven/meshes/Upper Arm.STL", ""), ("package://seven", "package://" + "s" * 260),
])
def test_a_picture_is_no_reason_to_refuse_an_arm(client, change):
    text = SEVEN.replace('<mesh filename="package://seven/base.stl"/>', '<sphere radius="1"/>').replace(*change)
    assert text.count("<mesh") == 2
    model = client.post("/v1/robots", body=text, content_type=XML, query={"name": unique_name(), "tip": "flange"}).expect(201).json
    assert [next(kind for kind in SIZES if kind in visual) for visual in model["visuals"]] == ["sphere", "box", "mesh"]
    assert [warning["pointer"] for warning in model["warnings"] if warning["code"] == "visual_left_out"] == ["/visuals"]


@pytest.mark.parametrize("shape", ['<box size="1 0 1"/>', '<box/>', '<sphere radius="-1"/>', '<cylinder radius="1"/>', "<capsule/>", ""])
def test_a_shape_that_cannot_be_is_left_out(client, shape):
    text = SEVEN.replace('<box size="0.1 0.1 0.1"/>', shape)
    model = client.post("/v1/robots", body=text, content_type=XML, query={"name": unique_name(), "tip": "flange"}).expect(201).json
    assert all("mesh" in visual for visual in model["visuals"]) and len(model["visuals"]) == 3
    left, = [warning for warning in model["warnings"] if warning["code"] == "visual_left_out"]
    assert left["detail"].startswith("a shape of link 'upper_arm' is left out: ")


def test_shapes_are_no_meshes(client):
    """A model that has nothing else lists none, and takes none."""
    model = {**vectors("scara")["robot"], "name": unique_name(), "visuals": [{"sphere": {"radius": 1}}]}
    place = client.create_robot(model).headers["Location"] + "/meshes"
    assert client.get(place).expect(200).json["items"] == []
    refused = client.put(f"{place}/base", body=b"x", content_type="model/stl", headers={"If-None-Match": "*"}).expect(404)
    assert "no visuals that are meshes" in refused.json["detail"]


def test_check_urdf_takes_what_is_exported(client, tmp_path):
    if not shutil.which("check_urdf"):
        pytest.skip("check_urdf is not installed")
    path = client.create_robot({**vectors("puma560")["robot"], "name": unique_name(), "visuals": [
        {"box": {"size": [1, 2, 3]}}, {"cylinder": {"radius": 0.1, "length": 2}}, {"sphere": {"radius": 0.3}, "color": [1, 0, 0, 1]}]}).headers["Location"]
    (tmp_path / "arm.urdf").write_text(client.get(path, headers={"Accept": XML}).expect(200).text)
    told = subprocess.run(["check_urdf", tmp_path / "arm.urdf"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert told.returncode == 0 and "Successfully Parsed XML" in told.stdout, told.stdout
