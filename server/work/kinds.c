#include "server/work/kinds.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/identification.h"

static const struct job_kind *const kinds[] = {
#define X(name, one, many) &name##_kind,
  JOB_KIND_LIST(X)
#undef X
};

const struct job_kind *job_kind_find(const char *name)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  return NULL;
}

enum armdyn_status motion_get(struct store *store, const char *id, struct store_result *result)
{
  enum armdyn_status status = ARMDYN_ENOTFOUND;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == ARMDYN_ENOTFOUND; i++)
    if (kinds[i]->motion) status = store_result_get(store, kinds[i]->name, id, result);
  return status;
}

enum armdyn_status motion_find(struct store *store, struct store_referral *motion)
{
  enum armdyn_status status = ARMDYN_ENOTFOUND;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == ARMDYN_ENOTFOUND; i++) {
    if (!kinds[i]->motion) continue;
    snprintf(motion->kind, sizeof motion->kind, "%s", kinds[i]->name);
    status = store_referral_check(store, motion);
  }
  if (status) snprintf(motion->kind, sizeof motion->kind, SOURCE_MOTION);
  return status;
}

static void run_free(const struct job_kind *kind, void *run)
{
  if (run && kind->release) kind->release(run);
  free(run);
}

static size_t dataset_sources(const struct id_list *list, const char *name, struct job_source *sources)
{
  for (size_t i = 0; i < list->count; i++) {
    struct job_source *source = &sources[i];
    snprintf(source->referral.kind, sizeof source->referral.kind, "dataset");
    memcpy(source->referral.id, list->items[i], sizeof source->referral.id);
    snprintf(source->pointer, sizeof source->pointer, "/%s/%zu", name, i);
  }
  return list->count;
}

/* Everything that a decoded request computes from; answers how many. */
static size_t find_sources(const struct job_kind *kind, const void *run, struct job_source *sources)
{
  size_t count = 0;
  for (const struct job_datasets *d = kind->datasets; d < kind->datasets + JOB_DATASET_LISTS && d->name; d++) {
    const struct id_list *list = (const struct id_list *)(const void *)((const char *)run + d->at);
    count += dataset_sources(list, d->name, sources + count);
  }
  return kind->sources ? count + kind->sources(run, sources + count) : count;
}

size_t job_source_of_motion(const char *id, struct job_source *source)
{
  if (!*id) return 0;
  *source = (struct job_source){ .referral = { .kind = SOURCE_MOTION }, .pointer = "/trajectory" };
  snprintf(source->referral.id, sizeof source->referral.id, "%s", id);
  return 1;
}

enum armdyn_status job_kind_accept(const struct job_kind *kind, const struct armdyn_robot_description *robot,
                                   const char *request, size_t length, struct job_acceptance *out,
                                   struct faults *faults)
{
  *out = (struct job_acceptance){ .tags = BUFFER(MB(1)) };
  void *run = calloc(1, kind->size);
  enum armdyn_status status = run ? kind->decode(request, length, robot, run, faults) : ARMDYN_EMEMORY;
  if (!status) {
    const struct result_labels *labels = (const struct result_labels *)(const void *)((const char *)run + kind->labels);
    result_tags_encode(labels, &out->tags);
    out->priority = labels->priority;
    memcpy(out->webhook, labels->callback.webhook, sizeof out->webhook);
    if (labels->time_limit > 0) out->time_limit_ms = llround(1000 * labels->time_limit);
    out->source_count = find_sources(kind, run, out->sources);
    status = out->tags.failure;
  }
  run_free(kind, run);
  return status;
}

/* The model with what the request puts in place of its payload, tool and gravity. */
static enum armdyn_status put_in(const struct job_kind *kind, const void *run, struct work *work,
                                 struct armdyn_robot_description **changed)
{
  if (!kind->carried) return ARMDYN_OK;
  const struct carried *carried = (const struct carried *)(const void *)((const char *)run + kind->carried);
  enum armdyn_status status = overrides_apply(&carried->overrides, work->robot, changed);
  if (*changed) work->robot = *changed;
  return status;
}

void job_kind_run(const struct job_kind *kind, struct work *work)
{
  struct armdyn_robot *robot = NULL;
  struct armdyn_robot_description *changed = NULL;
  void *run = calloc(1, kind->size);
  const bool read = run && !kind->decode(work->request, work->request_length, work->robot, run, NULL);
  if (!run || (read && put_in(kind, run, work, &changed)))
    work_out_of_memory(work);
  else if (!read)
    work_problem(work, PROBLEM_INTERNAL, "The accepted request cannot be read again.", NULL, NULL);
  else if (armdyn_robot_new(work->robot, &robot, NULL))
    work_problem(work, PROBLEM_INTERNAL, "the robot's model is not usable", NULL, NULL);
  else
    kind->compute(work, robot, run);
  run_free(kind, run);
  armdyn_robot_free(robot);
  free(changed);
}
