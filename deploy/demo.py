#!/usr/bin/python3
"""`make demo`: one arm end to end, told in a screenful. Starts the service and a simulated controller, plans the pick and
place of a Puma 560 that costs least in its time, downloads its torque profile, plays it, and says where the arm ended. Stays up until Ctrl-C;
DEMO_EXIT=1 ends at once with status 0.

    deploy/demo.py build/armdyn
"""

import http.client
import json
import math
import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = ROOT / "tests/data/robots/puma560.json"

# Where the Puma goes [rad]: down at the part, up, across, and down at the tray.
PICK = [-0.90, 0.15, -2.10, 0.0, -1.19, 0.0]
LIFTED = [-0.60, 0.45, -2.10, 0.4, -1.30, 0.1]
ABOVE = [0.70, 0.45, -2.10, -0.4, -1.30, 0.5]
PLACE = [1.00, 0.20, -2.15, 0.0, -1.19, 0.6]
DURATION = 2.4  # s
RATE = 250      # samples a second on the controller

# Electrical data of motors of this size, assumed: torque constant [N m/A] and resistance [ohm], and the gears' efficiency.
# What the supply gives is computed with them; the torques are not.
DRIVES = [(0.223, 2.1), (0.226, 2.1), (0.240, 2.1), (0.069, 6.7), (0.072, 6.7), (0.066, 6.7)]
EFFICIENCY = 0.9

# The simulated arm differs from the model that the torques are computed with, as a real one does: it holds a part.
PART = {"mass": 1.0, "com": [0, 0, 0.05]}  # kg, m in the tool frame

BARS = "▁▂▃▄▅▆▇█"


class Stopped(Exception):
    """Ctrl-C or SIGTERM."""


class Child:
    """A process of the binary that says where it listens; its log goes to a file of the demo's folder."""

    def __init__(self, folder, *arguments):
        self.log = folder / f"{arguments[0]}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(arguments_of(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=log, start_new_session=True)
        self.host, self.port = self.listening()

    def listening(self, patience=20):
        """Host and port of its `listening on` line."""
        said, end = b"", time.monotonic() + patience
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in said:
                ready = selector.select(max(0, end - time.monotonic()))
                more = os.read(self.process.stdout.fileno(), 4096) if ready else b""
                if not more:
                    self.stop()
                    sys.exit(f"demo: {self.process.args[1]} did not start:\n{self.log.read_text()[-2000:]}")
                said += more
        where = re.search(r"listening on (?:\w+://)?(\S+):(\d+)", said.decode())
        return where[1], int(where[2])

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def arguments_of(arguments):
    return [str(pathlib.Path(sys.argv[1]).resolve()), *map(str, arguments)]


class Service:
    """Calls of the demo; what is refused ends it with the service's own words."""

    def __init__(self, child):
        self.url = f"http://{child.host}:{child.port}"
        self.connection = http.client.HTTPConnection(child.host, child.port, timeout=60)

    def call(self, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 400:
            sys.exit(f"demo: {method} {path} -> {answer.status}\n{text.decode()}")
        return json.loads(text) if text else None

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body=None, **headers):
        return self.call("POST", path, body, **headers)

    def follow(self, path, states, patience=60, seen=None):
        """Ask until `state` is one of these; the document."""
        end = time.monotonic() + patience
        while (found := self.get(path))["state"] not in states:
            if found["state"] in ("failed", "stopped", "interrupted", "cancelled") or time.monotonic() > end:
                sys.exit(f"demo: {path} is {found['state']}, not {' or '.join(states)}:\n{json.dumps(found, indent=2)}")
            if seen:
                seen(found)
            time.sleep(0.02)
        return found


def tell(name, text):
    print(f"  {name:<10}{text}", flush=True)


def spark(values, width=56):
    """A line of bars: the mean of each column between the least and the most of all."""
    low, high = min(values), max(values)
    columns = [values[len(values) * i // width:max(len(values) * (i + 1) // width, len(values) * i // width + 1)]
               for i in range(width)]
    level = lambda column: (sum(column) / len(column) - low) / (high - low or 1)
    return "".join(BARS[min(len(BARS) - 1, int(level(column) * len(BARS)))] for column in columns)


def near(value):
    """Two digits, without a minus before zero."""
    return round(value, 2) + 0.0


def point(tool):
    return "(" + ", ".join(f"{row[3]:.3f}" for row in tool[:3]) + ") m"


def plan(service, model):
    """Store the robot, compute the motion; its document and samples."""
    service.post("/v1/robots", model)
    robot = f"/v1/robots/{model['name']}"
    pose = service.post(f"{robot}/forward-kinematics", {"q": [PICK, PLACE]})["tool"]
    tell("asked", f"from the part at {point(pose[0])} to the tray at {point(pose[1])}, over 2 points,")
    tell("", f"the way of least torque in {DURATION} s: integral of (torque / limit)\u00b2")
    start = time.monotonic()
    job = service.post(f"{robot}/trajectories", {
        "start": {"q": PICK}, "goal": {"q": PLACE}, "duration": DURATION, "waypoints": [{"q": LIFTED}, {"q": ABOVE}],
        "cost": {"model": "torque"}, "intervals": 50, "multistart": 2, "tags": {"part": "demo"}}, Prefer="wait=20")
    job = service.follow(f"/v1/jobs/{job['id']}", ["succeeded"])
    took = time.monotonic() - start
    trajectory = service.get(job["result"]["href"])
    samples = service.get(job["result"]["href"] + f"/samples?rate={RATE}")
    tell("computed", f"in {1000 * took:.0f} ms, stored as {trajectory['id']}")
    tell("", trajectory["detail"])
    return trajectory, samples


def show_torque(model, trajectory, samples):
    used = {(m["limit"], m["joint"]): m["worst"] for m in trajectory["margins"]}
    tell("torque", f"{'over time':<56}    least     most   of limit")
    for i, joint in enumerate(model["joints"]):
        tau = [row[i] for row in samples["tau"]]
        share = used.get(("torque", joint["name"]))
        tell("", f"{spark(tau)} {near(min(tau)):8.2f} {near(max(tau)):8.2f} N m {'' if share is None else f'{100 * share:3.0f} %'}  {joint['name']}")
    energy = trajectory["energy"]
    causes = ", ".join(f"{name} {value:.1f}" for name, value in energy["by_cause"].items())
    tell("energy", f"{energy['total']:.1f} J from the drives ({causes})")
    tell("supply", f"{trajectory['electrical_energy']['total']:.1f} J, each drive burning what it brakes")
    for name, baseline in trajectory["baselines"].items():
        kept = "" if baseline["feasible"] else ", which would exceed limits"
        tell("saved", f"{baseline['cost_saved_percent']:.0f} % of the cost and {baseline['electrical_energy_saved_percent']:.0f} % of the "
             f"electricity of a {name} in the same time{kept}")


def play(service, model, trajectory, simulator):
    """Bind the controller to the robot, download, arm, start, watch; where the arm ended."""
    service.post("/v1/controllers", {"name": "cell-1", "host": simulator.host, "port": simulator.port,
                                     "robot": model["name"], "profile": {"protocol": "armdyn-v2", "allow_start": True}})
    start = time.monotonic()
    transfer = service.post("/v1/controllers/cell-1/transfers", {"trajectory": trajectory["id"], "rate": RATE},
                            Idempotency_Key=str(uuid.uuid4()))
    path = f"/v1/transfers/{transfer['id']}"
    ready = service.follow(path, ["ready"])
    tell("download", f"{ready['total']} samples of position and torque at {RATE} Hz in {1000 * (time.monotonic() - start):.0f} ms; "
         "checked by the controller")
    service.post(f"{path}/arm")
    service.follow(path, ["armed"])
    tell("armed", "the arm stands at the start of the profile")
    service.post(f"{path}/start", {"start_within": 20}, Idempotency_Key=str(uuid.uuid4()))
    start = time.monotonic()
    service.follow(path, ["done"], seen=watch(service) if sys.stdout.isatty() else None)
    tell("played", f"on the controller's own clock, done after {time.monotonic() - start:.1f} s")
    return arrival(service, model)


def watch(service):
    """Shows how far the controller has played, in place."""
    def seen(_):
        status = service.get("/v1/controllers/cell-1/status")
        print(f"  {'playing':<10}sample {status['play_index'] or 0}", end="\r", flush=True)
    return seen


def arrival(service, model):
    end = time.monotonic() + 5
    while (status := service.get("/v1/controllers/cell-1/status"))["position"] is None and time.monotonic() < end:
        time.sleep(0.05)
    q = status["position"]
    if q is None:
        sys.exit(f"demo: the controller is not seen any more:\n{json.dumps(status, indent=2)}")
    reached, goal = service.post(f"/v1/robots/{model['name']}/forward-kinematics", {"q": [q, PLACE]})["tool"]
    away = math.dist([row[3] for row in reached[:3]], [row[3] for row in goal[:3]])
    worst = max(range(len(q)), key=lambda i: abs(q[i] - PLACE[i]))
    tell("arrived", f"tool {1000 * away:.2f} mm from its goal, worst joint {model['joints'][worst]['name']} "
         f"{1000 * abs(q[worst] - PLACE[worst]):.2f} mrad ({status['source']})")


def farewell(service, model, trajectory):
    home = f"{service.url}/v1"
    zeros = ",".join("0" * len(model["joints"]))
    back = json.dumps({"controller": "cell-1", "to": {"q": PICK}, "duration": 4, "objective": "smooth", "start": "automatic"})
    print(f"""
Try, while this stays up (Ctrl-C ends it), {service.url}/ in a browser, or:
  curl -s {home}/robots/{model['name']}/inverse-dynamics -H 'Content-Type: application/json' -d '{{"q":[{zeros}],"qd":[{zeros}],"qdd":[{zeros}],"decompose":true}}'
  curl -s -H 'Accept: text/csv' '{home}/trajectories/{trajectory['id']}/samples?rate=10'
  curl -s {home}/controllers/cell-1/status
and back to where it began, as one order, which moves the simulated arm by itself; its state then:
  curl -s {home}/orders -H 'Content-Type: application/json' -d '{back}'
  curl -s '{home}/orders?controller=cell-1'""", flush=True)


def story(children, folder):
    model = json.loads(MODEL.read_text())
    for joint, (constant, resistance) in zip(model["joints"], DRIVES):
        joint["drive"].update(torque_constant=constant, resistance=resistance, efficiency=EFFICIENCY)
    arm = folder / "arm.json"
    arm.write_text(json.dumps({**model, "payload": PART}))
    children.append(Child(folder, "controller-sim", "--listen", "127.0.0.1:0", "--robot", arm))
    children.append(Child(folder, "serve", "--listen", "127.0.0.1:0", "--data", folder / "data"))
    simulator, service = children[0], Service(children[1])
    version = service.get("/v1/version")["version"]
    print(f"armdyn {version}: a pick and place of {model['name']}, {len(model['joints'])} joints, from its model to torque on a controller\n")
    tell("service", f"{service.url}, with a store of its own")
    tell("arm", f"simulated behind Modbus TCP port {simulator.port}; it holds {PART['mass']:g} kg that the model does not know of")
    trajectory, samples = plan(service, model)
    show_torque(model, trajectory, samples)
    play(service, model, trajectory, simulator)
    farewell(service, model, trajectory)
    service.connection.close()
    if os.environ.get("DEMO_EXIT", "0") in ("", "0"):
        while all(child.process.poll() is None for child in children):
            time.sleep(0.5)
        sys.exit("demo: a process ended by itself")


def stopped(*_):
    raise Stopped


def main(story, usage):
    """Tells a story with one argument, and ends whatever it started."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stopped)
    folder, children = pathlib.Path(tempfile.mkdtemp(prefix="armdyn-demo-")), []
    try:
        story(children, folder)
    except Stopped:
        print("\ndemo: stopped")
    finally:
        for child in reversed(children):
            child.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(story, __doc__)
