#include "server/data/stored_part.h"

#include "api/codec/carried.h"

enum armdyn_status stored_part_put_in(struct store *store, const char *robot, cJSON *request, bool *changed)
{
  const char *name = document_text(request, "part");
  struct store_part row = { .version = 0 };
  cJSON *part = NULL;
  if (!name || !part_name_pattern.matches(name)) return ARMDYN_OK;
  enum armdyn_status status = store_part_get(store, robot, name, &row);
  if (!status) status = document_parse(row.document, strlen(row.document), NULL, &part);
  store_part_release(&row);
  if (status) return status == ARMDYN_ENOTFOUND ? ARMDYN_OK : status;
  if (!cJSON_ReplaceItemInObjectCaseSensitive(request, "part", part)) {
    document_close(part);
    return ARMDYN_EMEMORY;
  }
  *changed = true;
  return ARMDYN_OK;
}
