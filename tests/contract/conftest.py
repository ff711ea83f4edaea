"""Fixtures of several files about the contract."""

import pytest

from support import Server, rotating_slide, unique_name, vector_sets


@pytest.fixture
def arm(client):
    """A new robot: the slide on a turning joint, its masses a fifth too large."""
    return rotating_slide.robot(client)


@pytest.fixture(scope="module")
def one_worker():
    """A server with one worker, so that its jobs wait for each other."""
    with Server("--workers", 1) as own:
        yield own


@pytest.fixture(scope="module")
def path(server):
    """path(name): where the robot of a set of vectors is; stored once."""
    stored, sets = {}, dict(vector_sets())

    def of(name):
        if name not in stored:
            stored[name] = "/v1/robots/" + unique_name("vectors")
            with server.client() as client:
                client.create_robot(sets[name]["robot"], name=stored[name].rsplit("/", 1)[1])
        return stored[name]
    return of
