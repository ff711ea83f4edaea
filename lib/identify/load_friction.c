/* Friction that grows with the load: tau_i = y_i + c_i |y_i| s(qd_i) + F_i, y the torque of links and rotors.
 *   unknown   links, rotors and F in beta, and c: the product c |y| is not linear
 *   rounds    y of the estimate before: tau = Y beta + |y_k| s c, linear in beta and c
 *   fixed     where y is that of the estimate itself; at the truth it is the truth, whatever the prior of the links was
 * Source: Hamon, Gautier & Garrec 2010, Dynamic identification of robots with a dry friction model depending on load and
 * velocity, whose regressor has measured torques for y; those hold friction and noise, which an estimate does not. */
#include <math.h>

#include "armdyn/adopt.h"
#include "lib/identify/unknowns.h"

/* A coefficient is settled when a round changes it by less than this, or by less than this part of its deviation. */
static const double SETTLED = 1e-5, SETTLED_DEVIATIONS = 0.01;

static const double LARGEST = 0.99; /* as the description's rule has it */

/* Links and rotors of an estimate on the robot. */
static enum armdyn_status adopt_loads(const struct armdyn_robot *robot, const struct armdyn_unknowns *u,
                                      const struct armdyn_estimate *estimate, struct armdyn_robot **loads,
                                      struct armdyn_error *error)
{
  struct armdyn_robot_description *d = malloc(sizeof *d);
  struct armdyn_parameter_value *values = malloc(u->standard_count * sizeof *values);
  enum armdyn_status status = d && values ? ARMDYN_OK : ARMDYN_EMEMORY;
  *loads = NULL;
  if (!status) {
    *d = *armdyn_robot_description(robot);
    for (size_t k = 0; k < u->standard_count; k++)
      values[k] = (struct armdyn_parameter_value){ u->id[k], estimate->standard[k] };
    status = armdyn_adopt_parameters(d, values, u->standard_count, ARMDYN_ADOPT_LINKS | ARMDYN_ADOPT_ROTORS, error);
  }
  if (!status) status = armdyn_robot_new(d, loads, error);
  free(values);
  free(d);
  return status;
}

enum armdyn_status armdyn_loads_first(const struct armdyn_robot *robot, const unsigned *friction,
                                      enum armdyn_rotor_columns rotors, const struct armdyn_source *source,
                                      const struct armdyn_estimation *estimation, struct armdyn_robot **loads,
                                      struct armdyn_error *error)
{
  struct armdyn_estimation first = *estimation;
  struct armdyn_robot_description *d = malloc(sizeof *d);
  struct armdyn_robot *without = NULL;
  struct armdyn_unknowns *unknowns = NULL;
  struct armdyn_estimate estimate = { 0 };
  unsigned terms[ARMDYN_JOINTS_MAX];
  *loads = NULL;
  if (!d) return ARMDYN_EMEMORY;
  *d = *armdyn_robot_description(robot);
  for (size_t i = 0; i < d->joint_count; i++) {
    terms[i] = friction[i] & ~(unsigned)ARMDYN_IDENTIFY_LOAD;
    d->joints[i].friction.load = 0;
  }
  first.estimator = ARMDYN_CONSISTENT; /* links that a body can have, whatever else is asked for */
  first.prior_strength = 0;
  first.more_covariance = NULL;
  first.lack_of_fit = false;
  enum armdyn_status status = armdyn_robot_new(d, &without, error);
  if (!status) status = armdyn_unknowns_by_joint(without, terms, rotors, &unknowns, error);
  if (!status) status = armdyn_identify_source(unknowns, source, &first, &estimate, error);
  if (!status) status = adopt_loads(robot, unknowns, &estimate, loads, error);
  armdyn_estimate_free(&estimate);
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(without);
  free(d);
  return status;
}

static bool is_of_load(const struct armdyn_parameter_id *id)
{
  return id->group == ARMDYN_PARAMETER_FRICTION && id->index == ARMDYN_PARAMETER_LOAD;
}

static bool has_load(const struct armdyn_unknowns *u)
{
  for (size_t k = 0; k < u->standard_count; k++)
    if (is_of_load(&u->id[k])) return true;
  return false;
}

/* No drive has friction as large as its load: with it forward dynamics would have no answer. */
static enum armdyn_status refuse_large(const struct armdyn_unknowns *u, const struct armdyn_estimate *e,
                                       struct armdyn_error *error)
{
  for (size_t k = 0; k < u->standard_count; k++) {
    if (!is_of_load(&u->id[k]) || e->standard[k] <= LARGEST) continue;
    return armdyn_refuse(
        error, ARMDYN_EINPUT, "",
        "joint %zu: the data want friction of %.3g times the load, of which a model has at most %g: leave load "
        "out, or look at the torques of this joint",
        u->id[k].joint + 1, e->standard[k], LARGEST);
  }
  return ARMDYN_OK;
}

/* Is every coefficient that of the round before (NULL: there was none)? */
static bool settled(const struct armdyn_unknowns *u, const double *before, const struct armdyn_estimate *e)
{
  for (size_t k = 0; k < u->standard_count; k++) {
    if (!is_of_load(&u->id[k])) continue;
    const double deviation = isnan(e->standard_deviation[k]) ? 0 : e->standard_deviation[k];
    if (!(fabs(e->standard[k] - before[k]) <= fmax(SETTLED, SETTLED_DEVIATIONS * deviation))) return false;
  }
  return true;
}

enum armdyn_status armdyn_identify_under_load(const struct armdyn_robot *robot, const unsigned *friction,
                                              enum armdyn_rotor_columns rotors, const struct armdyn_source *source,
                                              const struct armdyn_estimation *estimation,
                                              struct armdyn_unknowns **unknowns, struct armdyn_estimate *out,
                                              size_t *rounds, struct armdyn_error *error)
{
  enum armdyn_status status = armdyn_identify_source(*unknowns, source, estimation, out, error);
  *rounds = 1;
  if (status || !has_load(*unknowns)) return status;
  double *before = malloc((*unknowns)->standard_count * sizeof *before);
  if (!before) status = ARMDYN_EMEMORY;
  for (bool done = false; !status && !done; ++*rounds) {
    struct armdyn_robot *loads = NULL;
    struct armdyn_unknowns *next = NULL;
    if ((status = refuse_large(*unknowns, out, error))) break;
    memcpy(before, out->standard, (*unknowns)->standard_count * sizeof *before);
    status = adopt_loads(robot, *unknowns, out, &loads, error);
    if (!status) status = armdyn_unknowns_under(robot, loads, friction, rotors, &next, error);
    armdyn_robot_free(loads);
    if (status) break;
    armdyn_estimate_free(out);
    armdyn_unknowns_free(*unknowns);
    *unknowns = next;
    if ((status = armdyn_identify_source(next, source, estimation, out, error))) break;
    done = settled(next, before, out) || *rounds + 1 == ARMDYN_LOAD_ROUNDS;
  }
  if (!status) status = refuse_large(*unknowns, out, error);
  if (status) armdyn_estimate_free(out);
  free(before);
  return status;
}
