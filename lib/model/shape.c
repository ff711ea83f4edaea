#include "lib/model/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/clearance.h"

/* Farther away than this is a slip of units; and there the rounding of a coordinate is still far below a micrometre. */
static const double farthest = 1e4;

/* What the numbers of a shape must be. */
struct part {
  unsigned kinds; /* bit mask: of which they are */
  const char *pointer;
  size_t offset, count;
  enum { PLACE, ANGLE, EDGE } rule;
};

#define OF(kind) (1u << ARMDYN_##kind)
static const struct part parts[] = {
  { OF(SPHERE), "/sphere/center", offsetof(struct armdyn_shape, from), 3, PLACE },
  { OF(SPHERE), "/sphere/radius", offsetof(struct armdyn_shape, radius), 1, EDGE },
  { OF(CAPSULE), "/capsule/from", offsetof(struct armdyn_shape, from), 3, PLACE },
  { OF(CAPSULE), "/capsule/to", offsetof(struct armdyn_shape, to), 3, PLACE },
  { OF(CAPSULE), "/capsule/radius", offsetof(struct armdyn_shape, radius), 1, EDGE },
  { OF(BOX), "/box/size", offsetof(struct armdyn_shape, size), 3, EDGE },
  { OF(BOX), "/box/translation", offsetof(struct armdyn_shape, pose.translation), 3, PLACE },
  { OF(BOX), "/box/rpy", offsetof(struct armdyn_shape, pose.rpy), 3, ANGLE },
  { OF(CYLINDER), "/cylinder/radius", offsetof(struct armdyn_shape, radius), 1, EDGE },
  { OF(CYLINDER), "/cylinder/length", offsetof(struct armdyn_shape, size[2]), 1, EDGE },
  { OF(CYLINDER), "/cylinder/translation", offsetof(struct armdyn_shape, pose.translation), 3, PLACE },
  { OF(CYLINDER), "/cylinder/rpy", offsetof(struct armdyn_shape, pose.rpy), 3, ANGLE },
  { OF(HALF_SPACE), "/half_space/normal", offsetof(struct armdyn_shape, from), 3, PLACE },
  { OF(HALF_SPACE), "/half_space/offset", offsetof(struct armdyn_shape, offset), 1, PLACE },
};

static enum armdyn_status number_check(double x, const struct part *part, const char *where, struct armdyn_error *error)
{
  if (!isfinite(x)) return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be finite");
  if (part->rule == EDGE && !(x > 0)) return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be > 0 m, got %g", x);
  if (part->rule != ANGLE && fabs(x) > farthest)
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be at most %g m, got %g: lengths are in metres", farthest,
                         x);
  return ARMDYN_OK;
}

static enum armdyn_status points_check(const struct armdyn_shape *shape, const char *prefix, struct armdyn_error *error)
{
  static const struct part point = { .rule = PLACE };
  enum armdyn_status status = ARMDYN_OK;
  char where[128];
  snprintf(where, sizeof where, "%s/convex/points", prefix);
  if (shape->point_count < 1 || shape->point_count > ARMDYN_CONVEX_POINTS_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be 1 to %d points, got %zu", ARMDYN_CONVEX_POINTS_MAX,
                         shape->point_count);
  for (size_t i = 0; i < 3 * shape->point_count && !status; i++) {
    snprintf(where, sizeof where, "%s/convex/points/%zu/%zu", prefix, i / 3, i % 3);
    status = number_check(shape->points[i], &point, where, error);
  }
  return status;
}

enum armdyn_status shape_check(const struct armdyn_shape *shape, const char *prefix, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  char where[128];
  if ((unsigned)shape->kind >= ARMDYN_SHAPE_KIND_COUNT)
    return armdyn_refuse(error, ARMDYN_EINPUT, prefix, "must be a kind of shape, got %d", (int)shape->kind);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!(parts[i].kinds >> shape->kind & 1)) continue;
    const double *numbers = (const double *)(const void *)((const unsigned char *)shape + parts[i].offset);
    for (size_t k = 0; k < parts[i].count && !status; k++) {
      if (parts[i].count > 1)
        snprintf(where, sizeof where, "%s%s/%zu", prefix, parts[i].pointer, k);
      else
        snprintf(where, sizeof where, "%s%s", prefix, parts[i].pointer);
      status = number_check(numbers[k], &parts[i], where, error);
    }
    if (status) return status;
  }
  if (shape->kind == ARMDYN_CONVEX) return points_check(shape, prefix, error);
  const double *n = shape->from, length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (shape->kind != ARMDYN_HALF_SPACE || fabs(length - 1) <= 1e-9) return ARMDYN_OK;
  snprintf(where, sizeof where, "%s/half_space/normal", prefix);
  return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be of length 1, got %.9g", length);
}

enum armdyn_status part_bodies_check(const struct armdyn_robot_description *robot, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  if (robot->body_count > ARMDYN_BODIES_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/bodies", "must be at most %d, got %zu", ARMDYN_BODIES_MAX,
                         robot->body_count);
  for (size_t i = 0, of_part = 0; i < robot->body_count && !status; i++) {
    const struct armdyn_part_body *body = &robot->bodies[i];
    char prefix[64];
    of_part = i && body->part == robot->bodies[i - 1].part ? of_part + 1 : 0;
    const bool is_link = body->part >= 0 && body->part < (int)robot->joint_count;
    if (is_link)
      snprintf(prefix, sizeof prefix, "/joints/%d/link/bodies/%zu", body->part, of_part);
    else
      snprintf(prefix, sizeof prefix, "/%s/bodies/%zu",
               body->part == ARMDYN_OF_TOOL      ? "tool"
               : body->part == ARMDYN_OF_PAYLOAD ? "payload"
                                                 : "base",
               of_part);
    if (!is_link && body->part != ARMDYN_OF_BASE && body->part != ARMDYN_OF_TOOL && body->part != ARMDYN_OF_PAYLOAD)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/bodies", "must belong to a part of the robot, got %d", body->part);
    if (body->shape.kind > ARMDYN_BOX)
      return armdyn_refuse(error, ARMDYN_EINPUT, prefix, "must be a sphere, a capsule or a box");
    status = shape_check(&body->shape, prefix, error);
  }
  return status;
}

static int by_name(const void *a, const void *b)
{
  const struct armdyn_obstacle *const *left = a, *const *right = b;
  return strcmp((*left)->name, (*right)->name);
}

/* No name twice. */
static enum armdyn_status names_check(const struct armdyn_cell *cell, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  const struct armdyn_obstacle **sorted = calloc(cell->obstacle_count + 1, sizeof *sorted);
  if (!sorted) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "not enough memory");
  for (size_t i = 0; i < cell->obstacle_count; i++) sorted[i] = &cell->obstacles[i];
  qsort(sorted, cell->obstacle_count, sizeof *sorted, by_name);
  for (size_t i = 1; i < cell->obstacle_count && !status; i++) {
    char where[64];
    if (strcmp(sorted[i - 1]->name, sorted[i]->name)) continue;
    const struct armdyn_obstacle *later = sorted[i] > sorted[i - 1] ? sorted[i] : sorted[i - 1];
    snprintf(where, sizeof where, "/bodies/%zu/name", (size_t)(later - cell->obstacles));
    status = armdyn_refuse(error, ARMDYN_EINPUT, where, "must be unique, but \"%s\" is there twice", later->name);
  }
  free(sorted);
  return status;
}

enum armdyn_status armdyn_cell_check(const struct armdyn_cell *cell, struct armdyn_error *error)
{
  static const struct part place = { .rule = PLACE }, angle = { .rule = ANGLE };
  enum armdyn_status status = ARMDYN_OK;
  char where[64];
  if (cell->obstacle_count > ARMDYN_OBSTACLES_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/bodies", "must be at most %d, got %zu", ARMDYN_OBSTACLES_MAX,
                         cell->obstacle_count);
  for (size_t k = 0; k < 6 && !status; k++) {
    const bool turns = k >= 3;
    snprintf(where, sizeof where, "/base/%s/%zu", turns ? "rpy" : "translation", k % 3);
    status =
        number_check(turns ? cell->base.rpy[k % 3] : cell->base.translation[k], turns ? &angle : &place, where, error);
  }
  for (size_t i = 0; i < cell->obstacle_count && !status; i++) {
    const struct armdyn_obstacle *body = &cell->obstacles[i];
    snprintf(where, sizeof where, "/bodies/%zu/name", i);
    if (!*body->name || !memchr(body->name, 0, sizeof body->name))
      return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be a name of 1 to %d bytes", ARMDYN_NAME_SIZE - 1);
    snprintf(where, sizeof where, "/bodies/%zu", i);
    status = shape_check(&body->shape, where, error);
  }
  return status ? status : names_check(cell, error);
}
