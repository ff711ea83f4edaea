"""The processes under test: `armdyn serve`, `armdyn controller-sim`, and any other command of the binary.

The binary is ARMDYN_BINARY (default build/armdyn), so the same tests run on the sanitizer builds: their reports go to
files beside the log, and close() fails when there is one.
"""

import contextlib
import functools
import json
import os
import pathlib
import re
import resource
import selectors
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

import pytest

from . import postgresql
from .client import Client
from .tls import shared, trust
from .wait import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
VARIANT = os.environ.get("ARMDYN_VARIANT", "release")
START_LIMIT = float(os.environ.get("ARMDYN_START_LIMIT", "20"))
STOP_LIMIT = float(os.environ.get("ARMDYN_STOP_LIMIT", 15 * PATIENCE))
# prefix= of a process whose writes fail while its disk is full (fill), instead of killing it: whether SIGXFSZ is ignored
# survives exec.
FILLABLE = (sys.executable, "-c", "import os, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])")
LISTENING = re.compile(rb"listening on (?:\w+://)?(\S+):(\d+)")


def binary():
    """The path of the binary under test."""
    path = pathlib.Path(os.environ.get("ARMDYN_BINARY", ROOT / "build" / "armdyn"))
    return str(path if path.is_absolute() else ROOT / path)


def fill(process, full=True):
    """From now on no file of this process can grow, or it can again; the process was started with prefix=FILLABLE."""
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1 if full else resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def free_port():
    """A TCP port of loopback that nobody listens on now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cpu_seconds(pids):
    """Processor time that these processes have used together, s."""
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def peak_memory(pid, name="VmHWM"):
    """The most memory that a process ever had resident, MiB."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name)) / 1024


def resident_memory(pid):
    """The memory that a process has resident now, MiB."""
    return peak_memory(pid, "VmRSS")


def private_memory(pid):
    """What a process has resident of its own, without files that it maps, MiB."""
    return peak_memory(pid, "RssAnon")


def open_sockets(pid):
    """How many sockets a process has open; files come and go by themselves."""
    count, folder = 0, f"/proc/{pid}/fd"
    for name in os.listdir(folder):
        try:
            count += os.readlink(f"{folder}/{name}").startswith("socket:")
        except FileNotFoundError:
            pass
    return count


def integrity(server):
    """What SQLite says of the store of a server that has ended: "ok"."""
    with contextlib.closing(sqlite3.connect(server.data / "armdyn.db")) as db:
        return db.execute("PRAGMA integrity_check").fetchone()[0]


class Process:
    """One run of `armdyn <arguments>`: its standard error goes to a file, everything is bounded in time."""

    def __init__(self, arguments, env=None, directory=None, prefix=()):
        self.directory = pathlib.Path(directory or tempfile.mkdtemp(prefix="armdyn-"))
        self._own_directory = directory is None
        self.arguments = [*prefix, binary(), *map(str, arguments)]
        self.env = env or {}
        self.child = None
        self.stdout = b""

    # -- life --
    def spawn(self):
        sanitizer = self.directory / "sanitizer"
        env = {k: v for k, v in os.environ.items() if not k.startswith("ARMDYN_")}
        for name, more in (("ASAN", "detect_leaks=1"), ("UBSAN", "print_stacktrace=1"), ("TSAN", "halt_on_error=0")):
            key = name + "_OPTIONS"
            env[key] = ":".join(filter(None, [f"log_path={sanitizer}", more, env.get(key)]))
        if VARIANT in ("asan", "tsan"):  # malloc is the sanitizer's: to begin again for a smaller cache of glibc's only takes time
            env["GLIBC_TUNABLES"] = "glibc.malloc.tcache_max=128"
        env.update(self.env)
        with open(self.log_path, "ab") as log:
            self.child = subprocess.Popen(self.arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                          env=env, start_new_session=True)
        self.stdout = b""
        return self

    @property
    def log_path(self):
        return self.directory / "log"

    @property
    def pid(self):
        return self.child.pid

    @property
    def running(self):
        return self.child is not None and self.child.poll() is None

    def read_stdout(self, pattern, timeout=START_LIMIT):
        """Read standard output until `pattern` (a compiled bytes expression) is found; answers the match."""
        end = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self.child.stdout, selectors.EVENT_READ)
            while not (match := pattern.search(self.stdout)) or b"\n" not in self.stdout[match.end():]:
                if not selector.select(max(0, end - time.monotonic())):
                    raise AssertionError(f"{self.arguments}: no {pattern.pattern!r} within {timeout} s\n{self.log()}")
                more = os.read(self.child.stdout.fileno(), 65536)
                if not more:
                    raise AssertionError(f"{self.arguments}: ended (status {self.wait()}) before "
                                         f"{pattern.pattern!r}\n{self.log()}")
                self.stdout += more
            return match

    def signal(self, number):
        self.child.send_signal(number)

    def wait(self, timeout=STOP_LIMIT):
        """Wait for the end; the exit status, negative for a signal."""
        try:
            return self.child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.arguments}: still running after {timeout} s\n{self.log()}") from None

    def terminate(self, timeout=STOP_LIMIT):
        """SIGTERM, and wait; the exit status."""
        if self.running:
            self.signal(signal.SIGTERM)
        return self.wait(timeout)

    def kill(self):
        """kill -9 of this process alone (its children are left to notice), and wait."""
        if self.running:
            self.signal(signal.SIGKILL)
        return self.wait()

    def close(self):
        """End it and everything that it started, and remove what it wrote. Fails when a sanitizer had something to say."""
        if self.child is not None:
            try:
                if self.running:
                    self.terminate()
            finally:
                self._kill_group()
                self.child.wait()
                self.child.stdout.close()
        reports = self.sanitizer_reports()
        if self._own_directory and not os.environ.get("ARMDYN_KEEP"):
            shutil.rmtree(self.directory, ignore_errors=True)
        assert not reports, reports

    def _kill_group(self):
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # -- what it said --
    def log(self, most=20000):
        """The end of its standard error."""
        try:
            return self.log_path.read_bytes()[-most:].decode(errors="replace")
        except FileNotFoundError:
            return ""

    def sanitizer_reports(self):
        """What sanitizers found. That a thread ended while leaks were looked for is no finding, but they write it too."""
        lines = [line for path in sorted(self.directory.glob("sanitizer*"))
                 for line in path.read_text(errors="replace").splitlines()]
        return "\n".join(line for line in lines if "Unable to get registers from thread" not in line)

    # -- its children --
    def children(self, command=None):
        """Process ids of its living children; only those that run `armdyn <command>` when one is given."""
        found = []
        for task in pathlib.Path(f"/proc/{self.pid}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                pass
        return sorted(pid for pid in found if command is None or command in _arguments(pid)[1:])


def _arguments(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


class Listener(Process):
    """A process that says `listening on HOST:PORT`."""

    def start(self):
        self.spawn()
        try:
            match = self.read_stdout(LISTENING)
        except BaseException:
            self._kill_group()
            raise
        self.host, self.port = match[1].decode().strip("[]"), int(match[2])
        return self


@functools.cache
def empty_store():
    """The file of a store that holds nothing, as the binary under test makes it: all migrations one after the other are two fifths of
    what a start costs, so once in a run is enough."""
    with tempfile.TemporaryDirectory() as directory, Server(data=directory) as server:
        server.terminate()
        return server.database.read_bytes()


class Server(Listener):
    """`armdyn serve` on a free port of loopback. Server(flags...) starts it; restart() runs it again on the same data.

    tls: certificate and key (support.tls), to speak HTTPS. With ARMDYN_TEST_TLS=1 every server does.
    With ARMDYN_TEST_STORE=postgresql each keeps its store in a database of its own (support.postgresql).
    """

    def __init__(self, *flags, env=None, data=None, key=None, listen="127.0.0.1:0", prefix=(), start=True, tls=None):
        super().__init__((), env, None, prefix)
        if tls is None and os.environ.get("ARMDYN_TEST_TLS"):
            tls = shared()
        if tls is not None:
            flags += ("--tls-certificate", tls[0], "--tls-key", tls[1])
        self.tls = tls and trust(tls[0])
        self.data = pathlib.Path(data or self.directory / "data")
        if key is not None:
            key_file = self.directory / "key"
            key_file.write_text(key + "\n")
            key_file.chmod(0o600)
            flags += ("--admin-key-file", key_file)
        self.key = key
        if postgresql.wanted():
            self.env = {"ARMDYN_STORE": postgresql.store_of(str(self.data)), **self.env}
        elif data is None and "ARMDYN_STORE" not in self.env and "--store" not in flags:
            self.data.mkdir(mode=0o700)
            self.database.touch(mode=0o600)
            self.database.write_bytes(empty_store())
        self.arguments += ["serve", "--listen", listen, "--data", str(self.data), *map(str, flags)]
        if start:
            try:
                self.start()
            except BaseException:
                self.close()
                raise

    @property
    def database(self):
        """The file of its store, for what opens it beside the service."""
        if postgresql.wanted():
            pytest.skip("this opens the file of the embedded store")
        return self.data / "armdyn.db"

    def write(self, statement, rows):
        """Rows into its store, beside the service: a statement with a ? for each value."""
        if postgresql.wanted():
            postgresql.write(postgresql.store_of(str(self.data)), statement, rows)
            return
        with contextlib.closing(sqlite3.connect(self.database, timeout=30)) as store, store:
            store.executemany(statement, rows)

    def restart(self, kill=False):
        """End it (kill: by kill -9) and start it again on the same data directory; the port is another one."""
        if self.running:
            self.kill() if kill else self.terminate()
        self.child.stdout.close()
        return self.start()

    def client(self, **options):
        """A new keep-alive connection."""
        return Client(self.host, self.port, **{"key": self.key, "tls": self.tls, **options})

    def connect(self, timeout=20, receive_buffer=None):
        """A new socket to it, for tests that write their requests themselves."""
        sock = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET)
        if receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.settimeout(timeout)
        sock.connect((self.host, self.port))
        return self.tls.wrap_socket(sock, server_hostname=self.host) if self.tls else sock

    @property
    def url(self):
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"


class Device(Listener):
    """What stands for a controller, on a port that no other one of this run had: transfers that have not ended hold the
    addresses of devices that are gone."""

    ports = set()

    def start(self):
        super().start()
        wanted = any(argument.endswith(f":{self.port}") for argument in self.arguments)
        if self.port in self.ports and not wanted:
            self.kill()
            self.child.stdout.close()
            return self.start()
        self.ports.add(self.port)
        return self


# A controller is hardware of its own: what else runs on this machine does not slow it down, where that can be had.
HARDWARE = ("nice", "-n", "-10") if os.geteuid() == 0 else ()


class ControllerSim(Device):
    """`armdyn controller-sim` on a free port: ControllerSim("--axes", 2) or ControllerSim(robot={...model...})."""

    def __init__(self, *flags, robot=None, env=None, listen="127.0.0.1:0", prefix=HARDWARE, start=True):
        super().__init__((), env, None, prefix)
        if robot is not None:
            model = self.directory / "model.json"
            model.write_text(json.dumps(robot))
            flags = ("--robot", model, *flags)
        self.trace = self.directory / "trace"
        self.arguments += ["controller-sim", "--listen", listen, *map(str, flags)]
        if start:
            try:
                self.start()
            except BaseException:
                self.close()
                raise
