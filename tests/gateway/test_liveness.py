"""Processes that hang: SIGSTOP of the gateway and of workers, at rest and at work. Each is noticed, killed and replaced, and
what is told afterwards is true.

ARMDYN_SOAK=1 does each of it 50 times and looks at the time that it takes.
"""

import contextlib
import ctypes
import os
import random
import select
import signal
import socket
import struct
import threading
import time

import pytest

from cell import FAULT, FINAL, LONG, PLAYING, cell, puma, state_and_error, summary
from support import Server, robot, until
from support.motions import long_motion, motion

SOAK = os.environ.get("ARMDYN_SOAK") == "1"
ROUNDS = 50 if SOAK else 1
NOTICED = 4 if SOAK else LONG  # s


def readiness(client):
    answer = client.request("GET", "/readyz")
    return "" if answer.status == 200 else answer.json["detail"]


def figure(client, name):
    lines = client.get("/metrics").expect(200).body.decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name + " "))


@contextlib.contextmanager
def hung(server, client, command):
    """The first of these processes stands still, and is replaced at the end. Yields its process id."""
    pid = server.children(command)[0]
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    yield pid
    told = set()
    until(lambda: told.add(readiness(client)) or pid not in server.children(command), LONG, 0.005, f"end of the {command} that hangs")
    took = time.monotonic() - began
    until(lambda: told.add(readiness(client)) or client.get("/readyz").status == 200, LONG, 0.005, "readiness")
    assert took <= NOTICED
    assert all(not detail or command in detail for detail in told)


@contextlib.contextmanager
def watched(*flags):
    """A cell and a client that takes any status."""
    with cell(server_flags=flags) as here, here.server.client(check=False) as client:
        yield here, client


def ready_again(here):
    """The arm rests, and nothing of it is in memory."""
    def stop():  # a gateway that was just started may not have found its controllers yet
        return here.client.post(f"/v1/controllers/{here.name}/stop").expect(200).json["confirmed"]
    until(stop, LONG, what="a STOP that is confirmed")
    here.client.post(f"/v1/controllers/{here.name}/clear").expect(200)


def interrupted(here, transfer):
    end = here.reach(transfer, "interrupted")
    assert "without an answer" in end["history"][-1]["reason"] and end["finished_at"]
    assert end["problem"]["type"] == "/problems/transfer-interrupted"


def test_a_gateway_that_hangs_at_rest_is_replaced():
    with watched() as (here, client):
        for done in range(1, ROUNDS + 1):
            with hung(here.server, client, "gateway"):
                answer = client.post(f"/v1/controllers/{here.name}/stop").expect(200).json
                assert not answer["confirmed"]
                assert "emergency stop" in answer["detail"] and "the gateway ended" in answer["detail"] and "repeat" in answer["detail"]
            assert figure(client, "armdyn_gateway_silences_total") == done and figure(client, "armdyn_gateway_up") == 1
            ready_again(here)


def test_a_gateway_that_hangs_while_the_arm_plays_is_replaced():
    with watched() as (here, client):
        for _ in range(ROUNDS):
            position = here.status()["position"]
            transfer = here.playing(here.trajectory(start={"q": position}, goal={"q": [q + 0.01 for q in position]}, duration=20))
            with hung(here.server, client, "gateway"):
                until(lambda: state_and_error(here.sim.port) == (FAULT, 9), LONG, what="the controller to miss the heartbeat")
            interrupted(here, transfer)
            ready_again(here)
        assert summary(here.sim)["starts"] == ROUNDS


def test_a_gateway_that_hangs_while_it_stops_the_arm_confirms_nothing_that_is_not_so():
    with watched() as (here, client):
        chance = random.Random(7)
        for _ in range(ROUNDS):
            position = here.status()["position"]
            transfer = here.playing(here.trajectory(start={"q": position}, goal={"q": [q + 0.01 for q in position]}, duration=20))
            answers = []

            def stop():
                with here.server.client(timeout=LONG) as other:
                    answers.append(other.post(f"/v1/controllers/{here.name}/stop").expect(200).json)
            stopping = threading.Thread(target=stop)
            stopping.start()
            time.sleep(chance.uniform(0, 0.01))
            with hung(here.server, client, "gateway"):
                stopping.join()
                if answers[0]["confirmed"]:
                    assert state_and_error(here.sim.port)[0] != PLAYING
            assert here.reach(transfer, *FINAL)["state"] in ("stopped", "interrupted")
            ready_again(here)


def test_a_service_that_stops_leaves_no_gateway_behind_that_hangs():
    with watched() as (here, client):
        transfer = here.playing(here.trajectory(duration=20))
        gateway, = here.server.children("gateway")
        os.kill(gateway, signal.SIGSTOP)
        assert here.server.terminate() == 0
        assert not os.path.exists(f"/proc/{gateway}")
        here.server.restart()
        here.client = here.server.client()
        assert here.reach(transfer, "interrupted")["finished_at"]
        ready_again(here)


@pytest.fixture
def one_worker():
    with Server("--workers", 1) as server, server.client(check=False) as client:
        client.create_robot(robot("puma560"), name="arm")
        until(lambda: server.children("worker"))
        yield server, client


def test_a_worker_that_hangs_at_rest_is_replaced(one_worker):
    server, client = one_worker
    for done in range(1, ROUNDS + 1):
        with hung(server, client, "worker"):
            pass
        assert figure(client, "armdyn_workers_hung_total") == done
    assert client.result_of("/v1/robots/arm/trajectories", motion())


def test_a_worker_that_hangs_costs_its_attempt_only(one_worker):
    server, client = one_worker
    for _ in range(ROUNDS):
        path = client.post("/v1/robots/arm/trajectories", long_motion(100)).expect(202).headers["Location"]
        until(lambda: client.get(path).json["state"] == "running", interval=0.001)
        with hung(server, client, "worker"):
            pass
        done = until(lambda: (j := client.get(path).json)["finished_at"] and j, LONG)
        assert done["state"] == "succeeded"
        if done["attempt"] == 2:  # it may have ended before
            assert "without an answer" in done["attempts"][0]["reason"]


def test_a_pause_of_the_whole_machine_is_nobodys_death():
    with Server("--workers", 2) as server, server.client(check=False) as client:
        until(lambda: client.get("/readyz").status == 200)
        children = server.children()
        for pid in (server.pid, *children):
            os.kill(pid, signal.SIGSTOP)
        time.sleep(4)
        os.kill(server.pid, signal.SIGCONT)
        time.sleep(0.2)  # it looks first
        for pid in children:
            os.kill(pid, signal.SIGCONT)
        client.get("/readyz").expect(200)
        assert server.children() == children and figure(client, "armdyn_workers_hung_total") == 0


PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000


def halt_thread(tid):
    """This thread of a process stands still, and the others go on; False where tracing is not permitted."""
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    if ptrace(PTRACE_SEIZE, tid, None, None) or ptrace(PTRACE_INTERRUPT, tid, None, None):
        return False
    os.waitpid(tid, WALL)
    return True


def drip(listener, sent):
    """Answers what is read with zeros, byte by byte, one in 0.3 s; how many it could send of how many."""
    connection, _ = listener.accept()
    with connection, contextlib.suppress(OSError):
        head = connection.recv(12, socket.MSG_WAITALL)
        size = 2 * struct.unpack(">H", head[10:])[0]
        answer = head[:4] + struct.pack(">HBBB", size + 3, head[6], head[7], size) + bytes(size)
        for done in range(len(answer)):
            sent[:] = [done, len(answer)]
            connection.sendall(answer[done:done + 1])
            if select.select([connection], [], [], 0.3)[0] and not connection.recv(1):
                return


def test_a_controller_that_answers_byte_by_byte_holds_nobody_up():
    """An answer has its time as a whole: a thread that waits for the next byte and the next hears no STOP."""
    with Server() as server, socket.create_server(("127.0.0.1", 0)) as listener, server.client() as client:
        client.create_robot(robot("puma560"), name="arm")
        sent = []
        thread = threading.Thread(target=drip, args=(listener, sent))
        thread.start()
        client.post("/v1/controllers", {"name": "slow", "host": "127.0.0.1", "port": listener.getsockname()[1], "robot": "arm",
                                        "profile": {"protocol": "armdyn-v2"}}).expect(201)
        assert not client.post("/v1/controllers/slow/stop").expect(200).json["confirmed"]
        thread.join()
        assert sent[0] < sent[1] // 2, sent


def threads(pid):
    return {int(tid) for tid in os.listdir(f"/proc/{pid}/task")}


@pytest.mark.slow
@pytest.mark.skipif(not SOAK, reason="takes 100 s: part of make soak")
def test_a_gateway_of_which_one_thread_hangs_is_replaced_when_no_other_arm_needs_it():
    """The first arm's thread stands still while the second plays: that one ends first."""
    with watched() as (here, client), puma() as other:
        gateway, = here.server.children("gateway")
        before = threads(gateway)
        client.post("/v1/controllers", here.document(name="second", port=other.port)).expect(201)
        client.post("/v1/controllers/second/stop").expect(200)
        thread, = threads(gateway) - before
        transfer = here.playing(here.trajectory(duration=110))
        if not halt_thread(thread):
            pytest.skip("tracing is not permitted here")
        began = time.monotonic()
        assert not client.post("/v1/controllers/second/stop").expect(200).json["confirmed"]
        until(lambda: "stands still" in here.server.log(), 200, what="a word about the thread")
        assert here.get(transfer)["state"] == "playing" and here.server.children("gateway") == [gateway]
        here.reach(transfer, "done", timeout=200)
        until(lambda: os.waitpid(thread, WALL | os.WNOHANG)[0], LONG, what="end of the thread")
        until(lambda: here.server.children("gateway") not in ([], [gateway]), LONG, what="another gateway")
        print(f"replaced after {time.monotonic() - began:.0f} s")
        assert until(lambda: client.post("/v1/controllers/second/stop").expect(200).json["confirmed"], LONG)


def test_a_worker_that_answers_but_does_not_get_on_is_replaced(make_server):
    server = make_server("--workers", 1, "--job-stall", 4)
    with server.client(check=False) as client:
        client.create_robot(robot("puma560"), name="arm")
        worker, = until(lambda: server.children("worker"))
        if not halt_thread(worker):
            pytest.skip("tracing is not permitted here")
        path = client.post("/v1/robots/arm/trajectories", motion()).expect(202).headers["Location"]
        until(lambda: os.waitpid(worker, WALL | os.WNOHANG)[0], LONG, what="end of the worker that does not get on")
        done = until(lambda: (j := client.get(path).json)["finished_at"] and j, LONG)
        assert (done["state"], done["attempt"]) == ("succeeded", 2)
        reason = done["attempts"][0]["reason"]
        if "without an answer" in reason:
            pytest.skip("this machine stalled: for 3 s the worker had no processor to answer with")
        assert "without progress" in reason
        assert figure(client, "armdyn_workers_hung_total") == 1
