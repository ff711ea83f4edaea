"""Debians in folders of their own, and packages that are built in one: without a network, and whatever the builder's machine is."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

MIRROR = os.environ.get("IMAGE_MIRROR", "http://deb.debian.org/debian")


def call(command, **options):
    """Runs it; a failure ends everything, with what was printed."""
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **options)
    if done.returncode:
        raise SystemExit(f"{done.stdout[-6000:]}\ndist: {' '.join(map(str, command))}: status {done.returncode}")
    return done.stdout


def sources(release, *more):
    """The lines of apt for a release with its updates."""
    lines = [f"deb {MIRROR} {release} main", f"deb {MIRROR} {release}-updates main"]
    if "IMAGE_MIRROR" not in os.environ:
        lines.append(f"deb {MIRROR}-security {release}-security main")
    return [*lines, *more]


def bootstrap(release, target, *options, more=(), env=None):
    call(["mmdebstrap", "--quiet", *options, release, target, *sources(release, *more)], env={**os.environ, **(env or {})})


def needs(root):
    """What the packages' own control file wants for building."""
    text = (root / "deploy/debian/control").read_text().split("Build-Depends:")[1].split("\nStandards-Version")[0]
    names = [one.split()[0] for one in text.split(",")]
    return ["debhelper" if name == "debhelper-compat" else name for name in names]


def workshop(root, release, cache):
    """A folder with all that building needs; made once for a list of packages."""
    names = ["dpkg-dev", *needs(root)]
    mark = hashlib.sha256(" ".join([release, *names]).encode()).hexdigest()[:12]
    folder = cache / f"{release}-{mark}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unpack(release, folder, "--variant=minbase", f"--include={','.join(names)}")
    return folder


def unpack(release, folder, *options, **more):
    """A Debian in a folder, which has its name only when it is whole."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        tar, partial = pathlib.Path(scratch) / "root.tar", pathlib.Path(scratch) / "root"
        bootstrap(release, tar, *options, **more)
        partial.mkdir()
        call(["tar", "--numeric-owner", "-xf", tar, "-C", partial])
        partial.rename(folder)


def build_packages(tree, shop, out, commit, jobs):
    """dpkg-buildpackage of a source tree that has debian/, in the workshop, which has no network then."""
    inside = shop / "build/armdyn"
    shutil.rmtree(shop / "build", ignore_errors=True)
    inside.parent.mkdir()
    call(["cp", "-a", tree, inside])
    call(["unshare", "--net", "chroot", shop, "/bin/sh", "-c",
                f"cd /build/armdyn && COMMIT={commit} DEB_BUILD_OPTIONS=parallel={jobs} LC_ALL=C.UTF-8 dpkg-buildpackage --build=binary --unsigned-changes --no-check-builddeps"])
    made = sorted(path for path in inside.parent.iterdir() if path.suffix in (".deb", ".changes", ".buildinfo"))
    for path in made:
        shutil.move(path, out / path.name)
    shutil.rmtree(shop / "build")
    return [out / path.name for path in made]


def fields(deb):
    """The fields of a package's control file."""
    text = call(["dpkg-deb", "--field", deb])
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line and not line.startswith(" "))


def index(folder):
    """Packages, which makes a folder of packages one that apt installs from."""
    text = call(["dpkg-scanpackages", "--multiversion", "."], cwd=folder)
    text = "".join(line + "\n" for line in text.splitlines() if not line.startswith("dpkg-scanpackages:"))
    (pathlib.Path(folder) / "Packages").write_text(text)
