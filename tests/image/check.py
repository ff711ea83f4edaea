"""The image, built and run for real without a Docker daemon: it serves, keeps its data, checks its health, ends when told.

The container runs as strictly as deploy/compose.yaml says: no capability, no new privileges, read-only root file system.
"""

import hashlib
import json
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

IMAGE, NAME, VOLUME = "localhost/armdyn-test", "armdyn-test", "armdyn-test-data"
TOOLS = ("buildah", "podman", "runc", "mmdebstrap")


def check_image(tally, root, run):
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if os.geteuid() != 0 or missing:
        why = f"needs {', '.join(missing)}" if missing else "needs root"
        print(f"\n*** THE IMAGE WAS NOT TESTED: {why} ***\n")
        tally.skip("image", why)
        return
    store = root / tally.folder.parent.parent / "image"
    status, text = run(["deploy/image/build", IMAGE], tally.folder / "build.log", 1800, {"IMAGE_STORE": str(store)})
    tally.check("image is built", status == 0, text)
    if status == 0:
        with Container(tally, store) as container:
            container.check_configuration()
            container.check_life(json.loads((root / "tests/data/vectors/puma560.json").read_text())["robot"])


def run_root(store):
    """Where podman keeps what lasts until the machine starts again: in the store, but it takes no path of more than 50 characters."""
    inside = f"{store}/run"
    return inside if len(inside) <= 50 else f"/run/armdyn-{hashlib.sha256(inside.encode()).hexdigest()[:12]}"


class Container:
    """One container of the image at a free port of the host, with an admin key and a volume that outlives it."""

    def __init__(self, tally, store):
        self.tally, self.image = tally, IMAGE
        self.podman = ["podman", f"--root={store}", f"--runroot={run_root(store)}", "--runtime=runc", "--cgroup-manager=cgroupfs"]
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.key = secrets.token_urlsafe(32)
        self.key_file = pathlib.Path(tally.folder).resolve() / "admin.key"
        self.key_file.write_text(self.key + "\n")
        self.key_file.chmod(0o400)
        os.chown(self.key_file, 10001, 10001)

    def __enter__(self):
        self.clear()
        return self

    def __exit__(self, *_):
        (self.tally.folder / "container.log").write_text(self.call("logs", NAME)[1])
        self.clear()

    def clear(self):
        self.call("rm", "--force", "--ignore", NAME)
        self.call("volume", "rm", "--force", VOLUME)

    def call(self, *arguments, timeout=120):
        """podman; status and everything it printed."""
        done = subprocess.run([*self.podman, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=timeout)
        return done.returncode, done.stdout

    def run_options(self):
        return ["--network", "host", "--read-only", "--read-only-tmpfs=false", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
                "--ulimit", "nofile=4096:4096", "--ulimit", "nproc=1024:1024", "-v", f"{VOLUME}:/data"]

    def request(self, method, path, body=None, key=True):
        """Status and JSON of an answer; status None while nobody listens."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if key else {})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        except OSError as error:
            return None, str(error)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text

    def wait_ready(self, seconds=20):
        end = time.monotonic() + seconds
        while (answer := self.request("GET", "/readyz", key=False))[0] != 200 and time.monotonic() < end:
            time.sleep(0.1)
        return answer

    def check_configuration(self):
        """What the image says about itself."""
        status, text = self.call("image", "inspect", self.image)
        config = json.loads(text)[0] if status == 0 else {}
        self.tally.check("runs as user 10001", config.get("User") == "10001:10001", text)
        inner = config.get("Config", {})
        self.tally.check("one volume", list(inner.get("Volumes", {})) == ["/data"], str(inner))
        self.tally.check("entry point without a shell", inner.get("Entrypoint") == ["armdyn"], str(inner))
        health = config.get("Healthcheck") or config.get("HealthCheck") or {}
        self.tally.check("health check without a shell", health.get("Test") == ["CMD", "armdyn", "healthcheck"], str(health))
        status, text = self.call("run", "--rm", *self.run_options(), self.image)
        self.tally.check("refuses to start without a key", status != 0 and "key" in text, f"status {status}\n{text}")

    def start(self):
        status, text = self.call("run", "-d", "--name", NAME, *self.run_options(), "-e", f"ARMDYN_LISTEN=0.0.0.0:{self.port}",
                                 "-v", f"{self.key_file}:/run/secrets/admin.key:ro", self.image)
        self.tally.check("container starts", status == 0, text)

    def check_life(self, robot):
        """Start, write, restart, read, stop."""
        check = self.tally.check
        self.start()
        status, answer = self.wait_ready()
        check("GET /readyz", status == 200, f"{answer}\n{self.call('logs', NAME)[1]}")
        check("GET /healthz", self.request("GET", "/healthz", key=False)[0] == 200, "")
        check("no key, no answer", self.request("GET", "/v1/robots", key=False)[0] == 401, "")
        status, answer = self.request("POST", "/v1/robots?allow_unphysical=true", {**robot, "name": "kept"})
        check("POST /v1/robots", status == 201, f"{status} {answer}")
        self.check_inside()

        status, text = self.call("restart", NAME)
        check("restart", status == 0, text)
        status, answer = self.wait_ready()
        check("ready again", status == 200, f"{answer}\n{self.call('logs', NAME)[1]}")
        status, answer = self.request("GET", "/v1/robots/kept")
        check("the robot is still there", status == 200 and answer["name"] == "kept", f"{status} {answer}")

        start = time.monotonic()
        self.call("kill", "--signal", "TERM", NAME)
        status, text = self.call("wait", NAME, timeout=30)
        took = time.monotonic() - start
        check("SIGTERM ends it with status 0 within 10 s", text.strip() == "0" and took < 10, f"{text} after {took:.1f} s\n{self.call('logs', NAME)[1]}")

    def check_inside(self):
        """From inside: its health, who it is, and that nothing but the volume can be written."""
        check = self.tally.check
        status, text = self.call("exec", NAME, "armdyn", "healthcheck")
        check("health check succeeds", status == 0, text)
        status, text = self.call("exec", "-e", "ARMDYN_LISTEN=127.0.0.1:1", NAME, "armdyn", "healthcheck")
        check("health check fails where nobody listens", status not in (0, 127), f"status {status}\n{text}")
        status, text = self.call("exec", NAME, "id", "-u")
        check("is not root", text.strip() == "10001", text)
        for path in ("/x", "/tmp/x", "/usr/bin/x", "/etc/x"):
            status, text = self.call("exec", NAME, "touch", path)
            check(f"cannot write {path}", status == 1 and path in text, text)  # of touch; podman's own are 125 and more
        status, text = self.call("exec", NAME, "sh", "-c", "grep CapEff: /proc/1/status")
        check("has no capability", text.split() == ["CapEff:", "0" * 16], text)
