"""Cells, the bodies of a robot's parts, and clearances: what is stored comes back, revisions stay, and distances are those that
numpy finds by itself."""

import math
import random

import numpy as np
import pytest

from support import Server, robot
from support.capsules import clearances
from support.spoken import spoken

ONCE = {"If-None-Match": "*"}
CELL = {
    "name": "cell-4", "description": "table and post", "base": {"translation": [0, 0, 0.8], "rpy": [0, 0, 0.5]},
    "bodies": [{"name": "floor", "half_space": {"normal": [0, 0, 1], "offset": 0}},
               {"name": "table", "box": {"size": [1.2, 0.8, 0.04], "translation": [0.9, 0, 0.3], "rpy": [0, 0.1, 0]}},
               {"name": "post", "cylinder": {"radius": 0.05, "length": 2, "translation": [0.9, 0.9, 1], "rpy": [0, 0, 0]}},
               {"name": "part", "convex": {"points": [[1, 1, 0], [1.1, 1, 0], [1, 1.1, 0], [1, 1, 0.1]]}},
               {"name": "pipe", "capsule": {"from": [0, -1, 2], "to": [0, 1, 2], "radius": 0.02}},
               {"name": "lamp", "sphere": {"center": [0.3, 0.3, 2.4], "radius": 0.1}}],
}


def with_capsules(model, radius=0.05):
    """Along the links, whose frames are at their far ends."""
    for joint in model["joints"]:
        a, d, alpha = joint.get("a", 0), joint.get("d", 0), joint.get("alpha", 0)
        joint["link"]["bodies"] = [{"capsule": {"from": [-a, -d * math.sin(alpha), -d * math.cos(alpha)], "to": [0, 0, 0], "radius": radius}}]
    return model


@pytest.fixture(scope="module")
def client():
    with Server() as server, server.client() as client:
        client.create_robot(with_capsules(robot("ur10")), name="arm")
        client.create_robot(robot("ur10"), name="bare")
        client.post("/v1/cells", CELL).expect(201)
        yield client


def test_a_cell_comes_back_and_its_revisions_stay(client):
    first = client.post("/v1/cells", {"name": "kept", "bodies": CELL["bodies"][:2]}, headers={"Idempotency-Key": "k"}).expect(201)
    assert first.headers["Location"] == "/v1/cells/kept" and first.json["revision"] == 1
    assert first.json["bodies"][1]["box"] == CELL["bodies"][1]["box"]
    client.post("/v1/cells", {"name": "kept", "bodies": []}).expect(409)
    got = client.get("/v1/cells/kept").expect(200)
    client.put("/v1/cells/kept", {**got.json, "bodies": []}, headers={"If-Match": got.headers["ETag"]}).expect(200)
    assert client.get("/v1/cells/kept").json["bodies"] == [] and client.get("/v1/cells/kept").json["revision"] == 2
    old = client.get("/v1/cells/kept", query={"revision": 1}).expect(200).json
    assert old == first.json
    client.get("/v1/cells/kept", query={"revision": 3}).expect(404)
    client.get("/v1/cells/kept", query={"revision": "old"}).expect(422)
    client.delete("/v1/cells/kept", headers={"If-Match": '"1"'}).expect(412)
    client.delete("/v1/cells/kept", headers={"If-Match": '"2"'}).expect(204)
    client.get("/v1/cells/kept", query={"revision": 1}).expect(404)


def test_every_shape_comes_back(client):
    stored = client.get("/v1/cells/cell-4").expect(200).json
    assert stored["base"] == CELL["base"] and [b["name"] for b in stored["bodies"]] == [b["name"] for b in CELL["bodies"]]
    assert stored["bodies"][3] == CELL["bodies"][3] and stored["bodies"][5] == CELL["bodies"][5]


def test_bodies_of_all_parts_come_back_and_are_converted(client):
    model = robot("puma560")
    model["joints"][2]["link"]["bodies"] = [{"sphere": {"center": [0, 0, 10], "radius": 50}}, {"box": {"size": [100, 200, 300], "rpy": [0, 0, 90]}}]
    model["tool"] = {"translation": [0, 0, 100], "rpy": [0, 0, 0], "bodies": [{"capsule": {"from": [0, 0, 0], "to": [0, 0, 80], "radius": 20}}]}
    model["payload"] = {"mass": 1, "bodies": [{"sphere": {"radius": 30}}]}
    model["base"] = {"bodies": [{"box": {"size": [400, 400, 50]}}]}
    model["units"] = {"length": "mm", "angle": "deg"}
    client.post("/v1/robots", {**model, "name": "parts"}, query={"allow_unphysical": "true"}).expect(201)
    stored = client.get("/v1/robots/parts").expect(200).json
    assert stored["joints"][2]["link"]["bodies"] == [{"sphere": {"center": [0, 0, 0.01], "radius": 0.05}},
                                                     {"box": {"size": [0.1, 0.2, 0.3], "rpy": [0, 0, math.pi / 2]}}]
    assert stored["tool"]["bodies"] == [{"capsule": {"from": [0, 0, 0], "to": [0, 0, 0.08], "radius": 0.02}}]
    assert stored["payload"]["bodies"] == [{"sphere": {"radius": 0.03}}]
    assert stored["base"]["bodies"] == [{"box": {"size": [0.4, 0.4, 0.05]}}]
    etag = client.get("/v1/robots/parts").headers["ETag"]
    client.put("/v1/robots/parts", stored, headers={"If-Match": etag}, query={"allow_unphysical": "true"}).expect(200)
    again = client.get("/v1/robots/parts").json
    assert {k: v for k, v in again.items() if k not in ("revision", "created_at")} == {k: v for k, v in stored.items() if k not in ("revision", "created_at")}


def test_models_without_bodies_are_as_before(client):
    model = client.get("/v1/robots/bare").expect(200).json
    assert "base" not in model and not any("bodies" in joint["link"] for joint in model["joints"])


@pytest.mark.slow  # asks for numbers; the units of clearance run under sanitizers
def test_clearance_is_what_numpy_finds(client):
    dice = random.Random(4)
    model = client.get("/v1/robots/arm").json
    cell = {**CELL, "name": "boxes", "bodies": CELL["bodies"][:2] + [
        {"name": f"box-{k}", "box": {"size": [dice.uniform(0.05, 0.4) for _ in range(3)], "translation": [dice.uniform(-1.5, 1.5) for _ in range(3)],
                                     "rpy": [dice.uniform(-3, 3) for _ in range(3)]}} for k in range(40)]}
    client.put("/v1/cells/boxes", cell, headers=ONCE).expect(201)
    q = [[dice.uniform(-2.5, 2.5) for _ in range(6)] for _ in range(300)]
    answer = client.post("/v1/robots/arm/clearance", {"q": q, "cell": "boxes"}).expect(200).json
    expected, nearest = clearances(model, np.array(q), cell)
    ours, compared = np.array(answer["clearance"]), 0
    assert (ours <= expected + 1e-9).all()  # its own links may be nearer; who is inside has a depth
    for k, pair in enumerate(answer["between"]):
        if pair[1] in [body["name"] for body in cell["bodies"]] and ours[k] > -0.05:
            assert abs(ours[k] - expected[k]) < 1e-9 and pair[1] == nearest[k]
            a, b = np.array(answer["points"][k])
            assert abs(np.linalg.norm(a - b) - abs(ours[k])) < 1e-9
            compared += 1
    assert compared > 40
    one = client.post("/v1/robots/arm/clearance", {"q": q[0], "cell": "boxes"}).expect(200).json
    assert one["clearance"] == answer["clearance"][0] and one["between"] == answer["between"][0] and len(one["gradient"]) == 6
    assert one["cell"] == "boxes" and one["cell_revision"] == 1


def test_touches_are_left_out(client):
    q = [0.3, -0.9, 1.2, 0, 0, 0]
    first = client.post("/v1/robots/arm/clearance", {"q": q, "cell": "cell-4"}).expect(200).json
    second = client.post("/v1/robots/arm/clearance", {"q": q, "cell": "cell-4", "touches": [{"bodies": first["between"]}]}).expect(200).json
    assert second["between"] != first["between"] and second["clearance"] >= first["clearance"]


BAD = [
    ({"q": [0] * 5}, "/q length"), ({"q": []}, "/q length"), ({"q": [0] * 6, "rate": 100}, "/q inconsistent"),
    ({"trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "cell": "cell-4"}, "/trajectory inconsistent"), ({"trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "deviation": -1}, "/deviation minimum"), ({"cell": "cell-4"}, "/q required"), ({"q": [0] * 6, "cell": "none"}, "/cell inconsistent"),
    ({"q": [0] * 6, "cell": "cell-4", "cell_revision": 9}, "/cell_revision inconsistent"),
    ({"q": [0] * 6, "cell_revision": 1}, "/cell_revision inconsistent"), ({"q": [0] * 6, "touches": [{"bodies": ["tool"]}]}, "/touches/0/bodies length"),
    ({"q": [0] * 6, "touches": [{"bodies": ["tool", "nobody"]}]}, "/touches/0/bodies/1 inconsistent"),
    ({"q": [[0] * 6, [0] * 7]}, "/q/1 length"), ({"q": [0] * 6, "margin": 1}, "/margin unknown_field"),
]


@pytest.mark.parametrize(("body", "fault"), BAD, ids=lambda x: x if isinstance(x, str) else "")
def test_bad_requests(client, body, fault):
    problem = client.post("/v1/robots/arm/clearance", body).expect(422).json
    assert [f"{e['pointer']} {e['code']}" for e in problem["errors"]] == [fault]


def test_a_robot_without_bodies_is_not_called_clear(client):
    problem = client.post("/v1/robots/bare/clearance", {"q": [0] * 6, "cell": "cell-4"}).expect(422).json
    assert "no bodies" in problem["errors"][0]["detail"]


BAD_BODIES = [
    ({"name": "x"}, "/bodies/0 required"), ({"box": {"size": [1, 1, 1]}}, "/bodies/0/name required"),
    ({"name": "x", "box": {"size": [1, 1, 0]}}, "/bodies/0/box/size/2 minimum"), ({"name": "x", "box": {"size": [1, 1]}}, "/bodies/0/box/size length"),
    ({"name": "x", "sphere": {"radius": -1}}, "/bodies/0/sphere/radius minimum"), ({"name": "x", "cone": {}}, "/bodies/0/cone unknown_field"),
    ({"name": "x", "half_space": {"normal": [0, 0, 0], "offset": 0}}, "/bodies/0/half_space/normal minimum"),
    ({"name": "x", "convex": {"points": []}}, "/bodies/0/convex/points length"),
    ({"name": "x", "convex": {"points": [[0, 0, 0]] * 65}}, "/bodies/0/convex/points length"),
    ({"name": "x", "box": {"size": [1, 1, 1], "translation": [20000, 0, 0]}}, "/bodies/0/box/translation/0 inconsistent"),
    ({"name": "x", "box": {"size": [1, 1, 1]}, "sphere": {"radius": 1}}, "/bodies/0 inconsistent"),
]


@pytest.mark.parametrize(("body", "fault"), BAD_BODIES, ids=lambda x: x if isinstance(x, str) else "")
def test_bad_cells(client, body, fault):
    problem = client.post("/v1/cells", {"name": "bad", "bodies": [body]}).expect(422).json
    assert fault in [f"{e['pointer']} {e['code']}" for e in problem["errors"]]
    client.get("/v1/cells/bad").expect(404)


def test_a_cell_has_no_name_twice(client):
    problem = client.post("/v1/cells", {"name": "bad", "bodies": [CELL["bodies"][0]] * 2}).expect(422).json
    assert problem["errors"][0]["pointer"] == "/bodies/1/name"


def test_a_path_that_touches_is_refused(client):
    """A lever of 1 m and 0.05 m thick, below a ceiling: its end comes to sin(0.5) and no nearer; 3 mrad are 3 mm of it and of
    the half of its thickness beyond."""
    link = {"mass": 1, "com": [-0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}, "bodies": [{"capsule": {"from": [-1, 0, 0], "to": [0, 0, 0], "radius": 0.05}}]}
    client.post("/v1/robots", {"name": "timed", "convention": "dh", "joints": [{"name": "hub", "type": "revolute", "a": 1, "alpha": 0, "d": 0, "link": link}]}).expect(201)
    client.post("/v1/cells", {"name": "over", "bodies": [{"name": "ceiling", "half_space": {"normal": [0, -1, 0], "offset": -0.54}}]}).expect(201)
    ask = {"method": "path_timing", "start": {"q": [0]}, "goal": {"q": [0.5]}, "duration": 1, "sample_rate": 250, "cell": "over"}
    room = 0.54 - 0.05 - math.sin(0.5)
    plain, wide = (client.result_of("/v1/robots/timed/trajectories", {**ask, "deviation": deviation}) for deviation in (0, 0.003))
    assert 0 <= room - plain["clearance"]["clearance"] <= 1e-4 and plain["transferable"]
    assert 0 <= room - 0.003 * 1.05 - wide["clearance"]["clearance"] <= 1e-4 and wide["clearance"]["distance"] == plain["clearance"]["distance"]
    for more in ({"goal": {"q": [0.6]}}, {"deviation": 0.02}):
        job = client.wait_job(client.post("/v1/robots/timed/trajectories", {**ask, **more}))
        problem = job["problem"]
        assert problem["type"] == "/problems/infeasible" and "blocked by ceiling" in problem["detail"], problem
        assert problem["errors"][0]["pointer"] == "/cell" and problem["minimum_duration"] is None
    for more, fault in (({"cell": None}, "/deviation inconsistent"), ({"deviation": -1}, "/deviation minimum")):
        errors = client.post("/v1/robots/timed/trajectories", {**ask, "deviation": 0.1, **more}).expect(422).json["errors"]
        assert [f"{e['pointer']} {e['code']}" for e in errors] == [fault]


def own_pairs(model):
    names = [joint["name"] for joint in model["joints"]]
    return [(a, b) for i, a in enumerate(names) for b in names[i + 2:]]


def played(client, trajectory, rate, hertz):
    """Positions at `hertz`, along lines between samples at `rate`, and their times."""
    samples = client.get(f"/v1/trajectories/{trajectory}/samples", query={"rate": rate, "fields": "t,q"},
                         headers={"Accept": "text/csv"}).expect(200).body.decode().splitlines()[1:]
    table = np.array([[float(x) for x in line.split(",")] for line in samples])
    times = np.arange(0, table[-1, 0] + 0.5 / hertz, 1 / hertz)
    return times, np.stack([np.interp(times, table[:, 0], table[:, j]) for j in range(1, 7)], axis=1)


@pytest.mark.slow  # a campaign against another library; the units of clearance run under sanitizers
@pytest.mark.parametrize("seed", range(3))
def test_no_touch_of_a_trajectory_is_missed(client, seed):
    """Against numpy at 10 kHz, where it is nearest at 500 Hz: what is told is a bound, and no more than the tolerance and a step below it."""
    dice = random.Random(seed)
    model = client.get("/v1/robots/arm").json
    cell = {"name": f"sweep-{seed}", "bodies": [
        {"name": f"box-{k}", "box": {"size": [dice.uniform(0.05, 0.3) for _ in range(3)],
                                     "translation": [dice.choice((-1, 1)) * dice.uniform(0.4, 1.4) for _ in range(2)] + [dice.uniform(-0.8, 1.2)],
                                     "rpy": [dice.uniform(-3, 3) for _ in range(3)]}} for k in range(5)]}
    client.put(f"/v1/cells/sweep-{seed}", cell, headers=ONCE).expect(201)
    start, goal = ([dice.uniform(-1.5, 1.5) for _ in range(6)] for _ in range(2))
    plan = client.result_of("/v1/robots/arm/trajectories", {"method": "quintic", "start": {"q": start}, "goal": {"q": goal}, "duration": 2})
    # pairs of its own links are another question
    own = [{"bodies": [a, b]} for a, b in own_pairs(model)]
    ask = {"trajectory": plan["id"], "rate": 250, "cell": cell["name"], "touches": own}
    told = client.post("/v1/robots/arm/clearance", ask).expect(200).json
    _, q = played(client, plan["id"], 250, 10000)
    coarse = clearances(model, q[::20], cell, rounds=30)[0]
    near = np.unique((20 * np.argsort(coarse)[:60, None] + np.arange(-20, 21)).clip(0, len(q) - 1))
    dense, nearest = clearances(model, q[near], cell, rounds=30)
    k = int(dense.argmin())
    if dense[k] > -0.05:  # numpy knows no depth beyond a capsule's radius
        assert dense[k] - 1e-3 < told["clearance"] <= dense[k] + 1e-9, (told, dense[k])
        assert told["between"][1] == nearest[k] or abs(told["distance"] - dense[k]) < 1e-3
    else:
        assert told["clearance"] <= -0.05 + 1e-9
    # any joint may be off by a milliradian
    wide = client.post("/v1/robots/arm/clearance", {**ask, "deviation": 0.001}).expect(200).json
    off = q[::40] + np.random.default_rng(seed).choice([-0.001, 0.001], size=q[::40].shape)
    assert wide["clearance"] <= min(clearances(model, off, cell)[0].min() + 1e-9, told["clearance"])


def test_a_planner_tells_what_its_motion_touches(client):
    """An arm of one link, 1 m long and 0.1 m thick, turns to 0.5 rad below a ceiling: its end comes nearest, at the end."""
    link = {"mass": 1, "com": [-0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}, "bodies": [{"capsule": {"from": [-1, 0, 0], "to": [0, 0, 0], "radius": 0.05}}]}
    arm = {"name": "lever", "convention": "dh", "joints": [{"name": "hub", "type": "revolute", "a": 1, "alpha": 0, "d": 0, "link": link}]}
    client.post("/v1/robots", arm).expect(201)
    for name, height in (("low", 0.5), ("high", 0.6)):
        client.post("/v1/cells", {"name": name, "bodies": [{"name": "ceiling", "half_space": {"normal": [0, -1, 0], "offset": -height}}]}).expect(201)
    ask = {"method": "quintic", "start": {"q": [0]}, "goal": {"q": [0.5]}, "duration": 1, "sample_rate": 250}
    high, low = (client.result_of("/v1/robots/lever/trajectories", {**ask, "cell": cell}) for cell in ("high", "low"))
    for plan, height in ((high, 0.6), (low, 0.5)):
        near = plan["clearance"]
        assert 0 <= height - math.sin(0.5) - 0.05 - near["clearance"] <= 1e-4 and near["between"] == ["hub", "ceiling"]
        assert near["time"] == pytest.approx(1, abs=0.01) and near["cell_revision"] == 1 == plan["request"]["cell_revision"]
    assert high["transferable"] and not low["transferable"]
    assert low["blockers"] == [{"code": "touch", "joint": None, "between": ["hub", "ceiling"]}]
    assert "between hub and ceiling" in spoken(client, f"/v1/trajectories/{low['id']}/report")[0]
    # the end may touch at the end, and only then
    touch = {"bodies": ["hub", "ceiling"], "to": 1, "depth_max": 1}
    allowed = client.result_of("/v1/robots/lever/trajectories", {**ask, "cell": "low", "touches": [{**touch, "from": 0.6}]})
    assert allowed["transferable"] and allowed["clearance"]["time"] == pytest.approx(0.6, abs=0.01)
    assert not client.result_of("/v1/robots/lever/trajectories", {**ask, "cell": "low", "touches": [{**touch, "from": 0.99}]})["transferable"]
    free = client.result_of("/v1/robots/lever/trajectories", ask)
    assert "clearance" not in free and free["transferable"]
    for more, pointer in (({"cell": "none"}, "/cell"), ({"cell": "low", "cell_revision": 2}, "/cell_revision"), ({"cell_revision": 1}, "/cell_revision"),
                          ({"touches": [touch]}, "/touches"), ({"cell": "no cell"}, "/cell")):
        problem = client.post("/v1/robots/lever/trajectories", {**ask, **more}).expect(422).json
        assert [error["pointer"] for error in problem["errors"]] == [pointer]
    client.post("/v1/robots", {**arm, "name": "bodiless", "joints": [{**arm["joints"][0], "link": {**link, "bodies": []}}]}).expect(201)
    for robot_name, more, pointer in (("bodiless", {}, "/cell"), ("lever", {"touches": [{"bodies": ["hub", "nobody"]}]}, "/touches/0/bodies/1")):
        job = client.post(f"/v1/robots/{robot_name}/trajectories", {**ask, "cell": "low", **more}, headers={"Prefer": "wait=30"}).json
        assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == pointer


def controller(name, **more):
    return {"name": name, "host": "127.0.0.1", "port": 1, "robot": "arm", **more,
            "profile": {"protocol": "armdyn-v2", "connect_deadline": 0.2, "start_tolerance": 0.001, "following_error": 0.001}}


def test_a_controller_in_a_cell_is_sent_nothing_that_may_touch_it(client):
    """The motion turns the arm, stretched out over 1.18 m at most, about its base: a floor far below it is clear, a post in its
    way is not; and a wall that it stays away from is too near for a controller that may be far off."""
    plan = client.result_of("/v1/robots/arm/trajectories", {"method": "quintic", "start": {"q": [-1, -0.5, 0.5, 0, 0, 0]}, "goal": {"q": [1, -0.5, 0.5, 0, 0, 0]}, "duration": 4})
    floor = {"name": "floor", "half_space": {"normal": [0, 0, 1], "offset": -2}}
    model = client.get("/v1/robots/arm").json
    middle = client.post("/v1/robots/arm/forward-kinematics", {"q": [0, -0.5, 0.5, 0, 0, 0]}).expect(200).json["tool"]
    post = {"name": "post", "box": {"size": [0.1, 0.1, 0.1], "translation": [row[3] for row in middle[:3]]}}
    client.post("/v1/cells", {"name": "guarded", "bodies": [floor]}).expect(201)
    client.post("/v1/controllers", controller("in-a-cell", cell="guarded")).expect(201)
    assert client.get("/v1/controllers/in-a-cell").json["cell"] == "guarded"
    own = client.post("/v1/robots/arm/clearance", {"trajectory": plan["id"], "deviation": 0.002}).expect(200).json["clearance"]
    assert own > 0, (own, model["name"])
    client.post("/v1/controllers/in-a-cell/transfers", {"trajectory": plan["id"]}).expect(202)
    etag = client.get("/v1/cells/guarded").headers["ETag"]
    client.put("/v1/cells/guarded", {"name": "guarded", "bodies": [floor, post]}, headers={"If-Match": etag}).expect(200)
    refused = client.post("/v1/controllers/in-a-cell/transfers", {"trajectory": plan["id"]}).json
    assert refused["type"] == "/problems/limit-exceeded" and "post of cell 'guarded'" in refused["detail"]
    etag = client.get("/v1/cells/guarded").headers["ETag"]
    client.delete("/v1/cells/guarded", headers={"If-Match": etag}).expect(204)
    assert client.post("/v1/controllers/in-a-cell/transfers", {"trajectory": plan["id"]}).expect(409).json["type"] == "/problems/conflict"


def sweep_past_a_post(client, cell):
    """A motion of 4 s that passes through a post in its middle, and parts of the arm that hit it then."""
    plan = client.result_of("/v1/robots/arm/trajectories", {"method": "quintic", "start": {"q": [-1, -0.5, 0.5, 0, 0, 0]}, "goal": {"q": [1, -0.5, 0.5, 0, 0, 0]}, "duration": 4})
    tool = client.post("/v1/robots/arm/forward-kinematics", {"q": [0, -0.5, 0.5, 0, 0, 0]}).expect(200).json["tool"]
    post = {"name": "post", "box": {"size": [0.1, 0.1, 0.1], "translation": [row[3] for row in tool[:3]]}}
    client.post("/v1/cells", {"name": cell, "bodies": [post]}).expect(201)
    return plan["id"], [joint["name"] for joint in client.get("/v1/robots/arm").json["joints"]]


def test_a_transfer_says_what_its_motion_is_to_touch(client):
    """Pairs that may touch while the arm passes, and at no other time; it is kept with the transfer."""
    motion, joints = sweep_past_a_post(client, "picked")
    for k, name in enumerate(("picks", "picks-1", "picks-2", "elsewhere")):  # a controller takes one transfer
        client.post("/v1/controllers", {**controller(name, **({"cell": "picked"} if k < 3 else {})), "port": k + 1}).expect(201)

    def ask(name, **times):
        touches = [{"bodies": [joint, "post"], **times, **({"depth_max": 1} if times else {})} for joint in joints]
        return client.post(f"/v1/controllers/{name}/transfers", {"trajectory": motion, "touches": touches}), touches
    for times in ({"from": 1.0, "to": 1.5}, {"from": 2.0}):
        assert ask("picks", **times)[0].json["type"] == "/problems/limit-exceeded"
    for name, times in (("picks-1", {"from": 1.0, "to": 3.0}), ("picks-2", {})):
        answer, touches = ask(name, **times)
        assert answer.expect(202).json["request"]["touches"] == touches
    assert "touches" not in client.post("/v1/controllers/elsewhere/transfers", {"trajectory": motion}).expect(202).json["request"]
    for name, touches, pointer in (("picks", [{"bodies": ["nobody", "post"]}], "/touches/0/bodies/0"), ("picks", [{"bodies": ["tool", "post"], "from": 3, "to": 1}], "/touches/0"),
                                   ("elsewhere", [{"bodies": ["tool", "post"]}], "/touches"),
                                   ("picks", [{"bodies": ["post"]}], "/touches/0/bodies")):
        wrong = client.post(f"/v1/controllers/{name}/transfers", {"trajectory": motion, "touches": touches}).expect(422).json["errors"]
        assert [error["pointer"] for error in wrong] == [pointer]


def test_a_dry_run_tells_the_clearance_of_what_it_shows(client):
    motion, joints = sweep_past_a_post(client, "dry")
    columns = [{"axis": axis + 1, "quantity": quantity, "at": 4 * axis + 2 * k, "type": "float32"}
               for axis in range(6) for k, quantity in enumerate(("position", "torque"))]
    profile = {"protocol": "register-map", "start_tolerance": 0.001, "following_error": 0.001, "map": {
        "fields": [{"name": "status", "register": "input", "address": 0, "type": "uint16"}],
        "points": {"address": 100, "count": 50, "stride": 24, "verify": "readback", "columns": columns}, "unverified": True}}
    client.post("/v1/controllers", {**controller("maps", cell="dry"), "profile": profile}).expect(201)
    ask = {"trajectory": motion, "rate": 10}
    assert client.post("/v1/controllers/maps/dry-run", ask).json["type"] == "/problems/limit-exceeded"
    window = [{"bodies": [joint, "post"], "from": 1, "to": 3, "depth_max": 1} for joint in joints]
    shown = client.post("/v1/controllers/maps/dry-run", {**ask, "touches": window}).expect(200).json
    same = {"trajectory": motion, "rate": 10, "cell": "dry", "deviation": 0.002, "touches": window}
    told = client.post("/v1/robots/arm/clearance", same).expect(200).json
    assert shown["cell_revision"] == 1 and shown["clearance"] == pytest.approx(told["clearance"], abs=1e-4) and shown["clearance"] > 0


def test_a_controller_in_no_such_cell_is_refused(client):
    for more, word in (({"cell": "nowhere"}, "no cell"), ({"cell": "cell-4", "robot": "bare"}, "no bodies")):
        problem = client.post("/v1/controllers", {**controller("lost"), **more}).expect(422).json
        assert problem["errors"][0]["pointer"] == "/cell" and word in problem["errors"][0]["detail"]
    assert "cell" not in client.post("/v1/controllers", controller("free")).expect(201).json
