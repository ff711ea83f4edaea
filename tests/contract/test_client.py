"""GET /clients/armdyn.py: the client of Python that is made from the contract, against the service that serves it."""

import inspect
import re
import sys
import types
import typing

import pytest

from support import ControllerSim, contract, robot, unique_name

pytestmark = pytest.mark.slow
WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@pytest.fixture(scope="module")
def armdyn(server):
    """The module, as it is served."""
    with server.client() as client:
        answer = client.get("/clients/armdyn.py").expect(200)
        assert client.get("/clients/armdyn.py", headers={"If-None-Match": answer.etag}).status == 304
    module = types.ModuleType("armdyn")
    exec(compile(answer.body, "armdyn.py", "exec", dont_inherit=True), vars(module))
    return module


@pytest.fixture
def client(armdyn, server):
    return armdyn.Client(server.url)


def test_it_needs_the_standard_library_alone(server):
    with server.client() as client:
        text = client.get("/clients/armdyn.py").expect(200).body.decode()
    named = re.findall(r"^(?:import|from) (\w+)", text, re.M)
    assert named and set(named) <= sys.stdlib_module_names


def test_every_call_has_a_method_with_types_and_words(armdyn):
    operations = {op["operationId"]: (path, op) for path, item in contract.document()["paths"].items() for method, op in item.items()
                  if isinstance(op, dict) and "operationId" in op}
    for name, (path, op) in operations.items():
        method = getattr(armdyn.Client, WORDS.sub("_", name).lower())
        hints = typing.get_type_hints(method, vars(armdyn))
        assert "return" in hints and op["summary"] in inspect.getdoc(method)
        assert len(re.findall(r"\{\w+\}", path)) == sum(p.default is p.empty and p.name not in ("self", "body") and p.kind is p.POSITIONAL_OR_KEYWORD
                                                         for p in inspect.signature(method).parameters.values())
    for kind in ("Order", "OrderRequest", "Robot", "Event"):
        assert typing.get_type_hints(getattr(armdyn, kind), vars(armdyn))


def test_it_stores_computes_and_reads_what_the_service_says(armdyn, client, server):
    name = unique_name("arm")
    model = {**robot("scara"), "name": name}
    assert client.create_robot(model)["name"] == name and client.last.status == 201
    etag = client.last["ETag"]
    tau = client.inverse_dynamics(name, {"q": [0.1] * 4, "qd": [0] * 4, "qdd": [0] * 4})["tau"]
    with server.client() as other:
        assert tau == other.post(f"/v1/robots/{name}/inverse-dynamics", {"q": [0.1] * 4, "qd": [0] * 4, "qdd": [0] * 4}).expect(200).json["tau"]
    job = client.create_trajectory(name, {"method": "quintic", "start": {"q": [0] * 4}, "goal": {"q": [0.1] * 4}, "duration": 1}, prefer="wait=60",
                                   idempotency_key=unique_name("key"))
    trajectory = job["result"]["href"].rsplit("/", 1)[1]
    assert client.get_trajectory_samples(trajectory, rate=10, accept="text/csv").startswith(b"t,q1") and job["state"] == "succeeded"
    assert client.get_trajectory_samples(trajectory, rate=10, fields="t,q")["t"][-1] == 1
    assert client.list_trajectories(robot=name, limit=1)["items"][0]["id"] == trajectory
    with pytest.raises(armdyn.Problem) as stale:
        client.put_robot(name, model, if_match='"99"')
    assert (stale.value.status, stale.value.type) == (412, "/problems/stale") and "412" in str(stale.value)
    with pytest.raises(armdyn.Problem) as wrong:
        client.inverse_dynamics(name, {"q": [0] * 3, "qd": [0] * 4, "qdd": [0] * 4})
    assert wrong.value.errors[0]["pointer"].startswith("/q")
    csv = client.inverse_dynamics(name, b"q1,q2,q3,q4,qd1,qd2,qd3,qd4,qdd1,qdd2,qdd3,qdd4\n" + b",".join([b"0"] * 12) + b"\n", content_type="text/csv", accept="text/csv")
    assert csv.startswith(b"tau1")
    assert client.delete_trajectory(trajectory, if_match="*") is None and client.get_robot(name, if_none_match=etag) is None and client.last.status == 304


def test_an_order_from_its_call_to_its_end(armdyn, client):
    model = {**robot("scara"), "name": unique_name("arm")}
    with ControllerSim(robot=model) as sim:
        client.create_robot(model)
        cell = client.create_controller({"name": unique_name("cell"), "robot": model["name"], "host": "127.0.0.1", "port": sim.port,
                                         "profile": {"protocol": "armdyn-v2", "allow_start": True}})["name"]
        events = client.stream_controller(cell)
        assert next(events)["event"] == "snapshot"
        order = client.create_order({"job_order_id": "4711", "controller": cell, "to": {"q": [0.02] * 4}, "duration": 0.3, "objective": "smooth",
                                     "start": "automatic"}, idempotency_key=unique_name("key"))
        states = []
        for event in events:
            if event["event"] == "order" and event["data"]["id"] == order["id"]:
                states.append(event["data"]["state"])
                if event["data"]["finished_at"]:
                    break
        events.close()
        assert states[-1] == "done" and client.get_order(order["id"])["state"] == "done"
        log = client.list_events(order=order["id"], type="order.accepted,order.done")["items"]
        assert [event["type"] for event in log] == ["order.accepted", "order.done"]
