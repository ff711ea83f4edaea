"""Trajectories: closed forms, limits, infeasible requests, samples in three formats."""

import copy
import math

import pytest

from support import npy_read, robot, unique_name
from support.motions import GOAL, ZERO, motion

N = 6


@pytest.fixture
def arm(client):
    return client.create_robot(robot("puma560"), name=unique_name()).headers["Location"]


def samples(client, trajectory, **query):
    return client.get(trajectory["samples"], query=query).expect(200).json


def margin(trajectory, limit, joint):
    return next(m for m in trajectory["margins"] if m["limit"] == limit and m["joint"] == joint)


def near(value, expected, tolerance=1e-9):
    assert abs(value - expected) <= tolerance * max(1, abs(expected)), (value, expected)


# -- what to know before samples go anywhere --

def test_milliseconds_in_place_of_seconds_are_told(client, arm):
    def warnings(duration):
        return client.result_of(arm + "/trajectories", motion(method="quintic", sample_rate=1, duration=duration))["warnings"]
    assert [w for w in warnings(100) if w["code"] == "unit_suspect"] == []
    (told,) = [w for w in warnings(1500) if w["code"] == "unit_suspect"]
    assert told["joint"] is None and told["detail"].startswith("/duration is 1500 s, which is 25 minutes") and "1500 ms are 1.5 s" in told["detail"]


@pytest.mark.parametrize("rate", [250, 1000])
@pytest.mark.parametrize("method", ["quintic", "cubic"])
def test_friction_that_sets_in_between_two_samples_is_told(client, method, rate):
    """The planner bounds the rate of a smooth torque; the samples show the step. Counted here from the samples."""
    limited = robot("puma560")
    limited["joints"][0]["limits"]["torque_rate"] /= 2
    arm = client.create_robot(limited, name=unique_name()).headers["Location"]
    trajectory = client.result_of(arm + "/trajectories", motion(method=method, sample_rate=rate, duration=0.8))
    tau = samples(client, trajectory, fields="tau")["tau"]
    stepping = {joint["name"] for j, joint in enumerate(limited["joints"])
                if max(abs(b[j] - a[j]) for a, b in zip(tau, tau[1:])) * rate > joint["limits"]["torque_rate"]}
    assert {(w["code"], w["joint"]) for w in trajectory["warnings"]} == {("friction_step", joint) for joint in stepping}
    assert bool(stepping) == (method == "cubic" and rate == 1000)


# -- closed forms: D over T, for the largest joint (j1, D = 0.5 rad, T = 1.5 s) --

D, T = GOAL[0], 1.5


def test_quintic(client, arm):
    """Minimum jerk: q = D (10 s^3 - 15 s^4 + 6 s^5), peak velocity 15/8 D/T, peak acceleration 10/sqrt(3) D/T^2, jerk 60 D/T^3."""
    trajectory = client.result_of(arm + "/trajectories", motion())
    assert trajectory["method"] == "quintic" and trajectory["status"] == "feasible" and trajectory["duration"] == T
    assert trajectory["waypoint_times"] == [0, T] and trajectory["transferable"] and trajectory["blockers"] == []
    near(margin(trajectory, "velocity", "j1")["value"], 15 / 8 * D / T)
    near(abs(margin(trajectory, "acceleration", "j1")["value"]), 10 / math.sqrt(3) * D / T**2, 1e-7)
    near(abs(margin(trajectory, "jerk", "j1")["value"]), 60 * D / T**3)
    limits = robot("puma560")["joints"][0]["limits"]
    near(margin(trajectory, "velocity", "j1")["worst"], 15 / 8 * D / T / limits["velocity"])
    rows = samples(client, trajectory)
    assert len(rows["t"]) == 1501 and rows["t"][0] == 0 and rows["t"][-1] == T
    for k in range(0, 1501, 50):
        s = rows["t"][k] / T
        for j in range(N):
            near(rows["q"][k][j], GOAL[j] * (10 * s**3 - 15 * s**4 + 6 * s**5), 1e-12)
            near(rows["qd"][k][j], GOAL[j] / T * (30 * s**2 - 60 * s**3 + 30 * s**4), 1e-12)
            near(rows["qdd"][k][j], GOAL[j] / T**2 * (60 * s - 180 * s**2 + 120 * s**3), 1e-11)


def test_cubic(client, arm):
    """Natural of rest to rest: peak velocity 3/2 D/T in the middle, acceleration 6 D/T^2 at the ends."""
    rows = samples(client, client.result_of(arm + "/trajectories", motion(method="cubic")))
    near(max(qd[0] for qd in rows["qd"]), 1.5 * D / T)
    near(rows["qdd"][0][0], 6 * D / T**2)
    near(rows["qdd"][-1][0], -6 * D / T**2)


def test_trapezoid(client, arm):
    """Without a jerk limit: constant acceleration, constant velocity; all joints on the straight line."""
    trajectory = client.result_of(arm + "/trajectories", motion(method="trapezoid", limits={"jerk": None, "torque_rate": None}))
    rows = samples(client, trajectory)
    peak, ramp = max(qd[0] for qd in rows["qd"]), max(qdd[0] for qdd in rows["qdd"])
    near(peak * T - peak**2 / ramp, D, 1e-9)  # the area below the trapezoid
    for q in rows["q"]:
        for j in range(N):
            near(q[j] * D, GOAL[j] * q[0], 1e-12)
    assert {b["code"] for b in trajectory["blockers"]} == {"limit_removed"} and not trajectory["transferable"]


@pytest.mark.parametrize("method", ["trapezoid", "quintic", "cubic"])
def test_the_shortest_uses_a_limit_up(client, arm, method):
    trajectory = client.result_of(arm + "/trajectories", motion(method=method, duration=None))
    near(trajectory["minimum_duration"], trajectory["duration"], 1e-6)
    assert 1 - 1e-5 < max(m["worst"] for m in trajectory["margins"]) < 1 + 1e-9
    absent = client.result_of(arm + "/trajectories", motion(method=method, duration=...))
    assert absent["duration"] == trajectory["duration"]
    again = client.run_job(arm + "/trajectories", motion(method=method, duration=trajectory["duration"] * 0.999))
    assert again["state"] == "failed" and again["problem"]["type"].endswith("/infeasible")


def test_waypoints_are_passed_in_time(client, arm):
    points = [{"q": [0.1 * (j + 1) for j in range(N)], "time": 0.8}, {"q": [-0.2] * N, "time": None}, {"q": [0.2] * N}]
    for method in ("quintic", "cubic", "trapezoid"):
        trajectory = client.result_of(arm + "/trajectories", motion(method=method, duration=9, waypoints=points, sample_rate=100))
        times = trajectory["waypoint_times"]
        assert times[0] == 0 and times[-1] == 9 and times == sorted(times)
        near(times[1], 0.8, 1e-12)
        for point, time in zip(points, times[1:-1]):
            rows = samples(client, trajectory, rate=100000, **{"from": time - 1e-5, "to": time + 1e-5}, fields="t,q")
            nearest = min(range(len(rows["t"])), key=lambda k: abs(rows["t"][k] - time))
            for j in range(N):
                near(rows["q"][nearest][j], point["q"][j], 1e-4)


# -- physics --

def test_torque_and_energy(client, arm):
    trajectory = client.result_of(arm + "/trajectories", motion(method="cubic", sample_rate=2000))
    rows = samples(client, trajectory)
    picked = range(0, len(rows["t"]), 300)
    answer = client.post(arm + "/inverse-dynamics", {name: [rows[name][k] for k in picked] for name in ("q", "qd", "qdd")}).expect(200)
    for k, tau in zip(picked, answer.json["tau"]):
        for j in range(N):
            near(rows["tau"][k][j], tau[j], 1e-12)
            near(rows["power"][k][j], tau[j] * rows["qd"][k][j], 1e-12)
    energy = trajectory["energy"]
    near(sum(energy["by_cause"].values()), energy["total"], 1e-9)
    near(sum(energy["by_joint"]), energy["total"], 1e-9)
    near(energy["by_cause"]["kinetic"], 0, 1e-9)
    # the same integral by the trapezoidal rule over the samples
    work = [sum((max(0, a[j]) + max(0, b[j])) / 2 * (t1 - t0)
                for a, b, t0, t1 in zip(rows["power"], rows["power"][1:], rows["t"], rows["t"][1:])) for j in range(N)]
    for j in range(N):
        near(energy["by_joint"][j], work[j], 2e-5)
    limits = [joint["limits"]["torque"] for joint in robot("puma560")["joints"]]
    cost = [sum((tau[j] / limits[j]) ** 2 for j in range(N)) for tau in rows["tau"]]
    near(trajectory["cost"]["value"], sum((a + b) / 2 * (t1 - t0) for a, b, t0, t1 in zip(cost, cost[1:], rows["t"], rows["t"][1:])), 1e-5)


# -- limits --

def test_infeasible_tells_what_would_work(client, arm):
    points = [{"q": [0.3] * N, "time": 0.1}]
    for request in (motion(duration=0.1), motion(duration=0.2, waypoints=points), motion(method="trapezoid", duration=0.3)):
        problem = client.run_job(arm + "/trajectories", request)["problem"]
        assert problem["type"].endswith("/infeasible") and problem["status"] == 422
        assert "j" in problem["detail"] and "limit" in problem["detail"]
        suggested = problem["suggested_request"]
        assert suggested["duration"] > request["duration"]
        if "waypoints" in request:
            assert suggested == {**request, "duration": suggested["duration"], "waypoints": [{"q": [0.3] * N, "time": None}]}
        else:
            assert suggested["duration"] >= problem["minimum_duration"] > 0.9998 * suggested["duration"]
            assert suggested == {**request, "duration": suggested["duration"]}
        trajectory = client.result_of(arm + "/trajectories", suggested)
        assert trajectory["duration"] == suggested["duration"]
        assert 0.9 < max(m["worst"] for m in trajectory["margins"]) < 1 + 1e-9


def test_no_duration_helps_against_gravity(client, arm):
    problem = client.run_job(arm + "/trajectories", motion(limits={"torque": [1] * N}))["problem"]
    assert problem["type"].endswith("/infeasible") and "torque" in problem["detail"] and "j2" in problem["detail"]
    assert problem["minimum_duration"] is None and "suggested_request" not in problem


def test_limits_of_the_request(client, arm):
    own = client.result_of(arm + "/trajectories", motion(duration=None))["duration"]
    velocity = [0.1] * N
    slower = client.result_of(arm + "/trajectories", motion(duration=None, limits={"velocity": velocity}))
    near(slower["duration"], 15 / 8 * D / 0.1, 1e-6)
    assert slower["duration"] > own and slower["transferable"]
    raised = client.result_of(arm + "/trajectories", motion(limits={"velocity": [100] * N, "jerk": [None] + [80] * 5}))
    assert not raised["transferable"]
    codes = {(b["code"], b["limit"], b["joint"]) for b in raised["blockers"]}
    assert ("limit_removed", "jerk", "j1") in codes and ("limit_raised", "velocity", "j6") in codes
    assert not [m for m in raised["margins"] if m["limit"] == "jerk" and m["joint"] == "j1"]


BAD = [
    (dict(method="energy"), "/method", "enum"),
    (dict(start={"q": [0] * 5}), "/start/q", "length"),
    (dict(goal={"q": [0, 9, 0, 0, 0, 0]}), "/goal/q/1", "maximum"),
    (dict(goal={"q": [0] * N, "qd": [0] * N}), "/goal/qd", "unknown_field"),
    (dict(duration=-1), "/duration", "minimum"),
    (dict(duration="1"), "/duration", "type"),
    (dict(intervals=100), "/intervals", "inconsistent"),
    (dict(sample_rate=1e6), "/sample_rate", "maximum"),
    (dict(duration=1000, sample_rate=3000), "/sample_rate", "maximum"),
    (dict(waypoints=[{"q": [0] * N, "time": 2}]), "/waypoints/0/time", "inconsistent"),
    (dict(limits={"torque": [1, 2]}), "/limits/torque", "length"),
    (dict(limits={"torque": [1, 2, 3, 4, 5, -6]}), "/limits/torque/5", "minimum"),
    (dict(duration=None, limits={"velocity": None}), "/limits/velocity", "required"),
    (dict(tags={"a": 1}), "/tags/a", "type"),
]


@pytest.mark.parametrize("change, pointer, code", BAD, ids=[pointer for _, pointer, _ in BAD])
def test_bad_requests_make_no_job(client, arm, change, pointer, code):
    problem = client.post(arm + "/trajectories", motion(**change)).expect(422).json
    assert [(e["pointer"], e["code"]) for e in problem["errors"]][:1] == [(pointer, code)], problem["errors"]
    assert client.get("/v1/jobs", query={"robot": arm.rsplit("/", 1)[1]}).json["items"] == []


def test_a_robot_without_limits(client):
    model = copy.deepcopy(robot("puma560"))
    for joint in model["joints"]:
        joint.pop("limits")
    arm = client.create_robot(model, name=unique_name()).headers["Location"]
    problem = client.post(arm + "/trajectories", motion(duration=None)).expect(422).json
    assert problem["error_count"] == 2 * N
    assert {e["pointer"] for e in problem["errors"]} == {"/limits/velocity", "/limits/acceleration"}
    trajectory = client.result_of(arm + "/trajectories", motion())
    assert trajectory["margins"] == [] and trajectory["transferable"]


# -- resources --

def test_revisions(client, arm):
    first = client.result_of(arm + "/trajectories", motion())
    etag = client.get(f"/v1/trajectories/{first['id']}").etag
    client.get(f"/v1/trajectories/{first['id']}", headers={"If-None-Match": etag}).expect(304)
    model = client.get(arm).json
    model["payload"] = {"mass": 3, "com": [0, 0, 0.1], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}
    client.put(arm, model, headers={"If-Match": '"1"'}, query={"allow_unphysical": "true"}).expect(200)
    now = client.get(f"/v1/trajectories/{first['id']}", headers={"If-None-Match": etag}).expect(200)
    assert now.json == {**first, "stale": True} and now.etag != etag
    second, old = client.result_of(arm + "/trajectories", motion()), client.post(
        arm + "/trajectories", motion(), headers={"Prefer": "wait=60"}, query={"include": "result", "revision": 1}).expect(200).json
    assert second["revision"] == 2 and not second["stale"]
    assert old["revision"] == 1 and old["result"]["value"]["energy"] == first["energy"] != second["energy"]
    client.post(arm + "/trajectories", motion(), query={"revision": 3}).expect(404)
    # what is at another rate than stored is computed with the revision of the trajectory
    assert samples(client, first, rate=500)["tau"] == samples(client, first)["tau"][::2]
    assert samples(client, second, rate=500)["tau"] == samples(client, second)["tau"][::2]


def test_lists_and_deletion(client, arm):
    name = arm.rsplit("/", 1)[1]
    made = [client.result_of(arm + "/trajectories", motion(duration=1.5 + k, tags={"k": str(k)})) for k in range(3)]
    page = client.get("/v1/trajectories", query={"robot": name, "limit": 2}).expect(200).json
    rest = client.get("/v1/trajectories", query={"robot": name, "limit": 2, "cursor": page["next_cursor"]}).expect(200).json
    items = page["items"] + rest["items"]
    assert [i["id"] for i in items] == [t["id"] for t in reversed(made)] and rest["next_cursor"] is None
    assert items[0]["metrics"]["duration"] == 3.5 and items[0]["metrics"]["energy"] == made[2]["energy"]["total"]
    assert items[0]["tags"] == {"k": "2"}
    path = f"/v1/trajectories/{made[0]['id']}"
    client.delete(path, headers={"If-Match": "*"}).expect(204)
    for answer in (client.get(path), client.get(path + "/samples"), client.delete(path, headers={"If-Match": "*"})):
        assert answer.expect(404).json["type"].endswith("/not-found")
    job = client.get(f"/v1/jobs/{made[0]['job']}", query={"include": "result"}).expect(200).json
    assert job["state"] == "succeeded" and job["result"] is None
    client.delete(arm, headers={"If-Match": '"1"'}).expect(409)  # results refer to it


# -- samples --

COLUMNS = ["t"] + [f"{field}{j + 1}" for field in ("q", "qd", "qdd", "tau", "power") for j in range(N)]


def table(rows, fields=("t", "q", "qd", "qdd", "tau", "power")):
    """Rows of a JSON answer, side by side."""
    return [[v for f in fields for v in ([rows[f][k]] if f == "t" else rows[f][k])] for k in range(len(rows[fields[0]]))]


def read_csv(text):
    lines = text.split("\r\n")
    assert lines[-1] == ""
    return lines[0].split(","), [[float(v) for v in line.split(",")] for line in lines[1:-1]]


@pytest.mark.parametrize("query", [{}, {"rate": 1000}, {"rate": 333.3}, {"rate": 0.5}, {"from": 0.25, "to": 0.75},
                                   {"rate": 50, "from": 1}, {"from": 1.4999, "rate": 77}, {"from": 5}])
def test_three_formats_say_the_same(client, arm, query):
    trajectory = client.result_of(arm + "/trajectories", motion())
    rows = table(samples(client, trajectory, **query))
    csv = client.get(trajectory["samples"], query=query, headers={"Accept": "text/csv"}).expect(200)
    assert csv.content_type == "text/csv" and csv.headers["Columns"] == ",".join(COLUMNS)
    assert read_csv(csv.text) == (COLUMNS, rows)
    npy = client.get(trajectory["samples"], query=query, headers={"Accept": "application/x-npy"}).expect(200)
    assert npy.headers["Columns"] == ",".join(COLUMNS)
    shape, values = npy_read(npy.body)
    assert shape == (len(rows), len(COLUMNS)) and values == [v for row in rows for v in row]
    rate, begin, end = query.get("rate", 1000), query.get("from", 0), query.get("to", math.inf)
    count = math.ceil(T * rate - 1e-9)
    times = [t for t in [k / rate for k in range(count)] + [T] if begin <= t <= end]
    assert [row[0] for row in rows] == times
    if not query.get("to") and begin <= T:
        for j in range(N):
            near(rows[-1][1 + j], GOAL[j], 1e-12)


def test_fields(client, arm):
    trajectory = client.result_of(arm + "/trajectories", motion())
    whole = samples(client, trajectory)
    some = samples(client, trajectory, fields="tau,t")
    assert list(some) == ["t", "tau"] and some["tau"] == whole["tau"]
    csv = client.get(trajectory["samples"], query={"fields": "q,power"}, headers={"Accept": "text/csv"}).expect(200)
    assert csv.headers["Columns"] == ",".join(c for c in COLUMNS if c[:-1] in ("q", "power"))
    assert read_csv(csv.text)[1] == table(whole, ("q", "power"))


def test_bad_queries_of_samples(client, arm):
    path = client.result_of(arm + "/trajectories", motion())["samples"]
    for query, parameter in ((dict(rate=0), "rate"), (dict(rate="x"), "rate"), (dict(rate=1e6), "rate"), (dict(to=-1), "to"),
                             ({"from": 1, "to": 0.5}, "to"), (dict(fields="q,x"), "fields"), (dict(fields=""), "fields"),
                             (dict(columns="q"), "columns")):
        assert client.get(path, query=query).expect(422).json["errors"][0]["parameter"] == parameter
    client.get(path, headers={"Accept": "image/png"}).expect(406)
    assert client.head(path, headers={"Accept": "text/csv"}).expect(200).headers["Columns"] == ",".join(COLUMNS)


def test_a_long_series_is_read_piece_by_piece(client, arm):
    """40 MB of samples: more than is read at once."""
    trajectory = client.result_of(arm + "/trajectories", motion(duration=16, sample_rate=10000))
    npy = client.get(trajectory["samples"], headers={"Accept": "application/x-npy"}).expect(200)
    shape, values = npy_read(npy.body)
    assert shape == (160001, len(COLUMNS))
    times = values[::len(COLUMNS)]
    assert times[0] == 0 and times[-1] == 16 and times[80000] == 8
    part = samples(client, trajectory, **{"from": 8, "to": 8.01}, fields="t,q")
    assert len(part["t"]) == 101 and part["q"][50] == values[80050 * len(COLUMNS) + 1:][:N]
    near(part["q"][0][0], GOAL[0] / 2, 1e-12)
