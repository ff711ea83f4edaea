"""The process around HTTP: options, what it says where, signals, stopping."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

import pytest

from support import PATIENCE, Process, Server, binary, until

KEY = "a-key-of-enough-characters"


def run(*arguments, env=None, timeout=20):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ARMDYN_")}
    return subprocess.run([binary(), *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          env={**clean, **(env or {})}, stdin=subprocess.DEVNULL)


# ---------------------------------------------------------------- options
HELP = run("serve", "--help").stdout
OPTIONS = re.findall(r"^  (--[a-z-]+) ([A-Z:]+)$\n.*\n\s+(ARMDYN_[A-Z_]+), default:? ?(.*)$", HELP, re.M)


@pytest.mark.same_threads
def test_the_help_lists_every_option():
    assert len(OPTIONS) == len(re.findall(r"^  --", HELP, re.M)) >= 12
    assert all(variable == "ARMDYN_" + flag[2:].replace("-", "_").upper() for flag, _, variable, _ in OPTIONS)


@pytest.mark.same_threads
@pytest.mark.sampled
@pytest.mark.parametrize("option", [o for o in OPTIONS if o[1] in ("N", "SECONDS", "LEVEL", "ACTION")], ids=lambda o: o[0])
@pytest.mark.parametrize("bad", ["nonsense", "-2", "", "99999999999999999999"])
def test_a_bad_value_is_named_with_its_option(option, bad):
    flag, _, variable, _ = option
    for done, name in ((run("serve", flag, bad), flag), (run("serve", f"{flag}={bad}"), flag),
                       (run("serve", env={variable: bad}), variable)):
        assert done.returncode == 2 and done.stdout == ""
        assert f"{name}: '{bad}'" in done.stderr


@pytest.mark.same_threads
@pytest.mark.sampled
@pytest.mark.parametrize("option", OPTIONS, ids=lambda o: o[0])
def test_a_flag_without_its_value(option):
    done = run("serve", option[0])
    assert done.returncode == 2 and f"{option[0]} needs a value" in done.stderr


@pytest.mark.same_threads
def test_a_flag_wins_over_its_variable():
    done = run("serve", "--http-threads", "x", env={"ARMDYN_HTTP_THREADS": "3"})
    assert "--http-threads: 'x'" in done.stderr
    server = Server(env={"ARMDYN_LISTEN": "127.0.0.1:1"})
    server.close()


@pytest.mark.same_threads
@pytest.mark.parametrize("wrong, right", [("--lisen", "--listen"), ("--http-thread=4", "--http-threads"), ("--stop_timeout", "--stop-timeout")])
def test_a_misspelt_option_is_corrected(wrong, right):
    done = run("serve", wrong, "1")
    assert done.returncode == 2 and f"did you mean {right}?" in done.stderr


@pytest.mark.same_threads
def test_unknown_arguments_and_commands():
    assert run("serve", "--completely-different").returncode == 2
    assert run("serve", "stray").returncode == 2
    assert run("srve").returncode == 2
    assert run("help").returncode == run("--help").returncode == run().returncode == 0
    assert run("version").stdout.startswith("armdyn ")
    assert run("version", "--all").returncode == run("version", "--libraries", "x").returncode == 2
    for command in re.findall(r"^  ([a-z-]+) ", run("help").stdout, re.M):
        assert run("help", command).returncode == 0, command


@pytest.mark.same_threads
def test_libraries_are_those_that_are_loaded():
    """As Python, which has loaded some of them from the same packages, and the linker of this system know them."""
    ours = dict(line.rsplit(" ", 1) for line in run("version", "--libraries").stdout.splitlines())
    python = "import sqlite3, zlib, os; print(sqlite3.sqlite_version, zlib.ZLIB_RUNTIME_VERSION, os.confstr('CS_GNU_LIBC_VERSION'))"
    theirs = subprocess.run(["/usr/bin/python3", "-c", python], capture_output=True, text=True, check=True).stdout.split()
    assert [ours["SQLite"], ours["zlib"], ours["glibc"]] == [theirs[0], theirs[1], theirs[3]]
    assert len(ours) == 14 and all(re.fullmatch(r"\d+(\.\d+)+", version) for version in ours.values()), ours


@pytest.mark.same_threads
@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:1x", "[::1:80", "no.such.host.invalid:80"])
def test_an_address_that_is_none(address, tmp_path):
    done = run("serve", "--listen", address, "--data", tmp_path)
    assert done.returncode == 2 and address in done.stderr


@pytest.mark.same_threads
def test_a_port_that_is_taken(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = run("serve", "--listen", f"127.0.0.1:{other.getsockname()[1]}", "--data", tmp_path)
    assert done.returncode == 1 and "in use" in done.stderr


@pytest.mark.same_threads
def test_ipv6():
    with Server(listen="[::1]:0") as server:
        assert re.fullmatch(rb"listening on http://\[::1\]:\d+\n", server.stdout)
        with server.client() as client:
            client.get("/healthz").expect(200)


# ---------------------------------------------------------------- keys
@pytest.mark.same_threads
@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", ":0"])
def test_without_a_key_only_loopback_is_served(address, tmp_path):
    done = run("serve", "--listen", address, "--data", tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert "--admin-key-file" in done.stderr and address in done.stderr


@pytest.mark.same_threads
def test_with_a_key_every_address_is_served():
    with Server(listen="0.0.0.0:0", key=KEY) as server:
        server.host = "127.0.0.1"
        with server.client() as client:
            client.get("/v1/robots").expect(200)
        with server.client(key=None) as client:
            client.get("/v1/robots").expect(401)
            client.get("/healthz").expect(200)


@pytest.mark.same_threads
@pytest.mark.parametrize("content", ["", "short", "x" * 300, KEY + "\nsecond line of the file\n"])
def test_a_key_file_that_is_no_good(content, tmp_path):
    file = tmp_path / "key"
    file.write_text(content)
    done = run("serve", "--admin-key-file", file, "--data", tmp_path / "data", "--listen", "127.0.0.1:0")
    assert done.returncode == 2 and "--admin-key-file" in done.stderr
    if len(content) > 10:
        assert content.strip() not in done.stderr


@pytest.mark.same_threads
def test_a_missing_key_file(tmp_path):
    done = run("serve", "--admin-key-file", tmp_path / "none", "--data", tmp_path / "data", "--listen", "127.0.0.1:0")
    assert done.returncode == 2 and "No such file" in done.stderr


def test_hangup_reloads_the_key():
    with Server(key=KEY) as server:
        file = server.directory / "key"
        other = "quite-another-key-it-is"
        file.write_text(other)
        file.chmod(0o644)
        server.signal(signal.SIGHUP)
        until(lambda: "reloaded" in server.log())
        assert "can be read by everybody" in server.log()
        with server.client() as client:
            client.get("/v1/robots").expect(401)
        with server.client(key=other) as client:
            client.get("/v1/robots").expect(200)
        file.write_text("bad")
        server.signal(signal.SIGHUP)
        until(lambda: "not reloaded" in server.log())
        with server.client(key=other) as client:
            client.get("/v1/robots").expect(200)
        assert KEY not in server.log() and other not in server.log()


# ---------------------------------------------------------------- what it says
def test_standard_output_has_one_line_and_the_log_is_json():
    server = Server("--log-level", "debug")
    with server.client() as client:
        client.get("/healthz", headers={"X-Request-Id": "mine", "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
        client.get("/nothing/%22%0a%ff?a=b")
    server.terminate()
    assert server.child.stdout.read() == b""
    assert re.fullmatch(rb"listening on http://127\.0\.0\.1:\d+\n", server.stdout)
    lines = [json.loads(line) for line in server.log().splitlines()]
    assert all({"time", "level", "message"} <= line.keys() for line in lines)
    mine = [line for line in lines if line.get("request_id") == "mine"]
    assert len(mine) == 1
    assert mine[0] | {"time": 0, "duration": 0} == {
        "time": 0, "level": "debug", "message": "request", "request_id": "mine", "method": "GET", "path": "/healthz",
        "status": 200, "duration": 0, "bytes": 15, "trace": "0af7651916cd43dd8448eb211c80319c", "address": "127.0.0.1"}
    assert 0 < mine[0]["duration"] < 1
    assert [line["path"] for line in lines if line.get("status") == 404] == ["/nothing/%22%0a%ff"]
    server.close()


def test_a_log_that_nobody_reads_stops_nothing():
    """Standard error is a pipe that is full."""
    read, write = os.pipe()
    server = Server(start=False)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ARMDYN_")}
    server.child = subprocess.Popen(server.arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=write, env=clean,
                                    start_new_session=True)
    os.close(write)
    try:
        match = server.read_stdout(re.compile(rb"listening on http://(\S+):(\d+)"))
        server.host, server.port = match[1].decode(), int(match[2])
        with server.client(check=False) as client:
            for _ in range(2000):
                client.get("/healthz").expect(200)
    finally:
        os.close(read)
        server.close()


# ---------------------------------------------------------------- health
def test_jobs_give_way_to_calls():
    """By priority, and by that of the session, where the kernel shares the processor among sessions."""
    with Server("--workers", 2) as server:
        workers = until(lambda: len(found := server.children("worker")) == 2 and found)
        for pid in workers:
            until(lambda: os.getpriority(os.PRIO_PROCESS, pid) == 10)
            session = pathlib.Path(f"/proc/{pid}/autogroup")
            until(lambda: not session.exists() or session.read_text().split()[1:] in (["nice", "10"], []))


@pytest.mark.same_threads
def test_healthcheck():
    with Server() as server:
        assert run("healthcheck", "--url", server.url).returncode == 0
        assert run("healthcheck", "--url", server.url + "/healthz").returncode == 0
        assert run("healthcheck", env={"ARMDYN_LISTEN": f"0.0.0.0:{server.port}"}).returncode == 0
        port = server.port
    assert run("healthcheck", "--url", f"http://127.0.0.1:{port}").returncode == 1
    assert run("healthcheck", "--url", "ftp://x").returncode == 2


@pytest.mark.same_threads
def test_healthcheck_of_a_service_that_hangs():
    with socket.create_server(("127.0.0.1", 0)) as mute:
        start = time.monotonic()
        assert run("healthcheck", "--url", f"http://127.0.0.1:{mute.getsockname()[1]}").returncode == 1
        assert time.monotonic() - start < 10 * PATIENCE


# ---------------------------------------------------------------- stopping
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop(number):
    with Server() as server:
        idle = socket.create_connection((server.host, server.port))
        with server.client() as client:
            client.get("/healthz").expect(200)
            start = time.monotonic()
            server.signal(number)
            assert server.wait() == 0
        assert time.monotonic() - start < 5 * PATIENCE
        idle.close()


def test_a_request_under_way_is_answered_when_stopping():
    """Its second half comes after the signal."""
    body = b'{"q":[0]}'
    with Server() as server, socket.create_connection((server.host, server.port), timeout=10) as sock:
        sock.sendall(b"POST /v1/robots HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
        sock.sendall(body[:4])
        time.sleep(0.2)
        server.signal(signal.SIGTERM)
        until(lambda: "stopping" in server.log())
        time.sleep(0.3)
        with pytest.raises(OSError):
            socket.create_connection((server.host, server.port), timeout=1)
        sock.sendall(body[4:])
        answer = b""
        while more := sock.recv(65536):
            answer += more
        assert answer.startswith(b"HTTP/1.1 422") and b"Connection: close" in answer
        assert server.wait() == 0


def test_a_request_that_never_ends_does_not_delay_the_stop_beyond_its_limit():
    with Server("--stop-timeout", 2) as server, socket.create_connection((server.host, server.port)) as sock:
        sock.sendall(b"POST /v1/robots HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{")
        time.sleep(0.2)
        start = time.monotonic()
        assert server.terminate() == 0
        assert time.monotonic() - start < 3.5 * PATIENCE


def test_stopping_under_load():
    """No client sees anything but whole answers and closed connections."""
    with Server() as server:
        wrong, counts, ended = [], [], threading.Event()

        def load():
            count = 0
            while not ended.is_set():
                try:
                    with server.client(check=False) as client:
                        while not ended.is_set():
                            answer = client.get("/v1/version")
                            count += answer.status == 200
                            if answer.status not in (200, 503):
                                wrong.append(answer)
                except (ConnectionError, OSError):
                    if not server.running:
                        break
                except Exception as error:  # noqa: BLE001: anything else is what this test looks for
                    wrong.append(error)
            counts.append(count)

        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        assert server.terminate() == 0
        ended.set()
        for thread in threads:
            thread.join()
        assert not wrong, wrong[:3]
        assert sum(counts) > 50
