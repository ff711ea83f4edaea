#include <math.h>

#include "api/codec/controller.h"
#include "api/json/fields.h"
#include "api/read_only.h"

static const char *const protocols[] = { "armdyn-v2", "register-map" };
const char *const controller_kind_names[4] = { "other", "csp_torque_offset", "ur_direct_torque", "kuka_fri" };
const char *const torque_content_names[3] = { "full", "without_gravity", "without_gravity_and_friction" };
static const char *const torque_sides[] = { "joint", "motor" };
static const char *const link_losses[] = { "stop", "finish" };
static const char *const motion_ends[] = { "hold", "zero_torque" };

#define SIGN                                                                                                           \
  {                                                                                                                    \
    .minimum = -1, .maximum = 1, .non_zero = true                                                                      \
  }

static void axis_init(void *object)
{
  *(struct controller_axis *)object = (struct controller_axis){ .sign = 1, .position_scale = 1, .rated_torque = NAN };
}

static const struct json_field axis_fields[] = {
  { TEXT(struct controller_axis, joint), REQUIRED },
  { INTEGER(struct controller_axis, axis, BETWEEN(1, LIMIT_AXES), NULL), REQUIRED },
  { INTEGER(struct controller_axis, sign, SIGN, NULL) },
  { NUMBER(struct controller_axis, position_scale, NON_ZERO, "controller units per rad or m") },
  { NUMBER(struct controller_axis, position_offset, ANY_NUMBER, "controller units") },
  { ENUM(struct controller_axis, torque_side, torque_sides) },
  { NUMBER(struct controller_axis, rated_torque, POSITIVE, "N m or N"), OMIT_DEFAULT },
};
static const struct json_type axis_type = JSON_TYPE("an axis", axis_fields, struct controller_axis, axis_init, NULL);

static const struct json_field limits_fields[] = {
  { NUMBERS(struct controller_limits, torque, ARMDYN_JOINTS_MAX, POSITIVE, "N m or N"),
    COUNTED(struct controller_limits, torque_count), OMIT_DEFAULT },
  { NUMBERS(struct controller_limits, torque_rate, ARMDYN_JOINTS_MAX, POSITIVE, "N m/s or N/s"),
    COUNTED(struct controller_limits, torque_rate_count), OMIT_DEFAULT },
};
static const struct json_type limits_type = JSON_TYPE("limits", limits_fields, struct controller_limits, NULL, NULL);

static void profile_init(void *object)
{
  *(struct controller_profile *)object = (struct controller_profile){ .base = 1000,
                                                                      .start_tolerance = 0.02,
                                                                      .connect_deadline = 10,
                                                                      .ready_timeout = 600,
                                                                      .window_timeout = 2,
                                                                      .in_flight = 1,
                                                                      .telemetry_rate = 100 };
}

/* What each kind may be sent, by what it adds: the drives of CSP nothing; direct torque of a UR gravity, and friction if its
 * program asks for that; the LBR of KUKA both, for its torques are of the joint's side of the gear. */
static void check_content(struct json_reader *r, const struct controller_profile *p)
{
  static const struct {
    bool takes[3];
    const char *why;
  } rows[] = { [KIND_OTHER] = { { true, true, true }, "" },
               [KIND_CSP_TORQUE_OFFSET] = { { true, false, false }, "the drive adds neither gravity nor friction" },
               [KIND_UR_DIRECT_TORQUE] = { { false, true, true }, "it adds gravity by itself, which would come twice" },
               [KIND_KUKA_FRI] = { { false, false, true },
                                   "it adds gravity and friction by itself, which would come "
                                   "twice" } };
  if (!rows[p->kind].takes[p->torque_content])
    json_fault(r, "/torque_content", FAULT_INCONSISTENT, "\"%s\" takes no \"%s\": %s", controller_kind_names[p->kind],
               torque_content_names[p->torque_content], rows[p->kind].why);
}

/* Beside the registers of the protocol a map has outputs, and fields for them. */
static void check_beside(struct json_reader *r, const struct controller_profile *p)
{
  static const struct map_commands none;
  const struct register_map *map = &p->map;
  const struct {
    const char *where;
    bool given;
  } of_maps[] = { { "/map/points", map->has_points },
                  { "/map/states", map->has_states },
                  { "/map/commands", memcmp(&map->commands, &none, sizeof none) != 0 },
                  { "/map/heartbeat", *map->heartbeat },
                  { "/map/positions", map->position_count },
                  { "/map/torques", map->torque_count },
                  { "/map/played_field", *map->played_field },
                  { "/map/unverified", map->unverified } };
  for (size_t k = 0; k < sizeof of_maps / sizeof *of_maps; k++)
    if (of_maps[k].given)
      json_fault(r, of_maps[k].where, FAULT_UNSUPPORTED,
                 "\"%s\" has registers of its own for that; its map has `outputs`, and the `fields` of those",
                 protocols[p->protocol]);
  for (size_t i = 0; i < map->field_count; i++) {
    const struct map_field *f = &map->fields[i];
    const int first = f->address - map->address_base, end = first + map_type_words(f->form.type);
    char where[64];
    snprintf(where, sizeof where, "/map/fields/%zu/address", i);
    if (f->space == MAP_HOLDING && f->unit_id < 0 && end > p->base && first < p->base + LIMIT_PROTOCOL_REGISTERS)
      json_fault(r, where, FAULT_INCONSISTENT, "lies among the registers of the protocol, %d to %d", p->base,
                 p->base + LIMIT_PROTOCOL_REGISTERS - 1);
  }
}

/* Every joint and every axis at most once. */
static void profile_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given;
  (void)context;
  const struct controller_profile *p = object;
  check_content(r, p);
  bool mapped = p->protocol == PROTOCOL_REGISTER_MAP;
  if (mapped && !p->has_map) json_fault(r, "/map", FAULT_REQUIRED, "\"register-map\" needs it: the fields and points");
  if (!mapped && p->has_map) check_beside(r, p);
  if (mapped && p->in_flight > 1)
    json_fault(r, "/in_flight", FAULT_UNSUPPORTED, "steps of a register map come one after the other");
  for (size_t i = 0; i < p->axis_count; i++)
    for (size_t k = 0; k < i; k++) {
      char where[64];
      if (!strcmp(p->axes[i].joint, p->axes[k].joint)) {
        snprintf(where, sizeof where, "/axes/%zu/joint", i);
        json_fault(r, where, FAULT_DUPLICATE, "joint %s is named by /axes/%zu already", p->axes[i].joint, k);
      }
      if (p->axes[i].axis == p->axes[k].axis) {
        snprintf(where, sizeof where, "/axes/%zu/axis", i);
        json_fault(r, where, FAULT_DUPLICATE, "axis %d is named by /axes/%zu already", p->axes[i].axis, k);
      }
    }
}

static const struct json_field profile_fields[] = {
  { ENUM(struct controller_profile, protocol, protocols), REQUIRED },
  { ENUM(struct controller_profile, kind, controller_kind_names), OMIT_DEFAULT },
  { ENUM(struct controller_profile, torque_content, torque_content_names) },
  { INTEGER(struct controller_profile, base, BETWEEN(0, 65536 - 270), NULL) },
  { OBJECT(struct controller_profile, map, register_map_type), HAS(struct controller_profile, has_map) },
  { LIST(struct controller_profile, axes, axis_count, 1, axis_type), OMIT_DEFAULT },
  { OBJECT(struct controller_profile, limits, limits_type), OMIT_DEFAULT },
  { NUMBER(struct controller_profile, start_tolerance, POSITIVE, "rad or m") },
  { NUMBER(struct controller_profile, following_error, BETWEEN(0, 10), "rad or m"), OMIT_DEFAULT },
  { NUMBER(struct controller_profile, connect_deadline, BETWEEN(0.1, 60), "s") },
  { NUMBER(struct controller_profile, ready_timeout, BETWEEN(1, 86400), "s") },
  { NUMBER(struct controller_profile, window_timeout, BETWEEN(0.1, 60), "s") },
  { INTEGER(struct controller_profile, in_flight, BETWEEN(1, LIMIT_IN_FLIGHT), NULL) },
  { NUMBER(struct controller_profile, telemetry_rate, BETWEEN(0, 1000), "Hz") },
  { TRUTH(struct controller_profile, allow_start) },
  { TRUTH(struct controller_profile, allow_torque_only) },
  { TRUTH(struct controller_profile, allow_revision_mismatch) },
  { ENUM(struct controller_profile, on_link_loss, link_losses) },
  { ENUM(struct controller_profile, on_end, motion_ends) },
};
static const struct json_type profile_type =
    JSON_TYPE("a profile", profile_fields, struct controller_profile, profile_init, profile_check);

/* 7 or "latest" */
static void revision_decode(struct json_reader *r, const struct json_field *field, void *member,
                            const struct json_context *context)
{
  (void)context;
  int64_t *revision = member;
  if (json_peek(r) == JSON_TEXT) {
    struct json_slice text;
    if (!json_read_text(r, NULL, &text)) return;
    *revision = 0;
    if (!json_slice_is(text, "latest")) json_fault(r, NULL, FAULT_ENUM, "must be %s", field->unit);
    return;
  }
  double number;
  if (!json_read_number(r, field->unit, &number)) return;
  if (number < 1 || number > 9e15 || number != floor(number))
    json_fault(r, NULL, FAULT_MINIMUM, "must be %s, got %g", field->unit, number);
  else
    *revision = (int64_t)number;
}

static void revision_encode(struct json_writer *w, const struct json_field *field, const void *member,
                            const struct json_context *context)
{
  (void)field;
  (void)context;
  const int64_t *revision = member;
  if (*revision)
    json_write_integer(w, *revision);
  else
    json_write_text(w, "latest");
}

static bool host_matches(const char *text)
{
  static const char taken[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_-%";
  return *text && strspn(text, taken) == strlen(text);
}
static const struct json_pattern host_pattern = { host_matches, "a host name or an address" };

static void controller_init(void *object)
{
  struct controller_description *c = object;
  *c = (struct controller_description){ .port = 502, .unit = 1, .enabled = true };
  profile_init(&c->profile);
}

static const struct json_field controller_fields[] = {
  { TEXT(struct controller_description, name), MATCHES(json_name_pattern), REQUIRED },
  { TEXT(struct controller_description, host), MATCHES(host_pattern), REQUIRED },
  { INTEGER(struct controller_description, port, BETWEEN(1, 65535), NULL) },
  { INTEGER(struct controller_description, unit, BETWEEN(0, 255), NULL) },
  { TEXT(struct controller_description, robot), MATCHES(json_name_pattern), REQUIRED },
  { CUSTOM(struct controller_description, revision, revision_decode, revision_encode,
           "a revision number from 1, or \"latest\"") },
  { TEXT(struct controller_description, cell), MATCHES(json_name_pattern), NULLABLE, OMIT_DEFAULT },
  { TRUTH(struct controller_description, enabled) },
  { OBJECT(struct controller_description, profile, profile_type), REQUIRED },
  READ_ONLY_CONTROLLER,
};
static const struct json_type controller_type =
    JSON_TYPE("a controller", controller_fields, struct controller_description, controller_init, NULL);

enum armdyn_status controller_decode(const char *text, size_t length, struct controller_description *controller,
                                     struct faults *faults)
{
  return json_decode(text, length, &controller_type, controller, NULL, faults);
}

void controller_encode(const struct controller_description *controller, struct buffer *out)
{
  json_encode(out, &controller_type, controller, NULL);
}

void controller_resource_encode(const struct controller_description *controller, const char *created_at,
                                struct buffer *out)
{
  struct json_writer w = { out, false };
  json_begin_object(&w);
  json_encode_fields(&w, &controller_type, controller, NULL);
  json_key(&w, "created_at"), json_write_text(&w, created_at);
  json_end_object(&w);
}
