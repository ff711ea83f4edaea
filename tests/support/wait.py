"""Waiting for something to become true, with a time limit."""

import os
import time

# A limit only ends what hangs, so it leaves room for machines that are slow or busy, and sanitizers are slow by themselves.
PATIENCE = 3 if os.environ.get("ARMDYN_VARIANT", "release") == "release" else 10


def until(check, timeout=10.0, interval=0.02, what=None):
    """The first true value that check() answers; fails the test when there is none in PATIENCE times `timeout` seconds."""
    timeout *= PATIENCE
    start = time.monotonic()
    end = start + timeout
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(f"not within {timeout} s: {what or getattr(check, '__name__', check)}; last: {value!r}")
        # Who waits for long asks less often, up to ten times a second: asking costs more than many a test.
        time.sleep(max(interval, min(0.1, (time.monotonic() - start) / 20)))
