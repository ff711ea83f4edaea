/* SerialLink of the toolbox: its links, and what it states of the whole arm. */
#include <math.h>
#include <string.h>

#include "api/toolbox/link.h"

typedef bool robot_member_function(struct script *s);

static bool read_name(struct script *s)
{
  struct value value;
  if (!script_value(s, &value)) return false;
  if (value.kind != VALUE_TEXT) return script_fault(s, FAULT_TYPE, "a robot's name is a text");
  s->robot.name = value.text;
  return true;
}

static bool read_gravity(struct script *s)
{
  return script_numbers(s, "gravity (m/s^2, upwards)", 3, s->robot.gravity);
}

/* A turn without stretching, and a shift. */
static bool read_frame(struct script *s, const char *what, double frame[16])
{
  if (!script_numbers(s, what, 16, frame)) return false;
  bool good = fabs(frame[12]) + fabs(frame[13]) + fabs(frame[14]) + fabs(frame[15] - 1) < 1e-9;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double dot = 0;
      for (int k = 0; k < 3; k++) dot += frame[4 * i + k] * frame[4 * j + k];
      good &= fabs(dot - (i == j)) < 1e-6;
    }
  const double *f = frame;
  const double determinant =
      f[0] * (f[5] * f[10] - f[6] * f[9]) - f[1] * (f[4] * f[10] - f[6] * f[8]) + f[2] * (f[4] * f[9] - f[5] * f[8]);
  return (good && determinant > 0) || script_fault(s, FAULT_INCONSISTENT, "%s is a turn and a shift", what);
}

static bool read_tool(struct script *s)
{
  return read_frame(s, "tool (4 x 4)", s->robot.tool);
}

static bool read_base(struct script *s)
{
  double frame[16];
  if (!read_frame(s, "base (4 x 4)", frame)) return false;
  double off = 0;
  for (size_t k = 0; k < 16; k++) off += fabs(frame[k] - (k % 5 == 0));
  return off < 1e-12 ||
         script_fault(s, FAULT_UNSUPPORTED,
                      "a model of convention dh or mdh begins at its base frame: take 'base' out, and turn "
                      "'gravity' into that frame if the arm is mounted tilted");
}

static bool read_nothing(struct script *s)
{
  struct value ignored;
  return script_value(s, &ignored);
}

/* What says nothing of the arm's mechanics is read over. To add a member: its row. */
static const struct {
  const char *name;
  robot_member_function *read;
} members[] = { { "name", read_name },       { "gravity", read_gravity },      { "tool", read_tool },
                { "base", read_base },       { "manufacturer", read_nothing }, { "manuf", read_nothing },
                { "comment", read_nothing }, { "ikine", read_nothing },        { "ikineType", read_nothing },
                { "model3d", read_nothing }, { "configuration", read_nothing } };
#define COUNT(table) (sizeof(table) / sizeof *(table))

bool script_robot_member(struct script *s, struct json_slice member)
{
  for (size_t i = 0; i < COUNT(members); i++)
    if (json_slice_is(member, members[i].name)) return members[i].read(s);
  return script_fault(s, FAULT_UNSUPPORTED, "a robot's '%.*s' is not read",
                      (int)(member.length < 64 ? member.length : 64), member.data);
}

/* -- SerialLink(links, ...) -- */

/* A table has a row for each joint; `modified` may stand behind it. */
static bool rows_to_links(struct script *s, const struct value *table, struct value *links)
{
  *links = (struct value){ .kind = VALUE_LINKS };
  if (!table->rows || table->rows > ARMDYN_JOINTS_MAX)
    return script_fault(s, FAULT_LENGTH, "an arm has 1 to %d joints, got %zu rows", ARMDYN_JOINTS_MAX, table->rows);
  for (size_t i = 0; i < table->rows; i++) {
    struct toolbox_link *link = toolbox_link_new(s);
    if (!link || !toolbox_link_row(s, link, table->numbers + i * table->columns, table->columns)) return false;
    links->links[links->link_count++] = s->link_count - 1;
  }
  return true;
}

static void all_modified(struct script *s)
{
  for (size_t i = 0; i < s->robot.link_count; i++) s->links[s->robot.links[i]].modified = true;
}

static bool join(struct script *s, const struct value *links)
{
  struct toolbox_robot *robot = &s->robot;
  robot->link_count = links->link_count;
  memcpy(robot->links, links->links, sizeof robot->links);
  for (size_t i = 0; i < robot->link_count; i++) {
    struct toolbox_link *link = &s->links[robot->links[i]];
    if (link->joined) return script_fault(s, FAULT_DUPLICATE, "link %zu stands in the arm twice", i + 1);
    link->joined = true;
  }
  return true;
}

static bool options(struct script *s)
{
  while (script_take(s, ',')) {
    struct value key;
    if (!script_value(s, &key)) return false;
    if (key.kind != VALUE_TEXT) return script_fault(s, FAULT_TYPE, "the name of an option belongs here, as 'name'");
    if (json_slice_is(key.text, "modified"))
      all_modified(s);
    else if (json_slice_is(key.text, "standard"))
      continue; /* as it is */
    else if (!script_expect(s, ',', "behind the name of an option") || !script_robot_member(s, key.text))
      return false;
  }
  return !s->status;
}

static bool construct(struct script *s, struct value *value)
{
  struct value links, table;
  struct toolbox_robot *robot = &s->robot;
  if (robot->made) return script_fault(s, FAULT_UNSUPPORTED, "a script with one robot is read; this is its second");
  if (!script_expect(s, '(', "behind SerialLink") || !script_value(s, &links)) return false;
  if (links.kind == VALUE_NUMBERS) {
    table = links;
    if (!rows_to_links(s, &table, &links)) return false;
  }
  if (links.kind != VALUE_LINKS || !links.link_count)
    return script_fault(s, FAULT_TYPE, "SerialLink is made of links, or of a table with a row for each joint");
  *robot = (struct toolbox_robot){ .made = true, .gravity = { 0, 0, 9.81 } };
  for (size_t k = 0; k < 4; k++) robot->tool[5 * k] = 1;
  *value = (struct value){ .kind = VALUE_ROBOT };
  return join(s, &links) && options(s) && script_expect(s, ')', "at the end of SerialLink");
}

/* Releases before 9 put the numbers of a link in another order. */
static bool is_of_old(struct script *s, struct json_slice name)
{
  if (!json_slice_is(name, "link") && !json_slice_is(name, "robot")) return false;
  script_fault(s, FAULT_UNSUPPORTED,
               "link and robot are of releases before 9, where a row is [alpha a theta d sigma offset]: write "
               "Link([theta d a alpha sigma offset]) and SerialLink");
  return true;
}

bool script_constructor(struct script *s, struct json_slice name, struct value *value)
{
  if (is_of_old(s, name)) return false;
  if (json_slice_is(name, "SerialLink")) return construct(s, value);
  return toolbox_link_construct(s, name, value);
}
