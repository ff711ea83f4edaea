"""What `armdyn registers` prints is what the manual says."""

import csv
import io
import subprocess

import pytest

from support import ROOT, binary


def registers(*arguments, status=0):
    done = subprocess.run([binary(), "registers", *arguments], capture_output=True, text=True)
    assert done.returncode == status, done
    return done.stdout if status == 0 else done.stderr


def rows(*arguments):
    return list(csv.DictReader(io.StringIO(registers("--format", "csv", *arguments))))


def test_the_manual_holds_the_tables_as_they_are_printed():
    manual = (ROOT / "deploy/doc/controllers.md").read_text()
    tables = [table for table in registers().split("\n\n") if table.startswith("|")]
    assert len(tables) == 4
    for table in tables:
        assert table.strip() in manual, f"not in deploy/doc/controllers.md as `armdyn registers` prints it:\n{table}"


def test_base_and_formats():
    assert [int(row["register"]) - int(row["offset"]) for row in rows("--base", "40")] == [40] * len(rows())
    table = registers("--base", "40")
    for row in rows("--base", "40"):
        last = int(row["register"]) + int(row["count"]) - 1
        plus = f" + {row['plus']}" if row["plus"] else ""
        assert f"| {row['register']}{f'..{last}' if row['count'] != '1' else ''}{plus} |" in table and row["meaning"] in table
    for part in table.split("\n\n"):
        lines = [line for line in part.splitlines() if line.startswith("|")]
        assert len({len(line.split("|")) for line in lines}) <= 1


def test_no_register_is_listed_twice():
    for plus in ("", "128 k", "128 N"):
        taken = [at for row in rows() if row["plus"] == plus
                 for at in range(int(row["offset"]), int(row["offset"]) + int(row["count"]))]
        assert len(taken) == len(set(taken))


@pytest.mark.parametrize("arguments", [["--base", "65400"], ["--base", "x"], ["--format", "pdf"], ["more"], ["--colour"]])
def test_wrong_usage(arguments):
    assert "armdyn registers" in registers(*arguments, status=2)
