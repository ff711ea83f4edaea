#include "server/work/arm_estimate.h"

#include <math.h>

static enum armdyn_rotor_columns rotors_of(const struct identification_request *request)
{
  return request->rotor_inertia ? ARMDYN_ROTORS_ALL : ARMDYN_ROTORS_PRESENT;
}

static enum armdyn_status refine_stribeck(const struct arm_order *order, struct arm_estimate *arm,
                                          struct armdyn_error *error)
{
  const struct armdyn_estimation estimation = { .ignore_prior = !order->request->prior,
                                                .trying = order->refining,
                                                .context = order->context };
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
  const unsigned searched = ~(unsigned)(ARMDYN_IDENTIFY_LINEAR | ARMDYN_IDENTIFY_DIRECTED);
  if (!automatic && !(request->friction.terms & searched)) return ARMDYN_OK;
  const struct armdyn_estimation estimation = {
    .ignore_prior = !request->prior, .trying = order->trying, .context = order->context, .friction_known = order->held
  };
  enum armdyn_status status = armdyn_choose_friction(order->given, automatic ? 0 : request->friction.terms,
                                                     automatic ? request->friction.terms : 0, rotors_of(request),
                                                     order->source, &estimation, arm->choices, &arm->own, error);
  unsigned all = 0;
  for (size_t i = 0; i < n; i++) all |= arm->terms[i] = arm->choices[i].terms;
  if (!status && (all & ARMDYN_IDENTIFY_STRIBECK)) status = refine_stribeck(order, arm, error);
  if (status) return status;
  arm->robot = arm->own;
  arm->chosen = true;
  return ARMDYN_OK;
}

enum armdyn_status arm_unknowns(const struct arm_order *order, struct arm_estimate *arm, struct armdyn_error *error)
{
  arm->robot = order->given;
  const enum armdyn_status status = choose_friction(order, arm, error);
  if (status) return status;
  return armdyn_unknowns_by_joint(arm->robot, arm->terms, rotors_of(order->request), &arm->unknowns, error);
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
  };
  return armdyn_identify_source(arm->unknowns, order->source, &estimation, &arm->estimate, error);
}

void arm_estimate_release(struct arm_estimate *arm)
{
  armdyn_estimate_free(&arm->estimate);
  armdyn_stribeck_free(&arm->stribeck);
  armdyn_unknowns_free(arm->unknowns);
  armdyn_robot_free(arm->own);
}
