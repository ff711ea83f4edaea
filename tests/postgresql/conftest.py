"""Fixtures of the tests that are about PostgreSQL itself; they bring their own, whatever ARMDYN_TEST_STORE says."""

import pytest

from support import Server, postgresql


def pytest_collection_modifyitems(items):
    for item in items:
        if not postgresql.programs():
            item.add_marker(pytest.mark.skip(reason="PostgreSQL is not installed"))


@pytest.fixture
def cluster():
    """A PostgreSQL that the test may stop and start, whose commits are durable."""
    with postgresql.Cluster(fsync="on", full_page_writes="on") as own:
        yield own


@pytest.fixture
def serve():
    """serve(address, *flags) starts nodes that end with the test."""
    started = []

    def start(address, *flags, **options):
        started.append(Server(*flags, env={"ARMDYN_STORE": address, **options.pop("env", {})}, **options))
        return started[-1]
    yield start
    for one in reversed(started):
        one.close()
