#include "api/csv/csv.h"

#include <math.h>
#include <stdarg.h>
#include <strings.h>

#include "api/json/number.h"
#include "api/wire/nearest.h"

enum { NOT_WANTED = -1 };

/* A field of a line, without quotes and outer blanks; quotes inside are as written (doubled). */
struct cell {
  const char *at, *end;
};

struct reader {
  const char *at, *end;
  size_t line; /* of the file, from 1 */
  const struct csv_columns *columns;
  int target[CSV_COLUMNS_MOST]; /* which column of `columns` the i-th of the file is */
  size_t width;                 /* columns of the file */
  size_t capacity;              /* rows that out->data has room for */
  struct csv_table *out;
  struct faults *faults;
  size_t fault_count, faults_before;
};

static void fault(struct reader *r, enum fault_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fault(struct reader *r, enum fault_code code, const char *format, ...)
{
  char detail[sizeof r->faults->items->detail];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  r->fault_count++;
  fault_add(r->faults, FAULT_AT_POINTER, "", code, "%s", detail);
}

static bool blank(char c)
{
  return c == ' ' || c == '\t';
}

/* The end of the line that starts at r->at; NULL when it is too long. */
static const char *line_end(const struct reader *r)
{
  size_t left = (size_t)(r->end - r->at), most = left < LIMIT_CSV_LINE ? left : LIMIT_CSV_LINE;
  const char *end = memchr(r->at, '\n', most);
  return end ? end : most == left ? r->end : NULL;
}

/* Take the next field of a line. *more: a comma follows it. False when quotes are wrong. */
static bool next_cell(const char **at, const char *end, struct cell *cell, bool *more)
{
  const char *c = *at;
  while (c < end && blank(*c)) c++;
  if (c < end && *c == '"') {
    cell->at = ++c;
    while (c < end && (*c != '"' || (c + 1 < end && c[1] == '"'))) c += *c == '"' ? 2 : 1;
    if (c == end) return false;
    cell->end = c++;
    while (c < end && blank(*c)) c++;
    if (c < end && *c != ',') return false;
  } else {
    cell->at = c;
    while (c < end && *c != ',' && *c != '"') c++;
    if (c < end && *c == '"') return false;
    cell->end = c;
    while (cell->end > cell->at && blank(cell->end[-1])) cell->end--;
  }
  *more = c < end;
  *at = *more ? c + 1 : c;
  return true;
}

/* A cell's text for a message. */
static const char *shown(struct cell cell, char out[CSV_NAME_SIZE])
{
  snprintf(out, CSV_NAME_SIZE, "%.*s", (int)(cell.end - cell.at < 24 ? cell.end - cell.at : 24), cell.at);
  return out;
}

static const char *column_name(const void *list, size_t index)
{
  return ((const struct csv_columns *)list)->items[index].name;
}

/* The header line: which column of the file is which. */
static void name_column(struct reader *r, size_t index, struct cell cell)
{
  char text[CSV_NAME_SIZE];
  size_t length = (size_t)(cell.end - cell.at);
  shown(cell, text);
  r->target[index] = NOT_WANTED;
  for (size_t i = 0; i < r->columns->count; i++) {
    const char *name = r->columns->items[i].name;
    if (strlen(name) != length || memcmp(name, cell.at, length)) continue;
    if (r->out->present[i]) fault(r, FAULT_DUPLICATE, "column \"%s\" is there twice", name);
    r->out->present[i] = true;
    r->target[index] = (int)i;
    return;
  }
  const char *near = nearest(text, column_name, r->columns, r->columns->count);
  if (near)
    fault(r, FAULT_UNKNOWN, "column \"%s\" is not known; did you mean \"%s\"?", text, near);
  else
    fault(r, FAULT_UNKNOWN, "column \"%s\" is not known%s", text,
          memchr(cell.at, ';', length) ? "; columns are separated by commas, not semicolons" : "");
}

/* No CSV: what was found before does not count any more, only the place where reading ended does. */
static enum armdyn_status malformed(struct reader *r, const char *what)
{
  if (r->faults) r->faults->count = r->faults_before;
  fault(r, FAULT_SYNTAX, "line %zu: %s", r->line, what);
  return ARMDYN_ESYNTAX;
}

/* Find the next line, without its end; r->at moves behind it. False: too long. */
static bool take_line(struct reader *r, const char **start, const char **end)
{
  const char *stop = line_end(r);
  if (!stop) return false;
  *start = r->at;
  *end = stop > r->at && stop[-1] == '\r' ? stop - 1 : stop;
  r->at = stop < r->end ? stop + 1 : stop;
  r->line++;
  return true;
}

static const char too_long[] = "a line may have at most 65536 bytes";
static const char bad_quotes[] = "a quoted field must end in a quote, and quotes inside it are doubled";

static enum armdyn_status read_names(struct reader *r)
{
  const char *at, *end;
  bool more = true;
  if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
  if (!take_line(r, &at, &end)) return r->line++, malformed(r, too_long);
  if (at == end) return malformed(r, "the first line must name the columns, e.g. q1,q2,qd1,qd2; it is empty");
  while (more) {
    struct cell cell;
    if (!next_cell(&at, end, &cell, &more)) return malformed(r, bad_quotes);
    if (r->width == CSV_COLUMNS_MOST) return malformed(r, "there are more than 256 columns");
    name_column(r, r->width++, cell);
  }
  for (size_t i = 0; i < r->columns->count; i++)
    if (r->columns->items[i].required && !r->out->present[i])
      fault(r, FAULT_REQUIRED, "column \"%s\" is missing", r->columns->items[i].name);
  return ARMDYN_OK;
}

/* One number; what is wrong with it is a fault of its cell. */
static void read_cell(struct reader *r, size_t index, struct cell cell, double *row)
{
  double x;
  const char *start = cell.at + (cell.at < cell.end && *cell.at == '+');
  const char *end = number_parse(start, cell.end, &x);
  if (end == cell.end && start < cell.end && fabs(x) <= LIMIT_SAMPLE_NUMBER) {
    if (r->target[index] != NOT_WANTED) row[r->target[index]] = x;
    return;
  }
  char text[CSV_NAME_SIZE];
  shown(cell, text);
  r->fault_count++;
  if (cell.at == cell.end) {
    fault_add_cell(r->faults, r->out->rows, index, FAULT_REQUIRED, "is empty; a number is needed");
  } else if (end == cell.end && isfinite(x)) {
    fault_add_cell(r->faults, r->out->rows, index, FAULT_MAXIMUM, "must be within -1e12 and 1e12, got %s", text);
  } else if (end == cell.end || strcasecmp(text, "nan") == 0 || strcasecmp(text + (*text == '-'), "inf") == 0) {
    fault_add_cell(r->faults, r->out->rows, index, FAULT_FINITE, "must be a finite number, got %s", text);
  } else {
    fault_add_cell(r->faults, r->out->rows, index, FAULT_TYPE, "must be a number such as -0.5 or 1e-3, got \"%s\"",
                   text);
  }
}

/* Room for one more row. */
static enum armdyn_status grow(struct reader *r, size_t rows_most)
{
  struct csv_table *out = r->out;
  size_t width = r->columns->count;
  if (out->rows == rows_most) {
    fault(r, FAULT_MAXIMUM, "must have at most %zu rows", rows_most);
    return ARMDYN_ELIMIT;
  }
  if (out->rows == r->capacity) {
    size_t capacity = r->capacity ? 2 * r->capacity : 64;
    double *data = realloc(out->data, capacity * width * sizeof *data);
    if (!data) return ARMDYN_EMEMORY;
    out->data = data;
    r->capacity = capacity;
  }
  memset(out->data + out->rows * width, 0, width * sizeof *out->data);
  return ARMDYN_OK;
}

static enum armdyn_status read_row(struct reader *r, size_t rows_most)
{
  const char *at, *end;
  bool more = true;
  size_t index = 0;
  if (!take_line(r, &at, &end)) return r->line++, malformed(r, too_long);
  enum armdyn_status rc = grow(r, rows_most);
  if (rc) return rc;
  for (; more; index++) {
    struct cell cell;
    if (!next_cell(&at, end, &cell, &more)) return malformed(r, bad_quotes);
    if (index < r->width) read_cell(r, index, cell, r->out->data + r->out->rows * r->columns->count);
  }
  if (index != r->width) {
    r->fault_count++;
    fault_add_cell(r->faults, r->out->rows, index < r->width ? index : r->width, FAULT_LENGTH,
                   "line %zu has %zu fields, but %zu columns are named", r->line, index, r->width);
  }
  r->out->rows++;
  return ARMDYN_OK;
}

enum armdyn_status csv_read(const char *text, size_t length, const struct csv_columns *columns, size_t rows_most,
                            struct csv_table *out, struct faults *faults)
{
  struct reader r = { .at = text, .end = text + length, .columns = columns, .out = out, .faults = faults };
  if (faults) r.faults_before = faults->count;
  *out = (struct csv_table){ 0 };
  enum armdyn_status rc = read_names(&r);
  bool named = r.fault_count == 0; /* otherwise every line would repeat the same faults */
  while (!rc && named && r.at < r.end) rc = read_row(&r, rows_most);
  if (!rc && r.fault_count) rc = ARMDYN_EINPUT;
  if (rc) csv_release(out);
  return rc;
}

void csv_release(struct csv_table *table)
{
  free(table->data);
  *table = (struct csv_table){ 0 };
}

void csv_write_row(struct buffer *out, const double *data, size_t columns)
{
  char *start = buffer_reserve(out, columns * (NUMBER_SIZE + 1) + 2), *to = start;
  if (!start) return;
  for (size_t j = 0; j < columns; j++) {
    if (j) *to++ = ',';
    to += number_print(data[j], to);
  }
  *to++ = '\r';
  *to++ = '\n';
  buffer_commit(out, (size_t)(to - start));
}

void csv_write(struct buffer *out, const char *names, const double *data, size_t rows, size_t columns)
{
  buffer_text(out, names);
  buffer_text(out, "\r\n");
  for (size_t i = 0; i < rows; i++) csv_write_row(out, data + i * columns, columns);
}
