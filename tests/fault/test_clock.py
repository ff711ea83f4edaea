"""The wall clock jumps by days and years, forwards and back, under a running service: it goes on, waits as long as it was
asked to, and loses nothing."""

import email.utils
import os
import shutil
import time

import pytest

from support import PATIENCE, Server, integrity, robot, until
from support.events import EventStream
from support.motions import long_motion, motion
from support.shifted_clock import ShiftedClock

DAY = 86400
JUMPS = (2 * DAY, -30 * DAY, 3650 * DAY, 0) if os.environ.get("ARMDYN_SOAK") == "1" else (2 * DAY, -30 * DAY)
pytestmark = pytest.mark.slow


@pytest.fixture
def clock(tmp_path):
    if os.environ.get("ARMDYN_VARIANT", "release") != "release":
        pytest.skip("a sanitizer must be loaded first")
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    return ShiftedClock(tmp_path)


def every_job(client):
    found, cursor = [], None
    while True:
        page = client.get("/v1/jobs", query={"limit": 3, **({"cursor": cursor} if cursor else {})}).expect(200).json
        found += [job["id"] for job in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def test_the_clock_may_jump(clock):
    with Server("--workers", 1, env=clock.env) as server, EventStream(server) as stream:
        with server.client() as client:
            arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
            jobs = []
            for revision, jump in enumerate(JUMPS, 2):
                running = client.post(arm + "/trajectories", long_motion(100)).expect(202).json["id"]
                until(lambda: client.get(f"/v1/jobs/{running}").json["state"] == "running")
                clock.jump(jump)
                said = email.utils.parsedate_to_datetime(client.get("/healthz").expect(200).headers["Date"]).timestamp()
                assert abs(said - time.time() - jump) < 10 * PATIENCE  # it did jump
                begin = time.monotonic()
                waited = client.post(arm + "/trajectories", long_motion(1000), headers={"Prefer": "wait=1"})
                assert waited.expect(200, 202).status == 200 or 0.9 < time.monotonic() - begin < 5 * PATIENCE
                assert client.post(f"/v1/jobs/{waited.json['id']}/cancel").expect(200, 409)
                done = client.wait_job(client.post(arm + "/trajectories", motion(tags={"jump": str(jump)}), headers={"Prefer": "wait=60"}))
                assert done["state"] == "succeeded"
                assert until(lambda: (job := client.get(f"/v1/jobs/{running}").json)["finished_at"] and job, 60)["state"] == "succeeded"
                assert stream.until(lambda event: event.name == "job" and event.data["id"] == done["id"])
                etag = client.get(arm).etag
                changed = client.put(arm, {**robot("puma560"), "name": "arm", "description": str(jump)},
                                     query={"allow_unphysical": "true"}, headers={"If-Match": etag}).expect(200).json
                assert changed["revision"] == revision
                jobs += [running, waited.json["id"], done["id"]]
                assert sorted(every_job(client)) == sorted(jobs)
            client.get("/readyz").expect(200)
        clock.jump(-DAY)
        server.restart(kill=True)
        with server.client() as client:
            assert sorted(every_job(client)) == sorted(jobs)
            assert client.get(arm).json["revision"] == 1 + len(JUMPS)
        assert server.terminate() == 0
        assert integrity(server) == "ok"
