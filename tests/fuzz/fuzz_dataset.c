/* Logs: wherever the pieces of an upload are cut, the outcome is the same; rows that are kept are finite and their clock
 * increases; refusals have reasons. The first byte chooses the format, the second the length of the pieces. */
#include <math.h>

#include "api/dataset/reader.h"
#include "tests/fuzz/fuzz.h"

static const struct armdyn_robot_description robot = {
  .name = "r",
  .joint_count = 2,
  .joints = { { .drive = { .gear_ratio = 50, .torque_constant = 0.1 } },
              { .type = ARMDYN_PRISMATIC, .drive = { .gear_ratio = 600, .torque_constant = 0.2 } } }
};

/* Decimal commas and units, by the encoding. */
static struct dataset_mapping mapping_of(enum text_encoding encoding)
{
  static const char text[] =
      "{\"delimiter\":\";\",\"decimal\":\",\",\"skip_rows\":1,\"time\":{\"column\":\"Zeit\",\"unit\":\"ms\"},"
      "\"columns\":{"
      "\"q1\":{\"column\":\"a\",\"unit\":\"deg\",\"sign\":-1,\"offset\":2},\"q2\":{\"column\":\"b\",\"unit\":\"mm\"},"
      "\"i1\":{\"column\":\"c\",\"unit\":\"mA\"},\"i2\":{\"column\":\"d\",\"unit\":\"A\"}}}";
  struct dataset_mapping mapping;
  REQUIRE(dataset_mapping_decode(text, sizeof text - 1, &mapping, NULL) == ARMDYN_OK);
  mapping.encoding = encoding;
  return mapping;
}

/* Blanks, no names, no clock, at the motors. */
static struct dataset_mapping bare_mapping(void)
{
  static const char text[] = "{\"header\":false,\"delimiter\":\" \",\"time\":{\"rate\":100},\"columns\":{"
                             "\"q1\":{\"number\":2,\"unit\":\"rev\",\"side\":\"motor\"},"
                             "\"q2\":{\"number\":1,\"unit\":\"deg\",\"side\":\"motor\"}}}";
  struct dataset_mapping mapping;
  REQUIRE(dataset_mapping_decode(text, sizeof text - 1, &mapping, NULL) == ARMDYN_OK);
  return mapping;
}

struct outcome {
  enum armdyn_status status;
  size_t faults, rows;
  double last, sum;
};

static enum armdyn_status take_rows(void *context, const struct dataset_layout *layout, const double *rows,
                                    size_t count)
{
  struct outcome *o = context;
  for (size_t i = 0; i < count * layout->width; i++) {
    REQUIRE(isfinite(rows[i]));
    o->sum += rows[i];
  }
  for (size_t i = 0; i < count; i++) {
    const double time = rows[i * layout->width];
    REQUIRE(o->rows == 0 || time > o->last);
    o->last = time;
    o->rows++;
  }
  return ARMDYN_OK;
}

static struct outcome read_in_pieces(const struct dataset_source *source, const char *bytes, size_t length,
                                     size_t piece)
{
  static struct faults faults;
  struct outcome o = { 0 };
  struct dataset_reader *reader;
  struct armdyn_error error = { "", "" };
  faults.count = 0;
  REQUIRE(dataset_reader_new(source, false, take_rows, &o, &faults, &reader) == ARMDYN_OK);
  for (size_t at = 0; !o.status && at < length; at += piece)
    o.status = dataset_reader_take(reader, bytes + at, length - at < piece ? length - at : piece, &error);
  if (!o.status) o.status = dataset_reader_finish(reader, &error);
  dataset_reader_free(reader);
  if (o.status != ARMDYN_ELIMIT) require_reason(o.status, &faults);
  o.faults = faults.count;
  return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const enum media formats[] = { MEDIA_CSV, MEDIA_NPY, MEDIA_JSON };
  if (size < 2) return 0;
  const unsigned which = data[0] / 6 % (TEXT_ENCODINGS + 1);
  const struct dataset_mapping mapping =
      which < TEXT_ENCODINGS ? mapping_of((enum text_encoding)which) : bare_mapping();
  struct dataset_source source = { .media = formats[data[0] % 3], .robot = &robot };
  if (source.media == MEDIA_CSV && data[0] % 6 >= 3) source.mapping = &mapping;
  char *bytes = copy_of(data + 2, size - 2);
  const struct outcome whole = read_in_pieces(&source, bytes, size - 2, size);
  const struct outcome parts = read_in_pieces(&source, bytes, size - 2, 1 + data[1] % 64);
  REQUIRE(whole.status == parts.status && whole.faults == parts.faults);
  if (!whole.status) REQUIRE(whole.rows == parts.rows && whole.sum - parts.sum <= 0 && whole.sum - parts.sum >= 0);
  free(bytes);
  return 0;
}
