"""Shares of torques against the calls that tell the terms one by one, and a model without what may be left out."""

import itertools

import numpy
import pytest

from support import robot, unique_name
from support.logs import upload

TERMS = ("inertia", "coupling", "centrifugal", "coriolis", "gravity", "friction", "rotors")


@pytest.fixture(scope="module")
def scara(server):
    with server.client() as client:
        place = client.create_robot(robot("scara"), name=unique_name()).headers["Location"]
        motion = client.result_of(place + "/trajectories", {"method": "quintic", "start": {"q": [-0.8, 0.5, 0.05, 0]},
                                                            "goal": {"q": [0.8, -0.5, 0.1, 1.5]}, "duration": 1.0})
        yield place, motion


def shares(client, place, **request):
    return client.post(place + "/torque-shares", request).expect(200).json


def terms_of(client, place, q, qd, qdd):
    """{term: samples x joints} from what other calls answer."""
    ask = lambda call, **fields: client.post(f"{place}/{call}", fields).expect(200).json
    q, qd, qdd = (numpy.array(x) for x in (q, qd, qdd))
    causes = ask("inverse-dynamics", q=q.tolist(), qd=qd.tolist(), qdd=qdd.tolist(), decompose=True)
    speeds = ask("coriolis", q=q.tolist(), qd=qd.tolist(), decompose=True)
    M = numpy.array(ask("mass-matrix", q=q.tolist())["mass_matrix"])
    drives = client.get(place).expect(200).json["joints"]
    rotors = numpy.diag([joint.get("drive", {}).get("rotor_inertia", 0) * joint.get("drive", {}).get("gear_ratio", 1) ** 2 for joint in drives])
    links = M - rotors
    own = numpy.stack([numpy.diag(numpy.diag(m)) for m in links])
    along = lambda matrices: numpy.einsum("sij,sj->si", matrices, qdd)
    return dict(zip(TERMS, (along(own), along(links - own), numpy.array(speeds["centrifugal"]), numpy.array(speeds["coupling"]),
                            numpy.array(causes["gravity"]), numpy.array(causes["friction"]), qdd @ rotors))), numpy.array(causes["tau"])


def samples(client, motion, count):
    times = numpy.linspace(0, motion["duration"], count)
    table = client.get(f"/v1/trajectories/{motion['id']}/samples?rate=1000").expect(200).json
    at = [min(round(t * 1000), len(table["t"]) - 1) for t in times]
    return [[table[name][k] for k in at] for name in ("q", "qd", "qdd")]


def test_shares_are_those_of_other_calls(client, scara):
    place, motion = scara
    q, qd, qdd = samples(client, motion, 101)
    terms, tau = terms_of(client, place, q, qd, qdd)
    found = shares(client, place, q=q, qd=qd, qdd=qdd, error_percent=3)
    assert found["samples"] == 101
    for j, joint in enumerate(found["joints"]):
        peak = numpy.abs(tau[:, j]).max()
        assert joint["peak"] == pytest.approx(peak, rel=1e-9) and joint["rms"] == pytest.approx(numpy.sqrt(numpy.mean(tau[:, j] ** 2)), rel=1e-9)
        sizes = {term: numpy.abs(terms[term][:, j]).mean() for term in TERMS}
        for term in TERMS:
            told = joint["terms"][term]
            assert told["peak"] == pytest.approx(numpy.abs(terms[term][:, j]).max(), rel=1e-8, abs=1e-10)
            assert told["share"] == pytest.approx(sizes[term] / sum(sizes.values()), rel=1e-8, abs=1e-12)
        # the model without them, at every sample; and no choice of more terms is within the bound
        missing = lambda choice: numpy.abs(sum((terms[t][:, j] for t in choice), numpy.zeros(len(tau)))).max()
        assert joint["error"] == pytest.approx(missing(joint["left_out"]), abs=1e-9) and joint["error_percent"] <= 3
        assert joint["error_percent"] == pytest.approx(100 * joint["error"] / peak, rel=1e-9)
        more = itertools.combinations(TERMS, len(joint["left_out"]) + 1)
        assert all(missing(choice) > 0.03 * peak * (1 - 1e-9) for choice in more)
    assert set(found["left_out"]) == set.intersection(*(set(joint["left_out"]) for joint in found["joints"]))


def test_a_stored_motion_and_its_log(client, scara):
    place, motion = scara
    q, qd, qdd = samples(client, motion, 1001)
    by_samples = shares(client, place, q=q, qd=qd, qdd=qdd, error_percent=2)
    by_motion = shares(client, place, trajectory=motion["id"], samples=1001, error_percent=2)
    for a, b in zip(by_samples["joints"], by_motion["joints"]):
        assert a["left_out"] == b["left_out"] and a["rms"] == pytest.approx(b["rms"], rel=1e-6)
    tau = client.post(place + "/inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd}).expect(200).json["tau"]
    dataset = upload(client, place.rsplit("/", 1)[1], [[k / 1000, *x, *y] for k, (x, y) in enumerate(zip(q, tau))])
    by_log = shares(client, place, dataset=dataset, error_percent=2)
    assert by_log["cutoff_hz"] > 0 and by_log["samples"] > 500
    for a, b in zip(by_log["joints"][:2], by_motion["joints"]):
        assert a["rms"] == pytest.approx(b["rms"], rel=0.1)


@pytest.mark.parametrize("request_, pointer", [
    ({}, "/q"),
    ({"q": [[0] * 4], "qd": [[0] * 4]}, "/qdd"),
    ({"q": [[0] * 4], "qd": [[0] * 4] * 2, "qdd": [[0] * 4]}, "/qd"),
    ({"trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/trajectory"),
    ({"dataset": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/dataset"),
    ({"trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "q": [[0] * 4]}, "/q"),
    ({"error_percent": -1}, "/error_percent"),
])
def test_faults_are_named(client, scara, request_, pointer):
    problem = client.post(scara[0] + "/torque-shares", request_).expect(422).json
    assert pointer in [error["pointer"] for error in problem["errors"]]
