/* C99: one function without memory of its own, reentrant; what it needs is <math.h>. */
#include "lib/symbolic/print.h"

static const char *type_of(const struct printer *p)
{
  return p->code->request.single_precision ? "float" : "double";
}

static void c_number(const struct printer *p, double value)
{
  put_number(p, value);
  if (p->code->request.single_precision) put(p, "f");
}

static void c_input(const struct printer *p, size_t input, size_t k)
{
  const struct armdyn_code_variable *x = &p->code->inputs[input];
  put(p, x->scalar ? "%s" : "%s[%zu]", x->name, k);
}

/* "sin" or "sinf" */
static void c_call(const struct printer *p, const char *name)
{
  put(p, "%s%s(", name, p->code->request.single_precision ? "f" : "");
}

static void c_special(const struct printer *p, const struct expr_node *node)
{
  static const char *const names[EXPR_OPS] = {
    [EXPR_SINE] = "sin", [EXPR_COSINE] = "cos", [EXPR_TANH] = "tanh", [EXPR_EXP] = "exp",
    [EXPR_LOG] = "log",  [EXPR_ABS] = "fabs",   [EXPR_POWER] = "pow"
  };
  if (node->op == EXPR_SELECT) {
    put(p, "((");
    put_expression(p, node->a, 0);
    put(p, " < ");
    p->language->number(p, 0);
    put(p, ") ? ");
    put_expression(p, node->b, 3);
    put(p, " : ");
    put_expression(p, node->c, 3);
    put(p, ")");
    return;
  }
  c_call(p, names[node->op]);
  put_expression(p, node->a, 0);
  if (node->op == EXPR_POWER) {
    put(p, ", ");
    put_expression(p, node->b, 0);
  }
  put(p, ")");
}

static void c_signature(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  put(p, "void %s(", code->entry);
  for (size_t k = 0; k < code->input_count; k++) {
    const struct armdyn_code_variable *x = &code->inputs[k];
    if (x->state) continue; /* is the output too */
    put(p, x->scalar ? "%s %s, " : "const %s *%s, ", type_of(p), x->name);
  }
  put(p, "%s *%s)", type_of(p), code->output.name);
}

static void c_program(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  put(p, "/*\n");
  put_heading(p, " *");
  put(p, " *\n * %s is row-major. C99; allocates nothing, keeps nothing, may run in any number of threads.\n */\n",
      code->output.name);
  put(p, "#include <math.h>\n\n");
  c_signature(p);
  put(p, ";\n\n");
  c_signature(p);
  put(p, "\n{\n");
  for (size_t k = 0; k < code->input_count; k++) {
    if (!code->inputs[k].state && !reads_input(code, k)) put(p, "  (void)%s;\n", code->inputs[k].name);
  }
  for (size_t k = 0; k < code->schedule.count; k++) {
    const expr at = code->schedule.order[k];
    if (!code->schedule.name[at]) continue;
    put(p, "  const %s ", type_of(p));
    put_name(p, at);
    put(p, " = ");
    put_definition(p, at);
    put(p, ";\n");
  }
  put(p, "\n");
  for (size_t k = 0; k < code->output_size; k++) {
    put(p, "  %s[%zu] = ", code->output.name, k);
    put_expression(p, code->roots[k], 0);
    put(p, ";\n");
  }
  put(p, "}\n");
}

/* The call for one row of inputs, whose result goes to `out`. */
static void c_call_of_row(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  put(p, "%s(", code->entry);
  for (size_t k = 0; k < code->input_count; k++) {
    const struct armdyn_code_variable *x = &code->inputs[k];
    if (x->state) continue;
    put(p, x->scalar ? "inputs[k][%zu], " : "&inputs[k][%zu], ", code->first[k]);
  }
  put(p, "out);\n");
}

static void c_test(const struct printer *p, const struct vectors *v)
{
  const struct armdyn_code *code = p->code;
  const size_t state = code_input_place(code, INPUT_STATE);
  put(p, "/* %d states, and what %s of them. Exit status 0: all agree. */\n", ARMDYN_CODE_VECTORS,
      whose_vectors(p->code));
  put(p, "#include <math.h>\n#include <stdio.h>\n\n");
  c_signature(p);
  put(p, ";\n\nstatic const %s inputs[%d][%zu] = {\n", type_of(p), ARMDYN_CODE_VECTORS, code->input_size);
  put_rows(p, v->inputs, ARMDYN_CODE_VECTORS, code->input_size, "  { ", " }", ",");
  put(p, "};\nstatic const %s expected[%d][%zu] = {\n", type_of(p), ARMDYN_CODE_VECTORS, code->output_size);
  put_rows(p, v->outputs, ARMDYN_CODE_VECTORS, code->output_size, "  { ", " }", ",");
  put(p, "};\n\nint main(void)\n{\n  const double tolerance = %.3g;\n  double worst = 0.0;\n", v->tolerance);
  put(p, "  for (int k = 0; k < %d; k++) {\n    %s out[%zu] = { 0 };\n", ARMDYN_CODE_VECTORS, type_of(p),
      code->output_size);
  if (state != SIZE_MAX) {
    put(p, "    for (int i = 0; i < %zu; i++) {\n      out[i] = inputs[k][%zu + i];\n    }\n", code->output_size,
        state);
  }
  put(p, "    ");
  c_call_of_row(p);
  put(p, "    for (int i = 0; i < %zu; i++) {\n", code->output_size);
  put(p, "      const double difference = fabs((double)out[i] - (double)expected[k][i]);\n");
  put(p, "      if (!(difference <= worst)) {\n        worst = difference;\n      }\n    }\n  }\n");
  put(p, "  (void)printf(\"largest difference %%.3g, tolerance %%.3g\\n\", worst, tolerance);\n");
  put(p, "  return (worst <= tolerance) ? 0 : 1;\n}\n");
}

const struct language language_c = { .suffix = ".c",
                                     .test_suffix = "_test.c",
                                     .keep = true,
                                     .program = c_program,
                                     .test = c_test,
                                     .signature = c_signature,
                                     .input = c_input,
                                     .number = c_number,
                                     .special = c_special };
