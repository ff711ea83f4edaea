"""Loads on a gateway, and how punctual it is under them."""

import collections
import concurrent.futures
import contextlib

from cell import LONG, Cell, instant, simulated, soon, summary
from support import robot, unique_name

BEAT_MS = 200  # from one heartbeat to the next, by the protocol


def download(here, motion):
    """Seconds from the first window of a motion to READY, by the transfer's own history."""
    history = here.reach(here.transfer(motion).expect(202).json["id"], "ready")["history"]
    at = {step["state"]: instant(step["at"]) for step in history}
    return at["ready"] - at["loading"]


def streams(server, count, seconds, rate=250):
    """Stream one motion to so many controllers at once, with rings of one second; what each of them saw."""
    with contextlib.ExitStack() as stack:
        sims = [stack.enter_context(simulated("--axes", 6, "--ring", rate)) for _ in range(count)]
        here = Cell(server, sims[0], robot("puma560"))
        motion = here.trajectory(duration=seconds)

        def play(sim):
            with server.client(check=False) as client:
                name = unique_name("cell")
                client.post("/v1/controllers", {**here.document(name=name), "port": sim.port}).expect(201)
                body = {"trajectory": motion, "rate": rate, "mode": "stream", "start": True, "start_before": soon()}
                answer = client.post(f"/v1/controllers/{name}/transfers", body, headers={"Idempotency-Key": name})
                return answer.expect(202).json["id"]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            transfers = list(pool.map(play, sims))
        for transfer in transfers:
            here.reach(transfer, "done", timeout=seconds + LONG)
        return [summary(sim) for sim in sims]


def lateness(told, percent=99):
    """The percentile of how late heartbeats came, ms, of all controllers together as they saw it themselves."""
    beats = collections.Counter()
    for one in told:
        for ms, count in one["beats"]:
            beats[max(0, ms - BEAT_MS)] += count
    left = sum(beats.values()) * percent / 100
    for late, count in sorted(beats.items()):
        left -= count
        if left <= 0:
            return late
    raise AssertionError("no heartbeats")
