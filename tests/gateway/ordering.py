"""Orders at a controller of the other world, whose ledger is the judge of what moved."""

from cell import FINAL, LONG, Cell
from support import robot, unique_name, until

HERE, THERE = [0.0] * 4, [0.02] * 4


class Ordering(Cell):
    """A cell whose controller is ordered to move. `motion` of an order is quick to plan and to play."""

    def __init__(self, server, controller, model=None, **profile):
        super().__init__(server, controller, model or robot("scara"), **profile)

    def ask(self, headers=None, client=None, **request):
        body = {"controller": self.name, "to": {"q": THERE}, "duration": 0.2, "objective": "smooth", "start": "on_request", **request}
        return (client or self.client).post("/v1/orders", {k: v for k, v in body.items() if v is not None}, headers=headers)

    def order(self, **request):
        return self.ask(**request).expect(202).json["id"]

    def automatic(self, **request):
        return self.order(start="automatic", **request)

    def told(self, order):
        return self.client.get(f"/v1/orders/{order}").expect(200).json

    def reach_order(self, order, *states, timeout=LONG):
        now = {}

        def there():
            now.update(self.told(order))
            return now["state"] in states or now["state"] in FINAL
        until(there, timeout, 0.01, what=f"order {order} to be {states}")
        assert now["state"] in states, now
        return now

    def say(self, order, what, status=202, key=None, client=None):
        """start, hold, resume or cancel it."""
        headers = {"Idempotency-Key": key or unique_name("key")} if what in ("start", "resume") else None
        return (client or self.client).post(f"/v1/orders/{order}/{what}", headers=headers).expect(status).json

    def queue(self):
        return self.client.get(f"/v1/controllers/{self.name}/queue").expect(200).json

    def release(self, status=200, key=None):
        return self.client.post(f"/v1/controllers/{self.name}/queue/release", headers={"Idempotency-Key": key or unique_name("key")}).expect(status).json

    def blocked(self, why=""):
        """Wait until the queue is blocked; why."""
        reason = until(lambda: self.queue()["blocked"], LONG, what="a blocked queue")
        assert why in reason, reason
        return reason
