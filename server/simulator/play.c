#include <math.h>

#include "server/simulator/play.h"

enum { TICK_US = 1000 };
static const double tick = 1e-3;         /* s */
static const double brake_time = 0.1;    /* s from full pace to rest */
static const double rated_default = 100; /* N m of an axis without a model, for format 1 */

static const struct armdyn_limits *limits_of(const struct simulator *s, unsigned axis)
{
  return s->arm.robot ? &armdyn_robot_description(s->arm.robot)->joints[axis].limits : NULL;
}

double simulator_torque_most(const struct simulator *s, unsigned axis)
{
  return s->arm.robot ? limits_of(s, axis)->torque : INFINITY;
}

double simulator_rate_most(const struct simulator *s, unsigned axis)
{
  return s->arm.robot ? limits_of(s, axis)->torque_rate : INFINITY;
}

uint16_t *simulator_sample(const struct simulator *s, uint32_t k)
{
  return s->data + (size_t)(k % s->room) * s->profile.sample_words;
}

double simulator_torque(const struct simulator *s, uint32_t k, unsigned a)
{
  const struct simulator_profile *p = &s->profile;
  const uint16_t *sample = simulator_sample(s, k);
  if (p->format == FORMAT_TORQUE) return (double)protocol_get_float(sample + 2 * a);
  if (p->format == FORMAT_POSITION_TORQUE) return (double)protocol_get_float(sample + 4 * a + 2);
  double rated = simulator_torque_most(s, p->axis[a]);
  return (int16_t)sample[a] * 1e-3 * (isfinite(rated) ? rated : rated_default);
}

static double simulator_position(const struct simulator *s, uint32_t k, unsigned a)
{
  return (double)protocol_get_float(simulator_sample(s, k) + 4 * a);
}

uint32_t simulator_play_index(const struct simulator *s)
{
  if (!s->profile.period_us) return 0;
  return (uint32_t)(fmin(s->play_us, simulator_end_us(s)) / s->profile.period_us);
}

void simulator_play_from_start(struct simulator *s)
{
  s->play_us = 0;
  s->pace = 1;
  s->brake = GO_ON;
  s->traced = s->traced_crc = 0;
  memcpy(s->hold, s->arm.q, sizeof s->hold);
}

void simulator_brake(struct simulator *s, enum brake why)
{
  if (s->brake == BRAKE_TO_FAULT) return;
  s->brake = why;
  if (s->profile.format == FORMAT_POSITION_TORQUE) return;
  s->pace = 0;
  memcpy(s->hold, s->arm.q, sizeof s->hold);
}

static void trace_sample(struct simulator *s, uint32_t k)
{
  const struct simulator_profile *p = &s->profile;
  bool inside = true;
  for (unsigned a = 0; a < p->axes; a++)
    inside = inside && fabs(simulator_torque(s, k, a)) <= simulator_torque_most(s, p->axis[a]) * (1 + 1e-6);
  witness_sample(&s->witness, k, s->next, inside);
  s->traced_crc = protocol_crc32(s->traced_crc, simulator_sample(s, k), p->sample_words);
  s->samples_played++;
  if (!s->options.trace) return;
  fprintf(s->options.trace, "%lu,%lu", (unsigned long)p->id, (unsigned long)k);
  for (unsigned a = 0; a < p->axes; a++) {
    if (p->format == FORMAT_POSITION_TORQUE) fprintf(s->options.trace, ",%.9g", simulator_position(s, k, a));
    fprintf(s->options.trace, ",%.9g", simulator_torque(s, k, a));
  }
  fputc('\n', s->options.trace);
}

/* Reference and torque at the present place: linear between samples. */
static void reference(struct simulator *s, double *position, double *speed, double *torque)
{
  const struct simulator_profile *p = &s->profile;
  uint32_t k = simulator_play_index(s), next = k + 1 < simulator_known(s) ? k + 1 : k;
  double x = fmin(fmax(s->play_us / p->period_us - k, 0), 1);
  for (unsigned a = 0; a < p->axes; a++) {
    unsigned axis = p->axis[a];
    double tau = simulator_torque(s, k, a);
    torque[axis] = tau + x * (simulator_torque(s, next, a) - tau);
    if (p->format != FORMAT_POSITION_TORQUE) continue;
    double q = simulator_position(s, k, a), rise = simulator_position(s, next, a) - q;
    position[axis] = q + x * rise;
    speed[axis] = s->pace * rise / (p->period_us * 1e-6);
  }
}

/* Move the arm for one tick while a profile is played or held. */
static void move(struct simulator *s)
{
  double position[ARMDYN_JOINTS_MAX], speed[ARMDYN_JOINTS_MAX] = { 0 }, torque[ARMDYN_JOINTS_MAX] = { 0 };
  bool referenced = s->profile.format == FORMAT_POSITION_TORQUE, full = s->pace >= 1;
  memcpy(position, s->hold, sizeof position); /* axes without a part in it stay */
  reference(s, position, speed, torque);
  struct arm_drive drive = { full ? torque : NULL, referenced || !full ? position : NULL, speed };
  arm_step(&s->arm, &drive, tick);
  if (referenced) memcpy(s->hold, position, sizeof s->hold);
}

static void hold_still(struct simulator *s)
{
  static const double zero[ARMDYN_JOINTS_MAX];
  bool limp = s->phase == PHASE_DONE && s->profile.end_policy == END_ZERO_TORQUE;
  struct arm_drive drive = { limp ? zero : NULL, limp ? NULL : s->hold, zero };
  arm_step(&s->arm, &drive, tick);
}

static void come_to_rest(struct simulator *s)
{
  arm_place(&s->arm, s->arm.q); /* the brakes close */
  if (s->brake == BRAKE_TO_EMPTY) {
    simulator_change(s, PHASE_EMPTY, COMMAND_STOP);
    simulator_forget(s);
  } else if (s->brake == BRAKE_TO_FAULT) {
    simulator_change(s, PHASE_FAULT, CAUSE_ITSELF);
    s->own_error = CONTROLLER_HEARTBEAT;
  }
}

/* A stream that may end before the arm could be brought to rest on it: the arm is brought to rest. Without a position
 * reference that takes no way. */
static void watch_stream(struct simulator *s)
{
  if (s->brake != GO_ON || s->phase != PHASE_PLAYING || !s->profile.open) return;
  double way_us = s->profile.format == FORMAT_POSITION_TORQUE ? 0.5e6 * s->pace * s->pace * brake_time : 0;
  s->timing.ahead_least_us = fmin(s->timing.ahead_least_us, simulator_ahead_us(s));
  if (simulator_ahead_us(s) > way_us + 2 * TICK_US) return;
  simulator_change(s, PHASE_HOLDING, CAUSE_ITSELF);
  s->own_error = CONTROLLER_UNDERRUN;
  s->underruns++;
  simulator_brake(s, BRAKE_TO_HOLD);
}

static void play(struct simulator *s)
{
  double change = tick / brake_time;
  watch_stream(s);
  s->pace = s->brake == GO_ON ? fmin(1, s->pace + change) : fmax(0, s->pace - change);
  for (uint32_t k = simulator_play_index(s); s->traced <= k; s->traced++) trace_sample(s, s->traced);
  move(s);
  s->play_us += s->pace * TICK_US;
  if (s->pace == 0 && s->brake != GO_ON) {
    come_to_rest(s);
    return;
  }
  bool goes_on = s->phase == PHASE_PLAYING && s->brake == GO_ON;
  if (s->profile.open || s->play_us < simulator_end_us(s) + s->profile.period_us || !goes_on) return;
  for (; s->traced < s->profile.total; s->traced++) trace_sample(s, s->traced);
  if (s->options.trace) fflush(s->options.trace); /* whoever waits for the end reads it */
  if (s->profile.format != FORMAT_POSITION_TORQUE) memcpy(s->hold, s->arm.q, sizeof s->hold);
  witness_end(&s->witness, s->traced, s->profile.total, s->traced_crc == s->profile.crc);
  simulator_change(s, PHASE_DONE, CAUSE_ITSELF);
}

static void watch_heartbeat(struct simulator *s, int passed_ms)
{
  bool armed = s->phase == PHASE_ARMED, moving = s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING;
  if (!armed && !moving) return;
  s->heartbeat_age += passed_ms;
  if (s->heartbeat_age <= PROTOCOL_BEAT_MOST_MS || s->brake == BRAKE_TO_EMPTY) return;
  if (armed) {
    simulator_change(s, PHASE_FAULT, CAUSE_ITSELF);
    s->own_error = CONTROLLER_HEARTBEAT;
  } else if (s->profile.loss_policy == LOSS_STOP || s->phase == PHASE_HOLDING) {
    if (s->phase == PHASE_PLAYING) simulator_change(s, PHASE_HOLDING, CAUSE_ITSELF);
    simulator_brake(s, BRAKE_TO_FAULT);
  }
}

/* A model that its own torques throw out of all numbers ends as a fault, with the arm where it was told to be. */
static void watch_numbers(struct simulator *s)
{
  for (size_t j = 0; j < s->arm.axes; j++) {
    if (isfinite(s->arm.q[j]) && isfinite(s->arm.qd[j])) continue;
    arm_place(&s->arm, s->hold);
    simulator_change(s, PHASE_FAULT, CAUSE_ITSELF);
    s->own_error = CONTROLLER_INTERNAL;
    return;
  }
}

void simulator_play(struct simulator *s)
{
  watch_heartbeat(s, TICK_US / 1000);
  if (s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING)
    play(s);
  else if (s->phase == PHASE_DONE)
    hold_still(s);
  watch_numbers(s);
}

void simulator_lag(struct simulator *s, int64_t ms, int heartbeat_ms)
{
  watch_heartbeat(s, heartbeat_ms);
  if (s->phase != PHASE_PLAYING && s->phase != PHASE_HOLDING) s->uptime_ms += (uint32_t)ms;
}
