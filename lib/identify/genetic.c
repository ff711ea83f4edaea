#include "lib/identify/genetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"

enum { KEPT = 2, RIVALS = 3 };
/* How far beyond its parents a child may be, as a part of their distance; how much it differs by chance at first and at
 * the end; and how many of its variables do. */
static const double BEYOND = 0.3, STRAY_FIRST = 0.3, STRAY_LAST = 0.02, STRAYING = 3;

struct one {
  double *x;
  double cost;
};

static int by_cost(const void *a, const void *b)
{
  const struct one *x = a, *y = b;
  return (x->cost > y->cost) - (x->cost < y->cost);
}

/* The best of some chosen by lot; they stand in order. */
static const double *parent(const struct genetic *g, const struct one *all)
{
  double lot = 1;
  for (int k = 0; k < RIVALS; k++) lot = fmin(lot, random_unit(g->random));
  return all[(size_t)(lot * (double)g->population)].x;
}

/* By blocks from either parent, or everything from between and a little beyond them. */
static void cross(const struct genetic *g, const double *mother, const double *father, double *child)
{
  const bool blocks = random_unit(g->random) < 0.3;
  bool hers = true;
  for (size_t k = 0; k < g->variables; k++) {
    if (blocks) {
      if (k % g->block == 0) hers = random_unit(g->random) < 0.5;
      child[k] = hers ? mother[k] : father[k];
    } else {
      const double share = (1 + 2 * BEYOND) * random_unit(g->random) - BEYOND;
      child[k] = mother[k] + share * (father[k] - mother[k]);
    }
  }
}

static void stray(const struct genetic *g, size_t generation, double *child)
{
  const double way = (double)generation / (double)g->generations;
  const double size = STRAY_FIRST * pow(STRAY_LAST / STRAY_FIRST, way);
  for (size_t k = 0; k < g->variables; k++) {
    if (random_unit(g->random) * (double)g->variables < STRAYING) child[k] += size * random_normal(g->random);
  }
}

double genetic_search(const struct genetic *genetic, double *best)
{
  const struct genetic *g = genetic;
  const size_t count = 2 * g->population;
  struct one *all = malloc(count * sizeof *all);
  double *memory = malloc(count * g->variables * sizeof *memory), least = NAN;
  if (!all || !memory) goto out;
  for (size_t i = 0; i < count; i++) {
    all[i] = (struct one){ memory + i * g->variables, INFINITY };
    if (i >= g->population) continue;
    for (size_t k = 0; k < g->variables; k++) all[i].x[k] = random_symmetric(g->random);
    all[i].cost = g->cost(g->context, all[i].x);
  }
  qsort(all, g->population, sizeof *all, by_cost);
  for (size_t generation = 0; generation < g->generations; generation++) {
    for (size_t i = g->population; i < count - KEPT; i++) {
      cross(g, parent(g, all), parent(g, all), all[i].x);
      stray(g, generation, all[i].x);
      all[i].cost = g->cost(g->context, all[i].x);
    }
    /* the two best stand in for the last two children */
    for (size_t k = 0; k < KEPT; k++) {
      const struct one kept = all[k];
      all[k] = all[count - KEPT + k];
      all[count - KEPT + k] = kept;
    }
    for (size_t i = 0; i < g->population; i++) {
      const struct one old = all[i];
      all[i] = all[g->population + i];
      all[g->population + i] = old;
    }
    qsort(all, g->population, sizeof *all, by_cost);
    if (!g->go(g->context, generation + 1, all[0].cost)) break;
  }
  memcpy(best, all[0].x, g->variables * sizeof *best);
  least = all[0].cost;
out:
  free(all);
  free(memory);
  return least;
}
