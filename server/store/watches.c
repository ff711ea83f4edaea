#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_watch, controller, FIELD_TEXT),
  FIELD(store_watch, started_at, FIELD_TEXT),
  FIELD(store_watch, request, FIELD_OWNED),
  FIELD(store_watch, state, FIELD_OWNED),
};
static const struct record_type watch_type = RECORD_TYPE(store_watch, fields);

/* One change of one watch. */
struct change {
  const char *text;
  const struct store_watch *watch;
};

static enum armdyn_status apply(struct sql *sql, void *argument)
{
  const struct change *c = argument;
  return record_change(sql, c->text, &watch_type, c->watch);
}

static enum armdyn_status change(struct store *store, const char *text, const struct store_watch *watch)
{
  struct change c = { text, watch };
  return store_write(store, apply, &c, record_bytes(&watch_type, watch));
}

enum armdyn_status store_watch_create(struct store *store, const struct store_watch *watch)
{
  return change(store,
                "INSERT INTO watches (controller, started_at, request) VALUES (:controller, :started_at, :request)",
                watch);
}

enum armdyn_status store_watch_keep(struct store *store, const struct store_watch *watch)
{
  return change(store, "UPDATE watches SET state = :state WHERE controller = :controller", watch);
}

enum armdyn_status store_watch_delete(struct store *store, const char *controller)
{
  struct store_watch watch = { .request = NULL };
  snprintf(watch.controller, sizeof watch.controller, "%s", controller);
  return change(store, "DELETE FROM watches WHERE controller = :controller", &watch);
}

TYPED_VISITOR(store_watch)

enum armdyn_status store_watch_list(struct store *store, store_watch_visit *visit, void *context)
{
  struct listing listing = { .select = "SELECT * FROM watches", .order = "controller", .ascending = true };
  return store_read_list(store, &listing, &watch_type, visit_row, &(struct visitor){ visit, context });
}
