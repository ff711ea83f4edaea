"""A store in PostgreSQL that is away while an arm moves: the arm goes on, STOP stops it, and nothing new begins."""

import concurrent.futures
import contextlib
import http.client
import os
import struct
import time

import pytest

from blocks import Blocks
from cell import ARMED, HOLDING, LONG, PLAYING, Cell, asleep, play_index, puma, state_and_error, summary
from support import Server, postgresql, robot, until
from support.wait import PATIENCE

SOAK = os.environ.get("ARMDYN_SOAK") == "1"
STOP = 7
WAITING, STOPS = 40, 20 if SOAK else 3
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not postgresql.programs(), reason="PostgreSQL is not installed")]


@contextlib.contextmanager
def on_postgresql(folder, heard=None):
    """The database, the way to it, and a cell; `heard` hears what its controller is told."""
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(postgresql.Cluster())
        way = stack.enter_context(contextlib.closing(postgresql.Between(folder, cluster)))
        server = stack.enter_context(Server(env={"ARMDYN_STORE": way.address(cluster.make())}))
        sim = stack.enter_context(puma())
        cell = Cell(server, stack.enter_context(Blocks({1000: sim.port}, heard)) if heard else sim)
        cell.sim = sim
        yield cluster, way, cell


def stopped(here):
    with here.server.client(timeout=LONG) as client:
        return client.post(f"/v1/controllers/{here.name}/stop").expect(200).json


@contextlib.contextmanager
def waiting(here, count):
    """So many clients whose requests wait for the database."""
    def add(number):
        with contextlib.suppress(OSError, http.client.HTTPException), here.server.client(timeout=LONG) as client:
            client.create_robot(robot("puma560"), name=f"arm-{number}")
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        asked = [pool.submit(add, number) for number in range(count)]
        time.sleep(0.5)
        yield asked


@pytest.mark.parametrize("silent_s, starts", [(1, 1), (31, 0)])
def test_no_start_goes_out_once_another_node_holds_the_store(silent_s, starts, tmp_path):
    """START is written down, and the answer to that comes so late that another node has taken over: a frozen machine, a network that
    stood still."""
    with postgresql.Cluster() as cluster:
        between, address = postgresql.Between(tmp_path, cluster), cluster.make()
        with Server(env={"ARMDYN_STORE": between.address(address)}) as server, puma() as sim:
            here = Cell(server, sim)
            transfer = here.loaded(here.trajectory(duration=2))
            here.arm(transfer)
            claims = []

            def delay(data, say):
                claims.append(b"start_sent = 1" in data)
                if any(claims) and b"COMMIT" in data:
                    between.hear, between.mute_until = None, time.monotonic() + silent_s
                return say(data)
            between.hear = delay
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                answer = pool.submit(here.start, transfer)
                until(lambda: between.hear is None, LONG)
                if not starts:
                    time.sleep(1)  # it is committed
                    cluster.query(address, "UPDATE holder SET epoch = epoch + 1, node = 'another'")
                answer.result().expect(202 if starts else 409)
            here.reach(transfer, *(("playing", "done") if starts else ("failed", "stopped")))
            assert summary(here.sim)["starts"] == starts
        between.close()


@pytest.mark.parametrize("silent_s, goes_out", [(1, True), (31, False)])
def test_no_arm_and_no_resume_goes_out_once_another_node_holds_the_store(silent_s, goes_out, tmp_path):
    """What they ask of the database is answered so late. The gateway lives: a held arm is not lost meanwhile."""
    with postgresql.Cluster() as cluster, contextlib.ExitStack() as stack:
        between, address = postgresql.Between(tmp_path, cluster), cluster.make()
        stack.callback(between.close)
        server = stack.enter_context(Server(env={"ARMDYN_STORE": between.address(address)}))
        cells = [Cell(server, stack.enter_context(puma())) for _ in range(2)]
        ready, held = cells[0].loaded(cells[0].trajectory(duration=2)), cells[1].playing(cells[1].trajectory(duration=60))
        cells[1].client.post(f"/v1/transfers/{held}/hold").expect(202)
        until(lambda: state_and_error(cells[1].sim.port)[0] == HOLDING, LONG, what="a held arm")
        between.mute_until = time.monotonic() + silent_s
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = [pool.submit(cells[0].client.post, f"/v1/transfers/{ready}/arm"),
                       pool.submit(cells[1].client.post, f"/v1/transfers/{held}/resume", headers={"Idempotency-Key": "once"})]
            if not goes_out:
                time.sleep(1)
                cluster.query(address, "UPDATE holder SET epoch = epoch + 1, node = 'another'")
            statuses = [answer.result().status for answer in answers]
        states = [state_and_error(one.sim.port)[0] for one in cells]
        assert goes_out == (statuses == [202, 202]) and (goes_out or set(statuses) <= {409, 503}), statuses
        assert (states[0] == ARMED, states[1] == PLAYING) == (goes_out, goes_out), states
        for one in cells:
            one.client.post(f"/v1/controllers/{one.name}/stop")


def test_an_arm_that_comes_out_of_a_frozen_gateway_is_late():
    """ARM was on its way when another node may have taken the store: what thaws does not carry it out."""
    with postgresql.Cluster() as cluster, Server("--child-silence", 120, env={"ARMDYN_STORE": cluster.make()}) as server, puma() as sim:
        here = Cell(server, sim)
        transfer = here.loaded(here.trajectory(duration=2))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            with asleep(server):
                answer = pool.submit(here.client.post, f"/v1/transfers/{transfer}/arm")
                time.sleep(31)
            assert answer.result().status != 202 or here.get(transfer)["state"] != "armed"
        time.sleep(1)
        assert state_and_error(sim.port)[0] != ARMED
        here.client.post(f"/v1/controllers/{here.name}/stop")


@pytest.mark.parametrize("away", ["stopped", "silent"])
def test_an_arm_that_plays_goes_on_and_is_stopped_at_once(away, tmp_path):
    """Silent: packets are dropped, and more requests than there are threads already wait for what does not come. STOP is at the
    controller at once; what came of it is told when the database speaks again, for the transfer's end is written down first."""
    stops = []

    def heard(frame):
        if frame[7] == 16 and struct.unpack(">H", frame[8:10]) == (1020,) and struct.unpack(">H", frame[13:15]) == (STOP,):
            stops.append(time.monotonic())
    with on_postgresql(tmp_path, heard) as (cluster, way, here):
        transfer = here.playing(here.trajectory(duration=120))
        cluster.stop() if away == "stopped" else way.fall_silent()
        with waiting(here, WAITING), concurrent.futures.ThreadPoolExecutor(STOPS) as pool:
            at = play_index(here.sim.port)
            until(lambda: play_index(here.sim.port) > at + 50, LONG, what="the motion to go on")
            assert state_and_error(here.sim.port) == (PLAYING, 0)
            took, answers = [], []
            for number in range(1, STOPS + 1):
                asked = time.monotonic()
                answers.append(pool.submit(stopped, here))
                until(lambda: len(stops) >= number, LONG, 0.002, what="STOP at the controller")
                took.append(stops[number - 1] - asked)
            until(lambda: state_and_error(here.sim.port)[0] != PLAYING, LONG, what="the arm to rest")
            print(f"{away}: STOP at the controller after {[round(1e3 * one) for one in sorted(took)]} ms")
            assert sorted(took)[STOPS // 2] < (0.1 if SOAK else 1 * PATIENCE)
            cluster.start() if away == "stopped" else way.speak()
            assert {answer.result()["controller_state"] for answer in answers} == {"empty"}
        until(lambda: here.client.get("/readyz").status == 200, LONG, what="readiness")
        assert here.reach(transfer, "stopped")["finished_at"]
        told = lambda: here.client.get("/v1/audit", query={"operation": "stopController"}).expect(200).json["items"]
        entry = until(told, LONG, what="who stopped it")[0]["entry"]
        assert entry["path"] == f"/v1/controllers/{here.name}/stop"


def test_no_motion_begins_that_cannot_be_written_down(tmp_path):
    with on_postgresql(tmp_path) as (cluster, _, here):
        transfer = here.loaded(here.trajectory(duration=2))
        here.client.post(f"/v1/transfers/{transfer}/arm").expect(202)
        cluster.stop()
        refused = here.start(transfer)
        assert refused.status == 503 and refused.headers["retry-after"]
        time.sleep(1)
        assert state_and_error(here.sim.port)[0] != PLAYING
        cluster.start()
        until(lambda: here.client.get("/readyz").status == 200, LONG, what="readiness")
        here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)
        assert summary(here.sim)["starts"] == 0
