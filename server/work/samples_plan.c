/* Motions of the user's own: a spline through samples. */
#include <math.h>
#include <stdlib.h>

#include "armdyn/path_timing.h"
#include "server/data/logged_motion.h"
#include "server/work/plan.h"
#include "server/work/played_reference.h"

static const double USAGE_MOST = 1 + 1e-9; /* beyond it is no rounding */

struct given {
  size_t count, room;
  double *t, *q;
};

static bool make_room(struct given *g, size_t n)
{
  if (g->count < g->room) return true;
  g->room = g->room ? 2 * g->room : 4096;
  double *t = realloc(g->t, g->room * sizeof *t);
  if (t) g->t = t;
  double *q = t ? realloc(g->q, g->room * n * sizeof *q) : NULL;
  if (q) g->q = q;
  return q != NULL;
}

static enum armdyn_status add_sample(struct given *g, size_t n, double t, const double *q)
{
  if (!make_room(g, n)) return ARMDYN_EMEMORY;
  g->t[g->count] = t;
  memcpy(g->q + g->count++ * n, q, n * sizeof *q);
  return ARMDYN_OK;
}

/* -- of a data set -- */

static enum armdyn_status add_log(const struct plan *p, const struct armdyn_log *log, struct given *g,
                                  struct armdyn_error *error)
{
  const struct own_samples *asked = &p->request.samples;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < log->count && !status; i++) {
    if (!(log->time[i] >= asked->from && log->time[i] <= asked->to)) continue;
    if (g->count == LIMIT_OWN_SAMPLES)
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "has more than %d samples between from and to", LIMIT_OWN_SAMPLES);
    status = add_sample(g, p->n, log->time[i], log->q + i * p->n);
  }
  return status;
}

static enum armdyn_status read_dataset(const struct plan *p, struct given *g, struct armdyn_error *error)
{
  enum { ROWS = 4096 };
  struct logged_motion logged = { .dataset = NULL };
  struct armdyn_log log;
  struct store *store;
  enum armdyn_status status = work_store(p->work, &store);
  if (status) return status;
  status = logged_motion_open_any(store, p->request.samples.dataset, p->work->robot, 0, 1, &logged, error);
  const struct armdyn_log_reader reader = logged_motion_reader(&logged);
  for (size_t first = 0; !status && first < reader.count; first += ROWS) {
    const size_t left = reader.count - first;
    status = reader.read(reader.context, first, left < ROWS ? left : ROWS, &log, error);
    if (!status) status = add_log(p, &log, g, error);
  }
  if (!status && g->count < 2)
    status =
        armdyn_refuse(error, ARMDYN_EINPUT, "", "has %zu samples between from and to; two are the least", g->count);
  logged_motion_close(&logged);
  return status;
}

/* -- those of the request -- */

static enum armdyn_status read_request(const struct plan *p, struct given *g)
{
  const struct own_samples *asked = &p->request.samples;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < asked->q.rows && !status; i++)
    status = add_sample(g, p->n, own_samples_time(asked, i), asked->q.data + i * p->n);
  return status;
}

/* -- those of a reference -- */

static enum armdyn_status read_reference(struct plan *p, struct given *g, struct armdyn_error *error)
{
  struct played_reference reference = { .duration = 0 };
  double q[ARMDYN_JOINTS_MAX];
  enum armdyn_status status = played_reference_open(p, &reference, error);
  const double count = status ? 0 : ceil(reference.duration * reference.rate);
  for (size_t i = 0; !status && i <= (size_t)count; i++) {
    const double t = reference.duration * (double)i / count;
    played_reference_at(&reference, t, q);
    status = add_sample(g, p->n, t, q);
  }
  played_reference_close(&reference);
  return status;
}

static enum armdyn_status read_samples(struct plan *p, struct given *g, struct armdyn_error *error)
{
  const struct own_samples *asked = &p->request.samples;
  return asked->has_reference ? read_reference(p, g, error)
         : asked->dataset[0]  ? read_dataset(p, g, error)
                              : read_request(p, g);
}

/* Words and place of what is wrong with the samples, as of the request. */
static enum armdyn_status tell(const struct plan *p, enum armdyn_status status, struct armdyn_error *error)
{
  const char *dataset = p->request.samples.dataset;
  struct armdyn_error told = *error;
  if (status != ARMDYN_EINPUT && status != ARMDYN_ENOTFOUND) return status;
  if (*dataset && strcmp(told.pointer, "/tolerance") != 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/samples/dataset", "%s %s", dataset, told.message);
  char where[sizeof told.pointer];
  snprintf(where, sizeof where, "/samples%.48s", told.pointer);
  return armdyn_refuse(error, status, where, "%s", told.message);
}

static enum armdyn_status fit_samples(struct plan *p, struct armdyn_trajectory *out, struct armdyn_error *error)
{
  struct given g = { .count = 0 };
  enum armdyn_status status = read_samples(p, &g, error);
  const struct armdyn_motion_fit_request request = { p->n, g.count, g.t, g.q, p->request.samples.tolerance };
  work_progress(p->work, 0.01, "fitting a spline");
  if (!status) status = armdyn_trajectory_fit(&request, out, &p->fit.found, error);
  p->fit.samples = g.count;
  free(g.t);
  free(g.q);
  return status ? tell(p, status, error) : ARMDYN_OK;
}

/* -- what it is held against -- */

enum armdyn_status plan_excess(const struct plan *p, const struct armdyn_trajectory *motion,
                               struct armdyn_margin *margin, const struct armdyn_margin **most, double *speed,
                               double *when)
{
  enum armdyn_status status = armdyn_trajectory_margins(p->robot, p->limits, motion, margin);
  if (!status) status = armdyn_trajectory_tool_speed(p->robot, motion, speed, when);
  if (status) return status;
  *most = margin;
  for (size_t i = 0; i < ARMDYN_LIMIT_KINDS * p->n; i++)
    if (margin[i].usage > (*most)->usage) *most = &margin[i];
  if (!((*most)->usage > USAGE_MOST)) *most = NULL;
  if (!(*speed > p->request.tool_speed_max * USAGE_MOST)) *speed = 0;
  return ARMDYN_OK;
}

static enum armdyn_status judge(const struct plan *p, const struct armdyn_trajectory *motion,
                                struct armdyn_margin *margin, struct armdyn_error *error)
{
  const struct armdyn_margin *most;
  double speed, when;
  enum armdyn_status status = plan_excess(p, motion, margin, &most, &speed, &when);
  if (status) return status;
  if (most)
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/samples",
                         "the spline through the samples takes %.6g times the %s limit of joint %s, at %.6g s; a wider "
                         "tolerance makes it smoother",
                         most->usage, armdyn_limit_name(most->limit), p->work->robot->joints[most->joint].name,
                         most->time);
  if (speed > 0)
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/tool_speed_max", "the tool moves at %.6g m/s at %.6g s", speed,
                         when);
  return ARMDYN_OK;
}

/* Start and goal, and the joint that moves fastest at one of them. */
static void note_ends(struct plan *p, const struct armdyn_trajectory *motion)
{
  const double duration = armdyn_trajectory_duration(motion);
  double qd[2][ARMDYN_JOINTS_MAX], most = 0;
  armdyn_trajectory_state(motion, 0, p->points, qd[0], NULL, NULL);
  armdyn_trajectory_state(motion, duration, p->points + p->n, qd[1], NULL, NULL);
  for (size_t end = 0; end < 2; end++)
    for (size_t j = 0; j < p->n; j++) {
      if (!(fabs(qd[end][j]) > most)) continue;
      most = fabs(qd[end][j]);
      p->fit.fastest = j;
    }
}

enum armdyn_status samples_find(struct plan *p, double duration, double time_scale, struct armdyn_trajectory *out,
                                struct armdyn_margin *margin, double *minimum, struct armdyn_error *error)
{
  (void)duration, (void)time_scale;
  if (!minimum) return ARMDYN_EINFEASIBLE; /* a trial of another duration: the samples have theirs */
  *minimum = NAN;
  enum armdyn_status status = fit_samples(p, out, error);
  if (status) return status;
  note_ends(p, out);
  status = judge(p, out, margin, error);
  if (status) armdyn_trajectory_free(out);
  return status;
}
