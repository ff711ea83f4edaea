"""Every way to be wrong, with the exact answer: status, problem, and each fault with its place and code.

A case is a row: name, call, what is wrong, status and faults ("/pointer code", "?parameter code", "@Header code",
"row,column code"); `{...}` in paths and bodies are resources of the fixture `world`. Faults must be exactly those given:
one too many is as wrong as one missing. To add a case: a row.
"""

import copy
import json
import struct
from dataclasses import dataclass, field

import pytest

from support import Server, free_port, npy_write
from support.client import Answer

REMOVED = object()
GOOD_SAMPLE = {"q": [0.1, 0.2], "qd": [0, 0], "qdd": [0, 0]}
GOOD_MOTION = {"method": "quintic", "start": {"q": [0, 0]}, "goal": {"q": [0.5, 0.5]}, "duration": 2}
GOOD_MODEL = {
    "name": "model", "convention": "dh", "gravity": [0, 0, -9.81],
    "joints": [
        {"name": f"j{i + 1}", "type": "revolute", "a": 0.3, "alpha": 0, "d": 0, "theta": 0,
         "limits": {"position": [-3, 3], "velocity": 3, "acceleration": 20, "torque": 100, "torque_rate": 5000},
         "link": {"mass": 2, "com": [-0.1, 0, 0], "inertia": {"xx": 0.01, "yy": 0.05, "zz": 0.05}}} for i in range(2)],
}
GOOD_CONTROLLER = {"name": "cell-new", "host": "127.0.0.1", "port": 5020, "robot": "arm", "profile": {"protocol": "armdyn-v2"}}
GOOD_TRANSFER = {"trajectory": "{trajectory}"}
NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
ROBOTS, MOTION, DYNAMICS = "POST /v1/robots", "POST /v1/robots/arm/trajectories", "POST /v1/robots/arm/inverse-dynamics"
POSES, CONTROLLERS, TRANSFERS = "POST /v1/robots/arm/forward-kinematics", "POST /v1/controllers", "POST /v1/controllers/cell/transfers"


@dataclass
class Case:
    name: str
    call: str
    status: int
    faults: tuple = ()
    body: object = None
    type: str = None
    kind: str = "application/json"
    query: dict = field(default_factory=dict)
    headers: dict = field(default_factory=dict)


CASES = []


def case(name, call, status, *faults, **more):
    CASES.append(Case(name, call, status, faults, **more))


def put(document, *changes):
    """A copy with changes: ("/pointer", value), REMOVED to leave a member out."""
    document = copy.deepcopy(document)
    for pointer, value in changes:
        *path, last = pointer.split("/")[1:]
        at = document
        for part in path:
            at = at[int(part)] if isinstance(at, list) else at.setdefault(part, {})
        if value is REMOVED:
            del at[last]
        elif isinstance(at, list):
            at[int(last)] = value
        else:
            at[last] = value
    return document


def each(good, call, rows):
    """Rows (name, changes..., fault) or (name, changes..., [faults]) of one call: 422 all."""
    resource = call.rsplit("/", 1)[1]
    for name, *changes, faults in rows:
        faults = [faults] if isinstance(faults, str) else faults
        case(f"{resource}: {name}", call, 422, *faults, body=put(good, *changes), type="invalid")


# -- not JSON, or not quite: 400 with the place --
for name, text, faults in (
    ("an empty body", "", [" syntax"]),
    ("white space only", " \n\t ", [" syntax"]),
    ("a text cut off", '{"q": [0.1, 0.2], "qd": [0,', ["/qd/1 syntax"]),
    ("text after the document", json.dumps(GOOD_SAMPLE) + " x", [" syntax"]),
    ("two documents", json.dumps(GOOD_SAMPLE) * 2, [" syntax"]),
    ("NaN", '{"q": [NaN, 0], "qd": [0, 0], "qdd": [0, 0]}', ["/q/0 syntax"]),
    ("Infinity", '{"q": [0, Infinity], "qd": [0, 0], "qdd": [0, 0]}', ["/q/1 syntax"]),
    ("minus Infinity", '{"q": [0, -Infinity], "qd": [0, 0], "qdd": [0, 0]}', ["/q/1 syntax"]),
    ("1e999", '{"q": [0, 1e999], "qd": [0, 0], "qdd": [0, 0]}', ["/q/1 syntax"]),
    ("-1e999", '{"q": [-1e999, 0], "qd": [0, 0], "qdd": [0, 0]}', ["/q/0 syntax"]),
    ("a number of 500 digits", '{"q": [' + "1" * 500 + ', 0], "qd": [0, 0], "qdd": [0, 0]}', ["/q/0 syntax"]),
    ("a leading zero", '{"q": [01, 0], "qd": [0, 0], "qdd": [0, 0]}', ["/q/0 syntax"]),
    ("a leading plus", '{"q": [+1, 0], "qd": [0, 0], "qdd": [0, 0]}', ["/q/0 syntax"]),
    ("a bare point", '{"q": [1., 0], "qd": [0, 0], "qdd": [0, 0]}', ["/q/0 syntax"]),
    ("a point first", '{"q": [.5, 0], "qd": [0, 0], "qdd": [0, 0]}', ["/q/0 syntax"]),
    ("hexadecimal", '{"q": [0x1, 0], "qd": [0, 0], "qdd": [0, 0]}', ["/q/0 syntax"]),
    ("a comma too many", '{"q": [0, 0,], "qd": [0, 0], "qdd": [0, 0]}', ["/q/2 syntax"]),
    ("a comma missing", '{"q": [0 0], "qd": [0, 0], "qdd": [0, 0]}', ["/q/0 syntax"]),
    ("single quotes", "{'q': [0, 0]}", [" syntax"]),
    ("a comment", '{"q": [0, 0], /* no */ "qd": [0, 0], "qdd": [0, 0]}', ["/q syntax"]),
    ("no colon", '{"q" [0, 0]}', ["/q syntax"]),
    ("a wrong literal", '{"q": [0, 0], "qd": [0, 0], "qdd": [0, 0], "friction": True}', ["/friction syntax"]),
    ("an array of 65 levels", "[" * 65 + "]" * 65, ["/0" * 64 + " syntax"]),
    ("65 levels in a field", '{"q": ' + "[" * 64 + "]" * 64 + "}", ["/q" + "/0" * 63 + " syntax"]),
    ("a hundred thousand brackets", "[" * 100000, ["/0" * 64 + " syntax"]),
    ("a control character", '{"q\x01": [0, 0]}', [" syntax"]),
    ("a bad escape", '{"q\\x": [0, 0]}', [" syntax"]),
    ("half a surrogate pair", '{"\\ud800": [0, 0]}', [" syntax"]),
    ("a byte order mark", "\ufeff" + json.dumps(GOOD_SAMPLE), [" syntax"]),
):
    case(f"JSON: {name}", DYNAMICS, 400, *faults, body=text, type="syntax")
case("JSON: not UTF-8", DYNAMICS, 400, " syntax", body=b'{"q\xff": [0, 0]}', type="syntax")
case("JSON: an overlong character", DYNAMICS, 400, " syntax", body=b'{"q\xc0\xaf": [0, 0]}', type="syntax")
case("JSON: a NUL at the end", DYNAMICS, 400, " syntax", body=json.dumps(GOOD_SAMPLE).encode() + b"\0", type="syntax")
for call in (ROBOTS, MOTION, POSES, CONTROLLERS, TRANSFERS):
    case(f"an empty body for {call}", call, 400, " syntax", body=b"", type="syntax")

# -- whole documents of the wrong kind --
for text in ("[]", "null", "3", '"text"', "true"):
    for call in (ROBOTS, DYNAMICS, MOTION, CONTROLLERS):
        case(f"{text} for {call}", call, 422, " type", body=text, type="invalid")

# -- robots --
J0 = "/joints/0"
each(GOOD_MODEL, ROBOTS, (
    ("unknown field", ("/weight", 3), "/weight unknown_field"),
    ("misspelt field", ("/jonts", []), ("/joints", REMOVED), ["/jonts unknown_field", "/joints required"]),
    ("unknown field deep down", (J0 + "/link/density", 1), J0 + "/link/density unknown_field"),
    ("wrong case", ("/Name", "x"), "/Name unknown_field"),
    ("no name", ("/name", REMOVED), "/name required"),
    ("no convention", ("/convention", REMOVED), "/convention required"),
    ("no joints", ("/joints", REMOVED), "/joints required"),
    ("no link", (J0 + "/link", REMOVED), J0 + "/link required"),
    ("no mass", (J0 + "/link/mass", REMOVED), J0 + "/link/mass required"),
    ("no type", (J0 + "/type", REMOVED), J0 + "/type required"),
    ("empty joints", ("/joints", []), "/joints length"),
    ("33 joints", ("/joints", [put(GOOD_MODEL["joints"][0], ("/name", f"n{i}")) for i in range(33)]), "/joints length"),
    ("joints as an object", ("/joints", {}), "/joints type"),
    ("a joint that is none", ("/joints/1", 3), "/joints/1 type"),
    ("name with capitals", ("/name", "Puma"), "/name pattern"),
    ("name with a space", ("/name", "puma 560"), "/name pattern"),
    ("name with a slash", ("/name", "a/b"), "/name pattern"),
    ("name that starts with a point", ("/name", ".hidden"), "/name pattern"),
    ("empty name", ("/name", ""), "/name pattern"),
    ("name of 65 characters", ("/name", "a" * 65), ["/name length"]),
    ("name that is a number", ("/name", 560), "/name type"),
    ("unknown convention", ("/convention", "classic"), "/convention enum"),
    ("convention in capitals", ("/convention", "DH"), "/convention enum"),
    ("gravity of two numbers", ("/gravity", [0, -9.81]), "/gravity length"),
    ("gravity of four numbers", ("/gravity", [0, 0, -9.81, 0]), "/gravity length"),
    ("gravity as a number", ("/gravity", -9.81), "/gravity type"),
    ("gravity with a text", ("/gravity", [0, "0", -9.81]), "/gravity/1 type"),
    ("gravity with null", ("/gravity", [0, None, -9.81]), "/gravity/1 type"),
    ("unknown joint type", (J0 + "/type", "ball"), J0 + "/type enum"),
    ("two joints of a name", ("/joints/1/name", "j1"), "/joints/1/name duplicate"),
    ("empty joint name", (J0 + "/name", ""), J0 + "/name pattern"),
    ("negative mass", (J0 + "/link/mass", -1), J0 + "/link/mass minimum"),
    ("mass as a text", (J0 + "/link/mass", "2"), J0 + "/link/mass type"),
    ("com of two numbers", (J0 + "/link/com", [0, 0]), J0 + "/link/com length"),
    ("negative moment", (J0 + "/link/inertia/xx", -0.01), [J0 + "/link/inertia unphysical"]),
    ("triangle inequality", (J0 + "/link/inertia/zz", 1), J0 + "/link/inertia unphysical"),
    ("product too large", (J0 + "/link/inertia/xy", 1), J0 + "/link/inertia unphysical"),
    ("inertia as a matrix", (J0 + "/link/inertia", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]), J0 + "/link/inertia type"),
    ("limits the wrong way round", (J0 + "/limits/position", [3, -3]), J0 + "/limits/position inconsistent"),
    ("limits of one number", (J0 + "/limits/position", [3]), J0 + "/limits/position length"),
    ("no velocity", (J0 + "/limits/velocity", 0), J0 + "/limits/velocity minimum"),
    ("negative torque limit", (J0 + "/limits/torque", -5), J0 + "/limits/torque minimum"),
    ("gear ratio 0", (J0 + "/drive/gear_ratio", 0), J0 + "/drive/gear_ratio minimum"),
    ("negative rotor inertia", (J0 + "/drive/rotor_inertia", -1e-4), J0 + "/drive/rotor_inertia minimum"),
    ("efficiency above 1", (J0 + "/drive/efficiency", 1.2), J0 + "/drive/efficiency maximum"),
    ("efficiency 0", (J0 + "/drive/efficiency", 0), J0 + "/drive/efficiency minimum"),
    ("one direction of friction", (J0 + "/friction/coulomb/positive", 1), J0 + "/friction/coulomb/negative required"),
    ("unknown friction term", (J0 + "/friction/sticky", 1), J0 + "/friction/sticky unknown_field"),
    ("stiction without its velocity", (J0 + "/friction", {"stiction": 2}), J0 + "/friction/stribeck_velocity required"),
    ("nine ripples", (J0 + "/friction/position", [{"amplitude": 1, "order": 1}] * 9), J0 + "/friction/position length"),
    ("an axis in DH", (J0 + "/axis", [0, 0, 1]), J0 + "/axis inconsistent"),
    ("a frame in DH", (J0 + "/frame", {}), J0 + "/frame inconsistent"),
    ("tool of two rpy", ("/tool", {"rpy": [0, 0]}), "/tool/rpy length"),
    ("tool as a matrix", ("/tool", [1, 2, 3]), "/tool type"),
    ("negative payload", ("/payload", {"mass": -2}), "/payload/mass minimum"),
    ("transmission of one row", ("/transmission", {"matrix": [[1, 0]]}), "/transmission/matrix length"),
    ("transmission that is singular", ("/transmission", {"matrix": [[1, 1], [1, 1]]}), "/transmission/matrix inconsistent"),
    ("description of 2000 characters", ("/description", "x" * 2000), "/description length"),
    ("three faults at once", ("/gravity", [0]), (J0 + "/link/mass", -1), ("/joints/1/type", "x"),
     ["/gravity length", J0 + "/link/mass minimum", "/joints/1/type enum"]),
))
case("robot: the same name twice in an object", ROBOTS, 422, "/name duplicate", type="invalid",
     body=json.dumps(GOOD_MODEL)[:-1] + ', "name": "other"}')
case("robot: frames without frame", ROBOTS, 422, "/joints/0/frame required", "/joints/0/axis required", type="invalid",
     body={"name": "f", "convention": "frames", "joints": [{"name": "j", "type": "revolute", "link": {"mass": 1}}]})
case("robot: frames of no object", ROBOTS, 422, "/joints/0 type", type="invalid", body={"name": "f", "convention": "frames", "joints": [2]})
case("robot: DH parameters in frames", ROBOTS, 422, "/joints/0/a inconsistent", "/joints/0/theta inconsistent", type="invalid",
     body={"name": "f", "convention": "frames", "joints": [
         {"name": "j", "type": "revolute", "frame": {}, "axis": [0, 0, 1], "a": 1, "theta": 0, "link": {"mass": 1}}]})
case("robot: frames with an axis of no length", ROBOTS, 422, "/joints/0/axis minimum", type="invalid",
     body={"name": "f", "convention": "frames", "joints": [
         {"name": "j", "type": "revolute", "frame": {}, "axis": [0, 0, 0], "link": {"mass": 1}}]})
case("robot: unknown query parameter", ROBOTS, 422, "?revison unknown_field", query={"revison": 1}, body=GOOD_MODEL)
case("robot: a truth value that is none", ROBOTS, 422, "?allow_unphysical type", query={"allow_unphysical": "yes"}, body=GOOD_MODEL)
case("robot: a compressed body", ROBOTS, 415, type="unsupported-media-type", headers={"Content-Encoding": "gzip"}, body=GOOD_MODEL)
case("robot: name exists", ROBOTS, 409, type="conflict", body=put(GOOD_MODEL, ("/name", "arm")))
case("robot: unknown", "GET /v1/robots/nobody", 404, type="not-found")
case("robot: unknown revision", "GET /v1/robots/arm/revisions/99", 404, type="not-found")
case("robot: revision 0", "GET /v1/robots/arm/revisions/0", 404, type="not-found")
case("robot: revision that is no number", "GET /v1/robots/arm/revisions/new", 404, type="not-found")
case("robot: unknown revision to use", DYNAMICS, 404, type="not-found", query={"revision": 99}, body=GOOD_SAMPLE)
case("robot: no revision at all", DYNAMICS, 422, "?revision pattern", query={"revision": "Newest"}, body=GOOD_SAMPLE)
case("robot: PUT without If-Match", "PUT /v1/robots/arm", 428, type="precondition-required", body=put(GOOD_MODEL, ("/name", "arm")))
case("robot: PUT of an old state", "PUT /v1/robots/arm", 412, type="stale", headers={"If-Match": '"0"'}, body=put(GOOD_MODEL, ("/name", "arm")))
case("robot: DELETE without If-Match", "DELETE /v1/robots/arm", 428, type="precondition-required")
case("robot: DELETE of an old state", "DELETE /v1/robots/arm", 412, type="stale", headers={"If-Match": '"0"'})
case("robot: an Idempotency-Key of 300 characters", ROBOTS, 400, "@Idempotency-Key pattern", body=GOOD_MODEL,
     headers={"Idempotency-Key": "k" * 300}, type="bad-request")

# -- lists --
for path in ("/v1/robots", "/v1/trajectories", "/v1/jobs", "/v1/controllers", "/v1/transfers"):
    case(f"{path}: limit 0", f"GET {path}", 422, "?limit minimum", query={"limit": 0})
    case(f"{path}: limit 201", f"GET {path}", 422, "?limit maximum", query={"limit": 201})
    case(f"{path}: limit that is no number", f"GET {path}", 422, "?limit type", query={"limit": "many"})
    case(f"{path}: unknown parameter", f"GET {path}", 422, "?page unknown_field", query={"page": 2})
case("list: a parameter twice", "GET /v1/robots?limit=1&limit=2", 422, "?limit duplicate")
case("list: cursor of nowhere", "GET /v1/robots", 422, "?cursor pattern", query={"cursor": "!!"})
case("list: unknown state", "GET /v1/jobs", 422, "?state enum", query={"state": "done"})
case("list: unknown kind", "GET /v1/jobs", 422, "?kind enum", query={"kind": "wish"})
case("list: unknown state of transfers", "GET /v1/transfers", 422, "?state enum", query={"state": "lost"})
for path in ("/v1/trajectories", "/v1/simulations", "/v1/identifications", "/v1/jobs", "/v1/transfers"):
    case(f"{path}: cursor of nowhere", f"GET {path}", 422, "?cursor pattern", query={"cursor": "0" * 16 + "." + "0" * 26 + ".n00"})
    case(f"{path}: sorted by what it has not", f"GET {path}", 422, "?sort enum", query={"sort": "-notes; DROP TABLE jobs"})
    case(f"{path}: cut to what it has not", f"GET {path}", 422, "?fields enum", query={"fields": "id,,state"})
    case(f"{path}: a tag without a value", f"GET {path}", 422, "?tag pattern", query={"tag": "part"})
    case(f"{path}: a search too long", f"GET {path}", 422, "?q length", query={"q": "x" * 129})
    case(f"{path}: too many conditions", f"GET {path}?" + "&".join(f"tag=t{k}=1" for k in range(21)), 422, "?tag length")
for metric, code in (("duration", "pattern"), ("duration<", "pattern"), ("duration<nan", "pattern"), ("duration<1e999", "pattern"),
                     ("<6", "pattern"), ("hardness<6", "enum"), ("duration==6", "pattern"), ("duration<6 OR 1=1", "pattern")):
    case(f"list: metric={metric}", "GET /v1/trajectories", 422, f"?metric {code}", query={"metric": metric})
case("list: pinned that is no truth", "GET /v1/trajectories", 422, "?pinned type", query={"pinned": "1"})
case("list: jobs have no metrics", "GET /v1/jobs", 422, "?metric unknown_field", query={"metric": "duration<6"})

# -- dynamics, JSON --
each(GOOD_SAMPLE, DYNAMICS, (
    ("no qdd", ("/qdd", REMOVED), "/qdd required"),
    ("nothing", ("/q", REMOVED), ("/qd", REMOVED), ("/qdd", REMOVED), ["/q required", "/qd required", "/qdd required"]),
    ("unknown field", ("/qddd", [0, 0]), "/qddd unknown_field"),
    ("empty q", ("/q", []), "/q length"),
    ("one number too few", ("/q", [0]), "/q length"),
    ("one number too many", ("/qd", [0, 0, 0]), "/qd length"),
    ("a text among numbers", ("/q", [0, "0"]), "/q/1 type"),
    ("null among numbers", ("/q", [None, 0]), "/q/0 type"),
    ("q as a number", ("/q", 0), "/q type"),
    ("an object among numbers", ("/q", [{}, 0]), "/q/0 type"),
    ("wrench of five", ("/wrench", [0] * 5), "/wrench length"),
    ("unknown wrench frame", ("/wrench_frame", "world"), "/wrench_frame enum"),
    ("friction as a number", ("/friction", 1), "/friction type"),
    ("unknown method", ("/method", "guess"), "/method enum"),
    ("gravity of two", ("/gravity", [0, 0]), "/gravity length"),
    ("negative payload", ("/payload", {"mass": -1}), "/payload/mass minimum"),
))
BATCH = {"q": [[0, 0]] * 3, "qd": [[0, 0]] * 3, "qdd": [[0, 0]] * 3}
each(BATCH, DYNAMICS, (
    ("batch: fewer velocities", ("/qd", [[0, 0]] * 2), "/qd length"),
    ("batch: no sample", ("/q", [[]]), "/q/0 length"),
    ("batch: a short row", ("/q/1", [0]), "/q/1 length"),
    ("batch: a row that is none", ("/q/2", 5), "/q/2 type"),
    ("batch: a text in a row", ("/qdd/1", [0, "x"]), "/qdd/1/1 type"),
    ("batch: one sample among batches", ("/qd", [0, 0]), "/qd type"),
))
case("kinematics: torques are unknown", POSES, 422, "/tau unknown_field", body={"q": [0, 0], "tau": [0, 0]})
case("kinematics: poses as a word", POSES, 422, "/poses type", type="invalid", body={"q": [0, 0], "poses": "yes"})
case("npy: poses that nobody asked for", POSES, 422, "?field enum", query={"field": "tool_pose"}, body=npy_write([[0, 0]]), kind="application/x-npy", headers={"Accept": "application/x-npy"})
case("kinematics: no q", POSES, 422, "/q required", body={})
FORWARD, JACOBIAN, STATICS = (f"POST /v1/robots/arm/{call}" for call in ("forward-dynamics", "jacobian", "statics"))
each({"q": [0, 0], "qd": [0, 0], "tau": [0, 0]}, FORWARD, (
    ("no tau", ("/tau", REMOVED), "/tau required"),
    ("an acceleration", ("/qdd", [0, 0]), "/qdd unknown_field"),
    ("one torque", ("/tau", [1]), "/tau length"),
    ("a torque as a text", ("/tau", [1, "2"]), "/tau/1 type"),
    ("a torque beyond reason", ("/tau", [0, 1e13]), "/tau/1 maximum"),
    ("a batch of torques", ("/tau", [[0, 0]]), "/tau type"),
    ("a method of inverse dynamics", ("/method", "lagrange"), "/method enum"),
    ("causes", ("/decompose", True), "/decompose unknown_field"),
))
each({"q": [0, 0]}, JACOBIAN, (
    ("unknown frame", ("/frame", "world"), "/frame enum"),
    ("frame as a number", ("/frame", 0), "/frame type"),
    ("one velocity", ("/qd", [1]), "/qd length"),
    ("a batch of velocities", ("/qd", [[1, 1]]), "/qd type"),
    ("a wrench frame", ("/wrench_frame", "tool"), "/wrench_frame unknown_field"),
))
case("jacobian: one velocity for a batch", JACOBIAN, 422, "/qd type", type="invalid", body={"q": [[0, 0]] * 2, "qd": [1, 1]})
case("jacobian: fewer velocities", JACOBIAN, 422, "/qd length", type="invalid", body={"q": [[0, 0]] * 2, "qd": [[1, 1]]})
case("kinematics: accelerations without velocities", POSES, 422, "/qd required", type="invalid", body={"q": [0, 0], "qdd": [1, 1]})
case("kinematics: one velocity for a batch", POSES, 422, "/qd type", type="invalid", body={"q": [[0, 0]] * 2, "qd": [1, 1]})
case("npy: accelerations that nobody asked for", POSES, 422, "?field enum", query={"field": "tool_acceleration"},
     kind="application/x-npy", body=npy_write([[0.0] * 2]), headers={"Accept": "application/x-npy"})
case("dynamics: joint wrenches as a number", DYNAMICS, 422, "/joint_wrenches type", body=put(GOOD_SAMPLE, ("/joint_wrenches", 1)))
each({"q": [0, 0], "wrench": [0] * 6}, STATICS, (
    ("no wrench", ("/wrench", REMOVED), "/wrench required"),
    ("wrench of five", ("/wrench", [0] * 5), "/wrench length"),
    ("unknown wrench frame", ("/wrench_frame", "hand"), "/wrench_frame enum"),
    ("friction", ("/friction", True), "/friction unknown_field"),
))
for call in ("mass-matrix", "gravity"):
    each({"q": [0, 0]}, f"POST /v1/robots/arm/{call}", (
        ("no q", ("/q", REMOVED), "/q required"),
        ("three numbers", ("/q", [0, 0, 0]), "/q length"),
        ("velocities", ("/qd", [0, 0]), "/qd unknown_field"),
        ("payload without mass", ("/payload", {"com": [0, 0, 0]}), "/payload/mass required"),
        ("gravity of two", ("/gravity", [0, 0]), "/gravity length"),
        ("tool of two rpy", ("/tool", {"rpy": [0, 0]}), "/tool/rpy length"),
    ))
for call in ("coriolis", "energy"):
    each({"q": [0, 0], "qd": [0, 0]}, f"POST /v1/robots/arm/{call}", (
        ("no qd", ("/qd", REMOVED), "/qd required"),
        ("accelerations", ("/qdd", [0, 0]), "/qdd unknown_field"),
        ("an impossible payload", ("/payload", {"mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 3}}), "/payload/inertia unphysical"),
    ))
case("dynamics: the closed form of an arm that is no SCARA", DYNAMICS, 422, "/method inconsistent", type="invalid",
     body=put(GOOD_SAMPLE, ("/method", "closed_form")))
case("npy: the closed form of an arm that is no SCARA", DYNAMICS, 422, "?method inconsistent", query={"method": "closed_form"},
     body=npy_write([[0.0] * 6]), kind="application/x-npy")
case("jacobian: a frame in the query of JSON", JACOBIAN, 422, "?frame inconsistent", query={"frame": "tool"}, body={"q": [0, 0]})
case("jacobian: a field of another call", JACOBIAN, 422, "?field enum", query={"field": "tau"}, kind="application/x-npy",
     body=npy_write([[0.0] * 2]), headers={"Accept": "application/x-npy"})
case("jacobian: the rate without velocities", JACOBIAN, 422, "?field enum", query={"field": "jacobian_dot_qd"},
     kind="application/x-npy", body=npy_write([[0.0] * 2]), headers={"Accept": "application/x-npy"})
case("npy: jacobian of three columns", JACOBIAN, 422, " length", kind="application/x-npy", body=npy_write([[0.0] * 3]))
case("csv: jacobian with half of its velocities", JACOBIAN, 422, " required", kind="text/csv", body="q1,q2,qd1\n0,0,0\n")
case("csv: statics without wrench", STATICS, 422, *[" required"] * 6, kind="text/csv", body="q1,q2\n0,0\n")
each({"q": [0, 0], "qd": [0, 0], "qdd": [0, 0]}, "POST /v1/robots/arm/derivatives", (
    ("no qdd", ("/qdd", REMOVED), "/qdd required"),
    ("torques", ("/tau", [0, 0]), "/tau unknown_field"),
    ("friction as a text", ("/friction", "yes"), "/friction type"),
    ("unknown wrench frame", ("/wrench_frame", "link"), "/wrench_frame enum"),
))
each({"q": [0, 0], "qd": [0, 0], "tau": [0, 0]}, "POST /v1/robots/arm/linearize", (
    ("no tau", ("/tau", REMOVED), "/tau required"),
    ("one torque", ("/tau", [0]), "/tau length"),
    ("a method", ("/method", "aba"), "/method unknown_field"),
))
each({"q": [0, 0], "qd": [0, 0], "qdd": [0, 0]}, "POST /v1/robots/arm/regressor", (
    ("no qdd", ("/qdd", REMOVED), "/qdd required"),
    ("base in the body", ("/base", True), "/base unknown_field"),
    ("a wrench", ("/wrench", [0] * 6), "/wrench unknown_field"),
))
case("regressor: base that is no truth", "POST /v1/robots/arm/regressor", 422, "?base type", query={"base": "yes"}, body=GOOD_SAMPLE)
each({}, "POST /v1/robots/arm/base-parameters", (
    ("rotors as a number", ("/rotor_inertia", 1), "/rotor_inertia type"),
    ("friction as a list", ("/friction", ["coulomb"]), "/friction type"),
    ("positions", ("/q", [0, 0]), "/q unknown_field"),
    ("gravity of two", ("/gravity", [0, 0]), "/gravity length"),
))
each({"tool": [[1, 0, 0, 0.5], [0, 1, 0, 0.1], [0, 0, 1, 0], [0, 0, 0, 1]], "q": [0, 0]}, "POST /v1/robots/arm/inverse-kinematics", (
    ("no pose", ("/tool", REMOVED), "/tool required"),
    ("no seed", ("/q", REMOVED), "/q required"),
    ("three rows", ("/tool", [[1, 0, 0, 0.5], [0, 1, 0, 0.1], [0, 0, 1, 0]]), "/tool length"),
    ("a row of three", ("/tool/2", [0, 0, 1]), "/tool/2 length"),
    ("a stretched rotation", ("/tool/0/0", 1.1), "/tool inconsistent"),
    ("a mirror", ("/tool/0/0", -1), "/tool inconsistent"),
    ("a last row that is none", ("/tool/3/0", 1), "/tool/3 inconsistent"),
    ("a far pose", ("/tool/0/3", 1e7), "/tool/0/3 maximum"),
    ("an empty pose", ("/tool", {}), ["/tool/translation required", "/tool/rpy required"]),
    ("a pose without an orientation", ("/tool", {"translation": [0.5, 0, 0]}), "/tool/rpy required"),
    ("a pose without a place", ("/tool", {"rpy": [0, 0, 0]}), "/tool/translation required"),
    ("a pose in degrees", ("/tool", {"translation": [0.5, 0, 0], "rpy_deg": [0, 0, 0]}), "/tool/rpy_deg unknown_field"),
    ("a pose of two numbers", ("/tool", {"translation": [0.5, 0], "rpy": [0, 0, 0]}), "/tool/translation length"),
    ("a pose beyond any arm", ("/tool", {"translation": [0, 1e7, 0], "rpy": [0, 0, 0]}), "/tool/translation/1 maximum"),
    ("a pose as a number", ("/tool", 7), "/tool type"),
    ("too many positions", ("/q", [0, 0, 0]), "/q length"),
    ("a far seed", ("/q/1", -1e7), "/q/1 minimum"),
    ("no component", ("/task", []), "/task length"),
    ("an unknown component", ("/task", ["x", "yaw"]), "/task/1 enum"),
    ("a component twice", ("/task", ["x", "x"]), "/task/1 duplicate"),
    ("a component as a number", ("/task", ["x", 1]), "/task/1 type"),
    ("too many starts", ("/starts", 201), "/starts maximum"),
    ("starts below 0", ("/starts", -1), "/starts minimum"),
    ("half a seed", ("/seed", 0.5), "/seed type"),
    ("a payload", ("/payload", {"mass": 1}), "/payload unknown_field"),
))
MAP = "POST /v1/robots/arm/gravity-map"
each({"joints": ["j1", "j2"], "q": [0, 0], "points": [3, 3]}, MAP, (
    ("no joints", ("/joints", REMOVED), "/joints required"),
    ("no q", ("/q", REMOVED), "/q required"),
    ("one joint", ("/joints", ["j1"]), "/joints length"),
    ("three joints", ("/joints", ["j1", "j2", "j1"]), "/joints length"),
    ("the same joint twice", ("/joints", ["j2", "j2"]), "/joints inconsistent"),
    ("an unknown joint", ("/joints", ["j1", "j9"]), "/joints/1 enum"),
    ("a joint as a number", ("/joints", [0, "j1"]), "/joints/0 type"),
    ("a batch", ("/q", [[0, 0], [0, 0]]), ["/q/0 type", "/q/1 type"]),
    ("one point", ("/points", [1, 3]), "/points/0 minimum"),
    ("1001 points", ("/points", [3, 1001]), "/points/1 maximum"),
    ("half a point", ("/points", [3, 2.5]), "/points/1 type"),
    ("one number of points", ("/points", [3]), "/points length"),
    ("a range the wrong way round", ("/ranges", [[0, 1], [1, 0]]), "/ranges/1 inconsistent"),
    ("one range", ("/ranges", [[0, 1]]), "/ranges length"),
    ("unknown field", ("/qd", [0, 0]), "/qd unknown_field"),
))
DIAGNOSE = "POST /v1/robots/arm/diagnose"
GOOD_TORQUES = put(GOOD_SAMPLE, ("/tau", [1, 2]))
each(GOOD_TORQUES, DIAGNOSE, (
    ("tau missing", ("/tau", REMOVED), "/tau required"),
    ("tau of three joints", ("/tau", [1, 2, 3]), "/tau length"),
    ("tau a text", ("/tau", "1, 2"), "/tau type"),
    ("qdd missing", ("/qdd", REMOVED), "/qdd required"),
    ("tolerance negative", ("/tolerance", -0.1), "/tolerance minimum"),
    ("unknown field", ("/mistakes", ["gravity_sign"]), "/mistakes unknown_field"),
))
case("diagnose: unknown robot", "POST /v1/robots/nobody/diagnose", 404, body=GOOD_TORQUES, type="not-found")
case("dynamics: unknown robot", "POST /v1/robots/nobody/inverse-dynamics", 404, body=GOOD_SAMPLE, type="not-found")
case("dynamics: unknown parameter", DYNAMICS, 422, "?frction unknown_field", query={"frction": "false"}, body=GOOD_SAMPLE)
case("dynamics: unknown field asked for", DYNAMICS, 422, "?field enum", query={"field": "power"}, kind="application/x-npy",
     body=npy_write([[0.0] * 6]), headers={"Accept": "application/x-npy"})

# -- .npy --
ROW = [0.1, 0.2, 0.0, 0.0, 0.0, 0.0]
GOOD_NPY = npy_write([ROW] * 3)


def npy_header(text, data=b"", version=(1, 0)):
    head = text.encode()
    head += b" " * (-(10 + len(head) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(head)) + head + data


DATA = struct.pack("<18d", *ROW * 3)
for name, status, body, faults in (
    ("nothing", 400, b"", None),
    ("no magic", 400, b"NUMPY" + GOOD_NPY, None),
    ("JSON instead", 400, json.dumps(GOOD_SAMPLE).encode(), None),
    ("the magic alone", 400, GOOD_NPY[:6], None),
    ("cut in the header", 400, GOOD_NPY[:40], None),
    ("cut in the data", 400, GOOD_NPY[:-1], [" length"]),
    ("one row too few", 400, GOOD_NPY[:-48], [" length"]),
    ("bytes after the data", 400, GOOD_NPY + b"\0", [" length"]),
    ("version 4", 400, npy_write([ROW], version=(4, 0)), [" unsupported"]),
    ("a header that is no dict", 400, npy_header("[1, 2]", DATA), None),
    ("no shape", 400, npy_header("{'descr': '<f8', 'fortran_order': False}", DATA), None),
    ("an unknown key", 400, npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 6), 'x': 1}", DATA), None),
    ("a negative shape", 400, npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 6)}", DATA), None),
    ("a shape that overflows", 400,
     npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 6)}", DATA), [" length"]),
    ("big-endian", 422, npy_write([ROW], ">f8"), [" unsupported"]),
    ("integers", 422, npy_header("{'descr': '<i8', 'fortran_order': False, 'shape': (3, 6)}", DATA), [" unsupported"]),
    ("objects", 422, npy_header("{'descr': '|O', 'fortran_order': False, 'shape': (3, 6)}", DATA), [" unsupported"]),
    ("one dimension", 422, npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (18,)}", DATA), [" length"]),
    ("three dimensions", 422, npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 3)}", DATA), [" length"]),
    ("no rows", 422, npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 6)}"), [" length"]),
    ("a column too few", 422, npy_write([ROW[:5]] * 3), [" length"]),
    ("a column too many", 422, npy_write([ROW + [0.0]] * 3), [" length"]),
    ("NaN", 422, npy_write([ROW, ROW[:4] + [float("nan"), 0.0], ROW]), ["1,4 finite"]),
    ("Infinity", 422, npy_write([ROW, ROW, [float("-inf")] + ROW[1:]]), ["2,0 finite"]),
    ("two bad rows", 422, npy_write([[float("nan")] + ROW[1:], ROW, ROW[:5] + [float("inf")]]), ["0,0 finite", "2,5 finite"]),
    ("NaN in Fortran order", 422, npy_write([ROW, ROW[:4] + [float("nan"), 0.0], ROW], fortran=True), ["1,4 finite"]),
    ("NaN in single precision", 422, npy_write([ROW, ROW[:4] + [float("nan"), 0.0], ROW], "<f4"), ["1,4 finite"]),
):
    case(f"npy: {name}", DYNAMICS, status, *([" syntax"] if faults is None else faults), body=body,
         kind="application/x-npy", type="syntax" if status == 400 else "invalid")
case("npy: no such option", DYNAMICS, 422, "?wrench_frame enum", query={"wrench_frame": "world"}, body=GOOD_NPY, kind="application/x-npy")
case("npy: an option that is no truth", DYNAMICS, 422, "?friction type", query={"friction": "1"}, body=GOOD_NPY, kind="application/x-npy")

# -- CSV --
HEAD = "q1,q2,qd1,qd2,qdd1,qdd2\n"
for name, status, body, faults in (
    ("nothing", 400, "", None),
    ("a header alone", 422, HEAD, [" length"]),
    ("no header", 422, "0,0,0,0,0,0\n0,0,0,0,0,0\n", [" unknown_field"] * 6 + [" required"] * 6),
    ("an unknown column", 422, "q1,q2,qd1,qd2,qdd1,tau9\n0,0,0,0,0,0\n", [" unknown_field", " required"]),
    ("a column twice", 422, "q1,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n", [" duplicate"]),
    ("a column too few", 422, "q1,q2,qd1,qd2,qdd1\n0,0,0,0,0\n", [" required"]),
    ("a short line", 422, HEAD + "0,0,0,0,0,0\n0,0,0\n", ["1,3 length"]),
    ("a long line", 422, HEAD + "0,0,0,0,0,0,0\n", ["0,6 length"]),
    ("a word", 422, HEAD + "0,0,0,0,0,0\n0,0,abc,0,0,0\n", ["1,2 type"]),
    ("an empty cell", 422, HEAD + "0,,0,0,0,0\n", ["0,1 required"]),
    ("nan", 422, HEAD + "0,0,0,0,0,0\n0,0,0,0,nan,0\n", ["1,4 finite"]),
    ("inf", 422, HEAD + "inf,0,0,0,0,0\n", ["0,0 finite"]),
    ("1e999", 422, HEAD + "0,0,0,1e999,0,0\n", ["0,3 finite"]),
    ("a comma for a point", 422, HEAD + "0,5,0,0,0,0,0,0\n", ["0,6 length"]),
):
    case(f"csv: {name}", DYNAMICS, status, *([" syntax"] if faults is None else faults), body=body, kind="text/csv")

# -- trajectories --
each(GOOD_MOTION, MOTION, (
    ("unknown method", ("/method", "magic"), "/method enum"),
    ("no start", ("/start", REMOVED), "/start required"),
    ("no goal", ("/goal", REMOVED), "/goal required"),
    ("start without q", ("/start", {}), "/start/q required"),
    ("start of one number", ("/start/q", [0]), "/start/q length"),
    ("goal of no number", ("/goal/q", []), "/goal/q length"),
    ("start beyond the limits", ("/start/q", [-4, 0]), "/start/q/0 minimum"),
    ("goal beyond the limits", ("/goal/q", [0, 4]), "/goal/q/1 maximum"),
    ("waypoint beyond the limits", ("/waypoints", [{"q": [0, 0]}, {"q": [0, 3.1]}]), "/waypoints/1/q/1 maximum"),
    ("waypoint of a wrong field", ("/waypoints", [{"p": [0, 0]}]), ["/waypoints/0/p unknown_field", "/waypoints/0/q required"]),
    ("waypoint by joints and tool", ("/waypoints", [{"q": [0, 0], "tool": {"translation": [0.5, 0, 0]}, "task": ["x", "y"]}]), "/waypoints/0/tool inconsistent"),
    ("waypoint by a tool without a place", ("/waypoints", [{"tool": {"rpy": [0, 0, 0]}}]), "/waypoints/0/tool/translation required"),
    ("waypoint by a tool without an orientation", ("/waypoints", [{"tool": {"translation": [0.5, 0, 0]}}]), "/waypoints/0/tool/rpy required"),
    ("waypoint by a place in the plane", ("/waypoints", [{"tool": {"translation": [0.5, 0]}, "task": ["x", "y"]}]), "/waypoints/0/tool/translation length"),
    ("waypoint by a matrix", ("/waypoints", [{"tool": [[1, 0], [0, 1]]}]), "/waypoints/0/tool type"),
    ("goal by a tool that does nothing", ("/goal", {"tool": {}, "task": []}), "/goal/task length"),
    ("goal by a tool of null", ("/goal", {"tool": None}), "/goal/q required"),
    ("goal by the seventh component", ("/goal", {"tool": {"translation": [0.5, 0, 0]}, "task": ["x", "t"]}), "/goal/task/1 enum"),
    ("goal with a task for its joints", ("/goal/task", ["x"]), "/goal/task inconsistent"),
    ("start by a tool", ("/start", {"tool": {"translation": [0.5, 0, 0]}}), ["/start/tool unknown_field", "/start/q required"]),
    ("quintic on a line", ("/path", "line"), ["/path inconsistent", "/goal/tool required"]),
    ("a profile of a tool that stands", ("/tool_speed_max", 0), "/tool_speed_max minimum"),
    ("waypoints as an object", ("/waypoints", {}), "/waypoints type"),
    ("waypoints out of order", ("/waypoints", [{"q": [0, 0], "time": 1.5}, {"q": [0, 0], "time": 1}]), "/waypoints/1/time inconsistent"),
    ("waypoint after the end", ("/waypoints", [{"q": [0, 0], "time": 2}]), "/waypoints/0/time inconsistent"),
    ("waypoint before the start", ("/waypoints", [{"q": [0, 0], "time": -1}]), "/waypoints/0/time minimum"),
    ("1001 waypoints", ("/waypoints", [{"q": [0, 0]}] * 1001), "/waypoints length"),
    ("duration 0", ("/duration", 0), "/duration minimum"),
    ("negative duration", ("/duration", -1), "/duration minimum"),
    ("duration as a text", ("/duration", "2 s"), "/duration type"),
    ("sample rate 0", ("/sample_rate", 0), "/sample_rate minimum"),
    ("sample rate of a megahertz", ("/sample_rate", 1e6), "/sample_rate maximum"),
    ("limits the wrong way round", ("/limits", {"position": [[3, -3], None]}), "/limits/position/0 inconsistent"),
    ("a limit of 0", ("/limits", {"velocity": [0, 1]}), "/limits/velocity/0 minimum"),
    ("a limit too few", ("/limits", {"torque": [10]}), "/limits/torque length"),
    ("an unknown limit", ("/limits", {"snap": [1, 1]}), "/limits/snap unknown_field"),
    ("an unknown shaper", ("/shaper", {"type": "zz", "modes": [{"frequency_hz": 10}]}), "/shaper/type enum"),
    ("a shaper without modes", ("/shaper", {"type": "zv", "modes": []}), "/shaper/modes length"),
    ("five modes", ("/shaper", {"type": "zv", "modes": [{"frequency_hz": 10}] * 5}), "/shaper/modes length"),
    ("a mode of 0 Hz", ("/shaper", {"type": "zv", "modes": [{"frequency_hz": 0}]}), "/shaper/modes/0/frequency_hz minimum"),
    ("too much damping for EI", ("/shaper", {"type": "ei", "modes": [{"frequency_hz": 10, "damping": 0.5}]}), "/shaper/modes/0/damping inconsistent"),
    ("a tag that is a number", ("/tags", {"part": 7}), "/tags/part type"),
    ("a tag without a name", ("/tags", {"": "A7"}), "/tags/ length"),
    ("33 tags", ("/tags", {f"t{i}": "" for i in range(33)}), "/tags length"),
    ("a tag of 129 characters", ("/tags", {"part": "x" * 129}), "/tags/part length"),
    ("a job order of 129 characters", ("/job_order_id", "x" * 129), "/job_order_id length"),
))
each({name: value for name, value in GOOD_MOTION.items() if name != "method"}, MOTION, (
    ("optimal without duration", ("/duration", REMOVED), "/duration required"),
    ("optimal of free duration", ("/duration", None), "/duration required"),
    ("optimal in less than a millisecond", ("/duration", 0.0001), "/duration minimum"),
    ("optimal in more than 1000 s", ("/duration", 1001), "/duration maximum"),
    ("optimal through 65 waypoints", ("/waypoints", [{"q": [0.1, 0.1]}] * 65), "/waypoints length"),
    ("too few intervals for two waypoints", ("/waypoints", [{"q": [0.1, 0.1]}] * 2), ("/intervals", 11), "/intervals minimum"),
    ("a price of time below zero", ("/time_price", -1), "/time_price minimum"),
    ("a shortest and a given duration", ("/duration_min", 1), "/duration_min inconsistent"),
    ("the shortest above the longest", ("/duration", None), ("/duration_min", 2), ("/duration_max", 1), "/duration_max inconsistent"),
    ("time as the cost of a given time", ("/cost", {"model": "time"}), "/cost/model inconsistent"),
    ("electricity without drives", ("/cost", {"model": "electrical"}), ["/cost/model required"] * 2),
    ("a grid that nobody feeds", ("/cost", {"model": "torque", "grid_efficiency": 0.9}), "/cost/grid_efficiency inconsistent"),
    ("regeneration of torque", ("/cost", {"model": "torque", "regeneration": "grid"}), "/cost/regeneration inconsistent"),
    ("regeneration without drives", ("/cost", {"regeneration": "grid"}), ["/cost/model required"] * 2),
    ("a cost in money", ("/cost", {"model": "money"}), "/cost/model enum"),
    ("a weight too few", ("/cost", {"weights": [1]}), "/cost/weights length"),
    ("a weight of 0", ("/cost", {"weights": [1, 0]}), "/cost/weights/1 minimum"),
    ("7 intervals", ("/intervals", 7), "/intervals minimum"),
    ("2001 intervals", ("/intervals", 2001), "/intervals maximum"),
    ("no start of the search", ("/multistart", 0), "/multistart minimum"),
    ("65 starts of the search", ("/multistart", 65), "/multistart maximum"),
    ("half a seed", ("/seed", 0.5), "/seed type"),
    ("no time to search", ("/deadline", 0), "/deadline minimum"),
    ("no duration to compare", ("/durations", []), "/durations length"),
    ("65 durations to compare", ("/durations", [1] * 65), "/durations length"),
    ("a duration of no time", ("/durations", [1, 0]), "/durations/1 minimum"),
    ("a duration before a waypoint", ("/durations", [1, 0.2]), ("/waypoints", [{"q": [0.1, 0.1], "time": 0.3}]), "/durations/1 inconsistent"),
    ("durations where time is the cost", ("/durations", [1]), ("/duration", None), ("/cost", {"model": "time"}), "/durations inconsistent"),
    ("optimal of a tool that stands", ("/tool_speed_max", 0), "/tool_speed_max minimum"),
    ("a seed trajectory that is no id", ("/seed_trajectory", "first"), "/seed_trajectory pattern"),
))
each({**GOOD_MOTION, "method": "path_timing"}, MOTION, (
    ("a path with a seed", ("/seed", 1), "/seed inconsistent"),
    ("a path in several durations", ("/durations", [1]), "/durations inconsistent"),
    ("a path with passing times", ("/waypoints", [{"q": [0.1, 0.2], "time": 1}]), "/waypoints/0/time inconsistent"),
    ("a path without a price", ("/duration", None), "/duration required"),
    ("a path through space", ("/path", "spiral"), "/path enum"),
    ("a line of the joints", ("/path", "line"), "/goal/tool required"),
    ("a line with a corner", ("/path", "line"), ("/goal", {"tool": {"translation": [0.5, 0, 0]}, "task": ["x", "y"]}), ("/waypoints", [{"q": [0, 0]}]), "/waypoints length"),
    ("an arc without a point", ("/path", "arc"), ("/goal", {"tool": {"translation": [0.5, 0, 0]}, "task": ["x", "y"]}), "/waypoints length"),
    ("an arc by way of joints", ("/path", "arc"), ("/goal", {"tool": {"translation": [0.5, 0, 0]}, "task": ["x", "y"]}), ("/waypoints", [{"q": [0, 0]}]), "/waypoints/0/tool required"),
    ("an arc that turns on its way", ("/path", "arc"), ("/goal", {"tool": {"translation": [0.5, 0, 0]}, "task": ["x", "y"]}),
     ("/waypoints", [{"tool": {"translation": [0.5, 0.1, 0], "rpy": [0, 0, 0]}}]), "/waypoints/0/task inconsistent"),
    ("a tolerance of the joints", ("/path_tolerance", 1e-4), "/path_tolerance inconsistent"),
    ("a tolerance of nothing", ("/path_tolerance", 0), "/path_tolerance minimum"),
    ("a tool that stands", ("/tool_speed_max", 0), "/tool_speed_max minimum"),
    ("a tool that goes back", ("/tool_speed_max", -1), "/tool_speed_max minimum"),
    ("a shaped line", ("/path", "line"), ("/goal", {"tool": {"translation": [0.5, 0, 0]}, "task": ["x", "y"]}),
     ("/shaper", {"type": "zv", "modes": [{"frequency_hz": 10}]}), "/shaper inconsistent"),
))
GOOD_LOG = {"t": [0, 0.1], "q": [[0, 0], [0, 0]], "qd": [[0, 0], [0, 0]]}
ESTIMATES = "POST /v1/robots/arm/energy-estimates"
each(GOOD_LOG, ESTIMATES, (
    ("a log without times", ("/t", REMOVED), "/t required"),
    ("a log without velocities", ("/qd", REMOVED), "/qd required"),
    ("one sample", ("/t", [0]), ("/q", [[0, 0]]), ("/qd", [[0, 0]]), "/t length"),
    ("times that stand", ("/t", [0.1, 0.1]), "/t/1 inconsistent"),
    ("a velocity too few", ("/qd", [[0, 0]]), "/qd length"),
    ("one position for all", ("/q", [0, 0]), "/q type"),
    ("a time that is a text", ("/t", [0, "1"]), "/t/1 type"),
    ("times as a number", ("/t", 1), "/t type"),
    ("torques and currents", ("/tau", [[0, 0]] * 2), ("/current", [[0, 0]] * 2), "/current inconsistent"),
    ("a trajectory and a log", ("/trajectory", NOBODY), ["/t inconsistent", "/q inconsistent", "/qd inconsistent"]),
    ("a dataset and a log", ("/dataset", NOBODY), ["/t inconsistent", "/q inconsistent", "/qd inconsistent"]),
    ("a cutoff for a log", ("/cutoff_hz", 10), "/cutoff_hz inconsistent"),
    ("a cutoff below zero", ("/cutoff_hz", -1), "/cutoff_hz minimum"),
    ("an unknown regeneration", ("/regeneration", "magic"), "/regeneration enum"),
    ("a grid that nobody feeds", ("/grid_efficiency", 0.5), "/grid_efficiency inconsistent"),
    ("a robot without drives", " required"),
))
case("estimate: nothing", ESTIMATES, 422, "/t required", "/q required", "/qd required", body={})
case("estimate: an unknown trajectory", ESTIMATES, 422, "/trajectory inconsistent", body={"trajectory": NOBODY})
case("estimate: options beside a JSON body", ESTIMATES, 422, "?regeneration inconsistent", body=GOOD_LOG, query={"regeneration": "none"})
case("estimate: a column too few", ESTIMATES, 422, " required", body="t,q1,q2,qd1\n0,0,0,0\n1,0,0,0\n", kind="text/csv")
case("estimate: half of the torques", ESTIMATES, 422, " required", body="t,q1,q2,qd1,qd2,tau1\n0,0,0,0,0,0\n1,0,0,0,0,0\n", kind="text/csv")
case("estimate: an unknown regeneration of CSV", ESTIMATES, 422, "?regeneration enum", body="t,q1,q2,qd1,qd2\n0,0,0,0,0\n1,0,0,0,0\n",
     kind="text/csv", query={"regeneration": "magic"})
case("estimate: a grid that nobody feeds, of CSV", ESTIMATES, 422, "?grid_efficiency inconsistent", body="t,q1,q2,qd1,qd2\n0,0,0,0,0\n1,0,0,0,0\n",
     kind="text/csv", query={"regeneration": "shared_bus", "grid_efficiency": 0.5})
case("estimate: a dataset that is no id", ESTIMATES, 422, "/dataset pattern", body={"dataset": "first"})
case("estimate: a trajectory and a dataset", ESTIMATES, 422, "/dataset inconsistent", body={"trajectory": NOBODY, "dataset": NOBODY})
for name, rows, query, fault in (
    ("six columns", [[0] * 6, [1] * 6], {}, " length"),
    ("fields of other columns", [[0] * 5, [1] * 5], {"fields": "t,q,qd,i"}, " length"),
    ("an unknown field", [[0] * 5, [1] * 5], {"fields": "t,q,speed"}, "?fields enum"),
    ("a field twice", [[0] * 5, [1] * 5], {"fields": "t,q,q"}, "?fields enum"),
    ("no velocities", [[0] * 5, [1] * 5], {"fields": "t,q,tau"}, "/qd required"),
    ("a number that is none", [[0, 0, 0, 0, 0], [1, 0, float("nan"), 0, 0]], {}, "1,2 finite"),
    ("a number beyond all", [[0, 0, 0, 0, 0], [1, 0, 0, 0, 1e13]], {}, "1,4 maximum"),
    ("one row", [[0] * 5], {}, "/t length"),
    ("times that stand", [[1] * 5, [1] * 5], {}, "/t/1 inconsistent"),
    ("a grid that nobody feeds", [[0] * 5, [1] * 5], {"grid_efficiency": 0.5}, "?grid_efficiency inconsistent"),
):
    case(f"estimate of .npy: {name}", ESTIMATES, 422, fault, body=npy_write(rows), kind="application/x-npy", query=query)
case("estimate: fields of CSV", ESTIMATES, 422, "?fields unsupported", body="t,q1,q2,qd1,qd2\n0,0,0,0,0\n1,0,0,0,0\n", kind="text/csv", query={"fields": "t,q,qd"})
case("estimate: .npy cut off", ESTIMATES, 400, " length", body=npy_write([[0] * 5] * 2)[:-3], kind="application/x-npy", type="syntax")
case("trajectory: a quintic with intervals", MOTION, 422, "/intervals inconsistent", body=put(GOOD_MOTION, ("/intervals", 50)))
case("trajectory: more samples than are kept", MOTION, 422, "/sample_rate maximum", body=put(GOOD_MOTION, ("/duration", 1e5)))
case("trajectory: free duration without limits", "POST /v1/robots/bare/trajectories", 422, "/limits/velocity required",
     "/limits/acceleration required", body={"method": "trapezoid", "start": {"q": [0]}, "goal": {"q": [1]}, "duration": None})
case("trajectory: .npy is not taken", MOTION, 415, body=GOOD_NPY, kind="application/x-npy", type="unsupported-media-type")
case("trajectory: unknown", f"GET /v1/trajectories/{NOBODY}", 404, type="not-found")
case("trajectory: no id", "GET /v1/trajectories/first", 404, type="not-found")
case("trajectory: unknown samples", f"GET /v1/trajectories/{NOBODY}/samples", 404, type="not-found")
case("trajectory: unknown report", f"GET /v1/trajectories/{NOBODY}/report", 404, type="not-found")
case("trajectory: a report as JSON", "GET /v1/trajectories/{trajectory}/report", 406, headers={"Accept": "application/json"}, type="not-acceptable")
case("trajectory: unknown to delete", f"DELETE /v1/trajectories/{NOBODY}", 404, type="not-found")
case("samples: rate 0", "GET /v1/trajectories/{trajectory}/samples", 422, "?rate minimum", query={"rate": 0})
case("samples: rate that is no number", "GET /v1/trajectories/{trajectory}/samples", 422, "?rate type", query={"rate": "fast"})
case("samples: rate beyond all", "GET /v1/trajectories/{trajectory}/samples", 422, "?rate maximum", query={"rate": 1e9})
case("samples: an unknown field", "GET /v1/trajectories/{trajectory}/samples", 422, "?fields enum", query={"fields": "q,current"})
case("samples: the end before the start", "GET /v1/trajectories/{trajectory}/samples", 422, "?to inconsistent", query={"from": 1, "to": 0.5})
case("samples: as XML", "GET /v1/trajectories/{trajectory}/samples", 406, headers={"Accept": "application/xml"}, type="not-acceptable")

# -- jobs --
case("job: unknown", f"GET /v1/jobs/{NOBODY}", 404, type="not-found")
case("job: no id", "GET /v1/jobs/..%2f..%2fetc", 404, type="not-found")
case("job: unknown to cancel", f"POST /v1/jobs/{NOBODY}/cancel", 404, type="not-found")
case("job: ended already", "POST /v1/jobs/{job}/cancel", 409, type="conflict")

# -- controllers --
PROFILE = "/profile"
AXES = [{"joint": "j1", "axis": 1, "rated_torque": 50}, {"joint": "j2", "axis": 2, "rated_torque": 50}]
each(GOOD_CONTROLLER, CONTROLLERS, (
    ("no host", ("/host", REMOVED), "/host required"),
    ("no robot", ("/robot", REMOVED), "/robot required"),
    ("no profile", ("/profile", REMOVED), "/profile required"),
    ("port 0", ("/port", 0), "/port minimum"),
    ("port 70000", ("/port", 70000), "/port maximum"),
    ("port of a half", ("/port", 502.5), "/port type"),
    ("unit 256", ("/unit", 256), "/unit maximum"),
    ("host of two words", ("/host", "cell 4"), "/host pattern"),
    ("empty host", ("/host", ""), "/host pattern"),
    ("unknown protocol", ("/profile/protocol", "profinet"), "/profile/protocol enum"),
    ("base beyond the registers", ("/profile/base", 65500), "/profile/base maximum"),
    ("negative base", ("/profile/base", -1), "/profile/base minimum"),
    ("start tolerance 0", ("/profile/start_tolerance", 0), "/profile/start_tolerance minimum"),
    ("a truth as a text", ("/profile/allow_start", "no"), "/profile/allow_start type"),
    ("unknown field", ("/profile/allow_everything", True), "/profile/allow_everything unknown_field"),
    ("unknown link loss", ("/profile/on_link_loss", "ignore"), "/profile/on_link_loss enum"),
    ("a joint twice", ("/profile/axes", put(AXES, ("/1/joint", "j1"))), ["/profile/axes/1/joint duplicate"]),
    ("an axis twice", ("/profile/axes", put(AXES, ("/1/axis", 1))), ["/profile/axes/1/axis duplicate"]),
    ("axis 0", ("/profile/axes", put(AXES, ("/0/axis", 0))), "/profile/axes/0/axis minimum"),
    ("sign 2", ("/profile/axes", put(AXES, ("/0/sign", 2))), "/profile/axes/0/sign maximum"),
    ("sign 0", ("/profile/axes", put(AXES, ("/0/sign", 0))), "/profile/axes/0/sign minimum"),
    ("scale 0", ("/profile/axes", put(AXES, ("/0/position_scale", 0))), "/profile/axes/0/position_scale minimum"),
    ("rated torque 0", ("/profile/axes", put(AXES, ("/0/rated_torque", 0))), "/profile/axes/0/rated_torque minimum"),
    ("eleven axes", ("/profile/axes", [{"joint": f"j{i}", "axis": i} for i in range(1, 12)]), "/profile/axes length"),
    ("no axis", ("/profile/axes", []), "/profile/axes length"),
    ("a negative limit", ("/profile/limits", {"torque": [-1, 1]}), "/profile/limits/torque/0 minimum"),
    ("a joint that the robot does not have", ("/profile/axes", put(AXES, ("/1/joint", "j9"))), ["/profile/axes/1/joint inconsistent", "/profile/axes required"]),
    ("a joint left out", ("/profile/axes", AXES[:1]), "/profile/axes required"),
    ("limits of one joint", ("/profile/limits", {"torque": [1]}), ["/profile/limits/torque length"]),
    ("unknown robot", ("/robot", "nobody"), "/robot inconsistent"),
    ("unknown revision", ("/revision", 99), "/revision inconsistent"),
    ("revision 0", ("/revision", 0), "/revision minimum"),
    ("unknown alias", ("/revision", "newest"), "/revision enum"),
))
case("controller: a revision of an unknown robot", CONTROLLERS, 422, "/robot inconsistent", type="invalid",
     body=put(GOOD_CONTROLLER, ("/robot", "nobody"), ("/revision", 3)))
case("controller: name exists", CONTROLLERS, 409, type="conflict", body=put(GOOD_CONTROLLER, ("/name", "cell")))
case("controller: no torque limit to rate by", CONTROLLERS, 422, "/profile/limits/torque required", body=put(GOOD_CONTROLLER, ("/robot", "bare")))
case("controller: unknown", "GET /v1/controllers/nobody", 404, type="not-found")
case("controller: status of an unknown one", "GET /v1/controllers/nobody/status", 404, type="not-found")
case("controller: PUT without If-Match", "PUT /v1/controllers/cell", 428, type="precondition-required", body=put(GOOD_CONTROLLER, ("/name", "cell")))
case("controller: PUT of an old state", "PUT /v1/controllers/cell", 412, type="stale", headers={"If-Match": '"0"'}, body=put(GOOD_CONTROLLER, ("/name", "cell")))
case("controller: DELETE without If-Match", "DELETE /v1/controllers/cell", 428, type="precondition-required")
case("controller: stop of an unknown one", "POST /v1/controllers/nobody/stop", 404, type="not-found")

# -- transfers --
each(GOOD_TRANSFER, TRANSFERS, (
    ("no trajectory", ("/trajectory", REMOVED), "/trajectory required"),
    ("a trajectory that is no id", ("/trajectory", "first"), "/trajectory pattern"),
    ("unknown trajectory", ("/trajectory", NOBODY), "/trajectory inconsistent"),
    ("unknown mode", ("/mode", "teleport"), "/mode enum"),
    ("unknown format", ("/format", "ascii"), "/format enum"),
    ("rate 0", ("/rate", 0), "/rate minimum"),
    ("a period of no whole microsecond", ("/rate", 333), "/rate inconsistent"),
    ("torque alone, not allowed", ("/format", "torque"), "/format unsupported"),
    ("start_before that is no time", ("/start_before", "soon"), "/start_before pattern"),
    ("unknown field", ("/speed", 1), "/speed unknown_field"),
))
case("transfer: start without a key", TRANSFERS, 400, "@Idempotency-Key required", type="bad-request",
     body={"trajectory": "{trajectory}", "start": True, "start_before": "2099-01-01T00:00:00Z"})
case("transfer: start without a latest moment", TRANSFERS, 422, "/start_before required", headers={"Idempotency-Key": "k1"},
     body={"trajectory": "{trajectory}", "start": True})
case("transfer: to an unknown controller", "POST /v1/controllers/nobody/transfers", 404, type="not-found", body=GOOD_TRANSFER)
case("transfer: unknown", f"GET /v1/transfers/{NOBODY}", 404, type="not-found")
case("transfer: arm an unknown one", f"POST /v1/transfers/{NOBODY}/arm", 404, type="not-found")
case("transfer: stop an unknown one", f"POST /v1/transfers/{NOBODY}/stop", 404, type="not-found")

# -- paths, methods, formats, sizes --
for name, path in (("nothing here", "/v1/nothing"), ("no version", "/robots"), ("a slash too many", "/v1/robots/"),
                   ("two slashes", "/v1//robots"), ("upper case", "/V1/robots"), ("dots", "/v1/robots/../robots"),
                   ("deeper", "/v1/robots/arm/inverse-dynamics/more")):
    case(f"path: {name}", f"GET {path}", 404, type="not-found")
case("path: a bad escape", "GET /v1/robots/%zz", 400, type="bad-request")
case("path: a NUL", "GET /v1/robots/a%00b", 400, type="bad-request")
for call in ("DELETE /v1/robots", "PATCH /v1/robots/arm", "GET /v1/robots/arm/inverse-dynamics", "PUT /healthz",
             "POST /v1/jobs", "DELETE /v1/jobs/x", "PUT /v1/transfers/x", "GET /v1/controllers/cell/stop"):
    case(f"method: {call}", call, 405, type="method-not-allowed")
case("format: no Content-Type", DYNAMICS, 415, body=json.dumps(GOOD_SAMPLE), headers={"Content-Type": None}, type="unsupported-media-type")
for kind in ("text/plain", "application/xml", "application/x-www-form-urlencoded", "application/jsonx", "json",
             "application/json; charset=latin1"):
    case(f"format: Content-Type {kind}", DYNAMICS, 415, body=json.dumps(GOOD_SAMPLE), kind=kind, type="unsupported-media-type")
case("format: a spreadsheet for a model", ROBOTS, 415, body="a\tb\n", kind="application/vnd.ms-excel", type="unsupported-media-type")
for accept in ("text/html", "application/xml", "application/json;q=0", "image/*"):
    case(f"format: Accept {accept}", DYNAMICS, 406, body=GOOD_SAMPLE, headers={"Accept": accept}, type="not-acceptable")
case("size: a URL of 9000 characters", "GET /v1/robots?cursor=" + "c" * 9000, 414, type="uri-too-long")
case("size: a model of 2 MiB", ROBOTS, 413, body=json.dumps(put(GOOD_MODEL, ("/description", "x" * (2 << 20)))), type="too-large")
case("size: a motion of 2 MiB", MOTION, 413, body=" " * (2 << 20), type="too-large")
case("size: headers of 20 kB", "GET /v1/robots", 431, headers={f"X-Filler-{i}": "f" * 1000 for i in range(20)})


@pytest.fixture(scope="module")
def world():
    """A service with two arms, a trajectory and a controller that nobody answers for."""
    with Server() as server, server.client() as client:
        client.post("/v1/robots", put(GOOD_MODEL, ("/name", "arm"))).expect(201)
        bare = put(GOOD_MODEL, ("/name", "bare"), ("/joints", GOOD_MODEL["joints"][:1]), ("/joints/0/limits", REMOVED))
        client.post("/v1/robots", bare).expect(201)
        names = {}

        def name(placeholder):
            if placeholder not in names:
                if placeholder in ("trajectory", "job"):
                    job = client.wait_job(client.post("/v1/robots/arm/trajectories", GOOD_MOTION, headers={"Prefer": "wait=30"}))
                    names.update(job=job["id"], trajectory=job["result"]["href"].rsplit("/", 1)[1])
                else:
                    controller = put(GOOD_CONTROLLER, ("/name", "cell"), ("/port", free_port()))
                    client.post("/v1/controllers", controller).expect(201)
                    names["cell"] = "cell"
            return names[placeholder]
        yield server, client, name


def fill(value, name):
    """Puts the fixture's ids where {trajectory} and {job} stand; makes the controller when a case needs it."""
    if isinstance(value, str):
        for placeholder in ("trajectory", "job"):
            if "{" + placeholder + "}" in value:
                value = value.replace("{" + placeholder + "}", name(placeholder))
    elif isinstance(value, dict):
        return {key: fill(item, name) for key, item in value.items()}
    return value


def place_and_code(fault):
    """A fault in the words of the table."""
    for key, mark in (("pointer", ""), ("parameter", "?"), ("header", "@")):
        if key in fault:
            return f"{mark}{fault[key]} {fault['code']}"
    return f"{fault['row']},{fault['column']} {fault['code']}"


def test_there_are_enough_cases_and_each_has_a_name():
    names = [c.name for c in CASES]
    assert len(CASES) >= 200
    assert not [name for name in names if names.count(name) > 1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input(world, case):
    server, client, name = world
    method, path = case.call.split(" ", 1)
    if "/cell" in path or "cell" in json.dumps(case.body if isinstance(case.body, dict) else ""):
        name("cell")
    body = fill(case.body, name)
    if isinstance(body, (dict, list)):
        body = json.dumps(body)
    answer = client.request(method, fill(path, name), body=body, content_type=case.kind, query=case.query, headers=case.headers)
    assert isinstance(answer, Answer) and answer.status == case.status, repr(answer)
    problem = answer.json
    if case.type:
        assert problem["type"] == f"/problems/{case.type}", repr(answer)
    assert sorted(map(place_and_code, problem.get("errors", []))) == sorted(case.faults), repr(answer)
    for fault in problem.get("errors", []):
        assert len(fault["detail"]) > 5, repr(answer)
    assert client.get("/healthz").status == 200 and server.running


def test_all_faults_are_counted_and_a_hundred_listed(world):
    _, client, _ = world
    problem = client.post("/v1/robots", put(GOOD_MODEL, *((f"/unknown_{i}", i) for i in range(120)))).expect(422).json
    assert problem["error_count"] == 120 and len(problem["errors"]) == 100
    assert {f["code"] for f in problem["errors"]} == {"unknown_field"}


def test_a_body_announced_too_large_is_refused_early(world):
    """The answer comes though the body never does."""
    server, _, _ = world
    with server.connect(10) as s:
        s.sendall(b"POST /v1/robots/arm/inverse-dynamics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-npy\r\n"
                  b"Content-Length: 1073741824\r\n\r\n")
        assert s.recv(100).startswith(b"HTTP/1.1 413")
