"""What the torques hold, for controllers that add some of it by themselves; and the bridge to one of them."""

import contextlib
import json
import os
import re
import shutil
import struct
import subprocess

import pytest

from cell import GOAL, Cell, float32, soon
from foreign.process import Foreign
from support import ROOT, unique_name, until
from support.process import Device
from test_register_map import Bank, N, controller, moving, player_map, plain_map, reach, send

pytestmark = pytest.mark.same_threads

WEIGHT = (1.5 + 0.5) * 9.81  # N, of what hangs on the slide of the SCARA, whose joint 3 points down; the others carry nothing
FRICTION = [(1.5, 1.0), (0.8, 0.5), (5, 20), (0.1, 0.02)]  # its Coulomb and viscous friction


@pytest.fixture(scope="module")
def arm(shared):
    """A motion of every joint of a SCARA: (client, robot, trajectory, samples at 100 Hz)."""
    with shared.client() as client:
        yield moving(client, 0.18, 0.4)


def sent_torques(bank, count):
    words = bank.read(100, count * N * 4)
    numbers = struct.unpack(f">{len(words) // 2}f", struct.pack(f">{len(words)}H", *words))
    return [numbers[2 * N * k + 1:2 * N * (k + 1):2] for k in range(count)]


@pytest.mark.sampled
@pytest.mark.parametrize("content", ["full", "without_gravity", "without_gravity_and_friction"])
def test_what_is_sent_is_less_what_the_controller_adds(arm, content):
    with Bank() as bank:
        cell = controller(arm, bank, plain_map(), torque_content=content)
        end = reach(arm, send(arm, cell).expect(202).json["id"], "ready")
        said = [step["reason"] for step in end["history"] if step["state"] == "loading"]
        assert said == [f"torques {content}, for a controller of kind other"]
        samples, sent = arm[3], sent_torques(bank, 41)
    for qd, tau, row in zip(samples["qd"], samples["tau"], sent):
        for j in range(N):
            part = 0 if content == "full" else (0, 0, -WEIGHT, 0)[j]
            coulomb, viscous = FRICTION[j]
            if content == "without_gravity_and_friction":
                if 0 < abs(qd[j]) < 0.05:
                    continue  # where friction changes its sign
                part += (coulomb if qd[j] > 0 else 0) + viscous * qd[j]
            assert row[j] == pytest.approx(tau[j] - part, abs=2e-4 * max(1, abs(tau[j])))


def test_the_comparison_is_of_whole_torques(arm):
    """The controller tells no torques, so they are those of the profile; what it adds is added before they are compared."""
    client = arm[0]
    with Bank("--player") as bank:
        cell = controller(arm, bank, player_map(), torque_content="without_gravity", allow_start=True)
        transfer = send(arm, cell, start=True, start_before=soon()).expect(202).json["id"]
        dataset = reach(arm, transfer, "done")["telemetry"]
        conditions = client.get(dataset).expect(200).json["conditions"]
        assert conditions["torque_source"] == "command" and conditions["torque_content"] == "without_gravity"
        compared = client.get(f"/v1/transfers/{transfer}/comparison").expect(200).json
        assert compared["torque_content"] == "without_gravity"
        slide = compared["joints"][2]["torque"]
        assert slide["rms"] < WEIGHT / 10  # 19.6 N would be missing
        refused = client.post(f"/v1/robots/{arm[1]}/identifications", {"datasets": [transfer]}, headers={"Prefer": "wait=30"})
        told = json.dumps(refused.json if refused.status == 422 else client.wait_job(refused))
        assert "torque_content" in told


@pytest.mark.parametrize("kind, fits", [("other", "full without_gravity without_gravity_and_friction"), ("csp_torque_offset", "full"),
                                        ("ur_direct_torque", "without_gravity without_gravity_and_friction"), ("kuka_fri", "without_gravity_and_friction")])
@pytest.mark.parametrize("content", ["full", "without_gravity", "without_gravity_and_friction"])
def test_a_kind_that_adds_its_own_is_not_sent_it_too(arm, kind, fits, content):
    document = {"name": unique_name("cell"), "host": "10.0.0.7", "robot": arm[1],
                "profile": {"protocol": "armdyn-v2", "kind": kind, "torque_content": content}}
    answer = arm[0].post("/v1/controllers", document)
    if content in fits.split():
        made = answer.expect(201).json["profile"]
        assert (made.get("kind", "other"), made["torque_content"]) == (kind, content)
    else:
        assert answer.status == 422 and answer.json["errors"][0]["pointer"] == "/profile/torque_content"
        assert kind in answer.json["errors"][0]["detail"]


# -- the bridge --

class Universal(Foreign):
    module = "foreign.universal"

    def told(self):
        if self.running:
            self.terminate()
        (line,) = (line for line in self.log_path.read_text().splitlines() if line.startswith('{"followed"'))
        return json.loads(line)


class Bridge(Device):
    def __init__(self, program, universal):
        super().__init__((), env={"UR_PORT": str(universal.port)})
        self.arguments = [str(program), "0", "2"]
        self.start()


@pytest.fixture(scope="module")
def bridge(tmp_path_factory):
    """examples/controllers/soft_controller.c with the drives of a UR, built as the head of ur_rtde_drives.h says."""
    compiler = shutil.which(os.environ.get("CC", "gcc")) or pytest.skip("no C compiler")
    path = tmp_path_factory.mktemp("bridge") / "ur_bridge"
    subprocess.run([compiler, "-O2", "-std=c17", "-Wall", "-Wextra", "-Werror", '-DDRIVES="ur_rtde_drives.h"',
                    ROOT / "examples/controllers/soft_controller.c", "-lmodbus", "-lm", "-o", path], check=True)
    return path


UR = {"kind": "ur_direct_torque", "torque_content": "without_gravity"}


def there(here):
    """The bridge tells where the arm is, so it has found it."""
    until(lambda: here.status()["position"] and all(q is not None for q in here.status()["position"]), what="the positions of the arm")


def test_the_bridge_brings_a_motion_to_the_arm(shared, bridge):
    """What the arm is told to follow lies on the line between the samples, and at rest it is told no torque at all."""
    with Universal() as universal, Bridge(bridge, universal) as controller:
        here = Cell(shared, controller, **UR)
        there(here)
        motion = here.trajectory()
        here.reach(here.playing(motion, rate=500), "done")
        until(lambda: here.status()["position"] == [float32(q) for q in GOAL], what="the arm at the goal")
        samples = here.samples(motion, rate=500)
        gravity = here.client.post(f"/v1/robots/{here.robot}/gravity", {"q": samples["q"]}).expect(200).json["gravity_torque"]
        told = universal.told()
    followed = told["followed"]
    assert told["idle"] > 0 and [count for count, _, _ in followed] == list(range(1, len(followed) + 1))
    assert max(abs(t) for t in followed[-1][2]) < 1e-4 and followed[-1][1] == pytest.approx(GOAL, abs=1e-6)
    rows = [[*q, *(t - g for t, g in zip(tau, weight))] for q, tau, weight in zip(samples["q"], samples["tau"], gravity)]
    for _, positions, torques in followed:
        assert near_a_line([*positions, *torques], rows)


def near_a_line(got, rows):
    """Between two neighbours of the plan, number by number."""
    return any(all(min(a, b) - 1e-4 * max(1, abs(a)) <= x <= max(a, b) + 1e-4 * max(1, abs(a)) for x, a, b in zip(got, row, following))
               for row, following in zip(rows, rows[1:]))


def script_torques(cycles):
    """The torques of ur_direct_torque.script, whose text but for `end` is Python's too: [(count, target, torque, position, speed), ...]
    of one axis, cycle by cycle."""
    text = re.sub(r"(?m)^ *end$", "", (ROOT / "examples/controllers/ur_direct_torque.script").read_text()).replace("= held", "= list(held)")
    told, now = [], iter(cycles)
    at = {"now": (0, 0.0, 0.0, cycles[0][3], 0.0)}

    def direct_torque(torque, friction_comp):
        told.append(torque[0])
        at["now"] = next(now)
    with contextlib.suppress(StopIteration):
        exec(text, {"direct_torque": direct_torque, "read_input_integer_register": lambda _: at["now"][0],
                    "read_input_float_register": lambda k: at["now"][1 if k < 30 else 2],
                    "get_actual_joint_positions": lambda: [at["now"][3]] * 6, "get_actual_joint_speeds": lambda: [at["now"][4]] * 6})
    return told[1:]


def test_the_script_of_the_robot_begins_without_a_kick():
    """The arm stands 0.04 rad from the start of the motion, as ARM permits; then it follows at 0.5 rad/s, and then nothing comes."""
    waits = [(0, 0.0, 0.0, 0.04, 0.0)] * 5
    follows = [(1, 0.0, 7.0, 0.04, 0.0)] + [(1 + k, 1e-3 * k, 7.0, 1e-3 * k, 0.5) for k in range(1, 50)]
    silence = [(50, 0.049, 7.0, 0.049, 0.0)] * 30
    torques = script_torques(waits + follows + silence)
    assert torques[:5] == [0.0] * 5 and torques[5] == pytest.approx(7 - 900 * 0.04)
    assert torques[6:55] == pytest.approx([7.0] * 49)
    assert torques[-1] == pytest.approx(0.0)  # held where it was told to be last


def test_an_arm_that_falls_silent_ends_the_motion(shared, bridge):
    with Universal("--silent-after", 50) as universal, Bridge(bridge, universal) as controller:
        here = Cell(shared, controller, **UR)
        there(here)
        end = here.reach(here.playing(here.trajectory(duration=2), rate=500), "failed", "interrupted")
        assert "12" in end["problem"]["detail"]


def test_an_arm_that_is_not_there_is_not_armed(shared, bridge):
    with Universal() as universal, Bridge(bridge, universal) as controller:
        universal.terminate()
        here = Cell(shared, controller, **UR)
        transfer = here.loaded(here.trajectory())
        answer = here.client.post(f"/v1/transfers/{transfer}/arm")
        assert answer.status == 409 and "axis 1" in answer.json["detail"]
        here.client.post(f"/v1/transfers/{transfer}/stop").expect(200)
