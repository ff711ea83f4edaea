"""Fixtures for every suite. `server` is shared by a whole run (use unique_name()); `fresh_server` is a test's own."""

import pytest

from support import Server


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
def make_server():
    """make_server(*flags, **options) starts servers that end with the test."""
    started = []

    def make(*flags, **options):
        started.append(Server(*flags, **options))
        return started[-1]
    yield make
    for one in reversed(started):
        one.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test shows the end of its servers' logs."""
    report = (yield).get_result()
    if report.when == "call" and report.failed:
        for name, value in getattr(item, "funcargs", {}).items():
            if isinstance(value, Server):
                report.sections.append((f"log of {name}", value.log(6000)))
