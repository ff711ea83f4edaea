#include "server/work/collision_watch.h"

#include <math.h>

#include "server/work/messages.h"

enum armdyn_status collision_watch_keep(struct collision_watch *watch, struct work *work, double rate, double samples)
{
  char columns[SERIES_COLUMNS] = "t,dataset";
  const size_t n = armdyn_robot_joint_count(watch->robot);
  size_t length = strlen(columns);
  for (size_t j = 1; j <= n; j++)
    length += (size_t)snprintf(columns + length, sizeof columns - length, ",residual%zu", j);
  snprintf(columns + length, sizeof columns - length, ",alarm");
  return thinned_series_open(&watch->series, work, columns, 3 + n, rate, samples);
}

void collision_watch_begin(struct collision_watch *watch, size_t log, const double *thresholds, bool kept)
{
  watch->log = log;
  watch->kept = kept;
  armdyn_observer_init(&watch->observer, watch->gain, false);
  armdyn_alarm_init(&watch->alarm, thresholds, collision_hold(watch->gain));
}

/* -- events -- */

/* The event of the present alarm, or NULL when it is not kept. */
static struct collision_event *present_event(struct collision_watch *watch)
{
  const bool listed = watch->kept && watch->event_count <= LIMIT_COLLISION_EVENTS;
  return listed ? &watch->events[watch->event_count - 1] : NULL;
}

static void event_begin(struct collision_watch *watch)
{
  watch->event_count += watch->kept;
  struct collision_event *event = present_event(watch);
  if (!event) return;
  *event = (struct collision_event){ .log = watch->log,
                                     .joint = watch->alarm.joint,
                                     .time = watch->alarm.begin,
                                     .residual = watch->alarm.residual,
                                     .sample_time = (double)watch->series.position / watch->series.rate };
}

static void event_end(struct collision_watch *watch)
{
  struct collision_event *event = present_event(watch);
  if (!event) return;
  event->end = watch->alarm.end;
  memcpy(event->peak, watch->alarm.peak, sizeof event->peak);
}

static void follow_alarm(struct collision_watch *watch, double t, struct collision_figures *figures)
{
  const size_t n = armdyn_robot_joint_count(watch->robot);
  switch (armdyn_alarm_take(&watch->alarm, n, t, watch->observer.residual)) {
  case ARMDYN_ALARM_NONE: break;
  case ARMDYN_ALARM_BEGINS:
    figures->alarms++;
    event_begin(watch);
    break;
  case ARMDYN_ALARM_ENDS: event_end(watch); break;
  }
}

/* -- samples -- */

static void keep_row(struct collision_watch *watch)
{
  const size_t n = armdyn_robot_joint_count(watch->robot);
  double *row = thinned_series_next(&watch->series);
  if (!row) return;
  row[1] = (double)watch->log;
  memcpy(row + 2, watch->observer.residual, n * sizeof *row);
  row[2 + n] = watch->alarm.on;
}

void collision_watch_take(struct collision_watch *watch, double t, const double *q, const double *qd, const double *tau,
                          struct collision_figures *figures)
{
  armdyn_observe(&watch->observer, watch->robot, t, q, qd, tau, &watch->load, watch->workspace);
  figures->samples++;
  for (size_t j = 0; j < armdyn_robot_joint_count(watch->robot); j++) {
    const double residual = watch->observer.residual[j];
    figures->squares[j] += residual * residual;
    figures->peak[j] = fmax(figures->peak[j], fabs(residual));
  }
  if (watch->alarm.threshold) follow_alarm(watch, t, figures);
  if (watch->kept) keep_row(watch);
}

void collision_watch_end(struct collision_watch *watch)
{
  if (watch->alarm.on) event_end(watch);
}

/* -- figures -- */

void collision_figures_add(struct collision_figures *to, const struct collision_figures *from, size_t joints)
{
  to->samples += from->samples;
  to->alarms += from->alarms;
  for (size_t j = 0; j < joints; j++) {
    to->squares[j] += from->squares[j];
    to->peak[j] = fmax(to->peak[j], from->peak[j]);
  }
}

struct collision_log collision_log_of(const struct collision_figures *figures, size_t joints, double rate)
{
  struct collision_log log = { .duration = (double)figures->samples / rate, .alarms = figures->alarms };
  for (size_t j = 0; j < joints; j++) {
    log.rms[j] = sqrt(figures->squares[j] / fmax((double)figures->samples, 1));
    log.peak[j] = figures->peak[j];
  }
  return log;
}
