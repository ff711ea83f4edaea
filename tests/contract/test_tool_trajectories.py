"""Motions that are asked for by the tool: points by inverse kinematics, lines and arcs, and how fast the tool may be.
Checked with forward kinematics, which the planner of these paths is not made of."""

import math

import pytest

from support import robot, unique_name
from support.optima import optimum


def store(client, model):
    query = {"allow_unphysical": "true"}
    return client.post("/v1/robots", {**model, "name": unique_name()}, query=query).expect(201).headers["Location"]


@pytest.fixture
def puma(client):
    """Without what the timing of a path cannot keep."""
    model = robot("puma560")
    for joint in model["joints"]:
        joint["limits"].pop("jerk", None), joint["limits"].pop("torque_rate", None)
    return store(client, model)


def two_links(client):
    model, request, _ = optimum("iv_2R_unconstrained")
    for joint in model["joints"]:
        joint["limits"] = {"position": [-3, 3], "torque": 90}
    return store(client, model), [joint["a"] for joint in model["joints"]], request["start"]["q"]


def poses(client, arm, q):
    """4 x 4 of the tool for each position."""
    return client.post(arm + "/forward-kinematics", {"q": q}).expect(200).json["tool"]


def as_written(pose):
    """translation and rpy: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    return {"translation": [row[3] for row in pose[:3]],
            "rpy": [math.atan2(pose[2][1], pose[2][2]), math.asin(-pose[2][0]), math.atan2(pose[1][0], pose[0][0])]}


def places(client, arm, trajectory, rate):
    """(times, places of the tool, its poses) of the samples."""
    rows = client.get(trajectory["samples"], query={"rate": rate, "fields": "t,q"}).expect(200).json
    at = poses(client, arm, rows["q"])
    return rows["t"], [[row[3] for row in pose[:3]] for pose in at], at


def highest_speed(times, points):
    return max(math.dist(a, b) / (t1 - t0) for a, b, t0, t1 in zip(points, points[1:], times, times[1:]))


START, PASSED, GOAL = [0.2, 0.6, -0.4, 0.3, 0.8, 0.1], [0.1, 0.4, -0.5, 0.2, 0.6, 0.2], [0.5, 0.3, -0.2, 0.1, 0.9, -0.3]


@pytest.mark.parametrize("method", ["quintic", "energy_optimal", "path_timing"])
def test_points_by_the_tool_are_points_of_the_joints(client, puma, method):
    """The nearest branch of a pose near by is the one that made it; so both requests ask for one motion (which of its local
    minima a search finds may hang on the last digit)."""
    limits = [joint["limits"]["position"] for joint in robot("puma560")["joints"]]
    assert all(low < q < high for point in (START, PASSED, GOAL) for q, (low, high) in zip(point, limits))
    wanted = poses(client, puma, [PASSED, GOAL])
    request = {"method": method, "start": {"q": START}, "duration": 3}
    if method == "energy_optimal":
        request.update(intervals=16, multistart=1, deadline=2)
    by_joints = client.result_of(puma + "/trajectories", {**request, "waypoints": [{"q": PASSED}], "goal": {"q": GOAL}})
    by_tool = client.result_of(puma + "/trajectories", {**request, "waypoints": [{"tool": as_written(wanted[0])}], "goal": {"tool": as_written(wanted[1])}})
    assert by_joints["waypoint_positions"] == [START, PASSED, GOAL]
    found = by_tool["waypoint_positions"]
    assert found[0] == START
    for point, expected in zip(found[1:], (PASSED, GOAL)):
        assert max(abs(a - b) for a, b in zip(point, expected)) < 1e-6
    if method != "energy_optimal":
        assert by_tool["cost"]["value"] == pytest.approx(by_joints["cost"]["value"], rel=1e-5)
    last = client.get(by_tool["samples"], query={"fields": "q"}).json["q"][-1]
    assert max(abs(a - b) for row, aim in zip(poses(client, puma, last), wanted[1]) for a, b in zip(row, aim)) < 1e-8


def test_the_branch_is_the_nearest_to_the_point_before(client):
    """Two links reach a place with the elbow on either side: the nearer side is taken, unless a limit is in its way."""
    arm, lengths, _ = two_links(client)
    elbow = 1.1
    place = [lengths[0] * math.cos(0.4) + lengths[1] * math.cos(0.4 + elbow), lengths[0] * math.sin(0.4) + lengths[1] * math.sin(0.4 + elbow)]
    goal = {"tool": {"translation": [*place, 0]}, "task": ["x", "y"]}
    for start, side in (([0.2, 0.8], 1), ([1.4, -0.8], -1)):
        found = client.result_of(arm + "/trajectories", {"method": "cubic", "start": {"q": start}, "goal": goal, "duration": 2})["waypoint_positions"][-1]
        assert found[1] == pytest.approx(side * elbow, abs=1e-8)
        assert math.dist([row[3] for row in poses(client, arm, found)[:2]], place) < 1e-8
    other = client.result_of(arm + "/trajectories", {"method": "cubic", "start": {"q": [0.2, 0.3]}, "goal": goal, "duration": 2,
                                  "limits": {"position": [[-3, 3], [-3, 0.9]]}})
    assert other["waypoint_positions"][-1][1] == pytest.approx(-elbow, abs=1e-8)


@pytest.mark.parametrize("method", ["quintic", "energy_optimal", "path_timing"])
def test_what_cannot_be_reached_is_named(client, method):
    arm, lengths, start = two_links(client)
    far, near = {"translation": [2 * sum(lengths), 0, 0]}, {"translation": [0.9 * sum(lengths), 0, 0]}
    request = {"method": method, "start": {"q": start}, "duration": 2}
    for change, pointer in (({"goal": {"tool": far, "task": ["x", "y"]}}, "/goal/tool"),
                            ({"goal": {"q": [0.1, 0.2]}, "waypoints": [{"tool": near, "task": ["x", "y"]}, {"tool": far, "task": ["x", "y"]}]}, "/waypoints/1/tool")):
        job = client.run_job(arm + "/trajectories", {**request, **change})
        problem = job["problem"]
        assert job["state"] == "failed" and problem["type"].endswith("/infeasible"), problem
        assert [error["pointer"] for error in problem["errors"]] == [pointer] and problem["minimum_duration"] is None
        assert f"{sum(lengths):.3g} m" in problem["detail"]  # so much is missing with the arm stretched out
        assert "suggested_request" not in problem


@pytest.mark.sampled
@pytest.mark.parametrize("duration", [None, 4])
def test_a_line_of_the_tool(client, puma, duration):
    """Every sample on it, with the orientation that stays, and never faster than the tool may be."""
    start = poses(client, puma, START)
    goal = as_written(start)
    goal["translation"] = [a + b for a, b in zip(goal["translation"], (0.1, 0.25, -0.1))]
    request = {"method": "path_timing", "path": "line", "start": {"q": START}, "goal": {"tool": goal}, "duration": duration}
    if duration is None:
        request["cost"] = {"model": "time"}
    fast = client.result_of(puma + "/trajectories", request)
    slow = client.result_of(puma + "/trajectories", {**request, "tool_speed_max": 0.2})
    for trajectory in (fast, slow):
        times, points, at = places(client, puma, trajectory, 500)
        way = [b - a for a, b in zip(points[0], goal["translation"])]
        length = math.hypot(*way)
        for point, pose in zip(points, at):
            along = sum((p - a) * w for p, a, w in zip(point, points[0], way)) / length
            assert math.dist(point, [a + along * w / length for a, w in zip(points[0], way)]) < 3e-5
            assert max(abs(pose[i][j] - start[i][j]) for i in range(3) for j in range(3)) < 3e-5
        assert math.dist(points[-1], goal["translation"]) < 1e-8
        told = trajectory["tool_speed"]
        measured = highest_speed(times, points)
        assert measured <= told["max"] * (1 + 1e-6) and measured > 0.99 * told["max"] and 0 < told["time"] < trajectory["duration"]
    assert slow["tool_speed"]["max"] <= 0.2 * (1 + 1e-6) and slow["transferable"]
    if duration is None:
        assert fast["tool_speed"]["max"] > 0.3 and slow["duration"] > 1.2 * fast["duration"] and slow["tool_speed"]["max"] > 0.1999
        assert slow["duration"] > math.hypot(0.1, 0.25, 0.1) / 0.2


@pytest.mark.parametrize("method", ["path_timing", "quintic"])
def test_too_short_a_time_for_the_tool_tells_what_would_do(client, method):
    """The suggested request still asks by the tool, takes hardly more than the smallest duration, and works."""
    arm, lengths, start = two_links(client)
    x, y = [row[3] for row in poses(client, arm, start)[:2]]
    request = {"method": method, "start": {"q": start}, "goal": {"tool": {"translation": [x + 0.1, y + 0.2, 0]}, "task": ["x", "y"]}, "duration": 0.02}
    if method == "path_timing":
        request.update(path="line", tool_speed_max=0.8)
    job = client.run_job(arm + "/trajectories", request)
    problem = job["problem"]
    assert job["state"] == "failed" and problem["type"].endswith("/infeasible"), problem
    suggested = problem["suggested_request"]
    assert {**suggested, "duration": 0.02} == request
    assert problem["minimum_duration"] <= suggested["duration"] <= 1.001 * problem["minimum_duration"] + 1e-3
    if method == "path_timing":
        assert problem["minimum_duration"] > math.hypot(0.1, 0.2) / 0.8
    trajectory = client.result_of(arm + "/trajectories", suggested)
    assert trajectory["transferable"] and trajectory["duration"] <= suggested["duration"] * (1 + 1e-9)


@pytest.mark.parametrize("way", [-1, 1])
def test_an_arc_of_the_tool(client, way):
    """All of it as far from its center as its three points; by way of the middle one, whichever way round."""
    arm, lengths, _ = two_links(client)
    start, radius = [0.3, 1.2], 0.15
    x, y = [row[3] for row in poses(client, arm, start)[:2]]
    center = [x - radius, y]
    place = lambda angle: [center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle), 0]
    request = {"method": "path_timing", "path": "arc", "start": {"q": start}, "duration": None, "cost": {"model": "time"},
               "waypoints": [{"tool": {"translation": place(way * 0.7)}, "task": ["x", "y", "z"]}],
               "goal": {"tool": {"translation": place(way * 2.5)}, "task": ["x", "y"]}}
    trajectory = client.result_of(arm + "/trajectories", request)
    _, points, _ = places(client, arm, trajectory, 1000)
    for point in points:
        assert math.dist(point[:2], center) == pytest.approx(radius, abs=3e-5)
    assert min(math.dist(point, place(way * 0.7)) for point in points) < 0.01
    assert min(math.dist(point, place(-way * 1)) for point in points) > 0.1
    assert math.dist(points[-1], place(way * 2.5)) < 1e-8
    assert trajectory["waypoint_times"] == [0, trajectory["duration"]] and len(trajectory["waypoint_positions"]) == 2


def test_a_line_that_leaves_the_reach_is_no_path(client):
    """Between two places within reach, through the ring around the base that two unequal links cannot reach."""
    arm, lengths, _ = two_links(client)
    hole = abs(lengths[0] - lengths[1])
    assert hole > 0.05
    start = [0.0, 2.6]
    x, y = [row[3] for row in poses(client, arm, start)[:2]]
    request = {"method": "path_timing", "path": "line", "start": {"q": start}, "duration": 2,
               "goal": {"tool": {"translation": [-x, -y, 0]}, "task": ["x", "y"]}}
    job = client.run_job(arm + "/trajectories", request)
    assert job["state"] == "failed" and job["problem"]["type"].endswith("/infeasible")
    assert [error["pointer"] for error in job["problem"]["errors"]] == ["/goal/tool"]
    assert "cannot follow" in job["problem"]["detail"] or "jump" in job["problem"]["detail"]


def test_points_in_line_are_no_arc(client):
    arm, _, _ = two_links(client)
    x, y = [row[3] for row in poses(client, arm, [0.3, 1.2])[:2]]
    job = client.run_job(arm + "/trajectories", {"method": "path_timing", "path": "arc", "start": {"q": [0.3, 1.2]}, "duration": 2,
                             "waypoints": [{"tool": {"translation": [x - 0.1, y, 0]}, "task": ["x", "y", "z"]}],
                             "goal": {"tool": {"translation": [x - 0.2, y, 0]}, "task": ["x", "y"]}})
    assert [error["pointer"] for error in job["problem"]["errors"]] == ["/waypoints/0/tool"]


@pytest.mark.parametrize("method,peak", [("cubic", 1.5), ("quintic", 1.875)])
def test_the_speed_of_the_tool_is_told(client, method, peak):
    """One axis turns a tool of 0.6 m: v = 0.6 peak D / T, in the middle of the motion."""
    model, _, _ = optimum("i_inertia_only")
    model["joints"][0]["a"] = 0.6
    trajectory = client.result_of(store(client, model) + "/trajectories", {"method": method, "start": {"q": [0]}, "goal": {"q": [1.2]}, "duration": 0.8})
    assert trajectory["tool_speed"]["max"] == pytest.approx(0.6 * peak * 1.2 / 0.8, rel=1e-9)
    assert trajectory["tool_speed"]["time"] == pytest.approx(0.4, abs=1e-4)


@pytest.mark.parametrize("method,peak", [("cubic", 1.5), ("quintic", 1.875)])
def test_a_profile_keeps_the_speed_of_the_tool(client, method, peak):
    """One axis turns a tool of 0.6 m by D = 1.2 rad: v = 0.6 peak D / T, so T = 0.6 peak D / v is the shortest."""
    model, _, _ = optimum("i_inertia_only")
    model["joints"][0].update(a=0.6, limits={"velocity": 10, "acceleration": 200})
    arm = store(client, model)
    request = {"method": method, "start": {"q": [0]}, "goal": {"q": [1.2]}, "tool_speed_max": 0.5}
    least = 0.6 * peak * 1.2 / 0.5
    shortest = client.result_of(arm + "/trajectories", {**request, "duration": None})
    assert shortest["duration"] == pytest.approx(least, rel=1e-6) and shortest["tool_speed"]["max"] == pytest.approx(0.5, rel=1e-6)
    assert "Every limit is kept" in shortest["detail"]
    job = client.run_job(arm + "/trajectories", {**request, "duration": 0.8 * least})
    problem = job["problem"]
    assert problem["type"].endswith("/infeasible") and "speed of the tool" in problem["detail"]
    assert problem["minimum_duration"] == pytest.approx(least, rel=1e-6)
    assert problem["suggested_request"]["duration"] == pytest.approx(least, rel=1e-3)
    assert client.result_of(arm + "/trajectories", problem["suggested_request"])["tool_speed"]["max"] <= 0.5 * (1 + 1e-9)


@pytest.mark.slow  # under a sanitizer half a minute, all of it the solver's, whose units run there
def test_an_optimal_motion_keeps_the_speed_of_the_tool(client):
    """Measured between samples, over a waypoint; dearer than without the limit. Where the time is too short, the speed is what is told."""
    arm, _, _ = two_links(client)
    request = {"start": {"q": [-0.5, 1.0]}, "waypoints": [{"q": [0.1, 0.4]}], "goal": {"q": [0.9, 1.3]}, "duration": 1.5,
               "intervals": 40, "multistart": 1, "deadline": 600}
    fast = client.result_of(arm + "/trajectories", request)
    most = 0.8 * fast["tool_speed"]["max"]
    slow = client.result_of(arm + "/trajectories", {**request, "tool_speed_max": most})
    times, points, _ = places(client, arm, slow, 1000)
    assert 0.97 * most < highest_speed(times, points) <= most * (1 + 1e-6)
    assert slow["status"] == "optimal" and slow["cost"]["value"] > fast["cost"]["value"]
    job = client.run_job(arm + "/trajectories", {**request, "tool_speed_max": 0.2 * most})
    assert job["problem"]["type"].endswith("/infeasible") and "the tool's speed" in job["problem"]["detail"]
    again = client.result_of(arm + "/trajectories", job["problem"]["suggested_request"])
    assert again["tool_speed"]["max"] <= 0.2 * most * (1 + 1e-3) and again["duration"] > 1.5


def test_a_trapezoid_keeps_the_speed_of_the_tool_in_every_segment(client):
    """Over a waypoint, at rest there: the tool is as fast as it may be in both segments, measured between samples."""
    arm, _, _ = two_links(client)
    limits = {"velocity": [3, 3], "acceleration": [20, 20]}
    request = {"method": "trapezoid", "start": {"q": [-0.5, 1.0]}, "waypoints": [{"q": [0.1, 0.4]}], "goal": {"q": [0.9, 1.3]},
               "duration": None, "limits": limits}
    fast = client.result_of(arm + "/trajectories", request)
    slow = client.result_of(arm + "/trajectories", {**request, "tool_speed_max": 0.4})
    assert fast["tool_speed"]["max"] > 0.8 and slow["tool_speed"]["max"] <= 0.4 * (1 + 1e-9)
    times, points, _ = places(client, arm, slow, 1000)
    passed = slow["waypoint_times"][1]
    for begin, end in ((0, passed), (passed, slow["duration"])):
        inside = [k for k, t in enumerate(times) if begin <= t <= end]
        assert 0.39 < highest_speed([times[k] for k in inside], [points[k] for k in inside]) <= 0.4 * (1 + 1e-6)
