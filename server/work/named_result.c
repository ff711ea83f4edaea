#include "server/work/named_result.h"

enum armdyn_status named_result_open(struct work *work, const char *kind, const char *id, const char *pointer,
                                     struct named_result *out, struct armdyn_error *error)
{
  struct store *store;
  struct store_result result;
  *out = (struct named_result){ .document = NULL };
  enum armdyn_status status = work_store(work, &store);
  if (!status) status = store_result_get(store, kind, id, &result);
  if (status == ARMDYN_ENOTFOUND) return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "does not exist");
  if (status) return status;
  if (strcmp(result.robot, work->robot->name) != 0)
    status = armdyn_refuse(error, ARMDYN_EINPUT, pointer, "is of another robot, %s", result.robot);
  *out = (struct named_result){ result.revision, status ? NULL : document_open(result.document) };
  if (!status && !out->document) status = ARMDYN_EMEMORY;
  store_result_release(&result);
  return status;
}

void named_result_close(struct named_result *result)
{
  document_close(result->document);
  result->document = NULL;
}

size_t named_result_source(const char *kind, const char *id, const char *pointer, struct job_source *source)
{
  if (!*id) return 0;
  *source = (struct job_source){ .referral = { .id = "" } };
  snprintf(source->referral.kind, sizeof source->referral.kind, "%s", kind);
  snprintf(source->referral.id, sizeof source->referral.id, "%s", id);
  snprintf(source->pointer, sizeof source->pointer, "%s", pointer);
  return 1;
}
