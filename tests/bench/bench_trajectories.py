#!/usr/bin/python3
"""Energy-optimal motions as a client meets them: from HTTP request to finished job with `Prefer: wait`, both commits
included, and what of it is not the solver's own time. The Puma of tests/data/optima, torque limits active, 50 intervals."""

import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support import Server  # noqa: E402
from support.optima import optimum  # noqa: E402

RUNS, WARM = 40, 5


def main():
    model, request, _ = optimum("xiii_puma_torque_limit_active")
    request = {**request, "intervals": 50}
    took, beyond = [], []
    with Server() as server, server.client(check=False) as client:
        arm = client.post("/v1/robots", model, query={"allow_unphysical": "true"}).expect(201).headers["Location"]
        for run in range(RUNS + WARM):
            start = time.perf_counter()
            job = client.post(arm + "/trajectories", request, headers={"Prefer": "wait=60"}).expect(200).json
            total = time.perf_counter() - start
            solver = client.get(job["result"]["href"]).expect(200).json["solver"]["time"]
            if run >= WARM:
                took.append(total)
                beyond.append(total - solver)
    print(f"http_optimal_puma_50 {1000 * statistics.median(took):.2f} ms lower")
    print(f"http_optimal_beyond_solver {1000 * statistics.median(beyond):.2f} ms lower")
    print(f"http_optimal_beyond_solver_least {1000 * min(beyond):.2f} ms lower")


if __name__ == "__main__":
    main()
