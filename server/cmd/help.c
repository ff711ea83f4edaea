#include "server/cmd/command.h"
#include "server/config/options.h"

int command_help(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") && strcmp(argv[1], argv[0])) {
    const struct command *command = command_find(argv[1]);
    if (!command) {
      fprintf(stderr, "armdyn help: there is no command '%s'\n", argv[1]);
      return 2;
    }
    return command->run(2, (char *[]){ argv[1], "--help", NULL });
  }
  printf("armdyn: dynamics of robot arms as a service\n\nusage: armdyn COMMAND [OPTION...]\n\n");
  for (size_t i = 0; i < command_count; i++)
    if (!commands[i].internal) printf("  %-16s %s\n", commands[i].name, commands[i].summary);
  printf("\n`armdyn COMMAND --help` tells more.\n");
  return 0;
}
