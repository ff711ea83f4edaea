"""Plants with elements: elastic gears, lags, ripple, walls and a hole, against closed forms, and their energies against each other."""

import math

import pytest

from support import robot, unique_name
from support.rods import SLIDE

ROTOR, LINK = 0.5, 2.0  # kg, of a slide


@pytest.fixture(scope="module")
def places(server):
    with server.client() as client:
        slide = {**SLIDE, "joints": [{**SLIDE["joints"][0], "drive": {"rotor_inertia": ROTOR}}]}
        models = {"slide": slide, "bare": SLIDE, "scara": robot("scara")}
        yield {name: client.create_robot(model, name=unique_name()).headers["Location"] for name, model in models.items()}


def simulated(client, place, **request):
    return client.result_of(place + "/simulations", request)


def balanced(energy, gained):
    """Every element by itself, and all together."""
    for one in energy["elements"].values():
        assert one["taken"] == pytest.approx(one["stored"] + one["dissipated"] - one["supplied"], abs=1e-9)
    sums = sum(one["stored"] + one["dissipated"] - one["supplied"] for one in energy["elements"].values())
    assert energy["work"] == pytest.approx(gained + sums, abs=1e-9)


def gained(found):
    return sum(found["end"][kind] - found["start"][kind] for kind in ("kinetic", "potential"))


def test_two_masses_are_a_damped_oscillator(client, places):
    """A push on the link alone: the centre goes as a free mass, the twist as a damped oscillator of the reduced mass."""
    stiffness, damping, push = 500.0, 4.0, 3.0
    along = client.post(places["slide"] + "/forward-kinematics", {"q": [1]}).expect(200).json["tool"]
    start = client.post(places["slide"] + "/forward-kinematics", {"q": [0]}).expect(200).json["tool"]
    axis = [along[i][3] - start[i][3] for i in range(3)]
    found = simulated(client, places["slide"], q=[0], duration=0.5, friction=False, gravity=[0, 0, 0],
                      control={"law": "pid", "kp": [0], "ki": [0], "kd": [0], "rate_hz": 100},
                      plant={"elasticity": {"stiffness": [stiffness], "damping": [damping]}, "wrench": [push * a for a in axis] + [0] * 3})
    rows = client.get(found["samples"]).expect(200).json
    reduced = ROTOR * LINK / (ROTOR + LINK)
    w2, half = stiffness / reduced, damping / reduced / 2
    wd, rest = math.sqrt(w2 - half**2), -push / LINK / w2
    for t, (q,) in zip(rows["t"], rows["q"]):
        twist = rest * (1 - math.exp(-half * t) * (math.cos(wd * t) + half / wd * math.sin(wd * t)))
        assert q == pytest.approx(push / (ROTOR + LINK) * t * t / 2 - ROTOR / (ROTOR + LINK) * twist, abs=1e-9)
    energy = found["energy"]
    balanced(energy, gained(found))
    assert energy["drift"] < 1e-9 and set(energy["elements"]) == {"wrench", "elasticity"}
    assert energy["elements"]["wrench"]["supplied"] == pytest.approx(push * rows["q"][-1][0], rel=1e-9)
    assert energy["dissipated"] == energy["elements"]["elasticity"]["dissipated"] > 0


def test_everything_at_once_balances(client, places):
    """A SCARA with all elements, as a simulation and as a case of a verification: the same energies."""
    tool = client.post(places["scara"] + "/forward-kinematics", {"q": [0.3, 0.5, 0.05, 0]}).expect(200).json["tool"]
    place, names = [tool[i][3] for i in range(3)], [joint["name"] for joint in robot("scara")["joints"][:2]]
    plant = {"elasticity": {"stiffness": [2e4, 1e4, 0, 0], "damping": [20, 10, 0, 0], "backlash": [0, 1e-4, 0, 0], "encoders": "link"},
             "current_loop_hz": [300, 300, 0, 0], "torque_ripple": [{"joint": name, "amplitude": 0.2, "relative": 0.02, "order": 6} for name in names],
             "walls": [{"point": [place[0] - 1e-4, 0, 0], "normal": [-2, 0, 0], "stiffness": 5e4, "damping": 100, "friction": 0.1, "slip_velocity": 0.01}],
             "hole": {"center": [place[0], place[1], place[2]], "diameter": 0.02, "depth": 0.03, "chamfer": 5e-4, "peg_diameter": 0.0199, "peg_length": 0.05,
                      "stiffness": 1e5, "damping": 50, "friction": 0.2, "slip_velocity": 0.01}}
    control, q = {"law": "pid_gravity", "rate_hz": 500}, [0.3, 0.5, 0.05, 0]
    found = simulated(client, places["scara"], q=q, qd=[0.5, 0.2, 0, 0], duration=0.03, bandwidth_hz=4, tolerance=1e-10, control=control, plant=plant)
    balanced(found["energy"], gained(found))
    assert set(found["energy"]["elements"]) == {"friction", "current_loop", "ripple", "elasticity", "walls", "hole"}
    assert found["energy"]["elements"]["walls"]["dissipated"] > 0 and found["energy"]["drift"] < 1e-8
    verified = client.result_of(places["scara"] + "/verifications", {
        "q": q, "tolerance": 1e-10, "references": [{"kind": "step", "amplitude": [0.02, 0, 0, 0], "duration": 0.03}],
        "laws": [{"control": control, "bandwidth_hz": 4}], "plants": [{}, {"name": "soft", "plant": plant}]})
    rigid, soft = verified["cases"]
    assert "energies" not in rigid and set(soft["energies"]) == set(found["energy"]["elements"])
    for one in soft["energies"].values():
        assert one["taken"] == pytest.approx(one["stored"] + one["dissipated"] - one["supplied"], abs=1e-8)
    assert soft["judged_mm"] != rigid["judged_mm"]


PEG = {"diameter": 0.0201, "depth": 0.02, "chamfer": 5e-4, "peg_diameter": 0.02, "peg_length": 0.1, "stiffness": 1e7, "damping": 3000, "friction": 0.2, "slip_velocity": 2e-3}
SEARCH = {"radius": 1.3e-3, "pitch": 4e-4, "speed": 6e-3, "fall": 8e-4}


@pytest.mark.parametrize("search", [SEARCH, None], ids=["searching", "not searching"])
def test_a_peg_finds_a_hole_that_its_law_does_not_know_of(client, places, search):
    pose, tool = [0.3, -0.9, 0.4, 0, 0.5 - math.pi, 0.2], {"translation": [0, 0, 0.12]}
    puma = client.create_robot({**robot("puma560"), "tool": tool}, name=unique_name()).headers["Location"]
    start = client.post(puma + "/forward-kinematics", {"q": pose}).expect(200).json["tool"]
    tip = [start[i][3] for i in range(3)]
    found = simulated(client, puma, q=pose, duration=2.5, friction=False, tolerance=1e-8, sample_rate=100, payload={"mass": 0},
                      control={"law": "hybrid", "rate_hz": 1000, "force": [0, 0, -30, 0, 0, 0], "selection": [0, 0, 1, 0, 0, 0], "force_ki": [0] * 6,
                               "stiffness": [2e4] * 3 + [20] * 3, "damping": [1000, 1000, 1500, 4, 4, 4], "search": search},
                      plant={"hole": {**PEG, "center": [tip[0] + 8e-4, tip[1], tip[2] - 2e-3], "axis": [math.sin(0.0174), 0, math.cos(0.0174)]}})
    rows = client.get(found["samples"] + "?fields=tool_position").expect(200).json["tool_position"]
    deep = tip[2] - 2e-3 - rows[-1][2]
    assert deep > 0.0195 if search else deep < 1e-4, deep
    assert found["control"].get("search") == search and found["energy"]["drift"] < 1e-5


WALL = {"point": [0, 0, 0], "normal": [0, 0, 1], "stiffness": 1000}
HOLE = {"center": [0, 0, 0], "diameter": 0.02, "depth": 0.03, "peg_diameter": 0.0199, "peg_length": 0.05, "stiffness": 1e6}


@pytest.mark.parametrize("place, plant, pointer, code", [
    ("bare", {"elasticity": {"stiffness": [100]}}, "/elasticity/stiffness/0", "inconsistent"),
    ("slide", {"elasticity": {"stiffness": [0], "backlash": [0.1]}}, "/elasticity/stiffness/0", "inconsistent"),
    ("slide", {"elasticity": {"stiffness": [0]}}, "/elasticity/stiffness", "inconsistent"),
    ("slide", {"elasticity": {"damping": [1]}}, "/elasticity/stiffness", "required"),
    ("slide", {"elasticity": {"stiffness": [1], "encoders": "none"}}, "/elasticity/encoders", "enum"),
    ("slide", {"current_loop_hz": [-1]}, "/current_loop_hz/0", "minimum"),
    ("slide", {"torque_ripple": [{"joint": "nobody", "order": 1}]}, "/torque_ripple/0/joint", "enum"),
    ("slide", {"torque_ripple": [{"joint": "only", "order": 0}]}, "/torque_ripple/0/order", "minimum"),
    ("slide", {"walls": [{**WALL, "normal": [0, 0, 0]}]}, "/walls/0/normal", "minimum"),
    ("slide", {"walls": [{**WALL, "stiffness": 0}]}, "/walls/0/stiffness", "minimum"),
    ("slide", {"hole": {**HOLE, "chamfer": 0.03}}, "/hole/chamfer", "maximum"),
    ("slide", {"hole": {**HOLE, "peg_diameter": 0}}, "/hole/peg_diameter", "minimum"),
], ids=str)
def test_bad_input(client, places, place, plant, pointer, code):
    answer = client.post(places[place] + "/simulations", {"q": [0], "duration": 0.1, "control": {}, "plant": plant}).expect(422).json
    assert (answer["errors"][0]["pointer"], answer["errors"][0]["code"]) == ("/plant" + pointer, code), answer["errors"]
