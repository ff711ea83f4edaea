/* Expressions as one graph in which equal ones are one node (hash consing), so that whatever is computed twice is written
 * once, and folded as they are made: constants, zeros, ones, signs, x + x, x - x.
 *
 * A graph that ran out of memory, or grew beyond EXPR_MAX nodes, answers 0 from then on and says so in `failed`: make
 * freely, ask once at the end. */
#ifndef LIB_SYMBOLIC_EXPRESSION_H
#define LIB_SYMBOLIC_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t expr; /* index of a node; operands come before what is made of them, and 0 is the number 0 */

enum { EXPR_MAX = 1 << 20 };

enum expr_op {
  EXPR_NUMBER, /* value */
  EXPR_INPUT,  /* the a-th number of the inputs */
  EXPR_ADD,
  EXPR_SUBTRACT,
  EXPR_NEGATE,
  EXPR_MULTIPLY,
  EXPR_DIVIDE,
  EXPR_SINE,
  EXPR_COSINE,
  EXPR_TANH,
  EXPR_EXP,
  EXPR_LOG,
  EXPR_POWER, /* a, not negative, to the constant b */
  EXPR_ABS,
  EXPR_CLIP,   /* a, not beyond -value and value */
  EXPR_LEAST,  /* a, at least value */
  EXPR_SELECT, /* b where a < 0, else c */
  EXPR_OPS
};

struct expr_node {
  enum expr_op op;
  expr a, b, c;
  double value;
};

struct expr_graph {
  struct expr_node *nodes;
  size_t count, capacity;
  uint32_t *table; /* open addressing; 0: free, for node 0 is found without it */
  size_t table_size;
  bool failed;
};

bool expr_graph_open(struct expr_graph *g);
void expr_graph_close(struct expr_graph *g);

/* How many operands a node has: 0 .. 3. */
unsigned expr_arity(enum expr_op op);
/* The operands as an array of expr_arity. */
void expr_operands(const struct expr_node *node, expr operands[3]);

expr expr_number(struct expr_graph *g, double value); /* finite */
expr expr_input(struct expr_graph *g, size_t index);
expr expr_add(struct expr_graph *g, expr a, expr b);
expr expr_subtract(struct expr_graph *g, expr a, expr b);
expr expr_negate(struct expr_graph *g, expr a);
expr expr_multiply(struct expr_graph *g, expr a, expr b);
expr expr_divide(struct expr_graph *g, expr a, expr b);
expr expr_sine(struct expr_graph *g, expr a);
expr expr_cosine(struct expr_graph *g, expr a);
expr expr_select(struct expr_graph *g, expr a, expr negative, expr otherwise);
/* TANH, EXP, LOG, ABS, and CLIP and LEAST with their value. */
expr expr_unary(struct expr_graph *g, enum expr_op op, expr a, double value);
expr expr_power(struct expr_graph *g, expr a, double exponent);

/* Is it a number? */
bool expr_is_number(const struct expr_graph *g, expr a, double *value);

/* The value of a node whose operands have the values x; the same for expr_number's folding and whoever evaluates a graph. */
double expr_value(const struct expr_node *node, const double x[3]);

/* How often each node is used by what the roots are made of; 0: not at all. Allocated; NULL: no memory. */
uint32_t *expr_uses(const struct expr_graph *g, const expr *roots, size_t count);

/* How much of a sum is seen at once when it is made anew. */
enum expr_sums {
  EXPR_SUMS_OF_TWO, /* sums stay in the order in which they are, turns c x + s y together */
  EXPR_WHOLE_SUMS   /* all terms: the shortest */
};

/* A copy of the expressions `roots` in another graph, made anew so that it folds again: rebuild.c.
 *   without  in       of every node which operands of a sum are taken for 0: bit 0 the first, bit 1 the second; NULL: none
 *   roots    in, out  count */
bool expr_rebuild(const struct expr_graph *from, struct expr_graph *to, enum expr_sums sums, const uint8_t *without,
                  expr *roots, size_t count);

/* What the roots are made of: counts of nodes that are used. */
struct expr_counts {
  size_t multiplications, additions, divisions,
      sines;     /* additions: subtractions and changes of sign too; sines: cosines too */
  size_t others; /* tanh, exp, ... */
};
bool expr_count(const struct expr_graph *g, const expr *roots, size_t count, struct expr_counts *out);

#endif
