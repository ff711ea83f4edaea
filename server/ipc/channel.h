/* Messages between `serve` and its children over a socketpair: length-prefixed frames with a type, bounded by
 * LIMIT_FRAME, checked before anything is allocated. A peer that breaks the form is cut off.
 *
 *   frame = u32 magic 'ADF1' | u32 type | u32 length | length bytes      (little-endian)
 *
 * Flow control is the socket's own: a sender blocks (or times out) when its peer does not read. */
#ifndef SERVER_IPC_CHANNEL_H
#define SERVER_IPC_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include "api/wire/buffer.h"
#include "armdyn/status.h"

enum { FRAME_HEAD = 12 };

struct frame {
  uint32_t type;
  size_t length;
  const char *data; /* valid until the next receive; NUL-terminated beyond length (by channel_receive) */
};

struct channel {
  int fd;
  struct buffer in; /* what arrived */
  size_t taken;     /* bytes of it that were handed out already */
  char held;        /* the byte of `in` at `taken` that gave way to the NUL behind the last frame */
};

/* Own the fd (a stream socket, blocking or not). */
void channel_open(struct channel *c, int fd);
void channel_close(struct channel *c);
/* Several threads may send: each frame goes out whole under a lock of the caller's choice. One thread may send while
 * another receives. timeout_ms < 0: for ever.
 * OK, EIO (peer gone), EUNAVAILABLE (timed out; when a part of it was sent, nothing more can be sent then, only received),
 * ELIMIT (nothing was sent). */
enum armdyn_status channel_send(struct channel *c, uint32_t type, const void *data, size_t length, int timeout_ms);
/* OK, EIO (peer gone), EUNAVAILABLE (no whole frame in time; try again), ESYNTAX (not our frames: close), EMEMORY.
 * timeout_ms 0: only what is there already; < 0: for ever. What a dead peer sent before its end is still received. */
enum armdyn_status channel_receive(struct channel *c, struct frame *frame, int timeout_ms);

/* The parser alone, for the fuzz target: OK with *used > 0; OK with *used 0 = more bytes needed; ESYNTAX. The magic and
 * the length are judged as soon as they are there. */
enum armdyn_status frame_parse(const char *bytes, size_t length, struct frame *frame, size_t *used);

#endif
