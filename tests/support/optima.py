"""Optimal control problems with known optima: tests/data/optima, each found by two independent methods, as requests."""

import math

from .data import DATA, _load


def _joint(index, **fields):
    return {"name": f"j{index + 1}", "type": "revolute", "a": 0, "alpha": 0, "d": 0, "theta": 0,
            "link": {"mass": 0, "com": [0, 0, 0], "inertia": {"xx": 0, "yy": 0, "zz": 0}}, **fields}


def _robot(name, joints, gravity=(0, 0, -9.81)):
    return {"name": name, "convention": "dh", "gravity": list(gravity), "joints": joints}


def _torque(weights):
    return {"model": "torque", "weights": weights}


def _axis(data):
    """One axis; a slide where it lifts a mass."""
    joint = _joint(0, drive={"rotor_inertia": data.get("I", 0), "gear_ratio": 1}, friction={"viscous": data.get("b", 0), "coulomb": 0})
    if "m" in data:
        joint.update(type="prismatic", link={"mass": data["m"], "com": [0, 0, 0], "inertia": {"xx": 0, "yy": 0, "zz": 0}})
    return _robot("axis", [joint]), [0], [data["dq"]], _torque([1])


def _two_links(data):
    """In the vertical plane, which is x-y of its base."""
    p = data["params"]
    joints = [_joint(j, a=p["l"][j], link={"mass": p["m"][j], "com": [p["com_from_joint"][j] - p["l"][j], 0, 0],
                                           "inertia": {"xx": 0, "yy": 0, "zz": p["I_com"][j]}}) for j in range(2)]
    return _robot("two-links", joints, (0, -9.81, 0)), data["q0"], data["qT"], _torque(data.get("R"))


def _two_drives(data):
    p = data["params"]
    arm, start, goal, _ = _two_links(data)
    for j, joint in enumerate(arm["joints"]):
        joint["friction"] = {"viscous": p["viscous"][j], "coulomb": 0}
        joint["drive"] = {name: p[name][j] for name in ("gear_ratio", "resistance", "torque_constant", "rotor_inertia", "efficiency")}
    return arm, start, goal, {"model": "electrical", "regeneration": "grid", "grid_efficiency": p["grid_efficiency"]}


def _puma(data):
    p, quarter, joints = data["params"], math.pi / 2, []
    for j, turns in enumerate((1, 0, -1, 1, -1, 0)):
        xx, yy, zz = p["I_com_diag"][j]
        joints.append(_joint(j, a=p["a"][j], d=p["d"][j], alpha=turns * quarter, limits={"torque": p["tau_max"][j]},
                             link={"mass": p["m"][j], "com": p["com"][j], "inertia": {"xx": xx, "yy": yy, "zz": zz}},
                             drive={"rotor_inertia": p["Jm"][j], "gear_ratio": p["G"][j]},
                             friction={"viscous": p["B"][j] * p["G"][j] ** 2, "coulomb": 0}))
    return _robot("puma-of-optima", joints), data["q0"], data["qT"], None


KINDS = {"i_inertia_only": _axis, "ii_prismatic_gravity": _axis, "iii_viscous": _axis, "iv_2R_unconstrained": _two_links,
         "xiii_puma_torque_limit_active": _puma, "xxi_2R_electrical": _two_drives}


def optimum(name):
    """(robot, request for an energy-optimal motion, its cost)."""
    data = _load(DATA / "optima" / f"{name}.json")
    robot, start, goal, cost = KINDS[name](data)
    request = {"start": {"q": start}, "goal": {"q": goal}, "duration": data["T"]}
    if cost:
        request["cost"] = cost
    return robot, request, data["optimal_cost"]
