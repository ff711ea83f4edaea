"""Requests that wait for somebody else (`Prefer: wait`), while clients leave and the service stops. The one worker is
stopped, so that a job stays where it is for as long as a test needs."""

import os
import select
import signal
import time

from support import Server, open_sockets, robot, until

MOTION = b'{"method":"quintic","start":{"q":[0,0,0,0,0,0]},"goal":{"q":[0.5,0.4,0.3,0.2,0.1,0.1]},"duration":2}'


def paused():
    """A server with a robot whose only worker does not answer."""
    server = Server("--workers", 1, "--child-silence", 600)
    with server.client() as client:
        client.create_robot(robot("puma560"), name="puma560")
    until(lambda: server.children("worker"))
    for pid in server.children("worker"):
        os.kill(pid, signal.SIGSTOP)
    return server


def go_on(server):
    for pid in server.children("worker"):
        os.kill(pid, signal.SIGCONT)


def ask_for_motion(server, wait):
    sock = server.connect(30)
    sock.sendall(b"POST /v1/robots/puma560/trajectories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nPrefer: wait=%d\r\n"
                 b"Content-Length: %d\r\n\r\n%s" % (wait, len(MOTION), MOTION))
    return sock


def answer_time(server):
    begin = time.monotonic()
    with ask_for_motion(server, 20) as sock:
        sock.recv(1)
    return time.monotonic() - begin


def answered(socks):
    return select.select(socks, [], [], 0)[0]


def read_all(sock):
    data = b""
    while more := sock.recv(65536):
        data += more
    return data


def test_who_waits_gets_the_answer_when_it_is_there():
    with paused() as server, ask_for_motion(server, 20) as sock:
        sock.settimeout(0.5)
        try:
            assert not sock.recv(1), "answered before the job was done"
        except TimeoutError:
            pass
        go_on(server)
        sock.settimeout(20)
        assert sock.recv(65536).startswith(b"HTTP/1.1 200")


def test_stopping_answers_who_waits():
    with paused() as server:
        socks = [ask_for_motion(server, 60) for _ in range(5)]
        time.sleep(0.5)
        start = time.monotonic()
        server.signal(signal.SIGTERM)
        for sock in socks:
            answer = read_all(sock)
            assert answer.startswith(b"HTTP/1.1 202") and b'"state":"queued"' in answer.replace(b"running", b"queued")
            sock.close()
        go_on(server)
        assert server.wait() == 0
        assert time.monotonic() - start < 8.5


def test_who_leaves_is_noticed_and_his_job_goes_on():
    with paused() as server:
        time.sleep(0.5)
        before = open_sockets(server.pid)
        socks = [ask_for_motion(server, 60) for _ in range(10)]
        until(lambda: open_sockets(server.pid) >= before + 10)
        for sock in socks:
            sock.close()
        until(lambda: open_sockets(server.pid) <= before, timeout=16)
        go_on(server)

        def all_done():
            with server.client() as client:
                return [job["state"] for job in client.get("/v1/jobs").expect(200).json["items"]] == ["succeeded"] * 10
        until(all_done, timeout=60)


def test_a_job_ends_while_its_client_leaves():
    """The waiter's answer and the client's leaving meet, again and again."""
    with Server("--workers", 1) as server:
        with server.client() as client:
            client.create_robot(robot("puma560"), name="puma560")
        takes = min(answer_time(server) for _ in range(3))  # the first waits for the worker too
        for i in range(30):
            with ask_for_motion(server, 20):
                time.sleep(takes * i / 15)
        with server.client() as client:
            until(lambda: all(job["state"] == "succeeded" for job in client.get("/v1/jobs?limit=200").json["items"]), timeout=60)


def test_at_most_half_of_the_connections_wait():
    """With one thread of 120 connections 60 may wait; the 61st is answered at once, and others are served."""
    with Server("--workers", 1, "--http-threads", 1, "--child-silence", 600) as server:
        with server.client() as client:
            client.create_robot(robot("puma560"), name="puma560")
        until(lambda: server.children("worker"))
        for pid in server.children("worker"):
            os.kill(pid, signal.SIGSTOP)
        socks = [ask_for_motion(server, 60) for _ in range(75)]
        until(lambda: len(answered(socks)) >= 15)
        time.sleep(0.5)  # nobody else is
        assert [sock.recv(65536)[:12] for sock in answered(socks)] == [b"HTTP/1.1 202"] * 15
        with server.client() as client:
            client.get("/healthz").expect(200)
        go_on(server)
        for sock in socks:
            sock.close()
