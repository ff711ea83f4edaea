"""Stores with thousands of results, written past the service while it is down."""

import json
import sqlite3


def motion_summary(k):
    return {"method": "quintic", "metrics": {"duration": k % 977 / 7, "energy": k * 7919 % 10007, "cost": k * 31 % 1009 if k % 3 else None, "minimum_duration": k / 3}}


def run_summary(k):
    """As of an identification of four joints."""
    error = k * 7919 % 10007 / 100
    figures = {"raw.relative_percent": error, "filtered.relative_percent": error / 2,
               **{f"filtered.relative_percent.{j}": error / 2 + j for j in range(1, 5)}}
    return {"estimator": ("ols", "wls", "consistent")[k % 3], "datasets": [f"01G{k % 7:023d}"], "validation": [],
            "metrics": {**{f"{role}.{name}": value for role in ("training", "validation") for name, value in figures.items()},
                        "condition_number": 10 + k % 977, "base_parameter_count": 24, "training_samples": 3000 + k}}


def fill(directory, count, kind="trajectory", summary=motion_summary):
    """`count` results of the store's first robot; the k-th has the tag part=A<k % 100>."""
    db = sqlite3.connect(directory / "armdyn.db")
    db.execute("PRAGMA cache_size = -500000")  # kB: the indexes, which all of the rows go into
    db.execute("BEGIN")
    name = db.execute("SELECT name FROM robots").fetchone()[0]
    for k in range(count):
        id, job = f"01J{k:023d}", f"01H{k:023d}"
        tags = json.dumps({"part": f"A{k % 100}"})
        at = f"2026-01-{1 + k // 3600 % 28:02d}T{k // 60 % 24:02d}:{k % 60:02d}:00.000Z"
        db.execute("INSERT INTO jobs (id, kind, robot, revision, state, created_at, started_at, finished_at, request, tags, attempts)"
                   " VALUES (?, ?, ?, 1, 'succeeded', ?, ?, ?, '{}', ?, '[]')", (job, kind, name, at, at, at, tags))
        db.execute("INSERT INTO results (id, kind, job, robot, revision, created_at, tags, summary, notes)"
                   " VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?)", (id, kind, job, name, at, tags, json.dumps(summary(k)), "a note of some length " * 8))
        db.execute("INSERT INTO result_documents VALUES (?, '{}')", (id,))
    db.commit()
    db.close()
