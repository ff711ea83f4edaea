/* What is near, and how fast that can change (lib/geometry/proximity.c), against every pair looked at and every joint moved. */
#include <criterion/criterion.h>

#include "lib/geometry/scene.h"
#include "tests/support/robots.h"

enum { JOINTS = 6, OBSTACLES = 40, STATES = 200 };
static const double WITHIN = 0.15;

struct fixture {
  struct armdyn_robot_description description;
  struct armdyn_obstacle obstacles[OBSTACLES];
  struct armdyn_robot *robot;
  struct armdyn_scene *scene;
  struct armdyn_scene_workspace *workspace;
};

/* Joints of which the third and the last slide, each with a body of its own. */
static void random_arm(struct dice *dice, struct armdyn_robot_description *d)
{
  armdyn_robot_description_init(d);
  d->joint_count = JOINTS;
  for (size_t j = 0; j < JOINTS; j++) {
    struct armdyn_joint *joint = &d->joints[j];
    armdyn_joint_init(joint);
    snprintf(joint->name, sizeof joint->name, "j%zu", j + 1);
    joint->type = j == 2 || j == 5 ? ARMDYN_PRISMATIC : ARMDYN_REVOLUTE;
    joint->link.mass = 1;
    joint->a = dice_uniform(dice, -0.4, 0.4), joint->d = dice_uniform(dice, -0.2, 0.2);
    joint->alpha = dice_uniform(dice, -2, 2);
    struct armdyn_part_body *body = &d->bodies[d->body_count++];
    body->part = (int)j;
    body->shape = (struct armdyn_shape){ .kind = j % 2 ? ARMDYN_CAPSULE : ARMDYN_BOX, .radius = 0.04 };
    dice_fill(dice, body->shape.from, 3, -0.2, 0.2);
    dice_fill(dice, body->shape.to, 3, -0.2, 0.2);
    dice_fill(dice, body->shape.size, 3, 0.05, 0.2);
    dice_fill(dice, body->shape.pose.translation, 3, -0.1, 0.1);
    dice_fill(dice, body->shape.pose.rpy, 3, -2, 2);
  }
}

static void fixture_open(struct dice *dice, struct fixture *f)
{
  memset(f, 0, sizeof *f);
  random_arm(dice, &f->description);
  for (size_t i = 0; i < OBSTACLES; i++) {
    struct armdyn_obstacle *o = &f->obstacles[i];
    snprintf(o->name, sizeof o->name, "o%zu", i);
    o->shape.kind = i == 0 ? ARMDYN_HALF_SPACE : i % 2 ? ARMDYN_BOX : ARMDYN_SPHERE;
    o->shape.radius = 0.1, o->shape.offset = -0.8;
    dice_fill(dice, o->shape.size, 3, 0.05, 0.4);
    dice_fill(dice, o->shape.from, 3, -1, 1);
    dice_fill(dice, o->shape.pose.translation, 3, -1, 1);
    dice_fill(dice, o->shape.pose.rpy, 3, -2, 2);
  }
  memcpy(f->obstacles[0].shape.from, (const double[]){ 0, 0, 1 }, 3 * sizeof(double));
  const struct armdyn_cell cell = { .obstacle_count = OBSTACLES, .obstacles = f->obstacles };
  const struct armdyn_touch touches[] = { { "j4", "o7", -INFINITY, INFINITY, 0 }, { "j6", "o8", 1, 2, 0 } };
  struct armdyn_error error = { 0 };
  cr_assert_eq(armdyn_robot_new(&f->description, &f->robot, &error), ARMDYN_OK, "%s", error.message);
  cr_assert_eq(armdyn_scene_new(f->robot, &cell, touches, 2, &f->scene, &error), ARMDYN_OK, "%s", error.message);
  f->workspace = armdyn_scene_workspace_new(f->scene);
}

static void fixture_close(struct fixture *f)
{
  armdyn_scene_workspace_free(f->workspace);
  armdyn_scene_free(f->scene);
  armdyn_robot_free(f->robot);
}

/* Every pair once; that is what is told, with its distance. */
struct told {
  const struct armdyn_scene *scene;
  size_t count;
  double distance[ARMDYN_BODIES_MAX][OBSTACLES + JOINTS];
};

static void tell(void *context, const struct body_pair *pair, double distance)
{
  struct told *told = context;
  const bool own = pair->obstacle == NO_OBSTACLE;
  double *at = &told->distance[pair->a][own ? OBSTACLES + pair->b : pair->obstacle];
  cr_assert(*at == INFINITY, "a pair is told twice");
  cr_assert(own || pair->b == pair->a);
  *at = distance;
  told->count++;
}

/* Of every pair that is not allowed, whether the tree of boxes keeps it or not. */
static size_t compare_all(const struct fixture *f, double time, const struct told *told)
{
  size_t near = 0;
  for (size_t i = 0; i < f->scene->body_count; i++) {
    for (size_t o = 0; o < OBSTACLES; o++) {
      const struct body_pair pair = { i, i, o };
      const double distance = body_pair_distance(f->scene, f->workspace, &pair, NULL);
      const bool expected = distance + body_pair_allowance(f->scene, &pair, time) < WITHIN;
      cr_assert_eq(told->distance[i][o], expected ? distance : INFINITY);
      near += expected;
    }
  }
  for (size_t k = 0; k < f->scene->pair_count; k++) {
    const struct body_pair pair = { f->scene->pairs[k].a, f->scene->pairs[k].b, NO_OBSTACLE };
    const double distance = body_pair_distance(f->scene, f->workspace, &pair, NULL);
    cr_assert_eq(told->distance[pair.a][OBSTACLES + pair.b], distance < WITHIN ? distance : INFINITY);
    near += distance < WITHIN;
  }
  return near;
}

Test(proximity, what_is_near_is_told_once_and_nothing_else)
{
  static struct fixture f;
  static struct told told;
  struct dice dice = { 20251 };
  size_t most = 0, fewest = SIZE_MAX, of_time = 0;
  for (int arm = 0; arm < 4; arm++) {
    fixture_open(&dice, &f);
    for (int s = 0; s < STATES; s++) {
      double q[JOINTS];
      size_t near[2];
      dice_fill(&dice, q, JOINTS, -3, 3);
      q[2] /= 10, q[5] /= 10;
      scene_place(f.scene, q, f.workspace);
      for (int window = 0; window < 2; window++) {
        const double time = window ? 1.5 : 0.5;
        told.scene = f.scene, told.count = 0;
        for (size_t i = 0; i < sizeof told.distance / sizeof(double); i++) (&told.distance[0][0])[i] = INFINITY;
        scene_near(f.scene, f.workspace, time, WITHIN, tell, &told);
        near[window] = compare_all(&f, time, &told);
        cr_assert_eq(told.count, near[window]);
      }
      most = near[0] > most ? near[0] : most, fewest = near[0] < fewest ? near[0] : fewest;
      of_time += near[0] - near[1];
    }
    fixture_close(&f);
  }
  cr_assert(most > 10 && fewest < most && of_time > 0, "%zu, %zu, %zu", most, fewest, of_time); /* it was a test */
}

/* Of a pair, from one state to another: by how much its distance changes, and by how much it may at most. */
static void change_of(const struct fixture *f, const struct body_pair *pair, const double *q, const double *moved,
                      double *change, double *bound)
{
  double slid[JOINTS], reach[JOINTS], distance[2];
  for (size_t j = 0; j < JOINTS; j++) slid[j] = fmax(fabs(q[j]), fabs(moved[j]));
  body_pair_reach(f->scene, pair, slid, reach);
  *bound = 0;
  for (size_t j = 0; j < JOINTS; j++) *bound += reach[j] * fabs(moved[j] - q[j]);
  for (int end = 0; end < 2; end++) {
    scene_place(f->scene, end ? moved : q, f->workspace);
    distance[end] = body_pair_distance(f->scene, f->workspace, pair, NULL);
  }
  *change = fabs(distance[1] - distance[0]);
}

/* d changes by at most sum_j reach_j |dq_j|, from any state to any other, and of a single joint sometimes by much of it. */
Test(proximity, distances_change_by_no_more_than_the_reach)
{
  static struct fixture f;
  struct dice dice = { 73 };
  double used[JOINTS] = { 0 };
  for (int arm = 0; arm < 4; arm++) {
    fixture_open(&dice, &f);
    for (size_t s = 0; s < 10 * STATES; s++) {
      const size_t joint = s % JOINTS, body = s / JOINTS % f.scene->body_count;
      const struct self_pair *mine = &f.scene->pairs[s % f.scene->pair_count];
      const struct body_pair pair =
          s % 5 ? (struct body_pair){ body, body, s % OBSTACLES } : (struct body_pair){ mine->a, mine->b, NO_OBSTACLE };
      const bool all = s / JOINTS % 3 == 0;
      const double step = s % 2 ? 0.01 : 1;
      double q[JOINTS], moved[JOINTS], change, bound;
      dice_fill(&dice, q, JOINTS, -3, 3);
      for (size_t j = 0; j < JOINTS; j++) moved[j] = q[j] + (all || j == joint ? dice_uniform(&dice, -step, step) : 0);
      change_of(&f, &pair, q, moved, &change, &bound);
      cr_assert_leq(change, bound + 1e-9);
      if (!all && bound > 0) used[joint] = fmax(used[joint], change / bound);
    }
    fixture_close(&f);
  }
  for (size_t j = 0; j < JOINTS; j++) cr_assert(used[j] > 0.3, "joint %zu: %g of the bound", j + 1, used[j]);
}
