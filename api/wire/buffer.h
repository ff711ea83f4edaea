/* A growing byte buffer that was born with a maximum. A failure (over the maximum, out of memory) sticks: append freely,
 * ask buffer_ok() once at the end.
 *   struct buffer b = BUFFER(LIMIT_ANSWER);  ...  buffer_release(&b); */
#ifndef API_WIRE_BUFFER_H
#define API_WIRE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/status.h"

struct buffer {
  char *data; /* NUL-terminated beyond length once anything was appended; NULL when empty */
  size_t length, capacity, maximum;
  enum armdyn_status failure; /* ARMDYN_OK, ARMDYN_ELIMIT or ARMDYN_EMEMORY */
};

#define BUFFER(max)                                                                                                    \
  {                                                                                                                    \
    .maximum = (max)                                                                                                   \
  }

/* Room for `size` more bytes; the place to write them, or NULL after a failure. buffer_commit adds what was written. */
char *buffer_reserve(struct buffer *b, size_t size);
void buffer_commit(struct buffer *b, size_t size);
void buffer_append(struct buffer *b, const void *bytes, size_t length);
void buffer_text(struct buffer *b, const char *text);
void buffer_format(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool buffer_ok(const struct buffer *b)
{
  return b->failure == ARMDYN_OK;
}
/* Hand over the bytes (free() them); the buffer is empty afterwards. NULL after a failure or when nothing was appended. */
char *buffer_take(struct buffer *b, size_t *length);
void buffer_clear(struct buffer *b);   /* keeps the memory */
void buffer_release(struct buffer *b); /* frees; the buffer may be used again */

#endif
