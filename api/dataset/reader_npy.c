#include <stdlib.h>

#include "api/dataset/log_rows.h"
#include "api/npy/npy.h"

struct npy_log {
  struct buffer head; /* until the header is whole */
  bool begun;
  struct npy_header header;
  size_t row, left; /* rows that were read; bytes of a row that has begun */
  char part[(1 + 4 * ARMDYN_JOINTS_MAX) * sizeof(double)];
};

static enum armdyn_status begin(struct dataset_reader *r)
{
  struct npy_log *log = calloc(1, sizeof *log);
  if (!log) return ARMDYN_EMEMORY;
  log->head = (struct buffer)BUFFER(MB(1));
  r->own = log;
  return ARMDYN_OK;
}

/* The columns of a field are the next ones of the file. */
static void place(struct dataset_reader *r, enum mapping_field field, size_t *next)
{
  for (size_t i = 0; i < r->column_count; i++) {
    if (r->columns[i].field != field) continue;
    r->columns[i].present = true;
    r->columns[i].place = (*next)++;
  }
}

/* The field whose name stands here, up to a comma; MAPPING_FIELDS: none. */
static int field_at(const char *at)
{
  const size_t length = strcspn(at, ",");
  int field = 0;
  while (field < MAPPING_FIELDS &&
         !(strlen(mapping_field_names[field]) == length && memcmp(mapping_field_names[field], at, length) == 0))
    field++;
  return field;
}

/* Which columns these are, by ?fields= or by their number. */
static enum armdyn_status place_columns(struct dataset_reader *r, size_t width)
{
  static const char *const usual[] = { "t,q", "t,q,tau", "t,q,qd,tau", "t,q,qd,qdd,tau" };
  const size_t n = r->joints, blocks = width ? (width - 1) / n : 0;
  const char *fields = r->source.fields;
  if (!fields && width == 1 + blocks * n && blocks >= 1 && blocks <= 4) fields = usual[blocks - 1];
  if (!fields)
    return reader_refuse(
        r, FAULT_LENGTH,
        "the table has %zu columns; t,q (%zu), t,q,tau (%zu), t,q,qd,tau (%zu) or t,q,qd,qdd,tau (%zu) are "
        "known, others are named by ?fields=",
        width, 1 + n, 1 + 2 * n, 1 + 3 * n, 1 + 4 * n);
  size_t next = 0;
  for (const char *at = fields; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const int field = field_at(at);
    if (field == MAPPING_FIELDS || r->columns[field ? 1 + (size_t)(field - 1) * n : 0].present) {
      fault_add(r->faults, FAULT_AT_PARAMETER, "fields", FAULT_ENUM,
                "must be different names out of t, q, qd, qdd, tau, i with commas between, got '%.64s'", fields);
      return ARMDYN_EINPUT;
    }
    place(r, (enum mapping_field)field, &next);
  }
  if (!r->columns[0].present) return reader_refuse(r, FAULT_REQUIRED, "column t is missing");
  if (next != width)
    return reader_refuse(r, FAULT_LENGTH, "the table has %zu columns; %s of %zu joints are %zu", width, fields, n,
                         next);
  return reader_resolve(r);
}

static enum armdyn_status begin_rows(struct dataset_reader *r)
{
  struct npy_log *log = r->own;
  enum armdyn_status status = npy_read_header(log->head.data, log->head.length, &log->header, r->faults);
  if (status) return status;
  if (log->header.fortran)
    return reader_refuse(r, FAULT_UNSUPPORTED,
                         "the table is stored column by column, so that rows cannot be taken as they come: save "
                         "numpy.ascontiguousarray(x)");
  if (log->header.rows > LIMIT_DATASET_ROWS) return ARMDYN_ELIMIT;
  log->begun = true;
  return place_columns(r, log->header.columns);
}

static enum armdyn_status take_row(struct dataset_reader *r, const char *data)
{
  struct npy_log *log = r->own;
  double values[SOURCES_MOST] = { 0 };
  if (log->row == log->header.rows)
    return reader_refuse(r, FAULT_LENGTH, "there is more data than the %zu rows that the header tells",
                         log->header.rows);
  for (size_t i = 0; i < r->column_count; i++)
    if (r->columns[i].present) values[i] = npy_number(data, log->header.item, r->columns[i].place);
  return reader_row(r, log->row++, values);
}

static enum armdyn_status take_rows(struct dataset_reader *r, const char *bytes, size_t length)
{
  struct npy_log *log = r->own;
  const size_t row = log->header.columns * log->header.item;
  enum armdyn_status status = ARMDYN_OK;
  if (log->left) {
    const size_t wanted = row - log->left, now = length < wanted ? length : wanted;
    memcpy(log->part + log->left, bytes, now);
    log->left += now;
    bytes += now;
    length -= now;
    if (log->left < row) return ARMDYN_OK;
    log->left = 0;
    status = take_row(r, log->part);
  }
  for (; !status && length >= row; bytes += row, length -= row) status = take_row(r, bytes);
  if (status) return status;
  memcpy(log->part, bytes, length);
  log->left = length;
  return ARMDYN_OK;
}

static enum armdyn_status take(struct dataset_reader *r, const char *bytes, size_t length)
{
  struct npy_log *log = r->own;
  if (log->begun) return take_rows(r, bytes, length);
  buffer_append(&log->head, bytes, length);
  if (!buffer_ok(&log->head)) return log->head.failure;
  if (log->head.length < npy_header_size(log->head.data, log->head.length)) return ARMDYN_OK;
  enum armdyn_status status = begin_rows(r);
  const size_t data = log->header.data;
  if (!status) status = take_rows(r, log->head.data + data, log->head.length - data);
  buffer_release(&log->head);
  return status;
}

static enum armdyn_status finish(struct dataset_reader *r)
{
  struct npy_log *log = r->own;
  if (!log->begun)
    return npy_read_header(log->head.data ? log->head.data : "", log->head.length, &log->header, r->faults);
  if (log->row < log->header.rows || log->left)
    return reader_refuse(r, FAULT_LENGTH, "the header tells %zu rows, but the data ends in row %zu", log->header.rows,
                         log->row);
  return ARMDYN_OK;
}

static void release(struct dataset_reader *r)
{
  struct npy_log *log = r->own;
  buffer_release(&log->head);
  free(log);
}

const struct log_format log_npy = { MEDIA_NPY, begin, take, finish, release };
