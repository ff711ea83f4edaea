"""kill -9 of workers and of the server at any moment: nothing that was accepted is lost, nothing is done twice.

ARMDYN_SEED repeats a run; ARMDYN_SOAK=1 kills the server 500 times.
"""

import http.client
import os
import random
import signal
import threading
import time

import pytest

from support import Server, integrity, robot, until
from support.motions import long_motion, motion

SANITIZED = os.environ.get("ARMDYN_VARIANT", "release") != "release"
SOAK = os.environ.get("ARMDYN_SOAK") == "1"
KILLS = 50 if SOAK else 2 if SANITIZED else 5            # of workers
SERVER_KILLS = 500 if SOAK else 2 if SANITIZED else 10
SLOW = 8 if SANITIZED else 1
LONG, LONGER = 300, 1000                                # waypoints of jobs that take some seconds


@pytest.fixture
def chance(request):
    seed = int(os.environ.get("ARMDYN_SEED") or random.randrange(10**6))
    print(f"{request.node.name}: ARMDYN_SEED={seed}")
    return random.Random(seed)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def busy_worker(server):
    """The worker that has used the most time of the processor."""
    def used(pid):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        except OSError:
            return -1
    return max(server.children("worker"), key=used)


def get(client, job):
    return client.get(f"/v1/jobs/{job}").expect(200).json


def ended(client, job, timeout=120):
    return until(lambda: (j := get(client, job))["finished_at"] and j, timeout, 0.05, f"end of job {job}")


def running(client, job, attempt):
    until(lambda: (j := get(client, job))["state"] == "running" and j["attempt"] == attempt, 30, 0.01)


def test_a_job_survives_the_loss_of_its_worker(make_server):
    server = make_server("--workers", 1)
    with server.client() as client:
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        undisturbed = client.wait_job(client.post(arm + "/trajectories", long_motion(LONG)))
        job = client.post(arm + "/trajectories", long_motion(LONG)).expect(202).json["id"]
        running(client, job, 1)
        time.sleep(0.2)
        worker, = server.children("worker")
        kill(worker)
        running(client, job, 2)
        again = get(client, job)
        assert [a["attempt"] for a in again["attempts"]] == [1]
        assert again["attempts"][0]["reason"] == "worker ended by signal 9 (Killed)"
        done = ended(client, job)
        assert done["state"] == "succeeded" and done["attempt"] == 2 and done["attempts"] == again["attempts"]
        assert worker not in server.children("worker")
        one, other = (client.get(j["result"]["href"]).expect(200).json for j in (ended(client, undisturbed["id"]), done))
        assert {**one, "id": 0, "job": 0, "created_at": 0, "samples": 0} == {**other, "id": 0, "job": 0, "created_at": 0, "samples": 0}


def test_a_job_that_kills_every_worker_fails(make_server):
    server = make_server("--workers", 1)
    with server.client() as client:
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        job = client.post(arm + "/trajectories", long_motion(LONGER)).expect(202).json["id"]
        numbers = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT)
        for attempt, number in enumerate(numbers, 1):
            running(client, job, attempt)
            os.kill(server.children("worker")[0], number)
        failed = ended(client, job)
        assert failed["state"] == "failed" and failed["attempt"] == 3 and failed["result"] is None
        problem = failed["problem"]
        assert problem["type"].endswith("/worker-lost") and problem["status"] == 500
        if not SANITIZED:  # a sanitizer turns SIGSEGV and SIGABRT into an exit of its own
            assert problem["detail"] == ("attempt 1: worker ended by signal 9 (Killed); "
                                         "attempt 2: worker ended by signal 11 (Segmentation fault); "
                                         "attempt 3: worker ended by signal 6 (Aborted)")
        assert [a["attempt"] for a in failed["attempts"]] == [1, 2, 3]
        after = client.wait_job(client.post(arm + "/trajectories", motion()))
        assert after["state"] == "succeeded"  # a fresh worker is there
        client.get("/readyz").expect(200)
    for path in server.directory.glob("sanitizer*"):
        path.unlink()  # of the signals that this test sent


def test_an_idle_worker_is_replaced_and_costs_nothing(make_server):
    server = make_server("--workers", 2)
    with server.client() as client:
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        until(lambda: len(server.children("worker")) == 2)
        for worker in server.children("worker"):
            kill(worker)
        jobs = [client.post(arm + "/trajectories", motion()).expect(202).json["id"] for _ in range(4)]
        for job in jobs:
            assert ended(client, job)["state"] == "succeeded"
        until(lambda: client.get("/readyz").status == 200 and len(server.children("worker")) == 2)


def test_workers_end_with_their_server(make_server):
    server = make_server("--workers", 2)
    with server.client() as client:
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        job = client.post(arm + "/trajectories", long_motion(LONGER)).expect(202).json["id"]
        running(client, job, 1)
    workers = server.children("worker")
    assert len(workers) == 2
    server.kill()
    until(lambda: not any(os.path.exists(f"/proc/{pid}") and "Z" not in open(f"/proc/{pid}/stat").read().split()[2] for pid in workers))


def test_a_stopping_server_hands_jobs_to_its_successor(make_server):
    server = make_server("--workers", 1, "--stop-timeout", 1)
    with server.client() as client:
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        jobs = [client.post(arm + "/trajectories", long_motion(LONG)).expect(202).json["id"],
                client.post(arm + "/trajectories", motion()).expect(202).json["id"]]
        running(client, jobs[0], 1)
    begin = time.monotonic()
    assert server.terminate() == 0
    assert time.monotonic() - begin < 5 * SLOW
    server.restart()
    with server.client() as client:
        for job in jobs:
            done = ended(client, job)
            assert done["state"] == "succeeded" and done["attempts"] == []


def test_random_kills_of_workers(make_server, chance):
    server = make_server("--workers", 2)
    with server.client() as client:
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        jobs, kills = [], 0
        while kills < KILLS:
            request = long_motion(chance.choice((20, 100)), seed=chance.random()) if chance.random() < 0.5 else motion()
            jobs.append(client.post(arm + "/trajectories", request).expect(202).json["id"])
            if chance.random() < 0.3:
                time.sleep(chance.uniform(0, 0.2))
                kills += kill(busy_worker(server)) if server.children("worker") else 0
        states = [ended(client, job) for job in jobs]
        for job in states:
            reasons = [a["reason"] for a in job["attempts"]]
            assert set(reasons) <= {"worker ended by signal 9 (Killed)"}
            assert job["state"] == ("failed" if len(reasons) == 3 else "succeeded"), job["problem"]
            assert job["attempt"] == len(reasons) + (job["state"] == "succeeded")
        succeeded = [j for j in states if j["state"] == "succeeded"]
        results = {j["result"]["href"] for j in succeeded}
        assert len(results) == len(succeeded)
        listed, cursor = [], ""
        while cursor is not None:
            page = client.get("/v1/trajectories?limit=200" + (f"&cursor={cursor}" if cursor else "")).json
            listed, cursor = listed + page["items"], page["next_cursor"]
        assert {f"/v1/trajectories/{t['id']}" for t in listed} == results  # and nothing half-done is seen


class Submitter(threading.Thread):
    """Submits until it is told to stop. A request whose answer was lost is repeated with its Idempotency-Key."""

    def __init__(self, service, number, seed):
        super().__init__()
        self.service, self.number, self.chance = service, number, random.Random(seed)
        self.accepted, self.keys, self.failure = {}, 0, None  # key -> job

    def run(self):
        try:
            while not self.service.over:
                self.keys += 1
                self.submit(f"client-{self.number}-{self.keys}")
                time.sleep(0.2 if SANITIZED else 0.005)
        except BaseException as failure:  # noqa: told by the test
            self.failure = failure

    def submit(self, key):
        request = motion(duration=1 + self.chance.random(), tags={"key": key}, sample_rate=self.chance.choice((100, 1000)))
        end = time.monotonic() + 120
        while time.monotonic() < end:
            try:
                with self.service.server.client(timeout=20) as client:
                    answer = client.post("/v1/robots/arm/trajectories", request, headers={"Idempotency-Key": key})
            except (OSError, EOFError, http.client.HTTPException):
                time.sleep(0.02)
                continue
            if answer.status in (429, 503, 409):
                time.sleep(0.05)
                continue
            job = answer.expect(202).json
            assert job["tags"] == {"key": key}
            self.accepted[key] = job["id"]
            return
        raise AssertionError(f"{key} was not accepted")


class Service:
    def __init__(self, server):
        self.server, self.over = server, False


def test_random_kills_of_the_server(make_server, chance):
    server = make_server("--workers", 2)
    with server.client() as client:
        client.create_robot(robot("puma560"), name="arm")
    service = Service(server)
    submitters = [Submitter(service, number, chance.random()) for number in range(3)]
    for submitter in submitters:
        submitter.start()
    for _ in range(SERVER_KILLS):
        time.sleep(chance.uniform(0.02, 0.7) * min(SLOW, 2))
        server.restart(kill=True)
    service.over = True
    for submitter in submitters:
        submitter.join(150)
    assert [s.failure for s in submitters] == [None] * 3
    accepted = {key: job for s in submitters for key, job in s.accepted.items()}
    assert len(accepted) == sum(s.keys for s in submitters) > 5
    assert len(set(accepted.values())) == len(accepted)

    with server.client() as client:
        for key, job in accepted.items():
            done = ended(client, job)
            assert done["state"] == "succeeded" and done["tags"] == {"key": key}, done
        listed, cursor = [], ""
        while cursor is not None:
            page = client.get("/v1/jobs?limit=200" + (f"&cursor={cursor}" if cursor else "")).json
            listed, cursor = listed + page["items"], page["next_cursor"]
        assert {j["id"] for j in listed} == set(accepted.values())  # one job for every key, and no other
        for job in listed[:50]:
            trajectory = client.get(job["result"]["href"]).expect(200).json
            csv = client.get(trajectory["samples"], headers={"Accept": "text/csv"}).expect(200).text.splitlines()
            duration, rate = trajectory["duration"], trajectory["sample_rate"]
            assert float(csv[-1].split(",")[0]) == duration and abs(len(csv) - 2 - duration * rate) <= 1
    assert server.terminate() == 0
    assert integrity(server) == "ok"
    print(f"{len(accepted)} jobs, {SERVER_KILLS} kills")
