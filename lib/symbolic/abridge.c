#include "lib/symbolic/abridge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A term: an operand of a sum, or a whole root. */
struct term {
  expr sum;     /* of an operand */
  uint8_t side; /* 1: the first, 2: the second; 0: a whole root */
  size_t root;
  double score;   /* the largest part of what is allowed that it takes, for each operation that it saves */
  double *effect; /* on every root */
};

struct abridging {
  const struct expr_graph *g;
  const struct boxes *boxes;
  expr *roots;
  size_t count;
  struct angle_of *angles;
  struct range *ranges; /* boxes x nodes */
  uint32_t *uses, *left;
  uint8_t *without; /* of every node, as expr_rebuild takes it */
  bool *empty;      /* of every root: dropped whole */
  double *errors;   /* of every node */
  double *reached;  /* of every root */
  struct term *terms;
  double *effects;
  size_t term_count;
};

/* ---------------------------------------------------------------- how far nodes are off */

/* Without bound where an operation steepens what comes in. */
static double error_through(const struct expr_node *node, const struct range *ranges, const double *errors)
{
  const double a = errors[node->a], b = errors[node->b];
  switch (node->op) {
  case EXPR_NEGATE:
  case EXPR_SINE:
  case EXPR_COSINE:
  case EXPR_TANH:
  case EXPR_ABS:
  case EXPR_CLIP:
  case EXPR_LEAST: return a; /* none is steeper than 1 */
  case EXPR_MULTIPLY: {      /* x y - x' y' = x (y - y') + (x - x') y' */
    const double x = range_size(ranges[node->a]), y = size_add(range_size(ranges[node->b]), b);
    return size_add(size_multiply(x, b), size_multiply(a, y));
  }
  case EXPR_DIVIDE: {
    const struct range y = ranges[node->b];
    const double least = y.least > 0 ? y.least : y.most < 0 ? -y.most : 0;
    return a == 0 && b == 0 ? 0 : b == 0 && least > 0 ? nextafter(a / least, INFINITY) : INFINITY;
  }
  case EXPR_SELECT: return a == 0 ? fmax(b, errors[node->c]) : INFINITY;
  default: return a == 0 && (expr_arity(node->op) < 2 || b == 0) ? 0 : INFINITY;
  }
}

/* c x + s y is off by no more than the length of (x, y) is, if c and s are not off. */
static double error_of_turn(const struct abridging *a, const struct expr_node *node, const struct angle_of *turn)
{
  const struct expr_node *x = &a->g->nodes[node->a], *y = &a->g->nodes[node->b];
  const expr c = x->a == turn->along[0] ? x->b : x->a, s = y->a == turn->along[1] ? y->b : y->a;
  if (a->errors[c] != 0 || a->errors[s] != 0) return INFINITY;
  return size_length(a->errors[turn->along[0]], a->errors[turn->along[1]]);
}

static double error_of_sum(const struct abridging *a, size_t k, const struct range *ranges)
{
  const struct expr_node *node = &a->g->nodes[k];
  const uint8_t without = a->without[k];
  const double x = without & 1 ? range_size(ranges[node->a]) : a->errors[node->a];
  const double y = without & 2 ? range_size(ranges[node->b]) : a->errors[node->b];
  const double sum = size_add(x, y);
  return a->angles[k].turn && !without && sum > 0 ? fmin(sum, error_of_turn(a, node, &a->angles[k])) : sum;
}

/* Errors of all nodes from `first` on, before which there are none; roots' largest ones of all boxes go to `reached`, until
 * one is more than allowed (NULL: whatever they are). */
static void spread(struct abridging *a, size_t first, const double *allowed, double *reached)
{
  const size_t nodes = a->g->count;
  memset(reached, 0, a->count * sizeof *reached);
  for (size_t box = 0; box < a->boxes->count; box++) {
    const struct range *ranges = a->ranges + box * nodes;
    memset(a->errors, 0, nodes * sizeof *a->errors);
    for (size_t k = first; k < nodes; k++) {
      const struct expr_node *node = &a->g->nodes[k];
      if (!a->uses[k] || !expr_arity(node->op)) continue;
      const bool sum = node->op == EXPR_ADD || node->op == EXPR_SUBTRACT;
      a->errors[k] = sum ? error_of_sum(a, k, ranges) : error_through(node, ranges, a->errors);
    }
    for (size_t i = 0; i < a->count; i++) {
      const double error = a->empty[i] ? range_size(ranges[a->roots[i]]) : a->errors[a->roots[i]];
      reached[i] = fmax(reached[i], isnan(error) ? INFINITY : error);
      if (allowed && reached[i] > allowed[i]) return;
    }
  }
}

/* ---------------------------------------------------------------- terms */

static void mark(struct abridging *a, const struct term *term, bool dropped)
{
  if (term->side == 0)
    a->empty[term->root] = dropped;
  else if (dropped)
    a->without[term->sum] |= term->side;
  else
    a->without[term->sum] &= (uint8_t)~term->side;
}

/* What nothing else uses than this node, in additions. */
static double cost_alone(struct abridging *a, expr at)
{
  expr operands[3];
  const enum expr_op op = a->g->nodes[at].op;
  if (--a->left[at] > 0 || expr_arity(op) == 0) return 0;
  double cost = op == EXPR_ADD || op == EXPR_SUBTRACT || op == EXPR_NEGATE || op == EXPR_MULTIPLY ? 1 : 30;
  expr_operands(&a->g->nodes[at], operands);
  for (unsigned k = 0; k < expr_arity(op); k++) cost += cost_alone(a, operands[k]);
  return cost;
}

/* What it costs when it is dropped alone. Kept if that is allowed. */
static void consider(struct abridging *a, const double *allowed, expr sum, uint8_t side, size_t root)
{
  const struct expr_node *node = &a->g->nodes[sum];
  struct term *term = &a->terms[a->term_count];
  const expr operand = side == 0 ? a->roots[root] : side == 1 ? node->a : node->b;
  *term = (struct term){ .sum = sum, .side = side, .root = root, .effect = a->effects + a->term_count * a->count };
  mark(a, term, true);
  spread(a, side ? sum : a->g->count, allowed, term->effect);
  mark(a, term, false);
  for (size_t i = 0; i < a->count; i++) {
    if (!(term->effect[i] <= allowed[i])) return;
    if (term->effect[i] > 0) term->score = fmax(term->score, term->effect[i] / allowed[i]);
  }
  memcpy(a->left, a->uses, a->g->count * sizeof *a->left);
  term->score /= 1 + cost_alone(a, operand);
  a->term_count++;
}

static int compare_terms(const void *x, const void *y)
{
  const struct term *a = x, *b = y;
  return a->score < b->score ? -1 : a->score > b->score;
}

static void find_terms(struct abridging *a, const double *allowed)
{
  for (expr k = 1; k < a->g->count; k++) {
    const enum expr_op op = a->g->nodes[k].op;
    if (!a->uses[k] || (op != EXPR_ADD && op != EXPR_SUBTRACT)) continue;
    consider(a, allowed, k, 1, 0);
    consider(a, allowed, k, 2, 0);
  }
  for (size_t i = 0; i < a->count; i++) {
    if (a->roots[i]) consider(a, allowed, 0, 0, i);
  }
  qsort(a->terms, a->term_count, sizeof *a->terms, compare_terms);
}

/* The cheapest ones first, while their sum is allowed; then what they cost together decides. Answers how many. */
static size_t choose(struct abridging *a, const double *allowed)
{
  size_t chosen = 0;
  memset(a->reached, 0, a->count * sizeof *a->reached);
  for (size_t k = 0; k < a->term_count; k++) {
    bool fits = true;
    for (size_t i = 0; i < a->count; i++) fits = fits && a->reached[i] + a->terms[k].effect[i] <= allowed[i];
    if (!fits) continue;
    for (size_t i = 0; i < a->count; i++) a->reached[i] += a->terms[k].effect[i];
    const struct term term = a->terms[k];
    a->terms[k] = a->terms[chosen];
    a->terms[chosen++] = term;
    mark(a, &term, true);
  }
  for (; chosen > 0; chosen--) {
    bool fits = true;
    spread(a, 1, NULL, a->reached);
    for (size_t i = 0; i < a->count; i++) fits = fits && a->reached[i] <= allowed[i];
    if (fits) break;
    mark(a, &a->terms[chosen - 1], false);
  }
  return chosen;
}

/* ---------------------------------------------------------------- all of it */

static bool abridging_open(struct abridging *a)
{
  const size_t nodes = a->g->count, most = 2 * nodes + a->count;
  a->angles = angles_find(a->g);
  a->ranges = calloc(a->boxes->count * nodes, sizeof *a->ranges);
  a->uses = expr_uses(a->g, a->roots, a->count);
  a->left = calloc(nodes, sizeof *a->left);
  a->without = calloc(nodes, sizeof *a->without);
  a->empty = calloc(a->count, sizeof *a->empty);
  a->errors = calloc(nodes, sizeof *a->errors);
  a->reached = calloc(a->count, sizeof *a->reached);
  a->terms = calloc(most, sizeof *a->terms);
  a->effects = calloc(most * a->count, sizeof *a->effects);
  return a->angles && a->ranges && a->uses && a->left && a->without && a->empty && a->errors && a->reached &&
         a->terms && a->effects;
}

static void abridging_close(struct abridging *a)
{
  free(a->angles);
  free(a->ranges);
  free(a->uses);
  free(a->left);
  free(a->without);
  free(a->empty);
  free(a->errors);
  free(a->reached);
  free(a->terms);
  free(a->effects);
}

static bool replace(struct expr_graph *g, struct abridging *a)
{
  struct expr_graph next;
  for (size_t i = 0; i < a->count; i++) {
    if (a->empty[i]) a->roots[i] = 0;
  }
  const bool made = expr_graph_open(&next) && expr_rebuild(g, &next, EXPR_SUMS_OF_TWO, a->without, a->roots, a->count);
  expr_graph_close(g);
  *g = next;
  return made;
}

bool abridge(struct expr_graph *g, expr *roots, size_t count, const struct boxes *boxes, double *allowed,
             size_t *dropped)
{
  struct abridging a = { .g = g, .boxes = boxes, .roots = roots, .count = count };
  bool good = abridging_open(&a);
  *dropped = 0;
  if (good) {
    for (size_t box = 0; box < boxes->count; box++) {
      ranges_find(g, a.angles, boxes->of + box * boxes->width, a.ranges + box * g->count);
    }
    find_terms(&a, allowed);
    *dropped = choose(&a, allowed);
  }
  for (size_t i = 0; i<count && * dropped> 0; i++) {
    allowed[i] = fmax(0, nextafter(allowed[i] - a.reached[i], -INFINITY));
  }
  if (*dropped > 0) good = replace(g, &a);
  abridging_close(&a);
  return good;
}
