"""A store of an older version, made from the migrations that it had: what is in it goes on after the upgrade."""

import json
import sqlite3
import subprocess

import pytest

from support import ROOT, Server, binary, robot, unique_name, until
from support.migrations import migrations
from support.motions import motion
from support.receiver import Receiver

MIGRATIONS = migrations("sqlite")
pytestmark = pytest.mark.same_threads


def rows_of(database, table):
    database.row_factory = sqlite3.Row
    return [dict(row) for row in database.execute(f"SELECT * FROM {table}")]


def turn_back(path, version):
    """The database as this version would have it: its own schema, and of every table the columns that it had."""
    present, former = sqlite3.connect(path), sqlite3.connect(":memory:")
    for number, migration in enumerate(MIGRATIONS[:version], 1):
        former.executescript(migration.read_text())
    former.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT")
    former.executemany("INSERT INTO schema_version VALUES (?, ?, '2026-01-01T00:00:00.000Z')",
                       [(number, migration.stem) for number, migration in enumerate(MIGRATIONS[:version], 1)])
    triggers = list(former.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"))
    for name, _ in triggers:
        former.execute(f"DROP TRIGGER {name}")
    for (table,) in list(former.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")):
        columns = [row[1] for row in former.execute(f"PRAGMA table_info({table})")]
        for row in rows_of(present, table) if table != "schema_version" else []:
            kept = [column for column in columns if column in row]
            former.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(kept)}) VALUES ({', '.join('?' * len(kept))})", [row[column] for column in kept])
    for _, text in triggers:
        former.execute(text)
    former.commit()
    present.close()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.unlink()
    with sqlite3.connect(path) as old:
        former.backup(old)
    old.execute("PRAGMA journal_mode = WAL")
    old.close()
    former.close()


@pytest.mark.parametrize("version", [10])
def test_what_was_to_be_told_before_an_upgrade_is_told_after_it(tmp_path, version):
    flags = ("--webhook-networks", "127.0.0.1", "--webhook-retry", 3600)
    with Receiver(503, 200) as receiver:
        with Server(*flags, data=tmp_path / "data") as server, server.client() as client:
            arm = client.create_robot(robot("puma560")).headers["Location"]
            name = client.post("/v1/webhooks", {"name": unique_name("hook"), "url": receiver.url}).expect(201).json["name"]
            job = client.post(arm + "/trajectories", {**motion(), "callback": {"webhook": name}}).expect(202).json["id"]
            until(lambda: client.get(f"/v1/jobs/{job}/deliveries").json["items"][0:1] and
                  client.get(f"/v1/jobs/{job}/deliveries").json["items"][0]["attempts"] == 1)
            before = client.get(f"/v1/jobs/{job}/deliveries").json["items"]
            server.terminate()
        turn_back(tmp_path / "data/armdyn.db", version)
        with Server(*flags, data=tmp_path / "data") as server, server.client() as client:
            assert client.get(f"/v1/jobs/{job}/deliveries").expect(200).json["items"] == before
            assert client.get("/v1/version").expect(200).json["schema_version"] == len(MIGRATIONS)
            client.post(f"/v1/jobs/{job}/deliveries").expect(202)
            until(lambda: client.get(f"/v1/jobs/{job}/deliveries").json["items"][0]["state"] == "delivered")
    assert [document["data"]["id"] for document in receiver.documents()] == [job, job]


@pytest.mark.slow
def test_metrics_keep_their_digits():
    """Results from before lists had metrics: what a list shows of them is what their documents say."""
    store, energy = sqlite3.connect(":memory:"), 0.1 + 0.2  # 0.30000000000000004
    for migration in MIGRATIONS[:2]:
        store.executescript(migration.read_text())
    document = json.dumps({"method": "quintic", "status": "optimal", "duration": 1 / 3, "energy": {"total": energy}, "cost": {"value": 1e300 / 7}})
    columns = {row[1]: row for row in store.execute("PRAGMA table_info(results)")}
    given = {"id": "r", "kind": "trajectory", "document": document}
    filled = {name: given.get(name, 1 if "INT" in row[2] else "{}") for name, row in columns.items() if row[3] or name in given}
    store.execute(f"INSERT INTO results ({', '.join(filled)}) VALUES ({', '.join('?' * len(filled))})", list(filled.values()))
    store.executescript(MIGRATIONS[2].read_text())
    summary, = store.execute("SELECT summary FROM results").fetchone()
    assert json.loads(summary)["metrics"] == {"duration": 1 / 3, "minimum_duration": None, "energy": energy, "cost": 1e300 / 7}
    assert json.loads(summary)["status"] == "optimal"


def upgrade_check(data, *more):
    return subprocess.run([binary(), "upgrade", "--check", *map(str, more), "--data", data], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def test_an_upgrade_is_tried_on_a_copy(tmp_path):
    """Beside a running service, of an older store, and by another program's word; the store stays as it is to the byte."""
    data = tmp_path / "data"
    with Server(data=data) as server, server.client() as client:
        client.create_robot(robot("scara"), name="arm")
        told = upgrade_check(data)
        assert told.returncode == 0 and f"schema {len(MIGRATIONS)}" in told.stdout
        notes = client.get("/v1/version").json["release_notes"]
        assert notes.startswith("### ") and "## " not in notes.replace("### ", "") and notes.splitlines()[1] in (ROOT / "CHANGELOG.md").read_text()
        server.terminate()
    turn_back(data / "armdyn.db", 10)
    before, files = (data / "armdyn.db").read_bytes(), {path.name for path in data.iterdir()}
    (data / "upgrade-check").mkdir()
    (data / "upgrade-check/armdyn.db").write_text("what a trial left that was broken off")
    for more in ((), ("--since", "0.0.1"), (binary(),)):
        told = upgrade_check(data, *more)
        assert told.returncode == 0, told.stderr
        assert "schema 10," in told.stdout and f"schema {len(MIGRATIONS)}:" in told.stdout and "whole" in told.stdout
        changes = [line for line in told.stdout.splitlines() if line.startswith("  - ")]
        assert changes and all(line[2:] in (ROOT / "CHANGELOG.md").read_text().splitlines() for line in changes)
    assert (data / "armdyn.db").read_bytes() == before and {path.name for path in data.iterdir()} <= files | {"armdyn.db-wal", "armdyn.db-shm"}
    with sqlite3.connect(data / "armdyn.db") as store:
        store.execute("INSERT INTO schema_version VALUES (999, 'of tomorrow', '2027-01-01T00:00:00.000Z')")
    told = upgrade_check(data)
    assert told.returncode == 1 and "schema version 999" in told.stderr and not (data / "upgrade-check").exists()


@pytest.mark.parametrize(("arguments", "status", "word"), [
    ((), 2, "usage"), (("--check", "a", "b"), 2, "usage"), (("--check", "--since"), 2, "usage"), (("--check", "/no/such/program"), 1, "cannot run"),
    (("--check", "--data", "/no/such/store"), 1, "/no/such/store"),
])
def test_an_upgrade_that_cannot_be_tried(arguments, status, word, tmp_path):
    done = subprocess.run([binary(), "upgrade", *arguments], capture_output=True, text=True, timeout=20, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert done.returncode == status and word in done.stderr


def test_an_upgrade_of_a_damaged_store_is_not_promised(tmp_path):
    data = tmp_path / "data"
    with Server(data=data) as server, server.client() as client:
        for k in range(20):
            client.create_robot(robot("puma560"), name=f"arm-{k}")
        server.terminate()
    with open(data / "armdyn.db", "r+b") as store:
        store.seek(3 * 4096)
        store.write(b"\xff" * 8192)
    told = upgrade_check(data)
    assert told.returncode == 1 and told.stderr.startswith("armdyn upgrade: ") and not (data / "upgrade-check").exists()


# Every folder but the store's is read-only, as in a container with --read-only and no tmpfs; $1 is the store's.
READ_ONLY = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-euc",
             'mount --bind "$1" "$1"; mount -o remount,bind,ro /; mount -t tmpfs -o ro none /dev/shm; shift; exec "$@"', "read-only"]


def test_a_large_store_is_upgraded_where_no_other_folder_takes_files(tmp_path):
    """Indices of 30,000 runs are sorted in files, more than memory is given for."""
    data, runs = tmp_path / "data", 30_000
    data.mkdir()
    if subprocess.run([*READ_ONLY, data, "true"], capture_output=True, check=False).returncode:
        pytest.skip("mounts of its own are not permitted here")
    with Server(data=data) as server, server.client() as client:
        arm = client.create_robot(robot("puma560")).headers["Location"]
        first = client.result_of(arm + "/trajectories", motion())["id"]
        server.terminate()
    turn_back(data / "armdyn.db", 29)
    with sqlite3.connect(data / "armdyn.db") as store:
        (columns,) = store.execute("SELECT group_concat(name) FROM pragma_table_info('results') WHERE name <> 'id'").fetchone()
        store.execute(f"WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {runs}) "
                      f"INSERT INTO results (id, {columns}) SELECT printf('%08x-0000-4000-8000-000000000000', i), {columns} FROM n, results WHERE id = ?", [first])
    store.close()
    with Server(data=data, prefix=[*READ_ONLY, data]) as server, server.client() as client:
        assert client.get("/v1/version").expect(200).json["schema_version"] == len(MIGRATIONS)
        assert client.get("/v1/trajectories", query={"limit": 1}).expect(200).json["items"]
        assert client.get(f"/v1/trajectories/{first}").expect(200).json["id"] == first
