"""The controller of the other world behaves as the protocol says: every command in every state, windows, times, restarts; tried
with the master of that world, so that neither knows the gateway."""

import time

import pytest

from foreign import words as w
from foreign.master import Master
from foreign.process import Foreign

pytestmark = pytest.mark.same_threads

E, L, R, A, P, H, D, F = range(8)
# Where each command leads from EMPTY, LOADING, READY, ARMED, PLAYING, HOLDING, DONE, FAULT; None: error 1.
LEADS = {
    w.BEGIN: (L, L, L, None, None, None, L, None), w.COMMIT: (None, R, *[None] * 6), w.ARM: (None, None, A, *[None] * 5),
    w.START: (*[None] * 3, P, *[None] * 4), w.HOLD: (*[None] * 4, H, *[None] * 3), w.RESUME: (*[None] * 5, P, None, None),
    w.STOP: (E, E, E, E, E, E, E, F), w.CLEAR: (E, E, E, None, None, None, E, E), w.STREAM: (L, L, L, None, None, None, L, None),
}
SCANS = [0, 10]


def profile(samples, words=4):
    """Data of `samples` samples of one axis that stands still, each unlike the others."""
    data = []
    for k in range(samples):
        data += w.pack("ff", 0.0, 0.001 * k)[:words]
    return data


def bring_to(m, state):
    """From whatever it is now, with a profile of m that is active from LOADING on."""
    m.profile = 0
    m.command(w.STOP)
    m.until(lambda look: look.state in (E, F))
    m.command(w.CLEAR, profile=1)
    if state == E:
        return
    data = profile(100)
    m.begin(100, period=1000 if state == D else 100_000)
    m.send(data)
    if state == L:
        return
    assert m.commit(data).state == R
    for code in {R: [], A: [w.ARM], F: [w.ARM], P: [w.ARM, w.START], H: [w.ARM, w.START, w.HOLD], D: [w.ARM, w.START]}[state]:
        m.heartbeat()
        assert m.command(code).error == 0
    m.until(lambda look: look.state == state)


@pytest.mark.sampled
@pytest.mark.parametrize("scan", SCANS)
def test_every_command_in_every_state(scan):
    with Foreign("--scan", scan) as controller, Master(controller.port) as m:
        for code, leads in LEADS.items():
            for state, to in enumerate(leads):
                if state == F and code != w.CLEAR:
                    continue  # a second each; below
                bring_to(m, state)
                arguments = {"total": 0 if code == w.STREAM else 100, "mask": 1, "format": 3, "period": 1000}
                if code == w.COMMIT:
                    arguments["crc"] = w.zlib.crc32(w.bytes_of(profile(100)))
                if code in (w.BEGIN, w.STREAM):
                    arguments["profile"] = 7
                told = m.command(code, **arguments)
                assert told.error == (0 if to is not None else 1), (code, state, vars(told))
                m.until(lambda look: look.state == (state if to is None else to))
        bring_to(m, F)
        for code, leads in LEADS.items():
            if leads[F] is None or code == w.STOP:
                assert m.command(code).error == (0 if code == w.STOP else 1) and m.look().state == F
        assert m.look().own_error == w.HEARTBEAT
        assert m.command(w.CLEAR).state == E and m.look().own_error == 0


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("samples", [2, 251, 2501])
def test_a_download_is_played_as_sent(scan, samples):
    with Foreign("--scan", scan, "--keep") as controller, Master(controller.port) as m:
        data = profile(samples)
        look = m.load(data)
        assert (look.state, look.crc, look.next) == (R, w.zlib.crc32(w.bytes_of(data)), samples)
        if samples == 251:
            assert m.command(w.ARM).error == 0
            m.command(w.START)
            m.until(lambda look: look.state == D)
            told = controller.ledger()
            (motion,) = told["motions"]
            assert motion["end"] == "whole" and motion["whose"] == "first" and motion["samples"] == 251
            assert bytes(b for sample in told["played"] for b in sample) == w.bytes_of(data)


def test_arguments_are_checked_before_anything_changes():
    with Foreign("--axes", 3, "--samples", 1000, "--formats", 6) as controller, Master(controller.port) as m:
        data = profile(100)
        m.load(data)
        before, active = m.look(), m.profile
        for error, wrong in ((w.AXES, {"mask": 0}), (w.AXES, {"mask": 8}), (w.FORMAT, {"format": 1}), (w.FORMAT, {"format": 4}),
                             (w.FORMAT, {"period": 0}), (w.FORMAT, {"loss": 3}), (w.TOO_LONG, {"total": 0}), (w.TOO_LONG, {"total": 1001})):
            assert m.begin(**{"total": 10, **wrong}).error == error, wrong
        now = m.look()
        assert (now.state, now.profile, now.crc, now.next) == (R, active, before.crc, 100)
        m.profile = active
        for error, wrong in ((w.PROFILE, {"profile": 5}), (w.LATE, {"ahead": -1}), (w.LATE, {"ahead": 60500})):
            assert m.command(w.ARM, **wrong).error == error
        far = m.command(w.BEGIN, total=4, mask=1, format=3, period=1000, start=[0.2], profile=9)
        assert far.error == 0 and far.profile == 9
        m.profile = 9
        m.send(profile(4))
        m.commit(profile(4))
        assert m.command(w.ARM).error == w.START_POSITION


@pytest.mark.parametrize("scan", SCANS)
def test_what_is_torn_is_neither_executed_nor_acknowledged(scan):
    with Foreign("--scan", scan, fault=["torn-always"]) as controller, Master(controller.port) as m:
        for _ in range(5):
            data = profile(500)
            # An answer of two moments may show what was acknowledged before the state that it led to.
            m.load(data)
            m.until(lambda look: (look.state, look.crc) == (R, w.zlib.crc32(w.bytes_of(data))))
        wrong = m.command(w.ARM, acknowledged=False, write=False)
        wrong[16] ^= 1
        m.write(20, wrong)
        time.sleep(0.1)
        assert m.look().state == R and m.look().number != wrong[19]
        m.write(20, [w.STOP, 0, 0, 0, *wrong[4:19], wrong[19] ^ 1, *wrong[20:]])  # a person's, with a wrong check word
        m.until(lambda look: look.state == E)


def test_windows_that_are_not_its_own():
    with Foreign("--scan", 5) as controller, Master(controller.port) as m:
        old = profile(500)
        m.load(old)
        ghost = m.profile
        m.begin(500)
        time.sleep(0.05)
        assert m.look().next == 0  # windows of the profile before are still in their places
        m.write(100, w.window_words(ghost, 0, old[:40]))
        m.write(228, w.window_words(m.profile, 10, old[:40]))  # a gap
        broken = w.window_words(m.profile, 0, old[:40])
        broken[7] ^= 1
        m.write(356, broken)
        time.sleep(0.05)
        assert m.look().next == 0 and m.look().own_error == 0
        m.write(100, w.window_words(m.profile, 0, old[:40]))
        assert m.until(lambda look: look.next == 20)
        m.write(100, w.window_words(m.profile, 20, old[:39]))  # part of a sample
        m.until(lambda look: look.own_error == w.WINDOW)


def test_a_stream_is_played_and_runs_dry():
    with Foreign("--ring", 700, "--scan", 2) as controller, Master(controller.port) as m:
        data = profile(600)
        m.begin(0, w.STREAM)
        assert m.command(w.ARM).error == w.UNDERRUN
        m.send(data)
        assert m.look().free == 100
        for code in (w.ARM, w.START):
            m.heartbeat()
            assert m.command(code).error == 0
        m.heartbeat()
        dry = m.until(lambda look: look.state == H)
        assert dry.own_error == w.UNDERRUN and dry.index < 600
        assert m.command(w.RESUME).error == w.UNDERRUN
        assert m.commit(data).error == 0
        m.heartbeat()
        assert m.command(w.RESUME).error == 0
        look = m.until(lambda look: look.state == D)
        assert look.crc == w.zlib.crc32(w.bytes_of(data))
        (motion,) = controller.ledger()["motions"]
        assert motion["samples"] == 600 and motion["end"] == "whole"


def test_a_restart_is_seen():
    with Foreign(fault=["restart-kept@9"]) as controller, Master(controller.port) as m:
        before = m.instance
        m.begin(100)
        look = m.until(lambda look: look.instance != before)
        assert (look.state, look.profile, look.number, look.check) == (E, 0, look.number_written, 0)


def test_the_uptime_wraps_and_time_goes_on():
    with Foreign("--uptime-ms", 2 ** 32 - 300) as controller, Master(controller.port) as m:
        assert m.command(w.CLEAR, ahead=1000).error == 0  # latest lies beyond the wrap
        m.until(lambda look: look.uptime < 2 ** 31)
        assert m.command(w.CLEAR).error == 0 and m.command(w.CLEAR, ahead=-1000).error == w.LATE


@pytest.mark.parametrize("script,ends", [("begin", False), ("stop", True), ("start", True), ("take", False)])
def test_a_second_master(script, ends):
    """Its profile is its own: nothing of the first is played for it, and nothing of it for the first."""
    with Foreign(fault=[f"second@20:{script}"]) as controller, Master(controller.port, patience=1.5) as m:
        data = profile(500)
        try:
            m.load(data)
            m.command(w.ARM)
            m.command(w.START)
            m.until(lambda look: look.state == D and look.profile == m.profile)
        except AssertionError:
            pass  # its profile was taken from it
        motions = controller.ledger()["motions"]
        assert all(one["whose"] == ("first" if one["samples"] == 500 else "second") for one in motions if one["end"] == "whole")
        assert ends == any(one["whose"] == "first" and one["end"] == "whole" for one in motions)
