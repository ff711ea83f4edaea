#include "lib/dynamics/runge_kutta.h"

#include <math.h>
#include <string.h>

/* RK8(7)13M of Prince & Dormand, High order embedded Runge-Kutta formulae, J. Comput. Appl. Math. 7 (1981). Its rationals
 * meet the conditions of order 8, and of order 7 for the solution it is compared with, to 1e-17. The lengths of steps:
 * Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.4.
 *
 * Fehlberg's pair of the same orders compares two stages at the begin of the step and two at its end: where accelerations
 * depend on time alone, or friction is as large at both ends, it finds no error whatever the step. */
enum { STAGES = RUNGE_KUTTA_STAGES, EMBEDDED_STAGES = 12 };
/* clang-format off */
static const double nodes[STAGES] = {
  0, 1.0 / 18, 1.0 / 12, 1.0 / 8, 5.0 / 16, 3.0 / 8, 59.0 / 400, 93.0 / 200, 5490023248.0 / 9719169821, 13.0 / 20,
  1201146811.0 / 1299019798, 1, 1
};
static const double stages[STAGES - 1][STAGES - 1] = {
  { 1.0 / 18 },
  { 1.0 / 48, 1.0 / 16 },
  { 1.0 / 32, 0, 3.0 / 32 },
  { 5.0 / 16, 0, -75.0 / 64, 75.0 / 64 },
  { 3.0 / 80, 0, 0, 3.0 / 16, 3.0 / 20 },
  { 29443841.0 / 614563906, 0, 0, 77736538.0 / 692538347, -28693883.0 / 1125000000, 23124283.0 / 1800000000 },
  { 16016141.0 / 946692911, 0, 0, 61564180.0 / 158732637, 22789713.0 / 633445777, 545815736.0 / 2771057229,
    -180193667.0 / 1043307555 },
  { 39632708.0 / 573591083, 0, 0, -433636366.0 / 683701615, -421739975.0 / 2616292301, 100302831.0 / 723423059,
    790204164.0 / 839813087, 800635310.0 / 3783071287 },
  { 246121993.0 / 1340847787, 0, 0, -37695042795.0 / 15268766246, -309121744.0 / 1061227803, -12992083.0 / 490766935,
    6005943493.0 / 2108947869, 393006217.0 / 1396673457, 123872331.0 / 1001029789 },
  { -1028468189.0 / 846180014, 0, 0, 8478235783.0 / 508512852, 1311729495.0 / 1432422823, -10304129995.0 / 1701304382,
    -48777925059.0 / 3047939560, 15336726248.0 / 1032824649, -45442868181.0 / 3398467696, 3065993473.0 / 597172653 },
  { 185892177.0 / 718116043, 0, 0, -3185094517.0 / 667107341, -477755414.0 / 1098053517, -703635378.0 / 230739211,
    5731566787.0 / 1027545527, 5232866602.0 / 850066563, -4093664535.0 / 808688257, 3962137247.0 / 1805957418,
    65686358.0 / 487910083 },
  { 403863854.0 / 491063109, 0, 0, -5068492393.0 / 434740067, -411421997.0 / 543043805, 652783627.0 / 914296604,
    11173962825.0 / 925320556, -13158990841.0 / 6184727034, 3936647629.0 / 1978049680, -160528059.0 / 685178525,
    248638103.0 / 1413531060 },
};
static const double weights[STAGES] = {
  14005451.0 / 335480064, 0, 0, 0, 0, -59238493.0 / 1068277825, 181606767.0 / 758867731, 561292985.0 / 797845732,
  -1041891430.0 / 1371343529, 760417239.0 / 1151165299, 118820643.0 / 751138087, -528747749.0 / 2220607170, 1.0 / 4
};
static const double embedded[EMBEDDED_STAGES] = {
  13451932.0 / 455176623, 0, 0, 0, 0, -808719846.0 / 976000145, 1757004468.0 / 5645159321, 656045339.0 / 265891186,
  -3867574721.0 / 1518517206, 465885868.0 / 322736535, 53011238.0 / 667516719, 2.0 / 45
};
/* clang-format on */

/* Where friction turns, a step may have to become many thousand times shorter at once. */
enum { REFUSED_IN_A_ROW = 20 };
static const double ORDER = 8, SAFETY = 0.9, SHORTER_MOST = 0.1, LONGER_MOST = 6;
/* Where stability, not accuracy, bounds the step, a factor that knows the error before does not swing. */
static const double DAMPING = 0.04, ERROR_LEAST = 1e-4;

/* out = sum of weights[j] rates[j] */
static void weigh(const struct runge_kutta *r, const double *weight, size_t count, double *out)
{
  memset(out, 0, r->size * sizeof *out);
  for (size_t j = 0; j < count; j++) {
    if (weight[j] == 0) continue;
    for (size_t i = 0; i < r->size; i++) out[i] += weight[j] * r->rates[j][i];
  }
}

/* trial = state + h (sum of weights[j] rates[j]) */
static void try_state(struct runge_kutta *r, double h, const double *weight, size_t count)
{
  weigh(r, weight, count, r->trial);
  for (size_t i = 0; i < r->size; i++) r->trial[i] = r->state[i] + h * r->trial[i];
}

static enum runge_kutta_status rate_at(struct runge_kutta *r, double t, const double *state, double *rate)
{
  if (!r->rate(r->context, t, state, rate)) return RUNGE_KUTTA_NO_RATE;
  for (size_t i = 0; i < r->size; i++) {
    if (!isfinite(rate[i])) return RUNGE_KUTTA_TOO_LONG;
  }
  return RUNGE_KUTTA_OK;
}

/* The state at t + h into r->trial. */
static enum runge_kutta_status try_step(struct runge_kutta *r, double t, double h)
{
  enum runge_kutta_status rc = r->begun ? RUNGE_KUTTA_OK : rate_at(r, t, r->state, r->rates[0]);
  r->begun = !rc;
  for (size_t k = 1; k < STAGES && !rc; k++) {
    try_state(r, h, stages[k - 1], k);
    rc = rate_at(r, t + nodes[k] * h, r->trial, r->rates[k]);
  }
  if (!rc) try_state(r, h, weights, STAGES);
  return rc;
}

/* Root of the mean square of what is measured by the tolerance there. */
static double measured(const struct runge_kutta *r, const double *what)
{
  double sum = 0;
  for (size_t i = 0; i < r->size; i++) {
    const double one = what[i] / (r->absolute + r->relative * fabs(r->state[i]));
    sum += one * one;
  }
  return sqrt(sum / (double)r->size);
}

/* Of the step that was tried: 1 is as large as allowed. */
static double error_of(const struct runge_kutta *r, double h)
{
  double difference[STAGES], error[RUNGE_KUTTA_STATES_MAX];
  for (size_t j = 0; j < STAGES; j++) difference[j] = h * (weights[j] - (j < EMBEDDED_STAGES ? embedded[j] : 0));
  weigh(r, difference, STAGES, error);
  return measured(r, error);
}

/* A first step whose error of Euler's method would be small. */
static enum runge_kutta_status first_length(struct runge_kutta *r, double t, double longest)
{
  const enum runge_kutta_status rc = rate_at(r, t, r->state, r->rates[0]);
  if (rc) return rc;
  r->begun = true;
  r->error_before = ERROR_LEAST;
  const double state = measured(r, r->state), rate = measured(r, r->rates[0]);
  const double small = fmin(state < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * state / rate, longest);
  r->length = small;
  try_state(r, small, (double[]){ 1 }, 1);
  if (rate_at(r, t + small, r->trial, r->rates[1])) return RUNGE_KUTTA_OK;
  for (size_t i = 0; i < r->size; i++) r->trial[i] = (r->rates[1][i] - r->rates[0][i]) / small;
  const double most = fmax(rate, measured(r, r->trial));
  r->length = fmin(100 * small, most < 1e-15 ? fmax(1e-6, small * 1e-3) : pow(0.01 / most, 1 / ORDER));
  return RUNGE_KUTTA_OK;
}

static void take(struct runge_kutta *r)
{
  memcpy(r->state, r->trial, r->size * sizeof *r->state);
  r->begun = false;
  r->steps++;
}

enum runge_kutta_status runge_kutta_fixed(struct runge_kutta *r, double t, double h)
{
  const enum runge_kutta_status rc = try_step(r, t, h);
  if (!rc) take(r);
  return rc;
}

enum runge_kutta_status runge_kutta_adaptive(struct runge_kutta *r, double *t, double to)
{
  enum runge_kutta_status rc = r->length > 0 ? RUNGE_KUTTA_OK : first_length(r, *t, to - *t);
  for (int refused = 0; rc != RUNGE_KUTTA_NO_RATE && refused <= REFUSED_IN_A_ROW; refused++) {
    /* What is left, in equal parts: no last step is a sliver. */
    const double parts = ceil((to - *t) / r->length), h = (to - *t) / parts;
    if (h < r->shortest && parts > 1) break;
    rc = try_step(r, *t, h);
    const double error = rc ? INFINITY : error_of(r, h);
    if (error <= 1) {
      const double factor = SAFETY * pow(error, DAMPING / 5 - 1 / ORDER) * pow(r->error_before, DAMPING);
      r->length = h * fmax(SHORTER_MOST, fmin(factor, refused ? 1 : LONGER_MOST));
      r->error_before = fmax(error, ERROR_LEAST);
      *t = parts > 1 ? *t + h : to;
      take(r);
      return RUNGE_KUTTA_OK;
    }
    r->length = h * fmax(SHORTER_MOST, SAFETY * pow(error, -1 / ORDER));
  }
  return rc == RUNGE_KUTTA_NO_RATE ? rc : RUNGE_KUTTA_TOO_LONG;
}
