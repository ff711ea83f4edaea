"""Many orders, and many jobs, are cancelled in one call.

ARMDYN_ORDERS=... of them at ten controllers, 1,000 in `make soak`, 50 in `make test`.
"""

import os
import time

import pytest

from foreign.process import Foreign
from ordering import HERE, Ordering
from support import Server, robot, until
from support.motions import long_motion

pytestmark = pytest.mark.slow

COUNT = int(os.environ.get("ARMDYN_ORDERS") or (1000 if os.environ.get("ARMDYN_SOAK") else 50))
CELLS = 10


def cancel(client, **conditions):
    return client.post("/v1/orders/cancel", conditions).expect(200).json


def test_orders_of_ten_controllers_in_one_call(record_property):
    with Server() as own, own.client() as client:
        client.create_robot({**robot("scara"), "name": "arm"})
        for cell in range(CELLS):  # nobody is there: the first order of each fails, and blocks the queue
            client.post("/v1/controllers", {"name": f"cell-{cell}", "host": "127.0.0.1", "port": 1, "robot": "arm",
                                            "profile": {"protocol": "armdyn-v2", "connect_deadline": 0.1}}).expect(201)
            client.post("/v1/orders", {"controller": f"cell-{cell}", "to": {"q": HERE}, "duration": 1, "objective": "smooth", "start": "on_request"}).expect(202)
        for cell in range(CELLS):
            until(lambda cell=cell: client.get(f"/v1/controllers/cell-{cell}/queue").json["blocked"], what="a blocked queue")
        for k in range(COUNT):
            client.post("/v1/orders", {"controller": f"cell-{k % CELLS}", "to": {"q": HERE}, "duration": 1, "objective": "smooth", "start": "on_request",
                                       "job_order_id": f"lot-{k % 2}"}).expect(202)
        first = client.get("/v1/orders", query={"sort": "created_at", "state": "accepted", "limit": 1}).expect(200).json["items"][0]
        for empty in ({}, {"state": []}, {"job_order_id": ""}, {"state": ["done"]}, {"controller": None}, {"stat": ["queued"]}):
            client.post("/v1/orders/cancel", empty).expect(422)
        assert cancel(client, created_before=first["created_at"]) == {"cancelled": 0, "ending": 0}
        assert cancel(client, state=["ready", "running"]) == {"cancelled": 0, "ending": 0} == cancel(client, controller="nobody")
        assert cancel(client, controller="cell-3", job_order_id="lot-0") == {"cancelled": 0, "ending": 0}
        assert cancel(client, controller="cell-3", job_order_id="lot-1")["cancelled"] == COUNT // CELLS
        began = time.monotonic()
        told = cancel(client, state=["accepted", "queued"], created_after=first["created_at"])
        record_property("cancelled", f"{told['cancelled']} in {1e3 * (time.monotonic() - began):.0f} ms")
        print(f"{told['cancelled']} in {1e3 * (time.monotonic() - began):.0f} ms")
        assert told == {"cancelled": COUNT - COUNT // CELLS, "ending": 0}
        totals = client.get("/v1/orders").expect(200).json["totals"]
        assert totals["stopped"] == COUNT and totals["failed"] == CELLS and sum(totals.values()) == COUNT + CELLS
        one = client.get("/v1/orders", query={"state": "stopped", "limit": 1}).expect(200).json["items"][0]
        assert client.get(f"/v1/orders/{one['id']}").expect(200).json["history"][-1]["reason"].startswith("cancelled by")
        own.restart(kill=True)
        with own.client() as again:
            assert again.get("/v1/orders").expect(200).json["totals"] == totals


def test_what_is_at_the_controller_is_stopped_there(server):
    with Foreign("--axes", 4) as controller:
        here = Ordering(server, controller)
        running, waiting = here.automatic(duration=2), [here.automatic(to={"q": HERE}) for _ in range(3)]
        here.reach_order(running, "running")
        told = cancel(here.client, controller=here.name)
        assert told["cancelled"] + told["ending"] == 4 and told["ending"] >= 1
        for order in (running, *waiting):
            assert here.reach_order(order, "stopped")["history"][-1]["reason"].startswith("cancelled by")
        here.blocked()
        (motion,) = controller.ledger()["motions"]
        assert motion["end"] == "rested" or motion["samples"] < 2001


def test_jobs_too():
    with Server("--workers", 1) as own, own.client() as client:
        path = client.create_robot(robot("puma560")).headers["Location"]
        jobs = [client.post(path + "/trajectories", {**long_motion(), "job_order_id": f"lot-{k % 2}"}).expect(202).json["id"] for k in range(6)]
        until(lambda: client.get(f"/v1/jobs/{jobs[0]}").json["state"] == "running", what="a running job")
        for empty in ({}, {"state": []}, {"state": ["failed"]}, {"job_order_id": ""}):
            client.post("/v1/jobs/cancel", empty).expect(422)
        assert client.post("/v1/jobs/cancel", {"kind": "simulation"}).expect(200).json == {"cancelled": 0}
        assert client.post("/v1/jobs/cancel", {"state": ["queued"], "job_order_id": "lot-1"}).expect(200).json == {"cancelled": 3}
        assert client.get(f"/v1/jobs/{jobs[0]}").json["state"] == "running"
        assert client.post("/v1/jobs/cancel", {"created_before": "2100-01-01T00:00:00Z"}).expect(200).json == {"cancelled": 3}
        assert {client.get(f"/v1/jobs/{job}").json["state"] for job in jobs} == {"cancelled"}
