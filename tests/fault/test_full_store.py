"""A store that takes no writes while a job ends: the job waits for it, and nothing is lost or counted as an attempt."""

import time

from support import FILLABLE, fill, robot, until
from support.motions import long_motion, motion

def test_the_end_of_a_job_waits_for_the_store(make_server):
    server = make_server("--workers", 1, prefix=FILLABLE)
    with server.client(check=False) as client:
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        job = client.post(arm + "/trajectories", long_motion(30)).expect(202).json["id"]
        until(lambda: client.get(f"/v1/jobs/{job}").json["state"] == "running")
        fill(server)
        waiting = until(lambda: "trying again" in (j := client.get(f"/v1/jobs/{job}").json)["message"] and j, 60)
        assert waiting["state"] in ("running", "queued") and waiting["attempts"] == []
        assert client.post(arm + "/trajectories", motion()).status in (500, 503, 507)  # what cannot be kept is not accepted
        time.sleep(1)
        fill(server, False)
        done = until(lambda: (j := client.get(f"/v1/jobs/{job}").json)["finished_at"] and j, 90, 0.1)
        assert done["state"] == "succeeded" and done["attempts"] == [] and done["attempt"] == 1
        after = client.post(arm + "/trajectories", motion(), headers={"Prefer": "wait=60"}).expect(200).json
        assert after["state"] == "succeeded"
