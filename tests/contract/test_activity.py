"""What the service tells of its work and its room, and how it is drained."""

import contextlib
import json
import os
import re
import sqlite3
import subprocess

import pytest

from support import ROOT, Server, binary, robot, until
from support.motions import long_motion, motion


@pytest.fixture(scope="module")
def own():
    with Server("--workers", 1, "--keep-jobs", 400, "--keep-orders", 500, "--keep-alarms", 600) as server:
        with server.client() as client:
            client.create_robot(robot("puma560"), name="arm")
            client.post("/v1/controllers", {"name": "cell", "host": "127.0.0.1", "port": 1, "robot": "arm", "revision": "latest",
                                            "profile": {"protocol": "armdyn-v2", "connect_deadline": 0.5}}).expect(201)
        yield server


@pytest.fixture
def client(own):
    with own.client() as connection:
        yield connection


def submit(client, request=None):
    return client.post("/v1/robots/arm/trajectories", request or motion())


def running(client):
    job = submit(client, long_motion(1000)).expect(202).json["id"]
    until(lambda: client.get(f"/v1/jobs/{job}").json["state"] == "running")
    return job


def drain(own, *words):
    done = subprocess.run([binary(), "drain", *words, "--data", own.data], capture_output=True, text=True, timeout=60)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def ids(items):
    return [item["id"] for item in items]


def test_activity(client):
    done = client.wait_job(submit(client))
    runs = running(client)
    waits = [submit(client).expect(202).json["id"] for _ in range(3)]
    transfer = client.post("/v1/controllers/cell/transfers", {"trajectory": done["result"]["href"].rsplit("/", 1)[1]}).expect(202).json
    now = client.get("/v1/activity").expect(200).json
    assert not now["draining"] and now["workers"] == {"count": 1, "ready": 1}
    assert ids(now["jobs"]["running"]) == [runs] and now["jobs"]["running"][0]["state"] == "running"
    assert ids(now["jobs"]["waiting"]) == waits and now["jobs"]["ended"][0]["id"] == done["id"]
    assert (now["jobs"]["running_count"], now["jobs"]["waiting_count"]) == (1, 3)
    assert transfer["id"] in ids(now["transfers"]["active"] + now["transfers"]["ended"])
    client.post(f"/v1/jobs/{runs}/cancel").expect(200)
    until(lambda: client.get(f"/v1/transfers/{transfer['id']}").json["state"] == "failed")
    for job in waits:
        client.wait_job(client.get(f"/v1/jobs/{job}"))
    now = client.get("/v1/activity").expect(200).json
    assert ids(now["jobs"]["ended"])[:4] == [*reversed(waits), runs] and now["jobs"]["running"] == now["jobs"]["waiting"] == []
    assert ids(now["transfers"]["ended"]) == [transfer["id"]] and now["transfers"]["active"] == []


def test_storage(client, own):
    def kinds():
        now = client.get("/v1/storage").expect(200).json
        return now, {kind["kind"]: kind for kind in now["kinds"]}
    _, before = kinds()
    job = client.wait_job(submit(client, motion(duration=10, sample_rate=1000)))
    now, after = kinds()
    none = {"count": 0, "pinned": 0, "series_bytes": 0}
    more = after["trajectory"]["series_bytes"] - before.get("trajectory", none)["series_bytes"]
    with contextlib.closing(sqlite3.connect(f"file:{own.database}?mode=ro", uri=True)) as store:
        kept, = store.execute("SELECT sum(length(data)) FROM series_chunks JOIN series ON series.id = series WHERE owner = ?",
                              (job["result"]["href"].rsplit("/", 1)[1],)).fetchone()
    assert more == kept > 10_001 * 31 * 8  # t; q, qd, qdd, tau, power of six joints; and the polynomials
    assert after["trajectory"]["count"] == before.get("trajectory", none)["count"] + 1
    assert after["job"]["count"] == before["job"]["count"] + 1 and after["robot_revision"]["count"] == 1
    assert after["dataset"] == {"kind": "dataset", **none}
    assert now["store"]["bytes"] + now["store"]["log_bytes"] > more
    disk = os.statvfs(own.data)
    assert now["disk"]["bytes"] == disk.f_blocks * disk.f_frsize and 0 < now["disk"]["free_bytes"] < now["disk"]["bytes"]
    assert now["retention"] == {"jobs_days": 400, "orders_days": 500, "alarms_days": 600}
    assert client.get("/v1/audit").expect(200) and after["audit_entry"]["count"] >= 2


def test_nodes(client, own):
    here, = client.get("/v1/nodes").expect(200).json["items"]
    assert (here["role"], here["state"], here["process"]) == ("serving", "serving", own.pid)
    assert here["version"] == client.get("/v1/version").json["version"] and here["silent_s"] is None
    assert here["workers"] == len(own.children("worker")) == here["ready"] and here["running"] == 0
    job = running(client)
    assert client.get("/v1/nodes").json["items"][0]["running"] == 1
    client.post(f"/v1/jobs/{job}/cancel").expect(200, 202)


def test_drain(client, own):
    """What runs comes to its end; what waits, waits; nothing new is taken."""
    trajectory = client.wait_job(submit(client))["result"]["href"].rsplit("/", 1)[1]
    runs = running(client)
    waits = submit(client).expect(202).json["id"]
    status, said = drain(own)
    assert status == 1 and said == {"draining": True, "drained": False, "jobs_running": 1, "jobs_waiting": 1, "transfers_active": 0}
    for refused in (submit(client), client.post("/v1/controllers/cell/transfers", {"trajectory": trajectory})):
        assert refused.expect(503).json["detail"].endswith("the service is drained") and int(refused.headers["Retry-After"]) > 0
    assert client.get("/readyz").expect(503).json["detail"] == "the service is drained"
    client.post("/v1/robots/arm/gravity", {"q": [0] * 6}).expect(200)
    assert client.get("/v1/activity").json["draining"]
    client.post(f"/v1/jobs/{runs}/cancel").expect(200)
    status, said = drain(own, "--wait", "60")
    assert status == 0 and said == {"draining": True, "drained": True, "jobs_running": 0, "jobs_waiting": 1, "transfers_active": 0}
    assert client.get(f"/v1/jobs/{waits}").json["state"] == "queued"
    status, said = drain(own, "--end")
    assert status == 0 and not said["draining"]
    assert client.wait_job(client.get(f"/v1/jobs/{waits}"))["state"] == "succeeded"
    client.get("/readyz").expect(200)
    assert client.wait_job(submit(client))["state"] == "succeeded"


def test_a_drained_service_begins_what_waited_when_it_starts_again(make_server):
    server = make_server("--workers", 1)
    with server.client() as client:
        client.create_robot(robot("puma560"), name="arm")
        runs = running(client)
        waits = submit(client).expect(202).json["id"]
        assert client.post("/v1/drain", {}).expect(200).json["draining"]
        client.post(f"/v1/jobs/{runs}/cancel").expect(200)
        until(lambda: client.get("/v1/drain").expect(200).json["drained"])
    server.restart()
    with server.client() as client:
        assert client.wait_job(client.get(f"/v1/jobs/{waits}"))["state"] == "succeeded"
        assert not client.get("/v1/drain").json["draining"]


def test_wrong_words_and_no_service(tmp_path):
    for words in (["--wait", "soon"], ["--wait", "-1"], ["--end", "--wait", "3"], ["now"]):
        done = subprocess.run([binary(), "drain", *words], capture_output=True, text=True, timeout=20)
        assert done.returncode == 2 and "usage" in done.stderr, words
    done = subprocess.run([binary(), "drain", "--data", tmp_path], capture_output=True, text=True, timeout=20)
    assert done.returncode == 1 and "no service runs on" in done.stderr


def test_limits(client):
    """Those of the header, and the options in force."""
    scale = {"": 1, "KB": 1 << 10, "MB": 1 << 20}
    told = client.get("/v1/limits").expect(200).json
    header = re.findall(r"^#define LIMIT_(\w+)\s+(?:(KB|MB)\()?(\d+)", (ROOT / "api" / "limits.h").read_text(), re.M)
    assert told["limits"] == {name.lower(): scale[unit] * int(number) for name, unit, number in header}
    options = told["options"]
    assert options["workers"] == 1 and options["keep_jobs"] == 400 and options["worker_memory"] == 2048
    assert options["compute_threads"] == os.cpu_count() and options["http_threads"] == max(10, os.cpu_count())
    assert {options[f"{share}_per_key"] for share in ("streams", "waiting_jobs", "running_jobs")} == {None}, "this one serves loopback"
    help_text = subprocess.run([binary(), "serve", "--help"], capture_output=True, text=True, timeout=20).stdout
    assert {f"--{name.replace('_', '-')}" for name in options} < set(re.findall(r"^  (--[a-z-]+)", help_text, re.M))
