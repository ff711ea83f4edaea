"""Every call that lets an arm move asks for that right, whatever the role."""

import pytest

from cell import LONG, Cell, puma, soon
from support import Server, unique_name, until
from support.rights import unsafe

pytestmark = pytest.mark.same_threads


def test_whoever_may_not_move_it_moves_nothing():
    with puma() as sim, Server() as server:
        here = Cell(server, sim)
        trajectory = here.trajectory(duration=2.5)
        with server.client() as anybody:
            admin = anybody.post("/v1/keys", {"name": "admin", "role": "admin"}).expect(201).json["secret"]
        with server.client(key=admin) as client:
            keys = {name: client.post("/v1/keys", {"name": name, "role": "operator", "motion": motion}).expect(201).json["secret"]
                    for name, motion in (("mover", [here.name]), ("operator", []), ("elsewhere", ["other-cell"]))}
        refused = set()

        def refuse(path, body=None, method="POST", **names):
            for key in (admin, keys["operator"], keys["elsewhere"]):
                with server.client(key=key, check=False) as client:
                    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
                    answer = client.request(method, path.format(**names), body, headers={"Idempotency-Key": unique_name()}, content_type=kind)
                    assert (answer.status, answer.json["type"]) == (403, "/problems/motion-forbidden"), (path, answer.json)
            refused.add((method, path))

        here.client = server.client(key=keys["mover"])
        refuse("/v1/controllers/{controller}/transfers", {"trajectory": trajectory, "start": True, "start_before": soon()},
               controller=here.name)
        refuse("/v1/controllers/{controller}/part", {"part": None}, method="PUT", controller=here.name)
        transfer = here.loaded(trajectory)
        refuse("/v1/transfers/{transfer}/arm", transfer=transfer)
        here.arm(transfer)
        refuse("/v1/transfers/{transfer}/start", {"start_before": soon()}, transfer=transfer)
        here.start(transfer).expect(202)
        here.reach(transfer, "playing")
        with server.client(key=keys["operator"]) as client:  # that stops it, which is no motion
            client.post(f"/v1/transfers/{transfer}/hold").expect(202)
        here.reach(transfer, "holding")
        refuse("/v1/transfers/{transfer}/resume", transfer=transfer)
        here.client.post(f"/v1/transfers/{transfer}/resume", headers={"Idempotency-Key": unique_name()}).expect(202)
        here.reach(transfer, "done")
        there = here.client.get(f"/v1/trajectories/{trajectory}").expect(200).json["request"]["start"]
        motion = {"controller": here.name, "to": there, "duration": 2.5, "objective": "smooth", "start": "on_request"}
        refuse("/v1/orders", motion)
        order = here.client.post("/v1/orders", motion).expect(202).json["id"]

        def told(*states):
            return until(lambda: here.client.get(f"/v1/orders/{order}").expect(200).json["state"] in states, LONG, what=f"an order that is {states}")
        told("ready")
        refuse("/v1/orders/{order}", {"priority": 1}, method="PATCH", order=order)
        refuse("/v1/orders/{order}/start", order=order)
        here.client.post(f"/v1/orders/{order}/start", headers={"Idempotency-Key": unique_name()}).expect(202)
        told("running")
        with server.client(key=keys["operator"]) as client:
            client.post(f"/v1/orders/{order}/hold").expect(202)
        told("held")
        refuse("/v1/orders/{order}/resume", order=order)
        with server.client(key=keys["operator"]) as client:
            client.post(f"/v1/orders/{order}/cancel").expect(202)
        told("stopped")
        refuse("/v1/controllers/{controller}/queue/release", controller=here.name)
        assert refused == {call for call, (_, moves) in unsafe().items() if moves}
