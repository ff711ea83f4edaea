"""The cases of a verification are parts of its job, which workers share that have nothing else to do: the same figures as one
worker finds, whoever computes them and whatever falls; and who helps gives way."""

import os
import signal

import pytest

from support import Server, robot, until
from support.assembly import ASSEMBLY

SANITIZED = os.environ.get("ARMDYN_VARIANT", "release") != "release"
LAWS = ("pid", "pid_gravity", "feedforward", "computed_torque")
DURATION = 0.1 if SANITIZED else 1.0


def request_of(duration=DURATION, count=24):
    """Of count cases, some with sines and what sets a joint in motion."""
    return {"q": [0.3, 0.9], "limit": {"position_mm": 0.02},
            "references": [{"kind": "hold", "duration": duration, "breakaway": True},
                           {"kind": "sine", "amplitude": [0.02, 0], "frequencies": [3, 7], "periods": 1, "settle": duration / 5}],
            "laws": [{"control": {"law": law, "rate_hz": 500}} for law in LAWS],
            "plants": [{"name": str(k), "plant": {"payload": {"mass": 0.1 * k}}} for k in range(count // 8)]}


def figure(client, name):
    lines = client.get("/metrics").expect(200).body.decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name + " "))


def helped(client):
    return figure(client, "armdyn_job_parts_helped_total")


def begin(client, place, **options):
    return client.post(place + "/verifications", request_of(**options)).expect(202).json["id"]


def ended(client, job):
    return until(lambda: (j := client.get(f"/v1/jobs/{job}").expect(200).json)["finished_at"] and j, 120, 0.02, f"end of job {job}")


def figures(client, job):
    found = client.get(job["result"]["href"]).expect(200).json
    return {key: found[key] for key in ("cases", "spread", "loads", "worst_mm", "controls") if key in found}


def busy(server):
    """Workers by the time of the processor that they have used, the least first."""
    def used(pid):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        except OSError:
            return -1
    return sorted(server.children("worker"), key=used)


@pytest.fixture(scope="module")
def alone():
    """What one worker finds."""
    server = Server("--workers", 1)
    with server.client() as client:
        place = client.create_robot(ASSEMBLY, name="assembly").headers["Location"]
        yield figures(client, ended(client, begin(client, place)))
        assert helped(client) == 0
    server.close()


def test_workers_share_the_cases(make_server, alone):
    server = make_server("--workers", 3)
    with server.client() as client:
        place = client.create_robot(ASSEMBLY, name="assembly").headers["Location"]
        job = ended(client, begin(client, place))
        assert job["state"] == "succeeded" and job["attempt"] == 1
        assert figures(client, job) == alone and 0 < helped(client) < 24


@pytest.mark.parametrize("which", [0, 1])
def test_what_falls_costs_nothing_of_the_result(make_server, alone, which):
    """A worker is killed: if it helped, no attempt is lost, if it was the job's own, one."""
    server = make_server("--workers", 2)
    with server.client() as client:
        place = client.create_robot(ASSEMBLY, name="assembly").headers["Location"]
        job = begin(client, place)
        until(lambda: helped(client) > 0, 30, 0.01)
        os.kill(server.children("worker")[which], signal.SIGKILL)
        done = ended(client, job)
        assert done["state"] == "succeeded" and done["attempt"] in (1, 2) and figures(client, done) == alone
        assert len(done.get("attempts") or []) == done["attempt"] - 1


def test_cancelling_ends_all_who_compute(make_server):
    server = make_server("--workers", 2)
    with server.client() as client:
        place = client.create_robot(ASSEMBLY, name="assembly").headers["Location"]
        job = begin(client, place, duration=20)
        workers = server.children("worker")
        until(lambda: client.get(f"/v1/jobs/{job}").expect(200).json["state"] == "running", 30, 0.01)
        until(lambda: len([w for w in busy(server) if w]) == 2, 30, 0.01)
        client.post(f"/v1/jobs/{job}/cancel").expect(200)
        assert ended(client, job)["state"] == "cancelled"
        until(lambda: client.get("/readyz").status == 200, 30, 0.02)
        again = ended(client, begin(client, place, duration=0.05))
        assert again["state"] == "succeeded" and len(workers) == 2


def test_who_helps_gives_way(make_server):
    """A case of some seconds does not hold up a job that comes: the part is begun anew."""
    server = make_server("--workers", 2)
    with server.client() as client:
        place = client.create_robot(ASSEMBLY, name="assembly").headers["Location"]
        job = begin(client, place, duration=60 if not SANITIZED else 10)
        until(lambda: client.get(f"/v1/jobs/{job}").expect(200).json["state"] == "running", 30, 0.01)
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        for _ in range(3):
            motion = client.wait_job(client.post(arm + "/trajectories",
                                                 {"method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 1}))
            assert motion["state"] == "succeeded"
        assert client.get(f"/v1/jobs/{job}").expect(200).json["state"] == "running"
        client.post(f"/v1/jobs/{job}/cancel").expect(200)
        assert ended(client, job)["state"] == "cancelled"


def test_a_killed_service_takes_it_up_again(make_server, alone):
    """What was shared is forgotten, the job is not."""
    server = make_server("--workers", 2)
    with server.client() as client:
        place = client.create_robot(ASSEMBLY, name="assembly").headers["Location"]
        job = begin(client, place)
        until(lambda: client.get(f"/v1/jobs/{job}").expect(200).json["state"] == "running", 30, 0.005)
    server.restart(kill=True)
    with server.client() as client:
        done = ended(client, job)
        assert done["state"] == "succeeded" and figures(client, done) == alone
