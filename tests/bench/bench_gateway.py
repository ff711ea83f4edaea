#!/usr/bin/python3
"""The gateway between a real server and simulated controllers: how fast it downloads, how punctual it is with 32 of them."""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "gateway")]

from cell import Cell, puma  # noqa: E402
from load import download, lateness, streams  # noqa: E402
from support import Server  # noqa: E402


def main():
    with Server() as server:
        with puma() as sim:
            here = Cell(server, sim)
            motion = here.trajectory(duration=60)
            seconds = []
            for _ in range(3):  # six axes, position and torque: 1.44 million registers of data
                seconds.append(download(here, motion))
                here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)
        print(f"gateway_download_60k {min(seconds)} s lower")
        told = streams(server, 32, 20)
        print(f"gateway_lateness_32_p99 {lateness(told)} ms lower")
        print(f"gateway_stream_32_ahead_least {min(one['ahead_least_ms'] for one in told)} ms higher")


if __name__ == "__main__":
    main()
