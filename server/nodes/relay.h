/* Frames between a channel, to a process of this machine, and a post, to one of another: a worker process on a worker node
 * talks with the runner of the serving node as if it were its child. */
#ifndef SERVER_NODES_RELAY_H
#define SERVER_NODES_RELAY_H

#include "server/ipc/channel.h"
#include "server/store/nodes.h"

enum relay_end {
  RELAY_CHANNEL, /* the process here is gone */
  RELAY_PEER,    /* so is that there: `exit` */
  RELAY_STALE,   /* another one has the worker */
  RELAY_SILENT,  /* nothing was heard from there for too long */
  RELAY_BROKEN   /* the database is away for too long, or frames are lost */
};

struct relay {
  struct channel *channel;
  struct post *post;
  int64_t silence_ms;                                    /* that is too long; 0: none is */
  bool (*goes_on)(void *context);                        /* NULL: always; else looked at between frames */
  void (*passed)(void *context, uint32_t type, bool in); /* NULL: nobody; a frame, in: to the process here */
  void *context;
  int exit; /* of the process there, or -1 */
};
enum relay_end relay_run(struct relay *relay);
/* Tell the other end how the process here ended. */
void relay_tell_end(struct post *post, int exit);

#endif
