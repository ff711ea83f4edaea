#!/usr/bin/python3
"""Draw a gravity map, as the service answers it, into an SVG file: a map of each of the two joints.

  deploy/doc/gravity_map.py http://127.0.0.1:8080 puma560 j2 j3 >deploy/doc/gravity-map.svg

The robot must be stored there; the other joints stand at 0. Standard library only."""

import json
import math
import sys
import urllib.request

POINTS = 61
BAND = 5  # N m: every colour stands for so much
CELL, GAP, LEFT, TOP, BOTTOM = 5, 130, 64, 48, 58
NEGATIVE, MIDDLE, POSITIVE = (33, 102, 172), (247, 247, 247), (178, 58, 24)


def ask(server, robot, joints):
    """The answer of gravity-map for two joints, all others at 0."""
    with urllib.request.urlopen(f"{server}/v1/robots/{robot}") as answer:
        count = len(json.load(answer)["joints"])
    body = {"joints": joints, "q": [0] * count, "points": [POINTS, POINTS]}
    request = urllib.request.Request(f"{server}/v1/robots/{robot}/gravity-map", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def colour(band, most):
    """Blue below zero, red above, the paler the less."""
    part = min(1, abs(band) / most)
    return "#%02x%02x%02x" % tuple(round(a + (b - a) * part) for a, b in zip(MIDDLE, POSITIVE if band > 0 else NEGATIVE))


def bands(surface):
    """{band: path data} of the cells whose torque is nearest to band * BAND; runs of a row are one rectangle."""
    paths = {}
    for j in range(POINTS):
        row = [round(surface[i][j] / BAND) for i in range(POINTS)]
        start = 0
        for i in range(1, POINTS + 1):
            if i == POINTS or row[i] != row[start]:
                y = (POINTS - 1 - j) * CELL
                paths.setdefault(row[start], []).append(f"M{start * CELL} {y}h{(i - start) * CELL}v{CELL}h-{(i - start) * CELL}z")
                start = i
    return {band: "".join(paths[band]) for band in sorted(paths)}


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{words}</text>'


def ticks(axis, size):
    """(place, words) of every 60 degrees within an axis in radians."""
    low, high = (math.degrees(end) for end in (axis[0], axis[-1]))
    return [((degrees - low) / (high - low) * size, f"{degrees}°")
            for degrees in range(math.ceil(low / 60) * 60, math.floor(high) + 1, 60)]


def panel(got, which, left, most):
    size = POINTS * CELL
    surface, names = got["gravity_torque"][which], got["joints"]
    lines = [f'<g transform="translate({left} {TOP})">', text(size / 2, -14, f"torque of {names[which]}", more=' font-weight="bold"')]
    lines += [f'<path fill="{colour(band, most)}" d="{data}"/>' for band, data in bands(surface).items()]
    lines.append(f'<rect width="{size}" height="{size}" fill="none" stroke="#444"/>')
    for place, words in ticks(got["axes"][0], size):
        lines += [f'<path stroke="#444" d="M{place:.1f} {size}v5"/>', text(round(place, 1), size + 20, words)]
    for place, words in ticks(got["axes"][1], size):
        lines += [f'<path stroke="#444" d="M0 {size - place:.1f}h-5"/>', text(-9, round(size - place + 4, 1), words, "end")]
    lines.append(text(size / 2, size + 42, f"position of {names[0]}"))
    lines.append(f'<g transform="translate(-48 {size / 2}) rotate(-90)">{text(0, 0, f"position of {names[1]}")}</g>')
    present = list(bands(surface))
    for k, band in enumerate(present):
        y = size - (k + 1) * size / len(present)
        lines.append(f'<rect x="{size + 12}" y="{y:.1f}" width="14" height="{size / len(present):.1f}" fill="{colour(band, most)}"/>')
        if k % max(1, len(present) // 8) == 0:
            lines.append(text(size + 31, round(y + size / len(present) / 2 + 4, 1), f"{band * BAND:g}", "start"))
    lines += [text(size + 12, -6, "N m", "start"), "</g>"]
    return lines


def draw(got, robot):
    size = POINTS * CELL
    width, height = LEFT + 2 * size + GAP + 60, TOP + size + BOTTOM
    most = max(abs(torque) for surface in got["gravity_torque"] for row in surface for torque in row) / BAND
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12" fill="#222">',
             f"<title>What gravity asks of two joints of {robot}</title>",
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for which in (0, 1):
        lines += panel(got, which, LEFT + which * (size + GAP), most)
    return "\n".join([*lines, "</svg>"])


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    server, robot, *joints = sys.argv[1:]
    print(draw(ask(server, robot, joints), robot))


if __name__ == "__main__":
    main()
