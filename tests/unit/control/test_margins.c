/* Margins of sampled loops against the loop of a mass that slides, in closed form in z and of second order with a delay, and
 * against simulated loops at their edge. */
#include <complex.h>
#include <math.h>

#include "armdyn/margins.h"
#include "tests/unit/control/loops.h"

static const double PI = 3.14159265358979323846;
static const double MASS = 2.5, KP = 900, KI = 4000, KD = 60;

static void sliding(struct scene *scene, double rate, size_t delay, bool integral)
{
  a_slide(scene, MASS);
  scene_open(scene, ARMDYN_LAW_PID, 1, rate);
  scene->control.gains.kp[0] = KP, scene->control.gains.ki[0] = integral ? KI : 0, scene->control.gains.kd[0] = KD;
  scene->loop =
      (struct armdyn_loop){ .model = scene->model, .plant = scene->plant, .control = &scene->control, .delay = delay };
}

static size_t margins_of(const struct scene *scene, struct armdyn_loop_margin *margins)
{
  struct armdyn_linear_loop *linear;
  size_t unstable = 99;
  cr_assert_eq(armdyn_linear_loop_new(&scene->loop, scene->q, &linear, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_linear_loop_margins(linear, &scene->control.gains, margins, &unstable, NULL), ARMDYN_OK);
  armdyn_linear_loop_free(linear);
  return unstable;
}

/* The held force moves it on parabolas: q of force is T^2 (z + 1) / (2 m (z - 1)^2), its speed T / (m (z - 1)). */
static double complex sliding_at(const struct scene *scene, double w)
{
  const double T = scene->control.period, cut = scene->loop.velocity_filter, share = 1 - exp(-2 * PI * cut * T);
  const double complex z = cexp(I * w * T), q = T * T * (z + 1) / (2 * MASS * (z - 1) * (z - 1));
  const double complex qd = cut > 0 ? share * (z - 1) / T / (z - 1 + share) * q : T / (MASS * (z - 1));
  const double complex force = KP * q + scene->control.gains.ki[0] * T * z / (z - 1) * q + KD * qd;
  return force * cpow(z, -(double)scene->loop.delay);
}

static double lag_at(const struct scene *scene, double w) /* so much more, and it is -1 */
{
  const double lag = fmod(carg(sliding_at(scene, w)) + 3 * PI, 2 * PI);
  return lag;
}

/* The frequency between two where the magnitude, or the lag, passes what it should. */
static double passes(const struct scene *scene, bool magnitude, double low, double high)
{
  for (int k = 0; k < 100; k++) {
    const double middle = (low + high) / 2,
                 at = magnitude ? cabs(sliding_at(scene, middle)) - 1 : lag_at(scene, middle) - PI;
    *(at > 0 ? &low : &high) = middle;
  }
  return low;
}

Test(margins, a_slide_has_those_of_its_transfer_function)
{
  static const struct {
    double rate, filter;
    size_t delay;
    bool integral;
  } cases[] = { { 500, 0, 0, true }, { 500, 0, 3, true }, { 2000, 80, 5, true }, { 1000, 0, 7, false } };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct scene scene;
    struct armdyn_loop_margin margin;
    sliding(&scene, cases[k].rate, cases[k].delay, cases[k].integral);
    scene.loop.velocity_filter = cases[k].filter;
    cr_assert_eq(margins_of(&scene, &margin), 0);
    const double w = passes(&scene, true, 5, 0.9 * PI * cases[k].rate);
    cr_assert_float_eq(margin.crossover, w / (2 * PI), 1e-7 * margin.crossover);
    cr_assert_float_eq(margin.phase, lag_at(&scene, w), 1e-7);
    cr_assert_float_eq(margin.delay, lag_at(&scene, w) / w, 1e-7 * margin.delay);
    if (cases[k].delay) { /* it turns on from its crossover through -1 */
      double high = w;
      while (lag_at(&scene, high) < PI) high *= 1.01; /* the lag that is left falls to 0 and begins anew at 2 pi */
      double low = high / 1.01;
      for (int i = 0; i < 100; i++) *(lag_at(&scene, (low + high) / 2) < PI ? &low : &high) = (low + high) / 2;
      cr_assert_float_eq(margin.gain, 1 / cabs(sliding_at(&scene, low)), 1e-6 * margin.gain);
    }
    if (!cases[k].integral) cr_assert_eq(margin.gain_least, 0);
    scene_close(&scene);
  }
}

/* kp + kd s over m s^2, tau late: |l| = 1 where m^2 w^4 = kd^2 w^2 + kp^2. */
Test(margins, a_fast_loop_is_the_second_order_with_a_delay)
{
  struct scene scene;
  struct armdyn_loop_margin margin;
  const double rate = 100000;
  const size_t delay = 100;
  sliding(&scene, rate, delay, false);
  const double tau = ((double)delay + 0.5) / rate; /* the held force is half a period late */
  const double w = sqrt((KD * KD + sqrt(pow(KD, 4) + 4 * pow(MASS * KP, 2))) / (2 * MASS * MASS));
  cr_assert_eq(margins_of(&scene, &margin), 0);
  cr_assert_float_eq(2 * PI * margin.crossover, w, 1e-6 * w);
  cr_assert_float_eq(margin.phase, atan(w * KD / KP) - w * tau, 1e-6);
  cr_assert_float_eq(margin.delay, atan(w * KD / KP) / w - tau, 1e-8);
  scene_close(&scene);
}

/* A conditionally stable loop: 1 + 1/k of the integral needs kp kd > m ki / k in continuous time (Routh). */
Test(margins, an_integral_needs_a_least_gain)
{
  struct scene scene;
  struct armdyn_loop_margin margin;
  sliding(&scene, 100000, 0, true);
  cr_assert_eq(margins_of(&scene, &margin), 0);
  cr_assert_float_eq(margin.gain_least, MASS * KI / (KP * KD), 1e-4 * margin.gain_least);
  scene_close(&scene);
}

static bool settles(const struct scene *given)
{
  struct scene scene = *given;
  scene.q[0] = 1e-3;
  const struct last early = scene_end(&scene, 1), late = scene_end(&scene, 6);
  return hypot(late.q[0], late.qd[0] / 30) < hypot(early.q[0], early.qd[0] / 30);
}

Test(margins, the_edge_is_where_the_simulated_loop_has_it)
{
  struct scene scene;
  struct armdyn_loop_margin margin;
  sliding(&scene, 500, 1, true);
  cr_assert_eq(margins_of(&scene, &margin), 0);
  const size_t periods = (size_t)(margin.delay * 500);
  scene.loop.delay = 1 + periods;
  cr_assert(margins_of(&scene, NULL) == 0 && settles(&scene), "%zu periods later", periods);
  scene.loop.delay = 2 + periods;
  cr_assert(margins_of(&scene, NULL) == 2 && !settles(&scene));
  scene.loop.delay = 1;
  const double factors[] = { 0.97 * margin.gain, 1.03 * margin.gain, 1.25 * margin.gain_least,
                             0.8 * margin.gain_least };
  for (size_t k = 0; k < 4; k++) {
    struct scene other = scene;
    struct armdyn_gains *gains = &other.control.gains;
    gains->kp[0] *= factors[k], gains->ki[0] *= factors[k], gains->kd[0] *= factors[k];
    other.loop.control = &other.control;
    cr_assert_eq(margins_of(&other, NULL), k % 2 ? 2 : 0, "%g", factors[k]);
    cr_assert_eq(settles(&other), k % 2 == 0, "%g", factors[k]);
  }
  scene_close(&scene);
}

/* n joints that are alike and do not feel each other: n times the poles of one. */
Test(margins, joints_that_are_alike_do_not_hide_each_other)
{
  for (size_t n = 1; n <= 3; n++)
    for (int stable = 0; stable < 2; stable++) {
      struct scene scene;
      struct armdyn_loop_margin margins[3];
      a_slide(&scene, MASS);
      scene.description.joint_count = n;
      for (size_t j = 0; j < n; j++) {
        scene.description.joints[j] = scene.description.joints[0];
        scene.description.joints[j].link.mass = j + 1 == n ? MASS : 0;
        /* each slides across the one before: x, y, z */
        snprintf(scene.description.joints[j].name, sizeof scene.description.joints[j].name, "slide %zu", j);
        scene.description.joints[j].alpha = PI / 2;
        scene.description.joints[j].theta = PI / 2;
      }
      scene.arm = scene.description;
      scene_open(&scene, ARMDYN_LAW_COMPUTED_TORQUE, 10, 500);
      scene.loop = (struct armdyn_loop){
        .model = scene.model, .plant = scene.plant, .control = &scene.control, .delay = stable ? 2 : 12
      };
      cr_assert_eq(margins_of(&scene, margins), stable ? 0 : 2 * n, "%zu joints", n);
      for (size_t j = 1; j < n && stable; j++) cr_assert_float_eq(margins[j].phase, margins[0].phase, 1e-6);
      scene_close(&scene);
    }
}

/* A pendulum upright grows by itself: PD without the model of its weight must be stiffer than m g l. */
Test(margins, what_falls_by_itself_needs_stiffness)
{
  struct scene scene;
  struct armdyn_loop_margin margin;
  a_slide(&scene, MASS);
  scene.description.joints[0].type = ARMDYN_REVOLUTE;
  scene.description.joints[0].link.com[0] = 0.4;
  scene.description.gravity[0] = -9.81;
  scene.arm = scene.description;
  scene_open(&scene, ARMDYN_LAW_PID, 2, 1000);
  scene.control.gains.ki[0] = 0;
  scene.loop = (struct armdyn_loop){ .model = scene.model, .plant = scene.plant, .control = &scene.control };
  const double weight = MASS * 9.81 * 0.4;
  scene.control.gains.kp[0] = 3 * weight;
  cr_assert_eq(margins_of(&scene, &margin), 0);
  cr_assert_float_eq(margin.gain_least, 1.0 / 3, 1e-6);
  scene.control.gains.kp[0] = 0.9 * weight;
  cr_assert_eq(margins_of(&scene, NULL), 1);
  scene_close(&scene);
}
