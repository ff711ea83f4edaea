/* What people write on a transfer that has ended: tags, notes, and whether its part is good. */
#include <stdlib.h>

#include "api/codec/transfer.h"
#include "server/app.h"
#include "server/http/preconditions.h"
#include "server/routes/events.h"
#include "server/routes/handlers.h"

enum { ANSWER_MOST = MB(1) };

static enum armdyn_status annotate(struct exchange *x, const struct store_transfer *transfer)
{
  struct transfer_annotation annotation = { .notes = NULL };
  struct store_transfer changed = { .version = transfer->version };
  struct buffer tags = BUFFER(MB(1));
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = transfer_annotation_patch(body, length, transfer->tags, transfer->notes,
                                                        transfer->verdict, &annotation, exchange_faults(x));
  if (status) return status;
  tags_encode(&annotation.tags, &tags);
  memcpy(changed.id, transfer->id, sizeof changed.id);
  snprintf(changed.verdict, sizeof changed.verdict, "%s", transfer_verdict_name(annotation.verdict));
  changed.tags = tags.data, changed.notes = annotation.notes;
  status = tags.failure ? tags.failure : store_transfer_annotate(exchange_app(x)->store, &changed);
  buffer_release(&tags);
  free(annotation.notes);
  return status;
}

/* The document of the transfer, and its version. false: answered. */
static bool document_of(struct exchange *x, const struct store_transfer *transfer, struct buffer *out, int64_t *version)
{
  enum armdyn_status status = transfer_document(exchange_app(x), transfer, out);
  if (status) answer_status(x, status, NULL);
  *version = status ? 0 : version_of_content(out->data, out->length);
  return !status;
}

/* false: answered. */
static bool version_of(struct exchange *x, const struct store_transfer *transfer, int64_t *version)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  const bool good = document_of(x, transfer, &body, version);
  buffer_release(&body);
  return good;
}

/* Is it as If-Match says, or was it before what was measured came to it, which nobody wrote? false: answered. */
static bool is_as_demanded(struct exchange *x, const struct store_transfer *transfer)
{
  struct store_transfer before = *transfer;
  int64_t version, present = 0, former = 0;
  before.measured = before.unmeasured = NULL;
  bool good = version_of(x, transfer, &present) && version_of(x, &before, &former);
  version = present;
  const enum precondition wanted = good ? exchange_precondition(x, false, &version) : EXPECT_REFUSED;
  good = wanted == EXPECT_ANY || (wanted == EXPECT_VERSION && (version == present || version == former));
  if (!good && wanted != EXPECT_REFUSED) answer_problem(x, PROBLEM_STALE, NULL);
  return good;
}

/* Of the path, as the store has it: what the gateway knows newer is of motions that go on. false: answered. */
static bool find(struct exchange *x, struct store_transfer *transfer)
{
  const char *id = exchange_segment(x, "transfer");
  enum armdyn_status status = store_transfer_get(exchange_app(x)->store, id, transfer);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no transfer '%.64s'", id);
  else if (status)
    answer_status(x, status, NULL);
  else
    exchange_is_about_order(x, transfer->job_order_id);
  return !status;
}

static void answer_patched(struct exchange *x)
{
  struct store_transfer transfer;
  struct buffer body = BUFFER(ANSWER_MOST);
  int64_t version;
  if (!find(x, &transfer)) return;
  const bool good = document_of(x, &transfer, &body, &version);
  store_transfer_release(&transfer);
  if (good) {
    answer_etag(x, version);
    answer_json(x, 200, &body);
  }
  buffer_release(&body);
}

enum outcome transfer_patch(struct exchange *x)
{
  struct store_transfer transfer;
  if (!find(x, &transfer)) return ANSWERED;
  enum armdyn_status status = ARMDYN_ECONFLICT;
  const bool ended = transfer_state_final(transfer.state), wanted = is_as_demanded(x, &transfer);
  if (wanted && ended) status = annotate(x, &transfer);
  store_transfer_release(&transfer);
  if (!wanted) return ANSWERED;
  if (!ended)
    answer_problem(x, PROBLEM_CONFLICT, "the transfer has not ended: what came of its part is not known yet");
  else if (status == ARMDYN_ESTALE)
    answer_problem(x, PROBLEM_STALE, NULL);
  else if (status)
    answer_status(x, status, NULL);
  else
    answer_patched(x);
  return ANSWERED;
}
