/* Moments at which several joints are far off at once, as when something touches the arm: they pull an estimate, and are
 * nothing that a model of the arm should follow. */
#include "lib/identify/events.h"

#include <math.h>

#include "lib/identify/warnings.h"

/* The residuals' rms in windows of so many seconds; beyond so many robust deviations of all windows it stands out (their
 * median absolute deviation, Huber 1981, 5.1); on so many joints at once it is an event; and if more than so large a part of
 * all windows stand out so, the model is wrong, not the moments. */
static const double SECONDS = 0.25, DEVIATIONS = 6, MAD_TO_DEVIATION = 1.4826, MOST = 0.1;
/* And it is at least so large a part of the joint's torque, rms: where nothing is left everything stands out. */
static const double RELEVANT = 0.05;
enum { JOINTS_LEAST = 2, WINDOWS_LEAST = 40, WINDOWS_MOST = 1 << 14 };

void events_add(struct events *events, const struct armdyn_motion *motion, size_t n, const double *residuals)
{
  struct events *e = events;
  const size_t samples = (size_t)fmax(1, round(SECONDS * motion->rate));
  e->n = n;
  e->seconds = (double)samples / motion->rate;
  for (size_t k = 0; k < motion->count * n; k++) e->squares[k % n] += motion->tau[k] * motion->tau[k];
  for (size_t from = 0; from + samples <= motion->count && e->count < WINDOWS_MOST; from += samples) {
    if (e->count == e->room) {
      const size_t room = 2 * e->room + 256;
      struct window *grown = realloc(e->list, room * sizeof *grown);
      e->out_of_memory = e->out_of_memory || !grown;
      if (!grown) return;
      e->list = grown;
      e->room = room;
    }
    struct window *window = &e->list[e->count++];
    window->log = motion->log;
    window->time = motion->start + (double)from / motion->rate;
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t k = from; k < from + samples; k++) sum += residuals[k * n + i] * residuals[k * n + i];
      window->rms[i] = sqrt(sum / (double)samples);
    }
  }
  e->samples += (double)motion->count;
}

static int by_size(const void *a, const void *b)
{
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Of joint i: beyond what a window stands out. */
static double bound_of(const struct events *e, size_t i, double *sorted)
{
  for (size_t k = 0; k < e->count; k++) sorted[k] = e->list[k].rms[i];
  qsort(sorted, e->count, sizeof *sorted, by_size);
  const double median = sorted[e->count / 2];
  for (size_t k = 0; k < e->count; k++) sorted[k] = fabs(e->list[k].rms[i] - median);
  qsort(sorted, e->count, sizeof *sorted, by_size);
  const double bound = median + DEVIATIONS * MAD_TO_DEVIATION * sorted[e->count / 2];
  return fmax(bound, RELEVANT * sqrt(e->squares[i] / e->samples));
}

static bool stands_out(const struct events *e, const struct window *window, const double *bound)
{
  size_t joints = 0;
  for (size_t i = 0; i < e->n; i++)
    if (window->rms[i] > bound[i]) joints++;
  return joints >= JOINTS_LEAST || joints == e->n;
}

/* One more window that stands out; one that follows the last one makes that longer. */
static void tell(const struct events *e, const struct window *window, struct armdyn_estimate *out)
{
  struct armdyn_log_window *last = out->event_count ? &out->events[out->event_count - 1] : NULL;
  if (last && last->log == window->log && fabs(window->time - last->to) < e->seconds / 2)
    last->to = window->time + e->seconds;
  else if (out->event_count < ARMDYN_EVENTS_MAX)
    out->events[out->event_count++] =
        (struct armdyn_log_window){ window->log, window->time, window->time + e->seconds };
}

static void warn_of_events(struct armdyn_estimate *out)
{
  char times[128] = "";
  size_t length = 0;
  for (size_t k = 0; k < out->event_count && k < 4; k++)
    length += (size_t)snprintf(times + length, sizeof times - length, "%s%.2f to %.2f s", k ? ", " : "",
                               out->events[k].from, out->events[k].to);
  warn(&out->warnings, ARMDYN_WARNING_EVENT, -1,
       "several joints are far off at once at %s%s: if something touched the arm, train without these moments", times,
       out->event_count > 4 ? ", .." : "");
}

enum armdyn_status events_tell(const struct events *events, struct armdyn_estimate *out)
{
  const struct events *e = events;
  double bound[ARMDYN_JOINTS_MAX];
  size_t count = 0;
  if (e->out_of_memory) return ARMDYN_EMEMORY;
  if (e->count < WINDOWS_LEAST) return ARMDYN_OK;
  double *sorted = malloc(e->count * sizeof *sorted);
  if (!sorted) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < e->n; i++) bound[i] = bound_of(e, i, sorted);
  free(sorted);
  for (size_t k = 0; k < e->count; k++) count += stands_out(e, &e->list[k], bound);
  if (!count || (double)count > MOST * (double)e->count) return ARMDYN_OK;
  for (size_t k = 0; k < e->count; k++)
    if (stands_out(e, &e->list[k], bound)) tell(e, &e->list[k], out);
  warn_of_events(out);
  return ARMDYN_OK;
}

void events_free(struct events *events)
{
  free(events->list);
  *events = (struct events){ 0 };
}
