/* An arm watched for collisions, sample by sample: what its residuals are like, the alarms that they raise, and both as a
 * result keeps them. */
#ifndef SERVER_WORK_COLLISION_WATCH_H
#define SERVER_WORK_COLLISION_WATCH_H

#include "api/codec/collision_check.h"
#include "armdyn/collision.h"
#include "server/work/thinned_series.h"

/* What the residuals of some samples are like. */
struct collision_figures {
  size_t samples, alarms;
  double squares[ARMDYN_JOINTS_MAX], peak[ARMDYN_JOINTS_MAX];
};

struct collision_watch {
  /* the caller's: of all logs */
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct armdyn_load load;        /* what is known to act */
  double gain;                    /* of the observer, 1/s */
  struct collision_event *events; /* LIMIT_COLLISION_EVENTS of them */
  size_t event_count;             /* of all, also those that are not kept */
  struct thinned_series series;
  /* of the present log */
  size_t log;
  bool kept; /* are events and samples? */
  struct armdyn_observer observer;
  struct armdyn_alarm alarm;
};

/* What an alarm must last without a residual beyond its threshold, s: by then the observer has forgotten 95 %. */
static inline double collision_hold(double gain)
{
  return 3 / gain;
}

/* Begin the series of samples: t, dataset, the residuals, and whether there is an alarm. As thinned_series_open. */
enum armdyn_status collision_watch_keep(struct collision_watch *watch, struct work *work, double rate, double samples);
/* Begin a log: its number, thresholds (NULL: there are none yet, so no alarms) and whether it is kept. */
void collision_watch_begin(struct collision_watch *watch, size_t log, const double *thresholds, bool kept);
/* Take in a sample of it.
 *   figures  in/out  added to */
void collision_watch_take(struct collision_watch *watch, double t, const double *q, const double *qd, const double *tau,
                          struct collision_figures *figures);
/* The log ends, and an alarm with it. */
void collision_watch_end(struct collision_watch *watch);

/* `to` += `from` */
void collision_figures_add(struct collision_figures *to, const struct collision_figures *from, size_t joints);
/* As a result tells them. */
struct collision_log collision_log_of(const struct collision_figures *figures, size_t joints, double rate);

#endif
