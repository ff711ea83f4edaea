#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_referral, kind, FIELD_TEXT),
  FIELD(store_referral, id, FIELD_TEXT),
};
static const struct record_type referral_type = RECORD_TYPE(store_referral, fields);

enum armdyn_status store_referrals_keep(struct sql *sql, const char *from_kind, const char *from_id,
                                        const struct store_referral *to, size_t count)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; !status && i < count; i++) {
    status =
        sql_change(sql,
                   "INSERT INTO referrals (from_kind, from_id, to_kind, to_id) SELECT ?1, ?2, ?3, ?4"
                   " WHERE EXISTS (SELECT 1 FROM datasets WHERE ?3 = 'dataset' AND id = ?4)"
                   " OR EXISTS (SELECT 1 FROM results WHERE kind = ?3 AND id = ?4)"
                   " ON CONFLICT (from_kind, from_id, to_kind, to_id) DO UPDATE SET to_id = excluded.to_id",
                   VALUES(value_text(from_kind), value_text(from_id), value_text(to[i].kind), value_text(to[i].id)));
    if (status == ARMDYN_ENOTFOUND) status = ARMDYN_ECONFLICT;
  }
  return status;
}

enum armdyn_status store_referrals_inherit(struct sql *sql, const char *job, const char *kind, const char *id)
{
  return sql_send(sql, "UPDATE referrals SET from_kind = ?, from_id = ? WHERE from_kind = 'job' AND from_id = ?",
                  VALUES(value_text(kind), value_text(id), value_text(job)));
}

enum armdyn_status store_referrals_forget(struct sql *sql, const char *from_kind, const char *from_id)
{
  return sql_send(sql, "DELETE FROM referrals WHERE from_kind = ? AND from_id = ?",
                  VALUES(value_text(from_kind), value_text(from_id)));
}

enum armdyn_status store_referrals_check(struct sql *sql, const char *to_kind, const char *to_id)
{
  int64_t number;
  enum armdyn_status status = sql_number(sql, "SELECT 1 FROM referrals WHERE to_kind = ? AND to_id = ? LIMIT 1",
                                         VALUES(value_text(to_kind), value_text(to_id)), &number);
  return status == ARMDYN_OK ? ARMDYN_ECONFLICT : status == ARMDYN_ENOTFOUND ? ARMDYN_OK : status;
}

enum armdyn_status store_referral_check(struct store *store, const struct store_referral *referral)
{
  struct store_referral found;
  return store_read(store,
                    "SELECT 'dataset' AS kind, id FROM datasets WHERE ?1 = 'dataset' AND id = ?2"
                    " UNION ALL SELECT kind, id FROM results WHERE kind = ?1 AND id = ?2",
                    VALUES(value_text(referral->kind), value_text(referral->id)), &referral_type, &found);
}

TYPED_VISITOR(store_referral)

enum armdyn_status store_referrers(struct store *store, const char *kind, const char *id, size_t limit,
                                   store_referral_visit *visit, void *context)
{
  struct listing listing = {
    .select = "SELECT kind, id FROM (SELECT to_kind, to_id, from_kind AS kind, from_id AS id FROM referrals UNION ALL"
              " SELECT results.kind, trajectory, 'transfer', transfers.id FROM transfers"
              " JOIN results ON results.id = trajectory UNION ALL"
              " SELECT results.kind, trajectory, 'order', orders.id FROM orders"
              " JOIN results ON results.id = trajectory WHERE finished_at IS NULL) AS found",
    .where = { { "to_kind", value_text(kind) }, { "to_id", value_text(id) } },
    .order = "id",
    .ascending = true,
    .limit = limit
  };
  return store_read_list(store, &listing, &referral_type, visit_row, &(struct visitor){ visit, context });
}
