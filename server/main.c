#include "server/cmd/command.h"

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "help";
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
  if (!strcmp(name, "--version")) name = "version";
  const struct command *command = command_find(name);
  if (!command) {
    fprintf(stderr, "armdyn: there is no command '%s'; `armdyn help` lists them\n", name);
    return 2;
  }
  return command->run(argc > 1 ? argc - 1 : 1, argc > 1 ? argv + 1 : argv);
}
