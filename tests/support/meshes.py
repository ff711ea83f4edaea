"""Boxes of triangles and the files that they come in, so that tests do not lean on the code that they test."""

import struct


def box(size=(1, 1, 1), center=(0, 0, 0)):
    """Twelve triangles, each three corners, counter-clockwise seen from outside."""
    low, high = zip(*((c - s / 2, c + s / 2) for s, c in zip(size, center)))
    corner = [[(low, high)[i >> axis & 1][axis] for axis in range(3)] for i in range(8)]
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return [[corner[i] for i in part] for a, b, c, d in sides for part in ((a, b, c), (a, c, d))]


def stl_of(triangles):
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for corner in triangle for x in corner), 0) for triangle in triangles)
    return b"box".ljust(80) + struct.pack("<I", len(triangles)) + records


def ascii_stl_of(triangles):
    facets = "".join("  facet normal 0 0 nan\n    outer loop\n" + "".join("      vertex " + " ".join(map(repr, corner)) + "\n" for corner in triangle)
                     + "    endloop\n  endfacet\n" for triangle in triangles)
    return f"solid a box of ours\n{facets}endsolid\n".encode()


def obj_of(size, center=(0, 0, 0)):
    """A box of quads, with texture coordinates, normals, and vertices counted from both ends."""
    low, high = zip(*((c - s / 2, c + s / 2) for s, c in zip(size, center)))
    corners = "".join("v " + " ".join(repr((low, high)[i >> axis & 1][axis]) for axis in range(3)) + "\n" for i in range(8))
    return ("# a box\nmtllib box.mtl\no box\n" + corners + "vn 0 0 1\nvt 0 0\ns off\nf 1//1 3//1 4//1 2//1\nf 5/1/1 6/1/1 8/1/1 7/1/1\n"
            "f 1 2 6 5\nf -6 -2 -1 -5\nf 1 5 7 3\nf 2 4 8 6\n").encode()


def stl_read(data):
    """(normals, triangles) of a binary STL, checked strictly."""
    (count,) = struct.unpack_from("<I", data, 80)
    assert len(data) == 84 + 50 * count and not data.startswith(b"solid")
    records = [struct.unpack_from("<12fH", data, 84 + 50 * i) for i in range(count)]
    assert all(record[12] == 0 for record in records)
    return [record[:3] for record in records], [[record[3 + 3 * k:6 + 3 * k] for k in range(3)] for record in records]
