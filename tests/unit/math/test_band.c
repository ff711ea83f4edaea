/* Band matrices, by every kernel that this processor can run (band_avx512.c, band_avx2.c, band_neon.c, band_baseline.c):
 * A = U' U is put together again, and sums of squares are what three loops make of them. */
#include <criterion/criterion.h>

#include "lib/math/band.h"
#include "lib/math/band_lanes.h"
#include "tests/support/robots.h"

enum { N_MAX = 70, WIDTH_MAX = 32 };
static const double UNTOUCHED = 12345;

/* Random, and positive definite by its diagonal. What lies beyond the last column is UNTOUCHED. */
static void random_band(struct dice *dice, size_t n, size_t width, double *A)
{
  for (size_t r = 0; r < n; r++)
    for (size_t c = 0; c < width; c++)
      A[r * width + c] = r + c >= n ? UNTOUCHED : c > 0 ? dice_uniform(dice, -1, 1) : 2 * (double)width;
}

Test(band, factors_make_the_matrix_again)
{
  const struct band_kernels *kinds[BAND_KINDS];
  struct dice dice = { 1 };
  for (size_t kind = band_supported(kinds); kind-- > 0;)
    for (size_t width = 1; width <= WIDTH_MAX; width++)
      for (size_t n = 1; n <= N_MAX; n += 1 + n / 3) {
        static double A[N_MAX * WIDTH_MAX], U[N_MAX * WIDTH_MAX];
        random_band(&dice, n, width, A);
        memcpy(U, A, n * width * sizeof *U);
        cr_assert(kinds[kind]->factor(n, width, U));
        for (size_t r = 0; r < n; r++)
          for (size_t c = r; c < r + width; c++) {
            const size_t at = r * width + c - r, top = c >= width ? c - width + 1 : 0;
            double sum = 0;
            for (size_t k = top; k <= r && c < n; k++) sum += U[k * width + r - k] * U[k * width + c - k];
            if (c >= n) {
              cr_assert_eq(U[at], UNTOUCHED);
            } else {
              cr_assert_float_eq(sum, A[at], 1e-13 * (double)width, "%s: n %zu, width %zu: %zu %zu", kinds[kind]->name,
                                 n, width, r, c);
            }
          }
      }
}

Test(band, solves_what_it_factored)
{
  static double A[N_MAX * WIDTH_MAX], U[N_MAX * WIDTH_MAX], x[N_MAX];
  const struct band_kernels *kinds[BAND_KINDS];
  struct dice dice = { 2 };
  for (size_t kind = band_supported(kinds); kind-- > 0;)
    for (size_t width = 1; width <= WIDTH_MAX; width++) {
      const size_t n = N_MAX - width % 9;
      random_band(&dice, n, width, A);
      memcpy(U, A, n * width * sizeof *U);
      for (size_t r = 0; r < n; r++) x[r] = (double)r - 7;
      cr_assert(kinds[kind]->factor(n, width, U));
      kinds[kind]->solve(n, width, U, x);
      for (size_t r = 0; r < n; r++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++) {
          const size_t low = r < c ? r : c, off = r < c ? c - r : r - c;
          if (off < width) sum += A[low * width + off] * x[c];
        }
        cr_assert_float_eq(sum, (double)r - 7, 1e-10, "%s: width %zu", kinds[kind]->name, width);
      }
    }
}

/* A times what is solved for is each side again, whatever their number; what lies between them is left alone. */
Test(band, several_sides_are_solved_at_once)
{
  enum { SIDES = 11, STRIDE = N_MAX + 3 };
  static double A[N_MAX * WIDTH_MAX], U[N_MAX * WIDTH_MAX], x[SIDES * STRIDE];
  static _Alignas(64) double scratch[N_MAX * BAND_SIDES];
  const struct band_kernels *kinds[BAND_KINDS];
  struct dice dice = { 4 };
  for (size_t kind = band_supported(kinds); kind-- > 0;)
    for (size_t sides = 0; sides <= SIDES; sides++)
      for (size_t n = 1; n <= N_MAX; n += 23) {
        const size_t width = 1 + (3 * sides + n) % WIDTH_MAX;
        random_band(&dice, n, width, A);
        memcpy(U, A, n * width * sizeof *U);
        cr_assert(kinds[kind]->factor(n, width, U));
        for (size_t i = 0; i < SIDES * STRIDE; i++) x[i] = i % STRIDE < n ? (double)(i % 17) - 7 : UNTOUCHED;
        kinds[kind]->solve_all(n, width, U, sides, STRIDE, x, scratch);
        for (size_t i = 0; i < SIDES * STRIDE; i++) {
          const size_t side = i / STRIDE, r = i % STRIDE;
          double sum = 0;
          for (size_t c = 0; c < n && r < n; c++) {
            const size_t low = r < c ? r : c, off = r < c ? c - r : r - c;
            if (off < width) sum += A[low * width + off] * x[side * STRIDE + c];
          }
          const double meant = r >= n ? UNTOUCHED : side < sides ? (double)(i % 17) - 7 : sum;
          cr_assert_float_eq(r < n ? sum : x[i], meant, 1e-10, "%s: %zu sides, n %zu", kinds[kind]->name, sides, n);
          if (r < n && side >= sides) cr_assert_eq(x[i], (double)(i % 17) - 7);
        }
      }
}

Test(band, what_is_not_positive_definite_is_told)
{
  const struct band_kernels *kinds[BAND_KINDS];
  for (size_t kind = band_supported(kinds); kind-- > 0;)
    for (size_t bad = 0; bad < 20; bad++)
      for (int how = 0; how < 3; how++) {
        static const double pivots[] = { -1, NAN, INFINITY };
        double A[20 * 9] = { 0 };
        for (size_t r = 0; r < 20; r++) A[r * 9] = r == bad ? pivots[how] : 1;
        cr_assert_not(kinds[kind]->factor(20, 9, A), "%s: %zu %g", kinds[kind]->name, bad, pivots[how]);
      }
}

Test(band, squares_are_summed)
{
  const struct band_kernels *kinds[BAND_KINDS];
  struct dice dice = { 3 };
  for (size_t kind = band_supported(kinds); kind-- > 0;)
    for (size_t length = 1; length <= WIDTH_MAX; length++)
      for (size_t count = 0; count <= 19; count += 1 + count / 4) {
        const size_t width = length + length % 3, stride = width + 1;
        static double A[WIDTH_MAX * (WIDTH_MAX + 2)], B[WIDTH_MAX * (WIDTH_MAX + 2)], data[19 * (WIDTH_MAX + 3)];
        double weight[19];
        for (size_t i = 0; i < length * width; i++) A[i] = B[i] = dice_uniform(&dice, -1, 1);
        for (size_t i = 0; i < count * stride; i++) data[i] = dice_uniform(&dice, -1, 1);
        for (size_t i = 0; i < count; i++) weight[i] = i % 5 == 3 ? 0 : dice_uniform(&dice, -1, 3);
        kinds[kind]->squares_add(&(struct band_rows){ count, length, stride, weight, data }, width, A);
        for (size_t i = 0; i < count; i++)
          for (size_t a = 0; a < length; a++)
            for (size_t b = a; b < length; b++)
              B[a * width + b - a] += weight[i] * data[i * stride + a] * data[i * stride + b];
        for (size_t i = 0; i < length * width; i++)
          cr_assert_float_eq(A[i], B[i], 1e-12, "%s: %zu rows of %zu: %zu", kinds[kind]->name, count, length, i);
      }
}
