"""Everything at once for a few seconds: small and large calls, changes of the robot, lists, jobs. Every answer is checked;
the sanitizer builds watch the threads meanwhile."""

import os
import random
import struct
import threading
import time

import pytest

from support import Server, npy_write, robot

SECONDS = 60 if os.environ.get("ARMDYN_SOAK", "0") != "0" else 3
MODEL = robot("puma560")
NUMBERS = random.Random(7)
ROWS = [[NUMBERS.uniform(-2, 2) for _ in range(18)] for _ in range(3000)]
TABLE = npy_write(ROWS)


def sample(row):
    return {"q": row[:6], "qd": row[6:12], "qdd": row[12:]}


def test_everything_at_once():
    with Server("--compute-threads", 4) as server:
        with server.client() as client:
            client.create_robot(MODEL, name="fixed")
            client.create_robot(MODEL, name="changing")
            expected = client.post("/v1/robots/fixed/inverse-dynamics", sample(ROWS[0])).expect(200).json["tau"]
        end, wrong, counts = time.monotonic() + SECONDS, [], {}

        def one_sample(client):
            answer = client.post("/v1/robots/fixed/inverse-dynamics", sample(ROWS[0])).expect(200)
            assert answer.json["tau"] == pytest.approx(expected, rel=1e-12, abs=1e-12) and answer.headers["Armdyn-Robot-Revision"] == "1"

        def batch(client):
            answer = client.post("/v1/robots/fixed/inverse-dynamics", body=TABLE, content_type="application/x-npy",
                                 headers={"Accept": "application/x-npy"}).expect(200)
            assert len(answer.body) == 128 + len(ROWS) * 6 * 8
            assert list(struct.unpack_from("<6d", answer.body, 128)) == pytest.approx(expected, rel=1e-12, abs=1e-12)

        def json_batch(client):
            body = {name: [row[i:i + 6] for row in ROWS[:300]] for name, i in (("q", 0), ("qd", 6), ("qdd", 12))}
            answer = client.post("/v1/robots/changing/inverse-dynamics", body).expect(200)
            assert len(answer.json["tau"]) == 300 and answer.json["tau"][0] == pytest.approx(expected, rel=1e-12, abs=1e-12)

        def change(client):
            etag = client.get("/v1/robots/changing").expect(200).etag
            client.put("/v1/robots/changing", {**MODEL, "name": "changing"}, query={"allow_unphysical": "true"},
                       headers={"If-Match": etag}).expect(200, 412)

        def read(client):
            client.get("/v1/robots").expect(200)
            client.get("/v1/robots/changing/revisions").expect(200)
            client.get("/readyz").expect(200)

        def motion(client):
            body = {"method": "quintic", "start": {"q": [0] * 6}, "goal": {"q": [0.1] * 6}, "duration": 1, "sample_rate": 50}
            job = client.post("/v1/robots/fixed/trajectories", body, headers={"Prefer": "wait=20"}).expect(200).json
            assert job["state"] == "succeeded"

        def keep_doing(work):
            try:
                with server.client(check=False) as client:
                    while time.monotonic() < end:
                        work(client)
                        counts[work.__name__] = counts.get(work.__name__, 0) + 1
            except BaseException as error:  # noqa: BLE001: a thread's failure must reach the test
                wrong.append((work.__name__, error))

        works = [one_sample] * 4 + [batch, batch, json_batch, change, change, read, motion]
        threads = [threading.Thread(target=keep_doing, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, wrong[:2]
        assert set(counts) == {work.__name__ for work in works}
        assert server.terminate() == 0
