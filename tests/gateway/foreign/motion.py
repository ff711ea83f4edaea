"""How the controller plays: path time runs on its own clock, and comes to rest and back to speed by ramps."""

RAMP_US = 100_000  # from full speed to rest


class Motion:
    """The position on the path of a profile in µs, and how fast it advances: 1 is the profile's own speed."""

    def __init__(self, period):
        self.period, self.at, self.speed, self.target = period, 0.0, 0.0, 0.0
        self.passed = 0  # samples that were given to the drives

    def go(self, at_once=False):
        self.target = 1.0
        self.speed = 1.0 if at_once else self.speed

    def rest(self):
        self.target = 0.0

    @property
    def resting(self):
        return self.speed == 0 and self.target == 0

    def braking_us(self):
        """How much of the path is needed to come to rest."""
        return self.speed ** 2 * RAMP_US / 2

    def advance(self, us, end):
        """A scan of `us` later, never beyond path time `end`; the number of samples that are due by then."""
        step = us / RAMP_US
        before = self.speed
        self.speed = min(self.target, before + step) if self.target > before else max(self.target, before - step)
        self.at = min(self.at + (before + self.speed) / 2 * us, end)
        return int(self.at // self.period) + 1
