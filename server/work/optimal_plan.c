/* Energy-optimal motions: the search, and what it is compared with. */
#include <math.h>
#include <stdlib.h>

#include "server/base/clock.h"
#include "server/data/stored_trajectory.h"
#include "server/work/baseline.h"
#include "server/work/plan.h"

static enum armdyn_go go_on(void *context)
{
  struct plan *p = context;
  char sentence[96];
  p->iterations++;
  snprintf(sentence, sizeof sentence, "searching for the best motion: iteration %zu", p->iterations);
  /* how many there will be nobody knows; 25 a start is usual */
  double expected = 25 * (double)p->request.multistart, done = (double)p->iterations;
  work_progress(p->work, done / (done + expected), sentence);
  return plan_in_time(p) ? ARMDYN_GO_ON : ARMDYN_GO_FINISH; /* to cancel is to kill */
}

/* -- what is asked of the library -- */

/* A request with what it points to. */
struct optimal_problem {
  struct armdyn_cost_term terms[2];
  struct armdyn_optimal_request request;
};

static void optimal_problem_init(struct optimal_problem *problem, const struct plan *p)
{
  const struct trajectory_request *asked = &p->request;
  *problem = (struct optimal_problem){ 0 };
  problem->request = (struct armdyn_optimal_request){
    .start = p->points,
    .goal = p->points + (p->point_count - 1) * p->n,
    .duration = asked->duration,
    .duration_min = isnan(asked->duration_min) ? 0 : asked->duration_min,
    .duration_max = isnan(asked->duration_max) ? 0 : asked->duration_max,
    .limits = p->limits,
    .intervals = asked->intervals,
    .tool_speed = isnan(asked->tool_speed_max) ? 0 : asked->tool_speed_max,
    .zero_boundary_acceleration = asked->zero_boundary_acceleration,
    .starts = asked->multistart,
    .seed = asked->seed,
    .cost_count = trajectory_cost_terms(asked, problem->terms),
    .costs = problem->terms,
    .waypoint_count = p->point_count - 2,
    .waypoints = p->points + p->n,
    .around = surrounded_around(&p->surrounded),
  };
}

/* The motion to start from, as the library wants it. */
static enum armdyn_status take_guess(struct plan *p, struct armdyn_trajectory *guess, struct armdyn_error *error)
{
  struct store *store;
  struct armdyn_trajectory stored = { 0 };
  const char *id = p->request.seed_trajectory;
  enum armdyn_status status = work_store(p->work, &store);
  if (!status) status = stored_trajectory_read(store, id, p->n, &stored);
  if (status) return armdyn_refuse(error, status, "/seed_trajectory", "trajectory %s cannot be read", id);
  double duration = isnan(p->request.duration) ? armdyn_trajectory_duration(&stored) : p->request.duration;
  status = armdyn_trajectory_cubic(&stored, p->request.intervals, duration, guess, error);
  armdyn_trajectory_free(&stored);
  return status;
}

static enum armdyn_status search_for(struct plan *p, const struct armdyn_optimal_request *request,
                                     struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                     struct trajectory_search *search, struct armdyn_error *error)
{
  int64_t begun = clock_monotonic_ns();
  enum armdyn_status status = armdyn_optimal_plan(p->robot, request, out, margin, &search->found, go_on, p, error);
  search->time += 1e-9 * (double)(clock_monotonic_ns() - begun);
  return status;
}

/* Is there a motion of this duration? One start is enough to know. A free one has no price: the quickest is meant. */
static enum armdyn_status try_one(struct plan *p, struct optimal_problem *problem, struct armdyn_trajectory *out,
                                  struct armdyn_margin *margin)
{
  struct trajectory_search *search = calloc(1, sizeof *search);
  if (!search) return ARMDYN_EMEMORY;
  problem->request.starts = 1;
  problem->terms[0].model =
      ARMDYN_COST_TORQUE; /* found soonest; whether the limits can be kept does not depend on it */
  if (isnan(problem->request.duration)) {
    problem->terms[1].weight = 1;
    problem->request.costs = &problem->terms[1];
    problem->request.cost_count = 1;
    problem->request.duration_min = problem->request.duration_max = 0;
  }
  enum armdyn_status status = search_for(p, &problem->request, out, margin, search, NULL);
  free(search);
  return status;
}

/* -- what other durations would cost -- */

static enum armdyn_status weigh_alternative(const struct plan *p, const struct armdyn_trajectory *motion,
                                            struct trajectory_alternative *out)
{
  struct armdyn_motion_energy energy;
  struct armdyn_electrical_energy electrical;
  out->energy = out->electrical = NAN;
  if (!motion->breaks) return ARMDYN_OK;
  enum armdyn_status status = armdyn_trajectory_energy(p->robot, motion, &energy);
  if (status) return status;
  out->energy = energy.positive_work;
  status = armdyn_trajectory_electrical_energy(p->robot, &p->drives, motion, &electrical, NULL);
  if (!status) out->electrical = electrical.total;
  return status == ARMDYN_EMEMORY ? status : ARMDYN_OK;
}

/* The same way in the durations to compare, beginning with the motion that was found. */
static enum armdyn_status compare_durations(struct plan *p, struct armdyn_optimal_request request,
                                            const struct armdyn_trajectory *found, struct armdyn_error *error)
{
  const size_t count = p->request.duration_count;
  struct armdyn_pareto_point points[LIMIT_DURATIONS];
  struct armdyn_trajectory motions[LIMIT_DURATIONS];
  double ignored;
  if (count == 0) return ARMDYN_OK;
  request.guess = found;
  request.minimum_duration = false;
  int64_t begun = clock_monotonic_ns();
  enum armdyn_status status = armdyn_optimal_pareto(p->robot, &request, p->request.durations, count, points, motions,
                                                    &ignored, go_on, p, error);
  p->search.time += 1e-9 * (double)(clock_monotonic_ns() - begun);
  if (status) return status;
  for (size_t k = 0; k < count; k++) {
    p->search.alternatives[k].point = points[k];
    if (!status) status = weigh_alternative(p, &motions[k], &p->search.alternatives[k]);
    armdyn_trajectory_free(&motions[k]);
  }
  return status;
}

/* Is a refusal one of a place that is blocked? Then no duration helps. */
static bool is_of_place(const char *pointer)
{
  static const char *const places[] = { "/cell", "/start", "/goal", "/waypoints/" };
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (!strncmp(pointer, places[i], strlen(places[i]))) return true;
  return false;
}

enum armdyn_status optimal_find(struct plan *p, double duration, double time_scale, struct armdyn_trajectory *out,
                                struct armdyn_margin *margin, double *minimum, struct armdyn_error *error)
{
  struct optimal_problem problem;
  struct armdyn_trajectory guess = { 0 };
  if (minimum) *minimum = NAN;
  /* where there was time enough, the quickest motion was looked for already */
  if (isnan(duration) && !isnan(p->request.duration) && !p->cut) return ARMDYN_EINFEASIBLE;
  double *times = plan_times(p, time_scale);
  if (!times) return ARMDYN_EMEMORY;
  optimal_problem_init(&problem, p);
  problem.request.duration = duration;
  problem.request.waypoint_times = times + 1;
  enum armdyn_status status = ARMDYN_OK;
  if (!minimum) {
    status = try_one(p, &problem, out, margin);
    goto out;
  }
  p->search.gap = NAN;
  if (p->request.seed_trajectory[0]) {
    if ((status = take_guess(p, &guess, error))) goto out;
    problem.request.guess = &guess;
  }
  problem.request.minimum_duration = true;
  status = search_for(p, &problem.request, out, margin, &p->search, error);
  p->unreachable = status && p->surrounded.scene && is_of_place(error->pointer);
  *minimum = p->search.found.minimum_duration;
  if (!status && (status = compare_durations(p, problem.request, out, error))) armdyn_trajectory_free(out);
out:
  armdyn_trajectory_free(&guess);
  free(times);
  return status;
}

/* -- what it is compared with -- */

enum armdyn_status optimal_cost(struct plan *p)
{
  struct optimal_problem problem;
  optimal_problem_init(&problem, p);
  return armdyn_optimal_cost(p->robot, &problem.request, &p->trajectory, &p->search.found.cost, p->search.found.terms,
                             NULL);
}

static enum armdyn_status judge_baseline(const struct plan *p, const struct armdyn_trajectory *motion,
                                         struct trajectory_baseline *baseline)
{
  struct optimal_problem problem;
  struct armdyn_motion_energy energy;
  struct armdyn_electrical_energy electrical;
  optimal_problem_init(&problem, p);
  enum armdyn_status status = armdyn_optimal_cost(p->robot, &problem.request, motion, &baseline->cost, NULL, NULL);
  if (!status) status = armdyn_trajectory_energy(p->robot, motion, &energy);
  if (status) return status;
  baseline->energy = energy.positive_work;
  status = armdyn_trajectory_electrical_energy(p->robot, &p->drives, motion, &electrical, NULL);
  baseline->electrical = status ? NAN : electrical.total;
  return status == ARMDYN_EMEMORY ? status : ARMDYN_OK;
}

enum armdyn_status optimal_compare(struct plan *p)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t k = 0; k < BASELINES && !status; k++) {
    struct trajectory_baseline *baseline = &p->search.baselines[baseline_profiles[k]];
    struct armdyn_trajectory motion;
    baseline->found = baseline_plan(p->robot, baseline_profiles[k], p->points, p->trajectory.waypoint_times,
                                    p->point_count, p->limits, p->request.tool_speed_max, &motion, &baseline->feasible);
    if (!baseline->found) continue;
    status = judge_baseline(p, &motion, baseline);
    armdyn_trajectory_free(&motion);
  }
  return status;
}
