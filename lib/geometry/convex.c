#include "lib/geometry/convex.h"

#include <math.h>
#include <string.h>

#include "lib/math/rotation.h"

static void posed(const struct armdyn_pose *pose, struct convex *out)
{
  double r[9];
  rotation_of_rpy(pose->rpy, r);
  memcpy(out->center, pose->translation, sizeof out->center);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) out->axis[i][k] = r[3 * k + i];
  }
}

static void hull(const struct armdyn_shape *shape, struct convex *out)
{
  double farthest = 0;
  for (size_t i = 0; i < shape->point_count; i++)
    farthest = fmax(farthest, dot3(shape->points + 3 * i, shape->points + 3 * i));
  for (int i = 0; i < 3; i++) out->axis[i][i] = 1;
  out->points = shape->points, out->point_count = shape->point_count;
  out->reach = sqrt(farthest);
}

void convex_of_shape(const struct armdyn_shape *shape, struct convex *out)
{
  memset(out, 0, sizeof *out);
  switch (shape->kind) {
  case ARMDYN_SPHERE:
  case ARMDYN_CAPSULE:
    out->core = shape->kind == ARMDYN_SPHERE ? CORE_POINT : CORE_SEGMENT;
    out->radius = shape->radius;
    for (int i = 0; i < 3; i++) {
      const double to = out->core == CORE_POINT ? shape->from[i] : shape->to[i];
      out->center[i] = shape->from[i] + (to - shape->from[i]) / 2;
      out->axis[0][i] = (to - shape->from[i]) / 2;
    }
    out->reach = sqrt(dot3(out->axis[0], out->axis[0])) + shape->radius;
    if (!(dot3(out->axis[0], out->axis[0]) > 0)) out->core = CORE_POINT;
    break;
  case ARMDYN_BOX:
    out->core = CORE_BOX;
    posed(&shape->pose, out);
    for (int i = 0; i < 3; i++) out->half[i] = shape->size[i] / 2;
    out->reach = sqrt(dot3(out->half, out->half));
    break;
  case ARMDYN_CYLINDER:
    out->core = CORE_CYLINDER;
    posed(&shape->pose, out);
    out->half[0] = out->half[1] = shape->radius, out->half[2] = shape->size[2] / 2;
    out->reach = hypot(out->half[0], out->half[2]);
    break;
  case ARMDYN_HALF_SPACE:
    out->core = CORE_HALF_SPACE;
    memcpy(out->axis[0], shape->from, sizeof out->axis[0]);
    for (int i = 0; i < 3; i++) out->center[i] = shape->offset * shape->from[i];
    out->reach = INFINITY;
    break;
  case ARMDYN_CONVEX:
  case ARMDYN_SHAPE_KIND_COUNT:
    out->core = CORE_HULL;
    hull(shape, out);
    break;
  }
}

void convex_move(const struct pose *pose, const struct convex *body, struct convex *restrict out)
{
  *out = *body;
  rotate3(out->center, pose->r, body->center);
  for (int i = 0; i < 3; i++) out->center[i] += pose->p[i];
  const int axes = body->core == CORE_POINT ? 0 : body->core == CORE_SEGMENT || body->core == CORE_HALF_SPACE ? 1 : 3;
  for (int i = 0; i < axes; i++) rotate3(out->axis[i], pose->r, body->axis[i]);
}

double core_extent(const struct convex *body, const double direction[3])
{
  double across[2], most = -INFINITY;
  switch (body->core) {
  case CORE_POINT: return 0;
  case CORE_SEGMENT: return fabs(dot3(body->axis[0], direction));
  case CORE_BOX: {
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += body->half[i] * fabs(dot3(body->axis[i], direction));
    return sum;
  }
  case CORE_CYLINDER:
    for (int i = 0; i < 2; i++) across[i] = dot3(body->axis[i], direction);
    return body->half[0] * hypot(across[0], across[1]) + body->half[2] * fabs(dot3(body->axis[2], direction));
  case CORE_HULL: {
    const double own[3] = { dot3(body->axis[0], direction), dot3(body->axis[1], direction),
                            dot3(body->axis[2], direction) };
    for (size_t i = 0; i < body->point_count; i++) most = fmax(most, dot3(body->points + 3 * i, own));
    return most;
  }
  case CORE_HALF_SPACE:
  case CORE_COUNT: break;
  }
  return INFINITY;
}

void convex_bounds(const struct convex *body, double lower[3], double upper[3])
{
  for (int i = 0; i < 3; i++) {
    double forth[3] = { 0 }, back[3] = { 0 };
    forth[i] = 1, back[i] = -1;
    upper[i] = body->center[i] + core_extent(body, forth) + body->radius;
    lower[i] = body->center[i] - core_extent(body, back) - body->radius;
  }
}

static void cylinder_support(const struct convex *body, const double direction[3], double out[3])
{
  const double x = dot3(body->axis[0], direction), y = dot3(body->axis[1], direction), length = hypot(x, y);
  if (length > 0)
    core_along(body, 0, body->half[0] * x / length, out), core_along(body, 1, body->half[0] * y / length, out);
  core_along(body, 2, copysign(body->half[2], dot3(body->axis[2], direction)), out);
}

static void hull_support(const struct convex *body, const double direction[3], double out[3])
{
  const double own[3] = { dot3(body->axis[0], direction), dot3(body->axis[1], direction),
                          dot3(body->axis[2], direction) };
  const double *best = body->points;
  double most = -INFINITY;
  for (size_t i = 0; i < body->point_count; i++) {
    const double value = dot3(body->points + 3 * i, own);
    if (value > most) most = value, best = body->points + 3 * i;
  }
  for (int i = 0; i < 3; i++) core_along(body, i, best[i], out);
}

void core_support(const struct convex *body, const double direction[3], double out[3])
{
  memcpy(out, body->center, sizeof body->center);
  if (body->core == CORE_SEGMENT) core_along(body, 0, copysign(1, dot3(body->axis[0], direction)), out);
  if (body->core == CORE_CYLINDER) cylinder_support(body, direction, out);
  if (body->core == CORE_HULL) hull_support(body, direction, out);
  if (body->core != CORE_BOX) return;
  for (int i = 0; i < 3; i++) core_along(body, i, copysign(body->half[i], dot3(body->axis[i], direction)), out);
}
