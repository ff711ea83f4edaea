#include <math.h>

#include "server/gateway/profile.h"

/* Rounding to float32 may move a torque by half of its last place. */
static const double rounding = 1e-6;

/* -- which axis moves which joint -- */

static size_t joint_named(const struct armdyn_robot_description *robot, const char *name)
{
  size_t j = 0;
  while (j < robot->joint_count && strcmp(robot->joints[j].name, name)) j++;
  return j;
}

static void check_counts(const struct controller_profile *p, const struct armdyn_robot_description *robot,
                         struct faults *faults)
{
  size_t n = robot->joint_count;
  if (n > LIMIT_AXES)
    fault_add(faults, FAULT_AT_POINTER, "/robot", FAULT_MAXIMUM, "the robot has %zu joints, the protocol %d axes", n,
              LIMIT_AXES);
  if (p->limits.torque_count && p->limits.torque_count != n)
    fault_add(faults, FAULT_AT_POINTER, "/profile/limits/torque", FAULT_LENGTH,
              "must have one number for each of the %zu joints, got %zu", n, p->limits.torque_count);
  if (p->limits.torque_rate_count && p->limits.torque_rate_count != n)
    fault_add(faults, FAULT_AT_POINTER, "/profile/limits/torque_rate", FAULT_LENGTH,
              "must have one number for each of the %zu joints, got %zu", n, p->limits.torque_rate_count);
}

static void check_axes(const struct controller_profile *p, const struct armdyn_robot_description *robot,
                       struct faults *faults)
{
  bool named[ARMDYN_JOINTS_MAX] = { false };
  for (size_t i = 0; i < p->axis_count; i++) {
    char where[64];
    size_t j = joint_named(robot, p->axes[i].joint);
    if (j == robot->joint_count) {
      snprintf(where, sizeof where, "/profile/axes/%zu/joint", i);
      fault_add(faults, FAULT_AT_POINTER, where, FAULT_INCONSISTENT, "robot %s has no joint %s", robot->name,
                p->axes[i].joint);
      continue;
    }
    named[j] = true;
    if (p->axes[i].torque_side != TORQUE_AT_MOTOR || !robot->has_transmission) continue;
    snprintf(where, sizeof where, "/profile/axes/%zu/torque_side", i);
    fault_add(faults, FAULT_AT_POINTER, where, FAULT_UNSUPPORTED,
              "motor torques of a coupled transmission belong to no single joint; use \"joint\"");
  }
  for (size_t j = 0; p->axis_count && j < robot->joint_count; j++)
    if (!named[j])
      fault_add(faults, FAULT_AT_POINTER, "/profile/axes", FAULT_REQUIRED, "no axis moves joint %s",
                robot->joints[j].name);
}

/* No torque is checked against nothing: each joint has a limit of its own, of the controller, or of its drive. */
static void check_limits(const struct controller_profile *p, const struct armdyn_robot_description *robot,
                         struct faults *faults)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    bool limited = isfinite(robot->joints[j].limits.torque) || p->limits.torque_count;
    for (size_t i = 0; i < p->axis_count; i++)
      if (joint_named(robot, p->axes[i].joint) == j) limited |= isfinite(p->axes[i].rated_torque);
    if (!limited)
      fault_add(faults, FAULT_AT_POINTER, "/profile/limits/torque", FAULT_REQUIRED,
                "joint %s has no torque limit; state it in the robot, here, or as rated_torque of its axis",
                robot->joints[j].name);
  }
}

static struct mapped_axis map_axis(const struct controller_profile *p, const struct controller_axis *a, size_t j,
                                   const struct armdyn_joint *joint)
{
  double side = a->torque_side == TORQUE_AT_MOTOR ? 1 / joint->drive.gear_ratio : 1;
  double torque = joint->limits.torque, rate = joint->limits.torque_rate;
  if (p->limits.torque_count) torque = fmin(torque, p->limits.torque[j]);
  if (p->limits.torque_rate_count) rate = fmin(rate, p->limits.torque_rate[j]);
  double rated = isnan(a->rated_torque) ? joint->limits.torque * fabs(side) : a->rated_torque;
  struct mapped_axis mapped = {
    .joint = j,
    .axis = (unsigned)a->axis - 1,
    .position_scale = a->sign * a->position_scale,
    .position_offset = a->position_offset,
    .torque_scale = a->sign * side,
    .start_tolerance = fabs(a->position_scale) * p->start_tolerance,
    .rated = rated,
    .torque_most = fmin(torque * fabs(side), rated),
    .rate_most = rate * fabs(side),
  };
  snprintf(mapped.name, sizeof mapped.name, "%s", joint->name);
  return mapped;
}

enum armdyn_status axis_map_make(const struct controller_description *controller,
                                 const struct armdyn_robot_description *robot, struct axis_map *map,
                                 struct faults *faults)
{
  const struct controller_profile *p = &controller->profile;
  size_t before = faults->count;
  check_counts(p, robot, faults);
  check_axes(p, robot, faults);
  check_limits(p, robot, faults);
  if (faults->count > before) return ARMDYN_EINPUT;

  map->count = 0;
  for (unsigned number = 1; number <= LIMIT_AXES; number++)
    for (size_t i = 0; i < robot->joint_count; i++) {
      struct controller_axis in_order = { .axis = (int)i + 1, .sign = 1, .position_scale = 1, .rated_torque = NAN };
      const struct controller_axis *a = p->axis_count ? &p->axes[i] : &in_order;
      if (a->axis != (int)number) continue;
      size_t j = p->axis_count ? joint_named(robot, a->joint) : i;
      map->axes[map->count++] = map_axis(p, a, j, &robot->joints[j]);
    }
  return ARMDYN_OK;
}

/* -- making the words -- */

unsigned profile_sample_words(unsigned format, unsigned axes)
{
  return format == FORMAT_MOTION ? 6 * axes : protocol_sample_words(format, axes);
}

enum armdyn_status profile_period(double rate, uint32_t *period_us, struct armdyn_error *error)
{
  double period = 1e6 / rate;
  if (!(period >= 100 && period <= 1e6))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/rate", "must be from 1 to 10000 Hz, got %g", rate);
  if (fabs(period - round(period)) > 1e-9 * period)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/rate",
                         "the period must be a whole number of microseconds, %g Hz has one of %.9g", rate, period);
  *period_us = (uint32_t)round(period);
  return ARMDYN_OK;
}

enum armdyn_status profile_init(struct profile *profile, const struct axis_map *map, enum sample_format format,
                                uint32_t period_us, size_t total, struct armdyn_error *error)
{
  if (total < 1 || total > LIMIT_SERIES_ROWS)
    return armdyn_refuse(error, ARMDYN_ELIMIT, "/rate", "%zu samples are more than %d", total, LIMIT_SERIES_ROWS);
  if (!map->count) return armdyn_refuse(error, ARMDYN_EINPUT, "", "no axis is moved");
  *profile = (struct profile){ .head = { .total = (uint32_t)total,
                                         .period_us = period_us,
                                         .format = (uint16_t)format,
                                         .end_policy = END_HOLD,
                                         .loss_policy = LOSS_STOP,
                                         .axis_count = (uint32_t)map->count } };
  for (size_t a = 0; a < map->count; a++) {
    const struct mapped_axis *m = &map->axes[a];
    struct profile_axis *axis = &profile->head.axes[a];
    *axis = (struct profile_axis){ .axis = m->axis,
                                   .joint_index = (uint32_t)m->joint,
                                   .position_scale = m->position_scale,
                                   .position_offset = m->position_offset,
                                   .torque_scale = m->torque_scale,
                                   .rated = m->rated,
                                   .torque_most = m->torque_most,
                                   .rate_most = m->rate_most,
                                   .start_tolerance = m->start_tolerance };
    snprintf(axis->joint, sizeof axis->joint, "%s", m->name);
    profile->head.axis_mask = (uint16_t)(profile->head.axis_mask | 1u << m->axis);
    if (format == FORMAT_TORQUE_PERMILLE && !isfinite(m->rated))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/format", "joint %s has neither a rated torque nor a torque limit",
                           m->name);
  }
  profile->words = malloc(total * profile_sample_words(format, (unsigned)map->count) * sizeof *profile->words);
  return profile->words ? ARMDYN_OK : ARMDYN_EMEMORY;
}

void profile_release(struct profile *profile)
{
  free(profile->words);
  profile->words = NULL;
}

static uint16_t *sample_at(const struct profile *profile, size_t index)
{
  return profile->words + index * profile_sample_words(profile->head.format, profile->head.axis_count);
}

/* The nearest per mille whose torque is not beyond the limit that the exact torque keeps; saturated at int16. */
static uint16_t permille(double torque, const struct profile_axis *axis)
{
  double p = round(torque / axis->rated * 1000);
  if (fabs(torque) <= axis->torque_most && fabs(p) * 1e-3 * axis->rated > axis->torque_most) p -= copysign(1, p);
  if (!(fabs(p) <= INT16_MAX)) p = INT16_MAX; /* far beyond what is rated: profile_check refuses it */
  return (uint16_t)(int16_t)p;
}

void profile_put(struct profile *profile, const struct axis_map *map, size_t index, const double *q, const double *tau)
{
  uint16_t *at = sample_at(profile, index);
  for (size_t a = 0; a < map->count; a++) {
    const struct mapped_axis *m = &map->axes[a];
    double position = m->position_scale * q[m->joint] + m->position_offset, torque = m->torque_scale * tau[m->joint];
    if (index == 0) profile->head.start[m->axis] = (float)position;
    if (profile->head.format == FORMAT_TORQUE_PERMILLE) {
      *at++ = permille(torque, &profile->head.axes[a]);
      continue;
    }
    if (profile->head.format >= FORMAT_POSITION_TORQUE) {
      protocol_put_float(at, (float)position);
      at += 2;
    }
    protocol_put_float(at, (float)torque);
    at += 2;
    if (profile->head.format == FORMAT_MOTION) at += 2; /* profile_put_velocity's */
  }
}

void profile_put_velocity(struct profile *profile, const struct axis_map *map, size_t index, const double *qd)
{
  uint16_t *sample = sample_at(profile, index);
  for (size_t a = 0; a < map->count; a++)
    protocol_put_float(sample + 6 * a + 4, (float)(map->axes[a].position_scale * qd[map->axes[a].joint]));
}

void profile_finish(struct profile *profile)
{
  const struct profile_head *head = &profile->head;
  profile->head.crc =
      protocol_crc32(0, profile->words, (size_t)head->total * profile_sample_words(head->format, head->axis_count));
}

enum armdyn_status profile_convert(struct profile *profile, enum sample_format format, struct armdyn_error *error)
{
  struct profile_head *head = &profile->head;
  size_t samples = head->total, axes = head->axis_count;
  if (format >= head->format)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/format", "format %u does not say less than format %u", format,
                         head->format);
  for (size_t a = 0; a < axes; a++)
    if (format == FORMAT_TORQUE_PERMILLE && !isfinite(head->axes[a].rated))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/format", "joint %s has neither a rated torque nor a torque limit",
                           head->axes[a].joint);
  if (!samples || !axes || format < FORMAT_TORQUE_PERMILLE)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/format", "there is nothing to convert to format %u", format);
  uint16_t *words = malloc(samples * profile_sample_words(format, (unsigned)axes) * sizeof *words);
  struct faults *faults = calloc(1, sizeof *faults);
  enum armdyn_status rc = words && faults ? ARMDYN_OK : ARMDYN_EMEMORY;
  uint16_t *at = words;
  for (size_t k = 0; !rc && k < samples; k++)
    for (size_t a = 0; a < axes; a++) {
      double torque = profile_torque(profile, k, a);
      if (format == FORMAT_TORQUE_PERMILLE)
        *at++ = permille(torque, &head->axes[a]);
      else
        protocol_put_float(at, (float)torque), at += 2;
    }
  if (!rc) {
    free(profile->words);
    profile->words = words;
    words = NULL;
    head->format = (uint16_t)format;
    profile_finish(profile);
    if (profile_check(profile, faults)) /* rounding to per mille may make a step too large */
      rc = armdyn_refuse(error, ARMDYN_EINPUT, "", "in format %u: %.180s", format, faults->items[0].detail);
  }
  free(faults);
  free(words);
  return rc;
}

/* -- holding it against the limits -- */

double profile_position(const struct profile *profile, size_t index, size_t axis)
{
  const uint16_t *sample = sample_at(profile, index);
  switch (profile->head.format) {
  case FORMAT_POSITION_TORQUE: return (double)protocol_get_float(sample + 4 * axis);
  case FORMAT_MOTION: return (double)protocol_get_float(sample + 6 * axis);
  default: return 0;
  }
}

double profile_velocity(const struct profile *profile, size_t index, size_t axis)
{
  return profile->head.format == FORMAT_MOTION ? (double)protocol_get_float(sample_at(profile, index) + 6 * axis + 4)
                                               : 0;
}

double profile_torque(const struct profile *profile, size_t index, size_t axis)
{
  const uint16_t *sample = sample_at(profile, index);
  switch (profile->head.format) {
  case FORMAT_TORQUE_PERMILLE: return (int16_t)sample[axis] * 1e-3 * profile->head.axes[axis].rated;
  case FORMAT_TORQUE: return (double)protocol_get_float(sample + 2 * axis);
  case FORMAT_MOTION: return (double)protocol_get_float(sample + 6 * axis + 2);
  default: return (double)protocol_get_float(sample + 4 * axis + 2);
  }
}

static void check_sample(const struct profile *profile, size_t k, size_t a, struct faults *faults)
{
  const struct profile_axis *axis = &profile->head.axes[a];
  double torque = profile_torque(profile, k, a);
  if (!isfinite(torque) || !isfinite(profile_position(profile, k, a)) || !isfinite(profile_velocity(profile, k, a))) {
    fault_add_cell(faults, k, a, FAULT_FINITE, "sample %zu, axis %u (%s): not a finite number", k, axis->axis + 1,
                   axis->joint);
    return;
  }
  if (fabs(torque) > axis->torque_most * (1 + rounding))
    fault_add_cell(faults, k, a, FAULT_MAXIMUM, "sample %zu, axis %u (%s): torque %.6g is beyond the limit %.6g", k,
                   axis->axis + 1, axis->joint, torque, axis->torque_most);
  if (!k || !isfinite(axis->rate_most)) return;
  double step = torque - profile_torque(profile, k - 1, a), period = profile->head.period_us * 1e-6;
  if (fabs(step) > axis->rate_most * period * (1 + rounding) + rounding * fabs(torque))
    fault_add_cell(faults, k, a, FAULT_MAXIMUM, "sample %zu, axis %u (%s): torque rate %.6g is beyond the limit %.6g",
                   k, axis->axis + 1, axis->joint, step / period, axis->rate_most);
}

enum armdyn_status profile_check(const struct profile *profile, struct faults *faults)
{
  size_t before = faults->count;
  for (size_t k = 0; k < profile->head.total; k++)
    for (size_t a = 0; a < profile->head.axis_count; a++) check_sample(profile, k, a, faults);
  return faults->count > before ? ARMDYN_EINPUT : ARMDYN_OK;
}
