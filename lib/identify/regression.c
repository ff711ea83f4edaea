#include "lib/identify/regression.h"

#include <math.h>

#include "lib/math/triangle.h"

enum { BLOCK = 200 }; /* rows of a joint at a time: they stay in the cache with R */

static bool joint_open(const struct armdyn_unknowns *u, size_t joint, struct joint_equations *e)
{
  const unsigned char *seen = u->seen_by_joint + joint * u->base_count;
  for (size_t k = 0; k < u->base_count; k++) e->count += seen[k];
  const size_t width = e->count + 1;
  e->column = malloc(width * sizeof *e->column);
  e->R = calloc(width * width, sizeof *e->R);
  e->block = malloc(BLOCK * width * sizeof *e->block);
  if (!e->column || !e->R || !e->block) return false;
  size_t at = 0;
  for (size_t k = 0; k < u->base_count; k++) {
    if (seen[k]) e->column[at++] = k;
  }
  return true;
}

struct armdyn_regression *armdyn_regression_new(const struct armdyn_unknowns *unknowns)
{
  struct armdyn_regression *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->unknowns = unknowns;
  r->workspace = armdyn_workspace_new(unknowns->n);
  r->Y = malloc(unknowns->n * unknowns->standard_count * sizeof *r->Y);
  r->dot = malloc((unknowns->base_count + 1) * sizeof *r->dot);
  bool complete = r->workspace && r->Y && r->dot;
  for (size_t i = 0; i < unknowns->n && complete; i++) complete = joint_open(unknowns, i, &r->joints[i]);
  if (complete) return r;
  armdyn_regression_free(r);
  return NULL;
}

void armdyn_regression_free(struct armdyn_regression *regression)
{
  if (!regression) return;
  for (size_t i = 0; i < regression->unknowns->n; i++) {
    free(regression->joints[i].column);
    free(regression->joints[i].R);
    free(regression->joints[i].block);
  }
  armdyn_workspace_free(regression->workspace);
  free(regression->Y);
  free(regression->dot);
  free(regression);
}

/* What is pending goes into the triangles. */
static void take_in(struct armdyn_regression *r)
{
  for (size_t i = 0; i < r->unknowns->n; i++) {
    struct joint_equations *e = &r->joints[i];
    triangle_update(e->count + 1, e->R, r->pending, e->block, r->dot);
  }
  r->pending = 0;
}

void armdyn_regression_add(struct armdyn_regression *regression, const struct armdyn_motion *motion,
                           const double *weights)
{
  struct armdyn_regression *r = regression;
  const struct armdyn_unknowns *u = r->unknowns;
  const size_t n = u->n;
  for (size_t k = 0; k < motion->count; k++) {
    armdyn_regressor(u->robot, &u->choice, motion->q + k * n, motion->qd + k * n, motion->qdd + k * n, r->workspace,
                     r->Y);
    for (size_t i = 0; i < n; i++) {
      struct joint_equations *e = &r->joints[i];
      const double *Y = r->Y + i * u->standard_count, weight = weights ? weights[k * n + i] : 1;
      double *row = e->block + r->pending * (e->count + 1);
      for (size_t c = 0; c < e->count; c++) row[c] = weight * Y[armdyn_base_parameter_lead(u->base, e->column[c])];
      row[e->count] = weight * motion->tau[k * n + i];
    }
    if (++r->pending == BLOCK) take_in(r);
  }
  r->samples += motion->count;
  take_in(r);
}

void armdyn_regression_merge(struct armdyn_regression *into, const struct armdyn_regression *from)
{
  for (size_t i = 0; i < into->unknowns->n; i++) {
    struct joint_equations *e = &into->joints[i];
    const double *R = from->joints[i].R;
    const size_t width = e->count + 1;
    for (size_t row = 0; row < width; row += BLOCK) {
      const size_t rows = width - row < BLOCK ? width - row : BLOCK;
      memcpy(e->block, R + row * width, rows * width * sizeof *R);
      /* Below its diagonal R holds nothing, and is not kept at 0. */
      for (size_t k = 0; k < rows; k++) memset(e->block + k * width, 0, (row + k) * sizeof *R);
      triangle_update(width, e->R, rows, e->block, into->dot);
    }
  }
  into->samples += from->samples;
}

size_t armdyn_regression_sample_count(const struct armdyn_regression *regression)
{
  return regression->samples;
}

void armdyn_regression_squares(const struct armdyn_regression *regression, const double *beta, double *left,
                               double *torque)
{
  for (size_t i = 0; i < regression->unknowns->n; i++) {
    const struct joint_equations *e = &regression->joints[i];
    const size_t width = e->count + 1;
    left[i] = torque[i] = 0;
    for (size_t row = 0; row < width; row++) {
      const double *R = e->R + row * width;
      double sum = -R[e->count];
      for (size_t c = row; c < e->count; c++) sum += R[c] * beta[e->column[c]];
      left[i] += sum * sum;
      torque[i] += R[e->count] * R[e->count];
    }
  }
}

void regression_stack(const struct armdyn_regression *regression, const double *weight, double *R, double *scratch)
{
  const size_t b = regression->unknowns->base_count, all = b + 1;
  for (size_t i = 0; i < regression->unknowns->n; i++) {
    const struct joint_equations *e = &regression->joints[i];
    const size_t width = e->count + 1;
    memset(scratch, 0, width * all * sizeof *scratch);
    for (size_t row = 0; row < width; row++) {
      for (size_t c = row; c < width; c++) {
        const size_t column = c < e->count ? e->column[c] : b;
        scratch[row * all + column] = weight[i] * e->R[row * width + c];
      }
    }
    triangle_update(all, R, width, scratch, scratch + all * all);
  }
}
