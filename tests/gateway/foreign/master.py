"""A Modbus master of register protocol v2, to try controllers with: one request after the other, every wait bounded."""

import random
import socket
import struct
import time
import zlib

from .words import (BEGIN, COMMIT, PLACE, STREAM, WINDOW_MOST, bytes_of, command_words, floats, pack, u32, window_words, words_of)


class Look:
    """+9..+99 at one moment."""

    def __init__(self, words):
        def at(offset):
            return words[offset - 9]

        def at32(offset):
            return u32(words, offset - 9)
        self.instance, self.places, self.number_written = at(9), at(10), at(39)
        self.number, self.state, self.error = at(60), at(61), at(62)
        self.next, self.index, self.free = at32(63), at32(65), at32(67)
        self.beat, self.crc, self.profile, self.loss = at(69), at32(70), at32(72), at(74)
        self.uptime, self.own_error, self.check = at32(75), at(77), at32(78)
        self.position = floats(words[80 - 9:])


class Master:
    def __init__(self, port, base=1000, unit=1, patience=20.0):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=patience)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.base, self.unit, self.patience = base, unit, patience
        self.transaction, self.profile, self.beats = 0, 0, 0
        self.random = random.Random(1)
        head = self.read(0, 11)
        self.axes, self.most, self.window, self.abilities = head[2], u32(head, 3), head[5], head[6]
        self.head, self.instance, self.places = head, head[9], head[10]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    # -- Modbus --
    def request(self, pdu):
        self.transaction = (self.transaction + 1) % 0x10000
        self.socket.sendall(struct.pack(">HHHB", self.transaction, 0, len(pdu) + 1, self.unit) + pdu)
        transaction, _, length, _ = struct.unpack(">HHHB", self.receive(7))
        assert transaction == self.transaction
        return self.receive(length - 1)

    def receive(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            assert more, "the controller closed the connection"
            data += more
        return data

    def read(self, at, count):
        answer = self.request(struct.pack(">BHH", 3, self.base + at, count))
        assert answer[:2] == bytes([3, 2 * count]), answer
        return words_of(answer[2:])

    def write(self, at, words):
        answer = self.request(struct.pack(">BHHB", 16, self.base + at, len(words), 2 * len(words)) + bytes_of(words))
        assert answer == struct.pack(">BHH", 16, self.base + at, len(words)), answer

    # -- the protocol --
    def look(self):
        return Look(self.read(9, 91))

    def until(self, holds):
        """The first look for which holds(look)."""
        end = time.monotonic() + self.patience
        while True:
            look = self.look()
            if holds(look):
                return look
            assert time.monotonic() < end, vars(look)

    def heartbeat(self, profile=None):
        self.beats = self.beats % 0xFFFF + 1
        self.write(11, [self.beats, *pack("I", self.profile if profile is None else profile)])

    def command(self, code, acknowledged=True, ahead=1000, write=True, **arguments):
        """Write a command; the look that acknowledges it (acknowledged=False: written only, its words)."""
        look = self.look()
        number = self.random.choice([n for n in (self.random.randrange(1, 65536) for _ in range(4))
                                     if n not in (look.number, look.number_written)])
        arguments = {"profile": self.profile, "latest": (look.uptime + ahead) % 2 ** 32, "instance": look.instance, **arguments}
        words = command_words(code, arguments.pop("instance"), number, **arguments)
        if write:
            self.write(20, words)
        return self.acknowledged(words) if acknowledged else words

    def acknowledged(self, words):
        return self.until(lambda look: (look.number, look.check) == (words[19], u32(words, 16)))

    def begin(self, total, code=BEGIN, mask=1, format=3, period=1000, **arguments):
        """BEGIN (or STREAM) of a profile of its own; the look that acknowledges it."""
        self.profile = self.random.randrange(1, 2 ** 32)
        self.sample_words = {1: 1, 2: 2, 3: 4}.get(format, 1) * bin(mask).count("1")
        return self.command(code, total=total, mask=mask, format=format, period=period, **arguments)

    def send(self, data):
        """All windows of a profile: each place is written again when its window was taken."""
        samples = WINDOW_MOST // self.sample_words
        windows = [(at, data[at * self.sample_words:(at + samples) * self.sample_words])
                   for at in range(0, len(data) // self.sample_words, samples)]
        sent, progress, held = 0, time.monotonic(), 0
        while True:
            look = self.look()
            if look.next > held:
                progress, held = time.monotonic(), look.next
            if look.next == len(data) // self.sample_words:
                return look
            assert time.monotonic() - progress < self.patience, vars(look)
            assert not look.own_error, vars(look)
            while sent < len(windows) and (sent < self.places or look.next >= windows[sent - self.places][0] + samples):
                offset, words = windows[sent]
                self.write(100 + PLACE * (sent % self.places), window_words(self.profile, offset, words))
                sent += 1

    def commit(self, data, **arguments):
        return self.command(COMMIT, total=len(data) // self.sample_words, crc=zlib.crc32(bytes_of(data)), ahead=5000, **arguments)

    def load(self, data, total=None, code=BEGIN, **arguments):
        """BEGIN, windows and COMMIT; the look that acknowledges COMMIT."""
        words = {1: 1, 2: 2, 3: 4}[arguments.get("format", 3)] * bin(arguments.get("mask", 1)).count("1")
        look = self.begin(0 if code == STREAM else len(data) // words, code, **arguments)
        assert look.error == 0, vars(look)
        self.send(data)
        return self.commit(data)
