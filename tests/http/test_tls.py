"""HTTPS by the service itself. Every other test runs over it, too: ARMDYN_TEST_TLS=1."""

import http.client
import io
import os
import re
import shutil
import signal
import socket
import ssl
import time

import numpy as np
import pytest

import test_connections
from support import PATIENCE, Process, Server, robot, unique_name, until
from support.events import EventStream
from support.process import open_sockets, resident_memory
from support.tls import certificate, trust

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
TIMEOUT = test_connections.TIMEOUT
KEY = "a key of the file, long enough"
SOAK = os.environ.get("ARMDYN_SOAK", "0") != "0"
SANITIZED = os.environ.get("ARMDYN_VARIANT", "release") != "release"  # their memory is kept after it is freed
HELD, STALLED, SECONDS = (1000, 100, 60) if SOAK else (60, 40, 2)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Certificate and key."""
    return certificate(tmp_path_factory.mktemp("tls"), "armdyn")


@pytest.fixture(scope="module")
def secure(files):
    with Server(tls=files, key=KEY) as server:
        yield server


@pytest.fixture(scope="module")
def impatient(files):
    with Server("--body-timeout", TIMEOUT, "--idle-timeout", 1, "--http-threads", 1, tls=files) as server:
        yield server


def handshake(server, context):
    """The certificate that the server shows, as DER, and the version of TLS."""
    with socket.create_connection((server.host, server.port), timeout=20) as raw, context.wrap_socket(raw, server_hostname="localhost") as sock:
        return sock.getpeercert(True), sock.version()


def anybody(**attributes):
    """A client that takes any certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for name, value in attributes.items():
        setattr(context, name, value)
    return context


# ---------------------------------------------------------------- the protocol
@pytest.mark.same_threads
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_versions(secure):
    """1.2 and 1.3, and nothing older."""
    for version, name in ((ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
        assert handshake(secure, anybody(minimum_version=version, maximum_version=version))[1] == name
    old = anybody(minimum_version=ssl.TLSVersion.TLSv1, maximum_version=ssl.TLSVersion.TLSv1_1)
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.raises(ssl.SSLError):
        handshake(secure, old)


def test_no_key_exchange_without_forward_secrecy(secure):
    context = anybody(maximum_version=ssl.TLSVersion.TLSv1_2)
    context.set_ciphers("kRSA:@SECLEVEL=0")
    with pytest.raises(ssl.SSLError):
        handshake(secure, context)


def test_it_says_where_it_listens(secure):
    assert re.fullmatch(rb"listening on https://127\.0\.0\.1:\d+\n", secure.stdout)


def test_plain_http_is_not_served(secure):
    with socket.create_connection((secure.host, secure.port), timeout=20) as sock:
        sock.sendall(test_connections.GET)
        answer = b""
        try:
            while more := sock.recv(1000):
                answer += more
        except ConnectionResetError:
            pass
    assert b"HTTP/" not in answer


def test_who_comes_over_tls_is_no_administrator(secure):
    """Connections of control.sock are; those that are relayed come over a socket of the same family."""
    with secure.client(key=None) as client:
        client.get("/v1/keys").expect(401)
        client.get("/v1/keys", headers={"Authorization": "Bearer wrong"}).expect(401)
    with secure.client() as client:
        entries = until(lambda: client.get("/v1/audit").expect(200).json["items"])
    assert {(item["entry"]["status"], item["entry"]["address"]) for item in entries} == {(401, "127.0.0.1")}
    with Process(("key", "list", "--data", secure.data)) as process:  # control.sock itself is as it was
        process.spawn()
        assert process.wait() == 0, process.log()


@pytest.mark.same_threads
def test_healthcheck(secure):
    for arguments, env in ((("--url", secure.url), {}),
                           ((), {"ARMDYN_LISTEN": f"0.0.0.0:{secure.port}", "ARMDYN_TLS_CERTIFICATE": "any"})):
        with Process(("healthcheck", *arguments), env) as process:
            process.spawn()
            assert process.wait() == 0, process.log()


# ---------------------------------------------------------------- what is carried
def test_large_bodies_arrive_whole_in_both_directions(secure, server):
    """9.6 MB there, 3.2 MB back: the same bytes as without TLS."""
    body = io.BytesIO()
    np.save(body, np.random.default_rng(7).uniform(-1, 1, (66_667, 18)))
    answers = []
    for one in (secure, server):
        with one.client() as client:
            arm = client.create_robot(robot("puma560"), name=unique_name("arm")).headers["Location"]
            answer = client.post(arm + "/inverse-dynamics", body=body.getvalue(), content_type="application/x-npy")
            answers.append(answer.expect(200).body)
    assert answers[0] == answers[1] and np.load(io.BytesIO(answers[0])).shape == (66_667, 6)


@pytest.mark.parametrize("count", [200, 1000] if SOAK else [200])
def test_many_connections(secure, count):
    test_connections.test_all_of_many_connections_are_served(secure, count)


def test_a_reader_that_is_slow_gets_all_of_it(secure):
    with secure.connect(receive_buffer=4096) as sock:
        sock.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        data = b""
        while more := sock.recv(8192):
            data += more
            time.sleep(0.002)
    head, body = data.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"Content-Length: (\d+)", head)[1])
    assert len(body) == length > 300_000


def test_events(secure):
    with secure.client() as client:
        arm = client.create_robot(robot("puma560"), name=unique_name("arm")).headers["Location"]
        stream = EventStream(secure, "/v1/events?jobs=*")
        assert stream.next().name == "snapshot"
        job = client.post(arm + "/trajectories", test_connections.motion()).expect(202).json
        while (event := stream.next()).data["state"] != "succeeded":
            assert event.name == "job" and event.data["id"] == job["id"]
        stream.socket.close()


@pytest.mark.same_threads
@pytest.mark.parametrize("request_text, status", test_connections.REFUSED.values(), ids=test_connections.REFUSED)
def test_refusals_are_read(secure, request_text, status):
    """Also those that the service writes while the client still sends."""
    with secure.connect() as sock:
        sock.sendall(request_text)
        answer = test_connections.read_answer(sock)
    assert answer[0] in (status if isinstance(status, tuple) else (status, 401)), answer


# ---------------------------------------------------------------- those who do not go on
@pytest.mark.same_threads
def test_a_request_that_does_not_come_is_answered_408(impatient):
    test_connections.test_a_request_that_does_not_come_is_answered_408(impatient, test_connections.BEGINNINGS["part of a body"])


HELLO = bytes.fromhex("1603010200010001fc0303")  # the beginning of a ClientHello of 512 bytes


@pytest.mark.same_threads
@pytest.mark.parametrize("beginning", [b"", HELLO], ids=["nothing", "half a ClientHello"])
def test_a_handshake_that_stalls_holds_its_place_no_longer_than_a_request(impatient, beginning):
    """All 120 places of the one thread are taken; the next client is served when their time is up."""
    stalled = [socket.create_connection((impatient.host, impatient.port), timeout=20) for _ in range(120)]
    start = time.monotonic()
    for sock in stalled:
        sock.sendall(beginning)
    with impatient.client() as client:
        client.get("/healthz").expect(200)
    assert time.monotonic() - start < TIMEOUT + 3 * PATIENCE
    for sock in stalled:
        with sock:
            assert sock.recv(100) == b"" or beginning == b""
    assert time.monotonic() - start < TIMEOUT + 3 * PATIENCE


def test_stalled_handshakes_delay_nobody(files):
    """Some begin a handshake and say no more, begun anew whenever their time is up; meanwhile who is connected is served,
    each with the same torques, and who comes shakes hands. Nothing is left of them. ARMDYN_SOAK=1: a thousand connections, a minute."""
    request = b"POST /v1/robots/puma560/inverse-dynamics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 67\r\n\r\n" \
              b'{"q": [0, 1, 0, 0, 0, 0], "qd": [1,0,0,0,0,0], "qdd":[0,0,0,0,0,1]}'

    def ask(sock):
        start = time.monotonic()
        sock.sendall(request)
        status, _, body = test_connections.read_answer(sock)
        assert status == 200
        return body, time.monotonic() - start

    def stall():
        sock = socket.create_connection((server.host, server.port), timeout=20)
        sock.sendall(HELLO)
        sock.setblocking(False)
        return sock

    def gone(sock):
        try:
            return sock.recv(1) == b""
        except (BlockingIOError, ConnectionResetError) as why:
            return isinstance(why, ConnectionResetError)

    with Server("--body-timeout", 10, "--idle-timeout", 300, tls=files) as server:
        with server.client() as client:
            client.create_robot(robot("puma560"), name="puma560")
            expected = client.post("/v1/robots/puma560/inverse-dynamics", body=request.split(b"\r\n\r\n")[1].decode(),
                                   content_type="application/json").expect(200).body
        before = open_sockets(server.pid)
        held, stalled, took = [server.connect() for _ in range(HELD)], [stall() for _ in range(STALLED)], []
        end, full = time.monotonic() + SECONDS, 0
        while time.monotonic() < end or len(took) < HELD:
            for sock in held:
                body, seconds = ask(sock)
                assert body == expected
                took.append(seconds)
            with server.connect() as new:
                new.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as every HTTP client has it
                took.append(ask(new)[1])
            stalled = [stall() if gone(sock) else sock for sock in stalled]
            full = full or resident_memory(server.pid)
        last = resident_memory(server.pid)
        for sock in (*held, *stalled):
            sock.close()
        until(lambda: open_sockets(server.pid) <= before, timeout=30, what="connections to end")
        took.sort()
        print(f"{len(took)} calls, median {took[len(took) // 2] * 1000:.1f} ms, p99 {took[len(took) * 99 // 100] * 1000:.1f} ms, "
              f"worst {took[-1] * 1000:.0f} ms; {full:.1f} MiB in the first round, {last:.1f} in the last")
        assert took[len(took) * 99 // 100] < PATIENCE and took[-1] < 10  # one that waited for a handshake's time took 10 s
        assert SANITIZED or last < 1.05 * full + 4  # MiB


def test_whoever_takes_no_answer_is_let_go(impatient):
    def connections():
        with impatient.client() as client:
            text = client.get("/metrics").expect(200).text
        return int(re.search(r"^armdyn_http_connections (\d+)", text, re.M)[1])
    until(lambda: connections() == 1)
    sock = impatient.connect(receive_buffer=2048)
    sock.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
    until(lambda: connections() == 2)
    until(lambda: connections() == 1, timeout=25)
    sock.close()


# ---------------------------------------------------------------- the files
def test_another_certificate_without_dropping_connections(tmp_path):
    crt, key = certificate(tmp_path, "armdyn")
    new_crt, new_key = certificate(tmp_path, "renewed")
    with Server(tls=(crt, key)) as server, server.client() as client:
        client.get("/healthz").expect(200)
        kept = client.connection.sock
        before = handshake(server, trust(crt))[0]

        shutil.copy(new_crt, crt)  # the key is still the former one
        server.signal(signal.SIGHUP)
        until(lambda: re.search(r"certificate was not reloaded.*is not the key of the certificate", server.log()))
        assert handshake(server, anybody())[0] == before

        shutil.copy(new_key, key)
        server.signal(signal.SIGHUP)
        until(lambda: handshake(server, anybody())[0] == ssl.PEM_cert_to_DER_cert(new_crt.read_text()))
        client.get("/healthz").expect(200)
        assert client.connection.sock is kept
        with pytest.raises(ssl.SSLCertVerificationError):
            handshake(server, server.tls)  # trusts the former one
        with Server.client(server, tls=trust(new_crt)) as other:
            text = other.get("/metrics").expect(200).text
        end = ssl.cert_time_to_seconds(trust(new_crt).get_ca_certs()[0]["notAfter"])
        assert f"armdyn_tls_certificate_expiry_timestamp_seconds {end}" in text


@pytest.mark.same_threads
def test_files_that_cannot_be_used(tmp_path):
    crt, key = certificate(tmp_path, "armdyn")
    _, other_key = certificate(tmp_path, "other")
    text = tmp_path / "text"
    text.write_text("no certificate\n")
    gone = tmp_path / "gone"
    for arguments, reason in ((("--tls-certificate", crt), "--tls-key is missing"),
                              (("--tls-key", key), "--tls-certificate is missing"),
                              (("--tls-certificate", gone, "--tls-key", key), f"--tls-certificate: cannot read '{gone}': No such file"),
                              (("--tls-certificate", crt, "--tls-key", gone), f"--tls-key: cannot read '{gone}': No such file"),
                              (("--tls-certificate", text, "--tls-key", key), f"--tls-certificate: '{text}' holds no PEM certificate"),
                              (("--tls-certificate", crt, "--tls-key", text), f"--tls-key: '{text}' holds no PEM key"),
                              (("--tls-certificate", crt, "--tls-key", other_key), f"--tls-key: '{other_key}' is not the key")):
        with Process(("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", *arguments)) as process:
            process.spawn()
            assert process.wait() == 2
            assert reason in process.log(), (arguments, process.log())


def test_a_client_that_speaks_http_2_too_is_told_the_protocol(secure):
    context = anybody()
    context.set_alpn_protocols(["h2", "http/1.1"])
    connection = http.client.HTTPSConnection(secure.host, secure.port, context=context, timeout=20)
    connection.connect()
    assert connection.sock.selected_alpn_protocol() == "http/1.1"
    connection.close()
