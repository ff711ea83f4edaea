"""Through pgbouncer in transaction mode, where any statement outside of a transaction may meet another connection of the server."""

import concurrent.futures
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

import pytest

from support import postgresql, robot, until

pytestmark = pytest.mark.skipif(not shutil.which("pgbouncer"), reason="pgbouncer is not installed")
PORT, POOL = 6432, 4  # of the socket's name; connections to the server, fewer than the service has to the pooler
LONG = 60


class Pooler:
    """In front of a cluster, on a socket in a folder of its own."""

    def __init__(self, cluster):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="armdyn-pooler-"))
        (self.folder / "ini").write_text(
            f"[databases]\n* = host={cluster.folder} user={postgresql.USER}\n[pgbouncer]\nlisten_addr =\nlisten_port = {PORT}\n"
            f"unix_socket_dir = {self.folder}\nauth_type = any\npool_mode = transaction\ndefault_pool_size = {POOL}\nmax_client_conn = 200\n")
        self.owner = pwd.getpwnam("postgres").pw_name if os.geteuid() == 0 else None
        if self.owner:
            shutil.chown(self.folder, self.owner)
        self.folder.chmod(0o711)
        self.start()

    def start(self):
        as_owner = ["runuser", "-u", self.owner, "--"] if self.owner else []
        self.child = subprocess.Popen([*as_owner, "pgbouncer", self.folder / "ini"], cwd="/", stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=open(self.folder.with_suffix(".log"), "ab"), start_new_session=True)
        until(lambda: (self.folder / f".s.PGSQL.{PORT}").exists())

    def stop(self):
        os.killpg(self.child.pid, 15 if not self.owner else 9)
        self.child.wait()
        (self.folder / f".s.PGSQL.{PORT}").unlink(missing_ok=True)

    def close(self):
        self.stop()
        shutil.rmtree(self.folder)
        self.folder.with_suffix(".log").unlink()

    def through(self, address):
        return f"postgresql://{postgresql.USER}@/{address.split('/')[3].split('?')[0]}?host={self.folder}&port={PORT}"


@pytest.fixture
def pooler():
    own = Pooler(postgresql.shared())
    yield own
    own.close()


def test_the_service_works_through_a_pooler_of_transactions(serve, pooler):
    address = postgresql.shared().make()
    server = serve(pooler.through(address))

    def fill(part):
        with server.client(timeout=LONG) as client:
            for k in range(10):
                name = f"arm{part}-{k}"
                client.post("/v1/robots", {**robot("scara"), "name": name}, query={"allow_unphysical": "true"},
                            headers={"Idempotency-Key": name}).expect(201)
                assert client.get(f"/v1/robots/{name}").expect(200).json["name"] == name
                client.post("/v1/robots", {**robot("scara"), "name": name}, query={"allow_unphysical": "true"}).expect(409)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(fill, range(8)))
    query = postgresql.shared().query
    assert query(address, "SELECT count(*) FROM robots") == [["80"]]
    connections, = query(address, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'armdyn'")
    assert 1 <= int(connections[0]) <= POOL  # the service has more, of which the pooler makes these
    with server.client(timeout=LONG) as client:
        pooler.stop()
        assert client.get("/v1/robots", query={"limit": 1}).status == 503
        pooler.start()
        until(lambda: client.get("/readyz").status == 200, timeout=LONG)
        client.post("/v1/robots", {**robot("scara"), "name": "after"}, query={"allow_unphysical": "true"}).expect(201)
