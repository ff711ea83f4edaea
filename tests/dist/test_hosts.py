"""The examples of deploy/hosts: the sites for nginx and Caddy in real ones, the quadlet by Podman's own generator, Kubernetes by what can
be said of it without a cluster."""

import contextlib
import os
import shutil
import socket
import subprocess

import pytest
import yaml

from support import ROOT, Client, Server, binary, free_port, robot, unique_name, until
from support.events import EventStream
from support.tls import certificate, trust

HOSTS = ROOT / "deploy/hosts"
KEY = "a key of the file, long enough"


class Site:
    """What is reached through a proxy, as a Server is."""

    def __init__(self, port, tls):
        self.host, self.port, self.key, self.tls = "127.0.0.1", port, KEY, tls

    def client(self, **options):
        return Client(self.host, self.port, **{"key": self.key, "tls": self.tls, **options})

    def connect(self, timeout, receive_buffer=None):
        return self.tls.wrap_socket(socket.create_connection((self.host, self.port), timeout), server_hostname="localhost")


def with_own(example, changes):
    """The example with what a test has of its own in place of what it shows."""
    text = (HOSTS / example).read_text()
    for shown, own in changes.items():
        assert text.count(shown) == 1, shown
        text = text.replace(shown, own)
    return text


def nginx(server, folder, port, crt, key):
    """The command of nginx with the site of the manual."""
    site = with_own("nginx.conf", {"listen 443 ssl": f"listen 127.0.0.1:{port} ssl", "/etc/ssl/robots.pem": str(crt),
                                   "/etc/ssl/robots.key": str(key), "127.0.0.1:8080": f"127.0.0.1:{server.port}"})
    config = folder / "nginx.conf"
    own = "".join(f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    config.write_text(f"{user}daemon off;\npid {folder}/pid;\nerror_log {folder}/log;\nevents {{}}\nhttp {{\naccess_log off;\n{own}{site}}}\n")
    return ["nginx", "-p", str(folder), "-e", f"{folder}/log", "-c", str(config)]


def caddy(server, folder, port, crt, key):
    """The command of Caddy with the site of the manual."""
    site = with_own("Caddyfile", {"https://robots.example": f"https://127.0.0.1:{port}, https://localhost:{port}", "/etc/ssl/robots.pem": str(crt),
                                  "/etc/ssl/robots.key": str(key), "reverse_proxy 127.0.0.1:8080": f"reverse_proxy 127.0.0.1:{server.port}"})
    config = folder / "Caddyfile"
    config.write_text(f"{{\nadmin off\nauto_https disable_redirects\ngrace_period 1s\ndefault_bind 127.0.0.1\n}}\n{site}")
    return ["env", f"XDG_DATA_HOME={folder}", f"XDG_CONFIG_HOME={folder}", "caddy", "run", "--config", str(config), "--adapter", "caddyfile"]


@contextlib.contextmanager
def proxy(command, server, folder):
    """One of them before the server, at a free port and with a certificate of its own."""
    crt, key = certificate(folder, "robots")
    port = free_port()
    with open(folder / "log", "wb") as log:
        running = subprocess.Popen(command(server, folder, port, crt, key), stdin=subprocess.DEVNULL, stderr=log)

    def answers():
        assert running.poll() is None, (folder / "log").read_text()
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0
    try:
        until(answers)
        yield Site(port, trust(crt))
    finally:
        running.terminate()
        running.wait()


@pytest.fixture(scope="module", params=[nginx, caddy], ids=lambda command: command.__name__)
def site(request, tmp_path_factory):
    name = request.param.__name__
    if not shutil.which(name) or not shutil.which("openssl"):
        pytest.skip(f"{name} or openssl is not installed")
    with Server("--trusted-proxies", "127.0.0.1", key=KEY) as server, proxy(request.param, server, tmp_path_factory.mktemp(name)) as site:
        yield site


def test_it_tells_whose_request_it_is(site):
    path = "/v1/robots/nobody"
    with site.client(source="127.0.0.9") as client:
        client.delete(path, headers={"X-Forwarded-For": "192.0.2.1", "If-Match": '"1"'}).expect(404)
        entry = next(e["entry"] for e in client.get("/v1/audit").expect(200).json["items"] if e["entry"]["path"] == path)
    assert entry["address"] == "127.0.0.9"


def test_it_passes_large_requests(site):
    with site.client() as client:
        path = client.create_robot(robot("puma560"), name=unique_name("arm")).headers["Location"]
        states = [[0.001 * i] * 6 for i in range(20_000)]  # more than 1 MiB of JSON
        answer = client.post(path + "/inverse-dynamics", {"q": states, "qd": states, "qdd": states}).expect(200)
        assert len(answer.json["tau"]) == 20_000


def test_it_holds_no_event_back(site):
    with EventStream(site) as stream, site.client() as client:
        assert stream.status == 200 and stream.next().name == "snapshot"
        path = client.create_robot(robot("puma560"), name=unique_name("arm")).headers["Location"]
        job = client.post(path + "/trajectories", {"method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 1}).expect(202).json
        assert stream.until(lambda event: event.name == "job" and event.data["id"] == job["id"] and event.data["state"] == "succeeded")


def test_the_pages_behind_it_are_no_strangers(site):
    with site.client() as client:
        own, foreign = f"https://127.0.0.1:{site.port}", "https://evil.example"
        client.post("/v1/controllers/stop", headers={"Origin": foreign}).expect(200)  # STOP is taken from everybody
        job = "/v1/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV/cancel"
        client.post(job, headers={"Origin": own}).expect(404)
        client.post(job, headers={"Origin": foreign}).expect(403)


def test_quadlet_runs_the_container_as_the_manual_says(tmp_path):
    """Podman's generator, which systemd calls, understands every line, and the container is as locked as that of compose."""
    generator = next((path for path in ("/usr/libexec/podman/quadlet", "/usr/lib/podman/quadlet") if os.path.exists(path)), None)
    if not generator:
        pytest.skip("no Podman with quadlets (4.4) is installed")
    shutil.copy(HOSTS / "armdyn.container", tmp_path)
    done = subprocess.run([generator, "-dryrun"], env={"QUADLET_UNIT_DIRS": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert "unsupported" not in done.stderr and "error" not in done.stderr.lower(), done.stderr
    command = next(line for line in done.stdout.splitlines() if line.startswith("ExecStart="))
    for option in ("--read-only", "--cap-drop all", "--security-opt=no-new-privileges", "--ulimit nofile=16384:16384", "--ulimit=nice=30:30",
                   "-v armdyn:/data", "--publish 127.0.0.1:8080:8080", "target=/run/secrets/admin.key,uid=10001", "--pull never"):
        assert option in command, option


def test_kubernetes_says_of_the_container_what_the_image_does():
    """One replica that is never two, the user and the key file of the image, and probes that armdyn answers."""
    volume, deployment, service = yaml.safe_load_all((HOSTS / "kubernetes.yaml").read_text())
    assert [one["kind"] for one in (volume, deployment, service)] == ["PersistentVolumeClaim", "Deployment", "Service"]
    spec = deployment["spec"]
    pod = spec["template"]["spec"]
    container, = pod["containers"]
    assert spec["replicas"] == 1 and spec["strategy"]["type"] == "Recreate"
    assert pod["securityContext"]["runAsUser"] == 10001 and container["securityContext"]["readOnlyRootFilesystem"]
    assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/run/secrets"}
    routes = subprocess.run([binary(), "routes"], capture_output=True, text=True, check=True).stdout
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert f"GET\t{container[probe]['httpGet']['path']}\t" in routes
    assert spec["selector"]["matchLabels"] == service["spec"]["selector"] == spec["template"]["metadata"]["labels"]


def test_variables_of_the_examples_are_options():
    """Every ARMDYN_* that packages and examples speak of is one of `armdyn serve`."""
    known = subprocess.run([binary(), "serve", "--help"], capture_output=True, text=True, check=True).stdout
    for path in [*HOSTS.iterdir(), ROOT / "deploy/debian/armdyn.env", ROOT / "deploy/armdyn.service"]:
        for word in path.read_text().replace("=", " ").split():
            name = word.strip('#,{"')
            assert not name.startswith("ARMDYN_") or name == "ARMDYN_PORT" or name.replace("*", "") == "ARMDYN_" or f" {name}," in known, f"{path}: {name}"


def test_the_packages_are_built_with_what_the_project_is():
    """Build-Depends of the packages are section [build] of the dependencies."""
    text = (ROOT / "deploy/dependencies.txt").read_text().split("[build]")[1].split("\n[")[0]
    build = {line.split("#")[0].split()[0] for line in text.splitlines() if line.split("#")[0].strip()}
    control = (ROOT / "deploy/debian/control").read_text().split("Build-Depends:")[1].split("\nStandards-Version")[0]
    assert {one.split()[0] for one in control.split(",")} == build | {"debhelper-compat"}
