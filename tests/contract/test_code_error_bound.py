"""Programs that leave terms out: C that the service printed is no further off than it says, wherever it says so."""

import json
import random
import subprocess

import pytest

from support import binary, robot, unique_name

MODEL = robot("puma560")
LIMITS = [joint["limits"] for joint in MODEL["joints"]]
# Reads states (q, qd, qdd) and prints torques.
DRIVER = """#include <stdio.h>
void {entry}(const double *q, const double *qd, const double *qdd, double *tau);
int main(void) {{
  double x[18], tau[6];
  for (;;) {{
    for (int k = 0; k < 18; k++) if (scanf("%lf", &x[k]) != 1) return 0;
    {entry}(x, x + 6, x + 12, tau);
    for (int k = 0; k < 6; k++) printf("%.17g ", tau[k]);
  }}
}}
"""


@pytest.fixture(scope="module")
def arm(server):
    with server.client() as client:
        return client.post("/v1/robots", {**MODEL, "name": unique_name("bound")}).expect(201).headers["Location"]


def torques(answer, states, folder):
    """What the C of the answer computes of rows (q, qd, qdd)."""
    entry, program = answer["entry"], folder / answer["files"][0]["name"]
    program.write_text(answer["files"][0]["source"])
    (folder / "driver.c").write_text(DRIVER.format(entry=entry))
    subprocess.run(["gcc", "-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", program, folder / "driver.c", "-o", folder / "run", "-lm"], check=True, timeout=60)
    said = subprocess.run([folder / "run"], input=" ".join(repr(x) for state in states for row in state for x in row), capture_output=True,
                          text=True, check=True, timeout=60).stdout.split()
    return [[float(x) for x in said[6 * k:6 * k + 6]] for k in range(len(states))]


def wanted(client, arm, states):
    q, qd, qdd = (list(rows) for rows in zip(*states, strict=True))
    return client.post(arm + "/inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd}).expect(200).json["tau"]


def worst_of(ours, theirs):
    return [max(abs(a[i] - b[i]) for a, b in zip(ours, theirs, strict=True)) for i in range(6)]


def size(program):
    return program["operations"]["multiplications"] + program["operations"]["additions"]


def test_within_the_limits(server, arm, tmp_path):
    dice = random.Random(6)
    states = [[[dice.uniform(*limit["position"]) for limit in LIMITS], [dice.choice([-1, dice.uniform(-1, 1), 1]) * limit["velocity"] for limit in LIMITS],
               [dice.choice([-1, dice.uniform(-1, 1), 1]) * limit["acceleration"] for limit in LIMITS]] for _ in range(500)]
    bound = [1, 1, 1, 0.25, 0.25, 0.25]
    with server.client() as client:
        answer = client.post(arm + "/code", {"functions": ["inverse_dynamics"], "language": "c", "error_bound": bound}).expect(200).json
        whole = client.post(arm + "/code", {"functions": ["inverse_dynamics"], "language": "c"}).expect(200).json["programs"][0]
        (program,) = answer["programs"]
        assert whole["left_out"] is None and program["proof"]["holds"]
        assert program["left_out"]["terms"] > 50 and size(program) < 0.7 * size(whole)
        worst = worst_of(torques(answer, states, tmp_path), wanted(client, arm, states))
    for off, least, asked in zip(worst, program["left_out"]["torque"], bound, strict=True):
        assert off <= least + 1e-10 and least <= asked
    assert max(worst) > 0.2  # it is what was asked for
    assert f"{program['left_out']['terms']} terms" in answer["files"][0]["source"]
    subprocess.run(["gcc", "-std=c99", tmp_path / answer["files"][0]["name"], "-xc", "-", "-o", tmp_path / "test", "-lm"], text=True,
                   input=answer["files"][1]["source"], check=True, timeout=60)
    subprocess.run([tmp_path / "test"], check=True, timeout=60)  # the test that comes with it


def test_along_a_motion(server, arm, tmp_path):
    """Its samples, between them too, and less than within the limits."""
    request = {"method": "quintic", "start": {"q": [0, -1, 0.5, 0, 0.3, 0]}, "goal": {"q": [0.9, -0.4, 0.1, 0.6, 0.9, 1]}, "duration": 3}
    with server.client() as client:
        motion = client.result_of(arm + "/trajectories", request)
        asked = {"functions": ["inverse_dynamics"], "language": "c", "error_bound": 0.5}
        anywhere = client.post(arm + "/code", asked).expect(200).json["programs"][0]
        answer = client.post(arm + "/code", {**asked, "trajectory": motion["id"]}).expect(200).json
        samples = client.get(motion["samples"], query={"rate": 333, "fields": "q,qd,qdd"}).expect(200).json
        states = list(zip(samples["q"], samples["qd"], samples["qdd"], strict=True))
        worst = worst_of(torques(answer, states, tmp_path), wanted(client, arm, states))
        (program,) = answer["programs"]
        client.post(arm + "/code", {**asked, "trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}).expect(422)
    assert size(program) < 0.8 * size(anywhere)
    assert all(off <= least + 1e-10 for off, least in zip(worst, program["left_out"]["torque"], strict=True))


def test_the_command_leaves_out_too(arm, server, tmp_path):
    name = arm.rsplit("/", 1)[1]
    command = [binary(), "code", "--language", "text", "--function", "gravity", "--out", "-"]
    (tmp_path / "arm.json").write_text(json.dumps({**MODEL, "name": name}))
    done = subprocess.run([*command, "--error-bound", "0.5", "arm.json"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    stored = subprocess.run([*command, "--error-bound", "0.5,0.5,0.5,0.5,0.5,0.5", "--data", server.data, name], cwd=tmp_path, capture_output=True,
                            text=True, check=True, timeout=60)
    assert "terms that matter little" in done.stdout
    assert done.stdout.splitlines()[1:] == stored.stdout.splitlines()[1:]  # but for the revision in the title
    assert "revision 1" in stored.stdout.splitlines()[0]

    def refused(*arguments):
        return subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60).stderr
    assert "/error_bound" in refused("--error-bound", "1,2", "arm.json")
    assert "/error_bound" in refused("--error-bound", "1,2", "--data", server.data, name)
    assert "/error_bound" in refused("--error-bound", "much", "arm.json")
    assert "--trajectory" in refused("--error-bound", "1", "--trajectory", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "arm.json")


@pytest.mark.parametrize("request_, pointer, says", [
    ({"error_bound": 0}, "/error_bound", "more than 0"),
    ({"error_bound": [1, 1, 1, -1, 1, 1]}, "/error_bound/3", "more than 0"),
    ({"error_bound": [1, 1]}, "/error_bound", "for each joint"),
    ({"error_bound": "1"}, "/error_bound", "torque"),
    ({"error_bound": 1, "parameters": "symbols"}, "/error_bound", "folded"),
    ({"error_bound": 1, "functions": ["mass_matrix"]}, "/error_bound", "torques"),
    ({"trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/trajectory", "error_bound"),
    ({"error_bound": 1, "trajectory": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/trajectory", "no trajectory"),
])
def test_refuses(server, arm, request_, pointer, says):
    with server.client() as client:
        errors = client.post(arm + "/code", {"functions": ["gravity"], "language": "c", **request_}).expect(422).json["errors"]
    assert [error["pointer"] for error in errors] == [pointer]
    assert says in errors[0]["detail"]


def test_a_joint_without_limits_is_named(server):
    joints = [{**joint, "limits": {**joint["limits"], "velocity": None} if k == 2 else joint["limits"]} for k, joint in enumerate(MODEL["joints"])]
    joints[2]["limits"].pop("velocity")
    with server.client() as client:
        arm = client.post("/v1/robots", {**MODEL, "name": unique_name("bound"), "joints": joints}).expect(201).headers["Location"]
        errors = client.post(arm + "/code", {"functions": ["inverse_dynamics"], "language": "c", "error_bound": 1}).expect(422).json["errors"]
    assert [error["pointer"] for error in errors] == ["/error_bound"]
    assert "velocity limits of joint 'j3'" in errors[0]["detail"]
