#include "server/work/conditioning.h"

#include <math.h>
#include <string.h>

/* What the ends of a log lose by default, in periods of the cut-off: there the filters know only one side. */
static const double trim_periods = 3;

/* A tracking differentiator rolls off so slowly that its cut-off must be higher to let the same motion pass. */
static const double tracking_times = 2.5, tracking_of_rate = 0.25;

double conditioning_trim(double position_cutoff, double torque_cutoff)
{
  const double slowest =
      fmin(position_cutoff > 0 ? position_cutoff : INFINITY, torque_cutoff > 0 ? torque_cutoff : INFINITY);
  return isfinite(slowest) ? trim_periods / slowest : 0;
}

enum armdyn_status conditioning_choose(const struct identification_conditioning *asked, struct logged_motion *motions,
                                       size_t count, struct armdyn_conditioning *out,
                                       struct identification_conditioning *used, struct armdyn_error *error)
{
  double fastest = 0;
  out->rate = isnan(asked->rate) ? logged_motion_rate(&motions[0]) : asked->rate;
  if (isnan(asked->position_cutoff_hz) || isnan(asked->torque_cutoff_hz))
    for (size_t i = 0; i < count; i++) {
      double bandwidth = 0;
      enum armdyn_status status = logged_motion_bandwidth(&motions[i], &bandwidth, error);
      if (status) return status;
      fastest = fmax(fastest, bandwidth);
    }
  const bool tracking = asked->method == ARMDYN_TRACKING_DIFFERENTIATOR;
  const double chosen = logged_motion_cutoff(fastest, out->rate);
  const double of_positions = tracking ? fmin(tracking_times * chosen, tracking_of_rate * out->rate) : chosen;
  out->method = asked->method;
  out->tracking_acceleration = isnan(asked->tracking_acceleration) ? 0 : asked->tracking_acceleration;
  out->position_cutoff = isnan(asked->position_cutoff_hz) ? of_positions : asked->position_cutoff_hz;
  out->torque_cutoff = isnan(asked->torque_cutoff_hz) ? chosen : asked->torque_cutoff_hz;
  out->trim = !isnan(asked->trim) ? asked->trim : conditioning_trim(out->position_cutoff, out->torque_cutoff);
  memcpy(out->torque_delay, asked->torque_delay, sizeof out->torque_delay);
  *used = (struct identification_conditioning){ .rate = out->rate,
                                                .position_cutoff_hz = out->position_cutoff,
                                                .torque_cutoff_hz = out->torque_cutoff,
                                                .trim = out->trim,
                                                .method = out->method,
                                                .tracking_acceleration = asked->tracking_acceleration,
                                                .has_torque_delay = asked->has_torque_delay,
                                                .torque_delay_count = asked->torque_delay_count };
  memcpy(used->torque_delay, asked->torque_delay, sizeof used->torque_delay);
  return ARMDYN_OK;
}

enum armdyn_status conditioned_head(struct logged_motion *logged, const struct armdyn_conditioning *conditioning,
                                    struct armdyn_motion *motion, struct armdyn_error *error)
{
  struct armdyn_log log;
  enum armdyn_status status = logged_motion_head(logged, HEAD_SECONDS, &log, error);
  return status ? status : armdyn_condition(logged->robot->joint_count, &log, conditioning, motion, error);
}

enum armdyn_status conditioned_head_repeats(struct logged_motion *logged,
                                            const struct armdyn_conditioning *conditioning,
                                            const struct armdyn_motion *head, bool *repeats, struct armdyn_error *error)
{
  struct armdyn_motion own = { 0 };
  enum armdyn_status status = conditioned_head(logged, conditioning, &own, error);
  if (!status) status = armdyn_motion_repeats(logged->robot->joint_count, &own, head, repeats, NULL);
  armdyn_motion_free(&own);
  return status;
}
