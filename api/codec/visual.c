#include "api/codec/visual.h"

#include <stddef.h>

#include "api/codec/parts.h"
#include "api/codec/shape.h"

#define VISUAL struct armdyn_visual

/* Is the visual of this shape a shape, of this kind? */
static bool is_shape(const void *shape, enum armdyn_shape_kind kind)
{
  const VISUAL *visual = (const VISUAL *)(const void *)((const char *)shape - offsetof(VISUAL, shape));
  return !*visual->mesh && visual->shape.kind == kind;
}

static bool is_sphere(const void *shape, const struct json_context *context)
{
  (void)context;
  return is_shape(shape, ARMDYN_SPHERE);
}

static bool is_box(const void *shape, const struct json_context *context)
{
  (void)context;
  return is_shape(shape, ARMDYN_BOX);
}

static bool is_cylinder(const void *shape, const struct json_context *context)
{
  (void)context;
  return is_shape(shape, ARMDYN_CYLINDER);
}

static const struct json_field visual_fields[] = {
  { TEXT(VISUAL, joint), NULLABLE, OMIT_DEFAULT }, /* the library knows its joints */
  { TEXT(VISUAL, mesh), MATCHES(json_name_pattern), OMIT_DEFAULT },
  { TEXT(VISUAL, reference), NULLABLE, OMIT_DEFAULT },
  { OBJECT(VISUAL, frame, pose_type), OMIT_DEFAULT },
  { NUMBERS(VISUAL, scale, 3, NON_ZERO, "m for 1 of the mesh"), OMIT_DEFAULT },
  { TRUTH(VISUAL, collision), OMIT_DEFAULT },
  { OBJECT(VISUAL, shape, sphere_type), NAMED("sphere"), WANTED(is_sphere) },
  { OBJECT(VISUAL, shape, box_type), NAMED("box"), WANTED(is_box) },
  { OBJECT(VISUAL, shape, cylinder_type), NAMED("cylinder"), WANTED(is_cylinder) },
  { NUMBERS(VISUAL, color, 4, BETWEEN(0, 1), "red, green, blue, opacity"), HAS(VISUAL, has_color), NULLABLE },
};
enum { ROW_MESH = 1, ROW_SPHERE = 6, ROW_CYLINDER = 8 }; /* of a mesh alone is what stands between */

/* A mesh or one shape, and nothing of a mesh beside a shape. */
static void visual_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const VISUAL *visual = object;
  const uint64_t met = given | r->wrong;
  int kinds = (int)(met >> ROW_MESH & 1);
  (void)context;
  for (int row = ROW_SPHERE; row <= ROW_CYLINDER; row++) kinds += (int)(met >> row & 1);
  if (!kinds)
    json_fault(r, "/mesh", FAULT_REQUIRED, "is missing: the name of a mesh, or a \"sphere\", \"box\" or \"cylinder\"");
  if (kinds > 1)
    json_fault(r, NULL, FAULT_INCONSISTENT, "must be a mesh or one shape, got %d: each is a visual of its own", kinds);
  for (int row = ROW_MESH + 1; row < ROW_SPHERE && kinds == 1 && !(met >> ROW_MESH & 1); row++) {
    const bool collides = row == ROW_SPHERE - 1;
    char pointer[32];
    if (!(given >> row & 1) || (collides && !visual->collision)) continue;
    snprintf(pointer, sizeof pointer, "/%s", visual_fields[row].name);
    json_fault(r, pointer, FAULT_INCONSISTENT,
               collides ? "belongs to a mesh: a shape that collides is one of the `bodies` of its link"
                        : "belongs to a mesh: a shape has its own place in the link frame");
  }
}

static void visual_init(void *visual)
{
  armdyn_visual_init(visual);
}
const struct json_type visual_type =
    JSON_TYPE("a mesh or a shape of a link", visual_fields, VISUAL, visual_init, visual_check);
