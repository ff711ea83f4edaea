#include "api/codec/carried.h"
#include "api/read_only.h"

static bool is_part_name(const char *text)
{
  static const char beginning[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const size_t length = strlen(text);
  return length > 0 && length < PART_NAME_SIZE && strchr(beginning, text[0]) && strspn(text, all) == length;
}
const struct json_pattern part_name_pattern = {
  is_part_name, "1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', the first a letter or digit"
};

/* -- a part -- */

static const struct json_field part_fields[] = {
  { TEXT(struct part, name), MATCHES(part_name_pattern), REQUIRED },
  { OBJECT(struct part, payload, body_type), REQUIRED },
  { OBJECT(struct part, tool, pose_type), HAS(struct part, has_tool), NULLABLE },
  READ_ONLY_PART,
};
const struct json_type part_type = JSON_TYPE("a part", part_fields, struct part, NULL, NULL);

void carried_part_decode(struct json_reader *r, const struct json_field *field, void *member,
                         const struct json_context *context)
{
  struct part *part = member;
  struct json_slice name;
  char text[64];
  if (json_peek(r) == JSON_OBJECT) {
    part->known = json_decode_object(r, &part_type, part, context);
    return;
  }
  if (!json_read_text(r, field->unit, &name)) return;
  if (json_slice_decode(name, part->name, sizeof part->name) < sizeof part->name && is_part_name(part->name)) return;
  json_fault(r, NULL, FAULT_PATTERN, "must be %s, got \"%s\"", part_name_pattern.words,
             json_excerpt(name, text, sizeof text));
}

/* -- in requests -- */

static void put_in_part(struct carried *carried)
{
  const struct part *part = &carried->part;
  struct overrides *overrides = &carried->overrides;
  overrides->has_payload = true;
  overrides->payload = part->payload;
  if (!part->has_tool) return;
  overrides->has_tool = true;
  overrides->tool = part->tool;
}

void carried_check(struct json_reader *r, struct carried *carried)
{
  const struct part *part = &carried->part;
  struct overrides *overrides = &carried->overrides;
  if (!carried->has_part || json_reader_status(r)) return;
  if (!part->known) {
    json_fault(
        r, "/part", FAULT_INCONSISTENT,
        "the robot has no part '%s': its /parts lists them, and takes another (in a body of more than 1 MiB give the "
        "payload in place of a name)",
        part->name);
    return;
  }
  if (overrides->has_payload)
    json_fault(r, "/payload", FAULT_INCONSISTENT, "the part '%s' says what is carried: one of the two", part->name);
  if (overrides->has_tool && part->has_tool)
    json_fault(r, "/tool", FAULT_INCONSISTENT, "the part '%s' has a tool of its own", part->name);
  put_in_part(carried);
}

enum armdyn_status carried_of_part(const char *document, struct carried *carried)
{
  *carried = (struct carried){ .has_part = true };
  enum armdyn_status status = json_decode(document, strlen(document), &part_type, &carried->part, NULL, NULL);
  if (status) return status == ARMDYN_EMEMORY ? status : ARMDYN_EIO; /* it was good when it was stored */
  carried->part.known = true;
  put_in_part(carried);
  return ARMDYN_OK;
}

bool carried_any(const struct carried *carried)
{
  const struct overrides *overrides = &carried->overrides;
  return carried->has_part || overrides->has_payload || overrides->has_tool || overrides->has_gravity;
}

/* -- in documents -- */

static const struct json_field kept_fields[] = {
  { TEXT(struct carried, part.name), NAMED("part"), MATCHES(part_name_pattern), HAS(struct carried, has_part),
    NULLABLE },
  OVERRIDES,
};
static const struct json_type kept_type = JSON_TYPE("conditions", kept_fields, struct carried, NULL, NULL);

void carried_encode(struct json_writer *w, const struct carried *carried)
{
  if (!carried_any(carried)) return;
  json_key(w, "conditions"), json_encode_object(w, &kept_type, carried, NULL);
}

enum armdyn_status carried_read(const char *document, struct carried *carried)
{
  enum armdyn_status status = ARMDYN_OK;
  struct buffer text = BUFFER(LIMIT_MODEL_BODY);
  struct json_writer w = { .out = &text };
  *carried = (struct carried){ .has_part = false };
  cJSON *tree = document_open(document);
  const cJSON *conditions = document_at(tree, "conditions");
  if (!tree) status = ARMDYN_EIO;
  if (conditions) {
    document_write(&w, conditions);
    status = text.failure ? text.failure : json_decode(text.data, text.length, &kept_type, carried, NULL, NULL);
    if (status && status != ARMDYN_EMEMORY) status = ARMDYN_EIO;
  }
  document_close(tree);
  buffer_release(&text);
  return status;
}
