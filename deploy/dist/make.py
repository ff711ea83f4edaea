#!/usr/bin/python3
"""`make dist`: all that a factory needs, in one folder, which `armdyn verify` checks.

    deploy/dist/make.py [--release trixie] [--architectures amd64] [--key FILE] [--cache DIR] OUT

What is committed is built, in a Debian of its own (mmdebstrap, so root), and twice the same bits: no clock, no path and no
package of this machine goes in. --key is an Ed25519 key (`openssl genpkey -algorithm ed25519 -out FILE`); without one the sums
are not signed. IMAGE_MIRROR names another mirror of Debian. What is for another architecture is cross-built; the image's packages
are set up by qemu, which the kernel is told of.

    packages/          armdyn and what it needs beyond a minimal Debian, as a folder that apt installs from
    armdyn-image.tar   the image, for docker load and podman load
    armdyn.spdx.json   what is inside
    licences.tar.xz    and under which licences
    arm64/             these three for another architecture than the builder's
    manual.html        the manual, one page
    hosts/             compose, quadlet, Kubernetes, proxies
    SHA256SUMS, SHA256SUMS.sig
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import debian
import image
import sbom

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("mmdebstrap", "dpkg-deb", "dpkg-scanpackages", "lintian", "openssl", "git")


class Moment:
    """The time of the commit, which is the time of everything that is made of it."""

    def __init__(self):
        self.commit = debian.call(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"]).strip()
        self.epoch = int(debian.call(["git", "-C", ROOT, "log", "-1", "--format=%ct"]))
        when = datetime.datetime.fromtimestamp(self.epoch, datetime.timezone.utc)
        self.created, self.dated = when.strftime("%Y-%m-%dT%H:%M:%SZ"), when.strftime("%a, %d %b %Y %H:%M:%S +0000")
        self.version = re.search(r'ARMDYN_VERSION "(.*)"', (ROOT / "lib/include/armdyn/armdyn.h").read_text())[1]
        tags = debian.call(["git", "-C", ROOT, "tag", "--points-at", "HEAD"]).split()
        # What is no release is older than the release, and newer than what was built of commits before it.
        self.debian_version = self.version if f"v{self.version}" in tags else \
            f"{self.version}~{when.strftime('%Y%m%d.%H%M%S')}.{self.commit}"
        self.tag = self.debian_version.replace("~", "-")


def source_tree(folder, moment, release):
    """What is committed, with the pages built, ready for dpkg-buildpackage."""
    tree = folder / "armdyn"
    tree.mkdir()
    archive = folder / "source.tar"
    debian.call(["git", "-C", ROOT, "archive", "--format=tar", f"--output={archive}", "HEAD"])
    debian.call(["tar", "-xf", archive, "-C", tree])
    modules = ROOT / "server/web/node_modules"
    if modules.exists():
        debian.call(["cp", "-a", modules, tree / "server/web/node_modules"])
    debian.call([tree / "server/web/build", tree / "build/web"])
    pages = tree / "build/web/pages.S"
    pages.write_text(pages.read_text().replace(f"{tree}/", ""))
    if "Node.js" in pages.read_text().split("pages_missing:")[1][:200] or ".incbin" not in pages.read_text():
        raise SystemExit("dist: the pages could not be built; Node.js 18, npm and what it fetches are needed")
    shutil.rmtree(tree / "server/web/node_modules", ignore_errors=True)
    shutil.copytree(tree / "deploy/debian", tree / "debian")
    (tree / "debian/changelog").write_text(
        f"armdyn ({moment.debian_version}+{release}) {release}; urgency=medium\n\n  * What is new stands in CHANGELOG.md. Built of {moment.commit}.\n\n"
        f" -- The armdyn maintainers <armdyn@packages.debian.org>  {moment.dated}\n")
    return tree


# The image's root file system: Debian's essential packages and armdyn's, without the key that its installation made.
CLEAN = r"""
rm -rf "$1/etc/armdyn/admin.key" "$1/etc/apt/sources.list" "$1"/etc/apt/sources.list.d/*
install -d -o 10001 -g 10001 -m 700 "$1/data"
"""
FETCH = r"""
cd "$PACKAGES" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -qq download \
  $(dpkg-query --admindir="$1/var/lib/dpkg" -W -f '${Package}=${Version} ${Priority}\n' | awk '$2 != "required" && $1 !~ /armdyn/ { print $1 }')
"""


# Debian 12 takes Perl along to merge /usr, unless that was done before.
MERGED = {"bookworm": ["--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr", "--include=usr-is-merged"]}


def root_file_system(release, architecture, packages, layer, epoch):
    """Its tar; and into the folder of packages those that armdyn needs and a minimal Debian may lack."""
    debian.index(packages)
    debian.bootstrap(release, layer, f"--architectures={architecture}", "--variant=custom", "--include=?essential", "--include=armdyn", *MERGED.get(release, []), f"--customize-hook={FETCH}", f"--customize-hook={CLEAN}",
                     more=[f"deb [trusted=yes] copy:{packages} ./"], env={"SOURCE_DATE_EPOCH": str(epoch), "PACKAGES": str(packages)})
    debian.index(packages)


def lint(changes):
    """lintian's errors end the build; its warnings are told."""
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", "--tag-display-limit", "0", str(changes)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{done.stdout}\ndist: lintian finds errors")
    return done.stdout


def sums(out):
    """SHA256SUMS, as sha256sum reads it."""
    names = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    lines = [f"{hashlib.sha256((out / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (out / "SHA256SUMS").write_text("".join(lines))


def sign(out, key):
    debian.call(["openssl", "pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", out / "SHA256SUMS", "-out", out / "SHA256SUMS.sig"])


def build_for(architecture, tree, scratch, moment, release, cache, out, packages):
    """Packages, image, and what is inside, for one architecture; the image's size, unpacked."""
    shop = debian.workshop(tree, release, cache, architecture)
    made = debian.build_packages(tree, shop, scratch, moment.commit, architecture)
    print(lint(next(path for path in made if path.suffix == ".changes")), end="")
    for path in made:
        if path.suffix == ".deb":
            shutil.move(path, packages / path.name)
    out.mkdir(exist_ok=True)
    layer = scratch / "root.tar"
    root_file_system(release, architecture, packages, layer, moment.epoch)
    size = image.write(layer, out / "armdyn-image.tar", "localhost/armdyn", moment.tag, architecture, moment.created, moment.epoch)
    lock = json.loads((tree / "server/web/package-lock.json").read_text())
    (out / "armdyn.spdx.json").write_text(sbom.document(f"armdyn-{moment.version}", layer, lock, release, moment.created))
    sbom.licences(layer, out / "licences.tar.xz", moment.epoch, {name: (tree / name).read_text() for name in ("LICENSE", "THIRD-PARTY.md")})
    layer.unlink()
    return size


def build(out, release, architectures, cache, key):
    """The images' sizes by architecture."""
    moment = Moment()
    packages = out / "packages"
    packages.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="armdyn-dist-") as scratch:
        scratch = pathlib.Path(scratch)
        tree = source_tree(scratch, moment, release)
        sizes = {one: build_for(one, tree, scratch, moment, release, cache, out if one == debian.native() else out / one, packages)
                 for one in architectures}
        debian.call([tree / "deploy/dist/manual.py", out / "manual.html"])
        for name in ("CHANGELOG.md",):
            shutil.copyfile(tree / name, out / name)
        shutil.copytree(tree / "deploy/hosts", out / "hosts")
    sums(out)
    if key:
        sign(out, key)
    return sizes


def told(out):
    """Name and size of what was made."""
    for path in sorted(out.rglob("*")):
        if path.is_file() and (path.parent != out / "packages" or "armdyn" in path.name):
            print(f"{path.stat().st_size / 1e6:9.2f} MB  {path.relative_to(out)}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--release", default="trixie")
    parser.add_argument("--architectures", default="amd64", type=lambda text: text.split(","))
    parser.add_argument("--key", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build/workshop")
    asked = parser.parse_args()
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or os.geteuid() != 0:
        sys.exit(f"dist: needs {', '.join(missing) or 'root, for a Debian in a folder of its own'}")
    if asked.out.exists():
        sys.exit(f"dist: {asked.out} is there already; it is never overwritten")
    if subprocess.run(["git", "-C", ROOT, "diff", "--quiet", "HEAD"]).returncode:
        print("dist: what is not committed is not in it", file=sys.stderr)
    for one in asked.architectures:
        debian.emulate(one)
    sizes = build(asked.out.resolve(), asked.release, asked.architectures, asked.cache.resolve(), asked.key)
    told(asked.out)
    print("; ".join(f"the image for {one} holds {size / 1e6:.0f} MB, unpacked" for one, size in sizes.items()) + ("" if asked.key else "; the sums are not signed: there was no --key"))


if __name__ == "__main__":
    main()
