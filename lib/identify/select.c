/* The friction of each joint: each term that lowers its error on data that it was not fitted to. */
#include <math.h>

#include "lib/identify/motion_ripples.h"
#include "lib/identify/select.h"
#include "lib/model/parameters.h"

enum { FOLDS_USUAL = 8, ROUNDS = 2 };

/* Stribeck velocities are looked for on grids that are closer and closer: octaves between neighbours. */
static const double closeness[SELECT_GRIDS] = { 1, 0.3, 0.1 };

/* -- the data -- */

static enum armdyn_status look(struct selection *s, struct armdyn_error *error)
{
  double low[ARMDYN_JOINTS_MAX], high[ARMDYN_JOINTS_MAX];
  for (size_t i = 0; i < s->n; i++) low[i] = INFINITY, high[i] = -INFINITY;
  for (size_t block = 0; block < s->source->blocks; block++) {
    struct armdyn_motion motion;
    const enum armdyn_status status = s->source->read(s->source->context, block, &motion, error);
    if (status) return status;
    for (size_t k = 0; k < motion.count * s->n; k++) {
      const size_t i = k % s->n;
      s->fastest[i] = fmax(s->fastest[i], fabs(motion.qd[k]));
      low[i] = fmin(low[i], motion.q[k]);
      high[i] = fmax(high[i], motion.q[k]);
    }
  }
  for (size_t i = 0; i < s->n; i++) s->moved[i] = high[i] - low[i];
  return ARMDYN_OK;
}

/* -- the robot -- */

/* With what was found so far; in everything else it is the one that was given. */
static enum armdyn_status set_robot(struct selection *s, struct armdyn_error *error)
{
  armdyn_robot_free(s->robot);
  s->robot = NULL;
  return armdyn_robot_new(s->description, &s->robot, error);
}

/* Of a robot whose friction is all to be chosen nothing linear stays that may be chosen, nor a difference between
 * directions. */
static void clear_friction(struct selection *s)
{
  for (size_t i = 0; i < s->n && !s->required; i++) {
    struct armdyn_friction *f = &s->description->joints[i].friction;
    for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++)
      if ((FRICTION_LINEAR & s->candidates) >> k & 1) friction_set_linear(f, (enum armdyn_friction_term)k, 0);
  }
}

static unsigned own_terms(const struct armdyn_friction *f)
{
  unsigned terms = friction_mask(f);
  if (f->coulomb.positive != f->coulomb.negative) terms |= ARMDYN_IDENTIFY_COULOMB_DIRECTED;
  if (f->viscous.positive != f->viscous.negative) terms |= ARMDYN_IDENTIFY_VISCOUS_DIRECTED;
  return terms;
}

/* What is not linear goes into the description: a velocity scale, and a Stribeck velocity. */
static void describe(struct selection *s, const struct candidates *c)
{
  for (size_t i = 0; i < s->n; i++) {
    const struct armdyn_friction *given = &armdyn_robot_description(s->given)->joints[i].friction;
    const struct structure *structure = &s->structures[i];
    struct armdyn_joint *joint = &s->description->joints[i];
    joint->friction.stiction = given->stiction;
    joint->friction.stribeck_velocity = given->stribeck_velocity;
    joint->friction.stribeck_exponent = given->stribeck_exponent;
    joint->velocity_scale = c->joints[i].scale[structure->scale];
    if (!(structure->terms & ARMDYN_IDENTIFY_STRIBECK)) continue;
    if (isnan(joint->friction.stiction)) joint->friction.stiction = 0;
    joint->friction.stribeck_velocity =
        fmax(c->joints[i].shapes.list[structure->shape].velocity, 3 * joint->velocity_scale);
    joint->friction.stribeck_exponent = c->joints[i].shapes.list[structure->shape].exponent;
  }
}

/* -- all joints -- */

static bool is_known(const struct selection *s, size_t joint)
{
  return s->estimation->friction_known && s->estimation->friction_known[joint];
}

/* Is there nothing to choose? The joint rests, or its friction is known. */
static bool is_settled(const struct selection *s, size_t joint)
{
  return is_known(s, joint) || s->moved[joint] < motion_least(s->given, joint);
}

/* One joint after the other, twice, for links and rotors tie them together. */
static enum armdyn_status choose_on_grid(struct selection *s, struct armdyn_error *error)
{
  struct candidates c;
  struct rigid_prior prior = { NULL, NULL };
  const size_t folds = s->estimation->folds ? s->estimation->folds : FOLDS_USUAL;
  const bool loaded = ((s->required | s->candidates) & ARMDYN_IDENTIFY_LOAD) || armdyn_has_load_friction(s->robot);
  const struct armdyn_robot *loads = s->estimation->loads ? s->estimation->loads : s->given;
  enum armdyn_status status =
      candidates_open(s->robot, loaded ? loads : NULL, s->rotors, s->source, s->fastest, s->shapes, folds, &c, error);
  if (!status) status = rigid_prior_open(&c, s->estimation, s->strength, s->weight, &prior);
  memcpy(s->structures, s->first, s->n * sizeof *s->structures);
  for (size_t i = 0; i < s->n; i++) s->choice[i].trial_count = 0; /* of the grid before */
  for (int round = 0; round < ROUNDS && !status; round++) {
    for (size_t i = 0; i < s->n && !status; i++)
      if (!is_settled(s, i)) status = select_for_joint(s, &c, &prior, i);
  }
  if (!status) describe(s, &c);
  rigid_prior_close(&prior);
  candidates_close(&c);
  return status;
}

/* Shapes of the next grid; false: there is nothing to look at more closely. */
static bool closer(struct selection *s, int grid)
{
  bool any = false;
  for (size_t i = 0; i < s->n; i++) {
    const bool own = !isnan(armdyn_robot_description(s->given)->joints[i].friction.stribeck_velocity);
    if (own || !(s->structures[i].terms & ARMDYN_IDENTIFY_STRIBECK)) continue;
    s->shapes[i] = shapes_about(s->best_shape[i], closeness[grid]);
    any = true;
  }
  return any;
}

static enum armdyn_status choose_structures(struct selection *s, struct armdyn_error *error)
{
  const struct armdyn_robot_description *given = armdyn_robot_description(s->given);
  for (size_t i = 0; i < s->n; i++) {
    s->shapes[i] = shapes_first(&given->joints[i], s->fastest[i]);
    s->description->joints[i].velocity_scale = given->joints[i].velocity_scale;
  }
  enum armdyn_status status = set_robot(s, error);
  s->grid = 0;
  if (!status) status = choose_on_grid(s, error);
  while (++s->grid < SELECT_GRIDS && !status && closer(s, s->grid)) status = choose_on_grid(s, error);
  return status ? status : set_robot(s, error);
}

static void tell(struct selection *s)
{
  enum { STEPS = 4 };
  s->step++;
  if (s->estimation->trying) s->estimation->trying(s->estimation->context, s->step, STEPS);
}

/* An estimate with the terms so far: how joints are weighed, how strong the prior is; and lines in what it leaves.
 *   lines  in/out  n, those found are added; NULL: not wanted */
static enum armdyn_status estimate_so_far(struct selection *s, const unsigned *terms, struct armdyn_friction *lines,
                                          struct armdyn_error *error)
{
  struct armdyn_estimation estimation = *s->estimation;
  struct armdyn_unknowns *unknowns = NULL;
  struct armdyn_estimate estimate = { 0 };
  estimation.estimator = ARMDYN_RIDGE;
  estimation.free_signs = true;
  estimation.lack_of_fit = false;
  estimation.prior_strength = s->strength;
  estimation.more_covariance = NULL;
  tell(s);
  enum armdyn_status status = armdyn_unknowns_under(s->robot, s->estimation->loads, terms, s->rotors, &unknowns, error);
  if (!status) status = armdyn_identify_source(unknowns, s->source, &estimation, &estimate, error);
  if (!status) {
    s->strength = estimate.prior_strength;
    for (size_t i = 0; i < s->n; i++) {
      s->weight[i] = 1 / fmax(estimate.joint_deviation[i], 1e-300);
      s->correlation[i] = estimate.correlation[i];
    }
    if (lines) status = motion_ripples_find(unknowns, estimate.beta, s->source, lines, error);
    armdyn_estimate_free(&estimate);
  }
  armdyn_unknowns_free(unknowns);
  return status;
}

/* Lines over the motor angle, beside the model's own. They are noise to the other terms while they are not known, and the
 * other terms to them: a second search refines what the first has found. Answers in `any` whether there are any. */
static enum armdyn_status choose_lines(struct selection *s, bool *any, struct armdyn_error *error)
{
  unsigned terms[ARMDYN_JOINTS_MAX];
  struct armdyn_friction *lines = malloc(s->n * sizeof *lines);
  if (!lines) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < s->n; i++) {
    terms[i] = s->structures[i].terms;
    lines[i] = armdyn_robot_description(s->given)->joints[i].friction;
  }
  enum armdyn_status status = estimate_so_far(s, terms, lines, error);
  *any = false;
  for (size_t i = 0; i < s->n && !status; i++) {
    struct armdyn_joint *joint = &s->description->joints[i];
    if (is_known(s, i)) continue;
    *any = *any || lines[i].ripple_count > armdyn_robot_description(s->given)->joints[i].friction.ripple_count;
    joint->friction.ripple_count = lines[i].ripple_count;
    memcpy(joint->friction.ripples, lines[i].ripples, sizeof joint->friction.ripples);
  }
  free(lines);
  return status ? status : set_robot(s, error);
}

static enum armdyn_status choose_all(struct selection *s, struct armdyn_error *error)
{
  bool any = (s->required | s->candidates) & ARMDYN_IDENTIFY_POSITION;
  enum armdyn_status status = choose_structures(s, error);
  for (int search = 0; search < 2 && any && !status; search++) {
    status = choose_lines(s, &any, error);
    if (!status && any) status = choose_structures(s, error);
  }
  return status;
}

/* What is there from the beginning: what is required, and then what the model has. */
static void begin(struct selection *s)
{
  const unsigned shapes = ARMDYN_IDENTIFY_STRIBECK | ARMDYN_IDENTIFY_POSITION;
  clear_friction(s);
  for (size_t i = 0; i < s->n; i++) {
    const struct armdyn_friction *f = &s->description->joints[i].friction;
    s->first[i] =
        (struct structure){ .terms = is_known(s, i) ? ARMDYN_IDENTIFY_OFFSET : (own_terms(f) | s->required) & ~shapes };
    s->choice[i] = (struct armdyn_friction_choice){ 0 };
  }
}

enum armdyn_status armdyn_choose_friction(const struct armdyn_robot *robot, unsigned required, unsigned candidates,
                                          enum armdyn_rotor_columns rotors, const struct armdyn_source *source,
                                          const struct armdyn_estimation *estimation,
                                          struct armdyn_friction_choice *choice, struct armdyn_robot **out,
                                          struct armdyn_error *error)
{
  struct selection s = { .given = robot,
                         .source = source,
                         .estimation = estimation,
                         .rotors = rotors,
                         .required = required,
                         .candidates = candidates,
                         .n = armdyn_robot_joint_count(robot),
                         .choice = choice };
  unsigned usual[ARMDYN_JOINTS_MAX];
  *out = NULL;
  struct armdyn_robot_description *description = malloc(sizeof *description);
  if (!description) return ARMDYN_EMEMORY;
  s.description = description;
  *s.description = *armdyn_robot_description(robot);
  begin(&s);
  for (size_t i = 0; i < s.n; i++)
    usual[i] = required || is_known(&s, i) ? s.first[i].terms
                                           : ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS;
  enum armdyn_status status = look(&s, error);
  if (!status) status = set_robot(&s, error);
  if (!status) status = estimate_so_far(&s, usual, NULL, error);
  if (!status) status = choose_all(&s, error);
  for (size_t i = 0; i < s.n && !status; i++) {
    const size_t own = armdyn_robot_description(robot)->joints[i].friction.ripple_count;
    const bool lines = s.description->joints[i].friction.ripple_count > own;
    choice[i].terms = s.structures[i].terms | (lines ? ARMDYN_IDENTIFY_POSITION : 0);
  }
  if (!status) {
    *out = s.robot;
    s.robot = NULL;
  }
  armdyn_robot_free(s.robot);
  free(description);
  return status;
}
