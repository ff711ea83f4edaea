/* The sums that friction is chosen from are those of its columns' products, written here as the formulas of the terms. */
#include "lib/identify/candidates.h"
#include "tests/support/simulated.h"

enum { SAMPLES = 900, FOLDS = 3 };

/* Of one joint's friction, for columns by their meaning. */
static double column_at(const struct joint_candidates *j, const struct armdyn_joint *joint, size_t column, double q,
                        double v, double load)
{
  const double s = v < 0 ? -1 : v > 0;
  const bool backward = (column - COLUMN_VISCOUS) % 2;
  if (column < COLUMN_VISCOUS)
    return (const double[]){ 1, v * v * s, s * pow(fabs(v), 1.0 / 3), s * fabs(load) }[column];
  if (column >= COLUMN_LINES) {
    const struct armdyn_ripple *line = &joint->friction.ripples[column - COLUMN_LINES];
    return sin(line->order * joint->drive.gear_ratio * q + line->phase);
  }
  if (backward != (v < 0)) return 0;
  if (column < COLUMN_SIGN) return v;
  if (column < COLUMN_FALLEN) return tanh(v / j->scale[(column - COLUMN_SIGN) / 2]);
  const struct shape *shape = &j->shapes.list[(column - COLUMN_FALLEN) / 2];
  return (column - COLUMN_FALLEN) / 2 < j->shapes.count
             ? s * (1 - exp(-pow(fabs(v) / shape->velocity, shape->exponent)))
             : 0;
}

static struct armdyn_motion random_motion(size_t count)
{
  struct armdyn_motion motion = { .count = count, .rate = 100 };
  struct dice dice = { 6 };
  double *all = malloc(4 * count * N * sizeof *all);
  cr_assert_not_null(all);
  motion.q = all, motion.qd = all + count * N, motion.qdd = all + 2 * count * N,
  motion.tau = motion.tau_raw = all + 3 * count * N;
  dice_fill(&dice, all, 4 * count * N, -2, 2);
  motion.qd[N] = 0; /* one that stands still */
  return motion;
}

Test(candidates, sums_are_those_of_the_columns)
{
  struct armdyn_robot *robot = scara();
  const struct armdyn_robot_description *d = armdyn_robot_description(robot);
  struct armdyn_motion motion = random_motion(SAMPLES);
  const struct armdyn_source source = { SAMPLES, 1, read_one, &motion };
  const double fastest[N] = { 2, 2, 2, 2 };
  const struct armdyn_load bare = { .frictionless = true };
  struct shapes shapes[N];
  struct candidates c;
  for (size_t i = 0; i < N; i++) shapes[i] = shapes_first(&d->joints[i], fastest[i]);
  cr_assert(shapes[0].count == SHAPES && shapes[1].count == 1, "the second has a Stribeck velocity of its own");
  cr_assert_eq(candidates_open(robot, robot, ARMDYN_ROTORS_ALL, &source, fastest, shapes, FOLDS, &c, NULL), ARMDYN_OK);
  cr_assert(c.samples[0] == SAMPLES / FOLDS && c.samples[1] == SAMPLES / FOLDS && c.samples[2] == SAMPLES / FOLDS);
  for (size_t i = 0; i < N; i++) {
    const struct joint_candidates *j = &c.joints[i];
    cr_assert_eq(j->columns, COLUMN_LINES + d->joints[i].friction.ripple_count);
    double *expected = calloc((FOLDS + 1) * j->columns * j->columns, sizeof *expected);
    double *torques = calloc(j->columns, sizeof *torques);
    for (size_t k = 0; k < SAMPLES; k++) {
      double row[COLUMNS_MOST], load[N];
      const double *q = motion.q + k * N, *qd = motion.qd + k * N, *qdd = motion.qdd + k * N;
      armdyn_inverse_dynamics(robot, q, qd, qdd, &bare, NULL, load);
      for (size_t a = 0; a < j->columns; a++) row[a] = column_at(j, &d->joints[i], a, q[i], qd[i], load[i]);
      for (size_t a = 0; a < j->columns; a++) {
        torques[a] += row[a] * motion.tau[k * N + i];
        for (size_t b = 0; b < j->columns; b++) {
          expected[(k * FOLDS / SAMPLES * j->columns + a) * j->columns + b] += row[a] * row[b];
          if (fabs(qd[i]) > 0.6 * fastest[i]) expected[(FOLDS * j->columns + a) * j->columns + b] += row[a] * row[b];
        }
      }
    }
    for (size_t a = 0; a < j->columns; a++) {
      const size_t row = (j->rigid + a) * j->width + j->rigid;
      cr_assert_float_eq(j->all[row + j->columns], torques[a], 1e-9 * SAMPLES, "column %zu with the torque", a);
      for (size_t b = 0; b < j->columns; b++) {
        double sum = 0;
        for (size_t f = 0; f < FOLDS; f++) {
          const double one = expected[(f * j->columns + a) * j->columns + b];
          cr_assert_float_eq(j->sums[f][row + b], one, 1e-9 * SAMPLES, "part %zu, columns %zu and %zu: %.15g, %.15g", f,
                             a, b, j->sums[f][row + b], one);
          sum += one;
        }
        cr_assert_float_eq(j->all[row + b], sum, 1e-9 * SAMPLES);
        cr_assert_float_eq(j->of_fast[row + b], expected[(FOLDS * j->columns + a) * j->columns + b], 1e-9 * SAMPLES);
      }
    }
    free(torques);
    free(expected);
  }
  candidates_close(&c);
  free(motion.q);
  armdyn_robot_free(robot);
}

/* Grids of Stribeck velocities: an octave apart from 1 to 32 % with either exponent, then closer about the best of each. */
Test(candidates, shapes)
{
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  const struct shapes first = shapes_first(&joint, 4);
  cr_assert_eq(first.count, 12);
  for (size_t k = 0; k < 12; k++) {
    cr_assert_float_eq(first.list[k].velocity, 0.04 * (1 << k % 6), 1e-12);
    cr_assert_eq(first.list[k].exponent, k < 6 ? 2 : 1);
  }
  const struct shapes about = shapes_about((const double[2]){ 0.1, 0.5 }, 0.25);
  cr_assert_eq(about.count, 12);
  for (size_t k = 0; k < 12; k++) {
    cr_assert_eq(about.list[k].exponent, k < 6 ? 1 : 2);
    if (k % 6) cr_assert_float_eq(about.list[k].velocity / about.list[k - 1].velocity, exp2(0.25), 1e-12);
  }
  cr_assert_float_eq(sqrt(about.list[2].velocity * about.list[3].velocity), 0.1, 1e-12);
  cr_assert_float_eq(sqrt(about.list[8].velocity * about.list[9].velocity), 0.5, 1e-12);
  joint.friction.stribeck_velocity = 0.7;
  joint.friction.stribeck_exponent = 1.5;
  const struct shapes own = shapes_first(&joint, 4);
  cr_assert(own.count == 1 && own.list[0].velocity == 0.7 && own.list[0].exponent == 1.5);
}
