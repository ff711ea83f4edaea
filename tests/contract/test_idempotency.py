"""Idempotency-Key: what is the same request, what a mismatch names, what is in flight, and how long a key is kept."""

import threading

import pytest

from support import Server, robot, unique_name
from support.motions import motion

pytestmark = pytest.mark.slow
DAY_MS = 24 * 3600 * 1000


@pytest.fixture(scope="module")
def place(server):
    with server.client() as client:
        return client.create_robot(robot("puma560"), name=unique_name()).headers["Location"] + "/trajectories"


def test_json_is_compared_by_what_it_says(client, place):
    key = {"Idempotency-Key": unique_name()}

    def post(text, status):
        return client.post(place, body=text.encode(), content_type="application/json", headers=key).expect(status)

    start, goal = '{"q": [0,0,0,0,0,0]}', '{"q": [0.1,0,0,0,0,0]}'
    first = post(f'{{"method":"quintic","start":{start},"goal":{goal},"duration":2,"tags":{{"a":"\u00fc","b":"2"}}}}', 202)
    for same in (f'{{ "duration": 2.0, "tags": {{"b": "2", "\\u0061": "\\u00fc"}},\n "goal": {goal}, "start": {start}, "method": "quintic" }}',
                 f'{{"method":"quintic","start":{{"q":[-0,0.0,0e3,0,0,0]}},"goal":{{"q":[1e-1,0,0,0,0,0]}},"duration":20e-1,"tags":{{"a":"\u00fc","b":"2"}}}}'):
        again = post(same, 202)
        assert again.headers["Idempotency-Replayed"] == "true" and again.json["id"] == first.json["id"]
    for other in (f'{{"method":"quintic","start":{start},"goal":{goal},"duration":2.0000000000000004,"tags":{{"a":"\u00fc","b":"2"}}}}',
                  f'{{"method":"quintic","start":{goal},"goal":{start},"duration":2,"tags":{{"a":"\u00fc","b":"2"}}}}'):
        wrong = post(other, 422).json
        assert wrong["type"] == "/problems/idempotency-mismatch" and wrong["resource"] == f"/v1/jobs/{first.json['id']}"
        assert wrong["resource"] in wrong["detail"]


def test_of_many_at_once_one_is_done(server, place):
    key, asked = {"Idempotency-Key": unique_name()}, motion(duration=1.25, sample_rate=10)
    answers, together = [], threading.Barrier(12)

    def ask():
        with server.client() as client:
            together.wait()
            answers.append(client.post(place, asked, headers=key))

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    taken = {answer.json["id"] for answer in answers if answer.status == 202}
    assert len(taken) == 1
    for answer in answers:
        if answer.status != 202:
            assert answer.status == 409 and answer.json["type"] == "/problems/request-in-flight" and answer.headers["Retry-After"]


def test_a_key_is_kept_as_long_as_what_it_made(tmp_path):
    names = [f"{name}{j}" for name in ("q", "tau") for j in range(1, 5)]
    log = "\n".join([",".join(["t", *names]), *(",".join([str(k / 100), *[str(k % (5 + j) / 100) for j in range(8)]]) for k in range(200)), ""])

    def aged(days):
        server.write("UPDATE idempotency SET created_ms = created_ms - ?", [(days * DAY_MS,)])

    def upload(client, **headers):
        answer = client.post("/v1/robots/arm/datasets", body=log, content_type="text/csv", headers={k.replace("_", "-"): v for k, v in headers.items()})
        return answer.expect(201).json["id"] if answer.status != 400 else answer.json

    kept = {"Idempotency_Key": "shift-2", "Idempotency_Lifetime": "resource"}
    with Server(data=tmp_path / "data") as server:
        with server.client() as client:
            client.create_robot(robot("scara"), name="arm")
            first, passing = upload(client, **kept), upload(client, Idempotency_Key="passing")
            assert upload(client, Idempotency_Key="x", Idempotency_Lifetime="for ever")["errors"][0]["header"] == "Idempotency-Lifetime"
            assert upload(client, Idempotency_Lifetime="resource")["type"] == "/problems/bad-request"
        server.terminate()
        aged(400)
        server.restart()
        with server.client() as client:
            assert upload(client, Idempotency_Key="passing") != passing
            assert upload(client, **kept) == first
            client.request("DELETE", f"/v1/datasets/{first}", headers={"If-Match": "*"}).expect(204)
            assert upload(client, **kept) != first
