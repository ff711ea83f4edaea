/* Terms that are left out of sums whose bounds are plain to see: which go, what that uses up, and what is left. */
#include <criterion/criterion.h>

#include "lib/symbolic/abridge.h"

enum { INPUTS = 3 };

static double value_of(const struct expr_graph *g, expr at, const double *inputs)
{
  const struct expr_node *node = &g->nodes[at];
  double x[3] = { 0 };
  expr operands[3] = { 0 };
  if (node->op == EXPR_INPUT) return inputs[node->a];
  expr_operands(node, operands);
  for (unsigned k = 0; k < expr_arity(node->op); k++) x[k] = value_of(g, operands[k], inputs);
  return expr_value(node, x);
}

struct case_of_sum {
  double allowed, left; /* of the root 3 x + 0.5 y z */
  size_t dropped;
  double x, yz; /* what is left of the root: x x + yz y z */
};

/* |x| <= 1, y in [-0.2, 0.1], z in [0, 4]: 3 x is as large as 3, 0.5 y z as 0.5 * 0.2 * 4 = 0.4. */
Test(abridge, what_fits_is_left_out_and_paid_for)
{
  static const struct case_of_sum cases[] = {
    { 0.39, 0.39, 0, 3, 0.5 },
    { 0.41, 0.01, 1, 3, 0 },
    { 1, 0.6, 1, 3, 0 },
    { 3.1, 2.7, 1, 3, 0 }, /* the cheaper one first; then 3 x does not fit any more */
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct expr_graph g;
    cr_assert(expr_graph_open(&g));
    const expr x = expr_input(&g, 0), y = expr_input(&g, 1), z = expr_input(&g, 2);
    expr root = expr_add(&g, expr_multiply(&g, expr_number(&g, 3), x),
                         expr_multiply(&g, expr_number(&g, 0.5), expr_multiply(&g, y, z)));
    const struct boxes boxes = { 1, INPUTS, (struct range[]){ { -1, 1 }, { -0.2, 0.1 }, { 0, 4 } } };
    const double at[INPUTS] = { 0.7, -0.15, 3 };
    double allowed = cases[k].allowed;
    size_t dropped = 9;
    cr_assert(abridge(&g, &root, 1, &boxes, &allowed, &dropped));
    cr_expect_eq(dropped, cases[k].dropped, "%zu: %zu", k, dropped);
    cr_expect_float_eq(allowed, cases[k].left, 1e-12, "%zu: %g is left", k, allowed);
    cr_expect_leq(allowed, cases[k].left, "%zu: rounded against whoever asks", k);
    cr_expect_float_eq(value_of(&g, root, at), cases[k].x * at[0] + cases[k].yz * at[1] * at[2], 1e-15, "%zu", k);
    expr_graph_close(&g);
  }
}

/* The worst of the boxes counts; a root that fits is left out whole; what two roots share must fit both. */
Test(abridge, all_boxes_and_roots_count)
{
  struct expr_graph g;
  cr_assert(expr_graph_open(&g));
  const expr x = expr_input(&g, 0), y = expr_input(&g, 1), z = expr_input(&g, 2);
  const expr sum = expr_add(&g, x, y);
  expr roots[3] = { expr_sine(&g, sum), expr_multiply(&g, expr_number(&g, 100), sum), z };
  const struct boxes boxes = {
    2, INPUTS, (struct range[]){ { 1, 2 }, { 0, 1e-3 }, { 0, 0.1 }, { 1, 2 }, { 0, 2e-3 }, { 0, 0.3 } }
  };
  double allowed[3] = { 0.01, 0.1, 0.4 };
  size_t dropped;
  cr_assert(abridge(&g, roots, 3, &boxes, allowed, &dropped));
  cr_expect_eq(dropped, 1, "%zu: y moves the second root by 0.2, so only the third goes", dropped);
  cr_expect_eq(roots[2], 0);
  cr_expect_float_eq(allowed[2], 0.1, 1e-12);
  cr_expect_float_eq(allowed[1], 0.1, 1e-12);
  allowed[1] = 0.25;
  cr_assert(abridge(&g, roots, 2, &boxes, allowed, &dropped));
  cr_expect_eq(dropped, 1);
  cr_expect_float_eq(allowed[0], 0.008, 1e-12, "a sine is no steeper than 1");
  cr_expect_float_eq(allowed[1], 0.05, 1e-12);
  cr_expect_float_eq(value_of(&g, roots[1], (const double[]){ 1.5, 1e-3, 0 }), 150, 1e-12);
  expr_graph_close(&g);
}
