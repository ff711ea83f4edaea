"""Data sets: what is uploaded is what is kept, in any format; its quality; what is written on it; its samples and plots."""

import base64
import gzip
import hashlib
import io
import json

import numpy as np
import pytest

from support import npy_read, unique_name
from support.datasets import ARM, NAMES, a_log, as_csv, upload

MERGE = "application/merge-patch+json"
NPY = "application/x-npy"
NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture
def arm(client):
    return client.create_robot(ARM, name=unique_name()).headers["Location"]


def npy(table, dtype="<f8"):
    out = io.BytesIO()
    np.save(out, np.asarray(table, dtype=dtype))
    return out.getvalue()


def as_json(table):
    table = np.asarray(table).tolist()
    return json.dumps({"q": [r[1:3] for r in table], "t": [r[0] for r in table], "tau": [r[3:5] for r in table]})


def samples(client, dataset, **query):
    answer = client.get(f"/v1/datasets/{dataset['id']}/samples", query=query, headers={"Accept": NPY}).expect(200)
    shape, values = npy_read(answer.body)
    return answer.headers["Columns"].split(","), np.array(values).reshape(shape)


def faults(answer, status=422):
    return answer.expect(status).json["errors"]


# -- what is kept --

def test_a_log_is_kept_as_it_is(client, arm):
    log = a_log()
    answer = upload(client, arm, as_csv(log), query={"label": "m1"}).expect(201)
    dataset = answer.json
    assert answer.headers["Location"] == f"/v1/datasets/{dataset['id']}"
    names, kept = samples(client, dataset)
    assert names == NAMES and kept.tobytes() == log.tobytes()
    assert dataset["sha256"] == hashlib.sha256(log.tobytes()).hexdigest()
    assert dataset["source"] == {"media_type": "text/csv", "mapping": None,
                                 "sha256": hashlib.sha256(as_csv(log).encode()).hexdigest()}
    assert (dataset["samples"], dataset["label"], dataset["revision"]) == (500, "m1", 1)
    assert dataset["duration"] == pytest.approx(0.499) and dataset["rate"] == pytest.approx(1000)
    assert [c["name"] for c in dataset["columns"]] == NAMES
    assert [c["unit"] for c in dataset["columns"]] == ["s", "rad", "m", "N*m", "N"]
    for column, values in zip(dataset["columns"], log.T):
        assert (column["min"], column["max"]) == (values.min(), values.max())
        assert column["rms"] == pytest.approx(np.sqrt(np.mean(values**2)))
    assert dataset["quality"] == [] and dataset["conditions"] == {}
    again = client.get(answer.headers["Location"])
    assert again.json == dataset and again.etag == answer.etag
    assert client.get(answer.headers["Location"], headers={"If-None-Match": again.etag}).status == 304


def test_formats_say_the_same(client, arm):
    """The hash is of the samples, not of the text: however a log is written, it is the same data."""
    log = a_log(300)
    shuffled = [3, 0, 4, 2, 1]
    bodies = [(as_csv(log), "text/csv"), (as_csv(log, end="\r\n"), "text/csv"), (npy(log), NPY), (as_json(log), "application/json"),
              (as_csv(log[:, shuffled], [NAMES[i] for i in shuffled]), "text/csv"), ("\ufeff" + as_csv(log).rstrip("\n"), "text/csv")]
    hashes = {upload(client, arm, body, kind).expect(201).json["sha256"] for body, kind in bodies}
    assert hashes == {hashlib.sha256(log.tobytes()).hexdigest()}
    single = upload(client, arm, npy(log, "<f4"), NPY).expect(201).json
    assert samples(client, single)[1].tobytes() == log.astype("<f4").astype("<f8").tobytes()


@pytest.mark.parametrize("fields, present", [
    ("t,q", ["t", "q"]), ("t,q,qd", ["t", "q", "qd"]), ("t,q,qd,tau", ["t", "q", "qd", "tau"]),
    ("tau,t,q", ["t", "q", "tau"]), ("t,q,qd,qdd,tau", ["t", "q", "qd", "qdd", "tau"])])
def test_columns_of_npy_are_named_by_fields(client, arm, fields, present):
    width = sum(1 if f == "t" else 2 for f in fields.split(","))
    table = np.random.default_rng(3).normal(size=(50, width))
    time = [f for f in fields.split(",")].index("t") * 2
    table[:, time] = np.arange(50)
    dataset = upload(client, arm, npy(table), NPY, query={"fields": fields}).expect(201).json
    names, kept = samples(client, dataset)
    assert names == [n for f in present for n in (["t"] if f == "t" else [f + "1", f + "2"])]
    where, at = {}, 0
    for f in fields.split(","):
        for n in (["t"] if f == "t" else [f + "1", f + "2"]):
            where[n], at = at, at + 1
    assert (kept == table[:, [where[n] for n in names]]).all()


def test_currents_become_torques_by_the_drives(client, arm):
    log = a_log(100)
    dataset = upload(client, arm, as_csv(log, ["t", "q1", "q2", "i1", "i2"])).expect(201).json
    assert dataset["conditions"] == {"torque_source": "current"}
    kept = samples(client, dataset)[1]
    assert kept[:, 3] == pytest.approx(log[:, 3] * 0.125 * -50) and kept[:, 4] == pytest.approx(log[:, 4] * 0.25 * 512)
    coupled = {**ARM, "transmission": {"matrix": [[-50, 0], [20, 512]]}}
    place = client.create_robot(coupled, name=unique_name()).headers["Location"]
    kept = samples(client, upload(client, place, as_csv(log, ["t", "q1", "q2", "i1", "i2"])).expect(201).json)[1]
    motor = log[:, 3:] * [0.125, 0.25]
    assert kept[:, 3:] == pytest.approx(motor @ np.array([[-50, 0], [20, 512]]))  # tau = matrix^T motor
    bare = {**ARM, "joints": [ARM["joints"][0], {**ARM["joints"][1], "drive": {}}]}
    place = client.create_robot(bare, name=unique_name()).headers["Location"]
    told = faults(upload(client, place, as_csv(log, ["t", "q1", "q2", "i1", "i2"])))
    assert len(told) == 1 and "i2" in told[0]["detail"] and "torque_constant" in told[0]["detail"]


def test_compressed_logs(client, arm):
    log = a_log(4000)
    text = as_csv(log).encode()
    two_members = gzip.compress(text[:1000]) + gzip.compress(text[1000:])
    for body in (gzip.compress(text), two_members):
        dataset = upload(client, arm, body, headers={"Content-Encoding": "gzip"}).expect(201).json
        assert dataset["sha256"] == hashlib.sha256(log.tobytes()).hexdigest()
        assert dataset["source"]["sha256"] == hashlib.sha256(body).hexdigest()
    for bad, said in ((gzip.compress(text)[:-9], "ends before its end"), (text, "no gzip"), (two_members + b"more", "no gzip"), (b"", "")):
        problem = upload(client, arm, bad, headers={"Content-Encoding": "gzip"}).expect(400).json
        assert said in problem["detail"]
    assert upload(client, arm, text, headers={"Content-Encoding": "br"}).status == 415


def test_digests_are_checked(client, arm):
    text = as_csv(a_log()).encode()
    good = base64.b64encode(hashlib.sha256(text).digest()).decode()
    other = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
    upload(client, arm, text, headers={"Content-Digest": f"sha-256=:{good}:"}).expect(201)
    upload(client, arm, text, headers={"Content-Digest": f"md5=:AAAA:, sha-256=:{good}:"}).expect(201)
    packed = gzip.compress(text)
    digest = base64.b64encode(hashlib.sha256(packed).digest()).decode()  # of what is sent
    upload(client, arm, packed, headers={"Content-Digest": f"sha-256=:{digest}:", "Content-Encoding": "gzip"}).expect(201)
    told = faults(upload(client, arm, text, headers={"Content-Digest": f"sha-256=:{other}:"}))
    assert told[0]["header"] == "Content-Digest" and good in told[0]["detail"]
    for bad in ("", "sha-256", f"sha-256={good}", "sha-256=:!!!:", "sha-256=:AAAA:", "md5=:AAAA:"):
        assert faults(upload(client, arm, text, headers={"Content-Digest": bad}), 400)[0]["header"] == "Content-Digest"


def test_the_same_key_keeps_a_log_once(client, arm):
    text, key = as_csv(a_log()), {"Idempotency-Key": unique_name("upload")}
    first = upload(client, arm, text, headers=key).expect(201)
    second = upload(client, arm, text, headers=key).expect(201)
    assert second.json == first.json and second.headers["Idempotency-Replayed"] == "true"
    assert upload(client, arm, as_csv(a_log(501)), headers=key).expect(422).json["type"] == "/problems/idempotency-mismatch"


# -- what is refused --

LINES = as_csv(a_log(5)).splitlines()


def lines(change):
    """The log with line k (0: the names) replaced."""
    return "\n".join(change.get(k, line) for k, line in enumerate(LINES) if change.get(k, line) is not None) + "\n"


@pytest.mark.parametrize("text, status, place, said", [
    ("", 400, {"pointer": ""}, "name the columns"),
    ("t,q1,q2,tau1,tau2\n", 422, {"pointer": ""}, "at least 2 samples, got 0"),
    (lines({2: None, 3: None, 4: None, 5: None}), 422, {"pointer": ""}, "at least 2 samples, got 1"),
    (lines({0: "t,q1,tau1,tau2"}), 422, {"pointer": ""}, '"q2" is missing'),
    (lines({0: "0,1,2,3,4"}), 422, {"pointer": ""}, 'names the columns. A mapping with "header": false'),
    (lines({0: "t q1 q2 tau1 tau2"}), 422, {"pointer": ""}, 'not blanks: a mapping has their "delimiter"'),
    (lines({0: "t;q1;q2;tau1;tau2"}), 422, {"pointer": ""}, 'not semicolons: a mapping has their "delimiter"'),
    (lines({0: "Time,q1,q2,tau1,tau2"}), 422, {"pointer": ""}, 'or has "time": {"rate": 1000}'),
    (lines({0: "t,q1,q2,tau1"}), 422, {"pointer": ""}, "tau2 is missing"),
    (lines({0: "t,q1,q2,tau1,torque2"}), 422, {"pointer": ""}, "not known"),
    (lines({0: "t,q1,q2,tau1,i1"}), 422, {"pointer": ""}, "leave one of them out"),
    (lines({0: "t,q1,q1,tau1,tau2"}), 422, {"pointer": ""}, "twice"),
    (lines({0: "t,q1,q2,tau1,tau3"}), 422, {"pointer": ""}, "not known"),
    (lines({3: "0.002,nan,0,1,1"}), 422, {"row": 2, "column": 1}, "finite"),
    (lines({3: "0.002,0,-Inf,1,1"}), 422, {"row": 2, "column": 2}, "finite"),
    (lines({3: "0.002,0,1e13,1,1"}), 422, {"row": 2, "column": 2}, "within"),
    (lines({3: "0.002,0,,1,1"}), 422, {"row": 2, "column": 2}, "empty"),
    (lines({3: "0.002,0,x,1,1"}), 422, {"row": 2, "column": 2}, "number"),
    (lines({3: "0.002,0,0,1"}), 422, {"row": 2, "column": 4}, "4 fields"),
    (lines({3: "0.002,0,0,1,1,1"}), 422, {"row": 2, "column": 5}, "6 fields"),
    (lines({3: "0.0005,0,0,1,1"}), 422, {"row": 2, "column": 0}, "runs backwards: 0.0005 s after 0.001 s"),
    (lines({3: "0.001,0,0,1,1"}), 422, {"row": 2, "column": 0}, "that of the row before"),
    (lines({3: '0.002,"0,0,1,1'}), 400, {"pointer": ""}, "line 4"),
    (lines({3: "0" * 70000}), 400, {"pointer": ""}, "65536"),
], ids=lambda v: v[:12] if isinstance(v, str) else None)
def test_bad_rows_are_told(client, arm, text, status, place, said):
    told = faults(upload(client, arm, text), status)
    assert any(place.items() <= fault.items() and said in fault["detail"] for fault in told), told


def test_every_fault_is_found(client, arm):
    log = a_log(1000)
    log[100:300, 2] = np.nan
    problem = upload(client, arm, as_csv(log)).expect(422).json
    assert problem["error_count"] == 200 and len(problem["errors"]) == 100
    problem = upload(client, arm, npy(log), NPY).expect(422).json
    assert problem["error_count"] == 200 and {(e["row"], e["column"]) for e in problem["errors"]} == {(r, 2) for r in range(100, 200)}


@pytest.mark.parametrize("body, status, said", [
    (lambda: npy(a_log()[:, :4]), 422, "4 columns"),
    (lambda: npy(a_log())[:-8], 422, "the data ends in row 499"),
    (lambda: npy(a_log()) + bytes(40), 422, "more data"),
    (lambda: npy(a_log())[:50], 400, "header"),
    (lambda: b"", 400, "not a .npy file"),
    (lambda: npy(np.asfortranarray(a_log())), 422, "ascontiguousarray"),
    (lambda: npy(a_log(), "<i4"), 422, "integer"),
    (lambda: npy(a_log()[::-1]), 422, "runs backwards"),
])
def test_bad_npy_is_told(client, arm, body, status, said):
    assert said in faults(upload(client, arm, body(), NPY), status)[0]["detail"]


@pytest.mark.parametrize("body, status, said", [
    ("{}", 422, '"t" is missing'), ("[]", 422, "a log"), ("", 400, ""), ('{"t": [0, 1', 400, ""),
    ('{"t": [0, 1], "q": [[0, 0]]}', 422, '"q" has 1 rows'), ('{"t": [0, 1], "q": [[0, 0], [1]]}', 422, "2"),
    ('{"t": [0, 1], "q": [[0, 0], [1, 1]], "x": 1}', 422, "no field of a log"), ('{"t": [0, 1]}', 422, "q1 is missing"),
    ('{"t": [1, 0], "q": [[0, 0], [1, 1]]}', 422, "runs backwards"), ('{"t": [0, 1], "t": [0, 1]}', 422, "more than once"),
])
def test_bad_json_is_told(client, arm, body, status, said):
    assert any(said in e["detail"] for e in faults(upload(client, arm, body, "application/json", check=False), status))


def test_requests_that_cannot_be_right(client, arm):
    text = as_csv(a_log())
    assert upload(client, "/v1/robots/nobody", text).status == 404
    assert upload(client, arm, text, "text/plain").status == 415
    for query, name in (({"label": "x" * 129}, "label"), ({"mapping": "nobody"}, "mapping"), ({"preview": "2"}, "preview"),
                        ({"fields": "t,q"}, "fields"), ({"lable": "x"}, "lable")):
        assert faults(upload(client, arm, text, query=query))[0]["parameter"] == name
    for fields in ("q", "t,t", "t,q,x", "", "t,q,", "t,q,tau,i"):
        assert upload(client, arm, npy(a_log()), NPY, query={"fields": fields}).status == 422
    log = npy(a_log())
    assert faults(upload(client, arm, log, NPY, query={"mapping": "m"}))[0]["parameter"] == "mapping"


# -- mappings --

MAPPING = {"delimiter": ";", "decimal": ",", "encoding": "windows-1252", "skip_rows": 2, "time": {"column": "Zeit", "unit": "ms"},
           "columns": {"q1": {"column": "Winkel °", "unit": "deg", "sign": -1, "offset": 90}, "q2": {"column": "Weg", "unit": "mm", "scale": 2},
                       "tau1": {"column": "M1", "unit": "permille_rated"},
                       "tau2": {"column": "I2", "unit": "percent_rated", "rated_torque": 32}}}
TRACE = "Trace of axis\n\nZeit;Winkel °;Weg;Status;M1;I2\n0,5;10,25;-3;ok;100;250\n1,5;10,5;-2,5;ok;-50;+300\n\n2,5;1e1;0;warn;0;0\n"
EXPECTED = [[0.0005, np.radians(90 - 10.25), -0.006, 8, 80], [0.0015, np.radians(90 - 10.5), -0.005, -4, 96],
            [0.0025, np.radians(80), 0, 0, 0]]


def put_mapping(client, mapping):
    name = unique_name("trace")
    client.put(f"/v1/mappings/{name}", mapping, headers={"If-None-Match": "*"}).expect(201)
    return name


@pytest.mark.parametrize("encoding, codec", [("windows-1252", "cp1252"), ("utf-8", "utf-8"), ("utf-16", "utf-16"), ("utf-16", "utf-16-be")])
def test_a_mapping_reads_the_logs_of_a_drive(client, arm, encoding, codec):
    name = put_mapping(client, {**MAPPING, "encoding": encoding})
    body = ("\ufeff" if codec == "utf-16-be" else "").encode(codec) + TRACE.encode(codec)
    shown = upload(client, arm, body, query={"mapping": name, "preview": "true"}).expect(200).json
    assert shown["columns"] == ["Zeit", "Winkel °", "Weg", "M1", "I2"]
    assert shown["read"] == [[0.5, 10.25, -3, 100, 250], [1.5, 10.5, -2.5, -50, 300], [2.5, 10, 0, 0, 0]]
    assert shown["converted"]["columns"] == NAMES and np.array(shown["converted"]["rows"]) == pytest.approx(np.array(EXPECTED))
    dataset = upload(client, arm, body, query={"mapping": name}).expect(201).json
    assert dataset["source"]["mapping"] == name
    assert samples(client, dataset)[1] == pytest.approx(np.array(EXPECTED))


def test_a_mapping_turns_currents_into_torques(client, arm):
    mapping = {**MAPPING, "columns": {**MAPPING["columns"], "i1": {"column": "M1", "unit": "A"}, "i2": {"column": "I2", "unit": "mA"}}}
    del mapping["columns"]["tau1"], mapping["columns"]["tau2"]
    dataset = upload(client, arm, TRACE.encode("cp1252"), query={"mapping": put_mapping(client, mapping)}).expect(201).json
    assert samples(client, dataset)[1][:, 3:] == pytest.approx(np.array([[100, 0.25], [-50, 0.3], [0, 0]]) * [0.125 * -50, 0.25 * 512])


def test_previews_keep_nothing_and_end_early(client, arm):
    before = client.get("/v1/datasets", query={"robot": arm.split("/")[-1]}).json["items"]
    log = a_log(100)
    log[60, 1] = np.nan
    shown = upload(client, arm, as_csv(log), query={"preview": "true"}).expect(200).json
    assert np.array(shown["converted"]["rows"]).tobytes() == log[:20].tobytes() and shown["read"] == shown["converted"]["rows"]
    assert upload(client, arm, npy(log), NPY, query={"preview": "true"}).expect(200).json == shown
    log[7, 1] = np.nan
    assert faults(upload(client, arm, as_csv(log), query={"preview": "true"}))[0]["row"] == 7
    assert before == client.get("/v1/datasets", query={"robot": arm.split("/")[-1]}).json["items"] == []


@pytest.mark.parametrize("change, said", [
    ({"columns": {**MAPPING["columns"], "q2": {"column": "Weg", "unit": "deg"}}}, "prismatic"),
    ({"columns": {**MAPPING["columns"], "q3": {"column": "Weg", "unit": "mm"}}}, "2 joints"),
    ({"columns": {**MAPPING["columns"], "tau2": {"column": "M1", "unit": "permille_rated"}}}, "rated_torque"),
    ({"columns": {"q1": MAPPING["columns"]["q1"]}}, "q2 is missing"),
    ({"time": {"column": "Time", "unit": "ms"}}, '"Time" is missing'),
])
def test_mappings_that_do_not_fit(client, arm, change, said):
    mapping = {**MAPPING, **change}
    mapping["columns"] = {k: v for k, v in mapping["columns"].items() if v}
    told = faults(upload(client, arm, TRACE.encode("cp1252"), query={"mapping": put_mapping(client, mapping)}))
    assert any(said in e["detail"] for e in told), told


@pytest.mark.parametrize("change, pointer", [
    ({"time": None}, "/time"), ({"delimiter": ","}, "/decimal"), ({"delimiter": "x"}, "/delimiter"), ({"encoding": "latin-9"}, "/encoding"),
    ({"skip_rows": -1}, "/skip_rows"), ({"other": 1}, "/other"), ({"columns": {"x1": {"column": "a", "unit": "deg"}}}, "/columns/x1"),
    ({"columns": {"q0": {"column": "a", "unit": "deg"}}}, "/columns/q0"), ({"columns": {"q1": {"column": "a"}}}, "/columns/q1/unit"),
    ({"columns": {"q1": {"column": "a", "unit": "N*m"}}}, "/columns/q1/unit"), ({"columns": {"q1": {"column": "a", "unit": "deg", "sign": 0}}}, "/columns/q1/sign"),
    ({"columns": {"q1": {"column": "a", "unit": "deg", "scale": 0}}}, "/columns/q1/scale"), ({"time": {"column": "a", "unit": "deg"}}, "/time/unit"),
    ({"columns": {"tau1": {"column": "a", "unit": "N*m"}, "i1": {"column": "b", "unit": "A"}}}, "/columns"),
    ({"time": {"rate": 0}}, "/time/rate"), ({"time": {"rate": 250, "unit": "s"}}, "/time/rate"), ({"time": {"column": "a"}}, "/time/unit"),
    ({"time": {"unit": "ms"}}, "/time/column"), ({"time": {"number": 257, "unit": "s"}}, "/time/number"),
    ({"time": {"column": "a", "unit": "s", "side": "motor"}}, "/time/side"),
    ({"columns": {"q1": {"unit": "deg"}}}, "/columns/q1/column"), ({"columns": {"q1": {"unit": "deg", "rate": 3, "number": 1}}}, "/columns/q1/rate"),
    ({"columns": {"q1": {"column": "a", "number": 1, "unit": "deg"}}}, "/columns/q1/number"), ({"header": False}, "/time/column"),
    ({"header": False, "time": {"rate": 5}}, "/columns/tau2/column"), ({"header": "no"}, "/header"),
    ({"columns": {"q1": {"column": "a", "unit": "deg", "side": "motor"}, "q2": {"column": "b", "unit": "mm"}}}, "/columns"),
])
def test_bad_mappings_are_told(client, change, pointer):
    mapping = {k: v for k, v in {**MAPPING, **change}.items() if v is not None}
    told = faults(client.put(f"/v1/mappings/{unique_name('bad')}", mapping, headers={"If-None-Match": "*"}))
    assert pointer in [e["pointer"] for e in told]


# Logs of numpy.savetxt: blanks, no names, no clock; by motors whose positions are coupled.
BARE = {"header": False, "delimiter": " ", "time": {"rate": 250},
        "columns": {name: {"number": k, "unit": unit, "side": "motor"} for k, (name, unit) in
                    enumerate({"q2": "deg", "q1": "rev", "qd1": "rpm", "qd2": "rad/s", "tau1": "N*m", "tau2": "N*mm"}.items(), 2)}}
TURNS = np.array([2 * np.pi, np.pi / 180, np.pi / 30, 1, 1, 1e-3])


@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("numbers", ["%.17g", "%+25.16e"])
def test_a_log_without_names_and_clock_by_motors(client, coupled, numbers):
    ratios = np.array([[-50.0, 0], [0, 512]])
    matrix = np.array([[-50.0, 30], [8, 512]])
    model = {**ARM, "transmission": {"matrix": matrix.tolist()}} if coupled else ARM
    arm = client.create_robot(model, name=unique_name()).headers["Location"]
    log = np.random.default_rng(11).uniform(-40, 40, (30, 8))
    text = io.StringIO()
    np.savetxt(text, log, fmt=numbers)
    name = put_mapping(client, BARE)
    dataset = upload(client, arm, text.getvalue(), query={"mapping": name}).expect(201).json
    names, kept = samples(client, dataset)
    q2, q1, qd1, qd2, tau1, tau2 = (log[:, 1:7] * TURNS[[1, 0, 2, 3, 4, 5]]).T
    to_motor = matrix if coupled else ratios
    assert names == ["t", "q1", "q2", "qd1", "qd2", "tau1", "tau2"]
    assert kept[:, 0] == pytest.approx(np.arange(30) / 250)
    assert kept[:, 1:3] @ to_motor.T == pytest.approx(np.array([q1, q2]).T, abs=1e-12)
    assert kept[:, 3:5] @ to_motor.T == pytest.approx(np.array([qd1, qd2]).T, abs=1e-12)
    assert np.sum(kept[:, 5:] * kept[:, 3:5], axis=1) == pytest.approx(tau1 * qd1 + tau2 * qd2)  # no power is lost
    shown = upload(client, arm, text.getvalue(), query={"mapping": name, "preview": "true"}).expect(200).json
    assert shown["columns"] == [None, "3", "2", "4", "5", "6", "7"] and shown["converted"]["rows"][3] == pytest.approx(kept[3])


def test_blanks_between_names_and_a_clock_by_number(client, arm):
    mapping = {"delimiter": " ", "skip_rows": 1, "time": {"number": 1, "unit": "ms"},
               "columns": {"q1": {"column": "turn angle", "unit": "rad"}, "q2": {"column": "slide", "unit": "mm"}}}
    text = 'made by a drive\n time\t"turn angle"   slide note\r\n\n 0 1.5\t -20  a \r\n  \n4   1.75 30 "b c"\n'
    dataset = upload(client, arm, text, query={"mapping": put_mapping(client, mapping)}).expect(201).json
    assert samples(client, dataset)[1].tolist() == [[0, 1.5, -0.02], [0.004, 1.75, 0.03]]


@pytest.mark.parametrize("text, said", [
    ("1 2 3\n4 5 6\n", "column 7 is missing: there are 3"),
    ("1 2 3 4 5 6 7\n1 2 3 4 5 6\n", "line 2 has 6 fields, the first sample 7"),
    ("1 2 3 4 5 6 7\n1 2 3 4 x 6 7\n", '"x"'), ("\n \n", "no sample"), ("", "no sample"), ('1 "2"3\n', "quote"),
])
def test_a_log_without_names_that_is_wrong(client, arm, text, said):
    answer = upload(client, arm, text, query={"mapping": put_mapping(client, BARE)})
    assert answer.status in (400, 422) and said in json.dumps(answer.json["errors"]).replace('\\"', '"'), answer.json


def test_units_at_motors_are_of_what_turns(client, arm):
    columns = {**BARE["columns"], "q2": {"number": 2, "unit": "mm", "side": "motor"}, "tau1": {"number": 6, "unit": "permille_rated", "side": "motor"}}
    told = faults(upload(client, arm, "1 2 3 4 5 6 7\n", query={"mapping": put_mapping(client, {**BARE, "columns": columns})}))
    assert any("motor 2" in e["detail"] and "'rad'" in e["detail"] for e in told) and any("rated_torque" in e["detail"] for e in told), told


def test_mappings_are_resources(client):
    name = put_mapping(client, MAPPING)
    path = f"/v1/mappings/{name}"
    got = client.get(path).expect(200)
    assert {k: v for k, v in got.json.items() if k not in ("name", "created_at")} == MAPPING
    bare = client.get(f"/v1/mappings/{put_mapping(client, BARE)}").expect(200).json
    assert {k: v for k, v in bare.items() if k in BARE} == BARE
    assert name in [m["name"] for m in client.get("/v1/mappings", query={"limit": 200}).expect(200).json["items"]]
    assert client.put(path, MAPPING).status == 428
    assert client.put(path, MAPPING, headers={"If-None-Match": "*"}).status == 412
    changed = client.put(path, {**got.json, "skip_rows": 3}, headers={"If-Match": got.etag}).expect(200)
    assert changed.json["skip_rows"] == 3 and client.put(path, MAPPING, headers={"If-Match": got.etag}).status == 412
    assert client.put("/v1/mappings/NAME", MAPPING, headers={"If-None-Match": "*"}).status == 422
    assert client.delete(path, headers={"If-Match": got.etag}).status == 412
    client.delete(path, headers={"If-Match": changed.etag}).expect(204)
    assert client.get(path).status == 404 and client.put(path, MAPPING, headers={"If-Match": got.etag}).status == 404
    again = client.put(path, MAPPING, headers={"If-None-Match": "*"}).expect(201)
    assert again.etag not in (got.etag, changed.etag)


# -- what is written on it --

def test_what_people_write(client, arm):
    dataset = upload(client, arm, as_csv(a_log()), query={"label": "m1"}).expect(201)
    path, etag = dataset.headers["Location"], dataset.etag

    def patch(body, **headers):
        return client.request("PATCH", path, json=body, headers={"Content-Type": MERGE, **headers})
    assert patch({"label": "x"}).status == 428
    conditions = {"payload": {"mass": 2, "com": [0, 0, 0.1], "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01, "xy": 0, "xz": 0, "yz": 0}},
                  "gravity": [0, 0, 9.81], "torque_source": "sensor", "torque_side": "motor", "temperature": 35}
    first = patch({"conditions": conditions, "tags": {"cell": "4", "day": "1"}, "notes": "<b>warm</b>", "job_order_id": "JO-1"},
                  **{"If-Match": etag}).expect(200)
    assert first.json["conditions"] == conditions and first.json["tags"] == {"cell": "4", "day": "1"}
    assert (first.json["label"], first.json["notes"], first.json["job_order_id"]) == ("m1", "<b>warm</b>", "JO-1")
    assert patch({"label": "x"}, **{"If-Match": etag}).status == 412
    second = patch({"conditions": {"payload": {"mass": 3}, "torque_side": None, "gravity": None}, "tags": {"day": None}, "label": None},
                   **{"If-Match": first.etag}).expect(200).json
    assert second["conditions"] == {"payload": {**conditions["payload"], "mass": 3}, "torque_source": "sensor", "temperature": 35}
    assert second["tags"] == {"cell": "4"} and second["label"] == "" and second["notes"] == "<b>warm</b>"
    assert {k: second[k] for k in ("sha256", "columns", "quality")} == {k: dataset.json[k] for k in ("sha256", "columns", "quality")}
    for body, pointer in (({"conditions": {"torque_source": "guess"}}, "/conditions/torque_source"), ({"samples": 3}, "/samples"),
                          ({"conditions": {"payload": {"mass": -1}}}, "/conditions/payload/mass"), ({"label": "x" * 129}, "/label"),
                          ({"conditions": {"wind": 1}}, "/conditions/wind"), ({"tags": {"a": 1}}, "/tags/a")):
        answer = client.request("PATCH", path, json=body, headers={"Content-Type": MERGE, "If-Match": "*"}, check=False)
        assert pointer in [e["pointer"] for e in faults(answer)], body
    assert client.request("PATCH", path, json=[1], headers={"Content-Type": MERGE, "If-Match": "*"}, check=False).status == 422


def test_lists_find_what_is_asked_for(client, arm):
    name = arm.split("/")[-1]
    for label, count in (("drive in", 100), ("warm run", 300), ("cold run", 200)):
        upload(client, arm, as_csv(a_log(count)), query={"label": label}).expect(201)

    def labels(**query):
        return [d["label"] for d in client.get("/v1/datasets", query={"robot": name, **query}).expect(200).json["items"]]
    assert labels() == ["cold run", "warm run", "drive in"]
    assert labels(sort="samples") == ["drive in", "cold run", "warm run"] and labels(q="RUN") == ["cold run", "warm run"]
    assert labels(label="warm run") == ["warm run"] and labels(q="nothing") == []
    page = client.get("/v1/datasets", query={"robot": name, "limit": 2}).json
    assert "columns" not in page["items"][0] and "notes" not in page["items"][0]
    rest = client.get("/v1/datasets", query={"robot": name, "limit": 2, "cursor": page["next_cursor"]}).json
    assert [d["label"] for d in rest["items"]] == ["drive in"] and rest["next_cursor"] is None


def test_the_end_of_a_data_set(client, arm):
    dataset = upload(client, arm, as_csv(a_log())).expect(201)
    path = dataset.headers["Location"]
    assert client.delete(arm, headers={"If-Match": client.get(arm).etag}).status == 409  # the robot is kept for it
    assert client.delete(path).status == 428
    client.delete(path, headers={"If-Match": dataset.etag}).expect(204)
    assert client.get(path).status == client.get(path + "/samples").status == client.delete(path, headers={"If-Match": "*"}).status == 404
    assert client.get(f"/v1/datasets/{NOBODY}").status == 404
    client.delete(arm, headers={"If-Match": client.get(arm).etag}).expect(204)


# -- samples --

def test_windows_and_fields(client, arm):
    log = a_log(1000, start=-0.2)
    dataset = upload(client, arm, as_csv(log)).expect(201).json
    for begin, end in ((-0.2, 0.799), (0.1, 0.2), (0.1005, 0.1015), (-5, 0), (0.3, 9), (2, 3)):
        inside = log[(log[:, 0] >= begin) & (log[:, 0] <= end)]
        assert samples(client, dataset, **{"from": begin, "to": end})[1].tobytes() == inside.tobytes()
    names, kept = samples(client, dataset, fields="tau,t")
    assert names == ["t", "tau1", "tau2"] and (kept == log[:, [0, 3, 4]]).all()
    answer = client.get(f"/v1/datasets/{dataset['id']}/samples", query={"from": 0.0995, "to": 0.1025}).expect(200).json
    assert answer.keys() == {"t", "q", "tau"} and np.array(answer["q"]).tolist() == log[300:303, 1:3].tolist()
    text = client.get(f"/v1/datasets/{dataset['id']}/samples", headers={"Accept": "text/csv"}).expect(200).text
    assert text == as_csv(log, end="\r\n") or np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1).tolist() == log.tolist()
    for query, name in (({"fields": "qd"}, "fields"), ({"rate": 0}, "rate"), ({"points": 0}, "points"), ({"from": 2, "to": 1}, "to"),
                        ({"points": 5, "rate": 10}, "points"), ({"rate": 1e5, "from": "x"}, "from")):
        assert faults(client.get(f"/v1/datasets/{dataset['id']}/samples", query=query))[0]["parameter"] == name


def test_an_even_clock_by_cubics(client, arm):
    """A polynomial of degree 3 goes through unchanged, however uneven the clock is."""
    rng = np.random.default_rng(5)
    t = np.cumsum(rng.uniform(0.0005, 0.0015, 30000)) + 3
    powers = np.column_stack([t, 2 - t + 0.01 * t**3, t**2 / 9, 0.5 * t**3, 1 + 0 * t])
    dataset = upload(client, arm, npy(powers), NPY).expect(201).json
    assert "clock_jitter" in [q["code"] for q in dataset["quality"]]
    for rate, query in ((500, {}), (97.3, {}), (3000, {"from": 10, "to": 12}), (0.7, {}), (250, {"from": 20.00001})):
        names, kept = samples(client, dataset, rate=rate, **query)
        even = t[0] + np.arange(len(kept) + 2 * int(rate * 40)) / rate
        even = even[(even >= query.get("from", 0)) & (even <= min(query.get("to", 1e9), t[-1]))]
        assert names == NAMES and kept[:, 0] == pytest.approx(even, abs=1e-9)
        exact = np.column_stack([even, 2 - even + 0.01 * even**3, even**2 / 9, 0.5 * even**3, 1 + 0 * even])
        assert kept == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("points", [1, 7, 100, 2000])
def test_plots_have_the_extremes_of_their_buckets(client, arm, points):
    log = a_log(20000)
    dataset = upload(client, arm, npy(log), NPY).expect(201).json
    for query in ({}, {"from": 3.3, "to": 17.7}, {"from": 3.3, "to": 3.302}):
        names, plot = samples(client, dataset, points=points, **query)
        assert names == ["t", "q1.min", "q2.min", "q1.max", "q2.max", "tau1.min", "tau2.min", "tau1.max", "tau2.max"]
        first, last = np.searchsorted(log[:, 0], query.get("from", 0)), np.searchsorted(log[:, 0], query.get("to", 99), "right")
        assert len(plot) <= points and len(plot) >= min(points, last - first) / 2
        begins = [int(np.searchsorted(log[:, 0], t)) for t in plot[:, 0]]
        assert begins[0] <= first and begins[0] >= first - (last - first) / len(plot)
        for bucket, (begin, end) in enumerate(zip(begins, begins[1:])):  # the last one's end is not told
            rows = log[begin:end]
            expected = [v for c in ([1, 2], [3, 4]) for v in (*rows[:, c].min(0), *rows[:, c].max(0))]
            assert plot[bucket, 1:].tolist() == expected
        assert plot[:, 3].max() >= log[first:last, 1].max()
    shown = client.get(f"/v1/datasets/{dataset['id']}/samples", query={"points": points, "fields": "t,tau"}).expect(200).json
    assert shown.keys() == {"t", "tau"} and shown["tau"].keys() == {"min", "max"} and len(shown["tau"]["min"]) == len(shown["t"])
    assert np.array(shown["tau"]["max"]).tolist() == samples(client, dataset, points=points)[1][:, 7:].tolist()


# -- quality --

def quality(client, arm, log):
    dataset = upload(client, arm, npy(log), NPY).expect(201).json
    return {q["code"]: q["detail"] for q in dataset["quality"]}, dataset


def test_gaps(client, arm):
    log = a_log(3000)
    found, dataset = quality(client, arm, np.delete(log, np.s_[1000:1050], axis=0))
    assert list(found) == ["gaps"] and "1 interval is" in found["gaps"] and "0.051 s at t = 0.999" in found["gaps"]
    assert dataset["rate"] == pytest.approx(1000)


def test_repeated_samples(client, arm):
    log = a_log(3000)
    for row in (500, 900, 901, 2000):
        log[row, 1:] = log[row - 1, 1:]
    found, _ = quality(client, arm, log)
    assert list(found) == ["repeated_samples"] and found["repeated_samples"].startswith("4 samples") and "t = 0.5 s" in found["repeated_samples"]


def test_rests_and_joints_that_never_move(client, arm):
    log = a_log(6000)
    log[3500:, 1:3] += log[2000, 1:3] - log[3499, 1:3]
    log[2000:3500, 1:3] = log[2000, 1:3]
    found, _ = quality(client, arm, log)
    assert "no joint moves in 1 stretch" in found["rest"]
    assert float(found["rest"].split("more, ")[1].split(" of")[0]) == pytest.approx(1.5, abs=0.04)
    log = a_log(3000)
    log[:, 1] = 0.25
    found, _ = quality(client, arm, log)
    assert "turn never moves" in found["joint_at_rest"] and "slide" not in found["joint_at_rest"]


def test_clipped_torques(client, arm):
    log = a_log(3000)
    log[:, 3] = np.minimum(log[:, 3], 3.5)
    found, _ = quality(client, arm, log)
    assert list(found) == ["clipped"] and "turn stands at 3.5" in found["clipped"]


def test_units_that_cannot_be(client, arm):
    log = a_log(1000)
    log[:, 1] *= 180 / np.pi
    found, _ = quality(client, arm, log)
    assert "degrees" in found["unit_suspect"]
    assert "no_torque" in quality(client, arm, a_log()[:, :3])[0]


@pytest.mark.parametrize("late", [-12, -3, 0, 5, 20])
def test_delays_between_channels(client, arm, late):
    """Torque by the dynamics of the arm, `late` samples after the motion."""
    rate, count = 500, 9000
    t = np.arange(count) / rate
    q = np.column_stack([0.9 * np.sin(1.7 * t) + 0.3 * np.sin(4.1 * t + 1), 0.2 * np.sin(2.3 * t) + 0.1 * np.sin(5.2 * t)])
    qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    answer = client.post(arm + "/inverse-dynamics", {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()}, check=False).expect(200)
    tau = np.array(answer.json["tau"])
    tau += 3 * np.tanh(50 * qd) + np.random.default_rng(2).normal(0, 0.05, tau.shape)
    log = np.column_stack([t, q, np.roll(tau, late, axis=0)])[30:-30]
    found, _ = quality(client, arm, log)
    if late == 0:
        assert "channel_delay" not in found
    else:
        side = "after" if late > 0 else "before"
        assert f"{abs(1000 * late / rate):.3g} ms {side}" in found["channel_delay"] or f"({abs(late)}.0 samples)" in found["channel_delay"], found
