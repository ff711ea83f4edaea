/* Matlab and Octave: a function in a file of its name. */
#include "lib/symbolic/print.h"

static void matlab_input(const struct printer *p, size_t input, size_t k)
{
  const struct armdyn_code_variable *x = &p->code->inputs[input];
  put(p, x->scalar ? "%s" : "%s(%zu)", x->name, k + 1);
}

/* POWER; choices stand apart. */
static void matlab_special(const struct printer *p, const struct expr_node *node)
{
  put_expression(p, node->a, 3);
  put(p, "^");
  put_expression(p, node->b, 3);
}

static void matlab_arguments(const struct printer *p)
{
  for (size_t k = 0; k < p->code->input_count; k++) put(p, "%s%s", k > 0 ? ", " : "", p->code->inputs[k].name);
}

static void matlab_signature(const struct printer *p)
{
  put(p, "function %s = %s(", p->code->output.name, p->code->entry);
  matlab_arguments(p);
  put(p, ")");
}

static void matlab_line(const struct printer *p, expr at)
{
  const struct expr_node *node = &p->code->graph.nodes[at];
  if (node->op == EXPR_SELECT) {
    put(p, "  if ");
    put_expression(p, node->a, 0);
    put(p, " < 0.0\n    ");
    put_name(p, at);
    put(p, " = ");
    put_expression(p, node->b, 0);
    put(p, ";\n  else\n    ");
    put_name(p, at);
    put(p, " = ");
    put_expression(p, node->c, 0);
    put(p, ";\n  end\n");
    return;
  }
  put(p, "  ");
  put_name(p, at);
  put(p, " = ");
  put_definition(p, at);
  put(p, ";\n");
}

static void matlab_program(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  const size_t columns = code->output.columns;
  matlab_signature(p);
  put(p, "\n");
  put_heading(p, "%");
  for (size_t k = 0; k < code->schedule.count; k++) {
    if (code->schedule.name[code->schedule.order[k]]) matlab_line(p, code->schedule.order[k]);
  }
  put(p, "  %s = zeros(%zu, %zu);\n", code->output.name, code->output.rows, columns);
  for (size_t k = 0; k < code->output_size; k++) {
    put(p, "  %s(%zu, %zu) = ", code->output.name, k / columns + 1, k % columns + 1);
    put_expression(p, code->roots[k], 0);
    put(p, ";\n");
  }
  put(p, "end\n");
}

static void matlab_test(const struct printer *p, const struct vectors *v)
{
  const struct armdyn_code *code = p->code;
  put(p, "function worst = %s_test()\n", code->entry);
  put(p, "%% %d states, and what %s of them. Fails unless all agree.\n  inputs = [\n", ARMDYN_CODE_VECTORS,
      whose_vectors(p->code));
  put_rows(p, v->inputs, ARMDYN_CODE_VECTORS, code->input_size, "    ", ";", "");
  put(p, "  ];\n  expected = [\n");
  put_rows(p, v->outputs, ARMDYN_CODE_VECTORS, code->output_size, "    ", ";", "");
  put(p, "  ];\n  tolerance = %.3g;\n  worst = 0.0;\n  for k = 1:%d\n    x = inputs(k, :);\n    result = %s(",
      v->tolerance, ARMDYN_CODE_VECTORS, code->entry);
  for (size_t k = 0; k < code->input_count; k++) {
    const size_t first = code->first[k] + 1;
    put(p, code->inputs[k].scalar ? "%sx(%zu)" : "%sx(%zu:%zu)", k > 0 ? ", " : "", first,
        first + code->inputs[k].rows - 1);
  }
  put(p, ");\n    row = reshape(result.', 1, []);\n");
  put(p, "    worst = max([worst, abs(row - expected(k, :))]);\n  end\n");
  put(p, "  fprintf('largest difference %%.3g, tolerance %%.3g\\n', worst, tolerance);\n");
  put(p, "  if ~(worst <= tolerance)\n    error('armdyn:disagrees', 'the program disagrees with its test');\n  "
         "end\nend\n");
}

const struct language language_matlab = {
  .suffix = ".m",
  .test_suffix = "_test.m",
  .apart = 1u << EXPR_SELECT,
  .functions = { [EXPR_SINE] = "sin",
                 [EXPR_COSINE] = "cos",
                 [EXPR_TANH] = "tanh",
                 [EXPR_EXP] = "exp",
                 [EXPR_ABS] = "abs" },
  .program = matlab_program,
  .test = matlab_test,
  .signature = matlab_signature,
  .input = matlab_input,
  .number = put_number,
  .special = matlab_special,
};
