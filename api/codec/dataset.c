#include "api/codec/dataset.h"

#include "api/dataset/log_units.h"
#include "api/json/document.h"

/* -- conditions -- */

static const char *const side_names[] = { "joint", "motor" };
static const char *const source_names[] = { "sensor", "current", "command" };

static void conditions_init(void *object)
{
  struct dataset_conditions *c = object;
  *c = (struct dataset_conditions){ .temperature = NAN };
}

#define CONDITIONS struct dataset_conditions
static const struct json_field conditions_fields[] = {
  OVERRIDES,
  { ENUM(CONDITIONS, torque_side, side_names), HAS(CONDITIONS, has_side), NULLABLE },
  { ENUM(CONDITIONS, torque_source, source_names), HAS(CONDITIONS, has_source), NULLABLE },
  { ENUM(CONDITIONS, torque_content, torque_content_names), OMIT_DEFAULT },
  { NUMBER(CONDITIONS, temperature, BETWEEN(-273.15, 1000), "degrees Celsius"), NULLABLE, OMIT_DEFAULT },
  { TEXT(CONDITIONS, controller), MATCHES(json_name_pattern), NULLABLE, OMIT_DEFAULT },
  { TEXT(CONDITIONS, transfer), MATCHES(json_id_pattern), NULLABLE, OMIT_DEFAULT },
};
static const struct json_type conditions_type =
    JSON_TYPE("conditions of a log", conditions_fields, CONDITIONS, conditions_init, NULL);

enum armdyn_status dataset_conditions_decode(const char *text, size_t length, struct dataset_conditions *conditions,
                                             struct faults *faults)
{
  return json_decode(text, length, &conditions_type, conditions, NULL, faults);
}

void dataset_conditions_encode(const struct dataset_conditions *conditions, struct buffer *out)
{
  json_encode(out, &conditions_type, conditions, NULL);
}

/* -- what people write on it -- */

static void notes_init(void *object)
{
  struct dataset_notes *n = object;
  *n = (struct dataset_notes){ 0 };
  conditions_init(&n->conditions);
}

#define NOTES struct dataset_notes
static const struct json_field notes_fields[] = {
  { TEXT(NOTES, label), NULLABLE },
  { MAP(NOTES, tags), NULLABLE },
  { STRING(NOTES, notes, LIMIT_NOTES), NULLABLE },
  { TEXT(NOTES, job_order_id), NULLABLE },
  { TEXT(NOTES, work_master_id), NULLABLE },
  { TEXT(NOTES, equipment_id), NULLABLE },
  { OBJECT(NOTES, conditions, conditions_type), NULLABLE },
};
static const struct json_type notes_type =
    JSON_TYPE("what is written on a data set", notes_fields, NOTES, notes_init, NULL);

enum armdyn_status dataset_notes_decode(const char *text, size_t length, struct dataset_notes *notes,
                                        struct faults *faults)
{
  return json_decode(text, length, &notes_type, notes, NULL, faults);
}

void dataset_notes_release(struct dataset_notes *notes)
{
  json_release(&notes_type, notes);
}

/* -- what the upload found -- */

static const char *si_unit(const struct dataset_figures *f, size_t column)
{
  static const enum log_quantity quantities[DATASET_FIELDS] = { LOG_TIME, LOG_POSITION, LOG_VELOCITY, LOG_ACCELERATION,
                                                                LOG_TORQUE };
  const enum dataset_field field = dataset_field_of(f->layout, column);
  const size_t joint = field == DATASET_T ? 0 : column - f->layout->begin[field];
  return log_quantity_si(quantities[field], f->robot->joints[joint].type == ARMDYN_REVOLUTE);
}

static void encode_columns(struct json_writer *w, const struct dataset_figures *f)
{
  json_key(w, "columns"), json_begin_array(w);
  for (size_t c = 0; c < f->layout->width; c++) {
    char name[DATASET_NAME_SIZE];
    dataset_column_name(f->layout, c, name);
    json_begin_object(w);
    json_key(w, "name"), json_write_text(w, name);
    json_key(w, "unit"), json_write_text(w, si_unit(f, c));
    json_key(w, "min"), json_write_number(w, f->report->columns[c].least);
    json_key(w, "max"), json_write_number(w, f->report->columns[c].greatest);
    json_key(w, "rms"), json_write_number(w, f->report->columns[c].rms);
    json_end_object(w);
  }
  json_end_array(w);
}

static void remark(struct json_writer *w, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void remark(struct json_writer *w, const char *code, const char *format, ...)
{
  char detail[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  json_begin_object(w);
  json_key(w, "code"), json_write_text(w, code);
  json_key(w, "detail"), json_write_text(w, detail);
  json_end_object(w);
}

static void encode_clock_quality(struct json_writer *w, const struct armdyn_quality_report *r)
{
  static const double JITTER = 0.01;
  if (r->gaps)
    remark(w, "gaps",
           "%zu interval%s longer than 1.5 usual ones, the longest %.4g s at t = %.6g s: samples are missing", r->gaps,
           r->gaps == 1 ? " is" : "s are", r->gap, r->gap_time);
  if (r->jitter > JITTER)
    remark(w, "clock_jitter", "the intervals of the clock scatter by %.2g %%; use samples at an even rate, %.6g Hz",
           100 * r->jitter, r->rate);
  if (r->repeated)
    remark(w, "repeated_samples",
           "%zu samples amid motion are the same as the one before but for the time, first at t = %.6g s: the log is "
           "faster than its source",
           r->repeated, r->repeated_time);
  if (r->rests)
    remark(w, "rest", "no joint moves in %zu stretch%s of 0.25 s or more, %.4g of %.6g s", r->rests,
           r->rests == 1 ? "" : "es", r->resting, r->last - r->first);
}

/* A turn or two is much for a joint, and degrees taken for radians are many. */
static const double TURNS = 20;

static void encode_joint_quality(struct json_writer *w, const struct dataset_figures *f, size_t j)
{
  enum { CLIPPED = 10 };
  const struct armdyn_joint_figures *joint = &f->report->joints[j];
  const struct armdyn_column_figures *q = &f->report->columns[1 + j];
  const double late = joint->delay * f->report->rate; /* samples */
  const char *name = f->robot->joints[j].name;
  if (!joint->moves)
    remark(w, "joint_at_rest", "joint %s never moves: its positions stay within %.3g", name, q->greatest - q->least);
  if (f->robot->joints[j].type == ARMDYN_REVOLUTE && fmax(fabs(q->least), fabs(q->greatest)) > TURNS)
    remark(w, "unit_suspect", "joint %s goes from %.4g to %.4g rad: are these degrees? A mapping has units", name,
           q->least, q->greatest);
  if (joint->clipped >= CLIPPED)
    remark(w, "clipped", "the torque of joint %s stands at %.6g for %zu samples until t = %.6g s while it moves", name,
           joint->clipped_value, joint->clipped, joint->clipped_time);
  if (fabs(late) >= 1)
    remark(w, "channel_delay", "the torque of joint %s comes about %.3g ms %s the motion (%.1f samples)", name,
           1000 * fabs(joint->delay), joint->delay > 0 ? "after" : "before", fabs(late));
}

void dataset_figures_encode(const struct dataset_figures *f, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "duration"), json_write_number(&w, f->report->last - f->report->first);
  json_key(&w, "rate"), json_write_number(&w, f->report->rate);
  json_key(&w, "quality"), json_begin_array(&w);
  encode_clock_quality(&w, f->report);
  for (size_t j = 0; j < f->layout->joints; j++) encode_joint_quality(&w, f, j);
  if (!f->layout->present[DATASET_TAU])
    remark(&w, "no_torque", "there are no torques: the log serves for plots, not for identification");
  json_end_array(&w);
  json_key(&w, "source"), json_begin_object(&w);
  json_key(&w, "media_type"), json_write_text(&w, f->media);
  json_key(&w, "sha256"), json_write_text(&w, f->source_sha256);
  json_key(&w, "mapping"), json_write_text(&w, f->mapping);
  json_end_object(&w);
  encode_columns(&w, f);
  json_end_object(&w);
}

/* -- what GET answers -- */

void dataset_resource_encode(const struct dataset_resource *r, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_member_text(&w, "id", r->id);
  json_member_text(&w, "robot", r->robot);
  json_key(&w, "revision"), json_write_integer(&w, r->revision);
  json_member_text(&w, "created_at", r->created_at);
  json_member_text(&w, "label", r->label);
  json_key(&w, "samples"), json_write_integer(&w, r->samples);
  document_splice(&w, r->figures, r->summary ? "columns" : NULL);
  json_member_text(&w, "sha256", r->sha256);
  json_key(&w, "conditions"), json_write_raw(&w, r->conditions);
  json_member_text(&w, "created_by", *r->created_by ? r->created_by : NULL);
  json_member_text(&w, "reason", *r->reason ? r->reason : NULL);
  json_key(&w, "tags"), json_write_raw(&w, r->tags);
  if (!r->summary) json_member_text(&w, "notes", r->notes);
  result_order_encode(&w, r->job_order_id, r->work_master_id, r->equipment_id);
  json_end_object(&w);
}

void dataset_notes_encode(const struct dataset_resource *r, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_member_text(&w, "label", r->label);
  json_key(&w, "tags"), json_write_raw(&w, r->tags);
  json_member_text(&w, "notes", r->notes);
  json_key(&w, "conditions"), json_write_raw(&w, r->conditions);
  result_order_encode(&w, r->job_order_id, r->work_master_id, r->equipment_id);
  json_end_object(&w);
}
