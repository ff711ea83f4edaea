"""The programs that a maker of controllers begins with, run as they are printed and shipped: the function block in structured text
and the soft PLC in C follow the protocol, and play what the gateway sends."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys

import pytest

from cell import GOAL, Cell, float32, play_index
from support import ROOT, Server, binary, robot, until
from support.process import Device
from support.structured_text import Program
from test_controller_test import controller_test, wrong

pytestmark = [pytest.mark.slow, pytest.mark.same_threads]
SOAK = bool(os.environ.get("ARMDYN_SOAK"))


class Controller(Device):
    def __init__(self, *command):
        super().__init__(())
        self.arguments = list(map(str, command))
        self.start()


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """What `armdyn registers --format st` prints, as a file."""
    path = tmp_path_factory.mktemp("plc") / "controller.st"
    path.write_text(subprocess.run([binary(), "registers", "--format", "st"], capture_output=True, text=True, check=True).stdout)
    return path


@pytest.fixture(scope="module")
def soft_controller(tmp_path_factory):
    """examples/controllers/soft_controller.c, built as its head says."""
    compiler = shutil.which(os.environ.get("CC", "gcc")) or pytest.skip("no C compiler")
    path = tmp_path_factory.mktemp("soft") / "soft_controller"
    subprocess.run([compiler, "-O2", "-std=c17", "-Wall", "-Wextra", "-Werror", ROOT / "examples/controllers/soft_controller.c", "-lmodbus", "-lm", "-o", path],
                   check=True)
    return path


def follows_the_protocol(controller, *more):
    page = controller_test(f"127.0.0.1:{controller.port}", *(["--allow-motion"] if SOAK else []), *more, status=0)
    assert wrong(page) == [], page


def plays(controller, **request):
    with Server() as server:
        here = Cell(server, controller)
        motion = here.trajectory(duration=1.2)
        end = here.reach(here.playing(motion, **request), "done")
        assert end["total"] == 1201
        until(lambda: here.status()["position"] == [float32(q) for q in GOAL], what="a look at the controller after the end")
        return here.samples(motion)


def test_structured_text_follows_the_protocol(text):
    with Controller(sys.executable, ROOT / "tests/gateway/plc.py", text, "--axes", 3) as controller:
        follows_the_protocol(controller, "--restart", f"kill -USR1 {controller.pid}")


@pytest.mark.parametrize("mode", ["download", "stream"])
def test_structured_text_plays_what_the_gateway_sends(text, mode):
    """What its drives are given lies on the line between the samples that the service planned, at every scan."""
    with Controller(sys.executable, ROOT / "tests/gateway/plc.py", text, "--scan", 5) as controller:
        samples = plays(controller, mode=mode)
        controller.terminate()
        (line,) = (line for line in controller.log_path.read_text().splitlines() if line.startswith('{"motions"'))
        (motion,) = json.loads(line)["motions"]
        indices = [index for index, *_ in motion]
        assert indices == sorted(indices) and len(set(indices)) > 20
        for index, references, torques, *_ in motion:
            for got, planned in ((references, samples["q"]), (torques, samples["tau"])):
                for axis in range(6):
                    ends = sorted(planned[min(index + k, 1200)][axis] for k in (0, 1))
                    slack = 1e-5 + 1e-6 * abs(ends[1])
                    assert ends[0] - slack <= got[axis] <= ends[1] + slack, (index, axis)


def test_a_model_on_the_plc_needs_the_positions_alone(text, tmp_path):
    """Both programs that a PLC is given, together: the function block of the protocol tells positions, velocities and accelerations, and
    the block of the arm's equations makes the torque of them that the service planned. Held and resumed, velocities are those of the
    positions that are given out."""
    (tmp_path / "arm.json").write_text(json.dumps(robot("puma560")))
    subprocess.run([binary(), "code", "arm.json", "--language", "structured_text", "--function", "inverse_dynamics"], cwd=tmp_path, check=True,
                   capture_output=True, timeout=60)
    model = Program((tmp_path / "puma560_inverse_dynamics.st").read_text()).block("FB_puma560_inverse_dynamics")
    with Controller(sys.executable, ROOT / "tests/gateway/plc.py", text, "--scan", 5) as controller:
        with Server() as server:
            here = Cell(server, controller)
            here.reach(here.playing(here.trajectory(duration=1.6)), "done")
            held = here.playing(here.trajectory(start={"q": GOAL}, goal={"q": [0.0] * 6}, duration=3))
            until(lambda: play_index(controller.port) > 900, what="a third of the motion")
            here.client.post(f"/v1/transfers/{held}/hold").expect(202)
            here.reach(held, "holding")
            seen = []
            until(lambda: seen.append(play_index(controller.port)) or len(seen) > 9 and len(set(seen[-9:])) == 1, what="rest")
            here.client.post(f"/v1/transfers/{held}/resume", headers={"Idempotency-Key": held}).expect(202)
            here.reach(held, "done")
        controller.terminate()
        (line,) = (line for line in controller.log_path.read_text().splitlines() if line.startswith('{"motions"'))
    whole, held = json.loads(line)["motions"]
    assert len(whole) > 50
    for _, q, planned, qd, qdd, _ in whole:
        torque = model(q=q[:6], qd=qd[:6], qdd=qdd[:6])["tau"]
        assert torque == pytest.approx(planned[:6], abs=0.4)
    assert max(abs(planned[1]) for _, _, planned, *_ in whole) > 30
    moved = 0
    for (_, before, _, slow, _, _), (_, after, _, fast, _, us) in zip(held, held[1:], strict=False):
        for axis in range(6):
            way = (slow[axis] + fast[axis]) / 2 * us * 1e-6
            assert after[axis] - before[axis] == pytest.approx(way, abs=2e-4 + 0.02 * abs(way))
            moved += way * (axis == 0)
    assert moved == pytest.approx(-GOAL[0], abs=0.005)
    assert any(qd[:6] == [0.0] * 6 for _, _, _, qd, _, _ in held[20:-20])  # it stood, and its model knew


def manual_programs():
    """The programs that the manual shows, by their names."""
    fences = re.findall(r"(?ms)^ *```\n *(PROGRAM (\w+)$.*?END_PROGRAM)\n", (ROOT / "deploy/doc/plc.md").read_text())
    return {name: text for text, name in fences}


def test_a_first_hour_on_the_plc(text, tmp_path):
    """As the manual tells it: the model becomes a block, which its test proves, which holds the arm, and which adds gravity to
    motions that are sent without it."""
    programs = manual_programs()
    with Server() as server:
        client = server.client()
        client.create_robot(robot("puma560"))
        for precision in ("float64", "float32"):
            answer = client.post("/v1/robots/puma560/code", {"functions": ["gravity"], "language": "structured_text", "precision": precision})
            for file in answer.expect(200).json["files"]:
                (tmp_path / f"{precision}_{file['name']}").write_text(file["source"])
        double, test, single = ((tmp_path / name).read_text() for name in (
            "float64_puma560_gravity.st", "float64_puma560_gravity_test.st", "float32_puma560_gravity.st"))
        assert Program(double, test, programs["TryGravity"]).block("TryGravity")()["Test"]["passed"] is True
        held = Program(double, programs["HoldTheArm"]).block("HoldTheArm")(Position=GOAL)["Torque"]
        assert held == pytest.approx(client.post("/v1/robots/puma560/gravity", {"q": GOAL}).json["gravity_torque"], abs=1e-12)

        (tmp_path / "block.st").write_text(single)
        (tmp_path / "arm.st").write_text(programs["ArmWithGravity"])
        with Controller(sys.executable, ROOT / "tests/gateway/plc.py", text, tmp_path / "block.st", tmp_path / "arm.st", "--scan", 5,
                        "--program", "ArmWithGravity") as controller:
            here = Cell(server, controller, torque_content="without_gravity")
            motion = here.trajectory(duration=1.2)
            here.reach(here.playing(motion), "done")
            controller.terminate()
            (line,) = (line for line in controller.log_path.read_text().splitlines() if line.startswith('{"motions"'))
        (played,), samples = json.loads(line)["motions"], here.samples(motion)
        gravity = client.post("/v1/robots/puma560/gravity", {"q": [q[:6] for _, q, *_ in played]}).expect(200).json["gravity_torque"]
    assert len(played) > 20 and max(abs(torque[1]) for torque in gravity) > 30
    for (index, _, torque, *_), weight in zip(played, gravity, strict=True):
        for axis in range(6):
            ends = sorted(samples["tau"][min(index + k, 1200)][axis] for k in (0, 1))
            assert ends[0] - 1e-3 <= torque[axis] <= ends[1] + 1e-3, (index, axis, weight[axis])


def test_nothing_jumps_when_the_drives_are_switched_on(text):
    """The set point is where the arm stood when it was armed, whatever was played before."""
    program = Program(text.read_text())
    block, state = program.block("ArmdynController"), program.constants
    registers, stands, sags = [0] * 1124, [0.5, -1.0, 0.25] + [0.0] * 7, [0.5, -1.125, 0.25] + [0.0] * 7
    block["SetPoint"] = [9.0] * 10
    block(Registers=registers, CycleUs=10000, Measured=stands)
    block["State"] = state["S_ARMED"]
    assert block(Measured=sags)["SetPoint"] == stands and block["Enable"]
    block["State"] = state["S_DONE"]
    assert block()["SetPoint"] == stands
    block["State"] = state["S_LOADING"]
    assert block()["SetPoint"] == sags


def test_the_bench_of_the_structured_text_runs(text):
    bench = Program(text.read_text()).block("ArmdynBench")
    registers = [0] * 1124
    for _ in range(100):
        bench(ModbusRegisters=registers)
    assert registers[0:3] == [0xA5D1, 2, 6] and registers[9] == 1 and registers[75:77] == [0, 1000]
    assert struct.pack(">2H", *registers[7:9]) == struct.pack(">f", 12345.678)


def test_the_soft_controller_follows_the_protocol_and_plays(soft_controller):
    with Controller(soft_controller) as controller:
        follows_the_protocol(controller)
        plays(controller)
