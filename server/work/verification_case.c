#include "server/work/verification_case.h"

#include <math.h>
#include <stdlib.h>

#include "armdyn/response.h"
#include "armdyn/terms.h"
#include "server/work/simulated_loop.h"
#include "server/work/verification_measured.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double AWAY = 100;         /* rad, m off: the loop diverges */
static const double SETTLED_PART = 0.9; /* of the duration of a hold or a step: what it is from then on counts */

/* ---- what is seen of a loop */

struct following {
  const struct case_order *order;
  struct verification_case *c;
  const struct armdyn_robot *plant;
  struct armdyn_workspace *workspace;
  size_t n, periods, judged;
  double duration, from, judged_from; /* s: of this loop; figures count from there; the limit does */
  double position2, rotation2, off2[N], torque2[N], still[N];
  double last_beyond;                                    /* s: the last period beyond the limit */
  struct armdyn_step_response steps[N];                  /* of a step, of the joints that move */
  struct armdyn_sine_fit wanted[N], answer[N];           /* of a sine */
  double low[N], high[N], torque_low[N], torque_high[N]; /* where it counts */
  bool away;
  size_t compared; /* periods, with what was measured */
};

static void follow_tool(struct following *f, const struct armdyn_loop_sample *sample)
{
  struct verification_case *c = f->c;
  const double t = sample->plant->t, limit_mm = f->order->request->limit.position_mm;
  double off[3], turn;
  reference_tool_off(f->order->model, sample->wanted, f->plant, sample->plant->q, f->workspace, off, &turn);
  const double mm = 1e3 * sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]), mrad = 1e3 * turn;
  const double part = t / f->duration * ENVELOPE;
  double *bin = &c->envelope_mm[part < ENVELOPE ? (size_t)part : ENVELOPE - 1];
  f->position2 += mm * mm, f->rotation2 += mrad * mrad;
  if (mm > c->position_max_mm) c->position_max_mm = mm, c->position_max_time = t;
  c->rotation_max_mrad = fmax(c->rotation_max_mrad, mrad);
  *bin = fmax(*bin, mm);
  if (mm > limit_mm) f->last_beyond = t;
  if (f->order->trace) f->order->trace(f->order->trace_context, t, off);
  if (t < f->judged_from) return;
  c->judged_mm = fmax(c->judged_mm, mm), c->judged_mrad = fmax(c->judged_mrad, mrad);
  f->judged++;
}

static void follow_joints(struct following *f, const struct armdyn_loop_sample *sample)
{
  const struct armdyn_simulation_sample *plant = sample->plant;
  const struct verification_reference *asked = f->order->motion->asked;
  for (size_t j = 0; j < f->n; j++) {
    struct verification_joint *joint = &f->c->joints[j];
    const double off = sample->wanted[j] - plant->q[j], tau = sample->tau[j], begin = f->order->motion->q[j];
    f->off2[j] += off * off, f->torque2[j] += tau * tau;
    joint->max = fmax(joint->max, fabs(off));
    joint->torque_peak = fmax(joint->torque_peak, fabs(tau));
    joint->saturated += sample->saturated[j];
    if (plant->t >= f->judged_from) {
      f->still[j] += off;
      f->low[j] = fmin(f->low[j], off), f->high[j] = fmax(f->high[j], off);
      f->torque_low[j] = fmin(f->torque_low[j], tau), f->torque_high[j] = fmax(f->torque_high[j], tau);
    }
    if (asked->kind == REFERENCE_STEP && asked->amplitude[j] != 0)
      armdyn_step_take(&f->steps[j], plant->t, plant->q[j], plant->qd[j]);
    if (asked->kind != REFERENCE_SINE || asked->amplitude[j] == 0) continue;
    armdyn_sine_take(&f->wanted[j], plant->t, sample->wanted[j] - begin);
    armdyn_sine_take(&f->answer[j], plant->t, plant->q[j] - begin);
  }
}

/* Beside an arm that played it, whose error between two samples is on a line. */
static void follow_measured(struct following *f, const struct armdyn_loop_sample *sample)
{
  double off[N], measured[N], apart[3], turn;
  if (!f->order->measured || !measured_motion_off(f->order->measured, sample->plant->t, off)) return;
  for (size_t j = 0; j < f->n; j++) {
    measured[j] = sample->wanted[j] - off[j];
    f->c->apart[j] += pow(measured[j] - sample->plant->q[j], 2);
  }
  reference_tool_off(f->plant, measured, f->plant, sample->plant->q, f->workspace, apart, &turn);
  const double square = 1e6 * (apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
  f->c->apart_rms_mm += square;
  f->c->apart_max_mm = fmax(f->c->apart_max_mm, sqrt(square));
  f->compared++;
}

static bool near(struct following *f, const struct armdyn_loop_sample *sample)
{
  for (size_t j = 0; j < f->n && !f->away; j++) {
    const double off = sample->wanted[j] - sample->plant->q[j];
    if (fabs(off) <= AWAY) continue;
    f->away = true;
    snprintf(f->c->detail, sizeof f->c->detail, "joint %s is %.3g %s off at %.4g s",
             armdyn_robot_description(f->plant)->joints[j].name, off,
             armdyn_robot_description(f->plant)->joints[j].type == ARMDYN_PRISMATIC ? "m" : "rad", sample->plant->t);
  }
  return !f->away;
}

static bool take_period(void *context, const struct armdyn_loop_sample *sample)
{
  struct following *f = context;
  const struct case_order *order = f->order;
  work_progress(order->work, order->begun + order->part * sample->plant->t / f->duration, order->sentence);
  if (!near(f, sample)) return false;
  if ((f->c->has_account = sample->account != NULL)) f->c->account = *sample->account;
  if (sample->plant->t < f->from) return true;
  f->periods++;
  follow_joints(f, sample);
  follow_tool(f, sample);
  follow_measured(f, sample);
  return true;
}

/* ---- one loop */

enum armdyn_status verification_case_loop(const struct case_order *order, const struct verification_case *c,
                                          double duration, struct armdyn_workspace *workspace,
                                          struct simulated_loop *loop, double *q, double *qd,
                                          struct armdyn_error *error)
{
  const struct verification_request *request = order->request;
  const struct verification_law *law = &request->laws[c->law];
  double qdd[N];
  const enum armdyn_status status =
      simulated_loop_open(loop, &law->control, &request->plants[c->plant].plant, order->model, request->friction,
                          law->bandwidth_hz, order->motion->q, workspace, error);
  if (status) return status;
  loop->control = *order->control;
  reference_motion_at(order->motion, 0, q, qd, qdd);
  if (order->motion->asked->kind == REFERENCE_STEP) memcpy(q, order->motion->q, order->motion->n * sizeof *q);
  loop->loop.reference = reference_motion_at, loop->loop.reference_context = order->motion;
  loop->loop.disturbance = order->disturbance, loop->loop.disturbance_context = order->disturbance_context;
  loop->loop.plant_motion = (struct armdyn_simulation){ .q = q,
                                                        .qd = qd,
                                                        .duration = duration,
                                                        .load = loop->loop.plant_motion.load,
                                                        .relative_tolerance = request->tolerance,
                                                        .absolute_tolerance = request->tolerance,
                                                        .steps_max = LIMIT_SIMULATION_STEPS };
  return ARMDYN_OK;
}

static enum armdyn_status run_loop(struct following *f, struct armdyn_error *error)
{
  struct simulated_loop *loop = calloc(1, sizeof *loop);
  double q[N], qd[N];
  struct armdyn_error told = { 0 };
  long steps = 0;
  if (!loop) return ARMDYN_EMEMORY;
  enum armdyn_status status = verification_case_loop(f->order, f->c, f->duration, f->workspace, loop, q, qd, error);
  if (status) goto out;
  f->plant = loop->plant;
  status = armdyn_loop_simulate(&loop->loop, take_period, f, &steps, &told);
  f->c->steps += steps;
  if (status == ARMDYN_ELIMIT || status == ARMDYN_ESINGULAR)
    snprintf(f->c->detail, sizeof f->c->detail, "%.180s", told.message);
  f->c->diverged = f->away || status == ARMDYN_ELIMIT || status == ARMDYN_ESINGULAR;
  if (f->c->diverged) status = ARMDYN_OK;
  if (status) *error = told;
out:
  simulated_loop_close(loop);
  free(loop);
  return status;
}

/* ---- the kinds */

/* The end of a loop that is no period of the controller would be a sample between the others. */
static double whole_periods(double duration, double period)
{
  return ceil(duration / period - 1e-6) * period;
}

static enum armdyn_status run_sine(struct following *f, struct armdyn_error *error)
{
  const struct verification_reference *asked = f->order->motion->asked;
  const struct verification_law *law = &f->order->request->laws[f->c->law];
  enum armdyn_status status = ARMDYN_OK;
  f->c->responses = calloc(LIMIT_SWEEP_FREQUENCIES * ARMDYN_JOINTS_MAX, sizeof *f->c->responses);
  if (!f->c->responses) return ARMDYN_EMEMORY;
  for (size_t k = 0; k < asked->frequency_count && !status && !f->c->diverged; k++) {
    f->order->motion->frequency = asked->frequencies[k];
    f->from = f->judged_from = verification_settle(asked, law);
    f->duration = whole_periods(f->from + asked->periods / asked->frequencies[k], f->order->control->period);
    f->c->duration += f->duration;
    for (size_t j = 0; j < f->n; j++) {
      armdyn_sine_init(&f->wanted[j], asked->frequencies[k]);
      armdyn_sine_init(&f->answer[j], asked->frequencies[k]);
    }
    status = run_loop(f, error);
    for (size_t j = 0; j < f->n && !status && !f->c->diverged; j++) {
      struct verification_response *response = &f->c->responses[k * f->n + j];
      double in[2], out[2], left;
      *response = (struct verification_response){ NAN, NAN, NAN };
      if (asked->amplitude[j] == 0 || armdyn_sine_end(&f->wanted[j], in, &left) ||
          armdyn_sine_end(&f->answer[j], out, &response->left))
        continue;
      armdyn_sine_ratio(in, out, &response->gain, &response->phase);
      const double before = k ? f->c->responses[(k - 1) * f->n + j].phase : 0;
      if (!isnan(before)) response->phase = before + remainder(response->phase - before, 2 * 3.14159265358979323846);
    }
  }
  return status;
}

static enum armdyn_status run_other(struct following *f, struct armdyn_error *error)
{
  const struct verification_reference *asked = f->order->motion->asked;
  const bool comes_to_rest = asked->kind == REFERENCE_HOLD || asked->kind == REFERENCE_STEP;
  f->duration = f->c->duration =
      verification_time(asked, &f->order->request->laws[f->c->law], f->order->motion->moving);
  f->judged_from = comes_to_rest ? SETTLED_PART * f->duration : 0;
  for (size_t j = 0; j < f->n && asked->kind == REFERENCE_STEP; j++) {
    const double begin = f->order->motion->q[j];
    armdyn_step_init(&f->steps[j], begin, begin + asked->amplitude[j], f->duration, asked->band);
  }
  return run_loop(f, error);
}

/* ---- figures */

static double bandwidth_of(const struct following *f, size_t j)
{
  const struct verification_reference *asked = f->order->motion->asked;
  double gains[LIMIT_SWEEP_FREQUENCIES];
  for (size_t k = 0; k < asked->frequency_count; k++) gains[k] = f->c->responses[k * f->n + j].gain;
  return armdyn_gain_bandwidth(asked->frequencies, gains, asked->frequency_count);
}

static void sum_up_joint(struct following *f, size_t j)
{
  const struct verification_reference *asked = f->order->motion->asked;
  struct verification_joint *joint = &f->c->joints[j];
  const struct armdyn_step_response *step = &f->steps[j];
  const double count = (double)f->periods;
  const bool moves = asked->amplitude[j] != 0;
  joint->rms = sqrt(f->off2[j] / count), joint->torque_rms = sqrt(f->torque2[j] / count);
  joint->saturated /= count;
  joint->static_error = joint->steady_state_error = f->still[j] / (double)f->judged;
  joint->ripple = f->high[j] - f->low[j], joint->torque_ripple = f->torque_high[j] - f->torque_low[j];
  if (asked->kind == REFERENCE_SINE && moves) joint->bandwidth_hz = bandwidth_of(f, j);
  if (asked->kind != REFERENCE_STEP || !moves) return;
  joint->steady_state_error = step->steady;
  joint->overshoot_percent = 100 * armdyn_step_overshoot(step);
  joint->peak_time = step->peak_t;
  joint->rise_time = step->rise[1] - step->rise[0];
  joint->settling_time = step->settled_t;
}

static void sum_up(struct following *f)
{
  struct verification_case *c = f->c;
  const struct verification_limit *limit = &f->order->request->limit;
  const double count = (double)f->periods, moving = f->order->motion->moving, period = f->order->control->period;
  for (size_t j = 0; j < f->n; j++) sum_up_joint(f, j);
  c->position_rms_mm = sqrt(f->position2 / count), c->rotation_rms_mrad = sqrt(f->rotation2 / count);
  c->within = !(c->judged_mm > limit->position_mm) && !(c->judged_mrad > limit->rotation_mrad);
  const double compared = f->compared ? (double)f->compared : NAN;
  for (size_t j = 0; j < f->n; j++) c->apart[j] = sqrt(c->apart[j] / compared);
  c->apart_rms_mm = sqrt(c->apart_rms_mm / compared);
  if (!f->compared) c->apart_max_mm = NAN;
  c->settled_after = NAN;
  if (isnan(limit->position_mm) || f->last_beyond >= f->duration - period / 2) return;
  c->settled_after = fmax(0, f->last_beyond + period - moving);
}

enum armdyn_status verification_case_run(const struct case_order *order, struct verification_case *c,
                                         struct armdyn_error *error)
{
  struct following *f = calloc(1, sizeof *f);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (f && (f->workspace = armdyn_workspace_new(armdyn_robot_joint_count(order->model)))) {
    f->order = order, f->c = c, f->n = armdyn_robot_joint_count(order->model), f->last_beyond = -INFINITY;
    for (size_t j = 0; j < f->n; j++) {
      f->low[j] = f->torque_low[j] = INFINITY;
      f->high[j] = f->torque_high[j] = -INFINITY;
    }
    status = order->motion->asked->kind == REFERENCE_SINE ? run_sine(f, error) : run_other(f, error);
    if (!status && !c->diverged) sum_up(f);
    if (c->diverged) c->judged_mm = c->judged_mrad = NAN;
  }
  if (f) armdyn_workspace_free(f->workspace);
  free(f);
  return status;
}
