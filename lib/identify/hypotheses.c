/* What people get wrong about a log, tried out. To add a mistake: a row of the table, with a function that undoes it. */
#include "lib/identify/hypotheses.h"

#include <math.h>

#include "armdyn/gears.h"
#include "lib/identify/unknowns.h"
#include "lib/identify/warnings.h"

enum { SAMPLES = 400 }; /* enough to tell a good fit from a bad one */

/* A fit worse than this is bad, and one that halves its error is better. */
#define BAD 0.08
static const double BETTER = 0.5;

/* Centres of mass about where the prior has them, links about as heavy; friction positive: so signs matter. (With a hundredth
 * of it, centres of mass mirrored at their axes explain a Puma hung from the ceiling.) */
static const double STRENGTH = 0.1;

struct trial {
  const struct armdyn_unknowns *unknowns;
  struct armdyn_motion motion;         /* few samples, to be changed */
  const struct armdyn_motion *swapped; /* likewise, positions and torques exchanged; NULL: there is none */
  struct armdyn_robot_description *description;
  bool other_robot; /* the description was changed */
};

/* About SAMPLES samples, evenly chosen, in memory of their own. Their torques are as measured: what a filter rounds off where
 * friction jumps is no mistake, and too few samples stay to filter friction alike. */
static bool thin(const struct armdyn_motion *motion, size_t n, struct armdyn_motion *out)
{
  const size_t step = motion->count / SAMPLES + 1, count = (motion->count + step - 1) / step, table = count * n;
  double *memory = malloc(5 * (table + 1) * sizeof *memory);
  *out = (struct armdyn_motion){ 0 };
  if (!memory) return false;
  *out = (struct armdyn_motion){ .count = count,
                                 .rate = motion->rate / (double)step,
                                 .q = memory,
                                 .qd = memory + table,
                                 .qdd = memory + 2 * table,
                                 .tau = memory + 3 * table,
                                 .tau_raw = memory + 4 * table,
                                 .memory = memory };
  const double *const from[] = { motion->q, motion->qd, motion->qdd, motion->tau_raw, motion->tau_raw };
  double *const to[] = { out->q, out->qd, out->qdd, out->tau, out->tau_raw };
  for (size_t t = 0; t < 5; t++) {
    for (size_t k = 0; k < count; k++) memcpy(to[t] + k * n, from[t] + k * step * n, n * sizeof *memory);
  }
  return true;
}

static void exchange_columns(size_t count, size_t n, double *x, size_t a, size_t b)
{
  for (size_t k = 0; k < count; k++) {
    const double kept = x[k * n + a];
    x[k * n + a] = x[k * n + b];
    x[k * n + b] = kept;
  }
}

static void scale_column(size_t count, size_t n, double *x, size_t column, double factor)
{
  for (size_t k = 0; k < count; k++) x[k * n + column] *= factor;
}

/* ---------------------------------------------------------------- mistakes */

static bool along_axis(struct trial *t, size_t a, size_t b)
{
  double *g = t->description->gravity, length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  (void)b;
  if (!(length > 0)) length = 9.81;
  for (size_t k = 0; k < 3; k++) g[k] = k == a / 2 ? (a % 2 ? -length : length) : 0;
  t->other_robot = true;
  return true;
}

static bool negative_torque(struct trial *t, size_t a, size_t b)
{
  (void)b;
  scale_column(t->motion.count, t->unknowns->n, t->motion.tau, a, -1);
  return true;
}

static bool negative_torques(struct trial *t, size_t a, size_t b)
{
  (void)a, (void)b;
  for (size_t i = 0; i < t->unknowns->n; i++) scale_column(t->motion.count, t->unknowns->n, t->motion.tau, i, -1);
  return true;
}

static bool negative_position(struct trial *t, size_t a, size_t b)
{
  double *const tables[] = { t->motion.q, t->motion.qd, t->motion.qdd };
  (void)b;
  for (size_t k = 0; k < 3; k++) scale_column(t->motion.count, t->unknowns->n, tables[k], a, -1);
  return true;
}

static bool exchanged_torques(struct trial *t, size_t a, size_t b)
{
  exchange_columns(t->motion.count, t->unknowns->n, t->motion.tau, a, b);
  return true;
}

static bool exchanged_positions(struct trial *t, size_t a, size_t b)
{
  double *const tables[] = { t->motion.q, t->motion.qd, t->motion.qdd };
  for (size_t k = 0; k < 3; k++) exchange_columns(t->motion.count, t->unknowns->n, tables[k], a, b);
  return true;
}

static bool torques_for_positions(struct trial *t, size_t a, size_t b)
{
  (void)a, (void)b;
  if (!t->swapped) return false;
  armdyn_motion_free(&t->motion);
  return thin(t->swapped, t->unknowns->n, &t->motion);
}

static bool degrees(struct trial *t, size_t a, size_t b)
{
  const double degree = 3.14159265358979323846 / 180;
  double *const tables[] = { t->motion.q, t->motion.qd, t->motion.qdd };
  (void)a, (void)b;
  for (size_t k = 0; k < 3; k++) {
    for (size_t i = 0; i < t->unknowns->n; i++) {
      if (t->description->joints[i].type == ARMDYN_REVOLUTE) {
        scale_column(t->motion.count, t->unknowns->n, tables[k], i, degree);
      }
    }
  }
  return true;
}

/* Which numbers a and b take. */
enum kind { ONCE, EVERY_JOINT, EVERY_PAIR, EVERY_AXIS };

static const struct mistake {
  enum armdyn_warning_code code;
  enum kind kind;
  double bad; /* tried when the fit is worse: a model bends far before it fits badly along another gravity */
  bool (*undo)(struct trial *trial, size_t a, size_t b); /* false: cannot be tried */
  const char *text;                                      /* joints a + 1, b + 1, or the axis, then the errors */
} mistakes[] = {
  { ARMDYN_WARNING_GRAVITY_DIRECTION, EVERY_AXIS, 0.03, along_axis,
    "gravity along %s of the base fits the log much better; correct the robot's gravity" },
  { ARMDYN_WARNING_TORQUE_SIGN, EVERY_JOINT, BAD, negative_torque,
    "the torque of joint %s with its sign changed fits much better; correct the sign in the mapping" },
  { ARMDYN_WARNING_TORQUE_SIGN, ONCE, BAD, negative_torques,
    "all torques with their signs changed fit much better; correct the sign in the mapping" },
  { ARMDYN_WARNING_POSITION_SIGN, EVERY_JOINT, BAD, negative_position,
    "the position of joint %s with its sign changed fits much better; correct the sign in the mapping" },
  { ARMDYN_WARNING_CHANNELS_SWAPPED, EVERY_PAIR, BAD, exchanged_torques,
    "the torques of joints %s exchanged fit much better; correct the columns of the mapping" },
  { ARMDYN_WARNING_CHANNELS_SWAPPED, EVERY_PAIR, BAD, exchanged_positions,
    "the positions of joints %s exchanged fit much better; correct the columns of the mapping" },
  { ARMDYN_WARNING_CHANNELS_SWAPPED, ONCE, BAD, torques_for_positions,
    "torques and positions exchanged fit much better; correct the columns of the mapping" },
  { ARMDYN_WARNING_UNIT_SUSPECT, ONCE, BAD, degrees,
    "positions read as degrees fit much better; give their unit in the mapping" },
};

/* ---------------------------------------------------------------- trials */

/* How badly the motion of joints fits: |e| / |tau|. */
static enum armdyn_status misfit(const struct armdyn_unknowns *u, const struct armdyn_motion *joints, double *out)
{
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_CONSISTENT, .prior_strength = STRENGTH };
  struct armdyn_motion motion = *joints;
  struct armdyn_fit each[ARMDYN_JOINTS_MAX], together;
  struct armdyn_estimate estimate;
  struct armdyn_gears *gears;
  *out = INFINITY;
  double *tau = malloc((motion.count * u->n + 1) * sizeof *tau);
  enum armdyn_status status = tau ? armdyn_gears_new(u->robot, &gears, NULL) : ARMDYN_EMEMORY;
  if (status) goto out;
  status = armdyn_gears_take(gears, &motion);
  if (!status) status = armdyn_identify(u, &motion, 1, &estimation, &estimate, NULL);
  if (!status) {
    if (!(status = armdyn_predict(u, estimate.beta, &motion, tau))) {
      armdyn_fit(motion.count, u->n, motion.tau, tau, each, &together);
      *out = together.relative;
    }
    armdyn_estimate_free(&estimate);
  }
  armdyn_gears_free(gears);
out:
  free(tau);
  return status == ARMDYN_EMEMORY ? status : ARMDYN_OK; /* what cannot be identified fits infinitely badly */
}

/* The same with one mistake undone. */
static enum armdyn_status try_one(const struct trial *given, const struct mistake *mistake, size_t a, size_t b,
                                  double *out)
{
  struct trial t = *given;
  struct armdyn_robot_description *d = malloc(sizeof *d);
  struct armdyn_robot *robot = NULL;
  struct armdyn_unknowns *other = NULL;
  enum armdyn_status status = ARMDYN_EMEMORY;
  *out = INFINITY;
  t.motion = (struct armdyn_motion){ 0 };
  if (!d || !thin(&given->motion, t.unknowns->n, &t.motion)) goto out;
  *d = *given->description;
  t.description = d;
  status = ARMDYN_OK;
  if (!mistake->undo(&t, a, b)) goto out;
  if (!t.other_robot) {
    status = misfit(t.unknowns, &t.motion, out);
    goto out;
  }
  if ((status = armdyn_robot_new(d, &robot, NULL))) goto out;
  if ((status = armdyn_unknowns_new(robot, 0, t.unknowns->choice.rotors, &other, NULL))) goto out;
  status = misfit(other, &t.motion, out);
out:
  armdyn_unknowns_free(other);
  armdyn_robot_free(robot);
  armdyn_motion_free(&t.motion);
  free(d);
  return status;
}

struct best {
  double misfit;
  const struct mistake *mistake;
  size_t a, b;
};

static enum armdyn_status try_all(const struct trial *t, const struct mistake *mistake, struct best *best)
{
  const size_t n = t->unknowns->n;
  const size_t counts[] = { [ONCE] = 1, [EVERY_JOINT] = n, [EVERY_PAIR] = n * n, [EVERY_AXIS] = 6 };
  for (size_t k = 0; k < counts[mistake->kind]; k++) {
    const size_t a = mistake->kind == EVERY_PAIR ? k / n : k, b = mistake->kind == EVERY_PAIR ? k % n : 0;
    if (mistake->kind == EVERY_PAIR && a >= b) continue;
    double found;
    const enum armdyn_status status = try_one(t, mistake, a, b, &found);
    if (status) return status;
    if (found < best->misfit) *best = (struct best){ found, mistake, a, b };
  }
  return ARMDYN_OK;
}

static void warn_of(const struct best *best, double given, struct armdyn_warnings *warnings)
{
  static const char *const axes[] = { "+x", "-x", "+y", "-y", "+z", "-z" };
  const struct mistake *m = best->mistake;
  char which[48] = "", detail[192], *mark = NULL;
  if (m->kind == EVERY_AXIS) snprintf(which, sizeof which, "%s", axes[best->a]);
  if (m->kind == EVERY_JOINT) snprintf(which, sizeof which, "%zu", best->a + 1);
  if (m->kind == EVERY_PAIR) snprintf(which, sizeof which, "%zu and %zu", best->a + 1, best->b + 1);
  snprintf(detail, sizeof detail, "%s", m->text);
  mark = strstr(detail, "%s");
  if (mark) snprintf(mark, sizeof detail - (size_t)(mark - detail), "%s%s", which, strstr(m->text, "%s") + 2);
  warn(warnings, m->code, m->kind == EVERY_JOINT ? (int)best->a : -1, "%s (error %.2g %% instead of %.2g %%)", detail,
       100 * best->misfit, 100 * given);
}

enum armdyn_status hypotheses_try(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *motion,
                                  const struct armdyn_motion *swapped, struct armdyn_warnings *warnings)
{
  struct trial t = { .unknowns = unknowns, .swapped = swapped };
  double given;
  struct armdyn_robot_description *d = malloc(sizeof *d);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (!d || !thin(motion, unknowns->n, &t.motion)) goto out;
  *d = *armdyn_robot_description(unknowns->robot);
  t.description = d;
  if ((status = misfit(unknowns, &t.motion, &given))) goto out;
  struct best best = { .misfit = BETTER * given };
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes && !status; k++)
    if (given >= mistakes[k].bad) status = try_all(&t, &mistakes[k], &best);
  if (!status && best.mistake) warn_of(&best, given, warnings);
out:
  armdyn_motion_free(&t.motion);
  free(d);
  return status;
}
