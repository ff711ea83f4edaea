"""What the database reads for a page of jobs does not grow with what there is: it tells of each statement how many rows each step of
its plan came by."""

import re

import pytest

from support import postgresql, robot

JOBS, ROBOTS, PAGE = 20_000, 20, 50
MOST = 20 * PAGE  # rows of a step
FILL = f"""INSERT INTO jobs (id, kind, robot, owner, revision, state, created_at, finished_at, request, tags, attempts)
SELECT '01G0000000000000' || (1000000000 + k)::text, 'identification', 'arm-' || (k % {ROBOTS})::text, 'key', 1,
  (ARRAY['succeeded', 'succeeded', 'failed', 'cancelled'])[1 + k / {ROBOTS} % 4],
  '2025-01-01T00:00:00.000Z', '2025-01-01T00:00:01.000Z', '{{}}', '{{}}', '[]' FROM generate_series(1, {JOBS}) k"""
QUERIES = ({}, {"robot": "arm-7"}, {"kind": "identification"}, {"kind": "identification", "robot": "arm-7"}, {"kind": "identification", "state": "failed"},
           {"kind": "identification", "state": "queued"}, {"state": "running"}, {"state": "running,succeeded"}, {"state": "failed,cancelled"}, {"state": "queued,failed"},
           {"sort": "finished_at"}, {"sort": "-started_at"}, {"sort": "priority"}, {"kind": "identification", "sort": "-finished_at"}, {"q": "nowhere", "limit": 1})
LOOKED_AT = 10_000  # rows of a page of a search, at most


@pytest.fixture(scope="module")
def telling():
    """A cluster whose log has the plan of every statement, with what it came to."""
    with postgresql.Cluster(session_preload_libraries="auto_explain", log_min_messages="log",
                            **{"auto_explain.log_min_duration": "0", "auto_explain.log_analyze": "on", "auto_explain.log_timing": "off"}) as own:
        yield own


def rows_come_by(plan):
    """Of each step that reads jobs or their counts: those that it gave and those that it passed by."""
    for step in re.split(r"->", plan):
        found = re.search(r"Scan.* on job.*actual rows=(\d+) loops=(\d+)", step)
        passed = re.search(r"Rows Removed by (?:Filter|Join Filter): (\d+)", step)
        if found:
            yield (int(found[1]) + int(passed[1] if passed else 0)) * int(found[2]), step


def test_a_page_of_jobs_reads_no_more_than_its_rows(telling, serve):
    address = telling.make()
    node = serve(address, "--workers", 1)
    with node.client() as client:
        client.create_robot(robot("scara"), name="arm-7")
        telling.query(address, FILL)
        telling.query(address, "VACUUM (ANALYZE) jobs")
        log, seen = telling.folder / "log", 0
        for query in QUERIES:
            began = log.stat().st_size
            client.get("/v1/jobs", query={"limit": PAGE, **query}).expect(200)
            with open(log, encoding="utf-8", errors="replace") as text:
                text.seek(began)
                for rows, step in rows_come_by(text.read()):
                    seen += 1
                    assert rows <= (LOOKED_AT if "q" in query else MOST), f"{query}: {rows} rows, {step}"
        assert seen > 3 * len(QUERIES)
