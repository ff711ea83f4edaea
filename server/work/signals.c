#include "server/work/signals.h"

#include <stdlib.h>

#include "server/work/conditioning.h"
#include "server/work/cutoffs.h"
#include "server/work/torque_delays.h"
#include "server/work/velocities.h"

/* Of each joint, in one log. */
struct plain_delays {
  struct armdyn_plain_delay joints[ARMDYN_JOINTS_MAX];
};

enum armdyn_status signals_name_log(const struct opened_logs *logs, size_t index, enum armdyn_status status,
                                    struct armdyn_error *error)
{
  if (!error->message[0]) return status;
  return armdyn_refuse(error, status, "", "data set %s: %s", logs->data[index].id, error->message);
}

static void take_warnings(struct signals *signals, size_t before, size_t log)
{
  for (size_t k = before; k < signals->warnings.count; k++) signals->warned_of[k] = log;
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
    take_warnings(signals, before, i);
    if (signals->velocities[i].has) result->velocities = signals->velocities;
  }
  return ARMDYN_OK;
}

/* -- delays -- */

static enum armdyn_status look_at(const struct signals_order *order, const struct armdyn_conditioning *conditioning,
                                  const struct signals *signals, size_t log, struct armdyn_plain_delay *plain,
                                  struct armdyn_error *error)
{
  struct armdyn_log head;
  enum armdyn_status status = logged_motion_head(&order->logs->motions[log], HEAD_SECONDS, &head, error);
  if (!status) status = armdyn_plain_delays(signals->usual, &head, conditioning, plain, error);
  return status ? signals_name_log(order->logs, log, status, error) : ARMDYN_OK;
}

/* Joints whose torques are plainly late in training data. */
static enum armdyn_status find_plain(const struct signals_order *order, const struct armdyn_conditioning *conditioning,
                                     const struct signals *signals, struct plain_delays *found, bool *late,
                                     struct armdyn_error *error)
{
  for (size_t i = 0; i < order->logs->count; i++) {
    const enum armdyn_status status = look_at(order, conditioning, signals, i, found[i].joints, error);
    if (status) return status;
    for (size_t j = 0; j < armdyn_robot_joint_count(order->robot); j++)
      late[j] = late[j] || (i < order->training_count && found[i].joints[j].left < ARMDYN_DELAY_SEARCHED);
  }
  return ARMDYN_OK;
}

/* Where nobody says whether to look: if a delay is plain, of the joints where it is. */
static enum armdyn_status find_delays(const struct signals_order *order, struct armdyn_conditioning *conditioning,
                                      struct signals *signals, struct identification_result *result,
                                      struct plain_delays *found, struct armdyn_error *error)
{
  const struct identification_request *request = order->request;
  const size_t n = armdyn_robot_joint_count(order->robot);
  bool late[ARMDYN_JOINTS_MAX] = { false }, any = false, taken = false;
  enum armdyn_status status = find_plain(order, conditioning, signals, found, late, error);
  const bool possible = request->identify == IDENTIFY_ARM && !request->conditioning.has_torque_delay &&
                        !armdyn_friction_at_motors(order->robot);
  for (size_t j = 0; j < n; j++) any = any || late[j];
  const bool search = request->has_find_torque_delay ? request->find_torque_delay : any && possible;
  if (!status && search) {
    result->delays = signals->delays;
    status = torque_delays_find(order, request->has_find_torque_delay ? NULL : late, conditioning,
                                &result->conditioning, signals->delays, error);
    for (size_t j = 0; j < n; j++) taken = taken || signals->delays[j].compensated;
  }
  for (size_t i = 0; i < order->logs->count && !status; i++) {
    const size_t before = signals->warnings.count;
    if (taken) status = look_at(order, conditioning, signals, i, found[i].joints, error);
    armdyn_delay_warnings(found[i].joints, n, search, &signals->warnings);
    take_warnings(signals, before, i);
  }
  return status;
}

enum armdyn_status signals_choose(const struct signals_order *order, struct armdyn_conditioning *conditioning,
                                  struct signals *signals, struct identification_result *result,
                                  struct armdyn_error *error)
{
  enum armdyn_status status = armdyn_unknowns_new(
      order->robot, ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS,
      order->request->rotor_inertia ? ARMDYN_ROTORS_ALL : ARMDYN_ROTORS_PRESENT, &signals->usual, error);
  if (!status) status = choose_velocities(order, conditioning, signals, result, error);
  if (!status && order->request->find_cutoffs) status = cutoffs_find(order, conditioning, result, error);
  if (status) return status;
  struct plain_delays *found = calloc(order->logs->count, sizeof *found);
  status = found ? find_delays(order, conditioning, signals, result, found, error) : ARMDYN_EMEMORY;
  free(found);
  return status;
}

void signals_release(struct signals *signals)
{
  armdyn_unknowns_free(signals->usual);
}
