"""The .npy format (version 1.0) in a few lines, so that tests do not lean on the code that they test."""

import ast
import struct


def npy_write(rows, dtype="<f8", fortran=False, shape=None, version=(1, 0)):
    """Bytes of a two-dimensional table: rows are lists of numbers. dtype <f8, <f4, >f8, ..., C or Fortran order."""
    count, width = len(rows), len(rows[0]) if rows else 0
    shape = shape or (count, width)
    values = [rows[r][c] for c in range(width) for r in range(count)] if fortran else [v for row in rows for v in row]
    code = {"f8": "d", "f4": "f", "i4": "i", "i8": "q"}[dtype[1:]]
    order = ">" if dtype[0] == ">" else "<"
    header = repr({"descr": dtype, "fortran_order": fortran, "shape": shape}).encode()
    length_format = "<H" if version[0] == 1 else "<I"
    start = 6 + 2 + struct.calcsize(length_format)
    header += b" " * (-(start + len(header) + 1) % 64) + b"\n"
    return (b"\x93NUMPY" + bytes(version) + struct.pack(length_format, len(header)) + header
            + struct.pack(f"{order}{len(values)}{code}", *values))


def npy_read(data):
    """(shape, flat list of numbers in C order) of a `<f8` C-order file of version 1.0, checked strictly."""
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:16]
    (length,) = struct.unpack_from("<H", data, 8)
    assert (10 + length) % 64 == 0, "data must be 64-byte aligned"
    assert data[10 + length - 1:10 + length] == b"\n"
    header = ast.literal_eval(data[10:10 + length].decode("latin-1"))
    assert header["descr"] == "<f8" and header["fortran_order"] is False, header
    assert sorted(header) == ["descr", "fortran_order", "shape"]
    count = 1
    for extent in header["shape"]:
        count *= extent
    assert len(data) == 10 + length + 8 * count, (header, len(data))
    return header["shape"], list(struct.unpack_from(f"<{count}d", data, 10 + length))


def npy_columns(joints, *fields):
    """Column names of a table: npy_columns(2, "q", "qd") -> ["q1", "q2", "qd1", "qd2"]."""
    return [f"{field}{j + 1}" for field in fields for j in range(joints)]
