/* The order in which a graph is computed, and which of its nodes get a name: those that are used more than once, and long
 * ones. All others stand where they are used. */
#ifndef LIB_SYMBOLIC_SCHEDULE_H
#define LIB_SYMBOLIC_SCHEDULE_H

#include "lib/symbolic/expression.h"

struct schedule {
  size_t count;   /* of operations */
  expr *order;    /* count: operands come first */
  uint32_t *name; /* of every node of the graph: 0, not named, else its place among the named ones, from 1 */
  uint32_t *slot; /* of every node: named ones that do not live at the same time share a slot, from 1 */
  size_t names, slots;
  size_t sines; /* sines and cosines of inputs, which keep a name of their own instead of a slot */
};

/* Languages cannot write some operations inside of others: bit op of `apart` is set for those that need a name. `keep` are
 * roots that need a name each, for they are written while inputs are still read. */
bool schedule_make(const struct expr_graph *g, const expr *roots, size_t count, unsigned apart, bool keep,
                   struct schedule *out);
/* The sine or cosine of an input? */
bool schedule_is_sine(const struct expr_graph *g, expr at);
void schedule_release(struct schedule *s);

#endif
