"""The tools of the tests can fail: an answer that breaks the contract is noticed."""

import io
from email.message import Message

import numpy
import pytest

from support import Answer, contract, npy_read, npy_write

pytestmark = pytest.mark.slow  # asks nothing of the build

PROBLEM = '{"type":"/problems/not-found","title":"x","status":404}'
MODEL = ('{"name":"a","convention":"dh","gravity":[0,0,-9.81],"joints":[{"name":"j","type":"revolute","a":0,"alpha":0,"d":0,"theta":0,'
         '"link":{"mass":1}}],"revision":1,"created_at":"2026-01-01T00:00:00.000Z","unphysical":false,"warnings":[]}')


def answer(method, path, status, body, kind="application/json", **headers):
    message = Message()
    for name, value in {"X_Request_Id": "r", "Content_Type": kind, **headers}.items():
        if value is not None:
            message[name.replace("_", "-")] = value
    return Answer(method, path, status, message, body.encode())


def test_good_answers_pass():
    contract.check_answer(answer("GET", "/healthz", 200, '{"status":"ok"}'))
    contract.check_answer(answer("GET", "/v1/robots/a", 200, MODEL, ETag='"1"'))
    contract.check_answer(answer("GET", "/v1/robots/a", 200, MODEL.replace('"revision"', '"new_field":1,"revision"'), ETag='"1"'))
    contract.check_answer(answer("GET", "/v1/robots/a", 404, PROBLEM, "application/problem+json"))
    contract.check_answer(answer("HEAD", "/v1/robots/a", 200, "", ETag='"1"'))
    contract.check_answer(answer("PATCH", "/healthz", 405, PROBLEM.replace("404", "405"), "application/problem+json", Allow="GET, HEAD, OPTIONS"))


@pytest.mark.parametrize("wrong", [
    ("GET", "/healthz", 200, '{"status":"fine"}'),
    ("GET", "/healthz", 200, '{}'),
    ("GET", "/healthz", 418, '{"status":"ok"}'),
    ("GET", "/healthz", 200, '{"status":"ok"}', "text/html"),
    ("GET", "/v1/robots/a", 200, MODEL),
    ("GET", "/v1/robots/a", 200, MODEL.replace('"revision":1', '"revision":"1"')),
    ("GET", "/v1/robots/a", 404, PROBLEM),
    ("GET", "/v1/robots/a", 404, PROBLEM.replace("404", "400"), "application/problem+json"),
    ("GET", "/v1/robots/a", 404, PROBLEM.replace("/problems/not-found", "about:blank"), "application/problem+json"),
    ("GET", "/v1/secrets", 200, "{}"),
])
def test_bad_answers_fail(wrong):
    with pytest.raises(AssertionError):
        contract.check_answer(answer(*wrong, ETag=None))


@pytest.mark.parametrize("headers", [{"X_Request_Id": None}, {"ETag": "1"}, {"ETag": None}])
def test_bad_headers_fail(headers):
    with pytest.raises(AssertionError):
        contract.check_answer(answer("GET", "/v1/robots/a", 200, MODEL, **{"ETag": '"1"', **headers}))


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1, "a": 2}', '{"a": Infinity}'])
def test_lax_json_fails(text):
    with pytest.raises(AssertionError):
        answer("GET", "/", 200, text).json


def test_taken_requests_keep_the_schema():
    taken = answer("POST", "/v1/robots", 201, MODEL)
    contract.check_request(taken, MODEL, "application/json")
    with pytest.raises(AssertionError, match="forbids"):
        contract.check_request(taken, MODEL.replace('"mass":1', '"mass":1,"colour":"red"'), "application/json")


def test_npy_is_numpy():
    """Our few lines against numpy itself."""
    rows = [[1.5, -2.0, 3e-300], [0.1, 5e-324, 7.0]]
    for dtype in ("<f8", "<f4"):
        for fortran in (False, True):
            for version in ((1, 0), (2, 0), (3, 0)):
                read = numpy.load(io.BytesIO(npy_write(rows, dtype, fortran, version=version)))
                assert read.dtype == numpy.dtype(dtype) and (read == numpy.array(rows, dtype)).all()
    out = io.BytesIO()
    numpy.save(out, numpy.array(rows))
    assert npy_read(out.getvalue()) == ((2, 3), [v for row in rows for v in row])
