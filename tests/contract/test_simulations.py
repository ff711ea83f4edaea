"""Simulations: closed forms, conserved quantities, bad input, failures in words, samples in three formats."""

import math

import pytest

from support import npy_read, robot, unique_name, until
from support.rods import PENDULUM, SLIDE, G, one_joint

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture
def arm(client):
    return client.create_robot(robot("puma560"), name=unique_name()).headers["Location"]


def ended(client, arm, **request):
    """The ended job; a field ... is left out."""
    body = {"q": [0.0] * 6, "duration": 1, **request}
    return client.run_job(arm + "/simulations", {k: v for k, v in body.items() if v is not ...})


def simulated(client, arm, **request):
    job = ended(client, arm, **request)
    assert job["state"] == "succeeded" and job["kind"] == "simulation", job["problem"]
    return job["result"]["value"]


def of_model(client, model, **request):
    """(simulation, its samples) of a model that is stored for it."""
    place = client.create_robot(model, name=unique_name()).headers["Location"]
    found = simulated(client, place, **request)
    return found, client.get(found["samples"]).expect(200).json


# -- closed forms --

def agm(a, b):
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


@pytest.mark.parametrize("method", [{}, {"tolerance": 1e-12}, {"method": "fixed", "step": 1e-3}], ids=str)
@pytest.mark.parametrize("amplitude", [0.1, 1.0, 2.5])
def test_pendulum(client, amplitude, method):
    """Period 4 K(sin(amplitude / 2)) / omega; K by Gauss's mean. After half of it the other side, after all of it back."""
    inertia = 0.05 + 2 * 0.3**2
    omega = math.sqrt(2 * G * 0.3 / inertia)
    period = 2 * math.pi / agm(1, math.cos(amplitude / 2)) / omega
    found, rows = of_model(client, PENDULUM, q=[amplitude], duration=period, sample_rate=2 / period, **method)
    assert rows["t"] == pytest.approx([0, period / 2, period], rel=1e-12) and rows["t"][-1] == period
    assert [q[0] for q in rows["q"]] == pytest.approx([amplitude, -amplitude, amplitude], abs=1e-9)
    assert [qd[0] for qd in rows["qd"]] == pytest.approx([0, 0, 0], abs=1e-8)
    assert found["energy"]["work"] == 0 and found["energy"]["dissipated"] == pytest.approx(0, abs=1e-9)
    assert found["sample_count"] == 3 and found["duration"] == period and found["steps"] >= 2


@pytest.mark.parametrize("method", [{}, {"method": "fixed", "step": 0.01}], ids=str)
def test_constant_force_on_a_slide(client, method):
    """x = x0 + v t + F t^2 / 2 m; the work becomes kinetic energy; momentum is m v along the slide."""
    force, mass, v = 5.0, 2.0, 0.25
    found, rows = of_model(client, SLIDE, q=[0.1], qd=[v], tau=[force], duration=2, friction=False, sample_rate=50, **method)
    assert len(rows["t"]) == 101 and rows["tau"] == [[force]] * 101
    for k, t in enumerate(rows["t"]):
        speed = v + force / mass * t
        assert t == pytest.approx(k / 50, abs=1e-15)
        assert rows["q"][k][0] == pytest.approx(0.1 + v * t + force / mass * t**2 / 2, abs=1e-12)
        assert rows["qd"][k][0] == pytest.approx(speed, abs=1e-12)
        assert rows["kinetic"][k] == pytest.approx(mass * speed**2 / 2, abs=1e-11)
        assert rows["linear_momentum"][k] == pytest.approx([0, 0, mass * speed], abs=1e-11)
        assert rows["angular_momentum"][k] == pytest.approx([0, -0.3 * mass * speed, 0], abs=1e-11)
    energy = found["energy"]
    assert energy["work"] == pytest.approx(force * (v * 2 + force / mass * 2), rel=1e-12) and energy["dissipated"] is None
    assert found["end"]["kinetic"] - found["start"]["kinetic"] == pytest.approx(energy["work"], rel=1e-12)
    assert energy["peak_kinetic"] == found["end"]["kinetic"] and energy["drift"] < 1e-13
    assert found["end"]["momentum"]["linear"] == rows["linear_momentum"][-1]
    if method:
        assert found["steps"] == 200  # whole ones between samples


def test_viscous_friction(client):
    """m dv/dt = -c v: v = v0 exp(-c t / m), and friction takes what kinetic energy is lost."""
    slide = one_joint("prismatic", [0, 0, 0], friction={"viscous": 4})
    found, rows = of_model(client, slide, q=[0], qd=[1], duration=1.5, sample_rate=10)
    for t, qd in zip(rows["t"], rows["qd"]):
        assert qd[0] == pytest.approx(math.exp(-2 * t), abs=1e-11)
    assert found["energy"]["dissipated"] == pytest.approx(1 - math.exp(-6), rel=1e-10)
    assert found["energy"]["drift"] is None
    free, _ = of_model(client, slide, q=[0], qd=[1], duration=1.5, friction=False)
    assert free["end"]["kinetic"] == pytest.approx(1, rel=1e-12)


def test_at_rest_stays_at_rest(client):
    found, rows = of_model(client, PENDULUM, q=[0], duration=0.5, friction=False, sample_rate=10)
    assert rows["q"] == [[0]] * 6 and found["energy"]["peak_kinetic"] == 0 and found["energy"]["drift"] is None


# -- laws --

def test_energy_of_a_free_puma(client, arm):
    found = simulated(client, arm, q=[0.1, -0.4, 0.3, 0.5, -0.6, 0.2], duration=10, friction=False, sample_rate=100)
    assert found["energy"]["peak_kinetic"] > 10 and found["energy"]["drift"] < 1e-9
    rows = client.get(found["samples"]).expect(200).json
    total = [a + b for a, b in zip(rows["kinetic"], rows["potential"])]
    drift = max(abs(e - total[0]) for e in total) / max(rows["kinetic"])
    assert found["energy"]["drift"] == pytest.approx(drift, abs=1e-13)
    told = client.post(arm + "/energy", {"q": rows["q"][500], "qd": rows["qd"][500]}).expect(200).json
    assert (rows["kinetic"][500], rows["potential"][500]) == pytest.approx((told["kinetic"], told["potential"]), rel=1e-12)


def test_torques_and_energy_of_the_puma(client, arm):
    """Work of constant torques; and a wider tolerance shows, where samples are too few to bound the steps."""
    options = dict(q=[0.1] * 6, qd=[0.5] * 6, tau=[10, -20, 5, 1, -1, 0.5], duration=2, friction=False, sample_rate=100)
    found = simulated(client, arm, **options)
    rows = client.get(found["samples"]).expect(200).json
    work = sum(tau * (b - a) for tau, a, b in zip(options["tau"], rows["q"][0], rows["q"][-1]))
    assert found["energy"]["work"] == pytest.approx(work, rel=1e-12) and found["energy"]["drift"] < 1e-9
    fine, rough = (simulated(client, arm, **{**options, "sample_rate": 5, "tolerance": tolerance}) for tolerance in (1e-12, 1e-4))
    assert rough["steps"] < fine["steps"] / 2 and rough["energy"]["drift"] > 1000 * fine["energy"]["drift"]


# -- along a trajectory --

EXCITATION = {"duration": 4, "harmonics": 2, "base_frequency_hz": 0.25, "population": 8, "generations": 4, "sample_rate": 100}


@pytest.fixture(scope="module")
def excited(server):
    """(place of a SCARA with friction and rotors, an excitation of it, the samples of that)."""
    with server.client() as client:
        place = client.create_robot(robot("scara"), name=unique_name()).headers["Location"]
        excitation = client.result_of(place + "/excitations", EXCITATION)
        yield place, excitation["id"], client.get(excitation["samples"]).expect(200).json


@pytest.mark.parametrize("friction", [True, False])
def test_an_excitation_is_followed(client, excited, friction):
    """From its start the arm does what was planned; with friction by the planned torques, whose work is kinetic energy and
    what friction took: both ends are at rest in one place."""
    place, id, planned = excited
    found = simulated(client, place, q=..., duration=..., trajectory=id, friction=friction, sample_rate=100)
    rows = client.get(found["samples"]).expect(200).json
    assert found["trajectory"] == id and found["duration"] == 4 and found["tracking"]["bandwidth_hz"] == 5
    assert len(rows["t"]) == len(planned["t"]) and found["energy"]["drift"] is None
    for q, wanted in zip(rows["q"] + rows["qd"], planned["q"] + planned["qd"]):
        assert q == pytest.approx(wanted, abs=1e-7)
    assert max(found["tracking"]["max"]) < 1e-7
    if friction:
        largest = [max(abs(tau[j]) for tau in planned["tau"]) for j in range(4)]
        assert found["tracking"]["peak_torque"] == pytest.approx(largest, rel=1e-6)
        for tau, wanted in zip(rows["tau"], planned["tau"]):
            assert tau == pytest.approx(wanted, rel=1e-6, abs=1e-6 * max(largest))
    power = [sum(t * v for t, v in zip(tau, qd)) for tau, qd in zip(planned["tau"], planned["qd"])]
    work = sum((a + b) / 2 for a, b in zip(power, power[1:])) / 100
    assert found["energy"]["work"] == pytest.approx(work if friction else 0, rel=1e-6, abs=0.02 * work)


def test_what_the_arm_is_off_dies_out(client, excited):
    """(1 + w t) exp(-w t) in every joint, whatever the others do."""
    place, id, planned = excited
    off = [0.01, -0.02, 0.003, 0.04]
    found = simulated(client, place, q=[a + b for a, b in zip(planned["q"][0], off)], duration=1.5, trajectory=id, bandwidth_hz=2,
                      sample_rate=100)
    rows = client.get(found["samples"]).expect(200).json
    w = 2 * math.pi * 2
    for t, q, wanted in zip(rows["t"], rows["q"], planned["q"]):
        left = (1 + w * t) * math.exp(-w * t)
        assert [a - b for a, b in zip(q, wanted)] == pytest.approx([left * x for x in off], abs=1e-8), t
    assert found["tracking"]["max"] == pytest.approx(list(map(abs, off)), rel=1e-9)


def test_it_lasts_no_longer_than_what_it_follows(client, excited):
    place, id, _ = excited
    job = ended(client, place, q=..., duration=5, trajectory=id)
    assert job["state"] == "failed" and job["problem"]["errors"][0]["pointer"] == "/duration", job


def test_there_must_be_what_is_followed(client, excited, arm):
    """Of that arm, and at once: no job begins."""
    place, id, _ = excited
    for at, followed, told in ((place, NOBODY, "there is no"), (arm, id, "another number of joints")):
        fault, = client.post(at + "/simulations", {"trajectory": followed}).expect(422).json["errors"]
        assert fault["pointer"] == "/trajectory" and told in fault["detail"]


@pytest.mark.parametrize("kind", ["excitation", "trajectory", "friction-test"])
def test_what_is_followed_is_kept(client, excited, kind):
    """As long as a simulation refers to it; whatever kind of motion it is."""
    place = excited[0]
    request = {"excitation": EXCITATION, "friction-test": {"joints": ["j1"], "speeds": 3, "sample_rate": 100},
               "trajectory": {"method": "quintic", "start": {"q": [0] * 4}, "goal": {"q": [0.1, 0.1, 0.02, 0]}, "duration": 2}}[kind]
    plural = "trajectories" if kind == "trajectory" else kind + "s"
    motion = client.result_of(f"{place}/{plural}", request)
    found = simulated(client, place, q=..., duration=0.2, trajectory=motion["id"], sample_rate=50)
    followed, follower = f"/v1/{plural}/{motion['id']}", f"/v1/simulations/{found['id']}"

    def delete(what):
        return client.delete(what, headers={"If-Match": client.get(what).expect(200).etag})
    assert f"simulation {found['id']}" in delete(followed).expect(409).json["detail"]
    delete(follower).expect(204)
    delete(followed).expect(204)


# -- what cannot be followed --

def test_a_joint_that_moves_nothing(client):
    model = robot("scara")
    model["joints"][-1]["link"] = {"mass": 0, "com": [0, 0, 0], "inertia": {"xx": 0, "yy": 0, "zz": 0}}
    model["joints"][-1].pop("drive", None)
    model.pop("payload", None)
    place = client.create_robot(model, name=unique_name()).headers["Location"]
    problem = ended(client, place, q=[0.1] * 4)["problem"]
    assert problem["type"] == "/problems/invalid"
    assert "t = 0 s" in problem["detail"] and model["joints"][-1]["name"] in problem["detail"], problem


def test_a_motion_that_cannot_be_followed(client):
    """Dry friction that turns over within 1e-15 m/s asks for steps below the resolution of time when the slide stops at 2 ms."""
    slide = one_joint("prismatic", [0, 0, 0], friction={"coulomb": 1e6}, velocity_scale=1e-15)
    place = client.create_robot(slide, name=unique_name()).headers["Location"]
    job = ended(client, place, q=[0], qd=[1000])
    assert job["state"] == "failed" and job["result"] is None
    assert job["problem"]["type"] == "/problems/invalid" and "t = 0.002 s" in job["problem"]["detail"]
    assert job["problem"]["errors"][0]["pointer"] == "/tolerance"


# -- bad input --

@pytest.mark.parametrize("change, pointer, code", [
    ({"q": ...}, "/q", "required"), ({"duration": ...}, "/duration", "required"), ({"q": [0] * 5}, "/q", "length"),
    ({"qd": [0] * 7}, "/qd", "length"), ({"tau": [1]}, "/tau", "length"), ({"q": [0, 0, 0, 0, 0, 1e7]}, "/q/5", "maximum"),
    ({"duration": 0}, "/duration", "minimum"), ({"duration": 100001}, "/duration", "maximum"), ({"friction": 1}, "/friction", "type"),
    ({"method": "euler"}, "/method", "enum"), ({"method": "fixed"}, "/step", "required"), ({"step": 0.1}, "/step", "inconsistent"),
    ({"method": "fixed", "step": 0.1, "tolerance": 1e-9}, "/tolerance", "inconsistent"),
    ({"tolerance": 0}, "/tolerance", "minimum"), ({"tolerance": 1}, "/tolerance", "maximum"),
    ({"method": "fixed", "step": 0}, "/step", "minimum"), ({"method": "fixed", "step": 1e-7, "duration": 10}, "/step", "minimum"),
    ({"duration": 10000}, "/sample_rate", "maximum"), ({"sample_rate": 0}, "/sample_rate", "minimum"),
    ({"trajectory": NOBODY, "tau": [0] * 6}, "/tau", "inconsistent"), ({"trajectory": "x"}, "/trajectory", "pattern"),
    ({"bandwidth_hz": 3}, "/bandwidth_hz", "inconsistent"), ({"trajectory": NOBODY, "bandwidth_hz": 0}, "/bandwidth_hz", "minimum"),
    ({"tags": {"a": 1}}, "/tags/a", "type"), ({"torque": [0] * 6}, "/torque", "unknown_field"),
], ids=str)
def test_bad_input(client, arm, change, pointer, code):
    body = {"q": [0] * 6, "duration": 1, **change}
    answer = client.post(arm + "/simulations", {k: v for k, v in body.items() if v is not ...}).expect(422).json
    assert [(e["pointer"], e["code"]) for e in answer["errors"]] == [(pointer, code)]


# -- as a resource --

def test_samples_in_three_formats(client, arm):
    found = simulated(client, arm, duration=0.05, q=[0.1] * 6, sample_rate=200)
    place = found["samples"]
    names = (["t"] + [f"{n}{j}" for n in ("q", "qd") for j in range(1, 7)] + ["kinetic", "potential"] +
             [f"{n}_momentum{j}" for n in ("angular", "linear") for j in (1, 2, 3)] + [f"tau{j}" for j in range(1, 7)])
    whole = client.get(place).expect(200).json
    flat = [[whole["t"][k], *whole["q"][k], *whole["qd"][k], whole["kinetic"][k], whole["potential"][k],
             *whole["angular_momentum"][k], *whole["linear_momentum"][k], *whole["tau"][k]] for k in range(11)]
    npy = client.get(place, headers={"Accept": "application/x-npy"}).expect(200)
    assert npy.headers["Columns"] == ",".join(names)
    shape, numbers = npy_read(npy.body)
    assert tuple(shape) == (11, 27) and list(numbers) == [number for row in flat for number in row]
    lines = client.get(place, headers={"Accept": "text/csv"}).expect(200).text.split("\r\n")
    assert lines[0] == ",".join(names) and [list(map(float, line.split(","))) for line in lines[1:-1]] == flat
    some = client.get(place, query={"fields": "t,kinetic", "from": 0.02, "to": 0.03}).expect(200).json
    assert some == {"t": [0.02, 0.025, 0.03], "kinetic": whole["kinetic"][4:7]}
    for query, parameter in ((dict(rate=10), "rate"), (dict(fields="t,power"), "fields"), (dict(to=-1), "to")):
        assert client.get(place, query=query).expect(422).json["errors"][0]["parameter"] == parameter


def test_listed_got_and_deleted(client, arm):
    first = simulated(client, arm, tags={"part": "A7"}, job_order_id="JO-1")
    second = simulated(client, arm, duration=0.1)
    place = f"/v1/simulations/{first['id']}"
    assert client.get(place).expect(200).json == first and first["tags"] == {"part": "A7"} and first["job_order_id"] == "JO-1"
    assert first["request"]["q"] == [0] * 6 and first["provenance"]["program"] == "armdyn" and first["stale"] is False
    items = client.get("/v1/simulations", query={"robot": first["robot"]}).expect(200).json["items"]
    assert [item["id"] for item in items] == [second["id"], first["id"]]
    assert items[1]["metrics"] == {"duration": 1, "steps": first["steps"], "drift": None, "tool_speed": first["tool_speed"]["max"], "tool_acceleration": first["tool_acceleration"]["max"]} and items[1]["tags"] == {"part": "A7"}
    assert [j["kind"] for j in client.get("/v1/jobs", query={"kind": "simulation", "robot": first["robot"]}).json["items"]] == ["simulation"] * 2
    assert client.get("/v1/trajectories", query={"robot": first["robot"]}).json["items"] == []
    assert client.get(f"/v1/trajectories/{first['id']}").expect(404)
    client.delete(place, headers={"If-Match": "*"}).expect(204)
    for path in (place, place + "/samples", f"/v1/simulations/{NOBODY}"):
        client.get(path).expect(404)
    client.delete(place, headers={"If-Match": "*"}).expect(404)


def test_cancel(client, arm):
    """Fixed steps, as many as are allowed: about a minute, if it were not cancelled."""
    job = client.post(arm + "/simulations", {"q": [0.1] * 6, "duration": 90, "method": "fixed", "step": 1e-5}).expect(202).json
    until(lambda: client.get(f"/v1/jobs/{job['id']}").json["message"] == "integrating", 30)
    cancelled = client.post(f"/v1/jobs/{job['id']}/cancel").expect(200).json
    assert cancelled["state"] == "cancelled" and cancelled["result"] is None
    assert client.get("/v1/simulations", query={"robot": job["robot"]}).json["items"] == []
    assert simulated(client, arm)["steps"] > 0
