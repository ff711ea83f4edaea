"""A reader of server-sent events over a plain socket."""

import dataclasses
import json
import socket
import time


@dataclasses.dataclass
class Event:
    id: int
    name: str
    data: object


class EventStream:
    """GET `path` of a server as a stream: next() answers events, `comments` counts the lines that carry none."""

    def __init__(self, server, path="/v1/events", last=None, key=None, receive_buffer=None, headers=()):
        self.socket = server.connect(60, receive_buffer)
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Accept: text/event-stream", *headers]
        if last is not None:
            lines.append(f"Last-Event-ID: {last}")
        if key or server.key:
            lines.append(f"Authorization: Bearer {key or server.key}")
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.raw, self.text, self.ended, self.comments = b"", "", False, 0
        self.head = self._head()
        self.status = int(self.head.split(b" ")[1])

    def _receive(self):
        more = self.socket.recv(65536)
        self.raw += more
        return bool(more)

    def _head(self):
        while b"\r\n\r\n" not in self.raw:
            assert self._receive(), self.raw
        head, self.raw = self.raw.split(b"\r\n\r\n", 1)
        return head

    def _take_chunks(self):
        """Whole chunks that have arrived go to the text."""
        while b"\r\n" in self.raw:
            size, rest = self.raw.split(b"\r\n", 1)
            length = int(size, 16)
            if len(rest) < length + 2:
                return
            self.text += rest[:length].decode()
            self.raw = rest[length + 2:]
            if length == 0:
                self.ended = True
                return

    def next(self, timeout=60):
        """The next event, or None when the stream has ended (`ended`: as it should, else it was broken off)."""
        end = time.monotonic() + timeout
        while True:
            self._take_chunks()
            while "\n\n" in self.text:
                block, self.text = self.text.split("\n\n", 1)
                fields = [line.split(": ", 1) for line in block.split("\n")]
                self.comments += sum(name == "" for name, _ in fields)
                event = dict(fields)
                if "event" in event:
                    return Event(int(event["id"]) if "id" in event else None, event["event"], json.loads(event["data"]))
            if self.ended:
                return None
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                if not self._receive():
                    return None
            except ConnectionError:
                return None

    def until(self, wanted, timeout=60):
        """Events up to the first one that `wanted` is true of."""
        end, seen = time.monotonic() + timeout, []
        while not seen or not wanted(seen[-1]):
            event = self.next(end - time.monotonic())
            assert event, f"the stream ended after {seen[-3:]}"
            seen.append(event)
        return seen

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
