"""A controller that sees its registers once a cycle, as a PLC does; and what it may say that is not believed."""

import socket
import struct
import time

import pytest

from cell import LONG, Cell, float32, puma, registers, simulated, summary, trace
from foreign.process import Foreign
from support import robot, until


def expected(samples):
    return [[float32(x) for pair in zip(q, tau) for x in pair] for q, tau in zip(samples["q"], samples["tau"])]


@pytest.mark.sampled
@pytest.mark.parametrize("scan", [1, 10, 50])
@pytest.mark.parametrize("mode", ["download", "stream"])
def test_what_a_plc_plays_is_the_trajectory_bit_for_bit(shared, scan, mode):
    with puma("--scan", str(scan), "--places", "4") as sim:
        here = Cell(shared, sim)
        motion = here.trajectory()
        end = here.reach(here.playing(motion, mode=mode), "done")
        assert end["sent"] == end["total"] == 801
        told = summary(sim)
        assert told["profiles"] == told["starts"] == 1
        assert trace(sim.trace_path) == expected(here.samples(motion))


@pytest.mark.sampled
@pytest.mark.parametrize("flags", [("--scan", 0), ("--scan", 10), ("--scan", 20, "--places", 1), ("--scan", 5, "--places", 16, "--epochs", "--measures")])
def test_a_controller_of_another_world(shared, flags):
    """Written from the protocol's page alone, in another language, with an observer between it and us."""
    with Foreign("--keep", *flags) as controller:
        here = Cell(shared, controller)
        motion = here.trajectory()
        here.reach(here.playing(motion), "done")
        told = controller.ledger()
        (motion_told,) = told["motions"]
        assert motion_told["whose"] == "first" and motion_told["end"] == "whole" and motion_told["samples"] == 801


@pytest.mark.sampled
@pytest.mark.parametrize("fault, says", [("wrong-checksum", "CRC-32"), ("stores-zeros", "CRC-32"), ("fast-clock", "too fast"), ("slow-clock", "too slow")])
def test_what_is_wrong_with_a_controller_is_found_before_it_moves(shared, fault, says):
    with Foreign("--scan", 5, fault=[fault]) as controller:
        here = Cell(shared, controller)
        transfer = here.transfer(here.trajectory()).expect(202).json["id"]
        if "clock" in fault:
            here.reach(transfer, "ready")
            answer = here.client.post(f"/v1/transfers/{transfer}/arm")
            assert answer.status == 409 and says in answer.json["detail"]
            here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
        else:
            assert says in here.reach(transfer, "failed")["problem"]["detail"]
        assert controller.ledger()["motions"] == []


@pytest.mark.sampled
@pytest.mark.parametrize("clock, says", [(1.03, "too fast"), (0.97, "too slow"), (1.008, None)])
def test_a_clock_that_is_off_by_more_than_two_percent_arms_nothing(shared, clock, says):
    """A profile that is played at another speed is another profile."""
    with Foreign("--scan", 5, "--clock", clock) as controller:
        here = Cell(shared, controller)
        transfer = here.loaded(here.trajectory())
        answer = here.client.post(f"/v1/transfers/{transfer}/arm")
        assert answer.status == (409 if says else 202) and (not says or says in answer.json["detail"])
        here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
        assert controller.ledger()["motions"] == []


@pytest.mark.slow
@pytest.mark.parametrize("held", [False, True], ids=["at once", "held"])
def test_half_a_motion_is_not_done_though_its_controller_says_so(shared, held):
    """The time for which it stood still, held, is none in which it was played."""
    with Foreign("--scan", 5, fault=["ends-early"]) as controller:
        here = Cell(shared, controller)
        transfer = here.playing(here.trajectory(duration=5, sample_rate=100))
        if held:
            here.client.post(f"/v1/transfers/{transfer}/hold").expect(202)
            here.reach(transfer, "holding")
            begun = time.monotonic()
            until(lambda: time.monotonic() - begun > 3, LONG, what="as much time as is left of the motion")
            here.client.post(f"/v1/transfers/{transfer}/resume", headers={"Idempotency-Key": transfer}).expect(202)
        end = here.reach(transfer, "failed")
        assert "done after" in end["problem"]["detail"] and "takes 5 s" in end["problem"]["detail"]


def test_another_master_that_loads_a_profile_is_told_and_never_started(shared):
    with Foreign("--scan", 10, fault=["second@40:load"]) as controller:
        here = Cell(shared, controller)
        end = here.reach(here.transfer(here.trajectory()).expect(202).json["id"], "failed")
        assert "another master loaded profile 0x005EC0DE" in end["problem"]["detail"]
        told = controller.ledger()
        assert told["motions"] == []


def stir(port, until_instance_is_not):
    """Ask for the instance, over a connection beside the gateway's, until it is another one."""
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as link:
        while True:
            link.sendall(struct.pack(">HHHBBHH", 1, 0, 6, 1, 3, 1009, 1))
            if link.recv(11, socket.MSG_WAITALL)[9:] != struct.pack(">H", until_instance_is_not):
                return


@pytest.mark.parametrize("moment, state", [("loaded", "failed"), ("playing", "interrupted")])
def test_a_controller_that_starts_anew_is_noticed_though_the_connection_stays(shared, moment, state):
    with puma("--fault", "reboot@6000") as sim:
        here = Cell(shared, sim)
        motion = here.trajectory(duration=8 if moment == "playing" else 0.8)
        transfer = here.playing(motion) if moment == "playing" else here.loaded(motion)
        stir(sim.port, registers(sim.port, 1009, 1)[0])
        end = here.reach(transfer, state)
        assert "started anew" in end["problem"]["detail"]
        assert summary(sim)["starts"] == (moment == "playing")


def test_status_tells_how_the_clock_goes(shared):
    with simulated("--axes", "6", "--scan", "10", "--clock", "1.2") as sim:
        here = Cell(shared, sim, robot("puma560"))
        here.loaded(here.trajectory())
        clock = {}

        def known():
            clock.update(here.status().get("clock", {}))
            return clock and clock["uncertainty_percent"] < 0.3
        until(known, LONG, what="the clock of the controller")
        assert clock["error_percent"] == pytest.approx(1.2, abs=0.6) and "too fast" in clock["warning"]
        assert clock["cycle"] == pytest.approx(0.01)
        assert clock["offset"] == pytest.approx(0.012 * clock["watched"], abs=0.03) and clock["watched"] > 1
        high, low = registers(sim.port, 1075, 2)
        assert 0 <= (high << 16 | low) / 1000 - clock["uptime"] < LONG
