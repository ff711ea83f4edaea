"""What may go wrong, by name: `kind@step` strikes the step-th request of the first master, `kind` alone always holds."""

WIRE = {"delay", "late", "drop", "cut", "truncate", "duplicate", "transaction", "exception", "busy", "path", "address", "restart",
        "restart-kept", "torn", "stale", "reorder", "mute"}
COMMANDS = {"lost-arm": 3, "lost-start": 4, "lost-stop": 7, "lost-commit": 2}
EXCEPTIONS = {"exception": 4, "busy": 6, "path": 11, "address": 2}
ALWAYS = {
    "torn-always",     # every write may be cut in two by a scan, and every answer holds two moments
    "ghost",           # takes windows of the profile before
    "wrong-checksum",  # the checksum that it tells is not that of what it holds
    "stores-zeros",    # finds nothing wrong, and holds nothing but zeros
    "start-delayed",   # begins to move 1 s after it said so
    "start-late",      # sees START 1 s late
    "fast-clock", "slow-clock",  # by a tenth
    # What a program may do wrong, for the conformance test to find:
    "ignores-profile", "ignores-time", "ignores-check", "ignores-heartbeat", "counts-all-heartbeats", "ignores-axes", "ignores-start-position",
    "takes-torn-windows", "takes-any-offset", "clears-places", "swaps", "twice", "any-state", "same-instance", "early-number", "ends-early",
    "ignores-epoch", "measures-uptime", "answers-all-by-commit", "forgets-commit",
}


class Faults:
    def __init__(self, asked):
        self.at, self.always, self.lost, self.second, self.struck = {}, set(), {}, {}, 0
        for text in asked:
            kind, _, step = text.partition("@")
            if kind in WIRE:
                self.at[int(step)] = kind
            elif kind in COMMANDS:
                self.lost[COMMANDS[kind]] = kind
            elif kind == "second":
                number, _, what = step.partition(":")
                self.second[int(number)] = what
            elif kind in ALWAYS:
                self.always.add(kind)
            else:
                raise ValueError(f"no fault {text}")

    def __contains__(self, kind):
        return kind in self.always

    def strike(self, step):
        """The kind that strikes this request, once."""
        kind = self.at.pop(step, None)
        self.struck += kind is not None
        return kind

    def loses(self, at, words):
        """Whether this write of a command never reaches the program: the first of its kind."""
        kind = self.lost.pop(words[0], None) if at == 20 and words else None
        self.struck += kind is not None
        return kind is not None
