#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "api/dataset/log_rows.h"
#include "api/dataset/log_units.h"
#include "armdyn/electrical.h"

enum armdyn_status reader_refuse(struct dataset_reader *r, enum fault_code code, const char *format, ...)
{
  char detail[sizeof r->faults->items->detail];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  fault_add(r->faults, FAULT_AT_POINTER, "", code, "%s", detail);
  return ARMDYN_EINPUT;
}

/* -- which columns there may be -- */

static bool is_revolute(const struct dataset_reader *r, size_t joint)
{
  return r->source.robot->joints[joint].type == ARMDYN_REVOLUTE;
}

/* A column of the mapping, bound to a joint of the robot. */
static void bind(struct dataset_reader *r, const struct mapping_column *c)
{
  const struct log_unit *unit = &log_units[c->unit];
  struct source_column *column = &r->columns[r->column_count++];
  *column = (struct source_column){ .field = c->field, .scale = c->sign * c->scale, .offset = c->offset };
  column->times = unit->times;
  column->over = unit->over;
  column->at_motor = c->side == MAPPING_MOTOR_SIDE;
  if (c->field == MAPPING_T) return;
  char name[DATASET_NAME_SIZE];
  mapping_target_name(c->field, c->joint, name);
  if (c->joint > r->joints) {
    fault_add(r->faults, FAULT_AT_PARAMETER, "mapping", FAULT_INCONSISTENT, "maps %s, but '%s' has %zu joints", name,
              r->source.robot->name, r->joints);
    return;
  }
  column->joint = c->joint - 1;
  const bool revolute = column->at_motor || is_revolute(r, column->joint);
  if (!(revolute ? unit->revolute : unit->prismatic))
    fault_add(r->faults, FAULT_AT_PARAMETER, "mapping", FAULT_INCONSISTENT,
              "'%s' is no unit of %s: %s %zu of '%s' is %s; its SI unit is '%s'", log_unit_names[c->unit], name,
              column->at_motor ? "motor" : "joint", c->joint, r->source.robot->name,
              revolute ? "revolute" : "prismatic", log_quantity_si(unit->quantity, revolute));
  if (unit->quantity != LOG_RATED) return;
  const double limit = column->at_motor ? INFINITY : r->source.robot->joints[column->joint].limits.torque;
  const double rated = isnan(c->rated) ? limit : c->rated;
  column->times *= rated;
  if (!isfinite(rated))
    fault_add(r->faults, FAULT_AT_PARAMETER, "mapping", FAULT_REQUIRED,
              "%s is in '%s': say \"rated_torque\" in the mapping, or give joint %zu of '%s' a torque limit%s", name,
              log_unit_names[c->unit], c->joint, r->source.robot->name,
              column->at_motor ? " and log at the joint" : "");
}

static void standard_columns(struct dataset_reader *r)
{
  const struct source_column si = { .scale = 1, .times = 1, .over = 1 };
  r->columns[r->column_count++] = si; /* t */
  for (int f = MAPPING_Q; f < MAPPING_FIELDS; f++)
    for (size_t j = 0; j < r->joints; j++) {
      struct source_column *column = &r->columns[r->column_count++];
      *column = si;
      column->field = (enum mapping_field)f;
      column->joint = j;
    }
}

enum armdyn_status reader_columns(struct dataset_reader *r)
{
  const struct dataset_mapping *m = r->source.mapping;
  if (!m) {
    standard_columns(r);
    return ARMDYN_OK;
  }
  bind(r, &m->time);
  for (size_t i = 0; i < m->columns.count; i++) bind(r, &m->columns.items[i]);
  return r->faults->count > r->faults_before ? ARMDYN_EINPUT : ARMDYN_OK;
}

/* -- which there are -- */

/* The source column of a field and joint, or column_count. */
static size_t find(const struct dataset_reader *r, enum mapping_field field, size_t joint)
{
  size_t i = 0;
  while (i < r->column_count &&
         !(r->columns[i].present && r->columns[i].field == field && r->columns[i].joint == joint))
    i++;
  return i;
}

/* Is a field there, for all joints or none? */
static bool complete(struct dataset_reader *r, enum mapping_field field, bool needed)
{
  size_t there = 0;
  for (size_t j = 0; j < r->joints; j++) there += find(r, field, j) < r->column_count;
  for (size_t j = 0; j < r->joints && there < r->joints && (there || needed); j++) {
    char name[DATASET_NAME_SIZE];
    mapping_target_name(field, j + 1, name);
    if (find(r, field, j) == r->column_count)
      reader_refuse(r, FAULT_REQUIRED, "column %s is missing: '%s' has %zu joints", name, r->source.robot->name,
                    r->joints);
  }
  return there > 0;
}

static void check_drives(struct dataset_reader *r)
{
  for (size_t j = 0; j < r->joints; j++)
    if (isnan(r->source.robot->joints[j].drive.torque_constant))
      reader_refuse(
          r, FAULT_REQUIRED,
          "i%zu is a motor current: to make it a torque, joint %zu of '%s' needs a drive with a torque_constant", j + 1,
          j + 1, r->source.robot->name);
}

/* Which fields are logged at the motors. False: no memory. */
static bool find_motors(struct dataset_reader *r)
{
  const size_t n = r->joints;
  bool any = false;
  for (int f = DATASET_Q; f < DATASET_FIELDS; f++) {
    r->at_motor[f] = r->layout.present[f] && r->columns[r->from[r->layout.begin[f]]].at_motor;
    any = any || r->at_motor[f];
  }
  if (!any) return true;
  r->joints_of_motors = malloc(n * n * sizeof *r->joints_of_motors);
  if (r->joints_of_motors) armdyn_joints_of_motors(r->source.robot, r->joints_of_motors);
  return r->joints_of_motors != NULL;
}

enum armdyn_status reader_resolve(struct dataset_reader *r)
{
  bool present[DATASET_FIELDS] = { false };
  complete(r, MAPPING_Q, true);
  present[DATASET_QD] = complete(r, MAPPING_QD, false);
  present[DATASET_QDD] = complete(r, MAPPING_QDD, false);
  present[DATASET_TAU] = complete(r, MAPPING_TAU, false);
  r->from_current = complete(r, MAPPING_I, false);
  if (r->from_current && present[DATASET_TAU])
    reader_refuse(r, FAULT_INCONSISTENT, "tau and i both give the torque: leave one of them out");
  if (r->from_current) check_drives(r);
  if (r->faults->count > r->faults_before) return ARMDYN_EINPUT;
  present[DATASET_TAU] |= r->from_current;
  dataset_layout_make(r->joints, present, &r->layout);
  for (int f = 0; f < DATASET_FIELDS; f++) {
    const enum mapping_field field = f == DATASET_TAU && r->from_current ? MAPPING_I : (enum mapping_field)f;
    for (size_t j = 0; r->layout.present[f] && j < (f == DATASET_T ? 1 : r->joints); j++)
      r->from[r->layout.begin[f] + j] = find(r, field, j);
  }
  r->block = malloc(BLOCK_ROWS * r->layout.width * sizeof *r->block);
  r->resolved = r->block != NULL && find_motors(r);
  return r->resolved ? ARMDYN_OK : ARMDYN_EMEMORY;
}

/* -- rows -- */

enum armdyn_status reader_flush(struct dataset_reader *r)
{
  const size_t count = r->block_count;
  r->block_count = 0;
  if (!count || r->faults->count > r->faults_before) return ARMDYN_OK;
  return r->rows(r->context, &r->layout, r->block, count);
}

static void check_numbers(struct dataset_reader *r, size_t row, const double *values)
{
  for (size_t c = 0; c < r->layout.width; c++) {
    const struct source_column *column = &r->columns[r->from[c]];
    if (fabs(values[c]) <= LIMIT_SAMPLE_NUMBER) continue;
    if (isfinite(values[c]))
      fault_add_cell(r->faults, row, column->place, FAULT_MAXIMUM, "must be within -1e12 and 1e12, got %g", values[c]);
    else
      fault_add_cell(r->faults, row, column->place, FAULT_FINITE, "must be a finite number, got %g", values[c]);
  }
}

static void check_clock(struct dataset_reader *r, size_t row, double time)
{
  if (r->row_count > 0 && !(time > r->last_time) && isfinite(time))
    fault_add_cell(r->faults, row, r->columns[r->from[0]].place, FAULT_INCONSISTENT,
                   time < r->last_time ? "the clock runs backwards: %.9g s after %.9g s"
                                       : "the time is that of the row before: %.9g s after %.9g s",
                   time, r->last_time);
  r->last_time = time;
}

/* What is of the motors becomes of the joints. */
static void cross_gears(const struct dataset_reader *r, double *row)
{
  const size_t n = r->joints;
  double motor[ARMDYN_JOINTS_MAX], *tau = row + r->layout.begin[DATASET_TAU];
  for (int f = DATASET_Q; f <= DATASET_QDD; f++) {
    double *joint = row + r->layout.begin[f];
    if (!r->at_motor[f]) continue;
    memcpy(motor, joint, n * sizeof *motor);
    memset(joint, 0, n * sizeof *joint);
    for (size_t k = 0; k < n * n; k++) joint[k / n] += r->joints_of_motors[k] * motor[k % n];
  }
  if (r->from_current)
    armdyn_joint_torques_of_currents(r->source.robot, tau, tau);
  else if (r->at_motor[DATASET_TAU])
    armdyn_joint_torques_of_motors(r->source.robot, tau, tau);
}

enum armdyn_status reader_row(struct dataset_reader *r, size_t row, const double *values)
{
  double *out = r->block + r->block_count * r->layout.width;
  if (r->preview && row >= DATASET_PREVIEW) {
    r->previewed = true;
    return ARMDYN_ELIMIT; /* what follows is not looked at */
  }
  if (r->preview) memcpy(r->preview_read + row * r->column_count, values, r->column_count * sizeof *values);
  for (size_t c = 0; c < r->layout.width; c++) {
    const struct source_column *column = &r->columns[r->from[c]];
    out[c] = (column->scale * values[r->from[c]] + column->offset) * column->times / column->over;
  }
  const size_t before = r->faults->count;
  cross_gears(r, out);
  check_numbers(r, row, out);
  check_clock(r, row, out[0]);
  r->row_count++;
  r->good_rows += r->faults->count == before;
  return ++r->block_count == BLOCK_ROWS ? reader_flush(r) : ARMDYN_OK;
}
