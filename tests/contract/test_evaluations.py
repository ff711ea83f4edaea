"""Evaluations: models held against data sets, by figures that follow from an identification's own samples or another call."""

import csv
import io
import math
import statistics

import numpy
import pytest

from support import robot, unique_name
from support.logs import simulated, upload

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def ended(client, name, kind, **request):
    return client.run_job(f"/v1/robots/{name}/{kind}", request)


def value(client, name, kind, **request):
    return client.result_of(f"/v1/robots/{name}/{kind}", request)


class Cell:
    """A SCARA whose model is 30 % too heavy and knows no friction; logs of the truth: a, b of one motion, c of another."""

    def __init__(self, client):
        truth, wrong = robot("scara"), robot("scara")
        self.name, self.truth = unique_name(), unique_name()
        for joint in wrong["joints"]:
            joint["link"]["mass"] *= 1.3
            joint["friction"] = {"coulomb": 0, "viscous": 0, "offset": 0.5}
        client.create_robot(truth, name=self.truth)
        client.create_robot(wrong, name=self.name)
        self.logs = [simulated(client, self.truth, seed) for seed in (1, 1, 2)]
        self.a, self.b, self.c = (upload(client, self.name, log, label) for log, label in zip(self.logs, "abc"))
        self.run = value(client, self.name, "identifications", datasets=[self.a], validation=[self.c], rotor_inertia=True,
                         friction=["auto"])
        self.model = f"identification:{self.run['id']}"


@pytest.fixture(scope="module")
def cell(server):
    with server.client() as client:
        yield Cell(client)


@pytest.fixture(scope="module")
def evaluation(server, cell):
    used = cell.run["conditioning"]
    with server.client() as client:
        yield value(client, cell.name, "evaluations", models=["revision:1", cell.model], datasets=[cell.c, cell.a, cell.b],
                    conditioning=used, tags={"part": "A7"})


def test_an_identification_is_judged_as_it_judged_itself(cell, evaluation):
    """The friction that the choice of terms left out of the model (the offset) is not in the evaluated one either."""
    of = {(e["model"], e["dataset"]): e for e in evaluation["evaluations"]}
    assert list(of) == [(m, d) for m in ("revision:1", cell.model) for d in (cell.c, cell.a, cell.b)]
    for dataset, role in ((cell.c, "validation"), (cell.a, "training")):
        own, told = cell.run["errors"][role], of[cell.model, dataset]["errors"]
        assert told["samples"] == own["samples"]
        for kind in ("filtered", "raw"):
            assert told[kind]["relative_percent"] == pytest.approx(own[kind]["relative_percent"], rel=1e-6)
            for a, b in zip(told[kind]["joints"], own[kind]["joints"]):
                assert a["rms"] == pytest.approx(b["rms"], rel=1e-6)
    assert of[cell.model, cell.c]["residuals"]["spectrum"]["frequency_hz"] == cell.run["residuals"]["spectrum"]["frequency_hz"]


def test_a_revision_is_judged_by_what_inverse_dynamics_says(client, cell):
    """Not filtered, so that the torques follow from the uploaded positions by calls: q of the log, its central differences."""
    rate, rows = 250, cell.logs[2]
    told = value(client, cell.name, "evaluations", models=["latest"], datasets=[cell.c],
                 conditioning={"position_cutoff_hz": 0, "torque_cutoff_hz": 0, "trim": 0.1})["evaluations"][0]["errors"]
    q = [row[1:5] for row in rows]
    difference = [[(b - a) * rate / 2 for a, b in zip(x, y)] for x, y in zip(q, q[2:])]
    qdd = [[(b - a) * rate / 2 for a, b in zip(x, y)] for x, y in zip(difference, difference[2:])]
    tau = client.post(f"/v1/robots/{cell.name}/inverse-dynamics", {"q": q[2:-2], "qd": difference[1:-1], "qdd": qdd},
                      check=False).expect(200).json["tau"][23:-23]
    measured = [row[5:] for row in rows[25:-25]]
    assert told["samples"] == len(tau)
    left = sum((a - b) ** 2 for x, y in zip(tau, measured) for a, b in zip(x, y))
    relative = 100 * math.sqrt(left / sum(b * b for y in measured for b in y))
    assert told["raw"]["relative_percent"] == pytest.approx(relative, rel=1e-3)


def test_what_was_trained_on_is_marked(cell, evaluation):
    marks = {(e["model"], e["dataset"]): (e["trained_on_this"], e["repeats_training"]) for e in evaluation["evaluations"]}
    assert marks[cell.model, cell.a] == (True, False)
    assert marks[cell.model, cell.b] == (False, True)
    assert marks[cell.model, cell.c] == (False, False)
    assert {marks["revision:1", d] for d in (cell.a, cell.b, cell.c)} == {(False, False)}
    warnings = [w for w in evaluation["warnings"] if w["code"] == "validation_repeats_training"]
    assert len(warnings) == 2
    assert cell.a in warnings[0]["detail"] and cell.b in warnings[1]["detail"]


def test_listed_and_referred_to(client, cell, evaluation):
    found = client.get("/v1/evaluations", query={"robot": cell.name, "datasets": cell.b}).expect(200).json["items"]
    assert [item["id"] for item in found] == [evaluation["id"]]
    worst = evaluation["evaluations"][0]["errors"]["raw"]["relative_percent"]
    assert found[0]["metrics"]["raw.relative_percent.1"] == worst > 10
    assert client.get(f"/v1/evaluations/{evaluation['id']}").expect(200).json["tags"] == {"part": "A7"}
    etag = client.get(f"/v1/identifications/{cell.run['id']}").etag
    refusal = client.delete(f"/v1/identifications/{cell.run['id']}", headers={"If-Match": etag}).expect(409).json["detail"]
    assert "evaluation" in refusal, refusal


def test_a_payload_is_part_of_what_is_judged(client):
    name, held = unique_name(), unique_name()
    bare, loaded = robot("puma560"), robot("puma560")
    loaded["payload"] = {"mass": 2.5, "com": [0.04, 0, 0.06], "inertia": {"xx": 0.02, "yy": 0.025, "zz": 0.015, "xy": 0, "xz": 0, "yz": 0}}
    client.create_robot(bare, name=name)
    client.create_robot(loaded, name=held)
    data = [upload(client, name, simulated(client, held, seed, amplitudes=(1.0, 0.7, 0.7, 1.2, 1.0, 1.5))) for seed in (1, 2)]
    found = value(client, name, "identifications", identify="payload", datasets=data[:1])
    told = value(client, name, "evaluations", models=["latest", f"identification:{found['id']}"], datasets=data[1:])
    without, with_load = (e["errors"]["raw"]["relative_percent"] for e in told["evaluations"])
    assert with_load < 1.5 and without > 5, (without, with_load)


@pytest.mark.parametrize("change, pointer, code", [
    ({"models": []}, "/models", "length"),
    ({"models": ["revision:0"]}, "/models/0", "pattern"),
    ({"models": ["identification:abc"]}, "/models/0", "pattern"),
    ({"models": [7]}, "/models/0", "type"),
    ({"models": ["latest", "latest"]}, "/models/1", "duplicate"),
    ({"models": [f"identification:{NOBODY}"]}, "/models/0", "inconsistent"),
    ({"models": [f"revision:{k + 1}" for k in range(9)]}, "/models/8", "length"),
    ({"datasets": []}, "/datasets", "length"),
    ({"datasets": [NOBODY]}, "/datasets/0", "inconsistent"),
    ({"models": [f"revision:{k + 1}" for k in range(8)], "datasets": [NOBODY[:-1] + c for c in "0123456"]}, "/datasets", "length"),
    ({"datasets": ...}, "/datasets", "required"),
    ({"colour": 1}, "/colour", "unknown_field"),
])
def test_faults_in_a_request(client, cell, change, pointer, code):
    request = {name: v for name, v in {"models": ["latest"], "datasets": [cell.c], **change}.items() if v is not ...}
    faults = client.post(f"/v1/robots/{cell.name}/evaluations", request).expect(422).json["errors"]
    assert (pointer, code) in [(f["pointer"], f["code"]) for f in faults], faults


def test_a_revision_that_does_not_exist(client, cell):
    job = ended(client, cell.name, "evaluations", models=["revision:9"], datasets=[cell.c])
    assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == "/models/0"
    assert "no revision" in job["problem"]["detail"]
    client.put(f"/v1/robots/{cell.name}/aliases/delivered", {"revision": 1}, headers={"If-None-Match": "*"}).expect(201)
    told = value(client, cell.name, "evaluations", models=["delivered"], datasets=[cell.c])
    assert told["models"] == [{"model": "delivered", "revision": 1, "lineage": {"identifications": [], "datasets": [], "written": [1],
                                                                      "gone": [], "complete": True}}]


# -- a leaderboard --


KINDS = ("raw", "parallel")


@pytest.fixture(scope="module")
def rival(server, cell):
    """Another model of the same log."""
    with server.client() as client:
        yield value(client, cell.name, "identifications", datasets=[cell.a], validation=[cell.c], rotor_inertia=True,
                    estimator="wls", friction=["coulomb", "viscous"], conditioning=cell.run["conditioning"])


@pytest.fixture(scope="module")
def board(server, cell, rival):
    with server.client() as client:
        yield value(client, cell.name, "evaluations", models=["revision:1", cell.model, f"identification:{rival['id']}"],
                    datasets=[cell.c], conditioning=cell.run["conditioning"], bootstrap={"seed": 3})


def residuals(client, run):
    """Of its validation, as measured: samples x joints, and the torques."""
    samples = client.get(f"/v1/identifications/{run['id']}/samples").expect(200).json
    here = numpy.array(samples["dataset"]) == 1
    measured, predicted = (numpy.array(samples[name])[here] for name in ("measured", "predicted"))
    return measured - predicted, measured


def drawn(blocks, rate, count, resamples):
    """Row numbers of resamples: blocks as the answer says, drawn by another generator; they go on at the beginning."""
    length, step = round(blocks["block_length"] * rate), round(blocks["step"] * rate)
    assert length % step == 0 and blocks["blocks"] == pytest.approx(count // step * step / length, rel=1e-12)
    count = count // step * step
    starts = step * numpy.random.default_rng(5).integers(0, count // step, size=(resamples, -(-count // length)))
    rows = (starts[:, :, None] + numpy.arange(length)) % count
    return rows.reshape(resamples, -1)[:, :count]


def percentiles(values, level, blocks):
    """Hesterberg's: those that the normal distribution has where Student's ends, for so few blocks."""
    t = numpy.quantile(numpy.random.default_rng(6).standard_t(blocks - 1, size=1_000_000), (1 + level) / 2)
    beyond = statistics.NormalDist().cdf(-t * math.sqrt(blocks / (blocks - 1)))
    return numpy.quantile(values, [beyond, 1 - beyond], axis=0)


def relative(errors, torques, rows):
    """In percent, of each joint and of all: resamples x (joints + 1)."""
    squares = [numpy.square(x)[rows].sum(axis=1) for x in (errors, torques)]
    squares = [numpy.hstack([x, x.sum(axis=1, keepdims=True)]) for x in squares]
    return 100 * numpy.sqrt(squares[0] / squares[1])


def test_intervals_are_those_of_another_bootstrap(client, cell, rival, board):
    how, rate = board["bootstrap"], board["conditioning"]["rate"]
    blocks, intervals = how["datasets"][0], [e["intervals"]["raw"] for e in board["evaluations"]]
    (own, torques), (other, _) = (residuals(client, run) for run in (cell.run, rival))
    rows = drawn(blocks, rate, len(torques), 1500)
    errors = [relative(e, torques, rows) for e in (own, other)]
    best = {cell.model: 0, f"identification:{rival['id']}": 1}[intervals[0]["best"]]
    for m in (0, 1):
        told = [*intervals[m + 1]["joints"], intervals[m + 1]]
        for values, name in ((errors[m], "interval_percent"), (errors[m] - errors[best], "difference_interval_percent")):
            low, high = percentiles(values, how["level"], blocks["blocks"])
            for j, one in enumerate(told):
                assert one[name] == pytest.approx([low[j], high[j]], abs=0.12 * (high[j] - low[j]) + 1e-12), (m, j, name)


def test_errors_and_differences_are_those_of_models_alone(client, cell, board):
    used = board["conditioning"]
    alone = [value(client, cell.name, "evaluations", models=[m["model"]], datasets=[cell.c], conditioning=used)["evaluations"][0]
             for m in board["models"]]
    assert [e["errors"] for e in board["evaluations"]] == [e["errors"] for e in alone]
    for kind in KINDS:
        errors = [e["errors"][kind] for e in board["evaluations"]]
        least = min(range(3), key=lambda m: errors[m]["relative_percent"])
        for e, error in zip(board["evaluations"], errors):
            told = e["intervals"][kind]
            assert told["best"] == board["models"][least]["model"]
            for one, own, best in zip([told, *told["joints"]], [error, *error["joints"]], [errors[least], *errors[least]["joints"]]):
                assert one["difference_percent"] == pytest.approx(own["relative_percent"] - best["relative_percent"], abs=1e-9)
                assert one["interval_percent"][0] < own["relative_percent"] < one["interval_percent"][1]


def test_equal_models_differ_by_nothing(client, cell):
    told = value(client, cell.name, "evaluations", models=["revision:1", "latest"], datasets=[cell.c])["evaluations"]
    for kind in KINDS:
        first, second = (e["intervals"][kind] for e in told)
        assert first == second
        for one in (second, *second["joints"]):
            assert one["difference_percent"] == 0 and one["difference_interval_percent"] == [0, 0]


def test_intervals_repeat_and_depend_on_what_is_asked(client, cell, board):
    def asked(**bootstrap):
        told = value(client, cell.name, "evaluations", models=[cell.model], datasets=[cell.c], bootstrap=bootstrap,
                     conditioning=board["conditioning"])
        return told["evaluations"][0]["intervals"]["raw"]["interval_percent"], told["bootstrap"]
    once, how = asked(seed=3, block_length=0.5)
    assert asked(seed=3, block_length=0.5) == (once, how)
    assert how["datasets"][0]["limited"] == (board["bootstrap"]["datasets"][0]["block_length"] > 0.5)
    assert how["datasets"][0]["block_length"] == pytest.approx(0.5, abs=how["datasets"][0]["step"])
    assert asked(seed=4, block_length=0.5)[0] != once
    narrow = asked(seed=3, block_length=0.5, level=0.6)[0]
    assert once[0] < narrow[0] < narrow[1] < once[1]


class Promoted:
    """The identification of the first 70 % of a log as revision 2; revision 3 is that with other limits, 4 all anew."""

    def __init__(self, client):
        wrong, self.name = robot("scara"), unique_name()
        for joint in wrong["joints"]:
            joint["link"]["mass"] *= 1.3
        client.create_robot(wrong, name=self.name)
        truth = unique_name()
        client.create_robot(robot("scara"), name=truth)
        log, other = (simulated(client, truth, seed) for seed in (1, 2))
        self.whole = upload(client, self.name, log, "whole")
        self.cut = upload(client, self.name, [[row[0] - log[1600][0], *row[1:]] for row in log[1600:2600]], "cut")
        self.other = upload(client, self.name, other, "=other|_1")
        self.run = value(client, self.name, "identifications", datasets=[self.whole], validation_fraction=0.3,
                         friction=["coulomb", "viscous"])
        codes = sorted({w["code"] for w in self.run["warnings"]})
        client.post(f"/v1/identifications/{self.run['id']}/promote", {"base_revision": 1, "acknowledge": codes}).expect(200)
        for change in ("limits", "mass"):
            answer = client.get(f"/v1/robots/{self.name}").expect(200)
            model = answer.json
            for joint in model["joints"]:
                if change == "limits":
                    joint["limits"]["velocity"] = 7
                else:
                    joint["link"]["mass"] += 0.5
                    joint["friction"] = {"viscous": 0.25}
            client.put(f"/v1/robots/{self.name}", model, headers={"If-Match": answer.etag}).expect(200)


@pytest.fixture(scope="module")
def promoted(server):
    with server.client() as client:
        yield Promoted(client)


@pytest.fixture(scope="module")
def marked(server, promoted):
    with server.client() as client:
        yield value(client, promoted.name, "evaluations", models=[f"revision:{k + 1}" for k in range(4)],
                    datasets=[promoted.whole, promoted.cut, promoted.other])


def test_leaks_are_marked_through_promotions(promoted, marked):
    leaks = {(e["model"], e["dataset"]): e["leaks"] for e in marked["evaluations"]}
    for model in ("revision:2", "revision:3"):
        (whole,), (cut,) = leaks[model, promoted.whole], leaks[model, promoted.cut]
        assert (whole["kind"], whole["dataset"], whole["identification"]) == ("same_dataset", promoted.whole, promoted.run["id"])
        assert whole["share_percent"] == pytest.approx(70, abs=0.1)
        assert (cut["kind"], cut["dataset"]) == ("same_samples", promoted.whole)
        assert cut["share_percent"] == pytest.approx(50, abs=0.2)
        assert leaks[model, promoted.other] == []
    assert all(leaks[model, data] == [] for model in ("revision:1", "revision:4") for data in marked["datasets"])
    best = {e["dataset"]: e["intervals"]["raw"]["best"] for e in marked["evaluations"]}
    assert best[promoted.other] in ("revision:2", "revision:3"), "no leak there"
    assert best[promoted.whole] in ("revision:1", "revision:4"), "the others have seen it"


def test_what_cannot_be_known_is_told(client, promoted, marked):
    lineages = [m["lineage"] for m in marked["models"]]
    assert [sorted(one["written"]) for one in lineages] == [[1], [1], [1, 3], [4]]
    for one, known in zip(lineages, (False, True, True, False)):
        assert one["identifications"] == [promoted.run["id"]] * known and one["datasets"] == [promoted.whole] * known
        assert one["complete"] and one["gone"] == []
    etag = client.get(f"/v1/identifications/{promoted.run['id']}").etag
    client.delete(f"/v1/identifications/{promoted.run['id']}", headers={"If-Match": etag}).expect(204)
    told = value(client, promoted.name, "evaluations", models=["revision:2"], datasets=[promoted.whole])
    assert told["models"][0]["lineage"] == {"identifications": [promoted.run["id"]], "datasets": [], "written": [],
                                            "gone": [promoted.run["id"]], "complete": False}
    assert told["evaluations"][0]["leaks"] == []


def table(client, evaluation, accept):
    answer = client.get(f"/v1/evaluations/{evaluation['id']}/table", headers={"Accept": accept}).expect(200)
    assert answer.content_type == accept
    return answer.text


def test_the_table_says_what_the_evaluation_says(client, promoted, marked):
    rows = list(csv.DictReader(io.StringIO(table(client, marked, "text/csv"))))
    entries = {(e["model"], e["dataset"]): e for e in marked["evaluations"]}
    assert len(rows) == len(entries) * 2 * 5
    for row in rows:
        e = entries[row["model"], row["dataset"]]
        errors, told = e["errors"][row["comparison"]], e["intervals"][row["comparison"]]
        assert row["best"] == told["best"] and row["leak"] == (e["leaks"][0]["kind"] if e["leaks"] else "")
        if row["joint"] != "all":
            errors, told = (x["joints"][int(row["joint"]) - 1] for x in (errors, told))
        assert float(row["relative_percent"]) == errors["relative_percent"]
        assert [float(row["low_percent"]), float(row["high_percent"])] == told["interval_percent"]
        assert float(row["difference_percent"]) == told["difference_percent"]
    assert {row["label"] for row in rows} == {"whole", "cut", "'=other|_1"}


def test_the_table_for_papers(client, promoted, marked):
    worst = marked["evaluations"][2]
    raw, interval = worst["errors"]["raw"]["relative_percent"], worst["intervals"]["raw"]["interval_percent"]
    figure = f"{raw:.2f} [{interval[0]:.2f}, {interval[1]:.2f}]"
    lines = table(client, marked, "text/markdown").splitlines()
    assert [line.count("|") - line.count("\\|") for line in lines[:14]] == [11] * 14, "a head, a rule, and a row for each"
    assert f"| =other\\|\\_1 | revision:1 | {figure} |" in lines[10]
    assert [("†" in line) for line in lines[2:14]] == [False, True, True, False] * 2 + [False] * 4
    latex = table(client, marked, "application/x-latex")
    assert f"=other\\textbar{{}}\\_1 & revision:1 & {figure} &" in latex
    assert latex.count("$^\\dagger$") == 5 and "\\begin{tabular}{llrrrrrrrr}" in latex
    assert client.get(f"/v1/evaluations/{marked['id']}/table").expect(200).content_type == "text/csv"
    client.get(f"/v1/evaluations/{marked['id']}/table", headers={"Accept": "image/png"}).expect(406)
    client.get(f"/v1/evaluations/{NOBODY}/table").expect(404)


@pytest.mark.parametrize("bootstrap, pointer, code", [
    ({"resamples": 199}, "/bootstrap/resamples", "minimum"),
    ({"level": 1}, "/bootstrap/level", "maximum"),
    ({"block_length": 0}, "/bootstrap/block_length", "minimum"),
    ({"seed": -1}, "/bootstrap/seed", "minimum"),
    ({"method": "x"}, "/bootstrap/method", "unknown_field"),
])
def test_faults_in_a_bootstrap(client, cell, bootstrap, pointer, code):
    request = {"models": ["latest"], "datasets": [cell.c], "bootstrap": bootstrap}
    faults = client.post(f"/v1/robots/{cell.name}/evaluations", request).expect(422).json["errors"]
    assert (pointer, code) in [(f["pointer"], f["code"]) for f in faults], faults


def test_blocks_that_do_not_fit_and_logs_without_any(client, cell):
    job = ended(client, cell.name, "evaluations", models=["latest"], datasets=[cell.c], bootstrap={"block_length": 4})
    assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == "/bootstrap/block_length"
    assert cell.c in job["problem"]["detail"] and "4 s" in job["problem"]["detail"]
    short = upload(client, cell.name, cell.logs[2][:60], "short")
    told = value(client, cell.name, "evaluations", models=["latest"], datasets=[short],
                 conditioning={"position_cutoff_hz": 0, "torque_cutoff_hz": 0, "trim": 0.06})
    assert told["evaluations"][0]["intervals"] is None and told["bootstrap"]["datasets"][0]["blocks"] is None
    assert "few_blocks" in [w["code"] for w in told["warnings"]]


def test_other_numbers_of_joints(client):
    name, model = unique_name(), robot("scara")
    client.create_robot(model, name=name)
    four = upload(client, name, simulated(client, name))
    answer = client.get(f"/v1/robots/{name}").expect(200)
    model = answer.json
    del model["joints"][-1]
    client.put(f"/v1/robots/{name}", model, headers={"If-Match": answer.etag}).expect(200)
    three = upload(client, name, simulated(client, name, amplitudes=(1.0, 1.0, 0.08)))
    for models, datasets, pointer in ((["latest", "revision:1"], [three], "/models/1"), (["latest"], [three, four], "/datasets/1")):
        job = ended(client, name, "evaluations", models=models, datasets=datasets)
        assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == pointer
        assert "4 joints" in job["problem"]["detail"]
