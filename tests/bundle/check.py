"""A bundle of `make dist` for a release of Debian ($RELEASE), built twice to the same bits, and used as the manual says where there is
no network; of the architectures in $ARCHES, what is not this machine's starts by qemu."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

ARCHES = os.environ.get("ARCHES", "amd64")
RELEASE = os.environ.get("RELEASE", "trixie")
TOOLS = ("mmdebstrap", "dpkg-scanpackages", "lintian", "openssl", "podman", "runc", "unshare")
NOT_INSIDE = re.compile(r"(^|/)bin/(gcc|cc|clang|make|node|npm|apt|apt-get)$")


def check_bundle(tally, root, run):
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if os.geteuid() != 0 or missing:
        why = f"needs {', '.join(missing)}" if missing else "needs root"
        print(f"\n*** THE BUNDLE WAS NOT TESTED: {why} ***\n")
        tally.skip("bundle", why)
        return
    folder, cache = root / tally.folder, root / "build/workshop"
    key = folder / "builder.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", folder / "builder.pub"], check=True, capture_output=True)
    first, second = folder / "first", folder / "second"
    for out in (first, second):
        status, text = run(["deploy/dist/make.py", "--release", RELEASE, "--architectures", ARCHES, "--key", key, "--cache", cache, out], folder / f"{out.name}.log", 5400)
        tally.check(f"make dist, {out.name} time", status == 0, text)
        if status != 0:
            return
    tally.check("the same bits twice", contents(first) == contents(second), f"different: {sorted(contents(first) ^ contents(second))}")
    status, text = run([root / "build/armdyn", "verify", first, "--key", folder / "builder.pub"], folder / "verify.log", 120)
    tally.check("armdyn verify", status == 0, text)
    check_papers(tally, first)
    for image in sorted(first.glob("*/armdyn-image.tar")):
        check_emulated(tally, root, image)
    older = folder / "former"
    status, text = run([sys.executable, "tests/bundle/former.py", cache, older], folder / "former.log", 3600)
    tally.check("the version before packages is built", status == 0, text)
    if status != 0:
        return
    machine = a_machine(root, cache, folder)
    status, text = run(["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "tests/bundle/offline.py", first, machine,
                        older, folder], folder / "offline.log", 1800)
    tally.check("without a network", status == 0, text)
    for name, good, why in json.loads((folder / "offline.json").read_text()) if status == 0 else []:
        tally.check(f"without a network: {name}", good, why)
    shutil.rmtree(machine, ignore_errors=True)


def contents(folder):
    """(name, bytes' hash) of every file that the sums speak of, and of those themselves."""
    return {*(folder / "SHA256SUMS").read_text().splitlines(), (folder / "SHA256SUMS.sig").read_bytes().hex()}


def a_machine(root, cache, folder):
    """A minimal Debian that has no package of armdyn's, in a folder."""
    sys.path.insert(0, str(root / "deploy/dist"))
    import debian
    fresh = cache / f"machine-{RELEASE}"
    if not fresh.exists():
        debian.unpack(RELEASE, fresh, "--variant=minbase")
    subprocess.run(["cp", "-a", fresh, folder / "machine"], check=True)
    return folder / "machine"


def check_emulated(tally, root, image):
    """The image for another architecture starts and answers, by qemu."""
    from image.check import Container
    with Container(tally, root / tally.folder / f"store-{image.parent.name}") as container:
        status, text = container.call("load", "--input", str(image), timeout=600)
        tally.check(f"{image.parent.name}: podman load", status == 0, text)
        container.image = "localhost/armdyn:latest"
        container.check_configuration()
        container.check_life(json.loads((root / "tests/data/vectors/puma560.json").read_text())["robot"])


def check_papers(tally, bundle):
    """SBOM and manual, and what the image does not hold."""
    with tarfile.open(bundle / "armdyn-image.tar") as image:
        manifest = json.load(image.extractfile("manifest.json"))[0]
        with tarfile.open(fileobj=image.extractfile(manifest["Layers"][0])) as layer:
            names = layer.getnames()
            status = layer.extractfile("./var/lib/dpkg/status").read().decode()
    wrong = [name for name in names if NOT_INSIDE.search(name)]
    tally.check("the image holds no compiler, no npm, no package manager", not wrong, str(wrong))
    tally.check("the image holds no key", "./etc/armdyn/admin.key" not in names, "")
    document = json.loads((bundle / "armdyn.spdx.json").read_text())
    listed = {(one["name"], one.get("versionInfo")) for one in document["packages"]}
    there = set(re.findall(r"^Package: (\S+)\n(?:.+\n)*?Version: (\S+)", status, re.M))
    tally.check("the SBOM lists what dpkg lists", there and there <= listed, f"{len(there)} packages, not listed: {sorted(there - listed)}")
    tally.check("and the pages' packages", {"preact", "three"} <= {name for name, _ in listed}, "")
    known = {one["SPDXID"] for one in document["packages"]} | {"SPDXRef-DOCUMENT"}
    ends = {one[end] for one in document["relationships"] for end in ("spdxElementId", "relatedSpdxElement")}
    tally.check("the SBOM relates what it lists", ends <= known and len(known) == len(document["packages"]) + 1, str(sorted(ends - known)))
    manual = (bundle / "manual.html").read_text()
    loaded = [one for one in re.findall(r'(?:src|<link[^>]*href)="([^"]*)"', manual) if not one.startswith("data:")]
    tally.check("the manual needs nothing beside it", not loaded and "<script" not in manual, str(loaded))
    tally.check("the manual's links lead somewhere", set(re.findall(r'href="#([^"]+)"', manual)) <= set(re.findall(r'id="([^"]+)"', manual)), "")
