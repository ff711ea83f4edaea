/* A child process of the same binary: `armdyn <command>`, with one end of a socketpair as file descriptor 3 and nothing
 * else inherited but standard error. It dies with its parent unless it must outlive it (the gateway ends its transfers). */
#ifndef SERVER_IPC_CHILD_H
#define SERVER_IPC_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "armdyn/status.h"
#include "server/ipc/channel.h"

enum { CHILD_FD = 3 };

struct child {
  pid_t pid; /* 0 = none */
  struct channel channel;
};

/* arguments: NULL-terminated, without the program. die_with_parent: PR_SET_PDEATHSIG SIGKILL. */
enum armdyn_status child_start(struct child *child, const char *const arguments[], bool die_with_parent,
                               struct armdyn_error *error);
/* Kill (SIGKILL) if it still runs, reap, close; `reason` gets how it ended: "exit 3", "signal 11 (Segmentation fault)". */
void child_end(struct child *child, bool kill_it, char reason[64]);

#endif
