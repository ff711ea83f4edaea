#include "server/watch/following.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double CUTOFF = 20, CUTOFF_OF_RATE = 0.2;  /* Hz, and of the rate: whichever is lower */
static const double TRIM_PERIODS = 3;                   /* as of logs: server/work/conditioning.c */
static const double MISSING = 0.1, MISSING_PERIODS = 5; /* s, and periods of telemetry: a longer step is a gap */
static const double NOISES = 3;            /* what drifts makes more torque than so many times what noise would */
static const double LET_GO = 0.8;          /* of its threshold: then it has drifted no more */
static const double OF_MEASURED = 0.02;    /* of the torque: no threshold that is made is lower */
static const double FEWEST_WINDOWS = 5;    /* s of motion that a verdict needs */
static const double POINTS_OF_MEMORY = 12; /* of the history, at first */

/* -- life -- */

static enum armdyn_status choose_conditioning(struct following *f, double rate, struct armdyn_error *error)
{
  const struct identification_conditioning *asked = &f->request.conditioning;
  struct armdyn_conditioning *c = &f->conditioning;
  *c = (struct armdyn_conditioning){ .method = asked->method };
  c->rate = isnan(asked->rate) ? rate : asked->rate;
  if (!(c->rate > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/conditioning/rate",
                         "is needed: the controller's entry asks for no telemetry (profile/telemetry_rate)");
  const double cutoff = fmin(CUTOFF, CUTOFF_OF_RATE * c->rate);
  c->position_cutoff = isnan(asked->position_cutoff_hz) ? cutoff : asked->position_cutoff_hz;
  c->torque_cutoff = isnan(asked->torque_cutoff_hz) ? cutoff : asked->torque_cutoff_hz;
  c->tracking_acceleration = isnan(asked->tracking_acceleration) ? 0 : asked->tracking_acceleration;
  const double fastest = fmax(c->position_cutoff, c->torque_cutoff);
  if (!(fastest < c->rate / 2))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/conditioning",
                         "has a cut-off of %g Hz, which must be below half the rate, %g Hz", fastest, c->rate / 2);
  const double slowest =
      fmin(c->position_cutoff > 0 ? c->position_cutoff : INFINITY, c->torque_cutoff > 0 ? c->torque_cutoff : INFINITY);
  c->trim = !isnan(asked->trim) ? asked->trim : isfinite(slowest) ? TRIM_PERIODS / slowest : 0;
  if (asked->has_torque_delay) memcpy(c->torque_delay, asked->torque_delay, sizeof c->torque_delay);
  return ARMDYN_OK;
}

/* What is learnt, and nothing of who asked. */
static void forget(struct following *f)
{
  rows_release(&f->rows);
  robots_release(f->robots, f->carried);
  robots_release(f->robots, f->model);
  armdyn_drift_free(f->drift);
  armdyn_workspace_free(f->workspace);
  free(f->change);
  free(f->numbers);
  f->carried = f->model = NULL;
  f->drift = NULL;
  f->workspace = NULL;
  f->change = f->deviation = f->numbers = NULL;
  f->samples = f->motions = f->contacts = f->gap_count = f->point_count = 0;
  f->seconds = 0;
  *f->transfer = *f->updated_at = *f->drifted_at = *f->contact_at = '\0';
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++)
    f->joints[j] = (struct watch_joint){ .threshold = NAN, .residual = NAN, .peak = NAN };
}

void following_release(struct following *f)
{
  forget(f);
}

static void lay_out_history(struct following *f)
{
  double *at = f->numbers;
  for (size_t i = 0; i < WATCH_POINTS; i++, at += 2 * f->b + f->n)
    f->points[i] = (struct watch_point){ .change = at, .deviation = at + f->b, .drift_torque = at + 2 * f->b };
  f->spacing = f->due = f->request.memory / POINTS_OF_MEMORY;
}

enum armdyn_status following_begin(struct following *f, const struct robot_entry *model, double rate,
                                   struct armdyn_error *error)
{
  const struct armdyn_drift_choice choice = { .all = f->request.parameters == WATCH_ALL, .memory = f->request.memory };
  forget(f);
  f->model = model;
  f->n = f->rows.n = armdyn_robot_joint_count(model->robot);
  clock_format(clock_wall_ms(), f->begun_at);
  enum armdyn_status status = choose_conditioning(f, rate, error);
  if (!status) status = armdyn_drift_new(model->robot, &choice, &f->drift, error);
  if (status) return status;
  f->b = armdyn_drift_count(f->drift);
  f->workspace = armdyn_workspace_new(f->n);
  f->change = calloc(2 * f->b, sizeof *f->change);
  f->numbers = calloc(WATCH_POINTS * (2 * f->b + f->n), sizeof *f->numbers);
  if (!f->workspace || !f->change || !f->numbers) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory");
  f->deviation = f->change + f->b;
  lay_out_history(f);
  return ARMDYN_OK;
}

void following_miss(struct following *f, enum watch_gap_reason reason, const char *from, const char *transfer)
{
  if (f->gap_count >= WATCH_GAPS) memmove(f->gaps, f->gaps + 1, (WATCH_GAPS - 1) * sizeof *f->gaps);
  struct watch_gap *gap = &f->gaps[f->gap_count < WATCH_GAPS ? f->gap_count : WATCH_GAPS - 1];
  *gap = (struct watch_gap){ .reason = reason };
  clock_format(clock_wall_ms(), gap->to);
  snprintf(gap->from, sizeof gap->from, "%s", *from ? from : gap->to);
  snprintf(gap->transfer, sizeof gap->transfer, "%s", transfer);
  f->gap_count++;
}

/* That nothing is known of the last so many seconds. */
static void miss_seconds(struct following *f, enum watch_gap_reason reason, double seconds)
{
  char from[TIME_SIZE];
  clock_format(clock_wall_ms() - (int64_t)(1000 * seconds), from);
  following_miss(f, reason, from, f->transfer);
}

/* -- what a piece tells -- */

/* Every second point goes, the distance between those that come is twice as long. */
static void thin_out(struct following *f)
{
  for (size_t i = 1; i < WATCH_POINTS; i++) {
    if (i % 2) continue;
    const struct watch_point freed = f->points[i / 2];
    f->points[i / 2] = f->points[i];
    f->points[i] = freed;
  }
  f->point_count = WATCH_POINTS / 2;
  f->spacing *= 2;
}

static void note_point(struct following *f)
{
  if (f->seconds < f->due) return;
  if (f->point_count == WATCH_POINTS) thin_out(f);
  struct watch_point *point = &f->points[f->point_count++];
  memcpy(point->at, f->updated_at, sizeof point->at);
  point->seconds = f->seconds;
  memcpy(point->change, f->change, f->b * sizeof *f->change);
  memcpy(point->deviation, f->deviation, f->b * sizeof *f->deviation);
  for (size_t j = 0; j < f->n; j++) point->drift_torque[j] = f->joints[j].drift.torque;
  f->due = f->seconds + f->spacing;
}

static double threshold_of(const struct following *f, size_t joint)
{
  const struct armdyn_drift_joint *drift = &f->joints[joint].drift;
  if (f->request.has_thresholds) return f->request.thresholds[joint];
  return fmax(f->request.share * drift->friction, OF_MEASURED * drift->measured);
}

/* Which joints have drifted: beyond the threshold, and beyond what noise can do. */
static void judge(struct following *f)
{
  const bool before = *f->drifted_at;
  bool any = false;
  for (size_t j = 0; j < f->n; j++) {
    struct watch_joint *joint = &f->joints[j];
    const double torque = joint->drift.torque;
    joint->threshold = threshold_of(f, j);
    const bool far = torque > (joint->drifted ? LET_GO : 1) * joint->threshold;
    joint->drifted = far && (joint->drifted || (torque > NOISES * joint->drift.noise && f->seconds >= FEWEST_WINDOWS));
    any = any || joint->drifted;
  }
  if (any && !before) memcpy(f->drifted_at, f->updated_at, sizeof f->drifted_at);
  if (!any) *f->drifted_at = '\0';
}

static void estimate(struct following *f)
{
  struct armdyn_drift_estimate now = { .change = f->change, .deviation = f->deviation };
  if (armdyn_drift_read(f->drift, &now)) return; /* no memory: what was read before stays */
  for (size_t j = 0; j < f->n; j++) f->joints[j].drift = now.joints[j];
  judge(f);
  note_point(f);
}

/* The observer looks at torques as they were measured: it is a filter itself. */
static void observe(struct following *f, const struct armdyn_motion *motion)
{
  const size_t n = f->n;
  for (size_t k = 0; k < motion->count; k++) {
    const double t = motion->start + (double)k / motion->rate;
    armdyn_observe(&f->observer, f->carried->robot, t, motion->q + k * n, motion->qd + k * n, motion->tau_raw + k * n,
                   NULL, f->workspace);
    for (size_t j = 0; j < n; j++) {
      struct watch_joint *joint = &f->joints[j];
      joint->residual = f->observer.residual[j];
      if (isnan(joint->peak) || fabs(joint->residual) > fabs(joint->peak)) joint->peak = joint->residual;
    }
    if (!f->request.has_collision_thresholds) continue;
    if (armdyn_alarm_take(&f->alarm, n, t, f->observer.residual) != ARMDYN_ALARM_BEGINS) continue;
    f->contacts++;
    memcpy(f->contact_at, f->updated_at, sizeof f->contact_at);
  }
}

/* Take in what can be told of the rows so far. */
static void advance(struct following *f, bool last)
{
  struct armdyn_motion motion;
  enum armdyn_status status = rows_piece(&f->rows, &f->conditioning, last, &motion, NULL);
  if (!status && motion.count) {
    clock_format(clock_wall_ms(), f->updated_at);
    observe(f, &motion);
    status = armdyn_drift_take(f->drift, &motion, NULL);
    f->seconds += (double)motion.count / motion.rate;
    f->samples += motion.count;
    f->motions += !f->taken;
    f->taken = true;
    if (!status) estimate(f);
  }
  if (status) {
    miss_seconds(f, WATCH_GAP_REFUSED, f->rows.time[f->rows.count - 1] - f->rows.done);
    rows_clear(&f->rows);
  }
  armdyn_motion_free(&motion);
}

/* -- motions -- */

/* What it holds is known and can be taken off; false: why not is told. */
static bool load(struct following *f, const struct telemetry_origin *origin)
{
  robots_release(f->robots, f->carried);
  f->carried = NULL;
  enum armdyn_status status = strcmp(origin->robot, f->robot) != 0 ? ARMDYN_EINPUT : ARMDYN_OK;
  if (!status) status = robots_get_with(f->robots, f->robot, f->model->revision, &origin->overrides, &f->carried);
  if (!status && f->carried) status = armdyn_drift_load(f->drift, f->carried->robot, NULL);
  if (status) miss_seconds(f, WATCH_GAP_OTHER_ARM, 0);
  return !status;
}

static void begin_stretch(struct following *f)
{
  const double gain = 2 * PI * f->request.observer_bandwidth_hz;
  rows_clear(&f->rows);
  armdyn_observer_init(&f->observer, gain, false);
  armdyn_alarm_init(&f->alarm, f->request.collision_thresholds, 3 / gain); /* as of collision checks */
}

static void begin_motion(struct following *f, const char *transfer, const struct telemetry_origin *origin)
{
  if (*f->transfer) following_end(f, f->transfer, true); /* its end was not heard of */
  snprintf(f->transfer, sizeof f->transfer, "%s", transfer);
  f->taken = false;
  for (size_t j = 0; j < f->n; j++) f->joints[j].residual = f->joints[j].peak = NAN;
  begin_stretch(f);
  f->unusable = !load(f, origin);
}

/* Are those the torques that the drives made? */
static bool has_torques(struct following *f, const struct telemetry_block *block)
{
  if (!block->commanded && block->content == TORQUE_FULL) return true;
  if (!f->unusable) miss_seconds(f, WATCH_GAP_NO_TORQUES, 0);
  f->unusable = true;
  return false;
}

void following_take(struct following *f, const char *transfer, const struct telemetry_origin *origin,
                    const struct telemetry_block *block)
{
  const double longest = fmax(MISSING, MISSING_PERIODS / f->conditioning.rate);
  if (strcmp(f->transfer, transfer) != 0) begin_motion(f, transfer, origin);
  if (f->unusable || block->joints != f->n || !has_torques(f, block)) return;
  for (size_t k = 0; k < block->count; k++) {
    const struct telemetry_row *row = &block->rows[k];
    const double step = f->rows.count ? row->time - f->rows.time[f->rows.count - 1] : 0;
    if (f->rows.count && !(step > 0)) continue;
    if (step > longest) {
      miss_seconds(f, WATCH_GAP_MISSING, step);
      advance(f, true);
      begin_stretch(f);
    }
    if (rows_add(&f->rows, row)) miss_seconds(f, WATCH_GAP_OVERRUN, 0);
  }
  advance(f, false);
}

void following_end(struct following *f, const char *transfer, bool gateway_lost)
{
  if (strcmp(f->transfer, transfer) != 0) return;
  if (!f->unusable) advance(f, true);
  if (gateway_lost) miss_seconds(f, WATCH_GAP_GATEWAY_LOST, 0);
  if (!f->unusable && !f->taken) miss_seconds(f, WATCH_GAP_TOO_SHORT, 0);
  rows_clear(&f->rows);
  *f->transfer = '\0';
}

/* -- what is told and kept -- */

struct watch_view following_view(const struct following *f)
{
  return (struct watch_view){ .controller = f->controller,
                              .robot = f->robot,
                              .transfer = f->transfer,
                              .started_at = f->started_at,
                              .begun_at = f->begun_at,
                              .updated_at = f->updated_at,
                              .drifted_at = f->drifted_at,
                              .contact_at = f->contact_at,
                              .revision = f->model->revision,
                              .model = armdyn_robot_description(f->model->robot),
                              .drift = f->drift,
                              .request = &f->request,
                              .conditioning = &f->conditioning,
                              .motions = f->motions,
                              .samples = f->samples,
                              .contacts = f->contacts,
                              .gap_count = f->gap_count,
                              .point_count = f->point_count,
                              .seconds = f->seconds,
                              .spacing = f->spacing,
                              .change = f->change,
                              .deviation = f->deviation,
                              .joints = f->joints,
                              .gaps = f->gaps,
                              .points = f->points };
}
