/* Evaluations: how well models predict the torques of data sets. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "api/codec/evaluation.h"
#include "api/codec/promotion.h"
#include "api/codec/robot.h"
#include "server/data/opened_logs.h"
#include "server/work/conditioning.h"
#include "server/work/identification_errors.h"
#include "server/work/kinds.h"

enum { ENTRIES = LIMIT_EVALUATION_CURVES };

/* A model, ready to predict. */
struct judged {
  struct armdyn_unknowns *unknowns;
  double *beta;
  struct id_list training; /* what it was identified from */
};

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct evaluation_request request;
  size_t model_count, entry_count, warning_count;
  struct judged models[LIMIT_EVALUATION_MODELS];
  int64_t revisions[LIMIT_EVALUATION_MODELS];
  struct opened_logs logs;
  struct armdyn_conditioning conditioning;
  struct identification_conditioning used;
  struct evaluation_entry *entries; /* ENTRIES */
  struct identification_warning warnings[ENTRIES];
  char told[ENTRIES][256];
};

/* -- models -- */

/* The description of a stored revision. OK, ENOTFOUND, EMEMORY, EIO. */
static enum armdyn_status read_revision(struct store *store, const char *name, int64_t revision,
                                        struct armdyn_robot_description *out, int64_t *found)
{
  struct store_robot row;
  enum armdyn_status status = store_robot_get(store, name, revision, &row);
  if (status) return status;
  status = robot_decode(row.document, strlen(row.document), true, out, NULL, NULL);
  *found = row.revision;
  store_robot_release(&row);
  return status == ARMDYN_EINPUT || status == ARMDYN_ESYNTAX ? ARMDYN_EIO : status;
}

/* The revision that an identification used, with what it found. */
static enum armdyn_status read_identified(struct run *run, struct store *store, size_t index,
                                          struct armdyn_robot_description *model, struct armdyn_error *error)
{
  struct store_result result;
  struct promotion_source *source = malloc(sizeof *source);
  const char *id = run->request.models.items[index].identification;
  enum armdyn_status status = source ? store_result_get(store, "identification", id, &result) : ARMDYN_EMEMORY;
  if (status) {
    free(source);
    return status == ARMDYN_ENOTFOUND ? armdyn_refuse(error, ARMDYN_EINPUT, "", "does not exist") : status;
  }
  if (strcmp(result.robot, run->work->robot->name) != 0)
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "is of another robot, %s", result.robot);
  cJSON *document = document_open(result.document);
  if (!status) status = evaluation_training_read(document, &run->models[index].training);
  if (!status) status = read_revision(store, result.robot, result.revision, model, &run->revisions[index]);
  if (!status) status = promotion_source_read(document, source);
  if (!status) status = promotion_apply(source, PROMOTE_ALL, model, error);
  document_close(document);
  store_result_release(&result);
  free(source);
  return status;
}

/* A revision by its number, or by the alias that stands for it now. */
static enum armdyn_status read_named(const struct run *run, struct store *store, const struct evaluation_model *asked,
                                     struct armdyn_robot_description *model, int64_t *found)
{
  struct store_alias alias = { .revision = asked->revision };
  const char *name = run->work->robot->name;
  enum armdyn_status status = asked->alias ? store_alias_get(store, name, asked->name, &alias) : ARMDYN_OK;
  return status ? status : read_revision(store, name, alias.revision, model, found);
}

static enum armdyn_status open_model(struct run *run, size_t index, struct armdyn_error *error)
{
  const struct evaluation_model *asked = &run->request.models.items[index];
  struct judged *judged = &run->models[index];
  struct armdyn_robot_description *model = calloc(1, sizeof *model);
  struct armdyn_robot *robot = NULL;
  struct store *store;
  enum armdyn_status status = model ? work_store(run->work, &store) : ARMDYN_EMEMORY;
  if (status) goto out;
  if (*asked->identification)
    status = read_identified(run, store, index, model, error);
  else
    status = read_named(run, store, asked, model, &run->revisions[index]);
  if (status == ARMDYN_ENOTFOUND) status = armdyn_refuse(error, ARMDYN_EINPUT, "", "is no revision of the robot");
  if (status) goto out;
  if (model->joint_count != run->work->robot->joint_count) {
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "has %zu joints, the robot %zu", model->joint_count,
                           run->work->robot->joint_count);
    goto out;
  }
  if ((status = armdyn_robot_new(model, &robot, error))) goto out;
  if ((status = armdyn_unknowns_new(robot, 0, ARMDYN_ROTORS_PRESENT, &judged->unknowns, error))) goto out;
  judged->beta = malloc(armdyn_base_parameter_count(armdyn_unknowns_base(judged->unknowns)) * sizeof *judged->beta);
  status = judged->beta ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) armdyn_model_base_parameters(judged->unknowns, NULL, judged->beta);
out:
  armdyn_robot_free(robot);
  free(model);
  return status;
}

static enum armdyn_status refuse_model(enum armdyn_status status, size_t index, const char *name,
                                       struct armdyn_error *error)
{
  char detail[sizeof error->message];
  snprintf(detail, sizeof detail, "%s", error->message[0] ? error->message : armdyn_status_text(status));
  char pointer[48];
  snprintf(pointer, sizeof pointer, "/models/%zu", index);
  return armdyn_refuse(error, status, pointer, "model %s %.180s", name, detail);
}

static enum armdyn_status open_all(struct run *run, struct armdyn_error *error)
{
  const struct evaluation_request *request = &run->request;
  for (size_t i = 0; i < request->models.count; i++) {
    run->model_count = i + 1;
    const enum armdyn_status status = open_model(run, i, error);
    if (status) return refuse_model(status, i, request->models.items[i].name, error);
  }
  const struct listed_logs judged_on = {
    .list = &request->datasets, .name = "datasets", .role = IDENTIFICATION_VALIDATION, .to = 1
  };
  struct store *store;
  const enum armdyn_status status = work_store(run->work, &store);
  return status ? status : opened_logs_open(store, &judged_on, run->work->robot, &run->logs, error);
}

/* -- leaks -- */

/* Does this data set repeat the motion of one that the model was identified from? Training data that are gone meanwhile
 * cannot be asked; referrals keep them as long as the identification is there. */
static enum armdyn_status look_for_leak(struct run *run, struct evaluation_entry *entry, struct armdyn_error *error)
{
  const struct id_list *training = &run->models[entry->model].training;
  const char *own_id = run->logs.data[entry->dataset].id;
  struct armdyn_motion own = { 0 };
  struct store *store;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < training->count; i++) entry->trained_on_this |= !strcmp(training->items[i], own_id);
  if (entry->trained_on_this || !training->count) return ARMDYN_OK;
  status = work_store(run->work, &store);
  if (!status) status = conditioned_head(&run->logs.motions[entry->dataset], &run->conditioning, &own, error);
  for (size_t i = 0; !status && i < training->count && !entry->repeats_training; i++) {
    struct logged_motion trained = { .room = 0 };
    status = logged_motion_open(store, training->items[i], run->work->robot, 0, 1, &trained, error);
    if (!status) status = conditioned_head_repeats(&trained, &run->conditioning, &own, &entry->repeats_training, error);
    logged_motion_close(&trained);
  }
  armdyn_motion_free(&own);
  return status;
}

static void warn_of(struct run *run, const struct evaluation_entry *entry)
{
  if (!entry->trained_on_this && !entry->repeats_training) return;
  char text[sizeof run->told[0]];
  char *told = run->told[run->warning_count];
  snprintf(text, sizeof text,
           "%s was identified from %sdata set %s: its errors there are too good to tell how it does on other motions",
           run->request.models.items[entry->model].name, entry->trained_on_this ? "" : "the motion of ",
           run->logs.data[entry->dataset].id);
  memcpy(told, text, sizeof text);
  run->warnings[run->warning_count++] =
      (struct identification_warning){ .code = "validation_repeats_training", .joint = NULL, .detail = told };
}

/* -- errors -- */

static enum armdyn_status evaluate(struct run *run, size_t model, size_t dataset, struct armdyn_error *error)
{
  struct evaluation_entry *entry = &run->entries[run->entry_count++];
  struct identification_result *result = calloc(1, sizeof *result);
  if (!result) return ARMDYN_EMEMORY;
  entry->model = model, entry->dataset = dataset;
  const struct identification_errors_order order = {
    .work = run->work,
    .unknowns = run->models[model].unknowns,
    .beta = run->models[model].beta,
    .conditioning = &run->conditioning,
    .motions = &run->logs.motions[dataset],
    .data = &run->logs.data[dataset],
    .data_count = 1,
    .joint_count = run->work->robot->joint_count,
    .no_series = true,
  };
  enum armdyn_status status = identification_errors_compute(&order, result, error);
  if (!status) status = look_for_leak(run, entry, error);
  entry->errors = result->errors[IDENTIFICATION_VALIDATION];
  entry->residuals = result->residuals;
  if (!status) warn_of(run, entry);
  free(result);
  return status;
}

static void send_result(struct run *run)
{
  struct buffer document = BUFFER(LIMIT_FRAME);
  const struct evaluation_result result = { .request = &run->request,
                                            .request_text = run->work->request,
                                            .joint_count = run->work->robot->joint_count,
                                            .revisions = run->revisions,
                                            .data = run->logs.data,
                                            .conditioning = run->used,
                                            .entries = run->entries,
                                            .entry_count = run->entry_count,
                                            .warnings = run->warnings,
                                            .warning_count = run->warning_count };
  evaluation_result_encode(&result, &document);
  work_result(run->work, &document);
  buffer_release(&document);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  (void)robot;
  struct run *run = context;
  struct armdyn_error error = { "", "" };
  run->work = work;
  work_progress(work, 0, "opening models and data sets");
  enum armdyn_status status = open_all(run, &error);
  if (!status)
    status = conditioning_choose(&run->request.conditioning, run->logs.motions, run->logs.count, &run->conditioning,
                                 &run->used, &error);
  run->entries = calloc(run->model_count * run->logs.count + 1, sizeof *run->entries);
  if (!status && !run->entries) status = ARMDYN_EMEMORY;
  for (size_t m = 0; m < run->request.models.count; m++)
    for (size_t d = 0; !status && d < run->logs.count; d++) status = evaluate(run, m, d, &error);
  if (status)
    work_refused(work, status, &error);
  else
    send_result(run);
}

JOB_REQUEST(struct run, evaluation_request_decode)

/* The identifications among the models. */
static size_t sources(const void *context, struct job_source *list)
{
  const struct run *run = context;
  size_t count = 0;
  for (size_t i = 0; i < run->request.models.count; i++) {
    if (!*run->request.models.items[i].identification) continue;
    struct job_source *source = &list[count++];
    snprintf(source->referral.kind, sizeof source->referral.kind, "identification");
    memcpy(source->referral.id, run->request.models.items[i].identification, sizeof source->referral.id);
    snprintf(source->pointer, sizeof source->pointer, "/models/%zu", i);
  }
  return count;
}

static void release(void *context)
{
  struct run *run = context;
  opened_logs_release(&run->logs);
  for (size_t i = 0; i < run->model_count; i++) {
    armdyn_unknowns_free(run->models[i].unknowns);
    free(run->models[i].beta);
  }
  free(run->entries);
}

const struct job_kind evaluation_kind = {
  .name = "evaluation",
  .stall_s = 1800,
  .form = &evaluation_form,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .datasets = { { "datasets", offsetof(struct run, request.datasets) } },
  .decode = decode,
  .sources = sources,
  .compute = compute,
  .release = release,
};
