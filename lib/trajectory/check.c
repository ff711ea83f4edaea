#include "lib/trajectory/check.h"

#include <math.h>

#include "lib/model/friction.h"
#include "lib/model/gears.h"
#include "lib/trajectory/polynomial.h"

enum { N = ARMDYN_JOINTS_MAX, SAMPLES_LEAST = 16, SAMPLES_WANTED = 192, GOLDEN_STEPS = 32 };

struct state {
  double q[N], qd[N], qdd[N], qddd[N];
};

static bool limited(const struct armdyn_limits *l, enum armdyn_limit_kind kind)
{
  const double most[ARMDYN_LIMIT_KINDS] = { 0, l->velocity, l->acceleration, l->jerk, l->torque, l->torque_rate };
  return kind == ARMDYN_LIMIT_POSITION ? isfinite(l->position[0]) || isfinite(l->position[1]) : isfinite(most[kind]);
}

static bool any_limited(const struct check *check, size_t n, enum armdyn_limit_kind kind)
{
  for (size_t j = 0; j < n; j++)
    if (limited(&check->limits[j], kind)) return true;
  return false;
}

/* rate += that of friction at coupled motors. */
static void add_gears(const struct armdyn_robot *robot, const struct state *x, double *rate)
{
  double p[N], v[N], a[N], t[N];
  gear_motion(robot, x->q, p);
  gear_motion(robot, x->qd, v);
  gear_motion(robot, x->qdd, a);
  for (size_t i = 0; i < robot->joint_count; i++) {
    double by_position, by_speed;
    friction_smooth_slopes(robot, i, p[i], v[i], &by_position, &by_speed);
    t[i] = by_position * v[i] + by_speed * a[i];
  }
  gear_torques_add(robot, t, rate);
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
    double by_position, by_speed;
    if (check->robot->friction_at_motors) {
      rate[j] = to > from ? (after[j] - before[j]) / (to - from) : 0;
      continue;
    }
    friction_smooth_slopes(check->robot, j, x->q[j], x->qd[j], &by_position, &by_speed);
    double by_load;
    const double share = load_share(check->robot, j, x->qd[j], &by_load);
    rate[j] = to > from ? (after[j] - before[j]) / (to - from) : 0;
    rate[j] *= after[j] + before[j] < 0 ? 1 - share : 1 + share;
    rate[j] += by_position * x->qd[j] + by_speed * x->qdd[j];
  }
  if (check->robot->friction_at_motors) add_gears(check->robot, x, rate);
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

/* Of the kinds of limits that there are: nobody asks about others. */
static void usage_set(const struct check *check, size_t n, const bool *wanted, const struct state *x, const double *tau,
                      const double *rate, struct usage_point *out)
{
  const double *const values[ARMDYN_LIMIT_KINDS] = { x->q, x->qd, x->qdd, x->qddd, tau, rate };
  for (int kind = 0; kind < ARMDYN_LIMIT_KINDS; kind++)
    for (size_t j = 0; j < n && wanted[kind]; j++) {
      const struct armdyn_limits *limits = &check->limits[j];
      const double limit[ARMDYN_LIMIT_KINDS] = {
        0, limits->velocity, limits->acceleration, limits->jerk, limits->torque, limits->torque_rate
      };
      const double value = values[kind][j];
      out->value[kind][j] = value;
      out->usage[kind][j] =
          kind == ARMDYN_LIMIT_POSITION ? position_usage(limits->position, value) : usage_of(value, limit[kind]);
    }
}

void check_points(const struct check *check, const struct armdyn_trajectory *trajectory, size_t k, double s,
                  double step, size_t count, struct usage_point *out)
{
  enum { STRIDE = sizeof(struct state) / sizeof(double) };
  const size_t n = trajectory->joint_count;
  bool wanted[ARMDYN_LIMIT_KINDS];
  for (int kind = 0; kind < ARMDYN_LIMIT_KINDS; kind++)
    wanted[kind] = any_limited(check, n, (enum armdyn_limit_kind)kind);
  struct state x[CHECK_POINTS];
  double tau[CHECK_POINTS * N], rate[N] = { 0 };
  for (size_t i = 0; i < count; i++)
    piece_state(trajectory, k, s + step * (double)i, x[i].q, x[i].qd, x[i].qdd, x[i].qddd);
  if (wanted[ARMDYN_LIMIT_TORQUE]) {
    const struct armdyn_samples samples = {
      .count = count, .q = { x->q, STRIDE }, .qd = { x->qd, STRIDE }, .qdd = { x->qdd, STRIDE }
    };
    armdyn_inverse_dynamics_batch(check->robot, &samples, check->workspace, tau);
  } else {
    memset(tau, 0, count * n * sizeof *tau);
  }
  for (size_t i = 0; i < count; i++) {
    if (wanted[ARMDYN_LIMIT_TORQUE_RATE]) torque_rates(check, trajectory, k, s + step * (double)i, &x[i], rate);
    usage_set(check, n, wanted, &x[i], tau + i * n, rate, &out[i]);
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
  struct usage_point p[2];
  check_points(check, trajectory, crest->piece, s[0], s[1] - s[0], 2, p);
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
    check_points(check, trajectory, crest->piece, s[fresh], 0, 1, &p[fresh]);
    margin_update(margin, p[fresh].usage[margin->limit][margin->joint], p[fresh].value[margin->limit][margin->joint],
                  trajectory->breaks[crest->piece] + s[fresh]);
  }
}

/* Limits of joints that there are: of all others the usage is 0, with nothing to look for. */
struct watched {
  size_t count;
  struct {
    size_t kind, joint;
  } list[ARMDYN_LIMIT_KINDS * N];
};

static void watch(const struct check *check, size_t n, struct watched *out)
{
  out->count = 0;
  for (size_t kind = 0; kind < ARMDYN_LIMIT_KINDS; kind++)
    for (size_t j = 0; j < n; j++)
      if (limited(&check->limits[j], (enum armdyn_limit_kind)kind)) {
        out->list[out->count].kind = kind;
        out->list[out->count++].joint = j;
      }
}

/* One search serves both questions: `decide` ends it at the first violation and refines only what comes near its limit. */
static bool search(const struct check *check, const struct armdyn_trajectory *trajectory, bool decide,
                   struct armdyn_margin margin[ARMDYN_LIMIT_KINDS][N])
{
  const size_t n = trajectory->joint_count, pieces = trajectory->piece_count;
  const size_t steps = pieces * SAMPLES_LEAST > SAMPLES_WANTED ? SAMPLES_LEAST : SAMPLES_WANTED / pieces;
  struct crest crest[ARMDYN_LIMIT_KINDS][N] = { 0 };
  struct watched watched;
  struct usage_point points[CHECK_POINTS]; /* the two before, and new ones */
  watch(check, n, &watched);
  for (size_t k = 0; k < pieces; k++) {
    const double start = trajectory->breaks[k], step = (trajectory->breaks[k + 1] - start) / (double)steps;
    for (size_t i = 0, fresh = 0; i <= steps; i++, fresh--) {
      if (fresh == 0) {
        fresh = steps + 1 - i < CHECK_POINTS - 2 ? steps + 1 - i : CHECK_POINTS - 2;
        if (i > 0) memmove(points + CHECK_POINTS - 2 - fresh, points + CHECK_POINTS - 2, 2 * sizeof *points);
        check_points(check, trajectory, k, step * (double)i, step, fresh, points + CHECK_POINTS - fresh);
      }
      const struct usage_point *now = points + CHECK_POINTS - fresh, *last = now - 1, *before = now - 2;
      for (size_t at = 0; at < watched.count; at++) {
        const size_t kind = watched.list[at].kind, j = watched.list[at].joint;
        const double usage = now->usage[kind][j];
        if (decide && !(usage <= USAGE_MOST)) return false;
        margin_update(&margin[kind][j], usage, now->value[kind][j], start + step * (double)i);
        if (i < 2) continue;
        const double u[3] = { before->usage[kind][j], last->usage[kind][j], usage };
        crest_update(&crest[kind][j], u, k, step * (double)(i - 1), step);
      }
    }
  }
  for (size_t at = 0; at < watched.count; at++) {
    const size_t kind = watched.list[at].kind, j = watched.list[at].joint;
    const struct crest *c = &crest[kind][j];
    struct armdyn_margin *m = &margin[kind][j];
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

enum armdyn_status armdyn_trajectory_margins(const struct armdyn_robot *robot, const struct armdyn_limits *limits,
                                             const struct armdyn_trajectory *trajectory, struct armdyn_margin *margin)
{
  const size_t n = trajectory->joint_count;
  struct armdyn_limits own[N];
  struct check check = { robot, limits ? limits : own, armdyn_workspace_new(n) };
  if (!check.workspace) return ARMDYN_EMEMORY;
  for (size_t j = 0; j < n; j++) own[j] = armdyn_robot_description(robot)->joints[j].limits;
  check_margins(&check, trajectory, margin);
  armdyn_workspace_free(check.workspace);
  return ARMDYN_OK;
}
