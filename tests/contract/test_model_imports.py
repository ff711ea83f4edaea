"""Models from scripts of the Robotics Toolbox, tables of joints and templates: the numbers of other libraries and of a chain that
numpy multiplies; what is not known is refused with its line.

A case of a refusal is a row: what, text, line, code. To add a case: a row.
"""

import json
import math

import numpy as np
import pytest

from support import ROOT
from support.data import unique_name

PUMA = (ROOT / "tests/data/toolbox/puma560.m").read_text()
VECTORS = json.loads((ROOT / "tests/data/vectors/puma560.json").read_text())
MATLAB, CSV = "text/x-matlab", "text/csv"


def imported(client, text, kind, **query):
    return client.post("/v1/robots", body=text, content_type=kind, query={"name": unique_name("imported"), **query}).expect(201)


def placed(client, robot, q):
    """Where the tool is: 4 x 4."""
    return np.array(client.post(f"/v1/robots/{robot}/forward-kinematics", {"q": list(q)}).expect(200).json["tool"])


def turn(axis, angle):
    c, s, r = math.cos(angle), math.sin(angle), np.eye(4)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    r[j, j], r[j, k], r[k, j], r[k, k] = c, -s, s, c
    return r


def shift(x, y, z):
    t = np.eye(4)
    t[:3, 3] = x, y, z
    return t


def chain(rows, q, modified=False):
    """Rows (slides, theta, d, a, alpha, offset): the product of their transforms, standard or modified (Craig)."""
    T = np.eye(4)
    for (slides, theta, d, a, alpha, offset), x in zip(rows, q):
        theta, d = (theta, x + offset) if slides else (x + offset, d)
        joint, link = turn(2, theta) @ shift(0, 0, d), shift(a, 0, 0) @ turn(0, alpha)
        T = T @ (link @ joint if modified else joint @ link)
    return T


def test_the_puma_has_the_torques_of_other_libraries(client):
    """Links alone, as the stored vectors have them; the triangle inequality fails as published."""
    links = "\n".join(line for line in PUMA.splitlines() if ".Jm" not in line)
    refused = client.post("/v1/robots", body=links, content_type=MATLAB).expect(422).json
    assert {fault["code"] for fault in refused["errors"]} == {"unphysical"}
    assert refused["errors"][0]["pointer"].startswith("/joints/0/link")
    robot = imported(client, links, MATLAB, allow_unphysical="true").json
    states = VECTORS["states"]
    body = {key: [state[key] for state in states] for key in ("q", "qd", "qdd")}
    tau = np.array(client.post(f"/v1/robots/{robot['name']}/inverse-dynamics", body).expect(200).json["tau"])
    expected = np.array([state["tau"] for state in states])
    assert np.abs(tau - expected).max() <= 1e-12 * np.abs(expected).max()


def test_drives_and_friction_are_turned_from_the_motor_to_the_joint(client):
    robot = imported(client, PUMA, MATLAB, allow_unphysical="true").json
    assert robot["convention"] == "dh" and robot["gravity"] == [0, 0, -9.81]
    stored = json.loads((ROOT / "tests/data/robots/puma560.json").read_text())
    for ours, theirs in zip(robot["joints"], stored["joints"]):
        assert ours["drive"]["gear_ratio"] == theirs["drive"]["gear_ratio"]
        assert ours["drive"]["rotor_inertia"] == theirs["drive"]["rotor_inertia"]
        assert ours["friction"]["viscous"] == pytest.approx(theirs["friction"]["viscous"], rel=5e-4)
        for way in ("positive", "negative"):
            assert ours["friction"]["coulomb"][way] == pytest.approx(theirs["friction"]["coulomb"][way], rel=5e-4)
    assert robot["joints"][0]["limits"]["position"] == pytest.approx([-math.radians(160), math.radians(160)], rel=1e-15)


def test_the_name_is_the_scripts_unless_another_is_asked_for(client):
    text = "a = SerialLink([Link([0 0 1 0]) Link([0 0 1 0])], 'name', '%s');" % unique_name("My Arm").replace("-", " ")
    name = client.post("/v1/robots", body=text, content_type=MATLAB).expect(201).json["name"]
    assert name.startswith("my-arm")
    other = unique_name("other")
    answer = client.put(f"/v1/robots/{other}", body=text, content_type=MATLAB, headers={"If-None-Match": "*"}).expect(201)
    assert answer.json["name"] == other


SCRIPT = """
%{
  of several lines
%}
a = [0.4, 0.3 0.2]'; turns = [0 pi/2 -pi/2];
L1 = Link([0 0.1 a(1) turns(1) 0 0.2], '{c}');
L2 = Link([0.3 0 a(2) turns(2) 1 -.05], '{c}');
L3 = {revolute}('a', a(3, 1), 'alpha', ...
   turns(1, 3), 'd', (2 - 3)^2/-8, 'offset', -deg2rad(30));
arm = SerialLink([L1, L2 L3], 'name', 'x', 'tool', transl(0.1, 0, 0.2) * trotx(pi/3), 'gravity', [9.81 0 0]);
arm.links(2).qlim = [0 1]
"""
ROWS = [(False, 0, 0.1, 0.4, 0, 0.2), (True, 0.3, 0, 0.3, math.pi / 2, -0.05), (False, 0, -1 / 8, 0.2, -math.pi / 2, -math.pi / 6)]


@pytest.mark.parametrize("modified", [False, True])
def test_a_script_stands_where_numpy_says(client, modified):
    text = SCRIPT.replace("{c}", "modified" if modified else "standard").replace("{revolute}", "RevoluteMDH" if modified else "Revolute")
    robot = imported(client, text, MATLAB).json
    assert robot["convention"] == ("mdh" if modified else "dh") and robot["gravity"] == [-9.81, 0, 0]
    assert robot["joints"][1]["limits"]["position"] == [0, 1]
    assert [w["code"] for w in robot["warnings"]].count("no_inertial") == 3
    chance = np.random.default_rng(7)
    for q in chance.uniform(-2, 2, (10, 3)):
        expected = chain(ROWS, q, modified) @ shift(0.1, 0, 0.2) @ turn(0, math.pi / 3)
        assert np.abs(placed(client, robot["name"], q) - expected).max() < 1e-14


def test_a_table_with_a_row_for_each_joint(client):
    q = [0.3, 0.07, -1.1]
    for modified, version in ((False, "Revolute"), (True, "RevoluteMDH")):
        script = SCRIPT.replace("{c}", "modified" if modified else "standard").replace("{revolute}", version)
        table = "r = SerialLink([0 0.1 0.4 0 0 0.2\n 0.3 0 0.3 pi/2 1 -.05; 0 -1/8 0.2 -pi/2 0 -pi/6]" + (", 'modified')" if modified else ")")
        names = [imported(client, text, MATLAB).json["name"] for text in (script.replace("'tool', transl(0.1, 0, 0.2) * trotx(pi/3), ", ""), table)]
        assert np.abs(placed(client, names[0], q) - placed(client, names[1], q)).max() < 1e-15


def test_what_the_toolbox_ignores_is_told(client):
    warnings = imported(client, "r = SerialLink([Link([0.5 0 1 0]), Link([0 0.2 0 0 1])]);", MATLAB).json["warnings"]
    told = {w["pointer"]: w["detail"] for w in warnings if w["code"] == "ignored_variable"}
    assert "theta = 0.5" in told["/joints/0"] and "d = 0.2" in told["/joints/1"]


ARM = "r = SerialLink(L);"
REFUSED = [
    ("a loop", "L(1) = Link([0 0 1 0]);\nfor i = 1:6\nend", 2, "unsupported"),
    ("a condition", "if nargin == 1", 1, "unsupported"),
    ("a function", "function r = arm()", 1, "unsupported"),
    ("drawing", "L = Link([0 0 1 0]);\n" + ARM + "\nr.plot([0 0])", 3, "unsupported"),
    ("a variable that is not there", "L = Link([0 0 a 0]);", 1, "unsupported"),
    ("a symbol", "syms a", 1, "unsupported"),
    ("a member that is not read", "L = Link('a', 1, 'colour', 2);", 1, "unsupported"),
    ("a fixed flag", "L = Link([0 0 1 0], 'flip');", 1, "syntax"),
    ("an old link", "L{1} = link([0 0 1 0 0]);", 1, "unsupported"),
    ("seven numbers", "L = Link([0 0 1 0 0 0 0]);", 1, "length"),
    ("sigma of two", "L = Link([0 0 1 0 2]);", 1, "enum"),
    ("theta of no prismatic joint", "L = Link('theta', 1, 'a', 2);", 1, "inconsistent"),
    ("d of a prismatic joint", "L = Prismatic('d', 1);", 1, "inconsistent"),
    ("a mass below 0", "\n\nL = Revolute('m', -1);", 3, "minimum"),
    ("Coulomb friction of a wrong sign", "L = Revolute('Tc', [0.4 0.4]);", 1, "inconsistent"),
    ("an inertia that is not symmetric", "L = Revolute('I', [1 2 0; 0 1 0; 0 0 1]);", 1, "inconsistent"),
    ("a range that is none", "L = Revolute('qlim', [1 -1]);", 1, "inconsistent"),
    ("a base", "L = Link([0 0 1 0]);\nr = SerialLink(L, 'base', transl(0, 0, 1));", 2, "unsupported"),
    ("a stretched tool", "L = Link([0 0 1 0]);\nr = SerialLink(L, 'tool', 2*eye(4));", 2, "inconsistent"),
    ("two robots", "L = Link([0 0 1 0]);\n" + ARM + "\ns = SerialLink(Link([0 0 1 0]));", 3, "unsupported"),
    ("no robot", "L = Link([0 0 1 0]);", 1, "required"),
    ("a link twice", "L = Link([0 0 1 0]);\nr = SerialLink([L L]);", 2, "duplicate"),
    ("a link after the robot", "L = Link([0 0 1 0]);\n" + ARM + "\nL.m = 2;", 3, "inconsistent"),
    ("conventions that differ", "r = SerialLink([Link([0 0 1 0]) RevoluteMDH('a', 1)]);", 1, "inconsistent"),
    ("no end of a text", "L = Link('a", 1, "syntax"),
    ("no end of brackets", "L = Link([0 0 1 0)", 1, "syntax"),
    ("rows of two lengths", "x = [1 2\n3];", 2, "length"),
    ("a gap", "L(2) = Link([0 0 1 0]);", 1, "inconsistent"),
    ("thirty-three joints", "r = SerialLink(zeros(33, 4));", 1, "maximum"),
    ("deep brackets", "x = " + "(" * 1000, 1, "maximum"),
    ("no end of a block of comments", "%{\nL = 1;\n", 1, "syntax"),
    ("a comment that is no block", "x = 1; %{ not a block\nL = flip;", 2, "unsupported"),
    ("a cell", "x = {1};", 1, "unsupported"),
    ("an element-wise product", "x = [1 2] .* [3 4];", 1, "unsupported"),
]


@pytest.mark.parametrize("what, text, line, code", REFUSED, ids=[row[0] for row in REFUSED])
def test_what_is_not_known_is_refused_with_its_line(client, what, text, line, code):
    faults = client.post("/v1/robots", body=text, content_type=MATLAB).expect(400 if code == "syntax" else 422).json["errors"]
    assert [(fault["line"], fault["code"]) for fault in faults] == [(line, code)], faults
    assert faults[0]["text"] == text.splitlines()[line - 1].strip()[:255]


TABLE = """type;convention;name;a [mm];alpha [deg];d [cm];offset [deg|mm];lower [deg|mm];upper [deg|mm];mass [g];com_x [mm];iyy [kg*cm^2];izz [kg*cm^2]
R;mdh;first;0;0;10;30;-90;90;2500;12;9;9
prismatic;mdh;second;400;90;0;20;0;150;1000;;;
"""


def test_a_table_of_joints(client):
    robot = imported(client, TABLE, CSV).json
    assert robot["convention"] == "mdh" and [j["name"] for j in robot["joints"]] == ["first", "second"]
    first, second = robot["joints"]
    assert (first["d"], first["link"]["mass"], second["a"], second["offset"]) == (0.1, 2.5, 0.4, 0.02)
    assert first["link"]["com"] == [0.012, 0, 0] and first["link"]["inertia"]["zz"] == pytest.approx(9e-4, rel=1e-15)
    assert first["limits"]["position"] == pytest.approx([-math.pi / 2, math.pi / 2], rel=1e-15)
    rows = [(False, 0, 0.1, 0, 0, math.radians(30)), (True, 0, 0, 0.4, math.pi / 2, 0.02)]
    assert np.abs(placed(client, robot["name"], [0.4, 0.05]) - chain(rows, [0.4, 0.05], True)).max() < 1e-15
    assert imported(client, "\ufeff" + TABLE, CSV).json["joints"] == robot["joints"]
    assert imported(client, TABLE.replace(";", ","), CSV).json["joints"] == robot["joints"]


TABLES = [
    ("nothing", "", 1, "required"),
    ("no type", "convention,a [m]\ndh,1\n", 1, "required"),
    ("no unit", "type,convention,a\nR,dh,1\n", 1, "required"),
    ("another unit", "type,convention,a [ft]\nR,dh,1\n", 1, "enum"),
    ("another column", "type,convention,colour\nR,dh,1\n", 1, "unknown_field"),
    ("a column twice", "type,convention,type\nR,dh,R\n", 1, "duplicate"),
    ("no number", "type,convention,a [m]\nR,dh,1\nR,dh,x\n", 3, "type"),
    ("a comma for the point", "type;convention;a [m]\nR;dh;0,4\n", 2, "type"),
    ("a short row", "type,convention,a [m]\nR,dh\n", 2, "length"),
    ("a type that is none", "type,convention\nball,dh\n", 2, "enum"),
    ("two conventions", "type,convention\nR,dh\nR,mdh\n", 3, "inconsistent"),
    ("a slide without a unit", "type,convention,offset [deg]\nR,dh,1\nP,dh,1\n", 3, "required"),
    ("no rows", "type,convention\n", 1, "required"),
]


@pytest.mark.parametrize("what, text, line, code", TABLES, ids=[row[0] for row in TABLES])
def test_tables_are_refused_with_their_line(client, what, text, line, code):
    answer = client.post("/v1/robots", body=text, content_type=CSV, query={"name": "x"}).expect(422).json
    assert (answer["errors"][0]["line"], answer["errors"][0]["code"]) == (line, code), answer["errors"]


def test_a_table_needs_a_name_and_a_script_no_tip(client):
    fault = client.post("/v1/robots", body=TABLE, content_type=CSV).expect(422).json["errors"][0]
    assert (fault["parameter"], fault["code"]) == ("name", "required")
    fault = client.post("/v1/robots", body=PUMA, content_type=MATLAB, query={"tip": "x"}).expect(422).json["errors"][0]
    assert (fault["parameter"], fault["code"]) == ("tip", "unsupported")


def test_a_scara_has_its_closed_form(client):
    """Inertia about the first axis: bars about their ends, the rest by Steiner; the tool by two triangles."""
    a1, a2, stroke, (m1, m2, m3) = 0.3, 0.25, 0.18, (6, 4, 1.2)
    name = unique_name("scara")
    robot = client.post("/v1/robots", {"template": "scara", "name": name, "height": 0.4, "upper_arm": a1, "forearm": a2, "stroke": stroke,
                                       "masses": [m1, m2, m3]}).expect(201).json
    assert len([w for w in robot["warnings"] if w["code"] == "assumption"]) == 4
    bar = lambda m, l: m * (l * l + (l / 4) ** 2) / 12
    roll = m3 * (stroke / 4) ** 2 / 6
    for q in ([0.2, 0.9, 0.1, 0.4], [-1, -2, 0.03, 1]):
        M = np.array(client.post(f"/v1/robots/{name}/mass-matrix", {"q": q}).expect(200).json["mass_matrix"])
        c = math.cos(q[1])
        I1 = bar(m1, a1) + m1 * (a1 / 2) ** 2
        I2 = bar(m2, a2) + m2 * (a1 ** 2 + (a2 / 2) ** 2 + a1 * a2 * c)
        I3 = roll + m3 * (a1 ** 2 + a2 ** 2 + 2 * a1 * a2 * c)
        assert M[0, 0] == pytest.approx(I1 + I2 + I3, rel=1e-13)
        assert M[2, 2] == pytest.approx(m3, rel=1e-14) and M[3, 3] == pytest.approx(roll, rel=1e-13)
        T = placed(client, name, q)
        x, y = (a1 * f(q[0]) + a2 * f(q[0] + q[1]) for f in (math.cos, math.sin))
        assert np.abs(T[:3, 3] - [x, y, 0.4 - q[2]]).max() < 1e-14 and T[2, 2] == pytest.approx(-1, abs=1e-14)


def test_a_six_axis_arm_hangs_as_its_bars_do(client):
    """Holding torques by hand: stretched out level, the upper arm level and the forearm down; wrist axes meet."""
    height, shoulder, upper, fore, wrist = 0.45, 0.15, 0.6, 0.62, 0.1
    m = [40, 25, 12, 10, 3, 0.5]
    name = unique_name("six")
    client.post("/v1/robots", {"template": "six_axis", "name": name, "height": height, "shoulder": shoulder, "upper_arm": upper,
                               "forearm": fore, "wrist": wrist, "masses": m}).expect(201)
    g = 9.81
    tau = client.post(f"/v1/robots/{name}/gravity", {"q": [0] * 6}).expect(200).json["gravity_torque"]
    assert abs(tau[1]) == pytest.approx(g * (m[1] * upper / 2 + sum(m[2:]) * upper), rel=1e-12) and abs(tau[0]) < 1e-12
    level = client.post(f"/v1/robots/{name}/gravity", {"q": [0, 0, -math.pi / 2, 0, 0, 0]}).expect(200).json["gravity_torque"]
    reach = m[3] * fore / 2 + m[4] * fore + m[5] * (fore + wrist / 2)
    assert abs(level[2]) == pytest.approx(g * reach, rel=1e-12)
    assert np.abs(placed(client, name, [0] * 6)[:3, 3] - [shoulder + upper, 0, height - fore - wrist]).max() < 1e-14
    M = np.array(client.post(f"/v1/robots/{name}/mass-matrix", {"q": [0.3, -0.4, 0.5, 1, 2, 3]}).expect(200).json["mass_matrix"])
    assert (np.linalg.eigvalsh(M) > 0).all()


@pytest.mark.parametrize("change, pointer, code", [
    ({"template": "delta"}, "/template", "enum"), ({"stroke": None}, "/stroke", "type"), ({"wrist": 0.1}, "/wrist", "inconsistent"),
    ({"masses": [1, 2]}, "/masses", "length"), ({"upper_arm": 0}, "/upper_arm", "minimum"), ({"mass": 1}, "/mass", "unknown_field")])
def test_templates_are_refused_by_field(client, change, pointer, code):
    body = {"template": "scara", "name": "x", "upper_arm": 0.3, "forearm": 0.2, "stroke": 0.1, "masses": [1, 1, 1], **change}
    assert (pointer, code) in [(f["pointer"], f["code"]) for f in client.post("/v1/robots", body).expect(422).json["errors"]]
