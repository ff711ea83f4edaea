/* Outputs of a controller: what is written, and what tells that it is so. */
#include "api/codec/register_map.h"

/* -- in a map -- */

static const struct json_field value_fields[] = {
  { TEXT(struct map_output_value, name), MATCHES(json_name_pattern), REQUIRED },
  { NUMBER(struct map_output_value, write, ANY_NUMBER, NULL), REQUIRED },
  { NUMBER(struct map_output_value, confirmed, ANY_NUMBER, NULL), REQUIRED },
};
static const struct json_type value_type =
    JSON_TYPE("a value of an output", value_fields, struct map_output_value, NULL, NULL);

static void output_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct map_output *output = object;
  char where[96];
  for (size_t i = 0; i < output->value_count; i++)
    for (size_t k = 0; k < i; k++) {
      const struct map_output_value *a = &output->values[i], *b = &output->values[k];
      snprintf(where, sizeof where, "/values/%zu", i);
      if (!strcmp(a->name, b->name))
        json_fault(r, where, FAULT_DUPLICATE, "'%s' is /values/%zu already", a->name, k);
      else if (a->confirmed == b->confirmed)
        json_fault(r, where, FAULT_INCONSISTENT,
                   "is confirmed by %g as /values/%zu is: nothing would tell one from the other", a->confirmed, k);
    }
}

static const struct json_field output_fields[] = {
  { TEXT(struct map_output, name), MATCHES(json_name_pattern), REQUIRED },
  { TEXT(struct map_output, field), REQUIRED },
  { TEXT(struct map_output, confirmed_by), REQUIRED },
  { LIST(struct map_output, values, value_count, 1, value_type), REQUIRED },
};
const struct json_type map_output_type = JSON_TYPE("an output", output_fields, struct map_output, NULL, output_check);

static void check_value(struct json_reader *r, const char *where, const struct map_field *field, double value)
{
  if (!field || (value >= field->form.min && value <= field->form.max)) return;
  json_fault(r, where, FAULT_INCONSISTENT, "field '%s' takes %g to %g, got %g", field->name, field->form.min,
             field->form.max, value);
}

static void check_output(struct json_reader *r, const struct register_map *map, size_t i)
{
  const struct map_output *output = &map->outputs[i];
  char where[96];
  snprintf(where, sizeof where, "/outputs/%zu/field", i);
  map_check_name(r, map, where, output->field, true);
  snprintf(where, sizeof where, "/outputs/%zu/confirmed_by", i);
  map_check_name(r, map, where, output->confirmed_by, false);
  for (size_t k = 0; k < output->value_count; k++) {
    snprintf(where, sizeof where, "/outputs/%zu/values/%zu/write", i, k);
    check_value(r, where, map_field_of(map, output->field), output->values[k].write);
    snprintf(where, sizeof where, "/outputs/%zu/values/%zu/confirmed", i, k);
    check_value(r, where, map_field_of(map, output->confirmed_by), output->values[k].confirmed);
  }
  for (size_t k = 0; k < i; k++) {
    snprintf(where, sizeof where, "/outputs/%zu/name", i);
    if (!strcmp(output->name, map->outputs[k].name))
      json_fault(r, where, FAULT_DUPLICATE, "'%s' is /outputs/%zu already", output->name, k);
  }
}

void map_check_outputs(struct json_reader *r, const struct register_map *map)
{
  for (size_t i = 0; i < map->output_count; i++) check_output(r, map, i);
}

/* -- what it is to be -- */

static const struct json_field setting_fields[] = {
  { TEXT(struct output_setting, name), MATCHES(json_name_pattern), REQUIRED },
  { TEXT(struct output_setting, value), MATCHES(json_name_pattern), REQUIRED },
};
const struct json_type output_setting_type =
    JSON_TYPE("an output and its value", setting_fields, struct output_setting, NULL, NULL);

static void list_name(char *text, size_t size, size_t i, const char *name)
{
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "%s%s", i ? ", " : "", name);
}

bool map_output_find(const struct register_map *map, const struct output_setting *setting,
                     const struct map_output **output, const struct map_output_value **value, const char **member,
                     char *text, size_t size)
{
  *output = NULL, *value = NULL;
  *member = "";
  if (!map->output_count) {
    snprintf(
        text, size,
        "the controller has no outputs: its entry names them in profile.map.outputs, each with the register that is "
        "written and the one that tells that it is so");
    return false;
  }
  for (size_t i = 0; i < map->output_count; i++)
    if (!strcmp(map->outputs[i].name, setting->name)) *output = &map->outputs[i];
  *member = "/name";
  if (!*output) {
    snprintf(text, size, "the controller has no output '%s'; it has: ", setting->name);
    for (size_t i = 0; i < map->output_count; i++) list_name(text, size, i, map->outputs[i].name);
    return false;
  }
  for (size_t k = 0; k < (*output)->value_count; k++)
    if (!strcmp((*output)->values[k].name, setting->value)) *value = &(*output)->values[k];
  *member = "/value";
  if (*value) return true;
  snprintf(text, size, "output '%s' has no value '%s'; it has: ", setting->name, setting->value);
  for (size_t k = 0; k < (*output)->value_count; k++) list_name(text, size, k, (*output)->values[k].name);
  return false;
}
