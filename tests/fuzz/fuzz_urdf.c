/* URDFs: refusals have reasons and never take long; whatever is accepted makes a model that JSON takes too and whose export
 * is accepted again. A seed may begin with the lines "root NAME" and "tip NAME". */
#include <math.h>

#include "api/codec/robot.h"
#include "api/urdf/urdf.h"
#include "tests/fuzz/fuzz.h"

/* The rest of a line that begins with `word`, cut off the front of the text; NULL when it does not. */
static const char *option(char **text, size_t *length, const char *word)
{
  size_t skip = strlen(word);
  char *end = memchr(*text, '\n', *length);
  if (!end || (size_t)(end - *text) < skip || memcmp(*text, word, skip)) return NULL;
  const char *value = *text + skip;
  *end = 0;
  *length -= (size_t)(end + 1 - *text);
  *text = end + 1;
  return value;
}

/* Zeros between the members of its bodies, where else anything may be. */
static void settle_bodies(struct armdyn_robot_description *robot)
{
  for (size_t i = 0; i < robot->body_count; i++) {
    struct armdyn_part_body *body = &robot->bodies[i];
    const struct armdyn_part_body was = *body;
    const struct armdyn_shape *from = &was.shape;
    struct armdyn_shape *to = &body->shape;
    memset(body, 0, sizeof *body);
    body->part = was.part;
    to->kind = from->kind, to->radius = from->radius, to->offset = from->offset, to->pose = from->pose;
    to->points = from->points, to->point_count = from->point_count;
    memcpy(to->from, from->from, sizeof to->from);
    memcpy(to->to, from->to, sizeof to->to);
    memcpy(to->size, from->size, sizeof to->size);
  }
}

/* What an export says is read back bit for bit; only a massless body loses its centre of mass. */
static void require_same_arm(const struct armdyn_robot_description *a, const struct armdyn_robot_description *b)
{
  REQUIRE(a->joint_count == b->joint_count);
  for (size_t i = 0; i < a->joint_count; i++) {
    REQUIRE(strcmp(a->joints[i].name, b->joints[i].name) == 0 && a->joints[i].type == b->joints[i].type);
    REQUIRE(memcmp(&a->joints[i].link, &b->joints[i].link, sizeof a->joints[i].link) == 0 ||
            (!(fabs(a->joints[i].link.mass) > 0) && !(fabs(b->joints[i].link.mass) > 0)));
    REQUIRE(memcmp(&a->joints[i].frame, &b->joints[i].frame, sizeof a->joints[i].frame) == 0);
    REQUIRE(memcmp(&a->joints[i].limits, &b->joints[i].limits, sizeof a->joints[i].limits) == 0);
  }
  REQUIRE(a->visual_count == b->visual_count);
  for (size_t i = 0; i < a->visual_count; i++)
    REQUIRE(memcmp(&a->visuals[i], &b->visuals[i], sizeof a->visuals[i]) == 0);
}

/* As the store's row of a revision is written. */
static void write_row(struct json_writer *w, const void *unphysical)
{
  json_key(w, "revision"), json_write_integer(w, 7);
  json_key(w, "created_at"), json_write_text(w, "2025-01-31T12:00:00Z");
  json_key(w, "unphysical"), json_write_truth(w, *(const bool *)unphysical);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  static struct robot_notes notes;
  static struct armdyn_robot_description robot, again;
  struct buffer text = BUFFER(MB(4)), json = BUFFER(MB(4)), resource = BUFFER(MB(4));
  bool unphysical, as_before;
  char *bytes = copy_of(data, size), *document = bytes;
  size_t length = size;
  struct urdf_options options = { "fuzz", option(&document, &length, "root "), option(&document, &length, "tip "),
                                  true };
  faults.count = notes.count = 0;

  enum armdyn_status status = urdf_decode(document, length, &options, &robot, &unphysical, &notes, &faults);
  require_reason(status, &faults);
  if (!status) {
    robot_encode(&robot, &json);
    REQUIRE(buffer_ok(&json));
    REQUIRE(robot_decode(json.data, json.length, true, &again, &as_before, &faults) == ARMDYN_OK);
    settle_bodies(&robot);
    settle_bodies(&again);
    REQUIRE(as_before == unphysical && memcmp(&robot, &again, sizeof robot) == 0);
    robot_resource_encode(
        &(struct robot_resource){
            .robot = &robot, .write_row = write_row, .row = &(bool){ unphysical }, .notes = &notes },
        &resource);
    REQUIRE(buffer_ok(&resource) && is_json(resource.data, resource.length));

    const struct urdf_options whole = { "fuzz", NULL, NULL, true };
    urdf_encode(&robot, &text);
    REQUIRE(buffer_ok(&text));
    REQUIRE(urdf_decode(text.data, text.length, &whole, &again, NULL, NULL, &faults) == ARMDYN_OK);
    require_same_arm(&robot, &again);
  }
  buffer_release(&text);
  buffer_release(&json);
  buffer_release(&resource);
  free(bytes);
  return 0;
}
