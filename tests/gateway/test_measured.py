"""What was measured of an order, summed up: against numpy's own sums over the telemetry, an arm that is late by a known time,
and a restart in between."""

import contextlib
import sqlite3
import struct

import numpy as np
import pytest

from cell import LONG
from foreign.process import Foreign
from ordering import HERE, Ordering
from support import ControllerSim, Server, robot, until
from support.spoken import spoken

pytestmark = pytest.mark.slow

LAG = 0.008
FAR = [0.4, -0.3, 0.02, 0.5]
TOLERANCE = 0.05
ENERGIES = ("mechanical_energy_measured", "electrical_energy_modelled_from_measured")


@pytest.fixture(scope="module")
def late(shared):
    """An arm that is behind its path, and three orders that it did: two with a part, one back to where it began."""
    with Foreign("--axes", 4, "--measures", "--lag", round(1000 * LAG)) as controller:
        here = Ordering(shared, controller, telemetry_rate=200, following_error=TOLERANCE)
        yield here, [done(here, to={"q": q}, duration=0.6, job_order_id=f"JO-{k}") for k, q in enumerate((FAR, HERE, FAR))]
        controller.ledger()


def summed_up(here, order):
    """The order, once what was measured is summed up."""
    now = {}

    def is_there():
        now.update(here.told(order))
        return now["measured"] or now["unmeasured"]
    until(is_there, LONG, what=f"the sum of order {order}")
    return now


def done(here, **request):
    order = here.automatic(**request)
    here.reach_order(order, "done")
    return summed_up(here, order)


def telemetry_of(here, order):
    rows = here.client.get(f"/v1/datasets/{order['transfer'].split('/')[-1]}/samples").expect(200).json
    return tuple(np.array(rows[name]) for name in ("t", "q", "tau"))


def plan_at(here, order, t):
    """Positions and velocities of the plan."""
    samples = here.client.get(order["trajectory"] + "/samples").expect(200).json
    return tuple(np.stack([np.interp(t, samples["t"], column) for column in np.array(samples[name]).T], 1) for name in ("q", "qd"))


def check_deviations(here, order, t, off):
    names = [joint["name"] for joint in here.model["joints"]]
    units = ["m" if joint["type"] == "prismatic" else "rad" for joint in here.model["joints"]]
    measured = order["measured"]
    assert [(joint["joint"], joint["unit"]) for joint in measured["joints"]] == list(zip(names, units))
    for j, joint in enumerate(measured["joints"]):
        k = np.argmax(np.abs(off[:, j]))
        assert joint["deviation"] == pytest.approx(off[k, j], rel=1e-3, abs=1e-6)
        assert abs(off[np.searchsorted(t, joint["deviation_at"] - 1e-9), j]) == pytest.approx(abs(off[k, j]), rel=1e-3, abs=1e-6)
        assert joint["deviation_rms"] == pytest.approx(np.sqrt(np.mean(off[:, j] ** 2)), rel=1e-3, abs=1e-6)
    worst = measured["worst_deviation"]
    j = int(np.argmax(np.abs(off).max(0)))
    assert (worst["joint"], worst["unit"], worst["tolerance"]) == (names[j], units[j], TOLERANCE)
    assert worst["deviation"] == measured["joints"][j]["deviation"] and worst["deviation_at"] == measured["joints"][j]["deviation_at"]


def test_sums_are_those_of_numpy(late):
    here, orders = late
    for order in orders:
        t, q, tau = telemetry_of(here, order)
        measured = order["measured"]
        assert order["unmeasured"] is None and measured["samples"] == len(t) and measured["torque_source"] == "sensor"
        assert measured["measured_time"] <= t[-1] - t[0] + 1e-9
        check_deviations(here, order, t, q - plan_at(here, order, t)[0])
        if np.diff(t).max() < 0.02:  # else this machine stalled, and energies leave the gap out
            work = np.sum(np.clip((tau[1:] + tau[:-1]) / 2 * np.diff(q, axis=0), 0, None))
            assert measured["measured_time"] == pytest.approx(t[-1] - t[0])
            assert measured["mechanical_energy_measured"] == pytest.approx(work, rel=0.03, abs=0.03)


def test_an_arm_that_is_late_by_a_known_time_is_told_to_be(late):
    here, orders = late
    for order in orders:
        t, _, _ = telemetry_of(here, order)
        behind = -LAG * plan_at(here, order, t)[1]
        for j, joint in enumerate(order["measured"]["joints"]):
            largest = np.abs(behind[:, j]).max()
            assert abs(joint["deviation"]) == pytest.approx(largest, rel=0.1, abs=1e-4)


def test_order_and_transfer_and_lists_and_comparison_say_the_same(late):
    here, orders = late
    listed = {one["id"]: one for one in here.client.get("/v1/orders", query={"controller": here.name}).expect(200).json["items"]}
    transfers = {one["id"]: one for one in here.client.get("/v1/transfers", query={"controller": here.name}).expect(200).json["items"]}
    for order in orders:
        transfer = here.client.get(order["transfer"]).expect(200).json
        assert order["measured"] == transfer["measured"] == listed[order["id"]]["measured"] == transfers[transfer["id"]]["measured"]
        compared = here.client.get(order["transfer"] + "/comparison").expect(200).json
        mechanical = compared["energy"]["mechanical"]
        assert order["measured"]["mechanical_energy_measured"] == pytest.approx(mechanical["measured"] + mechanical["braking"]["measured"])
        assert [joint["deviation"] for joint in order["measured"]["joints"]] == [joint["position"]["worst"] for joint in compared["joints"]]


def test_the_report_adds_them_up(late):
    here, orders = late
    told = here.client.get(f"/v1/controllers/{here.name}/report").expect(200).json
    (part,) = told["parts"]
    assert told["measured_orders"] == part["measured"] == part["done"] == 3
    assert part["mechanical_energy_measured"] == pytest.approx(sum(order["measured"]["mechanical_energy_measured"] for order in orders))
    assert part["electrical_energy_modelled_from_measured"] is None  # drives that are not described
    worst = max(orders, key=lambda order: abs(order["measured"]["worst_deviation"]["deviation"]))
    english, chinese = spoken(here.client, f"/v1/controllers/{here.name}/report")
    assert "Farthest from its plan" in english and "偏离计划最大" in chinese
    assert told["worst_deviation"] == {"order": worst["id"], "job_order_id": worst["job_order_id"], **worst["measured"]["worst_deviation"]}


def test_what_the_sum_changes_hinders_nobody(late):
    """Who read the transfer before it was summed up may still write on it."""
    here, _ = late
    order = here.automatic(to={"q": HERE}, duration=0.6)
    path = here.reach_order(order, "done")["transfer"]
    tag = here.client.get(path).expect(200).headers["ETag"]  # from before the sum or after it
    summed_up(here, order)
    patched = here.client.request("PATCH", path, {"verdict": "good"}, headers={"If-Match": tag}, content_type="application/merge-patch+json").expect(200).json
    assert patched["verdict"] == "good" and patched["measured"]
    here.client.request("PATCH", path, {"verdict": "scrap"}, headers={"If-Match": tag}, content_type="application/merge-patch+json").expect(412)


def test_what_is_not_measured_is_not_nothing(shared):
    with Foreign("--axes", 4) as controller:  # it tells no torques
        here = Ordering(shared, controller)
        blind = done(here)["measured"]
        assert blind["torque_source"] == "command" and blind["worst_deviation"]["tolerance"] is None
        assert [blind[energy] for energy in ENERGIES] == [None, None]
        here.client.put(f"/v1/controllers/{here.name}", here.document(profile={**here.profile, "telemetry_rate": 0}), headers={"If-Match": "*"}).expect(200)
        unseen = done(here, to={"q": HERE})
        assert unseen["measured"] is None and "no telemetry" in unseen["unmeasured"]
        order = here.order()
        here.reach_order(order, "ready")
        here.say(order, "cancel")
        here.reach_order(order, "stopped")
        stopped = summed_up(here, order)
        assert stopped["measured"] is None and "did not move" in stopped["unmeasured"]
        told = here.client.get(f"/v1/controllers/{here.name}/report").expect(200).json
        (part,) = told["parts"]
        assert told["measured_orders"] == 1 and (part["done"], part["measured"]) == (2, 0)
        assert [part[energy] for energy in ENERGIES] == [None, None] and part["mechanical_energy_modelled"] > 0
        controller.ledger()


def bump(db, transfer, joint, moment, by):
    """One measured position is another."""
    (width,), = db.execute("SELECT width FROM series WHERE owner = ? AND name = 'samples'", (transfer,))
    (series, data), = db.execute("SELECT series, data FROM series_chunks WHERE chunk = 0 AND series = (SELECT id FROM series WHERE owner = ? AND name = 'samples')", (transfer,))
    at = 8 * (moment * width + 1 + joint)
    (value,) = struct.unpack_from("<d", data, at)
    data = bytearray(data)
    struct.pack_into("<d", data, at, value + by)
    db.execute("UPDATE series_chunks SET data = ? WHERE chunk = 0 AND series = ?", (bytes(data), series))


def test_what_was_not_summed_up_is_after_a_restart():
    """A crash came between end and sum; and one position was measured to be a quarter of a radian off."""
    with Server() as server, Foreign("--axes", 4, "--measures") as controller:
        here = Ordering(server, controller, telemetry_rate=200)
        order = done(here, to={"q": FAR}, duration=0.6)
        transfer = order["transfer"].split("/")[-1]
        t, _, _ = telemetry_of(here, order)
        here.client.close()
        server.terminate()
        with contextlib.closing(sqlite3.connect(server.database)) as db, db:
            bump(db, transfer, 1, len(t) // 2, 0.25)
            db.execute("UPDATE transfers SET measured = NULL, unmeasured = NULL")
        server.start()
        here.client = server.client()
        again = summed_up(here, order["id"])
        worst = again["measured"]["worst_deviation"]
        assert worst["joint"] == here.model["joints"][1]["name"] and worst["deviation"] == pytest.approx(0.25, abs=0.02)
        assert worst["deviation_at"] == pytest.approx(t[len(t) // 2])

        here.client.delete(f"/v1/datasets/{transfer}", headers={"If-Match": "*"}).expect(204)  # the sum stays
        assert here.told(order["id"])["measured"] == again["measured"]
        assert here.get(transfer)["telemetry"] is None
        controller.ledger()


def test_modelled_and_measured_are_the_same_quantity(shared):
    """There and back at an arm that follows its model: the way down is braked, and delivers less than the way up, in both."""
    model = {**robot("puma560")}
    with ControllerSim(robot=model) as sim:
        here = Ordering(shared, sim, model=model, telemetry_rate=200)
        for q in ([0, -0.4, 0.3, 0, 0, 0], [0] * 6):
            order = done(here, to={"q": q}, duration=1)
            assert order["measured"]["mechanical_energy_measured"] == pytest.approx(order["plan"]["mechanical_energy_modelled"], rel=0.05, abs=0.5)
