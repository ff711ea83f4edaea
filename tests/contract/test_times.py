"""Times in requests may have any offset: whichever way a moment is written, it is the same moment."""

import datetime

import pytest

from support import ControllerSim, Server, robot, unique_name

# One moment of the summer of 2026, as different clocks write it; "+" as people forget to escape it in a query is the space.
SPELT = ["2026-07-01T12:00:00Z", "2026-07-01t12:00:00.000z", "2026-07-01T14:00:00+02:00", "2026-06-30T14:00:00-22:00",
         "2026-07-01T17:45:00.00000+05:45", "2026-07-01T12:00:00-00:00"]
NO_TIMES = ["2026-07-01T12:00:00", "2026-07-01T12:00:00+2:00", "2026-07-01T12:00:00+0200", "2026-07-01T12:00:00+24:00",
            "2026-07-01 12:00:00Z", "2026-02-29T12:00:00+01:00", "1782907200", "yesterday"]


def told(seconds, hours):
    """So many seconds ahead, by a clock at this offset."""
    zone = datetime.timezone(datetime.timedelta(hours=hours))
    return (datetime.datetime.now(zone) + datetime.timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


@pytest.fixture(scope="module")
def busy():
    """A service with a job and a controller."""
    with Server(key="the-key-of-the-administrator") as server, server.client() as client, ControllerSim("--axes", "6") as sim:
        client.create_robot(robot("puma560"), name="puma560")
        client.post("/v1/robots/puma560/trajectories", {"method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 2.0},
                    headers={"Prefer": "wait=30"}).expect(200)
        client.post("/v1/controllers", {"name": "cell", "host": "127.0.0.1", "port": sim.port, "robot": "puma560",
                                        "profile": {"protocol": "armdyn-v2", "allow_start": True}}).expect(201)
        yield client


LISTS = [(path, name) for path in ("/v1/jobs", "/v1/orders", "/v1/transfers")
         for name in ("created_after", "created_before", "finished_after", "finished_before")]


@pytest.mark.parametrize("path, name", LISTS)
def test_of_lists(busy, path, name):
    for text in SPELT:
        busy.get(path, query={name: text}).expect(200)
    for text in NO_TIMES:
        assert busy.get(path, query={name: text}).expect(422).json["errors"][0]["parameter"] == name
    busy.get(path + f"?{name}=2026-07-01T14:00:00+02:00").expect(200)  # not escaped


def test_a_list_is_cut_at_the_moment_not_at_the_text(busy):
    created = datetime.datetime.fromisoformat(busy.get("/v1/jobs").expect(200).json["items"][0]["created_at"].replace("Z", "+00:00"))
    for hours in (-12, -3.5, 0, 5.75, 14):
        zone = datetime.timezone(datetime.timedelta(hours=hours))
        for seconds, count in ((-1, 1), (1, 0)):
            text = (created + datetime.timedelta(seconds=seconds)).astimezone(zone).isoformat()
            assert len(busy.get("/v1/jobs", query={"created_after": text}).expect(200).json["items"]) == count
            assert len(busy.get("/v1/jobs", query={"created_before": text}).expect(200).json["items"]) == 1 - count


def test_of_a_report(busy):
    answers = [busy.get("/v1/controllers/cell/report", query={"from": text, "to": "2026-07-01T13:00:00+00:00"}).expect(200).json for text in SPELT]
    assert {answer["from"] for answer in answers} == {"2026-07-01T12:00:00.000Z"}
    for text in NO_TIMES:
        busy.get("/v1/controllers/cell/report", query={"from": text}).expect(422)


# Bodies: path, the member, and what else is asked for.
BODIES = [("/v1/jobs/cancel", "created_after", {}), ("/v1/jobs/cancel", "created_before", {}),
          ("/v1/orders/cancel", "created_after", {}), ("/v1/orders/cancel", "created_before", {})]


@pytest.mark.parametrize("path, name, more", BODIES)
def test_of_bodies(busy, path, name, more):
    for text in SPELT:
        busy.post(path, {name: text, **more}).expect(200)
    for text in NO_TIMES:
        assert busy.post(path, {name: text, **more}).expect(422).json["errors"][0]["pointer"] == "/" + name


@pytest.mark.parametrize("hours", [-12, 0, 5.75])
def test_of_what_is_ahead(busy, hours):
    """A key's end, which is answered in UTC; the last moment of a start."""
    ends = told(3600, hours)
    key = busy.post("/v1/keys", {"name": unique_name(), "role": "admin", "expires_at": ends}).expect(201).json
    assert datetime.datetime.fromisoformat(key["expires_at"].replace("Z", "+00:00")) == datetime.datetime.fromisoformat(ends)
    assert key["expires_at"].endswith("Z")
    trajectory = busy.get("/v1/trajectories").json["items"][0]["id"]
    for seconds, status, pointer in ((-1, 409, None), (70, 422, "/start_before")):
        answer = busy.post("/v1/controllers/cell/transfers", {"trajectory": trajectory, "start": True, "start_before": told(seconds, hours)},
                           headers={"Idempotency-Key": unique_name()}).expect(status).json
        assert answer["type"] == "/problems/start-expired" if pointer is None else answer["errors"][0]["pointer"] == pointer


def test_what_was_before_all_times_cancels_nothing(busy):
    with_order = {"controller": "cell", "to": {"q": [0.1] * 6}, "duration": 2.0, "start": "on_request"}
    order = busy.post("/v1/orders", with_order).expect(202).json["id"]
    assert busy.post("/v1/orders/cancel", {"created_before": "1969-07-20T20:17:40Z"}).expect(200).json == {"cancelled": 0, "ending": 0}
    done = busy.post("/v1/orders/cancel", {"created_after": "1969-07-20T20:17:40Z"}).expect(200).json
    assert done["cancelled"] + done["ending"] == 1 and busy.get(f"/v1/orders/{order}").expect(200)
