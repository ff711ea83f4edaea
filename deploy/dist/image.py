"""An image as one archive, as `docker save` writes it: docker, podman and containerd load it. The layout of OCI would lose the health
check, for which it has no place, in podman."""

import gzip
import hashlib
import io
import json
import tarfile

# As the Dockerfile has it; tests/image holds both against the same checks.
CONFIG = {
    "User": "10001:10001",
    "ExposedPorts": {"8080/tcp": {}},
    "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "ARMDYN_LISTEN=0.0.0.0:8080", "ARMDYN_DATA=/data",
            "ARMDYN_ADMIN_KEY_FILE=/run/secrets/admin.key"],
    "Entrypoint": ["armdyn"],
    "Cmd": ["serve"],
    "Volumes": {"/data": {}},
    "StopSignal": "SIGTERM",
    "Healthcheck": {"Test": ["CMD", "armdyn", "healthcheck"], "Interval": 10 * 10**9, "Timeout": 3 * 10**9, "StartPeriod": 10 * 10**9,
                    "Retries": 3},
}


def as_json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def add(archive, name, data, epoch):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = len(data), epoch, 0o644
    archive.addfile(entry, io.BytesIO(data))


def write(layer, path, name, version, architecture, created, epoch):
    """layer: the tar of the root file system; version: of its name; created: the same moment as epoch, as a text."""
    plain = layer.read_bytes()
    packed = gzip.compress(plain, 6, mtime=0)
    config = as_json({"architecture": architecture, "os": "linux", "created": created,
                      "config": CONFIG | {"Labels": {"org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "Apache-2.0"}},
                      "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest(plain)]},
                      "history": [{"created": created, "created_by": "deploy/dist"}]})

    config_file, layer_file = digest(config) + ".json", digest(packed) + ".tar.gz"
    manifest = as_json([{"Config": config_file, "RepoTags": [f"{name}:{version}", f"{name}:latest"], "Layers": [layer_file]}])
    files = {"manifest.json": manifest, config_file: config, layer_file: packed}
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for file, data in files.items():
            add(archive, file, data, epoch)
    return len(plain)
