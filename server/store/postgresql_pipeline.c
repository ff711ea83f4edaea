/* A transaction's statements go to the server together, by libpq's pipeline, when the answer of one is needed: one round trip
 * for BEGIN, the holder of the store, and all that was sent before. COMMIT goes alone: only who knows the number of the
 * transaction can ask what became of it.
 *
 * The server skips what comes behind a failure. If that is the failure of an operation that is released already, the operation
 * is undone by its savepoint, and what was skipped, which belongs to others, is sent again: nobody has seen an answer of it. */
#include "server/store/sql_postgresql.h"

enum { ITEMS_AT_ONCE = 512, BYTES_AT_ONCE = 1 << 20 };

struct item {
  struct item *next;
  enum item_kind { ITEM_STATEMENT, ITEM_HOLDER, ITEM_SAVEPOINT, ITEM_RELEASE } kind;
  unsigned operation; /* 0: of the transaction itself */
  enum armdyn_status *status;
  size_t bytes;
  int places;
  struct postgresql_parameters parameters;
  char text[]; /* and behind it what its places point to */
};

/* -- the queue -- */

void postgresql_forget(struct connection *c, const struct item *from)
{
  struct postgresql_queue *q = &c->queue;
  struct item **link = &q->first, *last = NULL;
  for (; from && *link && *link != from; link = &(*link)->next) last = *link;
  struct item *item = *link;
  *link = NULL;
  q->last = last;
  while (item) {
    struct item *next = item->next;
    q->count--;
    q->bytes -= item->bytes;
    free(item);
    item = next;
  }
}

static void drop_first(struct postgresql_queue *q)
{
  struct item *item = q->first;
  q->first = item->next;
  if (!q->first) q->last = NULL;
  q->count--;
  q->bytes -= item->bytes;
  free(item);
}

static void append(struct postgresql_queue *q, struct item *item)
{
  item->operation = q->operation;
  if (q->last)
    q->last->next = item;
  else
    q->first = item;
  q->last = item;
  q->count++;
  q->bytes += item->bytes;
}

static struct item *make(enum item_kind kind, const char *text, size_t bytes)
{
  const size_t length = strlen(text) + 1;
  struct item *item = malloc(sizeof *item + length + bytes);
  if (!item) return NULL;
  item->next = NULL;
  item->kind = kind;
  item->operation = 0;
  item->status = NULL;
  item->bytes = sizeof *item + length + bytes;
  item->places = 0;
  memcpy(item->text, text, length);
  return item;
}

static enum armdyn_status queue_text(struct connection *c, enum item_kind kind, const char *text)
{
  struct item *item = make(kind, text, 0);
  if (!item) return ARMDYN_EMEMORY;
  append(&c->queue, item);
  return ARMDYN_OK;
}

enum armdyn_status postgresql_queue_text(struct connection *c, const char *text, bool asks_holder)
{
  return queue_text(c, asks_holder ? ITEM_HOLDER : ITEM_STATEMENT, text);
}

/* What it points to outside of itself, which is gone when it is sent: texts and bytes. */
static size_t value_bytes(const struct value *v)
{
  if (v->type == VALUE_TEXT) return strlen(v->data) + 1;
  return v->type == VALUE_BLOB ? v->size : 0;
}

static enum armdyn_status queue_statement(struct prepared *p)
{
  size_t bytes = 0;
  for (int i = 0; i < p->own.places; i++) bytes += value_bytes(&p->values[i]);
  struct item *item = make(ITEM_STATEMENT, p->own.text, bytes);
  if (!item) return ARMDYN_EMEMORY;
  struct postgresql_parameters *to = &item->parameters;
  char *copy = item->text + strlen(item->text) + 1;
  item->places = p->own.places;
  postgresql_put_values(to, p);
  for (int i = 0; i < item->places; i++) {
    const size_t size = value_bytes(&p->values[i]);
    if (to->values[i] == (const char *)&to->numbers[i] || !size) continue;
    memcpy(copy, to->values[i], size);
    to->values[i] = copy;
    copy += size;
  }
  append(&p->of->queue, item);
  return ARMDYN_OK;
}

/* In front of what is queued: back to the savepoint, as the transaction's own. */
static bool queue_undoing(struct connection *c)
{
  struct postgresql_queue *q = &c->queue;
  struct item *back = make(ITEM_STATEMENT, "ROLLBACK TO operation", 0);
  struct item *end = make(ITEM_STATEMENT, "RELEASE operation", 0);
  if (!back || !end) {
    free(back);
    free(end);
    return false;
  }
  back->next = end;
  end->next = q->first;
  q->first = back;
  if (!q->last) q->last = end;
  q->count += 2;
  q->bytes += back->bytes + end->bytes;
  return true;
}

/* -- sending it -- */

static bool send_all(struct connection *c)
{
  if (!PQenterPipelineMode(c->pg)) return false;
  for (const struct item *i = c->queue.first; i; i = i->next)
    if (!PQsendQueryParams(c->pg, i->text, i->places, i->parameters.types, i->parameters.values, i->parameters.lengths,
                           i->parameters.formats, 1))
      return false;
  return PQpipelineSync(c->pg);
}

/* The next answer, with the mark behind it that nothing more is of the same; NULL: the connection is gone. */
static PGresult *take(struct connection *c)
{
  bool late = false;
  PGresult *result = postgresql_wait(c, &late) ? PQgetResult(c->pg) : NULL;
  if (result && PQresultStatus(result) != PGRES_PIPELINE_SYNC) {
    PGresult *more = postgresql_wait(c, &late) ? PQgetResult(c->pg) : NULL;
    if (more || PQstatus(c->pg) != CONNECTION_OK) {
      PQclear(more);
      PQclear(result);
      result = NULL;
    }
  }
  if (!result) postgresql_lose(c, late ? "no answer in time" : PQerrorMessage(c->pg));
  return result;
}

/* What is found in the answers to the queue. */
struct answers {
  struct item *failed; /* the first that did; NULL: none */
  enum armdyn_status failure;
  PGresult *last; /* of the last of the queue */
};

static enum armdyn_status note_answer(struct connection *c, struct item *item, PGresult *result, struct answers *a)
{
  const ExecStatusType how = PQresultStatus(result);
  enum armdyn_status failure = ARMDYN_OK;
  if (how == PGRES_PIPELINE_ABORTED)
    failure = ARMDYN_EINTERNAL; /* skipped: not the first */
  else if (how != PGRES_TUPLES_OK && how != PGRES_COMMAND_OK)
    failure = postgresql_failure(c, result);
  else if (item->kind == ITEM_HOLDER)
    failure = postgresql_note_begun(c, result);
  if (failure && !a->failed) a->failed = item, a->failure = failure;
  if (!item->next && !failure)
    a->last = result;
  else
    PQclear(result);
  return c->pg ? ARMDYN_OK : ARMDYN_EUNAVAILABLE;
}

/* EUNAVAILABLE: the connection is gone. Anything else stands in the answers. */
static enum armdyn_status exchange(struct connection *c, struct answers *a)
{
  *a = (struct answers){ NULL, ARMDYN_OK, NULL };
  if (!c->pg || !send_all(c)) return postgresql_lose(c, c->pg ? PQerrorMessage(c->pg) : c->message);
  for (struct item *i = c->queue.first; i; i = i->next) {
    PGresult *result = take(c);
    if (!result || note_answer(c, i, result, a)) goto lost;
  }
  PGresult *mark = take(c);
  const bool at_end = mark && PQresultStatus(mark) == PGRES_PIPELINE_SYNC;
  PQclear(mark);
  if (!mark) goto lost;
  if (!at_end || !PQexitPipelineMode(c->pg)) {
    postgresql_lose(c, "answers out of turn");
    goto lost;
  }
  c->queue.answered = true;
  return ARMDYN_OK;
lost:
  PQclear(a->last);
  return ARMDYN_EUNAVAILABLE;
}

/* Undo the operation of the failed item, which was released, and keep what was queued behind it. false: it is not released,
 * but the one that is under way. */
static bool cut_out(struct connection *c, const struct answers *a, enum armdyn_status *status)
{
  struct postgresql_queue *q = &c->queue;
  const unsigned operation = a->failed->operation;
  struct item *release = a->failed;
  while (release && !(release->kind == ITEM_RELEASE && release->operation == operation)) release = release->next;
  if (!release) return false;
  if (release->status) *release->status = a->failure;
  while (q->first != release) drop_first(q);
  drop_first(q);
  *status = queue_undoing(c) ? ARMDYN_OK : ARMDYN_EMEMORY;
  return true;
}

static enum armdyn_status end_transaction(struct connection *c, enum armdyn_status status)
{
  PGresult *end = NULL;
  postgresql_forget(c, NULL);
  if (c->pg && PQtransactionStatus(c->pg) != PQTRANS_IDLE) postgresql_ask(c, "ROLLBACK", &end);
  PQclear(end);
  c->began = false;
  return status;
}

/* What failed decides what goes on: *again with a shorter queue, or the status is its operation's, or the transaction's. */
static enum armdyn_status settle_failure(struct connection *c, const struct answers *a, bool *again)
{
  enum armdyn_status status = a->failure;
  *again = false;
  if (a->failed->operation == 0) return end_transaction(c, status);
  if (cut_out(c, a, &status)) {
    *again = !status;
    return status ? end_transaction(c, status) : ARMDYN_OK;
  }
  postgresql_forget(c, NULL);
  c->queue.failure = status;
  return status;
}

/* A connection that ended while nothing was written is known now: then another one is asked. */
static enum armdyn_status flush(struct connection *c, PGresult **last)
{
  struct answers answers = { NULL, ARMDYN_OK, NULL };
  enum armdyn_status status = ARMDYN_OK;
  bool again = c->queue.count > 0, tried = false;
  while (again) {
    status = exchange(c, &answers);
    if (status && !c->queue.answered && !tried && !c->fenced) {
      tried = true;
      again = !postgresql_up(c);
      continue;
    }
    if (status) break;
    again = false;
    if (answers.failed) PQclear(answers.last), status = settle_failure(c, &answers, &again);
  }
  if (status && !c->pg) postgresql_forget(c, NULL);
  if (status || !c->queue.count) return status;
  postgresql_forget(c, NULL);
  if (last)
    *last = answers.last;
  else
    PQclear(answers.last);
  return ARMDYN_OK;
}

/* -- what the engine is asked for -- */

enum armdyn_status postgresql_run_in_pipeline(struct prepared *p)
{
  struct connection *c = p->of;
  if (c->queue.failure) return c->queue.failure;
  const enum armdyn_status status = queue_statement(p);
  return status ? status : flush(c, &p->result);
}

enum armdyn_status postgresql_send(struct sql_statement *statement)
{
  struct prepared *p = prepared_of(statement);
  struct postgresql_queue *q = &p->of->queue;
  bool row;
  if (!p->of->began || !q->operation) return statement->engine->step(statement, &row);
  if (q->failure) return q->failure;
  const enum armdyn_status status = queue_statement(p);
  if (status || (q->count < ITEMS_AT_ONCE && q->bytes < BYTES_AT_ONCE)) return status;
  return flush(p->of, NULL);
}

enum armdyn_status postgresql_savepoint(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  c->queue.operation++;
  c->queue.failure = ARMDYN_OK;
  return queue_text(c, ITEM_SAVEPOINT, "SAVEPOINT operation");
}

enum armdyn_status postgresql_release(struct sql *sql, enum armdyn_status *status)
{
  struct connection *c = connection_of(sql);
  if ((*status = c->queue.failure)) return postgresql_undo(sql);
  const enum armdyn_status failed = queue_text(c, ITEM_RELEASE, "RELEASE operation");
  if (!failed) c->queue.last->status = status;
  return failed;
}

/* Of what the server has not seen, nothing is to be undone. */
enum armdyn_status postgresql_undo(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  struct postgresql_queue *q = &c->queue;
  struct item *begin = q->first;
  while (begin && !(begin->kind == ITEM_SAVEPOINT && begin->operation == q->operation)) begin = begin->next;
  postgresql_forget(c, begin); /* NULL: all of it, which is this one's */
  q->failure = ARMDYN_OK;
  if (begin) return ARMDYN_OK;
  return queue_undoing(c) ? ARMDYN_OK : ARMDYN_EMEMORY;
}

enum armdyn_status postgresql_settle(struct sql *sql)
{
  return flush(connection_of(sql), NULL);
}
