/* Transactions, and who may write. The one who does is the holder of the store, by an epoch in the row of `holder`: every
 * transaction sees, and locks, that it still is its own, and who takes the store over makes a new epoch. So a node that was
 * thought dead, frozen or cut off can write nothing any more, however late it comes, and needs no session to say so. */
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/sql_postgresql.h"

enum { RENEWED_S = 5, OUTCOME_S = 20, HOST_SIZE = 128 };
static const int64_t SECOND_NS = 1000000000, MOMENT_NS = 100000000;

/* The lease is counted by the clock of the database from when it took a renewal, and here from before that was sent, by
 * a clock that goes on while the machine sleeps; this much sooner is it taken for over, for the clocks' rates and for what
 * is on its way. */
enum { CLOCKS_S = 2 };

/* -- the holder -- */

static int64_t boot_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void note_renewed(struct connection *c)
{
  c->renewed_ns = clock_monotonic_ns();
  atomic_store(&c->sure_ns, c->asked_ns);
}

static void note_fenced(struct connection *c)
{
  if (!atomic_exchange(&c->fenced, true))
    log_event(LOG_ERROR, "another armdyn holds the store now: this one writes nothing any more", NULL);
  postgresql_say(c, "another armdyn holds the store now");
}

static enum armdyn_status read_holder(struct sql *sql, char *who, size_t size)
{
  struct sql_statement *statement;
  bool row = false;
  enum armdyn_status status = sql_query(sql,
                                        "SELECT coalesce(host, '?'), coalesce(process, 0),"
                                        " CAST(extract(epoch FROM clock_timestamp() - renewed) AS bigint) FROM holder",
                                        NO_VALUES, &statement);
  if (!status) status = sql_step(statement, &row);
  if (!status && !row) status = ARMDYN_EINTERNAL;
  if (!status)
    snprintf(who, size, "%s (process %lld), seen %lld s ago", sql_text(statement, 0),
             (long long)sql_integer(statement, 1), (long long)sql_integer(statement, 2));
  sql_finish(statement);
  return status;
}

/* Who holds the store was not seen for its lease, and was cut off in the midst of a message: its session is active for the
 * server, which waits for the rest of the message with the holder's row locked, and no time limit of it counts. */
static void end_cut_off_sessions(struct sql *sql)
{
  int64_t ended = 0;
  const enum armdyn_status status =
      sql_number(sql,
                 "SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity a, holder h"
                 " WHERE h.renewed < clock_timestamp() - interval '" STORE_LEASE "' AND a.datname = current_database()"
                 " AND a.usename = current_user AND a.pid <> pg_backend_pid() AND a.wait_event = 'ClientRead'"
                 " AND a.xact_start < clock_timestamp() - interval '10 s'"
                 " AND a.state_change < clock_timestamp() - interval '10 s'",
                 NO_VALUES, &ended);
  if (!status && ended)
    log_event(LOG_WARNING, "sessions of a node that was cut off are ended: it was not seen for " STORE_LEASE, NULL);
}

enum armdyn_status postgresql_hold(struct sql *sql, const char *node, struct armdyn_error *error)
{
  struct connection *c = connection_of(sql);
  char host[HOST_SIZE] = "", who[HOST_SIZE + 64] = "";
  gethostname(host, sizeof host - 1);
  end_cut_off_sessions(sql);
  c->asked_ns = boot_ns();
  enum armdyn_status status =
      sql_number(sql,
                 "UPDATE holder SET epoch = epoch + 1, node = ?1, host = ?2, process = ?3, renewed = clock_timestamp()"
                 " WHERE node IS NULL OR node = ?1 OR renewed < clock_timestamp() - interval '" STORE_LEASE "'"
                 " RETURNING epoch",
                 VALUES(value_text(node), value_text(host), value_integer(getpid())), &c->epoch);
  note_renewed(c);
  if (!status) return ARMDYN_OK;
  c->epoch = 0;
  if (status == ARMDYN_ENOTFOUND && !(status = read_holder(sql, who, sizeof who)))
    return armdyn_refuse(error, ARMDYN_EBUSY, "",
                         "the store is held by another armdyn, on %.80s: with --node-address, which both need, this one"
                         " stands by; it is free when that one stops, or was not seen for " STORE_LEASE,
                         who);
  return armdyn_refuse(error, status, "", "cannot take the store: %.150s", sql_message(sql));
}

void postgresql_give_up(struct connection *c)
{
  PGresult *result = NULL;
  char text[128];
  snprintf(text, sizeof text, "UPDATE holder SET node = NULL WHERE epoch = %" PRId64, c->epoch);
  if (!postgresql_up(c)) postgresql_ask(c, text, &result);
  PQclear(result);
}

static enum armdyn_status renew(struct connection *c)
{
  PGresult *result = NULL;
  char text[128];
  snprintf(text, sizeof text, "UPDATE holder SET renewed = clock_timestamp() WHERE epoch = %" PRId64, c->epoch);
  enum armdyn_status status = postgresql_up(c);
  c->asked_ns = boot_ns();
  if (!status) status = postgresql_ask(c, text, &result);
  if (!status && strcmp(PQcmdTuples(result), "1") != 0) {
    note_fenced(c);
    status = ARMDYN_EUNAVAILABLE;
  }
  if (!status) note_renewed(c);
  PQclear(result);
  return status;
}

/* Somebody who cannot be asked for a while is asked again soon. */
int64_t postgresql_keep(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  if (!c->epoch || c->fenced) return RENEWED_S * SECOND_NS;
  const int64_t due_ns = c->renewed_ns + RENEWED_S * SECOND_NS - clock_monotonic_ns();
  if (due_ns > 0) return due_ns;
  c->began = false;
  return renew(c) ? SECOND_NS : RENEWED_S * SECOND_NS;
}

bool postgresql_is_fenced(const struct sql *sql)
{
  return atomic_load(&((const struct connection *)sql)->fenced);
}

int64_t postgresql_holds_until_ms(const struct sql *sql)
{
  const struct connection *c = (const struct connection *)sql;
  const int64_t left_ns = atomic_load(&c->sure_ns) + (STORE_LEASE_S - CLOCKS_S) * SECOND_NS - boot_ns();
  return clock_wall_ms() + left_ns / 1000000;
}

/* Where what the writer is asked to try changes nothing: the holder's row. */
enum armdyn_status postgresql_touch(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  if (!c->epoch) return ARMDYN_OK;
  return sql_change(sql, "UPDATE holder SET renewed = clock_timestamp() WHERE epoch = ?",
                    VALUES(value_integer(c->epoch)));
}

/* -- transactions -- */

/* Who is frozen or cut off in the midst of one has its session ended by the server: else its lock would keep everybody from
 * taking the store over for as long as that lasts. Of the transaction alone, since a pooler may give the session away. */
#define BEGUN "pg_current_xact_id()::text, set_config('idle_in_transaction_session_timeout', '10s', true)"

/* Its number, and that the store is still held: asked with what is written first, and answered before it. */
enum armdyn_status postgresql_begin(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  char text[256];
  postgresql_forget(c, NULL);
  c->queue = (struct postgresql_queue){ 0 };
  c->began = c->renews = false;
  if (c->fenced) return ARMDYN_EUNAVAILABLE;
  enum armdyn_status status = postgresql_up(c);
  if (status) return status;
  if (!c->epoch) {
    snprintf(text, sizeof text, "SELECT pg_current_xact_id()::text");
  } else if (clock_monotonic_ns() - c->renewed_ns < RENEWED_S * SECOND_NS) {
    snprintf(text, sizeof text, "SELECT " BEGUN " FROM holder WHERE epoch = %" PRId64 " FOR SHARE", c->epoch);
  } else {
    c->renews = true;
    c->asked_ns = boot_ns();
    snprintf(text, sizeof text,
             "UPDATE holder SET renewed = clock_timestamp() WHERE epoch = %" PRId64 " RETURNING " BEGUN, c->epoch);
  }
  status = postgresql_queue_text(c, "BEGIN", false);
  if (!status) status = postgresql_queue_text(c, text, true);
  c->began = !status;
  return status;
}

enum armdyn_status postgresql_note_begun(struct connection *c, const PGresult *result)
{
  if (PQntuples(result) != 1) {
    note_fenced(c);
    return ARMDYN_EUNAVAILABLE;
  }
  snprintf(c->xid, sizeof c->xid, "%s", PQgetvalue(result, 0, 0));
  if (c->renews) note_renewed(c);
  return ARMDYN_OK;
}

/* -1: it is not known yet; 0: it is not, 1: it is committed. */
static int ask_outcome(struct connection *c, const char *xid)
{
  PGresult *result = NULL;
  char text[96];
  int outcome = -1;
  snprintf(text, sizeof text, "SELECT pg_xact_status('%s'::xid8)", xid);
  const enum armdyn_status status = postgresql_up(c) ? ARMDYN_EUNAVAILABLE : postgresql_ask(c, text, &result);
  if (!status && PQntuples(result) == 1 && !PQgetisnull(result, 0, 0)) {
    const char *said = PQgetvalue(result, 0, 0);
    outcome = !strcmp(said, "committed") ? 1 : !strcmp(said, "aborted") ? 0 : -1;
  }
  if (status == ARMDYN_EINPUT) outcome = 0; /* a number that this server has not come to: it took over without it */
  PQclear(result);
  return outcome;
}

/* The connection was lost while it committed: whether it did, the database knows. */
static enum armdyn_status find_outcome(struct connection *c)
{
  const struct timespec pause = { .tv_nsec = MOMENT_NS };
  const int64_t until_ns = clock_monotonic_ns() + OUTCOME_S * SECOND_NS;
  int outcome = -1;
  while ((outcome = ask_outcome(c, c->xid)) < 0 && clock_monotonic_ns() < until_ns) nanosleep(&pause, NULL);
  if (outcome < 0)
    log_event(LOG_ERROR, "the database does not say whether the last writes are kept", "transaction", c->xid, NULL);
  return outcome == 1 ? ARMDYN_OK : ARMDYN_EUNAVAILABLE;
}

enum armdyn_status postgresql_commit(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  PGresult *result = NULL;
  if (!postgresql_in_transaction(sql)) return ARMDYN_EUNAVAILABLE;
  enum armdyn_status status = postgresql_settle(sql);
  if (status) return status;
  status = postgresql_ask(c, "COMMIT", &result);
  c->began = false;
  if (!status && strcmp(PQcmdStatus(result), "COMMIT") != 0) status = ARMDYN_EIO; /* a statement of it had failed */
  PQclear(result);
  return status && !c->pg ? find_outcome(c) : status;
}

static void end(struct connection *c, const char *how)
{
  PGresult *result = NULL;
  if (c->pg) postgresql_ask(c, how, &result);
  PQclear(result);
  c->began = false;
}

void postgresql_rollback(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  postgresql_forget(c, NULL);
  if (postgresql_in_transaction(sql)) end(c, "ROLLBACK");
  c->began = false;
}

bool postgresql_in_transaction(struct sql *sql)
{
  const struct connection *c = connection_of(sql);
  if (!c->began || !c->pg) return false;
  if (c->queue.count) return true;
  const PGTransactionStatusType how = PQtransactionStatus(c->pg);
  return how == PQTRANS_INTRANS || how == PQTRANS_INERROR;
}

/* Within a transaction of the writer, which nobody else writes beside, there is nothing to do. */
enum armdyn_status postgresql_snapshot(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  if (c->began) return ARMDYN_OK;
  PGresult *result = NULL;
  enum armdyn_status status = ARMDYN_EUNAVAILABLE;
  for (int tries = 0; status == ARMDYN_EUNAVAILABLE && tries < 2; tries++)
    if (!(status = postgresql_up(c)))
      status = postgresql_ask(c, "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY", &result);
  PQclear(result);
  c->began = c->snapshot = !status;
  return status;
}

void postgresql_snapshot_end(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  if (!c->snapshot) return;
  end(c, "COMMIT");
  c->snapshot = false;
}
