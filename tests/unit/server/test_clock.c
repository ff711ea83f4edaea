#include <criterion/criterion.h>
#include <inttypes.h>

#include "server/base/clock.h"

/* Values of `date -u -d ... +%s`. */
static const struct {
  int64_t ms;
  const char *text;
} known[] = {
  { 0, "1970-01-01T00:00:00.000Z" },
  { 951782400000, "2000-02-29T00:00:00.000Z" },
  { 1769860800123, "2026-01-31T12:00:00.123Z" },
  { 4102444799999, "2099-12-31T23:59:59.999Z" },
  { 253402300799999, "9999-12-31T23:59:59.999Z" },
};

Test(clock, formats_and_parses_known_times)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[TIME_SIZE];
    clock_format(known[i].ms, text);
    cr_assert_str_eq(text, known[i].text);
    cr_assert_eq(clock_parse(known[i].text), known[i].ms, "%s gave %" PRId64, known[i].text,
                 clock_parse(known[i].text));
  }
}

Test(clock, parses_what_the_rfc_allows)
{
  static const struct {
    const char *text;
    int64_t ms;
  } cases[] = {
    { "2026-01-31T12:00:00Z", 1769860800000 },
    { "2026-01-31t12:00:00z", 1769860800000 },
    { "2026-01-31T14:00:00+02:00", 1769860800000 },
    { "2026-01-31T06:30:00.5-05:30", 1769860800500 },
    { "2026-01-31T12:00:00.123456789Z", 1769860800123 },
    { "2016-12-31T23:59:60Z", 1483228800000 }, /* the leap second is the first of the next day */
    { "1970-01-01T00:00:00+00:01", -1 },       /* before 1970 */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert_eq(clock_parse(cases[i].text), cases[i].ms, "%s gave %" PRId64, cases[i].text,
                 clock_parse(cases[i].text));
}

Test(clock, refuses_what_is_no_time)
{
  static const char *const bad[] = { "",
                                     "now",
                                     "2026-01-31",
                                     "2026-01-31T12:00:00",
                                     "2026-01-31 12:00:00Z",
                                     "2026-02-29T12:00:00Z",
                                     "2026-13-01T12:00:00Z",
                                     "2026-00-01T12:00:00Z",
                                     "2026-01-31T24:00:00Z",
                                     "2026-01-31T12:60:00Z",
                                     "2026-01-31T12:00:61Z",
                                     "2026-01-31T12:00:00.Z",
                                     "2026-01-31T12:00:00Zx",
                                     "2026-01-31T12:00:00+2:00",
                                     "2026-01-31T12:00:00+24:00",
                                     "26-01-31T12:00:00Z" };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) cr_assert_eq(clock_parse(bad[i]), -1, "%s", bad[i]);
  cr_assert_eq(clock_parse(NULL), -1);
}

Test(clock, out_of_range_is_clamped_not_broken)
{
  char text[TIME_SIZE];
  clock_format(INT64_MAX, text);
  cr_assert_str_eq(text, "9999-12-31T23:59:59.999Z");
  clock_format(-5, text);
  cr_assert_str_eq(text, "1970-01-01T00:00:00.000Z");
}

Test(clock, monotonic_never_goes_back)
{
  int64_t last = clock_monotonic_ns();
  for (int i = 0; i < 10000; i++) {
    int64_t now = clock_monotonic_ns();
    cr_assert_geq(now, last);
    last = now;
  }
}
