/* What stands behind a command's name: `--flag WORD`, `--switch`, and what is no flag, in any order. */
#ifndef SERVER_CMD_FLAGS_H
#define SERVER_CMD_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

struct flag {
  const char *name;  /* NULL: the end of a table */
  const char **word; /* where the word behind it goes; NULL: it is a switch */
  bool *on;          /* of a switch */
};
enum { FLAGS_MOST = 14 };

/* --help prints the usage, whatever else there is.
 *   rest        how many arguments that are no flags there are; they stand last in argv afterwards
 * 0: go on; 1: helped; 3: something there is not for this command, and the usage is on standard error. So the exit status
 * and one. */
int flags_read(int argc, char **argv, const struct flag *flags, const char *usage, int *rest);
int flags_refuse(const char *usage); /* 3 */

/* An environment variable, or what is without it. */
const char *flag_default(const char *variable, const char *otherwise);
/* --data without a word. */
#define FLAG_DATA_DEFAULT flag_default("ARMDYN_DATA", "armdyn-data")

#endif
