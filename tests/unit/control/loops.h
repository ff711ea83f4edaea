/* Closed loops for the tests of control: an arm, a controller, what is wanted, and the samples that came of it. */
#ifndef TESTS_UNIT_CONTROL_LOOPS_H
#define TESTS_UNIT_CONTROL_LOOPS_H

#include <criterion/criterion.h>

#include "armdyn/control.h"
#include "armdyn/terms.h"
#include "tests/support/robots.h"

enum { N = 7 };

struct scene {
  struct armdyn_robot_description description; /* of the model; change it, then scene_open */
  struct armdyn_robot_description arm;         /* that moves; likewise */
  struct armdyn_robot *model, *plant;
  struct armdyn_workspace *workspace;
  struct armdyn_control control;
  struct armdyn_load load; /* on the plant */
  struct armdyn_loop loop;
  size_t n;
  double q[N], qd[N];                /* where the plant starts */
  double center[N], swing[N], speed; /* wanted: center + swing sin(speed t) */
};

static inline void wanted_at(void *context, double t, double *q, double *qd, double *qdd)
{
  const struct scene *scene = context;
  const double w = scene->speed;
  for (size_t j = 0; j < scene->n; j++) {
    q[j] = scene->center[j] + scene->swing[j] * sin(w * t);
    qd[j] = scene->swing[j] * w * cos(w * t);
    qdd[j] = -scene->swing[j] * w * w * sin(w * t);
  }
}

/* A mass that slides, without gravity and friction. */
static inline void a_slide(struct scene *scene, double mass)
{
  *scene = (struct scene){ 0 };
  armdyn_robot_description_init(&scene->description);
  memset(scene->description.gravity, 0, sizeof scene->description.gravity);
  scene->description.joint_count = 1;
  scene->description.joints[0].type = ARMDYN_PRISMATIC;
  scene->description.joints[0].link.mass = mass;
  scene->arm = scene->description;
}

static inline void an_arm(struct scene *scene, const char *file)
{
  char path[128];
  snprintf(path, sizeof path, "tests/data/robots/%s.json", file);
  cJSON *json = json_load(path);
  *scene = (struct scene){ 0 };
  description_from_json(json, &scene->description);
  cJSON_Delete(json);
  scene->arm = scene->description;
}

/* With the gains that the law has at the start for so many Hz; what is changed afterwards counts until scene_run. */
static inline void scene_open(struct scene *scene, enum armdyn_law law, double bandwidth, double rate)
{
  cr_assert_eq(armdyn_robot_new(&scene->description, &scene->model, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_robot_new(&scene->arm, &scene->plant, NULL), ARMDYN_OK);
  scene->n = scene->description.joint_count;
  scene->workspace = armdyn_workspace_new(scene->n);
  scene->control.law = law;
  scene->control.period = 1 / rate;
  scene->control.learn_periods = 10;
  for (size_t j = 0; j < scene->n; j++) scene->control.torque_limit[j] = INFINITY;
  armdyn_gains_init(scene->model, law, bandwidth, scene->q, scene->workspace, &scene->control.gains);
}

static inline void scene_close(struct scene *scene)
{
  armdyn_robot_free(scene->model);
  armdyn_robot_free(scene->plant);
  armdyn_workspace_free(scene->workspace);
}

static inline void scene_run(struct scene *scene, double duration, armdyn_loop_sink sink, void *context)
{
  struct armdyn_error error = { 0 };
  scene->loop.model = scene->model;
  scene->loop.plant = scene->plant;
  scene->loop.control = &scene->control;
  scene->loop.reference = wanted_at;
  scene->loop.reference_context = scene;
  scene->loop.plant_motion.q = scene->q;
  scene->loop.plant_motion.qd = scene->qd;
  scene->loop.plant_motion.duration = duration;
  scene->loop.plant_motion.load = &scene->load;
  cr_assert_eq(armdyn_loop_simulate(&scene->loop, sink, context, NULL, &error), ARMDYN_OK, "%s", error.message);
}

/* A sink that keeps the last sample: struct last. */
struct last {
  size_t n;
  double t, q[N], qd[N], tau[N], wanted[N], work, kinetic, potential;
};

static inline bool keep_last(void *context, const struct armdyn_loop_sample *sample)
{
  struct last *last = context;
  const size_t size = last->n * sizeof(double);
  last->t = sample->plant->t;
  memcpy(last->q, sample->plant->q, size);
  memcpy(last->qd, sample->plant->qd, size);
  memcpy(last->tau, sample->plant->tau, size);
  memcpy(last->wanted, sample->wanted, size);
  last->work = sample->work;
  last->kinetic = sample->plant->kinetic, last->potential = sample->plant->potential;
  return true;
}

static inline struct last scene_end(struct scene *scene, double duration)
{
  struct last last = { .n = scene->n };
  scene_run(scene, duration, keep_last, &last);
  return last;
}

#endif
