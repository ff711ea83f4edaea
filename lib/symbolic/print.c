#include "lib/symbolic/print.h"

#include <math.h>
#include <stdarg.h>

#include "lib/base/random.h"

void put(const struct printer *p, const char *format, ...)
{
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length <= 0) return;
  const size_t most = sizeof text - 1;
  p->sink->write(p->sink->context, text, (size_t)length < most ? (size_t)length : most);
}

void put_number(const struct printer *p, double value)
{
  const bool single = p->code->request.single_precision;
  char text[64];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    const double back = strtod(text, NULL);
    const bool long_hand = value >= 1e-4 && value < 1e15 && strchr(text, 'e');
    if (!long_hand && (single ? (float)back == (float)value : back == value)) break;
  }
  const size_t whole = strcspn(text, "e.");
  put(p, "%.*s%s%s", (int)whole, text, text[whole] == '.' ? "" : ".0", text + whole);
}

/* ---------------------------------------------------------------- expressions */

void put_plain_name(const struct printer *p, expr at)
{
  const struct armdyn_code *code = p->code;
  const struct expr_node *node = &code->graph.nodes[at];
  if (schedule_is_sine(&code->graph, at)) {
    const size_t joint = code->graph.nodes[node->a].a - code_input_place(code, INPUT_Q);
    put(p, "%c%zu", node->op == EXPR_SINE ? 's' : 'c', joint + 1);
  } else {
    put(p, "t%u", p->language->slots ? code->schedule.slot[at] : code->schedule.name[at]);
  }
}

void put_name(const struct printer *p, expr at)
{
  (p->language->name ? p->language->name : put_plain_name)(p, at);
}

static void put_input(const struct printer *p, size_t place)
{
  size_t k = 0;
  while (k + 1 < p->code->input_count && place >= p->code->first[k + 1]) k++;
  p->language->input(p, k, place - p->code->first[k]);
}

static void put_binary(const struct printer *p, const struct expr_node *node, const char *sign, int left, int right)
{
  put_expression(p, node->a, left);
  put(p, "%s", sign);
  put_expression(p, node->b, right);
}

/* How loose the outermost operation of a node is: 0 a sum or a sign, 2 a product, 4 all else. */
static int looseness(const struct expr_node *node)
{
  switch (node->op) {
  case EXPR_NUMBER: return node->value < 0 ? 0 : 4;
  case EXPR_ADD:
  case EXPR_SUBTRACT:
  case EXPR_NEGATE: return 0;
  case EXPR_MULTIPLY:
  case EXPR_DIVIDE: return 2;
  default: return 4;
  }
}

static void put_node(const struct printer *p, const struct expr_node *node)
{
  switch (node->op) {
  case EXPR_NUMBER:
    if (node->value < 0) put(p, "-");
    p->language->number(p, fabs(node->value));
    break;
  case EXPR_INPUT: put_input(p, node->a); break;
  case EXPR_ADD: put_binary(p, node, " + ", 0, 1); break;
  case EXPR_SUBTRACT: put_binary(p, node, " - ", 0, 1); break;
  case EXPR_MULTIPLY: put_binary(p, node, p->language->times ? p->language->times : "*", 2, 3); break;
  case EXPR_DIVIDE: put_binary(p, node, "/", 2, 3); break;
  case EXPR_NEGATE:
    put(p, "-");
    put_expression(p, node->a, 2);
    break;
  default:
    if (!p->language->functions[node->op]) {
      p->language->special(p, node);
      break;
    }
    put(p, "%s(", p->language->functions[node->op]);
    put_expression(p, node->a, 0);
    put(p, ")");
  }
}

void put_expression(const struct printer *p, expr at, int tight)
{
  const struct expr_node *node = &p->code->graph.nodes[at];
  if (p->code->schedule.name[at]) {
    put_name(p, at);
    return;
  }
  const bool loose = looseness(node) < tight;
  put(p, "%s", loose ? "(" : "");
  put_node(p, node);
  put(p, "%s", loose ? ")" : "");
}

void put_definition(const struct printer *p, expr at)
{
  put_node(p, &p->code->graph.nodes[at]);
}

bool reads_input(const struct armdyn_code *code, size_t input)
{
  const struct expr_graph *g = &code->graph;
  for (size_t k = 1; k < g->count; k++) {
    const struct expr_node *node = &g->nodes[k];
    if (node->op == EXPR_INPUT && node->a >= code->first[input] &&
        node->a < code->first[input] + code->inputs[input].rows) {
      return true;
    }
  }
  return false;
}

/* ---------------------------------------------------------------- headings and tables */

/* In a comment, which some names of joints would end. */
static void put_parameter_name(const struct printer *p, size_t k)
{
  char name[400];
  armdyn_code_parameter_name(p->code, k, name, sizeof name);
  for (char *c = name; *c; c++) {
    if (*c == '*') *c = '_';
  }
  put(p, "%s%s", name, strlen(name) + 1 < sizeof name ? "" : " ...");
}

static void put_parameters(const struct printer *p, const char *before)
{
  const struct armdyn_code *code = p->code;
  for (size_t k = 0; k < code->input_count; k++) {
    if (code->kinds[k] != INPUT_P) continue;
    put(p, "%s p, with the values of the model:\n", before);
    for (size_t i = 0; i < code->inputs[k].rows; i++) {
      put(p, "%s   %zu  ", before, i + 1);
      put_parameter_name(p, i);
      put(p, " = ");
      put_number(p, code->parameters[i]);
      put(p, "\n");
    }
  }
}

/* What is left out, and where that holds. */
static void put_bound(const struct printer *p, const char *before)
{
  const struct armdyn_code *code = p->code;
  if (code->bound.dropped == 0) return;
  put(p, "%s\n%s %zu terms that matter little are left out. %s the torques are at most\n%s ", before, before,
      code->bound.dropped, code->request.motion ? "On the motion that was named" : "Within the limits of the model",
      before);
  for (size_t i = 0; i < code->output_size; i++) {
    put(p, "%s%.3g", i ? ", " : "", code->bound.torque[i] * 1.005);
  }
  put(p, " N m (N) off, by interval arithmetic. Elsewhere they may be more.\n");
}

void put_heading(const struct printer *p, const char *before)
{
  const struct armdyn_code *code = p->code;
  const struct code_function *f = &code_functions[code->request.function];
  const struct armdyn_code_proof *proof = &code->proof;
  struct armdyn_code_figures n;
  armdyn_code_figures(code, &n);
  put(p, "%s %s of %s.\n%s\n", before, f->title, code->request.title, before);
  for (size_t k = 0; k < code->input_count; k++) {
    const struct armdyn_code_variable *x = &code->inputs[k];
    put(p, "%s %s  in, %zu: %s\n", before, x->name, x->rows, x->meaning);
  }
  put(p, "%s %s  out, %zu x %zu: %s\n", before, code->output.name, code->output.rows, code->output.columns,
      code->output.meaning);
  put_parameters(p, before);
  put(p, "%s\n%s %zu multiplications, %zu additions, %zu divisions, %zu sines and cosines, %zu others.\n", before,
      before, n.multiplications, n.additions, n.divisions, n.sines, n.others);
  put_bound(p, before);
  if (proof->states > 0) {
    put(p, "%s Evaluated before printing beside armdyn's kernels at %zu random states: largest difference\n", before,
        proof->states);
    put(p, "%s %.2g, largest entry %.3g. The text below was not run.\n", before, proof->largest_difference,
        proof->largest_entry);
  }
}

void put_rows(const struct printer *p, const double *x, size_t rows, size_t columns, const char *before,
              const char *after, const char *between)
{
  for (size_t row = 0; row < rows; row++) {
    put(p, "%s", before);
    for (size_t k = 0; k < columns; k++) {
      put(p, "%s", k > 0 ? ", " : "");
      if (x[row * columns + k] < 0) put(p, "-");
      p->language->number(p, fabs(x[row * columns + k]));
    }
    put(p, "%s%s\n", after, row + 1 < rows ? between : "");
  }
}

/* ---------------------------------------------------------------- files */

size_t armdyn_code_file_count(const struct armdyn_code *code)
{
  return language_of(code->request.language)->test ? 2 : 1;
}

void armdyn_code_file_name(const struct armdyn_code *code, size_t file, char name[ARMDYN_CODE_NAME_SIZE])
{
  const struct language *language = language_of(code->request.language);
  snprintf(name, ARMDYN_CODE_NAME_SIZE, "%.96s%s", code->entry, file ? language->test_suffix : language->suffix);
}

const char *whose_vectors(const struct armdyn_code *code)
{
  return code->bound.dropped > 0 ? "the program is to make" : "armdyn's kernels make";
}

/* Of the observer each row goes on where the one before ended. What leaves terms out is tested for what it is to compute. */
static enum armdyn_status make_vectors(struct armdyn_code *code, struct vectors *v)
{
  struct armdyn_workspace *workspace = armdyn_workspace_new(code->joint_count);
  const size_t state = code_input_place(code, INPUT_STATE);
  uint64_t seed = random_from_seed(7);
  double largest = 0;
  v->inputs = calloc(ARMDYN_CODE_VECTORS * (code->input_size + code->output_size), sizeof *v->inputs);
  v->outputs = v->inputs ? v->inputs + ARMDYN_CODE_VECTORS * code->input_size : NULL;
  for (size_t row = 0; row < ARMDYN_CODE_VECTORS && v->inputs && workspace; row++) {
    double *in = v->inputs + row * code->input_size, *out = v->outputs + row * code->output_size;
    code_draw_inputs(code, &seed, in);
    if (state != SIZE_MAX) {
      for (size_t k = 0; k < code->output_size; k++) in[state + k] = row > 0 ? out[k - code->output_size] : 0;
    }
    if (code->bound.dropped > 0)
      armdyn_code_evaluate(code, in, out);
    else
      code_functions[code->request.function].reference(code, in, workspace, out);
    for (size_t k = 0; k < code->output_size; k++) largest = fmax(largest, fabs(out[k]));
  }
  v->tolerance = (code->request.single_precision ? 1e-5 : 1e-12) * fmax(largest, 1);
  for (size_t k = 0; v->outputs && k < ARMDYN_CODE_VECTORS * code->output_size; k++) {
    if (fabs(v->outputs[k]) < 1e-3 * v->tolerance) v->outputs[k] = 0; /* the kernels' rounding */
  }
  armdyn_workspace_free(workspace);
  return v->inputs && workspace ? ARMDYN_OK : ARMDYN_EMEMORY;
}

enum armdyn_status armdyn_code_print(struct armdyn_code *code, size_t file, const struct armdyn_sink *sink)
{
  const struct printer p = { code, language_of(code->request.language), sink };
  struct vectors v = { 0 };
  if (file == 0) {
    p.language->program(&p);
    return ARMDYN_OK;
  }
  const enum armdyn_status rc = make_vectors(code, &v);
  if (!rc) p.language->test(&p, &v);
  free(v.inputs);
  return rc;
}

struct cut_text {
  char *at;
  size_t left;
};

static void write_cut(void *context, const char *bytes, size_t length)
{
  struct cut_text *out = context;
  const size_t taken = length < out->left ? length : out->left;
  memcpy(out->at, bytes, taken);
  out->at += taken;
  out->left -= taken;
  *out->at = 0;
}

void armdyn_code_signature(const struct armdyn_code *code, char *text, size_t size)
{
  struct cut_text out = { text, size - 1 };
  const struct armdyn_sink sink = { write_cut, &out };
  const struct printer p = { code, language_of(code->request.language), &sink };
  *text = 0;
  if (p.language->signature) p.language->signature(&p);
}
