/* Which friction terms to identify: each that lowers the error on data it was not fitted to. */
#include <math.h>

#include "lib/identify/motion_ripples.h"
#include "lib/model/parameters.h"

/* A term stays if the mean of what it gains on held-out parts is above so many of its standard errors. */
static const double STANDARD_ERRORS = 1;

/* Friction that drives a joint by more than so many of its deviations is no friction. */
static const double DEVIATIONS = 2;

/* Of the fastest a joint moves: where Stribeck friction may have fallen by a factor of e. */
static const double stribeck_speeds[] = { 0.02, 0.05, 0.1, 0.2 };

enum { STRIBECK_TRIALS = sizeof stribeck_speeds / sizeof *stribeck_speeds };

/* In the order in which they are tried: what most arms have comes first. */
static const unsigned terms[] = { ARMDYN_IDENTIFY_COULOMB,    ARMDYN_IDENTIFY_VISCOUS,  ARMDYN_IDENTIFY_OFFSET,
                                  ARMDYN_IDENTIFY_HIGH_SPEED, ARMDYN_IDENTIFY_STRIBECK, ARMDYN_IDENTIFY_POSITION };

struct selection {
  const struct armdyn_robot *robot;
  const struct armdyn_source *source;
  enum armdyn_rotor_columns rotors;
  unsigned required, candidates;
  struct armdyn_estimation estimation;
  double fastest[ARMDYN_JOINTS_MAX];
  double stribeck[ARMDYN_JOINTS_MAX];           /* Stribeck velocities, relative to the fastest */
  size_t trial;                                 /* how many were begun */
  struct armdyn_robot_description *description; /* scratch */
  struct armdyn_friction *ripples;              /* n: those of the robot, then those that were found */
};

static enum armdyn_status fill_fastest(struct selection *s, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(s->robot);
  for (size_t block = 0; block < s->source->blocks; block++) {
    struct armdyn_motion motion;
    const enum armdyn_status status = s->source->read(s->source->context, block, &motion, error);
    if (status) return status;
    for (size_t k = 0; k < motion.count * n; k++) s->fastest[k % n] = fmax(s->fastest[k % n], fabs(motion.qd[k]));
  }
  return ARMDYN_OK;
}

/* The robot with only these friction terms to be found; it is the prior's in everything else. */
static enum armdyn_status robot_with(const struct selection *s, unsigned chosen, struct armdyn_robot **out,
                                     struct armdyn_error *error)
{
  struct armdyn_robot_description *d = s->description;
  *d = *armdyn_robot_description(s->robot);
  for (size_t i = 0; i < d->joint_count; i++) {
    struct armdyn_friction *f = &d->joints[i].friction;
    for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT && !s->required; k++) {
      if (FRICTION_LINEAR & ~chosen & 1u << k) friction_set_linear(f, (enum armdyn_friction_term)k, 0);
    }
    if ((chosen & ARMDYN_IDENTIFY_STRIBECK) && isnan(f->stribeck_velocity)) {
      f->stiction = 0;
      f->stribeck_velocity = fmax(s->stribeck[i] * s->fastest[i], 10 * d->joints[i].velocity_scale);
    }
    if (chosen & ARMDYN_IDENTIFY_POSITION) {
      f->ripple_count = s->ripples[i].ripple_count;
      memcpy(f->ripples, s->ripples[i].ripples, sizeof f->ripples);
    }
  }
  return armdyn_robot_new(d, out, error);
}

/* Errors on held-out data: of all parts together, |e| / |tau|, and the squares of each. */
struct held_out {
  double error;
  bool dissipates; /* no joint's friction drives it */
  size_t count;
  double squares[ARMDYN_FOLDS_MAX];
  double left[ARMDYN_JOINTS_MAX]; /* deviations of the residuals of all data */
};

/* At the fastest that a joint moves its friction takes energy out. A term may follow one motion well and yet have a sign
 * that no friction has: such a one is made of the motion's own habits, and does harm wherever another motion is faster.
 * Offsets and lines over the angle are left out: over a way there and back, or a turn, they take nothing. */
static bool dissipates(const struct selection *s, const struct armdyn_unknowns *u, const struct armdyn_estimate *e)
{
  size_t first = u->friction_first;
  for (size_t i = 0; i < u->n; i++) {
    const size_t ripples = armdyn_robot_description(u->robot)->joints[i].friction.ripple_count;
    double row[2][FRICTION_ROW_MAX];
    const size_t columns = friction_row(u->robot, &u->choice, i, 0, s->fastest[i], row[0]);
    friction_row(u->robot, &u->choice, i, 0, -s->fastest[i], row[1]);
    for (int direction = 0; direction < 2; direction++) {
      double torque = 0, square = 0;
      for (size_t c = 0; c < columns - ripples; c++) {
        const double slope = row[direction][c] * (direction ? -1 : 1) * u->of_motion[first + c];
        torque += slope * e->standard[first + c];
        square += slope * slope * e->standard_deviation[first + c] * e->standard_deviation[first + c];
      }
      if (torque < -DEVIATIONS * sqrt(square)) return false;
    }
    first += columns;
  }
  return true;
}

static bool is_tried(const struct selection *s, unsigned term)
{
  return (s->candidates | (s->required & ~(unsigned)ARMDYN_IDENTIFY_LINEAR)) & term;
}

/* How many robots are tried. */
static size_t trials_of(const struct selection *s)
{
  size_t count = 1;
  for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
    if (!is_tried(s, terms[k])) continue;
    count += terms[k] == ARMDYN_IDENTIFY_STRIBECK   ? STRIBECK_TRIALS
             : terms[k] == ARMDYN_IDENTIFY_POSITION ? 2 /* with what is left once more, and with the lines in it */
                                                    : 1;
  }
  return count;
}

/* At the best of the strengths of the prior.
 *   find_ripples  in  look for lines in what is left */
static enum armdyn_status held_out(struct selection *s, unsigned chosen, bool find_ripples, struct held_out *out,
                                   struct armdyn_error *error)
{
  struct armdyn_robot *robot = NULL;
  struct armdyn_unknowns *unknowns = NULL;
  struct armdyn_estimate estimate;
  *out = (struct held_out){ .error = INFINITY };
  s->trial++;
  if (s->estimation.trying) s->estimation.trying(s->estimation.context, s->trial, trials_of(s));
  enum armdyn_status status = robot_with(s, chosen, &robot, error);
  if (!status) status = armdyn_unknowns_new(robot, chosen, s->rotors, &unknowns, error);
  if (!status) status = armdyn_identify_source(unknowns, s->source, &s->estimation, &estimate, error);
  if (!status) {
    for (size_t k = 0; k < ARMDYN_STRENGTHS; k++) out->error = fmin(out->error, estimate.curve[k].error);
    out->count = estimate.fold_count;
    out->dissipates = dissipates(s, unknowns, &estimate);
    memcpy(out->squares, estimate.held_out, sizeof out->squares);
    memcpy(out->left, estimate.joint_deviation, unknowns->n * sizeof *out->left);
    if (find_ripples) status = motion_ripples_find(unknowns, estimate.beta, s->source, s->ripples, error);
    armdyn_estimate_free(&estimate);
  }
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(robot);
  return status;
}

/* The mean of what is gained on a part, in standard errors of that mean. */
static double gain_of(const struct held_out *before, const struct held_out *after)
{
  const double count = (double)after->count;
  double mean = 0, square = 0;
  for (size_t f = 0; f < after->count; f++) mean += (before->squares[f] - after->squares[f]) / count;
  for (size_t f = 0; f < after->count; f++) {
    const double off = before->squares[f] - after->squares[f] - mean;
    square += off * off / (count - 1);
  }
  return mean / fmax(sqrt(square / count), 1e-300);
}

/* Velocities that are the same part of every joint's fastest are tried; then each joint has the one that leaves it least.
 *   best      out  of the parts
 *   velocity  out  that part */
static enum armdyn_status try_velocities(struct selection *s, unsigned chosen, struct held_out *best, double *velocity,
                                         struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(s->robot);
  double least[ARMDYN_JOINTS_MAX], own[ARMDYN_JOINTS_MAX];
  for (size_t k = 0; k < STRIBECK_TRIALS; k++) {
    struct held_out found;
    for (size_t i = 0; i < n; i++) s->stribeck[i] = stribeck_speeds[k];
    const enum armdyn_status status = held_out(s, chosen, false, &found, error);
    if (status) return status;
    for (size_t i = 0; i < n; i++) {
      if (k > 0 && !(found.left[i] < least[i])) continue;
      least[i] = found.left[i];
      own[i] = stribeck_speeds[k];
    }
    if (!(found.error < best->error)) continue;
    *best = found;
    *velocity = stribeck_speeds[k];
  }
  memcpy(s->stribeck, own, n * sizeof *own);
  return ARMDYN_OK;
}

static enum armdyn_status try_term(struct selection *s, unsigned term, struct held_out *known,
                                   struct armdyn_friction_choice *choice, struct armdyn_error *error)
{
  const bool required = s->required & term;
  struct armdyn_friction_trial *trial = &choice->trials[choice->trial_count++];
  struct held_out best = { .error = INFINITY };
  enum armdyn_status status = ARMDYN_OK;
  *trial = (struct armdyn_friction_trial){ .term = term };
  if (term == ARMDYN_IDENTIFY_POSITION) status = held_out(s, choice->terms, true, &best, error);
  if (status) return status;
  best.error = INFINITY;
  if (term == ARMDYN_IDENTIFY_STRIBECK) {
    status = try_velocities(s, choice->terms | term, &best, &trial->stribeck, error);
  } else {
    status = held_out(s, choice->terms | term, false, &best, error);
  }
  if (status) return status;
  trial->error = best.error;
  trial->gain = gain_of(known, &best);
  trial->kept = required || (trial->gain > STANDARD_ERRORS && best.dissipates);
  if (!trial->kept) return ARMDYN_OK;
  *known = best;
  choice->terms |= term;
  choice->error = trial->error;
  choice->stribeck = fmax(choice->stribeck, trial->stribeck);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_choose_friction(const struct armdyn_robot *robot, unsigned required, unsigned candidates,
                                          enum armdyn_rotor_columns rotors, const struct armdyn_source *source,
                                          const struct armdyn_estimation *estimation,
                                          struct armdyn_friction_choice *choice, struct armdyn_robot **out,
                                          struct armdyn_error *error)
{
  struct selection s = {
    .robot = robot,
    .source = source,
    .rotors = rotors,
    .required = required,
    .candidates = candidates,
    .estimation = *estimation,
  };
  const size_t n = armdyn_robot_joint_count(robot);
  *choice = (struct armdyn_friction_choice){ .terms = required & ARMDYN_IDENTIFY_LINEAR };
  *out = NULL;
  s.estimation.estimator = ARMDYN_RIDGE;
  s.estimation.prior_strength = 0;
  s.estimation.free_signs = true; /* a term that wants a wrong sign shall show it, and is refused */
  s.description = malloc(sizeof *s.description);
  s.ripples = malloc(n * sizeof *s.ripples);
  struct held_out known = { .error = INFINITY };
  enum armdyn_status status = s.description && s.ripples ? fill_fastest(&s, error) : ARMDYN_EMEMORY;
  for (size_t i = 0; i < n && !status; i++) s.ripples[i] = armdyn_robot_description(robot)->joints[i].friction;
  if (!status) status = held_out(&s, choice->terms, false, &known, error);
  choice->error = choice->without = known.error;
  for (size_t k = 0; k < sizeof terms / sizeof *terms && !status; k++) {
    if (is_tried(&s, terms[k])) status = try_term(&s, terms[k], &known, choice, error);
  }
  if (!status) status = robot_with(&s, choice->terms, out, error);
  free(s.description);
  free(s.ripples);
  return status;
}
