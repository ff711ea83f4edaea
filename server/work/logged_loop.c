#include "server/work/logged_loop.h"

#include <math.h>

#include "server/work/training_data.h"

enum armdyn_status logged_loop_open(struct store *store, const struct logged_loop_order *order,
                                    struct logged_loop *loop, struct armdyn_error *error)
{
  const struct identification_request *request = order->request;
  const double split = isnan(request->validation_fraction) ? 1 : 1 - request->validation_fraction;
  const struct listed_logs list = { &request->loop.reference, "loop/reference", IDENTIFICATION_TRAINING, 0, split };
  if (order->has_payloads)
    return armdyn_refuse(
        error, ARMDYN_EINPUT, "/loop",
        "the loop is simulated with the arm alone: its data sets must not say that a payload was on it");
  enum armdyn_status status = opened_logs_open(store, &list, order->robot, &loop->logs, error);
  if (!status) status = opened_logs_stream(&loop->logs, loop->logs.count, order->conditioning, &loop->stream, error);
  if (!status) status = training_data_exclude(request, order->logs, loop->stream, error);
  if (status) return status;
  loop->wanted = armdyn_log_stream_source(loop->stream);
  loop->known = (struct armdyn_known_loop){ request->loop.kp, request->loop.kd, &loop->wanted };
  return ARMDYN_OK;
}

void logged_loop_release(struct logged_loop *loop)
{
  armdyn_log_stream_free(loop->stream);
  opened_logs_release(&loop->logs);
}
