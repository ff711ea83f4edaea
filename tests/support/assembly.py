"""A SCARA for fast assembly, from the figures of its data sheet."""


def joint(name, mass, inertia, rotor, coulomb, viscous):
    """A link of 0.3 m whose centre of mass is at 0.4 of its length."""
    return {"name": name, "type": "revolute", "a": 0.3, "alpha": 0, "d": 0,
            "link": {"mass": mass, "com": [-0.18, 0, 0], "inertia": {"xx": 0.01, "yy": inertia, "zz": inertia}},
            "drive": {"rotor_inertia": rotor}, "friction": {"coulomb": coulomb, "viscous": viscous}}


ASSEMBLY = {"name": "assembly", "convention": "dh", "joints": [joint("j1", 6, 0.2, 0.15, 4, 1), joint("j2", 4, 0.1, 0.08, 2, 0.5)]}
