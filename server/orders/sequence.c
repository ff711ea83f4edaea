#include "server/orders/sequence.h"

#include <math.h>
#include <stdlib.h>

#include "api/json/document.h"
#include "server/app.h"
#include "server/jobs/jobs.h"
#include "server/robots/cache.h"

/* Of a stored sequence: {"start": [...], "key": of the move that is planned now, "moves": [{...}, ...]}. */
struct move {
  char trajectory[ID_SIZE], key[STORE_PLAN_KEY_SIZE]; /* key "": another order's plan served */
  double duration, end[ARMDYN_JOINTS_MAX];
  bool smoothed;
};
struct sequence {
  size_t joints, planned; /* moves */
  double start[ARMDYN_JOINTS_MAX];
  char key[STORE_PLAN_KEY_SIZE]; /* of the move at hand, once it is asked for; "" */
  struct move moves[LIMIT_STEPS];
  struct order_plan_step steps[LIMIT_STEPS]; /* for sequence_tell */
};

/* -- as it is stored -- */

static void read_move(const cJSON *item, struct move *move)
{
  document_copy_text(item, "trajectory", move->trajectory, sizeof move->trajectory);
  document_copy_text(item, "key", move->key, sizeof move->key);
  move->duration = document_number(item, "duration");
  document_numbers(item, "end", move->end, ARMDYN_JOINTS_MAX);
  move->smoothed = document_truth(item, "smoothed");
}

/* NULL: no memory. */
static struct sequence *open_sequence(const struct order *o)
{
  struct sequence *s = calloc(1, sizeof *s);
  cJSON *document = s ? document_open(o->row.sequence) : NULL;
  const cJSON *item;
  if (!s) return NULL;
  s->joints = document_numbers(document, "start", s->start, ARMDYN_JOINTS_MAX);
  document_copy_text(document, "key", s->key, sizeof s->key);
  cJSON_ArrayForEach (item, document_at(document, "moves"))
    if (s->planned < LIMIT_STEPS) read_move(item, &s->moves[s->planned++]);
  document_close(document);
  return s;
}

static void write_key(struct json_writer *w, const char *key)
{
  json_key(w, "key"), json_write_text(w, *key ? key : NULL);
}

/* Allocated; NULL: no memory. */
static char *write_sequence(const struct sequence *s)
{
  struct buffer text = BUFFER(KB(64));
  struct json_writer w = { .out = &text };
  size_t length;
  json_begin_object(&w);
  json_key(&w, "start"), json_write_numbers(&w, s->start, s->joints);
  write_key(&w, s->key);
  json_key(&w, "moves"), json_begin_array(&w);
  for (const struct move *m = s->moves; m < s->moves + s->planned; m++) {
    json_begin_object(&w);
    json_key(&w, "trajectory"), json_write_text(&w, m->trajectory);
    write_key(&w, m->key);
    json_key(&w, "duration"), json_write_number(&w, m->duration);
    json_key(&w, "end"), json_write_numbers(&w, m->end, s->joints);
    json_key(&w, "smoothed"), json_write_truth(&w, m->smoothed);
    json_end_object(&w);
  }
  json_end_array(&w);
  json_end_object(&w);
  char *out = buffer_take(&text, &length);
  buffer_release(&text);
  return out;
}

char *sequence_begin(const double *start, size_t joints)
{
  struct sequence *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->joints = joints;
  memcpy(s->start, start, joints * sizeof *start);
  char *text = write_sequence(s);
  free(s);
  return text;
}

/* -- which step is at hand -- */

/* The step at which so many moves are planned; step_count: all are. */
static size_t step_after(const struct order_request *request, size_t moves)
{
  for (size_t i = 0; i < request->step_count; i++)
    if (request->steps[i].to && !moves--) return i;
  return request->step_count;
}

static size_t step_at_hand(const struct order *o)
{
  cJSON *document = document_open(o->row.sequence);
  const int moves = cJSON_GetArraySize(document_at(document, "moves"));
  document_close(document);
  return step_after(&o->request, moves > 0 ? (size_t)moves : 0);
}

bool order_is_at_move(const struct order *o)
{
  return step_at_hand(o) < o->request.step_count;
}

void order_motion(const struct order *o, struct order_request *asked)
{
  const size_t step = step_at_hand(o);
  *asked = o->request;
  if (step < o->request.step_count)
    order_step_request(&o->request, step, asked);
  else if (o->request.step_count)
    asked->objective = ORDER_SMOOTH; /* nothing would take its place */
}

/* -- what is wrong with it -- */

/* A place of the trajectory that was asked for, as one of the order, or of this step of it. */
static void name_place(const struct order_request *request, size_t step, char *where, size_t size)
{
  char below[256], of_step[32] = "";
  order_pointer_of(where, below, sizeof below);
  if (step < request->step_count) snprintf(of_step, sizeof of_step, "/steps/%zu", step);
  snprintf(where, size, "%s%.200s", of_step, below);
}

void order_name_step(const struct order *o, struct refusal *why)
{
  const size_t step = step_at_hand(o);
  char detail[sizeof why->detail], where[64];
  if (step == o->request.step_count) return;
  snprintf(where, sizeof where, "/steps/%zu", step);
  for (size_t k = 0; k < why->faults->count && k < LIMIT_FAULTS; k++)
    name_place(&o->request, step, why->faults->items[k].where, sizeof why->faults->items[k].where);
  if (!*why->detail) return;
  if (!why->faults->count) fault_add(why->faults, FAULT_AT_POINTER, where, FAULT_INCONSISTENT, "%.255s", why->detail);
  snprintf(detail, sizeof detail, "%.63s: %.400s", where, why->detail);
  memcpy(why->detail, detail, sizeof detail);
}

static void name_errors(cJSON *problem, const struct order_request *request, size_t step)
{
  cJSON *error;
  cJSON_ArrayForEach (error, cJSON_GetObjectItemCaseSensitive(problem, "errors")) {
    char where[256] = "";
    document_copy_text(error, "pointer", where, sizeof where);
    name_place(request, step, where, sizeof where);
    cJSON_ReplaceItemInObjectCaseSensitive(error, "pointer", cJSON_CreateString(where));
  }
}

static void name_step_in_detail(cJSON *problem, size_t step)
{
  char detail[1024];
  const char *said = document_text(problem, "detail");
  snprintf(detail, sizeof detail, "/steps/%zu: %.900s", step, said ? said : "");
  cJSON_ReplaceItemInObjectCaseSensitive(problem, "detail", cJSON_CreateString(detail));
}

/* The order with the time that would do, in place of the trajectory with it. Without a time of the order's there is none. */
static void suggest_order(cJSON *problem, const struct order *o, size_t step)
{
  cJSON *trajectory = cJSON_DetachItemFromObjectCaseSensitive(problem, "suggested_request");
  cJSON *duration = cJSON_DetachItemFromObjectCaseSensitive(trajectory, "duration");
  cJSON *order = document_open(o->row.request), *move = order;
  if (step < o->request.step_count)
    move = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(order, "steps"), (int)step);
  const char *name = isnan(document_number(move, "duration")) ? "cycle_time_max" : "duration";
  if (cJSON_IsNumber(duration) && !isnan(document_number(move, name)) &&
      cJSON_ReplaceItemInObjectCaseSensitive(move, name, duration)) {
    duration = NULL;
    if (cJSON_AddItemToObject(problem, "suggested_request", order)) order = NULL;
  }
  cJSON_Delete(duration);
  cJSON_Delete(order);
  cJSON_Delete(trajectory);
}

char *order_problem_of_plan(const struct order *o, const char *text)
{
  const size_t step = step_at_hand(o);
  cJSON *problem = document_open(text);
  struct buffer out = BUFFER(MB(1));
  size_t length;
  if (!problem) return strdup(text);
  if (step < o->request.step_count) name_step_in_detail(problem, step);
  name_errors(problem, &o->request, step);
  suggest_order(problem, o, step);
  document_write(&(struct json_writer){ .out = &out }, problem);
  document_close(problem);
  char *told = buffer_take(&out, &length);
  buffer_release(&out);
  return told;
}

/* -- a move is planned -- */

void order_keep_move(struct queue *q, struct order *o, const char *trajectory, const struct order_plan *plan)
{
  struct sequence *s = open_sequence(o);
  struct store_order changed = o->row;
  char reason[ORDER_MESSAGE], *kept = NULL;
  if (s && s->planned < LIMIT_STEPS && plan->joints == s->joints) {
    struct move *move = &s->moves[s->planned++];
    snprintf(move->trajectory, sizeof move->trajectory, "%s", trajectory);
    memcpy(move->key, s->key, sizeof move->key);
    move->duration = plan->duration;
    memcpy(move->end, plan->end, s->joints * sizeof *move->end);
    move->smoothed = plan->smoothed;
    snprintf(reason, sizeof reason, "/steps/%zu is planned%s", step_at_hand(o),
             *s->key ? "" : ": a former plan serves again");
    s->key[0] = '\0';
    kept = changed.sequence = write_sequence(s);
  }
  free(s);
  changed.job[0] = '\0';
  enum armdyn_status status = kept ? order_enter(q, o, &changed, ORDER_PLANNING, reason, NULL, NULL) : ARMDYN_EMEMORY;
  if (!status) return;
  free(kept);
  order_wait(o, "that a step is planned was not stored: %s", armdyn_status_text(status));
}

struct sequence *order_sequence(const struct order *o)
{
  return open_sequence(o);
}

void sequence_tell(const struct order *o, struct sequence *s, struct order_plan *plan)
{
  const double *stands = s->start;
  double begin = 0;
  size_t move = 0;
  plan->smoothed = false;
  for (size_t i = 0; i < o->request.step_count; i++) {
    const struct order_step *asked = &o->request.steps[i];
    struct order_plan_step *step = &s->steps[i];
    *step = (struct order_plan_step){ .end = stands, .begins_at = begin, .duration = asked->dwell };
    if (*asked->output.name) step->output = &asked->output;
    if (asked->to) {
      const struct move *m = &s->moves[move++];
      step->trajectory = m->trajectory;
      step->end = stands = m->end;
      step->duration = m->duration;
      plan->smoothed = plan->smoothed || m->smoothed;
    }
    begin += step->duration;
  }
  plan->steps = s->steps;
  plan->step_count = o->request.step_count;
}

/* -- asking for the next one -- */

/* A stored plan that serves, or a job. */
struct next {
  struct sequence *sequence;
  char trajectory[ID_SIZE]; /* "": the job computes it */
  struct store_job job;
};

static bool ask_for_whole(struct queue *q, const struct order *o, const struct order_binding *bound, struct next *next,
                          struct refusal *why)
{
  const char *ids[LIMIT_STEPS];
  struct buffer plain = BUFFER(LIMIT_MODEL_BODY);
  for (size_t k = 0; k < next->sequence->planned; k++) ids[k] = next->sequence->moves[k].trajectory;
  order_sequence_encode(&o->request, ids, &bound->cell, &plain);
  const bool good = order_submit(q, o, bound->entry, &plain, &next->job, why);
  buffer_release(&plain);
  return good;
}

static bool ask_for_move(struct queue *q, const struct order *o, const struct order_binding *bound, struct next *next,
                         struct refusal *why)
{
  struct sequence *s = next->sequence;
  struct order_request asked;
  struct buffer plain = BUFFER(LIMIT_MODEL_BODY);
  double start[ARMDYN_JOINTS_MAX];
  memcpy(start, s->planned ? s->moves[s->planned - 1].end : s->start, sizeof start);
  order_round_to_limits(armdyn_robot_description(bound->entry->robot), start);
  order_motion(o, &asked);
  enum armdyn_status status = order_plan_key(q, &asked, bound, start, s->key);
  if (!status) status = store_move_planned(q->app->store, s->key, next->trajectory);
  if (status != ARMDYN_ENOTFOUND) return status ? refusal_status(why, status) : true;
  order_trajectory_encode(&asked, start, s->joints, &bound->cell, &plain);
  const bool good = order_submit(q, o, bound->entry, &plain, &next->job, why);
  buffer_release(&plain);
  return good;
}

static bool ask(struct queue *q, const struct order *o, struct next *next, struct refusal *why)
{
  struct order_binding bound;
  next->sequence = open_sequence(o);
  if (!next->sequence) return refusal_status(why, ARMDYN_EMEMORY);
  bool good = order_bind(q, &bound, why);
  if (good && armdyn_robot_joint_count(bound.entry->robot) != next->sequence->joints)
    good = refusal_say(why, PROBLEM_CONFLICT, "the robot has other joints now than when it was begun to be planned");
  good = good && (order_is_at_move(o) ? ask_for_move : ask_for_whole)(q, o, &bound, next, why);
  order_unbind(q, &bound);
  return good;
}

/* Under the lock: its job is at work. */
static void await_job(struct queue *q, struct order *o, const struct next *next)
{
  struct store_order changed = o->row;
  char reason[ORDER_MESSAGE];
  const size_t step = step_at_hand(o);
  memcpy(changed.job, next->job.id, sizeof changed.job);
  char *kept = changed.sequence = write_sequence(next->sequence);
  if (step < o->request.step_count)
    snprintf(reason, sizeof reason, "job %s plans /steps/%zu", next->job.id, step);
  else
    snprintf(reason, sizeof reason, "job %s joins the steps", next->job.id);
  enum armdyn_status status = kept ? order_enter(q, o, &changed, ORDER_PLANNING, reason, NULL, NULL) : ARMDYN_EMEMORY;
  if (!status) return;
  free(kept);
  order_wait(o, "that a step is planned was not stored: %s", armdyn_status_text(status));
}

/* Under the lock: may it be asked for? */
static bool may_ask(const struct queue *q, struct order *o)
{
  if (o->row.state != ORDER_PLANNING || o->cancelled) return false;
  if (!queue_blocked(q)) return true;
  snprintf(o->message, sizeof o->message, "the queue is blocked: its next step is not planned before that is released");
  return false;
}

void order_plan_step(struct queue *q, struct order *o)
{
  struct refusal why = { .faults = calloc(1, sizeof *why.faults) };
  struct next next = { .sequence = NULL };
  pthread_mutex_lock(&q->lock);
  const bool goes = why.faults && may_ask(q, o);
  o->busy = goes;
  pthread_mutex_unlock(&q->lock);
  const bool good = goes && ask(q, o, &next, &why);
  pthread_mutex_lock(&q->lock);
  o->busy = false;
  if (o->cancelled) {
    order_end_cancelled(q, o);
  } else if (good && *next.job.id) {
    await_job(q, o, &next);
  } else if (goes && !good) {
    order_name_step(o, &why);
    order_refuse_or_wait(q, o, &why);
  }
  const bool in_vain = *next.job.id && strcmp(o->row.job, next.job.id) != 0, serves = good && *next.trajectory;
  pthread_mutex_unlock(&q->lock);
  if (in_vain) (void)jobs_cancel(q->app->jobs, next.job.id);
  if (serves) order_take_trajectory(q, o, next.trajectory);
  free(next.sequence);
  free(why.faults);
}
