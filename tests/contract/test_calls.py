"""What holds for every call of the contract: keys, methods, request ids, HEAD. The cases come from the document."""

import re
import sys

import pytest

from support import ROOT, Server, contract

sys.path.insert(0, str(ROOT / "api"))
import bundle  # noqa: E402

CALLS = [(op["method"].upper(), op["path"], op) for op in bundle.operations(contract.document())]
PATHS = contract.document()["paths"]
METHODS = ("GET", "PUT", "POST", "PATCH", "DELETE")
SOMEBODY = {"job": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "simulation": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "excitation": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "friction_test": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "friction_identification": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "evaluation": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "collision_check": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "verification": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "transfer": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "revision": "1"}
KEY = "correct-horse-battery-staple"
ENDLESS = ("streamEvents",)  # a stream that no request for what nobody has refuses
FLEETING = ("getMetrics",)  # figures that the question itself changes


def concrete(path):
    """The path with names that nobody has."""
    return re.sub(r"\{(\w+)\}", lambda m: SOMEBODY.get(m[1], "nobody"), path)


def named(value):
    return f"{value[0]} {value[1]}" if isinstance(value, tuple) else str(value)


@pytest.fixture(scope="module")
def guarded():
    with Server(key=KEY) as server:
        yield server


@pytest.mark.parametrize("call", CALLS, ids=named)
def test_key(guarded, call):
    """Without the key 401 and nothing else; with it the call is let through."""
    method, path, op = call
    options = {"content_type": "application/json", "body": "{}"} if "requestBody" in op else {}
    index = CALLS.index(call)
    own = f"127.0.{1 + index // 250}.{1 + index % 250}"  # wrong keys are counted by address
    for header in (None, "Bearer wrong", "Basic " + KEY, "Bearer", "bearer" + KEY, f"Bearer {KEY}x", f"Bearer {KEY[:-1]}"):
        with guarded.client(key=None, source=own) as client:
            answer = client.request(method, concrete(path), headers={"Authorization": header}, **options)
        if op["x-role"] == "anyone":
            assert answer.status in (200, 503) or "{" in path and answer.status == 404
            continue
        assert answer.status == 401, (header, answer)
        assert answer.json["type"] == "/problems/unauthorized"
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert KEY not in answer.text
    with guarded.client() as client:
        assert client.request("HEAD" if op["operationId"] in ENDLESS else method, concrete(path), **options).status != 401
    assert KEY not in guarded.log()


def test_without_a_key_the_server_refuses_any_address_but_loopback():
    server = Server(listen="0.0.0.0:0", start=False)
    try:
        server.spawn()
        assert server.wait() not in (0, None)
        assert "key" in server.log()
    finally:
        server.close()


@pytest.mark.parametrize("path", PATHS)
def test_methods(client, path):
    """What the document does not list is 405 with Allow; OPTIONS tells the same."""
    known = {method.upper() for method in PATHS[path] if method != "parameters"}
    for method in METHODS:
        if method not in known:
            answer = client.request(method, concrete(path))
            assert answer.status == 405, answer
    allow = set(re.split(r"\s*,\s*", client.request("OPTIONS", concrete(path)).expect(204).headers["Allow"]))
    assert known <= allow <= known | {"HEAD", "OPTIONS"}
    assert ("HEAD" in allow) == ("GET" in known)


@pytest.mark.parametrize("call", [c for c in CALLS if c[0] == "GET"], ids=named)
def test_head(client, call):
    """HEAD is GET without the body: the same status, the same headers."""
    _, path, op = call
    head = client.head(concrete(path))
    assert head.body == b""
    if op["operationId"] in ENDLESS:
        assert head.status == 200 and head.content_type == "text/event-stream"
        return
    get = client.get(concrete(path))
    assert head.status == get.status
    for name in ("Content-Type", "ETag") if op["operationId"] in FLEETING else ("Content-Type", "Content-Length", "ETag"):
        assert head.headers.get(name) == get.headers.get(name), name


@pytest.mark.parametrize("call", [c for c in CALLS if c[2].get("x-lenient")], ids=named)
@pytest.mark.parametrize("options", [
    {"json": {}}, {"body": "now!", "content_type": "text/plain"}, {"body": "{"}, {"query": {"reason": "smoke"}},
    {"headers": {"Accept": "text/html"}}, {"body": "x" * 10000}, {"headers": {"If-Match": '"7"', "Idempotency-Key": "k" * 500}},
])
def test_a_stop_is_taken_whatever_it_carries(client, call, options):
    """404 is all that is wrong with it: nobody is there to be stopped. Who stops all has stopped all of nobody."""
    assert client.post(concrete(call[1]), **options).status == (404 if "{" in call[1] else 200)


def test_stops_are_lenient_and_nothing_else_is():
    assert sorted(op["operationId"] for *_, op in CALLS if op.get("x-lenient")) == ["stopController", "stopControllers", "stopTransfer"]


@pytest.mark.parametrize("call", [c for c in CALLS if not c[2].get("x-lenient")], ids=named)
def test_unknown_parameters(client, call):
    method, path, op = call
    options = {"content_type": "application/json", "body": "{}"} if "requestBody" in op else {}
    problem = client.request(method, concrete(path), query={"wrong": "1"}, **options).expect(422).json
    assert [(e.get("parameter"), e["code"]) for e in problem["errors"]] == [("wrong", "unknown_field")]


@pytest.mark.parametrize("call", [c for c in CALLS if "{" in c[1]], ids=named)
def test_nobody(client, call):
    """Of what does not exist: 404, whatever else may be wrong (428 and 400 come first where a header is needed)."""
    method, path, op = call
    content = op.get("requestBody", {}).get("content", {})
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    example = next((e["value"] for e in content.get(kind, {}).get("examples", {}).values()), None)
    if example is None and kind in content:
        example = {}
    if method == "PUT" and kind in content:
        example = {**example, "name": "nobody"}
    body = {"json": example, "content_type": kind} if kind in content or not content else {"body": "x", "content_type": next(iter(content))}
    answer = client.request(method, concrete(path), **body,
                            headers={"If-Match": '"1"' if method in ("PUT", "PATCH", "DELETE") else None, "Idempotency-Key": "k"})
    assert answer.status == 404 and answer.json["type"] == "/problems/not-found", answer


# Those that name something, which is not there: a drain would be one of the shared server.
@pytest.mark.parametrize("call", [c for c in CALLS if not c[2].get("requestBody", {}).get("required", True) and "{" in c[1]], ids=named)
def test_a_command_takes_nothing_or_an_empty_object(client, call):
    headers = {"Idempotency-Key": "k"}
    for body in ({"json": {}}, {}, {"body": ""}):
        assert client.post(concrete(call[1]), headers=headers, **body).status == 404, body
    problem = client.post(concrete(call[1]), headers=headers, json={"force": True}).expect(422).json
    assert [(e["pointer"], e["code"]) for e in problem["errors"]] == [("/force", "unknown_field")]
    assert client.post(concrete(call[1]), headers=headers, json=[]).status == 422
    assert client.post(concrete(call[1]), headers=headers, body="{", content_type="application/json").status == 400
    assert client.post(concrete(call[1]), headers=headers, body="{}", content_type="text/plain").status == 415


@pytest.mark.parametrize("sent, kept", [
    ("order-4711", True), ("a.b_c-D9", True), ("x" * 64, True), ("", False), ("x" * 1000, False), ("two words", False),
    ("semi;colon", False), ("<script>", False),
])
def test_request_id(client, sent, kept):
    got = client.get("/healthz", headers={"X-Request-Id": sent}).headers["X-Request-Id"]
    assert (got == sent) == kept and re.fullmatch(r"[A-Za-z0-9._-]{1,128}", got)


def test_request_ids_differ(client):
    ids = {client.get("/healthz").headers["X-Request-Id"] for _ in range(20)}
    assert len(ids) == 20


def test_problems_name_what_was_asked_for(client):
    problem = client.get("/v1/robots/nobody?revision=1").expect(404).json
    assert problem["instance"] == "/v1/robots/nobody" and problem["title"] and problem["status"] == 404
