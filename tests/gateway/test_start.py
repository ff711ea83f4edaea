"""The link breaks at START: the one that was made is repeated in its time, and carried out once; never is another made, and
never is one sent that is late."""

import contextlib
import re
import socket
import struct
import threading
import time

import pytest

from cell import Cell, puma, summary
from support import unique_name

COMMAND, START = 1020, 4


def message(link):
    """The next one of Modbus TCP; b"" when there is none any more."""
    with contextlib.suppress(OSError):
        head = link.recv(6, socket.MSG_WAITALL)
        if len(head) == 6:
            return head + link.recv(struct.unpack(">H", head[4:])[0], socket.MSG_WAITALL)
    return b""


class Relay:
    """A link to a controller that breaks at the first START, and at every other for `seconds`: it does not bring the request,
    or, where that `arrives`, not its answer. `starts` has every START that came here, as it is."""

    def __init__(self, port, arrives, seconds):
        self.controller, self.arrives, self.seconds = port, arrives, seconds
        self.broken_until, self.starts = None, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                threading.Thread(target=self.bring, args=(near,), daemon=True).start()

    def bring(self, near):
        """Requests of one connection and their answers, one by one."""
        with contextlib.suppress(OSError), near, socket.create_connection(("127.0.0.1", self.controller)) as far:
            while request := message(near):
                breaks = self.breaks(request)
                if breaks and not self.arrives:
                    return
                far.sendall(request)
                answer = message(far)
                if breaks:
                    return
                near.sendall(answer)

    def breaks(self, request):
        function, register = struct.unpack(">BH", request[7:10])
        if function != 16 or register != COMMAND or struct.unpack(">H", request[13:15])[0] != START:
            return False
        self.starts.append(request[13:])
        if not self.broken_until:
            self.broken_until = time.monotonic() + self.seconds
            return True
        return time.monotonic() < self.broken_until


@pytest.mark.same_threads
@pytest.mark.parametrize("arrives, seconds, state", [(False, 0, "done"), (True, 0, "done"), (True, 1.5, "done"), (False, 1.5, "failed")],
                         ids=["lost", "answer lost", "answer lost for long", "lost for long"])
def test_a_link_that_breaks_at_start(shared, arrives, seconds, state):
    with puma() as sim, contextlib.closing(Relay(sim.port, arrives, seconds)) as relay:
        here = Cell(shared, sim)
        here.name = unique_name("cell")
        here.client.post("/v1/controllers", {**here.document(), "port": relay.port}).expect(201)
        transfer = here.loaded(here.trajectory(duration=3))
        here.arm(transfer)
        here.start(transfer).expect(202 if state == "done" else 409)
        end = here.reach(transfer, *(["done", "failed"] if not seconds and not arrives else [state]))
        assert relay.broken_until and len(set(relay.starts)) == 1  # the same to the last bit
        if end["state"] == "failed":  # also where a machine was so busy that START's second, or the controller's patience, was over
            assert re.search("START was not acknowledged in its time, and is not sent again|heartbeat lost", end["problem"]["detail"])
        assert summary(sim)["starts"] == (end["state"] == "done")
