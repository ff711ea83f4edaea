"""The programs that the service writes, run: by two compilers of C, by Python, by an interpreter of structured text that shares
nothing with what printed them, and by Octave. What they must compute comes from the service's other calls.
"""

import ast
import collections
import ctypes
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys

import pytest

from support import binary, robot, unique_name, vectors
from support.data import DATA
from support.structured_text import Program, StructuredTextError

FUNCTIONS = ["inverse_dynamics", "gravity", "friction", "mass_matrix", "coriolis", "forward_kinematics", "jacobian", "regressor",
             "collision_observer", "payload_torque"]
MODELS = ["puma560", "scara", "ur10", "prismatic_dh", "prismatic_mdh"]
COMPILERS = ["gcc", next((name for name in ("clang-14", "clang-19") if shutil.which(name)), "clang")]
FLAGS = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wmissing-prototypes", "-Wdouble-promotion", "-Werror"]


def model(name):
    return robot(name) if name in ("puma560", "scara", "ur10") else vectors(name)["robot"]


@pytest.fixture(scope="module")
def path(server):
    """path(name): where a model is stored."""
    stored = {}

    def of(name):
        if name not in stored:
            stored[name] = "/v1/robots/" + unique_name("code")
            with server.client() as client:
                client.post("/v1/robots?allow_unphysical=true", {**model(name), "name": stored[name].rsplit("/", 1)[1]}).expect(201)
        return stored[name]
    return of


def programs(client, at, **request):
    answer = client.post(at + "/code", request).expect(200).json
    assert all(program["proof"]["holds"] and program["proof"]["states"] == 10000 for program in answer["programs"])
    return answer


def put(answer, folder):
    for file in answer["files"]:
        (folder / file["name"]).write_text(file["source"])
    return [folder / file["name"] for file in answer["files"]]


def run(*command, cwd):
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


# ---------------------------------------------------------------- C

@pytest.mark.sampled
@pytest.mark.parametrize("name, compiler", [(name, COMPILERS[k % 2]) for k, name in enumerate(MODELS)])
def test_c_compiles_without_a_warning_and_passes_its_test(server, path, name, compiler, tmp_path):
    turn = MODELS.index(name)
    request = {"functions": FUNCTIONS, "language": "c", "parameters": ["folded", "symbols", "base"][turn % 3],
               "precision": ["float64", "float32"][turn % 2]}
    with server.client() as client:
        files = put(programs(client, path(name), **request), tmp_path)
    for program, test in zip(files[::2], files[1::2], strict=True):
        run(compiler, *FLAGS, program, test, "-o", tmp_path / "run", "-lm", cwd=tmp_path)
        assert "largest difference" in run(tmp_path / "run", cwd=tmp_path)


@pytest.mark.slow
def test_a_wrong_program_fails_its_test(server, path, tmp_path):
    """The tests that are given out can fail."""
    with server.client() as client:
        program, test = put(programs(client, path("scara"), functions=["inverse_dynamics"], language="c"), tmp_path)
    program.write_text(program.read_text().replace("0.325*", "0.3251*"))
    run("gcc", *FLAGS, program, test, "-o", tmp_path / "run", "-lm", cwd=tmp_path)
    assert subprocess.run([str(tmp_path / "run")], capture_output=True, timeout=60).returncode == 1


def test_c_agrees_with_the_library_at_angles_beyond_its_own_sine(server, path, tmp_path):
    """Far from 0 the library's sine and cosine serve, and what is no number stays none."""
    with server.client() as client:
        program, _ = put(programs(client, path("puma560"), functions=["gravity"], language="c"), tmp_path)
        python = programs(client, path("puma560"), functions=["gravity"], language="python")["files"][0]
    run("gcc", *FLAGS, "-shared", "-fPIC", program, "-o", tmp_path / "gravity.so", "-lm", cwd=tmp_path)
    gravity = getattr(ctypes.CDLL(str(tmp_path / "gravity.so")), program.stem)
    namespace = {}
    exec(python["source"], namespace)

    def of(angles):
        tau = (ctypes.c_double * 6)()
        gravity((ctypes.c_double * 6)(*angles), tau)
        return list(tau)
    for size in [1, 9999, 10001, 1e6, 1e15]:
        angles = [size * (1 + joint / 7) for joint in range(6)]
        assert of(angles) == pytest.approx(namespace[program.stem](angles), abs=1e-13), size
    assert math.isnan(of([0, math.nan, 0, 0, 0, 0])[1]) and math.isnan(of([0, math.inf, 0, 0, 0, 0])[1])


# ---------------------------------------------------------------- Python, Octave

@pytest.mark.sampled
@pytest.mark.parametrize("name", MODELS)
def test_python_passes_its_test(server, path, name, tmp_path):
    parameters = ["folded", "symbols", "base"][MODELS.index(name) % 3]
    with server.client() as client:
        files = put(programs(client, path(name), functions=FUNCTIONS, language="python", parameters=parameters), tmp_path)
    for test in files[1::2]:
        assert "largest difference" in run(sys.executable, test, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["puma560", "scara"])
def test_matlab_passes_its_test_in_octave(server, path, name, tmp_path):
    with server.client() as client:
        files = put(programs(client, path(name), functions=FUNCTIONS, language="matlab"), tmp_path)
    said = run("octave-cli", "--no-gui", "--quiet", "--eval", ";".join(test.stem for test in files[1::2]), cwd=tmp_path)
    assert said.count("largest difference") == len(FUNCTIONS)


# ---------------------------------------------------------------- structured text

@pytest.mark.sampled
@pytest.mark.parametrize("name, dialect", [("puma560", "codesys"), ("scara", "twincat"), ("prismatic_mdh", "siemens")])
def test_structured_text_passes_its_test(server, path, name, dialect):
    turn = ["codesys", "twincat", "siemens"].index(dialect)
    request = {"functions": FUNCTIONS, "language": "structured_text", "dialect": dialect, "precision": ["float64", "float32"][turn % 2],
               "parameters": ["folded", "symbols", "base"][turn]}
    with server.client() as client:
        answer = programs(client, path(name), **request)
    for program, test in zip(answer["files"][::2], answer["files"][1::2], strict=True):
        block = Program(program["source"], test["source"]).block("FB_" + test["name"].removesuffix(".st"))()
        assert block["passed"] is True, (test["name"], block["worst"])
        assert "TANH" not in program["source"].upper() and "POINTER" not in program["source"].upper()


@pytest.mark.slow
def test_the_interpreter_sees_a_wrong_program(server, path):
    with server.client() as client:
        program, test = (file["source"] for file in programs(client, path("scara"), functions=["gravity"],
                                                              language="structured_text", precision="float32")["files"])
    entry = "FB_" + path("scara").rsplit("/", 1)[1].replace("-", "_") + "_gravity_test"
    assert Program(program, test).block(entry)()["passed"] is True
    assert Program(program.replace("19.62", "19.63"), test).block(entry)()["passed"] is False


@pytest.mark.slow
@pytest.mark.parametrize("text, says", [
    ("VAR at : INT; END_VAR at := 1;", "AT"),
    ("VAR Limit1 : INT; END_VAR Limit1 := 1;", "hides"),
    ("VAR x : REAL; n : INT; END_VAR x := n;", "not converted"),
    ("VAR n : UINT; w : WORD; END_VAR n := w;", "not converted"),
    ("VAR w : WORD; END_VAR w := w + 1;", "WORD"),
    ("VAR a : ARRAY[1..3] OF INT; END_VAR a[4] := 1;", "1..3"),
    ("VAR b : BOOL; n : INT; END_VAR IF n THEN b := TRUE; END_IF;", "BOOL"),
    ("VAR a : ARRAY[1..2] OF INT := [1, 2, 3]; END_VAR", "initial"),
])
def test_the_interpreter_refuses_what_a_compiler_would(text, says):
    with pytest.raises(StructuredTextError, match=says):
        Program(f"VAR_GLOBAL CONSTANT LIMIT1 : INT := 3; END_VAR FUNCTION_BLOCK FB {text} END_FUNCTION_BLOCK").block("FB")


@pytest.mark.slow
def test_the_interpreter_counts_as_a_plc_does():
    """Whole numbers wrap and divide towards zero, REAL keeps 24 bits, EXIT leaves one loop."""
    block = Program("""FUNCTION_BLOCK FB
      VAR_OUTPUT u : UINT; i : DINT; x : REAL; y : LREAL; n : INT; m : ARRAY[1..2, 0..1] OF INT; END_VAR
      VAR k, j : INT; END_VAR
      u := 3; u := u - 5;  i := -7; i := i / 2 + i MOD 2;
      x := 16777216.0; x := x + 1.0;  y := REAL#0.1 + LREAL#0.0;
      FOR k := 1 TO 3 DO FOR j := 1 TO 10 DO IF j > k THEN EXIT; END_IF; n := n + 1; END_FOR; END_FOR;
      FOR k := 1 TO 2 DO m[k, 1] := 10 * k; END_FOR;
      END_FUNCTION_BLOCK""").block("fb")()
    assert [block[name] for name in "uixynm"] == [65534, -4, 16777216.0, 0.10000000149011612, 6, [[0, 10], [0, 20]]]


@pytest.mark.parametrize("name", ["*/ int bad; /*", "*) bad := 1; (*"])
def test_no_name_of_a_joint_ends_a_comment(name, tmp_path):
    arm = {**model("scara"), "name": "9--a_"}
    arm["joints"] = [{**arm["joints"][0], "name": name}, *arm["joints"][1:]]
    (tmp_path / "arm.json").write_text(json.dumps(arm))
    for language in ("c", "structured_text"):
        run(binary(), "code", "arm.json", "--language", language, "--function", "gravity", "--parameters", "symbols", cwd=tmp_path)
    run("gcc", *FLAGS, "robot_9_a_gravity.c", "robot_9_a_gravity_test.c", "-o", tmp_path / "run", "-lm", cwd=tmp_path)
    run(tmp_path / "run", cwd=tmp_path)
    texts = [(tmp_path / f"robot_9_a_gravity{end}.st").read_text() for end in ("", "_test")]
    assert Program(*texts).block("FB_robot_9_a_gravity_test")()["passed"] is True
    assert all("bad" not in re.sub(r"(?s)\(\*.*?\*\)", "", text) for text in texts)


def test_blocks_agree_with_the_other_calls_of_the_service(server, path):
    """One and the same state, through HTTP and through a block."""
    dice = random.Random(5)
    with server.client() as client:
        at = path("puma560")
        answer = programs(client, at, functions=["inverse_dynamics", "gravity", "forward_kinematics"], language="structured_text")
        blocks = Program(*(file["source"] for file in answer["files"]))
        inverse, gravity, tool = (blocks.block("FB_" + program["entry"]) for program in answer["programs"])
        for _ in range(5):
            q, qd, qdd = ([dice.uniform(-2, 2) for _ in range(6)] for _ in range(3))
            tau = client.post(at + "/inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd}).expect(200).json["tau"]
            assert inverse(q=q, qd=qd, qdd=qdd)["tau"] == pytest.approx(tau, abs=1e-10)
            assert gravity(q=q)["tau"] == pytest.approx(client.post(at + "/gravity", {"q": q}).expect(200).json["gravity_torque"], abs=1e-11)
            wanted = client.post(at + "/forward-kinematics", {"q": q}).expect(200).json["tool"]
            assert sum(tool(q=q)["tool"], []) == pytest.approx(sum(wanted, []), abs=1e-12)


@pytest.mark.slow
def test_a_gravity_block_holds_the_arm(server):
    """An arm without friction that the service moves: with the block's torque at its drives it stands, loaded too; without it falls,
    and with the wrong load it sinks."""
    def moved(torque, **options):
        q, qd, step = [0.2, -0.6, 0.4, 0.3, 0.5, -0.2], [0.0] * 6, 0.01
        for _ in range(30):
            qdd = client.post(at + "/forward-dynamics", {"q": q, "qd": qd, "tau": torque(q), **options}).expect(200).json["qdd"]
            qd = [v + step * a for v, a in zip(qd, qdd, strict=True)]
            q = [x + step * v for x, v in zip(q, qd, strict=True)]
        return max(abs(x - y) for x, y in zip(q, [0.2, -0.6, 0.4, 0.3, 0.5, -0.2], strict=True))

    carried = {"mass": 2.0, "com": [0, 0, 0.05], "inertia": dict.fromkeys(("xx", "yy", "zz"), 0.01)}
    arm = {**model("puma560"), "name": unique_name("held"), "joints": [{**joint, "friction": {}} for joint in model("puma560")["joints"]]}
    with server.client() as client:
        at = client.post("/v1/robots", arm).expect(201).headers["Location"]
        blocks = [programs(client, at, functions=["gravity"], language="structured_text", **options) for options in ({}, {"payload": carried})]
        empty, loaded = (Program(answer["files"][0]["source"]).block("FB_" + answer["entry"]) for answer in blocks)
        assert moved(lambda q: empty(q=q)["tau"]) < 1e-9
        assert moved(lambda q: loaded(q=q)["tau"], payload=carried) < 1e-9
        assert moved(lambda q: [0.0] * 6) > 0.05
        assert moved(lambda q: empty(q=q)["tau"], payload=carried) > 0.005


@pytest.mark.slow
def test_the_observer_block_feels_a_push(server, path):
    """The arm stands; its drives hold it, and from then on something pushes with 7 N m on joint 2."""
    with server.client() as client:
        at = path("ur10")
        answer = programs(client, at, functions=["collision_observer"], language="structured_text")
        block = Program(answer["files"][0]["source"]).block("FB_" + answer["programs"][0]["entry"])
        q, still = [0.1, -1.2, 0.9, 0.3, 0.5, -0.2], [0.0] * 6
        hold = client.post(at + "/inverse-dynamics", {"q": q, "qd": still, "qdd": still}).expect(200).json["tau"]
    pushed = [tau - 7 * (joint == 1) for joint, tau in enumerate(hold)]
    for k in range(200):
        block(q=q, qd=still, tau=hold if k < 50 else pushed, gain=50.0, period=0.002)
        if k == 49:
            assert block["residual"] == pytest.approx(still, abs=1e-12)
    wanted = 7 * (1 - math.exp(-50 * 0.002 * 149.5))
    assert block["residual"][1] == pytest.approx(wanted, rel=1e-3)
    assert block["residual"][0] == pytest.approx(0, abs=1e-12)


# ---------------------------------------------------------------- closed forms, as books print them

def expanded(text):
    """{its factors: number} of an expression, multiplied out; cosines and sines are factors like others."""
    def multiply(a, b):
        out = collections.defaultdict(float)
        for x, m in a.items():
            for y, n in b.items():
                out[tuple(sorted(x + y))] += m * n
        return out

    def walk(node):
        if isinstance(node, ast.Constant):
            return {(): float(node.value)}
        if isinstance(node, (ast.Name, ast.Call)):
            return {(ast.unparse(node),): 1.0}
        if isinstance(node, ast.UnaryOp):
            return {x: -m for x, m in walk(node.operand).items()}
        if isinstance(node.op, ast.Pow):
            out = {(): 1.0}
            for _ in range(node.right.value):
                out = multiply(out, walk(node.left))
            return out
        if isinstance(node.op, ast.Mult):
            return multiply(walk(node.left), walk(node.right))
        out = collections.defaultdict(float, walk(node.left))
        for x, m in walk(node.right).items():
            out[x] += m if isinstance(node.op, ast.Add) else -m
        return out
    return {x: m for x, m in walk(ast.parse(text.replace("^", "**"), mode="eval").body).items() if m}


def link(mass, x, inertia=0.0):
    return {"mass": mass, "com": [x, 0, 0], "inertia": {"xx": 0, "yy": inertia, "zz": inertia, "xy": 0, "xz": 0, "yz": 0}}


def turning(name, a, body, **more):
    return {"name": name, "type": "revolute", "a": a, "alpha": 0, "d": 0, "theta": 0, "link": body, **more}


def rotor(inertia, ratio):
    return {"drive": {"rotor_inertia": inertia, "gear_ratio": ratio}}


# Craig, Introduction to Robotics, section 6.7: point masses at the ends of two links, which move in a vertical plane.
CRAIG = {"convention": "mdh", "gravity": [0, -9.81, 0], "joints": [turning("j1", 0, link(4.6, 0.5)), turning("j2", 0.5, link(2.3, 0.4))]}
CRAIG_SAYS = {
    "M11": "r2^2*m2 + 2*a1*r2*m2*cos(q2) + a1^2*(m1 + m2)", "M12": "r2^2*m2 + a1*r2*m2*cos(q2)", "M22": "r2^2*m2",
    "centrifugal1": "-m2*a1*r2*sin(q2)*qd2^2", "coriolis1": "-2*m2*a1*r2*sin(q2)*qd1*qd2",
    "centrifugal2": "m2*a1*r2*sin(q2)*qd1^2", "coriolis2": "0*m2",
    "G1": "m2*r2*g*cos(q1 + q2) + (m1 + m2)*a1*g*cos(q1)", "G2": "m2*r2*g*cos(q1 + q2)"}

# Siciliano et al., Robotics, and others: three links in a plane, each with its mass at r from its axis.
THREE = {"convention": "dh", "gravity": [0, -9.81, 0], "joints": [
    turning("j1", 0.5, link(4.6, -0.2, 0.1)), turning("j2", 0.4, link(2.3, -0.15, 0.05)), turning("j3", 0.3, link(1.3, -0.1, 0.02))]}
THREE_SAYS = {
    "M11": "I1 + I2 + I3 + m1*r1^2 + m2*(a1^2 + r2^2 + 2*a1*r2*cos(q2))"
           " + m3*(a1^2 + a2^2 + r3^2 + 2*a1*a2*cos(q2) + 2*a1*r3*cos(q2 + q3) + 2*a2*r3*cos(q3))",
    "M12": "I2 + I3 + m2*(r2^2 + a1*r2*cos(q2)) + m3*(a2^2 + r3^2 + a1*a2*cos(q2) + a1*r3*cos(q2 + q3) + 2*a2*r3*cos(q3))",
    "M13": "I3 + m3*(r3^2 + a1*r3*cos(q2 + q3) + a2*r3*cos(q3))", "M22": "I2 + I3 + m2*r2^2 + m3*(a2^2 + r3^2 + 2*a2*r3*cos(q3))",
    "M23": "I3 + m3*(r3^2 + a2*r3*cos(q3))", "M33": "I3 + m3*r3^2",
    "G3": "m3*g*r3*cos(q1 + q2 + q3)", "G2": "(m2*r2 + m3*a2)*g*cos(q1 + q2) + m3*g*r3*cos(q1 + q2 + q3)",
    "G1": "(m1*r1 + m2*a1 + m3*a1)*g*cos(q1) + (m2*r2 + m3*a2)*g*cos(q1 + q2) + m3*g*r3*cos(q1 + q2 + q3)",
    "C33": "0*m3", "C31": "m3*r3*(a1*sin(q2 + q3)*qd1 + a2*sin(q3)*(qd1 + qd2))", "C32": "m3*a2*r3*sin(q3)*(qd1 + qd2)"}

# A SCARA with its quill, its load and the rotors of its drives.
SCARA = {"convention": "dh", "gravity": [0, 0, -9.81], "joints": [
    turning("j1", 0.35, link(6, -0.2, 0.1), **rotor(5e-5, 100)), {**turning("j2", 0.3, link(4, -0.16, 0.04), **rotor(3e-5, 80)), "alpha": math.pi},
    {**turning("j3", 0, link(1.5, 0, 0.001), **rotor(5e-6, 314.159)), "type": "prismatic"}, turning("j4", 0, link(0.5, 0, 0.0003), **rotor(5e-6, 20))]}
SCARA_SAYS = {
    "M11": "I1 + I2 + m1*r1^2 + m2*(a1^2 + r2^2 + 2*a1*r2*cos(q2)) + J1 + I3 + I4 + (m3 + m4)*(a1^2 + a2^2 + 2*a1*a2*cos(q2))",
    "M12": "I2 + m2*(r2^2 + a1*r2*cos(q2)) + I3 + I4 + (m3 + m4)*(a2^2 + a1*a2*cos(q2))",
    "M22": "I2 + m2*r2^2 + J2 + I3 + I4 + (m3 + m4)*a2^2", "M33": "m3 + m4 + J3", "M44": "I4 + J4", "M24": "-I4",
    "C11": "-(m2*r2 + (m3 + m4)*a2)*a1*sin(q2)*qd2", "C12": "-(m2*r2 + (m3 + m4)*a2)*a1*sin(q2)*(qd1 + qd2)",
    "C21": "(m2*r2 + (m3 + m4)*a2)*a1*sin(q2)*qd1", "C22": "0*m2", "G3": "-(m3 + m4)*g", "G1": "0*g"}


@pytest.mark.sampled
@pytest.mark.parametrize("arm, says", [(CRAIG, CRAIG_SAYS), (THREE, THREE_SAYS), (SCARA, SCARA_SAYS)], ids=["craig", "three", "scara"])
def test_closed_forms_are_those_of_the_books(arm, says, tmp_path):
    """Term by term."""
    (tmp_path / "arm.json").write_text(json.dumps({"name": "arm", **arm}))
    text = run(binary(), "code", "arm.json", "--language", "text", "--parameters", "symbols", "--out", "-", cwd=tmp_path)
    printed = {line.split(" = ")[0]: line.split(" = ")[-1] for line in text.splitlines() if " = " in line}
    for name, book in says.items():
        assert expanded(printed[name]) == expanded(book), (name, printed[name])


def test_friction_is_printed_as_its_formula(tmp_path):
    """Every term that closed forms have, of unlike directions and two lines, evaluated as Python reads it."""
    friction = {"offset": 0.3, "coulomb": {"positive": 2, "negative": 2.5}, "stiction": 4, "stribeck_velocity": 0.5, "stribeck_exponent": 1.5,
                "viscous": {"positive": 1.5, "negative": 1.25}, "high_speed": -0.2, "sublinear": 0.7,
                "position": [{"amplitude": 0.5, "order": 2, "phase": 0.4}, {"amplitude": -0.25, "order": 1, "phase": -1}]}
    one, two = CRAIG["joints"]
    arm = {**CRAIG, "joints": [{**one, "velocity_scale": 0.25, "drive": {"gear_ratio": 3}, "friction": friction}, two]}
    (tmp_path / "arm.json").write_text(json.dumps({"name": "arm", **arm}))
    text, latex = (run(binary(), "code", "arm.json", "--language", language, "--parameters", "symbols", "--out", "-", cwd=tmp_path) for language in ("text", "latex"))
    printed, = (line.removeprefix("F1 = ") for line in text.splitlines() if line.startswith("F1 = "))
    printed = re.sub(r"\|([^|]*)\|", r"abs(\1)", printed.replace("^", "**"))
    for q, v in ((0.7, 0.3), (-1.9, -0.4), (0.2, 2), (1.1, -3), (0.5, 0)):
        fc, fv = (2, 1.5) if v >= 0 else (2.5, 1.25)
        s = math.tanh(v / 0.25)
        expected = (0.3 + (fc + (4 - fc) * math.exp(-abs(v / 0.5) ** 1.5)) * s + fv * v - 0.2 * v * v * s + 0.7 * v / (v * v + 0.0625) ** (1 / 3)
                    + 0.5 * math.sin(2 * 3 * q + 0.4) - 0.25 * math.sin(3 * q - 1))
        names = {"q1": q, "qd1": v, "sin": math.sin, "tanh": math.tanh, "exp": math.exp, "abs": abs}
        assert eval(printed, {"__builtins__": {}}, names) == pytest.approx(expected, rel=1e-12), printed  # noqa: S307
    assert r"0.5 \, \sin(6 \, \theta_{1} + 0.4) - 0.25 \, \sin(3 \, \theta_{1} - 1)" in latex


@pytest.mark.slow
def test_the_scara_prints_as_it_is_printed(tmp_path):
    """Sorted by inertias, masses and rotors, what is common before a bracket."""
    short = {**SCARA, "joints": SCARA["joints"][:2]}
    (tmp_path / "arm.json").write_text(json.dumps({"name": "arm", **short}))
    text = run(binary(), "code", "arm.json", "--language", "text", "--parameters", "symbols", "--out", "-", cwd=tmp_path)
    for line in ("M11 = I1 + I2 + m1*r1^2 + m2*(a1^2 + r2^2 + 2*a1*r2*cos(q2)) + J1", "M12 = M21 = I2 + m2*(r2^2 + a1*r2*cos(q2))",
                 "M22 = I2 + m2*r2^2 + J2", "C11 = -m2*a1*r2*sin(q2)*qd2", "C12 = -m2*a1*r2*sin(q2)*(qd1 + qd2)", "C21 = m2*a1*r2*sin(q2)*qd1"):
        assert line in text.splitlines()
    latex = run(binary(), "code", "arm.json", "--language", "latex", "--parameters", "symbols", "--out", "-", cwd=tmp_path)
    assert r"C_{12} &= -m_{2} \, a_{1} \, r_{2} \, \sin\left(\theta_{2}\right) \left(\dot{\theta}_{1} + \dot{\theta}_{2}\right) \\" in latex.splitlines()


# ---------------------------------------------------------------- a URDF, the command, refusals

@pytest.mark.slow
def test_an_arm_from_a_urdf(server, tmp_path):
    name = unique_name("urdf")
    with server.client() as client:
        client.post(f"/v1/robots?name={name}&tip=flange", body=(DATA / "urdf/seven_axes.urdf").read_text(),
                    content_type="application/xml").expect(201)
        answer = programs(client, "/v1/robots/" + name, functions=FUNCTIONS, language="python")
    for test in put(answer, tmp_path)[1::2]:
        run(sys.executable, test, cwd=tmp_path)
    for program in answer["programs"]:
        assert program["proof"]["largest_difference"] <= 1e-12 * max(1, program["proof"]["largest_entry"])


def test_the_command_writes_the_same_files(server, path, tmp_path):
    with server.client() as client:
        at = path("scara")
        name = at.rsplit("/", 1)[1]
        answer = programs(client, at, functions=["gravity", "mass_matrix"], language="c")
    model_file = tmp_path / "model.json"
    model_file.write_text(json.dumps({**model("scara"), "name": name}))
    run(binary(), "code", model_file, "--language", "c", "--function", "gravity,mass_matrix", "--out", tmp_path, cwd=tmp_path)
    for file in answer["files"]:
        ours = (tmp_path / file["name"]).read_text().replace(name + ".", name + ", revision 1.")
        assert ours == file["source"]


def test_the_command_says_what_is_wrong(tmp_path):
    def refused(*arguments):
        done = subprocess.run([binary(), "code", *arguments], capture_output=True, text=True, timeout=60, cwd=tmp_path)
        return done.returncode, done.stderr
    assert refused("--help")[0] == 0
    assert refused()[0] == 2
    assert refused("x", "--language", "cobol")[0] == 2
    assert "cobol" in refused("x", "--language", "cobol")[1]
    status, said = refused("no-such-arm", "--language", "c", "--data", str(tmp_path))
    assert status == 1 and "no-such-arm" in said
    (tmp_path / "bad.json").write_text("{}")
    assert refused("bad.json", "--language", "c")[0] == 1


@pytest.mark.parametrize("request_, pointer, says", [
    ({"language": "c"}, "/functions", "missing"),
    ({"functions": ["gravity"]}, "/language", "missing"),
    ({"functions": [], "language": "c"}, "/functions", "at least 1"),
    ({"functions": ["gravity", "gravity"], "language": "c"}, "/functions/1", "there already"),
    ({"functions": ["levity"], "language": "c"}, "/functions/0", "levity"),
    ({"functions": ["gravity"], "language": "cobol"}, "/language", "cobol"),
    ({"functions": ["gravity"], "language": "c", "dialect": "siemens"}, "/dialect", "structured_text"),
    ({"functions": ["gravity"], "language": "python", "precision": "float32"}, "/precision", "float32"),
    ({"functions": ["gravity"], "language": "c", "terms": ["inertial"]}, "/terms", "inverse_dynamics"),
    ({"functions": ["gravity"], "language": "c", "inline": True}, "/inline", ""),
])
def test_refuses(server, path, request_, pointer, says):
    with server.client() as client:
        errors = client.post(path("scara") + "/code", request_).expect(422).json["errors"]
    assert [error["pointer"] for error in errors] == [pointer]
    assert says in errors[0]["detail"]


# ---------------------------------------------------------------- proofs that are kept

def test_proofs_are_kept_with_their_revision(server):
    """Of each revision what was found for each request; texts are not, and deleted robots leave none."""
    first = {"functions": ["gravity", "mass_matrix"], "language": "c"}
    second = {"functions": ["inverse_dynamics"], "language": "structured_text", "dialect": "siemens", "payload": {"mass": 1.5}}
    with server.client() as client:
        made = client.post("/v1/robots", {**model("scara"), "name": unique_name("proofs")}).expect(201)
        at = made.headers["Location"]
        assert client.get(at + "/code").expect(200).json == {"items": [], "next_cursor": None}
        answer = programs(client, at, **first)
        changed = client.put(at, {**made.json, "description": "another"}, headers={"If-Match": made.etag}).expect(200)
        programs(client, at, **second)
        programs(client, at, **second)
        client.post(at + "/code?revision=1", body=json.dumps(first, indent=3), content_type="application/json").expect(200)
        kept = client.get(at + "/code", query={"sort": "revision"}).expect(200).json["items"]
        assert [(item["revision"], item["request"]) for item in kept] == [(1, first), (2, second)]
        assert kept[0]["programs"] == answer["programs"]
        assert kept[0]["created_at"] >= kept[1]["created_at"]  # the last time that it was found
        assert client.get(at + "/code", query={"revision": 2}).expect(200).json["items"] == kept[1:]
        client.post(at + "/code", {"functions": ["gravity"], "language": "cobol"}).expect(422)
        assert len(client.get(at + "/code").json["items"]) == 2
        client.delete(at, headers={"If-Match": changed.etag}).expect(204)
        client.get(at + "/code").expect(404)
        again = client.post("/v1/robots", {**model("scara"), "name": at.rsplit("/", 1)[1]}).expect(201)
        assert again.json["revision"] == 3
        assert client.get(at + "/code").expect(200).json["items"] == []


def test_the_last_hundred_proofs_of_a_revision_are_kept(server):
    with server.client() as client:
        at = client.post("/v1/robots", {**model("scara"), "name": unique_name("proofs")}).expect(201).headers["Location"]
        for k in range(103):
            programs(client, at, functions=["friction"], language="text", gravity=[0, 0, -9 - k / 100])
        kept = client.get(at + "/code", query={"limit": 200}).expect(200).json["items"]
        assert [item["request"]["gravity"][2] for item in kept] == [-9 - k / 100 for k in range(102, 2, -1)]


# ---------------------------------------------------------------- arms that nobody chose

def some_arm(seed):
    """One to seven joints, turning and sliding, with any tilt, tool, payload, rotors and friction."""
    dice = random.Random(f"arm/{seed}")

    def draw(most):
        return dice.choice((0, dice.uniform(-most, most)))

    def joint(k):
        low, high = sorted(dice.uniform(0.01, 0.2) for _ in range(2))
        return {"name": f"j{k}", "type": dice.choice(("revolute", "revolute", "prismatic")), "a": draw(0.6), "d": draw(0.6), "theta": 0,
                "alpha": dice.choice((0, math.pi / 2, -math.pi / 2, dice.uniform(-3, 3))),
                "link": {"mass": dice.uniform(0.5, 8), "com": [draw(0.3) for _ in range(3)], "inertia": {"xx": high, "yy": high, "zz": low + 0.01}},
                "drive": {"rotor_inertia": dice.uniform(0, 1e-4), "gear_ratio": dice.choice((1, 50, -80))},
                "friction": {"coulomb": dice.uniform(0, 5), "viscous": dice.uniform(0, 2), "offset": draw(0.5)}}
    return {"name": f"some-arm-{seed}", "convention": dice.choice(("dh", "mdh")), "gravity": [draw(9), draw(9), -9.81], "joints": [joint(k) for k in range(dice.randrange(1, 8))],
            "tool": {"translation": [draw(0.2), 0, 0.1], "rpy": [draw(1), 0, 0]}, "payload": {"mass": dice.uniform(0, 2), "com": [0, draw(0.1), 0.05]}}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200 if os.environ.get("ARMDYN_SOAK") else 3))
def test_what_is_printed_of_some_arm_runs(server, seed, tmp_path):
    """C, Python and structured text of inverse dynamics, executed: each holds its own results against the library's."""
    arm = some_arm(seed)
    with server.client() as client:
        client.post("/v1/robots?allow_unphysical=true", arm).expect(201)
        at = "/v1/robots/" + arm["name"]
        asked = {"functions": ["inverse_dynamics"], "parameters": ["folded", "symbols", "base"][seed % 3]}
        program, test = put(programs(client, at, **asked, language="c", precision=["float64", "float32"][seed % 2]), tmp_path)
        run(COMPILERS[seed % 2], *FLAGS, program, test, "-o", tmp_path / "run", "-lm", cwd=tmp_path)
        assert "largest difference" in run(tmp_path / "run", cwd=tmp_path)
        _, test = put(programs(client, at, **asked, language="python"), tmp_path)
        assert "largest difference" in run(sys.executable, test, cwd=tmp_path)
        program, test = programs(client, at, **asked, language="structured_text", dialect=["codesys", "twincat", "siemens"][seed % 3])["files"]
    block = Program(program["source"], test["source"]).block("FB_" + test["name"].removesuffix(".st"))()
    assert block["passed"] is True, block["worst"]
