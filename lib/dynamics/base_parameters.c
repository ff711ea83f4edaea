/* A column of the regressor that depends on others, Y_d = Y_b X, gives its parameter to theirs: Y_b pi_b + Y_d pi_d =
 * Y_b (pi_b + X pi_d). */
#include <math.h>
#include <stdint.h>

#include "armdyn/regressor.h"
#include "lib/base/carve.h"
#include "lib/base/random.h"
#include "lib/math/qr.h"
#include "lib/model/compiled.h"

/* Less than this of a column, left over by others, is rounding; a coefficient so small mostly is, and is not told. Values have
 * all of them: the few that are none would be missed beyond the ninth digit. */
static const double ROUNDING = 1e-9;

/* Leads are chosen by the length of what is left of a column, times this: so that m, mz and Iyy of a link, which textbooks
 * give to the link before, lead only where nothing else does; and rotors likewise. In the order of the columns. */
static const double preference[] = { 1e-3, 1, 1, 1e-2, 1, 1, 1e-2, 1, 1, 1 };
static const double later_preference = 3e-2;

/* A column of less than this share of the longest of its kind (m; m x, m y, m z; the inertias of a link) leads late. It is
 * mostly a product of small sines, whose rounding is not small beside it: to divide by it would bring that into all. */
static const double SHORT = 1e-2;

struct armdyn_base_parameters {
  size_t count, parameter_count;
  size_t *lead;         /* count */
  double *coefficients; /* count x parameter_count */
  double *values;       /* count */
  char *names;          /* parameter_count x ARMDYN_PARAMETER_NAME_SIZE */
};

/* What finding them takes. */
struct search {
  size_t rows, width;
  double *A;             /* rows x width */
  double *scale, *extra; /* width */
  size_t *order;         /* width */
  struct armdyn_workspace *workspace;
};

static double preference_of(const struct armdyn_robot *robot, const double *length, size_t column)
{
  static const size_t kinds[] = { 0, 1, 1, 1, 2, 2, 2, 2, 2, 2 };
  const size_t kind = column % 10, link = column - kind;
  if (column >= 10 * robot->joint_count) return later_preference;
  double longest = 0;
  for (size_t k = 0; k < 10; k++) {
    if (kinds[k] == kinds[kind]) longest = fmax(longest, length[link + k]);
  }
  return preference[kind] * fmax(SHORT, fmin(1, length[column] / longest / SHORT));
}

/* Regressors at random states, every column as long as its preference; one that is always zero stays so. */
static void sample(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, struct search *s)
{
  const size_t n = robot->joint_count;
  uint64_t seed = 20;
  double x[3 * ARMDYN_JOINTS_MAX], largest = 0;
  for (size_t row = 0; row < s->rows; row += n) {
    for (size_t i = 0; i < n; i++) {
      x[i] = random_symmetric(&seed) * (robot->joints[i].prismatic ? 1 : 3);
      x[n + i] = random_symmetric(&seed) * 2;
      x[2 * n + i] = random_symmetric(&seed) * 5;
    }
    armdyn_regressor(robot, choice, x, x + n, x + 2 * n, s->workspace, s->A + row * s->width);
  }
  memset(s->scale, 0, s->width * sizeof *s->scale);
  for (size_t row = 0; row < s->rows; row++) {
    for (size_t j = 0; j < s->width; j++) s->scale[j] += s->A[row * s->width + j] * s->A[row * s->width + j];
  }
  for (size_t j = 0; j < s->width; j++) largest = fmax(largest, s->scale[j] = sqrt(s->scale[j]));
  for (size_t j = 0; j < s->width; j++) {
    s->extra[j] = s->scale[j] > 1e-13 * largest ? preference_of(robot, s->scale, j) / s->scale[j] : 0;
  }
  memcpy(s->scale, s->extra, s->width * sizeof *s->scale);
  for (size_t row = 0; row < s->rows; row++) {
    for (size_t j = 0; j < s->width; j++) s->A[row * s->width + j] *= s->scale[j];
  }
}

/* Column j of R2 by those of R1, in place: X = R1^-1 R2. */
static void divide_column(const struct search *s, size_t rank, size_t j)
{
  for (size_t k = rank; k-- > 0;) {
    double sum = s->A[k * s->width + j];
    for (size_t i = k + 1; i < rank; i++) sum -= s->A[k * s->width + i] * s->A[i * s->width + j];
    s->A[k * s->width + j] = sum / s->A[k * s->width + k];
  }
}

static bool search_open(const struct armdyn_robot *robot, size_t width, struct search *s)
{
  const size_t n = robot->joint_count;
  *s = (struct search){ .width = width, .rows = (2 * width / n + 4) * n };
  s->A = malloc((s->rows + 2) * width * sizeof *s->A);
  s->order = malloc(width * sizeof *s->order);
  s->workspace = armdyn_workspace_new(n);
  if (!s->A) return false;
  s->scale = s->A + s->rows * width;
  s->extra = s->scale + width;
  return s->order && s->workspace;
}

static void search_close(struct search *s)
{
  free(s->A);
  free(s->order);
  armdyn_workspace_free(s->workspace);
}

static size_t base_layout(struct armdyn_base_parameters *base, void *memory, size_t count, size_t width)
{
  struct carve c = { memory, 0 };
  carve(&c, 1, sizeof *base);
  base->count = count;
  base->parameter_count = width;
  base->lead = carve(&c, count, sizeof *base->lead);
  base->coefficients = carve(&c, count * width, sizeof *base->coefficients);
  base->values = carve(&c, count, sizeof *base->values);
  base->names = carve(&c, width, ARMDYN_PARAMETER_NAME_SIZE);
  return c.used;
}

/* Where the k-th lead, by column, stands among the pivots. */
static size_t pivot_of(const struct search *s, size_t rank, size_t lead)
{
  size_t k = 0;
  while (k + 1 < rank && s->order[k] != lead) k++;
  return k;
}

/* s->extra: the parameters of the model. */
static void combine(const struct search *s, size_t rank, struct armdyn_base_parameters *base)
{
  size_t count = 0;
  for (size_t column = 0; column < s->width; column++) {
    for (size_t k = 0; k < rank; k++) {
      if (s->order[k] == column) base->lead[count++] = column;
    }
  }
  for (size_t k = 0; k < count; k++) {
    const size_t lead = base->lead[k], pivot = pivot_of(s, rank, lead);
    double *row = base->coefficients + k * s->width;
    row[lead] = 1;
    base->values[k] = s->extra[lead];
    for (size_t j = rank; j < s->width; j++) {
      const size_t column = s->order[j];
      if (s->scale[column] == 0) continue;
      const double coefficient = s->A[pivot * s->width + j] * s->scale[lead] / s->scale[column];
      base->values[k] += coefficient * s->extra[column];
      if (fabs(s->A[pivot * s->width + j]) >= ROUNDING) row[column] = coefficient;
    }
  }
}

static enum armdyn_status base_of(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice,
                                  const struct search *s, size_t rank, struct armdyn_base_parameters **out)
{
  struct armdyn_base_parameters measure;
  const size_t size = base_layout(&measure, NULL, rank, s->width);
  struct armdyn_base_parameters *base = aligned_alloc(64, size);
  if (!base) return ARMDYN_EMEMORY;
  memset(base, 0, size);
  base_layout(base, base, rank, s->width);
  armdyn_parameters(robot, choice, s->extra);
  combine(s, rank, base);
  for (size_t j = 0; j < s->width; j++) {
    armdyn_parameter_name(robot, choice, j, base->names + j * ARMDYN_PARAMETER_NAME_SIZE);
  }
  *out = base;
  return ARMDYN_OK;
}

enum armdyn_status armdyn_base_parameters_new(const struct armdyn_robot *robot,
                                              const struct armdyn_parameter_choice *choice,
                                              struct armdyn_base_parameters **out)
{
  struct search s;
  enum armdyn_status rc = ARMDYN_EMEMORY;
  if (!search_open(robot, armdyn_parameter_count(robot, choice), &s)) goto out;
  sample(robot, choice, &s);
  const size_t rank = qr_pivoted(s.rows, s.width, s.A, s.order, s.extra, ROUNDING);
  for (size_t j = rank; j < s.width; j++) divide_column(&s, rank, j);
  rc = base_of(robot, choice, &s, rank, out);
out:
  search_close(&s);
  return rc;
}

void armdyn_base_parameters_free(struct armdyn_base_parameters *base)
{
  free(base);
}

size_t armdyn_base_parameter_count(const struct armdyn_base_parameters *base)
{
  return base->count;
}

size_t armdyn_base_parameter_lead(const struct armdyn_base_parameters *base, size_t k)
{
  return base->lead[k];
}

const double *armdyn_base_parameter_coefficients(const struct armdyn_base_parameters *base, size_t k)
{
  return base->coefficients + k * base->parameter_count;
}

double armdyn_base_parameter_value(const struct armdyn_base_parameters *base, size_t k)
{
  return base->values[k];
}

/* " + 0.5 name", " - name"; the first without its plus */
static size_t write_term(double coefficient, const char *name, bool first, char *text, size_t size)
{
  const double magnitude = fabs(coefficient);
  const char *sign = coefficient < 0 ? (first ? "-" : " - ") : (first ? "" : " + ");
  const bool unit = fabs(magnitude - 1) < ROUNDING;
  const int length =
      unit ? snprintf(text, size, "%s%s", sign, name) : snprintf(text, size, "%s%.9g %s", sign, magnitude, name);
  return length > 0 ? (size_t)length : 0;
}

size_t armdyn_base_parameter_text(const struct armdyn_base_parameters *base, size_t k, char *text, size_t size)
{
  const double *coefficients = armdyn_base_parameter_coefficients(base, k);
  const size_t lead = base->lead[k];
  size_t length = write_term(1, base->names + lead * ARMDYN_PARAMETER_NAME_SIZE, true, text, size);
  for (size_t j = 0; j < base->parameter_count; j++) {
    if (j == lead || coefficients[j] == 0) continue;
    const size_t at = length < size ? length : size;
    length += write_term(coefficients[j], base->names + j * ARMDYN_PARAMETER_NAME_SIZE, false, text + at, size - at);
  }
  return length;
}

void armdyn_base_columns(const struct armdyn_base_parameters *base, const double *regressor, size_t rows, double *out)
{
  for (size_t i = 0; i < rows; i++) {
    for (size_t k = 0; k < base->count; k++) {
      out[i * base->count + k] = regressor[i * base->parameter_count + base->lead[k]];
    }
  }
}
