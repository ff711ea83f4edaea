/* The equations of an arm as programs, and the proofs of those that were made. */
#include "api/codec/code.h"
#include "api/json/document.h"
#include "armdyn/armdyn.h"
#include "server/app.h"
#include "server/data/stored_trajectory.h"
#include "server/routes/dynamics.h"
#include "server/routes/listing.h"
#include "server/routes/robots.h"

enum { STATES = 10000, SEED = 1 };

struct programs {
  const struct code_request *request;
  struct armdyn_code *codes[ARMDYN_CODE_FUNCTIONS];
  struct armdyn_code_proof proofs[ARMDYN_CODE_FUNCTIONS];
  struct armdyn_trajectory motion; /* request->trajectory */
};

/* What does not agree with the kernels is not given out. */
static enum armdyn_status refuse_unproven(struct exchange *x, const struct programs *p, size_t k)
{
  const struct armdyn_code_proof *proof = &p->proofs[k];
  const char *function = armdyn_code_function_names[p->request->functions[k]];
  if (p->request->precision == CODE_FLOAT64 && p->request->parameters != ARMDYN_CODE_BASE) return ARMDYN_EINTERNAL;
  fault_add(exchange_faults(x), FAULT_AT_POINTER, p->request->precision == CODE_FLOAT32 ? "/precision" : "/parameters",
            FAULT_INCONSISTENT, "%s of this arm would be up to %.3g off, more than %.3g; %s", function,
            proof->largest_difference, proof->tolerance,
            p->request->precision == CODE_FLOAT32 ? "float64 is not" : "folded and symbols are not");
  return ARMDYN_EINPUT;
}

/* The motion along which an error_bound holds. */
static enum armdyn_status read_motion(struct exchange *x, const struct armdyn_robot *robot, struct programs *p)
{
  struct armdyn_error error;
  if (!*p->request->trajectory) return ARMDYN_OK;
  enum armdyn_status status =
      stored_trajectory_open(exchange_app(x)->store, p->request->trajectory, armdyn_robot_joint_count(robot),
                             "/trajectory", &p->motion, &error);
  if (status == ARMDYN_EINPUT)
    fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
  return status;
}

static enum armdyn_status make_programs(struct exchange *x, const struct robot_entry *entry,
                                        const struct armdyn_robot *robot, struct programs *p)
{
  char title[ARMDYN_CODE_NAME_SIZE];
  enum armdyn_status status = ARMDYN_OK;
  snprintf(title, sizeof title, "%s, revision %lld", armdyn_robot_description(robot)->name, (long long)entry->revision);
  for (size_t k = 0; k < p->request->function_count && !status; k++) {
    struct armdyn_code_request request;
    struct armdyn_error error = { "", "" };
    code_request_of(p->request, k, title, *p->request->trajectory ? &p->motion : NULL, &request);
    status = armdyn_code_new(robot, &request, &p->codes[k], &error);
    if (status == ARMDYN_EINPUT || status == ARMDYN_ELIMIT) {
      fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
      status = ARMDYN_EINPUT;
    }
    if (!status) status = armdyn_code_prove(p->codes[k], STATES, SEED, &p->proofs[k]);
    if (!status && !p->proofs[k].holds) status = refuse_unproven(x, p, k);
  }
  return status;
}

/* Keep what was found with the revision that it was found of. */
static enum armdyn_status keep_proof(struct exchange *x, const struct robot_entry *entry, const struct buffer *programs)
{
  struct store_code_proof proof = { .revision = entry->revision, .version = ARMDYN_VERSION };
  struct buffer request = BUFFER(LIMIT_MODEL_BODY), text = BUFFER(LIMIT_ANSWER);
  cJSON *document = NULL;
  size_t length;
  const char *body = exchange_body(x, &length);
  snprintf(proof.robot, sizeof proof.robot, "%s", armdyn_robot_description(entry->robot)->name);
  enum armdyn_status status = document_parse(body, length, NULL, &document);
  document_write(&(struct json_writer){ .out = &request }, document);
  buffer_append(&request, "", 1);
  buffer_append(&text, programs->data, programs->length);
  buffer_append(&text, "", 1);
  if (!status) status = request.failure ? request.failure : text.failure;
  proof.request = request.data, proof.programs = text.data;
  if (!status) status = store_code_proof_keep(exchange_app(x)->store, &proof);
  if (status == ARMDYN_ENOTFOUND) status = ARMDYN_OK; /* the robot was deleted meanwhile: nothing to keep it with */
  document_close(document);
  buffer_release(&request);
  buffer_release(&text);
  return status;
}

static void answer_programs(struct exchange *x, const struct robot_entry *entry, const struct armdyn_robot *robot,
                            const struct code_request *request)
{
  struct programs *p = calloc(1, sizeof *p);
  enum armdyn_status status = ARMDYN_EMEMORY;
  struct buffer body = BUFFER(LIMIT_ANSWER), programs = BUFFER(LIMIT_ANSWER);
  if (p) {
    p->request = request;
    status = read_motion(x, robot, p);
    if (!status) status = make_programs(x, entry, robot, p);
    if (!status) status = code_programs_encode(&programs, request, p->codes, p->proofs);
    if (!status) status = code_encode(&body, request, p->codes, &programs, (long long)entry->revision);
    if (!status) status = keep_proof(x, entry, &programs);
    for (size_t k = 0; k < request->function_count; k++) armdyn_code_free(p->codes[k]);
    armdyn_trajectory_free(&p->motion);
  }
  free(p);
  buffer_release(&programs);
  if (status) {
    buffer_release(&body);
    answer_status(x, status, NULL);
    return;
  }
  exchange_set_revision(x, entry->revision);
  answer_json(x, 200, &body);
}

enum outcome code_make(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!exchange_may_block(x)) return BLOCKS; /* proofs take some 10 ms */
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return outcome;

  struct code_request request;
  struct armdyn_robot_description *changed = NULL;
  struct armdyn_robot *own = NULL;
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status =
      code_request_decode(body, length, armdyn_robot_joint_count(entry->robot), &request, exchange_faults(x));
  if (!status) status = overrides_apply(&request.overrides, armdyn_robot_description(entry->robot), &changed);
  const struct armdyn_robot *robot = status ? NULL : robot_for_call(x, entry, changed, &own);
  if (status)
    answer_status(x, status, NULL);
  else if (robot)
    answer_programs(x, entry, robot, &request);
  armdyn_robot_free(own);
  free(changed);
  robots_release(exchange_app(x)->robots, entry);
  return ANSWERED;
}

/* -- the proofs that were kept -- */

static void visit(void *context, const struct store_code_proof *row)
{
  struct buffer item = BUFFER(LIMIT_ANSWER);
  struct json_writer w = { .out = &item };
  json_begin_object(&w);
  json_key(&w, "id"), json_write_text(&w, row->id);
  json_key(&w, "robot"), json_write_text(&w, row->robot);
  json_key(&w, "revision"), json_write_integer(&w, row->revision);
  json_key(&w, "created_at"), json_write_text(&w, row->created_at);
  json_key(&w, "version"), json_write_text(&w, row->version);
  json_key(&w, "request"), json_write_raw(&w, row->request);
  json_key(&w, "programs"), json_write_raw(&w, row->programs);
  json_end_object(&w);
  listing_item(context, &item);
  buffer_release(&item);
}

enum outcome code_proof_list(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "revision",
    .sorts = "created_at revision",
    .fields = "id robot revision created_at version request programs",
  };
  const struct robot_entry *entry;
  struct listing listing;
  enum outcome outcome;
  if (!robot_of_request(x, NULL, &entry, &outcome)) return outcome;
  robots_release(exchange_app(x)->robots, entry);
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing, store_code_proof_list(exchange_app(x)->store, exchange_segment(x, "robot"), &listing.query,
                                              visit, &listing));
  return ANSWERED;
}
