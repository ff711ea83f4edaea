"""Velocities that were logged: used where they are those of the positions, else said why not. Held against logs whose truth is
known: encoders of few steps beside a velocity of its own, scaled, late, and noisy ones."""

import functools
import math
import random

import pytest

from support import contract, rotating_slide
from support.logs import csv_text, upload
from support.rotating_slide import raw_percent
from support.spoken import spoken

pytestmark = [pytest.mark.slow, pytest.mark.skipif("/v1/robots/{robot}/identifications" not in contract.document()["paths"],
                                                   reason="this build takes no data sets")]
RATE = 250
LAWS = [{"coulomb": c, "viscous": v, "ripple": None} for c, v in ((0.6, 2.5), (0.8, 20.0))]
identify = functools.partial(rotating_slide.identify, estimator="wls")
STEP = 2e-3  # of the encoders, rad and m


def moved(seed, gain=(1, 1), late=(0, 0), noise=5e-4, seconds=20, times=1.5):
    """Rows t, q1, q2, tau1, tau2, qd1, qd2: positions in steps of an encoder, 1 % of noise on torques."""
    clean, _ = rotating_slide.log(seed, LAWS, seconds=seconds, rate=RATE, times=times, encoder=0, noise=0.01)
    at = rotating_slide.motion(random.Random(seed), times)
    dice = random.Random(seed + 1)
    rows = []
    for t, q1, q2, tau1, tau2 in clean:
        velocities = [g * at(t - d)[1][j] + dice.gauss(0, noise) for j, (g, d) in enumerate(zip(gain, late))]
        rows.append([t, *(STEP * round(q / STEP) for q in (q1, q2)), tau1, tau2, *velocities])
    return rows


def log(client, name, rows, velocities=True):
    head = "t,q1,q2,tau1,tau2" + (",qd1,qd2" if velocities else "")
    return upload(client, name, "\n".join([head, *(",".join(repr(x) for x in (row if velocities else row[:5])) for row in rows)]))


def inertia(found):
    """Of the arm about the axis of joint 1, by what is true."""
    wanted = "slide.Iyy + turn.Iyy"
    return next(one["value"] for one in found["parameters"]["base"] if one["expression"] == wanted) / rotating_slide.BASE[wanted]


def test_velocities_that_agree_are_used(client, arm):
    """Encoders of 2 mrad draw the inertia down, of which twice differentiated positions know too little; a velocity of 0.5 mrad/s
    of noise does not. What is asked with `positions` is what is identified from the log without its velocities, to the bit."""
    trained, judge = log(client, arm, moved(51)), log(client, arm, moved(52))
    bare, bare_judge = log(client, arm, moved(51), False), log(client, arm, moved(52), False)
    found = identify(client, arm, [trained], validation=[judge])
    forced = identify(client, arm, [trained], validation=[judge], velocities="logged")
    ignored = identify(client, arm, [trained], validation=[judge], velocities="positions")
    without = identify(client, arm, [bare], validation=[bare_judge])
    assert [one["dataset"] for one in found["velocities"]] == [trained, judge]
    for joint in (joint for one in found["velocities"] for joint in one["joints"]):
        assert joint["used"] and joint["verdict"] == "agrees" and joint["noise"] < 0.3, joint
        assert abs(joint["gain"] - 1) < 2e-3 and abs(joint["delay"]) < 5e-4
    assert "velocities" not in ignored and "velocities" not in without
    assert ignored["parameters"] == without["parameters"] and ignored["errors"] == without["errors"]
    assert forced["parameters"] == found["parameters"]
    assert abs(inertia(found) - 1) < 0.005 and abs(inertia(found) - 1) < 0.5 * abs(inertia(ignored) - 1), (
        inertia(found), inertia(ignored))
    assert raw_percent(found) < 1.1 and raw_percent(found) < raw_percent(ignored)
    study = client.result_of(f"/v1/robots/{arm}/identification-studies", {"identification": found["id"], "repetitions": 20})
    assert "velocities_unused" in {w["code"] for w in study["warnings"]}
    page, _ = spoken(client, f"/v1/identifications/{found['id']}/report")
    assert "Logged velocities" in page and "agrees" in page


@pytest.mark.parametrize("spoilt, verdicts", [
    ({"gain": (180 / math.pi, 1)}, ["gain", "agrees"]),
    ({"gain": (1, -1)}, ["agrees", "gain"]),
    ({"late": (0.012, 0.0005)}, ["late", "agrees"]),
    ({"noise": 0.08}, ["noisy", "noisy"]),
])
def test_velocities_that_do_not_agree(client, arm, spoilt, verdicts):
    """Joint by joint: positions are used, and which joint, which gain or delay, is said; noise is no fault of the log."""
    found = identify(client, arm, [log(client, arm, moved(53, **spoilt))])
    joints = found["velocities"][0]["joints"]
    assert [joint["verdict"] for joint in joints] == verdicts, joints
    assert [joint["used"] for joint in joints] == [verdict == "agrees" for verdict in verdicts]
    warned = {w["joint"]: w["detail"] for w in found["warnings"] if w["code"] == "velocity_differs"}
    assert set(warned) == {joint["joint"] for joint in joints if joint["verdict"] not in ("agrees", "noisy")}
    if "late" in spoilt:
        assert abs(joints[0]["delay"] - 0.012) < 5e-4 and "12.0" in warned["turn"] and "later" in warned["turn"]
    if "gain" in spoilt:
        assert all(abs(joint["gain"] / gain - 1) < 0.01 for joint, gain in zip(joints, spoilt["gain"]))


def test_what_validates_chooses_nothing(client, arm):
    """Late velocities of a validation log are left alone there; what is identified does not know of them."""
    trained, late = log(client, arm, moved(54)), log(client, arm, moved(55, late=(0.05, 0.05)))
    alone = identify(client, arm, [trained])
    judged = identify(client, arm, [trained], validation=[late])
    assert judged["parameters"] == alone["parameters"]
    assert [[joint["used"] for joint in one["joints"]] for one in judged["velocities"]] == [[True, True], [False, False]]
    forced = identify(client, arm, [late], velocities="logged")
    assert all(joint["used"] and joint["verdict"] == "late" for joint in forced["velocities"][0]["joints"])
    assert all("as asked" in w["detail"] for w in forced["warnings"] if w["code"] == "velocity_differs")


def test_wrong_wishes(client, arm):
    bare = upload(client, arm, csv_text([row[:5] for row in moved(56, seconds=6)]))
    job = client.run_job(f"/v1/robots/{arm}/identifications", {"datasets": [bare], "velocities": "logged"})
    assert job["state"] == "failed" and job["problem"]["detail"].startswith(f"data set {bare}: has no velocities"), job
    for change, pointer in (({"velocities": "both"}, "/velocities"),
                            ({"velocities": "logged", "conditioning": {"method": "tracking_differentiator"}}, "/velocities")):
        faults = client.post(f"/v1/robots/{arm}/identifications", {"datasets": [bare], **change}).expect(422).json["errors"]
        assert [fault["pointer"] for fault in faults] == [pointer]
