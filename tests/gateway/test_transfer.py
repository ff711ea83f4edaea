"""Transfers from the trajectory to the arm: a real server, its gateway, and a controller that checks everything."""

import json
import struct
import zlib

import pytest

from blocks import Blocks
from cell import (FAULT, GOAL, LONG, ZERO, Cell, asleep, cell, float32, play_index, puma, registers, simulated, soon,
                  state_and_error, summary, trace)
from foreign.process import Foreign
from support import Server, robot, unique_name, until


@pytest.fixture
def here(shared):
    with puma() as sim:
        yield Cell(shared, sim)


def played(here):
    summary(here.sim)
    return trace(here.sim.trace_path)


def expected(samples):
    """What should be played: position and torque of every axis, as float32."""
    return [[float32(x) for pair in zip(q, tau) for x in pair] for q, tau in zip(samples["q"], samples["tau"])]


def arrives(here, goal):
    """The simulated arm settles where friction holds it against its position loop; its time waits when the machine is busy."""
    until(lambda: max(abs(a - b) for a, b in zip(here.status()["position"], goal)) < 3e-3, what=f"to arrive at {goal}")


# ---------------------------------------------------------------- the whole way

def test_the_simulator_says_that_it_is_one(here):
    assert here.status()["source"] == "simulator"


def test_what_is_played_is_the_trajectory_bit_for_bit(here):
    motion = here.trajectory()
    transfer = here.playing(motion)
    end = here.reach(transfer, "done")
    assert [step["state"] for step in end["history"]] == ["queued", "connecting", "loading", "ready", "armed", "playing", "done"]
    assert end["sent"] == end["total"] == 801 and end["problem"] is None
    assert end["started_at"] and end["finished_at"] > end["started_at"] > end["created_at"]
    arrives(here, GOAL)  # forward dynamics with friction, under torque feed-forward and a position loop
    assert played(here) == expected(here.samples(motion))
    assert summary(here.sim)["starts"] == 1


def test_the_trace_of_its_request_goes_with_it(here):
    known = "4bf92f3577b34da6a3ce929d0e0e4736"
    transfer = here.transfer(here.trajectory(), headers={"traceparent": f"00-{known}-00f067aa0ba902b7-01"}).expect(202).json["id"]
    here.reach(transfer, "ready")
    assert here.get(transfer)["traceparent"].split("-")[1] == known
    here.client.post(f"/v1/transfers/{transfer}/stop").expect(200, 202)
    here.reach(transfer, "stopped")

    def lines(message):
        return [json.loads(line) for line in here.server.log(1 << 20).splitlines() if f'"message":"{message}"' in line and transfer in line]
    (end,) = until(lambda: lines("transfer ended"))
    until(lambda: len(lines("gateway")) == 4)  # the process that speaks to controllers
    assert [line["state"] for line in lines("gateway")] == ["connecting", "loading", "ready", "stopped"]
    assert {line["trace"] for line in [end, *lines("gateway")]} == {known} and lines("gateway")[-1]["reason"] == "stopped on request"


@pytest.mark.sampled
@pytest.mark.same_threads
@pytest.mark.parametrize("rate", [125, 500, 2000])
def test_another_rate_samples_the_motion_anew(here, rate):
    motion = here.trajectory(duration=0.6)
    here.reach(here.playing(motion, rate=rate), "done")
    assert played(here) == expected(here.samples(motion, rate=rate))


def test_the_last_sample_is_padded_to_the_grid_with_the_rest_state(here):
    goal = {"q": [0.02, 0.02, 0.02, 0.02, 0.02, 0.02]}
    motion = here.trajectory(duration=0.6005, method="cubic", goal=goal)  # a cubic ends with an acceleration
    here.reach(here.playing(motion), "done")
    rows, samples = played(here), here.samples(motion)
    assert len(rows) == 602 and rows[:-1] == expected(samples)[:-1]
    rest = here.client.post(f"/v1/robots/{here.robot}/inverse-dynamics",
                            {"q": samples["q"][-1], "qd": ZERO, "qdd": ZERO}).expect(200).json["tau"]
    assert rows[-1] == expected({"q": [samples["q"][-1]], "tau": [rest]})[0]
    assert rows[-1] != expected(samples)[-1]


@pytest.mark.same_threads
def test_torque_formats(shared):
    for format, unit in (("torque", None), ("torque_permille", 1e-3)):
        with puma() as sim:
            here = Cell(shared, sim, allow_torque_only=True)
            motion = here.trajectory(duration=0.6, goal={"q": [0.05] * 6})
            here.reach(here.playing(motion, format=format), "done")
            rated = [joint["limits"]["torque"] for joint in here.model["joints"]]
            rows, samples = played(here), here.samples(motion)
            assert len(rows) == len(samples["tau"]) == 601
            for row, taus in zip(rows, samples["tau"]):
                for torque, tau, most in zip(row, taus, rated):
                    if unit:
                        assert abs(torque - tau) <= 0.5001 * unit * most
                    else:
                        assert torque == float32(tau)


@pytest.mark.same_threads
def test_axes_are_mapped(shared):
    """Swapped axes, other signs, scales and offsets, torque on the motor side: the words are those of the formula."""
    model = robot("puma560")
    axes = [{"joint": joint["name"], "axis": 6 - j, "sign": (-1) ** j, "position_scale": 1 + j, "position_offset": j / 8,
             "torque_side": "motor" if j % 2 else "joint",
             "rated_torque": joint["limits"]["torque"]} for j, joint in enumerate(model["joints"])]
    with simulated("--axes", 6) as sim:
        here = Cell(shared, sim, model, axes=axes)
        motion = here.trajectory(duration=0.6)
        here.reach(here.playing(motion), "done")
        arrives(here, GOAL)  # positions come back in joint order and units
        rows, samples = played(here), here.samples(motion)
        for row, q, tau in zip(rows, samples["q"], samples["tau"], strict=True):
            for j, axis in enumerate(axes):
                a = axis["axis"] - 1
                ratio = model["joints"][j]["drive"]["gear_ratio"] if axis["torque_side"] == "motor" else 1
                position = axis["sign"] * axis["position_scale"] * q[j] + axis["position_offset"]
                assert row[2 * a] == pytest.approx(position, rel=1e-6, abs=1e-7)
                assert row[2 * a + 1] == pytest.approx(axis["sign"] * tau[j] / ratio, rel=1e-6, abs=1e-7)


def test_start_true_arms_and_starts_by_itself(here):
    motion = here.trajectory(duration=0.6)
    assert here.transfer(motion, start=True, start_before=soon()).status == 400  # motion needs a key
    assert here.transfer(motion, start=True, headers={"Idempotency-Key": "a"}).status == 422  # and a last moment
    headers = {"Idempotency-Key": unique_name()}
    first = here.transfer(motion, start=True, start_before=soon(), headers=headers).expect(202)
    here.reach(first.json["id"], "done")
    assert summary(here.sim)["starts"] == 1


def test_start_within_counts_from_ready(here):
    """Half a second is over before it is loaded, were it counted from the request."""
    motion = here.trajectory(duration=0.6)
    headers = {"Idempotency-Key": unique_name()}
    first = here.transfer(motion, start=True, start_within=30, headers=headers).expect(202)
    again = here.transfer(motion, start=True, start_within=30, headers=headers).expect(202)  # the same body, however late
    assert again.json["id"] == first.json["id"] and again.json["request"]["start_within"] == 30
    here.reach(first.json["id"], "done")
    for wrong in (0, -1, 60.5):
        answer = here.transfer(motion, start=True, start_within=wrong, headers={"Idempotency-Key": unique_name()})
        assert answer.expect(422).json["errors"][0]["pointer"] == "/start_within"
    answer = here.transfer(motion, start=True, start_within=30, start_before=soon(-1), headers={"Idempotency-Key": unique_name()})
    assert answer.expect(409).json["type"] == "/problems/start-expired"  # both hold
    assert summary(here.sim)["starts"] == 1


def test_a_start_within_of_the_command_counts_from_the_command(here):
    transfer = here.loaded(here.trajectory(duration=0.6))
    here.arm(transfer)
    path, headers = f"/v1/transfers/{transfer}/start", {"Idempotency-Key": unique_name()}
    assert here.client.post(path, {}, headers=headers).expect(422).json["errors"][0]["code"] == "required"
    for body, pointer in (({"start_within": 61}, "/start_within"), ({"start_within": 30, "start_before": soon(70)}, "/start_before")):
        assert here.client.post(path, body, headers=headers).expect(422).json["errors"][0]["pointer"] == pointer
    first = here.client.post(path, {"start_within": 30}, headers=headers).expect(202)
    again = here.client.post(path, {"start_within": 30}, headers=headers).expect(202)
    assert "Idempotency-Replayed" not in first.headers and again.headers["Idempotency-Replayed"] == "true"
    here.reach(transfer, "done")
    assert summary(here.sim)["starts"] == 1


def test_what_is_not_started_within_fails(shared):
    """ARM and START take some round trips, and a controller's clock is watched first: no millisecond is enough."""
    with puma("--position", "0,0,0,0,0,0") as sim:
        here = Cell(shared, sim)
        answer = here.transfer(here.trajectory(), start=True, start_within=0.001, headers={"Idempotency-Key": unique_name()})
        end = here.reach(answer.expect(202).json["id"], "failed")
        assert end["problem"]["type"] == "/problems/start-expired" and "start_within" in end["problem"]["detail"]
        assert "ready" in [step["state"] for step in end["history"]]
        assert summary(sim)["starts"] == 0


def test_hold_and_resume(here):
    motion = here.trajectory(duration=2)
    transfer = here.playing(motion)
    here.client.post(f"/v1/transfers/{transfer}/hold").expect(202)
    here.reach(transfer, "holding")
    assert here.client.post(f"/v1/transfers/{transfer}/resume").status == 400  # it moves the arm: a key
    here.client.post(f"/v1/transfers/{transfer}/resume", headers={"Idempotency-Key": unique_name()}).expect(202)
    here.reach(transfer, "done")
    arrives(here, GOAL)


# ---------------------------------------------------------------- refusals: the controller sees no write

def refused(here, answer, status, slug):
    assert answer.status == status, answer
    assert answer.json["type"] == f"/problems/{slug}", answer
    assert summary(here.sim)["registers_written"] == 0
    return answer.json


def test_a_torque_above_the_limit_names_sample_and_axis(shared):
    with puma() as sim:
        limits = [joint["limits"]["torque"] for joint in robot("puma560")["joints"]]
        here = Cell(shared, sim)
        motion = here.trajectory()
        taus = [row[1] for row in here.samples(motion)["tau"]]
        most = 0.9 * max(map(abs, taus))
        document = here.client.get(f"/v1/controllers/{here.name}")
        document.json["profile"]["limits"] = {"torque": [limits[0], most, *limits[2:]]}
        here.client.put(f"/v1/controllers/{here.name}", document.json, headers={"If-Match": document.etag}).expect(200)
        problem = refused(here, here.transfer(motion), 422, "limit-exceeded")
        over = [k for k, tau in enumerate(taus) if float32(tau) > most * (1 + 1e-6) or -float32(tau) > most * (1 + 1e-6)]
        assert problem["error_count"] == len(over)
        assert [(e["row"], e["column"]) for e in problem["errors"]] == [(k, 1) for k in over[:100]]
        assert "axis 2" in problem["errors"][0]["detail"] and f"sample {over[0]}" in problem["errors"][0]["detail"]


def test_rated_torque_is_a_limit(shared):
    with puma() as sim:
        model = robot("puma560")
        axes = [{"joint": joint["name"], "axis": j + 1, "rated_torque": 0.01 if j == 2 else 500}
                for j, joint in enumerate(model["joints"])]
        here = Cell(shared, sim, axes=axes)
        problem = refused(here, here.transfer(here.trajectory()), 422, "limit-exceeded")
        assert {e["column"] for e in problem["errors"]} == {2}


def test_a_torque_rate_above_the_limit(shared):
    with puma() as sim:
        here = Cell(shared, sim, limits={"torque_rate": [5000, 1, 5000, 5000, 5000, 5000]})
        problem = refused(here, here.transfer(here.trajectory()), 422, "limit-exceeded")
        assert {e["column"] for e in problem["errors"]} == {1} and "rate" in problem["errors"][0]["detail"]


def test_another_revision(shared):
    with puma() as sim:
        here = Cell(shared, sim)
        motion = here.trajectory()
        model = here.client.get(f"/v1/robots/{here.robot}")
        here.client.put(f"/v1/robots/{here.robot}", {**here.model, "description": "changed"},
                        query={"allow_unphysical": "true"}, headers={"If-Match": model.etag}).expect(200)
        refused(here, here.transfer(motion), 422, "revision-mismatch")


def test_a_revision_may_differ_where_the_profile_says_so(shared):
    with puma() as sim:
        here = Cell(shared, sim, allow_revision_mismatch=True)
        motion = here.trajectory()
        model = here.client.get(f"/v1/robots/{here.robot}")
        here.client.put(f"/v1/robots/{here.robot}", {**here.model, "description": "changed"},
                        query={"allow_unphysical": "true"}, headers={"If-Match": model.etag}).expect(200)
        here.loaded(motion)


@pytest.mark.parametrize("change", [lambda joints: joints[:5], lambda joints: [*joints[1:], joints[0]],
                                    lambda joints: [{**joints[0], "type": "prismatic"}, *joints[1:]]],
                         ids=["one less", "another order", "another type"])
def test_revisions_with_other_joints_never_go_together(shared, change):
    """Axes are found by the joints of one revision, what they are sent by those of the other."""
    with puma() as sim:
        here = Cell(shared, sim, allow_revision_mismatch=True)
        motion = here.trajectory()
        model = here.client.get(f"/v1/robots/{here.robot}")
        here.client.put(f"/v1/robots/{here.robot}", {**here.model, "joints": change(here.model["joints"])},
                        query={"allow_unphysical": "true"}, headers={"If-Match": model.etag}).expect(200)
        problem = refused(here, here.transfer(motion), 422, "revision-mismatch")
        assert "other joints" in problem["detail"]


def test_what_is_not_transferable(shared):
    with puma() as sim:
        here = Cell(shared, sim)
        problem = refused(here, here.transfer(here.trajectory(limits={"torque": None})), 422, "invalid")
        assert problem["errors"][0]["pointer"] == "/trajectory"


@pytest.mark.parametrize("request_, pointer", [
    ({"mode": "magic"}, "/mode"), ({"format": "torque"}, "/format"), ({"format": "magic"}, "/format"),
    ({"rate": 300}, "/rate"), ({"rate": 20000}, "/rate"), ({"rate": 0}, "/rate"), ({"colour": 1}, "/colour"),
    ({"trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/trajectory"), ({"start_before": "tomorrow"}, "/start_before"),
])
@pytest.mark.same_threads
def test_wrong_requests(here, request_, pointer):
    motion = {} if "trajectory" in request_ else {"trajectory": here.trajectory()}
    answer = here.client.post(f"/v1/controllers/{here.name}/transfers", {**motion, **request_})
    assert refused(here, answer, 422, "invalid")["errors"][0]["pointer"] == pointer


def test_start_is_guarded(shared):
    with puma() as sim:
        here = Cell(shared, sim, allow_start=False)
        motion = here.trajectory()
        answer = here.transfer(motion, start=True, start_before=soon(), headers={"Idempotency-Key": unique_name()})
        assert answer.status == 409 and "allow_start" in answer.json["detail"]
        transfer = here.loaded(motion)
        assert here.start(transfer).status == 409  # not armed
        here.client.post(f"/v1/transfers/{transfer}/arm").expect(202)
        answer = here.start(transfer)
        assert answer.status == 409 and "allow_start" in answer.json["detail"]
        assert here.client.post(f"/v1/transfers/{transfer}/start", {"start_before": soon()}).status == 400
        assert summary(sim)["starts"] == 0


def test_start_is_sent_once_for_ever(here):
    transfer = here.loaded(here.trajectory())
    here.client.post(f"/v1/transfers/{transfer}/arm").expect(202)
    assert here.start(transfer, seconds=70).json["errors"][0]["pointer"] == "/start_before"
    assert here.start(transfer, seconds=-1).json["type"] == "/problems/start-expired"
    body, headers = {"start_before": soon()}, {"Idempotency-Key": unique_name()}
    path = f"/v1/transfers/{transfer}/start"
    first = here.client.post(path, body, headers=headers).expect(202)
    again = here.client.post(path, body, headers=headers).expect(202)
    assert "Idempotency-Replayed" not in first.headers and again.headers["Idempotency-Replayed"] == "true"
    assert here.client.post(path, {"start_before": soon(30)}, headers=headers).status == 422
    assert here.start(transfer).status == 409
    here.reach(transfer, "done")
    assert here.client.post(path, body, headers=headers).json["state"] == "done"
    assert summary(here.sim)["starts"] == 1


@pytest.mark.same_threads
def test_a_start_that_comes_too_late_fails_the_transfer(shared):
    with puma("--fault", "delay:1", "--position", "0,0,0,0,0,0") as sim:  # so slow that loading takes 10 s
        here = Cell(shared, sim)
        answer = here.transfer(here.trajectory(), start=True, start_before=soon(3), headers={"Idempotency-Key": unique_name()})
        end = here.reach(answer.expect(202).json["id"], "failed")
        assert end["problem"]["type"] == "/problems/start-expired"
        assert summary(sim)["starts"] == 0


@pytest.mark.slow
def test_who_hears_of_an_end_may_send_the_next_one_at_once(shared):
    """Though the gateway still looks at the controller for the last time, which takes as long as its answers do."""
    with puma("--fault", "delay:1", "--position", "0,0,0,0,0,0") as sim:
        here = Cell(shared, sim)
        ways = [here.trajectory(start={"q": a}, goal={"q": b}, sample_rate=50) for a, b in ((ZERO, GOAL), (GOAL, ZERO))]
        for motion in ways:
            answer = here.transfer(motion, start=True, start_before=soon(), headers={"Idempotency-Key": unique_name()})
            here.reach(answer.expect(202).json["id"], "done")
        assert summary(sim)["starts"] == 2


def test_an_arm_elsewhere_is_not_armed(shared):
    with puma("--position", "0,0,0.1,0,0,0") as sim:
        here = Cell(shared, sim)
        transfer = here.loaded(here.trajectory())
        answer = here.client.post(f"/v1/transfers/{transfer}/arm")
        assert answer.status == 409 and answer.json["type"] == "/problems/controller-refused"
        assert "axis 3" in answer.json["detail"]
        assert here.get(transfer)["state"] == "ready"


def test_a_controller_has_one_transfer_at_a_time(here):
    motion = here.trajectory()
    transfer = here.loaded(motion)
    other = {**here.document(), "name": unique_name("cell")}  # another name for the same place
    here.client.post("/v1/controllers", other).expect(201)
    for name in (here.name, other["name"]):
        answer = here.client.post(f"/v1/controllers/{name}/transfers", {"trajectory": motion})
        assert answer.status == 409 and answer.json["type"] == "/problems/lease-held" and transfer in answer.json["detail"]
    assert here.status()["lease"] == transfer
    etag = here.client.get(f"/v1/controllers/{here.name}").etag
    assert here.client.delete(f"/v1/controllers/{here.name}", headers={"If-Match": etag}).status == 409
    assert here.client.post(f"/v1/transfers/{transfer}/stop").expect(200).json["confirmed"] is True
    assert here.get(transfer)["state"] == "stopped" and here.status()["lease"] is None
    here.loaded(motion)


# ---------------------------------------------------------------- stop

def test_stop_while_playing(here):
    transfer = here.playing(here.trajectory(duration=20))
    until(lambda: play_index(here.sim.port) > 300, LONG, what="a part of the motion")
    answer = here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
    assert answer.json["confirmed"] is True and answer.json["controller_state"] == "empty"
    assert here.reach(transfer, "stopped")["finished_at"]
    told = summary(here.sim)
    assert 300 < told["samples_played"] < 20001
    assert 0 < told["position"][0] < GOAL[0]


def test_stop_of_a_controller_needs_no_transfer(here):
    assert here.client.post(f"/v1/controllers/{here.name}/stop").expect(200).json == {
        "confirmed": True, "controller_state": "empty", "detail": "the controller confirmed that nothing moves"}
    transfer = here.playing(here.trajectory(duration=20))
    assert here.client.post(f"/v1/controllers/{here.name}/stop").expect(200).json["confirmed"] is True
    assert here.get(transfer)["state"] == "stopped"
    assert here.client.post("/v1/controllers/nobody/stop").status == 404


def test_stop_of_every_controller():
    with Server() as server, puma() as first, puma() as second, puma() as gone:
        cells = [Cell(server, sim) for sim in (first, second, gone)]
        transfers = [one.playing(one.trajectory(duration=20)) for one in cells[:2]]
        gone.terminate()
        answer = cells[0].client.post("/v1/controllers/stop").expect(200).json
        told = {one["name"]: one for one in answer["controllers"]}
        assert [one["name"] for one in answer["controllers"]] == sorted(one.name for one in cells)
        assert [told[one.name]["confirmed"] for one in cells] == [True, True, False]
        assert "emergency stop" in told[cells[2].name]["detail"]
        assert (answer["confirmed"], answer["confirmed_count"], answer["count"]) == (False, 2, 3)
        for one, transfer in zip(cells, transfers):
            assert one.get(transfer)["state"] == "stopped"
        other = {**cells[0].client.get(f"/v1/controllers/{cells[0].name}").json, "name": "stop"}
        assert cells[0].client.post("/v1/controllers", other).expect(422).json["errors"][0]["pointer"] == "/name"


def test_stop_of_every_controller_is_one_for_each_block_of_registers(shared):
    """Twenty entries of one controller: one STOP, which all of them tell of. Another base is another controller."""
    with Foreign() as controller:
        here = Cell(shared, controller)
        names = [here.name] + [f"{here.name}-{k}" for k in range(20)]
        for name in names[1:]:
            here.client.post("/v1/controllers", here.document(name=name, host="localhost")).expect(201)
        other = f"{here.name}-base"
        here.client.post("/v1/controllers", here.document(name=other, profile={"protocol": "armdyn-v2", "base": 20000})).expect(201)
        told = {one["name"]: one for one in here.client.post("/v1/controllers/stop").expect(200).json["controllers"]}
        assert all(told[name]["confirmed"] for name in names), told
        assert not told[other]["confirmed"]
        assert controller.ledger()["commands"]["STOP"] == 1


@pytest.mark.slow
def test_two_arms_at_one_address_are_two(shared):
    """Each has its block of registers: what is asked of one never reaches the other, and what is seen of one is not told of the other."""
    with Foreign() as first, Foreign("--base", 20000) as second, Blocks({1000: first.port, 20000: second.port}) as plc:
        here = Cell(shared, plc)
        other = f"{here.name}-other"
        here.client.post("/v1/controllers", here.document(name=other, profile={**here.profile, "base": 20000})).expect(201)
        motion = here.trajectory(duration=20)
        transfer = here.playing(motion)
        assert here.client.get(f"/v1/controllers/{other}/status").expect(200).json["state"] == "empty"
        assert here.client.post(f"/v1/controllers/{other}/transfers", {"trajectory": motion}).status == 409  # one lease
        stopped = here.client.post(f"/v1/controllers/{other}/stop").expect(200).json
        assert stopped["confirmed"] and stopped["controller_state"] == "empty"
        assert here.get(transfer)["state"] == "playing" and here.status()["state"] == "playing"
        here.client.delete(f"/v1/controllers/{other}/lease").expect(200)
        assert here.get(transfer)["state"] == "stopped"
        told = first.ledger(), second.ledger()
        assert [one["commands"].get("STOP", 0) > 0 for one in told] == [True, True]
        assert [len(one["motions"]) for one in told] == [1, 0] and "BEGIN" not in told[1]["commands"]


def test_stop_that_nobody_confirms_says_so(shared):
    with puma() as sim:
        here = Cell(shared, sim)
        sim.terminate()
        answer = here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)
        assert answer.json["confirmed"] is False and "emergency stop" in answer.json["detail"]
        assert here.status()["connected"] is False


# ---------------------------------------------------------------- what may go wrong

@pytest.mark.same_threads
@pytest.mark.sampled
@pytest.mark.parametrize("fault", ["drop:15", "exception:20", "delay:40", "late:60"])
def test_a_bad_link_does_not_change_a_bit(shared, fault):
    with puma("--fault", fault) as sim:
        here = Cell(shared, sim)
        motion = here.trajectory(duration=0.6)
        transfer = here.loaded(motion)
        assert here.get(transfer)["sent"] == 601
        if fault.startswith("delay"):
            here.client.post(f"/v1/transfers/{transfer}/arm").expect(202)
            here.start(transfer).expect(202)
            here.reach(transfer, "done")
            assert played(here) == expected(here.samples(motion))
        assert summary(sim)["profiles"] == 1  # it was resumed, not begun anew


def test_a_controller_that_restarts_is_loaded_anew(shared):
    with puma("--fault", "restart:40") as sim:
        here = Cell(shared, sim)
        motion = here.trajectory()
        here.reach(here.playing(motion), "done")
        assert played(here) == expected(here.samples(motion))
        assert summary(sim)["profiles"] == 2


def test_a_wrong_crc_is_never_ready(shared):
    with puma("--fault", "crc") as sim:
        here = Cell(shared, sim)
        end = here.reach(here.transfer(here.trajectory()).expect(202).json["id"], "failed")
        assert end["problem"]["type"] == "/problems/controller-refused" and "CRC-32" in end["problem"]["detail"]


def test_a_silent_controller_fails_in_time(shared):
    with puma("--fault", "silent") as silent:
        mute = Cell(shared, silent, connect_deadline=1)
        end = mute.reach(mute.transfer(mute.trajectory()).expect(202).json["id"], "failed")
        assert end["problem"]["type"] == "/problems/controller-unreachable"


def test_a_silent_controller_delays_nobody(shared):
    """Another one is loaded while this one is still waited for."""
    with puma("--fault", "silent") as silent, puma() as other:
        mute, here = Cell(shared, silent, connect_deadline=60), Cell(shared, other)
        waits, motion = mute.trajectory(), here.trajectory()
        stuck = mute.transfer(waits).expect(202).json["id"]
        mute.reach(stuck, "connecting")
        transfer = here.loaded(motion)
        assert mute.get(stuck)["state"] == "connecting"
        mute.client.post(f"/v1/transfers/{stuck}/stop").expect(200)
        assert mute.get(stuck)["state"] == "stopped" and here.get(transfer)["state"] == "ready"


def test_a_lost_heartbeat_is_a_fault_that_must_be_cleared():
    with cell(server_flags=("--child-silence", 600)) as here:
        transfer = here.playing(here.trajectory(duration=20))
        with asleep(here.server):
            until(lambda: state_and_error(here.sim.port) == (FAULT, 9), LONG, what="a fault of the controller")
        assert play_index(here.sim.port) < 20000
        end = here.reach(transfer, "failed")
        assert "heartbeat" in end["problem"]["detail"]
        again = here.reach(here.transfer(here.trajectory()).expect(202).json["id"], "failed")
        assert "fault" in again["problem"]["detail"]
        assert here.client.post(f"/v1/controllers/{here.name}/clear").expect(200).json["state"] == "empty"


# ---------------------------------------------------------------- the registers, by hand

def test_the_registers_hold_what_the_page_says(here):
    motion = here.trajectory()
    transfer = here.loaded(motion)
    identity = registers(here.sim.port, 1000, 11)
    assert identity[:3] == (0xA5D1, 2, 6) and identity[5:7] == (118, 0xCF07) and identity[10] == 8
    assert struct.unpack(">f", struct.pack(">HH", *identity[7:9]))[0] == float32(12345.678)
    command = registers(here.sim.port, 1020, 40)
    data = b"".join(struct.pack(">f", x) for row in expected(here.samples(motion)) for x in row)
    assert command[:2] == (2, 0) and command[4:8] == (0, 801, 0, 1000)  # COMMIT, samples, microseconds
    assert command[8:12] == (3, 0b111111, 1, 1) and command[2:4] != (0, 0)
    crc = zlib.crc32(data)
    assert command[12:14] == (crc >> 16, crc & 0xFFFF)
    check = zlib.crc32(struct.pack(">39H", identity[9], *command[:16], *command[18:]))  # over what the page says
    assert command[16:18] == (check >> 16, check & 0xFFFF)
    state = registers(here.sim.port, 1060, 20)
    assert state[0] == command[19] and state[18:20] == command[16:18]  # the number and the check word acknowledged
    assert state[1:3] == (2, 0) and state[3:5] == (0, 801)   # READY, no error, next offset
    assert state[10:12] == (crc >> 16, crc & 0xFFFF) and state[12:14] == command[2:4]
    before = registers(here.sim.port, 1011, 3)
    assert before[1:] == command[2:4]
    until(lambda: registers(here.sim.port, 1011, 1)[0] != before[0], LONG, what="a heartbeat")
    assert here.get(transfer)["state"] == "ready"
