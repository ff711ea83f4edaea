#include "lib/trajectory/cost.h"

#include <math.h>

#include "lib/model/compiled.h"
#include "lib/trajectory/electrical_cost.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/quadrature.h"

enum { N = ARMDYN_JOINTS_MAX };

/* -- torque: sum R_j tau_j^2 -- */

static enum armdyn_status torque_judge(const struct armdyn_robot *robot, const struct armdyn_cost_term *term,
                                       struct armdyn_error *error)
{
  char where[64];
  for (size_t j = 0; term->joint_weights && j < armdyn_robot_joint_count(robot); j++) {
    if (term->joint_weights[j] > 0 && isfinite(term->joint_weights[j])) continue;
    snprintf(where, sizeof where, "/weights/%zu", j);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be > 0, got %g", term->joint_weights[j]);
  }
  return ARMDYN_OK;
}

static double torque_density(const struct armdyn_cost_term *term, const struct cost_state *x)
{
  double sum = 0;
  for (size_t j = 0; j < armdyn_robot_joint_count(x->robot); j++) sum += term->joint_weights[j] * x->tau[j] * x->tau[j];
  return sum;
}

static void torque_slopes(const struct armdyn_cost_term *term, const struct cost_state *x, double by,
                          struct cost_slopes *out)
{
  for (size_t j = 0; j < armdyn_robot_joint_count(x->robot); j++)
    out->tau[j] += 2 * by * term->joint_weights[j] * x->tau[j];
}

static void torque_bend(const struct armdyn_cost_term *term, const struct cost_state *x, double by,
                        struct cost_bend *out)
{
  for (size_t j = 0; j < armdyn_robot_joint_count(x->robot); j++) out->tau[j] += 2 * by * term->joint_weights[j];
}

/* -- time: a price on every second -- */

static double time_density(const struct armdyn_cost_term *term, const struct cost_state *x)
{
  (void)term, (void)x;
  return 1;
}

const struct cost_model cost_models[ARMDYN_COST_MODELS] = {
  [ARMDYN_COST_TORQUE] = { "torque", torque_judge, torque_density, torque_slopes, torque_bend, NULL, NULL },
  [ARMDYN_COST_TIME] = { "time", NULL, time_density, NULL, NULL, NULL, NULL },
  [ARMDYN_COST_ELECTRICAL] = { "electrical", electrical_judge, electrical_density, electrical_slopes, electrical_bend,
                               electrical_dent, electrical_kinks },
};

const char *armdyn_cost_name(enum armdyn_cost_model model)
{
  return (unsigned)model < ARMDYN_COST_MODELS ? cost_models[model].name : "unknown";
}

/* -- sums -- */

static enum armdyn_status term_judge(const struct armdyn_robot *robot, const struct armdyn_cost_term *term, size_t k,
                                     struct armdyn_error *error)
{
  struct armdyn_error inner;
  char where[sizeof error->pointer];
  snprintf(where, sizeof where, "/cost/%zu", k);
  if ((unsigned)term->model >= ARMDYN_COST_MODELS)
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "is no model of a cost: %d", (int)term->model);
  if (!(term->weight > 0 && isfinite(term->weight))) {
    snprintf(where, sizeof where, "/cost/%zu/weight", k);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be > 0, got %g", term->weight);
  }
  if (!cost_models[term->model].judge || !cost_models[term->model].judge(robot, term, &inner)) return ARMDYN_OK;
  snprintf(where, sizeof where, "/cost/%zu%.96s", k, inner.pointer);
  return armdyn_refuse(error, ARMDYN_EINPUT, where, "%s", inner.message);
}

enum armdyn_status cost_init(struct cost *cost, const struct armdyn_robot *robot,
                             const struct armdyn_optimal_request *request, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  char where[64];
  enum armdyn_status rc = ARMDYN_OK;
  *cost = (struct cost){ .robot = robot, .scale = 1, .count = request->cost_count };
  if (request->cost_count > ARMDYN_COST_TERMS_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/cost", "has %zu terms, at most %d are possible", request->cost_count,
                         ARMDYN_COST_TERMS_MAX);
  for (size_t j = 0; j < n; j++) {
    const double limit = armdyn_robot_description(robot)->joints[j].limits.torque;
    cost->weights[j] = request->weights ? request->weights[j] : isfinite(limit) ? 1 / (limit * limit) : 1;
    if (cost->weights[j] > 0 && isfinite(cost->weights[j])) continue;
    snprintf(where, sizeof where, "/cost/weights/%zu", j);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be > 0, got %g", cost->weights[j]);
  }
  for (size_t k = 0, electrical = 0; k < cost->count && !rc; k++) {
    cost->terms[k] = request->costs[k];
    rc = term_judge(robot, &cost->terms[k], k, error);
    if (rc || cost->terms[k].model != ARMDYN_COST_ELECTRICAL || electrical++ == 0) continue;
    snprintf(where, sizeof where, "/cost/%zu", k); /* struct cost_bend has room for one */
    rc = armdyn_refuse(error, ARMDYN_EINPUT, where, "is a second electrical term; give the first a larger weight");
  }
  if (cost->count == 0)
    cost->terms[cost->count++] = (struct armdyn_cost_term){ .model = ARMDYN_COST_TORQUE, .weight = 1 };
  for (size_t k = 0; k < cost->count; k++)
    if (!cost->terms[k].joint_weights) cost->terms[k].joint_weights = cost->weights;
  return rc;
}

static struct cost_state state_of(const struct cost *cost, size_t term, const double *q, const double *qd,
                                  const double *tau)
{
  return (struct cost_state){ cost->robot, q, qd, tau, cost->rounding[term], NULL };
}

double cost_density(const struct cost *cost, const double *q, const double *qd, const double *tau)
{
  double sum = 0;
  for (size_t k = 0; k < cost->count; k++) {
    const struct cost_state x = state_of(cost, k, q, qd, tau);
    sum += cost->terms[k].weight * cost_models[cost->terms[k].model].density(&cost->terms[k], &x);
  }
  return cost->scale * sum;
}

void cost_slopes(const struct cost *cost, const double *q, const double *qd, const double *tau, double by,
                 struct cost_slopes *out)
{
  const size_t n = armdyn_robot_joint_count(cost->robot);
  memset(out->q, 0, n * sizeof *out->q);
  memset(out->qd, 0, n * sizeof *out->qd);
  memset(out->tau, 0, n * sizeof *out->tau);
  for (size_t k = 0; k < cost->count; k++) {
    const struct armdyn_cost_term *term = &cost->terms[k];
    const struct cost_state x = state_of(cost, k, q, qd, tau);
    if (cost_models[term->model].slopes)
      cost_models[term->model].slopes(term, &x, by * cost->scale * term->weight, out);
  }
}

void cost_bend(const struct cost *cost, const double *q, const double *qd, const double *tau, const double *sides,
               double by, struct cost_bend *out)
{
  memset(out->tau, 0, sizeof out->tau);
  out->count = 0;
  for (size_t k = 0; k < cost->count; k++) {
    const struct armdyn_cost_term *term = &cost->terms[k];
    struct cost_state x = state_of(cost, k, q, qd, tau);
    x.sides = sides;
    if (cost_models[term->model].bend) cost_models[term->model].bend(term, &x, by * cost->scale * term->weight, out);
  }
}

void cost_dent(const struct cost *cost, const double *q, const double *qd, const double *tau, const double *sides,
               double by, struct cost_bend *out)
{
  memset(out->tau, 0, sizeof out->tau);
  out->count = 0;
  for (size_t k = 0; k < cost->count; k++) {
    const struct armdyn_cost_term *term = &cost->terms[k];
    struct cost_state x = state_of(cost, k, q, qd, tau);
    x.sides = sides;
    if (cost_models[term->model].dent) cost_models[term->model].dent(term, &x, by * cost->scale * term->weight, out);
  }
}

bool cost_is_dented(const struct cost *cost)
{
  for (size_t k = 0; k < cost->count; k++)
    if (cost_models[cost->terms[k].model].dent) return true;
  return false;
}

/* Where friction changes its sign, or power, the density has bends that quarters of a piece are for. */
static bool is_smooth(const struct cost *cost)
{
  const unsigned smooth = 1u << ARMDYN_FRICTION_OFFSET | 1u << ARMDYN_FRICTION_VISCOUS;
  const struct armdyn_robot_description *d = armdyn_robot_description(cost->robot);
  for (size_t j = 0; j < d->joint_count; j++) {
    const struct armdyn_directed *viscous = &d->joints[j].friction.viscous;
    if (cost->robot->joints[j].friction & ~smooth || viscous->positive != viscous->negative) return false;
  }
  return !cost_has_kinks(cost);
}

double cost_of_motion(const struct cost *cost, const struct armdyn_trajectory *trajectory,
                      struct armdyn_workspace *workspace, double *terms)
{
  enum {
    QUARTERS = 4,
    TOGETHER = 8,
    POINTS = TOGETHER * GAUSS_NODES
  }; /* so many points fill the processor's vectors */
  static const size_t MANY = 40;
  const size_t n = trajectory->joint_count, pieces = trajectory->piece_count;
  const size_t parts = pieces >= MANY && is_smooth(cost) ? 1 : QUARTERS;
  double q[POINTS * N], qd[POINTS * N], qdd[POINTS * N], tau[POINTS * N], weight[POINTS], sum = 0;
  memset(terms, 0, cost->count * sizeof *terms);
  for (size_t first = 0, count; first < pieces * parts; first += count) {
    count = pieces * parts - first < TOGETHER ? pieces * parts - first : TOGETHER;
    for (size_t i = 0; i < count * GAUSS_NODES; i++) {
      const size_t piece = (first + i / GAUSS_NODES) / parts, before = (first + i / GAUSS_NODES) % parts;
      const double part = (trajectory->breaks[piece + 1] - trajectory->breaks[piece]) / (double)parts;
      const double at = part * ((double)before + (1 + gauss_node[i % GAUSS_NODES]) / 2);
      weight[i] = part / 2 * gauss_weight[i % GAUSS_NODES];
      piece_state(trajectory, piece, at, q + i * n, qd + i * n, qdd + i * n, NULL);
    }
    const struct armdyn_samples samples = {
      .count = count * GAUSS_NODES, .q = { q, n }, .qd = { qd, n }, .qdd = { qdd, n }
    };
    armdyn_inverse_dynamics_batch(cost->robot, &samples, workspace, tau);
    for (size_t i = 0; i < count * GAUSS_NODES; i++) {
      const struct cost_state x = { cost->robot, q + i * n, qd + i * n, tau + i * n, 0, NULL };
      for (size_t term = 0; term < cost->count; term++)
        terms[term] +=
            weight[i] * cost->terms[term].weight * cost_models[cost->terms[term].model].density(&cost->terms[term], &x);
    }
  }
  for (size_t term = 0; term < cost->count; term++) sum += terms[term];
  return sum;
}

size_t cost_kinks(const struct cost *cost, const double *q, const double *qd, const double *tau, double *power,
                  double *rounding)
{
  for (size_t k = 0; k < cost->count; k++) {
    const struct armdyn_cost_term *term = &cost->terms[k];
    const struct cost_state x = state_of(cost, k, q, qd, tau);
    *rounding = x.rounding;
    if (cost_models[term->model].kinks) return cost_models[term->model].kinks(term, &x, power);
  }
  return 0;
}

bool cost_has_kinks(const struct cost *cost)
{
  for (size_t k = 0; k < cost->count; k++)
    if (cost->terms[k].model == ARMDYN_COST_ELECTRICAL) return true;
  return false;
}

void cost_round(struct cost *cost, const struct armdyn_trajectory *trajectory, struct armdyn_workspace *workspace,
                double share)
{
  double terms[ARMDYN_COST_TERMS_MAX];
  const double T = armdyn_trajectory_duration(trajectory);
  cost_of_motion(cost, trajectory, workspace, terms);
  for (size_t k = 0; k < cost->count; k++) cost->rounding[k] = share * fabs(terms[k]) / (cost->terms[k].weight * T);
}

enum armdyn_status armdyn_optimal_cost(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request,
                                       const struct armdyn_trajectory *trajectory, double *cost, double *terms,
                                       struct armdyn_error *error)
{
  double parts[ARMDYN_COST_TERMS_MAX];
  struct cost sum;
  enum armdyn_status rc = cost_init(&sum, robot, request, error);
  if (rc) return rc;
  struct armdyn_workspace *workspace = armdyn_workspace_new(armdyn_robot_joint_count(robot));
  if (!workspace) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory to integrate a cost");
  *cost = cost_of_motion(&sum, trajectory, workspace, parts);
  if (terms) memcpy(terms, parts, sum.count * sizeof *terms);
  armdyn_workspace_free(workspace);
  return ARMDYN_OK;
}
