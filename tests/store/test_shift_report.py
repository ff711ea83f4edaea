"""The report of a shift, against a ledger of its own: every transition of every order, counted here second by second."""

import contextlib
import csv
import io
import json
import random
import sqlite3
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser

import pytest

from support import Server, robot

START = datetime(2026, 3, 2, 5, tzinfo=timezone.utc)
ENDS = ("done",) * 6 + ("stopped", "failed", "interrupted")
pytestmark = pytest.mark.slow
STRANGE = ('=1+1,"<b>&', "@x", 'a,"b"', "</td><script>alert(1)</script>", "+1", "-1", "\t=1", "\r=1")  # of every text that is somebody's
ALARM = "INSERT INTO alarms (id, code, source, controller, text, since, until, acknowledged_at, acknowledged_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


ALARMS = ((-5, 0), (3, 40), (20, 700), (60, None))  # when they stood


def stamp(seconds):
    return (START + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def shift_of(seed, count):
    """Orders one after the other: (id, end, part, [(second, state)])."""
    chance, now, orders = random.Random(seed), 0, []
    for k in range(count):
        steps, at = [], now - 3  # made while the one before it moves
        for state in ("accepted", "ready"):
            steps.append((at, state))
            at += 3
        for state in chance.choice((("running",), ("running", "held", "running"), ("running", "held"), ())):
            steps.append((at, state))
            at += chance.randint(1, 20)
        steps.append((at, chance.choice(ENDS)))
        orders.append((f"01K{k:023d}", steps[-1][1], chance.choice((None, "A7", "B2")), steps))
        now = at + chance.randint(0, 9)
    return orders


def row(order, controller):
    name, end, part, steps = order
    text = part if part in STRANGE else None
    request = {"controller": controller, "part": part, "job_order_id": text or "4711"}
    history = [{"state": state, "at": stamp(at), "reason": text or f"{name} {state}"} for at, state in steps]
    plan = {"mechanical_energy_modelled": 2.5, "electrical_energy_modelled": None if part == "B2" else 4.0}
    return name, controller, end, stamp(steps[0][0]), stamp(steps[-1][0]), json.dumps(request), json.dumps(history), json.dumps(plan), name


def sum_of(name):
    """What was measured of an order, as its name says: nothing of each fifth, no torque of each third."""
    k = int(name[3:])
    if k % 5 == 0:
        return None
    told = k % 3 > 0
    return {"mechanical_energy_measured": 2 + k / 8 if told else None, "electrical_energy_modelled_from_measured": 3.0 + k if told and k % 7 else None,
            "worst_deviation": {"joint": f"j{k % 4}", "unit": "rad", "deviation": (-1) ** k * 1e-3 * (1 + 37 * k % 101), "deviation_at": k / 16, "tolerance": 0.05 if k % 2 else None}}


def transfer_of(order, controller):
    measured = sum_of(order[0])
    return order[0], controller, json.dumps(measured) if measured else None, None if measured else "no telemetry of it was kept"


def strange_orders():
    for k, text in enumerate(STRANGE):
        yield f"01M{k:023d}", "done", text, [(9 * k, "ready"), (9 * k + 1, "running"), (9 * k + 4, "done")]
        yield f"01N{k:023d}", "failed", text, [(9 * k + 5, "ready"), (9 * k + 8, "failed")]


def strange_alarms():
    for k, text in enumerate(STRANGE):
        yield f"01P{k:023d}", f"code-{k}", "store", "strange", text, stamp(k), stamp(k + 60), stamp(k + 30), text


def ledger(orders, begin, end):
    """What the report must say of whole seconds begin..end."""
    said = {"orders": dict.fromkeys(("done", "stopped", "failed", "interrupted", "open"), 0), "running": 0, "held": 0, "parts": {}, "failures": [], "sums": [], "parts_sums": {}}
    for name, state, part, steps in orders:
        for second in range(begin, end):
            now = [word for at, word in steps if at <= second]
            if now and now[-1] in ("running", "held"):
                said[now[-1]] += 1
        if begin <= steps[-1][0] < end:
            said["orders"][state] += 1
            measured = sum_of(name)
            if measured:
                said["sums"].append((name, measured["worst_deviation"]))
            if state == "done":
                said["parts_sums"].setdefault(part, []).extend([measured] if measured and measured["mechanical_energy_measured"] else [])
                said["parts"][part] = said["parts"].get(part, 0) + 1
            else:
                said["failures"].append((name, state, f"{name} {state}"))
        elif steps[0][0] < end <= steps[-1][0]:
            said["orders"]["open"] += 1
    return said


@pytest.fixture(scope="module")
def shift():
    orders = shift_of(20, 60)
    with Server() as server, server.client() as client:
        client.create_robot(robot("scara"), name="arm")
        for name in ("cell", "other", "strange", "young"):
            client.post("/v1/controllers", {"name": name, "host": "127.0.0.1", "port": 1, "robot": "arm", "revision": "latest",
                                            "profile": {"protocol": "armdyn-v2"}}).expect(201)
        with contextlib.closing(sqlite3.connect(server.database, timeout=30)) as db, db:
            db.executemany("INSERT INTO orders (id, controller, state, priority, automatic, created_by, created_by_name, created_at,"
                           " finished_at, request, tags, history, plan, transfer) VALUES (?, ?, ?, 0, 0, 'key', 'key', ?, ?, ?, '{}', ?, ?, ?)",
                           [row(order, "cell") for order in orders] + [row(order, "strange") for order in strange_orders()])
            db.executemany("INSERT INTO transfers (id, controller, trajectory, state, sent, total, start_sent, created_at, finished_at, request, tags, history, measured, unmeasured)"
                           " VALUES (?, ?, 'none', 'done', 1, 1, 1, '2026', '2026', '{}', '{}', '[]', ?, ?)", [transfer_of(order, "cell") for order in orders])
            db.executemany(ALARM, strange_alarms())
            db.executemany(ALARM, [(f"01R{k:023d}", f"code-{k}", "gateway", "cell", f"from {begin} to {end}", stamp(begin), None if end is None else stamp(end), None, None)
                                   for k, (begin, end) in enumerate(ALARMS)])
            db.execute("UPDATE controllers SET created_at = '2026-01-01T00:00:00.000Z' WHERE name <> 'young'")
        yield server, client, orders


def report(client, controller="cell", accept="application/json", **query):
    return client.get(f"/v1/controllers/{controller}/report?" + "&".join(f"{k}={v}" for k, v in query.items()), headers={"Accept": accept}, check=False)


def test_the_report_agrees_with_a_ledger_of_seconds(shift):
    _, client, orders = shift
    last = orders[-1][3][-1][0]
    chance = random.Random(4711)
    edges = [at for _, _, _, steps in orders for at, _ in steps]  # bounds that are transitions, too
    ranges = [(-10, last + 10)] + [sorted(chance.sample(sorted(set(edges)), 2)) for _ in range(12)]
    ranges += [sorted(chance.sample(range(-9, last + 9), 2)) for _ in range(12)]
    for begin, end in ranges:
        said, told = ledger(orders, begin, end), report(client, **{"from": stamp(begin), "to": stamp(end)}).expect(200).json
        assert told["orders"] == said["orders"], (begin, end)
        assert told["running_time"] == pytest.approx(said["running"]) and told["held_time"] == pytest.approx(said["held"])
        assert told["idle_time"] == pytest.approx(end - begin - said["running"] - said["held"])
        assert {part["part"]: part["done"] for part in told["parts"]} == said["parts"]
        for part in told["parts"]:
            assert part["mechanical_energy_modelled"] == pytest.approx(2.5 * part["done"])
            assert part["electrical_energy_modelled"] == (None if part["part"] == "B2" else pytest.approx(4 * part["done"]))
            check_measured(part, said["parts_sums"][part["part"]])
        assert [(f["order"], f["state"], f["reason"]) for f in told["failures"]] == said["failures"]
        assert told["measured_orders"] == len(said["sums"])
        worst = max(said["sums"], key=lambda one: abs(one[1]["deviation"]), default=None)
        assert told["worst_deviation"] == (worst and {"order": worst[0], "job_order_id": "4711", **worst[1]})


def check_measured(part, sums):
    assert part["measured"] == len(sums)
    for energy in ("mechanical_energy_measured", "electrical_energy_modelled_from_measured"):
        values = [one[energy] for one in sums]
        assert part[energy] == (pytest.approx(sum(values)) if values and None not in values else None)


def test_alarms_are_those_that_stood_in_it(shift):
    _, client, _ = shift
    for begin, end in ((-10, -6), (-9, -4), (0, 3), (1, 4), (40, 41), (41, 60), (61, 900), (701, 900)):
        told = report(client, **{"from": stamp(begin), "to": stamp(end)}).expect(200).json["alarms"]
        assert [alarm["text"] for alarm in told] == [f"from {since} to {until}" for since, until in ALARMS if since < end and (until is None or until >= begin)]


def test_who_was_not_there_was_not_idle(shift):
    """A controller younger than the range."""
    _, client, _ = shift
    made = datetime.fromisoformat(client.get("/v1/controllers/young").expect(200).json["created_at"])
    told = report(client, "young", **{"from": "2026-03-01T06:00:00Z", "to": stamp(9 * 86400 * 365)}).expect(200)
    assert 0 <= told.json["idle_time"] <= (datetime.now(timezone.utc) - made).total_seconds()
    assert report(client, "young", **WHOLE).expect(200).json["idle_time"] == 0  # it was made later


def test_an_empty_shift_is_idle(shift):
    _, client, _ = shift
    told = report(client, **{"from": "2026-03-01T06:00:00%2B01:00", "to": "2026-03-01T13:00:00Z"}).expect(200).json
    assert told["from"] == "2026-03-01T05:00:00.000Z" and told["idle_time"] == 8 * 3600
    assert set(told["orders"].values()) == {0} and told["parts"] == told["failures"] == []
    told = client.get("/v1/controllers/other/report").expect(200).json  # the last eight hours
    assert told["idle_time"] == pytest.approx(8 * 3600) and set(told["orders"].values()) == {0}


@pytest.mark.parametrize("query, field", [({"from": "yesterday"}, "from"), ({"to": "2026-13-01T00:00:00Z"}, "to"),
                                          ({"from": stamp(9), "to": stamp(9)}, "from"), ({"from": stamp(9), "to": stamp(0)}, "from")])
def test_a_bad_range_is_refused_by_name(shift, query, field):
    _, client, _ = shift
    problem = report(client, **query).expect(422).json
    assert field in json.dumps(problem["errors"])


def test_a_range_is_found_in_the_index(shift):
    server, _, _ = shift
    with contextlib.closing(sqlite3.connect(server.database)) as db:
        plan = db.execute("EXPLAIN QUERY PLAN SELECT history FROM orders INDEXED BY orders_shift WHERE controller = 'cell'"
                          " AND coalesce(finished_at, '9') >= 'a' AND created_at < 'b' ORDER BY created_at, id").fetchall()
    assert [step[-1] for step in plan] == ["SEARCH orders USING INDEX orders_shift (controller=? AND <expr>>?)", "USE TEMP B-TREE FOR ORDER BY"], plan


def test_a_controller_that_is_not_there(shift):
    _, client, _ = shift
    client.get("/v1/controllers/nowhere/report").expect(404)


WHOLE = {"from": stamp(-10), "to": stamp(2000)}


def safe(value):
    """As a cell has it: nothing for null, and no formula."""
    text = "" if value is None else str(value)
    return "'" + text if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def same(cell, value):
    return value == number(cell) if isinstance(value, int | float) else cell == safe(value)


@pytest.mark.parametrize("controller", ["cell", "strange", "other"])
def test_a_spreadsheet_has_what_the_json_has(shift, controller):
    _, client, _ = shift
    told = report(client, controller, **WHOLE).expect(200).json
    answer = report(client, controller, "text/csv", **WHOLE).expect(200)
    assert answer.content_type.startswith("text/csv")
    head, *rows = csv.reader(io.StringIO(answer.body.decode(), newline=""), strict=True)
    assert head == ["section", "name", "quantity", "value", "unit"] and answer.body.count(b"\r\n") == len(rows) + 1
    want = [("shift", None, key, value) for key, value in told.items() if not isinstance(value, dict | list)]
    for section in ("orders", "worst_deviation"):
        want += [(section, None, key, value) for key, value in (told[section] or {}).items()]
    for section, naming in (("parts", "part"), ("failures", "order"), ("alarms", "id")):
        want += [(section, item[naming], key, value) for item in told[section] for key, value in item.items() if key != naming]
    assert len(rows) == len(want)
    for cells, (section, name, quantity, value) in zip(rows, want, strict=True):
        assert cells[:3] == [section, safe(name), quantity] and same(cells[3], value), (cells, value)
        assert cells[4] == ("s" if quantity.endswith("_time") or quantity == "deviation_at" else "J" if "energy" in quantity else "")


class Cells(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.inside = [], set(), False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        self.inside = tag == "td"
        if self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def number(text):
    """As a page writes it: four digits, and a sign that is as wide as a plus."""
    return pytest.approx(float(text.replace("\u2212", "-")), rel=5e-4)


def seconds(text):
    """Of "1 h 02 min", "2 min 05 s" or "3.25 s"."""
    words = text.split()
    return sum(float(count) * {"h": 3600, "min": 60, "s": 1}[unit] for count, unit in zip(words[::2], words[1::2], strict=True))


@pytest.mark.parametrize("controller", ["cell", "strange", "other"])
def test_a_page_has_what_the_json_has(shift, controller):
    _, client, _ = shift
    told = report(client, controller, **WHOLE).expect(200).json
    answer = report(client, controller, "text/html", **WHOLE).expect(200)
    assert answer.content_type.startswith("text/html") and "sandbox" in answer.headers["Content-Security-Policy"]
    page = Cells(answer.body.decode())
    assert not page.tags & {"script", "b", "link", "img"}
    worst = told["worst_deviation"]
    assert (f"order {worst['order']} (4711), joint {worst['joint']}, {worst['deviation']} rad".replace("-", "\u2212") if worst else "Nothing was measured.") in answer.body.decode()
    rows = [cells for cells in page.rows if cells]
    assert [int(rows[k][1]) for k in (0, 1, 2, 3, 4, 8)] == [*told["orders"].values(), told["measured_orders"]]
    assert [seconds(cells[1]) for cells in rows[5:8]] == [told["running_time"], told["held_time"], told["idle_time"]]
    items = [list(item.values()) for item in told["parts"] + told["failures"]]
    items += [[alarm[member] for member in ("since", "until", "text", "acknowledged_by")] for alarm in told["alarms"]]
    assert len(rows) == 9 + len(items)
    for cells, values in zip(rows[9:], items, strict=True):
        for cell, value in zip(cells, values, strict=True):
            assert cell == "–" if value is None else value == number(cell) if isinstance(value, int | float) else cell == value


def test_strange_names_are_in_it(shift):
    _, client, _ = shift
    told = report(client, "strange", **WHOLE).expect(200).json
    assert [part["part"] for part in told["parts"]] == list(STRANGE)


def test_other_media_are_refused(shift):
    _, client, _ = shift
    assert report(client, accept="application/xml").expect(406).json["type"].endswith("not-acceptable")
    assert report(client, accept="*/*").expect(200).content_type.startswith("application/json")
