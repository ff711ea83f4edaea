#include "api/codec/torque_shares.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/dynamics_request.h"

/* ---- what is asked */

enum { SHARES_Q, SHARES_QD, SHARES_QDD };
static const char *const table_names[SHARES_MEMORIES] = { "q", "qd", "qdd" };

struct asked {
  struct torque_shares_request request; /* first: its carried is that of the field table */
  struct table tables[SHARES_MEMORIES];
};

#define REQUEST struct torque_shares_request
#define TABLE_OF(name_, index_, unit_)                                                                                 \
  .name = name_, .offset = offsetof(struct asked, tables) + (index_) * sizeof(struct table),                           \
  .size = sizeof(struct table), .kind = FIELD_CUSTOM, .decode = samples_table_decode, .length = PER_JOINT,             \
  .unit = unit_

static const struct json_field request_fields[] = {
  { TEXT(REQUEST, trajectory), MATCHES(json_id_pattern) },
  { TEXT(REQUEST, dataset), MATCHES(json_id_pattern) },
  { TRUTH(REQUEST, friction) },
  { NUMBER(REQUEST, error_percent, BETWEEN(0, 100), NULL) },
  { INTEGER(REQUEST, samples, BETWEEN(2, LIMIT_SHARES_SAMPLES), NULL) },
  { TABLE_OF("q", SHARES_Q, "rad; m for a slide") },
  { TABLE_OF("qd", SHARES_QD, "rad/s; m/s for a slide") },
  { TABLE_OF("qdd", SHARES_QDD, "rad/s^2; m/s^2 for a slide") },
  CARRIED,
};

static void request_init(void *object)
{
  *(struct asked *)object = (struct asked){ .request = { .friction = true, .error_percent = 1, .samples = 1000 } };
}

static void check_samples(struct json_reader *r, const struct asked *asked)
{
  char where[8];
  for (size_t k = 0; k < SHARES_MEMORIES; k++) {
    const struct table *table = &asked->tables[k];
    snprintf(where, sizeof where, "/%s", table_names[k]);
    if (!table->data)
      json_fault(r, where, FAULT_REQUIRED, "is missing: a trajectory, a dataset, or samples of q, qd and qdd");
    else if (table->rows != asked->tables[SHARES_Q].rows)
      json_fault(r, where, FAULT_LENGTH, "must have as many samples as q, %zu, got %zu", asked->tables[SHARES_Q].rows,
                 table->rows);
    else if (table->rows > LIMIT_SHARES_SAMPLES)
      json_fault(r, where, FAULT_MAXIMUM, "must have at most %d samples, got %zu", LIMIT_SHARES_SAMPLES, table->rows);
  }
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct asked *asked = object;
  (void)given, (void)context;
  if (json_reader_status(r)) return;
  carried_check(r, &asked->request.carried);
  const bool motion = *asked->request.trajectory, logged = *asked->request.dataset;
  if (!motion && !logged) {
    check_samples(r, asked);
    return;
  }
  if (motion && logged) json_fault(r, "/dataset", FAULT_INCONSISTENT, "either a trajectory or a dataset, not both");
  for (size_t k = 0; k < SHARES_MEMORIES; k++) {
    char where[8];
    if (!asked->tables[k].data) continue;
    snprintf(where, sizeof where, "/%s", table_names[k]);
    json_fault(r, where, FAULT_INCONSISTENT, "either samples, or what is stored, not both");
  }
}

static const struct json_type request_type =
    JSON_TYPE("a request for shares of torques", request_fields, struct asked, request_init, request_check);

enum armdyn_status torque_shares_request_decode(size_t joints, const char *body, size_t length,
                                                struct torque_shares_request *out, struct faults *faults)
{
  struct asked asked;
  struct json_reader r;
  size_t hint = 0;
  const struct json_context context = { joints, &hint };
  request_init(&asked);
  json_reader_init(&r, body, length, faults);
  json_decode_object(&r, &request_type, &asked, &context);
  json_finish(&r);
  *out = asked.request;
  struct armdyn_rows *const rows[SHARES_MEMORIES] = { &out->q, &out->qd, &out->qdd };
  for (size_t k = 0; k < SHARES_MEMORIES; k++) {
    out->memory[k] = asked.tables[k].memory;
    *rows[k] = (struct armdyn_rows){ asked.tables[k].data, asked.tables[k].stride };
  }
  out->count = asked.tables[SHARES_Q].rows;
  const enum armdyn_status status = json_reader_status(&r);
  if (status) torque_shares_request_release(out);
  return status;
}

void torque_shares_request_release(struct torque_shares_request *request)
{
  for (size_t k = 0; k < SHARES_MEMORIES; k++) free(request->memory[k]);
  *request = (struct torque_shares_request){ 0 };
}

/* ---- what is answered */

static void encode_terms(struct json_writer *w, const char *name, unsigned terms)
{
  json_key(w, name), json_begin_array(w);
  for (enum armdyn_torque_term t = 0; t < ARMDYN_TORQUE_TERMS; t++)
    if (terms >> t & 1) json_write_text(w, armdyn_torque_term_name(t));
  json_end_array(w);
}

static double percent(double error, double peak)
{
  return peak > 0 ? 100 * error / peak : 0;
}

static void encode_joint(struct json_writer *w, const struct torque_shares_answer *answer, size_t j,
                         const struct armdyn_torque_share *share, struct armdyn_left_out out)
{
  json_begin_object(w);
  json_key(w, "joint"), json_write_text(w, answer->robot->joints[j].name);
  json_member_number(w, "rms", share->rms);
  json_member_number(w, "peak", share->peak);
  json_key(w, "terms"), json_begin_object(w);
  for (enum armdyn_torque_term t = 0; t < ARMDYN_TORQUE_TERMS; t++) {
    json_key(w, armdyn_torque_term_name(t)), json_begin_object(w);
    json_member_number(w, "rms", share->term_rms[t]);
    json_member_number(w, "peak", share->term_peak[t]);
    json_member_number(w, "share", share->share[t]);
    json_end_object(w);
  }
  json_end_object(w);
  encode_terms(w, "left_out", out.terms);
  json_member_number(w, "error", out.error);
  json_member_number(w, "error_percent", percent(out.error, share->peak));
  json_end_object(w);
}

void torque_shares_encode(struct buffer *out, const struct torque_shares_answer *answer)
{
  struct json_writer w = { .out = out };
  struct armdyn_torque_share shares[ARMDYN_JOINTS_MAX];
  struct armdyn_left_out left[ARMDYN_JOINTS_MAX];
  unsigned everywhere = ~0u;
  double worst = 0;
  armdyn_torque_shares_tell(answer->shares, shares);
  json_begin_object(&w);
  json_member_integer(&w, "revision", answer->revision);
  carried_encode(&w, &answer->request->carried);
  json_member_integer(&w, "samples", (long long)answer->samples);
  if (!isnan(answer->cutoff_hz)) json_member_number(&w, "cutoff_hz", answer->cutoff_hz);
  json_key(&w, "joints"), json_begin_array(&w);
  for (size_t j = 0; j < answer->robot->joint_count; j++) {
    left[j] = armdyn_torque_shares_leave_out(answer->shares, j, answer->request->error_percent / 100);
    everywhere &= left[j].terms;
    encode_joint(&w, answer, j, &shares[j], left[j]);
  }
  json_end_array(&w);
  for (size_t j = 0; j < answer->robot->joint_count; j++)
    worst = fmax(worst, percent(armdyn_torque_shares_error(answer->shares, j, everywhere), shares[j].peak));
  encode_terms(&w, "left_out", everywhere);
  json_member_number(&w, "error_percent", worst);
  json_end_object(&w);
}
