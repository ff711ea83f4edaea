#include "lib/trajectory/check.h"

#include <math.h>

#include "lib/model/compiled.h"
#include "lib/model/friction.h"
#include "lib/trajectory/polynomial.h"

enum { N = ARMDYN_JOINTS_MAX, SAMPLES_LEAST = 16, SAMPLES_WANTED = 192, GOLDEN_STEPS = 32 };

struct state {
  double q[N], qd[N], qdd[N], qddd[N];
};

/* Peaks of all limits of one motion. */
struct peaks {
  double usage[ARMDYN_LIMIT_KINDS][N], value[ARMDYN_LIMIT_KINDS][N];
};

static bool any_finite(const struct check *check, size_t n, size_t offset)
{
  for (size_t j = 0; j < n; j++) {
    const double *limit = (const double *)(const void *)((const unsigned char *)&check->limits[j] + offset);
    if (isfinite(*limit)) return true;
  }
  return false;
}

/* Rate of the torque without friction's sign: a difference over 2e-5 of the piece, plus the slopes of friction. */
static void torque_rates(const struct check *check, const struct armdyn_trajectory *trajectory, size_t k, double s,
                         const struct state *x, double *rate)
{
  const size_t n = trajectory->joint_count;
  const struct armdyn_load load = { .frictionless = true };
  const double length = trajectory->breaks[k + 1] - trajectory->breaks[k];
  const double from = fmax(0, s - 1e-5 * length), to = fmin(length, s + 1e-5 * length);
  double before[N], after[N];
  struct state y;
  piece_state(trajectory, k, from, y.q, y.qd, y.qdd, NULL);
  armdyn_inverse_dynamics(check->robot, y.q, y.qd, y.qdd, &load, check->workspace, before);
  piece_state(trajectory, k, to, y.q, y.qd, y.qdd, NULL);
  armdyn_inverse_dynamics(check->robot, y.q, y.qd, y.qdd, &load, check->workspace, after);
  for (size_t j = 0; j < n; j++) {
    struct friction_state f;
    friction_state_set(&f, &armdyn_robot_description(check->robot)->joints[j], x->q[j], x->qd[j]);
    f.sign_slope = 0;
    rate[j] = to > from ? (after[j] - before[j]) / (to - from) : 0;
    for (size_t term = 0; term < friction_term_count; term++) {
      double by_position, by_speed;
      if (!(check->robot->joints[j].friction >> term & 1)) continue;
      friction_terms[term].slope(&f, &by_position, &by_speed);
      rate[j] += by_position * x->qd[j] + by_speed * x->qdd[j];
    }
  }
}

static double position_usage(const double range[2], double q)
{
  if (isfinite(range[0]) && isfinite(range[1])) {
    return fabs(q - (range[0] + range[1]) / 2) / ((range[1] - range[0]) / 2);
  }
  /* with one bound there is no middle: 0 inside, beyond 1 outside */
  const double excess = fmax(range[0] - q, q - range[1]);
  return excess > 0 ? 1 + excess : 0;
}

static double usage_of(double value, double limit)
{
  return isfinite(limit) ? fabs(value) / limit : 0;
}

static void peaks_at(const struct check *check, const struct armdyn_trajectory *trajectory, size_t k, double s,
                     struct peaks *out)
{
  const size_t n = trajectory->joint_count;
  double tau[N] = { 0 }, rate[N] = { 0 };
  struct state x = { 0 };
  piece_state(trajectory, k, s, x.q, x.qd, x.qdd, x.qddd);
  if (any_finite(check, n, offsetof(struct armdyn_limits, torque))) {
    armdyn_inverse_dynamics(check->robot, x.q, x.qd, x.qdd, NULL, check->workspace, tau);
  }
  if (any_finite(check, n, offsetof(struct armdyn_limits, torque_rate))) {
    torque_rates(check, trajectory, k, s, &x, rate);
  }
  for (size_t j = 0; j < n; j++) {
    const struct armdyn_limits *limits = &check->limits[j];
    const double value[ARMDYN_LIMIT_KINDS] = { x.q[j], x.qd[j], x.qdd[j], x.qddd[j], tau[j], rate[j] };
    const double limit[ARMDYN_LIMIT_KINDS] = {
      0, limits->velocity, limits->acceleration, limits->jerk, limits->torque, limits->torque_rate
    };
    for (int kind = 0; kind < ARMDYN_LIMIT_KINDS; kind++) {
      out->value[kind][j] = value[kind];
      out->usage[kind][j] = kind == ARMDYN_LIMIT_POSITION ? position_usage(limits->position, value[kind])
                                                          : usage_of(value[kind], limit[kind]);
    }
  }
}

/* The highest peak found so far of one limit and joint; `crest` is its height by the parabola through three samples. */
struct crest {
  double height, s, step;
  size_t piece;
};

static void crest_update(struct crest *crest, const double u[3], size_t piece, double s, double step)
{
  const double bend = 2 * u[1] - u[0] - u[2], slope = u[2] - u[0];
  if (!(u[1] >= u[0] && u[1] >= u[2] && bend > 0)) return;
  const double height = u[1] + slope * slope / (8 * bend);
  if (height > crest->height) *crest = (struct crest){ height, s, step, piece };
}

static void margin_update(struct armdyn_margin *margin, double usage, double value, double time)
{
  if (!(usage > margin->usage)) return;
  margin->usage = usage;
  margin->value = value;
  margin->time = time;
}

/* Golden section between the neighbours of a crest. */
static void refine(const struct check *check, const struct armdyn_trajectory *trajectory, const struct crest *crest,
                   struct armdyn_margin *margin)
{
  static const double golden = 0.6180339887498949;
  double low = crest->s - crest->step, high = crest->s + crest->step;
  double s[2] = { high - golden * (high - low), low + golden * (high - low) };
  struct peaks p[2];
  for (int i = 0; i < 2; i++) peaks_at(check, trajectory, crest->piece, s[i], &p[i]);
  for (int step = 0; step < GOLDEN_STEPS; step++) {
    const bool left = p[0].usage[margin->limit][margin->joint] > p[1].usage[margin->limit][margin->joint];
    const int fresh = left ? 0 : 1;
    if (left) {
      high = s[1];
    } else {
      low = s[0];
    }
    s[1 - fresh] = s[fresh];
    p[1 - fresh] = p[fresh];
    s[fresh] = left ? high - golden * (high - low) : low + golden * (high - low);
    peaks_at(check, trajectory, crest->piece, s[fresh], &p[fresh]);
    margin_update(margin, p[fresh].usage[margin->limit][margin->joint], p[fresh].value[margin->limit][margin->joint],
                  trajectory->breaks[crest->piece] + s[fresh]);
  }
}

/* One search serves both questions: `decide` ends it at the first violation and refines only what comes near its limit. */
static bool search(const struct check *check, const struct armdyn_trajectory *trajectory, bool decide,
                   struct armdyn_margin margin[ARMDYN_LIMIT_KINDS][N])
{
  const size_t n = trajectory->joint_count, pieces = trajectory->piece_count;
  const size_t steps = pieces * SAMPLES_LEAST > SAMPLES_WANTED ? SAMPLES_LEAST : SAMPLES_WANTED / pieces;
  struct crest crest[ARMDYN_LIMIT_KINDS][N] = { 0 };
  struct peaks last[3];
  for (size_t k = 0; k < pieces; k++) {
    const double start = trajectory->breaks[k], step = (trajectory->breaks[k + 1] - start) / (double)steps;
    for (size_t i = 0; i <= steps; i++) {
      struct peaks *now = &last[i % 3];
      peaks_at(check, trajectory, k, step * (double)i, now);
      for (size_t at = 0; at < ARMDYN_LIMIT_KINDS * n; at++) {
        const size_t kind = at / n, j = at % n;
        const double usage = now->usage[kind][j];
        if (decide && !(usage <= USAGE_MOST)) return false;
        margin_update(&margin[kind][j], usage, now->value[kind][j], start + step * (double)i);
        if (i < 2) continue;
        const double u[3] = { last[(i + 1) % 3].usage[kind][j], last[(i + 2) % 3].usage[kind][j], usage };
        crest_update(&crest[kind][j], u, k, step * (double)(i - 1), step);
      }
    }
  }
  for (size_t at = 0; at < ARMDYN_LIMIT_KINDS * n; at++) {
    const struct crest *c = &crest[at / n][at % n];
    struct armdyn_margin *m = &margin[at / n][at % n];
    if (c->height > (decide ? 0.98 : 0) && c->height > 0.999 * m->usage) refine(check, trajectory, c, m);
    if (decide && !(m->usage <= USAGE_MOST)) return false;
  }
  return true;
}

static void margins_init(struct armdyn_margin margin[ARMDYN_LIMIT_KINDS][N])
{
  for (int kind = 0; kind < ARMDYN_LIMIT_KINDS; kind++) {
    for (size_t j = 0; j < N; j++)
      margin[kind][j] = (struct armdyn_margin){ .limit = (enum armdyn_limit_kind)kind, .joint = j };
  }
}

void check_margins(const struct check *check, const struct armdyn_trajectory *trajectory, struct armdyn_margin *margin)
{
  const size_t n = trajectory->joint_count;
  struct armdyn_margin all[ARMDYN_LIMIT_KINDS][N];
  margins_init(all);
  search(check, trajectory, false, all);
  for (size_t kind = 0; kind < ARMDYN_LIMIT_KINDS; kind++) memcpy(margin + kind * n, all[kind], n * sizeof *margin);
}

bool check_holds(const struct check *check, const struct armdyn_trajectory *trajectory)
{
  struct armdyn_margin all[ARMDYN_LIMIT_KINDS][N];
  margins_init(all);
  return search(check, trajectory, true, all);
}
