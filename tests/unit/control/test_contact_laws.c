/* Laws that meet something: what they are claimed to do in contact, against closed forms and conservation of energy. */
#include "tests/unit/control/loops.h"

/* ---- passive laws in continuous time: an arm under a law that is evaluated at every moment, in contact with a wall. What the
 * law and the wall have stored and the motion of the arm fall by what they dissipate, exactly. */

struct touching {
  struct armdyn_controller *controller;
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct armdyn_elements elements;
  const struct armdyn_control *control;
  size_t n;
  double wanted[N], still[N];
  double first, worst, peak_force; /* V at t = 0; how much V + dissipated ever was off it */
  size_t samples;
  double state[1];
};

static void tool_of(const struct touching *c, const double *q, const double *qd, double pose[16], double J[6 * N],
                    double twist[6])
{
  armdyn_forward_kinematics(c->robot, q, c->workspace, pose, NULL);
  armdyn_jacobian(c->robot, q, ARMDYN_JACOBIAN_BASE, c->workspace, J);
  for (int i = 0; i < 6; i++) {
    twist[i] = 0;
    for (size_t j = 0; j < c->n; j++) twist[i] += J[i * (int)c->n + (int)j] * qd[j];
  }
}

/* The law and the wall push the links; what law and wall dissipate is the slope of the state. */
static void push(void *context, double t, const double *q, const double *qd, const double *state, double *tau,
                 double *rate)
{
  struct touching *c = context;
  const struct armdyn_wanted wanted = { c->wanted, c->still, c->still };
  const struct armdyn_gains *gains = &c->control->gains;
  struct armdyn_element_energy energies[ARMDYN_ELEMENTS];
  double pose[16], J[6 * N], twist[6], wrench[6];
  (void)t, (void)state;
  tool_of(c, q, qd, pose, J, twist);
  armdyn_contact(&c->elements, pose, twist, wrench, energies);
  armdyn_controller_sense(c->controller, wrench);
  armdyn_controller_step(c->controller, &wanted, q, qd, tau, NULL);
  *rate = energies[ARMDYN_ELEMENT_WALLS].dissipated;
  for (int i = 0; i < 6; i++) {
    *rate += c->control->law == ARMDYN_LAW_JOINT_IMPEDANCE ? 0 : gains->damping[i] * twist[i] * twist[i];
    for (size_t j = 0; j < c->n; j++) tau[j] += J[i * (int)c->n + (int)j] * wrench[i];
  }
  for (size_t j = 0; j < c->n; j++)
    if (c->control->law != ARMDYN_LAW_CARTESIAN_IMPEDANCE) *rate += gains->kd[j] * qd[j] * qd[j];
  c->peak_force = fmax(c->peak_force, fabs(wrench[3]));
}

/* V: of the law's spring, of the wall, and of the inertia that the law leaves or makes. */
static bool falls(void *context, const struct armdyn_simulation_sample *sample)
{
  struct touching *c = context;
  const struct armdyn_gains *gains = &c->control->gains;
  struct armdyn_element_energy energies[ARMDYN_ELEMENTS];
  double pose[16], J[6 * N], twist[6], wrench[6], wanted[16], V, R[9] = { 0 };
  tool_of(c, sample->q, sample->qd, pose, J, twist);
  armdyn_contact(&c->elements, pose, twist, wrench, energies);
  V = energies[ARMDYN_ELEMENT_WALLS].stored;
  if (c->control->law == ARMDYN_LAW_JOINT_IMPEDANCE) {
    for (size_t j = 0; j < c->n; j++) V += gains->kp[j] * pow(c->wanted[j] - sample->q[j], 2) / 2;
  } else {
    /* the turn from is to should, as half of the squared angle that its trace tells, one stiffness about all axes */
    armdyn_forward_kinematics(c->robot, c->wanted, c->workspace, wanted, NULL);
    for (int i = 0; i < 3; i++) {
      V += gains->stiffness[3 + i] * pow(wanted[4 * i + 3] - pose[4 * i + 3], 2) / 2;
      for (int k = 0; k < 3; k++) R[0] += wanted[4 * i + k] * pose[4 * i + k];
    }
    const double angle = acos(fmin(1, (R[0] - 1) / 2));
    V += gains->stiffness[0] * angle * angle / 2;
  }
  if (c->control->law == ARMDYN_LAW_CARTESIAN_IMPEDANCE)
    for (int i = 0; i < 6; i++) V += gains->inertia[i] * twist[i] * twist[i] / 2;
  else
    V += sample->kinetic;
  if (!c->samples++) c->first = V;
  c->worst = fmax(c->worst, fabs(V + c->state[0] - c->first));
  return true;
}

static void draw(struct scene *scene, enum armdyn_law law, struct dice *dice, struct touching *c)
{
  double q[N], pose[16], J[6 * N], twist[6], off[N];
  dice_fill(dice, q, 6, -0.3, 0.3);
  q[1] -= 0.6, q[2] += 0.7, q[4] -= 0.9; /* away from where it is singular */
  dice_fill(dice, off, 6, -0.05, 0.05);
  for (size_t j = 0; j < 6; j++) scene->q[j] = q[j] + off[j], scene->qd[j] = 0, c->wanted[j] = q[j];
  dice_fill(dice, scene->qd, 6, -0.5, 0.5);
  c->robot = scene->plant, c->workspace = scene->workspace, c->n = 6, c->control = &scene->control;
  armdyn_gains_init(scene->model, law, 2 + dice_uniform(dice, 0, 1), q, scene->workspace, &scene->control.gains);
  for (int i = 0; i < 6; i++) {
    scene->control.gains.stiffness[i] = i < 3 ? 60 : 800 + 300 * i;
    if (law == ARMDYN_LAW_IMPEDANCE) scene->control.gains.kd[i] = 0.5;
  }
  armdyn_gains_damp(&scene->control.gains, 2);
  tool_of(c, q, scene->qd, pose, J, twist);
  c->elements.wall_count = 1;
  c->elements.walls[0] = (struct armdyn_wall){ { pose[3] + 0.03 * (dice_uniform(dice, 0, 1) - 0.8), pose[7], pose[11] },
                                               { -1, 0, 0 },
                                               { 2e3 + 5e4 * dice_uniform(dice, 0, 1), 80 * dice_uniform(dice, 0, 1),
                                                 0.4 * dice_uniform(dice, 0, 1), 0.02 } };
}

static void in_contact(enum armdyn_law law, int rounds, uint64_t seed)
{
  static struct scene scene;
  struct dice dice = { seed };
  int met = 0;
  an_arm(&scene, "puma560");
  scene.load.frictionless = scene.control.frictionless = true;
  scene_open(&scene, law, 2, 1000);
  for (int k = 0; k < rounds; k++) {
    struct touching c = { .n = 6 };
    const struct armdyn_attached attached = { .size = 1, .state = c.state, .rate = push, .context = &c };
    draw(&scene, law, &dice, &c);
    cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &c.controller, NULL), ARMDYN_OK);
    const struct armdyn_simulation motion = { .q = scene.q,
                                              .qd = scene.qd,
                                              .duration = 0.15,
                                              .sample_period = 0.01,
                                              .load = &scene.load,
                                              .attached = &attached,
                                              .relative_tolerance = 1e-9,
                                              .absolute_tolerance = 1e-9 };
    struct armdyn_error error = { 0 };
    struct armdyn_workspace *workspace = armdyn_workspace_new(6);
    cr_assert_eq(armdyn_simulate(scene.plant, &motion, falls, &c, workspace, NULL, &error), ARMDYN_OK, "%s",
                 error.message);
    cr_assert_lt(c.worst, 1e-6 * c.first, "law %d, contact %d of seed %llu: %g of %g", law, k, (unsigned long long)seed,
                 c.worst, c.first);
    met += c.peak_force > 1;
    armdyn_workspace_free(workspace);
    armdyn_controller_free(c.controller);
  }
  cr_assert_gt(met, rounds / 3, "%d of %d contacts", met, rounds);
  scene_close(&scene);
}

/* 1,000 with ARMDYN_SOAK=1, a sample of them otherwise. */
Test(contact_laws, continuous_impedance_is_passive)
{
  static const enum armdyn_law laws[] = { ARMDYN_LAW_IMPEDANCE, ARMDYN_LAW_JOINT_IMPEDANCE,
                                          ARMDYN_LAW_CARTESIAN_IMPEDANCE };
  const char *soak = getenv("ARMDYN_SOAK");
  const int rounds = soak && *soak ? 334 : 10;
  for (size_t k = 0; k < 3; k++) in_contact(laws[k], rounds, 100 + k);
}

/* An inertia that is shaped with the wrong model is not passive: what arm and wall have and lost is not constant any more, by
 * far more than the 1e-6 above. The claim is stability within bounds: it comes to rest all the same. */
Test(contact_laws, an_inertia_shaped_by_a_wrong_model_is_stable_not_passive)
{
  static struct scene scene;
  static const double pose[6] = { 0.2, -0.6, 0.5, 0.3, -0.8, 0.4 };
  struct armdyn_elements elements = { .wall_count = 1 };
  struct dice dice = { 7 };
  double tool[16];
  an_arm(&scene, "puma560");
  armdyn_scale_inertia(&scene.arm, 1.4);
  scene.load.frictionless = scene.control.frictionless = true;
  memset(scene.description.gravity, 0, sizeof scene.description.gravity);
  memset(scene.arm.gravity, 0, sizeof scene.arm.gravity);
  scene_open(&scene, ARMDYN_LAW_CARTESIAN_IMPEDANCE, 2, 1000);
  struct touching c = { .n = 6 };
  const struct armdyn_attached attached = { .size = 1, .state = c.state, .rate = push, .context = &c };
  draw(&scene, ARMDYN_LAW_CARTESIAN_IMPEDANCE, &dice, &c);
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &c.controller, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(6);
  const struct armdyn_simulation motion = { .q = scene.q,
                                            .qd = scene.qd,
                                            .duration = 0.15,
                                            .sample_period = 0.01,
                                            .load = &scene.load,
                                            .attached = &attached,
                                            .relative_tolerance = 1e-9,
                                            .absolute_tolerance = 1e-9 };
  cr_assert_eq(armdyn_simulate(scene.plant, &motion, falls, &c, workspace, NULL, NULL), ARMDYN_OK);
  cr_assert_gt(c.worst, 1e-3 * c.first, "%g of %g", c.worst, c.first);
  armdyn_workspace_free(workspace);
  armdyn_controller_free(c.controller);
  /* sampled, in contact, until it rests */
  memcpy(scene.q, pose, sizeof pose), memcpy(scene.center, pose, sizeof pose), memset(scene.qd, 0, sizeof scene.qd);
  armdyn_forward_kinematics(scene.model, pose, scene.workspace, tool, NULL);
  elements.walls[0] = (struct armdyn_wall){ { tool[3] - 1e-3, tool[7], tool[11] }, { -1, 0, 0 }, { 5e3, 50, 0, 1e-3 } };
  scene.loop.elements = &elements;
  const struct last last = scene_end(&scene, 4);
  for (size_t j = 0; j < 6; j++) cr_assert_float_eq(last.qd[j], 0, 1e-6, "joint %zu: %g", j + 1, last.qd[j]);
  scene_close(&scene);
}

/* ---- closed forms, the law evaluated at every moment */

struct pushed {
  struct armdyn_controller *controller;
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  const struct armdyn_load *load; /* what the sensor has, in base axes; NULL: of the wall */
  struct armdyn_elements elements;
  size_t n;
  double wanted[N], still[N];
  double t[64], x[64][3], q[64], spare[1];
  size_t count;
};

static void law_alone(void *context, double t, const double *q, const double *qd, const double *state, double *tau,
                      double *rate)
{
  struct pushed *p = context;
  const struct armdyn_wanted wanted = { p->wanted, p->still, p->still };
  double pose[16], J[6 * N], twist[6] = { 0 }, wrench[6] = { 0 };
  (void)t, (void)state;
  *rate = 0;
  armdyn_forward_kinematics(p->robot, q, p->workspace, pose, NULL);
  armdyn_jacobian(p->robot, q, ARMDYN_JACOBIAN_BASE, p->workspace, J);
  for (size_t i = 0; i < 6 * p->n; i++) twist[i / p->n] += J[i] * qd[i % p->n];
  armdyn_contact(&p->elements, pose, twist, wrench, NULL);
  armdyn_controller_sense(p->controller, p->load ? p->load->wrench : wrench);
  armdyn_controller_step(p->controller, &wanted, q, qd, tau, NULL);
  for (size_t i = 0; i < 6 * p->n; i++) tau[i % p->n] += J[i] * wrench[i / p->n];
}

static bool keep_tool(void *context, const struct armdyn_simulation_sample *sample)
{
  struct pushed *p = context;
  double pose[16];
  armdyn_forward_kinematics(p->robot, sample->q, p->workspace, pose, NULL);
  if (p->count >= 64) return true;
  p->t[p->count] = sample->t, p->q[p->count] = sample->q[0];
  for (int i = 0; i < 3; i++) p->x[p->count][i] = pose[4 * i + 3];
  p->count++;
  return true;
}

static void push_along(struct scene *scene, struct pushed *p, double duration)
{
  const struct armdyn_attached attached = { .size = 1, .state = p->spare, .rate = law_alone, .context = p };
  struct armdyn_workspace *workspace = armdyn_workspace_new(scene->n);
  struct armdyn_error error = { 0 };
  const struct armdyn_simulation motion = { .q = scene->q,
                                            .qd = scene->qd,
                                            .duration = duration,
                                            .load = &scene->load,
                                            .relative_tolerance = 1e-11,
                                            .absolute_tolerance = 1e-11,
                                            .sample_period = duration / 20,
                                            .attached = &attached };
  p->robot = scene->plant, p->workspace = scene->workspace, p->n = scene->n;
  memcpy(p->wanted, scene->center, sizeof p->wanted);
  cr_assert_eq(armdyn_controller_new(scene->model, &scene->control, &p->controller, &error), ARMDYN_OK, "%s",
               error.message);
  cr_assert_eq(armdyn_simulate(scene->plant, &motion, keep_tool, p, workspace, NULL, &error), ARMDYN_OK, "%s",
               error.message);
  armdyn_workspace_free(workspace);
  armdyn_controller_free(p->controller);
}

/* Hogan's law: pushed by F from rest, the tool of a Puma goes as inertia x'' + damping x' + stiffness x = F, axis by axis, here
 * critically damped: x = F / K (1 - (1 + w t) exp(-w t)). */
Test(contact_laws, the_tool_has_the_inertia_that_it_shall_have)
{
  static const double pose[6] = { 0.2, -0.6, 0.5, 0.3, -0.8, 0.4 }, wrench[6] = { 0, 0, 0, 12, -8, 5 };
  static struct scene scene;
  struct pushed p = { .load = &scene.load };
  const double w = 2 * M_PI * 2;
  an_arm(&scene, "puma560");
  memcpy(scene.q, pose, sizeof pose), memcpy(scene.center, pose, sizeof pose);
  scene.load = (struct armdyn_load){ .wrench = wrench, .wrench_frame = ARMDYN_WRENCH_BASE, .frictionless = true };
  scene.control.frictionless = true;
  scene_open(&scene, ARMDYN_LAW_CARTESIAN_IMPEDANCE, 2, 1000);
  for (int i = 0; i < 6; i++) scene.control.gains.stiffness[i] = i < 3 ? 50 : 600 + 100 * i;
  armdyn_gains_damp(&scene.control.gains, 2);
  push_along(&scene, &p, 0.5);
  for (size_t k = 0; k < p.count; k++)
    for (int i = 0; i < 3; i++) {
      const double far = wrench[3 + i] / scene.control.gains.stiffness[3 + i];
      const double expected = far * (1 - (1 + w * p.t[k]) * exp(-w * p.t[k]));
      cr_assert_float_eq(p.x[k][i] - p.x[0][i], expected, 1e-6 * fabs(far), "t = %g, axis %d", p.t[k], i);
    }
  scene_close(&scene);
}

/* An arm of seven joints, a Puma on a slide, and one of four along what it can do. */
Test(contact_laws, inertia_of_arms_with_more_joints_or_fewer)
{
  static const double pose[7] = { 0.1, 0.2, -0.6, 0.5, 0.3, -0.8, 0.4 }, along_z[6] = { 0, 0, 0, 0, 0, 9 };
  static struct scene scene;
  const double w = 2 * M_PI * 2;
  for (int few = 0; few < 2; few++) {
    struct pushed p = { .load = &scene.load };
    an_arm(&scene, few ? "scara" : "puma560");
    if (!few) {
      struct armdyn_robot_description *all = &scene.description;
      memmove(all->joints + 1, all->joints, 6 * sizeof *all->joints);
      armdyn_joint_init(all->joints);
      all->joints[0].type = ARMDYN_PRISMATIC;
      all->joints[0].link.mass = 20;
      all->joint_count = 7;
      for (int i = 0; i < 3; i++) all->payload.com[i] = 0;
      scene.arm = *all;
    }
    memcpy(scene.q, pose, sizeof pose), memcpy(scene.center, pose, sizeof pose);
    if (few) scene.q[2] = scene.center[2] = 0.05;
    scene.load = (struct armdyn_load){ .wrench = along_z, .wrench_frame = ARMDYN_WRENCH_BASE, .frictionless = true };
    scene.control.frictionless = true;
    scene_open(&scene, ARMDYN_LAW_CARTESIAN_IMPEDANCE, 2, 1000);
    for (int i = 0; i < 6; i++) scene.control.gains.stiffness[i] = i < 3 ? 50 : 900;
    armdyn_gains_damp(&scene.control.gains, 2);
    push_along(&scene, &p, 0.3);
    for (size_t k = 0; k < p.count; k++)
      cr_assert_float_eq(p.x[k][2] - p.x[0][2], 0.01 * (1 - (1 + w * p.t[k]) * exp(-w * p.t[k])), 1e-7,
                         "few %d, t = %g", few, p.t[k]);
    scene_close(&scene);
  }
}

/* Joint by joint: of a slide joint_inertia q'' + kd q' + kp q = F, whatever its mass. */
Test(contact_laws, a_joint_has_the_inertia_that_it_shall_have)
{
  static const double wrench[6] = { 0, 0, 0, 0, 0, 4 };
  static struct scene scene;
  struct pushed p = { .load = &scene.load };
  const double w = 2 * M_PI * 2, inertia = 7;
  a_slide(&scene, 2);
  scene.load = (struct armdyn_load){ .wrench = wrench, .wrench_frame = ARMDYN_WRENCH_BASE };
  scene_open(&scene, ARMDYN_LAW_JOINT_IMPEDANCE, 2, 1000);
  scene.control.gains.joint_inertia[0] = inertia;
  scene.control.gains.kp[0] = inertia * w * w, scene.control.gains.kd[0] = 2 * inertia * w;
  push_along(&scene, &p, 0.5);
  for (size_t k = 0; k < p.count; k++)
    cr_assert_float_eq(p.q[k], 4 / (inertia * w * w) * (1 - (1 + w * p.t[k]) * exp(-w * p.t[k])), 1e-9);
  scene_close(&scene);
}

/* ---- force against a spring: m x'' + kd x' + (1 + force_kp) K x = (1 + force_kp) F while it touches */

static void a_slide_at_a_wall(struct scene *scene, struct armdyn_elements *elements, double stiffness)
{
  a_slide(scene, 2);
  *elements = (struct armdyn_elements){ .walls = { { { 0, 0, 0 }, { 0, 0, -1 }, { stiffness, 0, 0, 1e-3 } } },
                                        .wall_count = 1 };
  scene_open(scene, ARMDYN_LAW_FORCE, 2, 1000);
  memset(scene->control.gains.force_ki, 0, sizeof scene->control.gains.force_ki);
  scene->control.gains.force[5] = 10;
}

Test(contact_laws, force_against_a_spring)
{
  static struct scene scene;
  struct pushed p = { .count = 0 };
  const double K = 2000, m = 2, gain = 1.5, kd = 60;
  a_slide_at_a_wall(&scene, &p.elements, K);
  scene.control.gains.force_kp[5] = gain, scene.control.gains.kd[0] = kd;
  push_along(&scene, &p, 0.2);
  const double h = kd / m / 2, wd = sqrt((1 + gain) * K / m - h * h);
  for (size_t k = 0; k < p.count; k++) {
    const double t = p.t[k], far = 10 / K;
    cr_assert_float_eq(p.q[k], far * (1 - exp(-h * t) * (cos(wd * t) + h / wd * sin(wd * t))), 1e-9, "t = %g", t);
  }
  scene_close(&scene);
}

/* A weight that the model does not know of: force_kp leaves weight / (1 + force_kp), force_ki nothing. */
Test(contact_laws, an_integral_finds_the_force)
{
  static struct scene scene;
  struct armdyn_elements elements;
  for (int integral = 0; integral < 2; integral++) {
    a_slide_at_a_wall(&scene, &elements, 2000);
    scene_close(&scene);
    scene.arm.gravity[2] = -2;
    scene_open(&scene, ARMDYN_LAW_FORCE, 2, 1000);
    scene.control.gains.kd[0] = 90, scene.control.gains.force[5] = 10, scene.control.gains.force_kp[5] = 0.6;
    scene.control.gains.force_ki[5] = integral ? 8 : 0;
    scene.loop.elements = &elements;
    const struct last last = scene_end(&scene, 5);
    cr_assert_float_eq(2000 * last.q[0], integral ? 10 : 10 - 2 * 2 / 1.6, 1e-6);
    scene_close(&scene);
  }
}

/* The swing about the force wanted, of the last part of a run against the first. */
struct swing {
  double from, first, last;
};
static bool follow_swing(void *context, const struct armdyn_loop_sample *sample)
{
  struct swing *swing = context;
  const double off = fabs(sample->plant->q[0] - swing->from), t = sample->plant->t;
  if (t > 0.2 && t < 0.5) swing->first = fmax(swing->first, off);
  if (t > 1.7) swing->last = fmax(swing->last, off);
  return true;
}

/* An integral is stable only: m s^3 + kd s^2 + (1 + force_kp) K s + force_ki K has its roots on the left for force_ki < kd (1 +
 * force_kp) / m (Routh). Beyond, a wall that is passive is made to swing. */
Test(contact_laws, an_integral_of_force_has_a_bound)
{
  for (int beyond = 0; beyond < 2; beyond++) {
    static struct scene scene;
    struct armdyn_elements elements;
    struct swing swing = { .from = 10.0 / 2000 };
    a_slide_at_a_wall(&scene, &elements, 2000);
    scene.q[0] = 10.0 / 2000 * 1.001;
    scene.control.period = 1e-4, scene.control.gains.kd[0] = 12;
    scene.control.gains.force_ki[5] = 12.0 / 2 * (beyond ? 1.4 : 0.6);
    scene.loop.elements = &elements;
    scene_run(&scene, 2, follow_swing, &swing);
    cr_assert(beyond ? swing.last > 1.5 * swing.first : swing.last < 0.5 * swing.first, "%d: %g, then %g", beyond,
              swing.first, swing.last);
    scene_close(&scene);
  }
}

/* A wall that a controller makes, K sampled with the period T, gives energy to whoever touches it unless the arm itself
 * damps with b > K T / 2 (Colgate & Schenkel 1997): a mass rings down on the one side of it, up on the other. */
Test(contact_laws, a_sampled_wall_needs_damping_in_the_arm)
{
  static const double masses[] = { 0.5, 2, 10 };
  for (size_t k = 0; k < 6; k++) {
    static struct scene scene;
    struct swing swing = { 0 };
    const double K = 2000, T = 1e-3, b = K * T / 2 * (k % 2 ? 0.8 : 1.2);
    a_slide(&scene, masses[k / 2]);
    scene.arm.joints[0].friction.viscous = (struct armdyn_directed){ b, b };
    scene.q[0] = 1e-3;
    scene_open(&scene, ARMDYN_LAW_IMPEDANCE, 2, 1 / T);
    scene.control.gains.stiffness[5] = K;
    scene_run(&scene, 2, follow_swing, &swing);
    cr_assert(k % 2 ? swing.last > swing.first : swing.last < swing.first, "%g kg, %g of K T / 2: %g, then %g",
              masses[k / 2], b / (K * T / 2), swing.first, swing.last);
    scene_close(&scene);
  }
}

/* Force along one axis, position on the others: a Puma on a table, pushing down and sliding along. */
Test(contact_laws, hybrid_holds_a_force_and_a_place)
{
  static const double pose[6] = { 0.2, -0.6, 0.5, 0.3, -0.8, 0.4 };
  static struct scene scene;
  struct armdyn_elements elements = { .wall_count = 1 };
  double is[16], start[16];
  an_arm(&scene, "puma560");
  memcpy(scene.q, pose, sizeof pose), memcpy(scene.center, pose, sizeof pose);
  scene.load.frictionless = scene.control.frictionless = true;
  scene_open(&scene, ARMDYN_LAW_HYBRID, 4, 1000);
  armdyn_forward_kinematics(scene.model, pose, scene.workspace, start, NULL);
  elements.walls[0] =
      (struct armdyn_wall){ { start[3], start[7], start[11] - 0.002 }, { 0, 0, 1 }, { 2e4, 200, 0, 1e-3 } };
  for (int i = 0; i < 6; i++) scene.control.gains.stiffness[i] = i < 3 ? 100 : 4000;
  scene.control.gains.selection[5] = 1, scene.control.gains.force[5] = -25;
  armdyn_gains_damp(&scene.control.gains, 4);
  scene.loop.elements = &elements;
  const struct last last = scene_end(&scene, 3);
  armdyn_forward_kinematics(scene.plant, last.q, scene.workspace, is, NULL);
  cr_assert_float_eq(2e4 * (elements.walls[0].point[2] - is[11]), 25, 1e-4, "%g N",
                     2e4 * (elements.walls[0].point[2] - is[11]));
  cr_assert_float_eq(is[3], start[3], 1e-7);
  cr_assert_float_eq(is[7], start[7], 1e-7);
  scene_close(&scene);
}

Test(contact_laws, refusals)
{
  static struct scene scene;
  struct armdyn_controller *controller;
  struct armdyn_error error = { 0 };
  a_slide(&scene, 2);
  scene_open(&scene, ARMDYN_LAW_CARTESIAN_IMPEDANCE, 2, 100);
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &controller, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/inertia");
  scene.control.law = ARMDYN_LAW_HYBRID, scene.control.gains.selection[2] = 0.5;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &controller, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/selection");
  scene.control.gains.selection[2] = 0, scene.control.search.radius = 0.001;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &controller, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/search");
  scene_close(&scene);
}
