/* The closed loop against what is known of it without this code: a mass on a slide is linear, so the answer of PID has a
 * closed form where its rate goes to infinity, and at any rate is the recursion of a double integrator whose force is held. */
#include "tests/support/sanitized.h"
#include "tests/unit/control/loops.h"

/* (r + w)^3 with e(0) = E, e'(0) = 0, e''(0) = -3 w^2 E: e = E (1 + w t - w^2 t^2) exp(-w t) */
static double triple_pole(double w, double t)
{
  return (1 + w * t - w * w * t * t) * exp(-w * t);
}

/* What is off after `duration` with the rate, twice it, four times: a held torque errs by O(1/rate), so these differ by
 * halves, and extrapolated twice they are the continuous answer to O(1/rate^3). */
static double extrapolated(struct scene *scene, double rate, double duration, size_t joint)
{
  double off[3];
  for (int k = 0; k < 3; k++) {
    scene->control.period = 1 / (rate * (1 << k));
    const struct last last = scene_end(scene, duration);
    off[k] = last.wanted[joint] - last.q[joint];
  }
  const double ratio = (off[0] - off[1]) / (off[1] - off[2]);
  cr_assert(ratio > 1.9 && ratio < 2.1, "%g: not of first order in the period", ratio);
  const double first = 2 * off[1] - off[0], second = 2 * off[2] - off[1];
  return (4 * second - first) / 3;
}

Test(loop, pid_answers_a_step_as_its_triple_pole)
{
  static struct scene scene;
  a_slide(&scene, 2);
  scene.center[0] = 0.1;
  scene_open(&scene, ARMDYN_LAW_PID, 1, 0);
  for (int k = 1; k <= 4; k++) {
    const double t = 0.1 * k, expected = 0.1 * triple_pole(2 * M_PI, t);
    cr_assert_float_eq(extrapolated(&scene, 1000, t, 0), expected, 2e-7, "t = %g s", t);
  }
  scene_close(&scene);
}

/* e'' + 2 w e' + w^2 e = 0 in every joint of a moving Puma: e = E (1 + w t) exp(-w t) */
Test(loop, computed_torque_makes_every_joint_a_damped_oscillator)
{
  static struct scene scene;
  an_arm(&scene, "puma560");
  const double w = 2 * M_PI * 1.5, t = 0.15;
  for (size_t j = 0; j < 6; j++) {
    const double off = 0.05 + 0.01 * (double)j;
    scene.center[j] = 0.2, scene.swing[j] = 0.3, scene.q[j] = 0.2 - off;
    scene.qd[j] = 0.3 * 2;
  }
  scene.speed = 2;
  scene_open(&scene, ARMDYN_LAW_COMPUTED_TORQUE, 1.5, 0);
  scene.load.frictionless = scene.control.frictionless = true;
  for (size_t j = 0; j < 6; j += 2) {
    const double expected = (0.05 + 0.01 * (double)j) * (1 + w * t) * exp(-w * t);
    cr_assert_float_eq(extrapolated(&scene, 500, t, j), expected, 1e-6, "joint %zu", j + 1);
  }
  scene_close(&scene);
}

/* ---- a held force on a mass: q += qd h + F h^2 / 2m, qd += F h / m, and all that a controller does with what it measures */

struct recursion {
  const struct scene *scene;
  double mass, q, qd, read, speed, integral, forces[ARMDYN_DELAY_MAX + 1], force, work;
  long k, beyond;
  bool winds_up;
  double overshoot;
};

static double pid_force(struct recursion *r, double h)
{
  const struct armdyn_control *control = &r->scene->control;
  const struct armdyn_gains *gains = &control->gains;
  const double limit = control->torque_limit[0], e = r->scene->center[0] - r->read;
  const double more = gains->ki[0] * e * h;
  double force = gains->kp[0] * e + r->integral + more - gains->kd[0] * r->speed;
  if (r->winds_up || !(fabs(force) > limit && force * e > 0)) r->integral += more;
  r->beyond += fabs(force) > limit;
  return fmin(fmax(force, -limit), limit);
}

static void recursion_period(struct recursion *r)
{
  const struct armdyn_loop *loop = &r->scene->loop;
  const double h = r->scene->control.period, step = loop->encoder_resolution ? loop->encoder_resolution[0] : 0;
  const double now = step > 0 ? step * round(r->q / step) : r->q, pole = exp(-2 * M_PI * loop->velocity_filter * h);
  r->speed = r->k && loop->velocity_filter > 0 ? pole * r->speed + (1 - pole) * (now - r->read) / h : r->qd;
  r->read = now;
  r->forces[r->k % (ARMDYN_DELAY_MAX + 1)] = pid_force(r, h);
  r->force = r->forces[r->k < (long)loop->delay ? 0 : (r->k - (long)loop->delay) % (ARMDYN_DELAY_MAX + 1)];
  r->k++;
}

static bool compare_to_recursion(void *context, const struct armdyn_loop_sample *sample)
{
  struct recursion *r = context;
  const double h = r->scene->control.period;
  if (r->k) {
    const double before = r->q;
    r->q += r->qd * h + r->force * h * h / (2 * r->mass);
    r->qd += r->force * h / r->mass;
    r->work += r->force * (r->q - before);
  }
  const long before = r->beyond;
  recursion_period(r);
  r->overshoot = fmax(r->overshoot, r->q - r->scene->center[0]);
  cr_assert_float_eq(sample->plant->q[0], r->q, 1e-11, "period %ld", r->k);
  cr_assert_float_eq(sample->plant->qd[0], r->qd, 1e-10);
  cr_assert_float_eq(sample->plant->tau[0], r->force, 1e-8);
  cr_assert_float_eq(sample->work, r->work, 1e-10);
  cr_assert_float_eq(sample->work, sample->plant->kinetic, 1e-9, "the work has become motion");
  cr_assert_eq(sample->saturated[0], r->beyond > before);
  return true;
}

/* The same controller as arithmetic, with the integral winding up if asked. */
static double overshoot_of(const struct scene *scene, bool winds_up, long periods)
{
  struct recursion r = { .scene = scene, .mass = 2, .winds_up = winds_up };
  const double h = scene->control.period;
  while (r.k < periods) {
    recursion_period(&r);
    r.q += r.qd * h + r.force * h * h / 4;
    r.qd += r.force * h / 2;
    r.overshoot = fmax(r.overshoot, r.q - scene->center[0]);
  }
  return r.overshoot;
}

Test(loop, a_slide_under_pid_is_the_recursion_of_a_held_force)
{
  static const double encoder = 0.97e-4;
  static const struct {
    size_t delay;
    double filter, limit, resolution;
  } cases[] = {
    { 0, 0, INFINITY, 0 }, { 3, 0, INFINITY, 0 },   { 0, 80, INFINITY, encoder },
    { 0, 0, 2.1, 0 },      { 2, 80, 2.1, encoder },
  };
  static struct scene scene;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    a_slide(&scene, 2);
    scene.center[0] = 0.1;
    scene_open(&scene, ARMDYN_LAW_PID, 1, 500);
    scene.control.torque_limit[0] = cases[k].limit;
    scene.loop.delay = cases[k].delay;
    scene.loop.velocity_filter = cases[k].filter;
    scene.loop.encoder_resolution = cases[k].resolution > 0 ? &encoder : NULL;
    struct recursion r = { .scene = &scene, .mass = 2 };
    scene_run(&scene, 1, compare_to_recursion, &r);
    cr_assert_eq(r.k, 501);
    cr_assert(isinf(cases[k].limit) ? !r.beyond : r.beyond > 20, "case %zu: %ld periods at the limit", k, r.beyond);
    scene_close(&scene);
  }
}

Test(loop, the_integral_does_not_wind_up)
{
  static struct scene scene;
  a_slide(&scene, 2);
  scene.center[0] = 1;
  scene_open(&scene, ARMDYN_LAW_PID, 1, 500);
  scene.control.torque_limit[0] = 4;
  struct recursion r = { .scene = &scene, .mass = 2 };
  scene_run(&scene, 5, compare_to_recursion, &r);
  cr_assert_lt(fabs(r.q - 1), 1e-3, "it arrives");
  const double naive = overshoot_of(&scene, true, 2000);
  cr_assert_lt(r.overshoot, 0.6 * naive, "%g m beyond, with an integral that winds up %g", r.overshoot, naive);
  scene_close(&scene);
}

/* Half the mass that the model believes: the error of computed torque is that of e'' / 2 + 2 w e' + w^2 e = 0. */
Test(loop, an_arm_lighter_than_its_model)
{
  static struct scene scene;
  a_slide(&scene, 2);
  armdyn_scale_inertia(&scene.arm, 0.5);
  scene.q[0] = -0.1;
  scene_open(&scene, ARMDYN_LAW_COMPUTED_TORQUE, 1, 0);
  const double w = 2 * M_PI, t = 0.2, root = sqrt(2) * w, r1 = -2 * w + root, r2 = -2 * w - root;
  const double expected = 0.1 * (r1 * exp(r2 * t) - r2 * exp(r1 * t)) / (r1 - r2);
  cr_assert_float_eq(extrapolated(&scene, 1000, t, 0), expected, 1e-6);
  scene_close(&scene);
}

Test(loop, scaled_inertia_scales_mass_matrix_and_gravity)
{
  static struct scene scene;
  double M[2][36], g[2][6], q[6] = { 0.3, -0.7, 1.1, 0.4, -0.9, 0.2 };
  an_arm(&scene, "puma560");
  scene.description.payload = scene.arm.payload = (struct armdyn_body){ 0 };
  armdyn_scale_inertia(&scene.arm, 1.3);
  scene_open(&scene, ARMDYN_LAW_PID, 1, 1);
  armdyn_mass_matrix(scene.model, q, scene.workspace, M[0]);
  armdyn_mass_matrix(scene.plant, q, scene.workspace, M[1]);
  armdyn_gravity_torque(scene.model, q, scene.workspace, g[0]);
  armdyn_gravity_torque(scene.plant, q, scene.workspace, g[1]);
  for (int k = 0; k < 36; k++) cr_assert_float_eq(M[1][k], 1.3 * M[0][k], 1e-12);
  for (int k = 0; k < 6; k++) cr_assert_float_eq(g[1][k], 1.3 * g[0][k], 1e-12);
  scene_close(&scene);
}

/* Friction that turns within 1 mm/s holds the steps near standstill very short, once the arm of 2 g m^2 stops: the adaptive
 * integrator must get through, and to where short fixed steps lead. */
Test(loop, friction_near_standstill_is_passed)
{
  static const double pose[4] = { -0.8, 0.5, 0.05, 0 };
  static struct scene scene;
  struct last ends[2];
  an_arm(&scene, "scara");
  memcpy(scene.q, pose, sizeof pose);
  memcpy(scene.center, pose, sizeof pose);
  for (size_t j = 0; j < 4; j++) scene.swing[j] = j == 2 ? 0.01 : 0.05;
  scene.speed = 20;
  scene_open(&scene, ARMDYN_LAW_COMPUTED_TORQUE, 6, 500);
  for (int k = 0; k < 2; k++) {
    scene.loop.plant_motion.fixed_step = k ? 5e-6 : 0;
    ends[k] = scene_end(&scene, SANITIZED ? 0.1 : 0.3);
  }
  for (size_t j = 0; j < 4; j++) cr_assert_float_eq(ends[0].q[j], ends[1].q[j], 1e-7, "joint %zu", j + 1);
  scene_close(&scene);
}

static bool enough(void *context, const struct armdyn_loop_sample *sample)
{
  return sample->plant->t < *(const double *)context;
}

Test(loop, refusals)
{
  static struct scene scene;
  struct armdyn_error error = { 0 };
  double most = 0.1;
  a_slide(&scene, 2);
  scene_open(&scene, ARMDYN_LAW_PID, 1, 100);
  scene_end(&scene, 0.2);
  cr_assert_eq(armdyn_loop_simulate(&scene.loop, enough, &most, NULL, &error), ARMDYN_ECANCELLED);
  scene.loop.delay = ARMDYN_DELAY_MAX + 1;
  cr_assert_eq(armdyn_loop_simulate(&scene.loop, enough, &most, NULL, &error), ARMDYN_EINPUT);
  scene.loop.delay = 0;
  scene.control.gains.ki[0] = NAN;
  cr_assert_eq(armdyn_loop_simulate(&scene.loop, enough, &most, NULL, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/ki");
  scene.control.gains.ki[0] = 0;
  scene.control.torque_limit[0] = 0;
  cr_assert_eq(armdyn_loop_simulate(&scene.loop, enough, &most, NULL, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/torque_limit");
  scene_close(&scene);
}
