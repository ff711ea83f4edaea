/* How far an arm stays away from what stands around it, and from itself.
 *
 * A clearance is the smallest distance between two bodies, in m; of bodies that overlap it is minus the smallest move that
 * parts them. */
#ifndef ARMDYN_CLEARANCE_H
#define ARMDYN_CLEARANCE_H

#include <stdbool.h>

#include "armdyn/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ARMDYN_OBSTACLES_MAX = 4096, ARMDYN_CONVEX_POINTS_MAX = 64, ARMDYN_TOUCHES_MAX = 64 };

/* A body of a cell, in the cell's axes. */
struct armdyn_obstacle {
  char name[ARMDYN_NAME_SIZE]; /* unique in its cell */
  struct armdyn_shape shape;
};

/* What stands around an arm. */
struct armdyn_cell {
  struct armdyn_pose base; /* of the arm's base frame, in the cell's axes */
  size_t obstacle_count;
  const struct armdyn_obstacle *obstacles;
};

/* Is it one: shapes that are some, names that are there once? OK, EINPUT ("/bodies/2/box/size/0") or EMEMORY. */
enum armdyn_status armdyn_cell_check(const struct armdyn_cell *cell, struct armdyn_error *error);

/* Two bodies that may touch: names of joints (their links), "base", "tool", "payload", or of the cell's bodies. The cell has
 * the last word: a body of it named as a part of the robot is that body. */
struct armdyn_touch {
  char a[ARMDYN_NAME_SIZE], b[ARMDYN_NAME_SIZE];
  double from, to; /* s: while; -INFINITY, INFINITY: always */
  double depth;    /* m: at most so deep, and their distance counts as that much more; 0: they are not compared */
};

/* A robot in a cell, made ready. Immutable; any number of threads may use it at once, each with its own workspace. */
struct armdyn_scene;
struct armdyn_scene_workspace;

/*   robot    in   must outlive the scene
 *   cell     in   copied; NULL: nothing stands around it
 *   touches  in   touch_count
 * OK; EINPUT: a shape that is none, or a touch of what is not there ("/touches/0/bodies/1"); EMEMORY.
 * Bodies of neighbouring links are never compared, nor those of links whose joints all meet in one point (a wrist): the
 * model implies that they touch. Base and cell both stand still. O(m log m) for m bodies of the cell. */
enum armdyn_status armdyn_scene_new(const struct armdyn_robot *robot, const struct armdyn_cell *cell,
                                    const struct armdyn_touch *touches, size_t touch_count, struct armdyn_scene **scene,
                                    struct armdyn_error *error);
void armdyn_scene_free(struct armdyn_scene *scene);
/* How many bodies the robot has, and how many pairs of its own are compared. */
size_t armdyn_scene_body_count(const struct armdyn_scene *scene);
size_t armdyn_scene_pair_count(const struct armdyn_scene *scene);

struct armdyn_scene_workspace *armdyn_scene_workspace_new(const struct armdyn_scene *scene);
void armdyn_scene_workspace_free(struct armdyn_scene_workspace *workspace);

/* The smallest clearance, and where it is. Names live as long as the scene. */
struct armdyn_clearance {
  double distance; /* m, signed; INFINITY: there is nothing to compare, and the rest is zero. Of bodies that may touch,
                      * with the depth that they may have */
  const char *a, *b; /* between what: a part of the robot, and another or a body of the cell */
  double point_a[3]; /* on the surface of a, base frame */
  double point_b[3]; /* on that of b */
  double normal[3];  /* from b to a */
};

/* Clearance in a state.
 *   q         in   n
 *   out       out
 *   gradient  out  n: d distance / d q, m/rad (1 for a slide); NULL = not wanted. Where several pairs are equally near it is
 *                  that of the one that is told
 * No allocation, cannot fail. Some microseconds in a cell of 50 boxes; with m bodies O(log m) where they are apart.
 * Touches that are limited in time are no touches of a state. */
void armdyn_clearance(const struct armdyn_scene *scene, const double *q, struct armdyn_scene_workspace *workspace,
                      struct armdyn_clearance *out, double *gradient);

/* A motion as a controller plays it: from sample to sample along a line. */
struct armdyn_played_motion {
  size_t count;    /* samples, at least 1 */
  double period;   /* s between them, > 0 */
  const double *q; /* count x n */
  double begin;    /* s: when the first one is, by which touches that are limited in time are told */
};

struct armdyn_motion_clearance {
  double bound;               /* m: no clearance is smaller at any time, and one is at most `tolerance` larger */
  double time;                /* s of that one */
  struct armdyn_clearance at; /* without deviations; INFINITY as in a state */
  size_t states;              /* that were looked at */
};

/* The smallest clearance of a motion, between its samples too.
 *   motion     in
 *   deviation  in   n: how far each joint may be from the motion at any time, rad, m; NULL = not at all. Counted against the
 *                   clearance by how far it can move any point of the body
 *   tolerance  in   m, > 0
 *   out        out
 * Touches that are limited in time are allowed then, to a microsecond.
 * OK; EINPUT for numbers that are not finite or out of range, ECANCELLED when it would take more than 10 million states:
 * a tolerance that is too small for the motion; EMEMORY.
 * Source: bounds by the joints' reach as in conservative advancement (Mirtich 1996; Zhang, Lee & Manocha 2006). */
enum armdyn_status armdyn_motion_clearance(const struct armdyn_scene *scene, const struct armdyn_played_motion *motion,
                                           const double *deviation, double tolerance,
                                           struct armdyn_motion_clearance *out, struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
