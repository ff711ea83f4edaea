/* What expressions may call. To add a function: its row. */
#include <math.h>
#include <string.h>

#include "api/toolbox/script.h"

static const double PI = 3.14159265358979323846;

static double to_radians(double degrees)
{
  return degrees * PI / 180;
}
static double to_degrees(double radians)
{
  return radians * 180 / PI;
}

static const struct {
  const char *name;
  double number;
} constants[] = {
  { "pi", 3.14159265358979323846 }, { "inf", INFINITY }, { "Inf", INFINITY }, { "true", 1 }, { "false", 0 }
};

static const struct {
  const char *name;
  double (*of)(double);
} plain[] = { { "sin", sin },           { "cos", cos },   { "tan", tan },  { "asin", asin }, { "acos", acos },
              { "atan", atan },         { "sqrt", sqrt }, { "abs", fabs }, { "exp", exp },   { "deg2rad", to_radians },
              { "rad2deg", to_degrees } };

static void fill(struct value *value, size_t rows, size_t columns, double number)
{
  *value = (struct value){ .kind = VALUE_NUMBERS, .rows = rows, .columns = columns };
  for (size_t k = 0; k < rows * columns; k++) value->numbers[k] = number;
}

static void identity(struct value *value, size_t size)
{
  fill(value, size, size, 0);
  for (size_t k = 0; k < size; k++) value->numbers[k * size + k] = 1;
}

/* zeros(n), ones(n), eye(n): n x n; with two arguments that many rows and columns. */
static bool filled(struct script *s, char which, struct value *value)
{
  double size[2];
  if (!script_numbers(s, "a size", 1, &size[0])) return false;
  size[1] = size[0];
  if (script_take(s, ',') && !script_numbers(s, "a size", 1, &size[1])) return false;
  for (int k = 0; k < 2; k++)
    if (!(size[k] >= 1 && size[k] <= ARMDYN_JOINTS_MAX) || floor(size[k]) < size[k])
      return script_fault(s, FAULT_MAXIMUM, "a size is a whole number from 1 to %d", ARMDYN_JOINTS_MAX);
  if (size[0] * size[1] > SCRIPT_NUMBERS)
    return script_fault(s, FAULT_MAXIMUM, "a table has %d numbers at most", SCRIPT_NUMBERS);
  if (which == 'e' && size[0] <= size[1] && size[1] <= size[0])
    identity(value, (size_t)size[0]);
  else if (which == 'e')
    return script_fault(s, FAULT_UNSUPPORTED, "eye is square");
  else
    fill(value, (size_t)size[0], (size_t)size[1], which == 'o' ? 1 : 0);
  return true;
}

/* transl(x, y, z), transl([x y z]): a homogeneous shift. */
static bool shift(struct script *s, struct value *value)
{
  struct value first;
  double p[3];
  if (!script_value(s, &first)) return false;
  const bool three = first.kind == VALUE_NUMBERS && first.rows * first.columns == 3;
  if (!three && !value_is_scalar(&first)) return script_fault(s, FAULT_LENGTH, "transl takes x, y and z in m");
  memcpy(p, first.numbers, three ? sizeof p : sizeof *p);
  for (int k = 1; !three && k < 3; k++)
    if (!script_expect(s, ',', "between x, y and z") || !script_numbers(s, "a shift", 1, &p[k])) return false;
  identity(value, 4);
  for (size_t k = 0; k < 3; k++) value->numbers[4 * k + 3] = p[k];
  return true;
}

/* trotx, troty, trotz: a homogeneous turn about an axis, rad. */
static bool turn(struct script *s, size_t axis, struct value *value)
{
  double angle;
  if (!script_numbers(s, "an angle (rad)", 1, &angle)) return false;
  if (!script_is(s, ')')) return script_fault(s, FAULT_UNSUPPORTED, "a turn is read in rad, without more arguments");
  identity(value, 4);
  const size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
  value->numbers[4 * j + j] = value->numbers[4 * k + k] = cos(angle);
  value->numbers[4 * k + j] = sin(angle);
  value->numbers[4 * j + k] = -sin(angle);
  return true;
}

/* diag([a b c]). */
static bool diagonal(struct script *s, struct value *value)
{
  double d[3];
  if (!script_numbers(s, "a diagonal of an inertia", 3, d)) return false;
  identity(value, 3);
  for (size_t k = 0; k < 3; k++) value->numbers[4 * k] = d[k];
  return true;
}

static bool arc(struct script *s, struct value *value)
{
  double y, x;
  if (!script_numbers(s, "y", 1, &y) || !script_expect(s, ',', "between y and x") || !script_numbers(s, "x", 1, &x))
    return false;
  value_scalar(value, atan2(y, x));
  return true;
}

static bool zeros(struct script *s, struct value *v)
{
  return filled(s, 'z', v);
}
static bool ones(struct script *s, struct value *v)
{
  return filled(s, 'o', v);
}
static bool eye(struct script *s, struct value *v)
{
  return filled(s, 'e', v);
}
static bool turn_x(struct script *s, struct value *v)
{
  return turn(s, 0, v);
}
static bool turn_y(struct script *s, struct value *v)
{
  return turn(s, 1, v);
}
static bool turn_z(struct script *s, struct value *v)
{
  return turn(s, 2, v);
}

static const struct {
  const char *name;
  bool (*of)(struct script *s, struct value *value);
} others[] = { { "zeros", zeros },  { "ones", ones },    { "eye", eye },       { "transl", shift }, { "trotx", turn_x },
               { "troty", turn_y }, { "trotz", turn_z }, { "diag", diagonal }, { "atan2", arc } };

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool call_plain(struct script *s, double (*of)(double), struct value *value)
{
  if (!script_expect(s, '(', "behind a function") || !script_value(s, value)) return false;
  if (value->kind != VALUE_NUMBERS) return script_fault(s, FAULT_TYPE, "a function of numbers");
  for (size_t k = 0; k < value->rows * value->columns; k++) value->numbers[k] = of(value->numbers[k]);
  return script_expect(s, ')', "behind an argument");
}

bool script_function(struct script *s, struct json_slice name, struct value *value)
{
  for (size_t i = 0; i < COUNT(constants); i++)
    if (json_slice_is(name, constants[i].name)) {
      value_scalar(value, constants[i].number);
      return true;
    }
  for (size_t i = 0; i < COUNT(plain); i++)
    if (json_slice_is(name, plain[i].name)) return call_plain(s, plain[i].of, value);
  for (size_t i = 0; i < COUNT(others); i++)
    if (json_slice_is(name, others[i].name))
      return script_expect(s, '(', "behind a function") && others[i].of(s, value) &&
             script_expect(s, ')', "behind the arguments");
  return false;
}
