"""/metrics: in the form that Prometheus reads, and right; what alerts and dashboard name is there."""

import json
import math
import re
import shutil
import subprocess

import pytest

from support import ROOT, Server, robot, unique_name, until
from support.tls import shared
from support.motions import motion

SAMPLE = re.compile(r'([a-z_]+)(?:\{(.*)\})? (\S+)')
LABEL = re.compile(r'([a-z]+)="([^"\\\n]*)"')


@pytest.fixture(scope="module")
def server():
    with Server("--workers", 2) as own:
        yield own


def scrape(client):
    """{(name, labels): value}, {family: type}; every rule of the text format is held on the way."""
    answer = client.get("/metrics").expect(200)
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    samples, types, helped, last = {}, {}, set(), None
    assert answer.text.endswith("\n")
    for line in answer.text.splitlines():
        if line.startswith("# "):
            word, name, rest = line[2:].split(" ", 2)
            assert rest and word in ("HELP", "TYPE")
            assert name not in (helped if word == "HELP" else types), f"{name} twice"
            helped.add(name) if word == "HELP" else types.update({name: rest})
            last = name
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        family = re.sub(r"_(bucket|sum|count)$", "", name) if types[last] == "histogram" else name
        assert family == last and family in helped, line
        assert types[family] != "counter" or name.endswith("_total")
        key = name, tuple(sorted(LABEL.findall(labels or "")))
        assert key not in samples and math.isfinite(float(value)), line
        samples[key] = float(value)
    return samples, types


def value(samples, name, **labels):
    return samples.get((name, tuple(sorted(labels.items()))), 0)


def test_requests_are_counted_by_call_and_status(server):
    with server.client() as client:
        before, _ = scrape(client)
        for _ in range(3):
            client.get("/v1/version").expect(200)
        client.get("/v1/jobs/01M80CEJ82Y4CT0R6PSXKQFT9R").expect(404)
        client.get("/nowhere").expect(404)

        def counted():
            after, _ = scrape(client)
            grown = [value(after, "armdyn_http_requests_total", **labels) - value(before, "armdyn_http_requests_total", **labels)
                     for labels in ({"operation": "getVersion", "status": "200"}, {"operation": "getJob", "status": "404"},
                                    {"operation": "none", "status": "404"})]
            return grown == [3, 1, 1] and after
        after = until(counted)
        assert value(after, "armdyn_http_request_duration_seconds_count", operation="getVersion") == \
            value(after, "armdyn_http_requests_total", operation="getVersion", status="200")


def test_histograms_cumulate(server):
    with server.client() as client:
        client.get("/healthz").expect(200)
        samples, types = scrape(client)
        assert "histogram" in types.values()
        series = {}
        for (name, labels), count in samples.items():
            if name.endswith("_bucket"):
                rest = tuple(pair for pair in labels if pair[0] != "le")
                series.setdefault((name[:-7], rest), []).append((float(dict(labels)["le"]), count))
        assert series
        for (name, labels), buckets in series.items():
            bounds, counts = zip(*buckets)
            assert list(bounds) == sorted(set(bounds)) and bounds[-1] == math.inf
            assert list(counts) == sorted(counts) and counts[-1] == samples[name + "_count", labels]


def test_jobs_workers_and_store_are_told(server):
    with server.client() as client:
        arm = client.create_robot(robot("puma560"), name=unique_name()).headers["Location"]
        before, _ = scrape(client)
        for request in (motion(), motion(duration=0.01)):  # the second one is too fast for the arm
            client.wait_job(client.post(arm + "/trajectories", request).expect(202))
        after, _ = scrape(client)
        for state in ("succeeded", "failed"):
            assert value(after, "armdyn_jobs_ended_total", kind="trajectory", state=state) - \
                value(before, "armdyn_jobs_ended_total", kind="trajectory", state=state) == 1
        assert value(after, "armdyn_workers") == 2 and value(after, "armdyn_gateway_up") == 1
        assert value(after, "armdyn_store_commits_total") > value(before, "armdyn_store_commits_total")
        assert value(after, "process_resident_memory_bytes") > 1 << 20 and value(after, "process_open_fds") > 10
        assert value(after, "armdyn_store_disk_bytes") > value(after, "armdyn_store_disk_free_bytes") > 0


def test_prometheus_is_answered_and_needs_a_key(make_server):
    accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
    server = make_server(key="k" * 32)
    with server.client() as client:
        client.get("/metrics", headers={"Accept": accept}).expect(200)
        client.key = None
        client.get("/metrics").expect(401)


def words(text):
    """Names of metrics in expressions."""
    return set(re.findall(r"\b(?:armdyn|process)_[a-z_]+", text))


def test_alerts_and_dashboard_name_what_is_there(make_server):
    with make_server(tls=shared()).client() as client:
        samples, types = scrape(client)
        client.get("/v1/version").expect(200)
    known = {name for name, _ in samples} | set(types)
    known |= {name + end for name, kind in types.items() if kind == "histogram" for end in ("_bucket", "_sum", "_count")}
    alerts = "\n".join(re.findall(r"expr: (.*)", (ROOT / "deploy/prometheus/alerts.yml").read_text()))
    panels = json.loads((ROOT / "deploy/grafana/armdyn.json").read_text())["panels"]
    charts = "\n".join(target["expr"] for panel in panels for target in panel["targets"])
    assert len(words(alerts)) > 10 and words(alerts) <= known
    assert len(words(charts)) > 20 and words(charts) <= known


def test_promtool_finds_nothing(server):
    promtool = shutil.which("promtool")
    if not promtool:
        pytest.skip("promtool (Debian package prometheus) is not there")
    with server.client() as client:
        text = client.get("/metrics").expect(200).body
    checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, timeout=60, check=False)
    assert checked.returncode == 0 and not checked.stderr, checked
    subprocess.run([promtool, "check", "rules", ROOT / "deploy/prometheus/alerts.yml"], check=True, timeout=60)
