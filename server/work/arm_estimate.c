#include "server/work/arm_estimate.h"

#include <math.h>

static enum armdyn_rotor_columns rotors_of(const struct identification_request *request)
{
  return request->rotor_inertia ? ARMDYN_ROTORS_ALL : ARMDYN_ROTORS_PRESENT;
}

static enum armdyn_status refine_stribeck(const struct arm_order *order, struct arm_estimate *arm,
                                          struct armdyn_error *error)
{
  const struct armdyn_estimation estimation = {
    .ignore_prior = !order->request->prior, .loads = arm->loads, .trying = order->refining, .context = order->context
  };
  struct armdyn_robot *chosen = arm->own;
  const enum armdyn_status status =
      armdyn_refine_stribeck(order->given, chosen, arm->terms, rotors_of(order->request), order->source, &estimation,
                             &arm->own, &arm->stribeck, error);
  armdyn_robot_free(chosen);
  return status;
}

static enum armdyn_status choose_friction(const struct arm_order *order, struct arm_estimate *arm,
                                          struct armdyn_error *error)
{
  const struct identification_request *request = order->request;
  const bool automatic = request->friction.automatic;
  const size_t n = armdyn_robot_description(order->given)->joint_count;
  for (size_t i = 0; i < n; i++) arm->terms[i] = order->held[i] ? ARMDYN_IDENTIFY_OFFSET : request->friction.terms;
  /* what is not linear; and friction of the load, which joints are kept for that show it */
  const unsigned searched = ~(unsigned)(ARMDYN_IDENTIFY_LINEAR | ARMDYN_IDENTIFY_DIRECTED) | ARMDYN_IDENTIFY_LOAD;
  const unsigned required = automatic ? 0 : request->friction.terms & ~(unsigned)ARMDYN_IDENTIFY_LOAD;
  if (!automatic && !(request->friction.terms & searched)) return ARMDYN_OK;
  const struct armdyn_estimation estimation = { .ignore_prior = !request->prior,
                                                .trying = order->trying,
                                                .context = order->context,
                                                .loads = arm->loads,
                                                .friction_known = order->held };
  enum armdyn_status status =
      armdyn_choose_friction(order->given, required, request->friction.terms & ~required, rotors_of(request),
                             order->source, &estimation, arm->choices, &arm->own, error);
  unsigned all = 0;
  for (size_t i = 0; i < n; i++) all |= arm->terms[i] = arm->choices[i].terms;
  if (!status && (all & ARMDYN_IDENTIFY_STRIBECK)) status = refine_stribeck(order, arm, error);
  if (status) return status;
  arm->robot = arm->own;
  arm->chosen = true;
  return ARMDYN_OK;
}

/* Where friction may depend on the load: whose torques the loads are. */
static enum armdyn_status find_loads(const struct arm_order *order, struct arm_estimate *arm,
                                     struct armdyn_error *error)
{
  const struct identification_request *request = order->request;
  const struct armdyn_estimation estimation = { .ignore_prior = !request->prior,
                                                .cancelled = order->cancelled,
                                                .context = order->context };
  const unsigned usual = ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS;
  const unsigned named = request->friction.terms & (ARMDYN_IDENTIFY_LINEAR | ARMDYN_IDENTIFY_DIRECTED);
  unsigned terms[ARMDYN_JOINTS_MAX];
  if (!(request->friction.terms & ARMDYN_IDENTIFY_LOAD) && !armdyn_has_load_friction(order->given)) return ARMDYN_OK;
  for (size_t i = 0; i < armdyn_robot_joint_count(order->given); i++)
    terms[i] = order->held[i] ? ARMDYN_IDENTIFY_OFFSET : request->friction.automatic ? usual : named;
  return armdyn_loads_first(order->given, terms, rotors_of(request), order->source, &estimation, &arm->loads, error);
}

enum armdyn_status arm_unknowns(const struct arm_order *order, struct arm_estimate *arm, struct armdyn_error *error)
{
  arm->robot = order->given;
  enum armdyn_status status = find_loads(order, arm, error);
  if (!status) status = choose_friction(order, arm, error);
  if (status) return status;
  return armdyn_unknowns_under(arm->robot, arm->loads, arm->terms, rotors_of(order->request), &arm->unknowns, error);
}

/* The arm in its loop: the estimate itself, or one that makes instruments. */
static enum armdyn_status estimate_in_loop(const struct arm_order *order, const struct armdyn_estimation *estimation,
                                           struct arm_estimate *arm, struct armdyn_error *error)
{
  struct armdyn_estimation own = *estimation;
  const bool wanted = order->request->estimator == ARMDYN_DIDIM;
  if (!wanted) own.estimator = ARMDYN_DIDIM, own.lack_of_fit = false;
  return armdyn_identify_in_loop(arm->robot, arm->unknowns, order->source, order->loop, &own,
                                 wanted ? &arm->estimate : &arm->in_loop, &arm->closed_loop, error);
}

static enum armdyn_status estimate_under_load(const struct arm_order *order, const struct armdyn_estimation *estimation,
                                              struct arm_estimate *arm, struct armdyn_error *error)
{
  size_t rounds;
  return armdyn_identify_under_load(arm->robot, arm->terms, rotors_of(order->request), order->source, estimation,
                                    &arm->unknowns, &arm->estimate, &rounds, error);
}

/* By instruments of the simulated loop. */
static enum armdyn_status estimate_by_loop(const struct arm_order *order, const struct armdyn_estimation *estimation,
                                           struct arm_estimate *arm, struct armdyn_error *error)
{
  struct armdyn_loop_path *path = NULL;
  enum armdyn_status status =
      armdyn_loop_path_new(arm->robot, arm->unknowns, &arm->in_loop, order->source, order->loop, &path, error);
  if (!status) {
    const struct armdyn_source instruments = armdyn_loop_path_source(path);
    struct armdyn_estimation own = *estimation;
    own.instruments = &instruments;
    status = estimate_under_load(order, &own, arm, error);
  }
  armdyn_loop_path_free(path);
  return status;
}

enum armdyn_status arm_estimate(const struct arm_order *order, struct arm_estimate *arm, struct armdyn_error *error)
{
  const struct identification_request *request = order->request;
  const struct armdyn_estimation estimation = {
    .estimator = request->estimator,
    .ignore_prior = !request->prior,
    .prior_strength = isnan(request->prior_strength) ? 0 : request->prior_strength,
    .cancelled = order->cancelled,
    .context = order->context,
    .more_covariance = arm->stribeck.covariance,
    .free_signs = request->free_signs,
    .lack_of_fit = order->lack_of_fit,
    .instruments = order->instruments,
  };
  if (request->estimator == ARMDYN_DIDIM && !order->loop)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/estimator", "didim needs the loop that each log was made in");
  if (request->estimator == ARMDYN_IV && !order->loop && !order->instruments)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/estimator", "iv needs instruments, which this has none of");
  const enum armdyn_status status = order->loop ? estimate_in_loop(order, &estimation, arm, error) : ARMDYN_OK;
  if (status || request->estimator == ARMDYN_DIDIM) return status;
  const bool by_loop = request->estimator == ARMDYN_IV && order->loop;
  return (by_loop ? estimate_by_loop : estimate_under_load)(order, &estimation, arm, error);
}

const struct armdyn_estimate *arm_in_loop(const struct arm_estimate *arm)
{
  return arm->in_loop.beta ? &arm->in_loop : &arm->estimate;
}

void arm_estimate_release(struct arm_estimate *arm)
{
  armdyn_estimate_free(&arm->estimate);
  armdyn_estimate_free(&arm->in_loop);
  armdyn_stribeck_free(&arm->stribeck);
  armdyn_unknowns_free(arm->unknowns);
  armdyn_robot_free(arm->own);
  armdyn_robot_free(arm->loads);
}
