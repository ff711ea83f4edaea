/* The equations of an arm as programs. */
#include "api/codec/code.h"
#include "server/app.h"
#include "server/data/stored_trajectory.h"
#include "server/routes/dynamics.h"
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

static void answer_programs(struct exchange *x, const struct robot_entry *entry, const struct armdyn_robot *robot,
                            const struct code_request *request)
{
  struct programs *p = calloc(1, sizeof *p);
  enum armdyn_status status = ARMDYN_EMEMORY;
  struct buffer body = BUFFER(LIMIT_ANSWER);
  if (p) {
    p->request = request;
    status = read_motion(x, robot, p);
    if (!status) status = make_programs(x, entry, robot, p);
    if (!status) status = code_encode(&body, request, p->codes, p->proofs, (long long)entry->revision);
    for (size_t k = 0; k < request->function_count; k++) armdyn_code_free(p->codes[k]);
    armdyn_trajectory_free(&p->motion);
  }
  free(p);
  if (status) {
    buffer_release(&body);
    answer_status(x, status, NULL);
    return;
  }
  exchange_set_header(x, "Armdyn-Robot-Revision", "%lld", (long long)entry->revision);
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
