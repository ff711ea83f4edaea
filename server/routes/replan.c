/* POST /v1/trajectories/{trajectory}/replan: the rest of a motion from where the arm is. Nothing is kept, nothing is sent. */
#include "api/codec/replan.h"

#include <math.h>
#include <stdlib.h>

#include "server/app.h"
#include "server/base/clock.h"
#include "server/data/motion_model.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

enum { POINTS = ARMDYN_WAYPOINTS_MAX + 2, ROWS_MOST = 100000, INTERVALS_LEAST = 16, A_SEGMENT = 4 };

/* Everything that one call needs, so that one exit releases it. */
struct replan {
  struct store_result stored;
  const struct robot_entry *entry;
  cJSON *document;
  struct trajectory_request planned;
  bool decoded;
  size_t n;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  struct replan_request request;
  struct armdyn_trajectory whole, guess, motion;
  size_t ahead; /* waypoints that are not passed yet: */
  double points[ARMDYN_WAYPOINTS_MAX * ARMDYN_JOINTS_MAX], times[ARMDYN_WAYPOINTS_MAX], expected[POINTS];
  double goal[ARMDYN_JOINTS_MAX];
  int64_t deadline_ns;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  struct armdyn_optimal_result found;
  double *rows;
  size_t row_count;
};

/* -- what is stored -- */

static enum armdyn_status read_planned(struct replan *r)
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(r->entry->robot);
  struct buffer text = BUFFER(MB(4));
  struct json_writer w = { .out = &text };
  if (!(r->document = document_open(r->stored.document))) return ARMDYN_EMEMORY;
  document_write(&w, document_at(r->document, "request"));
  r->decoded = buffer_ok(&text) && !trajectory_request_decode(text.data, text.length, robot, &r->planned, NULL);
  buffer_release(&text);
  if (!r->decoded) return ARMDYN_EIO;
  r->n = robot->joint_count;
  requested_limits_in_force(&r->planned.limits, robot, r->limits);
  return ARMDYN_OK;
}

static enum armdyn_status open_stored(struct replan *r, const struct app *app, const char *id)
{
  enum armdyn_status status = store_result_get(app->store, trajectory_kind.name, id, &r->stored);
  if (!status) status = motion_model_get(app->robots, &r->stored, &r->entry);
  if (!status) status = read_planned(r);
  return status ? status : stored_trajectory_read(app->store, id, r->n, &r->whole);
}

/* Waypoints that are ahead, with the times that they were given, and when the stored motion passes them: the clock begins
 * anew. */
static enum armdyn_status find_ahead(struct replan *r)
{
  double times[POINTS];
  const size_t count = document_numbers(r->document, "waypoint_times", times, POINTS);
  if (count != r->planned.waypoint_count + 2) return ARMDYN_EIO;
  armdyn_trajectory_state(&r->whole, armdyn_trajectory_duration(&r->whole), r->goal, NULL, NULL, NULL);
  r->expected[0] = 0;
  for (size_t k = 1; k + 1 < count; k++) {
    if (!(times[k] > r->request.time)) continue;
    armdyn_trajectory_state(&r->whole, times[k], r->points + r->ahead * r->n, NULL, NULL, NULL);
    r->times[r->ahead] = r->planned.waypoints[k - 1].time - r->request.time;
    r->expected[++r->ahead] = times[k] - r->request.time;
  }
  r->expected[r->ahead + 1] = armdyn_trajectory_duration(&r->whole) - r->request.time;
  return ARMDYN_OK;
}

/* -- what is computed -- */

static enum armdyn_go go_on(void *context)
{
  const struct replan *r = context;
  return clock_monotonic_ns() < r->deadline_ns ? ARMDYN_GO_ON : ARMDYN_GO_FINISH;
}

/* What is left of the stored motion, in as many pieces. */
static enum armdyn_status make_guess(struct replan *r, size_t intervals, double duration, struct armdyn_error *error)
{
  const size_t count = r->ahead + 2;
  enum armdyn_status status =
      armdyn_trajectory_remainder(&r->whole, r->request.time, intervals, duration, &r->guess, error);
  double *times = status ? NULL : realloc(r->guess.waypoint_times, count * sizeof *times);
  if (status || !times) return status ? status : ARMDYN_EMEMORY;
  for (size_t k = 0; k < count; k++) times[k] = r->expected[k] * duration / r->expected[count - 1];
  r->guess.waypoint_times = times;
  r->guess.waypoint_count = count;
  return ARMDYN_OK;
}

static size_t intervals_of(const struct replan *r, double share)
{
  const size_t least = A_SEGMENT * (r->ahead + 1), scaled = (size_t)ceil(share * (double)r->planned.intervals);
  const size_t intervals = r->request.intervals       ? r->request.intervals
                           : scaled < INTERVALS_LEAST ? INTERVALS_LEAST
                                                      : scaled;
  return intervals < least ? least : intervals;
}

static enum armdyn_status plan(struct replan *r, struct armdyn_error *error)
{
  const double left = r->expected[r->ahead + 1], duration = isnan(r->request.duration) ? left : r->request.duration;
  const size_t intervals = intervals_of(r, left / armdyn_trajectory_duration(&r->whole));
  struct armdyn_cost_term terms[2];
  const struct armdyn_optimal_request request = {
    .start = r->request.q,
    .start_velocity = r->request.qd,
    .goal = r->goal,
    .duration = duration,
    .limits = r->limits,
    .intervals = intervals,
    .tool_speed = isnan(r->planned.tool_speed_max) ? 0 : r->planned.tool_speed_max,
    .starts = 1,
    .guess = &r->guess,
    .cost_count = trajectory_cost_terms(&r->planned, terms),
    .costs = terms,
    .waypoint_count = r->ahead,
    .waypoints = r->points,
    .waypoint_times = r->times,
  };
  enum armdyn_status status = make_guess(r, intervals, duration, error);
  if (status) return status;
  return armdyn_optimal_plan(r->entry->robot, &request, &r->motion, r->margin, &r->found, go_on, r, error);
}

static enum armdyn_status sample(struct replan *r, struct armdyn_error *error)
{
  const double rate = isnan(r->request.sample_rate) ? r->planned.sample_rate : r->request.sample_rate;
  const size_t width = 1 + 5 * r->n;
  r->row_count = armdyn_sample_count(&r->motion, rate);
  if (r->row_count > ROWS_MOST)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/sample_rate", "%zu samples are more than %d: ask for fewer a second",
                         r->row_count, ROWS_MOST);
  r->rows = malloc(r->row_count * width * sizeof *r->rows);
  struct armdyn_workspace *workspace = armdyn_workspace_new(r->n);
  const enum armdyn_status status = r->rows && workspace ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t i = 0; !status && i < r->row_count; i++)
    armdyn_trajectory_sample(r->entry->robot, &r->motion, armdyn_sample_time(&r->motion, rate, i), workspace,
                             r->rows + i * width);
  armdyn_workspace_free(workspace);
  return status;
}

/* -- the call -- */

static void refuse(struct exchange *x, enum armdyn_status status, const struct armdyn_error *error)
{
  const char *at = error->pointer;
  if (strncmp(at, "/start", 6) == 0) at += 6; /* the planner's start is the state that was measured */
  if (status == ARMDYN_EINPUT) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, at, FAULT_INCONSISTENT, "%s", error->message);
    answer_problem(x, PROBLEM_INVALID, NULL);
  } else if (status == ARMDYN_EINFEASIBLE || status == ARMDYN_EUNAVAILABLE)
    answer_problem(x, status == ARMDYN_EINFEASIBLE ? PROBLEM_INFEASIBLE : PROBLEM_UNDECIDED, "%s", error->message);
  else
    answer_status(x, status, error->message[0] ? error : NULL);
}

/* Of the request against the stored motion. false: answered. */
static bool fits(struct exchange *x, const struct replan *r)
{
  const double most = armdyn_trajectory_duration(&r->whole);
  if (r->planned.method != TRAJECTORY_ENERGY_OPTIMAL || r->planned.shaped) {
    answer_problem(x, PROBLEM_CONFLICT, "only motions of energy_optimal without a shaper are planned anew, not %s%s",
                   r->planned.shaped ? "a shaped " : "", trajectory_method_name(r->planned.method));
    return false;
  }
  if (most - r->request.time >= 1e-3) return true;
  fault_add(exchange_faults(x), FAULT_AT_POINTER, "/time", FAULT_MAXIMUM,
            "must be at least 1 ms before the motion ends, %g s, got %g", most, r->request.time);
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

static void answer(struct exchange *x, struct replan *r, const char *id, double seconds)
{
  const struct replan_result result = {
    .trajectory = id,
    .robot = armdyn_robot_description(r->entry->robot),
    .request = &r->request,
    .planned = &r->planned,
    .limits = r->limits,
    .found = &r->found,
    .margin = r->margin,
    .motion = &r->motion,
    .time = seconds,
    .rows = r->rows,
    .row_count = r->row_count,
  };
  struct buffer body = BUFFER(LIMIT_ANSWER);
  replan_result_encode(&result, &body);
  exchange_set_revision(x, r->entry->revision);
  answer_json(x, 200, &body);
}

static void compute(struct exchange *x, struct replan *r, const char *id)
{
  struct armdyn_error error = { "", "" };
  if (!fits(x, r)) return;
  const int64_t begun = clock_monotonic_ns();
  r->deadline_ns = begun + (int64_t)(1e9 * r->request.deadline);
  enum armdyn_status status = find_ahead(r);
  if (!status) status = plan(r, &error);
  const double seconds = 1e-9 * (double)(clock_monotonic_ns() - begun);
  if (!status) status = sample(r, &error);
  if (status)
    refuse(x, status, &error);
  else
    answer(x, r, id, seconds);
}

static void replan_release(struct replan *r, const struct app *app)
{
  armdyn_trajectory_free(&r->whole);
  armdyn_trajectory_free(&r->guess);
  armdyn_trajectory_free(&r->motion);
  if (r->decoded) trajectory_request_release(&r->planned);
  if (r->entry) robots_release(app->robots, r->entry);
  document_close(r->document);
  store_result_release(&r->stored);
  free(r->rows);
  free(r);
}

enum outcome trajectory_replan(struct exchange *x)
{
  const struct app *app = exchange_app(x);
  const char *id = exchange_segment(x, "trajectory");
  struct replan *r = calloc(1, sizeof *r);
  size_t length;
  const char *body = exchange_body(x, &length);
  if (!r) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
    return ANSWERED;
  }
  enum armdyn_status status = open_stored(r, app, id);
  if (result_found(x, &trajectory_kind, status)) {
    status = replan_request_decode(body, length, r->n, &r->request, exchange_faults(x));
    if (status)
      answer_status(x, status, NULL);
    else
      compute(x, r, id);
  }
  replan_release(r, app);
  return ANSWERED;
}
