/* Clearances of arms in cells: against every pair one by one, finite differences, and arms by hand. */
#include <criterion/criterion.h>

#include "lib/geometry/distance.h"
#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

enum { N = ARMDYN_JOINTS_MAX, OBSTACLES = 60 };

struct stage {
  struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct armdyn_obstacle obstacles[OBSTACLES];
  double points[OBSTACLES][24];
  struct armdyn_cell cell;
  struct armdyn_scene *scene;
  struct armdyn_scene_workspace *scene_workspace;
};

static void stage_open(struct stage *s, const struct armdyn_touch *touches, size_t touch_count)
{
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_robot_new(&s->description, &s->robot, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
  s->workspace = armdyn_workspace_new(s->description.joint_count);
  cr_assert_eq(armdyn_scene_new(s->robot, &s->cell, touches, touch_count, &s->scene, &error), ARMDYN_OK, "%s %s",
               error.pointer, error.message);
  s->scene_workspace = armdyn_scene_workspace_new(s->scene);
}

static void stage_close(struct stage *s)
{
  armdyn_scene_workspace_free(s->scene_workspace);
  armdyn_scene_free(s->scene);
  armdyn_workspace_free(s->workspace);
  armdyn_robot_free(s->robot);
}

static void random_part(struct dice *dice, int part, struct armdyn_part_body *body)
{
  memset(body, 0, sizeof *body);
  body->part = part;
  body->shape.kind = (enum armdyn_shape_kind)(int)dice_uniform(dice, 0, 2.999);
  dice_fill(dice, body->shape.from, 3, -0.1, 0.1);
  body->shape.radius = dice_uniform(dice, 0.02, 0.08);
  if (body->shape.kind == ARMDYN_CAPSULE) dice_fill(dice, body->shape.to, 3, -0.3, 0.3);
  if (body->shape.kind != ARMDYN_BOX) return;
  memset(body->shape.from, 0, sizeof body->shape.from), body->shape.radius = 0;
  dice_fill(dice, body->shape.size, 3, 0.05, 0.3);
  dice_fill(dice, body->shape.pose.translation, 3, -0.1, 0.1);
  dice_fill(dice, body->shape.pose.rpy, 3, -3, 3);
}

static void random_obstacle(struct dice *dice, size_t number, double *points, struct armdyn_obstacle *out)
{
  struct armdyn_shape *shape = &out->shape;
  memset(out, 0, sizeof *out);
  snprintf(out->name, sizeof out->name, "body-%zu", number);
  shape->kind = number ? (enum armdyn_shape_kind)(number % ARMDYN_SHAPE_KIND_COUNT) : ARMDYN_BOX;
  double at[3];
  dice_fill(dice, at, 3, -2, 2);
  for (int i = 0; i < 3; i++) shape->from[i] = at[i], shape->to[i] = at[i] + dice_uniform(dice, -0.4, 0.4);
  memcpy(shape->pose.translation, at, sizeof at);
  dice_fill(dice, shape->pose.rpy, 3, -3, 3);
  dice_fill(dice, shape->size, 3, 0.05, 0.5);
  shape->radius = dice_uniform(dice, 0.02, 0.2);
  if (shape->kind == ARMDYN_HALF_SPACE) {
    const double length = sqrt(dot3(at, at));
    for (int i = 0; i < 3; i++) shape->from[i] /= length;
    shape->offset = -4;
  }
  if (shape->kind != ARMDYN_CONVEX) return;
  for (int i = 0; i < 24; i++) points[i] = at[i % 3] + dice_uniform(dice, -0.3, 0.3);
  shape->points = points, shape->point_count = 8;
}

static void random_stage(struct dice *dice, struct stage *s, size_t joints)
{
  random_description(dice, &s->description, joints, (enum armdyn_convention)(joints % 3));
  s->description.body_count = 0;
  for (int i = ARMDYN_OF_BASE; i < (int)joints; i++)
    random_part(dice, i, &s->description.bodies[s->description.body_count++]);
  random_part(dice, ARMDYN_OF_TOOL, &s->description.bodies[s->description.body_count++]);
  random_part(dice, ARMDYN_OF_PAYLOAD, &s->description.bodies[s->description.body_count++]);
  dice_fill(dice, s->cell.base.translation, 3, -0.5, 0.5);
  dice_fill(dice, s->cell.base.rpy, 3, -1, 1);
  for (size_t i = 0; i < OBSTACLES; i++) random_obstacle(dice, i, s->points[i], &s->obstacles[i]);
  s->cell.obstacles = s->obstacles, s->cell.obstacle_count = OBSTACLES;
}

/* Frame of a part in the base frame, by forward kinematics. */
static void part_pose(const struct stage *s, const double *q, int part, struct pose *out)
{
  double tool[16], links[N * 16];
  const double *at = tool;
  armdyn_forward_kinematics(s->robot, q, s->workspace, tool, links);
  if (part >= 0 && part < ARMDYN_OF_TOOL) at = links + 16 * part;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) out->r[3 * i + k] = part == ARMDYN_OF_BASE ? i == k : at[4 * i + k];
    out->p[i] = part == ARMDYN_OF_BASE ? 0 : at[4 * i + 3];
  }
}

/* The least distance from the cell, body by body, none left out. */
static double brute_cell(const struct stage *s, const double *q)
{
  double least = INFINITY, base[16];
  struct pose cell;
  armdyn_pose_matrix(&s->cell.base, base);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) cell.r[3 * i + k] = base[4 * i + k];
    cell.p[i] = base[4 * i + 3];
  }
  for (size_t i = 0; i < s->description.body_count; i++) {
    const struct armdyn_part_body *part = &s->description.bodies[i];
    struct convex own, placed, in_cell;
    struct pose pose;
    if (part->part == ARMDYN_OF_BASE) continue;
    part_pose(s, q, part->part, &pose);
    convex_of_shape(&part->shape, &own);
    convex_move(&pose, &own, &placed);
    convex_move(&cell, &placed, &in_cell);
    for (size_t k = 0; k < OBSTACLES; k++) {
      struct convex obstacle;
      convex_of_shape(&s->obstacles[k].shape, &obstacle);
      least = fmin(least, convex_distance(&in_cell, &obstacle, NULL));
    }
  }
  return least;
}

Test(clearance, is_the_least_of_all_pairs)
{
  static struct stage s;
  struct dice dice = { 3 };
  for (int round = 0; round < 40; round++) {
    const size_t joints = 1 + (size_t)round % 7;
    double q[N];
    random_stage(&dice, &s, joints);
    stage_open(&s, NULL, 0);
    for (int state = 0; state < 20; state++) {
      struct armdyn_clearance c;
      dice_fill(&dice, q, joints, -1.5, 1.5);
      armdyn_clearance(s.scene, q, s.scene_workspace, &c, NULL);
      const double expected = brute_cell(&s, q);
      /* self-collision may only be nearer */
      cr_assert_leq(c.distance, expected + 1e-9, "round %d: %.12g, one by one %.12g", round, c.distance, expected);
      if (!strncmp(c.b, "body-", 5))
        cr_assert_float_eq(c.distance, expected, expected < 0 ? 2e-6 : 1e-9, "round %d: %.12g, one by one %.12g", round,
                           c.distance, expected);
    }
    stage_close(&s);
  }
}

/* Two pairs may be equally near in between: there the slope has a corner, and one of its sides must be met. */
Test(clearance, gradient_is_its_slope)
{
  static struct stage s;
  struct dice dice = { 9 };
  const double h = 1e-6;
  size_t compared = 0, corners = 0;
  for (int round = 0; round < 60; round++) {
    const size_t joints = 1 + (size_t)round % 7;
    double q[N], gradient[N];
    random_stage(&dice, &s, joints);
    stage_open(&s, NULL, 0);
    for (int state = 0; state < 10; state++) {
      struct armdyn_clearance at, side[2];
      dice_fill(&dice, q, joints, -1.5, 1.5);
      armdyn_clearance(s.scene, q, s.scene_workspace, &at, gradient);
      for (size_t j = 0; j < joints; j++) {
        const double middle = q[j];
        for (int k = 0; k < 2; k++) {
          q[j] = middle + (k ? h : -h);
          armdyn_clearance(s.scene, q, s.scene_workspace, &side[k], NULL);
        }
        q[j] = middle;
        const double slope = (side[1].distance - side[0].distance) / (2 * h);
        const double forward = (side[1].distance - at.distance) / h, backward = (at.distance - side[0].distance) / h;
        compared++;
        if (fabs(gradient[j] - slope) <= 1e-5) continue;
        corners++; /* depths and distances have corners; there, the gradient lies between both sides */
        const double low = fmin(forward, backward), high = fmax(forward, backward);
        cr_assert(gradient[j] > low - 1e-4 && gradient[j] < high + 1e-4,
                  "round %d joint %zu: %.9g is not between %.9g and %.9g at %g m of %s, %s", round, j, gradient[j], low,
                  high, at.distance, at.a, at.b);
      }
    }
    stage_close(&s);
  }
  cr_assert_gt(compared, 2000);
  cr_assert_lt(corners, compared / 100, "%zu of %zu", corners, compared);
}

/* -- a plane arm of two links of 1 m, capsules of 0.1 m -- */

static void plane_arm(struct stage *s)
{
  memset(s, 0, sizeof *s);
  armdyn_robot_description_init(&s->description);
  snprintf(s->description.name, sizeof s->description.name, "plane");
  s->description.joint_count = 3;
  for (int i = 0; i < 3; i++) {
    snprintf(s->description.joints[i].name, ARMDYN_NAME_SIZE, "j%d", i + 1);
    s->description.joints[i].a = 1;
    struct armdyn_part_body *body = &s->description.bodies[s->description.body_count++];
    body->part = i; /* the link frame is at the link's far end */
    body->shape = (struct armdyn_shape){ .kind = ARMDYN_CAPSULE, .from = { -1, 0, 0 }, .radius = 0.1 };
  }
  struct armdyn_obstacle *wall = &s->obstacles[0];
  snprintf(wall->name, sizeof wall->name, "wall");
  wall->shape = (struct armdyn_shape){ .kind = ARMDYN_HALF_SPACE, .from = { -1, 0, 0 }, .offset = -4 };
  s->cell.obstacles = s->obstacles, s->cell.obstacle_count = 1;
}

Test(clearance, by_hand)
{
  static struct stage s;
  struct armdyn_clearance c;
  double gradient[3];
  plane_arm(&s);
  stage_open(&s, NULL, 0);
  cr_assert_eq(armdyn_scene_body_count(s.scene), 3);
  cr_assert_eq(armdyn_scene_pair_count(s.scene), 1); /* the first and the third */
  armdyn_clearance(s.scene, (const double[]){ 0, 0, 0 }, s.scene_workspace, &c, gradient);
  cr_assert_float_eq(c.distance, 0.8, 1e-12); /* links one and three: a whole link between them */
  armdyn_clearance(s.scene, (const double[]){ 0, M_PI / 2, M_PI / 2 }, s.scene_workspace, &c, gradient);
  cr_assert_float_eq(c.distance, 0.8, 1e-12); /* one above the other */
  armdyn_clearance(s.scene, (const double[]){ 0, 0, M_PI / 2 }, s.scene_workspace, &c, gradient);
  cr_assert_float_eq(c.distance, 0.8, 1e-12);
  stage_close(&s);

  s.cell.base.translation[0] = 1.05; /* the wall is 2.95 m before the arm's base */
  const struct armdyn_touch touches[] = { { "j1", "j3", -INFINITY, INFINITY, 0 } };
  stage_open(&s, touches, 1);
  cr_assert_eq(armdyn_scene_pair_count(s.scene), 0);
  armdyn_clearance(s.scene, (const double[]){ 0, 0, 0 }, s.scene_workspace, &c, gradient);
  cr_assert_float_eq(c.distance, -0.15, 1e-12); /* 3.1 m against 2.95 m */
  cr_assert_str_eq(c.a, "j3");
  cr_assert_str_eq(c.b, "wall");
  armdyn_clearance(s.scene, (const double[]){ 0.5, 0, 0 }, s.scene_workspace, &c, gradient);
  cr_assert_float_eq(c.distance, 2.95 - 3 * cos(0.5) - 0.1, 1e-12);
  for (int j = 0; j < 3; j++) cr_assert_float_eq(gradient[j], (3 - j) * sin(0.5), 1e-12);
  stage_close(&s);
}

Test(clearance, refuses_what_is_none)
{
  static struct stage s;
  struct armdyn_error error;
  struct armdyn_scene *scene;
  plane_arm(&s);
  cr_assert_eq(armdyn_robot_new(&s.description, &s.robot, &error), ARMDYN_OK);
  const struct armdyn_touch nobody = { "j1", "nobody", -INFINITY, INFINITY, 0 };
  const struct armdyn_touch walls = { "wall", "wall", -INFINITY, INFINITY, 0 };
  cr_assert_eq(armdyn_scene_new(s.robot, &s.cell, &nobody, 1, &scene, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/touches/0/bodies/1");
  cr_assert_eq(armdyn_scene_new(s.robot, &s.cell, &walls, 1, &scene, &error), ARMDYN_EINPUT);
  s.obstacles[0].shape.from[0] = NAN;
  cr_assert_eq(armdyn_scene_new(s.robot, &s.cell, NULL, 0, &scene, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/bodies/0/half_space/normal/0");
  s.obstacles[0].shape.from[0] = -1;
  memcpy(&s.obstacles[1], &s.obstacles[0], sizeof s.obstacles[0]), s.cell.obstacle_count = 2;
  cr_assert_eq(armdyn_scene_new(s.robot, &s.cell, NULL, 0, &scene, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/bodies/1/name");
  armdyn_robot_free(s.robot);
  s.description.bodies[1].shape.radius = -1;
  cr_assert_eq(armdyn_robot_new(&s.description, &s.robot, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/joints/1/link/bodies/0/capsule/radius");
}

/* -- motions -- */

enum { SAMPLES = 301, BETWEEN = 40 };

/* Some turns of every joint, as a controller plays them. */
static void random_motion(struct dice *dice, size_t joints, double *q)
{
  double at[N], swing[N], rate[N], phase[N];
  dice_fill(dice, at, joints, -1, 1), dice_fill(dice, swing, joints, -0.6, 0.6);
  dice_fill(dice, rate, joints, 1, 6), dice_fill(dice, phase, joints, 0, 6);
  for (size_t i = 0; i < SAMPLES; i++) {
    for (size_t j = 0; j < joints; j++)
      q[i * joints + j] = at[j] + swing[j] * sin(rate[j] * (double)i / (SAMPLES - 1) + phase[j]);
  }
}

static double densely(const struct stage *s, size_t joints, const double *motion)
{
  double least = INFINITY, q[N];
  for (size_t i = 0; i < (SAMPLES - 1) * BETWEEN; i++) {
    struct armdyn_clearance c;
    const double *a = motion + i / BETWEEN * joints, part = (double)(i % BETWEEN) / BETWEEN;
    for (size_t j = 0; j < joints; j++) q[j] = a[j] + part * (a[joints + j] - a[j]);
    armdyn_clearance(s->scene, q, s->scene_workspace, &c, NULL);
    least = fmin(least, c.distance);
  }
  return least;
}

Test(clearance, of_a_motion_is_a_bound_within_tolerance)
{
  static struct stage s;
  static double q[SAMPLES * N];
  struct dice dice = { 21 };
  const double tolerance = 1e-4;
  for (int round = 0; round < (SANITIZED ? 7 : 21); round++) {
    const size_t joints = 1 + (size_t)round % 7;
    struct armdyn_motion_clearance found;
    struct armdyn_error error = { "", "" };
    random_stage(&dice, &s, joints);
    stage_open(&s, NULL, 0);
    random_motion(&dice, joints, q);
    const struct armdyn_played_motion motion = { .count = SAMPLES, .period = 0.004, .q = q };
    cr_assert_eq(armdyn_motion_clearance(s.scene, &motion, NULL, tolerance, &found, &error), ARMDYN_OK, "%s",
                 error.message);
    const double dense = densely(&s, joints, q);
    cr_assert(found.bound <= dense + 1e-9 && found.bound >= dense - 2 * tolerance, "round %d: %.9g, densely %.9g",
              round, found.bound, dense);
    cr_assert(found.at.distance >= found.bound && found.at.distance <= found.bound + tolerance + 1e-9);

    /* any joint may be off: no state within that is nearer */
    double deviation[N], off[N];
    for (size_t j = 0; j < joints; j++) deviation[j] = 0.01;
    struct armdyn_motion_clearance widened;
    cr_assert_eq(armdyn_motion_clearance(s.scene, &motion, deviation, tolerance, &widened, &error), ARMDYN_OK);
    for (int i = 0; i < 300; i++) {
      struct armdyn_clearance c;
      for (size_t j = 0; j < joints; j++)
        off[j] = q[(size_t)i * joints + j] + (dice_uniform(&dice, -1, 1) < 0 ? -0.01 : 0.01);
      armdyn_clearance(s.scene, off, s.scene_workspace, &c, NULL);
      cr_assert_geq(c.distance, widened.bound - 1e-9);
    }
    stage_close(&s);
  }
}

/* The plane arm sweeps to the wall and back: it is nearest when it points there, for a moment between two samples. */
Test(clearance, of_a_motion_is_found_between_samples)
{
  static struct stage s;
  struct armdyn_motion_clearance found;
  const double q[] = { -1, 0, 0, 1, 0, 0 };
  plane_arm(&s);
  const struct armdyn_played_motion motion = { .count = 2, .period = 0.5, .q = q };
  stage_open(&s, NULL, 0);
  cr_assert_eq(armdyn_motion_clearance(s.scene, &motion, NULL, 1e-5, &found, NULL), ARMDYN_OK);
  cr_assert_float_eq(found.bound, 0.8, 2e-5); /* its own links; the wall is at 4 m, 0.9 m away */
  stage_close(&s);

  s.cell.base.translation[0] = 1;
  stage_open(&s, NULL, 0);
  cr_assert_eq(armdyn_motion_clearance(s.scene, &motion, NULL, 1e-5, &found, NULL), ARMDYN_OK);
  cr_assert(found.bound <= -0.1 && found.bound >= -0.1 - 1e-5, "%.9g", found.bound);
  cr_assert_float_eq(found.time, 0.25, 2e-3);
  cr_assert_str_eq(found.at.a, "j3");
  cr_assert_str_eq(found.at.b, "wall");
  /* 1 mrad in each joint, 3, 2 and 1 m from it, and the radius */
  cr_assert_eq(armdyn_motion_clearance(s.scene, &motion, (double[]){ 1e-3, 1e-3, 1e-3 }, 1e-5, &found, NULL),
               ARMDYN_OK);
  cr_assert_float_eq(found.bound, -0.1 - 6.3e-3, 2e-5);
  stage_close(&s);

  /* it may touch the wall while it points there, but not sooner */
  const struct armdyn_touch while_there = { "j3", "wall", 0.2, 0.3, 0 };
  stage_open(&s, &while_there, 1);
  cr_assert_eq(armdyn_motion_clearance(s.scene, &motion, NULL, 1e-5, &found, NULL), ARMDYN_OK);
  const double edge = 4 * 0.05; /* rad off at the window's ends: 0.05 s of 4 rad/s */
  cr_assert_float_eq(found.bound, 3 - 3 * cos(edge) - 0.1, 1e-4);
  stage_close(&s);

  /* nor deeper than so far: 0.1 m are too much for 8 cm, and 3 cm are left of 13 */
  for (int enough = 0; enough < 2; enough++) {
    const struct armdyn_touch shallow = { "j3", "wall", 0.2, 0.3, enough ? 0.13 : 0.08 };
    stage_open(&s, &shallow, 1);
    cr_assert_eq(armdyn_motion_clearance(s.scene, &motion, NULL, 1e-5, &found, NULL), ARMDYN_OK);
    const double outside = 3 - 3 * cos(edge) - 0.1, within = shallow.depth - 0.1;
    cr_assert_float_eq(found.bound, fmin(outside, within), 1e-4, "%g", found.bound);
    cr_assert_float_eq(found.at.distance, fmin(outside, within), 1e-4);
    stage_close(&s);
  }
  const struct armdyn_touch always = { "j3", "wall", -INFINITY, INFINITY, 0.13 };
  struct armdyn_clearance c;
  stage_open(&s, &always, 1);
  armdyn_clearance(s.scene, (const double[]){ 0, 0, 0 }, s.scene_workspace, &c, NULL);
  cr_assert_float_eq(c.distance, 0.03, 1e-12);
  stage_close(&s);
}
