/* Friction changes its sign over velocity_scale. A wide one is a problem that Newton's method likes; from its solution the
 * next narrower one is not far. Where it differs with the direction its slope jumps at rest, which Newton's method cannot
 * settle on: joints that dwell there are solved for with directions that blend. */
#include <math.h>

#include "lib/model/compiled.h"
#include "lib/trajectory/planner.h"

enum { N = ARMDYN_JOINTS_MAX };

enum armdyn_status robot_softened(const struct planner *p, const struct armdyn_trajectory *motion, double width,
                                  struct armdyn_robot **out, bool *differs)
{
  enum { SAMPLES = 32 };
  const size_t n = armdyn_robot_joint_count(p->robot);
  const double T = armdyn_trajectory_duration(motion);
  double speed[N] = { 0 }, qd[N];
  for (int i = 0; i <= SAMPLES; i++) {
    armdyn_trajectory_state(motion, T * i / SAMPLES, NULL, qd, NULL, NULL);
    for (size_t j = 0; j < n; j++) speed[j] = fmax(speed[j], fabs(qd[j]));
  }
  struct armdyn_robot_description *d = malloc(sizeof *d);
  if (!d) return ARMDYN_EMEMORY;
  *d = *armdyn_robot_description(p->robot);
  *differs = false;
  for (size_t j = 0; j < n; j++) {
    const struct armdyn_friction *f = &d->joints[j].friction;
    const bool dry = f->coulomb.positive != 0 || f->coulomb.negative != 0 || !isnan(f->stiction);
    if (!dry || !(width * speed[j] > d->joints[j].velocity_scale)) continue;
    d->joints[j].velocity_scale = width * speed[j];
    *differs = true;
  }
  const enum armdyn_status rc = *differs ? armdyn_robot_new(d, out, NULL) : ARMDYN_OK;
  if (!rc && *differs) (*out)->friction_blended = true;
  free(d);
  return rc;
}

enum armdyn_status robot_blended(const struct armdyn_robot *robot, struct armdyn_robot **out)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(robot);
  bool differs = false;
  for (size_t j = 0; j < d->joint_count; j++) {
    const struct armdyn_friction *f = &d->joints[j].friction;
    differs = differs || f->coulomb.positive != f->coulomb.negative || f->viscous.positive != f->viscous.negative;
  }
  *out = NULL;
  const enum armdyn_status rc = differs ? armdyn_robot_new(d, out, NULL) : ARMDYN_OK;
  if (*out) (*out)->friction_blended = true;
  return rc;
}
