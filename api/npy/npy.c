#include "api/npy/npy.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "<f8 is read and written as it stands in memory");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE 754 formats");

static const char magic[6] = "\x93NUMPY";
enum { DIMENSIONS_MOST = 8, HEADER_MOST = 65536, OWN_HEADER_MOST = 320, DESCRIPTION_SIZE = 16 };

/* What the header says. */
struct header {
  char descr[DESCRIPTION_SIZE];
  bool fortran;
  size_t shape[DIMENSIONS_MOST], dimensions;
};

/* A place in the dictionary text of a header, read strictly and never evaluated. */
struct scanner {
  const char *at, *end;
};

static enum armdyn_status refuse(struct faults *faults, enum armdyn_status status, enum fault_code code,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));
static enum armdyn_status refuse(struct faults *faults, enum armdyn_status status, enum fault_code code,
                                 const char *format, ...)
{
  char detail[sizeof faults->items->detail];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  fault_add(faults, FAULT_AT_POINTER, "", code, "%s", detail);
  return status;
}

static bool skip(struct scanner *s, char c)
{
  while (s->at < s->end && isspace((unsigned char)*s->at)) s->at++;
  if (s->at == s->end || *s->at != c) return false;
  s->at++;
  return true;
}

static bool scan_text(struct scanner *s, char *out, size_t size)
{
  char quote = skip(s, '\'') ? '\'' : skip(s, '"') ? '"' : '\0';
  const char *start = s->at, *close = quote ? memchr(start, quote, (size_t)(s->end - start)) : NULL;
  if (!close || (size_t)(close - start) >= size || memchr(start, '\\', (size_t)(close - start))) return false;
  memcpy(out, start, (size_t)(close - start));
  out[close - start] = '\0';
  s->at = close + 1;
  return true;
}

static bool scan_word(struct scanner *s, const char *word)
{
  size_t length = strlen(word);
  while (s->at < s->end && isspace((unsigned char)*s->at)) s->at++;
  if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length)) return false;
  s->at += length;
  return true;
}

static bool scan_size(struct scanner *s, size_t *value)
{
  while (s->at < s->end && isspace((unsigned char)*s->at)) s->at++;
  const char *start = s->at;
  for (*value = 0; s->at < s->end && isdigit((unsigned char)*s->at); s->at++)
    if (__builtin_mul_overflow(*value, (size_t)10, value) ||
        __builtin_add_overflow(*value, (size_t)(*s->at - '0'), value))
      return false;
  return s->at > start;
}

/* (), (3,), (3, 2) */
static bool scan_shape(struct scanner *s, struct header *h)
{
  if (!skip(s, '(')) return false;
  for (h->dimensions = 0; !skip(s, ')'); h->dimensions++) {
    if (h->dimensions == DIMENSIONS_MOST || !scan_size(s, &h->shape[h->dimensions])) return false;
    bool comma = skip(s, ',');
    if (comma) continue;
    bool closed = h->dimensions > 0 && skip(s, ')'); /* a tuple of one needs its comma */
    if (closed) h->dimensions++;
    return closed;
  }
  return true;
}

static bool scan_value(struct scanner *s, int key, struct header *h)
{
  if (key == 0) return scan_text(s, h->descr, sizeof h->descr);
  if (key == 2) return scan_shape(s, h);
  h->fortran = scan_word(s, "True");
  return h->fortran || scan_word(s, "False");
}

/* {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), } with each key once, in any order. */
static bool scan_header(struct scanner *s, struct header *h)
{
  static const char *const keys[] = { "descr", "fortran_order", "shape" };
  unsigned seen = 0;
  if (!skip(s, '{')) return false;
  while (!skip(s, '}')) {
    char name[DESCRIPTION_SIZE];
    int key = 0;
    if (!scan_text(s, name, sizeof name) || !skip(s, ':')) return false;
    while (key < 3 && strcmp(name, keys[key])) key++;
    if (key == 3 || (seen >> key & 1) || !scan_value(s, key, h)) return false;
    seen |= 1U << key;
    if (skip(s, ',')) continue;
    if (!skip(s, '}')) return false;
    break;
  }
  while (s->at < s->end && isspace((unsigned char)*s->at)) s->at++;
  return seen == 7 && s->at == s->end;
}

/* Find and read the header; `data` is where the numbers begin. */
static enum armdyn_status read_header(const char *bytes, size_t length, struct header *h, size_t *data,
                                      struct faults *faults)
{
  const unsigned char *b = (const unsigned char *)bytes;
  if (length < 10 || memcmp(bytes, magic, sizeof magic))
    return refuse(faults, ARMDYN_ESYNTAX, FAULT_SYNTAX,
                  "not a .npy file: it must begin with the bytes 93 4E 55 4D 50 59, as numpy.save writes them");
  if (b[6] < 1 || b[6] > 3 || b[7] != 0)
    return refuse(faults, ARMDYN_ESYNTAX, FAULT_UNSUPPORTED, "version %d.%d is not known; 1.0, 2.0 and 3.0 are", b[6],
                  b[7]);
  size_t start = b[6] == 1 ? 10 : 12, size = b[8] | (size_t)b[9] << 8;
  if (b[6] > 1 && length >= 12) size |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
  if (length < start || size > HEADER_MOST || size > length - start)
    return refuse(faults, ARMDYN_ESYNTAX, FAULT_SYNTAX,
                  "the header is said to have %zu bytes; the file ends before or it has more than %d", size,
                  HEADER_MOST);
  struct scanner s = { bytes + start, bytes + start + size };
  if (!scan_header(&s, h))
    return refuse(faults, ARMDYN_ESYNTAX, FAULT_SYNTAX,
                  "the header is not {'descr': '<f8', 'fortran_order': False, 'shape': (N, k)} (byte %zu); structured "
                  "types are not taken",
                  (size_t)(s.at - bytes));
  *data = start + size;
  return ARMDYN_OK;
}

/* Is the type one of ours? How to get there, otherwise. */
static enum armdyn_status check_type(const char *descr, size_t *item, struct faults *faults)
{
  *item = strcmp(descr, "<f8") == 0 ? 8 : strcmp(descr, "<f4") == 0 ? 4 : 0;
  if (*item) return ARMDYN_OK;
  const char *why = descr[0] == '>'                      ? "is big-endian"
                    : descr[1] == 'i' || descr[1] == 'u' ? "is an integer type"
                    : descr[1] == 'c'                    ? "is complex"
                    : descr[1] == 'f'                    ? "has another width"
                                                         : "is no number type";
  return refuse(faults, ARMDYN_EINPUT, FAULT_UNSUPPORTED,
                "the type is '%s', which %s; '<f8' and '<f4' are taken: convert with .astype('<f8')", descr, why);
}

static enum armdyn_status check_dimensions(const struct header *h, struct faults *faults)
{
  if (h->dimensions == 2) return ARMDYN_OK;
  return refuse(faults, ARMDYN_EINPUT, FAULT_LENGTH,
                "the array has %zu dimension%s; a table (N, k) is needed: one sample of k numbers is x.reshape(1, -1)",
                h->dimensions, h->dimensions == 1 ? "" : "s");
}

/* Does the data have exactly the length that rows and columns need? */
static enum armdyn_status check_length(const struct header *h, size_t item, size_t length, size_t rows_most,
                                       struct faults *faults)
{
  size_t count, size;
  if (__builtin_mul_overflow(h->shape[0], h->shape[1], &count) || __builtin_mul_overflow(count, item, &size) ||
      size != length)
    return refuse(faults, ARMDYN_ESYNTAX, FAULT_LENGTH,
                  "the shape (%zu, %zu) of '%s' does not go with %zu bytes of data", h->shape[0], h->shape[1], h->descr,
                  length);
  if (h->shape[0] > rows_most)
    return refuse(faults, ARMDYN_ELIMIT, FAULT_MAXIMUM, "must have at most %zu rows, got %zu", rows_most, h->shape[0]);
  return ARMDYN_OK;
}

size_t npy_header_size(const char *bytes, size_t length)
{
  const unsigned char *b = (const unsigned char *)bytes;
  if (length < 12) return 12;
  if (b[6] == 1) return 10 + (b[8] | (size_t)b[9] << 8);
  const size_t size = b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24;
  return size > HEADER_MOST ? 12 : 12 + size; /* refused with what is there */
}

enum armdyn_status npy_read_header(const char *bytes, size_t length, struct npy_header *out, struct faults *faults)
{
  struct header h = { "", false, { 0 }, 0 };
  enum armdyn_status rc;
  if ((rc = read_header(bytes, length, &h, &out->data, faults))) return rc;
  if ((rc = check_type(h.descr, &out->item, faults))) return rc;
  if ((rc = check_dimensions(&h, faults))) return rc;
  out->rows = h.shape[0];
  out->columns = h.shape[1];
  out->fortran = h.fortran;
  return ARMDYN_OK;
}

double npy_number(const char *data, size_t item, size_t index)
{
  double wide;
  float narrow;
  if (item == sizeof wide) {
    memcpy(&wide, data + index * sizeof wide, sizeof wide);
    return wide;
  }
  memcpy(&narrow, data + index * sizeof narrow, sizeof narrow);
  return (double)narrow;
}

static enum armdyn_status convert(const char *data, size_t item, bool fortran, struct npy_table *out)
{
  size_t rows = out->rows, columns = out->columns;
  out->memory = malloc(rows > 0 && columns > 0 ? rows * columns * sizeof(double) : 1);
  if (!out->memory) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      out->memory[i * columns + j] = npy_number(data, item, fortran ? j * rows + i : i * columns + j);
  out->data = out->memory;
  return ARMDYN_OK;
}

enum armdyn_status npy_read(const char *bytes, size_t length, size_t rows_most, struct npy_table *out,
                            struct faults *faults)
{
  struct header h = { "", false, { 0 }, 0 };
  size_t start = 0, item = 0;
  enum armdyn_status rc;
  *out = (struct npy_table){ 0 };
  if ((rc = read_header(bytes, length, &h, &start, faults))) return rc;
  if ((rc = check_type(h.descr, &item, faults))) return rc;
  if ((rc = check_dimensions(&h, faults))) return rc;
  if ((rc = check_length(&h, item, length - start, rows_most, faults))) return rc;
  *out = (struct npy_table){ .rows = h.shape[0], .columns = h.shape[1] };
  if (item == sizeof(double) && !h.fortran && (uintptr_t)(bytes + start) % _Alignof(double) == 0) {
    out->data = (const double *)(const void *)(bytes + start);
    return ARMDYN_OK;
  }
  return convert(bytes + start, item, h.fortran, out);
}

void npy_release(struct npy_table *table)
{
  free(table->memory);
  *table = (struct npy_table){ 0 };
}

void npy_write_header(struct buffer *out, const size_t *shape, size_t dimensions)
{
  char text[OWN_HEADER_MOST - 64]; /* before it is padded */
  int used = snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
  for (size_t i = 0; i < dimensions && i < DIMENSIONS_MOST; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%zu%s", shape[i],
                     i + 1 < dimensions ? ", "
                     : dimensions == 1  ? ","
                                        : "");
  used += snprintf(text + used, sizeof text - (size_t)used, "), }");

  /* padded with blanks and a line end, so that the data is aligned to 64 bytes */
  size_t size = (10 + (size_t)used + 1 + 63) / 64 * 64 - 10;
  const char preamble[] = { 1, 0, (char)(size & 0xff), (char)(size >> 8) };
  buffer_append(out, magic, sizeof magic);
  buffer_append(out, preamble, sizeof preamble);
  buffer_format(out, "%-*s\n", (int)size - 1, text);
}

void npy_write(struct buffer *out, const double *data, const size_t *shape, size_t dimensions)
{
  size_t count = 1;
  for (size_t i = 0; i < dimensions; i++) count *= shape[i];
  buffer_reserve(out, OWN_HEADER_MOST + count * sizeof *data);
  npy_write_header(out, shape, dimensions);
  buffer_append(out, data, count * sizeof *data);
}
