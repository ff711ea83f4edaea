/* The synchronous calls on samples: decode, compute, encode. Small ones run where they arrive; large ones on the compute
 * pool, split over its threads. To add a call: see enum samples_call. */
#include <stdatomic.h>

#include "armdyn/methods.h"
#include "server/app.h"
#include "server/base/memory.h"
#include "server/base/pool.h"
#include "server/base/scratch.h"
#include "server/routes/dynamics.h"
#include "server/routes/kernels.h"
#include "server/routes/robots.h"

/* About a millisecond: larger ones leave the event thread. */
static const size_t INLINE_BODY = 16 * 1024;
static const size_t PIECE_NUMBERS = 6 * 1024; /* results a piece of a split batch, so that threads end together */
static const size_t SLOW_STEPS = 16 * 1024;   /* of a method of order n^3, about a millisecond */
static const size_t NUMBER_TEXT = 28;         /* bytes of the longest number, and what separates it from the next */

/* A task that several threads work at. */
struct work {
  struct samples_task task;
  enum samples_call call;
  _Atomic size_t failed;       /* the first sample that has no answer; SIZE_MAX: all have one */
  _Atomic unsigned int status; /* of that or another sample without an answer */
};

struct answer {
  struct samples_field fields[OUTPUTS_MOST];
  size_t field_count; /* those that are answered, in the order of the call */
  size_t chosen;
  size_t numbers; /* of all that are computed */
  double *memory; /* NULL: they fit into the thread's scratch */
};

static const char *look_up(const void *context, const char *name)
{
  return exchange_query(context, name);
}

/* Options of a JSON request stand in the body, and `field` chooses among what JSON answers whole. */
static bool query_is_right(struct exchange *x, enum samples_call call)
{
  struct faults *faults = exchange_faults(x);
  if (exchange_body_media(x) == MEDIA_JSON) samples_options_in_place(call, look_up, x, faults);
  if (exchange_answer_media(x) == MEDIA_JSON && exchange_query(x, "field"))
    fault_add(faults, FAULT_AT_PARAMETER, "field", FAULT_INCONSISTENT, "a JSON answer carries every field");
  return !faults->count;
}

static size_t extent(const struct samples_task *task, size_t length)
{
  switch (length) {
  case PER_JOINT: return task->joints;
  case PER_STATE: return 2 * task->joints;
  case PER_PARAMETER: return task->parameters;
  default: return length;
  }
}

static bool method_fits(struct exchange *x, const struct work *work)
{
  struct armdyn_error error = { "", "" };
  bool inside = exchange_body_media(x) == MEDIA_JSON;
  if (samples_method_fits(work->call, &work->task, &error)) return true;
  fault_add(exchange_faults(x), inside ? FAULT_AT_POINTER : FAULT_AT_PARAMETER, inside ? "/method" : "method",
            FAULT_INCONSISTENT, "does not fit this arm: %s", error.message);
  return false;
}

/* Which outputs are answered, and which of them .npy and CSV carry. */
static bool choose_fields(struct exchange *x, struct work *work, struct answer *answer)
{
  const struct samples_output *outputs = samples_forms[work->call].outputs;
  struct samples_task *task = &work->task;
  const char *wanted = exchange_query(x, "field");
  bool one_only = exchange_answer_media(x) != MEDIA_JSON, found = !wanted;
  for (size_t f = 0; f < OUTPUTS_MOST && outputs[f].name; f++) {
    if (!samples_output_wanted(&outputs[f], task->request)) continue;
    struct samples_field *to = &answer->fields[answer->field_count];
    *to = (struct samples_field){ .name = outputs[f].name, .poses = outputs[f].poses };
    size_t width = 1;
    for (int d = 0; d < 3 && outputs[f].shape[d]; d++) width *= to->shape[d] = extent(task, outputs[f].shape[d]);
    bool chosen = wanted ? !strcmp(wanted, to->name) : answer->field_count == 0;
    if (chosen) answer->chosen = answer->field_count;
    found |= chosen;
    if (chosen || !one_only) task->width[f] = width;
    answer->numbers += task->request->count * task->width[f];
    answer->field_count++;
  }
  if (!found)
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "field", FAULT_ENUM, "'%.64s' is no field of this answer",
              wanted);
  return found;
}

/* Give every output that is computed its place. */
static void lay_out(struct work *work, struct answer *answer, double *memory)
{
  const struct samples_output *outputs = samples_forms[work->call].outputs;
  struct samples_task *task = &work->task;
  size_t index = 0;
  for (size_t f = 0; f < OUTPUTS_MOST && outputs[f].name; f++) {
    if (!samples_output_wanted(&outputs[f], task->request)) continue;
    if (task->width[f]) {
      task->out[f] = memory;
      memory += task->request->count * task->width[f];
    }
    answer->fields[index++].data = task->out[f];
  }
}

static void compute_piece(void *context, size_t first, size_t last)
{
  struct work *work = context;
  struct scratch *scratch = scratch_here();
  size_t failed = first;
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (scratch) status = kernels[work->call].compute(&work->task, scratch->workspace, first, last, &failed);
  if (!status) return;
  atomic_store(&work->status, (unsigned int)status);
  for (size_t known = atomic_load(&work->failed); failed < known;)
    if (atomic_compare_exchange_weak(&work->failed, &known, failed)) break;
}

/* Names of the columns of a regressor, each given to `write`. */
static void name_parameters(const struct samples_task *task, void (*write)(void *to, const char *name), void *to)
{
  for (size_t k = 0; k < task->parameters; k++) {
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    armdyn_parameter_name(task->robot, NULL, task->base ? armdyn_base_parameter_lead(task->base, k) : k, name);
    write(to, name);
  }
}

static void write_name(void *writer, const char *name)
{
  json_write_text(writer, name);
}

static void write_column(void *buffer, const char *name)
{
  struct buffer *columns = buffer;
  buffer_format(columns, "%s%s", columns->length ? "," : "", name);
}

static void encode(struct exchange *x, const struct robot_entry *entry, const struct samples_task *task,
                   const struct answer *answer)
{
  const struct samples_request *request = task->request;
  enum media media = exchange_answer_media(x);
  struct buffer body = BUFFER(LIMIT_ANSWER), columns = BUFFER(KB(16));
  if (media == MEDIA_JSON) {
    struct json_writer w = { .out = &body };
    json_begin_object(&w);
    json_key(&w, "revision"), json_write_integer(&w, entry->revision);
    if (task->parameters) {
      json_key(&w, "parameters"), json_begin_array(&w);
      name_parameters(task, write_name, &w);
      json_end_array(&w);
    }
    samples_answer_write(&w, answer->fields, answer->field_count, request->count, request->single);
    json_end_object(&w);
  } else {
    samples_answer_encode(media, answer->fields, answer->field_count, answer->chosen, request->count, request->single,
                          &body, task->parameters ? NULL : &columns);
    if (task->parameters) name_parameters(task, write_column, &columns);
  }
  exchange_set_revision(x, entry->revision);
  if (columns.failure == ARMDYN_ELIMIT) {
    buffer_release(&body);
    answer_problem(x, PROBLEM_NOT_ACCEPTABLE,
                   "the names of its columns are longer than a header may be: ask for JSON, which lists them, or give "
                   "the joints shorter names");
  } else {
    if (columns.length && buffer_ok(&columns)) exchange_set_header(x, "Columns", "%s", columns.data);
    answer_bytes(x, 200, media_type(media), &body);
  }
  buffer_release(&columns);
}

/* A sample without an answer: which, and why. */
static void answer_failure(struct exchange *x, const struct work *work)
{
  enum armdyn_status status = (enum armdyn_status)work->status;
  if (status != ARMDYN_ESINGULAR) {
    answer_status(x, status, NULL);
    return;
  }
  const struct samples_task *task = &work->task;
  const double *q = task->request->q.data + work->failed * task->request->q.stride;
  struct scratch *scratch = scratch_here();
  size_t joint = scratch ? armdyn_massless_joint(task->robot, q, scratch->workspace) : task->joints;
  char pointer[48] = "/q", words[96] = "a joint";
  if (!task->request->single) snprintf(pointer, sizeof pointer, "/q/%zu", work->failed);
  if (joint < task->joints)
    snprintf(words, sizeof words, "joint \"%s\"", armdyn_robot_description(task->robot)->joints[joint].name);
  fault_add(exchange_faults(x), FAULT_AT_POINTER, pointer, FAULT_UNPHYSICAL,
            "the mass matrix is not positive definite here: %s moves nothing that has inertia", words);
  answer_problem(x, PROBLEM_INVALID, NULL);
}

/* May the answer be as large as that? Known before anything is computed. */
static bool small_enough(struct exchange *x, size_t numbers)
{
  size_t most = LIMIT_ANSWER / (exchange_answer_media(x) == MEDIA_NPY ? sizeof(double) : NUMBER_TEXT);
  if (numbers <= most) return true;
  answer_problem(x, PROBLEM_TOO_LARGE, "the answer would have %zu numbers, more than %zu: send fewer samples at once%s",
                 numbers, most, exchange_answer_media(x) == MEDIA_NPY ? "" : ", or accept application/x-npy");
  return false;
}

/* Too much for an event thread: many numbers, or a method of order n^3. */
static bool is_long(const struct work *work, const struct answer *answer)
{
  const struct samples_task *task = &work->task;
  if (task->request->method && task->request->count * task->joints * task->joints * task->joints > SLOW_STEPS)
    return true;
  return answer->numbers > SCRATCH_NUMBERS;
}

/* Compute what was decoded. BLOCKS when it is too much for an event thread. */
static enum outcome compute(struct exchange *x, const struct robot_entry *entry, struct work *work)
{
  const struct samples_request *request = work->task.request;
  struct answer answer = { .field_count = 0 };
  if (!query_is_right(x, work->call) || !method_fits(x, work) || !choose_fields(x, work, &answer)) {
    answer_problem(x, PROBLEM_INVALID, NULL);
    return ANSWERED;
  }
  if (!small_enough(x, answer.numbers)) return ANSWERED;
  if (is_long(work, &answer) && !exchange_may_block(x)) return BLOCKS;
  struct scratch *scratch = scratch_here();
  double *memory = scratch ? scratch->numbers : NULL;
  const size_t bytes = answer.numbers * sizeof *memory;
  if (answer.numbers > SCRATCH_NUMBERS) memory = answer.memory = memory_in_large_pages(malloc(bytes), bytes);
  if (!memory) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
    return ANSWERED;
  }
  lay_out(work, &answer, memory);
  if (answer.memory)
    pool_for(exchange_app(x)->pool, request->count, 1 + PIECE_NUMBERS * request->count / answer.numbers, compute_piece,
             work);
  else
    compute_piece(work, 0, request->count);
  if (work->status)
    answer_failure(x, work);
  else
    encode(x, entry, &work->task, &answer);
  free(answer.memory);
  return ANSWERED;
}

const struct armdyn_robot *robot_for_call(struct exchange *x, const struct robot_entry *entry,
                                          const struct armdyn_robot_description *changed, struct armdyn_robot **own)
{
  struct armdyn_error error = { "", "" };
  *own = NULL;
  if (!changed) return entry->robot;
  enum armdyn_status status = armdyn_robot_new(changed, own, &error);
  if (status) answer_status(x, status, &error);
  return *own;
}

/* What a regressor needs to know before its answer has a size. false: return *outcome. */
static bool prepare_parameters(struct exchange *x, struct samples_task *task, struct armdyn_base_parameters **base,
                               enum outcome *outcome)
{
  bool minimal = false;
  *outcome = ANSWERED;
  if (!exchange_query_truth(x, "base", &minimal)) {
    answer_problem(x, PROBLEM_INVALID, NULL);
    return false;
  }
  task->parameters = armdyn_parameter_count(task->robot, NULL);
  if (!minimal) return true;
  *outcome = BLOCKS;
  if (!exchange_may_block(x)) return false;
  enum armdyn_status status = armdyn_base_parameters_new(task->robot, NULL, base);
  *outcome = ANSWERED;
  if (status) {
    answer_status(x, status, NULL);
    return false;
  }
  task->base = *base;
  task->parameters = armdyn_base_parameter_count(*base);
  return true;
}

static enum outcome compute_for(struct exchange *x, enum samples_call call, const struct robot_entry *entry,
                                const struct samples_request *request)
{
  struct armdyn_robot *own;
  const struct armdyn_robot *robot = robot_for_call(x, entry, request->robot, &own);
  if (!robot) return ANSWERED;
  struct work work = { .task = { .robot = robot, .request = request, .joints = armdyn_robot_joint_count(robot) },
                       .call = call,
                       .failed = SIZE_MAX };
  struct armdyn_base_parameters *base = NULL;
  enum outcome outcome;
  if (call != CALL_REGRESSOR || prepare_parameters(x, &work.task, &base, &outcome)) outcome = compute(x, entry, &work);
  armdyn_base_parameters_free(base);
  armdyn_robot_free(own);
  return outcome;
}

enum outcome dynamics_call(struct exchange *x)
{
  const struct kernel *kernel = exchange_about(x);
  const enum samples_call call = kernel->call;
  size_t length;
  const char *body = exchange_body(x, &length);
  if (length > INLINE_BODY && !exchange_may_block(x)) return BLOCKS;
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return outcome;

  struct samples_request request;
  enum armdyn_status status =
      samples_request_decode(call, exchange_body_media(x), armdyn_robot_description(entry->robot), body, length,
                             look_up, x, &request, exchange_faults(x));
  if (status) {
    answer_status(x, status, NULL);
    outcome = ANSWERED;
  } else {
    outcome = compute_for(x, call, entry, &request);
    samples_request_release(&request);
  }
  robots_release(exchange_app(x)->robots, entry);
  return outcome;
}
