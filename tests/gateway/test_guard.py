"""The cell that a controller stands in, held against a motion by the process that sends it, and again when the cell changes."""

from cell import Cell, puma, registers, trace
from support import robot, unique_name, until

FLOOR = {"name": "floor", "half_space": {"normal": [0, 0, 1], "offset": -3}}
BALL = {"sphere": {"center": [0, 0, 0], "radius": 0.03}}
START, MIDDLE = [-1, -0.5, 0.5, 0, 0, 0], [0, -0.5, 0.5, 0, 0, 0]
SWING = {"start": {"q": START}, "goal": {"q": [1, -0.5, 0.5, 0, 0, 0]}, "duration": 6}


MODEL = {**robot("puma560"), "tool": {"translation": [0, 0, 0], "rpy": [0, 0, 0], "bodies": [BALL]}}


class Guarded(Cell):
    """A controller in a cell of its own, whose bodies are exchanged."""

    def __init__(self, server, sim, **profile):
        super().__init__(server, sim, MODEL, start_tolerance=0.002, following_error=0.001, **profile)
        self.around = unique_name("around")
        self.client.post("/v1/cells", {"name": self.around, "bodies": [FLOOR]}).expect(201)
        etag = self.client.get(f"/v1/controllers/{self.name}").headers["ETag"]
        self.client.put(f"/v1/controllers/{self.name}", self.document(cell=self.around), headers={"If-Match": etag}).expect(200)

    def put(self, *bodies):
        etag = self.client.get(f"/v1/cells/{self.around}").headers["ETag"]
        self.client.put(f"/v1/cells/{self.around}", {"name": self.around, "bodies": [FLOOR, *bodies]}, headers={"If-Match": etag}).expect(200)

    def post_at(self, q):
        """A post where the tool is in a state."""
        tool = self.client.post(f"/v1/robots/{self.robot}/forward-kinematics", {"q": q}).expect(200).json["tool"]
        return {"name": "post", "box": {"size": [0.1, 0.1, 0.1], "translation": [row[3] for row in tool[:3]]}}

    def ended(self, transfer):
        until(lambda: self.get(transfer)["state"] == "failed", what="the transfer to fail")
        return self.get(transfer)


def test_a_transfer_that_was_loaded_before_the_cell_changed_does_not_move(shared):
    """Ready, armed for a PLC, and armed for START: the post that comes then ends each of them, and no sample is played."""
    with puma(model=MODEL) as sim:
        here = Guarded(shared, sim)
        motion = here.trajectory(**SWING)
        ready = here.loaded(motion)
        assert f"clear of cell '{here.around}' (revision 1)" in here.get(ready)["history"][2]["reason"]
        here.put(here.post_at(MIDDLE))
        failed = here.ended(ready)
        assert failed["problem"]["type"] == "/problems/limit-exceeded" and failed["started_at"] is None
        assert "(revision 2): tool may touch post at " in failed["problem"]["detail"]
        here.put()
        armed = here.loaded(motion)
        here.arm(armed)
        here.put(here.post_at(MIDDLE))
        answer = here.start(armed)  # whoever is first: START finds the cell as it is now
        assert answer.status == 409, answer.body
        assert here.ended(armed)["started_at"] is None
        assert here.transfer(motion).expect(422).json["type"] == "/problems/limit-exceeded"
        here.put({"name": "far", "sphere": {"center": [5, 5, 5], "radius": 0.1}})
        gone = here.loaded(motion)
        etag = here.client.get(f"/v1/cells/{here.around}").headers["ETag"]
        here.client.delete(f"/v1/cells/{here.around}", headers={"If-Match": etag}).expect(204)
        assert here.ended(gone)["problem"]["detail"].endswith("is gone")
        assert not sim.trace_path.exists() or trace(sim.trace_path) == []


def test_a_cell_that_changes_elsewhere_stops_nothing(shared):
    with puma(model=MODEL) as sim:
        here = Guarded(shared, sim)
        motion = here.trajectory(**{**SWING, "duration": 2})
        transfer = here.loaded(motion)
        here.put({"name": "far", "sphere": {"center": [5, 5, 5], "radius": 0.1}})
        here.arm(transfer)
        here.put({"name": "farther", "sphere": {"center": [6, 5, 5], "radius": 0.1}})
        here.start(transfer).expect(202)
        here.reach(transfer, "done")


def test_a_motion_that_is_held_goes_on_only_past_what_has_come(shared):
    """A post where the arm has been does not matter; one where it is still to go keeps it held, and when that is gone it goes on."""
    with puma(model=MODEL) as sim:
        here = Guarded(shared, sim)
        transfer = here.playing(here.trajectory(**SWING))
        until(lambda: registers(sim.port, 1066, 1)[0] > 3200, what="half of the swing")
        here.client.post(f"/v1/transfers/{transfer}/hold").expect(202)
        here.reach(transfer, "holding")

        def resume():
            return here.client.post(f"/v1/transfers/{transfer}/resume", headers={"Idempotency-Key": unique_name("key")})
        here.put(here.post_at(SWING["goal"]["q"]))
        refused = resume().expect(409).json
        assert refused["type"] == "/problems/controller-refused" and "tool may touch post" in refused["detail"]
        assert here.get(transfer)["state"] == "holding"
        here.put(here.post_at(SWING["start"]["q"]))
        resume().expect(202)
        here.reach(transfer, "done")


def test_touches_of_a_transfer_hold_for_the_cell_that_comes_later(shared):
    """The post may be touched while the arm is there, whichever revision of the cell it is of; a cell without it cannot be told."""
    with puma(model=MODEL) as sim:
        here = Guarded(shared, sim)
        post = here.post_at(MIDDLE)
        here.put(post)
        motion = here.trajectory(**SWING)
        window = [{"bodies": ["tool", "post"], "from": 2, "to": 4, "depth_max": 1}]
        transfer = here.loaded(motion, touches=window)
        here.put(post, {"name": "far", "sphere": {"center": [5, 5, 5], "radius": 0.1}})
        here.arm(transfer)
        here.put({**post, "box": {"size": [0.8, 0.8, 0.1], "translation": post["box"]["translation"]}})  # wider than the window is long
        assert "tool may touch post" in here.ended(transfer)["problem"]["detail"]
        here.put(post)
        transfer = here.loaded(motion, touches=window)
        here.put()
        assert here.ended(transfer)["problem"]["type"] == "/problems/conflict"


def test_a_controller_stands_where_it_stood_while_it_holds_a_transfer(shared):
    """So nothing that was held against one cell begins in another: not before START, and not while it moves."""
    with puma(model=MODEL) as sim:
        here = Guarded(shared, sim)
        other = unique_name("other")
        here.client.post("/v1/cells", {"name": other, "bodies": [FLOOR, here.post_at(MIDDLE)]}).expect(201)
        held = here.loaded(here.trajectory(**SWING))

        def moved_elsewhere():
            etag = here.client.get(f"/v1/controllers/{here.name}").headers["ETag"]
            return here.client.put(f"/v1/controllers/{here.name}", here.document(cell=other), headers={"If-Match": etag})
        for step in (lambda: None, lambda: here.arm(held), lambda: here.start(held).expect(202)):
            step()
            refused = moved_elsewhere().expect(409).json
            assert refused["type"] == "/problems/lease-held" and held in refused["detail"]
        here.client.post(f"/v1/transfers/{held}/stop").expect(200)
        until(lambda: here.get(held)["finished_at"], what="the transfer to end")
        moved_elsewhere().expect(200)
        assert here.transfer(here.trajectory(**SWING)).expect(422).json["type"] == "/problems/limit-exceeded"
