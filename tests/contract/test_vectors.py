"""Numbers of other people's libraries, through HTTP: four arms, every state, in every shape and format.

The error of a state is taken relative to its largest value. More sets: ARMDYN_VECTORS=<folder>.
"""

import csv
import io
import struct

import pytest

from support import npy_columns, npy_read, npy_write, vector_sets
from support.data import error, flat

SETS = dict(vector_sets())
MOST = 1e-9


def test_there_are_four_arms():
    assert {"puma560", "scara", "prismatic_dh", "prismatic_mdh"} <= set(SETS)
    assert all(len(SETS[name]["states"]) >= 25 for name in SETS)


def worst(got, states, field):
    """The worst error over all states."""
    assert len(got) == len(states)
    return max(error(g, state[field]) for g, state in zip(got, states))


def rows_of(states, *fields):
    return [[number for field in fields for number in state[field]] for state in states]


def batch_of(states, *fields):
    return {field: [state[field] for state in states] for field in fields}


def table_of(numbers, count):
    width = len(numbers) // count
    return [numbers[i * width:(i + 1) * width] for i in range(count)]


@pytest.mark.parametrize("name", SETS)
def test_single(client, path, name):
    for state in SETS[name]["states"]:
        body = {field: state[field] for field in ("q", "qd", "qdd")}
        answer = client.post(path(name) + "/inverse-dynamics", body).expect(200)
        assert error(answer.json["tau"], state["tau"]) < MOST


@pytest.mark.parametrize("name", SETS)
def test_batch(client, path, name):
    states = SETS[name]["states"]
    answer = client.post(path(name) + "/inverse-dynamics", batch_of(states, "q", "qd", "qdd")).expect(200)
    assert worst(answer.json["tau"], states, "tau") < MOST


@pytest.mark.parametrize("name", SETS)
def test_causes(client, path, name):
    """Gravity and Coriolis torques alone, and the causes add up."""
    states = SETS[name]["states"]
    body = {**batch_of(states, "q", "qd", "qdd"), "decompose": True}
    got = client.post(path(name) + "/inverse-dynamics", body).expect(200).json
    assert worst(got["gravity"], states, "gravity_torque") < MOST
    assert worst(got["coriolis"], states, "coriolis_torque") < MOST
    assert worst(got["tau"], states, "tau") < MOST
    for parts in zip(got["tau"], got["inertial"], got["coriolis"], got["gravity"], got["friction"], got["external"]):
        for tau, *causes in zip(*parts):
            assert abs(tau - sum(causes)) <= 1e-12 * max(1, *map(abs, causes))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("fortran", [False, True], ids=["C", "Fortran"])
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)], ids=["v1", "v2", "v3"])
def test_npy(client, path, name, fortran, version):
    states = SETS[name]["states"]
    body = npy_write(rows_of(states, "q", "qd", "qdd"), fortran=fortran, version=version)
    answer = client.post(path(name) + "/inverse-dynamics", body=body, content_type="application/x-npy",
                         headers={"Accept": "application/x-npy"}).expect(200)
    shape, numbers = npy_read(answer.body)
    joints = len(SETS[name]["robot"]["joints"])
    assert shape == (len(states), joints)
    assert answer.headers["Columns"].split(",") == npy_columns(joints, "tau")
    assert worst(table_of(numbers, len(states)), states, "tau") < MOST


@pytest.mark.parametrize("name", SETS)
def test_npy_of_single_precision(client, path, name):
    """<f4 in: the answer is that of the rounded input, exactly."""
    states = SETS[name]["states"]
    rows = rows_of(states, "q", "qd", "qdd")
    options = {"content_type": "application/x-npy", "headers": {"Accept": "application/x-npy"}}
    rounded = [[struct.unpack("<f", struct.pack("<f", v))[0] for v in row] for row in rows]
    single = client.post(path(name) + "/inverse-dynamics", body=npy_write(rows, "<f4"), **options).expect(200)
    double = client.post(path(name) + "/inverse-dynamics", body=npy_write(rounded), **options).expect(200)
    assert npy_read(single.body) == npy_read(double.body)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_csv(client, path, name, line_end):
    states = SETS[name]["states"]
    joints = len(SETS[name]["robot"]["joints"])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end)
    writer.writerow(npy_columns(joints, "q", "qd", "qdd"))
    writer.writerows(rows_of(states, "q", "qd", "qdd"))
    answer = client.post(path(name) + "/inverse-dynamics", body=text.getvalue(), content_type="text/csv",
                         headers={"Accept": "text/csv"}).expect(200)
    header, *rows = csv.reader(io.StringIO(answer.text, newline=""))
    assert header == npy_columns(joints, "tau")
    assert worst([[float(cell) for cell in row] for row in rows], states, "tau") < MOST


@pytest.mark.parametrize("name", SETS)
def test_formats_agree_to_the_last_bit(client, path, name):
    """JSON, .npy and CSV are three spellings of the same doubles, singly or in batch."""
    states = SETS[name]["states"]
    rows = rows_of(states, "q", "qd", "qdd")
    url = path(name) + "/inverse-dynamics"
    as_json = client.post(url, batch_of(states, "q", "qd", "qdd")).expect(200).json["tau"]
    options = {"body": npy_write(rows), "content_type": "application/x-npy"}
    as_npy = npy_read(client.post(url, headers={"Accept": "application/x-npy"}, **options).expect(200).body)[1]
    as_csv = client.post(url, headers={"Accept": "text/csv"}, **options).expect(200).text.splitlines()[1:]
    from_npy = client.post(url, headers={"Accept": "application/json"}, **options).expect(200).json["tau"]
    assert flat(as_json) == as_npy == [float(cell) for line in as_csv for cell in line.split(",")] == flat(from_npy)
    one = client.post(url, {field: states[0][field] for field in ("q", "qd", "qdd")}).expect(200).json["tau"]
    assert error(one, as_json[0]) < 1e-14


@pytest.mark.parametrize("name", SETS)
def test_tool_pose(client, path, name):
    states = SETS[name]["states"]
    joints = len(SETS[name]["robot"]["joints"])
    answer = client.post(path(name) + "/forward-kinematics", batch_of(states, "q")).expect(200).json
    assert worst(answer["tool"], states, "T_tool") < MOST
    assert all(len(links) == joints for links in answer["links"])
    one = client.post(path(name) + "/forward-kinematics", {"q": states[0]["q"]}).expect(200).json
    assert error(one["tool"], states[0]["T_tool"]) < MOST
    assert len(one["links"]) == joints and len(one["links"][0]) == 4


@pytest.mark.parametrize("name", SETS)
def test_tool_pose_npy(client, path, name):
    states = SETS[name]["states"]
    joints = len(SETS[name]["robot"]["joints"])
    options = {"body": npy_write(rows_of(states, "q")), "content_type": "application/x-npy",
               "headers": {"Accept": "application/x-npy"}}
    shape, numbers = npy_read(client.post(path(name) + "/forward-kinematics?field=tool", **options).expect(200).body)
    assert shape == (len(states), 4, 4)
    assert worst(table_of(numbers, len(states)), states, "T_tool") < MOST
    shape, numbers = npy_read(client.post(path(name) + "/forward-kinematics?field=links", **options).expect(200).body)
    assert shape == (len(states), joints, 4, 4)


def jacobian_by_differences(client, url, q, h=1e-5):
    """6 x n at the tool origin, base axes, from forward kinematics alone."""
    steps = [[x + sign * h * (i == j) for i, x in enumerate(q)] for j in range(len(q)) for sign in (1, -1)]
    poses = client.post(url + "/forward-kinematics", {"q": steps}).expect(200).json["tool"]
    columns = []
    for ahead, behind in zip(poses[::2], poses[1::2]):
        velocity = [(ahead[r][3] - behind[r][3]) / (2 * h) for r in range(3)]
        turn = [[sum(ahead[r][k] * behind[c][k] for k in range(3)) for c in range(3)] for r in range(3)]
        columns.append(velocity + [(turn[b][a] - turn[a][b]) / (4 * h) for a, b in ((1, 2), (2, 0), (0, 1))])
    return [list(row) for row in zip(*columns)]


@pytest.mark.parametrize("name", SETS)
def test_wrench_does_virtual_work(client, path, name):
    """The external part of tau is -Jᵀ wrench, for a wrench in base axes and for the same one in the tool's."""
    wrench = [3.0, -5.0, 7.0, 0.4, -0.6, 0.8]
    for state in SETS[name]["states"][:5]:
        body = {**{field: state[field] for field in ("q", "qd", "qdd")}, "decompose": True}
        jacobian = jacobian_by_differences(client, path(name), state["q"])
        expected = [-sum(jacobian[r][j] * wrench[r] for r in range(6)) for j in range(len(state["q"]))]
        url, pose = path(name) + "/inverse-dynamics", state["T_tool"]
        in_base = client.post(url, {**body, "wrench": wrench, "wrench_frame": "base"}).expect(200).json
        assert error(in_base["external"], expected) < 1e-7
        turned = [sum(pose[r][c] * wrench[3 * half + r] for r in range(3)) for half in (0, 1) for c in range(3)]
        in_tool = client.post(url, {**body, "wrench": turned}).expect(200).json
        assert error(in_tool["external"], in_base["external"]) < 1e-12
        assert error([t - x for t, x in zip(in_tool["tau"], in_tool["external"])], state["tau"]) < MOST
