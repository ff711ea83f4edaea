#include "api/codec/shape.h"

#include "armdyn/clearance.h"

#define SHAPE struct armdyn_shape

/* Every kind starts from nothing but its name. */
#define SHAPE_INIT(name_, kind_)                                                                                       \
  static void name_(void *shape)                                                                                       \
  {                                                                                                                    \
    *(SHAPE *)shape = (SHAPE){ .kind = kind_ };                                                                        \
  }
SHAPE_INIT(sphere_init, ARMDYN_SPHERE)
SHAPE_INIT(capsule_init, ARMDYN_CAPSULE)
SHAPE_INIT(box_init, ARMDYN_BOX)
SHAPE_INIT(cylinder_init, ARMDYN_CYLINDER)
SHAPE_INIT(half_space_init, ARMDYN_HALF_SPACE)
SHAPE_INIT(convex_init, ARMDYN_CONVEX)

#define PLACED                                                                                                         \
  { NUMBERS(SHAPE, pose.translation, 3, ANY_NUMBER, "of its middle, m"), NAMED("translation"), OMIT_DEFAULT },         \
  {                                                                                                                    \
    NUMBERS(SHAPE, pose.rpy, 3, ANY_NUMBER, "roll, pitch, yaw about fixed axes, rad"), NAMED("rpy"), OMIT_DEFAULT      \
  }

static const struct json_field sphere_fields[] = {
  { NUMBERS(SHAPE, from, 3, ANY_NUMBER, "m"), NAMED("center"), OMIT_DEFAULT },
  { NUMBER(SHAPE, radius, POSITIVE, "m"), REQUIRED },
};
const struct json_type sphere_type = JSON_TYPE("a sphere: center, radius (m)", sphere_fields, SHAPE, sphere_init, NULL);

static const struct json_field capsule_fields[] = {
  { NUMBERS(SHAPE, from, 3, ANY_NUMBER, "one end of its middle line, m"), REQUIRED },
  { NUMBERS(SHAPE, to, 3, ANY_NUMBER, "the other end, m"), REQUIRED },
  { NUMBER(SHAPE, radius, POSITIVE, "m"), REQUIRED },
};
const struct json_type capsule_type =
    JSON_TYPE("a capsule: from, to, radius (m)", capsule_fields, SHAPE, capsule_init, NULL);

static const struct json_field box_fields[] = {
  { NUMBERS(SHAPE, size, 3, POSITIVE, "its edges, m"), REQUIRED },
  PLACED,
};
const struct json_type box_type =
    JSON_TYPE("a box: size, translation (m), rpy (rad)", box_fields, SHAPE, box_init, NULL);

static const struct json_field cylinder_fields[] = {
  { NUMBER(SHAPE, radius, POSITIVE, "m"), REQUIRED },
  { NUMBER(SHAPE, size[2], POSITIVE, "along its z axis, m"), NAMED("length"), REQUIRED },
  PLACED,
};
const struct json_type cylinder_type =
    JSON_TYPE("a cylinder: radius, length, translation (m), rpy (rad)", cylinder_fields, SHAPE, cylinder_init, NULL);

static const struct json_field half_space_fields[] = {
  { NUMBERS(SHAPE, from, 3, ANY_NUMBER, "direction out of it"), NAMED("normal"), REQUIRED },
  { NUMBER(SHAPE, offset, ANY_NUMBER, "m: its points x have normal . x <= offset"), REQUIRED },
};

static void half_space_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  SHAPE *shape = object;
  double *n = shape->from, length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(length > 0 && isfinite(length))) {
    if (!(r->wrong & 1))
      json_fault(r, "/normal", FAULT_MINIMUM, "must be a direction with a length > 0, got %g", length);
  } else if (fabs(length - 1) > 1e-15 * 8) { /* a unit vector stays as it is, bit for bit */
    for (int i = 0; i < 3; i++) n[i] /= length;
  }
}
const struct json_type half_space_type =
    JSON_TYPE("a half-space: normal, offset (m)", half_space_fields, SHAPE, half_space_init, half_space_check);

static void points_decode(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  struct shape_points *points = context->user;
  SHAPE *shape = (SHAPE *)(void *)((char *)member - field->offset);
  double *first = points->numbers + points->used;
  size_t count = 0;
  if (!json_enter_array(r, field->unit)) return;
  double spare[3] = { 0 };
  for (; json_next_element(r); count++)
    json_read_numbers(r, "m", 3, count < ARMDYN_CONVEX_POINTS_MAX ? first + 3 * count : spare);
  if (count < 1 || count > ARMDYN_CONVEX_POINTS_MAX) {
    json_fault(r, NULL, FAULT_LENGTH, "must have 1 to %d points, got %zu", ARMDYN_CONVEX_POINTS_MAX, count);
    return;
  }
  shape->points = first, shape->point_count = count;
  points->used += 3 * count;
}

static void points_encode(struct json_writer *w, const struct json_field *field, const void *member,
                          const struct json_context *context)
{
  (void)context;
  const SHAPE *shape = (const SHAPE *)(const void *)((const char *)member - field->offset);
  json_write_table(w, shape->points, (const size_t[]){ shape->point_count, 3 }, 2);
}

static const struct json_field convex_fields[] = {
  { CUSTOM(SHAPE, points, points_decode, points_encode, "a list of points [x, y, z], m"), REQUIRED },
};
const struct json_type convex_type =
    JSON_TYPE("a convex body: the hull of its points (m)", convex_fields, SHAPE, convex_init, NULL);

void shape_form_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct shape_form *form = object;
  int kinds = 0;
  for (int k = 0; k < ARMDYN_SHAPE_KIND_COUNT; k++) kinds += form->has[k];
  if (kinds == 0 && !r->wrong) json_fault(r, NULL, FAULT_REQUIRED, "must have a shape, such as \"box\": {\"size\": m}");
  if (kinds > 1)
    json_fault(r, NULL, FAULT_INCONSISTENT, "must have one shape, got %d: each is a body of its own", kinds);
}
