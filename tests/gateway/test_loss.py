"""Processes that die: the gateway, the server, at any moment. No motion starts by itself, and every transfer has an end
that is true."""

import os
import random
import signal
import time

import pytest

from cell import FAULT, GOAL, LONG, Cell, cell, puma, soon, state_and_error, summary
from support import Server, until


def gateway(server):
    (pid,) = server.children("gateway")
    return pid


def kill_gateway(server):
    """kill -9, and wait until there is another one."""
    old = gateway(server)
    os.kill(old, signal.SIGKILL)
    until(lambda: [pid for pid in server.children("gateway") if pid != old], LONG, what="another gateway")
    with server.client() as client:
        until(lambda: client.get("/readyz").status == 200, LONG, what="readiness")


def clear(here):
    """What a person does who has looked at the arm."""
    here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)
    here.client.post(f"/v1/controllers/{here.name}/clear").expect(200)


@pytest.mark.parametrize("moment", ["loading", "ready", "armed", "playing"])
def test_a_killed_gateway_interrupts_its_transfer_and_the_next_one_works(moment):
    slow = ("--fault", "delay:1") if moment == "loading" else ()
    with cell(*slow) as here:
        motion = here.trajectory(duration=20 if moment == "playing" else 2)
        if moment == "loading":
            transfer = here.transfer(motion).expect(202).json["id"]
            here.reach(transfer, "loading")
        elif moment == "playing":
            transfer = here.playing(motion)
        else:
            transfer = here.loaded(motion)
            if moment == "armed":
                here.client.post(f"/v1/transfers/{transfer}/arm").expect(202)
        kill_gateway(here.server)
        end = here.reach(transfer, "interrupted")
        assert "signal 9" in end["history"][-1]["reason"] and end["finished_at"]
        assert end["problem"]["type"] == "/problems/transfer-interrupted"
        starts = 1 if moment == "playing" else 0
        if moment in ("armed", "playing"):
            until(lambda: state_and_error(here.sim.port) == (FAULT, 9), LONG, what="the controller to miss the heartbeat")
        clear(here)
        if moment != "loading":
            position = here.status()["position"]
            again = here.trajectory(start={"q": position}, goal={"q": [q + 0.05 for q in position]})
            here.reach(here.playing(again), "done")
            starts += 1
        assert summary(here.sim)["starts"] == starts


@pytest.mark.parametrize("policy, end, reason", [("stop", "stopped", "the service ended"), ("finish", "done", None)])
def test_a_killed_server_leaves_its_gateway_to_bring_the_motion_to_its_end(policy, end, reason):
    with cell(server_flags=("--on-server-loss", policy)) as here:
        transfer = here.playing(here.trajectory(duration=2 if policy == "finish" else 20))
        orphan = gateway(here.server)
        here.server.restart(kill=True)
        here.client = here.server.client()
        # The new service waits for the word of the old gateway, which still has the controller.
        last = here.reach(transfer, end)
        assert last["history"][-1]["reason"] == reason and last["finished_at"]
        until(lambda: not os.path.exists(f"/proc/{orphan}"), LONG, what="end of the old gateway")
        told = summary(here.sim)
        assert told["starts"] == 1
        if end == "done":
            assert told["samples_played"] == 2001
            assert all(abs(a - b) < 1e-3 for a, b in zip(told["position"], GOAL))
        else:
            assert told["samples_played"] < 20001


def test_when_server_and_gateway_both_die_the_transfer_is_interrupted_at_the_next_start():
    with cell() as here:
        transfer = here.playing(here.trajectory(duration=20))
        orphan = gateway(here.server)
        os.kill(orphan, signal.SIGSTOP)
        here.server.kill()
        os.kill(orphan, signal.SIGKILL)
        here.server.restart()
        here.client = here.server.client()
        end = here.reach(transfer, "interrupted")
        assert "no word" in end["problem"]["detail"]
        until(lambda: here.status()["state"] == "fault", LONG, what="the controller to stop it by itself")
        assert summary(here.sim)["starts"] == 1


@pytest.mark.parametrize("policy, end", [("stop", "stopped"), ("finish", "done")])
def test_a_server_that_is_asked_to_stop_ends_its_transfers_first(policy, end):
    with cell(server_flags=("--on-server-loss", policy)) as here:
        transfer = here.playing(here.trajectory(duration=1.5 if policy == "finish" else 20))
        assert here.server.terminate() == 0
        here.server.restart()
        here.client = here.server.client()
        assert here.get(transfer)["state"] == end  # stored before it ended, not found out afterwards
        assert summary(here.sim)["starts"] == 1


def test_a_loaded_transfer_is_not_left_to_be_started_when_the_service_goes():
    with cell() as here:
        transfer = here.loaded(here.trajectory())
        assert here.server.terminate() == 0
        here.server.restart()
        here.client = here.server.client()
        assert here.get(transfer)["state"] == "stopped"
        assert here.status()["state"] == "empty"


def test_random_kills_never_start_a_motion_twice():
    """Five in `make test`, fifty in `make soak`: the gateway dies at a random moment of a transfer."""
    rounds = 50 if os.environ.get("ARMDYN_SOAK") else 5
    seed = int(os.environ.get("ARMDYN_SEED", time.time()))
    print("seed", seed)
    moments = random.Random(seed)
    with Server() as server:
        for _ in range(rounds):
            with puma() as sim:
                here = Cell(server, sim)
                headers = {"Idempotency-Key": here.name}
                answer = here.transfer(here.trajectory(), start=True, start_before=soon(), headers=headers)
                transfer = answer.expect(202).json["id"]
                time.sleep(moments.uniform(0, 1.2))
                kill_gateway(server)
                end = here.reach(transfer, "done", "interrupted")
                told = summary(sim)
                assert told["starts"] <= 1
                assert end["state"] == "interrupted" or told["samples_played"] == 801
