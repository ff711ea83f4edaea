/* Word to whoever wants to know that something has changed: which one, not what. It is given where the change was made,
 * so whoever listens only takes the id down and returns. */
#ifndef SERVER_BASE_ANNOUNCE_H
#define SERVER_BASE_ANNOUNCE_H

#include <stddef.h>

struct announce {
  void (*changed)(void *context, const char *id); /* NULL: nobody listens */
  void *context;
};

static inline void announce_change(const struct announce *to, const char *id)
{
  if (to->changed) to->changed(to->context, id);
}

#endif
