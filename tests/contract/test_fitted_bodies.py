"""Bodies proposed for an arm, from its meshes and from its lengths: they enclose, by numpy, and the model that is answered can be put."""

import math

import numpy as np
import pytest

from support.capsules import turned
from support.data import unique_name
from support.meshes import stl_of

LINK = {"mass": 1, "com": [0, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}


def tube(start, end, radius, sides=24):
    """Triangles of a closed tube between two points."""
    start, end = np.array(start, float), np.array(end, float)
    z = (end - start) / np.linalg.norm(end - start)
    x = np.cross(z, [0.3, 0.5, 0.8])
    x /= np.linalg.norm(x)
    ring = [radius * (math.cos(a) * x + math.sin(a) * np.cross(z, x)) for a in np.linspace(0, 2 * math.pi, sides + 1)]
    out = []
    for a, b in zip(ring, ring[1:]):
        out += [[start + a, start + b, end + b], [start + a, end + b, end + a], [start, start + b, start + a], [end, end + a, end + b]]
    return np.array(out)


def depth(body, points):
    """How deep points lie in a body, at least."""
    kind, shape = next(iter(body.items()))
    if kind == "box":
        inside = np.array(shape["size"]) / 2 - np.abs((points - np.array(shape["translation"])) @ turned(shape["rpy"]))
        return inside.min(axis=1)
    a, b = (np.array(shape.get(k, [0, 0, 0])) for k in (("from", "to") if kind == "capsule" else ("center", "center")))
    along = b - a
    t = np.clip((points - a) @ along / max(along @ along, 1e-30), 0, 1)
    return shape["radius"] - np.linalg.norm(points - a - t[:, None] * along, axis=1)


@pytest.fixture(scope="module")
def meshed(server):
    """An arm of two links that two meshes show, one of them bent, scaled to mm, turned and moved; a third one is missing."""
    name, client = unique_name(), server.client()
    frame = {"translation": [0.1, -0.2, 0.3], "rpy": [0.4, 0.5, 0.6]}
    visuals = [{"joint": "upper", "mesh": "bent", "frame": frame, "scale": [0.001, 0.001, -0.001]}, {"joint": "", "mesh": "foot"}, {"joint": "lower", "mesh": "hand"}]
    arm = {"name": name, "convention": "dh", "visuals": visuals, "joints": [
        {"name": joint, "type": "revolute", "a": 0.5, "alpha": 1, "d": 0.2, "limits": {"position": [-1, 2]}, "link": {**LINK, "bodies": [{"sphere": {"radius": 0.01}}]}} for joint in ("upper", "lower")]}
    client.create_robot(arm)
    bent = np.concatenate([tube([0, 0, 0], [0, 0, 900], 80), tube([0, 0, 900], [700, 0, 900], 60)])
    foot = tube([0, 0, -0.3], [0, 0, 0.1], 0.2)
    for mesh, triangles in (("bent", bent), ("foot", foot)):
        client.put(f"/v1/robots/{name}/meshes/{mesh}", body=stl_of(triangles.tolist()), content_type="model/stl", headers={"If-None-Match": "*"}).expect(201)
    placed = (np.asarray(bent, "f4").astype(float) * visuals[0]["scale"]) @ turned(frame["rpy"]).T + frame["translation"]
    return name, {"upper": placed, "base": np.asarray(foot, "f4").astype(float)}


@pytest.mark.parametrize("more", [{}, {"shapes": ["box"], "margin": 0}, {"shapes": ["capsule"], "bodies_per_part": 4, "margin": 0.05}, {"shapes": ["sphere"]}],
                         ids=["any", "boxes", "capsules", "balls"])
def test_bodies_enclose_the_meshes(client, meshed, more):
    name, surfaces = meshed
    told = client.post(f"/v1/robots/{name}/fitted-bodies", more).expect(200).json
    margin = more.get("margin", 0.01)
    assert told["missing"] == ["hand"] and {part["part"] for part in told["parts"]} == set(surfaces) and told["margin"] == margin
    for part in told["parts"]:
        triangles = surfaces[part["part"]]
        assert part["triangles"] == len(triangles) and 1 <= len(part["bodies"]) <= more.get("bodies_per_part", 1)
        deepest = np.max([depth(body, triangles.reshape(-1, 3)).reshape(-1, 3).min(axis=1) for body in part["bodies"]], axis=0)
        assert deepest.min() >= margin - 1e-9, part
    assert told["q"] == [0.5, 0.5] and (told["clearance"] is None) == (told["between"] is None)
    model = told["robot"]
    assert model["joints"][1]["link"]["bodies"] == [{"sphere": {"radius": 0.01}}]  # nothing was fitted to it
    assert model["base"]["bodies"] == next(part["bodies"] for part in told["parts"] if part["part"] == "base")


def test_bodies_are_fitted_to_what_collides(client):
    """A link that a slim tube shows and a thick one collides for: around the latter, once it is uploaded."""
    name, slim, thick = unique_name(), tube([0, 0, 0], [0, 0, 0.5], 0.02), tube([0, 0, 0], [0, 0, 0.5], 0.1)
    visuals = [{"joint": "j", "mesh": "slim"}, {"joint": "j", "mesh": "thick", "collision": True}]
    client.create_robot({"name": name, "convention": "dh", "visuals": visuals, "joints": [{"name": "j", "type": "revolute", "a": 0.5, "alpha": 0, "d": 0, "link": LINK}]})
    for mesh, triangles, missing in (("slim", slim, ["thick"]), ("thick", thick, [])):
        client.put(f"/v1/robots/{name}/meshes/{mesh}", body=stl_of(triangles.tolist()), content_type="model/stl", headers={"If-None-Match": "*"}).expect(201)
        told = client.post(f"/v1/robots/{name}/fitted-bodies", {"shapes": ["capsule"], "margin": 0}).expect(200).json
        part, = told["parts"]
        corners = np.asarray(triangles, "f4").astype(float).reshape(-1, 3)
        assert told["missing"] == missing and part["triangles"] == len(triangles) and depth(part["bodies"][0], corners).min() >= -1e-9
        assert part["bodies"][0]["capsule"]["radius"] < 0.13 and client.get(f"/v1/robots/{name}").json["visuals"] == visuals
    assert part["bodies"][0]["capsule"]["radius"] > 0.09


def test_shapes_that_show_a_link_are_enclosed(client):
    """Beside a mesh that is missing, too."""
    name, frame = unique_name(), {"translation": [0.1, -0.2, 0.3], "rpy": [0.4, 0.5, 0.6]}
    joints = [{"name": kind, "type": "revolute", "a": 5, "link": LINK} for kind in ("box", "ball", "round")]
    client.create_robot({"name": name, "convention": "dh", "joints": joints, "visuals": [
        {"joint": "box", "box": {"size": [0.5, 0.25, 1], **frame}}, {"joint": "box", "mesh": "cap"},
        {"joint": "ball", "sphere": {"radius": 0.3, "center": [1, 2, 3]}}, {"joint": "round", "cylinder": {"radius": 0.2, "length": 1, **frame}}]})
    told = client.post(f"/v1/robots/{name}/fitted-bodies", {"margin": 0}).expect(200).json
    box, ball, round_one = (part["bodies"][0] for part in told["parts"])
    assert [part["part"] for part in told["parts"]] == ["box", "ball", "round"] and told["missing"] == ["cap"]
    assert sorted(box["box"]["size"]) == pytest.approx([0.25, 0.5, 1], rel=0.005) and box["box"]["translation"] == pytest.approx(frame["translation"], abs=1e-3)
    corners = np.array([[x, y, z] for x in (-0.25, 0.25) for y in (-0.125, 0.125) for z in (-0.5, 0.5)]) @ turned(frame["rpy"]).T + frame["translation"]
    assert depth(box, corners).min() >= -1e-6
    outward = np.random.default_rng(1).normal(size=(500, 3))
    assert depth(ball, [1, 2, 3] + 0.3 * outward / np.linalg.norm(outward, axis=1)[:, None]).min() >= -1e-6
    assert next(part["volume"] for part in told["parts"] if part["part"] == "ball") < 1.05 * 4 / 3 * np.pi * 0.3 ** 3
    along = turned(frame["rpy"])
    rim = np.array([[0.2 * np.cos(a), 0.2 * np.sin(a), z] for a in np.linspace(0, 2 * np.pi, 100) for z in (-0.5, 0.5)]) @ along.T + frame["translation"]
    assert depth(round_one, rim).min() >= -1e-6


def test_more_bodies_of_a_bent_link_are_smaller(client, meshed):
    name, _ = meshed
    one, four = (next(part["volume"] for part in client.post(f"/v1/robots/{name}/fitted-bodies", {"bodies_per_part": k}).expect(200).json["parts"] if part["part"] == "upper")
                 for k in (1, 4))
    assert four < 0.5 * one


def test_what_is_proposed_can_be_put(client, meshed):
    name, _ = meshed
    model = client.post(f"/v1/robots/{name}/fitted-bodies", {"from": "lengths", "radius": 0.05}).expect(200).json["robot"]
    put = client.put(f"/v1/robots/{name}", model, headers={"If-Match": '"1"'}).expect(200).json
    assert put["revision"] == 2 and len(put["joints"][0]["link"]["bodies"]) == 2
    assert client.get(f"/v1/robots/{name}").json["joints"] == put["joints"]


@pytest.mark.parametrize("convention", ["dh", "mdh", "frames"])
def test_lengths_lead_from_axis_to_axis(client, convention):
    """In any state the middle lines of the capsules lead in one piece from the base to the tool, by frames of numpy's."""
    name = unique_name()
    joints = [{"name": f"j{k}", "type": "prismatic" if k == 2 else "revolute", "limits": {"position": [-0.1, 0.4]}, "link": LINK} for k in range(4)]
    for k, joint in enumerate(joints):
        if convention == "frames":
            joint.update(frame={"translation": [0.1 * k, 0.2, 0.3], "rpy": [0.3, 0.2 * k, 0.1]}, axis=[0, 0.6, 0.8])
        else:
            joint.update(a=[0.3, 0, 0.2, 0][k], alpha=0.4 * k, d=[0.2, 0, 0.1, 0][k])
    client.create_robot({"name": name, "convention": convention, "joints": joints, "tool": {"translation": [0.2, 0, 0.1], "rpy": [0, 0, 0]}})
    told = client.post(f"/v1/robots/{name}/fitted-bodies", {"from": "lengths", "radius": 0.03, "margin": 0.02}).expect(200).json
    assert {part["part"] for part in told["parts"]} >= {joint["name"] for joint in joints}
    q = [0.1, -0.3, 0.35, 0.2]
    answer = client.post(f"/v1/robots/{name}/forward-kinematics", {"q": q}).expect(200).json
    frames = dict(zip((joint["name"] for joint in joints), np.array(answer["links"])), base=np.eye(4))
    lines = []
    for part in told["parts"]:
        for body in part["bodies"]:
            kind, shape = next(iter(body.items()))
            assert shape["radius"] == pytest.approx(0.05)
            lines.append([(frames[part["part"]] @ [*shape.get(end, [0, 0, 0]), 1])[:3] for end in (("from", "to") if kind == "capsule" else ("center", "center"))])

    def apart(p, line):
        a, b = np.array(line)
        t = np.clip((p - a) @ (b - a) / max((b - a) @ (b - a), 1e-30), 0, 1)
        return np.linalg.norm(p - a - t * (b - a))
    reached, left = [np.zeros(3)], list(lines)
    while left:  # each begins on what was reached, or ends there
        near = [line for line in left if any(apart(p, line) < 1e-9 for p in reached) or any(apart(p, old) < 1e-9 for p in line for old in lines if not any(old is new for new in left))]
        assert near, (reached, left)
        for line in near:
            reached += line
            left = [other for other in left if other is not line]
    tool = np.array(answer["tool"])[:3, 3]
    assert min(apart(tool, line) for line in lines) < 1e-9


@pytest.mark.parametrize("body, pointer", [
    ({"from": "lengths"}, "/radius"), ({"from": "drawings"}, "/from"), ({"radius": 0.1}, "/radius"), ({"from": "lengths", "radius": 0}, "/radius"),
    ({"from": "lengths", "radius": 0.1, "shapes": ["box"]}, "/shapes"), ({"shapes": []}, "/shapes"), ({"shapes": ["cylinder"]}, "/shapes/0"), ({"margin": -0.1}, "/margin"),
    ({"bodies_per_part": 9}, "/bodies_per_part"), ({"colour": 1}, "/colour")])
def test_bad_requests_are_told(client, meshed, body, pointer):
    problem = client.post(f"/v1/robots/{meshed[0]}/fitted-bodies", body).expect(422).json
    assert [error["pointer"] for error in problem["errors"]] == [pointer], problem


def test_an_arm_without_meshes_is_told_what_to_do(client):
    name = unique_name()
    slide = {"name": "slide", "type": "prismatic", "a": 0, "alpha": 0, "theta": 0, "link": LINK}
    client.create_robot({"name": name, "convention": "dh", "joints": [slide]})
    assert "has no visuals" in client.post(f"/v1/robots/{name}/fitted-bodies", {}).expect(422).json["errors"][0]["detail"]
    endless = client.post(f"/v1/robots/{name}/fitted-bodies", {"from": "lengths", "radius": 0.1}).expect(422).json["errors"][0]
    assert endless["pointer"] == "/from" and "/joints/0/limits/position" in endless["detail"]
