#include "server/store/migrate.h"

/* The bytes of a file as a NUL-terminated text in the program; the Makefile rebuilds this when a migration changes. */
#define EMBED(symbol, path)                                                                                            \
  __asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"" path "\"\n.byte 0\n.popsection\n");                         \
  extern const char symbol[] __attribute__((visibility("hidden")))

EMBED(migration_0001, "migrations/sqlite/0001_initial.sql");

static const struct migration items[] = {
  { "0001_initial", migration_0001 },
};

const struct migrations store_migrations = { items, sizeof items / sizeof *items };
