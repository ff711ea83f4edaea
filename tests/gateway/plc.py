#!/usr/bin/python3
"""A soft PLC: runs the function block of `armdyn registers --format st` behind a Modbus server, once a scan.

    plc.py TEXT... [--scan MS] [--axes N] [--program NAME]

The program is one that calls the block as its `Controller`; what it gives out as `Torque` is what the drives get.
Says `listening on 127.0.0.1:PORT`; SIGUSR1 restarts it; at its end one line of JSON: every motion as what the drives were given,
[path index, references, torques, velocities, accelerations, microseconds] a scan, held ones too.
"""

import argparse
import json
import pathlib
import signal
import sys
import time

from foreign.faults import Faults
from foreign.ledger import Ledger
from foreign.modbus import Server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.structured_text import Program  # noqa: E402


class Plc:
    base = 1000

    def __init__(self, options):
        self.program = Program(*(path.read_text() for path in options.texts), constants={"AXES": options.axes})
        self.name = options.program
        self.constants, self.scan = self.program.constants, options.scan / 1000
        self.instance, self.motions = 0, []
        self.position = [0.0] * 10
        self.boot()
        faults = Faults([])
        self.server = Server(self, faults, Ledger(time.monotonic), 1)

    def boot(self):
        self.runs = self.program.block(self.name or "ArmdynController")
        self.block = self.runs["Controller"] if self.name else self.runs
        self.block["UptimeMs"] = 2 ** 32 - 10000
        self.registers = [0] * (self.constants["R_LAST"] + 1)
        self.instance += 1
        self.scanned, self.playing = time.monotonic(), False

    # -- for the server --
    def refuses(self, at, count):
        return at < self.base or at + count > self.base + len(self.registers)

    def read(self, at, count, kind):
        return self.registers[at - self.base:at - self.base + count]

    def write(self, at, words):
        self.registers[at - self.base:at - self.base + len(words)] = words

    def cut(self, count, kind):
        return 0

    def before_request(self, number):
        pass

    # -- a scan --
    def run_once(self):
        now, block = time.monotonic(), self.block
        us, self.scanned = round((now - self.scanned) * 1e6), now
        if self.name:
            self.runs(ModbusRegisters=self.registers, Cycle=us, Position=self.position)
        else:
            block(Registers=self.registers, CycleUs=us, Instance=self.instance, Measured=self.position, Tolerance=0.05,
                  TorqueMost=[1000.0] * 10, StepMost=[1000.0] * 10)
        state = self.constants
        if block["State"] in (state["S_PLAYING"], state["S_HOLDING"], state["S_DONE"]):
            if not self.playing:
                self.motions.append([])
            self.position = block["SetPoint"]
            if block["State"] != state["S_DONE"]:
                self.motions[-1].append([block["PathWhole"], block["SetPoint"], self.runs["Torque" if self.name else "Feed"], block["Velocity"],
                                         block["Acceleration"], us])
        self.playing = block["State"] in (state["S_PLAYING"], state["S_HOLDING"], state["S_DONE"])

    def run(self, ended):
        following = time.monotonic()
        while not ended:
            now = time.monotonic()
            if now >= following:
                self.run_once()
                self.server.scanned()
                following = max(following + self.scan, now)
            self.server.serve(following)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("texts", type=pathlib.Path, nargs="+")
    parser.add_argument("--program")
    parser.add_argument("--scan", type=float, default=10)
    parser.add_argument("--axes", type=int, default=6)
    plc, ended = Plc(parser.parse_args()), []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.append(True))
    signal.signal(signal.SIGUSR1, lambda *_: plc.boot())
    print(f"listening on 127.0.0.1:{plc.server.port}", flush=True)
    plc.run(ended)
    print(json.dumps({"motions": plc.motions}), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
