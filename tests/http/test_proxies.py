"""Behind a proxy: whose request it is decides the throttle of wrong keys, the audit trail and the log."""

import pytest

from support import Process, Server, until

pytestmark = pytest.mark.same_threads

KEY = "a key of the file, long enough"


@pytest.fixture(scope="module")
def behind():
    with Server("--trusted-proxies", "127.0.0.1, 127.0.0.7", "--connections-per-address", 2, key=KEY) as server:
        yield server


def guess(server, forwarded, header="X-Forwarded-For"):
    """The status of a call with a wrong key, through the proxy."""
    with server.client(key="wrong", source="127.0.0.1") as client:
        return client.get("/v1/robots", headers={header: forwarded}).status


def test_wrong_keys_count_for_the_client_and_not_for_the_proxy(behind):
    assert [guess(behind, "192.0.2.1") for _ in range(21)] == [401] * 20 + [429]
    assert guess(behind, "203.0.113.1, 192.0.2.1") == 429  # written by the client himself: no way out
    assert guess(behind, "192.0.2.2") == 401 and guess(behind, "192.0.2.1, 127.0.0.7") == 429
    with behind.client(source="127.0.0.1") as client:
        client.get("/v1/robots", headers={"X-Forwarded-For": "192.0.2.1"}).expect(200)  # a good key is never refused


def test_a_stranger_names_nobody(behind):
    with behind.client(key="wrong", source="127.0.0.9") as client:  # one connection: only two of an address are let in
        asked = [client.get("/v1/robots", headers={"X-Forwarded-For": f"192.0.2.{100 + i}"}).status for i in range(21)]
    assert asked == [401] * 20 + [429]


def test_audit_trail_and_log_name_the_client(behind):
    path = "/v1/robots/nobody"
    with behind.client(source="127.0.0.7") as client:
        client.delete(path, headers={"X-Forwarded-For": "198.51.100.7", "If-Match": '"1"'}).expect(404)
        entry = next(e["entry"] for e in client.get("/v1/audit").expect(200).json["items"] if e["entry"]["path"] == path)
    assert entry["address"] == "198.51.100.7"
    until(lambda: any(path in line and '"address":"198.51.100.7"' in line for line in behind.log().splitlines()))


def test_the_limit_for_each_address_is_not_the_proxys(behind):
    clients = [behind.client(source="127.0.0.1") for _ in range(6)]
    for client in clients:
        client.get("/healthz").expect(200)
    for client in clients:
        client.close()


def test_the_other_header():
    with Server("--trusted-proxies", "127.0.0.1", "--forwarded-header", "forwarded", key=KEY) as server:
        for _ in range(21):
            status = guess(server, 'for="[2001:db8::1]:80"', header="Forwarded")
        assert status == 429
        assert guess(server, "2001:db8::1") == 401  # X-Forwarded-For: ignored
        assert guess(server, "for=192.0.2.1", header="Forwarded") == 401


def test_a_list_that_is_none(tmp_path):
    with Process(("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", "--trusted-proxies", "proxy.example")) as process:
        process.spawn()
        assert process.wait() == 2 and "--trusted-proxies: 'proxy.example' is no address" in process.log()
