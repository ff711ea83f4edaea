#include "lib/trajectory/hessian.h"

#include "lib/math/band.h"

struct block block_at(const struct transcription *t, size_t interval, double *H, struct duration_bend *bend)
{
  const size_t width = 4 * t->n, at = interval * t->n;
  return (struct block){ width, H + at * width, t->by_duration ? bend->mixed + at : NULL,
                         t->by_duration ? &bend->corner : NULL };
}

void squares_add(const struct block *block, size_t count, const double *weight, const double *rows,
                 const double *by_duration)
{
  const size_t width = block->width;
  band_squares_add(&(struct band_rows){ count, width, width, weight, rows }, width, block->H);
  for (size_t k = 0; k < count && block->mixed; k++) {
    const double by = weight[k] * by_duration[k];
    if (weight[k] == 0) continue;
    for (size_t a = 0; a < width; a++) block->mixed[a] += by * rows[k * width + a];
    *block->corner += by * by_duration[k];
  }
}

void square_add(const struct block *block, double weight, const double *row, double by_duration)
{
  squares_add(block, 1, &weight, row, &by_duration);
}

/* Where a basis function is zero, as the last one is at a knot, so are its columns. */
void torque_squares_add(const struct transcription *t, size_t p, const struct block *block, const double *weight,
                        const double *J, const double *by_duration)
{
  const size_t n = t->n, width = block->width;
  double(*b)[4] = t->basis[p];
  const bool first = b[0][0] == 0 && b[1][0] == 0 && b[2][0] == 0;
  const bool last = b[0][3] == 0 && b[1][3] == 0 && b[2][3] == 0;
  const struct band_rows rows = { n, width - (first ? n : 0) - (last ? n : 0), width, weight, J + (first ? n : 0) };
  band_squares_add(&rows, width, block->H + (first ? n * width : 0));
  for (size_t i = 0; i < n && by_duration; i++) {
    for (size_t a = 0; a < width; a++) block->mixed[a] += weight[i] * by_duration[i] * J[i * width + a];
    *block->corner += weight[i] * by_duration[i] * by_duration[i];
  }
}
