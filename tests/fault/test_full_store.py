"""A store that takes no writes while a job runs: the job waits for it with what was computed, and nothing is lost, computed
twice or counted as an attempt."""

import os
import signal
import sys
import time

import pytest

from support import FILLABLE, fill, free_port, robot, until
from support.motions import ZERO, long_motion, motion

# Much more than a transaction of rows, which the store takes while the worker computes on; the seed has no say in it.
SIMULATION = {"q": ZERO, "qd": [0.1] * 6, "duration": 15, "sample_rate": 1000, "method": "fixed", "step": 0.001}


@pytest.fixture
def server(make_server):
    return make_server("--workers", 1, "--child-silence", 600, prefix=FILLABLE)


@pytest.fixture
def client(server):
    with server.client(check=False) as client:
        client.create_robot(robot("puma560"), name="arm")
        yield client


def begun(server, client, kind, request):
    """A job whose worker stands still: it has the request, and has answered nothing."""
    until(lambda: client.get("/readyz").status == 200)
    worker, = server.children("worker")
    os.kill(worker, signal.SIGSTOP)
    path = client.post(f"/v1/robots/arm/{kind}", request).expect(202).headers["Location"]
    until(lambda: client.get(path).json["state"] == "running")
    return worker, path


@pytest.mark.sampled
@pytest.mark.parametrize("kind, request_", [("trajectories", long_motion(30)), ("simulations", SIMULATION)], ids=["end", "midst"])
def test_a_job_waits_for_the_store_with_what_it_computed(server, client, kind, request_):
    worker, path = begun(server, client, kind, request_)
    fill(server)
    os.kill(worker, signal.SIGCONT)
    waiting = until(lambda: "trying again" in (j := client.get(path).json)["message"] and j, 60)
    assert waiting["state"] == "running" and waiting["attempts"] == []
    assert client.post("/v1/robots/arm/trajectories", motion()).status in (500, 503, 507)  # what cannot be kept is not accepted
    time.sleep(1)
    assert client.get(path).json["state"] == "running" and server.children("worker") == [worker]
    fill(server, False)
    done = until(lambda: (j := client.get(path).json)["finished_at"] and j, 90, 0.1)
    assert (done["state"], done["attempt"], done["attempts"]) == ("succeeded", 1, [])
    assert server.children("worker") == [worker]  # one that the store failed is killed, and its job begun again

    samples = client.get(done["result"]["href"] + "/samples").expect(200).json
    again = client.wait_job(client.post(f"/v1/robots/arm/{kind}", request_))
    assert samples == client.get(again["result"]["href"] + "/samples").expect(200).json  # each row once


def test_a_job_that_waits_for_the_store_is_not_cancelled_unseen(server, client):
    """Nobody could tell later who did it; what was computed is kept when there is room."""
    worker, path = begun(server, client, "simulations", SIMULATION)
    fill(server)
    os.kill(worker, signal.SIGCONT)
    until(lambda: "trying again" in client.get(path).json["message"], 60)
    assert "nothing was changed" in client.post(path + "/cancel").expect(500, 503, 507).json["detail"]
    fill(server, False)
    done = until(lambda: (j := client.get(path).json)["finished_at"] and j, 90, 0.1)
    assert done["state"] == "succeeded" and len(client.get("/v1/simulations").expect(200).json["items"]) == 1


# ---------------------------------------------------------------- the audit trail


def operations(client):
    return [item["entry"]["operation"] for item in client.get("/v1/audit").expect(200).json["items"]]


def test_nothing_is_changed_that_the_audit_trail_cannot_tell_of_but_stop(server, client):
    client.post("/v1/controllers", {"name": "cell", "host": "127.0.0.1", "port": free_port(), "robot": "arm",
                                    "profile": {"protocol": "armdyn-v2"}}).expect(201)
    fill(server)
    assert client.post("/v1/robots", robot("puma560"), query={"allow_unphysical": "true"}).status in (500, 503, 507)
    refused = client.post("/v1/drain").expect(500, 503, 507)  # it changes nothing on the disk
    assert "nothing was changed" in refused.json["detail"]
    assert client.post("/v1/controllers/cell/stop").expect(200).json["confirmed"] is False  # nobody is there; it was tried
    before = operations(client)
    assert "stopController" not in before and "drain" not in str(before)
    fill(server, False)
    until(lambda: "stopController" in operations(client), what="the entry of STOP")
    assert "drained" not in client.get("/readyz").text
    client.post("/v1/drain").expect(200)
    until(lambda: operations(client)[0] != "stopController", what="the entry of the drain")


def test_a_disk_that_was_full_before_the_start_is_told(make_server):
    """Readers need their room (32 KiB of an index of the log), and no more comes."""
    server = make_server("--workers", 1)
    with server.client() as client:
        for n in range(12):
            client.create_robot(robot("puma560"), name=f"arm{n}")
        assert (server.data / "armdyn.db-wal").stat().st_size > 40000
    server.arguments[:0] = [sys.executable, "-c", "import os, resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
                            "resource.setrlimit(resource.RLIMIT_FSIZE, (33000, resource.RLIM_INFINITY)); os.execv(sys.argv[1], sys.argv[1:])"]
    server.restart(kill=True)
    with server.client(check=False) as client:
        assert "cannot be written" in client.get("/readyz").expect(503).json["detail"]
        client.get("/v1/robots/arm11").expect(200)
        fill(server, False)
        until(lambda: client.get("/readyz").status == 200)
