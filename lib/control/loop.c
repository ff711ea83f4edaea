/* The closed loop: what the controller measures, when its torque acts, and the arm between its periods. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/control/controller.h"
#include "lib/control/elements.h"

struct running {
  const struct armdyn_loop *loop;
  struct armdyn_controller *controller;
  struct armdyn_workspace *workspace; /* of the plant */
  struct elements *elements;          /* NULL: none */
  armdyn_loop_sink sink;
  void *sink_context;
  size_t n, period; /* how many were begun */
  double wanted_q[ARMDYN_JOINTS_MAX], wanted_qd[ARMDYN_JOINTS_MAX], wanted_qdd[ARMDYN_JOINTS_MAX];
  double measured_q[ARMDYN_JOINTS_MAX], measured_qd[ARMDYN_JOINTS_MAX];
  double asked[ARMDYN_DELAY_MAX + 1][ARMDYN_JOINTS_MAX]; /* torques in turn, those that wait among them */
  double tau[ARMDYN_JOINTS_MAX];                         /* that acts */
  double last_q[ARMDYN_JOINTS_MAX];                      /* of the drives, at the last period */
  bool saturated[ARMDYN_JOINTS_MAX];
  double work;
};

/* Positions in whole steps of the encoder, and velocities as their filtered difference; the first is taken to be right. */
static void measure(struct running *r, const double *q, const double *qd)
{
  const struct armdyn_loop *loop = r->loop;
  const double period = loop->control->period;
  const double share = 1 - exp(-angular(loop->velocity_filter) * period);
  for (size_t j = 0; j < r->n; j++) {
    const double resolution = loop->encoder_resolution ? loop->encoder_resolution[j] : 0;
    const double now = resolution > 0 ? resolution * round(q[j] / resolution) : q[j];
    if (!r->period || !(loop->velocity_filter > 0))
      r->measured_qd[j] = qd[j];
    else
      r->measured_qd[j] += share * ((now - r->measured_q[j]) / period - r->measured_qd[j]);
    r->measured_q[j] = now;
  }
}

/* Where the drives are, and what there is to be measured. */
static void see(struct running *r, const double *q, const double *qd, double *drive_q, double *seen_q, double *seen_qd)
{
  const size_t size = r->n * sizeof *q;
  memcpy(drive_q, q, size), memcpy(seen_q, q, size), memcpy(seen_qd, qd, size);
  if (!r->elements) return;
  elements_motors(r->elements, q, drive_q);
  elements_measured(r->elements, q, qd, seen_q, seen_qd);
}

/* What a sensor between tool and surroundings has. */
static void sense(struct running *r, const double *q, const double *qd)
{
  double pose[16], wrench[6] = { 0 };
  if (!armdyn_law_senses(r->loop->control->law)) return;
  if (r->elements) {
    elements_wrench(r->elements, q, qd, wrench);
  } else {
    armdyn_forward_kinematics(r->loop->plant, q, r->workspace, pose, NULL);
    load_wrench_in_base(r->loop->plant_motion.load, pose, wrench);
  }
  armdyn_controller_sense(r->controller, wrench);
}

/* A period begins. */
static void control(void *context, double t, const double *q, const double *qd)
{
  struct running *r = context;
  const struct armdyn_loop *loop = r->loop;
  const size_t turns = loop->delay + 1, size = r->n * sizeof *r->tau;
  const struct armdyn_wanted wanted = { r->wanted_q, r->wanted_qd, r->wanted_qdd };
  double drive_q[ARMDYN_JOINTS_MAX], seen_q[ARMDYN_JOINTS_MAX], seen_qd[ARMDYN_JOINTS_MAX];
  see(r, q, qd, drive_q, seen_q, seen_qd);
  for (size_t j = 0; j < r->n && r->period; j++) r->work += r->tau[j] * (drive_q[j] - r->last_q[j]);
  memcpy(r->last_q, drive_q, size);

  loop->reference(loop->reference_context, t, r->wanted_q, r->wanted_qd, r->wanted_qdd);
  if (loop->freeze_at > 0 && t > loop->freeze_at - loop->control->period / 2) return;
  measure(r, seen_q, seen_qd);
  sense(r, q, qd);
  double *asked = r->asked[r->period % turns];
  armdyn_controller_step(r->controller, &wanted, r->measured_q, r->measured_qd, asked, r->saturated);
  for (size_t k = 1; k < turns && !r->period; k++) memcpy(r->asked[k], asked, size);
  r->period++;
  memcpy(r->tau, r->asked[r->period % turns], size); /* the oldest of them */
  if (r->elements && r->period == 1) elements_begin(r->elements, r->tau);
}

static void held_torque(void *context, double t, const double *q, const double *qd, double *tau)
{
  const struct running *r = context;
  double more[ARMDYN_JOINTS_MAX];
  (void)q, (void)qd;
  memcpy(tau, r->tau, r->n * sizeof *tau);
  if (!r->loop->disturbance) return;
  r->loop->disturbance(r->loop->disturbance_context, t, more);
  for (size_t j = 0; j < r->n; j++) tau[j] += more[j];
}

static bool hand_over(void *context, const struct armdyn_simulation_sample *sample)
{
  struct running *r = context;
  struct armdyn_simulation_sample plant = *sample;
  struct armdyn_loop_sample whole = { .plant = &plant,
                                      .wanted = r->wanted_q,
                                      .tau = r->tau,
                                      .saturated = r->saturated,
                                      .work = r->work,
                                      .controller = r->controller };
  if (!r->elements) return r->sink(r->sink_context, &whole);
  struct armdyn_energy_account account;
  double acting[ARMDYN_JOINTS_MAX];
  elements_drive_torque(r->elements, sample->tau, acting);
  elements_account(r->elements, sample->q, sample->qd, &account);
  plant.tau = acting;
  plant.kinetic += elements_rotor_energy(r->elements);
  whole.account = &account;
  return r->sink(r->sink_context, &whole);
}

enum armdyn_status armdyn_loop_simulate(const struct armdyn_loop *loop, armdyn_loop_sink sink, void *sink_context,
                                        long *steps, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(loop->plant);
  struct armdyn_simulation motion = loop->plant_motion;
  struct running *r = NULL;
  enum armdyn_status status;
  if (n != armdyn_robot_joint_count(loop->model) || loop->delay > ARMDYN_DELAY_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/delay", "%zu joints, a delay of %zu periods", n, loop->delay);
  r = calloc(1, sizeof *r);
  if (!r || !(r->workspace = armdyn_workspace_new(n))) {
    status = armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a loop of %zu joints", n);
    goto out;
  }
  r->loop = loop, r->n = n, r->sink = sink, r->sink_context = sink_context;
  if ((status = armdyn_controller_new(loop->model, loop->control, &r->controller, error))) goto out;
  motion.sample_period = loop->control->period;
  motion.torque = held_torque, motion.torque_context = r;
  motion.begin_sample = control;
  if (loop->elements) {
    if ((status = elements_open(loop->elements, loop->plant, motion.load, &r->elements, error))) goto out;
    motion.attached = elements_start(r->elements, motion.q, motion.qd);
  }
  status = armdyn_simulate(r->elements ? elements_links(r->elements) : loop->plant, &motion, hand_over, r, r->workspace,
                           steps, error);
out:
  if (r) elements_close(r->elements), armdyn_controller_free(r->controller), armdyn_workspace_free(r->workspace);
  free(r);
  return status;
}
