"""Modbus through a TLS tunnel, as deploy/doc/controllers.md says: stunnel at both ends, each with a certificate."""

import shutil
import subprocess

import pytest

from cell import LONG, Cell, puma, summary, trace
from support import Server, free_port, unique_name, until
from support.tls import certificate


class Tunnel:
    """One end of it, in the foreground."""

    def __init__(self, folder, name, text):
        path = folder / f"{name}.conf"
        path.write_text(f"foreground = yes\npid =\nsyslog = no\n[modbus]\n{text}")
        self.log = open(folder / f"{name}.log", "wb")
        self.child = subprocess.Popen(["stunnel4", str(path)], stdout=self.log, stderr=subprocess.STDOUT)

    def close(self):
        self.child.terminate()
        self.child.wait(10)
        self.log.close()


def listens(port):
    """Does somebody listen there? Without disturbing him."""
    with open("/proc/net/tcp") as table:
        return any(row.split()[1].endswith(f":{port:04X}") and row.split()[3] == "0A" for row in list(table)[1:])


@pytest.mark.slow
def test_a_transfer_through_a_tunnel(tmp_path):
    if not shutil.which("stunnel4") or not shutil.which("openssl"):
        pytest.skip("stunnel4 or openssl is not installed")
    for name in ("armdyn", "controller", "stranger"):
        certificate(tmp_path, name)
    with Server() as server, puma() as sim:
        tls, near, wrong = free_port(), free_port(), free_port()

        def end(name, peer, accept, connect, client):
            return Tunnel(tmp_path, f"{name}-{accept}", f"client = {client}\naccept = 127.0.0.1:{accept}\nconnect = 127.0.0.1:{connect}\n"
                          f"cert = {tmp_path}/{name}.crt\nkey = {tmp_path}/{name}.key\n"
                          f"CAfile = {tmp_path}/{peer}.crt\nverifyPeer = yes\nsslVersionMin = TLSv1.2\n")
        ends = [end("controller", "armdyn", tls, sim.port, "no"), end("armdyn", "controller", near, tls, "yes"),
                end("stranger", "controller", wrong, tls, "yes")]
        try:
            here = Cell(server, sim, connect_deadline=5)
            for port in (tls, near, wrong):
                until(lambda: listens(port), LONG, what="a tunnel")
            for port, state in ((near, "done"), (wrong, "failed")):
                name = unique_name("cell")
                here.client.post("/v1/controllers", {**here.document(name=name), "port": port}).expect(201)
                until(lambda: all(one.child.poll() is None for one in ends), LONG)
                here.name = name
                motion = here.trajectory(duration=0.6)
                if state == "done":
                    here.reach(here.playing(motion), "done")
                else:
                    end = here.reach(here.transfer(motion).expect(202).json["id"], "failed")
                    assert end["problem"]["type"] == "/problems/controller-unreachable"
            assert summary(sim)["starts"] == 1 and len(trace(sim.trace_path)) == 601
        finally:
            for one in ends:
                one.close()
