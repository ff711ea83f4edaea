#include "server/data/logged_vibration.h"

#include <math.h>
#include <stdlib.h>

#include "armdyn/posture_modes.h"
#include "server/data/logged_motion.h"
#include "server/data/stored_trajectory.h"

static const double STILL = 1e-9;                       /* rad/s^k, m/s^k: of a rest that was sampled */
static const double REST_LEAST = 0.1;                   /* s */
static const double FREQUENCY_MAX = 100, OF_RATE = 0.4; /* Hz; where nobody says another */

struct dying {
  struct vibration_request *request;
  struct logged_vibration *out;
  size_t n;
  double *q, *tau; /* of a data set; torques only of chirps */
};

/* Its last piece that moves ends there; 0 of a motion that never does. */
static double rests_from(const struct armdyn_trajectory *t)
{
  const size_t row = t->degree + 1, n = t->joint_count;
  for (size_t piece = t->piece_count; piece > 0; piece--)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 1; k <= t->degree; k++)
        if (fabs(t->coefficients[((piece - 1) * n + j) * row + k]) > STILL) return t->breaks[piece];
  return 0;
}

/* Of telemetry, whose clock is that of the motion that was played: when that has come to rest for good. */
static enum armdyn_status find_stop(struct dying *d, struct store *store, struct armdyn_error *error)
{
  struct vibration_request *r = d->request;
  struct store_transfer transfer = { .total = 0 };
  struct armdyn_trajectory played = { 0 };
  enum armdyn_status status = store_transfer_get(store, r->dataset, &transfer);
  if (status == ARMDYN_ENOTFOUND)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/begin",
                         "is missing: when the arm has stopped, s; only of the telemetry of a transfer it is known");
  if (!status) status = stored_trajectory_read(store, transfer.trajectory, d->n, &played);
  store_transfer_release(&transfer);
  if (status == ARMDYN_ENOTFOUND)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/begin",
                         "is missing: when the arm has stopped, s; the motion that was played is not there any more");
  if (status) return status;
  r->begin = rests_from(&played);
  const double rest = armdyn_trajectory_duration(&played) - r->begin;
  armdyn_trajectory_free(&played);
  if (rest >= REST_LEAST) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "/dataset",
                       "data set %s: its motion rests for %.3g s at its end, and telemetry ends with it: at least %g s "
                       "are needed, better ten periods of what swings: play a sequence that ends with a dwell",
                       r->dataset, rest, REST_LEAST);
}

/* All of a log that is read unfiltered onto an even clock. */
static enum armdyn_status gather(struct dying *d, struct logged_motion *motion, struct armdyn_error *error)
{
  struct armdyn_log_stream *stream = NULL;
  const struct armdyn_conditioning c = { .rate = d->out->rate = logged_motion_rate(motion) };
  const struct armdyn_log_reader reader = logged_motion_reader(motion);
  enum armdyn_status status = armdyn_log_stream_new(d->n, &reader, 1, &c, &stream, error);
  if (status) return status;
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  for (size_t b = 0; b < source.blocks && !status; b++) {
    struct armdyn_motion block;
    if ((status = source.read(source.context, b, &block, error))) break;
    const size_t room = (d->out->samples + block.count + 1) * d->n * sizeof *d->q;
    double *more = realloc(d->q, room);
    if (more) d->q = more;
    double *torques = d->request->has_chirp ? realloc(d->tau, room) : NULL;
    if (torques) d->tau = torques;
    if (!more || (d->request->has_chirp && !torques)) status = ARMDYN_EMEMORY;
    if (status) break;
    memcpy(d->q + d->out->samples * d->n, block.q, block.count * d->n * sizeof *more);
    if (torques) memcpy(d->tau + d->out->samples * d->n, block.tau_raw, block.count * d->n * sizeof *torques);
    d->out->samples += block.count;
  }
  armdyn_log_stream_free(stream);
  return status;
}

/* The rows from begin to end: parts of the whole, whose clock is taken as even. */
static enum armdyn_status of_dataset(struct dying *d, const struct armdyn_robot_description *robot, struct store *store,
                                     struct armdyn_error *error)
{
  struct vibration_request *r = d->request;
  const size_t most = r->has_chirp ? LIMIT_CHIRP_SAMPLES : LIMIT_VIBRATION_SAMPLES;
  struct logged_motion motion = { 0 };
  enum armdyn_status status = logged_motion_open_any(store, r->dataset, robot, 0, 1, &motion, error);
  const double begin = motion.begin, span = motion.end - motion.begin;
  const bool has_torques = motion.has_torques;
  logged_motion_close(&motion);
  if (status) return status;
  if (r->has_chirp && !has_torques)
    return armdyn_refuse(
        error, ARMDYN_EINPUT, "",
        "has no torques: a chirp is told by torque and position; upload it with a column tau for each joint");
  if (isnan(r->begin)) r->begin = begin;
  const double from = (r->begin - begin) / span, to = isnan(r->end) ? 1 : (r->end - begin) / span;
  if (!(from >= 0 && from < 1 && to <= 1 + 1e-9))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "goes from %g to %g s", begin, begin + span);
  if (!(to > from))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "is asked for to %g s, but its motion rests from %g s on", r->end,
                         r->begin);
  status = logged_motion_open_any(store, r->dataset, robot, from, fmin(to, 1), &motion, error);
  if (!status && motion.count > most)
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "has %zu samples there; at most %zu are taken here", motion.count,
                           most);
  if (!status) status = gather(d, &motion, error);
  d->out->other_payload = motion.other_payload, d->out->payload = motion.payload;
  logged_motion_close(&motion);
  return status;
}

/* The windows of the joints that were swept, one after the other. */
static enum armdyn_status lay_windows(const struct dying *d, struct armdyn_sweep *sweep, struct armdyn_error *error)
{
  const struct vibration_request *r = d->request;
  const size_t each = (size_t)round((r->chirp.duration + r->chirp.rest) / sweep->period);
  for (size_t j = 0; j < d->n; j++) {
    const bool swept = r->chirp.amplitude[j] != 0;
    sweep->elastic[j] = r->elastic ? r->elastic[j] : swept;
    if (sweep->elastic[j] && !swept)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/chirp/amplitude",
                           "is 0 for joint %zu, whose gear is said to give: sweep it too, or leave it out of `joints`",
                           j + 1);
    if (!swept) continue;
    const size_t first = each * sweep->window_count, least = first + (size_t)(r->chirp.duration / sweep->period) - 1;
    if (least > sweep->count)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/chirp/duration",
                           "and rest are %.6g s for each joint, but %.6g s of the log are left for joint %zu",
                           r->chirp.duration + r->chirp.rest, sweep->period * ((double)sweep->count - (double)first),
                           j + 1);
    const size_t left = sweep->count - first;
    sweep->windows[sweep->window_count++] = (struct armdyn_sweep_window){ j, first, each < left ? each : left };
  }
  return ARMDYN_OK;
}

/* Torque and position of what was swept, and the links of the model with what was carried. */
static enum armdyn_status of_chirp(struct dying *d, const struct armdyn_robot_description *robot,
                                   struct armdyn_error *error)
{
  const struct vibration_request *r = d->request;
  struct armdyn_error told = { "", "" };
  double matrix[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX], slope[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  struct armdyn_sweep sweep = { .period = 1 / d->out->rate,
                                .n = d->n,
                                .count = d->out->samples,
                                .q = d->q,
                                .tau = d->tau,
                                .from = r->chirp.frequencies[0],
                                .to = r->chirp.frequencies[1],
                                .mass_matrix = matrix,
                                .weight_slope = slope,
                                .some_rigid = !r->elastic };
  if (robot->has_transmission)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/chirp",
                         "is not looked at where drives are coupled: a motor's torque is not that of one joint there");
  const struct armdyn_body *payload = r->payload ? r->payload : d->out->other_payload ? &d->out->payload : NULL;
  enum armdyn_status status = lay_windows(d, &sweep, error);
  if (!status) status = armdyn_links_matrix(robot, payload, d->q, matrix, slope);
  for (size_t w = 0; w < sweep.window_count && !status; w++)
    if (!(matrix[sweep.windows[w].joint * (d->n + 1)] > 0))
      status = armdyn_refuse(error, ARMDYN_EINPUT, "/chirp/amplitude", "joint %zu moves nothing that has inertia",
                             sweep.windows[w].joint + 1);
  if (status) return status;
  status = armdyn_find_sweep_modes(&sweep, r->modes_max, &d->out->sweep, &told);
  d->out->vibration = d->out->sweep.seen;
  return status ? armdyn_refuse(error, status, "/dataset", "data set %s %.400s", r->dataset, told.message) : status;
}

static enum armdyn_status look(struct dying *d, const struct armdyn_robot_description *robot, struct store *store,
                               struct armdyn_error *error)
{
  struct vibration_request *r = d->request;
  struct armdyn_error told = { "", "" };
  struct armdyn_rows rows = r->q;
  if (*r->dataset) {
    enum armdyn_status status = isnan(r->begin) && !r->has_chirp ? find_stop(d, store, error) : ARMDYN_OK;
    if (status) return status;
    status = of_dataset(d, robot, store, &told);
    if (status == ARMDYN_EINPUT || status == ARMDYN_ENOTFOUND)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/dataset", "data set %s %.180s", r->dataset,
                           told.message[0] ? told.message : "does not exist");
    if (status) return status;
    if (r->has_chirp) return of_chirp(d, robot, error);
    rows = (struct armdyn_rows){ d->q, d->n };
  } else {
    d->out->samples = r->count, d->out->rate = r->rate_hz;
  }
  const double most = isnan(r->frequency_max_hz) ? fmin(FREQUENCY_MAX, OF_RATE * d->out->rate) : r->frequency_max_hz;
  return armdyn_find_vibration(1 / d->out->rate, d->out->samples, d->n, &rows, r->modes_max, most, &d->out->vibration,
                               error);
}

enum armdyn_status logged_vibration_find(struct store *store, const struct armdyn_robot_description *robot,
                                         struct vibration_request *request, struct logged_vibration *out,
                                         struct armdyn_error *error)
{
  struct dying d = { .request = request, .out = out, .n = robot->joint_count };
  *out = (struct logged_vibration){ .samples = 0 };
  const enum armdyn_status status = look(&d, robot, store, error);
  free(d.q);
  free(d.tau);
  return status;
}
