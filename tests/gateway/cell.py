"""A cell: a server, a simulated controller with a Puma, and what a test does with them."""

import contextlib
import datetime
import json
import os
import signal
import socket
import struct

from support import ControllerSim, Server, robot, unique_name, until

ZERO = [0.0] * 6
GOAL = [0.2, -0.15, 0.2, 0.2, -0.2, 0.15]
FINAL = ("done", "stopped", "failed", "interrupted")
EMPTY, LOADING, READY, ARMED, PLAYING, HOLDING, DONE, FAULT = range(8)  # states of a controller
LONG = 120  # seconds that only a deadlock takes


def soon(seconds=50):
    """An RFC 3339 time ahead."""
    then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def instant(text):
    """Seconds since 1970 of a time that the service says."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def float32(x):
    """The double nearest to x that a float32 can hold."""
    return struct.unpack("f", struct.pack("f", x))[0]


def ask(port, function, first, second, follows):
    """One Modbus request over a connection of its own, beside the gateway; its answer without header, `follows` bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as s:
        s.sendall(struct.pack(">HHHBBHH", 7, 0, 6, 1, function, first, second))
        answer = s.recv(7 + follows, socket.MSG_WAITALL)
        assert answer[:8] == struct.pack(">HHHBB", 7, 0, follows + 1, 1, function)
        return answer[8:]


def registers(port, first, count):
    """`count` holding registers from `first`."""
    answer = ask(port, 3, first, count, 2 + 2 * count)
    assert answer[0] == 2 * count
    return struct.unpack(f">{count}H", answer[1:])


def write(port, first, words):
    """Holding registers by function 16, over a connection of its own, beside the gateway."""
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as s:
        data = struct.pack(f">BHHB{len(words)}H", 16, first, len(words), 2 * len(words), *words)
        s.sendall(struct.pack(">HHHB", 7, 0, len(data) + 1, 1) + data)
        assert s.recv(12, socket.MSG_WAITALL) == struct.pack(">HHHBBHH", 7, 0, 6, 1, 16, first, len(words))


def beat(port, value):
    """A heartbeat for the active profile."""
    write(port, 1011, [value, *registers(port, 1072, 2)])


def state_and_error(port):
    """The state of a controller, and why it came there by itself."""
    return registers(port, 1061, 1)[0], registers(port, 1077, 1)[0]


def play_index(port):
    high, low = registers(port, 1065, 2)
    return high << 16 | low


@contextlib.contextmanager
def asleep(server):
    """The gateway of a server does nothing meanwhile, and does not know it. The server waits for it (--child-silence)."""
    (gateway,) = server.children("gateway")
    os.kill(gateway, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(gateway, signal.SIGCONT)


class Cell:
    """One controller of one robot. `profile` overrides the controller's profile."""

    def __init__(self, server, sim, model=None, **profile):
        self.server, self.sim = server, sim
        self.client = server.client()
        self.model = {**(model or robot("puma560")), "name": unique_name("arm")}
        self.robot, self.name = self.model["name"], unique_name("cell")
        self.client.create_robot(self.model)
        self.profile = {"protocol": "armdyn-v2", "allow_start": True, **profile}
        self.client.post("/v1/controllers", self.document()).expect(201)

    def document(self, **changes):
        return {"name": self.name, "host": "127.0.0.1", "port": self.sim.port, "robot": self.robot,
                "profile": self.profile, **changes}

    def trajectory(self, **changes):
        """The id of a planned motion."""
        request = {"method": "quintic", "start": {"q": ZERO}, "goal": {"q": GOAL}, "duration": 0.8, **changes}
        answer = self.client.post(f"/v1/robots/{self.robot}/trajectories", request, headers={"Prefer": "wait=30"})
        job = self.client.wait_job(answer)
        assert job["state"] == "succeeded", job
        return job["result"]["href"].rsplit("/", 1)[1]

    def samples(self, trajectory, **query):
        return self.client.get(f"/v1/trajectories/{trajectory}/samples", query=query).expect(200).json

    def transfer(self, trajectory, headers=None, **request):
        return self.client.post(f"/v1/controllers/{self.name}/transfers", {"trajectory": trajectory, **request},
                                headers=headers)

    def get(self, transfer):
        return self.client.get(f"/v1/transfers/{transfer}").expect(200).json

    def reach(self, transfer, *states, timeout=LONG):
        """Wait until the transfer is in one of these states; fails when it ends otherwise."""
        now = {}

        def there():
            now.update(self.get(transfer))
            return now["state"] in states or now["state"] in FINAL
        until(there, timeout, what=f"transfer {transfer} to be {states}")
        assert now["state"] in states, now
        return now

    def loaded(self, trajectory, **request):
        """The id of a transfer that rests in ready."""
        transfer = self.transfer(trajectory, **request).expect(202).json["id"]
        self.reach(transfer, "ready")
        return transfer

    def arm(self, transfer):
        """Ask for ARM until it is armed: a bad link may lose that."""
        def armed():
            self.client.post(f"/v1/transfers/{transfer}/arm")
            return self.get(transfer)["state"] == "armed"
        until(armed, LONG, what=f"transfer {transfer} to be armed")

    def start(self, transfer, key=None, seconds=50):
        return self.client.post(f"/v1/transfers/{transfer}/start", {"start_before": soon(seconds)},
                                headers={"Idempotency-Key": key or unique_name("key")})

    def playing(self, trajectory, **request):
        """The id of a transfer that plays, or has, if it is short and nobody looked."""
        transfer = self.loaded(trajectory, **request)
        assert self.client.post(f"/v1/transfers/{transfer}/arm").expect(202).json["state"] == "armed"
        self.start(transfer).expect(202)
        self.reach(transfer, "playing", "done")
        return transfer

    def status(self):
        return self.client.get(f"/v1/controllers/{self.name}/status").expect(200).json


def summary(sim):
    """End a simulated controller; what it saw. Its own witness must have seen nothing wrong."""
    if sim.running:
        sim.terminate()
    told = json.loads(sim.log().strip().splitlines()[-1])
    assert told["violations"] == 0, told
    return told


def trace(path):
    """Samples as played: [[number, ...], ...] without profile id and index, which are checked to be without a gap."""
    rows = [line.split(",") for line in path.read_text().splitlines()]
    assert [int(row[1]) for row in rows] == list(range(len(rows)))
    return [[float32(float(x)) for x in row[2:]] for row in rows]


@contextlib.contextmanager
def simulated(*flags, **options):
    """A simulated controller; its trace is at sim.trace_path."""
    sim = ControllerSim(*flags, start=False, **options)
    sim.trace_path = sim.directory / "played.csv"
    sim.arguments += ["--trace", str(sim.trace_path)]
    try:
        yield sim.start()
        summary(sim)
    finally:
        sim.close()


def puma(*flags, model=None, **options):
    """A simulated controller with a Puma."""
    return simulated(*flags, robot=model or robot("puma560"), **options)


@contextlib.contextmanager
def cell(*flags, server_flags=(), model=None, **profile):
    """A server of its own and a controller."""
    with Server(*server_flags) as server, puma(*flags, model=model) as sim:
        yield Cell(server, sim, model, **profile)
