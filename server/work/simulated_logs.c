#include "server/work/simulated_logs.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* -- the motion and its torques -- */

static enum armdyn_status allocate(const struct simulated_truth *truth, struct simulated_logs *logs,
                                   struct armdyn_error *error)
{
  const double rate = truth->conditioning->rate;
  const size_t n = truth->data->motions[0].robot->joint_count;
  double torques = 0;
  for (size_t i = 0; i < truth->data_count; i++) {
    const struct logged_motion *motion = &truth->data->motions[i];
    struct simulated_log *log = &logs->logs[i];
    const double samples = floor((motion->end - motion->begin) * rate + 1e-6) + 2;
    torques += samples * (double)n;
    if (torques > LIMIT_STUDY_TORQUES)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/identification",
                           "was identified from more than %d samples times joints, which is the most that a study "
                           "simulates; identify from a part of them",
                           LIMIT_STUDY_TORQUES);
    const size_t room = (size_t)samples;
    log->n = n;
    log->time = malloc(room * sizeof *log->time);
    log->q = malloc(5 * room * n * sizeof *log->q);
    logs->count = i + 1;
    if (!log->time || !log->q) return ARMDYN_EMEMORY;
    log->tau = log->q + room * n;
    log->q_read = log->tau + room * n;
    log->tau_read = log->q_read + room * n;
    log->wanted = log->tau_read + room * n;
  }
  return ARMDYN_OK;
}

static enum armdyn_status predict(const struct simulated_truth *truth, const struct armdyn_motion *motion, size_t n,
                                  double *tau)
{
  enum armdyn_status status = armdyn_predict(truth->unknowns, truth->beta, motion, tau);
  if (status || !truth->known) return status;
  double *held = malloc((motion->count * n + 1) * sizeof *held);
  status = held ? armdyn_known_friction_torques(truth->known, motion, false, held) : ARMDYN_EMEMORY;
  for (size_t k = 0; k < motion->count * n && !status; k++) tau[k] += held[k];
  free(held);
  return status;
}

/* One block behind those before. */
static enum armdyn_status take_block(const struct simulated_truth *truth, const struct armdyn_motion *motion,
                                     size_t room, struct simulated_log *log)
{
  const size_t n = log->n, at = log->count * n;
  struct armdyn_motion part = *motion;
  if (part.count > room - log->count) part.count = room - log->count;
  for (size_t k = 0; k < part.count; k++) log->time[log->count + k] = part.start + (double)k / part.rate;
  memcpy(log->q + at, part.q, part.count * n * sizeof *log->q);
  log->count += part.count;
  return predict(truth, &part, n, log->tau + at);
}

/* Read the whole of a log with other filters, block by block. */
typedef enum armdyn_status take_motion(void *context, const struct armdyn_motion *motion);
static enum armdyn_status read_whole(struct logged_motion *data, const struct armdyn_conditioning *conditioning,
                                     take_motion *take, void *context, struct armdyn_error *error)
{
  const struct armdyn_log_reader reader = logged_motion_reader(data);
  const size_t n = data->robot->joint_count;
  struct armdyn_log_stream *stream;
  struct armdyn_motion motion;
  enum armdyn_status status = armdyn_log_stream_new(n, &reader, 1, conditioning, &stream, error);
  if (status) return status;
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  for (size_t block = 0; !status && block < source.blocks; block++) {
    status = source.read(source.context, block, &motion, error);
    if (!status) status = take(context, &motion);
  }
  armdyn_log_stream_free(stream);
  return status;
}

struct copying {
  const struct simulated_truth *truth;
  struct simulated_log *log;
  size_t room;
};
static enum armdyn_status copy_block(void *context, const struct armdyn_motion *motion)
{
  struct copying *copying = context;
  return take_block(copying->truth, motion, copying->room, copying->log);
}

/* -- noise of positions -- */

static struct armdyn_conditioning without_filters(const struct armdyn_conditioning *conditioning)
{
  struct armdyn_conditioning unfiltered = *conditioning;
  unfiltered.method = ARMDYN_BUTTERWORTH;
  unfiltered.position_cutoff = unfiltered.torque_cutoff = unfiltered.trim = 0;
  return unfiltered;
}

/* What the filter took off the positions. */
struct comparing {
  const struct simulated_log *log;
  size_t at;
  double *squares; /* n */
};
static enum armdyn_status compare_block(void *context, const struct armdyn_motion *motion)
{
  struct comparing *c = context;
  const size_t n = c->log->n;
  for (size_t k = 0; k < motion->count && c->at < c->log->count; k++, c->at++)
    for (size_t j = 0; j < n; j++) {
      const double off = motion->q[k * n + j] - c->log->q[c->at * n + j];
      c->squares[j] += off * off;
    }
  return ARMDYN_OK;
}

/* Noise that is alike at all frequencies lost this part of its power in the filter. */
static double lost_power(const struct armdyn_conditioning *conditioning)
{
  return fmax(1 - 2 * conditioning->position_cutoff / conditioning->rate, 0.01);
}

static enum armdyn_status learn_deviations(const struct simulated_truth *truth, struct simulated_logs *logs,
                                           struct armdyn_error *error)
{
  const struct armdyn_conditioning unfiltered = without_filters(truth->conditioning);
  double squares[ARMDYN_JOINTS_MAX] = { 0 }, samples = 0;
  for (size_t i = 0; i < logs->count; i++) {
    struct comparing comparing = { .log = &logs->logs[i], .squares = squares };
    const enum armdyn_status status =
        read_whole(&truth->data->motions[i], &unfiltered, compare_block, &comparing, error);
    if (status) return status;
    samples += (double)comparing.at;
  }
  for (size_t j = 0; j < logs->logs[0].n; j++)
    logs->position_deviation[j] = sqrt(squares[j] / fmax(samples, 1) / lost_power(truth->conditioning));
  return ARMDYN_OK;
}

static enum armdyn_status learn_position_noise(const struct simulated_truth *truth, struct simulated_logs *logs,
                                               struct armdyn_error *error)
{
  double deviations[ARMDYN_JOINTS_MAX];
  const bool known = truth->position_noise && truth->conditioning->position_cutoff > 0;
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) logs->position_deviation[j] = NAN;
  const enum armdyn_status status = known ? learn_deviations(truth, logs, error) : ARMDYN_OK;
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) deviations[j] = known ? logs->position_deviation[j] : 0;
  return status ? status : armdyn_noise_white(logs->logs[0].n, deviations, &logs->of_positions);
}

/* -- noise of torques -- */

struct residuals {
  size_t room, used, count; /* numbers, stretches */
  double *values;
  struct armdyn_residuals *stretches;
  size_t log; /* where the last one ended */
  double end;
};

static enum armdyn_status keep_residuals(const struct simulated_truth *truth, const struct armdyn_motion *motion,
                                         size_t n, struct residuals *r)
{
  if (!motion->count) return ARMDYN_OK;
  if (r->used + motion->count * n > r->room) return ARMDYN_EMEMORY;
  double *e = r->values + r->used;
  const enum armdyn_status status = armdyn_predict(truth->unknowns, truth->beta, motion, e);
  for (size_t k = 0; k < motion->count * n; k++) e[k] = motion->tau_raw[k] - e[k];
  r->used += motion->count * n;
  const bool goes_on = r->count && motion->log == r->log && fabs(motion->start - r->end) * motion->rate < 0.5;
  if (goes_on)
    r->stretches[r->count - 1].count += motion->count;
  else
    r->stretches[r->count++] = (struct armdyn_residuals){ motion->count, e };
  r->log = motion->log;
  r->end = motion->start + (double)motion->count / motion->rate;
  return status;
}

static enum armdyn_status learn_noise_of(const struct simulated_truth *truth, const struct armdyn_source *source,
                                         size_t n, struct simulated_logs *logs, struct armdyn_error *error)
{
  struct residuals r = { .room = (source->samples + 2 * source->blocks) * n };
  r.values = malloc((r.room + 1) * sizeof *r.values);
  r.stretches = malloc((source->blocks + 1) * sizeof *r.stretches);
  enum armdyn_status status = r.values && r.stretches ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t block = 0; block < source->blocks && !status; block++) {
    struct armdyn_motion motion;
    status = source->read(source->context, block, &motion, error);
    if (!status) status = keep_residuals(truth, &motion, n, &r);
  }
  if (!status) status = armdyn_noise_fit(n, r.stretches, r.count, &logs->of_torques, error);
  free(r.values);
  free(r.stretches);
  return status;
}

/* Along the path of the loop, where there is one: with noise of positions in the columns it would be counted twice. */
static enum armdyn_status learn_torque_noise(const struct simulated_truth *truth, size_t n, struct simulated_logs *logs,
                                             struct armdyn_error *error)
{
  struct armdyn_loop_path *path = NULL;
  if (!truth->loop) return learn_noise_of(truth, truth->trained, n, logs, error);
  enum armdyn_status status = armdyn_loop_path_new(truth->robot, truth->unknowns, truth->in_loop, truth->trained,
                                                   &truth->loop->known, &path, error);
  if (!status) {
    const struct armdyn_source moved = armdyn_loop_path_source(path);
    status = learn_noise_of(truth, &moved, n, logs, error);
  }
  armdyn_loop_path_free(path);
  return status;
}

/* -- the motion of a loop -- */

static enum armdyn_status copy_reference(void *context, const struct armdyn_motion *motion)
{
  const struct copying *copying = context;
  struct simulated_log *log = copying->log;
  size_t count = copying->room - log->count;
  if (count > motion->count) count = motion->count;
  memcpy(log->wanted + log->count * log->n, motion->q, count * log->n * sizeof *log->wanted);
  log->count += count;
  return ARMDYN_OK;
}

static enum armdyn_status hand_over(void *context, size_t index, struct armdyn_motion *motion,
                                    struct armdyn_error *error)
{
  (void)index, (void)error;
  *motion = *(const struct armdyn_motion *)context;
  return ARMDYN_OK;
}

/* The arm begins on its reference. */
static enum armdyn_status follow(const struct simulated_truth *truth, const struct armdyn_motion *reference,
                                 struct simulated_log *log, struct armdyn_error *error)
{
  const struct armdyn_source wanted = { reference->count, 1, hand_over, (void *)(uintptr_t)reference };
  const struct armdyn_known_loop loop = { truth->loop->known.kp, truth->loop->known.kd, &wanted };
  struct armdyn_loop_path *path = NULL;
  struct armdyn_motion moved = { 0 };
  enum armdyn_status status =
      armdyn_loop_path_new(truth->robot, truth->unknowns, truth->in_loop, &wanted, &loop, &path, error);
  if (!status) {
    const struct armdyn_source source = armdyn_loop_path_source(path);
    status = source.read(source.context, 0, &moved, error);
  }
  if (!status) {
    log->count = moved.count;
    memcpy(log->q, moved.q, moved.count * log->n * sizeof *log->q);
    status = predict(truth, &moved, log->n, log->tau);
  }
  armdyn_loop_path_free(path);
  return status;
}

/* In place of the measured motion, on the clock of which the reference is. */
static enum armdyn_status move_in_loop(const struct simulated_truth *truth, size_t index,
                                       const struct armdyn_conditioning *whole, struct simulated_log *log,
                                       struct armdyn_error *error)
{
  const struct armdyn_conditioning unfiltered = without_filters(truth->conditioning);
  struct copying copying = { truth, log, log->count };
  struct armdyn_motion reference = { 0 };
  log->count = 0;
  enum armdyn_status status =
      read_whole(&truth->loop->logs.motions[index], &unfiltered, copy_reference, &copying, error);
  const struct armdyn_log wanted = { .count = log->count, .time = log->time, .q = log->wanted, .tau = log->wanted };
  if (!status) status = armdyn_condition(log->n, &wanted, whole, &reference, error);
  if (!status) status = follow(truth, &reference, log, error);
  armdyn_motion_free(&reference);
  return status;
}

enum armdyn_status simulated_logs_make(const struct simulated_truth *truth, struct simulated_logs *logs,
                                       struct armdyn_error *error)
{
  struct armdyn_conditioning whole = *truth->conditioning;
  const size_t n = truth->data->motions[0].robot->joint_count;
  whole.trim = 0;
  enum armdyn_status status = learn_torque_noise(truth, n, logs, error);
  if (!status) status = allocate(truth, logs, error);
  for (size_t i = 0; i < logs->count && !status; i++) {
    struct simulated_log *log = &logs->logs[i];
    struct copying copying = { truth, log, (size_t)(log->tau - log->q) / n };
    status = read_whole(&truth->data->motions[i], &whole, copy_block, &copying, error);
  }
  if (!status) status = learn_position_noise(truth, logs, error);
  for (size_t i = 0; i < logs->count && !status && truth->loop; i++)
    status = move_in_loop(truth, i, &whole, &logs->logs[i], error);
  return status;
}

void simulated_logs_release(struct simulated_logs *logs)
{
  for (size_t i = 0; i < logs->count; i++) {
    free(logs->logs[i].time);
    free(logs->logs[i].q);
  }
  armdyn_noise_free(logs->of_torques);
  armdyn_noise_free(logs->of_positions);
}

/* -- runs -- */

enum armdyn_status simulated_logs_draw(struct simulated_logs *logs, uint64_t seed, size_t run)
{
  for (size_t i = 0; i < logs->count; i++) {
    struct simulated_log *log = &logs->logs[i];
    const uint64_t own = (seed * (LIMIT_STUDY_REPETITIONS + 1) + run) * 2 * LIMIT_DATASETS + 2 * i;
    enum armdyn_status status = armdyn_noise_draw(logs->of_torques, own, log->count, log->tau_read);
    if (!status) status = armdyn_noise_draw(logs->of_positions, own + 1, log->count, log->q_read);
    if (status) return status;
    for (size_t k = 0; k < log->count * log->n; k++) {
      log->tau_read[k] += log->tau[k];
      log->q_read[k] += log->q[k];
    }
  }
  return ARMDYN_OK;
}

static enum armdyn_status read_log(void *context, size_t first, size_t count, struct armdyn_log *out,
                                   struct armdyn_error *error)
{
  const struct simulated_log *log = context;
  (void)error;
  *out = (struct armdyn_log){
    .count = count, .time = log->time + first, .q = log->q_read + first * log->n, .tau = log->tau_read + first * log->n
  };
  return ARMDYN_OK;
}

static enum armdyn_status read_reference(void *context, size_t first, size_t count, struct armdyn_log *out,
                                         struct armdyn_error *error)
{
  const struct simulated_log *log = context;
  const enum armdyn_status status = read_log(context, first, count, out, error);
  out->q = log->wanted + first * log->n;
  return status;
}

struct armdyn_log_reader simulated_log_reader(struct simulated_log *log)
{
  return (struct armdyn_log_reader){
    .count = log->count, .first = log->time[0], .last = log->time[log->count - 1], .read = read_log, .context = log
  };
}

struct armdyn_log_reader simulated_reference_reader(struct simulated_log *log)
{
  struct armdyn_log_reader reader = simulated_log_reader(log);
  reader.read = read_reference;
  return reader;
}
