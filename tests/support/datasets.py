"""An arm of a turning and a sliding joint, and logs of its motion that nobody measured."""

import numpy as np

BODY = {"mass": 3, "com": [-0.1, 0, 0], "inertia": {"xx": 0.01, "yy": 0.03, "zz": 0.03}}
ARM = {"name": "arm", "convention": "dh", "joints": [
    {"name": "turn", "type": "revolute", "a": 0.4, "alpha": 0, "d": 0, "link": BODY,
     "limits": {"torque": 80}, "drive": {"gear_ratio": -50, "torque_constant": 0.125}},
    {"name": "slide", "type": "prismatic", "a": 0, "alpha": 0, "theta": 0, "link": BODY,
     "drive": {"gear_ratio": 512, "torque_constant": 0.25}}]}
NAMES = ["t", "q1", "q2", "tau1", "tau2"]


def a_log(count=500, rate=1000, start=0.0, seed=1):
    """count x 5: t, q1, q2, tau1, tau2; every torque has noise of its own."""
    t = start + np.arange(count) / rate
    q = np.column_stack([0.8 * np.sin(2.1 * t + 0.3), 0.2 * np.sin(3.3 * t)])
    tau = np.column_stack([4 * np.cos(2.1 * t), 9.81 + np.sin(3.3 * t)]) + np.random.default_rng(seed).normal(0, 0.1, (count, 2))
    return np.column_stack([t, q, tau])


def as_csv(table, names=NAMES, end="\n"):
    """Every number as Python writes it, which is exact."""
    return end.join([",".join(names), *(",".join(map(repr, row)) for row in np.asarray(table).tolist())]) + end


def upload(client, place, body, kind="text/csv", **options):
    return client.post(place + "/datasets", body=body, content_type=kind, **options)


def series_rows(server):
    """How many series and chunks the store of a server holds, asked of its database."""
    import sqlite3
    db = sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)
    try:
        return tuple(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("series", "series_chunks"))
    finally:
        db.close()
