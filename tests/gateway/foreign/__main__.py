#!/usr/bin/python3
"""A controller as a process: says `listening on 127.0.0.1:PORT`, and at its end one line of JSON, its ledger."""

import argparse
import json
import random
import signal
import sys
import time

from .faults import Faults
from .gripper import ASKED, Gripper
from .ledger import Ledger
from .modbus import Server
from .program import Program
from .second_master import SecondMaster
from .words import ARMED, span


class Device:
    """The registers between the Modbus server, the program and a second master."""

    def __init__(self, options):
        self.base, self.options = options.base, options
        self.faults = Faults(options.fault)
        self.ledger = Ledger(time.monotonic, options.keep)
        self.gripper = Gripper(options.gripper / 1000, self.ledger) if options.gripper is not None else None
        self.program = Program(options, self.faults, self.ledger, time.monotonic())
        self.server = Server(self, self.faults, self.ledger, options.unit, port=options.port)
        self.second = SecondMaster(lambda at, count: self.program.registers[at:at + count], self.write_of_second)
        self.random = random.Random(options.seed)
        self.scan, self.next_scan, self.stale_until, self.stale = options.scan / 1000, 0.0, 0.0, None
        self.requests_of_second = 0

    # -- for the server --
    def refuses(self, at, count):
        if self.gripper and count == 1 and at in self.gripper.registers:
            return False
        return at < self.base or at + count > self.base + span(self.options.places)

    def read(self, at, count, kind):
        if at < self.base:
            return [self.gripper.registers[at]]
        now, at = time.monotonic(), at - self.base
        registers = self.program.registers
        if kind == "stale":
            self.stale_until, self.stale = now + 0.1, list(registers)
        if now < self.stale_until:
            registers = self.stale
        return registers[at:at + count]

    def write(self, at, words):
        if at < self.base:
            if at == ASKED:
                self.gripper.write(words[0], time.monotonic())
            return
        self.put(at - self.base, words)
        if not self.scan:
            self.program.scan(time.monotonic())
            self.server.scanned()

    def put(self, at, words):
        self.program.registers[at:at + len(words)] = words
        if at <= 20 < at + len(words):
            self.program.written_again = True

    def cut(self, count, kind):
        """Where a scan falls into a copy of this many registers; 0: nowhere."""
        torn = kind == "torn" or ("torn-always" in self.faults and self.random.random() < 0.3)
        return self.random.randrange(1, count) if torn and count > 1 else 0

    def before_request(self, number):
        script = self.faults.second.pop(number, None)
        if script:
            self.second.begin(script)
            self.faults.struck += 1
        self.second.go_on()

    def write_of_second(self, at, words):
        self.ledger.asked(self.second.name, 16, at, words)
        self.write(at + self.base, words)

    def restart(self):
        self.program.restart(time.monotonic())

    def moved_by_hand(self):
        """Somebody pushes the arm, unless it moves by itself, or its drives hold it."""
        if self.ledger.moving is None and self.program.state != ARMED:
            self.program.position[0] += 0.5
            self.ledger.moved()

    # -- life --
    def run(self, ended, happened):
        """Until `ended`; what has happened to it happens between two scans."""
        tick = self.scan or 0.002
        self.next_scan = time.monotonic()
        while not ended:
            while happened:
                happened.pop(0)()
            now = time.monotonic()
            if self.gripper:
                self.gripper.scan(now)
            if now >= self.next_scan:
                self.program.scan(now)
                self.server.scanned()
                self.next_scan = max(self.next_scan + tick, now)
            self.server.serve(self.next_scan)

    def told(self):
        return {**self.ledger.told(), "state": self.program.state, "faults": self.faults.struck, "requests": self.server.requests,
                "starts": len(self.ledger.motions)}


def arguments():
    parser = argparse.ArgumentParser(prog="foreign")
    for flag, default in (("axes", 6), ("base", 1000), ("unit", 1), ("port", 0), ("samples", 100000), ("ring", 2000), ("window", 118),
                          ("formats", 7), ("places", 8), ("instance", 77), ("uptime-ms", 2 ** 32 - 10000), ("commit", 5000), ("seed", 1)):
        parser.add_argument(f"--{flag}", type=int, default=default)
    for flag, default in (("scan", 0.0), ("torque-limit", 1e9), ("torque-step", 1e9), ("clock", 1.0), ("lag", 0.0)):
        parser.add_argument(f"--{flag}", type=float, default=default)
    parser.add_argument("--gripper", type=float, help="ms that it takes; -1: for ever")
    parser.add_argument("--bump", default="", help="AXIS:SECONDS:TORQUE")
    for flag in ("measures", "epochs", "keep", "limp"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--fault", action="append", default=[])
    return parser.parse_args()


def main():
    device, ended, happened = Device(arguments()), [], []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.append(True))
    signal.signal(signal.SIGUSR2, lambda *_: happened.append(device.moved_by_hand))
    signal.signal(signal.SIGUSR1, lambda *_: happened.append(device.restart))
    print(f"listening on 127.0.0.1:{device.server.port}", flush=True)
    device.run(ended, happened)
    print(json.dumps(device.told()), file=sys.stderr, flush=True)


main()
