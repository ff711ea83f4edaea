"""Fixtures of the files about controllers."""

import pytest

from support import Server


@pytest.fixture(scope="module")
def shared():
    """A file's own, for what its controllers do is told by all of a server's lists and figures."""
    with Server() as own:
        yield own
