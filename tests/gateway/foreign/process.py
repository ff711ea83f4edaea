"""The controller as a process of a test, and what its ledger told at its end."""

import json
import os
import pathlib
import sys

from support.process import HARDWARE, Device


class Foreign(Device):
    """Foreign("--scan", 10, fault=["torn@7"]): `python3 -m foreign` with these flags, started."""

    module = "foreign"

    def __init__(self, *flags, fault=()):
        folder = pathlib.Path(__file__).resolve().parents[1]
        path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
        super().__init__((), env={"PYTHONPATH": path})
        self.arguments = [*HARDWARE, sys.executable, "-m", self.module, *map(str, flags), *(word for one in fault for word in ("--fault", one))]
        self.start()

    def ledger(self, violations=()):
        """End it; what its observer saw, which must hold no violation but these (None: any)."""
        if self.running:
            self.terminate()
        (line,) = (line for line in self.log_path.read_text().splitlines() if line.startswith('{"motions"'))
        told = json.loads(line)
        assert violations is None or told["violations"] == list(violations), told
        return told
