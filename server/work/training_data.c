#include "server/work/training_data.h"

enum armdyn_status training_data_exclude(const struct identification_request *request, const struct opened_logs *logs,
                                         struct armdyn_log_stream *stream, struct armdyn_error *error)
{
  struct armdyn_log_window windows[EXCLUSIONS_MOST];
  const size_t count = request->exclusion_count;
  for (size_t k = 0; k < count; k++) {
    const struct identification_exclusion *e = &request->exclude[k];
    size_t log = 0;
    while (strcmp(logs->data[log].id, e->dataset) != 0) log++;
    const struct logged_motion *motion = &logs->motions[log];
    windows[k] = (struct armdyn_log_window){ log, e->from, e->to };
    if (e->from < motion->end && e->to > motion->begin) continue;
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/exclude/%zu", k);
    return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "%g to %g s is beyond the data, which go from %g to %g s",
                         e->from, e->to, motion->begin, motion->end);
  }
  return count ? armdyn_log_stream_exclude(stream, windows, count) : ARMDYN_OK;
}
