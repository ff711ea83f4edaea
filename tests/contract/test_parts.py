"""What a motion carries: payload, tool and gravity of a request, and parts, which are payloads with names. Torques are held
against a revision whose last link has the load in it, and against Lagrange's equations (tests/support)."""

import numpy as np
import pytest

from support import robot, unique_name
from support.carried import merged
from support.lagrange import Arm
from support.spoken import spoken

LOAD = {"mass": 1.7, "com": [0.03, -0.02, 0.09], "inertia": {"xx": 0.004, "yy": 0.005, "zz": 0.003, "xy": 0.0004, "xz": -0.0002, "yz": 0.0003}}
TOOL = {"translation": [0.01, 0.02, 0.12], "rpy": [0.2, -0.3, 0.5]}
TILTED = [1.2, -0.7, -9.6]
GOAL = [0.3, -0.25, 0.3, 0.3, -0.3, 0.25]
MOVE = {"method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": GOAL}, "duration": 1.2, "sample_rate": 100}


@pytest.fixture(scope="module")
def arm(server):
    """The names of a Puma, and of one whose last link has the load in the tool, under another gravity."""
    with server.client() as client:
        names = unique_name("bare"), unique_name("merged")
        model = robot("puma560")
        client.create_robot(model, name=names[0])
        client.create_robot({**merged(model, LOAD, TOOL), "gravity": TILTED}, name=names[1])
        yield names


def plan(client, name, **request):
    return client.result_of(f"/v1/robots/{name}/trajectories", {**MOVE, **request})


def samples(client, motion, **query):
    return client.get(f"/v1/trajectories/{motion['id']}/samples", query=query).expect(200).json


def same(a, b, tolerance=1e-12):
    a, b = np.array(a), np.array(b)
    assert np.abs(a - b).max() <= tolerance * np.abs(b).max()


def test_a_load_of_the_request_weighs_as_one_in_the_last_link(client, arm):
    bare, heavy = arm
    carried = plan(client, bare, payload=LOAD, tool=TOOL, gravity=TILTED)
    assert carried["conditions"]["gravity"] == TILTED and carried["conditions"]["payload"]["mass"] == 1.7
    assert carried["conditions"]["tool"] == TOOL and "part" not in carried["conditions"]
    reference = plan(client, heavy)
    for rate in (100, 37):  # as stored, and computed anew
        one, other = (samples(client, motion, rate=rate) for motion in (carried, reference))
        assert one["q"] == other["q"]
        same(one["tau"], other["tau"])
    for field in ("energy", "cost"):
        same([v for v in carried[field].values() if isinstance(v, float)], [v for v in reference[field].values() if isinstance(v, float)])
    same([m["worst"] for m in carried["margins"] if m["worst"]], [m["worst"] for m in reference["margins"] if m["worst"]])
    row = samples(client, carried, rate=100)
    independent = Arm({**robot("puma560"), "payload": LOAD, "tool": TOOL, "gravity": TILTED})
    for k in (7, 60, 111):
        causes = independent.causes(row["q"][k], row["qd"][k], row["qdd"][k], [0] * 6, False)
        same(row["tau"][k], causes["tau"], 1e-7)


def test_a_request_that_says_nothing_is_answered_as_ever(client, arm):
    plain = plan(client, arm[0])
    assert "conditions" not in plain and "part" not in plain["request"]
    assert plan(client, arm[0], part=None, payload=None, tool=None, gravity=None)["energy"] == plain["energy"]
    assert plan(client, arm[0], payload=LOAD)["energy"] != plain["energy"]


def test_what_is_optimal_is_so_for_the_load(client, arm):
    """Torque rules on an arm: what it finds with the load is what it finds for the arm with the load in it."""
    request = {"method": "energy_optimal", "cost": {"model": "torque"}, "multistart": 1, "intervals": 30, "limits": {"jerk": None, "torque_rate": None}}
    one = plan(client, arm[0], payload=LOAD, tool=TOOL, gravity=TILTED, **request)
    other = plan(client, arm[1], **request)
    assert one["cost"]["value"] == pytest.approx(other["cost"]["value"], rel=1e-7)
    assert one["cost"]["value"] != pytest.approx(plan(client, arm[0], **request)["cost"]["value"], rel=1e-2)


def test_parts_are_kept_by_name(client, arm):
    robot_name, path = arm[0], f"/v1/robots/{arm[0]}/parts"
    part = {"name": "A7", "payload": LOAD, "tool": TOOL}
    made = client.post(path, part).expect(201)
    assert made.headers["Location"] == f"{path}/A7" and made.json["robot"] == robot_name
    assert {k: made.json[k] for k in part} == part
    client.post(path, part).expect(409)
    got = client.get(f"{path}/A7").expect(200)
    assert got.json == made.json and got.etag == made.etag
    client.get(f"{path}/A7", headers={"If-None-Match": got.etag}).expect(304)
    assert [item["name"] for item in client.get(path).expect(200).json["items"]] == ["A7"]
    client.put(f"{path}/A7", part).expect(428)
    client.put(f"{path}/B9", part, headers={"If-None-Match": "*"}).expect(422)  # another name than the path's
    lighter = {**got.json, "payload": {"mass": 0.5}, "tool": None}
    changed = client.put(f"{path}/A7", lighter, headers={"If-Match": got.etag}).expect(200)
    assert changed.json["payload"]["mass"] == 0.5 and "tool" not in changed.json and changed.etag != got.etag
    client.delete(f"{path}/A7", headers={"If-Match": got.etag}).expect(412)
    client.delete(f"{path}/A7", headers={"If-Match": changed.etag}).expect(204)
    client.get(f"{path}/A7").expect(404)
    client.get("/v1/robots/nobody/parts").expect(404)
    assert client.post(path, part).expect(201).etag != made.etag
    client.delete(f"{path}/A7", headers={"If-Match": "*"}).expect(204)


def test_a_part_is_made_once_for_each_key(client, arm):
    path, key = f"/v1/robots/{arm[0]}/parts", {"Idempotency-Key": unique_name("key")}
    part = {"name": "once", "payload": {"mass": 1}}
    first = client.post(path, part, headers=key).expect(201)
    again = client.post(path, part, headers=key).expect(201)
    assert again.json == first.json and again.headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("part, pointer", [
    ({"name": "A 7", "payload": {"mass": 1}}, "/name"), ({"name": "A7"}, "/payload"), ({"payload": {"mass": 1}}, "/name"),
    ({"name": "A7", "payload": {"mass": -1}}, "/payload/mass"), ({"name": "A7", "payload": {"mass": 1}, "colour": "red"}, "/colour"),
    ({"name": "A7", "payload": {"mass": 1, "inertia": {"xx": 1, "yy": 0, "zz": 0}}}, "/payload/inertia")])
def test_what_is_no_part(client, arm, part, pointer):
    assert pointer in [fault["pointer"] for fault in client.post(f"/v1/robots/{arm[0]}/parts", part).expect(422).json["errors"]]


def test_a_part_is_carried_by_name(client, arm):
    bare = arm[0]
    client.post(f"/v1/robots/{bare}/parts", {"name": "Casting-3", "payload": LOAD, "tool": TOOL}).expect(201)
    named = plan(client, bare, part="Casting-3", gravity=TILTED)
    spelt = plan(client, bare, payload=LOAD, tool=TOOL, gravity=TILTED)
    assert named["conditions"] == {"part": "Casting-3", **spelt["conditions"]}
    assert samples(client, named) == samples(client, spelt)
    # what is kept of the request is what it was computed from: the part may change
    assert named["request"]["part"] == {"name": "Casting-3", "payload": LOAD, "tool": TOOL}
    etag = client.get(f"/v1/robots/{bare}/parts/Casting-3").etag
    client.put(f"/v1/robots/{bare}/parts/Casting-3", {"name": "Casting-3", "payload": {"mass": 9}}, headers={"If-Match": etag}).expect(200)
    again = client.result_of(f"/v1/robots/{bare}/trajectories", named["request"])
    assert samples(client, again) == samples(client, named)
    assert plan(client, bare, part="Casting-3")["conditions"]["payload"]["mass"] == 9


@pytest.mark.parametrize("said, pointer", [
    ({"part": "none-such"}, "/part"), ({"part": 7}, "/part"), ({"part": "a b"}, "/part"),
    ({"part": {"name": "X"}}, "/part/payload"), ({"part": {"name": "X", "payload": {"mass": 1}}, "payload": LOAD}, "/payload"),
    ({"part": {"name": "X", "payload": {"mass": 1}, "tool": TOOL}, "tool": TOOL}, "/tool"),
    ({"payload": {"mass": -2}}, "/payload/mass"), ({"gravity": [0, 0]}, "/gravity")])
@pytest.mark.parametrize("jobs, request_", [
    ("trajectories", MOVE), ("simulations", {"q": [0] * 6, "duration": 0.01}), ("excitations", {"duration": 2}), ("friction-tests", {})])
def test_what_cannot_be_carried(client, arm, said, pointer, jobs, request_):
    faults = client.post(f"/v1/robots/{arm[0]}/{jobs}", {**request_, **said}).expect(422).json["errors"]
    assert pointer in [fault["pointer"] for fault in faults]


def test_simulations_carry_it_and_what_they_follow_brings_its_own(client, arm):
    bare, heavy = arm
    fall = {"q": [0.1, -0.2, 0.3, 0, 0.2, 0], "duration": 0.2, "friction": False}
    one = client.result_of(f"/v1/robots/{bare}/simulations", {**fall, "payload": LOAD, "tool": TOOL, "gravity": TILTED})
    other = client.result_of(f"/v1/robots/{heavy}/simulations", fall)
    for at in ("start", "end"):
        for figure in ("kinetic", "potential"):
            assert one[at][figure] == pytest.approx(other[at][figure], rel=1e-9, abs=1e-9)
    motion = plan(client, bare, payload=LOAD, tool=TOOL, gravity=TILTED)
    followed = client.result_of(f"/v1/robots/{bare}/simulations", {"trajectory": motion["id"]})
    assert followed["conditions"] == motion["conditions"]
    told = client.result_of(f"/v1/robots/{bare}/simulations", {"trajectory": motion["id"], "payload": {"mass": 0}})
    assert told["conditions"]["payload"]["mass"] == 0
    assert followed["tracking"]["peak_torque"] != told["tracking"]["peak_torque"]


def test_excitations_and_friction_tests_carry_it(client, arm):
    for jobs, request in (("excitations", {"duration": 2, "population": 8, "generations": 4}), ("friction-tests", {"speeds": 3, "joints": [robot("puma560")["joints"][0]["name"]], "cruise": 0.3})):
        one = client.result_of(f"/v1/robots/{arm[0]}/{jobs}", {**request, "payload": LOAD})
        plain = client.result_of(f"/v1/robots/{arm[0]}/{jobs}", request)
        assert one["conditions"] == {"payload": LOAD} and "conditions" not in plain
        torques = [client.get(f"/v1/{jobs}/{r['id']}/samples", query={"rate": 50}).expect(200).json["tau"] for r in (one, plain)]
        assert torques[0] != torques[1]


def test_the_report_tells_it(client, arm):
    motion = plan(client, arm[0], payload=LOAD)
    page, _ = spoken(client, f"/v1/trajectories/{motion['id']}/report")
    assert "carries 1.7 kg" in page
