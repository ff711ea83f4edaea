"""A small HTTP client: one keep-alive connection, answers as they came.

Every answer is held against the OpenAPI file (support.contract) unless ARMDYN_CHECK_CONTRACT=0 or check=False.
"""

import http.client
import json as json_module
import os
import select
import urllib.parse

CHECK = os.environ.get("ARMDYN_CHECK_CONTRACT", "1") != "0"


class Answer:
    """status, headers (case-insensitive, .headers["ETag"]), body (bytes) and, on demand, json."""

    def __init__(self, method, path, status, headers, body):
        self.method, self.path, self.status, self.headers, self.body = method, path, status, headers, body
        self._json = None

    @property
    def json(self):
        """The body as JSON, read strictly: no NaN, no Infinity, no duplicate names."""
        if self._json is None:
            self._json = json_module.loads(self.body, parse_constant=_refuse, object_pairs_hook=_unique)
        return self._json

    @property
    def text(self):
        return self.body.decode()

    @property
    def content_type(self):
        return (self.headers.get("Content-Type") or "").split(";")[0].strip()

    @property
    def etag(self):
        return self.headers.get("ETag")

    def expect(self, *statuses):
        """This answer, if its status is one of these; else the test fails and shows what came instead."""
        assert self.status in statuses, f"{self!r}, expected {' or '.join(map(str, statuses))}"
        return self

    def __repr__(self):
        return f"{self.method} {self.path} -> {self.status} {self.content_type} {self.body[:2000]!r}"


def _refuse(name):
    raise AssertionError(f"{name} in an answer")


def _unique(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"duplicate names in an answer: {names}"
    return dict(pairs)


class Client:
    """Requests over one connection, which is opened again when the server has closed it between two requests."""

    def __init__(self, host, port, key=None, timeout=300, check=CHECK, source=None, tls=None):
        """source: the address to come from, e.g. "127.0.0.2"; tls: an SSLContext, for HTTPS."""
        self.host, self.port, self.key, self.check = host, port, key, check
        options = {"timeout": timeout, "source_address": source and (source, 0)}
        self.connection = (http.client.HTTPSConnection(host, port, context=tls, **options) if tls
                           else http.client.HTTPConnection(host, port, **options))

    def request(self, method, path, json=None, body=None, content_type=None, query=None, headers=None, check=None):
        """One request. `json` is encoded; `body` (bytes or text) goes out as it is, with `content_type` (default
        application/json where there is a body). `query` is a dict or a list of pairs; a header of None is left out."""
        assert json is None or body is None
        if json is not None:
            body = json_module.dumps(json, allow_nan=False)
        if isinstance(body, str):
            body = body.encode()
        sent = {}
        if body is not None:
            sent["Content-Type"] = content_type or "application/json"
        if self.key is not None:
            sent["Authorization"] = f"Bearer {self.key}"
        sent.update(headers or {})
        sent = {name: str(value) for name, value in sent.items() if value is not None}
        if query:
            path += ("&" if "?" in path else "?") + urllib.parse.urlencode(query)
        answer = self._exchange(method, path, body, sent)
        if self.check if check is None else check:
            from . import contract
            contract.check_answer(answer)
            contract.check_request(answer, body, sent.get("Content-Type"))
        return answer

    def _exchange(self, method, path, body, headers):
        kept = self.connection.sock
        if kept and select.select([kept], [], [], 0)[0]:  # closed by the server meanwhile: no answer is due
            self.connection.close()
        fresh = self.connection.sock is None
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.connection.close()
            if fresh or method not in ("GET", "HEAD"):
                raise
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
        try:
            return Answer(method, path, response.status, response.headers, response.read())
        except BaseException:
            self.connection.close()
            raise

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def head(self, path, **options):
        return self.request("HEAD", path, **options)

    def post(self, path, json=None, **options):
        return self.request("POST", path, json, **options)

    def put(self, path, json=None, **options):
        return self.request("PUT", path, json, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # -- what most tests do first --
    def create_robot(self, model, **changes):
        """POST a model (with `changes` to its top level, e.g. name=...); unphysical catalogue models are allowed."""
        return self.post("/v1/robots", {**model, **changes}, query={"allow_unphysical": "true"}).expect(201)

    def run_job(self, path, request, **query):
        """POST a job and follow it to its end, however long that takes; the job with its result."""
        answer = self.post(path, request, headers={"Prefer": "wait=60"}, query={"include": "result", **query})
        job = self.wait_job(answer)
        return job if answer.status == 200 else self.get(f"/v1/jobs/{job['id']}", query={"include": "result"}).expect(200).json

    def result_of(self, path, request, **query):
        """What a job that must succeed comes to."""
        job = self.run_job(path, request, **query)
        assert job["state"] == "succeeded", job["problem"]
        return job["result"]["value"]

    def wait_job(self, answer, timeout=60):
        """Follow the job of a 200 or 202 answer to its end; the job."""
        from .wait import until
        job = answer.expect(200, 202).json

        def ended():
            nonlocal job
            if job["state"] in ("queued", "running"):
                job = self.get(f"/v1/jobs/{job['id']}").expect(200).json
            return job["state"] not in ("queued", "running")
        until(ended, timeout, what=f"end of job {job['id']}")
        return job
