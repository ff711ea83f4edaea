#include "lib/symbolic/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the graph */

bool expr_graph_open(struct expr_graph *g)
{
  *g = (struct expr_graph){ .capacity = 1024, .table_size = 4096 };
  g->nodes = malloc(g->capacity * sizeof *g->nodes);
  g->table = calloc(g->table_size, sizeof *g->table);
  g->failed = !g->nodes || !g->table;
  if (g->failed) return false;
  g->nodes[g->count++] = (struct expr_node){ .op = EXPR_NUMBER };
  return true;
}

void expr_graph_close(struct expr_graph *g)
{
  free(g->nodes);
  free(g->table);
  *g = (struct expr_graph){ .failed = true };
}

static uint64_t hash_of(const struct expr_node *x)
{
  uint64_t bits, h;
  memcpy(&bits, &x->value, sizeof bits);
  h = bits ^ ((uint64_t)x->op << 58) ^ ((uint64_t)x->a << 40) ^ ((uint64_t)x->b << 20) ^ x->c;
  h = (h ^ h >> 31) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 29;
}

static bool same(const struct expr_node *x, const struct expr_node *y)
{
  return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c && x->value == y->value;
}

/* Where a node stands in the table, or would. */
static size_t place_of(const struct expr_graph *g, const struct expr_node *x)
{
  size_t at = hash_of(x) & (g->table_size - 1);
  while (g->table[at] && !same(&g->nodes[g->table[at]], x)) at = (at + 1) & (g->table_size - 1);
  return at;
}

static bool grow(struct expr_graph *g)
{
  struct expr_node *nodes = realloc(g->nodes, 2 * g->capacity * sizeof *nodes);
  if (!nodes) return false;
  g->nodes = nodes;
  g->capacity *= 2;
  uint32_t *table = calloc(4 * g->capacity, sizeof *table);
  if (!table) return false;
  free(g->table);
  g->table = table;
  g->table_size = 4 * g->capacity;
  for (size_t k = 1; k < g->count; k++) g->table[place_of(g, &g->nodes[k])] = (uint32_t)k;
  return true;
}

static expr intern(struct expr_graph *g, struct expr_node x)
{
  if (g->failed) return 0;
  size_t at = place_of(g, &x);
  if (g->table[at]) return g->table[at];
  if (g->count == g->capacity) {
    g->failed = g->count >= EXPR_MAX || !grow(g);
    if (g->failed) return 0;
    at = place_of(g, &x);
  }
  g->nodes[g->count] = x;
  g->table[at] = (uint32_t)g->count;
  return (expr)g->count++;
}

/* The node if it is there already, else 0. */
static expr known(const struct expr_graph *g, struct expr_node x)
{
  return g->failed ? 0 : g->table[place_of(g, &x)];
}

unsigned expr_arity(enum expr_op op)
{
  switch (op) {
  case EXPR_NUMBER:
  case EXPR_INPUT: return 0;
  case EXPR_ADD:
  case EXPR_SUBTRACT:
  case EXPR_MULTIPLY:
  case EXPR_DIVIDE:
  case EXPR_POWER: return 2;
  case EXPR_SELECT: return 3;
  default: return 1;
  }
}

void expr_operands(const struct expr_node *node, expr operands[3])
{
  const bool leaf = expr_arity(node->op) == 0;
  operands[0] = leaf ? 0 : node->a;
  operands[1] = leaf ? 0 : node->b;
  operands[2] = leaf ? 0 : node->c;
}

double expr_value(const struct expr_node *node, const double x[3])
{
  switch (node->op) {
  case EXPR_ADD: return x[0] + x[1];
  case EXPR_SUBTRACT: return x[0] - x[1];
  case EXPR_NEGATE: return -x[0];
  case EXPR_MULTIPLY: return x[0] * x[1];
  case EXPR_DIVIDE: return x[0] / x[1];
  case EXPR_SINE: return sin(x[0]);
  case EXPR_COSINE: return cos(x[0]);
  case EXPR_TANH: return tanh(x[0]);
  case EXPR_EXP: return exp(x[0]);
  case EXPR_LOG: return log(x[0]);
  case EXPR_POWER: return pow(x[0], x[1]);
  case EXPR_ABS: return fabs(x[0]);
  case EXPR_CLIP: return x[0] < -node->value ? -node->value : x[0] > node->value ? node->value : x[0];
  case EXPR_LEAST: return x[0] < node->value ? node->value : x[0];
  case EXPR_SELECT: return x[0] < 0 ? x[1] : x[2];
  default: return node->value;
  }
}

/* ---------------------------------------------------------------- making and folding */

bool expr_is_number(const struct expr_graph *g, expr a, double *value)
{
  if (g->failed || g->nodes[a].op != EXPR_NUMBER) return false;
  *value = g->nodes[a].value;
  return true;
}

static bool is_op(const struct expr_graph *g, expr a, enum expr_op op)
{
  return !g->failed && g->nodes[a].op == op;
}

/* All operands are numbers: so is the whole. */
static bool fold(struct expr_graph *g, const struct expr_node *node, expr *out)
{
  expr operands[3];
  double x[3] = { 0 };
  expr_operands(node, operands);
  for (unsigned k = 0; k < expr_arity(node->op); k++) {
    if (!expr_is_number(g, operands[k], &x[k])) return false;
  }
  const double value = expr_value(node, x);
  if (!isfinite(value)) return false;
  *out = expr_number(g, value);
  return true;
}

static expr make(struct expr_graph *g, struct expr_node node)
{
  expr folded;
  return fold(g, &node, &folded) ? folded : intern(g, node);
}

expr expr_number(struct expr_graph *g, double value)
{
  return value == 0 ? 0 : intern(g, (struct expr_node){ .op = EXPR_NUMBER, .value = value });
}

expr expr_input(struct expr_graph *g, size_t index)
{
  return intern(g, (struct expr_node){ .op = EXPR_INPUT, .a = (expr)index });
}

expr expr_negate(struct expr_graph *g, expr a)
{
  if (is_op(g, a, EXPR_NEGATE)) return g->nodes[a].a;
  if (is_op(g, a, EXPR_SUBTRACT)) {
    const expr turned = known(g, (struct expr_node){ .op = EXPR_SUBTRACT, .a = g->nodes[a].b, .b = g->nodes[a].a });
    if (turned) return turned;
  }
  return make(g, (struct expr_node){ .op = EXPR_NEGATE, .a = a });
}

expr expr_add(struct expr_graph *g, expr a, expr b)
{
  if (a == 0) return b;
  if (b == 0) return a;
  if (a == b) return expr_multiply(g, expr_number(g, 2), a);
  if (is_op(g, a, EXPR_NEGATE) && is_op(g, b, EXPR_NEGATE)) {
    return expr_negate(g, expr_add(g, g->nodes[a].a, g->nodes[b].a));
  }
  if (is_op(g, a, EXPR_NEGATE)) return expr_subtract(g, b, g->nodes[a].a);
  if (is_op(g, b, EXPR_NEGATE)) return expr_subtract(g, a, g->nodes[b].a);
  double number;
  if (expr_is_number(g, a, &number) && number < 0) return expr_subtract(g, b, expr_number(g, -number));
  if (expr_is_number(g, b, &number) && number < 0) return expr_subtract(g, a, expr_number(g, -number));
  /* x + (y - x) = y */
  if (is_op(g, b, EXPR_SUBTRACT) && g->nodes[b].b == a) return g->nodes[b].a;
  if (is_op(g, a, EXPR_SUBTRACT) && g->nodes[a].b == b) return g->nodes[a].a;
  return make(g, (struct expr_node){ .op = EXPR_ADD, .a = a < b ? a : b, .b = a < b ? b : a });
}

expr expr_subtract(struct expr_graph *g, expr a, expr b)
{
  if (a == b) return 0;
  if (b == 0) return a;
  if (a == 0) return expr_negate(g, b);
  if (is_op(g, b, EXPR_NEGATE)) return expr_add(g, a, g->nodes[b].a);
  if (is_op(g, a, EXPR_NEGATE)) return expr_negate(g, expr_add(g, g->nodes[a].a, b));
  double number;
  if (expr_is_number(g, b, &number) && number < 0) return expr_add(g, a, expr_number(g, -number));
  const expr turned = known(g, (struct expr_node){ .op = EXPR_SUBTRACT, .a = b, .b = a });
  if (turned) return expr_negate(g, turned);
  return make(g, (struct expr_node){ .op = EXPR_SUBTRACT, .a = a, .b = b });
}

expr expr_multiply(struct expr_graph *g, expr a, expr b)
{
  double x, y;
  if (a == 0 || b == 0) return 0;
  if (is_op(g, a, EXPR_NEGATE)) return expr_negate(g, expr_multiply(g, g->nodes[a].a, b));
  if (is_op(g, b, EXPR_NEGATE)) return expr_negate(g, expr_multiply(g, a, g->nodes[b].a));
  if (expr_is_number(g, b, &y) && !expr_is_number(g, a, &x)) return expr_multiply(g, b, a);
  if (expr_is_number(g, a, &x)) {
    if (x == 1) return b;
    if (expr_is_number(g, b, &y)) return expr_number(g, x * y);
    if (x < 0) return expr_negate(g, expr_multiply(g, expr_number(g, -x), b));
    if (is_op(g, b, EXPR_MULTIPLY) && expr_is_number(g, g->nodes[b].a, &y)) {
      return expr_multiply(g, expr_number(g, x * y), g->nodes[b].b);
    }
    return intern(g, (struct expr_node){ .op = EXPR_MULTIPLY, .a = a, .b = b });
  }
  return intern(g, (struct expr_node){ .op = EXPR_MULTIPLY, .a = a < b ? a : b, .b = a < b ? b : a });
}

expr expr_divide(struct expr_graph *g, expr a, expr b)
{
  if (a == 0) return 0;
  if (is_op(g, a, EXPR_NEGATE)) return expr_negate(g, expr_divide(g, g->nodes[a].a, b));
  return make(g, (struct expr_node){ .op = EXPR_DIVIDE, .a = a, .b = b });
}

expr expr_sine(struct expr_graph *g, expr a)
{
  if (is_op(g, a, EXPR_NEGATE)) return expr_negate(g, expr_sine(g, g->nodes[a].a));
  return make(g, (struct expr_node){ .op = EXPR_SINE, .a = a });
}

expr expr_cosine(struct expr_graph *g, expr a)
{
  if (is_op(g, a, EXPR_NEGATE)) a = g->nodes[a].a;
  return make(g, (struct expr_node){ .op = EXPR_COSINE, .a = a });
}

expr expr_select(struct expr_graph *g, expr a, expr negative, expr otherwise)
{
  if (negative == otherwise) return negative;
  return make(g, (struct expr_node){ .op = EXPR_SELECT, .a = a, .b = negative, .c = otherwise });
}

expr expr_unary(struct expr_graph *g, enum expr_op op, expr a, double value)
{
  return make(g, (struct expr_node){ .op = op, .a = a, .value = value });
}

expr expr_power(struct expr_graph *g, expr a, double exponent)
{
  if (exponent == 0) return expr_number(g, 1);
  if (exponent == 1) return a;
  if (exponent == 2) return expr_multiply(g, a, a);
  return make(g, (struct expr_node){ .op = EXPR_POWER, .a = a, .b = expr_number(g, exponent) });
}

/* ---------------------------------------------------------------- what is used */

uint32_t *expr_uses(const struct expr_graph *g, const expr *roots, size_t count)
{
  if (g->failed) return NULL;
  uint32_t *uses = calloc(g->count, sizeof *uses);
  if (!uses) return NULL;
  for (size_t k = 0; k < count; k++) uses[roots[k]]++;
  for (size_t k = g->count; k-- > 0;) {
    expr operands[3];
    if (!uses[k]) continue;
    expr_operands(&g->nodes[k], operands);
    for (unsigned o = 0; o < expr_arity(g->nodes[k].op); o++) uses[operands[o]]++;
  }
  return uses;
}

bool expr_count(const struct expr_graph *g, const expr *roots, size_t count, struct expr_counts *out)
{
  uint32_t *uses = expr_uses(g, roots, count);
  *out = (struct expr_counts){ 0 };
  if (!uses) return false;
  for (size_t k = 0; k < g->count; k++) {
    if (!uses[k]) continue;
    switch (g->nodes[k].op) {
    case EXPR_NUMBER:
    case EXPR_INPUT: break;
    case EXPR_ADD:
    case EXPR_SUBTRACT:
    case EXPR_NEGATE: out->additions++; break;
    case EXPR_MULTIPLY: out->multiplications++; break;
    case EXPR_DIVIDE: out->divisions++; break;
    case EXPR_SINE:
    case EXPR_COSINE: out->sines++; break;
    default: out->others++;
    }
  }
  free(uses);
  return true;
}
