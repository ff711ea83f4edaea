/* Expressions made anew, so that they fold again, and with all terms of a sum seen together: equal ones are one, what they
 * have in common is written once, and a (u + v) + b (u - v) is taken apart where that is not longer. */
#include <math.h>
#include <stdlib.h>

#include "lib/symbolic/expression.h"

enum { TERMS_MAX = 32 };

/* coefficient times one or two factors; none: a number. */
struct term {
  double coefficient;
  size_t count;
  expr factors[2];
};

struct sum {
  size_t count;
  struct term terms[TERMS_MAX];
};

struct rebuilding {
  const struct expr_graph *from;
  struct expr_graph *to;
  const uint8_t *without; /* as expr_rebuild takes it */
  const uint8_t *part;    /* of every node of `from`: is it seen as terms of the sum that uses it? */
  expr *copy;             /* of every other one */
};

static bool is_sum(const struct expr_node *x)
{
  return x->op == EXPR_ADD || x->op == EXPR_SUBTRACT || x->op == EXPR_NEGATE;
}

/* ---------------------------------------------------------------- the terms of a sum */

/* term *= factor */
static void term_multiply(const struct rebuilding *r, struct term *term, expr factor)
{
  const struct expr_node *node = &r->to->nodes[factor];
  if (node->op == EXPR_NEGATE) {
    term->coefficient = -term->coefficient;
    term_multiply(r, term, node->a);
  } else if (node->op == EXPR_NUMBER) {
    term->coefficient *= node->value;
  } else {
    term->factors[term->count++] = factor;
  }
}

/* What nothing but the sum uses is seen as its terms. */
static void gather(const struct rebuilding *r, expr at, double sign, bool whole, struct sum *sum)
{
  const struct expr_node *node = &r->from->nodes[at];
  const uint8_t without = r->without ? r->without[at] : 0;
  struct term term = { .coefficient = sign };
  if (!whole && !r->part[at]) {
    term_multiply(r, &term, r->copy[at]);
  } else if (node->op == EXPR_MULTIPLY) {
    term_multiply(r, &term, r->copy[node->a]);
    term_multiply(r, &term, r->copy[node->b]);
  } else {
    if (!(without & 1)) gather(r, node->a, node->op == EXPR_NEGATE ? -sign : sign, false, sum);
    if (!(without & 2) && node->op == EXPR_ADD) gather(r, node->b, sign, false, sum);
    if (!(without & 2) && node->op == EXPR_SUBTRACT) gather(r, node->b, -sign, false, sum);
    return;
  }
  sum->terms[sum->count++] = term;
}

static void drop(struct sum *sum, size_t at)
{
  for (sum->count--; at < sum->count; at++) sum->terms[at] = sum->terms[at + 1];
}

/* ---------------------------------------------------------------- what can be shorter */

static size_t multiplications(const struct term *x)
{
  return (x->count > 0 && fabs(x->coefficient) != 1 ? 1U : 0U) + (x->count == 2 ? 1U : 0U);
}

static bool same_factors(const struct term *x, const struct term *y)
{
  const expr *a = x->factors, *b = y->factors;
  if (x->count != y->count) return false;
  if (x->count < 2) return x->count == 0 || a[0] == b[0];
  return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

static void join_equal(struct sum *sum)
{
  for (size_t i = 0; i < sum->count; i++) {
    for (size_t j = sum->count - 1; j > i; j--) {
      if (!same_factors(&sum->terms[i], &sum->terms[j])) continue;
      sum->terms[i].coefficient += sum->terms[j].coefficient;
      drop(sum, j);
    }
  }
  for (size_t i = sum->count; i-- > 0;) {
    if (sum->terms[i].coefficient == 0) drop(sum, i);
  }
}

/* a (u +- v) + b (u -+ v) and a (u +- v) + b u, of two terms with one factor each: both by u and v. */
static bool take_two_apart(const struct rebuilding *r, struct term *x, struct term *y)
{
  const struct expr_node *of_x = &r->to->nodes[x->factors[0]], *of_y = &r->to->nodes[y->factors[0]];
  if (x->count != 1 || y->count != 1 || (of_x->op != EXPR_ADD && of_x->op != EXPR_SUBTRACT)) return false;
  const double sign = of_x->op == EXPR_ADD ? 1 : -1; /* of b in x */
  double in_y[2];                                    /* what y has of a and b of x */
  if (y->factors[0] == of_x->a || y->factors[0] == of_x->b) {
    in_y[0] = y->factors[0] == of_x->a;
    in_y[1] = 1 - in_y[0];
  } else if (of_x->op == EXPR_ADD && of_y->op == EXPR_SUBTRACT &&
             ((of_x->a == of_y->a && of_x->b == of_y->b) || (of_x->a == of_y->b && of_x->b == of_y->a))) {
    in_y[0] = of_x->a == of_y->a ? 1 : -1;
    in_y[1] = -in_y[0];
  } else {
    return false;
  }
  struct term u = { .coefficient = x->coefficient + in_y[0] * y->coefficient };
  struct term v = { .coefficient = sign * x->coefficient + in_y[1] * y->coefficient };
  term_multiply(r, &u, of_x->a);
  term_multiply(r, &v, of_x->b);
  const size_t after = (u.coefficient != 0 ? multiplications(&u) : 0) + (v.coefficient != 0 ? multiplications(&v) : 0);
  if (after > multiplications(x) + multiplications(y)) return false;
  *x = u;
  *y = v;
  return true;
}

static void take_apart(const struct rebuilding *r, struct sum *sum)
{
  for (size_t i = 0; i < sum->count; i++) {
    for (size_t j = 0; j < sum->count; j++) {
      if (i == j || !take_two_apart(r, &sum->terms[i], &sum->terms[j])) continue;
      join_equal(sum);
      i = j = 0;
    }
  }
}

/* Is it a factor of a product? A number counts where only its sign differs. */
static bool has_factor(const struct rebuilding *r, const struct term *x, expr factor)
{
  double value;
  if (multiplications(x) == 0) return false;
  if (expr_is_number(r->to, factor, &value)) return fabs(x->coefficient) == value;
  return x->factors[0] == factor || (x->count == 2 && x->factors[1] == factor);
}

/* The factor that most of the terms share, and how many they are. */
static size_t find_common(const struct rebuilding *r, const struct sum *sum, expr *common)
{
  const expr one = expr_number(r->to, 1);
  size_t most = 0;
  for (size_t i = 0; i < sum->count; i++) {
    const struct term *x = &sum->terms[i];
    const expr candidates[3] = { x->factors[0], x->count == 2 ? x->factors[1] : x->factors[0],
                                 expr_number(r->to, fabs(x->coefficient)) };
    for (int k = 0; k < 3; k++) {
      size_t count = 0;
      if (candidates[k] == one) continue;
      for (size_t j = i; j < sum->count; j++) count += has_factor(r, &sum->terms[j], candidates[k]);
      if (count <= most) continue;
      most = count;
      *common = candidates[k];
    }
  }
  return most;
}

static void divide(const struct rebuilding *r, struct term *x, expr factor)
{
  double value;
  if (expr_is_number(r->to, factor, &value)) {
    x->coefficient = copysign(1, x->coefficient);
  } else {
    if (x->factors[0] == factor) x->factors[0] = x->factors[1];
    x->count--;
  }
}

static expr write_sum(const struct rebuilding *r, struct sum *sum);

/* x y + x z = x (y + z) */
static void take_common_out(const struct rebuilding *r, struct sum *sum)
{
  expr common = 0;
  while (find_common(r, sum, &common) > 1) {
    struct sum inner = { 0 };
    struct term product = { .coefficient = 1 };
    size_t first = sum->count;
    for (size_t i = sum->count; i-- > 0;) {
      if (has_factor(r, &sum->terms[i], common)) first = i;
    }
    for (size_t i = first; i < sum->count;) {
      if (!has_factor(r, &sum->terms[i], common)) {
        i++;
        continue;
      }
      inner.terms[inner.count] = sum->terms[i];
      divide(r, &inner.terms[inner.count++], common);
      drop(sum, i);
    }
    term_multiply(r, &product, common);
    term_multiply(r, &product, write_sum(r, &inner));
    sum->terms[sum->count++] = product;
  }
}

/* ---------------------------------------------------------------- writing it again */

static expr write_term(const struct rebuilding *r, const struct term *x)
{
  expr product = expr_number(r->to, 1);
  for (size_t k = 0; k < x->count; k++) product = expr_multiply(r->to, product, x->factors[k]);
  return expr_multiply(r->to, expr_number(r->to, fabs(x->coefficient)), product);
}

/* Something positive leads; products come last, so that each is added as it is made. */
static expr write_terms(const struct rebuilding *r, const struct sum *sum)
{
  size_t lead = sum->count;
  for (size_t products = 0; products < 2 && lead == sum->count; products++) {
    for (size_t i = sum->count; i-- > 0;) {
      const bool product = multiplications(&sum->terms[i]) > 0;
      if (sum->terms[i].coefficient > 0 && product == (products > 0)) lead = i;
    }
  }
  expr out = lead < sum->count ? write_term(r, &sum->terms[lead]) : 0;
  for (size_t products = 0; products < 2; products++) {
    for (size_t i = 0; i < sum->count; i++) {
      const struct term *x = &sum->terms[i];
      if (i == lead || (multiplications(x) > 0) != (products > 0)) continue;
      out = (x->coefficient < 0 ? expr_subtract : expr_add)(r->to, out, write_term(r, x));
    }
  }
  return out;
}

static expr write_sum(const struct rebuilding *r, struct sum *sum)
{
  bool positive = false;
  join_equal(sum);
  take_apart(r, sum);
  take_common_out(r, sum);
  for (size_t i = 0; i < sum->count; i++) positive = positive || sum->terms[i].coefficient > 0;
  for (size_t i = 0; i < sum->count && !positive; i++) sum->terms[i].coefficient = -sum->terms[i].coefficient;
  const expr out = write_terms(r, sum);
  return positive ? out : expr_negate(r->to, out);
}

/* ---------------------------------------------------------------- all of it */

static expr rebuild_sum(const struct rebuilding *r, expr at)
{
  struct sum sum = { 0 };
  gather(r, at, 1, true, &sum);
  return write_sum(r, &sum);
}

static expr rebuild_node(const struct rebuilding *r, expr at)
{
  const struct expr_node *x = &r->from->nodes[at];
  struct expr_graph *to = r->to;
  const expr *copy = r->copy;
  double exponent;
  switch (x->op) {
  case EXPR_NUMBER: return expr_number(to, x->value);
  case EXPR_INPUT: return expr_input(to, x->a);
  case EXPR_ADD:
  case EXPR_SUBTRACT:
  case EXPR_NEGATE: return rebuild_sum(r, at);
  case EXPR_MULTIPLY: return expr_multiply(to, copy[x->a], copy[x->b]);
  case EXPR_DIVIDE: return expr_divide(to, copy[x->a], copy[x->b]);
  case EXPR_SINE: return expr_sine(to, copy[x->a]);
  case EXPR_COSINE: return expr_cosine(to, copy[x->a]);
  case EXPR_SELECT: return expr_select(to, copy[x->a], copy[x->b], copy[x->c]);
  case EXPR_POWER:
    if (!expr_is_number(r->from, x->b, &exponent)) exponent = 1;
    return expr_power(to, copy[x->a], exponent);
  default: return expr_unary(to, x->op, copy[x->a], x->value);
  }
}

/* Which sums and products are seen as terms of the sum that alone uses them. */
static bool find_parts(const struct expr_graph *g, const uint32_t *uses, size_t most, uint8_t *part)
{
  uint8_t *terms = calloc(g->count, sizeof *terms); /* of every sum */
  for (size_t k = 0; k < g->count && terms; k++) {
    const struct expr_node *x = &g->nodes[k];
    expr operands[3];
    if (!uses[k] || !is_sum(x)) continue;
    expr_operands(x, operands);
    const unsigned arity = expr_arity(x->op);
    unsigned together = 0;
    for (unsigned o = 0; o < arity; o++)
      together += uses[operands[o]] == 1 && terms[operands[o]] ? terms[operands[o]] : 1;
    for (unsigned o = 0; o < arity; o++) {
      const bool product = g->nodes[operands[o]].op == EXPR_MULTIPLY;
      part[operands[o]] = uses[operands[o]] == 1 && (product || (terms[operands[o]] && together <= most));
    }
    terms[k] = (uint8_t)(together <= most ? together : arity);
  }
  const bool room = terms != NULL;
  free(terms);
  return room;
}

bool expr_rebuild(const struct expr_graph *from, struct expr_graph *to, enum expr_sums sums, const uint8_t *without,
                  expr *roots, size_t count)
{
  uint32_t *uses = expr_uses(from, roots, count);
  uint8_t *part = uses ? calloc(from->count, sizeof *part) : NULL;
  expr *copy = part ? calloc(from->count, sizeof *copy) : NULL;
  const struct rebuilding r = { from, to, without, part, copy };
  bool done = copy && find_parts(from, uses, sums == EXPR_WHOLE_SUMS ? TERMS_MAX : 2, part);
  for (size_t k = 0; k < from->count && done; k++) {
    if (uses[k] && !part[k]) copy[k] = rebuild_node(&r, (expr)k);
  }
  for (size_t k = 0; k < count && done; k++) roots[k] = copy[roots[k]];
  done = done && !to->failed;
  free(uses);
  free(part);
  free(copy);
  return done;
}
