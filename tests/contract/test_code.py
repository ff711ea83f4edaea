"""The programs that the service writes, run: by two compilers of C, by Python, by an interpreter of structured text that shares
nothing with what printed them, and by Octave where there is one. What they must compute comes from the service's other calls.
"""

import json
import math
import random
import shutil
import subprocess
import sys

import pytest

from support import binary, robot, unique_name, vectors
from support.data import DATA
from support.structured_text import Block, load

FUNCTIONS = ["inverse_dynamics", "gravity", "friction", "mass_matrix", "coriolis", "forward_kinematics", "jacobian", "regressor",
             "collision_observer", "payload_torque"]
MODELS = ["puma560", "scara", "ur10", "prismatic_dh", "prismatic_mdh"]
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

@pytest.mark.parametrize("name, compiler", [(name, ["gcc", "clang-14"][k % 2]) for k, name in enumerate(MODELS)])
def test_c_compiles_without_a_warning_and_passes_its_test(server, path, name, compiler, tmp_path):
    turn = MODELS.index(name)
    request = {"functions": FUNCTIONS, "language": "c", "parameters": ["folded", "symbols", "base"][turn % 3],
               "precision": ["float64", "float32"][turn % 2]}
    with server.client() as client:
        files = put(programs(client, path(name), **request), tmp_path)
    for program, test in zip(files[::2], files[1::2], strict=True):
        run(compiler, *FLAGS, program, test, "-o", tmp_path / "run", "-lm", cwd=tmp_path)
        assert "largest difference" in run(tmp_path / "run", cwd=tmp_path)


def test_a_wrong_program_fails_its_test(server, path, tmp_path):
    """The tests that are given out can fail."""
    with server.client() as client:
        program, test = put(programs(client, path("scara"), functions=["inverse_dynamics"], language="c"), tmp_path)
    program.write_text(program.read_text().replace("0.325*", "0.3251*"))
    run("gcc", *FLAGS, program, test, "-o", tmp_path / "run", "-lm", cwd=tmp_path)
    assert subprocess.run([str(tmp_path / "run")], capture_output=True, timeout=60).returncode == 1


# ---------------------------------------------------------------- Python, Octave

@pytest.mark.parametrize("name", MODELS)
def test_python_passes_its_test(server, path, name, tmp_path):
    parameters = ["folded", "symbols", "base"][MODELS.index(name) % 3]
    with server.client() as client:
        files = put(programs(client, path(name), functions=FUNCTIONS, language="python", parameters=parameters), tmp_path)
    for test in files[1::2]:
        assert "largest difference" in run(sys.executable, test, cwd=tmp_path)


@pytest.mark.skipif(not shutil.which("octave-cli"), reason="Octave is not installed")
@pytest.mark.parametrize("name", ["puma560", "scara"])
def test_matlab_passes_its_test_in_octave(server, path, name, tmp_path):
    with server.client() as client:
        files = put(programs(client, path(name), functions=FUNCTIONS, language="matlab"), tmp_path)
    said = run("octave-cli", "--no-gui", "--quiet", "--eval", ";".join(test.stem for test in files[1::2]), cwd=tmp_path)
    assert said.count("largest difference") == len(FUNCTIONS)


# ---------------------------------------------------------------- structured text

@pytest.mark.parametrize("name, dialect", [("puma560", "codesys"), ("scara", "twincat"), ("prismatic_mdh", "siemens")])
def test_structured_text_passes_its_test(server, path, name, dialect):
    turn = ["codesys", "twincat", "siemens"].index(dialect)
    request = {"functions": FUNCTIONS, "language": "structured_text", "dialect": dialect, "precision": ["float64", "float32"][turn % 2],
               "parameters": ["folded", "symbols", "base"][turn]}
    with server.client() as client:
        answer = programs(client, path(name), **request)
    for program, test in zip(answer["files"][::2], answer["files"][1::2], strict=True):
        block = Block(load(program["source"], test["source"]), test["name"].removesuffix(".st").join(["FB_", ""]))()
        assert block["passed"] is True, (test["name"], block["worst"])
        assert "TANH" not in program["source"].upper() and "POINTER" not in program["source"].upper()


def test_the_interpreter_sees_a_wrong_program(server, path):
    with server.client() as client:
        program, test = (file["source"] for file in programs(client, path("scara"), functions=["gravity"],
                                                              language="structured_text", precision="float32")["files"])
    entry = "FB_" + path("scara").rsplit("/", 1)[1].replace("-", "_") + "_gravity_test"
    assert Block(load(program, test), entry)()["passed"] is True
    assert Block(load(program.replace("19.62", "19.63"), test), entry)()["passed"] is False


def test_blocks_agree_with_the_other_calls_of_the_service(server, path):
    """One and the same state, through HTTP and through a block."""
    dice = random.Random(5)
    with server.client() as client:
        at = path("puma560")
        answer = programs(client, at, functions=["inverse_dynamics", "gravity", "forward_kinematics"], language="structured_text")
        blocks = load(*(file["source"] for file in answer["files"]))
        inverse, gravity, tool = (Block(blocks, "FB_" + program["entry"]) for program in answer["programs"])
        for _ in range(5):
            q, qd, qdd = ([dice.uniform(-2, 2) for _ in range(6)] for _ in range(3))
            tau = client.post(at + "/inverse-dynamics", {"q": q, "qd": qd, "qdd": qdd}).expect(200).json["tau"]
            assert inverse(q=q, qd=qd, qdd=qdd)["tau"] == pytest.approx(tau, abs=1e-10)
            assert gravity(q=q)["tau"] == pytest.approx(client.post(at + "/gravity", {"q": q}).expect(200).json["gravity_torque"], abs=1e-11)
            wanted = client.post(at + "/forward-kinematics", {"q": q}).expect(200).json["tool"]
            assert sum(tool(q=q)["tool"], []) == pytest.approx(sum(wanted, []), abs=1e-12)


def test_the_observer_block_feels_a_push(server, path):
    """The arm stands; its drives hold it, and from then on something pushes with 7 N m on joint 2."""
    with server.client() as client:
        at = path("ur10")
        answer = programs(client, at, functions=["collision_observer"], language="structured_text")
        block = Block(load(answer["files"][0]["source"]), "FB_" + answer["programs"][0]["entry"])
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


# ---------------------------------------------------------------- a URDF, the command, refusals

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
