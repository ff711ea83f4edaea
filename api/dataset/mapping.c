#include "api/dataset/mapping.h"

#include "api/dataset/log_units.h"
#include "api/json/fields.h"
#include "api/read_only.h"

/* Every choice of a text is a row; the values stand beside the names. */
static const char *const delimiter_names[] = { ",", ";", "\t", "|", " " };
static const char delimiters[] = { ',', ';', '\t', '|', ' ' };
static const char *const decimal_names[] = { ".", "," };
static const char decimals[] = { '.', ',' };
static const char *const encoding_names[TEXT_ENCODINGS] = { "utf-8", "windows-1252", "utf-16" };
static const char *const side_names[] = { [MAPPING_JOINT_SIDE] = "joint", [MAPPING_MOTOR_SIDE] = "motor" };
const char *const mapping_field_names[MAPPING_FIELDS] = { "t", "q", "qd", "qdd", "tau", "i" };
static const char *const standard_units[MAPPING_FIELDS] = { "s", "rad", "rad/s", "rad/s^2", "N*m", "A" };

static bool mapping_target_read(const char *name, enum mapping_field *field, size_t *joint)
{
  if (strcmp(name, "t") == 0) {
    *field = MAPPING_T;
    *joint = 0;
    return true;
  }
  const size_t letters = strcspn(name, "0123456789"), digits = strlen(name) - letters;
  if (digits < 1 || digits > 2 || strspn(name + letters, "0123456789") != digits || name[letters] == '0') return false;
  *joint = strtoul(name + letters, NULL, 10);
  for (int f = MAPPING_Q; f < MAPPING_FIELDS; f++) {
    if (strlen(mapping_field_names[f]) != letters || memcmp(mapping_field_names[f], name, letters) != 0) continue;
    *field = (enum mapping_field)f;
    return *joint <= ARMDYN_JOINTS_MAX;
  }
  return false;
}

void mapping_target_name(enum mapping_field field, size_t joint, char name[DATASET_NAME_SIZE])
{
  if (field == MAPPING_T)
    snprintf(name, DATASET_NAME_SIZE, "t");
  else
    snprintf(name, DATASET_NAME_SIZE, "%s%zu", mapping_field_names[field], joint);
}

/* -- columns -- */

static void column_init(void *object)
{
  struct mapping_column *c = object;
  *c = (struct mapping_column){ .sign = 1, .scale = 1, .rated = NAN, .rate = NAN };
}

enum { UNIT_ROW, RATE_ROW }; /* of column_fields */

static void check_source(struct json_reader *r, const struct mapping_column *c, uint64_t given)
{
  if (!(given >> UNIT_ROW & 1))
    json_fault(r, "/unit", FAULT_REQUIRED,
               "is missing: that of the log's numbers, such as \"deg\", \"mm\", \"N*m\", \"ms\"");
  if (c->sign != 1 && c->sign != -1) json_fault(r, "/sign", FAULT_ENUM, "must be 1 or -1, got %d", c->sign);
  if (!c->named && !c->number)
    json_fault(r, "/column", FAULT_REQUIRED, "is missing: the column's name in the log, or its \"number\", from 1");
  if (c->named && c->number)
    json_fault(r, "/number", FAULT_INCONSISTENT, "a column is known by its name or its number: leave one out");
}

static void check_column(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  if (given >> RATE_ROW & 1) json_fault(r, "/rate", FAULT_INCONSISTENT, "is of the time only");
  check_source(r, object, given);
}

/* The time: a column, or of a log without a clock nothing but its rate. */
static void check_time(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct mapping_column *c = object;
  (void)context;
  if (c->side != MAPPING_JOINT_SIDE) json_fault(r, "/side", FAULT_INCONSISTENT, "the time is of no side");
  if (!(given >> RATE_ROW & 1))
    check_source(r, c, given);
  else if (given != 1u << RATE_ROW)
    json_fault(r, "/rate", FAULT_INCONSISTENT, "is of a log without a clock: leave it out, or all else of the time");
}

#define COLUMN struct mapping_column
static const struct json_field column_fields[] = {
  [UNIT_ROW] = { ENUM(COLUMN, unit, log_unit_names) },
  [RATE_ROW] = { NUMBER(COLUMN, rate, BETWEEN(0.001, 1e7), "Hz"), OMIT_DEFAULT },
  { TEXT(COLUMN, column), HAS(COLUMN, named) },
  { INTEGER(COLUMN, number, BETWEEN(1, CSV_COLUMNS_MOST), NULL), OMIT_DEFAULT },
  { ENUM(COLUMN, side, side_names), OMIT_DEFAULT },
  { INTEGER(COLUMN, sign, BETWEEN(-1, 1), NULL), OMIT_DEFAULT },
  { NUMBER(COLUMN, scale, NON_ZERO, "1"), OMIT_DEFAULT },
  { NUMBER(COLUMN, offset, ANY_NUMBER, "in the unit of the column"), OMIT_DEFAULT },
  { NUMBER(COLUMN, rated, POSITIVE, "N m, N"), NAMED("rated_torque"), NULLABLE, OMIT_DEFAULT },
};
static const struct json_type column_type =
    JSON_TYPE("a column: {\"column\", \"unit\"}", column_fields, COLUMN, column_init, check_column);
static const struct json_type time_type =
    JSON_TYPE("the time: {\"column\", \"unit\"} or {\"rate\"}", column_fields, COLUMN, column_init, check_time);

/* Which quantities the unit of a field may be of, as a bit mask. */
static const unsigned quantities[MAPPING_FIELDS] = {
  [MAPPING_T] = 1u << LOG_TIME,
  [MAPPING_Q] = 1u << LOG_POSITION,
  [MAPPING_QD] = 1u << LOG_VELOCITY,
  [MAPPING_QDD] = 1u << LOG_ACCELERATION,
  [MAPPING_TAU] = 1u << LOG_TORQUE | 1u << LOG_RATED,
  [MAPPING_I] = 1u << LOG_CURRENT,
};

static void check_unit(struct json_reader *r, const struct mapping_column *c)
{
  if (quantities[c->field] >> log_units[c->unit].quantity & 1) return;
  char name[DATASET_NAME_SIZE];
  mapping_target_name(c->field, c->joint, name);
  json_fault(r, "/unit", FAULT_INCONSISTENT, "'%s' is no unit of %s; e.g. '%s' is", log_unit_names[c->unit], name,
             standard_units[c->field]);
}

static void time_decode(struct json_reader *r, const struct json_field *field, void *member,
                        const struct json_context *context)
{
  (void)field;
  struct mapping_column *time = member;
  const bool good = json_decode_object(r, &time_type, time, context);
  time->field = MAPPING_T;
  if (good) check_unit(r, time);
}

static void time_encode(struct json_writer *w, const struct json_field *field, const void *member,
                        const struct json_context *context)
{
  (void)field;
  const struct mapping_column *time = member;
  if (isnan(time->rate)) {
    json_encode_object(w, &column_type, time, context);
    return;
  }
  json_begin_object(w);
  json_key(w, "rate"), json_write_number(w, time->rate);
  json_end_object(w);
}

static const struct mapping_column *find(const struct mapping_columns *columns, enum mapping_field field, size_t joint)
{
  for (size_t i = 0; i < columns->count; i++)
    if (columns->items[i].field == field && columns->items[i].joint == joint) return &columns->items[i];
  return NULL;
}

static void column_decode(struct json_reader *r, const char *name, struct mapping_columns *columns,
                          const struct json_context *context)
{
  struct mapping_column column;
  enum mapping_field field;
  size_t joint;
  if (!mapping_target_read(name, &field, &joint) || field == MAPPING_T) {
    json_fault(r, NULL, FAULT_UNKNOWN, "must be q1, qd1, qdd1, tau1 or i1 with the number of a joint, got '%.32s'",
               name);
    json_skip(r, NULL);
    return;
  }
  if (find(columns, field, joint)) {
    json_fault(r, NULL, FAULT_DUPLICATE, "is given more than once");
    json_skip(r, NULL);
    return;
  }
  if (!json_decode_object(r, &column_type, &column, context)) return;
  column.field = field;
  column.joint = joint;
  check_unit(r, &column);
  columns->items[columns->count++] = column;
}

static void columns_decode(struct json_reader *r, const struct json_field *field, void *member,
                           const struct json_context *context)
{
  struct json_slice key;
  if (!json_enter_object(r, field->unit)) return;
  while (json_next_member(r, &key)) {
    char name[2 * DATASET_NAME_SIZE];
    if (json_slice_decode(key, name, sizeof name) >= sizeof name) name[sizeof name - 1] = '\0';
    column_decode(r, name, member, context);
  }
}

static void columns_encode(struct json_writer *w, const struct json_field *field, const void *member,
                           const struct json_context *context)
{
  (void)field;
  const struct mapping_columns *columns = member;
  json_begin_object(w);
  for (size_t i = 0; i < columns->count; i++) {
    char name[DATASET_NAME_SIZE];
    mapping_target_name(columns->items[i].field, columns->items[i].joint, name);
    json_key(w, name), json_encode_object(w, &column_type, &columns->items[i], context);
  }
  json_end_object(w);
}

/* -- the whole -- */

/* What a data set has whose columns have the standard names and SI units. */
static void dataset_mapping_init(struct dataset_mapping *mapping)
{
  *mapping = (struct dataset_mapping){ .header = true };
  column_init(&mapping->time);
}

static void mapping_init(void *object)
{
  dataset_mapping_init(object);
}

static void refuse_name(struct json_reader *r, const struct mapping_column *c)
{
  char name[DATASET_NAME_SIZE], where[DATASET_NAME_SIZE + 32];
  mapping_target_name(c->field, c->joint, name);
  snprintf(where, sizeof where, c->field == MAPPING_T ? "/time/column" : "/columns/%s/column", name);
  json_fault(r, where, FAULT_INCONSISTENT, "no line names the columns (\"header\": false): say its \"number\", from 1");
}

/* That of its first column. */
static unsigned side_of(const struct mapping_columns *columns, enum mapping_field field)
{
  for (size_t i = 0; i < columns->count; i++)
    if (columns->items[i].field == field) return columns->items[i].side;
  return MAPPING_JOINT_SIDE;
}

static void check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct dataset_mapping *m = object;
  if (delimiters[m->delimiter] == decimals[m->decimal])
    json_fault(r, "/decimal", FAULT_INCONSISTENT, "must be another character than the delimiter");
  if (!m->header && m->time.named) refuse_name(r, &m->time);
  for (size_t i = 0; i < m->columns.count; i++) {
    const struct mapping_column *c = &m->columns.items[i];
    if (!m->header && c->named) refuse_name(r, c);
    if (c->side != side_of(&m->columns, c->field))
      json_fault(r, "/columns", FAULT_INCONSISTENT, "all of %s must be of one side of the gears, joint or motor",
                 mapping_field_names[c->field]);
    if (c->field != MAPPING_I || !find(&m->columns, MAPPING_TAU, c->joint)) continue;
    json_fault(r, "/columns", FAULT_INCONSISTENT, "tau%zu and i%zu both give the torque of a joint: leave one out",
               c->joint, c->joint);
  }
}

#define MAPPING struct dataset_mapping
static const struct json_field mapping_fields[] = {
  { TEXT(MAPPING, description), OMIT_DEFAULT },
  { ENUM(MAPPING, delimiter, delimiter_names) },
  { ENUM(MAPPING, decimal, decimal_names) },
  { ENUM(MAPPING, encoding, encoding_names) },
  { INTEGER(MAPPING, skip_rows, BETWEEN(0, 1000000), NULL) },
  { TRUTH(MAPPING, header), OMIT_DEFAULT },
  { CUSTOM(MAPPING, time, time_decode, time_encode, "the time: {\"column\": \"Time\", \"unit\": \"ms\"}"), REQUIRED },
  { CUSTOM(MAPPING, columns, columns_decode, columns_encode,
           "the columns: {\"q1\": {\"column\": \"A1.ActPos\", \"unit\": \"deg\"}}"),
    REQUIRED },
  READ_ONLY_MAPPING,
};
static const struct json_type mapping_type = JSON_TYPE("a mapping", mapping_fields, MAPPING, mapping_init, check);

enum armdyn_status dataset_mapping_decode(const char *text, size_t length, struct dataset_mapping *mapping,
                                          struct faults *faults)
{
  return json_decode(text, length, &mapping_type, mapping, NULL, faults);
}

void dataset_mapping_encode(const struct dataset_mapping *mapping, struct buffer *out)
{
  json_encode(out, &mapping_type, mapping, NULL);
}

void dataset_mapping_resource(const struct dataset_mapping *mapping, const char *name, const char *created_at,
                              struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "name"), json_write_text(&w, name);
  json_encode_fields(&w, &mapping_type, mapping, NULL);
  json_key(&w, "created_at"), json_write_text(&w, created_at);
  json_end_object(&w);
}

struct csv_form dataset_mapping_form(const struct dataset_mapping *mapping)
{
  return (struct csv_form){ .delimiter = delimiters[mapping->delimiter],
                            .decimal = decimals[mapping->decimal],
                            .skip_lines = mapping->skip_rows,
                            .nameless = !mapping->header,
                            .lenient = true };
}
