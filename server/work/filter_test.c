#include "server/work/filter_test.h"

#include <math.h>

#include "server/work/training_data.h"

static enum armdyn_status bandwidth_of(const struct filter_test_order *order, double *fastest,
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

static enum armdyn_status open_stream(const struct filter_test_order *order,
                                      const struct armdyn_conditioning *conditioning, struct armdyn_log_stream **stream,
                                      struct armdyn_error *error)
{
  const enum armdyn_status status = opened_logs_stream(order->logs, order->count, conditioning, stream, error);
  return status ? status : training_data_exclude(order->request, order->logs, *stream, error);
}

enum armdyn_status filter_test_compute(const struct filter_test_order *order, struct identification_filter_test *out,
                                       struct armdyn_error *error)
{
  struct armdyn_log_stream *streams[2] = { NULL, NULL };
  struct armdyn_conditioning other = *order->conditioning;
  double bandwidth;
  enum armdyn_status status = bandwidth_of(order, &bandwidth, error);
  if (status) return status;
  other.method = ARMDYN_BUTTERWORTH;
  other.position_cutoff = armdyn_instrument_cutoff(order->conditioning->position_cutoff, bandwidth, other.rate);
  status = open_stream(order, order->conditioning, &streams[0], error);
  if (!status) status = open_stream(order, &other, &streams[1], error);
  if (!status) {
    const struct armdyn_source whole = armdyn_log_stream_source(streams[0]);
    const struct armdyn_source instruments = armdyn_log_stream_source(streams[1]);
    const struct armdyn_source arm = order->loads ? armdyn_loads_source(order->loads, &whole) : whole;
    const struct armdyn_source held = order->known ? armdyn_known_friction_source(order->known, &arm) : arm;
    const struct armdyn_source source = armdyn_gears_source(order->gears, &held);
    status = armdyn_test_filters(order->unknowns, &source, &instruments, &out->found, error);
    out->instrument_cutoff = other.position_cutoff;
    out->asked = true;
  }
  armdyn_log_stream_free(streams[0]);
  armdyn_log_stream_free(streams[1]);
  return status;
}
