"""Energy-optimal trajectories over HTTP: known optima, closed forms of what they are compared with, and the laws that any
motion obeys."""

import copy
import math

import pytest

from support import robot, unique_name, until
from support.optima import optimum


def store(client, model):
    query = {"allow_unphysical": "true"}  # the optima's Puma is a catalogue model
    return client.post("/v1/robots", {**model, "name": unique_name()}, query=query).expect(201).headers["Location"]


def near(value, expected, tolerance):
    assert abs(value - expected) <= tolerance * abs(expected), (value, expected)


# The Puma's torque limits hold everywhere in what is answered, which costs it some hundred-thousandths.
@pytest.mark.parametrize("name, intervals, tolerance, saved", [
    ("i_inertia_only", 20, 1e-9, {"trapezoid": 1 - 12 / 13.5, "quintic": 0.3}),
    ("ii_prismatic_gravity", 20, 1e-9, None),
    ("iii_viscous", 100, 1e-8, None),
    ("iv_2R_unconstrained", 100, 1e-6, None),
    ("xiii_puma_torque_limit_active", 50, 3e-4, None),
    ("xxi_2R_electrical", 100, 1e-5, None),
])
def test_known_optima(client, name, intervals, tolerance, saved):
    model, request, cost = optimum(name)
    trajectory = client.result_of(store(client, model) + "/trajectories", {**request, "intervals": intervals})
    assert trajectory["method"] == "energy_optimal" and trajectory["status"] == "optimal"
    near(trajectory["cost"]["value"], cost, tolerance)
    assert trajectory["cost"]["model"] == request.get("cost", {}).get("model", "torque") and trajectory["duration"] == request["duration"]
    assert trajectory["solver"]["intervals"] == intervals
    assert trajectory["solver"]["starts"] == (6 if trajectory["cost"]["model"] == "electrical" else 4)  # the torque optimum and a profile, too
    assert len(trajectory["solver"]["log"]) <= trajectory["solver"]["iterations"] and trajectory["solver"]["residual"] < 1e-5
    near(trajectory["local_minima"][0], cost, 1e-4)
    assert trajectory["local_minima"] == sorted(trajectory["local_minima"])
    for baseline, part in (saved or {}).items():
        near(trajectory["baselines"][baseline]["cost_saved_percent"], 100 * part, 1e-9)
    for baseline in trajectory["baselines"].values():
        assert baseline["cost"] >= trajectory["cost"]["value"]
        near(100 * (1 - trajectory["cost"]["value"] / baseline["cost"]), baseline["cost_saved_percent"], 1e-9)
    for margin in trajectory["margins"]:
        assert margin["worst"] <= 1 + 1e-9
    assert trajectory["transferable"] and trajectory["blockers"] == []


def test_samples_and_cost_are_one_motion(client):
    """The cost again, from the samples' torques by Simpson's rule; rest at both ends; the last sample exactly at the end."""
    model, request, _ = optimum("iii_viscous")
    trajectory = client.result_of(store(client, model) + "/trajectories", {**request, "duration": 0.8, "intervals": 40, "sample_rate": 10000})
    rows = client.get(trajectory["samples"]).expect(200).json
    tau, h = [row[0] for row in rows["tau"]], 0.8 / 8000
    assert len(rows["t"]) == 8001 and rows["t"][-1] == 0.8
    simpson = h / 3 * sum((1 if k in (0, 8000) else 4 if k % 2 else 2) * tau[k] ** 2 for k in range(8001))
    near(trajectory["cost"]["value"], simpson, 1e-6)
    for row in ("qd",):
        assert abs(rows[row][0][0]) < 1e-12 and abs(rows[row][-1][0]) < 1e-9
    assert rows["q"][0] == [0] and abs(rows["q"][-1][0] - request["goal"]["q"][0]) < 1e-12
    assert client.get(trajectory["samples"], query={"rate": 333, "fields": "t"}).json["t"][-1] == 0.8


def test_boundary_acceleration(client):
    """Free: 6 D / T^2 at the start of the cubic, which is optimal. Zero: none, and it costs more."""
    model, request, cost = optimum("i_inertia_only")
    arm = store(client, model)
    free = client.result_of(arm + "/trajectories", request)
    zero = client.result_of(arm + "/trajectories", {**request, "zero_boundary_acceleration": True})
    first = lambda t: client.get(t["samples"], query={"to": 0}).json["qdd"][0][0]
    near(first(free), 6 * 1.2 / 0.8**2, 1e-9)
    assert abs(first(zero)) < 1e-9
    assert cost < zero["cost"]["value"] < 1.2 * cost


def test_weights_are_of_the_cost(client):
    model, request, cost = optimum("ii_prismatic_gravity")
    arm = store(client, model)
    near(client.result_of(arm + "/trajectories", {**request, "cost": {"weights": [0.25]}})["cost"]["value"], cost / 4, 1e-9)
    near(client.result_of(arm + "/trajectories", {**request, "cost": {"model": "torque", "weights": None}})["cost"]["value"], cost, 1e-9)


def test_a_seed_trajectory_begins_the_search(client):
    """From the optimum the search has nothing to do; a quintic of another duration is a start too."""
    model, request, cost = optimum("iv_2R_unconstrained")
    arm = store(client, model)
    first = client.result_of(arm + "/trajectories", {**request, "multistart": 1})
    again = client.result_of(arm + "/trajectories", {**request, "multistart": 1, "seed_trajectory": first["id"]})
    assert again["solver"]["iterations"] < first["solver"]["iterations"]
    near(again["cost"]["value"], first["cost"]["value"], 1e-9)
    quintic = client.result_of(arm + "/trajectories", {"method": "quintic", "start": request["start"], "goal": request["goal"], "duration": 2})
    other = client.result_of(arm + "/trajectories", {**request, "multistart": 1, "seed_trajectory": quintic["id"]})
    near(other["cost"]["value"], cost, 1e-5)


def test_a_seed_trajectory_is_held(client):
    """It must be there and of such an arm when the job is accepted, and stays as long as something was computed from it."""
    model, request, _ = optimum("i_inertia_only")
    arm, other = store(client, model), store(client, optimum("iv_2R_unconstrained")[0])
    first = client.result_of(arm + "/trajectories", {**request, "intervals": 8})
    for path, seed, words in ((arm, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "there is no"), (other, first["id"], "number of joints")):
        n = 1 if path == arm else 2
        asked = {"start": {"q": [0] * n}, "goal": {"q": [1] * n}, "duration": 1, "seed_trajectory": seed}
        answer = client.post(path + "/trajectories", asked).expect(422)
        assert [(e["pointer"], e["code"]) for e in answer.json["errors"]] == [("/seed_trajectory", "inconsistent")]
        assert words in answer.json["errors"][0]["detail"]
    second = client.result_of(arm + "/trajectories", {**request, "intervals": 8, "multistart": 1, "seed_trajectory": first["id"]})
    refused = client.delete("/v1/trajectories/" + first["id"], headers={"If-Match": "*"}).expect(409).json
    assert second["id"] in refused["detail"]
    client.delete("/v1/trajectories/" + second["id"], headers={"If-Match": "*"}).expect(204)
    client.delete("/v1/trajectories/" + first["id"], headers={"If-Match": "*"}).expect(204)


def test_the_same_seed_gives_the_same_motion(client):
    model, request, _ = optimum("iv_2R_unconstrained")
    arm = store(client, model)
    a, b = (client.result_of(arm + "/trajectories", {**request, "seed": 7, "intervals": 50}) for _ in range(2))
    assert a["cost"] == b["cost"] and a["local_minima"] == b["local_minima"]
    assert client.get(a["samples"]).json == client.get(b["samples"]).json


def test_infeasible_says_what_would_do(client):
    """12 I D / T^2 / 2 is the peak torque of the cheapest motion without limits; bang-bang needs at least 4 I D / T^2."""
    model, request, _ = optimum("i_inertia_only")
    model["joints"][0]["limits"] = {"torque": 10}
    least = math.sqrt(4 * 2.5 * 1.2 / 10)
    arm = store(client, model)
    job = client.run_job(arm + "/trajectories", {**request, "duration": 0.9 * least, "intervals": 50})
    problem = job["problem"]
    assert job["state"] == "failed" and problem["type"].endswith("/infeasible"), problem
    assert "torque" in problem["detail"] and "j1" in problem["detail"]
    assert least < problem["minimum_duration"] < 1.05 * least
    better = client.result_of(arm + "/trajectories", problem["suggested_request"])
    assert better["duration"] == problem["suggested_request"]["duration"] < 1.06 * least
    assert better["status"] == "optimal" and better["transferable"]


@pytest.mark.parametrize("method", ["energy_optimal", "path_timing"])
@pytest.mark.parametrize("part", [0.9, 1.04], ids=["too short", "long enough"])
def test_a_search_without_time_says_what_would_do(client, method, part):
    """Bang-bang again: what is suggested takes no less, is what was asked for where that is possible, and has the time it
    needs. A trapezoid of thirds keeps the limit from sqrt(9/8) times the least on, so a search is needed before."""
    model, request, _ = optimum("i_inertia_only")
    model["joints"][0]["limits"] = {"torque": 10}
    least = math.sqrt(4 * 2.5 * 1.2 / 10)
    asked = {"start": request["start"], "goal": request["goal"], "method": method, "duration": part * least, "intervals": 50, "deadline": 1e-9}
    arm = store(client, model)
    problem = client.run_job(arm + "/trajectories", asked)["problem"]
    assert problem["type"].endswith("/undecided"), problem
    assert least * 0.9999 < problem["minimum_duration"] < 1.05 * least
    suggested = problem["suggested_request"]
    assert suggested["deadline"] >= 1 and {**suggested, "duration": 0, "deadline": 0} == {**asked, "duration": 0, "deadline": 0}
    assert suggested["duration"] == asked["duration"] if part > 1 else least * 0.9999 < suggested["duration"] < 1.06 * least
    near(client.result_of(arm + "/trajectories", suggested)["duration"], suggested["duration"], 1e-12)


def test_a_search_without_time_answers_a_profile_that_does(client):
    """The trapezoid of thirds is there for nothing, as its closed form says: 13.5 I^2 D^2 / T^3."""
    model, request, _ = optimum("i_inertia_only")
    model["joints"][0]["limits"] = {"torque": 10}
    T = 1.1 * math.sqrt(4 * 2.5 * 1.2 / 10)
    asked = {"start": request["start"], "goal": request["goal"], "duration": T, "deadline": 1e-9, "cost": {"weights": [1]}}
    trajectory = client.result_of(store(client, model) + "/trajectories", asked)
    assert trajectory["status"] == "feasible" and "trapezoid" in trajectory["detail"] and trajectory["transferable"]
    near(trajectory["cost"]["value"], 13.5 * 2.5**2 * 1.2**2 / T**3, 1e-9)


def test_a_limit_on_the_way_is_kept_everywhere(client):
    """Closed form of a velocity limit v: rest to v by a parabola of acceleration in time s, v T - 2 v s / 3 = D."""
    model, request, cost = optimum("i_inertia_only")
    arm = store(client, model)
    peak = 1.5 * 1.2 / 0.8
    trajectory = client.result_of(arm + "/trajectories", {**request, "limits": {"velocity": [0.9 * peak]}})
    ramp = (0.9 * peak * 0.8 - 1.2) * 3 / 2 / (0.9 * peak)  # of each end
    near(trajectory["cost"]["value"], 2 * 2.5**2 * 4 / 3 * (0.9 * peak) ** 2 / ramp, 1e-3)
    rows = client.get(trajectory["samples"], query={"rate": 20000, "fields": "qd"}).json["qd"]
    assert max(abs(qd) for qd, in rows) <= 0.9 * peak * (1 + 1e-9)


def test_a_priced_duration(client):
    """12 I^2 D^2 / T^3 + p T is least at T^4 = 36 I^2 D^2 / p; within a longest duration, at that."""
    model, request, _ = optimum("i_inertia_only")
    arm, price = store(client, model), 500
    best = (36 * 2.5**2 * 1.2**2 / price) ** 0.25
    free = client.result_of(arm + "/trajectories", {**request, "duration": None, "time_price": price})
    near(free["duration"], best, 1e-5)
    near(free["cost"]["value"], 12 * 2.5**2 * 1.2**2 / best**3 + price * best, 1e-9)
    near(free["cost"]["of_time"], price * free["duration"], 1e-12)
    near(free["cost"]["of_motion"] + free["cost"]["of_time"], free["cost"]["value"], 1e-12)
    bound = client.result_of(arm + "/trajectories", {**request, "duration": None, "time_price": price, "duration_max": 0.5})
    near(bound["duration"], 0.5, 1e-6)


def test_other_durations_are_compared(client):
    """In closed form: 12 I^2 D^2 / T^3, and the drive delivers I v^2 / 2 at the peak v = 3 D / 2 T of the cubic."""
    model, request, _ = optimum("i_inertia_only")
    durations = [1.6, 0.4, 0.8, 3]
    trajectory = client.result_of(store(client, model) + "/trajectories", {**request, "intervals": 40, "durations": durations})
    assert [row["duration"] for row in trajectory["pareto"]] == durations
    for row in trajectory["pareto"]:
        T = row["duration"]
        near(row["cost"], 12 * 2.5**2 * 1.2**2 / T**3, 1e-8)
        near(row["energy"], 2.5 * (1.5 * 1.2 / T)**2 / 2, 1e-8)
        assert row["status"] == "optimal" and row["electrical_energy"] is None
    near(trajectory["pareto"][2]["cost"], trajectory["cost"]["value"], 1e-9)
    near(trajectory["pareto"][2]["energy"], trajectory["energy"]["total"], 1e-9)
    assert trajectory["duration"] == 0.8


def test_a_price_of_time_and_drives_count_in_other_durations(client):
    """A lifted mass costs m^2 g^2 more of each second, and the price on top; what the supply delivers is that of a request of its own."""
    model, request, _ = optimum("ii_prismatic_gravity")
    model["joints"][0]["drive"] = {"rotor_inertia": 0, "gear_ratio": 100, "torque_constant": 0.2, "resistance": 0.5, "efficiency": 0.8}
    mass, D = model["joints"][0]["link"]["mass"], request["goal"]["q"][0]
    arm, price = store(client, model), 7
    other = {**request, "time_price": price, "intervals": 40}
    front = client.result_of(arm + "/trajectories", {**other, "durations": [0.5, 2]})["pareto"]
    for row in front:
        T = row["duration"]
        near(row["cost"], 12 * mass**2 * D**2 / T**3 + mass**2 * 9.81**2 * T + price * T, 1e-8)
        alone = client.result_of(arm + "/trajectories", {**other, "duration": T})
        near(row["electrical_energy"], alone["electrical_energy"]["total"], 1e-6)


def test_durations_that_are_too_short_are_told(client):
    """With a velocity limit v no motion of less than D / v is possible. What is suggested instead of an impossible motion compares nothing."""
    model, request, _ = optimum("i_inertia_only")
    arm = store(client, model)
    limited = {**request, "limits": {"velocity": [2]}, "durations": [0.5, 1, 0.55]}
    front = client.result_of(arm + "/trajectories", limited)["pareto"]
    assert [row["status"] for row in front] == ["infeasible", "optimal", "infeasible"]
    assert all(row[name] is None for row in (front[0], front[2]) for name in ("cost", "energy"))
    job = client.run_job(arm + "/trajectories", {**limited, "duration": 0.5})
    assert job["state"] == "failed" and "durations" not in job["problem"]["suggested_request"]


def test_the_shortest_duration(client):
    """Bang-bang under a torque limit: T^2 = 4 I D / limit, which a spline comes near to from above."""
    model, request, _ = optimum("i_inertia_only")
    model["joints"][0]["limits"] = {"torque": 10}
    least = math.sqrt(4 * 2.5 * 1.2 / 10)
    arm = store(client, model)
    shortest = client.result_of(arm + "/trajectories", {**request, "duration": None, "cost": {"model": "time"}})
    assert least < shortest["duration"] < 1.01 * least
    near(shortest["cost"]["value"], shortest["duration"], 1e-12)
    longer = client.result_of(arm + "/trajectories", {**request, "duration": 2 * least})
    assert least < longer["minimum_duration"] < 1.03 * least


def test_waypoints_are_passed(client):
    """A point on the best motion at its time changes nothing; another one costs more, less so when its time is free."""
    model, request, cost = optimum("i_inertia_only")
    arm = store(client, model)
    on_it = client.result_of(arm + "/trajectories", {**request, "waypoints": [{"q": [0.6], "time": 0.4}]})
    near(on_it["cost"]["value"], cost, 1e-6)
    assert on_it["waypoint_times"][0] == 0 and on_it["waypoint_times"][-1] == 0.8
    near(on_it["waypoint_times"][1], 0.4, 1e-12)
    off_it = client.result_of(arm + "/trajectories", {**request, "waypoints": [{"q": [0.2], "time": 0.4}]})
    free = client.result_of(arm + "/trajectories", {**request, "waypoints": [{"q": [0.2], "time": None}]})
    assert cost * 0.999999 < free["cost"]["value"] < off_it["cost"]["value"]
    for trajectory in (off_it, free):
        q = client.get(trajectory["samples"], query={"rate": 10000, "fields": "t,q"}).json
        nearest = min(range(len(q["t"])), key=lambda k: abs(q["t"][k] - trajectory["waypoint_times"][1]))
        assert abs(q["q"][nearest][0] - 0.2) < 1e-3


def test_electricity_is_a_cost(client):
    """Of one drive without losses but copper: what copper takes, in J. The cheapest torque is nearly the
    cheapest electricity, even where braking is burnt (the planner rounds the kink of max(0, power))."""
    model, request, cost = optimum("i_inertia_only")
    model["joints"][0]["drive"].update(torque_constant=0.5, resistance=0.8, efficiency=1)
    arm = store(client, model)
    grid = client.result_of(arm + "/trajectories", {**request, "cost": {"model": "electrical", "regeneration": "grid", "grid_efficiency": 1}})
    near(grid["cost"]["value"], 0.8 * cost / 0.5**2, 1e-6)
    near(grid["electrical_energy"]["total"], grid["cost"]["value"], 1e-6)
    burnt = client.result_of(arm + "/trajectories", {**request, "cost": {"model": "electrical"}})
    torque = client.result_of(arm + "/trajectories", request)
    assert burnt["cost"]["model"] == "electrical"
    assert grid["cost"]["value"] < burnt["electrical_energy"]["total"] < torque["electrical_energy"]["total"] * (1 + 1e-4)


DRIVE = {"torque_constant": 0.5, "resistance": 0.8, "efficiency": 1}


def test_energy_is_electricity_where_the_drives_have_their_data(client):
    model, request, _ = optimum("iii_viscous")
    request = {key: value for key, value in request.items() if key != "cost"}
    bare = client.result_of(store(client, model) + "/trajectories", request)
    assert (bare["cost"]["model"], bare["cost"]["basis"]) == ("torque", "no_drive_data")
    assert bare["lower_bound"] is None and bare["gap_percent"] is None
    model["joints"][0]["drive"].update(DRIVE)
    arm = store(client, model)
    chosen, asked, torque, grid = (client.result_of(arm + "/trajectories", {**request, **cost}) for cost in (
        {}, {"cost": {"model": "electrical"}}, {"cost": {"model": "torque"}}, {"cost": {"regeneration": "grid"}}))
    assert [(m["cost"]["model"], m["cost"]["basis"]) for m in (chosen, asked, torque, grid)] == [
        ("electrical", "drive_data"), ("electrical", "requested"), ("torque", "requested"), ("electrical", "requested")]
    near(chosen["cost"]["value"], asked["cost"]["value"], 1e-12)
    near(chosen["cost"]["value"], chosen["electrical_energy"]["total"], 1e-6)
    assert chosen["electrical_energy"]["total"] <= torque["electrical_energy"]["total"] * (1 + 1e-6)


def test_no_motion_draws_less_than_its_bound(client):
    """Of every method, and the bound of a slide in closed form: weight, friction, and the copper that holds both in the mean."""
    model, request, _ = optimum("ii_prismatic_gravity")
    joint, request = model["joints"][0], {key: value for key, value in request.items() if key in ("start", "goal", "duration")}
    joint["drive"] = {"rotor_inertia": 0, "gear_ratio": 100, "torque_constant": 0.2, "resistance": 0.5, "efficiency": 0.8}
    joint["friction"] = {"viscous": 30}
    arm, T = store(client, model), request["duration"]
    mass, way = joint["link"]["mass"], request["goal"]["q"][0] - request["start"]["q"][0]
    work, mean = mass * 9.81 * way + 30 * way**2 / T, mass * 9.81 + 30 * way / T
    bound = work / 0.8 + 0.5 * (0.8 * mean / (100 * 0.2))**2 * T
    for method in ("energy_optimal", "trapezoid", "quintic", "cubic"):
        motion = client.result_of(arm + "/trajectories", {**request, "method": method})
        told, total = motion["lower_bound"], motion["electrical_energy"]["total"]
        near(told["total"], bound, 1e-9)
        near(sum(told["by_cause"].values()), told["total"], 1e-9)
        near(motion["gap_percent"], 100 * (1 - bound / total), 1e-9)
        assert total > told["total"]


def test_a_profile_that_draws_less_is_told(client):
    """Least torque is not least energy: on a drive of much friction the torque's own best hurries, and friction takes more."""
    model, request, _ = optimum("i_inertia_only")
    joint = model["joints"][0]
    joint["drive"].update(DRIVE, resistance=1e-3)
    joint["friction"] = {"viscous": 40}
    arm, asked = store(client, model), {"start": request["start"], "goal": request["goal"], "duration": 2}
    for cost in ("torque", "electrical"):
        motion = client.result_of(arm + "/trajectories", {**asked, "cost": {"model": cost}})
        total = motion["electrical_energy"]["total"]
        better = [b for b in motion["baselines"].values() if b["feasible"] and b["electrical_energy"] < total * (1 - 1e-6)]
        told = [w for w in motion["warnings"] if w["code"] == "baseline_draws_less"]
        assert len(told) == len(better) and not (better and cost == "electrical"), motion["baselines"]
        for warning in told:
            assert warning["joint"] is None and f"{total:.6g} J" in warning["detail"]
        assert "baseline_costs_less" not in {w["code"] for w in motion["warnings"]}


@pytest.mark.parametrize("method", ["quintic", "energy_optimal"])
def test_a_shaped_motion_leaves_no_vibration(client, method):
    """ZV of an undamped mode: two halves, half a period apart; nothing is left of the mode. Closed form."""
    model, request, _ = optimum("i_inertia_only")
    arm = store(client, model)
    request = {"start": request["start"], "goal": request["goal"], "duration": request["duration"], "method": method}
    plain = client.result_of(arm + "/trajectories", request)
    shaped = client.result_of(arm + "/trajectories", {**request, "shaper": {"type": "zv", "modes": [{"frequency_hz": 2.5}]}})
    shaper = shaped["shaper"]
    assert [(round(i["time"], 12), round(i["amplitude"], 12)) for i in shaper["impulses"]] == [(0, 0.5), (0.2, 0.5)]
    near(shaped["duration"], plain["duration"] + 0.2, 1e-12)
    mode = shaper["modes"][0]
    assert mode["before"][0] > 1e-3 and mode["after"][0] < 1e-9 and mode["residual"] < 1e-9
    assert shaped["status"] == "feasible" and "shaper" not in plain
    a, b = (client.get(t["samples"], query={"rate": 1000, "fields": "q"}).json["q"] for t in (plain, shaped))
    for k in range(0, 1000, 50):  # q_shaped(t) = (q(t) + q(t - 0.2)) / 2
        late = a[min(max(k - 200, 0), len(a) - 1)][0]
        assert abs(b[k][0] - (a[min(k, len(a) - 1)][0] + late) / 2) < 1e-9


def test_a_path_is_timed(client):
    """The quickest motion of an inertia under a torque limit is bang-bang, T^2 = 4 I D / limit; along a straight line in
    joint space all joints stay on it; and it keeps its limits everywhere."""
    model, request, _ = optimum("i_inertia_only")
    model["joints"][0]["limits"] = {"torque": 10}
    least = math.sqrt(4 * 2.5 * 1.2 / 10)
    points = {"start": request["start"], "goal": request["goal"], "method": "path_timing"}
    arm = store(client, model)
    quickest = client.result_of(arm + "/trajectories", {**points, "duration": None, "cost": {"model": "time"}})
    assert quickest["status"] == "optimal" and least * (1 - 1e-9) < quickest["duration"] < 1.005 * least
    assert quickest["transferable"] and quickest["solver"]["gap"] < 1e-3
    near(quickest["minimum_duration"], least, 5e-3)
    slower = client.result_of(arm + "/trajectories", {**points, "duration": 2 * least, "cost": {"weights": [1]}})
    near(slower["cost"]["value"], 12 * 2.5**2 * 1.2**2 / (2 * least) ** 3, 2e-3)
    job = client.run_job(arm + "/trajectories", {**points, "duration": 0.9 * least})
    assert job["problem"]["type"].endswith("/infeasible") and job["problem"]["suggested_request"]["duration"] < 1.01 * least
    model, request, _ = optimum("iv_2R_unconstrained")
    line = client.result_of(store(client, model) + "/trajectories", {**points, "start": request["start"], "goal": request["goal"], "duration": 0.6})
    for q1, q2 in client.get(line["samples"], query={"fields": "q"}).json["q"]:
        assert abs((q1 + 1.2) / 2.1 - (q2 - 0.4) / 1.2) < 1e-9


def test_the_deadline_ends_the_search(client):
    model, request, _ = optimum("iv_2R_unconstrained")
    trajectory = client.run_job(store(client, model) + "/trajectories", {**request, "intervals": 2000, "multistart": 64, "deadline": 0.05})
    if trajectory["state"] == "succeeded":
        value = trajectory["result"]["value"]
        assert value["status"] in ("optimal", "feasible") and value["solver"]["time"] < 5
    else:
        assert trajectory["problem"]["type"].endswith("/undecided")


def test_cancel_within_a_second(client):
    model, request, _ = optimum("xiii_puma_torque_limit_active")
    arm = store(client, model)
    job = client.post(arm + "/trajectories", {**request, "intervals": 2000, "multistart": 64, "deadline": 600}).expect(202).json
    href = f"/v1/jobs/{job['id']}"
    until(lambda: "iteration" in client.get(href).json["message"])
    client.post(href + "/cancel").expect(200)
    assert until(lambda: client.get(href).json["state"] == "cancelled", 1)


def test_drives_tell_what_the_supply_gives(client):
    """One drive without losses but copper: its energy is the integral of r i^2, as the motion returns all it took."""
    model, request, _ = optimum("i_inertia_only")
    model["joints"][0]["drive"].update(torque_constant=0.5, resistance=0.8, efficiency=1)
    trajectory = client.result_of(store(client, model) + "/trajectories", request)
    electrical = trajectory["electrical_energy"]
    near(electrical["by_cause"]["copper"], 0.8 * trajectory["cost"]["value"] / 0.5**2, 1e-9)
    near(sum(electrical["by_cause"].values()), electrical["total"], 1e-9)
    near(electrical["by_joint"][0]["total"], electrical["total"], 1e-12)
    for baseline in trajectory["baselines"].values():
        near(100 * (1 - electrical["total"] / baseline["electrical_energy"]), baseline["electrical_energy_saved_percent"], 1e-9)


def test_without_drives_there_is_no_electrical_energy(client):
    model, request, _ = optimum("ii_prismatic_gravity")
    trajectory = client.result_of(store(client, model) + "/trajectories", request)
    assert trajectory["electrical_energy"] is None
    assert trajectory["baselines"]["trapezoid"]["electrical_energy"] is None
