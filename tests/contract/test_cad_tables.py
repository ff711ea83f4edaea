"""Tables out of CAD programs: millimetres, kg mm² and a sign of the products of inertia, converted by the service once."""

import csv
import math
import random

import pytest

from support import ROOT
from support.data import unique_name

NAMES = "joint a alpha d offset q_min q_max xx yy zz xy xz yz x y z mass".split()

# A table of our own in the same columns: bricks of steel, so that the moments follow from mass and edges.
EDGES = [(60, 80, 200), (300, 50, 40), (250, 40, 40)]


def brick(number, edges, turn):
    """A row: a brick whose principal axes are turned about z by `turn`, products as integrals (positive)."""
    a, b, c = edges
    mass = 7.85e-6 * a * b * c
    about_x, about_y, zz = (mass * (p * p + q * q) / 12 for p, q in ((b, c), (a, c), (a, b)))
    cos, sin = math.cos(turn), math.sin(turn)
    xx, yy = cos * cos * about_x + sin * sin * about_y, sin * sin * about_x + cos * cos * about_y
    xy = cos * sin * (about_y - about_x)
    values = [number, a if number > 1 else 0, 0, 0, 0, -120, 120, xx, yy, zz, xy, 0, 0, a / 2, 0, 0, mass]
    return dict(zip(NAMES, values))


def own_table():
    return [brick(i + 1, edges, 0.1 * i) for i, edges in enumerate(EDGES)]


def arm_table():
    with open(ROOT / "tests/data/cad/arm_5dof_cad.csv") as file:
        return [dict(zip(NAMES, map(float, row))) for row in csv.reader(line for line in file if line[0] != "#")]


def model(table, length, inertia, products, units):
    """The arm of a table whose lengths and inertias are multiplied by factors, products also by a sign."""
    return {
        "name": unique_name("cad"), "convention": "mdh", "gravity": [0, 0, 9.81], **units,
        "joints": [{
            "type": "revolute", "a": row["a"] * length, "alpha": row["alpha"], "d": row["d"] * length, "offset": row["offset"],
            "limits": {"position": [math.radians(row["q_min"]), math.radians(row["q_max"])]},
            "link": {"mass": row["mass"], "com": [row[axis] * length for axis in "xyz"],
                     "inertia": {key: row[key] * inertia * (products if key in ("xy", "xz", "yz") else 1)
                                 for key in ("xx", "yy", "zz", "xy", "xz", "yz")}}} for row in table],
    }


def torques(client, name, joints):
    dice = random.Random(5)
    states = {field: [[dice.uniform(-most, most) for _ in range(joints)] for _ in range(50)]
              for field, most in (("q", 2), ("qd", 3), ("qdd", 9))}
    return client.post(f"/v1/robots/{name}/inverse-dynamics", states).expect(200).json["tau"]


@pytest.mark.parametrize("sign, convention", [(1, "tensor"), (-1, "positive")])
@pytest.mark.parametrize("read", [own_table, arm_table])
def test_the_service_converts_as_we_do(client, read, sign, convention):
    table = read()
    units = {"units": {"length": "mm", "inertia": "kg*mm^2"}, "products_of_inertia": convention}
    stored = client.post("/v1/robots", model(table, 1, 1, 1, units)).expect(201).json
    by_hand = client.post("/v1/robots", model(table, 1e-3, 1e-6, sign, {})).expect(201).json
    a, b = (torques(client, one["name"], len(table)) for one in (stored, by_hand))
    largest = max(abs(x) for row in b for x in row)
    assert max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q)) <= 1e-12 * largest
    assert "units" not in stored and "products_of_inertia" not in stored

    # plausible: every body is possible, nothing looks like another unit, and only the hanging mount is remarked
    assert not stored["unphysical"]
    assert {w["code"] for w in stored["warnings"]} == {"gravity_direction", "missing_limits"}
    for joint in stored["joints"]:
        radius = math.sqrt(max(joint["link"]["inertia"][k] for k in ("xx", "yy", "zz")) / joint["link"]["mass"])
        assert 0.001 < radius < 0.3


@pytest.mark.parametrize("read", [own_table, arm_table])
def test_a_table_without_its_units_looks_suspicious(client, read):
    table = read()
    warnings = client.post("/v1/robots", model(table, 1e-3, 1, 1, {})).expect(201).json["warnings"]
    suspects = {w["pointer"] for w in warnings if w["code"] == "unit_suspect"}
    assert suspects == {f"/joints/{i}/link/inertia" for i in range(len(table))}, warnings
    warnings = client.post("/v1/robots", model(table, 1, 1e-6, 1, {})).expect(201).json["warnings"]
    assert any(w["code"] == "unit_suspect" and w["pointer"].endswith(("/a", "/com")) for w in warnings), warnings


def test_products_need_their_sign(client):
    answer = client.post("/v1/robots", model(own_table(), 1, 1, 1, {"units": {"inertia": "kg*mm^2"}})).expect(422)
    assert [(f["pointer"], f["code"]) for f in answer.json["errors"]] == [("/products_of_inertia", "required")]
