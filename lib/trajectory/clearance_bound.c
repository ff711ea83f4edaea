/* Clearances at the knots: value = the signed distance of a pair of bodies (its scale is negative), d value / d q as
 * lib/geometry has it. Where the pair may touch at the time of a knot, its
 * distance counts as so much more, or nothing is held there. Distances of convex bodies have
 * a continuous slope but where faces and edges are parallel; what they bend is taken by differences, where that is a number
 * of a smooth one. */
#include <math.h>

#include "lib/trajectory/bound.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double ALLOWED = 1;                  /* m: the distance of what may touch */
static const double STEP = 1e-5, BEND_MOST = 100; /* rad, m; m/rad^2: beyond it is a kink */
static const double NO_PULL = 1e-3;               /* a multiplier that bends nothing to speak of */

static double *figures_of(const struct transcription *t, const struct bound *b, size_t knot)
{
  return t->nearness + (knot * t->obstacles->count + b->joint) * (1 + t->n);
}

static void prepare(struct transcription *t)
{
  const struct obstacles *o = t->obstacles;
  if (!t->nearness) return;
  for (size_t k = 0; k <= t->intervals; k++) {
    const double time = t->h * (double)k;
    scene_place(o->scene, t->q + 2 * k * t->n, o->workspace);
    for (size_t i = 0; i < o->count; i++) {
      double *out = t->nearness + (k * o->count + i) * (1 + t->n);
      const double allowance = body_pair_allowance(o->scene, &o->list[i].bodies, time);
      if (isinf(allowance)) {
        memset(out, 0, (1 + t->n) * sizeof *out);
        out[0] = ALLOWED;
      } else {
        out[0] = body_pair_distance(o->scene, o->workspace, &o->list[i].bodies, out + 1) + allowance;
      }
    }
  }
}

static bool applies(const struct transcription *t, const struct bound *b, size_t knot)
{
  (void)b;
  return bound_given(t, knot) == 0;
}

static double value(const struct transcription *t, const struct bound *b, size_t knot)
{
  return figures_of(t, b, knot)[0];
}

static double change(const struct transcription *t, const struct bound *b, const struct knot_step *step, size_t knot)
{
  const double *slopes = figures_of(t, b, knot) + 1;
  double sum = 0;
  for (size_t j = 0; j < t->n; j++) sum += slopes[j] * step->x[0][j];
  return sum;
}

static void pull(const struct transcription *t, const struct bound *b, const double *multiplier, size_t knot,
                 struct point_pull *out)
{
  if (!applies(t, b, knot)) return;
  const double *slopes = figures_of(t, b, knot) + 1, x = multiplier[knot] * b->scale;
  for (size_t j = 0; j < t->n; j++) out->motion[0][j] += x * slopes[j];
}

/* += sum_ab basis_a basis_b W over the controls of a knot, W: n x n; and by log T */
static void spread(const struct transcription *t, size_t knot, const double *W, const struct block *block)
{
  const size_t n = t->n;
  const double *b = t->basis[2 * knot][0], *by = t->by_duration ? t->by_duration + 2 * knot * 5 * n : NULL;
  for (size_t l = 0; l < n; l++) {
    double along = 0;
    for (size_t j = 0; j < n && by; j++) along += W[l * n + j] * by[j];
    for (size_t a = 0; a < 4; a++) {
      double *row = block->H + (a * n + l) * block->width;
      for (size_t c = a; c < 4; c++)
        for (size_t j = c == a ? l : 0; j < n; j++) row[(c - a) * n + j - l] += b[a] * b[c] * W[l * n + j];
      if (by) block->mixed[a * n + l] += b[a] * along;
    }
    if (by) *block->corner += by[l] * along;
  }
}

/* All pairs of a knot at once, with the first of them: sum of stiffness scale^2 slopes slopes'. */
static void squares(const struct transcription *t, const struct bound *b, const double *stiffness,
                    const double *multiplier, double *H, struct duration_bend *bend)
{
  const size_t n = t->n, knots = t->intervals + 1, count = t->obstacles->count;
  (void)multiplier;
  if (b->joint != 0) return;
  for (size_t k = 0; k < knots; k++) {
    const struct block block = block_at(t, transcription_interval(t, 2 * k), H, bend);
    double W[N * N];
    if (!applies(t, b, k)) continue;
    memset(W, 0, n * n * sizeof *W);
    for (size_t i = 0; i < count; i++) {
      const double *slopes = figures_of(t, &b[i], k) + 1, weight = stiffness[i * knots + k] * b[i].scale * b[i].scale;
      for (size_t l = 0; l < n; l++)
        for (size_t j = 0; j < n; j++) W[l * n + j] += weight * slopes[l] * slopes[j];
    }
    spread(t, k, W, &block);
  }
}

static void bend(const struct transcription *t, const struct bound *b, double multiplier, size_t knot, double *qq,
                 double *qv)
{
  const size_t n = t->n;
  const struct obstacles *o = t->obstacles;
  const double *base = figures_of(t, b, knot) + 1;
  double q[N], moved[N], second[N * N] = { 0 };
  (void)qv;
  if (multiplier < NO_PULL || figures_of(t, b, knot)[0] == ALLOWED) return;
  memcpy(q, t->q + 2 * knot * n, n * sizeof *q);
  for (size_t l = 0; l < n; l++) {
    const double before = q[l];
    q[l] += STEP;
    scene_place(o->scene, q, o->workspace);
    q[l] = before;
    body_pair_distance(o->scene, o->workspace, &o->list[b->joint].bodies, moved);
    for (size_t j = 0; j < n; j++) {
      second[l * n + j] = (moved[j] - base[j]) / STEP;
      if (!(fabs(second[l * n + j]) < BEND_MOST)) return;
    }
  }
  for (size_t i = 0; i < n * n; i++) qq[i] += multiplier * b->scale * second[i];
}

const struct bound_kind clearance_bound = { .prepare = prepare,
                                            .applies = applies,
                                            .value = value,
                                            .change = change,
                                            .pull = pull,
                                            .squares = squares,
                                            .bend = bend };
