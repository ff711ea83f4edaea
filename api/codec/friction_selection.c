#include "api/codec/friction_selection.h"

#include <math.h>

static const struct {
  unsigned term;
  const char *name;
} directed_terms[] = { { ARMDYN_IDENTIFY_COULOMB_DIRECTED, "coulomb asymmetric" },
                       { ARMDYN_IDENTIFY_VISCOUS_DIRECTED, "viscous asymmetric" } };

/* What a trial was of. */
static const char *trial_name(unsigned term)
{
  for (size_t k = 0; k < sizeof directed_terms / sizeof *directed_terms; k++)
    if (directed_terms[k].term == term) return directed_terms[k].name;
  for (unsigned k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++)
    if (term == 1u << k) return armdyn_friction_term_name((enum armdyn_friction_term)k);
  return "velocity_scale";
}

void friction_selection_encode(struct json_writer *w, const struct armdyn_robot_description *robot,
                               const struct armdyn_friction_choice *choices)
{
  json_key(w, "friction_selection"), json_begin_array(w);
  for (size_t j = 0; j < robot->joint_count; j++) {
    const struct armdyn_friction_choice *choice = &choices[j];
    json_begin_object(w);
    json_key(w, "joint"), json_write_text(w, robot->joints[j].name);
    json_key(w, "without_percent"), json_write_number(w, 100 * choice->without);
    json_key(w, "relative_percent"), json_write_number(w, 100 * choice->error);
    json_key(w, "trials"), json_begin_array(w);
    for (size_t k = 0; k < choice->trial_count; k++) {
      const struct armdyn_friction_trial *trial = &choice->trials[k];
      json_begin_object(w);
      json_key(w, "term"), json_write_text(w, trial_name(trial->term));
      json_key(w, "relative_percent"), json_write_number(w, 100 * trial->error);
      json_key(w, "gain"), json_write_number(w, trial->gain);
      if (!isnan(trial->velocity)) json_key(w, "velocity"), json_write_number(w, trial->velocity);
      if (!isnan(trial->exponent)) json_key(w, "exponent"), json_write_number(w, trial->exponent);
      json_key(w, "kept"), json_write_truth(w, trial->kept);
      json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
  }
  json_end_array(w);
}
