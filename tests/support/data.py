"""Robots and reference vectors of tests/data (and, where there is one, of the folder that ARMDYN_VECTORS names)."""

import copy
import functools
import itertools
import json
import os
import pathlib

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
_numbers = itertools.count(1)


@functools.cache
def _load(path):
    return json.loads(pathlib.Path(path).read_text())


def robot(name):
    """A model of tests/data/robots, or the one that stands in a file of vectors; a copy that may be changed."""
    path = DATA / "robots" / f"{name}.json"
    return copy.deepcopy(_load(path) if path.exists() else vectors(name)["robot"])


def robot_names():
    return sorted(path.stem for path in (DATA / "robots").glob("*.json"))


def vectors(name):
    """{"robot": model, "about": ..., "states": [...]}: numbers computed by other people's libraries."""
    return _load(DATA / "vectors" / f"{name}.json")


def has_vectors():
    return (DATA / "vectors").is_dir()


def vector_sets():
    """(name, file as JSON) of every set: ours, and those of the folder ARMDYN_VECTORS."""
    folders = [DATA / "vectors"] + ([pathlib.Path(os.environ["ARMDYN_VECTORS"])] if "ARMDYN_VECTORS" in os.environ else [])
    return [(f"{path.stem}" if folder == folders[0] else f"extra-{path.stem}", _load(path))
            for folder in folders for path in sorted(folder.glob("*.json"))]


def flat(value):
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]


def error(got, expected):
    """The largest difference, relative to the largest expected value."""
    got, expected = flat(got), flat(expected)
    assert len(got) == len(expected)
    scale = max(map(abs, expected))
    return max(abs(g - e) for g, e in zip(got, expected)) / (scale or 1)


def unique_name(prefix="robot"):
    """A name that no other test of this run uses: shared servers keep what tests leave."""
    return f"{prefix}-{os.getpid()}-{next(_numbers)}"


def shared(path):
    """A file of the reference data that are not ours to copy: of the folder ARMDYN_SHARED_DATA, or shared/data beside the
    tree; None where there is none."""
    root = pathlib.Path(__file__).resolve().parents[2]
    folders = [os.environ["ARMDYN_SHARED_DATA"]] if "ARMDYN_SHARED_DATA" in os.environ else \
        [root.parent / "shared/data", root.parent.parent / "shared/data"]
    return next((found for folder in folders if (found := pathlib.Path(folder) / path).is_file()), None)
