"""A disk that takes a write and does not come back: an alarm says so while everything that would write waits, and nothing is lost."""

import os
import shutil
import subprocess
import threading

import pytest

from support import ROOT, Server, robot, until

pytestmark = pytest.mark.slow


@pytest.fixture
def hanging(tmp_path):
    """The file as long as which is there the disk hangs, and the environment that makes it so."""
    if os.environ.get("ARMDYN_VARIANT", "release") != "release":
        pytest.skip("a sanitizer must be loaded first")
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    library, file = tmp_path / "hanging.so", tmp_path / "hangs"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, ROOT / "tests/support/hanging.c", "-ldl"], check=True)
    yield file, {"LD_PRELOAD": str(library), "ARMDYN_TEST_HANG": str(file)}
    file.unlink(missing_ok=True)


def alarms(client, state="active,acknowledged,cleared"):
    return client.get("/v1/alarms", query={"code": "store-slow", "state": state}).expect(200).json["items"]


def test_a_write_that_does_not_come_back_is_an_alarm(hanging):
    file, env = hanging
    with Server("--workers", 1, "--disk-slow", 1, "--disk-low", 0, env=env) as server, server.client() as client:
        assert alarms(client) == []
        file.touch()
        answers = []
        writing = threading.Thread(target=lambda: answers.append(server.client().create_robot(robot("scara"), name="arm")))
        writing.start()
        alarm, = until(lambda: alarms(client, "active"), what="an alarm")
        assert alarm["source"] == "store" and not answers
        client.get("/v1/robots/arm").expect(404)  # it is not promised before it is on the disk
        file.unlink()
        writing.join()
        cleared, = until(lambda: alarms(client, "cleared"), what="its end")
        assert cleared["id"] == alarm["id"] and len(answers) == 1
        client.get("/v1/robots/arm").expect(200)
        types = [event["type"] for event in client.get("/v1/events/log", query={"alarm": alarm["id"]}).expect(200).json["items"]]
        assert types == ["alarm.raised", "alarm.cleared"]
