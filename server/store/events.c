/* The log of events. All but what is seen of controllers comes into it by triggers of the schema. */
#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_event, number, FIELD_INTEGER), FIELD(store_event, at, FIELD_TEXT),
  FIELD(store_event, type, FIELD_TEXT),      FIELD(store_event, controller, FIELD_TEXT),
  FIELD(store_event, order_id, FIELD_TEXT),  FIELD(store_event, job, FIELD_TEXT),
  FIELD(store_event, transfer, FIELD_TEXT),  FIELD(store_event, job_order_id, FIELD_TEXT),
  FIELD(store_event, alarm, FIELD_TEXT),     FIELD(store_event, text, FIELD_OWNED),
};
static const struct record_type event_type = RECORD_TYPE(store_event, fields);

void store_event_release(struct store_event *event)
{
  record_release(&event_type, event);
}

TYPED_VISITOR(store_event)

static const struct list_type event_lists = {
  .table = "events",
  .columns = "number, at, type, controller, order_id, job, transfer, alarm, job_order_id, text",
  .key = "number",
  .search = ", type, text",
  .type = &event_type,
};

enum armdyn_status store_event_list(struct store *store, struct store_query *query, store_event_visit *visit,
                                    void *context)
{
  return store_read_query(store, &event_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}

enum armdyn_status store_event_get(struct store *store, int64_t number, struct store_event *out)
{
  return store_read(store, "SELECT * FROM events WHERE number = ?", VALUES(value_integer(number)), &event_type, out);
}

#define SELECT "SELECT number, at, type, controller, order_id, job, transfer, alarm, job_order_id, text FROM events"

static enum armdyn_status read_behind(struct store *store, const char *and, int64_t number, size_t most,
                                      store_event_visit *visit, void *context)
{
  struct listing listing = {
    .select = SELECT, .and = and, .order = "number", .ascending = true, .before = value_integer(number), .limit = most
  };
  return store_read_list(store, &listing, &event_type, visit_row, &(struct visitor){ visit, context });
}

enum armdyn_status store_event_after(struct store *store, int64_t number, size_t most, store_event_visit *visit,
                                     void *context)
{
  return read_behind(store, NULL, number, most, visit, context);
}

enum armdyn_status store_event_latest(struct store *store, int64_t number, size_t most, store_event_visit *visit,
                                      void *context)
{
  return read_behind(store,
                     "number IN (SELECT max(number) FROM events GROUP BY controller, substr(type, 1, " SQL_EITHER(
                         "instr", "strpos") "(type, '.')))",
                     number, most, visit, context);
}

static enum armdyn_status read_number(struct store *store, const char *text, struct values values, int64_t *number)
{
  struct sql *sql;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = sql_number(sql, text, values, number);
  readers_give(store->readers, sql);
  return status;
}

enum armdyn_status store_event_newest(struct store *store, int64_t *number)
{
  return read_number(store, "SELECT coalesce(max(number), 0) FROM events", NO_VALUES, number);
}

struct has_read {
  const char *reader;
  int64_t number;
};

static enum armdyn_status note_reader(struct sql *sql, void *argument)
{
  const struct has_read *r = argument;
  return sql_send(sql,
                  "INSERT INTO event_readers (name, number) VALUES (?, ?)"
                  " ON CONFLICT (name) DO UPDATE SET number = excluded.number",
                  VALUES(value_text(r->reader), value_integer(r->number)));
}

enum armdyn_status store_event_has_read(struct store *store, const char *reader, int64_t number)
{
  struct has_read r = { reader, number };
  return store_write(store, note_reader, &r, 0);
}

enum armdyn_status store_event_reader(struct store *store, const char *reader, int64_t *number)
{
  enum armdyn_status status =
      read_number(store, "SELECT number FROM event_readers WHERE name = ?", VALUES(value_text(reader)), number);
  if (status != ARMDYN_ENOTFOUND) return status;
  status = store_event_newest(store, number);
  return status ? status : store_event_has_read(store, reader, *number);
}

struct sight {
  const char *controller, *type, *text;
};

static enum armdyn_status note_sight(struct sql *sql, void *argument)
{
  const struct sight *s = argument;
  char now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  return sql_send(
      sql,
      "INSERT INTO events (at, type, controller, text) SELECT ?1, ?2, ?3, ?4"
      " WHERE ?2 <> coalesce((SELECT type FROM events WHERE controller = ?3"
      " AND type IN ('controller.lost', 'controller.back') ORDER BY number DESC LIMIT 1), 'controller.back')",
      VALUES(value_text(now), value_text(s->type), value_text(s->controller), value_text(s->text)));
}

enum armdyn_status store_event_sight(struct store *store, const char *controller, bool lost, const char *text)
{
  struct sight sight = { controller, lost ? "controller.lost" : "controller.back", text };
  return store_write(store, note_sight, &sight, 0);
}
