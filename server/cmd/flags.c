#include "server/cmd/flags.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

const char *flag_default(const char *variable, const char *otherwise)
{
  const char *value = getenv(variable);
  return value ? value : otherwise;
}

int flags_refuse(const char *usage)
{
  fputs(usage, stderr);
  return 3;
}

int flags_read(int argc, char **argv, const struct flag *flags, const char *usage, int *rest)
{
  enum { HELP = 'h' }; /* more than FLAGS_MOST */
  struct option known[FLAGS_MOST + 2] = { { "help", no_argument, NULL, HELP } };
  int count = 0, c;
  for (; count < FLAGS_MOST && flags[count].name; count++)
    known[count + 1] =
        (struct option){ flags[count].name, flags[count].word ? required_argument : no_argument, NULL, count };
  opterr = 0;
  while ((c = getopt_long(argc, argv, "h", known, NULL)) >= 0 && c < count) {
    if (flags[c].word)
      *flags[c].word = optarg;
    else
      *flags[c].on = true;
  }
  *rest = argc - optind;
  if (c == -1) return 0;
  if (c == HELP) {
    fputs(usage, stdout);
    return 1;
  }
  fprintf(stderr, "armdyn %s: cannot understand '%s'\n", argv[0], argv[optind - 1]);
  return flags_refuse(usage);
}
