"""Fixtures for every suite. `server` is shared by a whole run (use unique_name()); `fresh_server` is a test's own."""

import os
import random

import pytest

from support import Server, disk

SANITIZED = os.environ.get("ARMDYN_VARIANT", "release") != "release"


@pytest.fixture(scope="session")
def server():
    with Server() as shared:
        yield shared


@pytest.fixture
def client(server):
    with server.client() as connection:
        yield connection


@pytest.fixture
def fresh_server():
    with Server() as own:
        yield own


@pytest.fixture(scope="module")
def telling():
    """A server that tells webhooks on loopback, and soon again."""
    with Server("--webhook-networks", "127.0.0.0/8", "--webhook-retry", 1) as server:
        yield server


@pytest.fixture
def small_disk(request):
    """A file system of the test's own, of 3 MB unless it says otherwise (indirect)."""
    with disk.small_disk(getattr(request, "param", "3m")) as directory:
        yield directory


@pytest.fixture
def make_server():
    """make_server(*flags, **options) starts servers that end with the test."""
    started = []

    def make(*flags, **options):
        started.append(Server(*flags, **options))
        return started[-1]
    yield make
    for one in reversed(started):
        one.close()


def pytest_collection_modifyitems(config, items):
    """Under a sanitizer one case of every test that is marked `sampled`, drawn by ARMDYN_SEED."""
    tests = {}
    for item in items:
        if SANITIZED and item.get_closest_marker("sampled"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    seed = os.environ.get("ARMDYN_SEED", "0")
    drawn = {name: random.Random(seed + name).choice(cases) for name, cases in tests.items()}
    left_out = [item for name, cases in tests.items() for item in cases if item is not drawn[name]]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test shows the end of its servers' logs."""
    report = (yield).get_result()
    if report.when == "call" and report.failed:
        for name, value in getattr(item, "funcargs", {}).items():
            if isinstance(value, Server):
                report.sections.append((f"log of {name}", value.log(6000)))
