/* A job in parts that do not depend on each other: workers that have nothing else to do take some of them.
 * Its own worker waits for nobody who has not begun: what no other takes, it computes itself. */
#ifndef SERVER_WORK_SHARE_H
#define SERVER_WORK_SHARE_H

#include "server/work/work.h"

struct work_parts {
  size_t count;
  /* Part k, as `done` of all have been. What it comes to stays in the context, and is a function of the request alone.
   * Who helps may be asked for the same one twice: it begins anew. OK, or why the job fails. */
  enum armdyn_status (*run)(void *context, size_t k, size_t done, struct armdyn_error *error);
  /* That as bytes, for another process of this program, and from it. false: they are none of ours. */
  void (*write)(void *context, size_t k, struct buffer *out);
  bool (*read)(void *context, size_t k, const char *bytes, size_t length);
  void *context;
};

/* All of them. In a worker that helps: those that it is given, and ECANCELLED, upon which the kind's compute ends as it does
 * after any refusal; nobody hears of that.
 * OK, what a part says, EMEMORY, EIO (`serve` is gone). */
enum armdyn_status work_share(struct work *work, const struct work_parts *parts, struct armdyn_error *error);

#endif
