/* Python 3 with its own math module alone. */
#include "lib/symbolic/print.h"

static void python_input(const struct printer *p, size_t input, size_t k)
{
  const struct armdyn_code_variable *x = &p->code->inputs[input];
  put(p, x->scalar ? "%s" : "%s[%zu]", x->name, k);
}

static void python_special(const struct printer *p, const struct expr_node *node)
{
  if (node->op == EXPR_POWER) {
    put(p, "pow(");
    put_expression(p, node->a, 0);
    put(p, ", ");
    put_expression(p, node->b, 0);
    put(p, ")");
    return;
  }
  put(p, "("); /* SELECT */
  put_expression(p, node->b, 0);
  put(p, " if ");
  put_expression(p, node->a, 0);
  put(p, " < 0.0 else ");
  put_expression(p, node->c, 0);
  put(p, ")");
}

static void python_arguments(const struct printer *p)
{
  for (size_t k = 0; k < p->code->input_count; k++) put(p, "%s%s", k > 0 ? ", " : "", p->code->inputs[k].name);
}

static void python_signature(const struct printer *p)
{
  put(p, "def %s(", p->code->entry);
  python_arguments(p);
  put(p, ")");
}

static void python_program(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  const size_t columns = code->output.columns;
  put_heading(p, "#");
  put(p, "import math\n\n\n");
  python_signature(p);
  put(p, ":\n");
  for (size_t k = 0; k < code->schedule.count; k++) {
    const expr at = code->schedule.order[k];
    if (!code->schedule.name[at]) continue;
    put(p, "    ");
    put_name(p, at);
    put(p, " = ");
    put_definition(p, at);
    put(p, "\n");
  }
  put(p, "    return [\n");
  for (size_t k = 0; k < code->output_size; k++) {
    const bool matrix = columns > 1, first = matrix && k % columns == 0, last = matrix && (k + 1) % columns == 0;
    put(p, first ? "        [" : matrix ? " " : "        ");
    put_expression(p, code->roots[k], 0);
    put(p, last ? "],\n" : matrix ? "," : ",\n");
  }
  put(p, "    ]\n");
}

static void python_test(const struct printer *p, const struct vectors *v)
{
  const struct armdyn_code *code = p->code;
  put(p, "# %d states, and what %s of them. Exit status 0: all agree.\n", ARMDYN_CODE_VECTORS, whose_vectors(p->code));
  put(p, "import sys\n\nfrom %s import %s\n\nINPUTS = [\n", code->entry, code->entry);
  put_rows(p, v->inputs, ARMDYN_CODE_VECTORS, code->input_size, "    [", "],", "");
  put(p, "]\nEXPECTED = [\n");
  put_rows(p, v->outputs, ARMDYN_CODE_VECTORS, code->output_size, "    [", "],", "");
  put(p, "]\nTOLERANCE = %.3g\n\nworst = 0.0\nfor x, expected in zip(INPUTS, EXPECTED):\n", v->tolerance);
  put(p, "    result = %s(", code->entry);
  for (size_t k = 0; k < code->input_count; k++) {
    const size_t first = code->first[k];
    put(p, code->inputs[k].scalar ? "%sx[%zu]" : "%sx[%zu:%zu]", k > 0 ? ", " : "", first,
        first + code->inputs[k].rows);
  }
  put(p, ")\n");
  if (code->output.columns > 1) put(p, "    result = [entry for row in result for entry in row]\n");
  put(p, "    assert len(result) == len(expected)\n");
  put(p, "    worst = max([worst] + [abs(a - b) for a, b in zip(result, expected)])\n");
  put(p, "print(f\"largest difference {worst:.3g}, tolerance {TOLERANCE:.3g}\")\n");
  put(p, "sys.exit(0 if worst <= TOLERANCE else 1)\n");
}

const struct language language_python = {
  .suffix = ".py",
  .test_suffix = "_test.py",
  .functions = { [EXPR_SINE] = "math.sin",
                 [EXPR_COSINE] = "math.cos",
                 [EXPR_TANH] = "math.tanh",
                 [EXPR_EXP] = "math.exp",
                 [EXPR_ABS] = "abs" },
  .program = python_program,
  .test = python_test,
  .signature = python_signature,
  .input = python_input,
  .number = put_number,
  .special = python_special,
};
