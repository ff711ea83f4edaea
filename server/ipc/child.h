/* A child process of the same binary: `armdyn <command>`, with one end of a socketpair as file descriptor 3 and nothing
 * else inherited but standard error. It has a session of its own, so that the terminal's Ctrl-C reaches only its parent.
 * It dies with its parent unless it must outlive it (the gateway ends its transfers). */
#ifndef SERVER_IPC_CHILD_H
#define SERVER_IPC_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "armdyn/status.h"
#include "server/ipc/channel.h"

enum { CHILD_FD = 3, CHILD_REASON_SIZE = 64, CHILD_ARGUMENTS_MAX = 16 };

struct child {
  pid_t pid; /* 0 = none */
  int exit;  /* once ended: its exit status; -1: by a signal */
  struct channel channel;
};

/* Any number of threads may run beside it. arguments: NULL-terminated, without the program, at most
 * CHILD_ARGUMENTS_MAX.
 * die_with_parent: SIGKILL when the *thread* that started it ends (so Linux has it): start it from a thread that lives
 * as long as the child should.
 * OK; EIO with the reason in `error`. An exec that fails shows as the channel's end and "exit 127". */
enum armdyn_status child_start(struct child *child, const char *const arguments[], bool die_with_parent,
                               struct armdyn_error *error);
/* Close the channel and reap: at once by SIGKILL (kill_it), or else after two seconds in which it may end by itself.
 * `reason` gets how it ended: "exit 3", "signal 11 (Segmentation fault)". No-op with reason "" when there is none. */
void child_end(struct child *child, bool kill_it, char reason[CHILD_REASON_SIZE]);

#endif
