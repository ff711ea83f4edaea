#include "api/codec/key.h"

static const char *const role_names[] = { "viewer", "operator", "engineer", "admin" };

/* ["cell-4", "cell-5"], or ["*"]. */
static void motion_decode(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  (void)context;
  struct key_motion *motion = member;
  size_t count = 0;
  if (!json_enter_array(r, field->unit)) return;
  for (; json_next_element(r); count++) {
    struct json_slice raw;
    char name[ARMDYN_NAME_SIZE] = "", text[64];
    if (!json_read_text(r, "the name of a controller, or *", &raw) || count >= LIMIT_KEY_CONTROLLERS) continue;
    bool fits = json_slice_decode(raw, name, sizeof name) < sizeof name;
    if (fits && (!strcmp(name, "*") || json_name_pattern.matches(name)))
      memcpy(motion->names[motion->count++], name, sizeof name);
    else
      json_fault(r, NULL, FAULT_PATTERN, "must be the name of a controller, or *, got \"%s\"",
                 json_excerpt(raw, text, sizeof text));
  }
  if (count > LIMIT_KEY_CONTROLLERS)
    json_fault(r, NULL, FAULT_LENGTH, "at most %d controllers can be named; \"*\" stands for all",
               LIMIT_KEY_CONTROLLERS);
}

static const struct json_field fields[] = {
  { TEXT(struct key_request, name), MATCHES(json_name_pattern), REQUIRED },
  { ENUM(struct key_request, role, role_names), REQUIRED },
  { CUSTOM(struct key_request, motion, motion_decode, NULL, "a list of names of controllers") },
  { TEXT(struct key_request, expires_at), MATCHES(json_time_pattern), NULLABLE },
};
static const struct json_type type = JSON_TYPE("a key", fields, struct key_request, NULL, NULL);

enum armdyn_status key_request_decode(const char *text, size_t length, struct key_request *request,
                                      struct faults *faults)
{
  return json_decode(text, length, &type, request, NULL, faults);
}

static void member_time(struct json_writer *w, const char *name, const char *time)
{
  json_member_text(w, name, *time ? time : NULL);
}

static void write_motion(struct json_writer *w, const char *names)
{
  json_begin_array(w);
  for (const char *p = names ? names : ""; *p; p += strspn(p, ",")) {
    char name[ARMDYN_NAME_SIZE];
    size_t length = strcspn(p, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, p);
    json_write_text(w, name);
    p += length;
  }
  json_end_array(w);
}

static void warn_of_first(struct json_writer *w)
{
  json_key(w, "warnings"), json_begin_array(w);
  json_begin_object(w);
  json_member_text(w, "code", "keys_needed");
  json_member_text(
      w, "detail",
      "this is the first key: from now on every call needs one, as `Authorization: Bearer <secret>`, and this "
      "secret is "
      "shown once");
  json_end_object(w);
  json_end_array(w);
}

void key_resource_encode(const struct key_resource *key, struct json_writer *w)
{
  json_begin_object(w);
  json_member_text(w, "id", key->id);
  json_member_text(w, "name", key->name);
  json_member_text(w, "role", key->role);
  json_key(w, "motion"), write_motion(w, key->motion);
  member_time(w, "created_at", key->created_at);
  member_time(w, "expires_at", key->expires_at);
  member_time(w, "last_used_at", key->last_used_at);
  if (key->secret) json_member_text(w, "secret", key->secret);
  if (key->first) warn_of_first(w);
  json_end_object(w);
}
