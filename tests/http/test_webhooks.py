"""Webhooks with a real receiver, which checks signatures by Python's own HMAC."""

import json
import re
import socket
import sqlite3
import subprocess
import threading
import time

import pytest

from support import Process, Server, binary, robot, unique_name, until
from support.motions import motion
from support.receiver import Receiver, signature
from support.tls import authority, signed

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def client(telling):
    with telling.client() as one:
        yield one


@pytest.fixture(scope="module")
def arm(telling):
    with telling.client() as one:
        return one.create_robot(robot("puma560")).headers["Location"]


def register(client, url):
    """Name and secret of a new webhook."""
    made = client.post("/v1/webhooks", {"name": unique_name("hook"), "url": url}).expect(201)
    assert made.headers["Location"] == f"/v1/webhooks/{made.json['name']}" and made.headers["Cache-Control"] == "no-store"
    return made.json["name"], made.json["secret"]


def plan(client, arm, webhook, headers=None, **changes):
    """The id of a job that names it."""
    return client.post(arm + "/trajectories", {**motion(**changes), "callback": {"webhook": webhook}}, headers=headers).expect(202).json["id"]


def delivery(client, job):
    items = client.get(f"/v1/jobs/{job}/deliveries").expect(200).json["items"]
    return items[0] if items else {"state": None}


def delivered(client, job, state="delivered"):
    until(lambda: delivery(client, job)["state"] == state, what=f"{state}: {delivery(client, job)}")
    return delivery(client, job)


# ---------------------------------------------------------------- what is told
def test_the_end_of_a_job_is_told_and_signed(client, arm):
    with Receiver() as receiver:
        name, secret = register(client, receiver.url)
        before = time.time()
        job = plan(client, arm, name, headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
        end = delivered(client, job)
        assert (end["attempts"], end["http_status"], end["error"], end["next_at"]) == (1, 200, None, None)
    (headers, body), = receiver.messages
    assert headers["webhook-signature"] == signature(secret, headers, body)
    assert headers["webhook-id"] == f"msg_{job}" and before - 2 < int(headers["webhook-timestamp"]) < time.time() + 2
    assert headers["Content-Type"] == "application/json" and TRACE in headers["traceparent"]
    message, = receiver.documents()
    now = client.get(f"/v1/jobs/{job}").expect(200).json
    assert message == {"type": "job.succeeded", "timestamp": now["finished_at"], "data": now}
    assert signature("whsec_" + "A" * 43 + "=", headers, body) != headers["webhook-signature"]


@pytest.mark.parametrize("how", ["failed", "cancelled"])
def test_other_ends_are_told_too(client, arm, how):
    with Receiver() as receiver:
        name, _ = register(client, receiver.url)
        if how == "failed":  # far too fast for any arm
            job = plan(client, arm, name, duration=0.001)
        else:
            job = plan(client, arm, name, duration=2, method="energy_optimal", intervals=400, multistart=16)
            client.post(f"/v1/jobs/{job}/cancel").expect(200)
        delivered(client, job)
    assert [document["type"] for document in receiver.documents()] == [f"job.{how}"]


def test_jobs_that_name_nobody_are_told_to_nobody(client, arm):
    job = client.wait_job(client.post(arm + "/trajectories", {**motion(), "callback": None}).expect(202))["id"]
    assert client.get(f"/v1/jobs/{job}/deliveries").expect(200).json == {"items": [], "next_cursor": None}
    client.post(f"/v1/jobs/{job}/deliveries").expect(404)


# ---------------------------------------------------------------- changes
def test_what_waits_goes_to_the_new_address(client, arm):
    """Its own receiver is gone; whoever knows how the webhook stands leads it elsewhere, and its secret stays."""
    with Receiver() as receiver:
        name, secret = register(client, "http://127.0.0.1:9/")
        path = f"/v1/webhooks/{name}"
        job = plan(client, arm, name)
        until(lambda: delivery(client, job).get("attempts") == 1)
        former = client.get(path).expect(200)
        changed = client.put(path, {**former.json, "url": receiver.url}, headers={"If-Match": former.etag}).expect(200)
        assert changed.json == {**former.json, "url": receiver.url} and changed.etag != former.etag
        assert delivered(client, job)["webhook"] == name
    (headers, body), = receiver.messages
    assert headers["webhook-signature"] == signature(secret, headers, body)
    for late in (client.put(path, former.json, headers={"If-Match": former.etag}), client.delete(path, headers={"If-Match": former.etag})):
        late.expect(412)
    assert client.get(path).json["url"] == receiver.url
    rotated = client.post(path + "/rotate").expect(200)
    client.delete(path, headers={"If-Match": changed.etag}).expect(412)
    client.delete(path, headers={"If-Match": rotated.etag}).expect(204)


@pytest.mark.same_threads
def test_put_makes_one_and_no_second(client):
    name, once = unique_name("hook"), {"If-None-Match": "*"}
    body = {"name": name, "url": "http://127.0.0.1:9/"}
    made = client.put(f"/v1/webhooks/{name}", body, headers=once).expect(201)
    assert made.json["secret"].startswith("whsec_") and made.headers["Location"] == f"/v1/webhooks/{name}"
    client.put(f"/v1/webhooks/{name}", body, headers=once).expect(412)
    other = client.put(f"/v1/webhooks/{name}", {"name": "other", "url": "ftp://127.0.0.1"}, headers={"If-Match": made.etag}).expect(422).json
    assert {error["pointer"] for error in other["errors"]} == {"/name", "/url"}
    client.delete(f"/v1/webhooks/{name}", headers={"If-Match": made.etag}).expect(204)
    again = client.put(f"/v1/webhooks/{name}", body, headers=once).expect(201)
    assert again.etag != made.etag  # a tag of the one that is gone names nothing


@pytest.mark.same_threads
def test_a_repeated_request_makes_one_and_shows_its_secret_once(client):
    body, key = {"name": unique_name("hook"), "url": "http://127.0.0.1:9/"}, {"Idempotency-Key": unique_name("once")}
    first = client.post("/v1/webhooks", body, headers=key).expect(201)
    again = client.post("/v1/webhooks", body, headers=key).expect(201)
    assert again.headers["Idempotency-Replayed"] == "true" and again.etag == first.etag
    assert {**again.json, "secret": first.json["secret"]} == first.json and "secret" not in again.json
    client.post("/v1/webhooks", {**body, "url": "http://127.0.0.1:10/"}, headers=key).expect(422)
    client.post("/v1/webhooks", body).expect(409)


# ---------------------------------------------------------------- secrets
def test_after_a_rotation_both_secrets_sign(client, arm):
    with Receiver() as receiver:
        name, former = register(client, receiver.url)
        again = client.post(f"/v1/webhooks/{name}/rotate").expect(200)
        rotated = again.json
        assert rotated["secret"] != former and rotated["former_secret_until"]
        delivered(client, plan(client, arm, name))
        (headers, body), = receiver.messages
        assert headers["webhook-signature"].split() == [signature(secret, headers, body) for secret in (rotated["secret"], former)]
    shown = client.get(f"/v1/webhooks/{name}").expect(200)
    client.get(f"/v1/webhooks/{name}", headers={"If-None-Match": again.etag}).expect(304)
    assert "secret" not in shown.json and former not in client.get("/v1/webhooks").expect(200).text


def test_a_repeated_rotation_rotates_once(client, arm):
    """The secret that the first answer showed still signs, beside the one before it and no third."""
    with Receiver() as receiver:
        name, former = register(client, receiver.url)
        path, key = f"/v1/webhooks/{name}/rotate", {"Idempotency-Key": unique_name("once")}
        first = client.post(path, headers=key).expect(200)
        again = client.post(path, headers=key).expect(200)
        assert "Idempotency-Replayed" not in first.headers and again.headers["Idempotency-Replayed"] == "true"
        assert again.etag == first.etag == client.get(f"/v1/webhooks/{name}").etag
        assert {**again.json, "secret": first.json["secret"]} == first.json and "secret" not in again.json
        client.post(path, {}, headers=key).expect(422)  # another body
        delivered(client, plan(client, arm, name))
        (headers, body), = receiver.messages
        assert headers["webhook-signature"].split() == [signature(secret, headers, body) for secret in (first.json["secret"], former)]
    another = client.post(path, headers={"Idempotency-Key": unique_name("once")}).expect(200)
    assert another.json["secret"] not in (first.json["secret"], former) and another.etag != first.etag


def test_secrets_are_in_no_log(telling, client):
    _, secret = register(client, "http://127.0.0.1:9/")
    assert secret not in telling.log(1 << 20) and secret not in client.get("/v1/audit").expect(200).text


# ---------------------------------------------------------------- peers that do not take it
def test_what_is_refused_comes_again_under_the_same_id(client, arm):
    with Receiver(503, 302, 200) as receiver:
        name, secret = register(client, receiver.url)
        job = plan(client, arm, name)
        until(lambda: delivery(client, job)["state"] == "pending" and delivery(client, job)["attempts"] == 1)
        waits = delivery(client, job)
        assert waits["http_status"] == 503 and "503" in waits["error"] and waits["next_at"] > waits["last_at"]
        assert delivered(client, job)["attempts"] == 3
    assert len({headers["webhook-id"] for headers, _ in receiver.messages}) == 1
    assert len({body for _, body in receiver.messages}) == 1
    assert all(headers["webhook-signature"] == signature(secret, headers, body) for headers, body in receiver.messages)


def test_gone_ends_it_and_it_can_be_told_again(client, arm):
    with Receiver(410, 200) as receiver:
        name, _ = register(client, receiver.url)
        job = plan(client, arm, name)
        assert delivered(client, job, "failed")["attempts"] == 1
        assert client.post(f"/v1/jobs/{job}/deliveries").expect(202).json["items"][0]["state"] in ("pending", "delivered")
        assert delivered(client, job)["attempts"] == 1
    assert len(receiver.messages) == 2


def figures(client):
    """Messages that wait, and attempts that were taken, came to nothing for now, and for good."""
    found = dict(re.findall(r"^(armdyn_webhook_\S+) (\d+)$", client.get("/metrics").expect(200).text, re.M))
    return [int(found[f"armdyn_webhook_{name}"]) for name in
            ("pending", 'attempts_total{state="delivered"}', 'attempts_total{state="pending"}', 'attempts_total{state="failed"}')]


def test_what_came_of_it_is_counted(make_server):
    server = make_server("--webhook-networks", "127.0.0.1", "--webhook-retry", 1)
    with Receiver(503, 200, 410) as receiver, server.client() as client:
        assert figures(client) == [0, 0, 0, 0]
        arm = client.create_robot(robot("puma560")).headers["Location"]
        name, _ = register(client, receiver.url)
        job = plan(client, arm, name)
        until(lambda: figures(client) == [1, 0, 1, 0])
        delivered(client, job)
        until(lambda: figures(client) == [0, 1, 1, 0])
        delivered(client, plan(client, arm, name), "failed")
        until(lambda: figures(client) == [0, 1, 1, 1])


def test_what_cannot_be_written_is_given_up(make_server):
    """A message beyond any size: said at once, and not looked at again and again."""
    server = make_server("--webhook-networks", "127.0.0.1", "--webhook-retry", 3600)
    with server.client() as client:
        arm = client.create_robot(robot("puma560")).headers["Location"]
        job = plan(client, arm, register(client, "http://127.0.0.1:9/")[0])
        until(lambda: delivery(client, job).get("attempts") == 1)
    server.terminate()
    with sqlite3.connect(server.database) as store:
        store.execute("UPDATE jobs SET request = ? WHERE id = ?", ('{"tags": {"a": "%s"}}' % ("x" * (9 << 20)), job))
        store.execute("UPDATE deliveries SET next_at = created_at")
    store.close()
    server.restart()
    with server.client(check=False) as client:
        end = delivered(client, job, "failed")
        assert end["attempts"] == 2 and end["http_status"] is None and "could not be written" in end["error"]
        assert figures(client) == [0, 0, 0, 1] and end["error"] in server.log()


def test_silent_peers_delay_nobody(client, arm):
    """One takes connections and says nothing, one takes the message and does not answer, one is not there: another is told at once."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as mute, Receiver(lambda handler: stop.wait(60) and None) as slow, Receiver() as good:
        urls = [f"http://127.0.0.1:{mute.getsockname()[1]}/", slow.url, "http://127.0.0.1:9/"]
        for url in urls:
            plan(client, arm, register(client, url)[0])
        name, _ = register(client, good.url)
        for _ in range(3):
            start = time.monotonic()
            delivered(client, plan(client, arm, name))
            assert time.monotonic() - start < 12  # not the 15 s that a silent peer has
        stop.set()


# ---------------------------------------------------------------- where messages may go
def test_private_addresses_are_closed_unless_they_are_named(make_server):
    server = make_server("--webhook-retry", 3600)
    with server.client() as client, Receiver() as receiver:
        for url in (receiver.url, "http://10.0.0.1/", "http://[::1]:80/", "http://169.254.169.254/latest", "http://0x7f000001/",
                    "http://[::ffff:10.0.0.1]/", "http://[::127.0.0.1]/", "http://[64:ff9b:1::a00:1]/", "http://[2002:a00:1::1]/"):
            answer = client.post("/v1/webhooks", {"name": "hook", "url": url}).expect(422)
            assert answer.json["errors"][0]["pointer"] == "/url" and "--webhook-networks" in answer.json["errors"][0]["detail"]
        arm = client.create_robot(robot("puma560")).headers["Location"]
        name, _ = register(client, receiver.url.replace("127.0.0.1", "localhost"))  # what a name leads to shows when it is called
        job = plan(client, arm, name)
        until(lambda: delivery(client, job).get("attempts") == 1)
        assert "--webhook-networks" in delivery(client, job)["error"] and not receiver.messages


@pytest.mark.same_threads
@pytest.mark.parametrize("url", ["mes", "ftp://mes.example/", "https://", "https://user:word@mes.example/", "file:///etc/passwd"])
def test_addresses_that_are_none(client, url):
    answer = client.post("/v1/webhooks", {"name": "hook", "url": url}).expect(422)
    assert answer.json["errors"][0]["pointer"] == "/url"


@pytest.mark.same_threads
def test_an_event_named_twice_is_refused(client):
    hook = {"name": unique_name("hook"), "url": "http://127.0.0.1:9/", "events": ["queue.released", "controller.lost", "queue.released"]}
    error, = client.post("/v1/webhooks", hook).expect(422).json["errors"]
    assert error["pointer"] == "/events/2" and error["detail"] == '"queue.released" is there twice; keep one'


def test_unknown_webhooks(client, arm):
    answer = client.post(arm + "/trajectories", {**motion(), "callback": {"webhook": "nobody"}}).expect(422)
    assert answer.json["errors"][0]["pointer"] == "/callback/webhook"
    for path in ("/v1/webhooks/nobody", "/v1/jobs/01J00000000000000000000000/deliveries"):
        client.get(path).expect(404)
    client.delete("/v1/webhooks/nobody").expect(404)
    name, _ = register(client, "http://127.0.0.1:9/")
    client.post("/v1/webhooks", {"name": name, "url": "http://127.0.0.1:9/"}).expect(409)
    client.delete(f"/v1/webhooks/{name}", headers={"If-Match": "*"}).expect(204)
    client.get(f"/v1/webhooks/{name}").expect(404)


@pytest.mark.same_threads
def test_networks_that_are_none(tmp_path):
    with Process(("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", "--webhook-networks", "mes.example")) as process:
        process.spawn()
        assert process.wait() == 2 and "--webhook-networks: 'mes.example' is no address" in process.log()


# ---------------------------------------------------------------- stops and kills
def test_what_was_not_told_before_a_kill_is_told_after_it(make_server):
    """The row of the outbox comes with the end of the job."""
    server = make_server("--webhook-networks", "127.0.0.1", "--webhook-retry", 1)
    with Receiver(lambda _: time.sleep(30)) as receiver:
        with server.client() as client:
            arm = client.create_robot(robot("puma560")).headers["Location"]
            name, secret = register(client, receiver.url)
            job = plan(client, arm, name)
            until(lambda: receiver.messages)  # under way, and not answered
        receiver.statuses = [200]
        server.restart(kill=True)
        with server.client() as client:
            delivered(client, job)
    assert len({headers["webhook-id"] for headers, _ in receiver.messages}) == 1
    headers, body = receiver.messages[-1]
    assert headers["webhook-signature"] == signature(secret, headers, body)


def test_a_stop_does_not_wait_for_a_silent_peer(make_server):
    server = make_server("--webhook-networks", "127.0.0.1")
    with Receiver(lambda _: time.sleep(30)) as receiver, server.client() as client:
        arm = client.create_robot(robot("puma560")).headers["Location"]
        plan(client, arm, register(client, receiver.url)[0])
        until(lambda: receiver.messages)
        client.close()
        start = time.monotonic()
        assert server.terminate() == 0 and time.monotonic() - start < 12


# ---------------------------------------------------------------- a factory's own authority
NETWORKS = ("--webhook-networks", "127.0.0.0/8", "--webhook-retry", 1)


@pytest.fixture(scope="module")
def authorities(tmp_path_factory):
    folder = tmp_path_factory.mktemp("authorities")
    ours, other = authority(folder, "factory"), authority(folder, "other")
    return {"ours": ours[0], "other": other[0], "receiver": signed(folder, "mes", ours), "elsewhere": signed(folder, "elsewhere", ours, "DNS:elsewhere.example")}


def told_over_tls(flags, tls, state):
    """The delivery that a receiver with this certificate gets, or not."""
    with Server(*NETWORKS, *flags) as server, server.client() as client, Receiver(tls=tls) as receiver:
        arm = client.create_robot(robot("puma560")).headers["Location"]
        name, _ = register(client, receiver.url)
        job = plan(client, arm, name)
        until(lambda: delivery(client, job).get("attempts"), what="an attempt")
        end = delivered(client, job, state)
        return end, len(receiver.messages)


def test_a_receiver_with_a_certificate_of_the_own_authority_is_told(authorities):
    end, count = told_over_tls(("--webhook-ca", authorities["ours"]), authorities["receiver"], "delivered")
    assert (end["http_status"], end["error"], count) == (200, None, 1)


@pytest.mark.same_threads
@pytest.mark.sampled
@pytest.mark.parametrize("flags, certificate", [("other", "receiver"), (None, "receiver"), ("ours", "elsewhere")], ids=["another authority", "the system's", "another name"])
def test_a_receiver_that_is_not_trusted_is_told_nothing_and_the_record_says_why(authorities, flags, certificate):
    end, count = told_over_tls(("--webhook-ca", authorities[flags]) if flags else (), authorities[certificate], "pending")
    assert count == 0 and end["http_status"] is None and "certificate" in end["error"] and "--webhook-ca" in end["error"]


def look_at_authority(data, file, verdict):
    """What doctor says of it."""
    done = subprocess.run([binary(), "doctor", "--json", "--data", data, "--webhook-ca", file], capture_output=True, text=True, timeout=120)
    found, = (item for item in json.loads(done.stdout)["checks"] if item["check"] == "webhook CA")
    assert found["verdict"] == verdict
    return found["detail"]


@pytest.mark.same_threads
@pytest.mark.sampled
@pytest.mark.parametrize("content", [None, b"", b"no certificate\n", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"], ids=["missing", "empty", "garbage", "broken"])
def test_a_file_without_an_authority_is_named_at_the_start_and_by_doctor(tmp_path, content):
    file = tmp_path / "factory.pem"
    if content is not None:
        file.write_bytes(content)
    with Process(("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--webhook-ca", file)) as process:
        process.spawn()
        assert process.wait() == 2 and "--webhook-ca" in process.log() and str(file) in process.log()
    assert str(file) in look_at_authority(tmp_path, file, "bad")


@pytest.mark.same_threads
def test_doctor_says_how_long_the_authority_is_good(authorities, tmp_path):
    assert "valid until" in look_at_authority(tmp_path, authorities["ours"], "good")
