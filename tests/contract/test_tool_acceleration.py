"""How the tool moves, in samples and at its peak: against fourth-order differences of its place by kinematics written out here,
and against closed forms of a circle and of a slide."""

import math

import pytest

from support import npy_read, robot, unique_name
from support.optima import optimum

H = 1e-3  # s, between samples


def place(joints, q, tool=(0.0, 0.0, 0.0)):
    """The tool's origin, `tool` in the last link's frame, by standard Denavit-Hartenberg parameters: Rz Tz Tx Rx of each joint, from the last one inwards."""
    x, y, z = tool
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


# -- at every sample --

TOOL = {"translation": [0.1, -0.05, 0.2], "rpy": [0.3, 0.4, 0.5]}
FIELDS = ("tool_position", "tool_velocity", "tool_acceleration")


def near(vector, wanted, tolerance):
    assert vector == pytest.approx(wanted, rel=tolerance, abs=tolerance * max(1, *map(abs, wanted)))


def check_samples(rows, joints, tool, tolerance, inside=slice(2, -2)):
    """Places by the kinematics above; velocities and accelerations as their differences, where there are two on both sides."""
    places = [place(joints, q, tool) for q in rows["q"]]
    for told, wanted in zip(rows["tool_position"], places, strict=True):
        near(told, wanted, 1e-12)
    first, second = [1, -8, 0, 8, -1], [-1, 16, -30, 16, -1]
    for k in list(range(len(places)))[inside]:
        around = list(zip(*places[k - 2:k + 3], strict=True))
        near(rows["tool_velocity"][k], [sum(w * x for w, x in zip(first, axis, strict=True)) / (12 * H) for axis in around], tolerance)
        near(rows["tool_acceleration"][k], [sum(w * x for w, x in zip(second, axis, strict=True)) / (12 * H * H) for axis in around], tolerance)


MOVE = {"method": "quintic", "start": {"q": [0.1, 0.2, -0.1, 0.0, 0.3, 0.0]}, "goal": {"q": [0.8, -0.5, 0.6, 1.0, -0.7, 0.4]}, "duration": 1.0}


@pytest.mark.parametrize("stored_rate", [1 / H, 250])
@pytest.mark.parametrize("tool", [None, TOOL])
def test_samples_of_a_trajectory(client, puma, tool, stored_rate):
    """As they are stored, and at another rate."""
    path, joints = puma
    motion = client.result_of(path + "/trajectories", {**MOVE, "tool": tool, "sample_rate": stored_rate})
    rows = client.get(motion["samples"], query={"rate": 1 / H, "fields": "q," + ",".join(FIELDS)}).expect(200).json
    check_samples(rows, joints, tool["translation"] if tool else (0.0, 0.0, 0.0), 1e-6)
    for peak, field in (("tool_speed", "tool_velocity"), ("tool_acceleration", "tool_acceleration")):
        sampled = max(math.hypot(*vector) for vector in rows[field])
        assert sampled * (1 - 1e-12) <= motion[peak]["max"] <= sampled * (1 + 1e-4)


def test_samples_of_a_simulation(client, puma):
    """The arm falls with a tool of the request."""
    path, joints = puma
    request = {"q": [0.0, 0.3, -0.2, 0.1, 0.2, 0.0], "qd": [1.0, 0.0, 0.5, 0.0, 0.0, 0.0], "duration": 0.2, "sample_rate": 1 / H, "friction": False, "tool": TOOL}
    fall = client.result_of(path + "/simulations", request)
    rows = client.get(fall["samples"], query={"fields": "q," + ",".join(FIELDS)}).expect(200).json
    check_samples(rows, joints, TOOL["translation"], 1e-6)
    for peak, field in (("tool_speed", "tool_velocity"), ("tool_acceleration", "tool_acceleration")):
        lengths = [math.hypot(*vector) for vector in rows[field]]
        assert fall[peak]["max"] == pytest.approx(max(lengths), rel=1e-12)
        assert fall[peak]["time"] == pytest.approx(H * lengths.index(max(lengths)), abs=1e-9)


def test_samples_of_a_plant(client, puma):
    """With `control` it is the tool of the arm that moves, whatever the controller thinks."""
    path, joints = puma
    request = {"q": [0.0, 0.3, -0.2, 0.1, 0.2, 0.0], "duration": 0.02, "sample_rate": 1 / H, "friction": False, "control": {"law": "pid_gravity"}, "plant": {"tool": TOOL}}
    held = client.result_of(path + "/simulations", request)
    rows = client.get(held["samples"], query={"fields": "q,tool_position"}).expect(200).json
    for q, told in zip(rows["q"], rows["tool_position"], strict=True):
        near(told, place(joints, q, TOOL["translation"]), 1e-12)


def test_three_formats_and_what_stays(client, puma):
    """What nobody names is not answered; what is named follows in its own order, in windows too."""
    path, _ = puma
    motion = client.result_of(path + "/trajectories", MOVE)
    simulation = client.result_of(path + "/simulations", {"q": [0] * 6, "duration": 0.1, "sample_rate": 100})
    names = [f"{field}{axis}" for field in FIELDS for axis in (1, 2, 3)]
    for samples in (motion["samples"], simulation["samples"]):
        assert not any(field in client.get(samples).expect(200).json for field in FIELDS)
        assert "tool" not in client.get(samples, headers={"Accept": "text/csv"}).expect(200).headers["Columns"]
        query = {"fields": ",".join(("tool_acceleration", "t", "tool_velocity", "tool_position")), "from": 0.02, "to": 0.06}
        rows = client.get(samples, query=query).expect(200).json
        assert list(rows) == ["t", *FIELDS]
        flat = [[t, *x, *v, *a] for t, x, v, a in zip(*(rows[name] for name in ("t", *FIELDS)), strict=True)]
        csv = client.get(samples, query=query, headers={"Accept": "text/csv"}).expect(200)
        assert csv.headers["Columns"] == ",".join(["t", *names]) == csv.text.split("\r\n")[0]
        assert [list(map(float, line.split(","))) for line in csv.text.split("\r\n")[1:-1]] == flat
        shape, numbers = npy_read(client.get(samples, query=query, headers={"Accept": "application/x-npy"}).expect(200).body)
        assert tuple(shape) == (len(flat), 10) and list(numbers) == [number for row in flat for number in row]


def store(client, model):
    return client.post("/v1/robots", {**model, "name": unique_name()}, query={"allow_unphysical": "true"}).expect(201).headers["Location"]


def test_on_a_circle(client):
    """One axis turns a tool on r = 0.6 + 0.2 m: r qdd along the circle, r qd² to its centre."""
    model, _, _ = optimum("i_inertia_only")
    model["joints"][0]["a"] = 0.6
    arm, tool, r = store(client, model), {"translation": [0.2, 0, 0.1]}, 0.8
    motion = client.result_of(arm + "/trajectories", {"method": "cubic", "start": {"q": [0]}, "goal": {"q": [1.2]}, "duration": 0.8, "tool": tool})
    rows = client.get(motion["samples"], query={"rate": 200, "fields": "q,qd,qdd," + ",".join(FIELDS)}).expect(200).json
    for (q,), (qd,), (qdd,), p, v, a in zip(*rows.values(), strict=True):
        out, along = (math.cos(q), math.sin(q)), (-math.sin(q), math.cos(q))
        near(p, [r * out[0], r * out[1], 0.1], 1e-12)
        near(v, [r * qd * along[0], r * qd * along[1], 0], 1e-12)
        near(a, [r * (qdd * along[k] - qd * qd * out[k]) for k in (0, 1)] + [0], 1e-12)
        assert math.hypot(*a) == pytest.approx(r * math.sqrt(qdd ** 2 + qd ** 4), rel=1e-12)

    # a constant torque from rest: qdd = tau / 2.5, qd = qdd t, and both peaks are at the end
    turn = client.result_of(arm + "/simulations", {"q": [0.3], "tau": [5], "duration": 0.5, "sample_rate": 100, "tool": tool})
    rows = client.get(turn["samples"], query={"fields": "t," + ",".join(FIELDS)}).expect(200).json
    for t, p, v, a in zip(*rows.values(), strict=True):
        q = 0.3 + t * t
        near(p, [r * math.cos(q), r * math.sin(q), 0.1], 1e-9)
        assert math.hypot(*v) == pytest.approx(r * 2 * t, rel=1e-9, abs=1e-12)
        assert math.hypot(*a) == pytest.approx(r * math.sqrt(4 + (2 * t) ** 4), rel=1e-9)
    assert turn["tool_speed"] == pytest.approx({"max": r, "time": 0.5}, rel=1e-9)
    assert turn["tool_acceleration"] == pytest.approx({"max": r * math.sqrt(5), "time": 0.5}, rel=1e-9)


def test_of_a_slide(client):
    """It falls freely, and it is lifted: the tool moves as the joint does."""
    model, request, _ = optimum("ii_prismatic_gravity")
    arm = store(client, model)
    fall = client.result_of(arm + "/simulations", {"q": [2], "duration": 0.5, "sample_rate": 100, "friction": False})
    rows = client.get(fall["samples"], query={"fields": "t," + ",".join(FIELDS)}).expect(200).json
    for t, p, v, a in zip(*rows.values(), strict=True):
        near(p, [0, 0, 2 - 9.81 * t * t / 2], 1e-9)
        near(v, [0, 0, -9.81 * t], 1e-9)
        near(a, [0, 0, -9.81], 1e-9)
    assert fall["tool_speed"] == pytest.approx({"max": 9.81 / 2, "time": 0.5}, rel=1e-9)
    lift = client.result_of(arm + "/trajectories", {"method": "quintic", **{name: request[name] for name in ("start", "goal", "duration")}})
    rows = client.get(lift["samples"], query={"fields": "q,qd,qdd," + ",".join(FIELDS)}).expect(200).json
    for (q,), (qd,), (qdd,), p, v, a in zip(*rows.values(), strict=True):
        near([*p, *v, *a], [0, 0, q, 0, 0, qd, 0, 0, qdd], 1e-12)


def test_lists_tell_the_peaks(client, puma):
    path, _ = puma
    for kind, request in (("trajectories", MOVE), ("simulations", {"q": [0.1] * 6, "duration": 0.1})):
        made = client.result_of(f"{path}/{kind}", request)
        query = {"robot": path.split("/")[-1], "metric": f"tool_acceleration>={made['tool_acceleration']['max'] * (1 - 1e-9)}", "sort": "-tool_speed"}
        metrics = {item["id"]: item["metrics"] for item in client.get(f"/v1/{kind}", query=query).expect(200).json["items"]}
        assert metrics[made["id"]]["tool_speed"] == made["tool_speed"]["max"]
        assert metrics[made["id"]]["tool_acceleration"] == made["tool_acceleration"]["max"]
