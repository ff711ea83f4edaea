"""Every call of dynamics against numbers of other people's libraries and laws of mechanics, in every shape and format.

A row of FIELDS is an output of a call and the field of the vectors that it must equal. The error of a state is taken
relative to its largest value.
"""

import csv
import io
import math
import random

import numpy
import pytest

from support import npy_read, npy_write, robot, unique_name, vector_sets
from support.data import error, flat

SETS = dict(vector_sets())
MOST = 1e-9

# call, what it takes, what it answers, the vectors' name of that; a field of the vectors may be under another name
FIELDS = [
    ("inverse-dynamics", {"q": "q", "qd": "qd", "qdd": "qdd"}, "tau", "tau"),
    ("forward-dynamics", {"q": "q", "qd": "qd", "tau": "fd_tau"}, "qdd", "fd_qdd"),
    ("mass-matrix", {"q": "q"}, "mass_matrix", "M"),
    ("coriolis", {"q": "q", "qd": "qd"}, "coriolis_torque", "coriolis_torque"),
    ("gravity", {"q": "q"}, "gravity_torque", "gravity_torque"),
    ("energy", {"q": "q", "qd": "qd"}, "kinetic", "kinetic"),
    ("energy", {"q": "q", "qd": "qd"}, "potential", "potential"),
    ("forward-kinematics", {"q": "q"}, "tool", "T_tool"),
    ("jacobian", {"q": "q"}, "jacobian", "J"),
    ("derivatives", {"q": "q", "qd": "qd", "qdd": "qdd"}, "dtau_dq", "dtau_dq"),
    ("derivatives", {"q": "q", "qd": "qd", "qdd": "qdd"}, "dtau_dqd", "dtau_dqd"),
    ("derivatives", {"q": "q", "qd": "qd", "qdd": "qdd"}, "mass_matrix", "M"),
    ("regressor", {"q": "q", "qd": "qd", "qdd": "qdd"}, "regressor", "regressor"),
]
METHODS = [("inverse-dynamics", "lagrange"), ("forward-dynamics", "crba"), ("forward-dynamics", "gauss")]


@pytest.fixture(scope="module")
def arm(server):
    """The Puma 560 and the SCARA with drives, friction and limits: {name: path}."""
    paths = {}
    with server.client() as client:
        for name in ("puma560", "scara"):
            unique = unique_name(name)
            client.post("/v1/robots?allow_unphysical=true", {**robot(name), "name": unique}).expect(201)
            paths[name] = "/v1/robots/" + unique
    return paths


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def states_with(name, field):
    return [state for state in SETS[name]["states"] if field in state]


def states_of(name, count, seed=3):
    """Random states of an arm of tests/data/robots."""
    places, n = random.Random(seed), len(robot(name)["joints"])
    return [{field: [places.uniform(-scale, scale) for _ in range(n)] for field, scale in (("q", 1.2), ("qd", 1.5), ("qdd", 3))}
            for _ in range(count)]


def chosen(state, inputs):
    return {field: state[source] for field, source in inputs.items()}


def batch(states, inputs):
    return {field: [state[source] for state in states] for field, source in inputs.items()}


def identify(row):
    return "-".join(str(part) for part in row if isinstance(part, str))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("row", FIELDS, ids=identify)
def test_vectors_singly_and_in_batch(client, path, name, row):
    call, inputs, output, expected = row
    states = states_with(name, expected)
    assert len(states) >= 5
    url = f"{path(name)}/{call}"
    together = client.post(url, batch(states, inputs)).expect(200).json[output]
    assert len(together) == len(states)
    for state, got in zip(states, together):
        alone = client.post(url, chosen(state, inputs)).expect(200).json[output]
        assert error(got, state[expected]) < MOST
        assert error(alone, got) < 1e-12


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("row", FIELDS, ids=identify)
def test_vectors_in_npy_and_csv(client, path, name, row):
    """The same numbers as JSON has, to the last bit, with their shape and names."""
    call, inputs, output, expected = row
    states = states_with(name, expected)
    url = f"{path(name)}/{call}"
    as_json = client.post(url, batch(states, inputs)).expect(200).json[output]
    rows = [[number for source in inputs.values() for number in state[source]] for state in states]
    options = {"body": npy_write(rows), "content_type": "application/x-npy"}
    answer = client.post(f"{url}?field={output}", headers={"Accept": "application/x-npy"}, **options).expect(200)
    shape, numbers = npy_read(answer.body)
    extents, inner = [len(as_json)], as_json[0]
    while isinstance(inner, list):
        extents.append(len(inner))
        inner = inner[0]
    assert list(shape) == extents
    assert numbers == flat(as_json)
    joints = len(states[0]["q"])
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([f"{field}{j + 1}" for field in inputs for j in range(joints)])
    writer.writerows(rows)
    answer = client.post(f"{url}?field={output}", body=text.getvalue(), content_type="text/csv",
                         headers={"Accept": "text/csv"}).expect(200)
    header, *lines = csv.reader(io.StringIO(answer.text, newline=""))
    assert len(header) == math.prod(extents[1:]) and header[0].startswith(output)
    assert [float(cell) for line in lines for cell in line] == flat(as_json)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("call, method", METHODS)
def test_methods_agree(client, path, name, call, method):
    inputs, output, expected = next(row[1:] for row in FIELDS if row[0] == call)
    states = SETS[name]["states"]
    got = client.post(f"{path(name)}/{call}", {**batch(states, inputs), "method": method}).expect(200).json[output]
    assert max(error(g, state[expected]) for g, state in zip(got, states)) < MOST


def test_closed_form(client, arm):
    """Of a SCARA with drives, friction, payload, a wrench and a tilted base, the equations written out say the same."""
    for state in states_of("scara", 20):
        body = {**state, "wrench": [3, -5, 7, 0.4, -0.6, 0.8], "gravity": [1, 2, -9], "decompose": True,
                "payload": {"mass": 1.5, "com": [0.01, 0.02, 0.03], "inertia": {"xx": 0.01, "yy": 0.012, "zz": 0.009}}}
        url = arm["scara"] + "/inverse-dynamics"
        plain = client.post(url, body).expect(200).json
        written = client.post(url, {**body, "method": "closed_form"}).expect(200).json
        assert error(written["tau"], plain["tau"]) < 1e-10
        assert error(written["gravity"], plain["gravity"]) < 1e-12


@pytest.mark.parametrize("name", SETS)
def test_coriolis_matrix(client, path, name):
    """C qd is the torque, and C + C' is dM/dt as another library's C has it (which is not that of Christoffel)."""
    for state in states_with(name, "coriolis_matrix"):
        got = client.post(path(name) + "/coriolis", {"q": state["q"], "qd": state["qd"]}).expect(200).json
        C, reference = got["coriolis_matrix"], state["coriolis_matrix"]
        n = len(C)
        rate = [[C[i][j] + C[j][i] for j in range(n)] for i in range(n)]
        expected = [[reference[i][j] + reference[j][i] for j in range(n)] for i in range(n)]
        assert error(rate, expected) < MOST
        assert error(times(C, state["qd"]), state["coriolis_torque"]) < MOST


@pytest.mark.parametrize("name", SETS)
def test_coriolis_matrix_is_that_of_christoffel(client, path, name, h=1e-4):
    """C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k / 2, with central differences of M."""
    for state in SETS[name]["states"][1:4]:
        q, qd = state["q"], state["qd"]
        n = len(q)
        steps = [[x + sign * h * (i == k) for i, x in enumerate(q)] for k in range(n) for sign in (1, -1)]
        M = client.post(path(name) + "/mass-matrix", {"q": steps}).expect(200).json["mass_matrix"]
        dM = [[[(M[2 * k][i][j] - M[2 * k + 1][i][j]) / (2 * h) for j in range(n)] for i in range(n)] for k in range(n)]
        C = [[sum((dM[k][i][j] + dM[j][i][k] - dM[i][j][k]) * qd[k] for k in range(n)) / 2 for j in range(n)] for i in range(n)]
        got = client.post(path(name) + "/coriolis", {"q": q, "qd": qd}).expect(200).json["coriolis_matrix"]
        assert error(got, C) < 1e-6


@pytest.mark.parametrize("name", ["puma560", "scara"])
def test_terms_add_up(client, arm, name):
    """M qdd + C qd + g, and J' w, each by a call of its own, are the causes that inverse dynamics tells."""
    wrench = [3.0, -5.0, 7.0, 0.4, -0.6, 0.8]
    overrides = {"payload": {"mass": 2, "com": [0, 0.01, 0.05]}, "gravity": [1, -2, -9], "tool": {"translation": [0, 0.1, 0.2]}}
    for state in states_of(name, 5):
        q, qd, qdd = state["q"], state["qd"], state["qdd"]

        def ask(call, **body):
            return client.post(f"{arm[name]}/{call}", {"q": q, **body, **overrides}).expect(200).json
        causes = ask("inverse-dynamics", qd=qd, qdd=qdd, decompose=True, wrench=wrench, wrench_frame="base")
        coriolis = ask("coriolis", qd=qd)
        jacobian = ask("jacobian")["jacobian"]
        assert error(times(ask("mass-matrix")["mass_matrix"], qdd), causes["inertial"]) < 1e-12
        assert error(coriolis["coriolis_torque"], causes["coriolis"]) < 1e-11
        assert error(times(coriolis["coriolis_matrix"], qd), causes["coriolis"]) < 1e-11
        assert error(ask("gravity")["gravity_torque"], causes["gravity"]) < 1e-12
        assert error([-x for x in times(transposed(jacobian), wrench)], causes["external"]) < 1e-12
        held = ask("statics", wrench=wrench, wrench_frame="base")
        assert error(held["tau"], [g + x for g, x in zip(causes["gravity"], causes["external"])]) < 1e-12
        free = ask("forward-dynamics", qd=qd, tau=causes["tau"], wrench=wrench, wrench_frame="base")
        assert error(free["qdd"], qdd) < 1e-8


@pytest.mark.parametrize("frame", ["base", "tool"])
def test_jacobian_moves_the_tool(client, arm, frame, h=1e-5):
    """J in tool axes is J turned; dJ/dt qd is what central differences of J along the motion give."""
    url = arm["puma560"]
    for state in states_of("puma560", 4):
        q, qd = state["q"], state["qd"]
        got = client.post(url + "/jacobian", {"q": q, "qd": qd, "frame": frame}).expect(200).json
        pose = client.post(url + "/forward-kinematics", {"q": q}).expect(200).json["tool"]
        base = client.post(url + "/jacobian", {"q": q}).expect(200).json["jacobian"]
        turned = [[sum(pose[k][r] * base[3 * half + k][j] for k in range(3)) for j in range(len(q))]
                  for half in (0, 1) for r in range(3)]
        assert error(got["jacobian"], base if frame == "base" else turned) < 1e-12
        steps = [[x + sign * h * v for x, v in zip(q, qd)] for sign in (1, -1)]
        ahead, behind = client.post(url + "/jacobian", {"q": steps, "frame": frame}).expect(200).json["jacobian"]
        rate = [[(a - b) / (2 * h) for a, b in zip(*rows)] for rows in zip(ahead, behind)]
        assert error(got["jacobian_dot_qd"], times(rate, qd)) < 1e-7


@pytest.mark.parametrize("name", SETS)
def test_state_space(client, path, name):
    """a = [0 1; dqdd/dq dqdd/dqd], b = [0; dqdd/dtau], at the torque that gives the accelerations of the vectors."""
    states = states_with(name, "dqdd_dq")
    inputs = {"q": "q", "qd": "qd", "tau": "fd_tau"}
    got = client.post(path(name) + "/linearize", batch(states, inputs)).expect(200).json
    for state, a, b in zip(states, got["a"], got["b"]):
        n = len(state["q"])
        unit = [[float(i == j) for j in range(n)] for i in range(n)]
        assert a[:n] == [[0.0] * n + row for row in unit] and b[:n] == [[0.0] * n] * n
        assert error([row[:n] for row in a[n:]], state["dqdd_dq"]) < MOST
        assert error([row[n:] for row in a[n:]], state["dqdd_dqd"]) < MOST
        assert error(b[n:], state["dqdd_dtau"]) < MOST
    alone = client.post(path(name) + "/linearize", chosen(states[0], inputs)).expect(200).json
    assert error(alone["a"], got["a"][0]) < 1e-12 and error(alone["b"], got["b"][0]) < 1e-12


@pytest.mark.parametrize("name", SETS)
def test_velocity_torques_apart(client, path, name, h=1e-4):
    """D_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2 by central differences of the mass matrix, of which the parts are sums."""
    for state in SETS[name]["states"][1:3]:
        q, qd = state["q"], state["qd"]
        n = len(q)
        got = client.post(path(name) + "/coriolis", {"q": q, "qd": qd, "decompose": True}).expect(200).json
        moved = [[x + sign * h * (i == k) for i, x in enumerate(q)] for k in range(n) for sign in (1, -1)]
        masses = client.post(path(name) + "/mass-matrix", {"q": moved}).expect(200).json["mass_matrix"]
        d = [[[(a - b) / (2 * h) for a, b in zip(*rows)] for rows in zip(masses[2 * k], masses[2 * k + 1])] for k in range(n)]
        D = [[[(d[k][i][j] + d[j][i][k] - d[i][j][k]) / 2 for k in range(n)] for j in range(n)] for i in range(n)]
        for mine, theirs in zip(D, got["coefficients"]):
            assert error(theirs, mine) < 1e-6
        centrifugal = [sum(got["coefficients"][i][j][j] * qd[j] ** 2 for j in range(n)) for i in range(n)]
        pairs = [sum(2 * got["coefficients"][i][j][k] * qd[j] * qd[k] for j in range(n) for k in range(j)) for i in range(n)]
        assert error(got["centrifugal"], centrifugal) < 1e-11 and error(got["coupling"], pairs) < 1e-11
        assert error([a + b for a, b in zip(got["centrifugal"], got["coupling"])], got["coriolis_torque"]) < 1e-11


def test_derivatives_with_friction_and_wrench(client, arm, h=1e-6):
    """Central differences of inverse dynamics, of an arm with drives and friction that pushes against something."""
    more = {"wrench": [3.0, -5.0, 7.0, 0.4, -0.6, 0.8], "wrench_frame": "base", "payload": {"mass": 1, "com": [0, 0, 0.1]}}
    for state in states_of("puma560", 3):
        got = client.post(arm["puma560"] + "/derivatives", {**state, **more}).expect(200).json
        for field, output in (("q", "dtau_dq"), ("qd", "dtau_dqd"), ("qdd", "mass_matrix")):
            steps = [{**state, field: [x + sign * h * (i == j) for i, x in enumerate(state[field])]}
                     for j in range(6) for sign in (1, -1)]
            tau = client.post(arm["puma560"] + "/inverse-dynamics",
                              {**batch(steps, {"q": "q", "qd": "qd", "qdd": "qdd"}), **more}).expect(200).json["tau"]
            columns = [[(a - b) / (2 * h) for a, b in zip(*pair)] for pair in zip(tau[::2], tau[1::2])]
            assert error(transposed(got[output]), columns) < 1e-6


def test_joint_wrenches(client, arm):
    """The first joint's wrench, along its axis, is its torque; a weightless arm hands a force on as it is."""
    url, wrench = arm["puma560"] + "/statics", [3.0, -5.0, 7.0, 0.4, -0.6, 0.8]
    state = states_of("puma560", 1)[0]
    got = client.post(url, {"q": state["q"], "wrench": wrench, "gravity": [0, 0, 0]}).expect(200).json
    assert all(error([math.hypot(*joint[:3])], [math.hypot(*wrench[:3])]) < 1e-12 for joint in got["joint_wrenches"])
    many = client.post(url, {"q": [state["q"]] * 3, "wrench": wrench, "gravity": [0, 0, 0]}).expect(200).json
    assert many["joint_wrenches"] == [got["joint_wrenches"]] * 3
    answer = client.post(url + "?field=joint_wrenches", body=npy_write([state["q"] + wrench]), content_type="application/x-npy",
                         headers={"Accept": "application/x-npy"}).expect(200)
    assert npy_read(answer.body)[0] == (1, 6, 6)


@pytest.mark.parametrize("name", SETS)
def test_links_in_motion(client, path, name):
    """The tool's velocity is another library's J times qd, its acceleration J qdd + dJ/dt qd; all formats answer it alike."""
    url = path(name)
    states = states_with(name, "J")
    got = client.post(url + "/forward-kinematics", batch(states, {"q": "q", "qd": "qd", "qdd": "qdd"})).expect(200).json
    for k, state in enumerate(states):
        motion = chosen(state, {"q": "q", "qd": "qd", "qdd": "qdd"})
        drift = client.post(url + "/jacobian", {"q": state["q"], "qd": state["qd"]}).expect(200).json["jacobian_dot_qd"]
        assert error(got["tool_velocity"][k], times(state["J"], state["qd"])) < MOST
        assert error(got["tool_acceleration"][k], [a + b for a, b in zip(times(state["J"], state["qdd"]), drift)]) < MOST
        alone = client.post(url + "/forward-kinematics", motion).expect(200).json
        assert all(value == got[field][k] for field, value in alone.items() if field != "revision")
    plain = client.post(url + "/forward-kinematics", {"q": states[0]["q"]}).expect(200).json
    assert set(plain) == {"revision", "tool", "links"} and plain["links"] == got["links"][0]
    rows = [state["q"] + state["qd"] + state["qdd"] for state in states]
    table = client.post(url + "/forward-kinematics?field=link_accelerations", body=npy_write(rows),
                        content_type="application/x-npy", headers={"Accept": "application/x-npy"}).expect(200)
    assert npy_read(table.body) == ((len(rows), len(states[0]["q"]), 6), flat(got["link_accelerations"]))


def test_a_pendulum_pulls_at_its_bearing(client, server, m=2.0, length=0.6, g=9.81):
    """Closed form: m (l w^2 + g cos) along the rod, m (l a + g sin) across, and the inertia's moment about the axis."""
    with server.client() as c:
        name = unique_name("pendulum")
        c.create_robot({"name": name, "convention": "frames", "gravity": [0, -g, 0], "joints": [
            {"name": "j1", "type": "revolute", "axis": [0, 0, 1], "frame": {"translation": [0, 0, 0]},
             "link": {"mass": m, "com": [length, 0, 0], "inertia": {"xx": 0, "yy": 0.02, "zz": 0.02}}}]})
    for angle, w, a in ((-math.pi / 2, 3.0, 0.0), (0.4, -2.0, 5.0), (math.pi / 2, 4.0, -1.0)):
        body = {"q": [angle], "qd": [w], "qdd": [a], "joint_wrenches": True}
        got = client.post(f"/v1/robots/{name}/inverse-dynamics", body).expect(200).json
        across, moment = m * (length * a + g * math.cos(angle)), (0.02 + m * length ** 2) * a + m * g * length * math.cos(angle)
        assert got["joint_wrenches"][0] == pytest.approx([m * (g * math.sin(angle) - length * w * w), across, 0, 0, 0, moment], abs=1e-12)
        assert got["tau"] == pytest.approx([moment])


@pytest.mark.parametrize("name", ["puma560", "scara"])
def test_joint_wrenches_in_motion(client, arm, name):
    """Other fields keep their bits; formats agree; at rest they are those of statics."""
    url = arm[name] + "/inverse-dynamics"
    states = states_of(name, 4)
    body = batch(states, {"q": "q", "qd": "qd", "qdd": "qdd"})
    plain, got = (client.post(url, {**body, **more}).expect(200).json for more in ({}, {"joint_wrenches": True}))
    assert plain == {field: value for field, value in got.items() if field != "joint_wrenches"}
    rows = [state["q"] + state["qd"] + state["qdd"] for state in states]
    table = client.post(url + "?field=joint_wrenches&joint_wrenches=true", body=npy_write(rows),
                        content_type="application/x-npy", headers={"Accept": "application/x-npy"}).expect(200)
    assert npy_read(table.body) == ((4, len(states[0]["q"]), 6), flat(got["joint_wrenches"]))
    still = [0.0] * len(states[0]["q"])
    held = client.post(url, {"q": states[0]["q"], "qd": still, "qdd": still, "joint_wrenches": True}).expect(200).json
    statics = client.post(arm[name] + "/statics", {"q": states[0]["q"], "wrench": [0] * 6}).expect(200).json
    assert held["joint_wrenches"] == statics["joint_wrenches"]


def test_momentum_is_mass_times_velocity(client, server):
    """Of a body on a slide, in the axes of the base; and of one that turns about the base origin."""
    with server.client() as c:
        slide, crank = unique_name("slide"), unique_name("crank")
        body = {"mass": 3, "com": [0, 0, 0]}
        c.create_robot({"name": slide, "convention": "frames", "joints": [
            {"name": "j1", "type": "prismatic", "frame": {"translation": [0, 0.5, 0]}, "axis": [1, 0, 0], "link": body}]})
        c.create_robot({"name": crank, "convention": "dh", "joints": [
            {"name": "j1", "type": "revolute", "a": 0.5, "alpha": 0, "d": 0, "theta": 0, "link": {**body, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}}]})
    got = client.post(f"/v1/robots/{slide}/energy", {"q": [0.3], "qd": [2]}).expect(200).json
    assert got["kinetic"] == pytest.approx(6) and got["momentum"]["linear"] == pytest.approx([6, 0, 0])
    assert got["momentum"]["angular"] == pytest.approx([0, 0, -3])
    many = client.post(f"/v1/robots/{crank}/energy", {"q": [[0], [math.pi / 2]], "qd": [[2], [2]]}).expect(200).json
    assert flat(many["momentum"]["linear"]) == pytest.approx([0, 3, 0, -3, 0, 0], abs=1e-12)
    assert many["momentum"]["angular"] == [pytest.approx([0, 0, 1.7])] * 2


def test_overrides_serve_every_call(client, arm):
    """Half the gravity is half the load, whatever call is asked, and the stored model stays as it is."""
    q = states_of("puma560", 1)[0]["q"]
    url = arm["puma560"] + "/gravity"
    before = client.post(url, {"q": q}).expect(200).json
    half = client.post(url, {"q": q, "gravity": [0, 0, -4.905]}).expect(200).json
    loaded = client.post(url, {"q": q, "payload": {"mass": 5}}).expect(200).json
    assert error([2 * g for g in half["gravity_torque"]], before["gravity_torque"]) < 1e-12
    assert error(loaded["gravity_torque"], before["gravity_torque"]) > 0.01
    assert client.post(url, {"q": q}).expect(200).json == before


def test_a_massless_joint_is_named(client, server):
    """Forward dynamics of a model without any inertia about an axis: 422 with sample, joint and reason."""
    with server.client() as c:
        name = unique_name("massless")
        link = {"mass": 1, "com": [-0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}
        c.create_robot({"name": name, "convention": "dh", "joints": [
            {"name": "elbow", "type": "revolute", "a": 0.5, "alpha": 0, "d": 0, "theta": 0, "link": link},
            {"name": "hand", "type": "revolute", "a": 0, "alpha": 0, "d": 0, "theta": 0, "link": {"mass": 0}}]})
    url = f"/v1/robots/{name}/forward-dynamics"
    zero = [0, 0]
    for method in ("aba", "crba", "gauss"):
        one = client.post(url, {"q": zero, "qd": zero, "tau": [1, 0], "method": method}).expect(422).json
        assert one["errors"][0]["pointer"] == "/q" and '"hand"' in one["errors"][0]["detail"]
        many = client.post(url, {"q": [zero] * 3, "qd": [zero] * 3, "tau": [[1, 0]] * 3, "method": method}).expect(422).json
        assert many["errors"][0]["pointer"] == "/q/0" and many["errors"][0]["code"] == "unphysical"
    loaded = {"q": zero, "qd": zero, "tau": [1, 0], "payload": {"mass": 1, "com": [0.1, 0, 0]}}
    assert len(client.post(url, loaded).expect(200).json["qdd"]) == 2
    assert client.post(f"/v1/robots/{name}/mass-matrix", {"q": zero}).expect(200).json["mass_matrix"][1] == [0, 0]


def test_an_answer_too_large_is_refused_before_it_is_computed(client, arm):
    """Two million samples of 36 numbers: as many as JSON may not answer. The text tells what would do."""
    rows = 900_000
    body = npy_write([[0.0] * 6], shape=(1, 6))
    head, row = body[:-48], body[-48:]
    big = head.replace(b"(1, 6)", b"(%d, 6)" % rows)
    big = big[:10] + big[10:len(head) - 1].rstrip(b" ")[:len(head) - 11].ljust(len(head) - 11) + b"\n" + row * rows
    answer = client.post(arm["puma560"] + "/mass-matrix", body=big, content_type="application/x-npy",
                         headers={"Accept": "application/json"})
    assert answer.status == 413, answer
    assert "numbers" in answer.json["detail"] and "fewer samples" in answer.json["detail"]
    assert client.post(arm["puma560"] + "/mass-matrix", {"q": [0.0] * 6}).expect(200)


@pytest.mark.parametrize("call", sorted({row[0] for row in FIELDS} | {"statics"}))
def test_large_batches_are_as_small_ones(client, arm, call):
    """A batch that is split over threads answers the same bits as its samples one by one."""
    states = states_of("puma560", 400)
    inputs = {field: source for row in FIELDS if row[0] == call for field, source in row[1].items()} or {"q": "q"}
    states = [{**state, "fd_tau": state["qdd"]} for state in states]
    more = {"wrench": [1, 2, 3, 4, 5, 6]} if call == "statics" else {}
    url = f"{arm['puma560']}/{call}"
    whole = client.post(url, {**batch(states, inputs), **more}).expect(200).json
    for k in (0, 199, 399):
        part = client.post(url, {**chosen(states[k], inputs), **more}).expect(200).json
        for name, value in part.items():
            if name == "momentum":
                assert all(error(whole[name][kind][k], value[kind]) < 1e-12 for kind in value)
            elif name not in ("revision", "parameters"):
                assert error(whole[name][k], value) < 1e-12


def test_gravity_map(client, arm):
    """Every point of the map is what `gravity` answers there; ends are the position limits, or those asked."""
    model = robot("puma560")
    q = [0.1, 0, 0, 0.2, 0.3, 0.4]
    got = client.post(arm["puma560"] + "/gravity-map", {"joints": ["j3", "j2"], "q": q, "points": [7, 5]}).expect(200).json
    assert got["joints"] == ["j3", "j2"] and [len(axis) for axis in got["axes"]] == [7, 5]
    for axis, joint in zip(got["axes"], (2, 1)):
        assert [axis[0], axis[-1]] == model["joints"][joint]["limits"]["position"]
        assert all(b - a == pytest.approx((axis[-1] - axis[0]) / (len(axis) - 1)) for a, b in zip(axis, axis[1:]))
    grid = [[q[0], second, first, *q[3:]] for first in got["axes"][0] for second in got["axes"][1]]
    torque = client.post(arm["puma560"] + "/gravity", {"q": grid}).expect(200).json["gravity_torque"]
    for surface, joint in zip(got["gravity_torque"], (2, 1)):
        assert error(surface, [tau[joint] for tau in torque]) < 1e-12
    body = {"joints": ["j2", "j3"], "q": q, "points": [300, 200], "ranges": [[-1, 1], [0, 2]], "gravity": [0, 0, -1.62]}
    large = client.post(arm["puma560"] + "/gravity-map", body).expect(200).json
    assert large["axes"][0][0] == -1 and large["axes"][1][-1] == 2 and len(large["gravity_torque"][1]) == 300
    point = [q[0], large["axes"][0][17], large["axes"][1][33], *q[3:]]
    expected = client.post(arm["puma560"] + "/gravity", {"q": point, "gravity": [0, 0, -1.62]}).expect(200).json["gravity_torque"]
    assert error([surface[17][33] for surface in large["gravity_torque"]], expected[1:3]) < 1e-12


@pytest.mark.parametrize("name", sorted(SETS))
def test_inverse_kinematics_finds_the_positions_of_other_peoples_poses(client, path, name):
    """From near the positions of the vectors' poses back to them; every branch has the pose."""
    for state in SETS[name]["states"][:6]:
        body = {"tool": state["T_tool"], "q": [q + 0.01 for q in state["q"]], "starts": 20}
        got = client.post(path(name) + "/inverse-kinematics", body).expect(200).json
        assert got["reached"] and max(got["residual"].values()) < 1e-9
        if got["freedom"] == 0:
            assert max(abs(a - b) for a, b in zip(got["q"], state["q"])) < 0.1
        for q in [got["q"], *(branch["q"] for branch in got["branches"])]:
            tool = client.post(path(name) + "/forward-kinematics", {"q": q}).expect(200).json["tool"]
            assert error(tool, state["T_tool"]) < 1e-8


def test_inverse_kinematics_out_of_reach(client, arm):
    """10 m away from the SCARA: not reached, and by how much is told; the same seed answers the same."""
    body = {"tool": [[1, 0, 0, 10], [0, -1, 0, 0], [0, 0, -1, 0.2], [0, 0, 0, 1]], "q": [0.1, 0.2, 0.1, 0], "starts": 3, "seed": 5}
    got = client.post(arm["scara"] + "/inverse-kinematics", body).expect(200).json
    assert not got["reached"] and got["branches"] == []
    assert got["residual"]["position"] == pytest.approx(10 - 0.55, abs=1e-3)
    assert client.post(arm["scara"] + "/inverse-kinematics", body).expect(200).json == got


@pytest.mark.parametrize("name", ["puma560", "scara"])
@pytest.mark.parametrize("minimal", [False, True], ids=["standard", "minimal"])
def test_regressor_times_parameters_is_the_torque(client, arm, name, minimal):
    """Of an arm with drives and friction: Y p for the model's own parameters, and in the minimal form for its base ones."""
    states = states_of(name, 6)
    body = batch(states, {"q": "q", "qd": "qd", "qdd": "qdd"})
    tau = client.post(arm[name] + "/inverse-dynamics", body).expect(200).json["tau"]
    got = client.post(f"{arm[name]}/regressor?base={str(minimal).lower()}", body).expect(200).json
    if minimal:
        asked = {"rotor_inertia": True, "friction": True}
        base = client.post(arm[name] + "/base-parameters", asked).expect(200).json
        values = [parameter["value"] for parameter in base["parameters"]]
        leads = [parameter["expression"].split(" + ")[0].split(" - ")[0] for parameter in base["parameters"]]
        assert leads == got["parameters"] and base["count"] == len(values)
    else:
        values = [value_of(robot(name), parameter) for parameter in got["parameters"]]
    for Y, expected in zip(got["regressor"], tau):
        assert error(times(Y, values), expected) < 1e-9


def value_of(model, parameter):
    """A standard parameter of a model, by its name, by hand."""
    joint_name, term = parameter.split(".", 1)
    joint = next(joint for joint in model["joints"] if joint["name"] == joint_name)
    m, com, I = joint["link"]["mass"], joint["link"].get("com", [0, 0, 0]), joint["link"].get("inertia", {})
    if term == "m":
        return m
    if term in ("mx", "my", "mz"):
        return m * com["xyz".index(term[1])]
    if term.startswith("I"):
        a, b = ("xyz".index(axis) for axis in term[1:])
        return I.get(term[1:], 0) + m * ((a == b) * sum(c * c for c in com) - com[a] * com[b])
    if term == "rotor_inertia":
        return joint["drive"]["rotor_inertia"]
    friction = joint["friction"]
    for part in term.split("."):
        friction = friction[part]
    return friction


def test_regressor_columns_are_named(client, arm):
    state = states_of("puma560", 1)[0]
    body = npy_write([state["q"] + state["qd"] + state["qdd"]])
    options = {"body": body, "content_type": "application/x-npy", "headers": {"Accept": "application/x-npy"}}
    answer = client.post(arm["puma560"] + "/regressor", **options).expect(200)
    names = answer.headers["Columns"].split(",")
    assert npy_read(answer.body)[0] == (1, 6, len(names)) and names[:2] == ["j1.m", "j1.mx"] and len(set(names)) == len(names)
    minimal = client.post(arm["puma560"] + "/regressor?base=true", **options).expect(200)
    assert npy_read(minimal.body)[0] == (1, 6, len(minimal.headers["Columns"].split(",")))
    many = client.post(arm["puma560"] + "/regressor?base=true", batch([state] * 300, {"q": "q", "qd": "qd", "qdd": "qdd"}))
    assert error(many.expect(200).json["regressor"][299], npy_read(minimal.body)[1]) < 1e-12


def test_columns_are_all_named_or_refused(client):
    """A header holds 16 KiB: the ten parameters of each of 32 joints, unless their names are very long."""
    for letters, status in ((40, 200), (60, 406)):
        joints = [{"name": f"j{i}".ljust(letters, "x"), "type": "revolute", "a": 0.1, "alpha": 0.1,
                   "link": {"mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}} for i in range(32)]
        model = {"name": unique_name(), "convention": "dh", "joints": joints}
        path = client.post("/v1/robots", model).expect(201).headers["Location"] + "/regressor"
        sample = {name: [0] * 32 for name in ("q", "qd", "qdd")}
        named = client.post(path, sample).expect(200).json["parameters"]
        answer = client.post(path, sample, headers={"Accept": "application/x-npy"}).expect(status)
        assert len(named) == 320
        if status == 200:
            assert answer.headers["Columns"].split(",") == named
        else:
            assert "JSON" in answer.json["detail"] and "Columns" not in answer.headers


@pytest.mark.parametrize("name, links, rotors", [("puma560", 36, 40), ("scara", 8, 11)])
def test_counts_of_base_parameters(client, arm, name, links, rotors):
    """As published; mounted sideways other combinations of them show, and more of the SCARA's."""
    url = arm[name] + "/base-parameters"
    assert client.post(url, {}).expect(200).json["count"] == links
    got = client.post(url, {"rotor_inertia": True}).expect(200).json
    assert got["count"] == rotors == len(got["parameters"])
    assert client.post(url, {"gravity": [0, -9.81, 0]}).expect(200).json["count"] > links


def test_momentum_in_npy(client, arm):
    states = states_of("puma560", 3)
    url, inputs = arm["puma560"] + "/energy", {"q": "q", "qd": "qd"}
    as_json = client.post(url, batch(states, inputs)).expect(200).json["momentum"]
    body = npy_write([state["q"] + state["qd"] for state in states])
    for kind in ("linear", "angular"):
        answer = client.post(f"{url}?field=momentum.{kind}", body=body, content_type="application/x-npy",
                             headers={"Accept": "application/x-npy"}).expect(200)
        assert npy_read(answer.body) == ((3, 3), flat(as_json[kind]))
        assert answer.headers["Columns"] == ",".join(f"momentum.{kind}{k}" for k in (1, 2, 3))


# -- held tools and walls --

def test_a_held_tool_is_the_whole_linear_system(client, arm):
    """[M A'; A 0] [qdd; -f] = [tau - bias; -drift] by numpy, of what the other calls answer; and ½ d'M d."""
    state = states_of("puma560", 1)[0]
    motion = {"q": state["q"], "qd": state["qd"], "tau": [30.0, -40.0, 20.0, 1.0, -2.0, 0.5]}
    ask = lambda call, **fields: client.post(arm["puma560"] + "/" + call, fields).expect(200).json
    M = numpy.array(ask("mass-matrix", q=state["q"])["mass_matrix"])
    bias = numpy.array(ask("inverse-dynamics", q=state["q"], qd=state["qd"], qdd=[0] * 6)["tau"])
    moves = ask("jacobian", q=state["q"], qd=state["qd"])
    J, drift = numpy.array(moves["jacobian"]), numpy.array(moves["jacobian_dot_qd"])
    free = numpy.linalg.solve(M, numpy.array(motion["tau"]) - bias)
    assert error(ask("forward-dynamics", **motion)["qdd"], list(free)) < 1e-9
    for constraint, rows in (("point", 3), ("pose", 6)):
        whole = numpy.block([[M, J[:rows].T], [J[:rows], numpy.zeros((rows, rows))]])
        both = numpy.linalg.solve(whole, numpy.concatenate([motion["tau"] - bias, -drift[:rows]]))
        held = ask("forward-dynamics", **motion, constraint=constraint)
        assert error(held["qdd"], list(both[:6])) < 1e-8 and error(held["constraint_wrench"], [*-both[6:], *[0] * (6 - rows)]) < 1e-8
        bent = both[:6] - free
        assert held["gauss_function"] == pytest.approx(bent @ M @ bent / 2, rel=1e-8)
        assert max(map(abs, held["tool_acceleration"][:rows])) < 1e-6
    # a wall is the point's equation along its normal where it is pushed, and nothing where it is left
    fall = J[:3] @ free + drift[:3]
    for sign in (1, -1):
        wall = ask("forward-dynamics", **motion, constraint="wall", normal=list(-sign * 3 * fall))
        if sign < 0:
            assert error(wall["qdd"], list(free)) < 1e-9 and wall["constraint_wrench"] == [0] * 6 and wall["gauss_function"] == 0
            continue
        normal = -fall / numpy.linalg.norm(fall)
        A = normal @ J[:3]
        force = numpy.linalg.norm(fall) / (A @ numpy.linalg.solve(M, A))
        assert error(wall["constraint_wrench"][:3], list(force * normal)) < 1e-9 and wall["gauss_function"] == pytest.approx(force * numpy.linalg.norm(fall) / 2, rel=1e-9)


def test_a_wall_in_csv_and_a_normal_of_nothing(client, arm):
    motion = {"q": [0.1, 0.4, 0.05, 0], "qd": [0.0] * 4, "tau": [0.0] * 4}
    as_json = client.post(arm["scara"] + "/forward-dynamics", {**motion, "constraint": "wall"}).expect(200).json
    table = ",".join(f"{name}{j + 1}" for name in motion for j in range(4)) + "\n" + ",".join(str(x) for row in motion.values() for x in row) + "\n"
    answer = client.post(arm["scara"] + "/forward-dynamics?constraint=wall&field=constraint_wrench", body=table.encode(), content_type="text/csv",
                         headers={"Accept": "text/csv"}).expect(200)
    row = [float(x) for x in answer.body.decode().splitlines()[1].split(",")]
    assert row == as_json["constraint_wrench"] and row[2] > 0
    problem = client.post(arm["scara"] + "/forward-dynamics", {**motion, "constraint": "wall", "normal": [0, 0, 0]}).expect(422).json
    assert problem["errors"][0]["pointer"] == "/normal"
