/* Least squares that forget, as a triangle that new rows are factored into: see armdyn/drift.h. */
#include "lib/identify/recursive.h"

#include <math.h>

#include "lib/math/triangle.h"

/* What has faded to less would soon be subnormal, which processors are slow with. */
static const double FADED = 1e-150;

struct armdyn_recursive *armdyn_recursive_new(size_t count)
{
  struct armdyn_recursive *r = calloc(1, sizeof *r);
  const size_t width = count + 1;
  if (!r) return NULL;
  r->count = count;
  r->R = calloc(width * width, sizeof *r->R);
  r->scratch = malloc(2 * width * sizeof *r->scratch);
  if (r->R && r->scratch) return r;
  armdyn_recursive_free(r);
  return NULL;
}

void armdyn_recursive_free(struct armdyn_recursive *recursive)
{
  if (!recursive) return;
  free(recursive->R);
  free(recursive->scratch);
  free(recursive);
}

void armdyn_recursive_take(struct armdyn_recursive *recursive, size_t rows, double *equations, double forgetting)
{
  struct armdyn_recursive *r = recursive;
  const size_t width = r->count + 1;
  const double root = sqrt(forgetting), fade = pow(root, (double)rows);
  double by = 1;
  for (size_t i = 0; i < width * width; i++) {
    r->R[i] *= fade;
    if (fabs(r->R[i]) < FADED) r->R[i] = 0;
  }
  r->weight *= fade * fade;
  for (size_t k = rows; k-- > 0; by *= root) {
    for (size_t c = 0; c < width; c++) equations[k * width + c] *= by;
    r->weight += by * by;
  }
  triangle_update(width, r->R, rows, equations, r->scratch);
}

enum armdyn_status triangle_estimate(size_t count, const double *R, double *x, double *inverse, double *work)
{
  const size_t width = count + 1;
  for (size_t k = 0; k < count; k++) {
    if (R[k * width + k] == 0) return ARMDYN_ESINGULAR;
    x[k] = R[k * width + count];
  }
  triangle_solve(count, R, width, x, x);
  if (!inverse) return ARMDYN_OK;
  for (size_t i = 0; i < count; i++) { /* column i of R^-1 is row i of `work` */
    double *column = work + i * count;
    memset(column, 0, count * sizeof *column);
    column[i] = 1;
    triangle_solve(count, R, width, column, column);
  }
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j <= i; j++) { /* R^-1 R^-T; R^-1 has nothing below its diagonal */
      double sum = 0;
      for (size_t k = i; k < count; k++) sum += work[k * count + i] * work[k * count + j];
      inverse[i * count + j] = inverse[j * count + i] = sum;
    }
  return ARMDYN_OK;
}

enum armdyn_status armdyn_recursive_solve(const struct armdyn_recursive *recursive, const double *information,
                                          double *x, double *inverse)
{
  const size_t count = recursive->count, width = count + 1;
  double *memory = calloc(2 * width * width + count * count + 2 * width, sizeof *memory);
  if (!memory) return ARMDYN_EMEMORY;
  double *R = memory, *rows = R + width * width, *work = rows + width * width, *scratch = work + count * count;
  memcpy(R, recursive->R, width * width * sizeof *R);
  for (size_t k = 0; k < count && information; k++) rows[k * width + k] = sqrt(information[k]);
  if (information) triangle_update(width, R, count, rows, scratch);
  const enum armdyn_status status = triangle_estimate(count, R, x, inverse, work);
  free(memory);
  return status;
}

double armdyn_recursive_squares(const struct armdyn_recursive *recursive, const double *x)
{
  const size_t count = recursive->count, width = count + 1;
  double sum = 0;
  for (size_t i = 0; i < width; i++) {
    const double *row = recursive->R + i * width;
    double left = -row[count];
    for (size_t c = i; c < count; c++) left += row[c] * x[c];
    sum += left * left;
  }
  return sum;
}

double armdyn_recursive_weight(const struct armdyn_recursive *recursive)
{
  return recursive->weight;
}
