"""A store that takes no writes while a job ends: the job waits for it, and nothing is lost or counted as an attempt."""

import resource
import sys
import time

from support import robot, until
from support.motions import long_motion, motion

# A write beyond RLIMIT_FSIZE shall fail and not kill, as on a full disk; whether SIGXFSZ is ignored survives exec.
IGNORE = (sys.executable, "-c", "import os, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])")


def fill(server, full):
    limit = 1 if full else resource.RLIM_INFINITY
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))


def test_the_end_of_a_job_waits_for_the_store(make_server):
    server = make_server("--workers", 1, prefix=IGNORE)
    with server.client(check=False) as client:
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        job = client.post(arm + "/trajectories", long_motion(30)).expect(202).json["id"]
        until(lambda: client.get(f"/v1/jobs/{job}").json["state"] == "running")
        fill(server, True)
        waiting = until(lambda: "trying again" in (j := client.get(f"/v1/jobs/{job}").json)["message"] and j, 60)
        assert waiting["state"] in ("running", "queued") and waiting["attempts"] == []
        assert client.post(arm + "/trajectories", motion()).status in (500, 503, 507)  # what cannot be kept is not accepted
        time.sleep(1)
        fill(server, False)
        done = until(lambda: (j := client.get(f"/v1/jobs/{job}").json)["finished_at"] and j, 90, 0.1)
        assert done["state"] == "succeeded" and done["attempts"] == [] and done["attempt"] == 1
        after = client.post(arm + "/trajectories", motion(), headers={"Prefer": "wait=60"}).expect(200).json
        assert after["state"] == "succeeded"
