#!/usr/bin/python3
"""Print api/json/powers_of_ten.h: the 128 leading bits of powers of ten.

usage: powers_of_ten.py > powers_of_ten.h      make it anew
       powers_of_ten.py --check                fail when the file beside this script is not what it would print
"""
import pathlib
import sys

LEAST, MOST = -342, 324
EXACT_LEAST, EXACT_MOST = -27, 55


def leading_bits(exponent):
    """10^exponent as m * 2^e with 2^127 <= m < 2^128.

    Exact from 0 to 55; from -27 to -1 rounded up, so that products that are whole come out as no less than whole
    (5^27 is the largest power of five below 2^64); rounded down elsewhere, as Lemire's proof has it.
    """
    power = 5 ** abs(exponent)
    if exponent >= 0:
        shift = 128 - power.bit_length()
        return power << shift if shift >= 0 else power >> -shift
    numerator = 1 << (power.bit_length() + 127)
    return numerator // power + (exponent >= EXACT_LEAST)


def text():
    lines = [
        "/* Made by powers_of_ten.py; do not edit. The 128 leading bits (high word, low word) of 10^q for q from",
        f" * {LEAST} to {MOST}: exact from 0 to {EXACT_MOST}, rounded up from {EXACT_LEAST} to -1, rounded down elsewhere. */",
        "#ifndef API_JSON_POWERS_OF_TEN_H",
        "#define API_JSON_POWERS_OF_TEN_H",
        "",
        "#include <stdint.h>",
        "",
        f"enum {{ POWER_OF_TEN_LEAST = {LEAST}, POWER_OF_TEN_MOST = {MOST} }};",
        f"enum {{ POWER_OF_TEN_DOWN_BELOW = {EXACT_LEAST}, POWER_OF_TEN_DOWN_ABOVE = {EXACT_MOST} }};",
        "",
        "/* clang-format off */",
        "static const uint64_t powers_of_ten[][2] = {",
    ]
    for exponent in range(LEAST, MOST + 1):
        bits = leading_bits(exponent)
        assert 1 << 127 <= bits < 1 << 128
        lines.append(f"  {{ 0x{bits >> 64:016x}, 0x{bits & (1 << 64) - 1:016x} }}, /* {exponent} */")
    lines += ["};", "/* clang-format on */", "", "#endif", ""]
    return "\n".join(lines)


def main():
    if sys.argv[1:] == ["--check"]:
        stored = pathlib.Path(__file__).with_name("powers_of_ten.h").read_text()
        if stored != text():
            sys.exit("api/json/powers_of_ten.h is stale: run api/json/powers_of_ten.py > api/json/powers_of_ten.h")
    else:
        sys.stdout.write(text())


main()
