#include "server/work/filtered_path.h"

#include <math.h>

#include "armdyn/filter_test.h"
#include "server/work/training_data.h"

static enum armdyn_status bandwidth_of(const struct filtered_path_order *order, double *fastest,
                                       struct armdyn_error *error)
{
  *fastest = 0;
  for (size_t i = 0; i < order->count; i++) {
    double bandwidth = 0;
    const enum armdyn_status status = logged_motion_bandwidth(&order->logs->motions[i], &bandwidth, error);
    if (status) return status;
    *fastest = fmax(*fastest, bandwidth);
  }
  return ARMDYN_OK;
}

enum armdyn_status filtered_path_open(const struct filtered_path_order *order, struct filtered_path *path,
                                      struct armdyn_error *error)
{
  struct armdyn_conditioning other = *order->conditioning;
  double bandwidth;
  enum armdyn_status status = bandwidth_of(order, &bandwidth, error);
  if (status) return status;
  other.method = ARMDYN_BUTTERWORTH;
  path->cutoff = other.position_cutoff =
      armdyn_instrument_cutoff(order->conditioning->position_cutoff, bandwidth, other.rate);
  status = opened_logs_stream(order->logs, order->count, &other, &path->stream, error);
  if (!status) status = training_data_exclude(order->request, order->logs, path->stream, error);
  if (!status) status = armdyn_gears_new(order->robot, &path->gears, error);
  if (status) return status;
  const struct armdyn_source joints = armdyn_log_stream_source(path->stream);
  path->source = armdyn_gears_source(path->gears, &joints);
  return ARMDYN_OK;
}

void filtered_path_release(struct filtered_path *path)
{
  armdyn_log_stream_free(path->stream);
  armdyn_gears_free(path->gears);
}
