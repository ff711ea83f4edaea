#include "server/work/torque_delays.h"

#include <math.h>
#include <stdio.h>

#include "server/work/training_data.h"

enum { ROUNDS = 4 };
static const double SETTLED = 0.02; /* of a sample */

static void tell_round(const struct signals_order *order, size_t round)
{
  char sentence[96];
  snprintf(sentence, sizeof sentence, "looking how late torques are, round %zu of at most %d", round, ROUNDS);
  order->tell(order->context, sentence);
}

static enum armdyn_status look(const struct signals_order *order, const struct armdyn_unknowns *unknowns,
                               const struct armdyn_conditioning *conditioning, struct armdyn_torque_delay *found,
                               struct armdyn_error *error)
{
  struct armdyn_log_stream *stream;
  enum armdyn_status status = opened_logs_stream(order->logs, order->training_count, conditioning, &stream, error);
  if (status) return status;
  status = training_data_exclude(order->request, order->logs, stream, error);
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  if (!status) status = armdyn_find_torque_delays(unknowns, &source, found, error);
  armdyn_log_stream_free(stream);
  return status;
}

/* Take out what shows, look at what is left. Delays that do not show at first stay where they are. */
static enum armdyn_status settle(const struct signals_order *order, const bool *joints,
                                 const struct armdyn_unknowns *unknowns, struct armdyn_conditioning *conditioning,
                                 const struct armdyn_torque_delay *first, struct armdyn_torque_delay *last,
                                 struct armdyn_error *error)
{
  const size_t n = armdyn_robot_description(order->robot)->joint_count;
  struct armdyn_torque_delay found[ARMDYN_JOINTS_MAX] = { 0 };
  double largest = INFINITY;
  bool shows[ARMDYN_JOINTS_MAX], any = false;
  for (size_t j = 0; j < n; j++) {
    last[j] = first[j];
    shows[j] = (!joints || joints[j]) && armdyn_torque_delay_shows(&first[j], &first[j], conditioning->torque_cutoff);
    any = any || shows[j];
  }
  for (size_t round = 2; any && round <= ROUNDS && largest * conditioning->rate > SETTLED; round++) {
    for (size_t j = 0; j < n; j++) conditioning->torque_delay[j] = shows[j] ? last[j].delay : 0;
    tell_round(order, round);
    const enum armdyn_status status = look(order, unknowns, conditioning, found, error);
    if (status) return status;
    largest = 0;
    for (size_t j = 0; j < n; j++) {
      const double more = found[j].delay, whole = last[j].delay + more;
      if (!shows[j] || isnan(more)) continue;
      last[j] = found[j];
      last[j].delay = whole;
      largest = fmax(largest, fabs(more));
    }
  }
  return ARMDYN_OK;
}

enum armdyn_status torque_delays_find(const struct signals_order *order, const bool *joints,
                                      struct armdyn_conditioning *conditioning,
                                      struct identification_conditioning *used, struct identification_delay *delays,
                                      struct armdyn_error *error)
{
  const size_t n = armdyn_robot_description(order->robot)->joint_count;
  struct armdyn_torque_delay first[ARMDYN_JOINTS_MAX] = { 0 }, last[ARMDYN_JOINTS_MAX] = { 0 };
  struct armdyn_unknowns *unknowns = NULL;
  double longest = 0;
  tell_round(order, 1);
  enum armdyn_status status =
      armdyn_unknowns_new(order->robot, ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS,
                          order->request->rotor_inertia ? ARMDYN_ROTORS_ALL : ARMDYN_ROTORS_PRESENT, &unknowns, error);
  if (!status) status = look(order, unknowns, conditioning, first, error);
  if (!status) status = settle(order, joints, unknowns, conditioning, first, last, error);
  armdyn_unknowns_free(unknowns);
  for (size_t j = 0; j < n && !status; j++) {
    const bool shows =
        (!joints || joints[j]) && armdyn_torque_delay_shows(&first[j], &last[j], conditioning->torque_cutoff);
    delays[j] = (struct identification_delay){ shows ? last[j] : first[j], shows };
    conditioning->torque_delay[j] = used->torque_delay[j] = shows ? last[j].delay : 0;
    if (!shows) continue;
    used->has_torque_delay = true;
    used->torque_delay_count = n;
    longest = fmax(longest, fabs(last[j].delay));
  }
  if (isnan(order->request->conditioning.trim))
    conditioning->trim = used->trim += longest; /* a log says no more there */
  return status;
}
