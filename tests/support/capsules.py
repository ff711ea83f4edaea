"""How far capsules of an arm in standard Denavit-Hartenberg form are from boxes and half-spaces, without any code of ours:
frames by products of matrices, a segment's distance from a box by ternary search, which is convex along it."""

import numpy as np


def turned(rpy):
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def link_frames(model, q):
    """(states, joints, 4, 4): frames of the links in the base frame, of many states at once."""
    q = np.atleast_2d(q)
    frames, at = [], np.tile(np.eye(4), (len(q), 1, 1))
    for j, joint in enumerate(model["joints"]):
        slide = joint["type"] == "prismatic"
        moved = q[:, j] + joint.get("offset", 0)
        theta = joint.get("theta", 0) + (0 if slide else moved)
        d = joint.get("d", 0) + (moved if slide else 0)
        a, alpha = joint.get("a", 0), joint.get("alpha", 0)
        c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        one, nil = np.ones(len(q)), np.zeros(len(q))
        step = np.array([[c * one, -s * ca * one, s * sa * one, a * c * one], [s * one, c * ca * one, -c * sa * one, a * s * one],
                         [nil, sa * one, ca * one, d * one], [nil, nil, nil, one]]).transpose(2, 0, 1)
        at = at @ step
        frames.append(at)
    return np.stack(frames, axis=1)


def from_box(points, box):
    r, middle = turned(box.get("rpy", [0, 0, 0])), np.array(box.get("translation", [0, 0, 0]))
    outside = np.abs((points - middle) @ r) - np.array(box["size"]) / 2
    return np.linalg.norm(np.maximum(outside, 0), axis=-1)


def capsule_from_box(a, b, radius, box, rounds):
    """Distances of segments a..b (states x 3), where they are outside of the box; else -radius at most."""
    low, high = np.zeros(len(a)), np.ones(len(a))

    def at(t):
        return from_box(a + t[:, None] * (b - a), box)

    for _ in range(rounds):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        nearer = at(left) < at(right)
        high, low = np.where(nearer, right, high), np.where(nearer, low, left)
    return np.minimum(at((low + high) / 2), np.minimum(at(np.zeros(len(a))), at(np.ones(len(a))))) - radius


def clearances(model, q, cell, rounds=90):
    """Of every state from the boxes and half-spaces of a cell, and the name of the body of the cell that is nearest."""
    frames = link_frames(model, q)
    base = cell.get("base", {})
    r, p = turned(base.get("rpy", [0, 0, 0])), np.array(base.get("translation", [0, 0, 0]))
    found = []
    for j, joint in enumerate(model["joints"]):
        for body in joint["link"].get("bodies", []):
            capsule = body["capsule"]
            ends = [(frames[:, j, :3, :3] @ np.array(capsule[end]) + frames[:, j, :3, 3]) @ r.T + p for end in ("from", "to")]
            for obstacle in cell["bodies"]:
                if "box" in obstacle:
                    found.append((capsule_from_box(*ends, capsule["radius"], obstacle["box"], rounds), obstacle["name"]))
                else:
                    space = obstacle["half_space"]
                    n = np.array(space["normal"]) / np.linalg.norm(space["normal"])
                    found.append((np.minimum(ends[0] @ n, ends[1] @ n) - space["offset"] - capsule["radius"], obstacle["name"]))
    distances = np.stack([d for d, _ in found])
    nearest = distances.argmin(axis=0)
    return distances.min(axis=0), [found[k][1] for k in nearest]
