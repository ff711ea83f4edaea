"""What answers tell browsers: to take them for nothing else than they say, and to keep no copy of what may change."""

import io

import numpy as np
import pytest

from support import Server, robot

pytestmark = pytest.mark.same_threads


@pytest.fixture(scope="module")
def shared():
    with Server() as server, server.client() as client:
        client.create_robot(robot("puma560"), name="arm")
        yield client


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/v1/version", "/v1/robots", "/v1/robots/arm", "/v1/keys", "/v1/activity", "/v1/jobs",
                                  "/v1/nothing", "/v1/robots/nobody", "/v1/robots?limit=x"])
def test_no_copy_and_no_guess(shared, path):
    answer = shared.get(path, check=False)
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Cache-Control"] == "no-store"


def test_a_condition_is_answered_all_the_same(shared):
    tag = shared.get("/v1/robots/arm").etag
    answer = shared.get("/v1/robots/arm", headers={"If-None-Match": tag}).expect(304)
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_refused_change_is_kept_nowhere(shared):
    answer = shared.post("/v1/robots", {}).expect(422)
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Cache-Control"] == "no-store"


def is_restrained(answer):
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Cache-Control"] == "no-store", answer


def test_secrets_and_states_that_other_methods_answer_are_kept_nowhere():
    with Server("--webhook-networks", "127.0.0.0/8") as server, server.client() as client:
        client.create_robot(robot("puma560"), name="arm")
        hook = client.post("/v1/webhooks", {"name": "hook", "url": "http://127.0.0.1:9/"}).expect(201)
        changed = client.post("/v1/webhooks/hook/rotate").expect(200)
        job = client.post("/v1/robots/arm/trajectories", {"method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 1}).expect(202)
        drained, taken = client.post("/v1/drain").expect(200), client.delete("/v1/drain").expect(200, 204)
        stopped = client.post("/v1/controllers/stop").expect(200)
        put = client.put("/v1/robots/arm", {**robot("puma560"), "name": "arm"}, headers={"If-Match": "*"}).expect(200)
        key = client.post("/v1/keys", {"name": "first", "role": "admin"}).expect(201)
        with server.client(key=key.json["secret"]) as owner:
            gone = owner.delete("/v1/webhooks/hook", headers={"If-Match": "*"}).expect(204)
        for answer in (hook, changed, job, drained, taken, stopped, put, key, gone):
            is_restrained(answer)


def test_a_report_is_a_document_that_does_nothing(shared):
    motion = {"method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 1}
    place = shared.run_job("/v1/robots/arm/trajectories", motion)["result"]["href"]
    answer = shared.get(place + "/report", headers={"Accept": "text/html"}).expect(200)
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("sandbox;") and "default-src 'none'" in policy and "script" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_samples_keep_the_limit_of_answers_in_every_format(shared):
    """Two million rows of 41 columns are 625 MiB of doubles."""
    model = robot("puma560")
    model = {**model, "name": "long-arm", "joints": [{**joint, "name": f"j{i}"} for i, joint in enumerate(model["joints"] + model["joints"][:2])]}
    shared.create_robot(model)
    motion = {"method": "quintic", "start": {"q": [0] * 8}, "goal": {"q": [0.1] * 8}, "duration": 1999, "sample_rate": 10}
    place = shared.run_job("/v1/robots/long-arm/trajectories", motion)["result"]["href"]
    for accept in ("application/x-npy", "text/csv", "application/json"):
        refused = shared.get(place + "/samples", query={"rate": 1000}, headers={"Accept": accept}).expect(413)
        assert refused.json["type"] == "/problems/too-large" and "`from`" in refused.json["detail"]
    part = shared.get(place + "/samples", query={"rate": 1000, "to": 1, "fields": "q"}, headers={"Accept": "application/x-npy"}).expect(200)
    assert np.load(io.BytesIO(part.body)).shape == (1001, 8)
