/* From a planned order to a transfer at its controller: the one moment at which something of it is sent. */
#include <math.h>
#include <stdlib.h>

#include "api/json/document.h"
#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/orders/internal.h"
#include "server/transfers/held_part.h"
#include "server/transfers/prepare.h"
#include "server/transfers/standing.h"

/* -- may it be loaded? -- */

/* Under the lock. What keeps it waiting is said in its message. */
static bool loadable(struct queue *q, struct order *o)
{
  char holder[ID_SIZE];
  const struct order *first = q->first;
  while (first && order_state_final(first->row.state)) first = first->next;
  if (o->row.state != ORDER_QUEUED || *o->row.transfer) return false;
  if (o->cancelled) {
    order_end_cancelled(q, o);
  } else if (first != o) {
    snprintf(o->message, sizeof o->message, "order %s is at the controller", first ? first->row.id : "");
  } else if (queue_blocked(q)) {
    snprintf(o->message, sizeof o->message, "the queue is blocked: it is not loaded before that is released");
  } else if (gateway_draining(q->app->gateway)) {
    order_wait(o, "no transfers are taken now: the service is drained");
  } else if (gateway_lease(q->app->gateway, q->controller, holder)) {
    order_wait(o, "transfer %s holds the controller", holder);
  } else {
    return true;
  }
  return false;
}

/* Was the controller started anew since the last look at it? Then what it was told before is gone. */
static bool same_controller(struct queue *q, const struct observation *seen)
{
  pthread_mutex_lock(&q->lock);
  const bool same = !q->instance_known || q->instance == seen->state.instance;
  q->instance = seen->state.instance;
  q->instance_known = true;
  if (!same) queue_block(q, "the controller was started anew");
  pthread_mutex_unlock(&q->lock);
  return same;
}

/* Does the arm stand where the motion begins? */
static bool stands_there(const struct order *o, const struct standing *standing, double tolerance, struct refusal *why)
{
  if (standing->joints != o->joints)
    return refusal_say(why, PROBLEM_CONFLICT, "it was planned for %zu joints, the arm has %zu", o->joints,
                       standing->joints);
  for (size_t j = 0; j < o->joints; j++) {
    const double off = standing->q[j] - o->start[j];
    if (fabs(off) <= tolerance) continue;
    return refusal_say(
        why, PROBLEM_CONFLICT,
        "joint %zu stands at %.5g and the motion begins at %.5g, farther than start_tolerance, %.3g: the "
        "arm is not where the order before was planned to end, or was moved since. Nothing is planned "
        "anew by itself: look at the arm, release the queue, and order again",
        j + 1, standing->q[j], o->start[j], tolerance);
  }
  return true;
}

/* -- loading it -- */

/* What is to be set in which of its rests, for the transfer. */
static void write_outputs(const struct order *o, struct json_writer *w)
{
  cJSON *plan = document_open(o->row.plan);
  const cJSON *steps = document_at(plan, "steps");
  json_key(w, "outputs"), json_begin_array(w);
  for (size_t i = 0; i < o->request.step_count; i++) {
    const struct order_step *step = &o->request.steps[i];
    if (!*step->output.name) continue;
    json_begin_object(w);
    json_key(w, "name"), json_write_text(w, step->output.name);
    json_key(w, "value"), json_write_text(w, step->output.value);
    json_key(w, "begins_at"), json_write_number(w, document_number(cJSON_GetArrayItem(steps, (int)i), "begins_at"));
    json_key(w, "dwell"), json_write_number(w, step->dwell);
    json_end_object(w);
  }
  json_end_array(w);
  document_close(plan);
}

struct prepared_transfer *order_prepared(struct queue *q, const struct order *o, const char *trajectory,
                                         struct refusal *why)
{
  struct prepared_transfer *p = calloc(1, sizeof *p);
  struct buffer text = BUFFER(LIMIT_MODEL_BODY);
  struct json_writer w = { .out = &text };
  json_begin_object(&w);
  json_key(&w, "trajectory"), json_write_text(&w, trajectory);
  json_key(&w, "tags"), json_write_raw(&w, o->row.tags);
  if (o->row.plan) write_outputs(o, &w);
  result_order_encode(&w, o->request.job_order_id, o->request.work_master_id, o->request.equipment_id);
  json_end_object(&w);
  enum armdyn_status status = p ? text.failure : ARMDYN_EMEMORY;
  if (!status) status = transfer_request_decode(text.data, text.length, &p->request, why->faults);
  buffer_release(&text);
  if (!status) {
    p->app = q->app;
    p->acknowledges_nothing = true;
    p->why.faults = why->faults;
    return p;
  }
  free(p);
  refusal_status(why, status);
  return NULL;
}

/* Every check that comes before anything is sent. *later: nothing is wrong, but not now. */
static bool prepare(struct queue *q, const struct order *o, struct prepared_transfer *p, bool *later,
                    struct refusal *why)
{
  struct standing standing;
  if (!order_controller(q, &p->controller, NULL, why) || !standing_measure(q->app, &p->controller, &standing, why) ||
      !stands_there(o, &standing, p->controller.profile.start_tolerance, why))
    return false;
  *later = !same_controller(q, &standing.seen);
  if (*later) return false;
  if (transfer_prepare(p)) return true;
  *why = p->why;
  return false;
}

/* The transfer's row, as the gateway keeps it. */
static bool fill_transfer(const struct order *o, const struct prepared_transfer *p, const char *id,
                          struct store_transfer *t)
{
  struct buffer request = BUFFER(LIMIT_MODEL_BODY), tags = BUFFER(LIMIT_MODEL_BODY);
  size_t length;
  *t = (struct store_transfer){ .state = TRANSFER_QUEUED };
  memcpy(t->id, id, sizeof t->id);
  memcpy(t->controller, p->controller.name, sizeof t->controller);
  memcpy(t->trajectory, p->trajectory.id, sizeof t->trajectory);
  memcpy(t->traceparent, o->row.traceparent, sizeof t->traceparent);
  memcpy(t->created_by_name, o->row.created_by_name, sizeof t->created_by_name);
  memcpy(t->reason, o->row.reason, sizeof t->reason);
  memcpy(t->job_order_id, p->request.job_order_id, sizeof t->job_order_id);
  memcpy(t->work_master_id, p->request.work_master_id, sizeof t->work_master_id);
  memcpy(t->equipment_id, p->request.equipment_id, sizeof t->equipment_id);
  transfer_request_encode(&p->request, &request);
  transfer_tags_encode(&p->request, &tags);
  t->request = buffer_take(&request, &length);
  t->tags = buffer_take(&tags, &length);
  buffer_release(&request);
  buffer_release(&tags);
  return t->request && t->tags;
}

/* The order keeps the id of its one transfer before anybody hears of that: whatever happens from here on, no other is made. */
static bool enter_loading(struct queue *q, struct order *o, const char *transfer)
{
  queue_notice(q);
  pthread_mutex_lock(&q->lock);
  bool good = loadable(q, o);
  if (good) {
    struct store_order changed = o->row;
    memcpy(changed.transfer, transfer, sizeof changed.transfer);
    enum armdyn_status status = order_enter(q, o, &changed, ORDER_LOADING, "", NULL, NULL);
    if (status) order_wait(o, "that it is loaded was not stored: %s", armdyn_status_text(status));
    good = !status;
  }
  pthread_mutex_unlock(&q->lock);
  return good;
}

/* Hand it over. false: `why`; nothing was sent, and nothing will be. */
static bool submit(struct queue *q, struct prepared_transfer *p, struct store_transfer *transfer, struct refusal *why)
{
  char holder[ID_SIZE] = "";
  enum armdyn_status status = ARMDYN_OK;
  prepared_transfer_name(p, transfer->id);
  held_part_lock();
  const bool stayed = held_part_stayed(p);
  if (stayed) {
    status = gateway_submit(q->app->gateway, transfer, NULL, p->order, holder);
    p->order = NULL;
  }
  held_part_unlock();
  if (!stayed)
    *why = p->why;
  else if (*holder)
    refusal_say(why, PROBLEM_LEASE_HELD, "transfer %s took controller '%s' just now", holder, q->controller);
  else if (status)
    refusal_status(why, status);
  return stayed && !status;
}

static void load(struct queue *q, struct order *o, struct prepared_transfer *p, struct refusal *why)
{
  struct store_transfer transfer;
  char id[ID_SIZE];
  id_make(id);
  if (!fill_transfer(o, p, id, &transfer)) {
    store_transfer_release(&transfer);
    return;
  }
  if (enter_loading(q, o, id) && !submit(q, p, &transfer, why)) {
    pthread_mutex_lock(&q->lock);
    order_refuse(q, o, why);
    pthread_mutex_unlock(&q->lock);
  }
  store_transfer_release(&transfer);
}

void order_load(struct queue *q, struct order *o)
{
  struct refusal why = { .faults = calloc(1, sizeof *why.faults) };
  bool later = false;
  pthread_mutex_lock(&q->lock);
  const bool goes = why.faults && loadable(q, o);
  o->busy = goes;
  pthread_mutex_unlock(&q->lock);
  struct prepared_transfer *p = goes ? order_prepared(q, o, o->row.trajectory, &why) : NULL;
  const bool prepared = p && prepare(q, o, p, &later, &why);
  pthread_mutex_lock(&q->lock);
  o->busy = false; /* from here on, who cancels it does so at once, or finds it loading */
  if (goes && !prepared && !later && !o->cancelled) order_refuse_or_wait(q, o, &why);
  order_end_cancelled(q, o);
  pthread_mutex_unlock(&q->lock);
  if (prepared) load(q, o, p, &why);
  if (p) prepared_transfer_free(p);
  free(why.faults);
}
