#include "api/wire/buffer.h"

#include <stdarg.h>

static bool fail(struct buffer *b, enum armdyn_status status)
{
  if (buffer_ok(b)) b->failure = status;
  return false;
}

static bool grow(struct buffer *b, size_t size)
{
  if (!buffer_ok(b)) return false;
  if (size > b->maximum || b->length > b->maximum - size) return fail(b, ARMDYN_ELIMIT);
  size_t needed = b->length + size + 1;
  if (needed <= b->capacity) return true;

  /* doubling keeps appending linear; what is asked for at once is given as it is, and nothing beyond the maximum */
  size_t capacity = b->capacity < 128 ? 256 : b->capacity <= b->maximum / 2 ? 2 * b->capacity : b->maximum + 1;
  if (capacity < needed) capacity = needed;
  char *data = realloc(b->data, capacity);
  if (!data) return fail(b, ARMDYN_EMEMORY);
  b->data = data;
  b->capacity = capacity;
  return true;
}

char *buffer_reserve(struct buffer *b, size_t size)
{
  return grow(b, size) ? b->data + b->length : NULL;
}

void buffer_commit(struct buffer *b, size_t size)
{
  b->length += size;
  b->data[b->length] = '\0';
}

void buffer_append(struct buffer *b, const void *bytes, size_t length)
{
  char *to = buffer_reserve(b, length);
  if (!to) return;
  if (length) memcpy(to, bytes, length);
  buffer_commit(b, length);
}

void buffer_text(struct buffer *b, const char *text)
{
  buffer_append(b, text, strlen(text));
}

void buffer_format(struct buffer *b, const char *format, ...)
{
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  size_t room = b->capacity > b->length ? b->capacity - b->length : 0;
  int length = vsnprintf(room ? b->data + b->length : NULL, room, format, arguments);
  if (length < 0) {
    fail(b, ARMDYN_EINTERNAL);
  } else if (grow(b, (size_t)length)) {
    if ((size_t)length >= room) vsnprintf(b->data + b->length, (size_t)length + 1, format, again);
    buffer_commit(b, (size_t)length);
  } else if (room) {
    b->data[b->length] = '\0';
  }
  va_end(again);
  va_end(arguments);
}

char *buffer_take(struct buffer *b, size_t *length)
{
  char *data = NULL;
  if (length) *length = 0;
  if (buffer_ok(b)) {
    data = b->data;
    if (length) *length = b->length;
    b->data = NULL;
  }
  buffer_release(b);
  return data;
}

void buffer_clear(struct buffer *b)
{
  b->length = 0;
  b->failure = ARMDYN_OK;
  if (b->data) b->data[0] = '\0';
}

void buffer_release(struct buffer *b)
{
  free(b->data);
  *b = (struct buffer)BUFFER(b->maximum);
}
