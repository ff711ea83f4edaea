#include "lib/identify/instruments.h"

#include <math.h>

#include "lib/identify/paired.h"
#include "lib/math/triangle.h"

enum { BLOCK = 64 };                  /* rows of a joint at a time */
static const double DEPENDENT = 1e-9; /* of a column's length: it is a sum of those before it */

struct instruments {
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_source *source;
  struct paired paired;
  size_t pending;                                                /* rows of each joint not yet in its triangle */
  double *triangle[ARMDYN_JOINTS_MAX], *rows[ARMDYN_JOINTS_MAX]; /* (2 m + 1)^2: of [Z X y]; BLOCK rows of it */
  double *all, *spread, *scratch; /* (2 b + 1)^2: the same of all joints; as much room; 2 (2 b + 1) */
};

/* -- gathering -- */

static void take_in(struct instruments *z)
{
  for (size_t i = 0; i < z->unknowns->n; i++) {
    const size_t width = 2 * z->paired.X->joints[i].count + 1;
    triangle_update(width, z->triangle[i], z->pending, z->rows[i], z->scratch);
  }
  z->pending = 0;
}

static void take_joint(void *context, size_t joint, const double *x, const double *instruments)
{
  struct instruments *z = context;
  const size_t m = z->paired.X->joints[joint].count;
  double *row = z->rows[joint] + z->pending * (2 * m + 1);
  memcpy(row, instruments, m * sizeof *row);
  memcpy(row + m, x, (m + 1) * sizeof *row);
}

static void end_sample(void *context)
{
  struct instruments *z = context;
  if (++z->pending == BLOCK) take_in(z);
}

static enum armdyn_status allocate(struct instruments *z)
{
  const size_t whole = 2 * z->unknowns->base_count + 1;
  z->all = malloc(whole * whole * sizeof *z->all);
  z->spread = malloc(whole * whole * sizeof *z->spread);
  z->scratch = malloc(2 * whole * sizeof *z->scratch);
  if (!z->all || !z->spread || !z->scratch) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < z->unknowns->n; i++) {
    const size_t width = 2 * z->paired.X->joints[i].count + 1;
    z->triangle[i] = calloc(width * width, sizeof *z->triangle[i]);
    z->rows[i] = malloc(BLOCK * width * sizeof *z->rows[i]);
    if (!z->triangle[i] || !z->rows[i]) return ARMDYN_EMEMORY;
  }
  return ARMDYN_OK;
}

enum armdyn_status instruments_new(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                   const struct armdyn_source *instruments, struct instruments **out,
                                   struct armdyn_error *error)
{
  struct instruments *z = calloc(1, sizeof *z);
  if (!z) return ARMDYN_EMEMORY;
  z->unknowns = unknowns;
  z->source = instruments;
  const struct paired_taker taker = { take_joint, end_sample, z };
  enum armdyn_status status = paired_open(unknowns, source, instruments, &z->paired);
  if (!status) status = allocate(z);
  if (!status) status = paired_walk(&z->paired, &taker, error);
  if (status) {
    instruments_free(z);
    return status;
  }
  take_in(z);
  *out = z;
  return ARMDYN_OK;
}

void instruments_free(struct instruments *instruments)
{
  if (!instruments) return;
  for (size_t i = 0; i < ARMDYN_JOINTS_MAX; i++) {
    free(instruments->triangle[i]);
    free(instruments->rows[i]);
  }
  free(instruments->all);
  free(instruments->spread);
  free(instruments->scratch);
  paired_close(&instruments->paired);
  free(instruments);
}

const struct armdyn_source *instruments_source(const struct instruments *instruments)
{
  return instruments->source;
}

/* -- the two stages -- */

/* The joints' triangles in the columns of all parameters, below each other. */
static void stack_joints(struct instruments *z, const double *weight)
{
  const size_t b = z->unknowns->base_count, whole = 2 * b + 1;
  memset(z->all, 0, whole * whole * sizeof *z->all);
  for (size_t i = 0; i < z->unknowns->n; i++) {
    const struct joint_equations *e = &z->paired.X->joints[i];
    const size_t m = e->count, width = 2 * m + 1;
    memset(z->spread, 0, width * whole * sizeof *z->spread);
    for (size_t row = 0; row < width; row++)
      for (size_t c = row; c < width; c++) {
        const size_t column = c == 2 * m ? 2 * b : c < m ? e->column[c] : b + e->column[c - m];
        z->spread[row * whole + column] = weight[i] * z->triangle[i][row * width + c];
      }
    triangle_update(whole, z->all, width, z->spread, z->scratch);
  }
}

static bool depends(const struct instruments *z, size_t k)
{
  const size_t whole = 2 * z->unknowns->base_count + 1;
  double square = 0;
  for (size_t row = 0; row <= k; row++) square += z->all[row * whole + k] * z->all[row * whole + k];
  return !(fabs(z->all[k * whole + k]) > DEPENDENT * sqrt(square));
}

void instruments_stack(struct instruments *instruments, const double *weight, double *R)
{
  struct instruments *z = instruments;
  const size_t b = z->unknowns->base_count, whole = 2 * b + 1;
  stack_joints(z, weight);
  for (size_t row = 0; row < b; row++) {
    double *to = z->spread + row * (b + 1);
    memcpy(to, z->all + row * whole + b, (b + 1) * sizeof *to);
    if (depends(z, row))
      memset(to, 0, (b + 1) * sizeof *to); /* no instrument of its own, so there is no such equation */
  }
  memset(R, 0, (b + 1) * (b + 1) * sizeof *R);
  triangle_update(b + 1, R, b, z->spread, z->scratch);
}

/* Row by row T P: the row solved by Rzz, then times Rzx. */
void instruments_project(struct instruments *instruments, double *T)
{
  struct instruments *z = instruments;
  const size_t b = z->unknowns->base_count, whole = 2 * b + 1;
  double *solved = z->scratch;
  for (size_t row = 0; row < b; row++) {
    double *to = z->spread + row * b;
    memset(solved, 0, row * sizeof *solved);
    memcpy(solved + row, T + row * b + row, (b - row) * sizeof *solved);
    triangle_solve_transposed(b, z->all, whole, solved, solved);
    memset(to, 0, b * sizeof *to);
    for (size_t k = 0; k < b; k++)
      for (size_t c = 0; c < b; c++) to[c] += solved[k] * z->all[k * whole + b + c];
  }
  memset(T, 0, b * b * sizeof *T);
  triangle_update(b, T, b, z->spread, z->scratch);
}
