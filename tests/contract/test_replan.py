"""The rest of a motion from where the arm is. What is known from elsewhere: Bellman's principle (the rest of a cheapest motion is
the cheapest rest), closed forms of a single axis, and that the answer begins in the measured state."""

import pytest

from support import unique_name

INERTIA, D, T = 2.0, 1.2, 1.0  # a slide of 2 kg, 1.2 m in 1 s
SLIDE = {"convention": "dh", "gravity": [9.81, 0, 0], "joints": [
    {"name": "x", "type": "prismatic", "a": 0, "alpha": 0, "theta": 0, "link": {"mass": INERTIA, "com": [0, 0, 0]},
     "limits": {"position": [-2, 2], "velocity": 5, "acceleration": 50, "torque": 100}}]}
COST = {"model": "torque", "weights": [1]}


def planned(client, model, request):
    arm = client.create_robot({**model, "name": unique_name()}).headers["Location"]
    return arm, client.result_of(arm + "/trajectories", request)


def at(client, motion, time, rate=1000):
    series = client.get(motion["samples"], query={"rate": rate}).expect(200).json
    k = round(time * rate)
    assert series["t"][k] == pytest.approx(time)
    return series["q"][k], series["qd"][k]


def replan(client, motion, **request):
    return client.post(f"/v1/trajectories/{motion['id']}/replan", {"deadline": 2, **request}).expect(200).json


@pytest.fixture(scope="module")
def slide(server):
    with server.client() as client:
        yield planned(client, SLIDE, {"start": {"q": [0]}, "goal": {"q": [D]}, "duration": T, "cost": COST})[1]


def cheapest(q, v, left):
    """Of the motion from q with velocity v to rest at D: the integral of (m q'')² with q a cubic, 4 m² (3 d² - 3 d v T + v² T²) / T³."""
    d = D - q
    return 4 * INERTIA**2 * (3 * d * d - 3 * d * v * left + (v * left) ** 2) / left**3


@pytest.mark.parametrize("time", [0, 0.3, 0.75])
def test_the_rest_of_a_cheapest_motion_is_the_cheapest_rest(client, slide, time):
    q, qd = at(client, slide, time)
    rest = replan(client, slide, q=q, qd=qd, time=time, sample_rate=100)
    assert rest["status"] == "optimal" and rest["duration"] == pytest.approx(T - time) and rest["cost"]["model"] == "torque"
    assert rest["cost"]["value"] == pytest.approx(cheapest(q[0], qd[0], T - time), rel=1e-6)
    assert rest["transferable"] == (time == 0) and [b["code"] for b in rest["blockers"]] == ["not_at_rest"] * (time > 0)
    series = client.get(slide["samples"], query={"rate": 100}).expect(200).json
    for t, x in zip(rest["samples"]["t"], rest["samples"]["q"]):
        assert x[0] == pytest.approx(series["q"][round(100 * (time + t))][0], abs=1e-5)


def test_from_a_state_that_is_off_the_motion(client, slide):
    q, v, time = 0.31, 1.9, 0.35
    rest = replan(client, slide, q=[q], qd=[v], time=time, sample_rate=1000)
    series = rest["samples"]
    assert series["q"][0] == [pytest.approx(q)] and series["qd"][0] == [pytest.approx(v)] and series["t"][0] == 0
    assert series["q"][-1] == [pytest.approx(D)] and series["qd"][-1][0] == pytest.approx(0, abs=1e-9)
    assert rest["cost"]["value"] == pytest.approx(cheapest(q, v, T - time), rel=1e-6)
    forces = [INERTIA * a[0] for a in series["qdd"]]
    assert [f[0] for f in series["tau"]] == pytest.approx(forces, abs=1e-9)
    longer = replan(client, slide, q=[q], qd=[v], time=time, duration=2, sample_rate=10)
    assert longer["duration"] == 2 and longer["cost"]["value"] == pytest.approx(cheapest(q, v, 2), rel=1e-6)


def test_limits_and_waypoints_that_are_ahead_are_kept(client):
    """A limit below the 1.8 m/s that the cheapest motion would take, and a place on the way at its time."""
    arm, motion = planned(client, SLIDE, {"start": {"q": [0]}, "goal": {"q": [D]}, "duration": T, "cost": COST,
                                          "limits": {"velocity": [1.7]}, "waypoints": [{"q": [0.65], "time": 0.5}]})
    listed = client.get("/v1/trajectories", query={"robot": arm.rsplit("/", 1)[1]}).json
    q, qd = at(client, motion, 0.2)
    rest = replan(client, motion, q=[q[0] - 5e-3], qd=qd, time=0.2)
    series = rest["samples"]
    assert rest["waypoint_times"] == pytest.approx([0, 0.3, 0.8]) and series["q"][0][0] == pytest.approx(q[0] - 5e-3)
    assert series["q"][300][0] == pytest.approx(0.65, abs=1e-7) and series["q"][-1][0] == pytest.approx(D)
    velocity = next(m["worst"] for m in rest["margins"] if m["limit"] == "velocity")
    assert 0.999 < velocity <= 1 + 1e-9 and max(abs(v[0]) for v in series["qd"]) <= 1.7 * (1 + 1e-9)
    q, qd = at(client, motion, 0.8)
    assert replan(client, motion, q=q, qd=qd, time=0.8, sample_rate=10)["waypoint_times"] == pytest.approx([0, 0.2])
    assert client.get("/v1/trajectories", query={"robot": arm.rsplit("/", 1)[1]}).json == listed  # nothing is kept


BAD = [(dict(q=[0, 0]), "/q", "length"), (dict(qd=...), "/qd", "required"), (dict(time=1), "/time", "maximum"),
       (dict(time=-1), "/time", "minimum"), (dict(deadline=0), "/deadline", "minimum"), (dict(q=[3]), "/q/0", None),
       (dict(goal={"q": [1]}), "/goal", "unknown_field"), (dict(sample_rate=0), "/sample_rate", "minimum")]


@pytest.mark.parametrize("change, pointer, code", BAD, ids=[pointer for _, pointer, _ in BAD])
def test_what_is_wrong_is_named(client, slide, change, pointer, code):
    request = {name: value for name, value in {"q": [0.5], "qd": [1], "time": 0.5, **change}.items() if value is not ...}
    problem = client.post(f"/v1/trajectories/{slide['id']}/replan", request).expect(422).json
    if code:
        assert [(e["pointer"], e["code"]) for e in problem["errors"]][:1] == [(pointer, code)], problem


def test_what_cannot_be_is_told(client, slide):
    """1 ms before the end half a metre is left: no force within the limits does that."""
    problem = client.post(f"/v1/trajectories/{slide['id']}/replan", {"q": [0.7], "qd": [0], "time": 0.9, "deadline": 2}).expect(422).json
    assert problem["type"].split("/")[-1] in ("infeasible", "undecided")
    client.post("/v1/trajectories/01JD6Z3T7P4E8N2A6S1V9K3D5H/replan", {"q": [0], "qd": [0], "time": 0}).expect(404)


def test_only_optimal_motions_are_planned_anew(client):
    quintic = planned(client, SLIDE, {"method": "quintic", "start": {"q": [0]}, "goal": {"q": [D]}, "duration": T})[1]
    problem = client.post(f"/v1/trajectories/{quintic['id']}/replan", {"q": [0], "qd": [0], "time": 0}).expect(409).json
    assert "quintic" in problem["detail"]
