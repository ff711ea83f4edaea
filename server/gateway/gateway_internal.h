/* The parts of the gateway as `serve` sees it: gateway.c is the life of its process, outbound.c what is asked of it, inbound.c
 * what it tells.
 *
 * Locks: `lock` guards what is in memory and is never held while the store, the channel or a caller is waited for;
 * `send_lock` keeps frames whole and guards the child. Neither is taken under the other. `cell_lock` is held while the store
 * is asked and a cell is sent. */
#ifndef SERVER_GATEWAY_GATEWAY_INTERNAL_H
#define SERVER_GATEWAY_GATEWAY_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/codec/controller.h"
#include "server/base/announce.h"
#include "server/gateway/questions.h"
#include "server/gateway/recorder.h"
#include "server/gateway/registry.h"
#include "server/ipc/child.h"
#include "server/ipc/pulse.h"

struct gateway {
  struct store *store;
  struct recorder recorder; /* of the supervisor's thread */
  struct announce changes;
  struct telemetry_tap tap;
  char dir[1100];
  char on_server_loss[16], log_level[16];
  int64_t silence_ns; /* after which it is taken for dead */
  pthread_t supervisor;

  pthread_mutex_t cell_lock; /* before send_lock: cells that have changed go out in their order */
  pthread_mutex_t send_lock;
  struct child child;
  bool up;
  unsigned generation;  /* of the child: an order goes to the one that it was accepted for, or to none */
  atomic_bool ping_due; /* set without the lock; whoever sends next sends it first */

  pthread_mutex_t lock;
  struct registry registry;
  struct questions questions;
  bool answers;          /* the child that is there has answered a ping */
  char why[GATEWAY_WHY]; /* it has not, or there is none: why */
  uint64_t silences;     /* children that were killed because they did not */
  bool draining;
  struct gateway_figures before, now; /* of the children that are gone; of this one */
  int64_t stop_at_ns;                 /* 0: not stopping */
};

/* -- outbound.c -- */

/* A frame to the child that is there. EUNAVAILABLE: none is, or it takes nothing. */
enum armdyn_status gateway_send(struct gateway *g, enum gateway_message type, const void *data, size_t size);
/* As questions_take, under the lock. */
bool gateway_question_take(struct gateway *g, uint64_t number, int64_t now_ns, struct question *out);
/* Who has waited too long is told `text`. */
void gateway_expire_questions(struct gateway *g, int64_t now_ns, const char *text);
/* All who wait are told that the gateway is gone. */
void gateway_disappoint(struct gateway *g);
/* The ping that is due (ping_due), if there is a way for it just now. Who is sending sends it before his next frame: however
 * many profiles are on their way, the child is asked. Does not wait. */
void gateway_ping(struct gateway *g);

/* -- inbound.c -- */

/* One frame of the child; on the supervisor's thread. */
void gateway_take_frame(struct gateway *g, const struct frame *frame);
void gateway_take_report(struct gateway *g, const struct message_report *message);
/* Store what the registry says of a transfer; when it has ended, forget it there and in the journal, but not before the
 * store has it: who asks hears of the end all the same, and gateway_keep_unstored tries again. */
void gateway_keep(struct gateway *g, const char *id, bool again);
/* Ends that the store has refused, because the disk was full say. */
void gateway_keep_unstored(struct gateway *g);
/* Of a transfer that is about to end: who hears of the end finds its telemetry. On the supervisor's thread. */
void gateway_end_recording(struct gateway *g, const char *id, bool gateway_lost);

#endif
