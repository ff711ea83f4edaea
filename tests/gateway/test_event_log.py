"""The log of events: what was missed is read there, over kills of the service; and webhooks that are told of controllers."""

import contextlib
import itertools
import sqlite3

import pytest

from foreign.process import Foreign
from ordering import THERE, Ordering
from support import ControllerSim, Server, contract, robot, unique_name, until
from support.receiver import Receiver, signature

pytestmark = pytest.mark.slow
EVENT, MESSAGE = "#/components/schemas/Event", "#/components/schemas/EventMessage"


def events(client, **query):
    return client.get("/v1/events/log", query=query).expect(200).json["items"]


def last(client):
    """The number of the last event."""
    newest = events(client, sort="-number", limit=1)
    return newest[0]["number"] if newest else 0


def test_a_type_that_there_is_not_is_no_empty_list(server):
    with server.client() as client:
        for wrong, word in (("order.finished", "order.finished"), ("order.done,queue", "queue"), ("order.done,", ""), ("", "")):
            (fault,) = client.get("/v1/events/log", query={"type": wrong}).expect(422).json["errors"]
            assert fault["parameter"] == "type" and fault["detail"].endswith(f"there is no type '{word}'")


def test_what_was_missed_is_read_in_order_over_a_kill():
    with Server() as own, Foreign("--axes", 4) as controller:
        here = Ordering(own, controller)
        before = last(here.client)
        order = here.order(to={"q": THERE}, job_order_id="4711")
        here.reach_order(order, "ready")
        here.say(order, "start")
        done = here.reach_order(order, "done")
        told = [event for event in events(here.client, after=before, order=order) if event["type"] != "order.measured"]  # which comes when it comes
        steps = [next(same) for _, same in itertools.groupby(done["history"], lambda step: step["state"])]  # ready: its start was asked for
        states = [f"order.{step['state']}" for step in steps]
        assert [event["type"] for event in told] == states and told[-1]["type"] == "order.done"
        assert [event["at"] for event in told] == [step["at"] for step in steps]
        assert {event["job_order_id"] for event in told} == {"4711"} and {event["controller"] for event in told} == {here.name}
        assert done["transfer"].endswith(f"/{told[-1]['transfer']}") and [event for event in told if contract.explain(EVENT, event)] == []
        everything = events(here.client)
        numbers = [event["number"] for event in everything]
        assert numbers == list(range(1, len(numbers) + 1)) and {"job.succeeded", "transfer.done"} <= {event["type"] for event in everything}
        own.restart(kill=True)
        with own.client() as client:
            until(lambda: events(client, type="alarm.raised", controller=here.name), what="the alarm of the blocked queue")
            kept = events(client)
            assert kept[:len(numbers)] == everything
            (blocked,) = [event for event in kept[len(numbers):] if event["type"] == "queue.blocked"]
            assert blocked["controller"] == here.name and blocked["text"] == "the service was started anew"
            pages, cursor = [], None
            while not pages or cursor:
                page = client.get("/v1/events/log", query={"limit": 3, **({"cursor": cursor} if cursor else {})}).expect(200).json
                pages, cursor = pages + page["items"], page["next_cursor"]
            assert pages == kept
            assert [event["number"] for event in events(client, after=numbers[-1], type="queue.blocked,queue.released")] == [blocked["number"]]
            client.post(f"/v1/controllers/{here.name}/queue/release", headers={"Idempotency-Key": "1"}).expect(200)
        own.kill()
        with contextlib.closing(sqlite3.connect(own.database)) as store, store:
            store.execute("UPDATE sqlite_sequence SET seq = 199999 WHERE name = 'events'")  # as if so many had come
        own.restart()
        with own.client() as client:
            assert [(event["number"], event["type"]) for event in events(client) if not event["alarm"]] == [(200000, "queue.blocked")]


@pytest.mark.parametrize("query,parameter", [({"after": "x"}, "after"), ({"after": -1}, "after"), ({"type": "order ready"}, "type"), ({"sort": "at"}, "sort")])
def test_what_cannot_be_asked_is_refused(telling, query, parameter):
    with telling.client() as client:
        (fault,) = client.get("/v1/events/log", query=query).expect(422).json["errors"]
        assert fault["parameter"] == parameter


def test_a_controller_that_is_lost_and_back_is_told_once_each(telling):
    with Receiver() as receiver, telling.client() as client, ControllerSim(robot=robot("scara")) as sim:
        arm, cell = client.create_robot(robot("scara")).json["name"], unique_name("cell")
        client.post("/v1/controllers", {"name": cell, "robot": arm, "host": "127.0.0.1", "port": sim.port,
                                        "profile": {"protocol": "armdyn-v2", "connect_deadline": 0.2}}).expect(201)
        kinds = ["controller.lost", "controller.back"]
        hook = client.post("/v1/webhooks", {"name": unique_name("hook"), "url": receiver.url, "events": kinds}).expect(201).json
        assert hook["events"] == kinds
        port = sim.port
        until(lambda: client.get(f"/v1/controllers/{cell}/status").expect(200).json["connected"], what="a controller")

        def mine():
            return [message for message in receiver.documents() if message["data"]["controller"] == cell]
        sim.kill()
        until(lambda: [message["type"] for message in mine()] == kinds[:1], what="that it was lost")
        with ControllerSim(robot=robot("scara"), listen=f"127.0.0.1:{port}"):
            until(lambda: [message["type"] for message in mine()] == kinds, what="that it is back")
        for message, (headers, body) in zip(receiver.documents(), receiver.messages):
            assert contract.explain(MESSAGE, message) == "" and headers["webhook-signature"] == signature(hook["secret"], headers, body)
        assert [event["type"] for event in events(client, controller=cell, type=",".join(kinds))] == kinds
        client.delete(f"/v1/webhooks/{hook['name']}", headers={"If-Match": "*"}).expect(204)
