"""Clients that mean ill, or are broken: requests that hide another one, and a crowd of slow, silent, noisy and vanishing
clients. Whoever behaves is served meanwhile. ARMDYN_SOAK=1 makes the crowd a thousand, for a minute."""

import contextlib
import os
import random
import socket
import struct
import time

import pytest

from support import PATIENCE, Server, open_sockets, resident_memory, robot, until

SOAK = os.environ.get("ARMDYN_SOAK", "0") != "0"
SANITIZED = os.environ.get("ARMDYN_VARIANT", "release") != "release"
CROWD, SECONDS = (1000, 60) if SOAK else (60, 2)
HIDDEN = b"GET /v1/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"


def post(headers, body=b""):
    return b"POST /v1/robots HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers + b"\r\n" + body


def chunked(body):
    return post(b"Transfer-Encoding: chunked\r\n", body)


# Where one end of a proxy chain sees another end of a request than the other: nothing after it may be taken for a request.
SMUGGLED = {
    "TE and CL": post(b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\n\r\n"),
    "CL and TE": post(b"Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", b"0\r\n\r\n"),
    "TE twice": post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", b"0\r\n\r\n"),
    "TE list": post(b"Transfer-Encoding: identity, chunked\r\n", b"0\r\n\r\n"),
    "TE misspelt": post(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"),
    "TE with a vertical tab": post(b"Transfer-Encoding: \x0bchunked\r\n", b"0\r\n\r\n"),
    "TE with a space before the colon": post(b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n"),
    "TE folded": post(b"Transfer-Encoding:\r\n chunked\r\n", b"0\r\n\r\n"),
    "CL folded": post(b"Content-Length: 1\r\n 0\r\n", b"{}        "),
    "CL twice": post(b"Content-Length: 2\r\nContent-Length: 2\r\n", b"{}"),
    "CL with a sign": post(b"Content-Length: +2\r\n", b"{}"),
    "CL list": post(b"Content-Length: 2, 2\r\n", b"{}"),
    "CL in hexadecimal": post(b"Content-Length: 0x2\r\n", b"{}"),
    "CL with a space": post(b"Content-Length: 2 0\r\n", b"{}"),
    "CL with a space before the colon": post(b"Content-Length : 2\r\n", b"{}"),
    "CL after a bare CR": post(b"X-A: a\rContent-Length: 2\r\n"),
    "CL after a space": b"POST /v1/robots HTTP/1.1\r\n Content-Length: 2\r\nHost: localhost\r\n\r\n",
    "a line without a colon": post(b"Content-Length 2\r\nContent-Length: 2\r\n", b"{}"),
    "a chunk of negative size": chunked(b"-2\r\n{}\r\n0\r\n\r\n"),
    "a chunk whose size is no number": chunked(b"zz\r\n{}\r\n0\r\n\r\n"),
    "a chunk whose size has a prefix": chunked(b"0x2\r\n{}\r\n0\r\n\r\n"),
    "a chunk whose size has a space": chunked(b"2 \r\n{}\r\n0\r\n\r\n"),
    "a chunk without a size": chunked(b"\r\n{}\r\n0\r\n\r\n"),
    "a chunk longer than its size": chunked(b"1\r\n{}\r\n0\r\n\r\n"),
    "a chunk of more than 64 bits": chunked(b"ffffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
    "empty lines before": b"\r\n\r\n" + post(b"Content-Length: 2\r\n", b"{}"),
    "two targets": b"GET /healthz /v1/robots HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "a version to come": b"GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n",
}
# What is odd and yet has one end only: the request after it is a request.
SOUND = {
    "a chunk with an extension": chunked(b"2;a=b\r\n{}\r\n0\r\n\r\n"),
    "TE after a tab": post(b"Transfer-Encoding:\tchunked\r\n", b"2\r\n{}\r\n0\r\n\r\n"),
    "a header folded": post(b"X-A: a\r\n b\r\nContent-Length: 2\r\n", b"{}"),
    "an empty line before": b"\r\n" + post(b"Content-Length: 2\r\n", b"{}"),
}


def all_answers(server, request, enough=lambda data: False):
    """What comes back until the server closes the connection, or it is enough."""
    data = b""
    with server.connect() as sock, contextlib.suppress(ConnectionError):
        sock.sendall(request)
        while not enough(data) and (more := sock.recv(65536)):
            data += more
    return data


@pytest.mark.parametrize("request_", SMUGGLED.values(), ids=SMUGGLED)
def test_no_request_is_smuggled(server, request_):
    data = all_answers(server, request_ + HIDDEN)
    assert b"/v1/hidden" not in data and not data.startswith(b"HTTP/1.1 2"), data


@pytest.mark.parametrize("request_", SOUND.values(), ids=SOUND)
def test_odd_requests_end_where_they_end(server, request_):
    data = all_answers(server, request_ + HIDDEN, lambda data: b'"instance":"/v1/hidden"' in data)
    assert data.startswith(b"HTTP/1.1 422") and data.count(b"HTTP/1.1 ") == 2, data


def test_a_client_that_sends_no_more_gets_its_answer(server):
    with server.connect() as sock:
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        sock.shutdown(socket.SHUT_WR)
        data = b""
        while more := sock.recv(65536):
            data += more
    assert data.startswith(b"HTTP/1.1 200") and data.endswith(b'{"status":"ok"}')


class BadClient:
    """One connection of the crowd: what it sends at once, what it sends byte by byte, whether it reads."""

    KINDS = {
        "silent": (b"", b"", False),
        "half a head": (b"GET /healthz HTTP/1.1\r\nHo", b"", True),
        "half a body": (post(b"Content-Length: 500\r\n", b"{"), b"", True),
        "slow sender": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"a" * 10000, True),
        "slow sender of chunks": (post(b"Transfer-Encoding: chunked\r\n"), b"1\r\n \r\n" * 1000, True),
        "reads nothing": (b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20, b"", False),
        "large head": (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: " + b"a" * 60000, b"", True),
        "large body": (post(b"Content-Length: 90000000\r\n", b" " * 100000), b"", True),
        "noise": (bytes(range(256)) * 20, b"", True),
    }

    def __init__(self, server, chance):
        self.begin, self.rest, self.reads = chance.choice(list(self.KINDS.values()))
        self.socket = socket.create_connection((server.host, server.port))
        self.socket.setblocking(False)
        self.vanishes = chance.random() < 0.2  # by a reset
        with contextlib.suppress(OSError):
            self.socket.send(self.begin)

    def go_on(self):
        """One byte more; false when the server has closed the connection."""
        try:
            if self.rest:
                self.socket.send(self.rest[:1])
                self.rest = self.rest[1:]
            return not self.reads or self.socket.recv(65536) != b""
        except BlockingIOError:
            return not self.vanishes
        except OSError:
            return False

    def close(self):
        if self.vanishes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def test_who_behaves_is_served_among_a_crowd_that_does_not():
    chance = random.Random(5)
    with Server("--body-timeout", 2, "--idle-timeout", 2) as server, server.client() as client:
        client.create_robot(robot("puma560"), name="arm")
        sample = {"q": [0.1] * 6, "qd": [0.2] * 6, "qdd": [0.3] * 6}
        expected = client.post("/v1/robots/arm/inverse-dynamics", sample).expect(200).json
        before, memory, took, replaced = open_sockets(server.pid), None, [], 0
        crowd = [BadClient(server, chance) for _ in range(CROWD)]
        end = time.monotonic() + SECONDS
        while time.monotonic() < end or replaced < CROWD:
            for n in range(0, CROWD, 20):
                start = time.monotonic()
                assert client.post("/v1/robots/arm/inverse-dynamics", sample, check=False).expect(200).json == expected
                took.append(time.monotonic() - start)
                for k in range(n, min(n + 20, CROWD)):
                    if not crowd[k].go_on():
                        crowd[k].close()
                        crowd[k], replaced = BadClient(server, chance), replaced + 1
            memory = memory or (resident_memory(server.pid) if replaced >= CROWD else None)
        for one in crowd:
            one.close()
        took.sort()
        print(f"{len(took)} calls, median {took[len(took) // 2] * 1000:.1f} ms, p99 {took[len(took) * 99 // 100] * 1000:.1f} ms, "
              f"{replaced} bad clients let go")
        assert took[len(took) * 99 // 100] < 0.2 * PATIENCE and took[-1] < 3 * PATIENCE
        until(lambda: open_sockets(server.pid) <= before, timeout=60)
        assert SANITIZED or resident_memory(server.pid) < memory + 32
        client.get("/readyz").expect(200)
