#include "api/codec/shaper.h"

static const char *const types[] = { "zv", "zvd", "ei" };
_Static_assert(sizeof types / sizeof *types == ARMDYN_SHAPER_COUNT, "name every shaper");

static const struct json_field mode_fields[] = {
  { NUMBER(struct armdyn_mode, frequency, BETWEEN(1e-3, 1e4), "Hz"), NAMED("frequency_hz"), REQUIRED },
  { NUMBER(struct armdyn_mode, damping, BETWEEN(0, 0.99), NULL) },
};
static const struct json_type mode_type = JSON_TYPE("a mode", mode_fields, struct armdyn_mode, NULL, NULL);

static const struct json_field shaper_fields[] = {
  { ENUM(struct shaper_request, type, types), REQUIRED },
  { LIST(struct shaper_request, modes, mode_count, 1, mode_type), REQUIRED },
};

/* What the library says of them, at its place in the request: its pointers begin with "/shaper". */
static void shaper_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  static const char above[] = "/shaper";
  const struct shaper_request *request = object;
  struct armdyn_impulses impulses;
  struct armdyn_error error = { "", "" };
  (void)given, (void)context;
  if (json_reader_status(r)) return;
  if (!armdyn_shaper_impulses(request->type, request->modes, request->mode_count, &impulses, &error)) return;
  bool below = strncmp(error.pointer, above, sizeof above - 1) == 0;
  json_fault(r, below ? error.pointer + sizeof above - 1 : "", FAULT_INCONSISTENT, "%s", error.message);
}

const struct json_type shaper_type = JSON_TYPE("a shaper", shaper_fields, struct shaper_request, NULL, shaper_check);

static void member(struct json_writer *w, const char *name, double value)
{
  json_key(w, name), json_write_number(w, value);
}

void shaping_encode(struct json_writer *w, const struct shaper_request *request, const struct shaping *shaping,
                    size_t joints)
{
  const struct armdyn_impulses *impulses = &shaping->impulses;
  json_begin_object(w);
  json_key(w, "type"), json_write_text(w, armdyn_shaper_name(request->type));
  member(w, "added_time", impulses->time[impulses->count - 1]);
  json_key(w, "impulses"), json_begin_array(w);
  for (size_t i = 0; i < impulses->count; i++) {
    json_begin_object(w);
    member(w, "time", impulses->time[i]);
    member(w, "amplitude", impulses->amplitude[i]);
    json_end_object(w);
  }
  json_end_array(w);
  json_key(w, "modes"), json_begin_array(w);
  for (size_t m = 0; m < request->mode_count; m++) {
    json_begin_object(w);
    member(w, "frequency_hz", request->modes[m].frequency);
    member(w, "damping", request->modes[m].damping);
    member(w, "residual", armdyn_impulses_residual(impulses, &request->modes[m]));
    json_key(w, "before"), json_write_numbers(w, shaping->before[m], joints);
    json_key(w, "after"), json_write_numbers(w, shaping->after[m], joints);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}
