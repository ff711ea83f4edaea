#include "api/csv/joint_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a column: what its unit measures. WAY is an angle of a revolute joint and a length of a prismatic one. */
enum quantity { PURE, TEXTS, LENGTH, ANGLE, WAY, MASS, INERTIA, SPEED, EFFORT };
enum { COLUMNS = 40, CELL_SIZE = 96 };

/* SI = number * times / over. */
static const struct unit {
  const char *name;
  enum quantity quantity;
  double times, over;
} units[] = {
  { "m", LENGTH, 1, 1 },
  { "cm", LENGTH, 1, 100 },
  { "mm", LENGTH, 1, 1000 },
  { "in", LENGTH, 0.0254, 1 },
  { "rad", ANGLE, 1, 1 },
  { "deg", ANGLE, 3.14159265358979323846, 180 },
  { "kg", MASS, 1, 1 },
  { "g", MASS, 1, 1000 },
  { "lb", MASS, 0.45359237, 1 },
  { "kg*m^2", INERTIA, 1, 1 },
  { "kg*cm^2", INERTIA, 1, 1e4 },
  { "kg*mm^2", INERTIA, 1, 1e6 },
  { "g*cm^2", INERTIA, 1, 1e7 },
  { "g*mm^2", INERTIA, 1, 1e9 },
  { "lb*in^2", INERTIA, 0.45359237 * 0.0254 * 0.0254, 1 },
};

#define JOINT(member) offsetof(struct armdyn_joint, member)
/* To add a column: its row. Numbers go to where they belong in struct armdyn_joint. */
static const struct column {
  const char *name;
  enum quantity quantity;
  size_t offset;
} columns[] = {
  { "name", TEXTS, 0 },
  { "type", TEXTS, 0 },
  { "convention", TEXTS, 0 },
  { "a", LENGTH, JOINT(a) },
  { "alpha", ANGLE, JOINT(alpha) },
  { "d", LENGTH, JOINT(d) },
  { "theta", ANGLE, JOINT(theta) },
  { "offset", WAY, JOINT(offset) },
  { "lower", WAY, JOINT(limits.position[0]) },
  { "upper", WAY, JOINT(limits.position[1]) },
  { "velocity", SPEED, JOINT(limits.velocity) },
  { "torque", EFFORT, JOINT(limits.torque) },
  { "mass", MASS, JOINT(link.mass) },
  { "com_x", LENGTH, JOINT(link.com[0]) },
  { "com_y", LENGTH, JOINT(link.com[1]) },
  { "com_z", LENGTH, JOINT(link.com[2]) },
  { "ixx", INERTIA, JOINT(link.inertia.xx) },
  { "iyy", INERTIA, JOINT(link.inertia.yy) },
  { "izz", INERTIA, JOINT(link.inertia.zz) },
  { "ixy", INERTIA, JOINT(link.inertia.xy) },
  { "ixz", INERTIA, JOINT(link.inertia.xz) },
  { "iyz", INERTIA, JOINT(link.inertia.yz) },
  { "rotor_inertia", INERTIA, JOINT(drive.rotor_inertia) },
  { "gear_ratio", PURE, JOINT(drive.gear_ratio) },
};
#define COUNT(table) (sizeof(table) / sizeof *(table))
enum { COLUMN_NAME, COLUMN_TYPE, COLUMN_CONVENTION };

struct table {
  const char *at, *end, *line_text;
  size_t line, line_length, fault_count;
  char comma;
  struct faults *faults;
  size_t width;
  size_t column[COLUMNS];                            /* of each cell of a row */
  const struct unit *unit[COLUMNS], *slide[COLUMNS]; /* slide: of prismatic joints, NULL as of the others */
  bool has[COUNT(columns)];
};

static void refuse(struct table *t, enum fault_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void refuse(struct table *t, enum fault_code code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fault_add_line(t->faults, t->line_text, t->line_length, t->line ? t->line : 1, code, format, arguments);
  va_end(arguments);
  t->fault_count++;
}

/* The next line that is not empty. */
static bool next_line(struct table *t)
{
  while (t->at < t->end) {
    const char *stop = memchr(t->at, '\n', (size_t)(t->end - t->at));
    if (!stop) stop = t->end;
    t->line_text = t->at;
    t->line_length = (size_t)(stop - t->at);
    t->line++;
    t->at = stop < t->end ? stop + 1 : stop;
    if (t->line_length && t->line_text[t->line_length - 1] == '\r') t->line_length--;
    for (size_t k = 0; k < t->line_length; k++)
      if (!strchr(" \t,;", t->line_text[k])) return true;
  }
  return false;
}

/* The next cell of the line, trimmed, without quotes around it. False: there is none left. */
static bool next_cell(struct table *t, size_t *at, char cell[CELL_SIZE])
{
  if (*at > t->line_length) return false;
  const char *from = t->line_text + *at, *stop = memchr(from, t->comma, t->line_length - *at);
  if (!stop) stop = t->line_text + t->line_length;
  *at = (size_t)(stop - t->line_text) + 1;
  while (from < stop && strchr(" \t", *from)) from++;
  while (stop > from && strchr(" \t", stop[-1])) stop--;
  if (stop - from >= 2 && *from == '"' && stop[-1] == '"') from++, stop--;
  size_t length = (size_t)(stop - from);
  if (length >= CELL_SIZE) {
    refuse(t, FAULT_LENGTH, "a cell has %d characters at most, got %zu", CELL_SIZE - 1, length);
    length = CELL_SIZE - 1;
  }
  memcpy(cell, from, length);
  cell[length] = 0;
  return true;
}

/* -- the first line -- */

static const struct unit *find_unit(const char *name, enum quantity quantity)
{
  for (size_t i = 0; i < COUNT(units); i++)
    if (units[i].quantity == quantity && !strcmp(units[i].name, name)) return &units[i];
  return NULL;
}

/* Speeds have "/s" behind the unit of the way. */
static const struct unit *find_speed(char *name, enum quantity quantity)
{
  const size_t length = strlen(name);
  if (length < 3 || strcmp(name + length - 2, "/s") != 0) return NULL;
  name[length - 2] = 0;
  return find_unit(name, quantity);
}

static bool read_units(struct table *t, size_t place, const struct column *column, char *text)
{
  char *second = strchr(text, '|');
  if (second) *second++ = 0;
  const bool speeds = column->quantity == SPEED;
  if (column->quantity != WAY && !speeds) {
    t->unit[place] = second ? NULL : find_unit(text, column->quantity);
    return t->unit[place];
  }
  t->unit[place] = speeds ? find_speed(text, ANGLE) : find_unit(text, ANGLE);
  if (t->unit[place] && !second) return true;
  char *slide = second ? second : text;
  t->slide[place] = speeds ? find_speed(slide, LENGTH) : find_unit(slide, LENGTH);
  return t->slide[place] && (second ? t->unit[place] != NULL : !t->unit[place]);
}

static const char *units_of(enum quantity quantity)
{
  static const char *const words[] = { [LENGTH] = "m, cm, mm, in",
                                       [ANGLE] = "rad, deg",
                                       [WAY] = "deg|mm: of revolute joints, of prismatic ones",
                                       [MASS] = "kg, g, lb",
                                       [INERTIA] = "kg*m^2, kg*cm^2, kg*mm^2, g*cm^2, g*mm^2, lb*in^2",
                                       [SPEED] = "deg/s|mm/s: of revolute joints, of prismatic ones",
                                       [EFFORT] = NULL };
  return words[quantity];
}

/* "a [mm]". */
static void read_heading(struct table *t, char *cell)
{
  char name[CELL_SIZE], unit[CELL_SIZE] = "";
  char *bracket = strchr(cell, '[');
  if (bracket) {
    snprintf(unit, sizeof unit, "%s", bracket + 1);
    unit[strcspn(unit, "]")] = 0;
    *bracket = 0;
  }
  size_t length = strlen(cell);
  while (length && cell[length - 1] == ' ') cell[--length] = 0;
  snprintf(name, sizeof name, "%s", cell);
  const size_t place = t->width++;
  for (size_t i = 0; i < COUNT(columns); i++) {
    if (strcmp(columns[i].name, name) != 0) continue;
    t->column[place] = i;
    if (t->has[i]) refuse(t, FAULT_DUPLICATE, "column '%s' is there twice", name);
    t->has[i] = true;
    const char *wanted = units_of(columns[i].quantity);
    if (wanted && !*unit)
      refuse(t, FAULT_REQUIRED, "column '%s' states its unit in brackets: %s", name, wanted);
    else if (wanted && !read_units(t, place, &columns[i], unit))
      refuse(t, FAULT_ENUM, "the unit of column '%s' is one of %s", name, wanted);
    else if (!wanted && *unit && columns[i].quantity != EFFORT)
      refuse(t, FAULT_UNSUPPORTED, "column '%s' has no unit", name);
    return;
  }
  refuse(t, FAULT_UNKNOWN, "there is no column '%s'", name);
}

static void read_head(struct table *t)
{
  char cell[CELL_SIZE];
  size_t at = 0;
  t->comma = memchr(t->line_text, ';', t->line_length) ? ';' : ',';
  while (next_cell(t, &at, cell)) {
    if (t->width == COLUMNS) {
      refuse(t, FAULT_MAXIMUM, "a table of joints has %d columns at most", COLUMNS);
      return;
    }
    read_heading(t, cell);
  }
  if (!t->has[COLUMN_TYPE]) refuse(t, FAULT_REQUIRED, "column 'type' is missing: revolute or prismatic");
  if (!t->has[COLUMN_CONVENTION]) refuse(t, FAULT_REQUIRED, "column 'convention' is missing: dh or mdh");
}

/* -- joints -- */

static void read_number(struct table *t, size_t place, const char *cell, struct armdyn_joint *joint)
{
  const struct column *column = &columns[t->column[place]];
  char *stop;
  double number = strtod(cell, &stop);
  if (*stop || !isfinite(number) || strpbrk(cell, "xXnN")) {
    refuse(t, FAULT_TYPE, "'%s' is a number, got '%s'", column->name, cell);
    return;
  }
  const bool slides = joint->type == ARMDYN_PRISMATIC;
  const bool depends = column->quantity == WAY || column->quantity == SPEED;
  const struct unit *unit = slides && depends ? t->slide[place] : t->unit[place];
  if (depends && !unit) {
    refuse(t, FAULT_REQUIRED, "'%s' of a %s joint has no unit: head the column '%s [%s]'", column->name,
           slides ? "prismatic" : "revolute", column->name, column->quantity == WAY ? "deg|mm" : "deg/s|mm/s");
    return;
  }
  if (unit) number = number * unit->times / unit->over;
  memcpy((char *)joint + column->offset, &number, sizeof number);
}

static void read_text(struct table *t, size_t column, const char *cell, struct armdyn_robot_description *robot,
                      struct armdyn_joint *joint)
{
  if (column == COLUMN_NAME) {
    if (strlen(cell) >= sizeof joint->name)
      refuse(t, FAULT_LENGTH, "a name has %zu bytes at most", sizeof joint->name - 1);
    else
      memcpy(joint->name, cell, strlen(cell) + 1);
  } else if (column == COLUMN_TYPE) {
    const bool slides = !strcmp(cell, "prismatic") || !strcmp(cell, "P");
    if (!slides && strcmp(cell, "revolute") != 0 && strcmp(cell, "R") != 0)
      refuse(t, FAULT_ENUM, "'type' is revolute (R) or prismatic (P), got '%s'", cell);
    joint->type = slides ? ARMDYN_PRISMATIC : ARMDYN_REVOLUTE;
  } else {
    const bool modified = !strcmp(cell, "mdh");
    const enum armdyn_convention convention = modified ? ARMDYN_MDH : ARMDYN_DH;
    if (!modified && strcmp(cell, "dh") != 0) refuse(t, FAULT_ENUM, "'convention' is dh or mdh, got '%s'", cell);
    if (robot->joint_count > 1 && convention != robot->convention)
      refuse(t, FAULT_INCONSISTENT, "an arm has one convention, got '%s' after another", cell);
    robot->convention = convention;
  }
}

/* Twice over the row: its type first, as units depend on it. */
static void read_row(struct table *t, struct armdyn_robot_description *robot)
{
  struct armdyn_joint *joint = &robot->joints[robot->joint_count++];
  char cell[CELL_SIZE];
  armdyn_joint_init(joint);
  for (int numbers = 0; numbers < 2; numbers++) {
    size_t at = 0, place = 0;
    for (; next_cell(t, &at, cell); place++) {
      if (place >= t->width) continue;
      const size_t column = t->column[place];
      const bool text = columns[column].quantity == TEXTS;
      if (text && !numbers)
        read_text(t, column, cell, robot, joint);
      else if (!text && numbers && *cell)
        read_number(t, place, cell, joint);
    }
    if (!numbers && place != t->width)
      refuse(t, FAULT_LENGTH, "the row has %zu cells, the first line has %zu", place, t->width);
  }
  if (!*joint->name) snprintf(joint->name, sizeof joint->name, "j%zu", robot->joint_count);
}

enum armdyn_status joint_table_decode(const char *text, size_t length, const char *name,
                                      struct armdyn_robot_description *robot, struct faults *faults)
{
  struct table t = { .at = text, .end = text + length, .line_text = text, .faults = faults };
  armdyn_robot_description_init(robot);
  if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) t.at += 3; /* as spreadsheets begin UTF-8 */
  if (!next_line(&t))
    refuse(&t, FAULT_REQUIRED, "the table is empty: its first line names the columns");
  else
    read_head(&t);
  if (t.fault_count) return ARMDYN_EINPUT;
  while (next_line(&t)) {
    if (robot->joint_count == ARMDYN_JOINTS_MAX) {
      refuse(&t, FAULT_MAXIMUM, "an arm has %d joints at most", ARMDYN_JOINTS_MAX);
      break;
    }
    read_row(&t, robot);
  }
  if (!robot->joint_count && !t.fault_count) refuse(&t, FAULT_REQUIRED, "the table has no row: one for each joint");
  if (name) snprintf(robot->name, sizeof robot->name, "%s", name);
  if (!name) {
    fault_add(faults, FAULT_AT_PARAMETER, "name", FAULT_REQUIRED, "is missing: a table does not name its robot");
    t.fault_count++;
  }
  return t.fault_count ? ARMDYN_EINPUT : ARMDYN_OK;
}
