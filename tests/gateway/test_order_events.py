"""What is told of orders: to webhooks, signed, and to streams."""

import contextlib
import sqlite3
import subprocess
import sys

import pytest

from foreign.process import Foreign
from ordering import HERE, THERE, Ordering
from support import ROOT, ControllerSim, Server, contract, robot, unique_name, until
from support.events import EventStream
from support.process import free_port
from support.receiver import Receiver, signature

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "examples/orders/order_4711.py"
MESSAGE, EVENT = "#/components/schemas/OrderMessage", "#/components/schemas/Event"


@pytest.fixture
def here(telling):
    with Foreign("--axes", 4) as controller:
        yield Ordering(telling, controller)


def register(here, receiver, *events):
    """The callback of an order, and the secret."""
    made = here.client.post("/v1/webhooks", {"name": unique_name("hook"), "url": receiver.url}).expect(201).json
    return {"webhook": made["name"], **({"events": list(events)} if events else {})}, made["secret"]


def deliveries(here, order):
    return here.client.get(f"/v1/orders/{order}/deliveries").expect(200).json["items"]


def told(here, order, count):
    until(lambda: [d["state"] for d in deliveries(here, order)] == ["delivered"] * count, what=f"{count} messages of {order}")
    return deliveries(here, order)


def test_every_state_that_was_asked_for_is_told_and_signed(here):
    with Receiver() as receiver:
        callback, secret = register(here, receiver, "accepted", "ready", "running", "held", "done")
        order = here.order(to={"q": THERE}, duration=1, callback=callback, job_order_id="4711")
        here.reach_order(order, "ready")
        here.say(order, "start")
        here.reach_order(order, "running")
        here.say(order, "hold")
        here.reach_order(order, "held")
        here.say(order, "resume")
        done = here.reach_order(order, "done")
        events = ["accepted", "ready", "running", "held", "running", "done"]
        ends = told(here, order, len(events))
        assert [end["event"] for end in ends] == events and {end["order"] for end in ends} == {order}
        messages = receiver.documents()
        assert [message["type"] for message in messages] == [f"order.{event}" for event in events]
        for message, (headers, body) in zip(messages, receiver.messages):
            assert contract.explain(MESSAGE, message) == "" and message["data"]["id"] == order
            assert headers["webhook-signature"] == signature(secret, headers, body)
        at = iter(done["history"])
        assert all(any((step["state"], step["at"]) == (event, message["timestamp"]) for step in at) for event, message in zip(events, messages))
        sums = {"measured": None, "unmeasured": None}  # they come moments after the end
        assert {**messages[-1]["data"], **sums} == {**here.told(order), **sums} and done["request"]["callback"] == callback
        ids = [headers["webhook-id"] for headers, _ in receiver.messages]
        assert ids == [f"msg_{order}-{k + 1}" for k in range(len(events))]
        here.client.post(f"/v1/orders/{order}/deliveries").expect(202)
        until(lambda: len(receiver.messages) == 2 * len(events), what="all of them again")
        assert [headers["webhook-id"] for headers, _ in receiver.messages[len(events):]] == ids
    here.release()


def test_that_it_is_measured_is_told_once_after_its_end(here):
    with Receiver() as receiver:
        callback, secret = register(here, receiver, "done", "measured")
        done = here.automatic(to={"q": THERE}, callback=callback, job_order_id="4711")
        unmoved = here.order(to={"q": HERE}, callback=callback)
        assert [end["event"] for end in told(here, done, 2)] == ["done", "measured"]
        messages = [(head, body, message) for (head, body), message in zip(receiver.messages, receiver.documents()) if message["data"]["id"] == done]
        assert [message["type"] for _, _, message in messages] == ["order.done", "order.measured"]
        headers, body, message = messages[-1]
        assert contract.explain(MESSAGE, message) == "" and headers["webhook-signature"] == signature(secret, headers, body)
        assert message["data"] == here.told(done) and message["data"]["measured"]["samples"] > 1
        here.reach_order(unmoved, "ready")
        here.say(unmoved, "cancel")
        assert [end["event"] for end in told(here, unmoved, 1)] == ["measured"]
        for order, end, why in ((done, "order.done", None), (unmoved, "order.stopped", here.told(unmoved)["unmeasured"])):
            log = here.client.get("/v1/events/log", query={"order": order}).expect(200).json["items"]
            assert [event["type"] for event in log][-2:] == [end, "order.measured"] and [event["type"] for event in log].count("order.measured") == 1
            assert {**log[-1], "number": 0, "at": "", "type": "", "text": ""} == {**log[-2], "number": 0, "at": "", "type": "", "text": ""}
            assert log[-1]["text"] == why and log[-1]["at"] >= log[-2]["at"] and contract.explain(EVENT, log[-1]) == ""
        assert [d["type"] for d in receiver.documents()].count("order.measured") == 2


def test_that_it_is_measured_is_told_after_a_kill_before_the_sum():
    """Whenever that comes: one at the moment of the end, and one whose sum is taken back with all that was told of it."""
    with Server("--webhook-networks", "127.0.0.0/8") as own, Foreign("--axes", 4) as controller, Receiver() as receiver:
        here = Ordering(own, controller)
        callback, _ = register(here, receiver, "measured")

        def measured(order):
            log = until(lambda: here.client.get("/v1/events/log", query={"order": order, "type": "order.measured"}).expect(200).json["items"],
                        what="the sum of an order")
            told(here, order, 1)
            return log
        first = here.automatic(callback=callback)
        here.reach_order(first, "done")
        own.restart(kill=True)
        here.client = own.client()
        measured(first)
        here.release()
        second = here.automatic(to={"q": HERE}, callback=callback)
        measured(second)
        here.client.close()
        own.terminate()
        with contextlib.closing(sqlite3.connect(own.database)) as db, db:
            db.execute("UPDATE transfers SET measured = NULL, unmeasured = NULL")
            db.execute("DELETE FROM events WHERE type = 'order.measured'")
            db.execute("DELETE FROM deliveries")
        own.start()
        here.client = own.client()
        assert [len(measured(order)) for order in (first, second)] == [1, 1]
        assert here.told(second)["measured"]


def test_the_end_alone_is_told_unless_more_is_asked_for(here):
    with Receiver() as receiver:
        callback, _ = register(here, receiver)
        stopped, failed = here.order(callback=callback), here.automatic(callback=callback, expires_within=0.05, duration=0.3)
        here.reach_order(failed, "failed")
        here.say(stopped, "cancel")
        here.reach_order(stopped, "stopped")
        for order, event in ((stopped, "stopped"), (failed, "failed")):
            assert [end["event"] for end in told(here, order, 1)] == [event]
        assert sorted(message["type"] for message in receiver.documents()) == ["order.failed", "order.stopped"]
    silent = here.order()
    assert deliveries(here, silent) == [] and here.client.post(f"/v1/orders/{silent}/deliveries").status == 404
    here.say(silent, "cancel")


def test_who_cannot_be_told_is_refused(here):
    def pointers(callback):
        return [fault["pointer"] for fault in here.ask(callback=callback).expect(422).json["errors"]]
    assert pointers({"webhook": "nobody"}) == ["/callback/webhook"]
    assert pointers({"webhook": "nobody", "events": ["ready", "planned"]}) == ["/callback/events/1"]
    assert pointers({"webhook": "nobody", "events": "ready"}) == ["/callback/events"]
    assert pointers({"events": []}) == ["/callback/webhook"]


def test_what_was_not_taken_is_told_after_a_new_start():
    with Server("--webhook-networks", "127.0.0.0/8", "--webhook-retry", 1) as own, Foreign("--axes", 4) as controller:
        here = Ordering(own, controller)
        port = free_port()
        name = here.client.post("/v1/webhooks", {"name": "mes", "url": f"http://127.0.0.1:{port}/"}).expect(201).json["name"]
        order = here.automatic(callback={"webhook": name})
        here.reach_order(order, "done")
        until(lambda: deliveries(here, order)[0]["attempts"], what="an attempt")
        own.restart(kill=True)
        here.client = own.client()
        with Receiver() as receiver:
            hook = here.client.get(f"/v1/webhooks/{name}").expect(200)
            here.client.put(f"/v1/webhooks/{name}", {**hook.json, "url": receiver.url}, headers={"If-Match": hook.etag}).expect(200)
            told(here, order, 1)
            assert [message["type"] for message in receiver.documents()] == ["order.done"]


def test_a_stream_tells_orders_and_their_queue(here):
    with EventStream(here.server, f"/v1/controllers/{here.name}/events") as stream:
        snapshot = stream.next().data
        assert snapshot["orders"] == [] and snapshot["queues"] == []
        order = here.order(to={"q": HERE})
        events = stream.until(lambda event: event.name == "order" and event.data["state"] == "ready")
        assert {event.data["id"] for event in events if event.name == "order"} == {order}
        if [order] not in [event.data["orders"] for event in events if event.name == "queue"]:
            stream.until(lambda event: event.name == "queue" and event.data["orders"] == [order])
        here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)
        queue = stream.until(lambda event: event.name == "queue" and event.data["blocked"] and not event.data["count"])[-1].data
        assert {**queue, "blocked": True} == {**here.queue(), "blocked": True}
        here.release()
        assert stream.until(lambda event: event.name == "queue" and not event.data["blocked"])[-1].data["controller"] == here.name
        second = here.order(to={"q": HERE})
        here.reach_order(second, "ready")
        with EventStream(here.server, f"/v1/controllers/{here.name}/events") as another:
            snapshot = another.next().data
            assert [one["id"] for one in snapshot["orders"]] == [second] == snapshot["queues"][0]["orders"]


def test_order_4711_in_one_post_and_one_webhook():
    """From an empty service that three calls set up, in 15 lines of Python's standard library."""
    assert len(EXAMPLE.read_text().splitlines()) <= 15
    model = {**robot("scara"), "name": "arm"}
    model["joints"] = model["joints"][:2]
    with Server("--webhook-networks", "127.0.0.0/8") as own, ControllerSim(robot=model) as sim, own.client() as client:
        address = f"127.0.0.1:{free_port()}"
        client.post("/v1/robots", model).expect(201)
        client.post("/v1/controllers", {"name": "cell-1", "robot": "arm", "host": "127.0.0.1", "port": sim.port,
                                        "profile": {"protocol": "armdyn-v2", "allow_start": True}}).expect(201)
        secret = client.post("/v1/webhooks", {"name": "mes", "url": f"http://{address}/"}).expect(201).json["secret"]
        done = subprocess.run([sys.executable, EXAMPLE, own.url, address, secret], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout) == (0, "4711 order.done\n"), done.stderr
        (order,) = client.get("/v1/orders", query={"job_order_id": "4711"}).expect(200).json["items"]
        assert order["state"] == "done"
