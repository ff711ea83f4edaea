/* Gains of drives and, of loads whose mass is known, everything else.
 *   unknowns   a_j = 1 / gain of joint j; x, first moments and inertias of the loads beyond what is stated, the same at all
 *              joints: they are what holds the joints together
 *   rows       a_j (t_j + U_j x) = v_j, joint by joint, after what no arm explains (drive_gain.c); weighted by what is left of
 *              v_j by t_j and U_j with coefficients of their own
 *   solution   Gauss and Newton's, damped (Marquardt 1963), in the scaled normal equations by their eigenvectors: what has no
 *              eigenvalue is not told, and stays
 * With the mass at the tool's origin alone, a joint whose mass column is a sum of those of first moments and inertias (the last
 * ones of a wrist) has a scale only through x, which the joints before it tell.
 * Source: Gautier & Briot 2014, Global identification of joint drive gains and dynamic parameters of robots, 4.2: a load of
 * which the mass alone was weighed. */
#include "lib/identify/gain_by_mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/math/symmetric.h"

enum { ROUNDS = 200, ALL_MOST = ARMDYN_JOINTS_MAX + GAIN_UNKNOWNS_MOST };

static const double UNTOLD = 1e-10; /* of the largest eigenvalue */
static const double SHARE = 1e-4;   /* of a parameter that lies in what is not told: it is not told either */
static const double SETTLED = 1e-12, DAMPED_MOST = 1e12, EXACT = 1e-9;

struct newton {
  const struct gain_problem *problem;
  size_t all;
  double weight[ARMDYN_JOINTS_MAX];
  double *normal, *vectors; /* all x all */
  double gradient[ALL_MOST], scale[ALL_MOST], values[ALL_MOST], scratch[3 * ALL_MOST];
};

static void weigh(struct newton *m)
{
  const struct gain_problem *p = m->problem;
  const size_t v = p->unknowns + 1;
  for (size_t j = 0; j < p->n; j++) {
    double square = 0;
    for (size_t r = 0; r <= v; r++) square += pow(p->rows[j][r * p->stride[j] + v], 2);
    const double left = fmax(fabs(p->rows[j][v * p->stride[j] + v]), EXACT * sqrt(square));
    m->weight[j] = left > 0 ? 1 / left : 0;
  }
}

/* What the load does at a row of a joint, and what is left there. */
static double load_at(const struct gain_problem *p, const struct gain_solution *s, size_t j, size_t row)
{
  const double *at = p->rows[j] + row * p->stride[j];
  double sum = row == 0 ? at[0] : 0;
  for (size_t k = row > 1 ? row - 1 : 0; k < p->unknowns; k++) sum += at[1 + k] * s->more[k];
  return sum;
}

static double cost(const struct newton *m, const struct gain_solution *s)
{
  const struct gain_problem *p = m->problem;
  double sum = 0;
  for (size_t j = 0; j < p->n; j++)
    for (size_t r = 0; r <= p->unknowns; r++) {
      const double left = s->inverse[j] * load_at(p, s, j, r) - p->rows[j][r * p->stride[j] + p->unknowns + 1];
      sum += pow(m->weight[j] * left, 2);
    }
  return sum;
}

/* The slopes of a row by a_j and x, into the normal equations. */
static void add_row(struct newton *m, const struct gain_solution *s, size_t j, size_t row)
{
  const struct gain_problem *p = m->problem;
  const double *at = p->rows[j] + row * p->stride[j], w = m->weight[j];
  const double load = load_at(p, s, j, row), left = w * (s->inverse[j] * load - at[p->unknowns + 1]);
  double slope[ALL_MOST] = { 0 };
  slope[j] = w * load;
  for (size_t k = row > 1 ? row - 1 : 0; k < p->unknowns; k++) slope[p->n + k] = w * s->inverse[j] * at[1 + k];
  for (size_t a = 0; a < m->all; a++) {
    if (slope[a] == 0) continue;
    m->gradient[a] += slope[a] * left;
    for (size_t b = 0; b <= a; b++) m->normal[a * m->all + b] += slope[a] * slope[b];
  }
}

/* Eigenvectors of the scaled normal equations. */
static void linearise(struct newton *m, const struct gain_solution *s)
{
  const size_t all = m->all;
  memset(m->normal, 0, all * all * sizeof *m->normal);
  memset(m->gradient, 0, sizeof m->gradient);
  for (size_t j = 0; j < m->problem->n; j++)
    for (size_t r = 0; r <= m->problem->unknowns; r++) add_row(m, s, j, r);
  for (size_t a = 0; a < all; a++) m->scale[a] = m->normal[a * all + a] > 0 ? sqrt(m->normal[a * all + a]) : 1;
  for (size_t a = 0; a < all; a++)
    for (size_t b = 0; b <= a; b++) m->normal[a * all + b] /= m->scale[a] * m->scale[b];
  symmetric_eigen(all, m->normal, m->values, m->vectors, m->scratch);
}

static bool is_told(const struct newton *m, size_t k)
{
  return m->values[k] > UNTOLD * m->values[m->all - 1];
}

static struct gain_solution stepped(const struct newton *m, const struct gain_solution *s, double damping)
{
  const size_t n = m->problem->n;
  struct gain_solution next = *s;
  for (size_t k = 0; k < m->all; k++) {
    double along = 0;
    if (!is_told(m, k)) continue;
    for (size_t a = 0; a < m->all; a++) along -= m->vectors[k * m->all + a] * m->gradient[a] / m->scale[a];
    along /= m->values[k] + damping;
    for (size_t a = 0; a < m->all; a++) {
      const double step = m->vectors[k * m->all + a] * along / m->scale[a];
      *(a < n ? &next.inverse[a] : &next.more[a - n]) += step;
    }
  }
  return next;
}

/* The loads as they are stated, and what gains they want. */
static void begin(const struct newton *m, struct gain_solution *s)
{
  const struct gain_problem *p = m->problem;
  *s = (struct gain_solution){ 0 };
  for (size_t j = 0; j < p->n; j++) {
    const double t = p->rows[j][0], v = p->rows[j][p->unknowns + 1];
    s->inverse[j] = t != 0 && v / t > 0 ? v / t : 1;
  }
}

static void find_told(const struct newton *m, struct gain_solution *s)
{
  const size_t n = m->problem->n;
  for (size_t a = 0; a < m->all; a++) {
    double untold = 0;
    for (size_t k = 0; k < m->all; k++)
      if (!is_told(m, k)) untold += pow(m->vectors[k * m->all + a], 2);
    *(a < n ? &s->told[a] : &s->told_more[a - n]) = untold < SHARE;
  }
}

enum armdyn_status gain_by_mass(const struct gain_problem *problem, struct gain_solution *solution)
{
  struct newton m = { .problem = problem, .all = problem->n + problem->unknowns };
  m.normal = malloc(2 * m.all * m.all * sizeof *m.normal);
  if (!m.normal) return ARMDYN_EMEMORY;
  m.vectors = m.normal + m.all * m.all;
  weigh(&m);
  begin(&m, solution);
  double left = cost(&m, solution), damping = 1e-3;
  bool settled = false;
  for (int round = 0; round < ROUNDS && !settled; round++) {
    linearise(&m, solution);
    for (bool better = false; !better && !settled;) {
      const struct gain_solution next = stepped(&m, solution, damping);
      const double then = cost(&m, &next);
      better = then <= left;
      settled = better ? left - then <= SETTLED * left : damping > DAMPED_MOST;
      damping *= better ? 0.1 : 10;
      if (better) *solution = next, left = then;
    }
  }
  linearise(&m, solution);
  find_told(&m, solution);
  free(m.normal);
  return ARMDYN_OK;
}
