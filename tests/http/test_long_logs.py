"""Logs longer than memory: upload and identification of a six-axis arm, whose memory does not depend on how long the log is.

ARMDYN_SOAK=1: ten million samples, 1.4 GB of CSV, with both processes below 300 MB.
"""

import io
import os
import time

import numpy as np
import pytest

from support import Server, peak_memory, robot, unique_name, until

SOAK = os.environ.get("ARMDYN_SOAK") == "1"
SHORT, LONG = (60_000, 10_000_000) if SOAK else (60_000, 420_000)
RATE, PERIOD, JOINTS = 1000, 20_000, 6  # the motion repeats itself, so that a log of any length is made of one period


def truth():
    arm = robot("ur10")
    for j, joint in enumerate(arm["joints"]):
        joint["friction"] = {"coulomb": 4 / (j + 1), "viscous": 6 / (j + 1)}
    return arm


def unknown():
    """The model that is identified: other masses, and nobody has told its friction."""
    arm = robot("ur10")
    for joint in arm["joints"]:
        joint["friction"] = {}
        joint["link"]["mass"] *= 1.2
    return arm


def one_period(client, place):
    """PERIOD x 12: positions and torques, with the noise of encoders and of 1 % in the torques."""
    dice = np.random.default_rng(5)
    t = np.arange(PERIOD) / RATE
    w = 2 * np.pi * RATE / PERIOD * np.arange(1, 7)
    a, phase = dice.uniform(-1, 1, (JOINTS, 6)) / np.arange(1, 7), dice.uniform(0, 6, (JOINTS, 6))
    angle = t[:, None, None] * w + phase
    q, qd, qdd = (a * np.sin(angle)).sum(2), (a * w * np.cos(angle)).sum(2), (-a * w ** 2 * np.sin(angle)).sum(2)
    tau = np.array(client.post(place + "/inverse-dynamics", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()}).expect(200).json["tau"])
    return np.column_stack([q + dice.normal(0, 1e-5, q.shape), tau + dice.normal(0, 0.01, q.shape) * np.sqrt((tau ** 2).mean(0))])


def csv(period, samples):
    """The log as it is sent, in blocks of a few thousand rows; no number is formatted twice."""
    rows = [",".join(f"{x:.8f}"[:11] for x in row) for row in period.tolist()]
    yield ("t," + ",".join(f"{name}{j + 1}" for name in ("q", "tau") for j in range(JOINTS)) + "\n").encode()
    for first in range(0, samples, 5000):
        count = min(5000, samples - first)
        yield "".join(f"{k // RATE}.{k % RATE:03d},{rows[k % PERIOD]}\n" for k in range(first, first + count)).encode()


class Arm:
    """A server with one worker, and an arm whose truth is another robot."""

    def __init__(self, server):
        self.server, self.name = server, unique_name()
        with server.client() as client:
            self.place = client.create_robot(unknown(), name=self.name).headers["Location"]
            self.period = one_period(client, client.create_robot(truth(), name=unique_name()).headers["Location"])

    def upload(self, samples):
        """(id, bytes sent)"""
        sent = 0

        def counted():
            nonlocal sent
            for block in csv(self.period, samples):
                sent += len(block)
                yield block
        connection = self.server.client(timeout=600).connection
        connection.request("POST", self.place + "/datasets", counted(), {"Content-Type": "text/csv"}, encode_chunked=True)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        assert answer.status == 201, body
        with self.server.client() as client:
            location = answer.headers["Location"]
            assert client.get(location).expect(200).json["samples"] == samples
        return location.split("/")[-1], sent

    def identify(self, dataset):
        """The result; friction is known, and the masses come from the log."""
        with self.server.client() as client:
            job = client.post(self.place + "/identifications", {"datasets": [dataset], "estimator": "wls", "friction": ["offset", "coulomb", "viscous"]}).expect(202).json
            told = until(lambda: self.ended(client, job["id"]), 3600 if SOAK else 300, interval=0.2, what="the identification")
            assert told["state"] == "succeeded", told["problem"]
            return client.get(told["result"]["href"]).expect(200).json

    @staticmethod
    def ended(client, job):
        told = client.get(f"/v1/jobs/{job}").expect(200).json
        return told if told["finished_at"] else None


@pytest.fixture(scope="module")
def arm():
    with Server("--workers", 1) as server:
        yield Arm(server)


def torques(client, path, **query):
    """A .npy of samples."""
    return np.load(io.BytesIO(client.get(path, query=query, headers={"Accept": "application/x-npy"}).expect(200).body))


def check_every_sample(server, dataset, run):
    """The torques of a run are those of its log, sample by sample, and their residuals are what its errors say."""
    rate, errors = run["conditioning"]["rate"], run["errors"]["training"]
    count, trimmed = errors["samples"], round(run["conditioning"]["trim"] * rate)
    assert run["sample_rate"] == rate and count == LONG - 2 * trimmed
    log = f"/v1/datasets/{dataset}/samples"
    with server.client(timeout=600) as client:
        for first in (0, count // 3, 400_001, count - 50):  # windows of single samples
            window = {"from": (first - 0.5) / rate if first else 0, "to": (first + 49.5) / rate}
            shown = torques(client, run["samples"], fields="t,measured", **window)
            logged = torques(client, log, fields="t,tau", **{"from": (first + trimmed - 0.5) / RATE, "to": (first + trimmed + 49.5) / RATE})
            assert len(shown) == 50 and shown[:, 1:] == pytest.approx(logged[:, 1:], rel=1e-9, abs=1e-7), first  # the clock is rounded
            assert shown[:, 0] == pytest.approx((first + np.arange(50)) / rate, abs=1e-9)
        rows, square = 0, 0
        for first in range(0, count, 500_000):
            part = torques(client, run["samples"], fields="measured,predicted", **{"from": max(first - 0.5, 0) / rate, "to": (first + 499_999.5) / rate})
            rows, square = rows + len(part), square + ((part[:, :JOINTS] - part[:, JOINTS:]) ** 2).sum(0)
        assert rows == count
        assert np.sqrt(square / rows) == pytest.approx([joint["rms"] for joint in errors["raw"]["joints"]], rel=1e-9)
        took = []
        for window in ({}, {"from": count / rate / 3, "to": count / rate / 2}, {"from": count / rate / 3, "to": count / rate / 3 + 15}):
            few = "to" in window and (window["to"] - window["from"]) * rate < 20_000
            began = time.monotonic()
            torques(client, run["samples"], fields="t,measured,predicted", **window, **({} if few else {"points": 1280}))
            took.append(time.monotonic() - began)
        kept = {kind["kind"]: kind["series_bytes"] for kind in client.get("/v1/storage").expect(200).json["kinds"]}
    print("torques of {}: opened in {:.0f} ms, zoomed in {:.0f} ms, down to samples in {:.0f} ms".format(count, *(1e3 * s for s in took)),
          f"{kept['identification'] / 1e6:.0f} MB")


def peaks(server):
    (worker,) = server.children("worker")
    return np.array([peak_memory(server.pid), peak_memory(worker)])


@pytest.mark.slow  # and sanitizers keep what was freed
def test_memory_does_not_depend_on_the_length(arm):
    arm.identify(arm.upload(SHORT)[0])
    before, began = peaks(arm.server), time.monotonic()
    dataset, sent = arm.upload(LONG)
    uploaded = time.monotonic()
    result = arm.identify(dataset)
    after, ended = peaks(arm.server), time.monotonic()
    print(f"{LONG} samples, {sent / 1e9:.2f} GB: upload {uploaded - began:.0f} s, identification {ended - uploaded:.0f} s; "
          f"resident server {after[0]:.0f} MiB, worker {after[1]:.0f} MiB, {after[0] - before[0]:.0f} and {after[1] - before[1]:.0f} more than for {SHORT}")

    assert 0.5 < result["errors"]["training"]["raw"]["relative_percent"] < 2  # 1 % was added
    for found, joint in zip(result["parameters"]["friction"], truth()["joints"]):
        for term in ("coulomb", "viscous"):
            assert found[term] == pytest.approx(joint["friction"][term], rel=0.05), (joint["name"], term)
    assert (after < 300).all(), after
    # the numbers alone are 8 x 13 bytes a sample
    assert SOAK or (after - before < LONG * 8 * 13 / 4 / 2**20).all(), (before, after)
    check_every_sample(arm.server, dataset, result)
