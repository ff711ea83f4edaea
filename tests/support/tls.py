"""Certificates for tests, made by openssl."""

import atexit
import functools
import pathlib
import shutil
import ssl
import subprocess
import tempfile


def certificate(folder, name, days=2):
    """A new self-signed certificate for `name` and for loopback: folder/name.crt, and its key, folder/name.key."""
    crt, key = pathlib.Path(folder) / f"{name}.crt", pathlib.Path(folder) / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", str(days), "-subj",
                    f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1", "-keyout", key, "-out", crt],
                   check=True, capture_output=True)
    key.chmod(0o600)
    return crt, key


def authority(folder, name, days=2):
    """A new certificate authority: its certificate and key."""
    crt, key = pathlib.Path(folder) / f"{name}.crt", pathlib.Path(folder) / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", str(days), "-subj", f"/CN={name}",
                    "-keyout", key, "-out", crt], check=True, capture_output=True)
    return crt, key


def signed(folder, name, by, alternatives="DNS:localhost,IP:127.0.0.1"):
    """A certificate and key for `name`, signed by that authority."""
    folder = pathlib.Path(folder)
    crt, key, request, extensions = (folder / f"{name}.{end}" for end in ("crt", "key", "csr", "ext"))
    extensions.write_text(f"subjectAltName={alternatives}\n")
    subprocess.run(["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request],
                   check=True, capture_output=True)
    subprocess.run(["openssl", "x509", "-req", "-in", request, "-CA", by[0], "-CAkey", by[1], "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out", crt],
                   check=True, capture_output=True)
    return crt, key


def trust(crt):
    """A client that trusts this certificate and no other."""
    return ssl.create_default_context(cafile=str(crt))


@functools.cache
def shared():
    """One certificate and key for all servers of this run."""
    folder = tempfile.mkdtemp(prefix="armdyn-tls-")
    atexit.register(shutil.rmtree, folder, True)
    return certificate(folder, "shared")
