"""What an arm carries, merged into its last link by hand, so that no payload is left."""

import copy

import numpy as np

from .lagrange import pose, pseudo_inertia


def body_of(J):
    """The body whose pseudo-inertia this is, as the API writes it."""
    mass = J[3, 3]
    com = J[:3, 3] / mass
    S = J[:3, :3] - mass * np.outer(com, com)
    I = np.trace(S) * np.eye(3) - S
    return {"mass": mass, "com": list(com),
            "inertia": {"xx": I[0, 0], "yy": I[1, 1], "zz": I[2, 2], "xy": I[0, 1], "xz": I[0, 2], "yz": I[1, 2]}}


def merged(model, payload, tool=None):
    """The model whose last link has the payload (in the frame of the tool) in it."""
    out = copy.deepcopy(model)
    T = pose(tool or model.get("tool"))
    out["joints"][-1]["link"] = body_of(pseudo_inertia(out["joints"][-1].get("link")) + T @ pseudo_inertia(payload) @ T.T)
    out.pop("payload", None)
    return out
