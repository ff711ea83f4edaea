"""A Modbus TCP server on sockets: holding registers of one unit, by functions 3, 6 and 16, and a wire that may be struck.

Requests of a connection are answered in their order. A write is seen by the program at its next scan; where a scan falls into
the copying of a write (fault torn), the program sees the first part of it alone.
"""

import selectors
import socket
import struct
import time

from .faults import EXCEPTIONS
from .words import bytes_of, words_of

LATE = 1.5   # s, an answer that comes after its asker's patience
DELAY = 0.1  # s, one that comes in time


class Connection:
    def __init__(self, sock, name):
        self.sock, self.name = sock, name
        self.received, self.waits_until = b"", 0.0
        self.answers = []  # (when, bytes): not before the ones before them
        self.torn = None   # goes on with a request that a scan falls into
        self.held = []     # answers that come behind the next one
        self.mute = False  # nothing is answered any more


class Server:
    """device: before_request(number), refuses(at, count), read(at, count, kind), cut(count, kind), write(at, words), restart()."""

    def __init__(self, device, faults, ledger, unit, host="127.0.0.1", port=0):
        self.device, self.faults, self.ledger, self.unit = device, faults, ledger, unit
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server((host, port))
        self.listener.setblocking(False)
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.connections, self.requests, self.accepted = set(), 0, 0

    @property
    def port(self):
        return self.listener.getsockname()[1]

    def serve(self, until):
        """Take and answer what comes until this time of time.monotonic()."""
        soonest = min([until, *(c.waits_until for c in self.connections if c.answers)])
        for key, _ in self.selector.select(max(0.0, soonest - time.monotonic())):
            if key.data is None:
                self.accept()
            else:
                self.receive(key.data)
        for connection in list(self.connections):
            self.go_on(connection)

    def accept(self):
        sock, _ = self.listener.accept()
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.accepted += 1
        connection = Connection(sock, f"master {self.accepted}")
        self.connections.add(connection)
        self.selector.register(sock, selectors.EVENT_READ, connection)

    def close(self, connection):
        if connection in self.connections:
            self.connections.discard(connection)
            self.selector.unregister(connection.sock)
            connection.sock.close()

    def close_all(self):
        for connection in list(self.connections):
            self.close(connection)

    def receive(self, connection):
        try:
            data = connection.sock.recv(65536)
        except (ConnectionError, TimeoutError):
            data = b""
        if not data:
            self.close(connection)
        connection.received += data

    def send(self, connection, data):
        try:
            connection.sock.sendall(data)
        except OSError:
            self.close(connection)

    def go_on(self, connection):
        """Answers that are due, and then requests that wait for them."""
        while connection in self.connections:
            if connection.torn or connection.waits_until > time.monotonic():
                return
            if connection.answers:
                for data in connection.answers:
                    self.send(connection, data)
                connection.answers = []
                continue
            frame = self.frame(connection)
            if frame is None or connection.mute:
                return
            self.answer(connection, frame)

    def frame(self, connection):
        if len(connection.received) < 8:
            return None
        length = struct.unpack(">H", connection.received[4:6])[0]
        if len(connection.received) < 6 + length:
            return None
        frame, connection.received = connection.received[:6 + length], connection.received[6 + length:]
        return frame

    # -- one request --
    def answer(self, connection, frame):
        self.requests += 1
        self.device.before_request(self.requests)
        kind = self.faults.strike(self.requests)
        header, unit, pdu = frame[:2], frame[6], frame[7:]
        if kind in ("restart", "restart-kept"):
            self.device.restart()
            if kind == "restart":
                self.close_all()
                return
        connection.mute = kind == "mute"
        if kind in ("drop", "mute"):
            return
        reply = self.exception(pdu, 11) if unit != self.unit else None
        if reply is None and kind in EXCEPTIONS:
            if kind == "path":  # a gateway on the way gave up; what it asked for was done
                self.perform(connection, pdu, None)
            reply = self.exception(pdu, EXCEPTIONS[kind])
        if reply is None:
            reply = self.perform(connection, pdu, kind)
        if kind == "transaction":
            header = struct.pack(">H", struct.unpack(">H", header)[0] ^ 0x0101)

        def answered(reply):
            self.deliver(connection, header + struct.pack(">HHB", 0, len(reply) + 1, unit) + reply, kind)
        if callable(reply):
            connection.torn = lambda: answered(reply())
        else:
            answered(reply)

    def deliver(self, connection, data, kind):
        if kind == "cut":
            self.close(connection)
        elif kind == "truncate":
            self.send(connection, data[:len(data) // 2])
            self.close(connection)
        else:
            connection.waits_until = time.monotonic() + {"late": LATE, "delay": DELAY}.get(kind, 0.0)
            answers = [data] * (2 if kind == "duplicate" else 1)
            held, connection.held = (connection.held, []) if kind != "reorder" else ([], connection.held + answers)
            connection.answers = answers + held if kind != "reorder" else []

    @staticmethod
    def exception(pdu, code):
        return bytes([pdu[0] | 0x80, code])

    def perform(self, connection, pdu, kind):
        """The answer; of what a scan falls into, a function that goes on behind the scan and answers it."""
        function = pdu[0]
        if function not in (3, 6, 16):
            return self.exception(pdu, 1)
        if len(pdu) < 5:
            return self.exception(pdu, 3)
        at, count = struct.unpack(">HH", pdu[1:5])
        if function == 6:
            count = 1
        data = pdu[3:5] if function == 6 else pdu[6:]
        most = 125 if function == 3 else 123
        if not 0 < count <= most or (function == 16 and (len(data) != 2 * count or pdu[5] != 2 * count)):
            return self.exception(pdu, 3)
        if self.device.refuses(at, count):
            return self.exception(pdu, 2)
        if function == 3:
            return self.read(at, count, kind)
        words = words_of(data)
        self.ledger.asked(connection.name, function, at - self.device.base, words)
        if not self.faults.loses(at - self.device.base, words):
            cut = self.device.cut(count, kind)
            self.device.write(at, words[:cut] if cut else words)
            if cut:
                return lambda: self.device.write(at + cut, words[cut:]) or pdu[:5]
        return pdu[:5]

    def read(self, at, count, kind):
        cut, head = self.device.cut(count, kind), bytes([3, 2 * count])
        if cut:
            first = self.device.read(at, cut, kind)
            return lambda: head + bytes_of(first + self.device.read(at + cut, count - cut, None))
        return head + bytes_of(self.device.read(at, count, kind))

    def scanned(self):
        """After a scan: what it fell into is gone on with, and answered."""
        for connection in list(self.connections):
            if connection.torn:
                rest, connection.torn = connection.torn, None
                rest()
