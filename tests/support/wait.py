"""Waiting for something to become true, with a time limit."""

import time


def until(check, timeout=10.0, interval=0.02, what=None):
    """The first true value that check() answers; fails the test when there is none within `timeout` seconds."""
    end = time.monotonic() + timeout
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(f"not within {timeout} s: {what or getattr(check, '__name__', check)}; last: {value!r}")
        time.sleep(interval)
