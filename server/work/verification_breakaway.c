#include "server/work/verification_breakaway.h"

#include <math.h>
#include <stdlib.h>

#include "server/work/simulated_loop.h"

static const double MOVES = 3;  /* velocity scales: friction is tanh(3) = 0.995 of what it is at most */
static const double ENOUGH = 3; /* times what may hold a joint */

/* One joint, pushed one way. */
struct push {
  const struct case_order *order;
  size_t n, joint;
  double sign, from, most; /* when it begins, s; what it grows to within VERIFICATION_RAMP, N m */
  double speed;            /* at which it moves */
  double last_t, last_speed, found;
};

static void growing(void *context, double t, double *tau)
{
  const struct push *push = context;
  for (size_t j = 0; j < push->n; j++) tau[j] = 0;
  if (t > push->from) tau[push->joint] = push->sign * push->most * (t - push->from) / VERIFICATION_RAMP;
}

static bool wait_for_motion(void *context, const struct armdyn_loop_sample *sample)
{
  struct push *push = context;
  const double t = sample->plant->t, speed = push->sign * sample->plant->qd[push->joint];
  work_progress(push->order->work, push->order->begun + push->order->part, push->order->sentence);
  if (t > push->from && speed > push->speed) {
    const double part = (push->speed - push->last_speed) / (speed - push->last_speed);
    if (push->last_speed < push->speed) /* else it was in motion before */
      push->found = push->most * (push->last_t + part * (t - push->last_t) - push->from) / VERIFICATION_RAMP;
    return false;
  }
  push->last_t = t, push->last_speed = speed;
  return true;
}

/* The most that friction and cogging hold a joint with, about. */
static double held_with(const struct simulated_loop *loop, size_t j, double torque)
{
  const struct armdyn_joint *joint = &armdyn_robot_description(loop->plant)->joints[j];
  const struct armdyn_friction *friction = &joint->friction;
  const struct armdyn_elements *elements = loop->loop.elements;
  double sum = fmax(friction->coulomb.positive, friction->coulomb.negative);
  if (friction->stiction > sum) sum = friction->stiction;
  sum += friction->load * fabs(torque);
  for (size_t k = 0; k < friction->ripple_count; k++) sum += fabs(friction->ripples[k].amplitude);
  if (loop->load.frictionless) sum = 0;
  for (size_t k = 0; elements && k < elements->ripple_count; k++)
    if (elements->ripples[k].joint == j) sum += elements->ripples[k].amplitude;
  return sum;
}

static enum armdyn_status push_joint(const struct case_order *order, struct verification_case *c, size_t joint,
                                     size_t way, struct armdyn_workspace *workspace, struct armdyn_error *error)
{
  struct simulated_loop *loop = calloc(1, sizeof *loop);
  struct case_order own = *order;
  struct armdyn_error told = { 0 };
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX];
  const double period = order->control->period;
  if (!loop) return ARMDYN_EMEMORY;
  struct push push = { .order = order, .n = order->motion->n, .joint = joint, .sign = way ? -1 : 1, .found = NAN };
  push.from = ceil(order->motion->asked->duration / period - 1e-6) * period;
  own.disturbance = growing, own.disturbance_context = &push;
  enum armdyn_status status =
      verification_case_loop(&own, c, push.from + VERIFICATION_RAMP, workspace, loop, q, qd, error);
  if (status) goto out;
  const double held = held_with(loop, joint, c->joints[joint].torque_peak);
  push.most = ENOUGH * held;
  push.speed = MOVES * armdyn_robot_description(loop->plant)->joints[joint].velocity_scale;
  loop->loop.freeze_at = push.from;
  if (held > 0) {
    status = armdyn_loop_simulate(&loop->loop, wait_for_motion, &push, NULL, &told);
    /* moved, or lost on the way: what was found is told, nothing else is */
    if (status == ARMDYN_ECANCELLED || status == ARMDYN_ELIMIT || status == ARMDYN_ESINGULAR) status = ARMDYN_OK;
    if (status) *error = told;
  }
  c->joints[joint].breakaway[way] = held > 0 ? push.found : 0;
out:
  simulated_loop_close(loop);
  free(loop);
  return status;
}

enum armdyn_status verification_breakaway(const struct case_order *order, struct verification_case *c,
                                          struct armdyn_error *error)
{
  struct armdyn_workspace *workspace = armdyn_workspace_new(order->motion->n);
  enum armdyn_status status = workspace ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t j = 0; j < order->motion->n && !status; j++)
    for (size_t way = 0; way < 2 && !status; way++) status = push_joint(order, c, j, way, workspace, error);
  armdyn_workspace_free(workspace);
  return status;
}
