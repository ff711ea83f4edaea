#include "armdyn/adopt.h"

#include <math.h>
#include <stdlib.h>

#include "armdyn/regressor.h"
#include "lib/identify/pseudo_inertia.h"

enum { TEN = ARMDYN_LINK_PARAMETERS };

/* What the payload is in the axes of the last link: the parameters of a robot that has nothing else. */
static enum armdyn_status payload_parameters(const struct armdyn_robot_description *description, double out[TEN],
                                             struct armdyn_error *error)
{
  const struct armdyn_parameter_choice choice = { .rotors = ARMDYN_ROTORS_NONE, .frictionless = true };
  struct armdyn_robot *robot = NULL;
  struct armdyn_robot_description *bare = malloc(sizeof *bare);
  double *values = NULL;
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (!bare) goto out;
  *bare = *description;
  for (size_t i = 0; i < bare->joint_count; i++) bare->joints[i].link = (struct armdyn_body){ 0 };
  if ((status = armdyn_robot_new(bare, &robot, error))) goto out;
  values = malloc(armdyn_parameter_count(robot, &choice) * sizeof *values);
  status = ARMDYN_EMEMORY;
  if (!values) goto out;
  armdyn_parameters(robot, &choice, values);
  memcpy(out, values + TEN * (bare->joint_count - 1), TEN * sizeof *out);
  status = ARMDYN_OK;
out:
  free(values);
  armdyn_robot_free(robot);
  free(bare);
  return status;
}

/* false: the joint has no such number. */
static bool take(struct armdyn_joint *joint, const struct armdyn_parameter_value *p, unsigned what)
{
  const bool wanted = what & (p->id.group == ARMDYN_PARAMETER_ROTOR ? ARMDYN_ADOPT_ROTORS : ARMDYN_ADOPT_FRICTION);
  return !wanted || armdyn_joint_parameter_set(joint, &p->id, p->value);
}

enum armdyn_status armdyn_adopt_parameters(struct armdyn_robot_description *d,
                                           const struct armdyn_parameter_value *parameters, size_t count, unsigned what,
                                           struct armdyn_error *error)
{
  double links[ARMDYN_JOINTS_MAX][TEN] = { { 0 } }, payload[TEN];
  unsigned given[ARMDYN_JOINTS_MAX] = { 0 };
  enum armdyn_status status = payload_parameters(d, payload, error);
  if (status) return status;
  for (size_t i = 0; i < count; i++) {
    const struct armdyn_parameter_value *p = &parameters[i];
    const size_t j = p->id.joint, k = p->id.index;
    if (j >= d->joint_count) return armdyn_refuse(error, ARMDYN_EINPUT, "", "there is no joint %zu", j + 1);
    if (p->id.group == ARMDYN_PARAMETER_LINK) {
      links[j][k] = p->value - (j + 1 == d->joint_count ? payload[k] : 0);
      given[j] |= 1u << k;
    } else if (!take(&d->joints[j], p, what)) {
      char name[ARMDYN_PARAMETER_NAME_SIZE];
      armdyn_parameter_id_name(&p->id, name);
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "joint %s has no %s", d->joints[j].name, name);
    }
  }
  for (size_t j = 0; j < d->joint_count && (what & ARMDYN_ADOPT_LINKS); j++) {
    if (!given[j]) continue;
    if (given[j] != (1u << TEN) - 1)
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "of link %s not all ten parameters are there", d->joints[j].name);
    d->joints[j].link = body_of_parameters(links[j]);
  }
  return ARMDYN_OK;
}
