"""Bodies that are never held whole: in odd pieces, slowly, broken off, too large, many at once; memory stays flat."""

import gzip
import hashlib
import os
import threading
import time

import numpy as np
import pytest

from support import PATIENCE, Server, peak_memory, unique_name, until
from support.datasets import ARM, a_log, as_csv, series_rows, upload
from test_connections import read_answer

SOAK = os.environ.get("ARMDYN_SOAK") == "1"
SANITIZED = any(name in os.environ.get("ARMDYN_BINARY", "") for name in ("asan", "tsan"))  # they keep what was freed


@pytest.fixture(scope="module")
def server():
    with Server() as s:
        yield s


@pytest.fixture
def arm(server):
    with server.client() as client:
        return client.create_robot(ARM, name=unique_name()).headers["Location"]


def connect(server, place, headers, path="/datasets"):
    sock = server.connect(30 * PATIENCE)
    sock.sendall(f"POST {place}{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n{headers}\r\n\r\n".encode())
    return sock


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


@pytest.mark.parametrize("piece", [1, 3, 1000, 16384, 300000])
def test_pieces_of_any_size(server, arm, piece):
    """Chunks of a transfer fall anywhere into lines and numbers."""
    log = a_log(60 if piece < 10 else 12000)
    text = as_csv(log).encode()
    with connect(server, arm, "Transfer-Encoding: chunked") as sock:
        for at in range(0, len(text), piece):
            sock.sendall(chunk(text[at:at + piece]))
        sock.sendall(b"0\r\n\r\n")
        status, _, body = read_answer(sock)
        assert status == 201 and hashlib.sha256(log.tobytes()).hexdigest().encode() in body
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")  # the connection goes on
        assert read_answer(sock)[0] == 200


@pytest.mark.same_threads
def test_a_slow_sender_is_waited_for_as_long_as_it_sends():
    with Server("--body-timeout", 2) as server, server.client() as client:
        place = client.create_robot(ARM, name="arm").headers["Location"]
        text = as_csv(a_log(1500)).encode()
        with connect(server, place, f"Content-Length: {len(text)}") as sock:
            for at in range(0, len(text), 8192):  # 27 KiB a second, in all more than the two seconds that others have
                sock.sendall(text[at:at + 8192])
                time.sleep(0.3)
            assert read_answer(sock)[0] == 201
        with connect(server, place, f"Content-Length: {len(text)}") as sock:
            sock.sendall(text[:5000])
            assert read_answer(sock)[0] == 408
        before = time.monotonic()
        with connect(server, place, f"Content-Length: {len(text)}") as sock, pytest.raises((OSError, AssertionError)):
            while time.monotonic() - before < 30:  # 500 bytes a second are too slow
                sock.sendall(text[:50])
                time.sleep(0.1)
        assert time.monotonic() - before < 20
        until(lambda: series_rows(server)[0] < 5)


def test_who_leaves_leaves_nothing(server, arm):
    text = as_csv(a_log(40000)).encode()
    before = series_rows(server)
    for part in (0, 10, 300000, len(text) - 10):
        sock = connect(server, arm, f"Content-Length: {len(text)}")
        sock.sendall(text[:part])
        time.sleep(0.1)
        sock.close()
    until(lambda: series_rows(server) == before)
    with server.client() as client:
        assert client.get("/v1/datasets", query={"robot": arm.split("/")[-1]}).json["items"] == []
        upload(client, arm, text).expect(201)


def test_a_refusal_comes_before_the_end(server, arm):
    """Wrong names are told after the first block, while the client has gigabytes to send."""
    log = as_csv(a_log(2000), ["t", "q1", "q2", "tau1", "other"]).encode()
    with connect(server, arm, f"Content-Length: {1 << 32}") as sock:
        sent, began = 0, time.monotonic()
        try:
            for _ in range(10000):
                sock.sendall(log)
                sent += len(log)
        except OSError:
            pass
        status, _, body = read_answer(sock)
    assert status == 422 and b'\\"other\\" is not known' in body and sent < 1 << 30 and time.monotonic() - began < 30 * PATIENCE
    with server.client(check=False) as client:
        small = client.post(arm + "/datasets", body=log * 20, content_type="text/csv")  # read to its end: the connection is kept
        assert small.status == 422 and small.json["error_count"] == 1
        assert client.post("/v1/robots/nobody/datasets", body=log * 20, content_type="text/csv").status == 404
        assert client.get("/healthz").status == 200


def test_uploads_have_a_limit():
    with Server("--upload-limit", 1) as server, server.client(check=False) as client:
        place = client.create_robot(ARM, name="arm").headers["Location"]
        text = as_csv(a_log(30000)).encode()
        assert 1 << 20 < len(text)
        for body, headers in ((text, {}), (iter([text[:100000]] * 20), {}), (gzip.compress(text), {"Content-Encoding": "gzip"})):
            other = server.client(timeout=30 * PATIENCE).connection
            other.request("POST", place + "/datasets", body, {"Content-Type": "text/csv", **headers})
            assert other.getresponse().status == 413
            other.close()
        upload(client, place, text[:900000].rsplit(b"\n", 1)[0]).expect(201)
        until(lambda: series_rows(server)[0] == 4)  # samples and three levels: what was refused is gone


def blocks(megabytes, rows=5000):
    """A log of so many megabytes, made while it is sent."""
    yield b"t,q1,q2,tau1,tau2\n"
    sent, k = 0, 0
    while sent < megabytes << 20:
        t = (k + np.arange(rows)) / 1000
        text = "".join(f"{x:.3f},{a:.9g},{b:.9g},{c:.9g},{d:.9g}\n"
                       for x, a, b, c, d in zip(t, np.sin(t), 0.1 * np.cos(t), np.sin(3 * t), np.cos(t))).encode()
        yield text
        sent, k = sent + len(text), k + rows


def test_memory_does_not_grow_with_the_log(server, arm):
    megabytes = 1024 if SOAK else 4 if SANITIZED else 40
    with server.client() as client:
        upload(client, arm, as_csv(a_log(20000))).expect(201)
        before = peak_memory(server.pid)
        other = server.client(timeout=120 * PATIENCE).connection
        other.request("POST", arm + "/datasets", blocks(megabytes), {"Content-Type": "text/csv"}, encode_chunked=True)
        answer = other.getresponse()
        assert answer.status == 201, answer.read()
        assert SANITIZED or peak_memory(server.pid) - before < 24
        assert client.get("/healthz").status == 200


def test_others_are_served_meanwhile(server, arm):
    """Uploads whose senders pause hold no thread, more of them than there are: calls that touch the disk are answered."""
    text = as_csv(a_log(500 if SANITIZED else 4000)).encode()  # a sanitizer takes a second of processor for 4,000 rows
    begun = len(text) * 2 // 3
    senders = [connect(server, arm, f"Content-Length: {len(text)}") for _ in range(40)]
    for sock in senders:
        sock.sendall(text[:begun])
    with server.client() as client:
        began = time.monotonic()
        for _ in range(20):
            client.get("/v1/datasets").expect(200)
        assert time.monotonic() - began < 20 * PATIENCE
    results = []
    threads = [threading.Thread(target=lambda s=sock: (s.sendall(text[begun:]), results.append(read_answer(s)[0]))) for sock in senders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60 * PATIENCE)
    assert results == [201] * 40
    for sock in senders:
        sock.close()


def test_a_stop_ends_uploads_that_go_on():
    with Server("--stop-timeout", 4) as server, server.client() as client:
        place = client.create_robot(ARM, name="arm").headers["Location"]
        text = as_csv(a_log(20000)).encode()
        sock = connect(server, place, f"Content-Length: {len(text)}")
        sock.sendall(text[:600000])
        time.sleep(0.2)
        assert server.terminate() == 0
        sock.close()
        server.restart()
        assert series_rows(server) == (0, 0)
