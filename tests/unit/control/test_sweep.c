/* lib/control/sweep.c: modes from simulated chirps: links in a level plane whose gears give, moved by a loop that
 * reads encoders of 14 bits, against the zeros of det(M s^2 + D s + K), which is what swings while the motors
 * stand. */
#include <complex.h>
#include <math.h>

#include "armdyn/chirp.h"
#include "armdyn/posture_modes.h"
#include "armdyn/sweep.h"
#include "lib/base/random.h"
#include "lib/control/linear_plant.h"
#include "tests/support/sanitized.h"
#include "tests/unit/control/loops.h"

static const double PI = 3.14159265358979323846;
enum { MOST = 66000, LINKS = 3, STATES = 4 * LINKS };

struct run {
  struct scene scene;
  struct armdyn_elements elements;
  struct linear_plant plant;
  struct armdyn_chirp chirp;
  size_t n;
  double matrix[LINKS * LINKS], slope[LINKS * LINKS]; /* of the links and of their weight */
  bool upright;
  double amplitude, resolution, noise, coulomb;
  size_t joint, count;
  bool both; /* all, one after the other */
  double q[MOST * LINKS], tau[MOST * LINKS];
};

static void links(struct run *run, double rotor, const double *q, double payload)
{
  struct armdyn_robot_description *d = &run->scene.description;
  run->scene = (struct scene){ 0 };
  armdyn_robot_description_init(d);
  memcpy(d->gravity, (const double[]){ 0, run->upright ? -9.81 : 0, 0 }, sizeof d->gravity);
  static const double mass[LINKS] = { 6, 4, 2 }, inertia[LINKS] = { 0.2, 0.1, 0.05 };
  d->joint_count = run->n;
  for (size_t j = 0; j < run->n; j++) {
    d->joints[j].a = 0.3;
    d->joints[j].link.mass = mass[j];
    d->joints[j].link.com[0] = -0.18;
    d->joints[j].link.inertia = (struct armdyn_inertia){ .xx = 0.01, .yy = 0.1, .zz = inertia[j] };
    d->joints[j].drive.rotor_inertia = rotor / 6400;
    d->joints[j].drive.gear_ratio = 80;
  }
  d->payload.mass = payload;
  run->scene.arm = *d;
  memcpy(run->scene.q, q, run->n * sizeof *q);
  scene_open(&run->scene, ARMDYN_LAW_PID, 8, 1000);
}

static void run_open(struct run *run, double rotor, const double *q, double payload, const double *stiffness,
                     const double *damping)
{
  struct armdyn_error error = { 0 };
  links(run, rotor, q, payload);
  memcpy(run->elements.stiffness, stiffness, run->n * sizeof *stiffness);
  memcpy(run->elements.damping, damping, run->n * sizeof *damping);
  const struct armdyn_loop loop = {
    .model = run->scene.model, .plant = run->scene.plant, .control = &run->scene.control, .elements = &run->elements
  };
  cr_assert_eq(linear_plant_open(&run->plant, &loop, q, &error), ARMDYN_OK, "%s", error.message);
  cr_assert_eq(armdyn_links_matrix(&run->scene.description, NULL, q, run->matrix, run->slope), ARMDYN_OK);
}

static void run_close(struct run *run)
{
  linear_plant_close(&run->plant);
  scene_close(&run->scene);
}

/* What a loop of PD and torque ahead makes of the chirp: logs of what it read and asked for. */
static void play(struct run *run, double seconds, uint64_t seed)
{
  const struct linear_plant *p = &run->plant;
  const double T = run->scene.control.period, w = 2 * PI * 8, share = 1 - exp(-2 * PI * 100 * T);
  double x[STATES] = { 0 }, next[STATES], seen[LINKS], before[LINKS], speed[LINKS] = { 0 };
  const size_t n = run->n;
  uint64_t dice = random_from_seed(seed);
  run->count = (size_t)(seconds / T);
  cr_assert(run->count <= MOST && p->states <= STATES);
  for (size_t k = 0; k < run->count; k++) {
    double wanted[LINKS] = { 0 }, wanted_d[LINKS] = { 0 }, wanted_dd[LINKS] = { 0 }, u[LINKS];
    const double each = run->chirp.duration + 2, t = T * (double)k;
    const size_t j0 = run->both ? (size_t)(t / each) : run->joint;
    armdyn_chirp_at(&run->chirp, run->both ? t - each * (double)j0 : t, &wanted[j0], &wanted_d[j0], &wanted_dd[j0]);
    for (size_t j = 0; j < n; j++) {
      double q = run->scene.q[j] + x[p->motor_q[j]];
      if (run->resolution > 0) q = run->resolution * round(q / run->resolution);
      seen[j] = q - run->scene.q[j];
      speed[j] += k ? share * ((seen[j] - before[j]) / T - speed[j]) : 0;
      before[j] = seen[j];
      const double rotor = 6400 * run->scene.description.joints[j].drive.rotor_inertia,
                   J = rotor + run->matrix[(n + 1) * j];
      u[j] = J * (w * w * (run->amplitude * wanted[j] - seen[j]) + 2 * w * (run->amplitude * wanted_d[j] - speed[j]));
      for (size_t i = 0; i < n; i++)
        u[j] += (run->matrix[n * j + i] + (i == j ? rotor : 0)) * run->amplitude * wanted_dd[i];
      run->q[n * k + j] = q;
      run->tau[n * k + j] = u[j] + run->noise * random_normal(&dice);
      u[j] -= run->coulomb * tanh(x[p->motor_qd[j]] / 0.01);
    }
    for (size_t a = 0; a < p->states; a++) {
      next[a] = 0;
      for (size_t b = 0; b < p->states; b++) next[a] += p->F[a * p->states + b] * x[b];
      for (size_t b = 0; b < n; b++) next[a] += p->H[a * n + b] * u[b];
    }
    memcpy(x, next, sizeof x);
  }
}

static enum armdyn_status look(const struct run *run, struct armdyn_sweep_modes *out, struct armdyn_error *error)
{
  struct armdyn_sweep sweep = { .period = run->scene.control.period,
                                .count = run->count,
                                .n = run->n,
                                .some_rigid = run->n > 2,
                                .q = run->q,
                                .tau = run->tau,
                                .from = run->chirp.from,
                                .to = run->chirp.to,
                                .window_count = run->both ? run->n : 1,
                                .mass_matrix = run->matrix,
                                .weight_slope = run->slope };
  const size_t each = run->count / sweep.window_count;
  for (size_t w = 0; w < sweep.window_count; w++) {
    const size_t joint = run->both ? w : run->joint;
    sweep.windows[w] = (struct armdyn_sweep_window){ joint, w * each, each };
    sweep.elastic[joint] = true;
  }
  return armdyn_find_sweep_modes(&sweep, sweep.window_count, out, error);
}

/* Zeros of det(M s^2 + D s + K), from those without damping. */
static void truth(const struct run *run, struct armdyn_mode *modes)
{
  double frequency[2];
  const double *M = run->matrix, *G = run->slope, *k = run->elements.stiffness, *d = run->elements.damping;
  armdyn_posture_modes(2, M, k, frequency, NULL);
  for (int m = 0; m < 2; m++) {
    double complex s = I * 2 * PI * frequency[m];
    for (int step = 0; step < 30; step++) {
      const double complex a = M[0] * s * s + d[0] * s + k[0] + G[0], c = M[3] * s * s + d[1] * s + k[1] + G[3];
      const double complex b = M[1] * s * s + G[1];
      const double complex ad = 2 * M[0] * s + d[0], cd = 2 * M[3] * s + d[1], bd = 2 * M[1] * s;
      s -= (a * c - b * b) / (ad * c + a * cd - 2 * b * bd);
    }
    modes[m] = (struct armdyn_mode){ cabs(s) / (2 * PI), -creal(s) / cabs(s) };
  }
}

/* An arm by dice: where it stands, what it carries, its gears. Its modes are those of all gears that give. */
static void draw(struct run *run, uint64_t *dice, size_t c, bool both)
{
  const double q[2] = { 0.3, random_symmetric(dice) * 2 }, load = 2 * random_unit(dice);
  const double k = 4000 + 5000 * random_unit(dice), d = 1 + 2 * random_unit(dice);
  const double outer[2] = { 2000 + 3000 * random_unit(dice), 1 + random_unit(dice) };
  const size_t joint = c % 2;
  const double stiffness[2] = { both || !joint ? k : 0, both ? outer[0] : joint ? k : 0 };
  const double damping[2] = { both || !joint ? d : 0, both ? outer[1] : joint ? d : 0 };
  *run = (struct run){ .n = 2,
                       .chirp = { 2, 40, 20 },
                       .amplitude = 0.06,
                       .resolution = 2 * PI / 16384,
                       .noise = 0.2,
                       .joint = joint,
                       .both = both,
                       .coulomb = c & 2 ? 2 : 0,
                       .upright = both && c & 1 };
  run_open(run, 0.8, q, load, stiffness, damping);
  play(run, both ? 44 : 22, c + 1);
}

/* One gear: w^2 = k / M and 2 z w = d / M in closed form. */
Test(sweep, one_gear)
{
  static struct run run;
  uint64_t dice = random_from_seed(5);
  for (size_t c = 0; c < 3; c++) {
    struct armdyn_sweep_modes out;
    struct armdyn_error error = { 0 };
    draw(&run, &dice, c, false);
    const double M = run.matrix[3 * run.joint], k = run.elements.stiffness[run.joint], w = sqrt(k / M);
    const double z = run.elements.damping[run.joint] * w / k / 2;
    cr_assert_eq(look(&run, &out, &error), ARMDYN_OK, "%s", error.message);
    cr_assert_float_eq(out.seen.modes[0].frequency, w / (2 * PI), 0.01 * w / (2 * PI));
    cr_assert_float_eq(out.seen.modes[0].damping, z, 0.1 * z);
    cr_assert_float_eq(out.gears[run.joint].inertia, 0.8, 0.02);
    cr_assert_float_eq(out.gears[run.joint].coulomb, run.coulomb, 0.6);
    cr_assert_float_eq(out.inertia_scale, 1, 0.02);
    cr_assert_float_eq(out.delay, 0.0005, 0.0001);
    run_close(&run);
  }
}

/* Two gears that swing together: of postures and loads by dice, against the zeros of det(M s^2 + D s + K). */
static size_t both_gears(size_t draws, uint64_t seed)
{
  static struct run run;
  size_t inside = 0;
  uint64_t dice = random_from_seed(seed);
  for (size_t c = 0; c < draws; c++) {
    struct armdyn_sweep_modes out;
    struct armdyn_error error = { 0 };
    struct armdyn_mode real[2];
    draw(&run, &dice, c, true);
    truth(&run, real);
    cr_assert_eq(look(&run, &out, &error), ARMDYN_OK, "%s", error.message);
    for (size_t m = 0; m < 2; m++) {
      const double off = out.seen.modes[m].frequency - real[m].frequency,
                   by = out.seen.modes[m].damping - real[m].damping;
      cr_assert_lt(fabs(off), 0.01 * real[m].frequency);
      cr_assert_lt(fabs(by), 0.1 * real[m].damping);
      inside += fabs(off) < 2 * out.seen.frequency_deviation[m];
      inside += fabs(by) < 2 * out.seen.damping_deviation[m];
    }
    run_close(&run);
  }
  return inside;
}

/* 95 % are expected within two deviations; of draws 3 and 4 both joints show the same mode best. */
Test(sweep, two_gears_by_encoders_of_14_bits)
{
  const size_t draws = 8, inside = both_gears(draws, 8);
  cr_assert_geq(inside, 27, "%zu of %zu", inside, 4 * draws);
}

/* Of three joints that were swept one is rigid, which shows the modes of the others: it is told to be, and the
 * others' gears. */
Test(sweep, a_rigid_joint_among_others)
{
  static struct run run;
  const double stiffness[LINKS] = { 9000, 0, 900 }, damping[LINKS] = { 3, 0, 0.4 };
  struct armdyn_sweep_modes out;
  struct armdyn_error error = { 0 };
  run = (struct run){
    .n = LINKS, .chirp = { 2, 60, 20 }, .amplitude = 0.06, .resolution = 2 * PI / 16384, .noise = 0.2, .both = true
  };
  run_open(&run, 0.8, (const double[]){ 0.2, 1.1, 0.7 }, 0.5, stiffness, damping);
  play(&run, 66, 2);
  cr_assert_eq(look(&run, &out, &error), ARMDYN_OK, "%s", error.message);
  cr_assert(isinf(out.gears[1].stiffness));
  for (size_t j = 0; j < LINKS; j += 2) {
    cr_assert_float_eq(out.gears[j].stiffness, stiffness[j], 0.02 * stiffness[j]);
    cr_assert_float_eq(out.gears[j].damping, damping[j], 0.1 * damping[j]);
  }
  run_close(&run);
}

/* ---- what tells nothing */

static void refuse(struct run *run, const char *words)
{
  struct armdyn_sweep_modes out;
  struct armdyn_error error = { 0 };
  const enum armdyn_status status = look(run, &out, &error);
  cr_assert_eq(status, ARMDYN_EINPUT, "%s: %d", words, status);
  cr_assert(strstr(error.message, words) != NULL, "%s", error.message);
}

Test(sweep, refusals_say_what_to_do)
{
  static struct run run;
  uint64_t dice = random_from_seed(5);
  draw(&run, &dice, 0, false);
  static double seen[MOST];
  for (size_t k = 0; k < run.count; k++) seen[k] = run.q[2 * k], run.q[2 * k] = run.q[0];
  refuse(&run, "joint 1 moving by 0 from 0 s on");
  for (size_t k = 0; k < run.count; k++) run.q[2 * k] = seen[k];
  run.chirp.to = 300;
  refuse(&run, "at least 1200, 4 times");
  run.chirp.to = 40;
  const double from = run.chirp.from;
  run.chirp.from = 39.9;
  refuse(&run, "of a joint's chirp");
  run.chirp.from = from;
  for (size_t k = 0; k < run.count; k++) run.tau[2 * k] = 0;
  refuse(&run, "has no torque of joint 1");
  run_close(&run);

  /* a quarter of the amplitude: rounding is no noise */
  dice = random_from_seed(5);
  draw(&run, &dice, 0, false);
  run.amplitude /= 4;
  play(&run, 22, 1);
  refuse(&run, "steps of its encoder where it passes its mode");
  run_close(&run);

  /* a rigid gear; one whose mode is above the band; encoders of 10 bits */
  const char *words[] = { "no gear of joint 1 that gives from 2 to 40 Hz", "not over its mode near",
                          "positions in steps of" };
  for (int c = 0; c < 3; c++) {
    run = (struct run){ .n = 2,
                        .chirp = { 2, c == 1 ? 8 : 40, 10 },
                        .amplitude = 0.03,
                        .resolution = 2 * PI / (c == 2 ? 1024 : 16384),
                        .noise = 0.2 };
    run_open(&run, 0.8, (const double[]){ 0, 1 }, 1, (const double[]){ c ? 6000 : 0, 0 },
             (const double[]){ c ? 2 : 0, 0 });
    play(&run, 12, 3);
    refuse(&run, words[c]);
    run_close(&run);
  }
}
