"""Whose motion it was, and what for: told alike by order, job, transfer and telemetry, and found again by each of it."""

import pytest

from foreign.process import Foreign
from ordering import Ordering
from support import Server, unique_name, until

pytestmark = pytest.mark.slow

KEY = "0123456789abcdef0123456789abcdef"
MERGE = "application/merge-patch+json"
WHY = "\u00fc: new gripper, 2nd trial"


@pytest.fixture(scope="module")
def here():
    with Server(key=KEY) as server, Foreign("--axes", 4) as controller:
        yield Ordering(server, controller)


@pytest.fixture(scope="module")
def told(here):
    """What one order left behind: its documents by name, and how to find them."""
    name, number = unique_name("mes"), unique_name("order")
    key = here.client.post("/v1/keys", {"name": name, "role": "operator", "motion": [here.name]}).expect(201).json["secret"]
    with here.server.client(key=key) as client:
        order = here.ask(client=client, start="on_request", job_order_id=number, work_master_id="WM", equipment_id="E4", tags={"part": "A7"},
                         headers={"X-Reason": WHY.encode("utf-8").decode("latin-1")}).expect(202).json["id"]
        ready = here.reach_order(order, "ready")
        assert here.client.get(ready["transfer"]).expect(200).json["job_order_id"] == number  # while the gateway has it
        here.say(order, "start", client=client)
    order = here.reach_order(order, "done")
    transfer = here.client.get(order["transfer"]).expect(200).json
    documents = {"orders": order, "jobs": here.client.get(order["job"]).expect(200).json, "transfers": transfer,
                 "datasets": here.client.get(transfer["telemetry"]).expect(200).json}
    return documents, {"created_by": name, "reason": WHY, "job_order_id": number}


def listed(here, collection, **query):
    return [item["id"] for item in here.client.get(f"/v1/{collection}", query=query).expect(200).json["items"]]


def test_all_that_an_order_leaves_tells_whose_it_is(here, told):
    documents, account = told
    for collection, document in documents.items():
        assert {name: document[name] for name in account} == account, collection
        assert document["tags"] == {"part": "A7"} and document["equipment_id"] == "E4" and document["work_master_id"] == "WM", collection
        for condition in (account, {"q": WHY[3:]}, {"created_by": account["created_by"]}):
            assert listed(here, collection, **condition) == [document["id"]], (collection, condition)
        for name in account:
            assert listed(here, collection, **{name: "another"}) == []


def test_the_audit_trail_is_searched_by_job_order(here, told):
    documents, account = told
    number, transfer = account["job_order_id"], documents["transfers"]
    here.client.post(f"/v1/transfers/{transfer['id']}/stop").expect(200)
    here.client.post("/v1/orders/cancel", {"job_order_id": number}).expect(200)
    here.release()
    here.ask(job_order_id=number, to={"q": [99, 0, 0, 0]}, headers={"X-Reason": "too far"}).expect(422)
    page = here.client.get("/v1/audit", query={"job_order_id": number, "sort": "number"}).expect(200).json["items"]
    did = [(item["entry"]["operation"], item["entry"]["status"]) for item in page]
    assert did == [("createOrder", 202), ("startOrder", 202), ("stopTransfer", 200), ("cancelOrders", 200), ("createOrder", 422)]
    assert page[0]["entry"]["key_name"] == account["created_by"] and page[0]["entry"]["reason"] == WHY
    assert here.client.get("/v1/audit", query={"job_order_id": "another"}).expect(200).json["items"] == []


def test_what_is_written_on_the_telemetry_leaves_the_transfer_as_it_is(here, told):
    transfer, dataset = told[0]["transfers"]["id"], told[0]["datasets"]["id"]
    assert transfer == dataset  # and yet they are two
    here.client.request("PATCH", f"/v1/datasets/{dataset}", {"tags": {"part": None, "set": "training"}}, headers={"If-Match": "*"}, content_type=MERGE).expect(200)
    assert listed(here, "transfers", tag="part=A7") == [transfer] and listed(here, "transfers", tag="set=training") == []
    assert listed(here, "datasets", tag="part=A7") == [] and listed(here, "datasets", tag="set=training") == [dataset]


def test_people_say_what_came_of_the_part(here, told):
    place = f"/v1/transfers/{told[0]['transfers']['id']}"
    until(lambda: here.client.get(place).json["measured"] or here.client.get(place).json["unmeasured"], what="what was measured, which comes by itself")
    before = here.client.get(place).expect(200)
    assert before.json["verdict"] == "undecided" and before.json["notes"] == ""

    def patch(status, body, **headers):
        return here.client.request("PATCH", place, body, headers=headers, content_type=MERGE).expect(status)

    patch(428, {"verdict": "good"})
    fault = patch(422, {"verdict": "splendid", "notes": 3}, **{"If-Match": before.etag}).json["errors"]
    assert {one["pointer"] for one in fault} == {"/verdict", "/notes"}
    scrap = patch(200, {"verdict": "scrap", "notes": "gripper slipped"}, **{"If-Match": before.etag})
    assert scrap.json == {**before.json, "verdict": "scrap", "notes": "gripper slipped"}
    assert here.client.get(place).expect(200).etag == scrap.etag
    patch(412, {"verdict": "good"}, **{"If-Match": before.etag})
    ours = {"controller": here.name}
    assert listed(here, "transfers", **ours, verdict="scrap") == listed(here, "transfers", **ours, q="slipped") == [told[0]["transfers"]["id"]]
    assert listed(here, "transfers", **ours, verdict="good") == []
    assert patch(200, {"verdict": None, "notes": None}, **{"If-Match": scrap.etag}).json == before.json

    waiting = here.order()
    ready = here.reach_order(waiting, "ready")
    place = ready["transfer"]
    patch(409, {"verdict": "good"}, **{"If-Match": "*"})
    here.say(waiting, "cancel")
    here.reach_order(waiting, "stopped")
    here.release()


def test_a_reason_that_cannot_be_kept_is_refused(here):
    for reason in ("x" * 1025, "\xff"):
        wrong = here.ask(headers={"X-Reason": reason}).expect(400).json
        assert wrong["errors"][0]["header"] == "X-Reason"
    assert listed(here, "orders", reason="x" * 1024) == []
