#include "api/codec/code.h"

static const char *const dialects[] = { "codesys", "twincat", "siemens" };
static const char *const precisions[] = { "float64", "float32" };
static const char *const parameter_kinds[] = { "folded", "symbols", "base" };
/* In the order of the bits ARMDYN_CODE_INERTIAL, ... */
static const char *const terms[] = { "inertial", "coriolis", "gravity", "friction" };
enum { TERMS = sizeof terms / sizeof *terms };
_Static_assert(ARMDYN_CODE_ALL_TERMS == (1 << TERMS) - 1, "a name for every term");

/* Which of the names stands here; `count` after a fault. */
static size_t name_decode(struct json_reader *r, const char *words, const char *const *names, size_t count)
{
  struct json_slice name;
  char text[64];
  size_t k = 0;
  if (!json_read_text(r, words, &name)) return count;
  while (k < count && !json_slice_is(name, names[k])) k++;
  if (k == count) {
    json_fault(r, NULL, FAULT_ENUM, "must be %s, got \"%s\"", words, json_excerpt(name, text, sizeof text));
  }
  return k;
}

/* A list of names, each once: `order` has their places in the order of the text, and the answer how many there are. */
static size_t names_decode(struct json_reader *r, const struct json_field *field, const char *words,
                           const char *const *names, size_t count, size_t *order)
{
  size_t found = 0, elements = 0;
  if (!json_enter_array(r, field->unit)) return 0;
  for (; json_next_element(r); elements++) {
    const size_t k = name_decode(r, words, names, count);
    size_t before = 0;
    if (k == count) continue;
    while (before < found && order[before] != k) before++;
    if (before < found)
      json_fault(r, NULL, FAULT_DUPLICATE, "\"%s\" is there already", names[k]);
    else
      order[found++] = k;
  }
  if (elements == 0 && json_reader_status(r) != ARMDYN_ESYNTAX)
    json_fault(r, NULL, FAULT_LENGTH, "must have at least 1 name");
  return found;
}

static void functions_decode(struct json_reader *r, const struct json_field *field, void *member,
                             const struct json_context *context)
{
  struct code_request *request = (struct code_request *)((char *)member - offsetof(struct code_request, functions));
  size_t order[ARMDYN_CODE_FUNCTIONS];
  (void)context;
  request->function_count = names_decode(
      r, field,
      "inverse_dynamics, gravity, friction, mass_matrix, coriolis, forward_kinematics, jacobian, regressor, "
      "collision_observer or payload_torque",
      armdyn_code_function_names, ARMDYN_CODE_FUNCTIONS, order);
  for (size_t k = 0; k < request->function_count; k++) request->functions[k] = (enum armdyn_code_function)order[k];
}

static void terms_decode(struct json_reader *r, const struct json_field *field, void *member,
                         const struct json_context *context)
{
  unsigned *bits = member;
  size_t order[TERMS];
  (void)context;
  const size_t count = names_decode(r, field, "inertial, coriolis, gravity or friction", terms, TERMS, order);
  *bits = 0;
  for (size_t k = 0; k < count; k++) *bits |= 1U << order[k];
}

static void check_bound(struct json_reader *r, double value)
{
  if (!(value > 0)) json_fault(r, NULL, FAULT_MINIMUM, "must be more than 0, got %g", value);
}

/* A number for all joints, or one for each. */
static void bound_decode(struct json_reader *r, const struct json_field *field, void *member,
                         const struct json_context *context)
{
  struct code_request *request = (struct code_request *)((char *)member - offsetof(struct code_request, error_bound));
  double *bound = request->error_bound;
  const bool list = json_peek(r) == JSON_ARRAY;
  size_t count = 0;
  if (!list) {
    if (json_read_number(r, field->unit, &bound[count])) check_bound(r, bound[count++]);
  } else if (json_enter_array(r, field->unit)) {
    for (; json_next_element(r); count++) {
      double *value = &bound[count < ARMDYN_CODE_JOINTS_MAX ? count : ARMDYN_CODE_JOINTS_MAX - 1];
      if (json_read_number(r, field->unit, value)) check_bound(r, *value);
    }
    const bool whole = json_reader_status(r) != ARMDYN_ESYNTAX;
    if (whole &&
        (count == 0 || count > ARMDYN_CODE_JOINTS_MAX || (context->joint_count > 0 && count != context->joint_count))) {
      json_fault(r, NULL, FAULT_LENGTH, "must have a number for each joint, or be one for all; got %zu", count);
    }
  }
  request->bound_count = count;
}

enum { ROW_FUNCTIONS, ROW_LANGUAGE, ROW_DIALECT, ROW_PRECISION, ROW_PARAMETERS, ROW_TERMS, ROW_BOUND, ROW_TRAJECTORY };

static const struct json_field request_fields[] = {
  [ROW_FUNCTIONS] = { CUSTOM(struct code_request, functions, functions_decode, NULL, "names of functions"), REQUIRED },
  [ROW_LANGUAGE] = { ENUM(struct code_request, language, armdyn_code_language_names), REQUIRED },
  [ROW_DIALECT] = { ENUM(struct code_request, dialect, dialects) },
  [ROW_PRECISION] = { ENUM(struct code_request, precision, precisions) },
  [ROW_PARAMETERS] = { ENUM(struct code_request, parameters, parameter_kinds) },
  [ROW_TERMS] = { CUSTOM(struct code_request, terms, terms_decode, NULL, "names of terms"), NULLABLE },
  [ROW_BOUND] = { CUSTOM(struct code_request, error_bound, bound_decode, NULL,
                         "a torque, N m (N), or one for each joint"),
                  NULLABLE },
  [ROW_TRAJECTORY] = { TEXT(struct code_request, trajectory), MATCHES(json_id_pattern), NULLABLE },
  OVERRIDES,
};

static void request_init(void *object)
{
  *(struct code_request *)object = (struct code_request){ .terms = ARMDYN_CODE_ALL_TERMS };
}

/* What would be passed over is refused. */
static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct code_request *request = object;
  bool inverse = false;
  (void)context;
  for (size_t k = 0; k < request->function_count; k++) {
    inverse = inverse || request->functions[k] == ARMDYN_CODE_INVERSE_DYNAMICS;
  }
  if (given >> ROW_DIALECT & 1 && request->language != ARMDYN_CODE_STRUCTURED_TEXT)
    json_fault(r, "/dialect", FAULT_INCONSISTENT, "is for the language structured_text alone");
  if (given >> ROW_TERMS & 1 && !inverse && request->function_count > 0)
    json_fault(r, "/terms", FAULT_INCONSISTENT, "is for the function inverse_dynamics alone");
  if (given >> ROW_TRAJECTORY & 1 && !(given >> ROW_BOUND & 1))
    json_fault(r, "/trajectory", FAULT_INCONSISTENT, "is where an error_bound holds, which is not given");
  if (given >> ROW_BOUND & 1 && request->parameters != ARMDYN_CODE_FOLDED)
    json_fault(r, "/error_bound", FAULT_INCONSISTENT, "needs folded parameters: it holds for their numbers");
  if (request->precision == CODE_FLOAT32 && request->language > ARMDYN_CODE_STRUCTURED_TEXT)
    json_fault(r, "/precision", FAULT_INCONSISTENT, "float32 is for the languages c and structured_text alone");
}

static const struct json_type request_type =
    JSON_TYPE("a request for code", request_fields, struct code_request, request_init, request_check);

enum armdyn_status code_request_decode(const char *body, size_t length, size_t joints, struct code_request *out,
                                       struct faults *faults)
{
  const struct json_context context = { .joint_count = joints };
  return json_decode(body, length, &request_type, out, &context, faults);
}

void code_request_of(const struct code_request *request, size_t function, const char *title,
                     const struct armdyn_trajectory *motion, struct armdyn_code_request *out)
{
  armdyn_code_request_init(out);
  out->function = request->functions[function];
  out->language = request->language;
  out->dialect = request->dialect;
  out->single_precision = request->precision == CODE_FLOAT32;
  out->parameters = request->parameters;
  out->terms = request->terms;
  out->motion = motion;
  for (size_t i = 0; i < ARMDYN_CODE_JOINTS_MAX && request->bound_count > 0; i++) {
    out->error_bound[i] = request->error_bound[request->bound_count == 1 ? 0 : i];
  }
  snprintf(out->title, sizeof out->title, "%s", title);
}

/* -- the answer -- */

static void append(void *context, const char *bytes, size_t length)
{
  buffer_append(context, bytes, length);
}

static enum armdyn_status file_write(struct json_writer *w, struct armdyn_code *code, size_t file)
{
  struct buffer source = BUFFER(LIMIT_ANSWER);
  const struct armdyn_sink sink = { append, &source };
  char name[ARMDYN_CODE_NAME_SIZE];
  enum armdyn_status status = armdyn_code_print(code, file, &sink);
  buffer_append(&source, "", 1); /* ends the text */
  if (!status && !buffer_ok(&source)) status = source.failure;
  armdyn_code_file_name(code, file, name);
  json_begin_object(w);
  json_key(w, "name"), json_write_text(w, name);
  json_key(w, "source"), json_write_text(w, status ? "" : source.data);
  json_end_object(w);
  buffer_release(&source);
  return status;
}

static void variable_write(struct json_writer *w, const struct armdyn_code_variable *x)
{
  json_begin_object(w);
  json_key(w, "name"), json_write_text(w, x->name);
  json_key(w, "rows"), json_write_integer(w, (long long)x->rows);
  json_key(w, "columns"), json_write_integer(w, (long long)x->columns);
  json_key(w, "meaning"), json_write_text(w, x->meaning);
  json_end_object(w);
}

static void proof_write(struct json_writer *w, const struct armdyn_code_proof *proof)
{
  json_begin_object(w);
  json_key(w, "states"), json_write_integer(w, (long long)proof->states);
  json_key(w, "seed"), json_write_integer(w, (long long)proof->seed);
  json_key(w, "largest_difference"), json_write_number(w, proof->largest_difference);
  json_key(w, "largest_entry"), json_write_number(w, proof->largest_entry);
  json_key(w, "tolerance"), json_write_number(w, proof->tolerance);
  json_key(w, "holds"), json_write_truth(w, proof->holds);
  json_end_object(w);
}

/* null: nothing may be. */
static void bound_write(struct json_writer *w, const struct code_request *request, const struct armdyn_code *code)
{
  struct armdyn_code_bound bound;
  if (request->bound_count == 0) {
    json_write_null(w);
    return;
  }
  armdyn_code_bound(code, &bound);
  json_begin_object(w);
  json_key(w, "terms"), json_write_integer(w, (long long)bound.dropped);
  json_key(w, "torque"), json_begin_array(w);
  for (size_t i = 0; i < armdyn_code_output(code)->rows; i++) json_write_number(w, bound.torque[i]);
  json_end_array(w);
  json_end_object(w);
}

static void operations_write(struct json_writer *w, const struct armdyn_code *code)
{
  struct armdyn_code_figures n;
  armdyn_code_figures(code, &n);
  json_begin_object(w);
  json_key(w, "multiplications"), json_write_integer(w, (long long)n.multiplications);
  json_key(w, "additions"), json_write_integer(w, (long long)n.additions);
  json_key(w, "divisions"), json_write_integer(w, (long long)n.divisions);
  json_key(w, "sines"), json_write_integer(w, (long long)n.sines);
  json_key(w, "others"), json_write_integer(w, (long long)n.others);
  json_key(w, "live_values"), json_write_integer(w, (long long)n.live);
  json_end_object(w);
}

/* Names and values of p; an empty list where the program has none. */
static void parameters_write(struct json_writer *w, const struct armdyn_code *code)
{
  const double *values = armdyn_code_parameter_values(code);
  size_t count = 0;
  for (size_t k = 0; k < armdyn_code_input_count(code) && values; k++) {
    if (!strcmp(armdyn_code_input(code, k)->name, "p")) count = armdyn_code_input(code, k)->rows;
  }
  json_begin_array(w);
  for (size_t k = 0; k < count; k++) {
    char name[4096];
    armdyn_code_parameter_name(code, k, name, sizeof name);
    json_begin_object(w);
    json_key(w, "name"), json_write_text(w, name);
    json_key(w, "value"), json_write_number(w, values[k]);
    json_end_object(w);
  }
  json_end_array(w);
}

static void program_write(struct json_writer *w, const struct code_request *request, size_t k,
                          const struct armdyn_code *code, const struct armdyn_code_proof *proof)
{
  char signature[2 * ARMDYN_CODE_NAME_SIZE + 200];
  armdyn_code_signature(code, signature, sizeof signature);
  json_begin_object(w);
  json_key(w, "function"), json_write_text(w, armdyn_code_function_names[request->functions[k]]);
  json_key(w, "entry"), json_write_text(w, armdyn_code_entry(code));
  json_key(w, "signature"), json_write_text(w, signature);
  json_key(w, "inputs"), json_begin_array(w);
  for (size_t i = 0; i < armdyn_code_input_count(code); i++) variable_write(w, armdyn_code_input(code, i));
  json_end_array(w);
  json_key(w, "output"), variable_write(w, armdyn_code_output(code));
  json_key(w, "parameters"), parameters_write(w, code);
  json_key(w, "operations"), operations_write(w, code);
  json_key(w, "left_out"), bound_write(w, request, code);
  json_key(w, "proof"), proof_write(w, proof);
  json_end_object(w);
}

static const char evaluated[] =
    "`proof` is of the list of operations from which every language is printed, evaluated beside armdyn's kernels; the "
    "service neither compiles nor runs the text itself. Run the test that comes with it where it will be used.";

enum armdyn_status code_programs_encode(struct buffer *out, const struct code_request *request,
                                        struct armdyn_code *const *codes, const struct armdyn_code_proof *proofs)
{
  struct json_writer w = { .out = out };
  json_begin_array(&w);
  for (size_t k = 0; k < request->function_count; k++) program_write(&w, request, k, codes[k], &proofs[k]);
  json_end_array(&w);
  return out->failure;
}

enum armdyn_status code_encode(struct buffer *out, const struct code_request *request, struct armdyn_code *const *codes,
                               const struct buffer *programs, long long revision)
{
  struct json_writer w = { .out = out };
  enum armdyn_status status = ARMDYN_OK;
  json_begin_object(&w);
  json_key(&w, "revision"), json_write_integer(&w, revision);
  json_key(&w, "language"), json_write_text(&w, armdyn_code_language_names[request->language]);
  json_key(&w, "entry"), json_write_text(&w, armdyn_code_entry(codes[0]));
  json_key(&w, "files"), json_begin_array(&w);
  for (size_t k = 0; k < request->function_count; k++) {
    for (size_t file = 0; file < armdyn_code_file_count(codes[k]) && !status; file++) {
      status = file_write(&w, codes[k], file);
    }
  }
  json_end_array(&w);
  json_key(&w, "programs"), json_write_raw_n(&w, programs->data, programs->length);
  json_key(&w, "note"), json_write_text(&w, evaluated);
  json_end_object(&w);
  return status;
}
