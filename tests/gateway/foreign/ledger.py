"""The observer: it sees what every master wrote and what the drives were given, and nothing of the controller's program nor of the
gateway's states. Its verdict is what must hold whatever was struck."""

import zlib

from .words import BEGIN, COMMANDS, START, STOP, STREAM, bytes_of, u32, window_check


class Profile:
    """What a master sent under one profile id, put together from the wire alone."""

    def __init__(self, who):
        self.who, self.period, self.total, self.words = who, 0, 0, 0
        self.data = {}     # sample offset: the words of a window
        self.starts = set()  # numbers of its START commands

    def sample_words(self, command):
        return {1: 1, 2: 2, 3: 4}.get(command[8], 0) * bin(command[9]).count("1")


class Motion:
    def __init__(self, profile, instance, armed, began):
        self.profile, self.instance, self.armed, self.began, self.ended = profile, instance, armed, began, None
        self.samples, self.crc, self.end = 0, 0, "moving"
        self.first = self.last = None


class Ledger:
    def __init__(self, clock, keep=False):
        self.clock, self.keep = clock, keep
        self.profiles, self.motions, self.violations, self.restarts = {}, [], [], 0
        self.wrote, self.kept = {}, []
        self.moving, self.armed_at = None, None
        self.pushed = []  # when somebody moved the arm by hand
        self.gripped = []  # what the gripper was asked for and became, and where the motion was then

    def violation(self, what):
        if len(self.violations) < 20:
            self.violations.append(what)

    # -- the wire --
    def asked(self, who, function, at, words):
        if at < 0:
            return  # an output beside the protocol
        who = "second" if who == "second master" else "first"
        if at == 20 and len(words) == 40 and function == 16:
            self.command(who, words)
        elif at >= 100 and function == 16:
            self.window(who, words)
        elif not (at == 11 and len(words) == 3) and who == "first":
            self.violation(f"the first master wrote {len(words)} registers at +{at} by function {function}")

    def command(self, who, words):
        code, profile = words[0], u32(words, 2)
        self.wrote[COMMANDS[code] if code < len(COMMANDS) else str(code)] = self.wrote.get(COMMANDS[code], 0) + 1
        if not profile:
            if code != STOP:
                self.violation(f"{who}: {COMMANDS[code]} with profile 0")
            return
        if code in (BEGIN, STREAM):
            known = self.profiles.setdefault(profile, Profile(who))
            known.period, known.total = u32(words, 6), u32(words, 4)
            known.words = known.sample_words(words)
        known = self.profiles.get(profile)
        if known is None or known.who != who:
            if who == "first":
                self.violation(f"first: {COMMANDS[code]} of profile {profile:#x}, which it did not begin")
        elif code == START:
            known.starts.add((words[19], u32(words, 16)))
            if len(known.starts) > 1:
                self.violation(f"{who}: two STARTs of profile {profile:#x}")

    def window(self, who, words):
        """Kept under the profile whose checksum it carries."""
        offset, count, crc = u32(words, 0), words[2], u32(words, 3)
        data = words[5:5 + count]
        for profile, known in self.profiles.items():
            if known.who == who and window_check(profile, offset, data) == crc:
                before = known.data.setdefault(offset, data)
                if before != data:
                    self.violation(f"{who}: two windows of profile {profile:#x} at sample {offset}")
                return
        if who == "first":
            self.violation(f"first: a window at sample {offset} with the checksum of no profile")

    # -- the drives --
    def armed(self):
        self.armed_at = self.clock()

    def began(self, profile, instance):
        now = self.clock()
        if self.moving:
            self.violation("a motion began while another one was played")
        self.moving = Motion(profile, instance, self.armed_at, now)
        self.motions.append(self.moving)
        if not (profile in self.profiles and self.profiles[profile].starts):
            self.violation(f"profile {profile:#x} moves, whose START nobody sent")

    def played(self, profile, index, sample):
        motion = self.moving
        if motion is None or motion.profile != profile:
            self.violation(f"a sample of profile {profile:#x} is played, which does not move")
            return
        if index != motion.samples:
            self.violation(f"sample {index} is played after {motion.samples} samples")
        motion.samples += 1
        motion.crc = zlib.crc32(sample, motion.crc)
        motion.first = motion.first or self.clock()
        motion.last = self.clock()
        if self.keep:
            self.kept.append(sample)

    def finished(self):
        self.leave("whole")

    def rested(self):
        self.leave("rested")

    def moved(self):
        self.pushed.append(self.clock())

    def gripper(self, what, value):
        motion = self.moving
        self.gripped.append({"what": what, "value": value, "at": self.clock(), "profile": motion.profile if motion else None,
                             "path": self.path(motion) if motion else None})

    def path(self, motion):
        """How far a motion was played [s]."""
        known = self.profiles.get(motion.profile)
        return motion.samples * known.period * 1e-6 if known else None

    def restarted(self):
        self.restarts += 1
        self.leave("cut")

    def leave(self, how):
        if self.moving:
            self.moving.end, self.moving.ended = how, self.clock()
            self.moving = None

    # -- the verdict --
    def sent(self, profile, samples):
        """The checksum of the first samples of a profile as they stood on the wire; None: they never were there."""
        known, crc, offset = self.profiles[profile], 0, 0
        while offset < samples:
            data = known.data.get(offset)
            if data is None:
                return None
            count = min(len(data) // known.words, samples - offset)
            crc = zlib.crc32(bytes_of(data[:count * known.words]), crc)
            offset += count
        return crc

    def told(self):
        motions = []
        for motion in self.motions:
            known = self.profiles.get(motion.profile)
            same = known is not None and self.sent(motion.profile, motion.samples) == motion.crc
            if not same:
                self.violation(f"profile {motion.profile:#x}: what was played was never sent")
            motions.append({"profile": motion.profile, "whose": known.who if known else None, "samples": motion.samples, "path": self.path(motion), "total": known.total if known else None, "end": motion.end,
                            "crc": motion.crc, "armed": motion.armed, "began": motion.began, "seconds": (motion.last or 0) - (motion.first or 0)})
        return {"motions": motions, "violations": self.violations, "restarts": self.restarts, "pushed": self.pushed, "gripper": self.gripped, "commands": self.wrote,
                "played": [list(sample) for sample in self.kept]}
