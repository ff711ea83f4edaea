"""Numbers, checksums and the places of the registers of register protocol v2."""

import struct
import zlib

MAGIC, VERSION, PROBE = 0xA5D1, 2, 12345.678
EMPTY, LOADING, READY, ARMED, PLAYING, HOLDING, DONE, FAULT = range(8)
BEGIN, COMMIT, ARM, START, HOLD, RESUME, STOP, CLEAR, STREAM = range(1, 10)
STATES = "EMPTY LOADING READY ARMED PLAYING HOLDING DONE FAULT".split()
COMMANDS = [None, "BEGIN", "COMMIT", "ARM", "START", "HOLD", "RESUME", "STOP", "CLEAR", "STREAM"]
NOT_ALLOWED, FORMAT, TOO_LONG, CRC, TORQUE, TORQUE_RATE, START_POSITION, UNDERRUN, HEARTBEAT, WINDOW, AXES, INTERNAL, PROFILE, LATE, \
    EPOCH = range(1, 16)
CAN_STREAM, CAN_HOLD, AT_ONCE, EPOCHS, MEASURES, SIMULATOR = 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 14, 1 << 15
WORDS = {1: 1, 2: 2, 3: 4}  # of one axis of a sample, by format
AHEAD_US = 500_000
TIMES = 60_000  # ms, the longest that a command may wait
PLACE, WINDOW_MOST = 128, 118


def span(places):
    """All registers of a block."""
    return 100 + PLACE * places + 42


def bytes_of(words):
    return struct.pack(f">{len(words)}H", *words)


def words_of(data):
    return list(struct.unpack(f">{len(data) // 2}H", data))


def pack(form, *values):
    """The registers of u32 (I) and float32 (f) numbers, the high word first."""
    return words_of(struct.pack(">" + form, *values))


def u32(registers, at):
    return registers[at] << 16 | registers[at + 1]


def floats(words):
    return struct.unpack(f">{len(words) // 2}f", bytes_of(words))


def check_word(instance, command):
    """Of a command, +20..+59: over the instance and all but the check word itself."""
    return zlib.crc32(bytes_of([instance, *command[:16], *command[18:]]))


def command_words(code, instance, number, profile=0, total=0, period=0, format=0, mask=0, end=1, loss=1, crc=0, latest=0, epoch=0,
                  start=()):
    """The 40 registers +20..+59."""
    words = [code, 0, *pack("III", profile, total, period), format, mask, end, loss, *pack("II", crc, latest), 0, 0, epoch, number,
             *pack("10f", *start, *[0.0] * (10 - len(start)))]
    words[16:18] = pack("I", check_word(instance, words))
    return words


def window_check(profile, offset, data):
    return zlib.crc32(bytes_of([*pack("II", profile, offset), len(data), *data]))


def window_words(profile, offset, data):
    """The registers of a window place: offset, words, checksum, data."""
    return [*pack("I", offset), len(data), *pack("I", window_check(profile, offset, data)), *data]


def elapsed(later, earlier):
    """later - earlier of two u32 times that wrap, signed."""
    return (later - earlier + 0x80000000) % 0x100000000 - 0x80000000
