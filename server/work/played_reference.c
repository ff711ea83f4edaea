/* What an arm cannot do is rounded:
 *   step  a quintic of the shortest time that the limits allow, then rest
 *   sine  q0 + w(t) a sin(2 pi f t): w rises from 0 to 1 while it settles, and falls in the last period
 * A circle, a chirp and a hold are from rest to rest as they are. */
#include "server/work/played_reference.h"

#include <math.h>

#define PI 3.14159265358979323846

static const double RATE = 1000;     /* Hz */
static const double A_PERIOD = 50;   /* samples */
static const double EASED = 1.02;    /* times the shortest step: the spline through its samples keeps the limits too */
static const double SHORTEST = 1e-3; /* s, of any motion */

/* -- sines -- */

static double rise_of(const struct verification_reference *asked, size_t k)
{
  const double period = 1 / asked->frequencies[k];
  return isnan(asked->settle) ? period : fmax(period, asked->settle);
}

/* How long the k-th is: it rises, is measured, falls. */
static double sine_time(const struct verification_reference *asked, size_t k)
{
  return rise_of(asked, k) + (asked->periods + 1) / asked->frequencies[k];
}

/* 0 to 1, at both ends without speed and acceleration. */
static double eased(double u)
{
  const double x = fmin(fmax(u, 0), 1);
  return x * x * x * (10 - 15 * x + 6 * x * x);
}

static void sine_at(const struct reference_motion *motion, double t, double *q)
{
  const struct verification_reference *asked = motion->asked;
  size_t k = 0;
  for (; k + 1 < asked->frequency_count && t > sine_time(asked, k); k++) t -= sine_time(asked, k);
  const double f = asked->frequencies[k], w = eased(t / rise_of(asked, k)) * eased((sine_time(asked, k) - t) * f);
  for (size_t j = 0; j < motion->n; j++) q[j] = motion->q[j] + w * asked->amplitude[j] * sin(2 * PI * f * t);
}

/* -- steps -- */

static bool go_on(void *context)
{
  work_progress(context, 0.01, "planning the step");
  return false; /* to cancel is to kill */
}

static enum armdyn_status plan_step(struct plan *p, struct reference_motion *motion, struct armdyn_error *error)
{
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  double points[2 * ARMDYN_JOINTS_MAX], times[2] = { 0, NAN }, least;
  for (size_t j = 0; j < p->n; j++)
    points[j] = motion->q[j], points[p->n + j] = motion->q[j] + motion->asked->amplitude[j];
  struct armdyn_profile_request request = {
    .profile = ARMDYN_QUINTIC, .point_count = 2, .points = points, .times = times, .duration = NAN, .limits = p->limits
  };
  for (int pass = 0; pass < 2; pass++) {
    armdyn_trajectory_free(&motion->path);
    const enum armdyn_status status =
        armdyn_profile_plan(p->robot, &request, &motion->path, margin, &least, go_on, p->work, error);
    if (status) return status;
    request.duration = EASED * armdyn_trajectory_duration(&motion->path);
  }
  motion->moving = armdyn_trajectory_duration(&motion->path);
  if (motion->moving <= motion->asked->duration) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "/reference/duration",
                       "must be >= %.4g s, which the step takes within the limits, got %g", motion->moving,
                       motion->asked->duration);
}

/* -- all -- */

/* A circle that leads where the arm does not reach; what is wrong with where it begins. */
static void place_error(struct plan *p, enum armdyn_status status, struct armdyn_error *error)
{
  struct armdyn_error told = *error;
  const bool at_start = !strncmp(told.pointer, "/q", 2);
  p->unreachable = status == ARMDYN_EINFEASIBLE;
  armdyn_refuse(error, status, "", "%s", told.message);
  snprintf(error->pointer, sizeof error->pointer, "%s%s%.40s", p->unreachable ? "/samples" : "",
           at_start ? "/start" : "", told.pointer + (at_start ? 2 : 0));
}

static void measure_time(struct played_reference *reference)
{
  const struct verification_reference *asked = reference->motion.asked;
  reference->duration = asked->rest + asked->duration;
  reference->rate = RATE;
  if (asked->frequency_count) reference->rate = fmax(RATE, A_PERIOD * asked->frequencies[asked->frequency_count - 1]);
  if (asked->kind == REFERENCE_CHIRP) reference->duration *= (double)verification_chirps(asked);
  if (asked->kind != REFERENCE_SINE) return;
  reference->duration = 0;
  for (size_t k = 0; k < asked->frequency_count; k++) reference->duration += sine_time(asked, k);
}

enum armdyn_status played_reference_open(struct plan *p, struct played_reference *reference, struct armdyn_error *error)
{
  const struct own_samples *own = &p->request.samples;
  enum armdyn_status status =
      reference_motion_open(p->work, p->robot, &own->reference, own->start, "/reference", &reference->motion, error);
  if (!status && own->reference.kind == REFERENCE_STEP) status = plan_step(p, &reference->motion, error);
  if (status && status != ARMDYN_EMEMORY) place_error(p, status, error);
  if (status) return status;
  measure_time(reference);
  if (reference->duration < SHORTEST)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/reference", "lasts %g s, less than %g", reference->duration, SHORTEST);
  if (reference->duration * reference->rate <= LIMIT_OWN_SAMPLES - 2) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "/reference",
                       "lasts %g s: at %g Hz these are more than the %d samples of one motion", reference->duration,
                       reference->rate, LIMIT_OWN_SAMPLES);
}

void played_reference_close(struct played_reference *reference)
{
  reference_motion_close(&reference->motion);
}

void played_reference_at(struct played_reference *reference, double t, double *q)
{
  struct reference_motion *motion = &reference->motion;
  double qd[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  switch (motion->asked->kind) {
  case REFERENCE_SINE: sine_at(motion, t, q); break;
  case REFERENCE_STEP: armdyn_trajectory_state(&motion->path, fmin(t, motion->moving), q, NULL, NULL, NULL); break;
  default: reference_motion_at(motion, t, q, qd, qdd); break;
  }
}
