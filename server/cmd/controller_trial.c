/* `armdyn controller-trial HOST PORT UNIT BASE motion|still ONLY`: a test of a controller, for serve. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "server/cmd/command.h"
#include "server/ipc/child.h"
#include "server/trials/child.h"

int command_controller_trial(int argc, char **argv)
{
  struct stat s;
  if (argc != 7 || fstat(CHILD_FD, &s) || !S_ISSOCK(s.st_mode)) {
    fprintf(stderr, "armdyn controller-trial: `armdyn serve` starts it; try `armdyn controller-test`\n");
    return 2;
  }
  const struct conformance_options options = { .host = argv[1],
                                               .port = argv[2],
                                               .unit = (unsigned)strtoul(argv[3], NULL, 10),
                                               .base = (unsigned)strtoul(argv[4], NULL, 10),
                                               .allow_motion = !strcmp(argv[5], "motion"),
                                               .only = *argv[6] ? argv[6] : NULL };
  return trial_child(CHILD_FD, &options);
}
