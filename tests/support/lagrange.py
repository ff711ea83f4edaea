"""Dynamics of a model as the API writes it, by Lagrange's equations: nothing but products of 4 x 4 matrices, the kinetic and
the potential energy that follow from them, and differences of these. It shares no formula with the library.

    d/dt dK/dqd - dK/dq + dV/dq + friction - J' w = tau,   K = sum tr(T' J T'^t) / 2 + rotors,   V = -sum m g.(T c)
"""

import math

import numpy as np

# First derivative of order eight: f(k h) weights, k = 1 .. 4, odd.
STEP = 2e-3
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
TINY = 1e-30  # complex step


def slope(f):
    """df/dt at 0 of a function of a real number."""
    return sum(w * (f(k * STEP) - f(-k * STEP)) for k, w in enumerate(WEIGHTS, 1)) / STEP


def transform(rotation=None, translation=(0, 0, 0), kind=float):
    T = np.eye(4, dtype=kind)
    if rotation is not None:
        T[:3, :3] = rotation
    T[:3, 3] = translation
    return T


def turned(axis, angle):
    """Rotation about a unit vector (Rodrigues); the angle may be complex."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


X, Z = (1, 0, 0), (0, 0, 1)


def pose(written):
    """{"translation", "rpy"}: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    if not written:
        return np.eye(4)
    roll, pitch, yaw = written.get("rpy", (0, 0, 0))
    return transform(turned(Z, yaw) @ turned((0, 1, 0), pitch) @ turned(X, roll), written.get("translation", (0, 0, 0)))


def step(model, joint, q):
    """From the link frame before to this joint's, at a position that may be complex."""
    slides, at = joint["type"] == "prismatic", q + joint.get("offset", 0)
    if model["convention"] == "frames":
        axis = np.array(joint["axis"], dtype=float)
        axis /= math.sqrt(axis @ axis)
        moved = transform(None, axis * at, complex) if slides else transform(turned(axis, at), kind=complex)
        return pose(joint["frame"]) @ moved
    turn = transform(turned(Z, joint.get("theta", 0) + (0 if slides else at)), kind=complex)
    rise = transform(None, (0, 0, joint.get("d", 0) + (at if slides else 0)), complex)
    twist, reach = transform(turned(X, joint.get("alpha", 0))), transform(None, (joint.get("a", 0), 0, 0))
    return turn @ rise @ reach @ twist if model["convention"] == "dh" else twist @ reach @ turn @ rise


def pseudo_inertia(body):
    """Integral of x x' dm with x = [r, 1], in the frame that the body is written in."""
    body = body or {}
    m, c, I = body.get("mass", 0), np.array(body.get("com", (0, 0, 0)), dtype=float), body.get("inertia") or {}
    tensor = np.array([[I.get("".join(sorted(a + b)), 0) for b in "xyz"] for a in "xyz"])
    J = np.zeros((4, 4))
    J[:3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor + m * np.outer(c, c)
    J[:3, 3] = J[3, :3] = m * c
    J[3, 3] = m
    return J


class Arm:
    def __init__(self, model):
        self.model, self.joints = model, model["joints"]
        self.n = len(self.joints)
        self.g = np.array([*model.get("gravity", (0, 0, -9.81)), 0.0])
        self.bodies = [pseudo_inertia(joint.get("link")) for joint in self.joints] + [pseudo_inertia(model.get("payload"))]
        drives = [joint.get("drive") or {} for joint in self.joints]
        self.rotors = np.array([drive.get("rotor_inertia", 0) for drive in drives])
        self.ratio = np.array([drive.get("gear_ratio", 1) for drive in drives])
        coupled = model.get("transmission")
        self.motors = np.array(coupled["matrix"]) if coupled else np.diag(self.ratio)

    def frames(self, q):
        """Link frames in the base's, and the tool's."""
        T, out = np.eye(4), []
        for joint, x in zip(self.joints, q):
            T = T @ step(self.model, joint, x)
            out.append(T)
        return out + [T @ pose(self.model.get("tool"))]

    def kinetic(self, q, qd):
        spin = self.motors @ qd
        rates = [T.imag / TINY for T in self.frames(q + 1j * TINY * qd)]
        return (sum(np.trace(rate @ J @ rate.T) for rate, J in zip(rates, self.bodies)) + self.rotors @ (spin * spin)) / 2

    def potential(self, q):
        return -sum(self.g @ T @ J[:, 3] for T, J in zip(self.frames(q), self.bodies))

    def momentum(self, q, qd):
        """dK/dqd: K is quadratic in qd, so a difference of any length is exact."""
        return np.array([(self.kinetic(q, qd + e) - self.kinetic(q, qd - e)) / 2 for e in np.eye(self.n)])

    def mass_matrix(self, q):
        return np.array([self.momentum(q, e) for e in np.eye(self.n)])

    def moved(self, q, qd, qdd):
        """Torque of inertia and velocities, along q + qd t + qdd t^2 / 2."""
        rate = slope(lambda t: self.momentum(q + qd * t + qdd * t * t / 2, qd + qdd * t))
        return rate - np.array([slope(lambda t, e=e: self.kinetic(q + t * e, qd)) for e in np.eye(self.n)])

    def gravity(self, q):
        return np.array([self.potential(q + 1j * TINY * e).imag / TINY for e in np.eye(self.n)])

    def external(self, q, wrench, base):
        """-J' w: minus the power of the wrench [force, moment] per unit of each joint's speed."""
        R = self.frames(q)[-1].real[:3, :3]
        force, moment = (np.array(part) if base else R @ part for part in (wrench[:3], wrench[3:]))
        out = []
        for e in np.eye(self.n):
            rate = self.frames(q + 1j * TINY * e)[-1].imag / TINY
            S = rate[:3, :3] @ R.T
            out.append(-force @ rate[:3, 3] - moment @ np.array([S[2, 1], S[0, 2], S[1, 0]]))
        return np.array(out)

    def friction(self, q, qd):
        out = []
        for joint, x, v, ratio in zip(self.joints, q, qd, self.ratio):
            f = joint.get("friction") or {}
            c, b = ((k["positive"] if v >= 0 else k["negative"]) if isinstance(k, dict) else k
                    for k in (f.get("coulomb", 0), f.get("viscous", 0)))
            sign = math.tanh(v / joint.get("velocity_scale", 1e-3))
            excess = 0
            if f.get("stiction") is not None:
                excess = (f["stiction"] - c) * math.exp(-(abs(v) / f["stribeck_velocity"]) ** f.get("stribeck_exponent", 2))
            lines = sum(r["amplitude"] * math.sin(r["order"] * ratio * x + r.get("phase", 0)) for r in f.get("position", ()))
            root = f.get("sublinear", 0) * v / (v * v + joint.get("velocity_scale", 1e-3) ** 2) ** (1 / 3)
            out.append(f.get("offset", 0) + (c + excess) * sign + b * v + f.get("high_speed", 0) * v * v * sign + root + lines)
        return np.array(out)

    def friction_of_load(self, qd, transmitted):
        shares = [(joint.get("friction") or {}).get("load", 0) * math.tanh(v / joint.get("velocity_scale", 1e-3)) for joint, v in zip(self.joints, qd)]
        return np.array(shares) * np.abs(transmitted)

    def causes(self, q, qd, qdd, wrench, base):
        """What `decompose` answers."""
        q, qd, qdd = (np.array(x, dtype=float) for x in (q, qd, qdd))
        coriolis = self.moved(q, qd, 0 * qdd)
        out = {"coriolis": coriolis, "inertial": self.moved(q, qd, qdd) - coriolis, "gravity": self.gravity(q),
               "friction": self.friction(q, qd), "external": self.external(q, wrench, base)}
        out["friction"] = out["friction"] + self.friction_of_load(qd, sum(out.values()) - out["friction"])
        out["tau"] = sum(out.values())
        out["motor"] = np.linalg.solve(self.motors.T, out["tau"])
        return out
