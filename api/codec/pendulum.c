#include "api/codec/pendulum.h"

#include <math.h>

#include "api/json/fields.h"
#include "api/json/writer.h"

enum { TIMES_MOST = 100 };

struct quantity {
  double value, deviation;
};

struct request {
  struct quantity mass, distance, amplitude_first, amplitude_last, gravity;
  int swings;
  double times[TIMES_MOST], time_deviation;
  size_t time_count;
  enum armdyn_pendulum_decay decay;
};

static const char *const decay_names[] = { [ARMDYN_DECAY_VISCOUS] = "viscous", [ARMDYN_DECAY_DRY] = "dry" };

/* -- a number, or {"value", "deviation"} -- */

#define QUANTITY struct quantity
static const struct json_field quantity_fields[] = {
  { NUMBER(QUANTITY, value, BETWEEN(1e-12, 1e12), NULL), REQUIRED },
  { NUMBER(QUANTITY, deviation, BETWEEN(0, 1e12), NULL), REQUIRED },
};
static const struct json_type quantity_type =
    JSON_TYPE("a number, or {\"value\", \"deviation\"}", quantity_fields, QUANTITY, NULL, NULL);

static void quantity_decode(struct json_reader *r, const struct json_field *field, void *member,
                            const struct json_context *context)
{
  struct json_field number = quantity_fields[0];
  struct quantity *quantity = member;
  number.unit = field->unit;
  quantity->deviation = 0;
  if (json_peek(r) == JSON_OBJECT)
    json_decode_object(r, &quantity_type, quantity, context);
  else
    json_decode_field(r, &number, quantity, context);
}

#define REQUEST                  struct request
#define MEASURED(member_, unit_) CUSTOM(REQUEST, member_, quantity_decode, NULL, unit_)
static const struct json_field request_fields[] = {
  { MEASURED(mass, "kg"), REQUIRED },
  { MEASURED(distance, "m, from the axis to the centre of mass"), REQUIRED },
  { INTEGER(REQUEST, swings, BETWEEN(1, 10000), "there and back, in each of the times") },
  { NUMBERS(REQUEST, times, TIMES_MOST, POSITIVE, "s, of so many swings"), COUNTED(REQUEST, time_count), REQUIRED },
  { NUMBER(REQUEST, time_deviation, NON_NEGATIVE, "s, of one of the times"), NULLABLE },
  { MEASURED(amplitude_first, "rad"), REQUIRED },
  { MEASURED(amplitude_last, "rad"), REQUIRED },
  { ENUM(REQUEST, decay, decay_names) },
  { MEASURED(gravity, "m/s^2") },
};

static void request_init(void *object)
{
  *(struct request *)object = (struct request){ .swings = 1, .time_deviation = NAN, .gravity = { 9.81, 0 } };
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct request *request = object;
  (void)given, (void)context;
  if (json_reader_status(r)) return;
  if (!request->time_count) json_fault(r, "/times", FAULT_LENGTH, "must have 1 to %d times, got none", TIMES_MOST);
}
static const struct json_type request_type =
    JSON_TYPE("a pendulum test", request_fields, REQUEST, request_init, request_check);

/* Of one of them: what was stated, else what they scatter by. */
static struct quantity mean_time(const struct request *request)
{
  double mean = 0, square = 0;
  const double n = (double)request->time_count;
  for (size_t k = 0; k < request->time_count; k++) mean += request->times[k] / n;
  for (size_t k = 0; k < request->time_count; k++) square += pow(request->times[k] - mean, 2);
  const double scatter = n > 1 ? sqrt(square / (n - 1)) : 0;
  return (struct quantity){ mean, (isnan(request->time_deviation) ? scatter : request->time_deviation) / sqrt(n) };
}

enum armdyn_status pendulum_decode(const char *body, size_t length, struct armdyn_pendulum_test *out,
                                   struct faults *faults)
{
  struct request request;
  const enum armdyn_status status = json_decode(body, length, &request_type, &request, NULL, faults);
  if (status) return status;
  const struct quantity figures[] = {
    [ARMDYN_PENDULUM_MASS] = request.mass,           [ARMDYN_PENDULUM_DISTANCE] = request.distance,
    [ARMDYN_PENDULUM_TIME] = mean_time(&request),    [ARMDYN_PENDULUM_FIRST] = request.amplitude_first,
    [ARMDYN_PENDULUM_LAST] = request.amplitude_last, [ARMDYN_PENDULUM_GRAVITY] = request.gravity
  };
  *out = (struct armdyn_pendulum_test){ .swings = request.swings, .decay = request.decay };
  for (size_t i = 0; i < ARMDYN_PENDULUM_FIGURES; i++)
    out->value[i] = figures[i].value, out->deviation[i] = figures[i].deviation;
  return ARMDYN_OK;
}

/* -- the answer -- */

static void number(struct json_writer *w, const char *key, double value)
{
  json_key(w, key);
  json_write_number(w, value);
}

static void with_deviation(struct json_writer *w, const char *key, double value, double deviation)
{
  json_key(w, key);
  json_begin_object(w);
  number(w, "value", value);
  number(w, "deviation", deviation);
  json_end_object(w);
}

void pendulum_encode(struct buffer *out, const struct armdyn_pendulum_test *test, const struct armdyn_pendulum *found)
{
  static const char *const names[] = { "mass", "distance", "times", "amplitude_first", "amplitude_last", "gravity" };
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  with_deviation(&w, "inertia_com", found->inertia_com, found->inertia_com_deviation);
  with_deviation(&w, "inertia_axis", found->inertia_axis, found->inertia_axis_deviation);
  number(&w, "radius_of_gyration", found->radius_of_gyration);
  number(&w, "period", found->period);
  number(&w, "period_small", found->period_small);
  number(&w, "damping", found->damping);
  number(&w, "viscous", found->viscous);
  number(&w, "coulomb", found->dry);
  with_deviation(&w, "time", test->value[ARMDYN_PENDULUM_TIME], test->deviation[ARMDYN_PENDULUM_TIME]);
  json_key(&w, "shares");
  json_begin_object(&w);
  for (size_t i = 0; i < ARMDYN_PENDULUM_FIGURES; i++) number(&w, names[i], found->share[i]);
  json_end_object(&w);
  json_end_object(&w);
}
