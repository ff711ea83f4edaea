"""`armdyn move`: a store from its file into PostgreSQL and back is the same, row by row, however often it is killed on the way."""

import contextlib
import hashlib
import json
import os
import random
import sqlite3
import struct
import subprocess
import time

import pytest

from support import Server, postgresql, robot, until
from support.motions import motion
from support.process import binary

SOAK = bool(os.environ.get("ARMDYN_SOAK"))
RUNS, ENTRIES, SAMPLES, KILLS = (10_000, 100_000, 10_000_000, 10) if SOAK else (300, 2_000, 60_000, 4)
CHUNK, WIDTH = 8192, 7
LONG = 1200


@pytest.fixture(autouse=True)
def stores_are_what_tests_say(monkeypatch):
    """In a file here, although the rest of a run may keep them all in PostgreSQL."""
    monkeypatch.delenv("ARMDYN_TEST_STORE", raising=False)


def move(start, target, check=True):
    done = subprocess.run([binary(), "move", "--from", start, "--to", target], capture_output=True, text=True, timeout=LONG,
                          stdin=subprocess.DEVNULL, env={**os.environ, "ARMDYN_STORE": ""})
    assert not check or done.returncode == 0, done.stderr
    return done


def lived_in(data):
    """A store that a service wrote, with something of most kinds; its numbers go on behind rows that are gone."""
    with Server("--webhook-networks", "127.0.0.1", data=data) as server, server.client() as client:
        arm = client.create_robot(robot("puma560")).headers["Location"]
        client.post("/v1/webhooks", {"name": "hook", "url": "http://127.0.0.1:9/", "events": ["queue.blocked"]}).expect(201)
        client.put(arm + "/aliases/production", {"revision": 1}, headers={"If-None-Match": "*"}).expect(200, 201)
        job = client.post(arm + "/trajectories", {**motion(), "tags": {"line": "7 \"ü\""}, "callback": {"webhook": "hook"}}, headers={"Idempotency-Key": "k1"}).expect(202).json
        done = until(lambda: (now := client.get(f"/v1/jobs/{job['id']}").json)["state"] not in ("queued", "running") and now)
        assert done["state"] == "succeeded", done
    return done["result"]["href"]


def chained(former, number, line):
    return hashlib.sha256(f"{former}\n{number}\n{line}".encode()).hexdigest()


def fill(path, seed):
    """Rows of all sizes and values, by the triggers of the schema."""
    draw = random.Random(seed)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        arm, = db.execute("SELECT name FROM robots").fetchone()
        for k in range(RUNS):
            ident, at = f"01{k:024d}", f"2026-01-{1 + k % 28:02d}T00:00:{k % 60:02d}.000Z"
            tags = json.dumps({"line": f"{k % 7}", "µ": "é\n\"'%_"}, ensure_ascii=k % 2 == 0)
            summary = json.dumps({"friction": ["viscous"], "metrics": {"rms": draw.choice([-0.0, 5e-324, 1.0, draw.gauss(0, 1) * 1e300, 2.0**60])}})
            db.execute("INSERT INTO jobs (id, kind, robot, revision, state, attempt, created_at, request, tags, attempts) VALUES (?, 'trajectory', ?, 1, 'queued', 1, ?, ?, ?, '[]')",
                       (ident, arm, at, json.dumps({"job_order_id": f"o{k}", "priority": k % 5, "time_limit": 0.0005 * k}), tags))
            db.execute("INSERT INTO results (id, kind, job, robot, revision, created_at, tags, label, summary, notes) VALUES (?, 'trajectory', ?, ?, 1, ?, ?, ?, ?, ?)",
                       ("R" + ident[1:], ident, arm, at, tags, f"lot {k}", summary, "x" * draw.choice([0, 10, 20_000])))
            db.execute("INSERT INTO result_documents VALUES (?, ?)", ("R" + ident[1:], json.dumps({"values": [draw.random() for _ in range(draw.choice([1, 400]))]})))
            db.execute("UPDATE jobs SET state = 'succeeded', finished_at = ?, result_id = ? WHERE id = ?", (at, "R" + ident[1:], ident))
        number, former = db.execute("SELECT number, hash FROM audit_head").fetchone()
        for number in range(number + 1, number + 1 + ENTRIES):
            line = json.dumps({"at": "2026-01-01T00:00:00.000Z", "key": f"key{number % 9}", "operation": "create", "n": number})
            former = chained(former, number, line)
            db.execute("INSERT INTO audit (number, line, hash) VALUES (?, ?, ?)", (number, line, former))
        db.execute("UPDATE audit_head SET number = ?, hash = ?", (number, former))
        series = db.execute("INSERT INTO series (owner, name, columns, width, rows) VALUES ('R' || ?, 'long', 't,q1,q2,q3,q4,q5,q6', ?, ?)",
                            (f"1{0:024d}", WIDTH, SAMPLES)).lastrowid
        values = SAMPLES * WIDTH
        for chunk in range((values + CHUNK - 1) // CHUNK):
            count = min(CHUNK, values - chunk * CHUNK)
            db.execute("INSERT INTO series_chunks VALUES (?, ?, ?)", (series, chunk, struct.pack("<d", draw.random()) * count))
        db.execute("DELETE FROM events WHERE number > (SELECT max(number) - 3 FROM events)")


def content(path):
    """Of every table its rows, with the numbers that SQLite gives them; the schema; what numbers go on from."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        tables = [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'result_search%' AND name NOT LIKE 'sqlite_stat%'"
                                               " AND name <> 'schema_version'")]
        rows = {}
        for table in tables:
            order = "rowid, *" if table in ("webhooks", "deliveries", "alarms") else "*"
            digest = hashlib.sha256()
            count = 0
            for line in sorted(repr(row) for row in db.execute(f"SELECT {order} FROM {table}")) if table != "series_chunks" else map(
                    repr, db.execute("SELECT series, chunk, data FROM series_chunks ORDER BY series, chunk")):
                digest.update(line.encode())
                count += 1
            rows[table] = (count, digest.hexdigest())
        schema = set(db.execute("SELECT type, name, sql FROM sqlite_schema"))
    return rows, schema


def killed_on_the_way(start, target, draw, longest):
    """The move, killed KILLS times before it is let through; what a half of it says to whoever would serve it."""
    hit = 0
    for _ in range(20 * KILLS):
        process = subprocess.Popen([binary(), "move", "--from", start, "--to", target], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env={**os.environ, "ARMDYN_STORE": ""})
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=draw.uniform(0.01, longest))
            assert process.returncode == 0, process.stderr.read()
            return hit
        process.kill()
        process.wait()
        process.stderr.close()
        hit += 1
        if hit == KILLS:
            break
    move(start, target)
    return hit


def test_there_and_back_is_the_same_however_often_it_is_killed(serve, tmp_path):
    seed = int(os.environ.get("ARMDYN_SEED", "20261128"))
    draw, data, back = random.Random(seed), tmp_path / "data", tmp_path / "back"
    result = lived_in(data)
    fill(data / "armdyn.db", seed)
    before = content(data / "armdyn.db")
    address = postgresql.shared().make()
    start = time.monotonic()
    move(str(data), postgresql.shared().make())
    there = time.monotonic() - start
    hit = killed_on_the_way(str(data), address, draw, there / (20 if SOAK else 5))
    assert content(data / "armdyn.db") == before
    start = time.monotonic()
    move(address, str(tmp_path / "whole"))
    again = time.monotonic() - start
    hit += killed_on_the_way(address, str(back), draw, again / (20 if SOAK else 5))
    print(f"there {there:.1f} s, back {again:.1f} s, killed {hit} times")
    assert hit >= KILLS, seed
    after = content(back / "armdyn.db")
    assert after[0] == before[0], seed
    assert after[1] == before[1]
    assert sorted(path.name for path in back.iterdir()) == ["armdyn.db", "lock"]
    with contextlib.closing(sqlite3.connect(back / "armdyn.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for where in ([], ["--store", address]):
        done = subprocess.run([binary(), "audit", "verify", "--data", back, *where], capture_output=True, text=True, timeout=LONG)
        assert done.returncode == 0, done.stderr
    with serve(address).client() as there, Server(data=back) as again, again.client() as here:
        assert there.get(result).json == here.get(result).json
        assert there.get("/v1/trajectories", query={"q": "lot 77"}).json["items"] == here.get("/v1/trajectories", query={"q": "lot 77"}).json["items"] != []
        for client in (there, here):  # a new row's number is behind all that ever were
            client.put("/v1/robots/puma560/aliases/late", {"revision": 1}, headers={"If-None-Match": "*"}).expect(200, 201)
    assert postgresql.shared().query(address, "SELECT last FROM counters WHERE name = 'events'")[0][0] >= str(before[0]["events"][0])


def test_what_it_refuses(serve, tmp_path):
    data = tmp_path / "data"
    address = postgresql.shared().make()
    with Server(data=data) as server:
        with server.client() as client:
            client.create_robot(robot("scara"))
        held = move(str(data), address, check=False)
        assert held.returncode == 1 and "held by another armdyn" in held.stderr
    assert "no such" not in move(str(data), address).stderr
    move(str(data), address)  # which is done, as after a kill at its very end
    with Server(data=tmp_path / "other") as server, server.client() as client:
        client.create_robot(robot("puma560"))
    other = move(str(tmp_path / "other"), address, check=False)
    assert other.returncode == 1 and "the target is not empty" in other.stderr
    assert "exists already" in move(address, str(data), check=False).stderr
    assert "both are directories" in move(str(data), str(tmp_path / "x"), check=False).stderr
    assert "both are in PostgreSQL" in move(address, address, check=False).stderr
    assert "there is no" in move(str(tmp_path / "nothing"), postgresql.shared().make(), check=False).stderr
    node = serve(address)
    running = move(address, str(tmp_path / "y"), check=False)
    assert running.returncode == 1 and "held by another armdyn" in running.stderr and str(node.pid) in running.stderr
    node.terminate()
    for arguments in ([], ["--from", "a"], ["--from", "a", "--to", "b", "c"], ["--into", "b"]):
        assert subprocess.run([binary(), "move", *arguments], capture_output=True, timeout=60).returncode == 2


def test_nobody_serves_half_of_a_store_nor_ends_it_with_another(serve, tmp_path):
    data, address = tmp_path / "data", postgresql.shared().make()
    lived_in(data)
    with contextlib.closing(sqlite3.connect(data / "armdyn.db")) as db, db:
        db.execute("INSERT INTO referrals VALUES ('job', 'a', 'dataset', 'b')")
    postgresql.shared().query(address, "SELECT 1")
    move(str(data), address)
    query = postgresql.shared().query
    # As a kill before the last transaction leaves it: the notes of what is to be made again, and all rows but some.
    half = postgresql.shared().make()
    process = subprocess.Popen([binary(), "move", "--from", str(data), "--to", half], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("copied jobs"):
            process.kill()
    process.wait()
    if query(half, "SELECT count(*) FROM pg_class WHERE relname = 'moving'") == [["0"]]:
        pytest.skip("the move was faster than its end")
    refused = subprocess.run([binary(), "serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "n", "--store", half], capture_output=True, text=True, timeout=60)
    assert refused.returncode == 1 and "is not finished" in refused.stderr
    query(half, "UPDATE jobs SET attempt = attempt + 1")
    changed = move(str(data), half, check=False)
    assert changed.returncode == 1 and "not equal" in changed.stderr and "of jobs (attempt)" in changed.stderr
    query(half, "DELETE FROM jobs")
    move(str(data), half)
    assert query(half, "SELECT count(*) FROM pg_constraint WHERE contype = 'f'") == query(address, "SELECT count(*) FROM pg_constraint WHERE contype = 'f'")
