#!/usr/bin/python3
"""Controllers with registers of their own: a PLC that sees its registers once a scan and takes a profile page by page.

    python3 -m foreign.tables KIND [--scan MS] [--lose-pages] [--restart-after N] [--pace P]

KIND is the handshake, each as its example under deploy/controllers describes it: codesys, festo, toggle, mailbox. What a
request writes stands in the server's registers at once, where it can be read again; the program copies all of them when its
scan begins, and what it says stands there when its scan ends. So what is overwritten between two scans was never there.
Says `listening on 127.0.0.1:PORT`; at its end one line of JSON: the profiles that it accepted, as the words of their points,
and what it started. --restart-after N: after so many accepted profiles it starts anew, with nothing held. --pace P: it plays at a part of the speed.
"""

import argparse
import json
import signal
import sys
import time

from .faults import Faults
from .modbus import Server

SPACE = 2000


class NoLedger:
    """The server's requests are nobody's concern here."""

    def asked(self, *_):
        pass


class Program:
    """What all of them have: points that are held, and a motion of them."""

    def __init__(self, options):
        self.options = options
        self.server = [0] * SPACE  # what requests read and write
        self.seen = [0] * SPACE    # as this scan found them
        self.accepted, self.started, self.stopped = [], 0, 0
        self.lost = 0
        self.forget()

    def forget(self):
        self.held, self.playing_since, self.duration, self.ended = [], None, 0.0, False

    def say(self, at, *words):
        self.server[at:at + len(words)] = words

    def number(self, at, count, low_first=False):
        words = self.seen[at:at + count]
        value = 0
        for word in words[::-1] if low_first else words:
            value = value << 16 | word
        return value

    def take(self, first, count, rows):
        """A page, when it is the next one."""
        if first == len(self.held):
            self.held += [rows(k) for k in range(count)]
        return first + count == len(self.held)

    def accept(self, period_us):
        self.duration = max(0, len(self.held) - 1) * period_us * 1e-6 / self.options.pace
        self.accepted.append({"period_us": period_us, "points": self.held})
        if self.options.restart_after and len(self.accepted) == self.options.restart_after:
            self.server = [0] * SPACE
            self.seen = [0] * SPACE
            self.forget()
            return False
        return True

    def start(self, now):
        if self.held and self.playing_since is None:
            self.started += 1
            self.playing_since, self.ended = now, False

    def stop(self):
        self.stopped += self.playing_since is not None
        self.playing_since = None

    def motion(self, now):
        """0 idle, 1 playing, 2 done, and the point that it is at."""
        if self.playing_since is not None and now > self.playing_since + self.duration:
            self.playing_since, self.ended = None, True
        state = 1 if self.playing_since is not None else 2 if self.ended else 0
        part = (now - self.playing_since) / self.duration if state == 1 and self.duration else float(state == 2)
        return state, self.held[int(part * (len(self.held) - 1))] if self.held else None

    def scan(self, now):
        self.seen = list(self.server)
        self.run(now)


class Codesys(Program):
    """Commands by number, echoed; pages by number, echoed when they were copied."""

    def __init__(self, options):
        super().__init__(options)
        self.command, self.loaded, self.taken = 0, False, 0

    def forget(self):
        super().forget()
        self.command, self.loaded, self.taken = 0, False, 0

    def run(self, now):
        command, page = self.seen[1], self.seen[8]
        if command == 8 and command != self.command:
            self.forget()
            self.say(8, 0)
            page = 0
        if page != self.taken and page:
            if self.options.lose_pages:
                self.lost += 1
            else:
                self.take(self.seen[5], self.seen[6], lambda k: self.seen[1000 + 24 * k:1024 + 24 * k])
            self.taken = page
        if command != self.command:
            self.begin(command, now)
        self.command = command
        state, point = self.motion(now)
        self.say(0, {0: 1 if self.loaded else 0, 1: 2, 2: 4}[state])
        self.say(9, self.command)
        self.say(34, self.taken)
        if point:
            self.say(10, *point)

    def begin(self, command, now):
        if command == 11 and len(self.held) == self.seen[2]:
            self.loaded = self.accept(period_of_float(self.number(3, 2, True)))
        elif command == 1:
            self.start(now)
        elif command == 2:
            self.stop()
            self.ended = False


class Festo(Program):
    """An order number, answered by 16 when it was carried out; 0 takes it back, answered by 0."""

    def __init__(self, options):
        super().__init__(options)
        self.order, self.control = 0, 0

    def run(self, now):
        order, control = self.seen[0], self.seen[2]
        if order != self.order:
            done = {10001: self.clear, 10003: self.store, 10005: self.check}.get(order, lambda: order == 0)()
            self.say(1, 16 if order and done else 0 if done else 99)
        if control & 1 and not self.control & 1:
            self.start(now)
        if control & 2:
            self.stop()
            self.ended = False
        self.order, self.control = order, control
        state, point = self.motion(now)
        self.say(3, 1 | state << 1)
        self.say(6, len(self.held))
        self.say(7, 10)
        if point:
            self.say(10, *(word for a in range(6) for word in point[5 * a:5 * a + 2]))

    def clear(self):
        self.forget()
        return True

    def store(self):
        return self.take(self.seen[4], self.seen[5],
                         lambda k: [word for a in range(6) for word in self.seen[1000 + 100 * a + 5 * k:1005 + 100 * a + 5 * k]])

    def check(self):
        return bool(self.held) and self.accept(10000)


class Toggle(Program):
    """Bits: the other value of one means something new, and is echoed when it was done."""

    def __init__(self, options):
        super().__init__(options)
        self.echo, self.ran = 0, 0

    def run(self, now):
        control = self.seen[0]
        if (control ^ self.echo) & 2:
            self.forget()
            self.echo &= ~4
        if (control ^ self.echo) & 8:
            self.take(self.seen[2], self.seen[3], lambda k: self.seen[100 + 24 * k:124 + 24 * k])
        if control & 4 and not self.echo & 4 and len(self.held) == self.seen[4]:
            self.echo |= 4 * self.accept(self.number(6, 2))
        if not control & 4:
            self.echo &= ~4
        if control & 1 and not self.ran:
            self.start(now)
        if not control & 1 and self.ran:
            self.stop()
            self.ended = False
        self.ran = control & 1
        self.echo = (self.echo & 4) | (control & 10)
        state, point = self.motion(now)
        self.say(1, self.echo | state << 4)
        if point:
            self.say(10, *(word for a in range(6) for word in point[4 * a:4 * a + 2]))


class Mailbox(Program):
    """A box of one point: an order is echoed when it was carried out, and taken back."""

    def __init__(self, options):
        super().__init__(options)
        self.order = 0

    def run(self, now):
        order = self.seen[0]
        if order != self.order:
            done = self.carry_out(order, now)
            self.say(1, order if done else 100 + order)
        self.order = order
        state, point = self.motion(now)
        self.say(3, len(self.held))
        self.say(4, state)
        if point:
            self.say(9, *(word for a in range(6) for word in point[4 * a:4 * a + 2]))

    def carry_out(self, order, now):
        if order == 1:
            self.forget()
        elif order == 2:
            return self.take(self.seen[2], 1, lambda k: self.seen[100:124])
        elif order == 3:
            return self.accept(self.number(5, 4, True) // 1000)
        elif order == 4:
            self.start(now)
        elif order == 5:
            self.stop()
            self.ended = False
        return True


KINDS = {"codesys": Codesys, "festo": Festo, "toggle": Toggle, "mailbox": Mailbox}


def period_of_float(bits):
    """Microseconds of a float32 of seconds."""
    sign, exponent, fraction = bits >> 31, bits >> 23 & 255, bits & 0x7FFFFF
    return round((-1) ** sign * (1 + fraction / 2 ** 23) * 2.0 ** (exponent - 127) * 1e6)


class Device:
    """The registers between the Modbus server and the program."""

    def __init__(self, options):
        self.program = KINDS[options.kind](options)
        self.server = Server(self, Faults([]), NoLedger(), 1, port=options.port)
        self.base, self.scan = 0, options.scan / 1000

    def before_request(self, _number):
        pass

    def refuses(self, at, count):
        return at + count > SPACE

    def read(self, at, count, _kind):
        return self.program.server[at:at + count]

    def write(self, at, words):
        self.program.server[at:at + len(words)] = words

    def cut(self, _count, _kind):
        return 0

    def run(self, ended):
        due = time.monotonic()
        while not ended:
            now = time.monotonic()
            if now >= due:
                self.program.scan(now)
                due = max(due + self.scan, now)
            self.server.serve(due)


def main():
    parser = argparse.ArgumentParser(prog="foreign.tables")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--scan", type=float, default=20)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--pace", type=float, default=1)
    parser.add_argument("--lose-pages", action="store_true")
    parser.add_argument("--restart-after", type=int, default=0)
    device, ended = Device(parser.parse_args()), []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.append(True))
    print(f"listening on 127.0.0.1:{device.server.port}", flush=True)
    device.run(ended)
    program = device.program
    print(json.dumps({"accepted": program.accepted, "started": program.started, "stopped": program.stopped}), file=sys.stderr, flush=True)


main()
