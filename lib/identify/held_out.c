#include "lib/identify/held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/math/linear.h"

static const double RIDGE = 1e-10;

bool joint_parts_open(struct joint_parts *parts, size_t width)
{
  *parts = (struct joint_parts){ .width = width, .gram = calloc(HELD_OUT_PARTS * width * width, sizeof *parts->gram) };
  return parts->gram;
}

void joint_parts_close(struct joint_parts *parts)
{
  free(parts->gram);
  *parts = (struct joint_parts){ .width = 0 };
}

void joint_parts_clear(struct joint_parts *parts)
{
  memset(parts->gram, 0, HELD_OUT_PARTS * parts->width * parts->width * sizeof *parts->gram);
}

size_t part_of(size_t sample, size_t total)
{
  const size_t part = sample * HELD_OUT_PARTS / total;
  return part < HELD_OUT_PARTS ? part : HELD_OUT_PARTS - 1;
}

void joint_parts_add(struct joint_parts *parts, size_t part, const double *row)
{
  const size_t w = parts->width;
  double *gram = parts->gram + part * w * w;
  for (size_t a = 0; a < w; a++)
    for (size_t b = 0; b <= a; b++) gram[a * w + b] += row[a] * row[b];
}

bool joint_parts_solve(const struct joint_parts *parts, size_t count, size_t without, double *x)
{
  const size_t w = parts->width;
  double *A = calloc(count * count + count + 1, sizeof *A), *scale = A ? A + count * count : NULL;
  if (!A) return false;
  memset(x, 0, w * sizeof *x);
  for (size_t part = 0; part < HELD_OUT_PARTS; part++) {
    const double *gram = parts->gram + part * w * w;
    if (part == without) continue;
    for (size_t a = 0; a < count; a++) {
      for (size_t b = 0; b <= a; b++) A[a * count + b] += gram[a * w + b];
      x[a] += gram[(w - 1) * w + a];
    }
  }
  for (size_t a = 0; a < count; a++) {
    double *diagonal = &A[a * count + a];
    *diagonal = *diagonal > 0 ? *diagonal * (1 + RIDGE) : 1;
  }
  const bool definite = scaled_cholesky_factor(count, A, scale);
  if (definite) scaled_cholesky_solve(count, A, scale, x);
  free(A);
  return definite;
}

double joint_parts_left(const struct joint_parts *parts, size_t part, size_t count, const double *x)
{
  const size_t w = parts->width;
  const double *gram = parts->gram + part * w * w;
  double left = gram[w * w - 1];
  for (size_t a = 0; a < count; a++) {
    left += x[a] * (gram[a * w + a] * x[a] - 2 * gram[(w - 1) * w + a]);
    for (size_t b = 0; b < a; b++) left += 2 * x[a] * gram[a * w + b] * x[b];
  }
  return fmax(left, 0);
}
