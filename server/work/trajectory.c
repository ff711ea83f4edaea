#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "api/codec/trajectory.h"
#include "api/json/writer.h"
#include "api/limits.h"
#include "armdyn/path_timing.h"
#include "armdyn/posture_modes.h"
#include "server/base/clock.h"
#include "server/work/kinds.h"
#include "server/work/motion_series.h"
#include "server/work/plan.h"

static const double LEFT = 0.05;    /* of a vibration, by a shaper */
static const double PLANNING = 0.1; /* of the work; the rest is sampling */
/* What would work is looked for as long again as the search may take, but not for less or more than this [s]. */
static const double REMEDY_LEAST = 1, REMEDY_MOST = 30;

/* How each method finds its motion. To add one: its name in api/codec/trajectory.c, a function and a row here. */
static plan_function *const methods[TRAJECTORY_METHODS] = {
  [ARMDYN_TRAPEZOID] = profile_find,      [ARMDYN_QUINTIC] = profile_find,
  [ARMDYN_CUBIC] = profile_find,          [TRAJECTORY_ENERGY_OPTIMAL] = optimal_find,
  [TRAJECTORY_PATH_TIMING] = timing_find, [TRAJECTORY_SAMPLES] = samples_find,
  [TRAJECTORY_SEQUENCE] = sequence_find,
};

static void set_deadline(struct plan *p, double seconds)
{
  p->deadline_ns = clock_monotonic_ns() + (int64_t)(1e9 * seconds);
}

bool plan_in_time(const struct plan *p)
{
  return clock_monotonic_ns() <= p->deadline_ns;
}

/* The points of the request, as far as they are given by the joints. */
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

static bool plan_is_sampled(const struct plan *p)
{
  return p->request.method == TRAJECTORY_SAMPLES;
}

static bool plan_is_sequence(const struct plan *p)
{
  return p->request.method == TRAJECTORY_SEQUENCE;
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

/* The duration of the motion that is found of this one, NAN: there is none. */
static double duration_found(struct plan *p, double duration, double time_scale)
{
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  struct armdyn_trajectory found = { 0 };
  if (methods[p->request.method](p, duration, time_scale, &found, margin, NULL, NULL)) return NAN;
  double lasts = armdyn_trajectory_duration(&found);
  armdyn_trajectory_free(&found);
  return lasts;
}

/* The smallest duration that is really found to work, rounded up to something that people write if that works too; the one
 * that is asked for, if only the time was too short to find a motion of it; NAN: none.
 * Passing times are stretched with it or, if that does not help, given up. */
static double find_remedy(struct plan *p, double *time_scale)
{
  const double asked = p->request.duration;
  bool with_times = isfinite(p->minimum_duration);
  if (!with_times) p->minimum_duration = duration_found(p, NAN, 0);
  const double least = p->minimum_duration;
  if (!isfinite(least) || !(least > 0)) return NAN;
  *time_scale = 1;
  if (p->cut && least <= asked && !isnan(duration_found(p, asked, 1))) return asked;
  /* the search can fail where hardly any motion is feasible: not so near then */
  double durations[] = {
    rounded_up(least * (1 + 1e-6)), least, least * (1 + 1e-5), rounded_up(1.001 * least), rounded_up(1.01 * least),
    rounded_up(1.05 * least)
  };
  for (int pass = with_times ? 0 : 1; pass < 2; pass++)
    for (size_t d = 0; d < sizeof durations / sizeof *durations; d++) {
      *time_scale = pass ? 0 : isnan(asked) ? 1 : durations[d] / asked;
      if (!isnan(duration_found(p, durations[d], *time_scale))) return durations[d];
    }
  return NAN;
}

/* With what would work, where that can be computed. */
static void tell_no_motion(struct plan *p, enum problem problem, const struct armdyn_error *error)
{
  struct buffer extra = BUFFER(LIMIT_FRAME);
  struct json_writer w = { .out = &extra };
  const double budget = fmin(fmax(p->request.deadline, REMEDY_LEAST), REMEDY_MOST);
  double time_scale = 1;
  p->cut = trajectory_is_searched(p->request.method) && !plan_in_time(p);
  set_deadline(p, budget);
  double duration = find_remedy(p, &time_scale);
  json_key(&w, "minimum_duration"), json_write_number(&w, p->minimum_duration);
  if (!isnan(duration)) {
    json_key(&w, "suggested_request");
    struct buffer request = BUFFER(LIMIT_FRAME);
    trajectory_request_rewrite(p->work->request, p->work->request_length, duration, time_scale,
                               p->cut ? fmax(p->request.deadline, budget) : NAN, &request);
    json_write_raw(&w, buffer_ok(&request) ? request.data : NULL);
    buffer_release(&request);
  }
  work_problem(p->work, problem, error->message, NULL, buffer_ok(&extra) ? extra.data : NULL);
  buffer_release(&extra);
}

/* A pose that the tool cannot take, or something in the way, whatever the duration. */
static void tell_unreachable(struct plan *p, enum problem problem, const struct armdyn_error *error)
{
  struct faults *faults = calloc(1, sizeof *faults);
  if (faults) fault_add(faults, FAULT_AT_POINTER, error->pointer, FAULT_INCONSISTENT, "%s", error->message);
  work_problem(p->work, problem, error->message, faults, "\"minimum_duration\":null");
  free(faults);
}

static void tell_refused(struct plan *p, enum armdyn_status status, const struct armdyn_error *error)
{
  if (p->unreachable)
    tell_unreachable(p, status == ARMDYN_EUNAVAILABLE ? PROBLEM_UNDECIDED : PROBLEM_INFEASIBLE, error);
  else if (status == ARMDYN_EINFEASIBLE)
    tell_no_motion(p, PROBLEM_INFEASIBLE, error);
  else if (status == ARMDYN_EUNAVAILABLE)
    tell_no_motion(p, PROBLEM_UNDECIDED, error);
  else
    work_refused(p->work, status, error);
}

/* -- shaping -- */

static void measure_vibration(const struct plan *p, double residual[ARMDYN_MODES_MAX][ARMDYN_JOINTS_MAX])
{
  const struct shaper_request *request = &p->request.shaper;
  for (size_t m = 0; m < request->mode_count; m++)
    for (size_t j = 0; j < p->n; j++) residual[m][j] = armdyn_residual_vibration(&p->trajectory, j, &request->modes[m]);
}

/* The modes of the model where the motion ends, with what is carried, and the first shaper that bears them. */
static enum armdyn_status take_modes(struct plan *p, struct armdyn_error *error)
{
  struct shaper_request *request = &p->request.shaper;
  const struct armdyn_robot_description *model = armdyn_robot_description(p->robot);
  struct armdyn_vibration found;
  struct armdyn_error told = { "", "" };
  double *q = p->shaping.q;
  armdyn_trajectory_state(&p->trajectory, armdyn_trajectory_duration(&p->trajectory), q, NULL, NULL, NULL);
  enum armdyn_status status = armdyn_elastic_modes(model, q, (size_t)request->modes_max, &found, &told);
  if (status == ARMDYN_EINPUT) return armdyn_refuse(error, status, "/shaper", "%s", told.message);
  if (status) return status;
  p->shaping.automatic = true;
  p->shaping.payload_mass = model->payload.mass;
  request->mode_count = found.mode_count;
  memcpy(request->modes, found.modes, sizeof request->modes);
  memcpy(p->shaping.frequency_deviation, found.frequency_deviation, sizeof found.frequency_deviation);
  if (armdyn_vibration_shaper(&found, request->range_percent / 100, LEFT, &request->type, &p->shaping.impulses))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/shaper",
                         "no shaper leaves at most %g %% where frequencies are %g %% off, the lowest at %.4g Hz with a "
                         "deviation of %.2g Hz and a damping of %.3g: ask for a smaller range_percent",
                         100 * LEFT, request->range_percent, found.modes[0].frequency, found.frequency_deviation[0],
                         found.modes[0].damping);
  return ARMDYN_OK;
}

/* The planned motion, convolved with the shaper's impulses, instead of itself; its limits are checked again. */
static enum armdyn_status shape(struct plan *p, struct armdyn_error *error)
{
  const struct shaper_request *request = &p->request.shaper;
  struct armdyn_trajectory shaped;
  enum armdyn_status status = request->type == SHAPER_AUTO ? take_modes(p, error) : ARMDYN_OK;
  if (!status)
    status = armdyn_shaper_impulses(request->type, request->modes, request->mode_count, &p->shaping.impulses, error);
  if (status) return status;
  measure_vibration(p, p->shaping.before);
  status = armdyn_trajectory_shape(&p->trajectory, &p->shaping.impulses, &shaped);
  if (status) return status;
  armdyn_trajectory_free(&p->trajectory);
  p->trajectory = shaped;
  measure_vibration(p, p->shaping.after);
  return armdyn_trajectory_margins(p->robot, p->limits, &p->trajectory, p->margin);
}

/* What no other motion between these points in this time goes below. A shaped one passes only the ends for sure. */
static enum armdyn_status bound_electricity(struct plan *p)
{
  const double T = armdyn_trajectory_duration(&p->trajectory);
  struct armdyn_energy_bound_request request = {
    .point_count = p->point_count, .points = p->points, .duration_min = T, .duration_max = T, .limits = p->limits
  };
  double ends[2 * ARMDYN_JOINTS_MAX];
  memcpy(ends, p->points, p->n * sizeof *ends);
  memcpy(ends + p->n, p->points + (p->point_count - 1) * p->n, p->n * sizeof *ends);
  if (p->request.shaped) request.points = ends, request.point_count = 2;
  return armdyn_electrical_lower_bound(p->robot, &p->drives, &request, &p->bound, NULL);
}

/* What is told of the motion besides its samples. */
static enum armdyn_status weigh(struct plan *p)
{
  enum armdyn_status status = armdyn_trajectory_energy(p->robot, &p->trajectory, &p->energy);
  if (!status) status = armdyn_trajectory_tool_speed(p->robot, &p->trajectory, &p->tool_speed.max, &p->tool_speed.time);
  if (!status)
    status = armdyn_trajectory_tool_acceleration(p->robot, &p->trajectory, &p->tool_acceleration.max,
                                                 &p->tool_acceleration.time);
  if (!status) status = armdyn_trajectory_electrical_energy(p->robot, &p->drives, &p->trajectory, &p->electrical, NULL);
  p->has_drives = !status;
  p->bound.total = NAN; /* of what is in motion at its ends there is none */
  if (!status && armdyn_trajectory_duration(&p->trajectory) > 0 && (!plan_is_sampled(p) || p->fit.found.at_rest))
    status = plan_is_sequence(p) ? sequence_bound(p) : bound_electricity(p);
  if (status == ARMDYN_EINPUT) status = ARMDYN_OK; /* the drives' data are not complete */
  if (!status && trajectory_is_searched(p->request.method)) status = optimal_cost(p);
  if (!status && trajectory_is_searched(p->request.method)) status = optimal_compare(p);
  return status;
}

static void send_result(struct plan *p)
{
  struct buffer document = BUFFER(LIMIT_FRAME);
  struct trajectory_result result = {
    .robot = p->work->robot,
    .request = &p->request,
    .request_text = p->work->request,
    .trajectory = &p->trajectory,
    .margin = p->margin,
    .points = p->points,
    .point_count = p->point_count,
    .tool_speed = p->tool_speed,
    .tool_acceleration = p->tool_acceleration,
    .energy = &p->energy,
    .electrical = p->has_drives ? &p->electrical : NULL,
    .bound = p->has_drives ? &p->bound : NULL,
    .search = trajectory_is_searched(p->request.method) ? &p->search : NULL,
    .fit = plan_is_sampled(p) ? &p->fit : NULL,
    .shaping = p->request.shaped ? &p->shaping : NULL,
    .clearance = surrounded_clearance(&p->surrounded),
    .stepping = p->stepping,
    .minimum_duration = p->minimum_duration,
  };
  trajectory_result_encode(&result, &document);
  work_result(p->work, &document);
  buffer_release(&document);
}

/* Joint positions of all points, and of the path where that is kept. */
static enum armdyn_status find_way(struct plan *p, struct armdyn_error *error)
{
  if (plan_is_sampled(p) || plan_is_sequence(p)) return ARMDYN_OK; /* it follows from the motion */
  if (p->request.path != TRAJECTORY_PATH_JOINT) return tool_path_find(p, error);
  enum armdyn_status status = tool_points_find(p, error);
  if (!status && p->request.method == TRAJECTORY_PATH_TIMING) status = joint_path_find(p, error);
  return status;
}

/* A path stays what it is, however it is timed. */
static enum armdyn_status judge_path(struct plan *p, struct armdyn_error *error)
{
  const struct armdyn_motion_clearance *c = surrounded_clearance(&p->surrounded);
  if (!c || p->request.method != TRAJECTORY_PATH_TIMING || p->request.shaped || c->bound > 0) return ARMDYN_OK;
  p->unreachable = true;
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/cell",
                       "blocked by %s: the path leads %s there, at %.6g s their clearance is %.4f m, and proved to be "
                       "above %.4f m only: give it waypoints that lead around",
                       c->at.b, c->at.a, c->time, c->at.distance, c->bound);
}

static void find(struct plan *p)
{
  struct armdyn_error error = { 0 };
  double duration = p->request.duration;
  enum armdyn_status status =
      surrounded_open(p->work, p->robot, &p->request.clear, p->request.sample_rate, &p->surrounded, &error);
  if (!status) status = find_way(p, &error);
  set_deadline(p, p->request.deadline);
  if (!status)
    status = methods[p->request.method](p, duration, 1, &p->trajectory, p->margin, &p->minimum_duration, &error);
  if (!status && p->request.shaped && plan_is_sampled(p) && !p->fit.found.at_rest) {
    status =
        armdyn_refuse(&error, ARMDYN_EINPUT, "/shaper", "shapes what begins and ends at rest; these samples do not");
  } else if (!status && p->request.shaped)
    status = shape(p, &error);
  size_t count = status ? 0 : armdyn_sample_count(&p->trajectory, p->request.sample_rate);
  if (count > LIMIT_SERIES_ROWS)
    status =
        armdyn_refuse(&error, ARMDYN_EINPUT, "/sample_rate", "%g s at %g Hz are more than the %d samples that are kept",
                      armdyn_trajectory_duration(&p->trajectory), p->request.sample_rate, LIMIT_SERIES_ROWS);
  if (!status) status = weigh(p);
  if (!status) status = surrounded_measure(&p->surrounded, &p->trajectory, &error);
  if (!status) status = judge_path(p, &error);
  if (status) {
    tell_refused(p, status, &error);
    return;
  }
  status =
      motion_series_send(p->work, p->robot, &p->trajectory, p->request.sample_rate, p->limits, PLANNING, p->stepping);
  if (status)
    tell_refused(p, status, &error);
  else
    send_result(p);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct plan *p = context;
  p->work = work;
  p->robot = robot;
  p->n = work->robot->joint_count;
  requested_limits_in_force(&p->request.limits, work->robot, p->limits);
  p->drives = p->request.cost.drives;
  if (plan_points(p))
    find(p);
  else
    work_out_of_memory(work);
}

JOB_REQUEST(struct plan, trajectory_request_decode)

static size_t name_source(const char *kind, const char *pointer, const char *id, struct job_source *out)
{
  if (!id[0]) return 0;
  *out = (struct job_source){ .referral = { .id = "" } };
  snprintf(out->referral.kind, sizeof out->referral.kind, "%s", kind);
  snprintf(out->referral.id, sizeof out->referral.id, "%s", id);
  snprintf(out->pointer, sizeof out->pointer, "%s", pointer);
  return 1;
}

/* The trajectory that the search starts from; the data set, or the trajectories, that the motion is made of. */
static size_t sources(const void *context, struct job_source *list)
{
  const struct trajectory_request *request = &((const struct plan *)context)->request;
  size_t count = name_source("trajectory", "/seed_trajectory", request->seed_trajectory, list);
  count += name_source("dataset", "/samples/dataset", request->samples.dataset, list + count);
  for (size_t i = 0; i < request->step_count; i++) {
    char where[48];
    snprintf(where, sizeof where, "/steps/%zu/trajectory", i);
    count += name_source("trajectory", where, request->steps[i].trajectory, list + count);
  }
  return count;
}

static void release(void *context)
{
  struct plan *p = context;
  armdyn_trajectory_free(&p->trajectory);
  armdyn_trajectory_free(&p->path);
  surrounded_close(&p->surrounded);
  trajectory_request_release(&p->request);
  free(p->points);
  free(p->times);
}

const struct job_kind trajectory_kind = {
  .name = "trajectory",
  .stall_s = 600,
  .form = &trajectory_form,
  .samples = &motion_samples,
  .motion = true,
  .size = sizeof(struct plan),
  .labels = offsetof(struct plan, request.labels),
  .carried = offsetof(struct plan, request.carried),
  .in_cell = true,
  .decode = decode,
  .sources = sources,
  .compute = compute,
  .release = release,
};
