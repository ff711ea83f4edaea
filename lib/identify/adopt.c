#include "armdyn/adopt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/regressor.h"
#include "lib/identify/pseudo_inertia.h"

enum { TEN = 10 };
static const char *const of_link[TEN] = { "m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz" };

static size_t link_parameter(const char *name)
{
  size_t i = 0;
  while (i < TEN && strcmp(name, of_link[i]) != 0) i++;
  return i;
}

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

static bool set_directed(struct armdyn_directed *directed, const char *way, double value)
{
  if (!*way || !strcmp(way, ".positive")) directed->positive = value;
  if (!*way || !strcmp(way, ".negative")) directed->negative = value;
  return !*way || !strcmp(way, ".positive") || !strcmp(way, ".negative");
}

/* "0": the amplitude of line 0, "0.order", "0.phase". An order makes a new line behind the last one. */
static double *field_of_line(struct armdyn_friction *f, const char *name)
{
  char *rest;
  const unsigned long line = strtoul(name, &rest, 10);
  if (line == f->ripple_count && line < ARMDYN_RIPPLES_MAX && !strcmp(rest, ".order"))
    f->ripples[f->ripple_count++] = (struct armdyn_ripple){ 0 };
  if (line >= f->ripple_count) return NULL;
  struct armdyn_ripple *ripple = &f->ripples[line];
  return !*rest                    ? &ripple->amplitude
         : !strcmp(rest, ".order") ? &ripple->order
         : !strcmp(rest, ".phase") ? &ripple->phase
                                   : NULL;
}

static bool set_friction(struct armdyn_friction *f, const char *name, double value)
{
  if (!strncmp(name, "coulomb", 7)) return set_directed(&f->coulomb, name + 7, value);
  if (!strncmp(name, "viscous", 7)) return set_directed(&f->viscous, name + 7, value);
  double *field = !strcmp(name, "offset")              ? &f->offset
                  : !strcmp(name, "stiction")          ? &f->stiction
                  : !strcmp(name, "stribeck_velocity") ? &f->stribeck_velocity
                  : !strcmp(name, "high_speed")        ? &f->high_speed
                                                       : NULL;
  if (!strncmp(name, "position.", 9)) field = field_of_line(f, name + 9);
  if (field) *field = value;
  return field != NULL;
}

enum armdyn_status armdyn_adopt_parameters(struct armdyn_robot_description *d,
                                           const struct armdyn_joint_parameter *parameters, size_t count, unsigned what,
                                           struct armdyn_error *error)
{
  double links[ARMDYN_JOINTS_MAX][TEN] = { { 0 } }, payload[TEN];
  unsigned given[ARMDYN_JOINTS_MAX] = { 0 };
  enum armdyn_status status = payload_parameters(d, payload, error);
  if (status) return status;
  for (size_t i = 0; i < count; i++) {
    const struct armdyn_joint_parameter *p = &parameters[i];
    if (p->joint >= d->joint_count)
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "there is no joint %zu", p->joint + 1);
    struct armdyn_joint *joint = &d->joints[p->joint];
    const size_t k = link_parameter(p->name);
    bool known = true;
    if (k < TEN) {
      links[p->joint][k] = p->value - (p->joint + 1 == d->joint_count ? payload[k] : 0);
      given[p->joint] |= 1u << k;
    } else if (!strcmp(p->name, "rotor_inertia")) {
      if (what & ARMDYN_ADOPT_ROTORS) joint->drive.rotor_inertia = p->value;
    } else if (what & ARMDYN_ADOPT_FRICTION) {
      known = set_friction(&joint->friction, p->name, p->value);
    }
    if (!known) return armdyn_refuse(error, ARMDYN_EINPUT, "", "joint %s has no %s", joint->name, p->name);
  }
  for (size_t j = 0; j < d->joint_count && (what & ARMDYN_ADOPT_LINKS); j++) {
    if (!given[j]) continue;
    if (given[j] != (1u << TEN) - 1)
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "of link %s not all ten parameters are there", d->joints[j].name);
    d->joints[j].link = body_of_parameters(links[j]);
  }
  return ARMDYN_OK;
}
