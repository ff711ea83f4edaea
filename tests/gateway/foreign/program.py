"""The controller's program: its state machine, one scan at a time, by the table of register protocol v2."""

import struct
import zlib

from .motion import Motion
from .sensors import Sensors
from .words import (AHEAD_US, ARM, ARMED, AT_ONCE, AXES, BEGIN, CAN_HOLD, CAN_STREAM, CLEAR, COMMIT, CRC, DONE, EMPTY, EPOCH, EPOCHS, FAULT,
                    FORMAT, HEARTBEAT, HOLD, HOLDING, LATE, LOADING, MAGIC, MEASURES, NOT_ALLOWED, PLACE, PLAYING, PROBE, PROFILE, READY,
                    RESUME, START, START_POSITION, STOP, STREAM, TIMES, TOO_LONG, TORQUE, TORQUE_RATE, UNDERRUN, VERSION, WINDOW,
                    WINDOW_MOST, WORDS, bytes_of, check_word, elapsed, floats, pack, span, u32, window_check)

TOLERANCE = 0.05  # rad, of the start position
# Where a command is taken at all, by state (EMPTY LOADING READY ARMED PLAYING HOLDING DONE FAULT); s: of streams alone.
TAKEN = {
    BEGIN:  "+++...+.",
    STREAM: "+++...+.",
    COMMIT: ".+.sss..",
    ARM:    ".s+.....",
    START:  "...+....",
    HOLD:   "....+...",
    RESUME: ".....+..",
    STOP:   "++++++++",
    CLEAR:  "+++...++",
}
BREAK_OFF = (STOP, CLEAR, BEGIN, STREAM)  # while COMMIT runs


class Store:
    """The samples that are held, as bytes; the oldest of a ring are forgotten."""

    def __init__(self):
        self.samples, self.first, self.crc = [], 0, 0

    def __len__(self):
        return self.first + len(self.samples)

    def __getitem__(self, index):
        return self.samples[index - self.first]

    def append(self, sample):
        self.samples.append(sample)
        self.crc = zlib.crc32(sample, self.crc)

    def forget_before(self, index):
        if index - self.first > 1000:
            del self.samples[:index - self.first]
            self.first = index


class Program:
    def __init__(self, options, faults, ledger, now):
        self.options, self.faults, self.ledger = options, faults, ledger
        self.instance = options.instance
        self.sensors = Sensors(options)
        self.position = [0.0] * 10
        self.handlers = {BEGIN: self.begin, STREAM: self.begin, COMMIT: self.commit, ARM: self.arm, START: self.start, HOLD: self.hold,
                         RESUME: self.resume, STOP: self.stop, CLEAR: self.clear}
        self.boot(now)

    # -- power --
    def boot(self, now):
        """The first scan after power."""
        self.registers = [0] * span(self.options.places)
        self.started = self.scanned = now
        self.uptime = float(self.options.uptime_ms * 1000)
        self.state, self.error, self.own_error = EMPTY, 0, 0
        self.acknowledged = self.taken = (0, 0)
        self.beat, self.beat_at, self.epoch, self.late_until = 0, now, 0, None
        self.written_again = False
        self.forget()
        self.show()
        self.registers[0] = MAGIC

    def restart(self, now):
        self.ledger.restarted()
        if "same-instance" not in self.faults:
            self.instance = self.instance % 0xFFFF + 1
        self.boot(now)

    def forget(self):
        self.profile, self.crc, self.index, self.loss = 0, 0, 0, 0
        self.store, self.motion, self.committing, self.ending = Store(), None, None, None
        self.streamed = self.open = False
        self.total = 0

    # -- one scan --
    def scan(self, now):
        us = (now - self.scanned) * 1e6 * self.rate()
        self.scanned = now
        self.uptime += us
        self.hear(now)
        self.windows()
        self.look_at_command(now)
        self.verify()
        self.move(us)
        self.show()

    def rate(self):
        return 1.1 if "fast-clock" in self.faults else 0.9 if "slow-clock" in self.faults else self.options.clock

    def uptime_ms(self):
        return int(self.uptime // 1000) % 2 ** 32

    def hear(self, now):
        """The heartbeat of whoever loaded the active profile."""
        beat, who = self.registers[11], u32(self.registers, 12)
        if beat != self.beat and (who == self.profile or "counts-all-heartbeats" in self.faults):
            self.beat, self.beat_at = beat, now
        if self.ending is not None or now - self.beat_at <= 1 or "ignores-heartbeat" in self.faults:
            return
        if self.state in (ARMED, HOLDING):
            self.fail(HEARTBEAT)
        elif self.state == PLAYING and self.loss == 1:
            self.own_error, self.ending = HEARTBEAT, FAULT
            self.motion.rest()

    def fail(self, error):
        self.state, self.own_error = FAULT, error
        if self.motion:
            self.motion.rest()
        self.ledger.rested()

    # -- windows --
    def windows(self):
        for _ in range(self.options.places):
            if not (self.state == LOADING or (self.open and self.state in (ARMED, PLAYING, HOLDING))) or self.committing:
                return
            if not any(self.take(100 + PLACE * place) for place in range(self.options.places)):
                return

    def take(self, at):
        """Take the window at this place if it is the next one and whole."""
        offset = u32(self.registers, at)
        if offset != len(self.store) and not ("takes-any-offset" in self.faults and offset > len(self.store)):
            return False
        place = self.registers[at:at + 5 + WINDOW_MOST]
        count, crc = place[2], u32(place, 3)
        data = place[5:5 + count]
        profiles = [self.profile, self.profile_before] if "ghost" in self.faults else [self.profile]
        if not 0 < count <= self.options.window or crc not in [window_check(profile, offset, data) for profile in profiles]:
            if "takes-torn-windows" not in self.faults or not 0 < count <= WINDOW_MOST:
                return False
        samples, rest = divmod(count, self.per_sample)
        if rest or (not self.streamed and len(self.store) + samples > self.total):
            self.own_error = WINDOW
            return False
        if samples > self.free() or ("takes-any-offset" in self.faults and samples > self.total - len(self.store)):
            return False
        if "clears-places" in self.faults:
            self.registers[at:at + 5] = [0] * 5
        size = 2 * self.per_sample
        data = bytes_of(data)
        return self.keep([data[size * k:size * (k + 1)] for k in range(samples)])

    def keep(self, samples):
        if self.streamed:
            before = self.store[len(self.store) - 1] if len(self.store) else None
            for sample in samples:
                wrong = self.wrong_torque(sample, before)
                if wrong:
                    self.own_error = wrong
                    return False
                before = sample
        for sample in samples:
            self.store.append(bytes(len(sample)) if "stores-zeros" in self.faults else sample)
        return True

    def free(self):
        if self.streamed:
            return self.options.ring - (len(self.store) - self.index)
        return self.total - len(self.store)

    def wrong_torque(self, sample, before):
        """An error when a torque, or its step from the sample before, is beyond the limits."""
        if self.format == 1:
            return 0
        each = 2 if self.format == 3 else 1
        torques = struct.unpack(f">{len(sample) // 4}f", sample)[each - 1::each]
        if any(not abs(torque) <= self.options.torque_limit for torque in torques):  # NaN too
            return TORQUE
        if before is not None:
            last = struct.unpack(f">{len(before) // 4}f", before)[each - 1::each]
            if any(not abs(a - b) <= self.options.torque_step for a, b in zip(torques, last)):
                return TORQUE_RATE
        return 0

    # -- commands --
    def look_at_command(self, now):
        words = self.registers[20:60]
        token = (words[19], u32(words, 16))
        again, self.written_again = self.written_again, False
        running = self.committing["token"] if self.committing else None
        if token in (self.acknowledged, self.taken, running) and not (again and "twice" in self.faults):
            return
        person = words[0] == STOP and u32(words, 2) == 0
        if not person and check_word(self.instance, words) != token[1] and "ignores-check" not in self.faults:
            return
        if self.lets_wait(words[0], now):
            return
        self.taken = token
        error = self.refusal(words, person)
        if error is None:
            error = self.handlers[words[0]](words)
            self.epoch = max(self.epoch, words[18]) if error == 0 else self.epoch
        if error is not None:
            self.acknowledge(token, error)

    def lets_wait(self, code, now):
        """Fault start-late: START is seen, and looked at a second later."""
        if code != START or "start-late" not in self.faults or self.late_until == "over":
            return False
        self.late_until = self.late_until or now + 1
        if now < self.late_until:
            return True
        self.late_until = "over"
        return False

    def acknowledge(self, token, error):
        self.acknowledged, self.error = token, error

    def refusal(self, words, person):
        """Why a command is not even tried; in this order."""
        code, epoch = words[0], words[18]
        if person:
            return None
        if self.options.epochs and 0 < epoch < self.epoch and code in (BEGIN, STREAM, ARM, START, RESUME) and "ignores-epoch" not in self.faults:
            return EPOCH
        if code not in (BEGIN, STREAM, CLEAR) and u32(words, 2) != self.profile and "ignores-profile" not in self.faults:
            return PROFILE
        if not 0 <= elapsed(u32(words, 14), self.uptime_ms()) <= TIMES and "ignores-time" not in self.faults:
            return LATE
        return None if self.allows(code) else NOT_ALLOWED

    def allows(self, code):
        if "any-state" in self.faults and code in (COMMIT, ARM, HOLD) and not self.motion:
            return True
        mark = TAKEN.get(code, ".......*")[self.state]
        if self.ending is not None:
            return code == STOP
        if self.committing:
            return code in BREAK_OFF
        return mark == "+" or (mark == "s" and self.open)

    def begin(self, words):
        mask, streamed = words[9], words[0] == STREAM
        profile, total, period, format = u32(words, 2), u32(words, 4), u32(words, 6), words[8]
        axes = [axis for axis in range(10) if mask >> axis & 1]
        if (not axes or mask >> self.options.axes) and "ignores-axes" not in self.faults:
            return AXES
        if not WORDS.get(format) or not self.options.formats >> (format - 1) & 1:
            return FORMAT
        if not period or words[10] not in (1, 2) or words[11] not in (1, 2):
            return FORMAT
        if (total != 0) if streamed else not 0 < total <= self.options.samples:
            return TOO_LONG
        if not profile:
            return PROFILE
        before = self.profile
        self.forget()
        self.profile_before = before
        self.profile, self.total, self.period, self.format, self.axes = profile, total, period, format, axes
        self.end, self.loss, self.start_position = words[10], words[11], floats(words[20:40])
        self.per_sample = WORDS[format] * len(axes)
        self.streamed = self.open = streamed
        self.state, self.own_error = LOADING, 0
        return 0

    def commit(self, words):
        if "any-state" in self.faults and self.state != LOADING and not self.open:
            return 0
        self.committing = {"total": u32(words, 4), "crc": u32(words, 12), "at": self.store.first, "sum": 0,
                           "token": (words[19], u32(words, 16))}
        return None if "early-number" not in self.faults else 0  # acknowledged by verify()

    def verify(self):
        """COMMIT, some samples a scan: what was stored is read back."""
        running = self.committing
        if running is None:
            return
        end = min(running["at"] + self.options.commit, len(self.store))
        for k in range(running["at"], end):
            running["sum"] = zlib.crc32(self.store[k], running["sum"])
            wrong = 0 if self.streamed else self.wrong_torque(self.store[k], self.store[k - 1] if k else None)
            if wrong:
                self.finish_commit(wrong)
                return
        running["at"] = end
        if end == len(self.store):
            stored = self.store.crc if self.streamed else running["sum"]
            whole = len(self.store) == running["total"] and (self.streamed or self.total == running["total"])
            right = stored == running["crc"] or "stores-zeros" in self.faults
            if whole and right:
                self.crc = stored
            self.finish_commit(0 if whole and right else CRC)

    def finish_commit(self, error):
        if not error:
            self.total, self.open = self.committing["total"], False
            self.state = READY if self.state == LOADING else self.state
        token, self.committing = self.committing["token"], None
        if "answers-all-by-commit" in self.faults:
            token = self.taken
        if "forgets-commit" not in self.faults or self.taken == token:
            self.acknowledge(token, error)

    def arm(self, words):
        if "any-state" in self.faults and self.state != READY and not self.open:
            return 0
        if not self.enough():
            return UNDERRUN
        for axis in self.axes:
            if not abs(self.start_position[axis] - self.position[axis]) <= TOLERANCE and "ignores-start-position" not in self.faults:
                return START_POSITION
        self.state, self.beat_at = ARMED, self.scanned
        self.ledger.armed()
        return 0

    def enough(self):
        ahead = (len(self.store) - 1 - self.index) * self.period
        return not self.open or ahead >= min(AHEAD_US, (self.options.ring - 1) * self.period)

    def start(self, words):
        self.motion = Motion(self.period)
        self.motion.go(at_once=True)
        self.state = PLAYING
        self.wait_us = 1e6 if "start-delayed" in self.faults else 0
        if self.wait_us:
            self.state = ARMED
        else:
            self.ledger.began(self.profile, self.instance)
        return 0

    def hold(self, words):
        if self.state == PLAYING:
            self.state = HOLDING
            self.motion.rest()
        return 0

    def resume(self, words):
        if not self.enough():
            return UNDERRUN
        self.state = PLAYING
        self.motion.go()
        return 0

    def stop(self, words):
        if self.state in (PLAYING, HOLDING):
            self.motion.rest()
            self.ending = EMPTY
        elif self.state != FAULT:
            self.clear(words)
        return 0

    def clear(self, words):
        self.forget()
        self.state = EMPTY
        if words[0] == CLEAR:
            self.own_error = 0
        return 0

    # -- motion --
    def move(self, us):
        if self.motion is None:
            return
        if self.state == ARMED:  # fault start-delayed
            self.wait_us -= us
            if self.wait_us > 0:
                return
            self.state = PLAYING
            self.ledger.began(self.profile, self.instance)
        end = (len(self.store) - 1) * self.period
        due = self.motion.advance(us, end)
        for k in range(self.motion.passed, due):
            self.ledger.played(self.profile, k, self.store[k])
            self.follow(self.store[k])
        self.motion.passed, self.index = max(due, self.motion.passed), max(due - 1, 0)
        if self.streamed:
            self.store.forget_before(self.index)
        self.look_at_end(us, end)

    def follow(self, sample):
        """The arm is where it was told to be."""
        if self.format == 3:
            values = struct.unpack(f">{len(sample) // 4}f", sample)
            for k, axis in enumerate(self.axes):
                self.position[axis] = values[2 * k]

    def look_at_end(self, us, end):
        at_end = self.motion.at >= end or ("ends-early" in self.faults and self.motion.at >= end / 2)
        if self.ending is not None:
            if self.motion.resting or at_end:
                self.come_to_end()
        elif self.state == PLAYING and at_end and not self.open:
            self.state, self.motion = DONE, None
            self.ledger.finished()
        elif self.state == PLAYING and self.open and end - self.motion.at <= self.motion.braking_us() + 2 * us:
            self.state, self.own_error = HOLDING, UNDERRUN
            self.motion.rest()

    def come_to_end(self):
        """At rest, after STOP or the loss of the heartbeat."""
        self.ledger.rested()
        ending = self.ending
        if ending == EMPTY:
            self.forget()
        self.state, self.ending, self.motion = ending, None, None

    # -- what is shown --
    def show(self):
        r, o = self.registers, self.options
        abilities = (o.formats & 7) | CAN_STREAM | CAN_HOLD | (MEASURES if o.measures else 0) | (EPOCHS if o.epochs else 0)
        if not o.scan:
            abilities |= AT_ONCE
        probe = pack("f", PROBE)
        r[1:9] = [VERSION, o.axes, *pack("I", o.samples), o.window, abilities, *(probe[::-1] if "swaps" in self.faults else probe)]
        r[9:11] = [self.instance, o.places]
        index = self.committing["at"] if self.committing else self.index
        crc = self.crc ^ 1 if "wrong-checksum" in self.faults and self.crc else self.crc
        r[63:69] = pack("III", len(self.store), index, max(0, self.free()) if self.profile else 0)
        r[69:75] = [r[11], *pack("II", crc, self.profile), self.loss]
        r[75:80] = [*pack("I", self.uptime_ms()), self.own_error, *pack("I", self.acknowledged[1])]
        r[80:100] = pack("10f", *self.position)
        if o.measures and self.motion:
            self.measure(len(r) - 42)
        r[61:63] = [self.state, self.error]
        r[60] = self.acknowledged[0]

    def measure(self, at):
        torques, positions = self.sensors.of(self)
        moment = self.uptime if "measures-uptime" in self.faults else self.motion.at
        self.registers[at:at + 42] = [*pack("I", int(moment) % 2 ** 32), *pack("10f", *positions), *pack("10f", *torques)]
