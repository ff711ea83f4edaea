"""What `armdyn registers` prints is what the controller offers and what the manual says."""

import csv
import io
import re
import subprocess

import pytest

from support import ROOT, binary


def registers(*arguments, status=0):
    done = subprocess.run([binary(), "registers", *arguments], capture_output=True, text=True)
    assert done.returncode == status, done
    return done.stdout if status == 0 else done.stderr


def rows(*arguments):
    return list(csv.DictReader(io.StringIO(registers("--format", "csv", *arguments))))


def test_the_table_agrees_with_the_manual():
    """The manual's ranges (+22..23) and the command's, and who writes them."""
    manual = {}
    for line in (ROOT / "deploy/doc/controllers.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 3 and cells[1].startswith("+") and cells[2] in "rw":
            for first, last in re.findall(r"\+(\d+)(?:\.\.(\d+))?", cells[1]):
                manual[int(first)] = (int(last or first), cells[2])
    assert manual == {int(row["offset"]): (int(row["offset"]) + int(row["count"]) - 1,
                                           {"controller": "r", "armdyn": "w"}[row["written_by"]]) for row in rows()}


def test_base_and_formats():
    assert [int(row["register"]) - int(row["offset"]) for row in rows("--base", "40")] == [40] * len(rows())
    table = registers()
    for row in rows():
        last = int(row["register"]) + int(row["count"]) - 1
        assert f"| {row['register']}{f'..{last}' if row['count'] != '1' else ''} |" in table and row["meaning"] in table
    assert all(len(line.split("|")) == 8 for line in table.splitlines())


def test_the_skeleton_uses_what_it_declares():
    text = registers("--format", "st", "--base", "7")
    assert "BASE : UINT := 7;" in text
    code = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
    declared = {int(offset): name for name, offset in re.findall(r"^  R_(\w+) : UINT := (\d+);", code, flags=re.M)}
    assert sorted(declared) == sorted(int(row["offset"]) for row in rows())
    known = set(re.findall(r"^  ([RSC]_\w+) :", code, flags=re.M))
    assert set(re.findall(r"\b[RSC]_\w+", code)) <= known
    for opening, closing in (("FUNCTION", "END_FUNCTION"), ("IF", "END_IF"), ("FOR", "END_FOR"), ("CASE", "END_CASE"),
                             ("VAR\\w*", "END_VAR"), ("PROGRAM", "END_PROGRAM")):
        assert len(re.findall(rf"\b{opening}\b", code)) == len(re.findall(rf"\b{closing}\b", code)), opening
    assert code.count("(") == code.count(")")


@pytest.mark.parametrize("arguments", [["--base", "65400"], ["--base", "x"], ["--format", "pdf"], ["more"], ["--colour"]])
def test_wrong_usage(arguments):
    assert "armdyn registers" in registers(*arguments, status=2)
