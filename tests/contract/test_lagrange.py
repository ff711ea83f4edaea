"""Random arms with everything that a model can have, against Lagrange's equations (tests/support/lagrange.py)."""

import os
import random

import numpy as np
import pytest

from support import unique_name
from support.lagrange import Arm

SIZES = [1, 2, 5] + ([3, 7, 16] if os.environ.get("ARMDYN_SOAK") else [])
CASES = [(convention, n, coupled) for convention in ("dh", "mdh", "frames") for n in SIZES for coupled in (False, True)]


def numbers(chance, count, most):
    return [chance.uniform(-most, most) for _ in range(count)]


def body(chance, size):
    """A possible one: the moments of a few points."""
    points = [(chance.uniform(0.1, 1), np.array(numbers(chance, 3, size))) for _ in range(5)]
    mass = sum(m for m, _ in points)
    centre = sum(m * x for m, x in points) / mass
    S = sum(m * np.outer(x - centre, x - centre) for m, x in points)
    I = np.trace(S) * np.eye(3) - S
    return {"mass": mass, "com": list(centre),
            "inertia": {"xx": I[0, 0], "yy": I[1, 1], "zz": I[2, 2], "xy": I[0, 1], "xz": I[0, 2], "yz": I[1, 2]}}


def friction(chance):
    coulomb = chance.choice([0, chance.uniform(0, 3), {"positive": chance.uniform(0, 3), "negative": chance.uniform(0, 3)}])
    terms = {"offset": chance.uniform(-1, 1), "coulomb": coulomb, "viscous": {"positive": chance.uniform(0, 3), "negative": 0.5},
             "high_speed": chance.uniform(-0.1, 0.1), "sublinear": 0.3, "load": chance.uniform(0, 0.4),
             "position": [{"amplitude": 0.7, "order": chance.uniform(0.5, 4), "phase": chance.uniform(0, 6)}]}
    if chance.random() < 0.5:
        terms |= {"stiction": 4, "stribeck_velocity": 0.2, "stribeck_exponent": chance.uniform(0.6, 2)}
    return {name: terms[name] for name in terms if chance.random() < 0.8 or name.startswith("stri")}


def joint(chance, convention, size):
    out = {"type": chance.choice(["revolute", "revolute", "prismatic"]), "offset": chance.uniform(-0.5, 0.5), "link": body(chance, size),
           "velocity_scale": chance.choice([1e-3, 0.1]), "friction": friction(chance),
           "drive": {"rotor_inertia": chance.choice([0, 1e-5, 2e-4]), "gear_ratio": chance.choice([-1, 1]) * chance.uniform(1, 150)}}
    if convention == "frames":
        return {**out, "frame": {"translation": numbers(chance, 3, size), "rpy": numbers(chance, 3, 3)},
                "axis": chance.choice([numbers(chance, 3, 1), [0, 0, -1], [0, 1, 0]])}
    return {**out, "a": chance.choice([0, chance.uniform(-size, size)]), "alpha": chance.choice([0, np.pi / 2, -np.pi, chance.uniform(-3, 3)]),
            "d": chance.uniform(-size, size), "theta": chance.uniform(-3, 3)}


def random_model(chance, convention, n, coupled):
    model = {"convention": convention, "gravity": numbers(chance, 3, 10), "joints": [joint(chance, convention, 2 / (n + 1)) for _ in range(n)],
             "tool": {"translation": numbers(chance, 3, 0.3), "rpy": numbers(chance, 3, 3)}, "payload": body(chance, 0.1)}
    if coupled:
        model["transmission"] = {"matrix": [[chance.uniform(20, 90) if i == j else chance.uniform(-9, 9) / n for j in range(n)] for i in range(n)]}
    return model


def states(chance, n):
    """One in motion, one where every other joint is at rest, one at rest."""
    at = lambda most: [numbers(chance, n, most) for _ in range(3)]
    q, qd, qdd = at(3), at(2), at(5)
    return q, [qd[0], [v * (i % 2) for i, v in enumerate(qd[1])], [0.0] * n], qdd


def same(got, expected, most=1e-9, size=1e-3):
    got, expected = np.array(got), np.array(expected)
    assert np.abs(got - expected).max() <= most * max(np.abs(expected).max(), size), (got, expected)


@pytest.mark.sampled
@pytest.mark.parametrize("convention, n, coupled", CASES)
def test_every_cause(client, convention, n, coupled):
    chance = random.Random(f"{convention} {n} {coupled} {os.environ.get('ARMDYN_SEED', '')}")
    model = random_model(chance, convention, n, coupled)
    url = client.post("/v1/robots", {**model, "name": unique_name("lagrange")}).expect(201).headers["Location"]
    q, qd, qdd = states(chance, n)
    wrench, frame = numbers(chance, 6, 30), chance.choice(["tool", "base"])
    load = {"wrench": wrench, "wrench_frame": frame}
    changes = {"gravity": numbers(chance, 3, 10), "payload": body(chance, 0.2),
               "tool": {"translation": numbers(chance, 3, 0.3), "rpy": numbers(chance, 3, 3)}}
    for override in ({}, changes):
        arm = Arm({**model, **override})
        ask = lambda call, body: client.post(f"{url}/{call}", {**body, **override}).expect(200).json
        parts = [arm.causes(*state, wrench, frame == "base") for state in zip(q, qd, qdd)]
        answer = ask("inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd, "decompose": True, **load})
        for cause in ("inertial", "coriolis", "gravity", "friction", "external", "tau", "motor"):
            for got, part in zip(answer[cause], parts):
                same(got, part[cause], 1e-8, size=np.abs(part["tau"]).max())
        tau = [list(part["tau"]) for part in parts]
        M = [arm.mass_matrix(np.array(x)) for x in q]
        same(ask("mass-matrix", {"q": q})["mass_matrix"], M)
        thick = [np.linalg.cond(m) < 1e6 for m in M]  # else the differences' own error is all that comes back
        for method in ("aba", "crba", "gauss"):
            back = ask("forward-dynamics", {"q": q, "qd": qd, "tau": tau, "method": method, **load})["qdd"]
            for k in range(3):
                if thick[k]:
                    same(back[k], qdd[k], 1e-5)
        energy = ask("energy", {"q": q, "qd": qd})
        same(energy["kinetic"], [arm.kinetic(np.array(x), np.array(v)) for x, v in zip(q, qd)])
        same(energy["potential"], [arm.potential(np.array(x)).real for x in q])
        same(ask("forward-kinematics", {"q": q})["tool"], [arm.frames(np.array(x))[-1].real for x in q])
