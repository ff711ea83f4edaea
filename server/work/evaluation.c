/* Evaluations: how well models predict the torques of data sets. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "api/codec/evaluation.h"
#include "api/codec/promotion.h"
#include "server/data/opened_logs.h"
#include "server/work/conditioning.h"
#include "server/work/evaluation_gains.h"
#include "server/work/identification_errors.h"
#include "server/work/kinds.h"
#include "server/work/lineage.h"
#include "server/work/named_result.h"

enum { ENTRIES = LIMIT_EVALUATION_CURVES, WARNINGS = ENTRIES + 2 * LIMIT_DATASETS + LIMIT_EVALUATION_MODELS };

/* A model, ready to predict. */
struct judged {
  struct armdyn_robot_description *model;
  struct armdyn_unknowns *unknowns;
  double *beta;
  struct armdyn_gears *gears; /* as in struct identification_errors_order */
  char from[27];              /* the identification that it is of or was promoted from; "": none */
};

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct evaluation_request request;
  size_t model_count, entry_count, warning_count;
  struct judged models[LIMIT_EVALUATION_MODELS];
  int64_t revisions[LIMIT_EVALUATION_MODELS];
  struct evaluation_lineage lineages[LIMIT_EVALUATION_MODELS];
  struct data_prints prints;
  struct opened_logs logs;
  struct armdyn_loads *loads; /* that multiply by the gains; NULL: torques are as logged */
  double gains[ARMDYN_JOINTS_MAX];
  struct armdyn_conditioning conditioning;
  struct identification_conditioning used;
  struct evaluation_entry *entries;                 /* models x data sets */
  struct armdyn_error_cells *(*cells)[COMPARISONS]; /* of the entries */
  struct armdyn_blocks blocks[LIMIT_DATASETS];
  struct identification_warning warnings[WARNINGS];
  char told[WARNINGS][256];
};

/* -- models -- */

/* The revision that an identification used, with what it found. */
static enum armdyn_status read_identified(struct run *run, struct store *store, size_t index,
                                          struct armdyn_robot_description *model, struct armdyn_error *error)
{
  struct named_result result;
  const char *id = run->request.models.items[index].identification;
  struct promotion_source *source = malloc(sizeof *source);
  enum armdyn_status status =
      source ? named_result_open(run->work, "identification", id, "", &result, error) : ARMDYN_EMEMORY;
  if (status) goto out;
  run->revisions[index] = result.revision;
  memcpy(run->models[index].from, id, sizeof run->models[index].from);
  status = lineage_revision_read(store, run->work->robot->name, result.revision, model, NULL);
  if (!status) status = promotion_source_read(result.document, source);
  if (!status) status = promotion_apply(source, PROMOTE_ALL, model, error);
  named_result_close(&result);
out:
  free(source);
  return status;
}

/* A revision by its number, or by the alias that stands for it now. */
static enum armdyn_status read_named(struct run *run, struct store *store, size_t index,
                                     struct armdyn_robot_description *model)
{
  const struct evaluation_model *asked = &run->request.models.items[index];
  struct store_alias alias = { .revision = asked->revision };
  const char *name = run->work->robot->name;
  struct store_robot row;
  enum armdyn_status status = asked->alias ? store_alias_get(store, name, asked->name, &alias) : ARMDYN_OK;
  if (!status) status = lineage_revision_read(store, name, alias.revision, model, &row);
  if (status) return status;
  run->revisions[index] = row.revision;
  memcpy(run->models[index].from, row.identification, sizeof run->models[index].from);
  return ARMDYN_OK;
}

static void judged_release(struct judged *judged)
{
  armdyn_unknowns_free(judged->unknowns);
  armdyn_gears_free(judged->gears);
  free(judged->beta);
  free(judged->model);
}

/* What a model, which is there, predicts with. */
static enum armdyn_status judged_open(struct judged *judged, struct armdyn_error *error)
{
  struct armdyn_robot *robot;
  enum armdyn_status status = armdyn_robot_new(judged->model, &robot, error);
  if (status) return status;
  status = armdyn_unknowns_new(robot, 0, ARMDYN_ROTORS_PRESENT, &judged->unknowns, error);
  if (!status) status = armdyn_gears_new(robot, &judged->gears, error);
  armdyn_robot_free(robot);
  if (status) return status;
  judged->beta = malloc(armdyn_base_parameter_count(armdyn_unknowns_base(judged->unknowns)) * sizeof *judged->beta);
  if (!judged->beta) return ARMDYN_EMEMORY;
  armdyn_model_base_parameters(judged->unknowns, NULL, judged->beta);
  return ARMDYN_OK;
}

/* The same arm with another payload. */
static enum armdyn_status judged_carrying(const struct judged *judged, const struct armdyn_body *payload,
                                          struct judged *out, struct armdyn_error *error)
{
  *out = (struct judged){ .model = malloc(sizeof *out->model) };
  if (!out->model) return ARMDYN_EMEMORY;
  *out->model = *judged->model;
  out->model->payload = *payload;
  return judged_open(out, error);
}

static enum armdyn_status open_model(struct run *run, size_t index, struct armdyn_error *error)
{
  const struct evaluation_model *asked = &run->request.models.items[index];
  struct judged *judged = &run->models[index];
  struct armdyn_robot_description *model = judged->model = calloc(1, sizeof *model);
  struct store *store;
  enum armdyn_status status = model ? work_store(run->work, &store) : ARMDYN_EMEMORY;
  if (status) return status;
  if (*asked->identification)
    status = read_identified(run, store, index, model, error);
  else
    status = read_named(run, store, index, model);
  if (status == ARMDYN_ENOTFOUND) status = armdyn_refuse(error, ARMDYN_EINPUT, "", "is no revision of the robot");
  if (status) return status;
  if (model->joint_count != run->work->robot->joint_count)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "has %zu joints, the robot %zu", model->joint_count,
                         run->work->robot->joint_count);
  status = lineage_follow(store, run->work->robot->name, asked->identification, run->revisions[index],
                          &run->lineages[index]);
  return status ? status : judged_open(judged, error);
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

/* Does it repeat the motion of one that the model was identified from? Training data that are gone meanwhile cannot be
 * asked; referrals keep them as long as the identification is there. */
static enum armdyn_status look_for_motion(struct run *run, struct evaluation_entry *entry, struct store *store,
                                          struct armdyn_error *error)
{
  const struct evaluation_lineage *lineage = &run->lineages[entry->model];
  struct armdyn_motion own = { 0 };
  enum armdyn_status status = conditioned_head(&run->logs.motions[entry->dataset], &run->conditioning, &own, error);
  for (size_t i = 0; !status && i < lineage->origin_count && !entry->leak_count; i++) {
    const struct evaluation_origin *origin = &lineage->origins[i];
    struct logged_motion trained = { .room = 0 };
    bool repeats = false;
    status = logged_motion_open_any(store, origin->dataset, run->work->robot, 0, 1, &trained, error);
    if (!status) status = conditioned_head_repeats(&trained, &run->conditioning, &own, &repeats, error);
    logged_motion_close(&trained);
    if (status == ARMDYN_ENOTFOUND || status == ARMDYN_EINPUT)
      status = ARMDYN_OK; /* gone, or of a revision of other joints */
    if (repeats)
      entry->leaks[entry->leak_count++] = (struct evaluation_leak){ .kind = LEAK_SAME_MOTION, .origin = origin };
  }
  armdyn_motion_free(&own);
  return status;
}

static enum armdyn_status look_for_leaks(struct run *run, struct evaluation_entry *entry, struct armdyn_error *error)
{
  const struct evaluation_lineage *lineage = &run->lineages[entry->model];
  const struct identification_data *data = &run->logs.data[entry->dataset];
  struct store *store;
  enum armdyn_status status = lineage->origin_count ? work_store(run->work, &store) : ARMDYN_OK;
  for (size_t i = 0; !status && i < lineage->origin_count; i++) {
    struct evaluation_leak leak;
    status = lineage_overlap(store, &run->prints, &lineage->origins[i], data->id, data->sha256, &leak);
    if (!status && leak.kind) entry->leaks[entry->leak_count++] = leak;
  }
  if (!status && lineage->origin_count && !entry->leak_count) status = look_for_motion(run, entry, store, error);
  for (size_t i = 0; i < entry->leak_count; i++) entry->trained_on_this |= entry->leaks[i].kind == LEAK_SAME_DATASET;
  entry->repeats_training = entry->leak_count && !entry->trained_on_this;
  return status;
}

static void warn(struct run *run, const char *code, const char *detail)
{
  char *told = run->told[run->warning_count];
  snprintf(told, sizeof *run->told, "%s", detail);
  run->warnings[run->warning_count++] = (struct identification_warning){ .code = code, .joint = NULL, .detail = told };
}

static void warn_of_leak(struct run *run, const struct evaluation_entry *entry)
{
  static const char *const what[] = { [LEAK_NONE] = "",
                                      [LEAK_SAME_DATASET] = "",
                                      [LEAK_SAME_CONTENT] = "the samples of ",
                                      [LEAK_SAME_SAMPLES] = "a part of ",
                                      [LEAK_SAME_MOTION] = "the motion of " };
  char text[sizeof run->told[0]];
  if (!entry->leak_count) return;
  snprintf(text, sizeof text,
           "%s was identified from %sdata set %s: its errors there are too good to tell how it does on other motions",
           run->request.models.items[entry->model].name, entry->trained_on_this ? "" : what[entry->leaks[0].kind],
           run->logs.data[entry->dataset].id);
  warn(run, "validation_repeats_training", text);
}

/* -- errors -- */

static enum armdyn_status evaluate(struct run *run, size_t model, size_t dataset, struct armdyn_error *error)
{
  struct armdyn_error_cells **cells = run->cells[run->entry_count];
  struct evaluation_entry *entry = &run->entries[run->entry_count++];
  struct identification_result *result = calloc(1, sizeof *result);
  if (!result) return ARMDYN_EMEMORY;
  entry->model = model, entry->dataset = dataset;
  const struct logged_motion *motion = &run->logs.motions[dataset];
  const struct judged *judged = &run->models[model];
  struct judged carrying = { .model = NULL };
  enum armdyn_status status =
      motion->other_payload ? judged_carrying(judged, &motion->payload, &carrying, error) : ARMDYN_OK;
  if (motion->other_payload) judged = &carrying;
  if (!status) status = armdyn_error_cells_new(run->work->robot->joint_count, &cells[COMPARED_RAW]);
  if (!status) status = armdyn_error_cells_new(run->work->robot->joint_count, &cells[COMPARED_PARALLEL]);
  const struct identification_errors_order order = {
    .work = run->work,
    .unknowns = judged->unknowns,
    .beta = judged->beta,
    .gears = judged->gears,
    .loads = run->loads,
    .conditioning = &run->conditioning,
    .motions = &run->logs.motions[dataset],
    .data = &run->logs.data[dataset],
    .data_count = 1,
    .joint_count = run->work->robot->joint_count,
    .no_series = true,
    .cells = { [COMPARED_RAW] = cells[COMPARED_RAW], [COMPARED_PARALLEL] = cells[COMPARED_PARALLEL] },
  };
  if (!status) status = identification_errors_compute(&order, result, error);
  if (!status) status = look_for_leaks(run, entry, error);
  entry->errors = result->errors[IDENTIFICATION_VALIDATION];
  entry->residuals = result->residuals;
  if (!status) warn_of_leak(run, entry);
  judged_release(&carrying);
  free(result);
  return status;
}

/* -- intervals -- */

static const enum identification_comparison bounded[] = { COMPARED_RAW, COMPARED_PARALLEL };
enum { BOUNDED = sizeof bounded / sizeof *bounded };

static struct evaluation_entry *entry_of(const struct run *run, size_t model, size_t dataset)
{
  return &run->entries[model * run->logs.count + dataset];
}

static void collect_cells(const struct run *run, size_t dataset, enum identification_comparison kind,
                          const struct armdyn_error_cells **out)
{
  for (size_t m = 0; m < run->model_count; m++) out[m] = run->cells[m * run->logs.count + dataset][kind];
}

/* The least error of all joints together; one with a leak only where there is no other. */
static size_t best_on(const struct run *run, size_t dataset, enum identification_comparison kind)
{
  size_t best = 0;
  for (size_t m = 1; m < run->model_count; m++) {
    const struct evaluation_entry *own = entry_of(run, m, dataset), *least = entry_of(run, best, dataset);
    const bool leaks = own->leak_count, best_leaks = least->leak_count;
    if (leaks != best_leaks ? best_leaks : own->errors.together[kind].relative < least->errors.together[kind].relative)
      best = m;
  }
  return best;
}

static enum armdyn_status bound(struct run *run, size_t dataset, enum identification_comparison kind)
{
  enum { WIDTH = ARMDYN_JOINTS_MAX + 1 };
  const size_t n = run->work->robot->joint_count, best = best_on(run, dataset, kind);
  const struct armdyn_error_cells *cells[LIMIT_EVALUATION_MODELS];
  struct armdyn_interval errors[LIMIT_EVALUATION_MODELS * WIDTH], differences[LIMIT_EVALUATION_MODELS * WIDTH];
  const struct armdyn_bootstrap order = { .blocks = run->blocks[dataset],
                                          .resamples = (size_t)run->request.bootstrap.resamples,
                                          .level = run->request.bootstrap.level,
                                          .seed = (uint64_t)run->request.bootstrap.seed };
  collect_cells(run, dataset, kind, cells);
  const enum armdyn_status status = armdyn_bootstrap(&order, cells, run->model_count, best, errors, differences);
  for (size_t m = 0; m < run->model_count && !status; m++) {
    const struct identification_errors *own = &entry_of(run, m, dataset)->errors;
    const struct identification_errors *least = &entry_of(run, best, dataset)->errors;
    struct evaluation_intervals *out = &entry_of(run, m, dataset)->intervals[kind];
    out->best = best;
    memcpy(out->errors, errors + m * (n + 1), (n + 1) * sizeof *errors);
    memcpy(out->differences, differences + m * (n + 1), (n + 1) * sizeof *differences);
    for (size_t j = 0; j < n; j++) out->above[j] = own->joints[kind][j].relative - least->joints[kind][j].relative;
    out->above[n] = own->together[kind].relative - least->together[kind].relative;
  }
  return status;
}

static void warn_of_blocks(struct run *run, size_t dataset)
{
  const struct armdyn_blocks *blocks = &run->blocks[dataset];
  char text[sizeof run->told[0]];
  if (!blocks->length)
    snprintf(text, sizeof text, "data set %s is too short for intervals of its errors", run->logs.data[dataset].id);
  else
    snprintf(
        text, sizeof text,
        "what models leave on data set %s is correlated too long for blocks of %.3g s: its intervals may be too narrow",
        run->logs.data[dataset].id, (double)blocks->length / run->conditioning.rate);
  if (!blocks->length || blocks->limited) warn(run, "few_blocks", text);
}

static void warn_of_conditions(struct run *run, size_t dataset)
{
  char text[sizeof run->told[0]];
  if (!run->logs.motions[dataset].other_tool_or_gravity) return;
  snprintf(text, sizeof text,
           "data set %s says that it was logged with a tool or gravity of its own; those of each model were taken",
           run->logs.data[dataset].id);
  warn(run, "conditions_differ", text);
}

static bool of_other_torques(struct run *run, const struct judged *judged)
{
  struct named_result result = { .document = NULL };
  double gains[ARMDYN_JOINTS_MAX];
  const bool any = *judged->from && !named_result_open(run->work, "identification", judged->from, "", &result, NULL) &&
                   evaluation_gains_read(result.document, run->work->robot, gains);
  named_result_close(&result);
  return any;
}

/* Torques as logged, and a model that is of others. */
static void warn_of_gains(struct run *run)
{
  char text[sizeof run->told[0]];
  for (size_t m = 0; m < run->model_count && !run->loads; m++) {
    if (!of_other_torques(run, &run->models[m])) continue;
    snprintf(
        text, sizeof text,
        "%s was identified from torques times the gains of drives that it found, and here they are as logged: name "
        "identification %s in drive_gains_from, unless these were logged with the right torque constants",
        run->request.models.items[m].name, run->models[m].from);
    warn(run, "drive_gains_unused", text);
  }
}

static enum armdyn_status cut(struct run *run, size_t dataset, struct armdyn_error *error)
{
  const struct armdyn_error_cells *cells[BOUNDED * LIMIT_EVALUATION_MODELS];
  const double asked = run->request.bootstrap.block_length * run->conditioning.rate;
  const size_t length = isnan(asked) ? 0 : (size_t)fmax(1, round(asked));
  for (size_t b = 0; b < BOUNDED; b++) collect_cells(run, dataset, bounded[b], cells + b * run->model_count);
  const enum armdyn_status status =
      armdyn_blocks_choose(cells, BOUNDED * run->model_count, length, &run->blocks[dataset]);
  if (status == ARMDYN_EINPUT && length)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/bootstrap/block_length",
                         "%g s is too long: data set %s must have at least %d blocks, and 40 samples",
                         run->request.bootstrap.block_length, run->logs.data[dataset].id, ARMDYN_BLOCKS_LEAST);
  return status == ARMDYN_EINPUT ? ARMDYN_OK : status;
}

static enum armdyn_status bound_all(struct run *run, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t d = 0; !status && d < run->logs.count; d++) {
    work_progress(run->work, 0.95, "drawing blocks for intervals");
    status = cut(run, d, error);
    for (size_t b = 0; !status && b < BOUNDED && run->blocks[d].length; b++) status = bound(run, d, bounded[b]);
    if (!status) warn_of_blocks(run, d);
    if (!status) warn_of_conditions(run, d);
  }
  return status;
}

static void send_result(struct run *run)
{
  struct buffer document = BUFFER(LIMIT_FRAME);
  const struct evaluation_result result = { .request = &run->request,
                                            .request_text = run->work->request,
                                            .joint_count = run->work->robot->joint_count,
                                            .revisions = run->revisions,
                                            .lineages = run->lineages,
                                            .blocks = run->blocks,
                                            .data = run->logs.data,
                                            .gains = run->loads ? run->gains : NULL,
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
  struct run *run = context;
  struct armdyn_error error = { "", "" };
  run->work = work;
  work_progress(work, 0, "opening models and data sets");
  enum armdyn_status status = open_all(run, &error);
  if (!status)
    status = evaluation_gains_open(work, run->request.drive_gains_from, robot, run->gains, &run->loads, &error);
  if (!status)
    status = conditioning_choose(&run->request.conditioning, run->logs.motions, run->logs.count, &run->conditioning,
                                 &run->used, &error);
  run->entries = calloc(run->model_count * run->logs.count + 1, sizeof *run->entries);
  run->cells = calloc(run->model_count * run->logs.count + 1, sizeof *run->cells);
  if (!status && (!run->entries || !run->cells)) status = ARMDYN_EMEMORY;
  for (size_t m = 0; m < run->request.models.count; m++)
    for (size_t d = 0; !status && d < run->logs.count; d++) status = evaluate(run, m, d, &error);
  if (!status) status = bound_all(run, &error);
  warn_of_gains(run);
  if (status)
    work_refused(work, status, &error);
  else
    send_result(run);
}

JOB_REQUEST(struct run, evaluation_request_decode)

/* The identifications among the models, and that of the gains. */
static size_t sources(const void *context, struct job_source *list)
{
  const struct evaluation_request *request = &((const struct run *)context)->request;
  size_t count = 0;
  for (size_t i = 0; i < request->models.count; i++) {
    char pointer[sizeof list->pointer];
    snprintf(pointer, sizeof pointer, "/models/%zu", i);
    count += named_result_source("identification", request->models.items[i].identification, pointer, &list[count]);
  }
  return count +
         named_result_source("identification", request->drive_gains_from, EVALUATION_GAINS_POINTER, &list[count]);
}

static void release(void *context)
{
  struct run *run = context;
  opened_logs_release(&run->logs);
  armdyn_loads_free(run->loads);
  for (size_t i = 0; i < run->model_count; i++) judged_release(&run->models[i]);
  for (size_t i = 0; i < run->entry_count; i++)
    for (size_t b = 0; b < BOUNDED; b++) armdyn_error_cells_free(run->cells[i][bounded[b]]);
  free(run->cells);
  free(run->entries);
  data_prints_release(&run->prints);
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
