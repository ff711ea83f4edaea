/* Parameters written into a model come out of it again. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "tests/support/robots.h"

#include "armdyn/armdyn.h"

static const struct armdyn_parameter_choice all = { .rotors = ARMDYN_ROTORS_ALL };

static void value_of(const struct armdyn_robot *robot, double **values, size_t *count)
{
  *count = armdyn_parameter_count(robot, &all);
  *values = malloc(*count * sizeof **values);
  armdyn_parameters(robot, &all, *values);
}

/* Random robots with payloads: scale every parameter, adopt, build, and read them back. */
Test(adopt, what_is_written_is_read)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 7 };
  for (size_t n = 1; n < 8; n++) {
    struct armdyn_robot *robot = NULL, *adopted = NULL;
    struct armdyn_parameter_value parameters[8 * 32];
    double *values, *got;
    size_t count, again;
    random_description(&dice, &d, n, (enum armdyn_convention)(n % 3));
    cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
    value_of(robot, &values, &count);
    for (size_t i = 0; i < count; i++) {
      parameters[i] = (struct armdyn_parameter_value){ armdyn_parameter_at(robot, &all, i), values[i] *= 1.25 };
    }
    cr_assert_eq(armdyn_adopt_parameters(&d, parameters, count, 7, NULL), ARMDYN_OK);
    cr_assert_eq(armdyn_robot_new(&d, &adopted, NULL), ARMDYN_OK);
    value_of(adopted, &got, &again);
    cr_assert_eq(again, count);
    for (size_t i = 0; i < count; i++)
      cr_expect_float_eq(got[i], values[i], 1e-12 * (1 + fabs(values[i])), "parameter %zu of %zu joints: %g, not %g", i,
                         n, got[i], values[i]);
    free(values);
    free(got);
    armdyn_robot_free(robot);
    armdyn_robot_free(adopted);
  }
}

Test(adopt, refuses_what_is_no_parameter)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 3 };
  struct armdyn_error error;
  random_description(&dice, &d, 2, ARMDYN_DH);
  const struct armdyn_parameter_value wrong[] = {
    { { 2, ARMDYN_PARAMETER_LINK, 0, 0 }, 1 },                                   /* no such joint */
    { { 0, ARMDYN_PARAMETER_FRICTION, ARMDYN_PARAMETER_STRIBECK_SLOPE, 0 }, 1 }, /* no number of a model */
    { { 0, ARMDYN_PARAMETER_FRICTION, ARMDYN_PARAMETER_LINE_AMPLITUDE, 9 }, 1 }, /* no such line */
    { { 0, ARMDYN_PARAMETER_FRICTION, ARMDYN_PARAMETER_OFFSET, 1 }, 1 },         /* an offset has no lines */
    { { 0, ARMDYN_PARAMETER_LINK, 0, 0 }, 1 },                                   /* nine others are missing */
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    cr_expect_eq(armdyn_adopt_parameters(&d, &wrong[i], 1, 7, &error), ARMDYN_EINPUT, "row %zu", i);
}
