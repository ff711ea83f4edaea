"""`armdyn controller-test`: nothing is wrong with a controller that follows the protocol, and what is wrong with one that does not
is named, with what to mend."""

import concurrent.futures
import subprocess

import pytest

from foreign.process import Foreign
from support import ControllerSim, binary

pytestmark = pytest.mark.same_threads


def controller_test(*arguments, status):
    done = subprocess.run([binary(), "controller-test", *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=500)
    assert done.returncode == status, done
    return done.stderr if status == 2 else done.stdout


def wrong(page):
    """The names of the checks that failed."""
    return [line[8:] for line in page.splitlines() if line.startswith("  FAIL  ")]


def all_right(scan):
    with Foreign("--scan", scan, "--axes", 3, "--epochs", "--measures", "--commit", 30) as controller:
        page = controller_test(f"127.0.0.1:{controller.port}", "--allow-motion", "--restart", f"kill -USR1 {controller.pid}", status=0)
        told = [line for line in page.splitlines() if line.startswith("  -  ")]
        assert len(told) == (scan > 0), page  # bit 10
        motions = controller.ledger(None)["motions"]
        assert motions and {motion["whose"] for motion in motions} == {"first"}


@pytest.mark.slow
def test_nothing_is_wrong_with_one_that_follows_the_protocol():
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(all_right, [0, 10]))


@pytest.mark.slow
def test_nothing_is_wrong_with_the_simulated_controller():
    with ControllerSim("--axes", 6, "--scan", 5) as sim:
        assert wrong(controller_test(f"127.0.0.1:{sim.port}", "--allow-motion", status=0)) == []


def test_nothing_moves_unless_it_may():
    with Foreign("--places", 3, "--formats", 2, "--epochs") as controller:
        page = controller_test(f"127.0.0.1:{controller.port}", status=0)
        assert "it arms the drives: --allow-motion" in page
        told = controller.ledger(None)
        assert told["motions"] == [] and told["state"] == 0
        assert not {"ARM", "START", "RESUME"} & set(told["commands"])  # a wrong program may obey them in any state
        assert controller_test(f"127.0.0.1:{controller.port}", status=1).startswith("identity\n  FAIL  it answers")


# What a program does wrong, the check that finds it, and a word of what to mend.
WRONG = {
    "swaps": ("magic, version", "high word first"),
    "fast-clock": ("the uptime runs", "really takes"),
    "slow-clock": ("the uptime runs", "really takes"),
    "ignores-check": ("a wrong check word", "+36..37"),
    "twice": ("the same command written again", "last acknowledged"),
    "ignores-profile": ("another profile's commands", "+22..23"),
    "ignores-time": ("commands come too late", "modulo 2^32"),
    "ignores-axes": ("wrong arguments", "before you change anything"),
    "ghost": ("windows of the profile before", "active profile id"),
    "takes-torn-windows": ("a window with a wrong CRC-32", "before you take it"),
    "takes-any-offset": ("a window behind a gap", "next offset"),
    "clears-places": ("places are left", "clear no place"),
    "wrong-checksum": ("a large profile is stored", "read back"),
    "stores-zeros": ("a large profile is stored", "read back"),
    "early-number": ("a large profile is stored", "acknowledge COMMIT when"),
    "any-state": ("every command in READY", "table of states"),
    "same-instance": ("restart in READY", "another instance id"),
    "ignores-start-position": ("ARM compares", "NOT (ABS(start - measured) <= tolerance)"),
    "ignores-heartbeat": ("ARMED without a heartbeat", "since +11 last changed"),
    "counts-all-heartbeats": ("heartbeats with another profile", "+12..13"),
    "start-late": ("START is carried out at once", "in every scan"),
    "start-delayed": ("START is carried out at once", "in every scan"),
    "ignores-epoch": ("commands of an old epoch", "error 15"),
    "measures-uptime": ("measurements are of", "on the path"),
    "answers-all-by-commit": ("what is refused while COMMIT runs", "COMMIT at its end"),
    "forgets-commit": ("what is refused while COMMIT runs", "COMMIT at its end"),
    "ends-early": ("a profile is played", "k times the period"),
}


ALONE = ("ignores-epoch", "measures-uptime")  # nothing else is wrong with these


def is_named(fault):
    name, mend = WRONG[fault]
    with Foreign("--scan", 2, "--commit", 100, "--epochs", "--measures", fault=[fault]) as controller:
        page = controller_test(f"127.0.0.1:{controller.port}", "--allow-motion", "--only", name, "--restart",
                               f"kill -USR1 {controller.pid}", status=1)
        found = wrong(page)
        others = wrong(controller_test(f"127.0.0.1:{controller.port}", "--allow-motion", status=1)) if fault in ALONE else found
        assert others == found, (fault, others)
        assert len(found) == 1 and found[0].startswith(name), (fault, page)
        assert mend in page.split("mend: ")[1].splitlines()[0], (fault, page)


@pytest.mark.slow
def test_what_is_wrong_is_named():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(is_named, WRONG))


@pytest.mark.parametrize("arguments", [[], ["127.0.0.1"], ["127.0.0.1:1", "more"], ["--base", "x", "127.0.0.1:1"], ["--colour", "a:1"]])
def test_wrong_usage(arguments):
    assert "--help" in controller_test(*arguments, status=2)
