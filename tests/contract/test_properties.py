"""Thousands of requests that nobody wrote, made of the OpenAPI file: good ones, spoilt ones and bytes that are no documents.

Whatever comes, no answer is a 5xx, every one keeps the contract (support.client checks each), a fault points into the document
that was sent, no process dies, and memory stays as it is. ARMDYN_SEED is the seed; ARMDYN_SOAK=1 makes it long, and of any seed.
"""

import collections
import os
import random

import pytest

from support import ControllerSim, Server, resident_memory, until
from support.world import OPERATIONS, World

SANITIZED = os.environ.get("ARMDYN_VARIANT", "release") != "release"
SOAK = os.environ.get("ARMDYN_SOAK", "0") != "0"
REQUESTS = 20000 if SOAK else 200 if SANITIZED else 800


@pytest.fixture
def chance(request):
    seed = int(os.environ.get("ARMDYN_SEED") or (random.randrange(10**6) if SOAK else 7))
    print(f"{request.node.name}: ARMDYN_SEED={seed}")
    return random.Random(seed)


def test_requests_that_nobody_wrote(chance):
    with Server(key="a-key-of-an-administrator") as server, ControllerSim("--axes", 2) as controller:
        world, seen, memory = World(server, controller, chance), collections.Counter(), []
        pid = server.pid
        for n in range(REQUESTS):
            seen[world.ask()] += 1
            if n % 100 == 99:
                world.tidy()
                memory.append(resident_memory(server.pid))
        failed = world.end_jobs()
        broken = [job for job in failed if job["problem"]["status"] >= 500]
        assert not broken, broken[:2]
        assert server.running and server.pid == pid
        until(lambda: world.client.get("/readyz").status == 200, what="the workers whose jobs were cancelled are there again")
        assert server.terminate() == 0
    taken = sum(count for (_, status), count in seen.items() if status < 300)
    never = {operation["operationId"] for _, _, operation, _ in OPERATIONS} - {name for name, status in seen if status < 300}
    print(f"{taken} of {REQUESTS} requests taken, statuses {sorted({status for _, status in seen})}, "
          f"memory {memory[0]:.0f} to {memory[-1]:.0f} MiB, never taken: {sorted(never)}")
    assert taken > REQUESTS / 4 and {200, 404, 422} <= {status for _, status in seen}  # else there is little behind the rest
    if SOAK and not SANITIZED:
        assert memory[-1] < 1.1 * memory[len(memory) // 4] + 4, memory  # once caches are full it stays as it is
