#include <inttypes.h>
#include <sodium.h>

#include "server/store/internal.h"

enum { VERIFIED_AT_ONCE = 1000 };

static const struct field fields[] = {
  FIELD(store_audit, number, FIELD_INTEGER),
  FIELD(store_audit, line, FIELD_OWNED),
  FIELD(store_audit, hash, FIELD_TEXT),
};
static const struct record_type audit_type = RECORD_TYPE(store_audit, fields);

#define SELECT "SELECT number, line, hash FROM audit"

static void chain(const char *former, int64_t number, const char *line, char hash[65])
{
  unsigned char digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256_state state;
  char middle[32];
  int length = snprintf(middle, sizeof middle, "\n%" PRId64 "\n", number);
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, (const unsigned char *)former, strlen(former));
  crypto_hash_sha256_update(&state, (const unsigned char *)middle, (unsigned long long)length);
  crypto_hash_sha256_update(&state, (const unsigned char *)line, strlen(line));
  crypto_hash_sha256_final(&state, digest);
  sodium_bin2hex(hash, 65, digest, sizeof digest);
}

struct appending {
  const char *const *lines;
  size_t count;
};

static enum armdyn_status append(struct sql *sql, void *argument)
{
  const struct appending *a = argument;
  struct store_audit entry = { 0 };
  enum armdyn_status status = record_get(sql, "SELECT number, hash FROM audit_head", NO_VALUES, &audit_type, &entry);
  for (size_t i = 0; i < a->count && !status; i++) {
    char former[65];
    memcpy(former, entry.hash, sizeof former);
    entry.number++;
    chain(former, entry.number, a->lines[i], entry.hash);
    status = sql_send(sql, "INSERT INTO audit (number, line, hash) VALUES (?, ?, ?)",
                      VALUES(value_integer(entry.number), value_text(a->lines[i]), value_text(entry.hash)));
  }
  if (status) return status;
  return sql_send(sql, "UPDATE audit_head SET number = ?, hash = ?",
                  VALUES(value_integer(entry.number), value_text(entry.hash)));
}

enum armdyn_status store_audit_keep(struct sql *sql, const char *line)
{
  return append(sql, &(struct appending){ &line, 1 });
}

enum armdyn_status store_audit_append(struct store *store, const char *const *lines, size_t count)
{
  struct appending appending = { lines, count };
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += strlen(lines[i]) + 100;
  return store_write(store, append, &appending, bytes);
}

/* -- what nodes that stand by have told -- */

enum { COLLECTED_MOST = 64 };

struct collecting {
  int64_t numbers[COLLECTED_MOST]; /* a smaller one may still be committed: only what was read is taken out */
  char *lines[COLLECTED_MOST];
  size_t count;
};

static enum armdyn_status read_inbox(struct sql *sql, struct collecting *c)
{
  struct sql_statement *statement;
  bool row = false;
  enum armdyn_status status = sql_query(sql, "SELECT number, line FROM audit_inbox ORDER BY number LIMIT ?",
                                        VALUES(value_integer(COLLECTED_MOST)), &statement);
  while (!status && c->count < COLLECTED_MOST && !(status = sql_step(statement, &row)) && row) {
    c->numbers[c->count] = sql_integer(statement, 0);
    if (!(c->lines[c->count] = strdup(sql_text(statement, 1)))) status = ARMDYN_EMEMORY;
    c->count += !status;
  }
  sql_finish(statement);
  return status;
}

static enum armdyn_status collect(struct sql *sql, void *argument)
{
  (void)argument;
  struct collecting c = { .count = 0 };
  enum armdyn_status status = read_inbox(sql, &c);
  if (!status && c.count) status = append(sql, &(struct appending){ (const char *const *)c.lines, c.count });
  for (size_t i = 0; i < c.count && !status; i++)
    status = sql_send(sql, "DELETE FROM audit_inbox WHERE number = ?", VALUES(value_integer(c.numbers[i])));
  while (c.count) free(c.lines[--c.count]);
  return status;
}

enum armdyn_status store_audit_collect(struct store *store)
{
  struct sql *sql = NULL;
  int64_t waiting = 0;
  if (!store_is_on_server(store->address)) return ARMDYN_OK;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = sql_number(sql, "SELECT count(*) FROM audit_inbox", NO_VALUES, &waiting);
  readers_give(store->readers, sql);
  return status || !waiting ? status : store_write(store, collect, NULL, KB(64));
}

TYPED_VISITOR(store_audit)

static const struct list_type audit_lists = {
  .table = "audit",
  .columns = "number, line, hash",
  .key = "number",
  .search = ", line",
  .never_null = (const char *const[]){ "at", NULL },
  .type = &audit_type,
};

enum armdyn_status store_audit_list(struct store *store, struct store_query *query, store_audit_visit *visit,
                                    void *context)
{
  return store_read_query(store, &audit_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}

/* -- holding the chain against its hashes -- */

struct verifying {
  store_audit_visit *visit;
  void *context;
  struct store_audit *last;
  size_t seen;
  struct armdyn_error *error;
  enum armdyn_status status;
};

static void verify_entry(void *context, const void *row)
{
  struct verifying *v = context;
  const struct store_audit *entry = row;
  char hash[65];
  v->seen++;
  if (v->status) return;
  if (entry->number != v->last->number + 1) {
    v->status = armdyn_refuse(v->error, ARMDYN_EINPUT, "", "entry %" PRId64 " is missing", v->last->number + 1);
    return;
  }
  chain(v->last->hash, entry->number, entry->line, hash);
  if (strcmp(hash, entry->hash) != 0) {
    v->status = armdyn_refuse(v->error, ARMDYN_EINPUT, "", "entry %" PRId64 " was changed", entry->number);
    return;
  }
  v->last->number = entry->number;
  memcpy(v->last->hash, hash, sizeof hash);
  if (v->visit) v->visit(v->context, entry);
}

static enum armdyn_status verify_head(const struct store_audit *head, const struct store_audit *last,
                                      struct armdyn_error *error)
{
  if (last->number < head->number)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "entries %" PRId64 " to %" PRId64 " are missing", last->number + 1,
                         head->number);
  if (last->number == head->number && strcmp(last->hash, head->hash) != 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "entry %" PRId64 " was changed, and all hashes after it",
                         last->number);
  return ARMDYN_OK;
}

enum armdyn_status store_audit_verify(struct store *store, store_audit_visit *visit, void *context,
                                      struct store_audit *last, struct armdyn_error *error)
{
  memset(last, 0, sizeof *last);
  struct store_audit head;
  struct verifying v = { visit, context, last, 0, error, ARMDYN_OK };
  /* first: entries may come while the others are read */
  enum armdyn_status status = store_read(store, "SELECT number, hash FROM audit_head", NO_VALUES, &audit_type, &head);
  do {
    struct listing page = { .select = SELECT,
                            .order = "number",
                            .ascending = true,
                            .before = value_integer(last->number),
                            .limit = VERIFIED_AT_ONCE };
    v.seen = 0;
    if (!status) status = store_read_list(store, &page, &audit_type, verify_entry, &v);
    if (!status) status = v.status;
  } while (!status && v.seen == VERIFIED_AT_ONCE);
  if (!status) status = verify_head(&head, last, error);
  if (status && status != ARMDYN_EINPUT)
    return armdyn_refuse(error, status, "", "the audit trail cannot be read: %s", armdyn_status_text(status));
  return status;
}
