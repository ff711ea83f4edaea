"""Reports in both languages: the same figures and calls, and no English in Chinese but names, and what is called so in requests."""

import re

ENGLISH = re.compile(r"[A-Za-z]{3,} [A-Za-z]{2,}")  # two words in a row; a name is one


def spoken(client, path, names=(), **query):
    """The English and the Chinese page; names: what somebody gave, of several words."""
    pages = [client.get(path, query={**query, "lang": lang}, headers={"Accept": "text/html"}).expect(200).text for lang in ("en", "zh")]
    assert ['<html lang="en"' in pages[0], '<html lang="zh"' in pages[1]] == [True, True]
    bare = [re.sub(r"<style>.*?</style>|<pre>.*?</pre>", "", page, flags=re.S) for page in pages]
    figures = [re.findall(r'<td class="figure">([^<]*)', page) for page in bare]
    assert figures[0] == figures[1] and re.findall(r"<pre>.*?</pre>", pages[0], re.S) == re.findall(r"<pre>.*?</pre>", pages[1], re.S)
    left = [text for text in re.findall(r">([^<>]+)<", bare[1]) if ENGLISH.search(text) and text not in names]
    assert not left, left[:8]
    assert "服务信息" not in bare[1], [text for text in re.findall(r">([^<>]+)<", bare[1]) if "服务信息" in text]
    return pages
