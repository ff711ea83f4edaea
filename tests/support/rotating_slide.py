"""A slide on a turning joint whose torques follow from two closed formulas, with a friction law of its own: what an
identification is held against that shares no code with it.

Joint 1 turns about a horizontal axis, joint 2 slides along the arm, both centres of mass lie on it. With r the distance of
the slide's centre from the axis, J the inertia of the arm about it and q = 0 hanging down:

    tau1 = (J + m2 r^2) q1'' + 2 m2 r r' q1' + (s1 + m2 r) g sin q1
    tau2 = m2 r'' - m2 r q1'^2 - m2 g cos q1
"""

import math
import random

from . import unique_name

G = 9.81
ARM = {"m1": 6.0, "l1": 0.3, "I1": 0.4, "m2": 3.0, "c2": 0.1, "I2": 0.02}
# Base parameters of links, about the axis of joint 1 and the origin of joint 2.
BASE = {"turn.mx": 0, "turn.mz": ARM["m1"] * ARM["l1"], "slide.m": ARM["m2"], "slide.mx": 0, "slide.mz": ARM["m2"] * ARM["c2"],
        "slide.Iyy + turn.Iyy": ARM["I1"] + ARM["m1"] * ARM["l1"] ** 2 + ARM["I2"] + ARM["m2"] * ARM["c2"] ** 2}


def model(name, wrong=1.0):
    """The arm as a robot, its masses times `wrong`, without friction."""
    m1, m2 = ARM["m1"] * wrong, ARM["m2"] * wrong
    return {"name": name, "convention": "dh", "gravity": [0, -G, 0], "joints": [
        {"name": "turn", "type": "revolute", "a": 0, "alpha": math.pi / 2, "d": 0,
         "limits": {"position": [-3, 3], "velocity": 12, "acceleration": 200, "torque": 400},
         "link": {"mass": m1, "com": [0, 0, ARM["l1"]], "inertia": {"xx": ARM["I1"] * wrong, "yy": ARM["I1"] * wrong, "zz": 0.05 * wrong}}},
        {"name": "slide", "type": "prismatic", "a": 0, "alpha": 0, "theta": 0, "drive": {"gear_ratio": 1},
         "limits": {"position": [0, 1], "velocity": 4, "acceleration": 100, "torque": 400},
         "link": {"mass": m2, "com": [0, 0, ARM["c2"]], "inertia": {"xx": ARM["I2"] * wrong, "yy": ARM["I2"] * wrong, "zz": 0.01 * wrong}}}]}


def friction(seed, **forced):
    """Two joints' friction, drawn by the seed. Ripples have their order in periods per rad (m) of the joint over 2 pi, its
    gear ratio being 1: 50 to 200 a turn."""
    dice = random.Random(7000 + seed)
    drawn = []
    for coulomb, viscous, fastest in ((6.0, 2.5, 2.0), (8.0, 20.0, 0.5)):
        c = coulomb * dice.uniform(0.7, 1.4)
        f = {"coulomb": c, "viscous": viscous * dice.uniform(0.7, 1.4), "stiction": c * dice.uniform(1.4, 2.0),
             "exponent": dice.choice((1, 2)), "velocity": fastest * dice.uniform(0.05, 0.15),
             "ripple": (c * dice.uniform(0.15, 0.3), dice.uniform(50, 200) if fastest > 1 else dice.uniform(60, 300), dice.uniform(0, 6))}
        f.update(forced)
        drawn.append(f)
    return drawn


def friction_torque(f, q, v):
    sign = (v > 0) - (v < 0)
    coulomb = f["coulomb"] if v >= 0 else f.get("coulomb_negative", f["coulomb"])
    viscous = f["viscous"] if v >= 0 else f.get("viscous_negative", f["viscous"])
    excess = (f["stiction"] - coulomb) * math.exp(-(abs(v) / f["velocity"]) ** f["exponent"]) if f.get("stiction") else 0
    amplitude, order, phase = f["ripple"] or (0, 0, 0)
    return (coulomb + excess) * sign + viscous * v + amplitude * math.sin(order * q + phase)


def motion(dice, times=1.0):
    """q, q' and q'' of both joints as a function of the time: sums of four waves each, `times` as fast as the slowest."""
    waves = []
    for amplitude in (0.8, 0.16):
        waves.append([(amplitude * dice.uniform(0.5, 1) / (k + 1) ** 0.7, times * 2 * math.pi * (0.07 + 0.11 * k + dice.uniform(0, 0.05)),
                       dice.uniform(-3, 3)) for k in range(4)])

    def at(t):
        q, v, a = ([sum(f(A, w, w * t + p) for A, w, p in wave) for wave in waves] for f in (
            lambda A, w, x: A * math.sin(x), lambda A, w, x: A * w * math.cos(x), lambda A, w, x: -A * w * w * math.sin(x)))
        return [q[0], q[1] + 0.5], v, a
    return at


def log(seed, laws, seconds=40, rate=500, times=1.0, encoder=2e-6, noise=0.01, coupling=0):
    """(rows t, q1, q2, tau1, tau2; |noise| / |tau| of each joint): the motion of the seed. `coupling`: the motor of the slide turns
    by q2 + coupling q1, and its friction acts there."""
    dice = random.Random(seed)
    at = motion(dice, times)
    rows = []
    for k in range(int(seconds * rate)):
        t = k / rate
        q, v, a = at(t)
        r = q[1] + ARM["c2"]
        J = ARM["I1"] + ARM["m1"] * ARM["l1"] ** 2 + ARM["I2"]
        m2 = ARM["m2"]
        tau = [(J + m2 * r * r) * a[0] + 2 * m2 * r * v[1] * v[0] + (ARM["m1"] * ARM["l1"] + m2 * r) * G * math.sin(q[0]),
               m2 * a[1] - m2 * r * v[0] ** 2 - m2 * G * math.cos(q[0])]
        turned, slid = (friction_torque(f, p, s) for f, p, s in ((laws[0], q[0], v[0]), (laws[1], q[1] + coupling * q[0], v[1] + coupling * v[0])))
        rows.append((t, *q, tau[0] + turned + coupling * slid, tau[1] + slid))
    rms = [math.sqrt(sum(row[3 + j] ** 2 for row in rows) / len(rows)) for j in range(2)]
    noisy = [[row[0], *(x + dice.gauss(0, encoder) for x in row[1:3]), *(x + dice.gauss(0, noise * r) for x, r in zip(row[3:], rms))] for row in rows]
    return noisy, noise


# -- it at a service --

TERMS = ["offset", "coulomb", "viscous"]


def robot(client, wrong=1.2):
    """The name of a new robot that is the arm."""
    name = unique_name()
    client.create_robot(model(name, wrong))
    return name


def identify(client, name, sets, **request):
    """An identification from data sets, of what plain friction has unless it says otherwise."""
    return client.result_of(f"/v1/robots/{name}/identifications", {"datasets": sets, "friction": TERMS, **request})


def raw_percent(found, joint=None):
    """The error of its validation, of a joint or of all."""
    raw = found["errors"]["validation"]["raw"]
    return (raw if joint is None else raw["joints"][joint])["relative_percent"]
