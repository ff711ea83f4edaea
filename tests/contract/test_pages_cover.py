"""Pages exist for everything the API has: each operation is called by one of them, or stands here with the reason why by none."""

import functools
import pathlib
import re
import sys

from support import ROOT, contract

sys.path.insert(0, str(ROOT / "api"))
import bundle  # noqa: E402

OPERATIONS = [(op["method"].upper(), op["path"], op) for op in bundle.operations(contract.document())]
PAGES = pathlib.Path(ROOT) / "server/web/src"

# To make a page for one of them: take its row away.
FOR_PROGRAMS = {
    "getPages": "the pages themselves", "getDocs": "the reference", "getPageAsset": "a part of the pages",
    "getHealth": "supervisors", "getReadiness": "supervisors", "getMetrics": "Prometheus", "getVersion": "start and upgrade of programs",
    "getPythonClient": "a download that the manual names", "getProblem": "the address of a problem's type", "listProblems": "makers of clients",
    "getLimits": "makers of clients",
    "streamJob": "GET /v1/events tells all", "streamController": "GET /v1/events tells all", "getAlarm": "the list has all of it",
}
HOLE = r"\$\{(?:[^{}]|\{[^{}]*\})*\}"  # of a template
ADDRESS = re.compile(rf"(['\"`])/?(v1/(?:{HOLE}|(?!\1)[^\n])*)\1")
NAMED = re.compile(rf"(\w+) = (?:\([^()]*\) => )?([`'])((?:{HOLE}|(?!\2)[^\n])*)\2")
METHODS = {"GET": r"\b(?:get|table|useList|useSource)\(|'GET'|path=|fetch\(", "POST": r"\bpost\(|'POST'|\bupload\(|AskForm", "PUT": r"'PUT'",
           "PATCH": r"'PATCH'", "DELETE": r"'DELETE'"}


@functools.cache
def addresses(text):
    """Those of calls in a source, a hole of a template as *, where they begin with a name that the source gives them, too."""
    names = {name: value for name, _, value in NAMED.findall(text + used(text))}

    def whole(address, depth=0):
        begin = re.match(r"\$\{(\w+)(?:\([^()]*\))?\}", address)
        return whole(names[begin[1]] + address[begin.end():], depth + 1) if begin and begin[1] in names and depth < 4 else address
    found = {whole(address) for _, address in ADDRESS.findall(text)}
    found |= {whole(rest) for rest in re.findall(rf"`(\$\{{\w+(?:\([^()]*\))?\}}/(?:{HOLE}|[^`\n])*)`", text)}
    found |= {whole(value) for value in names.values()}
    return {re.sub(HOLE, "*", address).split("?")[0].strip("/") for address in found if address.startswith("v1/")}


@functools.cache
def words(text):
    """What may stand for a variable part of an address."""
    return set(re.findall(r"['\"`]([a-z][a-z-]+)['\"`]", text)) | set(re.findall(r"\b([a-z]+): ", text)) | set(re.findall(r"kind=([a-z-]+)", text))


def covers(pattern, path, known):
    parts, wanted = pattern.split("/"), path.strip("/").split("/")
    return len(parts) == len(wanted) and all(part == "*" or "*" in part if want[0] == "{" else part == want or ("*" in part and want in known)
                                             for part, want in zip(parts, wanted))


SOURCES = {path.relative_to(PAGES).as_posix(): path.read_text() for path in sorted(PAGES.rglob("*.js"))}
ALL = "\n".join(text for name, text in SOURCES.items() if name.startswith("pages/"))


@functools.cache
def used(text):
    """A source with those that it imports, which may be told an address, or tell one."""
    return text + "".join(SOURCES.get(f"ui/{name}.js", "") for name in re.findall(r"/ui/(\w+)\.js'", text)) + "".join(SOURCES.get(f"pages/{name}.js", "") for name in re.findall(r"'\./(\w+)\.js'", text))


def callers(method, path):
    """The sources that call it."""
    found = []
    for name, text in SOURCES.items():
        if any(covers(pattern, path, words(ALL)) for pattern in addresses(text)):
            if re.search(METHODS[method], used(text)):
                found.append(name)
    return found


def test_every_operation_has_a_page_or_a_reason():
    assert len(OPERATIONS) > 150 and len(SOURCES) > 100  # it looks at something
    lacking = [(op["operationId"], method, path) for method, path, op in OPERATIONS if op["operationId"] not in FOR_PROGRAMS and not callers(method, path)]
    assert lacking == []


def test_reasons_are_of_operations_that_there_are():
    assert set(FOR_PROGRAMS) <= {op["operationId"] for _, _, op in OPERATIONS}


def test_an_operation_that_no_page_calls_is_found():
    for method, path in (("POST", "/v1/robots/{robot}/somersaults"), ("GET", "/v1/somersaults"), ("GET", "/v1/trajectories/{trajectory}/somersaults"),
                         ("PUT", "/v1/events/log")):
        assert callers(method, path) == []


def test_a_word_has_one_text():
    """Pages that are fetched later would say another's word."""
    texts = {}
    for text in SOURCES.values():
        for quoted, plain, row in re.findall(r"^  (?:'([^'\n]+)'|(\w+)): (\[['\"].*, ['\"].*['\"]\]),?$", text, flags=re.M):
            texts.setdefault(quoted or plain, set()).add(row)
    assert len(texts) > 1500
    assert {name: rows for name, rows in texts.items() if len(rows) > 1} == {}


def test_mistakes_that_are_diagnosed_have_words():
    known = contract.document()["components"]["schemas"]["Diagnosis"]["properties"]["findings"]["items"]["properties"]["mistakes"]["items"]["enum"]
    assert [code for code in known if f"'mistake.{code}'" not in SOURCES["pages/mistakes.words.js"]] == []


def test_checks_of_controllers_are_said_in_chinese():
    known = (PAGES / "ui/checks.zh.js").read_text().replace('"', "'")
    names = [name for path in (ROOT / "server/conformance").glob("check_*.c") for name in re.findall(r'\{ "([^"]+)", (?!rows,)\w+,', path.read_text())]
    assert len(names) > 50
    assert [name for name in names if f"'{name}': [" not in known and not name.startswith(("every command in", "restart in"))] == []
