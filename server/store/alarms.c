/* Alarms. What raises and clears them is server/alarms; the events of it come by triggers of the schema. */
#include "server/store/internal.h"

const char *const alarm_state_names[ALARM_STATE_COUNT + 1] = {
  [ALARM_ACTIVE] = "active",
  [ALARM_ACKNOWLEDGED] = "acknowledged",
  [ALARM_CLEARED] = "cleared",
};

static const struct field fields[] = {
  FIELD(store_alarm, id, FIELD_TEXT),
  FIELD_WITH(store_alarm, state, FIELD_NAMED, .names = alarm_state_names),
  FIELD(store_alarm, code, FIELD_TEXT),
  FIELD(store_alarm, source, FIELD_TEXT),
  FIELD(store_alarm, controller, FIELD_TEXT),
  FIELD(store_alarm, text, FIELD_TEXT),
  FIELD(store_alarm, since, FIELD_TEXT),
  FIELD(store_alarm, until, FIELD_TEXT),
  FIELD(store_alarm, acknowledged_at, FIELD_TEXT),
  FIELD(store_alarm, acknowledged_by, FIELD_TEXT),
};
static const struct record_type alarm_type = RECORD_TYPE(store_alarm, fields);

TYPED_VISITOR(store_alarm)

#define COLUMNS "id, state, code, source, controller, text, since, until, acknowledged_at, acknowledged_by"

static const struct list_type alarm_lists = {
  .table = "alarms",
  .columns = COLUMNS,
  .key = "id",
  .search = ", code, text, controller, acknowledged_by",
  .walked = (const char *const[]){ "since", NULL },
  .type = &alarm_type,
};

struct keeping {
  const struct store_alarm *alarms;
  size_t count;
};

/* Who acknowledged it first stays. */
static enum armdyn_status keep(struct sql *sql, void *argument)
{
  const struct keeping *k = argument;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < k->count && !status; i++)
    status = record_run(
        sql,
        "INSERT INTO alarms (id, code, source, controller, text, since, until, acknowledged_at,"
        " acknowledged_by) VALUES (:id, :code, :source, :controller, :text, :since, :until,"
        " :acknowledged_at, :acknowledged_by) ON CONFLICT (id) DO UPDATE SET text = excluded.text,"
        " until = coalesce(alarms.until, excluded.until), acknowledged_at = coalesce(alarms.acknowledged_at,"
        " excluded.acknowledged_at), acknowledged_by = coalesce(alarms.acknowledged_by, excluded.acknowledged_by)",
        &alarm_type, &k->alarms[i], NULL);
  return status;
}

enum armdyn_status store_alarms_keep(struct store *store, const struct store_alarm *alarms, size_t count)
{
  struct keeping k = { alarms, count };
  return store_write(store, keep, &k, count * sizeof *alarms);
}

struct acknowledging {
  const char *id, *by;
};

static enum armdyn_status acknowledge(struct sql *sql, void *argument)
{
  const struct acknowledging *a = argument;
  char now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  return sql_run(sql,
                 "UPDATE alarms SET acknowledged_at = ?, acknowledged_by = ? WHERE id = ? AND acknowledged_at IS NULL",
                 VALUES(value_text(now), value_text(a->by), value_text(a->id)), NULL);
}

enum armdyn_status store_alarm_acknowledge(struct store *store, const char *id, const char *by, struct store_alarm *out)
{
  struct acknowledging a = { id, by };
  enum armdyn_status status = store_alarm_get(store, id, out);
  if (status || *out->acknowledged_at) return status;
  status = store_write(store, acknowledge, &a, 0);
  return status ? status : store_alarm_get(store, id, out);
}

enum armdyn_status store_alarm_get(struct store *store, const char *id, struct store_alarm *out)
{
  return store_read(store, "SELECT " COLUMNS " FROM alarms WHERE id = ?", VALUES(value_text(id)), &alarm_type, out);
}

enum armdyn_status store_alarm_list(struct store *store, struct store_query *query, store_alarm_visit *visit,
                                    void *context)
{
  return store_read_query(store, &alarm_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}

enum armdyn_status store_alarm_totals(struct store *store, const struct store_query *query,
                                      int64_t totals[ALARM_STATE_COUNT])
{
  return store_read_totals(store, &alarm_lists, query, alarm_state_names, totals);
}

enum armdyn_status store_alarms_standing(struct store *store, store_alarm_visit *visit, void *context)
{
  struct listing listing = {
    .select = "SELECT " COLUMNS " FROM alarms", .and = "until IS NULL", .order = "id", .ascending = true
  };
  return store_read_list(store, &listing, &alarm_type, visit_row, &(struct visitor){ visit, context });
}
