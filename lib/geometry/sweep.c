/* The smallest clearance of a motion, proved between its samples.
 *
 * While the joints move from q to q', a point that they carry moves by at most sum_j R_j |q'_j - q_j|, R_j how far it can be
 * from joint j's axis (1 for a slide). So the clearance in the middle of an interval, less that sum with q' anywhere in the
 * hull of the motion there, bounds the whole interval. Intervals whose bound is below what is known to be reached are
 * halved, for each body by itself. They form a binary tree over the segments between samples, node 1 above all, nodes 2 i
 * and 2 i + 1 below node i; within a segment halving goes on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/geometry/scene.h"

enum { DEPTH_MAX = 96, FIRST_LOOKS = 64, STATES_MAX = 10000000 };

static const double window_edge = 1e-6; /* s: shorter intervals are on one side of a window's end */

/* What is compared along the motion: a body with the cell, or two bodies. */
struct comparison {
  const struct self_pair *pair;    /* NULL: with the cell */
  size_t body;                     /* that moves, as seen from the other */
  double reach[ARMDYN_JOINTS_MAX]; /* R_j; 0 of joints that move both, or neither */
  double widened;                  /* m: what deviations may cost */
};

struct interval {
  size_t node;         /* of the tree */
  double from, to;     /* within a node of one segment: the part of it */
  size_t first, count; /* comparisons that are not decided, in the list of them */
  int depth;
};

struct sweep {
  const struct armdyn_scene *scene;
  const struct armdyn_played_motion *motion;
  struct armdyn_scene_workspace *workspace;
  size_t joints, segments, leaves, comparison_count;
  double *lower, *upper; /* hulls: 2 leaves x joints */
  struct comparison *comparisons;
  unsigned short *undecided; /* lists of the intervals on the way down: (DEPTH_MAX + 1) x comparison_count */
  double tolerance, known, bound;
  size_t states;
  double time; /* where `known` is */
  const struct comparison *nearest;
  size_t obstacle;
};

static void comparisons_fill(struct sweep *s, const double *deviation, const double *slid)
{
  const struct armdyn_scene *scene = s->scene;
  for (size_t i = 0; i < scene->body_count; i++)
    if (scene->bodies[i].link >= 0 && scene->standing_count) s->comparisons[s->comparison_count++].body = i;
  for (size_t i = 0; i < scene->pair_count; i++) {
    s->comparisons[s->comparison_count].pair = &scene->pairs[i];
    s->comparisons[s->comparison_count++].body = scene->pairs[i].b;
  }
  for (size_t i = 0; i < s->comparison_count; i++) {
    struct comparison *c = &s->comparisons[i];
    body_reach(scene, c->body, c->pair ? scene->bodies[c->pair->a].link + 1 : 0, slid, c->reach);
    for (size_t j = 0; j < s->joints && deviation; j++) c->widened += c->reach[j] * deviation[j];
  }
}

/* -- the motion -- */

static void hulls_fill(struct sweep *s)
{
  const size_t n = s->joints;
  for (size_t i = 2 * s->leaves; i-- > 1;) {
    for (size_t j = 0; j < n; j++) {
      double low = INFINITY, high = -INFINITY;
      if (i >= s->leaves) {
        const size_t a = i - s->leaves, b = a + 1 < s->motion->count ? a + 1 : a;
        if (a < s->segments) {
          low = fmin(s->motion->q[a * n + j], s->motion->q[b * n + j]);
          high = fmax(s->motion->q[a * n + j], s->motion->q[b * n + j]);
        }
      } else {
        low = fmin(s->lower[2 * i * n + j], s->lower[(2 * i + 1) * n + j]);
        high = fmax(s->upper[2 * i * n + j], s->upper[(2 * i + 1) * n + j]);
      }
      s->lower[i * n + j] = low, s->upper[i * n + j] = high;
    }
  }
}

/* Segments [*first, *last) of a node. */
static void segments_of(const struct sweep *s, size_t node, size_t *first, size_t *last)
{
  size_t low = node, high = node + 1;
  while (low < s->leaves) low *= 2, high *= 2;
  *first = low - s->leaves;
  *last = high - s->leaves < s->segments ? high - s->leaves : s->segments;
}

static void position_at(const struct sweep *s, size_t segment, double part, double *q)
{
  const double *a = s->motion->q + segment * s->joints;
  const double *b = segment + 1 < s->motion->count ? a + s->joints : a;
  for (size_t j = 0; j < s->joints; j++) q[j] = a[j] + part * (b[j] - a[j]);
}

/* The middle of an interval, how far the joints get from it, and its times. */
struct middle {
  double q[ARMDYN_JOINTS_MAX], apart[ARMDYN_JOINTS_MAX];
  double time, begin, end;
};

static void middle_of(const struct sweep *s, const struct interval *at, struct middle *m)
{
  size_t first, last;
  segments_of(s, at->node, &first, &last);
  const double *lower = s->lower + at->node * s->joints, *upper = s->upper + at->node * s->joints;
  const bool single = at->node >= s->leaves;
  const size_t segment = single ? first : (first + last) / 2;
  const double part = single ? (at->from + at->to) / 2 : 0;
  position_at(s, segment, part, m->q);
  for (size_t j = 0; j < s->joints; j++)
    m->apart[j] =
        single ? (upper[j] - lower[j]) * (at->to - at->from) / 2 : fmax(upper[j] - m->q[j], m->q[j] - lower[j]);
  const double begin = s->motion->begin, period = s->motion->period;
  m->time = begin + ((double)segment + part) * period;
  m->begin = begin + ((double)first + (single ? at->from : 0)) * period;
  m->end = begin + (single ? (double)first + at->to : (double)last) * period;
}

/* -- the search -- */

/* Does the end of a window in which this comparison is allowed lie within the interval? */
static bool window_ends_within(const struct sweep *s, const struct comparison *c, const struct middle *m)
{
  if (m->end - m->begin <= window_edge) return false;
  for (size_t i = 0; i < s->scene->touch_count; i++) {
    const struct known_touch *touch = &s->scene->touches[i];
    const int part = s->scene->bodies[c->body].part;
    const bool concerns = !touch->obstacle == !!c->pair && (touch->part_a == part || touch->part_b == part);
    const bool from = touch->from > m->begin && touch->from<m->end, to = touch->to> m->begin && touch->to < m->end;
    if (concerns && (from || to)) return true;
  }
  return false;
}

/* One comparison in the middle of an interval. true: decided for all of the interval. */
static bool decide(struct sweep *s, const struct comparison *c, const struct middle *m)
{
  double margin = c->widened;
  size_t obstacle = NO_OBSTACLE;
  for (size_t j = 0; j < s->joints; j++) margin += c->reach[j] * m->apart[j];
  const double cutoff = s->known + margin;
  const double distance = c->pair ? distance_of_pair(s->scene, s->workspace, c->pair, m->time, cutoff)
                                  : distance_to_cell(s->scene, s->workspace, c->body, m->time, cutoff, &obstacle);
  if (distance < cutoff &&
      distance - c->widened < s->known) { /* at the cutoff nothing was found, whatever rounding says */
    s->known = distance - c->widened, s->time = m->time;
    s->nearest = c, s->obstacle = obstacle;
  }
  if (window_ends_within(s, c, m) || distance - margin < s->known - s->tolerance) return false;
  s->bound = fmin(s->bound, distance - margin);
  return true;
}

/* The halves of an interval, with what is left to decide. Answers how many. */
static size_t halve(const struct sweep *s, const struct interval *at, struct interval out[2])
{
  size_t count = 0;
  for (size_t half = 0; half < 2; half++) {
    struct interval *part = &out[count];
    *part = *at;
    part->depth++;
    if (at->node < s->leaves) {
      part->node = 2 * at->node + half, part->from = 0, part->to = 1;
      count += s->upper[part->node * s->joints] >= s->lower[part->node * s->joints]; /* else it is empty */
      continue;
    }
    const double middle = (at->from + at->to) / 2;
    if (half)
      part->from = middle;
    else
      part->to = middle;
    count++;
  }
  return count;
}

static void look(struct sweep *s, const struct middle *m)
{
  scene_place(s->scene, m->q, s->workspace);
  s->states++;
}

static enum armdyn_status search(struct sweep *s)
{
  struct interval stack[DEPTH_MAX + 2] = { { .node = 1, .to = 1, .count = s->comparison_count } };
  size_t waiting = 1;
  for (size_t i = 0; i < s->comparison_count; i++) s->undecided[i] = (unsigned short)i;
  while (waiting) {
    const struct interval at = stack[--waiting];
    struct middle m;
    middle_of(s, &at, &m);
    look(s, &m);
    size_t left = 0;
    unsigned short *list = s->undecided + at.first, *below = list + at.count;
    for (size_t i = 0; i < at.count; i++)
      if (!decide(s, &s->comparisons[list[i]], &m)) below[left++] = list[i];
    if (!left) continue;
    if (s->states >= STATES_MAX || at.depth == DEPTH_MAX) return ARMDYN_ECANCELLED;
    struct interval halves[2];
    const size_t count = halve(s, &at, halves);
    for (size_t i = 0; i < count; i++) {
      halves[i].first = at.first + at.count, halves[i].count = left;
      stack[waiting++] = halves[i];
    }
  }
  return ARMDYN_OK;
}

/* Some states first: the sooner something near is known, the more is decided at once. */
static void first_looks(struct sweep *s)
{
  for (size_t i = 0; i <= FIRST_LOOKS; i++) {
    struct middle m = { .time = 0 };
    const size_t sample = i * (s->motion->count - 1) / FIRST_LOOKS;
    position_at(s, sample, 0, m.q);
    m.time = m.begin = m.end = s->motion->begin + (double)sample * s->motion->period;
    const double bound = s->bound;
    look(s, &m);
    for (size_t k = 0; k < s->comparison_count; k++) decide(s, &s->comparisons[k], &m);
    s->bound = bound; /* nothing is decided but these states */
  }
}

static void tell(struct sweep *s, struct armdyn_motion_clearance *out)
{
  memset(out, 0, sizeof *out);
  out->bound = out->at.distance = INFINITY;
  out->states = s->states;
  if (!s->nearest) return;
  const double place = (s->time - s->motion->begin) / s->motion->period;
  size_t segment = (size_t)place;
  if (segment >= s->segments) segment = s->segments - 1;
  double q[ARMDYN_JOINTS_MAX];
  position_at(s, segment, place - (double)segment, q);
  scene_place(s->scene, q, s->workspace);
  const struct comparison *c = s->nearest;
  clearance_tell(s->scene, s->workspace, c->pair ? c->pair->a : c->body, c->body, c->pair ? NO_OBSTACLE : s->obstacle,
                 &out->at);
  out->at.distance = s->known + c->widened;
  out->bound = fmin(s->bound, s->known);
  out->time = s->time;
}

static enum armdyn_status check(const struct armdyn_scene *scene, const struct armdyn_played_motion *motion,
                                const double *deviation, double tolerance, struct armdyn_error *error)
{
  const size_t n = scene->robot->joint_count;
  if (!motion->count) return armdyn_refuse(error, ARMDYN_EINPUT, "/count", "must be at least 1 sample");
  if (!isfinite(motion->begin)) return armdyn_refuse(error, ARMDYN_EINPUT, "/begin", "must be finite");
  if (!(motion->period > 0 && isfinite(motion->period)))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/period", "must be > 0 s, got %g", motion->period);
  if (!(tolerance > 0 && isfinite(tolerance)))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tolerance", "must be > 0 m, got %g", tolerance);
  for (size_t i = 0; i < motion->count * n; i++)
    if (!(fabs(motion->q[i]) < 1e6))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/q",
                           "must be positions of at most 1e6 rad or m, got %g in sample %zu", motion->q[i], i / n);
  for (size_t j = 0; j < n && deviation; j++)
    if (!(deviation[j] >= 0 && deviation[j] < 1e6))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/deviation", "must be >= 0, got %g", deviation[j]);
  return ARMDYN_OK;
}

/* How far slides go out. */
static void slid_of(const struct sweep *s, const double *deviation, double *slid)
{
  for (size_t j = 0; j < s->joints; j++)
    slid[j] = fmax(fabs(s->lower[s->joints + j]), fabs(s->upper[s->joints + j])) + (deviation ? deviation[j] : 0);
}

enum armdyn_status armdyn_motion_clearance(const struct armdyn_scene *scene, const struct armdyn_played_motion *motion,
                                           const double *deviation, double tolerance,
                                           struct armdyn_motion_clearance *out, struct armdyn_error *error)
{
  enum armdyn_status status = check(scene, motion, deviation, tolerance, error);
  if (status) return status;
  struct sweep s = { .scene = scene, .motion = motion, .joints = scene->robot->joint_count, .leaves = 1 };
  double slid[ARMDYN_JOINTS_MAX];
  const size_t most = scene->body_count + scene->pair_count + 1;
  s.tolerance = tolerance, s.known = s.bound = INFINITY;
  s.segments = motion->count > 1 ? motion->count - 1 : 1;
  while (s.leaves < s.segments) s.leaves *= 2;
  s.workspace = armdyn_scene_workspace_new(scene);
  s.lower = calloc(4 * s.leaves * s.joints + 1, sizeof *s.lower);
  s.comparisons = calloc(most, sizeof *s.comparisons);
  s.undecided = calloc((DEPTH_MAX + 2) * most, sizeof *s.undecided);
  status = ARMDYN_EMEMORY;
  if (s.workspace && s.lower && s.comparisons && s.undecided) {
    s.upper = s.lower + 2 * s.leaves * s.joints;
    hulls_fill(&s);
    slid_of(&s, deviation, slid);
    comparisons_fill(&s, deviation, slid);
    first_looks(&s);
    status = search(&s);
    tell(&s, out);
  }
  if (status == ARMDYN_ECANCELLED)
    armdyn_refuse(error, status, "/tolerance", "%g m is too small: the motion would take more than %d states",
                  tolerance, STATES_MAX);
  if (status == ARMDYN_EMEMORY) armdyn_refuse(error, status, "", "not enough memory");
  armdyn_scene_workspace_free(s.workspace);
  free(s.lower), free(s.comparisons), free(s.undecided);
  return status;
}
