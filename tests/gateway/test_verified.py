"""A verification beside an arm that played its reference: the arm has not the friction that the model has, and the column of what
was measured shows what a simulation without that friction shows."""

import math

import pytest

from cell import Cell, simulated
from support import Server, contract

pytestmark = pytest.mark.slow

MASS, COULOMB, W = 3.0, 30.0, 100.0  # kg; N; rad/s of the simulated controller's position loop, critically damped
SLIDE = {"name": "slide", "convention": "dh", "gravity": [0, 0, 0], "joints": [
    {"name": "x", "type": "prismatic", "a": 0, "alpha": 0, "theta": 0, "link": {"mass": MASS, "com": [0, 0, 0]},
     "friction": {"coulomb": COULOMB, "viscous": 5.0}, "velocity_scale": 0.005,
     "limits": {"position": [-1, 1], "velocity": 1, "acceleration": 3, "torque": 100}}]}
LIGHT = {**SLIDE, "joints": [{**SLIDE["joints"][0], "friction": {}}]}


@pytest.fixture(scope="module")
def played():
    """Its sweep, planned as a motion, and what was measured of it."""
    with Server() as server, simulated(robot=LIGHT) as sim:
        here = Cell(server, sim, SLIDE, telemetry_rate=200, following_error=0.05)
        motion = here.client.result_of(f"/v1/robots/{here.robot}/trajectories", {"method": "samples", "samples": {
            "start": [0.0], "reference": {"kind": "sine", "amplitude": [0.02], "frequencies": [0.5, 1], "periods": 2}}})
        transfer = here.playing(motion["id"])
        here.reach(transfer, "done", timeout=120)
        yield here, motion["id"], transfer


def verified(here, motion, measured, **more):
    control = {"law": "feedforward", "rate_hz": 1000, "kp": [MASS * W**2], "ki": [0], "kd": [2 * MASS * W]}
    return here.client.result_of(f"/v1/robots/{here.robot}/verifications", {
        "limit": {"position_mm": 0.5}, "references": [{"name": "sweep", "kind": "trajectory", "trajectory": motion, "measured": measured, **more}],
        "laws": [{"name": "feed-forward", "without_model": True, "control": control}],
        "plants": [{"name": "as modelled"}, {"name": "without friction", "plant": {"friction": False}}]})


def case_of(found, plant, law="feed-forward"):
    return next(c for c in found["cases"] if (c["plant"], c["law"]) == (plant, law))


def test_what_was_measured_is_what_the_simulation_without_friction_shows(played):
    here, motion, transfer = played
    found = verified(here, motion, transfer)
    assert contract.explain("#/components/schemas/Verification", found) == ""
    (measured,), light, modelled = found["measured"], case_of(found, "without friction"), case_of(found, "as modelled")
    assert measured["dataset"] == transfer and measured["samples"] > 1000 and not measured["within"] and modelled["within"]
    # friction that is fed forward and is not there pushes the arm ahead by Fc / (M w^2) where it moves
    ahead = 1e3 * COULOMB / (MASS * W**2)
    assert measured["tool"]["position_max_mm"] == pytest.approx(ahead, rel=0.05)
    for name in ("position_rms_mm", "position_max_mm"):
        assert measured["tool"][name] == pytest.approx(light["tool"][name], rel=0.05) and measured["tool"][name] > 50 * modelled["tool"][name]
    assert measured["joints"][0]["rms"] == pytest.approx(1e-3 * measured["tool"]["position_rms_mm"])
    assert (measured["nearest"]["plant"], measured["nearest"]["law"]) == ("without friction", "feed-forward")
    assert light["apart"]["position_rms_mm"] == measured["nearest"]["apart_rms_mm"] < 0.05 * ahead
    assert modelled["apart"]["position_rms_mm"] == pytest.approx(measured["tool"]["position_rms_mm"], rel=0.05)
    assert {pair["measured_mm"] for pair in found["feedforward"]} == {measured["tool"]["position_max_mm"]}
    page = here.client.get(f"/v1/verifications/{found['id']}/report", headers={"Accept": "text/html"}).expect(200).text
    assert f"Measured (data set {transfer}" in page and "nearest to it is without friction under feed-forward" in page
    assert "measured, mm" in page and "apart from measured" in page
    path = f"/v1/datasets/{transfer}"
    here.client.delete(path, headers={"If-Match": here.client.get(path).etag}).expect(409)  # the verification refers to it


def test_figures_are_those_of_the_log(played):
    """The same from the telemetry and the plan's samples, by sums written here."""
    here, motion, transfer = played
    found = verified(here, motion, transfer)["measured"][0]
    log = here.client.get(f"/v1/datasets/{transfer}/samples").expect(200).json
    plan = here.client.get(f"/v1/trajectories/{motion}/samples", query={"rate": 1000}).expect(200).json
    off = []
    for t, (q,) in zip(log["t"], log["q"]):
        k = min(int(t * 1000), len(plan["q"]) - 2)
        (a,), (b,) = plan["q"][k:k + 2]
        off.append(1e3 * abs(a + (t * 1000 - k) * (b - a) - q))
    assert found["samples"] == len(off) and found["tool"]["position_max_mm"] == pytest.approx(max(off), rel=1e-3)
    assert found["tool"]["position_rms_mm"] == pytest.approx(math.sqrt(sum(x * x for x in off) / len(off)), rel=1e-4)
    bins = [x for x in found["envelope_mm"] if x is not None]
    assert max(bins) == found["tool"]["position_max_mm"]


def test_a_clock_of_its_own_and_what_does_not_fit(played):
    """The same log with another clock; one that ends before the motion begins; and one that is not there."""
    here, motion, transfer = played
    log = here.client.get(f"/v1/datasets/{transfer}/samples").expect(200).json
    csv = "t,q1\n" + "".join(f"{t + 7!r},{q!r}\n" for t, (q,) in zip(log["t"], log["q"]))
    other = here.client.post(f"/v1/robots/{here.robot}/datasets", body=csv, content_type="text/csv").expect(201).json["id"]
    late = verified(here, motion, other, measured_from=7)["measured"][0]
    assert late["joints"][0]["rms"] == pytest.approx(verified(here, motion, transfer)["measured"][0]["joints"][0]["rms"], rel=1e-9)
    assert late["joints"][0]["torque_peak"] is None
    body = {"references": [{"kind": "trajectory", "trajectory": motion, "measured": other, "measured_from": 1000}],
            "laws": [{"control": {"law": "pid"}}]}
    job = here.client.run_job(f"/v1/robots/{here.robot}/verifications", body)
    assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == "/references/0/measured"
    for wrong, pointer in (({"measured_from": 1}, "/references/0/measured_from"), ({"measured": "01JD6Z3T7P4E8N2A6S1V9K3D5H"}, "/references/0/measured")):
        wrong = {**body, "references": [{"kind": "trajectory", "trajectory": motion, **wrong}]}
        answer = here.client.post(f"/v1/robots/{here.robot}/verifications", wrong).expect(422).json
        assert answer["errors"][0]["pointer"] == pointer
