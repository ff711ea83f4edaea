"""A gripper of a foreign controller (foreign/gripper.py): how its entry names it, and what its ledger says of who moved on."""

REST = 0.8  # s, of which the gateway needs 0.25 for itself
CLOSED, OPEN = ({"name": "gripper", "value": value} for value in ("closed", "open"))
VALUES = {"open": 0, "closed": 1}


def outputs(asked=10, became=11, **more):
    """A map that has a gripper, beside the registers of the protocol."""
    fields = [{"name": "grip", "address": asked, "type": "uint16", "access": "read_write"}, {"name": "gripped", "address": became, "type": "uint16"}]
    values = [{"name": name, "write": number, "confirmed": number} for name, number in VALUES.items()]
    return {"fields": fields, "outputs": [{"name": "gripper", "field": "grip", "confirmed_by": "gripped", "values": values}], **more}


def move(to, duration=0.15, **more):
    return {"to": {"q": to}, "duration": duration, "objective": "smooth", **more}


def rest(setting, dwell=REST):
    return {"output": setting, "dwell": dwell}


def moments(told, what):
    """(value, time in the motion) of everything that was asked of the gripper, or that it became."""
    return [(one["value"], one["path"]) for one in told["gripper"] if one["what"] == what]


def moved_on_wrongly(told, motion, steps):
    """The first rest beyond which a motion of these steps went though the gripper was not as it was to be, or None."""
    ends = 0.0
    for step in steps:
        ends += step.get("dwell") or step["duration"]
        if "output" not in step or motion["path"] <= ends + 0.01:
            continue
        state = 0
        for one in told["gripper"]:
            before = one["profile"] != motion["profile"] and one["at"] < motion["began"]
            within = one["profile"] == motion["profile"] and one["path"] <= ends
            if one["what"] == "became" and (before or within):
                state = one["value"]
        if state != VALUES[step["output"]["value"]]:
            return step
    return None
