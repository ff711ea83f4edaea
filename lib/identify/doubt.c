/* What a result itself gives reason to doubt, beside what was seen in its data. */
#include <math.h>

#include "lib/identify/unknowns.h"
#include "lib/identify/warnings.h"

/* With more of its torque unexplained a joint's model is not worth its name. */
static const double POOR = 0.3;

/* How much faster than in the training a joint may be judged without a word. */
static const double BEYOND = 1.2;

/* An amplitude whose deviation is a larger part of it is not known. */
static const double VAGUE = 0.25;

struct doubt {
  const struct armdyn_estimate *estimate;
  const struct armdyn_judgement *judgement;
  size_t joint;
  struct armdyn_warnings *warnings;
};

static void doubt_fit(const struct doubt *d)
{
  const double relative = d->judgement->fit[d->joint].relative;
  if (!(relative > POOR)) return;
  warn(d->warnings, ARMDYN_WARNING_FIT_POOR, (int)d->joint,
       "%.0f %% of the torque stay unexplained on the %s data, both sides filtered alike; see lack_of_fit for what "
       "comes back, and the plots for what does not",
       100 * relative, d->judgement->validated ? "validation" : "training");
}

/* Nothing over the joint's own motion, but over that of another one with it: friction of joints is each its own. */
static void doubt_coupling(const struct doubt *d, const struct armdyn_lack_of_fit *others)
{
  if (!armdyn_lacks_fit(others)) return;
  warn(d->warnings, ARMDYN_WARNING_NOISE_ONLY, (int)d->joint,
       "what is left comes back whenever this joint and joint %zu move alike, %.1f times the noise, which alone its "
       "deviations count. If their motors turn together, friction is at the motors, and joint by joint the model "
       "cannot have it: identify a revision whose transmission states the coupling, and \"friction\": \"motors\"",
       others->other + 1, sqrt(others->f));
}

static void doubt_deviations(const struct doubt *d)
{
  const struct armdyn_lack_of_fit *lacks = d->estimate->lack_of_fit + d->joint * ARMDYN_LACKS;
  const bool velocity = armdyn_lacks_fit(&lacks[ARMDYN_LACK_OVER_VELOCITY]);
  const bool position = armdyn_lacks_fit(&lacks[ARMDYN_LACK_OVER_POSITION]);
  if (!velocity && !position) {
    doubt_coupling(d, &lacks[ARMDYN_LACK_OVER_OTHERS]);
    return;
  }
  const struct armdyn_lack_of_fit *worst = &lacks[velocity ? ARMDYN_LACK_OVER_VELOCITY : ARMDYN_LACK_OVER_POSITION];
  warn(d->warnings, ARMDYN_WARNING_NOISE_ONLY, (int)d->joint,
       "what the model leaves comes back at the same %s, %.1f times as large as noise: the deviations of this joint "
       "count noise only and say too little. Try other terms of friction%s",
       velocity && position ? "velocities and positions"
       : velocity           ? "velocities"
                            : "positions",
       sqrt(worst->f), position ? ", \"position\" among them" : "");
}

static void doubt_link(const struct doubt *d)
{
  if (d->estimate->physical[d->joint]) return;
  warn(d->warnings, ARMDYN_WARNING_INCONSISTENT_LINK, (int)d->joint,
       "no body has the parameters of this link, and simulations may fail with them; take the estimator "
       "\"consistent\"");
}

static void doubt_reach(const struct doubt *d)
{
  const double trained = d->judgement->trained[d->joint], judged = d->judgement->judged[d->joint];
  if (!(trained > 0) || !(judged > BEYOND * trained)) return;
  warn(d->warnings, ARMDYN_WARNING_BEYOND_TRAINING, (int)d->joint,
       "the validation moves this joint at up to %.3g rad/s (m/s), the training at up to %.3g: friction there is "
       "extrapolated. Train with faster motion too",
       judged, trained);
}

/* Lines are found in the torque as measured and fitted to the filtered one: of a fast line nothing is in that. */
static void doubt_lines(const struct armdyn_unknowns *u, const struct armdyn_estimate *estimate,
                        struct armdyn_warnings *warnings)
{
  for (size_t k = u->friction_first; k < u->standard_count; k++) {
    const struct armdyn_parameter_id *id = &u->id[k];
    if (id->group != ARMDYN_PARAMETER_FRICTION || id->index != ARMDYN_PARAMETER_LINE_AMPLITUDE) continue;
    const double value = fabs(estimate->standard[k]), deviation = estimate->standard_deviation[k];
    if (!(deviation > VAGUE * value)) continue;
    warn(warnings, ARMDYN_WARNING_RIPPLE_FILTERED, (int)id->joint,
         "the torque filter leaves too little of the line of order %.4g over the motor angle to tell its amplitude "
         "(%.2g "
         "+- %.2g): raise torque_cutoff_hz, or log slower motion",
         armdyn_robot_description(u->robot)->joints[id->joint].friction.ripples[id->line].order, value, deviation);
  }
}

void armdyn_doubt(const struct armdyn_unknowns *unknowns, const struct armdyn_estimate *estimate,
                  const struct armdyn_judgement *judgement, struct armdyn_warnings *warnings)
{
  doubt_lines(unknowns, estimate, warnings);
  for (size_t j = 0; j < unknowns->n; j++) {
    const struct doubt d = { estimate, judgement, j, warnings };
    doubt_fit(&d);
    doubt_deviations(&d);
    doubt_link(&d);
    doubt_reach(&d);
  }
}
