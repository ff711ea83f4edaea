/* The friction of one joint, links, rotors and the others' friction profiled out: one term after the other, each kept for
 * what it gains on held-out parts. */
#include <math.h>

#include "lib/identify/select.h"
#include "lib/math/distribution.h"

/* A term stays if the mean of what it gains on held-out parts is above so many of its standard errors. */
static const double STANDARD_ERRORS = 1;

/* The best of a dozen shapes gains something by chance alone. */
static const double STANDARD_ERRORS_OF_SHAPE = 2;

/* Without a forecast of faster data that speaks for it; and how far off one may be that says nothing: the square of two
 * deviations. */
static const double STANDARD_ERRORS_UNTOLD = 3, UNSURE = 4;

/* Terms that say how friction goes on with the speed: data that are slower must foretell those that are faster. */
enum { BENDING = ARMDYN_IDENTIFY_VISCOUS | ARMDYN_IDENTIFY_STRIBECK | ARMDYN_IDENTIFY_HIGH_SPEED };

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
  if (k == choice->trial_count) choice->trials[choice->trial_count++] = (struct armdyn_friction_trial){ .term = term };
  return &choice->trials[k];
}

/* Data that are slower must foretell those that are faster, no worse than without the term. Stribeck friction, which slow data
 * are full of, has two excuses if what it gains is plain: a forecast that is off by no more than slow data leave open speaks
 * neither for it nor against it; and where the grid is coarse, a velocity that is a third off foretells nothing, and is looked
 * at again more closely. */
static bool bends_well(const struct joint_search *j, unsigned term, const struct structure *structure,
                       const struct tried *tried, double gain)
{
  if (tried->fast < j->known.fast) return true;
  if (term != ARMDYN_IDENTIFY_STRIBECK || !(gain > STANDARD_ERRORS_UNTOLD)) return false;
  return j->s->grid + 1 < SELECT_GRIDS || tried->fast < UNSURE * profiled_unsure(&j->profiled, structure);
}

/* The shape may have become another one together with the scale. */
static void tell_shape(struct joint_search *j)
{
  const struct shapes *shapes = &j->profiled.candidates->joints[j->profiled.joint].shapes;
  if (!(j->best.terms & ARMDYN_IDENTIFY_STRIBECK)) return;
  struct armdyn_friction_trial *trial = trial_of(j->choice, ARMDYN_IDENTIFY_STRIBECK);
  trial->velocity = shapes->list[j->best.shape].velocity;
  trial->exponent = shapes->list[j->best.shape].exponent;
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
  const bool gains = gain > least && (!(term & BENDING) || bends_well(j, term, &structures[at], &best, gain));
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
  if (!term) tell_shape(j);
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

/* Where the best velocity of an exponent stands among the shapes; their count: it was not looked for. */
static size_t best_shape_at(const struct joint_search *j, int which)
{
  const struct shapes *shapes = &j->profiled.candidates->joints[j->profiled.joint].shapes;
  size_t k = 0;
  while (k < shapes->count && !((shapes->list[k].exponent > 1.5) == which &&
                                shapes->list[k].velocity == j->s->best_shape[j->profiled.joint][which]))
    k++;
  return k;
}

/* Over which speed friction changes its sign. A sign that is too wide makes Stribeck friction of the wrong exponent the better
 * one, so both change together, too. */
static void try_scales(struct joint_search *j)
{
  const size_t shapes = j->profiled.candidates->joints[j->profiled.joint].shapes.count;
  struct structure structures[3 * SCALES];
  size_t count = 0;
  if (!(j->best.terms & (ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_STRIBECK))) return;
  for (size_t k = 0; k < SCALES; k++) {
    if (k == j->best.scale) continue;
    structures[count] = j->best;
    structures[count++].scale = k;
    for (int which = 0; which < 2 && (j->best.terms & ARMDYN_IDENTIFY_STRIBECK); which++) {
      const size_t shape = best_shape_at(j, which);
      if (shape == shapes || shape == j->best.shape) continue;
      structures[count] = j->best;
      structures[count].scale = k;
      structures[count++].shape = shape;
    }
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

enum armdyn_status select_for_joint(struct selection *s, const struct candidates *c, const struct rigid_prior *prior,
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
