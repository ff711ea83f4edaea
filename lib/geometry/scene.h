/* A robot's bodies, the pairs of them that are compared, and the cell's bodies in a tree of boxes. */
#ifndef LIB_GEOMETRY_SCENE_H
#define LIB_GEOMETRY_SCENE_H

#include "armdyn/clearance.h"
#include "lib/geometry/convex.h"
#include "lib/model/compiled.h"

struct moving_body {
  int part, link;     /* of the description; the link that carries it, -1: the base */
  struct convex body; /* in the canonical frame of the link */
  const char *name;
};

struct self_pair {
  size_t a, b; /* bodies, a on the earlier link */
};

struct standing_body {
  struct convex body; /* in the base frame */
  char name[ARMDYN_NAME_SIZE];
};

/* Of the boxes' tree. A leaf holds one body: its children are none. */
struct box_node {
  double lower[3], upper[3];
  size_t body, left, right; /* left 0: a leaf */
};

/* A touch, found. Parts as in the description; a body of the cell is obstacle + 1, 0: b is a part. */
struct known_touch {
  int part_a, part_b;
  size_t obstacle;
  double from, to, allowance;
};

struct armdyn_scene {
  const struct armdyn_robot *robot;
  size_t body_count, pair_count, standing_count, open_count, node_count, touch_count;
  struct moving_body bodies[ARMDYN_BODIES_MAX];
  struct self_pair pairs[ARMDYN_BODIES_MAX * (ARMDYN_BODIES_MAX - 1) / 2];
  struct known_touch touches[ARMDYN_TOUCHES_MAX];
  struct standing_body *standing; /* those without an end, half-spaces, first: open_count */
  struct box_node *nodes;         /* [0] is the root of the others */
  double *points;                 /* of hulls */
};

struct placed_body {
  struct convex body; /* in the base frame */
  double lower[3], upper[3];
};

struct armdyn_scene_workspace {
  struct pose joint[ARMDYN_JOINTS_MAX], link[ARMDYN_JOINTS_MAX]; /* in the parent's frame, and in the base frame */
  struct placed_body placed[ARMDYN_BODIES_MAX];
};

/* Bodies at q into the workspace. */
void scene_place(const struct armdyn_scene *scene, const double *q, struct armdyn_scene_workspace *workspace);

/* By how much more the distance of these counts at this time, as they may touch: 0; INFINITY: they are not compared. NAN: by
 * the touches that hold always. */
double touch_allowance(const struct armdyn_scene *scene, size_t body, size_t obstacle, double time);
double pair_allowance(const struct armdyn_scene *scene, const struct self_pair *pair, double time);

/* Distance of a placed body from the cell, allowances counted, exact where it is below `cutoff`, else at least that.
 *   obstacle  out  the nearest one, where it is below */
double distance_to_cell(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace, size_t body,
                        double time, double cutoff, size_t *obstacle);
double distance_of_pair(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace,
                        const struct self_pair *pair, double time, double cutoff);

/* What a comparison is between: an obstacle, or, NO_OBSTACLE, another body. */
#define NO_OBSTACLE ((size_t)-1)
struct body_pair {
  size_t a, b, obstacle;
};
double body_pair_allowance(const struct armdyn_scene *scene, const struct body_pair *pair, double time);
/* Signed distance of placed bodies, and, unless NULL, d distance / d q (n). */
double body_pair_distance(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace,
                          const struct body_pair *pair, double *gradient);
/* Every pair of placed bodies that is nearer than `within`, its allowance at this time counted. */
void scene_near(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace, double time,
                double within, void (*found)(void *context, const struct body_pair *pair, double distance),
                void *context);

/* How far the points of a body are at most from the axes of the joints from `first` on that carry it; 1 of slides, 0 of
 * other joints.
 *   slid  in  n: how far slides go out */
void body_reach(const struct armdyn_scene *scene, size_t body, int first, const double *slid, double *reach);
/* The same of a pair: by how much its distance changes at most. */
void body_pair_reach(const struct armdyn_scene *scene, const struct body_pair *pair, const double *slid, double *reach);

void clearance_tell(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace, size_t a,
                    size_t b, size_t obstacle, struct armdyn_clearance *out);

#endif
