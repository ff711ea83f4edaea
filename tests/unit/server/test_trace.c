/* Trace context: samples of the W3C's own rules (level 1, section 3.2). */
#include <criterion/criterion.h>

#include "server/base/trace.h"

#define SOUND "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

static bool goes_on(const char *caller)
{
  char traceparent[TRACE_SIZE];
  trace_make(caller, 1, 1, traceparent);
  return !strncmp(traceparent, "00-4bf92f3577b34da6a3ce929d0e0e4736-", 36);
}

Test(trace, callers)
{
  static const char *const sound[] = { SOUND, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
                                       "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                       "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes-later" };
  static const char *const unsound[] = { "",
                                         "00",
                                         SOUND "-x",
                                         "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
                                         "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                         "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                                         "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                                         "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-001",
                                         "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
                                         "0-04bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
  for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) cr_expect(goes_on(sound[i]), "%s", sound[i]);
  for (size_t i = 0; i < sizeof unsound / sizeof *unsound; i++) cr_expect(!goes_on(unsound[i]), "%s", unsound[i]);
}

Test(trace, a_request_is_a_span_of_its_own)
{
  char a[TRACE_SIZE], b[TRACE_SIZE], id[TRACE_ID_SIZE];
  trace_make("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", 7, 1, a);
  trace_make("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", 7, 2, b);
  cr_expect(strncmp(a + 36, "00f067aa0ba902b7", 16) && strncmp(a + 36, b + 36, 16));
  cr_expect_str_eq(a + 52, "-00"); /* whether it is recorded is the caller's word */
  trace_id(a, id);
  cr_expect_str_eq(id, "4bf92f3577b34da6a3ce929d0e0e4736");
  trace_id("", id);
  cr_expect_str_eq(id, "");
}

Test(trace, begun_ones_are_sound_and_differ)
{
  char former[TRACE_SIZE] = "", next[TRACE_SIZE], again[TRACE_SIZE];
  for (uint64_t number = 0; number < 1000; number++) {
    trace_make(NULL, 42, number, next);
    cr_assert_eq(strlen(next), TRACE_SIZE - 1);
    trace_make(next, 42, number + 5000, again); /* taken as a caller's */
    cr_assert(!strncmp(next, again, 36) && strncmp(next, former, 36));
    memcpy(former, next, sizeof next);
  }
}
