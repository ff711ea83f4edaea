/* Why something cannot be done, before it is known who is to be told of it: a caller, or an order that nobody waits for. */
#ifndef API_PROBLEM_REFUSAL_H
#define API_PROBLEM_REFUSAL_H

#include "api/problem/problem.h"

struct refusal {
  enum problem problem;
  enum armdyn_status status; /* it is this failure, and `problem` follows from it; OK: `problem` and `detail` say all */
  char detail[512];          /* "": none */
  struct faults *faults;     /* in: whose these become; never NULL */
};

/* All answer false, so that a check can end with them. */
bool refusal_say(struct refusal *why, enum problem problem, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));
bool refusal_at(struct refusal *why, const char *pointer, enum fault_code code, const char *detail);
bool refusal_status(struct refusal *why, enum armdyn_status status);

#endif
