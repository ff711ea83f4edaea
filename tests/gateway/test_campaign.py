"""The fault campaign: whatever the network and the processes do, a transfer ends either with every word of the profile
played, once, or as failed or interrupted with a reason; and the controller's witness has seen nothing wrong.

200 transfers of every kind in `make soak`, a twentieth of that in `make test`, ARMDYN_ROUNDS=... of them anywhere. The seed
is printed; ARMDYN_SEED=... repeats.
"""

import concurrent.futures
import contextlib
import itertools
import os
import random
import shutil
import subprocess
import time

import pytest

from cell import FINAL, LONG, float32, simulated, soon, summary, trace
from support import Server, robot, unique_name, until

ROUNDS = int(os.environ.get("ARMDYN_ROUNDS") or (200 if os.environ.get("ARMDYN_SOAK") else 10))
SEED = int(os.environ.get("ARMDYN_SEED") or time.time())
AT_ONCE = 4
STEPS = 60  # requests of a transfer of this motion, heartbeats while it plays included

# What may happen to one request. Every kind says which ends are allowed: what the gateway can mend must end in done.
KINDS = {
    "delay": {"done"},                              # within its patience
    "late": {"done", "interrupted", "failed"},      # the heartbeat may be lost over it
    "drop": {"done", "interrupted", "failed"},      # START is never sent twice, even if it did not arrive
    "cut": {"done", "interrupted", "failed"},
    "truncate": {"done", "interrupted", "failed"},
    "duplicate": {"done", "interrupted", "failed"},
    "transaction": {"done", "interrupted", "failed"},
    "exception": {"done", "interrupted", "failed"},
    "busy": {"done", "interrupted", "failed"},
    "address": {"done", "interrupted", "failed"},
    "restart": {"done", "interrupted", "failed"},
}


class Field:
    """A server, a robot and a motion; every round has a controller of its own."""

    def __init__(self, server):
        self.server = server
        self.model = {**robot("scara"), "name": unique_name("arm")}
        n = len(self.model["joints"])
        with server.client(check=False) as client:
            client.create_robot(self.model)
            request = {"method": "quintic", "start": {"q": [0.0] * n}, "goal": {"q": [0.02] * n}, "duration": 0.3,
                       "sample_rate": 500}
            job = client.wait_job(client.post(f"/v1/robots/{self.model['name']}/trajectories", request, headers={"Prefer": "wait=30"}))
            assert job["state"] == "succeeded", job
            self.motion = job["result"]["href"].rsplit("/", 1)[1]
            samples = client.get(f"/v1/trajectories/{self.motion}/samples").expect(200).json
        self.expected = [[float32(x) for pair in zip(q, tau) for x in pair] for q, tau in zip(samples["q"], samples["tau"])]

    def begin(self, client, sim, host="127.0.0.1", mode="download", **profile):
        """The id of a transfer that starts by itself. `profile` overrides the controller's profile."""
        name = unique_name("cell")
        client.post("/v1/controllers", {"name": name, "host": host, "port": sim.port, "robot": self.model["name"], "profile": {
            "protocol": "armdyn-v2", "allow_start": True, "connect_deadline": 3, **profile}}).expect(201)
        body = {"trajectory": self.motion, "start": True, "start_before": soon(), "mode": mode}

        def accepted():
            answer = client.post(f"/v1/controllers/{name}/transfers", body, headers={"Idempotency-Key": name})
            return answer.status != 503 and answer.expect(202)  # 503: the gateway was killed, and is not back yet
        return until(accepted, LONG, 0.05, what="a gateway").json["id"]

    def end(self, client, transfer, timeout=LONG):
        now = {}

        def ended():
            now.update(client.get(f"/v1/transfers/{transfer}").expect(200).json)
            return now["state"] in FINAL
        until(ended, timeout, 0.05, what=f"end of transfer {transfer}")
        return now

    def check(self, sim, end, allowed, what):
        """What must hold whatever happened."""
        told = summary(sim)  # with its witness
        said = (what, end, told)
        assert end["state"] in allowed, said
        assert told["starts"] <= 1, said
        if end["state"] == "done":
            assert told["starts"] == 1 and trace(sim.trace_path) == self.expected, said
        elif end["state"] == "stopped":
            assert end["history"][-1]["reason"] == "the service ended", said
        else:
            assert end["problem"]["detail"] and end["history"][-1]["reason"], said
            assert end["state"] == "interrupted" or told["state"] not in ("armed", "playing"), said
        return told

    def round(self, kind, step, allowed, mode):
        with self.server.client(check=False) as client, simulated("--axes", 4, "--ring", 400, "--fault", f"{kind}@{step}") as sim:
            end = self.end(client, self.begin(client, sim, mode=mode))
            return end["state"], self.check(sim, end, allowed, f"{kind}@{step} {mode}")


@pytest.fixture(scope="module")
def field():
    with Server() as server:
        yield Field(server)


def rounds(kind):
    """The step at which each round is struck, and its mode: every pair in turn when there are enough rounds, else some."""
    pairs = list(itertools.product(range(1, STEPS + 1), ("download", "stream")))
    random.Random(f"{SEED}/{kind}").shuffle(pairs)
    return itertools.islice(itertools.cycle(pairs), ROUNDS)


def at_least(share):
    """Of the rounds; ten of them are too few to speak of shares."""
    return share * ROUNDS if ROUNDS >= 100 else 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_at_any_step(field, kind):
    print(f"ARMDYN_SEED={SEED}")
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(field.round, kind, step, KINDS[kind], mode) for step, mode in rounds(kind)]
        ends = [one.result() for one in running]
    assert len(ends) == ROUNDS
    struck = sum(told["faults"] for _, told in ends)
    assert struck >= at_least(1 / 2)  # the faults did happen
    assert sum(state == "done" for state, _ in ends) >= at_least(1 / 2)  # and most of them are mended


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["gateway", "server"])
def test_a_process_is_killed_at_any_moment(whose):
    """A few transfers at a time, each at another step when it happens."""
    print(f"ARMDYN_SEED={SEED}")
    moments = random.Random(f"{SEED}/{whose}")
    allowed = {"done", "interrupted", "failed", "stopped"} if whose == "server" else {"done", "interrupted"}
    with Server() as server:
        field = Field(server)
        for done in range(0, ROUNDS, AT_ONCE):
            with contextlib.ExitStack() as stack:
                sims = [stack.enter_context(simulated("--axes", 4)) for _ in range(min(AT_ONCE, ROUNDS - done))]
                transfers = []
                with server.client(check=False) as client:
                    for sim in sims:
                        transfers.append(field.begin(client, sim, mode=moments.choice(("download", "stream"))))
                        time.sleep(moments.uniform(0, 0.35))
                    if whose == "gateway":
                        for pid in server.children("gateway"):
                            os.kill(pid, 9)
                if whose == "server":
                    server.restart(kill=True)
                with server.client(check=False) as client:
                    until(lambda: client.get("/readyz").status == 200, LONG, 0.05, what="readiness")
                    for sim, transfer in zip(sims, transfers):
                        field.check(sim, field.end(client, transfer), allowed, f"{whose} killed")


@contextlib.contextmanager
def namespace(loss):
    """A network namespace with an address of its own that loses packets, both ways; skips where that is not permitted."""
    tools = [shutil.which(tool, path="/usr/sbin:/sbin:/usr/bin:/bin") for tool in ("ip", "iptables")]
    if not all(tools) or os.geteuid() != 0:
        pytest.skip("network namespaces need root, ip and iptables")
    ip, iptables = tools
    name, here, there = f"armdyn{os.getpid()}", f"ad{os.getpid() % 100000}a", f"ad{os.getpid() % 100000}b"
    net = f"10.{os.getpid() % 200 + 20}.{os.getpid() // 200 % 250}"

    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"not permitted: {' '.join(command)}: {done.stderr.strip()}")
    try:
        run(ip, "netns", "add", name)
        run(ip, "link", "add", here, "type", "veth", "peer", "name", there)
        run(ip, "link", "set", there, "netns", name)
        run(ip, "addr", "add", f"{net}.1/30", "dev", here)
        run(ip, "link", "set", here, "up")
        run(ip, "netns", "exec", name, ip, "addr", "add", f"{net}.2/30", "dev", there)
        run(ip, "netns", "exec", name, ip, "link", "set", there, "up")
        for chain in ("INPUT", "OUTPUT"):
            run(ip, "netns", "exec", name, iptables, "-A", chain, "-m", "statistic", "--mode", "random", "--probability",
                str(loss), "-j", "DROP")
        yield f"{net}.2", (ip, "netns", "exec", name)
    finally:
        subprocess.run([ip, "link", "del", here], capture_output=True)
        subprocess.run([ip, "netns", "del", name], capture_output=True)


@pytest.mark.slow
def test_packets_are_lost(field):
    with namespace(0.03) as (host, prefix):
        def one(k):
            with field.server.client(check=False) as client:
                with simulated("--axes", 4, "--ring", 400, listen=f"{host}:0", prefix=prefix) as sim:
                    end = field.end(client, field.begin(client, sim, host, ("download", "stream")[k % 2]))
                    return end["state"], field.check(sim, end, set(FINAL) - {"stopped"}, f"lossy {k}")
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            ends = list(pool.map(one, range(ROUNDS)))
        assert sum(state == "done" for state, _ in ends) >= at_least(1 / 4)
