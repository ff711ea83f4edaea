"""Ends of transfers are told to the webhook that their request names, signed as Standard Webhooks say."""

import os
import signal

import pytest

from cell import Cell, puma
from support import Server, unique_name, until
from support.receiver import Receiver, signature

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def here(telling):
    with puma() as sim:
        yield Cell(telling, sim, connect_deadline=0.3)


def register(here, receiver):
    """Callback and secret of a new webhook."""
    made = here.client.post("/v1/webhooks", {"name": unique_name("hook"), "url": receiver.url}).expect(201).json
    return {"webhook": made["name"]}, made["secret"]


SUMS = {"measured": None, "unmeasured": None}  # what comes moments after the end


def delivered(here, transfer):
    def end():
        items = here.client.get(f"/v1/transfers/{transfer}/deliveries").expect(200).json["items"]
        return items and items[0]["state"] == "delivered" and items[0]
    return until(end, what=f"transfer {transfer} to be told")


def test_a_motion_that_was_played_is_told_and_signed(here):
    with Receiver() as receiver:
        callback, secret = register(here, receiver)
        transfer = here.playing(here.trajectory(duration=0.6), callback=callback, headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"})
        here.reach(transfer, "done")
        end = delivered(here, transfer)
        assert (end["job"], end["transfer"], end["attempts"], end["http_status"]) == (None, transfer, 1, 200)
        (headers, body), = receiver.messages
        now = {**here.get(transfer), **SUMS}
        document, = receiver.documents()
        assert {**document, "data": {**document["data"], **SUMS}} == {"type": "transfer.done", "timestamp": now["finished_at"], "data": now}
        assert now["request"]["callback"] == callback and now["telemetry"]
        assert headers["webhook-id"] == f"msg_{transfer}" and TRACE in headers["traceparent"]
        assert headers["webhook-signature"] == signature(secret, headers, body)
        here.client.post(f"/v1/transfers/{transfer}/deliveries").expect(202)
        until(lambda: len(receiver.messages) == 2)
    assert receiver.messages[1][0]["webhook-id"] == headers["webhook-id"]
    assert {**receiver.documents()[1]["data"], **SUMS} == now
    assert here.client.get(f"/v1/jobs/{transfer}/deliveries").expect(404)
    assert here.client.post(f"/v1/jobs/{transfer}/deliveries").expect(404)


def test_every_end_is_told(here):
    """Stopped by somebody; failed, for the simulator is another's; interrupted, for the gateway is killed."""
    with Receiver() as receiver:
        callback, _ = register(here, receiver)
        motion = here.trajectory()
        stopped = here.loaded(motion, callback=callback)
        here.client.post(f"/v1/transfers/{stopped}/stop").expect(200)
        delivered(here, stopped)
        lost = here.loaded(motion, callback=callback)
        (gateway,) = here.server.children("gateway")
        os.kill(gateway, signal.SIGKILL)
        delivered(here, lost)
        here.sim.terminate()
        until(lambda: here.client.get("/readyz").status == 200)
        failed = here.transfer(motion, callback=callback).expect(202).json["id"]
        delivered(here, failed)
    assert [(d["type"], d["data"]["id"], d["data"]["state"]) for d in receiver.documents()] == [
        ("transfer.stopped", stopped, "stopped"), ("transfer.interrupted", lost, "interrupted"), ("transfer.failed", failed, "failed")]


def test_whom_nobody_knows_is_refused_and_who_is_not_named_hears_nothing(here):
    motion = here.trajectory()
    refused = here.transfer(motion, callback={"webhook": "nobody"}).expect(422).json
    assert refused["errors"][0]["pointer"] == "/callback/webhook"
    refused = here.transfer(motion, callback={"url": "http://127.0.0.1:9/"}).expect(422).json
    assert {error["pointer"] for error in refused["errors"]} == {"/callback/url", "/callback/webhook"}
    quiet = here.loaded(motion, callback=None)
    assert "callback" not in here.get(quiet)["request"]
    here.client.post(f"/v1/transfers/{quiet}/stop").expect(200)
    here.reach(quiet, "stopped")
    assert here.client.get(f"/v1/transfers/{quiet}/deliveries").expect(200).json == {"items": [], "next_cursor": None}
    here.client.post(f"/v1/transfers/{quiet}/deliveries").expect(404)
