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

static void request_init(void *object)
{
  struct evaluation_request *request = object;
  *request = (struct evaluation_request){ .models.count = 0 };
  identification_conditioning_type.init(&request->conditioning);
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

/* -- what an identification was trained on -- */

enum armdyn_status evaluation_training_read(const cJSON *document, struct id_list *out)
{
  const cJSON *id;
  *out = (struct id_list){ 0 };
  if (!document) return ARMDYN_EMEMORY;
  cJSON_ArrayForEach (id, document_at(document, "datasets")) {
    if (out->count == LIMIT_DATASETS) return ARMDYN_ELIMIT;
    document_copy_text(id, "", out->items[out->count++], sizeof *out->items);
  }
  return ARMDYN_OK;
}

/* -- the answer -- */

static void encode_models(struct json_writer *w, const struct evaluation_result *result)
{
  json_key(w, "models"), json_begin_array(w);
  for (size_t i = 0; i < result->request->models.count; i++) {
    const struct evaluation_model *model = &result->request->models.items[i];
    json_begin_object(w);
    json_key(w, "model"), json_write_text(w, model->name);
    json_key(w, "revision"), json_write_integer(w, result->revisions[i]);
    if (*model->identification) json_key(w, "identification"), json_write_text(w, model->identification);
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

static void encode_entry(struct json_writer *w, const struct evaluation_result *result,
                         const struct evaluation_entry *entry)
{
  json_begin_object(w);
  json_key(w, "model"), json_write_text(w, result->request->models.items[entry->model].name);
  json_key(w, "dataset"), json_write_text(w, result->data[entry->dataset].id);
  json_key(w, "trained_on_this"), json_write_truth(w, entry->trained_on_this);
  json_key(w, "repeats_training"), json_write_truth(w, entry->repeats_training);
  json_key(w, "errors"), identification_errors_encode(w, &entry->errors, result->joint_count);
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
};
static const char *const members[] = { "datasets", NULL };

const struct result_form evaluation_form = { "evaluations", metrics, sizeof metrics / sizeof *metrics, members };
