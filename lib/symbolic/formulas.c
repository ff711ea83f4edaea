/* LaTeX and plain text: the list of operations as equations, one after the other. */
#include "lib/symbolic/closed_text.h"

/* \dot{q}_{2}, or qd2 */
static void formula_input(const struct printer *p, size_t input, size_t k)
{
  static const char *const names[] = { [INPUT_P] = "p",           [INPUT_Q] = "q",       [INPUT_QD] = "\\dot{q}",
                                       [INPUT_QDD] = "\\ddot{q}", [INPUT_TAU] = "\\tau", [INPUT_PAYLOAD] = "\\pi",
                                       [INPUT_GAIN] = "K",        [INPUT_PERIOD] = "T",  [INPUT_STATE] = "x" };
  const struct armdyn_code_variable *x = &p->code->inputs[input];
  const char *name = is_latex(p) ? names[p->code->kinds[input]] : x->name;
  if (x->scalar) {
    put(p, "%s", name);
  } else {
    put(p, is_latex(p) ? "%s_{%zu}" : "%s%zu", name, k + 1);
  }
}

static void formula_special(const struct printer *p, const struct expr_node *node)
{
  static const char *const names[EXPR_OPS] = { [EXPR_SINE] = "sin", [EXPR_COSINE] = "cos", [EXPR_TANH] = "tanh",
                                               [EXPR_EXP] = "exp",  [EXPR_LOG] = "ln",     [EXPR_ABS] = "abs" };
  const char *left = is_latex(p) ? "\\left(" : "(", *right = is_latex(p) ? "\\right)" : ")";
  if (node->op == EXPR_POWER) {
    put_expression(p, node->a, 3);
    put(p, is_latex(p) ? "^{" : "^");
    put_expression(p, node->b, 3);
    put(p, is_latex(p) ? "}" : "");
    return;
  }
  if (node->op == EXPR_SELECT) {
    put(p, is_latex(p) ? "\\begin{cases} " : "(");
    put_expression(p, node->b, 0);
    put(p, is_latex(p) ? " & " : " if ");
    put_expression(p, node->a, 0);
    put(p, is_latex(p) ? " < 0 \\\\ " : " < 0, else ");
    put_expression(p, node->c, 0);
    put(p, is_latex(p) ? " \\end{cases}" : ")");
    return;
  }
  if (is_latex(p) && node->op == EXPR_ABS) {
    put(p, "\\left|");
    put_expression(p, node->a, 0);
    put(p, "\\right|");
    return;
  }
  put(p, "%s%s%s", is_latex(p) ? "\\" : "", names[node->op], left);
  put_expression(p, node->a, 0);
  put(p, "%s", right);
}

static void formula_output(const struct printer *p, size_t k)
{
  const struct armdyn_code *code = p->code;
  const size_t columns = code->output.columns;
  static const char *const names[ARMDYN_CODE_FUNCTIONS] = { [ARMDYN_CODE_MASS_MATRIX] = "M",
                                                            [ARMDYN_CODE_FORWARD_KINEMATICS] = "T",
                                                            [ARMDYN_CODE_JACOBIAN] = "J",
                                                            [ARMDYN_CODE_REGRESSOR] = "Y",
                                                            [ARMDYN_CODE_COLLISION_OBSERVER] = "x'" };
  const char *symbol = names[code->request.function], *torque = is_latex(p) ? "\\tau" : "tau";
  put(p, is_latex(p) ? "%s_{%zu" : "%s%zu", symbol ? symbol : torque, k / columns + 1);
  if (columns > 1) put(p, ",%zu", k % columns + 1);
  put(p, "%s", is_latex(p) ? "}" : "");
}

static void formula_name(const struct printer *p, expr at)
{
  const struct armdyn_code *code = p->code;
  const struct expr_node *node = &code->graph.nodes[at];
  if (is_latex(p) && schedule_is_sine(&code->graph, at)) {
    const size_t joint = code->graph.nodes[node->a].a - code_input_place(code, INPUT_Q);
    put(p, "%c_{%zu}", node->op == EXPR_SINE ? 's' : 'c', joint + 1);
  } else if (is_latex(p)) {
    put(p, "t_{%u}", code->schedule.name[at]);
  } else {
    put_plain_name(p, at);
  }
}

static void formula_number(const struct printer *p, double value)
{
  char text[64];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    const bool long_hand = value >= 1e-4 && value < 1e15 && strchr(text, 'e');
    if (!long_hand && strtod(text, NULL) == value) break;
  }
  char *exponent = strchr(text, 'e');
  if (!exponent || !is_latex(p)) {
    put(p, "%s", text);
    return;
  }
  put(p, "%.*s \\cdot 10^{%ld}", (int)(exponent - text), text, strtol(exponent + 1, NULL, 10));
}

static void formulas(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  if (code->closed) {
    print_closed_form(p, code->closed);
    return;
  }
  const char *end = is_latex(p) ? " \\\\\n" : "\n", *equals = is_latex(p) ? " &= " : " = ";
  put_heading(p, is_latex(p) ? "%" : "");
  put(p, is_latex(p) ? "\\begin{align*}\n" : "\n");
  for (size_t k = 0; k < code->schedule.count; k++) {
    const expr at = code->schedule.order[k];
    if (!code->schedule.name[at]) continue;
    formula_name(p, at);
    put(p, "%s", equals);
    put_definition(p, at);
    put(p, "%s", end);
  }
  for (size_t k = 0; k < code->output_size; k++) {
    formula_output(p, k);
    put(p, "%s", equals);
    put_expression(p, code->roots[k], 0);
    put(p, "%s", k + 1 < code->output_size || !is_latex(p) ? end : "\n");
  }
  put(p, "%s", is_latex(p) ? "\\end{align*}\n" : "");
}

const struct language language_latex = { .suffix = ".tex",
                                         .times = " \\, ",
                                         .program = formulas,
                                         .input = formula_input,
                                         .number = formula_number,
                                         .special = formula_special,
                                         .name = formula_name };
const struct language language_text = { .suffix = ".txt",
                                        .program = formulas,
                                        .input = formula_input,
                                        .number = formula_number,
                                        .special = formula_special,
                                        .name = formula_name };
