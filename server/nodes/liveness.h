/* Whether the node that serves answers: it is asked for /healthz many times a second, as its clients ask it, so what
 * silences it for them silences it here. And what it has to be told once it answers again: STOPs that were carried out in
 * its place, so that its queues know of them. One thread. */
#ifndef SERVER_NODES_LIVENESS_H
#define SERVER_NODES_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "armdyn/status.h"

struct liveness;
struct liveness_setup {
  bool encrypted;                              /* it speaks TLS, as this node does */
  void (*changed)(void *context, bool silent); /* on the thread; it is taken for alive at first */
  void *context;
};
enum armdyn_status liveness_start(const struct liveness_setup *setup, struct liveness **liveness,
                                  struct armdyn_error *error);
/* Who is asked from now on: HOST:PORT; what its predecessor was not told is not told to it. */
void liveness_follow(struct liveness *liveness, const char *address);
/* For how long it has not answered, ms; 0: it does. */
int64_t liveness_silent_ms(struct liveness *liveness);
/* A POST without a body that it is to get once it answers; authorization NULL: without a key. Does not wait. */
void liveness_tell(struct liveness *liveness, const char *path, const char *authorization);
void liveness_stop(struct liveness *liveness); /* NULL is fine */

#endif
