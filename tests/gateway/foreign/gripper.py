"""An output beside the protocol: register 10 is written, and register 11 tells what the gripper has become, a while later."""

import math

ASKED, BECAME = 10, 11


class Gripper:
    def __init__(self, delay, ledger):
        """delay: s; negative: what was asked for never becomes so."""
        self.delay, self.ledger = delay if delay >= 0 else math.inf, ledger
        self.registers, self.due = {ASKED: 0, BECAME: 0}, None

    def write(self, value, now):
        self.registers[ASKED], self.due = value, now + self.delay
        self.ledger.gripper("asked", value)

    def scan(self, now):
        if self.due is not None and now >= self.due:
            self.registers[BECAME], self.due = self.registers[ASKED], None
            self.ledger.gripper("became", self.registers[BECAME])
