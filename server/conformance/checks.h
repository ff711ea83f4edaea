/* What a controller is held against. To add a check: a function in the file of its subject, and a row in its table. */
#ifndef SERVER_CONFORMANCE_CHECKS_H
#define SERVER_CONFORMANCE_CHECKS_H

#include "server/conformance/bench.h"

struct check {
  const char *name;
  void (*run)(struct bench *t);
  const char *mend;            /* what to do about it when it fails */
  enum controller_phase phase; /* how far it goes: behind READY it arms and starts a profile that stands still */
};

struct check_table {
  const char *title;
  const struct check *rows;
  size_t count;
};

extern const struct check_table identity_checks, command_checks, window_checks, state_checks, motion_checks,
    restart_checks;

#endif
