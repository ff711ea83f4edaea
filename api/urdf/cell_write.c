#include <math.h>
#include <string.h>

#include "api/json/number.h"
#include "api/urdf/cell_xml.h"
#include "api/urdf/rigid.h"
#include "api/urdf/text.h"
#include "armdyn/enclose.h"

static void write_element(struct buffer *out, const char *name, const double *values, size_t count)
{
  buffer_format(out, "<%s>", name);
  for (size_t i = 0; i < count; i++) {
    char number[NUMBER_SIZE];
    number_print(values[i], number);
    buffer_format(out, "%s%s", i ? " " : "", number);
  }
  buffer_format(out, "</%s>", name);
}

static void write_pose(struct buffer *out, const struct armdyn_pose *pose)
{
  double numbers[6];
  memcpy(numbers, pose->translation, sizeof pose->translation);
  memcpy(numbers + 3, pose->rpy, sizeof pose->rpy);
  write_element(out, "pose", numbers, 6);
}

/* Where z points along a direction of length 1. */
static struct armdyn_pose pose_along(const double z[3], const double at[3])
{
  struct armdyn_pose pose = { .rpy = { 0, atan2(hypot(z[0], z[1]), z[2]), atan2(z[1], z[0]) } };
  memcpy(pose.translation, at, sizeof pose.translation);
  return pose;
}

static void write_box(struct buffer *out, const struct armdyn_shape *shape)
{
  write_pose(out, &shape->pose);
  buffer_text(out, "<geometry><box>");
  write_element(out, "size", shape->size, 3);
  buffer_text(out, "</box></geometry>");
}

static void write_sphere(struct buffer *out, const struct armdyn_shape *shape)
{
  struct armdyn_pose pose = { 0 };
  memcpy(pose.translation, shape->from, sizeof pose.translation);
  write_pose(out, &pose);
  buffer_text(out, "<geometry><sphere>");
  write_element(out, "radius", &shape->radius, 1);
  buffer_text(out, "</sphere></geometry>");
}

/* One whose ends are one point is a ball: SDF wants lengths > 0. */
static void write_capsule(struct buffer *out, const struct armdyn_shape *shape)
{
  double along[3], middle[3], length = 0;
  for (int k = 0; k < 3; k++) {
    along[k] = shape->to[k] - shape->from[k], middle[k] = shape->from[k] + along[k] / 2;
    length += along[k] * along[k];
  }
  length = sqrt(length);
  if (!(length > 0)) {
    write_sphere(out, shape);
    return;
  }
  for (int k = 0; k < 3; k++) along[k] /= length;
  const struct armdyn_pose pose = pose_along(along, middle);
  write_pose(out, &pose);
  buffer_text(out, "<geometry><capsule>");
  write_element(out, "radius", &shape->radius, 1), write_element(out, "length", &length, 1);
  buffer_text(out, "</capsule></geometry>");
}

static void write_cylinder(struct buffer *out, const struct armdyn_shape *shape)
{
  write_pose(out, &shape->pose);
  buffer_text(out, "<geometry><cylinder>");
  write_element(out, "radius", &shape->radius, 1), write_element(out, "length", &shape->size[2], 1);
  buffer_text(out, "</cylinder></geometry>");
}

static void write_half_space(struct buffer *out, const struct armdyn_shape *shape)
{
  const double size[2] = { 100, 100 };
  struct armdyn_pose pose = { 0 };
  for (int k = 0; k < 3; k++) pose.translation[k] = shape->offset * shape->from[k];
  write_pose(out, &pose);
  buffer_text(out, "<geometry><plane>");
  write_element(out, "normal", shape->from, 3), write_element(out, "size", size, 2);
  buffer_text(out, "</plane></geometry>");
}

/* SDF has no hull of points: the box around them. */
static void write_convex(struct buffer *out, const struct armdyn_shape *shape)
{
  double triangles[9 * ARMDYN_CONVEX_POINTS_MAX];
  const struct armdyn_enclosing how = { 1U << ARMDYN_BOX, 0, 1 };
  struct armdyn_shape box;
  size_t used;
  for (size_t i = 0; i < shape->point_count; i++)
    for (size_t k = 0; k < 9; k++) triangles[9 * i + k] = shape->points[3 * i + k % 3];
  const enum armdyn_status status = armdyn_enclose(triangles, shape->point_count, &how, &box, &used, NULL, NULL);
  if (status) {
    if (!out->failure) out->failure = status;
    return;
  }
  buffer_format(out, "<!-- the box around a hull of %zu points -->", shape->point_count);
  write_box(out, &box);
}

static void (*const writers[])(struct buffer *out, const struct armdyn_shape *shape) = {
  [ARMDYN_SPHERE] = write_sphere,     [ARMDYN_CAPSULE] = write_capsule,       [ARMDYN_BOX] = write_box,
  [ARMDYN_CYLINDER] = write_cylinder, [ARMDYN_HALF_SPACE] = write_half_space, [ARMDYN_CONVEX] = write_convex,
};
_Static_assert(sizeof writers / sizeof *writers == ARMDYN_SHAPE_KIND_COUNT, "every shape is written");

void cell_xml_encode(const struct cell_document *cell, struct buffer *out)
{
  buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sdf version=\"1.8\">\n<world name=\"");
  xml_write_escaped(out, cell->name);
  buffer_text(out, "\">\n");
  if (*cell->description) xml_write_comment(out, "", cell->description);
  buffer_text(out, "  <frame name=\"arm_base\">");
  write_pose(out, &cell->cell.base);
  buffer_text(out, "</frame>\n");
  for (size_t i = 0; i < cell->cell.obstacle_count; i++) {
    const struct armdyn_obstacle *body = &cell->cell.obstacles[i];
    buffer_text(out, "  <model name=\"");
    xml_write_escaped(out, body->name);
    buffer_text(out, "\"><static>true</static><link name=\"link\"><collision name=\"body\">");
    writers[body->shape.kind](out, &body->shape);
    buffer_text(out, "</collision></link></model>\n");
  }
  buffer_text(out, "</world>\n</sdf>\n");
}
