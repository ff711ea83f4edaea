/* Runs of one joint at constant speed, found in motion that comes sample by sample. */
#ifndef LIB_IDENTIFY_CONSTANT_SPEED_H
#define LIB_IDENTIFY_CONSTANT_SPEED_H

#include "armdyn/friction_test.h"

/* Residual friction over the motor angle, averaged over runs, by the half of the runs that they are in. */
struct angle_profile {
  size_t bins;
  double first, width; /* motor rad: where bin 0 begins, and how wide one is */
  double *sum[2];      /* bins: weight times residual */
  double *weight[2];   /* bins */
};

/* One run. */
struct constant_run {
  double speed, torque; /* means */
  double seconds;
  double from, to; /* motor rad */
  int half;
};

struct joint_runs {
  size_t count, room;
  struct constant_run *list;
  struct angle_profile profile;
};

struct run_finder;

/* NULL: out of memory. */
struct run_finder *run_finder_new(const struct armdyn_robot *robot);
void run_finder_free(struct run_finder *finder);
/* Learn from all of the motion what is fast, before any of it is taken in. */
void run_finder_look(struct run_finder *finder, const struct armdyn_motion *motion);
/* Take in a motion that goes on where the last one ended. OK or EMEMORY. */
enum armdyn_status run_finder_add(struct run_finder *finder, const struct armdyn_motion *motion);
/* The last run ends here. OK or EMEMORY. */
enum armdyn_status run_finder_end(struct run_finder *finder);
const struct joint_runs *run_finder_joint(const struct run_finder *finder, size_t joint);

#endif
