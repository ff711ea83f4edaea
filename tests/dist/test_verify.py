"""`armdyn verify`: a bundle signed by OpenSSL, as `make dist` does it, and everything that may have happened to it on its way."""

import hashlib
import os
import shutil
import subprocess

import pytest

from support import binary

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """The builder's private key, its public one, and a stranger's public one."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("builder", "stranger"):
        openssl("genpkey", "-algorithm", "ed25519", "-out", folder / f"{name}.pem")
        openssl("pkey", "-in", folder / f"{name}.pem", "-pubout", "-out", folder / f"{name}.pub")
    return folder


@pytest.fixture
def bundle(keys, tmp_path):
    """One as `make dist` makes it; of sha256sum, if there is one."""
    folder = tmp_path / "bundle"
    (folder / "packages").mkdir(parents=True)
    files = {"packages/armdyn_1_amd64.deb": os.urandom(200_000), "image.tar": b"", "manual.html": b"<h1>", "a  b": b"two blanks"}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    seal(folder, keys)
    return folder


def seal(folder, keys):
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and not path.name.startswith("SHA256SUMS"))
    (folder / "SHA256SUMS").write_text("".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names))
    openssl("pkeyutl", "-sign", "-inkey", keys / "builder.pem", "-rawin", "-in", folder / "SHA256SUMS", "-out", folder / "SHA256SUMS.sig")


def verify(folder, key):
    done = subprocess.run([binary(), "verify", str(folder), "--key", str(key)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_a_whole_one(bundle, keys):
    assert verify(bundle, keys / "builder.pub") == (0, f"{bundle} is whole, and signed by the holder of {keys / 'builder.pub'}\n", "")
    assert verify(f"{bundle}/", keys / "builder.pub")[0] == 0
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=bundle, check=True)  # who has no armdyn yet


def flip(path, at=-1):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


# what happens to it on its way -> what is said
CHANGES = {
    "one bit of a package": (lambda b, k: flip(b / "packages/armdyn_1_amd64.deb"), ["packages/armdyn_1_amd64.deb is not what was signed"]),
    "a file is gone": (lambda b, k: (b / "manual.html").unlink(), ["manual.html is missing"]),
    "a file more": (lambda b, k: (b / "packages/evil.deb").write_text("x"), ["packages/evil.deb is not one of the files that were signed"]),
    "a link in place of a file": (lambda b, k: ((b / "manual.html").unlink(), (b / "manual.html").symlink_to("/etc/hostname")), ["manual.html is no file"]),
    "several": (lambda b, k: ((b / "manual.html").unlink(), flip(b / "a  b")), ["manual.html is missing", "a  b is not what was signed"]),
    "another sum": (lambda b, k: flip(b / "SHA256SUMS", 0), ["was not signed by the holder of", "Install nothing"]),
    "another signature": (lambda b, k: flip(b / "SHA256SUMS.sig"), ["was not signed by the holder of"]),
    "half a signature": (lambda b, k: os.truncate(b / "SHA256SUMS.sig", 32), ["no Ed25519 signature: it has 32 bytes, not 64"]),
    "no signature": (lambda b, k: (b / "SHA256SUMS.sig").unlink(), ["has no SHA256SUMS.sig", "gave no key"]),
    "no sums": (lambda b, k: (b / "SHA256SUMS").unlink(), ["has no SHA256SUMS", "not copied whole"]),
    "signed, but leading out": (lambda b, k: ((b / "SHA256SUMS").write_text("0" * 64 + "  ../key\n"), openssl(
        "pkeyutl", "-sign", "-inkey", k / "builder.pem", "-rawin", "-in", b / "SHA256SUMS", "-out", b / "SHA256SUMS.sig")), ["line 1 is no SHA-256 sum"]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_one(what, bundle, keys):
    change, words = CHANGES[what]
    change(bundle, keys)
    status, out, said = verify(bundle, keys / "builder.pub")
    assert status == 1 and not out
    assert all(word in said for word in words) and said.count("\n") == (len(words) if what == "several" else 1), said


@pytest.mark.parametrize("key,words", [
    ("stranger.pub", "was not signed by the holder of"), ("builder.pem", "it is a private key"), ("none.pub", "cannot read"),
    ("rsa.pub", "no Ed25519 key"), ("text", "no public key in PEM")])
def test_other_keys(key, words, bundle, keys):
    if key == "rsa.pub":
        openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-out", keys / "rsa.pem")
        openssl("pkey", "-in", keys / "rsa.pem", "-pubout", "-out", keys / "rsa.pub")
    (keys / "text").write_text("trust me")
    status, _, said = verify(bundle, keys / key)
    assert status == 1 and words in said, said


def test_what_is_no_bundle(bundle, keys, tmp_path):
    assert "unpack it (tar -xf)" in verify(bundle / "image.tar", keys / "builder.pub")[2]
    assert "No such file" in verify(tmp_path / "nowhere", keys / "builder.pub")[2]
    for arguments in ([], [bundle], ["--key", keys / "builder.pub"], [bundle, bundle, "--key", "x"], ["", "--key", "x"]):
        done = subprocess.run([binary(), "verify", *map(str, arguments)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and done.stderr.startswith("usage: armdyn verify BUNDLE --key FILE")
