"""API keys: every route against every role, motion rights, expiry, the first key and the last, the command line."""

import datetime
import json
import re
import subprocess
import time

import pytest

from support import Server, binary, postgresql, robot, until
from support.rights import unsafe

ROLES = ["viewer", "operator", "engineer", "admin"]


def routes():
    done = subprocess.run([binary(), "routes"], capture_output=True, text=True, timeout=20, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def soon(seconds):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def command(server, *words):
    return subprocess.run([binary(), "key", *words, "--data", server.data], env=postgresql.environment(server.data), capture_output=True, text=True, timeout=30)


@pytest.fixture(scope="module")
def guarded():
    """A server with a key of every role: (server, {role: secret})."""
    with Server() as server:
        with server.client() as client:
            admin = client.post("/v1/keys", {"name": "the-admin", "role": "admin"}).expect(201).json
        secrets = {"admin": admin["secret"]}
        with server.client(key=admin["secret"]) as client:
            for role in ROLES[:-1]:
                secrets[role] = client.post("/v1/keys", {"name": f"the-{role}", "role": role}).expect(201).json["secret"]
            client.create_robot(robot("puma560"), name="puma560")
            client.post("/v1/controllers", {"name": "cell-4", "host": "127.0.0.1", "port": 9, "robot": "puma560",
                                            "profile": {"protocol": "armdyn-v2", "allow_start": True}}).expect(201)
        yield server, secrets


def test_roles_of_what_is_not_merely_read_are_those_kept_by_hand():
    assert {(method, path): role for method, path, _, role, *_ in routes() if method != "GET"} == \
        {call: role for call, (role, _) in unsafe().items()}
    assert all(role in ("anyone", "viewer") or path.startswith(("/v1/audit", "/v1/keys", "/v1/webhooks"))
               for method, path, _, role, *_ in routes() if method == "GET")


def test_every_route_asks_for_its_role(guarded):
    server, secrets = guarded
    walked = 0
    for method, path, operation, needed, *_, answers in routes():
        needed = unsafe().get((method, path), (needed, False))[0]
        if operation in ("deleteKey", "createKey"):
            continue  # would change who may call; see below
        if answers == "events":
            method = "HEAD"  # the answer to GET has no end
        place = re.sub(r"\{[^}]*\}", "x", path)
        for role in [None, *ROLES]:
            with server.client(key=role and secrets[role], check=False) as client:
                status = client.request(method, place).status
            if needed == "anyone":
                assert status not in (401, 403), (method, path, role)
            elif role is None:
                assert status == 401, (method, path)
            elif ROLES.index(role) < ROLES.index(needed):
                assert status == 403, (method, path, role)
            else:
                assert status not in (401, 403), (method, path, role)
            walked += 1
    assert walked > 200


def test_wrong_keys_are_refused(guarded):
    server, secrets = guarded
    for key in ("", "x", secrets["viewer"][:-1], secrets["viewer"] + "x", secrets["viewer"].upper()):
        with server.client(key=key, check=False) as client:
            answer = client.get("/v1/robots")
            assert answer.status == 401 and "WWW-Authenticate" in answer.headers


@pytest.mark.parametrize("path, content, bodies", [
    ("/v1/robots", "application/json", [b'{"name": "late",', b' "convention": "dh", "joints": [{"name": "a", "type": "revolute"}]}']),
    ("/v1/robots/puma560/datasets", "text/csv", [b"t," + b",".join(b"q%d,tau%d" % (j, j) for j in range(1, 7)) + b"\n",
                                                 b"".join(b"%g" % (k / 100) + b",0" * 12 + b"\n" for k in range(40000))]),
], ids=["held whole", "streamed"])
def test_a_key_that_is_revoked_while_the_body_comes_is_refused(guarded, path, content, bodies):
    server, secrets = guarded
    with server.client(key=secrets["admin"]) as admin, server.connect() as sock:
        short_lived = admin.post("/v1/keys", {"name": "short-lived", "role": "engineer"}).expect(201)
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {short_lived.json['secret']}\r\nContent-Type: {content}\r\n"
        sock.sendall((head + f"Content-Length: {sum(map(len, bodies))}\r\n\r\n").encode() + bodies[0])
        until(lambda: admin.get("/v1/keys/" + short_lived.json["id"]).json["last_used_at"], what="the request is known")
        admin.delete(short_lived.headers["Location"], headers={"If-Match": "*"}).expect(204)
        sock.sendall(bodies[1])
        assert sock.recv(1000).startswith(b"HTTP/1.1 401 ")
        admin.get("/v1/robots/late").expect(404)
        assert admin.get("/v1/datasets").expect(200).json["items"] == []


def test_a_key_knows_itself(guarded):
    server, secrets = guarded
    for role, secret in secrets.items():
        with server.client(key=secret) as client:
            key = client.get("/v1/keys/self").expect(200).json
            assert (key["name"], key["role"], key["motion"]) == (f"the-{role}", role, [])
            assert "secret" not in key


def test_no_answer_and_no_file_has_a_secret(guarded):
    server, secrets = guarded
    with server.client(key=secrets["admin"]) as client:
        listed = client.get("/v1/keys").expect(200).json["items"]
    assert [key["name"] for key in listed] == ["the-engineer", "the-operator", "the-viewer", "the-admin"]
    assert not any("secret" in key for key in listed)
    kept = b"".join(path.read_bytes() for path in server.database.parent.glob("armdyn.db*"))
    for secret in secrets.values():
        assert secret.encode() not in kept and secret not in server.log()


def test_moving_an_arm_needs_more_than_a_role(guarded):
    server, secrets = guarded
    with server.client(key=secrets["admin"]) as admin:
        made = admin.post("/v1/robots/puma560/trajectories", {
            "method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 2.0, "sample_rate": 100},
            headers={"Prefer": "wait=20"}).expect(200).json
        trajectory = made["result"]["href"].rsplit("/", 1)[1]
        movers = {name: admin.post("/v1/keys", {"name": name, "role": "operator", "motion": motion}).expect(201).json["secret"]
                  for name, motion in (("mover", ["cell-4"]), ("anywhere", ["*"]), ("elsewhere", ["cell-5", "cell-44"]))}
    for name, status in (("operator", 403), ("admin", 403), ("elsewhere", 403), ("mover", 202), ("anywhere", 202)):
        with server.client(key=movers.get(name) or secrets[name], check=False) as client:
            answer = client.post("/v1/controllers/cell-4/transfers", {
                "trajectory": trajectory, "start": True, "start_before": soon(1)},
                headers={"Idempotency-Key": f"start-{name}"})
            assert answer.status in ((202, 409) if status == 202 else (403,)), (name, answer.json)
            if status == 403:
                assert answer.json["type"] == "/problems/motion-forbidden"
    with server.client(key=secrets["viewer"]) as client:  # stopping is open to everybody
        assert client.post("/v1/controllers/cell-4/stop").expect(200).json["confirmed"] is False


def test_an_expired_key_ends_to_work(guarded):
    server, secrets = guarded
    with server.client(key=secrets["admin"]) as admin:
        key = admin.post("/v1/keys", {"name": "short-lived", "role": "viewer", "expires_at": soon(1.5)}).expect(201).json
        fault = admin.post("/v1/keys", {"name": "too-late", "role": "viewer", "expires_at": soon(-1)}, check=False)
        assert fault.status == 422 and fault.json["errors"][0]["pointer"] == "/expires_at"
    with server.client(key=key["secret"], check=False) as client:
        assert client.get("/v1/robots").status == 200
        until(lambda: client.get("/v1/robots").status == 401, timeout=10, what="the key has expired")


def test_a_kept_connection_knows_whose_request_each_is(guarded):
    """What a connection remembers of a key is that key's alone, and ends with it, at once."""
    server, secrets = guarded
    with server.client(key=secrets["admin"]) as admin, server.client(key=None, source="127.0.3.1") as client:
        def ask(secret):
            return client.get("/v1/keys/self", headers={"Authorization": f"Bearer {secret}"})
        for _ in range(3):  # few wrong ones, which are counted by address
            keys = [admin.post("/v1/keys", {"name": name, "role": "viewer"}).expect(201).json for name in ("one", "other")]
            for key in [*keys, keys[0], keys[0], keys[1], keys[0]]:
                assert ask(key["secret"]).expect(200).json["id"] == key["id"]
            ask(keys[0]["secret"] + "x").expect(401)
            ask(keys[0]["secret"].swapcase()).expect(401)
            client.get("/v1/keys/self").expect(401)
            assert ask(keys[0]["secret"]).expect(200).json["name"] == "one"
            client.get("/v1/keys", headers={"Authorization": f"Bearer {keys[0]['secret']}"}).expect(403)
            admin.delete(f"/v1/keys/{keys[0]['id']}").expect(204)
            ask(keys[0]["secret"]).expect(401)
            ask(keys[1]["secret"]).expect(200)
            admin.delete(f"/v1/keys/{keys[1]['id']}").expect(204)


@pytest.mark.parametrize("body, pointer", [
    ({"role": "viewer"}, "/name"), ({"name": "a"}, "/role"), ({"name": "a", "role": "root"}, "/role"),
    ({"name": "A b", "role": "viewer"}, "/name"), ({"name": "a", "role": "viewer", "motion": ["Cell 4"]}, "/motion/0"),
    ({"name": "a", "role": "viewer", "motion": "cell-4"}, "/motion"),
    ({"name": "a", "role": "viewer", "motion": ["c"] * 65}, "/motion"),
    ({"name": "a", "role": "viewer", "expires_at": "tomorrow"}, "/expires_at"),
    ({"name": "a", "role": "viewer", "secret": "of my own"}, "/secret"),
])
def test_bad_requests(guarded, body, pointer):
    server, secrets = guarded
    with server.client(key=secrets["admin"], check=False) as client:
        answer = client.post("/v1/keys", body)
        assert answer.status == 422 and pointer in [e["pointer"] for e in answer.json["errors"]], answer.json


def test_the_first_key_is_an_admins_and_the_last_one_stays():
    with Server() as server:
        with server.client(check=False) as client:
            refused = client.post("/v1/keys", {"name": "a", "role": "viewer"})
            assert refused.status == 422 and refused.json["errors"][0]["pointer"] == "/role"
            once = {"Idempotency-Key": "first"}
            first = client.post("/v1/keys", {"name": "a", "role": "admin"}, headers=once).expect(201).json
            assert client.get("/v1/robots").status == 401
        with server.client(key=first["secret"], check=False) as client:
            assert client.delete(f"/v1/keys/{first['id']}").status == 409
            second = client.post("/v1/keys", {"name": "b", "role": "admin"}, headers=once).expect(201).json
            replayed = client.post("/v1/keys", {"name": "b", "role": "admin"}, headers=once).expect(201)
            assert replayed.json["id"] == second["id"] and "secret" not in replayed.json
            assert client.delete(f"/v1/keys/{first['id']}").status == 204
            assert client.get("/v1/robots").status == 401
        with server.client(key=second["secret"], check=False) as client:
            assert client.delete(f"/v1/keys/{first['id']}").status == 404
            assert client.delete(f"/v1/keys/{second['id']}").status == 409


def test_keys_and_their_last_use_outlive_a_restart():
    with Server() as server:
        with server.client() as client:
            key = client.post("/v1/keys", {"name": "a", "role": "admin"}).expect(201).json
        with server.client(key=key["secret"]) as client:
            client.get("/v1/robots").expect(200)
        server.restart()
        with server.client(check=False) as client:
            assert client.get("/v1/robots").status == 401
        used = json.loads(command(server, "list").stdout)["items"][0]["last_used_at"]
        assert used and used > key["created_at"]


@pytest.mark.skipif(postgresql.wanted(), reason="this is about the file of the embedded store")
def test_the_command_line_with_and_without_a_service(tmp_path):
    def key(*words):
        return subprocess.run([binary(), "key", *words, "--data", tmp_path / "d"], capture_output=True, text=True, timeout=30)
    (tmp_path / "d").mkdir()
    for words in (["list"], ["revoke", "01J8ZQ6Y2W8W0V4T3S2R1Q0P9N"]):
        mistyped = key(*words)
        assert mistyped.returncode == 1 and f"there is no store in '{tmp_path / 'd'}'" in mistyped.stderr
    assert not list((tmp_path / "d").iterdir())
    assert key("create", "--name", "a", "--role", "viewer").returncode == 1
    assert json.loads(key("list").stdout) == {"items": []}
    alone = json.loads(key("create", "--name", "a", "--role", "admin").stdout)
    with Server(listen="0.0.0.0:0", data=tmp_path / "d") as server:
        server.host = "127.0.0.1"
        with server.client(key=alone["secret"]) as client:
            client.get("/v1/robots").expect(200)
        running = json.loads(key("create", "--name", "b", "--role", "operator", "--motion", "cell-4,cell-5").stdout)
        assert running["motion"] == ["cell-4", "cell-5"]
        with server.client(key=running["secret"], check=False) as client:
            assert client.get("/v1/robots").status == 200
            assert key("revoke", running["id"]).returncode == 0
            assert client.get("/v1/robots").status == 401
        assert key("revoke", running["id"]).returncode == 1
    assert [k["name"] for k in json.loads(key("list").stdout)["items"]] == ["a"]
    assert key("revoke", alone["id"]).returncode == 1  # the last admin's
    for words in ([], ["create"], ["create", "--name", "x"], ["revoke"], ["list", "x"], ["create", "--nam"], ["burn"]):
        assert key(*words).returncode == 2, words


def test_only_the_owner_reaches_the_control_socket(guarded):
    server, _ = guarded
    assert (server.data / "control.sock").stat().st_mode & 0o777 == 0o600


def test_revoke_reaches_nothing_but_keys(guarded):
    server, secrets = guarded
    done = command(server, "revoke", "../robots/puma560")
    assert done.returncode == 1 and json.loads(done.stderr)["status"] == 404
    with server.client(key=secrets["viewer"]) as client:
        client.get("/v1/robots/puma560").expect(200)


def test_the_answer_of_the_first_key_says_that_keys_are_needed_from_now_on(fresh_server):
    with fresh_server.client() as client:
        first = client.post("/v1/keys", {"name": "chief", "role": "admin"}).expect(201).json
        assert [one["code"] for one in first["warnings"]] == ["keys_needed"]
        client.get("/v1/robots").expect(401)
    with fresh_server.client(key=first["secret"]) as client:
        second = client.post("/v1/keys", {"name": "guest", "role": "viewer"}).expect(201).json
        assert "warnings" not in second and second["secret"]
