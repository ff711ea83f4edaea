"""A store in PostgreSQL that is away while an arm moves: the arm goes on, STOP stops it, and nothing new begins."""

import contextlib
import time

import pytest

from cell import LONG, PLAYING, Cell, play_index, puma, state_and_error, summary
from support import Server, postgresql, until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not postgresql.programs(), reason="PostgreSQL is not installed")]


@contextlib.contextmanager
def on_postgresql():
    with postgresql.Cluster() as cluster, Server(env={"ARMDYN_STORE": cluster.make()}) as server, puma() as sim:
        yield cluster, Cell(server, sim)


def test_an_arm_that_plays_goes_on_and_is_stopped_at_once():
    with on_postgresql() as (cluster, here):
        transfer = here.playing(here.trajectory(duration=40))
        cluster.stop()
        assert here.client.post(f"/v1/robots/{here.robot}/trajectories", {}).status in (422, 503)
        at = play_index(here.sim.port)
        until(lambda: play_index(here.sim.port) > at + 50, LONG, what="the motion to go on")
        assert state_and_error(here.sim.port) == (PLAYING, 0)
        asked = time.monotonic()
        here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)
        assert time.monotonic() - asked < 5  # it waits for no database; the figure is test_stop_in_time's
        until(lambda: state_and_error(here.sim.port)[0] != PLAYING, LONG, what="the arm to rest")
        cluster.start()
        until(lambda: here.client.get("/readyz").status == 200, LONG, what="readiness")
        assert here.reach(transfer, "stopped")["finished_at"]
        stops = lambda: here.client.get("/v1/audit", query={"operation": "stopController"}).expect(200).json["items"]
        entry = until(stops, LONG, what="who stopped it")[0]["entry"]
        assert entry["path"] == f"/v1/controllers/{here.name}/stop"


def test_no_motion_begins_that_cannot_be_written_down():
    with on_postgresql() as (cluster, here):
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
