"""What the manual says of machines without a network, done on one:  unshare --net ... offline.py BUNDLE MACHINE FORMER OUT

MACHINE is a folder with a minimal Debian, where a package of the program FORMER, which was before there were packages, makes a store of
10,000 runs, is upgraded to the bundle's, taken back and purged; images do the same with that store in their volume. OUT/offline.json gets
a row (name, good, why) for everything that was looked at.
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
sys.path[:0] = [str(TESTS)]
import former  # noqa: E402
from image.check import NAME, VOLUME, Container  # noqa: E402
from support.migrations import migrations  # noqa: E402
from support.motions import motion  # noqa: E402

RUNS, SCHEMA = 10_000, len(migrations("sqlite"))
ROBOT = json.loads((TESTS / "data/vectors/puma560.json").read_text())["robot"] | {"name": "kept"}
OLD_VERSION = "0.0.9"


class Said:
    """A tally that is written down."""

    def __init__(self, folder):
        self.folder, self.rows = pathlib.Path(folder), []

    def check(self, name, good, why=""):
        self.rows.append((name, bool(good), str(why)))


def stored(path):
    """Schema, number of runs, and bytes of all that they sampled, of a store."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT (SELECT max(version) FROM schema_version), (SELECT count(*) FROM results JOIN result_documents ON result_id = id), "
                          "(SELECT sum(length(data)) FROM series_chunks)").fetchone()


def belongs(path, like):
    """To whom another file does."""
    owner = like.stat()
    for one in path.parent.glob(path.name + "*"):
        os.chown(one, owner.st_uid, owner.st_gid)


def copy_of(data, schema):
    """What an upgrade left of a store of that schema."""
    return next(iter(data.glob(f"armdyn-v{schema}-*.db")), data / "no copy")


def set_away(data):
    """The store, as the manual says, so that the copy can be restored."""
    newer = data / "newer"
    newer.mkdir()
    for path in data.glob("armdyn.db*"):
        path.rename(newer / path.name)


class Machine:
    """A Debian in a folder, with the bundle in /srv/armdyn."""

    def __init__(self, root, bundle, program, said):
        self.root, self.program, self.said, self.service = root, program, said, None
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

    def packaged(self):
        """The bundle's package for this machine."""
        architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
        return next((self.root / "srv/armdyn/packages").glob(f"armdyn_*_{architecture}.deb"))

    def older_package(self):
        """The program of then, in a package as they are now."""
        deb = self.packaged()
        tree, made = self.said.folder / "older", self.root / f"srv/armdyn_{OLD_VERSION}.deb"
        subprocess.run(["dpkg-deb", "--raw-extract", deb, tree], check=True)
        shutil.copyfile(self.program, tree / "usr/bin/armdyn")
        (tree / "DEBIAN/md5sums").unlink()
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
        words = " ".join(re.findall(r"^Environment=(.*)$", text, re.M)).replace("%S", "/var/lib").replace("%d", "/run/armdyn-credentials").split()
        words += [line for line in (self.root / "etc/armdyn/armdyn.env").read_text().splitlines() if line and not line.startswith("#")]
        return re.search(r"^ExecStart=(.*)$", text, re.M)[1].split(), re.search(r"^User=(.*)$", text, re.M)[1], words

    def says(self, *command):
        """What a command says in the unit's environment, where it sees as little of /proc as with ProcSubset."""
        _, _, environment = self.as_the_unit_says()
        done = subprocess.run(["unshare", "--mount", "sh", "-euc", 'mount -t tmpfs none "$1/proc"; exec chroot "$@"', "says", self.root, "env", "-i",
                               *environment, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout

    def start(self):
        command, user, environment = self.as_the_unit_says()
        with open(self.said.folder / "service.log", "ab") as log:
            self.service = subprocess.Popen(["chroot", self.root, "setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--no-new-privs",
                                             "--inh-caps=-all", "env", "-i", *environment, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + 300
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


def make_runs(ask, number):
    """A robot, and so many motions of it that differ; whether all came to their end."""
    ask("POST", "/v1/robots?allow_unphysical=true", ROBOT)
    jobs = [ask("POST", "/v1/robots/kept/trajectories", motion(duration=1.5 + 0.001 * i, sample_rate=50))["id"] for i in range(number)]
    end = time.monotonic() + 600
    while jobs and time.monotonic() < end:
        jobs = [job for job in jobs if ask("GET", f"/v1/jobs/{job}")["state"] != "succeeded"]
        time.sleep(0.1)
    return not jobs


def seen(ask):
    """What users find of their work: the torques of a state, the newest runs, all of the oldest and the newest of them."""
    state = {"q": [0.1, -0.2, 0.3, 0.4, 0.5, 0.6], "qd": [0.3] * 6, "qdd": [1] * 6}
    runs = ask("GET", "/v1/trajectories?limit=200")["items"]
    last = [one["id"] for one in runs[:1]] + [one["id"] for one in ask("GET", "/v1/trajectories?limit=1&sort=created_at")["items"]]
    return {"tau": [round(each, 9) for each in ask("POST", "/v1/robots/kept/inverse-dynamics", state)["tau"]],
            "runs": [(one["id"], one["created_at"], one["metrics"]["energy"]) for one in runs],
            "documents": {name: [ask("GET", f"/v1/trajectories/{one}")[name] for one in last] for name in ("request", "energy", "margins")},
            "samples": [ask("GET", f"/v1/trajectories/{one}/samples") for one in last]}


def as_user(*command):
    return ("setpriv", "--reuid=armdyn", "--regid=armdyn", "--init-groups", *command)


def first_time(machine, said):
    """The package of then, and what it makes: its store, with RUNS runs, and what users see of them."""
    older = machine.older_package()
    machine.run("apt-get update", "apt-get", "update")
    machine.install("the packages are installed", older)
    said.check("with the older version", machine.version() == OLD_VERSION, machine.version())
    key = machine.root / "etc/armdyn/admin.key"
    said.check("there is a first key, root's alone", len(key.read_text()) > 40 and key.stat().st_mode & 0o777 == 0o600 and key.stat().st_uid == 0,
               oct(key.stat().st_mode))
    said.check("no library has a word of its own", re.fullmatch("armdyn [0-9.]+\n", machine.says("armdyn", "version")), machine.says("armdyn", "version"))
    machine.start()
    said.check("runs", make_runs(machine.ask, RUNS // former.COPIES))
    made = machine.run("a key made by the service's user", *as_user("armdyn", "key", "create", "--name", "mes", "--role", "admin",
                                                                    "--data", "/var/lib/armdyn"))
    said.check("which is a key", made.strip(), made)
    machine.stop()
    db = machine.data / "armdyn.db"
    said.check("ten thousand of them", former.multiply(db) == RUNS, stored(db))
    belongs(db, machine.data)
    with open(machine.root / "etc/armdyn/armdyn.env", "a") as env:
        env.write("ARMDYN_KEEP_JOBS=3650\n")
    return older


def try_upgrade(machine, said):
    """`upgrade --check` of the bundle's program, beside the older one's service."""
    subprocess.run(["dpkg-deb", "--extract", machine.packaged(), machine.root / "srv/new"], check=True)
    told = machine.run("upgrade --check", *as_user("/srv/new/usr/bin/armdyn", "upgrade", "--check", "--data", "/var/lib/armdyn"))
    said.check("tells the newer schema", f"schema {SCHEMA}:" in told and "before and after" in told, told)
    print("\n".join(told.splitlines()[:4]))


def packages(machine, said):
    """Returns the store of then, for the image."""
    older = first_time(machine, said)
    key, db = machine.root / "etc/armdyn/admin.key", machine.data / "armdyn.db"
    secret, then = key.read_text(), stored(db)
    said.check("the store is an older one", then[0] < SCHEMA and then[1] == RUNS, then)
    machine.start()
    before = seen(machine.ask)
    try_upgrade(machine, said)
    machine.stop()
    kept = machine.said.folder / "former.db"
    shutil.copyfile(db, kept)

    machine.install("upgrade", "armdyn")
    said.check("to the bundle's version", machine.version() not in ("", OLD_VERSION), machine.version())
    said.check("key and options stay", key.read_text() == secret and "KEEP_JOBS=3650" in (machine.root / "etc/armdyn/armdyn.env").read_text())
    begin = time.monotonic()
    machine.start()
    print(f"start with a migration of {RUNS} runs, {then[2] / 1e6:.0f} MB of samples, from schema {then[0]} to {SCHEMA}: {time.monotonic() - begin:.1f} s")
    said.check("the store is upgraded", machine.ask("GET", "/v1/version")["schema_version"] == SCHEMA)
    after = seen(machine.ask)
    for what in before:
        said.check(f"{what} are what they were", after[what] == before[what], f"{str(before[what])[:2000]}\n{str(after[what])[:2000]}")
    machine.stop()
    said.check("all runs are there", stored(db) == (SCHEMA, *then[1:]), stored(db))
    copy = copy_of(machine.data, then[0])
    said.check("the upgrade made a copy", copy.exists() and stored(copy) == then, copy)

    set_away(machine.data)
    machine.run("restore", *as_user("armdyn", "restore", "--enable", f"/var/lib/armdyn/{copy.name}", "--data", "/var/lib/armdyn"))
    machine.install("the older version again", older)
    said.check("is the older version", machine.version() == OLD_VERSION, machine.version())
    said.check("with the store of then", stored(db) == then, stored(db))
    machine.start()
    said.check("and all that users saw", seen(machine.ask) == before)
    machine.stop()

    machine.run("purge", "apt-get", "purge", "-y", "armdyn")
    said.check("a purge takes key and options, and leaves the store", not (machine.root / "etc/armdyn").exists() and stored(db)[1] == RUNS)
    return kept


def older_image(container, program):
    """The bundle's image with the program of then in it, as one of its own."""
    name = "localhost/armdyn:former"
    for command in (("create", "--name", NAME, container.image), ("cp", str(program), f"{NAME}:/usr/bin/armdyn"), ("commit", "--quiet", NAME, name),
                    ("rm", NAME)):
        status, text = container.call(*command, timeout=300)
        container.tally.check(f"podman {command[0]} of the older image", status == 0, text)
    return name


def run_image(container, image, schema, said):
    """It serves the volume as it is; what users see. Ends it."""
    container.image = image
    container.start()
    container.wait_ready(300)
    status, version = container.request("GET", "/v1/version")
    said.check(f"{image} serves schema {schema}", status == 200 and version["schema_version"] == schema, f"{version}\n{container.call('logs', NAME)[1][-2000:]}")
    found = seen(lambda *what: container.request(*what)[1])
    container.call("stop", "--time", "30", NAME)
    container.call("rm", NAME)
    return found


def image(bundle, program, kept, said):
    store = said.folder / "store"
    with Container(said, store) as container:
        status, text = container.call("load", "--input", str(bundle / "armdyn-image.tar"), timeout=600)
        container.image = newer = "localhost/armdyn:latest"
        said.check("podman load", status == 0, text)
        container.check_configuration()
        container.check_life(ROBOT)
        container.call("rm", NAME)
        older = older_image(container, program)
        data = store / "volumes" / VOLUME / "_data"
        db = data / "armdyn.db"
        for path in data.glob("armdyn.db*"):
            path.unlink()
        shutil.move(kept, db)
        belongs(db, data)
        then = stored(db)
        belongs(db, data)
        before = run_image(container, older, then[0], said)
        said.check("the image upgrades its store, and answers what it answered", run_image(container, newer, SCHEMA, said) == before)
        said.check("all runs are in the volume", stored(db) == (SCHEMA, *then[1:]), stored(db))
        belongs(db, data)
        copy = copy_of(data, then[0])
        said.check("and made a copy", copy.exists(), list(data.iterdir()))
        set_away(data)
        status, text = container.call("run", "--rm", *container.run_options(), newer, "restore", "--enable", f"/data/{copy.name}", "--data", "/data",
                                      timeout=300)
        said.check("which the image restores", status == 0 and stored(db) == then, text)
        belongs(db, data)
        said.check("for the older one, as it was", run_image(container, older, then[0], said) == before)


def main(bundle, root, program, folder):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    said = Said(folder)
    devices = [line.split(":")[0].strip() for line in pathlib.Path("/proc/net/dev").read_text().splitlines() if ":" in line]
    said.check("there is no network but loopback", devices == ["lo"], devices)
    try:
        kept = packages(Machine(root, bundle, program, said), said)
        image(bundle, program, kept, said)
    finally:
        (folder / "offline.json").write_text(json.dumps(said.rows))


if __name__ == "__main__":
    main(*(pathlib.Path(one).resolve() for one in sys.argv[1:]))
