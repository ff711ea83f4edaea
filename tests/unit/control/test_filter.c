/* Filters of the torque against the analog ones that they are made of, and the friction of the motion wanted. */
#include "armdyn/response.h"
#include "tests/unit/control/loops.h"

static const double RATE = 1000;

/* What a controller makes of a sine that it is off by, kp = 1: gain and phase at its periods. */
static void answer_of(const struct armdyn_torque_filter *filter, double frequency, double *gain, double *phase)
{
  static struct scene scene;
  struct armdyn_controller *controller;
  struct armdyn_sine_fit in, out;
  double a[2], b[2], left, zero = 0;
  const double w = 2 * M_PI * frequency;
  a_slide(&scene, 1);
  scene_open(&scene, ARMDYN_LAW_PID, 1, RATE);
  scene.control.gains = (struct armdyn_gains){ .kp = { 1 } };
  scene.control.filter = *filter;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &controller, NULL), ARMDYN_OK);
  armdyn_sine_init(&in, frequency), armdyn_sine_init(&out, frequency);
  for (int k = 0; k < 12000; k++) {
    const double t = k / RATE, q = -sin(w * t);
    double tau;
    const struct armdyn_wanted wanted = { &zero, &zero, &zero };
    armdyn_controller_step(controller, &wanted, &q, &zero, &tau, NULL);
    if (k < 8000) continue;
    armdyn_sine_take(&in, t, -q), armdyn_sine_take(&out, t, tau);
  }
  cr_assert_eq(armdyn_sine_end(&in, a, &left), ARMDYN_OK);
  cr_assert_eq(armdyn_sine_end(&out, b, &left), ARMDYN_OK);
  cr_assert_lt(left, 1e-7);
  armdyn_sine_ratio(a, b, gain, phase);
  armdyn_controller_free(controller);
  scene_close(&scene);
}

/* The analog filter at the frequency that the bilinear transform puts in its place: tan(pi f T) / tan(pi f0 T). */
Test(filter, answers_are_those_of_the_analog_ones)
{
  const double corners[] = { 5, 40, 180, 420 }, width = 0.7;
  for (size_t c = 0; c < 4; c++) {
    for (int notch = 0; notch < 2; notch++) {
      const struct armdyn_torque_filter filter = { notch ? 0 : corners[c], notch ? corners[c] : 0, width };
      for (double f = 1.3; f < 480; f *= 2.1) {
        const double x = tan(M_PI * f / RATE) / tan(M_PI * corners[c] / RATE);
        const double top = notch ? 1 - x * x : 1, real = 1 - x * x, imaginary = (notch ? width : sqrt(2)) * x;
        double gain, phase;
        answer_of(&filter, f, &gain, &phase);
        cr_assert_float_eq(gain, fabs(top) / hypot(real, imaginary), 1e-7, "%g of %g Hz", f, corners[c]);
        const double expected = (top < 0 ? M_PI : 0) - atan2(imaginary, real);
        cr_assert_float_eq(remainder(phase - expected, 2 * M_PI), 0, 1e-6, "%g of %g Hz", f, corners[c]);
      }
    }
  }
}

Test(filter, a_notch_lets_nothing_pass_and_a_lowpass_half_of_the_power)
{
  double gain, phase;
  answer_of(&(struct armdyn_torque_filter){ 0, 60, 0.5 }, 60, &gain, &phase);
  cr_assert_lt(gain, 1e-7);
  answer_of(&(struct armdyn_torque_filter){ 60, 0, 0 }, 60, &gain, &phase);
  cr_assert_float_eq(gain, sqrt(0.5), 1e-7);
  cr_assert_float_eq(phase, -M_PI / 2, 1e-7);
}

/* The first torque is there at once and stays, whatever the filter; so a held arm does not fall at its start. */
Test(filter, begins_at_rest)
{
  static struct scene scene;
  struct armdyn_controller *controller;
  const double zero = 0, q = -0.3;
  a_slide(&scene, 1);
  scene_open(&scene, ARMDYN_LAW_PID, 1, RATE);
  scene.control.gains = (struct armdyn_gains){ .kp = { 50 } };
  scene.control.filter = (struct armdyn_torque_filter){ 30, 12, 0.4 };
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &controller, NULL), ARMDYN_OK);
  for (int k = 0; k < 500; k++) {
    double tau;
    const struct armdyn_wanted wanted = { &zero, &zero, &zero };
    armdyn_controller_step(controller, &wanted, &q, &zero, &tau, NULL);
    cr_assert_float_eq(tau, 15, 1e-9);
  }
  armdyn_controller_free(controller);
  scene_close(&scene);
}

Test(filter, what_cannot_be_is_refused)
{
  static struct scene scene;
  struct armdyn_controller *controller;
  struct armdyn_error error;
  a_slide(&scene, 1);
  scene_open(&scene, ARMDYN_LAW_PID, 1, RATE);
  const struct {
    struct armdyn_torque_filter filter;
    const char *pointer;
  } wrong[] = { { { 500, 0, 0 }, "/filter/lowpass" },
                { { -1, 0, 0 }, "/filter/lowpass" },
                { { 0, 700, 1 }, "/filter/notch" },
                { { 0, 70, 0 }, "/filter/width" } };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    scene.control.filter = wrong[k].filter;
    cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &controller, &error), ARMDYN_EINPUT);
    cr_assert_str_eq(error.pointer, wrong[k].pointer);
  }
  scene_close(&scene);
}

/* ---- friction of the motion wanted */

static const double SPEED = 0.2;

static void at_constant_speed(void *context, double t, double *q, double *qd, double *qdd)
{
  (void)context;
  *q = SPEED * t, *qd = SPEED, *qdd = 0;
}

/* A slide with dry and viscous friction, on its way from the start: alone PD drags by (fc + fv v) / kp, with it nothing. */
Test(friction, at_a_constant_speed_nothing_is_left)
{
  static struct scene scene;
  const enum armdyn_law compared[] = { ARMDYN_LAW_PID, ARMDYN_LAW_PID_FRICTION };
  const double drag = 7 + 12 * SPEED, kp = 500;
  for (size_t k = 0; k < 2; k++) {
    a_slide(&scene, 2);
    scene.description.joints[0].friction.coulomb = (struct armdyn_directed){ 7, 7 };
    scene.description.joints[0].friction.viscous = (struct armdyn_directed){ 12, 12 };
    scene.arm = scene.description;
    scene_open(&scene, compared[k], 1, RATE);
    scene.control.gains = (struct armdyn_gains){ .kp = { kp }, .kd = { 60 } };
    struct last last = { .n = 1 };
    const double q = 0, qd = SPEED;
    const struct armdyn_loop loop = { .model = scene.model,
                                      .plant = scene.plant,
                                      .control = &scene.control,
                                      .reference = at_constant_speed,
                                      .plant_motion = { .q = &q, .qd = &qd, .duration = 2 } };
    cr_assert_eq(armdyn_loop_simulate(&loop, keep_last, &last, NULL, NULL), ARMDYN_OK);
    cr_assert_float_eq(last.wanted[0] - last.q[0], k ? 0 : drag / kp, 1e-8);
    cr_assert_float_eq(last.tau[0], drag, 1e-5);
    scene_close(&scene);
  }
}
