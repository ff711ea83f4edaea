"""A pendulum test through the service: a bar's inertia from its period, with what the times scatter by."""

import math

import pytest

G, MASS, LENGTH = 9.81, 2.5, 0.6
SMALL = 2 * math.pi * math.sqrt(2 * LENGTH / (3 * G))  # of a bar hung at its end
BAR = {"mass": MASS, "distance": LENGTH / 2, "swings": 20, "times": [20 * SMALL], "amplitude_first": 1e-6, "amplitude_last": 1e-6}


def test_a_bar_has_its_inertia(client):
    found = client.post("/v1/pendulum-tests", BAR).expect(200).json
    assert found["inertia_com"]["value"] == pytest.approx(MASS * LENGTH ** 2 / 12, rel=1e-10)
    assert found["inertia_axis"] == {"value": pytest.approx(MASS * LENGTH ** 2 / 3, rel=1e-10), "deviation": 0}
    assert (found["damping"], found["viscous"], found["coulomb"]) == (0, 0, 0)


def test_times_that_scatter_make_a_deviation(client):
    times = [20 * SMALL + change for change in (-0.02, 0.02, 0.0)]
    found = client.post("/v1/pendulum-tests", {**BAR, "times": times}).expect(200).json
    assert found["time"]["deviation"] == pytest.approx(0.02 / math.sqrt(3), rel=1e-9)
    expected = 2 * (MASS * LENGTH ** 2 / 3) * found["time"]["deviation"] / (20 * SMALL)
    assert found["inertia_com"]["deviation"] == pytest.approx(expected, rel=1e-6) and found["shares"]["times"] == pytest.approx(1, rel=1e-9)
    stated = client.post("/v1/pendulum-tests", {**BAR, "times": times, "time_deviation": 0.03}).expect(200).json
    assert stated["time"]["deviation"] == pytest.approx(0.03 / math.sqrt(3), rel=1e-12)


def test_a_dry_decay_is_a_torque(client):
    """What the height loses, over the way: four amplitudes a swing."""
    found = client.post("/v1/pendulum-tests", {**BAR, "amplitude_first": 0.2, "amplitude_last": 0.12, "decay": "dry"}).expect(200).json
    assert found["coulomb"] == pytest.approx(MASS * G * LENGTH / 2 * (math.cos(0.12) - math.cos(0.2)) / (20 * 4 * 0.16), rel=1e-9) and found["damping"] == 0


@pytest.mark.parametrize("change, pointer, code", [
    ({"mass": -1}, "/mass", "minimum"), ({"mass": 5e-324}, "/mass", "minimum"), ({"gravity": 1e300}, "/gravity", "maximum"), ({"mass": {"value": 1}}, "/mass/deviation", "required"), ({"times": []}, "/times", "length"),
    ({"times": [1.0]}, "/times", "inconsistent"), ({"amplitude_last": 0.5}, "/amplitude_last", "inconsistent"),
    ({"decay": "square"}, "/decay", "enum"), ({"swings": 0}, "/swings", "minimum"), ({"length": 1}, "/length", "unknown_field")])
def test_what_cannot_be_is_refused(client, change, pointer, code):
    faults = client.post("/v1/pendulum-tests", {**BAR, **change}).expect(422).json["errors"]
    assert [(fault["pointer"], fault["code"]) for fault in faults] == [(pointer, code)]
