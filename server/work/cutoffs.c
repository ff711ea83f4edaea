#include "server/work/cutoffs.h"

#include <math.h>
#include <stdio.h>

#include "server/work/conditioning.h"
#include "server/work/training_data.h"

/* Positions are tried step by step the way that the error falls, torques at once. */
enum { STEPS = 8, FACTORS = 7 };
static const double STEP = 1.41421356237309505, MOST_OF_RATE = 0.45, ERRORS = 1;
static const double torque_factors[FACTORS] = { 1, 0.5, 0.7, 1.4, 2, 2.8, 4 };

struct search {
  const struct signals_order *order;
  struct armdyn_unknowns *unknowns;
  struct armdyn_conditioning conditioning; /* of the trials */
  struct identification_cutoffs *told;
  struct armdyn_held_out tried[CUTOFFS_MOST]; /* as they are told */
  double weight[ARMDYN_JOINTS_MAX];
};

/* `count` cut-offs of torques with one of positions, behind what was tried before. */
static enum armdyn_status try_pairs(struct search *s, double position, size_t count, const double *torques,
                                    struct armdyn_error *error)
{
  struct identification_cutoffs *told = s->told;
  struct armdyn_held_out *tried = s->tried + told->count;
  struct armdyn_log_stream *stream;
  char sentence[96];
  snprintf(sentence, sizeof sentence, "trying cut-offs of %.3g Hz for positions", position);
  s->order->tell(s->order->context, sentence);
  s->conditioning.position_cutoff = position;
  enum armdyn_status status =
      opened_logs_stream(s->order->logs, s->order->training_count, &s->conditioning, &stream, error);
  if (status) return status;
  for (size_t t = 0; t < count; t++) tried[t].torque_cutoff = torques[t];
  status = training_data_exclude(s->order->request, s->order->logs, stream, error);
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  if (!status) status = armdyn_try_cutoffs(s->unknowns, &source, s->weight, count, tried, error);
  armdyn_log_stream_free(stream);
  for (size_t t = 0; t < count && !status; t++) {
    const size_t k = told->count++;
    told->tried[k].position = position;
    told->tried[k].torque = torques[t];
    told->tried[k].error = armdyn_held_out_error(&tried[t], &s->tried[0]);
    told->tried[k].gain = k ? armdyn_held_out_gain(&s->tried[0], &tried[t]) : 0;
    const bool better = told->tried[k].error < told->tried[told->chosen].error;
    if (better && told->tried[k].gain > ERRORS) told->chosen = k;
  }
  return status;
}

/* Positions: one way, and where the error does not fall at the first step, the other. */
static enum armdyn_status try_positions(struct search *s, double first, double torque, double least,
                                        struct armdyn_error *error)
{
  const double most = MOST_OF_RATE * s->conditioning.rate;
  size_t steps = 0;
  enum armdyn_status status = try_pairs(s, first, 1, &torque, error);
  for (int way = 0; way < 2 && !status; way++) {
    const double factor = way ? STEP : 1 / STEP;
    double position = first * factor, last = 1;
    const bool fell = s->told->count > 2; /* more than one step the other way was worth it */
    for (; !fell && steps < STEPS && position >= least && position < most && !status; steps++, position *= factor) {
      status = try_pairs(s, position, 1, &torque, error);
      const double left = s->told->tried[s->told->count - 1].error;
      if (status || !(left < last)) break;
      last = left;
    }
  }
  return status;
}

/* Torques, with the positions that were best. */
static enum armdyn_status try_torques(struct search *s, double first, struct armdyn_error *error)
{
  const double most = MOST_OF_RATE * s->conditioning.rate;
  double torques[FACTORS];
  size_t count = 0;
  for (size_t k = 1; k < FACTORS; k++)
    if (torque_factors[k] * first < most) torques[count++] = torque_factors[k] * first;
  return try_pairs(s, s->told->tried[s->told->chosen].position, count, torques, error);
}

static enum armdyn_status try_all(struct search *s, const struct armdyn_conditioning *first, struct armdyn_error *error)
{
  static const double slowest = 1; /* Hz */
  const struct identification_conditioning *asked = &s->order->request->conditioning;
  const bool positions = isnan(asked->position_cutoff_hz), torques = isnan(asked->torque_cutoff_hz);
  const double least = fmax(slowest, first->position_cutoff / 16);
  enum armdyn_status status;
  /* the same samples, and margins wide enough, for all */
  s->conditioning = *first;
  if (torques) s->conditioning.torque_cutoff *= torque_factors[1];
  if (isnan(asked->trim))
    s->conditioning.trim = conditioning_trim(first->position_cutoff / 2, s->conditioning.torque_cutoff);
  if (positions)
    status = try_positions(s, first->position_cutoff, first->torque_cutoff, least, error);
  else
    status = try_pairs(s, first->position_cutoff, 1, &first->torque_cutoff, error);
  return status || !torques ? status : try_torques(s, first->torque_cutoff, error);
}

enum armdyn_status cutoffs_find(const struct signals_order *order, struct armdyn_conditioning *conditioning,
                                struct identification_result *result, struct armdyn_error *error)
{
  struct identification_cutoffs *told = &result->cutoffs;
  struct search s = { .order = order, .told = told };
  enum armdyn_status status = armdyn_unknowns_new(
      order->robot, ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS,
      order->request->rotor_inertia ? ARMDYN_ROTORS_ALL : ARMDYN_ROTORS_PRESENT, &s.unknowns, error);
  told->asked = true;
  if (!status) status = try_all(&s, conditioning, error);
  armdyn_unknowns_free(s.unknowns);
  if (status) return status;
  conditioning->position_cutoff = result->conditioning.position_cutoff_hz = told->tried[told->chosen].position;
  conditioning->torque_cutoff = result->conditioning.torque_cutoff_hz = told->tried[told->chosen].torque;
  if (isnan(order->request->conditioning.trim))
    conditioning->trim = result->conditioning.trim =
        conditioning_trim(conditioning->position_cutoff, conditioning->torque_cutoff);
  return ARMDYN_OK;
}
