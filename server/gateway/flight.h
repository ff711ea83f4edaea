/* Requests in flight: several at once on one connection. Each has a transaction number of its own, by which its answer is
 * known, in whatever order they come. Here are their frames (MBAP header and request); link.c has the socket. */
#ifndef SERVER_GATEWAY_FLIGHT_H
#define SERVER_GATEWAY_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armdyn/status.h"

enum { FLIGHT_MOST = 16, FLIGHT_FRAME = 260, FLIGHT_WORDS = 125 };
enum flight_function { FLIGHT_NOTHING = 0, FLIGHT_READ = 3, FLIGHT_WRITE = 16 }; /* holding registers */

struct flying {
  enum flight_function function;
  uint16_t transaction, address, count;
  int64_t asked_ns;
};

struct flight {
  unsigned count;
  uint16_t numbers;                  /* how many were given away, modulo 2^15 */
  struct flying flying[FLIGHT_MOST]; /* the oldest first */
};

/* An answer with what it answers. */
struct landed {
  struct flying request; /* FLIGHT_NOTHING: none has come */
  int64_t answered_ns;
  unsigned exception;           /* 0: it was carried out */
  uint16_t words[FLIGHT_WORDS]; /* of what was read */
};

/* Is there a request of this kind among them? */
static inline bool flight_has(const struct flight *f, enum flight_function function)
{
  for (unsigned k = 0; k < f->count; k++)
    if (f->flying[k].function == function) return true;
  return false;
}
/* The frame of another request, which is in flight from now on; there must be room for it.
 *   words  in   what FLIGHT_WRITE writes, at most 123
 *   frame  out  FLIGHT_FRAME bytes
 * Its length. */
size_t flight_take_off(struct flight *f, struct flying request, unsigned unit, const uint16_t *words, uint8_t *frame);
/* How long the frame is that these bytes begin with, of which some may be still to come; 0: too few are there to say. */
size_t flight_frame_length(const uint8_t *bytes, size_t count);
/* What a frame answers; it is in flight no longer. EINPUT: nothing that is in flight. Then no answer can be told from
 * another any more. */
enum armdyn_status flight_land(struct flight *f, const uint8_t *frame, size_t length, struct landed *out,
                               struct armdyn_error *error);

#endif
