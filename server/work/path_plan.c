/* A given path: the spline through the points, of which only the timing is chosen. */
#include <math.h>

#include "armdyn/path_timing.h"
#include "server/base/clock.h"
#include "server/work/plan.h"

enum { ROUNDS = 4 };
static const double KEPT = 1e-9;

static enum armdyn_go go_on(void *context)
{
  struct plan *p = context;
  char sentence[96];
  snprintf(sentence, sizeof sentence, "timing the path: iteration %zu", ++p->iterations);
  work_progress(p->work, 0.5, sentence);
  return plan_in_time(p) ? ARMDYN_GO_ON : ARMDYN_GO_CANCEL; /* half a timing is none */
}

/* Limits hold to a thousandth at first; a machine wants them kept, so again with so much in reserve. */
static void tighten(const struct plan *p, double reserve, struct armdyn_limits *limits)
{
  memcpy(limits, p->limits, p->n * sizeof *limits);
  for (size_t j = 0; j < p->n; j++) {
    limits[j].velocity *= 1 - reserve;
    limits[j].acceleration *= 1 - reserve;
    limits[j].torque *= 1 - reserve;
  }
}

/* Of all limits of this motion; its margins too. */
static enum armdyn_status find_usage(const struct plan *p, const struct armdyn_trajectory *motion,
                                     struct armdyn_margin *margin, double *worst)
{
  double speed = 0;
  enum armdyn_status status = armdyn_trajectory_margins(p->robot, p->limits, motion, margin);
  if (!status && !isnan(p->request.tool_speed_max))
    status = armdyn_trajectory_tool_speed(p->robot, motion, &speed, NULL);
  *worst = speed / (isnan(p->request.tool_speed_max) ? INFINITY : p->request.tool_speed_max);
  for (size_t i = 0; !status && i < ARMDYN_LIMIT_KINDS * p->n; i++) *worst = fmax(*worst, margin[i].usage);
  return status;
}

static enum armdyn_status time_path(struct plan *p, struct armdyn_path_timing_request *request,
                                    struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                    struct armdyn_path_timing_result *found, struct armdyn_error *error)
{
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  const double tool_speed = request->tool_speed;
  double reserve = 0, worst;
  enum armdyn_status status = armdyn_path_timing(p->robot, request, out, margin, found, go_on, p, error);
  for (int round = 0; !status && round < ROUNDS; round++) {
    if ((status = find_usage(p, out, margin, &worst))) break;
    const double excess = worst - 1;
    if (!(excess > KEPT)) return ARMDYN_OK;
    struct armdyn_trajectory again;
    struct armdyn_path_timing_result result;
    reserve += 1.1 * excess;
    tighten(p, reserve, limits);
    request->limits = limits;
    request->tool_speed = tool_speed * (1 - reserve);
    if (armdyn_path_timing(p->robot, request, &again, NULL, &result, go_on, p, NULL))
      return ARMDYN_OK; /* margins tell */
    armdyn_trajectory_free(out);
    *out = again;
    *found = result;
  }
  if (!status) status = armdyn_trajectory_margins(p->robot, p->limits, out, margin);
  return status;
}

enum armdyn_status timing_find(struct plan *p, double duration, double time_scale, struct armdyn_trajectory *out,
                               struct armdyn_margin *margin, double *minimum, struct armdyn_error *error)
{
  const struct trajectory_request *asked = &p->request;
  struct armdyn_path_timing_result found = { .shortest = NAN };
  (void)time_scale; /* passing times are what is looked for */
  if (minimum) *minimum = NAN;
  if (isnan(duration) && !isnan(asked->duration) && !p->cut) return ARMDYN_EINFEASIBLE;
  bool quickest = asked->cost.model == ARMDYN_COST_TIME || (isnan(duration) && !minimum);
  struct armdyn_path_timing_request request = {
    .path = &p->path,
    .limits = p->limits,
    .torque_price = quickest ? 0 : 1,
    .time_price = quickest ? 1 : asked->time_price,
    .weights = asked->cost.weighted ? asked->cost.weights : NULL,
    .duration = duration,
    .intervals = asked->intervals,
    .tool_speed = isnan(asked->tool_speed_max) ? 0 : asked->tool_speed_max,
  };
  int64_t begun = clock_monotonic_ns();
  enum armdyn_status status = time_path(p, &request, out, margin, &found, error);
  if (status == ARMDYN_ECANCELLED)
    status =
        armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "/deadline", "the path was not timed within %g s", asked->deadline);
  if (minimum) *minimum = found.shortest;
  p->search = (struct trajectory_search){ .time = 1e-9 * (double)(clock_monotonic_ns() - begun), .gap = found.gap };
  p->search.found = (struct armdyn_optimal_result){ .optimal = true,
                                                    .cost = found.cost,
                                                    .residual = found.gap,
                                                    .intervals = found.intervals,
                                                    .iterations = found.iterations,
                                                    .starts = 1 };
  return status;
}
