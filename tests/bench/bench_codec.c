/* Speed of the wire formats, each the median of several runs; cJSON and printf as they would be used, to compare.
 * Prints lines "name value unit better". */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "api/codec/dynamics.h"
#include "api/csv/csv.h"
#include "api/json/number.h"
#include "api/json/writer.h"
#include "api/npy/npy.h"

enum { JOINTS = 6, SAMPLES = 10000, NUMBERS = 3 * JOINTS * SAMPLES, RUNS = 9 };

static double numbers[NUMBERS];
static struct faults faults;
static volatile double sink;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median time of a piece of work, ms. */
static double median(void (*work)(void *), void *argument)
{
  double times[RUNS];
  for (int i = 0; i < RUNS; i++) {
    double start = now();
    work(argument);
    times[i] = 1e3 * (now() - start);
  }
  qsort(times, RUNS, sizeof *times, ascending);
  return times[RUNS / 2];
}

static void report(const char *name, double value)
{
  printf("%s %.3f ms lower\n", name, value);
}

/* -- numbers -- */

static void read_numbers(void *text)
{
  const struct buffer *b = text;
  const char *at = b->data, *end = b->data + b->length;
  double sum = 0, x;
  while (at < end) {
    at = number_parse(at, end, &x) + 1;
    sum += x;
  }
  sink = sum;
}

static void read_numbers_strtod(void *text)
{
  char *at = ((struct buffer *)text)->data;
  double sum = 0;
  while (*at) {
    sum += strtod(at, &at);
    at++;
  }
  sink = sum;
}

static void print_numbers(void *count)
{
  char to[NUMBER_SIZE];
  size_t length = 0;
  for (size_t i = 0; i < *(size_t *)count; i++) length += number_print(numbers[i], to);
  sink = (double)length;
}

static void print_numbers_printf(void *count)
{
  char to[NUMBER_SIZE];
  size_t length = 0;
  for (size_t i = 0; i < *(size_t *)count; i++) length += (size_t)snprintf(to, sizeof to, "%.17g", numbers[i]);
  sink = (double)length;
}

/* -- whole requests and answers -- */

struct body {
  struct buffer text;
  enum media media;
  struct armdyn_robot_description *robot;
};

static void decode_samples(void *argument)
{
  struct body *body = argument;
  struct samples_request request;
  faults.count = 0;
  if (samples_request_decode(CALL_INVERSE_DYNAMICS, body->media, body->robot, body->text.data, body->text.length, NULL,
                             NULL, &request, &faults))
    abort();
  sink = request.q.data[0];
  samples_request_release(&request);
}

static void encode_samples(void *argument)
{
  const enum media *media = argument;
  const struct samples_field tau = { "tau", { JOINTS }, numbers, false };
  struct buffer out = BUFFER(LIMIT_ANSWER);
  samples_answer_encode(*media, &tau, 1, 0, SAMPLES, false, &out, NULL);
  sink = (double)out.length;
  if (!buffer_ok(&out)) abort();
  buffer_release(&out);
}

static void decode_cjson(void *argument)
{
  const struct body *body = argument;
  cJSON *root = cJSON_ParseWithLength(body->text.data, body->text.length), *field, *row, *item;
  double sum = 0;
  cJSON_ArrayForEach (field, root)
    cJSON_ArrayForEach (row, field)
      cJSON_ArrayForEach (item, row) sum += item->valuedouble;
  sink = sum;
  cJSON_Delete(root);
}

static void write_request(struct buffer *out)
{
  static const char *const names[] = { "q", "qd", "qdd" };
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  for (int f = 0; f < 3; f++) {
    json_key(&w, names[f]);
    json_write_table(&w, numbers + f * JOINTS * SAMPLES, (const size_t[]){ SAMPLES, JOINTS }, 2);
  }
  json_end_object(&w);
}

int main(void)
{
  static struct armdyn_robot_description robot;
  struct buffer text = BUFFER(MB(64));
  struct body json = { BUFFER(MB(64)), MEDIA_JSON, &robot }, npy = { BUFFER(MB(64)), MEDIA_NPY, &robot },
              csv = { BUFFER(MB(64)), MEDIA_CSV, &robot };
  uint64_t state = 88172645463325252u;
  for (int i = 0; i < NUMBERS; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    numbers[i] = (double)(int64_t)state / 0x1p63 * 3.14;
    buffer_format(&text, "%.17g,", numbers[i]);
  }
  armdyn_robot_description_init(&robot);
  robot.joint_count = JOINTS;
  write_request(&json.text);
  npy_write(&npy.text, numbers, (const size_t[]){ SAMPLES, 3 * JOINTS }, 2);
  buffer_text(&csv.text, "q1,q2,q3,q4,q5,q6,qd1,qd2,qd3,qd4,qd5,qd6,qdd1,qdd2,qdd3,qdd4,qdd5,qdd6\r\n");
  csv_write_rows(&csv.text, numbers, SAMPLES, 3 * JOINTS);

  size_t printed = JOINTS * SAMPLES;
  report("read_180k_numbers", median(read_numbers, &text));
  report("read_180k_numbers_strtod", median(read_numbers_strtod, &text));
  report("print_60k_numbers", median(print_numbers, &printed));
  report("print_60k_numbers_printf", median(print_numbers_printf, &printed));
  report("decode_json_10k_samples", median(decode_samples, &json));
  report("decode_json_10k_samples_cjson", median(decode_cjson, &json));
  report("encode_json_10k_samples", median(encode_samples, &json.media));
  report("decode_npy_10k_samples", median(decode_samples, &npy));
  report("encode_npy_10k_samples", median(encode_samples, &npy.media));
  report("decode_csv_10k_samples", median(decode_samples, &csv));
  report("encode_csv_10k_samples", median(encode_samples, &csv.media));
  buffer_release(&text), buffer_release(&json.text), buffer_release(&npy.text), buffer_release(&csv.text);
  return 0;
}
