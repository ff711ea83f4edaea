"""The page about a trajectory: well-formed, self-contained, with what the document says."""

import xml.etree.ElementTree as ElementTree

import pytest

from support import robot, unique_name
from support.optima import optimum
from support.motions import motion
from support.spoken import spoken

X = "{http://www.w3.org/1999/xhtml}"


def page_of(client, model, request):
    arm = client.post("/v1/robots", {**model, "name": unique_name()}, query={"allow_unphysical": "true"}).expect(201).headers["Location"]
    value = client.result_of(arm + "/trajectories", request)
    answer = client.get(f"/v1/trajectories/{value['id']}/report", headers={"Accept": "text/html"}).expect(200)
    assert answer.content_type.startswith("text/html") and spoken(client, f"/v1/trajectories/{value['id']}/report")[0] == answer.text
    return value, ElementTree.fromstring(answer.body)


def captions(page):
    return [caption.text for caption in page.iter(X + "figcaption")]


def test_what_the_page_shows(client):
    model, request, _ = optimum("iv_2R_unconstrained")
    for joint in model["joints"]:
        joint["drive"] = {"rotor_inertia": 1e-5, "gear_ratio": 50, "torque_constant": 0.1, "resistance": 0.5, "efficiency": 0.9}
        joint["limits"] = {"position": [-3, 3], "velocity": 50, "torque": 100}
    value, page = page_of(client, model, request)
    words = "".join(page.itertext())
    assert value["id"] in words and value["detail"] in words
    shown = captions(page)
    for caption in ("Position", "Velocity", "Torque", "Position against the limits", "Torque against the limits",
                    "Power of the supply", "Mechanical power of all joints", "Electrical energy by cause", "Lost in each drive", "Speed of the tool", "Acceleration of the tool"):
        assert caption in shown, shown
    assert f"at most at {value['tool_speed']['max']:.4g} m/s (at {value['tool_speed']['time']:.4g} s)" in words
    assert f"at most {value['tool_acceleration']['max']:.4g} m/s² (at {value['tool_acceleration']['time']:.4g} s)" in words
    rows = [[cell.text for cell in row.iter(X + "td")] for row in page.iter(X + "tr")][1:]
    assert [row[0] for row in rows] == ["this motion", "trapezoid", "quintic"]
    assert float(rows[0][1]) == value["duration"]
    assert float(rows[0][2]) == pytest.approx(value["energy"]["total"], rel=1e-3)
    assert float(rows[1][3]) == pytest.approx(value["baselines"]["trapezoid"]["electrical_energy"], rel=1e-3)


def test_other_durations_are_drawn(client):
    model, request, _ = optimum("iv_2R_unconstrained")
    _, page = page_of(client, model, {**request, "intervals": 20, "multistart": 1, "durations": [0.7, 0.5, 1]})
    shown = captions(page)
    assert "Cost against duration" in shown and "Energy against duration" in shown
    figure = next(f for f in page.iter(X + "figure") if f.find(X + "figcaption").text == "Cost against duration")
    dots = [path.get("d").count("h0") for path in figure.iter() if path.tag.endswith("}path") and "points" in path.get("class", "")]
    assert max(dots) == 3, "one for each duration"


@pytest.mark.parametrize("most", [None, 2])
def test_the_speed_of_the_tool_has_its_limit(client, most):
    model, _, _ = optimum("i_inertia_only")
    model["joints"][0]["a"] = 0.6
    _, page = page_of(client, model, {"method": "cubic", "start": {"q": [0]}, "goal": {"q": [1.2]}, "duration": 0.8, "tool_speed_max": most})
    figure = next(f for f in page.iter(X + "figure") if f.find(X + "figcaption").text == "Speed of the tool")
    words = "".join(figure.itertext())
    assert "speed, m/s" in words and ("beyond its limit" in words) == (most is not None)
    assert all(name in words for name in ("this motion", "trapezoid", "quintic"))


def test_it_needs_nothing_beside_it(client):
    _, page = page_of(client, robot("puma560"), motion(waypoints=[{"q": [0.1] * 6}], duration=3))
    assert not list(page.iter(X + "script")) and not list(page.iter(X + "link")) and not list(page.iter(X + "img"))
    assert all("href" not in element.attrib and "src" not in element.attrib for element in page.iter())
    assert "url(" not in next(page.iter(X + "style")).text
    assert "Power of the supply" not in captions(page), "this arm tells nothing of its drives"


def test_names_stay_text(client):
    """A prismatic axis has metres and newtons; a name is no markup."""
    model, request, _ = optimum("ii_prismatic_gravity")
    model["joints"][0]["name"] = "<b>z & \"up\"</b>"
    _, page = page_of(client, model, request)
    words = "".join(page.itertext())
    assert "<b>z & \"up\"</b>" in words and not list(page.iter(X + "b"))
    assert "force, N" in words and "torque, N m" not in words
