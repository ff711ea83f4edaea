/* Numbers against strtod and printf of the C library, and against the forms that ECMAScript prescribes. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

#include "api/json/number.h"
#include "api/limits.h"

static uint64_t next(uint64_t *state)
{
  *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
  return *state;
}

static bool same(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0;
}

static double parsed(const char *text)
{
  double x;
  const char *end = text + strlen(text);
  cr_assert_eq(number_parse(text, end, &x), end, "%s", text);
  return x;
}

/* Significant digits of a printed number. */
static int digits_of(const char *text)
{
  int digits = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (*text == '0' && !digits)) continue;
    zeros = *text == '0' ? zeros + 1 : 0;
    digits++;
  }
  return digits - zeros;
}

/* Printed, it reads back to the same bits, by strtod too. */
static void check(double x)
{
  char text[NUMBER_SIZE];
  size_t length = number_print(x, text);
  cr_assert(length == strlen(text) && length < NUMBER_SIZE);
  cr_assert(same(parsed(text), x), "%a printed as %s", x, text);
  cr_assert(same(strtod(text, NULL), x), "%a printed as %s", x, text);
}

/* No decimal with fewer digits reads back, and of those with as many none is closer. */
static void check_shortest(double x)
{
  char text[NUMBER_SIZE], other[40];
  number_print(x, text);
  int digits = digits_of(text), least = 1;
  for (; least < 17; least++) {
    snprintf(other, sizeof other, "%.*e", least - 1, x);
    if (strtod(other, NULL) == x) break;
  }
  cr_assert_leq(digits, least, "%s has %d digits, %s suffices", text, digits, other);
  if (digits == least)
    cr_assert_leq(fabsl(strtold(text, NULL) - x), fabsl(strtold(other, NULL) - x), "%s or %s", text, other);
}

Test(number, random_bits_go_round)
{
  uint64_t state = 88172645463325252u;
  for (int i = 0; i < 1000000; i++) {
    uint64_t bits = next(&state);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) check(x);
  }
}

Test(number, random_bits_are_printed_shortest)
{
  uint64_t state = 4101842887655102017u;
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = next(&state);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) check_shortest(x);
  }
}

/* Boundaries of binades are where intervals are lopsided and mistakes hide. */
Test(number, powers_of_two_and_ten_and_their_neighbours)
{
  for (int e = -1074; e < 1024; e++) {
    double x = ldexp(1, e);
    check(x), check(nextafter(x, 0)), check(nextafter(x, INFINITY));
    check_shortest(x);
  }
  for (int e = -323; e <= 308; e++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", e);
    double x = parsed(text);
    cr_assert(same(x, strtod(text, NULL)), "%s", text);
    check(x), check(nextafter(x, 0)), check(nextafter(x, INFINITY));
    check_shortest(x);
  }
}

Test(number, text_of_any_length_reads_as_strtod_does)
{
  uint64_t state = 2685821657736338717u;
  char text[64];
  for (int i = 0; i < 300000; i++) {
    uint64_t bits = next(&state);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) continue;
    snprintf(text, sizeof text, "%.*e", (int)(next(&state) % 40), x);
    cr_assert(same(parsed(text), strtod(text, NULL)), "%s", text);
  }
}

/* Exactly half way between two doubles, and a digit far behind that decides. */
Test(number, halves_are_rounded_to_even_and_nothing_is_forgotten)
{
  static const char *const texts[] = {
    "9007199254740993",
    "9007199254740993.0000000000000000000000000001",
    "9007199254740992.9999999999999999999999",
    "9007199254740995",
    "4503599627370496.5",
    "4503599627370497.5",
    "1.00000000000000011102230246251565404",
    "1.00000000000000011102230246251565405",
    "2.4703282292062327208e-324",
    "2.4703282292062328e-324",
    "2.47e-324",
    "1e-400",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "1.7976931348623158e308",
    "0.000000000000000000000000000000000001",
    "123456789012345678901234567890",
    "0.1e1",
    "0e999999999999",
    "0.0000e-5",
    "6929495644600919.5",
    "3.518437208883201171875e13",
    "8.5e-1",
    "1e23",
    "9.5367431640625e-07",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    cr_assert(same(parsed(texts[i]), strtod(texts[i], NULL)), "%s", texts[i]);
  cr_assert_eq(parsed("1e999"), INFINITY);
  cr_assert_eq(parsed("-1e309"), -INFINITY);
}

Test(number, forms_are_those_of_ecmascript_but_for_minus_zero)
{
  static const struct {
    double x;
    const char *text;
  } cases[] = {
    { 0, "0" },
    { -0.0, "-0" },
    { 1, "1" },
    { -1.5, "-1.5" },
    { 0.1, "0.1" },
    { 0.1 + 0.2, "0.30000000000000004" },
    { 1e-6, "0.000001" },
    { 1e-7, "1e-7" },
    { 1.5e-7, "1.5e-7" },
    { 123456789, "123456789" },
    { 1e20, "100000000000000000000" },
    { 123456789012345680000., "123456789012345680000" },
    { 1e21, "1e+21" },
    { 1.25e22, "1.25e+22" },
    { 5e-324, "5e-324" },
    { 1.7976931348623157e308, "1.7976931348623157e+308" },
    { 2.2250738585072014e-308, "2.2250738585072014e-308" },
    { 9007199254740992, "9007199254740992" },
    { 1e23, "1e+23" },
    { 9.81, "9.81" },
    { 100, "100" },
    { 1048576.5, "1048576.5" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[NUMBER_SIZE];
    number_print(cases[i].x, text);
    cr_assert_str_eq(text, cases[i].text);
  }
}

Test(number, whole_numbers_are_printed_as_the_c_library_does)
{
  uint64_t state = 11;
  const long long edges[] = { 0, 1, -1, 9, 10, -10, 99, 100, 101, INT64_MAX, INT64_MIN };
  const size_t edge_count = sizeof edges / sizeof *edges;
  for (size_t i = 0; i < 20000; i++) {
    const uint64_t bits = next(&state);
    const long long x = i < edge_count ? edges[i] : (long long)bits >> (bits & 63);
    char text[NUMBER_SIZE], expected[NUMBER_SIZE];
    cr_assert_eq(number_print_integer(x, text), (size_t)snprintf(expected, sizeof expected, "%lld", x));
    cr_assert_str_eq(text, expected);
  }
}

Test(number, what_is_no_json_number_is_refused)
{
  static const char *const texts[] = { "",    "-",   "+1",  ".5",   "1.",  "1.e5",     "01",        "-01",
                                       "00",  "1e",  "1e+", "e5",   "NaN", "Infinity", "-Infinity", "nan",
                                       "inf", "--1", "-.5", "1.-5", "0x",  " 1" };
  double x;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *end = texts[i] + strlen(texts[i]), *behind = number_parse(texts[i], end, &x);
    cr_assert(behind == NULL || behind < end, "\"%s\"", texts[i]);
    if (strcmp(texts[i], "0x")) cr_assert_null(behind, "\"%s\"", texts[i]);
  }
  char long_one[LIMIT_NUMBER_LENGTH + 2];
  memset(long_one, '1', sizeof long_one);
  cr_assert_null(number_parse(long_one, long_one + LIMIT_NUMBER_LENGTH + 1, &x));
  cr_assert_not_null(number_parse(long_one, long_one + LIMIT_NUMBER_LENGTH, &x));
}

/* Not one byte beyond the end is looked at: cut anywhere, the rest is as if it were not there. */
Test(number, the_end_of_the_text_is_respected)
{
  static const char text[] = "-12345678901.2345678901234567e-12";
  for (size_t length = 1; length < sizeof text; length++) {
    char *copy = malloc(length), terminated[sizeof text];
    double x;
    memcpy(copy, text, length);
    snprintf(terminated, sizeof terminated, "%.*s", (int)length, text);
    const char *behind = number_parse(copy, copy + length, &x);
    if (behind) cr_assert(behind == copy + length && same(x, strtod(terminated, NULL)));
    free(copy);
  }
}
