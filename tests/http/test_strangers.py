"""Requests that a web page of somebody else makes, as a browser sends them: they change nothing, and say why. What real
browsers send is in tests/web/strangers.mjs."""

import pytest

from support import ControllerSim, Process, Server, robot

pytestmark = pytest.mark.same_threads

EVIL = "http://evil.example"
FOREIGN = [
    {"Origin": EVIL}, {"Origin": "null"}, {"Origin": "http://127.0.0.1"}, {"Origin": "http://localhost:1"}, {"Origin": "file://"}, {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "CROSS-SITE"}, {"Sec-Fetch-Site": "whatever-comes"},
    {"Origin": EVIL, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, {"Origin": EVIL, "Sec-Fetch-Site": "none"},
]
NAMES = ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "notlocalhost", "10.0.0.5", "[::2]",
         "[::1].evil.example", "evil.example:127.0.0.1", "", "localhost:80:80"]
WRITES = [("POST", "/v1/drain"), ("DELETE", "/v1/drain"), ("POST", "/v1/robots"), ("POST", "/v1/keys"), ("POST", "/v1/controllers/cell/clear"),
          ("DELETE", "/v1/controllers/cell"), ("PUT", "/v1/mappings/a"), ("PATCH", "/v1/jobs/x"), ("POST", "/v1/robots/arm/inverse-dynamics")]


@pytest.fixture(scope="module")
def cell():
    """A service with an arm, and the arm's name in it."""
    with Server("--host-names", "robots.example, robots.example:8443") as server, ControllerSim("--axes", 2) as controller, server.client() as client:
        client.create_robot(robot("scara"), name="arm")
        client.post("/v1/controllers", {"name": "cell", "host": "127.0.0.1", "port": controller.port, "robot": "arm"}, check=False)
        yield server


def state(client):
    return [client.get(path).json for path in ("/v1/robots", "/v1/keys", "/v1/drain", "/v1/controllers", "/v1/jobs", "/v1/mappings")]


def is_refused(answer, problem):
    return answer.status == 403 and answer.json["type"] == f"/problems/{problem}" and "--host-names" in answer.json["detail"]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_page_of_another_origin_changes_nothing(cell, headers):
    with cell.client(check=False) as client:
        before = state(client)
        for method, path in WRITES:
            answer = client.request(method, path, headers=headers)
            assert is_refused(answer, "foreign-origin") or (path.endswith("/x") and answer.status == 405), answer
        client.get("/v1/robots", headers=headers).expect(200)  # it cannot read what comes back
        assert state(client) == before


@pytest.mark.parametrize("name", NAMES)
def test_without_keys_nobody_comes_by_a_name_of_his_own(cell, name):
    with cell.client(check=False) as client:
        before = state(client)
        for method, path in [("GET", "/v1/robots"), ("GET", "/"), ("GET", "/v1/events"), *WRITES]:
            answer = client.request(method, path, headers={"Host": name, "Origin": f"http://{name}", "Sec-Fetch-Site": "same-origin"})
            assert is_refused(answer, "foreign-host") or (path.endswith("/x") and answer.status == 405), answer
        assert state(client) == before


def test_a_stop_is_taken_from_everybody(cell):
    with cell.client(check=False) as client:
        for headers in (*FOREIGN, {"Host": "evil.example"}):
            assert client.post("/v1/controllers/cell/stop", headers=headers).status != 403


@pytest.mark.parametrize("headers", [
    {}, {"Origin": "http://robots.example", "Host": "robots.example"}, {"Origin": "https://robots.example"}, {"Origin": "https://robots.example:8443"},
    {"Host": "LOCALHOST:8080", "Origin": "http://localhost:8080"}, {"Host": "[::1]:80", "Origin": "http://[::1]"}, {"Host": "robots.example:443", "Origin": "https://robots.example"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://before-a-proxy.example"}, {"Sec-Fetch-Site": "none"},
], ids=str)
def test_own_pages_and_programs_go_on(cell, headers):
    with cell.client(check=False) as client:
        client.post("/v1/robots/arm/gravity", {"q": [0, 0, 0, 0]}, headers=headers).expect(200)


def test_with_keys_a_name_is_no_secret_and_a_foreign_page_is_refused_all_the_same():
    with Server("--trusted-proxies", "127.0.0.1", key="a-key-of-an-administrator") as server, server.client(check=False) as client:
        client.get("/v1/robots", headers={"Host": "any.example"}).expect(200)
        assert is_refused(client.post("/v1/drain", headers={"Origin": EVIL}), "foreign-origin")
        assert is_refused(client.post("/v1/drain", headers={"Origin": EVIL, "X-Forwarded-Host": "robots.example"}), "foreign-origin")
        client.post("/v1/drain", headers={"Origin": "https://robots.example", "X-Forwarded-Host": "robots.example"}).expect(200, 202)
        client.delete("/v1/drain", headers={"Host": "robots.example", "Origin": "https://robots.example"}).expect(200, 204)
        with server.client(check=False, source="127.0.0.2") as stranger:  # no proxy that is trusted
            answer = stranger.post("/v1/drain", headers={"Origin": "https://robots.example", "X-Forwarded-Host": "robots.example"})
            assert is_refused(answer, "foreign-origin")


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["robots example/", "http://robots.example", "[::1", "a:b", "a:123456", "@"])
def test_a_name_that_is_none(tmp_path, name):
    with Process(("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", "--host-names", name)) as process:
        process.spawn()
        assert process.wait() == 2 and "--host-names: '" in process.log()
