"""Collision checks: closed forms of the observer, a first-order filter of what pushes a joint; thresholds and false alarms
held against other checks; measured logs, in which nothing was touched."""

import math

import pytest

from support import robot, unique_name
from support.logs import LWR_CONDITIONING, csv_text, measured, simulated, upload, upload_lwr

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
SLIDE = {"name": "slide", "convention": "dh", "gravity": [0, 0, 0], "joints": [{
    "name": "only", "type": "prismatic", "a": 0, "alpha": 0, "theta": 0,
    "link": {"mass": 2, "com": [0.3, 0, 0], "inertia": {"xx": 0.001, "yy": 0.05, "zz": 0.05}}}]}
ALONG = [0, 0, 1, 0, 0, 0]  # a wrench that the slide feels, of 1 N


def checked(client, name, **request):
    return client.result_of(f"/v1/robots/{name}/collision-checks", request)


def gain_of(bandwidth):
    return 2 * math.pi * bandwidth


def trapezoid_error(force, bandwidth, rate):
    """Of the observer, twice its bound: the trapezoid of a torque that begins to change at 2 w F / m, behind the filter."""
    return gain_of(bandwidth) / rate**2 / 6 * 2 * gain_of(5) * abs(force) / 2 + 1e-6


def samples(client, check):
    return client.get(check["samples"]).expect(200).json


# -- simulated collisions --

@pytest.fixture(scope="module")
def slide(server):
    """(name, a motion of 1 s)"""
    with server.client() as client:
        name = client.create_robot(SLIDE, name=unique_name()).json["name"]
        motion = client.result_of(f"/v1/robots/{name}/trajectories", {
            "method": "quintic", "start": {"q": [0]}, "goal": {"q": [0.4]}, "duration": 1})
        yield name, motion["id"]


def struck(client, slide, **changes):
    name, motion = slide
    request = {"trajectory": motion, "thresholds": [8], "collision": {"time": 0.4, "wrench": [20 * x for x in ALONG]}, **changes}
    return checked(client, name, **request)


@pytest.mark.parametrize("force, threshold, bandwidth, rate", [(20, 8, 5, 1000), (-20, 19, 5, 1000), (3, 0.1, 2, 500), (50, 10, 20, 200)])
def test_a_push_is_noticed_when_the_filter_has_let_it_through(client, slide, force, threshold, bandwidth, rate):
    """The residual is F (1 - exp(-K t)) whatever the arm does, so the first sample beyond the threshold is known."""
    check = struck(client, slide, collision={"time": 0.4, "wrench": [force * x for x in ALONG], "wrench_frame": "base"}, thresholds=[threshold],
                   observer_bandwidth_hz=bandwidth, sample_rate=rate)
    K = gain_of(bandwidth)
    delay = math.ceil(-math.log(1 - threshold / abs(force)) / K * rate) / rate
    assert check["collision"] == {"time": 0.4, "duration": pytest.approx(0.6), "torques": [pytest.approx(force)], "detected": True,
                                  "delay": pytest.approx(delay, abs=1e-9), "false_alarms": 0}
    event, = check["events"]
    assert check["event_count"] == 1 and check["observer_gain"] == pytest.approx(K) and check["reference"] is None
    assert (event["time"], event["end"], event["joint"]) == (pytest.approx(0.4 + delay), 1, "only")
    assert event["direction"] == ("positive" if force > 0 else "negative")
    off = trapezoid_error(force, bandwidth, rate)
    assert event["residual"] == pytest.approx(force * (1 - math.exp(-K * delay)), abs=off) and event["threshold"] == threshold
    assert event["peak"] == [pytest.approx(force * (1 - math.exp(-K * 0.6)), abs=off)]
    rows = samples(client, check)
    assert rows["t"] == pytest.approx([k / rate for k in range(rate + 1)]) and set(rows["dataset"]) == {0}
    for t, (residual,), alarm in zip(rows["t"], rows["residual"], rows["alarm"]):
        assert residual == pytest.approx(force * (1 - math.exp(-K * max(t - 0.4, 0))), abs=off)
        assert alarm == (t > event["time"] - 1e-9)
    log, = check["checked"]
    assert log["alarms"] == 1 and log["peak"] == [abs(event["peak"][0])]


def test_a_short_push_is_one_alarm_that_ends(client, slide):
    """40 ms of 20 N: the residual falls again; the alarm ends 3 / K after it was last beyond the threshold."""
    check = struck(client, slide, collision={"time": 0.4, "duration": 0.04, "wrench": [20 * x for x in ALONG]})
    K, peak = gain_of(5), 20 * (1 - math.exp(-gain_of(5) * 0.04))
    event, = check["events"]
    assert check["collision"]["duration"] == pytest.approx(0.04) and event["peak"] == [pytest.approx(peak, abs=trapezoid_error(20, 5, 1000))]
    last = 0.44 + math.log(peak / 8) / K
    assert last - 1e-3 <= event["end"] + 1e-9 and event["end"] <= last + 1e-9
    rows = samples(client, check)
    over = max(t for t, alarm in zip(rows["t"], rows["alarm"]) if alarm)
    assert event["end"] + 3 / K - 1e-3 <= over + 1e-9 and over <= event["end"] + 3 / K + 1e-9


def test_what_is_below_the_threshold_is_not_noticed(client, slide):
    check = struck(client, slide, thresholds=[20.001])
    assert check["events"] == [] and check["event_count"] == 0
    assert check["collision"]["detected"] is False and check["collision"]["delay"] is None
    name, _ = slide
    found = client.get("/v1/collision-checks", query={"robot": name, "metric": "event_count<1"}).expect(200).json["items"]
    assert check["id"] in [item["id"] for item in found]


def test_a_collision_of_the_puma_acts_by_the_jacobian(client):
    """J' w of another call; a long push is known from the residuals in the end, up to what the motion changes meanwhile."""
    name = client.create_robot(robot("puma560"), name=unique_name()).json["name"]
    place = f"/v1/robots/{name}"
    motion = client.result_of(place + "/trajectories", {"method": "quintic", "start": {"q": [0, 0.5, -1, 0.2, 0.3, 0]},
                                                        "goal": {"q": [0.2, 0.6, -1.1, 0, 0.4, 0.1]}, "duration": 1, "sample_rate": 100})
    wrench = [10, -25, 15, 0.5, -0.3, 0.2]
    check = checked(client, name, trajectory=motion["id"], thresholds=[5] * 6, observer_bandwidth_hz=20, tracking_bandwidth_hz=10,
                    collision={"time": 0.5, "wrench": wrench, "wrench_frame": "base"})
    q = client.get(motion["samples"]).expect(200).json["q"][50]
    J = client.post(place + "/jacobian", {"q": q, "frame": "base"}).expect(200).json["jacobian"]
    torques = [sum(J[i][j] * wrench[i] for i in range(6)) for j in range(6)]
    assert check["collision"]["torques"] == pytest.approx(torques, abs=1e-6)
    rows = samples(client, check)
    assert max(abs(r) for row in rows["residual"][:501] for r in row) < 1e-3  # before: nothing
    farthest = max(range(6), key=lambda j: abs(torques[j]))
    event, = check["events"]
    assert event["joint"] == robot("puma560")["joints"][farthest]["name"]
    assert rows["residual"][550][farthest] == pytest.approx(torques[farthest], rel=0.05)
    assert event["time"] - 0.5 == pytest.approx(-math.log(1 - 5 / abs(torques[farthest])) / gain_of(20), abs=2e-3)


# -- logs --

PUSH, AT, RATE = 6.0, 7.0, 250  # N m on joint 2, from this time of the log for half a second


class Cell:
    """A SCARA, logs of motions a, b, c without collisions, and d, which is c with a push."""

    def __init__(self, client):
        self.name = client.create_robot(robot("scara"), name=unique_name()).json["name"]
        a, b, c = (simulated(client, self.name, seed, seconds=10, encoder=0, torque=0.01) for seed in (1, 2, 3))
        d = [[t + 100, *row] for t, *row in c]
        for row in d:
            row[6] -= PUSH * (100 + AT <= row[0] < 100 + AT + 0.5 - 1e-9)  # the drives need less of it
        self.a, self.b, self.c, self.d = (upload(client, self.name, log, label) for log, label in zip((a, b, c, d), "abcd"))


@pytest.fixture(scope="module")
def cell(server):
    with server.client() as client:
        yield Cell(client)


def test_a_push_in_a_log_is_found(client, cell):
    """Its time by the log's own clock, its joint, its size; and where it is among the samples of two logs."""
    check = checked(client, cell.name, datasets=[cell.c, cell.d], reference=[cell.a, cell.b], observer_bandwidth_hz=5)
    event, = check["events"]
    threshold = check["thresholds"][1]
    assert threshold < PUSH / 2, "else this is no test"
    delay = -math.log(1 - threshold / PUSH) / gain_of(5)
    assert (event["dataset"], event["joint"], event["direction"]) == (cell.d, robot("scara")["joints"][1]["name"], "positive")
    assert event["time"] == pytest.approx(100 + AT + delay, abs=0.25 * delay + 2 / RATE)
    assert event["peak"][1] == pytest.approx(PUSH, rel=0.1) and event["threshold"] == threshold
    assert [log["alarms"] for log in check["checked"]] == [0, 1] and [log["dataset"] for log in check["checked"]] == [cell.c, cell.d]
    rows = samples(client, check)
    k = round(event["sample_time"] * check["sample_rate"])
    assert rows["t"][k] == pytest.approx(event["sample_time"]) and rows["dataset"][k] == 1
    assert rows["residual"][k][1] == event["residual"] and abs(rows["residual"][k - 1][1]) <= threshold
    assert (rows["alarm"][k - 1], rows["alarm"][k]) == (0, 1)
    assert check["conditioning"]["torque_cutoff_hz"] == 0 and check["datasets"] == [cell.c, cell.d]


def test_thresholds_are_the_largest_residuals_times_the_margin(client, cell):
    plain = checked(client, cell.name, datasets=[cell.a, cell.b], thresholds=[1e6] * 4)
    rows = samples(client, plain)
    used = {key: plain["conditioning"][key] for key in ("rate", "position_cutoff_hz", "torque_cutoff_hz", "trim")}
    peaks = [max(abs(row[j]) for row in rows["residual"]) for j in range(4)]
    check = checked(client, cell.name, datasets=[cell.c], reference=[cell.a, cell.b], margin=3, conditioning=used)
    assert check["thresholds"] == pytest.approx([3 * peak for peak in peaks], rel=1e-9)
    for k in range(2):
        log, of_log = check["reference"]["logs"][k], [row for row, d in zip(rows["residual"], rows["dataset"]) if d == k]
        assert log["peak"] == pytest.approx([max(abs(row[j]) for row in of_log) for j in range(4)], rel=1e-9)
        assert log["rms"] == pytest.approx([math.sqrt(sum(row[j] ** 2 for row in of_log) / len(of_log)) for j in range(4)], rel=1e-9)
        assert log["duration"] == pytest.approx(len(of_log) / plain["sample_rate"])


def test_false_alarms_are_counted_on_what_was_held_out(client, cell):
    """Thresholds of one log on the other, which is a check of its own; d has an alarm that others do not know."""
    check = checked(client, cell.name, datasets=[cell.c], reference=[cell.a, cell.d])
    used = {key: check["conditioning"][key] for key in ("rate", "position_cutoff_hz", "torque_cutoff_hz", "trim")}
    reference = check["reference"]
    for k, other in ((0, 1), (1, 0)):
        held = checked(client, cell.name, datasets=[(cell.a, cell.d)[k]], conditioning=used,
                       thresholds=[2 * peak for peak in reference["logs"][other]["peak"]])
        assert reference["logs"][k]["alarms"] == held["event_count"]
    assert reference["false_alarms"] >= 1 and reference["parts"] == 2
    assert reference["hours"] == pytest.approx(sum(log["duration"] for log in reference["logs"]) / 3600)
    assert reference["false_alarms_per_hour"] == pytest.approx(reference["false_alarms"] / reference["hours"])
    if reference["false_alarms"] == 1:
        assert reference["false_alarms_per_hour_at_most"] * reference["hours"] == pytest.approx(4.744, abs=1e-3)


def test_one_log_is_held_against_itself_in_parts(client, cell):
    reference = checked(client, cell.name, datasets=[cell.c], reference=[cell.a])["reference"]
    assert reference["parts"] == 5 and reference["false_alarms"] == reference["logs"][0]["alarms"]
    pushed = checked(client, cell.name, datasets=[cell.c], reference=[cell.d])["reference"]
    assert pushed["false_alarms"] >= 1 and pushed["false_alarms_per_hour_at_most"] > pushed["false_alarms_per_hour"]
    quiet = checked(client, cell.name, datasets=[cell.c], reference=[cell.a], margin=10)["reference"]
    assert quiet["false_alarms"] == 0 and quiet["false_alarms_per_hour_at_most"] * quiet["hours"] == pytest.approx(-math.log(0.05))


def test_the_model_friction_can_be_left_out(client, cell):
    """Then it is what pushes: viscous and Coulomb friction of joint 1 show in its residual."""
    with_, without = (checked(client, cell.name, datasets=[cell.c], thresholds=[1e6] * 4, friction=f)["checked"][0]["rms"] for f in (True, False))
    assert without[0] > 5 * with_[0]


def test_another_payload_is_told(client, cell):
    def conditions(payload):
        client.request("PATCH", f"/v1/datasets/{cell.b}", {"conditions": {"payload": payload}}, content_type="application/merge-patch+json",
                       headers={"If-Match": "*"}).expect(200)

    conditions({"mass": 3})
    check = checked(client, cell.name, datasets=[cell.b], thresholds=[1e6] * 4)
    conditions(None)
    assert [w["code"] for w in check["warnings"]] == ["other_conditions"] and cell.b in check["warnings"][0]["detail"]


# -- what is refused, and what is kept --

def pointers(client, name, request):
    return {e["pointer"] for e in client.post(f"/v1/robots/{name}/collision-checks", request).expect(422).json["errors"]}


def test_wrong_requests(client, cell):
    log, push = [cell.a], {"time": 0.1, "wrench": [1, 0, 0, 0, 0, 0]}
    h = [1, 1, 1, 1]
    for request, at in [
            ({}, {"/datasets", "/reference"}),
            ({"datasets": log}, {"/reference"}),
            ({"datasets": log, "reference": log}, {"/datasets/0"}),
            ({"datasets": log, "reference": [cell.b], "thresholds": h}, {"/thresholds"}),
            ({"datasets": log, "thresholds": h, "margin": 2}, {"/margin"}),
            ({"datasets": log, "thresholds": [1, 1]}, {"/thresholds"}),
            ({"datasets": log, "thresholds": [1, 1, 0, 1]}, {"/thresholds/2"}),
            ({"datasets": log, "thresholds": h, "collision": push}, {"/collision"}),
            ({"datasets": log, "thresholds": h, "tracking_bandwidth_hz": 5, "sample_rate": 100}, {"/tracking_bandwidth_hz", "/sample_rate"}),
            ({"datasets": log, "thresholds": h, "observer_bandwidth_hz": 0}, {"/observer_bandwidth_hz"}),
            ({"datasets": log, "reference": [cell.b], "margin": 0.9}, {"/margin"}),
            ({"trajectory": NOBODY, "thresholds": h}, {"/collision"}),
            ({"trajectory": NOBODY, "thresholds": h, "collision": push, "datasets": log}, {"/datasets"}),
            ({"trajectory": NOBODY, "thresholds": h, "collision": push, "conditioning": {"trim": 1}}, {"/conditioning"}),
            ({"trajectory": NOBODY, "thresholds": h, "collision": {"wrench": [1, 2]}}, {"/collision/wrench", "/collision/time"}),
            ({"trajectory": NOBODY, "thresholds": h, "collision": push}, {"/trajectory"}),
            ({"datasets": [NOBODY], "reference": [cell.a, NOBODY], "thresholds": h}, {"/thresholds", "/datasets/0"}),
            ({"datasets": log, "reference": [NOBODY]}, {"/reference/0"})]:
        assert pointers(client, cell.name, request) == at, request


@pytest.mark.parametrize("push, pointer", [({"time": 1}, "/collision/time"), ({"time": 0.5, "duration": 1e-4}, "/collision/duration")])
def test_collisions_that_do_not_happen(client, slide, push, pointer):
    name, motion = slide
    job = client.run_job(f"/v1/robots/{name}/collision-checks", {"trajectory": motion, "thresholds": [1], "collision": {"wrench": ALONG, **push}})
    assert job["state"] == "failed" and [e["pointer"] for e in job["problem"]["errors"]] == [pointer]


def test_what_it_was_computed_from_stays(client, cell):
    text = csv_text(simulated(client, cell.name, 5, seconds=6))
    data, reference = upload(client, cell.name, text, "data"), upload(client, cell.name, text.replace("0.004,", "0.0041,", 1), "reference")
    check = client.get(checked(client, cell.name, datasets=[data], reference=[reference])["samples"].removesuffix("/samples")).expect(200)
    for kept in (data, reference):
        log = client.get(f"/v1/datasets/{kept}").expect(200)
        refused = client.delete(f"/v1/datasets/{kept}", headers={"If-Match": log.etag}).expect(409).json
        assert check.json["id"] in refused["detail"]
    client.delete(f"/v1/collision-checks/{check.json['id']}", headers={"If-Match": check.etag}).expect(204)
    for gone in (data, reference):
        client.delete(f"/v1/datasets/{gone}", headers={"If-Match": client.get(f"/v1/datasets/{gone}").expect(200).etag}).expect(204)
    client.get(f"/v1/collision-checks/{check.json['id']}").expect(404)


# -- measured logs --

@pytest.mark.slow
def test_the_lwr_touches_nothing(client):
    """A model identified from m1, of which m2 repeats the motion; m3 is another one. No alarm in either by thresholds of the
    other; a push in m3 of three times the threshold is found when the filter has let it through."""
    kept = upload_lwr(client, unique_name())
    if kept is None:
        pytest.skip("no measured data kuka_lwr4")
    name, (m1, m2, m3) = kept
    run = client.result_of(f"/v1/robots/{name}/identifications", {"datasets": [m1], "conditioning": LWR_CONDITIONING})
    client.post(f"/v1/identifications/{run['id']}/promote", {
        "base_revision": 2, "reason": "test", "acknowledge": [w["code"] for w in run["warnings"]]}).expect(200, 201)
    conditioning = {"position_cutoff_hz": 8, "trim": 2.5}
    for data, reference in ((m2, m3), (m3, m2)):
        check = checked(client, name, datasets=[data], reference=[reference], conditioning=conditioning)
        assert check["event_count"] == 0 and check["reference"]["false_alarms"] == 0
    push, log = 3 * check["thresholds"][1], measured("kuka_lwr4/m3.csv", 7)
    begin = log[0][0] + 12
    for row in log:
        row[9] -= push * (begin <= row[0] < begin + 0.4)
    pushed = checked(client, name, datasets=[upload(client, name, log)], reference=[m2], conditioning=conditioning)
    event, = pushed["events"]
    assert (event["joint"], event["direction"]) == (robot_joint(client, name, 1), "positive")
    assert 0 < event["time"] - begin < 3 * -math.log(1 - 1 / 3) / gain_of(5)


def robot_joint(client, name, index):
    return client.get(f"/v1/robots/{name}").expect(200).json["joints"][index]["name"]
