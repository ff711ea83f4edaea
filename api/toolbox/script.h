/* What reading one script keeps, and its words. The first fault ends the reading: every later step answers false. */
#ifndef API_TOOLBOX_SCRIPT_H
#define API_TOOLBOX_SCRIPT_H

#include <stdbool.h>

#include "api/codec/notes.h"
#include "api/json/reader.h"
#include "api/limits.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

enum {
  SCRIPT_NUMBERS = 6 * ARMDYN_JOINTS_MAX, /* of one value: a table with a row for each joint */
  SCRIPT_LINKS = 2 * ARMDYN_JOINTS_MAX,
  SCRIPT_VARIABLES = 128,
  SCRIPT_DEPTH = 16 /* brackets in each other */
};

enum word { WORD_END, WORD_LINE, WORD_NUMBER, WORD_NAME, WORD_TEXT, WORD_SIGN };

/* One word of the script; a sign is its own character. */
struct token {
  enum word word;
  char sign;
  double number;
  struct json_slice text; /* of a name, or between the quotes */
  const char *at;
  size_t line;
  bool space_before, space_behind;
};

enum value_kind { VALUE_NUMBERS, VALUE_TEXT, VALUE_LINKS, VALUE_ROBOT };

/* Numbers are row-major; links are handles of `links`, as in the toolbox. */
struct value {
  enum value_kind kind;
  size_t rows, columns;
  double numbers[SCRIPT_NUMBERS];
  struct json_slice text;
  size_t link_count, links[ARMDYN_JOINTS_MAX];
};

/* A Link as the toolbox has it: friction and rotor at the motor. */
struct toolbox_link {
  struct armdyn_joint joint;
  bool modified, typed, has_inertial, joined; /* typed: revolute or prismatic was said; joined: a robot has it */
  double viscous, coulomb[2], gear_ratio;     /* N m s/rad, N m, 1, at the motor */
  size_t line;
};

struct toolbox_robot {
  bool made;
  struct json_slice variable, name;
  size_t link_count, links[ARMDYN_JOINTS_MAX];
  double gravity[3]; /* the toolbox's: what the base feels upwards */
  double tool[16];   /* homogeneous, row-major */
};

struct script {
  const char *text, *end, *at;
  size_t line, depth;
  char brackets[SCRIPT_DEPTH];
  struct token token; /* the present one */
  bool follows_value; /* the one before ends a value: then ' transposes */
  enum armdyn_status status;
  struct faults *faults;
  struct robot_notes *notes;
  size_t variable_count, link_count;
  struct {
    struct json_slice name;
    struct value value;
  } variables[SCRIPT_VARIABLES];
  struct toolbox_link links[SCRIPT_LINKS];
  struct toolbox_robot robot;
};

/* Go to the next word. */
void script_next(struct script *s);
/* Is the present one this sign? */
bool script_is(const struct script *s, char sign);
/* The same, and go on behind it. */
bool script_take(struct script *s, char sign);
/* It must be. */
bool script_expect(struct script *s, char sign, const char *where);
/* Go to the end of the statement, over whatever stands there. */
void script_skip(struct script *s);

/* Refuse: the first fault is told with the line of the present word and its text. Answers false. */
bool script_fault(struct script *s, enum fault_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One expression. */
bool script_value(struct script *s, struct value *value);
/* One that must be so many numbers. */
bool script_numbers(struct script *s, const char *what, size_t count, double *numbers);
/* A function of numbers, or a constant, by its name; false: there is none of this name (no fault). */
bool script_function(struct script *s, struct json_slice name, struct value *value);
/* Link, Revolute, ...: the present word is what follows the name. False: none of this name, or a fault. */
bool script_constructor(struct script *s, struct json_slice name, struct value *value);
/* A member of a link, or of the robot, gets the value that comes next. */
bool script_link_member(struct script *s, struct toolbox_link *link, struct json_slice member);
bool script_robot_member(struct script *s, struct json_slice member);

static inline void value_scalar(struct value *value, double number)
{
  value->kind = VALUE_NUMBERS;
  value->rows = value->columns = 1;
  value->numbers[0] = number;
}
static inline bool value_is_scalar(const struct value *value)
{
  return value->kind == VALUE_NUMBERS && value->rows == 1 && value->columns == 1;
}

#endif
