"""Statements that are sent together to PostgreSQL fail each for itself, as they do one by one in SQLite: the unit program runs on both."""

import os
import subprocess

from support import postgresql
from support.process import ROOT


def test_operations_of_one_transaction_fail_each_for_itself():
    program = ROOT / "build/tests/unit/server/test_store_operations"
    if not program.exists():
        subprocess.run(["make", "--silent", str(program.relative_to(ROOT))], cwd=ROOT, check=True, timeout=600)
    done = subprocess.run([program, "-j1"], env={**os.environ, "ARMDYN_STORE": postgresql.shared().make()}, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stderr
