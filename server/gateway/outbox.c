#include "server/gateway/outbox.h"

#include <stdlib.h>

enum { SEND_MS = 5000 /* a service that takes nothing for so long is gone */ };

struct outbox_frame {
  struct outbox_frame *next;
  uint32_t type;
  size_t size;
  char data[];
};

/* Under the lock: the next frame, or NULL when there will be none. */
static struct outbox_frame *next_frame(struct outbox *o)
{
  while (!o->first && !o->closing) pthread_cond_wait(&o->changed, &o->lock);
  struct outbox_frame *frame = o->first;
  if (!frame) return NULL;
  o->first = frame->next;
  if (!o->first) o->last = &o->first;
  o->bytes -= frame->size;
  return frame;
}

/* After a failure nothing more can be sent; what waits then is in the journal. */
static void *send_all(void *context)
{
  struct outbox *o = context;
  enum armdyn_status status = ARMDYN_OK;
  pthread_mutex_lock(&o->lock);
  for (struct outbox_frame *frame; (frame = next_frame(o)); free(frame)) {
    pthread_mutex_unlock(&o->lock);
    if (!status) status = channel_send(o->channel, frame->type, frame->data, frame->size, SEND_MS);
    pthread_mutex_lock(&o->lock);
  }
  pthread_mutex_unlock(&o->lock);
  return NULL;
}

enum armdyn_status outbox_open(struct outbox *o, struct channel *channel)
{
  *o = (struct outbox){ .channel = channel };
  o->last = &o->first;
  pthread_mutex_init(&o->lock, NULL);
  pthread_cond_init(&o->changed, NULL);
  return pthread_create(&o->thread, NULL, send_all, o) ? ARMDYN_EMEMORY : ARMDYN_OK;
}

bool outbox_put(struct outbox *o, uint32_t type, const void *data, size_t size, size_t most)
{
  struct outbox_frame *frame = malloc(sizeof *frame + size);
  if (!frame) return false;
  *frame = (struct outbox_frame){ .type = type, .size = size };
  memcpy(frame->data, data, size);
  pthread_mutex_lock(&o->lock);
  bool taken = o->bytes <= most;
  if (taken) {
    *o->last = frame;
    o->last = &frame->next;
    o->bytes += size;
    pthread_cond_signal(&o->changed);
  }
  pthread_mutex_unlock(&o->lock);
  if (!taken) free(frame);
  return taken;
}

bool outbox_put_first(struct outbox *o, uint32_t type)
{
  struct outbox_frame *frame = malloc(sizeof *frame);
  if (!frame) return false;
  pthread_mutex_lock(&o->lock);
  *frame = (struct outbox_frame){ .next = o->first, .type = type };
  if (!o->first) o->last = &frame->next;
  o->first = frame;
  pthread_cond_signal(&o->changed);
  pthread_mutex_unlock(&o->lock);
  return true;
}

void outbox_close(struct outbox *o)
{
  pthread_mutex_lock(&o->lock);
  o->closing = true;
  pthread_cond_signal(&o->changed);
  pthread_mutex_unlock(&o->lock);
  pthread_join(o->thread, NULL);
  pthread_cond_destroy(&o->changed);
  pthread_mutex_destroy(&o->lock);
}
