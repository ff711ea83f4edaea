#include "api/codec/shaper.h"

#include "armdyn/posture_modes.h"

static const char *const types[] = { "zv", "zvd", "ei", "auto" };
_Static_assert(sizeof types / sizeof *types == SHAPER_AUTO + 1, "name every shaper");

static const struct json_field mode_fields[] = {
  { NUMBER(struct armdyn_mode, frequency, BETWEEN(1e-3, 1e4), "Hz"), NAMED("frequency_hz"), REQUIRED },
  { NUMBER(struct armdyn_mode, damping, BETWEEN(0, 0.99), NULL) },
};
static const struct json_type mode_type = JSON_TYPE("a mode", mode_fields, struct armdyn_mode, NULL, NULL);

enum { ROW_TYPE, ROW_MODES, ROW_RANGE, ROW_MOST };
static const struct json_field shaper_fields[] = {
  [ROW_TYPE] = { ENUM(struct shaper_request, type, types), REQUIRED },
  [ROW_MODES] = { LIST(struct shaper_request, modes, mode_count, 1, mode_type) },
  [ROW_RANGE] = { NUMBER(struct shaper_request, range_percent, BETWEEN(0, 50), NULL) },
  [ROW_MOST] = { INTEGER(struct shaper_request, modes_max, BETWEEN(1, ARMDYN_MODES_MAX), NULL) },
};

static void shaper_init(void *object)
{
  *(struct shaper_request *)object = (struct shaper_request){ SHAPER_AUTO, .range_percent = 10, .modes_max = 2 };
}

/* What an automatic one asks of the model; where the motion ends, and what is carried there, is not known yet. */
static void auto_check(struct json_reader *r, uint64_t given, const struct json_context *context)
{
  if (given >> ROW_MODES & 1)
    json_fault(r, "/modes", FAULT_INCONSISTENT, "are those of the model where the type is \"auto\": leave them out");
  if (!armdyn_has_elasticity(context->user))
    json_fault(
        r, "", FAULT_INCONSISTENT,
        "\"auto\" takes the modes from the model, which does not know how its gears give: no joint has an "
        "elasticity with a stiffness (POST mode-fits finds them from frequencies that were seen), or name a type "
        "with its modes");
}

/* What the library says of them, at its place in the request: its pointers begin with "/shaper". */
static void shaper_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  static const char above[] = "/shaper";
  const struct shaper_request *request = object;
  struct armdyn_impulses impulses;
  struct armdyn_error error = { "", "" };
  if (request->type == SHAPER_AUTO && !(r->wrong >> ROW_TYPE & 1)) {
    auto_check(r, given, context);
    return;
  }
  if (!((given | r->wrong) >> ROW_MODES & 1)) json_fault(r, "/modes", FAULT_REQUIRED, "is missing: what vibrates");
  for (int row = ROW_RANGE; row <= ROW_MOST; row++)
    if (given >> row & 1) {
      char where[32];
      snprintf(where, sizeof where, "/%s", json_field_name(&shaper_fields[row]));
      json_fault(r, where, FAULT_INCONSISTENT, "belongs to the type \"auto\"");
    }
  if (json_reader_status(r)) return;
  if (!armdyn_shaper_impulses(request->type, request->modes, request->mode_count, &impulses, &error)) return;
  bool below = strncmp(error.pointer, above, sizeof above - 1) == 0;
  json_fault(r, below ? error.pointer + sizeof above - 1 : "", FAULT_INCONSISTENT, "%s", error.message);
}

/* {"type": "auto", "range_percent", "modes_max"} with defaults. */
static const struct json_type shaper_type =
    JSON_TYPE("a shaper", shaper_fields, struct shaper_request, shaper_init, shaper_check);

void shaper_decode(struct json_reader *r, const struct json_field *field, void *member,
                   const struct json_context *context)
{
  struct json_slice word;
  (void)field;
  if (json_peek(r) != JSON_TEXT) {
    json_decode_object(r, &shaper_type, member, context);
    return;
  }
  shaper_init(member);
  if (!json_read_text(r, "\"auto\", or a shaper", &word)) return;
  if (json_slice_is(word, "auto"))
    auto_check(r, 0, context);
  else
    json_fault(r, "", FAULT_ENUM, "must be \"auto\" or an object, got \"%.*s\"",
               (int)(word.length < 64 ? word.length : 64), word.data);
}

void shaping_encode(struct json_writer *w, const struct shaper_request *request, const struct shaping *shaping,
                    size_t joints)
{
  const struct armdyn_impulses *impulses = &shaping->impulses;
  json_begin_object(w);
  json_key(w, "type"), json_write_text(w, armdyn_shaper_name(request->type));
  json_key(w, "fit");
  if (shaping->automatic) {
    json_begin_object(w);
    json_key(w, "q"), json_write_numbers(w, shaping->q, joints);
    json_member_number(w, "payload_mass", shaping->payload_mass);
    json_end_object(w);
  } else {
    json_write_null(w);
  }
  json_member_number(w, "added_time", impulses->time[impulses->count - 1]);
  json_key(w, "impulses"), json_begin_array(w);
  for (size_t i = 0; i < impulses->count; i++) {
    json_begin_object(w);
    json_member_number(w, "time", impulses->time[i]);
    json_member_number(w, "amplitude", impulses->amplitude[i]);
    json_end_object(w);
  }
  json_end_array(w);
  json_key(w, "modes"), json_begin_array(w);
  for (size_t m = 0; m < request->mode_count; m++) {
    json_begin_object(w);
    json_member_number(w, "frequency_hz", request->modes[m].frequency);
    if (shaping->automatic) json_member_number(w, "frequency_deviation_hz", shaping->frequency_deviation[m]);
    json_member_number(w, "damping", request->modes[m].damping);
    json_member_number(w, "residual", armdyn_impulses_residual(impulses, &request->modes[m]));
    json_key(w, "before"), json_write_numbers(w, shaping->before[m], joints);
    json_key(w, "after"), json_write_numbers(w, shaping->after[m], joints);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}
