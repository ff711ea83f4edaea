"""The pages in a real browser: programs of steps, each against a service with an empty data directory and a simulated arm."""

import contextlib
import fcntl
import functools
import http.client
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support import ControllerSim, Server, robot  # noqa: E402
from gateway.cell import Cell  # noqa: E402
from support.crowd import fill, run_summary  # noqa: E402

KEY = "a-key-of-an-administrator"
LANGUAGES = {"flows.mjs": ("zh",), "work.mjs": ("en",), "questions.mjs": ("zh",), "motions.mjs": ("en", "zh"), "results.mjs": ("zh",), "cells.mjs": ("zh",), "weight.mjs": ("en",)}  # of the programs; a soak's are all
ARMS = {"flows.mjs": 0, "work.mjs": 0, "questions.mjs": 1, "motions.mjs": 1, "results.mjs": 1, "cells.mjs": 6, "audit.mjs": 1, "keyboard.mjs": 2, "clicking.mjs": 1, "weight.mjs": 0}  # simulated
FLAGS = {"clicking.mjs": "--js-flags=--no-opt,--no-maglev,--no-sparkplug"}  # what is compiled as it gets hot is no heap of the pages
SOAKED = ("audit.mjs", "keyboard.mjs")  # programs of a soak alone, in both languages
PATIENCE = 900  # s, so late that only what hangs meets it
CLICKING = 15  # minutes, of a soak


def missing(folder):
    """Why the browser cannot be run here; "" when it can. Fetches what package-lock.json names, once: shards wait for the first."""
    for command in ("node", "npm", os.environ.get("CHROMIUM", "chromium")):
        if not shutil.which(command):
            return f"{command} is not installed"
    with open(folder.parent / "npm.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (HERE / "node_modules/playwright-core").is_dir():
            done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"], cwd=HERE,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            (folder / "npm.log").write_text(done.stdout)
            if done.returncode:
                return "npm could not fetch its packages"
    return ""


def without_pages(server):
    try:
        urllib.request.urlopen(server.url + "/").read()
        return ""
    except urllib.error.HTTPError as refusal:
        return json.loads(refusal.read())["detail"]


def browse(program, language, folder, *arguments):
    """Exit status (None: killed for its time) and output of a program of steps against a service of its own; why not, "" when it ran."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server(key=KEY))
        if why := without_pages(server):
            return 0, "", why
        arms = [stack.enter_context(ControllerSim("--axes", 4)) for _ in range(ARMS[program])]
        env = {**os.environ, "ARMDYN_CHROMIUM_FLAGS": FLAGS.get(program, ""), "ARMDYN_URL": server.url, "ARMDYN_KEY": KEY, "ARMDYN_SHOTS": str(folder),
               "ARMDYN_CONTROLLER_PORTS": ",".join(str(one.port) for one in arms)}
        lines = []
        with subprocess.Popen(["node", str(HERE / program), language, *arguments], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as node:
            limit = threading.Timer(2 * PATIENCE if arguments else PATIENCE, node.kill)
            limit.start()
            for line in node.stdout:
                lines.append(line)
                if line == '{"do":"restart"}\n':
                    server.restart(kill=True)
                    print(server.url, file=node.stdin, flush=True)
            status = node.wait()
            limit.cancel()
        return status, "".join(lines), ""


def first_key():
    """Why who makes the first key on the page is not served well, "" when he is."""
    with Server() as server:
        if without_pages(server):
            return ""
        done = subprocess.run(["node", str(HERE / "first_key.mjs")], env={**os.environ, "ARMDYN_URL": server.url}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        return "" if done.returncode == 0 and done.stdout.endswith("done\n") else done.stdout


def strangers():
    """Pages of others against a service without keys and an arm that waits for START: why something moved or changed, "" when
    nothing did."""
    with Server() as server, ControllerSim("--axes", 6) as controller:
        if without_pages(server):
            return ""
        cell = Cell(server, controller)
        transfer = cell.loaded(cell.trajectory())
        before = [cell.client.get(path).json for path in ("/v1/keys", "/v1/drain", "/v1/robots", "/v1/controllers")]
        done = subprocess.run(["node", str(HERE / "strangers.mjs")], env={**os.environ, "ARMDYN_URL": server.url, "ARMDYN_TRANSFER": transfer},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        if done.returncode:
            return done.stdout
        told = json.loads(done.stdout.splitlines()[-1])
        lines = [json.loads(line) for line in server.log(1 << 26).splitlines() if '"method":"' in line]
        writes = [(line["path"], line["status"]) for line in lines if line["method"] not in ("GET", "HEAD", "OPTIONS")]
        # the service's own: what made the cell, and the pages' two drains; a preflight that finds no leave sends no more
        refused = sum(status == 403 for _, status in writes)
        after = [cell.client.get(path).json for path in ("/v1/keys", "/v1/drain", "/v1/robots", "/v1/controllers")]
        state = cell.get(transfer)["state"]
        if told["tried"] < 100 or refused < 100:
            return f"only {told['tried']} shapes were tried, and {refused} came here"
        if before != after or state != "ready":
            return f"the transfer is {state}; {before} became {after}"
        taken = [(path, status) for path, status in writes if status < 400 and not path.startswith(("/v1/robots", "/v1/controllers"))]
        return "" if sorted(taken) == [("/v1/drain", 200)] * 4 and told["own"] == [[200, 200]] * 2 else f"taken: {taken}; own pages: {told['own']}"


LONG, RUNS = 10_000_000, 10_000


def upload_long(server, place):
    """A log of LONG samples of four joints; its id."""
    block = min(LONG, 1_000_000)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (LONG, 9)})

    def rows():
        yield header.getvalue()
        for first in range(0, LONG, block):
            t = np.arange(first, first + block) / 1000
            yield np.column_stack([t, *(f(w * t) for f in (np.sin, np.cos) for w in (1, 1 / 7, 3, 1 / 60))]).tobytes()
    connection = http.client.HTTPConnection(server.host, server.port, timeout=600)
    connection.request("POST", place + "/datasets", rows(), {"Content-Type": "application/x-npy"}, encode_chunked=True)
    answer = connection.getresponse()
    assert answer.status == 201, answer.read()
    return answer.headers["Location"].rsplit("/", 1)[1]


def check_figures(tally):
    """What the pages must reach with thousands of runs and millions of samples (a soak): tests/web/figures.mjs."""
    with Server() as server:
        with server.client() as client:
            place = client.create_robot(robot("scara")).headers["Location"]
        server.terminate()
        fill(server.data, RUNS, "identification", run_summary)
        server.restart()
        dataset = upload_long(server, place)
        with server.client() as client:
            job = client.wait_job(client.post(place + "/identifications", {"datasets": [dataset]}), timeout=PATIENCE)
            run = client.get(job["result"]["href"]).expect(200).json["id"]
        done = subprocess.run(["node", str(HERE / "figures.mjs"), dataset, run, str(RUNS)], env={**os.environ, "ARMDYN_URL": server.url},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
    (tally.folder / "figures.log").write_text(done.stdout)
    figures = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"')]
    for figure in figures:
        tally.check(figure["name"], figure["value"] <= figure["most"], "{value} {unit}, at most {most}".format(**figure))
    tally.check("every figure", done.returncode == 0, done.stdout)


def check_program(tally, program, language, *arguments):
    """Every step of a program is a test."""
    status, text, why = browse(program, language, tally.folder, *arguments)
    if why:
        tally.skip(f"pages, {program} {language}", why)
        return
    (tally.folder / f"{program}-{language}.log").write_text(text)
    steps = [json.loads(line) for line in text.splitlines() if line.startswith('{"name"')]
    for step in steps:
        tally.check(step["name"], step["ok"], step["why"])
    if not steps or (status != 0 and all(step["ok"] for step in steps)):
        tally.fail(f"pages, {program} {language}", f"{len(steps)} steps, status {status}\n{text}")


def check_clicking(tally):
    """Every page again and again: heap, listeners and contexts of WebGL stay as they are (a soak)."""
    check_program(tally, "clicking.mjs", "en", str(CLICKING))


def check_strangers(tally):
    for name, why in (("the first key", first_key()), ("pages of strangers", strangers())):
        tally.check(name, not why, why)


def check_web(tally, variant_out, soak=False):
    """Those of all the programs that this shard has, one after the other: each wants a processor for itself."""
    os.environ["ARMDYN_BINARY"] = str(variant_out / "armdyn")
    if why := missing(tally.folder):
        tally.skip("pages", why)
        return
    programs = [functools.partial(check_program, program=program, language=language)
                for program, languages in {**LANGUAGES, **dict.fromkeys(SOAKED if soak else (), ())}.items()
                for language in (("en", "zh") if soak else languages)]
    for check in tally.mine([*programs, check_strangers, *([check_figures, check_clicking] if soak else [])]):
        check(tally)
