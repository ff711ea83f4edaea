#include "lib/identify/unknowns.h"

#include <math.h>

#include "lib/model/parameters.h"

/* Both directions on their own; a difference of a rounding is enough. */
static void want_both_ways(struct armdyn_directed *c, double provisional)
{
  static const double apart = 1 + 1e-12;
  if (c->positive != c->negative) return;
  if (c->positive == 0) *c = (struct armdyn_directed){ provisional, provisional };
  c->negative *= apart;
}

/* Give every joint the friction terms that are wanted (n); `provisional` is any number but 0, up to 2: of the load's
 * friction a quarter is taken, which is below 1. */
static void want_friction(struct armdyn_robot_description *d, const unsigned *friction, double provisional)
{
  for (size_t i = 0; i < d->joint_count; i++) {
    struct armdyn_friction *f = &d->joints[i].friction;
    const unsigned missing = friction[i] & FRICTION_LINEAR & ~friction_mask(f);
    for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
      if (missing >> k & 1)
        friction_set_linear(f, (enum armdyn_friction_term)k, k == ARMDYN_FRICTION_LOAD ? provisional / 4 : provisional);
    }
    if (friction[i] & ARMDYN_IDENTIFY_COULOMB_DIRECTED) want_both_ways(&f->coulomb, provisional);
    if (friction[i] & ARMDYN_IDENTIFY_VISCOUS_DIRECTED) want_both_ways(&f->viscous, provisional);
  }
}

/* A parameter is linear in its provisional coefficient: its value at 0 follows from those at 1 and 2. */
static enum armdyn_status fill_prior(const struct armdyn_robot *robot, const unsigned *friction,
                                     struct armdyn_unknowns *u, struct armdyn_error *error)
{
  struct armdyn_robot_description *d = malloc(sizeof *d);
  double *values = malloc(2 * u->standard_count * sizeof *values);
  enum armdyn_status status = d && values ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t times = 1; times <= 2 && !status; times++) {
    struct armdyn_robot *with = NULL;
    *d = *armdyn_robot_description(robot);
    want_friction(d, friction, (double)times);
    if ((status = armdyn_robot_new(d, &with, error))) break;
    armdyn_parameters(with, &u->choice, values + (times - 1) * u->standard_count);
    armdyn_robot_free(with);
  }
  for (size_t k = 0; k < u->standard_count && !status; k++) u->prior[k] = 2 * values[k] - values[u->standard_count + k];
  free(values);
  free(d);
  return status;
}

/* Bodies and rotors of another robot. */
static void take_loads(struct armdyn_robot_description *d, const struct armdyn_robot *loads)
{
  const struct armdyn_robot_description *from = armdyn_robot_description(loads);
  for (size_t i = 0; i < d->joint_count; i++) {
    d->joints[i].link = from->joints[i].link;
    d->joints[i].drive.rotor_inertia = from->joints[i].drive.rotor_inertia;
  }
  d->payload = from->payload;
}

static void fill_roles(struct armdyn_unknowns *u)
{
  u->friction_first = 0;
  for (size_t k = 0; k < u->standard_count; k++) {
    const struct armdyn_parameter_id id = u->id[k] = armdyn_parameter_at(u->robot, &u->choice, k);
    u->friction_first += id.group != ARMDYN_PARAMETER_FRICTION;
    if (id.group == ARMDYN_PARAMETER_ROTOR) u->role[k] = ROLE_POSITIVE;
    if (id.group != ARMDYN_PARAMETER_FRICTION) continue;
    u->role[k] = friction_parameters[id.index].positive ? ROLE_POSITIVE : ROLE_FREE;
    u->of_motion[k] = friction_parameters[id.index].info.term != ARMDYN_FRICTION_OFFSET;
  }
}

/* A joint's torque knows nothing of the links before it, nor of other joints' friction (of outputs: of other drives'). Links
 * stand in the order of the chain; for the rest, two states at which no friction term vanishes tell. */
static enum armdyn_status fill_seen(struct armdyn_unknowns *u)
{
  const size_t n = u->n;
  double *Y = malloc(n * u->standard_count * sizeof *Y), q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX],
         qdd[ARMDYN_JOINTS_MAX];
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  enum armdyn_status status = Y && workspace ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (status) goto out;
  memset(u->seen_by_joint, 0, n * u->base_count);
  for (int state = 0; state < 2; state++) {
    for (size_t i = 0; i < n; i++) {
      q[i] = 0.7 * sin(1 + 2.3 * (double)i);
      qd[i] = (state ? 1 : -1) * armdyn_robot_description(u->robot)->joints[i].velocity_scale;
      qdd[i] = 1 + 0.37 * (double)i;
    }
    unknowns_regressor(u, q, qd, qdd, workspace, Y);
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < u->base_count; k++) {
        const size_t lead = armdyn_base_parameter_lead(u->base, k);
        const bool own = !armdyn_friction_at_motors(u->robot) || u->id[lead].joint == i; /* others are rounding */
        const bool seen =
            lead < 10 * n ? lead / 10 >= unknowns_first_link(u, i) : own && Y[i * u->standard_count + lead] != 0;
        u->seen_by_joint[i * u->base_count + k] |= seen;
      }
    }
  }
out:
  armdyn_workspace_free(workspace);
  free(Y);
  return status;
}

static enum armdyn_status unknowns_of(const struct armdyn_robot *robot, const struct armdyn_robot *loads,
                                      const unsigned *friction, const struct armdyn_parameter_choice *choice,
                                      struct armdyn_unknowns **out, struct armdyn_error *error)
{
  struct armdyn_unknowns *u = calloc(1, sizeof *u);
  struct armdyn_robot_description *d = malloc(sizeof *d);
  enum armdyn_status status = ARMDYN_EMEMORY;
  *out = NULL;
  if (!u || !d) goto out;
  *d = *armdyn_robot_description(robot);
  want_friction(d, friction, 1);
  if (loads) take_loads(d, loads);
  u->choice = *choice;
  u->n = d->joint_count;
  if ((status = armdyn_robot_new(d, &u->robot, error))) goto out;
  if ((status = armdyn_base_parameters_new(u->robot, &u->choice, &u->base))) goto out;
  u->base_count = armdyn_base_parameter_count(u->base);
  u->standard_count = armdyn_parameter_count(u->robot, &u->choice);
  u->prior = malloc(u->standard_count * sizeof *u->prior);
  u->seen_by_joint = malloc(u->n * u->base_count);
  u->role = calloc(u->standard_count, 1);
  u->id = calloc(u->standard_count, sizeof *u->id);
  u->of_motion = calloc(u->standard_count, 1);
  status = ARMDYN_EMEMORY;
  if (!u->prior || !u->seen_by_joint || !u->role || !u->id || !u->of_motion) goto out;
  fill_roles(u);
  if ((status = fill_prior(robot, friction, u, error))) goto out;
  if ((status = fill_seen(u))) goto out;
  *out = u;
  u = NULL;
out:
  armdyn_unknowns_free(u);
  free(d);
  return status;
}

enum armdyn_status armdyn_unknowns_under(const struct armdyn_robot *robot, const struct armdyn_robot *loads,
                                         const unsigned *friction, enum armdyn_rotor_columns rotors,
                                         struct armdyn_unknowns **out, struct armdyn_error *error)
{
  const struct armdyn_parameter_choice choice = { .rotors = rotors };
  return unknowns_of(robot, loads, friction, &choice, out, error);
}

enum armdyn_status armdyn_unknowns_by_joint(const struct armdyn_robot *robot, const unsigned *friction,
                                            enum armdyn_rotor_columns rotors, struct armdyn_unknowns **out,
                                            struct armdyn_error *error)
{
  return armdyn_unknowns_under(robot, NULL, friction, rotors, out, error);
}

enum armdyn_status armdyn_unknowns_new(const struct armdyn_robot *robot, unsigned friction,
                                       enum armdyn_rotor_columns rotors, struct armdyn_unknowns **out,
                                       struct armdyn_error *error)
{
  unsigned of_joint[ARMDYN_JOINTS_MAX];
  for (size_t i = 0; i < ARMDYN_JOINTS_MAX; i++) of_joint[i] = friction;
  return armdyn_unknowns_by_joint(robot, of_joint, rotors, out, error);
}

enum armdyn_status unknowns_with_slopes(const struct armdyn_robot *robot, const struct armdyn_robot *loads,
                                        const unsigned *friction, enum armdyn_rotor_columns rotors,
                                        struct armdyn_unknowns **out, struct armdyn_error *error)
{
  const struct armdyn_parameter_choice choice = { .rotors = rotors, .stribeck_slopes = true };
  return unknowns_of(robot, loads, friction, &choice, out, error);
}

enum armdyn_status unknowns_rigid(const struct armdyn_robot *robot, enum armdyn_rotor_columns rotors,
                                  struct armdyn_unknowns **out, struct armdyn_error *error)
{
  const struct armdyn_parameter_choice choice = { .rotors = rotors, .frictionless = true };
  static const unsigned none[ARMDYN_JOINTS_MAX];
  return unknowns_of(robot, NULL, none, &choice, out, error);
}

size_t base_led_by(const struct armdyn_unknowns *unknowns, size_t standard)
{
  size_t k = 0;
  while (k < unknowns->base_count && armdyn_base_parameter_lead(unknowns->base, k) != standard) k++;
  return k;
}

size_t standard_of(const struct armdyn_unknowns *unknowns, const struct armdyn_parameter_id *id)
{
  size_t k = 0;
  while (k < unknowns->standard_count && !armdyn_parameter_same(&unknowns->id[k], id)) k++;
  return k;
}

void armdyn_unknowns_free(struct armdyn_unknowns *unknowns)
{
  if (!unknowns) return;
  armdyn_base_parameters_free(unknowns->base);
  armdyn_robot_free(unknowns->robot);
  free(unknowns->prior);
  free(unknowns->seen_by_joint);
  free(unknowns->role);
  free(unknowns->id);
  free(unknowns->of_motion);
  free(unknowns);
}

const struct armdyn_base_parameters *armdyn_unknowns_base(const struct armdyn_unknowns *unknowns)
{
  return unknowns->base;
}

size_t armdyn_unknowns_standard_count(const struct armdyn_unknowns *unknowns)
{
  return unknowns->standard_count;
}

struct armdyn_parameter_id armdyn_unknowns_standard_id(const struct armdyn_unknowns *unknowns, size_t index)
{
  return unknowns->id[index];
}

void armdyn_unknowns_standard_name(const struct armdyn_unknowns *unknowns, size_t index,
                                   char name[ARMDYN_PARAMETER_NAME_SIZE])
{
  armdyn_parameter_name(unknowns->robot, &unknowns->choice, index, name);
}

const double *armdyn_unknowns_prior(const struct armdyn_unknowns *unknowns)
{
  return unknowns->prior;
}
