"""What the sensors of the arm say: it follows its profile, as far as it is not told otherwise by flags."""

import struct


class Sensors:
    def __init__(self, options):
        self.lag = options.lag * 1000   # µs that positions are behind the path
        self.limp = options.limp        # no torque where a joint would brake
        axis, _, rest = options.bump.partition(":")
        at, _, torque = rest.partition(":")
        self.bump = (int(axis) - 1, float(at) * 1e6, float(torque)) if options.bump else None

    def of(self, program):
        """Torques and positions of ten axes, of where the motion is on its path."""
        torques, positions = [0.0] * 10, list(program.position)
        if not program.motion.passed or program.format == 1:
            return torques, positions
        now, step = self.at(program, program.motion.at), self.at(program, program.motion.at - 1000)
        behind = self.at(program, program.motion.at - self.lag)
        for k, axis in enumerate(program.axes):
            if program.format == 2:
                torques[axis] = now[k]
                continue
            positions[axis], torques[axis] = behind[2 * k], now[2 * k + 1]
            if self.limp and torques[axis] * (now[2 * k] - step[2 * k]) < 0:
                torques[axis] = 0.0
        if self.bump and abs(program.motion.at - self.bump[1]) < 20000:
            torques[self.bump[0]] += self.bump[2]
        return torques, positions

    @staticmethod
    def at(program, us):
        """A sample of this moment of the path, linear between those that are held."""
        place = max(us / program.period, program.store.first)
        k = min(int(place), len(program.store) - 1)
        two = [struct.unpack(f">{len(sample) // 4}f", sample) for sample in (program.store[k], program.store[min(k + 1, len(program.store) - 1)])]
        return [a + (place - k) * (b - a) for a, b in zip(*two)]
