/* What the HTTP service has to know on a node that stands by and answers in place of one that is silent: it takes stops, and
 * refuses all else (503). Every answer ends its connection, for the next one may be the serving node's to answer. */
#ifndef SERVER_HTTP_STAND_IN_H
#define SERVER_HTTP_STAND_IN_H

#include <stddef.h>

#include "armdyn/status.h"

struct stand_in {
  const char *node;  /* its name, for entries of the audit trail */
  const char *path;  /* beside it entries are kept that cannot be told yet */
  const char *stops; /* what its answers to stops say of itself */
  /* What is answered to all else. */
  void (*refuse)(void *context, char *detail, size_t size);
  /* A stop is being carried out, of this path, by this Authorization (NULL: none). On an event thread. */
  void (*stopped)(void *context, const char *path, const char *authorization);
  /* Entries for the audit trail, durable when it answers OK. On one thread, which may wait. */
  enum armdyn_status (*keep)(void *context, const char *const *lines, size_t count);
  void *context;
};

#endif
