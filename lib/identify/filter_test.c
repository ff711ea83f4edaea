/* Of each joint, by itself:
 *   columns      X (m), instruments Z (m, the same columns of another path), torque y
 *   estimate     beta = (X'X)^-1 X'y, and what it predicts p = X beta
 *   first stage  v = p - Z gamma, gamma = (Z'Z)^-1 Z'p: what the instruments do not explain of the prediction
 *   augmented    y = X beta + v rho + e; of the projections v~ = v - X (X'X)^-1 X'v and e = y - X beta is rho = v~'e / v~'v~
 *   score        s_k = v~_k e_k, whose sum is 0 but for noise if rho is
 *   all joints   W = S' M^-1 S, S the sums, M their covariance (lib/identify/scores.h); W / n is F distributed
 * One added column a joint, the one along its own estimate, instead of one for each of X: that is where attenuation by noise
 * and by a filter both show, and so few degrees of freedom keep the size of the test.
 * Sources: in armdyn/filter_test.h. */
#include "armdyn/filter_test.h"

#include <math.h>

#include "lib/identify/paired.h"
#include "lib/identify/scores.h"
#include "lib/math/distribution.h"
#include "lib/math/linear.h"

static const double RIDGE = 1e-11;       /* of a column's square */
static const double UNEXPLAINED = 1e-12; /* of the prediction's square: less is rounding */
static const double NYQUIST = 2;         /* samples a period of the cut-off */

/* -- cut-offs -- */

static const double INSTRUMENTS = 3, APART = 1.5; /* of the motion's bandwidth; a factor between cut-offs */

double armdyn_instrument_cutoff(double cutoff, double bandwidth, double rate)
{
  const double most = 0.2 * rate, wished = fmin(INSTRUMENTS * bandwidth, most);
  if (!(cutoff > 0)) return wished;
  const double apart = fmax(wished / cutoff, cutoff / wished);
  if (apart >= APART) return wished;
  const double above = APART * cutoff;
  return above < 0.4 * rate ? above : cutoff / APART;
}

/* -- samples of both sources -- */

struct joint_test {
  size_t m;
  double *gram;                                        /* (2 m + 1)^2: products of X, Z and y */
  double *beta, *along;                                /* m: the estimate; X (X'X)^-1 X'Z gamma in columns of X */
  double *gamma;                                       /* m */
  double rows, left, last, lagged, power, unexplained; /* of the second reading */
  bool tested;
  size_t place; /* among the tested */
};

struct filter_test {
  const struct armdyn_unknowns *unknowns;
  struct paired paired;
  struct joint_test joints[ARMDYN_JOINTS_MAX];
  double *row; /* X, Z and y of a joint */
  void (*take)(struct filter_test *t, size_t joint);
  struct scores scores;
  double score[ARMDYN_JOINTS_MAX];
  size_t tested;
};

static void take_joint(void *context, size_t joint, const double *x, const double *z)
{
  struct filter_test *t = context;
  const size_t m = t->joints[joint].m;
  memcpy(t->row, x, m * sizeof *x);
  memcpy(t->row + m, z, m * sizeof *z);
  t->row[2 * m] = x[m];
  t->take(t, joint);
}

static void end_sample(void *context)
{
  struct filter_test *t = context;
  if (t->scores.T) scores_add(&t->scores, t->score);
}

static enum armdyn_status walk(struct filter_test *t, void (*take)(struct filter_test *t, size_t joint),
                               struct armdyn_error *error)
{
  const struct paired_taker taker = { take_joint, end_sample, t };
  t->take = take;
  return paired_walk(&t->paired, &taker, error);
}

/* -- the three readings -- */

static void take_products(struct filter_test *t, size_t joint)
{
  struct joint_test *j = &t->joints[joint];
  const size_t w = 2 * j->m + 1;
  for (size_t a = 0; a < w; a++)
    for (size_t b = 0; b <= a; b++) j->gram[a * w + b] += t->row[a] * t->row[b];
}

/* The projection v~ and the residual e of the row at hand. */
static void residuals(const struct filter_test *t, size_t joint, double *v, double *e)
{
  const struct joint_test *j = &t->joints[joint];
  *v = 0;
  *e = t->row[2 * j->m];
  for (size_t c = 0; c < j->m; c++) {
    *v += t->row[c] * j->along[c] - t->row[j->m + c] * j->gamma[c];
    *e -= t->row[c] * j->beta[c];
  }
}

static void take_correlations(struct filter_test *t, size_t joint)
{
  struct joint_test *j = &t->joints[joint];
  double v, e, p = 0;
  residuals(t, joint, &v, &e);
  for (size_t c = 0; c < j->m; c++) p += t->row[c] * j->beta[c];
  const double s = v * e;
  j->lagged += s * j->last;
  j->left += s * s;
  j->last = s;
  j->power += p * p;
  j->unexplained += v * v;
}

static void take_scores(struct filter_test *t, size_t joint)
{
  double v, e;
  residuals(t, joint, &v, &e);
  const struct joint_test *j = &t->joints[joint];
  const double scale = j->left > 0 ? 1 / sqrt(j->left) : 0; /* joints of torques and forces alike */
  if (j->tested) t->score[j->place] = v * e * scale;
}

/* -- solving -- */

/* x <- A^-1 x of the m x m block of the products that begins at `first`. */
static bool solve(const struct joint_test *j, size_t first, double *x)
{
  const size_t m = j->m, w = 2 * m + 1;
  double *A = malloc((m * m + m + 1) * sizeof *A), *scale = A ? A + m * m : NULL;
  if (!A) return false;
  for (size_t a = 0; a < m; a++) {
    for (size_t b = 0; b <= a; b++) A[a * m + b] = A[b * m + a] = j->gram[(first + a) * w + first + b];
    A[a * m + a] = A[a * m + a] > 0 ? A[a * m + a] * (1 + RIDGE) : 1;
  }
  const bool solved = scaled_cholesky_factor(m, A, scale);
  if (solved) scaled_cholesky_solve(m, A, scale, x);
  free(A);
  return solved;
}

static bool estimate(struct joint_test *j)
{
  const size_t m = j->m, w = 2 * m + 1;
  for (size_t c = 0; c < m; c++) j->beta[c] = j->gram[2 * m * w + c];
  if (!solve(j, 0, j->beta)) return false;
  for (size_t c = 0; c < m; c++) {
    j->gamma[c] = 0;
    for (size_t a = 0; a < m; a++) j->gamma[c] += j->gram[(m + c) * w + a] * j->beta[a];
  }
  if (!solve(j, m, j->gamma)) return false;
  for (size_t c = 0; c < m; c++) {
    j->along[c] = 0;
    for (size_t a = 0; a < m; a++) j->along[c] += j->gram[(m + a) * w + c] * j->gamma[a];
  }
  return solve(j, 0, j->along);
}

/* How many samples count as one, the most of the joints. */
static double correlation_of(struct filter_test *t)
{
  double most = 1;
  for (size_t i = 0; i < t->unknowns->n; i++) {
    struct joint_test *j = &t->joints[i];
    j->tested = j->unexplained > UNEXPLAINED * j->power && j->left > 0;
    if (!j->tested) continue;
    const double rho = fmin(fmax(j->lagged / j->left, 0), 0.99);
    most = fmax(most, (1 + rho) / (1 - rho));
    j->place = t->tested++;
  }
  return most;
}

static void conclude(struct filter_test *t, double correlation, struct armdyn_filter_test *out)
{
  const size_t n = t->scores.b;
  double M[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX] = { 0 }, x[ARMDYN_JOINTS_MAX] = { 0 }, scale[ARMDYN_JOINTS_MAX],
                               W = 0;
  size_t columns = 0;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      M[a * n + b] = 0;
      for (size_t k = 0; k <= (a < b ? a : b); k++) M[a * n + b] += t->scores.T[k * n + a] * t->scores.T[k * n + b];
    }
  for (size_t i = 0; i < t->unknowns->n; i++) columns = t->joints[i].m > columns ? t->joints[i].m : columns;
  const double samples = (double)t->paired.taken, freedom = samples / correlation - (double)columns;
  const double lost = fmax(1 - (double)columns / samples, 0.1); /* residuals are as much too small */
  for (size_t i = 0; i < t->unknowns->n; i++) {
    const size_t at = t->joints[i].place;
    if (!t->joints[i].tested) continue;
    out->t[i] = t->scores.total[at] / sqrt(M[at * n + at] / lost);
    x[at] = t->scores.total[at];
  }
  memcpy(scale, x, n * sizeof *x);
  double factor[ARMDYN_JOINTS_MAX];
  if (!(freedom > 1) || !scaled_cholesky_factor(n, M, factor)) return;
  scaled_cholesky_solve(n, M, factor, x);
  for (size_t i = 0; i < n; i++) W += x[i] * scale[i];
  out->statistic = W * lost / (double)n;
  out->denominator = freedom;
  out->p = f_distribution_tail(out->statistic, out->numerator, freedom);
}

/* -- the test -- */

static enum armdyn_status open_test(struct filter_test *t)
{
  size_t widest = 0;
  for (size_t i = 0; i < t->unknowns->n; i++) {
    struct joint_test *j = &t->joints[i];
    const size_t m = j->m = t->paired.X->joints[i].count;
    j->gram = calloc((2 * m + 1) * (2 * m + 1), sizeof *j->gram);
    j->beta = calloc(3 * m + 1, sizeof *j->beta);
    if (!j->gram || !j->beta) return ARMDYN_EMEMORY;
    j->along = j->beta + m;
    j->gamma = j->along + m;
    widest = m > widest ? m : widest;
  }
  t->row = malloc((2 * widest + 1) * sizeof *t->row);
  return t->row ? ARMDYN_OK : ARMDYN_EMEMORY;
}

static void close_test(struct filter_test *t)
{
  for (size_t i = 0; i < ARMDYN_JOINTS_MAX; i++) {
    free(t->joints[i].gram);
    free(t->joints[i].beta);
  }
  scores_close(&t->scores);
  paired_close(&t->paired);
  free(t->row);
}

static enum armdyn_status read_stride(struct filter_test *t, struct armdyn_error *error)
{
  struct armdyn_motion first;
  const struct armdyn_source *source = t->paired.source;
  const enum armdyn_status status = source->read(source->context, 0, &first, error);
  if (status) return status;
  const double wanted = first.torque_cutoff > 0 ? first.rate / (NYQUIST * first.torque_cutoff) : 1;
  t->paired.stride = wanted > 1 ? (size_t)wanted : 1;
  return ARMDYN_OK;
}

enum armdyn_status armdyn_test_filters(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                       const struct armdyn_source *instruments, struct armdyn_filter_test *out,
                                       struct armdyn_error *error)
{
  struct filter_test t = { .unknowns = unknowns };
  *out = (struct armdyn_filter_test){ .statistic = NAN, .p = NAN };
  for (size_t i = 0; i < ARMDYN_JOINTS_MAX; i++) out->t[i] = NAN;
  enum armdyn_status status = paired_open(unknowns, source, instruments, &t.paired);
  if (!status) status = open_test(&t);
  if (!status) status = read_stride(&t, error);
  if (!status) status = walk(&t, take_products, error);
  for (size_t i = 0; i < unknowns->n && !status; i++)
    if (!estimate(&t.joints[i])) status = ARMDYN_EMEMORY;
  if (!status) status = walk(&t, take_correlations, error);
  const double correlation = status ? 1 : correlation_of(&t);
  out->samples = t.paired.taken;
  out->numerator = (double)t.tested;
  if (!status && t.tested > 0) {
    if (!scores_open(t.tested, scores_window((double)t.paired.taken, correlation), &t.scores)) status = ARMDYN_EMEMORY;
    if (!status) status = walk(&t, take_scores, error);
    if (!status) scores_end(&t.scores);
    if (!status) conclude(&t, correlation, out);
  }
  close_test(&t);
  return status;
}
