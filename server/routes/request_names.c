#include "server/routes/request_names.h"

#include "api/codec/carried.h"
#include "server/app.h"
#include "server/data/stored_part.h"
#include "server/gateway/gateway.h"
#include "server/routes/cells.h"
#include "server/routes/motion.h"
#include "server/transfers/standing.h"
#include "server/work/kinds.h"

enum { DOCUMENT_MOST = LIMIT_MODEL_BODY + KB(64) };

static void put_in(cJSON *object, const char *name, cJSON *value)
{
  cJSON_DeleteItemFromObjectCaseSensitive(object, name);
  if (value && !cJSON_AddItemToObject(object, name, value)) cJSON_Delete(value);
}

static bool says(const cJSON *object, const char *name)
{
  const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
  return member && !cJSON_IsNull(member);
}

/* -- what a motion was planned with -- */

/* {"part": "A7", "payload": .., "tool": .., "gravity": ..} as a request has it. */
static void take_over(cJSON *request, const cJSON *conditions)
{
  static const char *const members[] = { "payload", "tool", "gravity" };
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(conditions, "part");
  cJSON *part = name ? cJSON_CreateObject() : NULL;
  if (part) {
    put_in(part, "name", cJSON_Duplicate(name, true));
    put_in(request, "part", part);
  }
  for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(conditions, members[k]);
    if (member) put_in(part && k == 0 ? part : request, members[k], cJSON_Duplicate(member, true));
  }
}

static enum armdyn_status put_in_conditions(struct store *store, cJSON *request, bool *changed)
{
  const char *id = document_text(request, "trajectory");
  struct store_result motion = { .version = 0 };
  if (!id || !json_id_pattern.matches(id) || says(request, "part") || says(request, "payload") ||
      says(request, "tool") || says(request, "gravity"))
    return ARMDYN_OK;
  enum armdyn_status status = motion_get(store, id, &motion);
  cJSON *document = status ? NULL : document_open(motion.document);
  const cJSON *conditions = document_at(document, "conditions");
  if (conditions) take_over(request, conditions);
  *changed = *changed || conditions;
  document_close(document);
  store_result_release(&motion);
  return status == ARMDYN_ENOTFOUND ? ARMDYN_OK : status;
}

/* A member of numbers: parsed, for a tree of numbers keeps their text. `text` is released. */
static enum armdyn_status put_in_numbers(cJSON *object, const char *name, struct buffer *text)
{
  cJSON *numbers = NULL;
  enum armdyn_status status = text->failure ? text->failure : document_parse(text->data, text->length, NULL, &numbers);
  buffer_release(text);
  if (!status) put_in(object, name, numbers);
  return status;
}

/* -- where an arm stands -- */

static bool refuse_start(struct exchange *x, const char *detail, const char *name)
{
  fault_add(exchange_faults(x), FAULT_AT_POINTER, "/start/controller", FAULT_INCONSISTENT, detail, name);
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

static bool put_in_start(struct exchange *x, const char *robot, cJSON *request, bool *changed)
{
  cJSON *start = cJSON_GetObjectItemCaseSensitive(request, "start");
  const char *name = document_text(request, "start/controller");
  struct store_controller row = { .version = 0 };
  struct controller_description controller;
  struct standing standing;
  if (!name || !json_name_pattern.matches(name)) return true;
  enum armdyn_status status = store_controller_get(exchange_app(x)->store, name, &row);
  const bool other = !status && strcmp(row.robot, robot) != 0;
  store_controller_release(&row);
  if (status == ARMDYN_ENOTFOUND) return refuse_start(x, "there is no controller '%s'", name);
  if (other) return refuse_start(x, "controller '%s' moves another robot", name);
  if (!controller_of_request(x, name, &controller, NULL)) return false;
  struct refusal why = { .faults = exchange_faults(x) };
  if (!standing_measure(exchange_app(x), &controller, &standing, &why)) {
    answer_refusal(x, &why);
    return false;
  }
  struct buffer text = BUFFER(KB(4));
  struct json_writer w = { .out = &text };
  json_write_numbers(&w, standing.q, standing.joints);
  status = put_in_numbers(start, "q", &text);
  *changed = true;
  if (status) answer_status(x, status, NULL);
  return !status;
}

/* -- in which cell -- */

static bool put_in_cell(struct exchange *x, cJSON *request, bool *changed)
{
  const char *name = document_text(request, "cell");
  const double asked = says(request, "cell_revision") ? document_number(request, "cell_revision") : 0;
  struct store_cell row = { .version = 0 };
  if (!name || !json_name_pattern.matches(name) || !(asked >= 0 && asked <= 9e15)) return true;
  enum armdyn_status status = store_cell_get(exchange_app(x)->store, name, (int64_t)asked, &row);
  if (status == ARMDYN_ENOTFOUND) {
    cell_fault_add(x, name, (int64_t)asked);
    answer_problem(x, PROBLEM_INVALID, NULL);
    return false;
  }
  struct buffer text = BUFFER(64);
  struct json_writer w = { .out = &text };
  if (!status) json_write_integer(&w, (long long)row.version);
  if (!status) status = put_in_numbers(request, "cell_revision", &text);
  store_cell_release(&row);
  *changed = true;
  if (status) answer_status(x, status, NULL);
  return !status;
}

/* -- all of it -- */

/* May something be named? A long body is one of samples. */
static bool names_something(const char *body, size_t length)
{
  static const char *const members[] = { "\"part\"", "\"controller\"", "\"trajectory\"", "\"cell\"" };
  if (length > LIMIT_MODEL_BODY) return false;
  for (size_t k = 0; k < sizeof members / sizeof *members; k++)
    if (memmem(body, length, members[k], strlen(members[k]))) return true;
  return false;
}

bool request_names_put_in(struct exchange *x, const char *robot, bool in_cell, const char *body, size_t length,
                          struct buffer *out)
{
  struct store *store = exchange_app(x)->store;
  struct json_writer w = { .out = out };
  cJSON *request = NULL;
  bool changed = false, answered = false;
  if (!names_something(body, length) || document_parse(body, length, NULL, &request)) return true; /* decoding tells */
  enum armdyn_status status = stored_part_put_in(store, robot, request, &changed);
  if (!status) status = put_in_conditions(store, request, &changed);
  if (!status) answered = !put_in_start(x, robot, request, &changed);
  if (!status && !answered && in_cell) answered = !put_in_cell(x, request, &changed);
  if (!status && !answered && changed) {
    document_write(&w, request);
    status = out->failure;
  }
  document_close(request);
  if (status) answer_status(x, status, NULL);
  return !status && !answered;
}
