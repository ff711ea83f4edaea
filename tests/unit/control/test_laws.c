/* Each law of the table against what it is proven to do. */
#include "armdyn/regressor.h"
#include "tests/unit/control/loops.h"

static void a_puma_at(struct scene *scene, bool friction)
{
  static const double pose[6] = { 0.2, -0.6, 0.5, 0.3, -0.8, 0.4 };
  an_arm(scene, "puma560");
  memcpy(scene->q, pose, sizeof pose);
  memcpy(scene->center, pose, sizeof pose);
  scene->load.frictionless = scene->control.frictionless = !friction;
}

/* ---- every law */

Test(laws, with_its_own_model_an_arm_stays_where_it_should_be)
{
  static struct scene scene;
  for (int law = 0; law < ARMDYN_LAWS; law++) {
    if (law == ARMDYN_LAW_PID) continue; /* it knows nothing of gravity: below */
    a_puma_at(&scene, true);
    scene_open(&scene, (enum armdyn_law)law, 3, 200);
    for (int i = 0; i < 6; i++) scene.control.gains.stiffness[i] = 1000;
    armdyn_gains_damp(&scene.control.gains, 3);
    const struct last last = scene_end(&scene, 0.2);
    for (size_t j = 0; j < 6; j++) cr_assert_float_eq(last.q[j], scene.q[j], 1e-10, "law %d, joint %zu", law, j + 1);
    scene_close(&scene);
  }
}

/* Laws that cancel the dynamics follow any motion from its start: their torque is inverse dynamics. */
Test(laws, without_error_the_torque_is_inverse_dynamics)
{
  static const enum armdyn_law laws[] = { ARMDYN_LAW_FEEDFORWARD, ARMDYN_LAW_COMPUTED_TORQUE, ARMDYN_LAW_ADAPTIVE,
                                          ARMDYN_LAW_LAYERED, ARMDYN_LAW_JOINT_IMPEDANCE };
  static struct scene scene;
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++)
    for (int frictionless = 0; frictionless < 2; frictionless++) {
      struct dice dice = { 11 + k };
      double q[N], qd[N], qdd[N], tau[N], expected[N];
      const struct armdyn_wanted wanted = { q, qd, qdd };
      struct armdyn_controller *controller;
      scene = (struct scene){ 0 };
      random_description(&dice, &scene.description, 6, ARMDYN_MDH);
      scene.arm = scene.description;
      dice_fill(&dice, q, 6, -1, 1), dice_fill(&dice, qd, 6, -1, 1), dice_fill(&dice, qdd, 6, -3, 3);
      scene_open(&scene, laws[k], 2, 500);
      scene.control.frictionless = frictionless;
      cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &controller, NULL), ARMDYN_OK);
      armdyn_controller_step(controller, &wanted, q, qd, tau, NULL);
      const struct armdyn_load load = { .frictionless = frictionless };
      armdyn_inverse_dynamics(scene.model, q, qd, qdd, &load, scene.workspace, expected);
      for (size_t j = 0; j < 6; j++) cr_assert_float_eq(tau[j], expected[j], 1e-9 * (1 + fabs(expected[j])));
      armdyn_controller_free(controller);
      scene_close(&scene);
    }
}

/* ---- PID and gravity */

/* Without an integral the arm sags until kp e = g. */
Test(laws, pd_without_gravity_rests_at_gravity_over_kp)
{
  static struct scene scene;
  double g[6];
  a_puma_at(&scene, false);
  scene_open(&scene, ARMDYN_LAW_PID, 2, 500);
  memset(scene.control.gains.ki, 0, sizeof scene.control.gains.ki);
  const struct last last = scene_end(&scene, 3);
  armdyn_gravity_torque(scene.plant, last.q, scene.workspace, g);
  cr_assert_gt(fabs(g[1]), 10, "so this is no test of a pose without gravity");
  for (size_t j = 0; j < 6; j++) {
    cr_assert_float_eq(last.wanted[j] - last.q[j], g[j] / scene.control.gains.kp[j], 1e-7, "joint %zu", j + 1);
    cr_assert_float_eq(last.qd[j], 0, 1e-6);
  }
  scene_close(&scene);
}

Test(laws, an_integral_finds_gravity)
{
  static struct scene scene;
  double g[6];
  a_puma_at(&scene, false);
  scene_open(&scene, ARMDYN_LAW_PID, 2, 500);
  const struct last last = scene_end(&scene, 4);
  armdyn_gravity_torque(scene.plant, scene.center, scene.workspace, g);
  for (size_t j = 0; j < 6; j++) {
    cr_assert_float_eq(last.q[j], scene.center[j], 1e-5, "joint %zu", j + 1);
    cr_assert_float_eq(last.tau[j], g[j], 1e-2);
  }
  scene_close(&scene);
}

struct energy {
  struct scene *scene;
  double last, first;
  size_t samples;
};

/* V = qd' M qd / 2 + e' kp e / 2 */
static bool energy_falls(void *context, const struct armdyn_loop_sample *sample)
{
  struct energy *energy = context;
  double V = sample->plant->kinetic;
  for (size_t j = 0; j < energy->scene->n; j++) {
    const double e = sample->wanted[j] - sample->plant->q[j];
    V += energy->scene->control.gains.kp[j] * e * e / 2;
  }
  if (!energy->samples++) energy->first = energy->last = V;
  cr_assert_leq(V, energy->last + 1e-7 * energy->first, /* of the held torque */
                "t = %g s: %g J, before %g J", sample->plant->t, V, energy->last);
  energy->last = V;
  return true;
}

Test(laws, energy_falls_under_pd_with_gravity)
{
  static struct scene scene;
  a_puma_at(&scene, false);
  struct energy energy = { .scene = &scene };
  for (size_t j = 0; j < 6; j++) scene.center[j] += j % 2 ? -0.4 : 0.5;
  scene_open(&scene, ARMDYN_LAW_PID_GRAVITY, 1, 1000);
  memset(scene.control.gains.ki, 0, sizeof scene.control.gains.ki);
  scene_run(&scene, 1.5, energy_falls, &energy);
  cr_assert_lt(energy.last, 1e-3 * energy.first);
  scene_close(&scene);
}

/* ---- Slotine and Li */

/* Y p of the controller is M qdd_r + C qd_r + g + F with the C of Christoffel symbols, and not only where qd_r = qd. */
Test(laws, the_adaptive_regressor_splits_the_velocity)
{
  static struct scene scene;
  struct dice dice = { 77 };
  double q[N], qd[N], qdd[N], wanted_q[N], wanted_qd[N], tau[N], C[N * N], M[N * N], g[N], F[N];
  const struct armdyn_wanted wanted = { wanted_q, wanted_qd, qdd };
  struct armdyn_controller *controller;
  scene = (struct scene){ 0 };
  random_description(&dice, &scene.description, 7, ARMDYN_FRAMES);
  scene.arm = scene.description;
  dice_fill(&dice, q, 7, -1, 1), dice_fill(&dice, qd, 7, -1, 1), dice_fill(&dice, qdd, 7, -3, 3);
  dice_fill(&dice, wanted_q, 7, -1, 1), dice_fill(&dice, wanted_qd, 7, -1, 1);
  scene_open(&scene, ARMDYN_LAW_ADAPTIVE, 0.5, 500);
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &controller, NULL), ARMDYN_OK);
  armdyn_controller_step(controller, &wanted, q, qd, tau, NULL);
  armdyn_coriolis_matrix(scene.model, q, qd, scene.workspace, C);
  armdyn_mass_matrix(scene.model, q, scene.workspace, M);
  armdyn_gravity_torque(scene.model, q, scene.workspace, g);
  armdyn_friction_torques(scene.model, q, qd, F);
  for (size_t i = 0; i < 7; i++) {
    double expected = g[i] + F[i];
    for (size_t j = 0; j < 7; j++) {
      const double lambda = scene.control.gains.lambda[j], e = wanted_q[j] - q[j], rate = wanted_qd[j] - qd[j];
      const double s = rate + lambda * e;
      expected += M[i * 7 + j] * (qdd[j] + lambda * rate) + C[i * 7 + j] * (qd[j] + s);
      if (i == j) expected += scene.control.gains.kd[j] * s;
    }
    cr_assert_float_eq(tau[i], expected, 1e-9 * (1 + fabs(expected)), "joint %zu: %g, %g", i + 1, tau[i], expected);
  }
  armdyn_controller_free(controller);
  scene_close(&scene);
}

/* V = s' M s / 2 + (p - p_arm)' G^-1 (p - p_arm) / 2 of a controller that starts from wrong parameters, along the motion of
 * the arm that it moves, which is integrated here by Runge and Kutta with the torque held. */
struct adaptation {
  struct scene *scene;
  struct armdyn_controller *controller;
  double q[N], qd[N], first, lowest; /* V at t = 0, and so far */
};

static double lyapunov(const struct adaptation *a, double t)
{
  const struct scene *scene = a->scene;
  double M[N * N], q[N], qd[N], qdd[N], truth[400], V = 0;
  const double *rates, *believed;
  size_t count;
  const struct armdyn_parameter_choice choice = { .frictionless = scene->control.frictionless };
  believed = armdyn_controller_parameters(a->controller, &count, &rates);
  cr_assert_eq(count, armdyn_parameter_count(scene->plant, &choice));
  armdyn_parameters(scene->plant, &choice, truth);
  armdyn_mass_matrix(scene->plant, a->q, scene->workspace, M);
  wanted_at(a->scene, t, q, qd, qdd);
  double s[N];
  for (size_t j = 0; j < scene->n; j++) s[j] = qd[j] - a->qd[j] + scene->control.gains.lambda[j] * (q[j] - a->q[j]);
  if (scene->control.law == ARMDYN_LAW_LAYERED)
    for (size_t j = 0; j < scene->n; j++) V += scene->control.gains.kp[j] * pow(q[j] - a->q[j], 2) / 2;
  for (size_t i = 0; i < scene->n * scene->n; i++) V += s[i / scene->n] * M[i] * s[i % scene->n] / 2;
  for (size_t k = 0; k < count; k++) {
    const double off = believed[k] - truth[k];
    if (rates[k] > 0) V += off * off / rates[k] / 2; /* else it has no effect on any torque */
  }
  return V;
}

static void move(struct adaptation *a, const double *tau)
{
  static const double at[4] = { 0, 0.5, 0.5, 1 }, weight[4] = { 1, 2, 2, 1 };
  const struct scene *scene = a->scene;
  const size_t n = scene->n;
  const double h = scene->control.period;
  double v[4][N], acceleration[4][N], q[N], qd[N];
  for (int k = 0; k < 4; k++) {
    for (size_t j = 0; j < n; j++) {
      q[j] = a->q[j] + (k ? at[k] * h * v[k - 1][j] : 0);
      v[k][j] = qd[j] = a->qd[j] + (k ? at[k] * h * acceleration[k - 1][j] : 0);
    }
    cr_assert_eq(armdyn_forward_dynamics(scene->plant, q, qd, tau, &scene->load, scene->workspace, acceleration[k]), 0);
  }
  for (int k = 0; k < 4; k++)
    for (size_t j = 0; j < n; j++)
      a->q[j] += h / 6 * weight[k] * v[k][j], a->qd[j] += h / 6 * weight[k] * acceleration[k][j];
}

/* The worst that an arm is off between two times, and how much V ever rose above the lowest before, in parts of V at t = 0. */
static double adapt(struct adaptation *a, double from, double to, double *rise)
{
  const struct scene *scene = a->scene;
  const double h = scene->control.period;
  const long first = lround(from / h), last = lround(to / h);
  double worst = 0, tau[N], q[N], qd[N], qdd[N];
  const struct armdyn_wanted wanted = { q, qd, qdd };
  for (long k = first; k < last; k++) {
    wanted_at(a->scene, (double)k * h, q, qd, qdd);
    for (size_t j = 0; j < scene->n; j++) worst = fmax(worst, fabs(q[j] - a->q[j]));
    armdyn_controller_step(a->controller, &wanted, a->q, a->qd, tau, NULL);
    move(a, tau);
    const double V = lyapunov(a, (double)(k + 1) * h);
    *rise = fmax(*rise, (V - a->lowest) / a->first);
    a->lowest = fmin(a->lowest, V);
  }
  return worst;
}

/* A SCARA with 2 kg more than its controller knows of, heavier links, and twice the viscous friction. */
static void adaptation_open(struct adaptation *a, struct scene *scene, enum armdyn_law law, double rate)
{
  an_arm(scene, "scara");
  scene->arm.payload.mass = scene->description.payload.mass + 2;
  armdyn_scale_inertia(&scene->arm, 1.4);
  for (size_t j = 0; j < 4; j++) {
    struct armdyn_directed *viscous = &scene->arm.joints[j].friction.viscous;
    viscous->positive *= 2, viscous->negative *= 2;
    scene->swing[j] = j == 2 ? 0.05 : 0.5, scene->qd[j] = 3 * scene->swing[j];
  }
  scene->speed = 3;
  scene_open(scene, law, 1.5, rate);
  *a = (struct adaptation){ .scene = scene };
  memcpy(a->qd, scene->qd, sizeof a->qd);
  cr_assert_eq(armdyn_controller_new(scene->model, &scene->control, &a->controller, NULL), ARMDYN_OK);
  a->first = a->lowest = lyapunov(a, 0);
}

static void adaptation_close(struct adaptation *a)
{
  armdyn_controller_free(a->controller);
  scene_close(a->scene);
}

/* What a torque that is held and a step of Euler add to V falls with the period: in continuous time V never rises. */
Test(laws, adaptation_does_not_raise_its_lyapunov_function)
{
  static struct scene scene;
  double rise[2] = { 0 };
  for (int k = 0; k < 2; k++) {
    struct adaptation a;
    adaptation_open(&a, &scene, ARMDYN_LAW_ADAPTIVE, 2000 << k);
    adapt(&a, 0, 1, &rise[k]);
    cr_assert_lt(a.lowest, 0.9 * a.first, "V has fallen meanwhile: %g of %g", a.lowest, a.first);
    adaptation_close(&a);
  }
  cr_assert(rise[1] < 2e-5 && rise[1] < 0.7 * rise[0], "%g of V with a period, %g with half of it", rise[0], rise[1]);
}

Test(laws, adaptation_finds_the_motion_from_wrong_parameters)
{
  static const enum armdyn_law laws[] = { ARMDYN_LAW_ADAPTIVE, ARMDYN_LAW_LAYERED };
  static struct scene scene;
  for (size_t k = 0; k < 2; k++) {
    struct adaptation a;
    double rise = 0;
    adaptation_open(&a, &scene, laws[k], 1000);
    const double early = adapt(&a, 0, 2, &rise);
    adapt(&a, 2, 8, &rise);
    const double late = adapt(&a, 8, 10, &rise);
    cr_assert_gt(early, 3e-3, "so the parameters were wrong: %g", early);
    cr_assert_lt(late, 0.3 * early, "law %zu: %g rad off at first, %g in the end", k, early, late);
    cr_assert_lt(a.lowest, 0.8 * a.first);
    adaptation_close(&a);
  }
}

/* V + e kp e / 2 of the layered law falls, too, but for what the regressor of the motion wanted is off that of the motion: a
 * part of V that its gains have to outweigh. */
Test(laws, learning_in_layers_does_not_run_away)
{
  static struct scene scene;
  struct adaptation a;
  double rise = 0;
  adaptation_open(&a, &scene, ARMDYN_LAW_LAYERED, 1000);
  adapt(&a, 0, 4, &rise);
  cr_assert_lt(rise, 0.02, "%g of V", rise);
  cr_assert_lt(a.lowest, 0.9 * a.first);
  adaptation_close(&a);
}

/* The slow layer learns every tenth period, and then ten times as much. */
Test(laws, the_slow_layer_learns_in_its_own_time)
{
  static struct scene scene;
  struct adaptation a;
  const double *parameters, *rates;
  double before[400], rise = 0;
  size_t count, changes = 0;
  adaptation_open(&a, &scene, ARMDYN_LAW_LAYERED, 1000);
  parameters = armdyn_controller_parameters(a.controller, &count, &rates);
  memcpy(before, parameters, count * sizeof *before);
  for (int k = 1; k <= 35; k++) {
    adapt(&a, 1e-3 * (k - 1), 1e-3 * k, &rise);
    const bool learnt = memcmp(before, parameters, count * sizeof *before) != 0;
    cr_assert_eq(learnt, k % 10 == 0, "period %d", k);
    changes += learnt;
    memcpy(before, parameters, count * sizeof *before);
  }
  cr_assert_eq(changes, 3);
  adaptation_close(&a);
}

/* Each parameter is learnt as fast as is asked of it. */
Test(laws, parameters_are_learnt_at_their_own_rates)
{
  static struct scene scene;
  struct armdyn_controller *usual, *own;
  const double *rates[2];
  size_t count;
  const struct armdyn_parameter_choice choice = { 0 };
  an_arm(&scene, "scara");
  scene_open(&scene, ARMDYN_LAW_ADAPTIVE, 1.5, 1000);
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &usual, NULL), ARMDYN_OK);
  armdyn_controller_parameters(usual, &count, &rates[0]);
  size_t learnt = 0;
  while (!(rates[0][learnt] > 0)) learnt++;
  for (size_t k = 0; k < 2; k++)
    scene.control.factors[k] =
        (struct armdyn_adaptation_factor){ armdyn_parameter_at(scene.model, &choice, k ? count - 1 : learnt),
                                           k ? 0 : 2.5 };
  scene.control.factor_count = 2;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &own, NULL), ARMDYN_OK);
  armdyn_controller_parameters(own, &count, &rates[1]);
  for (size_t k = 0; k < count; k++)
    cr_assert_float_eq(rates[1][k], rates[0][k] * (k == learnt ? 2.5 : k == count - 1 ? 0 : 1), 1e-12 * rates[0][k]);
  cr_assert_gt(rates[0][count - 1], 0, "so there was something to be held");
  scene.control.factors[0].factor = -1;
  struct armdyn_controller *none = NULL;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &none, NULL), ARMDYN_EINPUT);
  armdyn_controller_free(usual);
  armdyn_controller_free(own);
  scene_close(&scene);
}

/* ---- impedance */

/* At rest J' (wrench + stiffness x) = 0: the tool gives way by wrench / stiffness, whatever the arm. */
Test(laws, an_impedance_gives_way_by_wrench_over_stiffness)
{
  static const double wrench[6] = { 1, -2, 1.5, 20, -10, 15 };
  static struct scene scene;
  double is[16], should[16];
  a_puma_at(&scene, false);
  scene_open(&scene, ARMDYN_LAW_IMPEDANCE, 2, 500);
  for (int i = 0; i < 6; i++) scene.control.gains.stiffness[i] = i < 3 ? 60 + 10 * i : 2000 + 500 * i;
  armdyn_gains_damp(&scene.control.gains, 2);
  scene.load.wrench = wrench;
  scene.load.wrench_frame = ARMDYN_WRENCH_BASE;
  const struct last last = scene_end(&scene, 6);
  armdyn_forward_kinematics(scene.model, last.q, scene.workspace, is, NULL);
  armdyn_forward_kinematics(scene.model, scene.center, scene.workspace, should, NULL);
  double turned[6] = { 0 };
  /* the small turn from `should` to `is`, as the skew part of R = is should', is 2 sin(a) / 2a of its vector */
  double R[9] = { 0 };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) R[3 * i + j] += is[4 * i + k] * should[4 * j + k];
  const double a = acos((R[0] + R[4] + R[8] - 1) / 2), full = a / sin(a) / 2;
  turned[0] = full * (R[7] - R[5]), turned[1] = full * (R[2] - R[6]), turned[2] = full * (R[3] - R[1]);
  for (int i = 0; i < 3; i++) turned[3 + i] = is[4 * i + 3] - should[4 * i + 3];
  for (int i = 0; i < 6; i++)
    cr_assert_float_eq(turned[i], wrench[i] / scene.control.gains.stiffness[i], 1e-6, "axis %d: %g", i, turned[i]);
  for (size_t j = 0; j < 6; j++) cr_assert_float_eq(last.qd[j], 0, 1e-5);
  scene_close(&scene);
}
