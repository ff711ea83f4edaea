#include "lib/symbolic/range.h"

#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- rounding */

static double down(double x)
{
  return nextafter(x, -INFINITY);
}
static double up(double x)
{
  return nextafter(x, INFINITY);
}

/* Sines, exponentials and powers are as good as their library: four units in the last place hold for all known ones. */
static struct range wide(double least, double most)
{
  const double slack = 4 * 2.3e-16;
  return (struct range){ down(least - fabs(least) * slack), up(most + fabs(most) * slack) };
}

double range_size(struct range x)
{
  return fmax(fabs(x.least), fabs(x.most));
}

double size_add(double x, double y)
{
  return x == 0 ? y : y == 0 ? x : up(x + y);
}
double size_multiply(double x, double y)
{
  return x == 0 || y == 0 ? 0 : up(x * y);
}
double size_length(double x, double y)
{
  return x == 0 ? y : y == 0 ? x : up(up(hypot(x, y)));
}

/* ---------------------------------------------------------------- angles */

/* The angles that are sums or differences of two others. */
struct pair {
  uint32_t first, second;
  bool plus;
};
struct angles {
  const struct expr_graph *g;
  struct angle_of *of;
  struct pair *pairs; /* angle graph->count + k is pairs[k] */
  size_t pair_count;
};

static uint32_t pair_find(struct angles *a, uint32_t first, uint32_t second, bool plus)
{
  size_t k = 0;
  while (k < a->pair_count &&
         !(a->pairs[k].first == first && a->pairs[k].second == second && a->pairs[k].plus == plus)) {
    k++;
  }
  if (k == a->pair_count) a->pairs[a->pair_count++] = (struct pair){ first, second, plus };
  return (uint32_t)(a->g->count + k);
}

/* The factors of a product, the one of the smaller angle first; false: they are no sines and cosines of two angles. */
static bool factors_of(const struct angles *a, expr at, const struct angle_of *factors[2])
{
  const struct expr_node *node = &a->g->nodes[at];
  if (node->op != EXPR_MULTIPLY) return false;
  const struct angle_of *x = &a->of[node->a], *y = &a->of[node->b];
  if (!x->angle || !y->angle || x->angle == y->angle) return false;
  factors[0] = x->angle < y->angle ? x : y;
  factors[1] = x->angle < y->angle ? y : x;
  return true;
}

/* cos u cos v - sin u sin v = cos(u + v), sin u cos v + cos u sin v = sin(u + v), and those of u - v. */
static void find_sum_of_angles(struct angles *a, const struct expr_node *node, struct angle_of *out)
{
  const struct angle_of *x[2], *y[2];
  if (!factors_of(a, node->a, x) || !factors_of(a, node->b, y)) return;
  if (x[0]->angle != y[0]->angle || x[1]->angle != y[1]->angle) return;
  if (x[0]->sine == y[0]->sine || x[1]->sine == y[1]->sine) return;
  int one = x[0]->sign * x[1]->sign, other = y[0]->sign * y[1]->sign * (node->op == EXPR_ADD ? 1 : -1);
  const bool sine = x[0]->sine != x[1]->sine;
  const bool sine_first = x[0]->sine; /* sin u is in x: of a sine sin u cos v, of a cosine sin u sin v */
  if (sine != sine_first) {           /* first what stands first above */
    const int swap = one;
    one = other;
    other = swap;
  }
  out->sine = sine;
  out->sign = one;
  out->angle = pair_find(a, x[0]->angle, x[1]->angle, sine ? one == other : one != other);
}

/* x y, x the sine or cosine: how often it may be read so is up to two */
static void find_turn(const struct angles *a, const struct expr_node *node, struct angle_of *out)
{
  const struct expr_node *x = &a->g->nodes[node->a], *y = &a->g->nodes[node->b];
  if (x->op != EXPR_MULTIPLY || y->op != EXPR_MULTIPLY) return;
  const expr xs[2] = { x->a, x->b }, ys[2] = { y->a, y->b };
  for (int k = 0; k < 4 && !out->turn; k++) {
    const struct angle_of *c = &a->of[xs[k / 2]], *s = &a->of[ys[k % 2]];
    if (!c->angle || c->angle != s->angle || c->sine == s->sine) continue;
    out->turn = true;
    out->along[0] = xs[1 - k / 2];
    out->along[1] = ys[1 - k % 2];
  }
}

struct angle_of *angles_find(const struct expr_graph *g)
{
  struct angles a = { .g = g };
  a.of = calloc(g->count, sizeof *a.of);
  a.pairs = calloc(g->count, sizeof *a.pairs);
  for (size_t k = 0; k < g->count && a.of && a.pairs; k++) {
    const struct expr_node *node = &g->nodes[k];
    switch (node->op) {
    case EXPR_SINE:
    case EXPR_COSINE: a.of[k] = (struct angle_of){ .angle = node->a, .sine = node->op == EXPR_SINE, .sign = 1 }; break;
    case EXPR_NEGATE:
      a.of[k] = a.of[node->a];
      a.of[k].turn = false;
      a.of[k].sign = -a.of[k].sign;
      break;
    case EXPR_ADD:
    case EXPR_SUBTRACT:
      find_sum_of_angles(&a, node, &a.of[k]);
      find_turn(&a, node, &a.of[k]);
      break;
    default: break;
    }
  }
  free(a.pairs);
  if (a.pairs) return a.of;
  free(a.of);
  return NULL;
}

/* ---------------------------------------------------------------- ranges */

static struct range product(struct range x, struct range y)
{
  const double ends[4] = { x.least, x.least, x.most, x.most }, others[4] = { y.least, y.most, y.least, y.most };
  struct range out = { INFINITY, -INFINITY };
  for (int k = 0; k < 4; k++) {
    const double value = ends[k] == 0 || others[k] == 0 ? 0 : ends[k] * others[k];
    out.least = fmin(out.least, value);
    out.most = fmax(out.most, value);
  }
  return (struct range){ down(out.least), up(out.most) };
}

static struct range square(struct range x)
{
  const double most = range_size(x), least = x.least <= 0 && x.most >= 0 ? 0 : fmin(fabs(x.least), fabs(x.most));
  return (struct range){ least == 0 ? 0 : down(least * least), up(most * most) };
}

static struct range quotient(struct range x, struct range y)
{
  if (y.least <= 0 && y.most >= 0) return (struct range){ -INFINITY, INFINITY };
  const struct range inverse = { down(1 / y.most), up(1 / y.least) };
  return product(x, inverse);
}

/* Of x plus a quarter of a turn or not; peaks are at whole turns then. */
static struct range cosine(struct range x, double quarter)
{
  const double slack = 1e-12 * (1 + range_size(x)), turn = 2 * M_PI;
  const struct range all = { -1, 1 };
  if (!(x.most - x.least < turn) || range_size(x) > 1e6) return all;
  const double least = (x.least - slack - quarter) / turn, most = (x.most + slack - quarter) / turn;
  const double a = cos(x.least - quarter), b = cos(x.most - quarter);
  struct range out = { fmin(a, b) - slack, fmax(a, b) + slack };
  if (floor(most) >= ceil(least)) out.most = 1;
  if (floor(most - 0.5) >= ceil(least - 0.5)) out.least = -1;
  return (struct range){ fmax(out.least, -1), fmin(out.most, 1) };
}

static struct range power(struct range x, double exponent)
{
  const double least = pow(fmax(x.least, 0), exponent), most = pow(fmax(x.most, 0), exponent);
  return wide(fmin(least, most), fmax(least, most));
}

static struct range clipped(struct range x, double least, double most)
{
  return (struct range){ fmin(fmax(x.least, least), most), fmin(fmax(x.most, least), most) };
}

static struct range range_of(const struct expr_node *node, const struct range *inputs, const struct range x[3])
{
  switch (node->op) {
  case EXPR_NUMBER: return (struct range){ node->value, node->value };
  case EXPR_INPUT: return inputs[node->a];
  case EXPR_ADD: return (struct range){ down(x[0].least + x[1].least), up(x[0].most + x[1].most) };
  case EXPR_SUBTRACT: return (struct range){ down(x[0].least - x[1].most), up(x[0].most - x[1].least) };
  case EXPR_NEGATE: return (struct range){ -x[0].most, -x[0].least };
  case EXPR_MULTIPLY: return node->a == node->b ? square(x[0]) : product(x[0], x[1]);
  case EXPR_DIVIDE: return quotient(x[0], x[1]);
  case EXPR_SINE: return cosine(x[0], M_PI / 2);
  case EXPR_COSINE: return cosine(x[0], 0);
  case EXPR_TANH: return clipped(wide(tanh(x[0].least), tanh(x[0].most)), -1, 1);
  case EXPR_EXP: return wide(exp(x[0].least), exp(x[0].most));
  case EXPR_LOG: return wide(log(x[0].least), log(x[0].most));
  case EXPR_POWER: return power(x[0], x[1].least);
  case EXPR_ABS: {
    const double least = x[0].least <= 0 && x[0].most >= 0 ? 0 : fmin(fabs(x[0].least), fabs(x[0].most));
    return (struct range){ least, range_size(x[0]) };
  }
  case EXPR_CLIP: return clipped(x[0], -node->value, node->value);
  case EXPR_LEAST: return clipped(x[0], node->value, INFINITY);
  case EXPR_SELECT:
    if (x[0].least >= 0) return x[2];
    if (x[0].most < 0) return x[1];
    return (struct range){ fmin(x[1].least, x[2].least), fmax(x[1].most, x[2].most) };
  default: return (struct range){ -INFINITY, INFINITY };
  }
}

void ranges_find(const struct expr_graph *g, const struct angle_of *angles, const struct range *inputs,
                 struct range *out)
{
  for (size_t k = 0; k < g->count; k++) {
    const struct expr_node *node = &g->nodes[k];
    const struct angle_of *angle = &angles[k];
    expr operands[3];
    expr_operands(node, operands);
    const struct range x[3] = { out[operands[0]], out[operands[1]], out[operands[2]] };
    struct range range = range_of(node, inputs, x);
    if (angle->angle) range = clipped(range, -1, 1);
    if (angle->turn) {
      const double length = size_length(range_size(out[angle->along[0]]), range_size(out[angle->along[1]]));
      range = clipped(range, -length, length);
    }
    if (isnan(range.least) || isnan(range.most)) range = (struct range){ -INFINITY, INFINITY };
    out[k] = range;
  }
}
