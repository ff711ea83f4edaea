"""Data sets that say what payload they were logged with, in one identification, and the gains of drives that they tell; against
the equation of motion of one link."""

import math
import random

import pytest

from support import unique_name
from support.logs import csv_text, upload

pytestmark = pytest.mark.slow
RATE, G = 200, 9.81
INERTIA, MOMENT, COULOMB, VISCOUS = 0.25, 0.72, 0.8, 0.4  # about the axis; mass times distance; of the arm alone
REACH = 0.5  # of the tool
SCALE = 1e-3  # rad/s over which friction changes sign


def model(name):
    """Masses of a drawing, no friction."""
    return {"name": name, "convention": "dh", "gravity": [0, -G, 0],
            "joints": [{"name": "j1", "type": "revolute", "a": REACH, "alpha": 0, "d": 0, "velocity_scale": SCALE,
                        "limits": {"position": [-3, 3], "velocity": 6, "acceleration": 60, "torque": 60},
                        "link": {"mass": 2, "com": [-0.25, 0, 0], "inertia": {"xx": 0.001, "yy": 0.02, "zz": 0.02}}}]}


def log(seed, payload=0, gain=1, seconds=20):
    """A sum of sines; `payload` kg at the tool; what is logged is the torque by the gain, with noise of 0.5 %."""
    dice, rows = random.Random(seed), []
    waves = [(dice.uniform(0.2, 0.5), 2 * math.pi * f, dice.uniform(0, 6)) for f in (0.17, 0.43, 0.71)]
    inertia, moment = INERTIA + payload * REACH**2, MOMENT + payload * REACH
    for k in range(seconds * RATE):
        t = k / RATE
        q = sum(a * math.sin(w * t + p) for a, w, p in waves)
        qd = sum(a * w * math.cos(w * t + p) for a, w, p in waves)
        qdd = sum(-a * w * w * math.sin(w * t + p) for a, w, p in waves)
        tau = inertia * qdd + moment * G * math.cos(q) + COULOMB * math.tanh(qd / SCALE) + VISCOUS * qd
        rows.append([t, q, tau / gain + dice.gauss(0, 0.03)])
    return csv_text(rows)


@pytest.fixture
def arm(client):
    name = unique_name()
    client.create_robot(model(name))
    return name


def logged(client, name, seed, payload=0, gain=1):
    dataset = upload(client, name, log(seed, payload, gain))
    if payload:
        place = client.get(f"/v1/datasets/{dataset}")
        conditions = {"conditions": {"payload": {"mass": payload, "com": [0, 0, 0]}}}
        client.request("PATCH", f"/v1/datasets/{dataset}", json=conditions, content_type="application/merge-patch+json",
                       headers={"If-Match": place.etag}).expect(200)
    return dataset


def identify(client, name, datasets, **more):
    request = {"datasets": datasets, "friction": ["coulomb", "viscous"], "estimator": "ols", **more}
    return client.result_of(f"/v1/robots/{name}/identifications", request)




def test_each_data_set_is_taken_with_its_own_payload(client, arm):
    datasets = [logged(client, arm, 1), logged(client, arm, 2, 1.5), logged(client, arm, 3, 4)]
    judge = logged(client, arm, 4, 2.5)
    found = identify(client, arm, datasets, validation=[judge])
    friction = found["parameters"]["friction"][0]
    assert friction["coulomb"] == pytest.approx(COULOMB, rel=0.02) and friction["viscous"] == pytest.approx(VISCOUS, rel=0.03)
    assert found["errors"]["validation"]["raw"]["relative_percent"] < 1
    assert "conditions_differ" not in {w["code"] for w in found["warnings"]} and "drive_gains" not in found
    known = sorted({w["code"] for w in found["warnings"]} | {"not_physically_consistent"})
    client.post(f"/v1/identifications/{found['id']}/promote", {"base_revision": 1, "acknowledge": known}).expect(200)
    place = f"/v1/robots/{arm}/inverse-dynamics"
    at_rest, pushed = (client.post(place, {"q": [0], "qd": [0], "qdd": [qdd]}).expect(200).json["tau"][0] for qdd in (0, 1))
    assert at_rest == pytest.approx(MOMENT * G, rel=0.003) and pushed - at_rest == pytest.approx(INERTIA, rel=0.02)
    table = client.result_of(f"/v1/robots/{arm}/evaluations", {"models": ["revision:2"], "datasets": [judge, datasets[0]]})
    assert all(e["errors"]["raw"]["relative_percent"] < 1 for e in table["evaluations"]), table  # 2.5 kg and none


def test_the_gain_of_a_drive_comes_out_of_two_logs(client, arm):
    gain = 1.12
    datasets = [logged(client, arm, 1, 0, gain), logged(client, arm, 2, 3, gain)]
    judge = logged(client, arm, 5, 3, gain)
    plain = identify(client, arm, datasets, validation=[judge])
    found = identify(client, arm, datasets, validation=[judge], find_drive_gains=True)
    (told,) = found["drive_gains"]
    assert told["applied"] and told["joint"] == "j1"
    assert abs(told["gain"] - gain) < 3 * told["std"] and told["std"] < 0.005, told
    assert found["parameters"]["friction"][0]["coulomb"] == pytest.approx(COULOMB, rel=0.02)
    assert found["errors"]["validation"]["raw"]["relative_percent"] < 0.5 * plain["errors"]["validation"]["raw"]["relative_percent"]


def test_a_gain_needs_payloads_that_differ(client, arm):
    place, asked = f"/v1/robots/{arm}/identifications", {"datasets": [logged(client, arm, 1)], "find_drive_gains": True}
    job = client.wait_job(client.post(place, asked))
    assert job["state"] == "failed" and "different payloads" in job["problem"]["detail"]
    client.post(place, {**asked, "identify": "payload"}).expect(422)
