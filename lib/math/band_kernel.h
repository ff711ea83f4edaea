/* Band matrices, LANES columns at a time; a template, see band_lanes.h. The includer defines LANES and has chosen the
 * instruction set. */
#include <math.h>
#include <string.h>

#include "lib/math/band.h"
#include "lib/math/band_lanes.h"

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long lane_bits __attribute__((vector_size(8 * LANES)));

static inline lanes lanes_load(const double *x)
{
  lanes out;
  memcpy(&out, x, sizeof out);
  return out;
}

/* The first `count` lanes; the others are 0. */
static inline lanes lanes_first(const double *x, size_t count)
{
  static const long long kept[2 * 8] = { -1, -1, -1, -1, -1, -1, -1, -1 };
  lane_bits bits, keep;
  memcpy(&bits, x, sizeof bits);
  memcpy(&keep, kept + 8 - count, sizeof keep);
  bits &= keep;
  lanes out;
  memcpy(&out, &bits, sizeof out);
  return out;
}

/* Columns first .. first + LANES - 1 of a row, less what the rows above have in them: row -d holds U(r - d, r) at d, and
 * what it has in these columns beyond that. */
static inline lanes columns_left(const double *row, size_t above, size_t width, size_t first)
{
  const size_t whole = first + LANES <= width ? width - first - LANES : 0, reach = width - first - 1;
  lanes even = lanes_load(row + first), odd = { 0 };
  size_t d = 1;
  for (; d + 1 <= whole && d + 1 <= above; d += 2) {
    const double *u = row - d * width + d, *v = row - (d + 1) * width + d + 1;
    even -= u[0] * lanes_load(u + first);
    odd -= v[0] * lanes_load(v + first);
  }
  for (; d <= reach && d <= above; d++) {
    const double *u = row - d * width + d;
    even -= u[0] * (d <= whole ? lanes_load(u + first) : lanes_first(u + first, width - d - first));
  }
  return even + odd;
}

/* -- LANES rows at a time --
 *
 * Columns are taken LANES at a time too, from the first of the block on. What rows above have in them is taken off all rows
 * of the block at once; then rows of the block are taken off those below them, by ratios that the first columns give; roots
 * of pivots come last, so that no row waits for one. */

/* Whole blocks need all of their columns, and room for them. */
static inline size_t block_columns(size_t width)
{
  return 2 * LANES + (width - 2) / LANES * LANES;
}
static inline bool block_fits(size_t n, size_t width, size_t r)
{
  return width >= LANES && width <= BAND_COLUMNS_MAX && r + block_columns(width) <= n;
}

/* Less what the rows above have in columns first .. first + LANES - 1 of a block, the nearest row last. */
static inline __attribute__((always_inline)) void block_left(const double *row, size_t above, size_t width,
                                                             size_t first, lanes x[LANES])
{
  const size_t reach = first < width ? width - first - 1 : 0;
  const size_t whole = first + LANES <= width ? width - first - LANES : 0;
  size_t d = reach < above ? reach : above;
  for (; d > width - LANES; d--) { /* those that only the first rows of the block know */
    const double *u = row - d * width + d;
    const lanes v = lanes_first(u + first, width - d - first);
    for (size_t i = 0; i < width - d; i++) x[i] -= u[i] * v;
  }
  for (; d > whole; d--) {
    const double *u = row - d * width + d;
    const lanes v = lanes_first(u + first, width - d - first);
    for (size_t i = 0; i < LANES; i++) x[i] -= u[i] * v;
  }
  for (; d > 0; d--) {
    const double *u = row - d * width + d;
    const lanes v = lanes_load(u + first);
    for (size_t i = 0; i < LANES; i++) x[i] -= u[i] * v;
  }
}

/* Row i of a block in these columns; of the first ones all from the diagonal on, and anything before it. */
static inline lanes block_row(const double *row, size_t width, size_t first, size_t i)
{
  const double *at = row + i * width + first - i;
  const size_t left = width + i > first ? width + i - first : 0;
  return left >= LANES ? lanes_load(at) : lanes_first(at, left);
}

static inline __attribute__((always_inline)) bool block_of(double *row, size_t above, size_t width)
{
  _Alignas(64) double out[LANES][BAND_COLUMNS_MAX + 2 * LANES];
  double ratio[LANES][LANES], scale[LANES];
  lanes x[LANES];
  for (size_t i = 0; i < LANES; i++) x[i] = block_row(row, width, 0, i);
  block_left(row, above, width, 0, x);
  for (size_t i = 0; i < LANES; i++) {
    scale[i] = x[i][i];
    if (!(scale[i] > 0) || isinf(scale[i])) return false;
    const lanes ratios = x[i] / scale[i];
    for (size_t k = i + 1; k < LANES; k++) x[k] -= (ratio[i][k] = ratios[k]) * x[i];
  }
  for (size_t i = 0; i < LANES; i++) scale[i] = 1 / sqrt(scale[i]);
  for (size_t first = 0; first < block_columns(width); first += LANES) {
    if (first > 0) {
      for (size_t i = 0; i < LANES; i++) x[i] = block_row(row, width, first, i);
      block_left(row, above, width, first, x);
      for (size_t i = 0; i < LANES; i++)
        for (size_t k = i + 1; k < LANES; k++) x[k] -= ratio[i][k] * x[i];
    }
    for (size_t i = 0; i < LANES; i++) *(lanes *)(out[i] + first) = scale[i] * x[i];
  }
  for (size_t i = 0; i < LANES; i++) {
    size_t c = 0;
    for (; c + LANES <= width; c += LANES) {
      const lanes whole = lanes_load(out[i] + i + c);
      memcpy(row + i * width + c, &whole, sizeof whole);
    }
    for (; c < width; c++) row[i * width + c] = out[i][i + c];
  }
  return true;
}

/* Six and seven joints: with a width that the compiler knows there is no counting. */
static bool block_factor(double *row, size_t above, size_t width)
{
  switch (width) {
  case 24: return block_of(row, above, 24);
  case 28: return block_of(row, above, 28);
  default: return block_of(row, above, width);
  }
}

static bool factor(size_t n, size_t width, double *A)
{
  size_t r = 0;
  for (; block_fits(n, width, r); r += LANES)
    if (!block_factor(A + r * width, r < width - 1 ? r : width - 1, width)) return false;
  for (; r < n; r++) {
    double *row = A + r * width, scale = 1;
    const size_t length = n - r < width ? n - r : width, above = r < width - 1 ? r : width - 1;
    for (size_t first = 0; first < length; first += LANES) {
      /* the last columns of the last rows may lie beyond the matrix: not read, not written */
      const size_t count = length - first < LANES ? length - first : LANES;
      double buffer[LANES] = { 0 };
      lanes x;
      if (count == LANES && first + LANES <= width) {
        x = columns_left(row, above, width, first);
      } else {
        memcpy(buffer, row + first, count * sizeof *buffer);
        for (size_t d = 1; d <= above && d + first < width; d++) {
          const double *u = row - d * width + d;
          for (size_t c = 0; c < count && d + first + c < width; c++) buffer[c] -= u[0] * u[first + c];
        }
        memcpy(&x, buffer, sizeof x);
      }
      if (first == 0) {
        const double pivot = x[0];
        if (!(pivot > 0) || isinf(pivot)) return false;
        scale = 1 / sqrt(pivot);
      }
      x *= scale;
      memcpy(row + first, &x, count * sizeof *row);
    }
  }
  return true;
}

/* -- one right-hand side -- */

/* x = U'^-1 x in the rows of a block; what they are of those below is taken off these. */
static inline void block_forward(const double *row, size_t width, double *x)
{
  double y[LANES] = { 0 };
  for (size_t i = 0; i < LANES; i++) {
    double left = x[i];
    const double inverse = 1 / row[i * width];
    for (size_t k = 0; k < i; k++) left -= row[k * width + i - k] * y[k];
    x[i] = y[i] = left * inverse;
  }
  for (size_t first = LANES; first < block_columns(width); first += LANES) {
    lanes left = lanes_load(x + first);
    for (size_t i = 0; i < LANES; i++) left -= y[i] * block_row(row, width, first, i);
    memcpy(x + first, &left, sizeof left);
  }
}

/* x = U^-1 x in the rows of a block, those below are known. */
static inline void block_backward(const double *row, size_t width, double *x)
{
  lanes sum[LANES] = { { 0 } }, y = { 0 };
  for (size_t first = LANES; first < block_columns(width); first += LANES) {
    const lanes known = lanes_load(x + first);
    for (size_t i = 0; i < LANES; i++) sum[i] += known * block_row(row, width, first, i);
  }
  for (size_t i = LANES; i-- > 0;) {
    double left = x[i], more = 0;
    const double inverse = 1 / row[i * width];
    for (size_t k = 0; k < LANES; k += 2) left -= sum[i][k], more -= sum[i][k + 1];
    left += more;
    for (size_t k = LANES; k-- > i + 1;) left -= row[i * width + k - i] * y[k];
    y[i] = left * inverse;
  }
  memcpy(x, &y, sizeof y);
}

static void solve(size_t n, size_t width, const double *U, double *x)
{
  size_t r = 0;
  for (; block_fits(n, width, r); r += LANES) block_forward(U + r * width, width, x + r);
  const size_t blocks = r;
  for (; r < n; r++) {
    const double *row = U + r * width;
    const size_t length = n - r < width ? n - r : width;
    x[r] /= row[0];
    for (size_t c = 1; c < length; c++) x[r + c] -= row[c] * x[r];
  }
  while (r-- > blocks) {
    const double *row = U + r * width;
    const size_t length = n - r < width ? n - r : width;
    double sum[4] = { x[r] }; /* four at a time, as none waits for another */
    for (size_t c = 1; c < length; c++) sum[c % 4] -= row[c] * x[r + c];
    x[r] = (sum[0] + sum[1] + sum[2] + sum[3]) / row[0];
  }
  for (r = blocks; r > 0; r -= LANES) block_backward(U + (r - LANES) * width, width, x + r - LANES);
}

/* -- several right-hand sides -- */

/* Row r of scratch: element r of up to LANES sides. */
static void sides_solve(size_t n, size_t width, const double *U, lanes *x)
{
  for (size_t r = 0; r < n; r++) {
    const double *row = U + r * width;
    const size_t length = n - r < width ? n - r : width;
    x[r] /= row[0];
    for (size_t c = 1; c < length; c++) x[r + c] -= row[c] * x[r];
  }
  for (size_t r = n; r-- > 0;) {
    const double *row = U + r * width;
    const size_t length = n - r < width ? n - r : width;
    lanes sum[4] = { x[r], { 0 }, { 0 }, { 0 } };
    for (size_t c = 1; c < length; c++) sum[c % 4] -= row[c] * x[r + c];
    x[r] = (sum[0] + sum[1] + sum[2] + sum[3]) / row[0];
  }
}

static void solve_all(size_t n, size_t width, const double *U, size_t count, size_t stride, double *x, double *scratch)
{
  lanes *side = (lanes *)scratch;
  for (size_t first = 0; first < count; first += LANES) {
    const size_t sides = count - first < LANES ? count - first : LANES;
    for (size_t r = 0; r < n; r++) {
      side[r] = (lanes){ 0 };
      for (size_t i = 0; i < sides; i++) side[r][i] = x[(first + i) * stride + r];
    }
    sides_solve(n, width, U, side);
    for (size_t i = 0; i < sides; i++)
      for (size_t r = 0; r < n; r++) x[(first + i) * stride + r] = side[r][i];
  }
}

/* -- squares -- */

enum { GROUP = 8 };

struct group {
  double weight[GROUP];
  _Alignas(64) double row[GROUP][BAND_COLUMNS_MAX];
};

/* All lanes but the first `count`; those are 0. */
static inline lanes lanes_beyond(lanes x, size_t count)
{
  static const long long kept[2 * 8] = { 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1 };
  lane_bits bits, keep;
  memcpy(&bits, &x, sizeof bits);
  memcpy(&keep, kept + 8 - count, sizeof keep);
  bits &= keep;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Columns first .. first + LANES - 1 of row a, from its diagonal on; there is 0 to add to what lies beside them. */
static inline void columns_add(double *A, const double *end, size_t width, size_t a, size_t first, lanes sum)
{
  double *out = A + a * width - a + first;
  if (first < a) sum = lanes_beyond(sum, a - first);
  if (out + LANES <= end) {
    sum += lanes_load(out);
    memcpy(out, &sum, sizeof sum);
    return;
  }
  for (size_t l = 0; out + l < end && l < LANES; l++) out[l] += sum[l];
}

/* Two rows of the result at a time: every column that is loaded serves both. */
static inline __attribute__((always_inline)) void group_add(const struct group *g, size_t count, size_t length,
                                                            size_t width, double *A)
{
  const double *end = A + length * width;
  for (size_t a = 0; a < length; a += 2) {
    double by[2][GROUP];
    for (size_t i = 0; i < count; i++) {
      by[0][i] = g->weight[i] * g->row[i][a];
      by[1][i] = g->weight[i] * g->row[i][a + 1];
    }
    for (size_t first = a - a % LANES; first < length; first += LANES) {
      lanes sum[2] = { { 0 }, { 0 } };
      for (size_t i = 0; i < count; i++) {
        const lanes x = *(const lanes *)(g->row[i] + first);
        sum[0] += by[0][i] * x;
        sum[1] += by[1][i] * x;
      }
      columns_add(A, end, width, a, first, sum[0]);
      if (a + 1 < length) columns_add(A, end, width, a + 1, first, sum[1]);
    }
  }
}

/* With zeros to the end of its last lanes.
 *   end  in  of what may be read */
static inline void row_copy(const double *row, size_t length, const double *end, double *out)
{
  size_t c = 0;
  for (; c + LANES <= length; c += LANES) *(lanes *)(out + c) = lanes_load(row + c);
  if (c == length) return;
  lanes last = { 0 };
  if (row + c + LANES <= end)
    last = lanes_first(row + c, length - c);
  else
    for (size_t l = 0; c + l < length; l++) last[l] = row[c + l];
  *(lanes *)(out + c) = last;
}

static void squares_add(const struct band_rows *rows, size_t width, double *A)
{
  const double *end = rows->data + (rows->count > 0 ? (rows->count - 1) * rows->stride + rows->length : 0);
  struct group g;
  for (size_t next = 0, count; next < rows->count;) {
    for (count = 0; count < GROUP && next < rows->count; next++) {
      if (rows->weight[next] == 0) continue;
      g.weight[count] = rows->weight[next];
      row_copy(rows->data + next * rows->stride, rows->length, end, g.row[count]);
      count++;
    }
    switch (count) { /* a count that is known makes a loop without counting */
    case 0: break;
    case 1: group_add(&g, 1, rows->length, width, A); break;
    case 2: group_add(&g, 2, rows->length, width, A); break;
    case 3: group_add(&g, 3, rows->length, width, A); break;
    case 4: group_add(&g, 4, rows->length, width, A); break;
    case 5: group_add(&g, 5, rows->length, width, A); break;
    case 6: group_add(&g, 6, rows->length, width, A); break;
    case 7: group_add(&g, 7, rows->length, width, A); break;
    default: group_add(&g, 8, rows->length, width, A); break;
    }
  }
}
