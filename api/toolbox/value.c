/* Constant expressions of a script: numbers, vectors and tables, + - * / ^ and ', brackets, and a table of functions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/toolbox/script.h"

static bool expression(struct script *s, struct value *value);

/* -- tables -- */

static bool append_links(struct script *s, struct value *into, const struct value *more)
{
  if (into->link_count + more->link_count > ARMDYN_JOINTS_MAX)
    return script_fault(s, FAULT_MAXIMUM, "an arm has %d links at most", ARMDYN_JOINTS_MAX);
  memcpy(into->links + into->link_count, more->links, more->link_count * sizeof *more->links);
  into->link_count += more->link_count;
  into->kind = VALUE_LINKS;
  return true;
}

/* [into more] or [into; more]. */
static bool append(struct script *s, struct value *into, const struct value *more, bool below)
{
  const bool empty = into->kind == VALUE_NUMBERS && !into->rows;
  if (more->kind == VALUE_LINKS && (empty || into->kind == VALUE_LINKS)) return append_links(s, into, more);
  if (more->kind != VALUE_NUMBERS || into->kind != VALUE_NUMBERS)
    return script_fault(s, FAULT_TYPE, "between [ and ] stand numbers, or links");
  if (empty) {
    *into = *more;
    return true;
  }
  const size_t rows = into->rows + (below ? more->rows : 0), columns = into->columns + (below ? 0 : more->columns);
  if (below ? into->columns != more->columns : into->rows != more->rows)
    return script_fault(s, FAULT_LENGTH, "rows and columns do not fit: %zu x %zu beside %zu x %zu", into->rows,
                        into->columns, more->rows, more->columns);
  if (rows * columns > SCRIPT_NUMBERS)
    return script_fault(s, FAULT_MAXIMUM, "a table has %d numbers at most", SCRIPT_NUMBERS);
  if (below) {
    memcpy(into->numbers + into->rows * columns, more->numbers, more->rows * columns * sizeof(double));
  } else {
    for (size_t i = rows; i-- > 0;) { /* from the end: rows move to where they have room */
      memmove(into->numbers + i * columns, into->numbers + i * into->columns, into->columns * sizeof(double));
      memcpy(into->numbers + i * columns + into->columns, more->numbers + i * more->columns,
             more->columns * sizeof(double));
    }
  }
  into->rows = rows, into->columns = columns;
  return true;
}

static void nothing(struct value *value)
{
  *value = (struct value){ .kind = VALUE_NUMBERS };
}

/* One row, up to ';', a line's end or ']'. */
static bool table_row(struct script *s, struct value *row)
{
  struct value element;
  nothing(row);
  while (!s->status && s->token.word != WORD_LINE && s->token.word != WORD_END && !script_is(s, ';') &&
         !script_is(s, ']')) {
    if (!expression(s, &element) || !append(s, row, &element, false)) return false;
    script_take(s, ',');
  }
  return !s->status;
}

static bool table(struct script *s, struct value *value)
{
  struct value row;
  nothing(value);
  script_next(s);
  while (!s->status && !script_is(s, ']')) {
    if (!table_row(s, &row)) return false;
    if ((row.rows || row.kind != VALUE_NUMBERS) && !append(s, value, &row, true)) return false;
    if (s->token.word == WORD_LINE || script_is(s, ';'))
      script_next(s);
    else if (!script_is(s, ']'))
      return script_fault(s, FAULT_SYNTAX, "']' is missing");
  }
  return script_take(s, ']');
}

/* -- single values -- */

/* The element of a variable: v(k), v(i, j), {k}. */
static bool element(struct script *s, const struct value *from, struct value *value)
{
  double index[2] = { 0, 0 };
  const char closes = script_is(s, '(') ? ')' : '}';
  script_next(s);
  size_t given = 0;
  do {
    struct value number;
    if (given == 2 || !expression(s, &number)) return script_fault(s, FAULT_UNSUPPORTED, "one or two indices");
    if (!value_is_scalar(&number) || !(number.numbers[0] >= 1 && number.numbers[0] <= SCRIPT_NUMBERS) ||
        floor(number.numbers[0]) < number.numbers[0])
      return script_fault(s, FAULT_UNSUPPORTED, "an index is a whole number from 1");
    index[given++] = number.numbers[0];
  } while (script_take(s, ','));
  if (from->kind == VALUE_LINKS) {
    const size_t k = (size_t)index[given == 2 && index[0] <= 1 ? 1 : 0];
    if (k > from->link_count) return script_fault(s, FAULT_MAXIMUM, "there are %zu links", from->link_count);
    *value = (struct value){ .kind = VALUE_LINKS, .link_count = 1, .links = { from->links[k - 1] } };
    return script_expect(s, closes, "behind an index");
  }
  if (from->kind != VALUE_NUMBERS) return script_fault(s, FAULT_TYPE, "only numbers and links have indices");
  size_t row = (size_t)index[0] - 1, column = given == 2 ? (size_t)index[1] - 1 : 0;
  if (given == 1) column = row / (from->rows ? from->rows : 1), row = row % (from->rows ? from->rows : 1);
  if (row >= from->rows || column >= from->columns)
    return script_fault(s, FAULT_MAXIMUM, "the table is %zu x %zu", from->rows, from->columns);
  value_scalar(value, from->numbers[row * from->columns + column]);
  return script_expect(s, closes, "behind an index");
}

static const struct value *variable(const struct script *s, struct json_slice name)
{
  for (size_t i = 0; i < s->variable_count; i++) {
    const struct json_slice *have = &s->variables[i].name;
    if (have->length == name.length && !memcmp(have->data, name.data, name.length)) return &s->variables[i].value;
  }
  return NULL;
}

static bool named(struct script *s, struct value *value)
{
  const struct json_slice name = s->token.text;
  const struct value *known = variable(s, name);
  const struct token at = s->token;
  script_next(s);
  if (known) {
    if ((script_is(s, '(') || script_is(s, '{')) && !s->token.space_before) return element(s, known, value);
    *value = *known;
    return true;
  }
  if (script_function(s, name, value) || script_constructor(s, name, value)) return true;
  if (s->status) return false;
  s->token = at;
  return script_fault(s, FAULT_UNSUPPORTED,
                      "'%.*s' is not known: no variable before this line, no constructor and no "
                      "function that is read",
                      (int)(name.length < 64 ? name.length : 64), name.data);
}

static bool primary(struct script *s, struct value *value)
{
  const struct token token = s->token;
  if (token.word == WORD_NUMBER) {
    value_scalar(value, token.number);
    script_next(s);
    return !s->status;
  }
  if (token.word == WORD_TEXT) {
    *value = (struct value){ .kind = VALUE_TEXT, .text = token.text };
    script_next(s);
    return !s->status;
  }
  if (token.word == WORD_NAME) return named(s, value);
  if (script_is(s, '[')) return table(s, value);
  if (script_take(s, '(')) return expression(s, value) && script_expect(s, ')', "at the end of brackets");
  return script_fault(s, s->token.word == WORD_SIGN ? FAULT_UNSUPPORTED : FAULT_SYNTAX,
                      "a value belongs here: a number, a name, [...] or (...)");
}

static void transpose(struct value *value)
{
  const struct value was = *value;
  value->rows = was.columns, value->columns = was.rows;
  for (size_t i = 0; i < was.rows; i++)
    for (size_t j = 0; j < was.columns; j++) value->numbers[j * was.rows + i] = was.numbers[i * was.columns + j];
}

/* -- arithmetic -- */

static bool product(struct script *s, struct value *a, const struct value *b)
{
  if (value_is_scalar(b) || value_is_scalar(a)) {
    const double factor = value_is_scalar(b) ? b->numbers[0] : a->numbers[0];
    if (!value_is_scalar(b)) *a = *b;
    for (size_t k = 0; k < a->rows * a->columns; k++) a->numbers[k] *= factor;
    return true;
  }
  if (a->columns != b->rows || a->rows * b->columns > SCRIPT_NUMBERS)
    return script_fault(s, FAULT_LENGTH, "%zu x %zu times %zu x %zu is no product", a->rows, a->columns, b->rows,
                        b->columns);
  const struct value left = *a;
  a->columns = b->columns;
  for (size_t i = 0; i < a->rows; i++)
    for (size_t j = 0; j < a->columns; j++) {
      double sum = 0;
      for (size_t k = 0; k < left.columns; k++)
        sum += left.numbers[i * left.columns + k] * b->numbers[k * b->columns + j];
      a->numbers[i * a->columns + j] = sum;
    }
  return true;
}

static bool sum(struct script *s, struct value *a, const struct value *b, double sign)
{
  if (value_is_scalar(a) && !value_is_scalar(b)) {
    const double shift = a->numbers[0];
    *a = *b;
    for (size_t k = 0; k < a->rows * a->columns; k++) a->numbers[k] = shift + sign * a->numbers[k];
    return true;
  }
  if (!value_is_scalar(b) && (a->rows != b->rows || a->columns != b->columns))
    return script_fault(s, FAULT_LENGTH, "a sum of %zu x %zu and %zu x %zu", a->rows, a->columns, b->rows, b->columns);
  for (size_t k = 0; k < a->rows * a->columns; k++) a->numbers[k] += sign * b->numbers[value_is_scalar(b) ? 0 : k];
  return true;
}

static bool are_numbers(struct script *s, const struct value *a, const struct value *b)
{
  if (a->kind == VALUE_NUMBERS && b->kind == VALUE_NUMBERS) return true;
  return script_fault(s, FAULT_TYPE, "arithmetic is done with numbers");
}

static bool signs(struct script *s)
{
  bool minus = false;
  for (; script_is(s, '-') || script_is(s, '+'); script_next(s)) minus ^= script_is(s, '-');
  return minus;
}

/* a', a^b: a power binds closer than a sign before it, -2^2 = -4. */
static bool power(struct script *s, struct value *value)
{
  if (!primary(s, value)) return false;
  for (;;) {
    struct value exponent;
    if (script_is(s, '\'') && value->kind == VALUE_NUMBERS) {
      transpose(value);
      script_next(s);
    } else if (script_take(s, '^')) {
      const bool minus = signs(s);
      if (!primary(s, &exponent)) return false;
      if (!value_is_scalar(value) || !value_is_scalar(&exponent))
        return script_fault(s, FAULT_UNSUPPORTED, "a power is of a number by a number");
      value_scalar(value, pow(value->numbers[0], minus ? -exponent.numbers[0] : exponent.numbers[0]));
    } else {
      return !s->status;
    }
  }
}

static bool signed_value(struct script *s, struct value *value)
{
  const bool minus = signs(s);
  if (!power(s, value)) return false;
  if (!minus) return true;
  if (!are_numbers(s, value, value)) return false;
  for (size_t k = 0; k < value->rows * value->columns; k++) value->numbers[k] = -value->numbers[k];
  return true;
}

static bool term(struct script *s, struct value *value)
{
  struct value other;
  if (!signed_value(s, value)) return false;
  while (script_is(s, '*') || script_is(s, '/')) {
    const bool divides = script_is(s, '/');
    script_next(s);
    if (!signed_value(s, &other) || !are_numbers(s, value, &other)) return false;
    if (divides && !value_is_scalar(&other)) return script_fault(s, FAULT_UNSUPPORTED, "a divisor is one number");
    if (divides)
      for (size_t k = 0; k < value->rows * value->columns; k++) value->numbers[k] /= other.numbers[0];
    else if (!product(s, value, &other))
      return false;
  }
  return !s->status;
}

/* Between [ and ], "a -b" are two elements, "a - b" and "a-b" are one. */
static bool begins_element(const struct script *s)
{
  return s->depth && s->brackets[s->depth - 1] == '[' && s->token.space_before && !s->token.space_behind;
}

static bool expression(struct script *s, struct value *value)
{
  struct value other;
  if (!term(s, value)) return false;
  while ((script_is(s, '+') || script_is(s, '-')) && !begins_element(s)) {
    const double sign = script_is(s, '-') ? -1 : 1;
    script_next(s);
    if (!term(s, &other) || !are_numbers(s, value, &other) || !sum(s, value, &other, sign)) return false;
  }
  return !s->status;
}

bool script_value(struct script *s, struct value *value)
{
  return expression(s, value);
}

bool script_numbers(struct script *s, const char *what, size_t count, double *numbers)
{
  struct value value;
  const struct token at = s->token;
  if (!expression(s, &value)) return false;
  const size_t got = value.kind == VALUE_NUMBERS ? value.rows * value.columns : 0;
  for (size_t k = 0; k < got; k++)
    if (isnan(value.numbers[k])) return script_fault(s, FAULT_FINITE, "%s is not a number", what);
  if (got == count) {
    memcpy(numbers, value.numbers, count * sizeof *numbers);
    return true;
  }
  s->token = at;
  return script_fault(s, FAULT_LENGTH, "%s is %zu number%s, got %zu", what, count, count == 1 ? "" : "s", got);
}
