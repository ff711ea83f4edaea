#include "api/codec/own_samples.h"

#include <math.h>
#include <stdlib.h>

#define TABLE_OF(member_, decode_, length_, unit_)                                                                     \
  JSON_MEMBER(struct own_samples, member_), .kind = FIELD_CUSTOM, .decode = decode_, .length = length_, .unit = unit_

enum { ROW_T, ROW_Q, ROW_RATE, ROW_DATASET, ROW_FROM, ROW_TO, ROW_REFERENCE, ROW_START, ROW_TOLERANCE };
static const double REFERENCE_TOLERANCE = 1e-6; /* rad, m: of what has no noise */

static const struct json_field fields[] = {
  [ROW_T] = { TABLE_OF(t, samples_times_decode, 1, "an array of times, s") },
  [ROW_Q] = { TABLE_OF(q, samples_table_decode, PER_JOINT, "rad; m for a slide") },
  [ROW_RATE] = { NUMBER(struct own_samples, sample_rate, BETWEEN(1e-3, 100000), "Hz"), NAMED("rate"), NULLABLE },
  [ROW_DATASET] = { TEXT(struct own_samples, dataset), MATCHES(json_id_pattern), NULLABLE },
  [ROW_FROM] = { NUMBER(struct own_samples, from, ANY_NUMBER, "s"), NULLABLE },
  [ROW_TO] = { NUMBER(struct own_samples, to, ANY_NUMBER, "s"), NULLABLE },
  [ROW_REFERENCE] = { OBJECT(struct own_samples, reference, verification_reference_type),
                      HAS(struct own_samples, has_reference), NULLABLE },
  [ROW_START] = { NUMBERS(struct own_samples, start, PER_JOINT, BETWEEN(-1e6, 1e6), "rad, m"), NULLABLE },
  [ROW_TOLERANCE] = { NUMBER(struct own_samples, tolerance, BETWEEN(1e-9, 1), "rad, m") },
};

static void init(void *object)
{
  *(struct own_samples *)object =
      (struct own_samples){ .sample_rate = NAN, .from = -INFINITY, .to = INFINITY, .tolerance = 1e-4 };
}

static void check_given(struct json_reader *r, const struct own_samples *samples, size_t joints)
{
  const struct table *t = &samples->t, *q = &samples->q;
  if (!q->data || q->single || q->rows < 2) {
    json_fault(r, "/q", q->data ? FAULT_LENGTH : FAULT_REQUIRED, "must be a list of at least 2 samples");
    return;
  }
  const bool timed = t->data, rated = !isnan(samples->sample_rate);
  if (timed == rated)
    json_fault(r, t->data ? "/rate" : "/t", t->data ? FAULT_INCONSISTENT : FAULT_REQUIRED,
               t->data ? "the samples have their times, t: one of the two" : "is missing: times, or a rate instead");
  if (t->data && t->rows != q->rows)
    json_fault(r, "/t", FAULT_LENGTH, "must have as many samples as q, %zu, got %zu", q->rows, t->rows);
  if (q->rows * joints + t->rows > LIMIT_OWN_NUMBERS)
    json_fault(r, "/q", FAULT_MAXIMUM, "%zu numbers are more than the %d of one request: upload a data set and name it",
               q->rows * joints + t->rows, LIMIT_OWN_NUMBERS);
}

/* What is made of a reference, which no controller of a verification runs. */
static void check_reference(struct json_reader *r, struct own_samples *samples, uint64_t given)
{
  char where[32];
  for (size_t i = ROW_T; i <= ROW_TO; i++) {
    snprintf(where, sizeof where, "/%s", json_field_name(&fields[i]));
    if (given >> i & 1) json_fault(r, where, FAULT_INCONSISTENT, "the reference says it: one of the two");
  }
  if (!(given >> ROW_START & 1))
    json_fault(r, "/start", FAULT_REQUIRED, "is missing: where the reference is, one number for each joint");
  if (samples->reference.kind == REFERENCE_TRAJECTORY)
    json_fault(r, "/reference/kind", FAULT_UNSUPPORTED, "is a motion already: play that trajectory itself");
  if (samples->reference.breakaway)
    json_fault(r, "/reference/breakaway", FAULT_UNSUPPORTED, "is looked for by simulations alone");
  if (!(given >> ROW_TOLERANCE & 1)) samples->tolerance = REFERENCE_TOLERANCE;
}

static void check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct own_samples *samples = object;
  if (json_reader_status(r)) return;
  if (samples->has_reference) {
    check_reference(r, samples, given);
    return;
  }
  if (given >> ROW_START & 1) json_fault(r, "/start", FAULT_INCONSISTENT, "belongs to a reference");
  if (!*samples->dataset) {
    if (given & (1u << ROW_FROM | 1u << ROW_TO))
      json_fault(r, given >> ROW_FROM & 1 ? "/from" : "/to", FAULT_INCONSISTENT, "belongs to a dataset");
    check_given(r, samples, context->joint_count);
    return;
  }
  for (size_t i = ROW_T; i <= ROW_RATE; i++) {
    char where[16];
    snprintf(where, sizeof where, "/%s", json_field_name(&fields[i]));
    if (given >> i & 1) json_fault(r, where, FAULT_INCONSISTENT, "the data set has its own: one of the two");
  }
  if (!(samples->to > samples->from))
    json_fault(r, "/to", FAULT_INCONSISTENT, "must be after from, %g s, got %g", samples->from, samples->to);
}

static const struct json_type type = JSON_TYPE("samples of a motion", fields, struct own_samples, init, check);

void own_samples_decode(struct json_reader *r, const struct json_field *field, void *member,
                        const struct json_context *context)
{
  size_t hint = 0; /* of samples_table_decode */
  const struct json_context here = { context->joint_count, &hint };
  (void)field;
  json_decode_object(r, &type, member, &here);
}

void own_samples_release(struct own_samples *samples)
{
  free(samples->t.memory);
  free(samples->q.memory);
  samples->t = samples->q = (struct table){ .rows = 0 };
}

double own_samples_time(const struct own_samples *samples, size_t i)
{
  return samples->t.data ? samples->t.data[i] : (double)i / samples->sample_rate;
}
