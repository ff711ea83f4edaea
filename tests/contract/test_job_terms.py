"""When jobs run and what they may use: priorities, turns of robots, time limits, bounds of the worker processes."""

import os

import pytest

from support import robot, until
from support.motions import long_motion, motion

SANITIZED = os.environ.get("ARMDYN_VARIANT", "release") != "release"


@pytest.fixture
def queue(one_worker):
    with one_worker.client() as connection:
        yield Queue(connection)


def processor_time(pid):
    """Seconds."""
    with open(f"/proc/{pid}/stat") as file:
        user, system = file.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def address_space(pid):
    """MiB that were most."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmPeak")) // 1024


class Queue:
    """A server whose one worker is kept busy by a job of robot "blocker" while others are handed in."""

    def __init__(self, client):
        self.client = client
        self.blocker = None

    def submit(self, name, request=None, **terms):
        if self.client.get(f"/v1/robots/{name}").status == 404:
            self.client.create_robot(robot("puma560"), name=name)
        return self.client.post(f"/v1/robots/{name}/trajectories", {**(request or motion()), **terms}).expect(202).json["id"]

    def job(self, id):
        return self.client.get(f"/v1/jobs/{id}").expect(200).json

    def block(self):
        self.blocker = self.submit("blocker", long_motion(1000))
        until(lambda: self.job(self.blocker)["state"] == "running")

    def release(self):
        self.client.post(f"/v1/jobs/{self.blocker}/cancel").expect(200)

    def ended(self, id):
        return until(lambda: (j := self.job(id))["finished_at"] and j, 60)

    def order(self, *ids):
        """Those jobs by when they were begun."""
        jobs = [self.ended(id) for id in ids]
        assert all(j["state"] == "succeeded" for j in jobs)
        return [j["id"] for j in sorted(jobs, key=lambda j: (j["started_at"], j["finished_at"]))]


def test_the_highest_priority_goes_first(queue):
    queue.block()
    low, usual, high, higher, later = (queue.submit("arm", priority=p) for p in (-10, 0, 5, 10, 0))
    assert queue.job(high)["priority"] == 5 and queue.job(usual)["priority"] == 0
    listed = queue.client.get("/v1/jobs", query={"sort": "-priority", "state": "queued"}).expect(200).json["items"]
    assert [j["id"] for j in listed] == [higher, high, later, usual, low]
    queue.release()
    assert queue.order(low, usual, high, higher, later) == [higher, high, usual, later, low]


def test_robots_take_turns(queue):
    """One robot's pile does not keep the others waiting."""
    queue.block()
    pile = [queue.submit("piled") for _ in range(4)]
    few = [queue.submit("few") for _ in range(2)]
    one = queue.submit("one")
    queue.release()
    assert queue.order(*pile, *few, one) == [pile[0], few[0], one, pile[1], few[1], pile[2], pile[3]]


def test_the_order_survives_a_restart(make_server):
    server = make_server("--workers", 1)
    with server.client() as client:
        before = Queue(client)
        before.block()
        low, high = before.submit("arm", priority=-1), before.submit("arm", priority=1)
        overdue = before.submit("arm", long_motion(1000), priority=-2, time_limit=0.001)
    server.restart(kill=True)
    with server.client() as client:
        after = Queue(client)
        client.post(f"/v1/jobs/{before.blocker}/cancel").expect(200, 409)
        assert after.order(low, high) == [high, low]
        assert after.ended(overdue)["problem"]["type"].endswith("/time-limit")


@pytest.mark.parametrize("terms, pointer", [
    ({"priority": 11}, "/priority"), ({"priority": -11}, "/priority"), ({"priority": 0.5}, "/priority"), ({"priority": "high"}, "/priority"),
    ({"time_limit": 0}, "/time_limit"), ({"time_limit": 2592001}, "/time_limit"), ({"time_limit": "1 s"}, "/time_limit")])
@pytest.mark.parametrize("kind, request_", [("trajectories", motion()), ("friction-tests", {})])
def test_wrong_terms(client, arm, kind, request_, terms, pointer):
    problem = client.post(f"{arm}/{kind}", {**request_, **terms}).expect(422).json
    assert [e["pointer"] for e in problem["errors"] if e["pointer"] in ("/priority", "/time_limit")] == [pointer]


@pytest.fixture(scope="module")
def arm(server):
    from support import unique_name
    with server.client() as connection:
        return connection.create_robot(robot("puma560"), name=unique_name()).headers["Location"]


def test_no_time_limit_is_null(client, arm):
    job = client.post(f"{arm}/trajectories", motion(time_limit=None)).expect(202).json
    assert job["time_limit"] is None and client.wait_job(client.get(f"/v1/jobs/{job['id']}"))["state"] == "succeeded"
    job = client.post(f"{arm}/trajectories", motion(time_limit=600), headers={"Prefer": "wait=30"}).expect(200).json
    assert job["time_limit"] == 600 and job["state"] == "succeeded"


def test_a_job_that_waits_too_long_fails(queue):
    queue.block()
    waits = queue.submit("arm", time_limit=0.3)
    failed = queue.ended(waits)
    assert queue.job(queue.blocker)["state"] == "running"
    queue.release()
    assert failed["state"] == "failed" and failed["attempt"] == 0 and failed["started_at"] is None
    assert failed["problem"]["type"].endswith("/time-limit")
    assert failed["problem"]["detail"] == "Its time_limit of 0.3 s was over while it waited for a worker."


def test_a_job_that_runs_too_long_fails_alone(queue, one_worker):
    assert queue.ended(queue.submit("arm"))["state"] == "succeeded"  # a worker is there: a limit counts from the request on
    workers, limit = one_worker.children("worker"), 3 if SANITIZED else 0.5
    runs = queue.submit("arm", long_motion(1000), time_limit=limit)
    behind = queue.submit("arm")
    failed = queue.ended(runs)
    assert failed["state"] == "failed" and failed["attempt"] == 1 and failed["started_at"]
    assert failed["problem"]["detail"] == f"Its time_limit of {limit} s was over before the computation ended."
    assert queue.ended(behind)["state"] == "succeeded"
    assert one_worker.children("worker") != workers
    assert queue.client.post(f"/v1/jobs/{runs}/cancel").expect(409)


@pytest.mark.slow
def test_a_job_may_use_so_much_processor_time(make_server):
    """It is not tried again: it would need as much. What the worker's other jobs used does not count."""
    server = make_server("--workers", 1, "--job-cpu-time", 1)
    with server.client() as client:
        queue = Queue(client)
        worker, = server.children("worker")
        while processor_time(worker) < 2.2:
            assert queue.ended(queue.submit("arm", long_motion(60)))["state"] == "succeeded"
        assert server.children("worker") == [worker]
        failed = queue.ended(queue.submit("arm", long_motion(1000)))
        assert failed["state"] == "failed" and failed["attempt"] == 1 and failed["attempts"] == []
        assert failed["problem"]["type"].endswith("/worker-limit")
        assert failed["problem"]["detail"] == "It needs more processor time than the 1 s that a job may have (--job-cpu-time)."
        assert queue.ended(queue.submit("arm"))["state"] == "succeeded"


@pytest.mark.skipif(SANITIZED, reason="sanitizers need address space by the terabyte")
def test_a_job_may_use_so_much_memory(make_server):
    """The worker that refused it lives on."""
    enough = address_space(make_server("--workers", 1).children("worker")[0]) + 2  # for little jobs
    server = make_server("--workers", 1, "--worker-memory", enough)
    with server.client() as client:
        queue = Queue(client)
        assert queue.ended(queue.submit("arm"))["state"] == "succeeded"
        worker = server.children("worker")
        failed = queue.ended(queue.submit("arm", motion(method="energy_optimal", intervals=2000)))
        assert failed["state"] == "failed" and failed["attempt"] == 1
        assert failed["problem"]["type"].endswith("/worker-limit")
        assert failed["problem"]["detail"] == f"It needs more memory than the {enough} MiB that a worker may have (--worker-memory)."
        assert queue.ended(queue.submit("arm"))["state"] == "succeeded"
        assert server.children("worker") == worker
