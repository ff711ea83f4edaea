/* Structured text (IEC 61131-3) for CODESYS, TwinCAT and Siemens SCL: a function block, without pointers, recursion, or
 * functions that one of them lacks; and a block that tests it. */
#include "lib/symbolic/print.h"

static bool siemens(const struct printer *p)
{
  return p->code->request.dialect == ARMDYN_CODE_SIEMENS;
}
static const char *type_of(const struct printer *p)
{
  return p->code->request.single_precision ? "REAL" : "LREAL";
}
/* Siemens writes # before local names and block names in quotes. */
static const char *local(const struct printer *p)
{
  return siemens(p) ? "#" : "";
}
static const char *quote(const struct printer *p)
{
  return siemens(p) ? "\"" : "";
}

static void st_number(const struct printer *p, double value)
{
  if (p->code->request.single_precision) put(p, "REAL#");
  put_number(p, value);
}

static void st_input(const struct printer *p, size_t input, size_t k)
{
  const struct armdyn_code_variable *x = &p->code->inputs[input];
  put(p, x->scalar ? "%s%s" : "%s%s[%zu]", local(p), x->name, k + 1);
}

static void st_variable(const struct printer *p, expr at)
{
  put(p, "%s", local(p));
  put_plain_name(p, at);
}

static void st_array(const struct printer *p, const char *name, size_t rows, size_t columns, const char *meaning)
{
  put(p, "  %s : ARRAY[1..%zu", name, rows);
  if (columns > 1) put(p, ", 1..%zu", columns);
  put(p, "] OF %s;%s%s%s\n", type_of(p), *meaning ? " (* " : "", meaning, *meaning ? " *)" : "");
}

static void st_interface(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  put(p, "VAR_INPUT\n");
  for (size_t k = 0; k < code->input_count; k++) {
    const struct armdyn_code_variable *x = &code->inputs[k];
    if (x->state) continue;
    if (x->scalar) {
      put(p, "  %s : %s; (* %s *)\n", x->name, type_of(p), x->meaning);
    } else {
      st_array(p, x->name, x->rows, 1, x->meaning);
    }
  }
  put(p, "END_VAR\nVAR_OUTPUT\n");
  if (code->output.state) {
    st_array(p, "residual", code->joint_count, 1, "external torque of each joint, N m (N)");
  } else {
    st_array(p, code->output.name, code->output.rows, code->output.columns, code->output.meaning);
  }
  put(p, "END_VAR\n");
}

static void st_variables(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  put(p, "VAR\n");
  if (code->output.state) st_array(p, "state", code->output.rows, 1, "what is remembered from call to call");
  for (size_t k = 0; k < code->schedule.count; k++) {
    const expr at = code->schedule.order[k];
    if (!code->schedule.name[at] || !schedule_is_sine(&code->graph, at)) continue;
    put(p, "  ");
    put_plain_name(p, at);
    put(p, " : %s;\n", type_of(p));
  }
  for (size_t slot = 1; slot <= code->schedule.slots; slot++) put(p, "  t%zu : %s;\n", slot, type_of(p));
  if (code->schedule.slots == 0 && !code->output.state) put(p, "  unused : %s;\n", type_of(p));
  put(p, "END_VAR\n");
}

/* name := expression */
static void st_assign(const struct printer *p, const char *before, expr to, expr from, bool defined)
{
  put(p, "%s", before);
  put_name(p, to);
  put(p, " := ");
  if (defined) {
    put_definition(p, from);
  } else {
    put_expression(p, from, 0);
  }
  put(p, ";\n");
}

/* IF name < bound THEN name := bound; END_IF */
static void st_bound(const struct printer *p, expr at, const char *relation, double bound)
{
  put(p, "IF ");
  put_name(p, at);
  put(p, " %s %s", relation, bound < 0 ? "-" : "");
  p->language->number(p, bound < 0 ? -bound : bound);
  put(p, " THEN\n  ");
  put_name(p, at);
  put(p, " := %s", bound < 0 ? "-" : "");
  p->language->number(p, bound < 0 ? -bound : bound);
  put(p, ";\nEND_IF;\n");
}

static void st_line(const struct printer *p, expr at)
{
  const struct expr_node *node = &p->code->graph.nodes[at];
  switch (node->op) {
  case EXPR_CLIP:
    st_assign(p, "", at, node->a, false);
    st_bound(p, at, "<", -node->value);
    st_bound(p, at, ">", node->value);
    break;
  case EXPR_LEAST:
    st_assign(p, "", at, node->a, false);
    st_bound(p, at, "<", node->value);
    break;
  case EXPR_SELECT:
    put(p, "IF ");
    put_expression(p, node->a, 0);
    put(p, " < ");
    p->language->number(p, 0);
    put(p, " THEN\n");
    st_assign(p, "  ", at, node->b, false);
    put(p, "ELSE\n");
    st_assign(p, "  ", at, node->c, false);
    put(p, "END_IF;\n");
    break;
  default: st_assign(p, "", at, at, true);
  }
}

static void st_output(const struct printer *p, size_t k)
{
  const struct armdyn_code *code = p->code;
  const size_t columns = code->output.columns;
  put(p, "%s%s[%zu", local(p), code->output.name, k / columns + 1);
  if (columns > 1) put(p, ", %zu", k % columns + 1);
  put(p, "]");
}

static void st_signature(const struct printer *p)
{
  put(p, "FUNCTION_BLOCK %sFB_%s%s", quote(p), p->code->entry, quote(p));
}

static void st_program(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  put(p, "(*\n");
  put_heading(p, "");
  put(p, "*)\n");
  st_signature(p);
  put(p, "\n");
  st_interface(p);
  st_variables(p);
  if (siemens(p)) put(p, "BEGIN\n");
  for (size_t k = 0; k < code->schedule.count; k++) {
    if (code->schedule.name[code->schedule.order[k]]) st_line(p, code->schedule.order[k]);
  }
  for (size_t k = 0; k < code->output_size; k++) {
    st_output(p, k);
    put(p, " := ");
    put_expression(p, code->roots[k], 0);
    put(p, ";\n");
  }
  for (size_t k = 1; k <= code->joint_count && code->output.state; k++) {
    put(p, "%sresidual[%zu] := %sstate[%zu];\n", local(p), k, local(p), k);
  }
  put(p, "END_FUNCTION_BLOCK\n");
}

/* ---------------------------------------------------------------- the test's block */

static void st_table(const struct printer *p, const char *name, const double *x, size_t rows, size_t columns)
{
  put(p, "  %s : ARRAY[1..%zu] OF %s := [\n", name, rows * columns, type_of(p));
  put_rows(p, x, rows, columns, "    ", "", ",");
  put(p, "  ];\n");
}

/* FOR index := 1 TO last DO */
static void st_for(const struct printer *p, const char *before, const char *index, size_t last)
{
  put(p, "%sFOR %s%s := 1 TO %zu DO\n", before, local(p), index, last);
}

static void st_test_inputs(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  const char *h = local(p);
  for (size_t k = 0; k < code->input_count; k++) {
    const struct armdyn_code_variable *x = &code->inputs[k];
    if (x->state) continue;
    if (x->scalar) {
      put(p, "  %s%s := %sinputs[(%sk - 1) * %zu + %zu];\n", h, x->name, h, h, code->input_size, code->first[k] + 1);
      continue;
    }
    st_for(p, "  ", "i", x->rows);
    put(p, "    %s%s[%si] := %sinputs[(%sk - 1) * %zu + %zu + %si];\n  END_FOR;\n", h, x->name, h, h, h,
        code->input_size, code->first[k], h);
  }
  put(p, "  %sblock(", h);
  const char *between = "";
  for (size_t k = 0; k < code->input_count; k++) {
    const char *name = code->inputs[k].name;
    if (code->inputs[k].state) continue;
    put(p, "%s%s := %s%s", between, name, h, name);
    between = ", ";
  }
  put(p, ");\n");
}

static void st_test_compare(const struct printer *p)
{
  const struct armdyn_code *code = p->code;
  const char *h = local(p), *name = code->output.state ? "residual" : code->output.name;
  const size_t rows = code->output.state ? code->joint_count : code->output.rows, columns = code->output.columns;
  st_for(p, "  ", "i", rows);
  st_for(p, "    ", "j", columns);
  put(p, "      %sdifference := ABS(%sblock.%s[%si", h, h, name, h);
  if (columns > 1) put(p, ", %sj", h);
  put(p, "] - %sexpected[((%sk - 1) * %zu + %si - 1) * %zu + %sj]);\n", h, h, code->output.rows, h, columns, h);
  put(p, "      IF %sdifference > %sworst THEN\n        %sworst := %sdifference;\n      END_IF;\n", h, h, h, h);
  put(p, "    END_FOR;\n  END_FOR;\n");
}

static void st_test(const struct printer *p, const struct vectors *v)
{
  const struct armdyn_code *code = p->code;
  const char *h = local(p);
  put(p, "(* %d states, and what %s of them. Call it once; passed: all agree. *)\n", ARMDYN_CODE_VECTORS,
      whose_vectors(p->code));
  put(p, "FUNCTION_BLOCK %sFB_%s_test%s\n", quote(p), code->entry, quote(p));
  put(p, "VAR_OUTPUT\n  passed : BOOL;\n  worst : %s; (* largest difference *)\nEND_VAR\nVAR\n", type_of(p));
  put(p, "  block : %sFB_%s%s;\n", quote(p), code->entry, quote(p));
  for (size_t k = 0; k < code->input_count; k++) {
    const struct armdyn_code_variable *x = &code->inputs[k];
    if (x->state) continue;
    if (x->scalar) {
      put(p, "  %s : %s;\n", x->name, type_of(p));
    } else {
      st_array(p, x->name, x->rows, 1, "");
    }
  }
  put(p, "  k : DINT;\n  i : DINT;\n  j : DINT;\n  difference : %s;\n", type_of(p));
  st_table(p, "inputs", v->inputs, ARMDYN_CODE_VECTORS, code->input_size);
  st_table(p, "expected", v->outputs, ARMDYN_CODE_VECTORS, code->output_size);
  put(p, "END_VAR\n%s%sworst := ", siemens(p) ? "BEGIN\n" : "", h);
  p->language->number(p, 0);
  put(p, ";\n");
  st_for(p, "", "k", ARMDYN_CODE_VECTORS);
  st_test_inputs(p);
  st_test_compare(p);
  put(p, "END_FOR;\n%spassed := %sworst <= ", h, h);
  p->language->number(p, v->tolerance);
  put(p, ";\nEND_FUNCTION_BLOCK\n");
}

const struct language language_structured_text = {
  .suffix = ".st",
  .test_suffix = "_test.st",
  .slots = true,
  .apart = 1u << EXPR_CLIP | 1u << EXPR_LEAST | 1u << EXPR_SELECT,
  .functions = { [EXPR_SINE] = "SIN",
                 [EXPR_COSINE] = "COS",
                 [EXPR_EXP] = "EXP",
                 [EXPR_LOG] = "LN",
                 [EXPR_ABS] = "ABS" },
  .program = st_program,
  .test = st_test,
  .signature = st_signature,
  .name = st_variable,
  .input = st_input,
  .number = st_number,
};
