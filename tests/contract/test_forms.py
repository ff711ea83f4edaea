"""What a request may say a page can say: each of its members stands in the sources of its form, or here with the reason why not."""

import pathlib
import re

import pytest
from support import ROOT, contract

PAGES = pathlib.Path(ROOT) / "server/web/src"
SCHEMAS = contract.document()["components"]["schemas"]
FORMS = {"IdentificationRequest": "identify_form", "FrictionIdentificationRequest": "identify_form"}
# Forms that have fields for what is asked often, and a list of pointers of the contract's with values for the rest.
FURTHER = {"SimulationRequest": "simulations", "VerificationRequest": "verification_form", "TuningRequest": "tunings", "ZoningRequest": "zonings",
           "TrajectoryRequest": "plan", "ExcitationRequest": "excite", "FrictionTestRequest": "excite", "CollisionCheckRequest": "checks",
           "IdentificationStudyRequest": "studies"}

# To put one of them into a form: take its row away.
FOR_PROGRAMS = {"callback": "a program is called; a person sees the end on the page", "job_order_id": "numbers that a MES has",
                "work_master_id": "numbers that a MES has", "equipment_id": "numbers that a MES has",
                "tags": "given to results, one on its page, many in their list"}

LOGS_ALONE = {"EvaluationRequest"}  # its form chooses logs and models; what it draws at random is for programs that compare


def members(schema):
    """Names that an object of this schema may have, and those within it, with dots between."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        yield from members(SCHEMAS[name])
    for parts in ("allOf", "oneOf", "anyOf"):
        for part in schema.get(parts, ()):
            yield from members(part)
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from (f"{name}.{within}" for within in members(inner))
    if isinstance(schema.get("items"), dict):
        yield from members(schema["items"])


def unsaid(name, form):
    text = (PAGES / f"pages/{form}.js").read_text()
    text = text[:text.index("extend({")] + text[text.index("\n})"):]  # a word for it is no field
    return {member for member in members(SCHEMAS[name]) if not re.search(rf"\b{member.rsplit('.')[-1]}\b", text)}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_says_whatever_the_request_takes(name):
    lacking = {member for member in unsaid(name, FORMS[name]) if member.split(".")[0] not in FOR_PROGRAMS}
    assert len(set(members(SCHEMAS[name]))) > 8 and lacking == set()


@pytest.mark.parametrize("name", FURTHER)
def test_what_a_form_has_no_field_for_it_takes_by_its_pointer(name):
    assert unsaid(name, FURTHER[name]) and re.search(r"<\$\{(AskForm|Further)\}", (PAGES / f"pages/{FURTHER[name]}.js").read_text())


def test_every_request_of_a_job_has_a_form():
    jobs = {operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
            for path, item in contract.document()["paths"].items() for method, operation in item.items()
            if method == "post" and path.startswith("/v1/robots/{robot}/") and "202" in operation.get("responses", {})}
    assert len(jobs) > 8 and jobs - {*FORMS, *FURTHER} == LOGS_ALONE


def test_reasons_are_of_members_that_no_form_says():
    assert set(FOR_PROGRAMS) <= set.union(*(unsaid(name, form) for name, form in FORMS.items()))
