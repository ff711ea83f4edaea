#!/usr/bin/python3
"""Jobs of identification as a client meets them, from HTTP request to finished job; a worker has one core. The excitations
of tests/data/excitations with their condition numbers, and, where the logs are, the consistent estimate of a LWR4+."""

import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support import Server, robot  # noqa: E402
from support.logs import LWR_CONDITIONING, upload_lwr  # noqa: E402


def timed(client, path, request):
    """Seconds, and the result."""
    start = time.perf_counter()
    job = client.run_job(path, request)
    seconds = time.perf_counter() - start
    if job["state"] != "succeeded":
        sys.exit(f"{path}: {job['problem']}")
    return seconds, job["result"]["value"]


def main():
    with Server() as server, server.client(check=False) as client:
        for name in ("scara", "ur10"):
            kept = json.loads((ROOT / f"tests/data/excitations/{name}.json").read_text())
            arm = client.create_robot(robot(kept["robot"])).headers["Location"]
            seconds, found = timed(client, arm + "/excitations", kept["request"])
            print(f"http_excitation_{name} {seconds:.2f} s lower")
            print(f"http_excitation_{name}_condition {found['condition_number']:.2f} 1 lower")
        lwr = upload_lwr(client, "lwr4")
        if not lwr:
            print("# no measured data kuka_lwr4")
            return
        _, (m1, _, m3) = lwr
        seconds, found = timed(client, "/v1/robots/lwr4/identifications",
                               {"datasets": [m1], "validation": [m3], "conditioning": LWR_CONDITIONING})
        print(f"http_identify_lwr4_m1 {seconds:.2f} s lower")
        print(f"http_identify_lwr4_m1_to_m3 {found['errors']['validation']['filtered']['relative_percent']:.2f} % lower")


if __name__ == "__main__":
    main()
