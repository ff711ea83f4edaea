"""The node that serves is dead or frozen, and the database is away, or silent as where packets are dropped: a node that stands by stops the arm itself, in time, and what
it did is in the audit trail afterwards.

ARMDYN_SOAK=1: 20 times each (ARMDYN_ROUNDS), and every one is held against 500 ms.
"""

import contextlib
import http.client
import os
import pathlib
import select
import signal
import socket
import struct
import tempfile
import threading
import time

import pytest

from blocks import Blocks
from cell import EMPTY, FAULT, LONG, Cell, state_and_error
from support import ControllerSim, Server, postgresql, robot, tls, until
from support.process import free_port
from support.wait import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not postgresql.programs(), reason="PostgreSQL is not installed")]
SOAK = os.environ.get("ARMDYN_SOAK") == "1"
ROUNDS = int(os.environ.get("ARMDYN_ROUNDS") or 20) if SOAK else 1
IN_TIME = 0.5 if SOAK else 0.5 * PATIENCE
KEY = "of-an-administrator-of-this-test"
STOP, HEARTBEAT_LOST = 7, 9


class Pair:
    """A node that serves and one that stands by, at a database of their own, and a controller that tells when STOP comes."""

    def __init__(self, cluster, way, secret):
        self.cluster, self.way, self.address, self.stops = cluster, way, cluster.make(), []
        self.nodes = []
        for _ in range(2):
            port = free_port()
            self.nodes.append(Server("--node-address", f"127.0.0.1:{port}", "--workers", 1, listen=f"127.0.0.1:{port}", key=KEY,
                                     tls=secret, env={"ARMDYN_STORE": way.address(self.address)}))
        self.first, self.second = self.nodes
        until(lambda: "STOP can be sent from here" in self.second.log(1 << 20), LONG, what="a node that stands by")

    def heard(self, frame):
        if frame[7] == 16 and struct.unpack(">H", frame[8:10]) == (1020,) and struct.unpack(">H", frame[13:15]) == (STOP,):
            self.stops.append(time.monotonic())

    def everything_of_the_first(self, number):
        """As if it were its machine: what serves, and what it started."""
        children = self.first.children("gateway") + self.first.children("worker")
        for child in children:
            os.kill(child, signal.SIGSTOP)
        self.first.signal(number)
        for child in children:
            os.kill(child, number)

    def entries(self):
        """Of the audit trail: STOPs, and which node tells of them."""
        with self.second.client(timeout=LONG) as client:
            items = client.get("/v1/audit", query={"operation": "stopController"}).expect(200).json["items"]
        return [item["entry"] for item in items]

    def close(self):
        for node in self.nodes:
            if node.running:
                node.signal(signal.SIGCONT)
            node.close()


class OneAtATime:
    """A way to a controller that takes one connection; while there is one, who else comes is refused, or is taken and not heard."""

    def __init__(self, port, refuses):
        self.to, self.refuses, self.ended, self.port = port, refuses, False, 0
        self.thread = threading.Thread(target=self.run, daemon=True)

    def listen(self):
        listener = socket.create_server(("127.0.0.1", self.port))
        listener.settimeout(0.1)
        self.port = listener.getsockname()[1]
        return listener

    def __enter__(self):
        self.listener = self.listen()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()
        self.listener.close()

    def run(self):
        while not self.ended:
            with contextlib.suppress(TimeoutError), self.listener.accept()[0] as here, socket.create_connection(("127.0.0.1", self.to)) as there:
                self.refuses and self.listener.close()
                self.carry(here, there)
                if self.refuses:
                    self.listener = self.listen()

    def carry(self, *pair):
        while not self.ended:
            for source in select.select(pair, (), (), 0.1)[0]:
                data = source.recv(65536)
                if not data:
                    return
                pair[source is pair[0]].sendall(data)


@contextlib.contextmanager
def pair(secret=None, way=None):
    with postgresql.Cluster() as cluster, contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        nodes = Pair(cluster, stack.enter_context(contextlib.closing(postgresql.Between(folder, cluster))), secret)
        stack.callback(nodes.close)
        sim = stack.enter_context(ControllerSim(robot=robot("puma560")))
        before = stack.enter_context(way(sim.port) if way else Blocks({1000: sim.port}, nodes.heard))
        yield nodes, Cell(nodes.first, before), sim


def stopped_in_time(nodes, here, client, sim, path):
    """STOP by the node that stands by; how long it took to the controller."""
    nodes.stops.clear()
    asked = time.monotonic()
    try:
        answer = client.post(path).expect(200).json
    except http.client.RemoteDisconnected:  # one that it encrypted for the other node ends, when that is found to be silent
        answer = client.post(path).expect(200).json
    assert answer["confirmed"] and "sent by this node, which stands by" in answer["detail"], answer
    assert state_and_error(sim.port)[0] == EMPTY
    took = nodes.stops[0] - asked
    assert took < IN_TIME
    return took


@pytest.mark.parametrize("fate, encrypted, silent", [("frozen", False, True), ("killed", True, False)] + SOAK * [
    ("killed", False, True), ("frozen", True, False), ("frozen", False, False)])
def test_an_arm_is_stopped_in_place_of_the_node_that_serves(fate, encrypted, silent):
    took = []
    for _ in range(ROUNDS):
        with pair(tls.shared() if encrypted else None) as (nodes, here, sim), nodes.second.client(timeout=LONG) as kept:
            transfer = here.playing(here.trajectory(duration=60))
            assert kept.get("/healthz").status == 200
            time.sleep(2)  # the transfer is known there, too
            nodes.way.fall_silent() if silent else nodes.cluster.stop()
            nodes.everything_of_the_first(signal.SIGSTOP if fate == "frozen" else signal.SIGKILL)
            anew = contextlib.nullcontext(kept) if fate == "frozen" and not encrypted else nodes.second.client(timeout=LONG)
            with anew as client:  # over a connection that was passed on before, where that can be read here
                took.append(stopped_in_time(nodes, here, client, sim, f"/v1/controllers/{here.name}/stop"))
            with nodes.second.client(timeout=LONG) as client:
                refused = client.get("/v1/robots")
                assert refused.status == 503 and refused.headers["Retry-After"] == "1" and "stands by" in refused.json["detail"]
            with nodes.second.client(timeout=LONG) as client:
                stopped_in_time(nodes, here, client, sim, f"/v1/transfers/{transfer}/stop")
            with nodes.second.client(timeout=LONG, key="of-nobody-in-this-whole-test") as client:
                assert client.post("/v1/controllers/stop").status == 401
            nodes.way.speak() if silent else nodes.cluster.start()
            come_back(nodes, fate)
            told = until(lambda: [entry for entry in nodes.entries() if "node" in entry], LONG, what="the audit trail to tell")
            assert len(told) == 1 and told[0]["status"] == 200 and told[0]["key"] == "admin"
            if fate == "frozen":
                here.reach(transfer, "stopped", "interrupted")
                until(lambda: [entry for entry in nodes.entries() if "carried this out already" in entry.get("reason", "")], LONG)
    print(f"STOP at the controller after {[round(1e3 * one) for one in sorted(took)]} ms")


@pytest.mark.parametrize("refuses", [True] + SOAK * [False])
def test_a_controller_that_takes_one_connection_is_stopped_by_its_own_heartbeat_alone(refuses):
    """The frozen node holds it. The answer says that nothing is confirmed, and the controller misses the heartbeat."""
    with pair(way=lambda port: OneAtATime(port, refuses)) as (nodes, here, sim):
        here.playing(here.trajectory(duration=60))
        nodes.everything_of_the_first(signal.SIGSTOP)
        with nodes.second.client(timeout=LONG) as client:
            answer = client.post(f"/v1/controllers/{here.name}/stop").expect(200).json
        assert not answer["confirmed"] and "use the emergency stop" in answer["detail"] and "stands by" in answer["detail"]
        until(lambda: state_and_error(sim.port) == (FAULT, HEARTBEAT_LOST), LONG, what="the controller to stop by itself")
        nodes.everything_of_the_first(signal.SIGCONT)


def come_back(nodes, fate):
    """The node that was frozen; or the other one takes its place."""
    if fate == "frozen":
        nodes.everything_of_the_first(signal.SIGCONT)
    else:
        until(lambda: nodes.cluster.query(nodes.address, "UPDATE holder SET renewed = renewed - interval '31 s'", check=False) == [], LONG)

    def serves():
        with contextlib.suppress(OSError), nodes.second.client(timeout=LONG) as client:
            return client.get("/readyz").status == 200
    until(serves, LONG, what="a node that serves")
