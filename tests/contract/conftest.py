"""Fixtures of several files about the contract."""

import pytest

from support import rotating_slide


@pytest.fixture
def arm(client):
    """A new robot: the slide on a turning joint, its masses a fifth too large."""
    return rotating_slide.robot(client)
