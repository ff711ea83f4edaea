import contextlib
import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator, TypedDict, Union

__all__ = ["Client", "Problem"]
VERSION = "@VERSION@"


class Problem(Exception):
    """A call that was refused (RFC 9457): `type` to switch on, `detail` to show, `errors` to say which member is meant."""

    def __init__(self, status: int, headers: Any, document: dict):
        super().__init__(document.get("detail") or document.get("title") or f"HTTP {status}")
        self.status, self.headers, self.document = status, headers, document
        self.type, self.detail = document.get("type", "about:blank"), document.get("detail")
        self.errors: list = document.get("errors", [])

    def __str__(self) -> str:
        told = "".join(f"; {e.get('pointer') or e.get('parameter') or ''}: {e.get('detail')}" for e in self.errors)
        return f"{self.status} {self.type}: {self.args[0]}{told}"


def _written(value: Any) -> str:
    return ("false", "true")[value] if isinstance(value, bool) else str(value)


def _events(answer: Any) -> Iterator[dict]:
    """Server-sent events, each {"id", "event", "data"}; `data` is read as JSON. Ends with the stream."""
    with contextlib.closing(answer):
        event: dict = {}
        for line in answer:
            name, _, text = line.decode().rstrip("\r\n").partition(":")
            if name in ("id", "event", "data"):
                event[name] = event[name] + "\n" + text[1:] if name in event else text.removeprefix(" ")
            elif not name and not text and "data" in event:
                yield {**event, "data": json.loads(event["data"])}
                event = {}


class Client:
    """Client("http://127.0.0.1:8080", key="..."): one method for each call of the contract, by its operationId.

    Bodies and answers are JSON as Python has it; an answer in another format (`accept="text/csv"`) is bytes, and so is a
    body in another (`content_type="text/csv"`). `last` has status and headers of this thread's last answer:
    client.last["ETag"]. A call that is refused raises Problem; one that comes to no answer an OSError. Nothing is sent a
    second time by itself: give an `idempotency_key` to what may move an arm, and repeat it as you like."""

    def __init__(self, address: str, key: Union[str, None] = None, timeout: float = 90, context: Any = None):
        self.address, self.key, self.timeout = address.rstrip("/"), key, timeout
        handlers = [urllib.request.HTTPSHandler(context=context)] if context else []
        self._opener = urllib.request.build_opener(*handlers)
        self._local = threading.local()

    @property
    def last(self) -> Any:
        """Headers of this thread's last answer, and its `status`."""
        return self._local.headers

    def _call(self, method: str, path: str, query: dict, headers: dict, body: Any = None, content_type: str = "application/json") -> Any:
        asked = [(name, _written(one)) for name, value in query.items() if value is not None
                 for one in (value if isinstance(value, (list, tuple)) else [value])]
        sent = {name: _written(value) for name, value in headers.items() if value is not None}
        if body is not None:
            sent["Content-Type"] = content_type
            body = json.dumps(body).encode() if content_type.endswith("json") else body.encode() if isinstance(body, str) else body
        if self.key:
            sent["Authorization"] = f"Bearer {self.key}"
        address = self.address + path + ("?" + urllib.parse.urlencode(asked) if asked else "")
        request = urllib.request.Request(address, body, sent, method=method)
        try:
            answer = self._opener.open(request, timeout=self.timeout)
        except urllib.error.HTTPError as refused:
            answer = refused
        answer.headers.status = answer.status
        self._local.headers = answer.headers
        if answer.headers.get_content_type() == "text/event-stream":
            return _events(answer)
        with contextlib.closing(answer):
            content = answer.read()
        if answer.headers.get_content_type() in ("application/json", "application/problem+json"):
            content = json.loads(content)
        if answer.status >= 400:
            raise Problem(answer.status, answer.headers, content if isinstance(content, dict) else {"title": f"HTTP {answer.status}"})
        return content if answer.status not in (204, 304) else None
