"""The pages as the server gives them: the tests of what they do are in tests/web."""

import gzip
import re

import pytest

from support import Server

pytestmark = pytest.mark.same_threads


@pytest.fixture(scope="module")
def client():
    with Server(key="a-key-of-an-administrator") as server:
        client = server.client(key=None)
        if client.get("/").status == 404:
            pytest.skip("this binary was built without pages: " + client.get("/").json["detail"])
        yield client


def index(client):
    return client.get("/", headers={"Accept": "text/html"}).expect(200)


def assets(client):
    return sorted(set(re.findall(r'\./(assets/[^"]+)', index(client).text)))


@pytest.mark.parametrize("page", ["/", "/docs"])
def test_a_page_needs_no_key_and_allows_nothing_inline_or_from_elsewhere(client, page):
    answer = client.get(page, headers={"Accept": "text/html"}).expect(200)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy and "http" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bon\w+=", answer.text)
    for asset in re.findall(r'(?:src|href)="\./(assets/[^"]+)"', answer.text):
        client.get(f"/{asset}").expect(200)


def test_named_files_are_kept_for_ever_and_come_compressed_to_who_takes_it(client):
    kinds = set()
    for asset in assets(client):
        plain = client.get(f"/{asset}").expect(200)
        packed = client.get(f"/{asset}", headers={"Accept-Encoding": "br, gzip"}).expect(200)
        assert plain.headers["Content-Encoding"] is None and packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
        assert plain.etag != packed.etag
        assert "immutable" in plain.headers["Cache-Control"] and plain.headers["Vary"] == "Accept-Encoding"
        assert client.get(f"/{asset}", headers={"Accept-Encoding": "gzip;q=0"}).body == plain.body
        again = client.get(f"/{asset}", headers={"Accept-Encoding": "gzip", "If-None-Match": packed.etag}).expect(304)
        assert again.body == b""
        assert client.head(f"/{asset}").expect(200).headers["Content-Length"] == str(len(plain.body))
        kinds.add(plain.content_type)
    assert kinds >= {"text/javascript", "text/css"}


def test_the_first_page_is_small(client):
    gzipped = {"Accept-Encoding": "gzip"}
    total = len(client.get("/", headers=gzipped).body) + sum(len(client.get(f"/{asset}", headers=gzipped).body) for asset in assets(client))
    assert total <= 150_000


def test_what_is_no_file_of_the_pages_is_not_there(client):
    for name in ("index.html", "docs.html", "nothing.js", "..%2findex.html", "%2e%2e"):
        assert client.get(f"/assets/{name}").expect(404).json["type"].endswith("not-found")
    client.get("/", query={"x": "1"}).expect(422)
    client.post("/").expect(405)
