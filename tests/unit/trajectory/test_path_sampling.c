/* The dynamics along a path, and what becomes rows and costs of it, against inverse dynamics at q(s), q' s' and
 * q'' s'^2 + q' s''. */
#include <criterion/criterion.h>
#include <math.h>

#include "lib/trajectory/joint_path.h"
#include "lib/trajectory/path_sampling.h"
#include "tests/support/campaign.h"

enum { INTERVALS = 12, DRAWS = 300 };

struct along {
  size_t n;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct armdyn_trajectory path;
  struct path_sampling p;
};

/* An arm of the campaign on a path through four points; with friction, or as it is: 2 and 3 have none. */
static void along_open(struct along *w, size_t arm, bool friction)
{
  static const double s[] = { 0, 0.2, 0.65, 1 };
  struct campaign_case c = { 0 };
  struct dice dice = { 77 + arm };
  double points[4 * CAMPAIGN_N];
  campaign_arm(arm, &c.robot);
  c.n = w->n = c.robot.joint_count;
  if (friction) campaign_friction(&dice, &c);
  cr_assert_eq(armdyn_robot_new(&c.robot, &w->robot, NULL), ARMDYN_OK);
  w->workspace = armdyn_workspace_new(w->n);
  for (size_t k = 0; k < 4; k++)
    for (size_t j = 0; j < w->n; j++) /* each joint goes on, so that nothing stands still or turns back */
      points[k * w->n + j] = 0.3 * (double)k + dice_uniform(&dice, 0, 0.2);
  cr_assert_eq(joint_path_spline(w->n, 4, s, points, NULL, &w->path), ARMDYN_OK);
  cr_assert_eq(path_sampling_new(&w->p, w->robot, &w->path, INTERVALS, w->workspace, NULL), ARMDYN_OK);
}

static void along_close(struct along *w)
{
  path_sampling_free(&w->p);
  armdyn_trajectory_free(&w->path);
  armdyn_workspace_free(w->workspace);
  armdyn_robot_free(w->robot);
}

/* Velocities, accelerations and torques at a point of an interval for b = s'^2 and a = s''. */
static void there(const struct along *w, size_t k, size_t point, double b, double a, double *qd, double *qdd,
                  double *tau)
{
  const double part = (double)point / (PATH_POINTS - 1), s = w->p.s[k] + part * (w->p.s[k + 1] - w->p.s[k]);
  double q[CAMPAIGN_N], slope[CAMPAIGN_N], bend[CAMPAIGN_N];
  armdyn_trajectory_state(&w->path, s, q, slope, bend, NULL);
  for (size_t j = 0; j < w->n; j++) qd[j] = slope[j] * sqrt(b), qdd[j] = slope[j] * a + bend[j] * b;
  armdyn_inverse_dynamics(w->robot, q, qd, qdd, NULL, w->workspace, tau);
}

Test(path_sampling, torques_are_those_of_inverse_dynamics)
{
  for (size_t arm = 0; arm < CAMPAIGN_ARMS; arm++) {
    struct along w;
    double b[2 * INTERVALS], qd[CAMPAIGN_N], qdd[CAMPAIGN_N], tau[CAMPAIGN_N];
    along_open(&w, arm, true);
    cr_assert(w.p.intervals >= INTERVALS && w.p.intervals < 2 * INTERVALS);
    for (size_t k = 0; k <= w.p.intervals; k++) b[k] = 0.7;
    path_friction_at(&w.p, w.robot, b, 1);
    cr_expect(w.p.speed_dependent);
    for (size_t i = 0; i < w.p.intervals * PATH_POINTS; i++) {
      there(&w, i / PATH_POINTS, i % PATH_POINTS, 0.7, -0.4, qd, qdd, tau);
      for (size_t j = 0, at = i * w.n; j < w.n; j++, at++) {
        const double sum = -0.4 * w.p.inertia[at] + 0.7 * w.p.centrifugal[at] + w.p.weight[at] + w.p.friction[at];
        cr_expect_float_eq(sum, tau[j], 1e-9 * (1 + fabs(tau[j])), "arm %zu, point %zu, joint %zu", arm, i, j);
      }
    }
    along_close(&w);
  }
}

static void problem_open(const struct along *w, struct timing_problem *problem)
{
  const size_t K = w->p.intervals;
  *problem = (struct timing_problem){ .intervals = K };
  problem->interval = calloc(K, sizeof *problem->interval);
  problem->rows = calloc(K * path_rows_most(w->n), sizeof *problem->rows);
}

static void problem_close(struct timing_problem *problem)
{
  free(problem->interval);
  free(problem->rows);
}

/* How much an interval uses of its limits at most; of the velocity not at its begin, where the interval before has the row. */
static double usage(const struct along *w, const struct armdyn_limits *limits, size_t k, double b0, double b1)
{
  double most = 0, qd[CAMPAIGN_N], qdd[CAMPAIGN_N], tau[CAMPAIGN_N];
  for (size_t i = 0; i < PATH_POINTS; i++) {
    const double part = (double)i / (PATH_POINTS - 1), h = w->p.s[k + 1] - w->p.s[k];
    there(w, k, i, (1 - part) * b0 + part * b1, (b1 - b0) / (2 * h), qd, qdd, tau);
    for (size_t j = 0; j < w->n; j++) {
      most = fmax(most, fmax(fabs(tau[j]) / limits[j].torque, fabs(qdd[j]) / limits[j].acceleration));
      if (i > 0) most = fmax(most, fabs(qd[j]) / limits[j].velocity);
    }
  }
  return most;
}

/* Some motion along the path keeps the rows of an interval where, and only where, it keeps the limits there: of torques
 * alone, of velocities, of accelerations. */
Test(path_sampling, rows_are_kept_where_limits_are)
{
  static const double most[3][3] = { { 120, INFINITY, INFINITY },
                                     { INFINITY, 1.5, INFINITY },
                                     { INFINITY, INFINITY, 6 } };
  struct along w;
  struct timing_problem problem;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * CAMPAIGN_N];
  const double weights[CAMPAIGN_N] = { 0 };
  struct dice dice = { 5 };
  along_open(&w, 3, false);
  problem_open(&w, &problem);
  for (size_t kind = 0; kind < 3; kind++) {
    struct armdyn_limits limits[CAMPAIGN_N];
    size_t kept = 0;
    for (size_t j = 0; j < w.n; j++) {
      limits[j] = armdyn_robot_description(w.robot)->joints[j].limits;
      limits[j].torque = most[kind][0], limits[j].velocity = most[kind][1], limits[j].acceleration = most[kind][2];
      limits[j].position[0] = -10, limits[j].position[1] = 10;
    }
    cr_assert_eq(path_rows_build(&w.p, w.robot, limits, INFINITY, weights, &problem, margin, NULL), ARMDYN_OK);
    for (size_t draw = 0; draw < DRAWS; draw++) {
      const size_t k = draw % problem.intervals;
      const double size = exp(dice_uniform(&dice, -3, 4)), b0 = size, b1 = size * dice_uniform(&dice, 0.5, 1.5);
      const double used = usage(&w, limits, k, b0, b1);
      const struct timing_row *row = problem.rows + problem.interval[k].row_first;
      bool keeps = true;
      for (size_t r = 0; r < problem.interval[k].row_count; r++, row++)
        keeps = keeps && row->x * b0 + row->y * b1 <= row->most;
      cr_expect_eq(keeps, used <= 1, "limit %zu in interval %zu, b %g to %g: %g of it", kind, k, b0, b1, used);
      kept += keeps;
    }
    cr_expect(kept > DRAWS / 10 && kept < DRAWS - DRAWS / 10, "limit %zu: %zu of %d are kept", kind, kept, DRAWS);
  }
  problem_close(&problem);
  along_close(&w);
}

/* The price of an interval is its duration times Simpson's mean of the weighted squares of torques. */
Test(path_sampling, prices_are_squares_of_torques)
{
  struct along w;
  struct timing_problem problem;
  struct armdyn_limits limits[CAMPAIGN_N];
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * CAMPAIGN_N];
  double weights[CAMPAIGN_N], b[2 * INTERVALS], qd[CAMPAIGN_N], qdd[CAMPAIGN_N], tau[CAMPAIGN_N];
  along_open(&w, 3, false);
  for (size_t j = 0; j < w.n; j++) {
    limits[j] = armdyn_robot_description(w.robot)->joints[j].limits;
    weights[j] = 1 / (1.0 + (double)j);
  }
  problem_open(&w, &problem);
  cr_assert_eq(path_rows_build(&w.p, w.robot, limits, INFINITY, weights, &problem, margin, NULL), ARMDYN_OK);
  for (size_t k = 0; k <= problem.intervals; k++) b[k] = 0.5 + 0.1 * sin((double)k);
  for (size_t k = 1; k + 1 < problem.intervals; k++) {
    static const double simpson[PATH_POINTS] = { 1.0 / 6, 4.0 / 6, 1.0 / 6 };
    const double h = w.p.s[k + 1] - w.p.s[k], duration = 2 * h / (sqrt(b[k]) + sqrt(b[k + 1]));
    double mean = 0;
    for (size_t i = 0; i < PATH_POINTS; i++) {
      const double part = (double)i / (PATH_POINTS - 1);
      there(&w, k, i, (1 - part) * b[k] + part * b[k + 1], (b[k + 1] - b[k]) / (2 * h), qd, qdd, tau);
      for (size_t j = 0; j < w.n; j++) mean += simpson[i] * weights[j] * tau[j] * tau[j];
    }
    cr_expect_float_eq(timing_cost_of(&problem, k, b, 1, 0).value, duration * mean, 1e-9 * duration * mean, "%zu", k);
  }
  problem_close(&problem);
  along_close(&w);
}

/* One joint that goes in two straight pieces, 0.5 and then 0.5 times `second` a unit of s. */
static enum armdyn_status bent(double second, struct armdyn_error *error)
{
  double breaks[] = { 0, 0.5, 1 }, coefficients[] = { 0, 0.5, 0, 0, 0.25, 0.5 * second, 0, 0 };
  const struct armdyn_trajectory path = { 1, 2, 3, breaks, coefficients, 0, NULL };
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct path_sampling p;
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  armdyn_joint_init(&d.joints[0]);
  d.joints[0].drive.rotor_inertia = 1;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(1);
  const enum armdyn_status rc = path_sampling_new(&p, robot, &path, INTERVALS, workspace, error);
  if (!rc) path_sampling_free(&p);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
  return rc;
}

Test(path_sampling, where_an_arm_must_stop_is_no_path)
{
  static const struct {
    double second;
    const char *words;
  } bad[] = { { 0.9, "corner" }, { 0, "stands still" }, { -1, "turns back" }, { NAN, "not finite" } };
  struct armdyn_error error;
  cr_expect_eq(bent(1, &error), ARMDYN_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cr_expect_eq(bent(bad[i].second, &error), ARMDYN_EINPUT);
    cr_expect(strstr(error.message, bad[i].words) && !strcmp(error.pointer, "/path"), "%s", error.message);
  }
}
