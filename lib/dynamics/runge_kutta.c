#include "lib/dynamics/runge_kutta.h"

#include <string.h>

#include "lib/dynamics/arkode.h"

/* RK8(7)13M of Prince & Dormand, High order embedded Runge-Kutta formulae, J. Comput. Appl. Math. 7 (1981). Its rationals meet
 * the conditions of order 8, and of order 7 for the solution it is compared with, to 1e-17.
 *
 * Fehlberg's pair, which is ARKODE's own of this order, compares two stages at the begin of the step and two at its end: where
 * accelerations depend on time alone, or friction is as large at both ends, it finds no error whatever the step. */
enum { STAGES = 13, EMBEDDED_STAGES = 12 };
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

/* Behind them one stage without weight, at the solution: it is the first stage of the next step, so it costs nothing.
 * ARKODE 6.4 takes every last stage at the end of a step for such a one, and with a pair that ends otherwise loses an order. */
int runge_kutta_set(void *stepper)
{
  ARKodeButcherTable table = ARKodeButcherTable_Alloc(STAGES + 1, SUNTRUE);
  if (!table) return ARK_MEM_FAIL;
  table->q = 8;
  table->p = 7;
  for (int i = 1; i < STAGES; i++) memcpy(table->A[i], stages[i - 1], (size_t)i * sizeof(double));
  memcpy(table->A[STAGES], weights, sizeof weights);
  memcpy(table->c, nodes, sizeof nodes);
  table->c[STAGES] = 1;
  memcpy(table->b, weights, sizeof weights);
  memcpy(table->d, embedded, sizeof embedded);
  const int rc = ERKStepSetTable(stepper, table);
  ARKodeButcherTable_Free(table);
  return rc;
}
