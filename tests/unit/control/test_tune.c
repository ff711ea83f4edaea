/* Gains that are found: against all gains of a fine grid, judged by the loop in closed form, and against minima that are
 * known. */
#include <complex.h>
#include <math.h>

#include "armdyn/tune.h"
#include "tests/unit/control/loops.h"

static const double PI = 3.14159265358979323846;
static const double MASS = 2.5, RATE = 500;
enum { DELAY = 4, PERIODS = 500 };

/* Computed torque on a slide is a unit mass under kp e + kd e'. Its held acceleration makes parabolas. */
static double complex unit_at(double kp, double kd, double w)
{
  const double T = 1 / RATE;
  const double complex z = cexp(I * w * T);
  return (kp * T * T * (z + 1) / (2 * (z - 1) * (z - 1)) + kd * T / (z - 1)) * cpow(z, -DELAY);
}

/* Mean square of what is left of a step; INFINITY where it does not die out. */
static double step_cost(double kp, double kd)
{
  const double T = 1 / RATE;
  double q = -1, v = 0, waiting[DELAY + 1] = { 0 }, sum = 0;
  for (size_t k = 0; k < PERIODS; k++) {
    waiting[k % (DELAY + 1)] = -kp * q - kd * v;
    if (k == 0)
      for (size_t i = 1; i <= DELAY; i++) waiting[i] = waiting[0];
    const double a = waiting[(k + 1) % (DELAY + 1)];
    q += v * T + a * T * T / 2, v += a * T;
    sum += q * q / PERIODS;
  }
  return fabs(q) < 1 ? sum : INFINITY;
}

/* Phase and gain margin by walking up the frequencies: the loop of PD turns through -1 once. */
static void margins_of(double kp, double kd, double *phase, double *gain)
{
  *phase = *gain = 0;
  double before = PI;
  for (double w = 0.01; w < PI * RATE; w *= 1.01) {
    const double complex l = unit_at(kp, kd, w);
    double lag = carg(l) + PI;
    if (lag < 0) lag += 2 * PI;
    if (cabs(l) > 1) *phase = lag > PI ? 0 : lag;
    if (lag > before + PI) {
      *gain = 1 / cabs(l);
      return;
    }
    before = lag;
  }
}

static double cost_of(void *context, const struct armdyn_gains *gains)
{
  (void)context;
  return step_cost(gains->kp[0], gains->kd[0]);
}

Test(tune, nothing_of_a_fine_grid_is_better)
{
  struct scene scene;
  struct armdyn_tuned tuned;
  struct armdyn_linear_loop *place;
  a_slide(&scene, MASS);
  scene_open(&scene, ARMDYN_LAW_COMPUTED_TORQUE, 1, RATE);
  scene.loop =
      (struct armdyn_loop){ .model = scene.model, .plant = scene.plant, .control = &scene.control, .delay = DELAY };
  cr_assert_eq(armdyn_linear_loop_new(&scene.loop, scene.q, &place, NULL), ARMDYN_OK);
  for (int k = 0; k < 3; k++) {
    const struct armdyn_margin_limits least = { k == 1 ? 4 : 1, k == 1 ? 0.1 : k == 2 ? 1.2 : 0.7, 0, INFINITY };
    const struct armdyn_tuning tuning = { .model = scene.model,
                                          .law = ARMDYN_LAW_COMPUTED_TORQUE,
                                          .q = scene.q,
                                          .places = &place,
                                          .place_count = 1,
                                          .margins = least,
                                          .bandwidth_max = 200,
                                          .cost = cost_of,
                                          .evaluations = 400 };
    double best = INFINITY, phase, gain;
    for (double w = 5; w < 200; w *= 1.05)
      for (double z = 0.25; z < 4; z *= 1.1) {
        margins_of(w * w, 2 * z * w, &phase, &gain);
        if (phase >= least.phase && gain >= least.gain) best = fmin(best, step_cost(w * w, 2 * z * w));
      }
    cr_assert_eq(armdyn_tune(&tuning, &tuned, NULL), ARMDYN_OK);
    margins_of(tuned.gains.kp[0], tuned.gains.kd[0], &phase, &gain);
    cr_assert(phase > least.phase - 0.01 && gain > least.gain * 0.99, "case %d: %g rad, %g", k, phase, gain);
    cr_assert_eq(tuned.cost, step_cost(tuned.gains.kp[0], tuned.gains.kd[0]));
    cr_assert(tuned.cost < 1.01 * best && tuned.cost > 0.9 * best, "case %d: %g, of the grid %g", k, tuned.cost, best);
    cr_assert_leq(tuned.cost, tuned.first_cost);
    const bool at_phase = tuned.limited_by == ARMDYN_LIMITED_BY_PHASE && phase < least.phase + 0.02;
    const bool at_gain = tuned.limited_by == ARMDYN_LIMITED_BY_GAIN && gain < least.gain * 1.02;
    cr_assert(at_phase || at_gain || tuned.limited_by == ARMDYN_LIMITED_BY_COST, "case %d: %d", k, tuned.limited_by);
  }
  armdyn_linear_loop_free(place);
  scene_close(&scene);
}

/* The least is where it is known: a bandwidth for each joint, a damping and a part of the integral. */
static const double KNOWN[] = { 2 * 3.14, 5 * 3.14, 9 * 3.14, 12 * 3.14 }, DAMPING = 0.8, INTEGRAL = 0.3;

static double known_cost(void *context, const struct armdyn_gains *gains)
{
  const double *m = context;
  double sum = 1;
  for (size_t j = 0; j < 4; j++) {
    const double w = KNOWN[j], kp = m[j] * w * w * (1 + 2 * DAMPING * INTEGRAL), ki = m[j] * INTEGRAL * w * w * w;
    const double kd = m[j] * w * (2 * DAMPING + INTEGRAL);
    sum += pow(log(gains->kp[j] / kp), 2) + pow(log(gains->ki[j] / ki), 2) + pow(log(gains->kd[j] / kd), 2);
  }
  return sum;
}

Test(tune, a_known_minimum_is_found)
{
  struct scene scene;
  struct armdyn_tuned tuned;
  struct armdyn_linear_loop *place;
  double M[16], m[4];
  an_arm(&scene, "scara");
  scene_open(&scene, ARMDYN_LAW_PID_GRAVITY, 1, 2000);
  cr_assert_eq(scene.n, 4);
  scene.loop = (struct armdyn_loop){ .model = scene.model, .plant = scene.plant, .control = &scene.control };
  cr_assert_eq(armdyn_linear_loop_new(&scene.loop, scene.q, &place, NULL), ARMDYN_OK);
  armdyn_mass_matrix(scene.model, scene.q, scene.workspace, M);
  for (size_t j = 0; j < 4; j++) m[j] = M[5 * j];
  const struct armdyn_tuning tuning = { .model = scene.model,
                                        .law = ARMDYN_LAW_PID_GRAVITY,
                                        .q = scene.q,
                                        .integral = true,
                                        .places = &place,
                                        .place_count = 1,
                                        .margins = { 1, 0.1, 0, INFINITY },
                                        .bandwidth_max = 100,
                                        .cost = known_cost,
                                        .cost_context = m,
                                        .evaluations = 1000 };
  cr_assert_eq(armdyn_tune(&tuning, &tuned, NULL), ARMDYN_OK);
  cr_assert_lt(tuned.cost, 1.01, "%g after %zu, %g %g %g %g", tuned.cost, tuned.evaluations, tuned.bandwidth[0],
               tuned.bandwidth[1], tuned.damping, tuned.integral);
  cr_assert_eq(tuned.limited_by, ARMDYN_LIMITED_BY_COST);
  for (size_t j = 0; j < 4; j++) cr_assert_float_eq(2 * PI * tuned.bandwidth[j], KNOWN[j], 0.05 * KNOWN[j]);
  cr_assert_float_eq(tuned.damping, DAMPING, 0.1);
  cr_assert_float_eq(tuned.integral, INTEGRAL, 0.05);
  armdyn_linear_loop_free(place);
  scene_close(&scene);
}

Test(tune, margins_that_nothing_has_are_refused)
{
  struct scene scene;
  struct armdyn_tuned tuned;
  struct armdyn_linear_loop *place;
  struct armdyn_error error = { 0 };
  a_slide(&scene, MASS);
  scene_open(&scene, ARMDYN_LAW_PID, 1, RATE);
  scene.loop = (struct armdyn_loop){ .model = scene.model, .plant = scene.plant, .control = &scene.control };
  cr_assert_eq(armdyn_linear_loop_new(&scene.loop, scene.q, &place, NULL), ARMDYN_OK);
  struct armdyn_tuning tuning = { .model = scene.model,
                                  .law = ARMDYN_LAW_PID,
                                  .q = scene.q,
                                  .places = &place,
                                  .place_count = 1,
                                  .margins = { 1, 1.56, 0, INFINITY },
                                  .bandwidth_max = 100,
                                  .cost = cost_of,
                                  .evaluations = 10 };
  cr_assert_eq(armdyn_tune(&tuning, &tuned, &error), ARMDYN_EINFEASIBLE);
  cr_assert_str_eq(error.pointer, "/margins");
  tuning.law = ARMDYN_LAW_ADAPTIVE;
  cr_assert_eq(armdyn_tune(&tuning, &tuned, &error), ARMDYN_EINPUT);
  armdyn_linear_loop_free(place);
  scene_close(&scene);
}
