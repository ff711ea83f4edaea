#include "armdyn/armdyn.h"
#include "server/cmd/command.h"
#include "server/cmd/libraries.h"

static const char usage[] = "usage: armdyn version [--libraries]\n\n"
                            "  --libraries   and the versions of the libraries that it runs with, one a line\n";

int command_version(int argc, char **argv)
{
  const char *option = argc > 1 ? argv[1] : "";
  if (argc > 2 || (*option && strcmp(option, "--libraries") != 0 && strcmp(option, "--help") != 0)) {
    fputs(usage, stderr);
    return 2;
  }
  if (!strcmp(option, "--help")) {
    fputs(usage, stdout);
    return 0;
  }
  printf("armdyn %s\n", armdyn_version());
  for (const struct library *l = libraries; *option && l->name; l++) {
    char version[LIBRARY_VERSION_SIZE];
    l->version(version);
    printf("%s %s\n", l->name, version);
  }
  return 0;
}
