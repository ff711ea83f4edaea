#include "armdyn/simulate.h"

#include <math.h>

#include "armdyn/terms.h"
#include "lib/dynamics/runge_kutta.h"
#include "lib/dynamics/workspace.h"

_Static_assert(2 * ARMDYN_JOINTS_MAX + ARMDYN_ATTACHED_MAX == RUNGE_KUTTA_STATES_MAX, "there is room for all states");
static const double SHORTEST = 1e-14; /* step, of the duration: time can be told apart */

/* One integration; the state is [q; qd; that of what is attached]. */
struct integration {
  const struct armdyn_robot *robot;
  const struct armdyn_simulation *request;
  struct armdyn_workspace *workspace;
  struct runge_kutta stepper;
  double tau[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  double attached_rate[ARMDYN_ATTACHED_MAX];
  long steps_left;
};

/* Accelerations into x->qdd, by the torques of the law, which go to x->tau, and what is attached, whose slope goes to
 * x->attached_rate. False: the mass matrix is singular. */
static bool accelerations(struct integration *x, double t, const double *y)
{
  const struct armdyn_attached *attached = x->request->attached;
  const size_t n = x->robot->joint_count;
  double push[ARMDYN_JOINTS_MAX];
  memset(x->tau, 0, n * sizeof *x->tau);
  if (x->request->torque) x->request->torque(x->request->torque_context, t, y, y + n, x->tau);
  memcpy(push, x->tau, n * sizeof *push);
  if (attached) attached->rate(attached->context, t, y, y + n, y + 2 * n, push, x->attached_rate);
  return armdyn_forward_dynamics(x->robot, y, y + n, push, x->request->load, x->workspace, x->qdd) == ARMDYN_OK;
}

static bool rate(void *context, double t, const double *state, double *out)
{
  struct integration *x = context;
  const size_t n = x->robot->joint_count;
  if (!accelerations(x, t, state)) return false;
  memcpy(out, state + n, n * sizeof *out);
  memcpy(out + n, x->qdd, n * sizeof *out);
  if (x->request->attached) memcpy(out + 2 * n, x->attached_rate, x->request->attached->size * sizeof *out);
  return true;
}

static enum armdyn_status check_positive(double value, bool zero_too, const char *field, struct armdyn_error *error)
{
  if (isfinite(value) && (value > 0 || (zero_too && value == 0))) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, field, "must be a finite number %s 0, got %g",
                       zero_too ? "not below" : "above", value);
}

static enum armdyn_status check_request(const struct armdyn_robot *robot, const struct armdyn_simulation *request,
                                        struct armdyn_error *error)
{
  const struct {
    double value;
    bool zero_too;
    const char *field;
  } numbers[] = {
    { request->duration, false, "/duration" },
    { request->sample_period, false, "/sample_period" },
    { request->fixed_step, true, "/fixed_step" },
    { request->relative_tolerance, true, "/relative_tolerance" },
    { request->absolute_tolerance, true, "/absolute_tolerance" },
    { (double)request->steps_max, true, "/steps_max" },
  };
  enum armdyn_status rc = ARMDYN_OK;
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers && !rc; k++) {
    rc = check_positive(numbers[k].value, numbers[k].zero_too, numbers[k].field, error);
  }
  for (size_t i = 0; i < robot->joint_count && !rc; i++) {
    if (isfinite(request->q[i]) && isfinite(request->qd[i])) continue;
    rc = armdyn_refuse(error, ARMDYN_EINPUT, "/q", "joint %zu starts at %g with %g: not finite", i + 1, request->q[i],
                       request->qd[i]);
  }
  if (!rc && request->attached && request->attached->size > ARMDYN_ATTACHED_MAX)
    rc = armdyn_refuse(error, ARMDYN_EINPUT, "/attached", "must be at most %d states, got %zu", ARMDYN_ATTACHED_MAX,
                       request->attached->size);
  return rc;
}

static void begin(struct integration *x)
{
  const struct armdyn_simulation *request = x->request;
  const size_t n = x->robot->joint_count;
  x->stepper = (struct runge_kutta){
    .rate = rate,
    .context = x,
    .size = 2 * n + (request->attached ? request->attached->size : 0),
    .relative = request->relative_tolerance > 0 ? request->relative_tolerance : 1e-12,
    .absolute = request->absolute_tolerance > 0 ? request->absolute_tolerance : 1e-12,
    .shortest = SHORTEST * request->duration,
  };
  memcpy(x->stepper.state, request->q, n * sizeof(double));
  memcpy(x->stepper.state + n, request->qd, n * sizeof(double));
  if (request->attached)
    memcpy(x->stepper.state + 2 * n, request->attached->state, request->attached->size * sizeof(double));
  x->steps_left = request->steps_max > 0 ? request->steps_max : 1000000;
}

/* From one sample to the next, `count` steps of one length or as many as the tolerance asks for. */
static enum armdyn_status advance(struct integration *x, double from, double to, struct armdyn_error *error)
{
  const double fixed = x->request->fixed_step, span = to - from;
  const double count = fixed > 0 ? fmin(fmax(1, ceil(span / fixed - 1e-9)), 1e15) : 0;
  double t = from;
  enum runge_kutta_status rc = RUNGE_KUTTA_OK;
  for (long k = 0; fixed > 0 ? k < (long)count : t < to; k++) {
    if (x->steps_left-- == 0) {
      return armdyn_refuse(error, ARMDYN_ELIMIT, "/steps_max", "the steps allowed were spent at t = %g s", t);
    }
    rc = fixed > 0 ? runge_kutta_fixed(&x->stepper, t, span / count) : runge_kutta_adaptive(&x->stepper, &t, to);
    if (rc) break;
    if (fixed > 0) t = from + span * ((double)(k + 1) / count);
  }
  if (!rc) return ARMDYN_OK;
  if (rc == RUNGE_KUTTA_NO_RATE)
    return armdyn_refuse(error, ARMDYN_ESINGULAR, "", "the mass matrix is singular at t = %g s", t);
  return armdyn_refuse(error, ARMDYN_ELIMIT, "",
                       "the motion cannot be followed beyond t = %g s: the step became too short", t);
}

/* A sample begins. */
static void begin_sample(struct integration *x, double t)
{
  const struct armdyn_attached *attached = x->request->attached;
  const size_t n = x->robot->joint_count;
  double *y = x->stepper.state;
  if (attached) memcpy(attached->state, y + 2 * n, attached->size * sizeof *y);
  if (x->request->begin_sample) x->request->begin_sample(x->request->torque_context, t, y, y + n);
  if (attached) memcpy(y + 2 * n, attached->state, attached->size * sizeof *y);
}

static enum armdyn_status hand_over(struct integration *x, double t, armdyn_simulation_sink sink, void *sink_context,
                                    struct armdyn_error *error)
{
  const double *y = x->stepper.state;
  const size_t n = x->robot->joint_count;
  struct armdyn_simulation_sample sample = { .t = t, .q = y, .qd = y + n, .qdd = x->qdd, .tau = x->tau };
  begin_sample(x, t);
  if (!accelerations(x, t, y)) {
    return armdyn_refuse(error, ARMDYN_ESINGULAR, "", "the mass matrix is singular at t = %g s", t);
  }
  armdyn_energy(x->robot, y, y + n, x->workspace, &sample.kinetic, &sample.potential);
  armdyn_momentum(x->robot, y, y + n, x->workspace, sample.momentum);
  if (sink(sink_context, &sample)) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_ECANCELLED, "", "ended by the caller at t = %g s", t);
}

enum armdyn_status armdyn_simulate(const struct armdyn_robot *robot, const struct armdyn_simulation *request,
                                   armdyn_simulation_sink sink, void *sink_context, struct armdyn_workspace *workspace,
                                   long *steps, struct armdyn_error *error)
{
  struct integration x = { .robot = robot, .request = request, .workspace = workspace };
  double t = 0;
  enum armdyn_status rc = check_request(robot, request, error);
  if (rc) return rc;
  begin(&x);
  rc = hand_over(&x, 0, sink, sink_context, error);
  for (long k = 1; !rc && t < request->duration; k++) {
    /* a last period shorter than a millionth of one is rounding */
    double next = (double)k * request->sample_period;
    if (next > request->duration - 1e-6 * request->sample_period) next = request->duration;
    if ((rc = advance(&x, t, next, error))) break;
    t = next;
    rc = hand_over(&x, t, sink, sink_context, error);
  }
  if (steps) *steps = x.stepper.steps;
  return rc;
}
