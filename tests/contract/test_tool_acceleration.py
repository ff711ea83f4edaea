"""The largest acceleration of the tool, against fourth-order differences of its place by kinematics written out here."""

import math

import pytest

from support import robot, unique_name

H = 1e-3  # s, between samples


def place(joints, q):
    """The tool's origin by standard Denavit-Hartenberg parameters: Rz Tz Tx Rx of each joint, from the last one inwards."""
    x, y, z = 0.0, 0.0, 0.0
    for joint, angle in zip(reversed(joints), reversed(q), strict=True):
        c, s, turn = math.cos(joint["alpha"]), math.sin(joint["alpha"]), angle + joint.get("offset", 0) + joint["theta"]
        x, y, z = x + joint["a"], c * y - s * z, s * y + c * z + joint["d"]
        x, y = math.cos(turn) * x - math.sin(turn) * y, math.sin(turn) * x + math.cos(turn) * y
    return x, y, z


def by_differences(joints, positions):
    """(times, accelerations) at every sample that has two on both sides."""
    places = [place(joints, q) for q in positions]
    weights = [-1, 16, -30, 16, -1]
    found = [math.hypot(*(sum(w * places[k + i - 2][axis] for i, w in enumerate(weights)) / (12 * H * H) for axis in range(3)))
             for k in range(2, len(places) - 2)]
    return [H * k for k in range(2, len(places) - 2)], found


def check(told, times, accelerations, tolerance):
    """The peak is that of the samples, or a little more between them."""
    most = max(accelerations)
    assert most * (1 - tolerance) <= told["max"] <= most * (1 + tolerance)
    assert told["time"] == pytest.approx(times[accelerations.index(most)], abs=2 * H)


@pytest.fixture(scope="module")
def puma(server):
    model = robot("puma560")
    for joint in model["joints"]:
        joint.pop("friction", None)
    name = unique_name("puma")
    with server.client() as client:
        client.post("/v1/robots?allow_unphysical=true", {**model, "name": name}).expect(201)
    return "/v1/robots/" + name, model["joints"]


@pytest.mark.parametrize("goal", [[0.8, -0.5, 0.6, 1.0, -0.7, 0.4], [-1.2, 0.9, -0.4, 0.2, 0.5, -1.5]])
def test_of_a_trajectory(client, puma, goal):
    path, joints = puma
    request = {"method": "quintic", "start": {"q": [0.1, 0.2, -0.1, 0.0, 0.3, 0.0]}, "goal": {"q": goal}, "duration": 1.5}
    motion = client.result_of(path + "/trajectories", request)
    rows = client.get(motion["samples"], query={"rate": 1 / H, "fields": "t,q"}).expect(200).json
    check(motion["tool_acceleration"], *by_differences(joints, rows["q"]), 1e-6 + 20 * H * H)


def test_of_a_simulation(client, puma):
    """The arm falls, without friction, for half a second."""
    path, joints = puma
    request = {"q": [0.0, 0.3, -0.2, 0.1, 0.2, 0.0], "qd": [1.0, 0.0, 0.5, 0.0, 0.0, 0.0], "duration": 0.5, "sample_rate": 1 / H, "friction": False}
    fall = client.result_of(path + "/simulations", request)
    rows = client.get(fall["samples"], query={"fields": "t,q"}).expect(200).json
    times, accelerations = by_differences(joints, rows["q"])
    told = fall["tool_acceleration"]
    inside = 2 * H <= told["time"] <= times[-1]
    assert told["max"] >= max(accelerations) * (1 - 1e-6)
    if inside:
        check(told, times, accelerations, 1e-6)
