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

struct frame {
  uint32_t type;
  size_t length;
  const char *data; /* valid until the next receive; NUL-terminated beyond length */
};

struct channel {
  int fd;
  struct buffer in; /* what arrived */
  size_t taken;     /* bytes of it that the last frame held */
};

/* Own the fd. */
void channel_open(struct channel *c, int fd);
void channel_close(struct channel *c);
/* Several threads may send: each frame goes out whole under a lock of the caller's choice. timeout_ms < 0: for ever.
 * OK, EIO (peer gone), EUNAVAILABLE (timed out; the channel is broken then), ELIMIT. */
enum armdyn_status channel_send(struct channel *c, uint32_t type, const void *data, size_t length, int timeout_ms);
/* OK, EIO (peer gone), EUNAVAILABLE (nothing came in time; try again), ESYNTAX (not our frames: close). */
enum armdyn_status channel_receive(struct channel *c, struct frame *frame, int timeout_ms);

/* The parser alone, for the fuzz target: OK with *used > 0; OK with *used 0 = more bytes needed; ESYNTAX. */
enum armdyn_status frame_parse(const char *bytes, size_t length, struct frame *frame, size_t *used);

#endif
