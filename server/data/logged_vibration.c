#include "server/data/logged_vibration.h"

#include <math.h>
#include <stdlib.h>

#include "server/data/logged_motion.h"
#include "server/data/stored_trajectory.h"

static const double STILL = 1e-9;                       /* rad/s^k, m/s^k: of a rest that was sampled */
static const double REST_LEAST = 0.1;                   /* s */
static const double FREQUENCY_MAX = 100, OF_RATE = 0.4; /* Hz; where nobody says another */

struct dying {
  struct vibration_request *request;
  struct logged_vibration *out;
  size_t n;
  double *q; /* of a data set */
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
    double *more = realloc(d->q, (d->out->samples + block.count + 1) * d->n * sizeof *more);
    if (!more) status = ARMDYN_EMEMORY;
    if (status) break;
    d->q = more;
    memcpy(d->q + d->out->samples * d->n, block.q, block.count * d->n * sizeof *more);
    d->out->samples += block.count;
  }
  armdyn_log_stream_free(stream);
  return status;
}

/* The rows from begin to end: parts of the whole, whose clock is taken as even. */
static enum armdyn_status of_dataset(struct dying *d, const struct armdyn_robot_description *robot, struct store *store,
                                     struct armdyn_error *error)
{
  const struct vibration_request *r = d->request;
  struct logged_motion motion = { 0 };
  enum armdyn_status status = logged_motion_open_any(store, r->dataset, robot, 0, 1, &motion, error);
  const double begin = motion.begin, span = motion.end - motion.begin;
  logged_motion_close(&motion);
  if (status) return status;
  const double from = (r->begin - begin) / span, to = isnan(r->end) ? 1 : (r->end - begin) / span;
  if (!(from >= 0 && from < 1 && to <= 1 + 1e-9))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "goes from %g to %g s", begin, begin + span);
  if (!(to > from))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "is asked for to %g s, but its motion rests from %g s on", r->end,
                         r->begin);
  status = logged_motion_open_any(store, r->dataset, robot, from, fmin(to, 1), &motion, error);
  if (!status && motion.count > LIMIT_VIBRATION_SAMPLES)
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "has %zu samples there; at most %d are taken here", motion.count,
                           LIMIT_VIBRATION_SAMPLES);
  if (!status) status = gather(d, &motion, error);
  d->out->other_payload = motion.other_payload, d->out->payload = motion.payload;
  logged_motion_close(&motion);
  return status;
}

static enum armdyn_status look(struct dying *d, const struct armdyn_robot_description *robot, struct store *store,
                               struct armdyn_error *error)
{
  struct vibration_request *r = d->request;
  struct armdyn_error told = { "", "" };
  struct armdyn_rows rows = r->q;
  if (*r->dataset) {
    enum armdyn_status status = isnan(r->begin) ? find_stop(d, store, error) : ARMDYN_OK;
    if (status) return status;
    status = of_dataset(d, robot, store, &told);
    if (status == ARMDYN_EINPUT || status == ARMDYN_ENOTFOUND)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/dataset", "data set %s %.180s", r->dataset,
                           told.message[0] ? told.message : "does not exist");
    if (status) return status;
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
  return status;
}
