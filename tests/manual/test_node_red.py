"""The flow of Node-RED that the manual shows: whole, and, in make soak, run by Node-RED itself."""

import json
import os
import shutil
import subprocess
import urllib.request

import pytest

from support import ROOT, ControllerSim, robot, until
from support.process import free_port

FLOW = ROOT / "deploy/node-red/order.json"
NODE_RED = "node-red@4.1.15"


def test_the_flow_is_whole(tmp_path):
    nodes = json.loads(FLOW.read_text())
    known = {node["id"]: node for node in nodes}
    assert len(known) == len(nodes)
    for node in nodes[1:]:
        assert node["z"] in known and all(to in known for wires in node["wires"] for to in wires)
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    functions = [node for node in nodes if node["type"] == "function"]
    for node in functions:
        assert len(node["wires"]) == node["outputs"]
        (tmp_path / "function.js").write_text(f"(function (msg, env) {{\n{node['func']}\n}})")
        subprocess.run(["node", "--check", tmp_path / "function.js"], check=True)


@pytest.mark.skipif(os.environ.get("ARMDYN_SOAK", "0") == "0", reason="fetches Node-RED from npm: part of make soak")
def test_node_red_moves_the_arm(tmp_path, fresh_server):
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    subprocess.run(["npm", "install", "--prefix", tmp_path, "--no-audit", "--no-fund", "--ignore-scripts", NODE_RED], check=True, capture_output=True, timeout=600)
    model = {**robot("scara"), "name": "arm"}
    model["joints"] = model["joints"][:2]
    nodes, port = json.loads(FLOW.read_text()), free_port()
    nodes[0]["env"][0]["value"] = fresh_server.url
    (tmp_path / "flows.json").write_text(json.dumps(nodes))
    log = tmp_path / "node-red.log"
    with fresh_server.client() as client, ControllerSim(robot=model) as sim, open(log, "w") as out:
        client.post("/v1/robots", model).expect(201)
        client.post("/v1/controllers", {"name": "cell-1", "robot": "arm", "host": "127.0.0.1", "port": sim.port,
                                        "profile": {"protocol": "armdyn-v2", "allow_start": True}}).expect(201)
        child = subprocess.Popen(["node", tmp_path / "node_modules/node-red/red.js", "--userDir", tmp_path, "--port", str(port), tmp_path / "flows.json"],
                                 stdout=out, stderr=subprocess.STDOUT)
        try:
            until(lambda: "Started flows" in log.read_text(), 60, what="Node-RED")
            for times in (1, 2):  # pressed again: it moves once
                urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/inject/job-order", b"{}", {"Content-Type": "application/json"}), timeout=30)
                until(lambda: log.read_text().count("4711 done") == times, 60, what="the end of the order, told")
            (order,) = client.get("/v1/orders", query={"job_order_id": "4711"}).expect(200).json["items"]
            assert order["state"] == "done"
        finally:
            child.kill()
            child.wait()
