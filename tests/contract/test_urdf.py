"""URDFs come in and go out; bad ones are refused with the exact place: XPath, line and code.

A case is a row: name, text, status, faults ("xpath:line code", or "?parameter code"). To add a case: a row.
"""

import itertools
import random
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest

from support import PATIENCE, ROOT
from support.data import shared, unique_name

SEVEN = (ROOT / "tests/data/urdf/seven_axes.urdf").read_text()
XML = "application/xml"

HEAD = '<robot name="r">\n'
BASE = '<link name="base"/>\n'
ARM = '<link name="arm"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>\n'
ENDS = '<parent link="base"/><child link="arm"/>'
JOINT = f'<joint name="j" type="revolute">{ENDS}<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint>\n'
TAIL = "</robot>\n"
GOOD = HEAD + BASE + ARM + JOINT + TAIL
AT_JOINT = "/robot/joint"


def joint(inner="", name="j", kind="revolute", ends=ENDS):
    """The good arm with another joint, which stands on line 4."""
    return HEAD + BASE + ARM + f'<joint name="{name}" type="{kind}">{ends}{inner}</joint>\n' + TAIL


def arm(inertial):
    """The good arm with another body, which stands on line 3."""
    return HEAD + BASE + f'<link name="arm"><inertial>{inertial}</inertial></link>\n' + JOINT + TAIL


def link(name):
    return f'<link name="{name}"/>\n'


def fixed(name, parent, child):
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>\n'


BOMB = ('<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {c} "{("&" + b + ";") * 10}">' for b, c in zip("abcdefgh", "bcdefghi")) + ']>\n<robot name="&i;"/>')
MASS, INERTIA = '<mass value="1"/>', '<inertia ixx="1" iyy="1" izz="1"/>'

CASES = [
    # -- not XML: 400 --
    ("nothing", "", 400, ":1 syntax"),
    ("white space", " \n ", 400, ":2 syntax"),
    ("JSON", '{"name": "arm"}', 400, ":1 syntax"),
    ("cut off", GOOD[:150], 400, ":4 syntax"),
    ("tags that cross", "<robot>\n<link></robot></link>", 400, ":2 syntax"),
    ("two roots of the document", GOOD + GOOD, 400, ":6 syntax"),
    ("an unknown entity", '<robot name="&nbsp;"/>', 400, ":1 syntax"),
    ("an attribute twice", '<robot name="a" name="b"/>', 400, ":1 syntax"),
    ("a bare ampersand", '<robot name="a&b"/>', 400, ":1 syntax"),
    ("Latin-1", '<?xml version="1.0" encoding="ISO-8859-1"?>\n<robot name="é"/>'.encode("latin-1"), 400, ":2 syntax"),
    ("UTF-16", GOOD.encode("utf-16"), 400, ":1 syntax"),
    ("a NUL", "<robot\0/>", 400, ":1 syntax"),
    # -- what may not be in it --
    ("a DOCTYPE", '<?xml version="1.0"?>\n<!DOCTYPE robot>\n' + GOOD, 422, ":2 unsupported"),
    ("an entity bomb", BOMB, 422, ":1 unsupported"),
    ("a file as entity", '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>', 422, ":1 unsupported"),
    ("a DTD of elsewhere", '<!DOCTYPE robot SYSTEM "http://127.0.0.1:1/x.dtd">' + GOOD, 422, ":1 unsupported"),
    ("65 levels", "<robot>" + "<a>" * 64 + "</a>" * 64 + "</robot>", 422, ":1 maximum"),
    ("a hundred thousand levels", "<robot>" + "<a>" * 100000, 422, ":1 maximum"),
    ("65 attributes", "<robot>\n<a " + " ".join(f'a{i}="&gt;>="' for i in range(65)) + "/></robot>", 422, ":2 maximum"),
    ("a hundred thousand attributes", "<robot " + " ".join(f"a{i}=''" for i in range(100000)) + "/>", 422, ":1 maximum"),
    ("attributes behind an error", '<?xml version="1.0"><robot ' + " ".join(f"a{i}=''" for i in range(100000)) + "/>?>", 400, ":1 syntax"),
    ("attributes in a value", "<robot b=\"<x " + " ".join(f"a{i}=''" for i in range(100000)) + "/>\"/>", 422, ":1 maximum"),
    # -- not a URDF --
    ("another root element", '<sdf version="1.6"/>', 422, "/sdf:1 type"),
    ("no links", '<robot name="r"/>', 422, "/robot:1 required"),
    ("a name of nothing", GOOD.replace('"r"', '"---"'), 422, "/robot/@name:1 required"),
    ("no name", GOOD.replace(' name="r"', ""), 422, "/robot:1 required"),
    ("a link without a name", HEAD + BASE + ARM + "<link/>\n" + JOINT + TAIL, 422, "/robot/link[3]:4 required"),
    ("a joint without a name", joint().replace(' name="j"', ""), 422, "/robot/joint:4 required"),
    ("two links of a name", HEAD + BASE + ARM + ARM + JOINT + TAIL, 422, "/robot/link[3]/@name:4 duplicate"),
    ("two joints of a name", HEAD + BASE + ARM + JOINT + link("c") + fixed("j", "arm", "c") + TAIL, 422, "/robot/joint[2]/@name:6 duplicate"),
    ("a joint's name of 65 bytes", joint(name="j" * 65), 422, "/robot/joint/@name:4 length"),
    ("a joint's name of two lines", joint(name="a&#10;b"), 422, "/robot/joint/@name:4 pattern"),
    ("a link's name of 300 bytes", GOOD.replace('"arm"', '"' + "a" * 300 + '"'), 422, "/robot/link[2]/@name:3 length"),
    ("1001 links", HEAD + "".join(link(f"l{i}") for i in range(1001)) + TAIL, 422, "/robot/link[1001]:1002 maximum"),
    # -- no tree --
    ("a missing parent", joint(ends='<parent link="bas"/><child link="arm"/>'), 422, "/robot/joint/parent/@link:4 inconsistent"),
    ("a missing child", joint(ends='<parent link="base"/><child link="amr"/>'), 422, "/robot/joint/child/@link:4 inconsistent"),
    ("no parent", joint(ends='<child link="arm"/>'), 422, "/robot/joint:4 required"),
    ("no child", joint(ends='<parent link="base"/>'), 422, "/robot/joint:4 required"),
    ("a child of no name", joint(ends='<parent link="base"/><child/>'), 422, "/robot/joint/child:4 required"),
    ("a loop", HEAD + link("a") + link("b") + fixed("x", "a", "b") + fixed("y", "b", "a") + TAIL, 422, "/robot/link[1]:2 inconsistent"),
    ("a link on itself", joint(ends='<parent link="arm"/><child link="arm"/>'), 422, "/robot/link[2]:3 inconsistent"),
    ("a loop beside the arm", HEAD + BASE + ARM + JOINT + link("a") + link("b") + fixed("x", "a", "b") + fixed("y", "b", "a") + TAIL, 422,
     "/robot/link[3]:5 inconsistent"),
    ("a closed chain", HEAD + BASE + ARM + link("c") + JOINT + fixed("x", "base", "c") + fixed("y", "arm", "c") + TAIL, 422,
     "/robot/joint[3]/child/@link:7 inconsistent"),
    ("two roots", HEAD + BASE + ARM + link("alone") + JOINT + TAIL, 422, "/robot/link[3]:4 inconsistent"),
    # -- no chain --
    ("several tips", HEAD + BASE + ARM + link("x") + link("y") + JOINT + fixed("f", "arm", "x") + fixed("g", "arm", "y") + TAIL, 422, "?tip required"),
    ("nothing moves", HEAD + BASE + ARM + fixed("f", "base", "arm") + TAIL, 422, "/robot:1 length"),
    ("33 joints", HEAD + link("l0") + "".join(
        link(f"l{i + 1}") + f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/></joint>\n' for i in range(33)) + TAIL,
     422, "/robot/joint[33]:68 length"),
    # -- joints --
    ("no type", joint().replace(' type="revolute"', ""), 422, "/robot/joint:4 required"),
    ("an unknown type", joint(kind="ball"), 422, "/robot/joint/@type:4 enum"),
    ("a floating joint", joint(kind="floating"), 422, "/robot/joint/@type:4 unsupported"),
    ("a planar joint", joint(kind="planar"), 422, "/robot/joint/@type:4 unsupported"),
    ("a mimic joint", joint('<mimic joint="k" multiplier="-1"/>'), 422, "/robot/joint/mimic:4 unsupported"),
    ("an axis of no length", joint('<axis xyz="0 0 0"/>'), 422, "/robot/joint/axis/@xyz:4 minimum"),
    ("an axis of two numbers", joint('<axis xyz="0 1"/>'), 422, "/robot/joint/axis/@xyz:4 length"),
    ("an axis of four numbers", joint('<axis xyz="0 1 0 0"/>'), 422, "/robot/joint/axis/@xyz:4 length"),
    ("an axis of letters", joint('<axis xyz="x y z"/>'), 422, "/robot/joint/axis/@xyz:4 type"),
    ("an origin of nothing", joint('<origin xyz=""/>'), 422, "/robot/joint/origin/@xyz:4 length"),
    ("commas between numbers", joint('<origin xyz="0,0,1"/>'), 422, "/robot/joint/origin/@xyz:4 type"),
    ("NaN", joint('<origin xyz="0 nan 0"/>'), 422, "/robot/joint/origin/@xyz:4 finite"),
    ("infinity", joint('<origin rpy="0 0 -Infinity"/>'), 422, "/robot/joint/origin/@rpy:4 finite"),
    ("1e999", joint('<origin xyz="0 1e999 0"/>'), 422, "/robot/joint/origin/@xyz:4 maximum"),
    ("a kilometre too many", joint('<origin xyz="0 2e12 0"/>'), 422, "/robot/joint/origin/@xyz:4 maximum"),
    ("hexadecimal", joint('<origin xyz="0 0x10 0"/>'), 422, "/robot/joint/origin/@xyz:4 type"),
    ("an expression", joint('<origin xyz="0 ${pi/2} 0"/>'), 422, "/robot/joint/origin/@xyz:4 type"),
    ("two faults of an origin", joint('<origin xyz="0 0" rpy="a"/>'), 422, "/robot/joint/origin/@xyz:4 length", "/robot/joint/origin/@rpy:4 type"),
    ("limits the wrong way round", joint('<limit lower="1" upper="-1" effort="1" velocity="1"/>'), 422, "/robot/joint/limit:4 inconsistent"),
    ("limits of zero width", joint('<limit lower="0" upper="0" effort="1" velocity="1"/>'), 422, "/robot/joint/limit:4 inconsistent"),
    ("a limit of letters", joint('<limit lower="low" upper="1" effort="1" velocity="1"/>'), 422, "/robot/joint/limit/@lower:4 type"),
    ("a negative effort", joint('<limit lower="0" upper="1" effort="-1" velocity="1"/>'), 422, "/robot/joint/limit/@effort:4 minimum"),
    ("a negative velocity", joint('<limit lower="0" upper="1" effort="1" velocity="-1"/>'), 422, "/robot/joint/limit/@velocity:4 minimum"),
    ("negative damping", joint('<dynamics damping="-0.1"/>'), 422, "/robot/joint/dynamics/@damping:4 minimum"),
    ("negative friction", joint('<dynamics friction="-0.1"/>'), 422, "/robot/joint/dynamics/@friction:4 minimum"),
    # -- bodies --
    ("no mass", arm(INERTIA), 422, "/robot/link[2]/inertial:3 required"),
    ("no inertia", arm(MASS), 422, "/robot/link[2]/inertial:3 required"),
    ("mass without a value", arm("<mass/>" + INERTIA), 422, "/robot/link[2]/inertial:3 required"),
    ("mass of letters", arm('<mass value="heavy"/>' + INERTIA), 422, "/robot/link[2]/inertial/mass/@value:3 type"),
    ("negative mass", arm('<mass value="-1"/>' + INERTIA), 422, "/robot/link[2]/inertial/mass/@value:3 minimum"),
    ("no moment about z", arm(MASS + '<inertia ixx="1" iyy="1"/>'), 422, "/robot/link[2]/inertial/inertia:3 required"),
    ("a moment of letters", arm(MASS + '<inertia ixx="1" iyy="1" izz="one"/>'), 422, "/robot/link[2]/inertial/inertia/@izz:3 type"),
    ("triangle inequality", arm(MASS + '<inertia ixx="1" iyy="1" izz="3"/>'), 422, "/robot/link[2]/inertial/inertia:3 unphysical"),
    ("negative moment", arm(MASS + '<inertia ixx="-1" iyy="1" izz="1"/>'), 422, "/robot/link[2]/inertial/inertia:3 unphysical"),
    # -- transmissions --
    ("a reduction of 0", GOOD.replace(TAIL, '<transmission><joint name="j"/><actuator><mechanicalReduction>0</mechanicalReduction></actuator></transmission>' + TAIL),
     422, "/robot/transmission/actuator/mechanicalReduction:5 minimum"),
    ("a reduction of letters", GOOD.replace(TAIL, '<transmission><joint name="j"/><actuator><mechanicalReduction>a</mechanicalReduction></actuator></transmission>' + TAIL),
     422, "/robot/transmission/actuator/mechanicalReduction:5 type"),
    ("a coupled transmission", GOOD.replace(TAIL, '<transmission><joint name="j"/><joint name="k"/></transmission>' + TAIL), 422, "/robot/transmission:5 unsupported"),
    ("three faults at once", joint('<axis xyz="0 0 0"/><dynamics damping="-1" friction="x"/>'), 422, "/robot/joint/axis/@xyz:4 minimum",
     "/robot/joint/dynamics/@damping:4 minimum", "/robot/joint/dynamics/@friction:4 type"),
]

QUERIES = [
    ("an unknown root", {"root": "nowhere"}, "?root inconsistent"),
    ("an unknown tip", {"tip": "nowhere"}, "?tip inconsistent"),
    ("a tip above the root", {"root": "arm", "tip": "base"}, "?tip inconsistent"),
    ("an illegal name", {"name": "My Arm"}, "?name pattern"),
    ("an empty name", {"name": ""}, "?name pattern"),
    ("an unknown parameter", {"chain": "arm"}, "?chain unknown_field"),
]


def place_and_code(fault):
    """A fault in the words of the table."""
    if "parameter" in fault:
        return f"?{fault['parameter']} {fault['code']}"
    return f"{fault['xpath']}:{fault.get('line', 0)} {fault['code']}"


def send(client, text, **query):
    return client.post("/v1/robots", body=text, content_type=XML, query=query)


def put_in(client, text, **query):
    query.setdefault("name", unique_name())
    return send(client, text, **query).expect(201).json


def refused(answer, status, faults):
    assert answer.status == status, repr(answer)
    problem = answer.json
    assert problem["type"] == ("/problems/syntax" if status == 400 else "/problems/invalid"), repr(answer)
    assert sorted(map(place_and_code, problem["errors"])) == sorted(faults), repr(answer)
    assert all(len(fault["detail"]) > 5 for fault in problem["errors"]), repr(answer)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_bad_urdf(client, case):
    _, text, status, *faults = case
    start = time.monotonic()
    refused(send(client, text), status, faults)
    assert time.monotonic() - start < 5 * PATIENCE


@pytest.mark.parametrize("case", QUERIES, ids=lambda case: case[0])
def test_bad_query(client, case):
    _, query, *faults = case
    refused(send(client, GOOD, **query), 422, faults)


def test_parameters_of_urdf_do_not_go_with_json(client):
    model = client.get(f"/v1/robots/{put_in(client, GOOD)['name']}").expect(200).json
    answer = client.post("/v1/robots", {**model, "name": unique_name()}, query={"root": "base", "tip": "arm"}).expect(422)
    assert sorted(map(place_and_code, answer.json["errors"])) == ["?root unsupported", "?tip unsupported"]


def test_a_hundred_megabytes_are_refused_before_they_come(server):
    with server.connect(10) as s:
        s.sendall(b"POST /v1/robots HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/xml\r\nContent-Length: 104857600\r\n\r\n")
        assert s.recv(100).startswith(b"HTTP/1.1 413")


def test_unphysical_is_stored_when_allowed(client):
    text = arm(MASS + '<inertia ixx="1" iyy="1" izz="3"/>')
    model = put_in(client, text, allow_unphysical="true")
    assert model["unphysical"] and "unphysical" in [w["code"] for w in model["warnings"]]


def test_what_a_small_urdf_says(client):
    model = put_in(client, GOOD)
    assert model["convention"] == "frames" and model["gravity"] == [0, 0, -9.81]
    only, = model["joints"]
    assert only["name"] == "j" and only["type"] == "revolute" and only["axis"] == [0, 0, 1]
    assert only["limits"] == {"position": [-1, 1], "velocity": 2, "torque": 5}
    assert only["link"] == {"mass": 2, "com": [0, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1, "xy": 0, "xz": 0, "yz": 0}}


def test_what_looks_like_attributes_is_none(client):
    many = "a='b' " * 100
    inside = f"<!-- <x {many}/> --><note><![CDATA[<x {many}/>]]></note><?hint <x {many}/>?><note>{many}</note><note text=\"{many}>\"/>\n"
    put_in(client, GOOD.replace(TAIL, inside + TAIL))


def test_a_byte_order_mark_is_no_fault(client):
    put_in(client, "\ufeff" + GOOD)


def test_names(client):
    name = unique_name("Arm of_")
    assert send(client, GOOD.replace('"r"', f'"{name}"')).expect(201).json["name"] == name.lower().replace(" ", "-")
    model = put_in(client, GOOD)
    path = f"/v1/robots/{model['name']}"
    changed = client.put(path, body=GOOD, content_type=XML, headers={"If-Match": '"1"'}).expect(200).json
    assert changed["name"] == model["name"] and changed["revision"] == 1  # says what is there
    assert changed["warnings"] == model["warnings"]
    answer = client.put(path, body=GOOD, content_type=XML, query={"name": "other"}, headers={"If-Match": '"1"'}).expect(422)
    assert [place_and_code(f) for f in answer.json["errors"]] == ["?name inconsistent"]


def test_what_was_doubtful_is_told(client):
    gripper = (link("finger") + '<joint name="grip" type="prismatic"><parent link="arm"/><child link="finger"/></joint>\n'
               + link("tip") + fixed("t", "arm", "tip"))
    text = joint('<limit lower="-1" upper="1" effort="0" velocity="0"/>').replace(ARM, '<link name="arm"/>').replace(TAIL, gripper + TAIL)
    warnings = put_in(client, text, tip="tip")["warnings"]
    told = [(w["pointer"], w["code"]) for w in warnings]
    for expected in (("/joints/0/limits/velocity", "zero_limit"), ("/joints/0/limits/torque", "zero_limit"),
                     ("/joints/0/link", "left_out"), ("/joints/0/link", "no_inertial"), ("/joints/0/link", "massless"),
                     ("/joints/0/limits", "missing_limits")):
        assert told.count(expected) == 1, warnings


def taken_by_others(text, names, folder):
    """The parser of ROS takes an exported URDF, and finds these joints in it. Without it at hand nothing is held against it."""
    if not shutil.which("check_urdf"):
        return
    path = folder / "exported.urdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = subprocess.run(["check_urdf", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
    said = done.stdout.decode()
    assert done.returncode == 0 and "Successfully Parsed XML" in said and "root Link:" in said, said
    links = {j.find("child").get("link") for j in ElementTree.fromstring(text).findall("joint") if j.get("name") in names}
    assert len(links) == len(names) and all(f":  {link}\n" in said + "\n" for link in links), said


@pytest.mark.parametrize("path", ["/v1/robots/{}", "/v1/robots/{}/revisions/1"])
def test_export_is_what_a_stranger_reads(client, path, tmp_path):
    model = put_in(client, SEVEN, tip="flange")
    answer = client.get(path.format(model["name"]), headers={"Accept": XML}).expect(200)
    assert answer.content_type == XML and answer.etag == '"1"' and answer.headers["Vary"] == "Accept"
    robot = ElementTree.fromstring(answer.body)
    joints = robot.findall("joint")
    assert [j.get("name") for j in joints] == [j["name"] for j in model["joints"]] + ["tool_joint"]
    taken_by_others(answer.body, [j["name"] for j in model["joints"]], tmp_path)
    assert [j.get("type") for j in joints] == ["revolute", "revolute", "continuous", "revolute", "prismatic", "revolute", "continuous", "fixed"]
    names = [one.get("name") for one in robot.findall("link")]
    assert len(set(names)) == len(names) == 9
    masses = {one.get("name"): float(one.find("inertial/mass").get("value")) for one in robot.findall("link") if one.find("inertial") is not None}
    assert list(masses.values()) == [j["link"]["mass"] for j in model["joints"]] and "base_link" not in masses
    assert all(j.find(end).get("link") in names for j in joints for end in ("parent", "child"))
    assert client.get(path.format(model["name"]), headers={"Accept": "application/*"}).expect(200).content_type == "application/json"
    assert client.get(path.format(model["name"]), headers={"Accept": XML, "If-None-Match": '"1"'}).expect(304)


def torques(client, name, states):
    return client.post(f"/v1/robots/{name}/inverse-dynamics", states).expect(200).json["tau"]


def random_states(joints, count=50):
    dice = random.Random(joints)
    return {field: [[dice.uniform(-most, most) for _ in range(joints)] for _ in range(count)]
            for field, most in (("q", 3), ("qd", 2), ("qdd", 5))}


def worst(a, b):
    return max(abs(x - y) / max(1e-6, *map(abs, rows)) for row, rows in zip(a, b) for x, y in zip(row, rows))


def goes_round(client, text, folder, **query):
    """Import, export, import again: the same torques, and the same text ever after."""
    first = put_in(client, text, **query)
    exported = client.get(f"/v1/robots/{first['name']}", headers={"Accept": XML}).expect(200).text
    taken_by_others(exported, [j["name"] for j in first["joints"]], folder)
    second = put_in(client, exported)
    states = random_states(len(first["joints"]))
    assert worst(torques(client, second["name"], states), torques(client, first["name"], states)) <= 1e-12
    again = client.get(f"/v1/robots/{second['name']}", headers={"Accept": XML}).expect(200).text
    strip = re.compile(r"<!--.*?-->|<robot [^>]*>")
    assert strip.sub("", again) == strip.sub("", exported)
    return first


def test_seven_axes_go_round(client, tmp_path):
    model = goes_round(client, SEVEN, tmp_path, tip="flange")
    assert len(model["joints"]) == 7
    assert model["description"] == "URDF, link table to link flange"


@pytest.mark.parametrize("name", ["puma560", "scara", "prismatic_dh", "prismatic_mdh"])
def test_dh_models_go_out_and_come_back(client, name, tmp_path):
    """Gravity and unequal friction do not fit into a URDF: they are put back before the torques are compared."""
    from support import data
    model = {**data.vectors(name)["robot"], "name": unique_name()}
    client.create_robot(model)
    exported = client.get(f"/v1/robots/{model['name']}", headers={"Accept": XML}).expect(200).text
    taken_by_others(exported, [j["name"] for j in model["joints"]], tmp_path)
    back = put_in(client, exported, allow_unphysical="true")
    back["gravity"] = model["gravity"]
    for mine, its in zip(model["joints"], back["joints"]):
        its["friction"] = mine.get("friction")
    client.put(f"/v1/robots/{back['name']}", back, query={"allow_unphysical": "true"}, headers={"If-Match": '"1"'}).expect(200)
    states = random_states(len(model["joints"]))
    assert worst(torques(client, back["name"], states), torques(client, model["name"], states)) <= 1e-12


def test_kuka_lwr4(client, tmp_path):
    """A URDF as a robot lab uses it, where the reference data are at hand."""
    path = shared("kuka_lwr4/kuka_lwr4.urdf")
    if not path:
        pytest.skip("kuka_lwr4.urdf is not at hand (ARMDYN_SHARED_DATA)")
    text = path.read_text()
    robot = ElementTree.fromstring(text)
    tip = next(j for j in robot.findall("joint") if j.get("name") == "lwr_6_joint").find("child").get("link")
    model = goes_round(client, text, tmp_path, root="lwr_base_link", tip=tip)
    assert [j["name"] for j in model["joints"]] == [f"lwr_{i}_joint" for i in range(7)]
    assert model["joints"][0]["limits"]["torque"] == 176 and model["joints"][1]["axis"] == [0, -1, 0]
    assert model["joints"][0]["friction"] == {"coulomb": 0.5, "viscous": 1}


@pytest.mark.parametrize("file, name", [("package://arm/meshes/Link_1.STL", "link_1"), ("C:\\arm\\meshes\\Link 2.stl", "link-2"), ("meshes\\left/hand.v2.dae", "hand.v2"), ("a\\b", "b"),
                                        ("x/.stl", "stl"), ("/", "mesh")])
def test_a_mesh_has_the_name_of_its_file(client, file, name):
    """Without folders, by either stroke, and without its ending."""
    shown = f'<visual><geometry><mesh filename="{file}"/></geometry></visual>'
    mesh, = put_in(client, HEAD + BASE + ARM.replace("</link>", shown + "</link>") + JOINT + TAIL)["visuals"]
    assert (mesh["mesh"], mesh["reference"]) == (name, file)


def test_collision_elements_become_bodies(client):
    """A box and a ball as they are; a cylinder with a ball at either end is a capsule, a long one is in a capsule, a flat one in a
    box; a fixed link's go to the link that carries it, turned; a mesh is kept for who fits bodies to it, and goes out again."""
    def solid(geometry, xyz="0 0 0", rpy="0 0 0"):
        return f'<collision><origin xyz="{xyz}" rpy="{rpy}"/><geometry>{geometry}</geometry></collision>'
    ball, rod = '<sphere radius="0.1"/>', '<cylinder radius="0.1" length="0.6"/>'
    arm_bodies = (solid(ball, "0 0 0.3") + solid(rod) + solid(ball, "0 0 -0.3") + solid('<sphere radius="0.2"/>', "1 2 3")
                  + solid('<cylinder radius="0.1" length="5"/>', "0 0 1", "1.5707963267948966 0 0") + solid('<cylinder radius="2" length="0.1"/>', "0 0 4"))
    text = (HEAD + BASE.replace("/>", f'>{solid("<box size=&quot;1 2 3&quot;/>", "0.1 0.2 0.3", "0.4 0 0")}</link>') + ARM.replace("</link>", arm_bodies + "</link>") + JOINT
            + '<link name="hand">' + solid(ball, "0.5 0 0") + solid('<mesh filename="hand.stl"/>') + solid('<box size="1 1"/>') + "</link>"
            + '<joint name="h" type="fixed"><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><parent link="arm"/><child link="hand"/></joint>' + TAIL)
    model = put_in(client, text.replace("&quot;", "'"))
    assert model["base"]["bodies"] == [{"box": {"size": [1, 2, 3], "translation": [0.1, 0.2, 0.3], "rpy": [0.4, 0, 0]}}]
    bodies = model["joints"][0]["link"]["bodies"]
    assert [list(body)[0] for body in bodies] == ["capsule", "sphere", "capsule", "box", "sphere"]
    assert bodies[0]["capsule"] == {"from": [0, 0, -0.3], "to": [0, 0, 0.3], "radius": 0.1}
    assert bodies[2]["capsule"]["from"] == pytest.approx([0, 2.5, 1]) and bodies[2]["capsule"]["to"] == pytest.approx([0, -2.5, 1])
    assert bodies[3]["box"]["size"] == [4, 4, 0.1] and bodies[4]["sphere"]["center"] == pytest.approx([0, 0.5, 1])
    left = [w["detail"] for w in model["warnings"] if w["code"] == "body_left_out"]
    assert len(left) == 2 and "mesh" in left[0] and "> 0 m" in left[1]
    mesh, = model["visuals"]
    assert mesh["collision"] and mesh["mesh"] == "hand" and mesh["frame"]["translation"] == pytest.approx([0, 0, 1]) and mesh["joint"] == model["joints"][0]["name"]
    out = client.get(f"/v1/robots/{model['name']}", headers={"Accept": "application/xml"}).expect(200).body
    assert "hand.stl" in [m.get("filename") for m in ElementTree.fromstring(out).iterfind(".//collision/geometry/mesh")] and b"<visual" not in out


@pytest.mark.parametrize("convention", ["dh", "mdh"])
def test_bodies_go_out_and_come_back(client, convention, tmp_path):
    """An arm that comes back out of a URDF keeps the same distances from itself, tool and payload included."""
    dice = random.Random(convention)

    def v(most):
        return [dice.uniform(-most, most) for _ in range(3)]

    def bodies():
        return [{"capsule": {"from": v(0.1), "to": v(0.1), "radius": 0.02}}, {"box": {"size": [0.03, 0.05, 0.04], "translation": v(0.1), "rpy": v(3)}},
                {"sphere": {"center": v(0.1), "radius": 0.03}}, {"capsule": {"from": [0, 0, 0.05], "to": [0, 0, 0.05], "radius": 0.01}}]
    joints = [{"name": f"j{k}", "type": "prismatic" if k == 3 else "revolute", "a": 0.3, "alpha": (-1) ** k * 0.7, "theta": 0.2, "d": 0.15, "offset": 0.1,
               "link": {"mass": 1, "com": [0, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}, "bodies": bodies()}} for k in range(6)]
    model = {"name": unique_name(), "convention": convention, "joints": joints, "base": {"bodies": bodies()},
             "tool": {"translation": [0.1, 0, 0.2], "rpy": [0.3, 0.2, 0.1], "bodies": bodies()}, "payload": {"mass": 0, "com": [0, 0, 0], "bodies": bodies()[:1]}}
    client.create_robot(model)
    exported = client.get(f"/v1/robots/{model['name']}", headers={"Accept": XML}).expect(200).text
    taken_by_others(exported, [j["name"] for j in joints], tmp_path)
    back = put_in(client, exported)
    assert sum(len(j["link"]["bodies"]) for j in back["joints"]) == 6 * 4 + 5  # what the tool has is the last link's
    q = random_states(6)["q"]
    far = [{"name": f"post-{k}", "box": {"size": [0.1, 0.1, 0.1], "translation": v(2)}} for k in range(5)]
    client.post("/v1/cells", {"name": model["name"], "bodies": far}).expect(201)
    # with the tool's bodies one with the last link's, other pairs are compared: each arm against the cell alone
    names = ["base", *(j["name"] for j in joints), "tool", "payload"]
    pairs = [{"bodies": pair} for pair in itertools.combinations(names, 2)]
    told = [client.post(f"/v1/robots/{one}/clearance", {"q": q, "cell": model["name"], "touches": pairs}).expect(200).json["clearance"]
            for one in (model["name"], back["name"])]
    assert told[0] == pytest.approx(told[1], abs=1e-9)
