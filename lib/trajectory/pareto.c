/* What a second costs: the cheapest motion for each of several durations, the longest first, because its limits are met with
 * the least trouble; every motion is the start for the next shorter one. */
#include <math.h>

#include "armdyn/trajectory.h"
#include "lib/trajectory/polynomial.h"

/* The first of the longest that are left; `count` where none is. */
static size_t longest(const double *durations, size_t count, const bool *done)
{
  size_t at = count;
  for (size_t k = 0; k < count; k++)
    if (!done[k] && (at == count || durations[k] > durations[at])) at = k;
  return at;
}

static enum armdyn_status judge(const double *durations, size_t count, struct armdyn_error *error)
{
  char where[64];
  if (count < 1 || count > ARMDYN_PARETO_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/durations", "must be 1 to %d, got %zu", ARMDYN_PARETO_MAX, count);
  for (size_t k = 0; k < count; k++) {
    if (durations[k] >= 1e-3 && durations[k] <= 1e3) continue;
    snprintf(where, sizeof where, "/durations/%zu", k);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be >= 0.001 and <= 1000 s, got %g", durations[k]);
  }
  return ARMDYN_OK;
}

static void point_set(const struct armdyn_optimal_result *result, enum armdyn_status status,
                      struct armdyn_pareto_point *out)
{
  out->status = status;
  out->iterations = result->iterations;
  out->violation = result->violation;
  if (status) return;
  out->optimal = result->optimal;
  out->cost = result->cost;
  memcpy(out->terms, result->terms, sizeof out->terms);
}

/* The answer to one point is no end of the others. */
static bool goes_on(enum armdyn_status rc)
{
  return rc == ARMDYN_OK || rc == ARMDYN_EINFEASIBLE || rc == ARMDYN_EUNAVAILABLE;
}

/* Plan one duration; its motion becomes the `last`. */
static enum armdyn_status plan_point(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request,
                                     struct armdyn_optimal_result *result, struct armdyn_trajectory *last,
                                     struct armdyn_pareto_point *point, enum armdyn_go (*go)(void *context),
                                     void *context, struct armdyn_error *error)
{
  struct armdyn_optimal_request one = *request;
  struct armdyn_trajectory motion;
  one.duration = point->duration;
  if (last->breaks) one.guess = last, one.starts = 1;
  enum armdyn_status rc = armdyn_optimal_plan(robot, &one, &motion, NULL, result, go, context, error);
  point_set(result, rc, point);
  if (rc) return rc;
  armdyn_trajectory_free(last);
  *last = motion;
  return ARMDYN_OK;
}

enum armdyn_status armdyn_optimal_pareto(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request,
                                         const double *durations, size_t count, struct armdyn_pareto_point *points,
                                         struct armdyn_trajectory *motions, double *minimum_duration,
                                         enum armdyn_go (*go)(void *context), void *context, struct armdyn_error *error)
{
  bool done[ARMDYN_PARETO_MAX] = { false };
  struct armdyn_trajectory last = { 0 };
  *minimum_duration = NAN;
  enum armdyn_status rc = judge(durations, count, error);
  if (rc) return rc;
  struct armdyn_optimal_result *result = malloc(sizeof *result);
  if (!result) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a curve of costs");
  for (size_t k = 0; k < count; k++) {
    points[k] = (struct armdyn_pareto_point){ .duration = durations[k], .cost = NAN };
    if (motions) motions[k] = (struct armdyn_trajectory){ 0 };
  }
  for (size_t k; !rc && (k = longest(durations, count, done)) < count; done[k] = true) {
    if (durations[k] < *minimum_duration) {
      points[k].status = ARMDYN_EINFEASIBLE;
      continue;
    }
    rc = plan_point(robot, request, result, &last, &points[k], go, context, error);
    if (rc == ARMDYN_EINFEASIBLE) *minimum_duration = result->minimum_duration;
    if (!rc && motions) rc = trajectory_copy(&last, &motions[k]);
    if (goes_on(rc)) rc = ARMDYN_OK;
  }
  for (size_t k = 0; k < count && rc && motions; k++) armdyn_trajectory_free(&motions[k]);
  if (rc == ARMDYN_EMEMORY) armdyn_refuse(error, rc, "", "no memory for a curve of costs");
  armdyn_trajectory_free(&last);
  free(result);
  return rc;
}
