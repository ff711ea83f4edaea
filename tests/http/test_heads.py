"""Heads that are none, and bodies that end nowhere: one refusal, the connection closed, and nothing of the rest taken for a
request; plain, over TLS, and behind a proxy of others that keeps its connections."""

import contextlib
import http.client
import io
import os
import select
import shutil
import signal
import socket
import ssl
import subprocess

import pytest

from support import Server, until
from support.process import free_port
from support.tls import shared

HIDDEN = b"GET /v1/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
SOUND = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def get(*lines, line=b"GET /healthz HTTP/1.1", host=b"Host: localhost"):
    return b"\r\n".join([line, *filter(None, [host]), *lines]) + b"\r\n\r\n"


def post(*lines, body=b""):
    return get(b"Content-Type: application/json", *lines, line=b"POST /v1/robots HTTP/1.1") + body


def length(value, body=b"{}"):
    return post(b"Content-Length: " + value, body=body)


def chunks(body, *lines):
    return post(b"Transfer-Encoding: chunked", *lines, body=body)


BAD = {
    # where the request ends
    "length list": length(b"4, 4", b"{  }"), "length list of one": length(b"2,"), "length with plus": length(b"+42"), "length with minus": length(b"-1"),
    "length in hexadecimal": length(b"0x2a"), "length of 2^64 + 42": length(b"18446744073709551658"), "length of 2^63": length(b"9223372036854775808"),
    "length with NUL": length(b"13\0" + b"1"), "length after NUL": length(b"\0" + b"13"), "length empty": length(b""), "length of blanks": length(b"   "),
    "length with blank": length(b"2 0"), "length with fraction": length(b"2.0"), "length with exponent": length(b"2e0"), "length with underscore": length(b"1_0"),
    "length after a vertical tab": length(b"\x0b2"), "length behind a bare CR": length(b"\r2"), "length of many zeros": length(b"0" * 30 + b"2"), "length in other digits": length("２".encode()),
    "length twice, the same": post(b"Content-Length: 2", b"Content-Length: 2", body=b"{}"), "length twice, differing": post(b"Content-Length: 2", b"Content-Length: 40", body=b"{}"),
    "length twice, in other letters": post(b"Content-Length: 2", b"CONTENT-LENGTH: 2", body=b"{}"), "length folded": post(b"Content-Length: 1\r\n 0", body=b"{}" + b" " * 8),
    "length and encoding": chunks(b"0\r\n\r\n", b"Content-Length: 5"), "encoding gzip": post(b"Transfer-Encoding: gzip"), "encoding identity": post(b"Transfer-Encoding: identity"),
    "encoding list": post(b"Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n"), "encoding twice": chunks(b"0\r\n\r\n", b"Transfer-Encoding: chunked"),
    "encoding misspelt": post(b"Transfer-Encoding: xchunked", body=b"0\r\n\r\n"), "encoding with a parameter": post(b"Transfer-Encoding: chunked;q=1", body=b"0\r\n\r\n"),
    "encoding in quotes": post(b'Transfer-Encoding: "chunked"', body=b"0\r\n\r\n"), "encoding folded": post(b"Transfer-Encoding:\r\n chunked", body=b"0\r\n\r\n"),
    "encoding with NUL": post(b"Transfer-Encoding: chunked\0", body=b"0\r\n\r\n"), "encoding of HTTP/1.0": get(b"Transfer-Encoding: chunked", line=b"POST /v1/robots HTTP/1.0") + b"0\r\n\r\n",
    # lines
    "bare LF behind a header": b"GET /healthz HTTP/1.1\r\nHost: localhost\nX-A: b\r\n\r\n", "bare LF behind the request line": b"GET /healthz HTTP/1.1\nHost: localhost\r\n\r\n",
    "bare LF everywhere": b"GET /healthz HTTP/1.1\nHost: localhost\n\n", "bare LF at the end": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\n", "bare CR in a value": get(b"X-A: a\rContent-Length: 2"),
    "bare CR at the end of a value": get(b"X-A: a\r"), "bare CR before the colon": get(b"X-A\r: a"), "NUL in a value": get(b"X-A: a\0b"), "NUL in a name": get(b"X\0A: b"), "NUL in the target": get(line=b"GET /healthz\0/x HTTP/1.1"),
    "NUL in the method": get(line=b"G\0T /healthz HTTP/1.1"), "NUL behind the version": get(line=b"GET /healthz HTTP/1.1\0"), "bell in a value": get(b"X-A: \x07"), "DEL in a value": get(b"X-A: \x7f"),
    "blank before the colon": get(b"X-A : b"), "length with a blank before the colon": post(b"Content-Length : 2", body=b"{}"), "no colon": get(b"X-A"), "no name": get(b": b"),
    "name in brackets": get(b"X(A): b"), "a blank before the first header": b"GET /healthz HTTP/1.1\r\n X-A: b\r\nHost: localhost\r\n\r\n", "name of other letters": get("Ä: b".encode()),
    # who is asked, and by whom
    "no host": get(host=None), "two hosts": get(b"Host: other"), "two hosts, the same": get(b"HOST: localhost"), "host list": get(host=b"Host: localhost, other"), "host with a user": get(host=b"Host: a@localhost"),
    "host with a path": get(host=b"Host: localhost/x"), "host with a blank": get(host=b"Host: localhost other"), "host folded": get(host=b"Host: localhost\r\n other"), "two keys": get(b"Authorization: Bearer a", b"Authorization: Bearer b"),
    "two keys, the same": get(b"Authorization: Bearer a", b"authorization: Bearer a"),
    # the request line
    "two targets": get(line=b"GET /healthz /x HTTP/1.1"), "two blanks": get(line=b"GET  /healthz HTTP/1.1"), "a tab": get(line=b"GET\t/healthz HTTP/1.1"), "no target": get(line=b"GET HTTP/1.1"), "no version": get(line=b"GET /healthz"),
    "version to come": get(line=b"GET /healthz HTTP/9.9"), "version 1.2": get(line=b"GET /healthz HTTP/1.2"), "version in small letters": get(line=b"GET /healthz http/1.1"), "version with a blank": get(line=b"GET /healthz HTTP/1.1 "),
    "version with more digits": get(line=b"GET /healthz HTTP/1.10"), "method of brackets": get(line=b"G(T /healthz HTTP/1.1"), "HTTP/2 without asking": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "a blank first": b" " + SOUND, "TLS to a plain port": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n",
    # chunks
    "chunk of negative size": chunks(b"-2\r\n{}\r\n0\r\n\r\n"), "chunk with plus": chunks(b"+2\r\n{}\r\n0\r\n\r\n"), "chunk with a prefix": chunks(b"0x2\r\n{}\r\n0\r\n\r\n"), "chunk with a blank": chunks(b"2 \r\n{}\r\n0\r\n\r\n"),
    "chunk after a blank": chunks(b" 2\r\n{}\r\n0\r\n\r\n"), "chunk without a size": chunks(b"\r\n{}\r\n0\r\n\r\n"), "chunk of no number": chunks(b"zz\r\n{}\r\n0\r\n\r\n"), "chunk with bare LF": chunks(b"2\n{}\r\n0\r\n\r\n"),
    "chunk with bare CR": chunks(b"2\r{}\r\n0\r\n\r\n"), "chunk that ends with bare LF": chunks(b"2\r\n{}\n0\r\n\r\n"), "chunk longer than it says": chunks(b"1\r\n{}\r\n0\r\n\r\n"), "chunk shorter than it says": chunks(b"3\r\n{}\r\n0\r\n\r\n"),
    "chunk beyond 64 bits": chunks(b"10000000000000002\r\n{}\r\n0\r\n\r\n"), "chunk of many zeros": chunks(b"0" * 40 + b"2\r\n{}\r\n0\r\n\r\n"), "chunk with NUL": chunks(b"2\0\r\n{}\r\n0\r\n\r\n"),
    "extension without a name": chunks(b"2;\r\n{}\r\n0\r\n\r\n"), "extension with bare LF": chunks(b"2;a\n{}\r\n0\r\n\r\n"), "extension with bare CR": chunks(b"2;a\rb\r\n{}\r\n0\r\n\r\n"), "extension without a value": chunks(b"2;a=\r\n{}\r\n0\r\n\r\n"),
    "extension with an open quote": chunks(b'2;a="b\r\n{}\r\n0\r\n\r\n'), "extension of a kilobyte": chunks(b"2;" + b"a" * 1024 + b"\r\n{}\r\n0\r\n\r\n"), "the last chunk with bare LF": chunks(b"2\r\n{}\r\n0\n\n"),
    "trailer that is a length": chunks(b"2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n"), "trailer that is a host": chunks(b"2\r\n{}\r\n0\r\nHost: x\r\n\r\n"), "trailer without a colon": chunks(b"2\r\n{}\r\n0\r\nX\r\n\r\n"),
    "trailer with bare LF": chunks(b"2\r\n{}\r\n0\r\nX-A: b\n\r\n"), "trailer with NUL": chunks(b"2\r\n{}\r\n0\r\nX-A: \0\r\n\r\n"), "trailers of 8 KiB": chunks(b"2\r\n{}\r\n0\r\n" + b"X-A: " + b"b" * 8192 + b"\r\n\r\n"),
}
TOO_LARGE = {
    "500 parameters": (get(line=b"GET /v1/robots?" + b"a&" * 500 + b" HTTP/1.1"), 414), "3000 parameters": (get(line=b"GET /v1/robots?" + b"&".join(b"%d" % i for i in range(1400)) + b" HTTP/1.1"), 414),
    "a target of 9 KiB": (get(line=b"GET /" + b"a" * 9000 + b" HTTP/1.1"), 414), "a target of 200 KiB": (get(line=b"GET /" + b"a" * 200000 + b" HTTP/1.1"), 414),
    "101 headers": (get(*[b"X-A: b"] * 100), 431), "9000 headers": (get(*[b"a:"] * 9000), 431), "headers of 17 KiB": (get(b"X-A: " + b"a" * 17000), 431), "headers of 200 KiB": (get(*[b"X-A: " + b"a" * 1000] * 200), 431),
}
CASES = {**{name: (request, 400) for name, request in BAD.items()}, **TOO_LARGE}


@pytest.fixture(scope="module")
def secure():
    with Server(tls=shared()) as server:
        yield server


@contextlib.contextmanager
def haproxy(server, folder, mode):
    """The port of a proxy before the server."""
    if not shutil.which("haproxy"):
        pytest.skip("haproxy is not installed")
    port, config = free_port(), folder / "haproxy.cfg"
    config.write_text(f"defaults\n {mode}\n timeout connect 60s\n timeout client 60s\n timeout server 60s\n"
                      f"listen armdyn\n bind 127.0.0.1:{port}\n server one {server.host}:{server.port}\n")
    proxy = subprocess.Popen(["haproxy", "-db", "-q", "-f", str(config)], stdin=subprocess.DEVNULL)

    def answers():
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0
    try:
        until(answers, 60)
        yield port
    finally:
        proxy.terminate()
        proxy.wait()


@pytest.fixture(scope="module")
def proxied(server, tmp_path_factory):
    """The port of a proxy that changes no byte."""
    with haproxy(server, tmp_path_factory.mktemp("haproxy"), "mode tcp") as port:
        yield port


@pytest.fixture(scope="module")
def understood(server, tmp_path_factory):
    """The port of a proxy that reads requests, writes them anew, and sends those of all clients over the same connections."""
    with haproxy(server, tmp_path_factory.mktemp("haproxy"), "mode http\n http-reuse always") as port:
        yield port


WAYS = ["plain", "TLS", "proxy"]
# The parser takes the same bytes from all of them: a sanitizer sees each case once.
ONE_WAY = ["plain", *(pytest.param(way, marks=pytest.mark.slow) for way in WAYS[1:])]


@pytest.fixture(params=WAYS)
def connect(request, server):
    if request.param == "TLS":
        return request.getfixturevalue("secure").connect
    if request.param == "proxy":
        port = request.getfixturevalue("proxied")
        return lambda: socket.create_connection(("127.0.0.1", port), timeout=60)
    return server.connect


NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


def all_of(sock, pieces):
    """What comes back until the other side closes; it may do so before it has all. It is read while the pieces go out: nobody need wait
    for a peer that takes no answers."""
    data, left = b"", [*pieces]
    sock.setblocking(False)
    while True:
        assert any(select.select([sock], [sock] if left else [], [], 60)), "neither an answer nor an end"
        try:
            if left:
                left[0] = left[0][sock.send(left[0]):]
                left = left if left[0] else left[1:]
        except NOT_NOW:
            pass
        except OSError:
            left = []
        try:
            while more := sock.recv(65536):
                data += more
            return data
        except NOT_NOW:
            pass
        except ConnectionError:
            return data


def answers_in(data):
    """Statuses and bodies of the whole answers that the data is, and of nothing else."""
    class Wire:
        def __init__(self):
            self.file = io.BytesIO(data)

        def makefile(self, mode):
            file, self.file.close = self.file, lambda: None
            return file
    wire, found = Wire(), []
    while wire.file.tell() < len(data):
        response = http.client.HTTPResponse(wire)
        response.begin()
        found.append((response.status, response.read()))
    return found


@pytest.mark.same_threads
@pytest.mark.parametrize("connect", ONE_WAY, indirect=True)
@pytest.mark.parametrize("name", CASES)
def test_one_refusal_and_no_more(connect, name):
    request, status = CASES[name]
    with connect() as sock:
        answers = answers_in(all_of(sock, [request + HIDDEN * 2]))
    assert [one for one, _ in answers] == [status], answers
    assert b'"type":"/problems/' in answers[0][1] and b"hidden" not in answers[0][1]


@pytest.mark.same_threads
@pytest.mark.parametrize("connect", ONE_WAY, indirect=True)
@pytest.mark.parametrize("name", CASES)
def test_what_came_before_is_answered_first(connect, name):
    request, status = CASES[name]
    with connect() as sock:
        answers = answers_in(all_of(sock, [SOUND * 3 + request[:7], request[7:] + HIDDEN]))
    assert [one for one, _ in answers] == [200] * 3 + [status], answers


@pytest.mark.same_threads
def test_a_head_byte_by_byte_and_its_answer(connect):
    request = post(b"Transfer-Encoding: chunked", b"Connection: close", body=b'2;a="b";c\r\n{}\r\n0\r\nX-A: b\r\n\r\n')
    with connect() as sock:
        answers = answers_in(all_of(sock, [SOUND, *(request[i:i + 1] for i in range(len(request)))]))
    assert [one for one, _ in answers] == [200, 422]


@pytest.mark.sampled
def test_many_requests_at_once_in_odd_pieces(connect):
    stream = (SOUND + post(b"Content-Length: 2", body=b"{}") + chunks(b"2\r\n{}\r\n0\r\n\r\n") + get(b"X-A: a\r\n b")) * 200 + get(b"Connection: close")
    for size in (1009, 16384, 16385, len(stream)):
        with connect() as sock:
            pieces = [stream[i:i + size] for i in range(0, len(stream), size)]
            answers = answers_in(all_of(sock, pieces))
        assert [one for one, _ in answers] == [200, 422, 422, 200] * 200 + [200]


def test_a_head_in_two_lines_at_the_beginning_of_a_full_buffer(server):
    """libmicrohttpd closed the connection after its answer, without a word, when so much came at once."""
    many = 800
    for start in (b"", SOUND):
        with server.connect() as sock:
            sock.sendall(start)
            until(lambda sock=sock, start=start: not start or select.select([sock], [], [], 0)[0])
            os.kill(server.pid, signal.SIGSTOP)
            sock.sendall(get(b"X-A: a\r\n b") + SOUND * many)  # more than any buffer takes at once
            os.kill(server.pid, signal.SIGCONT)
            answers = answers_in(all_of(sock, [get(b"Connection: close")]))
        assert [one for one, _ in answers] == [200] * (bool(start) + 1 + many + 1)


@pytest.mark.slow  # what the service gets from it, the cases above have
@pytest.mark.parametrize("name", [name for name in CASES if name != "HTTP/2 without asking"])  # which the proxy speaks
def test_behind_a_proxy_that_reads_requests_everybody_gets_his_own_answer(understood, name):
    """Some it refuses itself, some it mends, and then what stands behind is a request as it says: but never do the two differ
    in where one ends, or the next client would get the answer to what was hidden."""
    request, status = CASES[name]
    with socket.create_connection(("127.0.0.1", understood), timeout=60) as sock:
        with contextlib.suppress(OSError):
            sock.sendall(request + HIDDEN)
            sock.shutdown(socket.SHUT_WR)
        first, *rest = [one for one, _ in answers_in(all_of(sock, []))]
    assert first in (200, 422, status, 400) and rest in ([], [404])
    for number in range(2):
        mine = f"mine-{number}".encode()
        with socket.create_connection(("127.0.0.1", understood), timeout=60) as sock:
            data = all_of(sock, [get(b"X-Request-Id: " + mine, b"Connection: close")])
        assert [one for one, _ in answers_in(data)] == [200] and b"\r\nx-request-id: " + mine + b"\r\n" in data.lower(), data
