"""Controllers with registers of their own and four handshakes, which see those registers once a cycle: they are of another world
(tests/gateway/foreign), and described by the examples that are shipped."""

import copy
import json
import os
import random
import struct

import pytest

from cell import FINAL, GOAL, LONG, ZERO, float32, soon
from foreign.process import Foreign
from support import ROOT, Server, robot, unique_name, until

pytestmark = pytest.mark.same_threads

EXAMPLES = {"codesys": "codesys-float-cdab", "festo": "festo-like-orders", "toggle": "toggle-bit", "mailbox": "mailbox"}
RATES = {"codesys": [40, 50, 80, 100, 125, 200, 250], "festo": [100], "toggle": [50, 100, 200], "mailbox": [10, 20]}
SCAN = 20  # ms


class Tables(Foreign):
    module = "foreign.tables"

    def told(self):
        """End it; what it accepted and started."""
        if self.running:
            self.terminate()
        (line,) = (line for line in self.log_path.read_text().splitlines() if line.startswith('{"accepted"'))
        return json.loads(line)


def entry(kind, port=1, **profile):
    document = json.loads((ROOT / f"deploy/controllers/{EXAMPLES[kind]}.json").read_text())
    document["profile"].update(profile)
    return {**document, "host": "127.0.0.1", "port": port}


class Arm:
    """A robot on a server, its motion, and controllers for it."""

    def __init__(self, server):
        self.client = server.client()
        self.robot = unique_name("puma")
        self.client.create_robot(robot("puma560"), name=self.robot)
        request = {"method": "quintic", "start": {"q": ZERO}, "goal": {"q": GOAL}, "duration": 1}
        job = self.client.wait_job(self.client.post(f"/v1/robots/{self.robot}/trajectories", request, headers={"Prefer": "wait=30"}))
        self.motion = job["result"]["href"].rsplit("/", 1)[1]

    def controller(self, document):
        document = {**document, "name": unique_name("cell"), "robot": self.robot}
        return self.client.post("/v1/controllers", document)

    def add(self, kind, device, **profile):
        return self.controller(entry(kind, device.port, **profile)).expect(201).json["name"]

    def send(self, cell, **request):
        body = {"trajectory": self.motion, **request}
        return self.client.post(f"/v1/controllers/{cell}/transfers", body, headers={"Idempotency-Key": unique_name("key")})

    def reach(self, transfer, state):
        now = {}

        def there():
            now.update(self.client.get(f"/v1/transfers/{transfer}").expect(200).json)
            return now["state"] in (state, *FINAL)
        until(there, LONG, what=f"transfer {transfer} to be {state}")
        assert now["state"] == state, now
        return now

    def stop(self, transfer):
        self.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
        self.reach(transfer, "stopped")

    def samples(self, rate):
        return self.client.get(f"/v1/trajectories/{self.motion}/samples?rate={rate}").expect(200).json


@pytest.fixture(scope="module")
def arm():
    with Server() as server:
        yield Arm(server)


def words(number, column):
    """By the manual: scaled, rounded, and in the order of the map."""
    raw = float32(number) / column.get("scale", 1)
    if column["type"] == "float32":
        data = struct.pack(">f", raw)
    else:
        data = struct.pack({"int32": ">i", "int16": ">h"}[column["type"]], round(raw))
    found = list(struct.unpack(f">{len(data) // 2}H", data))
    return found[::-1] if column.get("word_order") == "CDAB" else found


def expected(kind, samples):
    points = entry(kind)["profile"]["map"]["points"]
    names = {"position": "q", "velocity": "qd", "torque": "tau"}
    order = sorted(points["columns"], key=lambda c: (c.get("table", 0), c["at"]))
    return [[word for c in order for word in words(samples[names[c["quantity"]]][k][c["axis"] - 1], c)] for k in range(len(samples["t"]))]


@pytest.mark.parametrize("kind, downloads", [("codesys", 6), ("festo", 2), ("toggle", 3), ("mailbox", 2)])
def test_downloads_are_bit_exact(arm, kind, downloads):
    """One after the other onto the same controller, as many as are asked for in a campaign."""
    chosen = random.Random(16)
    if os.environ.get("ARMDYN_SOAK"):
        downloads = {"codesys": 200, "festo": 30, "toggle": 30, "mailbox": 5}[kind]
    with Tables(kind, "--scan", SCAN) as device:
        cell, rates = arm.add(kind, device), []
        for _ in range(downloads):
            rates.append(chosen.choice(RATES[kind]))
            transfer = arm.send(cell, rate=rates[-1]).expect(202).json["id"]
            arm.reach(transfer, "ready")
            arm.stop(transfer)
        told = device.told()
    assert told["started"] == 0 and len(told["accepted"]) == downloads
    for rate, held in zip(rates, told["accepted"]):
        assert held["period_us"] == round(1e6 / rate)
        assert held["points"] == expected(kind, arm.samples(rate))


@pytest.mark.sampled
@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_whole_motion(arm, kind):
    """What the map can prove, this service may start; the controller's own clock plays it."""
    with Tables(kind, "--scan", 5) as device:
        cell = arm.add(kind, device, allow_start=True)
        transfer = arm.send(cell, rate=RATES[kind][0], start=True, start_before=soon()).expect(202).json["id"]
        end = arm.reach(transfer, "done")
        assert [step["state"] for step in end["history"]][-3:] == ["armed", "playing", "done"]
        told = device.told()
        assert told["started"] == 1 and len(told["accepted"]) == 1


def test_a_motion_is_stopped(arm):
    with Tables("festo", "--scan", 5, "--pace", 0.01) as device:
        transfer = arm.send(arm.add("festo", device, allow_start=True), rate=100, start=True, start_before=soon()).expect(202).json["id"]
        arm.reach(transfer, "playing")
        arm.stop(transfer)
        told = device.told()
        assert told["started"] == told["stopped"] == 1


def test_what_is_lost_in_the_controller_is_never_ready(arm):
    """Its acknowledgements come, and its program took nothing: the count says so."""
    with Tables("codesys", "--lose-pages") as device:
        end = arm.reach(arm.send(arm.add("codesys", device)).expect(202).json["id"], "failed")
        assert end["problem"]["type"] == "/problems/controller-refused" and "status = 1" in end["problem"]["detail"]
        assert device.told()["accepted"] == []


def test_what_is_not_there_any_more_is_not_started(arm):
    """The controller started anew behind its Modbus server: its registers are zero, and the table is read before START."""
    with Tables("toggle", "--restart-after", 1) as device:
        end = arm.reach(arm.send(arm.add("toggle", device, allow_start=True), start=True, start_before=soon()).expect(202).json["id"], "failed")
        assert end["problem"]["type"] == "/problems/controller-refused"
        assert device.told()["started"] == 0


def without(document, *way):
    document = copy.deepcopy(document)
    at = document["profile"]["map"]
    for part in way[:-1]:
        at = at[part]
    del at[way[-1]]
    return document


@pytest.mark.parametrize("kind", EXAMPLES)
def test_pages_without_acknowledgement_are_refused(arm, kind):
    blind = entry(kind)
    blind["profile"]["map"]["commands"]["page"] = [step for step in blind["profile"]["map"]["commands"]["page"] if step["do"] != "wait"]
    answer = arm.controller(blind)
    assert answer.status == 422
    assert [error["pointer"] for error in answer.json["errors"]] == ["/profile/map/commands/page"]
    assert "acknowledgement" in answer.json["errors"][0]["detail"]


@pytest.mark.parametrize("way", [("points", "verify"), ("points", "count_field"), ("points", "period_field")])
def test_a_map_that_proves_nothing_is_refused_or_named_so(arm, way):
    bare = without(entry("toggle"), *way)
    answer = arm.controller(bare)
    assert answer.status == 422 and [error["pointer"] for error in answer.json["errors"]] == ["/profile/map/" + "/".join(way)]
    bare["profile"]["map"]["unverified"] = True
    bare["profile"]["allow_start"] = True
    answer = arm.controller(bare)
    assert answer.status == 422 and [error["pointer"] for error in answer.json["errors"]] == ["/profile/allow_start"]
    bare["profile"]["allow_start"] = False
    assert arm.controller(bare).expect(201).json["profile"]["map"]["unverified"] is True


def test_an_unverified_transfer_says_so(arm):
    with Tables("toggle", "--scan", 5) as device:
        bare = without(entry("toggle", device.port), "points", "verify")
        bare["profile"]["map"]["unverified"] = True
        cell = arm.controller(bare).expect(201).json["name"]
        transfer = arm.send(cell, rate=100).expect(202).json["id"]
        assert "unverified" in arm.reach(transfer, "ready")["history"][-1]["reason"]
        answer = arm.client.post(f"/v1/transfers/{transfer}/start", {"start_before": soon()}, headers={"Idempotency-Key": transfer})
        assert answer.status == 409
        arm.stop(transfer)


def test_an_acknowledgement_that_was_there_before_is_none(arm):
    """A map that waits for what its controller says already: the page is not taken for acknowledged."""
    stale = entry("codesys")
    stale["profile"]["map"]["commands"]["page"] = [{"field": "page-number", "value": "page"}, {"do": "wait", "field": "page-taken", "equal_to": 0, "timeout_ms": 300}]
    with Tables("codesys", "--scan", 5) as device:
        cell = arm.controller({**stale, "port": device.port}).expect(201).json["name"]
        end = arm.reach(arm.send(cell).expect(202).json["id"], "failed")
        assert "before it was asked for" in end["problem"]["detail"]


def test_a_period_that_the_controller_does_not_have_is_refused(arm):
    with Tables("festo", "--scan", 5) as device:
        end = arm.reach(arm.send(arm.add("festo", device), rate=125).expect(202).json["id"], "failed")
        assert "cycle = 0.008 is told" in end["problem"]["detail"]


def test_a_dry_run_shows_the_steps(arm):
    cell = arm.controller(entry("toggle")).expect(201).json["name"]
    steps = arm.client.post(f"/v1/controllers/{cell}/dry-run", {"trajectory": arm.motion, "rate": 10}).expect(200).json["writes"]
    assert [step["step"] for step in steps[:4]] == ["write", "write", "toggle", "wait"]
    toggle, wait = steps[2:4]
    assert (toggle["function"], toggle["mask"], toggle["words"]) == (6, 2, []) and (wait["function"], wait["timeout_ms"]) == (3, 2000)
    assert wait["what"] == "wait until new-seen = the toggled value"
    cell = arm.controller(entry("mailbox")).expect(201).json["name"]
    steps = arm.client.post(f"/v1/controllers/{cell}/dry-run", {"trajectory": arm.motion, "rate": 10}).expect(200).json["writes"]
    assert {step["function"] for step in steps if step["step"] == "write"} == {6}  # register by register


def test_a_map_of_the_former_shape(arm):
    """One write after all points is the same step today; one after each page acknowledges nothing."""
    former = without(entry("toggle"), "commands", "begin")
    map = former["profile"]["map"]
    map["points"]["trigger"] = {"field": "loaded", "value": 1}
    map["points"]["page_trigger"] = {"field": "page", "value": 1}
    del map["commands"]["page"], map["commands"]["commit"]
    answer = arm.controller(former)
    assert answer.status == 422 and [error["pointer"] for error in answer.json["errors"]] == ["/profile/map/commands/page"]
    for name in ("index_field", "page_count_field", "page_trigger"):
        del map["points"][name]
    made = arm.controller(former).expect(201).json["profile"]["map"]
    assert "trigger" not in made["points"]
    assert made["commands"]["commit"] == {"do": "write", "field": "loaded", "value": 1}


@pytest.mark.parametrize("at, value, pointer, code", [
    ("/commands/page/0/do", "shake", "/commands/page/0/do", "enum"), ("/commands/page/0/field", "nobody", "/commands/page/0/field", "inconsistent"),
    ("/commands/page/1/equal_to", None, "/commands/page/1/equal_to", "required"), ("/commands/page/1/value", 1, "/commands/page/1/value", "unsupported"),
    ("/commands/page/1/equal_to", "pages", "/commands/page/1/equal_to", "enum"), ("/commands/stop", {"field": "run", "value": "page"}, "/commands/stop/value", "inconsistent"),
    ("/commands/stop", {"field": "run", "value": "points"}, "/commands/stop/value", "inconsistent"),
    ("/commands/stop", {"field": "run", "value": "toggled"}, "/commands/stop/value", "inconsistent"),
    ("/commands/page/0/field", "page-points", "/commands/page/0/field", "inconsistent"), ("/commands/page/1/timeout_ms", 60001, "/commands/page/1/timeout_ms", "maximum"),
    ("/commands/stop", {"do": "pulse", "field": "run", "value": 1, "hold_ms": 99}, "/commands/stop/hold_ms", "minimum"),
    ("/commands/stop", {"do": "pulse", "field": "run"}, "/commands/stop/value", "required"), ("/fields/0/mask", 65536, "/fields/0/mask", "maximum"),
    ("/fields/0/access", "write", "/fields/0/mask", "inconsistent"), ("/fields/0/type", "int16", "/fields/0/mask", "inconsistent"),
    ("/points/tables", [{"address": 100, "stride": 24}], "/points/address", "unsupported"), ("/points/stride", None, "/points/stride", "required"),
    ("/points/columns/0/table", 1, "/points/columns/0/table", "maximum"), ("/writes", "twice", "/writes", "enum"),
])
def test_faults_of_steps(arm, at, value, pointer, code):
    document = entry("toggle")
    *way, last = [int(part) if part.isdigit() else part for part in at.split("/")[1:]]
    place = document["profile"]["map"]
    for part in way:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    answer = arm.controller(document)
    assert answer.status == 422, answer
    faults = {error["pointer"]: error["code"] for error in answer.json["errors"]}
    assert faults.get("/profile/map" + pointer) == code, answer.json


def test_the_former_name_of_a_field_is_told(arm):
    document = entry("toggle")
    step = document["profile"]["map"]["commands"]["page"][1]
    step["equals"] = step.pop("equal_to")
    answer = arm.controller(document)
    assert answer.status == 422
    assert 'did you mean "equal_to"?' in {error["pointer"]: error["detail"] for error in answer.json["errors"]}["/profile/map/commands/page/1/equals"]
