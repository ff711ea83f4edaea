#include "api/codec/fitted_bodies.h"

#include "api/codec/part_bodies.h"
#include "api/codec/robot.h"
#include "api/codec/shape.h"
#include "api/codec/surroundings.h"

#define REQUEST struct fitted_bodies_request

static const char *const sources[] = { "meshes", "lengths" };
static const char *const kinds[] = { [ARMDYN_SPHERE] = "sphere", [ARMDYN_CAPSULE] = "capsule", [ARMDYN_BOX] = "box" };

static void kinds_decode(struct json_reader *r, const struct json_field *field, void *member,
                         const struct json_context *context)
{
  (void)context;
  unsigned *mask = member;
  size_t count = 0;
  *mask = 0;
  if (!json_enter_array(r, field->unit)) return;
  for (; json_next_element(r); count++) {
    struct json_slice name;
    char text[64];
    size_t kind = ARMDYN_SPHERE;
    if (!json_read_text(r, "sphere, capsule or box", &name)) continue;
    while (kind <= ARMDYN_BOX && !json_slice_is(name, kinds[kind])) kind++;
    if (kind > ARMDYN_BOX)
      json_fault(r, NULL, FAULT_ENUM, "must be sphere, capsule or box, got \"%s\"",
                 json_excerpt(name, text, sizeof text));
    else
      *mask |= 1U << kind;
  }
  if (!count) json_fault(r, NULL, FAULT_LENGTH, "must name at least one");
}

enum { ROW_FROM, ROW_MARGIN, ROW_RADIUS, ROW_SHAPES, ROW_MOST };

static const struct json_field request_fields[] = {
  [ROW_FROM] = { ENUM(REQUEST, from, sources) },
  [ROW_MARGIN] = { NUMBER(REQUEST, margin, BETWEEN(0, 1), "m") },
  [ROW_RADIUS] = { NUMBER(REQUEST, radius, ABOVE_UP_TO(0, 10), "m") },
  [ROW_SHAPES] = { CUSTOM(REQUEST, kinds, kinds_decode, NULL, "names of shapes"), NAMED("shapes") },
  [ROW_MOST] = { INTEGER(REQUEST, most, BETWEEN(1, ARMDYN_ENCLOSING_MOST), NULL), NAMED("bodies_per_part") },
};

static void request_init(void *request)
{
  *(REQUEST *)request =
      (REQUEST){ .margin = 0.01, .kinds = 1U << ARMDYN_CAPSULE | 1U << ARMDYN_BOX | 1U << ARMDYN_SPHERE, .most = 1 };
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  const REQUEST *request = object;
  const uint64_t known = given | r->wrong;
  const bool lengths = request->from == FIT_LENGTHS;
  if (lengths && !(known >> ROW_RADIUS & 1))
    json_fault(r, "/radius", FAULT_REQUIRED, "is missing: lengths do not say how thick the links are, in m");
  if (!lengths && given >> ROW_RADIUS & 1)
    json_fault(r, "/radius", FAULT_INCONSISTENT, "goes with \"from\": \"lengths\" only");
  if (lengths && given >> ROW_SHAPES & 1)
    json_fault(r, "/shapes", FAULT_INCONSISTENT, "goes with \"from\": \"meshes\" only: lengths become capsules");
  if (lengths && given >> ROW_MOST & 1)
    json_fault(r, "/bodies_per_part", FAULT_INCONSISTENT, "goes with \"from\": \"meshes\" only");
}

static const struct json_type request_type =
    JSON_TYPE("a request for fitted bodies", request_fields, REQUEST, request_init, request_check);

enum armdyn_status fitted_bodies_decode(const char *body, size_t length, REQUEST *out, struct faults *faults)
{
  return json_decode(body, length, &request_type, out, NULL, faults);
}

/* -- the answer -- */

static const char *part_name(const struct armdyn_robot_description *robot, int part)
{
  return part < 0 ? "base" : robot->joints[part].name;
}

/* The member of the description that its bodies are told by. */
static void write_bodies(struct json_writer *w, const struct armdyn_robot_description *robot, int part)
{
  const struct json_context context = { .user = (void *)(uintptr_t)robot };
  const void *member = part < 0 ? (const void *)&robot->body_count : (const void *)&robot->joints[part].link;
  json_key(w, "bodies");
  part_bodies_encode(w, NULL, member, &context);
}

static void write_parts(struct json_writer *w, const struct fitted_bodies *f)
{
  json_key(w, "parts"), json_begin_array(w);
  for (size_t i = 0; i < f->part_count; i++) {
    json_begin_object(w);
    json_key(w, "part"), json_write_text(w, part_name(f->robot, f->parts[i].part));
    write_bodies(w, f->robot, f->parts[i].part);
    if (f->request->from == FIT_MESHES) {
      json_key(w, "triangles"), json_write_integer(w, (long long)f->parts[i].triangles);
      json_key(w, "volume"), json_write_number(w, f->parts[i].volume);
    }
    json_end_object(w);
  }
  json_end_array(w);
}

void fitted_bodies_encode(struct buffer *out, const struct fitted_bodies *f)
{
  struct json_writer w = { .out = out };
  struct buffer model = BUFFER(LIMIT_ANSWER);
  robot_resource_encode(&(struct robot_resource){ .robot = f->robot, .write_row = f->write_row, .row = f->row },
                        &model);
  if (model.failure && !out->failure) out->failure = model.failure;
  json_begin_object(&w);
  json_key(&w, "revision"), json_write_integer(&w, f->revision);
  json_key(&w, "from"), json_write_text(&w, sources[f->request->from]);
  json_key(&w, "margin"), json_write_number(&w, f->request->margin);
  write_parts(&w, f);
  json_key(&w, "missing"), json_begin_array(&w);
  for (size_t i = 0; i < f->missing_count; i++) json_write_text(&w, f->missing[i]);
  json_end_array(&w);
  json_key(&w, "q"), json_write_numbers(&w, f->q, f->robot->joint_count);
  json_key(&w, "clearance"), json_write_number(&w, f->clearance.distance); /* null: nothing to compare */
  json_key(&w, "between"), clearance_between_encode(&w, &f->clearance);
  json_key(&w, "robot"), json_write_raw_n(&w, model.data, model.length);
  json_end_object(&w);
  buffer_release(&model);
}
