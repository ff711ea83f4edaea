#include "api/codec/gravity_map.h"

static size_t joint_of(const struct armdyn_robot_description *robot, struct json_slice name)
{
  size_t joint = 0;
  while (joint < robot->joint_count && !json_slice_is(name, robot->joints[joint].name)) joint++;
  return joint;
}

static void joints_decode(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  const struct armdyn_robot_description *robot = context->user;
  size_t *joints = member, count = 0;
  joints[0] = joints[1] = robot->joint_count;
  if (!json_enter_array(r, field->unit)) return;
  for (; json_next_element(r); count++) {
    struct json_slice name;
    char text[64];
    if (!json_read_text(r, "the name of a joint", &name) || count >= 2) continue;
    joints[count] = joint_of(robot, name);
    if (joints[count] == robot->joint_count)
      json_fault(r, NULL, FAULT_ENUM, "must be a joint of this robot, got \"%s\"",
                 json_excerpt(name, text, sizeof text));
  }
  if (count != 2)
    json_fault(r, NULL, FAULT_LENGTH, "must have 2 elements, got %zu", count);
  else if (joints[0] == joints[1] && joints[0] < robot->joint_count)
    json_fault(r, NULL, FAULT_INCONSISTENT, "must be two joints, got the same one twice");
}

enum { ROW_JOINTS, ROW_Q, ROW_POINTS, ROW_RANGES };

static const struct json_field map_fields[] = {
  [ROW_JOINTS] = { CUSTOM(struct gravity_map_request, joints, joints_decode, NULL, "the names of two joints"),
                   REQUIRED },
  [ROW_Q] = { NUMBERS(struct gravity_map_request, q, PER_JOINT, BETWEEN(-LIMIT_SAMPLE_NUMBER, LIMIT_SAMPLE_NUMBER),
                      "rad; m for a slide"),
              REQUIRED },
  [ROW_POINTS] = { NUMBERS(struct gravity_map_request, points, 2, BETWEEN(2, LIMIT_MAP_POINTS),
                           "points of each axis") },
  [ROW_RANGES] = { MATRIX(struct gravity_map_request, ranges, 2, 2, BETWEEN(-1e6, 1e6), "lower and upper end, rad, m"),
                   HAS(struct gravity_map_request, has_ranges), NULLABLE },
  OVERRIDES,
};

static void map_init(void *object)
{
  *(struct gravity_map_request *)object = (struct gravity_map_request){ .points = { 25, 25 } };
}

static void range_of(struct json_reader *r, const struct armdyn_joint *joint, double range[2])
{
  const double *limits = joint->limits.position, turn = 2 * M_PI;
  bool below = isfinite(limits[0]), above = isfinite(limits[1]);
  if (joint->type == ARMDYN_PRISMATIC && !(below && above)) {
    json_fault(r, "/ranges", FAULT_REQUIRED, "is needed: the slide \"%s\" has no position limits", joint->name);
    return;
  }
  range[0] = below ? limits[0] : above ? limits[1] - turn : -M_PI;
  range[1] = above ? limits[1] : range[0] + turn;
}

static void map_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct gravity_map_request *request = object;
  const struct armdyn_robot_description *robot = context->user;
  for (int k = 0; k < 2; k++) {
    double *range = request->ranges + 2 * k;
    char pointer[32];
    if (!(r->wrong >> ROW_POINTS & 1) && request->points[k] != floor(request->points[k])) {
      snprintf(pointer, sizeof pointer, "/points/%d", k);
      json_fault(r, pointer, FAULT_TYPE, "must be a whole number, got %g", request->points[k]);
    }
    if (request->has_ranges && !(r->wrong >> ROW_RANGES & 1) && !(range[0] < range[1])) {
      snprintf(pointer, sizeof pointer, "/ranges/%d", k);
      json_fault(r, pointer, FAULT_INCONSISTENT, "the lower end must be below the upper one, got [%g, %g]", range[0],
                 range[1]);
    }
    bool known = given >> ROW_JOINTS & 1 && !(r->wrong >> ROW_JOINTS & 1);
    if (known && !request->has_ranges) range_of(r, &robot->joints[request->joints[k]], range);
  }
}

static const struct json_type map_type =
    JSON_TYPE("a request for a gravity map", map_fields, struct gravity_map_request, map_init, map_check);

enum armdyn_status gravity_map_decode(const char *body, size_t length, const struct armdyn_robot_description *robot,
                                      struct gravity_map_request *out, struct faults *faults)
{
  struct armdyn_robot_description *model = (struct armdyn_robot_description *)(uintptr_t)robot; /* is only read */
  const struct json_context context = { robot->joint_count, model };
  return json_decode(body, length, &map_type, out, &context, faults);
}

double gravity_map_position(const struct gravity_map_request *request, int axis, size_t i)
{
  const double *range = request->ranges + 2 * axis, part = (double)i / (request->points[axis] - 1);
  return range[0] * (1 - part) + range[1] * part;
}

void gravity_map_encode(struct buffer *out, const struct gravity_map_request *request,
                        const struct armdyn_robot_description *robot, long long revision, const double *torque)
{
  struct json_writer w = { .out = out };
  const size_t shape[] = { 2, (size_t)request->points[0], (size_t)request->points[1] };
  json_begin_object(&w);
  json_key(&w, "revision"), json_write_integer(&w, revision);
  json_key(&w, "joints"), json_begin_array(&w);
  for (int k = 0; k < 2; k++) json_write_text(&w, robot->joints[request->joints[k]].name);
  json_end_array(&w);
  json_key(&w, "axes"), json_begin_array(&w);
  for (int k = 0; k < 2; k++) {
    json_begin_array(&w);
    for (size_t i = 0; i < shape[1 + k]; i++) json_write_number(&w, gravity_map_position(request, k, i));
    json_end_array(&w);
  }
  json_end_array(&w);
  json_key(&w, "gravity_torque"), json_write_table(&w, torque, shape, 3);
  json_end_object(&w);
}
