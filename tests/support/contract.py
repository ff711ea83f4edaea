"""Holds what goes over the wire against the OpenAPI file: every answer, and every request that was taken."""

import functools
import json
import os
import pathlib
import re
import sys

import jsonschema

API = pathlib.Path(__file__).resolve().parents[2] / "api"
LARGEST = 256 * 1024  # bytes; the validator is too slow for more
# Schemas are held against the release build's answers alone: the other builds' come from the same code, and the validator
# takes more time than the service.
VALIDATES = os.environ.get("ARMDYN_VARIANT", "release") == "release"


BUNDLED = API.parent / os.environ.get("BUILD", "build") / "openapi.json"


def is_bundled():
    """Is what the build has made of the sources as they are now?"""
    sources = [API / "paths", API / "schemas", *API.glob("*.py"), *API.glob("*.h"), *API.glob("**/*.yaml")]
    return BUNDLED.exists() and BUNDLED.stat().st_mtime > max(source.stat().st_mtime for source in sources)


@functools.cache
def document():
    """The bundled contract, from its sources."""
    if is_bundled():
        return json.loads(BUNDLED.read_text())
    sys.path.insert(0, str(API))
    try:
        import bundle
        return bundle.bundle()
    finally:
        sys.path.remove(str(API))


def items(validator, schema, array, parent):
    """The keyword `items`, at once where plain numbers are asked for: arrays of numbers are most of what is sent."""
    if schema.get("type") == "number" and len(schema) == 1 and isinstance(array, list) and all(type(x) in (int, float) for x in array):
        return ()
    return jsonschema.Draft202012Validator.VALIDATORS["items"](validator, schema, array, parent)


def ref(validator, reference, instance, schema):
    """The keyword `$ref`: all there are point into the document."""
    return validator.descend(instance, referred(reference))


Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"items": items, "$ref": ref})


@functools.cache
def validator(reference):
    """The validator of what stands at a JSON pointer of the document."""
    return Validator({"$ref": reference}, resolver=jsonschema.RefResolver("", document()))


def pointer(*parts):
    return "#/" + "/".join(part.replace("~", "~0").replace("/", "~1") for part in parts)


@functools.cache
def referred(reference):
    """What stands at a JSON pointer of the document."""
    at = document()
    for part in reference.removeprefix("#/").split("/"):
        at = at[int(part) if isinstance(at, list) else part.replace("~1", "/").replace("~0", "~")]
    return at


def resolve(node):
    """A node, or what it refers to."""
    return referred(node["$ref"]) if "$ref" in node else node


@functools.cache
def _templates():
    return sorted(document()["paths"], key=lambda path: path.count("{"))  # an exact segment wins


@functools.cache
def template_of(path):
    """The path of the document that a requested path belongs to, or None."""
    path = path.split("?")[0]
    for template in _templates():
        if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template)), path):
            return template
    return None


@functools.lru_cache(maxsize=1024)
def explain_text(reference, text):
    """explain() for JSON as it was sent: many tests send the same."""
    return explain(reference, json.loads(text))


def explain(reference, value):
    """Why a value does not keep a schema; "" when it does."""
    if not VALIDATES:
        return ""
    errors = sorted(validator(reference).iter_errors(value), key=lambda e: list(map(str, e.absolute_path)))
    return "\n".join(f"/{'/'.join(map(str, e.absolute_path))}: {e.message[:500]} ({'/'.join(map(str, e.schema_path))})"
                     for e in errors[:5])


def check_answer(answer):
    """Fails the test when an answer is not one of those that the document promises."""
    template = template_of(answer.path)
    method = "get" if answer.method == "HEAD" else answer.method.lower()
    operation = document()["paths"].get(template, {}).get(method)
    assert answer.headers.get("X-Request-Id"), f"no X-Request-Id: {answer!r}"
    if operation is None:
        check_outside(answer, template)
        return
    assert str(answer.status) in operation["responses"], f"status is not in the contract: {answer!r}"
    response = resolve(operation["responses"][str(answer.status)])
    check_headers(answer, response)
    if answer.method != "HEAD":
        check_body(answer, response, template, method)


def check_outside(answer, template):
    """An answer to what no operation stands for: an unknown path, or a method that a path does not have."""
    if answer.method == "OPTIONS":
        return
    assert answer.status >= 400, f"the contract does not know this call: {answer!r}"
    if answer.status == 405:
        known = {m.upper() for m in document()["paths"].get(template, {}) if m != "parameters"}
        allowed = set(re.split(r"\s*,\s*", answer.headers.get("Allow", "")))
        assert known <= allowed and allowed - known <= {"HEAD", "OPTIONS"}, f"Allow {allowed}, not {known}: {answer!r}"
    if answer.method != "HEAD":
        check_problem(answer)


def check_headers(answer, response):
    for name, header in response.get("headers", {}).items():
        header, value = resolve(header), answer.headers.get(name)
        assert value is not None or not header.get("required"), f"no {name}: {answer!r}"
        pattern = header["schema"].get("pattern")
        if value is not None and pattern:
            assert re.search(pattern, value), f"{name}: {value}: {answer!r}"


def check_body(answer, response, template, method):
    content = response.get("content", {})
    if not content:
        assert not answer.body, f"a body where none belongs: {answer!r}"
        return
    assert answer.content_type in content, f"content type is not in the contract: {answer!r}"
    if answer.content_type == "application/problem+json":
        check_problem(answer)
    elif answer.content_type == "application/json" and len(answer.body) <= LARGEST:
        status = document()["paths"][template][method]["responses"][str(answer.status)]
        base = [status["$ref"]] if "$ref" in status else [pointer("paths", template, method, "responses", str(answer.status))]
        reference = "/".join(base + [pointer("content", answer.content_type, "schema").removeprefix("#/")])
        why = explain(reference, answer.json)
        assert not why, f"{answer!r}\n{why}"


def check_problem(answer):
    assert answer.content_type == "application/problem+json", f"not a problem: {answer!r}"
    why = explain("#/components/schemas/Problem", answer.json)
    assert not why, f"{answer!r}\n{why}"
    problem = answer.json
    known = document()["components"]["schemas"]["Problem"]["properties"]["type"]["x-known"]
    assert problem["type"] in known, f"an unknown type of problem: {answer!r}"
    assert problem["status"] == answer.status, f"status differs from the body's: {answer!r}"
    assert len(problem.get("errors", [])) == min(problem.get("error_count", 0), 100), f"error_count: {answer!r}"


def check_request(answer, body, content_type):
    """A JSON body that was taken must keep the schema of requests: else the contract forbids what the service does."""
    if not 200 <= answer.status < 300 or content_type != "application/json" or not body or len(body) > LARGEST:
        return
    template, method = template_of(answer.path), answer.method.lower()
    operation = document()["paths"].get(template, {}).get(method, {})
    if "requestBody" in operation:
        why = explain_text(pointer("paths", template, method, "requestBody", "content", content_type, "schema"), body)
        assert not why, f"{answer!r}\ntaken though the contract forbids it:\n{why}"
