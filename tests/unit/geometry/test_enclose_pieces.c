/* Several bodies around a mesh: boxes that stand apart are told one by one, no further body makes more volume, and every
 * triangle lies wholly in one of them. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "armdyn/enclose.h"
#include "tests/support/outside.h"

enum { BOXES = 4, TRIANGLES = 12 * BOXES };
static const unsigned cuboid = 1U << ARMDYN_BOX, all = 1U << ARMDYN_SPHERE | 1U << ARMDYN_CAPSULE | 1U << ARMDYN_BOX;

/* Its twelve triangles, edges along the axes. */
static double *add_box(double *out, const double center[3], const double size[3])
{
  for (int axis = 0; axis < 3; axis++)
    for (int side = -1; side <= 1; side += 2)
      for (int half = 0; half < 2; half++) {
        static const int corners[2][3][2] = { { { -1, -1 }, { 1, -1 }, { 1, 1 } },
                                              { { -1, -1 }, { 1, 1 }, { -1, 1 } } };
        for (int c = 0; c < 3; c++, out += 3) {
          const int u = (axis + 1) % 3, v = (axis + 2) % 3;
          out[axis] = center[axis] + side * size[axis] / 2;
          out[u] = center[u] + corners[half][c][0] * size[u] / 2;
          out[v] = center[v] + corners[half][c][1] * size[v] / 2;
        }
      }
  return out;
}

/* Boxes on a diagonal, each of another size; how many go into `triangles`, and their volume. */
static double lay(double *triangles, int boxes)
{
  double volume = 0;
  for (int k = 0; k < boxes; k++) {
    const double size[3] = { 0.1 + 0.02 * k, 0.2, 0.15 + 0.05 * k }, center[3] = { 0.5 * k, 0.6 * k, -0.4 * k };
    triangles = add_box(triangles, center, size);
    volume += size[0] * size[1] * size[2];
  }
  return volume;
}

static size_t enclose(const double *triangles, size_t count, unsigned kinds, double margin, size_t most,
                      struct armdyn_shape *bodies, double *volume)
{
  const struct armdyn_enclosing how = { kinds, margin, most };
  struct armdyn_error error = { "", "" };
  size_t used;
  cr_assert_eq(armdyn_enclose(triangles, count, &how, bodies, &used, volume, &error), ARMDYN_OK, "%s", error.message);
  return used;
}

Test(enclose_pieces, boxes_that_stand_apart_are_told_one_by_one)
{
  double triangles[9 * TRIANGLES], volume;
  struct armdyn_shape bodies[ARMDYN_ENCLOSING_MOST];
  for (int boxes = 1; boxes <= BOXES; boxes++) {
    const double wanted = lay(triangles, boxes);
    const size_t used = enclose(triangles, (size_t)boxes * 12, cuboid, 0, ARMDYN_ENCLOSING_MOST, bodies, &volume);
    cr_assert_eq(used, (size_t)boxes, "%zu of %d", used, boxes);
    cr_assert_float_eq(volume, wanted, 1e-6 * wanted, "%d boxes: %g of %g", boxes, volume, wanted);
  }
}

Test(enclose_pieces, each_triangle_lies_in_one_body_and_more_bodies_are_no_larger)
{
  double triangles[9 * TRIANGLES], before = INFINITY, volume;
  struct armdyn_shape bodies[ARMDYN_ENCLOSING_MOST];
  lay(triangles, BOXES);
  /* a plate across two of them, whose triangles no plane parts cleanly */
  add_box(triangles + 9 * 12 * (BOXES - 1), (const double[]){ 0.25, 0.3, -0.2 }, (const double[]){ 0.9, 0.05, 0.02 });
  for (size_t most = 1; most <= ARMDYN_ENCLOSING_MOST; most++) {
    const size_t used = enclose(triangles, TRIANGLES, all, 0.004, most, bodies, &volume);
    cr_assert(used >= 1 && used <= most);
    cr_assert_leq(volume, before * (1 + 1e-12), "%zu bodies: %g after %g", most, volume, before);
    before = volume;
    for (size_t i = 0; i < TRIANGLES; i++) {
      double best = INFINITY;
      for (size_t b = 0; b < used; b++) {
        double worst = -INFINITY;
        for (size_t c = 0; c < 3; c++) worst = fmax(worst, outside(&bodies[b], triangles + 9 * i + 3 * c));
        best = fmin(best, worst);
      }
      cr_assert_leq(best, -0.004 + 1e-10, "triangle %zu of %zu bodies", i, most);
    }
  }
}

Test(enclose_pieces, nothing_is_parted_that_would_not_gain_a_tenth)
{
  double triangles[9 * 24], volume;
  struct armdyn_shape bodies[ARMDYN_ENCLOSING_MOST];
  double *next = add_box(triangles, (const double[]){ 0, 0, 0 }, (const double[]){ 0.2, 0.3, 0.4 });
  add_box(next, (const double[]){ 0.21, 0, 0 }, (const double[]){ 0.2, 0.3, 0.4 }); /* 10 mm of 410 beside it */
  cr_assert_eq(enclose(triangles, 24, cuboid, 0, 4, bodies, &volume), 1);
  cr_assert_float_eq(volume, 0.41 * 0.3 * 0.4, 1e-6);
}
