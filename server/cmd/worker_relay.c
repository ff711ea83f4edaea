/* `armdyn worker-relay`: a child of serve that speaks for a worker on another node. */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/cmd/command.h"
#include "server/ipc/child.h"
#include "server/nodes/relay.h"

/* As the worker there ended; who waits for us is told the same. */
static int end_like(int exit)
{
  if (exit < 0) raise(SIGKILL);
  return exit;
}

int command_worker_relay(int argc, char **argv)
{
  struct stat s;
  struct channel channel;
  struct armdyn_error error = { "", "" };
  struct post *post = NULL;
  if (argc != 4 || fstat(CHILD_FD, &s) || !S_ISSOCK(s.st_mode)) {
    fprintf(stderr, "armdyn worker-relay: `armdyn serve` starts it; it is of no use by itself\n");
    return 2;
  }
  channel_open(&channel, CHILD_FD);
  enum armdyn_status status =
      post_open(command_store_address(), argv[1], (int)strtol(argv[2], NULL, 10), POST_SERVING, &post, &error);
  if (!status) status = post_claim(post, argv[3]);
  struct relay relay = { .channel = &channel, .post = post };
  const enum relay_end end = status ? RELAY_BROKEN : relay_run(&relay);
  if (end == RELAY_CHANNEL) relay_tell_end(post, 0);
  post_close(post);
  channel_close(&channel);
  return end == RELAY_PEER ? end_like(relay.exit) : end == RELAY_CHANNEL ? 0 : 1;
}
