#include "api/urdf/shapes.h"

#include <string.h>

#include "api/urdf/text.h"

/* Which numbers a geometry has, and where they go. To add one: a row. */
struct number {
  const char *attribute;
  size_t count, offset;
};
static const struct geometry {
  const char *name;
  enum armdyn_shape_kind kind;
  struct number numbers[2];
} geometries[] = {
  { "box", ARMDYN_BOX, { { "size", 3, offsetof(struct armdyn_shape, size) } } },
  { "sphere", ARMDYN_SPHERE, { { "radius", 1, offsetof(struct armdyn_shape, radius) } } },
  { "cylinder",
    ARMDYN_CYLINDER,
    { { "radius", 1, offsetof(struct armdyn_shape, radius) },
      { "length", 1, offsetof(struct armdyn_shape, size[2]) } } },
};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

static bool read_numbers(const xmlNode *node, const struct geometry *geometry, struct armdyn_shape *shape)
{
  struct xml_reader quiet = { .faults = NULL };
  for (size_t k = 0; k < 2 && geometry->numbers[k].attribute; k++) {
    const struct number *number = &geometry->numbers[k];
    double *to = (double *)(void *)((unsigned char *)shape + number->offset);
    if (!xml_numbers(&quiet, node, number->attribute, "m", number->count, to)) return false;
    for (size_t j = 0; j < number->count; j++)
      if (!(to[j] > 0)) return false;
  }
  return true;
}

static bool read_geometry(const xmlNode *geometry, struct armdyn_shape *shape, const char **why)
{
  for (size_t i = 0; i < GEOMETRIES; i++) {
    const xmlNode *node = xml_child(geometry, geometries[i].name);
    if (!node) continue;
    shape->kind = geometries[i].kind;
    *why = "its numbers must be there, and > 0 m";
    return read_numbers(node, &geometries[i], shape);
  }
  *why = "it is no box, sphere or cylinder";
  return false;
}

bool urdf_shape_read(const xmlNode *node, const struct rigid *link, struct armdyn_shape *shape, struct rigid *frame,
                     const char **why)
{
  struct xml_reader quiet = { .faults = NULL };
  const xmlNode *origin = xml_child(node, "origin");
  struct armdyn_pose pose = { { 0 }, { 0 } };
  memset(shape, 0, sizeof *shape);
  if (!read_geometry(xml_child(node, "geometry"), shape, why)) return false;
  if (origin) {
    xml_numbers(&quiet, origin, "xyz", "m", 3, pose.translation);
    xml_numbers(&quiet, origin, "rpy", "rad", 3, pose.rpy);
  }
  *why = "its origin must be numbers, 3 of xyz and 3 of rpy";
  if (quiet.fault_count) return false;
  *frame = rigid_of_pose(&pose);
  if (link) { /* else as it was written, bit for bit */
    *frame = rigid_multiply(link, frame);
    pose = rigid_to_pose(frame);
  }
  if (shape->kind == ARMDYN_SPHERE)
    memcpy(shape->from, pose.translation, sizeof shape->from);
  else
    shape->pose = pose;
  return true;
}

void urdf_geometry_write(struct buffer *out, const struct armdyn_shape *shape)
{
  const struct geometry *geometry = geometries;
  while (geometry->kind != shape->kind) geometry++;
  buffer_format(out, "      <geometry><%s", geometry->name);
  for (size_t k = 0; k < 2 && geometry->numbers[k].attribute; k++) {
    const struct number *number = &geometry->numbers[k];
    xml_write_numbers(out, number->attribute,
                      (const double *)(const void *)((const unsigned char *)shape + number->offset), number->count);
  }
  buffer_text(out, "/></geometry>\n");
}

struct armdyn_pose urdf_shape_pose(const struct armdyn_shape *shape)
{
  struct armdyn_pose pose = shape->pose;
  if (shape->kind == ARMDYN_SPHERE) memcpy(pose.translation, shape->from, sizeof pose.translation);
  return pose;
}
