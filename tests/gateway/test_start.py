"""The link breaks at START: it is rung once, never again; but what broke before that loses nothing."""

import contextlib
import socket
import struct
import threading

import pytest

from cell import Cell, puma, summary
from support import Server, unique_name

COMMAND, DOORBELL, START = 1020, 1039, 4


def message(link):
    """The next one of Modbus TCP; b"" when there is none any more."""
    with contextlib.suppress(OSError):
        head = link.recv(6, socket.MSG_WAITALL)
        if len(head) == 6:
            return head + link.recv(struct.unpack(">H", head[4:])[0], socket.MSG_WAITALL)
    return b""


class Relay:
    """A link to a controller that breaks once: where START is asked for it does not bring what is written to the register
    `breaks_at`, or, where that `arrives`, not its answer. `rung` has the commands that were rung."""

    def __init__(self, port, breaks_at, arrives):
        self.controller, self.breaks_at, self.arrives = port, breaks_at, arrives
        self.broken, self.command, self.rung = False, 0, []
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
        if function == 16 and register == COMMAND:
            self.command = struct.unpack(">H", request[13:15])[0]
        if function == 6 and register == DOORBELL:
            self.rung.append(self.command)
        now = function in (6, 16) and register == self.breaks_at and self.command == START and not self.broken
        self.broken = self.broken or now
        return now


@pytest.fixture(scope="module")
def shared():
    with Server() as server:
        yield server


@pytest.mark.same_threads
@pytest.mark.parametrize("breaks_at, arrives, state",
                         [(COMMAND, False, "done"), (COMMAND, True, "done"), (DOORBELL, True, "done"), (DOORBELL, False, "failed")],
                         ids=["command lost", "answer to command lost", "answer to doorbell lost", "doorbell lost"])
def test_a_link_that_breaks_at_start(shared, breaks_at, arrives, state):
    with puma() as sim, contextlib.closing(Relay(sim.port, breaks_at, arrives)) as relay:
        here = Cell(shared, sim)
        here.name = unique_name("cell")
        here.client.post("/v1/controllers", {**here.document(), "port": relay.port}).expect(201)
        transfer = here.loaded(here.trajectory())
        here.arm(transfer)
        here.start(transfer).expect(202)
        end = here.reach(transfer, state)
        assert relay.broken and relay.rung.count(START) == 1
        if state == "failed":
            assert end["problem"]["detail"] == "START did not arrive, and is not sent again"
        assert summary(sim)["starts"] == (state == "done")
