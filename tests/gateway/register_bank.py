#!/usr/bin/python3
"""A controller with registers of its own, as a bank of python3-pymodbus: what is written can be read again, by anybody.

    register_bank.py [--units 1,2] [--player] [--seconds S] [--gripper MS] [--slow MS] [--corrupt ADDRESS]

--player: a little motion controller lives behind unit 1. Writing holding register 1 (command): 1 = start: status 2
(playing) for 0.4 s (--seconds), then 3 (done); 2 = stop: 0; 4 = hold: 4; 5 = go on. Register 0 (status) is an input register too;
input register 1 tells the point that is played, one every 10 ms. --gripper: coil 3 is told by discrete input 4, so much later.
--corrupt A: holding register A keeps the complement of what is written. Says `listening on 127.0.0.1:PORT`; at its end one
line of JSON: every write as [unit, function, address, [words]].
"""

import argparse
import asyncio
import json
import signal
import sys
import time

from pymodbus.datastore import ModbusServerContext

try:  # 3.0, of Debian 12
    from pymodbus.interfaces import IModbusSlaveContext as UnitContext
    from pymodbus.server.async_io import ModbusTcpServer
except ImportError:  # 3.8, of Debian 13
    from pymodbus.datastore.context import ModbusBaseSlaveContext as UnitContext
    from pymodbus.server import ModbusTcpServer

HOLDING, INPUT, COILS, DISCRETE = (3, 6, 16, 22, 23), (4,), (1, 5, 15), (2,)


async def serve(context):
    """A pymodbus server for a dict of units on a free port, which is announced; what keeps it running."""
    server, running = ModbusTcpServer(context, address=("127.0.0.1", 0)), None
    if hasattr(server, "listen"):  # 3.8: `serving` ends with it
        await server.listen()
        listening = server.transport
    else:
        running = asyncio.ensure_future(server.serve_forever())
        await server.serving
        listening = server.server
    print("listening on 127.0.0.1:%d" % listening.sockets[0].getsockname()[1], flush=True)
    return server, running


class Unit(UnitContext):
    def __init__(self, number, options):
        self.number, self.options = number, options
        self.spaces = {"h": {}, "i": {}, "c": {}, "d": {}}
        self.writes, self.until, self.left, self.gripped = [], None, 0, None

    def space(self, function):
        return self.spaces["h" if function in HOLDING else "i" if function in INPUT else "c" if function in COILS else "d"]

    def validate(self, fc_as_hex, address, count=1):
        return address + count <= 65536

    def getValues(self, fc_as_hex, address, count=1):  # pylint: disable=invalid-name
        if self.options.slow:
            time.sleep(self.options.slow / 1000)
        self.play()
        space = self.space(fc_as_hex)
        return [space.get(address + k, 0) for k in range(count)]

    def setValues(self, fc_as_hex, address, values):  # pylint: disable=invalid-name
        space = self.space(fc_as_hex)
        values = [int(value) for value in values]
        self.writes.append([self.number, fc_as_hex, address, values])
        for k, value in enumerate(values):
            space[address + k] = value ^ 0xFFFF if address + k == self.options.corrupt else value
        if self.options.gripper is not None and fc_as_hex in COILS and address == 3:
            self.gripped = time.monotonic() + self.options.gripper / 1000
        if self.options.player and fc_as_hex in HOLDING and address <= 1 < address + len(values):
            self.command(values[1 - address])

    def command(self, command):
        now = time.monotonic()
        if command == 1:
            self.until = now + self.options.seconds
        elif command == 4:
            self.until, self.left = None, self.until - now
            self.status(4)
        elif command == 5:
            self.until = now + self.left
        elif command == 2:
            self.until = None
            self.status(0)
        if self.until:
            self.status(2)

    def status(self, value):
        self.spaces["h"][0] = self.spaces["i"][0] = value

    def play(self):
        now = time.monotonic()
        if self.until:
            self.spaces["i"][1] = max(0, int((self.options.seconds - (self.until - now)) * 100))
        if self.until and now > self.until:
            self.until = None
            self.status(3)
        if self.gripped and now >= self.gripped:
            self.spaces["d"][4], self.gripped = self.spaces["c"].get(3, 0), None


async def main(options):
    units = {int(number): Unit(int(number), options) for number in options.units.split(",")}
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    serving = await serve(ModbusServerContext(slaves=units, single=False))
    await ended.wait()
    del serving
    print(json.dumps({"writes": [write for unit in units.values() for write in unit.writes]}), file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--units", default="1")
    parser.add_argument("--player", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--gripper", type=float)
    parser.add_argument("--slow", type=int, default=0)
    parser.add_argument("--corrupt", type=int, default=-1)
    asyncio.run(main(parser.parse_args()))
