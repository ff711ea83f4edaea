"""Jobs: accepted, waited for, listed, cancelled; the same request again makes no second one."""

import json
import os
import random
import signal
import threading
import time

import pytest

from support import PATIENCE, robot, unique_name, until
from support.motions import long_motion, motion


@pytest.fixture
def arm(client):
    """The path of a stored Puma."""
    return client.create_robot(robot("puma560"), name=unique_name()).headers["Location"]


@pytest.fixture
def queue(one_worker):
    """(client, path of a Puma) of a server with one worker: what comes second waits."""
    with one_worker.client() as connection:
        yield connection, connection.create_robot(robot("puma560"), name=unique_name()).headers["Location"]


def submit(client, arm, request=None, **options):
    return client.post(arm + "/trajectories", request or motion(), **options)


def test_a_job_is_accepted_and_ends(client, arm):
    answer = submit(client, arm, motion(tags={"part": "A7"}, job_order_id="JO-1")).expect(202)
    accepted = answer.json
    assert answer.headers["Location"] == f"/v1/jobs/{accepted['id']}"
    assert accepted["state"] in ("queued", "running", "succeeded")
    assert accepted["kind"] == "trajectory" and f"/v1/robots/{accepted['robot']}" == arm and accepted["revision"] == 1
    assert accepted["tags"] == {"part": "A7"} and accepted["request"]["job_order_id"] == "JO-1"
    job = client.wait_job(answer)
    assert job["state"] == "succeeded" and job["progress"] == 1 and job["attempt"] == 1 and job["attempts"] == []
    assert job["problem"] is None and job["created_at"] <= job["started_at"] <= job["finished_at"]
    result = client.get(job["result"]["href"]).expect(200).json
    assert result["job"] == job["id"] and result["tags"] == {"part": "A7"} and result["job_order_id"] == "JO-1"


def test_polling_costs_a_body_only_when_something_changed(client, arm):
    job = client.wait_job(submit(client, arm).expect(202))
    answer = client.get(f"/v1/jobs/{job['id']}").expect(200)
    assert client.get(f"/v1/jobs/{job['id']}", headers={"If-None-Match": answer.etag}).expect(304).etag == answer.etag
    assert client.get(f"/v1/jobs/{job['id']}", headers={"If-None-Match": '"1"'}).expect(200).json == answer.json
    whole = client.get(f"/v1/jobs/{job['id']}", query={"include": "result"}).expect(200)
    assert whole.etag != answer.etag and whole.json["result"]["value"]


@pytest.mark.parametrize("prefer, applied", [("wait=30", "wait=30"), ("respond-async, wait=90", "wait=60"), ('Wait="5"', "wait=5")])
def test_waiting(client, arm, prefer, applied):
    answer = submit(client, arm, headers={"Prefer": prefer}).expect(200)
    assert answer.headers["Preference-Applied"] == applied
    assert answer.json["state"] == "succeeded" and "value" not in answer.json["result"]
    assert answer.headers["Location"] == f"/v1/jobs/{answer.json['id']}"


def test_waiting_in_vain(queue):
    client, arm = queue
    begin = time.monotonic()
    answer = submit(client, arm, long_motion(1000), headers={"Prefer": "wait=1"}).expect(202)
    assert 0.9 < time.monotonic() - begin < 3 * PATIENCE
    assert "Preference-Applied" not in answer.headers and answer.json["state"] == "running"
    client.post(f"/v1/jobs/{answer.json['id']}/cancel").expect(200)


@pytest.mark.parametrize("prefer", ["wait=0", "wait=x", "wait", "return=minimal", ""])
def test_no_waiting(client, arm, prefer):
    assert "Preference-Applied" not in submit(client, arm, headers={"Prefer": prefer}).expect(202).headers


def test_the_result_in_the_answer(client, arm):
    job = submit(client, arm, headers={"Prefer": "wait=30"}, query={"include": "result"}).expect(200).json
    assert job["result"]["value"] == client.get(job["result"]["href"]).json
    again = client.get(f"/v1/jobs/{job['id']}", query={"include": "result"}).expect(200).json
    assert again["result"] == job["result"]
    problem = client.get(f"/v1/jobs/{job['id']}", query={"include": "all"}).expect(422).json
    assert problem["errors"][0]["parameter"] == "include"


def test_many_wait_for_the_same_worker(queue, one_worker):
    """Each waiter is woken by the end of its own job."""
    _, arm = queue
    answers = [None] * 12

    def ask(k):
        with one_worker.client() as own:
            answers[k] = submit(own, arm, motion(duration=1 + k / 10), headers={"Prefer": "wait=30"}, query={"include": "result"})
    threads = [threading.Thread(target=ask, args=(k,)) for k in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, answer in enumerate(answers):
        assert answer.expect(200).json["result"]["value"]["duration"] == 1 + k / 10


def test_a_client_that_goes_does_not_cancel(queue, one_worker):
    client, arm = queue
    gone = one_worker.client()
    gone.connection.request("POST", arm + "/trajectories", json.dumps(long_motion(100, tags={"gone": "yes"})),
                            {"Content-Type": "application/json", "Prefer": "wait=60"})
    found = until(lambda: [j for j in client.get("/v1/jobs").json["items"] if j["tags"] == {"gone": "yes"}])
    gone.close()
    job = until(lambda: (j := client.get(f"/v1/jobs/{found[0]['id']}").json)["finished_at"] and j, 60)
    assert job["state"] == "succeeded"


def test_the_same_request_again_makes_one_job(client, arm):
    key = {"Idempotency-Key": unique_name("key")}
    first = submit(client, arm, headers={**key, "Prefer": "wait=30"}).expect(200)
    assert "Idempotency-Replayed" not in first.headers
    again = submit(client, arm, headers={**key, "Prefer": "wait=30"}).expect(200)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json == first.json and again.headers["Location"] == first.headers["Location"]
    name = arm.rsplit("/", 1)[1]
    assert len(client.get("/v1/jobs", query={"robot": name}).json["items"]) == 1
    other = submit(client, arm, motion(duration=2), headers=key).expect(422)
    assert other.json["type"].endswith("/idempotency-mismatch")
    assert len(client.get("/v1/jobs", query={"robot": name}).json["items"]) == 1


def test_cancel_while_it_runs(queue, one_worker):
    client, arm = queue
    job = submit(client, arm, long_motion(1000)).expect(202).json["id"]
    until(lambda: client.get(f"/v1/jobs/{job}").json["state"] == "running")
    workers = one_worker.children("worker")
    cancelled = client.post(f"/v1/jobs/{job}/cancel").expect(200).json
    assert cancelled["state"] == "cancelled" and cancelled["result"] is None
    assert cancelled["problem"]["type"].endswith("/cancelled") and cancelled["finished_at"]
    assert client.get(f"/v1/jobs/{job}").json == cancelled
    assert client.post(f"/v1/jobs/{job}/cancel").expect(409).json["type"].endswith("/conflict")
    assert one_worker.children("worker") != workers
    assert submit(client, arm, headers={"Prefer": "wait=30"}).expect(200).json["state"] == "succeeded"


def test_cancel_before_it_runs(queue, one_worker):
    client, arm = queue
    first = submit(client, arm, long_motion(1000)).expect(202).json["id"]
    until(lambda: client.get(f"/v1/jobs/{first}").json["state"] == "running")
    second = submit(client, arm).expect(202).json
    assert second["state"] == "queued" and second["started_at"] is None and second["attempt"] == 0
    cancelled = client.post(f"/v1/jobs/{second['id']}/cancel").expect(200).json
    assert cancelled["state"] == "cancelled" and cancelled["started_at"] is None and cancelled["attempt"] == 0
    assert client.get(f"/v1/jobs/{first}").json["state"] == "running"
    client.post(f"/v1/jobs/{first}/cancel").expect(200)


def test_a_waiter_learns_of_the_cancelling(queue, one_worker):
    client, arm = queue
    answers = []

    def ask():
        with one_worker.client() as own:
            answers.append(submit(own, arm, long_motion(1000, tags={"wait": "cancel"}), headers={"Prefer": "wait=60"}))
    thread = threading.Thread(target=ask)
    thread.start()
    job = until(lambda: [j for j in client.get("/v1/jobs?state=running").json["items"] if j["tags"] == {"wait": "cancel"}])
    client.post(f"/v1/jobs/{job[0]['id']}/cancel").expect(200)
    thread.join(10)
    assert answers[0].expect(200).json["state"] == "cancelled"


def test_the_oldest_goes_first(queue):
    client, arm = queue
    ids = [submit(client, arm, motion(duration=1 + k / 10)).expect(202).json["id"] for k in range(8)]
    jobs = [until(lambda id=id: (j := client.get(f"/v1/jobs/{id}").json)["finished_at"] and j, 60) for id in ids]
    assert [j["started_at"] for j in jobs] == sorted(j["started_at"] for j in jobs)
    assert ids == sorted(ids)


@pytest.mark.slow
def test_queue_positions_are_the_order_in_which_jobs_start():
    """Three keys, two arms, three priorities, in an order drawn by lot: what each was told when all waited comes true."""
    from support import Server
    chance = random.Random(7)
    with Server("--workers", 1, key="admin-of-this-test") as own, own.client() as admin:
        arms = [admin.create_robot(robot("puma560"), name=name).headers["Location"] for name in ("one", "two")]
        secrets = [admin.post("/v1/keys", {"name": f"key-{k}", "role": "operator"}).expect(201).json["secret"] for k in range(3)]
        blocker = submit(admin, arms[0], long_motion(1000)).expect(202).json["id"]
        until(lambda: admin.get(f"/v1/jobs/{blocker}").json["state"] == "running", what="a job that runs")
        ids = []
        for _ in range(16):
            request = motion(priority=chance.choice([0, 0, 0, 2, -3]))
            with own.client(key=secrets[chance.choice([0, 0, 0, 1, 2])]) as client:
                ids.append(submit(client, chance.choice(arms), request).expect(202).json["id"])
        told = {admin.get(f"/v1/jobs/{id}").expect(200).json["queue_position"]: id for id in ids}
        assert sorted(told) == list(range(1, 17))
        assert [told[k] for k in sorted(told)] != ids  # not the order of acceptance
        assert admin.get(f"/v1/jobs/{blocker}").json["queue_position"] is None
        admin.post(f"/v1/jobs/{blocker}/cancel").expect(200)
        ended = [until(lambda id=told[k]: (j := admin.get(f"/v1/jobs/{id}").json)["finished_at"] and j) for k in sorted(told)]
        assert [job["started_at"] for job in ended] == sorted(job["started_at"] for job in ended)
        assert {job["queue_position"] for job in ended} == {None}


def test_lists(queue):
    client, arm = queue
    name = arm.rsplit("/", 1)[1]
    done = [submit(client, arm, headers={"Prefer": "wait=30"}).expect(200).json["id"] for _ in range(5)]
    running = submit(client, arm, long_motion(1000)).expect(202).json["id"]
    until(lambda: client.get(f"/v1/jobs/{running}").json["state"] == "running")
    waiting = [submit(client, arm).expect(202).json["id"] for _ in range(3)]
    cancelled = waiting.pop()
    client.post(f"/v1/jobs/{cancelled}/cancel").expect(200)

    def listed(**query):
        found, cursor = [], None
        while True:
            page = client.get("/v1/jobs", query={"robot": name, **query, **({"cursor": cursor} if cursor else {})}).expect(200).json
            found += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return found
            assert len(page["items"]) == query["limit"]

    newest_first = [cancelled, *reversed(waiting), running, *reversed(done)]
    assert [j["id"] for j in listed(limit=200)] == newest_first
    assert [j["id"] for j in listed(limit=2)] == newest_first
    assert [j["id"] for j in listed(limit=1, state="running")] == [running]
    assert [j["id"] for j in listed(limit=1, state="queued")] == waiting[::-1]
    assert [j["id"] for j in listed(limit=3, state="succeeded", kind="trajectory")] == done[::-1]
    assert [j["id"] for j in listed(limit=50, state="cancelled")] == [cancelled]
    assert listed(limit=50, state="failed") == []
    for query, parameter in ((dict(state="odd"), "state"), (dict(kind="odd"), "kind"), (dict(limit=0), "limit"), (dict(odd=1), "odd")):
        assert client.get("/v1/jobs", query=query).expect(422).json["errors"][0]["parameter"] == parameter
    client.post(f"/v1/jobs/{running}/cancel").expect(200)


def test_nobodys_job(client):
    for path in ("/v1/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/v1/jobs/x"):
        assert client.get(path).expect(404).json["type"].endswith("/not-found")
        assert client.post(path + "/cancel").expect(404).json["type"].endswith("/not-found")


def test_progress_is_told(queue):
    client, arm = queue
    job = submit(client, arm, motion(duration=15, sample_rate=20000)).expect(202).json["id"]
    seen = set()

    def ended():
        now = client.get(f"/v1/jobs/{job}").json
        seen.add((now["state"], now["progress"], now["message"]))
        return now["state"] not in ("queued", "running")
    until(ended, 60, 0.005)
    fractions = {progress for state, progress, message in seen if state == "running" and message == "computing torques"}
    assert any(0 < fraction < 1 for fraction in fractions), seen


def test_the_queue_is_bounded_and_its_last_places_are_for_high_priorities(make_server):
    server = make_server("--workers", 1, "--child-silence", 600, "--waiting-jobs", 40)
    with server.client() as client:
        arm = client.create_robot(robot("puma560"), name="arm").headers["Location"]
        until(lambda: client.get("/readyz").status == 200)
        worker, = server.children("worker")
        os.kill(worker, signal.SIGSTOP)  # none of them ends
        assert client.get("/v1/limits").json["options"]["waiting_jobs"] == 40
        most, reserved = 40, 4
        assert [submit(client, arm).status for _ in range(most - reserved)] == [202] * (most - reserved)
        assert "the last 4 of 40 places (--waiting-jobs)" in submit(client, arm).expect(429).json["detail"]
        assert [submit(client, arm, motion(priority=1)).status for _ in range(reserved)] == [202] * reserved
        refused = submit(client, arm, motion(priority=1)).expect(429)
        assert refused.json["type"].endswith("/too-many-requests") and int(refused.headers["Retry-After"]) > 0
        os.kill(worker, signal.SIGCONT)
        until(lambda: submit(client, arm, motion(priority=1)).status == 202)
