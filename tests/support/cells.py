"""Cells of four sorts, and a gantry."""

import math
import random


def gantry(radius, masses=(3, 2), limits=None):
    """A robot of two slides across each other, along z and -y of the base, without gravity, and a ball that they carry."""
    ball = [{"sphere": {"center": [0, 0, 0], "radius": radius}}]
    inertia = {"xx": 0.01, "yy": 0.01, "zz": 0.01}
    slides = [{"name": name, "type": "prismatic", "a": 0, "alpha": alpha, "theta": 0, "limits": limits or {},
               "link": {"mass": mass, "com": [0, 0, 0], "inertia": inertia, "bodies": bodies}}
              for name, alpha, mass, bodies in (("long", math.pi / 2, masses[0], []), ("cross", 0, masses[1], ball))]
    return {"name": "gantry", "convention": "dh", "gravity": [0, 0, 0], "joints": slides}


def _box(name, size, at, rpy=(0, 0, 0)):
    return {"name": name, "box": {"size": list(size), "translation": list(at), "rpy": list(rpy)}}


def shelf(dice):
    x, width, depth, thick = dice.uniform(0.75, 0.95), dice.uniform(1.0, 1.5), 0.4, 0.03
    heights = [-0.2 + dice.uniform(0.38, 0.48) * k for k in range(4)]
    bodies = [_box(f"board-{k}", (depth, width, thick), (x, 0, z)) for k, z in enumerate(heights)]
    bodies += [_box(f"side-{k}", (depth, thick, 1.6), (x, (k - 0.5) * width, 0.4)) for k in range(2)]
    return bodies + [_box("middle", (depth, thick, 1.6), (x, dice.uniform(-0.2, 0.2), 0.4))]


def fixture(dice):
    bodies = [_box("table", (0.8, 1.6, 0.05), (0.8, 0, -0.1))]
    for k in range(6):
        height = dice.uniform(0.2, 0.7)
        thick = dice.uniform(0.04, 0.12)
        bodies.append(_box(f"post-{k}", (thick, thick, height), (dice.uniform(0.5, 1.1), dice.uniform(-0.7, 0.7), height / 2 - 0.07)))
    return bodies + [_box("clamp", (0.1, 0.3, 0.15), (dice.uniform(0.5, 0.9), dice.uniform(-0.4, 0.4), 0.4), (0, 0, dice.uniform(-1, 1)))]


def bin_(dice):
    x, y, size, high = dice.uniform(0.6, 0.9), dice.uniform(-0.3, 0.3), dice.uniform(0.45, 0.65), dice.uniform(0.25, 0.45)
    bodies = [_box("bottom", (size, size, 0.03), (x, y, -0.2))]
    for k, (dx, dy) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        bodies.append(_box(f"wall-{k}", (0.03 if dx else size, 0.03 if dy else size, high), (x + dx * size / 2, y + dy * size / 2, -0.2 + high / 2)))
    return bodies + [_box("lamp", (0.3, 0.3, 0.1), (x, y + dice.uniform(-0.3, 0.3), 0.9))]


def slot(dice):
    x, gap, high = dice.uniform(0.65, 0.8), dice.uniform(0.3, 0.4), dice.uniform(0.2, 0.5)
    return [_box("below", (0.04, 2.4, 1.0), (x, 0, high - gap / 2 - 0.5)), _box("above", (0.04, 2.4, 0.8), (x, 0, high + gap / 2 + 0.4)),
            {"name": "floor", "half_space": {"normal": [0, 0, 1], "offset": -0.6}}]


SORTS = {"shelf": shelf, "fixture": fixture, "bin": bin_, "slot": slot}


def cell_of(number):
    """One of 30."""
    dice = random.Random(f"cell {number}")
    sort = list(SORTS)[number % 4]
    return {"name": f"{sort}-{number}", "bodies": SORTS[sort](dice)}
