#include "lib/trajectory/bound.h"

const struct bound_kind *const bound_kinds[BOUND_KINDS] = {
  [ARMDYN_LIMIT_POSITION] = &position_bound,
  [ARMDYN_LIMIT_VELOCITY] = &velocity_bound,
  [ARMDYN_LIMIT_ACCELERATION] = &acceleration_bound,
  [ARMDYN_LIMIT_JERK] = &jerk_bound,
  [ARMDYN_LIMIT_TORQUE] = &torque_bound,
  [ARMDYN_LIMIT_TORQUE_RATE] = &torque_rate_bound,
  [BOUND_TOOL_SPEED] = &tool_bound,
  [BOUND_CLEARANCE] = &clearance_bound,
};

size_t bound_given(const struct transcription *t, size_t knot)
{
  return knot == 0 ? t->ends[0].given : knot == t->intervals ? t->ends[1].given : 0;
}
