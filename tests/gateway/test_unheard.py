"""What nobody hears of: the line breaks at STOP again and again, or for ever behind COMMIT, or a look tells another story each time."""

import os
import signal
import struct
import threading
import time

import pytest

from blocks import Blocks
from cell import LONG, Cell, instant
from foreign import words as w
from foreign.master import Master
from foreign.process import Foreign
from ordering import Ordering
from support import Server, until

pytestmark = pytest.mark.same_threads


def command(frame):
    """The command that a request writes; 0: none."""
    return struct.unpack(">H", frame[13:15])[0] if frame[7] == 16 and frame[8:10] == struct.pack(">H", 1020) else 0


def test_stop_is_sent_until_its_time_is_over(shared):
    """Each of its first four connections breaks as it is sent."""
    lost = []

    def breaks(frame):
        if command(frame) == w.STOP and len(lost) < 4:
            lost.append(frame)
            raise OSError

    with Foreign("--keep") as controller, Blocks({1000: controller.port}, breaks) as line:
        here = Cell(shared, line)
        transfer = here.playing(here.trajectory(duration=20, sample_rate=100))
        assert here.client.post(f"/v1/transfers/{transfer}/stop").expect(200).json["confirmed"] is True
        assert here.reach(transfer, "stopped") and len(lost) == 4
        (motion,) = controller.ledger()["motions"]
        assert motion["end"] == "rested"


@pytest.mark.parametrize("mode", ["download", "stream"])
@pytest.mark.parametrize("stopped", [True, False], ids=["STOP that nobody hears", "nobody asks for STOP"])
def test_what_its_plc_may_have_started_is_not_told_to_stand_still(shared, mode, stopped):
    """The last that is heard of the controller is COMMIT on its way there. It is carried out, and the PLC starts the motion by itself,
    as it may: neither `stopped` nor `failed` would be true."""
    silent = threading.Event()

    def breaks(frame):
        if silent.is_set():
            raise OSError
        if command(frame) == w.COMMIT:
            silent.set()

    with Foreign("--ring", 4000) as controller, Blocks({1000: controller.port}, breaks) as line:
        here = Cell(shared, line, allow_start=False, connect_deadline=60 if stopped else 1)
        transfer = here.transfer(here.trajectory(duration=2), mode=mode).expect(202).json["id"]
        until(silent.is_set, LONG, what="COMMIT")
        with Master(controller.port) as plc:
            plc.profile = plc.until(lambda look: look.state == w.READY).profile
            assert plc.command(w.ARM).error == 0 and plc.command(w.START).error == 0
            plc.until(lambda look: look.state == w.PLAYING)
        if stopped:
            assert here.client.post(f"/v1/transfers/{transfer}/stop").expect(200).json["confirmed"] is False
        end = here.reach(transfer, "interrupted")
        assert end["problem"]["type"] == "/problems/transfer-interrupted" and end["history"][-1]["reason"]


def test_what_no_two_looks_agree_in_is_not_believed(shared):
    """For sixty looks in a row: EMPTY, FAULT, DONE, and so on."""
    stories = []

    def garbled(frame, answer):
        if frame[7:12] != struct.pack(">BHH", 3, 1009, 91):
            return answer
        return answer[:113] + struct.pack(">H", stories.pop()) + answer[115:] if stories else answer  # +61

    with Foreign() as controller, Blocks({1000: controller.port}, answered=garbled) as line:
        here = Cell(shared, line)
        transfer = here.loaded(here.trajectory())
        stories.extend(20 * (w.EMPTY, w.FAULT, w.DONE))
        until(lambda: not stories, LONG, what="looks")
        assert here.client.post(f"/v1/transfers/{transfer}/arm").expect(202).json["state"] == "armed"
        assert [step["state"] for step in here.get(transfer)["history"]] == ["queued", "connecting", "loading", "ready", "armed"]
        here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)


def test_a_transfer_that_never_was_whole_there_fails(shared):
    silent = threading.Event()

    def breaks(frame):
        if silent.is_set():
            raise OSError
        if command(frame) == w.BEGIN:
            silent.set()

    with Foreign() as controller, Blocks({1000: controller.port}, breaks) as line:
        here = Cell(shared, line, connect_deadline=1)
        end = here.reach(here.transfer(here.trajectory()).expect(202).json["id"], "failed")
        assert end["problem"]["type"] == "/problems/controller-unreachable"


def test_the_time_of_a_motion_survives_the_service_that_was_not_told_of_it():
    """The service stands still while the PLC starts the motion by itself, and is killed before it hears of that. Its gateway brings the
    motion to its end; the next service knows from it when the motion began."""
    with Server("--on-server-loss", "finish") as server, Foreign() as controller:
        here = Cell(server, controller, allow_start=False)
        transfer = here.loaded(here.trajectory(duration=2))
        server.signal(signal.SIGSTOP)
        began = time.time()
        with Master(controller.port) as plc:
            plc.profile = plc.until(lambda look: look.state == w.READY).profile
            assert plc.command(w.ARM).error == 0 and plc.command(w.START).error == 0
            plc.until(lambda look: look.state == w.PLAYING and look.index > 500)
        seen = time.time()
        server.restart(kill=True)
        here.client = server.client()
        end = here.reach(transfer, "done")
        assert began <= instant(end["started_at"]) <= seen


def test_what_was_told_to_start_and_is_in_fault_may_have_moved(shared):
    """It says FAULT from START on, and never that it plays. Its ledger knows that it did."""
    started = threading.Event()

    def hears(frame):
        if command(frame) == w.START:
            started.set()

    def faulty(frame, answer):
        if not started.is_set() or frame[7:12] != struct.pack(">BHH", 3, 1009, 91):
            return answer
        return answer[:113] + struct.pack(">H", w.FAULT) + answer[115:]  # +61

    with Foreign() as controller, Blocks({1000: controller.port}, hears, answered=faulty) as line:
        here = Cell(shared, line)
        transfer = here.loaded(here.trajectory(duration=2))
        here.client.post(f"/v1/transfers/{transfer}/arm").expect(202)
        began = time.time()
        here.start(transfer).expect(202)
        end = here.reach(transfer, "failed")
        assert "FAULT" in end["problem"]["detail"]
        assert began <= instant(end["started_at"]) <= instant(end["finished_at"])
        until(lambda: controller.ledger()["motions"], LONG, what="its motion")


def test_an_order_whose_start_its_service_did_not_live_to_see_says_that_it_began():
    """The service dies at START. While its gateway, which stops the arm, has not told so yet, the next service finds the order armed, behind
    a queue that its own beginning blocked: too late to end it as one that never started."""
    with Server() as server, Foreign("--keep") as controller:
        (first,) = server.children("gateway")
        frozen = threading.Event()

        def hears(frame):
            if command(frame) == w.START:
                server.signal(signal.SIGSTOP)
            elif command(frame) == w.STOP and not frozen.is_set():
                frozen.set()
                os.kill(first, signal.SIGSTOP)

        with Blocks({1000: controller.port}, hears) as line:
            here = Ordering(server, line)
            began = time.time()
            order = here.automatic(duration=20)
            with Master(controller.port) as plc:
                plc.until(lambda look: look.state == w.PLAYING)
            server.restart(kill=True)
            here.client = server.client()
            here.blocked("anew")
            time.sleep(0.2)  # in which it looks at the order
            os.kill(first, signal.SIGCONT)
            end = here.reach_order(order, "stopped", "interrupted")
        assert began <= instant(end["started_at"]) <= instant(end["finished_at"]), end
        (motion,) = controller.ledger()["motions"]
        assert motion["end"] == "rested"
