/* "Check my code": which usual mistake makes somebody's torques differ from those of the model. */
#ifndef ARMDYN_DIAGNOSE_H
#define ARMDYN_DIAGNOSE_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ARMDYN_FINDINGS_MAX = 12, ARMDYN_MISTAKES_MAX = 40 };

/* What is known of usual mistakes: rows of a table in lib/dynamics/mistakes.c. A mistake is its row. */
size_t armdyn_mistake_count(void);
const char *armdyn_mistake_code(size_t mistake);   /* "gravity_sign" */
const char *armdyn_mistake_lesson(size_t mistake); /* a sentence on what is wrong and where to look */

/* One mistake, or two at once, and what they leave unexplained. */
struct armdyn_finding {
  size_t mistake_count; /* 1, 2 */
  size_t mistakes[2];
  double error;                          /* relative, as in struct armdyn_diagnosis */
  double joint_error[ARMDYN_JOINTS_MAX]; /* of each joint */
  bool reordered;
  size_t order[ARMDYN_JOINTS_MAX]; /* when reordered: column i holds the model's joint order[i] */
  bool explains;                   /* within the tolerance, and clearly better than all others */
  bool ambiguous;                  /* the samples do not tell it from the best one */
};

struct armdyn_diagnosis {
  bool agrees;                           /* error <= tolerance as given */
  double error;                          /* root mean square of joint_error */
  double joint_error[ARMDYN_JOINTS_MAX]; /* as given: rms of the difference over rms of the torques given */
  size_t finding_count;
  struct armdyn_finding findings[ARMDYN_FINDINGS_MAX]; /* least error first; empty when they agree */
  size_t unseen_count;
  size_t unseen[ARMDYN_MISTAKES_MAX]; /* mistakes that change no torque of these samples */
};

/* Try every mistake on the model and, when none explains the torques, every two of them.
 *   samples    in   q, qd, qdd, tau; frictionless: the torques are meant to be without friction; no wrench
 *   tolerance  in   relative error that is agreement, > 0
 *   diagnosis  out
 * A mistake explains when its error is within the tolerance and no other is within three times it (or 1e-9).
 * OK or EMEMORY. O(count n mistakes^2), allocates. */
enum armdyn_status armdyn_diagnose(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                   double tolerance, struct armdyn_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif
#endif
