"""Logs of arms: simulated ones whose truth is known, and the measured ones beside the tree."""

import csv
import math
import os
import pathlib
import random

from .process import ROOT

MEASURED = pathlib.Path(os.environ.get("ARMDYN_SHARED_DATA", ROOT.parent / "shared" / "data"))


def sums_of_sines(joints, seed, seconds, rate, amplitudes):
    """Positions, velocities and accelerations: five incommensurable sines a joint, different for every seed."""
    dice = random.Random(seed)
    waves = [[(a * dice.uniform(0.4, 1) / (k + 1), 2 * math.pi * 0.12 * (k + 1 + 0.17 * j), dice.uniform(-3, 3)) for k in range(5)]
             for j, a in zip(range(joints), amplitudes)]
    times = [k / rate for k in range(int(seconds * rate))]
    q = [[sum(a * math.sin(w * t + p) for a, w, p in wave) for wave in waves] for t in times]
    qd = [[sum(a * w * math.cos(w * t + p) for a, w, p in wave) for wave in waves] for t in times]
    qdd = [[-sum(a * w * w * math.sin(w * t + p) for a, w, p in wave) for wave in waves] for t in times]
    return times, q, qd, qdd


def simulated(client, robot, seed=1, seconds=12, rate=250, amplitudes=(1.0, 1.0, 0.08, 1.5), encoder=1e-5, torque=0.01):
    """The log of a motion of a stored robot, its torques by its own inverse dynamics, with noise of the encoders [rad] and of
    the torques (relative to their rms): lists of rows t, q.., tau.. ."""
    dice = random.Random(1000 + seed)
    times, q, qd, qdd = sums_of_sines(len(amplitudes), seed, seconds, rate, amplitudes)
    tau = client.post(f"/v1/robots/{robot}/inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd}, check=False).expect(200).json["tau"]
    rms = [math.sqrt(sum(row[j] ** 2 for row in tau) / len(tau)) for j in range(len(amplitudes))]
    return [[t, *(x + dice.gauss(0, encoder) for x in a), *(x + dice.gauss(0, torque * r) for x, r in zip(b, rms))]
            for t, a, b in zip(times, q, tau)]


def columns(joints):
    return ["t", *(f"q{j + 1}" for j in range(joints)), *(f"tau{j + 1}" for j in range(joints))]


def csv_text(rows):
    joints = (len(rows[0]) - 1) // 2
    return ",".join(columns(joints)) + "\n" + "\n".join(",".join(repr(float(x)) for x in row) for row in rows) + "\n"


def upload(client, robot, log, label=""):
    """Keep a log, rows or their csv_text(), as a data set; its id."""
    text = log if isinstance(log, str) else csv_text(log)
    return client.post(f"/v1/robots/{robot}/datasets", body=text, content_type="text/csv", query={"label": label},
                       check=False).expect(201).json["id"]


def measured(name, joints, skipped=0):
    """Rows t, q.., tau.. of a measured log (CSV with `skipped` columns between); None when it is not there."""
    path = MEASURED / name
    if not path.exists():
        return None
    with open(path, newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [[float(x) for x in row[:1 + joints] + row[1 + joints + skipped:1 + 2 * joints + skipped]] for row in rows]


LWR_CONDITIONING = {"position_cutoff_hz": 8, "torque_cutoff_hz": 8, "trim": 2.5}


def upload_lwr(client, name):
    """(name, ids of m1, m2, m3) of the KUKA LWR4+ logs, whose URDF becomes the robot, its friction left to be found; None
    when they are not there."""
    logs = [measured(f"kuka_lwr4/m{k}.csv", 7) for k in (1, 2, 3)]
    if None in logs:
        return None
    client.post("/v1/robots", body=(MEASURED / "kuka_lwr4" / "kuka_lwr4.urdf").read_text(), content_type="application/xml",
                query={"name": name, "allow_unphysical": "true"}).expect(201)
    model = client.get(f"/v1/robots/{name}").expect(200)
    for joint in model.json["joints"]:
        joint.pop("friction", None)
    client.put(f"/v1/robots/{name}", model.json, headers={"If-Match": model.etag}, query={"allow_unphysical": "true"}).expect(200)
    return name, [upload(client, name, log, f"m{k + 1}") for k, log in enumerate(logs)]
