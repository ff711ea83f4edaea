/* lib/control/linear_plant.c: what moves from period to period in closed form (a mass, and two masses on a spring). */
#include "lib/control/linear_plant.h"

#include <math.h>

#include "tests/unit/control/loops.h"

static const double MASS = 2.5, ROTOR = 1.5, K = 4000, T = 1e-3;

static void open_slide(struct scene *scene, struct armdyn_elements *elements, struct linear_plant *plant)
{
  a_slide(scene, MASS);
  scene->description.joints[0].drive.rotor_inertia = ROTOR;
  scene->arm = scene->description;
  scene_open(scene, ARMDYN_LAW_PID, 1, 1 / T);
  const struct armdyn_loop loop = {
    .model = scene->model, .plant = scene->plant, .control = &scene->control, .elements = elements
  };
  cr_assert_eq(linear_plant_open(plant, &loop, scene->q, NULL), ARMDYN_OK);
}

/* q+ = q + T q' + T^2 u / (2 m), q'+ = q' + T u / m, m with the rotor. */
Test(linear_plant, a_mass_is_moved_on_parabolas)
{
  struct scene scene;
  struct linear_plant p;
  open_slide(&scene, NULL, &p);
  const double m = MASS + ROTOR, F[] = { 1, T, 0, 1 }, H[] = { T * T / (2 * m), T / m };
  cr_assert_eq(p.states, 2);
  for (int i = 0; i < 4; i++) cr_assert_float_eq(p.F[i], F[i], 1e-14);
  for (int i = 0; i < 2; i++) cr_assert_float_eq(p.H[i], H[i], 1e-14 * H[i] + 1e-18);
  cr_assert_eq(p.resonance_count, 0);
  linear_plant_close(&p);
  scene_close(&scene);
}

/* Without damping the common motion is that of one mass, and the twist turns with w^2 = k (1/m + 1/B). */
Test(linear_plant, two_masses_swing_about_their_common_motion)
{
  struct scene scene;
  struct linear_plant p;
  struct armdyn_elements elements = { .stiffness = { K } };
  open_slide(&scene, &elements, &p);
  const double w = sqrt(K * (1 / MASS + 1 / ROTOR)), total = MASS + ROTOR;
  cr_assert_eq(p.states, 4);
  const size_t last = p.resonance_count - 1; /* the common motion may be one too, as far as rounding goes */
  cr_assert_float_eq(p.resonances[last], w, 1e-10 * w);
  cr_assert(last == 0 || p.resonances[0] < 1e-4 * w);
  const size_t q = 0, qd = 1, m = p.motor_q[0], md = p.motor_qd[0], s = p.states;
  for (size_t from = 0; from < s; from++) {
    /* what the state `from` = 1 becomes: momentum of the whole, and the twist */
    const double momentum = from == qd ? MASS : from == md ? ROTOR : 0;
    const double twist = from == m ? 1 : from == q ? -1 : 0, rate = from == md ? 1 : from == qd ? -1 : 0;
    cr_assert_float_eq(MASS * p.F[qd * s + from] + ROTOR * p.F[md * s + from], momentum, 1e-11);
    cr_assert_float_eq(p.F[m * s + from] - p.F[q * s + from], twist * cos(w * T) + rate * sin(w * T) / w, 1e-12);
    cr_assert_float_eq(p.F[md * s + from] - p.F[qd * s + from], -twist * w * sin(w * T) + rate * cos(w * T), 1e-10);
  }
  /* a held force u on the motor: total x'' = u, d'' + w^2 d = u / B */
  cr_assert_float_eq((MASS * p.H[q] + ROTOR * p.H[m]) / total, T * T / (2 * total), 1e-17);
  cr_assert_float_eq(p.H[m] - p.H[q], (1 - cos(w * T)) / (w * w * ROTOR), 1e-16);
  cr_assert_float_eq(p.H[md] - p.H[qd], sin(w * T) / (w * ROTOR), 1e-14);
  linear_plant_close(&p);
  scene_close(&scene);
}

Test(linear_plant, what_has_no_linear_form_is_refused)
{
  struct scene scene;
  struct linear_plant p;
  struct armdyn_error error = { 0 };
  struct armdyn_elements elements = { .stiffness = { K }, .backlash = { 1e-3 } };
  a_slide(&scene, MASS);
  scene.description.joints[0].drive.rotor_inertia = ROTOR;
  scene.arm = scene.description;
  scene_open(&scene, ARMDYN_LAW_PID, 1, 1 / T);
  const struct armdyn_loop loop = {
    .model = scene.model, .plant = scene.plant, .control = &scene.control, .elements = &elements
  };
  cr_assert_eq(linear_plant_open(&p, &loop, scene.q, &error), ARMDYN_EINPUT);
  cr_assert(strstr(error.message, "play") != NULL);
  scene_close(&scene);
}
