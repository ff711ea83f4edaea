"""A wall clock that a test moves, for processes that are started with its `env`."""

import subprocess

from .process import ROOT


class ShiftedClock:
    def __init__(self, folder):
        library, self.file = folder / "clock.so", folder / "clock"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, ROOT / "tests/support/clock.c", "-ldl"], check=True)
        self.env = {"LD_PRELOAD": str(library), "ARMDYN_TEST_CLOCK": str(self.file)}
        self.jump(0)

    def jump(self, seconds):
        part = self.file.with_suffix(".part")
        part.write_text(str(seconds))
        part.replace(self.file)
        self.shift = seconds
