#include "server/work/signals.h"

#include <stdio.h>

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

static void tell_round(void *context, size_t round, size_t rounds)
{
  const struct signals_order *order = context;
  char sentence[96];
  snprintf(sentence, sizeof sentence, "looking how late torques are, round %zu of at most %zu", round, rounds);
  order->tell(order->context, sentence);
}

static enum armdyn_status find_delays(const struct signals_order *order, struct armdyn_conditioning *conditioning,
                                      struct signals *signals, struct identification_result *result,
                                      struct armdyn_error *error)
{
  struct signals_order own = *order;
  const struct torque_delays_order delays = { .request = order->request,
                                              .robot = order->robot,
                                              .logs = order->logs,
                                              .count = order->training_count,
                                              .round = tell_round,
                                              .context = &own };
  result->delays = signals->delays;
  return torque_delays_find(&delays, conditioning, &result->conditioning, signals->delays, error);
}

enum armdyn_status signals_choose(const struct signals_order *order, struct armdyn_conditioning *conditioning,
                                  struct signals *signals, struct identification_result *result,
                                  struct armdyn_error *error)
{
  enum armdyn_status status = choose_velocities(order, conditioning, signals, result, error);
  if (!status && order->request->find_cutoffs) status = cutoffs_find(order, conditioning, result, error);
  if (!status && order->request->find_torque_delay) status = find_delays(order, conditioning, signals, result, error);
  return status;
}
