/* Processor time of distances and clearances. */
#include <time.h>

#include "lib/geometry/distance.h"
#include "tests/support/robots.h"

enum { PAIRS = 4096, STATES = 512, RUNS = 7, BOXES = 50, PIECES = 1000, CORNERS = 16, SAMPLES = 10001 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static volatile double result; /* so that no run is left out */

/* Median seconds of a run. */
static double median(double (*run)(void *), void *subject)
{
  double seconds[RUNS];
  for (int i = 0; i < RUNS; i++) {
    const double start = now();
    result = run(subject);
    seconds[i] = now() - start;
  }
  qsort(seconds, RUNS, sizeof *seconds, ascending);
  return seconds[RUNS / 2];
}

struct pairs {
  struct convex a[PAIRS], b[PAIRS];
};

static double all_pairs(void *subject)
{
  const struct pairs *p = subject;
  double sum = 0;
  for (int i = 0; i < PAIRS; i++) sum += convex_distance(&p->a[i], &p->b[i], NULL);
  return sum;
}

struct arm {
  struct armdyn_scene *scene;
  struct armdyn_scene_workspace *workspace;
  double q[STATES * 6];
};

static double all_states(void *subject)
{
  const struct arm *arm = subject;
  struct armdyn_clearance c;
  double sum = 0;
  for (int i = 0; i < STATES; i++) {
    armdyn_clearance(arm->scene, arm->q + (size_t)i * 6, arm->workspace, &c, NULL);
    sum += c.distance;
  }
  return sum;
}

static void random_box(struct dice *dice, double spread, struct armdyn_shape *box)
{
  *box = (struct armdyn_shape){ .kind = ARMDYN_BOX };
  dice_fill(dice, box->size, 3, 0.05, 0.4);
  dice_fill(dice, box->pose.translation, 3, -spread, spread);
  dice_fill(dice, box->pose.rpy, 3, -3, 3);
}

/* The hull of points within a decimetre, not nearer to the arm's base than half a metre. */
static void random_piece(struct dice *dice, double points[CORNERS * 3], struct armdyn_shape *piece)
{
  double at[3] = { 0 };
  while (hypot(at[0], at[1]) < 0.5) dice_fill(dice, at, 3, -2, 2);
  for (int i = 0; i < 3 * CORNERS; i++) points[i] = at[i % 3] + dice_uniform(dice, -0.05, 0.05);
  *piece = (struct armdyn_shape){ .kind = ARMDYN_CONVEX, .points = points, .point_count = CORNERS };
}

/* A UR10 with a capsule a link, in a cell of boxes about it, or of pieces. */
static void arm_open(struct dice *dice, struct arm *arm, size_t count)
{
  static struct armdyn_robot_description d;
  static struct armdyn_obstacle obstacles[PIECES];
  static double points[PIECES][CORNERS * 3];
  struct armdyn_robot *robot;
  cJSON *json = json_load("tests/data/robots/ur10.json");
  description_from_json(json, &d);
  cJSON_Delete(json);
  d.body_count = 0;
  for (int i = 0; i < 6; i++) {
    const struct armdyn_joint *joint = &d.joints[i];
    struct armdyn_part_body *body = &d.bodies[d.body_count++];
    body->part = i;
    body->shape =
        (struct armdyn_shape){ .kind = ARMDYN_CAPSULE,
                               .from = { -joint->a, -joint->d * sin(joint->alpha), -joint->d * cos(joint->alpha) },
                               .radius = 0.06 };
  }
  for (size_t i = 0; i < count; i++) {
    snprintf(obstacles[i].name, sizeof obstacles[i].name, "body-%zu", i);
    if (count == BOXES)
      random_box(dice, 1.5, &obstacles[i].shape);
    else
      random_piece(dice, points[i], &obstacles[i].shape);
  }
  const struct armdyn_cell cell = { .obstacle_count = count, .obstacles = obstacles };
  if (armdyn_robot_new(&d, &robot, NULL) || armdyn_scene_new(robot, &cell, NULL, 0, &arm->scene, NULL)) abort();
  arm->workspace = armdyn_scene_workspace_new(arm->scene);
  dice_fill(dice, arm->q, STATES * 6, -2, 2);
}

struct swing {
  const struct armdyn_scene *scene;
  double q[SAMPLES * 6];
};

static double whole_swing(void *subject)
{
  const struct swing *swing = subject;
  const struct armdyn_played_motion motion = { .count = SAMPLES, .period = 1e-3, .q = swing->q };
  struct armdyn_motion_clearance found;
  if (armdyn_motion_clearance(swing->scene, &motion, NULL, 1e-4, &found, NULL)) abort();
  return found.bound;
}

/* 10 s in which every joint swings several times. */
static double swings_in_pieces(struct dice *dice)
{
  static struct arm arm;
  static struct swing swing;
  double seconds[8];
  arm_open(dice, &arm, PIECES);
  swing.scene = arm.scene;
  for (int k = 0; k < 8; k++) {
    double rate[6], phase[6], middle[6];
    dice_fill(dice, rate, 6, 0.5, 2), dice_fill(dice, phase, 6, 0, 6), dice_fill(dice, middle, 6, -1, 1);
    for (size_t i = 0; i < (size_t)SAMPLES * 6; i++)
      swing.q[i] = middle[i % 6] + 0.6 * sin(rate[i % 6] * (double)(i / 6) * 1e-3 + phase[i % 6]);
    seconds[k] = median(whole_swing, &swing);
  }
  qsort(seconds, 8, sizeof *seconds, ascending);
  return seconds[7];
}

int main(void)
{
  static struct pairs pairs;
  static struct arm arm;
  struct dice dice = { 1 };
  for (int i = 0; i < PAIRS; i++) {
    struct armdyn_shape capsule = { .kind = ARMDYN_CAPSULE, .radius = 0.05 }, box;
    dice_fill(&dice, capsule.from, 3, -1, 1), dice_fill(&dice, capsule.to, 3, -1, 1);
    random_box(&dice, 1, &box);
    convex_of_shape(&capsule, &pairs.a[i]), convex_of_shape(&box, &pairs.b[i]);
  }
  arm_open(&dice, &arm, BOXES);
  printf("capsule_box_distances %.0f 1/s higher\n", PAIRS / median(all_pairs, &pairs));
  printf("clearance_of_six_axes_50_boxes %.3f us lower\n", median(all_states, &arm) / STATES * 1e6);
  printf("clearance_of_10_s_in_1000_pieces_worst_of_8 %.1f ms lower\n", swings_in_pieces(&dice) * 1e3);
  return 0;
}
