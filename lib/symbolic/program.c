/* Making a program: expressions of a function, folded and factored again until nothing comes of it, scheduled, evaluated and
 * proven. */
#include "lib/symbolic/program.h"

#include <math.h>

#include "lib/base/random.h"
#include "lib/model/friction.h"
#include "lib/model/gears.h"
#include "lib/symbolic/language.h"
#include "lib/symbolic/sine_cosine.h"

const char *const armdyn_code_language_names[ARMDYN_CODE_LANGUAGES] = { "c",      "structured_text", "python",
                                                                        "matlab", "latex",           "text" };

void armdyn_code_request_init(struct armdyn_code_request *request)
{
  *request = (struct armdyn_code_request){ .terms = ARMDYN_CODE_ALL_TERMS };
}

/* ---------------------------------------------------------------- inputs and output */

static size_t input_rows(const struct armdyn_code *code, enum input input)
{
  switch (input) {
  case INPUT_P: return code->parameter_count;
  case INPUT_PAYLOAD: return 10;
  case INPUT_GAIN:
  case INPUT_PERIOD: return 1;
  case INPUT_STATE: return 3 * code->joint_count + 1;
  default: return code->joint_count;
  }
}

static const struct {
  const char *name, *meaning;
} input_words[] = {
  [INPUT_P] = { "p", "parameters" },
  [INPUT_Q] = { "q", "positions, rad (m of a slide)" },
  [INPUT_QD] = { "qd", "velocities, rad/s (m/s)" },
  [INPUT_QDD] = { "qdd", "accelerations, rad/s^2 (m/s^2)" },
  [INPUT_TAU] = { "tau", "torques of the drives, measured at this sample, N m (N)" },
  [INPUT_PAYLOAD] = { "payload",
                      "m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the tool's origin, kg, kg m, kg m^2" },
  [INPUT_GAIN] = { "gain", "1/s: 2 pi times the bandwidth" },
  [INPUT_PERIOD] = { "period", "s since the sample before" },
  [INPUT_STATE] = { "state", "all 0 before the first sample" },
};

static void list_inputs(struct armdyn_code *code, const struct code_function *f)
{
  for (enum input input = INPUT_P; input <= INPUT_STATE; input++) {
    const bool wanted = input == INPUT_P ? f->parameterized && code->parameters : f->inputs >> input & 1;
    if (!wanted) continue;
    const size_t k = code->input_count++, rows = input_rows(code, input);
    code->kinds[k] = input;
    code->first[k] = code->input_size;
    code->input_size += rows;
    code->inputs[k] = (struct armdyn_code_variable){ .name = input_words[input].name,
                                                     .meaning = input_words[input].meaning,
                                                     .rows = rows,
                                                     .columns = 1,
                                                     .scalar = input == INPUT_GAIN || input == INPUT_PERIOD,
                                                     .state = input == INPUT_STATE };
  }
  code->output = (struct armdyn_code_variable){ .name = f->output, .meaning = f->meaning };
  f->shape(code, &code->output.rows, &code->output.columns);
  code->output.state = code_input_place(code, INPUT_STATE) != SIZE_MAX;
  code->output_size = code->output.rows * code->output.columns;
}

/* Links and rotors have base parameters; those of friction are kept apart, for near rest they are all told from each other. */
static const struct armdyn_parameter_choice frictionless = { .frictionless = true };

size_t code_parameter_standard(const struct armdyn_code *code, size_t k)
{
  if (!code->base) return k;
  return k < code->base_count ? armdyn_base_parameter_lead(code->base, k) : code->friction_first + k - code->base_count;
}

/* What p is in the model. */
static enum armdyn_status find_parameters(struct armdyn_code *code, const struct code_function *f)
{
  const enum armdyn_code_parameters kind = code->request.parameters;
  code->parameter_count = code->standard_count = armdyn_parameter_count(code->robot, NULL);
  if (kind == ARMDYN_CODE_BASE && (f->parameterized || code->request.function == ARMDYN_CODE_REGRESSOR)) {
    const enum armdyn_status rc = armdyn_base_parameters_new(code->robot, &frictionless, &code->base);
    if (rc) return rc;
    code->base_count = armdyn_base_parameter_count(code->base);
    code->friction_first = armdyn_parameter_count(code->robot, &frictionless);
    code->parameter_count = code->base_count + code->standard_count - code->friction_first;
  }
  if (kind == ARMDYN_CODE_FOLDED || !f->parameterized) return ARMDYN_OK;
  double *standard = malloc(code->standard_count * sizeof *standard);
  code->parameters = malloc(code->parameter_count * sizeof *code->parameters);
  if (standard && code->parameters) {
    armdyn_parameters(code->robot, NULL, standard);
    for (size_t k = 0; k < code->parameter_count; k++) {
      const bool combined = k < code->base_count;
      code->parameters[k] =
          combined ? armdyn_base_parameter_value(code->base, k) : standard[code_parameter_standard(code, k)];
    }
  }
  const bool room = standard && code->parameters;
  free(standard);
  return room ? ARMDYN_OK : ARMDYN_EMEMORY;
}

/* A name in every language: begins with a letter, and has no two underscores in a row, which structured text forbids. */
static void make_entry(struct armdyn_code *code)
{
  const char *name = armdyn_robot_description(code->robot)->name;
  const bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
  char *end = code->entry;
  snprintf(code->entry, sizeof code->entry, "%s%s_%s", letter ? "" : "robot_", name,
           armdyn_code_function_names[code->request.function]);
  for (const char *c = code->entry; *c; c++) {
    const bool good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    if (good || (end > code->entry && end[-1] != '_')) *end++ = good ? *c : '_';
  }
  *end = '\0';
}

/* ---------------------------------------------------------------- expressions */

/* The standard parameters, of which those that p does not have count as 0. */
static void parameter_symbols(const struct armdyn_code *code, const expr *p, expr *standard)
{
  memset(standard, 0, code->standard_count * sizeof *standard);
  for (size_t k = 0; k < code->parameter_count; k++) standard[code_parameter_standard(code, k)] = p[k];
}

enum { STANDARD_MAX = ARMDYN_CODE_JOINTS_MAX * (10 + 1 + 8 + ARMDYN_RIPPLES_MAX) };

static bool make_expressions(const struct armdyn_code *code, bool chains, struct expr_graph *g, expr *roots)
{
  const struct code_function *f = &code_functions[code->request.function];
  const size_t n = code->joint_count;
  expr states[3 * ARMDYN_CODE_JOINTS_MAX] = { 0 }, standard[STANDARD_MAX];
  expr *input = calloc(code->input_size, sizeof *input);
  struct arm *arm = calloc(1, sizeof *arm);
  const bool room = input && arm;
  for (size_t k = 0; k < code->input_size && room; k++) input[k] = expr_input(g, k);
  for (enum input x = INPUT_Q; x <= INPUT_QDD && room; x++) {
    const size_t first = code_input_place(code, x);
    for (size_t i = 0; i < n && first != SIZE_MAX; i++) states[(size_t)(x - INPUT_Q) * n + i] = input[first + i];
  }
  if (room) {
    const size_t p = code_input_place(code, INPUT_P);
    if (p != SIZE_MAX) parameter_symbols(code, input + p, standard);
    code_arm_init(arm, g, code->robot, p == SIZE_MAX ? f->frames : ARM_COMPILED, p == SIZE_MAX ? NULL : standard,
                  states);
    arm->chains = chains;
    arm->plain_tanh = code->request.language == ARMDYN_CODE_STRUCTURED_TEXT;
    f->make(code, arm, input, roots);
  }
  free(input);
  free(arm);
  return room && !g->failed;
}

/* What a program costs, in additions. */
static double cost_of(const struct expr_counts *c)
{
  return (double)(c->additions + c->multiplications) + 10 * (double)c->divisions + 30 * (double)(c->sines + c->others);
}

bool code_refine(struct expr_graph *g, enum expr_sums sums, expr *roots, size_t count, double *cost)
{
  struct expr_counts counts;
  expr *next_roots = malloc(count * sizeof *next_roots);
  bool good = next_roots && expr_count(g, roots, count, &counts);
  double best = good ? cost_of(&counts) : 0;
  for (int round = 0, idle = 0; round < 12 && idle < 2 && good; round++) {
    struct expr_graph next;
    memcpy(next_roots, roots, count * sizeof *next_roots);
    good = expr_graph_open(&next) && expr_rebuild(g, &next, sums, NULL, next_roots, count) &&
           expr_count(&next, next_roots, count, &counts);
    const bool worse = good && cost_of(&counts) > best;
    idle = good && cost_of(&counts) < best ? 0 : idle + 1;
    expr_graph_close(worse ? &next : g);
    if (worse) break;
    *g = next;
    memcpy(roots, next_roots, count * sizeof *roots);
    if (good) best = cost_of(&counts);
  }
  free(next_roots);
  if (cost) *cost = best;
  return good;
}

/* With and without one turn for all parallel axes: what is cheaper stays. */
static enum armdyn_status choose_expressions(struct armdyn_code *code)
{
  expr *roots = calloc(code->output_size, sizeof *roots);
  /* bounds are tighter where turns stand together */
  const enum expr_sums sums = code_may_be_off(code) ? EXPR_SUMS_OF_TWO : EXPR_WHOLE_SUMS;
  double best = INFINITY, cost;
  bool large = false;
  code->graph.failed = true;
  for (int chains = 0; chains < 2 && roots; chains++) {
    struct expr_graph g;
    const bool made = expr_graph_open(&g) && make_expressions(code, chains, &g, roots);
    large = large || g.count >= EXPR_MAX;
    if (!made || !code_refine(&g, sums, roots, code->output_size, &cost) || cost >= best) {
      expr_graph_close(&g);
      continue;
    }
    best = cost;
    expr_graph_close(&code->graph);
    code->graph = g;
    memcpy(code->roots, roots, code->output_size * sizeof *roots);
  }
  free(roots);
  return !code->graph.failed ? ARMDYN_OK : large ? ARMDYN_ELIMIT : ARMDYN_EMEMORY;
}

/* Equations to read are in the arm's own symbols where it is short enough, which are no input. */
static void look_for_closed_form(struct armdyn_code *code)
{
  const struct armdyn_code_request *r = &code->request;
  const bool to_read = r->language == ARMDYN_CODE_LATEX || r->language == ARMDYN_CODE_TEXT;
  const bool known = (r->function == ARMDYN_CODE_INVERSE_DYNAMICS && r->terms == ARMDYN_CODE_ALL_TERMS) ||
                     r->function == ARMDYN_CODE_MASS_MATRIX || r->function == ARMDYN_CODE_CORIOLIS ||
                     r->function == ARMDYN_CODE_GRAVITY;
  if (!to_read || !known || r->parameters != ARMDYN_CODE_SYMBOLS) return;
  code->closed = malloc(sizeof *code->closed);
  if (!code->closed) return;
  if (closed_form_make(code->robot, code->closed)) {
    code->request.parameters = ARMDYN_CODE_FOLDED;
    return;
  }
  closed_form_release(code->closed);
  free(code->closed);
  code->closed = NULL;
}

static enum armdyn_status make(struct armdyn_code *code, struct armdyn_error *error)
{
  const struct code_function *f = &code_functions[code->request.function];
  look_for_closed_form(code);
  enum armdyn_status rc = find_parameters(code, f);
  if (rc) return rc;
  list_inputs(code, f);
  make_entry(code);
  code->roots = calloc(code->output_size, sizeof *code->roots);
  if (!code->roots) return ARMDYN_EMEMORY;
  rc = choose_expressions(code);
  if (!rc && code_may_be_off(code)) rc = code_abridge(code, error);
  if (rc) return rc;
  code->values = calloc(code->graph.count, sizeof *code->values);
  if (!code->values) return ARMDYN_EMEMORY;
  const struct language *language = language_of(code->request.language);
  const bool made = schedule_make(&code->graph, code->roots, code->output_size, language->apart,
                                  language->keep || code->output.state, &code->schedule);
  return made ? ARMDYN_OK : ARMDYN_EMEMORY;
}

static bool needs_friction(const struct armdyn_code_request *request)
{
  return 1u << request->function &
         (1u << ARMDYN_CODE_FRICTION | 1u << ARMDYN_CODE_REGRESSOR | 1u << ARMDYN_CODE_COLLISION_OBSERVER |
          (request->terms & ARMDYN_CODE_RUBBING ? 1u << ARMDYN_CODE_INVERSE_DYNAMICS : 0));
}

enum armdyn_status armdyn_code_new(const struct armdyn_robot *robot, const struct armdyn_code_request *request,
                                   struct armdyn_code **out, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  if (n > ARMDYN_CODE_JOINTS_MAX) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "programs are made for arms of 1 to %d joints, this one has %zu",
                         ARMDYN_CODE_JOINTS_MAX, n);
  }
  if (needs_friction(request) && load_friction_refuse(robot, "generated code", error)) return ARMDYN_EINPUT;
  if (needs_friction(request) && gear_friction_refuse(robot, "generated code", error)) return ARMDYN_EINPUT;
  struct armdyn_code *code = calloc(1, sizeof *code);
  if (!code) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a program");
  code->robot = robot;
  code->joint_count = n;
  code->request = *request;
  const enum armdyn_status rc = make(code, error);
  if (rc == ARMDYN_EMEMORY) armdyn_refuse(error, rc, "", "no memory for the expressions of a program");
  if (rc == ARMDYN_ELIMIT) {
    armdyn_refuse(error, rc, "", "the program would have more than %d expressions", EXPR_MAX);
  }
  if (rc) {
    armdyn_code_free(code);
    return rc;
  }
  *out = code;
  return ARMDYN_OK;
}

void armdyn_code_free(struct armdyn_code *code)
{
  if (!code) return;
  if (code->closed) closed_form_release(code->closed);
  free(code->closed);
  armdyn_base_parameters_free(code->base);
  expr_graph_close(&code->graph);
  schedule_release(&code->schedule);
  free(code->roots);
  free(code->values);
  free(code->parameters);
  free(code);
}

/* ---------------------------------------------------------------- what it is */

void armdyn_code_figures(const struct armdyn_code *code, struct armdyn_code_figures *figures)
{
  struct expr_counts counts;
  expr_count(&code->graph, code->roots, code->output_size, &counts);
  *figures = (struct armdyn_code_figures){ .multiplications = counts.multiplications,
                                           .additions = counts.additions,
                                           .divisions = counts.divisions,
                                           .sines = counts.sines,
                                           .others = counts.others,
                                           .live = code->schedule.slots + code->schedule.sines };
}

size_t armdyn_code_input_count(const struct armdyn_code *code)
{
  return code->input_count;
}
const struct armdyn_code_variable *armdyn_code_input(const struct armdyn_code *code, size_t k)
{
  return &code->inputs[k];
}
const struct armdyn_code_variable *armdyn_code_output(const struct armdyn_code *code)
{
  return &code->output;
}
void armdyn_code_bound(const struct armdyn_code *code, struct armdyn_code_bound *bound)
{
  *bound = code->bound;
}
const double *armdyn_code_parameter_values(const struct armdyn_code *code)
{
  return code->parameters;
}
const char *armdyn_code_entry(const struct armdyn_code *code)
{
  return code->entry;
}

void armdyn_code_parameter_name(const struct armdyn_code *code, size_t k, char *text, size_t size)
{
  char name[ARMDYN_PARAMETER_NAME_SIZE];
  if (k < code->base_count) {
    armdyn_base_parameter_text(code->base, k, text, size);
    return;
  }
  armdyn_parameter_name(code->robot, NULL, code_parameter_standard(code, k), name);
  snprintf(text, size, "%s", name);
}

/* ---------------------------------------------------------------- evaluating */

/* What the closed form says: M, C qd, g, or all of M qdd + C qd + g with the friction of the kernels. */
static void evaluate_closed_form(const struct armdyn_code *code, const double *inputs, double *output)
{
  const size_t n = code->joint_count, at_qd = code_input_place(code, INPUT_QD),
               at_qdd = code_input_place(code, INPUT_QDD);
  const double zero[CLOSED_JOINTS] = { 0 }, *q = inputs + code_input_place(code, INPUT_Q);
  const double *qd = at_qd == SIZE_MAX ? zero : inputs + at_qd, *qdd = at_qdd == SIZE_MAX ? zero : inputs + at_qdd;
  const enum armdyn_code_function function = code->request.function;
  double M[CLOSED_JOINTS * CLOSED_JOINTS], C[CLOSED_JOINTS * CLOSED_JOINTS], G[CLOSED_JOINTS];
  closed_form_value(code->closed, q, qd, M, C, G);
  for (size_t k = 0; k < n * n && function == ARMDYN_CODE_MASS_MATRIX; k++) output[k] = M[k];
  for (size_t i = 0; i < n && function != ARMDYN_CODE_MASS_MATRIX; i++) {
    double sum = function == ARMDYN_CODE_CORIOLIS ? 0 : G[i];
    for (size_t j = 0; j < n; j++) sum += M[i * n + j] * qdd[j] + C[i * n + j] * qd[j];
    if (function == ARMDYN_CODE_INVERSE_DYNAMICS) sum += armdyn_friction_torque(code->robot, i, q[i], qd[i]);
    output[i] = sum;
  }
}

/* As the printed text computes it. */
static double value_of(const struct armdyn_code *code, const struct expr_node *node, const double x[3])
{
  const bool own = code->request.language == ARMDYN_CODE_C && !code->request.single_precision;
  double sine, cosine;
  if (!own || (node->op != EXPR_SINE && node->op != EXPR_COSINE)) return expr_value(node, x);
  code_sine_cosine(x[0], &sine, &cosine);
  return node->op == EXPR_SINE ? sine : cosine;
}

void armdyn_code_evaluate(struct armdyn_code *code, const double *inputs, double *output)
{
  if (code->closed) {
    evaluate_closed_form(code, inputs, output);
    return;
  }
  const struct expr_graph *g = &code->graph;
  const bool single = code->request.single_precision;
  double *values = code->values;
  for (size_t k = 0; k < g->count; k++) {
    const struct expr_node *node = &g->nodes[k];
    if (expr_arity(node->op)) continue;
    const double value = node->op == EXPR_INPUT ? inputs[node->a] : node->value;
    values[k] = single ? (double)(float)value : value;
  }
  for (size_t k = 0; k < code->schedule.count; k++) {
    const struct expr_node *node = &g->nodes[code->schedule.order[k]];
    const double x[3] = { values[node->a], values[node->b], values[node->c] };
    const double value = value_of(code, node, x);
    values[code->schedule.order[k]] = single ? (double)(float)value : value;
  }
  for (size_t k = 0; k < code->output_size; k++) output[k] = values[code->roots[k]];
}

/* ---------------------------------------------------------------- proof */

static double draw(uint64_t *seed, double lower, double upper)
{
  return lower + (upper - lower) * random_unit(seed);
}

static void draw_joint(const struct armdyn_joint *joint, uint64_t *seed, double *q, double *qd, double *qdd)
{
  const struct armdyn_limits *l = &joint->limits;
  const double free = joint->type == ARMDYN_PRISMATIC ? 1 : M_PI;
  const double lower = isfinite(l->position[0]) ? l->position[0] : -free;
  const double upper = isfinite(l->position[1]) ? l->position[1] : free;
  const double speed = isfinite(l->velocity) ? l->velocity : 2, how = random_unit(seed);
  *q = draw(seed, fmin(lower, upper), fmax(lower, upper));
  *qd = draw(seed, -speed, speed);
  if (how < 0.25) *qd *= fmin(1, joint->velocity_scale / speed * 3); /* where friction changes its sign */
  if (how < 0.05) *qd = 0;
  const double push = isfinite(l->acceleration) ? l->acceleration : 5;
  *qdd = draw(seed, -push, push);
}

/* q, qd and qdd, n each: along the motion where there is one, else within limits. */
static void draw_states(const struct armdyn_code *code, uint64_t *seed, double *states)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(code->robot);
  const struct armdyn_trajectory *motion = code->request.motion;
  const size_t n = code->joint_count;
  if (motion) {
    const double t = draw(seed, 0, armdyn_trajectory_duration(motion));
    armdyn_trajectory_state(motion, t, states, states + n, states + 2 * n, NULL);
    return;
  }
  for (size_t i = 0; i < n; i++) draw_joint(&d->joints[i], seed, states + i, states + n + i, states + 2 * n + i);
}

void code_draw_inputs(const struct armdyn_code *code, uint64_t *seed, double *inputs)
{
  double states[3 * ARMDYN_CODE_JOINTS_MAX] = { 0 };
  const size_t n = code->joint_count;
  draw_states(code, seed, states);
  for (size_t k = 0; k < code->input_count; k++) {
    double *x = inputs + code->first[k];
    for (size_t i = 0; i < code->inputs[k].rows; i++) {
      switch (code->kinds[k]) {
      case INPUT_P: x[i] = code->parameters[i]; break;
      case INPUT_Q: x[i] = states[i]; break;
      case INPUT_QD: x[i] = states[n + i]; break;
      case INPUT_QDD: x[i] = states[2 * n + i]; break;
      case INPUT_GAIN: x[i] = draw(seed, 5, 100); break;
      case INPUT_PERIOD: x[i] = draw(seed, 1e-3, 1e-2); break;
      case INPUT_TAU: x[i] = draw(seed, -100, 100); break;
      case INPUT_PAYLOAD: x[i] = i == 0 ? draw(seed, 0, 10) : draw(seed, -1, 1); break;
      case INPUT_STATE: x[i] = i + 1 == code->inputs[k].rows ? random_unit(seed) < 0.9 : draw(seed, -10, 10); break;
      }
    }
  }
  for (size_t k = 0; k < code->input_size && code->request.single_precision; k++) inputs[k] = (float)inputs[k];
}

enum armdyn_status armdyn_code_prove(struct armdyn_code *code, size_t states, unsigned long seed,
                                     struct armdyn_code_proof *proof)
{
  const struct code_function *f = &code_functions[code->request.function];
  struct armdyn_workspace *workspace = armdyn_workspace_new(code->joint_count);
  double *inputs = calloc(code->input_size + 2 * code->output_size, sizeof *inputs);
  uint64_t dice = random_from_seed(seed);
  double most_beyond = 0; /* what is dropped */
  *proof = (struct armdyn_code_proof){ .states = states, .seed = seed };
  for (size_t state = 0; state < states && workspace && inputs; state++) {
    double *ours = inputs + code->input_size, *kernels = ours + code->output_size;
    code_draw_inputs(code, &dice, inputs);
    armdyn_code_evaluate(code, inputs, ours);
    f->reference(code, inputs, workspace, kernels);
    for (size_t k = 0; k < code->output_size; k++) {
      const double difference = fabs(ours[k] - kernels[k]);
      const double beyond = difference - (code->bound.dropped > 0 ? code->bound.torque[k] : 0);
      if (!(difference <= proof->largest_difference)) proof->largest_difference = difference; /* not a number too */
      if (!(beyond <= most_beyond)) most_beyond = beyond;
      proof->largest_entry = fmax(proof->largest_entry, fabs(kernels[k]));
    }
  }
  proof->tolerance = (code->request.single_precision ? 1e-5 : 1e-12) * fmax(proof->largest_entry, 1);
  proof->holds = most_beyond <= proof->tolerance;
  code->proof = *proof;
  const bool room = workspace && inputs;
  free(inputs);
  armdyn_workspace_free(workspace);
  return room ? ARMDYN_OK : ARMDYN_EMEMORY;
}
