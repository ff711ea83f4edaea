"""What is allowed but suspicious is told: one row for every suspicion, and a good model gives rise to none.

To add a case: a row (name, pointer of the change, value, expected warnings "pointer code")."""

import json

import pytest

from support.data import unique_name

LINK = {"mass": 4, "com": [-0.2, 0, 0.02], "inertia": {"xx": 0.02, "yy": 0.06, "zz": 0.06}}
LIMITS = {"position": [-2.8, 2.8], "velocity": 3, "acceleration": 20, "torque": 100}
GOOD = {
    "convention": "dh",
    "joints": [
        {"type": "revolute", "a": 0.4, "alpha": 1.57, "d": 0.3, "limits": LIMITS, "link": LINK,
         "drive": {"rotor_inertia": 0.0002, "gear_ratio": 100}, "friction": {"coulomb": 2, "viscous": 1}},
        {"type": "revolute", "a": 0.3, "limits": LIMITS, "link": LINK},
        {"type": "prismatic", "limits": {**LIMITS, "position": [0, 0.3], "velocity": 1}, "link": LINK},
    ],
}
J0, J2 = "/joints/0", "/joints/2"

CASES = [
    ("nothing", "/gravity", [0, 0, -9.81]),
    ("a tilted mount", "/gravity", [0, 6.9367, -6.9367]),
    ("no gravity, as in a plane", "/gravity", [0, 0, 0]),
    ("gravity in feet", "/gravity", [0, 0, -32.2], "/gravity gravity_magnitude"),
    ("the other sign of gravity", "/gravity", [0, 0, 9.81], "/gravity gravity_direction"),
    ("a link in mm", J0 + "/a", 400, J0 + "/a unit_suspect"),
    ("an offset in mm", J0 + "/d", 300, J0 + "/d unit_suspect"),
    ("a twist in degrees", J0 + "/alpha", 90, J0 + "/alpha unit_suspect"),
    ("an angle in degrees", J0 + "/theta", -90, J0 + "/theta unit_suspect"),
    ("a centre of mass in mm", J0 + "/link/com", [-200, 0, 20], J0 + "/link/com unit_suspect"),
    ("a centre of mass in cm", J0 + "/link/com", [9.5, 0, 0], J0 + "/link/com unit_suspect"),
    ("inertia in kg mm²", J0 + "/link/inertia", {"xx": 20000, "yy": 60000, "zz": 60000}, J0 + "/link/inertia unit_suspect"),
    ("mass in g", J0 + "/link", {**LINK, "mass": 6000}, J0 + "/link/mass unit_suspect"),
    ("payload in kg mm²", "/payload", {"mass": 1, "inertia": {"xx": 2000, "yy": 2000, "zz": 2000}}, "/payload/inertia unit_suspect"),
    ("a range in degrees", J0 + "/limits/position", [-160, 160], J0 + "/limits/position unit_suspect"),
    ("a speed in degrees", J0 + "/limits/velocity", 180, J0 + "/limits/velocity unit_suspect"),
    ("a speed in mm/s", J2 + "/limits/velocity", 1000, J2 + "/limits/velocity unit_suspect"),
    ("a rotor at the joint's side", J0 + "/drive/rotor_inertia", 2, J0 + "/drive/rotor_inertia unit_suspect"),
    ("stiction below coulomb", J0 + "/friction/stiction", 1, J0 + "/friction/stiction stiction_below_coulomb"),
    ("no velocity", J0 + "/limits", {"acceleration": 1, "torque": 1}, J0 + "/limits missing_limits"),
    ("no acceleration", J0 + "/limits", {"velocity": 1, "torque": 1}, J0 + "/limits missing_limits"),
    ("no torque", J0 + "/limits", {"velocity": 1, "acceleration": 1}, J0 + "/limits missing_limits"),
    ("no end", J2 + "/limits", {"velocity": 1, "acceleration": 1, "torque": 1}, J2 + "/limits missing_limits"),
    ("turns without end", J0 + "/limits", {"velocity": 1, "acceleration": 1, "torque": 1}),
    ("a massless link before others", J0 + "/link", {"mass": 0}),
    ("a massless last link", J2 + "/link", {"mass": 0}, J2 + "/link massless"),
    ("a massless last link with a rotor", "/joints/2", {**GOOD["joints"][2], "link": {"mass": 0}, "drive": {"rotor_inertia": 1e-5}}),
    ("no body", J0 + "/link/inertia", {"xx": 0.01, "yy": 0.01, "zz": 0.06}, J0 + "/link/inertia unphysical"),
]


def changed(pointer, value):
    model = json.loads(json.dumps(GOOD))  # nothing shared
    *path, last = [int(part) if part.isdigit() else part for part in pointer.split("/")[1:]]
    at = model
    for part in path:
        at = at[part]
    at[last] = value
    if pointer.endswith("stiction"):
        at["stribeck_velocity"] = 0.1
    return {**model, "name": unique_name("odd")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_warnings(client, case):
    _, pointer, value, *expected = case
    model = client.post("/v1/robots", changed(pointer, value), query={"allow_unphysical": "true"}).expect(201).json
    assert [f"{w['pointer']} {w['code']}" for w in model["warnings"]] == expected, model["warnings"]
    assert all(len(w["detail"]) > 20 for w in model["warnings"])
    again = client.get(f"/v1/robots/{model['name']}").expect(200).json
    assert again["warnings"] == model["warnings"]
