#!/usr/bin/python3
"""How long the files of tests took when `make test` ran last, into tests/seconds.json: tests/run.py makes its shards equally long by it.

    tests/seconds.py [FOLDER]      of the suites' folders, build/test; to be called when a suite has become lopsided

Only what takes longer than most stands there, in whole seconds: it is for the order of things, and no measurement.
"""

import collections
import json
import pathlib
import sys
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
LEAST = 8  # s


def main(folder):
    seconds = collections.defaultdict(dict)
    for report in sorted(pathlib.Path(folder).glob("*/pytest.xml"), key=lambda path: path.stat().st_mtime):
        if report.parent.name.endswith("-alone"):
            continue
        taken = collections.Counter()
        for case in ET.parse(report).getroot().iter("testcase"):
            taken[case.get("file").removeprefix("tests/")] += float(case.get("time"))
        for name, time in taken.items():
            seconds[name][report.parent.name.split("-")[1]] = time  # a file is in one shard, and the newest counts
    long = {name: {variant: round(taken) for variant, taken in sorted(variants.items()) if taken >= LEAST}
            for name, variants in sorted(seconds.items())}
    rows = [f"  {json.dumps(name)}: {json.dumps(variants)}" for name, variants in long.items() if variants]
    (HERE / "seconds.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main(*sys.argv[1:2] or [HERE.parent / "build/test"])
