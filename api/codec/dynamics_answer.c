/* Answers of the calls on samples, in the three formats. */
#include "api/codec/dynamics.h"

#include "api/codec/parts.h"
#include "api/csv/csv.h"
#include "api/json/writer.h"
#include "api/npy/npy.h"

static size_t dimensions_of(const struct samples_field *field)
{
  size_t dimensions = 0;
  while (dimensions < 3 && field->shape[dimensions]) dimensions++;
  return dimensions;
}

/* tau1,tau2 · tool_1_1,tool_1_2 · links_1_1_1 */
static void write_columns(const struct samples_field *field, struct buffer *out)
{
  size_t dimensions = dimensions_of(field), width = 1, index[3] = { 0 };
  for (size_t d = 0; d < dimensions; d++) width *= field->shape[d];
  for (size_t k = 0; k < width; k++) {
    buffer_format(out, "%s%s", k ? "," : "", field->name);
    for (size_t d = dimensions, rest = k; d-- > 0; rest /= field->shape[d]) index[d] = rest % field->shape[d];
    for (size_t d = 0; d < dimensions; d++) buffer_format(out, dimensions > 1 ? "_%zu" : "%zu", index[d] + 1);
  }
}

/* The shape of the whole field: the samples, then what each has. */
static size_t whole_shape(const struct samples_field *field, size_t count, bool single, size_t shape[4])
{
  size_t dimensions = dimensions_of(field);
  if (!single) shape[0] = count;
  memcpy(shape + !single, field->shape, dimensions * sizeof *shape);
  return dimensions + !single;
}

/* Poses as {translation, rpy}, in lists as the shape's other extents have it. Answers what comes after them. */
static const double *write_poses(struct json_writer *w, const double *data, const size_t *shape, size_t dimensions)
{
  if (dimensions == 1) {
    struct armdyn_pose pose;
    memcpy(pose.translation, data, sizeof pose.translation);
    memcpy(pose.rpy, data + 3, sizeof pose.rpy);
    pose_write(w, &pose);
    return data + POSE;
  }
  json_begin_array(w);
  for (size_t k = 0; k < shape[0]; k++) data = write_poses(w, data, shape + 1, dimensions - 1);
  json_end_array(w);
  return data;
}

void samples_answer_write(struct json_writer *w, const struct samples_field *fields, size_t field_count, size_t count,
                          bool single)
{
  size_t shape[4] = { 0 }, prefix = 0; /* of the object that is open: "momentum." */
  const char *object = "";
  for (size_t f = 0; f < field_count; f++) {
    const char *name = fields[f].name, *dot = strchr(name, '.');
    if (prefix && strncmp(name, object, prefix)) {
      json_end_object(w);
      prefix = 0;
    }
    if (dot && !prefix) {
      char opened[32];
      object = name;
      prefix = (size_t)(dot + 1 - name);
      snprintf(opened, sizeof opened, "%.*s", (int)(dot - name), name);
      json_key(w, opened);
      json_begin_object(w);
    }
    size_t dimensions = whole_shape(&fields[f], count, single, shape);
    json_key(w, dot ? dot + 1 : name);
    if (fields[f].poses)
      write_poses(w, fields[f].data, shape, dimensions);
    else
      json_write_table(w, fields[f].data, shape, dimensions);
  }
  if (prefix) json_end_object(w);
}

void samples_answer_encode(enum media media, const struct samples_field *fields, size_t field_count, size_t chosen,
                           size_t count, bool single, struct buffer *out, struct buffer *columns)
{
  const struct samples_field *field = &fields[chosen];
  size_t shape[4], width = 1;
  if (columns) write_columns(field, columns);
  if (media == MEDIA_JSON) {
    struct json_writer w = { .out = out };
    json_begin_object(&w);
    samples_answer_write(&w, fields, field_count, count, single);
    json_end_object(&w);
  } else if (media == MEDIA_NPY) {
    size_t dimensions = whole_shape(field, count, single, shape);
    npy_write(out, field->data, shape, dimensions);
  } else {
    for (size_t d = 0; d < dimensions_of(field); d++) width *= field->shape[d];
    write_columns(field, out);
    buffer_text(out, "\r\n");
    csv_write_rows(out, field->data, count, width);
  }
}
