"""Controllers with registers of their own: a bank of python3-pymodbus, read back by mbpoll."""

import contextlib
import copy
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import pytest

from cell import FINAL, LONG, float32, soon, write
from line import Line
from support import ROOT, robot, unique_name, until
from support.process import Device

pytestmark = pytest.mark.same_threads

JOINTS = [joint["name"] for joint in robot("scara")["joints"]]
N = len(JOINTS)
CODES = {"int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q", "float32": "f", "float64": "d"}


class Bank(Device):
    def __init__(self, *flags):
        super().__init__(())
        self.arguments = [sys.executable, str(pathlib.Path(__file__).with_name("register_bank.py")), *map(str, flags)]
        self.start()

    def writes(self):
        """Every write that it saw: [unit, function, address, words]."""
        self.terminate()
        (line,) = (line for line in self.log_path.read_text().splitlines() if line.startswith('{"writes"'))
        return json.loads(line)["writes"]

    def read(self, first, count, form="hex", unit=1, *flags):
        """Holding registers as mbpoll sees them."""
        if not shutil.which("mbpoll"):
            pytest.skip("mbpoll is not installed")
        found = {}
        size = 1 if form == "hex" or form is None else 2
        for at in range(first, first + count * size, 100):
            most = min(100, first + count * size - at) // size
            done = subprocess.run(["mbpoll", "-m", "tcp", "-a", str(unit), "-p", str(self.port), "-0", "-1", "-t",
                                   "4" + (f":{form}" if form else ""), "-r", str(at), "-c", str(most), *flags, "127.0.0.1"],
                                  capture_output=True, text=True, timeout=LONG)
            assert done.returncode == 0, done
            for register, value in re.findall(r"^\[(\d+)\]:\s+(\S+)", done.stdout, flags=re.M):
                found[int(register)] = int(value, 16) if form == "hex" else float(value)
        return [found[k] for k in sorted(found)]


def moving(client, goal, duration):
    """A new SCARA and a motion of it: (client, robot, trajectory, samples at 100 Hz)."""
    name = unique_name("arm")
    client.create_robot(robot("scara"), name=name)
    request = {"method": "quintic", "start": {"q": [0.1] * N}, "goal": {"q": [goal] * N}, "duration": duration, "sample_rate": 100}
    job = client.wait_job(client.post(f"/v1/robots/{name}/trajectories", request, headers={"Prefer": "wait=30"}))
    motion = job["result"]["href"].rsplit("/", 1)[1]
    return client, name, motion, client.get(f"/v1/trajectories/{motion}/samples").expect(200).json


@pytest.fixture(scope="module")
def arm(shared):
    """A motion of 0.2 s."""
    with shared.client() as client:
        yield moving(client, 0.12, 0.2)


def plain_map(type="float32", order="ABCD", scale=1.0, size=2, **changes):
    """A table from register 100 on: position and torque of every axis."""
    columns = [{"axis": a + 1, "quantity": quantity, "at": (2 * a + k) * size, "type": type, "word_order": order, "scale": scale}
               for a in range(N) for k, quantity in enumerate(("position", "torque"))]
    return {"fields": [{"name": "status", "register": "input", "address": 0, "type": "uint16"},
                       {"name": "command", "address": 1, "type": "uint16", "access": "write"},
                       {"name": "count", "address": 2, "type": "uint16", "access": "read_write"},
                       {"name": "period", "address": 3, "type": "uint32", "scale": 1e-6, "access": "read_write"}],
            "points": {"address": 100, "count": 100, "stride": 2 * N * size, "verify": "readback", "columns": columns, "count_field": "count",
                       "period_field": "period"}, **changes}


def controller(arm, bank, map, **profile):
    client, name = arm[:2]
    document = {"name": unique_name("cell"), "host": "127.0.0.1", "port": bank.port, "robot": name,
                "profile": {"protocol": "register-map", "map": map, **profile}}
    made = client.post("/v1/controllers", document).expect(201)
    assert client.get(made.headers["Location"]).json == made.json  # every field comes back
    return document["name"]


def send(arm, cell, **request):
    headers = {"Idempotency-Key": unique_name("key")}
    return arm[0].post(f"/v1/controllers/{cell}/transfers", {"trajectory": arm[2], **request}, headers=headers)


def reach(arm, transfer, state, timeout=LONG):
    now = {}

    def there():
        now.update(arm[0].get(f"/v1/transfers/{transfer}").expect(200).json)
        return now["state"] in (state, *FINAL)
    until(there, timeout, what=f"transfer {transfer} to be {state}")
    assert now["state"] == state, now
    return now


def expected(arm):
    samples = arm[3]
    return [[x for pair in zip(q, tau) for x in pair] for q, tau in zip(samples["q"], samples["tau"])]


def value_of(words, type, order):
    """The number in these registers, by the manual's definition of the orders."""
    data = b"".join(struct.pack(">H", word) for word in words)
    if order in ("BADC", "DCBA"):
        data = b"".join(data[k:k + 2][::-1] for k in range(0, len(data), 2))
    if order in ("CDAB", "DCBA"):
        data = b"".join(data[k:k + 2] for k in range(len(data) - 2, -1, -2))
    return struct.unpack(">" + CODES[type], data)[0]


@pytest.mark.slow
@pytest.mark.parametrize("order", ["ABCD", "CDAB", "BADC", "DCBA"])
@pytest.mark.parametrize("type", CODES)
def test_every_type_in_every_order(arm, type, order):
    """What mbpoll reads is the plan, rounded as the type rounds."""
    size = struct.calcsize(CODES[type]) // 2
    scale = {"h": 0.01, "H": 0.01, "i": 1e-6, "I": 1e-6, "q": 1e-9, "Q": 1e-9}.get(CODES[type], 0.5)
    map = plain_map(type, order, scale, size)
    if CODES[type] in "HIQ":
        for column in map["points"]["columns"]:
            column["offset"] = -300
    with Bank() as bank:
        transfer = send(arm, controller(arm, bank, map)).expect(202).json["id"]
        assert reach(arm, transfer, "ready")["sent"] == 21
        rows = expected(arm)
        words = bank.read(100, len(rows) * 2 * N * size)
        at = 0
        for row in rows:
            for number in row:
                got = value_of(words[at:at + size], type, order)
                at += size
                raw = (float32(number) + (300 if CODES[type] in "HIQ" else 0)) / scale
                if CODES[type] == "d":
                    assert got == pytest.approx(raw, rel=1e-15)
                elif CODES[type] == "f":
                    assert got == float32(raw)
                else:
                    assert abs(got - raw) <= 0.5 + 1e-6 or abs(number) > 50  # at a limit rounding goes towards 0
        assert bank.read(2, 1) == [21] and bank.read(3, 2) == [0, 10000]


@pytest.mark.slow
@pytest.mark.parametrize("type, form, order", [("float32", "float", "ABCD"), ("float32", "float", "CDAB"), ("int32", "int", "ABCD"),
                                               ("int32", "int", "CDAB")])
def test_mbpoll_understands_the_numbers_itself(arm, type, form, order):
    scale = 1 if type == "float32" else 1e-6
    with Bank() as bank:
        transfer = send(arm, controller(arm, bank, plain_map(type, order, scale))).expect(202).json["id"]
        reach(arm, transfer, "ready")
        rows = expected(arm)
        numbers = bank.read(100, len(rows) * 2 * N, form, 1, *(["-B"] if order == "ABCD" else []))
        assert numbers == pytest.approx([x / scale for row in rows for x in row], rel=1e-5, abs=1)


def test_dry_run_shows_exactly_what_is_written_then(arm):
    with Bank("--units", "1,7") as bank:
        map = plain_map(max_write_registers=40)
        map["points"]["unit_id"] = 7
        map["points"]["trigger"] = {"field": "command", "value": 9}
        cell = controller(arm, bank, map)
        shown = arm[0].post(f"/v1/controllers/{cell}/dry-run", {"trajectory": arm[2]}).expect(200).json
        assert shown["samples"] == 21 and shown["period"] == 0.01 and shown["requests"] == len(shown["writes"]) == 14
        assert [write["what"] for write in shown["writes"][:2]] == ["period = 0.01", "points 0 to 1"]
        assert max(len(write["words"]) for write in shown["writes"]) == 32  # two points of 16, not 40 registers
        assert bank.read(100, 50, unit=7) == [0] * 50  # nothing was sent
        entry = arm[0].get(f"/v1/controllers/{cell}").expect(200)
        out = arm[0].put(f"/v1/controllers/{cell}", {**entry.json, "enabled": False}, headers={"If-Match": entry.headers["ETag"]}).expect(200)
        assert arm[0].post(f"/v1/controllers/{cell}/dry-run", {"trajectory": arm[2]}).expect(200).json == shown  # before it is in service
        arm[0].put(f"/v1/controllers/{cell}", {**out.json, "enabled": True}, headers={"If-Match": out.headers["ETag"]}).expect(200)
        reach(arm, send(arm, cell).expect(202).json["id"], "ready")
        plan = [[w["unit"], w["function"], w["address"], w["words"]] for w in shown["writes"]]
        assert bank.writes() == sorted(plan, key=lambda write: write[0])


def test_what_reads_back_wrong_is_refused(arm):
    map = plain_map()
    with Bank() as good, Bank("--corrupt", 117) as bad:
        reach(arm, send(arm, controller(arm, good, map)).expect(202).json["id"], "ready")
        end = reach(arm, send(arm, controller(arm, bad, map)).expect(202).json["id"], "failed")
        assert "register 117 reads back" in end["problem"]["detail"]


@contextlib.contextmanager
def lost_in_ready(arm, bank, meanwhile):
    """A transfer that is ready when the line breaks, behind which this happens; and that line, connected again."""
    with Line(bank.port, 0) as line:
        transfer = send(arm, controller(arm, line, plain_map())).expect(202).json["id"]
        reach(arm, transfer, "ready")
        meanwhile()
        before = line.connections
        line.cut()
        until(lambda: line.connections > before, LONG, what="the gateway to connect again")
        yield transfer


@pytest.mark.sampled
@pytest.mark.parametrize("register, what", [(2, "count"), (4, "period"), (100, "points 0 to"), (100 + 20 * 4 * N, "to 20")])
def test_what_changed_while_the_line_was_broken_is_read_after_it(arm, register, what):
    """Another master, or the controller's own program, wrote into count, period, the first point, or the last."""
    with Bank() as bank:
        with lost_in_ready(arm, bank, lambda: write(bank.port, register, [12345])) as transfer:
            end = reach(arm, transfer, "failed")
        assert end["problem"]["type"] == "/problems/controller-refused"
        assert what in end["problem"]["detail"] and f"register {register} reads back as 0x3039" in end["problem"]["detail"]


def test_what_stayed_while_the_line_was_broken_is_still_ready(arm):
    with Bank() as bank:
        with lost_in_ready(arm, bank, lambda: None) as transfer:
            until(lambda: arm[0].get(f"/v1/controllers/{reach(arm, transfer, 'ready')['controller']}/status").json["connected"], LONG)
            arm[0].post(f"/v1/transfers/{transfer}/stop").expect(200)
            history = reach(arm, transfer, "stopped")["history"]
            assert [step["state"] for step in history] == ["queued", "connecting", "loading", "ready", "stopped"]


def test_addresses_may_be_counted_from_one(arm):
    map = plain_map(address_base=1)
    map["fields"][0]["address"] = 1
    with Bank() as bank:
        reach(arm, send(arm, controller(arm, bank, map)).expect(202).json["id"], "ready")
        assert bank.read(1, 1) == [21] and struct.unpack(">f", struct.pack(">2H", *bank.read(99, 2)))[0] == float32(expected(arm)[0][0])


PLAYER = {"states": {"field": "status", "idle": [0], "playing": [2], "holding": [4], "done": [3]},
          "commands": {"start": {"field": "command", "value": 1}, "stop": {"field": "command", "value": 2},
                       "hold": {"field": "command", "value": 4}, "resume": {"field": "command", "value": 5}}}


def player_map():
    """With measured positions where the motion begins: those of the first point itself."""
    map = plain_map(**copy.deepcopy(PLAYER))
    map["fields"] += [{"name": f"q{a + 1}", "address": 100 + 4 * a, "type": "float32"} for a in range(N)]
    map["positions"] = [{"axis": a + 1, "field": f"q{a + 1}"} for a in range(N)]
    return map


def test_a_whole_motion(arm):
    client = arm[0]
    with Bank("--player") as bank:
        cell = controller(arm, bank, player_map(), allow_start=True)
        transfer = send(arm, cell).expect(202).json["id"]
        reach(arm, transfer, "ready")
        status = client.get(f"/v1/controllers/{cell}/status").expect(200).json
        assert status["signals"]["q1"] == float32(0.1) and status["signals"]["status"] == 0 and "command" not in status["signals"]
        assert status["position"] == [float32(0.1)] * N and status["source"] == "controller"
        client.post(f"/v1/transfers/{transfer}/arm").expect(202)
        client.post(f"/v1/transfers/{transfer}/start", {"start_before": soon()}, headers={"Idempotency-Key": transfer}).expect(202)
        end = reach(arm, transfer, "done")
        assert [step["state"] for step in end["history"]] == ["queued", "connecting", "loading", "ready", "armed", "playing", "done"]
        assert [words for _, _, address, words in bank.writes() if address == 1] == [[1]]  # START, once


def test_what_its_registers_measure_is_telemetry(arm):
    """The bank's registers stand still: they are those of the first point, whose torques the map names as measured."""
    client, map = arm[0], player_map()
    map["fields"] += [{"name": f"tau{a + 1}", "address": 102 + 4 * a, "type": "float32"} for a in range(N)]
    map["torques"] = [{"axis": a + 1, "field": f"tau{a + 1}"} for a in range(N)]
    with Bank("--player") as bank:
        cell = controller(arm, bank, map, allow_start=True)
        transfer = send(arm, cell, start=True, start_before=soon()).expect(202).json["id"]
        href = reach(arm, transfer, "done")["telemetry"]
        conditions = client.get(href).expect(200).json["conditions"]
        assert conditions["torque_source"] == "sensor" and conditions["controller"] == cell
        rows = client.get(f"{href}/samples").expect(200).json
        assert rows["t"][0] == 0 and sorted(set(rows["t"])) == rows["t"]
        assert rows["q"] == [[float32(0.1)] * N] * len(rows["t"])
        assert rows["tau"] == [[float32(tau) for tau in arm[3]["tau"][0]]] * len(rows["t"])


def test_hold_resume_and_stop(arm):
    client = arm[0]
    with Bank("--player") as bank:
        cell = controller(arm, bank, player_map(), allow_start=True)
        transfer = send(arm, cell, start=True, start_before=soon()).expect(202).json["id"]
        reach(arm, transfer, "playing")
        client.post(f"/v1/transfers/{transfer}/hold").expect(202)
        reach(arm, transfer, "holding")
        client.post(f"/v1/transfers/{transfer}/resume", headers={"Idempotency-Key": unique_name()}).expect(202)
        reach(arm, transfer, "playing")
        assert client.post(f"/v1/controllers/{cell}/stop").expect(200).json["confirmed"] is True
        reach(arm, transfer, "stopped")
        assert [words[0] for _, _, address, words in bank.writes() if address == 1][:4] == [1, 4, 5, 2]


def test_an_arm_that_stands_elsewhere_is_not_armed(arm):
    client, map = arm[0], player_map()
    for field in map["fields"]:
        if field["name"] == "q2":
            field["offset"] = 0.5
    with Bank("--player") as bank:
        transfer = send(arm, controller(arm, bank, map, allow_start=True)).expect(202).json["id"]
        reach(arm, transfer, "ready")
        answer = client.post(f"/v1/transfers/{transfer}/arm")
        assert answer.status == 409 and "axis 2" in answer.json["detail"]


def test_a_controller_that_answers_slowly_has_the_time_that_its_map_gives(arm):
    with Bank("--slow", 300) as bank:
        end = reach(arm, send(arm, controller(arm, bank, plain_map(timeout_ms=100), connect_deadline=1)).expect(202).json["id"], "failed")
        assert end["problem"]["type"] == "/problems/controller-unreachable"
        reach(arm, send(arm, controller(arm, bank, plain_map(timeout_ms=2000))).expect(202).json["id"], "ready")


def test_a_torque_that_the_registers_cannot_hold_is_refused_before_the_first_write(arm):
    map = plain_map()
    map["points"]["columns"][1].update(type="int16", scale=1e-6)
    with Bank() as bank:
        answer = send(arm, controller(arm, bank, map))
        assert answer.status == 422 and answer.json["type"] == "/problems/limit-exceeded" and "axis 1" in answer.json["detail"]
        assert bank.writes() == []


def set_at(document, pointer, value):
    *way, last = [int(part) if part.isdigit() else part for part in pointer.split("/")[1:]]
    for part in way:
        document = document[part]
    if value is None:
        del document[last]
    else:
        document[last] = value


@pytest.mark.parametrize("at, value, pointer, code", [
    ("/fields/0/type", "int8", "/fields/0/type", "enum"), ("/fields/0/word_order", "DABC", "/fields/0/word_order", "enum"),
    ("/fields/0/register", "memory", "/fields/0/register", "enum"), ("/fields/0/address", 65536, "/fields/0/address", "maximum"),
    ("/fields/0/scale", 0, "/fields/0/scale", None), ("/fields/0/access", "write", "/fields/0/access", "inconsistent"),
    ("/fields/1/name", "status", "/fields/1/name", "duplicate"), ("/fields/1/name", "Status!", "/fields/1/name", "pattern"),
    ("/fields/1/verify", "readback", "/fields/1/verify", "inconsistent"), ("/fields/1/min", 5, "/commands/start/value", "inconsistent"),
    ("/fields/0/address", None, "/fields/0/address", "required"), ("/fields/0/colour", 1, "/fields/0/colour", "unknown_field"),
    ("/points", None, "/points", "required"), ("/points/stride", 3, "/points/columns/1/at", "maximum"),
    ("/points/stride", 124, "/points/stride", "maximum"), ("/points/columns/1/at", 1, "/points/columns/1/at", "inconsistent"),
    ("/points/columns/1/axis", 9, "/points/columns/1/axis", "inconsistent"),
    ("/points/columns/1/quantity", "position", "/points/columns/1", "duplicate"),
    ("/points/count", 65000, "/points/count", "maximum"), ("/points/index_field", "status", "/points/index_field", "inconsistent"),
    ("/points/count_field", "nobody", "/points/count_field", "inconsistent"),
    ("/points/page_trigger", {"field": "command", "value": 1}, "/points/index_field", "required"),
    ("/states", None, "/states", "required"), ("/commands/stop", None, "/commands/stop", "required"),
    ("/commands/start/field", "period2", "/commands/start/field", "inconsistent"), ("/heartbeat", "status", "/heartbeat", "inconsistent"),
    ("/positions/0/field", "command", "/positions/0/field", "inconsistent"),
    ("/torques", [{"axis": 1, "field": "command"}], "/torques/0/field", "inconsistent"), ("/address_base", 2, "/address_base", "maximum"),
    ("/max_write_registers", 124, "/max_write_registers", "maximum"), ("/timeout_ms", 1, "/timeout_ms", "minimum"),
    ("/address_base", 1, "/fields/0/address", "minimum"),
])
def test_faults_of_a_map(arm, at, value, pointer, code):
    map = player_map()
    set_at(map, at, value)
    answer = arm[0].post("/v1/controllers", {"name": unique_name("cell"), "host": "10.0.0.7", "robot": arm[1],
                                             "profile": {"protocol": "register-map", "map": map}})
    assert answer.status == 422, answer
    faults = {error["pointer"]: error["code"] for error in answer.json["errors"]}
    assert "/profile/map" + pointer in faults and code in (None, faults["/profile/map" + pointer]), answer


def test_a_map_belongs_to_its_protocol(arm):
    cases = {"/profile/map": {"protocol": "register-map"}, "/profile/map/points": {"protocol": "armdyn-v2", "map": plain_map()}}
    for pointer, profile in cases.items():
        answer = arm[0].post("/v1/controllers", {"name": unique_name("cell"), "host": "h", "robot": arm[1], "profile": profile})
        assert answer.status == 422 and answer.json["errors"][0]["pointer"] == pointer


def test_torque_alone_and_streams(arm):
    map = plain_map()
    map["points"]["columns"] = [column for column in map["points"]["columns"] if column["quantity"] == "torque"]
    with Bank() as bank:
        cell = controller(arm, bank, map)
        assert send(arm, cell).json["errors"][0]["pointer"] == "/trajectory"
        allowed = controller(arm, bank, map, allow_torque_only=True)
        assert send(arm, allowed, mode="stream").json["errors"][0]["pointer"] == "/mode"
        assert send(arm, allowed, format="torque").json["errors"][0]["pointer"] == "/format"
        reach(arm, send(arm, allowed).expect(202).json["id"], "ready")


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted(path.stem for path in (ROOT / "deploy/controllers").glob("*.json")))
def test_shipped_examples(shared, example):
    """Each is taken as it is, for the robot that it names; a dry run of a register map keeps to its own limits."""
    document = json.loads((ROOT / f"deploy/controllers/{example}.json").read_text())
    with shared.client() as client:
        name = unique_name("puma")
        client.create_robot(robot("puma560"), name=name)
        made = client.post("/v1/controllers", {**document, "name": unique_name("cell"), "robot": name}).expect(201).json
        assert {**made["profile"], **document["profile"], "map": made["profile"].get("map")} == {**made["profile"], "map": made["profile"].get("map")}
        request = {"method": "quintic", "start": {"q": [0.0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 1}
        job = client.wait_job(client.post(f"/v1/robots/{name}/trajectories", request, headers={"Prefer": "wait=30"}))
        motion = {"trajectory": job["result"]["href"].rsplit("/", 1)[1], "rate": 100}
        answer = client.post(f"/v1/controllers/{made['name']}/dry-run", motion)
        if made["profile"]["protocol"] == "armdyn-v2":
            assert answer.status == 409
            return
        map = made["profile"]["map"]
        writes = answer.expect(200).json["writes"]
        assert max(len(write["words"]) for write in writes) <= map["max_write_registers"]
        points = [write for write in writes if re.match(r"points \d", write["what"])]
        tables = map["points"].get("tables") or [map["points"]]
        if len(writes) < 1000:  # not only the first of them
            assert sum(len(write["words"]) for write in points) == 101 * sum(table["stride"] for table in tables)
        assert min(write["address"] for write in points) == min(table["address"] for table in tables) - map["address_base"]
