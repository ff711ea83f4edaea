#!/usr/bin/python3
"""`make test-other`: builds and tests in the other Debian, which is made in a folder by mmdebstrap: trixie on bookworm, bookworm on trixie.

    tests/other.py [--release NAME] [--cc COMPILER] [SUITE]...      suites of tests/run.py; `all` is what `make test` runs
    tests/other.py --bare [--release NAME] [GOAL]...                goals of the Makefile, `demo` without any, in a Debian of this or the
                                                                    other release with make and git alone, on what is committed

The folder, build/other/NAME, stays for the next time, and so does what is built in it. A warning of its compiler is an error. It needs
root and, the first time, the mirror of Debian (IMAGE_MIRROR names another) and room for all packages of deploy/dependencies.txt: 5 GB.
"""

import argparse
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "deploy/dist"))
import debian  # noqa: E402

OTHER = {"bookworm": "trixie", "trixie": "bookworm"}
# What another compiler, parser of heads, SQLite or libmodbus would change.
SUITES = ("unit-release", "contract-release", "http-release", "gateway-release", "store-release")
# What the suites of a variant run, which is the end of their name; others run what the release does.
BUILDS = {"release": "build unit-programs", "asan": "VARIANT=asan build unit-programs", "tsan": "VARIANT=tsan build tsan-programs",
          "fuzz": "VARIANT=fuzz fuzz-programs"}

# Its own namespaces end with it, so no mount stays; and this shell, their first process, takes up those that lose their parent. $1: the folder of the Debian, $2: the checkout, $3: what is built, $4: what is done.
ENTER = """
mount --make-rprivate /
mkdir -p "$1/armdyn/source" "$1/armdyn/cache"
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys"
mount --bind "$2" "$1/armdyn/source" && mount --bind "$3" "$1/armdyn/source/build"
cp -L /etc/resolv.conf "$1/etc/resolv.conf"
[ ! -d "$CCACHE_DIR" ] || mount --bind "$CCACHE_DIR" "$1/armdyn/cache"
if [ -d "$2/../shared" ]; then mkdir -p "$1/armdyn/shared" && mount --bind "$2/../shared" "$1/armdyn/shared"; fi
if [ -f "$NODE_EXTRA_CA_CERTS" ]; then
  touch "$1/armdyn/certificates.pem" && mount --bind "$NODE_EXTRA_CA_CERTS" "$1/armdyn/certificates.pem"
fi
chroot "$1" env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive NODE_EXTRA_CA_CERTS=/armdyn/certificates.pem \\
  CCACHE_DIR=/armdyn/cache CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=/armdyn \\
  PATH=/usr/lib/ccache:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -euc "cd /armdyn/source; $4" || exit
"""


def root(release):
    """The folder of that Debian, made when it is not there."""
    folder = ROOT / "build/other" / release
    if not folder.exists():
        print(f"test-other: making {folder.relative_to(ROOT)}", flush=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        debian.unpack(release, folder, "--variant=minbase", "--include=ca-certificates,ccache,make")
    return folder


def bare(release, goals):
    """The status of goals of the Makefile, where a user begins: nothing is installed, nothing is built."""
    folder = ROOT / "build/other" / f"{release}-bare"
    built = folder.with_name(f"{folder.name}-build")
    for one in (folder, built):
        shutil.rmtree(one, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    debian.unpack(release, folder, "--variant=minbase", "--include=git,make")
    sources = folder / "srv/armdyn"
    sources.mkdir()
    debian.call(["git", "-C", ROOT, "archive", "--format=tar", f"--output={folder / 'srv/armdyn.tar'}", "HEAD"])
    debian.call(["tar", "-xf", folder / "srv/armdyn.tar", "-C", sources])
    status = within(folder, f"cd /srv/armdyn; DEMO_EXIT=1 make {shlex.join(goals)}")
    if not status:
        shutil.rmtree(folder)
        shutil.rmtree(built)
    return status


def within(folder, script):
    """Runs a script in the checkout, seen from that Debian; its status."""
    built = ROOT / "build/other" / f"{folder.name}-build"
    built.mkdir(exist_ok=True)
    cache = os.environ.get("CCACHE_DIR", os.path.expanduser("~/.cache/ccache"))
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", ENTER, "enter", folder, ROOT, built, script],
                          env={"NODE_EXTRA_CA_CERTS": "", **os.environ, "CCACHE_DIR": cache}).returncode


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--release", choices=OTHER.values(), default=OTHER.get(platform.freedesktop_os_release().get("VERSION_CODENAME")))
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("suites", nargs="*")
    asked = parser.parse_args()
    if not asked.release:
        sys.exit("test-other: this is neither Debian 12 nor 13: say --release")
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        sys.exit("test-other: needs root and mmdebstrap")
    if asked.bare:
        sys.exit(bare(asked.release, asked.suites or ["demo"]))
    whole = asked.suites == ["all"]
    suites = [] if whole else asked.suites or SUITES
    make = f"make --silent -j{os.cpu_count() or 2} CI=true CC={shlex.quote(asked.cc)}"
    variants = {suite.rsplit("-", 1)[-1] for suite in suites}
    wanted = ["test-builds"] if whole else ["build", *(BUILDS.get(one, BUILDS["release"]) for one in sorted(variants))]
    builds = "".join(f"{make} {one}; " for one in wanted)
    sys.exit(within(root(asked.release), f"deploy/deps build web test; {builds}exec python3 tests/run.py {shlex.join(suites)}"))


if __name__ == "__main__":
    main()
