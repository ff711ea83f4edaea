#include "server/routes/request_names.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "api/codec/carried.h"
#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/routes/motion.h"
#include "server/transfers/controller_view.h"
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

/* -- parts -- */

static enum armdyn_status put_in_part(struct store *store, const char *robot, cJSON *request, bool *changed)
{
  const char *name = document_text(request, "part");
  struct store_part row = { .version = 0 };
  cJSON *part = NULL;
  if (!name || !part_name_pattern.matches(name)) return ARMDYN_OK;
  enum armdyn_status status = store_part_get(store, robot, name, &row);
  if (!status) status = document_parse(row.document, strlen(row.document), NULL, &part);
  store_part_release(&row);
  if (status) return status == ARMDYN_ENOTFOUND ? ARMDYN_OK : status;
  put_in(request, "part", part);
  *changed = true;
  return ARMDYN_OK;
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

/* -- where an arm stands -- */

/* Somebody waits for a look at a controller; whoever is done with it last frees it. */
struct look {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool answered, abandoned;
  enum armdyn_status status;
  char text[256];
  struct observation seen;
};

static void look_free(struct look *look)
{
  pthread_cond_destroy(&look->changed);
  pthread_mutex_destroy(&look->lock);
  free(look);
}

static void take_look(void *context, enum armdyn_status status, const char *text, const struct observation *seen)
{
  struct look *look = context;
  pthread_mutex_lock(&look->lock);
  look->answered = true;
  look->status = status;
  look->seen = *seen;
  snprintf(look->text, sizeof look->text, "%s", text ? text : "");
  const bool abandoned = look->abandoned;
  pthread_cond_signal(&look->changed);
  pthread_mutex_unlock(&look->lock);
  if (abandoned) look_free(look);
}

/* What is seen of it now. false: nobody answered in time. */
static bool look_at(struct gateway *gateway, const char *controller, struct observation *seen, char text[256],
                    enum armdyn_status *status)
{
  enum { PATIENCE_S = 5 };
  struct timespec until;
  struct look *look = calloc(1, sizeof *look);
  *status = look ? ARMDYN_EUNAVAILABLE : ARMDYN_EMEMORY;
  if (!look) return false;
  pthread_mutex_init(&look->lock, NULL);
  pthread_cond_init(&look->changed, NULL);
  gateway_wish(gateway, controller, "", WISH_MEASURE, 0, take_look, look);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE_S;
  pthread_mutex_lock(&look->lock);
  while (!look->answered && !pthread_cond_timedwait(&look->changed, &look->lock, &until)) continue;
  const bool answered = look->answered;
  look->abandoned = !answered;
  if (answered) {
    *status = look->status;
    *seen = look->seen;
    memcpy(text, look->text, sizeof look->text);
  }
  pthread_mutex_unlock(&look->lock);
  if (answered) look_free(look);
  return answered;
}

static bool refuse_start(struct exchange *x, const char *detail, const char *name)
{
  fault_add(exchange_faults(x), FAULT_AT_POINTER, "/start/controller", FAULT_INCONSISTENT, detail, name);
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

/* Where the arm stands, in joint order. false: answered. */
static bool measure(struct exchange *x, const struct controller_description *controller, double *q, size_t *joints)
{
  struct app *app = exchange_app(x);
  struct observation seen = { 0 };
  char why[256] = "no answer in time";
  struct controller_view *view = calloc(1, sizeof *view);
  enum armdyn_status status = view ? controller_view_make(app, controller, view, exchange_faults(x)) : ARMDYN_EMEMORY;
  if (status) {
    answer_status(x, status, NULL);
    free(view);
    return false;
  }
  const bool heard = look_at(app->gateway, controller->name, &seen, why, &status);
  const bool known = heard && !status && controller_view_position(view, &seen, q);
  *joints = view->map.count;
  free(view);
  if (!known)
    answer_problem(x, PROBLEM_CONTROLLER_UNREACHABLE, "where the arm of controller '%s' stands is not known: %s",
                   controller->name, *why ? why : "it does not tell");
  else if (seen.state.phase == PHASE_PLAYING || seen.state.phase == PHASE_HOLDING)
    answer_problem(x, PROBLEM_CONFLICT, "the arm of controller '%s' is on its way: a motion starts where it stands",
                   controller->name);
  else
    return true;
  return false;
}

static bool put_in_start(struct exchange *x, const char *robot, cJSON *request, bool *changed)
{
  cJSON *start = cJSON_GetObjectItemCaseSensitive(request, "start");
  const char *name = document_text(request, "start/controller");
  struct store_controller row = { .version = 0 };
  struct controller_description controller;
  double q[ARMDYN_JOINTS_MAX];
  size_t joints;
  if (!name || !json_name_pattern.matches(name)) return true;
  enum armdyn_status status = store_controller_get(exchange_app(x)->store, name, &row);
  const bool other = !status && strcmp(row.robot, robot) != 0;
  store_controller_release(&row);
  if (status == ARMDYN_ENOTFOUND) return refuse_start(x, "there is no controller '%s'", name);
  if (other) return refuse_start(x, "controller '%s' moves another robot", name);
  if (!controller_of_request(x, name, &controller, NULL) || !measure(x, &controller, q, &joints)) return false;
  struct buffer text = BUFFER(KB(4));
  struct json_writer w = { .out = &text };
  cJSON *numbers = NULL; /* parsed, for a tree of numbers keeps their text */
  json_write_numbers(&w, q, joints);
  status = text.failure ? text.failure : document_parse(text.data, text.length, NULL, &numbers);
  buffer_release(&text);
  if (status) {
    answer_status(x, status, NULL);
    return false;
  }
  put_in(start, "q", numbers);
  *changed = true;
  return true;
}

/* -- all of it -- */

/* May something be named? A long body is one of samples. */
static bool names_something(const char *body, size_t length)
{
  static const char *const members[] = { "\"part\"", "\"controller\"", "\"trajectory\"" };
  if (length > LIMIT_MODEL_BODY) return false;
  for (size_t k = 0; k < sizeof members / sizeof *members; k++)
    if (memmem(body, length, members[k], strlen(members[k]))) return true;
  return false;
}

bool request_names_put_in(struct exchange *x, const char *robot, const char *body, size_t length, struct buffer *out)
{
  struct store *store = exchange_app(x)->store;
  struct json_writer w = { .out = out };
  cJSON *request = NULL;
  bool changed = false, answered = false;
  if (!names_something(body, length) || document_parse(body, length, NULL, &request)) return true; /* decoding tells */
  enum armdyn_status status = put_in_part(store, robot, request, &changed);
  if (!status) status = put_in_conditions(store, request, &changed);
  if (!status) answered = !put_in_start(x, robot, request, &changed);
  if (!status && !answered && changed) {
    document_write(&w, request);
    status = out->failure;
  }
  document_close(request);
  if (status) answer_status(x, status, NULL);
  return !status && !answered;
}
