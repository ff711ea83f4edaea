/* Gains of drives from loads whose mass alone is known: two joints whose equations can be solved by hand. */
#include <criterion/criterion.h>

#include "lib/identify/gain_by_mass.h"

enum { WIDTH = LOAD_UNKNOWNS + 2 }; /* t, U, v */

/* a1 (2 + x) = 1.15 and a1 x = 0.15: a1 = 1/2, x = 0.3. The second joint has a2 x = 0.6 alone, which tells its gain through x
 * of the first. A third has nothing: nothing is told of it. */
Test(gain_by_mass, a_joint_without_a_mass_of_its_own_is_told_by_what_another_found)
{
  static double first[WIDTH * WIDTH], second[WIDTH * WIDTH], third[WIDTH * WIDTH];
  const struct gain_problem problem = {
    .n = 3, .unknowns = LOAD_UNKNOWNS, .rows = { first, second, third }, .stride = { WIDTH, WIDTH, WIDTH }
  };
  static struct gain_solution solution;
  first[0] = 2, first[1] = 1, first[WIDTH - 1] = 1.15;
  first[WIDTH + 1] = 1, first[2 * WIDTH - 1] = 0.15;
  second[WIDTH + 1] = 1, second[2 * WIDTH - 1] = 0.6;
  cr_assert_eq(gain_by_mass(&problem, &solution), ARMDYN_OK);
  cr_expect_float_eq(solution.inverse[0], 0.5, 1e-9);
  cr_expect_float_eq(solution.inverse[1], 2, 1e-9);
  cr_expect_float_eq(solution.more[0], 0.3, 1e-9);
  cr_expect(solution.told[0] && solution.told[1] && solution.told_more[0]);
  cr_expect_not(solution.told[2]);
  for (int k = 1; k < LOAD_UNKNOWNS; k++) cr_expect_not(solution.told_more[k]);
}

Test(gain_by_mass, without_unknowns_it_is_a_ratio)
{
  static double rows[4] = { 4, 3, 0, 0.1 };
  const struct gain_problem problem = { .n = 1, .rows = { rows }, .stride = { 2 } };
  static struct gain_solution solution;
  cr_assert_eq(gain_by_mass(&problem, &solution), ARMDYN_OK);
  cr_expect_float_eq(solution.inverse[0], 0.75, 1e-12);
  cr_expect(solution.told[0]);
}
