"""Poses as {translation, rpy}: forward kinematics gives what inverse kinematics and motions take, at the gimbal lock too.
Rotations are made here of unit quaternions, which nothing else in the project is made of."""

import math
import random

import pytest

from support import npy_read, npy_write, unique_name

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
LOCK = math.pi / 2


def turn(axis, angle):
    return (math.cos(angle / 2), *(math.sin(angle / 2) * a for a in AXES[axis]))


def after(p, q):
    """First q, then p."""
    (a, b, c, d), (e, f, g, h) = p, q
    return (a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e)


def of_rpy(rpy):
    """Roll about x, then pitch about y, then yaw about z, all of them fixed."""
    return after(turn("z", rpy[2]), after(turn("y", rpy[1]), turn("x", rpy[0])))


def rotated(q, vector):
    return after(after(q, (0, *vector)), (q[0], -q[1], -q[2], -q[3]))[1:]


def apart(one, other):
    """The angle between two rotations."""
    least = min(math.dist(one, other), math.dist(one, [-x for x in other]))  # q and -q are the same
    return 4 * math.asin(least / 2)


def gantry(name, **more):
    """Three slides along the base axes, then turns about z, y and x in one point: rpy are the last joints, backwards."""
    axes = [("prismatic", axis) for axis in "xyz"] + [("revolute", axis) for axis in "zyx"]
    joints = [{"name": f"j{k}", "type": kind, "axis": list(AXES[axis]), "frame": {"translation": [0, 0, 0]},
               "link": {"mass": 1, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}} for k, (kind, axis) in enumerate(axes)]
    return {"name": name, "convention": "frames", "joints": joints, **more}


@pytest.fixture(scope="module")
def arm(server):
    name = unique_name("gantry")
    with server.client() as client:
        client.create_robot(gantry(name))
    return "/v1/robots/" + name


def positions():
    """Places of all kinds: any, and those where roll and yaw turn about one axis, or nearly."""
    dice = random.Random(7)
    pitches = [dice.uniform(-1.5, 1.5) for _ in range(20)] + [sign * (LOCK + off) for sign in (1, -1) for off in (0, 1e-15, 1e-9, -1e-9, 1e-6, -1e-4)]
    return [[*(dice.uniform(-2, 2) for _ in range(3)), dice.uniform(-3, 3), pitch, dice.uniform(-3, 3)] for pitch in pitches]


def test_forward_kinematics_gives_poses(client, arm):
    """The rotation of each pose is that of the joints, and of the matrix beside it."""
    asked = positions()
    got = client.post(arm + "/forward-kinematics", {"q": asked, "poses": True}).expect(200).json
    for k, q in enumerate(asked):
        pose, expected = got["tool_pose"][k], after(turn("z", q[3]), after(turn("y", q[4]), turn("x", q[5])))
        assert pose["translation"] == pytest.approx(q[:3], abs=1e-12)
        assert apart(of_rpy(pose["rpy"]), expected) < 1e-14 * 20, q
        assert max(map(abs, pose["rpy"])) <= math.pi and abs(pose["rpy"][1]) <= LOCK
        if abs(q[4]) < 1.5:
            assert pose["rpy"] == pytest.approx([q[5], q[4], q[3]], abs=1e-12)
        for column, axis in enumerate("xyz"):
            assert [row[column] for row in got["tool"][k][:3]] == pytest.approx(rotated(of_rpy(pose["rpy"]), AXES[axis]), abs=1e-14 * 20)
    assert [poses[-1] for poses in got["link_poses"]] == got["tool_pose"] and len(got["link_poses"][0]) == 6


def test_poses_are_opt_in_and_the_same_in_every_format(client, arm):
    asked = positions()[:3]
    plain, full = (client.post(arm + "/forward-kinematics", {"q": asked, **more}).expect(200).json for more in ({}, {"poses": True}))
    assert set(full) - set(plain) == {"tool_pose", "link_poses"} and all(full[name] == value for name, value in plain.items())
    one = client.post(arm + "/forward-kinematics", {"q": asked[0], "poses": True}).expect(200).json
    assert one["tool_pose"] == full["tool_pose"][0] and one["link_poses"] == full["link_poses"][0]
    table = client.post(arm + "/forward-kinematics?poses=true&field=tool_pose", body=npy_write(asked), content_type="application/x-npy",
                        headers={"Accept": "application/x-npy"}).expect(200)
    assert npy_read(table.body) == ((3, 6), [x for pose in full["tool_pose"] for x in pose["translation"] + pose["rpy"]])


def test_a_pose_comes_back_from_inverse_kinematics(client, arm):
    """Positions for every pose, which are where forward kinematics finds it again; at the lock by other roll and yaw, maybe."""
    for q in positions()[10:]:
        pose = client.post(arm + "/forward-kinematics", {"q": q, "poses": True}).expect(200).json["tool_pose"]
        near = [x + 0.03 for x in q]
        found = client.post(arm + "/inverse-kinematics", {"tool": pose, "q": near, "starts": 2}).expect(200).json
        assert found["reached"]
        for solution in [found, *found["branches"]]:
            assert solution["tool"]["translation"] == pytest.approx(pose["translation"], abs=1e-8)
            assert apart(of_rpy(solution["tool"]["rpy"]), of_rpy(pose["rpy"])) < 1e-8
            there = client.post(arm + "/forward-kinematics", {"q": solution["q"], "poses": True}).expect(200).json
            assert there["tool_pose"] == solution["tool"]


def test_a_matrix_and_its_pose_are_one_request(client, arm):
    """Without a turn the matrix of a pose is exact, and so are the answers; a matrix is answered as it always was."""
    place, body = [0.3, -0.2, 0.5], {"q": [0.1] * 6, "starts": 4}
    matrix = [[float(i == j) for j in range(3)] + [place[i]] for i in range(3)] + [[0, 0, 0, 1]]
    old = client.post(arm + "/inverse-kinematics", {"tool": matrix, **body}).expect(200).json
    new = client.post(arm + "/inverse-kinematics", {"tool": {"translation": place, "rpy": [0, 0, 0]}, **body}).expect(200).json
    assert new.pop("tool")["translation"] == pytest.approx(place, abs=1e-8)
    for branch in new["branches"]:
        branch.pop("tool")
    assert new == old


def test_what_does_not_count_need_not_be_given(client, arm):
    body = {"tool": {"translation": [0.3, 0.4, 0.5]}, "q": [0.0] * 6, "task": ["x", "y", "z"], "starts": 0}
    found = client.post(arm + "/inverse-kinematics", body).expect(200).json
    assert found["reached"] and found["tool"]["translation"] == pytest.approx([0.3, 0.4, 0.5], abs=1e-8)
    turned = client.post(arm + "/inverse-kinematics", {"tool": {"rpy": [0.1, 0.2, 0.3]}, "q": [0.0] * 6, "task": ["rx", "ry", "rz"], "starts": 0})
    assert turned.expect(200).json["tool"]["rpy"] == pytest.approx([0.1, 0.2, 0.3], abs=1e-8)


def test_a_pose_is_a_goal(client, arm):
    """What forward kinematics gives is what motions take, unchanged."""
    q = [0.2, 0.1, -0.3, 0.4, 0.5, 0.6]
    pose = client.post(arm + "/forward-kinematics", {"q": q, "poses": True}).expect(200).json["tool_pose"]
    motion = client.result_of(arm + "/trajectories", {"method": "quintic", "start": {"q": [0.0] * 6}, "goal": {"tool": pose}, "duration": 2})
    assert motion["waypoint_positions"][-1] == pytest.approx(q, abs=1e-8)


def test_a_pose_of_another_tool(client, arm):
    """A tool of the request, or of a part that it names, is as good as one of the model."""
    frame = {"translation": [0.05, -0.02, 0.13], "rpy": [0.3, -0.2, 0.1]}
    tooled = unique_name("tooled")
    client.create_robot(gantry(tooled, tool=frame))
    client.put(arm + "/parts/probe", {"name": "probe", "payload": {"mass": 0.2, "com": [0, 0, 0]}, "tool": frame}, headers={"If-None-Match": "*"}).expect(201)
    body = {"tool": {"translation": [0.3, -0.2, 0.5], "rpy": [0.4, 0.1, -0.7]}, "q": [0.1] * 6, "starts": 3}
    expected = client.post(f"/v1/robots/{tooled}/inverse-kinematics", body).expect(200).json
    stored = client.post(arm + "/inverse-kinematics", body).expect(200).json
    assert expected["reached"] and expected["q"] != pytest.approx(stored["q"], abs=1e-3)
    for more in ({"tool_frame": frame}, {"part": "probe"}):
        got = client.post(arm + "/inverse-kinematics", {**body, **more}).expect(200).json
        assert {**got, "revision": 0} == {**expected, "revision": 0}


def test_tools_that_are_none(client, arm):
    body = {"tool": {"translation": [0.3, -0.2, 0.5], "rpy": [0, 0, 0]}, "q": [0.1] * 6, "starts": 0}
    for more, pointer in (({"part": "nobody"}, "/part"), ({"tool_frame": {"translation": [0, 0]}}, "/tool_frame/translation"),
                          ({"tool_frame": {"rpy": [0, 0, 1]}, "part": "probe"}, "/tool_frame")):
        problem = client.post(arm + "/inverse-kinematics", {**body, **more}).expect(422).json
        assert pointer in [error["pointer"] for error in problem["errors"]], problem
