/* Round bodies are turned about their axis by SEGMENTS steps, and balls have half as many rings. A chord of a step h is
 * cos(h / 2) from the middle of its circle; the planes through two rings of a ball are cos(h / 2)^2 from its centre at least.
 * Radii are larger by as much, so that every surface is outside of its body. */
#include "api/mesh/cell_stl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/mesh/mesh.h"
#include "armdyn/clearance.h"
#include "armdyn/enclose.h"
#include "armdyn/inverse_kinematics.h"

enum { SEGMENTS = 32, RINGS = SEGMENTS / 4 }; /* RINGS: from a pole to the equator */

static const double plate[3] = { 100, 100, 0.1 };          /* m: of a half-space */
static const double thinnest = 1e-6, thinnest_part = 1e-6; /* m, and of its length: of a plate */

struct surface {
  struct buffer *out;
  size_t count;
  double frame[16]; /* of what is being written, in the axes of the cell */
};

static void add(struct surface *s, const double *a, const double *b, const double *c)
{
  const double *corners[3] = { a, b, c };
  double placed[MESH_CORNERS];
  char *to = buffer_reserve(s->out, STL_TRIANGLE_SIZE);
  if (!to) return;
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++) {
      const double *row = s->frame + 4 * k;
      placed[3 * i + k] = row[0] * corners[i][0] + row[1] * corners[i][1] + row[2] * corners[i][2] + row[3];
    }
  stl_write_triangle(placed, to);
  buffer_commit(s->out, STL_TRIANGLE_SIZE);
  s->count++;
}

/* z points along a direction, about a point. */
static void point_along(struct surface *s, const double z[3], const double at[3])
{
  struct armdyn_pose pose = { .rpy = { 0, atan2(hypot(z[0], z[1]), z[2]), atan2(z[1], z[0]) } };
  memcpy(pose.translation, at, sizeof pose.translation);
  armdyn_pose_matrix(&pose, s->frame);
}

/* -- what is turned about z: rings of a radius at a height, from below -- */

struct ring {
  double radius, height;
};

static void ring_point(const struct ring *ring, int step, double out[3])
{
  const double angle = 2 * M_PI * (step % SEGMENTS) / SEGMENTS;
  out[0] = ring->radius * cos(angle), out[1] = ring->radius * sin(angle), out[2] = ring->height;
}

static void revolve(struct surface *s, const struct ring *rings, size_t count)
{
  for (size_t i = 0; i + 1 < count; i++)
    for (int k = 0; k < SEGMENTS; k++) {
      double low[2][3], high[2][3];
      for (int j = 0; j < 2; j++) ring_point(&rings[i], k + j, low[j]), ring_point(&rings[i + 1], k + j, high[j]);
      if (rings[i].radius > 0) add(s, low[0], low[1], high[1]);
      if (rings[i + 1].radius > 0) add(s, low[0], high[1], high[0]);
    }
}

static void write_capsule(struct surface *s, const struct armdyn_shape *shape)
{
  const double chord = cos(M_PI / SEGMENTS), radius = shape->radius / (chord * chord);
  const double *to = shape->kind == ARMDYN_SPHERE ? shape->from : shape->to;
  double along[3], middle[3], length = 0;
  struct ring rings[2 * (RINGS + 1)];
  size_t count = 0;
  for (int k = 0; k < 3; k++) {
    along[k] = to[k] - shape->from[k], middle[k] = shape->from[k] + along[k] / 2;
    length += along[k] * along[k];
  }
  length = sqrt(length);
  point_along(s, along, middle);
  for (int i = -RINGS; i <= RINGS; i++) {
    const double latitude = M_PI / 2 * i / RINGS, half = length / 2 * (i < 0 ? -1 : 1);
    const struct ring ring = { abs(i) == RINGS ? 0 : radius * cos(latitude), radius * sin(latitude) + half };
    if (i == 0 && length > 0) rings[count++] = (struct ring){ radius, -half };
    rings[count++] = ring;
  }
  revolve(s, rings, count);
}

static void write_cylinder(struct surface *s, const struct armdyn_shape *shape)
{
  const double radius = shape->radius / cos(M_PI / SEGMENTS), half = shape->size[2] / 2;
  const struct ring rings[] = { { 0, -half }, { radius, -half }, { radius, half }, { 0, half } };
  armdyn_pose_matrix(&shape->pose, s->frame);
  revolve(s, rings, sizeof rings / sizeof *rings);
}

/* -- what has flat faces: hulls of points -- */

static size_t add_hull(struct surface *s, const double *points, size_t count)
{
  double triangles[MESH_CORNERS * ARMDYN_HULL_TRIANGLES_MAX];
  const size_t found = armdyn_hull_triangles(points, count, triangles);
  for (size_t i = 0; i < found; i++) {
    const double *t = triangles + MESH_CORNERS * i;
    add(s, t, t + 3, t + 6);
  }
  return found;
}

static void write_box_of(struct surface *s, const double size[3])
{
  double corners[24];
  for (size_t i = 0; i < 8; i++)
    for (size_t k = 0; k < 3; k++) corners[3 * i + k] = (i >> k & 1 ? 0.5 : -0.5) * size[k];
  add_hull(s, corners, 8);
}

/* The box around what has no thickness: it gets a little. */
static void write_flat(struct surface *s, const double *points, size_t count)
{
  double triangles[MESH_CORNERS * ARMDYN_CONVEX_POINTS_MAX];
  const struct armdyn_enclosing how = { 1U << ARMDYN_BOX, 0, 1 };
  struct armdyn_shape box;
  size_t used;
  for (size_t i = 0; i < MESH_CORNERS * count; i++) triangles[i] = points[i / MESH_CORNERS * 3 + i % 3];
  const enum armdyn_status status = armdyn_enclose(triangles, count, &how, &box, &used, NULL, NULL);
  if (status && !s->out->failure) s->out->failure = status;
  if (status) return;
  const double longest = fmax(box.size[0], fmax(box.size[1], box.size[2]));
  for (int k = 0; k < 3; k++) box.size[k] = fmax(box.size[k], fmax(thinnest, thinnest_part * longest));
  armdyn_pose_matrix(&box.pose, s->frame);
  write_box_of(s, box.size);
}

static void write_box(struct surface *s, const struct armdyn_shape *shape)
{
  armdyn_pose_matrix(&shape->pose, s->frame);
  write_box_of(s, shape->size);
}

static void write_half_space(struct surface *s, const struct armdyn_shape *shape)
{
  double middle[3];
  for (int k = 0; k < 3; k++) middle[k] = (shape->offset - plate[2] / 2) * shape->from[k];
  point_along(s, shape->from, middle);
  write_box_of(s, plate);
}

static void write_convex(struct surface *s, const struct armdyn_shape *shape)
{
  armdyn_pose_matrix(&(struct armdyn_pose){ .rpy = { 0 } }, s->frame);
  if (!add_hull(s, shape->points, shape->point_count)) write_flat(s, shape->points, shape->point_count);
}

static void (*const writers[])(struct surface *s, const struct armdyn_shape *shape) = {
  [ARMDYN_SPHERE] = write_capsule,    [ARMDYN_CAPSULE] = write_capsule,       [ARMDYN_BOX] = write_box,
  [ARMDYN_CYLINDER] = write_cylinder, [ARMDYN_HALF_SPACE] = write_half_space, [ARMDYN_CONVEX] = write_convex,
};
_Static_assert(sizeof writers / sizeof *writers == ARMDYN_SHAPE_KIND_COUNT, "every shape is written");

void cell_stl_encode(const struct cell_document *cell, struct buffer *out)
{
  struct surface s = { .out = out };
  char header[STL_HEADER_SIZE] = "";
  buffer_append(out, header, sizeof header); /* whose count is known at the end */
  for (size_t i = 0; i < cell->cell.obstacle_count; i++) {
    const struct armdyn_shape *shape = &cell->cell.obstacles[i].shape;
    writers[shape->kind](&s, shape);
  }
  if (!out->failure) stl_write_header(s.count, out->data);
}
