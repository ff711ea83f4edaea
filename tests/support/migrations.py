"""The migrations that the program carries, as files in their order: those of an engine's own folder and those for both."""

import sys

from .process import ROOT

sys.path.insert(0, str(ROOT / "server/store"))
from migrations import for_postgresql, migrations  # noqa: E402, F401
