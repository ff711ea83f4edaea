"""Stores with thousands of orders that have ended, written past the service while it is down."""

import contextlib
import json
import sqlite3

MIX = ("done",) * 17 + ("stopped", "failed", "interrupted")
CONTROLLERS = 10


def stamp(k, more=0.0):
    """Three a minute, from the new year on; `more` seconds later."""
    seconds = 20 * k + more
    minute, second = divmod(seconds, 60)
    hour, minute = divmod(int(minute), 60)
    day, hour = divmod(hour, 24)
    return f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}T{hour:02d}:{minute:02d}:{second:06.3f}Z"


def row(k):
    request = {"controller": f"cell-{k % CONTROLLERS}", "to": {"q": [0.02, 0.02, 0.02, 0.02]}, "duration": 1.2, "start": "on_request",
               "job_order_id": f"JO-{k // 50}", "work_master_id": f"WM-{k % 7}", "equipment_id": f"E-{k % CONTROLLERS}"}
    history = [{"state": state, "at": stamp(k, since), "reason": None}
               for since, state in enumerate(("accepted", "planning", "queued", "loading", "ready", "running", MIX[k % len(MIX)]))]
    plan = {"start": [0.0] * 4, "end": [0.02] * 4, "duration": 1.2, "mechanical_energy_modelled": 12.5,
            "electrical_energy_modelled": None, "electrical_energy_bound_modelled": None, "warnings": []}
    return (f"01K{k:023d}", f"cell-{k % CONTROLLERS}", MIX[k % len(MIX)], k % 3, stamp(k), stamp(k, 5), stamp(k, 6), f"01T{k:023d}",
            json.dumps(request), json.dumps({"part": f"A{k % 100}"}), json.dumps(history), json.dumps(plan))


def fill(directory, count):
    """`count` orders of ten controllers, fifty of each job order, 85 % done, the others ended otherwise in equal parts."""
    with contextlib.closing(sqlite3.connect(directory / "armdyn.db")) as db, db:
        db.executemany("INSERT INTO orders (id, controller, state, priority, automatic, created_by, created_by_name, created_at, started_at,"
                       " finished_at, transfer, request, tags, history, plan) VALUES (?, ?, ?, ?, 0, 'key', 'key', ?, ?, ?, ?, ?, ?, ?, ?)",
                       map(row, range(count)))
