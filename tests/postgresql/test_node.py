"""One node on PostgreSQL: it alone writes, through restarts of both, and says so when it cannot."""

import concurrent.futures
import contextlib
import os
import signal
import socket
import subprocess
import threading
import time

import pytest

from support import postgresql, robot, until
from support.process import binary

LONG = 60


def start(address, folder, *flags):
    """`armdyn serve` that is expected to end: its exit status and what it said."""
    done = subprocess.run([binary(), "serve", "--listen", "127.0.0.1:0", "--data", folder, *flags], capture_output=True,
                          text=True, timeout=LONG, env={**os.environ, "ARMDYN_STORE": address})
    return done.returncode, done.stderr


def add(client, name):
    return client.post("/v1/robots", {**robot("scara"), "name": name}, query={"allow_unphysical": "true"})


def names(cluster, address):
    return {name for name, in cluster.query(address, "SELECT name FROM robots")}


def test_a_second_node_is_refused_and_the_first_goes_on(serve, tmp_path):
    cluster = postgresql.shared()
    address = cluster.make()
    first = serve(address)
    with first.client() as client:
        assert client.get("/v1/version").json["backend"] == "postgresql"
        add(client, "before").expect(201)
        status, told = start(address, tmp_path / "second")
        assert status == 1 and "held by another armdyn" in told and socket.gethostname() in told and str(first.pid) in told
        add(client, "after").expect(201)
    first.terminate()
    second = serve(address)
    with second.client() as client:
        assert client.get("/v1/robots/after").status == 200  # a clean end gives the store up at once


def test_a_killed_node_is_back_at_once_and_another_one_when_it_was_not_seen(serve, tmp_path):
    cluster = postgresql.shared()
    address = cluster.make()
    first = serve(address)
    with first.client() as client:
        add(client, "kept").expect(201)
    first.restart(kill=True)
    with first.client() as client:
        assert client.get("/v1/robots/kept").status == 200
    first.kill()
    assert start(address, tmp_path / "other")[0] == 1
    cluster.query(address, "UPDATE holder SET renewed = renewed - interval '31 s'")
    with serve(address).client() as client:
        assert client.get("/v1/robots/kept").status == 200


def test_a_node_that_was_frozen_writes_nothing_after_another_took_over(serve):
    """Its requests are refused, and what it still had in hand is not in the store."""
    cluster = postgresql.shared()
    address = cluster.make()
    frozen = serve(address)
    with frozen.client(timeout=LONG) as client:
        add(client, "before").expect(201)
        frozen.signal(signal.SIGSTOP)
        cluster.query(address, "UPDATE holder SET renewed = renewed - interval '31 s'")
        second = serve(address)
        with second.client() as other:
            add(other, "of-the-second").expect(201)
        frozen.signal(signal.SIGCONT)
        refused = add(client, "late")
        assert refused.status == 503 and refused.headers["retry-after"]
        assert client.get("/readyz").status == 503
        assert client.get("/v1/robots/before").status == 200  # it may read
    assert names(cluster, address) == {"before", "of-the-second"}
    assert "another armdyn holds the store" in frozen.log()


def another_takes_over(serve, cluster, address, first, late):
    """Another node serves, and of what the first had not been told of nothing is there."""
    with serve(address).client() as other:
        add(other, "of-the-second").expect(201)
    first.kill()
    with contextlib.suppress(OSError):
        late.result()
    assert names(cluster, address) == {"of-the-second"}


def test_a_node_that_is_cut_off_in_a_transaction_keeps_nobody_from_taking_over(serve, tmp_path):
    cluster = postgresql.shared()
    address = cluster.make()
    between, held = postgresql.Between(tmp_path, cluster), threading.Event()

    def cut_off(data, say):
        if b"COMMIT" not in data:
            return say(data)
        held.set()
        return threading.Event().wait()  # for ever: nothing more comes, and nobody hangs up
    first = serve(between.address(address))
    between.hear = cut_off
    with concurrent.futures.ThreadPoolExecutor(1) as pool, first.client(timeout=LONG) as client:
        late = pool.submit(add, client, "late")
        assert held.wait(LONG)
        begun = time.monotonic()
        cluster.query(address, "UPDATE holder SET renewed = renewed - interval '31 s'")  # waits for its lock
        assert time.monotonic() - begun < 30
        another_takes_over(serve, cluster, address, first, late)
    between.close()


def test_a_node_that_is_cut_off_in_the_midst_of_a_message_keeps_nobody_from_taking_over(serve, tmp_path):
    """The server waits for the rest of it, and calls the session active, not idle in its transaction."""
    cluster, sync = postgresql.shared(), b"S\0\0\0\4"
    address = cluster.make()
    between, held, seen = postgresql.Between(tmp_path, cluster), threading.Event(), "UPDATE holder SET renewed = renewed - interval '31 s'"

    def cut_off(data, say):
        if held.is_set() or b"BEGIN" not in data or b"late" not in data:
            return say(data)
        cluster.query(address, seen)
        say(data[:data.rindex(sync)])
        held.set()
        return threading.Event().wait()  # for ever
    first = serve(between.address(address))
    between.hear = cut_off
    with concurrent.futures.ThreadPoolExecutor(1) as pool, first.client(timeout=LONG) as client:
        late = pool.submit(add, client, "late")
        assert held.wait(LONG)
        blocked = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'ClientRead' AND datname = current_database()"
        until(lambda: cluster.query(address, blocked) == [["1"]], LONG, what="a session in the midst of a message")
        time.sleep(10)
        another_takes_over(serve, cluster, address, first, late)
    between.close()


def test_a_database_that_is_away_is_waited_for(cluster, serve):
    """503 that says when to come again; what needs no store is answered; nothing that was acknowledged is lost."""
    address = cluster.make()
    node = serve(address)
    with node.client(timeout=LONG) as client:
        add(client, "arm").expect(201)
        acknowledged = {"arm"} | {name for name in (f"arm-{k}" for k in range(20)) if add(client, name).status == 201}
        assert len(acknowledged) == 21
        motion = {"q": [0.1, 0.2, 0.1, 0], "qd": [0] * 4, "qdd": [0] * 4}
        torque = client.post("/v1/robots/arm/inverse-dynamics", motion).expect(200).json
        for how in ("fast", "immediate"):
            cluster.stop(how)
            refused = add(client, f"while-{how}")
            assert refused.status == 503 and refused.headers["retry-after"]
            assert client.post("/v1/robots/arm/inverse-dynamics", motion).expect(200).json == torque  # it is known here
            assert client.get("/readyz").status == 503
            cluster.start()
            until(lambda: client.get("/readyz").status == 200, LONG, what="readiness")
            add(client, f"after-{how}").expect(201)
            acknowledged.add(f"after-{how}")
    assert names(cluster, address) == acknowledged


@pytest.mark.parametrize("what, kept", [("answer", True), ("request", False)])
def test_a_connection_lost_in_a_commit_is_asked_about(what, kept, serve, tmp_path):
    """The answer is what became of it, never a guess: 201 and it is there, or 503 and it is not."""
    cluster = postgresql.shared()
    address = cluster.make()
    between, lost = postgresql.Between(tmp_path, cluster), []

    def lose(data, say):
        if b"Q\0\0\0\x0bCOMMIT\0" not in data:
            return say(data)
        between.hear = None
        lost.append(data)
        if what == "answer":
            say(data)
            time.sleep(0.3)  # it is committed before anybody hears that this connection is gone
        return False
    try:
        node = serve(between.address(address))
        with node.client(timeout=LONG) as client:
            add(client, "before").expect(201)
            for k in range(5):
                between.hear = lose
                answer = add(client, f"arm-{k}")
                assert len(lost) == k + 1
                assert (answer.status == 201) == (f"arm-{k}" in names(cluster, address)) == kept, answer.status
                assert kept or answer.status == 503
                add(client, f"next-{k}").expect(201)
    finally:
        between.close()


@pytest.mark.slow
def test_a_commit_that_no_standby_confirms_is_not_acknowledged(cluster, serve):
    """Where PostgreSQL is to wait for a standby and none is there, nobody is told that it is kept; it may be, and the client knows."""
    address = cluster.make()
    node = serve(address)
    with node.client(timeout=3 * LONG) as client:
        add(client, "before").expect(201)
        cluster.query(address, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        cluster.query(address, "SELECT pg_reload_conf()")
        time.sleep(1)
        refused = add(client, "unsure")
        assert refused.status == 503 and refused.headers["retry-after"]
        assert "does not say whether the last writes are kept" in node.log()
        cluster.query(address, "ALTER SYSTEM RESET synchronous_standby_names")
        cluster.query(address, "SELECT pg_reload_conf()")
        until(lambda: add(client, "after").status == 201, 3 * LONG, 1, what="writes again")


def test_orders_of_texts_and_searches_are_the_same_whatever_the_language_of_the_database(serve):
    address = postgresql.shared().make("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de-DE'")
    with serve(address).client() as client:
        for name in ("a-c", "a.d", "ab", "b_a", "ba"):
            client.post("/v1/robots", {**robot("scara"), "name": name, "description": f"{name} IST Größe Ä_1"}, query={"allow_unphysical": "true"}).expect(201)
        listed, cursor = [], None
        while cursor or not listed:
            query = {"limit": 2, **({"cursor": cursor} if cursor else {})}
            page = client.get("/v1/robots", query=query).expect(200).json
            listed += [item["name"] for item in page["items"]]
            cursor = page["next_cursor"]
        assert listed == sorted(listed) == ["a-c", "a.d", "ab", "b_a", "ba"]  # by their bytes
        found = {q: len(client.get("/v1/robots", query={"q": q}).expect(200).json["items"]) for q in ("ist", "Größe", "GRÖßE", "ä_1", "Ä_1", "b_a")}
        assert found == {"ist": 5, "Größe": 5, "GRÖßE": 0, "ä_1": 0, "Ä_1": 5, "b_a": 1}  # A to Z alone are a to z; _ is itself


def test_a_role_of_the_service_needs_no_right_to_make_tables(serve, tmp_path):
    cluster = postgresql.shared()
    address = cluster.make()
    (database,), = cluster.query(address, "SELECT current_database()")
    role = f"service_{database}"
    cluster.query(address, f"CREATE ROLE {role} LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    service = address.replace(f"//{postgresql.USER}@", f"//{role}@")
    status, told = start(service, tmp_path / "empty")
    assert status == 1 and "permission denied" in told and "armdyn upgrade --store" in told
    done = subprocess.run([binary(), "upgrade", "--store", address], capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stderr
    cluster.query(address, f"GRANT USAGE ON SCHEMA public TO {role}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};"
                           f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}")
    node = serve(service)
    with node.client() as client:
        add(client, "arm").expect(201)
    told = subprocess.run([binary(), "doctor", "--data", node.data, "--store", service], capture_output=True, text=True, timeout=LONG)
    assert "store        good     is whole, schema" in told.stdout or "fsync" in told.stdout
    assert "replication  warning" in told.stdout and "references   good" in told.stdout


@pytest.mark.parametrize("more, says, expected", [
    ("", b"N", "SSL was required"), ("", b"S", "root certificate file"),
    ("?sslmode=require", b"N", "SSL was required"), ("?sslmode=disable", None, "closed the connection")])
def test_a_host_over_the_network_must_show_a_certificate_of_its_name(more, says, expected, tmp_path):
    """Unless it is said that it need not: nobody between is given everything that the service knows."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def answer():  # to the request for TLS
            connection, _ = listener.accept()
            with connection:
                connection.recv(8, socket.MSG_WAITALL)
                if says:
                    connection.sendall(says)
                    connection.recv(1)
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        status, told = start(f"postgresql://armdyn@127.0.0.1:{listener.getsockname()[1]}/a{more}", tmp_path / "data")
        thread.join(LONG)
    assert status == 1 and expected in told, told
    assert ("PGSSLROOTCERT" in told) == (says == b"S")


def test_what_is_no_address_is_named(tmp_path):
    status, told = start("mysql://somewhere/else", tmp_path / "data")
    assert status and "'mysql://somewhere/else' is no address of a store" in told


@pytest.mark.slow
def test_libraries_find_no_function_of_the_program_in_place_of_their_own():
    """What one of them and the program both have would be the program's for both: krb5's profile_release, which libpq comes to."""
    told = subprocess.run(["nm", "-D", "--defined-only", binary()], capture_output=True, text=True, check=True).stdout
    assert {line.split()[2] for line in told.splitlines()} <= {"recv"}
