"""Torques that were logged later than positions: found joint by joint and taken out, held against logs whose delay was made."""

import functools
import random

import pytest

from support import contract, rotating_slide
from support.logs import csv_text, upload
from support.rotating_slide import identify, raw_percent
from support.spoken import spoken

pytestmark = [pytest.mark.slow, pytest.mark.skipif("/v1/robots/{robot}/identifications" not in contract.document()["paths"],
                                                   reason="this build takes no data sets")]
RATE = 250
LAWS = [{"coulomb": c, "viscous": v, "ripple": None} for c, v in ((0.6, 2.5), (0.8, 20.0))]


FINER = 10    # so many samples between two of a log: a delay needs not be whole samples
SECONDS = 24


@functools.cache
def clean_log(motion):
    """Rows of a log without noise, and the root of the mean square of each torque. To simulate them takes longer than what they are for."""
    rows, _ = rotating_slide.log(31 + motion, LAWS, seconds=SECONDS, rate=RATE * FINER, times=1.5, encoder=0, noise=0)
    return rows, [(sum(row[3 + j] ** 2 for row in rows) / len(rows)) ** 0.5 for j in range(2)]


def delayed_log(seed, delays):
    """Rows of a log whose torques of each joint are what they were `delays` seconds before, with 1 % of noise; those of odd seeds are
    of one motion, of even ones of another."""
    clean, rms = clean_log((seed + 1) % 2)
    dice, finer = random.Random(seed), FINER
    rows = []
    for k in range(int(0.1 * RATE), int((SECONDS - 0.1) * RATE)):
        tau = [clean[k * finer - round(d * RATE * finer)][3 + j] + dice.gauss(0, 0.01 * rms[j]) for j, d in enumerate(delays)]
        rows.append([clean[k * finer][0], *(x + dice.gauss(0, 2e-6) for x in clean[k * finer][1:3]), *tau])
    return rows


@pytest.mark.parametrize("delays", [(0.008, 0.0), (0.0028, -0.0044), (0.02, 0.012)])
def test_delays_are_found_and_taken_out(client, arm, delays):
    """Within a tenth of a sample or three deviations, also where they are not whole samples; the error on another log falls to
    the noise of 1 %; joints that are in time stay so."""
    trained, judge = (upload(client, arm, csv_text(delayed_log(seed, delays))) for seed in (31, 32))
    plain = identify(client, arm, [trained], validation=[judge], find_torque_delay=False)
    found = identify(client, arm, [trained], validation=[judge], find_torque_delay=True)
    for joint, delay in enumerate(delays):
        of = found["torque_delays"][joint]
        assert abs(of["delay"] - delay) < max(0.1 / RATE, 3 * of["std"]), of
        used = found["conditioning"].get("torque_delay", [0, 0])[joint]
        assert used == (of["delay"] if of["compensated"] else 0)
        if delay:
            assert of["compensated"] and of["std"] < 0.2 * abs(delay)
            assert raw_percent(found, joint) < 1.3 and raw_percent(found, joint) < 0.9 * raw_percent(plain, joint), (raw_percent(plain, joint), raw_percent(found, joint))
    assert "torque_delays" not in plain and "torque_delay" not in plain["conditioning"]
    page, without = (spoken(client, f"/v1/identifications/{of['id']}/report")[0] for of in (found, plain))
    assert "Delays of torques" in page and page.count("<td>yes</td>") >= sum(d != 0 for d in delays) and "Delays of torques" not in without
    assert "channel_delay" not in {w["code"] for w in found["warnings"]}


@pytest.mark.parametrize("delays", [(0.008, 0.0), (-0.012, 0.02), (0.0, 0.0)])
def test_delays_that_are_plain_are_taken_out_unasked(client, arm, delays):
    """Of the joints where a shift of the torque shows, which is said; of others not. False leaves them and warns; validation data
    choose nothing: with late ones an identification is what it is without them."""
    trained, late = (upload(client, arm, csv_text(delayed_log(seed, of))) for seed, of in ((38, delays), (39, (0.02, 0.02))))
    found = identify(client, arm, [trained])
    judged = identify(client, arm, [trained], validation=[late])
    left = identify(client, arm, [trained], find_torque_delay=False)
    wanted = [delay != 0 for delay in delays]
    assert [of["compensated"] for of in found.get("torque_delays", [{"compensated": False}] * 2)] == wanted
    for delay, of in zip(delays, found.get("torque_delays", [])):
        assert abs(of["delay"] - delay) < max(0.1 / RATE, 3 * of["std"]), of
    assert "channel_delay" not in {w["code"] for w in found["warnings"]}
    assert judged["parameters"] == found["parameters"]
    names = [joint["name"] for joint in rotating_slide.model("x")["joints"]]
    assert {w["joint"] for w in left["warnings"] if w["code"] == "channel_delay"} == {n for n, late in zip(names, wanted) if late}
    assert "torque_delays" not in left and all("find_torque_delay" in w["detail"] for w in left["warnings"] if w["code"] == "channel_delay")


def test_logs_in_time_stay_as_they_are(client, arm):
    """What noise makes of a delay is a part of a sample, if it is taken out at all."""
    trained, judge = (upload(client, arm, csv_text(delayed_log(seed, (0, 0)))) for seed in (33, 34))
    plain = identify(client, arm, [trained], validation=[judge])
    found = identify(client, arm, [trained], validation=[judge], find_torque_delay=True)
    for joint in range(2):
        assert abs(found["torque_delays"][joint]["delay"]) < 0.1 / RATE
        assert raw_percent(found, joint) < 1.01 * raw_percent(plain, joint)


def test_what_is_too_long_for_a_delay(client, arm):
    """A quarter of a period of the torque filter: told, not taken out."""
    log = upload(client, arm, csv_text(delayed_log(37, (0.06, 0.004))))
    found = identify(client, arm, [log], find_torque_delay=True, conditioning={"position_cutoff_hz": 10, "torque_cutoff_hz": 10})
    assert [of["compensated"] for of in found["torque_delays"]] == [False, True]
    assert abs(found["torque_delays"][0]["delay"]) > 0.025 and found["conditioning"]["torque_delay"][0] == 0


def test_delays_that_are_known(client, arm):
    """`conditioning.torque_delay` says them; the same is computed as where they were found."""
    trained, judge = (upload(client, arm, csv_text(delayed_log(seed, (0.008, -0.012)))) for seed in (35, 36))
    found = identify(client, arm, [trained], validation=[judge], find_torque_delay=True)
    told = identify(client, arm, [trained], validation=[judge], conditioning=found["conditioning"])
    assert told["parameters"] == found["parameters"] and told["errors"] == found["errors"]
    exact = client.result_of(f"/v1/robots/{arm}/evaluations", {"models": [f"identification:{found['id']}"], "datasets": [judge],
                                                              "conditioning": {"torque_delay": [0.008, -0.012]}})
    late = client.result_of(f"/v1/robots/{arm}/evaluations", {"models": [f"identification:{found['id']}"], "datasets": [judge]})
    errors = [run["evaluations"][0]["errors"]["raw"]["relative_percent"] for run in (exact, late)]
    assert errors[0] < 1.3 and errors[0] < 0.8 * errors[1]
    assert exact["conditioning"]["torque_delay"] == [0.008, -0.012]
    study = client.result_of(f"/v1/robots/{arm}/identification-studies", {"identification": found["id"], "repetitions": 20})
    assert study["conditioning"] == found["conditioning"] and study["coverage"]["within_95"]["share"] > 0.75


@pytest.mark.parametrize("change, pointer", [
    ({"conditioning": {"torque_delay": [0.01]}}, "/conditioning/torque_delay"),
    ({"conditioning": {"torque_delay": [0.01, 0.2]}}, "/conditioning/torque_delay/1"),
    ({"conditioning": {"torque_delay": []}}, "/conditioning/torque_delay"),
    ({"conditioning": {"torque_delay": [0.01, 0]}, "find_torque_delay": True}, "/find_torque_delay"),
    ({"identify": "payload", "estimator": "wls", "find_torque_delay": True}, "/find_torque_delay"),
])
def test_wrong_delays(client, arm, change, pointer):
    log = upload(client, arm, csv_text(delayed_log(31, (0.008, 0.0))))
    faults = client.post(f"/v1/robots/{arm}/identifications", {"datasets": [log], **change}).expect(422).json["errors"]
    assert [fault["pointer"] for fault in faults] == [pointer]
