#include "armdyn/armdyn.h"
#include "server/cmd/command.h"

int command_version(int argc, char **argv)
{
  (void)argc, (void)argv;
  printf("armdyn %s\n", armdyn_version());
  return 0;
}
