/* The elements of a plant against closed forms, and their energies against each other. */
#include "tests/support/sanitized.h"
#include "tests/unit/control/loops.h"

/* Two masses on a slide, the rotor and the link, and a controller that does nothing. */
static void two_masses(struct scene *scene, struct armdyn_elements *elements, double rotor, double link)
{
  a_slide(scene, link);
  scene->description.joints[0].drive.rotor_inertia = scene->arm.joints[0].drive.rotor_inertia = rotor;
  *elements = (struct armdyn_elements){ .stiffness = { 500 } };
  scene_open(scene, ARMDYN_LAW_PID, 1, 100);
  memset(&scene->control.gains, 0, sizeof scene->control.gains);
  scene->loop.elements = elements;
}

struct seen {
  size_t n;
  double t[400], q[400], qd[400], tau[400], asked[400];
  size_t count;
  struct armdyn_energy_account account; /* the last */
  double work, kinetic, potential, first;
  double unbalanced, own; /* the worst of the whole, and of an element alone */
};

/* work + supplied = kinetic + potential + stored - those at t = 0 + dissipated; and each element by itself. */
static bool balance(void *context, const struct armdyn_loop_sample *sample)
{
  struct seen *seen = context;
  const struct armdyn_energy_account *account = sample->account;
  double off = sample->plant->kinetic + sample->plant->potential - sample->work;
  cr_assert_not_null(account);
  for (int k = 0; k < ARMDYN_ELEMENTS; k++) {
    const struct armdyn_element_energy *e = &account->elements[k];
    off += e->stored - account->stored_at_start[k] + e->dissipated - e->supplied;
    const double own = e->taken - (e->stored - account->stored_at_start[k] + e->dissipated - e->supplied);
    if (account->present[k]) seen->own = fmax(seen->own, fabs(own));
  }
  if (!seen->count) seen->first = off;
  seen->unbalanced = fmax(seen->unbalanced, fabs(off - seen->first));
  seen->account = *account;
  seen->work = sample->work, seen->kinetic = sample->plant->kinetic, seen->potential = sample->plant->potential;
  if (seen->count >= 400) return true;
  const size_t k = seen->count++;
  seen->t[k] = sample->plant->t, seen->q[k] = sample->plant->q[0], seen->qd[k] = sample->plant->qd[0];
  seen->tau[k] = sample->plant->tau[0], seen->asked[k] = sample->tau[0];
  return true;
}

static void run(struct scene *scene, double duration, struct seen *seen)
{
  *seen = (struct seen){ .n = scene->n };
  scene_run(scene, duration, balance, seen);
}

/* ---- elasticity */

/* The centre of mass goes on, and the twist swings as a damped oscillator of the reduced mass. */
Test(elements, two_masses_swing_about_their_centre)
{
  static struct scene scene;
  static struct seen seen;
  struct armdyn_elements elements;
  const double B = 0.5, M = 2, reduced = B * M / (B + M), v = 0.3;
  two_masses(&scene, &elements, B, M);
  elements.damping[0] = 4;
  scene.qd[0] = v;
  elements.link_encoders = true;
  scene.control.gains.kd[0] = 0;
  /* both start with v: a push on the link alone comes from a wrench */
  const double wrench[6] = { 0, 0, 0, 0, 0, 3 };
  scene.load.wrench = wrench, scene.load.wrench_frame = ARMDYN_WRENCH_BASE;
  run(&scene, 1, &seen);
  /* twist'' = -(K twist + D twist')/reduced - 3/M, from rest */
  const double w2 = 500 / reduced, half = 4 / reduced / 2, wd = sqrt(w2 - half * half), rest = -3 / M / w2;
  for (size_t k = 0; k < seen.count; k++) {
    const double t = seen.t[k], fade = exp(-half * t);
    const double twist = rest * (1 - fade * (cos(wd * t) + half / wd * sin(wd * t)));
    const double centre = v * t + 3 / (B + M) * t * t / 2;
    cr_assert_float_eq(seen.q[k], centre - B / (B + M) * twist, 1e-10, "t = %g", t);
  }
  const struct armdyn_element_energy *spring = &seen.account.elements[ARMDYN_ELEMENT_ELASTICITY];
  cr_assert_gt(spring->dissipated, 1e-4);
  cr_assert_float_eq(seen.account.elements[ARMDYN_ELEMENT_WRENCH].supplied, 3 * seen.q[seen.count - 1], 1e-10);
  cr_assert_lt(seen.unbalanced, 1e-11);
  cr_assert_lt(seen.own, 1e-11);
  scene_close(&scene);
}

/* Through the play both go on as they were; then they collide as a spring makes them: after half a swing their speeds are
 * those of an elastic collision. */
Test(elements, through_the_play_nothing_pushes)
{
  static struct scene scene;
  static struct seen seen;
  struct armdyn_elements elements;
  const double B = 0.5, M = 2;
  two_masses(&scene, &elements, B, M);
  elements.backlash[0] = 0.02, elements.stiffness[0] = 5e4;
  const double kick[6] = { 0, 0, 0, 0, 0, 40 };
  scene.load.wrench = kick, scene.load.wrench_frame = ARMDYN_WRENCH_BASE;
  /* the link alone is pushed over 1 cm: v = sqrt(2 * 20 * 0.01), t = sqrt(2 * 0.01 / 20) */
  const double meets = sqrt(2 * 0.01 / 20);
  scene.control.period = 1e-3;
  run(&scene, 0.06, &seen);
  for (size_t k = 0; k < seen.count && seen.t[k] < meets; k++)
    cr_assert_float_eq(seen.q[k], 10 * seen.t[k] * seen.t[k], 1e-11, "t = %g", seen.t[k]);
  cr_assert_lt(seen.qd[seen.count - 1], 20 * seen.t[seen.count - 1] - 0.1, "it has met the rotor");
  cr_assert_lt(seen.unbalanced, 1e-10);
  cr_assert_lt(seen.own, 1e-10);
  scene_close(&scene);
}

/* What is measured is the motor, and a controller that holds it leaves the link where gravity stretches the spring to. */
Test(elements, springs_start_with_the_weight_on_them)
{
  static struct scene scene;
  static struct seen seen;
  struct armdyn_elements elements;
  two_masses(&scene, &elements, 0.5, 2);
  scene_close(&scene);
  scene.description.gravity[2] = scene.arm.gravity[2] = -9.81;
  scene_open(&scene, ARMDYN_LAW_PID_GRAVITY, 2, 500);
  scene.center[0] = 2 * 9.81 / 500; /* where the motor is */
  run(&scene, 0.5, &seen);
  for (size_t k = 0; k < seen.count; k++) cr_assert_float_eq(seen.q[k], 0, 1e-11);
  cr_assert_float_eq(seen.tau[0], 2 * 9.81, 1e-9);
  cr_assert_float_eq(seen.account.elements[ARMDYN_ELEMENT_ELASTICITY].stored, pow(2 * 9.81, 2) / 500 / 2, 1e-9);
  scene_close(&scene);
}

/* ---- drives */

Test(elements, a_current_loop_is_a_lag_of_first_order)
{
  static struct scene scene;
  static struct seen seen;
  struct armdyn_elements elements = { .current_bandwidth = { 30 } };
  a_slide(&scene, 2);
  scene.center[0] = 0.1;
  scene_open(&scene, ARMDYN_LAW_PID, 2, 200);
  scene.loop.elements = &elements;
  run(&scene, 1, &seen);
  const double left = exp(-2 * M_PI * 30 / 200);
  cr_assert_float_eq(seen.tau[0], seen.asked[0], 1e-12, "it begins as if the first had always been asked for");
  for (size_t k = 1; k < seen.count - 1; k++)
    cr_assert_float_eq(seen.tau[k], seen.asked[k - 1] + (seen.tau[k - 1] - seen.asked[k - 1]) * left, 1e-9);
  const struct armdyn_element_energy *lag = &seen.account.elements[ARMDYN_ELEMENT_CURRENT_LOOP];
  cr_assert_float_eq(seen.work + lag->supplied, seen.kinetic, 1e-11, "what acts has become motion");
  cr_assert_gt(fabs(lag->supplied), 1e-3);
  cr_assert_lt(seen.unbalanced, 1e-10);
  scene_close(&scene);
}

/* amplitude sin(order p + phase) about a stable place swings a little with w^2 = amplitude order gear / m. */
Test(elements, cogging_holds_a_rotor_as_a_magnet_does)
{
  static struct scene scene;
  static struct seen seen;
  struct armdyn_elements elements = { .ripples = { { 0, 3, 0, 12, M_PI } }, .ripple_count = 1 };
  a_slide(&scene, 2);
  scene.description.joints[0].drive.gear_ratio = scene.arm.joints[0].drive.gear_ratio = 5;
  scene.q[0] = 1e-6;
  scene_open(&scene, ARMDYN_LAW_PID, 1, 200);
  memset(&scene.control.gains, 0, sizeof scene.control.gains);
  scene.loop.elements = &elements;
  run(&scene, 1, &seen);
  const double w = sqrt(3.0 * 12 * 5 / 2);
  for (size_t k = 0; k < seen.count; k++) cr_assert_float_eq(seen.q[k], 1e-6 * cos(w * seen.t[k]), 1e-12);
  scene.q[0] = 0.03, elements.ripples[0].relative = 0.2;
  scene.control.gains.kp[0] = 20;
  run(&scene, 1, &seen);
  cr_assert_gt(fabs(seen.account.elements[ARMDYN_ELEMENT_RIPPLE].supplied), 1e-4);
  cr_assert_lt(seen.unbalanced, 1e-10);
  cr_assert_lt(seen.own, 1e-10);
  scene_close(&scene);
}

/* ---- walls */

/* A mass that meets a wall of stiffness K and damping D with speed v, and leaves when the wall would have to pull. */
Test(elements, a_mass_leaves_a_wall_as_a_damped_spring_throws_it)
{
  static const double dampings[] = { 0, 10, 60 };
  for (size_t c = 0; c < 3; c++) {
    static struct scene scene;
    static struct seen seen;
    const double m = 2, K = 2000, D = dampings[c], v = 0.5;
    struct armdyn_elements elements = { .walls = { { { 0, 0, 0.05 }, { 0, 0, -1 }, { K, D, 0.3, 1e-3 } } },
                                        .wall_count = 1 };
    a_slide(&scene, m);
    scene.qd[0] = v;
    scene_open(&scene, ARMDYN_LAW_PID, 1, 100);
    memset(&scene.control.gains, 0, sizeof scene.control.gains);
    scene.loop.elements = &elements;
    run(&scene, 0.6, &seen);
    /* depth x = v/wd exp(-h t) sin(wd t); K x + D x' = 0 where tan(wd t) = wd D / (h D - K) */
    const double h = D / m / 2, wd = sqrt(K / m - h * h), t = atan2(wd * D, h * D - K) / wd, fade = exp(-h * t);
    const double out = -v * fade * (cos(wd * t) - h / wd * sin(wd * t));
    cr_assert_float_eq(-seen.qd[seen.count - 1], out, 3e-7, "damping %g", D);
    const struct armdyn_element_energy *wall = &seen.account.elements[ARMDYN_ELEMENT_WALLS];
    cr_assert_float_eq(wall->dissipated, m * (v * v - out * out) / 2, 3e-7);
    cr_assert_eq(wall->stored, 0);
    cr_assert_lt(seen.unbalanced, 1e-10);
    cr_assert_lt(seen.own, 1e-10);
    scene_close(&scene);
  }
}

/* ---- a hole */

static const struct armdyn_hole a_hole = { .center = { 0.4, -0.1, 0.2 },
                                           .axis = { 0, 0, 1 },
                                           .diameter = 0.0201,
                                           .depth = 0.03,
                                           .chamfer = 0.0005,
                                           .peg_diameter = 0.02,
                                           .peg_length = 0.05,
                                           .surface = { 1e6, 0, 0, 1e-3 } };

/* A peg, pointing down, whose tip is moved from the mouth and turned about x and y by a little. */
static void peg_pose(const double moved[3], double about_x, double about_y, double pose[16])
{
  const double cx = cos(about_x), sx = sin(about_x), cy = cos(about_y), sy = sin(about_y);
  const double R[9] = { cy, -sx * sy, -cx * sy, 0, -cx, sx, -sy, -sx * cy, -cx * cy }; /* Ry(y) Rx(x) diag(1, -1, -1) */
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) pose[4 * i + k] = R[3 * i + k];
    pose[4 * i + 3] = a_hole.center[i] + moved[i], pose[12 + i] = 0;
  }
  pose[15] = 1;
}

Test(elements, a_peg_in_its_hole_touches_where_it_should)
{
  const struct armdyn_elements elements = { .hole = a_hole, .has_hole = true };
  const double still[6] = { 0 };
  double pose[16], w[6];
  const struct {
    double moved[3];
    double force[3]; /* NAN: not 0, of the sign of what is not */
  } cases[] = {
    { { 0, 0, 0.02 }, { 0, 0, 0 } },             /* above */
    { { 0, 0, -0.02 }, { 0, 0, 0 } },            /* inside, free all around */
    { { 0.4e-4, -0.2e-4, -0.02 }, { 0, 0, 0 } }, /* within the clearance */
    { { 0.3e-3, 0, -0.0001 }, { 0, 0, 0 } },     /* over the chamfer, not on it */
    { { 0, 0, -0.03 - 1e-6 }, { 0, 0, 1 } },     /* on the bottom, all of the rim: 1e6 N/m */
    { { 0.05, 0, -1e-6 }, { 0, 0, 1 } },         /* beside it, on the face */
    { { 0.05, 0, 1e-6 }, { 0, 0, 0 } },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    peg_pose(cases[k].moved, 0, 0, pose);
    armdyn_contact(&elements, pose, still, w, NULL);
    for (int i = 0; i < 3; i++) cr_assert_float_eq(w[3 + i], cases[k].force[i], 1e-6, "case %zu: %g", k, w[3 + i]);
  }
  /* against the bore: pushed back by both edges, no way along the axis */
  peg_pose((double[]){ 0.6e-4, 0, -0.02 }, 0, 0, pose);
  armdyn_contact(&elements, pose, still, w, NULL);
  cr_assert(w[3] < -0.5 && fabs(w[4]) < 1e-9 && fabs(w[5]) < 1e-9, "%g %g %g", w[3], w[4], w[5]);
  /* on the chamfer: up and to the middle alike */
  peg_pose((double[]){ 0.4e-3, 0, -0.0002 }, 0, 0, pose);
  armdyn_contact(&elements, pose, still, w, NULL);
  cr_assert(w[5] > 0.5 && w[3] < -0.5 && fabs(w[5] + w[3]) < 0.2 * w[5], "%g %g", w[3], w[5]);
}

/* Without damping and friction the wrench is the slope of the energy stored. */
Test(elements, contact_is_the_slope_of_what_it_stores)
{
  const struct armdyn_elements elements = { .hole = a_hole, .has_hole = true };
  const double still[6] = { 0 }, step = 1e-9;
  struct dice dice = { 5 };
  int touched = 0;
  for (int k = 0; k < 400; k++) {
    double x[5], pose[16], w[6], sum = 0;
    dice_fill(&dice, x, 2, -8e-5, 8e-5), dice_fill(&dice, x + 2, 1, -0.025, -0.001),
        dice_fill(&dice, x + 3, 2, -0.006, 0.006);
    peg_pose(x, x[3], x[4], pose);
    armdyn_contact(&elements, pose, still, w, NULL);
    for (int i = 0; i < 3; i++) {
      double stored[2];
      for (int side = 0; side < 2; side++) {
        struct armdyn_element_energy energies[ARMDYN_ELEMENTS];
        double moved[3] = { x[0], x[1], x[2] }, unused[6];
        moved[i] += side ? step : -step;
        peg_pose(moved, x[3], x[4], pose);
        armdyn_contact(&elements, pose, still, unused, energies);
        stored[side] = energies[ARMDYN_ELEMENT_HOLE].stored;
      }
      sum += fabs(w[3 + i]);
      cr_assert_float_eq(w[3 + i], (stored[0] - stored[1]) / 2 / step, 1e-4 * (1 + fabs(w[3 + i])), "%d %d", k, i);
    }
    touched += sum > 1e-3;
  }
  cr_assert_gt(touched, 100);
}

/* ---- all of them */

/* A Puma with gears that give way and have play, currents that lag, motors that cog, friction, and a wall and a hole that its
 * tool is driven into: to 1e-9 of the energy that is there. */
Test(elements, energy_is_accounted_for)
{
  static const double pose[6] = { 0.2, -0.6, 0.5, 0.3, -0.8, 0.4 };
  static struct scene scene;
  static struct seen seen;
  struct armdyn_elements elements = { .ripples = { { 1, 0.5, 0.02, 6, 0.3 }, { 3, 0.1, 0.05, 12, 1 } },
                                      .ripple_count = 2 };
  double tool[16];
  an_arm(&scene, "puma560");
  memcpy(scene.q, pose, sizeof pose), memcpy(scene.center, pose, sizeof pose);
  for (size_t j = 0; j < 6; j++) {
    struct armdyn_joint bare;
    armdyn_joint_init(&bare);
    bare.friction.load = 0.05;
    bare.friction.viscous = scene.arm.joints[j].friction.viscous;
    scene.arm.joints[j].friction = bare.friction;
    elements.stiffness[j] = j < 3 ? 2e4 : 500, elements.damping[j] = j < 3 ? 5 : 0.2;
    elements.current_bandwidth[j] = 200;
    scene.swing[j] = 0.1;
  }
  elements.backlash[2] = 2e-4;
  scene.speed = 12;
  scene_open(&scene, ARMDYN_LAW_COMPUTED_TORQUE, 6, 1000);
  armdyn_forward_kinematics(scene.model, pose, scene.workspace, tool, NULL);
  elements.walls[0] =
      (struct armdyn_wall){ { tool[3] - 0.001, tool[7], tool[11] }, { -1, 0, 0 }, { 2e4, 50, 0.3, 0.05 } };
  elements.wall_count = 1, elements.has_hole = true;
  elements.hole = a_hole;
  elements.hole.surface = (struct armdyn_surface){ 1e5, 100, 0.2, 0.05 };
  for (int i = 0; i < 3; i++)
    elements.hole.center[i] = tool[4 * i + 3] - 0.004 * tool[4 * i + 2], elements.hole.axis[i] = -tool[4 * i + 2];
  scene.loop.elements = &elements;
  const double wrench[6] = { 0.5, 1, -0.3, 4, -6, 8 };
  scene.load.wrench = wrench;
  run(&scene, SANITIZED ? 0.03 : 0.15, &seen);
  const double there = seen.kinetic + fabs(seen.work);
  for (int k = 0; k < ARMDYN_ELEMENTS; k++) {
    cr_assert(seen.account.present[k]);
    cr_assert_gt(fabs(seen.account.elements[k].taken), SANITIZED ? 0 : 1e-7, "%s",
                 armdyn_element_name((enum armdyn_element)k));
  }
  cr_assert_lt(seen.unbalanced, 1e-9 * there, "%g of %g", seen.unbalanced, there);
  cr_assert_lt(seen.own, 1e-9 * there, "%g of %g", seen.own, there);
  scene_close(&scene);
}

/* Elements that do nothing change nothing: a wall that is out of reach, beside friction of all kinds. */
Test(elements, what_is_out_of_reach_changes_nothing)
{
  static const double pose[6] = { 0.2, -0.6, 0.5, 0.3, -0.8, 0.4 };
  static struct scene scene;
  struct last ends[2];
  const struct armdyn_elements elements = { .walls = { { { 0, 0, -9 }, { 0, 0, 1 }, { 1e4, 10, 0.1, 1e-3 } } },
                                            .wall_count = 1 };
  an_arm(&scene, "puma560");
  memcpy(scene.q, pose, sizeof pose), memcpy(scene.center, pose, sizeof pose);
  for (size_t j = 0; j < 6; j++) scene.swing[j] = 0.1, scene.qd[j] = 0.3, scene.arm.joints[j].friction.load = 0.06;
  scene.speed = 5;
  scene_open(&scene, ARMDYN_LAW_PID_GRAVITY, 4, 500);
  for (int k = 0; k < 2; k++) {
    scene.loop.elements = k ? &elements : NULL;
    ends[k] = scene_end(&scene, 0.05);
  }
  for (size_t j = 0; j < 6; j++) cr_assert_float_eq(ends[0].q[j], ends[1].q[j], 1e-10, "joint %zu", j + 1);
  cr_assert_float_eq(ends[0].kinetic, ends[1].kinetic, 1e-9);
  scene_close(&scene);
}

Test(elements, refusals)
{
  static struct scene scene;
  struct armdyn_elements elements;
  struct armdyn_error error = { 0 };
  two_masses(&scene, &elements, 0, 2);
  struct last last = { .n = 1 };
  scene.loop.model = scene.model, scene.loop.plant = scene.plant, scene.loop.control = &scene.control;
  scene.loop.reference = wanted_at, scene.loop.reference_context = &scene;
  scene.loop.plant_motion = (struct armdyn_simulation){ .q = scene.q, .qd = scene.qd, .duration = 0.1 };
  cr_assert_eq(armdyn_loop_simulate(&scene.loop, keep_last, &last, NULL, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/elasticity/stiffness/0");
  elements = (struct armdyn_elements){ .backlash = { 0.01 } };
  cr_assert_eq(armdyn_loop_simulate(&scene.loop, keep_last, &last, NULL, &error), ARMDYN_EINPUT);
  scene_close(&scene);
}
