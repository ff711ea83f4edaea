#include "server/store/nodes.h"

#include <time.h>

#include "server/store/internal.h"
#include "server/store/migrate.h"

enum { UNREAD_MOST = 48, RECEIVED_MOST = 16, CHANNEL_SIZE = 64 };

static const struct field fields[] = {
  FIELD(store_node, id, FIELD_TEXT),           FIELD(store_node, host, FIELD_TEXT),
  FIELD(store_node, version, FIELD_TEXT),      FIELD(store_node, started_at, FIELD_TEXT),
  FIELD(store_node, process, FIELD_INTEGER),   FIELD(store_node, workers, FIELD_INTEGER),
  FIELD(store_node, silent_ms, FIELD_INTEGER), FIELD(store_node, draining, FIELD_BOOL),
  FIELD(store_node, address, FIELD_TEXT),
};
static const struct record_type node_type = RECORD_TYPE(store_node, fields);

TYPED_VISITOR(store_node)

enum armdyn_status store_node_list(struct store *store, store_node_visit *visit, void *context)
{
  if (!store_is_on_server(store->address)) return ARMDYN_OK;
  struct listing listing = {
    .select = "SELECT id, host, version, started_at, process, workers, draining, address, silent_ms FROM (SELECT *,"
              " CAST(1000 * extract(epoch FROM clock_timestamp() - seen) AS bigint) AS silent_ms FROM nodes) AS those",
    .and = "silent_ms < 86400000",
    .order = "id",
    .ascending = true,
  };
  return store_read_list(store, &listing, &node_type, visit_row, &(struct visitor){ visit, context });
}

/* -- a node -- */

struct node_link {
  struct sql *sql;
};

void node_link_close(struct node_link *link)
{
  if (!link) return;
  sql_close(link->sql);
  free(link);
}

static enum armdyn_status check_schema(struct sql *sql, bool older, struct armdyn_error *error)
{
  int64_t version = 0;
  const int64_t ours = migrations_newest(migrations_of(sql));
  const enum armdyn_status status = migrate_version(sql, "the database", migrations_of(sql), &version, error);
  if (status || version == ours || (older && version < ours)) return status;
  return armdyn_refuse(error, ARMDYN_ECONFLICT, "",
                       "the database has schema %lld, this program %lld: upgrade the serving node first",
                       (long long)version, (long long)ours);
}

enum armdyn_status node_link_open(const char *address, bool older, struct node_link **out, struct armdyn_error *error)
{
  struct node_link *link = calloc(1, sizeof *link);
  if (!link) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a connection");
  enum armdyn_status status = sql_open(address, SQL_WRITE, &link->sql, error);
  if (!status) status = check_schema(link->sql, older, error);
  if (status)
    node_link_close(link);
  else
    *out = link;
  return status;
}

enum armdyn_status node_link_announce(struct node_link *link, const struct store_node *node)
{
  enum armdyn_status status = record_run(
      link->sql,
      "INSERT INTO nodes (id, host, process, version, workers, started_at, draining, address, seen)"
      " VALUES (:id, :host, :process, :version, :workers, :started_at, :draining, :address, clock_timestamp())"
      " ON CONFLICT (id) DO UPDATE SET host = excluded.host, process = excluded.process, version = excluded.version,"
      " workers = excluded.workers, started_at = excluded.started_at, draining = excluded.draining, "
      "address = excluded.address, seen = excluded.seen",
      &node_type, node, NULL);
  if (status) return status;
  return sql_run(link->sql,
                 "INSERT INTO node_workers (node, worker, fence) SELECT ?, n, 0 FROM generate_series(0, ?) AS n"
                 " ON CONFLICT DO NOTHING",
                 VALUES(value_text(node->id), value_integer(node->workers - 1)), NULL);
}

void node_link_leave(struct node_link *link, const char *id)
{
  (void)sql_run(link->sql, "DELETE FROM nodes WHERE id = ?", VALUES(value_text(id)), NULL);
}

enum armdyn_status node_link_note(struct node_link *link, const char *const *lines, size_t count)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = sql_run(link->sql, "INSERT INTO audit_inbox (line) VALUES (?)", VALUES(value_text(lines[i])), NULL);
  return status;
}

static const struct field holder_fields[] = {
  FIELD(store_holder, host, FIELD_TEXT),         FIELD(store_holder, address, FIELD_TEXT),
  FIELD(store_holder, epoch, FIELD_INTEGER),     FIELD(store_holder, process, FIELD_INTEGER),
  FIELD(store_holder, silent_ms, FIELD_INTEGER), FIELD(store_holder, free, FIELD_BOOL),
};
static const struct record_type holder_type = RECORD_TYPE(store_holder, holder_fields);

enum armdyn_status node_link_holder(struct node_link *link, struct store_holder *holder)
{
  return record_get(link->sql,
                    "SELECT coalesce(host, '') AS host, epoch, coalesce(process, 0) AS process,"
                    " CASE WHEN address_epoch = epoch THEN coalesce(address, '') ELSE '' END AS address,"
                    " CAST(1000 * extract(epoch FROM clock_timestamp() - renewed) AS bigint) AS silent_ms,"
                    " CASE WHEN node IS NULL OR renewed < clock_timestamp() - interval '" STORE_LEASE
                    "' THEN 1 ELSE 0 END AS free"
                    " FROM holder",
                    NO_VALUES, &holder_type, holder);
}

/* -- a conversation -- */

struct post {
  struct sql *sql;
  char node[ID_SIZE];
  int worker;
  enum post_end end;
  char heard[CHANNEL_SIZE], told[CHANNEL_SIZE]; /* channels of notices */
  int64_t fence, sent, received;
};

/* Of the frames that are sent by an end. */
static int64_t is_back(const struct post *post, bool sent)
{
  return (post->end == POST_WORKING) == sent;
}

enum armdyn_status post_open(const char *address, const char *node, int worker, enum post_end end, struct post **out,
                             struct armdyn_error *error)
{
  struct post *post = calloc(1, sizeof *post);
  if (!post) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a connection");
  *post = (struct post){ .worker = worker, .end = end };
  snprintf(post->node, sizeof post->node, "%s", node);
  snprintf(post->heard, sizeof post->heard, "armdyn_%s_%d_%d", node, worker, end == POST_SERVING);
  snprintf(post->told, sizeof post->told, "armdyn_%s_%d_%d", node, worker, end == POST_WORKING);
  const enum armdyn_status status = sql_open(address, SQL_WRITE, &post->sql, error);
  if (status)
    post_close(post);
  else
    *out = post;
  return status;
}

void post_close(struct post *post)
{
  if (!post) return;
  sql_close(post->sql);
  free(post);
}

static void begin_anew(struct post *post, int64_t fence)
{
  post->fence = fence;
  post->sent = post->received = 0;
}

enum armdyn_status post_claim(struct post *post, const char *holder)
{
  int64_t fence = 0;
  enum armdyn_status status =
      sql_number(post->sql,
                 "UPDATE node_workers SET fence = fence + 1 WHERE node = ? AND worker = ?"
                 " AND EXISTS (SELECT 1 FROM holder WHERE node = ?) RETURNING fence",
                 VALUES(value_text(post->node), value_integer(post->worker), value_text(holder)), &fence);
  if (status) return status;
  begin_anew(post, fence);
  status = sql_run(post->sql, "DELETE FROM node_frames WHERE node = ? AND worker = ? AND fence < ?",
                   VALUES(value_text(post->node), value_integer(post->worker), value_integer(fence)), NULL);
  if (!status) status = sql_run(post->sql, "SELECT pg_notify(?, '')", VALUES(value_text(post->told)), NULL);
  return status;
}

enum armdyn_status post_follow(struct post *post, bool *is_new)
{
  int64_t fence = 0;
  const enum armdyn_status status =
      sql_number(post->sql, "SELECT fence FROM node_workers WHERE node = ? AND worker = ?",
                 VALUES(value_text(post->node), value_integer(post->worker)), &fence);
  *is_new = !status && fence > post->fence;
  if (*is_new) begin_anew(post, fence);
  return status;
}

/* Sent again after a connection was lost, it may be there already, or have been heard: its number says so. */
enum armdyn_status post_send(struct post *post, uint32_t type, const void *data, size_t length)
{
  struct sql_statement *statement;
  bool row = false;
  int64_t unread = 0;
  enum armdyn_status status =
      sql_query(post->sql,
                "WITH held AS (SELECT (SELECT count(*) FROM node_frames WHERE node = ?1 AND worker = ?2 AND fence = ?3 "
                "AND back = ?4)"
                " AS unread FROM node_workers WHERE node = ?1 AND worker = ?2 AND fence = ?3),"
                " sent AS (INSERT INTO node_frames (node, worker, fence, back, number, type, data)"
                " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 FROM held WHERE unread < ?8 ON CONFLICT DO NOTHING)"
                " SELECT unread, pg_notify(?9, '') FROM held",
                VALUES(value_text(post->node), value_integer(post->worker), value_integer(post->fence),
                       value_integer(is_back(post, true)), value_integer(post->sent + 1), value_integer(type),
                       value_blob(data, length), value_integer(UNREAD_MOST), value_text(post->told)),
                &statement);
  if (!status) status = sql_step(statement, &row);
  if (!status && !row) status = ARMDYN_ESTALE;
  if (!status) unread = sql_integer(statement, 0);
  sql_finish(statement);
  if (!status && unread >= UNREAD_MOST) status = ARMDYN_EBUSY;
  post->sent += !status;
  return status;
}

static enum armdyn_status check_fence(struct post *post)
{
  int64_t fence = 0;
  const enum armdyn_status status =
      sql_number(post->sql, "SELECT fence FROM node_workers WHERE node = ? AND worker = ?",
                 VALUES(value_text(post->node), value_integer(post->worker)), &fence);
  return !status && fence != post->fence ? ARMDYN_ESTALE : status;
}

enum armdyn_status post_receive(struct post *post, post_visit *visit, void *context, size_t *count)
{
  struct sql_statement *statement;
  bool row = false;
  *count = 0;
  enum armdyn_status status = sql_query(
      post->sql,
      "WITH taken AS (DELETE FROM node_frames WHERE node = ?1 AND worker = ?2 AND fence = ?3 AND back = ?4 AND number "
      "IN"
      " (SELECT number FROM node_frames WHERE node = ?1 AND worker = ?2 AND fence = ?3 AND back = ?4 ORDER BY number"
      " LIMIT ?5) RETURNING number, type, data) SELECT number, type, data FROM taken ORDER BY number",
      VALUES(value_text(post->node), value_integer(post->worker), value_integer(post->fence),
             value_integer(is_back(post, false)), value_integer(RECEIVED_MOST)),
      &statement);
  while (!status && !(status = sql_step(statement, &row)) && row) {
    size_t size = 0;
    const int64_t number = sql_integer(statement, 0);
    const void *data = sql_blob(statement, 2, &size);
    ++*count;
    if (number <= post->received) continue;
    if (number != post->received + 1) {
      status = ARMDYN_ESYNTAX;
      break;
    }
    post->received = number;
    status = visit(context, (uint32_t)sql_integer(statement, 1), data, size);
  }
  sql_finish(statement);
  return status || *count ? status : check_fence(post);
}

void post_await(struct post *post, int fd, int ms)
{
  if (sql_await(post->sql, post->heard, fd, ms))
    nanosleep(&(struct timespec){ .tv_nsec = 100 * 1000 * 1000 }, NULL); /* the database is away */
}
