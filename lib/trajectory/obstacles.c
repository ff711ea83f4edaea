/* The pairs of bodies that a motion must keep apart, and whether it does. */
#include "lib/trajectory/obstacles.h"

#include <math.h>
#include <stdlib.h>

/* m: kept beyond what is asked for, since a proof needs some room; nearer than NEAR is told. */
static const double SPARE = 3e-4, TOLERANCE = 1e-4, NEAR = 0.12;
static const double WIDER = 1.5; /* times what is missing */
/* Slides without an end go as far as this beyond nothing [m]. */
static const double SLID_MOST = 10;
enum { LOOKS_A_PIECE = 2, LOOKS_LEAST = 64 };

static double widest_margin(const struct obstacles *o)
{
  double most = 0;
  for (size_t i = 0; i < o->scene->body_count; i++) {
    const struct body_pair pair = { i, i, 0 };
    if (o->scene->bodies[i].link >= 0) most = fmax(most, obstacles_margin(o, &pair));
  }
  return most;
}

enum armdyn_status obstacles_new(const struct armdyn_robot *robot, const struct armdyn_surroundings *surroundings,
                                 const struct armdyn_limits *limits, struct obstacles **out)
{
  struct obstacles *o = calloc(1, sizeof *o);
  *out = o;
  if (!o) return ARMDYN_EMEMORY;
  o->scene = surroundings->scene;
  o->surroundings = surroundings;
  for (size_t j = 0; j < armdyn_robot_joint_count(robot); j++) {
    const double most = fmax(fabs(limits[j].position[0]), fabs(limits[j].position[1]));
    o->slid[j] = isfinite(most) ? most : SLID_MOST;
  }
  o->widest = widest_margin(o);
  o->workspace = armdyn_scene_workspace_new(o->scene);
  o->list = calloc(PAIRS_MAX, sizeof *o->list);
  return o->workspace && o->list ? ARMDYN_OK : ARMDYN_EMEMORY;
}

void obstacles_free(struct obstacles *o)
{
  if (!o) return;
  armdyn_scene_workspace_free(o->workspace);
  free(o->list);
  free(o);
}

static size_t joints_of(const struct obstacles *o)
{
  return o->scene->robot->joint_count;
}

double obstacles_margin(const struct obstacles *o, const struct body_pair *pair)
{
  double margin = o->surroundings->clearance + SPARE, reach[ARMDYN_JOINTS_MAX];
  if (!o->surroundings->deviation) return margin;
  body_pair_reach(o->scene, pair, o->slid, reach);
  for (size_t j = 0; j < joints_of(o); j++) margin += reach[j] * o->surroundings->deviation[j];
  return margin;
}

const char *obstacles_part(const struct obstacles *o, const struct body_pair *pair)
{
  return o->scene->bodies[pair->a].name;
}

const char *obstacles_other(const struct obstacles *o, const struct body_pair *pair)
{
  return pair->obstacle == NO_OBSTACLE ? o->scene->bodies[pair->b].name : o->scene->standing[pair->obstacle].name;
}

/* -- one state -- */

struct worst {
  const struct obstacles *o;
  struct body_pair *pair;
  double excess;
};

static void keep_worst(void *context, const struct body_pair *pair, double distance)
{
  struct worst *w = context;
  const double excess = obstacles_margin(w->o, pair) - distance;
  if (excess <= w->excess) return;
  w->excess = excess;
  if (w->pair) *w->pair = *pair;
}

double obstacles_excess(const struct obstacles *o, const double *q, double time, struct body_pair *worst)
{
  struct worst w = { o, worst, -NEAR };
  scene_place(o->scene, q, o->workspace);
  scene_near(o->scene, o->workspace, time, NEAR + o->widest, keep_worst, &w);
  return w.excess;
}

double obstacles_depth(const struct obstacles *o, const double *q, double time)
{
  struct worst w = { o, NULL, 0 };
  scene_place(o->scene, q, o->workspace);
  scene_near(o->scene, o->workspace, time, o->widest, keep_worst, &w);
  return w.excess;
}

enum armdyn_status obstacles_judge_state(const struct obstacles *o, const double *q, double time, const char *where,
                                         struct armdyn_error *error)
{
  struct body_pair pair = { 0 };
  const double excess = obstacles_excess(o, q, time, &pair);
  if (excess <= 0) return ARMDYN_OK;
  const double margin = obstacles_margin(o, &pair);
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, where,
                       "is blocked by %s: the clearance of %s from it is %.4f m there, at least %.4f m are needed",
                       obstacles_other(o, &pair), obstacles_part(o, &pair), margin - excess, margin);
}

/* Tell of every pair that is nearer than `within` at some states of a motion. */
static void look_along(const struct obstacles *o, const struct armdyn_trajectory *motion, size_t looks, double within,
                       void (*keep)(void *context, const struct body_pair *pair, double distance), void *context)
{
  const double T = armdyn_trajectory_duration(motion);
  double q[ARMDYN_JOINTS_MAX];
  for (size_t i = 0; i <= looks; i++) {
    const double time = T * (double)i / (double)looks;
    armdyn_trajectory_state(motion, time, q, NULL, NULL, NULL);
    scene_place(o->scene, q, o->workspace);
    scene_near(o->scene, o->workspace, time, within, keep, context);
  }
}

double obstacles_deepest(const struct obstacles *o, const struct armdyn_trajectory *motion)
{
  const size_t looks = 2 * LOOKS_A_PIECE * motion->piece_count + LOOKS_LEAST;
  struct worst w = { o, NULL, -INFINITY };
  look_along(o, motion, looks, o->widest, keep_worst, &w);
  return w.excess;
}

/* -- the set of pairs -- */

/* The smallest distance of every pair of the scene: those with the cell first, then those of two bodies. */
struct table {
  const struct armdyn_scene *scene;
  double *nearest;
};

static size_t table_place(const struct armdyn_scene *scene, const struct body_pair *pair)
{
  const size_t cell = scene->body_count * scene->standing_count;
  return pair->obstacle == NO_OBSTACLE ? cell + pair->a * scene->body_count + pair->b
                                       : pair->a * scene->standing_count + pair->obstacle;
}

static struct body_pair table_pair(const struct armdyn_scene *scene, size_t place)
{
  const size_t cell = scene->body_count * scene->standing_count, own = place - cell;
  if (place >= cell) return (struct body_pair){ own / scene->body_count, own % scene->body_count, NO_OBSTACLE };
  const size_t body = place / scene->standing_count;
  return (struct body_pair){ body, body, place % scene->standing_count };
}

static void keep_nearest(void *context, const struct body_pair *pair, double distance)
{
  const struct table *table = context;
  double *nearest = &table->nearest[table_place(table->scene, pair)];
  *nearest = fmin(*nearest, distance);
}

static bool is_known(const struct obstacles *o, const struct body_pair *pair)
{
  for (size_t i = 0; i < o->count; i++)
    if (table_place(o->scene, &o->list[i].bodies) == table_place(o->scene, pair)) return true;
  return false;
}

/* Take the nearest pair that is not known. false: there is none, or no room. */
static bool take_one(struct obstacles *o, const struct table *table, size_t places)
{
  size_t best = places;
  for (size_t i = 0; i < places; i++)
    if (table->nearest[i] < INFINITY && (best == places || table->nearest[i] < table->nearest[best])) best = i;
  if (best == places || o->count == PAIRS_MAX) return false;
  const struct body_pair pair = table_pair(o->scene, best);
  table->nearest[best] = INFINITY;
  if (is_known(o, &pair)) return take_one(o, table, places);
  o->list[o->count++] = (struct near_pair){ pair, obstacles_margin(o, &pair) };
  return true;
}

size_t obstacles_gather(struct obstacles *o, const struct armdyn_trajectory *motion, double within)
{
  const size_t places = o->scene->body_count * (o->scene->standing_count + o->scene->body_count);
  const size_t looks = LOOKS_A_PIECE * motion->piece_count + LOOKS_LEAST, before = o->count;
  struct table table = { o->scene, malloc((places + 1) * sizeof *table.nearest) };
  if (!table.nearest) return 0;
  for (size_t i = 0; i < places; i++) table.nearest[i] = INFINITY;
  look_along(o, motion, looks, within + o->widest, keep_nearest, &table);
  while (take_one(o, &table, places)) continue;
  free(table.nearest);
  return o->count - before;
}

/* -- the proof -- */

enum armdyn_status obstacles_check(const struct obstacles *o, const struct armdyn_trajectory *motion,
                                   struct clearance_check *out)
{
  const double rate = o->surroundings->sample_rate;
  const size_t n = joints_of(o), count = armdyn_sample_count(motion, rate);
  double *q = malloc((count * n + 1) * sizeof *q);
  *out = (struct clearance_check){ .found.at = { .a = "the arm", .b = "its surroundings" }, .missing = INFINITY };
  if (!q) return ARMDYN_EMEMORY; /* nothing is proved */
  for (size_t k = 0; k < count; k++)
    armdyn_trajectory_state(motion, armdyn_sample_time(motion, rate, k), q + k * n, NULL, NULL, NULL);
  const struct armdyn_played_motion played = { .count = count, .period = 1 / rate, .q = q };
  const enum armdyn_status status =
      armdyn_motion_clearance(o->scene, &played, o->surroundings->deviation, TOLERANCE, &out->found, NULL);
  free(q);
  out->missing = status ? INFINITY : o->surroundings->clearance - out->found.bound + 1e-9;
  return status == ARMDYN_EMEMORY ? status : ARMDYN_OK;
}

void obstacles_widen(struct obstacles *o, const struct clearance_check *check)
{
  for (size_t i = 0; i < o->count; i++) {
    struct near_pair *pair = &o->list[i];
    if (obstacles_part(o, &pair->bodies) == check->found.at.a && obstacles_other(o, &pair->bodies) == check->found.at.b)
      pair->margin += WIDER * fmax(check->missing, 0);
  }
}
