"""A part of the store that cannot be read: who needs it is told so, nothing falls, and when it is back, so is the service."""

import collections
import contextlib
import http.client
import os
import random
import sqlite3

from support import ControllerSim, Server, until
from support.world import OPERATIONS, World

SOAK = os.environ.get("ARMDYN_SOAK", "0") != "0"
VARIANT = os.environ.get("ARMDYN_VARIANT", "release")
CALLS = len(OPERATIONS) // (1 if SOAK else {"release": 4, "asan": 8, "tsan": 24}[VARIANT])  # while a table is away; races hang on no one call


@contextlib.contextmanager
def database(server):
    with contextlib.closing(sqlite3.connect(server.database, timeout=60, isolation_level=None)) as db:
        db.execute("PRAGMA legacy_alter_table = ON")  # nothing else is told of the new name
        yield db


def tables(server):
    with database(server) as db:
        return [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]


@contextlib.contextmanager
def away(server, table):
    with database(server) as db:
        db.execute(f"ALTER TABLE {table} RENAME TO {table}_away")
    yield
    with database(server) as db:
        db.execute(f"ALTER TABLE {table}_away RENAME TO {table}")


def fails(world, operation):
    """Is the answer a failure, or broken off after it had begun?"""
    try:
        return world.call(*operation)[1] >= 500
    except http.client.IncompleteRead:
        return True


def test_every_call_without_every_table():
    chance = random.Random(5)
    with Server(key="a-key-of-an-administrator") as server, ControllerSim("--axes", 2) as controller:
        world, failed, pid = World(server, controller, chance), collections.Counter(), server.pid
        for table in tables(server):
            world.failing = True
            with away(server, table):
                for operation in chance.sample(OPERATIONS, CALLS):
                    failed[table] += fails(world, operation)
            world.failing = False
            world.tidy()
        world.end_jobs()
        assert server.running and server.pid == pid
        until(lambda: world.client.get("/readyz").status == 200)  # a worker whose job was cancelled may be on its way back
        for _ in range(CALLS):
            world.ask()
        assert server.terminate() == 0
    assert sum(count > 0 for count in failed.values()) > len(failed) / {"release": 2, "asan": 4, "tsan": 8}[VARIANT], failed
