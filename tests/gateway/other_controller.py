#!/usr/bin/python3
"""The controller's side of register protocol v1, written from deploy/doc/controllers.md alone on python3-pymodbus: it
shares no line with the simulator of this project, so that the page is proved to be enough.

    other_controller.py [--axes N] [--base B] [--samples N] [--ring N] [--formats MASK] [--unit U] [--claims N]

Says `listening on 127.0.0.1:PORT`; at its end one line of JSON on standard error. Its axes are where they are told to be,
and it claims N samples more than it has.
"""

import argparse
import asyncio
import json
import signal
import struct
import sys
import time
import zlib

from pymodbus.datastore import ModbusServerContext
from pymodbus.interfaces import IModbusSlaveContext
from pymodbus.server.async_io import ModbusTcpServer

EMPTY, LOADING, READY, ARMED, PLAYING, HOLDING, DONE, FAULT = range(8)
BEGIN, COMMIT, ARM, START, HOLD, RESUME, STOP, CLEAR, STREAM = range(1, 10)
WORDS = {1: 1, 2: 2, 3: 4}
AHEAD_US = 500_000


def crc16(words):
    crc = 0xFFFF
    for byte in struct.pack(f">{len(words)}H", *words):
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xA001 if crc & 1 else 0)
    return crc


def bytes_of(words):
    return struct.pack(f">{len(words)}H", *words)


class Controller:
    def __init__(self, options):
        self.options = options
        self.written = [0] * 223
        self.state, self.error, self.acknowledged = EMPTY, 0, 0
        self.position = [0.0] * options.axes
        self.beat_seen = time.monotonic()
        self.starts, self.played, self.ended = 0, [], []
        self.forget()

    # -- registers --
    def u32(self, at):
        return self.written[at] << 16 | self.written[at + 1]

    def registers(self):
        r = list(self.written)
        o = self.options

        def put(at, form, value):
            words = struct.unpack(f">{struct.calcsize(form) // 2}H", struct.pack(">" + form, value))
            r[at:at + len(words)] = words
        r[0:3] = 0xA5D1, 1, o.axes
        put(3, "I", o.samples)
        r[5:7] = 119, o.formats
        put(7, "f", 12345.678)
        r[9] = o.instance
        r[60:63] = self.acknowledged, self.state, self.error
        put(63, "I", len(self.samples) + o.claims)
        put(65, "I", self.index)
        put(67, "I", self.free())
        r[69] = self.written[10]
        put(70, "I", zlib.crc32(self.data))
        put(72, "I", self.profile)
        r[74] = self.written[31]
        for axis, q in enumerate(self.position):
            put(80 + 2 * axis, "f", q)
        return r

    def write(self, at, words):
        before = self.written[10]
        self.written[at:at + len(words)] = words
        if self.written[10] != before:
            self.beat_seen = time.monotonic()
        if at <= 39 < at + len(words) and self.written[39] != self.acknowledged:
            self.error = self.command(self.written[20])
            self.acknowledged = self.written[39]
        if at == 100 and len(words) > 4:
            self.window(words)

    # -- the profile --
    def forget(self):
        self.samples, self.data, self.profile, self.index = [], b"", 0, 0
        self.open = self.streamed = False
        self.total, self.since = 0, None

    def free(self):
        if self.streamed:
            return self.options.ring - (len(self.samples) - self.index)
        return max(0, self.total - len(self.samples))

    def ahead_us(self):
        return (len(self.samples) - 1 - self.index) * self.period

    def window(self, words):
        count = words[2]
        takes = self.state == LOADING or (self.open and self.state in (ARMED, PLAYING, HOLDING))
        data = words[4:4 + count]
        if not takes or not count or len(data) != count or count % self.per_sample:
            self.error = 10
            return
        if words[3] != crc16([*words[:3], *data]):
            self.error = 10
            return
        offset = words[0] << 16 | words[1]
        if offset < len(self.samples):
            return
        samples = [data[k:k + self.per_sample] for k in range(0, count, self.per_sample)]
        if offset > len(self.samples) or len(samples) > self.free():
            self.error = 10
            return
        self.samples += samples
        self.data += bytes_of(data)

    # -- commands: an error, 0 when carried out --
    def command(self, command):
        moving = self.state in (PLAYING, HOLDING)
        resting = self.state in (EMPTY, LOADING, READY, DONE)
        enough = not self.open or self.ahead_us() >= AHEAD_US
        if command in (BEGIN, STREAM) and resting:
            return self.begin(command == STREAM)
        if command == COMMIT and (self.state == LOADING or (self.open and (moving or self.state == ARMED))):
            if self.u32(24) != len(self.samples) or self.u32(32) != zlib.crc32(self.data):
                return 4
            self.open, self.total = False, len(self.samples)
            self.state = READY if self.state == LOADING else self.state
            return 0
        if command == ARM and (self.state == READY or (self.open and self.state == LOADING)):
            if not enough:
                return 8
            start = struct.unpack(">10f", bytes_of(self.written[40:60]))
            if any(abs(start[axis] - self.position[axis]) > 0.05 for axis in self.axes):
                return 7
            self.state, self.beat_seen = ARMED, time.monotonic()
            return 0
        if command == START and self.state == ARMED:
            self.state, self.since, self.starts, self.played = PLAYING, time.monotonic(), self.starts + 1, []
            return 0
        if command == HOLD and self.state == PLAYING:
            self.hold(0)
            return 0
        if command == RESUME and self.state == HOLDING:
            if not enough:
                return 8
            self.state, self.since = PLAYING, time.monotonic() - self.index * self.period * 1e-6
            return 0
        if command == STOP:
            if self.state != FAULT:
                self.state = EMPTY
                self.forget()
            return 0
        if command == CLEAR and not moving and self.state != ARMED:
            self.state = EMPTY
            self.forget()
            return 0
        return 1

    def begin(self, streamed):
        w = self.written
        axes = [axis for axis in range(10) if w[29] >> axis & 1]
        if not axes or axes[-1] >= self.options.axes:
            return 11
        if w[28] not in WORDS or not self.options.formats >> (w[28] - 1) & 1:
            return 2
        if (self.u32(24) != 0) if streamed else not 0 < self.u32(24) <= self.options.samples:
            return 3
        self.forget()
        self.axes, self.format, self.per_sample = axes, w[28], WORDS[w[28]] * len(axes)
        self.period, self.profile, self.total = self.u32(26), self.u32(22), self.u32(24)
        self.open = self.streamed = streamed
        self.state = LOADING
        return 0

    # -- motion --
    def hold(self, error):
        self.state, self.error = HOLDING, error or self.error

    def play_to(self, index):
        for k in range(len(self.played), index + 1):
            self.played.append(self.samples[k])
        self.index = index
        if self.format == 3:
            values = struct.unpack(f">{len(self.axes) * 2}f", bytes_of(self.samples[index]))
            for a, axis in enumerate(self.axes):
                self.position[axis] = values[2 * a]

    def tick(self):
        if self.state in (ARMED, PLAYING, HOLDING) and time.monotonic() - self.beat_seen > 1:
            if self.state != PLAYING or self.written[31] != 2:
                self.state, self.error = FAULT, 9
        if self.state != PLAYING:
            return
        due = int((time.monotonic() - self.since) * 1e6 / self.period)
        last = len(self.samples) - 1
        self.play_to(min(due, last))
        if due <= last:
            return
        if self.open:
            self.hold(8)
        else:
            self.state = DONE
            self.ended.append(zlib.crc32(b"".join(map(bytes_of, self.played))) == self.u32(32))


class Context(IModbusSlaveContext):
    """The holding registers of a controller, from its base on."""

    def __init__(self, controller):
        self.controller, self.base = controller, controller.options.base

    def validate(self, fc_as_hex, address, count=1):
        return fc_as_hex in (3, 6, 16) and self.base <= address and address + count <= self.base + 223

    def getValues(self, fc_as_hex, address, count=1):  # pylint: disable=invalid-name
        at = address - self.base
        return self.controller.registers()[at:at + count]

    def setValues(self, fc_as_hex, address, values):  # pylint: disable=invalid-name
        self.controller.write(address - self.base, list(values))


async def serve(context):
    """A pymodbus server for one unit or a dict of units on a free port, which is announced."""
    server = ModbusTcpServer(context, address=("127.0.0.1", 0))
    running = asyncio.ensure_future(server.serve_forever())
    await server.serving
    print("listening on 127.0.0.1:%d" % server.server.sockets[0].getsockname()[1], flush=True)
    return server, running


async def main(options):
    controller = Controller(options)
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await serve(ModbusServerContext(slaves={options.unit: Context(controller)}, single=False))
    while not ended.is_set():
        controller.tick()
        await asyncio.sleep(0.002)
    print(json.dumps({"starts": controller.starts, "samples_played": len(controller.played), "bit_exact": controller.ended,
                      "played": [list(sample) for sample in controller.played]}), file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for flag, default in (("axes", 6), ("base", 1000), ("samples", 100000), ("ring", 2000), ("formats", 7), ("unit", 1), ("instance", 77),
                          ("claims", 0)):
        parser.add_argument(f"--{flag}", type=int, default=default)
    asyncio.run(main(parser.parse_args()))
