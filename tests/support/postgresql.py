"""A PostgreSQL of the tests' own: a cluster in a folder, on a socket there, which ends with this process.

With ARMDYN_TEST_STORE=postgresql every Server keeps its store in a database of it (support.process)."""

import atexit
import contextlib
import functools
import itertools
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import time

USER = "armdyn"
SETTINGS = {"listen_addresses": "", "shared_buffers": "32MB", "max_connections": "200", "fsync": "off",
            "full_page_writes": "off", "log_min_messages": "fatal"}


def wanted():
    """Are stores of this run to be kept in PostgreSQL?"""
    return os.environ.get("ARMDYN_TEST_STORE") == "postgresql"


def programs():
    """The folder of PostgreSQL's programs of a server, or None: Debian keeps them out of PATH."""
    found = shutil.which("initdb")
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return pathlib.Path(os.path.realpath(found)).parent if found else folders[0] if folders else None


class Cluster:
    """A cluster in a folder of its own; start() and stop(how) as often as a test likes. Settings go on top of SETTINGS. `of`: a
    standby of that cluster, which streams from it until promote()."""

    def __init__(self, of=None, **settings):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="armdyn-postgresql-"))
        self.data, self.settings, self._count = self.folder / "data", {**SETTINGS, **settings}, itertools.count()
        # It does not run as root.
        self.owner = pwd.getpwnam("postgres").pw_name if os.geteuid() == 0 else None
        if self.owner:
            shutil.chown(self.folder, self.owner)
        self.folder.chmod(0o711 if self.owner else 0o700)
        if of:
            self._run("pg_basebackup", "-h", of.folder, "-U", USER, "-D", self.data, "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        else:
            self._run("initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        self.start()

    def _run(self, program, *arguments):
        as_owner = ["runuser", "-u", self.owner, "--"] if self.owner else []
        done = subprocess.run([*as_owner, programs() / program, *map(str, arguments)], cwd="/", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        assert done.returncode == 0, done.stdout

    def start(self):
        options = " ".join(f"-c {name}={value or chr(39) * 2}" for name, value in self.settings.items())
        self._run("pg_ctl", "-D", self.data, "-o", f"-k {self.folder} {options}", "-l", self.folder / "log", "-w", "start")

    def stop(self, how="immediate"):
        self._run("pg_ctl", "-D", self.data, "-m", how, "-w", "stop")

    def promote(self):
        self._run("pg_ctl", "-D", self.data, "-w", "promote")

    def close(self):
        if (self.data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def address(self, database, user=USER):
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def make(self, *options):
        """A new, empty database: its address."""
        name = f"store{next(self._count)}"
        self.query("postgres", f"CREATE DATABASE {name} {' '.join(options)}")
        return self.address(name)

    def query(self, database, text, check=True):
        """Rows of texts; the database's name, or its address."""
        address = database if "://" in database else self.address(database)
        done = subprocess.run([programs() / "psql", "-XqAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", address, "-c", text],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0 or not check, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()] if done.returncode == 0 else done.stderr


class Between:
    """A socket in a folder between nodes and a cluster. hear(data, say), where it is set, decides about what a node says: say(data)
    passes it on, False hangs up. What the database answers is passed on after `mute_until` (monotonic). From fall_silent() to speak()
    nothing goes either way and nobody hangs up, as where packets are dropped; afterwards all of it arrives."""

    def __init__(self, folder, cluster):
        self.folder, self.behind, self.hear, self.mute_until = folder, cluster.folder, None, 0
        self.talks = threading.Event()
        self.talks.set()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / ".s.PGSQL.5432"))
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def address(self, address):
        """That of a database of the cluster, by this way."""
        return address.replace(str(self.behind), str(self.folder))

    def fall_silent(self):
        self.talks.clear()

    def speak(self):
        self.talks.set()

    def _accept(self):
        while True:
            try:
                here, _ = self.listener.accept()
            except OSError:
                return
            there = socket.socket(socket.AF_UNIX)
            try:
                there.connect(str(self.behind / ".s.PGSQL.5432"))
            except OSError:
                here.close()
                continue
            threading.Thread(target=self._carry, args=(here, there, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(there, here, False), daemon=True).start()

    def _carry(self, source, target, asks):
        try:
            while data := source.recv(65536):
                self.talks.wait()
                hear = self.hear if asks else None
                if not asks:
                    time.sleep(max(0, self.mute_until - time.monotonic()))
                if (hear(data, target.sendall) if hear else target.sendall(data)) is False:
                    break
        except OSError:
            pass
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.close()


@functools.cache
def shared():
    """The cluster of this process."""
    cluster = Cluster()
    atexit.register(cluster.close)
    return cluster


@functools.cache
def store_of(data):
    """The address of the store of a data directory: the same for the same one."""
    return shared().make()


def literal(value):
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, (int, float)) else "'" + value.replace("'", "''") + "'"


def write(address, statement, rows):
    """A statement with a ? for each value, once for every row."""
    head, *rest = statement.split("?")
    shared().query(address, ";".join(head + "".join(map(str.__add__, map(literal, row), rest)) for row in rows))


def environment(data):
    """That of a command on the store of a data directory, wherever that store is."""
    return {**os.environ, "ARMDYN_STORE": store_of(str(data))} if wanted() else None


def dump(address):
    """Every row of a store, but who holds it and how far numbers are given out, of which a change that was undone takes some."""
    done = subprocess.run([programs() / "pg_dump", "--data-only", "--inserts", "--exclude-table=holder", "-d", address],
                          capture_output=True, text=True, check=True, timeout=120)
    return [line for line in done.stdout.splitlines() if not line.startswith(("\\", "--", "SELECT pg_catalog.setval"))]
