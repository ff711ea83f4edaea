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

static const struct json_field request_fields[] = {
  { MATRIX(struct inverse_kinematics_request, tool, 4, 4, BETWEEN(-1e6, 1e6), "a homogeneous transform, m"), REQUIRED },
  { NUMBERS(struct inverse_kinematics_request, q, PER_JOINT, BETWEEN(-1e6, 1e6), "rad; m for a slide"), REQUIRED },
  { CUSTOM(struct inverse_kinematics_request, task, pose_task_decode, NULL, "names of components"), NULLABLE },
  { INTEGER(struct inverse_kinematics_request, starts, BETWEEN(0, LIMIT_KINEMATIC_STARTS), NULL) },
  { INTEGER(struct inverse_kinematics_request, seed, BETWEEN(0, 1e9), NULL) },
};

static void request_init(void *object)
{
  *(struct inverse_kinematics_request *)object =
      (struct inverse_kinematics_request){ .task = ARMDYN_TASK_ALL, .starts = 60, .seed = 1 };
}

static const struct json_type request_type = JSON_TYPE("a request for inverse kinematics", request_fields,
                                                       struct inverse_kinematics_request, request_init, NULL);

enum armdyn_status inverse_kinematics_decode(const char *body, size_t length, size_t joints,
                                             struct inverse_kinematics_request *out, struct faults *faults)
{
  const struct json_context context = { joints, NULL };
  return json_decode(body, length, &request_type, out, &context, faults);
}

/* The members of a branch, in an object of the caller. */
static void branch_write(struct json_writer *w, size_t joints, const struct armdyn_branch *branch)
{
  json_key(w, "q"), json_write_numbers(w, branch->q, joints);
  json_key(w, "residual"), json_begin_object(w);
  json_key(w, "position"), json_write_number(w, branch->position);
  json_key(w, "orientation"), json_write_number(w, branch->orientation);
  json_end_object(w);
}

void inverse_kinematics_encode(struct buffer *out, size_t joints, long long revision,
                               const struct armdyn_inverse_kinematics_result *result)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "revision"), json_write_integer(&w, revision);
  json_key(&w, "reached"), json_write_truth(&w, result->reached);
  branch_write(&w, joints, &result->branches[0]);
  json_key(&w, "freedom"), json_write_integer(&w, (long long)result->freedom);
  json_key(&w, "branches"), json_begin_array(&w);
  for (size_t k = 1; k < result->branch_count; k++) {
    json_begin_object(&w);
    branch_write(&w, joints, &result->branches[k]);
    json_end_object(&w);
  }
  json_end_array(&w);
  json_end_object(&w);
}
