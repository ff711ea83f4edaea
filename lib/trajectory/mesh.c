/* One problem on one mesh. */
#include <math.h>

#include "lib/trajectory/bspline.h"
#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"

enum { N = ARMDYN_JOINTS_MAX, ITERATIONS_MAX = 80, ITERATIONS_PAST = 50, DURATIONS_TRIED = 48, GROWN_MOST = 3 };
/* m: bodies that a motion brings nearer than this are kept apart by the solution that starts from it. */
static const double NEAR_OF_START = 0.12;
/* Prices of exceeding a limit, tried in turn while any is exceeded: a low one leads there gently. In units of the cost of
 * the start, for a whole limit at one knot. */
static const double prices[] = { 0.1, 10, 1000 };
static const double PRICE_NEARBY = 10; /* no multiplier of a solution without an excess is larger */
static const double MU_YIELD = 1e-5;   /* where the barrier starts again with rows that yield */

void candidate_free(struct candidate *c)
{
  armdyn_trajectory_free(&c->trajectory);
  free(c->multipliers);
  free(c->backoff);
  *c = (struct candidate){ 0 };
}

bool mesh_ended(const struct candidate *c)
{
  return c->solved.end == END_CANCELLED || c->solved.end == END_FINISHED;
}

/* -- limits -- */

static double limit_of(const struct armdyn_limits *limits, enum armdyn_limit_kind kind)
{
  const double most[ARMDYN_LIMIT_KINDS] = { INFINITY,     limits->velocity, limits->acceleration,
                                            limits->jerk, limits->torque,   limits->torque_rate };
  return most[kind];
}

/* Values in units of their limits, positions in units of half the range. */
static double unit_of(const struct armdyn_limits *limits, enum armdyn_limit_kind kind)
{
  const double half = (limits->position[1] - limits->position[0]) / 2;
  if (kind == ARMDYN_LIMIT_POSITION) return isfinite(half) ? half : 1;
  return limit_of(limits, kind);
}

double mesh_most(const struct planner *p, const struct bound *b)
{
  if (b->kind == BOUND_TOOL_SPEED) return 0.5;
  if (b->kind == BOUND_CLEARANCE && p->obstacles) return b->scale * p->obstacles->list[b->joint].margin;
  if (b->kind != ARMDYN_LIMIT_POSITION) return 1;
  return b->scale * p->limits[b->joint].position[b->scale > 0];
}

size_t mesh_bounds(const struct planner *p, struct bound *bounds)
{
  size_t count = 0;
  for (size_t j = 0; j < armdyn_robot_joint_count(p->robot); j++)
    for (int kind = 0; kind < ARMDYN_LIMIT_KINDS; kind++)
      for (int sign = 1; sign >= -1; sign -= 2) {
        const struct bound b = { (enum armdyn_limit_kind)kind, j,
                                 sign / unit_of(&p->limits[j], (enum armdyn_limit_kind)kind) };
        if (b.scale != 0 && isfinite(b.scale) && isfinite(mesh_most(p, &b))) bounds[count++] = b;
      }
  if (p->request->tool_speed > 0) bounds[count++] = (struct bound){ BOUND_TOOL_SPEED, 0, 1 };
  for (size_t i = 0; p->obstacles && i < p->obstacles->count; i++)
    bounds[count++] = (struct bound){ BOUND_CLEARANCE, i, -1 / CLEARANCE_UNIT };
  return count;
}

/* -- one solution -- */

struct mesh {
  struct transcription t;
  struct passages passages;
  struct passage list[ARMDYN_WAYPOINTS_MAX];
  struct interior_point ip;
};

/* Room for a mesh, as large as any before. */
static unsigned char *room_of(struct planner *p, size_t size)
{
  if (p->room_size >= size) return p->room;
  free(p->room);
  p->room = aligned_alloc(64, size);
  p->room_size = p->room ? size : 0;
  return p->room;
}

static bool passages_open(const struct planner *p, const struct candidate *c, struct mesh *m)
{
  const struct armdyn_optimal_request *r = p->request;
  const double T = armdyn_trajectory_duration(&c->trajectory);
  m->passages = (struct passages){ .count = r->waypoint_count, .list = m->list };
  m->passages.duration_min = p->duration_min, m->passages.duration_max = p->duration_max;
  for (size_t k = 0; k < r->waypoint_count; k++) {
    m->list[k] = (struct passage){ .q = r->waypoints + k * m->t.n, .time = NAN };
    if (r->waypoint_times) m->list[k].time = r->waypoint_times[k];
    m->list[k].at = c->trajectory.waypoint_times[k + 1] / T;
  }
  passages_count(&m->passages, &m->t);
  return true;
}

static struct mesh *mesh_open(struct planner *p, const struct mesh_task *task, const struct candidate *c)
{
  struct carve size = { 0 };
  struct mesh *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  struct transcription *t = &m->t;
  t->robot = task->robot;
  t->workspace = p->workspace;
  t->cost = *task->cost;
  t->n = armdyn_robot_joint_count(p->robot);
  t->intervals = task->intervals;
  t->free_duration = task->free_duration;
  t->robust = task->robust;
  t->tool_speed = p->request->tool_speed;
  t->obstacles = p->obstacles && p->obstacles->count ? p->obstacles : NULL;
  t->sided = cost_has_kinks(&t->cost);
  memcpy(t->ends, p->ends, sizeof t->ends);
  t->bound_count = mesh_bounds(p, t->bounds);
  for (size_t b = 0; b < t->bound_count; b++) t->rated = t->rated || t->bounds[b].kind == ARMDYN_LIMIT_TORQUE_RATE;
  passages_open(p, c, m);
  m->ip = (struct interior_point){ .problem = t, .passages = &m->passages, .go = p->go, .context = p->context };
  transcription_carve(t, &size);
  interior_point_carve(&m->ip, &size);
  struct carve room = { room_of(p, size.used), 0 };
  if (!room.base) {
    free(m);
    return NULL;
  }
  transcription_carve(t, &room);
  interior_point_carve(&m->ip, &room);
  return m;
}

/* Limits at the knots, tightened as before where the mesh is the same. */
static void limits_set(const struct planner *p, const struct candidate *c, struct transcription *t)
{
  const size_t knots = t->intervals + 1;
  for (size_t b = 0; b < t->bound_count; b++)
    for (size_t k = 0; k < knots; k++) {
      const double off = c->backoff && c->backoff_intervals == t->intervals ? c->backoff[b * knots + k] : 0;
      t->most[b * knots + k] = mesh_most(p, &t->bounds[b]) - off;
    }
}

/* The duration on a geometric scale for which the motion exceeds its limits least, and of those without excess costs
 * least. */
static double duration_search(struct mesh *m)
{
  struct transcription *t = &m->t;
  const double low = m->passages.duration_min, ratio = m->passages.duration_max / low;
  double best = low, least = INFINITY, cheapest = INFINITY;
  for (int i = 0; i < DURATIONS_TRIED; i++) {
    const double T = low * pow(ratio, (i + 0.5) / DURATIONS_TRIED);
    double excess = 0;
    transcription_set_duration(t, T);
    transcription_set_ends(t, m->ip.controls);
    const double cost = lagrangian_evaluate(t, m->ip.controls);
    for (size_t b = 0; b < t->bound_count * (t->intervals + 1); b++) excess = fmax(excess, -t->room[b]);
    if (!isfinite(cost) || excess > least || (excess == least && cost >= cheapest)) continue;
    best = T, least = excess, cheapest = cost;
  }
  return best;
}

/* Multipliers of rows on other intervals: as densities over time. Those of the passages stay what they are. */
static void multipliers_carry(const struct candidate *c, struct mesh *m)
{
  const size_t from = c->intervals + 1, to = m->t.intervals + 1, gaps = m->ip.rows.count - m->t.bound_count * to;
  const size_t known = (c->row_count - gaps) / from; /* bounds; pairs that came since are the last ones */
  const double ratio = (double)c->intervals / (double)m->t.intervals;
  for (size_t b = 0; b < known; b++)
    for (size_t k = 0; k < to; k++) {
      const double x = (double)k * ratio;
      const size_t left = x < (double)c->intervals ? (size_t)x : c->intervals - 1;
      const double *z = c->multipliers + b * from + left, share = x - (double)left;
      m->ip.rows.z[b * to + k] = ratio * ((1 - share) * z[0] + share * z[1]);
    }
  for (size_t g = 0; g < gaps; g++) m->ip.rows.z[m->t.bound_count * to + g] = c->multipliers[known * from + g];
  memcpy(m->ip.lambda, c->multipliers + c->row_count, m->ip.kkt.equations * sizeof *m->ip.lambda);
}

/* Where it stalled within its limits: once more from there, with rows that yield. That leads on along limits of torques,
 * which dry friction bends. */
static bool solve_yielding(struct mesh *m, struct candidate *c)
{
  if (m->ip.rough || c->solved.end != END_STALLED || c->solved.violation > VIOLATION_FORGIVEN) return false;
  const double mu = m->ip.mu;
  m->ip.yielding = m->ip.warm = m->ip.curved = true;
  m->ip.mu = MU_YIELD;
  interior_point_solve(&m->ip, &c->solved);
  m->ip.mu = mu;
  return true;
}

/* Next to a solution of a smooth problem, from a motion that was given. Not from a coarse mesh, nor from softer friction:
 * without a guard steps led to other minima from there. */
static void solve_nearby(struct mesh *m, const struct mesh_task *task, struct candidate *c)
{
  const bool again = c->seeded && m->ip.warm && c->intervals == m->t.intervals && c->solved.end == END_OPTIMAL;
  c->solved = (struct interior_point_result){ .end = END_STALLED };
  if (!(task->nearby || again) || m->t.obstacles || task->robust || cost_has_kinks(task->cost)) return;
  m->ip.price = fmax(c->price, PRICE_NEARBY);
  active_set_solve(&m->ip, &c->solved);
}

static void solve_at_prices(struct mesh *m, struct candidate *c)
{
  if (m->ip.warm) multipliers_carry(c, m);
  int iterations = c->solved.iterations;
  for (size_t k = 0; k < sizeof prices / sizeof *prices; k++) {
    if (m->ip.warm && prices[k] < c->price) continue;
    m->ip.price = prices[k];
    m->ip.yielding = false;
    interior_point_solve(&m->ip, &c->solved);
    iterations += c->solved.iterations;
    if (solve_yielding(m, c)) iterations += c->solved.iterations;
    if (c->solved.violation <= VIOLATION_FORGIVEN || mesh_ended(c)) break;
  }
  c->solved.iterations = iterations;
}

static void solve_problem(struct mesh *m, const struct mesh_task *task, struct candidate *c)
{
  const size_t rows =
      m->t.bound_count * (c->intervals + 1) + (m->ip.rows.count - m->t.bound_count * (m->t.intervals + 1));
  m->ip.unit = c->unit;
  m->ip.mu = task->mu;
  m->ip.rough = task->rough;
  const bool grown =
      m->t.obstacles && c->row_count > 0 && c->row_count < rows && (rows - c->row_count) % (c->intervals + 1) == 0;
  m->ip.warm = task->warm && c->multipliers && (c->row_count == rows || grown);
  m->ip.curved = m->ip.warm && c->curved;
  if (m->ip.warm) multipliers_carry(c, m);
  solve_nearby(m, task, c);
  if (c->solved.end == END_STALLED && !task->nearby) solve_at_prices(m, c);
  c->price = m->ip.price;
  c->curved = m->ip.curved;
  c->unit = m->ip.unit;
  c->rough = m->ip.rough;
}

/* Put the answer of a mesh into the candidate. */
static enum armdyn_status adopt(struct mesh *m, struct candidate *c)
{
  struct armdyn_trajectory found;
  const size_t rows = m->ip.rows.count, equations = m->ip.kkt.equations;
  double *z = malloc((rows + equations + 1) * sizeof *z);
  if (!z || trajectory_allocate(&found, m->t.n, m->t.intervals, 3, m->passages.count + 2)) {
    free(z);
    return ARMDYN_EMEMORY;
  }
  const double T = transcription_duration(&m->t);
  bspline_pieces(m->t.intervals, T, m->ip.controls, &found);
  for (size_t k = 0; k < m->passages.count; k++)
    found.waypoint_times[k + 1] = isnan(m->list[k].time) ? T * m->list[k].at : m->list[k].time;
  found.waypoint_times[m->passages.count + 1] = T;
  memcpy(z, m->ip.rows.z, rows * sizeof *z);
  memcpy(z + rows, m->ip.lambda, equations * sizeof *z);
  armdyn_trajectory_free(&c->trajectory);
  free(c->multipliers);
  c->trajectory = found;
  c->multipliers = z, c->row_count = rows;
  c->intervals = m->t.intervals;
  return ARMDYN_OK;
}

static enum armdyn_status solve(struct planner *p, const struct mesh_task *task, struct candidate *c,
                                struct armdyn_optimal_result *log)
{
  struct mesh *m = mesh_open(p, task, c);
  if (!m) return ARMDYN_EMEMORY;
  m->ip.iterations_max = p->obstacles ? ITERATIONS_PAST : ITERATIONS_MAX;
  m->ip.log = log->log, m->ip.log_max = ARMDYN_ITERATIONS_MAX, m->ip.log_count = log->log_count;
  const double known = armdyn_trajectory_duration(&c->trajectory);
  const bool timed = task->free_duration;
  limits_set(p, c, &m->t);
  transcription_init(&m->t, timed ? fmin(fmax(known, p->duration_min), p->duration_max) : p->request->duration);
  bspline_controls(task->intervals, &c->trajectory, m->ip.controls);
  if (task->robust) torque_bound_reach(&m->t, &c->trajectory);
  if (task->find_duration) transcription_set_duration(&m->t, duration_search(m));
  transcription_set_ends(&m->t, m->ip.controls);
  solve_problem(m, task, c);
  p->cut = p->cut || mesh_ended(c);
  log->log_count = m->ip.log_count;
  log->iterations += (size_t)c->solved.iterations;
  const enum armdyn_status rc = adopt(m, c);
  free(m);
  return rc;
}

size_t mesh_gather(struct planner *p, struct candidate *c, double within)
{
  const size_t count = obstacles_gather(p->obstacles, &c->trajectory, within);
  if (count > 0) free(c->backoff), c->backoff = NULL; /* it is of the bounds before */
  return count;
}

enum armdyn_status mesh_solve(struct planner *p, const struct mesh_task *task, struct candidate *c,
                              struct armdyn_optimal_result *log)
{
  const bool grows = p->obstacles && !task->warm;
  if (grows) mesh_gather(p, c, NEAR_OF_START);
  enum armdyn_status rc = solve(p, task, c, log);
  for (int more = 0; grows && more < GROWN_MOST && !rc && !mesh_ended(c); more++) {
    if (mesh_gather(p, c, 0) == 0) break;
    rc = solve(p, task, c, log);
  }
  return rc;
}
