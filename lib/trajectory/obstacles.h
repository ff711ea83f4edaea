/* What a motion is to stay clear of: pairs of bodies that come near each other on the way, and by how much they are to stay
 * apart. The set of pairs grows while starts and answers are looked at; a pair keeps its place in it. */
#ifndef LIB_TRAJECTORY_OBSTACLES_H
#define LIB_TRAJECTORY_OBSTACLES_H

#include "armdyn/trajectory.h"
#include "lib/geometry/scene.h"

/* m: a clearance this much too small counts as a whole limit exceeded. */
#define CLEARANCE_UNIT 0.1
enum { PAIRS_MAX = 96 };

struct near_pair {
  struct body_pair bodies;
  double margin; /* m */
};

struct obstacles {
  const struct armdyn_scene *scene;
  const struct armdyn_surroundings *surroundings;
  struct armdyn_scene_workspace *workspace;
  double slid[ARMDYN_JOINTS_MAX]; /* how far slides may go out */
  double widest;                  /* m: no pair is kept farther apart */
  size_t count;
  struct near_pair *list; /* room for PAIRS_MAX */
};

/* What a motion came to. */
struct clearance_check {
  struct armdyn_motion_clearance found;
  double missing; /* m: of what is asked for; <= 0: nothing */
};

/*   limits  in  n: of the positions, and how far slides go
 * OK, EMEMORY. Release with obstacles_free. */
enum armdyn_status obstacles_new(const struct armdyn_robot *robot, const struct armdyn_surroundings *surroundings,
                                 const struct armdyn_limits *limits, struct obstacles **out);
void obstacles_free(struct obstacles *obstacles);

/* How far the bodies of a pair are to stay apart, the spare of the solver included. */
double obstacles_margin(const struct obstacles *o, const struct body_pair *pair);
/* A state at a time: the pair that is nearest to what it must not come nearer than, and by how much it does (negative: it stays
 * away by that). */
double obstacles_excess(const struct obstacles *o, const double *q, double time, struct body_pair *worst);
/* The same where it is positive, else 0: soon told. */
double obstacles_depth(const struct obstacles *o, const double *q, double time);
/* OK, or EINFEASIBLE at `where`, naming what is too near. */
enum armdyn_status obstacles_judge_state(const struct obstacles *o, const double *q, double time, const char *where,
                                         struct armdyn_error *error);
/* What the names are. */
const char *obstacles_part(const struct obstacles *o, const struct body_pair *pair);
const char *obstacles_other(const struct obstacles *o, const struct body_pair *pair);

/* Add the pairs that a motion brings nearer than that to what is asked for, the nearest first as far as there is room. How
 * many are new? */
size_t obstacles_gather(struct obstacles *o, const struct armdyn_trajectory *motion, double within);
/* As a controller plays it, proved. OK, EMEMORY. */
enum armdyn_status obstacles_check(const struct obstacles *o, const struct armdyn_trajectory *motion,
                                   struct clearance_check *out);
/* The largest excess at some states of a motion, m. */
double obstacles_deepest(const struct obstacles *o, const struct armdyn_trajectory *motion);
/* Keep the pairs of a check farther apart by what is missing. */
void obstacles_widen(struct obstacles *o, const struct clearance_check *check);

#endif
