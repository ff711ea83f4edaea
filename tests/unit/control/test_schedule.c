/* Gains that change with speed, load or place. */
#include "tests/unit/control/loops.h"

static struct armdyn_controller *scheduled(struct scene *scene, enum armdyn_schedule_over over, double hysteresis)
{
  struct armdyn_controller *controller;
  struct armdyn_error error = { 0 };
  a_slide(scene, 2);
  scene_open(scene, ARMDYN_LAW_PID, 1, 100);
  struct armdyn_schedule *schedule = &scene->control.schedule;
  *schedule = (struct armdyn_schedule){ .count = 3, .over = over, .hysteresis = hysteresis };
  for (size_t k = 0; k < 3; k++)
    schedule->entries[k] = (struct armdyn_schedule_entry){ .from = k ? (double)k : NAN,
                                                           .law = ARMDYN_LAW_PID,
                                                           .kp = { 10 * (double)(k + 1) } };
  cr_assert_eq(armdyn_controller_new(scene->model, &scene->control, &controller, &error), ARMDYN_OK, "%s",
               error.message);
  return controller;
}

static double step(struct armdyn_controller *c, double wanted, double q, double qd)
{
  double tau;
  const double zero = 0;
  armdyn_controller_step(c, &(struct armdyn_wanted){ &wanted, &zero, &zero }, &q, &qd, &tau, NULL);
  return tau;
}

/* Up where an entry begins, down a hysteresis below it, over several entries at once too. */
Test(schedule, entries_go_by_speed_with_hysteresis)
{
  static const struct {
    double speed;
    size_t entry;
  } path[] = { { 0.5, 0 },  { 0.99, 0 },  { -1.0, 1 }, { 0.95, 1 }, { 1.02, 1 }, { 0.81, 1 },
               { 0.79, 0 }, { -0.99, 0 }, { 5, 2 },    { 1.9, 2 },  { 1.79, 1 }, { 0, 0 } };
  static struct scene scene;
  struct armdyn_controller *c = scheduled(&scene, ARMDYN_SCHEDULE_SPEED, 0.2);
  for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
    const double tau = step(c, 0.1, 0, path[k].speed);
    cr_assert_eq(armdyn_controller_entry(c), path[k].entry, "%zu", k);
    cr_assert_float_eq(tau, 10 * (double)(path[k].entry + 1) * 0.1, 1e-12);
  }
  armdyn_controller_free(c);
  scene_close(&scene);
}

Test(schedule, entries_go_by_place_and_by_the_torque_before)
{
  static struct scene scene;
  struct armdyn_controller *c = scheduled(&scene, ARMDYN_SCHEDULE_POSITION, 0);
  step(c, 0, -3, 0);
  cr_assert_eq(armdyn_controller_entry(c), 0, "a place has a sign");
  step(c, 0, 1.5, 0);
  cr_assert_eq(armdyn_controller_entry(c), 1);
  armdyn_controller_free(c);
  scene_close(&scene);
  c = scheduled(&scene, ARMDYN_SCHEDULE_LOAD, 0);
  for (int k = 1; k <= 3; k++) {
    const double tau = step(c, -0.15, 0, 0); /* 0, 1.5 and 3 N were asked for before */
    cr_assert_float_eq(tau, -1.5 * k, 1e-12, "period %d: %g N", k, tau);
  }
  armdyn_controller_free(c);
  scene_close(&scene);
}

/* What the integral has found stays: at rest under a weight another entry changes no torque. */
Test(schedule, the_integral_goes_on)
{
  static struct scene scene;
  struct armdyn_controller *c = scheduled(&scene, ARMDYN_SCHEDULE_SPEED, 0);
  armdyn_controller_free(c);
  for (size_t k = 0; k < 3; k++) scene.control.schedule.entries[k].ki[0] = 50 * (double)(k + 1);
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &c, NULL), ARMDYN_OK);
  for (int k = 0; k < 100; k++) step(c, 0.1, 0, 0);
  const double held = step(c, 0, 0, 0);
  cr_assert_float_eq(held, 50 * 0.1, 1e-9);
  const double later = step(c, 0, 0, 1.5);
  cr_assert_float_eq(later, held, 1e-12);
  cr_assert_eq(armdyn_controller_entry(c), 1);
  armdyn_controller_free(c);
  scene_close(&scene);
}

Test(schedule, refusals)
{
  static struct scene scene;
  struct armdyn_controller *c = scheduled(&scene, ARMDYN_SCHEDULE_SPEED, 0);
  struct armdyn_error error = { 0 };
  armdyn_controller_free(c);
  scene.control.schedule.entries[2].from = 1;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &c, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/schedule/entries");
  scene.control.schedule.entries[2].from = 2, scene.control.schedule.hysteresis = NAN;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &c, &error), ARMDYN_EINPUT);
  scene.control.schedule.hysteresis = 0, scene.control.schedule.entries[1].law = ARMDYN_LAW_ADAPTIVE;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &c, &error), ARMDYN_EINPUT);
  scene.control.schedule.entries[1].law = ARMDYN_LAW_PID, scene.control.law = ARMDYN_LAW_COMPUTED_TORQUE;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &c, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/schedule");
  scene_close(&scene);
}
