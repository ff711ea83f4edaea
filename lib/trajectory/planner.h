/* What the parts of the planner of energy-optimal motions share: optimal.c (from the request to the last word),
 * optimal_request.c (what may be asked), guess.c (where to start), starts.c (which starts go on), ladder.c (from coarse meshes
 * to fine ones), rivals.c (what is cheap without a search), mesh.c (one solution), tighten.c (limits between knots),
 * shortest.c (the smallest feasible duration). */
#ifndef LIB_TRAJECTORY_PLANNER_H
#define LIB_TRAJECTORY_PLANNER_H

#include <stdint.h>

#include "lib/trajectory/check.h"
#include "lib/trajectory/interior_point.h"

/* Beyond a limit: still solved on a mesh; still an answer after the dense check. */
#define VIOLATION_FORGIVEN 1e-6
#define VIOLATION_MOST     1e-3
/* Excess on a coarse mesh that neither a finer one takes away, nor narrower friction, nor more time for this way. */
#define HOPELESS 0.05

/* Is the plain motion in the way of an obstacle, and is there a way past it? */
enum detour { DETOUR_UNKNOWN, DETOUR_NONE, DETOUR_NEEDED, DETOUR_NOT_FOUND };

/* A motion and what is known about it. Release with candidate_free. */
struct candidate {
  struct armdyn_trajectory trajectory; /* waypoint_times: start, waypoints, goal */
  struct interior_point_result solved;
  size_t intervals, row_count;
  double *multipliers;      /* of its rows, then of its passages, for its unit; NULL: none */
  double *backoff;          /* by how much bounds were tightened, */
  size_t backoff_intervals; /* and on which mesh; NULL: not at all */
  double unit;              /* 0: not solved yet */
  double price;
  bool curved; /* did it take the true curvature? */
  bool rough;  /* only solved well enough to start from */
  bool met; /* another start led to the same solution of the softest problem, and would lead to the same one of all */
  bool seeded; /* from a motion that was given, next to a solution (seed.c) */
  bool proved; /* to stay clear of the obstacles, and the planner's margins are its own */
};
void candidate_free(struct candidate *c);
/* Does it keep the limits at its knots? */
bool candidate_feasible(const struct candidate *c);
/* The same motion, as far as a coarse mesh tells? */
bool candidates_same(const struct candidate *a, const struct candidate *b);
/* The same solution of a problem, to what a start for another one is solved to? Its kinks are rounded alike. */
bool candidates_equal(const struct candidate *a, const struct candidate *b);

/* Minima without obstacles, the cheapest first. */
enum { BASINS_MAX = 8 };
struct basins {
  size_t count;
  struct candidate list[BASINS_MAX];
};

struct planner {
  const struct armdyn_robot *robot;
  struct armdyn_robot *blended; /* is solved for in its place; NULL: itself is */
  const struct armdyn_optimal_request *request;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  struct cost cost;
  struct end_state ends[2];
  bool free_duration;
  double duration_min, duration_max;
  /* Solve for this one, whose friction changes its sign more slowly, with torques that are limited for the friction around
   * the knots; NULL: for the robot, at them. */
  const struct armdyn_robot *softened;
  struct armdyn_workspace *workspace;
  enum armdyn_go (*go)(void *context);
  void *context;
  uint64_t random;
  struct armdyn_trajectory torque; /* the motion of least torque, in the duration that is given; nothing: not known */
  struct obstacles *obstacles;     /* NULL: none */
  enum detour detour;              /* past them */
  struct armdyn_trajectory way;    /* the first that was found; nothing: none */
  struct basins basins;
  struct basins softest; /* solutions of the problem with the roundest kinks, of starts so far */
  void *room;            /* of one mesh after the other: pages are touched for the first time once */
  size_t room_size;
  bool cut; /* a search ended by the caller, be it this or one for the smallest duration */
  struct planner_margins {
    struct armdyn_margin of[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
    double tool_usage, tool_time;     /* of the limit of the tool's speed; 0 where there is none */
    struct clearance_check clearance; /* where there are obstacles */
  } margin;
};

/* What is solved for. */
static inline const struct armdyn_robot *planner_model(const struct planner *p)
{
  return p->blended ? p->blended : p->robot;
}

/* A way past the obstacles: corners of a line in the joints. */
struct way {
  size_t count;
  double *q; /* count x n */
};
/* Look for one from a point to another: a tree of states grows from both ends until they meet (RRT-connect), and what is found
 * is drawn straight as far as it goes.
 *   times  in   when the points are passed; NAN: not known
 *   out    out  free its q; NULL: none was found in the time that a search may take
 * OK, ECANCELLED, EMEMORY. Source: Kuffner & LaValle 2000. */
enum armdyn_status way_find(struct planner *p, const double *from, const double *to, const double times[2],
                            struct way *out);

/* A motion past the obstacles, through all points; nothing in `out` where none is found. Release it.
 * OK, ECANCELLED, EMEMORY. */
enum armdyn_status route_past(struct planner *p, struct armdyn_trajectory *out);

/* Start (0), waypoint or goal; the time from one to another at the limits of speed, without a stop; a duration to begin with,
 * s. */
const double *planner_point(const struct planner *p, size_t k);
double planner_travel_time(const struct planner *p, const double *from, const double *to);
double planner_duration_guess(const struct planner *p);

/* The request's numbers, and what follows from them: cost, limits, ends, durations. EINPUT and EINFEASIBLE name the field. */
enum armdyn_status planner_judge(struct planner *p, struct armdyn_error *error);

/* The margins of a motion, densely; and how much of its worst limit what was checked uses. */
void planner_check(struct planner *p, const struct armdyn_trajectory *motion);
double planner_usage(const struct planner *p);

/* A problem to solve on a mesh; the planner's own, or one on the way to it. */
struct mesh_task {
  const struct armdyn_robot *robot;
  bool robust; /* as in struct transcription */
  const struct cost *cost;
  bool free_duration;
  bool find_duration; /* look for a duration to start from, rather than take the candidate's */
  size_t intervals;
  double mu;
  bool warm;   /* with the candidate's multipliers */
  bool rough;  /* only a start for another solution */
  bool nearby; /* the motion is next to a solution, or else nothing is wanted of it */
};

/* Solve, starting from the motion of `c`, and put the answer there.
 *   log  in/out  iterations are added; its log too */
enum armdyn_status mesh_solve(struct planner *p, const struct mesh_task *task, struct candidate *c,
                              struct armdyn_optimal_result *log);
/* Pairs that the candidate's motion brings nearer than that to what is asked for become bounds, the last ones. How many? */
size_t mesh_gather(struct planner *p, struct candidate *c, double within);
/* The bounds of the limits: how many, and for one its value at a limit. */
size_t mesh_bounds(const struct planner *p, struct bound *bounds);
double mesh_most(const struct planner *p, const struct bound *b);
bool mesh_ended(const struct candidate *c); /* by the caller */

/* Where the barrier starts: from cold, and from the solution of a softer problem. */
#define MU_COLD   1e-2
#define MU_SOFTER 1e-4
/* Kinks of the cost are rounded over parts of its mean, in the end over this one. */
#define KINKS_ROUNDED 3e-3

/* The planner's own problem on a mesh. */
struct mesh_task ladder_task(const struct planner *p, size_t intervals, double mu, bool warm);
/* The mesh to begin with, of those that lead to `intervals`. */
size_t ladder_foot(const struct planner *p, size_t intervals);
/* Solve on the coarse mesh from cold.
 *   find_duration  in  look for one to start from, rather than take the candidate's */
enum armdyn_status ladder_begin(struct planner *p, const struct cost *cost, bool find_duration, size_t intervals,
                                struct candidate *c, struct armdyn_optimal_result *log);
/* From the coarse solution to the mesh that is asked for; from cold again where the warm start does not lead to the end.
 *   rough  in  only well enough for `tighten`, which solves it again */
enum armdyn_status ladder_climb(struct planner *p, struct candidate *c, bool rough, struct armdyn_optimal_result *log);

/* Rough solutions of all starts: those asked for, and two motions that are known (the torque's and a classic profile). */
struct starts {
  size_t count;
  struct candidate list[ARMDYN_MINIMA_MAX + 2];
  struct armdyn_optimal_result *log; /* of every start */
};
enum armdyn_status starts_try(struct planner *p, struct starts *s, struct armdyn_optimal_result *result);
/* Finer meshes for every different minimum, or the cheapest where the cost has kinks and they take long; the best of
 * them is the first of the list afterwards. */
enum armdyn_status starts_finish(struct planner *p, struct starts *s, struct armdyn_optimal_result *result);
/* Keep the cost of a minimum, in order, unless it is known. */
void minima_add(struct armdyn_optimal_result *result, double cost);

/* p->basins, from random starts. OK, ECANCELLED, EMEMORY.
 *   log  in/out  iterations are added */
enum armdyn_status basins_find(struct planner *p, struct armdyn_optimal_result *log);
/* Does everything in it cost more than a motion that is known? */
bool basin_is_dearer(const struct candidate *basin, const struct candidate *known);
void basins_free(struct basins *basins);

/* Is the plain motion of all points in the way of something? p->detour. OK, EMEMORY. */
enum armdyn_status detour_judge(struct planner *p);

/* The motion of a start: the guess or the cubic through the points (0), or one that swings out from it at random; where
 * obstacles are in its way, mostly one that leads past them. */
enum armdyn_status guess_start(struct planner *p, size_t start, struct candidate *c);

/* The robot with dry friction that changes its sign over `width` of the largest speed of every joint in a motion, where
 * that is wider than its own.
 *   out      out  release with armdyn_robot_free; NULL where nothing differs */
#define SOFTEN_WIDEST   0.3
#define SOFTEN_NARROWER 0.25
enum armdyn_status robot_softened(const struct planner *p, const struct armdyn_trajectory *motion, double width,
                                  struct armdyn_robot **out, bool *differs);

/* The robot with directions of friction that blend at rest; NULL: it has none that differ. Release as above. */
enum armdyn_status robot_blended(const struct armdyn_robot *robot, struct armdyn_robot **out);

/* Motions in the place of another one. */
struct rivals {
  size_t count;
  struct rival {
    const char *name;
    struct armdyn_trajectory motion;
  } list[ARMDYN_PROFILE_COUNT + 2];
};
/* Classic profiles that keep the limits, and the motion of least torque and the one that was given as far as there are.
 *   times   in   waypoint_count + 2: when the points are passed; the last is the duration
 *   below   in   those two too, of the one that was given no dearer one; 0: not
 *   out     out  release with rivals_free */
enum armdyn_status rivals_plan(struct planner *p, const double *times, double below, struct rivals *out);
void rivals_free(struct rivals *rivals);
/* NULL: there are none. */
const struct rival *rivals_cheapest(struct planner *p, const struct rivals *rivals, double *cost);

/* Tighten limits at knots by what is exceeded between them and solve again, until nothing is. The planner's margins are
 * those of the answer. */
enum armdyn_status tighten(struct planner *p, struct candidate *c, struct armdyn_optimal_result *log);

/* Solve from the motion that was given alone, on the mesh that is asked for; nothing in `s` where that does not lead to an
 * optimum soon. */
enum armdyn_status seed_try(struct planner *p, struct starts *s, struct armdyn_optimal_result *result);

/* The smallest feasible duration, from a motion that is known; NAN: none.
 *   fastest  out  the motion of that duration; nothing where there is none, or nothing limits the speed. Release it */
enum armdyn_status shortest(struct planner *p, const struct candidate *from, double *duration,
                            struct candidate *fastest);

#endif
