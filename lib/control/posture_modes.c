/* K v = w^2 M v of the elastic joints. With y = K^(1/2) v it is B y = y / w^2, B = K^(-1/2) M K^(-1/2): symmetric, and
 * |y| = 1 makes y_j^2 the share of gear j in the energy of the mode. */
#include "armdyn/posture_modes.h"

#include <math.h>
#include <string.h>

#include "lib/math/linear.h"
#include "lib/math/symmetric.h"

enum { N = ARMDYN_JOINTS_MAX, STEPS = 200, HALVINGS = 30 };
static const double PI = 3.14159265358979323846, DONE = 1e-13, LONGEST = 1;

size_t armdyn_posture_modes(size_t n, const double *mass_matrix, const double *stiffness, double *frequency,
                            double *part)
{
  double B[N * N], inverse[N], vectors[N * N], scratch[3 * N];
  size_t joint[N], e = 0;
  for (size_t j = 0; j < n; j++)
    if (isfinite(stiffness[j])) joint[e++] = j;
  for (size_t a = 0; a < e; a++)
    for (size_t b = 0; b < e; b++)
      B[a * e + b] = mass_matrix[joint[a] * n + joint[b]] / sqrt(stiffness[joint[a]] * stiffness[joint[b]]);
  symmetric_eigen(e, B, inverse, vectors, scratch);
  if (part) memset(part, 0, n * n * sizeof *part);
  for (size_t m = 0; m < e; m++) { /* the largest 1 / w^2 is the lowest mode */
    const double *y = vectors + (e - 1 - m) * e;
    frequency[m] = 1 / (2 * PI * sqrt(inverse[e - 1 - m]));
    for (size_t a = 0; part && a < e; a++) part[m * n + joint[a]] = y[a] * y[a];
  }
  return e;
}

/* ---- the fit */

struct fit {
  size_t n, count, e, joint[N];
  const struct armdyn_sight *sights;
  double normal[N * N], right[N]; /* of the elastic joints */
};

/* Weighted squares of log seen / log f, with their normal equations. */
static double squares(struct fit *f, const double *stiffness, double *plain)
{
  double sum = 0, frequency[N] = { 0 }, part[N * N];
  memset(f->normal, 0, sizeof f->normal);
  memset(f->right, 0, sizeof f->right);
  *plain = 0;
  for (size_t i = 0; i < f->count; i++) {
    const struct armdyn_sight *sight = &f->sights[i];
    const double weight = 1 / (sight->deviation * sight->deviation);
    armdyn_posture_modes(f->n, sight->mass_matrix, stiffness, frequency, part);
    for (size_t m = 0; m < sight->count; m++) {
      const double left = log(sight->frequency[m] / frequency[m]);
      sum += weight * left * left;
      *plain += left * left;
      for (size_t a = 0; a < f->e; a++) {
        const double slope = part[m * f->n + f->joint[a]] / 2;
        f->right[a] += weight * slope * left;
        for (size_t b = 0; b < f->e; b++) f->normal[a * f->e + b] += weight * slope * part[m * f->n + f->joint[b]] / 2;
      }
    }
  }
  return sum;
}

/* Of every joint alone, at the lowest frequency that was seen. */
static void begin(const struct fit *f, double *stiffness)
{
  for (size_t a = 0; a < f->e; a++) {
    double sum = 0;
    for (size_t i = 0; i < f->count; i++) {
      const double w = 2 * PI * f->sights[i].frequency[0];
      sum += log(f->sights[i].mass_matrix[f->joint[a] * (f->n + 1)] * w * w) / (double)f->count;
    }
    stiffness[f->joint[a]] = exp(sum);
  }
}

static enum armdyn_status search(struct fit *f, double *stiffness, double *value, double *plain)
{
  *value = squares(f, stiffness, plain);
  for (int step = 0; step < STEPS; step++) {
    double L[N * N], move[N], longest = 0, trial[N], next = INFINITY;
    memcpy(L, f->normal, sizeof L);
    memcpy(move, f->right, sizeof move);
    for (size_t a = 0; a < f->e; a++) L[a * (f->e + 1)] *= 1 + 1e-9;
    if (!cholesky_factor(f->e, L)) return ARMDYN_ESINGULAR;
    cholesky_solve(f->e, L, move);
    for (size_t a = 0; a < f->e; a++) longest = fmax(longest, fabs(move[a]));
    if (!(longest > DONE)) break;
    double length = fmin(1, LONGEST / longest);
    memcpy(trial, stiffness, f->n * sizeof *trial);
    for (int halving = 0; halving < HALVINGS; halving++, length /= 2) {
      for (size_t a = 0; a < f->e; a++) trial[f->joint[a]] = stiffness[f->joint[a]] * exp(length * move[a]);
      next = squares(f, trial, plain);
      if (next < *value) break;
    }
    if (!(next < *value)) break;
    memcpy(stiffness, trial, f->n * sizeof *trial);
    *value = next;
  }
  *value = squares(f, stiffness, plain);
  return ARMDYN_OK;
}

static enum armdyn_status check(const struct fit *f, size_t seen, struct armdyn_error *error)
{
  for (size_t i = 0; i < f->count; i++)
    if (f->sights[i].count > f->e)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/observations",
                           "observation %zu has %zu frequencies, but %zu joints are elastic", i + 1, f->sights[i].count,
                           f->e);
  if (seen < f->e || !f->e)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/observations", "%zu frequencies do not tell %zu stiffnesses", seen,
                         f->e);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_fit_stiffness(size_t n, const struct armdyn_sight *sights, size_t count, const bool *elastic,
                                        struct armdyn_stiffness_fit *out, struct armdyn_error *error)
{
  struct fit f = { .n = n, .count = count, .sights = sights };
  double value, plain, inverse[N * N];
  size_t seen = 0;
  for (size_t j = 0; j < n; j++) {
    out->stiffness[j] = INFINITY, out->deviation[j] = 0;
    if (elastic[j]) f.joint[f.e++] = j;
  }
  for (size_t i = 0; i < count; i++) seen += sights[i].count;
  enum armdyn_status status = check(&f, seen, error);
  if (status) return status;
  begin(&f, out->stiffness);
  status = search(&f, out->stiffness, &value, &plain);
  if (status || !invert(f.e, f.normal, inverse))
    return armdyn_refuse(error, ARMDYN_ESINGULAR, "/observations",
                         "these postures do not tell the stiffnesses of the joints apart");
  const double spare = (double)seen - (double)f.e, more = spare > 0 ? fmax(1, value / spare) : 1;
  for (size_t a = 0; a < f.e; a++)
    out->deviation[f.joint[a]] = out->stiffness[f.joint[a]] * sqrt(more * inverse[a * (f.e + 1)]);
  out->rms = sqrt(plain / (double)seen);
  return ARMDYN_OK;
}
