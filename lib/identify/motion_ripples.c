#include "lib/identify/motion_ripples.h"

#include <math.h>

#include "lib/identify/ripple.h"

/* The motion is cut into so many parts, which take turns: lines are found in one half and judged by the other. */
enum { PARTS = 16 };

/* Where a joint hardly moves, dry friction is not known, and no turn is made: the part of its fastest. */
static const double SLOW = 0.05;

struct search {
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_source *source;
  double fastest[ARMDYN_JOINTS_MAX];
  struct angle_profile profiles[ARMDYN_JOINTS_MAX];
};

static void look(struct search *s, const struct armdyn_motion *motion)
{
  const size_t n = s->unknowns->n;
  for (size_t k = 0; k < motion->count * n; k++) s->fastest[k % n] = fmax(s->fastest[k % n], fabs(motion->qd[k]));
}

/* Torques as measured, for their filter would take fast lines away. */
static void add(struct search *s, const struct armdyn_motion *motion, size_t before, const double *predicted)
{
  const size_t n = s->unknowns->n, total = s->source->samples;
  for (size_t k = 0; k < motion->count; k++) {
    const int half = (int)((before + k) * PARTS / (total > 0 ? total : 1) % 2);
    for (size_t i = 0; i < n; i++) {
      const double ratio = armdyn_robot_description(s->unknowns->robot)->joints[i].drive.gear_ratio;
      const size_t at = k * n + i;
      if (fabs(motion->qd[at]) < SLOW * s->fastest[i]) continue;
      angle_profile_add(&s->profiles[i], half, ratio * motion->q[at], 1, motion->tau_raw[at] - predicted[at]);
    }
  }
}

static enum armdyn_status read_all(struct search *s, const double *beta, struct armdyn_error *error)
{
  const struct armdyn_source *source = s->source;
  enum armdyn_status status = ARMDYN_OK;
  for (int pass = 0; pass < 2; pass++) {
    size_t before = 0;
    for (size_t block = 0; block < source->blocks && !status; block++) {
      struct armdyn_motion motion;
      if ((status = source->read(source->context, block, &motion, error))) return status;
      if (pass == 0) {
        look(s, &motion);
        continue;
      }
      double *predicted = malloc((motion.count * s->unknowns->n + 1) * sizeof *predicted);
      status = predicted ? armdyn_predict(s->unknowns, beta, &motion, predicted) : ARMDYN_EMEMORY;
      if (!status) add(s, &motion, before, predicted);
      before += motion.count;
      free(predicted);
    }
  }
  return status;
}

static enum armdyn_status find(const struct search *s, size_t joint, struct armdyn_friction *ripples)
{
  struct armdyn_joint_friction found = { 0 };
  const enum armdyn_status status =
      ripples_find(&armdyn_robot_description(s->unknowns->robot)->joints[joint], &s->profiles[joint], &found);
  for (size_t k = 0; k < found.friction.ripple_count && ripples->ripple_count < ARMDYN_RIPPLES_MAX; k++) {
    ripples->ripples[ripples->ripple_count++] = found.friction.ripples[k];
  }
  return status;
}

enum armdyn_status motion_ripples_find(const struct armdyn_unknowns *unknowns, const double *beta,
                                       const struct armdyn_source *source, struct armdyn_friction *ripples,
                                       struct armdyn_error *error)
{
  struct search s = { .unknowns = unknowns, .source = source };
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < unknowns->n && !status; i++) {
    const struct armdyn_joint *joint = &armdyn_robot_description(unknowns->robot)->joints[i];
    if (!angle_profile_open(joint, &s.profiles[i])) status = ARMDYN_EMEMORY;
  }
  if (!status) status = read_all(&s, beta, error);
  for (size_t i = 0; i < unknowns->n && !status; i++) status = find(&s, i, &ripples[i]);
  for (size_t i = 0; i < unknowns->n; i++) angle_profile_close(&s.profiles[i]);
  return status;
}
