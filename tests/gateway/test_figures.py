"""How fast and how steady the gateway is: figures printed, and bounds that a loaded machine keeps too."""

import os

import pytest

from cell import LONG, Cell, puma, simulated, summary
from load import download, lateness, streams
from support import robot

SOAK = bool(os.environ.get("ARMDYN_SOAK"))


@pytest.mark.slow
def test_download_of_a_minute(shared):
    """60,001 samples of six axes, position and torque: 1.44 million registers of data, each 123 a request."""
    with puma() as sim:
        here = Cell(shared, sim)
        seconds = download(here, here.trajectory(duration=60))
        print(f"download of 60,001 samples: {seconds:.2f} s")
        assert not SOAK or seconds < 1.5


@pytest.mark.slow
def test_a_stream_of_a_kilohertz_never_runs_dry(shared):
    """Six axes at 1 kHz with a ring of one second: 10 minutes in `make soak`."""
    seconds = int(os.environ.get("ARMDYN_SECONDS") or (600 if SOAK else 4))
    with simulated("--axes", 6, "--ring", 1000) as sim:
        here = Cell(shared, sim, robot("puma560"))
        transfer = here.playing(here.trajectory(duration=seconds), mode="stream")
        here.reach(transfer, "done", timeout=seconds + LONG)
        told = summary(sim)
        print(f"{seconds} s at 1 kHz: never less than {told['ahead_least_ms']} ms ahead")
        assert told["underruns"] == 0 and told["samples_played"] == 1000 * seconds + 1


@pytest.mark.slow
def test_many_streams_at_once(shared):
    """32 controllers at 250 Hz with rings of one second, fed, started and measured by one gateway: none runs dry, and its
    heartbeats come in time."""
    count, seconds = (32, 60) if SOAK else (12, 3)
    told = streams(shared, count, seconds)
    late = lateness(told)
    print(f"{count} controllers at 250 Hz: p99 lateness {late} ms, never less than {min(one['ahead_least_ms'] for one in told)} ms ahead")
    assert [one["underruns"] for one in told] == [0] * count
    assert not SOAK or late < 50
