#!/usr/bin/python3
"""A stand-in of a Universal Robots arm at the end of its real-time data exchange: its joints are where they are told to be.

    python3 -m foreign.universal [--position q1,..,q6] [--silent-after N]

Protocol version 2 as the manufacturer's page describes it: packages of a length, a kind and a payload, big-endian; recipes of
named fields; positions 500 times a second. Says `listening on 127.0.0.1:PORT`; at its end one line of JSON: every package that
it was sent while something was to be followed, as [count, six positions, six torques], and how many came otherwise.
"""

import argparse
import json
import select
import signal
import socket
import struct
import sys
import time

TYPES = {"actual_q": "VECTOR6D", "input_int_register_24": "INT32", **{f"input_double_register_{k}": "DOUBLE" for k in range(24, 48)}}
SIZES = {"INT32": "i", "DOUBLE": "d"}


class Arm:
    def __init__(self, options):
        self.q = [float(part) for part in options.position.split(",")]
        self.followed, self.idle, self.silent_after = [], 0, options.silent_after
        self.client, self.received, self.inputs, self.started = None, b"", None, False

    def send(self, kind, payload):
        self.client.sendall(struct.pack(">HB", 3 + len(payload), ord(kind)) + payload)

    def take(self):
        """What the client sends; False: it is gone."""
        data = self.client.recv(65536)
        self.received += data
        while len(self.received) >= 3 and len(self.received) >= (size := struct.unpack(">H", self.received[:2])[0]):
            package, self.received = self.received[:size], self.received[size:]
            self.answer(chr(package[2]), package[3:])
        return bool(data)

    def answer(self, kind, payload):
        if kind == "V":
            self.send("V", bytes([payload == b"\x00\x02"]))
        elif kind == "O":
            assert struct.unpack(">d", payload[:8])[0] == 500.0 and payload[8:] == b"actual_q"
            self.send("O", b"\x01VECTOR6D")
        elif kind == "I":
            self.inputs = [TYPES.get(name, "NOT_FOUND") for name in payload.decode().split(",")]
            self.send("I", b"\x02" + ",".join(self.inputs).encode())
        elif kind == "S":
            self.started = True
            self.send("S", b"\x01")
        elif kind == "U":
            assert payload[0] == 2
            count, *numbers = struct.unpack(">" + "".join(SIZES[name] for name in self.inputs), payload[1:])
            if count:
                self.followed.append([count, numbers[:6], numbers[6:]])
                self.q = numbers[:6]
            else:
                self.idle += 1

    def tell(self):
        self.send("U", b"\x01" + struct.pack(">6d", *self.q))

    def is_silent(self):
        return self.silent_after and len(self.followed) >= self.silent_after


def serve(arm, listener, ended):
    due = time.monotonic()
    while not ended:
        ready, _, _ = select.select([listener, *([arm.client] if arm.client else [])], [], [], max(0.0, due - time.monotonic()))
        try:
            if listener in ready:
                arm.client, arm.received, arm.started = listener.accept()[0], b"", False
            elif ready and not arm.take():
                arm.client = None
            if time.monotonic() >= due:
                due = time.monotonic() + 0.002
                if arm.client and arm.started and not arm.is_silent():
                    arm.tell()
        except OSError:
            arm.client = None


def main():
    parser = argparse.ArgumentParser(prog="foreign.universal")
    parser.add_argument("--position", default="0,0,0,0,0,0")
    parser.add_argument("--silent-after", type=int, default=0)
    arm, ended = Arm(parser.parse_args()), []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.append(True))
    listener = socket.create_server(("127.0.0.1", 0))
    print("listening on 127.0.0.1:%d" % listener.getsockname()[1], flush=True)
    serve(arm, listener, ended)
    print(json.dumps({"followed": arm.followed, "idle": arm.idle}), file=sys.stderr, flush=True)


main()
