/* Ways past obstacles. A segment from q to q' is walked in steps that no body can come too near on: body i moves by at most
 * mu_i = sum_j R_ij |q'_j - q_j|, so that from a state where it has d_i - margin_i to spare that part of mu_i is free. Steps
 * that get very small are taken all the same; the answer of the planner is proved anyway. Near its ends a way may
 * touch what the motion may touch at that time, so that it finds out of a grasp.
 * Distances of states weigh joint j by the farthest that it moves any body: they are in metres. */
#include <math.h>

#include "lib/base/random.h"
#include "lib/trajectory/planner.h"

enum { N = ARMDYN_JOINTS_MAX };
enum { NODES_MAX = 4000, SAMPLES_MAX = 3000, STATES_MAX = 150000, ASK_EVERY = 16, STRAIGHTEN = 120 };
static const double STEP = 0.4, STEP_LEAST = 1e-3;                /* m: of one growth, and of a walk */
static const double BEYOND = 3.1415926535897932, SLID_BEYOND = 1; /* of joints without an end, past start and goal */
static const double CONTACT = 0.15, CONTACT_STEP = 0.02;          /* m: from an end, what may be touched there */
static const double NEAR_LINE = 0.3, SPREAD = 0.15; /* part of the samples near the line, and how near: of the range */

struct tree {
  size_t count, *parent;
  double *q;
};

struct seeker {
  struct planner *p;
  struct obstacles *o;
  size_t n, body_count, states;
  double low[N], high[N], weight[N];
  double end[2][N], time[2]; /* where the way begins and ends, and when; NAN: at any time */
  struct moving {
    struct body_pair pair;
    double margin, reach[N];
  } * moving; /* bodies with the cell, then pairs of bodies */
  size_t moving_count;
  struct tree trees[2];
  bool over;
};

static enum armdyn_status seeker_open(struct seeker *s, const double *from, const double *to, const double times[2])
{
  const struct armdyn_scene *scene = s->o->scene;
  s->n = armdyn_robot_joint_count(s->p->robot);
  s->moving = calloc(scene->body_count + scene->pair_count + 1, sizeof *s->moving);
  for (size_t t = 0; t < 2; t++) {
    s->trees[t].q = malloc(NODES_MAX * s->n * sizeof *s->trees[t].q);
    s->trees[t].parent = malloc(NODES_MAX * sizeof *s->trees[t].parent);
    if (!s->trees[t].q || !s->trees[t].parent) return ARMDYN_EMEMORY;
  }
  if (!s->moving) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < scene->body_count; i++)
    if (scene->bodies[i].link >= 0 && scene->standing_count)
      s->moving[s->moving_count++].pair = (struct body_pair){ i, i, 0 };
  s->body_count = s->moving_count;
  for (size_t i = 0; i < scene->pair_count; i++)
    s->moving[s->moving_count++].pair = (struct body_pair){ scene->pairs[i].a, scene->pairs[i].b, NO_OBSTACLE };
  for (size_t i = 0; i < s->moving_count; i++) {
    s->moving[i].margin = obstacles_margin(s->o, &s->moving[i].pair);
    body_pair_reach(scene, &s->moving[i].pair, s->o->slid, s->moving[i].reach);
    for (size_t j = 0; j < s->n; j++) s->weight[j] = fmax(s->weight[j], s->moving[i].reach[j]);
  }
  for (size_t j = 0; j < s->n; j++) {
    const double beyond = s->p->robot->joints[j].prismatic ? SLID_BEYOND : BEYOND;
    s->low[j] = fmax(s->p->limits[j].position[0], fmin(from[j], to[j]) - beyond);
    s->high[j] = fmin(s->p->limits[j].position[1], fmax(from[j], to[j]) + beyond);
    s->weight[j] = fmax(s->weight[j], 1e-3);
  }
  for (int e = 0; e < 2; e++) {
    memcpy(s->end[e], e ? to : from, s->n * sizeof *from);
    s->time[e] = times[e];
  }
  return ARMDYN_OK;
}

static void seeker_close(struct seeker *s)
{
  free(s->moving);
  for (size_t t = 0; t < 2; t++) {
    free(s->trees[t].q);
    free(s->trees[t].parent);
  }
  free(s);
}

static double apart(const struct seeker *s, const double *a, const double *b)
{
  double square = 0;
  for (size_t j = 0; j < s->n; j++) square += s->weight[j] * s->weight[j] * (a[j] - b[j]) * (a[j] - b[j]);
  return sqrt(square);
}

/* Of which touches count in a state. */
static double time_of(const struct seeker *s, const double *q)
{
  for (int e = 0; e < 2; e++)
    if (apart(s, q, s->end[e]) < CONTACT) return s->time[e];
  return NAN;
}

/* From a state on the part of `way` that is free for sure; < 0: the state itself is not. */
static double free_part(struct seeker *s, const double *q, const double *way)
{
  const struct obstacles *o = s->o;
  const double time = time_of(s, q);
  double part = 1;
  size_t obstacle;
  scene_place(o->scene, q, o->workspace);
  s->states++;
  for (size_t i = 0; i < s->moving_count; i++) {
    const struct moving *m = &s->moving[i];
    const struct self_pair own = { m->pair.a, m->pair.b };
    double moves = 0;
    for (size_t j = 0; j < s->n; j++) moves += m->reach[j] * fabs(way[j]);
    if (moves == 0) continue; /* as it was where the way begins */
    const double cutoff = m->margin + part * moves;
    const double d = i < s->body_count ? distance_to_cell(o->scene, o->workspace, m->pair.a, time, cutoff, &obstacle)
                                       : distance_of_pair(o->scene, o->workspace, &own, time, cutoff);
    if (d < m->margin) return -1;
    part = fmin(part, (d - m->margin) / moves);
  }
  return part;
}

/* Walk a segment whose beginning is free; how much of it is. */
static double walk(struct seeker *s, const double *from, const double *to)
{
  double way[N] = { 0 }, q[N] = { 0 }, done = 0, length = apart(s, from, to);
  if (length == 0) return 1;
  for (size_t j = 0; j < s->n; j++) way[j] = to[j] - from[j];
  for (double at = 0;;) {
    for (size_t j = 0; j < s->n; j++) q[j] = from[j] + at * way[j];
    const double most = isnan(time_of(s, q)) ? 1 : CONTACT_STEP / length; /* what may be touched ends soon */
    const double part = fmin(free_part(s, q, way), most);
    if (part < 0) return done;
    done = at;
    if (at >= 1 || at + part >= 1) return 1;
    at = fmin(1, at + fmax(part, STEP_LEAST / length));
  }
}

/* -- trees -- */

static size_t nearest(const struct seeker *s, const struct tree *t, const double *q)
{
  size_t best = 0;
  double least = INFINITY;
  for (size_t i = 0; i < t->count; i++) {
    const double d = apart(s, t->q + i * s->n, q);
    if (d >= least) continue;
    least = d;
    best = i;
  }
  return best;
}

/* Grow towards a state by at most `most`. true: something grew, the last node.
 *   reached  out  the state itself */
static bool grow(struct seeker *s, struct tree *t, const double *to, double most, bool *reached)
{
  const size_t from = nearest(s, t, to);
  const double *a = t->q + from * s->n, length = apart(s, a, to), share = fmin(1, most / fmax(length, 1e-12));
  double b[N] = { 0 };
  *reached = false;
  if (t->count == NODES_MAX) return false;
  for (size_t j = 0; j < s->n; j++) b[j] = a[j] + share * (to[j] - a[j]);
  const double part = walk(s, a, b);
  if (part * share * length < STEP_LEAST && part < 1) return false;
  double *out = t->q + t->count * s->n;
  for (size_t j = 0; j < s->n; j++) out[j] = part == 1 ? b[j] : a[j] + part * (b[j] - a[j]);
  t->parent[t->count++] = from;
  *reached = part == 1 && share == 1;
  return true;
}

static void sample(struct seeker *s, double *q)
{
  const double *a = s->trees[0].q, *b = s->trees[1].q, u = random_unit(&s->p->random);
  const bool near = random_unit(&s->p->random) < NEAR_LINE;
  for (size_t j = 0; j < s->n; j++) {
    const double range = s->high[j] - s->low[j];
    q[j] = near ? a[j] + u * (b[j] - a[j]) + SPREAD * range * random_normal(&s->p->random)
                : s->low[j] + range * random_unit(&s->p->random);
    q[j] = fmin(fmax(q[j], s->low[j]), s->high[j]);
  }
}

/* Both trees' last nodes are the same state. */
static bool meet(struct seeker *s)
{
  for (size_t i = 0; i < SAMPLES_MAX && s->states < STATES_MAX; i++) {
    struct tree *a = &s->trees[i % 2], *b = &s->trees[1 - i % 2];
    double q[N];
    bool reached;
    if (i % ASK_EVERY == 0 && s->p->go && s->p->go(s->p->context) != ARMDYN_GO_ON) {
      s->over = true;
      return false;
    }
    sample(s, q);
    if (!grow(s, a, q, STEP, &reached)) continue;
    if (grow(s, b, a->q + (a->count - 1) * s->n, INFINITY, &reached) && reached) return true;
  }
  return false;
}

/* The corners from the first tree's root to the second one's. */
static enum armdyn_status corners(const struct seeker *s, struct way *out)
{
  const size_t n = s->n;
  size_t count[2] = { 0, 0 };
  for (size_t t = 0; t < 2; t++)
    for (size_t i = s->trees[t].count - 1;; i = s->trees[t].parent[i]) {
      count[t]++;
      if (i == 0) break;
    }
  out->count = count[0] + count[1] - 1;
  out->q = malloc(out->count * n * sizeof *out->q);
  if (!out->q) return ARMDYN_EMEMORY;
  for (size_t t = 0; t < 2; t++) {
    size_t at = count[0] - 1;
    for (size_t i = s->trees[t].count - 1;; i = s->trees[t].parent[i], at += t ? 1 : (size_t)-1) {
      memcpy(out->q + at * n, s->trees[t].q + i * n, n * sizeof *out->q);
      if (i == 0) break;
    }
  }
  return ARMDYN_OK;
}

/* -- straightening -- */

static double length_of(const struct seeker *s, const struct way *w)
{
  double sum = 0;
  for (size_t i = 0; i + 1 < w->count; i++) sum += apart(s, w->q + i * s->n, w->q + (i + 1) * s->n);
  return sum;
}

/* The state after a length; the segment that it is on. */
static size_t state_after(const struct seeker *s, const struct way *w, double length, double *q)
{
  size_t i = 0;
  double d = apart(s, w->q, w->q + s->n);
  while (i + 2 < w->count && length > d) {
    length -= d;
    i++;
    d = apart(s, w->q + i * s->n, w->q + (i + 1) * s->n);
  }
  const double part = d > 0 ? fmin(length / d, 1) : 0, *a = w->q + i * s->n, *b = a + s->n;
  for (size_t j = 0; j < s->n; j++) q[j] = a[j] + part * (b[j] - a[j]);
  return i;
}

/* Two states of the way that see each other need nothing in between. The corners that are left need room for two more. */
static void straighten(struct seeker *s, struct way *w)
{
  const size_t n = s->n;
  for (int i = 0; i < STRAIGHTEN && w->count > 2 && s->states < 2 * STATES_MAX; i++) {
    const double length = length_of(s, w);
    const double one = length * random_unit(&s->p->random), other = length * random_unit(&s->p->random);
    double q[2][N];
    const size_t first = state_after(s, w, fmin(one, other), q[0]), last = state_after(s, w, fmax(one, other), q[1]);
    if (first == last || walk(s, q[0], q[1]) < 1) continue;
    /* corners 0 .. first, the two states, corners last + 1 .. */
    const size_t count = first + 1 + 2 + (w->count - last - 1);
    double *corners = malloc(count * n * sizeof *corners);
    if (!corners) return;
    memcpy(corners, w->q, (first + 1) * n * sizeof *corners);
    memcpy(corners + (first + 1) * n, q[0], n * sizeof *corners);
    memcpy(corners + (first + 2) * n, q[1], n * sizeof *corners);
    memcpy(corners + (first + 3) * n, w->q + (last + 1) * n, (w->count - last - 1) * n * sizeof *corners);
    free(w->q);
    w->q = corners;
    w->count = count;
  }
}

static enum armdyn_status seek(struct seeker *s, const double *from, const double *to, struct way *out)
{
  const size_t n = s->n;
  memcpy(s->trees[0].q, from, n * sizeof *from);
  memcpy(s->trees[1].q, to, n * sizeof *to);
  s->trees[0].count = s->trees[1].count = 1;
  s->trees[0].parent[0] = s->trees[1].parent[0] = 0;
  bool met = walk(s, from, to) == 1;
  if (met) {
    memcpy(s->trees[0].q + n, to, n * sizeof *to);
    s->trees[0].parent[1] = 0;
    s->trees[0].count = 2;
  } else {
    met = meet(s);
  }
  if (!met) return ARMDYN_OK;
  const enum armdyn_status rc = corners(s, out);
  if (!rc) straighten(s, out);
  return rc;
}

enum armdyn_status way_find(struct planner *p, const double *from, const double *to, const double times[2],
                            struct way *out)
{
  struct seeker *s = calloc(1, sizeof *s);
  *out = (struct way){ 0 };
  if (!s) return ARMDYN_EMEMORY;
  s->p = p;
  s->o = p->obstacles;
  enum armdyn_status rc = seeker_open(s, from, to, times);
  if (!rc) rc = seek(s, from, to, out);
  seeker_close(s);
  return rc;
}
