/* Links of the toolbox: their members, in constructors and in assignments. */
#include "api/toolbox/link.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef bool member_function(struct script *s, struct toolbox_link *link);

static bool number_at(struct script *s, const char *what, double *number)
{
  return script_numbers(s, what, 1, number);
}

/* The joint's own variable: the toolbox overwrites it by the joint's position. */
static void note_variable(struct script *s, const struct toolbox_link *link, const char *pointer, double number)
{
  const char *member = link->joint.type == ARMDYN_REVOLUTE ? "theta" : "d";
  if (fabs(number) > 0)
    robot_note_add(
        s->notes, pointer, "ignored_variable",
        "line %zu: %s = %g of a %s joint is its variable, which the toolbox ignores; a constant part is 'offset'",
        link->line, member, number, link->joint.type == ARMDYN_REVOLUTE ? "revolute" : "prismatic");
}

static bool read_a(struct script *s, struct toolbox_link *link)
{
  return number_at(s, "a (m)", &link->joint.a);
}
static bool read_alpha(struct script *s, struct toolbox_link *link)
{
  return number_at(s, "alpha (rad)", &link->joint.alpha);
}
static bool read_d(struct script *s, struct toolbox_link *link)
{
  return number_at(s, "d (m)", &link->joint.d);
}
static bool read_theta(struct script *s, struct toolbox_link *link)
{
  return number_at(s, "theta (rad)", &link->joint.theta);
}
static bool read_offset(struct script *s, struct toolbox_link *link)
{
  return number_at(s, "offset (rad, m)", &link->joint.offset);
}

static void become(struct toolbox_link *link, enum armdyn_joint_type type)
{
  link->joint.type = type;
  link->typed = true;
}

static bool read_sigma(struct script *s, struct toolbox_link *link)
{
  double sigma;
  if (!number_at(s, "sigma (0 revolute, 1 prismatic)", &sigma)) return false;
  if (fabs(sigma) > 0 && fabs(sigma - 1) > 0) return script_fault(s, FAULT_ENUM, "sigma is 0 or 1, got %g", sigma);
  become(link, sigma > 0.5 ? ARMDYN_PRISMATIC : ARMDYN_REVOLUTE);
  return true;
}

static bool read_mdh(struct script *s, struct toolbox_link *link)
{
  double mdh;
  if (!number_at(s, "mdh (0 standard, 1 modified)", &mdh)) return false;
  if (fabs(mdh) > 0 && fabs(mdh - 1) > 0) return script_fault(s, FAULT_ENUM, "mdh is 0 or 1, got %g", mdh);
  link->modified = mdh > 0.5;
  return true;
}

static bool read_mass(struct script *s, struct toolbox_link *link)
{
  link->has_inertial = true;
  if (!number_at(s, "m (kg)", &link->joint.link.mass)) return false;
  return link->joint.link.mass >= 0 || script_fault(s, FAULT_MINIMUM, "m is >= 0 kg, got %g", link->joint.link.mass);
}

static bool read_centre(struct script *s, struct toolbox_link *link)
{
  return script_numbers(s, "r (m)", 3, link->joint.link.com);
}

/* 3 numbers: the diagonal; 6: xx yy zz xy yz xz; 3 x 3: the matrix. About the centre of mass, elements of the matrix. */
static bool read_inertia(struct script *s, struct toolbox_link *link)
{
  struct value value;
  struct armdyn_inertia *I = &link->joint.link.inertia;
  const double *n = value.numbers;
  if (!script_value(s, &value)) return false;
  const size_t count = value.kind == VALUE_NUMBERS ? value.rows * value.columns : 0;
  link->has_inertial = true;
  if (count == 3)
    *I = (struct armdyn_inertia){ n[0], n[1], n[2], 0, 0, 0 };
  else if (count == 6)
    *I = (struct armdyn_inertia){ n[0], n[1], n[2], .xy = n[3], .xz = n[5], .yz = n[4] };
  else if (count == 9 && value.rows == 3)
    *I = (struct armdyn_inertia){ n[0], n[4], n[8], .xy = n[1], .xz = n[2], .yz = n[5] };
  else
    return script_fault(s, FAULT_LENGTH, "I is 3 numbers, 6 (xx yy zz xy yz xz) or 3 x 3 (kg m^2), got %zu", count);
  if (count == 9 && (fabs(n[1] - n[3]) > 0 || fabs(n[2] - n[6]) > 0 || fabs(n[5] - n[7]) > 0))
    return script_fault(s, FAULT_INCONSISTENT, "I is symmetric");
  return true;
}

static bool read_rotor(struct script *s, struct toolbox_link *link)
{
  if (!number_at(s, "Jm (kg m^2)", &link->joint.drive.rotor_inertia)) return false;
  const double inertia = link->joint.drive.rotor_inertia;
  return inertia >= 0 || script_fault(s, FAULT_MINIMUM, "Jm is >= 0 kg m^2, got %g", inertia);
}

static bool read_gear(struct script *s, struct toolbox_link *link)
{
  return number_at(s, "G", &link->gear_ratio);
}

static bool read_viscous(struct script *s, struct toolbox_link *link)
{
  if (!number_at(s, "B (N m s/rad at the motor)", &link->viscous)) return false;
  return link->viscous >= 0 || script_fault(s, FAULT_MINIMUM, "B is >= 0, got %g", link->viscous);
}

/* [positive negative], the second with its sign; one number stands for both. */
static bool read_coulomb(struct script *s, struct toolbox_link *link)
{
  struct value value;
  if (!script_value(s, &value)) return false;
  const size_t count = value.kind == VALUE_NUMBERS ? value.rows * value.columns : 0;
  if (count != 1 && count != 2)
    return script_fault(s, FAULT_LENGTH, "Tc is one number or [positive negative] (N m at the motor), got %zu", count);
  const double positive = value.numbers[0], negative = count == 2 ? value.numbers[1] : -positive;
  if (!(positive >= 0 && negative <= 0))
    return script_fault(s, FAULT_INCONSISTENT, "Tc is [positive negative] with Tc(1) >= 0 >= Tc(2), got [%g %g]",
                        positive, negative);
  link->coulomb[0] = positive, link->coulomb[1] = -negative;
  return true;
}

static bool read_range(struct script *s, struct toolbox_link *link)
{
  double *range = link->joint.limits.position;
  if (!script_numbers(s, "qlim (rad, m)", 2, range)) return false;
  return range[0] < range[1] ||
         script_fault(s, FAULT_INCONSISTENT, "qlim is [lower upper] with lower < upper, got [%g %g]", range[0],
                      range[1]);
}

static bool read_label(struct script *s, struct toolbox_link *link)
{
  struct value value;
  if (!script_value(s, &value)) return false;
  if (value.kind != VALUE_TEXT || !value.text.length || value.text.length >= sizeof link->joint.name)
    return script_fault(s, FAULT_TYPE, "a link's name is a text of 1 to %d characters", ARMDYN_NAME_SIZE - 1);
  memset(link->joint.name, 0, sizeof link->joint.name);
  memcpy(link->joint.name, value.text.data, value.text.length);
  return true;
}

/* To add a member: its row. */
static const struct {
  const char *name;
  member_function *read;
} members[] = { { "a", read_a },           { "alpha", read_alpha }, { "d", read_d },        { "theta", read_theta },
                { "offset", read_offset }, { "sigma", read_sigma }, { "mdh", read_mdh },    { "m", read_mass },
                { "r", read_centre },      { "I", read_inertia },   { "Jm", read_rotor },   { "G", read_gear },
                { "B", read_viscous },     { "Tc", read_coulomb },  { "qlim", read_range }, { "name", read_label } };
#define COUNT(table) (sizeof(table) / sizeof *(table))

bool script_link_member(struct script *s, struct toolbox_link *link, struct json_slice member)
{
  for (size_t i = 0; i < COUNT(members); i++)
    if (json_slice_is(member, members[i].name)) return members[i].read(s, link);
  return script_fault(s, FAULT_UNSUPPORTED, "a link's '%.*s' is not read",
                      (int)(member.length < 64 ? member.length : 64), member.data);
}

/* -- constructors -- */

static const struct {
  const char *name;
  bool modified, typed;
  enum armdyn_joint_type type;
} constructors[] = { { "Link", false, false, ARMDYN_REVOLUTE },
                     { "Revolute", false, true, ARMDYN_REVOLUTE },
                     { "Prismatic", false, true, ARMDYN_PRISMATIC },
                     { "RevoluteMDH", true, true, ARMDYN_REVOLUTE },
                     { "PrismaticMDH", true, true, ARMDYN_PRISMATIC } };

/* A text that stands alone among the arguments. */
static bool flag(struct toolbox_link *link, struct json_slice text)
{
  if (json_slice_is(text, "modified"))
    link->modified = true;
  else if (json_slice_is(text, "standard"))
    link->modified = false;
  else if (json_slice_is(text, "revolute"))
    become(link, ARMDYN_REVOLUTE);
  else if (json_slice_is(text, "prismatic"))
    become(link, ARMDYN_PRISMATIC);
  else
    return false;
  return true;
}

/* [theta d a alpha sigma offset], the last two may be left out. */
bool toolbox_link_row(struct script *s, struct toolbox_link *link, const double *row, size_t count)
{
  struct armdyn_joint *joint = &link->joint;
  if (count < 4 || count > 6)
    return script_fault(s, FAULT_LENGTH,
                        "a row is [theta d a alpha], with sigma and offset behind them, got %zu numbers", count);
  const double sigma = count > 4 ? row[4] : 0;
  if (fabs(sigma) > 0 && fabs(sigma - 1) > 0) return script_fault(s, FAULT_ENUM, "sigma is 0 or 1, got %g", sigma);
  become(link, sigma > 0.5 ? ARMDYN_PRISMATIC : ARMDYN_REVOLUTE);
  joint->theta = row[0], joint->d = row[1], joint->a = row[2], joint->alpha = row[3];
  joint->offset = count == 6 ? row[5] : 0;
  return true;
}

struct toolbox_link *toolbox_link_new(struct script *s)
{
  if (s->link_count == SCRIPT_LINKS) {
    script_fault(s, FAULT_MAXIMUM, "a script makes %d links at most", SCRIPT_LINKS);
    return NULL;
  }
  struct toolbox_link *link = &s->links[s->link_count++];
  *link = (struct toolbox_link){ .gear_ratio = 1, .line = s->token.line };
  armdyn_joint_init(&link->joint);
  return link;
}

/* 'a', 0.4, 'modified', ...: up to the bracket. */
static bool options(struct script *s, struct toolbox_link *link)
{
  bool theta = false, d = false;
  do {
    struct value key;
    if (!script_value(s, &key)) return false;
    if (key.kind != VALUE_TEXT) return script_fault(s, FAULT_TYPE, "the name of a member belongs here, as 'alpha'");
    if (flag(link, key.text)) continue;
    if (!script_expect(s, ',', "behind the name of a member") || !script_link_member(s, link, key.text)) return false;
    theta |= json_slice_is(key.text, "theta");
    d |= json_slice_is(key.text, "d");
  } while (script_take(s, ','));
  if (theta && (!link->typed || link->joint.type == ARMDYN_REVOLUTE))
    return script_fault(s, FAULT_INCONSISTENT,
                        "'theta' belongs to a prismatic joint: say 'prismatic', or 'offset' for a revolute one");
  if (d && link->typed && link->joint.type == ARMDYN_PRISMATIC)
    return script_fault(s, FAULT_INCONSISTENT,
                        "'d' is the variable of a prismatic joint: its constant part is 'offset'");
  return true;
}

static bool arguments(struct script *s, struct toolbox_link *link)
{
  if (script_is(s, ')')) return true;
  if (s->token.word == WORD_TEXT) return options(s, link);
  struct value row;
  if (!script_value(s, &row)) return false;
  if (row.kind != VALUE_NUMBERS || row.rows != 1)
    return script_fault(s, FAULT_TYPE, "a row of numbers [theta d a alpha sigma offset], or names and values");
  return toolbox_link_row(s, link, row.numbers, row.columns) && (!script_take(s, ',') || options(s, link));
}

bool toolbox_link_construct(struct script *s, struct json_slice name, struct value *value)
{
  for (size_t i = 0; i < COUNT(constructors); i++) {
    if (!json_slice_is(name, constructors[i].name)) continue;
    struct toolbox_link *link = toolbox_link_new(s);
    if (!link) return false;
    link->modified = constructors[i].modified, link->typed = constructors[i].typed;
    link->joint.type = constructors[i].type;
    *value = (struct value){ .kind = VALUE_LINKS, .link_count = 1, .links = { s->link_count - 1 } };
    return script_expect(s, '(', "behind a constructor") && arguments(s, link) &&
           script_expect(s, ')', "at the end of a constructor");
  }
  return false;
}

/* -- into the model -- */

void toolbox_link_joint(struct script *s, const struct toolbox_link *link, size_t index, struct armdyn_joint *joint)
{
  char pointer[32];
  snprintf(pointer, sizeof pointer, "/joints/%zu", index);
  *joint = link->joint;
  double *variable = joint->type == ARMDYN_REVOLUTE ? &joint->theta : &joint->d;
  note_variable(s, link, pointer, *variable);
  *variable = 0;
  const double gear = fabs(link->gear_ratio);
  const bool geared = gear > 0;
  if (geared) joint->drive.gear_ratio = link->gear_ratio;
  if (!geared) joint->drive.rotor_inertia = 0;
  if (!geared)
    robot_note_add(s->notes, pointer, "zero_gear", "G is 0: the toolbox then has neither rotor nor friction");
  joint->friction.viscous.positive = joint->friction.viscous.negative = link->viscous * gear * gear;
  joint->friction.coulomb = (struct armdyn_directed){ link->coulomb[0] * gear, link->coulomb[1] * gear };
  if (!link->has_inertial)
    robot_note_add(s->notes, pointer, "no_inertial", "the script states neither m nor I of this link: it has no mass");
}
