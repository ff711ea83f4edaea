#include "server/work/signals.h"

#include "server/work/cutoffs.h"
#include "server/work/torque_delays.h"
#include "server/work/velocities.h"

enum armdyn_status signals_name_log(const struct opened_logs *logs, size_t index, enum armdyn_status status,
                                    struct armdyn_error *error)
{
  if (!error->message[0]) return status;
  return armdyn_refuse(error, status, "", "data set %s: %s", logs->data[index].id, error->message);
}

static enum armdyn_status choose_velocities(const struct signals_order *order,
                                            const struct armdyn_conditioning *conditioning, struct signals *signals,
                                            struct identification_result *result, struct armdyn_error *error)
{
  if (order->request->velocities == VELOCITIES_POSITIONS) return ARMDYN_OK;
  for (size_t i = 0; i < order->logs->count; i++) {
    const size_t before = signals->warnings.count;
    const enum armdyn_status status =
        velocities_choose(order->request, order->robot, conditioning, i < order->training_count,
                          &order->logs->motions[i], &signals->velocities[i], &signals->warnings, error);
    if (status) return signals_name_log(order->logs, i, status, error);
    for (size_t k = before; k < signals->warnings.count; k++) signals->warned_of[k] = i;
    if (signals->velocities[i].has) result->velocities = signals->velocities;
  }
  return ARMDYN_OK;
}

enum armdyn_status signals_choose(const struct signals_order *order, struct armdyn_conditioning *conditioning,
                                  struct signals *signals, struct identification_result *result,
                                  struct armdyn_error *error)
{
  enum armdyn_status status = choose_velocities(order, conditioning, signals, result, error);
  if (!status && order->request->find_cutoffs) status = cutoffs_find(order, conditioning, result, error);
  if (status || !order->request->find_torque_delay) return status;
  result->delays = signals->delays;
  return torque_delays_find(order, conditioning, &result->conditioning, signals->delays, error);
}
