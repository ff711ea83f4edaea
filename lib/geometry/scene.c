#include "lib/geometry/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/math/rotation.h"

/* -- the robot's bodies -- */

static const char *part_name(const struct armdyn_robot_description *robot, int part)
{
  if (part == ARMDYN_OF_BASE) return "base";
  if (part == ARMDYN_OF_TOOL) return "tool";
  return part == ARMDYN_OF_PAYLOAD ? "payload" : robot->joints[part].name;
}

/* Frames of the description, of which the bodies are, in the canonical ones. */
static void bodies_compile(struct armdyn_scene *scene)
{
  const struct armdyn_robot *robot = scene->robot;
  for (size_t i = 0; i < robot->description.body_count; i++) {
    const struct armdyn_part_body *from = &robot->description.bodies[i];
    struct moving_body *to = &scene->bodies[scene->body_count++];
    const bool carried = from->part >= ARMDYN_OF_TOOL;
    struct convex own;
    to->part = from->part;
    to->link = carried ? (int)robot->joint_count - 1 : from->part;
    to->name = part_name(&robot->description, from->part);
    convex_of_shape(&from->shape, &own);
    if (to->link < 0)
      to->body = own;
    else
      convex_move(carried ? &robot->tool : &robot->joints[to->link].frame, &own, &to->body);
  }
}

/* Do the joints between two links all meet in one point? Then bodies around it cannot be apart. */
static bool links_meet(const struct armdyn_robot *robot, int first, int last)
{
  for (int j = first + 2; j <= last; j++)
    if (dot3(robot->joints[j].parent.p, robot->joints[j].parent.p) > 1e-18 || robot->joints[j].prismatic) return false;
  return true;
}

static void pairs_compile(struct armdyn_scene *scene)
{
  for (size_t i = 0; i < scene->body_count; i++) {
    for (size_t k = 0; k < scene->body_count; k++) {
      const struct self_pair pair = { i, k };
      const int first = scene->bodies[i].link, last = scene->bodies[k].link;
      if (first >= last || links_meet(scene->robot, first, last)) continue;
      if (isinf(pair_allowance(scene, &pair, NAN))) continue;
      scene->pairs[scene->pair_count++] = pair;
    }
  }
}

/* -- touches -- */

static bool touch_holds(const struct known_touch *touch, double time)
{
  const bool always = isinf(touch->from) && isinf(touch->to);
  return always || (time >= touch->from && time <= touch->to);
}

double touch_allowance(const struct armdyn_scene *scene, size_t body, size_t obstacle, double time)
{
  double most = 0;
  for (size_t i = 0; i < scene->touch_count; i++) {
    const struct known_touch *touch = &scene->touches[i];
    if (touch->obstacle == obstacle + 1 && touch->part_a == scene->bodies[body].part && touch_holds(touch, time))
      most = fmax(most, touch->allowance);
  }
  return most;
}

double pair_allowance(const struct armdyn_scene *scene, const struct self_pair *pair, double time)
{
  const int a = scene->bodies[pair->a].part, b = scene->bodies[pair->b].part;
  double most = 0;
  for (size_t i = 0; i < scene->touch_count; i++) {
    const struct known_touch *touch = &scene->touches[i];
    const bool same = (touch->part_a == a && touch->part_b == b) || (touch->part_a == b && touch->part_b == a);
    if (!touch->obstacle && same && touch_holds(touch, time)) most = fmax(most, touch->allowance);
  }
  return most;
}

/* false: nothing has that name */
static bool find_named(const struct armdyn_scene *scene, const char *name, int *part, size_t *obstacle)
{
  *obstacle = 0;
  for (size_t i = 0; i < scene->standing_count; i++)
    if (!strcmp(scene->standing[i].name, name)) *obstacle = i + 1;
  const int joints = (int)scene->robot->joint_count;
  for (int p = ARMDYN_OF_BASE; p <= ARMDYN_OF_PAYLOAD && !*obstacle; p++) {
    const bool is_part = p < joints || p >= ARMDYN_OF_TOOL;
    *part = p;
    if (is_part && !strcmp(part_name(&scene->robot->description, p), name)) return true;
  }
  return *obstacle;
}

static enum armdyn_status touch_compile(struct armdyn_scene *scene, const struct armdyn_touch *touch, size_t index,
                                        struct armdyn_error *error)
{
  struct known_touch *to = &scene->touches[scene->touch_count];
  const char *const names[2] = { touch->a, touch->b };
  int part[2];
  size_t obstacle[2];
  char pointer[64];
  for (int i = 0; i < 2; i++) {
    snprintf(pointer, sizeof pointer, "/touches/%zu/bodies/%d", index, i);
    if (!find_named(scene, names[i], &part[i], &obstacle[i]))
      return armdyn_refuse(error, ARMDYN_EINPUT, pointer,
                           "must name a joint of the robot, base, tool, payload or a body of the cell, got \"%s\"",
                           names[i]);
  }
  snprintf(pointer, sizeof pointer, "/touches/%zu", index);
  if (obstacle[0] && obstacle[1])
    return armdyn_refuse(error, ARMDYN_EINPUT, pointer,
                         "must name a part of the robot: \"%s\" and \"%s\" both stand still in the cell", touch->a,
                         touch->b);
  if (!(touch->from <= touch->to))
    return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "must have from <= to, got %g and %g", touch->from, touch->to);
  if (!(touch->depth >= 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "must have a depth >= 0 m, got %g", touch->depth);
  const int robots = obstacle[0] ? 1 : 0;
  to->part_a = part[robots];
  to->part_b = part[1 - robots];
  to->obstacle = obstacle[1 - robots];
  to->from = touch->from, to->to = touch->to;
  to->allowance = touch->depth > 0 ? touch->depth : INFINITY;
  scene->touch_count++;
  return ARMDYN_OK;
}

/* -- the cell -- */

static void node_fill(struct box_node *node, const struct standing_body *bodies, const size_t *order, size_t count)
{
  for (int k = 0; k < 3; k++) node->lower[k] = INFINITY, node->upper[k] = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    double lower[3], upper[3];
    convex_bounds(&bodies[order[i]].body, lower, upper);
    for (int k = 0; k < 3; k++) {
      node->lower[k] = fmin(node->lower[k], lower[k]);
      node->upper[k] = fmax(node->upper[k], upper[k]);
    }
  }
}

/* Which is the k-th along an axis: the order is parted about it (Hoare's selection). */
static void part_at(const struct standing_body *bodies, size_t *order, size_t count, size_t k, int axis)
{
  size_t low = 0, high = count - 1;
  while (low < high) {
    const double pivot = bodies[order[low + (high - low) / 2]].body.center[axis];
    size_t i = low, j = high;
    for (;;) {
      while (bodies[order[i]].body.center[axis] < pivot) i++;
      while (bodies[order[j]].body.center[axis] > pivot) j--;
      if (i >= j) break;
      const size_t swapped = order[i];
      order[i++] = order[j], order[j--] = swapped;
    }
    if (k <= j)
      high = j;
    else
      low = j + 1;
  }
}

/* Halves along the longest edge of what is left, depth log2 of their number. */
static void tree_build(struct armdyn_scene *scene, size_t *order, size_t count)
{
  struct {
    size_t first, count, node;
  } stack[64], at;
  size_t waiting = 0;
  if (!count) return;
  stack[waiting].first = 0, stack[waiting].count = count, stack[waiting++].node = scene->node_count++;
  while (waiting) {
    at = stack[--waiting];
    struct box_node *node = &scene->nodes[at.node];
    node_fill(node, scene->standing, order + at.first, at.count);
    node->body = order[at.first], node->left = node->right = 0;
    if (at.count == 1) continue;
    int axis = 0;
    for (int k = 1; k < 3; k++)
      if (node->upper[k] - node->lower[k] > node->upper[axis] - node->lower[axis]) axis = k;
    const size_t half = at.count / 2;
    part_at(scene->standing, order + at.first, at.count, half, axis);
    node->left = scene->node_count++, node->right = scene->node_count++;
    stack[waiting].first = at.first, stack[waiting].count = half, stack[waiting++].node = node->left;
    stack[waiting].first = at.first + half, stack[waiting].count = at.count - half, stack[waiting++].node = node->right;
  }
}

/* Where its middle is; the points of a hull are copied about it, which keeps rounding small. */
static void standing_compile(const struct armdyn_obstacle *from, const struct pose *cell, double *points,
                             struct standing_body *to)
{
  struct convex own;
  convex_of_shape(&from->shape, &own);
  if (own.core == CORE_HULL) {
    double lower[3], upper[3], farthest = 0;
    convex_bounds(&own, lower, upper);
    for (int k = 0; k < 3; k++) own.center[k] = (lower[k] + upper[k]) / 2;
    for (size_t i = 0; i < own.point_count; i++) {
      for (int k = 0; k < 3; k++) points[3 * i + (size_t)k] = own.points[3 * i + (size_t)k] - own.center[k];
      farthest = fmax(farthest, dot3(points + 3 * i, points + 3 * i));
    }
    own.points = points, own.reach = sqrt(farthest);
  }
  convex_move(cell, &own, &to->body);
  memcpy(to->name, from->name, sizeof to->name);
}

static enum armdyn_status cell_compile(struct armdyn_scene *scene, const struct armdyn_cell *cell)
{
  struct pose base = { .r = { 0 } };
  size_t points = 0, used = 0;
  if (!cell->obstacle_count) return ARMDYN_OK;
  for (size_t i = 0; i < cell->obstacle_count; i++) points += cell->obstacles[i].shape.point_count;
  scene->standing = calloc(cell->obstacle_count, sizeof *scene->standing);
  scene->nodes = calloc(2 * cell->obstacle_count, sizeof *scene->nodes);
  scene->points = calloc(3 * points + 1, sizeof *scene->points);
  size_t *order = calloc(cell->obstacle_count, sizeof *order);
  if (!scene->standing || !scene->nodes || !scene->points || !order) {
    free(order);
    return ARMDYN_EMEMORY;
  }
  rotation_of_rpy(cell->base.rpy, base.r);
  memcpy(base.p, cell->base.translation, sizeof base.p);
  const struct pose in_base = pose_inverse(&base);
  for (int open = 1; open >= 0; open--) {
    for (size_t i = 0; i < cell->obstacle_count; i++) {
      const struct armdyn_obstacle *from = &cell->obstacles[i];
      if ((from->shape.kind == ARMDYN_HALF_SPACE) != open) continue;
      standing_compile(from, &in_base, scene->points + used, &scene->standing[scene->standing_count]);
      order[scene->standing_count] = scene->standing_count;
      used += 3 * from->shape.point_count;
      scene->standing_count++;
    }
    if (open) scene->open_count = scene->standing_count;
  }
  tree_build(scene, order + scene->open_count, scene->standing_count - scene->open_count);
  free(order);
  return ARMDYN_OK;
}

/* -- all of it -- */

enum armdyn_status armdyn_scene_new(const struct armdyn_robot *robot, const struct armdyn_cell *cell,
                                    const struct armdyn_touch *touches, size_t touch_count, struct armdyn_scene **out,
                                    struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  *out = NULL;
  if (touch_count > ARMDYN_TOUCHES_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/touches", "must be at most %d, got %zu", ARMDYN_TOUCHES_MAX,
                         touch_count);
  if (cell && (status = armdyn_cell_check(cell, error))) return status;
  struct armdyn_scene *scene = calloc(1, sizeof *scene);
  if (!scene) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "not enough memory");
  scene->robot = robot;
  bodies_compile(scene);
  if (cell) status = cell_compile(scene, cell);
  for (size_t i = 0; i < touch_count && !status; i++) status = touch_compile(scene, &touches[i], i, error);
  if (!status) {
    pairs_compile(scene);
    *out = scene;
    scene = NULL;
  }
  armdyn_scene_free(scene);
  return status;
}

void armdyn_scene_free(struct armdyn_scene *scene)
{
  if (!scene) return;
  free(scene->standing), free(scene->nodes), free(scene->points);
  free(scene);
}

size_t armdyn_scene_body_count(const struct armdyn_scene *scene)
{
  return scene->body_count;
}

size_t armdyn_scene_pair_count(const struct armdyn_scene *scene)
{
  return scene->pair_count;
}

struct armdyn_scene_workspace *armdyn_scene_workspace_new(const struct armdyn_scene *scene)
{
  (void)scene; /* all are of one size */
  return calloc(1, sizeof(struct armdyn_scene_workspace));
}

void armdyn_scene_workspace_free(struct armdyn_scene_workspace *workspace)
{
  free(workspace);
}
