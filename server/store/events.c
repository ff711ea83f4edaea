/* The log of events. All but what is seen of controllers comes into it by triggers of the schema. */
#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_event, number, FIELD_INTEGER), FIELD(store_event, at, FIELD_TEXT),
  FIELD(store_event, type, FIELD_TEXT),      FIELD(store_event, controller, FIELD_TEXT),
  FIELD(store_event, order_id, FIELD_TEXT),  FIELD(store_event, job, FIELD_TEXT),
  FIELD(store_event, transfer, FIELD_TEXT),  FIELD(store_event, job_order_id, FIELD_TEXT),
  FIELD(store_event, text, FIELD_OWNED),
};
static const struct record_type event_type = RECORD_TYPE(store_event, fields);

void store_event_release(struct store_event *event)
{
  record_release(&event_type, event);
}

TYPED_VISITOR(store_event)

static const struct list_type event_lists = {
  .table = "events",
  .columns = "number, at, type, controller, order_id, job, transfer, job_order_id, text",
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

struct sight {
  const char *controller, *type, *text;
};

static enum armdyn_status note_sight(struct sql *sql, void *argument)
{
  const struct sight *s = argument;
  char now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  return sql_run(
      sql,
      "INSERT INTO events (at, type, controller, text) SELECT ?1, ?2, ?3, ?4"
      " WHERE ?2 <> coalesce((SELECT type FROM events WHERE controller = ?3"
      " AND type IN ('controller.lost', 'controller.back') ORDER BY number DESC LIMIT 1), 'controller.back')",
      VALUES(value_text(now), value_text(s->type), value_text(s->controller), value_text(s->text)), NULL);
}

enum armdyn_status store_event_sight(struct store *store, const char *controller, bool lost, const char *text)
{
  struct sight sight = { controller, lost ? "controller.lost" : "controller.back", text };
  return store_write(store, note_sight, &sight, 0);
}
