/* The friction of each joint: each term that lowers its error on data that it was not fitted to. */
#include <math.h>

#include "lib/identify/motion_ripples.h"
#include "lib/identify/structure.h"
#include "lib/math/distribution.h"
#include "lib/model/parameters.h"

/* A term stays if the mean of what it gains on held-out parts is above so many of its standard errors. */
static const double STANDARD_ERRORS = 1;

/* The best of a dozen shapes gains something by chance alone. */
static const double STANDARD_ERRORS_OF_SHAPE = 2;

enum { FOLDS_USUAL = 8, ROUNDS = 2 };

/* Stribeck velocities are looked for on grids that are closer and closer: octaves between neighbours. */
static const double closeness[] = { 1, 0.3, 0.1 };
enum { GRIDS = sizeof closeness / sizeof *closeness };

/* Terms that say how friction goes on with the speed: data that are slower must foretell those that are faster. */
enum { BENDING = ARMDYN_IDENTIFY_VISCOUS | ARMDYN_IDENTIFY_STRIBECK | ARMDYN_IDENTIFY_HIGH_SPEED };

struct selection {
  const struct armdyn_robot *given;
  const struct armdyn_source *source;
  const struct armdyn_estimation *estimation;
  enum armdyn_rotor_columns rotors;
  unsigned required, candidates;
  size_t n;
  double fastest[ARMDYN_JOINTS_MAX], moved[ARMDYN_JOINTS_MAX]; /* rad/s (m/s), rad (m) */
  double weight[ARMDYN_JOINTS_MAX], correlation[ARMDYN_JOINTS_MAX], strength;
  struct armdyn_robot_description *description; /* the robot with what has been found so far */
  struct armdyn_robot *robot;
  struct structure first[ARMDYN_JOINTS_MAX], structures[ARMDYN_JOINTS_MAX]; /* before anything was tried, and now */
  struct shapes shapes[ARMDYN_JOINTS_MAX];
  double best_shape[ARMDYN_JOINTS_MAX][2]; /* Stribeck velocity of either exponent */
  struct armdyn_friction_choice *choice;   /* n */
  size_t step;
};

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

/* -- one joint -- */

enum { MEMORY = 256 };

struct joint_search {
  struct selection *s;
  struct profiled profiled;
  struct armdyn_friction_choice *choice;
  struct structure best;
  struct tried known;
  double speed;
  size_t remembered; /* structures that were tried, for passes and looks ask for many again */
  struct {
    struct structure structure;
    struct tried tried;
  } memory[MEMORY];
};

static struct tried try_structure(struct joint_search *j, const struct structure *structure)
{
  struct tried tried;
  for (size_t k = 0; k < j->remembered; k++) {
    const struct structure *known = &j->memory[k].structure;
    if (known->terms == structure->terms && known->scale == structure->scale && known->shape == structure->shape)
      return j->memory[k].tried;
  }
  profiled_try(&j->profiled, structure, j->speed, &tried);
  if (j->remembered < MEMORY) {
    j->memory[j->remembered].structure = *structure;
    j->memory[j->remembered++].tried = tried;
  }
  return tried;
}

/* Where a term's trial is written; a later one replaces it. */
static struct armdyn_friction_trial *trial_of(struct armdyn_friction_choice *choice, unsigned term)
{
  size_t k = 0;
  while (k < choice->trial_count && choice->trials[k].term != term) k++;
  if (k == choice->trial_count) choice->trial_count++;
  return &choice->trials[k];
}

/* The best of some structures, which is kept if it gains.
 *   forced  in  it is kept anyway */
static void decide(struct joint_search *j, unsigned term, const struct structure *structures, size_t count, bool forced)
{
  const struct candidates *c = j->profiled.candidates;
  const struct joint_candidates *own = &c->joints[j->profiled.joint];
  struct tried best = { .error = INFINITY };
  size_t at = count;
  for (size_t k = 0; k < count; k++) {
    const struct tried tried = try_structure(j, &structures[k]);
    if (!tried.has_signs && !forced && k + 1 < count) continue;
    if (!(tried.error < best.error) || (best.has_signs && !tried.has_signs)) continue;
    best = tried;
    at = k;
  }
  if (at == count) return;
  const double gain = paired_t(c->folds, j->known.squares, best.squares);
  /* parts of one motion resemble each other: what bends the curve and does harm where the joint is faster is refused */
  const double least = term == ARMDYN_IDENTIFY_STRIBECK ? STANDARD_ERRORS_OF_SHAPE : STANDARD_ERRORS;
  const bool gains = gain > least && (!(term & BENDING) || best.fast < j->known.fast);
  const bool kept = forced || (gains && best.has_signs);
  struct armdyn_friction_trial *trial = trial_of(j->choice, term);
  if (trial->kept && !kept) return; /* another shape of what is there is no better */
  *trial = (struct armdyn_friction_trial){
    .term = term,
    .error = best.error,
    .gain = gain,
    .velocity = term == ARMDYN_IDENTIFY_STRIBECK ? own->shapes.list[structures[at].shape].velocity
                : term == 0                      ? own->scale[structures[at].scale]
                                                 : NAN,
    .exponent = term == ARMDYN_IDENTIFY_STRIBECK ? own->shapes.list[structures[at].shape].exponent : NAN,
    .kept = kept,
  };
  if (!kept) return;
  j->best = structures[at];
  j->known = best;
}

static bool is_candidate(const struct joint_search *j, unsigned term)
{
  return (j->s->candidates & term) && !(j->best.terms & term);
}

static void try_term(struct joint_search *j, unsigned term)
{
  struct structure structure = j->best;
  if (!is_candidate(j, term)) return;
  structure.terms |= term;
  decide(j, term, &structure, 1, false);
}

/* Either direction on its own, of a term that is there. Coulomb friction of two directions may be what an offset was. */
static void try_directed(struct joint_search *j, unsigned term, unsigned directed)
{
  struct structure structures[2] = { j->best, j->best };
  if (!(j->best.terms & term) || !is_candidate(j, directed)) return;
  structures[0].terms |= directed;
  structures[1].terms = (j->best.terms | directed) & ~(unsigned)ARMDYN_IDENTIFY_OFFSET;
  const bool both = directed == ARMDYN_IDENTIFY_COULOMB_DIRECTED && (j->best.terms & ARMDYN_IDENTIFY_OFFSET) &&
                    !(j->s->required & ARMDYN_IDENTIFY_OFFSET);
  decide(j, directed, structures, both ? 2 : 1, false);
}

/* The best velocity of either exponent, for a closer look. */
static void note_shapes(struct joint_search *j, const struct structure *structures, size_t count)
{
  const struct shapes *shapes = &j->profiled.candidates->joints[j->profiled.joint].shapes;
  double least[2] = { INFINITY, INFINITY };
  for (size_t k = 0; k < count; k++) {
    const struct shape *shape = &shapes->list[structures[k].shape];
    const struct tried tried = try_structure(j, &structures[k]);
    const int which = shape->exponent > 1.5;
    if (!(tried.error < least[which])) continue;
    least[which] = tried.error;
    j->s->best_shape[j->profiled.joint][which] = shape->velocity;
  }
}

/* Every velocity and exponent, with and without viscous friction: without the fall that too comes out with a wrong sign. */
static void try_stribeck(struct joint_search *j)
{
  const struct joint_candidates *own = &j->profiled.candidates->joints[j->profiled.joint];
  struct structure structures[2 * SHAPES];
  const bool required = j->s->required & ARMDYN_IDENTIFY_STRIBECK;
  size_t count = 0;
  if (!required && !is_candidate(j, ARMDYN_IDENTIFY_STRIBECK) && !(j->best.terms & ARMDYN_IDENTIFY_STRIBECK)) return;
  for (int more = 0; more < 2; more++) {
    const unsigned viscous = more && is_candidate(j, ARMDYN_IDENTIFY_VISCOUS) ? ARMDYN_IDENTIFY_VISCOUS : 0;
    if (more && !viscous) continue;
    for (size_t k = 0; k < own->shapes.count; k++) {
      structures[count] = j->best;
      structures[count].terms |= ARMDYN_IDENTIFY_STRIBECK | viscous;
      structures[count++].shape = k;
    }
  }
  decide(j, ARMDYN_IDENTIFY_STRIBECK, structures, count, required);
  note_shapes(j, structures, count);
}

static void try_scales(struct joint_search *j)
{
  struct structure structures[SCALES];
  size_t count = 0;
  if (!(j->best.terms & (ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_STRIBECK))) return;
  for (size_t k = 0; k < SCALES; k++) {
    if (k == j->best.scale) continue;
    structures[count] = j->best;
    structures[count++].scale = k;
  }
  decide(j, 0, structures, count, false);
}

/* Take out what is no longer missed. */
static void drop(struct joint_search *j)
{
  for (size_t k = 0; k < j->choice->trial_count; k++) {
    struct armdyn_friction_trial *trial = &j->choice->trials[k];
    struct structure without = j->best;
    if (!trial->term || !(j->best.terms & trial->term) || (j->s->required & trial->term)) continue;
    if (trial->term == ARMDYN_IDENTIFY_COULOMB && (j->best.terms & ARMDYN_IDENTIFY_STRIBECK)) continue;
    without.terms &= ~trial->term;
    if (trial->term == ARMDYN_IDENTIFY_COULOMB) without.terms &= ~(unsigned)ARMDYN_IDENTIFY_COULOMB_DIRECTED;
    if (trial->term == ARMDYN_IDENTIFY_VISCOUS) without.terms &= ~(unsigned)ARMDYN_IDENTIFY_VISCOUS_DIRECTED;
    const struct tried tried = try_structure(j, &without);
    trial->gain = paired_t(j->profiled.candidates->folds, tried.squares, j->known.squares);
    trial->kept = trial->gain > 0 || !tried.has_signs;
    if (trial->kept) continue;
    j->best = without;
    j->known = tried;
  }
}

static enum armdyn_status choose_for(struct selection *s, const struct candidates *c, const struct rigid_prior *prior,
                                     size_t joint)
{
  struct joint_search j = { .s = s, .choice = &s->choice[joint], .best = s->structures[joint] };
  const enum armdyn_status status = profiled_open(c, prior, s->weight, s->structures, joint, &j.profiled);
  if (status) return status;
  j.profiled.spread = fmax(1, s->correlation[joint] / (double)c->stride) / (s->weight[joint] * s->weight[joint]);
  j.speed = signs_speed(s->given, joint, s->fastest[joint]);
  j.known = try_structure(&j, &j.best);
  if (!(j.choice->without > 0)) j.choice->without = j.known.error;
  for (int pass = 0; pass < 2; pass++) {
    try_term(&j, ARMDYN_IDENTIFY_COULOMB);
    try_term(&j, ARMDYN_IDENTIFY_VISCOUS);
    try_stribeck(&j);
    try_term(&j, ARMDYN_IDENTIFY_OFFSET);
    try_scales(&j);
    for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++)
      if (k != ARMDYN_FRICTION_OFFSET && friction_plain(k) < ARMDYN_FRICTION_PARAMETER_COUNT) try_term(&j, 1u << k);
  }
  try_directed(&j, ARMDYN_IDENTIFY_VISCOUS, ARMDYN_IDENTIFY_VISCOUS_DIRECTED);
  try_directed(&j, ARMDYN_IDENTIFY_COULOMB, ARMDYN_IDENTIFY_COULOMB_DIRECTED);
  drop(&j);
  j.choice->error = j.known.error;
  s->structures[joint] = j.best;
  profiled_close(&j.profiled);
  return ARMDYN_OK;
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
  for (int round = 0; round < ROUNDS && !status; round++) {
    for (size_t i = 0; i < s->n && !status; i++)
      if (!is_settled(s, i)) status = choose_for(s, &c, &prior, i);
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
  if (!status) status = choose_on_grid(s, error);
  for (int grid = 1; grid < GRIDS && !status && closer(s, grid); grid++) status = choose_on_grid(s, error);
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
