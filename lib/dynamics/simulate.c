#include "armdyn/simulate.h"

#include <math.h>

#include "armdyn/terms.h"
#include "lib/dynamics/arkode.h"
#include "lib/dynamics/runge_kutta.h"
#include "lib/dynamics/workspace.h"

/* Where friction turns, a step may have to become many thousand times shorter at once, which 7 refusals, the usual, are not
 * enough for; but not shorter than time can be told apart. */
enum { REFUSED_IN_A_ROW = 20 };
static const double SHORTEST = 1e-14; /* of the duration */

/* One integration; y = [q; qd]. */
struct integration {
  const struct armdyn_robot *robot;
  const struct armdyn_simulation *request;
  struct armdyn_workspace *workspace;
  SUNContext context;
  N_Vector y;
  void *stepper;
  double tau[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  long steps_left;
  bool singular;
};

/* Accelerations into x->qdd, by the torques of the law, which go to x->tau. False: singular. */
static bool accelerations(struct integration *x, double t, const double *y)
{
  const size_t n = x->robot->joint_count;
  memset(x->tau, 0, n * sizeof *x->tau);
  if (x->request->torque) x->request->torque(x->request->torque_context, t, y, y + n, x->tau);
  x->singular =
      armdyn_forward_dynamics(x->robot, y, y + n, x->tau, x->request->load, x->workspace, x->qdd) != ARMDYN_OK;
  return !x->singular;
}

/* ARKODE's right-hand side: 1 asks for a shorter step, -1 gives up. */
static int derivative(double t, N_Vector y, N_Vector rate, void *context)
{
  struct integration *x = context;
  const size_t n = x->robot->joint_count;
  const double *state = N_VGetArrayPointer(y);
  double *out = N_VGetArrayPointer(rate);
  if (!accelerations(x, t, state)) return -1;
  memcpy(out, state + n, n * sizeof *out);
  memcpy(out + n, x->qdd, n * sizeof *out);
  for (size_t i = 0; i < 2 * n; i++) {
    if (!isfinite(out[i])) return 1;
  }
  return 0;
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
  return rc;
}

static enum armdyn_status integration_open(struct integration *x, struct armdyn_error *error)
{
  const size_t n = x->robot->joint_count;
  const struct armdyn_simulation *request = x->request;
  const double relative = request->relative_tolerance > 0 ? request->relative_tolerance : 1e-12;
  const double absolute = request->absolute_tolerance > 0 ? request->absolute_tolerance : 1e-12;
  x->steps_left = request->steps_max > 0 ? request->steps_max : 1000000;
  if (SUNContext_Create(SUN_COMM_NULL, &x->context) || !(x->y = N_VNew_Serial((sunindextype)(2 * n), x->context)))
    goto memory;
  memcpy(N_VGetArrayPointer(x->y), request->q, n * sizeof(double));
  memcpy(N_VGetArrayPointer(x->y) + n, request->qd, n * sizeof(double));
  if (!(x->stepper = ERKStepCreate(derivative, 0, x->y, x->context))) goto memory;
  if (!arkode_make_quiet(x->context, x->stepper) || ARKodeSetUserData(x->stepper, x) || runge_kutta_set(x->stepper) ||
      ARKodeSetMaxErrTestFails(x->stepper, REFUSED_IN_A_ROW) ||
      ARKodeSetMinStep(x->stepper, SHORTEST * request->duration) ||
      ARKodeSStolerances(x->stepper, relative, absolute)) {
    goto memory;
  }
  return ARMDYN_OK;
memory:
  return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for an integrator of %zu states", 2 * n);
}

static void integration_close(struct integration *x)
{
  if (x->stepper) ARKodeFree(&x->stepper);
  if (x->y) N_VDestroy(x->y);
  if (x->context) SUNContext_Free(&x->context);
}

/* From one sample to the next, `count` steps of one length or as many as the tolerance asks for. */
static enum armdyn_status advance(struct integration *x, double from, double to, struct armdyn_error *error)
{
  const double fixed = x->request->fixed_step, span = to - from;
  const double count = fixed > 0 ? fmin(fmax(1, ceil(span / fixed - 1e-9)), 1e15) : 0;
  double t = from;
  int rc = fixed > 0 ? ARKodeSetFixedStep(x->stepper, span / count) : ARKodeSetStopTime(x->stepper, to);
  for (long k = 0; !rc && (fixed > 0 ? k < (long)count : t < to); k++) {
    if (x->steps_left-- == 0) {
      return armdyn_refuse(error, ARMDYN_ELIMIT, "/steps_max", "the steps allowed were spent at t = %g s", t);
    }
    rc = ARKodeEvolve(x->stepper, to, x->y, &t, ARK_ONE_STEP);
    if (rc > 0) rc = 0; /* the stop time was met */
  }
  if (!rc) return ARMDYN_OK;
  if (x->singular) return armdyn_refuse(error, ARMDYN_ESINGULAR, "", "the mass matrix is singular at t = %g s", t);
  return armdyn_refuse(error, ARMDYN_ELIMIT, "",
                       "the motion cannot be followed beyond t = %g s: the step became too short", t);
}

static enum armdyn_status hand_over(struct integration *x, double t, armdyn_simulation_sink sink, void *sink_context,
                                    struct armdyn_error *error)
{
  const double *y = N_VGetArrayPointer(x->y);
  const size_t n = x->robot->joint_count;
  struct armdyn_simulation_sample sample = { .t = t, .q = y, .qd = y + n, .qdd = x->qdd, .tau = x->tau };
  if (x->request->begin_sample) {
    x->request->begin_sample(x->request->torque_context, t, y, y + n);
    if (t > 0 && ARKodeReset(x->stepper, t, x->y))
      return armdyn_refuse(error, ARMDYN_EINTERNAL, "", "the integrator does not start again at t = %g s", t);
  }
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
  if (rc || (rc = integration_open(&x, error))) goto out;
  rc = hand_over(&x, 0, sink, sink_context, error);
  for (long k = 1; !rc && t < request->duration; k++) {
    /* a last period shorter than a millionth of one is rounding */
    double next = (double)k * request->sample_period;
    if (next > request->duration - 1e-6 * request->sample_period) next = request->duration;
    if ((rc = advance(&x, t, next, error))) break;
    t = next;
    rc = hand_over(&x, t, sink, sink_context, error);
  }
  if (steps && ARKodeGetNumSteps(x.stepper, steps)) *steps = 0;
out:
  integration_close(&x);
  return rc;
}
