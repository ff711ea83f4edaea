/* The synchronous calls on samples: decode, compute, encode. Small ones run where they arrive; large ones on the compute
 * pool, split over its threads. To add a call: its fields, its kernel, and a row in `calls`. */
#include <stdatomic.h>

#include "api/codec/dynamics.h"
#include "server/app.h"
#include "server/base/pool.h"
#include "server/base/scratch.h"
#include "server/robots/cache.h"
#include "server/routes/route.h"

enum { FIELDS_MOST = 8 };

/* About a millisecond: larger ones leave the event thread. */
static const size_t INLINE_BODY = 16 * 1024;
static const size_t PIECE_NUMBERS = 6 * 1024; /* results a piece of a split batch, so that threads end together */

/* How a field of one sample is shaped; n stands for the number of joints. */
enum { JOINTS = -1 };
struct field {
  const char *name;
  int shape[3];
  bool optional; /* only with "decompose" */
};

struct task {
  const struct call *call;
  const struct armdyn_robot *robot;
  const struct samples_request *request;
  size_t joints;
  double *out[FIELDS_MOST]; /* count x width each; NULL = not wanted */
  size_t width[FIELDS_MOST];
  _Atomic bool out_of_memory;
};

struct call {
  enum samples_call codec;
  struct field fields[FIELDS_MOST];
  size_t field_count;
  void (*compute)(const struct task *task, struct armdyn_workspace *workspace, size_t first, size_t last);
};

static const double *row(const struct rows *rows, size_t sample)
{
  return rows->data ? rows->data + sample * rows->stride : NULL;
}

static double *out(const struct task *task, size_t field, size_t sample)
{
  return task->out[field] ? task->out[field] + sample * task->width[field] : NULL;
}

/* -- the kernels -- */

/* In the order of the fields. */
enum { TAU, INERTIAL, CORIOLIS, GRAVITY, FRICTION, EXTERNAL, MOTOR };

static void compute_inverse_dynamics(const struct task *task, struct armdyn_workspace *workspace, size_t first,
                                     size_t last)
{
  const struct samples_request *r = task->request;
  struct armdyn_load load = { .wrench_frame = r->wrench_frame, .frictionless = !r->friction };
  for (size_t s = first; s < last; s++) {
    load.wrench = row(&r->wrench, s);
    const double *q = row(&r->q, s), *qd = row(&r->qd, s), *qdd = row(&r->qdd, s);
    if (!r->decompose) {
      armdyn_inverse_dynamics(task->robot, q, qd, qdd, &load, workspace, out(task, TAU, s));
      continue;
    }
    double tau[ARMDYN_JOINTS_MAX];
    const struct armdyn_torque_parts parts = { .inertial = out(task, INERTIAL, s),
                                               .coriolis = out(task, CORIOLIS, s),
                                               .gravity = out(task, GRAVITY, s),
                                               .friction = out(task, FRICTION, s),
                                               .external = out(task, EXTERNAL, s),
                                               .motor = out(task, MOTOR, s) };
    armdyn_inverse_dynamics_parts(task->robot, q, qd, qdd, &load, workspace, tau, &parts);
    if (task->out[TAU]) memcpy(out(task, TAU, s), tau, task->joints * sizeof *tau);
  }
}

enum { TOOL, LINKS };

static void compute_forward_kinematics(const struct task *task, struct armdyn_workspace *workspace, size_t first,
                                       size_t last)
{
  for (size_t s = first; s < last; s++)
    armdyn_forward_kinematics(task->robot, row(&task->request->q, s), workspace, out(task, TOOL, s),
                              out(task, LINKS, s));
}

static const struct call inverse_dynamics_call = {
  .codec = CALL_INVERSE_DYNAMICS,
  .fields = { { "tau", { JOINTS }, false },
              { "inertial", { JOINTS }, true },
              { "coriolis", { JOINTS }, true },
              { "gravity", { JOINTS }, true },
              { "friction", { JOINTS }, true },
              { "external", { JOINTS }, true },
              { "motor", { JOINTS }, true } },
  .field_count = 7,
  .compute = compute_inverse_dynamics,
};

static const struct call forward_kinematics_call = {
  .codec = CALL_FORWARD_KINEMATICS,
  .fields = { { "tool", { 4, 4 }, false }, { "links", { JOINTS, 4, 4 }, false } },
  .field_count = 2,
  .compute = compute_forward_kinematics,
};

/* -- one request -- */

struct answer {
  struct samples_field fields[FIELDS_MOST];
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
static bool options_are_in_place(struct exchange *x)
{
  static const char *const of_tables[] = { "wrench_frame", "method", "friction", "decompose" };
  struct faults *faults = exchange_faults(x);
  for (size_t i = 0; i < sizeof of_tables / sizeof *of_tables && exchange_body_media(x) == MEDIA_JSON; i++)
    if (exchange_query(x, of_tables[i]))
      fault_add(faults, FAULT_AT_PARAMETER, of_tables[i], FAULT_INCONSISTENT, "goes into the body when that is JSON");
  if (exchange_answer_media(x) == MEDIA_JSON && exchange_query(x, "field"))
    fault_add(faults, FAULT_AT_PARAMETER, "field", FAULT_INCONSISTENT, "a JSON answer carries every field");
  return !faults->count;
}

/* Which fields are answered, and which of them .npy and CSV carry. */
static bool choose_fields(struct exchange *x, struct task *task, struct answer *answer)
{
  const struct call *call = task->call;
  const char *wanted = exchange_query(x, "field");
  bool one_only = exchange_answer_media(x) != MEDIA_JSON, found = !wanted;
  for (size_t f = 0; f < call->field_count; f++) {
    const struct field *field = &call->fields[f];
    if (field->optional && !task->request->decompose) continue;
    struct samples_field *to = &answer->fields[answer->field_count];
    *to = (struct samples_field){ .name = field->name };
    task->width[f] = 1;
    for (int d = 0; d < 3 && field->shape[d]; d++) {
      to->shape[d] = field->shape[d] == JOINTS ? task->joints : (size_t)field->shape[d];
      task->width[f] *= to->shape[d];
    }
    bool chosen = wanted ? !strcmp(wanted, field->name) : answer->field_count == 0;
    if (chosen) answer->chosen = answer->field_count;
    found |= chosen;
    if (chosen || !one_only) answer->numbers += task->request->count * task->width[f];
    if (one_only && !chosen) task->width[f] = 0;
    answer->field_count++;
  }
  if (!found)
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "field", FAULT_ENUM, "'%.64s' is no field of this answer",
              wanted);
  return found;
}

/* Give every field that is computed its place. */
static void lay_out(struct task *task, struct answer *answer, double *memory)
{
  size_t index = 0;
  for (size_t f = 0; f < task->call->field_count; f++) {
    if (task->call->fields[f].optional && !task->request->decompose) continue;
    if (task->width[f]) {
      task->out[f] = memory;
      memory += task->request->count * task->width[f];
    }
    answer->fields[index++].data = task->out[f];
  }
}

static void compute_piece(void *context, size_t first, size_t last)
{
  struct task *task = context;
  struct scratch *scratch = scratch_here();
  if (scratch)
    task->call->compute(task, scratch->workspace, first, last);
  else
    atomic_store(&task->out_of_memory, true);
}

static void encode(struct exchange *x, const struct robot_entry *entry, const struct task *task,
                   const struct answer *answer)
{
  enum media media = exchange_answer_media(x);
  struct buffer body = BUFFER(LIMIT_ANSWER), columns = BUFFER(KB(16));
  /* The JSON document of the codec becomes the rest of one that begins with the revision: its '{' is made a comma. */
  if (media == MEDIA_JSON) buffer_format(&body, "{\"revision\":%lld", (long long)entry->revision);
  size_t begin = body.length;
  samples_answer_encode(media, answer->fields, answer->field_count, answer->chosen, task->request->count,
                        task->request->single, &body, media == MEDIA_JSON ? NULL : &columns);
  if (media == MEDIA_JSON && buffer_ok(&body)) body.data[begin] = ',';
  exchange_set_header(x, "Armdyn-Robot-Revision", "%lld", (long long)entry->revision);
  if (columns.length && buffer_ok(&columns)) exchange_set_header(x, "Columns", "%s", columns.data);
  buffer_release(&columns);
  answer_bytes(x, 200, media_type(media), &body);
}

/* Compute what was decoded. BLOCKS when it is too much for an event thread. */
static enum outcome compute(struct exchange *x, const struct robot_entry *entry, struct task *task)
{
  struct answer answer = { .field_count = 0 };
  if (!options_are_in_place(x) || !choose_fields(x, task, &answer)) {
    answer_problem(x, PROBLEM_INVALID, NULL);
    return ANSWERED;
  }
  if (answer.numbers > SCRATCH_NUMBERS && !exchange_may_block(x)) return BLOCKS;
  if (answer.numbers > LIMIT_ANSWER / sizeof(double)) {
    answer_problem(x, PROBLEM_TOO_LARGE, "the answer would have %zu numbers, more than %zu", answer.numbers,
                   LIMIT_ANSWER / sizeof(double));
    return ANSWERED;
  }
  struct scratch *scratch = scratch_here();
  double *memory = scratch ? scratch->numbers : NULL;
  if (answer.numbers > SCRATCH_NUMBERS) memory = answer.memory = malloc(answer.numbers * sizeof(double));
  if (!memory) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
    return ANSWERED;
  }
  lay_out(task, &answer, memory);
  if (answer.memory)
    pool_for(exchange_app(x)->pool, task->request->count, 1 + PIECE_NUMBERS / task->joints, compute_piece, task);
  else
    compute_piece(task, 0, task->request->count);
  if (task->out_of_memory)
    answer_status(x, ARMDYN_EMEMORY, NULL);
  else
    encode(x, entry, task, &answer);
  free(answer.memory);
  return ANSWERED;
}

/* The robot with the payload, gravity or tool of this request, where it names them. */
static enum outcome compute_for(struct exchange *x, const struct call *call, const struct robot_entry *entry,
                                const struct samples_request *request)
{
  struct task task = { .call = call, .robot = entry->robot, .request = request };
  struct armdyn_robot *overridden = NULL;
  if (request->overridden) {
    struct armdyn_error error = { "", "" };
    enum armdyn_status status = armdyn_robot_new(request->robot, &overridden, &error);
    if (status) {
      answer_status(x, status, &error);
      return ANSWERED;
    }
    task.robot = overridden;
  }
  task.joints = armdyn_robot_joint_count(task.robot);
  enum outcome outcome = compute(x, entry, &task);
  armdyn_robot_free(overridden);
  return outcome;
}

static enum outcome serve(struct exchange *x, const struct call *call)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  if (length > INLINE_BODY && !exchange_may_block(x)) return BLOCKS;
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return outcome;

  struct samples_request request;
  enum armdyn_status status =
      samples_request_decode(call->codec, exchange_body_media(x), armdyn_robot_description(entry->robot), body, length,
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

enum outcome inverse_dynamics(struct exchange *x)
{
  return serve(x, &inverse_dynamics_call);
}

enum outcome forward_kinematics(struct exchange *x)
{
  return serve(x, &forward_kinematics_call);
}
