/* Stored motions, and rests between them, as one motion. */
#include <math.h>
#include <stdlib.h>

#include "server/data/stored_trajectory.h"
#include "server/work/plan.h"

struct pieces {
  struct armdyn_trajectory motions[LIMIT_STEPS]; /* all zero where the arm rests */
  struct armdyn_sequence_step steps[LIMIT_STEPS];
};

static enum armdyn_status read_pieces(const struct plan *p, struct pieces *pieces, struct armdyn_error *error)
{
  struct store *store;
  enum armdyn_status status = work_store(p->work, &store);
  for (size_t i = 0; i < p->request.step_count && !status; i++) {
    const struct trajectory_step *step = &p->request.steps[i];
    char where[64];
    snprintf(where, sizeof where, "/steps/%zu/trajectory", i);
    if (*step->trajectory)
      status = stored_trajectory_open(store, step->trajectory, p->n, where, &pieces->motions[i], error);
    pieces->steps[i].motion = *step->trajectory ? &pieces->motions[i] : NULL;
    pieces->steps[i].rest = *step->trajectory ? 0 : step->dwell;
  }
  return status;
}

static enum armdyn_status join(const struct plan *p, struct armdyn_trajectory *out, struct armdyn_error *error)
{
  struct pieces *pieces = calloc(1, sizeof *pieces);
  if (!pieces) return ARMDYN_EMEMORY;
  enum armdyn_status status = read_pieces(p, pieces, error);
  if (!status) status = armdyn_trajectory_sequence(pieces->steps, p->request.step_count, out, error);
  for (size_t i = 0; i < LIMIT_STEPS; i++) armdyn_trajectory_free(&pieces->motions[i]);
  free(pieces);
  return status;
}

/* The step that is at hand at this time. */
static size_t step_at(const struct armdyn_trajectory *motion, double t)
{
  size_t step = 0;
  while (step + 2 < motion->waypoint_count && motion->waypoint_times[step + 1] < t) step++;
  return step;
}

/* Each step may have been planned for another part, model or limit: the whole is held against those of this request. */
static enum armdyn_status judge(const struct plan *p, const struct armdyn_trajectory *motion,
                                struct armdyn_margin *margin, struct armdyn_error *error)
{
  const struct armdyn_margin *most;
  double speed, when;
  char where[64];
  enum armdyn_status status = plan_excess(p, motion, margin, &most, &speed, &when);
  if (status) return status;
  if (most) {
    snprintf(where, sizeof where, "/steps/%zu", step_at(motion, most->time));
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, where, "%s takes %.6g times the %s limit of joint %s, at %.6g s",
                         where, most->usage, armdyn_limit_name(most->limit), p->work->robot->joints[most->joint].name,
                         most->time);
  }
  if (!(speed > 0)) return ARMDYN_OK;
  snprintf(where, sizeof where, "/steps/%zu", step_at(motion, when));
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, where, "the tool moves at %.6g m/s at %.6g s, in %s", speed, when,
                       where);
}

/* The borders of the steps are the points of the motion. */
static enum armdyn_status note_borders(struct plan *p, const struct armdyn_trajectory *motion)
{
  double *points = realloc(p->points, motion->waypoint_count * p->n * sizeof *points);
  if (!points) return ARMDYN_EMEMORY;
  p->points = points;
  p->point_count = motion->waypoint_count;
  for (size_t k = 0; k < p->point_count; k++)
    armdyn_trajectory_state(motion, motion->waypoint_times[k], points + k * p->n, NULL, NULL, NULL);
  return ARMDYN_OK;
}

enum armdyn_status sequence_find(struct plan *p, double duration, double time_scale, struct armdyn_trajectory *out,
                                 struct armdyn_margin *margin, double *minimum, struct armdyn_error *error)
{
  (void)duration, (void)time_scale;
  if (!minimum) return ARMDYN_EINFEASIBLE; /* a trial of another duration: the steps have theirs */
  *minimum = NAN;
  work_progress(p->work, 0.01, "joining motions");
  enum armdyn_status status = join(p, out, error);
  if (status) return status;
  status = judge(p, out, margin, error);
  if (!status) status = note_borders(p, out);
  if (status) armdyn_trajectory_free(out);
  return status;
}

/* -- what none in its place could go below: the sum of that of its motions, and what holding the arm at rest takes -- */

static enum armdyn_status bound_motion(const struct plan *p, size_t step, double seconds,
                                       struct armdyn_energy_bound *bound)
{
  const struct armdyn_energy_bound_request request = {
    .point_count = 2,
    .points = p->points + step * p->n,
    .duration_min = seconds,
    .duration_max = seconds,
    .limits = p->limits,
  };
  return armdyn_electrical_lower_bound(p->robot, &p->drives, &request, bound, NULL);
}

static enum armdyn_status bound_rest(const struct plan *p, size_t step, double seconds,
                                     struct armdyn_energy_bound *bound)
{
  double breaks[] = { 0, seconds }, place[ARMDYN_JOINTS_MAX];
  const struct armdyn_trajectory rest = { .joint_count = p->n,
                                          .piece_count = 1,
                                          .breaks = breaks,
                                          .coefficients = place,
                                          .waypoint_count = 2,
                                          .waypoint_times = breaks };
  struct armdyn_electrical_energy energy = { .total = 0 };
  memcpy(place, p->points + step * p->n, p->n * sizeof *place);
  enum armdyn_status status = armdyn_trajectory_electrical_energy(p->robot, &p->drives, &rest, &energy, NULL);
  *bound = (struct armdyn_energy_bound){ .total = energy.total, .duration = seconds, .copper = energy.total };
  return status;
}

enum armdyn_status sequence_bound(struct plan *p)
{
  const double *const times = p->trajectory.waypoint_times;
  enum armdyn_status status = ARMDYN_OK;
  struct armdyn_energy_bound sum = { .total = 0 };
  for (size_t i = 0; i < p->request.step_count && !status; i++) {
    struct armdyn_energy_bound one = { .total = 0 };
    const double seconds = times[i + 1] - times[i];
    if (seconds > 0)
      status = *p->request.steps[i].trajectory ? bound_motion(p, i, seconds, &one) : bound_rest(p, i, seconds, &one);
    sum.total += one.total, sum.duration += seconds;
    sum.gravity += one.gravity, sum.offset += one.offset, sum.dry += one.dry, sum.viscous += one.viscous;
    sum.gear += one.gear, sum.copper += one.copper, sum.burnt += one.burnt;
  }
  if (!status) p->bound = sum;
  return status;
}
