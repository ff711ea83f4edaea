"""The orders of examples/orders in Java and C#: compiled without a warning, and run against a service and a simulated controller."""

import http.client
import http.server
import json
import re
import shutil
import subprocess
import threading

import pytest

from support import ROOT, ControllerSim, Server

EXAMPLES = ROOT / "examples/orders"
MCS = ["mcs", "-warnaserror", "-r:System.Net.Http", "-r:System.Runtime.Serialization", "-out:Order.exe", EXAMPLES / "Order.cs"]
# how a program is compiled, and how it is run
PROGRAMS = {
    "java": (["javac", "-Xlint:all", "-Werror", "-d", ".", EXAMPLES / "Order.java"], ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "Order"]),
    "csharp": (MCS, ["mono", "Order.exe"]),
}
pytestmark = pytest.mark.slow


class Forgetful(http.server.ThreadingHTTPServer):
    """Passes requests on to the service, and loses its answer to the first POST of an order."""

    def __init__(self, port):
        self.to, self.posts = port, []
        super().__init__(("127.0.0.1", 0), Passing)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Passing(http.server.BaseHTTPRequestHandler):
    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: self.headers[name] for name in ("Content-Type", "Idempotency-Key") if name in self.headers}
        service = http.client.HTTPConnection("127.0.0.1", self.server.to, timeout=60)
        service.request(self.command, self.path, body or None, headers)
        answer = service.getresponse()
        text = answer.read()
        service.close()
        self.close_connection = True
        if self.command == "POST":
            self.server.posts.append((answer.status, answer.headers["Idempotency-Replayed"]))
            if len(self.server.posts) == 1:
                return
        self.send_response(answer.status)
        for name in ("Content-Type", "Location", "Retry-After"):
            if name in answer.headers:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = pass_on

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def cell():
    """A client of a service with the manual's arm at cell-1."""
    (text,) = re.findall(r"^cat >arm.json <<'END'\n(.*?)^END$", (ROOT / "deploy/doc/api-tour.md").read_text(), re.S | re.M)
    model = json.loads(text)
    with Server() as server, ControllerSim(robot=model) as sim, server.client() as client:
        client.post("/v1/robots", model).expect(201)
        client.post("/v1/controllers", {"name": "cell-1", "robot": model["name"], "host": "127.0.0.1", "port": sim.port,
                                        "profile": {"protocol": "armdyn-v2", "allow_start": True}}).expect(201)
        yield server, client


@pytest.mark.parametrize("language", PROGRAMS)
def test_an_order_in_another_language(language, cell, tmp_path):
    build, command = PROGRAMS[language]
    if missing := [tool for tool in (build[0], command[0]) if not shutil.which(tool)]:
        pytest.skip(f"{missing} not installed")
    server, client = cell

    def run(*arguments, status):
        done = subprocess.run([*command, *map(str, arguments)], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        assert done.returncode == status, (done.stdout, done.stderr)
        return done

    compiled = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert compiled.returncode == 0 and not compiled.stderr, (compiled.stdout, compiled.stderr)
    number = f"4711-{language}"
    with Forgetful(server.port) as line:
        told = run(line.url, number, 0.3, 0.2, status=0)
        assert (told.stdout, told.stderr) == (f"{number} done\n", "")
        assert line.posts == [(202, None), (202, "true")]  # the answer was lost, and asked for again
    assert run(server.url, number, 0.3, 0.2, status=0).stdout == f"{number} done\n"  # and once more by the operator
    (order,) = client.get("/v1/orders", query={"job_order_id": number}).expect(200).json["items"]
    assert order["plan"]["end"] == pytest.approx([0.3, 0.2], abs=1e-6)
    assert client.get("/v1/transfers", query={"job_order_id": number}).expect(200).json["totals"]["done"] == 1

    refused = run(server.url, f"{number}/far", 90, 0, status=1)  # degrees
    problem = client.post("/v1/orders", {"controller": "cell-1", "to": {"q": [90, 0]}, "duration": 1.5, "objective": "smooth", "start": "automatic"}).expect(422).json
    faults = "".join(f"\n  {fault['pointer']}: {fault['detail']}" for fault in problem["errors"])
    assert refused.stderr == f"refused: {problem['detail']}{faults}\n" and "/to/q/0" in refused.stderr
