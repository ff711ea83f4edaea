/* What a request for an identification asks of the arm, found in training data wherever they come from: which terms of friction
 * each joint has, then the parameters. */
#ifndef SERVER_WORK_ARM_ESTIMATE_H
#define SERVER_WORK_ARM_ESTIMATE_H

#include "api/codec/identification.h"
#include "armdyn/closed_loop.h"

/* Training data, and what is told of the work; what needs no telling is NULL. */
struct arm_order {
  const struct identification_request *request;
  const struct armdyn_robot *given;        /* without friction that is held */
  const bool *held;                        /* n: joints whose friction is held */
  const struct armdyn_source *source;      /* without that friction */
  const struct armdyn_known_loop *loop;    /* that the data were logged in; NULL: not known, and not ARMDYN_DIDIM */
  const struct armdyn_source *instruments; /* of ARMDYN_IV without a loop */
  bool lack_of_fit;                        /* as of struct armdyn_estimation */
  void (*trying)(void *context, size_t trial, size_t trials);   /* a term of friction */
  void (*refining)(void *context, size_t round, size_t rounds); /* Stribeck velocities */
  bool (*cancelled)(void *context);
  void *context;
};

/* Zeroed at first; released in any case. */
struct arm_estimate {
  const struct armdyn_robot *robot;  /* with the friction that is identified: own, or the given one */
  struct armdyn_robot *own;          /* NULL: nothing was chosen */
  struct armdyn_robot *loads;        /* where friction may depend on them; NULL: it does not */
  unsigned terms[ARMDYN_JOINTS_MAX]; /* of friction, for each joint */
  bool chosen;                       /* are there choices? */
  struct armdyn_friction_choice choices[ARMDYN_JOINTS_MAX];
  struct armdyn_stribeck stribeck; /* what is known of the velocities that were searched for */
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
  struct armdyn_estimate in_loop;        /* with a loop, unless the estimate is it: of ARMDYN_DIDIM */
  struct armdyn_closed_loop closed_loop; /* with a loop */
};

/* Choose the friction, if the request leaves that open, or search for what is not linear in the terms that it names: robot
 * and unknowns. OK, the refusals of armdyn_choose_friction, or EMEMORY. */
enum armdyn_status arm_unknowns(const struct arm_order *order, struct arm_estimate *arm, struct armdyn_error *error);
/* Then the estimate. OK, the refusals of armdyn_identify_source, or EMEMORY. */
enum armdyn_status arm_estimate(const struct arm_order *order, struct arm_estimate *arm, struct armdyn_error *error);
/* With a loop: what moves in it. */
const struct armdyn_estimate *arm_in_loop(const struct arm_estimate *arm);
void arm_estimate_release(struct arm_estimate *arm);

#endif
