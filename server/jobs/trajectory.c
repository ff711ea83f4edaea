#include "server/jobs/trajectory.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/trajectory.h"
#include "api/json/writer.h"
#include "api/limits.h"
#include "server/jobs/messages.h"
#include "server/jobs/stored_trajectory.h"

enum { CHUNK_ROWS = 512 };

enum armdyn_status trajectory_check(const struct armdyn_robot_description *robot, const char *request, size_t length,
                                    struct buffer *tags, struct faults *faults)
{
  struct trajectory_request *decoded = malloc(sizeof *decoded);
  if (!decoded) return ARMDYN_EMEMORY;
  enum armdyn_status status = trajectory_request_decode(request, length, robot, decoded, faults);
  if (!status) {
    result_tags_encode(&decoded->labels, tags);
    trajectory_request_release(decoded);
  }
  free(decoded);
  return status;
}

/* Everything that one job needs, so that one exit releases it. */
struct plan {
  struct work *work;
  struct trajectory_request request;
  size_t n, point_count;
  double *points, *times;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct armdyn_trajectory trajectory;
  struct armdyn_motion_energy energy;
  double minimum_duration;
  double last_torque[ARMDYN_JOINTS_MAX]; /* of the sample before */
  bool stepping[ARMDYN_JOINTS_MAX];      /* from one sample to the next beyond the limit of the torque rate */
  double *rows;
};

static bool plan_points(struct plan *p)
{
  const struct trajectory_request *request = &p->request;
  p->point_count = request->waypoint_count + 2;
  p->points = calloc(p->point_count * p->n, sizeof *p->points);
  p->times = calloc(p->point_count, sizeof *p->times);
  if (!p->points || !p->times) return false;
  memcpy(p->points, request->start.q, p->n * sizeof *p->points);
  for (size_t i = 0; i < request->waypoint_count; i++) {
    memcpy(p->points + (i + 1) * p->n, request->waypoints[i].q, p->n * sizeof *p->points);
    p->times[i + 1] = request->waypoints[i].time;
  }
  memcpy(p->points + (p->point_count - 1) * p->n, request->goal.q, p->n * sizeof *p->points);
  p->times[p->point_count - 1] = NAN; /* the duration tells it */
  return true;
}

static bool go_on(void *context)
{
  work_progress(context, 0, "planning");
  return false; /* to cancel is to kill */
}

/* time_scale: see trajectory_request_rewrite. */
static enum armdyn_status plan_with(struct plan *p, double duration, double time_scale, struct armdyn_trajectory *out,
                                    struct armdyn_margin *margin, double *minimum_duration, struct armdyn_error *error)
{
  double *times = malloc(p->point_count * sizeof *times);
  if (!times) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < p->point_count; i++) times[i] = i == 0 ? 0 : time_scale > 0 ? p->times[i] * time_scale : NAN;
  struct armdyn_profile_request request = {
    .profile = p->request.method,
    .point_count = p->point_count,
    .points = p->points,
    .times = times,
    .duration = duration,
    .limits = p->limits,
  };
  enum armdyn_status status =
      armdyn_profile_plan(p->robot, &request, out, margin, minimum_duration, go_on, p->work, error);
  free(times);
  return status;
}

/* -- when there is no such motion -- */

/* Four figures, as people write them. */
static double rounded_up(double value)
{
  double unit = pow(10, floor(log10(value)) - 3);
  char text[32];
  snprintf(text, sizeof text, "%.4g", ceil(value / unit) * unit);
  return strtod(text, NULL);
}

/* Is there a motion of this duration? */
static bool works(struct plan *p, double duration, double time_scale, double *minimum_duration)
{
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  struct armdyn_trajectory found = { 0 };
  if (plan_with(p, duration, time_scale, &found, margin, minimum_duration, NULL)) return false;
  armdyn_trajectory_free(&found);
  return true;
}

/* A duration that is really found to work, rounded up to something that people write if that works too; NAN: none.
 * Passing times are stretched with it or, if that does not help, given up. */
static double find_remedy(struct plan *p, double *time_scale)
{
  double least = p->minimum_duration, ignored;
  bool with_times = isfinite(least);
  if (!with_times && !works(p, NAN, 0, &least)) return NAN;
  if (!isfinite(least) || !(least > 0)) return NAN;
  double durations[] = { rounded_up(least * (1 + 1e-6)), least, least * (1 + 1e-5) };
  for (int pass = with_times ? 0 : 1; pass < 2; pass++)
    for (size_t d = 0; d < sizeof durations / sizeof *durations; d++) {
      *time_scale = pass ? 0 : isnan(p->request.duration) ? 1 : durations[d] / p->request.duration;
      if (works(p, durations[d], *time_scale, &ignored)) return durations[d];
    }
  return NAN;
}

static void tell_infeasible(struct plan *p, const struct armdyn_error *error)
{
  struct buffer extra = BUFFER(LIMIT_FRAME);
  struct json_writer w = { .out = &extra };
  double time_scale = 1, duration = find_remedy(p, &time_scale);
  json_key(&w, "minimum_duration"), json_write_number(&w, p->minimum_duration);
  if (!isnan(duration)) {
    json_key(&w, "suggested_request");
    struct buffer request = BUFFER(LIMIT_FRAME);
    trajectory_request_rewrite(p->work->request, p->work->request_length, duration, time_scale, &request);
    json_write_raw(&w, buffer_ok(&request) ? request.data : NULL);
    buffer_release(&request);
  }
  work_problem(p->work, PROBLEM_INFEASIBLE, error->message, NULL, buffer_ok(&extra) ? extra.data : NULL);
  buffer_release(&extra);
}

static void tell_refused(struct plan *p, enum armdyn_status status, const struct armdyn_error *error)
{
  if (status == ARMDYN_EINFEASIBLE)
    tell_infeasible(p, error);
  else
    work_refused(p->work, status, error);
}

/* -- series -- */

/* The planner bounds the rate of a smooth torque; friction that changes its sign is a step between two samples, and a
 * controller that is sent them sees it. */
static void note_steps(struct plan *p, size_t k, const double *tau)
{
  for (size_t j = 0; j < p->n; j++) {
    double step = fabs(tau[j] - p->last_torque[j]), most = p->limits[j].torque_rate / p->request.sample_rate;
    if (k > 0 && step > most * (1 + 1e-9)) p->stepping[j] = true;
    p->last_torque[j] = tau[j];
  }
}

static void send_samples(struct plan *p, size_t count)
{
  char columns[SERIES_COLUMNS] = "t";
  size_t width = 1 + 5 * p->n, length = 1;
  static const char *const names[] = { "q", "qd", "qdd", "tau", "power" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t j = 1; j <= p->n; j++)
      length += (size_t)snprintf(columns + length, sizeof columns - length, ",%s%zu", names[i], j);
  work_series(p->work, SERIES_SAMPLES, columns, width);

  for (size_t first = 0; first < count; first += CHUNK_ROWS) {
    size_t rows = count - first < CHUNK_ROWS ? count - first : CHUNK_ROWS;
    for (size_t k = 0; k < rows; k++) {
      double t = armdyn_sample_time(&p->trajectory, p->request.sample_rate, first + k);
      armdyn_trajectory_sample(p->robot, &p->trajectory, t, p->workspace, p->rows + k * width);
      note_steps(p, first + k, p->rows + k * width + 1 + 3 * p->n);
    }
    work_rows(p->work, p->rows, rows);
    work_progress(p->work, 0.1 + 0.9 * (double)(first + rows) / (double)count, "computing torques");
  }
}

/* One row for each piece and joint: [begin, end, joint, c0, c1, ...], q = sum c_i (t - begin)^i. */
static void send_polynomial(struct plan *p)
{
  const struct armdyn_trajectory *t = &p->trajectory;
  char columns[512] = "begin,end,joint";
  size_t width = 3 + t->degree + 1, length = strlen(columns), filled = 0;
  for (size_t i = 0; i <= t->degree; i++)
    length += (size_t)snprintf(columns + length, sizeof columns - length, ",c%zu", i);
  work_series(p->work, SERIES_POLYNOMIAL, columns, width);

  size_t room = CHUNK_ROWS * (1 + 5 * p->n) / width;
  for (size_t k = 0; k < t->piece_count; k++)
    for (size_t j = 0; j < p->n; j++) {
      double *row = p->rows + filled * width;
      row[0] = t->breaks[k], row[1] = t->breaks[k + 1], row[2] = (double)(j + 1);
      memcpy(row + 3, t->coefficients + (k * p->n + j) * (t->degree + 1), (t->degree + 1) * sizeof *row);
      if (++filled < room) continue;
      work_rows(p->work, p->rows, filled);
      filled = 0;
    }
  work_rows(p->work, p->rows, filled);
}

static void compute(struct plan *p)
{
  struct armdyn_error error = { 0 };
  double duration = p->request.duration;
  enum armdyn_status status = plan_with(p, duration, 1, &p->trajectory, p->margin, &p->minimum_duration, &error);
  if (status) {
    tell_refused(p, status, &error);
    return;
  }
  size_t count = armdyn_sample_count(&p->trajectory, p->request.sample_rate);
  if (count > LIMIT_SERIES_ROWS) {
    armdyn_refuse(&error, ARMDYN_EINPUT, "/sample_rate", "%g s at %g Hz are more than the %d samples that are kept",
                  armdyn_trajectory_duration(&p->trajectory), p->request.sample_rate, LIMIT_SERIES_ROWS);
    tell_refused(p, ARMDYN_EINPUT, &error);
    return;
  }
  status = armdyn_trajectory_energy(p->robot, &p->trajectory, &p->energy);
  if (status) {
    tell_refused(p, status, &error);
    return;
  }
  send_samples(p, count);
  send_polynomial(p);

  struct buffer document = BUFFER(LIMIT_FRAME);
  struct trajectory_result result = {
    .robot = p->work->robot,
    .request = &p->request,
    .request_text = p->work->request,
    .trajectory = &p->trajectory,
    .margin = p->margin,
    .energy = &p->energy,
    .stepping = p->stepping,
    .minimum_duration = p->minimum_duration,
  };
  trajectory_result_encode(&result, &document);
  work_result(p->work, &document);
  buffer_release(&document);
}

void trajectory_run(struct work *work)
{
  const char *failure = NULL;
  struct plan *p = calloc(1, sizeof *p);
  if (!p || trajectory_request_decode(work->request, work->request_length, work->robot, &p->request, NULL)) {
    work_problem(work, PROBLEM_INTERNAL, "The accepted request cannot be read again.", NULL, NULL);
    free(p);
    return;
  }
  p->work = work;
  p->n = work->robot->joint_count;
  p->rows = malloc(CHUNK_ROWS * (1 + 5 * p->n) * sizeof *p->rows);
  p->workspace = armdyn_workspace_new(p->n);
  trajectory_request_limits(&p->request, work->robot, p->limits);
  if (!p->rows || !p->workspace || !plan_points(p))
    failure = "out of memory";
  else if (armdyn_robot_new(work->robot, &p->robot, NULL))
    failure = "the robot's model is not usable";

  if (failure)
    work_problem(work, PROBLEM_INTERNAL, failure, NULL, NULL);
  else
    compute(p);
  armdyn_trajectory_free(&p->trajectory);
  armdyn_robot_free(p->robot);
  armdyn_workspace_free(p->workspace);
  trajectory_request_release(&p->request);
  free(p->points);
  free(p->times);
  free(p->rows);
  free(p);
}
