/* The gateway process. Started by serve with a socket as file descriptor 3; of no use to people. */
#include "server/base/log.h"
#include "server/cmd/command.h"
#include "server/gateway/process.h"
#include "server/ipc/child.h"

int command_gateway(int argc, char **argv)
{
  enum log_level level;
  if (argc != 4 || (strcmp(argv[2], "stop") && strcmp(argv[2], "finish")) || !log_level_of(argv[3], &level)) {
    fputs("armdyn gateway: `armdyn serve` starts it; it is of no use by itself\n", stderr);
    return 2;
  }
  log_set_level(level);
  return gateway_process(CHILD_FD, argv[1], strcmp(argv[2], "finish") ? SERVER_LOSS_STOP : SERVER_LOSS_FINISH);
}
