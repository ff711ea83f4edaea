"""The commands that the manual shows are run, in its order, against a real service; answers it shows as JSON are compared.

A fence of language `sh` is run with bash; `sh problem` must be answered by a problem. A fence of language `json` right
after it is what the last one printed; `python NAME` is a file of this name. Fences without a language are for the reader."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from support import ROOT, ControllerSim, Server, binary, robot
from support.process import free_port

CLIENTS = "deploy/doc/clients.md"
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.S | re.M)

# curl as the manual writes it, but silent, and a failure fails.
PRELUDE = r"""
set -euo pipefail
curl() { command curl --silent --show-error $EXPECT "$@"; }
"""


def pages():
    """Pages in the order in which a reader takes them: a page goes on where the one before it ended."""
    return (["README.md"], ["deploy/doc/api-tour.md", "deploy/doc/controllers.md", "deploy/doc/orders.md"], [CLIENTS], ["deploy/doc/models.md"],
            ["deploy/doc/dynamics.md"], ["deploy/doc/control.md"], ["deploy/doc/verification.md"], ["deploy/doc/trajectories.md"], ["deploy/doc/identification.md"], ["deploy/doc/excitation.md"],
            ["deploy/doc/datasets.md"], ["deploy/doc/collisions.md"], ["deploy/doc/plc.md"],
            ["deploy/doc/cells.md"])


def steps(path):
    """(command, is a problem expected, JSON expected or None) of a page."""
    fences = [(language.split(), text) for language, text in FENCE.findall((ROOT / path).read_text())]
    for (language, text), (after, answer) in zip(fences, [*fences[1:], ([], "")]):
        if language[:1] == ["sh"]:
            yield text, "problem" in language, json.loads(answer) if after == ["json"] else None
        elif language[:1] == ["python"] and len(language) == 2:
            yield f"cat >{language[1]} <<'END'\n{text}END\n", False, None


def same(shown, real):
    """Equal, numbers to 1e-9 relative."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and shown.keys() == real.keys() and all(same(shown[key], real[key]) for key in shown)
    if isinstance(shown, list):
        return isinstance(real, list) and len(shown) == len(real) and all(map(same, shown, real))
    if isinstance(shown, (int, float)) and not isinstance(shown, bool):
        return real == pytest.approx(shown, rel=1e-9, abs=1e-12)
    return shown == real


class Reader:
    """A shell session: each step sees the variables and files of the steps before it."""

    def __init__(self, folder, ports):
        self.folder, self.ports, self.before = folder, ports, ""
        for name in ("tests", "deploy"):
            (folder / name).symlink_to(ROOT / name)
        (folder / "bin").mkdir()
        (folder / "bin/armdyn").symlink_to(binary())

    def run(self, text, problem):
        for shown, real in self.ports.items():
            text = re.sub(rf"(?<=127\.0\.0\.1:){shown}\b|(?<=\"port\": ){shown}\b", str(real), text)
        state = self.folder / "state"
        script = f"{PRELUDE}[ ! -f {state} ] || . {state}\n{text}\ndeclare -p A O S T 2>/dev/null >{state} || true\n"
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, env={**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "EXPECT": "" if problem else "--fail-with-body"})
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.mark.parametrize("group", pages(), ids=lambda group: pathlib.Path(group[0]).stem)
def test_every_command_works(group, tmp_path):
    with Server("--webhook-networks", "127.0.0.0/8") as server, contextlib.ExitStack() as simulators:
        reader = Reader(tmp_path, {8080: server.port, 8090: free_port()})
        for page in group:
            if page.endswith("controllers.md"):
                reader.ports[5020] = simulators.enter_context(ControllerSim(robot=json.loads((tmp_path / "arm.json").read_text()))).port
            if page.endswith("plc.md"):
                for port, trace in ((5021, "full"), (5022, "without_gravity")):
                    simulator = ControllerSim("--trace", tmp_path / f"{trace}.csv", robot=robot("puma560"))
                    reader.ports[port] = simulators.enter_context(simulator).port
            for text, problem, expected in steps(page):
                printed = reader.run(text, problem)
                if problem:
                    answer = json.loads(printed)
                    assert answer["type"].startswith("/problems/") and answer["status"] >= 400
                if expected is not None:
                    assert same(expected, json.loads(printed)), f"{page} shows\n{expected}\nfor\n{text}\nbut it prints\n{printed}"


def test_examples_are_those_of_the_manual():
    for page, fence, path in (("orders.md", "python order_4711.py", "order_4711.py"),
                              ("order-programs.md", "java", "Order.java"), ("order-programs.md", "csharp", "Order.cs")):
        shown = dict(FENCE.findall((ROOT / "deploy/doc" / page).read_text()))
        assert shown[fence] == (ROOT / "examples/orders" / path).read_text()


def printed(command, folder):
    """What a command prints that must succeed."""
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


PROJECT = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework>
<Nullable>disable</Nullable></PropertyGroup></Project>
"""
MCS = ["mcs", "-warnaserror", "-r:System.Net.Http", "-r:System.Runtime.Serialization", "Program.cs"]
# language of the fence: the program's file, what else it needs, and how it is built and run, in the order of preference
PROGRAMS = {
    "python": ("walk.py", {}, [([], [sys.executable, "walk.py"])]),
    "java": ("Walk.java", {}, [([], ["java", "Walk.java"])]),
    "csharp": ("Program.cs", {"walk.csproj": PROJECT}, [(["dotnet", "build"], ["dotnet", "run", "--no-build", "--"]), (MCS, ["mono", "Program.exe"])]),
}


@pytest.mark.slow
@pytest.mark.parametrize("language", PROGRAMS)
def test_every_client_prints_the_same(language, fresh_server, tmp_path):
    """Twice: whoever runs it again is not told that it is all there."""
    name, others, ways = PROGRAMS[language]
    way = next((way for way in ways if all(map(shutil.which, [command[0] for command in way if command]))), None)
    if way is None:
        pytest.skip(" nor ".join(run[0] for _, run in ways) + " is not installed")
    fences = FENCE.findall((ROOT / CLIENTS).read_text())
    Reader(tmp_path, {}).run(fences[0][1], False)  # the model and the motion
    for path, text in {name: dict(fences)[language], **others}.items():
        (tmp_path / path).write_text(text)

    build, command = way
    if build:
        printed(build, tmp_path)
    for _ in range(2):
        assert printed([*command, fresh_server.url], tmp_path) == dict(fences)["text"]


GENERATOR = "node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar"
NSWAG = "node_modules/nswag/bin/binaries/Win"
# the programs it takes, and the steps from contract.json (or older.json, which is OpenAPI 3.0) to what is printed for {url}
GENERATED = {
    "typescript": (["node"], [
        "node_modules/.bin/openapi-typescript contract.json --default-non-nullable=false -o contract.d.ts",
        "node_modules/.bin/tsc --strict --target es2022 --lib es2022,dom --module nodenext --skipLibCheck walk.ts",
        "node walk.js {url}"]),
    "java": (["java", "javac"], [
        f"java -jar {GENERATOR} generate -g java --library native -i older.json -o java -p openApiNullable=false --global-property apiTests=false,modelTests=false",
        f"javac -nowarn -cp {GENERATOR} -d classes $(find java -name '*.java') Walk.java",  # the generator brings what its clients need
        f"java -cp {GENERATOR}:classes Walk {{url}}"]),
    "csharp": (["mono", "mcs"], [
        f"mono {NSWAG}/NSwag.exe openapi2csclient /input:older.json /output:Client.cs /namespace:Armdyn /classname:ArmdynClient /generateOptionalPropertiesAsNullable:true",
        f"cp {NSWAG}/Newtonsoft.Json.dll .",
        "mcs -nowarn:1591 -r:System.Net.Http -r:System.Runtime.Serialization -r:System.ComponentModel.DataAnnotations -r:Newtonsoft.Json.dll Walk.cs Client.cs",
        "mono Walk.exe {url}"]),
}


@pytest.fixture(scope="module")
def generators(tmp_path_factory):
    """A folder with what tests/generated has, and with the generators from npm."""
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("generated")
    for path in (ROOT / "tests/generated").glob("[.A-Za-z]*.*"):
        shutil.copy(path, folder)
    printed(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    Reader(folder, {}).run(FENCE.findall((ROOT / CLIENTS).read_text())[0][1], False)  # the model and the motion
    return folder


@pytest.mark.skipif(os.environ.get("ARMDYN_SOAK", "0") == "0", reason="fetches generators from npm: part of make soak")
@pytest.mark.parametrize("language", GENERATED)
def test_a_generated_client_compiles_and_prints_the_same(language, generators, fresh_server):
    """tests/generated: a client that others' tools make of what the service serves, and a program that uses it."""
    programs, steps = GENERATED[language]
    if missing := [program for program in programs if not shutil.which(program)]:
        pytest.skip(f"{missing} not installed")
    (generators / "contract.json").write_bytes(fresh_server.client().get("/v1/openapi.json").body)
    printed([sys.executable, "older.py", "contract.json", "older.json"], generators)
    for step in steps:
        last = printed(["sh", "-c", step.format(url=fresh_server.url)], generators)
    assert last == dict(FENCE.findall((ROOT / CLIENTS).read_text()))["text"]
