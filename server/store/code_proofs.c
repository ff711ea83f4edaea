#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_code_proof, id, FIELD_TEXT),          FIELD(store_code_proof, robot, FIELD_TEXT),
  FIELD(store_code_proof, revision, FIELD_INTEGER), FIELD(store_code_proof, created_at, FIELD_TEXT),
  FIELD(store_code_proof, version, FIELD_TEXT),     FIELD(store_code_proof, request, FIELD_OWNED),
  FIELD(store_code_proof, programs, FIELD_OWNED),
};
static const struct record_type proof_type = RECORD_TYPE(store_code_proof, fields);

static enum armdyn_status keep(struct sql *sql, void *argument)
{
  struct store_code_proof *proof = argument;
  enum armdyn_status status =
      record_change(sql,
                    "INSERT INTO code_proofs (id, robot, revision, created_at, version, request, programs)"
                    " SELECT :id, name, revision, :created_at, :version, :request, :programs FROM robot_revisions"
                    " WHERE name = :robot AND revision = :revision"
                    " ON CONFLICT (robot, revision, version, " SQL_EITHER(
                        "request", "md5(request)") ") DO UPDATE SET created_at = excluded.created_at,"
                                                   " programs = excluded.programs",
                    &proof_type, proof);
  if (status) return status;
  return sql_run(sql,
                 "DELETE FROM code_proofs WHERE id IN (SELECT id FROM code_proofs WHERE robot = ?1 AND revision = ?2"
                 " ORDER BY created_at DESC, id DESC LIMIT 9223372036854775807 OFFSET ?3)",
                 VALUES(value_text(proof->robot), value_integer(proof->revision), value_integer(STORE_CODE_PROOFS)),
                 NULL);
}

enum armdyn_status store_code_proof_keep(struct store *store, struct store_code_proof *proof)
{
  id_make(proof->id);
  clock_format(clock_wall_ms(), proof->created_at);
  return store_write(store, keep, proof, record_bytes(&proof_type, proof));
}

TYPED_VISITOR(store_code_proof)

static const struct list_type proof_lists = {
  .table = "code_proofs",
  .columns = "id, robot, revision, created_at, version, request, programs",
  .key = "id",
  .of = "robot",
  .search = ", request",
  .type = &proof_type,
};

enum armdyn_status store_code_proof_list(struct store *store, const char *robot, struct store_query *query,
                                         store_code_proof_visit *visit, void *context)
{
  return store_read_query(store, &proof_lists, robot, query, visit_row, &(struct visitor){ visit, context });
}
