#!/usr/bin/python3
"""The libraries of an arm64 Debian in a folder, which `make VARIANT=arm64` builds with, and qemu for what it built.

    deploy/dist/sysroot.py FOLDER

The folder is made when it is not there, of this machine's release: 1.1 GB, the mirror of Debian (IMAGE_MIRROR names another), root.
"""

import os
import pathlib
import platform
import re
import shutil
import sys

import debian

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The linker follows links from where they lie.
RELATIVE = r"""find "$1" -type l -lname '/*' | while read -r link; do ln -sfr "$1$(readlink "$link")" "$link"; done"""


def libraries():
    """What building and unit tests link, of deploy/dependencies.txt."""
    text = (ROOT / "deploy/dependencies.txt").read_text()
    sections = dict(re.findall(r"^\[(\w+)\].*\n((?:.+\n)*)", text, re.M))
    return re.findall(r"^(\S+-dev)\b(?! \|)", sections["build"] + sections["test"], re.M)


def main(folder):
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        sys.exit("sysroot: needs root and mmdebstrap")
    if not folder.exists():
        print(f"sysroot: making {folder}", flush=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        debian.unpack(platform.freedesktop_os_release()["VERSION_CODENAME"], folder, "--variant=extract", "--architectures=arm64",
                      "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr", f"--include={','.join(libraries())}", f"--customize-hook={RELATIVE}")
    debian.emulate("arm64")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
