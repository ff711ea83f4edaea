"""Arms of one joint, whose motions have closed forms."""

G = 9.81


def one_joint(kind, gravity, **joint):
    """A rod of 2 kg, 0.3 m from its joint to its centre of mass, 0.23 kg m2 about a joint that turns."""
    return {"name": "one", "convention": "dh", "gravity": gravity, "joints": [{
        "name": "only", "type": kind, "a": 0, "alpha": 0, **({"d": 0} if kind == "revolute" else {"theta": 0}),
        "link": {"mass": 2, "com": [0.3, 0, 0], "inertia": {"xx": 0.001, "yy": 0.05, "zz": 0.05}}, **joint}]}


PENDULUM = one_joint("revolute", [G, 0, 0])  # hangs along x at q = 0
SLIDE = one_joint("prismatic", [0, 0, 0])
