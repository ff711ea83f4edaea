"""Requests for trajectories, short and long."""

import os
import random

ZERO = [0.0] * 6
GOAL = [0.5, -0.3, 0.2, 0.1, -0.2, 0.3]
SLOWER = {"asan": 5, "tsan": 14, "arm64": 10}.get(os.environ.get("ARMDYN_VARIANT"), 1)  # than the release build, at planning


def motion(**changes):
    """A motion of the Puma that a worker plans in milliseconds; a change to ... leaves the field out."""
    request = {"method": "quintic", "start": {"q": ZERO}, "goal": {"q": GOAL}, "duration": 1.5, **changes}
    return {name: value for name, value in request.items() if value is not ...}


def long_motion(waypoints=300, seed=1, **changes):
    """A motion of the Puma that keeps a worker busy: about a second for every 200 waypoints, of which slower builds get fewer."""
    places = random.Random(seed)
    points = [{"q": [round(places.uniform(-0.5, 0.5), 3) for _ in range(6)]} for _ in range(max(waypoints // SLOWER, 1))]
    return motion(**{"method": "trapezoid", "duration": None, "waypoints": points, "sample_rate": 10, **changes})
