"""--keep-jobs, --keep-orders, --keep-alarms: what ended long ago is deleted, unless somebody needs it."""

import contextlib
import sqlite3
import subprocess

import pytest

from support import Server, binary, robot, until
from support.motions import long_motion, motion


@contextlib.contextmanager
def database(server):
    """The store of a server that does not run, to make time pass in it."""
    with contextlib.closing(sqlite3.connect(server.database)) as connection, connection:
        yield connection


def planned(client, **changes):
    """A job that succeeded."""
    job = client.post("/v1/robots/arm/trajectories", motion(**changes), headers={"Prefer": "wait=30"}).expect(200).json
    assert job["state"] == "succeeded", job["problem"]
    return job


def result(job):
    return job["result"]["href"].rsplit("/", 1)[1]


def pin(client, job):
    etag = client.get(job["result"]["href"]).etag
    client.request("PATCH", job["result"]["href"], {"pinned": True}, headers={"If-Match": etag},
                   content_type="application/merge-patch+json").expect(200)


@pytest.fixture
def full(make_server):
    """(server, jobs by what becomes of them), stopped."""
    server = make_server()
    with server.client() as client:
        client.create_robot(robot("puma560"), name="arm")
        optimal = {"method": "energy_optimal", "intervals": 10, "multistart": 1}
        jobs = {name: planned(client) for name in ("plain", "young", "pinned", "sent", "promoted", "taken away")}
        for root in ("seed of nothing kept", "seed of a pinned one"):
            jobs[root] = planned(client, **optimal)
        jobs["from it"] = planned(client, **optimal, seed_trajectory=result(jobs["seed of nothing kept"]))
        jobs["pinned too"] = planned(client, **optimal, seed_trajectory=result(jobs["seed of a pinned one"]))
        pin(client, jobs["pinned"])
        pin(client, jobs["pinned too"])
        client.delete(jobs["taken away"]["result"]["href"], headers={"If-Match": "*"}).expect(204)
        cancelled = client.post("/v1/robots/arm/trajectories", long_motion(1000)).expect(202).json
        jobs["cancelled"] = client.post(f"/v1/jobs/{cancelled['id']}/cancel").expect(200).json
        client.post("/v1/controllers", {"name": "cell", "host": "127.0.0.1", "port": 1, "robot": "arm", "revision": "latest",
                                        "profile": {"protocol": "armdyn-v2"}}).expect(201)
        client.post("/v1/controllers/cell/transfers", {"trajectory": result(jobs["sent"])}).expect(202)
    server.terminate()
    with database(server) as store:
        store.execute("UPDATE robot_revisions SET identification = ?", (result(jobs["promoted"]),))
        store.execute("UPDATE jobs SET finished_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-31 days')")
        store.execute("UPDATE jobs SET finished_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-29 days') WHERE id = ?", (jobs["young"]["id"],))
    return server, jobs


KEPT = {"young", "pinned", "sent", "promoted", "seed of a pinned one", "pinned too"}


def test_old_jobs_go_with_their_results(full):
    server, jobs = full
    server.restart()
    with server.client() as client:
        planned(client)
        assert len(client.get("/v1/jobs").json["items"]) == len(jobs) + 1, "by default everything is kept"
    server.terminate()
    server.arguments += ["--keep-jobs", "30"]
    server.restart()
    with server.client() as client:
        gone = {name: job for name, job in jobs.items() if name not in KEPT}
        until(lambda: all(client.get(f"/v1/jobs/{job['id']}").status == 404 for job in gone.values()))
        assert {j["id"] for j in client.get("/v1/jobs").json["items"][1:]} == {jobs[name]["id"] for name in KEPT}
        for name, job in jobs.items():
            if job["result"]:
                client.get(job["result"]["href"]).expect(200 if name in KEPT else 404)
                client.get(job["result"]["href"] + "/samples").expect(200 if name in KEPT else 404)
        told = client.get("/v1/audit", query={"operation": "retention"}).expect(200).json["items"]
        assert {item["entry"]["path"] for item in told} == {f"/v1/jobs/{job['id']}" for job in gone.values()}
    server.terminate()
    verified = subprocess.run([binary(), "audit", "verify", "--data", server.data], capture_output=True, text=True, timeout=60)
    assert verified.returncode == 0, verified
    with database(server) as store:
        assert store.execute("SELECT count(*) FROM series WHERE owner NOT IN (SELECT id FROM results)").fetchone() == (0,)
        assert store.execute("SELECT count(*) FROM series_chunks WHERE series NOT IN (SELECT id FROM series)").fetchone() == (0,)
        assert store.execute("SELECT count(*) FROM referrals").fetchone() == (1,)
        assert store.execute("PRAGMA foreign_key_check").fetchall() == []
        assert store.execute("SELECT count(*) FROM tags WHERE owner NOT IN (SELECT id FROM jobs)").fetchone() == (0,)


def audited(client):
    return {item["entry"]["path"] for item in client.get("/v1/audit", query={"operation": "retention"}).expect(200).json["items"]}


def test_old_orders_go_with_what_was_told_of_them(make_server):
    server = make_server("--webhook-networks", "127.0.0.0/8")
    with server.client() as client:
        client.create_robot(robot("scara"), name="arm")
        client.post("/v1/controllers", {"name": "cell", "host": "127.0.0.1", "port": 1, "robot": "arm",
                                        "profile": {"protocol": "armdyn-v2", "connect_deadline": 0.1}}).expect(201)
        client.post("/v1/webhooks", {"name": "mes", "url": "http://127.0.0.1:1/"}).expect(201)
        order = {"controller": "cell", "to": {"q": [0.0] * 4}, "duration": 1, "objective": "smooth", "start": "on_request",
                 "callback": {"webhook": "mes", "events": ["accepted", "stopped", "failed"]}}
        old, young, waiting = [client.post("/v1/orders", order).expect(202).json["id"] for _ in range(3)]
        until(lambda: client.get(f"/v1/orders/{old}").json["state"] == "failed")  # nobody is there
        client.post(f"/v1/orders/{young}/cancel").expect(202)
    server.terminate()
    with database(server) as store:
        for days, ended in ((31, old), (29, young)):
            store.execute(f"UPDATE orders SET finished_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-{days} days') WHERE id = ?", (ended,))
        store.execute("UPDATE orders SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-40 days')")
    server.arguments += ["--keep-orders", "30"]
    server.restart()
    with server.client() as client:
        until(lambda: client.get(f"/v1/orders/{old}").status == 404)
        assert {item["id"] for item in client.get("/v1/orders").expect(200).json["items"]} == {young, waiting}
        assert audited(client) == {f"/v1/orders/{old}"}
        counts = {kind["kind"]: kind["count"] for kind in client.get("/v1/storage").expect(200).json["kinds"]}
        assert counts["order"] == 2
    server.terminate()
    with database(server) as store:
        assert {owner for owner, in store.execute("SELECT DISTINCT order_id FROM deliveries")} == {young, waiting}
        assert store.execute("PRAGMA foreign_key_check").fetchall() == []


def test_cleared_alarms_go_and_standing_ones_stay():
    rows = [("01K00000000000000000000001", "2020-01-01T00:00:00.000Z", "2020-01-02T00:00:00.000Z"), ("01K00000000000000000000002", "2020-01-01T00:00:00.000Z", None),
            ("01K00000000000000000000003", "2020-01-01T00:00:00.000Z", "2190-01-01T00:00:00.000Z")]
    with Server("--workers", 1) as server:
        server.terminate()
        with contextlib.closing(sqlite3.connect(server.database)) as db, db:
            db.executemany("INSERT INTO alarms (id, code, source, text, since, until) VALUES (?, 'of-another-version', 'store', 'x', ?, ?)", rows)
        server.arguments += ["--keep-alarms", "30"]
        server.restart()
        with server.client() as client:
            until(lambda: client.get(f"/v1/alarms/{rows[0][0]}").expect(200, 404).status == 404, what="the old one to be deleted")
            for number, _, _ in rows[1:]:
                client.get(f"/v1/alarms/{number}").expect(200)
            entries = [item["entry"] for item in client.get("/v1/audit").expect(200).json["items"]]
            assert [entry["path"] for entry in entries if entry["key_name"] == "--keep-alarms"] == [f"/v1/alarms/{rows[0][0]}"]
