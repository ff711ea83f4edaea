/* C99: one function without memory of its own, reentrant; what it needs is <math.h>, and in double precision a sine and
 * cosine of its own. */
#include "lib/symbolic/print.h"
#include "lib/symbolic/sine_cosine.h"

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

static bool is_sine_or_cosine(const struct expr_node *node)
{
  return node->op == EXPR_SINE || node->op == EXPR_COSINE;
}

/* Where the sine or cosine of the same angle is computed, or SIZE_MAX. */
static size_t place_of(const struct armdyn_code *code, enum expr_op op, expr angle)
{
  for (size_t k = 0; k < code->schedule.count; k++) {
    const struct expr_node *node = &code->graph.nodes[code->schedule.order[k]];
    if (node->op == op && node->a == angle) return k;
  }
  return SIZE_MAX;
}

/* How many sines and cosines there are, and how many of them without the other one of the same angle. */
static size_t count_sines(const struct armdyn_code *code, size_t *alone)
{
  size_t count = 0;
  *alone = 0;
  for (size_t k = 0; k < code->schedule.count; k++) {
    const struct expr_node *node = &code->graph.nodes[code->schedule.order[k]];
    if (!is_sine_or_cosine(node)) continue;
    count++;
    *alone += place_of(code, node->op == EXPR_SINE ? EXPR_COSINE : EXPR_SINE, node->a) == SIZE_MAX;
  }
  return count;
}

static void c_sine_cosine(const struct printer *p)
{
  const char *entry = p->code->entry;
  put(p, "/* Where |x| <= 1e4 within 2e-16; elsewhere by the library. */\n");
  put(p, "static void %s_sine_cosine(double x, double *sine, double *cosine);\n\n", entry);
  put(p, "static void %s_sine_cosine(double x, double *sine, double *cosine)\n{\n", entry);
  p->sink->write(p->sink->context, code_sine_cosine_body, strlen(code_sine_cosine_body));
  put(p, "}\n\n");
}

static void put_place(const struct printer *p, size_t place)
{
  if (place == SIZE_MAX) {
    put(p, "unused");
  } else {
    put_name(p, p->code->schedule.order[place]);
  }
}

/* Both at once, where the first of them stands. */
static void c_pair(const struct printer *p, size_t place)
{
  const struct armdyn_code *code = p->code;
  const expr angle = code->graph.nodes[code->schedule.order[place]].a;
  const size_t sine = place_of(code, EXPR_SINE, angle), cosine = place_of(code, EXPR_COSINE, angle);
  if (sine < place || cosine < place) return;
  for (int k = 0; k < 2; k++) {
    if ((k ? cosine : sine) == SIZE_MAX) continue;
    put(p, "  double ");
    put_place(p, k ? cosine : sine);
    put(p, ";\n");
  }
  put(p, "  %s_sine_cosine(", code->entry);
  put_expression(p, angle, 0);
  put(p, ", &");
  put_place(p, sine);
  put(p, ", &");
  put_place(p, cosine);
  put(p, ");\n");
}

static void c_line(const struct printer *p, size_t place)
{
  const expr at = p->code->schedule.order[place];
  if (!p->code->schedule.name[at]) return;
  if (is_sine_or_cosine(&p->code->graph.nodes[at]) && !p->code->request.single_precision) {
    c_pair(p, place);
    return;
  }
  put(p, "  const %s ", type_of(p));
  put_name(p, at);
  put(p, " = ");
  put_definition(p, at);
  put(p, ";\n");
}

static void c_program(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  size_t alone = 0;
  const size_t sines = code->request.single_precision ? 0 : count_sines(code, &alone);
  put(p, "/*\n");
  put_heading(p, " *");
  put(p, " *\n * %s is row-major. C99; allocates nothing, keeps nothing, may run in any number of threads.\n */\n",
      code->output.name);
  put(p, "#include <math.h>\n\n");
  c_signature(p);
  put(p, ";\n\n");
  if (sines > 0) c_sine_cosine(p);
  c_signature(p);
  put(p, "\n{\n");
  for (size_t k = 0; k < code->input_count; k++) {
    if (!code->inputs[k].state && !reads_input(code, k)) put(p, "  (void)%s;\n", code->inputs[k].name);
  }
  if (alone > 0) put(p, "  double unused;\n");
  for (size_t k = 0; k < code->schedule.count; k++) c_line(p, k);
  if (alone > 0) put(p, "  (void)unused;\n");
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
