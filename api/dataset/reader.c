#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "api/dataset/log_units.h"
#include "api/dataset/reader_internal.h"
#include "armdyn/electrical.h"

static const struct log_format *const formats[] = { &log_csv, &log_npy, &log_json };

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
  if (c->field == MAPPING_T) return;
  char name[DATASET_NAME_SIZE];
  mapping_target_name(c->field, c->joint, name);
  if (c->joint > r->joints) {
    fault_add(r->faults, FAULT_AT_PARAMETER, "mapping", FAULT_INCONSISTENT, "maps %s, but '%s' has %zu joints", name,
              r->source.robot->name, r->joints);
    return;
  }
  column->joint = c->joint - 1;
  const bool revolute = is_revolute(r, column->joint);
  if (!(revolute ? unit->revolute : unit->prismatic))
    fault_add(r->faults, FAULT_AT_PARAMETER, "mapping", FAULT_INCONSISTENT,
              "'%s' is no unit of %s: joint %zu of '%s' is %s; its SI unit is '%s'", log_unit_names[c->unit], name,
              c->joint, r->source.robot->name, revolute ? "revolute" : "prismatic",
              log_quantity_si(unit->quantity, revolute));
  if (unit->quantity != LOG_RATED) return;
  const double rated = isnan(c->rated) ? r->source.robot->joints[column->joint].limits.torque : c->rated;
  column->times *= rated;
  if (!isfinite(rated))
    fault_add(r->faults, FAULT_AT_PARAMETER, "mapping", FAULT_REQUIRED,
              "%s is in '%s': say \"rated_torque\" in the mapping, or give joint %zu of '%s' a torque limit", name,
              log_unit_names[c->unit], c->joint, r->source.robot->name);
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
  r->resolved = r->block != NULL;
  return r->block ? ARMDYN_OK : ARMDYN_EMEMORY;
}

/* -- rows -- */

static enum armdyn_status flush(struct dataset_reader *r)
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
  double *tau = out + r->layout.begin[DATASET_TAU];
  const size_t before = r->faults->count;
  if (r->from_current) armdyn_joint_torques_of_currents(r->source.robot, tau, tau);
  check_numbers(r, row, out);
  check_clock(r, row, out[0]);
  r->row_count++;
  r->good_rows += r->faults->count == before;
  return ++r->block_count == BLOCK_ROWS ? flush(r) : ARMDYN_OK;
}

/* -- the whole -- */

enum armdyn_status dataset_reader_new(const struct dataset_source *source, bool preview, dataset_rows *rows,
                                      void *context, struct faults *faults, struct dataset_reader **out)
{
  struct dataset_reader *r = calloc(1, sizeof *r);
  if (!r) return ARMDYN_EMEMORY;
  r->source = *source;
  r->joints = source->robot->joint_count;
  r->rows = rows;
  r->context = context;
  r->faults = faults;
  r->faults_before = faults->count;
  r->preview = preview;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (formats[i]->media == source->media) r->format = formats[i];
  enum armdyn_status status = reader_columns(r);
  if (!status && preview) {
    r->preview_read = calloc(DATASET_PREVIEW * r->column_count, sizeof *r->preview_read);
    if (!r->preview_read) status = ARMDYN_EMEMORY;
  }
  if (!status) status = r->format->begin(r);
  if (status) {
    dataset_reader_free(r);
    return status;
  }
  *out = r;
  return ARMDYN_OK;
}

void dataset_reader_free(struct dataset_reader *r)
{
  if (!r) return;
  if (r->own) r->format->release(r);
  free(r->preview_read);
  free(r->block);
  free(r);
}

/* Where only the whole is wrong, the message says so as well as a fault. */
static enum armdyn_status ended(struct dataset_reader *r, enum armdyn_status status, struct armdyn_error *error)
{
  if (status && !r->status) r->status = status;
  if (r->status == ARMDYN_ELIMIT && !error->message[0])
    armdyn_refuse(error, ARMDYN_ELIMIT, "", "the log is longer than %d samples", LIMIT_DATASET_ROWS);
  return r->status;
}

enum armdyn_status dataset_reader_take(struct dataset_reader *r, const char *bytes, size_t length,
                                       struct armdyn_error *error)
{
  if (r->status || r->previewed) return r->status;
  enum armdyn_status status = r->format->take(r, bytes, length);
  const size_t found = r->faults->count - r->faults_before;
  if (!status && found >= DATASET_FAULTS_MOST)
    status =
        armdyn_refuse(error, ARMDYN_EINPUT, "", "%zu faults were found, and the rest of the log was not read", found);
  return ended(r, r->previewed ? ARMDYN_OK : status, error);
}

enum armdyn_status dataset_reader_finish(struct dataset_reader *r, struct armdyn_error *error)
{
  if (r->status) return r->status;
  enum armdyn_status status = r->previewed ? ARMDYN_OK : r->format->finish(r);
  ended(r, r->previewed ? ARMDYN_OK : status, error);
  if (!r->status && r->row_count < 2)
    ended(r, reader_refuse(r, FAULT_LENGTH, "a log needs at least 2 samples, got %zu", r->row_count), error);
  if (!r->status && r->faults->count > r->faults_before) r->status = ARMDYN_EINPUT;
  r->preview_rows = r->preview ? r->block_count : 0;
  return r->status || r->preview ? r->status : ended(r, flush(r), error);
}

size_t dataset_reader_good_rows(const struct dataset_reader *r)
{
  return r->good_rows;
}

bool dataset_reader_from_current(const struct dataset_reader *r)
{
  return r->from_current;
}

/* The name that a source column has in the log. */
static void write_source_name(const struct dataset_reader *r, size_t index, struct json_writer *w)
{
  const struct dataset_mapping *m = r->source.mapping;
  char name[DATASET_NAME_SIZE];
  if (m) {
    json_write_text(w, index ? m->columns.items[index - 1].column : m->time.column);
    return;
  }
  mapping_target_name(r->columns[index].field, r->columns[index].joint + 1, name);
  json_write_text(w, name);
}

void dataset_reader_write_preview(const struct dataset_reader *r, struct json_writer *w)
{
  const size_t width = r->layout.width;
  double row[1 + 4 * ARMDYN_JOINTS_MAX];
  json_begin_object(w);
  json_key(w, "columns"), json_begin_array(w);
  for (size_t c = 0; c < width; c++) write_source_name(r, r->from[c], w);
  json_end_array(w);
  json_key(w, "read"), json_begin_array(w);
  for (size_t i = 0; i < r->preview_rows; i++) {
    for (size_t c = 0; c < width; c++) row[c] = r->preview_read[i * r->column_count + r->from[c]];
    json_write_numbers(w, row, width);
  }
  json_end_array(w);
  json_key(w, "converted"), json_begin_object(w);
  json_key(w, "columns"), json_begin_array(w);
  for (size_t c = 0; c < width; c++) {
    char name[DATASET_NAME_SIZE];
    dataset_column_name(&r->layout, c, name);
    json_write_text(w, name);
  }
  json_end_array(w);
  json_key(w, "rows"), json_begin_array(w);
  for (size_t i = 0; i < r->preview_rows; i++) json_write_numbers(w, r->block + i * width, width);
  json_end_array(w);
  json_end_object(w);
  json_end_object(w);
}
