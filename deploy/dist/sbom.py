"""What is inside: an SPDX 2.3 document of the image and the packages, from dpkg's own list and the lock file of the pages; and the
licences that each package states."""

import hashlib
import io
import json
import re
import tarfile

# What Debian's machine-readable copyright files call a licence, where SPDX calls it otherwise.
SPDX_NAMES = {"Expat": "MIT", "public-domain": None, "GPL-2+": "GPL-2.0-or-later", "GPL-2": "GPL-2.0-only", "GPL-3+": "GPL-3.0-or-later",
              "GPL-3": "GPL-3.0-only", "LGPL-2+": "LGPL-2.0-or-later", "LGPL-2.1+": "LGPL-2.1-or-later", "LGPL-2.1": "LGPL-2.1-only",
              "LGPL-3+": "LGPL-3.0-or-later", "LGPL-3": "LGPL-3.0-only", "BSD-3-clause": "BSD-3-Clause", "BSD-2-clause": "BSD-2-Clause",
              "ISC": "ISC", "Zlib": "Zlib", "Apache-2.0": "Apache-2.0", "MIT": "MIT", "curl": "curl", "Unicode-3.0": "Unicode-3.0"}


def paragraphs(text):
    """Of dpkg's files: one dictionary for each."""
    for block in re.split(r"\n\n+", text.strip()):
        yield dict(match.groups() for match in re.finditer(r"^([\w-]+): ?(.*)$", block, re.M))


def stated(copyright_text):
    """An SPDX expression of the licences that a machine-readable copyright file names, when all have names of SPDX."""
    if not copyright_text.startswith("Format:"):
        return "NOASSERTION"
    names = {name for line in re.findall(r"^License: *(\S.*)$", copyright_text, re.M)
             for name in re.split(r" (?:and|or|and/or) |, ", line.strip())}
    known = {SPDX_NAMES.get(name) for name in names}
    return "NOASSERTION" if not known or None in known else " AND ".join(sorted(known))


def read_image(layer):
    """(packages of dpkg's list, path of /usr/share/doc -> copyright text) of a root file system's tar."""
    with tarfile.open(layer) as tar:
        texts, status = {}, ""
        links = {}
        for entry in tar:
            name = entry.name.removeprefix("./")
            if name == "var/lib/dpkg/status":
                status = tar.extractfile(entry).read().decode()
            elif (found := re.fullmatch(r"usr/share/doc/([^/]+)/copyright", name)) and entry.isfile():
                texts[found[1]] = tar.extractfile(entry).read().decode(errors="replace")
            elif (found := re.fullmatch(r"usr/share/doc/([^/]+)", name)) and entry.issym():
                links[found[1]] = entry.linkname.rsplit("/", 1)[-1]
        for name, target in links.items():
            if target in texts:
                texts.setdefault(name, texts[target])
    return [one for one in paragraphs(status) if one.get("Status", "").endswith(" installed")], texts


def identifier(*parts):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(parts))


def package(reference, name, version, licence, url, supplier, **more):
    return {"SPDXID": reference, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "supplier": supplier, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}], **more}


def of_debian(installed, texts, release):
    for one in installed:
        name, version = one["Package"], one["Version"]
        ours = one.get("Source", name).split()[0] == "armdyn"
        yield package(identifier("deb", name), name, version, "Apache-2.0" if ours else stated(texts.get(name, "")),
                      f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace('~', '%7E').replace(':', '%3A')}?arch={one['Architecture']}&distro={release}",
                      "Organization: the armdyn authors" if ours else "Organization: Debian", sourceInfo="source package " + one.get("Source", name))


def of_pages(lock):
    """What the pages carry; what only builds them is not in the program."""
    for at, one in sorted(lock["packages"].items()):
        if at and not one.get("dev"):
            name = at.rsplit("node_modules/", 1)[-1]
            algorithm, _, hashed = one.get("integrity", "").partition("-")
            sums = [{"algorithm": algorithm.upper(), "checksumValue": __import__("base64").b64decode(hashed).hex()}] if hashed else []
            yield package(identifier("npm", name), name, one["version"], one["license"],
                          f"pkg:npm/{name.replace('@', '%40')}@{one['version']}", "NOASSERTION", checksums=sums)


def document(name, layer, lock, release, created):
    """The SPDX document, as text."""
    installed, texts = read_image(layer)
    debian, pages = list(of_debian(installed, texts, release)), list(of_pages(lock))
    image = package("SPDXRef-image", name, "", "NOASSERTION", f"pkg:oci/{name}", "Organization: the armdyn authors")
    image.pop("externalRefs"), image.pop("versionInfo")
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-image")]
    relations += [("SPDXRef-image", "CONTAINS", one["SPDXID"]) for one in debian]
    relations += [(identifier("deb", "armdyn"), "CONTAINS", one["SPDXID"]) for one in pages]
    content = {"packages": [image, *debian, *pages],
               "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}
    mark = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    head = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{mark}",
            "creationInfo": {"created": created, "creators": ["Tool: armdyn deploy/dist"]}}
    return json.dumps(head | content, indent=1, ensure_ascii=False) + "\n"


def licences(layer, path, epoch, more):
    """A tar of what every package of the image says of its licences, and of the files `more`: name -> text."""
    _, texts = read_image(layer)
    files = {f"licences/{name}": text for name, text in texts.items()} | {f"licences/{name}": text for name, text in more.items()}
    with tarfile.open(path, "w:xz", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            data = text.encode()
            entry.size, entry.mtime, entry.mode = len(data), epoch, 0o644
            archive.addfile(entry, io.BytesIO(data))
