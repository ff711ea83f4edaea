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

struct csv_stream {
  const char *at, *end; /* whole lines that are being read */
  size_t line;          /* of the file, from 1 */
  const struct csv_columns *columns;
  const struct csv_form *form;
  csv_named *tell;
  csv_row *take;
  void *context;
  bool named;                   /* the line of names was read */
  int target[CSV_COLUMNS_MOST]; /* which column of `columns` the i-th of the file is */
  bool present[CSV_COLUMNS_MOST];
  bool one_column; /* so far the line of names has but one */
  size_t width;    /* columns of the file */
  size_t rows;
  double row[CSV_COLUMNS_MOST];
  struct faults *faults;
  size_t fault_count, faults_before;
  enum armdyn_status status; /* sticks */
  size_t kept;               /* bytes of a line that has no end yet */
  char keep[LIMIT_CSV_LINE + 1];
};

const struct csv_form csv_standard_form = { .delimiter = ',', .decimal = '.' };

static void fault(struct csv_stream *r, enum fault_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fault(struct csv_stream *r, enum fault_code code, const char *format, ...)
{
  char detail[sizeof r->faults->items->detail];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  r->fault_count++;
  fault_add(r->faults, FAULT_AT_POINTER, "", code, "%s", detail);
}

static bool blank(char c, char delimiter)
{
  return c == ' ' || (c == '\t' && delimiter != '\t');
}

static const char *skip_blanks(const char *at, const char *end, char delimiter)
{
  while (at < end && blank(*at, delimiter)) at++;
  return at;
}

static bool separates(char c, char delimiter)
{
  return c == delimiter || (delimiter == ' ' && c == '\t');
}

/* The end of the line that starts at r->at; NULL when it is too long. */
static const char *line_end(const struct csv_stream *r)
{
  size_t left = (size_t)(r->end - r->at), most = left < LIMIT_CSV_LINE ? left : LIMIT_CSV_LINE;
  const char *end = memchr(r->at, '\n', most);
  return end ? end : most == left ? r->end : NULL;
}

/* Take the next field of a line. *more: a delimiter follows it. False when quotes are wrong. */
static bool next_cell(char delimiter, const char **at, const char *end, struct cell *cell, bool *more)
{
  const char *c = skip_blanks(*at, end, delimiter);
  if (c < end && *c == '"') {
    cell->at = ++c;
    while (c < end && (*c != '"' || (c + 1 < end && c[1] == '"'))) c += *c == '"' ? 2 : 1;
    if (c == end) return false;
    cell->end = c++;
    if (c < end && !blank(*c, delimiter) && *c != delimiter) return false;
    c = skip_blanks(c, end, delimiter);
    if (c < end && *c != delimiter && delimiter != ' ') return false;
  } else {
    cell->at = c;
    while (c < end && !separates(*c, delimiter) && *c != '"') c++;
    if (c < end && *c == '"') return false;
    cell->end = c;
    while (cell->end > cell->at && blank(cell->end[-1], delimiter)) cell->end--;
  }
  if (delimiter == ' ') c = skip_blanks(c, end, delimiter);
  *more = c < end;
  *at = *more && delimiter != ' ' ? c + 1 : c;
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

/* Is the i-th of the columns asked for the one at this place of the file, with this in the line of names? */
static bool is_column(const struct csv_stream *r, size_t i, size_t index, struct cell cell)
{
  const char *name = r->columns->items[i].name;
  const size_t length = (size_t)(cell.end - cell.at);
  if (r->columns->items[i].number) return r->columns->items[i].number == index + 1;
  return !r->form->nameless && strlen(name) == length && memcmp(name, cell.at, length) == 0;
}

/* Is this no name but a number, of a file without a line of names? */
static bool is_number(const char *text)
{
  char *end;
  strtod(text, &end);
  return end != text && *end == 0;
}

/* What a name that is not known shows of the whole line. */
static const char *lesson_of(const struct csv_stream *r, const char *text, struct cell cell)
{
  const size_t length = (size_t)(cell.end - cell.at);
  const bool blank = memchr(cell.at, ' ', length) || memchr(cell.at, '\t', length);
  if (memchr(cell.at, ';', length))
    return r->form->by_mapping ? "; columns are separated by commas, not semicolons: a mapping has their \"delimiter\""
                               : "; columns are separated by commas, not semicolons";
  if (is_number(text))
    return r->form->by_mapping
               ? ": the first line names the columns. A mapping with \"header\": false has them by number"
               : ": the first line names the columns";
  if (!blank || !r->one_column || r->columns->count < 2) return "";
  return r->form->by_mapping ? "; columns are separated by commas, not blanks: a mapping has their \"delimiter\""
                             : "; columns are separated by commas, not blanks";
}

/* The header line: which column of the file is which. */
static void name_column(struct csv_stream *r, size_t index, struct cell cell)
{
  char text[CSV_NAME_SIZE];
  shown(cell, text);
  r->target[index] = NOT_WANTED;
  for (size_t i = 0; i < r->columns->count; i++) {
    if (!is_column(r, i, index, cell)) continue;
    if (r->present[i]) fault(r, FAULT_DUPLICATE, "column \"%s\" is there twice", r->columns->items[i].name);
    r->present[i] = true;
    r->target[index] = (int)i;
    return;
  }
  if (r->form->lenient) return;
  const char *near = is_number(text) ? NULL : nearest(text, column_name, r->columns, r->columns->count);
  if (near)
    fault(r, FAULT_UNKNOWN, "column \"%s\" is not known; did you mean \"%s\"?", text, near);
  else
    fault(r, FAULT_UNKNOWN, "column \"%s\" is not known%s", text, lesson_of(r, text, cell));
}

/* No CSV: what was found before does not count any more, only the place where reading ended does. */
static enum armdyn_status malformed(struct csv_stream *r, const char *what)
{
  if (r->faults) r->faults->count = r->faults_before;
  fault(r, FAULT_SYNTAX, "line %zu: %s", r->line, what);
  return ARMDYN_ESYNTAX;
}

/* Find the next line, without its end; r->at moves behind it. False: too long. */
static bool take_line(struct csv_stream *r, const char **start, const char **end)
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

static void tell_missing(struct csv_stream *r)
{
  for (size_t i = 0; i < r->columns->count; i++) {
    if (!r->columns->items[i].required || r->present[i]) continue;
    if (r->columns->items[i].number)
      fault(r, FAULT_REQUIRED, "column %zu is missing: there are %zu", r->columns->items[i].number, r->width);
    else
      fault(r, FAULT_REQUIRED, "column \"%s\" is missing%s", r->columns->items[i].name,
            !r->form->by_mapping ? ""
            : strcmp(r->columns->items[i].name, "t") == 0
                ? "; a mapping names it, or has \"time\": {\"rate\": 1000} (Hz)"
                : "; a mapping says which column it is");
  }
}

/* Of a nameless form the first sample, which stays to be read. */
static enum armdyn_status read_names(struct csv_stream *r)
{
  const char *const first = r->at, *at, *end;
  bool more = true;
  if (!take_line(r, &at, &end)) return r->line++, malformed(r, too_long);
  if (at == end && r->form->nameless) return malformed(r, "there is no sample");
  if (at == end) return malformed(r, "the first line must name the columns, e.g. q1,q2,qd1,qd2; it is empty");
  while (more) {
    struct cell cell;
    if (!next_cell(r->form->delimiter, &at, end, &cell, &more)) return malformed(r, bad_quotes);
    if (r->width == CSV_COLUMNS_MOST) return malformed(r, "there are more than 256 columns");
    r->one_column = r->width == 0 && !more;
    name_column(r, r->width++, cell);
  }
  tell_missing(r);
  if (r->form->nameless) r->at = first, r->line--;
  return ARMDYN_OK;
}

/* A number with its decimal character made a point; a point in it stays none, so that it is no number. */
static struct cell with_point(struct cell cell, char decimal, char out[LIMIT_NUMBER_LENGTH])
{
  size_t length = (size_t)(cell.end - cell.at);
  if (length > LIMIT_NUMBER_LENGTH || memchr(cell.at, '.', length)) return (struct cell){ cell.at, cell.at + length };
  for (size_t i = 0; i < length; i++) out[i] = cell.at[i] == decimal ? '.' : cell.at[i];
  return (struct cell){ out, out + length };
}

/* One number; what is wrong with it is a fault of its cell. */
static void read_cell(struct csv_stream *r, size_t index, struct cell cell, double *row)
{
  double x;
  char pointed[LIMIT_NUMBER_LENGTH];
  if (r->target[index] == NOT_WANTED && r->form->lenient) return; /* perhaps no number at all */
  const struct cell written = cell;
  if (r->form->decimal != '.') cell = with_point(cell, r->form->decimal, pointed);
  const char *start = cell.at + (cell.at < cell.end && *cell.at == '+');
  const char *end = number_parse(start, cell.end, &x);
  if (end == cell.end && start < cell.end && fabs(x) <= LIMIT_SAMPLE_NUMBER) {
    if (r->target[index] != NOT_WANTED) row[r->target[index]] = x;
    return;
  }
  char text[CSV_NAME_SIZE];
  shown(written, text);
  r->fault_count++;
  if (cell.at == cell.end) {
    fault_add_cell(r->faults, r->rows, index, FAULT_REQUIRED, "is empty; a number is needed");
  } else if (end == cell.end && isfinite(x)) {
    fault_add_cell(r->faults, r->rows, index, FAULT_MAXIMUM, "must be within -1e12 and 1e12, got %s", text);
  } else if (end == cell.end || strcasecmp(text, "nan") == 0 || strcasecmp(text + (*text == '-'), "inf") == 0) {
    fault_add_cell(r->faults, r->rows, index, FAULT_FINITE, "must be a finite number, got %s", text);
  } else {
    fault_add_cell(r->faults, r->rows, index, FAULT_TYPE, "must be a number such as -0.5 or 1e-3, got \"%s\"", text);
  }
}

static enum armdyn_status read_row(struct csv_stream *r)
{
  const char *at, *end;
  bool more = true;
  size_t index = 0, faults = r->fault_count;
  if (!take_line(r, &at, &end)) return r->line++, malformed(r, too_long);
  if (r->form->lenient && skip_blanks(at, end, r->form->delimiter) == end) return ARMDYN_OK;
  for (; more; index++) {
    struct cell cell;
    if (!next_cell(r->form->delimiter, &at, end, &cell, &more)) return malformed(r, bad_quotes);
    if (index < r->width) read_cell(r, index, cell, r->row);
  }
  if (index != r->width) {
    r->fault_count++;
    fault_add_cell(r->faults, r->rows, index < r->width ? index : r->width, FAULT_LENGTH,
                   r->form->nameless ? "line %zu has %zu fields, the first sample %zu"
                                     : "line %zu has %zu fields, but %zu columns are named",
                   r->line, index, r->width);
  }
  r->rows++;
  return r->fault_count > faults ? ARMDYN_OK : r->take(r->context, r->rows - 1, r->row);
}

struct csv_stream *csv_stream_new(const struct csv_columns *columns, const struct csv_form *form, csv_named *named,
                                  csv_row *row, void *context, struct faults *faults)
{
  struct csv_stream *r = malloc(sizeof *r);
  if (!r) return NULL;
  memset(r, 0, offsetof(struct csv_stream, keep));
  r->columns = columns;
  r->form = form;
  r->tell = named;
  r->take = row;
  r->context = context;
  r->faults = faults;
  if (faults) r->faults_before = faults->count;
  return r;
}

void csv_stream_free(struct csv_stream *stream)
{
  free(stream);
}

bool csv_stream_has(const struct csv_stream *r, size_t column, size_t *place)
{
  for (size_t i = 0; i < r->width; i++)
    if (r->target[i] == (int)column) *place = i;
  return r->present[column];
}

/* Does a line begin that says nothing? */
static bool at_empty_line(const struct csv_stream *r)
{
  const char *at = skip_blanks(r->at, r->end, r->form->delimiter);
  if (at < r->end && *at == '\r') at++;
  return at == r->end || *at == '\n';
}

/* Read lines, each with its end but perhaps the last of the file. */
static void read_lines(struct csv_stream *r, const char *bytes, size_t length)
{
  r->at = bytes;
  r->end = bytes + length;
  if (r->line == 0 && length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) r->at += 3;
  while (!r->status && r->at < r->end) {
    const char *at, *end;
    if (r->named) {
      r->status = read_row(r);
    } else if (r->line < r->form->skip_lines || (r->form->nameless && at_empty_line(r))) {
      if (!take_line(r, &at, &end)) r->line++, r->status = malformed(r, too_long);
    } else {
      r->status = read_names(r);
      r->named = true;
      if (!r->status && r->fault_count) r->status = ARMDYN_EINPUT; /* every line would repeat the same faults */
      if (!r->status && r->tell) r->status = r->tell(r->context, r);
    }
  }
}

enum armdyn_status csv_stream_take(struct csv_stream *r, const char *bytes, size_t length)
{
  if (r->kept && !r->status) { /* the end of the line that began before */
    const char *newline = memchr(bytes, '\n', length);
    const size_t room = LIMIT_CSV_LINE + 1 - r->kept, rest = newline ? (size_t)(newline + 1 - bytes) : length;
    const size_t now = rest < room ? rest : room;
    memcpy(r->keep + r->kept, bytes, now);
    r->kept += now;
    if (!newline && now == rest && r->kept <= LIMIT_CSV_LINE) return r->status;
    read_lines(r, r->keep, r->kept);
    r->kept = 0;
    bytes += rest;
    length -= rest;
  }
  const char *last = length ? memrchr(bytes, '\n', length) : NULL;
  const size_t whole = last ? (size_t)(last + 1 - bytes) : 0;
  if (!r->status && whole) read_lines(r, bytes, whole);
  if (!r->status && length - whole > LIMIT_CSV_LINE) read_lines(r, bytes + whole, length - whole);
  if (r->status) return r->status;
  memcpy(r->keep, bytes + whole, length - whole);
  r->kept = length - whole;
  return ARMDYN_OK;
}

enum armdyn_status csv_stream_finish(struct csv_stream *r)
{
  if (!r->status) read_lines(r, r->keep, r->kept);
  r->kept = 0;
  if (!r->status && !r->named) { /* an empty text */
    r->at = r->end = r->keep;
    r->status = read_names(r);
  }
  if (!r->status && r->fault_count) r->status = ARMDYN_EINPUT;
  return r->status;
}

/* -- a table that is held whole -- */

struct gathering {
  struct csv_table *out;
  size_t width, capacity, rows_most;
  struct faults *faults;
};

static enum armdyn_status gather(void *context, size_t row, const double *values)
{
  struct gathering *g = context;
  struct csv_table *out = g->out;
  if (row >= g->rows_most) {
    fault_add(g->faults, FAULT_AT_POINTER, "", FAULT_MAXIMUM, "must have at most %zu rows", g->rows_most);
    return ARMDYN_ELIMIT;
  }
  if (out->rows == g->capacity) {
    size_t capacity = g->capacity ? 2 * g->capacity : 64;
    double *data = realloc(out->data, capacity * g->width * sizeof *data);
    if (!data) return ARMDYN_EMEMORY;
    out->data = data;
    g->capacity = capacity;
  }
  memcpy(out->data + out->rows++ * g->width, values, g->width * sizeof *values);
  return ARMDYN_OK;
}

enum armdyn_status csv_read(const char *text, size_t length, const struct csv_columns *columns, size_t rows_most,
                            struct csv_table *out, struct faults *faults)
{
  *out = (struct csv_table){ 0 };
  struct gathering g = { .out = out, .width = columns->count, .rows_most = rows_most, .faults = faults };
  struct csv_stream *r = csv_stream_new(columns, &csv_standard_form, NULL, gather, &g, faults);
  if (!r) return ARMDYN_EMEMORY;
  read_lines(r, text, length);
  enum armdyn_status rc = csv_stream_finish(r);
  memcpy(out->present, r->present, sizeof out->present);
  csv_stream_free(r);
  if (rc) free(out->data), out->data = NULL;
  return rc;
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

void csv_write_rows(struct buffer *out, const double *data, size_t rows, size_t columns)
{
  for (size_t i = 0; i < rows; i++) csv_write_row(out, data + i * columns, columns);
}
