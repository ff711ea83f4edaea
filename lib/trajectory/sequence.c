/* Motions from rest to rest, and rests, one after the other as one motion. */
#include <math.h>

#include "lib/trajectory/polynomial.h"

static const double same_place = 1e-6, at_rest = 1e-6; /* rad, m; rad/s, m/s: what rounding of a plan may leave */

static bool takes_time(const struct armdyn_sequence_step *step)
{
  return step->motion ? armdyn_trajectory_duration(step->motion) > 0 : step->rest > 0;
}

static void ends_of(const struct armdyn_trajectory *motion, double q[2][ARMDYN_JOINTS_MAX],
                    double qd[2][ARMDYN_JOINTS_MAX])
{
  armdyn_trajectory_state(motion, 0, q[0], qd[0], NULL, NULL);
  armdyn_trajectory_state(motion, armdyn_trajectory_duration(motion), q[1], qd[1], NULL, NULL);
}

/* -- may they follow each other? -- */

static enum armdyn_status check_rest(const struct armdyn_sequence_step *step, size_t index, struct armdyn_error *error)
{
  char where[64];
  if (step->rest >= 0 && isfinite(step->rest)) return ARMDYN_OK;
  snprintf(where, sizeof where, "/steps/%zu/dwell", index);
  return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be a time >= 0 s, got %g", step->rest);
}

/*   stands  in/out  where the motion before ends, where this one does; NULL before: it is the first */
static enum armdyn_status check_motion(const struct armdyn_trajectory *motion, const struct armdyn_trajectory *before,
                                       double *stands, size_t index, struct armdyn_error *error)
{
  double q[2][ARMDYN_JOINTS_MAX], qd[2][ARMDYN_JOINTS_MAX];
  char where[64];
  snprintf(where, sizeof where, "/steps/%zu", index);
  if (before && before->joint_count != motion->joint_count)
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "has %zu joints, the motion before %zu", motion->joint_count,
                         before->joint_count);
  ends_of(motion, q, qd);
  for (size_t j = 0; j < motion->joint_count; j++) {
    if (before && !(fabs(q[0][j] - stands[j]) <= same_place))
      return armdyn_refuse(error, ARMDYN_EINPUT, where, "joint %zu begins at %.9g, the motion before ends at %.9g",
                           j + 1, q[0][j], stands[j]);
    for (size_t end = 0; end < 2; end++)
      if (!(fabs(qd[end][j]) <= at_rest))
        return armdyn_refuse(error, ARMDYN_EINPUT, where, "joint %zu is not at rest at its %s: %.3g", j + 1,
                             end ? "end" : "beginning", qd[end][j]);
    stands[j] = q[1][j];
  }
  return ARMDYN_OK;
}

/* *first: the first motion. */
static enum armdyn_status check(const struct armdyn_sequence_step *steps, size_t count,
                                const struct armdyn_trajectory **first, struct armdyn_error *error)
{
  const struct armdyn_trajectory *before = NULL;
  double stands[ARMDYN_JOINTS_MAX] = { 0 };
  enum armdyn_status status = ARMDYN_OK;
  *first = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    const struct armdyn_trajectory *motion = steps[i].motion;
    status = motion ? check_motion(motion, before, stands, i, error) : check_rest(&steps[i], i, error);
    if (motion && !*first) *first = motion;
    if (motion) before = motion;
  }
  if (!status && !*first) return armdyn_refuse(error, ARMDYN_EINPUT, "/steps", "has no motion");
  return status;
}

/* -- joining them -- */

struct joining {
  struct armdyn_trajectory *out;
  size_t k;                         /* the piece that comes next, at out->breaks[k] */
  double stands[ARMDYN_JOINTS_MAX]; /* where the arm rests now */
};

static void add_motion(struct joining *to, const struct armdyn_trajectory *motion)
{
  const size_t n = motion->joint_count, from = motion->degree + 1, terms = to->out->degree + 1;
  const double begin = to->out->breaks[to->k];
  for (size_t row = 0; row < motion->piece_count * n; row++)
    memcpy(to->out->coefficients + (to->k * n + row) * terms, motion->coefficients + row * from, from * sizeof(double));
  for (size_t k = 1; k <= motion->piece_count; k++) to->out->breaks[to->k + k] = begin + motion->breaks[k];
  to->k += motion->piece_count;
  armdyn_trajectory_state(motion, armdyn_trajectory_duration(motion), to->stands, NULL, NULL, NULL);
}

static void add_rest(struct joining *to, double seconds)
{
  const size_t n = to->out->joint_count, terms = to->out->degree + 1;
  for (size_t j = 0; j < n; j++) to->out->coefficients[(to->k * n + j) * terms] = to->stands[j];
  to->out->breaks[to->k + 1] = to->out->breaks[to->k] + seconds;
  to->k++;
}

enum armdyn_status armdyn_trajectory_sequence(const struct armdyn_sequence_step *steps, size_t count,
                                              struct armdyn_trajectory *out, struct armdyn_error *error)
{
  struct joining to = { .out = out };
  const struct armdyn_trajectory *first;
  size_t pieces = 0, degree = 0;
  enum armdyn_status status = check(steps, count, &first, error);
  if (status || !first) return status;
  for (size_t i = 0; i < count; i++) {
    if (!takes_time(&steps[i])) continue;
    pieces += steps[i].motion ? steps[i].motion->piece_count : 1;
    if (steps[i].motion && steps[i].motion->degree > degree) degree = steps[i].motion->degree;
  }
  if (!pieces) return armdyn_refuse(error, ARMDYN_EINPUT, "/steps", "takes no time");
  status = trajectory_allocate(out, first->joint_count, pieces, degree, count + 1);
  if (status) return status;
  armdyn_trajectory_state(first, 0, to.stands, NULL, NULL, NULL);
  for (size_t i = 0; i < count; i++) {
    if (takes_time(&steps[i])) steps[i].motion ? add_motion(&to, steps[i].motion) : add_rest(&to, steps[i].rest);
    out->waypoint_times[i + 1] = out->breaks[to.k];
  }
  return ARMDYN_OK;
}
