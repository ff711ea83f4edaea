#include "api/json/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/json/powers_of_ten.h"
#include "api/limits.h"

/* 128-bit products; the type is an extension that both compilers have. */
__extension__ typedef unsigned __int128 u128;

enum { SIGNIFICAND_BITS = 52, EXPONENT_BIAS = 1023, EXPONENT_MOST = 0x7ff };
#define HIDDEN_BIT (UINT64_C(1) << SIGNIFICAND_BITS)

static double double_of_bits(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint64_t bits_of_double(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* floor(q log2 10), for |q| up to 400 and beyond */
static int log2_of_power_of_ten(int q)
{
  return (q * 217706) >> 16;
}

/* Is the table's power below the true one? */
static bool rounded_down(int q)
{
  return q < POWER_OF_TEN_DOWN_BELOW || q > POWER_OF_TEN_DOWN_ABOVE;
}

/* -- reading -- */

/* What stands in the text: digits x 10^exponent. */
struct decimal {
  uint64_t digits; /* the first 19 significant ones */
  int64_t exponent;
  bool truncated; /* there were further digits, not all zero */
};

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Eight digits at once: are they, and their value (bytes in little-endian order). */
static bool eight_digits(const char *at, uint64_t *value)
{
  uint64_t v;
  memcpy(&v, at, sizeof v);
  if (((v & 0xf0f0f0f0f0f0f0f0) | (((v + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) != 0x3333333333333333)
    return false;
  v -= 0x3030303030303030;
  v = v * 10 + (v >> 8);
  v = ((v & 0x000000ff000000ff) * 0x000f424000000064 + ((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >> 32;
  *value = v;
  return true;
}

/* Digits of one part, before or behind the point. Once 19 are taken, the rest only shifts and is noticed. */
static const char *read_digits(const char *at, const char *end, struct decimal *d, int *taken, bool fraction)
{
  uint64_t eight;
  for (; *taken == 0 && at < end && *at == '0'; at++) /* leading zeros are not significant */
    if (fraction) d->exponent--;
  while (*taken <= 11 && end - at >= 8 && eight_digits(at, &eight)) {
    d->digits = d->digits * 100000000 + eight;
    *taken += 8, at += 8;
    if (fraction) d->exponent -= 8;
  }
  for (; at < end && is_digit(*at); at++) {
    if (*taken < 19) {
      d->digits = d->digits * 10 + (uint64_t)(*at - '0');
      (*taken)++;
      if (fraction) d->exponent--;
    } else {
      if (*at != '0') d->truncated = true;
      if (!fraction) d->exponent++;
    }
  }
  return at;
}

/* The grammar of RFC 8259. NULL: no number. */
static const char *read_decimal(const char *at, const char *end, struct decimal *d)
{
  int taken = 0;
  if (at == end || !is_digit(*at)) return NULL;
  if (*at == '0') {
    if (++at < end && is_digit(*at)) return NULL;
  } else {
    at = read_digits(at, end, d, &taken, false);
  }
  if (at < end && *at == '.') {
    if (++at == end || !is_digit(*at)) return NULL;
    at = read_digits(at, end, d, &taken, true);
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    int64_t exponent = 0;
    if (++at == end) return NULL;
    bool minus = *at == '-';
    if (*at == '-' || *at == '+') at++;
    if (at == end || !is_digit(*at)) return NULL;
    for (; at < end && is_digit(*at); at++)
      if (exponent < 1000000) exponent = exponent * 10 + (*at - '0');
    d->exponent += minus ? -exponent : exponent;
  }
  return at;
}

/* The nearest double to digits x 10^q, as bits without sign. False in the rare case that 128 bits do not decide.
 * Lemire 2021, algorithm 1. */
static bool eisel_lemire(uint64_t digits, int64_t q, uint64_t *bits)
{
  *bits = 0;
  if (digits == 0 || q < POWER_OF_TEN_LEAST) return true;
  if (q > 308) {
    *bits = (uint64_t)EXPONENT_MOST << SIGNIFICAND_BITS;
    return true;
  }
  int shift = __builtin_clzll(digits);
  uint64_t w = digits << shift;
  const uint64_t *power = powers_of_ten[q - POWER_OF_TEN_LEAST];
  u128 first = (u128)w * power[0];
  uint64_t high = (uint64_t)(first >> 64), low = (uint64_t)first;
  if ((high & 0x1ff) == 0x1ff) { /* the second word may carry into the bits that count */
    uint64_t carry = (uint64_t)((u128)w * power[1] >> 64);
    low += carry;
    if (low < carry) high++;
    if (low == UINT64_MAX && rounded_down((int)q)) return false;
  }

  int upper = (int)(high >> 63), drop = upper + 64 - SIGNIFICAND_BITS - 3;
  uint64_t mantissa = high >> drop;
  int exponent = log2_of_power_of_ten((int)q) + 63 + upper - shift + EXPONENT_BIAS;
  if (exponent <= 0) { /* subnormal */
    if (1 - exponent >= 64) return true;
    mantissa >>= 1 - exponent;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    *bits = mantissa; /* a carry into bit 52 makes it the smallest normal number by itself */
    return true;
  }
  /* exactly half way: to even */
  if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << drop == high) mantissa &= ~UINT64_C(1);
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >= HIDDEN_BIT << 1) mantissa = HIDDEN_BIT, exponent++;
  if (exponent >= EXPONENT_MOST) mantissa = HIDDEN_BIT, exponent = EXPONENT_MOST;
  *bits = (uint64_t)exponent << SIGNIFICAND_BITS | (mantissa & (HIDDEN_BIT - 1));
  return true;
}

/* Long digit strings next to a rounding boundary. The process never leaves the "C" locale. */
static const char *read_slowly(const char *start, const char *end, double *value)
{
  char copy[LIMIT_NUMBER_LENGTH + 1];
  size_t length = (size_t)(end - start);
  if (length > LIMIT_NUMBER_LENGTH) return NULL;
  memcpy(copy, start, length);
  copy[length] = '\0';
  *value = strtod(copy, NULL);
  return end;
}

const char *number_parse(const char *at, const char *end, double *value)
{
  static const double exact[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  const char *start = at;
  bool minus = at < end && *at == '-';
  struct decimal d = { 0 };
  at = read_decimal(at + minus, end, &d);
  if (!at || at - start > LIMIT_NUMBER_LENGTH) return NULL;

  /* both factors are doubles, so one rounding is all (Clinger 1990) */
  if (!d.truncated && d.digits <= HIDDEN_BIT << 1 && d.exponent >= -22 && d.exponent <= 22) {
    double x = (double)d.digits;
    x = d.exponent < 0 ? x / exact[-d.exponent] : x * exact[d.exponent];
    *value = minus ? -x : x;
    return at;
  }
  uint64_t bits, next;
  if (!eisel_lemire(d.digits, d.exponent, &bits)) return read_slowly(start, at, value);
  if (d.truncated && (!eisel_lemire(d.digits + 1, d.exponent, &next) || next != bits))
    return read_slowly(start, at, value);
  *value = double_of_bits(bits | (uint64_t)minus << 63);
  return at;
}

/* -- printing -- */

/* floor(x y / 2^128) for a 128-bit x and a 64-bit y, with the last bit set when anything was cut off that matters. */
static uint64_t multiply_to_odd(u128 x, uint64_t y)
{
  u128 low = (u128)(uint64_t)x * y >> 64;
  u128 high = (x >> 64) * y + low;
  return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The shortest decimal significand and exponent that round to the double (closest to it, when several are shortest).
 *   fraction, biased  in  the fields of a positive finite double */
static uint64_t shortest(uint64_t fraction, int biased, int *exponent)
{
  uint64_t c = biased ? fraction | HIDDEN_BIT : fraction;
  int q = (biased ? biased : 1) - EXPONENT_BIAS - SIGNIFICAND_BITS;
  if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0) { /* a whole number below 2^53 */
    *exponent = 0;
    return c >> -q;
  }
  /* the interval of decimals that read back as this double, times 4: [left, right] around c */
  bool odd = c & 1, narrow = fraction == 0 && biased > 1;
  uint64_t left = 4 * c - 2 + narrow, middle = 4 * c, right = 4 * c + 2;

  /* k = floor(log10(2^q)), of 3/4 2^q next to a power of two; scaled by 10^-k rounded up */
  int k = (q * 1262611 - (narrow ? 524031 : 0)) >> 22;
  int h = q + log2_of_power_of_ten(-k) + 1;
  const uint64_t *entry = powers_of_ten[-k - POWER_OF_TEN_LEAST];
  u128 power = ((u128)entry[0] << 64 | entry[1]) + rounded_down(-k);
  uint64_t lower = multiply_to_odd(power, left << h) + odd;
  uint64_t value = multiply_to_odd(power, middle << h);
  uint64_t upper = multiply_to_odd(power, right << h) - odd;

  uint64_t s = value / 4;
  if (s >= 10) { /* one digit fewer? */
    uint64_t shorter = s / 10;
    bool down = lower <= 40 * shorter, up = 40 * shorter + 40 <= upper;
    if (down != up) {
      *exponent = k + 1;
      return shorter + up;
    }
  }
  *exponent = k;
  bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
  if (down != up) return s + up;
  uint64_t half = 4 * s + 2;
  return s + (value > half || (value == half && (s & 1)));
}

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

/* Decimal digits of x, the last at end[-1]; answers the first. */
static char *write_digits(uint64_t x, char *end)
{
  while (x >= 100) {
    end -= 2;
    memcpy(end, pairs + 2 * (x % 100), 2);
    x /= 100;
  }
  if (x >= 10) {
    end -= 2;
    memcpy(end, pairs + 2 * x, 2);
  } else {
    *--end = (char)('0' + x);
  }
  return end;
}

size_t number_print_integer(long long value, char *to)
{
  char digits[24], *end = digits + sizeof digits;
  const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
  char *first = write_digits(size, end);
  if (value < 0) *--first = '-';
  const size_t length = (size_t)(end - first);
  memcpy(to, first, length);
  to[length] = '\0';
  return length;
}

/* As ECMAScript's Number::toString lays digits out: n digits, the point behind `point` of them. */
static char *lay_out(char *to, const char *digits, int n, int point)
{
  if (n <= point && point <= 21) { /* 1200 */
    memcpy(to, digits, (size_t)n);
    memset(to + n, '0', (size_t)(point - n));
    return to + point;
  }
  if (0 < point && point <= 21) { /* 12.34 */
    memcpy(to, digits, (size_t)point);
    to[point] = '.';
    memcpy(to + point + 1, digits + point, (size_t)(n - point));
    return to + n + 1;
  }
  if (-6 < point && point <= 0) { /* 0.0012 */
    memcpy(to, "0.00000", 7);
    memcpy(to + 2 - point, digits, (size_t)n);
    return to + 2 - point + n;
  }
  *to++ = digits[0]; /* 1.2e-7 */
  if (n > 1) {
    *to++ = '.';
    memcpy(to, digits + 1, (size_t)(n - 1));
    to += n - 1;
  }
  int e = point - 1;
  *to++ = 'e';
  *to++ = e < 0 ? '-' : '+';
  char text[8], *first = write_digits((uint64_t)(e < 0 ? -e : e), text + sizeof text);
  size_t length = (size_t)(text + sizeof text - first);
  memcpy(to, first, length);
  return to + length;
}

size_t number_print(double value, char *to)
{
  uint64_t bits = bits_of_double(value), fraction = bits & (HIDDEN_BIT - 1);
  int biased = (int)(bits >> SIGNIFICAND_BITS & EXPONENT_MOST);
  char *start = to;
  if (bits >> 63) *to++ = '-';
  if (biased == 0 && fraction == 0) {
    *to++ = '0';
  } else {
    int exponent;
    uint64_t significand = shortest(fraction, biased, &exponent);
    char digits[24], *end = digits + sizeof digits, *first = write_digits(significand, end);
    int n = (int)(end - first), point = n + exponent;
    while (n > 1 && first[n - 1] == '0') n--;
    to = lay_out(to, first, n, point);
  }
  *to = '\0';
  return (size_t)(to - start);
}
