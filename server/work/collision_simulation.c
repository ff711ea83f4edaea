#include "server/work/collision_simulation.h"

#include <math.h>

#include "api/codec/simulation.h"
#include "armdyn/simulate.h"
#include "armdyn/terms.h"
#include "server/data/stored_trajectory.h"
#include "server/work/tracking.h"

/* The motion is integrated from jump to jump of what acts: before the collision, during it, after it. */
struct struck {
  struct work *work;
  const struct collision_check_request *request;
  struct collision_watch *watch;
  struct collision_figures *figures;
  struct armdyn_trajectory wanted;
  double duration;                                    /* s, of the whole */
  size_t position;                                    /* samples so far */
  double begin;                                       /* s, of the present part */
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX]; /* of the last sample */
};

static bool take_sample(void *context, const struct armdyn_simulation_sample *sample)
{
  struct struck *s = context;
  const size_t n = armdyn_robot_joint_count(s->watch->robot);
  memcpy(s->q, sample->q, n * sizeof *s->q);
  memcpy(s->qd, sample->qd, n * sizeof *s->qd);
  if (sample->t == 0 && s->begin > 0) return true; /* the last one of the part before */
  const double t = fmin((double)s->position++ / s->request->sample_rate, s->duration);
  collision_watch_take(s->watch, t, sample->q, sample->qd, sample->tau, s->figures);
  work_progress(s->work, 0.5 + 0.5 * t / s->duration, "simulating the collision");
  return true;
}

/* From s->begin to `end`, under this load. */
static enum armdyn_status integrate(struct struck *s, double end, const struct armdyn_load *load,
                                    struct armdyn_error *error)
{
  static const double tolerance = 1e-10;
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX];
  if (end <= s->begin) return ARMDYN_OK;
  memcpy(q, s->q, sizeof q), memcpy(qd, s->qd, sizeof qd);
  struct tracking tracking = { .robot = s->watch->robot,
                               .wanted = &s->wanted,
                               .bandwidth_hz = s->request->tracking_bandwidth_hz,
                               .begin = s->begin,
                               .load = &s->watch->load,
                               .workspace = s->watch->workspace };
  const struct armdyn_simulation simulation = {
    .q = q,
    .qd = qd,
    .duration = end - s->begin,
    .sample_period = 1 / s->request->sample_rate,
    .torque = tracking_torque,
    .torque_context = &tracking,
    .load = load,
    .relative_tolerance = tolerance,
    .absolute_tolerance = tolerance,
    .steps_max = LIMIT_SIMULATION_STEPS,
  };
  enum armdyn_status status =
      armdyn_simulate(s->watch->robot, &simulation, take_sample, s, s->watch->workspace, NULL, error);
  s->begin = end;
  /* the model, or what strikes it, cannot be simulated: nobody's fault but the request's */
  return status == ARMDYN_ESINGULAR || status == ARMDYN_ELIMIT ? ARMDYN_EINPUT : status;
}

/* What the wrench does to the joints, J' w: what holds the arm without it less what holds it with it. */
static void torques_of(const struct struck *s, const struct collision_push *push, double *torques)
{
  double with[ARMDYN_JOINTS_MAX];
  armdyn_statics(s->watch->robot, s->q, push->wrench, push->wrench_frame, s->watch->workspace, with, NULL);
  armdyn_statics(s->watch->robot, s->q, NULL, push->wrench_frame, s->watch->workspace, torques, NULL);
  for (size_t j = 0; j < armdyn_robot_joint_count(s->watch->robot); j++) torques[j] -= with[j];
}

static enum armdyn_status strike(struct struck *s, struct collision_outcome *outcome, struct armdyn_error *error)
{
  const struct collision_push *push = &s->request->collision;
  struct armdyn_load struck = s->watch->load;
  struck.wrench = push->wrench;
  struck.wrench_frame = push->wrench_frame;
  enum armdyn_status status = integrate(s, outcome->time, &s->watch->load, error);
  if (status) return status;
  torques_of(s, push, outcome->torques);
  outcome->false_alarms = s->watch->event_count;
  status = integrate(s, outcome->time + outcome->duration, &struck, error);
  if (!status) status = integrate(s, s->duration, &s->watch->load, error);
  if (status || s->watch->event_count == outcome->false_alarms) return status;
  if (outcome->false_alarms < LIMIT_COLLISION_EVENTS)
    outcome->delay = s->watch->events[outcome->false_alarms].time - outcome->time;
  return status;
}

/* A time on the samples' clock. */
static double on_clock(double t, double rate)
{
  return round(t * rate) / rate;
}

static enum armdyn_status begin(struct struck *s, struct collision_check_request *request,
                                struct collision_outcome *outcome, struct armdyn_error *error)
{
  static const double usual_rate = 1000; /* Hz */
  const double rate = isnan(request->sample_rate) ? usual_rate : request->sample_rate;
  const struct collision_push *push = &request->collision;
  request->sample_rate = rate;
  if (isnan(request->tracking_bandwidth_hz)) request->tracking_bandwidth_hz = USUAL_BANDWIDTH_HZ;
  s->duration = armdyn_trajectory_duration(&s->wanted);
  if (push->time >= s->duration)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/collision/time", "the trajectory lasts %g s, got %g", s->duration,
                         push->time);
  const double end = fmin(push->time + push->duration, s->duration);
  outcome->time = on_clock(push->time, rate);
  outcome->duration = (end < s->duration ? on_clock(end, rate) : end) - outcome->time;
  outcome->delay = NAN;
  if (!(outcome->duration > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/collision/duration",
                         "%g s are over between two samples at %g Hz; raise sample_rate", push->duration, rate);
  armdyn_trajectory_state(&s->wanted, 0, s->q, s->qd, NULL, NULL);
  return simulation_check_samples(s->duration, rate, error);
}

enum armdyn_status collision_simulate(struct work *work, struct collision_check_request *request,
                                      const double *thresholds, struct collision_watch *watch,
                                      struct collision_figures *figures, struct collision_outcome *outcome,
                                      struct armdyn_error *error)
{
  struct struck s = { .work = work, .request = request, .watch = watch, .figures = figures };
  struct store *store;
  enum armdyn_status status = work_store(work, &store);
  if (!status)
    status = stored_trajectory_open(store, request->trajectory, armdyn_robot_joint_count(watch->robot), "/trajectory",
                                    &s.wanted, error);
  if (!status) status = begin(&s, request, outcome, error);
  if (!status) status = collision_watch_keep(watch, work, request->sample_rate, s.duration * request->sample_rate + 2);
  if (!status) {
    collision_watch_begin(watch, 0, thresholds, true);
    status = strike(&s, outcome, error);
    collision_watch_end(watch);
  }
  armdyn_trajectory_free(&s.wanted);
  return status;
}
