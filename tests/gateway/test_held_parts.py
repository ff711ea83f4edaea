"""Parts at a controller: what its arm holds, and motions that were planned for it or for another."""

import pytest

from cell import ZERO, Cell, puma
from support import robot, unique_name, until

PARTS = {"A7": {"mass": 1.5, "com": [0, 0, 0.06], "inertia": {"xx": 0.003, "yy": 0.003, "zz": 0.002}}, "B9": {"mass": 0.4, "com": [0.01, 0, 0.03]}}
RAISED = {"start": {"q": ZERO}, "goal": {"q": [0.2, -0.15, 0.2, 0.2, -0.2, 0.15]}, "duration": 1.2}


def named(here):
    """A cell whose robot has the parts."""
    for name, payload in PARTS.items():
        here.client.post(f"/v1/robots/{here.robot}/parts", {"name": name, "payload": payload}).expect(201)
    return here


def hold(here, part):
    return here.client.put(f"/v1/controllers/{here.name}/part", {"part": part})


def refused(answer):
    problem = answer.expect(409).json
    assert problem["type"] == "/problems/part-mismatch", problem
    return problem["detail"]


def document(here, motion):
    return here.client.get(f"/v1/trajectories/{motion}").expect(200).json


def carrying(part):
    """An arm that holds it, at a simulated controller."""
    return puma(model={**robot("puma560"), "payload": {"inertia": {"xx": 0, "yy": 0, "zz": 0}, **PARTS[part]}})


def test_two_parts_on_one_robot_are_planned_stored_sent_played_and_compared(shared):
    here = None
    for part in PARTS:
        with carrying(part) as sim:
            if here is None:
                here = named(Cell(shared, sim, telemetry_rate=200))
            else:  # the same robot at another controller, whose arm holds the other part
                here.name, here.sim = unique_name("cell"), sim
                here.client.post("/v1/controllers", here.document()).expect(201)
            hold(here, part).expect(200)
            motion = here.trajectory(**RAISED, part=part)
            assert document(here, motion)["conditions"]["part"] == part
            transfer = here.playing(motion)
            here.reach(transfer, "done")
            dataset = here.client.get(f"/v1/datasets/{transfer}").expect(200).json
            assert dataset["conditions"]["payload"]["mass"] == PARTS[part]["mass"]
            got = here.client.get(f"/v1/transfers/{transfer}/comparison").expect(200).json
            for joint in got["joints"]:  # the feed-forward is that of the arm with the part
                assert joint["position"]["max"] < 2e-3 and joint["torque"]["relative_percent"] < 10
    assert here.client.get(f"/v1/robots/{here.robot}").expect(200).json["revision"] == 1


def test_the_wrong_part_is_refused_within_all_limits(shared):
    with puma() as sim:
        here = named(Cell(shared, sim))
        plain, light, heavy = (here.trajectory(**RAISED, **said) for said in ({}, {"part": "B9"}, {"part": "A7"}))
        assert all(document(here, motion)["transferable"] for motion in (plain, light, heavy))
        said = here.client.get(f"/v1/controllers/{here.name}/part").expect(200).json
        assert said == {"controller": here.name, "robot": here.robot, "part": None, "said_at": None}

        detail = refused(here.transfer(heavy))  # nobody said that it holds anything
        assert "'A7'" in detail and "none" in detail and "acknowledge" in detail
        order = here.client.post("/v1/orders", {"controller": here.name, "to": {"q": RAISED["goal"]["q"]}, "duration": 2, "objective": "smooth",
                                                "start": "on_request", "part": "A7"}).expect(202).json["id"]
        ended = until(lambda: (told := here.client.get(f"/v1/orders/{order}").expect(200).json)["finished_at"] and told, what="the end of an order")
        assert ended["problem"]["type"] == "/problems/part-mismatch" and "acknowledge" not in ended["problem"]["detail"]  # it takes none
        assert hold(here, "B9").expect(200).json["part"] == "B9"
        assert "'B9'" in refused(here.transfer(heavy))
        assert "no part" in refused(here.transfer(plain))
        assert here.client.get("/v1/transfers", query={"controller": here.name}).expect(200).json["items"] == []

        transfer = here.loaded(light)
        held = here.client.put(f"/v1/controllers/{here.name}/part", {"part": None}).expect(409).json
        assert held["type"] == "/problems/lease-held"  # what it was sent for stays in the hand
        here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
        here.reach(transfer, "stopped")
        meant = here.transfer(heavy, acknowledge=["part_mismatch"]).expect(202).json["id"]
        here.reach(meant, "ready")
        assert here.get(meant)["request"]["acknowledge"] == ["part_mismatch"]
        here.client.post(f"/v1/transfers/{meant}/stop").expect(200)
        here.reach(meant, "stopped")
        assert hold(here, None).expect(200).json["part"] is None
        transfer = here.loaded(plain)
        assert "acknowledge" not in here.get(transfer)["request"]


def test_it_is_the_numbers_that_weigh(shared):
    """A payload without a name goes where the arm holds just that; a part that has changed does not."""
    with puma() as sim:
        here = named(Cell(shared, sim))
        hold(here, "A7").expect(200)
        spelt, other = (here.trajectory(**RAISED, payload=PARTS[part]) for part in ("A7", "B9"))
        part = here.trajectory(**RAISED, part="A7")
        tilted = here.trajectory(**RAISED, part="A7", gravity=[0, 1, -9.7])
        assert "of its own" in refused(here.transfer(other))
        assert "another now" in refused(here.transfer(tilted))
        for motion in (spelt, part):
            transfer = here.loaded(motion)
            here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
            here.reach(transfer, "stopped")
        path = f"/v1/robots/{here.robot}/parts/A7"
        etag = here.client.get(path).etag
        assert here.client.delete(path, headers={"If-Match": etag}).status == 409  # it is held
        here.client.put(path, {"name": "A7", "payload": {"mass": 0.1}}, headers={"If-Match": etag}).expect(200)
        assert "as it was then" in refused(here.transfer(part))
        refused(here.transfer(spelt))


def test_what_is_no_part_of_the_robot_is_not_held(shared):
    with puma() as sim:
        here = named(Cell(shared, sim))
        for body, status in (({"part": "C1"}, 422), ({}, 422), ({"part": 7}, 422), ({"part": "A7", "x": 1}, 422)):
            here.client.put(f"/v1/controllers/{here.name}/part", body).expect(status)
        here.client.put("/v1/controllers/nowhere/part", {"part": None}).expect(404)
        here.client.get("/v1/controllers/nowhere/part").expect(404)
        motion = here.trajectory(**RAISED)
        assert here.transfer(motion, acknowledge=["everything"]).expect(422).json["errors"][0]["pointer"] == "/acknowledge/0"


def test_a_motion_starts_where_the_arm_stands(shared):
    with puma() as sim:
        here = Cell(shared, sim)
        first = here.trajectory(**RAISED)
        here.reach(here.playing(first), "done")
        stands = here.status()["position"]
        assert stands == pytest.approx(RAISED["goal"]["q"], abs=5e-3)
        back = document(here, here.trajectory(start={"controller": here.name}, goal={"q": ZERO}, duration=1.2))
        assert back["request"]["start"]["controller"] == here.name
        assert back["waypoint_positions"][0] == back["request"]["start"]["q"] == pytest.approx(stands, abs=2e-3)  # it still settled
        here.reach(here.playing(back["id"]), "done")
        assert here.status()["position"] == pytest.approx(ZERO, abs=5e-3)

        path = f"/v1/robots/{here.robot}/trajectories"
        request = {"method": "quintic", "goal": {"q": ZERO}, "duration": 1}
        for name in ("nowhere", Cell(shared, sim).name):  # of another robot
            faults = here.client.post(path, {**request, "start": {"controller": name}}).expect(422).json["errors"]
            assert faults[0]["pointer"] == "/start/controller"
        assert here.client.post(path, {**request, "start": {"controller": "A b"}}).expect(422).json["errors"]
        assert here.client.post(path, {**request, "start": {}}).expect(422).json["errors"][0]["pointer"] == "/start/q"
        sim.terminate()
        lost = here.client.post(path, {**request, "start": {"controller": here.name}}).expect(503).json
        assert lost["type"] == "/problems/controller-unreachable"


def test_no_motion_starts_from_an_arm_that_moves(shared):
    with puma() as sim:
        here = Cell(shared, sim)
        motion = here.trajectory(**{**RAISED, "duration": 8})
        transfer = here.playing(motion)
        answer = here.client.post(f"/v1/robots/{here.robot}/trajectories",
                                  {"method": "quintic", "start": {"controller": here.name}, "goal": {"q": ZERO}, "duration": 1})
        assert answer.expect(409).json["type"] == "/problems/conflict"
        here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
        here.reach(transfer, "stopped")
