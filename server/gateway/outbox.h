/* Frames on their way to serve, sent by a thread of their own: who drives an arm never waits for somebody who is busy with
 * a disk. */
#ifndef SERVER_GATEWAY_OUTBOX_H
#define SERVER_GATEWAY_OUTBOX_H

#include <pthread.h>

#include "server/ipc/channel.h"

struct outbox {
  struct channel *channel;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  struct outbox_frame *first, **last;
  size_t bytes; /* waiting */
  bool closing;
};

/* The channel lives longer. EMEMORY: no thread. */
enum armdyn_status outbox_open(struct outbox *outbox, struct channel *channel);
/* Queue a frame, unless more than `most` bytes wait already. Frames go out in the order of the calls; does not wait.
 * False: it is not queued. */
bool outbox_put(struct outbox *outbox, uint32_t type, const void *data, size_t size, size_t most);
/* The same for a frame without data that waits behind no other. */
bool outbox_put_first(struct outbox *outbox, uint32_t type);
/* Send what waits, as long as somebody takes it, then end. */
void outbox_close(struct outbox *outbox);

#endif
