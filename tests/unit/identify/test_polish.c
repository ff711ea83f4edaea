/* A local search without derivatives finds minima that are known. */
#include <criterion/criterion.h>
#include <math.h>

#include "lib/identify/polish.h"

enum { N = 5 };

struct valley {
  size_t asked, rounds, last;
  double least;
};

/* A valley 1000 times as long as wide, turned off the axes, whose bottom is at 1, 2, .. N. */
static double cost(void *context, double *x)
{
  struct valley *valley = context;
  double sum = 0;
  valley->asked++;
  for (size_t i = 0; i < N; i++) {
    double along = 0;
    for (size_t k = 0; k < N; k++) { /* rows of an orthogonal matrix: a discrete cosine transform */
      const double scale = i ? sqrt(2.0 / N) : sqrt(1.0 / N);
      along += scale * cos(3.14159265358979323846 * ((double)k + 0.5) * (double)i / N) * (x[k] - (double)(k + 1));
    }
    sum += pow(10, 6.0 * (double)i / (N - 1)) * along * along;
  }
  return sum;
}

static bool go(void *context, size_t round, double best)
{
  struct valley *valley = context;
  cr_expect_eq(round, valley->last + 1);
  cr_expect_leq(best, valley->least);
  valley->last = round;
  valley->least = best;
  return round < valley->rounds;
}

static double search(struct valley *valley, uint64_t seed, size_t rounds, double x[N])
{
  const struct polish polish = {
    .variables = N, .rounds = rounds, .step = 0.5, .random = &seed, .cost = cost, .go = go, .context = valley
  };
  const double begin = cost(valley, x);
  valley->asked = 0;
  valley->least = begin;
  return polish_search(&polish, begin, x);
}

Test(polish, it_finds_the_bottom_of_a_narrow_valley)
{
  for (uint64_t seed = 1; seed <= 3; seed++) {
    struct valley valley = { .rounds = 1000 };
    double x[N] = { 0 };
    const double found = search(&valley, seed, 1000, x);
    cr_expect_lt(found, 1e-9, "%g", found);
    cr_expect_eq(found, cost(&valley, x));
    for (size_t i = 0; i < N; i++) cr_expect_float_eq(x[i], (double)(i + 1), 1e-4, "%zu: %g", i, x[i]);
  }
}

Test(polish, it_asks_as_often_as_it_says_and_ends_when_told)
{
  struct valley valley = { .rounds = 7 };
  double x[N] = { 0 };
  search(&valley, 1, 100, x);
  cr_expect_eq(valley.last, 7);
  cr_expect_eq(valley.asked, 7 * polish_samples(N));
}

Test(polish, what_is_best_stays_and_a_seed_gives_the_same_bits)
{
  struct valley valley = { .rounds = 20 }, again = valley;
  double bottom[N] = { 1, 2, 3, 4, 5 }, x[N] = { 0 }, y[N] = { 0 };
  cr_expect_eq(search(&valley, 1, 20, bottom), 0);
  for (size_t i = 0; i < N; i++) cr_expect_eq(bottom[i], (double)(i + 1));
  valley = again;
  cr_expect_eq(search(&valley, 9, 20, x), search(&again, 9, 20, y));
  for (size_t i = 0; i < N; i++) cr_expect_eq(x[i], y[i]);
}
