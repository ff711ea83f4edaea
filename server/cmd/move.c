/* `armdyn move`: the store from its file into PostgreSQL, or back. */
#include <stdlib.h>

#include "server/cmd/command.h"
#include "server/cmd/flags.h"
#include "server/store/move.h"

static const char usage[] =
    "usage: armdyn move --from DIR --to postgresql://...\n"
    "       armdyn move --from postgresql://... --to DIR\n\n"
    "Copies the whole store, compares it row by row, and only then lets the copy be served. No service may run on "
    "either;\n"
    "the target must be empty: a database that `createdb` made (as a role that may make tables), a directory without "
    "a\n"
    "store. What is broken off, killed even, goes on from where it was when it is called again. The store that it was\n"
    "taken from stays as it is: put it away, so that nobody serves it.\n\n"
    "  --from WHERE         directory of the store, or the address of a database\n"
    "  --to WHERE           the other\n";

/* As flags_read. */
static int read_arguments(int argc, char **argv, const char **from, const char **to)
{
  const struct flag flags[] = { { "from", from, NULL }, { "to", to, NULL }, { 0 } };
  int rest;
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  return wrong || (!rest && *from && *to) ? wrong : flags_refuse(usage);
}

struct told {
  int64_t rows; /* compared */
};

static void tell(void *context, const char *table, int64_t rows, bool compared)
{
  struct told *told = context;
  if (compared) told->rows += rows;
  if (rows) printf("%s %s: %lld\n", compared ? "equal " : "copied", table, (long long)rows);
  fflush(stdout);
}

int command_move(int argc, char **argv)
{
  const char *from = NULL, *to = NULL;
  struct armdyn_error error = { "", "" };
  struct told told = { 0 };
  const int wrong = read_arguments(argc, argv, &from, &to);
  if (wrong) return wrong - 1;
  const enum armdyn_status status = store_move(from, to, tell, &told, &error);
  if (status) {
    fprintf(stderr, "armdyn move: %s\n", *error.message ? error.message : armdyn_status_text(status));
    return 1;
  }
  printf("equal row by row, %lld rows; the store that they were taken from stays as it was: put it away\n",
         (long long)told.rows);
  return 0;
}
