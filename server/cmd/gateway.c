/* The gateway process. Started by serve with a socket as file descriptor 3; of no use to people. */
#include "server/cmd/command.h"
#include "server/gateway/process.h"
#include "server/ipc/child.h"

int command_gateway(int argc, char **argv)
{
  if (argc != 3 || (strcmp(argv[2], "stop") && strcmp(argv[2], "finish"))) {
    fputs("armdyn gateway: `armdyn serve` starts it; it is of no use by itself\n", stderr);
    return 2;
  }
  return gateway_process(CHILD_FD, argv[1], strcmp(argv[2], "finish") ? SERVER_LOSS_STOP : SERVER_LOSS_FINISH);
}
