/* What a thread needs to compute with, made at its first use and freed at its end. */
#ifndef SERVER_BASE_SCRATCH_H
#define SERVER_BASE_SCRATCH_H

#include <stddef.h>

#include "armdyn/dynamics.h"

enum { SCRATCH_NUMBERS = 4096 };

struct scratch {
  struct armdyn_workspace *workspace; /* for ARMDYN_JOINTS_MAX joints */
  double numbers[SCRATCH_NUMBERS];
};

/* This thread's; NULL when out of memory. */
struct scratch *scratch_here(void);

#endif
