/* PostgreSQL by libpq. Only unnamed statements, and nothing that a session would have to remember: so a pooler may give every
 * transaction another connection. What writes goes by postgresql_pipeline.c. All rows of a query are here when its first is
 * asked for. */
#include "server/store/sql_postgresql.h"

#include <poll.h>
#include <stdatomic.h>

#include "server/base/clock.h"

enum { STATEMENTS = 64, ANSWER_S = 30 };
static const int64_t REST_NS = 500000000;

/* -- what failed -- */

/* Classes of SQLSTATE; the longer ones first. */
static const struct {
  const char *state;
  enum armdyn_status status;
} meanings[] = {
  { "23505", ARMDYN_EEXISTS },      /* unique_violation */
  { "23503", ARMDYN_ECONFLICT },    /* foreign_key_violation */
  { "53100", ARMDYN_EFULL },        /* disk_full */
  { "53200", ARMDYN_EMEMORY },      /* out_of_memory */
  { "25006", ARMDYN_EUNAVAILABLE }, /* read_only_sql_transaction: this one is a standby now */
  { "57014", ARMDYN_EUNAVAILABLE }, /* query_canceled */
  { "40", ARMDYN_EBUSY },           /* serialization_failure, deadlock_detected */
  { "55", ARMDYN_EBUSY },           /* lock_not_available */
  { "22", ARMDYN_EINPUT },          /* data_exception */
  { "23", ARMDYN_EINPUT },          /* the schema refuses it */
  { "54", ARMDYN_ELIMIT },          /* program_limit_exceeded */
  { "08", ARMDYN_EUNAVAILABLE },    /* connection_exception */
  { "53", ARMDYN_EUNAVAILABLE },    /* too_many_connections */
  { "57", ARMDYN_EUNAVAILABLE },    /* admin_shutdown, cannot_connect_now */
  { "58", ARMDYN_EIO },             /* system_error */
  { "XX", ARMDYN_EIO },             /* data_corrupted */
};

static enum armdyn_status status_of(const char *state)
{
  for (size_t i = 0; state && i < sizeof meanings / sizeof *meanings; i++)
    if (!strncmp(state, meanings[i].state, strlen(meanings[i].state))) return meanings[i].status;
  return ARMDYN_EINTERNAL;
}

void postgresql_say(struct connection *c, const char *why)
{
  snprintf(c->message, sizeof c->message, "%s", why && *why ? why : "no answer");
  c->message[strcspn(c->message, "\n")] = '\0';
}

static const char *message(struct sql *sql)
{
  return connection_of(sql)->message;
}

enum armdyn_status postgresql_lose(struct connection *c, const char *why)
{
  postgresql_say(c, why);
  PQfinish(c->pg);
  c->pg = NULL;
  c->listens = NULL;
  return ARMDYN_EUNAVAILABLE;
}

/* -- connections -- */

/* A database that does not answer is not asked by everybody, all the time. */
static _Atomic int64_t rest_until_ns;

static enum armdyn_status connect_again(struct connection *c)
{
  struct armdyn_error error = { "", "" };
  PQfinish(c->pg);
  c->pg = NULL;
  c->listens = NULL;
  if (clock_monotonic_ns() < atomic_load(&rest_until_ns)) return ARMDYN_EUNAVAILABLE;
  const enum armdyn_status status = postgresql_connect(c->address, &c->pg, &error);
  if (!status) return ARMDYN_OK;
  atomic_store(&rest_until_ns, clock_monotonic_ns() + REST_NS);
  postgresql_say(c, error.message);
  return ARMDYN_EUNAVAILABLE;
}

static bool is_up(const struct connection *c)
{
  return c->pg && PQstatus(c->pg) == CONNECTION_OK;
}

/* Wait for the end of the answer; false: it does not come in time, or the connection is gone. */
bool postgresql_wait(struct connection *c, bool *late)
{
  int64_t until_ns = clock_monotonic_ns() + ANSWER_S * INT64_C(1000000000);
  if (c->deadline_ns && *c->deadline_ns < until_ns) until_ns = *c->deadline_ns;
  while (PQisBusy(c->pg)) {
    const int64_t left_ns = until_ns - clock_monotonic_ns();
    struct pollfd socket = { .fd = PQsocket(c->pg), .events = POLLIN };
    *late = left_ns <= 0;
    if (*late) return false;
    if (poll(&socket, 1, (int)(left_ns / 1000000) + 1) > 0 && !PQconsumeInput(c->pg)) return false;
  }
  return true;
}

/* A search is broken off: what it does is of no use to anybody. Nothing that writes is: a COMMIT that waits for a standby would
 * be one that has none. */
static void cancel(struct connection *c)
{
  char why[256];
  PGcancel *request = PQgetCancel(c->pg);
  if (request) PQcancel(request, why, sizeof why);
  PQfreeCancel(request);
}

enum armdyn_status postgresql_failure(struct connection *c, const PGresult *result)
{
  const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  postgresql_say(c, PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  return state && !strcmp(state, "25006") ? postgresql_lose(c, "it is a standby") : status_of(state);
}

/* The last result of what was sent; those before it are of the statements before it. */
static enum armdyn_status take_result(struct connection *c, PGresult **out)
{
  PGresult *last = NULL;
  bool late = false;
  for (;;) {
    if (!postgresql_wait(c, &late)) {
      PQclear(last);
      if (late && c->deadline_ns) cancel(c);
      return postgresql_lose(c, late ? "no answer in time" : PQerrorMessage(c->pg));
    }
    PGresult *next = PQgetResult(c->pg);
    if (!next) break;
    const bool failed = last && PQresultStatus(last) == PGRES_FATAL_ERROR;
    const bool empty = last && PQresultStatus(last) == PGRES_TUPLES_OK && PQresultStatus(next) == PGRES_COMMAND_OK;
    if (failed || empty) {
      PQclear(next);
    } else {
      PQclear(last);
      last = next;
    }
  }
  if (!is_up(c)) {
    PQclear(last);
    return postgresql_lose(c, PQerrorMessage(c->pg));
  }
  const ExecStatusType how = PQresultStatus(last);
  if (how == PGRES_TUPLES_OK || how == PGRES_COMMAND_OK) {
    *out = last;
    return ARMDYN_OK;
  }
  const enum armdyn_status status = postgresql_failure(c, last);
  PQclear(last);
  return status;
}

enum armdyn_status postgresql_ask(struct connection *c, const char *text, PGresult **out)
{
  *out = NULL;
  if (!is_up(c)) return postgresql_lose(c, c->pg ? PQerrorMessage(c->pg) : c->message);
  if (!PQsendQuery(c->pg, text)) return postgresql_lose(c, PQerrorMessage(c->pg));
  return take_result(c, out);
}

enum armdyn_status postgresql_up(struct connection *c)
{
  return is_up(c) ? ARMDYN_OK : connect_again(c);
}

static void shut(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  if (c->epoch && !c->fenced) postgresql_give_up(c);
  postgresql_forget(c, NULL);
  for (size_t i = 0; i < STATEMENTS; i++) {
    free(c->cache[i].asked);
    free(c->cache[i].own.text);
    PQclear(c->cache[i].result);
  }
  PQfinish(c->pg);
  free(c->cache);
  free(c->address);
  free(c);
}

static enum armdyn_status open_address(const char *address, enum sql_mode mode, struct sql **out,
                                       struct armdyn_error *error)
{
  struct connection *c = calloc(1, sizeof *c);
  if (c) c->cache = calloc(STATEMENTS, sizeof *c->cache), c->address = strdup(address);
  if (!c || !c->cache || !c->address) {
    if (c) free(c->cache), free(c->address);
    free(c);
    return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a connection");
  }
  c->base.engine = &sql_postgresql;
  c->reads = mode == SQL_READ;
  for (size_t i = 0; i < STATEMENTS; i++) c->cache[i].base.engine = &sql_postgresql, c->cache[i].of = c;
  const enum armdyn_status status = postgresql_connect(address, &c->pg, error);
  if (status)
    shut(&c->base);
  else
    *out = &c->base;
  return status;
}

/* -- statements -- */

static void clear(struct prepared *p)
{
  PQclear(p->result);
  p->result = NULL;
  p->taken = false;
  memset(p->values, 0, (size_t)p->own.places * sizeof *p->values);
}

static enum armdyn_status prepare(struct sql *sql, const char *text, struct sql_statement **statement)
{
  *statement = NULL;
  struct connection *c = connection_of(sql);
  struct prepared *oldest = NULL;
  c->clock++;
  for (struct prepared *p = c->cache; p < c->cache + STATEMENTS; p++) {
    if (!p->taken && p->asked && !strcmp(p->asked, text)) {
      oldest = p;
      break;
    }
    if (!p->taken && (!oldest || p->used < oldest->used)) oldest = p;
  }
  if (!oldest) return ARMDYN_EINTERNAL; /* STATEMENTS queries under way at once on one connection */
  if (!oldest->asked || strcmp(oldest->asked, text)) {
    free(oldest->asked);
    free(oldest->own.text);
    oldest->asked = strdup(text);
    postgresql_text_make(text, &oldest->own);
    if (!oldest->asked || !oldest->own.text) return ARMDYN_EMEMORY;
  }
  oldest->used = c->clock;
  oldest->taken = true;
  *statement = &oldest->base;
  return ARMDYN_OK;
}

static int places(const struct sql_statement *statement)
{
  return prepared_at(statement)->own.places;
}

static const char *place_name(const struct sql_statement *statement, int place)
{
  const char *name = prepared_at(statement)->own.names[place - 1];
  return *name ? name : NULL;
}

static enum armdyn_status bind(struct sql_statement *statement, int place, struct value value)
{
  struct prepared *p = prepared_of(statement);
  if (place < 1 || place > p->own.places) return ARMDYN_EINTERNAL;
  p->values[place - 1] = value;
  return ARMDYN_OK;
}

static void finish(struct sql_statement *statement)
{
  clear(prepared_of(statement));
}

static enum armdyn_status send_it(struct prepared *p)
{
  struct connection *c = p->of;
  struct postgresql_parameters parameters;
  postgresql_put_values(&parameters, p);
  if (!is_up(c)) return postgresql_lose(c, c->pg ? PQerrorMessage(c->pg) : c->message);
  if (!PQsendQueryParams(c->pg, p->own.text, p->own.places, parameters.types, parameters.values, parameters.lengths,
                         parameters.formats, 1))
    return postgresql_lose(c, PQerrorMessage(c->pg));
  return take_result(c, &p->result);
}

/* A reader's connection may have ended while nobody used it: what it asks can be asked again. So can the first statement
 * outside of a transaction, of which nothing was sent. */
static enum armdyn_status run_alone(struct prepared *p)
{
  struct connection *c = p->of;
  const bool alone = !c->began;
  enum armdyn_status status = alone ? postgresql_up(c) : ARMDYN_OK;
  if (status) return status;
  status = send_it(p);
  if (status == ARMDYN_EUNAVAILABLE && !c->pg && alone && c->reads && !c->deadline_ns) {
    status = connect_again(c);
    if (!status) status = send_it(p);
  }
  return status;
}

static enum armdyn_status run(struct prepared *p)
{
  struct connection *c = p->of;
  const enum armdyn_status status = c->began && !c->snapshot ? postgresql_run_in_pipeline(p) : run_alone(p);
  if (status) return status;
  const char *count = PQcmdTuples(p->result);
  if (*count) c->changed = (int)strtol(count, NULL, 10);
  p->row = 0;
  return ARMDYN_OK;
}

static enum armdyn_status step(struct sql_statement *statement, bool *row)
{
  struct prepared *p = prepared_of(statement);
  enum armdyn_status status = ARMDYN_OK;
  if (p->result)
    p->row++;
  else
    status = run(p);
  *row = !status && p->row < PQntuples(p->result);
  return status;
}

static int changed(struct sql *sql)
{
  return connection_of(sql)->changed;
}

static enum armdyn_status script(struct sql *sql, const char *script_text)
{
  struct connection *c = connection_of(sql);
  PGresult *result = NULL;
  char *own = sql_alternative(script_text, true);
  enum armdyn_status status = own ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = c->began ? postgresql_settle(sql) : postgresql_up(c);
  if (!status) status = postgresql_ask(c, own, &result);
  PQclear(result);
  free(own);
  return status;
}

static void deadline(struct sql *sql, const int64_t *monotonic_ns)
{
  connection_of(sql)->deadline_ns = monotonic_ns;
}

/* Of all tables with what belongs to them; its log is the server's, and so is what it keeps free in them. */
static enum armdyn_status room(struct sql *sql, struct sql_room *out)
{
  *out = (struct sql_room){ 0 };
  return sql_number(sql,
                    "SELECT CAST(coalesce(sum(pg_total_relation_size(oid)), 0) AS bigint) FROM pg_class"
                    " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
                    NO_VALUES, &out->bytes);
}

/* PostgreSQL keeps its log by itself. */
static int log_pages(const struct sql *sql)
{
  (void)sql;
  return 0;
}

static enum armdyn_status checkpoint(struct sql *sql, bool wait)
{
  (void)sql, (void)wait;
  return ARMDYN_OK;
}

const struct sql_engine sql_postgresql = {
  .name = "postgresql",
  .open = open_address,
  .close = shut,
  .message = message,
  .prepare = prepare,
  .places = places,
  .place_name = place_name,
  .bind = bind,
  .step = step,
  .send = postgresql_send,
  .finish = finish,
  .columns = postgresql_columns,
  .column_name = postgresql_column_name,
  .type = postgresql_type,
  .text = postgresql_text,
  .integer = postgresql_integer,
  .real = postgresql_real,
  .blob = postgresql_blob,
  .changed = changed,
  .script = script,
  .begin = postgresql_begin,
  .commit = postgresql_commit,
  .rollback = postgresql_rollback,
  .in_transaction = postgresql_in_transaction,
  .savepoint = postgresql_savepoint,
  .release = postgresql_release,
  .undo = postgresql_undo,
  .settle = postgresql_settle,
  .snapshot = postgresql_snapshot,
  .snapshot_end = postgresql_snapshot_end,
  .await = postgresql_await,
  .deadline = deadline,
  .touch = postgresql_touch,
  .room = room,
  .log_pages = log_pages,
  .checkpoint = checkpoint,
  .hold = postgresql_hold,
  .keep = postgresql_keep,
  .is_fenced = postgresql_is_fenced,
  .holds_until_ms = postgresql_holds_until_ms,
};
