/* Names of standard parameters, and the numbers of a joint that they are. */
#include <math.h>

#include "lib/model/friction.h"

static const char *const of_link[ARMDYN_LINK_PARAMETERS] = { "m",   "mx",  "my",  "mz",  "Ixx",
                                                             "Ixy", "Iyy", "Ixz", "Iyz", "Izz" };
static const char of_rotor[] = "rotor_inertia", of_scale[] = "velocity_scale";

bool armdyn_parameter_same(const struct armdyn_parameter_id *a, const struct armdyn_parameter_id *b)
{
  return a->joint == b->joint && a->group == b->group && a->index == b->index && a->line == b->line;
}

void armdyn_parameter_id_name(const struct armdyn_parameter_id *id, char name[ARMDYN_PARAMETER_NAME_SIZE])
{
  const char *text = id->group == ARMDYN_PARAMETER_LINK    ? of_link[id->index]
                     : id->group == ARMDYN_PARAMETER_ROTOR ? of_rotor
                     : id->group == ARMDYN_PARAMETER_SCALE ? of_scale
                                                           : friction_parameters[id->index].info.name;
  const size_t before = strcspn(text, "*");
  if (text[before]) {
    snprintf(name, ARMDYN_PARAMETER_NAME_SIZE, "%.*s%zu%s", (int)before, text, id->line, text + before + 1);
  } else {
    snprintf(name, ARMDYN_PARAMETER_NAME_SIZE, "%s", text);
  }
}

/* Is this name the pattern, a number below `lines` where its star is? */
static bool is_of(const char *name, const char *pattern, size_t lines, size_t *line)
{
  const size_t before = strcspn(pattern, "*"), digits = strlen(name) > before ? strspn(name + before, "0123456789") : 0;
  *line = 0;
  if (!pattern[before]) return strcmp(name, pattern) == 0;
  if (strncmp(name, pattern, before) != 0 || digits < 1 || digits > 3) return false;
  for (size_t k = 0; k < digits; k++) *line = 10 * *line + (size_t)(name[before + k] - '0');
  return *line < lines && strcmp(name + before + digits, pattern + before + 1) == 0;
}

bool armdyn_parameter_id_read(const char *name, struct armdyn_parameter_id *id)
{
  id->line = 0;
  for (id->group = ARMDYN_PARAMETER_LINK, id->index = 0; id->index < ARMDYN_LINK_PARAMETERS; id->index++) {
    if (!strcmp(name, of_link[id->index])) return true;
  }
  id->group = ARMDYN_PARAMETER_ROTOR, id->index = 0;
  if (!strcmp(name, of_rotor)) return true;
  id->group = ARMDYN_PARAMETER_SCALE;
  if (!strcmp(name, of_scale)) return true;
  for (id->group = ARMDYN_PARAMETER_FRICTION; id->index < ARMDYN_FRICTION_PARAMETER_COUNT; id->index++) {
    if (is_of(name, friction_parameters[id->index].info.name, ARMDYN_RIPPLES_MAX, &id->line)) return true;
  }
  return false;
}

double armdyn_joint_parameter(const struct armdyn_joint *joint, const struct armdyn_parameter_id *id)
{
  if (id->group == ARMDYN_PARAMETER_ROTOR) return joint->drive.rotor_inertia;
  if (id->group == ARMDYN_PARAMETER_SCALE) return joint->velocity_scale;
  if (id->group != ARMDYN_PARAMETER_FRICTION || friction_parameters[id->index].at == NOWHERE) return NAN;
  if (friction_parameters[id->index].info.over_angle && id->line >= joint->friction.ripple_count) return NAN;
  return friction_value(&joint->friction, id->index, id->line);
}

bool armdyn_joint_parameter_set(struct armdyn_joint *joint, const struct armdyn_parameter_id *id, double value)
{
  if (id->group == ARMDYN_PARAMETER_FRICTION) return friction_set(&joint->friction, id->index, id->line, value);
  if (id->group == ARMDYN_PARAMETER_ROTOR) joint->drive.rotor_inertia = value;
  if (id->group == ARMDYN_PARAMETER_SCALE) joint->velocity_scale = value;
  return id->group == ARMDYN_PARAMETER_ROTOR || id->group == ARMDYN_PARAMETER_SCALE;
}
