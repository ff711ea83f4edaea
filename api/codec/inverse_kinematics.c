#include "api/codec/inverse_kinematics.h"

/* In the order of the bits ARMDYN_TASK_... */
static const char *const components[] = { "x", "y", "z", "rx", "ry", "rz" };
enum { COMPONENTS = sizeof components / sizeof *components };
_Static_assert(ARMDYN_TASK_ALL == (1 << COMPONENTS) - 1, "a name for every component");

void pose_task_decode(struct json_reader *r, const struct json_field *field, void *member,
                      const struct json_context *context)
{
  unsigned *task = member;
  (void)context;
  *task = 0;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    struct json_slice name;
    char text[64];
    int k = 0;
    if (!json_read_text(r, "the name of a component", &name)) continue;
    while (k < COMPONENTS && !json_slice_is(name, components[k])) k++;
    if (k == COMPONENTS)
      json_fault(r, NULL, FAULT_ENUM, "must be x, y, z, rx, ry or rz, got \"%s\"",
                 json_excerpt(name, text, sizeof text));
    else if (*task >> k & 1)
      json_fault(r, NULL, FAULT_DUPLICATE, "\"%s\" is there already", components[k]);
    else
      *task |= 1U << k;
  }
  if (*task == 0) json_fault(r, NULL, FAULT_LENGTH, "must have at least 1 component");
}

void tool_pose_check(struct json_reader *r, const struct tool_pose *tool, unsigned task)
{
  if ((task & TASK_PLACE) && !tool->placed)
    json_fault(r, "/tool/translation", FAULT_REQUIRED, "is missing: x, y and z in m, or leave them out of task");
  if ((task & TASK_TURN) && !tool->turned)
    json_fault(r, "/tool/rpy", FAULT_REQUIRED,
               "is missing: roll, pitch and yaw in rad, or leave rx, ry and rz out of task");
}

/* What is asked, as it is written. */
struct asked {
  struct inverse_kinematics_request request;
  struct tool_pose pose; /* instead of the request's matrix */
};

static const struct json_field matrix_field = { MATRIX(struct asked, request.tool, 4, 4, BETWEEN(-1e6, 1e6),
                                                       "a homogeneous transform, m") };

/* Of a struct asked: {translation, rpy}, or a matrix. */
static void tool_decode(struct json_reader *r, const struct json_field *field, void *member,
                        const struct json_context *context)
{
  struct asked *asked = member;
  (void)field;
  asked->request.by_pose = json_peek(r) != JSON_ARRAY;
  if (asked->request.by_pose)
    json_decode_object(r, &tool_pose_type, &asked->pose, context);
  else
    json_decode_field(r, &matrix_field, asked, context);
}

/* rows of the table */
enum { GIVEN_TOOL = 1 };

static const struct json_field request_fields[] = {
  { .name = "tool",
    .kind = FIELD_CUSTOM,
    .decode = tool_decode,
    .unit = "a pose: translation (m), rpy (rad)",
    REQUIRED },
  { NUMBERS(struct asked, request.q, PER_JOINT, BETWEEN(-1e6, 1e6), "rad; m for a slide"), NAMED("q"), REQUIRED },
  { CUSTOM(struct asked, request.task, pose_task_decode, NULL, "names of components"), NAMED("task"), NULLABLE },
  { INTEGER(struct asked, request.starts, BETWEEN(0, LIMIT_KINEMATIC_STARTS), NULL), NAMED("starts") },
  { INTEGER(struct asked, request.seed, BETWEEN(0, 1e9), NULL), NAMED("seed") },
  { OBJECT(struct asked, request.carried.overrides.tool, pose_type),
    HAS(struct asked, request.carried.overrides.has_tool), NAMED("tool_frame"), NULLABLE },
  { CUSTOM(struct asked, request.carried.part, carried_part_decode, NULL, "the name of a part"),
    HAS(struct asked, request.carried.has_part), NAMED("part"), NULLABLE },
};

static void request_init(void *object)
{
  *(struct asked *)object = (struct asked){ .request = { .task = ARMDYN_TASK_ALL, .starts = 60, .seed = 1 } };
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct asked *asked = object;
  struct carried *carried = &asked->request.carried;
  (void)context;
  if (carried->overrides.has_tool && carried->part.has_tool)
    json_fault(r, "/tool_frame", FAULT_INCONSISTENT, "the part '%s' has a tool of its own", carried->part.name);
  else
    carried_check(r, carried);
  if (!asked->request.by_pose || !(given & GIVEN_TOOL) || (r->wrong & GIVEN_TOOL)) return;
  tool_pose_check(r, &asked->pose, asked->request.task);
  armdyn_pose_matrix(&asked->pose.pose, asked->request.tool);
}

static const struct json_type request_type =
    JSON_TYPE("a request for inverse kinematics", request_fields, struct asked, request_init, request_check);

enum armdyn_status inverse_kinematics_decode(const char *body, size_t length, size_t joints,
                                             struct inverse_kinematics_request *out, struct faults *faults)
{
  const struct json_context context = { joints, NULL };
  struct asked asked;
  const enum armdyn_status status = json_decode(body, length, &request_type, &asked, &context, faults);
  *out = asked.request;
  return status;
}

/* The members of a branch, in an object of the caller. */
static void branch_write(struct json_writer *w, size_t joints, const struct armdyn_branch *branch,
                         const struct armdyn_pose *pose)
{
  json_key(w, "q"), json_write_numbers(w, branch->q, joints);
  if (pose) json_key(w, "tool"), pose_write(w, pose);
  json_key(w, "residual"), json_begin_object(w);
  json_key(w, "position"), json_write_number(w, branch->position);
  json_key(w, "orientation"), json_write_number(w, branch->orientation);
  json_end_object(w);
}

void inverse_kinematics_encode(struct buffer *out, size_t joints, long long revision,
                               const struct armdyn_inverse_kinematics_result *result, const struct armdyn_pose *poses)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "revision"), json_write_integer(&w, revision);
  json_key(&w, "reached"), json_write_truth(&w, result->reached);
  branch_write(&w, joints, &result->branches[0], poses);
  json_key(&w, "freedom"), json_write_integer(&w, (long long)result->freedom);
  json_key(&w, "branches"), json_begin_array(&w);
  for (size_t k = 1; k < result->branch_count; k++) {
    json_begin_object(&w);
    branch_write(&w, joints, &result->branches[k], poses ? poses + k : NULL);
    json_end_object(&w);
  }
  json_end_array(&w);
  json_end_object(&w);
}
