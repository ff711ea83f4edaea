#include "server/work/filter_test.h"

#include <math.h>

#include "server/work/filtered_path.h"
#include "server/work/training_data.h"

/* The data as they were identified from. */
static enum armdyn_status open_stream(const struct filter_test_order *order, struct armdyn_log_stream **stream,
                                      struct armdyn_error *error)
{
  const enum armdyn_status status = opened_logs_stream(order->logs, order->count, order->conditioning, stream, error);
  return status ? status : training_data_exclude(order->request, order->logs, *stream, error);
}

/* Where the loop is known, its path with the arm that was found in it. */
static enum armdyn_status test_in_loop(const struct filter_test_order *order, const struct armdyn_source *source,
                                       struct identification_filter_test *out, struct armdyn_error *error)
{
  struct armdyn_loop_path *path = NULL;
  enum armdyn_status status =
      armdyn_loop_path_new(order->robot, order->unknowns, order->in_loop, source, order->loop, &path, error);
  if (!status) {
    const struct armdyn_source instruments = armdyn_loop_path_source(path);
    status = armdyn_test_filters(order->unknowns, source, &instruments, &out->found, error);
  }
  armdyn_loop_path_free(path);
  out->instrument_cutoff = NAN;
  return status;
}

static enum armdyn_status test_on_path(const struct filter_test_order *order, const struct armdyn_source *source,
                                       struct identification_filter_test *out, struct armdyn_error *error)
{
  const struct filtered_path_order asked = { order->request, order->robot, order->conditioning, order->logs,
                                             order->count };
  struct filtered_path path = { 0 };
  enum armdyn_status status = filtered_path_open(&asked, &path, error);
  if (!status) status = armdyn_test_filters(order->unknowns, source, &path.source, &out->found, error);
  out->instrument_cutoff = path.cutoff;
  filtered_path_release(&path);
  return status;
}

enum armdyn_status filter_test_compute(const struct filter_test_order *order, struct identification_filter_test *out,
                                       struct armdyn_error *error)
{
  struct armdyn_log_stream *stream = NULL;
  enum armdyn_status status = open_stream(order, &stream, error);
  if (!status) {
    const struct armdyn_source whole = armdyn_log_stream_source(stream);
    const struct armdyn_source arm = order->loads ? armdyn_loads_source(order->loads, &whole) : whole;
    const struct armdyn_source held = order->known ? armdyn_known_friction_source(order->known, &arm) : arm;
    const struct armdyn_source source = armdyn_gears_source(order->gears, &held);
    status = order->loop ? test_in_loop(order, &source, out, error) : test_on_path(order, &source, out, error);
    out->asked = true;
  }
  armdyn_log_stream_free(stream);
  return status;
}
