#include "api/codec/dynamics.h"

#include "api/codec/dynamics_request.h"
#include "api/codec/parts.h"
#include "api/csv/csv.h"
#include "api/npy/npy.h"

_Static_assert((int)SAMPLES_MEMORIES == (int)TABLES, "every table may have its memory");

static bool is_samples(const struct json_field *field)
{
  return field->decode == samples_table_decode;
}

static size_t width_of(const struct json_field *field, size_t joints)
{
  return field->length == PER_JOINT ? joints : field->length;
}

static struct table *table_of(const struct json_field *field, struct request *request)
{
  return (struct table *)(void *)((char *)request + field->offset);
}

/* -- JSON -- */

/* Beyond so much no result of a finite model overflows. */
static bool sensible(const double *row, size_t width)
{
  bool right = true;
  for (size_t i = 0; i < width; i++) right &= fabs(row[i]) <= LIMIT_SAMPLE_NUMBER;
  return right;
}

static void read_row(struct json_reader *r, const struct json_field *field, size_t width, double *row)
{
  if (!json_read_numbers(r, field->unit, width, row) || sensible(row, width)) return;
  for (size_t i = 0; i < width; i++) {
    char below[32];
    if (sensible(row + i, 1)) continue;
    snprintf(below, sizeof below, "/%zu", i);
    json_fault(r, below, FAULT_MAXIMUM, "must be within -1e12 and 1e12, got %g (%s)", row[i], field->unit);
  }
}

void samples_table_decode(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  struct table *table = member;
  size_t width = width_of(field, context->joint_count), capacity = 0, *hint = context->user;
  table->stride = width;
  table->single = !json_peek_nested(r);
  if (!table->single && !json_enter_array(r, NULL)) return;
  while (table->single ? table->rows == 0 : json_next_element(r)) {
    if (table->rows == LIMIT_SAMPLES) {
      json_fault(r, NULL, FAULT_MAXIMUM, "must have at most %d samples", LIMIT_SAMPLES);
      json_break_off(r, ARMDYN_ELIMIT);
      return;
    }
    if (table->rows == capacity) {
      capacity = capacity ? 2 * capacity : table->single ? 1 : *hint ? *hint : 64;
      double *memory = realloc(table->memory, capacity * width * sizeof *memory);
      if (!memory) {
        json_out_of_memory(r);
        return;
      }
      table->data = table->memory = memory;
    }
    read_row(r, field, width, table->memory + table->rows * width);
    table->rows++;
  }
  if (!*hint) *hint = table->rows;
}

void samples_times_decode(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  struct table *table = member;
  size_t capacity = 0;
  (void)context;
  table->stride = 1;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    if (table->rows == LIMIT_SAMPLES) {
      json_fault(r, NULL, FAULT_MAXIMUM, "must have at most %d samples", LIMIT_SAMPLES);
      json_break_off(r, ARMDYN_ELIMIT);
      return;
    }
    if (table->rows == capacity) {
      capacity = capacity ? 2 * capacity : 1024;
      double *memory = realloc(table->memory, capacity * sizeof *memory);
      if (!memory) {
        json_out_of_memory(r);
        return;
      }
      table->data = table->memory = memory;
    }
    double *t = &table->memory[table->rows++];
    *t = 0;
    if (json_read_number(r, "a number (s)", t) && fabs(*t) > LIMIT_SAMPLE_NUMBER)
      json_fault(r, NULL, FAULT_MAXIMUM, "must be within -1e12 and 1e12, got %g", *t);
  }
}

static enum armdyn_status decode_json(const struct json_type *call, size_t joints, const char *body, size_t length,
                                      struct request *request, struct faults *faults)
{
  size_t hint = 0;
  const struct json_context context = { joints, &hint };
  struct json_reader r;
  json_reader_init(&r, body, length, faults);
  json_decode_object(&r, call, request, &context);
  json_finish(&r);
  return json_reader_status(&r);
}

/* -- .npy and CSV -- */

static bool is_option(const struct json_field *field)
{
  return field->kind == FIELD_TRUTH || field->kind == FIELD_ENUM;
}

bool samples_options_in_place(enum samples_call call, query_lookup *query, const void *context, struct faults *faults)
{
  const struct json_type *request = samples_forms[call].request;
  size_t before = faults->count;
  for (size_t i = 0; i < request->field_count; i++)
    if (is_option(&request->fields[i]) && query(context, request->fields[i].name))
      fault_add(faults, FAULT_AT_PARAMETER, request->fields[i].name, FAULT_INCONSISTENT,
                "goes into the body when that is JSON");
  return faults->count == before;
}

/* Options that a JSON body carries inside stand in the query. */
static void decode_options(const struct json_type *call, query_lookup *query, const void *context,
                           struct request *request, struct faults *faults)
{
  for (size_t i = 0; query && i < call->field_count; i++) {
    const struct json_field *field = &call->fields[i];
    static const char *const truths[] = { "false", "true" };
    bool truth = field->kind == FIELD_TRUTH;
    if (!is_option(field)) continue;
    const char *text = query(context, field->name), *const *names = truth ? truths : field->names;
    int count = truth ? 2 : (int)field->name_count, value = 0;
    if (!text) continue;
    while (value < count && strcmp(text, names[value])) value++;
    char list[JSON_CHOICES_SIZE];
    if (value == count)
      fault_add(faults, FAULT_AT_PARAMETER, field->name, truth ? FAULT_TYPE : FAULT_ENUM, "must be %s, got \"%.64s\"",
                truth ? "true or false" : json_field_choices(field, list), text);
    else if (truth)
      *(bool *)((char *)request + field->offset) = value;
    else
      *(int *)(void *)((char *)request + field->offset) = value;
  }
}

/* Cut a table of rows into its fields; those beyond its columns are absent. */
static void cut(const struct json_type *call, size_t joints, const double *data, size_t rows, size_t columns,
                struct request *request)
{
  size_t at = 0;
  for (size_t i = 0; i < call->field_count; i++) {
    const struct json_field *field = &call->fields[i];
    if (!is_samples(field) || at >= columns || rows == 0) continue;
    *table_of(field, request) = (struct table){ .data = data + at, .rows = rows, .stride = columns };
    at += width_of(field, joints);
  }
}

/* The columns that a call takes: all, or those that it must have. */
static size_t column_count(const struct json_type *call, size_t joints, bool optional)
{
  size_t count = 0;
  for (size_t i = 0; i < call->field_count; i++)
    if (is_samples(&call->fields[i]) && (optional || call->fields[i].required))
      count += width_of(&call->fields[i], joints);
  return count;
}

static enum armdyn_status decode_npy(const struct json_type *call, size_t joints, const char *body, size_t length,
                                     struct request *request, struct faults *faults)
{
  struct npy_table table;
  enum armdyn_status rc = npy_read(body, length, LIMIT_SAMPLES, &table, faults);
  if (rc) return rc;
  size_t least = column_count(call, joints, false), most = column_count(call, joints, true);
  if (table.columns != least && table.columns != most) {
    char list[128] = "";
    for (size_t i = 0, used = 0; i < call->field_count && used < sizeof list; i++)
      if (is_samples(&call->fields[i]))
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s (%zu%s)", used ? ", " : "", call->fields[i].name,
                             width_of(&call->fields[i], joints), call->fields[i].required ? "" : ", optional");
    fault_add(faults, FAULT_AT_POINTER, "", FAULT_LENGTH, "must have %zu columns, %s; got %zu", least, list,
              table.columns);
    npy_release(&table);
    return ARMDYN_EINPUT;
  }
  cut(call, joints, table.data, table.rows, table.columns, request);
  request->tables[TABLE_Q].memory = table.memory; /* handed over */
  return ARMDYN_OK;
}

/* q1, ..., fx, ... */
static void name_columns(const struct json_type *call, size_t joints, struct csv_columns *columns)
{
  static const char *const wrench[WRENCH] = { "fx", "fy", "fz", "mx", "my", "mz" };
  for (size_t i = 0; i < call->field_count; i++) {
    const struct json_field *field = &call->fields[i];
    for (size_t k = 0; is_samples(field) && k < width_of(field, joints); k++) {
      char *name = columns->items[columns->count].name;
      if (field->length == PER_JOINT)
        snprintf(name, CSV_NAME_SIZE, "%s%zu", field->name, k + 1);
      else
        snprintf(name, CSV_NAME_SIZE, "%s", wrench[k]);
      columns->items[columns->count++].required = field->required;
    }
  }
}

/* An optional field is given whole or not at all. */
static enum armdyn_status check_whole(const struct json_type *call, size_t joints, const struct csv_columns *columns,
                                      const struct csv_table *table, struct request *request, struct faults *faults)
{
  enum armdyn_status rc = ARMDYN_OK;
  size_t at = 0, width;
  for (size_t i = 0; i < call->field_count; i++, at += width) {
    const struct json_field *field = &call->fields[i];
    width = is_samples(field) ? width_of(field, joints) : 0;
    if (!width || field->required) continue;
    size_t present = 0;
    for (size_t k = at; k < at + width; k++) present += table->present[k];
    if (!present) *table_of(field, request) = (struct table){ 0 };
    if (!present || present == width) continue;
    for (size_t k = at; k < at + width; k++)
      if (!table->present[k])
        fault_add(faults, FAULT_AT_POINTER, "", FAULT_REQUIRED, "column \"%s\" is missing: \"%s\" has all of its %zu",
                  columns->items[k].name, field->name, width);
    rc = ARMDYN_EINPUT;
  }
  return rc;
}

static enum armdyn_status decode_csv(const struct json_type *call, size_t joints, const char *body, size_t length,
                                     struct request *request, struct faults *faults)
{
  struct csv_columns columns = { 0 };
  struct csv_table table;
  name_columns(call, joints, &columns);
  enum armdyn_status rc = csv_read(body, length, &columns, LIMIT_SAMPLES, &table, faults);
  if (rc) return rc;
  cut(call, joints, table.data, table.rows, columns.count, request);
  request->tables[TABLE_Q].memory = table.data; /* handed over */

  return check_whole(call, joints, &columns, &table, request, faults);
}

/* Is every number of a .npy table finite and not too large? (JSON and CSV are checked while they are read.) */
static enum armdyn_status check_cells(const struct json_type *call, size_t joints, struct request *request,
                                      struct faults *faults)
{
  enum armdyn_status rc = ARMDYN_OK;
  size_t column = 0;
  for (size_t i = 0; i < call->field_count; i++) {
    if (!is_samples(&call->fields[i])) continue;
    const struct table *table = table_of(&call->fields[i], request);
    size_t width = width_of(&call->fields[i], joints);
    for (size_t row = 0; row < table->rows; row++) {
      const double *x = table->data + row * table->stride;
      if (sensible(x, width)) continue;
      rc = ARMDYN_EINPUT;
      for (size_t k = 0; k < width; k++) {
        if (sensible(x + k, 1)) continue;
        bool finite = isfinite(x[k]);
        fault_add_cell(faults, row, column + k, finite ? FAULT_MAXIMUM : FAULT_FINITE, "must be %s, got %g",
                       finite ? "within -1e12 and 1e12" : "a finite number", x[k]);
      }
    }
    column += width;
  }
  return rc;
}

/* -- every format -- */

/* Do all fields have as many samples as q? A single wrench serves them all. */
static enum armdyn_status check_counts(const struct json_type *call, struct request *request, struct faults *faults)
{
  const struct table *q = &request->tables[TABLE_Q];
  enum armdyn_status rc = ARMDYN_OK;
  if (q->rows == 0) {
    fault_add(faults, FAULT_AT_POINTER, "", FAULT_LENGTH, "must have at least 1 sample, got 0");
    return ARMDYN_EINPUT;
  }
  for (size_t i = 0; i < call->field_count; i++) {
    const struct json_field *field = &call->fields[i];
    const struct table *table = is_samples(field) ? table_of(field, request) : q;
    if (!table->data || (table->rows == q->rows && table->single == q->single)) continue;
    if (table->single && table == &request->tables[TABLE_WRENCH]) continue;
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/%s", field->name);
    if (table->single != q->single)
      fault_add(faults, FAULT_AT_POINTER, pointer, FAULT_TYPE, "must be %s, as q is; got %s",
                q->single ? "one sample" : "a list of samples", q->single ? "a list of samples" : "one sample");
    else
      fault_add(faults, FAULT_AT_POINTER, pointer, FAULT_LENGTH, "must have %zu samples, as many as q; got %zu",
                q->rows, table->rows);
    rc = ARMDYN_EINPUT;
  }
  return rc;
}

/* Accelerations of links depend on how fast they turn. */
static enum armdyn_status check_velocities(const struct request *request, struct faults *faults)
{
  if (!request->tables[TABLE_QDD].data || request->tables[TABLE_QD].data) return ARMDYN_OK;
  fault_add(faults, FAULT_AT_POINTER, "/qd", FAULT_REQUIRED, "is missing: qdd is given, and goes with velocities");
  return ARMDYN_EINPUT;
}

/* The wire's [force; moment] becomes the library's [moment; force], in memory of our own. */
static enum armdyn_status turn_wrench(struct table *wrench)
{
  if (!wrench->data) return ARMDYN_OK;
  double *to = wrench->memory;
  if (!to && !(to = malloc(wrench->rows * WRENCH * sizeof *to))) return ARMDYN_EMEMORY;
  for (size_t row = 0; row < wrench->rows; row++) {
    double turned[WRENCH];
    memcpy(turned, wrench->data + row * wrench->stride, sizeof turned);
    swap_halves(turned, WRENCH / 2);
    memcpy(to + row * WRENCH, turned, sizeof turned);
  }
  wrench->data = wrench->memory = to;
  wrench->stride = wrench->single ? 0 : WRENCH;
  return ARMDYN_OK;
}

static struct armdyn_rows rows_of(const struct table *table)
{
  return (struct armdyn_rows){ table->data, table->stride };
}

static enum armdyn_status decode(const struct json_type *call, enum media media, size_t joints, const char *body,
                                 size_t length, query_lookup *query, const void *context, struct request *request,
                                 struct faults *faults)
{
  enum armdyn_status rc;
  size_t before = faults->count;
  if (media == MEDIA_JSON) return decode_json(call, joints, body, length, request, faults);
  decode_options(call, query, context, request, faults);
  rc = media == MEDIA_NPY ? decode_npy(call, joints, body, length, request, faults)
                          : decode_csv(call, joints, body, length, request, faults);
  if (!rc && media == MEDIA_NPY) rc = check_cells(call, joints, request, faults);
  return !rc && faults->count > before ? ARMDYN_EINPUT : rc;
}

enum armdyn_status samples_request_decode(enum samples_call call, enum media media,
                                          const struct armdyn_robot_description *robot, const char *body, size_t length,
                                          query_lookup *query, const void *context, struct samples_request *out,
                                          struct faults *faults)
{
  const struct json_type *type = samples_forms[call].request;
  struct request request;
  enum armdyn_status rc;
  type->init(&request);
  *out = (struct samples_request){ 0 };
  rc = decode(type, media, robot->joint_count, body, length, query, context, &request, faults);
  if (!rc) rc = check_counts(type, &request, faults);
  if (!rc) rc = check_velocities(&request, faults);
  if (!rc) rc = turn_wrench(&request.tables[TABLE_WRENCH]);
  if (!rc) rc = overrides_apply(&request.overrides, robot, &out->robot);
  for (int i = 0; i < TABLES; i++) out->memory[i] = request.tables[i].memory; /* handed over */
  if (rc) {
    samples_request_release(out);
    return rc;
  }
  out->overridden = out->robot;
  out->count = request.tables[TABLE_Q].rows;
  out->single = request.tables[TABLE_Q].single;
  out->q = rows_of(&request.tables[TABLE_Q]);
  out->qd = rows_of(&request.tables[TABLE_QD]);
  out->qdd = rows_of(&request.tables[TABLE_QDD]);
  out->tau = rows_of(&request.tables[TABLE_TAU]);
  out->wrench = rows_of(&request.tables[TABLE_WRENCH]);
  out->wrench_frame = (enum armdyn_wrench_frame)request.wrench_frame;
  out->frame = (enum armdyn_jacobian_frame)request.frame;
  out->method = request.method;
  out->constraint = (enum armdyn_constraint)request.constraint;
  memcpy(out->normal, request.normal, sizeof out->normal);
  out->friction = request.friction;
  out->decompose = request.decompose;
  out->joint_wrenches = request.joint_wrenches;
  out->poses = request.poses;
  out->tolerance = request.tolerance;
  return ARMDYN_OK;
}

void samples_request_release(struct samples_request *request)
{
  for (int i = 0; i < SAMPLES_MEMORIES; i++) free(request->memory[i]);
  free(request->robot);
  *request = (struct samples_request){ 0 };
}
