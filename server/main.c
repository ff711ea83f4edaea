#include <errno.h>
#include <sodium.h>
#include <sys/stat.h>

#include "server/cmd/command.h"

/* A key's secret or an audit trail that a full disk has swallowed is no success. */
static int printed(int exit_status)
{
  errno = 0;
  if (!fflush(stdout) && !ferror(stdout)) return exit_status;
  fprintf(stderr, "armdyn: the output could not be written%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
  return exit_status ? exit_status : 1;
}

int main(int argc, char **argv)
{
  umask(077); /* keys, secrets and logs of a factory are nobody else's */
  const char *name = argc > 1 ? argv[1] : "help";
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
  if (!strcmp(name, "--version")) name = "version";
  const struct command *command = command_find(name);
  if (!command) {
    fprintf(stderr, "armdyn: there is no command '%s'; `armdyn help` lists them\n", name);
    return 2;
  }
  if (sodium_init() < 0) {
    fputs("armdyn: libsodium does not start: the system gives no random numbers\n", stderr);
    return 1;
  }
  return printed(command->run(argc > 1 ? argc - 1 : 1, argc > 1 ? argv + 1 : argv));
}
