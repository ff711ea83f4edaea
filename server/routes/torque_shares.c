/* POST /v1/robots/{robot}/torque-shares: what the torques of a motion are made of, and what a model may leave out on it. */
#include <math.h>

#include "api/codec/torque_shares.h"
#include "server/app.h"
#include "server/data/logged_motion.h"
#include "server/data/stored_trajectory.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/request_names.h"
#include "server/routes/robots.h"

struct sharing {
  const struct robot_entry *entry;
  struct torque_shares_request request;
  struct armdyn_torque_shares *shares;
  size_t n, samples;
  double cutoff_hz;
};

static void of_samples(struct sharing *s)
{
  const struct torque_shares_request *r = &s->request;
  for (size_t k = 0; k < r->count; k++)
    armdyn_torque_shares_take(s->shares, r->q.data + k * r->q.stride, r->qd.data + k * r->qd.stride,
                              r->qdd.data + k * r->qdd.stride);
  s->samples = r->count;
}

static enum armdyn_status of_trajectory(struct sharing *s, struct store *store, struct armdyn_error *error)
{
  struct armdyn_trajectory path = { 0 };
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  const enum armdyn_status status =
      stored_trajectory_open(store, s->request.trajectory, s->n, "/trajectory", &path, error);
  if (status) return status;
  const double duration = armdyn_trajectory_duration(&path);
  s->samples = s->request.samples;
  for (size_t k = 0; k < s->samples; k++) {
    armdyn_trajectory_state(&path, duration * (double)k / (double)(s->samples - 1), q, qd, qdd, NULL);
    armdyn_torque_shares_take(s->shares, q, qd, qdd);
  }
  armdyn_trajectory_free(&path);
  return ARMDYN_OK;
}

/* Its conditioned motion: filtered by its bandwidth and differentiated, as identifications do. */
static enum armdyn_status of_stream(struct sharing *s, struct logged_motion *motion, struct armdyn_error *error)
{
  struct armdyn_log_stream *stream = NULL;
  struct armdyn_conditioning c = { .rate = logged_motion_rate(motion) };
  double bandwidth;
  enum armdyn_status status = logged_motion_bandwidth(motion, &bandwidth, error);
  if (status) return status;
  s->cutoff_hz = c.position_cutoff = c.torque_cutoff = logged_motion_cutoff(bandwidth, c.rate);
  const struct armdyn_log_reader reader = logged_motion_reader(motion);
  if ((status = armdyn_log_stream_new(s->n, &reader, 1, &c, &stream, error))) return status;
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  for (size_t b = 0; b < source.blocks && !status; b++) {
    struct armdyn_motion block;
    status = source.read(source.context, b, &block, error);
    for (size_t k = 0; k < block.count && !status; k++, s->samples++)
      armdyn_torque_shares_take(s->shares, block.q + k * s->n, block.qd + k * s->n, block.qdd + k * s->n);
  }
  armdyn_log_stream_free(stream);
  if (!status && !s->samples) status = armdyn_refuse(error, ARMDYN_EINPUT, "", "has too few samples to tell anything");
  return status;
}

static enum armdyn_status of_dataset(struct sharing *s, struct store *store, struct armdyn_error *error)
{
  struct logged_motion motion = { 0 };
  struct armdyn_error told = { "", "" };
  enum armdyn_status status = logged_motion_open_any(store, s->request.dataset,
                                                     armdyn_robot_description(s->entry->robot), 0, 1, &motion, &told);
  if (!status && motion.count > LIMIT_SHARES_SAMPLES)
    status = armdyn_refuse(&told, ARMDYN_EINPUT, "", "has %zu samples; at most %d are taken here", motion.count,
                           LIMIT_SHARES_SAMPLES);
  if (!status) status = of_stream(s, &motion, &told);
  logged_motion_close(&motion);
  if (status != ARMDYN_EINPUT && status != ARMDYN_ENOTFOUND) return status;
  return armdyn_refuse(error, ARMDYN_EINPUT, "/dataset", "data set %s %.180s", s->request.dataset,
                       told.message[0] ? told.message : "does not exist");
}

/* OK, or what decoding and the cache say; false in *good: answered. */
static enum armdyn_status read_request(struct exchange *x, const struct robot_entry *stored, struct sharing *s,
                                       struct buffer *named, bool *good)
{
  const struct armdyn_robot_description *model = armdyn_robot_description(stored->robot);
  size_t length;
  const char *body = exchange_body(x, &length);
  *good = request_names_put_in(x, model->name, false, body, length, named);
  if (!*good) return ARMDYN_EINPUT;
  if (named->length) body = named->data, length = named->length;
  enum armdyn_status status =
      torque_shares_request_decode(model->joint_count, body, length, &s->request, exchange_faults(x));
  if (status) return status;
  s->n = model->joint_count;
  return robots_get_with(exchange_app(x)->robots, model->name, stored->revision, &s->request.carried.overrides,
                         &s->entry);
}

static void answer(struct exchange *x, const struct sharing *s)
{
  struct buffer body = BUFFER(MB(1));
  const struct torque_shares_answer told = { .robot = armdyn_robot_description(s->entry->robot),
                                             .revision = (long long)s->entry->revision,
                                             .request = &s->request,
                                             .shares = s->shares,
                                             .samples = s->samples,
                                             .cutoff_hz = s->cutoff_hz };
  torque_shares_encode(&body, &told);
  exchange_set_revision(x, s->entry->revision);
  answer_json(x, 200, &body);
}

enum outcome torque_shares(struct exchange *x)
{
  struct app *app = exchange_app(x);
  const struct robot_entry *stored;
  enum outcome outcome;
  if (!robot_of_request(x, exchange_query(x, "revision"), &stored, &outcome)) return outcome;
  struct sharing s = { .cutoff_hz = NAN };
  struct armdyn_error error = { "", "" };
  struct buffer named = BUFFER(LIMIT_SAMPLES_BODY + KB(64));
  bool good = true;
  enum armdyn_status status = read_request(x, stored, &s, &named, &good);
  if (!status) status = armdyn_torque_shares_new(s.entry->robot, !s.request.friction, &s.shares);
  if (!status && *s.request.trajectory)
    status = of_trajectory(&s, app->store, &error);
  else if (!status && *s.request.dataset)
    status = of_dataset(&s, app->store, &error);
  else if (!status)
    of_samples(&s);
  if (status == ARMDYN_EINPUT && error.message[0])
    fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
  if (good && status)
    answer_status(x, status, NULL);
  else if (good)
    answer(x, &s);
  armdyn_torque_shares_free(s.shares);
  torque_shares_request_release(&s.request);
  buffer_release(&named);
  robots_release(app->robots, s.entry);
  robots_release(app->robots, stored);
  return ANSWERED;
}
