#include <criterion/criterion.h>

#include "armdyn/armdyn.h"
#include "lib/base/carve.h"

Test(status, every_status_has_a_text_of_its_own)
{
  for (int i = 0; i < ARMDYN_STATUS_COUNT; i++) {
    for (int j = 0; j < i; j++) {
      cr_assert_str_neq(armdyn_status_text((enum armdyn_status)i), armdyn_status_text((enum armdyn_status)j));
    }
  }
  cr_assert_str_eq(armdyn_status_text(ARMDYN_OK), "ok");
  cr_assert_str_eq(armdyn_status_text(ARMDYN_STATUS_COUNT), "unknown status");
  cr_assert_str_eq(armdyn_status_text((enum armdyn_status)(-1)), "unknown status");
}

Test(status, refusals_carry_pointer_and_value)
{
  struct armdyn_error error;
  cr_assert_eq(armdyn_refuse(&error, ARMDYN_EINPUT, "/joints/2", "must be >= 0, got %g", -1.5), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/joints/2");
  cr_assert_str_eq(error.message, "must be >= 0, got -1.5");
  cr_assert_eq(armdyn_refuse(NULL, ARMDYN_EBUSY, "", "nobody listens"), ARMDYN_EBUSY);
}

Test(status, long_refusals_are_cut_not_spilt)
{
  struct armdyn_error error;
  char text[1000];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  armdyn_refuse(&error, ARMDYN_EINPUT, text, "%s", text);
  cr_assert_eq(strlen(error.pointer), sizeof error.pointer - 1);
  cr_assert_eq(strlen(error.message), sizeof error.message - 1);
}

/* Measuring and laying out by the same calls: same sizes, aligned, no overlap. */
Test(carve, measures_what_it_lays_out)
{
  _Alignas(64) unsigned char memory[512];
  struct carve measure = { NULL, 0 }, lay = { memory, 0 };
  cr_assert_null(carve(&measure, 3, sizeof(double)));
  cr_assert_null(carve(&measure, 65, 1));
  unsigned char *first = carve(&lay, 3, sizeof(double)), *second = carve(&lay, 65, 1);
  cr_assert_eq(measure.used, lay.used);
  cr_assert_eq(measure.used, 64 + 128);
  cr_assert_eq(first, memory);
  cr_assert_eq(second, memory + 64);
}

Test(status, a_refusal_may_quote_the_one_before)
{
  struct armdyn_error error = { "/q", "must be finite" };
  cr_assert_eq(armdyn_refuse(&error, ARMDYN_EINPUT, "", "data set %s: %s (%s)", "01J", error.message, error.pointer),
               ARMDYN_EINPUT);
  cr_assert_str_eq(error.message, "data set 01J: must be finite (/q)");
  cr_assert_str_eq(error.pointer, "");
}
