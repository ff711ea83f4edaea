#include "server/base/log.h"
#include "server/gateway/gateway.h"
#include "server/gateway/gateway_internal.h"
#include "server/gateway/journal.h"

void gateway_keep(struct gateway *g, const char *id, bool again)
{
  struct store_transfer row;
  pthread_mutex_lock(&g->lock);
  enum armdyn_status rc = registry_copy(&g->registry, id, &row);
  pthread_mutex_unlock(&g->lock);
  if (rc) return; /* it is not there; or memory is short, and gateway_keep_unstored() comes back to it */
  rc = store_transfer_update(g->store, &row);
  bool kept = !rc || rc == ARMDYN_ECONFLICT || rc == ARMDYN_ENOTFOUND; /* has an end already; is not there any more */
  if (rc && !again)
    log_event(LOG_ERROR, "a transfer's state was not stored", "transfer", id, "reason", armdyn_status_text(rc), NULL);
  if (kept && transfer_state_final(row.state)) {
    pthread_mutex_lock(&g->lock);
    registry_remove(&g->registry, id);
    pthread_mutex_unlock(&g->lock);
    journal_remove(g->dir, id);
    char trace[TRACE_ID_SIZE];
    trace_id(row.traceparent, trace);
    log_event(LOG_INFO, "transfer ended", "transfer", id, "state", transfer_state_name(row.state), "controller",
              row.controller, "trace", *trace ? trace : NULL, NULL);
  }
  store_transfer_release(&row);
}

void gateway_keep_unstored(struct gateway *g)
{
  char id[ID_SIZE];
  for (size_t i = 0;; i++) {
    pthread_mutex_lock(&g->lock);
    bool found = registry_unstored(&g->registry, i, id);
    pthread_mutex_unlock(&g->lock);
    if (!found) return;
    gateway_keep(g, id, true); /* when that takes it out, one is left to the next time */
  }
}

/* "start": true, and the controller is armed: claim the one START, durably, and only then ask for it. */
static void start_by_itself(struct gateway *g, const char *id)
{
  char controller[ARMDYN_NAME_SIZE];
  int64_t start_before_ms;
  pthread_mutex_lock(&g->lock);
  bool wanted = registry_take_start(&g->registry, id, controller, &start_before_ms);
  pthread_mutex_unlock(&g->lock);
  if (!wanted) return;
  enum armdyn_status rc = store_transfer_claim_start(g->store, id);
  if (rc)
    log_event(LOG_ERROR, "START is not sent", "transfer", id, "reason", armdyn_status_text(rc), NULL);
  else
    gateway_command(g, controller, id, ASK_START, start_before_ms, NULL, NULL);
}

void gateway_take_report(struct gateway *g, const struct message_report *message)
{
  pthread_mutex_lock(&g->lock);
  bool known = registry_report(&g->registry, message->transfer, message->at_ms, &message->report);
  pthread_mutex_unlock(&g->lock);
  if (!known) return;
  announce_change(&g->changes, message->transfer);
  gateway_keep(g, message->transfer, false);
  if (message->report.state == TRANSFER_ARMED) start_by_itself(g, message->transfer);
}

void gateway_end_recording(struct gateway *g, const char *id, bool gateway_lost)
{
  struct telemetry_origin origin;
  pthread_mutex_lock(&g->lock);
  bool known = registry_origin(&g->registry, id, &origin);
  pthread_mutex_unlock(&g->lock);
  if (!known) return;
  recorder_end(&g->recorder, id, &origin);
  if (g->tap.ended) g->tap.ended(g->tap.context, id, &origin, gateway_lost);
}

static void tell_tap(struct gateway *g, const struct message_telemetry *message)
{
  struct telemetry_origin origin;
  if (!g->tap.rows) return;
  pthread_mutex_lock(&g->lock);
  const bool known = registry_origin(&g->registry, message->transfer, &origin);
  pthread_mutex_unlock(&g->lock);
  if (known) g->tap.rows(g->tap.context, message->transfer, &origin, &message->block);
}

static bool take_telemetry(struct gateway *g, const struct frame *frame)
{
  struct message_telemetry message;
  const size_t head = offsetof(struct message_telemetry, block.rows);
  if (frame->length < head || frame->length > sizeof message) return false;
  memcpy(&message, frame->data, frame->length);
  if (message.block.count > TELEMETRY_ROWS || frame->length != message_telemetry_size(&message)) return false;
  if (message.block.joints < 1 || message.block.joints > LIMIT_AXES) return false;
  recorder_take(&g->recorder, &message);
  tell_tap(g, &message);
  return true;
}

void gateway_take_frame(struct gateway *g, const struct frame *frame)
{
  if (frame->type == GATEWAY_REPORT && frame->length == sizeof(struct message_report)) {
    struct message_report message;
    memcpy(&message, frame->data, sizeof message);
    if (transfer_state_final(message.report.state)) gateway_end_recording(g, message.transfer, false);
    gateway_take_report(g, &message);
  } else if (frame->type == GATEWAY_TELEMETRY && take_telemetry(g, frame)) {
    return;
  } else if (frame->type == GATEWAY_PROGRESS && frame->length == sizeof(struct message_sent)) {
    struct message_sent message;
    memcpy(&message, frame->data, sizeof message);
    pthread_mutex_lock(&g->lock);
    registry_progress(&g->registry, message.transfer, message.sent);
    pthread_mutex_unlock(&g->lock);
    announce_change(&g->changes, message.transfer);
  } else if (frame->type == GATEWAY_FIGURES && frame->length == sizeof g->now) {
    pthread_mutex_lock(&g->lock);
    memcpy(&g->now, frame->data, sizeof g->now);
    pthread_mutex_unlock(&g->lock);
  } else if (frame->type == GATEWAY_ANSWER && frame->length == sizeof(struct message_answer)) {
    struct message_answer message;
    struct question q;
    memcpy(&message, frame->data, sizeof message);
    if (gateway_question_take(g, message.number, 0, &q))
      q.answered(q.context, message.status, message.text, &message.seen);
  } else {
    log_event(LOG_ERROR, "an unknown frame from the gateway", NULL);
  }
}
