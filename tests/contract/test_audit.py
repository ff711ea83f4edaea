"""The audit trail: what leaves an entry, what none; a chain that anybody can verify; throttled guesses."""

import csv
import hashlib
import io
import json
import re
import sqlite3
import subprocess
import sys

import pytest

from support import ROOT, Server, binary, contract, postgresql, robot, until

sys.path.insert(0, str(ROOT / "api"))
import bundle  # noqa: E402

KEY = "the-key-of-the-administrator"


def command(data, *words):
    return subprocess.run([binary(), "audit", *map(str, words), "--data", data], env=postgresql.environment(data),
                          capture_output=True, text=True, timeout=60)


def entries(client, **query):
    return client.get("/v1/audit", query={"limit": 200, **query}).expect(200).json["items"]


@pytest.fixture
def server():
    with Server(key=KEY) as server:
        yield server


def fill(server, count=5):
    with server.client(check=False) as client:
        for i in range(count):
            client.post("/v1/keys", {"name": f"key-{i}", "role": "viewer"}).expect(201)


def test_changes_and_refusals_leave_an_entry_and_computation_none(server):
    with server.client() as client:
        client.create_robot(robot("puma560"), name="puma560")
        client.get("/v1/robots/puma560").expect(200)
        client.post("/v1/robots/puma560/gravity", {"q": [0] * 6}).expect(200)
        client.post("/v1/robots/puma560/base-parameters", {}).expect(200)
        etag = client.get("/v1/robots/puma560").etag
        changed = client.put("/v1/robots/puma560", {**robot("puma560"), "name": "puma560", "description": "x"},
                             query={"allow_unphysical": "true"}, headers={"If-Match": etag, "X-Reason": "a \u00fc new tool".encode("utf-8").decode("latin-1")}).expect(200)
        made = client.post("/v1/robots/puma560/trajectories", {
            "method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 2.0},
            headers={"Prefer": "wait=60"}).expect(200)
        with server.client(key="a-wrong-one", check=False) as stranger:
            assert stranger.delete("/v1/robots/puma560").status == 401
        found = until(lambda: (lambda e: e if len(e) >= 4 else None)(entries(client)), what="four entries")
        job, put, post = (next(e["entry"] for e in found if e["entry"].get("operation") == operation)
                          for operation in ("createTrajectory", "putRobot", "createRobot"))
        assert (post["status"], post["resource"], post["key"], post["address"]) == (201, "/v1/robots/puma560", "admin", "127.0.0.1")
        assert (put["old_etag"], put["new_etag"], put["reason"]) == (etag, changed.etag, "a \u00fc new tool")
        assert (job["resource"], job["status"]) == (made.headers["Location"], 200)
        refusal = next(e["entry"] for e in found if e["entry"]["status"] == 401)
        assert (refusal["method"], refusal["path"], refusal["key"]) == ("DELETE", "/v1/robots/puma560", "anonymous")
        assert len(found) == 4
        assert [e["number"] for e in entries(client, operation="putRobot")] == [2]
        assert len(entries(client, key="admin")) == 3


# Calls that are no GET and change nothing.
COMPUTE = """inverseDynamics forwardDynamics massMatrix coriolis gravity energy forwardKinematics jacobian statics derivatives linearize
regressor diagnose gravityMap inverseKinematics baseParameters makeCode clearance fitBodies estimateEnergy torqueShares findVibrations reducePendulumTest fitModes replanTrajectory dryRun""".split()
AT_ONCE = ("stopController", "stopControllers", "stopTransfer")  # a stop is taken whatever it says
CALLS = {op["operationId"]: op for op in bundle.operations(contract.document())}


def reason_of(operation):
    """What the contract says of its X-Reason; None: it takes none."""
    declared = [p for p in (contract.resolve(p) for p in CALLS[operation]["parameters"]) if p["name"] == "X-Reason"]
    return declared[0]["description"] if declared else None


def test_every_call_that_leaves_an_entry_says_that_it_takes_a_reason():
    assert sorted(op for op in CALLS if reason_of(op)) == sorted(
        op for op, call in CALLS.items() if call["method"] != "get" and op not in COMPUTE)
    kept = [op for op in CALLS if "kept with what is made" in (reason_of(op) or "")]
    assert sorted(kept) == sorted("""createOrder createTransfer uploadDataset createTrajectory createExcitation createFrictionTest
        createFrictionIdentification createSimulation createIdentification createIdentificationStudy createEvaluation createCollisionCheck createVerification createTuning createZoning""".split())


@pytest.mark.parametrize("reason", ["x" * 1025, "\xff"], ids=["long", "no UTF-8"])
def test_a_reason_that_cannot_be_kept_is_refused_by_every_call_but_a_stop(server, reason):
    """Before anything is looked at: the names in these paths are nobody's. What leaves no entry passes it over."""
    with server.client(check=False) as client:
        for operation, call in CALLS.items():
            media = next(iter(call.get("requestBody", {}).get("content", {})), None)
            answer = client.request(call["method"].upper(), re.sub(r"\{[^}]*\}", "x", call["path"]), body=b"{}" if media else None,
                                    headers={"X-Reason": reason, **({"Content-Type": media} if media else {})}) \
                if operation != "streamEvents" else None
            refused = answer and answer.status == 400 and answer.json["errors"][0].get("header") == "X-Reason"
            assert bool(refused) == (reason_of(operation) is not None and operation not in AT_ONCE), operation


def test_every_route_leaves_an_entry_unless_it_reads_or_computes(server):
    done = subprocess.run([binary(), "routes"], capture_output=True, text=True, timeout=20, check=True)
    routes = [line.split("\t") for line in done.stdout.splitlines()]
    with server.client(check=False) as client:
        for method, path, _, _, _, bodies, answers in routes:
            body = {"Content-Type": "application/" + bodies.split(",")[0].replace("merge-patch", "merge-patch+json")} if bodies else {}
            if answers != "events":
                client.request(method, re.sub(r"\{[^}]*\}", "x", path), body=b"{}" if bodies else None, headers=body)
    changing = {operation for method, _, operation, *_ in routes if method != "GET" and operation not in COMPUTE}
    with server.client() as client:
        found = until(lambda: (lambda e: e if len(e) >= len(changing) else None)(entries(client)), what="the entries")
        assert sorted(e["entry"]["operation"] for e in found) == sorted(changing)


def test_a_preview_and_a_dry_run_leave_none(server):
    with server.client() as client:
        client.create_robot(robot("puma560"), name="puma560")
        log = b"t," + ",".join(f"q{j},tau{j}" for j in range(1, 7)).encode() + b"\n" + b"".join(b"%g" % (i * 0.01) + b",0" * 12 + b"\n" for i in range(5))
        for preview in ("true", "false"):
            client.post("/v1/robots/puma560/datasets", body=log, content_type="text/csv", query={"preview": preview}).expect(201 if preview == "false" else 200)
        for dry_run in (True, False):
            client.post("/v1/identifications/x/promote", {"base_revision": 1, "dry_run": dry_run}).expect(404)
        for operation, status in (("uploadDataset", 201), ("promoteIdentification", 404)):
            assert [e["entry"]["status"] for e in entries(client, operation=operation)] == [status]


def test_entries_between_two_times(server):
    fill(server, 9)
    with server.client() as client:
        every = entries(client)
        at = sorted(e["entry"]["at"] for e in every)
        for first, last in ((at[3], at[7]), (at[0], at[0]), (at[8], "2999-01-01T00:00:00Z"), ("2000-01-01T00:00:00+05:00", at[4])):
            wanted = [e["number"] for e in sorted(every, key=lambda e: (e["entry"]["at"], e["number"]), reverse=True) if first <= e["entry"]["at"] < last]
            assert [e["number"] for e in entries(client, at_after=first, at_before=last)] == wanted
            page = client.get("/v1/audit", query={"limit": 1, "at_after": first, "at_before": last, "sort": "at"}).expect(200).json
            numbers = [e["number"] for e in page["items"]]
            while page["next_cursor"]:
                page = client.get("/v1/audit", query={"limit": 1, "at_after": first, "at_before": last, "sort": "at", "cursor": page["next_cursor"]}).expect(200).json
                numbers += [e["number"] for e in page["items"]]
            assert numbers == sorted(wanted, key=lambda n: ([e["entry"]["at"] for e in every if e["number"] == n], n))
        assert [e["number"] for e in entries(client, sort="at")] == [e["number"] for e in entries(client)][::-1] or len(set(at)) < 9
        fault = client.get("/v1/audit", query={"at_after": "yesterday"}).expect(422).json["errors"][0]
        assert fault["parameter"] == "at_after" and "yesterday" in fault["detail"]


def test_anybody_can_verify_the_chain(server):
    fill(server, 7)
    with server.client() as client:
        page = client.get("/v1/audit", query={"limit": 3}).expect(200).json
        rest = client.get("/v1/audit", query={"limit": 200, "cursor": page["next_cursor"]}).expect(200).json
        assert [e["number"] for e in page["items"] + rest["items"]] == list(range(7, 0, -1))
    lines = command(server.data, "export").stdout.splitlines()
    assert len(lines) == 7
    former = ""
    for number, line in enumerate(lines, 1):
        text = line[line.index('"entry":') + 8:-1]
        entry = json.loads(line)
        former = hashlib.sha256(f"{former}\n{number}\n{text}".encode()).hexdigest()
        assert entry["number"] == number and entry["hash"] == former
    rows = list(csv.DictReader(io.StringIO(command(server.data, "export", "--format", "csv").stdout)))
    assert [row["hash"] for row in rows] == [json.loads(line)["hash"] for line in lines]
    assert {row["operation"] for row in rows} == {"createKey"} and rows[0]["new_etag"].startswith('"')
    assert command(server.data, "verify").stdout == f"7 entries, whole: 7:{former}\n"


@pytest.mark.parametrize("tamper, said", [
    ("UPDATE audit SET line = replace(line, '201', '200') WHERE number = 3", "entry 3 was changed"),
    ("UPDATE audit SET hash = (SELECT hash FROM audit WHERE number = 2) WHERE number = 4", "entry 4 was changed"),
    ("DELETE FROM audit WHERE number = 2", "entry 2 is missing"),
    ("DELETE FROM audit WHERE number = 5", "entries 5 to 5 are missing"),
    ("DELETE FROM audit", "entries 1 to 5 are missing"),
])
def test_tampering_is_found(server, tamper, said):
    fill(server)
    server.terminate()
    with sqlite3.connect(server.database) as store:
        with pytest.raises(sqlite3.IntegrityError):
            store.execute(tamper)
        store.rollback()
        store.execute("DROP TRIGGER audit_never_changed")
        store.execute("DROP TRIGGER audit_never_deleted")
        store.execute(tamper)
    done = command(server.data, "verify")
    assert done.returncode == 1 and said in done.stderr, done


def test_a_whole_trail_that_was_rewritten_is_found_by_a_hash_kept_elsewhere(server):
    fill(server)
    noted = command(server.data, "verify").stdout.split()[-1]
    assert command(server.data, "verify", "--expect", noted).returncode == 0
    other = noted[:-1] + ("0" if noted[-1] != "0" else "1")
    done = command(server.data, "verify", "--expect", other)
    assert done.returncode == 1 and "rewritten" in done.stderr
    done = command(server.data, "verify", "--expect", f"9:{'0' * 64}")
    assert done.returncode == 1 and "entry 9 is missing" in done.stderr


def test_entries_outlive_a_kill(server):
    fill(server, 3)
    server.restart(kill=True)
    fill(server, 0)
    assert command(server.data, "verify").stdout.startswith("3 entries, whole")


@pytest.mark.parametrize("words", [[], ["burn"], ["verify", "--expect", "x"], ["export", "--format", "xml"]])
def test_wrong_usage(words, tmp_path):
    assert command(tmp_path, *words).returncode == 2


def test_no_store_is_said(tmp_path):
    assert command(tmp_path / "none", "verify").returncode == 1


def test_guessing_is_slowed_down_and_good_keys_are_not(server):
    with server.client(key="a-guess", check=False) as guesser:
        statuses = [guesser.get("/v1/robots").status for _ in range(40)]
        assert statuses[:20] == [401] * 20 and statuses[20:] == [429] * 20
        late = guesser.get("/v1/robots")
        assert 1 <= int(late.headers["Retry-After"]) <= 61 and late.json["type"] == "/problems/too-many-requests"
    with server.client(key=None, check=False) as nobody:
        assert nobody.get("/v1/robots").status == 401
    with server.client() as client:
        client.get("/v1/robots").expect(200)
        found = until(lambda: (lambda e: e if len(e) >= 21 else None)(entries(client)), what="the refusals")
        assert len(found) == 21


@pytest.mark.parametrize("key, statuses", [(None, [401] * 40), ("a-guess", [401] * 20 + [429] * 20)], ids=["no key", "a wrong key"])
def test_who_has_no_key_cannot_fill_the_trail(server, key, statuses):
    """Whatever he asks for: what only changes things would leave an entry each."""
    with server.client(key=key, check=False) as stranger:
        assert [stranger.post("/v1/keys").status for _ in range(40)] == statuses
    with server.client() as client:
        client.create_robot(robot("puma560"), name="kept")
        found = until(lambda: (lambda e: e if len(e) >= 21 else None)(entries(client)), what="the refusals")
        assert len(found) == 21 and [e["entry"]["path"] for e in found].count("/v1/keys") == 20


def test_what_cannot_be_printed_is_no_success(server):
    fill(server, 1)
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([binary(), "audit", "export", "--data", server.data], env=postgresql.environment(server.data), stdout=full, stderr=subprocess.PIPE,
                              text=True, timeout=60)
    assert done.returncode == 1 and "No space left on device" in done.stderr
