#include "api/codec/evaluation.h"

#include "armdyn/armdyn.h"

/* -- the request -- */

/* "identification:ID", "revision:N", "latest". */
static bool model_of(struct json_slice text, struct evaluation_model *model)
{
  static const char identification[] = "identification:", revision[] = "revision:";
  if (json_slice_decode(text, model->name, sizeof model->name) >= sizeof model->name) return false;
  const char *name = model->name;
  if (!strcmp(name, "latest")) return true;
  if (!strncmp(name, identification, sizeof identification - 1)) {
    const char *id = name + sizeof identification - 1;
    const bool good = strlen(id) == 26 && strspn(id, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == 26;
    if (good) memcpy(model->identification, id, 27);
    return good;
  }
  model->alias = strncmp(name, revision, sizeof revision - 1) != 0;
  if (model->alias) return json_name_pattern.matches(name);
  const char *number = name + sizeof revision - 1;
  const size_t digits = strspn(number, "0123456789");
  if (digits && digits <= 15 && !number[digits]) model->revision = strtoll(number, NULL, 10);
  return model->revision > 0;
}

static void decode_models(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  (void)context;
  struct evaluation_models *models = member;
  struct json_slice text;
  char got[64];
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    struct evaluation_model model = { .revision = 0 };
    size_t same = 0;
    if (!json_read_text(r, NULL, &text)) continue;
    if (!model_of(text, &model)) {
      json_fault(r, NULL, FAULT_PATTERN,
                 "must be \"identification:ID\", \"revision:N\", \"latest\" or an alias, got %s",
                 json_excerpt(text, got, sizeof got));
      continue;
    }
    while (same < models->count && strcmp(models->items[same].name, model.name) != 0) same++;
    if (same < models->count)
      json_fault(r, NULL, FAULT_DUPLICATE, "is there twice; keep one");
    else if (models->count == LIMIT_EVALUATION_MODELS)
      json_fault(r, NULL, FAULT_LENGTH, "at most %d models are taken", LIMIT_EVALUATION_MODELS);
    else
      models->items[models->count++] = model;
  }
}

static void bootstrap_init(void *object)
{
  *(struct evaluation_bootstrap *)object =
      (struct evaluation_bootstrap){ .resamples = 2000, .seed = 1, .level = 0.95, .block_length = NAN };
}

static const struct json_field bootstrap_fields[] = {
  { INTEGER(struct evaluation_bootstrap, resamples, BETWEEN(200, 10000), NULL) },
  { NUMBER(struct evaluation_bootstrap, level, BETWEEN(0.5, 0.999), NULL) },
  { NUMBER(struct evaluation_bootstrap, block_length, ABOVE_UP_TO(0, 1e6), "s"), NULLABLE },
  { INTEGER(struct evaluation_bootstrap, seed, BETWEEN(0, 9007199254740991.0), NULL) },
};
static const struct json_type bootstrap_type =
    JSON_TYPE("a bootstrap", bootstrap_fields, struct evaluation_bootstrap, bootstrap_init, NULL);

static void request_init(void *object)
{
  struct evaluation_request *request = object;
  *request = (struct evaluation_request){ .models.count = 0 };
  identification_conditioning_type.init(&request->conditioning);
  bootstrap_init(&request->bootstrap);
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given;
  const struct evaluation_request *request = object;
  const size_t curves = request->models.count * request->datasets.count * context->joint_count;
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  if (!request->models.count) json_fault(r, "/models", FAULT_LENGTH, "needs at least one model");
  if (!request->datasets.count) json_fault(r, "/datasets", FAULT_LENGTH, "needs at least one data set");
  if (curves > LIMIT_EVALUATION_CURVES)
    json_fault(r, "/datasets", FAULT_LENGTH,
               "models times data sets times joints must be at most %d, got %zu; ask twice", LIMIT_EVALUATION_CURVES,
               curves);
}

static const struct json_field request_fields[] = {
  { CUSTOM(struct evaluation_request, models, decode_models, NULL, "a list of models, [\"revision:2\"]"), REQUIRED },
  { ID_LIST(struct evaluation_request, datasets), REQUIRED },
  { OBJECT(struct evaluation_request, conditioning, identification_conditioning_type) },
  { OBJECT(struct evaluation_request, bootstrap, bootstrap_type) },
  { TEXT(struct evaluation_request, drive_gains_from), MATCHES(json_id_pattern), NULLABLE },
  RESULT_LABELS(struct evaluation_request),
};
static const struct json_type request_type =
    JSON_TYPE("a request for an evaluation", request_fields, struct evaluation_request, request_init, request_check);

enum armdyn_status evaluation_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct evaluation_request *out, struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count };
  return json_decode(text, length, &request_type, out, &context, faults);
}

/* -- the answer -- */

static void encode_ids(struct json_writer *w, const char *name, const char (*ids)[27], size_t count)
{
  json_key(w, name), json_begin_array(w);
  for (size_t i = 0; i < count; i++) json_write_text(w, ids[i]);
  json_end_array(w);
}

static void encode_lineage(struct json_writer *w, const struct evaluation_lineage *lineage)
{
  json_key(w, "lineage"), json_begin_object(w);
  encode_ids(w, "identifications", lineage->identifications, lineage->identification_count);
  json_key(w, "datasets"), json_begin_array(w);
  for (size_t i = 0; i < lineage->origin_count; i++) {
    size_t first = 0; /* each once, however many were identified from it */
    while (strcmp(lineage->origins[first].dataset, lineage->origins[i].dataset) != 0) first++;
    if (first == i) json_write_text(w, lineage->origins[i].dataset);
  }
  json_end_array(w);
  json_key(w, "written"), json_begin_array(w);
  for (size_t i = 0; i < lineage->written_count; i++) json_write_integer(w, lineage->written[i]);
  json_end_array(w);
  encode_ids(w, "gone", lineage->gone, lineage->gone_count);
  json_key(w, "complete"), json_write_truth(w, !lineage->gone_count && !lineage->cut);
  json_end_object(w);
}

static void encode_models(struct json_writer *w, const struct evaluation_result *result)
{
  json_key(w, "models"), json_begin_array(w);
  for (size_t i = 0; i < result->request->models.count; i++) {
    const struct evaluation_model *model = &result->request->models.items[i];
    json_begin_object(w);
    json_key(w, "model"), json_write_text(w, model->name);
    json_key(w, "revision"), json_write_integer(w, result->revisions[i]);
    if (*model->identification) json_key(w, "identification"), json_write_text(w, model->identification);
    encode_lineage(w, &result->lineages[i]);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_datasets(struct json_writer *w, const struct evaluation_result *result)
{
  json_key(w, "datasets"), json_begin_array(w);
  for (size_t i = 0; i < result->request->datasets.count; i++) json_write_text(w, result->data[i].id);
  json_end_array(w);
}

static void encode_gains(struct json_writer *w, const struct evaluation_result *result)
{
  if (!result->gains) return;
  json_key(w, "drive_gains"), json_begin_object(w);
  json_key(w, "identification"), json_write_text(w, result->request->drive_gains_from);
  json_key(w, "gains"), json_write_numbers(w, result->gains, result->joint_count);
  json_end_object(w);
}

static void encode_leaks(struct json_writer *w, const struct evaluation_entry *entry)
{
  static const char *const kinds[] = { [LEAK_NONE] = "none",
                                       [LEAK_SAME_DATASET] = "same_dataset",
                                       [LEAK_SAME_CONTENT] = "same_content",
                                       [LEAK_SAME_SAMPLES] = "same_samples",
                                       [LEAK_SAME_MOTION] = "same_motion" };
  json_key(w, "leaks"), json_begin_array(w);
  for (size_t i = 0; i < entry->leak_count; i++) {
    const struct evaluation_leak *leak = &entry->leaks[i];
    json_begin_object(w);
    json_key(w, "kind"), json_write_text(w, kinds[leak->kind]);
    json_key(w, "dataset"), json_write_text(w, leak->origin->dataset);
    json_key(w, "identification"), json_write_text(w, leak->origin->identification);
    json_key(w, "share_percent");
    json_write_number(w, leak->kind == LEAK_SAME_MOTION ? NAN : 100 * leak->share);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_interval(struct json_writer *w, const char *name, struct armdyn_interval interval)
{
  json_key(w, name);
  if (isfinite(interval.low) && isfinite(interval.high))
    json_write_numbers(w, (double[]){ 100 * interval.low, 100 * interval.high }, 2);
  else
    json_write_null(w);
}

static void encode_one_interval(struct json_writer *w, const struct evaluation_intervals *intervals, size_t column)
{
  encode_interval(w, "interval_percent", intervals->errors[column]);
  json_key(w, "difference_percent"), json_write_number(w, 100 * intervals->above[column]);
  encode_interval(w, "difference_interval_percent", intervals->differences[column]);
}

static void encode_intervals(struct json_writer *w, const struct evaluation_result *result,
                             const struct evaluation_intervals *intervals)
{
  json_begin_object(w);
  json_key(w, "best"), json_write_text(w, result->request->models.items[intervals->best].name);
  encode_one_interval(w, intervals, result->joint_count);
  json_key(w, "joints"), json_begin_array(w);
  for (size_t j = 0; j < result->joint_count; j++) {
    json_begin_object(w);
    encode_one_interval(w, intervals, j);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

static void encode_bootstrap(struct json_writer *w, const struct evaluation_result *result)
{
  const struct evaluation_bootstrap *asked = &result->request->bootstrap;
  const double rate = result->conditioning.rate;
  json_key(w, "bootstrap"), json_begin_object(w);
  json_key(w, "method"), json_write_text(w, "moving_blocks");
  json_key(w, "resamples"), json_write_integer(w, asked->resamples);
  json_key(w, "level"), json_write_number(w, asked->level);
  json_key(w, "seed"), json_write_integer(w, asked->seed);
  json_key(w, "datasets"), json_begin_array(w);
  for (size_t i = 0; i < result->request->datasets.count; i++) {
    const struct armdyn_blocks *blocks = &result->blocks[i];
    const bool known = blocks->length > 0;
    json_begin_object(w);
    json_key(w, "dataset"), json_write_text(w, result->data[i].id);
    json_key(w, "block_length"), json_write_number(w, known ? (double)blocks->length / rate : NAN);
    json_key(w, "step"), json_write_number(w, known ? (double)blocks->step / rate : NAN);
    json_key(w, "blocks"), json_write_number(w, known ? (double)blocks->samples / (double)blocks->length : NAN);
    json_key(w, "correlation_time"), json_write_number(w, known ? blocks->correlation / rate : NAN);
    json_key(w, "limited"), json_write_truth(w, !known || blocks->limited);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

static void encode_entry(struct json_writer *w, const struct evaluation_result *result,
                         const struct evaluation_entry *entry)
{
  json_begin_object(w);
  json_key(w, "model"), json_write_text(w, result->request->models.items[entry->model].name);
  json_key(w, "dataset"), json_write_text(w, result->data[entry->dataset].id);
  json_key(w, "trained_on_this"), json_write_truth(w, entry->trained_on_this);
  json_key(w, "repeats_training"), json_write_truth(w, entry->repeats_training);
  encode_leaks(w, entry);
  json_key(w, "errors"), identification_errors_encode(w, &entry->errors, result->joint_count);
  json_key(w, "intervals");
  if (result->blocks[entry->dataset].length) {
    json_begin_object(w);
    json_key(w, "raw"), encode_intervals(w, result, &entry->intervals[COMPARED_RAW]);
    json_key(w, "parallel"), encode_intervals(w, result, &entry->intervals[COMPARED_PARALLEL]);
    json_end_object(w);
  } else {
    json_write_null(w);
  }
  json_key(w, "residuals"), identification_residuals_encode(w, &entry->residuals, result->joint_count);
  json_end_object(w);
}

static void encode_provenance(struct json_writer *w, const struct evaluation_result *result)
{
  json_key(w, "provenance"), json_begin_object(w);
  json_key(w, "program"), json_write_text(w, "armdyn");
  json_key(w, "version"), json_write_text(w, armdyn_version());
  json_key(w, "datasets"), json_begin_array(w);
  for (size_t i = 0; i < result->request->datasets.count; i++) {
    const struct identification_data *data = &result->data[i];
    json_begin_object(w);
    json_key(w, "id"), json_write_text(w, data->id);
    json_key(w, "label"), json_write_text(w, data->label ? data->label : "");
    json_key(w, "samples"), json_write_integer(w, data->samples);
    json_key(w, "sha256"), json_write_text(w, data->sha256);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

void evaluation_result_encode(const struct evaluation_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct result_labels *labels = &result->request->labels;
  json_begin_object(&w);
  encode_models(&w, result);
  encode_datasets(&w, result);
  json_key(&w, "conditioning"), json_encode_object(&w, &identification_conditioning_type, &result->conditioning, NULL);
  encode_gains(&w, result);
  encode_bootstrap(&w, result);
  json_key(&w, "evaluations"), json_begin_array(&w);
  for (size_t i = 0; i < result->entry_count; i++) encode_entry(&w, result, &result->entries[i]);
  json_end_array(&w);
  identification_warnings_encode(&w, result->warnings, result->warning_count);
  result_order_encode(&w, labels->job_order_id, labels->work_master_id, labels->equipment_id);
  json_key(&w, "request"), json_write_raw(&w, result->request_text);
  encode_provenance(&w, result);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "filtered.relative_percent.*", "evaluations/*/errors/filtered/relative_percent" },
  { "raw.relative_percent.*", "evaluations/*/errors/raw/relative_percent" },
  { "parallel.relative_percent.*", "evaluations/*/errors/parallel/relative_percent" },
};
static const char *const members[] = { "datasets", NULL };

const struct result_form evaluation_form = { "evaluations", metrics, sizeof metrics / sizeof *metrics, members };
