#include "server/jobs/dataset_sources.h"

size_t dataset_sources(const struct id_list *list, const char *name, struct job_source *sources)
{
  for (size_t i = 0; i < list->count; i++) {
    struct job_source *source = &sources[i];
    snprintf(source->referral.kind, sizeof source->referral.kind, "dataset");
    memcpy(source->referral.id, list->items[i], sizeof source->referral.id);
    snprintf(source->pointer, sizeof source->pointer, "/%s/%zu", name, i);
  }
  return list->count;
}
