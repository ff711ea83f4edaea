"""A second Modbus master that speaks right before a request of the first one: commands of a profile of its own, written as they
would come over a connection of its own.

`begin`, `arm`, `start`, `stop`, `clear` are one command each; `load` is BEGIN, windows and COMMIT, `take` that and ARM and START,
a step before each request of the first master, each when the one before was acknowledged.
"""

import zlib

from .words import ARM, BEGIN, CLEAR, COMMIT, START, STOP, bytes_of, command_words, pack, u32, window_words

PROFILE = 0x5EC0DE
SAMPLES = 200
SCRIPTS = {"begin": [BEGIN], "arm": [ARM], "start": [START], "stop": [STOP], "clear": [CLEAR], "load": [BEGIN, "windows", COMMIT],
           "take": [BEGIN, "windows", COMMIT, ARM, START]}


class SecondMaster:
    """read(at, count) and write(at, words) reach the controller's registers."""

    name = "second master"

    def __init__(self, read, write):
        self.read, self.write = read, write
        self.steps, self.number, self.beat, self.next = [], 0x5000, 0, 0
        self.waits_for = None
        self.sample = pack("ff", 0.0, 0.5)
        self.data = self.sample * SAMPLES

    def begin(self, script):
        self.steps, self.next, self.waits_for = list(SCRIPTS[script]), 0, None

    def go_on(self):
        if not self.steps:
            return
        self.beat += 1
        self.write(11, [self.beat % 0x10000, *pack("I", PROFILE)])
        if self.waits_for is not None and self.read(60, 1) != [self.waits_for]:
            return
        self.waits_for = None
        if self.steps[0] != "windows":
            self.command(self.steps.pop(0))
        elif u32(self.read(63, 2), 0) == SAMPLES:
            self.steps.pop(0)
        elif u32(self.read(72, 2), 0) == PROFILE:
            self.windows()

    def windows(self):
        """As many windows as there are places, from the controller's next offset on."""
        offset, samples = u32(self.read(63, 2), 0), 29
        for place in range(self.read(10, 1)[0]):
            data = self.sample * min(samples, SAMPLES - offset)
            if data:
                self.write(100 + 128 * place, window_words(PROFILE, offset, data))
            offset += len(data) // 4

    def command(self, code):
        self.number = self.number % 0xFFFF + 1
        latest = (u32(self.read(75, 2), 0) + 1000) % 2 ** 32
        total = SAMPLES if code in (BEGIN, COMMIT) else 0
        words = command_words(code, self.read(9, 1)[0], self.number, PROFILE, total, 10000, 3, 1, crc=zlib.crc32(bytes_of(self.data)),
                              latest=latest, start=self.read_position())
        self.write(20, words)
        self.waits_for = self.number

    def read_position(self):
        """It starts where it is, and has no arm to move."""
        return [0.0] * 10
