"""Whole transfers to a controller that somebody else could have written: other_controller.py, from the manual alone."""

import json
import pathlib
import struct
import sys

import pytest

from cell import FAULT, GOAL, LONG, Cell, asleep, float32, state_and_error
from support import Server, robot, until
from support.process import Device

pytestmark = pytest.mark.same_threads


class Other(Device):
    def __init__(self, *flags):
        super().__init__(())
        self.arguments = [sys.executable, str(pathlib.Path(__file__).with_name("other_controller.py")), *map(str, flags)]
        self.start()

    def summary(self):
        self.terminate()
        (line,) = (line for line in self.log_path.read_text().splitlines() if line.startswith('{"starts"'))
        return json.loads(line)


@pytest.fixture(scope="module")
def shared():
    with Server("--child-silence", 600) as server:
        yield server


def words(samples, format):
    """The words of every sample, by the manual."""
    if format == "position_torque":
        rows = [[x for pair in zip(q, tau) for x in pair] for q, tau in zip(samples["q"], samples["tau"])]
    else:
        rows = samples["tau"]
    return [list(struct.unpack(f">{2 * len(row)}H", struct.pack(f">{len(row)}f", *row))) for row in rows]


@pytest.mark.parametrize("mode", ["download", "stream"])
@pytest.mark.parametrize("format", ["position_torque", "torque"])
def test_a_whole_transfer(shared, mode, format):
    with Other("--ring", 600) as controller:
        here = Cell(shared, controller, allow_torque_only=True)
        motion = here.trajectory(duration=1.2)
        end = here.reach(here.playing(motion, mode=mode, format=format), "done")
        assert end["sent"] == end["total"] == 1201
        assert here.status()["source"] == "controller"
        if format == "position_torque":
            until(lambda: here.status()["position"] == [float32(q) for q in GOAL], what="a look at the controller after the end")
        told = controller.summary()
        assert told["starts"] == 1 and told["bit_exact"] == [True]
        assert told["played"] == words(here.samples(motion), format)


def test_per_mille_of_rated_torque(shared):
    with Other("--formats", 1) as controller:
        here = Cell(shared, controller, allow_torque_only=True)
        motion = here.trajectory(duration=0.6)
        here.reach(here.playing(motion), "done")
        rated = [joint["limits"]["torque"] for joint in robot("puma560")["joints"]]
        told = controller.summary()
        for row, taus in zip(told["played"], here.samples(motion)["tau"], strict=True):
            for word, tau, most in zip(row, taus, rated):
                assert abs((word ^ 0x8000) - 0x8000 - 1000 * tau / most) <= 0.501


def test_hold_resume_and_stop(shared):
    with Other("--unit", 9, "--base", 0) as controller:
        here = Cell(shared, controller, base=0)
        document = here.client.get(f"/v1/controllers/{here.name}")
        here.client.put(f"/v1/controllers/{here.name}", {**document.json, "unit": 9}, headers={"If-Match": document.etag}).expect(200)
        transfer = here.playing(here.trajectory(duration=6))
        here.client.post(f"/v1/transfers/{transfer}/hold").expect(202)
        here.reach(transfer, "holding")
        here.client.post(f"/v1/transfers/{transfer}/resume", headers={"Idempotency-Key": transfer}).expect(202)
        here.reach(transfer, "playing")
        assert here.client.post(f"/v1/transfers/{transfer}/stop").expect(200).json["confirmed"] is True
        assert here.get(transfer)["state"] == "stopped"
        told = controller.summary()
        assert told["starts"] == 1 and told["samples_played"] < 6001


def test_a_lost_heartbeat_trips_it(shared):
    with Other() as controller:
        here = Cell(shared, controller)
        transfer = here.loaded(here.trajectory())
        here.client.post(f"/v1/transfers/{transfer}/arm").expect(202)
        with asleep(shared):
            until(lambda: state_and_error(controller.port) == (FAULT, 9), LONG, what="a fault of the controller")
        end = here.reach(transfer, "failed")
        assert "error 9, heartbeat lost" in end["problem"]["detail"]
        assert here.client.post(f"/v1/controllers/{here.name}/clear").expect(200).json["state"] == "empty"


def test_a_wrong_start_is_refused_by_the_gateway(shared):
    with Other() as controller:
        here = Cell(shared, controller)
        motion = here.trajectory(start={"q": [0.5] * 6}, duration=2)
        transfer = here.loaded(motion)
        answer = here.client.post(f"/v1/transfers/{transfer}/arm")
        assert answer.status == 409 and "away from the start" in answer.json["detail"]
        until(lambda: here.get(transfer)["state"] == "ready", LONG)
        assert controller.summary()["starts"] == 0


@pytest.mark.parametrize("mode", ["download", "stream"])
def test_what_asks_for_samples_beyond_the_last_gets_none(shared, mode):
    with Other("--claims", 5000) as controller:
        here = Cell(shared, controller)
        gateway = shared.children("gateway")
        end = here.reach(here.transfer(here.trajectory(), mode=mode).expect(202).json["id"], "failed")
        assert "sample 5000 of 801" in end["problem"]["detail"] and end["sent"] == 0
        assert shared.children("gateway") == gateway
