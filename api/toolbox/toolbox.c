/* The statements of a script. */
#include "api/toolbox/toolbox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/toolbox/link.h"
#include "api/urdf/name.h"
#include "api/urdf/rigid.h"

/* Left of '=': name, name(k), name.member, name(k).member, name.links(k).member. */
struct target {
  struct json_slice name, member;
  struct token at;
  size_t index;  /* from 1; 0: none */
  bool of_robot; /* .links(k) */
};

static bool same(struct json_slice a, struct json_slice b)
{
  return a.length == b.length && !memcmp(a.data, b.data, a.length);
}

static struct value *find(struct script *s, struct json_slice name)
{
  for (size_t i = 0; i < s->variable_count; i++)
    if (same(s->variables[i].name, name)) return &s->variables[i].value;
  return NULL;
}

static struct value *find_or_add(struct script *s, struct json_slice name)
{
  struct value *value = find(s, name);
  if (value) return value;
  if (s->variable_count == SCRIPT_VARIABLES) {
    script_fault(s, FAULT_MAXIMUM, "a script has %d variables at most", SCRIPT_VARIABLES);
    return NULL;
  }
  s->variables[s->variable_count].name = name;
  value = &s->variables[s->variable_count++].value;
  *value = (struct value){ .kind = VALUE_NUMBERS };
  return value;
}

static bool read_index(struct script *s, size_t *index)
{
  double number;
  const char closes = script_is(s, '(') ? ')' : '}';
  script_next(s);
  if (!script_numbers(s, "an index", 1, &number)) return false;
  if (!(number >= 1 && number <= ARMDYN_JOINTS_MAX) || floor(number) < number)
    return script_fault(s, FAULT_MAXIMUM, "an index is a whole number from 1 to %d, got %g", ARMDYN_JOINTS_MAX, number);
  *index = (size_t)number;
  return script_expect(s, closes, "behind an index");
}

static bool read_member(struct script *s, struct target *target)
{
  if (s->token.word != WORD_NAME) return script_fault(s, FAULT_SYNTAX, "the name of a member belongs behind '.'");
  target->member = s->token.text;
  script_next(s);
  if (!json_slice_is(target->member, "links") || !script_is(s, '(')) return !s->status;
  target->of_robot = true;
  if (!read_index(s, &target->index) || !script_expect(s, '.', "behind links(k)")) return false;
  if (s->token.word != WORD_NAME) return script_fault(s, FAULT_SYNTAX, "the name of a member belongs behind '.'");
  target->member = s->token.text;
  script_next(s);
  return !s->status;
}

static bool read_target(struct script *s, struct target *target)
{
  *target = (struct target){ .name = s->token.text, .at = s->token };
  script_next(s);
  if ((script_is(s, '(') || script_is(s, '{')) && !read_index(s, &target->index)) return false;
  if (script_take(s, '.') && !read_member(s, target)) return false;
  if (script_is(s, '=')) return true;
  s->token = target->at;
  return script_fault(s, FAULT_UNSUPPORTED, "only assignments are read, 'name = value', and 'clear', 'clc', 'close'");
}

static bool assign_whole(struct script *s, const struct target *target)
{
  struct value value, *into = find_or_add(s, target->name);
  if (!into || !script_value(s, &value)) return false;
  if (value.kind == VALUE_ROBOT) s->robot.variable = target->name;
  *into = value;
  return true;
}

/* L(k) = Link(...), where links before it are there; v(k) = number of a vector that has it. */
static bool assign_element(struct script *s, const struct target *target)
{
  struct value value, *into = find_or_add(s, target->name);
  const size_t k = target->index;
  if (!into || !script_value(s, &value)) return false;
  if (value.kind == VALUE_LINKS && value.link_count == 1 && (into->kind == VALUE_LINKS || !into->rows)) {
    if (k > into->link_count + 1)
      return script_fault(s, FAULT_INCONSISTENT, "link %zu comes before link %zu", k, into->link_count + 1);
    into->kind = VALUE_LINKS;
    into->links[k - 1] = value.links[0];
    if (k > into->link_count) into->link_count = k;
    return true;
  }
  if (!value_is_scalar(&value) || into->kind != VALUE_NUMBERS || k > into->rows * into->columns ||
      (into->rows != 1 && into->columns != 1))
    return script_fault(s, FAULT_UNSUPPORTED, "an element is a link, or a number of a vector that is there");
  into->numbers[k - 1] = value.numbers[0];
  return true;
}

/* Whose member: a link of a variable, of the robot, or the robot itself. */
static bool assign_member(struct script *s, const struct target *target)
{
  const struct value *of = find(s, target->name);
  if (!of)
    return script_fault(s, FAULT_UNSUPPORTED, "there is no '%.*s' before this line", (int)target->name.length,
                        target->name.data);
  if (of->kind == VALUE_ROBOT && !target->of_robot && !target->index) return script_robot_member(s, target->member);
  const size_t count = of->kind == VALUE_LINKS ? of->link_count : of->kind == VALUE_ROBOT ? s->robot.link_count : 0;
  const size_t *links = of->kind == VALUE_ROBOT ? s->robot.links : of->links;
  const size_t k = target->index ? target->index : count == 1 ? 1 : 0;
  if (target->of_robot != (of->kind == VALUE_ROBOT) || !k || k > count)
    return script_fault(s, FAULT_INCONSISTENT, "a member of a link, L(k).%.*s with k from 1 to %zu",
                        (int)(target->member.length < 32 ? target->member.length : 32), target->member.data, count);
  struct toolbox_link *link = &s->links[links[k - 1]];
  if (link->joined && !target->of_robot)
    return script_fault(
        s, FAULT_INCONSISTENT,
        "this link is part of the robot already, whose links may be copies: write the line before SerialLink, "
        "or say robot.links(k)");
  return script_link_member(s, link, target->member);
}

/* Words that change nothing here. */
static bool is_idle(struct json_slice name)
{
  static const char *const words[] = { "clear", "clc", "close", "format", "clearvars" };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (json_slice_is(name, words[i])) return true;
  return false;
}

static bool is_drawing(struct json_slice member)
{
  return json_slice_is(member, "plotopt") || json_slice_is(member, "plotopt3d");
}

static bool statement(struct script *s)
{
  struct target target;
  if (s->token.word != WORD_NAME) return script_fault(s, FAULT_UNSUPPORTED, "a line begins with a name");
  if (is_idle(s->token.text)) {
    script_skip(s);
    return !s->status;
  }
  if (!read_target(s, &target)) return false;
  if (target.member.length && is_drawing(target.member)) {
    script_skip(s);
    return !s->status;
  }
  script_next(s);
  const bool done = target.member.length ? assign_member(s, &target)
                    : target.index       ? assign_element(s, &target)
                                         : assign_whole(s, &target);
  if (!done) return false;
  if (s->token.word == WORD_END || s->token.word == WORD_LINE || script_is(s, ';') || script_is(s, ',')) return true;
  return script_fault(s, FAULT_UNSUPPORTED, "behind the value a line ends");
}

static void statements(struct script *s)
{
  script_next(s);
  while (!s->status && s->token.word != WORD_END)
    if (s->token.word == WORD_LINE || script_is(s, ';') || script_is(s, ','))
      script_next(s);
    else
      statement(s);
  if (!s->status && s->depth) script_fault(s, FAULT_SYNTAX, "'%c' is not closed", s->brackets[s->depth - 1]);
  if (!s->status && !s->robot.made) script_fault(s, FAULT_REQUIRED, "no SerialLink(...) makes a robot of the links");
}

/* -- into the model -- */

static void name_robot(struct script *s, const char *asked, struct armdyn_robot_description *robot)
{
  const struct json_slice *from = s->robot.name.length ? &s->robot.name : &s->robot.variable;
  if (asked)
    snprintf(robot->name, sizeof robot->name, "%s", asked);
  else
    urdf_name_make(from->data ? from->data : "", from->length, robot->name);
  if (!*robot->name)
    script_fault(s, FAULT_REQUIRED, "the robot has no name that can be one: SerialLink(..., 'name', 'arm') or ?name=");
}

static void fill(struct script *s, struct armdyn_robot_description *robot)
{
  const struct toolbox_robot *from = &s->robot;
  const bool modified = s->links[from->links[0]].modified;
  robot->convention = modified ? ARMDYN_MDH : ARMDYN_DH;
  robot->joint_count = from->link_count;
  for (size_t i = 0; i < from->link_count; i++) {
    const struct toolbox_link *link = &s->links[from->links[i]];
    if (link->modified != modified) {
      script_fault(s, FAULT_INCONSISTENT, "joint %zu is %s, joint 1 is %s: an arm has one convention", i + 1,
                   link->modified ? "modified" : "standard", modified ? "modified" : "standard");
      return;
    }
    toolbox_link_joint(s, link, i, &robot->joints[i]);
    if (!*robot->joints[i].name) snprintf(robot->joints[i].name, sizeof robot->joints[i].name, "j%zu", i + 1);
  }
  for (int k = 0; k < 3; k++) robot->gravity[k] = fabs(from->gravity[k]) > 0 ? -from->gravity[k] : 0;
  struct rigid tool;
  for (size_t i = 0; i < 3; i++) {
    memcpy(tool.r + 3 * i, from->tool + 4 * i, 3 * sizeof(double));
    tool.p[i] = from->tool[4 * i + 3];
  }
  robot->tool = rigid_to_pose(&tool);
}

enum armdyn_status toolbox_decode(const char *text, size_t length, const char *name,
                                  struct armdyn_robot_description *robot, struct robot_notes *notes,
                                  struct faults *faults)
{
  struct script *s = calloc(1, sizeof *s);
  if (!s) return ARMDYN_EMEMORY;
  s->text = s->at = text;
  s->end = text + length;
  s->line = 1;
  s->faults = faults;
  s->notes = notes;
  s->token = (struct token){ .at = text, .line = 1 };
  armdyn_robot_description_init(robot);
  statements(s);
  if (!s->status) name_robot(s, name, robot);
  if (!s->status) fill(s, robot);
  const enum armdyn_status status = s->status;
  free(s);
  return status;
}
