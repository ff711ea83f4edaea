"""W3C trace context: a request's trace is found in its line of the log, and in those of what it made."""

import json

from support import robot, unique_name, until
from support.motions import motion

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"


def lines(server, message, **members):
    """Of the log, those with this message and these members."""
    found = (json.loads(line) for line in server.log(1 << 20).splitlines()[1:])  # the first may be cut
    return [line for line in found if line["message"] == message and members.items() <= line.items()]


def test_of_a_caller_who_has_one(server, client):
    arm = client.create_robot(robot("puma560"), name=unique_name("arm")).headers["Location"]
    answer = client.post(arm + "/trajectories", motion(), headers={"traceparent": f"00-{TRACE}-{SPAN}-01", "Prefer": "wait=60"})
    job = client.get(f"/v1/jobs/{client.wait_job(answer)['id']}").expect(200).json
    version, trace, span, flags = job["traceparent"].split("-")
    assert (version, trace, flags) == ("00", TRACE, "01") and span != SPAN
    ended = until(lambda: lines(server, "job ended", job=job["id"]))[0]
    assert (ended["trace"], ended["state"], ended["kind"]) == (TRACE, "succeeded", "trajectory")
    assert until(lambda: lines(server, "request", trace=TRACE, method="POST"))


def test_of_a_caller_who_has_none(server, client):
    arm = client.create_robot(robot("puma560"), name=unique_name("arm")).headers["Location"]
    answers = [client.post(arm + "/trajectories", motion(), headers={"traceparent": header}).expect(202) for header in (None, f"00-{TRACE}-0-01")]
    traces = []
    for answer in answers:
        job = client.wait_job(answer)
        trace = client.get(f"/v1/jobs/{job['id']}").expect(200).json["traceparent"].split("-")[1]
        line = until(lambda: lines(server, "request", request_id=answer.headers["X-Request-Id"]))[0]
        assert line["trace"] == trace != TRACE and trace != "0" * 32
        assert until(lambda: lines(server, "job ended", job=job["id"], trace=trace))
        traces.append(trace)
    assert traces[0] != traces[1]
