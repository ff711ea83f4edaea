#include "server/work/payload.h"

#include <math.h>
#include <stdlib.h>

#include "api/limits.h"

enum armdyn_status payload_bare_robot(const struct armdyn_robot_description *model, struct armdyn_robot **out,
                                      struct armdyn_error *error)
{
  struct armdyn_robot_description *bare = malloc(sizeof *bare);
  if (!bare) return ARMDYN_EMEMORY;
  *bare = *model;
  bare->payload = (struct armdyn_body){ 0 };
  const enum armdyn_status status = armdyn_robot_new(bare, out, error);
  free(bare);
  return status;
}

static enum armdyn_status condition_whole(size_t n, struct logged_motion *logged,
                                          const struct armdyn_conditioning *conditioning, struct armdyn_motion *motion,
                                          struct armdyn_error *error)
{
  struct armdyn_log log;
  if (logged->count > LIMIT_PAYLOAD_DIFFERENCE_ROWS)
    return armdyn_refuse(
        error, ARMDYN_EINPUT, "",
        "of two runs each may have %d samples at most, got %zu; cut them, or leave out the one without "
        "load",
        LIMIT_PAYLOAD_DIFFERENCE_ROWS, logged->count);
  const enum armdyn_status status = logged_motion_head(logged, logged->end - logged->begin, &log, error);
  return status ? status : armdyn_condition(n, &log, conditioning, motion, error);
}

static enum armdyn_status read_motion(void *context, size_t index, struct armdyn_motion *motion,
                                      struct armdyn_error *error)
{
  (void)index, (void)error;
  *motion = *(const struct armdyn_motion *)context;
  return ARMDYN_OK;
}

static enum armdyn_status estimate_difference(const struct payload_order *order, struct armdyn_payload_estimate *out,
                                              struct armdyn_error *error)
{
  const size_t n = order->loaded->robot->joint_count;
  struct armdyn_motion loaded = { 0 }, unloaded = { 0 }, difference = { 0 };
  enum armdyn_status status = condition_whole(n, order->loaded, order->conditioning, &loaded, error);
  if (!status) status = condition_whole(n, order->unloaded, order->conditioning, &unloaded, error);
  if (!status) status = armdyn_payload_difference(order->unknowns, &loaded, &unloaded, &difference, error);
  const struct armdyn_source source = {
    .samples = difference.count, .blocks = 1, .read = read_motion, .context = &difference
  };
  if (!status)
    status = armdyn_identify_payload(order->unknowns, &source, order->estimator, order->cancelled, order->context, out,
                                     error);
  armdyn_motion_free(&loaded);
  armdyn_motion_free(&unloaded);
  armdyn_motion_free(&difference);
  return status;
}

enum armdyn_status payload_estimate(const struct payload_order *order, struct armdyn_payload_estimate *out,
                                    double *beta, struct armdyn_error *error)
{
  const enum armdyn_status status = order->unloaded
                                        ? estimate_difference(order, out, error)
                                        : armdyn_identify_payload(order->unknowns, &order->source, order->estimator,
                                                                  order->cancelled, order->context, out, error);
  if (!status) armdyn_model_base_parameters(order->unknowns, out->parameters, beta);
  return status;
}
