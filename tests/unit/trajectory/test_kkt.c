/* Newton's equations with their border: what is found solves the whole system, multiplied out. */
#include <criterion/criterion.h>

#include "lib/math/band.h"
#include "lib/trajectory/kkt.h"
#include "tests/support/robots.h"

enum { ORDER = 30, WIDTH = 6, FIRST = 4, COUNT = 22, UNKNOWNS = 3, EQUATIONS = 2 };

/* H is positive definite, by its diagonal. What stands in the columns beside the free elements must not count. */
static void system_open(struct kkt *k, struct dice *dice, size_t unknowns, size_t equations, double *H, void **memory)
{
  struct carve size = { 0 };
  *k = (struct kkt){ ORDER, WIDTH, FIRST, COUNT, unknowns, equations, .factor = H };
  kkt_carve(k, &size);
  cr_assert_not_null(*memory = aligned_alloc(64, size.used + 64));
  struct carve room = { *memory, 0 };
  kkt_carve(k, &room);
  dice_fill(dice, H, (size_t)ORDER * WIDTH, -1, 1);
  dice_fill(dice, k->mixed, unknowns * ORDER, -1, 1);
  dice_fill(dice, k->equal, equations * ORDER, -1, 1);
  dice_fill(dice, k->across, equations * unknowns, -1, 1);
  for (size_t i = 0; i < ORDER; i++) H[i * WIDTH] += 3 * WIDTH;
  for (size_t i = 0; i < unknowns; i++)
    for (size_t j = i; j < unknowns; j++)
      k->corner[i * unknowns + j] = k->corner[j * unknowns + i] = dice_uniform(dice, -1, 1) + (i == j ? 10 : 0);
}

/* Row i of H times x, of the free elements. */
static double times(const double *H, size_t i, const double *x)
{
  double sum = 0;
  for (size_t j = FIRST; j < FIRST + COUNT; j++) {
    const size_t low = i < j ? i : j, off = i < j ? j - i : i - j;
    if (off < WIDTH) sum += H[low * WIDTH + off] * x[j];
  }
  return sum;
}

static double along(const double *a, const double *b)
{
  double sum = 0;
  for (size_t i = FIRST; i < FIRST + COUNT; i++) sum += a[i] * b[i];
  return sum;
}

/* | H M A' | M' D E' | A E 0 | times what was found is the right side. */
static void expect_solved(size_t unknowns, size_t equations, struct dice *dice)
{
  struct kkt k;
  double factor[ORDER * WIDTH], H[ORDER * WIDTH], D[UNKNOWNS * UNKNOWNS], g[ORDER], gy[UNKNOWNS], r[EQUATIONS];
  double x[ORDER], y[UNKNOWNS], lambda[EQUATIONS];
  void *memory;
  system_open(&k, dice, unknowns, equations, factor, &memory);
  memcpy(H, factor, sizeof H);
  memcpy(D, k.corner, unknowns * unknowns * sizeof *D);
  dice_fill(dice, g, ORDER, -1, 1), dice_fill(dice, gy, UNKNOWNS, -1, 1), dice_fill(dice, r, EQUATIONS, -1, 1);
  memcpy(x, g, sizeof x), memcpy(y, gy, sizeof y);
  cr_assert(band_factor(COUNT, WIDTH, factor + (size_t)FIRST * WIDTH));
  cr_assert(kkt_reduce(&k));
  kkt_solve(&k, x, y, r, lambda);
  for (size_t i = FIRST; i < FIRST + COUNT; i++) {
    double sum = times(H, i, x);
    for (size_t u = 0; u < unknowns; u++) sum += k.mixed[u * ORDER + i] * y[u];
    for (size_t e = 0; e < equations; e++) sum += k.equal[e * ORDER + i] * lambda[e];
    cr_expect_float_eq(sum, g[i], 1e-10, "%zu unknowns, %zu equations: row %zu", unknowns, equations, i);
  }
  for (size_t u = 0; u < unknowns; u++) {
    double sum = along(k.mixed + u * ORDER, x);
    for (size_t v = 0; v < unknowns; v++) sum += D[u * unknowns + v] * y[v];
    for (size_t e = 0; e < equations; e++) sum += k.across[e * unknowns + u] * lambda[e];
    cr_expect_float_eq(sum, gy[u], 1e-10, "%zu unknowns, %zu equations: unknown %zu", unknowns, equations, u);
  }
  for (size_t e = 0; e < equations; e++) {
    double sum = along(k.equal + e * ORDER, x);
    for (size_t u = 0; u < unknowns; u++) sum += k.across[e * unknowns + u] * y[u];
    cr_expect_float_eq(sum, -r[e], 1e-10, "%zu unknowns, %zu equations: equation %zu", unknowns, equations, e);
  }
  free(memory);
}

Test(kkt, solves_the_whole_system)
{
  struct dice dice = { 20261122 };
  for (size_t unknowns = 0; unknowns <= UNKNOWNS; unknowns++)
    for (size_t equations = 0; equations <= EQUATIONS; equations++) expect_solved(unknowns, equations, &dice);
}
