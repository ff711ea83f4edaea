#include "lib/geometry/cloud.h"

#include <math.h>
#include <string.h>

#include "armdyn/enclose.h"
#include "lib/math/rotation.h"
#include "lib/math/vector.h"

void cloud_direction(int index, double out[3])
{
  const double golden = M_PI * (3 - sqrt(5)), z = 1 - (2 * index + 1.0) / CLOUD_DIRECTIONS, r = sqrt(1 - z * z);
  out[0] = r * cos(golden * index), out[1] = r * sin(golden * index), out[2] = z;
}

static size_t farthest_along(const struct cloud *cloud, const double direction[3])
{
  double most = -INFINITY;
  size_t which = 0;
  for (size_t i = 0; i < cloud->count; i++) {
    const double along = dot3(cloud->points + 3 * i, direction);
    if (along > most) most = along, which = i;
  }
  return which;
}

size_t cloud_extremes(const struct cloud *cloud, double *out)
{
  size_t taken[CLOUD_DIRECTIONS] = { 0 }, count = 0;
  for (int k = 0; k < CLOUD_DIRECTIONS; k++) {
    double direction[3];
    cloud_direction(k, direction);
    const size_t which = farthest_along(cloud, direction);
    size_t i = 0;
    while (i < count && taken[i] != which) i++;
    if (i < count) continue;
    taken[count] = which;
    memcpy(out + 3 * count++, cloud->points + 3 * which, 3 * sizeof *out);
  }
  return count;
}

/* The point that is farthest from another, less what lies along a direction (0: nothing does). */
static void farthest_from(const struct cloud *cloud, const double from[3], const double along[3], double out[3])
{
  double most = -1;
  memset(out, 0, 3 * sizeof *out);
  for (size_t i = 0; i < cloud->count; i++) {
    double d[3];
    for (size_t k = 0; k < 3; k++) d[k] = cloud->points[3 * i + k] - from[k];
    const double t = dot3(d, along);
    for (size_t k = 0; k < 3; k++) d[k] -= t * along[k];
    if (dot3(d, d) > most) most = dot3(d, d), memcpy(out, d, sizeof d);
  }
}

static bool normalize(double v[3])
{
  const double length = sqrt(dot3(v, v));
  for (size_t k = 0; k < 3 && length > 0; k++) v[k] /= length;
  return length > 1e-9;
}

/* Along the longest way through the points, which is z, and the widest across it, which is x. */
static void long_axes(const struct cloud *cloud, double axes[9])
{
  static const double nothing[3] = { 0, 0, 0 };
  double z[3], x[3], y[3], end[3];
  farthest_from(cloud, cloud->points, nothing, end);
  for (size_t k = 0; k < 3; k++) end[k] += cloud->points[k];
  farthest_from(cloud, end, nothing, z);
  if (!normalize(z)) z[0] = z[1] = 0, z[2] = 1;
  farthest_from(cloud, end, z, x);
  if (!normalize(x)) {
    const double other[3] = { fabs(z[0]) < 0.9, !(fabs(z[0]) < 0.9), 0 };
    cross3(x, other, z);
    normalize(x);
  }
  cross3(y, z, x);
  for (size_t i = 0; i < 3; i++) axes[3 * i] = x[i], axes[3 * i + 1] = y[i], axes[3 * i + 2] = z[i];
}

void cloud_start(const struct cloud *cloud, int start, double axes[9])
{
  static const double aside[3] = { 0.5, 0.6, 0.7 }, along_x[3] = { 0, M_PI / 2, 0 };
  if (start == 0) rotation_of_vector(along_x, axes);
  if (start == 1) long_axes(cloud, axes);
  if (start == 2) rotation_of_vector(aside, axes);
}

double cloud_volume(const struct armdyn_shape *shape)
{
  const double r = shape->radius;
  if (shape->kind == ARMDYN_BOX) return shape->size[0] * shape->size[1] * shape->size[2];
  double length = 0;
  for (size_t k = 0; k < 3 && shape->kind == ARMDYN_CAPSULE; k++)
    length += (shape->to[k] - shape->from[k]) * (shape->to[k] - shape->from[k]);
  return M_PI * r * r * (sqrt(length) + 4 * r / 3);
}

static double box_distance(const struct armdyn_shape *box, const double point[3])
{
  double r[9], outside = 0, inside = -INFINITY;
  rotation_of_rpy(box->pose.rpy, r);
  for (size_t k = 0; k < 3; k++) {
    double along = 0;
    for (size_t i = 0; i < 3; i++) along += r[3 * i + k] * (point[i] - box->pose.translation[i]);
    const double over = fabs(along) - box->size[k] / 2;
    outside += over > 0 ? over * over : 0;
    inside = fmax(inside, over);
  }
  return inside > 0 ? sqrt(outside) : inside;
}

double armdyn_shape_distance(const struct armdyn_shape *shape, const double point[3])
{
  if (shape->kind == ARMDYN_BOX) return box_distance(shape, point);
  const double *end = shape->kind == ARMDYN_CAPSULE ? shape->to : shape->from;
  double along[3], d[3], t = 0;
  for (size_t k = 0; k < 3; k++) along[k] = end[k] - shape->from[k], d[k] = point[k] - shape->from[k];
  const double length = dot3(along, along);
  if (length > 0) t = fmax(0, fmin(1, dot3(d, along) / length));
  for (size_t k = 0; k < 3; k++) d[k] -= t * along[k];
  return sqrt(dot3(d, d)) - shape->radius;
}
