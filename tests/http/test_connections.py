"""Many connections at once, slow ones, malformed ones: whatever one client does, the others are served."""

import contextlib
import re
import resource
import selectors
import socket
import threading
import time

import pytest

from support import PATIENCE, Server, open_sockets, robot, until
from support.motions import motion

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
TIMEOUT = 1  # s, the least that --body-timeout takes


@pytest.fixture(scope="module")
def server():
    with Server() as s:
        yield s


@pytest.fixture(scope="module")
def impatient():
    with Server("--body-timeout", TIMEOUT) as s:
        yield s


def connect(server):
    return server.connect()


def read_answer(sock):
    """(status, headers in lower case, body) of one answer with Content-Length; None when the peer closed before one."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            assert not data, data
            return None
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
    while len(body) < int(headers.get("content-length", 0)):
        body += sock.recv(65536)
    return int(lines[0].split()[1]), headers, body


def ask(server, request):
    with connect(server) as sock:
        sock.sendall(request)
        return read_answer(sock)


def is_served(server):
    return ask(server, GET)[0] == 200


# ---------------------------------------------------------------- numbers of connections
COUNTS = [1, 2, 63, 64, 65, 119, 120, 121, 127, 128, 129, 200, 255, 256, 257, 300, 1000]


@pytest.mark.sampled
@pytest.mark.parametrize("count", COUNTS)
def test_all_of_many_connections_are_served(server, count):
    """All open, all with a request under way at once, five rounds: libmicrohttpd's epoll loop hangs when exactly 128
    connections of one thread are ready together."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count + 200:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    sockets = [connect(server) for _ in range(count)]
    try:
        with selectors.DefaultSelector() as selector:
            for sock in sockets:
                selector.register(sock, selectors.EVENT_READ)
            for _ in range(5):
                for sock in sockets:
                    sock.sendall(GET)
                waiting, end = set(sockets), time.monotonic() + 20
                while waiting:
                    assert time.monotonic() < end, f"{len(waiting)} of {count} connections hang"
                    for key, _ in selector.select(1):
                        status, _, body = read_answer(key.fileobj)
                        assert (status, body) == (200, b'{"status":"ok"}')
                        waiting.discard(key.fileobj)
    finally:
        for sock in sockets:
            sock.close()


def test_two_threads_hold_what_they_promise():
    """With 2 threads 240 connections have a place."""
    with Server("--http-threads", 2) as server:
        sockets = [connect(server) for _ in range(240)]
        for _ in range(3):
            for sock in sockets:
                sock.sendall(GET)
            assert all(read_answer(sock)[0] == 200 for sock in sockets)
        for sock in sockets:
            sock.close()


def test_a_limit_for_each_address():
    with Server("--connections-per-address", 3) as server:
        sockets = [connect(server) for _ in range(3)]
        for sock in sockets:
            sock.sendall(GET)
            assert read_answer(sock)[0] == 200
        status, headers, _ = ask(server, GET.replace(b"/healthz", b"/v1/robots"))
        assert (status, headers["connection"]) == (429, "close")
        for sock in sockets:
            sock.close()
        until(lambda: ask(server, GET.replace(b"/healthz", b"/v1/robots"))[0] == 200)


def own_address():
    """An address of this machine that is none of loopback, or None. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.200", 9))
            return s.getsockname()[0]
        except OSError:
            return None


def test_an_address_off_loopback_has_two_hundred_connections_and_loopback_more():
    address = own_address()
    if not address or address.startswith("127."):
        pytest.skip("this machine has no address but those of loopback")
    with Server(listen="0.0.0.0:0", key="a-key-of-an-administrator") as server, contextlib.ExitStack() as open_ones:
        with server.client() as admin:
            viewer = admin.post("/v1/keys", {"name": "many", "role": "viewer"}).expect(201).json["secret"].encode()
            metrics = admin.get("/metrics").text
            assert "\narmdyn_streams_per_key_limit 50\n" in metrics and "\narmdyn_jobs_waiting_per_key_limit 400\n" in metrics
        def served(to):
            sock = open_ones.enter_context(socket.create_connection((to, server.port), timeout=60))
            sock.sendall(GET.replace(b"localhost\r\n", b"localhost\r\nAuthorization: Bearer " + viewer + b"\r\n").replace(b"/healthz", b"/v1/robots"))
            return read_answer(sock)[0] == 200
        assert all(served(address) for _ in range(200))
        assert not served(address)
        assert all(served("127.0.0.1") for _ in range(201))


# ---------------------------------------------------------------- slow clients
BEGINNINGS = {
    "nothing": b"",
    "part of the request line": b"GET /hea",
    "part of the headers": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n",
    "part of a body": b"POST /v1/robots HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{",
    "part of a chunked body": b"POST /v1/robots HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                              b"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":",
}


@pytest.mark.parametrize("beginning", BEGINNINGS.values(), ids=BEGINNINGS)
def test_a_request_that_does_not_come_is_answered_408(impatient, beginning):
    start = time.monotonic()
    with connect(impatient) as sock:
        sock.sendall(beginning)
        status, headers, body = read_answer(sock)
        assert status == 408 and headers["content-type"] == "application/problem+json" and b"/problems/timeout" in body
        assert headers["connection"] == "close" and headers["x-request-id"]
        assert sock.recv(1) == b""
    assert TIMEOUT * 0.9 <= time.monotonic() - start < TIMEOUT + 3 * PATIENCE


def test_a_byte_now_and_then_does_not_hold_a_connection(impatient):
    """Slowloris: each byte would start an inactivity timer anew."""
    slow, stop = [], threading.Event()

    def drip():
        with connect(impatient) as sock:
            sock.settimeout(0.1)
            start = time.monotonic()
            for byte in b"GET /healthz HTTP/1.1\r\nX-Slow: " + b"a" * 200:
                try:
                    sock.sendall(bytes([byte]))
                    answer = sock.recv(1000)
                    slow.append((answer, time.monotonic() - start))
                    return
                except TimeoutError:
                    continue
            slow.append((b"", time.monotonic() - start))

    threads = [threading.Thread(target=drip) for _ in range(20)]
    for thread in threads:
        thread.start()
    served = 0
    while any(thread.is_alive() for thread in threads):
        assert is_served(impatient)
        served += 1
    stop.set()
    assert served > 20
    assert len(slow) == 20 and all(answer.startswith(b"HTTP/1.1 408") for answer, _ in slow), slow[:2]
    assert max(took for _, took in slow) < TIMEOUT + 3 * PATIENCE


def test_a_kept_connection_ends_without_an_answer_nobody_asked_for():
    with Server("--idle-timeout", 1) as server, connect(server) as sock:
        sock.sendall(GET)
        assert read_answer(sock)[0] == 200
        start = time.monotonic()
        assert sock.recv(100) == b""
        assert 0.8 < time.monotonic() - start < 4 * PATIENCE


def test_whoever_takes_no_answer_is_let_go():
    """An answer that nobody reads is not held for ever."""
    with Server("--idle-timeout", 1) as server:
        assert is_served(server)
        time.sleep(0.5)  # the connection of is_served is closed
        before = open_sockets(server.pid)
        sock = server.connect(receive_buffer=2048)
        until(lambda: open_sockets(server.pid) > before)
        sock.sendall(b"GET /v1/problems HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2000)  # 12 MB, more than the kernel takes
        until(lambda: open_sockets(server.pid) <= before, timeout=25)
        assert is_served(server)
        sock.close()


@pytest.mark.same_threads
def test_a_long_answer_lasts_as_long_as_its_reader_goes_on():
    """The idle timeout is for clients that take nothing; 60 MB of samples may take longer than that."""
    with Server("--idle-timeout", 1) as server, server.client() as client:
        arm = client.create_robot(robot("puma560")).headers["Location"]
        job = client.post(arm + "/trajectories", motion(duration=100), headers={"Prefer": "wait=60"},
                          query={"include": "result"}).expect(200).json
        sock = server.connect(receive_buffer=65536)
        path = job["result"]["value"]["samples"]
        sock.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        data = bytearray()
        slowly = time.monotonic() + 4
        while more := sock.recv(65536):
            data += more
            if time.monotonic() < slowly:
                time.sleep(0.05)
        sock.close()
    assert data.endswith(b"\r\n0\r\n\r\n"), f"cut off after {len(data)} bytes"


# ---------------------------------------------------------------- malformed and oversize
def post(headers, body=b"", path="/v1/robots"):
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode() + body


JSON = "Content-Type: application/json\r\n"
REFUSED = {
    "TE and CL": (post(JSON + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"), 400),
    "CL and TE": (post(JSON + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", b"0\r\n\r\n"), 400),
    "two lengths": (post(JSON + "Content-Length: 2\r\nContent-Length: 4\r\n", b"{}"), 400),
    "unknown transfer encoding": (post(JSON + "Transfer-Encoding: gzip\r\n"), 400),
    "negative length": (post(JSON + "Content-Length: -1\r\n"), 400),
    "length that is no number": (post(JSON + "Content-Length: 1x\r\n"), 400),
    "length beyond the limit": (post(JSON + "Content-Length: 1073741824\r\n"), 413),
    "length beyond 64 bits": (post(JSON + "Content-Length: 99999999999999999999999\r\n"), (400, 413)),
    "long URL": (b"GET /healthz?x=" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    "very long URL": (b"GET /healthz?x=" + b"a" * 200000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    "many headers": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: 0123456789\r\n" * 200 + b"X-B: " + b"b" * 30000 + b"\r\n\r\n", 431),
    "very many headers": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: 0123456789\r\n" * 9000 + b"\r\n\r\n", 431),
    "two hosts": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: u\r\n\r\n", 400),
    "malformed escape": (b"GET /v1/robots/%g1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    "NUL in the path": (b"GET /v1/robots/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    "no Content-Type": (post("Content-Length: 2\r\n", b"{}"), 415),
    "other Content-Type": (post("Content-Type: text/html\r\nContent-Length: 2\r\n", b"{}"), 415),
    "nothing acceptable": (b"GET /v1/robots HTTP/1.1\r\nHost: localhost\r\nAccept: image/png\r\n\r\n", 406),
    "unknown method": (b"BREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    "unknown path": (b"GET /v2/robots HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "trailing slash": (b"GET /v1/robots/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "deep path": (b"GET " + b"/a" * 40 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "parameter given twice": (b"GET /v1/robots?limit=1&limit=2 HTTP/1.1\r\nHost: localhost\r\n\r\n", 422),
    "unknown parameter": (b"GET /v1/robots?limits=1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 422),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused(server, case):
    request, expected = case
    with connect(server) as sock:
        try:
            sock.sendall(request)
        except ConnectionError:
            pass  # refused before it was all there; the answer is still to be read
        status, headers, _ = read_answer(sock)
    assert status in (expected if isinstance(expected, tuple) else (expected,))
    assert is_served(server)


@pytest.mark.parametrize("target", ["http://t/healthz", "HTTP://t:80/healthz", "https://[::1]/healthz"])
def test_the_absolute_form_asks_for_its_path(server, target):
    assert ask(server, f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())[0] == 200
    assert ask(server, b"GET http://t HTTP/1.1\r\nHost: localhost\r\n\r\n")[0] == ask(server, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")[0]


def test_405_and_options_name_the_methods(server):
    status, headers, _ = ask(server, b"DELETE /v1/robots HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (status, headers["allow"]) == (405, "GET, HEAD, POST, OPTIONS")
    status, headers, _ = ask(server, b"OPTIONS /v1/robots HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert (status, headers["allow"]) == (204, "GET, HEAD, POST, OPTIONS")


def test_a_body_that_outgrows_its_limit_in_chunks(server):
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    with connect(server) as sock:
        sock.sendall(post(JSON + "Transfer-Encoding: chunked\r\n"))
        try:
            for _ in range(200):
                sock.sendall(chunk)
        except ConnectionError:
            pass
        status, _, body = read_answer(sock)
    assert status == 413 and b"/problems/too-large" in body
    assert is_served(server)


def test_a_refusal_reaches_a_client_that_sends_on(server):
    """The answer is not destroyed by a reset while 20 MB more are on their way."""
    with connect(server) as sock:
        sock.sendall(post(JSON + "Content-Length: 20000000\r\n"))
        for _ in range(20):
            sock.sendall(b" " * 1000000)
        assert read_answer(sock)[0] == 413


def test_100_continue(server):
    """A large body is asked for, or refused, before it is sent."""
    with connect(server) as sock:
        sock.sendall(post(JSON + "Expect: 100-continue\r\nContent-Length: 2\r\n"))
        assert sock.recv(1000).startswith(b"HTTP/1.1 100")
        sock.sendall(b"{}")
        assert read_answer(sock)[0] == 422
    with connect(server) as sock:
        sock.sendall(post(JSON + "Expect: 100-continue\r\nContent-Length: 2000000\r\n"))
        assert read_answer(sock)[0] == 413


def test_a_refused_small_body_keeps_the_connection(server):
    with connect(server) as sock:
        sock.sendall(post("Content-Length: 2\r\n", b"{}"))
        assert read_answer(sock)[0] == 415
        sock.sendall(GET)
        assert read_answer(sock)[0] == 200


def test_pipelined_requests(server):
    with connect(server) as sock:
        sock.sendall(GET * 5)
        data = b""
        while data.count(b'{"status":"ok"}') < 5:
            data += sock.recv(65536)
        assert len(re.findall(rb"HTTP/1.1 200", data)) == 5


def test_request_ids(server):
    with server.client() as client:
        made = {client.get("/healthz").headers["X-Request-Id"] for _ in range(5)}
        assert len(made) == 5
        for own in ("order-7.a_B", "a" * 64):
            assert client.get("/healthz", headers={"X-Request-Id": own}).headers["X-Request-Id"] == own
        for bad in ("a" * 65, "a b", 'a"b', "ä"):
            assert client.get("/healthz", headers={"X-Request-Id": bad.encode()}, check=False).headers["X-Request-Id"] != bad
