"""The structure of friction, chosen by the data of each joint: held against an arm of closed formulas (support/rotating_slide),
which shares no code with what identifies it. A seeded handful here; twenty seeds of each with ARMDYN_SOAK=1."""

import os

import pytest

from support import contract, rotating_slide, unique_name
from support.logs import upload

pytestmark = pytest.mark.skipif("/v1/robots/{robot}/datasets" not in contract.document()["paths"],
                                reason="this build takes no data sets")
SEEDS = range(1, 21) if os.environ.get("ARMDYN_SOAK") else (2, 3)


def identify(client, seed, laws, **request):
    name = unique_name()
    client.create_robot(rotating_slide.model(name, wrong=1.3))
    train, floor = rotating_slide.log(2 * seed, laws)
    judge, _ = rotating_slide.log(2 * seed + 1, laws, times=3.0, seconds=15)
    ids = [upload(client, name, rows) for rows in (train, judge)]
    return client.result_of(f"/v1/robots/{name}/identifications",
                            {"datasets": [ids[0]], "validation": [ids[1]], "friction": ["auto"], **request}), floor


def near(friction, term, truth, parts=0.03):
    """Within 3 % or two deviations, whichever is larger; of either direction where they came out different."""
    names = [term] if term in friction else [f"{term}.positive", f"{term}.negative"]
    return all(abs(friction[name] - truth) <= max(parts * truth, 2 * friction["std"][name]) for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_structure_is_found(client, seed):
    """Stribeck friction of either exponent, an ideal change of sign, ripples of 50 to 300 a turn at gear ratio 1: the error on
    a motion three times as fast is noise, and every figure is what it was."""
    laws = rotating_slide.friction(seed)
    found, floor = identify(client, seed, laws)
    assert found["errors"]["validation"]["raw"]["relative_percent"] <= 130 * floor
    for friction, law, selection in zip(found["parameters"]["friction"], laws, found["friction_selection"]):
        assert selection["joint"] == friction["joint"] and {"coulomb", "viscous", "stribeck"} <= {t["term"] for t in selection["trials"] if t["kept"]}
        assert near(friction, "coulomb", law["coulomb"]) and near(friction, "viscous", law["viscous"]), (friction, law)
        assert friction["stribeck_exponent"] == law["exponent"]
        amplitude, order, _ = law["ripple"]
        lines = [(friction[f"position.{k}"], line["order"]) for k, line in enumerate(friction["position"])]
        best = min(lines, key=lambda line: abs(line[1] - order))
        assert best[1] == pytest.approx(order, abs=0.1) and best[0] == pytest.approx(amplitude, rel=0.05), (lines, law)
        assert all(value >= 0 for name, value in friction.items() if name.startswith(("coulomb", "viscous", "stiction")))
    assert not {"friction_sign", "inconsistent_link", "fit_poor", "rank_deficient"} & {w["code"] for w in found["warnings"]}


@pytest.mark.slow
def test_a_promoted_structure_predicts_what_was_identified(client):
    """Velocity scale and exponent go with the parameters: the new revision's error on the validation is that of the run."""
    laws = rotating_slide.friction(3)
    found, _ = identify(client, 3, laws)
    promoted = client.post(f"/v1/identifications/{found['id']}/promote", {
        "base_revision": 1, "acknowledge": sorted({w["code"] for w in found["warnings"]}), "reason": "structure"}).expect(200, 201).json
    pointers = {change["pointer"] for change in promoted["changes"]}
    assert "/joints/1/velocity_scale" in pointers and "/joints/1/friction/stribeck_velocity" in pointers
    name = promoted["robot"]
    evaluated = client.result_of(f"/v1/robots/{name}/evaluations", {
        "models": [f"identification:{found['id']}", f"revision:{promoted['revision']}"], "datasets": found["validation"], "conditioning": found["conditioning"]})
    errors = [one["errors"]["raw"]["relative_percent"] for one in evaluated["evaluations"]]
    assert errors[0] == pytest.approx(found["errors"]["validation"]["raw"]["relative_percent"], rel=1e-6)
    assert errors[1] == pytest.approx(errors[0], rel=1e-6)


@pytest.mark.slow  # asks for numbers
def test_asymmetric_friction(client):
    """Either direction has its own where that is asked for; and it is said of terms that are listed."""
    laws = rotating_slide.friction(4, ripple=None, stiction=0)
    for law in laws:
        law.update(coulomb_negative=0.7 * law["coulomb"], viscous_negative=1.4 * law["viscous"])
    found, _ = identify(client, 4, laws, friction=["coulomb", "viscous", "asymmetric"])
    for friction, law in zip(found["parameters"]["friction"], laws):
        for term in ("coulomb", "viscous"):
            for way, truth in (("positive", law[term]), ("negative", law[f"{term}_negative"])):
                assert friction[f"{term}.{way}"] == pytest.approx(truth, rel=0.04), (friction, law)
    name = unique_name()
    client.create_robot(rotating_slide.model(name))
    fault = client.post(f"/v1/robots/{name}/identifications", {"datasets": ["01ARZ3NDEKTSV4RRFFQ69G5FAV"], "friction": ["asymmetric"]})
    assert [f["pointer"] for f in fault.expect(422).json["errors"]] == ["/friction"]
