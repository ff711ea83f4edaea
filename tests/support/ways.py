"""Problems of ways in cells (tests/data/ways), and the input of the tool that asked another planner about them:
  make build/ompl_ways; /usr/bin/python3 tests/support/ways.py | build/ompl_ways"""

import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
RADIUS = 0.05


def arm():
    """A UR10 in capsules, without friction."""
    model = json.loads((HERE.parent / "data/robots/ur10.json").read_text())
    for joint in model["joints"]:
        a, d, alpha = joint.get("a", 0), joint.get("d", 0), joint.get("alpha", 0)
        joint["link"]["bodies"] = [{"capsule": {"from": [-a, -d * math.sin(alpha), -d * math.cos(alpha)], "to": [0, 0, 0], "radius": RADIUS}}]
        joint["friction"] = {}
    return model


def problems(cell=None):
    """All, or those of one cell; with their numbers."""
    rows = json.loads((HERE.parent / "data/ways/problems.json").read_text())["problems"]
    return [(number, row) for number, row in enumerate(rows) if cell in (None, row["cell"])]


def _lines(cell_of):
    model = arm()
    for joint in model["joints"]:
        yield "joint", *(joint.get(name, 0) for name in ("a", "alpha", "d", "theta")), *joint["limits"]["position"]
    for j, joint in enumerate(model["joints"]):
        for body in joint["link"]["bodies"]:
            yield "capsule", j, *body["capsule"]["from"], *body["capsule"]["to"], body["capsule"]["radius"]
    at = None
    for _, row in problems():
        if row["cell"] != at:
            at = row["cell"]
            yield ("cell",)
            for body in cell_of(at)["bodies"]:
                if "box" in body:
                    yield "box", *body["box"]["size"], *body["box"]["translation"], *body["box"]["rpy"]
                else:
                    yield "half_space", *body["half_space"]["normal"], body["half_space"]["offset"]
        yield "problem", *row["start"], *row["goal"]


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    from support.cells import cell_of
    for line in _lines(cell_of):
        print(*line)
