#include "lib/identify/structure.h"

#include <math.h>

#include "lib/math/linear.h"
#include "lib/math/products.h"

/* Of a column, what is left beside the others, below which it is one of them; and what keeps a factorisation going. */
static const double DEPENDENT = 1e-8, JITTER = 1e-12;

/* Friction of a sign that it cannot have by more than so many of its deviations is not friction. */
static const double DEVIATIONS = 2;

/* -- which columns -- */

/* A column that is fitted: one of the joint's, or the sum of two. */
struct fitted {
  size_t at, also; /* also == at: one alone */
};
enum { FITTED_MOST = 6 + FRICTION_PLAIN_COUNT + ARMDYN_RIPPLES_MAX };

/* Where a structure has what, among its fitted columns. */
struct layout {
  size_t count;
  struct fitted columns[FITTED_MOST];
  size_t sign[2], fallen[2], viscous[2];    /* by direction */
  size_t plain[ARMDYN_FRICTION_TERM_COUNT]; /* by term */
};
enum { NONE = FITTED_MOST };

static size_t fit(struct layout *l, size_t at, size_t also)
{
  l->columns[l->count] = (struct fitted){ at, also };
  return l->count++;
}

static void fit_pair(struct layout *l, size_t first, bool directed, size_t place[2])
{
  place[0] = fit(l, first, directed ? first : first + 1);
  place[1] = directed ? fit(l, first + 1, first + 1) : place[0];
}

/* The plain terms from `first` on and before `end`. */
static void fit_plain(struct layout *l, unsigned terms, size_t first, size_t end)
{
  for (size_t k = 0, column = COLUMN_PLAIN; k < end; k++) {
    const bool plain = friction_plain(k) < ARMDYN_FRICTION_PARAMETER_COUNT;
    if (plain && k >= first && (terms >> k & 1)) l->plain[k] = fit(l, column, column);
    column += plain;
  }
}

static struct layout layout_of(const struct joint_candidates *j, const struct structure *s)
{
  struct layout l = { .sign = { NONE, NONE }, .fallen = { NONE, NONE }, .viscous = { NONE, NONE } };
  const bool stribeck = s->terms & ARMDYN_IDENTIFY_STRIBECK, directed = s->terms & ARMDYN_IDENTIFY_COULOMB_DIRECTED;
  const size_t sign = COLUMN_SIGN + 2 * s->scale;
  for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) l.plain[k] = NONE;
  fit_plain(&l, s->terms, 0, ARMDYN_FRICTION_COULOMB);
  if (stribeck || (s->terms & ARMDYN_IDENTIFY_COULOMB)) fit_pair(&l, sign, directed && !stribeck, l.sign);
  if (stribeck) fit_pair(&l, COLUMN_FALLEN + 2 * s->shape, directed, l.fallen);
  if (s->terms & ARMDYN_IDENTIFY_VISCOUS)
    fit_pair(&l, COLUMN_VISCOUS, s->terms & ARMDYN_IDENTIFY_VISCOUS_DIRECTED, l.viscous);
  fit_plain(&l, s->terms, ARMDYN_FRICTION_COULOMB, ARMDYN_FRICTION_TERM_COUNT);
  for (size_t k = 0; k < j->lines; k++) fit(&l, COLUMN_LINES + k, COLUMN_LINES + k);
  return l;
}

/* Product of two fitted columns from a table of products, whose column of `first` is the first of friction. */
static double product(const double *table, size_t width, size_t first, struct fitted a, struct fitted b)
{
  const double *row = table + (first + a.at) * width + first, *other = table + (first + a.also) * width + first;
  double sum = row[b.at];
  if (b.also != b.at) sum += row[b.also];
  if (a.also != a.at) sum += other[b.at];
  if (a.also != a.at && b.also != b.at) sum += other[b.also];
  return sum;
}

static double product_with(const double *table, size_t width, size_t first, struct fitted a, size_t column)
{
  const double *row = table + (first + a.at) * width, *other = table + (first + a.also) * width;
  return row[column] + (a.also != a.at ? other[column] : 0);
}

/* -- everything else profiled out -- */

/* Sums of all parts but one; without == folds: of all that is slow; beyond: of all. */
static double sum_at(const struct candidates *c, const struct joint_candidates *j, size_t without, size_t at)
{
  if (without < c->folds) return j->all[at] - j->sums[without][at];
  return without == c->folds ? j->all[at] - j->of_fast[at] : j->all[at];
}

/* Gaussian elimination of the first `count` of a symmetric table; what depends on those before stays out. */
static void eliminate(double *A, size_t width, size_t count)
{
  double whole[FITTED_MOST];
  for (size_t k = 0; k < count; k++) whole[k] = A[k * width + k];
  for (size_t k = 0; k < count; k++) {
    const double pivot = A[k * width + k];
    if (!(pivot > DEPENDENT * whole[k])) continue;
    for (size_t i = k + 1; i < width; i++) {
      const double factor = A[i * width + k] / pivot;
      for (size_t j = k + 1; j < width; j++) A[i * width + j] -= factor * A[k * width + j];
    }
  }
}

/* M += what joint i says of links and rotors, its own friction profiled out. M is (b + 1)^2, the torque last. */
static void add_other(const struct candidates *c, size_t i, const struct structure *structure, double weight,
                      size_t without, double *scratch, double *M)
{
  const struct joint_candidates *j = &c->joints[i];
  const struct layout l = layout_of(j, structure);
  const size_t b = c->rigid->base_count, m = l.count, width = m + j->rigid + 1, last = j->width - 1;
  double *table = scratch, *A = scratch + j->width * j->width;
  for (size_t k = 0; k < j->width * j->width; k++) table[k] = sum_at(c, j, without, k);
  for (size_t a = 0; a < m; a++) {
    for (size_t k = 0; k < m; k++) A[a * width + k] = product(table, j->width, j->rigid, l.columns[a], l.columns[k]);
    for (size_t k = 0; k <= j->rigid; k++) {
      const size_t column = k < j->rigid ? k : last;
      A[a * width + m + k] = A[(m + k) * width + a] = product_with(table, j->width, j->rigid, l.columns[a], column);
    }
  }
  for (size_t r = 0; r <= j->rigid; r++) {
    for (size_t k = 0; k <= j->rigid; k++)
      A[(m + r) * width + m + k] = table[(r < j->rigid ? r : last) * j->width + (k < j->rigid ? k : last)];
  }
  eliminate(A, width, m);
  for (size_t r = 0; r <= j->rigid; r++) {
    for (size_t k = 0; k <= j->rigid; k++) {
      const size_t row = r < j->rigid ? j->column[r] : b, column = k < j->rigid ? j->column[k] : b;
      M[row * (b + 1) + column] += weight * weight * A[(m + r) * width + m + k];
    }
  }
}

struct profiling {
  const struct candidates *c;
  const struct rigid_prior *prior;
  const double *weight;
  const struct structure *structures;
  double *M, *scale; /* (b + 1)^2; b */
  double *E;         /* b x width: what a column or the torque is of links and rotors */
  double *seen;      /* the rows of E that the joint sees */
  double *scratch;
};

/* M and E without one part. */
static void solve_rigid(struct profiling *p, size_t joint, size_t width, size_t without)
{
  const struct candidates *c = p->c;
  const struct joint_candidates *own = &c->joints[joint];
  const size_t b = c->rigid->base_count;
  double samples = 0;
  memset(p->M, 0, (b + 1) * (b + 1) * sizeof *p->M);
  for (size_t f = 0; f < c->folds; f++) samples += f == without ? 0 : (double)c->samples[f];
  for (size_t r = 0; r < b; r++) {
    for (size_t k = 0; k < b; k++) p->M[r * (b + 1) + k] = samples * p->prior->information[r * b + k];
    p->M[r * (b + 1) + b] = samples * p->prior->pull[r];
  }
  for (size_t i = 0; i < c->n; i++)
    if (i != joint) add_other(c, i, &p->structures[i], p->weight[i], without, p->scratch, p->M);
  const double square = p->weight[joint] * p->weight[joint];
  double *G = p->scratch; /* b x b */
  for (size_t r = 0; r < own->rigid; r++) {
    for (size_t k = 0; k < own->rigid; k++)
      p->M[own->column[r] * (b + 1) + own->column[k]] += square * sum_at(c, own, without, r * own->width + k);
  }
  for (size_t r = 0; r < b; r++) {
    memcpy(G + r * b, p->M + r * (b + 1), b * sizeof *G);
    G[r * b + r] *= 1 + JITTER;
  }
  for (size_t r = 0; r < b; r++) {
    memset(p->E + r * width, 0, (width - 1) * sizeof *p->E);
    p->E[r * width + width - 1] = p->M[r * (b + 1) + b];
  }
  for (size_t r = 0; r < own->rigid; r++) {
    for (size_t d = 0; d < width; d++)
      p->E[own->column[r] * width + d] += square * sum_at(c, own, without, r * own->width + own->rigid + d);
  }
  if (scaled_cholesky_factor(b, G, p->scale)) {
    scaled_cholesky_solve_columns(b, G, p->scale, width, p->E);
  } else {
    memset(p->E, 0, b * width * sizeof *p->E);
  }
  for (size_t r = 0; r < own->rigid; r++)
    memcpy(p->seen + r * width, p->E + own->column[r] * width, width * sizeof *p->E);
}

/* Normal equations of friction and torque of the joint, links and rotors being what they leave of them. The others' part of
 * the torque, and the prior's, is in E's last column. */
static void fill_normal(const struct profiling *p, size_t joint, size_t width, size_t without, double *normal)
{
  const struct joint_candidates *own = &p->c->joints[joint];
  for (size_t a = 0; a < width; a++) {
    double *restrict row = normal + a * width;
    for (size_t d = 0; d < width; d++)
      row[d] = sum_at(p->c, own, without, (own->rigid + a) * own->width + own->rigid + d);
    for (size_t r = 0; r < own->rigid; r++)
      p->scratch[r] = sum_at(p->c, own, without, (own->rigid + a) * own->width + r);
    rows_take_off(own->rigid, p->scratch, width, p->seen, row);
  }
}

/* The squares left on a part: T' G T, where the columns of T are links and rotors, then friction, then the torque. */
static void fill_held_out(const struct profiling *p, size_t joint, size_t width, size_t part, double *form)
{
  const struct joint_candidates *own = &p->c->joints[joint];
  const double *G = part < p->c->folds ? own->sums[part] : own->of_fast;
  const size_t rigid = own->rigid, all = own->width;
  double *GT = p->scratch;
  /* what is left is (links + friction) - torque: the last column has the other sign */
  for (size_t row = 0; row < all; row++) {
    double *to = GT + row * width;
    memcpy(to, G + row * all + rigid, width * sizeof *to);
    rows_take_off(rigid, G + row * all, width, p->seen, to);
    to[width - 1] = -to[width - 1];
  }
  for (size_t a = 0; a < width; a++) {
    const double sign = a + 1 == width ? -1 : 1;
    double *to = form + a * width, *factors = GT + all * width;
    for (size_t d = 0; d < width; d++) to[d] = sign * GT[(rigid + a) * width + d];
    for (size_t r = 0; r < rigid; r++) factors[r] = sign * p->seen[r * width + a];
    rows_take_off(rigid, factors, width, GT, to);
  }
}

enum armdyn_status profiled_open(const struct candidates *candidates, const struct rigid_prior *prior,
                                 const double *weight, const struct structure *structures, size_t joint,
                                 struct profiled *profiled)
{
  const struct candidates *c = candidates;
  const struct joint_candidates *own = &c->joints[joint];
  const size_t b = c->rigid->base_count, width = own->columns + 1;
  size_t most = b * b + b;
  for (size_t i = 0; i < c->n; i++) {
    const size_t w = c->joints[i].width, both = w * w + (w + FITTED_MOST) * (w + FITTED_MOST);
    most = both > most ? both : most;
  }
  *profiled = (struct profiled){ .candidates = c, .joint = joint, .width = width };
  struct profiling p = { c,
                         prior,
                         weight,
                         structures,
                         malloc((b + 1) * (b + 1) * sizeof(double)),
                         malloc((b + 1) * sizeof(double)),
                         malloc((b + 1) * width * sizeof(double)),
                         malloc((own->rigid + 1) * width * sizeof(double)),
                         malloc(most * sizeof(double)) };
  bool complete = p.M && p.scale && p.E && p.seen && p.scratch;
  for (size_t f = 0; f < c->folds + 2 && complete; f++) {
    complete = (profiled->normal[f] = malloc(width * width * sizeof(double))) != NULL;
    if (f <= c->folds) complete = (profiled->held_out[f] = malloc(width * width * sizeof(double))) && complete;
    if (!complete) break;
    solve_rigid(&p, joint, width, f);
    fill_normal(&p, joint, width, f, profiled->normal[f]);
    if (f <= c->folds) fill_held_out(&p, joint, width, f, profiled->held_out[f]);
  }
  profiled->power = own->all[own->width * own->width - 1];
  free(p.M), free(p.scale), free(p.E), free(p.seen), free(p.scratch);
  if (!complete) profiled_close(profiled);
  return complete ? ARMDYN_OK : ARMDYN_EMEMORY;
}

void profiled_close(struct profiled *profiled)
{
  for (size_t f = 0; f < FOLDS_MAX + 2; f++) free(profiled->normal[f]);
  for (size_t f = 0; f < FOLDS_MAX + 1; f++) free(profiled->held_out[f]);
  *profiled = (struct profiled){ 0 };
}

/* -- trying -- */

/* Coefficients by the normal equations, 0 of what depends on others; and row by row the inverse of the equations, if it is
 * wanted. */
static void solve(const struct profiled *p, const struct layout *l, const double *normal, double *x, double *inverse)
{
  const struct joint_candidates *own = &p->candidates->joints[p->joint];
  const size_t m = l->count, last = p->width - 1;
  double A[FITTED_MOST * FITTED_MOST], scale[FITTED_MOST];
  bool out[FITTED_MOST] = { false };
  for (size_t a = 0; a < m; a++) {
    for (size_t k = 0; k < m; k++) A[a * m + k] = product(normal, p->width, 0, l->columns[a], l->columns[k]);
    x[a] = product_with(normal, p->width, 0, l->columns[a], last);
    const double whole = product(own->all, own->width, own->rigid, l->columns[a], l->columns[a]);
    out[a] = !(A[a * m + a] > DEPENDENT * whole);
  }
  for (size_t a = 0; a < m; a++) {
    for (size_t k = 0; k < m && out[a]; k++) A[a * m + k] = A[k * m + a] = 0;
    if (out[a]) A[a * m + a] = 1, x[a] = 0;
    A[a * m + a] *= 1 + JITTER;
  }
  if (!scaled_cholesky_factor(m, A, scale)) {
    memset(x, 0, m * sizeof *x);
    return;
  }
  scaled_cholesky_solve(m, A, scale, x);
  for (size_t a = 0; a < m && inverse; a++) {
    memset(inverse + a * m, 0, m * sizeof *inverse);
    inverse[a * m + a] = 1;
    scaled_cholesky_solve(m, A, scale, inverse + a * m);
  }
}

/* What coefficients leave of a part. */
static double squares_left(const struct profiled *p, const struct layout *l, const double *x, const double *form)
{
  const size_t last = p->width - 1;
  double sum = form[last * p->width + last];
  for (size_t a = 0; a < l->count; a++) {
    sum += 2 * x[a] * product_with(form, p->width, 0, l->columns[a], last);
    for (size_t k = 0; k < l->count; k++) sum += x[a] * x[k] * product(form, p->width, 0, l->columns[a], l->columns[k]);
  }
  return fmax(sum, 0);
}

/* Is a sum of coefficients, factor[k] of column at[k] (NONE: none), below 0 by more than noise? */
struct claim {
  size_t at[2];
  double factor[2];
};
static bool is_broken(const struct claim *claim, size_t m, double spread, const double *x, const double *inverse)
{
  double value = 0, square = 0;
  for (int a = 0; a < 2; a++) {
    if (claim->at[a] == NONE) continue;
    value += claim->factor[a] * x[claim->at[a]];
    for (int k = 0; k < 2; k++)
      if (claim->at[k] != NONE)
        square += claim->factor[a] * claim->factor[k] * inverse[claim->at[a] * m + claim->at[k]];
  }
  return value < -DEVIATIONS * sqrt(fmax(spread * square, 0));
}

/* Coulomb, viscous and what else only brakes >= 0, stiction >= coulomb, and friction does not fall at the highest speed: as in
 * lib/identify/signs.c. The coefficient of what is fallen is coulomb - stiction. */
static const double LOAD_MOST = 0.9; /* no gear loses so much, and 1 would leave forward dynamics without an answer */
static bool has_signs(const struct profiled *p, const struct layout *l, double speed, const double *x,
                      const double *inverse)
{
  const size_t load = l->plain[ARMDYN_FRICTION_LOAD], high_speed = l->plain[ARMDYN_FRICTION_HIGH_SPEED];
  if (load != NONE && x[load] > LOAD_MOST) return false;
  for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    const struct claim claim = { { l->plain[k], NONE }, { 1, 0 } };
    if (l->plain[k] == NONE || !friction_parameters[friction_plain(k)].positive) continue;
    if (is_broken(&claim, l->count, p->spread, x, inverse)) return false;
  }
  for (int way = 0; way < 2; way++) {
    const struct claim claims[] = {
      { { l->sign[way], l->fallen[way] }, { 1, 1 } },
      { { l->fallen[way], NONE }, { -1, 0 } },
      { { l->viscous[way], NONE }, { 1, 0 } },
      { { high_speed, high_speed == NONE ? NONE : l->viscous[way] }, { 2 * speed, 1 } },
    };
    for (size_t k = 0; k < sizeof claims / sizeof *claims; k++)
      if (is_broken(&claims[k], l->count, p->spread, x, inverse)) return false;
  }
  return true;
}

void profiled_try(const struct profiled *profiled, const struct structure *structure, double speed, struct tried *tried)
{
  const struct candidates *c = profiled->candidates;
  const struct layout l = layout_of(&c->joints[profiled->joint], structure);
  double x[FITTED_MOST], inverse[FITTED_MOST * FITTED_MOST], sum = 0;
  for (size_t f = 0; f < c->folds; f++) {
    solve(profiled, &l, profiled->normal[f], x, NULL);
    sum += tried->squares[f] = squares_left(profiled, &l, x, profiled->held_out[f]);
  }
  tried->error = profiled->power > 0 ? sqrt(sum / profiled->power) : 0;
  solve(profiled, &l, profiled->normal[c->folds], x, NULL);
  tried->fast = squares_left(profiled, &l, x, profiled->held_out[c->folds]);
  solve(profiled, &l, profiled->normal[c->folds + 1], x, inverse);
  tried->has_signs = has_signs(profiled, &l, speed, x, inverse);
}

double profiled_unsure(const struct profiled *profiled, const struct structure *structure)
{
  const size_t fast = profiled->candidates->folds;
  const struct layout l = layout_of(&profiled->candidates->joints[profiled->joint], structure);
  double x[FITTED_MOST], inverse[FITTED_MOST * FITTED_MOST] = { 0 }, sum = 0;
  solve(profiled, &l, profiled->normal[fast], x, inverse);
  for (size_t a = 0; a < l.count; a++)
    for (size_t k = 0; k < l.count; k++)
      sum +=
          inverse[a * l.count + k] * product(profiled->held_out[fast], profiled->width, 0, l.columns[a], l.columns[k]);
  return profiled->spread * sum;
}
