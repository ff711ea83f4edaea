"""Outputs of the controller within a motion: a gripper closes while the arm rests, or the arm moves no farther. What was asked of the
gripper, what it became and where the motion was then is told by the foreign controller's ledger."""

import os
import signal

import pytest

from cell import LONG, asleep, cell, state_and_error, summary
from foreign.process import Foreign
from foreign.words import FAULT
from gripping import CLOSED, OPEN, REST, moments, move, moved_on_wrongly, outputs, rest
from ordering import HERE, THERE, Ordering
from support import Server, unique_name, until
from test_order_steps import order_of, reasons
from test_register_map import N, Bank, arm, controller, plain_map, reach, send  # pylint: disable=unused-import

pytestmark = pytest.mark.slow

CYCLE = [move(THERE), rest(CLOSED), move(HERE), rest(OPEN)]
REST_BEGINS, REST_ENDS = 0.15, 0.15 + REST


def gripping(server, foreign, **profile):
    return Ordering(server, foreign, map=outputs(), **profile)


@pytest.fixture
def here(server):
    with Foreign("--axes", 4, "--gripper", 60) as foreign:
        yield gripping(server, foreign)


def test_it_closes_and_opens_where_the_arm_rests(here):
    done = here.reach_order(order_of(here, *CYCLE), "done")
    assert [step["output"] for step in done["plan"]["steps"]] == [None, CLOSED, None, OPEN]
    assert "output 'gripper' is 'closed', confirmed " in reasons(done) and "output 'gripper' is 'open', confirmed " in reasons(done)
    transfer = here.client.get(done["transfer"]).expect(200).json
    assert [(one["value"], one["begins_at"], one["dwell"]) for one in transfer["request"]["outputs"]] == [
        ("closed", pytest.approx(REST_BEGINS), REST), ("open", pytest.approx(2 * REST_BEGINS + REST), REST)]
    again = here.reach_order(order_of(here, *CYCLE[:3]), "done")  # its plan is another one's
    assert [step["output"] for step in again["plan"]["steps"]] == [None, CLOSED, None]
    told = here.sim.ledger()
    assert [motion["end"] for motion in told["motions"]] == ["whole", "whole"]
    assert not any(moved_on_wrongly(told, motion, steps) for motion, steps in zip(told["motions"], (CYCLE, CYCLE[:3])))
    for what in ("asked", "became"):
        (closed, first), (opened, second), (closed_again, third) = moments(told, what)  # each once
        assert (closed, opened, closed_again) == (1, 0, 1)
        assert REST_BEGINS <= first <= REST_ENDS and REST_BEGINS <= third <= REST_ENDS
        assert second is None or second >= 2 * REST_BEGINS + REST


def test_what_is_not_confirmed_stops_the_arm_where_it_rests(server):
    with Foreign("--axes", 4, "--gripper", -1) as foreign:
        here = gripping(server, foreign)
        failed = here.reach_order(order_of(here, *CYCLE), "failed")
        assert "output 'gripper' was set and is not 'closed' before the arm was to move on" in failed["problem"]["detail"]
        here.blocked("failed")
        told = foreign.ledger()
        (motion,) = told["motions"]
        assert motion["end"] == "rested" and motion["path"] <= REST_ENDS
        assert [value for value, _ in moments(told, "asked")] == [1]


def test_a_hold_before_it_changes_nothing_of_it(here):
    order = order_of(here, move(THERE, 0.5), rest(CLOSED), move(HERE))
    here.reach_order(order, "running")
    here.say(order, "hold")
    here.reach_order(order, "held")
    here.say(order, "resume")
    here.reach_order(order, "done")
    told = here.sim.ledger()
    ((value, when),) = moments(told, "asked")
    assert value == 1 and 0.5 <= when <= 0.5 + REST


@pytest.mark.parametrize("lost", ["gateway", "both"])
def test_who_loses_its_gateway_does_not_move_on(lost):
    """The next gateway sends STOP, long before the controller's own watch over the heartbeat ends or the motion goes on."""
    with Server() as server, Foreign("--axes", 4, "--gripper", -1) as foreign:
        here = gripping(server, foreign)
        order = order_of(here, move(THERE), rest(CLOSED, 8), move(HERE))
        here.reach_order(order, "running")
        gateways = server.children("gateway")
        if lost == "both":
            for gateway in gateways:
                os.kill(gateway, signal.SIGSTOP)  # it leaves no word
            server.kill()
        for gateway in gateways:
            os.kill(gateway, signal.SIGKILL)
        if lost == "both":
            server.restart()
            here.client = server.client()
        ended = here.reach_order(order, "interrupted")
        until(lambda: here.status()["state"] in ("empty", "fault"), LONG, what="an arm at rest")
        assert lost == "gateway" or "nobody sets its outputs" in ended["problem"]["detail"]
        told = foreign.ledger()
        (motion,) = told["motions"]
        assert motion["end"] == "rested" and motion["path"] < 0.15 + 8 and told["commands"]["STOP"]


def test_a_gateway_that_sleeps_through_the_rest_sets_nothing_in_motion(here):
    """Its heartbeat is missed by the controller, which stops by itself; a while may pass until then."""
    order = order_of(here, move(THERE), rest(CLOSED, 3), move(HERE))
    here.reach_order(order, "running")
    with asleep(here.server):
        until(lambda: state_and_error(here.sim.port)[0] == FAULT, LONG, what="a controller that misses its heartbeat")
    here.reach_order(order, "failed", "interrupted")
    (motion,) = here.sim.ledger()["motions"]
    assert motion["end"] == "rested" and motion["path"] < 0.15 + 3


def test_what_the_controller_cannot_do_is_refused_before_anything_is_planned(here):
    def refused(pointer, *steps, text=""):
        answer = here.ask(steps=list(steps), to=None, duration=None, objective=None)
        (error,) = answer.expect(422).json["errors"]
        assert error["pointer"] == pointer and text in error["detail"], error
    refused("/steps/1/output/name", move(THERE), {"output": {"name": "lamp", "value": "on"}, "dwell": 1}, text="it has: gripper")
    refused("/steps/1/output/value", move(THERE), {"output": {"name": "gripper", "value": "shut"}, "dwell": 1}, text="it has: open, closed")
    refused("/steps/0/output", {**move(THERE), "output": CLOSED}, text="while the arm rests")
    refused("/steps/1/dwell", move(THERE), rest(CLOSED, 0.1), text="at least 0.5 s")
    with Foreign("--axes", 4) as other:
        without = Ordering(here.server, other)
        (error,) = without.ask(steps=CYCLE, to=None, duration=None, objective=None).expect(422).json["errors"]
        assert error["pointer"] == "/steps/1/output" and "profile.map.outputs" in error["detail"]


def test_a_map_beside_the_protocol_has_outputs_alone_and_leaves_its_registers(here):
    def refused(pointer, map):
        document = {"name": "other", "host": "127.0.0.1", "port": 1, "robot": here.robot, "profile": {"protocol": "armdyn-v2", "map": map}}
        assert pointer in [error["pointer"] for error in here.client.post("/v1/controllers", document).expect(422).json["errors"]]
    refused("/profile/map/heartbeat", {**outputs(), "heartbeat": "grip"})
    refused("/profile/map/fields/0/address", outputs(asked=1020))
    refused("/profile/map/outputs/0/confirmed_by", {**outputs(), "outputs": [{**outputs()["outputs"][0], "confirmed_by": "nothing"}]})
    twice = [{"name": name, "write": k, "confirmed": 1} for k, name in enumerate(("open", "closed"))]
    refused("/profile/map/outputs/0/values/1", {**outputs(), "outputs": [{**outputs()["outputs"][0], "values": twice}]})


def test_a_transfer_sets_them_at_the_simulated_controller():
    with cell("--outputs", "1", "--output-delay", "50", map=outputs(0, 1)) as here:
        still = here.trajectory(start={"q": [0.0] * 6}, goal={"q": [0.0] * 6}, duration=1.5)
        moving = here.trajectory()
        bad = here.transfer(moving, outputs=[{**CLOSED, "begins_at": 0, "dwell": 0.6}]).expect(422).json["errors"]
        assert [error["pointer"] for error in bad] == ["/outputs/0/begins_at"] and "rests" in bad[0]["detail"]
        transfer = here.playing(still, outputs=[{**CLOSED, "begins_at": 0.5, "dwell": 0.8}], rate=100)
        done = here.reach(transfer, "done")
        assert any("is 'closed', confirmed" in (one["reason"] or "") for one in done["history"])
        ((output, value, _, index),) = summary(here.sim)["outputs"]
        assert (output, value) == (0, 1) and 50 <= index <= 130


def mapped(**more):
    """A controller with registers of its own: a coil closes the gripper, a discrete input tells that it is closed."""
    map = plain_map(**more)
    map["points"]["count"] = 160
    map["fields"] += [{"name": "point", "register": "input", "address": 1, "type": "uint16"},
                      {"name": "grip", "register": "coil", "address": 3, "type": "uint16", "access": "read_write"},
                      {"name": "gripped", "register": "discrete", "address": 4, "type": "uint16"},
                      *({"name": f"q{a + 1}", "address": 100 + 4 * a, "type": "float32"} for a in range(N))]
    return {**map, "positions": [{"axis": a + 1, "field": f"q{a + 1}"} for a in range(N)],
            "states": {"field": "status", "idle": [0], "playing": [2], "done": [3], "holding": [4]},
            "commands": {"start": {"field": "command", "value": 1}, "stop": {"field": "command", "value": 2}}, "outputs": outputs()["outputs"]}


@pytest.mark.parametrize("delay,end", [(60, "done"), (10 ** 6, "failed")])
def test_a_coil_of_a_register_map(arm, delay, end):
    client, robot_name = arm[:2]
    request = {"method": "quintic", "start": {"q": [0.1] * N}, "goal": {"q": [0.1] * N}, "duration": 1.5, "sample_rate": 100}
    job = client.wait_job(client.post(f"/v1/robots/{robot_name}/trajectories", request, headers={"Prefer": "wait=30"}))
    still = [client, robot_name, job["result"]["href"].rsplit("/", 1)[1], None]
    asked = [{**CLOSED, "begins_at": 0.4, "dwell": 0.8}]
    with Bank("--player", "--seconds", 1.5, "--gripper", delay) as bank:
        blind = controller(still, bank, mapped(), allow_start=True)
        (error,) = send(still, blind, outputs=asked).expect(422).json["errors"]
        assert error["pointer"] == "/outputs/0" and "played_field" in error["detail"]
        cell_name = controller(still, bank, mapped(played_field="point"), allow_start=True)
        transfer = send(still, cell_name, outputs=asked).expect(202).json["id"]
        reach(still, transfer, "ready")
        client.post(f"/v1/transfers/{transfer}/arm").expect(202)
        client.post(f"/v1/transfers/{transfer}/start", {"start_within": 20}, headers={"Idempotency-Key": unique_name("key")}).expect(202)
        ended = reach(still, transfer, end)
        assert end == "done" or "output 'gripper' was set and is not 'closed'" in ended["problem"]["detail"]
        writes = bank.writes()
    assert [write for write in writes if write[1] == 5] == [[1, 5, 3, [1]]]  # once
    assert ([1, 6, 1, [2]] in writes) == (end == "failed")  # STOP
