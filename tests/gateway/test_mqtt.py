"""Events published by MQTT, with mosquitto as the broker and mosquitto_sub as another reader: away, slow, restarted."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time

import pytest

from foreign.process import Foreign
from ordering import THERE, Ordering
from support import Server, binary, contract, until
from support.process import free_port
from support.tls import authority, signed
from trickle import Trickle

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), reason="mosquitto is not installed")]
BROKER = shutil.which("mosquitto", path="/usr/sbin:/usr/bin")


class Broker:
    """mosquitto on a port of its own of every address of localhost, of which libmosquitto tries the first; it forgets what was retained
    when it ends."""

    def __init__(self, folder, port=None, lines=()):
        self.port = port or free_port()
        self.config = folder / f"mosquitto-{self.port}.conf"
        plain = "\n".join(lines) or "allow_anonymous true"
        self.config.write_text(f"listener {self.port} localhost\n{plain}\npersistence false\nuser root\n")
        self.log = open(folder / f"mosquitto-{self.port}.log", "a")
        self.start()

    def start(self):
        self.child = subprocess.Popen([BROKER, "-c", self.config], stdout=self.log, stderr=subprocess.STDOUT)
        until(self.listens, what="a broker")

    def listens(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True

    def stop(self):
        self.child.kill()
        self.child.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.log.close()


class Subscriber:
    """mosquitto_sub of everything: what it heard, as (topic, retained, payload). Alarms come when the service looks, and are left out
    unless they are asked for."""

    def __init__(self, port, *flags, topic="armdyn/#", alarms=False):
        self.alarms = alarms
        self.child = subprocess.Popen(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-q", "1", "-t", topic, "-F", "%r %t %p", *flags],
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        os.set_blocking(self.child.stdout.fileno(), False)
        self.rest, self.messages = b"", []

    def hears(self, port):
        """Until it is there: it hears what is said to it."""
        def told():
            subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(port), "-t", "armdyn/test", "-m", "{}"], check=True)
            return any(topic == "armdyn/test" for topic, _, _ in self.heard())
        until(told, interval=0.1, what="a reader")
        return self

    def heard(self):
        self.rest += self.child.stdout.read() or b""
        *lines, self.rest = self.rest.split(b"\n")
        for line in lines:
            retained, topic, payload = line.decode().split(" ", 2)
            payload = json.loads(payload)
            if self.alarms or not payload.get("alarm"):
                self.messages.append((topic, retained == "1", payload))
        return self.messages

    def numbers(self):
        return [payload["number"] for _, _, payload in self.heard() if "number" in payload]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        self.child.stdout.close()


def service(broker, *flags):
    return Server("--mqtt-broker", f"mqtt://127.0.0.1:{broker.port}", *flags)


def published(client):
    """Until the broker has everything."""
    def figures():
        text = client.get("/metrics").expect(200).body.decode()
        return {line.split()[0]: float(line.split()[1]) for line in text.splitlines() if line.startswith("armdyn_mqtt_")}
    until(lambda: (now := figures())["armdyn_mqtt_waiting"] == 0 and now["armdyn_mqtt_connected"] == 1, what="all that happened to be published")
    return figures()


def log_of(client):
    return [event for event in client.get("/v1/events/log", query={"limit": 200}).expect(200).json["items"] if not event["alarm"]]


def last_of(log):
    """What each topic should have."""
    kinds = [(event, event["type"].split(".")[0]) for event in log]
    return {f"armdyn/controllers/{event['controller']}/{kind}" if event["controller"] else f"armdyn/{kind}": event for event, kind in kinds}


def retained_by(reader):
    return {topic: payload for topic, _, payload in reader.heard() if "number" in payload}


def play(here):
    order = here.order(to={"q": THERE})
    here.reach_order(order, "ready")
    here.say(order, "start")
    here.reach_order(order, "done")
    here.client.post(f"/v1/controllers/{here.name}/stop").expect(200)
    here.blocked()
    here.release()


def test_birth_events_in_order_and_death(tmp_path):
    with Broker(tmp_path) as broker, Subscriber(broker.port) as early, Foreign("--axes", 4) as controller:
        with service(broker) as own:
            here = Ordering(own, controller)
            until(lambda: [(topic, told["online"]) for topic, _, told in early.heard()] == [("armdyn/service", True)], what="the birth")
            play(here)
            published(here.client)
            log = log_of(here.client)
            until(lambda: early.numbers() == [event["number"] for event in log], what="every event once, in order")
            told = [(topic, payload) for topic, _, payload in early.heard() if "number" in payload]
            assert [payload for _, payload in told] == log
            assert {topic for topic, _ in told} == {"armdyn/job", *(f"armdyn/controllers/{here.name}/{kind}" for kind in ("order", "transfer", "queue"))}
            assert all(contract.explain("#/components/schemas/Event", payload) == "" for _, payload in told)
            with Subscriber(broker.port) as late:  # the last of each topic waits for who comes later
                last = {topic: payload["number"] for topic, payload in told}
                until(lambda: {topic: payload.get("number") for topic, _, payload in late.heard()} == {**last, "armdyn/service": None}, what="what was retained")
                assert all(retained for _, retained, _ in late.messages)
            own.terminate()
            until(lambda: early.heard()[-1][2].get("online") is False, what="the end that was announced")
            own.restart()
            until(lambda: early.heard()[-1][0] != "armdyn/service" or early.messages[-1][2]["online"], what="its next birth")
            own.kill()
            until(lambda: early.heard()[-1][2].get("online") is False, what="its death")


def test_nothing_is_lost_while_the_broker_is_away_and_nothing_waits_for_it(tmp_path):
    with Broker(tmp_path) as broker, Foreign("--axes", 4) as controller, service(broker) as own:
        here = Ordering(own, controller)
        published(here.client)
        broker.stop()
        begun = time.monotonic()
        play(here)
        assert time.monotonic() - begun < 60
        missed = [event["number"] for event in log_of(here.client)]
        assert len(missed) > 8
        own.kill()
        broker.start()
        with Subscriber(broker.port) as reader:
            reader.hears(broker.port)
            own.restart()  # nor does a new start forget what the broker has not
            with own.client() as client:
                published(client)
                log = [event["number"] for event in log_of(client)]
            assert log[:len(missed)] == missed
            until(lambda: reader.numbers()[-1:] == log[-1:], what="what was missed")
            heard = reader.numbers()
            assert heard == sorted(heard) and set(missed) <= set(heard)
        with own.client() as client:
            broker.stop()  # it forgets what was retained
            broker.start()
            with Subscriber(broker.port) as reader:
                until(lambda: retained_by(reader) == last_of(log_of(client)), what="the last of each topic again")


def test_an_alarm_is_published_and_waits_for_who_comes_later(tmp_path):
    with Broker(tmp_path) as broker, service(broker, "--disk-low", 1 << 30) as own, own.client() as client:
        (alarm,) = until(lambda: client.get("/v1/alarms").expect(200).json["items"], what="a disk that is too small")
        published(client)
        with Subscriber(broker.port, alarms=True) as late:
            topic, retained, payload = until(lambda: [heard for heard in late.heard() if heard[0] == "armdyn/alarm"], what="the alarm")[0]
            assert retained and (payload["type"], payload["alarm"], payload["at"]) == ("alarm.raised", alarm["id"], alarm["since"])


def test_a_broker_that_is_silent_delays_nobody(tmp_path):
    """Stopped as it stands: it takes connections, and acknowledges nothing."""
    with Broker(tmp_path) as broker, Foreign("--axes", 4) as controller, service(broker) as own:
        here = Ordering(own, controller)
        published(here.client)
        broker.child.send_signal(signal.SIGSTOP)
        try:
            play(here)
            begun = time.monotonic()
            own.terminate()
            assert time.monotonic() - begun < 20
        finally:
            broker.child.send_signal(signal.SIGCONT)
        own.restart()
        with Subscriber(broker.port) as reader, own.client() as client:
            published(client)
            until(lambda: retained_by(reader) == last_of(log_of(client)), what="what it had not taken")


def test_a_broker_that_is_slow_delays_nobody_and_is_told_everything_in_order(tmp_path):
    """A byte a second, at which not even the connection is taken in time; then a line that is slow, but leads there."""
    with Broker(tmp_path) as broker, Trickle(broker.port, rate=1) as line, Subscriber(broker.port) as reader, Foreign("--axes", 4) as controller:
        reader.hears(broker.port)
        with service(line) as own:
            here = Ordering(own, controller)
            play(here)
            until(lambda: line.taken, what="a byte of it")
            begun = time.monotonic()
            own.terminate()
            assert time.monotonic() - begun < 20
            assert reader.numbers() == []
            line.rate = 3000
            own.restart()
            here.client = own.client()
            missed = log_of(here.client)
            here.blocked()
            here.release()
            play(here)  # beside what still goes out
            published(here.client)
            log = log_of(here.client)
            until(lambda: reader.numbers()[-1:] == [log[-1]["number"]], what="every event")
            heard = reader.numbers()
            assert heard == sorted(set(heard)) == [event["number"] for event in log] and len(log) > len(missed) > 8
            with Subscriber(broker.port) as late:
                until(lambda: retained_by(late) == last_of(log), what="the last of each topic")


def test_tls_user_and_password(tmp_path):
    ca = authority(tmp_path, "ca")
    certificate, key = signed(tmp_path, "localhost", ca)
    (tmp_path / "users").write_text("")
    subprocess.run(["mosquitto_passwd", "-b", tmp_path / "users", "armdyn", "secret"], check=True)
    (tmp_path / "password").write_text("secret\n")
    lines = (f"cafile {ca[0]}", f"certfile {certificate}", f"keyfile {key}", "allow_anonymous false", f"password_file {tmp_path / 'users'}")
    with Broker(tmp_path, lines=lines) as broker:
        flags = ("--mqtt-broker", f"mqtts://localhost:{broker.port}", "--mqtt-ca", ca[0], "--mqtt-user", "armdyn",
                 "--mqtt-password-file", tmp_path / "password", "--mqtt-topic-prefix", "plant/hall-2")
        with Server(*flags) as own, own.client() as client:
            published(client)
        (tmp_path / "password").write_text("another\n")
        with Server(*flags) as own:
            until(lambda: "the MQTT broker is away" in own.log(), what="a refusal that is told")


@pytest.mark.parametrize("flags,said", [
    (["--mqtt-broker", "http://127.0.0.1"], "--mqtt-broker: must be mqtt://HOST"),
    (["--mqtt-broker", "mqtt://user:secret@127.0.0.1"], "--mqtt-broker: must be mqtt://HOST"),
    (["--mqtt-user", "armdyn"], "--mqtt-user: is given, but no --mqtt-broker"),
    (["--mqtt-broker", "mqtt://127.0.0.1", "--mqtt-ca", "/x"], "--mqtt-ca: is given, but"),
    (["--mqtt-broker", "mqtt://127.0.0.1", "--mqtt-user", "a", "--mqtt-password-file", "/nowhere"], "cannot read '/nowhere'"),
    (["--mqtt-broker", "mqtt://127.0.0.1", "--mqtt-topic-prefix", "a/#"], "--mqtt-topic-prefix: must be levels"),
])
def test_a_wrong_option_is_refused_by_its_name(tmp_path, flags, said):
    done = subprocess.run([binary(), "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", *flags], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr
