"""The loop closed: a motion designed for identification is played on a controller to its end, what was measured meanwhile is
a data set, and the arm's friction, which nobody had told, comes out of it."""

import pytest

from cell import Cell, simulated
from support import Server, robot

SECONDS, RATE = 10, 200


def told():
    """The model that the service has: masses from a drawing, and no friction."""
    arm = robot("scara")
    for joint in arm["joints"]:
        joint["link"]["mass"] *= 1.1
        joint["friction"] = {}
    return arm


def done(client, path, request):
    """The result of a job."""
    job = client.wait_job(client.post(path, request, headers={"Prefer": "wait=60"}), 240)
    assert job["state"] == "succeeded", job["problem"]
    return client.get(job["result"]["href"]).expect(200).json


@pytest.mark.slow
def test_an_excitation_is_played_and_tells_the_friction():
    truth = robot("scara")
    with Server() as server, simulated(robot=truth) as sim:
        here = Cell(server, sim, told(), telemetry_rate=RATE)
        place = f"/v1/robots/{here.robot}"
        motion = done(here.client, place + "/excitations",
                      {"duration": SECONDS, "harmonics": 3, "base_frequency_hz": 0.2, "population": 10, "generations": 10})
        assert motion["transferable"] is True
        transfer = here.playing(motion["id"], rate=500)
        here.reach(transfer, "done", timeout=120)
        dataset = here.client.get(here.get(transfer)["telemetry"]).expect(200).json
        if dataset["samples"] < SECONDS * RATE / 2:
            pytest.skip(f"this machine measured {dataset['samples']} times only")
        # j4 is light, so its drive's loop is soft: at every reversal it sticks for 20 to 40 ms, of which the filtered velocity
        # shows nothing, and least squares take what holds it there for viscous friction (a quarter more). That is what a
        # robust estimator is for.
        found = done(here.client, place + "/identifications", {"datasets": [dataset["id"]], "rotor_inertia": True, "estimator": "irls",
                                                               "friction": ["offset", "coulomb", "viscous"]})
        assert found["errors"]["training"]["filtered"]["relative_percent"] < 10
        for friction, joint in zip(found["parameters"]["friction"], truth["joints"]):
            assert friction["coulomb"] == pytest.approx(joint["friction"]["coulomb"], rel=0.05), joint["name"]
            # of the least of all three deviations are a fifth
            assert friction["viscous"] == pytest.approx(joint["friction"]["viscous"], rel=0.2 if joint["name"] == "j4" else 0.1), joint["name"]
