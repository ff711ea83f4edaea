#include "api/codec/energy.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/dynamics_request.h"
#include "api/csv/csv.h"
#include "api/npy/npy.h"

/* -- energies -- */

void electrical_energy_encode(struct json_writer *w, const struct armdyn_electrical_energy *energy,
                              const struct armdyn_robot_description *robot)
{
  if (!energy) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_member_number(w, "total", energy->total);
  json_key(w, "by_cause"), json_begin_object(w);
  json_member_number(w, "copper", energy->copper);
  json_member_number(w, "gear", energy->gear);
  json_member_number(w, "friction", energy->friction);
  json_member_number(w, "gravity", energy->gravity);
  json_member_number(w, "kinetic", energy->kinetic);
  json_member_number(w, "burnt", energy->burnt);
  json_member_number(w, "unexplained", energy->unexplained);
  json_end_object(w);
  json_member_number(w, "fed_back", energy->fed_back);
  json_member_number(w, "exchanged", energy->exchanged);
  json_key(w, "by_joint"), json_begin_array(w);
  for (size_t j = 0; j < robot->joint_count; j++) {
    const struct armdyn_drive_energy *drive = &energy->by_joint[j];
    json_begin_object(w);
    json_key(w, "joint"), json_write_text(w, robot->joints[j].name);
    json_member_number(w, "total", drive->total);
    json_member_number(w, "drawn", drive->drawn);
    json_member_number(w, "returned", drive->returned);
    json_member_number(w, "copper", drive->copper);
    json_member_number(w, "gear", drive->gear);
    json_member_number(w, "friction", drive->friction);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

/* -- what is asked -- */

static const char *const regenerations[] = { "none", "shared_bus", "grid" };
_Static_assert(sizeof regenerations / sizeof *regenerations == ARMDYN_REGENERATION_COUNT, "name every regeneration");
static const double GRID_EFFICIENCY = 0.8;

/* Column by column of a log. */
enum { LOG_T, LOG_Q, LOG_QD, LOG_QDD, LOG_TAU, LOG_CURRENT, LOG_FIELDS };
_Static_assert((int)LOG_FIELDS == (int)ENERGY_MEMORIES, "room for every field");
static const struct log_field {
  const char *csv; /* in the names of columns */
  bool required;
} log_fields[LOG_FIELDS] = { { "t", true },    { "q", true },    { "qd", true },
                             { "qdd", false }, { "tau", false }, { "i", false } };

/* Any request, before it is checked as a whole. */
struct asked {
  struct carried carried;
  char trajectory[ENERGY_ID], dataset[ENERGY_ID];
  double cutoff_hz;
  struct armdyn_electrical_model drives;
  bool efficient; /* grid_efficiency was given */
  struct table tables[LOG_FIELDS];
};

#define TABLE_OF(name_, index_, decode_, unit_)                                                                        \
  .name = name_, .offset = offsetof(struct asked, tables) + (index_) * sizeof(struct table),                           \
  .size = sizeof(struct table), .kind = FIELD_CUSTOM, .decode = decode_, .length = PER_JOINT, .unit = unit_

static const struct json_field request_fields[] = {
  { TEXT(struct asked, trajectory), MATCHES(json_id_pattern) },
  { TEXT(struct asked, dataset), MATCHES(json_id_pattern) },
  { NUMBER(struct asked, cutoff_hz, BETWEEN(0, 1e6), "Hz"), NULLABLE },
  { ENUM(struct asked, drives.regeneration, regenerations), NAMED("regeneration") },
  { NUMBER(struct asked, drives.grid_efficiency, BETWEEN(0, 1), NULL), NAMED("grid_efficiency"),
    HAS(struct asked, efficient) },
  { TABLE_OF("t", LOG_T, samples_times_decode, "an array of times, s") },
  { TABLE_OF("q", LOG_Q, samples_table_decode, "rad; m for a slide") },
  { TABLE_OF("qd", LOG_QD, samples_table_decode, "rad/s; m/s for a slide") },
  { TABLE_OF("qdd", LOG_QDD, samples_table_decode, "rad/s^2; m/s^2 for a slide") },
  { TABLE_OF("tau", LOG_TAU, samples_table_decode, "N m; N for a slide") },
  { TABLE_OF("current", LOG_CURRENT, samples_table_decode, "A") },
  CARRIED,
};
static const char *const table_names[LOG_FIELDS] = { "t", "q", "qd", "qdd", "tau", "current" };

static void request_init(void *object)
{
  *(struct asked *)object = (struct asked){ .drives.grid_efficiency = GRID_EFFICIENCY, .cutoff_hz = NAN };
}
static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct asked *request = object;
  (void)given, (void)context;
  carried_check(r, &request->carried);
}
static const struct json_type request_type =
    JSON_TYPE("a request for an energy estimate", request_fields, struct asked, request_init, request_check);

static void fault_at(struct faults *faults, const char *name, enum fault_code code, const char *words)
{
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/%s", name);
  fault_add(faults, FAULT_AT_POINTER, pointer, code, "%s", words);
}

/* A trajectory, or a whole log. */
static void check_log(const struct asked *request, struct faults *faults)
{
  const struct table *t = &request->tables[LOG_T];
  for (size_t k = 0; k < LOG_FIELDS; k++) {
    const struct table *table = &request->tables[k];
    if (!table->data) {
      if (log_fields[k].required) fault_at(faults, table_names[k], FAULT_REQUIRED, "is missing: a log has t, q and qd");
    } else if (table->single) {
      fault_at(faults, table_names[k], FAULT_TYPE, "must be a list of samples, got one");
    } else if (table->rows != t->rows && t->data) {
      fault_at(faults, table_names[k], FAULT_LENGTH, "must have as many samples as t");
    }
  }
  if (t->data && t->rows < 2) fault_at(faults, "t", FAULT_LENGTH, "must have at least 2 samples");
  for (size_t i = 1; i < t->rows; i++) {
    if (t->data[i * t->stride] > t->data[(i - 1) * t->stride]) continue;
    char where[32];
    snprintf(where, sizeof where, "t/%zu", i);
    fault_at(faults, where, FAULT_INCONSISTENT, "times must increase from sample to sample");
    return;
  }
  if (request->tables[LOG_TAU].data && request->tables[LOG_CURRENT].data)
    fault_at(faults, "current", FAULT_INCONSISTENT, "torques are given already: one of tau and current");
}

static void check(const struct asked *request, struct faults *faults)
{
  if (request->efficient && request->drives.regeneration != ARMDYN_REGENERATION_GRID)
    fault_at(faults, "grid_efficiency", FAULT_INCONSISTENT, "belongs to the regeneration grid");
  if (!isnan(request->cutoff_hz) && !request->dataset[0])
    fault_at(faults, "cutoff_hz", FAULT_INCONSISTENT, "belongs to a dataset; other logs are taken as they are");
  if (!request->trajectory[0] && !request->dataset[0]) {
    check_log(request, faults);
    return;
  }
  if (request->trajectory[0] && request->dataset[0])
    fault_at(faults, "dataset", FAULT_INCONSISTENT, "either a trajectory or a dataset, not both");
  for (size_t k = 0; k < LOG_FIELDS; k++)
    if (request->tables[k].data)
      fault_at(faults, table_names[k], FAULT_INCONSISTENT, "either a log, or what is stored, not both");
}

static enum armdyn_status decode_json(size_t joints, const char *body, size_t length, struct asked *request,
                                      struct faults *faults)
{
  size_t hint = 0;
  const struct json_context context = { joints, &hint };
  struct json_reader r;
  json_reader_init(&r, body, length, faults);
  json_decode_object(&r, &request_type, request, &context);
  json_finish(&r);
  return json_reader_status(&r);
}

static void decode_options(query_lookup *query, const void *context, struct asked *request, struct faults *faults)
{
  const char *text = query(context, "regeneration");
  int k = 0;
  while (text && k < ARMDYN_REGENERATION_COUNT && strcmp(text, regenerations[k]) != 0) k++;
  if (k == ARMDYN_REGENERATION_COUNT)
    fault_add(faults, FAULT_AT_PARAMETER, "regeneration", FAULT_ENUM, "must be none, shared_bus or grid, got \"%.64s\"",
              text);
  else
    request->drives.regeneration = (enum armdyn_regeneration)k;
}

static enum armdyn_status decode_csv(size_t joints, const char *body, size_t length, struct asked *request,
                                     struct faults *faults)
{
  struct csv_columns columns = { 0 };
  struct csv_table table;
  size_t begin[LOG_FIELDS + 1] = { 0 };
  for (size_t k = 0; k < LOG_FIELDS; k++) {
    begin[k + 1] = begin[k] + (k == LOG_T ? 1 : joints);
    for (size_t j = begin[k]; j < begin[k + 1]; j++) {
      columns.items[j].required = log_fields[k].required;
      snprintf(columns.items[j].name, CSV_NAME_SIZE, k == LOG_T ? "%s" : "%s%zu", log_fields[k].csv, j - begin[k] + 1);
    }
  }
  columns.count = begin[LOG_FIELDS];
  enum armdyn_status rc = csv_read(body, length, &columns, LIMIT_SAMPLES, &table, faults);
  if (rc) return rc;
  request->tables[LOG_T].memory = table.data; /* handed over */
  for (size_t k = 0; k < LOG_FIELDS; k++) {
    size_t present = 0;
    for (size_t j = begin[k]; j < begin[k + 1]; j++) present += table.present[j];
    for (size_t j = begin[k]; present && j < begin[k + 1]; j++)
      if (!table.present[j])
        fault_add(faults, FAULT_AT_POINTER, "", FAULT_REQUIRED, "column \"%s\" is missing: \"%s\" has all of its %zu",
                  columns.items[j].name, log_fields[k].csv, joints);
    if (!present || !table.rows) continue;
    request->tables[k].data = table.data + begin[k];
    request->tables[k].rows = table.rows;
    request->tables[k].stride = columns.count;
  }
  return ARMDYN_OK;
}

/* -- .npy: fields side by side -- */

/* `width` columns as fields, by their names or their number. false: refused. */
static bool place_fields(const char *names, size_t joints, size_t width, size_t begin[LOG_FIELDS],
                         bool present[LOG_FIELDS], struct faults *faults)
{
  static const char *const usual[] = { "t,q,qd", "t,q,qd,tau", "t,q,qd,qdd,tau" };
  enum { BLOCKS_LEAST = 2, BLOCKS_MOST = 4 };
  const size_t blocks = width ? (width - 1) / joints : 0;
  size_t next = 0;
  if (!names && width == 1 + blocks * joints && blocks >= BLOCKS_LEAST && blocks <= BLOCKS_MOST)
    names = usual[blocks - BLOCKS_LEAST];
  if (!names) {
    fault_add(
        faults, FAULT_AT_POINTER, "", FAULT_LENGTH,
        "must have %zu columns (t,q,qd), %zu (t,q,qd,tau) or %zu (t,q,qd,qdd,tau), or others that ?fields= names; "
        "got %zu",
        1 + 2 * joints, 1 + 3 * joints, 1 + 4 * joints, width);
    return false;
  }
  for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    size_t k = 0;
    while (k < LOG_FIELDS && (strlen(log_fields[k].csv) != length || strncmp(at, log_fields[k].csv, length) != 0)) k++;
    if (k == LOG_FIELDS || present[k]) {
      fault_add(faults, FAULT_AT_PARAMETER, "fields", FAULT_ENUM,
                "must be different names out of t, q, qd, qdd, tau, i with commas between, got \"%.64s\"", names);
      return false;
    }
    present[k] = true;
    begin[k] = next;
    next += k == LOG_T ? 1 : joints;
  }
  if (next == width) return true;
  fault_add(faults, FAULT_AT_POINTER, "", FAULT_LENGTH, "must have %zu columns for \"%.64s\" of %zu joints, got %zu",
            next, names, joints, width);
  return false;
}

static void check_cells(const struct npy_table *table, struct faults *faults)
{
  for (size_t k = 0; k < table->rows * table->columns; k++) {
    const double x = table->data[k];
    if (fabs(x) <= LIMIT_SAMPLE_NUMBER) continue;
    fault_add_cell(faults, k / table->columns, k % table->columns, isfinite(x) ? FAULT_MAXIMUM : FAULT_FINITE,
                   "must be %s, got %g", isfinite(x) ? "within -1e12 and 1e12" : "a finite number", x);
  }
}

static enum armdyn_status decode_npy(size_t joints, const char *body, size_t length, const char *fields,
                                     struct asked *request, struct faults *faults)
{
  struct npy_table table;
  size_t begin[LOG_FIELDS] = { 0 };
  bool present[LOG_FIELDS] = { false };
  enum armdyn_status rc = npy_read(body, length, LIMIT_SAMPLES, &table, faults);
  if (rc) return rc;
  request->tables[LOG_T].memory = table.memory; /* handed over */
  if (!place_fields(fields, joints, table.columns, begin, present, faults)) return ARMDYN_EINPUT;
  check_cells(&table, faults);
  for (size_t k = 0; k < LOG_FIELDS; k++) {
    if (!present[k] || !table.rows) continue;
    request->tables[k].data = table.data + begin[k];
    request->tables[k].rows = table.rows;
    request->tables[k].stride = table.columns;
  }
  return ARMDYN_OK;
}

static enum armdyn_status decode(enum media media, size_t joints, const char *body, size_t length, query_lookup *query,
                                 const void *context, struct asked *request, struct faults *faults)
{
  if (media == MEDIA_JSON) return decode_json(joints, body, length, request, faults);
  decode_options(query, context, request, faults);
  if (media == MEDIA_NPY) return decode_npy(joints, body, length, query(context, "fields"), request, faults);
  return decode_csv(joints, body, length, request, faults);
}

static struct armdyn_rows rows_of(const struct table *table)
{
  return (struct armdyn_rows){ table->data, table->stride };
}

enum armdyn_status energy_request_decode(enum media media, size_t joints, const char *body, size_t length,
                                         query_lookup *query, const void *context, struct energy_request *out,
                                         struct faults *faults)
{
  struct asked request;
  size_t before = faults->count;
  request_init(&request);
  *out = (struct energy_request){ 0 };
  enum armdyn_status rc = decode(media, joints, body, length, query, context, &request, faults);
  if (!rc) check(&request, faults);
  if (!rc && faults->count > before) rc = ARMDYN_EINPUT;
  for (size_t k = 0; k < LOG_FIELDS; k++) out->memory[k] = request.tables[k].memory; /* handed over */
  if (rc) {
    energy_request_release(out);
    return rc;
  }
  memcpy(out->trajectory, request.trajectory, sizeof out->trajectory);
  memcpy(out->dataset, request.dataset, sizeof out->dataset);
  out->carried = request.carried;
  out->cutoff_hz = request.cutoff_hz;
  out->drives = request.drives;
  out->count = request.tables[LOG_T].rows;
  out->t = rows_of(&request.tables[LOG_T]);
  out->q = rows_of(&request.tables[LOG_Q]);
  out->qd = rows_of(&request.tables[LOG_QD]);
  out->qdd = rows_of(&request.tables[LOG_QDD]);
  out->tau = rows_of(&request.tables[LOG_TAU]);
  out->current = rows_of(&request.tables[LOG_CURRENT]);
  return ARMDYN_OK;
}

void energy_request_release(struct energy_request *request)
{
  for (size_t k = 0; k < ENERGY_MEMORIES; k++) free(request->memory[k]);
  *request = (struct energy_request){ 0 };
}

/* -- what is answered -- */

static const double JOULES_A_KWH = 3.6e6, CYCLES = 1000;

static void encode_side(struct json_writer *w, const char *name, const struct armdyn_electrical_energy *energy,
                        const struct armdyn_robot_description *robot)
{
  json_key(w, name);
  if (!energy) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_member_number(w, "kwh_per_1000_cycles", energy->total / JOULES_A_KWH * CYCLES);
  json_key(w, "electrical_energy"), electrical_energy_encode(w, energy, robot);
  json_end_object(w);
}

static void encode_conditioning(struct json_writer *w, const struct armdyn_conditioning *conditioning)
{
  if (!conditioning) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_member_number(w, "rate", conditioning->rate);
  json_member_number(w, "cutoff_hz", conditioning->position_cutoff);
  json_end_object(w);
}

static void encode_warnings(struct json_writer *w, const struct energy_estimate *estimate)
{
  json_begin_array(w);
  if (estimate->other_conditions) {
    json_begin_object(w);
    json_key(w, "code"), json_write_text(w, "conditions_differ");
    json_key(w, "detail"),
        json_write_text(w,
                        "the data set says that it was logged with a payload, tool or gravity of its own; the model's "
                        "were taken: say in the request what it carried");
    json_end_object(w);
  }
  json_end_array(w);
}

void energy_estimate_encode(struct buffer *out, const struct energy_estimate *estimate)
{
  struct json_writer w = { .out = out };
  const struct armdyn_electrical_energy *predicted = estimate->predicted, *measured = estimate->measured;
  json_begin_object(&w);
  json_key(&w, "revision"), json_write_integer(&w, estimate->revision);
  carried_encode(&w, estimate->carried);
  json_key(&w, "regeneration"), json_write_text(&w, armdyn_regeneration_name(estimate->drives->regeneration));
  json_member_number(&w, "duration", estimate->duration);
  json_key(&w, "samples");
  if (estimate->samples)
    json_write_integer(&w, (long long)estimate->samples);
  else
    json_write_null(&w);
  json_key(&w, "conditioning"), encode_conditioning(&w, estimate->conditioning);
  encode_side(&w, "predicted", predicted, estimate->robot);
  encode_side(&w, "measured", measured, estimate->robot);
  bool compared = measured && measured->total > 0;
  json_member_number(&w, "difference_percent", compared ? 100 * (predicted->total / measured->total - 1) : NAN);
  json_key(&w, "warnings"), encode_warnings(&w, estimate);
  json_end_object(&w);
}
