"""A file system of a test's own, and one that is full."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest


@contextlib.contextmanager
def small_disk(size):
    """The folder of one of `size`, as mount(8) takes it."""
    directory = tempfile.mkdtemp(prefix="armdyn-disk-")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", directory], capture_output=True, text=True)
    if mounted.returncode != 0:
        os.rmdir(directory)
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.strip()}")
    try:
        yield pathlib.Path(directory)
    finally:
        subprocess.run(["umount", "-l", directory], check=True)
        os.rmdir(directory)


def fill_disk(path, left=0):
    """Take all that is left of a file system, but for so many bytes."""
    with open(path, "wb", buffering=0) as file:
        with contextlib.suppress(OSError):
            while not left or shutil.disk_usage(path.parent).free > left:
                file.write(bytes(4096))
