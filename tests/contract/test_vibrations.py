"""Vibrations after a stop, from samples and from stored logs, and what is proposed against them, put into a trajectory."""

import cmath
import math
import random

import pytest

from support import robot, unique_name
from support.logs import upload

RESOLUTION = 2 * math.pi / 16384
MODE = {"frequency": 8.3, "damping": 0.03}


def dying(rate, seconds, sizes, begin=0.0, at=(0.3, -0.5), modes=((MODE["frequency"], MODE["damping"]),)):
    """Rows of positions that encoders of 14 bits read, at rest until `begin`."""
    rows = []
    for k in range(round(rate * (seconds + begin))):
        t, row = k / rate - begin, list(at)
        for f, z in modes:
            w = 2 * math.pi * f
            swing = math.exp(-z * w * t) * math.cos(w * math.sqrt(1 - z * z) * t + 0.4) if t >= 0 else math.cos(0.4)
            row = [x + size * swing for x, size in zip(row, sizes)]
        rows.append([RESOLUTION * round(x / RESOLUTION) for x in row])
    return rows


@pytest.fixture(scope="module")
def arm(server):
    with server.client() as client:
        yield client.create_robot({**robot("scara"), "joints": robot("scara")["joints"][:2]}, name=unique_name()).headers["Location"]


def test_a_mode_and_what_is_proposed_against_it(client, arm):
    found = client.post(arm + "/vibrations", {"rate_hz": 1000, "q": dying(1000, 1.2, (0.006, -0.004))}).expect(200).json
    mode, = found["modes"]
    assert mode["frequency_hz"] == pytest.approx(MODE["frequency"], rel=0.01) and mode["damping"] == pytest.approx(MODE["damping"], rel=0.1)
    assert abs(mode["frequency_hz"] - MODE["frequency"]) < 5 * mode["frequency_deviation_hz"] + 1e-3
    assert mode["amplitude"] == [pytest.approx(0.006, rel=0.05), pytest.approx(0.004, rel=0.05)]
    assert found["q"] == [pytest.approx(0.3, abs=RESOLUTION), pytest.approx(-0.5, abs=RESOLUTION)]
    assert found["notch"]["notch_hz"] == mode["frequency_hz"] and found["notch"]["notch_width"] == pytest.approx(0.2 + 2 * mode["damping"], rel=1e-12)
    # the shaper in a motion, and what it leaves of the true mode where it is 10 % off
    shaped = client.result_of(arm + "/trajectories", {"method": "quintic", "start": {"q": [0, 0]}, "goal": {"q": [0.5, 0.5]}, "duration": 0.4,
                                                      "shaper": found["shaper"]})
    impulses = shaped["shaping"]["impulses"] if "shaping" in shaped else shaped["shaper"]["impulses"]
    last = impulses[-1]["time"]
    for off in (0.9, 0.95, 1.0, 1.05, 1.1):
        w, z = 2 * math.pi * MODE["frequency"] * off, MODE["damping"]
        left = abs(sum(i["amplitude"] * cmath.exp(complex(z * w, w * math.sqrt(1 - z * z)) * (i["time"] - last)) for i in impulses))
        assert left <= 0.05


def test_a_stored_log_from_its_stop(client, arm):
    rows = dying(500, 2, (0.006, 0.005), begin=1.0)
    dataset = upload(client, arm.rsplit("/", 1)[1], [[k / 500, *q, 0.0, 0.0] for k, q in enumerate(rows)])
    found = client.post(arm + "/vibrations", {"dataset": dataset, "begin": 1.0}).expect(200).json
    mode, = found["modes"]
    assert found["rate_hz"] == pytest.approx(500, rel=1e-3) and 990 <= found["samples"] <= 1001
    assert mode["frequency_hz"] == pytest.approx(MODE["frequency"], rel=0.01) and mode["damping"] == pytest.approx(MODE["damping"], rel=0.1)
    assert found["begin"] == 1.0
    seen = found["observation"]  # which mode-fits take as it is
    fit = client.post(arm + "/mode-fits", {"joints": ["j2"], "observations": [seen]}).expect(200).json
    assert fit["observations"][0]["frequencies_hz"] == pytest.approx([mode["frequency_hz"]], rel=1e-9) and fit["stiffness"][0]["damping"] > 0
    unknown = client.post(arm + "/vibrations", {"dataset": dataset}).expect(422).json["errors"]
    assert [fault["pointer"] for fault in unknown] == ["/begin"]  # it is of no transfer
    problem = client.post(arm + "/vibrations", {"dataset": dataset, "begin": 7}).expect(422).json
    assert problem["errors"][0]["pointer"] == "/dataset"


def test_an_arm_at_rest_has_none(client, arm):
    dice = random.Random(3)
    found = client.post(arm + "/vibrations", {"rate_hz": 500, "q": [[dice.gauss(0, 1e-4), 0.5] for _ in range(500)]}).expect(200).json
    assert found["modes"] == [] and found["shaper"] is found["observation"] is None and found["notch"] is None


@pytest.mark.parametrize("request_, pointer", [
    ({}, "/q"),
    ({"q": [[0, 0]] * 20}, "/rate_hz"),
    ({"q": [[0, 0]] * 5, "rate_hz": 100}, "/q"),
    ({"q": [[0, 0]] * 50, "rate_hz": 100, "frequency_max_hz": 60}, "/frequency_max_hz"),
    ({"q": [[0, 0]] * 50, "rate_hz": 100, "begin": 0}, "/begin"),
    ({"dataset": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/begin"),
    ({"dataset": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "begin": 0}, "/dataset"),
    ({"q": [[0, 0]] * 50, "rate_hz": 100, "modes_max": 9}, "/modes_max"),
])
def test_faults_are_named(client, arm, request_, pointer):
    problem = client.post(arm + "/vibrations", request_).expect(422).json
    assert pointer in [error["pointer"] for error in problem["errors"]]
