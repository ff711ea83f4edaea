/* Collision checks: logs, or a simulated arm that is struck, watched by an observer of momentum. Thresholds are given, or
 * found in logs without collisions, which are gone through twice: to learn what residuals are like, and to hold each part
 * against what was learnt from the others. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "server/data/opened_logs.h"
#include "server/work/collision_simulation.h"
#include "server/work/conditioning.h"
#include "server/work/kinds.h"

enum { PARTS_OF_ONE_LOG = 5 };
static const double LEAST_THRESHOLD = 1e-9; /* N m, N: of a joint that feels nothing at all */
static const double WORK_OF_PASSES[] = { 0, 0.25, 0.5, 1 };

/* Why a log is gone through. */
enum pass { LEARNING, HOLDING_OUT, CHECKING };

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct collision_check_request request;
  size_t n, reference_count, part_count;
  struct opened_logs logs; /* the reference, then what is checked */
  struct armdyn_conditioning conditioning;
  struct identification_conditioning used;
  struct collision_watch watch;
  double thresholds[ARMDYN_JOINTS_MAX];
  struct collision_figures parts[LIMIT_DATASETS];       /* of the reference: its logs, or parts of the only one */
  struct collision_figures figures[2 * LIMIT_DATASETS]; /* of every log */
  struct collision_outcome outcome;
  size_t warning_count;
  struct identification_warning warnings[2 * LIMIT_DATASETS];
  char told[2 * LIMIT_DATASETS][256];
};

/* -- what is gone through -- */

static void warn_of_conditions(struct run *run, size_t log)
{
  if (!run->logs.motions[log].other_conditions) return;
  char *told = run->told[run->warning_count];
  snprintf(told, sizeof run->told[0],
           "data set %s was logged with another payload, tool or gravity than the model's, and the residuals have the "
           "difference in them",
           run->logs.data[log].id);
  run->warnings[run->warning_count++] =
      (struct identification_warning){ .code = "other_conditions", .joint = NULL, .detail = told };
}

static enum armdyn_status open_logs(struct run *run, struct armdyn_error *error)
{
  const struct collision_check_request *request = &run->request;
  const struct listed_logs reference = { .list = &request->reference, .name = "reference", .to = 1 };
  const struct listed_logs checked = { .list = &request->datasets, .name = "datasets", .to = 1 };
  struct identification_conditioning asked = request->conditioning;
  struct store *store;
  enum armdyn_status status = work_store(run->work, &store);
  if (!status) status = opened_logs_open(store, &reference, run->work->robot, &run->logs, error);
  run->reference_count = run->logs.count;
  run->part_count = run->reference_count == 1 ? PARTS_OF_ONE_LOG : run->reference_count;
  if (!status) status = opened_logs_open(store, &checked, run->work->robot, &run->logs, error);
  if (status || !run->logs.count) return status;
  for (size_t i = 0; i < run->logs.count; i++) warn_of_conditions(run, i);
  /* the observer is a filter itself, and one that does not look ahead */
  if (isnan(asked.torque_cutoff_hz)) asked.torque_cutoff_hz = 0;
  return conditioning_choose(&asked, run->logs.motions, run->logs.count, &run->conditioning, &run->used, error);
}

/* -- thresholds -- */

/* By all parts of the reference but one; `without` = part_count: by all. */
static void find_thresholds(const struct run *run, size_t without, double *thresholds)
{
  for (size_t j = 0; j < run->n; j++) {
    double peak = 0;
    for (size_t p = 0; p < run->part_count; p++)
      if (p != without) peak = fmax(peak, run->parts[p].peak[j]);
    thresholds[j] = fmax(run->request.margin * peak, LEAST_THRESHOLD);
  }
}

static size_t part_of(const struct run *run, size_t log, double fraction)
{
  if (run->reference_count > 1) return log;
  return (size_t)fmin(fmax(fraction, 0) * PARTS_OF_ONE_LOG, PARTS_OF_ONE_LOG - 1);
}

/* -- logs -- */

/* One log on its way through the observer. */
struct passage {
  struct run *run;
  enum pass pass;
  size_t log, part;
  double thresholds[ARMDYN_JOINTS_MAX]; /* of the part, by the others */
  struct collision_figures held_out;    /* of which only the alarms count */
};

/* A part of the reference is judged by the others, from a fresh alarm. */
static void enter_part(struct passage *p, size_t part)
{
  struct collision_watch *watch = &p->run->watch;
  if (part == p->part) return;
  p->part = part;
  if (p->pass != HOLDING_OUT) return;
  find_thresholds(p->run, part, p->thresholds);
  armdyn_alarm_init(&watch->alarm, p->thresholds, collision_hold(watch->gain));
}

static void take_block(struct passage *p, const struct armdyn_motion *motion, double begin, size_t *position)
{
  struct run *run = p->run;
  const struct logged_motion *logged = &run->logs.motions[p->log];
  for (size_t k = 0; k < motion->count; k++) {
    const double t = begin + (double)(*position)++ / motion->rate;
    struct collision_figures *figures = &run->figures[p->log];
    if (p->pass != CHECKING) {
      enter_part(p, part_of(run, p->log, (t - logged->begin) / (logged->end - logged->begin)));
      figures = p->pass == LEARNING ? &run->parts[p->part] : &p->held_out;
    }
    collision_watch_take(&run->watch, t, motion->q + k * run->n, motion->qd + k * run->n, motion->tau + k * run->n,
                         figures);
  }
}

static void tell_progress(const struct passage *p, double fraction)
{
  static const char *const doing[] = { "learning residuals from", "holding out parts of", "checking" };
  const struct run *run = p->run;
  const bool checking = p->pass == CHECKING;
  const size_t first = checking ? run->reference_count : 0;
  const size_t count = checking ? run->logs.count - run->reference_count : run->reference_count;
  const double from = WORK_OF_PASSES[p->pass], to = WORK_OF_PASSES[p->pass + 1];
  char sentence[96];
  snprintf(sentence, sizeof sentence, "%s data set %zu of %zu", doing[p->pass], p->log - first + 1, count);
  work_progress(run->work, from + (to - from) * ((double)(p->log - first) + fraction) / (double)count, sentence);
}

static enum armdyn_status go_through(struct run *run, size_t log, enum pass pass, struct armdyn_error *error)
{
  struct passage p = { .run = run, .pass = pass, .log = log, .part = SIZE_MAX };
  const struct logged_motion *logged = &run->logs.motions[log];
  const struct armdyn_log_reader reader = logged_motion_reader(&run->logs.motions[log]);
  const double rate = run->conditioning.rate, begin = logged->begin + ceil(run->conditioning.trim * rate - 1e-9) / rate;
  struct armdyn_log_stream *stream;
  struct armdyn_motion motion;
  size_t position = 0;
  enum armdyn_status status = armdyn_log_stream_new(run->n, &reader, 1, &run->conditioning, &stream, error);
  if (status) return status;
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  collision_watch_begin(&run->watch, log - (pass == CHECKING ? run->reference_count : 0),
                        pass == CHECKING ? run->thresholds : NULL, pass == CHECKING);
  for (size_t block = 0; !status && block < source.blocks; block++) {
    tell_progress(&p, (double)block / (double)source.blocks);
    status = source.read(source.context, block, &motion, error);
    if (!status) take_block(&p, &motion, begin, &position);
  }
  collision_watch_end(&run->watch);
  run->figures[log].alarms += p.held_out.alarms;
  armdyn_log_stream_free(stream);
  return status;
}

/* Twice: what is learnt of each part first, and then whether the others would have known it. */
static enum armdyn_status go_through_reference(struct run *run, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < run->reference_count && !status; i++) status = go_through(run, i, LEARNING, error);
  for (size_t p = 0; p < run->part_count && !status; p++)
    collision_figures_add(&run->figures[run->reference_count > 1 ? p : 0], &run->parts[p], run->n);
  for (size_t i = 0; i < run->reference_count && !status; i++) status = go_through(run, i, HOLDING_OUT, error);
  find_thresholds(run, run->part_count, run->thresholds);
  return status;
}

static enum armdyn_status go_through_logs(struct run *run, struct armdyn_error *error)
{
  const double rate = run->conditioning.rate;
  double samples = 0;
  for (size_t i = run->reference_count; i < run->logs.count; i++)
    samples += (run->logs.motions[i].end - run->logs.motions[i].begin) * rate + 1;
  enum armdyn_status status = collision_watch_keep(&run->watch, run->work, rate, samples);
  for (size_t i = run->reference_count; i < run->logs.count && !status; i++)
    status = go_through(run, i, CHECKING, error);
  return status;
}

/* -- the end -- */

static void send_result(struct run *run)
{
  struct buffer document = BUFFER(LIMIT_FRAME);
  struct collision_log logs[2 * LIMIT_DATASETS];
  const size_t checked = *run->request.trajectory ? 1 : run->logs.count - run->reference_count;
  for (size_t i = 0; i < run->reference_count + checked; i++)
    logs[i] = collision_log_of(&run->figures[i], run->n,
                               i < run->logs.count ? run->conditioning.rate : run->request.sample_rate);
  const struct collision_check_result result = {
    .request = &run->request,
    .request_text = run->work->request,
    .robot = run->work->robot,
    .thresholds = run->thresholds,
    .gain = run->watch.gain,
    .data = run->logs.data,
    .logs = logs,
    .reference_count = run->reference_count,
    .checked_count = checked,
    .parts = run->part_count,
    .conditioning = run->used,
    .events = run->watch.events,
    .event_count = run->watch.event_count,
    .listed = run->watch.event_count < LIMIT_COLLISION_EVENTS ? run->watch.event_count : LIMIT_COLLISION_EVENTS,
    .outcome = run->outcome,
    .sample_rate = thinned_series_rate(&run->watch.series),
    .warnings = run->warnings,
    .warning_count = run->warning_count,
  };
  collision_check_result_encode(&result, &document);
  work_result(run->work, &document);
  buffer_release(&document);
}

static enum armdyn_status check(struct run *run, struct armdyn_error *error)
{
  struct collision_watch *watch = &run->watch;
  watch->workspace = armdyn_workspace_new(run->n);
  watch->events = malloc(LIMIT_COLLISION_EVENTS * sizeof *watch->events);
  if (!watch->workspace || !watch->events) return ARMDYN_EMEMORY;
  work_progress(run->work, 0, "opening data sets");
  enum armdyn_status status = open_logs(run, error);
  if (!status && run->reference_count) status = go_through_reference(run, error);
  if (status) return status;
  if (*run->request.trajectory)
    status = collision_simulate(run->work, &run->request, run->thresholds, watch, &run->figures[run->reference_count],
                                &run->outcome, error);
  else
    status = go_through_logs(run, error);
  if (!status) thinned_series_close(&watch->series);
  return status;
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  struct armdyn_error error = { "", "" };
  run->work = work;
  run->n = work->robot->joint_count;
  run->watch.robot = robot;
  run->watch.gain = 2 * 3.14159265358979323846 * run->request.observer_bandwidth_hz;
  run->watch.load.frictionless = !run->request.friction;
  memcpy(run->thresholds, run->request.thresholds, sizeof run->thresholds);
  const enum armdyn_status status = check(run, &error);
  if (status)
    work_refused(work, status, &error);
  else
    send_result(run);
}

JOB_REQUEST(struct run, collision_check_request_decode)

/* What a simulated arm follows, be it planned or an excitation or a friction test. */
static size_t sources(const void *context, struct job_source *list)
{
  const struct run *run = context;
  return job_source_of_motion(run->request.trajectory, list);
}

static void release(void *context)
{
  struct run *run = context;
  opened_logs_release(&run->logs);
  armdyn_workspace_free(run->watch.workspace);
  free(run->watch.events);
  free(run->watch.series.rows);
}

static const struct sample_field fields[] = { { "t", 1 }, { "dataset", 1 }, { "residual", PER_JOINT }, { "alarm", 1 } };
static const struct series_form samples = { .fields = fields, .field_count = sizeof fields / sizeof *fields };

const struct job_kind collision_check_kind = {
  .name = "collision_check",
  .stall_s = 600,
  .form = &collision_check_form,
  .samples = &samples,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .datasets = { { "datasets", offsetof(struct run, request.datasets) },
                { "reference", offsetof(struct run, request.reference) } },
  .decode = decode,
  .sources = sources,
  .compute = compute,
  .release = release,
};
