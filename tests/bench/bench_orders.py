#!/usr/bin/python3
"""Lists of 100,000 orders by any condition, 1,000 of them cancelled in one call, and a motion that was planned before, from its
acceptance to its place in the queue; from a client beside the service."""

import datetime
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support import ControllerSim, Server, robot, until  # noqa: E402
from support.order_history import fill, stamp  # noqa: E402

ORDERS, CONTROLLERS, CANCELLED, REPEATS = 100_000, 10, 1000, 15
EARLY, LATE = stamp(ORDERS // 10), stamp(ORDERS // 5)
LISTS = (
    {}, {"state": "interrupted"}, {"state": "queued,running"}, {"state": "done,stopped"}, {"controller": "cell-3"},
    {"controller": "cell-3", "state": "interrupted"}, {"created_after": EARLY, "created_before": LATE},
    {"finished_after": EARLY, "finished_before": LATE}, {"finished_after": EARLY, "finished_before": LATE, "state": "stopped,failed"},
    {"finished_after": stamp(0), "state": "queued"}, {"controller": "cell-3", "finished_after": EARLY, "finished_before": LATE, "state": "failed"},
    {"finished_after": EARLY, "state": "done", "sort": "-finished_at"}, {"finished_before": LATE, "sort": "finished_at", "controller": "cell-3"},
    {"job_order_id": "JO-77"}, {"job_order_id": "JO-77", "controller": "cell-3"}, {"work_master_id": "WM-3", "state": "failed"},
    {"equipment_id": "nowhere"}, {"equipment_id": "E-3", "finished_after": EARLY, "finished_before": LATE, "state": "done,failed"},
)


def lists():
    server = Server()
    server.terminate()
    fill(server.data, ORDERS)
    with server, server.restart().client(check=False) as client:
        times = {}
        for query in LISTS:
            taken = times[str(query)] = []
            for _ in range(REPEATS):
                began = time.perf_counter()
                client.get("/v1/orders", query=query).expect(200)
                taken.append(1e3 * (time.perf_counter() - began))
    medians = {query: statistics.median(taken) for query, taken in times.items()}
    worst = max(medians, key=medians.get)
    print(f"# the slowest of {len(LISTS)} lists of {ORDERS:,} orders: {worst}")
    print(f"order-list-median {statistics.median(medians.values()):.3g} ms lower")
    print(f"order-list-worst {medians[worst]:.3g} ms lower")


def cancelling():
    with Server() as server, server.client(check=False) as client:
        client.create_robot({**robot("scara"), "name": "arm"})
        order = {"to": {"q": [0.0] * 4}, "duration": 1, "objective": "smooth", "start": "on_request"}
        for cell in range(CONTROLLERS):  # nobody is there: the first order of each fails, and blocks the queue
            client.post("/v1/controllers", {"name": f"cell-{cell}", "host": "127.0.0.1", "port": 1, "robot": "arm",
                                            "profile": {"protocol": "armdyn-v2", "connect_deadline": 0.1}}).expect(201)
            client.post("/v1/orders", {**order, "controller": f"cell-{cell}"}).expect(202)
        for cell in range(CONTROLLERS):
            until(lambda cell=cell: client.get(f"/v1/controllers/cell-{cell}/queue").json["blocked"], what="a blocked queue")
        for k in range(CANCELLED):
            client.post("/v1/orders", {**order, "controller": f"cell-{k % CONTROLLERS}"}).expect(202)
        began = time.perf_counter()
        told = client.post("/v1/orders/cancel", {"state": ["accepted"]}).expect(200).json
        taken = time.perf_counter() - began
        assert told == {"cancelled": CANCELLED, "ending": 0}, told
    print(f"orders-cancelled-1000 {1e3 * taken:.3g} ms lower")


def reusing():
    def moment(text):
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))

    model = {**robot("scara"), "name": "arm"}
    with Server() as server, server.client(check=False) as client, ControllerSim(robot=model) as sim:
        client.create_robot(model)
        client.post("/v1/controllers", {"name": "cell", "host": "127.0.0.1", "port": sim.port, "robot": "arm",
                                        "profile": {"protocol": "armdyn-v2"}}).expect(201)

        def order(state, **request):
            made = client.post("/v1/orders", {"controller": "cell", "objective": "smooth", "start": "on_request", **request}).expect(202).json
            return until(lambda: (now := client.get(f"/v1/orders/{made['id']}").json)["state"] == state and now, 60, what=state)

        order("ready", to={"q": [0.02] * 4}, duration=1)
        taken = []
        for k in range(REPEATS + 1):
            again = order("queued", to={"q": [0.0] * 4}, duration=1)
            client.post(f"/v1/orders/{again['id']}/cancel").expect(202)
            states = {step["state"]: moment(step["at"]) for step in again["history"]}
            assert ("planning" in states) == (k == 0), again
            taken.append(1e3 * (states["queued"] - states["accepted"]).total_seconds())
    print(f"order-planned-again {statistics.median(taken[1:]):.3g} ms lower")


lists()
cancelling()
reusing()
