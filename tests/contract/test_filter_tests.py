"""Are the cut-offs of an identification right? The test of Durbin, Wu and Hausman over HTTP."""

import pytest

from support import contract, rotating_slide, unique_name
from support.logs import csv_text, upload
from support.spoken import spoken

pytestmark = pytest.mark.skipif("/v1/robots/{robot}/identifications" not in contract.document()["paths"], reason="this build takes no data sets")
LAWS = [{"coulomb": c, "viscous": v, "ripple": None} for c, v in ((0.6, 2.5), (0.8, 20.0))]


@pytest.fixture
def arm(client):
    name = unique_name()
    client.create_robot(rotating_slide.model(name, wrong=1.2))
    rows, _ = rotating_slide.log(41, LAWS, seconds=40, rate=250, times=1.5, encoder=2e-6, noise=0.02)
    return name, upload(client, name, csv_text(rows))


def identify(client, arm, **cutoffs):
    name, log = arm
    return client.result_of(f"/v1/robots/{name}/identifications", {
        "datasets": [log], "friction": ["coulomb", "viscous"], "rotor_inertia": True, "test_filters": True, "conditioning": cutoffs})


@pytest.mark.slow
def test_a_cut_off_that_takes_off_the_motion_is_found(client, arm):
    """The default is sound; a cut-off within the motion is not, and the report says so. Instruments have a cut-off of their own."""
    plain = identify(client, arm)
    cutoff = plain["conditioning"]["position_cutoff_hz"]
    sound = plain["filter_test"]
    assert not sound["rejected"] and sound["p"] > 0.01, sound
    assert sound["instruments"] == "filtered_path" and sound["instrument_cutoff_hz"] <= cutoff / 1.49
    assert sound["numerator"] == 2 and [joint["joint"] for joint in sound["joints"]] == [joint["name"] for joint in rotating_slide.model("x")["joints"]]
    low = identify(client, arm, position_cutoff_hz=cutoff / 10, torque_cutoff_hz=plain["conditioning"]["torque_cutoff_hz"])
    assert low["filter_test"]["rejected"] and low["filter_test"]["p"] < 1e-3, low["filter_test"]
    assert low["filter_test"]["instrument_cutoff_hz"] == pytest.approx(sound["instrument_cutoff_hz"])
    told, _ = spoken(client, f"/v1/identifications/{low['id']}/report")
    assert "Hausman" in told and "not sound" in told
    assert "filter_test" not in client.result_of(f"/v1/robots/{arm[0]}/identifications", {"datasets": [arm[1]], "friction": ["coulomb"]})


def test_it_is_of_the_arm_alone(client, arm):
    request = {"datasets": [arm[1]], "identify": "payload", "estimator": "wls", "test_filters": True}
    errors = client.post(f"/v1/robots/{arm[0]}/identifications", request).expect(422).json["errors"]
    assert [error["pointer"] for error in errors] == ["/test_filters"]
