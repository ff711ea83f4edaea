"""What the manual says of machines without a network, done on one:  unshare --net ... offline.py BUNDLE MACHINE OUT

MACHINE is a folder with a minimal Debian, where the packages are installed, upgraded with a store of 10,000 runs, taken back and
purged; the image does the same with its volume. OUT/offline.json gets a row (name, good, why) for everything that was looked at.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.request

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "store")]
from image.check import NAME, VOLUME, Container  # noqa: E402
from support.motions import motion  # noqa: E402
from test_upgrade import MIGRATIONS, turn_back  # noqa: E402

RUNS, FORMER = 10_000, len(MIGRATIONS) - 1
ROBOT = json.loads((TESTS / "data/vectors/puma560.json").read_text())["robot"] | {"name": "kept"}
OLD_VERSION = "0.0.9"


class Said:
    """A tally that is written down."""

    def __init__(self, folder):
        self.folder, self.rows = pathlib.Path(folder), []

    def check(self, name, good, why=""):
        self.rows.append((name, bool(good), str(why)))


def fill(path):
    """RUNS copies of the one run that is in a store, and the schema that the version before had."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        for table in ("jobs", "results"):
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            values = ", ".join("printf('COPY%022d', n)" if name == "id" else name for name in columns)
            db.execute(f"WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {RUNS}) "
                       f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table}, counted WHERE id NOT LIKE 'COPY%'")
        db.commit()
    turn_back(path, FORMER)


def stored(path):
    """Schema and number of runs of a store."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT (SELECT max(version) FROM schema_version), (SELECT count(*) FROM results)").fetchone()


def belongs(path, like):
    """To whom another file does."""
    owner = like.stat()
    for one in path.parent.glob(path.name + "*"):
        os.chown(one, owner.st_uid, owner.st_gid)


def copy_of_former(data):
    return next(iter(data.glob(f"armdyn-v{FORMER}-*.db")), data / "no copy")


def set_away(data):
    """The store, as the manual says, so that the copy can be restored."""
    newer = data / "newer"
    newer.mkdir()
    for path in data.glob("armdyn.db*"):
        path.rename(newer / path.name)


class Machine:
    """A Debian in a folder, with the bundle in /srv/armdyn."""

    def __init__(self, root, bundle, said):
        self.root, self.said, self.service = root, said, None
        self.data = root / "var/lib/armdyn"
        shutil.copytree(bundle, root / "srv/armdyn")
        (root / "etc/apt/sources.list").write_text("")
        (root / "etc/apt/sources.list.d/armdyn.list").write_text("deb [trusted=yes] file:/srv/armdyn/packages ./\n")
        subprocess.run(["mount", "-t", "proc", "proc", root / "proc"], check=True)

    def run(self, name, *command):
        done = subprocess.run(["chroot", self.root, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}, timeout=600)
        self.said.check(name, done.returncode == 0, done.stdout)
        return done.stdout

    def install(self, name, *what):
        self.run(name, "apt-get", "install", "-y", "--no-install-recommends", "--allow-downgrades", *what)

    def version(self):
        done = subprocess.run(["chroot", self.root, "dpkg-query", "-W", "-f", "${Version}", "armdyn"], capture_output=True, text=True)
        return done.stdout

    def older_package(self):
        """The same program as a package of an older version."""
        deb = next((self.root / "srv/armdyn/packages").glob("armdyn_*.deb"))
        tree, made = self.said.folder / "older", self.root / f"srv/armdyn_{OLD_VERSION}.deb"
        subprocess.run(["dpkg-deb", "--raw-extract", deb, tree], check=True)
        control = tree / "DEBIAN/control"
        control.write_text(re.sub(r"^Version: .*$", f"Version: {OLD_VERSION}", control.read_text(), flags=re.M))
        subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, made], check=True, capture_output=True)
        return f"/srv/{made.name}"

    def as_the_unit_says(self):
        """Its program, user and environment; the credential lies where systemd would put it."""
        unit = next(path for path in (self.root / "lib/systemd/system/armdyn.service", self.root / "usr/lib/systemd/system/armdyn.service") if path.exists())
        text = unit.read_text()
        credentials = self.root / "run/armdyn-credentials"
        credentials.mkdir(exist_ok=True)
        shutil.copyfile(self.root / "etc/armdyn/admin.key", credentials / "admin.key")
        (credentials / "admin.key").chmod(0o644)
        words = re.search(r"^Environment=(.*)$", text, re.M)[1].replace("%S", "/var/lib").replace("%d", "/run/armdyn-credentials").split()
        words += [line for line in (self.root / "etc/armdyn/armdyn.env").read_text().splitlines() if line and not line.startswith("#")]
        return re.search(r"^ExecStart=(.*)$", text, re.M)[1].split(), re.search(r"^User=(.*)$", text, re.M)[1], words

    def start(self):
        command, user, environment = self.as_the_unit_says()
        with open(self.said.folder / "service.log", "ab") as log:
            self.service = subprocess.Popen(["chroot", self.root, "setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--no-new-privs",
                                             "--inh-caps=-all", "env", "-i", *environment, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + 120
        while time.monotonic() < end and self.service.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen("http://127.0.0.1:8080/readyz", timeout=5)
                return
            time.sleep(0.1)
        raise SystemExit(f"the service does not start: {(self.said.folder / 'service.log').read_text()[-3000:]}")

    def stop(self):
        self.service.terminate()
        self.said.check("the service ends with status 0", self.service.wait(60) == 0)

    def ask(self, method, path, body=None):
        key = (self.root / "etc/armdyn/admin.key").read_text().strip()
        request = urllib.request.Request("http://127.0.0.1:8080" + path, None if body is None else json.dumps(body).encode(),
                                         {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())


def one_run(ask):
    """A robot and a trajectory of it."""
    ask("POST", "/v1/robots?allow_unphysical=true", ROBOT)
    job = ask("POST", "/v1/robots/kept/trajectories", motion())
    end = time.monotonic() + 60
    while job["state"] not in ("succeeded", "failed") and time.monotonic() < end:
        time.sleep(0.1)
        job = ask("GET", f"/v1/jobs/{job['id']}")
    return job["state"]


def packages(machine, said):
    offered, older = OLD_VERSION, machine.older_package()
    machine.run("apt-get update", "apt-get", "update")
    machine.install("the packages are installed", older)
    said.check("with the older version", machine.version() == offered, machine.version())
    key = machine.root / "etc/armdyn/admin.key"
    secret = key.read_text()
    said.check("there is a first key, root's alone", len(secret) > 40 and key.stat().st_mode & 0o777 == 0o600 and key.stat().st_uid == 0, oct(key.stat().st_mode))
    machine.start()
    said.check("a run", one_run(machine.ask) == "succeeded")
    made = machine.run("a key made by the service's user", "setpriv", "--reuid=armdyn", "--regid=armdyn", "--init-groups", "armdyn", "key", "create",
                       "--name", "mes", "--role", "admin", "--data", "/var/lib/armdyn")
    said.check("which is a key", made.strip(), made)
    machine.stop()
    db = machine.data / "armdyn.db"
    fill(db)
    belongs(db, machine.data)
    with open(machine.root / "etc/armdyn/armdyn.env", "a") as env:
        env.write("ARMDYN_KEEP_JOBS=3650\n")

    machine.install("upgrade", "armdyn")
    said.check("to the bundle's version", machine.version() not in ("", OLD_VERSION), machine.version())
    said.check("key and options stay", key.read_text() == secret and "KEEP_JOBS=3650" in (machine.root / "etc/armdyn/armdyn.env").read_text())
    begin = time.monotonic()
    machine.start()
    print(f"start with a migration of {RUNS} runs: {time.monotonic() - begin:.1f} s")
    said.check("the store is upgraded", machine.ask("GET", "/v1/version")["schema_version"] == FORMER + 1)
    said.check("the robot is there", machine.ask("GET", "/v1/robots/kept")["name"] == "kept")
    machine.stop()
    said.check("all runs are there", stored(db) == (FORMER + 1, RUNS + 1), stored(db))
    copy = copy_of_former(machine.data)
    said.check("the upgrade made a copy", copy.exists() and stored(copy) == (FORMER, RUNS + 1), copy)

    set_away(machine.data)
    machine.run("restore", "setpriv", "--reuid=armdyn", "--regid=armdyn", "--init-groups", "armdyn", "restore", "--enable",
                f"/var/lib/armdyn/{copy.name}", "--data", "/var/lib/armdyn")
    machine.install("the older version again", older)
    said.check("is the older version", machine.version() == OLD_VERSION, machine.version())
    said.check("with the store of then", stored(db) == (FORMER, RUNS + 1), stored(db))
    machine.start()
    said.check("the robot is there again", machine.ask("GET", "/v1/robots/kept")["name"] == "kept")
    machine.stop()

    machine.run("purge", "apt-get", "purge", "-y", "armdyn")
    said.check("a purge takes key and options, and leaves the store", not (machine.root / "etc/armdyn").exists() and stored(db)[1] == RUNS + 1)


def image(bundle, said):
    store = said.folder / "store"
    with Container(said, store) as container:
        status, text = container.call("load", "--input", str(bundle / "armdyn-image.tar"), timeout=600)
        container.image = "localhost/armdyn:latest"
        said.check("podman load", status == 0, text)
        container.check_configuration()
        container.check_life(ROBOT)
        data = store / "volumes" / VOLUME / "_data"
        db = data / "armdyn.db"
        turn_back(db, FORMER)
        belongs(db, data)
        container.call("start", NAME)
        container.wait_ready(60)
        said.check("the image upgrades its store", container.request("GET", "/v1/version")[1]["schema_version"] == FORMER + 1)
        container.call("stop", "--time", "30", NAME)
        copy = copy_of_former(data)
        said.check("and made a copy", copy.exists(), list(data.iterdir()))
        set_away(data)
        status, text = container.call("run", "--rm", *container.run_options(), container.image, "restore", "--enable", f"/data/{copy.name}", "--data", "/data")
        said.check("which the image restores", status == 0 and stored(db)[0] == FORMER, text)


def main(bundle, root, folder):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    said = Said(folder)
    devices = [line.split(":")[0].strip() for line in pathlib.Path("/proc/net/dev").read_text().splitlines() if ":" in line]
    said.check("there is no network but loopback", devices == ["lo"], devices)
    try:
        packages(Machine(root, bundle, said), said)
        image(bundle, said)
    finally:
        (folder / "offline.json").write_text(json.dumps(said.rows))


if __name__ == "__main__":
    main(*(pathlib.Path(one).resolve() for one in sys.argv[1:]))
