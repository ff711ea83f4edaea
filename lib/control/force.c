/* Force at the tool, on all of its axes or on those of a selection, the others being held where they should be. */
#include <math.h>
#include <string.h>

#include "armdyn/terms.h"
#include "lib/control/tool.h"

/* A quarter of what kd = w m bears against any spring: force_ki < kd / m (Routh). */
static const double FORCE_KI = 0.25;

void force_gains(struct armdyn_gains *gains, size_t j, double w, double m)
{
  for (int i = 0; i < 6; i++) gains->force_ki[i] = FORCE_KI * w;
  gains->kd[j] = w * m;
}

void hybrid_gains(struct armdyn_gains *gains, size_t j, double w, double m)
{
  (void)j, (void)m;
  for (int i = 0; i < 6; i++) gains->force_ki[i] = FORCE_KI * w;
}

/* What axis i is pushed with: force + kp e + ki int e dt, e = force - what is pushed with now. */
static double pushed(struct armdyn_controller *c, int i)
{
  const struct armdyn_gains *gains = &c->control.gains;
  const double wanted = gains->force[i], off = wanted + c->sensed[i], most = fabs(wanted);
  const double sum = c->force_integral[i] + gains->force_ki[i] * off * c->control.period;
  c->force_integral[i] = fmax(-most, fmin(most, sum)); /* in free space it would grow without end */
  return wanted + gains->force_kp[i] * off + c->force_integral[i];
}

void force_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                  const double *q, const double *qd, double *tau)
{
  double J[6 * ARMDYN_JOINTS_MAX], wrench[6];
  (void)wanted, (void)e;
  armdyn_gravity_torque(c->robot, q, c->workspace, tau);
  armdyn_jacobian(c->robot, q, ARMDYN_JACOBIAN_BASE, c->workspace, J);
  for (int i = 0; i < 6; i++) wrench[i] = pushed(c, i);
  for (size_t j = 0; j < c->n; j++) tau[j] -= c->control.gains.kd[j] * qd[j];
  add_joint_torques(J, c->n, wrench, tau);
}

/* -- a search: an Archimedean spiral across the force -- */

static const double MET = 0.5; /* of the force wanted: the tool has met something */

/* The force wanted on the selected axes, as its size and direction. */
static double force_direction(const struct armdyn_controller *c, double direction[3])
{
  const struct armdyn_gains *gains = &c->control.gains;
  double size = 0;
  for (int i = 0; i < 3; i++) {
    direction[i] = gains->selection[3 + i] * gains->force[3 + i];
    size += direction[i] * direction[i];
  }
  size = sqrt(size);
  for (int i = 0; i < 3 && size > 0; i++) direction[i] /= size;
  return size;
}

/* Two axes across a direction. */
static void across(const double *d, double *x, double *y)
{
  const int least = fabs(d[0]) < fabs(d[1]) ? (fabs(d[0]) < fabs(d[2]) ? 0 : 2) : (fabs(d[1]) < fabs(d[2]) ? 1 : 2);
  double length = 0;
  for (int i = 0; i < 3; i++) x[i] = (i == least) - d[least] * d[i], length += x[i] * x[i];
  for (int i = 0; i < 3; i++) x[i] /= sqrt(length);
  y[0] = d[1] * x[2] - d[2] * x[1], y[1] = d[2] * x[0] - d[0] * x[2], y[2] = d[0] * x[1] - d[1] * x[0];
}

/* One period along r = pitch angle / 2 pi, out to the radius and back. */
static void spiral_step(struct search_state *s, const struct armdyn_search *search, double period)
{
  const double turn = search->pitch / (2 * 3.14159265358979323846), r = turn * s->angle;
  s->angle += (s->inward ? -1 : 1) * search->speed * period / hypot(r, turn);
  if (turn * s->angle > search->radius) s->inward = true;
  if (s->angle < 0) s->angle = 0, s->inward = false;
}

/* Moves x, the way from the tool to where it should be. */
static void search(struct armdyn_controller *c, struct tool_error *error)
{
  const struct armdyn_search *asked = &c->control.search;
  struct search_state *s = &c->search;
  double direction[3], side[3], other[3], push = 0, gone = 0;
  const double size = force_direction(c, direction);
  if (!(asked->radius > 0 && size > 0)) return;
  for (int i = 0; i < 3; i++) push -= c->sensed[3 + i] * direction[i];
  if (s->phase == SEARCH_APPROACHES && push >= MET * size) {
    s->phase = SEARCH_SEARCHES;
    for (int i = 0; i < 3; i++) s->begun_at[i] = error->is[4 * i + 3];
  }
  if (s->phase == SEARCH_APPROACHES) return;
  for (int i = 0; i < 3; i++) gone += (error->is[4 * i + 3] - s->begun_at[i]) * direction[i];
  if (s->phase == SEARCH_SEARCHES && gone > asked->fall) {
    s->phase = SEARCH_FOUND;
    for (int i = 0; i < 3; i++) s->found_at[i] = error->is[4 * i + 3];
  }
  across(direction, side, other);
  const double r = asked->pitch / (2 * 3.14159265358979323846) * s->angle;
  for (int i = 0; i < 3; i++) {
    const double at = s->phase == SEARCH_FOUND
                          ? s->found_at[i]
                          : error->should[4 * i + 3] + r * (cos(s->angle) * side[i] + sin(s->angle) * other[i]);
    error->x[3 + i] = at - error->is[4 * i + 3];
  }
  if (s->phase == SEARCH_SEARCHES) spiral_step(s, asked, c->control.period);
}

void hybrid_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                   const double *q, const double *qd, double *tau)
{
  const struct armdyn_gains *gains = &c->control.gains;
  struct tool_error error;
  double wrench[6], spring[6];
  tool_error(c, wanted, q, qd, &error);
  search(c, &error);
  spring_wrench(gains->stiffness, error.x, spring);
  armdyn_gravity_torque(c->robot, q, c->workspace, tau);
  for (int i = 0; i < 6; i++)
    wrench[i] = gains->damping[i] * error.rate[i] + (gains->selection[i] > 0 ? pushed(c, i) : spring[i]);
  for (size_t j = 0; j < c->n; j++) tau[j] += gains->kd[j] * e->qd[j];
  add_joint_torques(error.J, c->n, wrench, tau);
}
